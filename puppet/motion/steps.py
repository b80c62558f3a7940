"""How far joints go, and how much they turn, from frame to frame, in space; what they may; and frames with a leap that
is made a motion."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import lru_cache

import numpy as np

from puppet.body import Body, joint_transforms, local_rotations
from puppet.command import DEFAULT_FPS
from puppet.geometry import rotation_vectors, rotations_about
from puppet.kernels.loader import kernels
from puppet.motion.ball_angles import following_angles
from puppet.motion.trajectory import clamp, flips, swings_and_twists, swung_and_twisted
from puppet.types import Floats, Ints

# A joint may go and turn so many times farther in a frame than by its own curve; in any case so many body heights and
# radians.
_FASTER, _FAR, _WIDE = 1.5, 0.06, 0.35
ROOMS = (2, 4, 7, 11, 16, 24, 40)  # frames before and after a leap in which a joint may turn instead
_FARTHEST, _WIDEST = 0.09, 0.55  # body heights and radians that a joint goes and turns in a frame where time is free
_LEAPS, _LEAPS_TURNED = 0.145, 0.68  # the same, at most, where time was told
_ABRUPT, _ABRUPT_TURN = 0.04, 0.25  # body heights and radians that no joint goes and turns in a frame from rest
_SNAPS = 2.5  # a joint that goes or turns abruptly is not so many times faster than two frames before and after
_SEEN, _SEEN_TURN = 0.058, 0.39  # what no joint, told to be fast or not, goes and turns when it is so much faster
_GENTLY = math.radians(50.0)  # a second, by which the velocity of a joint changes where it sets out or stops
_PEAK = 1.875  # the largest speed of a smooth curve, beside its mean
_SAMPLES = 9


class Pace:
    """What the joints of a body may do in a frame, by what they would do on their own curves: references (frames + 1,
    dofs), the present first. at_rest: they set out from rest."""

    def __init__(self, body: Body, references: Floats, at_rest: bool = False) -> None:
        self.body, self.first = body, references[:1]
        ways, turns = _steps(joint_transforms(body, references))
        far, wide = _FASTER * ways.max(axis=0), _FASTER * turns.max(axis=0)
        least = (_FAR * body.height, _WIDE, _ABRUPT * body.height, _ABRUPT_TURN)
        self._paces = np.maximum([far, wide, far, wide], np.array(least)[:, None])  # see puppet.kernels.frame_steps
        self._everything = np.arange(len(body.joints))
        self._at_rest = at_rest

    def excess(self, postures: Floats, joints: Sequence[int] | None = None) -> Floats:
        """By how much joints, or some of them, go or turn farther than they may before each of some frames (frames,
        dofs), as a share of what they may: (frames,)."""
        return self._excess(joint_transforms(self.body, np.concatenate([self.first, postures])), joints)

    def _excess(self, world: Floats, joints: Sequence[int] | None = None) -> Floats:
        own = self._everything if joints is None else np.array(joints, dtype=np.int64)
        found = np.empty(len(world) - 1)
        kernels().step_excess(world, self._paces, own, _SNAPS, int(self._at_rest), found)
        return found

    def eased(self, postures: Floats, joints: frozenset[int]) -> Floats:
        """Frames (frames, dofs) in which those of some joints that leap have as much time as they need."""
        own, found = sorted(joints), postures
        for room in ROOMS:
            if not joints or self.excess(found, own).max(initial=0.0) <= 0.0:
                break
            found = self.bridged(postures, joints, room, own)
        return found

    def leap(self, postures: Floats) -> float:
        """The largest excess; 0 where no joint leaps."""
        return max(0.0, float(self.excess(postures).max(initial=0.0)))

    def leap_in(self, world: Floats) -> float:
        """The same, for where the joints are in the present and in all frames, (frames + 1, joints, 12)."""
        return max(0.0, float(self._excess(world).max(initial=0.0)))

    def bridged(
        self, postures: Floats, joints: frozenset[int], room: int, leaping: Sequence[int] | None = None
    ) -> Floats:
        """The same frames with joints that turn, where one leaps (of all, or of some), from so many frames before to as
        many after it, by curves that begin and end as fast as they do there. The last frame stays as it is."""
        return self.bridged_at(postures, joints, room, np.flatnonzero(self.excess(postures, leaping) > 0.0))

    def bridged_at(self, postures: Floats, joints: frozenset[int], room: int, leaps: Ints) -> Floats:
        """The same around frames that are named."""
        found, last = np.concatenate([self.first, postures]), len(postures)
        begin, end = -1, -1
        for leap in leaps:
            if begin >= 0 and leap - room > end:
                self._bridge(found, begin, end, joints)
                begin = -1
            begin = max(0, int(leap) - room) if begin < 0 else begin
            end = min(last, int(leap) + 1 + room)
        if begin >= 0:
            self._bridge(found, begin, end, joints)
        return found[1:]

    def _bridge(self, frames: Floats, begin: int, end: int, joints: frozenset[int]) -> None:
        """Fills in what is between two frames, in place."""
        body, count = self.body, end - begin
        into, out = max(begin - 1, 0), min(end + 1, len(frames) - 1)
        near = frames[[into, begin, end, out]]
        own = np.arange(begin + 1, end)
        plain = [dof for j in joints if body.joints[j].range is None for dof in body.rotation_dofs[j]]
        dofs = np.array(sorted(plain), dtype=np.int64)
        angles = _curve(near[:, dofs], count)
        clamp(body, dofs, angles)
        frames[np.ix_(own, dofs)] = angles
        for joint in sorted(joints):
            if body.joints[joint].range is None:
                continue
            turns = local_rotations(body, joint, near)
            vectors = rotation_vectors(turns[1].T @ turns)
            places = list(body.rotation_dofs[joint])
            before, rotations = near[1, places], turns[1] @ rotations_about(_curve(vectors, count))
            found = following_angles(body, joint, rotations, before)
            if flips(body, joint, before, np.concatenate([found, near[2:3, places]])):
                rows = _curve(swings_and_twists(body, joint, turns), count)
                found = following_angles(body, joint, swung_and_twisted(body, joint, rows), before)
            frames[begin + 1 : end, places] = found


def least_frames(body: Body, start: Floats, goal: Floats) -> int:
    """The frames that joints take at least, each by a smooth curve, so that none leaps from one posture to another."""
    shares = np.linspace(0.0, 1.0, _SAMPLES)[:, None]
    return math.ceil(_PEAK * (_SAMPLES - 1) * fastest(body, start + shares * (goal - start)))


def gentle_frames(body: Body, joints: Sequence[int], start: Floats, goal: Floats, fps: float) -> int:
    """The frames that joints take at least, each by a smooth curve, so that none sets out or stops with a jerk: its
    velocity changes by about 60 of its turn / T^3 in the first frame that counts, of T at DEFAULT_FPS."""
    both = joint_transforms(body, np.stack([start, goal]))[:, :, 3:].reshape(2, -1, 3, 3)
    own, parents = list(joints), body.arrays.parents[list(joints)]
    turns = np.where((parents < 0)[:, None, None], np.eye(3), both[:, parents]).transpose(0, 1, 3, 2) @ both[:, own]
    turned = float(lengths(rotation_vectors(turns[0].transpose(0, 2, 1) @ turns[1])).max(initial=0.0))
    return math.ceil(math.cbrt(60.0 * turned * DEFAULT_FPS / _GENTLY) * fps / DEFAULT_FPS)


def fastest(body: Body, postures: Floats, told: bool = False) -> float:
    """How many times as far as it goes or turns in a frame where time is free, or at most where it was told, a joint or
    the end of a segment does between two of some postures (frames, dofs)."""
    far, wide = (_LEAPS, _LEAPS_TURNED) if told else (_FARTHEST, _WIDEST)
    world = joint_transforms(body, postures)
    ways, turns = _steps(world)
    tips = _tips(body, world)
    way = max(float(ways.max()), float(lengths(tips[1:] - tips[:-1]).max()))
    return max(way / (far * body.height), float(turns.max()) / wide)


def seen_leaps(body: Body, before: Floats, postures: Floats, joints: Collection[int] | None = None) -> Ints:
    """The frames, among postures (frames + 1, dofs) that begin with the present, before which a joint or the end of a
    segment, of some or of all, leaps for all to see, whatever its curve. before (dofs,): the posture a frame ago. They
    end at rest."""
    return leaps_seen_in(body, joint_transforms(body, np.concatenate([before[None], postures])), joints)


def leaps_seen_in(body: Body, world: Floats, joints: Collection[int] | None = None) -> Ints:
    """The same for where the joints are a frame ago, in the present and in all frames, (frames + 2, joints, 12)."""
    own = np.arange(len(body.joints)) if joints is None else np.array(sorted(joints), dtype=np.int64)
    bounds = np.array([_LEAPS * body.height, _SEEN * body.height, _LEAPS_TURNED, _SEEN_TURN])
    seen = np.zeros(len(world) - 2, dtype=np.int64)
    kernels().visible_leaps(world, _ends_of_segments(body), own, bounds, _SNAPS, seen)
    return np.flatnonzero(seen)


@lru_cache(maxsize=16)
def _ends_of_segments(body: Body) -> Floats:
    """In the coordinates of their joints, (joints, 3), not to be changed: kernels take no other kind of array."""
    return body.arrays.tips.copy()


def without_seen_leaps(body: Body, before: Floats, postures: Floats, joints: frozenset[int]) -> Floats:
    """Postures (frames + 1, dofs) that begin with the present, in which some joints have time where they leap for all
    to see; as they are where that does not help."""
    leaps = seen_leaps(body, before, postures, joints)
    if not len(leaps):
        return postures
    pace = Pace(body, postures)
    for room in ROOMS:
        eased = np.concatenate([postures[:1], pace.bridged_at(postures[1:], joints, room, leaps)])
        if not len(seen_leaps(body, before, eased, joints)):
            return eased
    return postures


def abrupt(body: Body, postures: Floats) -> Ints:
    """The places among postures (frames, dofs) that begin at rest after which a joint leaps to the next one."""
    ways, turns = _steps(joint_transforms(body, postures))
    return np.flatnonzero((ways.max(axis=1) > _ABRUPT * body.height) | (turns.max(axis=1) > _ABRUPT_TURN))


def lengths(vectors: Floats) -> Floats:
    """Of vectors (..., 3): as np.linalg.norm, which is slow along so short an axis."""
    squares = vectors * vectors
    total = squares[..., 0] + squares[..., 1]
    total += squares[..., 2]
    return np.asarray(np.sqrt(total))


def _tips(body: Body, world: Floats) -> Floats:
    """Where the ends of all segments are, (frames, joints, 3); world: (frames, joints, 12)."""
    rotations = world[..., 3:].reshape(*world.shape[:2], 3, 3)
    return np.asarray(world[..., :3] + (rotations @ body.arrays.tips[:, :, None])[..., 0])


def _curve(near: Floats, count: int) -> Floats:
    """Between the second and the third of four rows, so many frames apart, (count - 1, n): a cubic that begins as fast
    as from the first to the second, and ends as fast as from the third to the fourth."""
    into, begin, end, out = near
    t = (np.arange(1, count) / count)[:, None]
    smooth = t * t * (3.0 - 2.0 * t)
    enters, leaves = count * t * (1.0 - t) ** 2 * (begin - into), -count * t * t * (1.0 - t) * (out - end)
    return np.asarray(begin + smooth * (end - begin) + enters + leaves)


def _steps(world: Floats) -> tuple[Floats, Floats]:
    """How far each joint goes, and how much it turns, from frame to frame, (frames - 1, joints) each; world: (frames,
    joints, 12)."""
    ways = lengths(world[1:, :, :3] - world[:-1, :, :3])
    cosines = 0.5 * ((world[1:, :, 3:] * world[:-1, :, 3:]).sum(axis=2) - 1.0)
    return ways, np.arccos(np.clip(cosines, -1.0, 1.0))
