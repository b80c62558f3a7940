"""What is asked of a figure, as rows of the kernels' table of tasks, and what is left of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from puppet.arguments import short
from puppet.errors import PuppetError
from puppet.kernels.figure_model import (
    COUNTS,
    LARGEST,
    MASS_CENTRE,
    MOMENT,
    MOMENTUM,
    ORIENTATION,
    PRIORITY,
    SOFT,
    TARGET,
    TARGET_TURN,
    TASK_COLUMNS,
)
from puppet.solver.features import AXIS_NAMES, AngularMomentum, CentreOfMass, Feature, Function, Inertia
from puppet.types import Floats

FIRM, COMPLIANCE = 1e-9, 0.1  # how much a task gives, relative to its row: with gain 1; and with gain 1/2
GIVING_FIRST, GIVING_LATER = 0.002, 0.1  # how much more by their errors, of the first priority and of the second
_LOWER = (
    100.0  # and by how many times more with each priority after it: what misses gives way before what it would move
)
LARGEST_ERROR, LARGEST_ANGLE = 0.05, 0.2  # that counts in one step, in body heights and radians


class Residual(float):
    """The distance that a task leaves; iterated, the distance and the angle in radians."""

    angle: float

    def __new__(cls, distance: float, angle: float = 0.0) -> Residual:
        found = super().__new__(cls, distance)
        found.angle = angle
        return found

    @property
    def distance(self) -> float:
        return float(self)

    def __iter__(self) -> Iterator[float]:
        return iter((float(self), self.angle))

    def __getitem__(self, index: int) -> float:
        return (float(self), self.angle)[index]

    def __len__(self) -> int:
        return 2

    def __repr__(self) -> str:
        return f"Residual({float(self):.3g}, angle={self.angle:.3g})"


@dataclass
class FigureTask:
    """What is asked for under one name."""

    rows: list[Floats]  # of the kernels' table of tasks; none where it is a function
    gain: float
    function: Function | None = None
    priority: int = 2
    left: Residual = field(default_factory=lambda: Residual(0.0))

    @property
    def firmness(self) -> tuple[float, float]:
        """How much it gives, and by how much more for its error."""
        soft = FIRM + COMPLIANCE * (1.0 - self.gain) / self.gain
        return soft, GIVING_FIRST if self.priority == 1 else GIVING_LATER * _LOWER ** (self.priority - 2)


def feature_task(feature: Feature, height: float, substeps: int, gain: float, priority: int) -> FigureTask:
    """A feature at its target, of a body of this height whose frames are made in so many steps."""
    if isinstance(feature, Function):
        return FigureTask([], gain, feature, priority)
    if isinstance(feature, (CentreOfMass, AngularMomentum)):
        kind = MASS_CENTRE if isinstance(feature, CentreOfMass) else MOMENTUM
        scale = 1.0 if kind == MASS_CENTRE else height**2 / substeps
        values = [0.0 if value is None else scale * value for value in feature.values]
        counts = [value is not None for value in feature.values]
        row = task_row(kind, 0, target=np.array(values), counts=counts, priority=priority)
    elif isinstance(feature, Inertia):
        axis, value = np.eye(3)[AXIS_NAMES.index(feature.axis)], feature.value * height**2
        row = task_row(MOMENT, 0, axis, np.array([value, 0.0, 0.0]), priority=priority)
    else:
        known = "CentreOfMass, Inertia, AngularMomentum or Function"
        raise PuppetError(f"a hold is of a {known}, not {short(feature)}")
    return FigureTask([row], gain, None, priority)


def task_row(
    kind: int, joint: int, at: ArrayLike = (0.0, 0.0, 0.0), target: ArrayLike = (0.0, 0.0, 0.0),
    turn: ArrayLike | None = None, counts: ArrayLike = (1.0, 1.0, 1.0), priority: int = 1,
) -> Floats:  # fmt: skip
    """A row of the kernels' table of tasks."""
    row = np.zeros(TASK_COLUMNS)
    row[0], row[1], row[2:TARGET] = kind, joint, at
    row[TARGET:TARGET_TURN] = target
    row[TARGET_TURN:COUNTS] = np.eye(3).ravel() if turn is None else np.asarray(turn).ravel()
    row[COUNTS:SOFT] = counts
    row[LARGEST] = LARGEST_ANGLE if kind == ORIENTATION else LARGEST_ERROR
    row[PRIORITY] = priority
    return row
