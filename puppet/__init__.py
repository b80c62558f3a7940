"""Task-level puppet animation: write what a character should do, get the motion."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puppet.body import Body
    from puppet.clip import Clip
    from puppet.dynamics import filter_motion
    from puppet.errors import PuppetError
    from puppet.performance import Performance
    from puppet.posture import HandGoal, Posture, solve_posture
    from puppet.scene import Scene, Table
    from puppet.shows import run
    from puppet.solver import AngularMomentum, CentreOfMass, Figure, Function, Inertia
    from puppet.spaces import Angles, AnimationSpace, Inchworm, PartPlace
    from puppet.stage import Frame, Stage

__version__ = "0.1.0"
__all__ = [
    "Angles",
    "AngularMomentum",
    "AnimationSpace",
    "Body",
    "CentreOfMass",
    "Clip",
    "Figure",
    "Frame",
    "Function",
    "HandGoal",
    "Inchworm",
    "Inertia",
    "PartPlace",
    "Performance",
    "Posture",
    "PuppetError",
    "Scene",
    "Stage",
    "Table",
    "filter_motion",
    "run",
    "solve_posture",
]
# Where each name comes from. It is loaded when it is first asked for: the command line answers before numpy would be
# there.
_HOMES = {
    "Angles": "puppet.spaces",
    "AngularMomentum": "puppet.solver",
    "AnimationSpace": "puppet.spaces",
    "PartPlace": "puppet.spaces",
    "Inchworm": "puppet.spaces",
    "Inertia": "puppet.solver",
    "Function": "puppet.solver",
    "Figure": "puppet.solver",
    "CentreOfMass": "puppet.solver",
    "Body": "puppet.body",
    "Clip": "puppet.clip",
    "Frame": "puppet.stage",
    "HandGoal": "puppet.posture",
    "Performance": "puppet.performance",
    "Posture": "puppet.posture",
    "PuppetError": "puppet.errors",
    "Scene": "puppet.scene",
    "Stage": "puppet.stage",
    "Table": "puppet.scene",
    "filter_motion": "puppet.dynamics",
    "run": "puppet.shows",
    "solve_posture": "puppet.posture",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'puppet' has no attribute '{name}'")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
