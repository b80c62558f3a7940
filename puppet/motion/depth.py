"""How deep parts of a body and what they carry are in anything solid, frame by frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.geometry import Transform
from puppet.kernels.solid_model import DISTANCE, MOVES, PAIR_FIRST, SECOND
from puppet.motion.solids import SceneBoxes, body_solids, near_pairs, part_groups
from puppet.types import Flags, Floats, Ints

ON_BODY = 0.012  # of its height: how much deeper fingers in the hair, or a rim on the lips, may be
_CORNER = 2.0**0.5 - 1.0  # of half its edge: how far the corners of a cube stick out of the round thing that it is
DEPTH_TOLERANCE = 0.002 / 1.75  # of the body's height: what is less deep only touches

Pairs = Sequence[tuple[int, int, float]]  # of solids, and how far they are from each other


@dataclass(frozen=True)
class Depth:
    """The deepest that one thing is in another."""

    depth: float
    part: str  # of the body, or a thing that is carried
    other: str
    limbs: frozenset[str]  # the arms that are part of it

    @property
    def words(self) -> str:
        return f"the {self.part} goes {self.depth:.3f} into {self.other}"


@dataclass(frozen=True, eq=False)
class DepthJudge:
    """A body and a scene at the beginning: what is in something there counts for nothing later."""

    body: Body
    boxes: SceneBoxes
    first: Mapping[tuple[int, int], float]  # how deep pairs of solids are in each other to begin with

    @staticmethod
    def of(body: Body, boxes: SceneBoxes, angles: Floats, things: Mapping[str, Transform]) -> DepthJudge:
        judge = DepthJudge(body, boxes, {})
        (pairs,) = judge._pairs(joint_transforms(body, angles[None]), [things], {}, {}, 0.0)
        return DepthJudge(body, boxes, {(a, b): -distance for a, b, distance in pairs})

    def deep_pairs(
        self, worlds: Floats, things: Sequence[Mapping[str, Transform]], hands: Mapping[str, frozenset[str]],
        carried: Mapping[str, str],
    ) -> list[Pairs]:  # fmt: skip
        """The pairs in some frames that are in each other by more than a touch. worlds (frames, joints, 12); things:
        where they are in each; hands: what each may touch of what is carried; carried: things, and the hands that carry
        them."""
        return self._pairs(worlds, things, hands, carried, -DEPTH_TOLERANCE * self.body.height)

    def deepest(
        self, pairs: Pairs, hands: Mapping[str, Mapping[str, float]], carried: Mapping[str, str],
        on_body: Mapping[str, int],
    ) -> tuple[Depth | None, frozenset[tuple[str, str]]]:  # fmt: skip
        """The deepest in a frame, or None where nothing is in anything; and the hands that are in things.

        hands: what each may touch, and how deep it may be in that; on_body: joints that hands, or what they carry, are
        brought to.
        """
        limit = DEPTH_TOLERANCE * self.body.height
        worst: tuple[float, int, int] | None = None
        inside = set()
        touching = self._touching(carried, on_body) if on_body else frozenset()
        for a, b, distance in pairs:
            touch = self._touch(a, b)
            allowed = 0.0
            if touch is not None:
                inside.add(touch)
                allowed = hands.get(touch[0], {}).get(touch[1], 0.0)
            depth = -distance - max(0.0, self.first.get((a, b), 0.0), allowed)
            if (a, b) in touching or (b, a) in touching:
                depth -= ON_BODY * self.body.height + _CORNER * max(self._half(a), self._half(b))
            if depth > limit and (worst is None or depth > worst[0]):
                worst = depth, a, b
        if worst is None:
            return None, frozenset(inside)
        depth, a, b = worst
        solids = body_solids(self.body, True)
        limbs = frozenset(
            solids.hands[solids.hand_of[n]] for n in (a, b) if n < len(solids.joints) and solids.hand_of[n] >= 0
        )
        names = [self._words(n) for n in (a, b)]
        limbs |= frozenset(carried[name.strip("'")] for name in names if name.strip("'") in carried)
        found = Depth(depth, names[0], names[1] if b >= len(solids.joints) else f"the {names[1]}", limbs)
        return found, frozenset(inside)

    def _touch(self, a: int, b: int) -> tuple[str, str] | None:
        """The hand and the thing that two solids are, if they are such."""
        solids = body_solids(self.body, True)
        size = len(solids.joints)
        a, b = min(a, b), max(a, b)
        if a >= size or b < size + len(self.boxes.fixed) or solids.hand_of[a] < 0:
            return None
        hand = solids.hands[solids.hand_of[a]]
        if solids.joints[a] != self.body.limb(hand).joints[-1]:
            return None
        return hand, self.boxes.names[b - size - len(self.boxes.fixed)]

    def _half(self, n: int) -> float:
        """Half the edge of a thing; 0 for a part of the body."""
        box = n - len(body_solids(self.body, True).joints)
        return float(self.boxes.halves[box, 0]) if box >= 0 else 0.0

    def _touching(self, carried: Mapping[str, str], on_body: Mapping[str, int]) -> frozenset[tuple[int, int]]:
        """Solids of hands and carried boxes, each with the solids of the joint that it is brought to."""
        joints = body_solids(self.body, True).joints
        found: set[tuple[int, int]] = set()
        for hand, joint in on_body.items():
            own = [int(n) for n in np.flatnonzero(joints == self.body.limb(hand).joints[-1])]
            own += [len(joints) + self.boxes.box(name) for name, carrier in carried.items() if carrier == hand]
            found |= {(a, int(b)) for a in own for b in np.flatnonzero(joints == joint)}
        return frozenset(found)

    def _words(self, n: int) -> str:
        solids = body_solids(self.body, True)
        if n >= len(solids.joints):
            return self.boxes.words(n - len(solids.joints))
        joint = int(solids.joints[n])
        return self.body.joint_names[joint].replace("_", " ") if joint >= 0 else "seat or legs"

    def _pairs(
        self, worlds: Floats, things: Sequence[Mapping[str, Transform]], hands: Mapping[str, frozenset[str]],
        carried: Mapping[str, str], near: float,
    ) -> list[Pairs]:  # fmt: skip
        boxes = self.boxes
        touched = tuple((hand, frozenset(names)) for hand, names in sorted(hands.items()) if names)
        apart = _apart_from(self.body, boxes, touched, tuple(carried))
        if all(own is things[0] for own in things):
            rows = boxes.cubes(things[0])[None]
        else:
            rows = np.stack([boxes.cubes(own) for own in things])
        carriers = np.full(len(boxes.halves), -1, dtype=np.int64)
        moving = [boxes.box(name) for name in carried]
        if moving and len(rows) < len(worlds):
            rows = np.repeat(rows, len(worlds), axis=0)
        for box in moving:  # they stay where they are: only whether they are looked after changes
            carriers[box] = 0
            rows[:, box] = _seen_from(worlds[:, 0], rows[:, box])
        table = _tables(self.body, len(boxes.halves))[0]
        pairs, counts = near_pairs(worlds, table, boxes.halves, rows, carriers, apart, near)
        ends = np.cumsum(counts)
        return [
            [(int(row[PAIR_FIRST]), int(row[SECOND]), float(row[DISTANCE])) for row in pairs[end - count : end]]
            for count, end in zip(counts.tolist(), ends.tolist(), strict=True)
        ]


def contact_depths(
    body: Body, boxes: SceneBoxes, angles: Floats, things: Mapping[str, Transform], hands: Mapping[str, frozenset[str]]
) -> dict[str, dict[str, float]]:
    """How deep each hand is in things that it touches."""
    solids, size = body_solids(body, True), len(body_solids(body, True).table)
    table = np.array(solids.table)
    last = {body.limb(hand).joints[-1]: hand for hand, names in hands.items() if names}
    table[:, MOVES] = 0.0
    for joint in last:
        table[solids.joints == joint, MOVES] = 1.0
    total = size + len(boxes.halves)
    apart = np.zeros((total, total), dtype=np.int64)
    apart[:size, :size] = 1
    carriers = np.full(len(boxes.halves), -1, dtype=np.int64)
    worlds, cubes = np.array(joint_transforms(body, angles))[None], boxes.cubes(things)[None]
    pairs, _ = near_pairs(worlds, table, boxes.halves, cubes, carriers, apart, 0.0)
    found = {hand: dict.fromkeys(names, 0.0) for hand, names in hands.items()}
    for row in pairs:
        hand, box = last[int(solids.joints[int(row[PAIR_FIRST])])], int(row[SECOND]) - size - len(boxes.fixed)
        if box >= 0 and boxes.names[box] in found[hand]:
            name = boxes.names[box]
            found[hand][name] = max(found[hand][name], -float(row[DISTANCE]))
    return found


@lru_cache(maxsize=16)
def _tables(body: Body, boxes: int) -> tuple[Floats, Ints]:
    """The body's solids with arms, trunk, head and legs looked after, and what has nothing to do with each other."""
    solids = body_solids(body, True)
    table = np.array(solids.table)
    trunk = {j for hand in body.hands for j in body.limb(hand).trunk}
    head = {body.gaze.joint} if body.gaze is not None else set()
    table[:, MOVES] = (solids.hand_of >= 0) | np.isin(solids.joints, sorted(trunk | head)) | _of_legs(body)
    size = len(table)
    apart = np.zeros((size + boxes, size + boxes), dtype=np.int64)
    apart[:size, :size] = solids.apart_from
    own = solids.hand_of < 0
    apart[:size, :size][np.ix_(own, own)] = 1  # trunk, head and legs among themselves
    return table, apart


