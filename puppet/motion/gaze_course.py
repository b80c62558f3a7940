"""Where a body looks while its hands go somewhere: head and eyes turn to a goal first of all, and stay on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.command import DEFAULT_FPS
from puppet.geometry import continuous_angles, euler_angles, rotation_between, rotation_vectors, rotations_about
from puppet.kernels.loader import kernels
from puppet.motion.curves import progress
from puppet.types import Floats, Ints

ON_TARGET = math.cos(math.radians(6.0))  # a head that ends this near to its goal looks at it
# By how much the velocity of a head or of an eye changes from frame to frame at most, in degrees a second: a wide turn
# takes longer than a small one, as people's do. A head begins more gently, by how much and how much more in each frame.
_BRISKLY, _EYES = 57.0, 55.0
_AT_FIRST, _INTERRUPTED = (32.0, 25.0), (10.0, 12.0)
_NEARLY = math.radians(8.0)  # what is this near to where the eyes look is looked at
_HURRY = 5.0  # a turn that takes T frames accelerates by 4 / T^2 of its way
_LITTLE = 0.02  # radians
_LEAPS = math.radians(20.0)  # a head that turns by more in a frame leaps
_SAME = 1e-9  # rotations whose numbers differ by less are the same
_FIRMLY = 1.6  # times what its velocity may change by otherwise
_LOOKS = 6  # frames for which what a head should do is put into its range
_SEEN_EVERY = 5  # frames: whether what it does is inside that


@dataclass(frozen=True, eq=False)
class GazeCourse:
    """What is looked at: one goal after the other, each by a frame."""

    goals: tuple[Floats, ...]  # points in the world
    starts: tuple[int, ...]  # the frame from which each is turned to
    fps: float
    faced: Floats  # the point, at or near the first goal, that the last posture faces if that can be looked at


def look(body: Body, references: Floats, before: Floats, gaze: GazeCourse, interrupted: bool) -> None:
    """Turns the head and the eyes in all frames of the references (frames + 1, dofs), in place; the first stays.

    before: the posture a frame ago, from which velocities are known. interrupted: in the middle of something else.
    """
    assert body.gaze is not None
    first, more = _INTERRUPTED if interrupted else _AT_FIRST
    most = np.minimum(_BRISKLY, first + more * np.arange(len(references) - 1))
    _turn_head(body, references, before, gaze, most * _step(1.0, gaze.fps), interrupted)
    if body.eyes:
        _turn_eyes(body, references, before, gaze)


def settle(body: Body, references: Floats, before: Floats, fps: float) -> None:
    """Has a head that is under way go over into what the references (frames + 1, dofs) have it do, without a jerk, in
    place. before: the posture a frame ago."""
    assert body.gaze is not None
    number = body.gaze.joint
    head, dofs = body.joints[number], np.array(body.rotation_dofs[number])
    most = np.full(len(references) - 1, _step(_BRISKLY, fps))
    if len(dofs) != 3 or np.abs(references[0, dofs] - before[dofs]).max() < most[0]:
        return
    order = [rotation.axis for rotation in head.rotations]
    own = rotation_vectors(_turns(np.concatenate([before[None, dofs], references[:, dofs]]), order))
    turns = rotations_about(_arriving(own[2:], own[1], own[1] - own[0], most, (), _keeping_inside(body, number)))
    found = _angles(turns, order, references[0, dofs])[:-1]
    if head.range is None:  # what brings it to its end may lead a little out of its limits on the way
        found = np.clip(found, *body.arrays.limits[dofs, :2].T)
    references[1:-1, dofs] = found
    for row in references[1:-1] if head.range is not None else ():
        body.put_into_range(number, row)


def turning_frames(turn: float, fps: float) -> int:
    """In how many frames a head turns by so many radians, smoothly: minimum jerk accelerates by 5.77 of its way."""
    return math.ceil(math.sqrt(5.77 * turn / _step(_BRISKLY, fps)))


def _step(degrees: float, fps: float) -> float:
    """By how many radians a frame the velocity changes from frame to frame, where it does so by some degrees a second
    at DEFAULT_FPS: people turn as fast however many frames a second has, but never by more in one of them."""
    return math.radians(degrees) * min(1.0, DEFAULT_FPS / fps) / fps


def seen_after(body: Body, angles: Floats, place: Floats, fps: float) -> float:
    """After how many frames, about, whoever looks somewhere else now looks at a place: 2 sqrt(turn / A), less the time
    in which the last degrees are turned, and one for the gentle beginning."""
    assert body.gaze is not None
    row = joint_transforms(body, angles)[body.gaze.joint]
    turn = row[3:].reshape(3, 3)
    way, facing = place - (row[:3] + turn @ np.array(body.gaze.eyes)), turn @ np.array(body.gaze.forward)
    off = math.acos(min(1.0, max(-1.0, float(facing @ way) / max(float(np.linalg.norm(way)), 1e-9))))
    most = math.radians(_BRISKLY + (_EYES if body.eyes else 0.0)) * DEFAULT_FPS / fps**2
    return max(0.0, 2.0 * math.sqrt(off / most) - math.sqrt(2.0 * _NEARLY / most)) + fps / DEFAULT_FPS


def _turn_head(
    body: Body, references: Floats, before: Floats, gaze: GazeCourse, most: Floats, interrupted: bool
) -> None:
    assert body.gaze is not None
    head = body.gaze.joint
    dofs = np.array(body.rotation_dofs[head])
    if len(dofs) != 3:
        return
    world = joint_transforms(body, references)
    rows, count = world[1:, head], len(references) - 1
    eyes, forward = np.array(body.gaze.eyes), np.array(body.gaze.forward)
    last = rows[-1, 3:].reshape(3, 3)
    parent = body.joints[head].parent
    above = world[:, parent, 3:].reshape(-1, 3, 3) if parent >= 0 else np.tile(np.eye(3), (count + 1, 1, 1))
    order = [rotation.axis for rotation in body.joints[head].rotations]
    own = rotation_vectors(_turns(np.stack([before[dofs], references[0, dofs]]), order))
    aims = np.repeat(own[1:], count, axis=0)
    for goal, start in zip(gaze.goals, gaze.starts, strict=True):
        way = gaze.faced - (rows[-1, :3] + last @ eyes)
        first = goal is gaze.goals[0]
        seen = not first or last @ forward @ way > ON_TARGET * np.linalg.norm(way)  # else it cannot be looked at
        at = sorted({round(frame) for frame in np.linspace(min(start, count - 1), count - 1, _LOOKS)})
        if parent >= 0 and (world[1:][at, parent] == world[-1, parent]).all():
            at = at[-1:]  # what carries the head stands still
        wanted = np.empty((len(at), 3, 3))
        for n, frame in enumerate(at):
            way = goal - (rows[frame, :3] + last @ eyes)
            turned = rotation_between(last @ forward, way) @ last if seen else last
            wanted[n] = above[frame + 1].T @ turned
        vectors = rotation_vectors(_inside(body, head, wanted))
        for axis in range(3):
            aims[start:, axis] = np.interp(np.arange(start, count), at, vectors[:, axis])
    velocity = own[1] - own[0]
    most = _braking(body, head, own[1], velocity, aims[0], most)
    vectors = _arriving(aims, own[1], velocity, most, gaze.starts)
    if interrupted or _outside(body, head, vectors[::_SEEN_EVERY]):
        vectors = _arriving(aims, own[1], velocity, most, gaze.starts, _keeping_inside(body, head))
    turns = rotations_about(vectors)
    found = _angles(turns, order, references[0, dofs])
    if body.joints[head].range is None:
        found = np.clip(found, body.arrays.limits[dofs, 0], body.arrays.limits[dofs, 1])
        found = _without_leaps(references[0, dofs], found, order)
    references[1:, dofs] = found


def _without_leaps(first: Floats, found: Floats, order: Sequence[int]) -> Floats:
    """The same angles (frames, 3) from first ones on, or the straight way to the last ones where that leaps less:
    where two of three axes are nearly the same, a rotation a little farther on may be inside the limits elsewhere."""
    share = progress("smooth", len(found))[:, None]
    leaps = _widest(np.vstack([first, found]), order)
    if leaps < _LEAPS:
        return found
    straight = np.asarray(first + share * (found[-1] - first))
    return straight if _widest(np.vstack([first, straight]), order) < leaps else found


def _widest(angles: Floats, order: Sequence[int]) -> float:
    """How far a joint turns from frame to frame at most."""
    turns = _turns(angles, order)
    cosines = 0.5 * ((turns[1:] * turns[:-1]).sum(axis=(1, 2)) - 1.0)
    return float(np.arccos(np.clip(cosines, -1.0, 1.0)).max(initial=0.0))


def _braking(body: Body, joint: int, at: Floats, velocity: Floats, aim: Floats, most: Floats) -> Floats:
    """By how much the velocity of a joint may change (frames,) that goes fast towards its goal, or to the edge of its
    range: enough to come to rest there, with its velocity v at a distance d by v^2 / 2 d in each frame, as far as that
    is no jerk."""
    speed = float(np.linalg.norm(velocity))
    if speed < most[0]:
        return most
    way = velocity / speed
    ahead = float((aim - at) @ way)
    needed = min(float(most.max()), 0.5 * speed**2 / ahead) if ahead > 0.0 else 0.0
    far = 0.5 * speed**2 / max(float(most[0]), needed)  # that it goes before it rests
    room = far
    while room > _LITTLE and _outside(body, joint, (at + room * way)[None]):
        room *= 0.8
    brakes = max(needed, 0.5 * speed**2 / room)
    firmest = _FIRMLY * most if room == far else np.maximum(_FIRMLY * most, most.max())  # before an edge as it must
    firmly = np.maximum(most, np.minimum(brakes, firmest))
    return np.where(np.arange(len(most)) < math.ceil(speed / brakes), firmly, most)


def _outside(body: Body, joint: int, vectors: Floats) -> bool:
    """Whether a joint that is turned in one of several ways (n, 3) is outside its range or its limits."""
    region = body.joints[joint].range
    if region is not None:
        return any(region.excess_about(vector) > 0.0 for vector in vectors)
    turns = rotations_about(vectors)
    return bool(np.abs(_inside(body, joint, turns) - turns).max() > _LITTLE)


def _inside(body: Body, joint: int, turns: Floats) -> Floats:
    """The rotations of a joint inside its limits, or its range, that are nearest to others (n, 3, 3)."""
    region, order = body.joints[joint].range, [rotation.axis for rotation in body.joints[joint].rotations]
    if region is not None:
        return np.array([region.nearest(turn) for turn in turns])
    dofs = list(body.rotation_dofs[joint])
    angles = np.radians(euler_angles(turns, order))
    return _turns(np.clip(angles, body.arrays.limits[dofs, 0], body.arrays.limits[dofs, 1]), order)


def _keeping_inside(body: Body, joint: int) -> Callable[[Floats], Floats]:
    """What puts a joint, by its rotation vector, inside its limits, or its range."""

    region = body.joints[joint].range

    def inside(at: Floats) -> Floats:
        if region is not None and region.excess_about(at) <= 0.0:
            return at
        turn = rotations_about(at[None])
        nearest = _inside(body, joint, turn)
        return at if np.abs(nearest - turn).max() < _SAME else rotation_vectors(nearest)[0]

    return inside


def _turns(angles: Floats, order: Sequence[int]) -> Floats:
    """The rotations R = R1 R2 R3 (n, 3, 3) of angles (n, 3)."""
    vectors = np.zeros((3, len(angles), 3))
    for n, axis in enumerate(order):
        vectors[n, :, axis] = angles[:, n]
    first, second, third = rotations_about(vectors.reshape(-1, 3)).reshape(3, -1, 3, 3)
    return np.asarray(first @ second @ third)


def _arriving(
    aims: Floats, first: Floats, velocity: Floats, most: Floats, starts: Sequence[int],
    inside: Callable[[Floats], Floats] | None = None,
) -> Floats:  # fmt: skip
    """As `_followed`, but it is there in the end: where there is little time it hurries."""
    last = max(starts, default=0)
    turn = float(np.linalg.norm(aims[-1] - (aims[last - 1] if 0 < last <= len(aims) else first)))
    hurry = max(1.0, _HURRY * turn / max(1, len(aims) - last) ** 2 / float(most.max()))
    most = np.where(np.arange(len(aims)) < last, most, hurry * most)
    found = _followed(aims, first, velocity, most, starts, inside)
    return np.asarray(found + progress("smooth", len(aims))[:, None] * (aims[-1] - found[-1]))


def _followed(
    aims: Floats, first: Floats, velocity: Floats, most: Floats, starts: Sequence[int],
    inside: Callable[[Floats], Floats] | None = None,
) -> Floats:  # fmt: skip
    """What follows moving aims w (frames, n) as fast as its velocity may change, by at most A (frames,) from frame to
    frame: it goes towards w' + sqrt(2 A |w - a|), from which it can brake. inside: what puts it where it may be."""
    drifts = np.diff(aims, axis=0, prepend=aims[:1])
    drifts[[start for start in starts if start < len(aims)]] = 0.0
    if inside is None:
        followed = np.empty(aims.shape)
        kernels().aims_followed(np.ascontiguousarray(aims), drifts, first, velocity.copy(), most, followed)
        return followed
    found, at, speeds = [], first.tolist(), velocity.tolist()
    for aim, drift, limit in zip(aims.tolist(), drifts.tolist(), most.tolist(), strict=False):  # no arrays
        off = [w - a - d for w, a, d in zip(aim, at, drift, strict=True)]
        far = math.sqrt(sum([x * x for x in off]))
        share = min(math.sqrt(2.0 * limit * far + 0.25 * limit**2) - 0.5 * limit, far) / max(far, 1e-12)
        change = [d + x * share - v for d, x, v in zip(drift, off, speeds, strict=True)]
        share = min(1.0, limit / max(math.sqrt(sum([x * x for x in change])), 1e-12))
        speeds = [v + x * share for v, x in zip(speeds, change, strict=True)]
        was, at = at, inside(np.array([a + v for a, v in zip(at, speeds, strict=True)])).tolist()
        speeds = [a - w for a, w in zip(at, was, strict=True)]
        found.append(at)
    return np.array(found).reshape(aims.shape)


