"""Public calls: an argument of a wrong type that makes a call fail is told as a PuppetError, by the call's annotations.

Nothing is checked as long as all goes well, so that calls cost no more than without.
"""

from __future__ import annotations

import builtins
import collections.abc
import dataclasses
import inspect
import math
import types
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, wraps
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from puppet.errors import PuppetError, visible

_P = ParamSpec("_P")
R = TypeVar("R")
C = TypeVar("C")
_ARRAYS = ("ArrayLike", "Floats", "Ints")  # annotations of what is, or becomes, an array of numbers
_LONGEST = 80  # letters of a value in a message


def public(function: Callable[_P, R]) -> Callable[_P, R]:
    """A function or a method that users call."""

    @wraps(function)
    def call(*arguments: _P.args, **named: _P.kwargs) -> R:
        try:
            return function(*arguments, **named)
        except PuppetError:
            raise
        except Exception:
            problem = _wrong_argument(function, arguments, named)
            if problem:
                raise PuppetError(problem) from None
            raise

    return call


def public_class(kind: type[C]) -> type[C]:
    """A class that users make and call: so are all its methods whose names begin with a letter."""
    for name, value in list(vars(kind).items()):
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(value, (staticmethod, classmethod)):
            setattr(kind, name, type(value)(public(value.__func__)))
        elif inspect.isfunction(value):
            setattr(kind, name, public(value))
        elif isinstance(value, property) and value.fset is not None:
            setattr(kind, name, value.setter(public(value.fset)))
    return kind


def short(value: object) -> str:
    """A value in a message."""
    try:
        text = visible(repr(value))
    except Exception:  # a value of someone else's that cannot say what it is
        text = f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def check_fields(value: Any) -> None:
    """Refuses a dataclass of which a field, or one of a dataclass in it, is not what its annotation says, or none of
    the words in its metadata; a tuple is just a tuple there."""
    for field, hint in _fields(value.__class__):
        found, words = getattr(value, field.name), field.metadata.get("one_of")
        if not _fits_exactly(found, hint) or (words is not None and found not in words):
            what = field.type if words is None else f"one of {', '.join(words)}"
            raise PuppetError(f"{type(value).__name__}: '{field.name}' is {what}, not {short(found)}")
        if dataclasses.is_dataclass(found):
            check_fields(found)


@lru_cache(maxsize=256)
def _fields(kind: Any) -> tuple[tuple[dataclasses.Field[Any], Any], ...]:
    hints = get_type_hints(kind)
    return tuple((field, hints[field.name]) for field in dataclasses.fields(kind))


def _fits_exactly(value: Any, hint: Any) -> bool:
    """As `_fits`, of what is kept, compared and looked up: arrays and lists are no tuples there."""
    origin, of = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits_exactly(value, part) for part in of)
    if origin is tuple:
        if not isinstance(value, tuple) or (Ellipsis not in of and len(value) != len(of)):
            return False
        kinds = [of[0]] * len(value) if Ellipsis in of else of
        return all(_fits_exactly(part, kind) for part, kind in zip(value, kinds, strict=True))
    return _fits(value, hint)


def _wrong_argument(function: Callable[..., Any], arguments: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """What is wrong with the first argument that does not fit its annotation; "" where all fit."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*arguments, **named).arguments
    except TypeError:
        return ""  # too few or too many: Python says so
    for name, value in given.items():
        parameter = signature.parameters[name]
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        hint = _resolved(parameter.annotation, function)
        if hint is not None and not _fits(value, hint):
            words = str(parameter.annotation).removesuffix(" = None")
            return f"{function.__qualname__.removesuffix('.__init__')}: '{name}' is {words}, not {short(value)}"
    return ""


def _resolved(annotation: object, function: Callable[..., Any]) -> Any:
    """What an annotation stands for; None where nothing is known."""
    import numpy as np
    from numpy.typing import NDArray

    if annotation is inspect.Parameter.empty:
        return None
    if not isinstance(annotation, str):
        return annotation
    known = {
        "np": np, "NDArray": NDArray, "Path": Path, "Callable": Callable, "Iterable": Iterable, "Mapping": Mapping,
        "Sequence": collections.abc.Sequence,
    }  # fmt: skip
    try:
        return eval(annotation, {}, _Names({**known, **function.__globals__, **dict.fromkeys(_ARRAYS, np.ndarray)}))
    except TypeError:  # an operator that one of them does not have
        return None


class _Names(dict[str, Any]):
    """What names in annotations stand for: anything, where one is imported for the type checker alone."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, as far as that can be seen without using it up."""
    import numpy as np

    if hint is Any:
        return True
    if hint is np.ndarray or get_origin(hint) is np.ndarray:
        return _is_array(value)
    origin, of = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, part) for part in of)
    if hint is None or hint is type(None):
        return value is None
    if hint is bool:
        return isinstance(value, (bool, np.bool_))
    if hint is int:
        return isinstance(value, Integral) and not isinstance(value, bool) and abs(int(value)) < 2**63
    if hint is float:
        return isinstance(value, Real) and not isinstance(value, bool) and _is_float(value)
    if origin is collections.abc.Callable or hint is Callable:
        return callable(value)
    if isinstance(origin, type) and issubclass(origin, tuple) and of and Ellipsis not in of:
        listed = isinstance(value, (tuple, list, np.ndarray)) and len(value) == len(of)
        return listed and all(_fits(part, kind) for part, kind in zip(value, of, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        pairs = isinstance(value, Mapping)
        return pairs and all(_fits(key, of[0]) and _fits(entry, of[1]) for key, entry in value.items())
    if isinstance(origin, type) and issubclass(origin, Iterable):
        if not isinstance(value, Iterable) or isinstance(value, (str, bytes)):
            return False
        return isinstance(value, collections.abc.Iterator) or all(_fits(part, of[0]) for part in value)
    return isinstance(value, hint) if isinstance(hint, type) else True


def _is_float(value: Any) -> bool:
    try:
        return math.isfinite(float(value)) or not isinstance(value, int)
    except OverflowError:
        return False


def _is_array(value: Any) -> bool:
    """Whether something is an array of numbers, or can become one."""
    import numpy as np

    try:
        found = np.asarray(value, dtype=np.float64)
    except Exception:  # also of someone else's that is no array after all
        return False
    return isinstance(value, (np.ndarray, list, tuple, Real)) and found.dtype == np.float64
