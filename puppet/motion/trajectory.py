"""Joint angles frame by frame (Section 4.5): exact frame counts, inside all limits, without jumps in velocity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from puppet.body import Body, local_rotations
from puppet.geometry import minimum_jerk, rotation_vectors, rotations_about
from puppet.motion.ball_angles import following_angles
from puppet.motion.curves import coasting, progress
from puppet.types import Floats, Ints

_COAST = 0.7  # the longest share of a motion in which a joint that still moves is blended onto its new curve
AT_REST = 1e-9  # radians a frame: a joint that is no faster is at rest
_TURN = 2.0 * math.pi
_FLIPS = 1.0  # radians that no joint turns in a frame on its own
_MUCH = 1.0  # radians by which an angle of a ball joint changes that may leave its range on the way
_LOOKS, _OUTSIDE = (0.35, 0.5, 0.65), 0.02  # where that is looked for, and radians outside


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Angles of some joints for the frames from `start` (not included) to `end`, where they are at their goals."""

    dofs: Ints
    start: int
    angles: Floats  # (frames, dofs), read-only
    share: Floats  # (frames,), how much of the motion is done

    @property
    def end(self) -> int:
        return self.start + len(self.angles)

    def without(self, taken: NDArray[np.bool_]) -> Trajectory:
        """The same without some degrees of freedom, (all dofs,)."""
        left = ~taken[self.dofs]
        return self if left.all() else Trajectory(self.dofs[left], self.start, self.angles[:, left], self.share)

    def at(self, frame: int) -> Floats:
        return np.asarray(self.angles[min(frame, self.end) - self.start - 1])


def plan_trajectory(
    body: Body, dofs: Ints, frame: int, frames: int, curve: str, now: Floats, goal: Floats, velocity: Floats
) -> Trajectory:
    """From `now` to `goal`, (dofs,) each, in `frames` steps (4.1).

    `velocity`, radians a frame, is 0 for joints at rest: those follow the curve exactly. A joint that still moves
    leaves with its velocity and is blended onto the curve, so that only its acceleration changes.
    """
    lower, upper = _limits(body, dofs)[:, :2].T
    turns = np.flatnonzero(dofs >= len(body.translation_dofs))
    goal = goal.copy()
    goal[turns] = _nearest_turn(now[turns], goal[turns], lower[turns], upper[turns])
    share = progress(curve, frames)
    angles = now + share[:, None] * (goal - now)
    moving = np.flatnonzero(np.abs(velocity) > AT_REST)
    if len(moving) and frames > 1:
        step = np.arange(1, frames + 1)[:, None]
        v, at = velocity[moving], now[moving]
        # coasting goes 0.187 v T far, which must stay inside the limits (without their widening)
        room = np.where(v > 0.0, np.maximum(upper[moving], at) - at, at - np.minimum(lower[moving], at))
        time = np.clip(5.34 * room / np.abs(v), 1.0, _COAST * frames)
        coast = at + v * coasting(step, time)
        angles[:, moving] = coast + minimum_jerk(np.minimum(step / time, 1.0)) * (angles[:, moving] - coast)
    angles[-1] = goal
    for joint, places in _turned_far(body, dofs, goal - now):
        if _leaves_range(body, joint, angles[:, places]):
            angles[:, places] = _turned_directly(body, joint, now[places], goal[places], velocity[places], share)
    clamp(body, dofs, angles)
    angles.flags.writeable = share.flags.writeable = False
    return Trajectory(dofs, frame, angles, share)


def _turned_far(body: Body, dofs: Ints, by: Floats) -> list[tuple[int, list[int]]]:
    """The ball joints among those of some degrees of freedom whose angles change much, with the places of these."""
    place = {int(dof): n for n, dof in enumerate(dofs)}
    found = []
    for joint in dict.fromkeys(int(body.arrays.joints_of[dof]) for dof in dofs[np.abs(by) > _MUCH]):
        own = body.rotation_dofs[joint]
        if body.joints[joint].range is not None and len(own) == 3 and all(dof in place for dof in own):
            found.append((joint, [place[dof] for dof in own]))
    return found


def _leaves_range(body: Body, joint: int, angles: Floats) -> bool:
    """Whether a ball joint that is turned so, angle by angle (frames, 3), is outside its range on the way."""
    region, posture = body.joints[joint].range, np.zeros((len(_LOOKS), body.dofs))
    assert region is not None
    posture[:, list(body.rotation_dofs[joint])] = angles[[int(look * (len(angles) - 1)) for look in _LOOKS]]
    return any(region.excess(turn) > _OUTSIDE for turn in local_rotations(body, joint, posture))


