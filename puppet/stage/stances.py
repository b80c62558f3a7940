"""Where a body stands or sits: the posture in which it does, and the posture generator as it is used there.

The posture generator knows a body that faces +z from the middle of the world. For a body that is elsewhere, or faces
elsewhere, goals are put into its own coordinates, and postures back into the world.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from puppet.body import Body
from puppet.geometry import Transform
from puppet.locomotion import legs_of, moved_by, standing_upright
from puppet.locomotion.route import BEFORE_TABLE, CUSHION
from puppet.motion import ArmRoom, scene_boxes
from puppet.scene import Scene, Stance
from puppet.stage.aiming import aim
from puppet.stage.goal_postures import GoalPostures, Start
from puppet.stage.hand_postures import HandPostures
from puppet.stage.riding import ridden
from puppet.stage.seating import SeatedAt, seat_at, sitting
from puppet.stage.standing_reach import StandingReach
from puppet.tasks import (
    Aimed,
    AtGesture,
    AtPoint,
    HeldThing,
    Miss,
    at_transform,
    goal_seen,
    grip,
    placed_in_world,
    seen_by_body,
)
from puppet.types import Floats


def first_scene(body: Body, scene: Scene) -> Scene:
    """The scene with its floor, and with the body where it begins."""
    if not legs_of(body):
        return replace(scene, stance=None)
    home = seat_at(body, scene)
    if not scene.open:
        return replace(scene, floor=home.floor, seat=home.top, stance=None)
    scene = scene if scene.floor is not None else replace(scene, floor=home.floor)
    if scene.stance is not None:
        return scene
    for seat in scene.seats:
        sits = Stance(seat.place, seat.turn, seat.name)
        if replace(scene, stance=sits).table_at_hand.front > -1.0:
            return replace(scene, stance=sits)
    before = BEFORE_TABLE if scene.has_table else 0.0
    return replace(scene, stance=Stance((scene.table.skew, scene.table.front - before)))


@dataclass(frozen=True, eq=False)
class StancePostures:
    """The posture generator for a body in a stance, in the world."""

    inner: HandPostures
    stance: Stance | None
    legs: StandingReach | None = None  # they help where a body stands

    @property
    def solver(self) -> str:
        return self.inner.solver

    @cached_property
    def home(self) -> Floats:
        """The posture in which nothing is asked of the body, but that its hands do not yet lie on the table."""
        return self.to_world(self.inner.standing)

    def to_world(self, angles: Floats) -> Floats:
        if self.stance is None:
            return angles
        return np.asarray(moved_by(self.inner.body, angles[None], self.stance.place, self.stance.turn)[0])

    def to_body(self, angles: Floats) -> Floats:
        """Whole turns of who has walked in circles are left out."""
        if self.stance is None:
            return angles
        x, z = Stance((0.0, 0.0), -self.stance.turn).world(-self.stance.place[0], -self.stance.place[1])
        found = moved_by(self.inner.body, angles[None], (x, z), -self.stance.turn)[0]
        dofs = list(self.inner.body.rotation_dofs[0])
        found[dofs] -= 2.0 * np.pi * np.round(found[dofs] / (2.0 * np.pi))
        return np.asarray(found)

    def reach(self, hand: str, pose: Transform) -> tuple[Transform, Miss]:
        seen = seen_by_body(self.stance, pose)
        reached, miss = self.inner.reach(hand, seen)
        if self.legs is not None and not miss.met:
            found = self.legs.reach({hand: seen})
            if found.met or found.off < miss.position:
                reached, miss = found.hands[hand]
        return placed_in_world(self.stance, reached), miss

    def reach_upright(self, hand: str, pose: Transform) -> tuple[Miss, float]:
        return self.inner.reach_upright(hand, seen_by_body(self.stance, pose))

    def aim(self, hand: str, scene: Scene, goal: Aimed) -> tuple[Aimed, Transform, Miss]:
        if isinstance(goal, AtPoint):
            return self._aim_at_point(hand, scene, goal)
        own = self._seen(scene)
        found, reached, miss = aim(self.inner, hand, own, goal)
        assert not isinstance(found, AtPoint)
        bows = self.legs is not None and miss.met and self.legs.bows(self.inner, hand, reached)
        if self.legs is not None and (bows or not miss.met):
            helped = self.legs.aim(self.inner, hand, own, found if bows else goal)
            if helped is not None and (helped[1].met or helped[1].off < miss.position):
                found, (reached, miss) = helped[0], helped[1].hands[hand]
        return found, placed_in_world(self.stance, reached), miss

    def _aim_at_point(self, hand: str, scene: Scene, goal: AtPoint) -> tuple[AtPoint, Transform, Miss]:
        seen = goal_seen(self.stance, goal)
        assert isinstance(seen, AtPoint)
        found, reached, miss = aim(self.inner, hand, self._seen(scene), seen)
        assert isinstance(found, AtPoint)
        wanted = Transform.of(found.position, np.reshape(found.rotation, (3, 3)))
        if self.legs is not None and not miss.met:
            helped = self.legs.reach({hand: self.inner.clear(hand, wanted)})
            if helped.met or helped.off < miss.position:
                reached, miss = helped.hands[hand]
        placed = [placed_in_world(self.stance, at) for at in (wanted, reached)]
        return at_transform(placed[0]), placed[1], miss

    def perform(
        self, hand: str, goal: AtGesture, held: HeldThing | None, scene: Scene, angles: Floats, helps: bool
    ) -> tuple[Floats, Miss] | None:
        found = self.inner.perform(hand, goal, held, self._seen(scene), self.to_body(angles), helps)
        return None if found is None else (self.to_world(found[0]), found[1])

    def goals(
        self, base: Floats, starts: Sequence[Start], scene: Scene, staged: Scene, things: Mapping[str, Transform]
    ) -> tuple[Floats, dict[int, Miss], frozenset[int]]:
        """As GoalPostures.goals; `staged` is the scene whose solids are in the way."""
        several = GoalPostures(self.inner)
        if self.stance is None:
            return several.goals(base, starts, scene, scene_boxes(staged), things)
        seen = [
            replace(
                start, motion=replace(start.motion, goal=goal_seen(self.stance, start.motion.goal)),
                others={hand: goal_seen(self.stance, goal) for hand, goal in start.others.items()},
                poses={hand: seen_by_body(self.stance, pose) for hand, pose in start.poses.items()},
                look=None if start.look is None else self._place_seen(start.look),
            )
            for start in starts
        ]  # fmt: skip
        own = {name: seen_by_body(self.stance, at) for name, at in things.items()}
        boxes = scene_boxes(self._seen(staged))
        at = self.to_body(base)
        if self.legs is not None:
            at = self.legs.upright(at, seen)
        found, misses, cleared = several.goals(at, seen, self._seen(scene), boxes, own)
        if self.legs is not None:
            helped = self.legs.help(self.inner, at, found, seen, self._seen(scene), misses)
            rides = {hand: name for start in seen for hand, name in start.rides.items()}
            if rides:
                body = self.inner.body
                helped = ridden(body, self.to_body(base), helped, rides, ArmRoom(body, boxes, own))
            if helped is not found:
                found = several.out_of_things(seen, boxes, own, helped)
        return self.to_world(found), misses, cleared

    def clear(self, hand: str, pose: Transform) -> Transform:
        return placed_in_world(self.stance, self.inner.clear(hand, seen_by_body(self.stance, pose)))

    def facing(self, angles: Floats, place: Floats) -> Floats:
        """The angles with the head turned to a place of the world, as far as it can be."""
        return self.to_world(self.inner.facing(self.to_body(angles), self._place_seen(place)))

    def _place_seen(self, place: Floats) -> Floats:
        return seen_by_body(self.stance, Transform.of(place)).position

    def missed(self, at: Transform, wanted: Transform) -> Miss:
        return self.inner.missed(at, wanted)

    def _seen(self, scene: Scene) -> Scene:
        """A scene in the body's coordinates, whichever stance that scene has."""
        return scene if self.stance is None else replace(scene, stance=self.stance).seen


