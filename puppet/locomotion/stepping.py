"""Feet in time: from footsteps to where each foot is in each frame.

A foot stands, rolls over its toes, swings, strikes with its heel and comes down flat. What it stands on stays where it
is: first the heel, then the whole sole, then the tips of the toes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from puppet.command import DEFAULT_FPS
from puppet.geometry import axis_rotation, hermite
from puppet.locomotion.course import FootCourse, frames_for
from puppet.locomotion.footsteps import FEET_APART, STRIDE, Footstep, tread
from puppet.locomotion.legs import Foot, Legs
from puppet.locomotion.route import Place
from puppet.locomotion.soles import Sole, aside, goes_aside
from puppet.scene import Stance
from puppet.types import Floats

STEP_FRAMES = 16.5  # of a walk, at DEFAULT_FPS: 109 steps a minute
_FASTEST = 0.75  # of the time that people take: 145 steps a minute
_LEAST_FRAMES = 12.0  # of a step of no walk that leads nowhere; a longer one takes longer, and one that turns
_AROUND, _FAR = 150.0, 0.1  # frames more for each height of the body by which a foot swings farther aside than this
FULL_TURN = math.radians(180.0)  # of a foot, that takes as long as a step of a walk
SWINGS = 0.78  # the part of a step in which a foot is in the air
ROLL, FLAT = 0.6, 0.2  # parts of a step of a walk: rolling over the ball, coming down flat
_LIFTS = 3  # the heel lifts with this power of the time in which the foot rolls: late
SETS_OUT_FRAMES, STANDS_FRAMES = 9.0, 9.0  # before the first step and after the last;
GOES_ON_FRAMES = 6.0  # before the first step of who still moves
SITS_FRAMES = 5.0  # who comes to sit down does so as soon as both feet stand
_HEEL_UP, TOE_UP = math.radians(54.0), math.radians(18.0)  # of a full stride
TOES_LIFT = math.radians(8.0)  # by how much the toes lift at most while a foot rolls over them
ASIDE_UP = math.radians(9.0)  # how far the heel lifts for a step that does not lead ahead
ON_TOES = math.radians(1.0)  # and while it stands on them: as good as flat, yet its ball is off the floor at once
CLEARANCE = 0.012  # what a swinging foot keeps from the floor
ARRIVES = 0.4  # of its mean velocity: how fast a foot still is that strikes with its heel after a full stride
STRIKES = 0.35  # of a frame: a foot that would strike within it has struck
RELAXED = 0.45  # the part of a swing in which the toes come straight


@dataclass(frozen=True)
class Swing:
    """A foot in the air, in frames."""

    step: Footstep
    start: float
    end: float
    before: Footstep  # where it stood
    roll: float  # frames in which it rolls over its toes before
    flat: float  # frames in which it comes down afterwards
    heel_up: float  # radians, when it leaves the floor
    toe_up: float  # radians, when it strikes
    aside: tuple[float, float]  # how far it is off its straight way in the middle, to pass the other foot


@dataclass(frozen=True, eq=False)
class Stepping:
    """Footsteps in time."""

    frames: int
    pace: float  # how much longer it takes than people take
    first: tuple[Footstep, Footstep]  # where the feet stand before
    swings: tuple[Swing, ...]
    courses: tuple[FootCourse, FootCourse]


def plan_stepping(
    legs: Legs, start: Stance, floor: float, steps: Sequence[Footstep], frames: int | None, fps: float = DEFAULT_FPS,
    pace: float | None = None, sits: bool = False, posts: Sequence[Place] = (), flows: bool = False,
) -> Stepping:  # fmt: skip
    """From standing to standing; `frames`: how many it takes, as many as people take if None; or the pace of another
    walk; sits: whether it leads to a seat; posts: that
    feet swing around; flows: whether the body still moves from what it did before."""
    first = [Footstep(n, *tread(foot, start), False) for n, foot in enumerate(legs.feet)]
    befores = _befores(first, steps)
    walks = [any(step.walks for step in steps[max(0, n - 2) : n + 1]) for n in range(len(steps))]  # or comes to a stand
    arounds = _arounds(legs, first, befores, steps, posts)
    lasts = [
        max(STEP_FRAMES if rhythm else _step_frames(legs, before, step), _frames_around(legs, by))
        for before, step, rhythm, by in zip(befores, steps, walks, arounds, strict=True)
    ]
    pauses = [_pause(steps[n - 1 : n + 1], lasts[n - 1]) for n in range(len(steps))]
    stands = SITS_FRAMES if sits else STANDS_FRAMES
    sets_out = GOES_ON_FRAMES if flows else SETS_OUT_FRAMES
    whole = sets_out + stands + sum(pauses) + sum(lasts) - (1.0 - SWINGS) * sum(lasts[-1:])
    total = round(whole * pace) if frames is None and pace else frames_for(whole, frames, fps, _FASTEST)
    scale = pace or total / whole
    swings: list[Swing] = []
    now = sets_out * scale
    rolls, flattens = ROLL * STEP_FRAMES * scale, FLAT * STEP_FRAMES * scale
    for tread_at, before, takes, pause, by in zip(steps, befores, lasts, pauses, arounds, strict=True):
        now += pause * scale
        ahead = _ahead(before, tread_at) / (2.0 * STRIDE * legs.height)
        up = tread_at.heel_up
        if up is None:
            up = max(_HEEL_UP * min(max(ahead, 0.0), 1.0) ** 0.7, ASIDE_UP)
        toe_up = TOE_UP * min(max(ahead, 0.0), 1.0)
        end = now + SWINGS * takes * scale
        swings.append(Swing(tread_at, now, end, before, min(rolls, now), flattens, up, toe_up, by))
        now += takes * scale
    courses = [
        _foot_course(foot, floor, total, first[n], [s for s in swings if s.step.foot == n], legs.height)
        for n, foot in enumerate(legs.feet)
    ]
    return Stepping(total, scale, (first[0], first[1]), tuple(swings), (courses[0], courses[1]))


def _befores(first: Sequence[Footstep], steps: Sequence[Footstep]) -> list[Footstep]:
    """Where the foot of each step stands before it."""
    stands, found = list(first), []
    for step in steps:
        found.append(stands[step.foot])
        stands[step.foot] = step
    return found


def _arounds(
    legs: Legs, first: Sequence[Footstep], befores: Sequence[Footstep], steps: Sequence[Footstep],
    posts: Sequence[Place],
) -> list[tuple[float, float]]:  # fmt: skip
    """How far aside the foot of each step swings."""
    stands, found = list(first), []
    for before, step in zip(befores, steps, strict=True):
        found.append(_around(legs, before, step, stands[1 - step.foot], posts))
        stands[step.foot] = step
    return found


def _around(
    legs: Legs, before: Footstep, step: Footstep, other: Footstep, posts: Sequence[Place]
) -> tuple[float, float]:
    """How far aside a foot swings to pass the one that stands, and posts."""
    foot, (x0, z0), (x1, z1) = legs.feet[step.foot], before.place, step.place

    def swing(share: float) -> Sole:
        return Sole(foot, (x0 + share * (x1 - x0), z0 + share * (z1 - z0)), _turned(before, step, share))

    stands = Sole(legs.feet[other.foot], other.place, other.turn)
    return aside(swing, stands, posts, FEET_APART * legs.height, legs.height)


def _turned(before: Footstep, step: Footstep, share: float) -> float:
    """How a foot is turned after a part of its swing."""
    eased = share * share * (3.0 - 2.0 * share)
    return before.turn + eased * math.remainder(step.turn - before.turn, 2.0 * math.pi)


def _step_frames(legs: Legs, before: Footstep, step: Footstep) -> float:
    """How long a step of no walk takes, at DEFAULT_FPS."""
    far = math.dist(before.place, step.place) / (2.0 * STRIDE * legs.height)
    turns = abs(math.remainder(step.turn - before.turn, 2.0 * math.pi)) / FULL_TURN
    return _LEAST_FRAMES + (STEP_FRAMES - _LEAST_FRAMES) * min(max(far, turns), 1.0)


def _frames_around(legs: Legs, by: Place) -> float:
    """How long a step takes at least whose foot swings so far aside, at DEFAULT_FPS."""
    return _LEAST_FRAMES + _AROUND * (math.hypot(*by) / legs.height - _FAR)


def _pause(steps: Sequence[Footstep], takes: float) -> float:
    """How long a foot rests, at DEFAULT_FPS, that sets out again after its own step: it comes down and rolls first."""
    if len(steps) < 2 or steps[0].foot != steps[1].foot:
        return 0.0
    return max(0.0, (FLAT + ROLL) * STEP_FRAMES - (1.0 - SWINGS) * takes)


def _ahead(before: Footstep, after: Footstep) -> float:
    """How far a step leads ahead, as the foot looks."""
    x, z = after.place[0] - before.place[0], after.place[1] - before.place[1]
    turn = 0.5 * (before.turn + after.turn)
    return x * math.sin(turn) + z * math.cos(turn)


def _foot_course(
    foot: Foot, floor: float, total: int, first: Footstep, swings: Sequence[Swing], height: float
) -> FootCourse:
    places, turns = np.empty((total, 3)), np.empty((total, 3, 3))
    toes, lands = np.zeros(total), np.ones(total)
    stands = first
    follow = list(swings)
    for n in range(total):
        time = n + 1.0
        while follow and time >= follow[0].end + follow[0].flat:
            stands = follow.pop(0).step
        swing = follow[0] if follow else None
        if swing is None or time <= swing.start - swing.roll:
            places[n], turns[n] = _flat(foot, floor, stands)
        elif time < swing.start:  # it rolls over its toes
            share = (time - swing.start + swing.roll) / swing.roll
            places[n], turns[n], toes[n] = rolled(foot, floor, stands, swing.heel_up * share**_LIFTS)
        elif time <= swing.end - STRIKES:
            share = (time - swing.start) / (swing.end - swing.start)
            places[n], turns[n], toes[n] = _swinging(foot, floor, swing, share, height)
            lands[n] = 0.0
        else:  # it has struck with its heel
            share = max(0.0, time - swing.end) / swing.flat
            places[n], turns[n] = _pivoted(foot, floor, swing.step, foot.heel, -swing.toe_up * (1.0 - share) ** 2)
    return FootCourse(places, turns, toes, lands)


def _flat(foot: Foot, floor: float, step: Footstep) -> tuple[Floats, Floats]:
    return np.array([step.place[0], floor + foot.ankle, step.place[1]]), axis_rotation(1, step.turn)


def _pivoted(foot: Foot, floor: float, step: Footstep, pivot: Floats, angle: float) -> tuple[Floats, Floats]:
    """A foot that is tilted about one of its points, which stays where it is when the foot is flat."""
    place, turn = _flat(foot, floor, step)
    tilted = turn @ axis_rotation(0, angle)
    return place + turn @ pivot - tilted @ pivot, tilted


def rolled(
    foot: Foot, floor: float, step: Footstep, angle: float, toes_lift: float = TOES_LIFT
) -> tuple[Floats, Floats, float]:
    """A foot whose heel is lifted by an angle: it stands on the tips of its toes, which lift a little themselves; and
    by how much they are bent."""
    if not len(foot.toe_contacts):
        return *_pivoted(foot, floor, step, foot.ball, angle), 0.0
    place, turn = _flat(foot, floor, step)
    tip = np.array([0.0, foot.toe_contacts[:, 1].min(), foot.toe_contacts[:, 2].max()])
    lifts = toes_lift * math.tanh(angle / toes_lift)
    joint = place + turn @ (foot.ball + tip) - turn @ axis_rotation(0, lifts) @ tip
    tilted = turn @ axis_rotation(0, angle)
    return joint - tilted @ foot.ball, tilted, angle - lifts


def _swinging(foot: Foot, floor: float, swing: Swing, share: float, height: float) -> tuple[Floats, Floats, float]:
    """A foot in the air: from its toes to its heel, over the floor."""
    length = swing.end - swing.start
    start, _, bent = rolled(foot, floor, swing.before, swing.heel_up)
    end, _ = _pivoted(foot, floor, swing.step, foot.heel, -swing.toe_up)
    before, _, _ = rolled(foot, floor, swing.before, swing.heel_up * (1.0 - 0.01) ** _LIFTS)
    leaves = (start - before) / (0.01 * swing.roll) * length
    arrives = np.array([1.0, 0.0, 1.0]) * ARRIVES * swing.toe_up / TOE_UP * (end - start)
    place = hermite(start, end, leaves, arrives, share)
    rises, falls = _LIFTS * swing.heel_up / swing.roll * length, 2.0 * swing.toe_up / swing.flat * length
    tilt = float(hermite(swing.heel_up, -swing.toe_up, rises, falls, share))
    part = goes_aside(share)
    place = place + np.array([part * swing.aside[0], 0.0, part * swing.aside[1]])
    rotation = axis_rotation(1, _turned(swing.before, swing.step, share)) @ axis_rotation(0, tilt)
    relaxed = max(0.0, 1.0 - share / RELAXED)
    bent *= relaxed * relaxed * (3.0 - 2.0 * relaxed)
    points = foot.contacts
    if len(foot.toe_contacts):
        points = np.concatenate([points, foot.ball + foot.toe_contacts @ axis_rotation(0, -bent).T])
    lowest = floor + CLEARANCE * height * min(1.0, 8.0 * share * (1.0 - share))
    under = lowest - float((place[1] + points @ rotation[1]).min())
    if under > 0.0:
        place = place + np.array([0.0, under, 0.0])
    return place, rotation, bent
