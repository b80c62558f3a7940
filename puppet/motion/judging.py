"""What is wrong with frames: how bad that is, as a length, and where nothing is, how rough they are."""

from __future__ import annotations

import numpy as np

from puppet.body import joint_transforms
from puppet.command import DEFAULT_FPS
from puppet.kernels.descent_model import DEEP
from puppet.motion.arm_frames import middle
from puppet.motion.problem import Found, HandCourse, Problem
from puppet.motion.smoothing import velocity_steps
from puppet.motion.steps import Pace, leaps_seen_in, lengths
from puppet.motion.trajectory import AT_REST
from puppet.types import Floats

STRAYS = 0.03  # how far a hand may leave a path in its middle that need not be just so
_ASTRAY = 0.1  # what more counts
_LEAP = 0.05  # what is as bad as a joint that goes or turns twice as far in a frame as it may
_TILT = 0.04  # what is as bad as a thing that is tilted on its way by a radian
_SEAM = 0.031  # radians a frame by which they may change where a motion begins or ends
_AT_SEAMS = 4.0  # how much more it counts there
_SMOOTH = 0.08  # radians a frame by which velocities may change
GOOD = 2e-4  # what is no worse cannot be seen

Fault = tuple[float, float]  # how bad frames are, as a length, and how rough; what is less is better
FAULTLESS: Fault = (0.0, 0.0)


def badness(found: Found, hands: tuple[HandCourse, ...]) -> float:
    """What cannot be seen to be right, as a length: depth, broken limits, hands off their courses. One that carries
    nothing may leave its path a little: joints inside their limits do not always get there."""
    worst = max(0.0, found.depth - DEEP)
    if hands:
        loose = np.array([hand.strays for hand in hands])
        over = np.where(loose, 0.0, found.overs)
        near = STRAYS * middle(np.arange(1, len(found.off) + 1) / len(found.off))[:, None]  # none at both ends
        away = np.where(loose, _ASTRAY * np.maximum(0.0, found.off - near - 1e-5), np.maximum(0.0, found.off - 1e-5))
        worst += float(0.5 * over.max() + away.max() + 0.1 * found.turned.max())
        worst += float(50.0 * max(0.0, found.off[-1].max() - 1e-5) + 10.0 * max(0.0, found.turned[-1].max() - 1e-3))
    return worst


class Judge:
    """Judges the frames that are found for a problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._first = joint_transforms(problem.body, np.stack([problem.before, problem.references[0]]))
        at_rest = bool(np.abs(problem.references[0] - problem.before).max(initial=0.0) < AT_REST)
        self.pace = Pace(problem.body, problem.references, at_rest)
        ends = {0, problem.frames, *(hand.takes for hand in problem.hands)}
        seams = {step for end in ends for step in (end - 1, end, end + 1)}
        self._seams = [step for step in sorted(seams) if 0 <= step <= problem.frames]

    def fault(self, found: Found, hands: tuple[HandCourse, ...]) -> Fault:
        """What is wrong with frames, and, where others are as good, how rough they are."""
        world = self._world(found)
        leap = self.pace.leap_in(world[1:])  # worse than anything else that is wrong
        bad = (1.0 + leap) * (badness(found, hands) + _TILT * self._tilt(world[1:], hands)) + _LEAP * leap
        if bad < _LEAP and len(leaps_seen_in(self.problem.body, world)):
            bad += _LEAP
        return (0.0 if bad < GOOD else round(bad, 4)), round(self._rough(world), 2)

    def _tilt(self, world: Floats, hands: tuple[HandCourse, ...]) -> float:
        """By how many radians what is carried is tilted on its way at most, more than at its ends, by hands that should
        hold it level and do not."""
        worst = 0.0
        for hand, own in zip(self.problem.hands, hands, strict=True):
            if hand.carries and hand.level and not own.level:
                turns = world[:, self.problem.body.limb(hand.hand).joints[-1], 3:].reshape(-1, 3, 3)
                up = turns @ turns[0, 1]  # of what is upright now
                tilts = np.arccos(np.clip(up[:, 1], -1.0, 1.0))
                worst = max(worst, float(tilts.max() - max(tilts[0], tilts[-1])))
        return worst

    def way(self, found: Found, hands: tuple[HandCourse, ...]) -> float:
        """How far the wrists of hands go that have a path, in all."""
        return float(self.ways(found, hands).sum())

    def ways(self, found: Found, hands: tuple[HandCourse, ...]) -> Floats:
        """The same of each of them."""
        body = self.problem.body
        wrists = [body.limb(hand.hand).joints[-1] for hand in hands if hand.path is not None]
        places = self._world(found)[1:, wrists, :3]
        return np.asarray(lengths(places[1:] - places[:-1]).sum(axis=0))

    def rough(self, found: Found) -> float:
        """By how much too abruptly the velocity of a joint that serves changes, radians a frame."""
        return self._rough(self._world(found))

    def roughest(self, found: Found) -> float:
        """The largest change of velocity of a joint that serves from frame to frame, radians."""
        return float(velocity_steps(self.problem.body, self.problem.joints, self._world(found)).max())

    def _world(self, found: Found) -> Floats:
        """Where the joints are a frame ago, now, and in the frames found, (frames + 2, joints, 12)."""
        world = joint_transforms(self.problem.body, found.postures) if found.world is None else found.world
        return np.concatenate([self._first, world])

    def _rough(self, world: Floats) -> float:
        """How much the velocity of a joint that serves changes from frame to frame, beyond what is smooth, radians;
        with fewer frames a second it changes more from one to the next, by the square of that, without being
        rougher."""
        problem = self.problem
        steps = velocity_steps(problem.body, problem.joints, world) / max(1.0, DEFAULT_FPS / problem.fps) ** 2
        return float(max(0.0, steps.max() - _SMOOTH, _AT_SEAMS * (steps[self._seams].max() - _SEAM)))
