"""The frames of limbs that are no arms in closed form: the whole-body solver follows the courses of their ends.

See puppet.kernels.figure_path. The interpolated posture is its reference; clearances are kept inside its steps.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from puppet.body import joint_rotations
from puppet.kernels.figure_model import (
    COUNTS,
    GIVING,
    LARGEST,
    LINK,
    ORIENTATION,
    POSITION,
    PRIORITY,
    TASK_COLUMNS,
    TASK_KIND,
)
from puppet.kernels.loader import kernels
from puppet.kernels.solid_model import PARTS
from puppet.motion.problem import Found, HandCourse, Problem, Tried
from puppet.motion.surroundings import Surroundings
from puppet.solver import figure_model
from puppet.solver.task import FIRM, GIVING_FIRST, GIVING_LATER
from puppet.types import Flags, Floats, Ints

_STEPS = 4  # of the solver, a frame
# How much a limb gives: in its place; in its orientation where that counts, at the ends of its path, on its way.
FIRM_TURN, _SOFT, _FREE = 1e-6, 1e-4, 1e-3
_LARGEST_ERROR, _LARGEST_ANGLE = 0.08, 0.3  # that count in one step
_TOWARDS_REFERENCE = 0.15  # which part of the way to the reference posture a step goes


class LimbFrames:
    """A problem whose limbs may be of any kind."""

    def __init__(self, problem: Problem, around: Surroundings) -> None:
        self.problem, self.around = problem, around
        body = self.body = problem.body
        self.model, mobility = figure_model(body)
        serving = np.zeros(body.dofs)
        serving[body.dofs_of(sorted(problem.joints))] = 1.0
        self.mobility = mobility * serving
        self.first = joint_rotations(body, problem.references[0])

    def at(self, hands: tuple[HandCourse, ...], rows: Ints, courses: Floats | None = None) -> Found:
        """Frames by their numbers, counted from the next one on. courses (rows, hands, 12): of the wrists, where they
        are known."""
        problem, body, model, around = self.problem, self.body, self.model, self.around
        count = len(rows)
        tasks, goals, firmness = self._tasks(hands, rows, courses)
        references = np.ascontiguousarray(problem.references[np.concatenate([[0], rows + 1])])
        leaving, arriving = around.ways(rows, hands)
        postures, misses = np.empty((count, body.dofs)), np.empty((count, len(tasks)))
        depths, pushes = np.empty(count), np.empty((count, len(hands), 4))
        compiled = kernels()
        compiled.figure_follow(
            compiled.stepper, model.joints, model.links, model.corners, model.velocities, model.chains,
            int(body.free_root), tasks, goals, firmness, references, np.full(body.dofs, _TOWARDS_REFERENCE),
            self.mobility, around.solids, problem.boxes.halves, np.ascontiguousarray(around.boxes[rows]),
            around.carriers, around.apart_from, around.owners, leaving, arriving, around.left_behind, around.reached,
            problem.clearance, _STEPS, problem.references[0].copy(), self.first.copy(), postures, misses, depths,
            pushes,
        )  # fmt: skip
        level = np.array([hand.level or hand.path is None for hand in hands], dtype=bool)
        missing = np.zeros((count, PARTS * len(hands) + 1))
        missing[:, PARTS - 1 : -1 : PARTS] = pushes[..., 3]
        overs = np.zeros((count, len(hands)))
        turned = misses[:, 1::2] * level
        turned[-1:] = misses[-1:, 1::2]  # where it arrives, its orientation counts in any case
        return Found(postures, misses[:, ::2], turned, missing, depths, overs)

    def tried(
        self, hands: tuple[HandCourse, ...], frames: Ints, bends: Floats, swings: Floats,
        looked_at: Flags | None = None, only: int | None = None,
    ) -> Tried:  # fmt: skip
        """The same frames several times, one after the other, with paths bent by bends (n, hands, 2, 3). All of them
        are looked at: what the solver does in one follows from those before."""
        each = []
        for own in bends:
            bent = [hand if hand.path is None else replace(hand, path=hand.path.bent(own[n]))
                    for n, hand in enumerate(hands)]  # fmt: skip
            each.append(self.at(tuple(bent), frames))
        return Tried(
            np.concatenate([f.off for f in each]), np.concatenate([f.missing for f in each]),
            np.concatenate([f.depths for f in each]), np.concatenate([f.overs for f in each]),
        )  # fmt: skip

    def _tasks(
        self, hands: tuple[HandCourse, ...], rows: Ints, courses: Floats | None
    ) -> tuple[Floats, Floats, Floats]:
        """The kernel's table of tasks, their goals (frames, tasks, 12) and how much they give (frames, tasks)."""
        tasks, goals, firmness = [], [], []
        for n, hand in enumerate(hands):
            joint = self.body.limb(hand.hand).joints[-1]
            shares = hand.shares[np.minimum(rows, len(hand.shares) - 1)]
            if courses is not None:
                aim = np.ascontiguousarray(courses[:, n])
            elif hand.path is not None:
                aim = hand.path.at(shares).rows
            else:
                assert hand.held is not None
                assert hand.holds is not None
                held = self.problem.things[hand.holds].compose(hand.held)
                aim = np.tile(np.concatenate([held.position, held.rotation.ravel()]), (len(rows), 1))
            free = np.where(shares < 1.0, _SOFT + _FREE * (4.0 * shares * (1.0 - shares)) ** 2, FIRM_TURN)
            turn = np.full(len(rows), FIRM_TURN) if hand.level or hand.path is None else free
            for kind, soft in ((POSITION, np.full(len(rows), FIRM)), (ORIENTATION, turn)):
                firm = kind == POSITION or hand.level or hand.path is None
                tasks.append(_task(kind, joint, 1.0 if firm else 2.0))
                goals.append(aim)
                firmness.append(soft)
        if not tasks:
            return np.zeros((0, TASK_COLUMNS)), np.zeros((len(rows), 0, 12)), np.zeros((len(rows), 0))
        return np.array(tasks), np.ascontiguousarray(np.stack(goals, axis=1)), np.stack(firmness, axis=1)


def _task(kind: int, joint: int, priority: float) -> Floats:
    row = np.zeros(TASK_COLUMNS)
    row[TASK_KIND], row[LINK], row[COUNTS : COUNTS + 3], row[PRIORITY] = kind, joint, 1.0, priority
    row[GIVING] = GIVING_FIRST if priority == 1.0 else GIVING_LATER
    row[LARGEST] = _LARGEST_ERROR if kind == POSITION else _LARGEST_ANGLE
    return row
