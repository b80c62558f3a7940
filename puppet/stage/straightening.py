"""Who bends for something stands straight again before going, hands come back to where they hang or carry, and whoever
is elsewhere comes to where a course begins."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from itertools import product

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.command import DEFAULT_FPS
from puppet.geometry import Transform, Transforms, interpolate_rows, minimum_jerk
from puppet.locomotion import (
    measured,
    moved_by,
    plant_feet,
    standing_upright,
)
from puppet.motion import (
    DEPTH_TOLERANCE,
    ArmRoom,
    abrupt,
    least_frames,
    scene_boxes,
)
from puppet.solver import PartCourse
from puppet.stage.carried_ways import around_things
from puppet.stage.journey import Journey, as_carried, in_hand
from puppet.stage.led_hands import carried_depth, led_hands
from puppet.stage.low_elbow import elevation
from puppet.types import Floats, Ints

STANDS, _STRAIGHTENS = 0.08, 18  # radians and lengths off standing that are let pass; frames
_STOOPS = 0.5  # radians by which the trunk of who carries something may be bent, all joints together
_POSED = 0.3  # radians and lengths off sitting as usual that a course leads back from
_DRAGGED = 0.15  # body heights: feet that are farther from where they belong do not stand there
_IN_TURN = 1.5  # how much longer it takes who first brings near what is carried, and then lowers it
_RISING = 40  # frames more for each height of the body by which the root rises, or a part comes back to a seat
_AWAY = 0.12  # a hand farther from its side than this comes back there first
_THERE, _FARTHEST = 0.01, 1.6  # body heights off its place that a hand is there; radians that joints may turn on
_RAISED = math.radians(-20.0)  # an upper arm that points down by less is raised
_TAKEN_UP = 4  # frames after which a body is on its course, wherever it was


def straightened(body: Body, journey: Journey) -> Floats:
    """Frames (n, dofs) in which a body that bends for something stands straight again, and hands that were about
    something come back to its sides; none where it stands so."""
    legs, floor = measured(body), journey.scene.floor or 0.0
    dofs = body.dofs_of(legs.critical)
    nothing = np.empty((0, body.dofs))
    if journey.goal.before.seat is not None:
        return _sits_again(body, journey, dofs)
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
    room, in_hands = ArmRoom(body, scene_boxes(journey.scene), journey.things), in_hand(journey)
    away = [hand for hand in journey.free if tips[0][hand].distance(tips[1][hand]) > _AWAY]
    away = [hand for hand in away if room.clearance(end, hand, in_hands) >= -DEPTH_TOLERANCE * body.height]
    bends = np.abs(journey.start[dofs] - stands[dofs]).max() >= STANDS
    stoops = bool(journey.holding) and np.abs(journey.start[trunk] - stands[trunk]).sum() >= _STOOPS
    carries = as_carried(body, end, journey.goal.before, journey.holding, journey)
    far = _farthest(tips[0], hand_transforms(body, carries), journey.holding) > _AWAY
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
        found = led_hands(body, journey, found, away)
    for hand, name in held.items():
        if list(held.values()).count(name) == 1:
            depth = carried_depth(body, journey, found, [hand])
            led = led_hands(body, journey, found, [hand]) if depth > DEPTH_TOLERANCE * body.height else found
            found = led if carried_depth(body, journey, led, [hand]) < depth else found
    if in_hands:
        rows = joint_transforms(body, found[1:])
        joints = [body.limb(hand).joints[-1] for hand in in_hands]
        ways = [PartCourse(n, rows[:, n, :3], rows[:, n, 3:].reshape(-1, 3, 3), priority=2) for n in joints]
        found[1:], _ = around_things(room, journey.scene, journey.start, found[1:], ways, in_hands)
        found = _with_elbows(body, journey, found, carries)
    end[arms] = found[-1, arms]
    found[-1] = end
    hanging = [hand for hand in journey.free if hand not in away]
    return room.cleared(journey.start, found[1:], hanging, in_hands)


def _sits_again(body: Body, journey: Journey, dofs: Ints) -> Floats:
    """Frames in which a body whose root or legs were posed otherwise, or dragged away, sits as usual again; none where
    it does."""
    end = np.array(journey.start)
    end[dofs] = journey.left[dofs]
    turns = list(body.rotation_dofs[0])
    end[turns] += 2.0 * math.pi * np.round((journey.start[turns] - end[turns]) / (2.0 * math.pi))
    if np.abs(journey.start[dofs] - end[dofs]).max() < _POSED:
        return np.empty((0, body.dofs))
    ways = np.diff(joint_transforms(body, np.array([journey.start, end]))[:, :, :3], axis=0)
    far = float(np.linalg.norm(ways, axis=2).max()) / body.height
    takes = max(_RISING * far, least_frames(body, journey.start, end))
    count = round(max(_STRAIGHTENS, takes) * journey.fps / DEFAULT_FPS)
    return _straight_on(body, journey.start, end, minimum_jerk(np.arange(1, count + 1) / count))


def _straight_on(body: Body, start: Floats, end: Floats, share: Floats) -> Floats:
    """Shares of the straight way between two postures, which may lead out of the range of a ball joint."""
    found = start + share[:, None] * (end - start)
    for posture in found:
        for joint in range(len(body.joints)):
            body.put_into_range(joint, posture)
    return np.asarray(found)


def _with_elbows(body: Body, journey: Journey, postures: Floats, carries: Floats) -> Floats:
    """The same postures with elbows that come down to where they are in carrying, of hands that get there: those that
    are led leave their elbows anywhere."""
    found, share = postures, minimum_jerk(np.linspace(0.0, 1.0, len(postures)))[:, None]
    held = in_hand(journey)
    ends, there = hand_transforms(body, postures[-1]), hand_transforms(body, carries)
    rows = joint_transforms(body, np.stack([postures[-1], carries]))
    for hand, name in held.items():
        raised, carried = (elevation(body, hand, world) for world in rows)
        own = body.dofs_of(body.limb(hand).joints)
        off = carries[own] - postures[-1, own]
        alone = list(held.values()).count(name) == 1 and ends[hand].distance(there[hand]) < _THERE * body.height
        if raised < max(carried, _RAISED) or not alone or np.abs(off).max() > _FARTHEST:
            continue
        tried = found.copy()
        tried[:, own] += share * off
        for posture in tried:
            for joint in body.limb(hand).joints:
                body.put_into_range(joint, posture)
        if max(body.limit_excess(posture) for posture in tried) > 1e-9:
            continue
        most = max(DEPTH_TOLERANCE * body.height, _deepest(body, journey, found, hand))
        found = tried if _deepest(body, journey, tried, hand) <= most else found
    return found


def _deepest(body: Body, journey: Journey, postures: Floats, hand: str) -> float:
    """How deep an arm, and what it carries, are in anything at most, also where they begin and end."""
    room, held = ArmRoom(body, scene_boxes(journey.scene), journey.things), in_hand(journey)
    least = min(room.clearance(posture, hand, held) for posture in postures)
    return max(-least, carried_depth(body, journey, postures, [hand]))


def _lacks(
    body: Body, journey: Journey, postures: Floats, there: Mapping[str, Transform], hands: Collection[str]
) -> float:
    """What is wrong with arms that come to where they carry: how deep they get into anything on their way and in the
    end, and how far they are off."""
    room = ArmRoom(body, scene_boxes(journey.scene), journey.things)
    held = in_hand(journey)
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


def taken_up(body: Body, start: Floats, postures: Floats, fps: float) -> tuple[Floats, Floats]:
    """Frames (n, dofs) in which a body that is not where others begin, since it was dragged away from there, comes to
    it, and what follows of those."""
    away = abrupt(body, np.concatenate([start[None], postures[:_TAKEN_UP]]))
    if len(away) == 0:
        return postures[:0], postures
    begins = postures[away[-1]]
    count = round(max(_STRAIGHTENS, least_frames(body, start, begins)) * fps / DEFAULT_FPS)
    comes = _straight_on(body, start, begins, minimum_jerk(np.arange(1, count) / count))
    return comes, postures[away[-1] :]


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
