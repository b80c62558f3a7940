"""Draws a model into a framebuffer of its own: window and files get the same pixels."""

from __future__ import annotations

import ctypes
import math

import numpy as np
from numpy.typing import ArrayLike

from puppet.errors import PuppetError
from puppet.render.camera import Camera
from puppet.render.context import gl
from puppet.render.labels import LabelPainter
from puppet.render.model import VERTEX, DrawnModel
from puppet.render.program import ShaderProgram
from puppet.render.target import SAMPLES_PER_PIXEL, Pixels, RenderTarget, ShadowMap
from puppet.types import Floats

TO_LIGHT = np.array([-0.42, 1.0, 0.52]) / math.sqrt(0.42**2 + 1.0 + 0.52**2)
SHADOW_EDGE = 1536
_TRANSFORMS_UNIT, _SHADOW_UNIT = 0, 1  # texture units


class Renderer:
    """Draws one model: `draw`, then `read` or `show`.

    It needs a current OpenGL 3.3 context and must be closed while that is current.
    """

    def __init__(self, model: DrawnModel, size: tuple[int, int], samples: int = SAMPLES_PER_PIXEL) -> None:
        GL = self._gl = gl()
        self._model, self._samples = model, samples
        self._target = RenderTarget(GL, size, samples)
        self._shadow = ShadowMap(GL, SHADOW_EDGE)
        place = ("transforms.glsl", "solid.vert")
        self._solid = ShaderProgram(GL, place, ("light.glsl", "colors.glsl", "solid.frag"))
        self._floor = ShaderProgram(GL, place, ("light.glsl", "colors.glsl", "floor.frag"))
        self._depth = ShaderProgram(GL, ("transforms.glsl", "shadow.vert"), ("shadow.frag",))
        self._background = ShaderProgram(GL, ("background.vert",), ("colors.glsl", "background.frag"))
        self._upload()
        self._labels: LabelPainter | None = None
        self._light_on(np.asarray(model.middle))

    @property
    def size(self) -> tuple[int, int]:
        return self._target.size

    def resize(self, size: tuple[int, int]) -> None:
        if tuple(size) != self.size:
            self._target.close()
            self._target = RenderTarget(self._gl, size, self._samples)

    def draw(self, transforms: ArrayLike, camera: Camera, labels: bool = False) -> None:
        """Draws the model with its transforms (n, 12): position, then rotation row by row."""
        GL, model = self._gl, self._model
        rows = np.ascontiguousarray(transforms, dtype=np.float32)
        if rows.shape != (model.transform_count, 12):
            raise PuppetError(f"the model has {model.transform_count} transforms of 12 numbers, not {rows.shape}")
        GL.glBindBuffer(GL.GL_TEXTURE_BUFFER, self._transform_buffer)
        GL.glBufferData(GL.GL_TEXTURE_BUFFER, rows.nbytes, rows, GL.GL_STREAM_DRAW)
        GL.glActiveTexture(GL.GL_TEXTURE0 + _TRANSFORMS_UNIT)
        GL.glBindTexture(GL.GL_TEXTURE_BUFFER, self._transform_texture)
        GL.glBindVertexArray(self._mesh)
        self._light_on(np.add(model.middle, rows[model.followed, :3] * (1.0, 0.0, 1.0)))
        self._draw_shadow()
        self._draw_picture(camera)
        if labels:
            if self._labels is None:
                self._labels = LabelPainter(GL, model.labels)
            self._labels.draw(rows, camera, self.size)
        GL.glBindVertexArray(0)
        self._target.end()

    def read(self) -> Pixels:
        """The picture, (height, width, 3), the upper row first."""
        return self._target.read()

    def show(self, framebuffer: int = 0, place: tuple[int, int, int, int] | None = None) -> None:
        """Copies the picture into the window's framebuffer: to its lower left corner or to (x, y, width, height)."""
        self._target.show(framebuffer, place or (0, 0, *self.size))

    def close(self) -> None:
        GL = self._gl
        programs = (self._solid, self._floor, self._depth, self._background)
        for part in (self._target, self._shadow, *programs, self._labels):
            if part is not None:
                part.close()
        GL.glDeleteVertexArrays(2, np.array([self._mesh, self._empty], dtype=np.uint32))
        GL.glDeleteBuffers(3, np.array([*self._mesh_buffers, self._transform_buffer], dtype=np.uint32))
        GL.glDeleteTextures(1, np.array([self._transform_texture], dtype=np.uint32))

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _upload(self) -> None:
        GL, model = self._gl, self._model
        self._mesh, self._empty = (int(n) for n in GL.glGenVertexArrays(2))
        self._mesh_buffers = tuple(int(n) for n in GL.glGenBuffers(2))
        GL.glBindVertexArray(self._mesh)
        vertex_buffer, index_buffer = self._mesh_buffers
        for kind, buffer, content in (
            (GL.GL_ARRAY_BUFFER, vertex_buffer, model.vertices.tobytes()),
            (GL.GL_ELEMENT_ARRAY_BUFFER, index_buffer, model.triangles.tobytes()),
        ):
            GL.glBindBuffer(kind, buffer)
            GL.glBufferData(kind, len(content), content, GL.GL_STATIC_DRAW)
        stride, offset = VERTEX.itemsize, {name: place for name, (_, place, *_) in (VERTEX.fields or {}).items()}
        for place, name, count, kind, whole in (
            (0, "point", 3, GL.GL_FLOAT, GL.GL_FALSE),
            (1, "normal", 3, GL.GL_FLOAT, GL.GL_FALSE),
            (2, "color", 4, GL.GL_UNSIGNED_BYTE, GL.GL_TRUE),
        ):
            GL.glEnableVertexAttribArray(place)
            GL.glVertexAttribPointer(place, count, kind, whole, stride, ctypes.c_void_p(offset[name]))
        GL.glEnableVertexAttribArray(3)
        GL.glVertexAttribIPointer(3, 1, GL.GL_UNSIGNED_INT, stride, ctypes.c_void_p(offset["transform"]))
        GL.glBindVertexArray(0)
        self._transform_buffer, self._transform_texture = int(GL.glGenBuffers(1)), int(GL.glGenTextures(1))
        GL.glBindBuffer(GL.GL_TEXTURE_BUFFER, self._transform_buffer)
        GL.glBufferData(GL.GL_TEXTURE_BUFFER, model.transform_count * 48, None, GL.GL_STREAM_DRAW)
        GL.glBindTexture(GL.GL_TEXTURE_BUFFER, self._transform_texture)
        GL.glTexBuffer(GL.GL_TEXTURE_BUFFER, GL.GL_RGBA32F, self._transform_buffer)

    def _light_on(self, middle: Floats) -> None:
        self._middle, self._to_shadow = middle, _light_view(middle, self._model.radius)

    def _draw_shadow(self) -> None:
        GL = self._gl
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glDepthMask(GL.GL_TRUE)
        GL.glDisable(GL.GL_BLEND)
        GL.glEnable(GL.GL_CULL_FACE)
        self._shadow.begin()
        self._depth.use(transforms=_TRANSFORMS_UNIT, to_shadow=self._to_shadow)
        self._triangles(0, self._model.solid)

    def _draw_picture(self, camera: Camera) -> None:
        GL, model = self._gl, self._model
        width, height = self.size
        self._target.begin()
        self._shadow.bind(_SHADOW_UNIT)
        GL.glClear(GL.GL_DEPTH_BUFFER_BIT)
        GL.glDepthFunc(GL.GL_LEQUAL)
        view: dict[str, ArrayLike] = {
            "transforms": _TRANSFORMS_UNIT,
            "shadow_map": _SHADOW_UNIT,
            "to_clip": camera.projection(width / height) @ camera.view,
            "to_shadow": self._to_shadow,
            "shadow_texel": 3.0 * model.radius / SHADOW_EDGE,
        }
        # Solid things first: what they hide is not shaded.
        self._solid.use(**view, to_light=TO_LIGHT, eye=camera.eye)
        self._triangles(0, model.solid)
        self._floor.use(**view, picture_height=float(height), middle=self._middle, radius=model.radius)
        self._triangles(model.solid, model.floor)
        self._background.use(picture_height=float(height))
        GL.glBindVertexArray(self._empty)
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)
        GL.glBindVertexArray(self._mesh)
        self._solid.use()
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA)
        GL.glDepthMask(GL.GL_FALSE)
        self._triangles(model.solid + model.floor, len(model.triangles) - model.solid - model.floor)
        GL.glDepthMask(GL.GL_TRUE)
        GL.glDisable(GL.GL_BLEND)

    def _triangles(self, first: int, count: int) -> None:
        GL = self._gl
        if count:
            GL.glDrawElements(GL.GL_TRIANGLES, 3 * count, GL.GL_UNSIGNED_INT, ctypes.c_void_p(12 * first))


def _light_view(middle: Floats, radius: float) -> Floats:
    """World to the light's clip space, (4, 4): an orthographic view of a ball."""
    right = np.cross((0.0, 0.0, -1.0), TO_LIGHT)
    right /= np.linalg.norm(right)
    matrix = np.eye(4)
    matrix[:3, :3] = np.stack([right, np.cross(TO_LIGHT, right), -TO_LIGHT]) / radius
    matrix[:3, 3] = -matrix[:3, :3] @ middle
    return matrix
