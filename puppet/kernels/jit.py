"""How kernels are compiled, and why that does not take twice as long.

An `entry` is called from Python and kept in numba's cache. What it calls is an `inner` function, a piece that is linked
into the entries that use it. By itself numba would optimise and assemble every piece as if Python called it, and again
for each level above it, although only the entries' machine code is ever used; it would also run passes that serve
closures, array expressions and literal unrolling, and look up anew what each `+` of two floats means. A piece is
translated once and left to LLVM as part of its entries. The machine code computes the same, to the bit.

Constants passed to inner functions are floats: numba would compile an inner function anew for every integer constant.
"""

from __future__ import annotations

from typing import Any, ClassVar

from numba import njit
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.core.typed_passes import (
    AnnotateTypes,
    IRLegalization,
    NativeLowering,
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


class Piece(JITCodeLibrary):  # type: ignore[misc]
    """Code that is linked into other code and never run by itself: nothing to link, optimise or assemble yet."""

    def finalize(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    @property
    def with_all_below(self) -> list[JITCodeLibrary]:
        return [self, *dict.fromkeys(self._linking_libraries)]


@register_pass(mutates_CFG=False, analysis_only=False)
class HandOver(LoweringPass):  # type: ignore[misc]
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


class Remembering:
    """A typing context that remembers what it found for built-in functions of the same types."""

    _found: ClassVar[dict[tuple[Any, Any], Any]] = {}

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        key = function, args
        if type(function) is not types.Function or kws:
            return self._context.resolve_function_type(function, args, kws)
        if key not in self._found:
            signature = self._context.resolve_function_type(function, args, kws)
            if signature is None or signature.recvr is not None:
                return signature
            self._found[key] = signature
        return self._found[key]


class PieceCompiler(Compiler):  # type: ignore[misc]
    """Numba's own passes, as far as loops over arrays and numbers need them."""

    PASSES = (
        TranslateByteCode, FixupArgs, IRProcessing, RewriteSemanticConstants, GenericRewrites, ReconstructSSA,
        NopythonTypeInference, PreLowerStripPhis, IRLegalization, AnnotateTypes, NativeLowering, HandOver,
        NoPythonBackend,
    )  # fmt: skip

    def define_pipelines(self) -> list[PassManager]:
        state = self.state
        state.library = Piece(state.targetctx.codegen(), state.func_id.func_qualname)
        state.typingctx = Remembering(state.typingctx)
        state.flags.no_compile = True
        manager = PassManager("piece")
        for each in self.PASSES:
            manager.add_pass(each, each.__name__)
        manager.finalize()
        return [manager]


inner: Any = njit(  # type: ignore[call-overload]
    no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy", pipeline_class=PieceCompiler
)
entry: Any = njit(cache=True, no_cfunc_wrapper=True, error_model="numpy")  # type: ignore[call-overload]
