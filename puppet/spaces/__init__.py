"""Functions of a posture to be driven and loops to be closed in, from Python or from a file of an animation space
(NAME.space.yaml), the motion that forces can cause out."""

from __future__ import annotations

from puppet.spaces.coordinates import Angles, PartPlace
from puppet.spaces.crawling import Inchworm
from puppet.spaces.run_space import run_space
from puppet.spaces.space import AnimationSpace
from puppet.spaces.space_file import SPACE_ENDING, read_space

__all__ = ["SPACE_ENDING", "Angles", "AnimationSpace", "Inchworm", "PartPlace", "read_space", "run_space"]
