"""Public calls: an argument of a wrong type that makes a call fail is told as a PuppetError, by the call's annotations.

Nothing of a call is checked as long as all goes well, so that it costs no more than without. What is kept is checked as
it is made: the fields of a value, all that is in them, and whether they agree with each other.
"""

from __future__ import annotations

import builtins
import collections.abc
import dataclasses
import inspect
import math
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, wraps
from itertools import islice
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin

from puppet.errors import PuppetError, ReadOnlyError, visible

_P = ParamSpec("_P")
R = TypeVar("R")
C = TypeVar("C")
_ARRAYS = ("ArrayLike", "Floats", "Ints")  # annotations of what is, or becomes, an array of numbers
_LONGEST = 80  # letters of a value in a message
_MANY = 10_000  # parts of an argument that are looked at
_MOST = 1_000_000  # parts of an argument that may be an iterator without an end
_OF_WRONG_TYPES = (TypeError, ValueError, AttributeError)


def public(function: Callable[_P, R]) -> Callable[_P, R]:
    """A function or a method that users call."""

    @wraps(function)
    def call(*arguments: _P.args, **named: _P.kwargs) -> R:
        try:
            return function(*arguments, **named)
        except PuppetError:
            raise
        except Exception as error:
            problem = _wrong_argument(function, arguments, named, error)
            if problem:
                raise PuppetError(problem) from None
            raise

    return call


def public_class(kind: type[C]) -> type[C]:
    """A class that users make and call: so are all its methods whose names begin with a letter.

    The fields of a dataclass are what their annotations say, and `_agree`, where it has one, refuses what does not fit
    together. The public attributes that another class is annotated with are set once.
    """
    for name, value in list(vars(kind).items()):
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(value, (staticmethod, classmethod)):
            setattr(kind, name, type(value)(public(value.__func__)))
        elif inspect.isfunction(value):
            if name == "__init__" and dataclasses.is_dataclass(kind):
                value = _making(kind, value)
            setattr(kind, name, public(value))
        elif isinstance(value, property) and value.fset is not None:
            setattr(kind, name, value.setter(public(value.fset)))
    if not dataclasses.is_dataclass(kind):
        for name in vars(kind).get("__annotations__", ()):
            if not name.startswith("_") and name not in (*vars(kind), *vars(kind).get("__slots__", ())):
                setattr(kind, name, _SetOnce(name))
    _PUBLIC.add(kind)
    return kind


_PUBLIC: set[type] = set()  # what is checked as it is made
_PLAIN = frozenset({int, float, str, bool, type(None)})


def _making(kind: type, make: Callable[..., None]) -> Callable[..., None]:
    """How a dataclass is made."""

    @wraps(make)
    def initialise(self: Any, *arguments: Any, **named: Any) -> None:
        make(self, *arguments, **named)
        if type(self) is kind:  # else its own class says when it is made
            check_fields(self)
            if hasattr(self, "_agree"):
                self._agree()

    return initialise


