"""Whether a hand that holds stays with what it holds, and whether things move without a hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.motion.tasks import Hold, holds_of
from puppet.performance import Performance
from puppet.types import Floats

METRES = 1.75  # in a unit
POSITION_LIMIT = 0.001 / METRES
ANGLE_LIMIT = 1.0  # degrees
CONTACT = 0.02 / METRES  # a hand that is farther from the surface of a thing than this does not hold it
_STILL = 1e-9


@dataclass(frozen=True)
class HoldDrift:
    """How far a hand and the thing that it holds moved and turned relative to one another."""

    hold: Hold
    distance: float  # units
    distance_frame: int
    angle: float  # degrees
    angle_frame: int
    air_angle: float  # degrees: while the thing moved

    @property
    def kept(self) -> bool:
        return self.distance <= POSITION_LIMIT and self.angle <= ANGLE_LIMIT


def hold_drifts(performance: Performance) -> list[HoldDrift]:
    """Of each hold: against its first frame, and after a task that asks for another grip, against that task's end.

    During such a task only the frames in which the thing moves count, against the first of them.
    """
    found = []
    for hold in holds_of(performance):
        in_hand = _in_hand(performance, hold)  # (frames, 12)
        rows = performance.object_transforms[:, performance.object_names.index(hold.thing)]
        moves = np.abs(np.diff(rows, axis=0, prepend=rows[:1])).max(axis=1) > _STILL
        reference = np.arange(hold.start, hold.end + 1)  # the frame that each one is held against
        counted = np.ones(len(reference), dtype=bool)
        current, in_air = hold.start, False
        for n, frame in enumerate(range(hold.start, hold.end + 1)):
            task = next((task for task in hold.regrips if task[0] < frame <= task[1]), None)
            if task is not None and not (moves[frame] and in_air):
                counted[n], current = False, frame
            in_air = bool(moves[frame])
            reference[n] = current
        frames = np.arange(hold.start, hold.end + 1)
        distance, angle = differences(in_hand[reference], in_hand[frames])
        distance, angle = np.where(counted, distance, 0.0), np.where(counted, angle, 0.0)
        air = np.where(moves[frames], angle, 0.0)
        found.append(
            HoldDrift(
                hold,
                float(distance.max()), int(frames[distance.argmax()]),
                float(angle.max()), int(frames[angle.argmax()]), float(air.max()),
            )
        )  # fmt: skip
    return found


def things_without_a_hand(performance: Performance) -> dict[str, list[int]]:
    """Things that move in frames in which no hand is at them, nor at anything that moves along with them."""
    rows, tips = performance.object_transforms, hand_tips(performance)
    names, found = performance.object_names, {}
    moved = np.abs(np.diff(rows, axis=0, prepend=rows[:1])).max(axis=2, initial=0.0) > _STILL  # (frames, objects)
    touched = np.zeros(moved.shape, dtype=bool)
    for k, name in enumerate(names):
        width = performance.scene.object(name).width
        for tip in tips.values():
            local = np.einsum("fab,fa->fb", rows[:, k, 3:].reshape(-1, 3, 3), tip - rows[:, k, :3])
            outside = np.linalg.norm(np.maximum(np.abs(local) - width, 0.0), axis=1)
            touched[:, k] |= outside <= CONTACT
    for frame in np.flatnonzero(moved.any(axis=1)):
        for k in np.flatnonzero(moved[frame] & ~touched[frame]):
            step = rows[frame, :, :3] - rows[frame - 1, :, :3]
            along = [
                o for o in np.flatnonzero(touched[frame] & moved[frame]) if np.allclose(step[o], step[k], atol=1e-3)
            ]
            if not along:
                found.setdefault(names[k], []).append(int(frame))
    return found


def hand_tips(performance: Performance) -> dict[str, Floats]:
    """Where each hand's tip is, (frames, 3)."""
    body, found = performance.body, {}
    for hand in body.hands:
        joint = body.limbs[hand].joints[-1]
        rows = performance.joint_transforms[:, joint]
        found[hand] = rows[:, :3] + rows[:, 3:].reshape(-1, 3, 3) @ body.arrays.tips[joint]
    return found


def differences(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Distances and angles in degrees (rows,) between transforms (rows, 12)."""
    trace = np.einsum("nk,nk->n", a[:, 3:], b[:, 3:])
    chord = np.linalg.norm(a[:, 3:] - b[:, 3:], axis=1) / np.sqrt(8.0)  # exact for small angles, where the trace is not
    angle = np.where(
        trace > 2.0, 2.0 * np.arcsin(np.clip(chord, 0.0, 1.0)), np.arccos(np.clip(0.5 * (trace - 1.0), -1.0, 1.0))
    )
    return np.linalg.norm(a[:, :3] - b[:, :3], axis=1), np.degrees(angle)


def _in_hand(performance: Performance, hold: Hold) -> Floats:
    """The thing in the coordinates of the hand's tip, (frames, 12)."""
    body = performance.body
    joint = body.limbs[hold.hand].joints[-1]
    hand = performance.joint_transforms[:, joint]
    thing = performance.object_transforms[:, performance.object_names.index(hold.thing)]
    turn = hand[:, 3:].reshape(-1, 3, 3)
    position = np.einsum("fba,fb->fa", turn, thing[:, :3] - hand_tips(performance)[hold.hand])
    rotation = np.einsum("fba,fbc->fac", turn, thing[:, 3:].reshape(-1, 3, 3))
    return np.concatenate([position, rotation.reshape(-1, 9)], axis=1)
