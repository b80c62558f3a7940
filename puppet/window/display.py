"""The window itself: opens it with OpenGL 3.3, translates its events, shows and reads its pixels."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from puppet.errors import PuppetError
from puppet.render.context import gl
from puppet.render.target import Pixels
from puppet.window.event import (
    LEFT,
    MIDDLE,
    RIGHT,
    Close,
    Event,
    Key,
    Leave,
    Move,
    Press,
    Release,
    Resize,
    Wheel,
)  # fmt: skip

ALTERNATIVE = "without a window, puppet run SCRIPT -o FILE writes movies, pictures and motion files"
HEADLESS_DRIVERS = ("offscreen", "dummy", "evdev")  # SDL falls back on these, asked or not
_REQUIREMENTS = {
    "linux": "a desktop (DISPLAY or WAYLAND_DISPLAY is set there) and OpenGL 3.3: apt-get install libegl1 libgl1",
    "darwin": "a user's session on the desktop",
    "win32": "a desktop and the graphics card's driver",
}
_FORCE_EGL = "SDL_VIDEO_X11_FORCE_EGL"
_BUTTONS = {1: LEFT, 2: MIDDLE, 3: RIGHT}


class Display:
    """One window. Coordinates in its events are pixels divided by `scale`."""

    def __init__(self, title: str, size: tuple[int, int], scale: float | None = None) -> None:
        """`size` in points; `scale`: pixels to a point, chosen by the screen's size if None."""
        self._pygame = pygame = _pygame()
        self._down: set[int] = set()  # keys that are held
        self._waiting: list[Any] = []
        try:
            pygame.display.init()
            if pygame.display.get_driver() in HEADLESS_DRIVERS and "SDL_VIDEODRIVER" not in os.environ:
                raise pygame.error("there is no screen")
            self.scale = scale or _scale_of(pygame.display.get_desktop_sizes())
            pixels = (round(size[0] * self.scale), round(size[1] * self.scale))
            pygame.display.set_caption(title)
            try:
                self._open(pixels)
            except pygame.error:  # a driver of X11 that has no EGL
                if os.environ.pop(_FORCE_EGL, None) is None:
                    raise
                pygame.display.quit()
                pygame.display.init()
                self._open(pixels)
            self._gl = gl()
            self._gl.glGetString(self._gl.GL_VERSION)
        except pygame.error as error:
            pygame.display.quit()
            raise PuppetError(_no_window(str(error))) from None
        except PuppetError:
            pygame.display.quit()
            raise
        pygame.key.set_repeat(350, 60)

    def _open(self, size: tuple[int, int]) -> None:
        pygame = self._pygame
        for name, value in (
            ("MAJOR_VERSION", 3),
            ("MINOR_VERSION", 3),
            ("PROFILE_MASK", pygame.GL_CONTEXT_PROFILE_CORE),
            ("FORWARD_COMPATIBLE_FLAG", 1),  # macOS gives a core profile only so
        ):
            pygame.display.gl_set_attribute(getattr(pygame, f"GL_CONTEXT_{name}"), value)
        pygame.display.gl_set_attribute(pygame.GL_ALPHA_SIZE, 0)  # some desktops would see through the window
        flags = pygame.OPENGL | pygame.DOUBLEBUF | pygame.RESIZABLE
        try:
            pygame.display.set_mode(size, flags, vsync=1)
            self.paced = True  # to swap waits for the screen
        except pygame.error:  # a driver that cannot wait
            pygame.display.set_mode(size, flags)
            self.paced = False

    @property
    def size(self) -> tuple[int, int]:
        """In pixels."""
        width, height = self._pygame.display.get_window_size()
        return max(1, width), max(1, height)

    @property
    def points(self) -> tuple[float, float]:
        width, height = self.size
        return width / self.scale, height / self.scale

    def title(self, text: str) -> None:
        self._pygame.display.set_caption(text)

    def pointer(self, shape: str) -> None:
        """arrow, hand, or move."""
        pygame = self._pygame
        shapes = {"hand": pygame.SYSTEM_CURSOR_HAND, "move": pygame.SYSTEM_CURSOR_SIZEALL}
        try:
            pygame.mouse.set_cursor(shapes.get(shape, pygame.SYSTEM_CURSOR_ARROW))
        except pygame.error:  # a screen without pointers
            return

    def wait(self, seconds: float) -> None:
        """Waits for an event, for at most so many seconds."""
        first = self._pygame.event.wait(max(1, round(1000.0 * seconds)))
        if first.type != self._pygame.NOEVENT:
            self._waiting.append(first)

    def events(self) -> list[Event]:
        """The events since the last call."""
        raw, self._waiting = [*self._waiting, *self._pygame.event.get()], []
        found = [self._event(entry) for entry in raw]
        return [event for event in found if event is not None]

    def swap(self) -> None:
        """Shows what was drawn."""
        self._pygame.display.flip()

    def read(self) -> Pixels:
        """The pixels of the back buffer, (height, width, 3), the upper row first."""
        GL, (width, height) = self._gl, self.size
        pixels = np.empty((height, width, 3), dtype=np.uint8)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, 0)
        GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
        GL.glReadPixels(0, 0, width, height, GL.GL_RGB, GL.GL_UNSIGNED_BYTE, pixels)
        return pixels[::-1]

    def close(self) -> None:
        self._pygame.display.quit()

    def _event(self, raw: Any) -> Event | None:
        pygame = self._pygame
        kind = raw.type
        if kind == pygame.QUIT:
            return Close()
        if kind == pygame.KEYDOWN:
            again = raw.key in self._down
            self._down.add(raw.key)
            return key_event(pygame, raw, again)
        if kind == pygame.KEYUP:
            self._down.discard(raw.key)
            return None
        if kind == pygame.MOUSEMOTION:
            return Move(*self._at(raw))
        if kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
            if raw.button not in _BUTTONS:
                return None
            if kind == pygame.MOUSEBUTTONUP:
                return Release(*self._at(raw), _BUTTONS[raw.button])
            return Press(*self._at(raw), _BUTTONS[raw.button], bool(pygame.key.get_mods() & pygame.KMOD_SHIFT))
        if kind == pygame.MOUSEWHEEL:
            x, y = pygame.mouse.get_pos()
            steps = float(getattr(raw, "precise_y", raw.y))
            return Wheel(x / self.scale, y / self.scale, -steps if getattr(raw, "flipped", False) else steps)
        if kind == pygame.WINDOWLEAVE:
            return Leave()
        if kind in (pygame.VIDEORESIZE, pygame.WINDOWSIZECHANGED):
            return Resize(*self.size)
        return None

    def _at(self, raw: Any) -> tuple[float, float]:
        return raw.pos[0] / self.scale, raw.pos[1] / self.scale


