"""Shader programs, read from the folder beside this module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from puppet.errors import PuppetError

_SHADERS = Path(__file__).parent / "shaders"


class ShaderProgram:
    """A vertex and a fragment shader, each joined from several files, shared ones first."""

    def __init__(self, GL: Any, vertex: tuple[str, ...], fragment: tuple[str, ...]) -> None:
        self._gl = GL
        self._id = GL.glCreateProgram()
        for kind, files in ((GL.GL_VERTEX_SHADER, vertex), (GL.GL_FRAGMENT_SHADER, fragment)):
            name = files[-1]
            text = "#version 330 core\n" + "".join((_SHADERS / file).read_text("utf-8") for file in files)
            shader = GL.glCreateShader(kind)
            GL.glShaderSource(shader, text)
            GL.glCompileShader(shader)
            if not GL.glGetShaderiv(shader, GL.GL_COMPILE_STATUS):
                raise PuppetError(f"the graphics driver refuses {name}: {_log(GL.glGetShaderInfoLog(shader))}")
            GL.glAttachShader(self._id, shader)
            GL.glDeleteShader(shader)  # gone with the program
        GL.glLinkProgram(self._id)
        if not GL.glGetProgramiv(self._id, GL.GL_LINK_STATUS):
            raise PuppetError(f"the graphics driver refuses {fragment[-1]}: {_log(GL.glGetProgramInfoLog(self._id))}")
        self._places: dict[str, int] = {}

    def use(self, **uniforms: ArrayLike) -> None:
        """Makes it current and sets uniforms: ints, floats, vectors, row-major matrices."""
        GL = self._gl
        GL.glUseProgram(self._id)
        for name, value in uniforms.items():
            if name not in self._places:
                self._places[name] = GL.glGetUniformLocation(self._id, name)
            place = self._places[name]
            if isinstance(value, (bool, int)):
                GL.glUniform1i(place, int(value))
            elif isinstance(value, float):
                GL.glUniform1f(place, value)
            else:
                array = np.ascontiguousarray(value, dtype=np.float32)
                if array.ndim == 2:
                    GL.glUniformMatrix4fv(place, 1, GL.GL_TRUE, array)
                else:
                    {2: GL.glUniform2fv, 3: GL.glUniform3fv}[len(array)](place, 1, array)

    def close(self) -> None:
        self._gl.glDeleteProgram(self._id)


def _log(text: bytes | str) -> str:
    return (text.decode(errors="replace") if isinstance(text, bytes) else text).strip()
