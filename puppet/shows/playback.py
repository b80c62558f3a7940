"""Plays a script's performance or a BVH file: play, pause, step, seek, loop, and load again when a file has changed.

Time is an argument. To load can take long: `load` may be called in another thread, and `accept` takes what it found.
"""

from __future__ import annotations

import bisect
import math
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.bvh import Clip, read_bvh
from puppet.errors import PuppetError
from puppet.files.shipped import find
from puppet.files.text_file import read_text
from puppet.language import ScriptError, read_script
from puppet.performance import Performance
from puppet.scene import Scene
from puppet.shows.carry_out import run
from puppet.shows.messages import under_way
from puppet.types import Floats

SPEEDS = (0.25, 0.5, 1.0, 2.0)
LOOK_EVERY = 0.25  # seconds between two looks at the files
_SLACK = 1e-6  # of a frame: sums of small times meet at whole frames

Stamp = tuple[int, int] | None  # when a file was changed and its size; None: there is no such file


@dataclass(frozen=True, eq=False)
class Loaded:
    """What was found in a file: a motion or problems, and how the files were when that began."""

    motion: Performance | Clip | None
    problems: tuple[str, ...]
    environment: str | None  # that the script names
    stamps: tuple[Stamp, ...]


class Playback:
    """A motion and a place in it."""

    def __init__(
        self,
        source: str | Path,
        *,
        environment: str | Path | Scene | None = None,
        body: Body | None = None,
        gestures: Iterable[str | Path] = (),
        draft: bool = False,
    ) -> None:
        """`source`: a script (.puppet, .keys) or a .bvh file. Nothing is loaded yet: `accept(load())` does that."""
        bvh = Path(source).suffix.lower() == ".bvh"
        self.source = Path(source) if bvh else find("scripts", Path(source))
        self.draft = draft
        self._bvh = bvh
        self._environment = environment
        self._body = body or (None if bvh else Body.load())
        self._gestures = tuple(gestures)
        self._loaded = Loaded(None, (), None, ())
        self._motion: Performance | Clip | None = None
        self._since_look = 0.0
        self.playing = True
        self.loop = False
        self.time = 0.0  # seconds from the first frame
        self._speed = 1.0

    # ---- loading

    def load(self) -> Loaded:
        """Reads the files and carries the script out. Changes nothing here, so another thread may do it."""
        name = self._named()
        stamps = self._stamps(name)
        try:
            return Loaded(self._load(), (), name, stamps)
        except ScriptError as error:
            return Loaded(None, tuple(str(mistake) for mistake in error.mistakes), name, stamps)
        except PuppetError as error:
            return Loaded(None, (str(error),), name, stamps)

    def _load(self) -> Performance | Clip:
        if self._bvh:
            clip = read_bvh(self.source)
            if not len(clip):
                raise PuppetError(f"{self.source}: there are no frames in it")
            assert clip.frames is not None  # found now, not while it is drawn
            return clip
        performance = run(self.source, self._environment, self.draft, self._body, self._gestures)
        if not len(performance.angles):
            raise PuppetError(f"{self.source}: nothing in it is recorded: there is no 'record start'")
        return performance

    def accept(self, loaded: Loaded) -> bool:
        """Takes what was loaded. With problems the last good motion stays; whether there is a new one."""
        self._loaded = loaded
        self._since_look = 0.0
        if loaded.motion is None:
            return False
        self._motion = loaded.motion
        self.time = min(self.time, self.frame_time(self.count - 1))
        return True

    def changed(self) -> bool:
        """Whether a file is not as it was when it was loaded. Looks at most every quarter of a second of given time."""
        if self._since_look < LOOK_EVERY:
            return False
        self._since_look = 0.0
        stamps = self._stamps(self._loaded.environment)
        return stamps[0] is not None and stamps != self._loaded.stamps  # an editor may take it away for a moment

    def reload_if_changed(self) -> bool:
        """Loads again, here and now, what has changed; whether something was loaded."""
        if not self.changed():
            return False
        self.accept(self.load())
        return True

    def _named(self) -> str | None:
        """The environment that the script names, even where something else is wrong with it."""
        if self._bvh or self.source.suffix == ".keys":
            return None
        try:
            return read_script(read_text(self.source), str(self.source)).environment
        except PuppetError:
            return None

    def _stamps(self, name: str | None) -> tuple[Stamp, ...]:
        environment = self._environment or name
        paths: list[Path | None] = [self.source, *(Path(path) for path in self._gestures)]
        if isinstance(environment, (str, Path)):
            try:
                paths.append(find("environments", environment, self.source.parent))
            except PuppetError:
                paths.append(None)
        return tuple(_stamp(path) for path in paths)

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the file as it is now, each with its place; none: what is played is what it says."""
        return self._loaded.problems

    @property
    def ready(self) -> bool:
        """Whether there is something to play."""
        return self._motion is not None

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
        """Seconds that all frames take, the last one included."""
        return self.count / self.fps

    @property
    def frame(self) -> int:
        return max(0, min(self.count - 1, math.floor(self.time * self.fps + _SLACK)))

    def frame_time(self, frame: int) -> float:
        """When a frame begins, in seconds."""
        return max(0, frame) / self.fps

    @property
    def speed(self) -> float:
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        if speed not in SPEEDS:
            raise PuppetError(f"a speed is one of {', '.join(f'{value:g}' for value in SPEEDS)}, not {speed!r}")
        self._speed = speed

    def advance(self, seconds: float) -> int:
        """Lets time pass; returns the frame to show."""
        if not (math.isfinite(seconds) and seconds >= 0.0):
            raise PuppetError(f"time passes by a number of seconds from 0 on, not {seconds!r}")
        self._since_look += seconds
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
        """Plays on; from the beginning if it is at its end."""
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
        """Pauses and goes some frames on, or back; round and round where it loops."""
        self.pause()
        target = self.frame + frames
        self.seek(target % self.count if self.loop and self.count else target)

    # ---- what to show

    @property
    def performance(self) -> Performance | None:
        return self._motion if isinstance(self._motion, Performance) else None

    @property
    def clip(self) -> Clip | None:
        return self._motion if isinstance(self._motion, Clip) else None

    @property
    def joint_transforms(self) -> Floats:
        """Position and rotation of each joint in the world, row by row, (joints, 12)."""
        if isinstance(self._motion, Performance):
            return joint_transforms(self._motion.body, self._motion.angles[self.frame])
        return np.empty((0, 12)) if self._motion is None else self._motion.frames[self.frame]

    @property
    def object_frames(self) -> Floats:
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
        """What the puppet does in this frame, in words."""
        motion = self._motion
        if not isinstance(motion, Performance):
            return ""
        now = motion.numbers[self.frame]
        running = [
            under_way(task["interpretation"])
            for task in motion.report["tasks"]
            if task["start"] is not None and task["end"] is not None and task["start"] <= now < task["end"]
        ]
        return "; ".join(running)


def _stamp(path: Path | None) -> Stamp:
    if path is None:
        return None
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