class _SetOnce:
    """A public attribute that is set as its object is made. It is read as any other: there is no __get__."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __set__(self, owner: Any, value: object) -> None:
        if self.name in vars(owner):
            raise ReadOnlyError(f"'{self.name}' of a {type(owner).__name__} does not change")
        vars(owner)[self.name] = value


def short(value: object) -> str:
    """A value in a message, in one line."""
    try:
        text = visible(" ".join(repr(value).split()))
    except Exception:  # a value of someone else's that cannot say what it is
        text = f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def listed(values: Iterable[R], kinds: type | tuple[type, ...]) -> tuple[R, ...]:
    """The parts of an argument, each of some kinds, where it may be something without an end."""
    found = []
    for value in islice(values, _MOST + 1):
        if not isinstance(value, kinds):
            raise TypeError(f"{short(value)} is of another kind")
        found.append(value)
    if len(found) > _MOST:
        raise PuppetError(f"{short(values)}: there may be {_MOST:,} of them at most")
    return tuple(found)


def check_fields(value: Any) -> None:
    """Refuses a dataclass of which a field is not what its annotation says, or none of the words in its metadata; a
    tuple is just a tuple there. So for the dataclasses in it, but for those that were checked as they were made."""
    for field, fits, deep in _fields(value.__class__):
        found, words = getattr(value, field.name), field.metadata.get("one_of")
        if not fits(found) or (words is not None and found not in words):
            what = field.type if words is None else f"one of {', '.join(words)}"
            raise PuppetError(f"{type(value).__name__}: '{field.name}' is {what}, not {short(found)}")
        if deep:
            _check_parts(found)


def _check_parts(value: Any) -> None:
    kind = value.__class__
    if kind in _PUBLIC or kind in _PLAIN:
        return
    if issubclass(kind, tuple):
        for part in value:
            _check_parts(part)
    elif issubclass(kind, Mapping):
        for part in value.values():
            _check_parts(part)
    elif dataclasses.is_dataclass(kind):
        check_fields(value)


@lru_cache(maxsize=256)
def _fields(kind: Any) -> tuple[tuple[dataclasses.Field[Any], Callable[[Any], bool], bool], ...]:
    """Each field, what tells whether a value is of its type, and whether there may be something unchecked in that."""
    homes = {name: base for base in reversed(kind.__mro__) for name in vars(base).get("__annotations__", ())}
    known = {name: vars(sys.modules[base.__module__]) for name, base in homes.items()}
    hints = [(field, _resolved(field.type, known[field.name])) for field in dataclasses.fields(kind)]
    return tuple((field, _exactly(hint), _is_open(hint)) for field, hint in hints)


def _is_open(hint: Any) -> bool:
    """Whether what is of a type may have dataclasses in it that were not checked as they were made."""
    of = get_args(hint)
    return any(map(_is_open, of)) if of else hint not in _PUBLIC and hint not in _PLAIN and hint is not Ellipsis


def _exactly(hint: Any) -> Callable[[Any], bool]:
    """As `_fits`, of what is kept, compared and looked up: arrays and lists are no tuples there, nor lists arrays."""
    import numpy as np

    origin, of = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        one, *others = map(_exactly, of)
        return lambda value: one(value) or any(fits(value) for fits in others)
    if hint is np.ndarray or origin is np.ndarray:
        return lambda value: isinstance(value, np.ndarray) and value.dtype.kind in "fi"
    if origin is tuple:
        parts = [_exactly(part) for part in of if part is not Ellipsis]
        if Ellipsis in of:
            return lambda value: isinstance(value, tuple) and all(map(parts[0], value))
        return lambda value: (
            isinstance(value, tuple) and len(value) == len(parts)
            and all(fits(part) for fits, part in zip(parts, value, strict=True))
        )  # fmt: skip
    if origin is collections.abc.Sequence:
        part = _exactly(of[0])
        return lambda value: isinstance(value, collections.abc.Sequence) and all(map(part, value))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        key, entry = map(_exactly, of)
        return lambda value: (
            isinstance(value, Mapping) and all(map(key, value)) and all(map(entry, value.values()))
        )  # fmt: skip
    if isinstance(hint, type) and hint not in (Any, bool, int, float):
        return lambda value: isinstance(value, hint)
    if hint in (bool, float):
        return lambda value: value.__class__ is hint or _fits(value, hint)
    return lambda value: _fits(value, hint)


def _wrong_argument(
    function: Callable[..., Any], arguments: tuple[Any, ...], named: Mapping[str, Any], error: Exception
) -> str:
    """What is wrong with the first argument that does not fit its annotation; "" where all fit. An iterator has been
    used up: the error tells whether what it gave was right."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*arguments, **named).arguments
    except TypeError:
        return ""  # too few or too many: Python says so
    for name, value in given.items():
        parameter = signature.parameters[name]
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        hint = _resolved(parameter.annotation, inspect.unwrap(function).__globals__)
        wrong = isinstance(value, collections.abc.Iterator) and isinstance(error, _OF_WRONG_TYPES)
        if hint is not None and (wrong or not _fits(value, hint)):
            words = str(parameter.annotation).removesuffix(" = None")
            return f"{function.__qualname__.removesuffix('.__init__')}: '{name}' is {words}, not {short(value)}"
        try:
            _check_parts(value)
        except PuppetError as error:
            return str(error)
    return ""


def _resolved(annotation: object, names: Mapping[str, Any]) -> Any:
    """What an annotation stands for, by the names of its module; None where nothing is known."""
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
        return eval(annotation, {}, _Names({**known, **names, **dict.fromkeys(_ARRAYS, np.ndarray)}))
    except TypeError:  # an operator that one of them does not have
        return Any


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
        listed = isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.ndim > 0)
        return listed and len(value) == len(of) and all(_fits(part, kind) for part, kind in zip(value, of, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        pairs = isinstance(value, Mapping)
        return pairs and all(_fits(key, of[0]) and _fits(entry, of[1]) for key, entry in value.items())
    if isinstance(origin, type) and issubclass(origin, Iterable):
        if not isinstance(value, Iterable) or isinstance(value, (str, bytes)):
            return False
        return isinstance(value, collections.abc.Iterator) or _parts_fit(value, of[0])
    return isinstance(value, hint) if isinstance(hint, type) else True


def _parts_fit(value: Iterable[Any], hint: Any) -> bool:
    try:
        return all(_fits(part, hint) for part in islice(value, _MANY))
    except Exception:  # there is nothing in it after all, as in an array without axes
        return False


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
