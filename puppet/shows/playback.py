"""Plays a script's performance or a BVH file: play, pause, step, seek, loop, and reload when a file has changed.

Time is an argument. Loading can take long: another thread may call `load`; `accept` takes its result.
"""

from __future__ import annotations

import bisect
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from puppet.arguments import listed
from puppet.body import Body, joint_transforms
from puppet.bvh import BvhClip, read_bvh
from puppet.clip import Clip, EditSession
from puppet.dynamics import Forces
from puppet.errors import PuppetError
from puppet.files.atomic_write import write_atomically
from puppet.files.shipped import ENDINGS, find
from puppet.files.shipped import folder as shipped_folder
from puppet.files.text_file import read_text
from puppet.language import ScriptError, read_script
from puppet.performance import Performance
from puppet.scene import Scene
from puppet.shows.carry_out import run
from puppet.shows.messages import progressive_form
from puppet.tracks import TRACKS_ENDING, Mark, moved_in_space, moved_in_time
from puppet.types import Floats

PLAYBACK_SPEEDS = (0.25, 0.5, 1.0, 2.0)
CHECK_INTERVAL = 0.25  # seconds between two looks at the files' stamps
_ROUNDING = 1e-6  # of a frame: sums of small times should meet whole frames

FileStamp = tuple[int, int] | None  # modification time and size; None: there is no such file


@dataclass(frozen=True)
class TrackKey:
    """A key of a file of tracks."""

    number: int  # among all keys of the file
    track: str
    at: int
    line: int  # where its time stands, both from 1
    column: int
    place: tuple[float, float, float] | None  # in body heights; None where it has none that could be given


@dataclass(frozen=True, eq=False)
class LoadedMotion:
    """The result of loading: a motion or problems, and the stamps of the files when loading began."""

    motion: Performance | Clip | BvhClip | None
    problems: tuple[str, ...]
    environment: str | None  # the name in the script
    stamps: tuple[FileStamp, ...]


