"""Makes the pictures of the window: `python docs/make_window.py`, in a window without a screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

os.environ["SDL_VIDEODRIVER"] = "offscreen"
FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
SIZE = (1280, 720)


def main() -> None:
    from puppet.body import Body
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

    live = Live("blocks", body=Body.load("person"))
    show = PreparedLive.of(live, "blocks")
    loop = open_loop(display, lambda times: PerformScreen(show, 1.0, display.size, times))
    for line in ("unpin pelvis", "drag pelvis by (0, 0.2, 0.1), speed 40", "pin left hand, gain 0.5"):
        live.give(line)
    wait(live.advance, 45)
    loop.turn(0.0)
    loop.screen.do("reset")
    pull(loop, "right_hand", (-0.06, 0.0, 0.0), (-75, -228))
    take(loop, "window_body.png")
    loop.screen.close()

    for source, part, name in (("coffee", 0.43, "window_play.png"), ("jump.tracks.yaml", 0.6, "window_tracks.png")):
        player = Playback(source)
        play = partial(PlayScreen, player, prepare_motion(player), 1.0, display.size)
        loop = open_loop(display, play)
        player.pause()
        player.seek(round(part * player.count))
        take(loop, name)
        loop.screen.close()
    display.close()


def pull(loop: Any, part: str, point: tuple[float, float, float], by: tuple[int, int]) -> None:
    """Takes hold of a part with the pointer and moves it, so many points a frame for a second."""
    from puppet.window.event import Move, Press

    screen = loop.screen
    screen.panels(loop.display.points)  # places the view
    joint = screen.live.joint_transforms[screen.live.body.joint(part)]
    x, y, _ = screen.view.project(joint[:3] + joint[3:].reshape(3, 3) @ np.array(point))
    screen.take(Press(x, y))
    for n in range(1, 31):
        screen.take(Move(x + n / 30 * by[0], y + n / 30 * by[1]))
        screen.advance(1 / 30)


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
