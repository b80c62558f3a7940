"""How pieces of kernels are translated: by numba's own passes, but only by those that they need, and only once.

This leans on the inside of numba (0.61 to 0.68 at least). Before the first piece is compiled, a small one is tried:
where that raises anything or computes something else, plain numba compiles the pieces.
"""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numba import njit
from numba.core import event, ir, types
from numba.core.base import BaseContext
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import AnalysisPass, LoweringPass, PassManager, register_pass
from numba.core.typed_passes import (
    AnnotateTypes,
    IRLegalization,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)

from puppet.kernels.elements import ElementLowering, holds_arrays
from puppet.types import Floats

log = logging.getLogger("puppet")
_LENGTH = 5.0  # of (3, 4), by which pieces are tested


class Piece(JITCodeLibrary):
    """Code that is linked into other code and never run by itself: nothing to link, optimise or assemble yet."""

    def finalize(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    @property
    def with_all_below(self) -> list[JITCodeLibrary]:
        return [self, *dict.fromkeys(self._linking_libraries)]


@register_pass(mutates_CFG=False, analysis_only=False)
class LeaveCounts(AnalysisPass):
    """A piece that neither makes arrays, copies some whole nor hands any back need not count who uses them: its callers
    do. Numba would count all arguments up and down again at every call, which takes longer than what most pieces
    compute."""

    _name = "leave_counts"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        made = [state.return_type]
        for at, kind in state.calltypes.items():
            if isinstance(at, ir.Expr) and at.op == "call":
                made.append(kind.return_type)
            elif isinstance(at, (ir.SetItem, ir.StaticSetItem)):
                made.append(kind.args[-1])  # a copy, in case that both are of one array
        if not any(map(holds_arrays, made)):
            state.flags.nrt = False
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False


@register_pass(mutates_CFG=False, analysis_only=False)
class HandOver(LoweringPass):
    """Makes a piece known to its callers, with all pieces that it calls, under a stand-in for the Python function that
    it does not have."""

    _name = "hand_over"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        stand_in = list[int]().append  # numba insists on a built-in function; no two of these are equal
        state.library.finalize()
        state.targetctx.insert_user_function(stand_in, state.cr.fndesc, state.library.with_all_below)
        state["cr"] = state.cr._replace(cfunc=stand_in)
        return True


_signatures: dict[tuple[Any, tuple[Any, ...]], Any] = {}
_sizes: dict[str, int] = {}


@contextmanager
def remembered_answers() -> Iterator[None]:
    """While it lasts, numba asks once for what it would ask for again and again: the signature of a built-in function
    (for every `+` that it translates, several times where one side is a constant), and how large an LLVM type is (for
    every variable, by parsing a module of its own). And it tells nobody when each of some ten thousand of its own steps
    begins and ends."""
    function: Any = types.Function
    target: Any = BaseContext
    look_up, measure, tell = function.get_call_type, target.get_abi_sizeof, event.broadcast

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        key = self, tuple(args)
        if not kws and key in _signatures:
            return _signatures[key]
        found = look_up(self, context, args, kws)
        if not kws and found.recvr is None:
            _signatures[key] = found
        return found

    def get_abi_sizeof(self: Any, kind: Any) -> int:
        key = str(kind)
        if key not in _sizes:
            _sizes[key] = measure(self, kind)
        return _sizes[key]

    function.get_call_type, target.get_abi_sizeof = get_call_type, get_abi_sizeof
    event.broadcast = lambda told: None
    try:
        yield
    finally:
        function.get_call_type, target.get_abi_sizeof, event.broadcast = look_up, measure, tell


class PieceCompiler(Compiler):
    """Numba's own passes, as far as loops over arrays and numbers need them."""

    PASSES = (
        TranslateByteCode, FixupArgs, IRProcessing, RewriteSemanticConstants, GenericRewrites, ReconstructSSA,
        NopythonTypeInference, LeaveCounts, PreLowerStripPhis, IRLegalization, AnnotateTypes, ElementLowering, HandOver,
        NoPythonBackend,
    )  # fmt: skip

    def _compile_core(self) -> Any:
        with remembered_answers():
            return super()._compile_core()

    def define_pipelines(self) -> list[PassManager]:
        state = self.state
        state.library = Piece(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        manager = PassManager("piece")
        for each in self.PASSES:
            manager.add_pass(each, each.__name__)
        manager.finalize()
        return [manager]


class CheckedPieceCompiler(PieceCompiler):
    """The piece compiler where it passes its test, else numba's own."""

    def define_pipelines(self) -> list[PassManager]:
        if self_test_passes():
            return super().define_pipelines()
        own: list[PassManager] = Compiler.define_pipelines(self)
        return own


@functools.cache
def self_test_passes() -> bool:
    """Whether two pieces, one of which calls the other, can be compiled and compute what they should."""
    try:
        found = length_by_pieces(np.array([[0.0, 3.0], [0.0, 4.0]]))
        if found != _LENGTH:
            raise ValueError(f"{found} instead of {_LENGTH}")
    except Exception as error:  # whatever a numba that is made otherwise may raise
        log.debug("plain numba compiles the kernels: the piece compiler fails its test", exc_info=error)
        return False
    return True


def length_by_pieces(values: Floats) -> float:
    """The length of the second column, a vector, by pieces that do what those of kernels do."""
    piece: Any = njit(  # type: ignore[call-overload]
        no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy", pipeline_class=PieceCompiler
    )

    @piece
    def length(values, count):  # type: ignore[no-untyped-def]
        squares = 0.0
        for n in range(count):
            squares += values[n, 1] * values[n, 1]
        return math.sqrt(squares), squares > 20.0

    @piece
    def store(values):  # type: ignore[no-untyped-def]
        values[0, 0], long = length(values, values.shape[0])
        return values[0, 0] if long else values[0, 0] / 0.0

    @njit(no_cfunc_wrapper=True, error_model="numpy")  # type: ignore[call-overload]
    def entry(values):  # type: ignore[no-untyped-def]
        return store(values)

    return float(entry(values))
