"""The frames of a whole body whose hands have somewhere to go, or something to hold, with nothing in their way.

The wrist of each hand that goes somewhere has a path in space, and its arm follows it, with the swivel going evenly
from one posture to the other. Where an arm, or what it carries, would come too near to something, the two bends of its
path and the swing of its elbow are changed by damped least squares,

    cost = sum over frames and parts of (missing clearance / _LACK)^2 + (bends / BEND)^2 + (swing / _SWING)^2
           + (broken limits / _OVER)^2 + (too far / _SHORT)^2,

from the plain path, and from the best of many that go over, around or before what is in the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from puppet.body import joint_transforms
from puppet.command import DEFAULT_FPS
from puppet.geometry import axis_rotations
from puppet.motion.arm_frames import ArmFrames, angles_between, has_arms, middle
from puppet.motion.elbow import swing_elbows
from puppet.motion.goal_clearance import over_table
from puppet.motion.limb_frames import LimbFrames
from puppet.motion.problem import Found, HandCourse, Problem
from puppet.motion.smoothing import steadied, velocity_steps
from puppet.motion.steps import ROOMS, Pace, seen_leaps
from puppet.motion.surroundings import PARTS, Surroundings
from puppet.motion.trajectory import AT_REST
from puppet.types import Flags, Floats, Ints

_SAMPLES = 9  # frames in which a path is tried
_LACK, BEND, _SWING, _OVER, _SHORT = 0.003, 0.1, 0.6, 0.01, 0.002
_ROUNDS = 4  # of least squares
STEP_BEND, STEP_SWING = 2e-3, 0.02  # by which slopes are measured
_FARTHEST, WIDEST = 0.08, 0.5  # of one step
_ENOUGH = 0.5  # a cost that is no longer made less
DAMPINGS = np.array([0.01, 0.3, 10.0])
DEEP = 1e-3  # solids this deep in each other: nothing to speak of
_NEAR, _ASTRAY = 0.03, 0.1  # how far a hand may leave a path in its middle that need not be just so; what more counts
_HELD = 4e-4  # a hand that is farther from what it holds does not hold it
_LEAP = 0.05  # what is as bad as a joint that goes or turns twice as far in a frame as it may
_BOUND = 0.3  # a joint that leaps farther than this goes by its own curve, whatever is in its way
_PASSES = 2  # in which leaps are made motions
_WORTH, _HURRY = 0.05, 2e-3  # what is no worse than the one, and better by the other, would be worth more time
_TILT = 0.04  # what is as bad as a thing that is tilted on its way by a radian
_ROUGHNESS = 0.02  # what is as bad as a velocity that changes by a radian too much in a frame, where there is more time
_PATIENCE = 3  # further paths that are tried where one is as good as can be, but rough
_STUCK = 0.1  # radians by which limits are broken where bends of a path will hardly help
_ARRIVED = 1e-3  # radians from where joints shall be in the end: there
_TURNS_COUNT = (0.3, 0.6, 0.5)  # how much turns count where paths are spread over the time anew
_PEAK = 2.2  # the largest speed of a hand then, beside its mean; as seen by others, who cut its ends off, about 2
_FEWEST = 4  # frames of which that can be said
_SEAM = 0.031  # radians a frame by which they may change where a motion begins or ends
_GENTLE = 0.1  # the same where there is a choice
_NO_WORSE, _HARDLY = 1.15, 1.5e-3  # times as bad, and how much besides, as what is not good: hardly to be seen
_WEIGHTS = (1.0, 30.0, 500.0, 4e3, 3e4)  # by which frames are made smoother, one after the other
_SMOOTH = 0.08  # radians a frame by which velocities may change
GOOD = 1e-6  # what is no worse cannot be seen
_NOTHING = (0.0, 0.0)  # is wrong
SHORTFALL = 3e-3  # of a clearance that may be missing
_BENDS = 6  # numbers for the bends of a path; one more for the swing of the elbow
# How far the two bends of a path are moved where that seems to be all that is needed: a hand comes out of one grip, and
# into another, with the back of its hand first, or is lifted.
_APPROACHES = (0.015, 0.035, 0.065)
_UP, _UPWARDS = np.array([0.0, 1.0, 0.0]), 0.9  # the back of a hand that faces up more than this is up
_AT_ONCE, _MOST = 8, 16  # tries in one go, and in all
# Bends and swings of a left arm with which a search begins anew: higher, aside, back or ahead, early or late.
_STARTS = np.array([
    [first * x, first * y, first * z, last * x, last * y, last * z, swing]
    for y in (0.0, 0.06, 0.13, 0.22)
    for x, z in ((0.0, 0.0), (0.1, 0.0), (-0.08, 0.0), (0.0, -0.1), (0.0, 0.08), (0.08, -0.08))
    for first, last, swing in ((1.0, 1.0, 0.0), (1.3, 0.4, 0.0), (0.4, 1.3, 0.0), (1.0, 1.0, -0.6), (1.0, 1.0, 0.6))
    if (x == z == 0.0 and y > 0.0) or (y in (0.06, 0.13) and swing == 0.0)
])  # fmt: skip
_LOOKS = 2  # how often the deepest frame of such a search is looked at
_ANEW, _UNLIKE = 2, 0.7  # searches that begin elsewhere where one has failed, and how much their beginnings differ
_FAR_BETTER, _FARTHER = 0.5, 3e-3  # a share of what is wrong, and how much less: then frames may be rougher
_NEARER = (0.3, 0.4, 0.5, 0.6, 0.75)  # the same where the solver follows, with such joints as its reference
PLAIN = (0.5, 1.0)  # how much of its way a hand goes as its joints would by themselves, where all else fails


def plan(problem: Problem) -> tuple[Found, tuple[HandCourse, ...]]:
    """The frames, and the hands with the paths that they take."""
    found, hands = _searched(problem)
    return _without_seen_leaps(problem, found, hands), hands


def _without_seen_leaps(problem: Problem, best: Found, hands: tuple[HandCourse, ...]) -> Found:
    """The same frames, or the least bad ones in which joints that leap for all to see have time for that, or go by
    their own curves, if these leap no more."""
    now = problem.references[:1]
    leaps = seen_leaps(problem.body, problem.before, np.concatenate([now, best.postures]))
    if not hands or not len(leaps):
        return best
    around, pace = Surroundings(problem), Pace(problem.body, problem.references, _rests(problem))
    frames, joints = LimbFrames(problem, around), problem.joints | problem.trunk
    tries = [_moved(problem, around, hands, best, _in_ranges(problem))]
    for room in ROOMS:
        bridged = pace.bridged_at(best.postures, joints, room, leaps)
        tries.append(_moved(problem, around, hands, best, bridged))
        tries.append(_followed(problem, frames, hands, tries[-1]))
    judged = []
    for again in tries:
        if not len(seen_leaps(problem.body, problem.before, np.concatenate([now, again.postures]))):
            bad, rough = _judged(problem, pace, again, hands)
            judged.append((bad, rough, again))
    if not judged:
        return best
    bad, rough, again = min(judged, key=lambda tried: tried[:2])
    postures = _on_the_same_turn(problem, again.postures)
    bad += _ROUGHNESS * rough
    return replace(again, postures=postures, tried=best.tried, bad=bad, rough=rough, hurried=best.hurried)


def _searched(problem: Problem) -> tuple[Found, tuple[HandCourse, ...]]:
    around = Surroundings(problem)
    frames = ArmFrames(problem, around) if has_arms(problem.body, problem.hands) else LimbFrames(problem, around)
    everything, pace = np.arange(problem.frames), Pace(problem.body, problem.references, _rests(problem))
    found = frames.at(problem.hands, everything)
    best, hands, bad = _unhurried(problem, around, pace, frames, found, problem.hands)
    if not problem.hands or (bad == _NOTHING and float(best.missing[:, :-1].max(initial=0.0)) <= SHORTFALL):
        return best, hands
    tried, least = 1, badness(found, problem.hands)
    shallow, clear = found, problem.hands  # what is least deep, whatever limits it breaks
    floor = max(0.0, float(found.depths[-1]) - DEEP) + GOOD  # the end is the same, whatever the path
    roughly = 0  # paths that were tried since one was only rough
    for search in _searches(problem, frames, found):
        again = frames.at(search.hands, everything)
        search.depths = again.depths
        tried += search.tried + 1
        again, own, other = _unhurried(problem, around, pace, frames, again, search.hands)
        least = min(least, badness(again, own))
        if other < bad:
            best, hands, bad = again, own, other
        if again.depth < shallow.depth:
            shallow, clear = again, own
        roughly += bad[0] <= floor
        if bad == _NOTHING or roughly > _PATIENCE:
            break
    for found, own in ((best, hands), (shallow, clear))[: 1 if shallow is best else 2]:
        if not isinstance(frames, ArmFrames) or bad[0] <= _HELD:
            break
        again = _followed(problem, frames, own, found)
        other = _judged(problem, pace, again, own)
        least = min(least, badness(again, own))
        ends = [over_table(problem.body, problem.boxes, each.postures[-1]) for each in (again, best)]
        if ends[0] <= ends[1] + 1e-9:
            again, other = _without_leaps(problem, around, pace, frames, own, again, other)
            if other < bad:
                best, bad = again, other
    best, bad = _without_leaps(problem, around, pace, frames, hands, best, bad)
    if any(hand.plain >= 1.0 for hand in hands):
        best, bad = _straighter(problem, pace, frames, hands, best, bad)
    best, bad = _without_twitches(problem, around, pace, hands, best, bad)
    if pace.leap(best.postures) > _BOUND:  # all else fails: each joint by its own curve
        best = _moved(problem, around, hands, best, _in_ranges(problem))
        bad = _judged(problem, pace, best, hands)
    best = replace(best, postures=_on_the_same_turn(problem, best.postures))
    hurried = least < _WORTH and bad[0] > least + _HURRY
    return replace(best, tried=tried, bad=bad[0] + _ROUGHNESS * bad[1], rough=bad[1], hurried=hurried), hands


def _straighter(
    problem: Problem, pace: Pace, frames: ArmFrames | LimbFrames, hands: tuple[HandCourse, ...], best: Found,
    bad: tuple[float, float],
) -> tuple[Found, tuple[float, float]]:  # fmt: skip
    """The same frames of hands that go where their joints bring them, or others that are nearer to their paths, as near
    as the whole-body solver gets from there: as smooth and no worse, or far better."""
    smooth = max(_GENTLE, _roughest(problem, best))
    for share in _NEARER:
        own = tuple(replace(hand, plain=share) if hand.plain >= 1.0 else hand for hand in hands)
        again = _followed(problem, frames, own, best)
        other = _judged(problem, pace, again, own)
        ends = [over_table(problem.body, problem.boxes, each.postures[-1]) for each in (again, best)]
        better = other[0] < _FAR_BETTER * bad[0] and other[0] < bad[0] - _FARTHER
        smoothly = better or _roughest(problem, again) <= smooth
        if other <= bad and ends[0] <= ends[1] + 1e-9 and smoothly:
            return again, other
    return best, bad


def _on_the_same_turn(problem: Problem, postures: Floats) -> Floats:
    """The same frames, in which angles of ball joints with ranges do not go on a whole turn farther."""
    balls = [j for j, joint in enumerate(problem.body.joints) if joint.range is not None]
    dofs, found = problem.body.dofs_of([j for j in balls if j != 0]), postures.copy()
    found[:, dofs] = np.unwrap(np.concatenate([problem.references[:1, dofs], found[:, dofs]]), axis=0)[1:]
    return found


def _rests(problem: Problem) -> bool:
    return bool(np.abs(problem.references[0] - problem.before).max(initial=0.0) < AT_REST)


def _in_ranges(problem: Problem) -> Floats:
    """What the joints would do by themselves, with ball joints inside their ranges."""
    found, body = problem.references[1:].copy(), problem.body
    balls = [number for number, joint in enumerate(body.joints) if joint.range is not None]
    for posture in found:
        for joint in balls:
            body.put_into_range(joint, posture)
    return found


def _without_leaps(
    problem: Problem, around: Surroundings, pace: Pace, frames: ArmFrames | LimbFrames, hands: tuple[HandCourse, ...],
    best: Found, bad: tuple[float, float],
) -> tuple[Found, tuple[float, float]]:  # fmt: skip
    """The same frames, or better ones in which joints that leap have more and more time for that, and then follow their
    courses from there; and what is wrong with them."""
    for _ in range(_PASSES):  # what follows its courses better may leap elsewhere
        found = best
        for room in ROOMS if pace.leap(found.postures) > 0.0 else ():
            bridged = pace.bridged(found.postures, problem.joints | problem.trunk, room)
            smooth = _moved(problem, around, hands, found, bridged)
            for follows in (False, True):
                again = _followed(problem, frames, hands, smooth) if follows else smooth
                other = _judged(problem, pace, again, hands)
                if other < bad:
                    best, bad = again, other
                if bad == _NOTHING:
                    break
            if bad == _NOTHING or 2 * room >= problem.frames:
                break
        if found is best:
            break
    return best, bad


def _moved(
    problem: Problem, around: Surroundings, hands: tuple[HandCourse, ...], found: Found, postures: Floats
) -> Found:
    """Other postures instead of those found, without leaps. A hand that goes somewhere may leave its path a little for
    that; one that holds something is off by what it moves, and by what another moves that carries the same."""
    everything = np.arange(problem.frames)
    wrists = [problem.body.limb(hand.hand).joints[-1] for hand in hands]
    was = joint_transforms(problem.body, found.postures)[:, wrists]
    level = np.array([(hand.level or hand.path is None) and not hand.idle for hand in hands])
    world = joint_transforms(problem.body, postures)
    missing, depths = around.judge(world, everything, hands, everything)
    moved = np.linalg.norm(world[:, wrists, :3] - was[..., :3], axis=2)
    turned = angles_between(world[:, wrists, 3:], was[..., 3:])
    astray = np.array([hand.loose for hand in hands]) * np.maximum(0.0, moved - _NEAR)
    off = found.off + astray + moved @ _carried_with(around, hands)
    return Found(postures, off, found.turned + level * turned, missing, depths, found.overs)


def _carried_with(around: Surroundings, hands: tuple[HandCourse, ...]) -> Floats:
    """(hands, hands): 1 where the first moves what the second one holds: itself, and one that carries the same."""
    return np.array([
        [float(b.path is None and (a is b or b.holds in around.in_hand.get(a.hand, ()))) for b in hands] for a in hands
    ])  # fmt: skip


def _followed(
    problem: Problem, frames: ArmFrames | LimbFrames, hands: tuple[HandCourse, ...], found: Found
) -> Found:
    """The same courses followed by the whole-body solver, with the frames found as its reference: it keeps limits and
    clearances inside its steps. Where a hand holds something, which goes before everything else, the trunk helps."""
    rows = np.arange(problem.frames)
    references = np.concatenate([problem.references[:1], found.postures])
    holds = any(hand.path is None for hand in hands)
    joints = problem.joints | problem.trunk if holds else problem.joints
    helped = replace(problem, joints=joints, references=references)
    courses = frames.courses(hands, rows)[0] if isinstance(frames, ArmFrames) else None
    again = LimbFrames(helped, Surroundings(helped)).at(hands, rows, courses)
    if np.abs(again.postures[-1] - found.postures[-1]).max() < _ARRIVED:
        again.postures[-1] = found.postures[-1]  # the solver's last figures are not exact
    return again


def badness(found: Found, hands: tuple[HandCourse, ...]) -> float:
    """What cannot be seen to be right, as a length: depth, broken limits, hands off their courses. One that carries
    nothing may leave its path a little: joints inside their limits do not always get there."""
    worst = max(0.0, found.depth - DEEP)
    if hands:
        loose = np.array([hand.strays for hand in hands])
        over = np.where(loose, 0.0, found.overs)
        near = _NEAR * middle(np.arange(1, len(found.off) + 1) / len(found.off))[:, None]  # none at both ends
        away = np.where(loose, _ASTRAY * np.maximum(0.0, found.off - near - 1e-5), np.maximum(0.0, found.off - 1e-5))
        worst += float(0.5 * over.max() + away.max() + 0.1 * found.turned.max())
        worst += float(50.0 * max(0.0, found.off[-1].max() - 1e-5) + 10.0 * max(0.0, found.turned[-1].max() - 1e-3))
    return worst


def _judged(problem: Problem, pace: Pace, found: Found, hands: tuple[HandCourse, ...]) -> tuple[float, float]:
    """What is wrong with frames, and, where others are as good, how rough they are."""
    world = _world(problem, found)
    leap = pace.leap_in(world[1:])  # worse than anything else that is wrong
    bad = (1.0 + leap) * (badness(found, hands) + _TILT * _tilt(problem, world[1:], hands)) + _LEAP * leap
    return (0.0 if bad < GOOD else round(bad, 4)), round(_rough(problem, world), 2)


def _tilt(problem: Problem, world: Floats, hands: tuple[HandCourse, ...]) -> float:
    """By how many radians what is carried is tilted on its way at most, more than at its ends, by hands that should
    hold it level and do not."""
    worst = 0.0
    for hand, own in zip(problem.hands, hands, strict=True):
        if hand.carries and hand.level and not own.level:
            turns = world[:, problem.body.limb(hand.hand).joints[-1], 3:].reshape(-1, 3, 3)
            up = turns @ turns[0, 1]  # of what is upright now
            tilts = np.arccos(np.clip(up[:, 1], -1.0, 1.0))
            worst = max(worst, float(tilts.max() - max(tilts[0], tilts[-1])))
    return worst


def _world(problem: Problem, found: Found) -> Floats:
    """Where the joints are a frame ago, now, and in the frames found, (frames + 2, joints, 12)."""
    before = np.stack([problem.before, problem.references[0]])
    return joint_transforms(problem.body, np.concatenate([before, found.postures]))


def _rough(problem: Problem, world: Floats) -> float:
    """How much the velocity of a joint that serves changes from frame to frame, beyond what is smooth, radians; with
    fewer frames a second it changes more from one to the next, by the square of that, without being rougher."""
    steps = velocity_steps(problem.body, problem.joints, world) / max(1.0, DEFAULT_FPS / problem.fps) ** 2
    return float(max(0.0, steps.max() - _SMOOTH, steps[[0, 1, -2, -1]].max() - _SEAM))


def _roughest(problem: Problem, found: Found) -> float:
    """The largest change of velocity of a joint that serves from frame to frame, radians."""
    return float(velocity_steps(problem.body, problem.joints, _world(problem, found)).max())


def _without_twitches(
    problem: Problem, around: Surroundings, pace: Pace, hands: tuple[HandCourse, ...], best: Found,
    bad: tuple[float, float],
) -> tuple[Found, tuple[float, float]]:  # fmt: skip
    """The same frames, or smoother ones that are no worse, of arms whose hands need not be just where they are; and
    what is wrong with them."""
    free = [hand for hand in hands if hand.loose]
    joints = [joint for hand in free for joint in problem.body.limb(hand.hand).joints]
    if bad == _NOTHING or not free or problem.frames < _FEWEST:
        return best, bad
    postures = np.concatenate([problem.references[:1], best.postures])
    found, most = best, _NO_WORSE * bad[0] + (_HARDLY if bad[0] > _HARDLY else 0.0)
    deepest = max(found.depth, 0.5 * DEEP) if bad[0] <= 0.0 else np.inf  # what is clear stays so, with a margin
    for weight in _WEIGHTS:
        smooth = steadied(problem.body, joints, problem.before, postures, weight)[1:]
        again = _moved(problem, around, hands, found, smooth)
        other = _judged(problem, pace, again, hands)
        if again.depth <= deepest and (other < bad or (other[0] <= most and other[1] < bad[1])):
            best, bad = again, other
        if bad == _NOTHING:
            break
    return best, bad


def _unhurried(
    problem: Problem, around: Surroundings, pace: Pace, frames: ArmFrames | LimbFrames, found: Found,
    hands: tuple[HandCourse, ...],
) -> tuple[Found, tuple[HandCourse, ...], tuple[float, float]]:  # fmt: skip
    """Frames, or better ones on the same paths in which hands are slower where their joints have to go far, as near a
    straight arm, and without twitches; the hands, and what is wrong."""
    found, hands, bad = _slower(problem, pace, frames, found, hands)
    if bad[0] <= _HELD and bad[1] > 0.0:
        found, bad = _without_twitches(problem, around, pace, hands, found, bad)
    return found, hands, bad


def _slower(
    problem: Problem, pace: Pace, frames: ArmFrames | LimbFrames, found: Found, hands: tuple[HandCourse, ...]
) -> tuple[Found, tuple[HandCourse, ...], tuple[float, float]]:
    bad = _judged(problem, pace, found, hands)
    if bad[0] > _HELD or bad[1] == 0.0 or not isinstance(frames, ArmFrames) or len(found.postures) < _FEWEST:
        return found, hands, bad
    best = found, hands, bad
    for count in _TURNS_COUNT:
        if best[2][1] == 0.0:
            break
        if count == _TURNS_COUNT[-1]:
            found, hands, _ = best  # once more from there
        slow = tuple(hand if hand.path is None else replace(hand, shares=_by_joints_too(problem, hand, found, count))
                     for hand in hands)  # fmt: skip
        again = frames.at(slow, np.arange(problem.frames))
        other = _judged(problem, pace, again, slow)
        if other < best[2]:
            best = again, slow, other
    return best


def _by_joints_too(problem: Problem, hand: HandCourse, found: Found, count: float) -> Floats:
    """The shares of a path, spread over the time by what joints turn, so much, as well as by what the hand goes; as
    they are where the hand would not have one peak of speed then, or too high a one."""
    own = problem.body.dofs_of(problem.body.limb(hand.hand).joints)
    angles = np.concatenate([problem.references[:1, own], found.postures[:, own]])
    turned = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(angles, axis=0), axis=1))])
    done = np.concatenate([[0.0], hand.shares])
    if turned[-1] < 1e-6:
        return hand.shares
    both = (1.0 - count) * done + count * turned / turned[-1]
    shares = np.asarray(np.interp(hand.shares, both, done))
    shares[hand.shares >= 1.0] = 1.0
    speeds = np.diff(shares, prepend=0.0)
    moving = speeds[: int(np.argmax(shares >= 1.0)) + 1]
    peaks = int((np.diff(np.sign(np.diff(moving))) < 0.0).sum())
    return shares if peaks <= 1 and moving.max() <= _PEAK * moving.mean() else hand.shares


@dataclass
class _Search:
    hands: tuple[HandCourse, ...]
    tried: int
    depths: Floats = field(init=False)  # (frames,), once the frames are made


def _searches(problem: Problem, frames: ArmFrames | LimbFrames, first: Found) -> Iterator[_Search]:
    """Hands on other paths, the most promising first. first: on those that they have."""
    descent = _Descent(problem, frames, problem.hands)
    nothing = np.zeros(descent.size)
    plain, bends = descent.down(nothing)
    yield plain
    yield from descent.approaching(nothing)
    stuck = isinstance(frames, ArmFrames) and (
        float(first.overs.max(initial=0.0)) > _STUCK or _rough(problem, _world(problem, first)) > 0.0
    )
    own_ways = [] if any(hand.level for hand in problem.hands) else list(_by_joints(problem))
    if stuck:  # arms cannot follow: their joints can
        yield from own_ways
    again = _Descent(problem, frames, problem.hands)
    again.look_at_worst(plain)
    yield again.down(bends)[0]
    yield descent.down(descent.straight())[0]
    found, bends = descent.down(descent.promising())
    yield found
    descent.look_at_worst(found)
    closer, bends = descent.down(bends)
    yield closer
    yield from descent.approaching(bends)
    if isinstance(frames, ArmFrames):
        for own in (found, closer):
            yield from (_Search(swung, 1) for swung in swing_elbows(frames, own.hands))
    can_be_clear = float(first.depths[-1]) <= DEEP
    for start in descent.others() if can_be_clear else ():
        bends = start
        for _ in range(_LOOKS):
            other, bends = descent.down(bends)
            yield other
            descent.look_at_worst(other)
    if isinstance(frames, ArmFrames):
        if any(hand.path is None for hand in problem.hands):
            return  # what another hand holds too is not tilted
        loose = tuple(replace(hand, level=False) if hand.path is not None else hand for hand in found.hands)
        if any(hand.level and hand.path is not None for hand in problem.hands):  # what is carried may be tilted
            yield _Search(loose, 1)
            yield from (_Search(swung, 1) for swung in swing_elbows(frames, loose))
        if not stuck or not own_ways:
            yield from _by_joints(problem)


def _by_joints(problem: Problem) -> Iterator[_Search]:
    """Hands that go partly, or altogether, where their joints bring them by themselves."""
    for share in PLAIN:
        joints = tuple(hand if hand.path is None else replace(hand, level=False, plain=share)
                       for hand in problem.hands)  # fmt: skip
        yield _Search(joints, 1)


def _approaches(hand: HandCourse) -> Floats:
    """What the two bends of a hand's path may be moved by, (tries, _BENDS), the shortest paths first."""
    assert hand.path is not None
    ends = []
    for at in (hand.path.start, hand.path.goal):
        ways = [_UP, at.rotation[:, 1]] if at.rotation[1, 1] < _UPWARDS else [_UP]
        ends.append([np.zeros(3), *(far * way for way in ways for far in _APPROACHES)])
    moves = np.array([[first, last] for first in ends[0] for last in ends[1]][1:])
    line = hand.path.line / max(hand.path.distance, 1e-9)
    bends = hand.path.bends + moves
    bends = bends - (bends @ line)[:, :, None] * line
    longer = (bends * bends).sum(axis=(1, 2)) + 0.5 * (bends[:, 0] * bends[:, 1]).sum(axis=1)
    return np.asarray(moves.reshape(-1, _BENDS)[longer.argsort(kind="stable")[:_MOST]])


