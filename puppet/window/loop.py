"""The main loop of a window: events, time, drawing. Only here is the clock read."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from puppet.errors import PuppetError
from puppet.render.context import gl
from puppet.window.display import Display
from puppet.window.event import Resize
from puppet.window.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Iterator

log = logging.getLogger("puppet")
_STAGES = ("events", "advance", "draw", "interface", "swap")
FRAME_SECONDS = 1.0 / 60.0  # seconds between drawings where the screen sets no pace
MAX_SECONDS = 0.25  # that one turn lets pass at most: while the window is dragged the puppet stands still
BACKGROUND = (0.955, 0.935, 0.905, 1.0)


class Loop:
    """Drives a screen, turn by turn, until it closes."""

    def __init__(self, display: Display, screen: Screen, clock: Callable[[], float] = time.perf_counter) -> None:
        self.display, self.screen = display, screen
        self._clock = clock
        self._last = clock()
        self._seconds = dict.fromkeys(_STAGES, 0.0)
        self.drawn = 0  # turns in which something was drawn
        self._stale = True
        self._pointer = "arrow"

    @property
    def milliseconds(self) -> Mapping[str, float]:
        """How long each stage of a turn takes, averaged over about the last second of drawing."""
        return {stage: 1000.0 * seconds for stage, seconds in self._seconds.items()}

    def stale(self) -> None:
        """Makes the next turn draw even if nothing has changed."""
        self._stale = True

    def run(self) -> None:
        try:
            while not self.screen.closing:
                begun = self._clock()
                drew = self.turn()
                rest = FRAME_SECONDS - (self._clock() - begun)
                if rest > 0.001 and not (drew and self.display.paced):
                    self.display.wait(rest)
        finally:
            self.screen.close()

    def turn(self, seconds: float | None = None) -> bool:
        """One turn, with `seconds` instead of the clock's time if given; returns whether anything was drawn."""
        display, now = self.display, self._clock
        spent: dict[str, float] = {}

        @contextmanager
        def stage(name: str) -> Iterator[None]:
            before = now()
            yield
            spent[name] = now() - before

        with stage("events"):
            for event in display.events():
                self._stale |= isinstance(event, Resize)
                with self._showing_errors():
                    self.screen.take(event)
            display.scale = self.screen.scale
        with stage("advance"):
            at = now()
            passed, self._last = at - self._last, at
            with self._showing_errors():
                self.screen.advance(min(passed, MAX_SECONDS) if seconds is None else seconds)
            following = self.screen.next()
            if following is not None:
                events = self.screen.left_over
                self.screen.close()
                self.screen, self._stale = following, True
                for event in events:
                    with self._showing_errors():
                        self.screen.take(event)
        with stage("interface"):
            changed = self.screen.interface.show(self.screen.panels(display.points))
            if self.screen.pointer != self._pointer:
                self._pointer = self.screen.pointer
                display.pointer(self._pointer)
        with stage("draw"):
            changed |= self.screen.draw(display.size) or self._stale
        if not changed:
            return False
        self._stale = False
        with stage("swap"):
            GL = gl()
            GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)
            GL.glViewport(0, 0, *display.size)
            GL.glClearColor(*BACKGROUND)
            GL.glClear(GL.GL_COLOR_BUFFER_BIT)
            self.screen.show()
            self.screen.interface.draw(display.size)
            self.before_swap()
            display.swap()
        self.drawn += 1
        share = 1.0 if self.drawn == 1 else 0.05
        for name, value in spent.items():
            self._seconds[name] += share * (value - self._seconds[name])
        return True

    @contextmanager
    def _showing_errors(self) -> Iterator[None]:
        """Shows errors in the window: one command must not end a performance."""
        try:
            yield
        except PuppetError as error:
            self.screen.show_error(str(error))
        except Exception as error:
            log.exception("puppet: a mistake of the program itself")
            self.screen.show_error(f"a mistake of the program itself: {error!r}")

    def before_swap(self) -> None:
        """A hook for those who read the back buffer, in which the picture is now complete."""
