"""A performance: every frame of what was carried out, and the report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from puppet.arguments import public_class, short
from puppet.body import Body, BodyFrames
from puppet.errors import PuppetError
from puppet.geometry import Transform
from puppet.scene import Scene
from puppet.types import Floats


@dataclass(frozen=True, eq=False)
class PinCourse:
    """A pin of a part in each frame."""

    places: Floats  # (frames, 3), where it is, in the world
    gains: Floats  # (frames,), 0 where it is off
    misses: Floats  # (frames,), how far the part is from it, in body heights


def check_frames(body: Body, angles: Floats) -> None:
    """Refuses what are no postures of a body, one a frame."""
    if angles.ndim != 2 or angles.shape[1] != body.dofs or not np.isfinite(angles).all():
        raise PuppetError(f"angles of '{body.name}' are (frames, {body.dofs}) finite numbers, not {short(angles)}")


@public_class
@dataclass(frozen=True, eq=False)
class Performance(BodyFrames):
    """Frames and report. All arrays are read-only."""

    body: Body
    scene: Scene  # at the end, as on stage
    fps: float
    angles: Floats  # (frames, dofs), radians
    report: Mapping[str, Any]
    changes: Sequence[tuple[int, Mapping[str, Transform]]]  # frames at which objects move, and all poses from there on
    recorded: Sequence[int] | None = None  # each frame's number on stage; None: all of them from 0
    holds: Sequence[tuple[int, Mapping[str, str]]] = ()  # frames from which on hands hold things, by hand
    pins: Mapping[str, PinCourse] = field(default_factory=dict)  # of tracks, by part

    def _agree(self) -> None:
        check_frames(self.body, self.angles)
        frames = len(self.angles)
        if not 0.0 < self.fps < math.inf:
            raise PuppetError(f"a performance has some frames a second, not {short(self.fps)}")
        if self.recorded is not None and len(self.recorded) != frames:
            raise PuppetError(f"{frames} frames of a performance have as many numbers, not {len(self.recorded)}")
        for course in (self.changes, self.holds):
            starts = [start for start, _ in course]
            if starts != sorted(starts) or starts[:1] not in ([], [0]):
                raise PuppetError(f"changes of a performance begin at frame 0 and go on, not at {short(starts)}")
        hands = {hand for _, holding in self.holds for hand in holding}
        things = set(self.object_names)
        if not hands <= set(self.body.limbs) or not all(things <= set(poses) for _, poses in self.changes):
            raise PuppetError("the limbs of a performance are its body's, and each thing of its scene has a place")

    @property
    def object_names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.scene.objects)

    @property
    def numbers(self) -> Sequence[int]:
        """Each frame's number on stage, as the report counts."""
        return range(len(self.angles)) if self.recorded is None else self.recorded

    @cached_property
    def held_by(self) -> tuple[Mapping[str, str | tuple[str, ...]], ...]:
        """For each frame: the things that are held, and the part of the body that holds each; several in a tuple."""
        found: list[Mapping[str, str | tuple[str, ...]]] = []
        for n, (start, holding) in enumerate(self.holds):
            end = self.holds[n + 1][0] if n + 1 < len(self.holds) else len(self.angles)
            parts: dict[str, list[str]] = {}
            for hand, thing in holding.items():
                parts.setdefault(thing, []).append(self.body.joint_names[self.body.limb(hand).joints[-1]])
            held = {thing: names[0] if len(names) == 1 else tuple(sorted(names)) for thing, names in parts.items()}
            found += [MappingProxyType(held)] * (end - start)
        return tuple(found) if self.holds else (MappingProxyType({}),) * len(self.angles)

    @cached_property
    def object_transforms(self) -> Floats:
        """Centre and rotation of each object in the world, row by row, (frames, objects, 12)."""
        found = np.empty((len(self.angles), len(self.object_names), 12))
        for n, (start, poses) in enumerate(self.changes):
            end = self.changes[n + 1][0] if n + 1 < len(self.changes) else len(found)
            for k, name in enumerate(self.object_names):
                found[start:end, k, :3] = poses[name].position
                found[start:end, k, 3:] = poses[name].rotation.ravel()
        found.flags.writeable = False
        return found

    @property
    def object_positions(self) -> Floats:
        """(frames, objects, 3), world."""
        return self.object_transforms[:, :, :3]

    def save(self, path: str | Path, **options: Any) -> None:
        """Writes the performance in the form that the file's ending asks for: whole or not at all.

        `options` are those of the writer: see `puppet.export`.
        """
        from puppet.export import write

        write(self, path, **options)