class Playback:
    """A motion and the current time in it."""

    def __init__(
        self,
        source: str | Path,
        *,
        environment: str | Path | Scene | None = None,
        body: Body | None = None,
        gestures: Iterable[str | Path] = (),
        draft: bool = False,
    ) -> None:
        """`source`: a script (.puppet, .keys), a file of tracks (.tracks.yaml) or a .bvh file. It is loaded by
        `accept(load())`."""
        bvh = Path(source).suffix.lower() == ".bvh"
        kinds = {TRACKS_ENDING: "tracks", ENDINGS["spaces"][0]: "spaces"}
        kind = next((kinds[ending] for ending in kinds if Path(source).name.endswith(ending)), "scripts")
        self.source = Path(source) if bvh else find(kind, Path(source))
        self.draft = draft
        self._bvh = bvh
        self._environment = environment
        self._body = body
        self._gestures = listed(gestures, (str, Path))
        self._loaded = LoadedMotion(None, (), None, ())
        self.editing: EditSession | None = None  # of a clip
        self.preview: Floats | None = None  # (joints, 12): what is shown instead of the frame
        self._motion: Performance | Clip | BvhClip | None = None
        self._since_check = 0.0
        self._edits: list[tuple[str, str]] = []  # the file before and after each key that was moved here,
        self._undone: list[tuple[str, str]] = []  # and those that were taken back
        self.playing = True
        self.loop = False
        self.time = 0.0  # seconds from the first frame
        self._speed = 1.0

    # ---- loading

    def load(self) -> LoadedMotion:
        """Reads the files and carries out the script. Changes nothing here, so another thread may call it."""
        name = self._environment_name()
        stamps = self._stamps(name)
        try:
            return LoadedMotion(self._load(), (), name, stamps)
        except ScriptError as error:
            return LoadedMotion(None, tuple(str(mistake) for mistake in error.mistakes), name, stamps)
        except PuppetError as error:
            return LoadedMotion(None, (str(error),), name, stamps)

    def _load(self) -> Performance | Clip | BvhClip:
        if self._bvh:
            clip = read_bvh(self.source)
            if not len(clip):
                raise PuppetError(f"{self.source}: there are no frames in it")
            try:
                found = Clip.of(clip, self.source.stem, self._body, where=str(self.source))
            except PuppetError:
                if self._body is not None:
                    raise
                return clip  # of what cannot be a body, bones are drawn
            assert found.contacts is not None  # computed now, not while it is drawn
            return found
        performance = run(self.source, self._environment, self.draft, self._body, self._gestures)
        if not len(performance.angles):
            raise PuppetError(f"{self.source}: nothing in it is recorded: there is no 'record start'")
        return performance

    def accept(self, loaded: LoadedMotion) -> bool:
        """Takes what was loaded; returns whether there is a new motion. With problems the last good one stays."""
        self._loaded = loaded
        self._since_check = 0.0
        if loaded.motion is None:
            return False
        if isinstance(loaded.motion, Clip):
            if self.editing is None:
                self.editing = EditSession(loaded.motion)
            else:
                self.editing.rebase(loaded.motion)
        self._motion = loaded.motion
        self.time = min(self.time, self.frame_time(self.count - 1))
        return True

    def changed(self) -> bool:
        """Whether a file has changed since it was loaded. Looks once in CHECK_INTERVAL of the time that has passed."""
        if self._since_check < CHECK_INTERVAL:
            return False
        self._since_check = 0.0
        stamps = self._stamps(self._loaded.environment)
        return stamps[0] is not None and stamps != self._loaded.stamps  # saving may remove it for a moment

    def reload_if_changed(self) -> bool:
        """Reloads at once if a file has changed; returns whether it did."""
        if not self.changed():
            return False
        self.accept(self.load())
        return True

    def _environment_name(self) -> str | None:
        """The environment that the script names, even if it has mistakes elsewhere."""
        if self._bvh or self.source.suffix != ".puppet":
            return None
        try:
            return read_script(read_text(self.source), str(self.source)).environment
        except PuppetError:
            return None

    def _stamps(self, name: str | None) -> tuple[FileStamp, ...]:
        environment = self._environment or name
        paths: list[Path | None] = [self.source, *(Path(path) for path in self._gestures)]
        if isinstance(environment, (str, Path)):
            try:
                paths.append(find("environments", environment, self.source.parent))
            except PuppetError:
                paths.append(None)
        return tuple(_file_stamp(path) for path in paths)

    @property
    def problems(self) -> tuple[str, ...]:
        """The mistakes in the file as it is now, each with its place; where there are none, it is what is played."""
        return self._loaded.problems

    @property
    def ready(self) -> bool:
        """Whether there is something to play."""
        return self._motion is not None

    # ---- keys of tracks

    def move_key(self, key: TrackKey, place: Sequence[float] | None = None, at: int | None = None) -> None:
        """Moves a key of a file of tracks, to a place in body heights or to a frame, and writes the file: its numbers
        and nothing else. The motion is loaded anew as after any other change."""
        if self.source.parent == shipped_folder("tracks") and self.source.parent != Path.cwd():
            raise PuppetError(f"{self.source.name} comes with puppet: copy it to a folder of yours to change it")
        text = self._text()
        mark = Mark(str(self.source), key.line, key.column)
        changed = text
        if place is not None:
            changed = moved_in_space(changed, str(self.source), mark, place)
        if at is not None:
            changed = moved_in_time(changed, str(self.source), mark, at, self._body)
        if changed != text:
            write_atomically(self.source, changed)
            self._edits.append((text, changed))
            self._undone.clear()

    def undo_key(self) -> bool:
        """Writes the file as it was before the last key was moved; returns whether there was one."""
        return self._go_back(self._edits, self._undone)

    def redo_key(self) -> bool:
        """Moves the key again that was taken back last; returns whether there was one."""
        return self._go_back(self._undone, self._edits)

    def _go_back(self, edits: list[tuple[str, str]], others: list[tuple[str, str]]) -> bool:
        if not edits:
            return False
        before, after = edits[-1]
        if self._text() != after:  # what was written elsewhere must not be lost
            edits.clear()
            others.clear()
            raise PuppetError(f"{self.source.name} was changed elsewhere since: what was moved before stays")
        write_atomically(self.source, before)
        edits.pop()
        others.append((after, before))
        return True

    def _text(self) -> str:
        """The file as it is now, its ends of lines as they are."""
        read_text(self.source)  # says what is wrong with a file that cannot be read
        return self.source.read_bytes().decode("utf-8")

    @property
    def track_keys(self) -> tuple[TrackKey, ...]:
        """The keys of a file of tracks."""
        performance = self.performance
        if performance is None:
            return ()
        return tuple(
            TrackKey(n, key["track"], key["at"], key["line"], key["column"], key["place"] and tuple(key["place"]))
            for n, key in enumerate(performance.report.get("keys", ()))
        )

    @property
    def hint(self) -> str:
        """What does not fit in a file of tracks, in words: the first hint, and how many there are."""
        hints = self.performance.report.get("hints", ()) if self.performance is not None else ()
        if not hints:
            return ""
        more = f" (and {len(hints) - 1} more)" if len(hints) > 1 else ""
        return f"Line {hints[0]['line']}: {hints[0]['message']}{more}"

    # ---- the place in the motion

    @property
    def count(self) -> int:
        """How many frames there are."""
        if isinstance(self._motion, Performance):
            return len(self._motion.angles)
        return 0 if self._motion is None else len(self._motion)

    @property
    def fps(self) -> float:
        return 30.0 if self._motion is None else self._motion.fps

    @property
    def duration(self) -> float:
        """Of all frames in seconds, the last one included."""
        return self.count / self.fps

    @property
    def frame(self) -> int:
        return max(0, min(self.count - 1, math.floor(self.time * self.fps + _ROUNDING)))

    def frame_time(self, frame: int) -> float:
        """When a frame begins, in seconds."""
        return max(0, frame) / self.fps

    @property
    def speed(self) -> float:
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        if speed not in PLAYBACK_SPEEDS:
            known = ", ".join(f"{value:g}" for value in PLAYBACK_SPEEDS)
            raise PuppetError(f"a speed is one of {known}, not {speed!r}")
        self._speed = speed

    def advance(self, seconds: float) -> int:
        """Lets time pass; returns the frame to show."""
        if not (math.isfinite(seconds) and seconds >= 0.0):
            raise PuppetError(f"time passes by a number of seconds from 0 on, not {seconds!r}")
        self._since_check += seconds
        if self.playing and self.ready:
            time = self.time + seconds * self._speed
            if self.loop:
                time = math.fmod(time, self.duration)
            elif time >= self.duration:
                time = self.frame_time(self.count - 1)
                self.playing = False
            self.time = time
        return self.frame

    def play(self) -> None:
        """Plays on; from the beginning if it is at the end."""
        if self.frame >= self.count - 1:
            self.time = 0.0
        self.playing = True

    def pause(self) -> None:
        self.playing = False

    def toggle(self) -> None:
        """Plays what is paused, pauses what plays."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def seek(self, frame: int) -> None:
        """Goes to a frame, or the nearest there is."""
        self.time = self.frame_time(max(0, min(self.count - 1, frame)))

    def step(self, frames: int = 1) -> None:
        """Pauses and goes some frames forward or back; in a loop, past the end to the other."""
        self.pause()
        target = self.frame + frames
        self.seek(target % self.count if self.loop and self.count else target)

    # ---- what to show

    @property
    def performance(self) -> Performance | None:
        return self._motion if isinstance(self._motion, Performance) else None

    @property
    def clip(self) -> Clip | None:
        """The clip as it is edited now."""
        return None if self.editing is None else self.editing.edited

    @property
    def joint_transforms(self) -> Floats:
        """Position and rotation of each joint in the world, row by row, (joints, 12)."""
        if self.editing is not None:
            return self.editing.edited.joint_transforms[self.frame] if self.preview is None else self.preview
        if isinstance(self._motion, Performance):
            return joint_transforms(self._motion.body, self._motion.angles[self.frame])
        return np.empty((0, 12)) if self._motion is None else self._motion.joint_transforms[self.frame]

    @property
    def acting(self) -> tuple[Floats, Floats]:
        """Where contact forces act in this frame, (points, 3), and how strongly, (points, 3), as parts of the weight;
        none of a motion without physics."""
        motion = self._motion
        return motion.acting(self.frame) if isinstance(motion, Forces) else (np.empty((0, 3)), np.empty((0, 3)))

    @property
    def object_transforms(self) -> Floats:
        """Centre and rotation of each object in the world, row by row, (objects, 12); none in a BVH file."""
        motion = self._motion
        if not isinstance(motion, Performance):
            return np.empty((0, 12))
        place = bisect.bisect_right(motion.changes, self.frame, key=lambda change: change[0]) - 1
        poses = motion.changes[place][1]
        rows = [np.concatenate([poses[name].position, poses[name].rotation.ravel()]) for name in motion.object_names]
        return np.array(rows).reshape(-1, 12)

    @property
    def message(self) -> str:
        """What the puppet is doing in this frame, in words."""
        motion = self._motion
        if not isinstance(motion, Performance):
            return ""
        now = motion.numbers[self.frame]
        running = [
            progressive_form(task["interpretation"])
            for task in motion.report["tasks"]
            if task["start"] is not None and task["end"] is not None and task["start"] <= now < task["end"]
        ]
        return "; ".join(running)


def _file_stamp(path: Path | None) -> FileStamp:
    if path is None:
        return None
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
