"""Task-level puppet animation: write what a character should do, get the motion."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puppet.body import Body
    from puppet.errors import PuppetError
    from puppet.goal import HandGoal
    from puppet.performance import Performance
    from puppet.posture import Posture, solve_posture
    from puppet.run import run
    from puppet.scene import Scene
    from puppet.stage import Stage
    from puppet.state import Frame
    from puppet.table import Table

__version__ = "0.1.0"
__all__ = [
    "Body",
    "Frame",
    "HandGoal",
    "Performance",
    "Posture",
    "PuppetError",
    "Scene",
    "Stage",
    "Table",
    "run",
    "solve_posture",
]
# Where each name comes from. It is loaded when it is first asked for: the command line answers before numpy would be
# there.
_HOMES = {
    "Body": "puppet.body",
    "Frame": "puppet.state",
    "HandGoal": "puppet.goal",
    "Performance": "puppet.performance",
    "Posture": "puppet.posture",
    "PuppetError": "puppet.errors",
    "Scene": "puppet.scene",
    "Stage": "puppet.stage",
    "Table": "puppet.table",
    "run": "puppet.run",
    "solve_posture": "puppet.posture",
}


class _Package(ModuleType):
    """`puppet.run` is the function: loading the module of that name must not take its place."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name == "run" and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'puppet' has no attribute '{name}'")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
