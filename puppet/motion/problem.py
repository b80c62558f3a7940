"""What the hands and the eyes of a body do in the coming frames, and the frames that are found for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from puppet.body import Body
from puppet.command import DEFAULT_FPS
from puppet.geometry import Transform
from puppet.motion.carrying import Carrying
from puppet.motion.hand_path import HandPath
from puppet.motion.solids import SceneBoxes
from puppet.types import Floats


@dataclass(frozen=True, eq=False)
class HandCourse:
    """What a hand does in the coming frames: it goes along a path, or stays on a thing."""

    hand: str
    path: HandPath | None  # of the wrist; None where it holds something
    shares: Floats  # (frames,), how much of its path is behind it
    level: bool = False  # its orientation counts all along: it carries, or slides
    bendable: bool = False  # whether its path may be another one
    idle: bool = False  # it stays where it is because nothing is asked of it: about that its wrist is not so exact
    swing: Floats | float = 0.0  # radians, (frames,) or for all, by which the arm is swivelled more
    plain: float = 0.0  # how much of its way is that of joints that turn by themselves, from 0 to 1
    holds: str | None = None  # a thing that it stays on,
    held: Transform | None = None  # and where the wrist is on it
    touches: frozenset[str] = frozenset()  # things that it may touch at the end of its path
    outwards: float = 1.0  # the side of the body that it is on: 1 for +x, -1 for -x
    early: float = 0.0  # see Manner
    carries: bool = False  # whether it takes something along

    @property
    def takes(self) -> int:
        """The frames after which it has arrived."""
        return int(np.argmax(self.shares >= 1.0)) + 1

    @property
    def loose(self) -> bool:
        """Whether it may leave its path on the way: nothing is held or carried."""
        return self.path is not None and not self.level and not self.carries

    @property
    def strays(self) -> bool:
        """Whether it does not matter much that it leaves its path: it is loose, or nothing is asked of it."""
        return self.loose or (self.idle and not self.carries)


@dataclass(frozen=True, eq=False)
class Problem:
    """A body in a scene, what its joints would do by themselves, and which of them may do otherwise."""

    body: Body
    boxes: SceneBoxes
    things: Mapping[str, Transform]  # where things are now
    before: Floats  # (dofs,), a frame before the present; as the present where nothing moves
    references: Floats  # (frames + 1, dofs), the first is the present posture
    joints: frozenset[int]  # that serve
    trunk: frozenset[int]  # that may help where a hand could not hold what it holds
    hands: tuple[HandCourse, ...]  # those that hold something come last
    carrying: tuple[Carrying, ...]
    frame: int  # the present one
    clearance: float
    fps: float = DEFAULT_FPS

    @property
    def frames(self) -> int:
        return len(self.references) - 1


@dataclass(frozen=True, eq=False)
class Tried:
    """What is wrong with frames that are only tried."""

    off: Floats  # (frames, hands), how far each hand is from its course
    missing: Floats  # (frames, parts of arms + 1), of clearances
    depths: Floats  # (frames,)
    overs: Floats  # (frames, hands), by how much limits would be broken, radians


@dataclass(frozen=True, eq=False)
class Found:
    """Frames, and what is wrong with them."""

    postures: Floats  # (frames, dofs)
    off: Floats  # (frames, hands), how far each hand is from its course
    turned: Floats  # (frames, hands), by how much it is turned wrongly where that counts, radians
    missing: Floats  # (frames, parts of arms + 1), of clearances
    depths: Floats  # (frames,)
    overs: Floats  # (frames, hands), by how much limits would be broken, radians
    world: Floats | None = None  # (frames, joints, 12), where the joints are, if that is known
    tried: int = 1
    bad: float = 0.0  # what is wrong with them, as a length
    rough: float = 0.0  # by how much a velocity changes too abruptly, radians a frame
    hurried: bool = False  # whether something better would leap: there is too little time for it
    longer: float = 0.0  # by how much of its planned way a hand goes farther than that at most

    @property
    def depth(self) -> float:
        """How deep solids get on the way."""
        return float(self.depths.max(initial=0.0))
