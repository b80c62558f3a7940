"""A body that goes somewhere: what it begins and ends with, and the course of its feet, its mass and its trunk."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from puppet.body import Body, hand_transforms
from puppet.geometry import Transform, minimum_jerk
from puppet.locomotion import (
    BodyCourse,
    Footstep,
    Legs,
    crouching_course,
    jumping_course,
    measured,
    rising_course,
    swinging_course,
    tread,
    walk_steps,
    walking_course,
)
from puppet.motion import (
    ArmRoom,
    nearest_turns,
    scene_boxes,
)
from puppet.scene import Scene, Stance
from puppet.stage.carrying_posture import carrying_posture
from puppet.tasks import AtStance
from puppet.types import Floats

_HOLDS_BACK = 0.4  # how much of its lean is left to the trunk of who stands up or sits down with something in a hand
STEPPING = ("walk", "turn", "step")
_OTHER = 1e-6  # radians by which angles differ that are others, of the same rotation
_SETTLES = 0.35  # the part of the time, at both ends, in which free joints go over to what they do on the way


@dataclass(frozen=True, eq=False)
class Journey:
    """What a body that goes somewhere begins and ends with."""

    goal: AtStance
    scene: Scene  # when it begins
    start: Floats  # (dofs,)
    home: Floats  # (dofs,), the posture in which nothing is asked of the body that is there
    arms: Collection[str]  # hands whose arms it moves
    holding: Mapping[str, str | None]  # hands among them that hold something, and what
    things: Mapping[str, Transform]  # where things are
    touching: Mapping[str, frozenset[str]]  # what hands touch
    fps: float
    left: Floats  # (dofs,), the posture of a body of which nothing was asked where it begins
    steps: tuple[Footstep, ...] | None = None  # of a walk, if not those that lead to its goal
    pace: float | None = None  # of a walk that is cut short: that of the whole one
    flows: bool = False  # whether it begins while the body still comes to rest from another one

    @property
    def free(self) -> list[str]:
        return [hand for hand in self.arms if hand not in self.holding]

    def begun_at(self, body: Body, start: Floats) -> Journey:
        """The same from another posture, with what hands hold as it is in them now."""
        before, now = (hand_transforms(body, angles) for angles in (self.start, start))
        things = dict(self.things)
        for hand, name in self.holding.items():
            for moved in self.scene.tower(name) if name is not None else ():
                things[moved] = now[hand].compose(before[hand].relative(self.things[moved]))
        return replace(self, start=start, things=things)


def seen_from_home(body: Body, angles: Floats, home: Floats) -> Floats:
    """The same posture (dofs,) by those angles of ball joints that are nearest to what they are at home, so that no
    joint goes a long way round to where it is already."""
    found = np.array(angles)
    for joint, dofs in _balls(body):
        own = list(dofs)
        if body.joints[joint].range is not None:
            found[own] = nearest_turns(angles[own], home[own])
        else:
            found[own] -= 2.0 * math.pi * np.round((angles[own] - home[own]) / (2.0 * math.pi))
    return found


def seen_from_here(body: Body, here: Floats, start: Floats, postures: Floats) -> Floats:
    """The same postures (frames, dofs) after a start, by angles of ball joints that follow those of here, which is the
    same posture as the start."""
    found = np.array(postures)
    for joint, dofs in _balls(body):
        own, last = list(dofs), here[dofs.start : dofs.stop]
        if body.joints[joint].range is None:
            found[:, own] += last - start[own]
            continue
        for n in range(len(found)) if np.abs(last - start[own]).max() > _OTHER else ():
            last = found[n, own] = nearest_turns(found[n, own], last)
    return found


def _balls(body: Body) -> list[tuple[int, range]]:
    """The joints but the root that turn about three axes, and their degrees of freedom."""
    return [(joint, dofs) for joint, dofs in enumerate(body.rotation_dofs) if joint > 0 and len(dofs) == 3]


def in_hand(journey: Journey) -> dict[str, str]:
    """What hands hold that a journey moves."""
    return {hand: name for hand, name in journey.holding.items() if name is not None}


def as_carried(
    body: Body, stands: Floats, stance: Stance, holding: Mapping[str, str | None], journey: Journey
) -> Floats:
    """A posture (dofs,) in which a body stands and carries what it holds."""
    room = ArmRoom(body, scene_boxes(journey.scene), journey.things)
    turned = stance.turn - journey.goal.before.turn
    return carrying_posture(body, stands, stance, holding, journey.start, room, turned)


def journey_course(body: Body, journey: Journey, frames: int | None) -> tuple[BodyCourse, Floats]:
    """The course of a journey, and what all joints do that it does not move, (frames, dofs)."""
    legs, goal = measured(body), journey.goal
    end = np.array(journey.home)
    for hand in body.hands:
        if hand not in journey.free:
            dofs = body.dofs_of(body.limb(hand).joints)
            end[dofs] = journey.start[dofs]
    if goal.verb == "stand":  # what is held comes to where it is carried
        carries = as_carried(body, end, goal.after, journey.holding, journey)
        arms = [hand for hand, name in journey.holding.items() if name is not None]
        dofs = body.dofs_of({joint for hand in arms for joint in body.limb(hand).joints})
        end[dofs] = carries[dofs]
    axis = body.rotation_dofs[0].start  # whole turns are the same posture
    by = journey.start[axis] + goal.after.turn - goal.before.turn - end[axis]
    end[axis] += 2.0 * math.pi * round(by / (2.0 * math.pi))
    course = _course(body, legs, journey, frames, end)
    share = minimum_jerk(np.arange(1, course.frames + 1) / course.frames)[:, None]
    rests = journey.start + share * (end - journey.start)
    if goal.verb in STEPPING:
        course = replace(course, angles=_settled(journey.start, end, course, min(_SETTLES * course.frames, 20.0)))
    elif goal.before.crouched:
        course = replace(course, angles=_settled(journey.start, _begin(end, course), course, course.frames))
    return course, rests


def _course(body: Body, legs: Legs, journey: Journey, frames: int | None, end: Floats) -> BodyCourse:
    goal, start, free, floor = journey.goal, journey.start, journey.free, journey.scene.floor or 0.0
    if goal.verb in ("sit", "stand") and not goal.before.crouched:
        down = goal.verb == "sit"
        sits, stands = (end, start) if down else (start, end)
        seat, stance = (goal.after, goal.before) if down else (goal.before, goal.after)
        lean = _HOLDS_BACK if journey.holding else 1.0
        return rising_course(body, legs, sits, stands, seat, stance, floor, frames, down, free, journey.fps, lean)
    if goal.verb in ("crouch", "stand"):
        down = goal.verb == "crouch"
        return crouching_course(body, legs, start if down else end, goal.after, floor, frames, down, free, journey.fps)
    if goal.verb == "jump":
        return jumping_course(body, legs, goal.before, goal.after, floor, goal.height, frames, end, free, journey.fps)
    if goal.verb == "swing":
        bar = next(bar for bar in journey.scene.bars if bar.name == goal.bar)
        return swinging_course(
            body, legs, goal.before, bar, floor, goal.turns, frames, start, end, journey.arms, journey.fps
        )
    steps = footsteps(legs, journey) if journey.steps is None else journey.steps
    return walking_course(
        body, legs, goal.before, floor, steps, frames, end, free, journey.fps, journey.pace,
        goal.sidles_in and journey.steps is None, posts(journey), journey.flows,
    )  # fmt: skip


def posts(journey: Journey) -> tuple[tuple[float, float], ...]:
    """What feet swing around: legs of chairs, posts of bars, and the edges of things on the floor."""
    scene = journey.scene.without(in_hand(journey).values())
    furniture = {name for name, _ in scene.furniture}
    found = [leg for seat in scene.seats for leg in seat.legs]
    for _, (middle, half, turn) in (entry for entry in scene.obstacles if entry[0] not in furniture):
        frame = Stance(middle, turn)
        found += [frame.world(x * half[0], z * half[1]) for x, z in product((-1.0, 0.0, 1.0), repeat=2)]
    return tuple(found)


def footsteps(legs: Legs, journey: Journey) -> list[Footstep]:
    """Of a walk, a turn or a step."""
    goal = journey.goal
    if goal.verb == "step":
        return _one_step(legs, goal)
    return walk_steps(legs, goal.before, goal.route, goal.after, goal.sidles_out, goal.sidles_in, posts(journey))


def _one_step(legs: Legs, goal: AtStance) -> list[Footstep]:
    """One foot treads where it was told, and the other one comes beside it."""
    assert goal.foot is not None
    assert goal.place is not None
    other = 1 - goal.foot
    first = Footstep(goal.foot, goal.place, goal.after.turn + legs.feet[goal.foot].toe_out, False)
    return [first, Footstep(other, *tread(legs.feet[other], goal.after), False)]


def _settled(start: Floats, usual: Floats, course: BodyCourse, within: float) -> dict[int, Floats]:
    """What a course does with its free joints, beginning as they are, not as usual; within so many frames."""
    begins = 1.0 - minimum_jerk(np.minimum(np.arange(1, course.frames + 1) / max(1.0, within), 1.0))
    return {dof: angles + begins * (start[dof] - usual[dof]) for dof, angles in course.angles.items()}


def _begin(posture: Floats, course: BodyCourse) -> Floats:
    """A posture with the joints that a course moves as they are in its first frame."""
    found = np.array(posture)
    for dof, angles in course.angles.items():
        found[dof] = angles[0]
    return found