def _turned_directly(body: Body, joint: int, now: Floats, goal: Floats, velocity: Floats, share: Floats) -> Floats:
    """The angles (frames, 3) of a ball joint that turns about one axis from one posture to another, inside its range;
    one that still moves leaves as fast as it does."""
    own, frames = list(body.rotation_dofs[joint]), len(share)
    postures = np.zeros((3, body.dofs))
    postures[:, own] = now, goal, now + velocity
    turns = local_rotations(body, joint, postures)
    by, speed = rotation_vectors(turns[0].T @ turns[1:])
    step = np.arange(1, frames + 1)[:, None]
    time = max(1.0, _COAST * frames)
    coast = speed * coasting(step, time)
    vectors = coast + minimum_jerk(np.minimum(step / time, 1.0)) * (share[:, None] * by - coast)
    if not speed.any():
        vectors = share[:, None] * by
    found = following_angles(body, joint, turns[0] @ rotations_about(vectors), now)
    if not flips(body, joint, now, found):
        return found
    at = swings_and_twists(body, joint, turns)  # the straight way leads out of one end of the range and into the other
    coast = (at[2] - at[0]) * coasting(step, time)
    rows = at[0] + coast + minimum_jerk(np.minimum(step / time, 1.0)) * (share[:, None] * (at[1] - at[0]) - coast)
    return following_angles(body, joint, swung_and_twisted(body, joint, rows), now)


def flips(body: Body, joint: int, before: Floats, angles: Floats) -> bool:
    """Whether a ball joint goes from one end of its range to another in a frame, (frames, 3)."""
    postures = np.zeros((len(angles) + 1, body.dofs))
    postures[:, list(body.rotation_dofs[joint])] = np.concatenate([before[None], angles])
    turns = local_rotations(body, joint, postures)
    cosines = 0.5 * ((turns[1:] * turns[:-1]).sum(axis=(1, 2)) - 1.0)
    return bool((cosines < math.cos(_FLIPS)).any())


def swings_and_twists(body: Body, joint: int, turns: Floats) -> Floats:
    """Where the bone of a ball joint points, and how it is twisted, in some rotations (n, 3, 3): (n, 3). Between two
    that are inside its range, the straight way leads nowhere outside but for a little twist."""
    region = body.joints[joint].range
    assert region is not None
    return np.array([[*swing, twist] for swing, twist in map(region.coordinates, turns)])


def swung_and_twisted(body: Body, joint: int, rows: Floats) -> Floats:
    """The rotations (n, 3, 3) of a ball joint by where its bone points, and how it is twisted."""
    region = body.joints[joint].range
    assert region is not None
    return np.array([region.rotation(row[:2], float(row[2])) for row in rows])


def _nearest_turn(now: Floats, goal: Floats, lower: Floats, upper: Floats) -> Floats:
    """The goal, or the same angle a turn away where that is nearer and inside the limits."""
    other = goal + _TURN * np.round((now - goal) / _TURN)
    return np.where((other >= lower) & (other <= upper), other, goal)


def _limits(body: Body, dofs: Ints) -> Floats:
    """(dofs, 4): those in force and those that widen; none for ball joints and a root that turns freely in space, whose
    turns may be any number."""
    return _all_limits(body)[dofs]


@lru_cache(maxsize=16)
def _all_limits(body: Body) -> Floats:
    """The same of all degrees of freedom; not to be changed."""
    limits = np.array(body.arrays.limits)
    limits[np.setdiff1d(np.arange(body.dofs), body.limited)] = (-np.inf, np.inf, -np.inf, np.inf)
    return limits


def clamp(body: Body, dofs: Ints, angles: Floats) -> None:
    """Keeps every frame inside the limits, which for some axes widen with the bend of another: (5.32), (5.33)."""
    arrays = body.arrays
    limits = _limits(body, dofs)
    lower, upper = np.tile(limits[:, 0], (len(angles), 1)), np.tile(limits[:, 1], (len(angles), 1))
    np.clip(angles, np.minimum(limits[:, 0], limits[:, 2]), np.maximum(limits[:, 1], limits[:, 3]), out=angles)
    place = {int(dof): n for n, dof in enumerate(dofs)}
    for n, dof in enumerate(dofs):
        bend = int(arrays.widens_with[dof])
        if bend >= 0 and np.isfinite(limits[n, 0]):  # the bend, of the same joint, is in the same trajectory
            share = np.minimum(np.abs(angles[:, place[bend]]) * 2.0 / math.pi, 1.0)
            lower[:, n] += share * (limits[n, 2] - limits[n, 0])
            upper[:, n] += share * (limits[n, 3] - limits[n, 1])
    np.clip(angles, lower, upper, out=angles)


def into_limits(body: Body, joint: int, angles: Floats) -> None:
    """Puts one joint of a posture (dofs,) inside its limits, or its range if it is a ball joint."""
    clamp(body, np.arange(body.dofs), angles[None])
    body.put_into_range(joint, angles)
