"""Makes the pictures of docs/window.md: `python docs/make_window.py`, in a window without a screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

os.environ["SDL_VIDEODRIVER"] = "offscreen"
FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
SIZE = (1280, 720)


def main() -> None:
    from puppet.shows import Live, Playback
    from puppet.window.display import Display
    from puppet.window.perform_screen import PerformScreen, PreparedLive
    from puppet.window.play_screen import PlayScreen, prepare_motion

    display = Display("pictures", SIZE, 1.0)
    live = Live("blocks")
    show = PreparedLive.of(live, "blocks")
    loop = open_loop(display, lambda times: PerformScreen(show, 1.0, display.size, times))
    live.give("set overlap partial")
    live.give("reach yellow with left")
    wait(live.advance, 50)
    live.give("lock left")
    live.give("reach space 1 with left")
    wait(live.advance, 12)
    live.give("reach blue with right")
    live.give("scratch head with left")
    wait(live.advance, 10)
    take(loop, "window.png")
    loop.screen.do("help")
    take(loop, "window_keys.png")
    loop.screen.close()

    player = Playback("coffee")
    ready = prepare_motion(player)
    loop = open_loop(display, lambda times: PlayScreen(player, ready, 1.0, display.size, times))
    player.pause()
    player.seek(round(0.43 * player.count))
    take(loop, "window_play.png")
    loop.screen.close()
    display.close()


def open_loop(display: Any, make: Callable[[Callable[[], Any]], Any]) -> Any:
    from puppet.window.loop import Loop

    loop = Loop(display, make(lambda: loop.milliseconds))
    return loop


def wait(advance: Callable[[float], object], frames: int) -> None:
    for _ in range(frames):
        advance(1 / 30)


def take(loop: Any, name: str) -> None:
    """A turn of the loop, as it is seen."""
    from PIL import Image

    seen: list[Any] = []
    loop.before_swap = lambda: seen.append(np.ascontiguousarray(loop.display.read()))
    loop.stale()
    loop.turn(0.0)
    Image.fromarray(seen[-1]).save(FOLDER / name, optimize=True)
    print(FOLDER / name)


if __name__ == "__main__":
    main()
