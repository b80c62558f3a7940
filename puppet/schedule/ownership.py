"""Who owns which joint: Group_Positions and Group_Trajectories of Appendix A, over sets of joints of any body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from puppet.body import Body

Joints = frozenset[int]
NO_JOINTS: Joints = frozenset()


@dataclass(frozen=True)
class Anatomy:
    """What the scheduler must know of a body."""

    joints: Joints
    limbs: tuple[Joints, ...]  # each is dedicated to one task at a time
    shareable: Joints  # the trunk, which several tasks may share

    @staticmethod
    def of(body: Body) -> Anatomy:
        limbs = body.limbs.values()
        return Anatomy(
            frozenset(range(len(body.joints))),
            tuple(frozenset(limb.joints) for limb in limbs),
            frozenset(j for limb in limbs for j in limb.trunk),
        )


@dataclass(frozen=True)
class Demand:
    """What the scheduler must know of a motion."""

    critical: Joints
    overlap: str = "none"


def group_positions(anatomy: Anatomy, demands: Sequence[Demand]) -> tuple[Joints, ...]:
    """The joints that take their goals from each of the first motions in the queue (Group_Positions).

    The thesis gives it for two motions; a third relates to the first two as the second to the first. A motion that gets
    nothing keeps all later ones waiting: first come, first served.
    """
    groups: list[Joints] = []
    taken: Joints = NO_JOINTS  # critical joints of the motions so far
    for place, demand in enumerate(demands):
        critical = demand.critical
        if place == 0:
            own = critical
        elif demand.overlap == "none" or any(limb <= taken & critical for limb in anatomy.limbs):
            own = NO_JOINTS
        elif demand.overlap == "full" and taken & critical == anatomy.shareable:
            own = critical
        else:
            own = critical - taken
        if not own:
            break
        groups.append(own)
        taken |= critical
    if groups:
        groups[0] = demands[0].critical | (anatomy.joints - taken)
    return tuple(groups) + (NO_JOINTS,) * (len(demands) - len(groups))


def group_trajectories(anatomy: Anatomy, demands: Sequence[Demand]) -> tuple[Joints, ...]:
    """The joints that take speed and curve from each of the first motions in the queue (Group_Trajectories)."""
    positions = group_positions(anatomy, demands)
    groups: list[Joints] = []
    taken: Joints = NO_JOINTS
    for place, (demand, own) in enumerate(zip(demands, positions, strict=True)):
        if place > 0 and (not own or taken & demand.critical):
            groups.append(NO_JOINTS)  # a conflict: these joints take the first motion's speed
        else:
            groups.append(demand.critical)
        if own:
            taken |= demand.critical
    if groups:
        groups[0] = anatomy.joints - frozenset().union(*groups[1:])
    return tuple(groups)
