"""The window: watch a motion, perform live. Only `display`, `overlay` and `paint` know pygame or OpenGL.

The interface is drawn with pygame's own drawing onto small surfaces, one a panel, each of which is a texture that is
blended over the picture. That needs no further library, looks the same on every system, and costs next to nothing: a
panel is drawn again only when what it shows has changed.
"""
