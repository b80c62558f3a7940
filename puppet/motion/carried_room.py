"""How far hands that carry something are from everything else, with what is in them: from furniture, things, the body
itself, and what another hand carries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from puppet.body import joint_transforms
from puppet.geometry import Transform
from puppet.kernels.solid_model import MOVES
from puppet.motion.arm_room import ArmRoom
from puppet.motion.solids import body_solids, least_distances, near_pairs
from puppet.types import Floats, Ints


class CarriedRoom:
    """What is solid around hands that carry something together."""

    def __init__(
        self, room: ArmRoom, start: Floats, hands: Collection[str], carried: Mapping[str, Sequence[str]], near: float
    ) -> None:
        """start (dofs,): in which things are where the room has them; hands: that are looked after; carried: things, by
        the hand that carries them, one of these or another; near: the distance from which on nothing counts."""
        self._body, self._near = room.body, near
        body, boxes, solids = room.body, room.boxes, body_solids(room.body)
        size, total = len(solids.joints), len(solids.joints) + len(boxes.halves)
        self._halves, self._cubes = boxes.halves, boxes.cubes(room.things)
        self._carriers = np.full(len(boxes.halves), -1, dtype=np.int64)
        self._table = np.array(solids.table)
        arms = np.isin(solids.joints, [joint for hand in hands for joint in body.limb(hand).joints])
        self._table[:, MOVES] = arms
        self._apart = np.zeros((total, total), dtype=np.int64)
        self._apart[:size, :size] = solids.apart_from
        rows = joint_transforms(body, start)
        lasts = {hand: body.limb(hand).joints[-1] for hand in {*hands, *carried}}
        own = {name for hand in hands for name in carried.get(hand, ())}
        boxes_of_own = [size + boxes.box(name) for name in sorted(own)]
        others = np.setdiff1d(np.arange(total), [*np.flatnonzero(arms), *boxes_of_own])
        for hand, names in carried.items():
            at = Transform.of(rows[lasts[hand], :3], rows[lasts[hand], 3:].reshape(3, 3))
            for name in names:
                box = boxes.box(name)
                seen = at.relative(room.things[name])
                self._cubes[box], self._carriers[box] = [*seen.position, *seen.rotation.ravel()], lasts[hand]
                holds = [lasts[other] for other in hands] if name in own else [lasts[hand]]
                self._part(size + box, np.flatnonzero(np.isin(solids.joints, holds)))
                if name not in own:  # only what the hands do that are looked after counts
                    self._part(size + box, others)
        self._apart[np.ix_(boxes_of_own, boxes_of_own)] = 1

    def clearances(self, postures: Floats) -> Floats:
        """(frames,), no more than what is near."""
        pairs, counts = near_pairs(
            joint_transforms(self._body, postures), self._table, self._halves, self._cubes[None], self._carriers,
            self._apart, self._near,
        )  # fmt: skip
        return least_distances(pairs, counts, self._near)

    def _part(self, one: int, others: Ints) -> None:
        """Has nothing to do with others."""
        self._apart[one, others] = self._apart[others, one] = 1
