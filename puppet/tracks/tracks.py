"""Tracks as data: keys over time for poses, pins, centre of mass, inertia and angular momentum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from puppet.body import EARTH_GRAVITY, Body, Shape
from puppet.errors import FileError
from puppet.types import Floats, Vector

MASTER = "gain"  # among the pins: the master gain
SPANS = "angular_momentum"  # the track whose keys are spans


@dataclass(frozen=True)
class Mark:
    """Where something stands in a file: line and column from 1."""

    file: str
    line: int
    column: int

    def error(self, message: str) -> FileError:
        return FileError(f"{self.file}:{self.line}:{self.column}: {message}")


@dataclass(frozen=True)
class PoseKey:
    at: int
    pose: str
    curve: str
    mark: Mark


@dataclass(frozen=True)
class GainKey:
    """A key of the master gain."""

    at: int
    gain: float
    curve: str
    mark: Mark


@dataclass(frozen=True)
class PinKey:
    at: int
    place: Vector | None  # None: where it is at that frame, or where it was pinned before
    turn: Vector | None  # degrees about x, y and z
    gain: float
    off: bool
    curve: str
    mark: Mark


@dataclass(frozen=True, eq=False)
class PinTrack:
    """The keys of one part, and the point of it that is pinned, in its own coordinates and the body's units."""

    part: str
    point: Floats | None  # (3,); None: its point of contact
    keys: tuple[PinKey, ...]


@dataclass(frozen=True)
class MassKey:
    """A key of the centre of mass; `by` says how one gets there from the key before."""

    at: int
    place: tuple[float | None, float | None, float | None] | None  # None: found; an axis that is None is free
    by: str  # hermite, projectile, pendulum; "" for the first key
    velocity: Vector | None
    height: float | None
    pivot: Vector | None
    mark: Mark


@dataclass(frozen=True)
class InertiaKey:
    at: int
    values: Mapping[str, float]  # by axis: x, y, z
    curve: str
    mark: Mark


@dataclass(frozen=True)
class MomentumSpan:
    """From the frame `first` to the frame `last`: conserved, or with a value for some axes."""

    first: int
    last: int
    conserved: bool
    values: Mapping[str, float]
    mark: Mark


@dataclass(frozen=True, eq=False)
class Tracks:
    """A file of tracks. Lengths are in body heights, times in frames from 0."""

    source: str
    body: Body
    fps: float
    poses: Mapping[str, Floats]  # by name: angles (dofs,)
    drawn_root: bool  # whether a pose says how the root is turned
    pose: tuple[PoseKey, ...]
    master: tuple[GainKey, ...]
    pins: tuple[PinTrack, ...]
    mass: tuple[MassKey, ...]
    inertia: tuple[InertiaKey, ...]
    momentum: tuple[MomentumSpan, ...]
    props: tuple[Shape, ...]  # what stands around, for the eyes and the dynamics filter, in the body's units
    times: tuple[tuple[str, int, Mark], ...]  # all times: of which track, frame, where it stands; in order by track

    @property
    def frames(self) -> int:
        """How many there are: the last key is in the last one."""
        return 1 + max(at for _, at, _ in self.times)

    def times_of(self, track: str) -> list[tuple[int, Mark, int]]:
        """The times of a track in their order: the frame, where it stands in the file, and by how many frames it is
        before the next one at least. A span may begin where the one before it ends."""
        own = [(at, mark) for name, at, mark in self.times if name == track]
        return [(at, mark, 0 if track == SPANS and n % 2 else 1) for n, (at, mark) in enumerate(own)]

    @property
    def gravity(self) -> float:
        """In body heights a second squared."""
        assert self.body.metres is not None
        return EARTH_GRAVITY / self.body.metres


@dataclass(frozen=True)
class Hint:
    """What does not fit in a file that can be run all the same; `fix` is the frame that would fit."""

    at: int
    mark: Mark
    message: str
    fix: int | None = None

    def __str__(self) -> str:
        return f"{self.mark.file}:{self.mark.line}:{self.mark.column}: {self.message}"

    def as_dict(self) -> dict[str, object]:
        return {"at": self.at, "line": self.mark.line, "message": self.message, "fix": self.fix}
