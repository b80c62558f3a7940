"""The motion interface (Chapter 6): a command, in a plan, becomes a motion and a new plan, or a reason why not."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puppet.command import (
    GRIPS,
    Balance,
    Drag,
    Lock,
    Perform,
    Pin,
    PoseJoint,
    Reach,
    SetPrimitive,
    Slide,
    Task,
    Unlock,
    Unpin,
)
from puppet.errors import did_you_mean
from puppet.geometry import Transform
from puppet.scene import Position, Scene
from puppet.tasks import grip
from puppet.tasks.locking import PRIMITIVES, lock, primitive_problem, set_primitive, space_words, unlock
from puppet.tasks.miss import Miss
from puppet.tasks.motion import (
    AtAngles,
    AtHere,
    AtObject,
    AtRest,
    AtSpace,
    Carry,
    Change,
    Goal,
    Motion,
    Moved,
    Placed,
    Primitives,
    SpaceSet,
    Stacked,
)
from puppet.tasks.outcome import Hands, Outcome, reject
from puppet.tasks.plan import MET, HandPlan, Held, Plan, at_pose, wanted_transform
from puppet.tasks.pose_joint import pose_joint
from puppet.tasks.whole_body import interpret_whole_body

_STILL = np.radians(1.0)  # a hand that turns less than this carries its object flat


def interpret(plan: Plan, command: object, task: int, hands: Hands, follows: bool = False) -> Outcome:
    """What a command means in a plan.

    `task` is its number in the report. `follows`: the last task in the queue is another hand's and not yet done, so a
    task that may overlap leaves that hand where it is.
    """
    if isinstance(command, SetPrimitive):
        return set_primitive(plan, command)
    if isinstance(command, PoseJoint):
        return pose_joint(plan, command, task, hands)
    if isinstance(command, (Pin, Unpin, Drag, Balance)):
        return interpret_whole_body(plan, command, task, hands)
    hand = getattr(command, "hand", None)
    if hand not in hands.names:
        return reject(plan, "", f"unknown hand '{hand}'; {did_you_mean(str(hand), hands.names)}")
    if isinstance(command, Lock):
        return lock(plan, command)
    if isinstance(command, Unlock):
        return unlock(plan, command)
    assert isinstance(command, Task)
    primitives = replace(
        plan.primitives,
        **{
            name: value
            for name in PRIMITIVES
            if (value := getattr(command, name)) is not None
        },
    )
    problem = next((p for name in PRIMITIVES if (p := primitive_problem(name, getattr(primitives, name)))), "")
    if problem:
        return reject(plan, "", problem)
    given = _Given(plan, hands, task, command, primitives, follows and primitives.overlap != "none")
    if isinstance(command, Reach):
        return _reach(given, command)
    if isinstance(command, Slide):
        return _slide(given, command)
    assert isinstance(command, Perform)
    return _perform(given, command)


# ---- tasks


@dataclass(frozen=True)
class _Given:
    """A task that was given, with all that its interpretation needs."""

    plan: Plan
    hands: Hands
    task: int
    command: Task
    primitives: Primitives
    stays: bool  # the other hands stay where they are

    def others(self, plan: Plan, receiving: str | None = None) -> dict[str, Goal]:
        """Secondary goals of the other hands (Tables 6.3 to 6.5): their locks, else flat on the table.

        A hand that something lies in, or is just being put in, holds still.
        """
        goals: dict[str, Goal] = {}
        for name in self.hands.names:
            if name == self.command.hand:
                continue
            if name in plan.locks:
                goals[name] = plan.locks[name].secondary()
            elif plan.in_palm(name) or name == receiving:
                at = Transform.of(plan.scene.space(name).position, plan.hands[name].pose.rotation)
                goals[name] = at_pose(self.hands.clear(name, at))
            else:
                goals[name] = AtRest() if self.hands.limb(name).rest == "table" else AtHere()
        return goals

    def outcome(
        self,
        words: str,
        goal: Goal,
        pose: Transform,
        miss: Miss,
        critical: frozenset[int],
        changes: tuple[Change, ...] = (),
        carry: Carry | None = None,
        reason: str = "",
        last: Goal | None = None,
        receiving: str | None = None,
        **extra: object,
    ) -> Outcome:
        """The motion to a goal, and the plan once it is done. `last`: the goal that a lock of this hand will name."""
        scene = self.plan.scene
        for change in changes:
            scene = change.apply(scene)
        hand = self.command.hand
        plan = self.plan.with_scene(scene)
        held = plan.locks.get(hand)
        if carry and held and isinstance(held.goal, AtObject) and isinstance(last, AtObject):
            level = carry.settles and miss.in_place
            held = Held(last, held.task, None if level else at_pose(pose))
            plan = replace(plan, locks={**plan.locks, hand: held})
        others = self.others(plan, receiving)
        poses = dict(plan.hands)
        for name, other in others.items():
            stays = isinstance(other, AtHere) or (self.stays and isinstance(other, AtRest))
            at = None if stays else wanted_transform(scene, self.hands.limb(name), other)
            if at is not None:
                away = isinstance(other, AtRest)
                poses[name] = replace(poses[name], pose=self.hands.clear(name, at), away=away)
        poses[hand] = HandPlan(pose, goal if last is None else last, self.task, miss)
        lead = carry.objects[0] if carry else None
        below = scene.stack_of(lead)[: scene.stack_of(lead).index(lead)] if lead else ()
        p = self.primitives
        motion = Motion(
            self.task, hand, goal, others, critical, p.speed, p.curve, p.overlap, scene, changes, carry,
            rests_on=frozenset(below), clearance=p.clearance, interpretation=words, source=self.command.source,
            **extra,  # type: ignore[arg-type]
        )  # fmt: skip
        if not miss.met:
            reason = f"{reason}; {miss.words}" if reason else miss.words
        return Outcome(replace(plan, hands=poses), motion, words, reason, adjusted=bool(reason) and miss.met)


def _reach(given: _Given, command: Reach) -> Outcome:
    plan, scene, hand = given.plan, given.plan.scene, command.hand
    if (command.object is None) == (command.space is None):
        return reject(plan, "", "a reach needs an object or a space")
    target = command.object if command.object is not None else command.space
    assert target is not None
    known = {o.name for o in scene.objects} if command.object is not None else {s.name or "" for s in scene.spaces}
    what = "object" if command.object is not None else "space"
    if target not in known:
        return reject(plan, f"Reach {target}", f"unknown {what} '{target}'; {did_you_mean(target, known)}")
    lead = plan.grasped(hand)
    if lead is not None:
        return _put(given, lead, command)
    words = f"Reach {target if command.object is not None else space_words(scene, target)} with {hand} hand"
    lying = plan.in_palm(hand)
    if lying:
        return reject(plan, words, f"'{lying[0]}' lies in the {hand} hand, which can only slide until that is taken")
    goal: Goal
    if command.object is not None:
        taken, reason = grip.possible_grip(scene, target, given.primitives.grip)
        goal = AtObject(target, taken)
    else:
        goal, reason = AtSpace(target, given.primitives.grip), ""
        bottom = scene.bottom(target)
        if bottom is not None:
            reason = f"'{bottom}' stands at {space_words(scene, target)}, so the hand goes to its side"
    return _send(given, words, goal, reason)


def _send(given: _Given, words: str, goal: Goal, reason: str) -> Outcome:
    """An empty hand to a goal."""
    hand = given.command.hand
    pose = wanted_transform(given.plan.scene, given.hands.limb(hand), goal)
    assert pose is not None
    reached, miss = given.hands.reach(hand, given.hands.clear(hand, pose))
    return given.outcome(words, goal, reached, miss, given.hands.critical(hand), reason=reason)


def _put(given: _Given, lead: str, command: Reach) -> Outcome:
    """A hand that holds something reaches: what it holds is moved or stacked (Tables 6.6, 6.7, 6.10)."""
    plan, scene, hand = given.plan, given.plan.scene, command.hand
    change: Change
    receiving = None
    if command.object is not None:
        onto = command.object
        words = f"Stack {lead} on {onto}"
        if onto == lead:
            return reject(plan, words, f"'{lead}' cannot stand on itself")
        if scene.is_below(onto, lead):
            return reject(plan, words, f"'{lead}' stands above '{onto}' in the same stack already")
        if scene.is_below(lead, onto):
            return reject(
                plan, words, f"'{onto}' stands above '{lead}' in the same stack; to swap them, first move '{onto}' away"
            )
        change = Stacked(lead, onto)
        top = scene.stack_of(onto)[-1]
        space = scene.space_of(onto)
        receiving = space.name if space.dynamic else None
    else:
        target = command.space
        assert target is not None
        words = f"Move {lead} to {space_words(scene, target)}"
        if target == hand:
            return reject(plan, words, f"the {hand} hand cannot put '{lead}' into itself")
        if scene.space_of(lead).name == target:
            return reject(plan, words, f"'{lead}' is at {space_words(scene, target)} already")
        change = Moved(lead, target)
        top = scene.topmost(target) or ""
        onto = ""
        receiving = target if scene.space(target).dynamic else None
    if receiving == hand:
        return reject(plan, words, f"the {hand} hand cannot put '{lead}' into itself")
    if top and top != onto:
        words += f", on top of {top}"
    after = change.apply(scene)
    taken, reason = grip.possible_grip(after, lead, given.primitives.grip)
    tower = scene.tower(lead)
    goal = AtObject(lead, taken)
    wanted = given.hands.clear(hand, grip.object_pose(after, given.hands.limb(hand), lead, taken))
    reached, miss = given.hands.reach(hand, wanted)
    if not miss.in_place:  # it stays in the hand, as near to its place as the hand gets
        width = scene.object(lead).width
        centre = reached.position + np.array(after.centre(lead)) - wanted.position
        change = Placed(lead, _out_of_table(scene, _point(centre - (0.0, width, 0.0))))
        goal_point = at_pose(wanted)
        return given.outcome(
            words, goal_point, reached, miss, given.hands.critical(hand), (change,), Carry(tower, True),
            last=goal, reason=reason,
        )  # fmt: skip
    return given.outcome(
        words, goal, reached, miss, given.hands.critical(hand), (change,), Carry(tower, True), reason, goal, receiving
    )


def _slide(given: _Given, command: Slide) -> Outcome:
    """A hand moved from where it is; what it holds or what lies in it goes along (Table 6.9, Figure 6.7)."""
    plan, scene, hand = given.plan, given.plan.scene, command.hand
    lead, lying = plan.grasped(hand), plan.in_palm(hand)
    words = f"Slide {lead}" if lead else f"Slide {hand} hand"
    if not (len(command.by) == 3 and all(np.isfinite(v) and abs(v) < 100.0 for v in command.by)):
        return reject(plan, words, f"a slide goes by three numbers of less than 100, not {command.by}")
    if isinstance(command.turn, str) and command.turn not in GRIPS:
        return reject(plan, words, f"unknown turn '{command.turn}'; {did_you_mean(command.turn, GRIPS)}")
    here = plan.hands[hand].pose
    if lead is not None and (plan.hands[hand].away or plan.hands[hand].goal != plan.locks[hand].goal):
        # it goes back to the object, then slides
        at = wanted_transform(scene, given.hands.limb(hand), plan.locks[hand].goal)
        assert at is not None
        here = given.hands.clear(hand, at)
    rotation = here.rotation
    if isinstance(command.turn, str):
        rotation = grip.grip_rotation(given.hands.limb(hand), command.turn)
    elif command.turn is not None:
        x, y, z = command.turn
        if not all(np.isfinite(v) for v in command.turn):
            return reject(plan, words, f"a turn is three angles in degrees, not {command.turn}")
        rotation = grip.turned(given.hands.limb(hand), (z, y, x))
    asked = Transform.of(here.position + np.array(command.by), rotation)
    wanted = given.hands.clear(hand, asked)
    carried = scene.tower(lead) if lead else lying
    settles = bool(Transform.of((0, 0, 0), rotation).angle(here) < _STILL)
    base: Position | None = None
    if lead is not None:
        low = _base_of(scene, lead, here, wanted)
        wanted = wanted.moved((0.0, _out_of_table(scene, low)[1] - low[1], 0.0))
    elif lying:
        low = _point(wanted.position)
        wanted = wanted.moved((0.0, _out_of_table(scene, low)[1] - low[1], 0.0))
    reason = "raised out of the table" if wanted.position[1] > asked.position[1] + 1e-9 else ""
    reached, miss = given.hands.reach(hand, wanted)
    changes: list[Change] = [SpaceSet(hand, _point(reached.position))]
    if lead is not None:
        base = _out_of_table(scene, _base_of(scene, lead, here, reached))
        changes.append(Placed(lead, base))
    goal = at_pose(wanted)
    carry = Carry(carried, settles or lead is None, palm=lead is None) if carried else None
    last: Goal = goal
    if lead is not None:
        held = plan.locks[hand].goal
        assert isinstance(held, AtObject)
        last = held
    return given.outcome(
        words, goal, reached, miss, given.hands.critical(hand), tuple(changes), carry, reason, last, slides=True
    )


def _perform(given: _Given, command: Perform) -> Outcome:
    """A canned posture, or several in a row; what the hand holds goes along."""
    plan, scene, hand = given.plan, given.plan.scene, command.hand
    known = given.hands.gestures
    if command.gesture not in known:
        why = known.impossible.get(command.gesture)
        why = why or f"unknown gesture '{command.gesture}'; {did_you_mean(command.gesture, known)}"
        return reject(plan, f"Perform {command.gesture}", why)
    gesture = known[command.gesture]
    words = f"{gesture.words} with {hand} hand"
    lying, lead = plan.in_palm(hand), plan.grasped(hand)
    if lying:
        return reject(plan, words, f"'{lying[0]}' lies in the {hand} hand, which can only slide until that is taken")
    postures = given.hands.gesture_angles(hand, gesture)
    critical = given.hands.gesture_joints(hand, gesture)
    final = given.hands.pose_of(hand, postures[-1])
    changes: tuple[Change, ...] = ()
    carry, last = None, None
    if lead is not None:
        held = plan.locks[hand].goal
        assert isinstance(held, AtObject)
        last = held
        width = scene.object(lead).width
        centre = final.compose(grip.held_in_hand(given.hands.limb(hand), held.grip, width)).position
        changes = (Placed(lead, _point(centre - (0.0, width, 0.0))),)
        carry = Carry(scene.tower(lead), settles=False)
    outcome = given.outcome(
        words, _own(given.hands, postures[-1], critical), final, MET, critical, changes, carry, last=last,
        looks=gesture.looks, posture=postures[-1],
    )  # fmt: skip
    assert outcome.motion is not None
    motion: Motion | None = None
    for number in range(len(postures) - 1, -1, -1):
        pace = max(1, round(outcome.motion.speed * gesture.steps[number].pace))
        ends = number == len(postures) - 1
        motion = replace(
            outcome.motion, goal=_own(given.hands, postures[number], critical), posture=postures[number], speed=pace,
            couple=motion,
            changes=changes if ends else (), scene_after=outcome.motion.scene_after if ends else scene,
        )  # fmt: skip
    return replace(outcome, motion=motion)


def _own(hands: Hands, posture: AtAngles, critical: frozenset[int]) -> AtAngles:
    """The part of a posture that is critical to its task."""
    return AtAngles(tuple((dof, angle) for dof, angle in posture.angles if hands.joint_of(dof) in critical))


def _base_of(scene: Scene, lead: str, here: Transform, there: Transform) -> Position:
    """The point that a held object will stand on when its hand goes from one pose to another."""
    width = scene.object(lead).width
    centre = there.compose(here.relative(Transform.of(scene.centre(lead)))).position
    return _point(centre - (0.0, width, 0.0))


def _out_of_table(scene: Scene, base: Position) -> Position:
    """A base raised onto the table where it is inside it."""
    x, y, z = base
    inside = z > scene.table.front and y < scene.table.height
    return (x, scene.table.height, z) if inside else base


def _point(values: object) -> Position:
    x, y, z = (float(value) for value in values)  # type: ignore[attr-defined]
    return x, y, z
