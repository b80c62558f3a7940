"""The frames of a whole body whose hands have somewhere to go, or something to hold, with nothing in their way.

The wrist of each hand that goes somewhere has a path in space, and its arm follows it, with the swivel going evenly
from one posture to the other. Where an arm, or what it carries, would come too near to something, the two bends of its
path and the swing of its elbow are changed (see puppet.motion.descent), from the plain path, and from the best of many
that go over, around or before what is in the way. What is found on each path is made better as far as that goes (see
puppet.motion.mending), and the least bad one is taken (see puppet.motion.judging).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from puppet.geometry import unwrapped
from puppet.kernels.descent_model import DEEP
from puppet.motion.arm_frames import ArmFrames, has_arms
from puppet.motion.descent import Search, descent_of
from puppet.motion.elbow import swing_elbows
from puppet.motion.judging import FAULTLESS, GOOD, Fault, Judge, badness
from puppet.motion.limb_frames import LimbFrames
from puppet.motion.mending import HELD_WELL, Mending
from puppet.motion.problem import Found, HandCourse, Problem
from puppet.motion.surroundings import Surroundings
from puppet.types import Floats

_BOUND = 0.3  # a joint that leaps farther than this goes by its own curve, whatever is in its way
_WORTH, _HURRY = 0.05, 2e-3  # what is no worse than the one, and better by the other, would be worth more time
_ROUGHNESS = 0.02  # what is as bad as a velocity that changes by a radian too much in a frame, where there is more time
_LENGTH, _NO_WAY = 1e-3, 0.02  # what is as bad as a way twice as long as the plain one, where that is a way at all
_SHORT_WAY = 0.05  # what is shorter may be as much longer as one of this length
_PATIENCE, _IF_LONG = 3, 2  # further paths that are tried where one is as good as can be, but rough; or only long
_LONG = 1.3  # times as long as if nothing were in the way
_STUCK = 0.1  # radians by which limits are broken where bends of a path will hardly help
_PLAIN = (0.5, 1.0)  # how much of its way a hand goes as its joints would by themselves, where all else fails


def plan(problem: Problem) -> tuple[Found, tuple[HandCourse, ...]]:
    """The frames, and the hands with the paths that they take."""
    around, judge = Surroundings(problem), Judge(problem)
    frames = ArmFrames(problem, around) if has_arms(problem.body, problem.hands) else LimbFrames(problem, around)
    found = frames.at(problem.hands, np.arange(problem.frames))
    if not problem.hands:
        return found, ()
    mending, tried, hurried = Mending(problem, around, frames, judge), 1, False
    best, hands, bad = mending.unhurried(found, problem.hands)
    if bad != FAULTLESS:
        best, hands, bad, tried, least = _searched(problem, frames, mending, judge, found, (best, hands, bad))
        hurried = least < _WORTH and bad[0] > least + _HURRY
    best, bad = mending.without_seen_leaps(best, hands, bad)
    postures = _on_the_same_turn(problem, best.postures)
    ways = judge.ways(best, hands)
    whole = bad[0] + _ROUGHNESS * bad[1]
    whole += _LENGTH * max(0.0, float(ways.sum()) / max(_planned_way(problem), _NO_WAY) - 1.0)
    planned = np.array([max(hand.path.length, _SHORT_WAY) for hand in problem.hands if hand.path is not None])
    longer = float((ways / planned).max(initial=1.0)) - 1.0
    return replace(
        best, postures=postures, world=None, tried=tried, bad=whole, rough=bad[1], hurried=hurried, longer=longer
    ), hands


def _searched(
    problem: Problem, frames: ArmFrames | LimbFrames, mending: Mending, judge: Judge, first: Found,
    best: tuple[Found, tuple[HandCourse, ...], Fault],
) -> tuple[Found, tuple[HandCourse, ...], Fault, int, float]:  # fmt: skip
    """The least bad frames on any path, their hands, and what is wrong with them; how many were tried, and how bad what
    might leap is at least. first: the frames on the plain paths; best: what was made of them."""
    found, hands, bad = best
    tried, least = 1, badness(first, problem.hands)
    shallow, clear = first, problem.hands  # what is least deep, whatever limits it breaks
    floor = max(0.0, float(first.depths[-1]) - DEEP) + GOOD  # the end is the same, whatever the path
    plain, way = _planned_way(problem), judge.way(found, hands)
    roughly = 0  # paths that were tried since one was only rough, or only long
    for search in _searches(problem, frames, judge, first):
        tried += search.tried
        if search.like is not None:
            search.depths = search.like.depths
        else:
            again = frames.at(search.hands, np.arange(problem.frames))
            search.depths = again.depths
            tried += 1
            own, worse = search.hands, badness(again, search.hands)
            if round(worse, 4) <= max(bad[0], HELD_WELL):  # else nothing that is mended of it will do
                again, own, other = mending.unhurried(again, own)
                worse = badness(again, own)
                if other < bad or (other == bad == FAULTLESS and judge.way(again, own) < way):
                    found, hands, bad, way = again, own, other, judge.way(again, own)
            least = min(least, worse)
            if again.depth < shallow.depth:
                shallow, clear = again, own
        roughly += bad[0] <= floor
        if roughly > (_PATIENCE if bad[1] > 0.0 else _IF_LONG) or (bad == FAULTLESS and way <= _LONG * plain):
            break
    if bad == FAULTLESS and all(hand.plain < 1.0 for hand in hands):
        return found, hands, bad, tried, least
    for reference, own in ((found, hands), (shallow, clear))[: 1 if shallow is found else 2]:
        if not isinstance(frames, ArmFrames) or bad[0] <= HELD_WELL:
            break
        again = mending.followed(reference, own)
        other = judge.fault(again, own)
        least = min(least, badness(again, own))
        if mending.as_clear_of_the_table(again, found):
            again, other = mending.without_leaps(again, own, other)
            if other < bad:
                found, bad = again, other
    found, bad = mending.without_leaps(found, hands, bad)
    if any(hand.plain >= 1.0 for hand in hands):
        found, bad = mending.straighter(found, hands, bad)
    found, bad = mending.without_twitches(found, hands, bad)
    if judge.pace.leap(found.postures) > _BOUND:  # all else fails: each joint by its own curve
        found = mending.by_joints(found, hands)
        bad = judge.fault(found, hands)
    return found, hands, bad, tried, least


def _planned_way(problem: Problem) -> float:
    """How far hands go on their plain paths: arms that cannot follow these go elsewhere."""
    return sum(hand.path.length for hand in problem.hands if hand.path is not None)


def _on_the_same_turn(problem: Problem, postures: Floats) -> Floats:
    """The same frames, in which angles of ball joints with ranges do not go on a whole turn farther."""
    balls = [j for j, joint in enumerate(problem.body.joints) if joint.range is not None]
    if not balls:
        return postures
    dofs, found = problem.body.dofs_of([j for j in balls if j != 0]), postures.copy()
    found[:, dofs] = unwrapped(np.concatenate([problem.references[:1, dofs], found[:, dofs]]))[1:]
    return found


def _searches(problem: Problem, frames: ArmFrames | LimbFrames, judge: Judge, first: Found) -> Iterator[Search]:
    """Hands on other paths, the most promising first. first: on those that they have."""
    descent = descent_of(problem, frames, problem.hands)
    nothing = np.zeros(descent.size)
    plain, bends = descent.down(nothing)
    yield plain
    yield from descent.approaching(nothing)
    can_be_clear = float(first.depths[-1]) <= DEEP
    over, rough = float(first.overs.max(initial=0.0)), judge.rough(first)
    stuck = isinstance(frames, ArmFrames) and (over > _STUCK or rough > 0.0 or not can_be_clear)
    held_level = any(hand.level and not hand.idle for hand in problem.hands)
    own_ways = [] if held_level else list(_by_joints(problem))
    if stuck:  # arms cannot follow: their joints can
        yield from own_ways
    again = descent_of(problem, frames, problem.hands)
    again.look_at_worst(plain.depths)
    yield again.further(plain, bends)[0]
    yield descent.down(descent.straight())[0]
    found, bends = descent.down(descent.promising())
    yield found
    descent.look_at_worst(found.depths)
    closer, bends = descent.further(found, bends)
    yield closer
    yield from descent.approaching(bends)
    if isinstance(frames, ArmFrames):
        for own in (found, closer) if closer.like is None else (found,):
            yield from (Search(swung, 1) for swung in swing_elbows(frames, own.hands))
    for start in descent.others() if can_be_clear else ():
        other, bends = descent.down(start)
        yield other
        descent.look_at_worst(other.depths)
        other, bends = descent.further(other, bends)
        yield other
        descent.look_at_worst(other.depths)
    if isinstance(frames, ArmFrames):
        if any(hand.path is None for hand in problem.hands):
            return  # what another hand holds too is not tilted
        loose = tuple(replace(hand, level=False) if hand.path is not None else hand for hand in found.hands)
        if any(hand.level and hand.path is not None for hand in problem.hands):  # what is carried may be tilted
            yield Search(loose, 1)
            yield from (Search(swung, 1) for swung in swing_elbows(frames, loose))
        if not stuck or not own_ways:
            yield from _by_joints(problem)


def _by_joints(problem: Problem) -> Iterator[Search]:
    """Hands that go partly, or altogether, where their joints bring them by themselves."""
    for share in _PLAIN:
        joints = tuple(hand if hand.path is None else replace(hand, level=False, plain=share)
                       for hand in problem.hands)  # fmt: skip
        yield Search(joints, 1)
