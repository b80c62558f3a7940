"""The whole-body solver's kernel for recorded frames (puppet.kernels.figure_clip), with tasks put into its tables."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from puppet.body import Body, local_rotations
from puppet.kernels.figure_model import (
    AT,
    COUNTS,
    GIVING,
    KIND,
    LARGEST,
    LINK,
    MASS_CENTRE,
    MOBILITY,
    ORIENTATION,
    POSITION,
    PRIORITY,
    SOFT,
    TARGET,
    TARGET_TURN,
    TASK_COLUMNS,
)
from puppet.kernels.loader import kernels
from puppet.solver import figure_model
from puppet.solver.task import COMPLIANCE, FIRM, LARGEST_ANGLE, LARGEST_ERROR
from puppet.types import Floats, Ints

CONTACT, DRAGGED, PINNED = 1, 2, 3  # priorities
ORIGIN = np.zeros(3)  # of a part: the middle of its joint
STEPS = 4  # of the solver, a frame, at most
TOWARDS_REFERENCE = 0.1  # which part of the way to the recorded posture a step goes; all of it would overshoot
# By priority, 1 to 3: how much a task gives with gain 1, and by how much more for its error.
GIVING_BY_PRIORITY = (0.002, 0.02, 0.1)
USUAL_TURN, ROOT_TURN, ROOT_WAY = 0.7, 0.2, 0.05  # radians and body heights that joints without range, and roots, go
LEAST_GAIN = 1e-3  # below it a task is not asked for


class FrameTasks:
    """Tasks frame by frame."""

    def __init__(self) -> None:
        self._rows: list[Floats] = []
        self._at: list[Ints] = []

    def position(
        self, frames: Ints, joint: int, point: Floats, targets: Floats, gains: Floats | float = 1.0, priority: int = 2
    ) -> None:
        """A point of a joint's segment at targets (frames, 3)."""
        rows = self._new(frames, POSITION, joint, gains, priority)
        rows[:, AT:TARGET], rows[:, TARGET:TARGET_TURN], rows[:, LARGEST] = point, targets, LARGEST_ERROR
        self._add(frames, rows)

    def orientation(
        self, frames: Ints, joint: int, turns: Floats, gains: Floats | float = 1.0, priority: int = 2
    ) -> None:
        """A joint's segment turned as in (frames, 3, 3)."""
        rows = self._new(frames, ORIENTATION, joint, gains, priority)
        rows[:, TARGET_TURN:COUNTS], rows[:, LARGEST] = turns.reshape(-1, 9), LARGEST_ANGLE
        self._add(frames, rows)

    def mass_centre(self, frames: Ints, targets: Floats, priority: int = 1) -> None:
        """The centre of mass at targets (frames, 3)."""
        rows = self._new(frames, MASS_CENTRE, 0, 1.0, priority)
        rows[:, TARGET:TARGET_TURN], rows[:, LARGEST] = targets, LARGEST_ERROR
        self._add(frames, rows)

    def _new(self, frames: Ints, kind: int, joint: int, gains: Floats | float, priority: int) -> Floats:
        rows = np.zeros((len(frames), TASK_COLUMNS))
        share = np.clip(np.broadcast_to(np.asarray(gains, dtype=np.float64), len(frames)), LEAST_GAIN, 1.0)
        rows[:, KIND], rows[:, LINK], rows[:, PRIORITY] = kind, joint, priority
        rows[:, SOFT] = FIRM + COMPLIANCE * (1.0 - share) / share
        rows[:, GIVING] = GIVING_BY_PRIORITY[priority - 1]
        rows[:, COUNTS : COUNTS + 3] = 1.0
        rows[:, TARGET_TURN:COUNTS] = np.eye(3).ravel()
        rows[np.broadcast_to(np.asarray(gains), len(frames)) < LEAST_GAIN, KIND] = -1.0
        return rows

    def _add(self, frames: Ints, rows: Floats) -> None:
        asked = rows[:, KIND] >= 0.0
        self._rows.append(rows[asked])
        self._at.append(np.asarray(frames)[asked])

    def packed(self, first: int, last: int) -> tuple[Floats, Ints]:
        """The kernel's table for the frames first to last, and where those of each frame begin."""
        at = np.concatenate([*self._at, np.empty(0, dtype=np.int64)]).astype(np.int64)
        rows = np.concatenate([*self._rows, np.empty((0, TASK_COLUMNS))])
        order = np.argsort(at, kind="stable")
        at, rows = at[order], rows[order]
        starts = np.searchsorted(at, np.arange(first, last + 2))
        return np.ascontiguousarray(rows[starts[0] : starts[-1]]), (starts - starts[0]).astype(np.int64)


def follow_frames(
    body: Body, references: Floats, first: int, last: int, tasks: FrameTasks, serving: Iterable[int],
    start: Floats | None = None,
) -> Floats:  # fmt: skip
    """The frames first to last, (frames, dofs), nearest to the references (all frames, dofs) with their tasks met, as
    nearly as the serving joints can; start: the posture before, else the reference's."""
    model = figure_model(body)[0]
    velocities, mobility = model.velocities.copy(), mobility_of(body)
    velocities[:, MOBILITY] = mobility
    own = np.zeros(body.dofs)
    own[body.dofs_of(sorted(serving))] = 1.0
    table, starts = tasks.packed(first, last)
    before = max(first - 1, 0)
    rows = np.ascontiguousarray(np.concatenate([references[before : before + 1], references[first : last + 1]]))
    angles = np.array(references[before] if start is None else start)
    local = np.array([local_rotations(body, j, angles[None])[0].ravel() for j in range(len(body.joints))])
    found = np.empty((last + 1 - first, body.dofs))
    kernels().figure_clip(
        model.joints, model.links, model.corners, velocities, model.chains, int(body.free_root), table, starts,
        rows, np.full(body.dofs, TOWARDS_REFERENCE), mobility * own, STEPS, angles, local, found,
    )  # fmt: skip
    return found


def mobility_of(body: Body) -> Floats:
    """How readily each velocity departs from a recorded posture, (velocities,): as the square of how far its joint can
    be turned. So a bow is shared by hips, knees and spine as they can, and no joint is bent to its limits alone."""
    found = np.full(body.dofs, USUAL_TURN**2)
    found[body.translation_dofs] = ROOT_WAY**2
    for j, joint in enumerate(body.joints):
        dofs = list(body.rotation_dofs[j])
        if j == 0 and body.free_root:
            found[dofs] = ROOT_TURN**2
        elif joint.range is not None:
            swings = np.array([entry.swing for entry in joint.range.edge])
            low, high = np.array([entry.twist for entry in joint.range.edge]).mean(axis=0)
            across = float(np.ptp(swings, axis=0).mean()) / 2.0
            found[dofs] = ((2.0 * across + 0.5 * float(high - low)) / 3.0) ** 2
        elif not joint.is_ball:
            for dof, rotation in zip(dofs, joint.rotations, strict=True):
                found[dof] = min(0.5 * (rotation.upper - rotation.lower), math.pi / 2.0) ** 2
    return found