@lru_cache(maxsize=16)
def _apart_from(
    body: Body, boxes: SceneBoxes, touched: tuple[tuple[str, frozenset[str]], ...], carried: tuple[str, ...]
) -> Ints:
    """What has nothing to do with each other where hands touch things, and some are carried; not to be changed."""
    table, plain = _tables(body, len(boxes.halves))
    solids, size, apart = body_solids(body, True), len(table), plain.copy()
    for hand, names in touched:
        own = np.flatnonzero(solids.joints == body.limb(hand).joints[-1])
        for name in names & set(boxes.names):
            box = size + boxes.box(name)
            apart[own, box] = apart[box, own] = 1
    held = [size + boxes.box(name) for name in carried]
    apart[np.ix_(held, held)] = 1
    end = size + len(boxes.fixed)
    legs, boards = np.flatnonzero(_of_legs(body)), np.arange(end - boxes.boards, end)
    rest, tables = np.setdiff1d(np.arange(len(apart)), legs), np.arange(size, end - boxes.boards)
    for own, other in ((legs, tables), (rest, boards)):  # legs find boards alone, and nothing else does
        apart[np.ix_(own, other)] = 1
        apart[np.ix_(other, own)] = 1
    part_groups(table, apart)
    return apart


def _of_legs(body: Body) -> Flags:
    """Which solids of a body are of its legs."""
    legs = {joint for limb in body.limbs.values() if limb.kind == "leg" for joint in limb.joints}
    return np.isin(body_solids(body, True).joints, sorted(legs))


def _seen_from(frames: Floats, rows: Floats) -> Floats:
    """Transforms (n, 12) in the coordinates of others."""
    turns = frames[:, 3:].reshape(-1, 3, 3).transpose(0, 2, 1)
    places = turns @ (rows[:, :3] - frames[:, :3])[:, :, None]
    return np.concatenate([places[..., 0], (turns @ rows[:, 3:].reshape(-1, 3, 3)).reshape(-1, 9)], axis=1)
