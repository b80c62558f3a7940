"""A joint turned directly to given angles, for what no task can express."""

from __future__ import annotations

import math
from dataclasses import replace

from puppet.command import PoseJoint
from puppet.errors import PuppetError
from puppet.tasks.locking import primitives_of
from puppet.tasks.motion import AtHere, Goal, Motion
from puppet.tasks.outcome import Hands, Outcome, reject
from puppet.tasks.plan import Plan


def pose_joint(plan: Plan, command: PoseJoint, task: int, hands: Hands) -> Outcome:
    """Turns one joint. All others stay, except that arms on a turned trunk move to keep their hands in place.

    Rejected if it would move a hand that is locked or that something lies in.
    """
    words = f"Pose {command.joint.replace('_', ' ')}"
    primitives = primitives_of(plan, command)
    if isinstance(primitives, str):
        return reject(plan, words, primitives)
    if not (len(command.angles) == 3 and all(math.isfinite(angle) for angle in command.angles)):
        return reject(plan, words, f"a joint is posed by three angles in degrees, not {command.angles}")
    try:
        posed = hands.posed(command.joint, command.angles)
    except PuppetError as error:
        return reject(plan, words, str(error))
    moved = [limb for limb in posed.moved if limb in hands.names]  # a leg holds nothing
    for hand in moved:
        if hand in plan.locks:
            return reject(plan, words, f"that would move the {hand} hand, which is locked; unlock it first")
        if plan.in_palm(hand):
            return reject(plan, words, f"that would move the {hand} hand, in which '{plan.in_palm(hand)[0]}' lies")
    hand_plans = {h: replace(p, goal=None, task=None) if h in moved else p for h, p in plan.hands.items()}
    others: dict[str, Goal] = {hand: AtHere() for hand in posed.riding}
    motion = Motion(
        task, moved[0] if moved else hands.names[0], posed.goal, others, frozenset([posed.joint]),
        primitives.frames, primitives.curve, primitives.overlap,
        plan.scene, alone=True, clearance=primitives.clearance, interpretation=words, source=command.source,
    )  # fmt: skip
    reason = f"the {command.joint.replace('_', ' ')} goes to its limit" if posed.limited else ""
    return Outcome(replace(plan, hands=hand_plans), motion, words, reason, adjusted=posed.limited)
