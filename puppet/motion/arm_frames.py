"""The frames of arms on their courses, in closed form: see puppet.kernels.arm_course.

A wrist goes along its path; what shoulder and wrist leave free, the swivel of the arm, goes evenly from what it is to
what it will be; so do the angles of forearm and hand, or the hand's orientation where that counts. A hand that is in
motion already leaves with its velocity.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from puppet.body import Body, body_angles, is_arm, joint_transforms, kernel_angles
from puppet.geometry import Transforms, rotation_vectors, rotations_about
from puppet.kernels.loader import kernels
from puppet.motion.problem import Found, HandCourse, Problem
from puppet.motion.surroundings import Surroundings
from puppet.solver import figure_model
from puppet.types import Floats, Ints

COAST = 12  # frames in which a hand that is in motion leaves its old course
MOVING = 1e-6


def has_arms(body: Body, hands: tuple[HandCourse, ...]) -> bool:
    """Whether the limbs of all these hands are arms in closed form."""
    return all(is_arm(body, body.limb(hand.hand)) for hand in hands)


class ArmFrames:
    """A problem whose hands have arms in closed form."""

    def __init__(self, problem: Problem, around: Surroundings) -> None:
        self.problem, self.around = problem, around
        body = self.body = problem.body
        self.model, _ = figure_model(body)
        self.limbs = np.array([body.limb(hand.hand).joints for hand in problem.hands], dtype=np.int64).reshape(-1, 3)
        self.arm_of = np.full(len(body.joints), -1, dtype=np.int64)
        self.arm_of[self.limbs[:, 0]] = np.arange(len(self.limbs))
        self.references = kernel_angles(body, problem.references)
        ends = np.stack([kernel_angles(body, problem.before[None])[0], self.references[0], self.references[-1]])
        swivels = np.empty((3, len(self.limbs)))
        kernels().arm_swivels(body.model.joints, self.limbs, ends, swivels)
        self.swivel, self.turn = swivels[1], _wrapped(swivels[2] - swivels[1])
        self.swivel_velocity = _wrapped(swivels[1] - swivels[0])
        before, now = joint_transforms(body, np.stack([problem.before, problem.references[0]]))
        self.velocity = now[self.limbs[:, 2], :3] - before[self.limbs[:, 2], :3]  # (hands, 3), a frame
        turns = [w[self.limbs[:, 2], 3:].reshape(-1, 3, 3) for w in (before, now)]
        self.spin = rotation_vectors(turns[1] @ turns[0].transpose(0, 2, 1))  # (hands, 3), in the world

    def at(self, hands: tuple[HandCourse, ...], rows: Ints, swing: Floats | float = 0.0) -> Found:
        """Frames by their numbers, counted from the next one on; swing (rows, hands): added to the swivels."""
        body, count = self.body, len(rows)
        courses, swivels = self._courses(hands, rows)
        swivels += swing
        postures = np.ascontiguousarray(self.references[rows + 1])
        world = np.empty((count, len(body.joints), 12))
        shorts, overs = np.empty((count, len(hands))), np.empty((count, len(hands)))
        roots = self.problem.references[rows + 1][:, body.translation_dofs] if body.free_root else np.zeros((count, 3))
        goals = courses.copy()
        goals[:, :, :3] -= roots[:, None]
        level = np.array([hand.path is None or hand.level for hand in hands])
        model = body.model
        kernels().arm_frames(
            model.joints, model.dofs, self.model.joints, self.model.links, self.model.corners, self.limbs, self.arm_of,
            goals, swivels, level, self.references[0], postures, world, shorts, overs,
        )  # fmt: skip
        world[:, :, :3] += roots[:, None]
        wrists = world[:, self.limbs[:, 2]]
        off = np.linalg.norm(wrists[..., :3] - courses[..., :3], axis=2)
        turned = _angles(wrists[..., 3:], courses[..., 3:]) * level
        missing, depths = self.around.judge(world, rows, hands)
        found = self.problem.references[rows + 1].copy()
        found[:, len(body.translation_dofs) :] = body_angles(body, postures)
        return Found(found, off, turned, missing, depths, overs)

    def _courses(self, hands: tuple[HandCourse, ...], rows: Ints) -> tuple[Floats, Floats]:
        """Where wrists are to be, (rows, hands, 12), and their swivels (rows, hands)."""
        courses, swivels = np.empty((len(rows), len(hands), 12)), np.empty((len(rows), len(hands)))
        coast = _coasting(rows + 1)
        wrists: dict[str, Transforms] = {}
        for n, hand in enumerate(hands):
            shares = hand.shares[np.minimum(rows, len(hand.shares) - 1)]
            if hand.path is not None:
                aim = hand.path.at(shares)
                if np.linalg.norm(self.velocity[n]) > MOVING:
                    turn = rotations_about(coast[:, None] * self.spin[n])
                    aim = Transforms(aim.positions + coast[:, None] * self.velocity[n], turn @ aim.rotations)
            else:
                assert hand.holds is not None
                assert hand.held is not None
                aim = self._thing(hand.holds, wrists, rows).compose(Transforms.repeated(hand.held, len(rows)))
            wrists[hand.hand] = aim
            courses[:, n] = aim.rows
            middle = 16.0 * (shares * (1.0 - shares)) ** 2
            swivels[:, n] = self.swivel[n] + shares * self.turn[n] + middle * hand.swing
            swivels[:, n] += coast * self.swivel_velocity[n]
        return courses, swivels

    def _thing(self, name: str, wrists: Mapping[str, Transforms], rows: Ints) -> Transforms:
        """Where a thing is in some frames: it may be carried by a hand that has a path."""
        around = self.around
        box = self.problem.boxes.box(name)
        own = around.boxes[rows, box]
        things = Transforms(own[:, :3], own[:, 3:].reshape(-1, 3, 3))
        for hand, names in around.in_hand.items():
            if name not in names:
                continue
            if hand in wrists:
                return wrists[hand].compose(things)
            row = around.world[rows + 1, int(around.carriers[box])]  # of a motion that is under way
            return Transforms(row[:, :3], row[:, 3:].reshape(-1, 3, 3)).compose(things)
        return things


def _coasting(steps: Ints) -> Floats:
    """How far something gets, in frames, that has a velocity of 1 and comes to rest where it was, smoothly:
    T (t - 6 t^3 + 8 t^4 - 3 t^5)."""
    t = np.minimum(steps / COAST, 1.0)
    return np.asarray(COAST * (t - t**3 * (6.0 - t * (8.0 - 3.0 * t))))


def _wrapped(angles: Floats) -> Floats:
    return np.asarray((angles + np.pi) % (2.0 * np.pi) - np.pi)


def _angles(first: Floats, second: Floats) -> Floats:
    """Between rotations (..., 9) row by row."""
    cosine = 0.5 * ((first * second).sum(axis=-1) - 1.0)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))
