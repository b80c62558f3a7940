"""Walking: the whole body over its footsteps. The mass goes as an inverted pendulum does, the root as high as the legs
let it, pelvis and chest turn against each other, and free arms swing against the legs."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from puppet.body import Body
from puppet.command import DEFAULT_FPS
from puppet.geometry import axis_rotations
from puppet.locomotion.arms import raised_arms
from puppet.locomotion.course import BodyCourse, running_mean
from puppet.locomotion.footsteps import STRIDE, Footstep
from puppet.locomotion.legs import Legs
from puppet.locomotion.pendulum import pendulum_course
from puppet.locomotion.route import Place
from puppet.locomotion.stepping import Stepping, plan_stepping
from puppet.scene import Stance
from puppet.types import Floats

PELVIS_TURN, PELVIS_LIST, PELVIS_TILT = math.radians(8.0), math.radians(3.0), math.radians(6.0)
CHEST_TURN = math.radians(10.0)  # against the pelvis
LOOKS_BEFORE, LOOKS_AT_MOST = 9, math.radians(40.0)  # frames, at DEFAULT_FPS, by which the head turns before the body
HELD_STILL = PELVIS_TURN / CHEST_TURN  # how much of this keeps the chest of who carries something with all hands still
_LEAN = math.radians(3.0)
ARM_BACK, ARM_AHEAD, ELBOW = math.radians(24.0), math.radians(20.0), math.radians(26.0)
HEEL_PRESSURE, TOE_PRESSURE = 0.018, 0.1  # where a foot of a walk presses on the floor, from its ankle
_EASES = 3  # frames over which the height of the pelvis is eased
_SETTLES = 10  # frames in which the mass comes from rest and comes to rest


def walking_course(
    body: Body, legs: Legs, start: Stance, floor: float, steps: Sequence[Footstep], frames: int | None,
    rests: Floats, arms: Collection[str], fps: float = DEFAULT_FPS, pace: float | None = None, sits: bool = False,
    posts: Sequence[Place] = (), flows: bool = False,
) -> BodyCourse:  # fmt: skip
    """The course of a walk from standing to standing. rests (dofs,): the posture that it begins and ends with; arms:
    hands that are free to swing; pace, sits, posts, flows: as in plan_stepping."""
    stepping = plan_stepping(legs, start, floor, steps, frames, fps, pace, sits, posts, flows)
    rate = fps / DEFAULT_FPS
    turn = _body_turn(legs, stepping, rate)
    ahead = np.stack([np.sin(turn), np.cos(turn)], axis=1)
    left, right = (course.places[:, [0, 2]] for course in stepping.courses)
    apart = np.clip(((left - right) * ahead).sum(axis=1) / (STRIDE * legs.height), -1.0, 1.0)
    apart = running_mean(apart, round(rate))
    mass = _mass(legs, start, stepping, turn, fps)
    walks = np.clip(np.linalg.norm(np.gradient(mass, axis=0), axis=1) * fps / (0.6 * legs.height), 0.0, 1.0)
    walks = running_mean(walks, round(5 * rate))
    swings = _swing_side(stepping, rate)
    turns = axis_rotations(1, turn - PELVIS_TURN * apart) @ axis_rotations(0, PELVIS_TILT * walks)
    turns = turns @ axis_rotations(2, PELVIS_LIST * swings * walks)
    offset = np.array([[math.cos(t) * legs.mass[0] + math.sin(t) * legs.mass[2],
                        -math.sin(t) * legs.mass[0] + math.cos(t) * legs.mass[2]] for t in turn])  # fmt: skip
    root = np.empty((stepping.frames, 3))
    root[:, [0, 2]] = mass - offset
    root[:, 1] = floor + legs.root
    turning = apart * (1.0 if arms else HELD_STILL)
    looks = _looks_ahead(turn, rate)
    trunk = _trunk(body, rests, turning, walks, -PELVIS_LIST * swings * walks, looks)
    angles = {**trunk, **_arms(body, rests, apart, arms)}
    return BodyCourse(stepping.courses, root, turns, mass, angles, eases=round(_EASES * rate))


def _body_turn(legs: Legs, stepping: Stepping, rate: float) -> Floats:
    """Which way the body faces in each frame: half way between its feet."""
    found = []
    for foot, course, first in zip(legs.feet, stepping.courses, stepping.first, strict=True):
        facing = np.unwrap(np.arctan2(course.turns[:, 0, 2], course.turns[:, 2, 2]))
        facing += first.turn - facing[0] - 2.0 * math.pi * round((first.turn - facing[0]) / (2.0 * math.pi))
        facing += 2.0 * math.pi * round((first.turn - facing[0]) / (2.0 * math.pi))
        found.append(facing - foot.toe_out)
    return running_mean(running_mean(0.5 * (found[0] + found[1]), round(4 * rate)), round(3 * rate))


def _swing_side(stepping: Stepping, rate: float) -> Floats:
    """-1 while the left foot swings, 1 while the right one does, and until the foot bears: the pelvis drops on that
    side."""
    found = np.zeros(stepping.frames)
    time = np.arange(1, stepping.frames + 1)
    ends = [swing.start for swing in stepping.swings[1:]] + [swing.end for swing in stepping.swings[-1:]]
    for swing, end in zip(stepping.swings, ends, strict=True):
        found[(time > swing.start) & (time <= end)] = -1.0 if swing.step.foot == 0 else 1.0
    return running_mean(running_mean(found, round(3 * rate)), round(2 * rate))


def _mass(legs: Legs, start: Stance, stepping: Stepping, turn: Floats, fps: float) -> Floats:
    """The course of the centre of mass, (frames, 2)."""
    frames = stepping.frames
    times = np.arange(0, frames + 1, dtype=np.float64)
    support = np.empty((frames + 1, 2))
    # the point of support: keys in time, between which it goes evenly
    keys: list[tuple[float, Floats]] = [(0.0, np.array(start.world(legs.mass[0], legs.mass[2])))]
    stands = list(stepping.first)
    struck = [0.0, 0.0]
    for swing in stepping.swings:
        other = 1 - swing.step.foot
        walks = swing.step.walks or stands[other].walks
        low, high = (HEEL_PRESSURE, TOE_PRESSURE) if walks else (0.01, 0.02)
        if not stands[other].walks:
            low = 0.01
        keys.append((swing.start, _pressed(legs, stands[other], low * legs.height)))
        keys.append((swing.end, _pressed(legs, stands[other], high * legs.height)))
        stands[swing.step.foot] = swing.step
        struck[swing.step.foot] = swing.end
    last = stepping.swings[-1] if stepping.swings else None
    end = np.mean([_pressed(legs, step, 0.0) for step in stands], axis=0)
    facing = float(turn[-1])
    lead = legs.mass[2] - 0.5 * (legs.feet[0].stands[1] + legs.feet[1].stands[1])
    end = end + lead * np.array([math.sin(facing), math.cos(facing)])
    keys.append((min((last.end if last else 0.0) + 4.0 * fps / DEFAULT_FPS, frames - 1.0), end))
    keys.append((float(frames), end))
    at = np.array([time for time, _ in keys])
    for axis in range(2):
        support[:, axis] = np.interp(times, at, np.array([place[axis] for _, place in keys]))
    stiffness = legs.gravity / (legs.root + legs.mass[1]) / fps**2
    found = pendulum_course(support, stiffness)
    eased = np.clip(times / (_SETTLES * fps / DEFAULT_FPS), 0.0, 1.0)
    eased = (eased * eased * (3.0 - 2.0 * eased))[:, None]
    found = found[0] + eased * (found - found[0])
    found = found[-1] + eased[::-1] * (found - found[-1])
    return running_mean(found, round(fps / DEFAULT_FPS))[1:]


def _pressed(legs: Legs, step: Footstep, ahead: float) -> Floats:
    turn = step.turn - legs.feet[step.foot].toe_out
    return np.array([step.place[0] + ahead * math.sin(turn), step.place[1] + ahead * math.cos(turn)])


def _looks_ahead(turn: Floats, rate: float) -> Floats:
    """How far the head is turned from the body in each frame: to where the body will face a little later."""
    soon = round(LOOKS_BEFORE * rate)
    later = np.concatenate([turn[soon:], np.repeat(turn[-1:], min(soon, len(turn)))])
    return running_mean(np.clip(later - turn, -LOOKS_AT_MOST, LOOKS_AT_MOST), round(3 * rate))


def _trunk(
    body: Body, rests: Floats, apart: Floats, walks: Floats, aside: Floats, looks: Floats
) -> dict[int, Floats]:
    """The chest turns against the pelvis, and bends aside against its list, the head looks ahead, and the trunk leans
    into the walk."""
    found: dict[int, Floats] = {}
    trunk = sorted({joint for limb in body.limbs.values() for joint in limb.trunk})
    for share, joint in zip(_shares(len(trunk)), trunk, strict=True):
        for axis, values in (("y", CHEST_TURN * apart), ("x", (_LEAN - PELVIS_TILT) * walks), ("z", aside)):
            dof = _dof(body, joint, axis)
            if dof is not None:
                found[dof] = rests[dof] + share * values
    if body.gaze is not None and trunk:
        dof = _dof(body, body.gaze.joint, "y")
        if dof is not None:
            found[dof] = rests[dof] - (CHEST_TURN - PELVIS_TURN) * apart + looks
        lean = _dof(body, body.gaze.joint, "x")
        if lean is not None:
            found[lean] = rests[lean] - 0.7 * _LEAN * walks
    return found


def _arms(body: Body, rests: Floats, apart: Floats, arms: Collection[str]) -> dict[int, Floats]:
    """An arm that is free swings against the leg of its side."""
    found: dict[int, Floats] = {}
    for hand in arms:
        limb = body.limb(hand)
        if len(limb.joints) < 2:
            continue
        side = -1.0 if limb.mirrored else 1.0
        back = side * apart
        swing = np.where(back > 0.0, ARM_BACK, ARM_AHEAD) * back
        swing = running_mean(swing, 1)
        found.update(raised_arms(body, rests, swing, [hand]))
        elbow = body.rotation_dofs[limb.joints[1]].start
        lower, upper = body.arrays.limits[elbow, :2]
        bends = -1.0 if abs(lower) > abs(upper) else 1.0
        bent = 0.5 * ELBOW * (np.abs(apart) - back)
        found[elbow] = np.clip(rests[elbow] + bends * bent, lower, upper)
    return found


def _shares(count: int) -> Floats:
    """How joints of a trunk share a turn: the upper ones more."""
    weights = np.arange(1, count + 1, dtype=np.float64)
    return np.asarray(weights / weights.sum()) if count else weights


def _dof(body: Body, joint: int, axis: str) -> int | None:
    name = f"{body.joint_names[joint]}.{axis}"
    return body.dof_names.index(name) if name in body.dof_names else None
