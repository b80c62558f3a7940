"""A task and everything that its interpretation needs; from its goal to its motion and the plan after it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from puppet.command import (
    Task,
)
from puppet.geometry import Transform
from puppet.tasks.grip import grip_rotation
from puppet.tasks.miss import Miss
from puppet.tasks.motion import (
    AtHere,
    AtObject,
    AtPoint,
    AtRest,
    Carry,
    Change,
    Goal,
    Motion,
    Primitives,
)
from puppet.tasks.outcome import Hands, Outcome
from puppet.tasks.plan import HandPlan, Plan, at_transform, wanted_transform
from puppet.types import Floats

_PALM_UP = 0.7  # how much a palm that faces up does so, as the cosine of its tilt


@dataclass(frozen=True)
class TaskContext:
    """A task and everything that its interpretation needs."""

    plan: Plan
    hands: Hands
    task: int
    command: Task
    primitives: Primitives
    stays: bool  # the other hands stay where they are

    def moved(self, plan: Plan) -> TaskContext:
        """The same in the plan of a body that has gone elsewhere."""
        return replace(self, plan=plan, hands=self.hands.at(plan.scene))

    def others(self, plan: Plan, receiving: str | None = None) -> dict[str, Goal]:
        """Secondary goals of the other hands (Tables 6.3 to 6.5): their locks, else flat on the table.

        A palm that is turned up, or that something lies in, holds still; one that something is just being put in is
        turned up for it.
        """
        goals: dict[str, Goal] = {}
        for name in self.hands.names:
            if name == self.command.hand:
                continue
            if name in plan.locks:
                goals[name] = plan.locks[name].secondary()
            elif plan.in_palm(name) or name == receiving:
                rotation = plan.hands[name].transform.rotation
                if name == receiving and not _palm_up(rotation):
                    rotation = grip_rotation(self.hands.limb(name), "bottom")
                at = Transform.of(plan.scene.space(name).position, rotation)
                goals[name] = at_transform(self.hands.clear(name, at))
            elif _holds_palm_up(plan.hands[name]):
                goals[name] = at_transform(plan.hands[name].transform)
            else:
                seated = plan.scene.stance is None or plan.scene.stance.seat is not None
                goals[name] = AtRest() if seated and self.hands.limb(name).rest == "table" else AtHere()
        return goals

    def outcome(
        self,
        words: str,
        goal: Goal,
        transform: Transform,
        miss: Miss,
        critical: frozenset[int],
        changes: tuple[Change, ...] = (),
        carry: Carry | None = None,
        reason: str = "",
        last: Goal | None = None,
        receiving: str | None = None,
        **extra: object,
    ) -> Outcome:
        """The motion to a goal, and the plan after it. `last`: the goal that a lock of this hand will name."""
        scene = self.plan.scene
        for change in changes:
            scene = change.apply(scene)
        hand = self.command.hand
        plan = self.plan.with_scene(scene)
        held = plan.locks.get(hand)
        if carry and held and isinstance(held.goal, AtObject) and isinstance(last, AtObject):
            level = carry.settles and miss.in_place
            held = replace(held, goal=last, at=None if level else at_transform(transform))
            plan = replace(plan, locks={**plan.locks, hand: held})
        others = self.others(plan, receiving)
        hand_plans = dict(plan.hands)
        for name, other in others.items():
            stays = isinstance(other, AtHere) or (self.stays and isinstance(other, AtRest))
            at = None if stays else wanted_transform(scene, self.hands.body, self.hands.limb(name), other)
            if at is not None:
                away = isinstance(other, AtRest)
                hand_plans[name] = replace(hand_plans[name], transform=self.hands.clear(name, at), away=away)
        hand_plans[hand] = HandPlan(transform, goal if last is None else last, self.task, miss)
        first = carry.objects[0] if carry else None
        below = scene.stack_of(first)[: scene.stack_of(first).index(first)] if first else ()
        p = self.primitives
        motion = Motion(
            self.task, hand, goal, others, critical, p.frames, p.curve, p.overlap, scene, changes, carry,
            rests_on=frozenset(below), clearance=p.clearance, interpretation=words, source=self.command.source,
            **extra,  # type: ignore[arg-type]
        )  # fmt: skip
        if not miss.met:
            reason = f"{reason}; {miss.words}" if reason else miss.words
            thing = goal.object if isinstance(goal, AtObject) else ""
            if not miss.in_place and self.plan.scene.stance is not None and not carry:
                reason += f"; it helps to walk to {thing}" if thing else "; it helps to walk there"
        return Outcome(replace(plan, hands=hand_plans), motion, words, reason, adjusted=bool(reason) and miss.met)


def _holds_palm_up(hand: HandPlan) -> bool:
    """Whether a hand was brought somewhere in the air with its palm up, to have something put into it."""
    return isinstance(hand.goal, AtPoint) and not hand.away and _palm_up(hand.transform.rotation)


def _palm_up(rotation: Floats) -> bool:
    return float(rotation[1, 1]) < -_PALM_UP
