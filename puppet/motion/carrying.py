"""What is on stage: objects stand where they were put, or go with the hand that carries them, without a jump."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from puppet.geometry import Transform, Transforms, interpolate_all
from puppet.scene import Position, Scene
from puppet.tasks import Change, Motion
from puppet.types import Floats, Ints

SAME = 1e-7
GRASP = 0.01  # a hand whose tip is this near to an object's hull has hold of it


@dataclass(frozen=True, eq=False)
class Carrying:
    """A hand that takes objects along. Rows of poses: one for each frame of the way, that of its start included."""

    task: int
    hand: str
    objects: tuple[str, ...]
    held: Transforms  # the hand in the frame of the first object
    in_hand: Transforms  # the first object in the hand's frame
    on_first: tuple[Transforms, ...]  # the others in the first one's frame
    start: int
    settles: bool

    def poses(self, hand: Transform, frame: int) -> dict[str, Transform]:
        """Where the carried objects are when the hand is there."""
        row = min(frame - self.start, len(self.in_hand) - 1)
        first = hand.compose(self.in_hand[row])
        found = {self.objects[0]: first}
        for name, others in zip(self.objects[1:], self.on_first, strict=True):
            found[name] = first.compose(others[row])
        return found

    def all_poses(self, hands: Transforms, frames: Ints) -> dict[str, Transforms]:
        """Where the carried objects are when the hand has these poses in some frames."""
        rows = self._rows(frames)
        first = hands.compose(self.in_hand.taken(rows))
        found = {self.objects[0]: first}
        for name, others in zip(self.objects[1:], self.on_first, strict=True):
            found[name] = first.compose(others.taken(rows))
        return found

    def hands(self, firsts: Transforms, frames: Ints) -> Transforms:
        """Where the hand is when the first object has these poses in some frames."""
        return firsts.compose(self.held.taken(self._rows(frames)))

    def _rows(self, frames: Ints) -> Ints:
        return np.clip(frames - self.start, 0, len(self.in_hand) - 1)


@dataclass(frozen=True, eq=False)
class Tracking:
    """A hand that stays on an object which another hand carries."""

    task: int
    hand: str
    object: str
    held: Transforms  # the hand in the object's frame, one row for each frame of the way, that of its start included
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.held) - 1

    def pose(self, objects: Mapping[str, Transform], frame: int) -> Transform:
        return objects[self.object].compose(self.held[min(frame - self.start, len(self.held) - 1)])

    def all_poses(self, things: Transforms, frames: Ints) -> Transforms:
        """Where the hand is when the object has these poses in some frames."""
        rows = np.clip(frames - self.start, 0, len(self.held) - 1)
        return things.compose(self.held.taken(rows))


def hold(now: Transform, then: Transform, share: Floats) -> Transforms:
    """A hand in the frame of a thing that it holds, from one grip to another: round the edges, not through it."""
    shares = np.concatenate([[0.0], share])
    start, goal = Transforms.same(now, len(shares)), Transforms.same(then, len(shares))
    if now is then:
        return start
    found = interpolate_all(start, goal, shares)
    size = np.abs(found.positions).max(axis=1)
    wanted = size[0] + shares * (size[-1] - size[0])
    if size.min() < 0.3 * wanted.min():  # from one side straight to the other: there is no way round to be read off
        return found
    return Transforms(found.positions * (wanted / size)[:, None], found.rotations)


@dataclass(frozen=True)
class Staged:
    """The scene as it is seen: relations between things, and the pose of each object."""

    scene: Scene
    poses: Mapping[str, Transform]

    @staticmethod
    def of(scene: Scene) -> Staged:
        return Staged(scene, {entry.name: Transform.of(scene.centre(entry.name)) for entry in scene.objects})

    def with_poses(self, poses: Mapping[str, Transform]) -> Staged:
        return replace(self, poses={**self.poses, **poses})

    def carry(
        self, motion: Motion, hand: Transform, goal: Transform, frame: int, share: Floats, complete: bool
    ) -> Carrying:
        """Begins to carry. `goal`: the hand's pose at the end; `complete`: the whole motion begins, not only an arm."""
        assert motion.carry is not None
        objects = motion.carry.objects
        first = self.poses[objects[0]]
        now = first.relative(hand)
        then = now
        settles = motion.carry.settles and complete
        if settles:
            then = Transform.of(motion.scene_after.centre(objects[0])).relative(goal)
            if then.distance(now) < SAME and then.angle(now) < SAME:
                then = now
        held = hold(now, then, share)
        others = []
        for name in objects[1:]:
            here = first.relative(self.poses[name])
            centre = np.array(motion.scene_after.centre(name)) - np.array(motion.scene_after.centre(objects[0]))
            shares = np.concatenate([[0.0], share])
            there = Transforms.same(Transform.of(centre) if settles else here, len(shares))
            others.append(interpolate_all(Transforms.same(here, len(shares)), there, shares))
        return Carrying(motion.task, motion.hand, objects, held, held.inverse(), tuple(others), frame, settles)

    def done(self, motion: Motion, carrying: Carrying | None) -> Staged:
        """After a motion's last frame: what it changes has happened."""
        scene = self.scene
        changes: tuple[Change, ...] = motion.changes
        for change in changes:
            scene = change.apply(scene)
        if carrying is None:
            return replace(self, scene=scene)
        if carrying.settles:
            return Staged(scene, {**self.poses, **{n: Transform.of(scene.centre(n)) for n in carrying.objects}})
        return replace(self, scene=self._as_carried(scene, carrying) if changes else scene)

    def dropped(self, carryings: tuple[Carrying, ...], hands: Mapping[str, Transform], palms: frozenset[str]) -> Staged:
        """When everything stops: what was being carried is where its hand has it."""
        scene = self.scene
        for carrying in carryings:
            if carrying.hand in palms:
                scene = scene.with_space_at(carrying.hand, _point(hands[carrying.hand].position))
            else:
                scene = self._as_carried(scene, carrying)
        return replace(self, scene=scene)

    def _as_carried(self, scene: Scene, carrying: Carrying) -> Scene:
        name = carrying.objects[0]
        base = self.poses[name].position - (0.0, scene.object(name).width, 0.0)
        return scene.placed(name, _point(base))

    def holds(self, hand: Transform, name: str) -> bool:
        """Whether a hand is at an object: near its surface."""
        reach = math.sqrt(3.0) * self.scene.object(name).width + GRASP
        return float(np.linalg.norm(self.poses[name].position - hand.position)) <= reach


def _point(values: Floats) -> Position:
    x, y, z = (float(value) for value in values)
    return x, y, z
