"""Reading long files without looks for garbage in between."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def uncollected(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function during which Python does not look for garbage that refers to itself: it makes very many small objects
    that stay, and each look, of which there would be many, goes through all of them."""

    @wraps(function)
    def inner(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if not gc.isenabled():
            return function(*args, **kwargs)
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            gc.enable()

    return inner
