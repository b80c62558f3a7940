"""Textured rectangles, such as labels and panels, painted over a picture with their transparency."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puppet.render.program import ShaderProgram


class QuadPainter:
    """Two triangles a rectangle: rows of (x, y, depth, u, v), in pixels of the picture and of the texture."""

    def __init__(self, GL: Any) -> None:
        self._gl = GL
        self._program = ShaderProgram(GL, ("label.vert",), ("label.frag",))
        self._mesh, self._buffer = int(GL.glGenVertexArrays(1)), int(GL.glGenBuffers(1))
        GL.glBindVertexArray(self._mesh)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._buffer)
        for place, count, offset in ((0, 3, 0), (1, 2, 12)):
            GL.glEnableVertexAttribArray(place)
            GL.glVertexAttribPointer(place, count, GL.GL_FLOAT, GL.GL_FALSE, 20, ctypes.c_void_p(offset))
        GL.glBindVertexArray(0)

    def begin(self, quads: NDArray[np.float32], size: tuple[int, int], behind: bool) -> None:
        """Makes rectangles ready to be drawn. behind: whether what is nearer to the eye hides them."""
        GL = self._gl
        GL.glBindVertexArray(self._mesh)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._buffer)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, quads.nbytes, quads, GL.GL_STREAM_DRAW)
        GL.glActiveTexture(GL.GL_TEXTURE0)
        (GL.glEnable if behind else GL.glDisable)(GL.GL_DEPTH_TEST)
        GL.glDisable(GL.GL_CULL_FACE)
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA)
        self._program.use(texts=0, picture_size=np.array(size, dtype=np.float32))

    def draw(self, texture: int, first: int, count: int) -> None:
        """Draws `count` corners with a texture."""
        self._gl.glBindTexture(self._gl.GL_TEXTURE_2D, texture)
        self._gl.glDrawArrays(self._gl.GL_TRIANGLES, first, count)

    def end(self) -> None:
        self._gl.glDisable(self._gl.GL_BLEND)
        self._gl.glBindVertexArray(0)

    def close(self) -> None:
        GL = self._gl
        self._program.close()
        GL.glDeleteVertexArrays(1, np.array([self._mesh], dtype=np.uint32))
        GL.glDeleteBuffers(1, np.array([self._buffer], dtype=np.uint32))
