"""Going somewhere: from walk, turn, step, sit, stand, crouch, jump and swing to a motion, or the reason why not."""

from __future__ import annotations

import math
from dataclasses import replace

from puppet.body import Body
from puppet.command import DEFAULT_FPS, Travel
from puppet.errors import did_you_mean
from puppet.geometry import Transform
from puppet.locomotion import find_route, legs_of, measured, room_to_bend, stance_before_floor
from puppet.locomotion.route import CUSHION, LEGS_BESIDE
from puppet.scene import Position, Scene, Stance, as_position, distance, inside
from puppet.tasks.journeys import Journeys, TravelError
from puppet.tasks.locking import primitive_problem
from puppet.tasks.motion import AtObject, AtStance, BodyAt, Change, Motion, Placed, SpaceSet
from puppet.tasks.outcome import Hands, Outcome, reject
from puppet.tasks.plan import HandPlan, Plan, at_transform, placed_in_world, seen_by_body
from puppet.tasks.task_context import TaskContext
from puppet.tasks.whole_body import travel_flaw

_ON_FLOOR = 0.1  # what is lower lies on the floor
_STEPS = 0.1  # by how much farther than from where one takes it something on the floor is, so that a step helps
_BESIDE_FOOT = (0.1, 0.08)  # to the hand's own side, and ahead: a hand that goes there passes the knees


def interpret_travel(plan: Plan, command: Travel, task: int, hands: Hands) -> Outcome:
    """What going somewhere means in a plan."""
    words = _words(command)
    body = hands.body
    problem = travel_problem(plan.scene, body, command)
    if problem:
        return reject(plan, words, problem)
    overlap = command.overlap or plan.primitives.overlap
    speed: int | str = command.speed or plan.primitives.speed
    problem = primitive_problem("speed", speed) or primitive_problem("overlap", overlap)
    if problem:
        return reject(plan, words, problem)
    holding = _holding(plan, hands)
    holder = next((hand for hand, name in holding.items() if name is not None and name == command.to), None)
    if holder is not None:
        return reject(plan, words, f"the {holder} hand holds '{command.to}'")
    try:
        goes_along = [name for name in holding.values() if name is not None]
        links = Journeys(plan.scene.without(goes_along), body, plan.fps).links(command)
    except TravelError as refused:
        return reject(plan, words, str(refused))
    if not links:
        return reject(plan, words, "the body is there already")
    joints = measured(body).critical
    frames = speed if isinstance(speed, int) else None
    motions: list[Motion] = []
    full = next(((hand, name) for hand, name in holding.items() if name is not None), None)
    if command.verb == "swing" and full is not None:
        return reject(plan, words, f"the {full[0]} hand holds '{full[1]}'; put that down first")
    for link, name in links:
        goal = replace(link, holding=tuple(sorted(holding.items())))
        plan, changes = _moved(plan, body, goal)
        own = frames if goal.verb == command.verb else None
        motions.append(Motion(
            task, "", goal, {}, joints, own, "smooth", overlap, plan.scene, changes, interpretation=name or words,
            source=command.source,
        ))  # fmt: skip
    chained = motions[-1]
    for motion in reversed(motions[:-1]):
        chained = replace(motion, couple=chained)
    to = command.to if command.verb != "sit" else plan.scene.body_at.seat
    target = to if to is None or isinstance(to, str) else (to[0], plan.scene.floor or 0.0, to[1])
    return Outcome(plan, replace(chained, interpretation=words), words, target=target)


def _holding(plan: Plan, hands: Hands) -> dict[str, str | None]:
    """Hands that hold something, and what."""
    holding = {hand: plan.grasped(hand) for hand in plan.locks}
    holding.update({hand: plan.in_palm(hand)[0] for hand in hands.names if plan.in_palm(hand)})
    return holding


def step_to_room(context: TaskContext, goal: Position, width: float) -> tuple[Plan, Motion, str] | None:
    """Who stands so near to a place on the floor that legs would be in the way of a hand which goes there steps back
    first, with room for the hand and a thing of half that width, and who stands before furniture that head and trunk
    would come into steps aside; with a word for where to. None where that is not needed, or there is no room. The arm
    waits."""
    plan, hands, hand = context.plan, context.hands, context.command.hand
    scene, here = plan.scene, plan.scene.stance
    if here is None or not here.stands or len(legs_of(hands.body)) != 2:
        return None
    place = goal[0], goal[2]
    if goal[1] - (scene.floor or 0.0) > _ON_FLOOR or any(inside(wall, *place) for _, wall in scene.furniture):
        return None
    aside, ahead = here.seen(*place)
    beside = ahead > _BESIDE_FOOT[1] and (-aside if hands.limb(hand).mirrored else aside) > _BESIDE_FOOT[0]
    after = stance_before_floor(scene, place, width)
    if after is None or after.place == here.place:
        return None
    away, reach = (math.dist(stance.place, place) for stance in (here, after))
    too_near = not beside and away < reach
    crowded = away < reach + _STEPS and not room_to_bend(scene, here) and room_to_bend(scene, after)
    if not too_near and not crowded:
        return None
    route = find_route(scene, here.place, after.place)
    if route is None:
        return None
    after = replace(after, turn=here.turn + math.remainder(after.turn - here.turn, 2.0 * math.pi))
    stance = AtStance("walk", here, after, route, holding=tuple(sorted(_holding(plan, hands).items())))
    plan, changes = _moved(plan, hands.body, stance)
    joints = measured(hands.body).critical | hands.critical(hand)
    motion = Motion(
        context.task, "", stance, {}, joints, None, "smooth", context.primitives.overlap, plan.scene, changes,
        source=context.command.source,
    )  # fmt: skip
    return plan, motion, "back" if too_near else "aside"


