"""Timing curves of motions: functions f with f(0) = 0, f(1) = 1 and values in [0, 1] (Section 4.5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np

from puppet.errors import PuppetError, did_you_mean
from puppet.geometry import minimum_jerk
from puppet.types import Floats, Ints

Curve = Callable[[Floats], Floats]


def _sine(u: Floats) -> Floats:
    return np.asarray(0.5 - 0.5 * np.cos(math.pi * u))


def _accelerate(u: Floats) -> Floats:
    return u * u


def _decelerate(u: Floats) -> Floats:
    return np.sqrt(u)


def _linear(u: Floats) -> Floats:
    return u


def coasting(steps: Ints, frames: float | Floats) -> Floats:
    """How far something that has a velocity of 1 a frame gets in some steps while it comes to rest, smoothly, where it
    was: T (t - 6 t^3 + 8 t^4 - 3 t^5) in T frames."""
    t = np.minimum(steps / frames, 1.0)
    return np.asarray(frames * (t - t**3 * (6.0 - t * (8.0 - 3.0 * t))))


CURVE_FUNCTIONS: Mapping[str, Curve] = {
    "sine": _sine,  # func1 of Table 7.1
    "accelerate": _accelerate,  # func2: velocity grows linearly
    "decelerate": _decelerate,  # func3: fast at first, then slower and slower
    "linear": _linear,
    "smooth": minimum_jerk,
}


ABRUPT = ("accelerate", "decelerate", "linear")  # curves that begin or end in full motion
_EASE = 0.2  # share of the time in which these come to their speed, or to rest
_FINE = np.linspace(0.0, 1.0, 2001)


def progress(curve: str, frames: int) -> Floats:
    """The share of a motion that is done after each of `frames` steps, (frames,); the last is exactly 1.

    A curve that would begin or end in full motion comes to its speed and to rest smoothly.
    """
    if curve not in CURVE_FUNCTIONS:
        raise PuppetError(f"unknown curve '{curve}'; {did_you_mean(curve, CURVE_FUNCTIONS)}")
    time = np.arange(1, frames + 1) / frames
    done = np.interp(time, _FINE, _eased(curve)) if curve in ABRUPT else CURVE_FUNCTIONS[curve](time)
    share = np.clip(done, 0.0, 1.0)
    share[-1] = 1.0
    return np.asarray(share)


@cache
def _eased(curve: str) -> Floats:
    """An abrupt curve with its velocity taken from nothing at both ends, on a fine grid."""
    middle = 0.5 * (_FINE[1:] + _FINE[:-1])
    near = np.clip(np.minimum(middle, 1.0 - middle) / _EASE, 0.0, 1.0)
    steps = np.diff(CURVE_FUNCTIONS[curve](_FINE)) * near * near * (3.0 - 2.0 * near)
    found = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(found / found[-1])
