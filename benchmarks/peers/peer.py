"""What the benchmark asks of every solver that it measures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from benchmarks.peers.skeleton import Clamp, Skeleton, skeleton
from benchmarks.problems import CHAINS, Problem
from puppet.body import Body
from puppet.scene import Table
from puppet.types import Floats


class Solver(ABC):
    """Finds a posture for a problem. `table_use` says in a few words what it knows of the table."""

    name: ClassVar[str]
    limits_use: ClassVar[str] = "clamped after every step"
    table_use: ClassVar[str] = "not known to it"
    slow: ClassVar[bool] = False  # measured on the first problems of each set only
    yardstick: ClassVar[bool] = False  # shown for comparison; not a peer that the requirements speak of

    def __init__(self, body: Body, table: Table):
        self.body, self.table = body, table

    def prepare(self, problems: Sequence[Problem]) -> None:
        """Put problems into the form that the solver takes them in; off the clock, before they are solved in order."""
        return

    @abstractmethod
    def solve(self, problem: Problem, start: Floats) -> Floats:
        """The posture (dofs,) found for a problem from a start posture (dofs,), which is left as it is."""


class ChainSolver(Solver):
    """A solver with a model of its own for each chain; a chain's model is made when its first problem comes."""

    def __init__(self, body: Body, table: Table):
        super().__init__(body, table)
        self._models: dict[str, ChainModel] = {}

    def solve(self, problem: Problem, start: Floats) -> Floats:
        model = self._models.get(problem.chain)
        if model is None:
            limbs, torso = CHAINS[problem.chain]
            model = self._models[problem.chain] = self.make_model(skeleton(self.body, limbs, torso))
        posture = start.copy()
        posture[model.skeleton.dofs] = model.solve(problem, start)
        return posture

    @abstractmethod
    def make_model(self, skeleton: Skeleton) -> ChainModel:
        """The solver's own model of a chain."""


class ChainModel(ABC):
    """A solver's model of one chain."""

    def __init__(self, skeleton: Skeleton):
        self.skeleton = skeleton
        self.clamp = Clamp(skeleton)

    @abstractmethod
    def solve(self, problem: Problem, start: Floats) -> Floats:
        """Angles of the skeleton's hinges (hinges,) for a problem, from a start posture of the whole body (dofs,)."""
