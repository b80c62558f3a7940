"""Where a body looks while its hands go somewhere: head and eyes turn to a goal first of all, and stay on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.geometry import continuous_angles, euler_angles, rotation_between, rotation_vectors, rotations_about
from puppet.motion.curves import coasting, progress
from puppet.motion.trajectory import leaves_range, turned_directly
from puppet.types import Floats, Ints

ON_TARGET = math.cos(math.radians(6.0))  # a head that ends this near to its goal looks at it
_SMOOTH = 3  # frames to both sides over which the turn of an eye is smoothed
_KERNEL = np.hanning(2 * _SMOOTH + 3)[1:-1] / np.hanning(2 * _SMOOTH + 3).sum()
# The acceleration, in degrees a frame squared, that a turn of the head or of an eye has at most: a wide turn takes
# longer than a small one, as people's do.
GENTLY, _INTERRUPTED = 2.2, 1.0
_MOVING = 1e-6  # radians a frame
_LEAST = 4  # frames
_COAST = 10  # frames in which a head that is in motion leaves its old course


@dataclass(frozen=True, eq=False)
class GazeCourse:
    """What is looked at: one goal after the other, each by a frame."""

    goals: tuple[Floats, ...]  # points in the world
    starts: tuple[int, ...]  # the frame from which each is turned to


def look(body: Body, references: Floats, before: Floats, gaze: GazeCourse) -> None:
    """Turns the head and the eyes in all frames of the references (frames + 1, dofs), in place; the first stays.

    before: the posture a frame ago, from which velocities are known.
    """
    assert body.gaze is not None
    head = body.gaze.joint
    moving = np.abs(references[0] - before).max() > _MOVING  # whoever is interrupted turns to the new goal more slowly
    _turn_head(body, references, before, gaze, head, _INTERRUPTED if moving else GENTLY)
    for eye in body.eyes:
        _turn_eye(body, references, gaze, eye)


def _turn_head(body: Body, references: Floats, before: Floats, gaze: GazeCourse, head: int, gently: float) -> None:
    assert body.gaze is not None
    world = joint_transforms(body, references)
    rows, count = world[1:, head], len(references) - 1
    turns = rows[:, 3:].reshape(-1, 3, 3)
    eyes, forward = np.array(body.gaze.eyes), np.array(body.gaze.forward)
    last = turns[-1]
    aim = np.repeat(world[:1, head, 3:].reshape(1, 3, 3), count, axis=0)
    for goal, start in zip(gaze.goals, gaze.starts, strict=True):
        way = goal - (rows[-1, :3] + last @ eyes)
        first = goal is gaze.goals[0]
        seen = not first or last @ forward @ way > ON_TARGET * np.linalg.norm(way)  # else it cannot be looked at
        wanted = np.empty((count, 3, 3))
        for n in range(count):
            way = goal - (rows[n, :3] + last @ eyes)
            wanted[n] = rotation_between(last @ forward, way) @ last if seen else last
        by = rotation_vectors(aim.transpose(0, 2, 1) @ wanted)
        shares = _rise(count, start, _frames(float(np.linalg.norm(by[start:], axis=1).max(initial=0.0)), gently))
        aim = aim @ rotations_about(shares[:, None] * by)
    old = joint_transforms(body, before)[head, 3:].reshape(3, 3)
    spin = rotation_vectors((world[0, head, 3:].reshape(3, 3) @ old.T)[None])[0]
    aim = rotations_about(coasting(np.arange(1, count + 1), min(_COAST, count))[:, None] * spin) @ aim
    parent = body.joints[head].parent
    above = world[1:, parent, 3:].reshape(-1, 3, 3) if parent >= 0 else np.tile(np.eye(3), (count, 1, 1))
    dofs = np.array(body.rotation_dofs[head])
    if len(dofs) != 3:
        return
    order = [rotation.axis for rotation in body.joints[head].rotations]
    found = _angles(above.transpose(0, 2, 1) @ aim, order, references[0, dofs])
    if body.joints[head].range is None:
        found = np.clip(found, body.arrays.limits[dofs, 0], body.arrays.limits[dofs, 1])
    elif leaves_range(body, head, found):  # it would come back into it elsewhere
        end = references[-1].copy()
        end[dofs] = found[-1]
        body.put_into_range(head, end)
        now, velocity = references[0, dofs], references[0, dofs] - before[dofs]
        found = turned_directly(body, head, now, end[dofs], velocity, progress("smooth", count))
    references[1:, dofs] = found


def eyes_on(body: Body, angles: Floats, place: Floats) -> tuple[Ints, Floats]:
    """The degrees of freedom of all eyes that turn, and their angles where they look at a place, as far as they can."""
    row = joint_transforms(body, angles)[None]
    found = [(body.rotation_dofs[eye], _eye_angles(body, row, eye, place)[0]) for eye in body.eyes]
    dofs = np.array([dof for own, _ in found for dof in own], dtype=int)
    return dofs, np.concatenate([turned for _, turned in found]) if found else np.zeros(0)


def _turn_eye(body: Body, references: Floats, gaze: GazeCourse, eye: int) -> None:
    world = joint_transforms(body, references)[1:]
    dofs = np.array(body.rotation_dofs[eye])
    count = len(world)
    angles = np.repeat(references[:1, dofs], count, axis=0)
    for goal, start in zip(gaze.goals, gaze.starts, strict=True):
        wanted = _eye_angles(body, world, eye, goal)
        shares = _rise(count, start, _frames(float(np.abs(wanted - angles)[start:].max(initial=0.0))))[:, None]
        angles = angles + shares * (wanted - angles)
    for n, dof in enumerate(dofs):  # where an eye comes off its limit it does not do so at once
        padded = np.concatenate(
            [np.repeat(references[0, dof], _SMOOTH), angles[:, n], np.repeat(angles[-1, n], _SMOOTH)]
        )
        references[1:, dof] = np.convolve(padded, _KERNEL, mode="valid")


def _eye_angles(body: Body, world: Floats, eye: int, goal: Floats) -> Floats:
    """The two angles (frames, 2) with which an eye looks at a goal, inside its limits: Ri(p) Rk(r) f = d with f the way
    the eye looks at zero and d the way to the goal."""
    assert body.gaze is not None
    parent = world[:, body.joints[eye].parent, 3:].reshape(-1, 3, 3)
    forward = np.array(body.gaze.forward)
    i, k = (rotation.axis for rotation in body.joints[eye].rotations)
    way = np.einsum("fba,fb->fa", parent, goal - world[:, eye, :3])
    way /= np.maximum(np.linalg.norm(way, axis=1), 1e-9)[:, None]
    a, b = (k + 1) % 3, (k + 2) % 3
    # component i of Rk(r) f equals that of d
    u, v = (forward[i], -forward[3 - i - k]) if i == a else (forward[i], forward[3 - i - k])
    size, phase = math.hypot(u, v), math.atan2(v, u)
    spread = np.arccos(np.clip(way[:, i] / max(size, 1e-9), -1.0, 1.0))
    r = np.where(np.abs(phase + spread) < np.abs(phase - spread), phase + spread, phase - spread)
    turned = np.empty((len(world), 3))
    turned[:, k] = forward[k]
    turned[:, a] = np.cos(r) * forward[a] - np.sin(r) * forward[b]
    turned[:, b] = np.sin(r) * forward[a] + np.cos(r) * forward[b]
    m, n = (i + 1) % 3, (i + 2) % 3
    p = np.arctan2(way[:, n], way[:, m]) - np.arctan2(turned[:, n], turned[:, m])
    wanted = np.stack([(p + np.pi) % (2.0 * np.pi) - np.pi, r], axis=1)
    dofs = list(body.rotation_dofs[eye])
    return np.asarray(np.clip(wanted, body.arrays.limits[dofs, 0], body.arrays.limits[dofs, 1]))


def _frames(turn: float, gently: float = GENTLY) -> int:
    """How many frames a turn by so many radians takes: minimum jerk accelerates by 5.77 of its way at most."""
    return max(_LEAST, math.ceil(math.sqrt(5.77 * math.degrees(turn) / gently)))


def _rise(count: int, start: int, takes: int) -> Floats:
    """From 0 to 1 in some frames, from `start` on or sooner, (count,)."""
    shares = np.zeros(count)
    takes = min(takes, count)
    start = min(start, count - takes)  # it is there in the end
    rise = progress("smooth", takes)
    shares[start : start + len(rise)] = rise
    shares[start + len(rise) :] = 1.0
    return shares


def _angles(turns: Floats, order: Sequence[int], first: Floats) -> Floats:
    """The angles (n, 3) of rotations R = R1 R2 R3, without leaps from the first ones on."""
    found = np.vstack([np.degrees(first), euler_angles(turns, order)])
    return np.radians(continuous_angles(found))[1:]
