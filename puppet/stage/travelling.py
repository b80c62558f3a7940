"""The frames of a body that goes somewhere: its course followed by the whole-body solver, free arms swinging along, and
hands that hold something holding it level."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from puppet.body import Body, Limb, joint_transforms
from puppet.geometry import Transform, Transforms, axis_rotations, euler_angles, interpolate_rows, minimum_jerk
from puppet.locomotion import (
    LOOSE,
    BodyCourse,
    crouching_course,
    follow_body,
    measured,
    sampled,
    taken_over,
)
from puppet.motion import (
    ArmRoom,
    Pace,
    scene_boxes,
)
from puppet.scene import Stance
from puppet.solver import PartCourse
from puppet.stage.carried_ways import around_things
from puppet.stage.carrying_posture import lifts_over_tables
from puppet.stage.free_arms import free_arms
from puppet.stage.journey import STEPPING, Journey, in_hand, journey_course, seen_from_here, seen_from_home
from puppet.types import Floats

_DRIFTS = 0.03  # of the body's height: how far a hand that carries something may be from where it should
_STANDS = 1e-4  # body heights, and of a rotation's entries: a foot that is off its place by less stands
_NEARLY, _NEARLY_TURNED = 0.02, 0.1  # the same of a root that has nearly come to rest
_STRETCHED, _COMES_IN = 0.93, 20  # of its length, how far an arm is stretched that carries something; within frames


def travel_frames(body: Body, journey: Journey, frames: int | None) -> tuple[Floats, float]:
    """Postures (frames, dofs), and by how much a foot or a hand misses its course at most."""
    return follow_journey(body, journey, *journey_course(body, journey, frames))


def follow_journey(
    body: Body, journey: Journey, course: BodyCourse, rests: Floats, before: Floats | None = None
) -> tuple[Floats, float]:
    """The postures of a course that begins where a journey starts, arms out of what stands there; and by how much it is
    missed. before: the posture a frame ago, of who is under way."""
    goal, legs = journey.goal, measured(body)
    if journey.holding:
        course = replace(course, hands=(*course.hands, *_held(body, journey, course, rests)))
    postures, misses = follow_body(body, legs, journey.start, course, rests)
    if in_hand(journey) and goal.verb not in ("swing", "jump"):
        room = ArmRoom(body, scene_boxes(journey.scene), journey.things)
        postures, hands = around_things(room, journey.scene, journey.start, postures, course.hands, in_hand(journey))
        course = replace(course, hands=hands)
    if goal.verb != "swing":  # what is held is in the hand, wherever that is and however it is turned
        misses = misses[:, : len(course.feet)]
        off = [np.linalg.norm(places - asked, axis=1) for places, asked in _led_places(body, postures, course)]
        misses = np.column_stack([misses, *(np.maximum(far - _DRIFTS * body.height, 0.0) for far in off)])
        room = ArmRoom(body, scene_boxes(journey.scene), journey.things)
        held = in_hand(journey)
        postures = room.cleared(journey.start, postures, journey.free, held)
        if goal.verb in ("sit", "stand"):
            velocity = journey.start - (journey.start if before is None else before)
            postures = free_arms(body, journey, room, postures, rests, velocity)
    if goal.verb not in ("swing", "jump"):
        free = frozenset(joint for hand in journey.free for joint in body.limb(hand).joints)
        postures = Pace(body, np.concatenate([journey.start[None], rests])).eased(postures, free)
    return postures, float(misses.max(initial=0.0))


def overtaken(
    body: Body, journey: Journey, frames: int | None, gone: int, back: Floats | None, now: Floats, before: Floats,
    like: Floats,
) -> tuple[Floats, float]:  # fmt: skip
    """The postures of a course after the first `gone` frames, or of its frames at other times, from where the body
    is; and by how much it is missed. like: a posture whose angles those of ball joints follow."""
    here, earlier = now, before
    now = seen_from_home(body, here, like)
    before = seen_from_home(body, earlier, now)
    course, rests = journey_course(body, journey, frames)
    at = np.arange(gone, course.frames, dtype=np.float64) if back is None else back
    last = np.maximum(np.array([gone - 2.0, gone - 1.0]), 0.0)
    taken, free = taken_over(
        body, sampled(course, last), sampled(course, at), (before, now), (_at(rests, last), _at(rests, at)), journey.fps
    )
    postures, missed = follow_journey(body, journey.begun_at(body, now), taken, free, before)
    return seen_from_here(body, here, now, postures), missed


def comes_to_rest(body: Body, postures: Floats) -> int:
    """After how many frames a body only comes to rest: its feet stand, and its root is nearly there."""
    parts = [0, *(foot.joint for foot in measured(body).feet)]
    rows = joint_transforms(body, postures)[:, parts]
    off = np.linalg.norm((rows - rows[-1])[:, :, :3], axis=2) / body.height
    turned = np.abs((rows - rows[-1])[:, :, 3:]).max(axis=2)
    feet = [_STANDS] * (len(parts) - 1)
    on_the_way = (off > np.array([_NEARLY, *feet])) | (turned > np.array([_NEARLY_TURNED, *feet]))
    return int(np.flatnonzero(on_the_way.any(axis=1)).max(initial=-1)) + 2


def _at(rows: Floats, at: Floats) -> Floats:
    """Rows at times between them."""
    low = np.minimum(at.astype(int), len(rows) - 1)
    high = np.minimum(low + 1, len(rows) - 1)
    return np.asarray(rows[low] + (at - low)[:, None] * (rows[high] - rows[low]))


def _led_places(body: Body, postures: Floats, course: BodyCourse) -> list[tuple[Floats, Floats]]:
    """Where hands are that have to be somewhere, and where they should be, (frames, 3) each."""
    world = joint_transforms(body, postures)
    led = [hand for hand in course.hands if hand.priority < LOOSE and hand.places is not None]
    return [(world[:, hand.joint, :3], np.asarray(hand.places)) for hand in led]


def _held(body: Body, journey: Journey, course: BodyCourse, rests: Floats) -> tuple[PartCourse, ...]:
    """Hands that hold something go along with their shoulders where the trunk leans, else with the chest, turn with the
    chest, and are not tilted."""
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
        name = journey.holding[hand]
        both = [other for other, held in journey.holding.items() if name is not None and held == name] or [hand]
        leans = journey.goal.verb not in STEPPING
        pivot = world[:, [body.limb(other).joints[0] if leans else chest for other in both], :3].mean(axis=1)
        offset, rotation = world[0, joint, :3] - pivot[0], world[0, joint, 3:].reshape(3, 3)
        way = Transforms(pivot[1:] + spins @ offset, spins @ rotation)
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
