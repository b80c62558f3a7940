"""Transport controls: a bar to scrub along, with the tasks above it, and buttons to play, step, loop and so on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial

from puppet.clip import EditSession
from puppet.command import MAX_FRAMES
from puppet.shows import PLAYBACK_SPEEDS, Playback, TrackKey
from puppet.window.box import ACCENT, FAINT, INK, ON_ACCENT, PAD, QUIET, SMALL, TEXT, Box, hand_color
from puppet.window.paint import Paint
from puppet.window.panel import Panel, Zone
from puppet.window.view import CAMERAS

_LANE = 8.0
SPEED_WORDS = {0.25: "1/4", 0.5: "1/2", 1.0: "1x", 2.0: "2x"}
CAMERA_WORDS = dict(zip(CAMERAS, ("Front", "Side", "Top", "Corner"), strict=True))


@dataclass(frozen=True)
class Lane:
    """The tasks of one hand, or of one track: first and last frame of each."""

    hand: str
    spans: tuple[tuple[int, int], ...]
    keys: tuple[TrackKey, ...] = ()  # that can be dragged along it

    def room(self, key: TrackKey) -> tuple[int, int]:
        """The first and the last frame for a key between the others."""
        before = [other.at for other in self.keys if other.at < key.at]
        after = [other.at for other in self.keys if other.at > key.at]
        return max(before, default=-1) + 1, min(after, default=MAX_FRAMES + 1) - 1


class TransportPanel(Panel):
    name = "transport"

    def __init__(self, playback: Playback, do: Callable[[str], None], retime: Callable[[TrackKey, int], None]) -> None:
        super().__init__()
        self._playback, self._do, self._retime = playback, do, retime
        self._held: tuple[TrackKey, int] | None = None  # a key that is dragged along its track, and where to
        self.lanes: tuple[Lane, ...] = ()
        self.camera = ""
        self._was_playing = False  # when the bar was grabbed

    def key(self) -> Hashable:
        p = self._playback
        return p.frame, p.count, p.playing, p.loop, p.speed, self.camera, self.lanes, self._held, self.hovered

    def height(self, width: float) -> float:
        return 2 * PAD + _LANE * len(self.lanes) + 20.0 + 28.0

    def draw(self, paint: Paint, box: Box) -> None:
        self.sheet(paint, box)
        p = self._playback
        bar = Box(PAD + 6.0, PAD, box.width - 2 * PAD - 12.0, _LANE * len(self.lanes) + 16.0)
        self._draw_bar(paint, bar)
        y, high = bar.bottom + 6.0, 24.0
        narrow = box.width < 900.0
        wide = 44.0 if narrow else 54.0
        x = PAD
        buttons = [("first", "|<", 28.0), ("back", "<", 28.0), ("pause", "Pause" if p.playing else "Play", wide + 8.0),
                   ("step", ">", 28.0), ("last", ">|", 28.0), ("loop", "Loop", wide)]  # fmt: skip
        for name, text, width in buttons:
            on = (name == "pause" and p.playing) or (name == "loop" and p.loop)
            self.button(paint, name, Box(x, y, width, high), text, partial(self._do, name), on, SMALL)
            x += width + 4.0
        x += 8.0
        for speed in PLAYBACK_SPEEDS:
            act = partial(self._speed, speed)
            name, text = f"speed {speed:g}", SPEED_WORDS[speed]
            self.button(paint, name, Box(x, y, 32.0, high), text, act, p.speed == speed, SMALL)
            x += 36.0
        right = box.right - PAD
        for name in reversed(("help", *(CAMERAS if box.width > 720.0 else ()))):  # keys look from there as well
            right -= wide
            text = CAMERA_WORDS.get(name, "Help")
            self.button(
                paint, name, Box(right, y, wide, high), text, partial(self._do, name), name == self.camera, SMALL
            )
            right -= 4.0
        last = max(0, p.count - 1)
        words = f"{p.frame} / {last}" if narrow else f"frame {p.frame} of {last}    {p.time:.2f} s"
        words = self._about_key() or words
        paint.text(words, Box(x, y, right - x, high), INK, TEXT if not narrow else SMALL, "middle")

    def _about_key(self) -> str:
        """The key of tracks that is dragged, or under the pointer."""
        if self._held is not None:
            key, at = self._held
            return f"{key.track.replace('_', ' ')}: {key.at} to {at}"
        keys = (key for lane in self.lanes for key in lane.keys if self.hovered == f"key {key.number}")
        return next((f"{key.track.replace('_', ' ')}: key at {key.at}" for key in keys), "")

    def _draw_bar(self, paint: Paint, bar: Box) -> None:
        p = self._playback
        last = max(1, p.count - 1)

        def place(frame: float) -> float:
            return bar.x + min(max(frame / last, 0.0), 1.0) * bar.width

        hands = [lane.hand for lane in self.lanes]
        for n, lane in enumerate(self.lanes):
            color = (*hand_color(hands, lane.hand)[:3], 170)
            y = bar.y + n * _LANE
            for start, end in lane.spans:
                width = max(2.0, place(end) - place(start) - 1.0)
                paint.fill(Box(place(start), y, width, 5.0), color, 2.0)
        y = bar.bottom - 11.0
        paint.fill(Box(bar.x, y, bar.width, 5.0), FAINT, 2.5)
        x = place(p.frame)
        paint.fill(Box(bar.x, y, x - bar.x, 5.0), ACCENT, 2.5)
        if self.lanes:
            paint.fill(Box(x - 0.5, bar.y - 3.0, 1.0, bar.height - 6.0), QUIET)
        radius = 7.5 if self.hovered == "scrub" else 6.5
        paint.disc(x, y + 2.5, radius, ACCENT)
        paint.disc(x, y + 2.5, radius - 2.5, ON_ACCENT)

        def seek(at: float, _: float) -> None:
            p.seek(round((at - bar.x) / bar.width * last))

        def take(at: float, y: float) -> None:
            self._was_playing = p.playing
            p.pause()
            seek(at, y)

        def let_go(at: float, y: float) -> None:
            if self._was_playing and p.frame < p.count - 1:
                p.play()

        def turn(steps: float) -> None:
            p.step(round(-steps))

        grip = Box(bar.x - 6.0, bar.y - 4.0, bar.width + 12.0, bar.height + 6.0)
        self.zones.append(Zone("scrub", grip, take, seek, let_go, turn))
        for n, lane in enumerate(self.lanes):
            for key in lane.keys:
                self._draw_key(paint, bar, bar.y + n * _LANE + 2.5, key, lane.room(key))

    def _draw_key(self, paint: Paint, bar: Box, y: float, key: TrackKey, room: tuple[int, int]) -> None:
        """A key on its track, to be dragged to another frame; `room`: the first and the last one for it."""
        p = self._playback
        last = max(1, p.count - 1)
        held = self._held is not None and self._held[0].number == key.number
        at = self._held[1] if self._held is not None and held else key.at
        name = f"key {key.number}"
        x = bar.x + min(max(at / last, 0.0), 1.0) * bar.width
        paint.disc(x, y, 4.5 if held or self.hovered == name else 3.5, ACCENT if held else INK)

        def take(_: float, __: float) -> None:
            p.pause()
            self._held = key, key.at

        def drag(at: float, _: float) -> None:
            frame = min(max(room[0], round((at - bar.x) / bar.width * last)), room[1])
            self._held = key, frame
            p.seek(frame)

        def let_go(_: float, __: float) -> None:
            held, self._held = self._held, None
            if held is not None and held[1] != key.at:
                self._retime(*held)
            elif held is not None:
                p.seek(key.at)

        self.zones.append(Zone(name, Box(x - 5.0, y - 4.0, 10.0, 8.0), take, drag, let_go))

    def _speed(self, speed: float) -> None:
        self._playback.speed = speed


def lanes_of(playback: Playback) -> tuple[Lane, ...]:
    """The tasks of a performance, a lane for each of the body's hands, or for each track, in frames of the playback; of
    a clip, what was edited."""
    performance = playback.performance
    if playback.editing is not None:
        return _edit_lanes(playback.editing)
    if performance is None:
        return ()
    if "tracks" in performance.report:
        rows: dict[str, list[tuple[int, int]]] = {name: [] for name in performance.report["tracks"]}
        for task in performance.report["tasks"]:
            rows[task["segments"][0]["joint"]].append((task["start"], task["end"]))
        keys = playback.track_keys
        return tuple(
            Lane(name.replace("_", " "), tuple(spans), tuple(key for key in keys if key.track == name))
            for name, spans in rows.items()
        )
    first, shown = performance.numbers[0], performance.recorded is None
    places = None if shown else {number: n for n, number in enumerate(performance.numbers)}
    found = []
    for hand in performance.body.hands:
        spans = []
        for task in performance.report["tasks"]:
            start, end = task["start"], task["end"]
            if task["hand"] == hand and start is not None and end is not None and end > start:
                spans.append(_recorded_span(start, end, places) if places else (start - first, end - first))
        found.append(Lane(hand, tuple(span for span in spans if span[1] > span[0])))
    return tuple(found)


def _edit_lanes(session: EditSession) -> tuple[Lane, ...]:
    """The frames that edits have changed."""
    spans = tuple((span["first"], span["last"]) for span in session.edited.report.get("spans", ()))
    return (Lane("edits", spans),) if spans else ()


def _recorded_span(start: int, end: int, places: dict[int, int]) -> tuple[int, int]:
    """The part of a task that was recorded."""
    seen: Sequence[int] = [places[n] for n in range(start, end + 1) if n in places]
    return (seen[0], seen[-1]) if seen else (0, 0)
