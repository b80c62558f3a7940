"""Arms that swing along with a body that goes somewhere, kept out of what stands there and out of the body itself.

An arm that would come too near to something is drawn in, towards a forearm held before the chest or beside the trunk,
by the least part that clears it, early enough and for long enough that it goes there and back in peace.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from puppet.body import Body, joint_transforms, local_rotations
from puppet.geometry import Transform, minimum_jerk
from puppet.kernels.solid_model import MOVES
from puppet.motion.ball_angles import angles_like
from puppet.motion.cheapest import around, cheapest
from puppet.motion.depth import DEPTH_TOLERANCE
from puppet.motion.solids import SceneBoxes, body_solids, least_distances, near_pairs
from puppet.types import Floats, Ints

_MARGIN = 0.006  # of the body's height: what an arm keeps from things on its way
_LEAVES = 0.002  # by how much more it keeps with each frame after the first one, and before the last one
_PARTS = (0.25, 0.5, 0.75, 1.0)  # by which an arm is drawn in
_REACTS = 12  # frames over which drawing in is spread
_SAMPLES, _ENDS = 3, 4  # frames of which one is looked at; and in which drawing in begins and ends
# Tried in turn: samples by which it is longer than it has to be, and radians a frame, before it is spread.
_TRIES = ((2, 0.1), (4, 0.1), (2, 0.16), (4, 0.16))
_IN_THINGS, _FAR, _MOVES = 1e3, 0.3, 1.0  # what missing clearance counts beside how far an arm is drawn, and its moving
# Degrees of the elbow, and of the shoulder to the side.
DRAWN_IN = ((105.0, 0.0), (115.0, 22.0), (60.0, 14.0), (12.0, 0.0))


@dataclass(frozen=True, eq=False)
class ArmRoom:
    """What is solid around the arms of a body."""

    body: Body
    boxes: SceneBoxes
    things: Mapping[str, Transform]  # where they are

    def cleared(self, start: Floats, postures: Floats, hands: Sequence[str], holding: Mapping[str, str]) -> Floats:
        """Postures (frames, dofs) that follow a first one, with arms drawn in where they would be in something.
        holding: things that hands take along, which are not looked after."""
        found = postures
        for hand in hands:
            found = self._cleared(start, found, hand, frozenset(holding.values()))
        return found

    def out_of_things(self, posture: Floats, hands: Sequence[str]) -> Floats:
        """A posture (dofs,) with arms drawn in that would be in something."""
        found = posture
        for hand in hands:
            dofs = self.body.dofs_of(self.body.limb(hand).joints)
            if self.clearance(found, hand, {}) >= -DEPTH_TOLERANCE * self.body.height:
                continue
            tries = [found]
            for drawn in DRAWN_IN:
                tried = np.array(found)
                tried[dofs] = self.drawn_in(hand, drawn)[dofs]
                tries.append(tried)
            found = max(tries, key=lambda tried: self.clearance(tried, hand, {}))
        return found

    def depth(self, start: Floats, postures: Floats, hand: str, holding: Mapping[str, str]) -> float:
        """How deep an arm gets in anything on its way, besides what it is in to begin and to end with."""
        clear = _Judge(self, hand, frozenset(holding.values())).clearances(np.concatenate([start[None], postures]))
        return max(0.0, float(min(clear[0], clear[-1], 0.0) - clear.min()))

    def clearance(self, posture: Floats, hand: str, holding: Mapping[str, str]) -> float:
        """How far an arm is from everything else in a posture (dofs,), no more than twice its margin."""
        return float(_Judge(self, hand, frozenset(holding.values())).clearances(posture[None])[0])

    def thing_clearance(self, posture: Floats, name: str, at: Transform, hands: Collection[str]) -> float:
        """How far a thing that hands hold somewhere is from all else but these hands, no more than twice the margin."""
        solids, boxes = body_solids(self.body), self.boxes
        table, size = np.array(solids.table), len(solids.joints)
        table[:, MOVES] = 0.0
        box, total = boxes.box(name), size + len(boxes.halves)
        apart = np.ones((total, total), dtype=np.int64)
        apart[size + box] = apart[:, size + box] = 0
        own = np.flatnonzero(np.isin(solids.joints, [self.body.limb(hand).joints[-1] for hand in hands]))
        apart[size + box, own] = apart[own, size + box] = apart[size + box, size + box] = 1
        carriers, near = np.full(len(boxes.halves), -1, dtype=np.int64), 2.0 * _MARGIN * self.body.height
        world = joint_transforms(self.body, posture)
        carriers[box], cubes = 0, boxes.cubes(self.things)
        seen = Transform.of(world[0, :3], world[0, 3:]).relative(at)
        cubes[box] = [*seen.position, *seen.rotation.ravel()]
        pairs, counts = near_pairs(world[None], table, boxes.halves, cubes[None], carriers, apart, near)
        return float(least_distances(pairs, counts, near)[0])

    def _cleared(self, start: Floats, postures: Floats, hand: str, carried: frozenset[str]) -> Floats:
        frames = len(postures)
        judge = _Judge(self, hand, carried)
        first = judge.clearances(start[None])[0]
        now = judge.clearances(postures)
        count = np.arange(1, frames + 1)
        room = _MARGIN * self.body.height
        stays = float(now[-1]) < -DEPTH_TOLERANCE * self.body.height  # it cannot end so: it stays drawn in
        to_go = room if stays else now[-1] + _LEAVES * (frames - count)
        asked = np.minimum(room, np.minimum(first + _LEAVES * count, to_go))
        asked = asked if stays else np.maximum(asked, min(0.0, float(now[-1])))
        if (now >= asked - 1e-9).all():
            return postures
        goals = [self.drawn_in(hand, drawn) for drawn in DRAWN_IN]
        best, least = postures, float((asked - now).max())
        for width, fastest in _TRIES:
            found = self._drawn(judge, postures, hand, asked, goals, width, fastest, stays)
            missing = float((asked - judge.clearances(found)).max())
            if missing < least - 1e-6:
                best, least = found, missing
            if least <= 1e-9:
                break
        return best

    def _drawn(
        self, judge: _Judge, postures: Floats, hand: str, asked: Floats, goals: Sequence[Floats], width: int,
        fastest: float, stays: bool,
    ) -> Floats:  # fmt: skip
        """Postures with an arm drawn in towards some postures by as much as clears it, so many samples longer, and so
        fast at most; stays: in the end as well."""
        frames = len(postures)
        at = np.unique(np.append(np.arange(0, frames, _SAMPLES), frames - 1))
        dofs = self.body.dofs_of(self.body.limb(hand).joints)
        parts = [np.zeros(len(goals))]
        parts += [part * weights for weights in np.eye(len(goals)) for part in _PARTS]
        weights = np.array(parts)  # (choices, goals)
        away = np.stack([goal[dofs] for goal in goals]) - postures[at][:, None, dofs]  # (samples, goals, dofs)
        costs = np.empty((len(at), len(weights)))
        for n, own in enumerate(weights):
            tried = postures[at]
            tried[:, dofs] += np.einsum("g,ngd->nd", own, away)
            costs[:, n] = np.maximum(asked[at] - judge.clearances(tried), 0.0)
        offsets = np.einsum("cg,gd->cd", weights, away.mean(axis=0))
        far = np.linalg.norm(offsets, axis=1)
        apart = np.linalg.norm(offsets[:, None] - offsets[None], axis=2)
        costs = _IN_THINGS / self.body.height * around(costs, width) + _FAR * far
        if not stays:  # it is back soon enough for that to be spread
            costs[-3:, 1:] += _IN_THINGS
        steps = cheapest(costs, at, apart, fastest, _MOVES, begins=True, ends=not stays)
        wave = np.stack([np.interp(np.arange(frames), at, rows) for rows in weights[steps].T], axis=1)
        wave = _eased(wave, stays)
        found = postures.copy()
        for n, goal in enumerate(goals):
            found[:, dofs] += wave[:, n : n + 1] * (goal[dofs] - postures[:, dofs])
        self._put_into_ranges(found, hand, np.flatnonzero(wave.any(axis=1)))
        return found

    def _put_into_ranges(self, postures: Floats, hand: str, frames: Ints) -> None:
        """The straight way between two postures may lead out of the range of a ball joint: these frames come back."""
        for joint in self.body.limb(hand).joints:
            if self.body.joints[joint].range is not None:
                places = np.ix_(frames, np.array(self.body.rotation_dofs[joint]))
                turns = local_rotations(self.body, joint, postures[frames])
                postures[places] = angles_like(self.body, joint, turns, postures[places])

    def drawn_in(self, hand: str, drawn: tuple[float, float]) -> Floats:
        """A posture (dofs,) of the arm: as at rest, with the elbow bent and the upper arm lifted to its side."""
        body, limb = self.body, self.body.limb(hand)
        found = np.array(body.rest)
        limits = body.arrays.limits
        if len(limb.joints) > 1:
            elbow = body.rotation_dofs[limb.joints[1]].start
            lower, upper = limits[elbow, :2]
            found[elbow] = np.clip(math.copysign(math.radians(drawn[0]), lower + upper), lower, upper)
        for dof in body.rotation_dofs[limb.joints[0]]:
            if body.dof_names[dof].endswith(".z"):
                away = -1.0 if limb.mirrored else 1.0
                found[dof] = np.clip(found[dof] + away * math.radians(drawn[1]), *limits[dof, :2])
        return found


class _Judge:
    """How far an arm is from everything else."""

    def __init__(self, room: ArmRoom, hand: str, carried: frozenset[str]) -> None:
        self._body, self._boxes = room.body, room.boxes
        solids = body_solids(room.body)
        own = np.isin(solids.joints, room.body.limb(hand).joints)
        self._table = np.array(solids.table)
        self._table[:, MOVES] = own
        size, total = len(own), len(own) + len(self._boxes.halves)
        self._apart = np.zeros((total, total), dtype=np.int64)
        self._apart[:size, :size] = solids.apart_from
        for name in carried & set(self._boxes.names):
            box = size + self._boxes.box(name)
            self._apart[:, box] = self._apart[box] = 1
        self._cubes = self._boxes.cubes(room.things)
        self._carriers = np.full(len(self._boxes.halves), -1, dtype=np.int64)

    def clearances(self, postures: Floats) -> Floats:
        """(frames,), no more than twice the margin."""
        near = 2.0 * _MARGIN * self._body.height
        pairs, counts = near_pairs(
            joint_transforms(self._body, postures), self._table, self._boxes.halves, self._cubes[None], self._carriers,
            self._apart, near,
        )  # fmt: skip
        return least_distances(pairs, counts, near)


def _eased(wave: Floats, stays: bool) -> Floats:
    """The parts (frames, n) by which an arm is drawn in, coming and going smoothly; none in the last frame, unless it
    stays so."""
    frames, half = len(wave), _REACTS // 2
    kernel = np.hanning(_REACTS + 1)[1:-1]
    kernel /= kernel.sum()
    padded = np.concatenate([np.repeat(wave[:1], half - 1, axis=0), wave, np.repeat(wave[-1:], half - 1, axis=0)])
    smooth = np.stack([np.convolve(rows, kernel, mode="valid")[:frames] for rows in padded.T], axis=1)
    count = np.arange(1, frames + 1)
    ends = (count if stays else np.minimum(count, frames - count)) / _ENDS
    return np.asarray(smooth * minimum_jerk(np.clip(ends, 0.0, 1.0))[:, None])
