"""A window without a screen (SDL's offscreen driver) for tests, and fingers to press its keys with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from puppet.errors import PuppetError
from puppet.render.target import Pixels
from puppet.shows import Live, Playback
from puppet.window.box import Box
from puppet.window.display import Display
from puppet.window.loop import Loop
from puppet.window.perform_screen import PerformScreen, PreparedLive
from puppet.window.play_screen import PlayScreen, prepare_motion
from puppet.window.screen import Screen

SIZE = (800, 500)


@contextmanager
def window(size: tuple[int, int] = SIZE, scale: float = 1.0) -> Iterator[Display]:
    before = os.environ.get("SDL_VIDEODRIVER")
    os.environ["SDL_VIDEODRIVER"] = "offscreen"
    try:
        try:
            display = Display("test", size, scale)
        except PuppetError as error:
            pytest.skip(f"no window without a screen here: {error}")
        try:
            yield display
        finally:
            display.close()
    finally:
        os.environ.pop("SDL_VIDEODRIVER")
        if before is not None:
            os.environ["SDL_VIDEODRIVER"] = before


class Hand:
    """What a person does, one turn of the loop at a time. Time stands still unless it is told to pass."""

    def __init__(self, loop: Loop) -> None:
        import pygame

        self.loop, self._pygame = loop, pygame
        pygame.event.clear()

    def key(
        self, text: str = "", name: str = "", control: bool = False, shift: bool = False, seconds: float = 0.0
    ) -> None:
        """A character as the keyboard types it, or a key by its name."""
        pygame = self._pygame
        mods = (pygame.KMOD_LCTRL if control else 0) | (pygame.KMOD_LSHIFT if shift or text.isupper() else 0)
        code = pygame.key.key_code(name) if name else ord(text.lower())
        self._post("KEYDOWN", key=code, unicode=text, mod=mods)
        self._post("KEYUP", key=code, mod=mods)
        self.turn(seconds)

    def move(self, x: float, y: float) -> None:
        self._post("MOUSEMOTION", pos=self._pixels(x, y), rel=(0, 0), buttons=(0, 0, 0))
        self.turn()

    def down(self, x: float, y: float, button: int = 1) -> None:
        self._post("MOUSEBUTTONDOWN", pos=self._pixels(x, y), button=button)
        self.turn()

    def up(self, x: float, y: float, button: int = 1) -> None:
        self._post("MOUSEBUTTONUP", pos=self._pixels(x, y), button=button)
        self.turn()

    def click(self, x: float, y: float) -> None:
        self.move(x, y)
        self.down(x, y)
        self.up(x, y)

    def drag(self, start: tuple[float, float], end: tuple[float, float], button: int = 1) -> None:
        self.move(*start)
        self.down(*start, button)
        self.move(0.5 * (start[0] + end[0]), 0.5 * (start[1] + end[1]))
        self.move(*end)
        self.up(*end, button)

    def press(self, panel: str, zone: str) -> None:
        self.click(*self.zone(panel, zone).middle)

    def wheel(self, steps: int) -> None:
        self._post("MOUSEWHEEL", x=0, y=steps, flipped=False, precise_x=0.0, precise_y=float(steps))
        self.turn()

    def close(self) -> None:
        self._post("QUIT")
        self.turn()

    def zone(self, panel: str, zone: str) -> Box:
        return self.loop.screen.interface.zone(panel, zone)

    def turn(self, seconds: float = 0.0) -> bool:
        """One turn of the loop."""
        return self.loop.turn(seconds)

    def wait(self, seconds: float) -> None:
        """Time passes, in steps of a frame, and nothing is drawn until the end."""
        for _ in range(round(seconds * 30)):
            self.loop.screen.advance(1 / 30)
        self.turn()

    def look(self) -> Pixels:
        """What the window shows."""
        seen: list[Pixels] = []
        self.loop.before_swap = lambda: seen.append(np.array(self.loop.display.read()))  # type: ignore[method-assign]
        self.loop.stale()
        self.loop.turn(0.0)
        del self.loop.before_swap  # the method is there again
        return seen[-1]

    def _pixels(self, x: float, y: float) -> tuple[int, int]:
        scale = self.loop.display.scale
        return round(x * scale), round(y * scale)

    def _post(self, kind: str, **values: Any) -> None:
        pygame = self._pygame
        pygame.event.post(pygame.event.Event(getattr(pygame, kind), **values))


@contextmanager
def running(display: Display, make: Callable[[Callable[[], Any]], Screen]) -> Iterator[Hand]:
    """The loop of a screen."""
    loop: Loop
    screen = make(lambda: loop.milliseconds)
    loop = Loop(display, screen)
    hand = Hand(loop)
    hand.turn()
    try:
        yield hand
    finally:
        loop.screen.close()


@contextmanager
def performing(display: Display, live: Live) -> Iterator[tuple[Hand, PerformScreen]]:
    from puppet.render.model import stage_model

    show = PreparedLive(live, stage_model(live.body, live.scene, len(live.acting[0])), "test")
    with running(display, lambda times: PerformScreen(show, display.scale, display.size, times)) as hand:
        screen = hand.loop.screen
        assert isinstance(screen, PerformScreen)
        screen.pace.patience = 60.0  # a test has time: the frame in which something begins is the next one
        yield hand, screen


@contextmanager
def playing(display: Display, source: Path) -> Iterator[tuple[Hand, PlayScreen]]:
    player = Playback(source, draft=True)
    ready = prepare_motion(player)
    with running(display, lambda times: PlayScreen(player, ready, display.scale, display.size, times)) as hand:
        screen = hand.loop.screen
        assert isinstance(screen, PlayScreen)
        yield hand, screen


def place_of(screen: PerformScreen, name: str) -> tuple[float, float]:
    x, y, _ = screen.view.project(screen.live.frame.objects[name].position)
    return float(x), float(y)


def given(screen: PerformScreen) -> list[object]:
    return [entry.command for entry in screen.live.take.given]