class _Descent:
    """Damped least squares over the bends of paths and the swings of elbows."""

    def __init__(self, problem: Problem, frames: ArmFrames | LimbFrames, hands: tuple[HandCourse, ...]) -> None:
        self.frames, self.begin = frames, hands
        self.rows = np.unique(np.round(np.linspace(0, problem.frames - 1, _SAMPLES)).astype(int))
        swings = isinstance(frames, ArmFrames)
        self.moves = np.concatenate([[hand.bendable] * _BENDS + [swings] for hand in hands])
        self.scale = np.tile([BEND] * _BENDS + [_SWING], len(hands))
        steps = np.array([STEP_BEND] * _BENDS + [STEP_SWING])
        mirrored = np.array([-1.0, 1.0, 1.0, -1.0, 1.0, 1.0, -1.0])  # what is across, and swings
        self.step = np.concatenate([steps * (mirrored if hand.outwards < 0.0 else 1.0) for hand in hands])
        self.largest = np.tile([_FARTHEST] * _BENDS + [WIDEST], len(hands))
        self.size, self.parts = len(self.scale), PARTS * len(hands)
        root = joint_transforms(problem.body, problem.references[0])[0]
        self.facing = axis_rotations(1, np.array([math.atan2(root[5], root[11])]))[0]
        self._others: list[Floats] = []

    def look_at_worst(self, tried: _Search) -> None:
        """Has the deepest frame of paths, and those beside it, looked at too from now on."""
        count, worst = len(tried.depths), int(tried.depths.argmax())
        near = np.clip(np.arange(worst - 1, worst + 2), 0, count - 1)
        self.rows = np.unique(np.concatenate([self.rows, near]))

    def hands(self, x: Floats) -> tuple[HandCourse, ...]:
        hands = list(self.begin)
        for n, hand in enumerate(hands):
            own = x[n * (_BENDS + 1) : (n + 1) * (_BENDS + 1)]
            path = hand.path.bent(own[:_BENDS].reshape(2, 3)) if hand.path is not None else None
            hands[n] = replace(hand, path=path, swing=hand.swing + middle(hand.shares) * own[_BENDS])
        return tuple(hands)

    def residuals(self, x: Floats, active: Flags | None = None) -> tuple[Floats, Floats]:
        """For several (n, size): what is to be made small, (n, residuals), and how bad each is. active (rows,): the
        frames in which clearances are looked at."""
        count = len(x)
        own = x.reshape(count, -1, _BENDS + 1)
        looked_at = None if active is None else np.tile(active, count)
        bends = own[:, :, :_BENDS].reshape(count, -1, 2, 3)
        found = self.frames.tried(self.begin, self.rows, bends, own[:, :, _BENDS], looked_at)
        share = 1.0 / np.sqrt(len(self.rows))
        parts = [
            share / _LACK * found.missing[:, :-1], share / _OVER * found.overs,
            share / _SHORT * np.maximum(found.off - 1e-5, 0.0),
        ]  # fmt: skip
        deep = np.maximum(found.depths - DEEP, 0.0).reshape(count, -1).max(axis=1)
        lack = np.maximum(found.missing[:, :-1] - SHORTFALL, 0.0).reshape(count, -1).max(axis=1)
        rest = (x / self.scale)[:, self.moves]
        return np.concatenate([*(part.reshape(count, -1) for part in parts), rest], axis=1), deep + lack

    def approaching(self, x: Floats) -> Iterator[_Search]:
        """Paths whose ends are bent a little up, or towards the backs of hands, the shortest first, that seem to be
        clear."""
        ways = [_approaches(hand) if hand.bendable else np.zeros((1, _BENDS)) for hand in self.begin]
        trials = np.tile(x, (max(len(own) for own in ways), 1))
        for n, own in enumerate(ways):
            k = n * (_BENDS + 1)
            trials[:, k : k + _BENDS] += own[np.minimum(np.arange(len(trials)), len(own) - 1)]
        for k in range(0, len(trials), _AT_ONCE):
            some = trials[k : k + _AT_ONCE]
            _, bad = self.residuals(some)
            for trial in some[bad <= 0.0]:
                yield _Search(self.hands(trial), len(some))

    def straight(self) -> Floats:
        """What makes all paths straight."""
        bends = [np.zeros((2, 3)) if hand.path is None else hand.path.bends for hand in self.begin]
        return -np.concatenate([[*own.ravel(), 0.0] for own in bends])

    def promising(self) -> Floats:
        """Where a search may begin: for one hand after the other, the best of paths that go over, around or before what
        is in the way."""
        found = np.zeros(self.size)
        for n, hand in enumerate(self.begin):
            if not hand.bendable:
                continue
            k = n * (_BENDS + 1)
            trials = np.tile(found, (len(_STARTS), 1))
            trials[:, k : k + _BENDS + 1] = _STARTS
            trials[:, [k, k + 3, k + _BENDS]] *= hand.outwards
            for bend in (k, k + 3):  # as the body sees it
                trials[:, bend : bend + 3] = trials[:, bend : bend + 3] @ self.facing.T
            rows, _ = self.residuals(trials)
            order = (rows * rows).sum(axis=1).argsort(kind="stable")
            found = trials[order[0]]
            self._others += [trials[m] for m in order[1:]]
        return found

    def others(self) -> Iterator[Floats]:
        """Further places where a search may begin, unlike each other, the most promising first."""
        taken: list[Floats] = []
        for x in self._others:
            if len(taken) == _ANEW:
                return
            if all(np.abs((x - other) / self.scale).max() > _UNLIKE for other in taken):
                taken.append(x)
                yield x

    def _moving(self, x: Floats, r: Floats) -> Ints:
        """Which numbers of x are worth changing: those of hands with which something is wrong, or that are moved."""
        rows, hands = len(self.rows), len(self.begin)
        ends = np.cumsum([rows * self.parts, rows * hands, rows * hands])
        wrong = [(part.reshape(rows, hands, -1) > 0.0).any(axis=(0, 2)) for part in np.split(r, ends)[:-1]]
        concerned = np.any([*wrong, x.reshape(hands, -1).any(axis=1)], axis=0)
        return np.flatnonzero(self.moves & np.repeat(concerned, _BENDS + 1))

    def down(self, x: Floats) -> tuple[_Search, Floats]:
        """The hands with the least cost that is found from here on, and what their paths are bent by."""
        x, tried = np.where(self.moves, x, 0.0), 0
        (r,), bad = self.residuals(x[None])
        for _ in range(_ROUNDS):
            cost, moves = float(r @ r), self._moving(x, r)
            tried += 1
            if (bad[0] <= 0.0 and cost < _ENOUGH) or not len(moves):
                break
            steps = np.zeros((len(moves), self.size))
            steps[np.arange(len(moves)), moves] = self.step[moves]
            active = (r[: len(self.rows) * self.parts].reshape(len(self.rows), -1) > 0.0).any(axis=1)
            rows, _ = self.residuals(x + steps, active)  # what is clear stays so
            tried += len(rows)
            scaled = (rows - r) * (self.scale / self.step)[moves, None]  # (moves, residuals)
            normal, slope = scaled @ scaled.T, scaled @ r
            others = np.tile(x, (len(DAMPINGS), 1))
            for k, damping in enumerate(DAMPINGS):
                by = -np.linalg.solve(normal + damping * np.eye(len(moves)), slope) * self.scale[moves]
                by *= min(1.0, float((self.largest[moves] / np.maximum(np.abs(by), 1e-12)).min()))
                others[k, moves] += by
            rows, bad = self.residuals(others)
            tried += len(rows)
            costs = (rows * rows).sum(axis=1)
            best = int(costs.argmin())
            if costs[best] > 0.98 * cost:
                break
            x, r, bad = others[best], rows[best], bad[best : best + 1]
        return _Search(self.hands(x), tried), x
