"""Goal postures and what is solid: how deep an arm is in anything, and how its elbow gets out of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from puppet.body import Body, is_arm, joint_transforms
from puppet.geometry import Transform
from puppet.kernels.solid_model import DISTANCE, MOVES
from puppet.motion.arm_frames import ArmFrames
from puppet.motion.hand_path import HandPath
from puppet.motion.problem import HandCourse, Problem
from puppet.motion.solids import SceneBoxes, body_solids, near_pairs
from puppet.motion.surroundings import OUT_OF_SIGHT, Surroundings
from puppet.scene import table_excess
from puppet.types import Floats, Ints

SWIVELS = np.concatenate([[0.0], *([a, -a] for a in np.radians(np.arange(6.0, 121.0, 6.0)))])  # that are tried
_LACK, _OVER, _TURN = 0.002, 0.01, 0.6  # what counts alike: a length, an angle beyond limits, an angle of swivel
_MET = 1e-5


def posture_depth(
    body: Body, boxes: SceneBoxes, things: Mapping[str, Transform], posture: Floats, hand: str, touched: frozenset[str]
) -> float:
    """How deep an arm is in anything in a posture, apart from its hand in things that it may touch."""
    return _depth(body, boxes, things, posture, *_arm_table(body, hand), touched, _apart_from(body, len(boxes.halves)))


def trunk_depth(
    body: Body, boxes: SceneBoxes, things: Mapping[str, Transform], posture: Floats, touched: frozenset[str]
) -> float:
    """How deep trunk and head are in anything around the body in a posture, apart from things that are touched."""
    apart = _apart_from(body, len(boxes.halves)).copy()
    table, own = _trunk_table(body)
    apart[: len(table), : len(table)] = 1
    return _depth(body, boxes, things, posture, table, own, touched, apart)


def _depth(
    body: Body, boxes: SceneBoxes, things: Mapping[str, Transform], posture: Floats, table: Floats, own: Ints,
    touched: frozenset[str], apart: Ints,
) -> float:  # fmt: skip
    """How deep the solids of a table that are looked after are in anything, apart from some in things that they may
    touch."""
    if touched:
        apart = apart.copy()
    for name in touched:
        apart[own, len(table) + boxes.box(name)] = 1
    carriers = np.full(len(boxes.halves), -1, dtype=np.int64)
    worlds, cubes = np.array(joint_transforms(body, posture))[None], boxes.cubes(things)[None]
    pairs, _ = near_pairs(worlds, table, boxes.halves, cubes, carriers, apart, 0.0)
    return float(max(0.0, -pairs[:, DISTANCE].min(initial=0.0)))


@lru_cache(maxsize=64)
def _arm_table(body: Body, hand: str) -> tuple[Floats, Ints]:
    """The solids of a body of which those of one arm are looked after, and those of its hand; not to be changed."""
    solids, joints = body_solids(body), body.limb(hand).joints
    table = np.array(solids.table)
    table[:, MOVES] = np.isin(solids.joints, joints)
    return table, np.flatnonzero(solids.joints == joints[-1])


@lru_cache(maxsize=16)
def _trunk_table(body: Body) -> tuple[Floats, Ints]:
    """The solids of a body of which those of trunk and head are looked after, and these; not to be changed."""
    solids = body_solids(body)
    trunk = {joint for hand in body.hands for joint in body.limb(hand).trunk}
    head = {body.gaze.joint} if body.gaze is not None else set()
    table, own = np.array(solids.table), np.isin(solids.joints, sorted(trunk | head))
    table[:, MOVES] = own
    return table, np.flatnonzero(own)


@lru_cache(maxsize=64)
def _apart_from(body: Body, boxes: int) -> Ints:
    """What has nothing to do with each other among a body's solids and so many boxes; not to be changed."""
    own = body_solids(body).apart_from
    apart = np.zeros((len(own) + boxes,) * 2, dtype=np.int64)
    apart[: len(own), : len(own)] = own
    return apart


def cleared_posture(
    body: Body, boxes: SceneBoxes, things: Mapping[str, Transform], posture: Floats,
    hands: Mapping[str, frozenset[str]], clearance: float = 2e-3,
) -> Floats:  # fmt: skip
    """A posture with its elbows swivelled out of everything solid while its hands stay where they are, as far as that
    goes.

    hands: those that stay, each with the things that it may touch.
    """
    for hand, touched in hands.items():
        if is_arm(body, body.limb(hand)):
            posture = _cleared(body, boxes, things, posture, hand, touched, clearance)
    return posture


def _cleared(
    body: Body, boxes: SceneBoxes, things: Mapping[str, Transform], posture: Floats, hand: str, touched: frozenset[str],
    clearance: float,
) -> Floats:  # fmt: skip
    joints = body.limb(hand).joints
    row = joint_transforms(body, posture)[joints[-1]]
    here = Transform.of(row[:3], row[3:])
    count = len(SWIVELS)
    course = HandCourse(hand, HandPath.straight(here, here), np.ones(count), level=True, touches=touched)

    if posture_depth(body, boxes, things, posture, hand, touched & frozenset(boxes.names)) <= 0.0:
        return posture
    references = np.tile(posture, (count + 1, 1))
    problem = Problem(
        body, boxes, things, posture, references, frozenset(joints), frozenset(), (course,), (), 0, clearance
    )
    around = Surroundings(problem)
    around.left_behind[:] = OUT_OF_SIGHT
    around.reached = np.where(around.may_touch, -OUT_OF_SIGHT, OUT_OF_SIGHT)
    frames = ArmFrames(problem, around)
    found = frames.swung((course,), np.arange(count), SWIVELS[:, None], 0)
    met = (found.off[:, 0] < _MET) & (found.turned[:, 0] < 1e-3)
    cost = (found.missing / _LACK).sum(axis=1) + found.overs[:, 0] / _OVER + (SWIVELS / _TURN) ** 2
    worst = over_table(body, boxes, posture)
    for n in np.where(met, cost, np.inf).argsort(kind="stable"):
        if not met[n] or cost[n] >= cost[0]:
            break
        if over_table(body, boxes, found.postures[n]) <= worst + 1e-9:
            return np.asarray(found.postures[n])
    return posture


def over_table(body: Body, boxes: SceneBoxes, posture: Floats) -> float:
    """By how much the body's own clearances from the table are missed in a posture."""
    world = joint_transforms(body, posture)
    return float(table_excess(body, boxes.table, world[:, :3], world[:, 3:].reshape(-1, 3, 3)))
