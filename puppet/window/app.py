"""Opens the window and runs it: what `puppet perform` and `puppet play` do, from Python."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from puppet.arguments import listed
from puppet.body import Body
from puppet.shows import Live, Playback
from puppet.window import DEFAULT_SIZE
from puppet.window.background_task import BackgroundTask
from puppet.window.display import Display
from puppet.window.loop import Loop
from puppet.window.perform_screen import PerformScreen, PreparedLive
from puppet.window.play_screen import PlayScreen, PreparedMotion, prepare_motion
from puppet.window.preparing_screen import PreparingScreen
from puppet.window.screen import Screen

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
    size: tuple[int, int] = DEFAULT_SIZE,
    scale: float | None = None,
) -> Mapping[str, float]:
    """Performs live until the window is closed; returns the milliseconds of each stage of a frame."""
    display = Display("puppet", size, scale)
    try:
        loop = open_perform(display, environment, keys, record, over, draft, fps, listed(gestures, (str, Path)), body)
        loop.run()
        return loop.milliseconds
    finally:
        display.close()


def open_perform(
    display: Display, environment: str | Path | None = None, keys: str | Path = "thesis",
    record: str | Path | None = None, over: str | Path | None = None, draft: bool = False, fps: float | None = None,
    gestures: tuple[str | Path, ...] = (), body: Body | None = None,
) -> Loop:  # fmt: skip
    """The loop of a window that prepares a live performance, then shows it."""
    if environment is None and over is None:
        environment = DEFAULT_ENVIRONMENT

    def make() -> PreparedLive:
        live = Live(
            environment, body=body, gestures=gestures, keymap=keys, draft=draft, fps=fps, take=record, under=over,
            clock=time.perf_counter,
        )  # fmt: skip
        return PreparedLive.of(live, title)

    def follow(show: PreparedLive, scale: float) -> Screen:
        return PerformScreen(show, scale, display.size, lambda: loop.milliseconds)

    title = Path(environment if environment is not None else str(over)).stem
    display.title(f"puppet: {title}")
    preparing = PreparingScreen(display.scale, BackgroundTask(make), follow, "Preparing the puppet", ONCE)
    loop = Loop(display, preparing)
    return loop


def play(
    source: str | Path,
    environment: str | Path | None = None,
    draft: bool = False,
    loop: bool = False,
    gestures: Iterable[str | Path] = (),
    body: Body | None = None,
    size: tuple[int, int] = DEFAULT_SIZE,
    scale: float | None = None,
) -> Mapping[str, float]:
    """Plays a script's performance or a BVH file until the window is closed."""
    playback = Playback(source, environment=environment, body=body, draft=draft, gestures=gestures)
    playback.loop = loop
    display = Display("puppet", size, scale)
    try:
        running = open_play(display, playback)
        running.run()
        return running.milliseconds
    finally:
        display.close()


def open_play(display: Display, playback: Playback) -> Loop:
    """The loop of a window that loads a motion, and then plays it."""

    def follow(ready: PreparedMotion, scale: float) -> Screen:
        return PlayScreen(playback, ready, scale, display.size, lambda: loop.milliseconds)

    display.title(f"puppet: {playback.source.name}")
    loading = BackgroundTask(lambda: prepare_motion(playback))
    preparing = PreparingScreen(display.scale, loading, follow, f"Loading {playback.source.name}", ONCE)
    loop = Loop(display, preparing)
    return loop
