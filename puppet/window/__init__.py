"""The window, in which to watch a motion or perform live. Only `display`, `overlay` and `paint` know pygame or OpenGL.

Each panel is drawn by pygame on a small surface, which becomes a texture that is blended over the picture. That needs
no other library, looks the same on every system, and is cheap: a panel is drawn again only when what it shows changes.
"""

DEFAULT_SIZE = (1280, 720)  # points
