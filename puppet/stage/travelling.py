"""The frames of a body that goes somewhere: its course followed by the whole-body solver, free arms swinging along, and
hands that hold something holding it level."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from puppet.body import Body, Limb, hand_transforms, joint_transforms
from puppet.command import DEFAULT_FPS
from puppet.geometry import Transform, Transforms, axis_rotations, euler_angles, interpolate_rows, minimum_jerk
from puppet.locomotion import (
    LOOSE,
    BodyCourse,
    Footstep,
    Legs,
    crouching_course,
    follow_body,
    jumping_course,
    measured,
    moved_by,
    plant_feet,
    rising_course,
    standing_upright,
    swinging_course,
    tread,
    walk_steps,
    walking_course,
)
from puppet.motion import (
    DEPTH_TOLERANCE,
    ArmRoom,
    HandCourse,
    HandPath,
    Pace,
    Problem,
    StagedScene,
    abrupt,
    least_frames,
    nearest_turns,
    plan,
    scene_boxes,
)
from puppet.scene import Scene, Stance
from puppet.solver import PartCourse
from puppet.stage.carrying_posture import carrying_posture, lifts_over_tables
from puppet.tasks import AtStance
from puppet.types import Floats

STANDS, _STRAIGHTENS = 0.08, 18  # radians and lengths off standing that are let pass; frames
_STOOPS = 0.5  # radians by which the trunk of who carries something may be bent, all joints together
_DRAGGED = 0.15  # body heights: feet that are farther from where they belong do not stand there
_IN_TURN = 1.5  # how much longer it takes who first brings near what is carried, and then lowers it
_RISING = 40  # frames more for each height of the body by which the root rises
AWAY = 0.12  # a hand farther from its side than this comes back there first
_LIFTS, LIFTS_OFF = 0.04, 0.1  # and lifts by so much, or by so much from what it touches
KEEPS = 0.01  # what it keeps from things then
DRIFTS = 0.03  # of the body's height: how far a hand that carries something may be from where it should
_STRETCHED, _COMES_IN = 0.93, 20  # of its length, how far an arm is stretched that carries something; within frames
HOLDS_BACK = 0.4  # how much of its lean is left to the trunk of who stands up or sits down with something in a hand
STEPPING = ("walk", "turn", "step")
TAKEN_UP = 4  # frames after which a body is on its course, wherever it was
_OTHER = 1e-6  # radians by which angles differ that are others, of the same rotation
_SETTLES = 0.35  # the part of the time, at both ends, in which free joints go over to what they do on the way


@dataclass(frozen=True, eq=False)
class Journey:
    """What a body that goes somewhere begins and ends with."""

    goal: AtStance
    scene: Scene  # when it begins
    start: Floats  # (dofs,)
    home: Floats  # (dofs,), the posture in which nothing is asked of the body that is there
    arms: Collection[str]  # hands whose arms it moves
    holding: Mapping[str, str | None]  # hands among them that hold something, and what
    things: Mapping[str, Transform]  # where things are
    touching: Mapping[str, frozenset[str]]  # what hands touch
    fps: float
    steps: tuple[Footstep, ...] | None = None  # of a walk, if not those that lead to its goal
    pace: float | None = None  # of a walk that is cut short: that of the whole one

    @property
    def free(self) -> list[str]:
        return [hand for hand in self.arms if hand not in self.holding]

    def begun_at(self, body: Body, start: Floats) -> Journey:
        """The same from another posture, with what hands hold as it is in them now."""
        before, now = (hand_transforms(body, angles) for angles in (self.start, start))
        things = dict(self.things)
        for hand, name in self.holding.items():
            for moved in self.scene.tower(name) if name is not None else ():
                things[moved] = now[hand].compose(before[hand].relative(self.things[moved]))
        return replace(self, start=start, things=things)


def travel_frames(body: Body, journey: Journey, frames: int | None) -> tuple[Floats, float]:
    """Postures (frames, dofs), and by how much a foot or a hand misses its course at most."""
    return follow_journey(body, journey, *journey_course(body, journey, frames))


def seen_from_home(body: Body, angles: Floats, home: Floats) -> Floats:
    """The same posture (dofs,) by those angles of ball joints that are nearest to what they are at home, so that no
    joint goes a long way round to where it is already."""
    found = np.array(angles)
    for joint, dofs in _balls(body):
        own = list(dofs)
        if body.joints[joint].range is not None:
            found[own] = nearest_turns(angles[own], home[own])
        else:
            found[own] -= 2.0 * math.pi * np.round((angles[own] - home[own]) / (2.0 * math.pi))
    return found


def seen_from_here(body: Body, here: Floats, start: Floats, postures: Floats) -> Floats:
    """The same postures (frames, dofs) after a start, by angles of ball joints that follow those of here, which is the
    same posture as the start."""
    found = np.array(postures)
    for joint, dofs in _balls(body):
        own, last = list(dofs), here[dofs.start : dofs.stop]
        if body.joints[joint].range is None:
            found[:, own] += last - start[own]
            continue
        for n in range(len(found)) if np.abs(last - start[own]).max() > _OTHER else ():
            last = found[n, own] = nearest_turns(found[n, own], last)
    return found


def _balls(body: Body) -> list[tuple[int, range]]:
    """The joints but the root that turn about three axes, and their degrees of freedom."""
    return [(joint, dofs) for joint, dofs in enumerate(body.rotation_dofs) if joint > 0 and len(dofs) == 3]


def journey_course(body: Body, journey: Journey, frames: int | None) -> tuple[BodyCourse, Floats]:
    """The course of a journey, and what all joints do that it does not move, (frames, dofs)."""
    legs, goal = measured(body), journey.goal
    end = np.array(journey.home)
    for hand in body.hands:
        if hand not in journey.free:
            dofs = body.dofs_of(body.limb(hand).joints)
            end[dofs] = journey.start[dofs]
    if goal.verb == "stand":  # what is held comes to where it is carried
        carries = _carrying(body, end, goal.after, journey.holding, journey)
        arms = [hand for hand, name in journey.holding.items() if name is not None]
        dofs = body.dofs_of({joint for hand in arms for joint in body.limb(hand).joints})
        end[dofs] = carries[dofs]
    axis = body.rotation_dofs[0].start  # whole turns are the same posture
    by = journey.start[axis] + goal.after.turn - goal.before.turn - end[axis]
    end[axis] += 2.0 * math.pi * round(by / (2.0 * math.pi))
    course = _course(body, legs, journey, frames, end)
    share = minimum_jerk(np.arange(1, course.frames + 1) / course.frames)[:, None]
    rests = journey.start + share * (end - journey.start)
    if goal.verb in STEPPING:
        course = replace(course, angles=_settled(journey.start, end, course, min(_SETTLES * course.frames, 20.0)))
    elif goal.before.crouched:
        course = replace(course, angles=_settled(journey.start, _begin(end, course), course, course.frames))
    return course, rests


def follow_journey(body: Body, journey: Journey, course: BodyCourse, rests: Floats) -> tuple[Floats, float]:
    """The postures of a course that begins where a journey starts, arms out of what stands there; and by how much it is
    missed."""
    goal, legs = journey.goal, measured(body)
    if journey.holding:
        course = replace(course, hands=(*course.hands, *_held(body, journey, course, rests)))
    postures, misses = follow_body(body, legs, journey.start, course, rests)
    if goal.verb != "swing":  # what is held is in the hand, wherever that is and however it is turned
        misses = misses[:, : len(course.feet)]
        off = [np.linalg.norm(places - asked, axis=1) for places, asked in _led_places(body, postures, course)]
        misses = np.column_stack([misses, *(np.maximum(far - DRIFTS * body.height, 0.0) for far in off)])
        room = ArmRoom(body, scene_boxes(journey.scene), journey.things)
        held = _in_hand(journey)
        postures = room.cleared(journey.start, postures, journey.free, held)
        for hand in journey.free if goal.verb in ("sit", "stand") else ():
            depth = room.depth(journey.start, postures, hand, held)
            if depth > DEPTH_TOLERANCE * body.height:
                led = _led_hands(body, journey, np.concatenate([journey.start[None], postures]), [hand])[1:]
                postures = led if room.depth(journey.start, led, hand, held) < depth else postures
    if goal.verb not in ("swing", "jump"):
        free = frozenset(joint for hand in journey.free for joint in body.limb(hand).joints)
        postures = Pace(body, np.concatenate([journey.start[None], rests])).eased(postures, free)
    return postures, float(misses.max(initial=0.0))


def _led_places(body: Body, postures: Floats, course: BodyCourse) -> list[tuple[Floats, Floats]]:
    """Where hands are that have to be somewhere, and where they should be, (frames, 3) each."""
    world = joint_transforms(body, postures)
    led = [hand for hand in course.hands if hand.priority < LOOSE and hand.places is not None]
    return [(world[:, hand.joint, :3], np.asarray(hand.places)) for hand in led]


def straightened(body: Body, journey: Journey) -> Floats:
    """Frames (n, dofs) in which a body that bends for something stands straight again, and hands that were about
    something come back to its sides; none where it stands so."""
    legs, floor = measured(body), journey.scene.floor or 0.0
    dofs = body.dofs_of(legs.critical)
    nothing = np.empty((0, body.dofs))
    if not journey.goal.before.stands:
        return nothing
    stands = moved_by(body, standing_upright(body, floor)[None], journey.goal.before.place, journey.goal.before.turn)[0]
    trunk = body.dofs_of({j for limb in body.limbs.values() for j in limb.trunk} | _neck_and_head(body))
    axis = body.rotation_dofs[0].start
    stands[axis] += 2.0 * math.pi * round((journey.start[axis] - stands[axis]) / (2.0 * math.pi))
    end = np.array(journey.start)
    end[dofs], end[trunk] = stands[dofs], stands[trunk]
    for hand in journey.free:
        own = body.dofs_of(body.limb(hand).joints)
        end[own] = stands[own]
    tips = [hand_transforms(body, angles) for angles in (journey.start, end)]
    away = [hand for hand in journey.free if tips[0][hand].distance(tips[1][hand]) > AWAY]
    bends = np.abs(journey.start[dofs] - stands[dofs]).max() >= STANDS
    stoops = bool(journey.holding) and np.abs(journey.start[trunk] - stands[trunk]).sum() >= _STOOPS
    carries = _carrying(body, end, journey.goal.before, journey.holding, journey)
    far = _farthest(tips[0], hand_transforms(body, carries), journey.holding) > AWAY
    if not bends and not stoops and not away and not far:
        return nothing
    held = journey.holding if bends or stoops or far else {}
    arms = body.dofs_of({joint for hand in held for joint in body.limb(hand).joints})
    rises = float(end[body.translation_dofs[1]] - journey.start[body.translation_dofs[1]]) / body.height
    takes = max(_STRAIGHTENS + _RISING * max(0.0, rises), least_frames(body, journey.start, end))
    feet = joint_transforms(body, np.array([journey.start, end]))[:, [foot.joint for foot in legs.feet], :3]
    dragged = float(np.linalg.norm(feet[1] - feet[0], axis=1).max()) >= _DRAGGED * body.height
    there = hand_transforms(body, carries)
    tries: list[tuple[float, Floats]] = []
    for apart, carried in product((False, True), (carries, end) if held else (end,)):
        if apart and (not held or min(tried[0] for tried in tries) <= DEPTH_TOLERANCE * body.height):
            break  # nothing is in the way
        count = max(2, round(takes * (_IN_TURN if apart else 1.0) * journey.fps / DEFAULT_FPS))
        share = minimum_jerk(np.arange(count + 1) / count)
        courses = tuple(_lifted(body, hand, journey.start, carries, share[1:], apart) for hand in held)
        bends_to = np.array(end)
        bends_to[arms] = carried[arms]  # arms as they will carry, or as they are
        way = journey.start + share[:, None] * (bends_to - journey.start)
        # Feet that were dragged away come back with the body.
        way = way if dragged else plant_feet(body, legs, way, floor, courses)
        tries.append((_lacks(body, journey, way, there, held), way))
    found = min(tries, key=lambda tried: tried[0])[1]
    if away:
        found = _led_hands(body, journey, found, away)
    for hand, name in held.items():
        if list(held.values()).count(name) == 1:
            depth = carried_depth(body, journey, found, [hand])
            led = _led_hands(body, journey, found, [hand]) if depth > DEPTH_TOLERANCE * body.height else found
            found = led if carried_depth(body, journey, led, [hand]) < depth else found
    end[arms] = found[-1, arms]
    found[-1] = end
    room = ArmRoom(body, scene_boxes(journey.scene), journey.things)
    hanging = [hand for hand in journey.free if hand not in away]
    return room.cleared(journey.start, found[1:], hanging, _in_hand(journey))


def _in_hand(journey: Journey) -> dict[str, str]:
    """What hands hold that a journey moves."""
    return {hand: name for hand, name in journey.holding.items() if name is not None}


def _carrying(
    body: Body, stands: Floats, stance: Stance, holding: Mapping[str, str | None], journey: Journey
) -> Floats:
    """A posture (dofs,) in which a body stands and carries what it holds."""
    room = ArmRoom(body, scene_boxes(journey.scene), journey.things)
    return carrying_posture(body, stands, stance, holding, journey.start, room)


def carried_depth(body: Body, journey: Journey, postures: Floats, hands: Collection[str]) -> float:
    """How deep arms, and what they hold, get into anything on their way."""
    room = ArmRoom(body, scene_boxes(journey.scene), journey.things)
    held = _in_hand(journey)
    deepest = max((room.depth(postures[0], postures[1:], hand, held) for hand in hands), default=0.0)
    for hand in held.keys() & set(hands):
        both = [other for other, name in held.items() if name == held[hand]]
        in_hand = hand_transforms(body, postures[0])[hand].relative(journey.things[held[hand]])
        for angles in postures[1:]:
            at = hand_transforms(body, angles)[hand].compose(in_hand)
            deepest = max(deepest, -room.thing_clearance(angles, held[hand], at, both))
    return deepest


def _lacks(
    body: Body, journey: Journey, postures: Floats, there: Mapping[str, Transform], hands: Collection[str]
) -> float:
    """What is wrong with arms that come to where they carry: how deep they get into anything on their way and in the
    end, and how far they are off."""
    room = ArmRoom(body, scene_boxes(journey.scene), journey.things)
    held = _in_hand(journey)
    ends_in = max((-room.clearance(postures[-1], hand, held) for hand in hands), default=0.0)
    return max(0.0, ends_in) + carried_depth(body, journey, postures, hands) + _off(body, postures[-1], there, hands)


def _off(body: Body, posture: Floats, there: Mapping[str, Transform], hands: Collection[str]) -> float:
    """How far hands are from where they should be, and how much they are turned from there, as a length."""
    tips = hand_transforms(body, posture)
    return max((tips[hand].distance(there[hand]) + 0.1 * tips[hand].angle(there[hand]) for hand in hands), default=0.0)


def _farthest(
    tips: Mapping[str, Transform], carried: Mapping[str, Transform], holding: Mapping[str, str | None]
) -> float:
    """How far a hand that holds something is from where it carries that."""
    return max((tips[hand].distance(carried[hand]) for hand, name in holding.items() if name is not None), default=0.0)


def taken_up(body: Body, start: Floats, postures: Floats, fps: float) -> Floats:
    """Frames (n, dofs) with others before them in which a body that is not where they begin, since it was dragged away
    from there, comes to it."""
    away = abrupt(body, np.concatenate([start[None], postures[:TAKEN_UP]]))
    if len(away) == 0:
        return postures
    begins = postures[away[-1]]
    count = round(max(_STRAIGHTENS, least_frames(body, start, begins)) * fps / DEFAULT_FPS)
    share = minimum_jerk(np.arange(1, count) / count)[:, None]
    comes = start + share * (begins - start)
    for posture in comes:  # the straight way between two postures may lead out of the range of a ball joint
        for joint in range(len(body.joints)):
            body.put_into_range(joint, posture)
    return np.concatenate([comes, postures[away[-1] :]])


def _neck_and_head(body: Body) -> set[int]:
    """The joints from the trunk to the head."""
    found: set[int] = set()
    joint = body.gaze.joint if body.gaze is not None else -1
    trunk = {j for limb in body.limbs.values() for j in limb.trunk}
    while joint > 0 and joint not in trunk:
        found.add(joint)
        joint = body.joints[joint].parent
    return found


def _lifted(body: Body, hand: str, start: Floats, end: Floats, share: Floats, apart: bool) -> PartCourse:
    """A hand that lifts what it holds up before it comes near, or takes it down from where it came near first; apart:
    one after the other, around the edge of a board."""
    joint = body.limb(hand).joints[-1]
    first, last = (joint_transforms(body, angles)[joint] for angles in (start, end))
    if apart:
        sooner, later = (minimum_jerk(np.clip(s, 0.0, 1.0)) for s in (2.0 * share, 2.0 * share - 1.0))
        near, up = (sooner, later) if last[1] < first[1] else (later, sooner)
    elif last[1] < first[1]:
        near, up = 1.0 - (1.0 - share) ** 2, share * share
    else:
        near, up = share * share, share
    places = first[:3] + np.stack([near, up, near], axis=1) * (last[:3] - first[:3])
    begins, ends = (Transforms.repeated(Transform.of(row[:3], row[3:]), len(share)) for row in (first, last))
    return PartCourse(joint, places, interpolate_rows(begins, ends, share).rotations, priority=2)


def _led_hands(body: Body, journey: Journey, references: Floats, hands: Sequence[str]) -> Floats:
    """Frames in which hands go from where they are to where they end, with what they hold, around what is in their
    way."""
    world = joint_transforms(body, references)
    shares = minimum_jerk(np.arange(1, len(references)) / (len(references) - 1))
    courses = []
    staged, tips = StagedScene(journey.scene, journey.things), hand_transforms(body, references[0])
    holding = {hand: name for hand, name in journey.holding.items() if name is not None and hand in hands}
    carrying = [staged.along(0, hand, journey.scene.tower(name), tips[hand], 0) for hand, name in holding.items()]
    for hand in hands:
        limb = body.limb(hand)
        joint, side = limb.joints[-1], -1.0 if limb.mirrored else 1.0
        start, end = (Transform.of(row[:3], row[3:]) for row in world[[0, -1], joint])
        outwards = np.array([math.cos(journey.goal.before.turn), 0.0, -math.sin(journey.goal.before.turn)]) * side
        touched = journey.touching.get(hand, frozenset())
        path = HandPath.bowed(start, end, outwards, side, LIFTS_OFF if touched else _LIFTS)
        courses.append(HandCourse(hand, path, shares, hand in holding, True, touches=touched, outwards=side))
    joints = frozenset(joint for hand in hands for joint in body.limb(hand).joints)
    problem = Problem(
        body, scene_boxes(journey.scene), journey.things, references[0], references, joints, frozenset(),
        tuple(courses), tuple(carrying), 0, KEEPS,
    )  # fmt: skip
    return np.concatenate([references[:1], plan(problem)[0].postures])


def _course(body: Body, legs: Legs, journey: Journey, frames: int | None, end: Floats) -> BodyCourse:
    goal, start, free, floor = journey.goal, journey.start, journey.free, journey.scene.floor or 0.0
    if goal.verb in ("sit", "stand") and not goal.before.crouched:
        down = goal.verb == "sit"
        sits, stands = (end, start) if down else (start, end)
        seat, stance = (goal.after, goal.before) if down else (goal.before, goal.after)
        lean = HOLDS_BACK if journey.holding else 1.0
        return rising_course(body, legs, sits, stands, seat, stance, floor, frames, down, free, journey.fps, lean)
    if goal.verb in ("crouch", "stand"):
        down = goal.verb == "crouch"
        return crouching_course(body, legs, start if down else end, goal.after, floor, frames, down, free, journey.fps)
    if goal.verb == "jump":
        return jumping_course(body, legs, goal.before, goal.after, floor, goal.height, frames, end, free, journey.fps)
    if goal.verb == "swing":
        bar = next(bar for bar in journey.scene.bars if bar.name == goal.bar)
        return swinging_course(
            body, legs, goal.before, bar, floor, goal.turns, frames, start, end, journey.arms, journey.fps
        )
    steps = footsteps(legs, goal) if journey.steps is None else journey.steps
    return walking_course(
        body, legs, goal.before, floor, steps, frames, end, free, journey.fps, journey.pace,
        goal.sidles_in and journey.steps is None, posts(journey),
    )  # fmt: skip


def posts(journey: Journey) -> tuple[tuple[float, float], ...]:
    """What feet swing around: legs of chairs, posts of bars, and the edges of things on the floor."""
    scene = journey.scene.without(_in_hand(journey).values())
    furniture = {name for name, _ in scene.furniture}
    found = [leg for seat in scene.seats for leg in seat.legs]
    for _, (middle, half, turn) in (entry for entry in scene.obstacles if entry[0] not in furniture):
        frame = Stance(middle, turn)
        found += [frame.world(x * half[0], z * half[1]) for x, z in product((-1.0, 0.0, 1.0), repeat=2)]
    return tuple(found)


def footsteps(legs: Legs, goal: AtStance) -> list[Footstep]:
    """Of a walk, a turn or a step."""
    if goal.verb == "step":
        return _one_step(legs, goal)
    return walk_steps(legs, goal.before, goal.route, goal.after, goal.sidles_out, goal.sidles_in)


def _one_step(legs: Legs, goal: AtStance) -> list[Footstep]:
    """One foot treads where it was told, and the other one comes beside it."""
    assert goal.foot is not None
    assert goal.place is not None
    other = 1 - goal.foot
    first = Footstep(goal.foot, goal.place, goal.after.turn + legs.feet[goal.foot].toe_out, False)
    return [first, Footstep(other, *tread(legs.feet[other], goal.after), False)]


def _settled(start: Floats, usual: Floats, course: BodyCourse, within: float) -> dict[int, Floats]:
    """What a course does with its free joints, beginning as they are, not as usual; within so many frames."""
    begins = 1.0 - minimum_jerk(np.minimum(np.arange(1, course.frames + 1) / max(1.0, within), 1.0))
    return {dof: angles + begins * (start[dof] - usual[dof]) for dof, angles in course.angles.items()}


def _begin(posture: Floats, course: BodyCourse) -> Floats:
    """A posture with the joints that a course moves as they are in its first frame."""
    found = np.array(posture)
    for dof, angles in course.angles.items():
        found[dof] = angles[0]
    return found


def _held(body: Body, journey: Journey, course: BodyCourse, rests: Floats) -> tuple[PartCourse, ...]:
    """Hands that hold something go along with the chest, and are not tilted."""
    frames = np.concatenate([journey.start[None], rests])
    for dof, angles in course.angles.items():
        frames[1:, dof] = angles
    frames[1:, list(body.translation_dofs)] = course.root - np.array(body.joints[0].centre)
    axes = [rotation.axis for rotation in body.joints[0].rotations]
    frames[1:, list(body.rotation_dofs[0])] = np.radians(euler_angles(course.turns, axes))
    world = joint_transforms(body, frames)
    ways: dict[str, Transforms] = {}
    comes_near = minimum_jerk(np.clip(1.6 * np.arange(1, course.frames + 1) / course.frames - 0.6, 0.0, 1.0))
    for hand in journey.holding:
        limb = body.limb(hand)
        joint, chest = limb.joints[-1], limb.trunk[-1] if limb.trunk else 0
        facing = np.unwrap(np.arctan2(world[:, chest, 5], world[:, chest, 11]))
        spins = axis_rotations(1, facing[1:] - facing[0])
        offset, rotation = world[0, joint, :3] - world[0, chest, :3], world[0, joint, 3:].reshape(3, 3)
        way = Transforms(world[1:, chest, :3] + spins @ offset, spins @ rotation)
        if journey.goal.verb == "stand" and not journey.goal.before.crouched:
            least = world[0, joint, 1]  # it is not lowered while the trunk leans over
            way.positions[:, 1] = np.maximum(way.positions[:, 1], least)
            carried = Transform.of(world[-1, joint, :3], world[-1, joint, 3:])
            way = interpolate_rows(way, Transforms.repeated(carried, len(way)), comes_near)
        ways[hand] = way
    comes_in = {hand: _within_reach(body, body.limb(hand), world, way.positions) for hand, way in ways.items()}
    found = []
    for hand, way in ways.items():
        name = journey.holding[hand]
        both = [other for other in ways if name is not None and journey.holding[other] == name] or [hand]
        by = np.mean([comes_in[other] - ways[other].positions for other in both], axis=0)  # hands stay on it
        if name is not None and journey.goal.verb in (*STEPPING, "sit"):
            joint, thing = body.limb(both[0]).joints[-1], journey.things[name].position
            in_hand = world[0, joint, 3:].reshape(3, 3).T @ (thing - world[0, joint, :3])
            places = ways[both[0]].positions + by + ways[both[0]].rotations @ in_hand
            by[:, 1] += lifts_over_tables(body, journey.scene, name, places, journey.fps)
        found.append(PartCourse(body.limb(hand).joints[-1], way.positions + by, way.rotations, priority=2))
    return tuple(found)


def _within_reach(body: Body, limb: Limb, world: Floats, places: Floats) -> Floats:
    """Places of a hand that an arm, not quite stretched, reaches soon after the first frame: who bent for something
    rises, and the hand comes along. world (frames + 1, joints, 12)."""
    long = sum(float(np.linalg.norm(body.arrays.offsets[joint])) for joint in limb.joints[1:])
    shoulder, hand = world[:, limb.joints[0], :3], limb.joints[-1]
    first = max(float(np.linalg.norm(world[0, hand, :3] - shoulder[0])), _STRETCHED * long)
    share = minimum_jerk(np.minimum(np.arange(1, len(places) + 1) / _COMES_IN, 1.0))
    most = first + share * (_STRETCHED * long - first)
    away = places - shoulder[1:]
    far = np.linalg.norm(away, axis=1)
    return np.asarray(shoulder[1:] + away * np.minimum(1.0, most / np.maximum(far, 1e-9))[:, None])


def crouched(body: Body, standing: Floats, floor: float) -> Floats:
    """The posture of a body that crouches at the middle of the world."""
    legs = measured(body)
    course = crouching_course(body, legs, standing, Stance((0.0, 0.0)), floor, None, True, body.hands)
    postures, _ = follow_body(body, legs, standing, course, np.tile(standing, (course.frames, 1)))
    return np.array(postures[-1])
