"""Scenes and bodies in, meshes and pixels out. Cameras and models are plain arrays; the renderer knows OpenGL."""
