"""Functions of a posture to be driven and loops to be closed in, the motion that forces can cause out."""

from __future__ import annotations

from puppet.spaces.coordinates import Angles, Place
from puppet.spaces.space import AnimationSpace

__all__ = ["Angles", "AnimationSpace", "Place"]
