"""Writes names above things: quads in pixels, from one texture with every text."""

from __future__ import annotations

from typing import Any

import numpy as np

from puppet.render.camera import Camera
from puppet.render.model import Label
from puppet.render.quads import QuadPainter
from puppet.render.text import text_image
from puppet.types import Floats

TEXT_HEIGHT = 13  # pixels, in a picture of REFERENCE_HEIGHT
REFERENCE_HEIGHT = 540
_LIFT = 0.06  # towards the eye: writing stands upright where the table lies flat


class LabelPainter:
    """The labels of one model."""

    def __init__(self, GL: Any, labels: tuple[Label, ...]) -> None:
        self._gl, self._labels = GL, labels
        self._quad_painter = QuadPainter(GL)
        self._texture = int(GL.glGenTextures(1))
        self._text_height = 0
        self._sizes = np.zeros((len(labels), 2))
        self._tops = np.zeros(len(labels))

    def draw(self, transforms: Any, camera: Camera, size: tuple[int, int]) -> None:
        """`transforms` (n, 12) as in Renderer.draw."""
        if not self._labels:
            return
        self._write(max(8, round(TEXT_HEIGHT * min(max(size[1] / REFERENCE_HEIGHT, 0.75), 3.0))))
        quads = self._quads(np.asarray(transforms, dtype=np.float64), camera, size)
        self._quad_painter.begin(quads, size, behind=True)
        self._quad_painter.draw(self._texture, 0, len(quads))
        self._quad_painter.end()

    def close(self) -> None:
        self._quad_painter.close()
        self._gl.glDeleteTextures(1, np.array([self._texture], dtype=np.uint32))

    def _write(self, text_height: int) -> None:
        """Writes all texts into the texture, one below the other."""
        if text_height == self._text_height:
            return
        GL, self._text_height = self._gl, text_height
        plates = [text_image(label.text, text_height, plate=not label.faint) for label in self._labels]
        self._sizes = np.array([(p.shape[1], p.shape[0]) for p in plates], dtype=np.float64)
        self._tops = np.concatenate([[0.0], np.cumsum(self._sizes[:-1, 1])])
        sheet = np.zeros((int(self._sizes[:, 1].sum()), int(self._sizes[:, 0].max()), 4), dtype=np.uint8)
        for top, p in zip(self._tops.astype(int), plates, strict=True):
            sheet[top : top + p.shape[0], : p.shape[1]] = p
        GL.glBindTexture(GL.GL_TEXTURE_2D, self._texture)
        GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 1)
        GL.glTexParameteri(GL.GL_TEXTURE_2D, GL.GL_TEXTURE_MIN_FILTER, GL.GL_NEAREST)
        GL.glTexParameteri(GL.GL_TEXTURE_2D, GL.GL_TEXTURE_MAG_FILTER, GL.GL_NEAREST)
        GL.glTexImage2D(
            GL.GL_TEXTURE_2D, 0, GL.GL_RGBA8, sheet.shape[1], sheet.shape[0], 0, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, sheet
        )

    def _quads(self, transforms: Floats, camera: Camera, size: tuple[int, int]) -> Any:
        """Two triangles a label, on whole pixels, the far ones first: (6 * labels, 5) of pixel, depth and texel."""
        faint = np.array([label.faint for label in self._labels])
        edge = np.array([label.covers for label in self._labels])
        bases = transforms[[label.transform for label in self._labels], :3]
        points = bases + np.array([label.point for label in self._labels])
        hidden, under = _stacked(np.where(faint[:, None], points, bases), edge)
        points = np.where((under & ~faint)[:, None], bases, points)  # under another thing: written on its face
        seen = camera.project(points, size)
        order = np.argsort(-seen[:, 2], kind="stable")
        order = order[(seen[order, 2] > 2.0 * _LIFT) & ~(hidden & faint)[order]]
        corners = np.array([(0, 0), (1, 0), (0, 1), (0, 1), (1, 0), (1, 1)], dtype=np.float64)
        # The name of a thing is in front of everything; that of a place is hidden by what is in front of the place.
        centred = (faint | under)[:, None]
        left_top = np.round(seen[:, :2] - self._sizes * np.where(centred, (0.5, 0.5), (0.5, 1.0)))
        depth = np.where(faint, camera.depth(np.maximum(seen[:, 2] - _LIFT, _LIFT)), -1.0)
        quads = np.empty((len(order), 6, 5), dtype=np.float32)
        for k, n in enumerate(order):
            quads[k, :, :2] = left_top[n] + corners * self._sizes[n]
            quads[k, :, 2] = depth[n]
            quads[k, :, 3:] = (0.0, self._tops[n]) + corners * self._sizes[n]
        return quads.reshape(-1, 5)


def _stacked(centres: Floats, edges: Floats) -> tuple[Any, Any]:
    """For points (n, 3) and half edges (n,), 0 for places: which carry a thing, and which of these are things."""
    rise = centres[None, :, 1] - centres[:, None, 1]  # (below, above)
    beside = np.abs(centres[None, :, ::2] - centres[:, None, ::2]).max(axis=2)
    touching = (beside < edges[None]) & (rise > 0.0) & (rise < 1.2 * (edges[None] + edges[:, None]))
    found = touching.any(axis=1)
    return found, found & (edges > 0.0)
