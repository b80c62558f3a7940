"""Keys of tracks under the pointer: those of the centre of mass and of pins are dragged in space. Drawn over the
picture: the keys, and the pins of the present frame, coloured by their tension."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from puppet.errors import PuppetError
from puppet.shows import Playback, TrackKey
from puppet.types import Floats
from puppet.window.box import ACCENT, ON_ACCENT, Box, Rgba
from puppet.window.event import LEFT, Event, Move, Press, Release
from puppet.window.interface import PlacedPanel
from puppet.window.paint import Paint
from puppet.window.panels.marks import MarksPanel, Point, ViewMark
from puppet.window.panels.target import Tip
from puppet.window.view import CLICK, View

_MASS = "centre of mass"
KEY: Rgba = (191, 31, 26, 255)
PIN_KEY: Rgba = (168, 44, 110, 255)
SLACK, TIGHT = (70, 132, 62), (200, 40, 30)  # colours of pins that are where they should be, and of those that are not
TIGHTEST = 0.03  # body heights that a pin misses when it is drawn all red
_GRIP = 9.0  # points from its middle within which a key is taken


@dataclass
class _HeldKey:
    """A key whose button is down."""

    key: TrackKey
    pressed: Point
    depth: float  # in front of the eye: it moves in that plane
    place: Floats  # (3,), in the world, where it is dragged to
    begun: bool = False


class TrackKeys:
    def __init__(self, playback: Playback, view: Callable[[], View | None], tell: Callable[[str], None]) -> None:
        self._playback, self._view, self._tell = playback, view, tell
        self._pointer: Point | None = None
        self._held: _HeldKey | None = None
        self._marks, self._tip = MarksPanel(), Tip()

    @property
    def busy(self) -> bool:
        """Whether a key is held."""
        return self._held is not None

    @property
    def under(self) -> TrackKey | None:
        """The key under the pointer."""
        view = self._view()
        if view is None or self._pointer is None:
            return None
        best: tuple[float, TrackKey] | None = None
        for key in self._shown():
            at = view.places(self._world(key)[None])
            away = math.dist(at[0], self._pointer) if at else math.inf
            if away < _GRIP and (best is None or away < best[0]):
                best = away, key
        return best[1] if best is not None else None

    def handle(self, event: Event) -> bool:
        """Whether it was about a key."""
        view = self._view()
        if view is None:
            return False
        match event:
            case Press(x, y) if event.button == LEFT and not event.shift:
                self._pointer = (x, y)
                key = self.under
                if key is None:
                    return False
                self._playback.pause()
                place = self._world(key)
                self._held = _HeldKey(key, (x, y), float(view.project(place)[2]), place)
                return True
            case Move(x, y):
                self._pointer = (x, y)
                if self._held is not None:
                    self._pull(view, x, y)
                return self._held is not None
            case Release() if self._held is not None:
                held, self._held = self._held, None
                if held.begun:
                    self._save(held)
                else:
                    self._playback.seek(held.key.at)
                return True
        return False

    def retime(self, key: TrackKey, at: int) -> None:
        """Moves a key to another frame."""
        self._write(key, None, at)

    def undo(self) -> None:
        """Takes the last change back."""
        self._change(self._playback.undo_key, "There is nothing to undo: no key was moved")

    def redo(self) -> None:
        """Makes the change again that was taken back last."""
        self._change(self._playback.redo_key, "There is nothing to redo: no key was put back")

    def _change(self, change: Callable[[], bool], nothing: str) -> None:
        try:
            if not change():
                self._tell(nothing)
        except (PuppetError, OSError) as error:
            self._tell(str(error))

    def _pull(self, view: View, x: float, y: float) -> None:
        held = self._held
        assert held is not None
        if held.begun or math.dist(held.pressed, (x, y)) >= CLICK:
            held.begun = True
            eye, direction = view.ray(x, y)
            held.place = eye + direction * held.depth / float(direction @ -view.camera.axes[2])

    def _save(self, held: _HeldKey) -> None:
        self._write(held.key, held.place / self._height, None)

    def _write(self, key: TrackKey, place: Floats | None, at: int | None) -> None:
        try:
            self._playback.move_key(key, None if place is None else place.tolist(), at)
        except (PuppetError, OSError) as error:
            self._tell(str(error))

    # ---- what is seen

    def panels(self, paint: Paint, window: Box) -> list[PlacedPanel]:
        view = self._view()
        if view is None or self._playback.performance is None:
            return []
        found = []
        box = self._marks.place([*self._drawn(view)], window)
        if box is not None:
            found.append(PlacedPanel(self._marks, box))
        key = self._held.key if self._held is not None else self.under
        if key is not None and self._pointer is not None:
            name = key.track.replace("_", " ")
            self._tip.words = f"{name} at frame {key.at}: drag to move, click to go there"
            if self._held is not None and self._held.begun:
                x, y, z = self._held.place / self._height
                self._tip.words = f"{name} at frame {key.at}: [{x:.3f}, {y:.3f}, {z:.3f}]"
            found.append(PlacedPanel(self._tip, self._tip.place(paint, *self._pointer, window)))
        return found

    def _drawn(self, view: View) -> Iterator[ViewMark]:
        yield from self._pins(view)
        for key in self._shown():
            at = view.places(self._world(key)[None])
            if at:
                yield ViewMark("disc", at, KEY if key.track == _MASS else PIN_KEY, 5.0)
                yield ViewMark("disc", at, ON_ACCENT, 2.5 if key.at != self._playback.frame else 0.0)
        if self._held is not None and self._held.begun:
            ends = view.places(np.stack([self._world(self._held.key), self._held.place]))
            if ends:
                yield ViewMark("line", ends, ACCENT)
                yield ViewMark("disc", ends[1:], ACCENT, 6.0)

    def _pins(self, view: View) -> Iterator[ViewMark]:
        """The pins that hold in this frame: a line from the part to where it is pinned, and a disc, whose inside is the
        emptier the less the pin's gain is."""
        performance = self._playback.performance
        assert performance is not None
        frame = self._playback.frame
        joints = self._playback.joint_transforms
        for part, pin in performance.pins.items():
            gain = float(pin.gains[frame])
            if gain <= 0.0:
                continue
            color = tension_color(gain * float(pin.misses[frame]))
            joint = joints[performance.body.joint(part), :3]
            ends = view.places(np.stack([joint, pin.places[frame]]))
            if ends:
                yield ViewMark("line", ends, color, 1.6)
                yield ViewMark("disc", ends[1:], color, 7.0)
                yield ViewMark("disc", ends[1:], ON_ACCENT, 5.0 * (1.0 - gain))

    @property
    def _height(self) -> float:
        performance = self._playback.performance
        return performance.body.height if performance is not None else 1.0

    def _shown(self) -> list[TrackKey]:
        """The keys that have a place: all of the centre of mass, of pins only those of this frame."""
        now = self._playback.frame
        return [
            key for key in self._playback.track_keys
            if key.place is not None and (key.track == _MASS or key.at == now)
        ]  # fmt: skip

    def _world(self, key: TrackKey) -> Floats:
        assert key.place is not None
        return self._height * np.array(key.place)


def tension_color(tension: float) -> Rgba:
    """The colour of a pin that misses by so many body heights, times its gain."""
    share = min(1.0, math.sqrt(max(tension, 0.0) / TIGHTEST))
    red, green, blue = (round(a + share * (b - a)) for a, b in zip(SLACK, TIGHT, strict=True))
    return red, green, blue, 255
