"""An OpenGL 3.3 context without a window: EGL on Linux, a hidden window elsewhere.

PyOpenGL picks its platform when it is first imported, so every module that needs OpenGL gets it from here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

from puppet.errors import PuppetError

_NEEDED = {
    "linux": "install the software renderer: apt-get install libegl1 libgl1 (Debian, Ubuntu), "
    "dnf install mesa-libEGL mesa-libGL mesa-dri-drivers (Fedora)",
    "darwin": "macOS gives it to programs in a user's session; run puppet in one",
    "win32": "install the graphics card's driver",
}
_SURFACELESS, _DEVICE = 0x31DD, 0x313F  # EGL_PLATFORM_SURFACELESS_MESA, EGL_PLATFORM_DEVICE_EXT
_MAJOR, _MINOR, _PROFILE, _CORE = 0x3098, 0x30FB, 0x30FD, 0x1  # of EGL_KHR_create_context
_MANY_DEVICES = 16


def gl() -> ModuleType:
    """PyOpenGL's GL module. It draws to the context that is current, whoever made it."""
    _choose()
    try:
        from OpenGL import GL
    except (ImportError, AttributeError, OSError, TypeError):  # what PyOpenGL raises where there is no library
        raise PuppetError(_missing("libGL cannot be loaded")) from None
    module: ModuleType = GL
    return module


class HeadlessContext:
    """A current context without a window, one at a time in a thread; `close` releases it."""

    def __init__(self) -> None:
        _choose()
        self._close: Any = _open_egl() if sys.platform.startswith("linux") else _open_hidden_window()

    def close(self) -> None:
        if self._close is not None:
            self._close()
            self._close = None

    def __enter__(self) -> HeadlessContext:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _choose() -> None:
    if "OpenGL" in sys.modules:
        return
    if sys.platform.startswith("linux"):
        # Its other platforms work with one kind of window only; functions that EGL finds work with every kind.
        os.environ.setdefault("PYOPENGL_PLATFORM", "egl")
    try:
        import OpenGL
    except ImportError:
        raise PuppetError("pictures need PyOpenGL: pip install PyOpenGL") from None
    OpenGL.ERROR_ON_COPY = True  # with it, nothing is copied behind our back,
    OpenGL.STORE_POINTERS = False  # and nothing is kept by a context that PyOpenGL may fail to recognize


def _missing(what: str) -> str:
    platform = "linux" if sys.platform.startswith("linux") else sys.platform
    return f"pictures cannot be drawn here: {what}; {_NEEDED.get(platform, 'install OpenGL 3.3')}"


def _open_egl() -> Any:
    try:
        from OpenGL import EGL
    except (ImportError, AttributeError, OSError, TypeError):
        raise PuppetError(_missing("libEGL cannot be loaded")) from None
    failures = []
    for name, display in _displays(EGL):
        try:
            return _current_on(EGL, display())
        except Exception as error:
            failures.append(f"{name}: {_reason(error)}")
    raise PuppetError(_missing("no EGL display gives OpenGL 3.3" + (f" ({'; '.join(failures)})" if failures else "")))


def _displays(EGL: Any) -> list[tuple[str, Callable[[], Any]]]:
    """The EGL displays that need no window, in the order in which to try them: names, and functions that open them."""
    import ctypes

    found: list[tuple[str, Callable[[], Any]]] = []
    try:
        raw = EGL.eglQueryString(EGL.EGL_NO_DISPLAY, EGL.EGL_EXTENSIONS) or b""
    except Exception:  # of PyOpenGL: an EGL without a driver does not even know what it can do
        raw = b""
    extensions = raw.decode().split()
    from OpenGL.EGL.EXT.device_base import eglQueryDevicesEXT
    from OpenGL.EGL.EXT.platform_base import eglGetPlatformDisplayEXT

    by_platform = "EGL_EXT_platform_base" in extensions
    if by_platform and "EGL_MESA_platform_surfaceless" in extensions:
        found.append(("surfaceless", lambda: eglGetPlatformDisplayEXT(_SURFACELESS, None, None)))
    if by_platform and "EGL_EXT_platform_device" in extensions and eglQueryDevicesEXT:
        devices, count = (EGL.EGLDeviceEXT * _MANY_DEVICES)(), EGL.EGLint()
        try:
            eglQueryDevicesEXT(_MANY_DEVICES, devices, ctypes.pointer(count))
        except Exception:  # the same
            count.value = 0
        for n in range(count.value):
            found.append((f"device {n}", partial(eglGetPlatformDisplayEXT, _DEVICE, devices[n], None)))
    found.append(("default display", lambda: EGL.eglGetDisplay(EGL.EGL_DEFAULT_DISPLAY)))
    return found


def _current_on(EGL: Any, display: Any) -> Any:
    """Makes a context current on a display; returns the function that closes it."""
    major, minor = EGL.EGLint(), EGL.EGLint()
    if not EGL.eglInitialize(display, major, minor):
        raise RuntimeError("cannot be initialized")
    EGL.eglBindAPI(EGL.EGL_OPENGL_API)
    kinds = (EGL.EGL_SURFACE_TYPE, EGL.EGL_PBUFFER_BIT, EGL.EGL_RENDERABLE_TYPE, EGL.EGL_OPENGL_BIT, EGL.EGL_NONE)
    configs, count = (EGL.EGLConfig * 1)(), EGL.EGLint()
    EGL.eglChooseConfig(display, (EGL.EGLint * len(kinds))(*kinds), configs, 1, count)
    wanted = (_MAJOR, 3, _MINOR, 3, _PROFILE, _CORE, EGL.EGL_NONE)
    config = configs[0] if count.value else None  # without one where the display needs none
    context = EGL.eglCreateContext(display, config, EGL.EGL_NO_CONTEXT, (EGL.EGLint * len(wanted))(*wanted))
    if not context or not EGL.eglMakeCurrent(display, EGL.EGL_NO_SURFACE, EGL.EGL_NO_SURFACE, context):
        raise RuntimeError("gives no context of OpenGL 3.3")

    def close() -> None:
        EGL.eglMakeCurrent(display, EGL.EGL_NO_SURFACE, EGL.EGL_NO_SURFACE, EGL.EGL_NO_CONTEXT)
        EGL.eglDestroyContext(display, context)

    return close


def _open_hidden_window() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError:
        raise PuppetError("pictures need pygame: pip install pygame") from None
    was_open = pygame.display.get_init()
    try:
        pygame.display.init()
        for attribute, value in (
            (pygame.GL_CONTEXT_MAJOR_VERSION, 3),
            (pygame.GL_CONTEXT_MINOR_VERSION, 3),
            (pygame.GL_CONTEXT_PROFILE_MASK, pygame.GL_CONTEXT_PROFILE_CORE),
            (pygame.GL_CONTEXT_FORWARD_COMPATIBLE_FLAG, 1),  # macOS gives a core profile only so
        ):
            pygame.display.gl_set_attribute(attribute, value)
        pygame.display.set_mode((64, 64), pygame.OPENGL | pygame.HIDDEN)
    except pygame.error as error:
        raise PuppetError(_missing(f"no window with OpenGL 3.3 can be opened ({error})")) from None

    def close() -> None:
        if not was_open:
            pygame.display.quit()

    return close


def _reason(error: Exception) -> str:
    """The code of an error: the messages of PyOpenGL are pages long."""
    code = getattr(error, "err", None)
    return str(getattr(code, "name", code) if code is not None else error).splitlines()[0]
