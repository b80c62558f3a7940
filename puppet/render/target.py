"""Framebuffers off screen: one with many samples a pixel, one for the resolved picture, one for the shadow map."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from puppet.errors import PuppetError

Pixels = NDArray[np.uint8]
SAMPLES_PER_PIXEL = 4
MAX_EDGE = 8192


class RenderTarget:
    """A picture off screen: drawn with several samples a pixel, then resolved."""

    def __init__(self, GL: Any, size: tuple[int, int], samples: int = SAMPLES_PER_PIXEL) -> None:
        width, height = size
        largest = min(MAX_EDGE, int(GL.glGetIntegerv(GL.GL_MAX_RENDERBUFFER_SIZE)))
        if not (0 < width <= largest and 0 < height <= largest):
            raise PuppetError(f"a picture of {width}x{height} pixels cannot be drawn: 1x1 to {largest}x{largest} can")
        self._gl, self.size = GL, (int(width), int(height))
        samples = min(samples, int(GL.glGetIntegerv(GL.GL_MAX_SAMPLES)))
        self._buffers = [int(n) for n in np.atleast_1d(GL.glGenRenderbuffers(3))]
        self._many, self._plain = (int(n) for n in GL.glGenFramebuffers(2))
        color, depth = (GL.GL_COLOR_ATTACHMENT0, GL.GL_RGBA8), (GL.GL_DEPTH_ATTACHMENT, GL.GL_DEPTH_COMPONENT24)
        for buffer, framebuffer, count, (place, kind) in (
            (self._buffers[0], self._many, samples, color),
            (self._buffers[1], self._many, samples, depth),
            (self._buffers[2], self._plain, 0, color),
        ):
            GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, framebuffer)
            GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, buffer)
            GL.glRenderbufferStorageMultisample(GL.GL_RENDERBUFFER, count, kind, *self.size)
            GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, place, GL.GL_RENDERBUFFER, buffer)
        for framebuffer in (self._many, self._plain):
            GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, framebuffer)
            if GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER) != GL.GL_FRAMEBUFFER_COMPLETE:
                raise PuppetError(f"the graphics driver gives no framebuffer of {width}x{height} pixels")

    def begin(self) -> None:
        GL = self._gl
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._many)
        GL.glViewport(0, 0, *self.size)

    def end(self) -> None:
        """Resolves the samples."""
        self._blit(self._many, self._plain, (0, 0, *self.size))

    def read(self) -> Pixels:
        """The finished picture, (height, width, 3), the upper row first."""
        GL = self._gl
        width, height = self.size
        pixels = np.empty((height, width, 3), dtype=np.uint8)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self._plain)
        GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
        GL.glReadPixels(0, 0, width, height, GL.GL_RGB, GL.GL_UNSIGNED_BYTE, pixels)
        pixels = pixels[::-1]
        pixels.flags.writeable = False
        return pixels

    def show(self, framebuffer: int, place: tuple[int, int, int, int]) -> None:
        self._blit(self._plain, framebuffer, place)
        self._gl.glBindFramebuffer(self._gl.GL_FRAMEBUFFER, framebuffer)

    def _blit(self, source: int, target: int, place: tuple[int, int, int, int]) -> None:
        GL = self._gl
        x, y, width, height = place
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, source)
        GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, target)
        smooth = GL.GL_NEAREST if (width, height) == self.size else GL.GL_LINEAR
        GL.glBlitFramebuffer(0, 0, *self.size, x, y, x + width, y + height, GL.GL_COLOR_BUFFER_BIT, smooth)

    def close(self) -> None:
        GL = self._gl
        GL.glDeleteFramebuffers(2, np.array([self._many, self._plain], dtype=np.uint32))
        GL.glDeleteRenderbuffers(3, np.array(self._buffers, dtype=np.uint32))


class ShadowMap:
    """A depth texture as seen from the light, for shaders to compare with."""

    def __init__(self, GL: Any, edge: int) -> None:
        self._gl, self.edge = GL, edge
        self._framebuffer, self._texture = int(GL.glGenFramebuffers(1)), int(GL.glGenTextures(1))
        GL.glBindTexture(GL.GL_TEXTURE_2D, self._texture)
        GL.glTexImage2D(
            GL.GL_TEXTURE_2D, 0, GL.GL_DEPTH_COMPONENT24, edge, edge, 0, GL.GL_DEPTH_COMPONENT, GL.GL_UNSIGNED_INT, None
        )
        for name, value in (
            (GL.GL_TEXTURE_MIN_FILTER, GL.GL_LINEAR),
            (GL.GL_TEXTURE_MAG_FILTER, GL.GL_LINEAR),
            (GL.GL_TEXTURE_WRAP_S, GL.GL_CLAMP_TO_EDGE),
            (GL.GL_TEXTURE_WRAP_T, GL.GL_CLAMP_TO_EDGE),
            (GL.GL_TEXTURE_COMPARE_MODE, GL.GL_COMPARE_REF_TO_TEXTURE),
            (GL.GL_TEXTURE_COMPARE_FUNC, GL.GL_LEQUAL),
        ):
            GL.glTexParameteri(GL.GL_TEXTURE_2D, name, value)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._framebuffer)
        GL.glFramebufferTexture2D(GL.GL_FRAMEBUFFER, GL.GL_DEPTH_ATTACHMENT, GL.GL_TEXTURE_2D, self._texture, 0)
        GL.glDrawBuffer(GL.GL_NONE)
        GL.glReadBuffer(GL.GL_NONE)

    def begin(self) -> None:
        GL = self._gl
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._framebuffer)
        GL.glViewport(0, 0, self.edge, self.edge)
        GL.glClear(GL.GL_DEPTH_BUFFER_BIT)

    def bind(self, unit: int) -> None:
        self._gl.glActiveTexture(self._gl.GL_TEXTURE0 + unit)
        self._gl.glBindTexture(self._gl.GL_TEXTURE_2D, self._texture)

    def close(self) -> None:
        GL = self._gl
        GL.glDeleteFramebuffers(1, np.array([self._framebuffer], dtype=np.uint32))
        GL.glDeleteTextures(1, np.array([self._texture], dtype=np.uint32))
