"""Hands that begin together, or beside others, turned about the vertical so that their arms have room.

Each goal was aimed at by itself (see puppet.stage.aiming) when its task was told. When it begins, the other arm and
the trunk are known: where arms would end in something, or do not get there together, hands are turned otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from puppet.geometry import Transform
from puppet.motion import DEPTH_TOLERANCE, posture_depth, scene_boxes
from puppet.scene import Scene
from puppet.stage.aiming import DEPTH_COST, LARGEST_YAW
from puppet.stage.goal_postures import Start
from puppet.stage.hand_postures import WRIST_COST, miss_weight
from puppet.stage.stances import StancePostures
from puppet.tasks import AtGesture, AtObject, AtSpace, Miss
from puppet.types import Floats

_TURNS = tuple(math.radians(angle) for angle in (0.0, -25.0, 25.0, -50.0, 50.0))  # inwards, from how it was aimed
_MOST = 16  # ways to turn hands that are tried
_ON_THE_WAY = (0.3, 0.5, 0.7, 0.85)  # shares of it, on which is looked
_WAY, _PASSABLE = 0.3, 0.01  # how much that counts, beside the end; what paths of hands will get around
_EASY = 0.05  # radians by which wrists may be bent more than before


@dataclass(frozen=True, eq=False)
class Goals:
    """What several motions ask of one body, and the posture in which they end."""

    starts: Sequence[Start]
    angles: Floats
    misses: Mapping[int, Miss]  # by task
    cleared: frozenset[int]  # joints of arms that nothing was asked of


def goals_with_room(
    postures: StancePostures, base: Floats, starts: Sequence[Start], scene: Scene, staged: Scene,
    things: Mapping[str, Transform], fixed: Collection[str],
) -> Goals:  # fmt: skip
    """As StancePostures.goals, with hands turned otherwise where that gives arms room. fixed: hands that stay as they
    were aimed."""
    tried = _Tries(postures, base, scene, staged, things)
    first = tried.goals(starts)
    free = [n for n, start in enumerate(starts) if isinstance(start.motion.goal, (AtObject, AtSpace))
            and start.motion.hand not in fixed and start.motion.hand not in start.poses]  # fmt: skip
    least = _Lack(tried, first)
    if not free or postures.solver == "estimate" or least.nothing:
        return first
    best, bent = first, least.bent + _EASY
    turns = sorted(product(_TURNS, repeat=len(free)), key=lambda turn: sum(map(abs, turn)))
    for turn in turns[1 : 1 + _MOST]:
        turned = list(starts)
        for n, by in zip(free, turn, strict=True):
            turned[n] = _turned(starts[n], by)
        found = tried.goals(turned)
        lack = _Lack(tried, found)
        if lack.cost < least.cost - 1e-9:
            best, least = found, lack
        if least.nothing and least.bent <= bent and least.way <= _PASSABLE:
            break
    return best


def _turned(start: Start, by: float) -> Start:
    goal = start.motion.goal
    assert isinstance(goal, (AtObject, AtSpace))
    yaw = min(max(goal.yaw + by, -LARGEST_YAW), LARGEST_YAW)
    return replace(start, motion=replace(start.motion, goal=replace(goal, yaw=yaw)))


@dataclass(frozen=True, eq=False)
class _Tries:
    postures: StancePostures
    base: Floats
    scene: Scene
    staged: Scene
    things: Mapping[str, Transform]

    def goals(self, starts: Sequence[Start]) -> Goals:
        return Goals(starts, *self.postures.goals(self.base, starts, self.scene, self.staged, self.things))

    def depth(self, found: Goals, share: float = 1.0) -> float:
        """How deep arms that get somewhere are in anything then, the other arm as well; or after a share of the way, if
        joints turned by themselves."""
        body, boxes, deepest = self.postures.inner.body, scene_boxes(self.staged), 0.0
        angles = self.base + share * (found.angles - self.base)
        for start in found.starts:
            if isinstance(start.motion.goal, (AtObject, AtSpace)):
                touched = start.motion.carried
                touched |= {start.motion.goal.object} if isinstance(start.motion.goal, AtObject) else set()
                own = posture_depth(body, boxes, self.things, angles, start.motion.hand, frozenset(touched))
                deepest = max(deepest, own)
        return deepest


class _Lack:
    """What is wrong with goals."""

    def __init__(self, tries: _Tries, found: Goals) -> None:
        body = tries.postures.inner.body
        self.depth = max(0.0, tries.depth(found) - DEPTH_TOLERANCE * body.height)
        arms = [start for start in found.starts if isinstance(start.motion.goal, (AtObject, AtSpace, AtGesture))]
        missed = [miss for miss in found.misses.values() if not miss.met] if len(arms) > 1 else []
        self.bent = sum(body.discomfort(body.limb(s.motion.hand).joints[-1], found.angles) for s in arms)
        self.way = max(tries.depth(found, share) for share in _ON_THE_WAY)
        self.nothing = self.depth == 0.0 and not missed
        lost = sum(10.0 + miss_weight(miss) for miss in missed)
        self.cost = lost + DEPTH_COST * (self.depth + _WAY * self.way) + WRIST_COST * self.bent
