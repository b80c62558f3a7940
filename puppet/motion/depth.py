"""How deep parts of a body and what they carry are in anything solid, in one frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.geometry import Transform
from puppet.kernels.loader import kernels
from puppet.kernels.solid_model import DISTANCE, MOVES, PAIR_COLUMNS, PAIR_FIRST, SECOND
from puppet.motion.solids import MOST_PAIRS, SceneBoxes, body_solids
from puppet.types import Flags, Floats, Ints

ON_BODY = 0.012  # of its height: how much deeper fingers in the hair, or a rim on the lips, may be
_CORNER = 2.0**0.5 - 1.0  # of half its edge: how far the corners of a cube stick out of the round thing that it is
DEPTH_TOLERANCE = 0.002 / 1.75  # of the body's height: what is less deep only touches


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
    _last: dict[str, tuple[Mapping[str, Transform], Floats]] = field(default_factory=dict)  # boxes of things

    @staticmethod
    def of(body: Body, boxes: SceneBoxes, angles: Floats, things: Mapping[str, Transform]) -> DepthJudge:
        judge = DepthJudge(body, boxes, {})
        return DepthJudge(body, boxes, {(a, b): -distance for a, b, distance in judge._pairs(angles, things, {}, 0.0)})

    def deepest(
        self, angles: Floats, things: Mapping[str, Transform], hands: Mapping[str, Mapping[str, float]],
        carried: Mapping[str, str], on_body: Mapping[str, int],
    ) -> tuple[Depth | None, frozenset[tuple[str, str]]]:  # fmt: skip
        """The deepest in a frame, or None where nothing is in anything; and the hands that are in things.

        hands: what each may touch, and how deep it may be in that; carried: things, and the hands that carry them;
        on_body: joints that hands, or what they carry, are brought to.
        """
        limit = DEPTH_TOLERANCE * self.body.height
        worst: tuple[float, int, int] | None = None
        inside = set()
        touching = self._touching(carried, on_body) if on_body else frozenset()
        held = {name: frozenset(own) & carried.keys() for name, own in hands.items()}
        for a, b, distance in self._pairs(angles, things, held, -limit, carried):
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
        self, angles: Floats, things: Mapping[str, Transform], hands: Mapping[str, frozenset[str]], near: float,
        carried: Mapping[str, str] = {},
    ) -> Iterable[tuple[int, int, float]]:  # fmt: skip
        table, carriers, pairs = self._room
        touched = tuple((hand, frozenset(names)) for hand, names in sorted(hands.items()) if names)
        apart = _apart_from(self.body, self.boxes, touched, tuple(carried))
        last = self._last.get("cubes")
        if last is None or last[0] is not things:
            last = self._last["cubes"] = things, self.boxes.cubes(things)
        cubes, world = last[1], np.array(joint_transforms(self.body, angles))
        moving = [self.boxes.box(name) for name in carried]
        if moving:
            carriers, cubes = carriers.copy(), cubes.copy()
        for box in moving:  # they stay where they are: only whether they are looked after changes
            carriers[box] = 0
            cubes[box] = _seen_from(world[0], cubes[box])
        count = kernels().clearances(world, table, self.boxes.halves, cubes, carriers, apart, near, pairs)
        return [(int(row[PAIR_FIRST]), int(row[SECOND]), float(row[DISTANCE])) for row in pairs[:count]]

    @cached_property
    def _room(self) -> tuple[Floats, Ints, Floats]:
        """The table of solids, no carriers of boxes, and room for pairs."""
        boxes = len(self.boxes.halves)
        return _tables(self.body, boxes)[0], np.full(boxes, -1, dtype=np.int64), np.empty((MOST_PAIRS, PAIR_COLUMNS))


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
    pairs = np.empty((MOST_PAIRS, PAIR_COLUMNS))
    carriers = np.full(len(boxes.halves), -1, dtype=np.int64)
    world = np.array(joint_transforms(body, angles))
    count = kernels().clearances(world, table, boxes.halves, boxes.cubes(things), carriers, apart, 0.0, pairs)
    found = {hand: dict.fromkeys(names, 0.0) for hand, names in hands.items()}
    for row in pairs[:count]:
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
    return apart


def _of_legs(body: Body) -> Flags:
    """Which solids of a body are of its legs."""
    legs = {joint for limb in body.limbs.values() if limb.kind == "leg" for joint in limb.joints}
    return np.isin(body_solids(body, True).joints, sorted(legs))


def _seen_from(frame: Floats, row: Floats) -> Floats:
    """A transform (12,) in the coordinates of another."""
    turn = frame[3:].reshape(3, 3)
    return np.concatenate([turn.T @ (row[:3] - frame[:3]), (turn.T @ row[3:].reshape(3, 3)).ravel()])
