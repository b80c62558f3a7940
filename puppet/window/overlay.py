"""Layers over the picture: textures that are blended at their places, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from puppet.render.context import gl
from puppet.render.quads import QuadPainter

if TYPE_CHECKING:
    import pygame


class Overlay:
    """Layers by name. It needs a current OpenGL context and must be closed while that is current."""

    def __init__(self) -> None:
        GL = self._gl = gl()
        self._quads = QuadPainter(GL)
        self._layers: dict[str, tuple[int, tuple[int, int]]] = {}  # texture, size in pixels

    def put(self, name: str, surface: pygame.Surface) -> None:
        """Sets the content of a layer."""
        GL, size = self._gl, surface.get_size()
        # A pixel is one number, alpha in its highest bits, then red, green, blue; the rows follow each other.
        pixels = np.ascontiguousarray(np.asarray(surface.get_view("2")).T)
        texture, old = self._layers.get(name, (0, (0, 0)))
        if not texture:
            texture = int(GL.glGenTextures(1))
        GL.glActiveTexture(GL.GL_TEXTURE0)
        GL.glBindTexture(GL.GL_TEXTURE_2D, texture)
        GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 4)
        form = (GL.GL_BGRA, GL.GL_UNSIGNED_INT_8_8_8_8_REV, pixels)
        if old == size:
            GL.glTexSubImage2D(GL.GL_TEXTURE_2D, 0, 0, 0, *size, *form)
        else:
            GL.glTexParameteri(GL.GL_TEXTURE_2D, GL.GL_TEXTURE_MIN_FILTER, GL.GL_NEAREST)
            GL.glTexParameteri(GL.GL_TEXTURE_2D, GL.GL_TEXTURE_MAG_FILTER, GL.GL_NEAREST)
            GL.glTexImage2D(GL.GL_TEXTURE_2D, 0, GL.GL_RGBA8, *size, 0, *form)
        self._layers[name] = (texture, size)

    def drop(self, name: str) -> None:
        if name in self._layers:
            texture, _ = self._layers.pop(name)
            self._gl.glDeleteTextures(1, np.array([texture], dtype=np.uint32))

    def draw(self, placed: Sequence[tuple[str, int, int]], size: tuple[int, int]) -> None:
        """Draws layers into the window's framebuffer, each by its name and upper left corner in pixels."""
        GL = self._gl
        placed = [entry for entry in placed if entry[0] in self._layers]
        if not placed:
            return
        corners = np.array([(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)], dtype=np.float32)
        quads = np.zeros((len(placed), 6, 5), dtype=np.float32)
        for n, (name, x, y) in enumerate(placed):
            texels = corners * self._layers[name][1]
            quads[n, :, :2] = texels + np.array([x, y], dtype=np.float32)
            quads[n, :, 3:] = texels
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)
        GL.glViewport(0, 0, *size)
        self._quads.begin(quads, size, behind=False)
        for n, (name, _, _) in enumerate(placed):
            self._quads.draw(self._layers[name][0], 6 * n, 6)
        self._quads.end()

    def close(self) -> None:
        for name in tuple(self._layers):
            self.drop(name)
        self._quads.close()
