"""A script of edits in the words of the language, as edits with their spans of frames."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from puppet import language
from puppet.body import Body
from puppet.command import (
    AUTO,
    At,
    Command,
    Drag,
    LookAt,
    Movement,
    Pin,
    SetFps,
    SetPrimitive,
    Source,
    Unpin,
    Wait,
)
from puppet.files.text_file import read_text
from puppet.language import Mistake, ScriptError
from puppet.types import Floats, Vector

HERE = "here"  # `pin left foot to here`: where it is when it is pinned
USUAL_SECONDS = 0.4  # of a look that says nothing about its speed, and of a drag in the window
PIN_SECONDS = 0.25  # in which a pin takes hold of what is elsewhere, and lets go
FOOT_WORDS = ("leftFoot", "rightFoot")
_NOWHERE = Source()


@dataclass(frozen=True)
class Edit:
    """One thing that is asked of a part from a frame on."""

    part: str
    kind: str  # drag; pin: along its recorded path; stay: where it is when it is pinned; place: at a place; look; free
    start: int
    frames: int  # in which it begins
    release: int  # when it begins to end
    to: Vector | None = None
    by: Vector | None = None
    gain: float = 1.0
    curve: str = "smooth"
    source: Source = _NOWHERE
    at: str | None = None  # the part that is looked at
    back: int | None = None  # in which it ends; None: as many as it begins in
    told: bool = False  # whether somebody said how quick it is
    here: int = 0  # the frame in which a part is where it stays

    @property
    def end(self) -> int:
        """The first frame in which nothing is left of it."""
        return self.release + (self.frames if self.back is None else self.back)

    def longer(self, times: float, free: int, final: int) -> Edit:
        """The same, beginning and ending in so many times the frames, as far as it still arrives before it is let go
        and by the final frame of the clip. What comes to rest where it is arrives as it did, and sets out earlier, at a
        free frame; so does a pin to a place that was told how quick to be, which goes back as quickly as told."""
        frames, back = math.ceil(times * self.frames), self.end - self.release
        ordered = self.kind == "place" and self.told
        lasting = self.kind in ("drag", "stay") and self.back is None  # it ends as it begins
        longer_back = None if lasting else back if ordered else math.ceil(times * back)
        if self.kind == "stay" or ordered:
            start = min(self.start, max(free, self.start + self.frames - frames))
            return replace(self, start=start, frames=self.start + self.frames - start, back=longer_back)
        arrival = final if self.kind == "drag" else min(self.release, final)
        frames = max(self.frames, min(frames, arrival - self.start))
        release = max(self.release, self.start + frames) if self.kind == "drag" else self.release
        return replace(self, frames=frames, release=release, back=longer_back)

    def weights(self, frames: int) -> Floats:
        """How much of it there is in each frame of the clip, 0 to 1."""
        number = np.arange(frames, dtype=np.float64)
        length = max(self.frames, 1)
        if self.curve == "smooth" and self.release == self.start + self.frames:  # it turns back without a stop
            share = np.clip(1.0 - np.abs(number - self.release) / length, 0.0, 1.0)
            return np.asarray(share**3 * (20.0 + share * (8.0 * share - 25.0)) / 3.0)
        rise = np.clip((number - self.start) / length, 0.0, 1.0)
        fall = np.clip((number - self.release) / max(self.end - self.release, 1), 0.0, 1.0)
        return np.asarray(_curve(self.curve, rise) * (1.0 - _curve(self.curve, fall)))


def _curve(name: str, share: Floats) -> Floats:
    from puppet.motion import CURVE_FUNCTIONS

    return CURVE_FUNCTIONS[name](share)


def read_edits(text: str | Path, body: Body, fps: float, places: Floats) -> list[Edit]:
    """The edits of a script: a path, or its text. Mistakes are told with file, line and column. places: of all joints
    in the recording, (frames, joints, 3)."""
    name = "script"
    if isinstance(text, Path) or ("\n" not in text and text.endswith(".puppet")):
        name, text = str(text), read_text(Path(text))
    script = replace(language.read_script(text, name), fps=fps)
    return _EditReader(body, fps, places).edits(language.script_commands(script, None, None, body))


class _EditReader:
    """Goes through the commands once, with the time at which each is given."""

    def __init__(self, body: Body, fps: float, places: Floats) -> None:
        self._body, self._fps, self._places, self._count = body, fps, places, len(places)
        self._time = 0
        self._told = False  # whether the time has been refused
        self._speed: int | str = AUTO
        self._curve = "smooth"
        self._open: dict[tuple[str, str], Edit] = {}  # by part, and drag or pin
        self._done: list[Edit] = []
        self._mistakes: list[Mistake] = []

    def edits(self, commands: Iterable[Command]) -> list[Edit]:
        for command in commands:
            self._take(command)
        if self._mistakes:
            raise ScriptError(self._mistakes)
        for (_, what), edit in self._open.items():  # a drag that nobody ends comes back at once, a pin stays
            release = edit.start + edit.frames if what == "drag" else self._count + edit.frames  # as does a look
            self._done.append(self._ended(edit, release))
        return sorted(self._done, key=lambda edit: (edit.start, edit.part))

    def _take(self, command: Command) -> None:
        match command:
            case At() if command.frame < self._time:
                since = f"it is frame {self._time} already"
                self._refuse(command, f"frame {command.frame} lies before what was told: {since}; time goes forward")
            case At():
                self._time = command.frame
                self._told = command.frame >= self._count
                if self._told:
                    self._refuse(command, f"frame {command.frame} is outside the clip, which has {self._words()}")
            case Wait(frames=None):
                ends = [edit.start + 2 * edit.frames for edit in self._open.values()] + [e.end for e in self._done]
                self._time = max([self._time, *ends])
            case Wait():
                self._time += command.frames or 0
            case SetPrimitive(name="speed", value=int() | str()):
                self._speed = command.value  # type: ignore[assignment]
            case SetPrimitive(name="curve"):
                self._curve = str(command.value)
            case SetFps():
                if abs(command.fps - self._fps) > 1e-3 * self._fps:
                    self._refuse(command, f"the clip has {self._fps:g} frames a second, and an edit cannot change that")
            case Movement() if command.when is not None or command.until is not None:
                self._refuse(command, "an edit begins at a frame and ends at one, and waits for nothing: at, unpin")
            case Drag():
                self._drag(command)
            case LookAt():
                self._look(command)
            case Pin():
                self._pin(command)
            case Unpin():
                self._unpin(command)
            case _:
                self._refuse(command, "this has no meaning in an edit; an edit has at, wait, pin, unpin, drag and look")

    def _drag(self, command: Drag) -> None:
        if not self._inside(command) or isinstance(command.to, str):
            if isinstance(command.to, str):
                self._refuse(command, f"there is no thing '{command.to}' in a clip; give a place: (x, y, z)")
            return
        speed = command.speed or self._speed
        frames = self._natural_frames(command) if isinstance(speed, str) else speed
        self._close(command.part, "drag", self._time, frames)
        curve = command.curve or self._curve
        edit = Edit(command.part, "drag", self._time, max(frames, 1), 0, command.to, command.by, 1.0, curve,
                    command.source, told=not isinstance(speed, str))  # fmt: skip
        self._open[command.part, "drag"] = edit

    def _natural_frames(self, command: Drag | Pin) -> int:
        """As many as people take for a way as long as a drag's, or to where a pin is."""
        if isinstance(command, Drag) and command.by is not None:
            return self._people_take(np.array(command.by))
        return self._people_take(np.array(command.to) - self._places[self._time, self._body.joint(command.part)])

    def _look(self, command: LookAt) -> None:
        gaze, spot = self._body.gaze, command.spot
        if not self._inside(command):
            return
        if gaze is None:
            self._refuse(command, "no head was found in this clip that could look")
            return
        head = self._body.joint_names[gaze.joint]
        speed = command.speed or self._speed
        frames = max(1, round(USUAL_SECONDS * self._fps) if isinstance(speed, str) else speed)
        if spot is None:
            if (head, "look") not in self._open:
                self._refuse(command, "nothing is looked at here, so it looks ahead as it is")
            self._close(head, "look", self._time, None)
            return
        part = None
        if spot.kind == "hand":
            part = self._body.joint_names[self._body.limb(spot.name).joints[-1]]
        elif spot.kind != "point":
            self._refuse(command, f"there is no '{spot.name}' in a clip; look at a place, (x, y, z), or at a hand")
            return
        self._close(head, "look", self._time, None)
        self._open[head, "look"] = Edit(
            head, "look", self._time, frames, 0, None if part else spot.point, None, 1.0,
            command.curve or self._curve, command.source, part,
        )  # fmt: skip

    def _pin(self, command: Pin) -> None:
        if not self._inside(command):
            return
        if isinstance(command.to, str) and command.to != HERE:
            self._refuse(command, f"there is no thing '{command.to}' in a clip; give a place, (x, y, z), or 'here'")
            return
        kind = "pin" if command.to is None else "stay" if command.to == HERE else "place"
        place = None if isinstance(command.to, str) else command.to
        frames = max(1, round(PIN_SECONDS * self._fps))
        told = kind == "place" and not isinstance(self._speed, str)
        if kind == "place":
            frames = max(frames, self._natural_frames(command)) if isinstance(self._speed, str) else max(1, self._speed)
        start = self._time
        if kind == "stay":
            free = self._free_from(command.part)
            frames = max(frames, min(self._braking_frames(command.part), self._time - free))
            start = max(free, self._time - frames)
        self._close(command.part, "pin", self._time, None)
        self._open[command.part, "pin"] = Edit(
            command.part, kind, start, frames, 0, place, None, command.gain, "smooth", command.source, told=told,
            here=self._time,
        )  # fmt: skip

    def _braking_frames(self, part: str) -> int:
        """In which a part comes to rest where it is now: as many as people take to there from where it was."""
        path = self._places[:, self._body.joint(part)]
        return self._people_take(path[self._time] - path[max(0, self._time - round(USUAL_SECONDS * self._fps))])

    def _free_from(self, part: str) -> int:
        """The frame from which on nothing else is asked of a part, now at the latest."""
        if any((part, what) in self._open for what in ("drag", "pin", "look")):
            return self._time
        return min(self._time, max((edit.end for edit in self._done if edit.part == part), default=0))

    def _unpin(self, command: Unpin) -> None:
        if not self._inside(command):
            return
        held = [what for what in ("drag", "pin") if (command.part, what) in self._open]
        for what in held:
            self._close(command.part, what, self._time, None)
        if not held:
            if self._body.humanoid.get(command.part) not in FOOT_WORDS:
                parts = ", ".join(sorted({part for part, _ in self._open})) or "nothing"
                self._refuse(command, f"'{command.part}' is neither pinned nor dragged here; what is: {parts}")
                return
            frames = max(1, round(PIN_SECONDS * self._fps))
            self._open[command.part, "pin"] = Edit(command.part, "free", self._time, frames, 0, source=command.source)

    def _close(self, part: str, what: str, at: int, frames: int | None) -> None:
        """Ends what is open of a part; frames: in which, where something else takes its place."""
        edit = self._open.pop((part, what), None)
        if edit is not None:
            whole = what == "drag" or edit.kind == "stay"  # it arrives first
            release = max(at, edit.start + (edit.frames if frames is None and whole else 0))
            if frames is not None:  # it was on its way back, or is on its way there
                release = min(at, edit.start + edit.frames)
            self._done.append(self._ended(edit, release))

    def _ended(self, edit: Edit, release: int) -> Edit:
        """An edit that is let go; what was held somewhere goes back in people's time."""
        back = None
        if edit.kind in ("stay", "place") and release < self._count and not edit.told:
            path = self._places[:, self._body.joint(edit.part)]
            held = path[edit.here] if edit.to is None else np.array(edit.to)
            back = max(round(PIN_SECONDS * self._fps), self._people_take(held - path[release]), 1)
        return replace(edit, release=release, back=back)

    def _people_take(self, way: Floats) -> int:
        """Frames that people take for a way."""
        from puppet.motion import natural_frames

        return natural_frames(float(np.linalg.norm(way)) * self._body.metres_tall, fps=self._fps)

    def _inside(self, command: Command) -> bool:
        if self._time >= self._count:
            if self._told:  # of the time itself
                return False
            self._refuse(command, f"it would be given at frame {self._time}; the clip has {self._words()}")
            return False
        return True

    def _words(self) -> str:
        return "one frame" if self._count == 1 else f"{self._count} frames, 0 to {self._count - 1}"

    def _refuse(self, command: Command, message: str) -> None:
        source = command.source
        text = source.text
        self._mistakes.append(Mistake(source.file, source.line, source.column, max(1, len(text)), text, message))
