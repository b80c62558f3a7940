"""How kernels are compiled, and why that does not take twice as long.

An `entry` is called from Python and kept in numba's cache. What it calls is an `inner` function, a piece that is linked
into the entries that use it. By itself numba would optimise and assemble every piece as if Python called it, and again
for each level above it, although only the entries' machine code is ever used; it would also run passes that serve
closures, array expressions and literal unrolling, and look up anew what each `+` of two floats means. A piece is
translated once and left to LLVM as part of its entries (see puppet.kernels.pieces). The machine code computes the same,
to the bit. What is large and part of many entries is an entry itself, which the others call `by_address`.

The piece compiler leans on the inside of numba. Where that has changed, plain numba compiles the pieces. So it
does with PUPPET_PIECES=0 in the environment.
"""

from __future__ import annotations

import functools
import inspect
import logging
import os
from typing import Any

from numba import njit
from numba.core import config, errors, types
from numba.extending import intrinsic

from puppet.kernels.arguments import types_of
from puppet.kernels.cache_folder import IN_TREE, kernel_folder

log = logging.getLogger("puppet")


def piece_options() -> dict[str, Any]:
    """The options by which numba uses the piece compiler; none where it cannot."""
    if os.environ.get("PUPPET_PIECES") == "0":
        return {}
    try:
        from puppet.kernels.pieces import CheckedPieceCompiler

        njit(pipeline_class=CheckedPieceCompiler)(lambda: None)  # type: ignore[call-overload]
    except Exception as error:  # whatever a numba that is made otherwise may raise
        log.debug("plain numba compiles the kernels: the piece compiler does not load", exc_info=error)
        return {}
    return {"pipeline_class": CheckedPieceCompiler}


_options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "error_model": "numpy", **piece_options()}
_piece: Any = njit(**_options)  # type: ignore[call-overload]
_inlined_piece: Any = njit(forceinline=True, **_options)  # type: ignore[call-overload]


def inner(function: Any) -> Any:
    """A piece of kernels. For numba a constant is of a type of its own, and a piece would be compiled for each integer
    that it is called with; so constants are taken as the integers that they are, and LLVM sees their values anyway."""
    return _with_plain_arguments(_piece(function))


def inlined(function: Any) -> Any:
    """A small piece that is called so often that the call itself would count, with the many words of each array."""
    return _with_plain_arguments(_inlined_piece(function))


def _with_plain_arguments(made: Any) -> Any:
    if hasattr(made, "get_call_template"):  # not where numba is told to compile nothing
        made.get_call_template = functools.partial(_without_constants, made.get_call_template)
    return made


def _without_constants(look_up: Any, args: Any, kws: Any) -> Any:
    return look_up(tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()})


def by_address(function: Any) -> Any:
    """How kernels call the entry of this name, whose result is a float: at its address, which Python gives them (see
    puppet.kernels.loader) and which comes before its arguments. So its code is compiled once, and not again as a part
    of each kernel that calls it."""
    settings: Any = config  # its attributes are made when it is loaded
    if settings.DISABLE_JIT:
        return lambda address, *arguments: function(*arguments)

    def call(typing: Any, address: Any, *arguments: Any) -> Any:
        if tuple(map(types.unliteral, arguments)) != types_of(function.py_func):
            raise errors.TypingError(f"{function.py_func.__name__} is called with other types: {arguments}")

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            kinds, convention = signature.args[1:], context.call_conv
            pointer = convention.get_function_type(signature.return_type, kinds).as_pointer()
            code = builder.inttoptr(values[0], pointer)
            return convention.call_function(builder, code, signature.return_type, kinds, values[1:])[1]

        return types.float64(address, *arguments), generate

    own, others = inspect.signature(call).parameters, inspect.signature(function.py_func).parameters
    named: Any = call
    named.__signature__ = inspect.Signature([own["typing"], own["address"], *others.values()])  # numba goes by that
    return intrinsic(named)


def address_of(made: Any) -> int:
    """Where the machine code of a compiled entry is."""
    if not hasattr(made, "overloads"):  # numba is told to compile nothing
        return 0
    (found,) = made.overloads.values()
    return int(found.library.get_pointer_to_function(found.fndesc.llvm_func_name))


def entry(function: Any) -> Any:
    """A kernel that Python calls, kept in puppet's folder for compiled kernels; other users of numba keep theirs."""
    folder = kernel_folder()
    settings: Any = config  # its attributes are made when it is loaded
    before, settings.CACHE_DIR = settings.CACHE_DIR, "" if folder in (None, IN_TREE) else str(folder)
    try:
        made: Any = njit(cache=folder is not None, no_cfunc_wrapper=True, error_model="numpy")  # type: ignore[call-overload]
        return made(function)
    finally:
        settings.CACHE_DIR = before
