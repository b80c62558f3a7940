"""Task-level puppet animation: write what a character should do, get the motion."""

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