def root_height(body: Body, scene: Scene, stance: Stance) -> float:
    """How high the root of a body is over the middle of the world."""
    legs, floor = measured(body), scene.floor or 0.0
    if stance.seat is not None:
        return scene.seat_named(stance.seat).height + CUSHION
    return floor + legs.root


def _moved(plan: Plan, body: Body, goal: AtStance) -> tuple[Plan, tuple[Change, ...]]:
    """The plan after the body has gone: hands and what they hold have gone along."""
    scene = plan.scene
    rise = root_height(body, scene, goal.after) - root_height(body, scene, goal.before)
    changes: list[Change] = [BodyAt(goal.after)]
    hands = {}
    for hand, old in plan.hands.items():
        at = _along(goal, old.transform, rise)
        hands[hand] = HandPlan(at, old.goal if hand in plan.locks else None, old.task, old.miss)
        name = plan.grasped(hand)
        if name is not None:
            centre = _along(goal, Transform.of(scene.centre(name)), rise).position
            changes.append(Placed(name, as_position(centre - (0.0, scene.object(name).width, 0.0))))
        changes.append(SpaceSet(hand, as_position(at.position)))
    for change in changes:
        scene = change.apply(scene)
    pins = {body.joint_names[limb.joints[-1]] for limb in legs_of(body)}
    if goal.after.seat is not None:
        pins.add(body.joint_names[0])
    locks = {}
    for hand, held in plan.locks.items():
        stays = isinstance(held.goal, AtObject)
        locks[hand] = replace(held, at=at_transform(hands[hand].transform)) if stays else held
    plan = replace(plan.with_scene(scene), hands=hands, pins=frozenset(pins))
    return replace(plan, locks=locks), tuple(changes)


def _along(goal: AtStance, transform: Transform, rise: float) -> Transform:
    """Where something is that goes along with the body."""
    return placed_in_world(goal.after, seen_by_body(goal.before, transform)).moved((0.0, rise, 0.0))


def travel_problem(scene: Scene, body: Body, command: Travel) -> str:
    """What a journey lacks, wherever it begins: legs, a seat, a bar, a place that is free of furniture; "" where it
    lacks nothing."""
    if len(legs_of(body)) != 2:
        return f"'{body.name}' has no legs to {command.verb} with; a body that has is: person"
    if command.verb == "sit" and not scene.all_seats:
        return "there is no seat to sit down on; an environment names them under 'seats:'"
    flaw = travel_flaw(command)
    if flaw:
        return flaw
    bars = [bar.name for bar in scene.bars]
    if command.verb == "swing" and command.to not in bars:
        none = "there is none; an environment names them under 'bars:'"
        return f"unknown bar '{command.to}'; {did_you_mean(str(command.to), bars) if bars else none}"
    return _blocked(scene, body, command)


def _blocked(scene: Scene, body: Body, command: Travel) -> str:
    """Why nobody can stand where a journey leads, since furniture does, which never moves."""
    if command.verb not in ("walk", "jump") or not isinstance(command.to, tuple):
        return ""
    if all(distance(wall, *command.to) >= LEGS_BESIDE for _, wall in scene.furniture):
        return ""
    try:
        Journeys(scene, body, DEFAULT_FPS).check_free(command.to, scene.body_at)
    except TravelError as refused:
        return str(refused)
    return ""


def _words(command: Travel) -> str:
    to = command.to if isinstance(command.to, str) else "({:g}, {:g})".format(*command.to) if command.to else ""
    turned = f"Turn by {command.by:g} degrees" if command.by is not None else f"Turn to {to}"
    return {
        "walk": f"Walk to {to}", "turn": turned, "step": f"Step with the {command.foot} foot to {to}",
        "sit": "Sit down", "stand": "Stand up", "crouch": "Crouch", "jump": f"Jump to {to}",
        "swing": f"Swing from {to}",
    }.get(command.verb, command.verb)  # fmt: skip
