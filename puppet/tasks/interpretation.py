"""Interpretation (Chapter 6): from a command and the plan to a motion and a new plan, or the reason why not."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from puppet.command import (
    EITHER,
    GRIPS,
    Balance,
    Drag,
    GiveThing,
    Lock,
    LookAt,
    MoveHead,
    Perform,
    Pin,
    PointAt,
    PoseJoint,
    PutThing,
    Reach,
    SetPrimitive,
    Slide,
    TakeThing,
    Task,
    Travel,
    Unlock,
    Unpin,
)
from puppet.errors import PuppetError, did_you_mean
from puppet.geometry import Transform
from puppet.scene import Position, Scene, as_position
from puppet.tasks import grip
from puppet.tasks.bringing import HeldThing
from puppet.tasks.gesture_things import find_goal, hand_problem, named_things, no_goal
from puppet.tasks.head import move_head, spot_place, spot_words, unknown_spot
from puppet.tasks.locking import lock, primitives_of, set_primitive, space_words, unlock
from puppet.tasks.miss import Miss
from puppet.tasks.motion import (
    AtAngles,
    AtGesture,
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
from puppet.tasks.plan import HandPlan, Plan, at_transform, wanted_transform
from puppet.tasks.pointing import at_point, pointing
from puppet.tasks.pose_joint import pose_joint
from puppet.tasks.taking import give, put, take, with_better_hand, with_nearest
from puppet.tasks.travelling import interpret_travel
from puppet.tasks.whole_body import interpret_whole_body
from puppet.types import Vector

REGRIP_SHARE = 0.4  # of the frames of a task in which a hand goes over to another grip, first or in the end

_LEVEL_TURN = np.radians(1.0)  # a hand that turns by less than this keeps its object level


def interpret(plan: Plan, command: object, task: int, hands: Hands, follows: bool = False) -> Outcome:
    """What a command means in a plan.

    `task` is its number in the report. `follows`: the last task in the queue belongs to another hand and is not yet
    done, so a task that may overlap leaves that hand where it is.
    """
    if isinstance(command, SetPrimitive):
        return set_primitive(plan, command)
    if isinstance(command, PoseJoint):
        return pose_joint(plan, command, task, hands)
    if isinstance(command, Travel):
        return interpret_travel(plan, command, task, hands)
    if isinstance(command, (Pin, Unpin, Drag, Balance)):
        return interpret_whole_body(plan, command, task, hands)
    if isinstance(command, (LookAt, MoveHead)):
        return move_head(plan, command, task, hands)

    def again(plan: Plan, command: Task) -> Outcome:
        return interpret(plan, command, task, hands, follows)

    if isinstance(command, PutThing):
        return replace(put(plan, command, again), target=command.onto or command.space)
    if isinstance(command, Task) and command.hand == EITHER:
        return with_better_hand(plan, command, hands, again)
    hand = getattr(command, "hand", None)
    if hand not in hands.names:
        return reject(plan, "", f"unknown hand '{hand}'; {did_you_mean(str(hand), hands.names)}")
    if isinstance(command, Lock):
        return lock(plan, command)
    if isinstance(command, Unlock):
        return unlock(plan, command)
    assert isinstance(command, Task)
    if isinstance(command, (Reach, TakeThing)) and command.nearest is not None:
        found = with_nearest(plan, command, command.hand)
        if isinstance(found, str):
            return reject(plan, f"{type(command).__name__} nearest {command.nearest} with {hand} hand", found)
        command = found
    if isinstance(command, TakeThing):
        return replace(take(plan, command, hands, again), target=command.object)
    if isinstance(command, GiveThing):
        return replace(give(plan, command, again), target=command.object)
    primitives = primitives_of(plan, command)
    if isinstance(primitives, str):
        return reject(plan, "", primitives)
    context = _TaskContext(plan, hands, task, command, primitives, follows and primitives.overlap != "none")
    if isinstance(command, Reach):
        return _reach(context, command)
    if isinstance(command, Slide):
        return _slide(context, command)
    if isinstance(command, PointAt):
        return _point_at(context, command)
    assert isinstance(command, Perform)
    return _perform(context, command)


# ---- tasks


@dataclass(frozen=True)
class _TaskContext:
    """A task and everything that its interpretation needs."""

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
                at = Transform.of(plan.scene.space(name).position, plan.hands[name].transform.rotation)
                goals[name] = at_transform(self.hands.clear(name, at))
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
            at = None if stays else wanted_transform(scene, self.hands.limb(name), other)
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


def _reach(context: _TaskContext, command: Reach) -> Outcome:
    plan, scene, hand = context.plan, context.plan.scene, command.hand
    if [command.object, command.space, command.point].count(None) != 2:
        return reject(plan, "", "a reach needs an object, a space or a point")
    if command.point is not None:
        return _reach_point(context, command, command.point)
    target = command.object if command.object is not None else command.space
    assert target is not None
    known = {o.name for o in scene.objects} if command.object is not None else {s.name or "" for s in scene.spaces}
    what = "object" if command.object is not None else "space"
    if target not in known:
        return reject(plan, f"Reach {target}", f"unknown {what} '{target}'; {did_you_mean(target, known)}")
    grasped = plan.grasped(hand)
    if grasped is not None:
        return replace(_put(context, grasped, command), target=target)
    words = f"Reach {target if command.object is not None else space_words(scene, target)} with {hand} hand"
    in_palm = plan.in_palm(hand)
    if in_palm:
        return reject(plan, words, f"'{in_palm[0]}' lies in the {hand} hand, which can only slide until that is taken")
    goal: AtObject | AtSpace
    if command.object is not None:
        taken, reason = grip.possible_grip(scene, target, context.primitives.grip)
        goal = AtObject(target, taken)
    else:
        goal, reason = AtSpace(target, context.primitives.grip), ""
        bottom = scene.bottom(target)
        if bottom is not None:
            reason = f"'{bottom}' stands at {space_words(scene, target)}, so the hand goes to its side"
    return replace(_reach_empty(context, words, goal, reason), target=target)


def _reach_point(context: _TaskContext, command: Reach, point: Vector) -> Outcome:
    """A hand to a point of the world, with what it holds."""
    plan, hand = context.plan, command.hand
    words = f"Reach ({', '.join(f'{value:g}' for value in point)}) with {hand} hand"
    if not all(np.isfinite(value) and abs(value) <= 100.0 for value in point):
        return reject(plan, words, f"a point is three numbers of at most 100, not {point}")
    if plan.grasped(hand) is not None or plan.in_palm(hand):
        x, y, z = np.array(point) - plan.hands[hand].transform.position
        common = {field.name: getattr(command, field.name) for field in fields(Task)}
        return replace(_slide(context, Slide(**common, by=(float(x), float(y), float(z)))), target=point)
    goal, reached, miss = at_point(context.hands, hand, point, context.primitives.grip)
    lifted = "raised out of the table" if goal.position[1] > point[1] + 1e-9 else ""
    outcome = context.outcome(words, goal, reached, miss, context.hands.critical(hand), reason=lifted)
    return replace(outcome, target=point)


def _point_at(context: _TaskContext, command: PointAt) -> Outcome:
    """An arm stretched out towards something."""
    plan, hand, spot = context.plan, command.hand, command.spot
    words = f"Point at {spot_words(spot)} with {hand} hand"
    in_palm = plan.in_palm(hand)
    if in_palm:
        return reject(plan, words, f"'{in_palm[0]}' lies in the {hand} hand, which can only slide until that is taken")
    if plan.grasped(hand) is not None:
        return reject(plan, words, f"the {hand} hand holds '{plan.grasped(hand)}'; put that down first")
    place = spot_place(plan.scene, spot)
    if spot.kind == "hand" and spot.name in plan.hands and spot.name != hand:
        place = as_position(plan.hands[spot.name].transform.position)
    if place is None:
        return reject(plan, words, unknown_spot(plan.scene, spot))
    thing = spot.name if spot.kind == "name" else ""
    size = next((1.4 * entry.width for entry in plan.scene.objects if entry.name == thing), 0.0)
    goal, reached, miss = pointing(context.hands, hand, place, size)
    outcome = context.outcome(words, goal, reached, miss, context.hands.critical(hand))
    return replace(outcome, target=spot.point if spot.kind == "point" else spot.name)


def _reach_empty(context: _TaskContext, words: str, goal: AtObject | AtSpace, reason: str) -> Outcome:
    """An empty hand is sent to a goal."""
    hand = context.command.hand
    goal, reached, miss = context.hands.aim(hand, context.plan.scene, goal)
    return context.outcome(words, goal, reached, miss, context.hands.critical(hand), reason=reason)


def _put(context: _TaskContext, grasped: str, command: Reach) -> Outcome:
    """A hand that holds something reaches: it moves or stacks what it holds (Tables 6.6, 6.7, 6.10)."""
    plan, scene, hand = context.plan, context.plan.scene, command.hand
    change: Change
    receiving = None
    if command.object is not None:
        onto = command.object
        words = f"Stack {grasped} on {onto}"
        if onto == grasped:
            return reject(plan, words, f"'{grasped}' cannot stand on itself")
        if scene.is_below(onto, grasped):
            return reject(plan, words, f"'{grasped}' stands above '{onto}' in the same stack already")
        if scene.is_below(grasped, onto):
            swap = f"to swap them, first move '{onto}' away"
            return reject(plan, words, f"'{onto}' stands above '{grasped}' in the same stack; {swap}")
        change = Stacked(grasped, onto)
        top = scene.stack_of(onto)[-1]
        space = scene.space_of(onto)
        receiving = space.name if space.dynamic else None
    else:
        target = command.space
        assert target is not None
        words = f"Move {grasped} to {space_words(scene, target)}"
        if target == hand:
            return reject(plan, words, f"the {hand} hand cannot put '{grasped}' into itself")
        if scene.space_of(grasped).name == target:
            return reject(plan, words, f"'{grasped}' is at {space_words(scene, target)} already")
        change = Moved(grasped, target)
        top = scene.topmost(target) or ""
        onto = ""
        receiving = target if scene.space(target).dynamic else None
    if receiving == hand:
        return reject(plan, words, f"the {hand} hand cannot put '{grasped}' into itself")
    if top and top != onto:
        words += f", on top of {top}"
    after = change.apply(scene)
    held = plan.locks[hand]
    assert isinstance(held.goal, AtObject)
    asked = command.grip or (plan.primitives.grip if plan.primitives.grip != held.usual_grip else held.goal.grip)
    taken, reason = grip.possible_grip(after, grasped, asked)
    tower = scene.tower(grasped)
    regrips = taken != held.goal.grip
    first = regrips and _stands(scene, grasped) and grip.possible_grip(scene, grasped, taken)[0] == taken
    if regrips and not first and grip.possible_grip(after, grasped, held.goal.grip)[0] != held.goal.grip:
        first = True  # it must be held so where it goes
    carried_by = taken if first or not regrips else held.goal.grip
    goal, reached, miss = context.hands.aim(hand, after, AtObject(grasped, carried_by))
    assert isinstance(goal, AtObject)
    critical = context.hands.critical(hand)
    changes: tuple[Change, ...] = (change,)
    if not miss.in_place:  # it stays in the hand, as near to its place as the hand gets
        wanted = context.hands.clear(hand, _at(context, after, goal))
        width = scene.object(grasped).width
        centre = reached.position + np.array(after.centre(grasped)) - wanted.position
        changes = (Placed(grasped, _out_of_table(scene, as_position(centre - (0.0, width, 0.0)))),)
        outcome = context.outcome(
            words, at_transform(wanted), reached, miss, critical, changes, Carry(tower, True), last=goal, reason=reason
        )
    else:
        outcome = context.outcome(
            words, goal, reached, miss, critical, changes, Carry(tower, True), reason, goal, receiving
        )
    if not regrips:
        return outcome
    return _with_grip_change(context, outcome, grasped, taken, first)


def _at(context: _TaskContext, scene: Scene, goal: Goal) -> Transform:
    transform = wanted_transform(scene, context.hands.limb(context.command.hand), goal)
    assert transform is not None
    return transform


def _stands(scene: Scene, name: str) -> bool:
    """Whether an object stands on something: on another one, on a place of the scene, or on the table."""
    space = scene.space_of(name)
    if scene.below(name) is not None or (space.name is not None and not space.dynamic):
        return True
    return not space.dynamic and abs(scene.base(name)[1] - scene.table.height) < 1e-6


def _with_grip_change(context: _TaskContext, outcome: Outcome, grasped: str, taken: str, first: bool) -> Outcome:
    """The same with the hand going over to another grip while the object stands: first of all, or in the end."""
    motion = outcome.motion
    assert motion is not None
    hand = context.command.hand
    scene = context.plan.scene if first else motion.scene_after
    if not first and not _stands(scene, grasped):
        reason = f"'{grasped}' does not stand on anything there, so the hand keeps its grip"
        words = f"{outcome.reason}; {reason}" if outcome.reason else reason
        return replace(outcome, reason=words, adjusted=True)
    goal, reached, miss = context.hands.aim(hand, scene, AtObject(grasped, taken))
    change = replace(
        motion, goal=goal, changes=(), carry=None, rests_on=frozenset(), scene_after=scene, regrips=grasped
    )
    if motion.speed is not None:  # both together take as many frames as was said
        frames = max(1, round(REGRIP_SHARE * motion.speed))
        change, motion = replace(change, speed=frames), replace(motion, speed=max(1, motion.speed - frames))
        outcome = replace(outcome, motion=motion)
    if first:
        return replace(outcome, motion=replace(change, couple=motion))
    held = outcome.plan.locks.get(hand)
    plan = replace(
        outcome.plan,
        hands={**outcome.plan.hands, hand: HandPlan(reached, goal, context.task, miss)},
        locks={**outcome.plan.locks, hand: replace(held, goal=goal)} if held else outcome.plan.locks,
    )  # fmt: skip
    return replace(outcome, plan=plan, motion=replace(motion, couple=change))


def _slide(context: _TaskContext, command: Slide) -> Outcome:
    """A hand moves relative to where it is, with what it holds or what lies in it (Table 6.9, Figure 6.7)."""
    plan, scene, hand = context.plan, context.plan.scene, command.hand
    grasped, in_palm = plan.grasped(hand), plan.in_palm(hand)
    words = f"Slide {grasped}" if grasped else f"Slide {hand} hand"
    if not (len(command.by) == 3 and all(np.isfinite(v) and abs(v) < 100.0 for v in command.by)):
        return reject(plan, words, f"a slide goes by three numbers of less than 100, not {command.by}")
    if isinstance(command.turn, str) and command.turn not in GRIPS:
        return reject(plan, words, f"unknown turn '{command.turn}'; {did_you_mean(command.turn, GRIPS)}")
    here = plan.hands[hand].transform
    if grasped is not None and (plan.hands[hand].away or plan.hands[hand].goal != plan.locks[hand].goal):
        # it goes back to the object, then slides
        at = wanted_transform(scene, context.hands.limb(hand), plan.locks[hand].goal)
        assert at is not None
        here = context.hands.clear(hand, at)
    rotation = here.rotation
    if isinstance(command.turn, str):
        rotation = grip.grip_rotation(context.hands.limb(hand), command.turn)
    elif command.turn is not None:
        x, y, z = command.turn
        if not all(np.isfinite(v) for v in command.turn):
            return reject(plan, words, f"a turn is three angles in degrees, not {command.turn}")
        rotation = grip.hand_rotation(context.hands.limb(hand), (z, y, x))
    asked = Transform.of(here.position + np.array(command.by), rotation)
    wanted = context.hands.clear(hand, asked)
    carried = scene.tower(grasped) if grasped else in_palm
    settles = bool(Transform.of((0, 0, 0), rotation).angle(here) < _LEVEL_TURN)
    base: Position | None = None
    if grasped is not None:
        low = _base_of(scene, grasped, here, wanted)
        wanted = wanted.moved((0.0, _out_of_table(scene, low)[1] - low[1], 0.0))
    elif in_palm:
        low = as_position(wanted.position)
        wanted = wanted.moved((0.0, _out_of_table(scene, low)[1] - low[1], 0.0))
    reason = "raised out of the table" if wanted.position[1] > asked.position[1] + 1e-9 else ""
    reached, miss = context.hands.reach(hand, wanted)
    changes: list[Change] = [SpaceSet(hand, as_position(reached.position))]
    if grasped is not None:
        base = _out_of_table(scene, _base_of(scene, grasped, here, reached))
        changes.append(Placed(grasped, base))
    goal = at_transform(wanted)
    carry = Carry(carried, settles or grasped is None, palm=grasped is None) if carried else None
    last: Goal = goal
    if grasped is not None:
        held = plan.locks[hand].goal
        assert isinstance(held, AtObject)
        last = held
    return context.outcome(
        words, goal, reached, miss, context.hands.critical(hand), tuple(changes), carry, reason, last, slides=True
    )


def _perform(context: _TaskContext, command: Perform) -> Outcome:
    """A gesture: one posture or several in a row. What the hand holds goes along."""
    plan, scene, hand = context.plan, context.plan.scene, command.hand
    known = context.hands.gestures
    if command.gesture not in known:
        why = known.impossible.get(command.gesture)
        why = why or f"unknown gesture '{command.gesture}'; {did_you_mean(command.gesture, known)}"
        return reject(plan, f"Perform {command.gesture}", why)
    gesture = known[command.gesture]
    words = f"{gesture.words} with {hand} hand"
    in_palm, grasped = plan.in_palm(hand), plan.grasped(hand)
    if in_palm:
        return reject(plan, words, f"'{in_palm[0]}' lies in the {hand} hand, which can only slide until that is taken")
    named = named_things(gesture, command.things, scene)
    if isinstance(named, str):
        return reject(plan, words, named)
    problem = hand_problem(gesture, hand, grasped, named.get("held"))
    if problem:
        return reject(plan, words, problem)
    thing = named.get("goal")
    if gesture.goal is not None:
        here = as_position(plan.hands[hand].transform.position)
        thing = thing or find_goal(gesture.goal, gesture, scene, grasped, here)
        if thing is None:
            return reject(plan, words, no_goal(gesture.goal, gesture))
        if grasped is not None and thing in scene.tower(grasped):
            return reject(plan, words, f"'{thing}' is in the {hand} hand itself")
        if not gesture.name.endswith(thing):
            words = " ".join(filter(None, (gesture.words, gesture.goal.word, thing, "with", hand, "hand")))
    target = thing or named.get("held") or grasped
    try:
        goals = context.hands.gesture_goals(hand, gesture, thing)
    except PuppetError as error:
        return reject(plan, words, str(error))
    critical = context.hands.gesture_joints(hand, gesture)
    held = None
    if grasped is not None:
        lock_goal = plan.locks[hand].goal
        assert isinstance(lock_goal, AtObject)
        entry = scene.object(grasped)
        held = HeldThing(entry, grip.held_in_hand(context.hands.limb(hand), lock_goal.grip, entry.width))
    final, miss = context.hands.perform(hand, goals, scene, held)
    changes: tuple[Change, ...] = ()
    carry, last = None, None
    if held is not None and grasped is not None:
        last = plan.locks[hand].goal
        centre = final.compose(held.in_hand).position
        changes = (Placed(grasped, as_position(centre - (0.0, held.thing.width, 0.0))),)
        carry = Carry(scene.tower(grasped), settles=False)
    outcome = context.outcome(
        words, _critical_part(context.hands, goals[-1], critical), final, miss, critical, changes, carry, last=last,
        looks=gesture.looks, posture=AtAngles(goals[-1].angles),
    )  # fmt: skip
    assert outcome.motion is not None
    motion: Motion | None = None
    cycle: Motion | None = None
    for number in range(len(goals) - 1, -1, -1):
        pace, speed = gesture.steps[number].pace, outcome.motion.speed
        frames = None if speed is None else max(1, round(speed * pace))
        ends = number == len(goals) - 1
        motion = replace(
            outcome.motion, goal=_critical_part(context.hands, goals[number], critical),
            posture=AtAngles(goals[number].angles), speed=frames, pace=pace, couple=motion,
            changes=changes if ends else (), scene_after=outcome.motion.scene_after if ends else scene,
        )  # fmt: skip
        if gesture.steps[number].cyclic:
            cycle = replace(motion, couple=cycle)
    assert motion is not None
    return replace(outcome, motion=replace(motion, cycle=cycle), target=target)


def _critical_part(hands: Hands, goal: AtAngles | AtGesture, critical: frozenset[int]) -> AtAngles | AtGesture:
    """A posture with the angles of critical joints alone."""
    return replace(goal, angles=tuple((dof, angle) for dof, angle in goal.angles if hands.joint_of(dof) in critical))


def _base_of(scene: Scene, grasped: str, here: Transform, there: Transform) -> Position:
    """The base of a grasped object when its hand has gone from one transform to another."""
    width = scene.object(grasped).width
    centre = there.compose(here.relative(Transform.of(scene.centre(grasped)))).position
    return as_position(centre - (0.0, width, 0.0))


def _out_of_table(scene: Scene, base: Position) -> Position:
    """A base, raised to the top of the table if it is inside the table."""
    x, y, z = base
    inside = z > scene.table.front and y < scene.table.height
    return (x, scene.table.height, z) if inside else base
