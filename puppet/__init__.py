"""Task-level puppet animation: write what a character should do, get the motion."""

from puppet.body import Body
from puppet.errors import PuppetError

__all__ = ["Body", "PuppetError"]
