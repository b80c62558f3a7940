"""Objects on stage: they stand where they were put, or go with the hand that carries them, without a jump."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from puppet.geometry import Transform, Transforms, axis_rotation, interpolate_rows, length
from puppet.scene import Scene, Stance
from puppet.tasks import HeldThing, Motion
from puppet.types import Floats, Ints

_SETTLED, SETTLED_TURN = 1.5e-3, math.radians(1.5)  # a thing this far from its place slips into it as it is put down
GRASP_DISTANCE = 0.004  # a hand whose tip is this near to an object has hold of it


@dataclass(frozen=True, eq=False)
class Carrying:
    """A hand that carries objects. All transforms have a row for each frame, the first for the frame `start`."""

    task: int
    hand: str
    objects: tuple[str, ...]
    in_hand: Transforms  # the first object in the hand's coordinates
    on_first: tuple[Transforms, ...]  # the other objects in the first one's coordinates
    start: int
    settles: bool  # the objects stand flat in their places at the end
    level: bool  # they are held level all the way

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

    def _rows(self, frames: Ints) -> Ints:
        return np.clip(frames - self.start, 0, len(self.in_hand) - 1)


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
        self, motion: Motion, hand: Transform, goal: Transform, frame: int, share: Floats, complete: bool,
        exact: bool = True,
    ) -> Carrying:  # fmt: skip
        """Begins to carry. `goal`: the hand's transform at the end. `complete`: all critical joints begin now. What
        a draft carries, which is not `exact`, comes to its place all the same."""
        assert motion.carry is not None
        objects = motion.carry.objects
        first = self.transforms[objects[0]]
        in_hand = hand.relative(first)
        level = motion.carry.settles and complete
        shares = np.concatenate([[0.0], share])
        start = goal_in_hand = in_hand
        settles = False
        if level:
            end = goal.compose(in_hand)
            place = Transform.of(motion.scene_after.centre(objects[0]), heading_only(end.rotation))
            settles = not exact or (place.distance(end) < _SETTLED and place.angle(end) < SETTLED_TURN)
            goal_in_hand = goal.relative(place) if settles else in_hand
        rows = interpolate_rows(
            Transforms.repeated(start, len(shares)), Transforms.repeated(goal_in_hand, len(shares)), shares
        )
        others = []
        for name in objects[1:]:
            here = first.relative(self.transforms[name])
            centre = np.array(motion.scene_after.centre(name)) - np.array(motion.scene_after.centre(objects[0]))
            there = Transform.of(centre, heading_only(here.rotation)) if settles else here
            others.append(
                interpolate_rows(
                    Transforms.repeated(here, len(shares)), Transforms.repeated(there, len(shares)), shares
                )
            )
        return Carrying(motion.task, motion.hand, objects, rows, tuple(others), frame, settles, level)

    def done(self, motion: Motion, carrying: Carrying | None, exact: bool = True) -> StagedScene:
        """After a motion's last frame: its changes are made. What is not where it was to settle stays where its hand
        has brought it, unless this is a draft, which is not `exact`."""
        scene = motion.changed(self.scene)
        if carrying is None:
            return replace(self, scene=scene)
        if carrying.settles:
            settled = {
                name: Transform.of(scene.centre(name), heading_only(self.transforms[name].rotation))
                for name in carrying.objects
            }  # fmt: skip
            if not exact or all(self._near(name, place) for name, place in settled.items()):
                return StagedScene(scene, {**self.transforms, **settled})
        return replace(self, scene=self._as_carried(scene, carrying) if motion.changes else scene)

    def arrived(
        self, stance: Stance, carryings: tuple[Carrying, ...], task: int, hands: Mapping[str, Transform]
    ) -> StagedScene:
        """After the body has gone somewhere: it is there, and what its hands hold has come along."""
        scene = self.scene.with_body_at(stance)
        for hand, at in hands.items():
            if any(space.name == hand for space in scene.spaces):
                scene = scene.with_space_at(hand, at.position)
        for carrying in carryings:
            if carrying.task == task and carrying.objects[0] not in scene.stack_on(carrying.hand):
                scene = self._as_carried(scene, carrying)
        return replace(self, scene=scene)

    def along(self, task: int, hand: str, names: tuple[str, ...], at: Transform, frame: int) -> Carrying:
        """What a hand holds goes along with it, as it is in the hand."""
        first = self.transforms[names[0]]
        others = tuple(Transforms.repeated(first.relative(self.transforms[name]), 1) for name in names[1:])
        return Carrying(task, hand, names, Transforms.repeated(at.relative(first), 1), others, frame, False, False)

    def ridden(self, hand: str, name: str, before: Transform, now: Transform) -> StagedScene:
        """After a hand with a thing in it, or on it, has moved: the thing, and what stands on it, is as it was in the
        hand."""
        tower = self.scene.tower(name)
        in_hand = {other: before.relative(self.transforms[other]) for other in tower}
        moved = self.with_transforms({other: now.compose(place) for other, place in in_hand.items()})
        base = moved.transforms[name].position - (0.0, self.scene.object(name).width, 0.0)
        lies = name == self.scene.bottom(hand)
        return replace(moved, scene=self.scene.with_space_at(hand, base) if lies else self.scene.placed(name, base))

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

    def _near(self, name: str, place: Transform) -> bool:
        """Whether a thing is so near to a place that it can slip into it."""
        at = self.transforms[name]
        return at.distance(place) < 2.0 * _SETTLED and at.angle(place) < 2.0 * SETTLED_TURN

    def _as_carried(self, scene: Scene, carrying: Carrying) -> Scene:
        name = carrying.objects[0]
        base = self.transforms[name].position - (0.0, scene.object(name).width, 0.0)
        return scene.placed(name, base)

    def held(self, motion: Motion, hands: Mapping[str, Transform]) -> HeldThing | None:
        """What the hand of a motion carries, as it is in the hand."""
        if motion.carry is None or motion.carry.palm:
            return None
        name = motion.carry.objects[0]
        return HeldThing(self.scene.object(name), hands[motion.hand].relative(self.transforms[name]))

    def holds(self, hand: Transform, name: str) -> bool:
        """Whether a hand is near the surface of an object."""
        return self.distance(hand, name) <= GRASP_DISTANCE

    def distance(self, hand: Transform, name: str) -> float:
        """From a hand to the surface of an object; 0 inside it."""
        at = self.transforms[name]
        local = np.abs((hand.position - at.position) @ at.rotation) - self.scene.object(name).width
        return length(np.maximum(local, 0.0))


def heading_only(rotation: Floats) -> Floats:
    """The turn about the vertical that a rotation makes, without its tilt."""
    return axis_rotation(1, math.atan2(float(rotation[0, 2]), float(rotation[2, 2])))
