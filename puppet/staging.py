"""What is on stage: objects stand where they were put, or go with the hand that carries them, without a jump."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Floats
from puppet.motion import Change, Motion
from puppet.pose import Pose, Poses, blend, blends
from puppet.scene import Position, Scene

SAME = 1e-7
GRASP = 0.01  # a hand whose tip is this near to an object's hull has hold of it


@dataclass(frozen=True, eq=False)
class Carrying:
    """A hand that takes objects along. Poses `(now, then)`: the first in the hand's frame, others in its."""

    task: int
    hand: str
    objects: tuple[str, ...]
    in_hand: tuple[Pose, Pose]
    on_first: tuple[tuple[Pose, Pose], ...]
    start: int
    share: Floats  # (frames,), how much of the way is done
    settles: bool

    def poses(self, hand: Pose, frame: int) -> dict[str, Pose]:
        """Where the carried objects are when the hand is there."""
        share = float(self.share[min(frame - self.start, len(self.share)) - 1])
        first = self.first(hand, frame)
        found = {self.objects[0]: first}
        for name, pair in zip(self.objects[1:], self.on_first, strict=True):
            found[name] = first.after(_between(pair, share))
        return found

    def first(self, hand: Pose, frame: int) -> Pose:
        """Where the object in the hand is."""
        share = float(self.share[min(frame - self.start, len(self.share)) - 1])
        return hand.after(_between(self.in_hand, share))


    def all_poses(self, hands: Poses, start: int) -> dict[str, Poses]:
        """Where the carried objects are when the hand goes along these poses, the first of them at frame `start`."""
        places = np.clip(start + np.arange(len(hands)) - self.start, 0, len(self.share))
        shares = np.concatenate([[0.0], self.share])[places]
        first = hands.after(_all_between(self.in_hand, shares))
        found = {self.objects[0]: first}
        for name, pair in zip(self.objects[1:], self.on_first, strict=True):
            found[name] = first.after(_all_between(pair, shares))
        return found


@dataclass(frozen=True, eq=False)
class Tracking:
    """A hand that stays on an object which another hand carries. Poses of the hand in the object's frame."""

    task: int
    hand: str
    object: str
    on_object: tuple[Pose, Pose]
    start: int
    share: Floats

    def pose(self, objects: Mapping[str, Pose], frame: int) -> Pose:
        share = float(self.share[min(frame - self.start, len(self.share)) - 1])
        return objects[self.object].after(_between(self.on_object, share))

    def all_poses(self, things: Poses, start: int) -> Poses:
        """Where the hand is when the object goes along these poses, the first of them at frame `start`."""
        places = np.clip(start + np.arange(len(things)) - self.start, 0, len(self.share))
        return things.after(_all_between(self.on_object, np.concatenate([[0.0], self.share])[places]))


@dataclass(frozen=True)
class Staged:
    """The scene as it is seen: relations between things, and the pose of each object."""

    scene: Scene
    poses: Mapping[str, Pose]

    @staticmethod
    def of(scene: Scene) -> Staged:
        return Staged(scene, {entry.name: Pose.of(scene.centre(entry.name)) for entry in scene.objects})

    def with_poses(self, poses: Mapping[str, Pose]) -> Staged:
        return replace(self, poses={**self.poses, **poses})

    def carry(self, motion: Motion, hand: Pose, goal: Pose, frame: int, share: Floats, complete: bool) -> Carrying:
        """Begins to carry. `goal`: the hand's pose at the end; `complete`: the whole motion begins, not only an arm."""
        assert motion.carry is not None
        objects = motion.carry.objects
        first = self.poses[objects[0]]
        now = hand.relative(first)
        then = now
        settles = motion.carry.settles and complete
        if settles:
            then = goal.relative(Pose.of(motion.after.centre(objects[0])))
            if then.distance(now) < SAME and then.angle(now) < SAME:
                then = now  # the grip does not change: nothing to blend in every frame
        others = []
        for name in objects[1:]:
            here = first.relative(self.poses[name])
            centre = np.array(motion.after.centre(name)) - np.array(motion.after.centre(objects[0]))
            others.append((here, Pose.of(centre) if settles else here))
        return Carrying(
            motion.task, motion.hand, objects, (now, then), tuple(others), frame, share, settles
        )

    def done(self, motion: Motion, carrying: Carrying | None) -> Staged:
        """After a motion's last frame: what it changes has happened."""
        scene = self.scene
        changes: tuple[Change, ...] = motion.changes
        for change in changes:
            scene = change.apply(scene)
        if carrying is None:
            return replace(self, scene=scene)
        if carrying.settles:
            return Staged(scene, {**self.poses, **{n: Pose.of(scene.centre(n)) for n in carrying.objects}})
        return replace(self, scene=self._as_carried(scene, carrying) if changes else scene)

    def dropped(self, carryings: tuple[Carrying, ...], hands: Mapping[str, Pose], palms: frozenset[str]) -> Staged:
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

    def holds(self, hand: Pose, name: str) -> bool:
        """Whether a hand is at an object: near its surface."""
        reach = math.sqrt(3.0) * self.scene.object(name).width + GRASP
        return float(np.linalg.norm(self.poses[name].position - hand.position)) <= reach


def _between(pair: tuple[Pose, Pose], share: float) -> Pose:
    now, then = pair
    return now if now is then else blend(now, then, share)


def _all_between(pair: tuple[Pose, Pose], shares: Floats) -> Poses:
    now, then = (Poses.same(pose, len(shares)) for pose in pair)
    return now if pair[0] is pair[1] else blends(now, then, shares)


def _point(values: Floats) -> Position:
    x, y, z = (float(value) for value in values)
    return x, y, z
