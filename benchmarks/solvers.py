"""Which solvers there are, and why one is missing."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from benchmarks.peers.peer import Solver
from puppet.body import Body
from puppet.scene import Table

SOLVERS = {  # key on the command line: module, class
    "puppet": ("benchmarks.ours", "PuppetSolver"),
    "thesis": ("benchmarks.ours", "ThesisSolver"),
    "pinocchio": ("benchmarks.peers.pinocchio_dls", "PinocchioDls"),
    "restarts": ("benchmarks.peers.restarts", "PinocchioRestarts"),
    "compiled": ("benchmarks.peers.pinocchio_compiled", "PinocchioCompiled"),
    "mink": ("benchmarks.peers.mink_qp", "MinkQp"),
    "pink": ("benchmarks.peers.pink_qp", "PinkQp"),
    "slsqp": ("benchmarks.peers.scipy_slsqp", "ScipySlsqp"),
    "least_squares": ("benchmarks.peers.scipy_least_squares", "ScipyLeastSquares"),
    "ikpy": ("benchmarks.peers.ikpy_chain", "IkpyChain"),
}
OURS = ("puppet", "thesis")


def load_solvers(keys: Iterable[str], body: Body, table: Table) -> tuple[dict[str, Solver], dict[str, str]]:
    """The solvers asked for by key, and for each that cannot be had the reason."""
    solvers: dict[str, Solver] = {}
    missing: dict[str, str] = {}
    for key in keys:
        module, name = SOLVERS[key]
        try:
            solvers[key] = getattr(import_module(module), name)(body, table)
        except ImportError as error:
            missing[key] = str(error)
    return solvers, missing
