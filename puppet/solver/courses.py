"""A figure whose parts follow courses, frame by frame: the joints that serve find the way, all others have the angles
of a reference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from puppet.body import Body, local_rotations
from puppet.kernels.figure_model import COUNTS, GIVING, ORIENTATION, POSITION, PRIORITY, SOFT
from puppet.kernels.loader import kernels
from puppet.kernels.solid_model import SOLID_COLUMNS
from puppet.solver.model import figure_model
from puppet.solver.task import FIRM, GIVING_FIRST, GIVING_LATER, task_row
from puppet.types import Floats, Vector

_STEPS = 6  # of the solver, a frame


@dataclass(frozen=True, eq=False)
class PartCourse:
    """Where a part is to be in each frame, and how it is to be turned."""

    joint: int
    places: Floats | None = None  # (frames, 3)
    turns: Floats | None = None  # (frames, 3, 3)
    priority: int = 1
    counts: Vector = (1.0, 1.0, 1.0)  # which axes of the world count for its place
    gives: float = FIRM


def follow_courses(
    body: Body, references: Floats, serving: Iterable[int], courses: Sequence[PartCourse], towards: float = 0.05
) -> tuple[Floats, Floats]:
    """Postures (frames, dofs), and how far each course is missed, (frames, courses).

    references (frames + 1, dofs): the first is the posture before. Joints that serve are drawn to the reference, by
    this part of the way in each step; all others have its angles.
    """
    frames = len(references) - 1
    model, mobility = figure_model(body)
    served = np.zeros(body.dofs)
    served[body.dofs_of(serving)] = 1.0
    rows, goals, owners = [], [], []
    for n, course in enumerate(courses):
        for kind, goal in ((POSITION, course.places), (ORIENTATION, course.turns)):
            if goal is None:
                continue
            row = task_row(kind, course.joint, priority=course.priority)
            row[SOFT], row[GIVING] = course.gives, GIVING_FIRST if course.priority == 1 else GIVING_LATER
            row[PRIORITY] = course.priority
            aim = np.zeros((frames, 12))
            if kind == POSITION:
                row[COUNTS : COUNTS + 3] = course.counts
                aim[:, :3] = goal
            else:
                aim[:, 3:] = goal.reshape(frames, 9)
            rows.append(row)
            goals.append(aim)
            owners.append(n)
    tasks = np.array(rows)
    firmness = np.tile(tasks[:, SOFT], (frames, 1))
    gains = np.full(body.dofs, towards)
    gains[body.dofs_of([0]) if body.free_root else []] = 0.0
    local = np.array([local_rotations(body, j, references[:1])[0].ravel() for j in range(len(body.joints))])
    postures, misses = np.empty((frames, body.dofs)), np.empty((frames, len(tasks)))
    nothing, none = np.zeros((0, 0)), np.zeros(0, dtype=np.int64)
    compiled = kernels()
    compiled.figure_follow(
        compiled.stepper, model.joints, model.links, model.corners, model.velocities, model.chains, int(body.free_root),
        tasks, np.ascontiguousarray(np.stack(goals, axis=1)), firmness, np.ascontiguousarray(references), gains,
        mobility * served, np.zeros((0, SOLID_COLUMNS)), np.zeros((0, 3)), np.zeros((frames, 0, 12)), none,
        np.zeros((0, 0), dtype=np.int64), none, np.zeros((frames, 1)), np.zeros((frames, 1)), nothing, nothing, 0.0,
        _STEPS, references[0].copy(), local, postures, misses, np.empty(frames), np.empty((frames, 0, 4)),
    )  # fmt: skip
    found = np.zeros((frames, len(courses)))
    for n, owner in enumerate(owners):
        found[:, owner] = np.maximum(found[:, owner], misses[:, n])
    return postures, found
