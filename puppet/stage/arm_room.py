"""Hands that begin together, or beside others, turned about the vertical so that their arms have room.

Each goal was aimed at by itself (see puppet.stage.aiming) when its task was told. When it begins, the other arm and
the trunk are known: where arms would end in something, or do not get there together, hands are turned otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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
_EASY, _HARDLY = 0.05, 1e-3  # radians by which wrists may be bent more than before; where there is a choice
_OTHER_WAYS = tuple(math.radians(angle) for angle in (-20.0, 20.0, -40.0, 40.0))  # for ways that are less roundabout


@dataclass(frozen=True, eq=False)
class Goals:
    """What several motions ask of one body, and the posture in which they end."""

    starts: Sequence[Start]
    angles: Floats
    misses: Mapping[int, Miss]  # by task
    cleared: frozenset[int]  # joints of arms that nothing was asked of
    crowded: bool = False  # whether arms are in something, or each other


def goals_with_room(
    postures: StancePostures, base: Floats, starts: Sequence[Start], scene: Scene, staged: Scene,
    things: Mapping[str, Transform], fixed: Collection[str],
) -> Goals:  # fmt: skip
    """As StancePostures.goals, with hands turned otherwise where that gives arms room. fixed: hands that stay as they
    were aimed."""
    tried = _Tries(postures, base, scene, staged, things)
    first, free = tried.goals(starts), _free(starts, fixed)
    if not free or postures.solver == "estimate" or (least := _Lack(tried, first)).nothing:
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
    return replace(best, crowded=least.depth > 0.0)


def goals_turned(
    postures: StancePostures, base: Floats, found: Goals, scene: Scene, staged: Scene, things: Mapping[str, Transform],
    fixed: Collection[str],
) -> Iterator[Goals]:  # fmt: skip
    """The same goals with a single hand, which carries nothing, turned otherwise: all that are as good."""
    free = _free(found.starts, fixed)
    motion = found.starts[0].motion
    if len(found.starts) != 1 or not free or motion.carry or motion.regrips or postures.solver == "estimate":
        return
    tried = _Tries(postures, base, scene, staged, things)
    bent = _Lack(tried, found).bent + _HARDLY
    for by in _OTHER_WAYS:
        other = tried.goals([_turned(found.starts[0], by)])
        lack = _Lack(tried, other)
        if lack.depth == 0.0 and lack.bent <= bent and all(miss.met for miss in other.misses.values()):
            yield other


def _free(starts: Sequence[Start], fixed: Collection[str]) -> list[int]:
    """The numbers of those whose hands may be turned otherwise."""
    return [n for n, start in enumerate(starts) if isinstance(start.motion.goal, (AtObject, AtSpace))
            and start.complete and start.motion.hand not in fixed and start.motion.hand not in start.poses]  # fmt: skip


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
        self._tries, self._found, self._body = tries, found, tries.postures.inner.body
        arms = [s for s in found.starts if isinstance(s.motion.goal, (AtObject, AtSpace, AtGesture))]
        self._hands = [start.motion.hand for start in arms]
        complete = [start.motion.task for start in arms if start.complete]
        self._missed = [found.misses[task] for task in complete if not found.misses[task].met]
        self.depth = max(0.0, tries.depth(found) - DEPTH_TOLERANCE * self._body.height)
        # a single one was aimed by itself as well as can be
        self.nothing = self.depth == 0.0 and (not self._missed or len(complete) < 2)

    @cached_property
    def way(self) -> float:
        """How deep arms would get into anything on the way."""
        return max(self._tries.depth(self._found, share) for share in _ON_THE_WAY)

    @cached_property
    def bent(self) -> float:
        """By how many radians wrists are bent beyond what is comfortable."""
        joints = [self._body.limb(hand).joints[-1] for hand in self._hands]
        return sum(self._body.discomfort(joint, self._found.angles) for joint in joints)

    @cached_property
    def cost(self) -> float:
        lost = sum(10.0 + miss_weight(miss) for miss in self._missed)
        return lost + DEPTH_COST * (self.depth + _WAY * self.way) + WRIST_COST * self.bent
