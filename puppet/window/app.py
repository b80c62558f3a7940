"""Opens the window and runs it: `puppet perform` and `puppet play` from Python."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from puppet.body import Body
from puppet.shows import Live, Playback
from puppet.window.display import Display
from puppet.window.loop import Loop
from puppet.window.perform import PerformScreen, Show
from puppet.window.playing import PlayScreen, Ready, load
from puppet.window.preparing import Preparing
from puppet.window.screen import Screen
from puppet.window.worker import BackgroundTask

SIZE = (1280, 720)  # points
ONCE = "once after the installation the posture generator is compiled: some ten seconds"
DEFAULT_ENVIRONMENT = "blocks"


def perform(
    environment: str | Path | None = None,
    keys: str | Path = "thesis",
    record: str | Path | None = None,
    over: str | Path | None = None,
    draft: bool = False,
    fps: float | None = None,
    gestures: Iterable[str | Path] = (),
    body: Body | None = None,
    size: tuple[int, int] = SIZE,
    scale: float | None = None,
) -> Mapping[str, float]:
    """Puppeteer live until the window is closed. Gives the milliseconds of each stage of a frame."""
    display = Display("puppet", size, scale)
    try:
        loop = open_perform(display, environment, keys, record, over, draft, fps, tuple(gestures), body)
        loop.run()
        return loop.milliseconds
    finally:
        display.close()


def open_perform(
    display: Display, environment: str | Path | None = None, keys: str | Path = "thesis",
    record: str | Path | None = None, over: str | Path | None = None, draft: bool = False, fps: float | None = None,
    gestures: tuple[str | Path, ...] = (), body: Body | None = None,
) -> Loop:  # fmt: skip
    """The loop of a window that prepares a performance, and then is one."""
    if environment is None and over is None:
        environment = DEFAULT_ENVIRONMENT

    def make() -> Show:
        live = Live(
            environment, body=body, gestures=gestures, keymap=keys, draft=draft, fps=fps, take=record, under=over,
            clock=time.perf_counter,
        )  # fmt: skip
        return Show.of(live, title)

    def follow(show: Show, scale: float) -> Screen:
        return PerformScreen(show, scale, display.size, lambda: loop.milliseconds)

    title = Path(environment if environment is not None else str(over)).stem
    display.title(f"puppet: {title}")
    preparing = Preparing(display.scale, BackgroundTask(make), follow, "Preparing the puppet", ONCE)
    loop = Loop(display, preparing)
    return loop


def play(
    source: str | Path,
    environment: str | Path | None = None,
    draft: bool = False,
    loop: bool = False,
    gestures: Iterable[str | Path] = (),
    body: Body | None = None,
    size: tuple[int, int] = SIZE,
    scale: float | None = None,
) -> Mapping[str, float]:
    """Watch a script's performance or a BVH file until the window is closed."""
    player = Playback(source, environment=environment, body=body, draft=draft, gestures=tuple(gestures))
    player.loop = loop
    display = Display("puppet", size, scale)
    try:
        running = open_script(display, player)
        running.run()
        return running.milliseconds
    finally:
        display.close()


def open_script(display: Display, player: Playback) -> Loop:
    """The loop of a window that loads a motion, and then plays it."""

    def follow(ready: Ready, scale: float) -> Screen:
        return PlayScreen(player, ready, scale, display.size, lambda: loop.milliseconds)

    display.title(f"puppet: {player.source.name}")
    loading = BackgroundTask(lambda: load(player))
    preparing = Preparing(display.scale, loading, follow, f"Loading {player.source.name}", ONCE)
    loop = Loop(display, preparing)
    return loop
