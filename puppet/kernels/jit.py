"""How kernels are compiled.

An `entry` is called from Python and kept in numba's cache; what it calls is an `inner` function, which is compiled into
it and needs neither a cache nor a Python wrapper, or is pasted in where it stands (`once`: for functions with a single
caller near the top, because numba compiles all that lies below a function again for each level above it). Constants
passed to inner functions are floats: numba would compile an inner function anew for every integer constant.
"""

from __future__ import annotations

from typing import Any

from numba import njit

inner: Any = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")  # type: ignore[call-overload]
once: Any = njit(inline="always", error_model="numpy")
entry: Any = njit(cache=True, no_cfunc_wrapper=True, error_model="numpy")  # type: ignore[call-overload]
