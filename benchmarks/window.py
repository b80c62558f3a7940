"""What a frame of the window costs besides drawing, and how soon a key moves it. Run: python -m benchmarks.window

It performs in a window without a screen (SDL's offscreen driver), the puppet always moving, all panels open. Times are
the processor's own in the thread that draws. What a graphics card does is left out: the picture itself is not drawn.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict

import numpy as np

os.environ.setdefault("SDL_VIDEODRIVER", "offscreen")

SCENE = "blocks"
KEYS = "2AGSHDJFK"  # both hands, from one thing to the next
FRAME = 1 / 30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--keys", type=int, default=40, metavar="N", help="how many keys are pressed")
    count = parser.parse_args().keys

    import pygame

    from puppet.shows import Live
    from puppet.window.display import Display
    from puppet.window.loop import Loop
    from puppet.window.overlay import Overlay
    from puppet.window.perform_screen import PerformScreen, PreparedLive

    display = Display("benchmark", (1280, 720), 1.0)
    show = PreparedLive.of(Live(SCENE, clock=time.perf_counter), SCENE)
    loop: Loop
    screen = PerformScreen(show, 1.0, display.size, lambda: loop.milliseconds)
    loop = Loop(display, screen)
    loop.turn(0.0)
    spent: dict[str, list[float]] = defaultdict(list)
    uploads = [0.0]
    put = Overlay.put

    def timed(self: Overlay, name: str, surface: pygame.Surface) -> None:
        before = time.thread_time()
        put(self, name, surface)
        uploads[0] += time.thread_time() - before

    Overlay.put = timed  # type: ignore[method-assign]
    screen.draw = lambda size: False  # type: ignore[method-assign]
    late = []
    for n in range(count):
        key = KEYS[n % len(KEYS)]
        angles = screen.live.frame.angles
        idle = screen.live.stage.idle
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=ord(key.lower()), unicode=key, mod=0))
        pygame.event.post(pygame.event.Event(pygame.KEYUP, key=ord(key.lower()), mod=0))
        moved, posted = 0.0, time.perf_counter()
        for turn in range(1, 13):
            uploads[0] = 0.0
            before = time.thread_time()
            events = display.events()
            for event in events:
                screen.take(event)
            heard = time.thread_time()
            screen.advance(FRAME)
            advanced = time.thread_time()
            screen.interface.show(screen.panels(display.points))
            shown = time.thread_time()
            screen.interface.draw(display.size)
            display.swap()
            spent["events"].append(heard - before)
            spent["first frame of a task" if turn == 1 else "advance"].append(advanced - heard)
            spent["panels"].append(shown - advanced - uploads[0])
            spent["panels to the graphics card"].append(uploads[0])
            if not moved and not np.array_equal(angles, screen.live.frame.angles):
                moved = time.perf_counter() - posted
        screen.pace.finish()
        if idle and key != "2" and moved:
            late.append(1e3 * moved)
        while n % 3 == 2 and not screen.live.stage.idle:  # let it rest, so that keys meet it at rest too
            screen.advance(FRAME)
    print(f"{'stage':32}{'median ms':>12}{'95 % ms':>12}")
    for name, values in spent.items():
        low, high = 1e3 * np.percentile(values, [50, 95])
        print(f"{name:32}{low:12.2f}{high:12.2f}")
    low, high = np.percentile(late, [50, 95])
    print(f"{'key to first moved frame (wall)':32}{low:12.2f}{high:12.2f}   {len(late)} keys, the puppet at rest")
    screen.close()
    display.close()


if __name__ == "__main__":
    main()
