"""Task-level puppet animation: write what a character should do, get the motion."""

from puppet.body import Body
from puppet.errors import PuppetError
from puppet.goal import HandGoal
from puppet.posture import Posture, solve_posture
from puppet.scene import Scene
from puppet.table import Table

__all__ = ["Body", "HandGoal", "Posture", "PuppetError", "Scene", "Table", "solve_posture"]
