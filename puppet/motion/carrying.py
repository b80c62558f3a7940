"""Objects on stage: they stand where they were put, or go with the hand that carries them, without a jump."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from puppet.geometry import Transform, Transforms, interpolate_rows
from puppet.scene import Scene
from puppet.tasks import Change, Motion
from puppet.types import Floats, Ints

SAME = 1e-7  # transforms that differ by less, in position and in radians, are equal
GRASP_DISTANCE = 0.01  # a hand whose tip is this near to an object has hold of it


@dataclass(frozen=True, eq=False)
class Carrying:
    """A hand that carries objects. All transforms have a row for each frame, the first for the frame `start`."""

    task: int
    hand: str
    objects: tuple[str, ...]
    held: Transforms  # the hand in the first object's coordinates
    in_hand: Transforms  # the first object in the hand's coordinates
    on_first: tuple[Transforms, ...]  # the other objects in the first one's coordinates
    start: int
    settles: bool  # the objects stand flat in their places at the end

    def transforms(self, hand: Transform, frame: int) -> dict[str, Transform]:
        """Of the carried objects, from that of the hand."""
        row = min(frame - self.start, len(self.in_hand) - 1)
        first = hand.compose(self.in_hand[row])
        found = {self.objects[0]: first}
        for name, others in zip(self.objects[1:], self.on_first, strict=True):
            found[name] = first.compose(others[row])
        return found

    def all_transforms(self, hands: Transforms, frames: Ints) -> dict[str, Transforms]:
        """Of the carried objects, from those of the hand in some frames."""
        rows = self._rows(frames)
        first = hands.compose(self.in_hand.taken(rows))
        found = {self.objects[0]: first}
        for name, others in zip(self.objects[1:], self.on_first, strict=True):
            found[name] = first.compose(others.taken(rows))
        return found

    def hand_transforms(self, firsts: Transforms, frames: Ints) -> Transforms:
        """Of the hand, from those of the first object in some frames."""
        return firsts.compose(self.held.taken(self._rows(frames)))

    def _rows(self, frames: Ints) -> Ints:
        return np.clip(frames - self.start, 0, len(self.in_hand) - 1)


@dataclass(frozen=True, eq=False)
class Tracking:
    """A hand that stays on an object which another hand carries."""

    task: int
    hand: str
    object: str
    held: Transforms  # the hand in the object's coordinates, a row for each frame, the first for the frame `start`
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.held) - 1

    def transform(self, objects: Mapping[str, Transform], frame: int) -> Transform:
        return objects[self.object].compose(self.held[min(frame - self.start, len(self.held) - 1)])

    def all_transforms(self, things: Transforms, frames: Ints) -> Transforms:
        """Of the hand, from those of the object in some frames."""
        rows = np.clip(frames - self.start, 0, len(self.held) - 1)
        return things.compose(self.held.taken(rows))


def grip_change(now: Transform, then: Transform, share: Floats) -> Transforms:
    """A hand that changes its grip, in the coordinates of the thing that it holds: around the edges, not through it."""
    shares = np.concatenate([[0.0], share])
    start, goal = Transforms.repeated(now, len(shares)), Transforms.repeated(then, len(shares))
    if now is then:
        return start
    found = interpolate_rows(start, goal, shares)
    size = np.abs(found.positions).max(axis=1)
    wanted = size[0] + shares * (size[-1] - size[0])
    if size.min() < 0.3 * wanted.min():  # to the opposite side: no side to go around is nearer
        return found
    return Transforms(found.positions * (wanted / size)[:, None], found.rotations)


@dataclass(frozen=True)
class StagedScene:
    """The scene as it is on stage: what stands on what, and the transform of each object."""

    scene: Scene
    transforms: Mapping[str, Transform]

    @staticmethod
    def of(scene: Scene) -> StagedScene:
        return StagedScene(scene, {entry.name: Transform.of(scene.centre(entry.name)) for entry in scene.objects})

    def with_transforms(self, transforms: Mapping[str, Transform]) -> StagedScene:
        return replace(self, transforms={**self.transforms, **transforms})

    def carry(
        self, motion: Motion, hand: Transform, goal: Transform, frame: int, share: Floats, complete: bool
    ) -> Carrying:
        """Begins to carry. `goal`: the hand's transform at the end. `complete`: all critical joints begin now."""
        assert motion.carry is not None
        objects = motion.carry.objects
        first = self.transforms[objects[0]]
        now = first.relative(hand)
        then = now
        settles = motion.carry.settles and complete
        if settles:
            then = Transform.of(motion.scene_after.centre(objects[0])).relative(goal)
            if then.distance(now) < SAME and then.angle(now) < SAME:
                then = now
        held = grip_change(now, then, share)
        others = []
        for name in objects[1:]:
            here = first.relative(self.transforms[name])
            centre = np.array(motion.scene_after.centre(name)) - np.array(motion.scene_after.centre(objects[0]))
            shares = np.concatenate([[0.0], share])
            there = Transforms.repeated(Transform.of(centre) if settles else here, len(shares))
            others.append(interpolate_rows(Transforms.repeated(here, len(shares)), there, shares))
        return Carrying(motion.task, motion.hand, objects, held, held.inverse(), tuple(others), frame, settles)

    def done(self, motion: Motion, carrying: Carrying | None) -> StagedScene:
        """After a motion's last frame: its changes are made."""
        scene = self.scene
        changes: tuple[Change, ...] = motion.changes
        for change in changes:
            scene = change.apply(scene)
        if carrying is None:
            return replace(self, scene=scene)
        if carrying.settles:
            settled = {name: Transform.of(scene.centre(name)) for name in carrying.objects}
            return StagedScene(scene, {**self.transforms, **settled})
        return replace(self, scene=self._as_carried(scene, carrying) if changes else scene)

    def dropped(
        self, carryings: tuple[Carrying, ...], hands: Mapping[str, Transform], palms: frozenset[str]
    ) -> StagedScene:
        """After everything has stopped: what was being carried stays where its hand is."""
        scene = self.scene
        for carrying in carryings:
            if carrying.hand in palms:
                scene = scene.with_space_at(carrying.hand, hands[carrying.hand].position)
            else:
                scene = self._as_carried(scene, carrying)
        return replace(self, scene=scene)

    def _as_carried(self, scene: Scene, carrying: Carrying) -> Scene:
        name = carrying.objects[0]
        base = self.transforms[name].position - (0.0, scene.object(name).width, 0.0)
        return scene.placed(name, base)

    def holds(self, hand: Transform, name: str) -> bool:
        """Whether a hand is near the surface of an object."""
        reach = math.sqrt(3.0) * self.scene.object(name).width + GRASP_DISTANCE
        return float(np.linalg.norm(self.transforms[name].position - hand.position)) <= reach