class Stances:
    """The posture generators of a body, one for each way in which it stands or sits."""

    def __init__(self, body: Body, solver: str) -> None:
        self._body, self.solver = body, solver
        self._known: dict[object, HandPostures] = {}
        self._homes: dict[object, Floats] = {}

    def at(self, scene: Scene) -> StancePostures:
        """The posture generator where the body of a scene is."""
        stance = scene.stance
        if stance is None:
            return StancePostures(self._postures(scene, None), None)
        inner = self._postures(scene, stance)
        legs = None
        if stance.seat is None and self.solver != "estimate":  # who crouches, and has to, reaches as who stands
            upright = replace(stance, crouched=False)
            standing = self._postures(replace(scene, stance=upright), upright).standing
            legs = StandingReach(self._body, scene.floor or 0.0, standing)
        return StancePostures(inner, stance, legs)

    def home(self, scene: Scene) -> Floats:
        """The posture of a body of which nothing is asked: hands on the table where it sits at one; in the world."""
        key = self._key(scene)
        postures = self.at(scene)
        if key not in self._homes:
            seen = scene.seen
            angles = postures.inner.standing.copy()
            seated = scene.stance is None or scene.stance.seat is not None
            at_table = scene.stance is None or scene.table_at_hand.front > -1.0
            for hand, limb in self._body.limbs.items():
                if limb.rest == "table" and seated and at_table:
                    rest = postures.inner.clear(hand, grip.transform_at_rest(seen, limb))
                    postures.inner.track(angles, hand, rest)
            self._homes[key] = angles
        found = np.array(postures.to_world(self._homes[key]))
        found.flags.writeable = False
        return found

    def _key(self, scene: Scene) -> object:
        stance = scene.stance
        if stance is None:
            return scene.table, scene.floor
        height = scene.seat_named(stance.seat).height if stance.seat is not None else None
        return scene.table_at_hand, height, scene.floor, stance.crouched

    def _postures(self, scene: Scene, stance: Stance | None) -> HandPostures:
        key = (stance is None, self._key(scene))
        if key not in self._known:
            body = self._body
            rest = body.rest
            if stance is None:
                if legs_of(body):
                    rest = sitting(body, seat_at(body, scene))
                self._known[key] = HandPostures(body, scene.table, rest, self.solver)
                return self._known[key]
            floor = scene.floor or 0.0
            if stance.seat is not None:
                height = scene.seat_named(stance.seat).height + CUSHION
                rest = sitting(body, SeatedAt((0.0, height, 0.0), floor))
            else:
                rest = standing_upright(body, floor)
                if stance.crouched:
                    from puppet.stage.travelling import crouched

                    rest = crouched(body, rest, floor)
            self._known[key] = HandPostures(body, scene.table_at_hand, rest, self.solver)
        return self._known[key]
