"""How kernels are compiled, and why that does not take twice as long.

An `entry` is called from Python and kept in numba's cache. What it calls is an `inner` function, a piece that is linked
into the entries that use it. By itself numba would optimise and assemble every piece as if Python called it, and again
for each level above it, although only the entries' machine code is ever used; it would also run passes that serve
closures, array expressions and literal unrolling, and look up anew what each `+` of two floats means. A piece is
translated once and left to LLVM as part of its entries (see puppet.kernels.pieces). The machine code computes the same,
to the bit.

Constants passed to inner functions are floats: numba would compile an inner function anew for every integer constant.
"""

from __future__ import annotations

from typing import Any

from numba import njit

try:
    from puppet.kernels.pieces import PieceCompiler
except ImportError:  # a numba that is made otherwise: it all takes twice as long
    _translated = {}
else:
    _translated = {"pipeline_class": PieceCompiler}

inner: Any = njit(  # type: ignore[call-overload]
    no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy", **_translated
)
entry: Any = njit(cache=True, no_cfunc_wrapper=True, error_model="numpy")  # type: ignore[call-overload]