def key_event(pygame: Any, raw: Any, again: bool = False) -> Key:
    """The event of a key press. Control with Alt is AltGr on many keyboards: it types a character."""
    mods = getattr(raw, "mod", 0)
    third = mods & pygame.KMOD_MODE or (mods & pygame.KMOD_CTRL and mods & pygame.KMOD_ALT)
    control = bool(mods & (pygame.KMOD_CTRL | pygame.KMOD_META)) and not third
    text = getattr(raw, "unicode", "") or ""
    types = len(text) == 1 and text.isprintable() and not text.isspace() and not control
    return Key(pygame.key.name(raw.key), text if types else "", control, bool(mods & pygame.KMOD_SHIFT), again)


def _pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    os.environ.setdefault("SDL_WINDOWS_DPI_AWARENESS", "permonitorv2")  # pixels, not points blown up
    if sys.platform.startswith("linux"):
        os.environ.setdefault(_FORCE_EGL, "1")  # PyOpenGL finds its functions by EGL
    try:
        import pygame
    except ImportError:
        raise PuppetError(f"the window needs pygame: pip install pygame; {ALTERNATIVE}") from None
    return pygame


def _no_window(reason: str) -> str:
    platform = "linux" if sys.platform.startswith("linux") else sys.platform
    needed = _REQUIREMENTS.get(platform, "a desktop and OpenGL 3.3")
    return f"no window can be opened here ({reason}); it needs {needed}; {ALTERNATIVE}"


def _scale_of(desktops: list[tuple[int, int]]) -> float:
    """Pixels to a point: on a screen with many pixels they are small."""
    height = min((size[1] for size in desktops), default=0)
    return 2.0 if height >= 2000 else 1.5 if height >= 1500 else 1.0