def eyes_on(body: Body, angles: Floats, place: Floats) -> tuple[Ints, Floats]:
    """The degrees of freedom of all eyes that turn, and their angles where they look at a place, as far as they can."""
    row = joint_transforms(body, angles)[None]
    found = [(body.rotation_dofs[eye], _eye_angles(body, row, eye, place)[0]) for eye in body.eyes]
    dofs = np.array([dof for own, _ in found for dof in own], dtype=int)
    return dofs, np.concatenate([turned for _, turned in found]) if found else np.zeros(0)


def _turn_eyes(body: Body, references: Floats, before: Floats, gaze: GazeCourse) -> None:
    world = joint_transforms(body, references)[1:]
    most = np.full(len(world), _step(_EYES, gaze.fps))
    for eye in body.eyes:
        dofs = np.array(body.rotation_dofs[eye])
        wanted = np.repeat(references[:1, dofs], len(world), axis=0)
        for goal, start, end in zip(gaze.goals, gaze.starts, (*gaze.starts[1:], len(world)), strict=True):
            if start < end:  # backwards in time: an eye that turns with a head is ready to stay on the goal
                own = _eye_angles(body, world[start:end], eye, goal)
                wanted[start:end] = _followed(own[::-1], own[-1], np.zeros(len(dofs)), 0.5 * most, ())[::-1]
        found = _arriving(wanted, references[0, dofs], references[0, dofs] - before[dofs], most, gaze.starts)
        references[1:, dofs] = np.clip(found, body.arrays.limits[dofs, 0], body.arrays.limits[dofs, 1])


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


def _angles(turns: Floats, order: Sequence[int], first: Floats) -> Floats:
    """The angles (n, 3) of rotations R = R1 R2 R3, without leaps from the first ones on."""
    found = np.vstack([np.degrees(first), euler_angles(turns, order)])
    return np.radians(continuous_angles(found))[1:]
