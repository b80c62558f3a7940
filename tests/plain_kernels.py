"""The kernels as plain Python functions, to be called one by one: what numba would compile, uncompiled."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from types import ModuleType

from numba.core import config

import puppet.kernels

FOLDER = "puppet.kernels."


@cache
def plain(name: str) -> ModuleType:
    """The kernel module of this name with nothing compiled in it; the package goes on with what is."""
    compiled = {key: sys.modules.pop(key) for key in list(sys.modules) if key.startswith(FOLDER)}
    attributes = dict(vars(puppet.kernels))
    for key in compiled:
        vars(puppet.kernels).pop(key.removeprefix(FOLDER), None)
    before, config.DISABLE_JIT = config.DISABLE_JIT, 1
    try:
        return import_module(FOLDER + name)
    finally:
        config.DISABLE_JIT = before
        for key in [key for key in sys.modules if key.startswith(FOLDER)]:
            del sys.modules[key]
        sys.modules.update(compiled)
        vars(puppet.kernels).clear()
        vars(puppet.kernels).update(attributes)
