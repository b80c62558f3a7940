"""Frames that are found made better: hands slower where their joints have to go far, joints without leaps and twitches,
and hands nearer to their paths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from puppet.body import joint_transforms
from puppet.kernels.descent_model import DEEP
from puppet.motion.arm_frames import ArmFrames, angles_between
from puppet.motion.goal_clearance import over_table
from puppet.motion.judging import FAULTLESS, STRAYS, Fault, Judge
from puppet.motion.limb_frames import LimbFrames
from puppet.motion.problem import Found, HandCourse, Problem
from puppet.motion.smoothing import steadied
from puppet.motion.steps import ROOMS, seen_leaps
from puppet.motion.surroundings import Surroundings
from puppet.types import Floats, Ints

HELD_WELL = 4e-4  # a hand that is farther from what it holds does not hold it
_PASSES = 2  # in which leaps are made motions
_ARRIVED = 1e-3  # radians from where joints shall be in the end: there
_TURNS_COUNT = (0.3, 0.6, 0.5)  # how much turns count where paths are spread over the time anew
_PEAK = 2.2  # the largest speed of a hand then, beside its mean; as seen by others, who cut its ends off, about 2
_FEWEST = 4  # frames of which that can be said
_GENTLE = 0.1  # radians a frame by which velocities may change where there is a choice
_NO_WORSE, _HARDLY = 1.15, 1.5e-3  # times as bad, and how much besides, as what is not good: hardly to be seen
_SHALLOW = 8e-4  # how deep what is smoother may be instead
_WEIGHTS = (1.0, 30.0, 500.0, 4e3, 3e4)  # by which frames are made smoother, one after the other
_FAR_BETTER, _FARTHER = 0.5, 3e-3  # a share of what is wrong, and how much less: then frames may be rougher
_NEARER = (0.3, 0.4, 0.5, 0.6, 0.75)  # shares of a way where the solver follows, with such joints as its reference

Hands = tuple[HandCourse, ...]


class Mending:
    """Better frames for those found for a problem, and what is wrong with them."""

    def __init__(self, problem: Problem, around: Surroundings, frames: ArmFrames | LimbFrames, judge: Judge) -> None:
        self.problem, self.around, self.frames, self.judge = problem, around, frames, judge
        self.pace, self._everything = judge.pace, np.arange(problem.frames)

    # ---- on the same paths

    def unhurried(self, found: Found, hands: Hands) -> tuple[Found, Hands, Fault]:
        """Frames, or better ones on the same paths in which hands are slower where their joints have to go far, as near
        a straight arm, and without twitches; the hands, and what is wrong."""
        found, hands, bad = self._slower(found, hands)
        if bad[0] <= HELD_WELL and bad[1] > 0.0:
            found, bad = self.without_twitches(found, hands, bad)
        return found, hands, bad

    def _slower(self, found: Found, hands: Hands) -> tuple[Found, Hands, Fault]:
        bad = self.judge.fault(found, hands)
        short = len(found.postures) < _FEWEST
        if bad[0] > HELD_WELL or bad[1] == 0.0 or short or not isinstance(self.frames, ArmFrames):
            return found, hands, bad
        best = found, hands, bad
        for count in _TURNS_COUNT:
            if best[2][1] == 0.0:
                break
            if count == _TURNS_COUNT[-1]:
                found, hands, _ = best  # once more from there
            slow = tuple(hand if hand.path is None else replace(hand, shares=self._by_joints_too(hand, found, count))
                         for hand in hands)  # fmt: skip
            again = self.frames.at(slow, self._everything)
            other = self.judge.fault(again, slow)
            if other < best[2]:
                best = again, slow, other
        return best

    def _by_joints_too(self, hand: HandCourse, found: Found, count: float) -> Floats:
        """The shares of a path, spread over the time by what joints turn, so much, as well as by what the hand goes; as
        they are where the hand would not have one peak of speed then, or too high a one."""
        body = self.problem.body
        own = body.dofs_of(body.limb(hand.hand).joints)
        angles = np.concatenate([self.problem.references[:1, own], found.postures[:, own]])
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

    # ---- twitches and leaps

    def without_twitches(self, best: Found, hands: Hands, bad: Fault) -> tuple[Found, Fault]:
        """The same frames, or smoother ones that are no worse, of arms whose hands need not be just where they are."""
        problem = self.problem
        free = [hand for hand in hands if hand.loose]
        joints = [joint for hand in free for joint in problem.body.limb(hand.hand).joints]
        if bad == FAULTLESS or not free or problem.frames < _FEWEST:
            return best, bad
        postures = np.concatenate([problem.references[:1], best.postures])
        found, little = best, bad[0] <= _HARDLY and len(free) == len(hands)
        most = _NO_WORSE * bad[0] + (_HARDLY if little or bad[0] > _HARDLY else 0.0)
        clear = _SHALLOW if little else 0.5 * DEEP if bad[0] <= 0.0 else np.inf  # what is clear stays so, with a margin
        deepest = max(found.depth, clear)
        for weight in _WEIGHTS:
            smooth = steadied(problem.body, joints, problem.before, postures, weight)[1:]
            again = self.moved(found, hands, smooth)
            other = self.judge.fault(again, hands)
            if again.depth <= deepest and (other < bad or (other[0] <= most and other[1] < bad[1])):
                best, bad = again, other
            if bad == FAULTLESS:
                break
        return best, bad

    def without_leaps(self, best: Found, hands: Hands, bad: Fault) -> tuple[Found, Fault]:
        """The same frames, or better ones in which joints that leap have more and more time for that, and then follow
        their courses from there."""
        problem, pace = self.problem, self.pace
        for _ in range(_PASSES):  # what follows its courses better may leap elsewhere
            found = best
            for room in ROOMS if pace.leap(found.postures) > 0.0 else ():
                bridged = pace.bridged(found.postures, problem.joints | problem.trunk, room)
                smooth = self.moved(found, hands, bridged)
                for follows in (False, True):
                    again = self.followed(smooth, hands) if follows else smooth
                    other = self.judge.fault(again, hands)
                    if other < bad:
                        best, bad = again, other
                    if bad == FAULTLESS:
                        break
                if bad == FAULTLESS or 2 * room >= problem.frames:
                    break
            if found is best:
                break
        return best, bad

    def without_seen_leaps(self, best: Found, hands: Hands, bad: Fault) -> tuple[Found, Fault]:
        """The same frames, or the least bad ones in which joints that leap for all to see have time for that, or go by
        their own curves, if these leap no more."""
        if bad == FAULTLESS:
            return best, bad
        problem, leaps = self.problem, self._seen(best)
        if not len(leaps):
            return best, bad
        tries = [self.by_joints(best, hands)]
        for room in ROOMS:
            bridged = self.pace.bridged_at(best.postures, problem.joints | problem.trunk, room, leaps)
            tries.append(self.moved(best, hands, bridged))
            tries.append(self.followed(tries[-1], hands))
        judged = [(again, self.judge.fault(again, hands)) for again in tries if not len(self._seen(again))]
        return min(judged, key=lambda tried: tried[1], default=(best, bad))

    def _seen(self, found: Found) -> Ints:
        """The frames before which a joint leaps for all to see."""
        postures = np.concatenate([self.problem.references[:1], found.postures])
        return seen_leaps(self.problem.body, self.problem.before, postures)

    # ---- other postures

    def by_joints(self, found: Found, hands: Hands) -> Found:
        """What the joints would do by themselves, with ball joints inside their ranges."""
        postures, body = self.problem.references[1:].copy(), self.problem.body
        balls = [number for number, joint in enumerate(body.joints) if joint.range is not None]
        for posture in postures:
            for joint in balls:
                body.put_into_range(joint, posture)
        return self.moved(found, hands, postures)

    def straighter(self, best: Found, hands: Hands, bad: Fault) -> tuple[Found, Fault]:
        """The same frames of hands that go where their joints bring them, or others that are nearer to their paths, as
        near as the whole-body solver gets from there: as smooth and no worse, or far better."""
        smooth = max(_GENTLE, self.judge.roughest(best))
        for share in _NEARER:
            own = tuple(replace(hand, plain=share) if hand.plain >= 1.0 else hand for hand in hands)
            again = self.followed(best, own)
            other = self.judge.fault(again, own)
            better = other[0] < _FAR_BETTER * bad[0] and other[0] < bad[0] - _FARTHER
            smoothly = better or self.judge.roughest(again) <= smooth
            if other <= bad and self.as_clear_of_the_table(again, best) and smoothly:
                return again, other
        return best, bad

    def as_clear_of_the_table(self, found: Found, other: Found) -> bool:
        """Whether a body ends as clear of the table as in other frames."""
        body, boxes = self.problem.body, self.problem.boxes
        return over_table(body, boxes, found.postures[-1]) <= over_table(body, boxes, other.postures[-1]) + 1e-9

    def moved(self, found: Found, hands: Hands, postures: Floats) -> Found:
        """Other postures instead of those found, without leaps. A hand that goes somewhere may leave its path a little
        for that; one that holds something is off by what it moves, and by what another moves that carries the same."""
        body, everything = self.problem.body, self._everything
        wrists = [body.limb(hand.hand).joints[-1] for hand in hands]
        was = (joint_transforms(body, found.postures) if found.world is None else found.world)[:, wrists]
        level = np.array([(hand.level or hand.path is None) and not hand.idle for hand in hands])
        world = joint_transforms(body, postures)
        missing, depths = self.around.judge(world, everything, hands, everything)
        moved = np.linalg.norm(world[:, wrists, :3] - was[..., :3], axis=2)
        turned = angles_between(world[:, wrists, 3:], was[..., 3:])
        astray = np.array([hand.loose for hand in hands]) * np.maximum(0.0, moved - STRAYS)
        off = found.off + astray + moved @ self._carried_with(hands)
        return Found(postures, off, found.turned + level * turned, missing, depths, found.overs, world)

    def _carried_with(self, hands: Hands) -> Floats:
        """(hands, hands): 1 where the first moves what the second one holds: itself, and one that carries the same."""
        in_hand = self.around.in_hand
        return np.array([
            [float(b.path is None and (a is b or b.holds in in_hand.get(a.hand, ()))) for b in hands] for a in hands
        ])  # fmt: skip

    def followed(self, found: Found, hands: Hands) -> Found:
        """The same courses followed by the whole-body solver, with the frames found as its reference: it keeps limits
        and clearances inside its steps. Where a hand holds something, which goes before everything else, the trunk
        helps."""
        problem, rows = self.problem, self._everything
        references = np.concatenate([problem.references[:1], found.postures])
        holds = any(hand.path is None for hand in hands)
        joints = problem.joints | problem.trunk if holds else problem.joints
        helped = replace(problem, joints=joints, references=references)
        courses = self.frames.courses(hands, rows)[0] if isinstance(self.frames, ArmFrames) else None
        again = LimbFrames(helped, Surroundings(helped)).at(hands, rows, courses)
        if np.abs(again.postures[-1] - found.postures[-1]).max() < _ARRIVED:
            again.postures[-1] = found.postures[-1]  # the solver's last figures are not exact
        return again
