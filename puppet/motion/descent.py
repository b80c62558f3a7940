"""Paths of hands that are bent by as little as what is solid asks for, by damped least squares.

cost = sum over frames and parts of (missing clearance / LACK_UNIT)^2 + (bends / BEND_UNIT)^2 + (swing / SWING_UNIT)^2
       + (broken limits / OVER_UNIT)^2 + (too far / SHORT_UNIT)^2

Of arms in closed form all of that is compiled (see puppet.kernels.path_descent).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from puppet.body import joint_transforms
from puppet.geometry import axis_rotations
from puppet.kernels.descent_model import (
    BEND_UNIT,
    BENDS,
    DAMPINGS,
    DEEP,
    DESCENT_ROUNDS,
    ENOUGH_CLEAR,
    HARDLY_LESS,
    KIND_FARTHEST,
    KIND_STEP,
    KIND_UNIT,
    LACK_UNIT,
    OFF_COURSE,
    OVER_UNIT,
    SHORT_UNIT,
    SHORTFALL,
    SWING_UNIT,
)
from puppet.kernels.loader import kernels
from puppet.kernels.solid_model import PARTS
from puppet.motion.arm_frames import ArmFrames, middle
from puppet.motion.hand_path import UP
from puppet.motion.limb_frames import LimbFrames
from puppet.motion.problem import HandCourse, Problem
from puppet.types import Flags, Floats, Ints

_SAMPLES = 9  # frames in which a path is tried
_STEP_BEND, _STEP_SWING = 2e-3, 0.02  # by which slopes are measured
_FARTHEST, _WIDEST = 0.08, 0.5  # of one step
_DAMPINGS = np.array(DAMPINGS)
# How far the two bends of a path are moved where that seems to be all that is needed: a hand comes out of one grip, and
# into another, with the back of its hand first, or is lifted.
_APPROACHES = (0.015, 0.035, 0.065)
_UPWARDS = 0.9  # the back of a hand that faces up more than this is up
_AT_ONCE, _MOST = 8, 16  # tries in one go, and in all
# Bends and swings of a left arm with which a search begins anew: higher, aside, back or ahead, early or late.
_STARTS = np.array([
    [first * x, first * y, first * z, last * x, last * y, last * z, swing]
    for y in (0.0, 0.06, 0.13, 0.22)
    for x, z in ((0.0, 0.0), (0.1, 0.0), (-0.08, 0.0), (0.0, -0.1), (0.0, 0.08), (0.08, -0.08))
    for first, last, swing in ((1.0, 1.0, 0.0), (1.3, 0.4, 0.0), (0.4, 1.3, 0.0), (1.0, 1.0, -0.6), (1.0, 1.0, 0.6))
    if (x == z == 0.0 and y > 0.0) or (y in (0.06, 0.13) and swing == 0.0)
])  # fmt: skip
_ANEW, _UNLIKE = 6, 0.7  # searches that begin elsewhere where one has failed, and how much their beginnings differ


@dataclass
class Search:
    """Hands on other paths. like: what was found before, where the paths are the very same."""

    hands: tuple[HandCourse, ...]
    tried: int
    like: Search | None = None
    depths: Floats = field(init=False)  # (frames,), once the frames are made


def _approaches(hand: HandCourse) -> Floats:
    """What the two bends of a hand's path may be moved by, (tries, BENDS), the shortest paths first."""
    assert hand.path is not None
    ends = []
    for at in (hand.path.start, hand.path.goal):
        ways = [UP, at.rotation[:, 1]] if at.rotation[1, 1] < _UPWARDS else [UP]
        ends.append([np.zeros(3), *(far * way for way in ways for far in _APPROACHES)])
    moves = np.array([[first, last] for first in ends[0] for last in ends[1]][1:])
    line = hand.path.line / max(hand.path.distance, 1e-9)
    bends = hand.path.bends + moves
    bends = bends - (bends @ line)[:, :, None] * line
    longer = (bends * bends).sum(axis=(1, 2)) + 0.5 * (bends[:, 0] * bends[:, 1]).sum(axis=1)
    return np.asarray(moves.reshape(-1, BENDS)[longer.argsort(kind="stable")[:_MOST]])


class Descent:
    """Damped least squares over the bends of paths and the swings of elbows."""

    def __init__(self, problem: Problem, frames: ArmFrames | LimbFrames, hands: tuple[HandCourse, ...]) -> None:
        self.frames, self.begin = frames, hands
        self.rows = np.unique(np.round(np.linspace(0, problem.frames - 1, _SAMPLES)).astype(int))
        swings = isinstance(frames, ArmFrames)
        self.moves = np.concatenate([[hand.bendable] * BENDS + [swings] for hand in hands])
        self.kinds = np.array([[BEND_UNIT, _STEP_BEND, _FARTHEST]] * BENDS + [[SWING_UNIT, _STEP_SWING, _WIDEST]])
        mirrored = np.array([-1.0, 1.0, 1.0, -1.0, 1.0, 1.0, -1.0])  # what is across, and swings
        self.kinds = np.tile(self.kinds, (len(hands), 1))
        sides = [mirrored if hand.outwards < 0.0 else np.ones(BENDS + 1) for hand in hands]
        self.kinds[:, KIND_STEP] *= np.concatenate(sides)
        self.scale = self.kinds[:, KIND_UNIT]
        self.size, self.parts = len(self.scale), PARTS * len(hands)
        root = joint_transforms(problem.body, problem.references[0])[0]
        self.facing = axis_rotations(1, np.array([math.atan2(root[5], root[11])]))[0]
        self._others: list[Floats] = []

    def look_at_worst(self, depths: Floats) -> None:
        """Has the deepest of all frames, and those beside it, looked at too from now on. depths (frames,)."""
        count, worst = len(depths), int(depths.argmax())
        near = np.clip(np.arange(worst - 1, worst + 2), 0, count - 1)
        self.rows = np.unique(np.concatenate([self.rows, near]))

    def hands(self, x: Floats) -> tuple[HandCourse, ...]:
        hands = list(self.begin)
        for n, hand in enumerate(hands):
            own = x[n * (BENDS + 1) : (n + 1) * (BENDS + 1)]
            path = hand.path.bent(own[:BENDS].reshape(2, 3)) if hand.path is not None else None
            hands[n] = replace(hand, path=path, swing=hand.swing + middle(hand.shares) * own[BENDS])
        return tuple(hands)

    def residuals(self, x: Floats, active: Flags | None = None, only: int | None = None) -> tuple[Floats, Floats]:
        """For several (n, size): what is to be made small, (n, residuals), and how bad each is. active (rows,): the
        frames in which clearances are looked at. only: the hand of which they are, where the others stay the same."""
        count = len(x)
        own = x.reshape(count, -1, BENDS + 1)
        looked_at = None if active is None else np.tile(active, count)
        bends = own[:, :, :BENDS].reshape(count, -1, 2, 3)
        limbs = cast(LimbFrames, self.frames)  # arms in closed form have a search of their own
        found = limbs.tried(self.begin, self.rows, bends, own[:, :, BENDS], looked_at, only)
        share = 1.0 / np.sqrt(len(self.rows))
        parts = [
            share / LACK_UNIT * found.missing[:, :-1], share / OVER_UNIT * found.overs,
            share / SHORT_UNIT * np.maximum(found.off - OFF_COURSE, 0.0),
        ]  # fmt: skip
        deep = np.maximum(found.depths - DEEP, 0.0).reshape(count, -1).max(axis=1)
        lack = np.maximum(found.missing[:, :-1] - SHORTFALL, 0.0).reshape(count, -1).max(axis=1)
        rest = (x / self.scale)[:, self.moves]
        return np.concatenate([*(part.reshape(count, -1) for part in parts), rest], axis=1), deep + lack

    def approaching(self, x: Floats) -> Iterator[Search]:
        """Paths whose ends are bent a little up, or towards the backs of hands, the shortest first, that seem to be
        clear."""
        ways = [_approaches(hand) if hand.bendable else np.zeros((1, BENDS)) for hand in self.begin]
        trials = np.tile(x, (max(len(own) for own in ways), 1))
        for n, own in enumerate(ways):
            k = n * (BENDS + 1)
            trials[:, k : k + BENDS] += own[np.minimum(np.arange(len(trials)), len(own) - 1)]
        lacking = self._lacking(self.residuals(x[None])[0][0])
        for k in range(0, len(trials), _AT_ONCE):
            some = trials[k : k + _AT_ONCE]
            if lacking.any():  # where x itself is not clear, most of them are not either
                clear = some[self.residuals(some, lacking)[1] <= 0.0]
                clear = clear[self.residuals(clear)[1] <= 0.0] if len(clear) else clear
            else:
                clear = some[self.residuals(some)[1] <= 0.0]
            for trial in clear:
                yield Search(self.hands(trial), len(some))

    def straight(self) -> Floats:
        """What makes all paths straight."""
        bends = [np.zeros((2, 3)) if hand.path is None else hand.path.bends for hand in self.begin]
        return -np.concatenate([[*own.ravel(), 0.0] for own in bends])

    def promising(self) -> Floats:
        """Where a search may begin: for one hand after the other, the best of paths that go over, around or before what
        is in the way."""
        found = np.zeros(self.size)
        for n, hand in enumerate(self.begin):
            if not hand.bendable:
                continue
            k = n * (BENDS + 1)
            trials = np.tile(found, (len(_STARTS), 1))
            trials[:, k : k + BENDS + 1] = _STARTS
            trials[:, [k, k + 3, k + BENDS]] *= hand.outwards
            for bend in (k, k + 3):  # as the body sees it
                trials[:, bend : bend + 3] = trials[:, bend : bend + 3] @ self.facing.T
            rows, _ = self.residuals(trials, only=n)
            order = (rows * rows).sum(axis=1).argsort(kind="stable")
            found = trials[order[0]]
            self._others += [trials[m] for m in order[1:]]
        return found

    def others(self) -> Iterator[Floats]:
        """Further places where a search may begin, unlike each other, the most promising first."""
        taken: list[Floats] = []
        for x in self._others:
            if len(taken) == _ANEW:
                return
            if all(np.abs((x - other) / self.scale).max() > _UNLIKE for other in taken):
                taken.append(x)
                yield x

    def _lacking(self, r: Floats) -> Flags:
        """(rows,): in which frames clearances are missing."""
        return np.asarray((r[: len(self.rows) * self.parts].reshape(len(self.rows), -1) > 0.0).any(axis=1))

    def _moving(self, x: Floats, r: Floats) -> tuple[Ints, int | None]:
        """Which numbers of x are worth changing: those of hands with which something is wrong, or that are moved; and
        which hand that is, if it is one alone: the others are clear of all that does not move."""
        rows, hands = len(self.rows), len(self.begin)
        lacking = (r[: rows * self.parts].reshape(rows, hands, -1) > 0.0).any(axis=(0, 2))
        off = (r[rows * self.parts :][: 2 * rows * hands].reshape(-1, hands) > 0.0).any(axis=0)
        concerned = lacking | off | x.reshape(hands, -1).any(axis=1)
        own = np.flatnonzero(concerned)
        return np.flatnonzero(self.moves & np.repeat(concerned, BENDS + 1)), int(own[0]) if len(own) == 1 else None

    def further(self, found: Search, x: Floats) -> tuple[Search, Floats]:
        """As `down`, from what a search has found, now that more frames are looked at."""
        search, bends = self.down(x)
        if np.array_equal(bends, x):
            search.like = found
        return search, bends

    def down(self, x: Floats) -> tuple[Search, Floats]:
        """The hands with the least cost that is found from here on, and what their paths are bent by."""
        x, tried = np.where(self.moves, x, 0.0), 0
        (r,), bad = self.residuals(x[None])
        for _ in range(DESCENT_ROUNDS):
            cost, (moves, only) = float(r @ r), self._moving(x, r)
            tried += 1
            if (bad[0] <= 0.0 and cost < ENOUGH_CLEAR) or not len(moves):
                break
            kinds, steps = self.kinds[moves], np.zeros((len(moves), self.size))
            steps[np.arange(len(moves)), moves] = kinds[:, KIND_STEP]
            rows, _ = self.residuals(x + steps, self._lacking(r), only)  # what is clear stays so
            tried += len(rows)
            scaled = (rows - r) * (kinds[:, KIND_UNIT] / kinds[:, KIND_STEP])[:, None]  # (moves, residuals)
            normal, slope = scaled @ scaled.T, scaled @ r
            damped = normal + _DAMPINGS[:, None, None] * np.eye(len(moves))
            slopes = np.tile(slope, (len(_DAMPINGS), 1))
            by = -np.linalg.solve(damped, slopes[:, :, None])[:, :, 0] * kinds[:, KIND_UNIT]
            by *= np.minimum(1.0, (kinds[:, KIND_FARTHEST] / np.maximum(np.abs(by), 1e-12)).min(axis=1))[:, None]
            others = np.tile(x, (len(_DAMPINGS), 1))
            others[:, moves] += by
            rows, bad = self.residuals(others, only=only)
            tried += len(rows)
            costs = (rows * rows).sum(axis=1)
            best = int(costs.argmin())
            if costs[best] > HARDLY_LESS * cost:
                break
            x, r, bad = others[best], rows[best], bad[best : best + 1]
        return Search(self.hands(x), tried), x


class ArmDescent(Descent):
    """The same of arms in closed form, compiled."""

    def __init__(self, problem: Problem, frames: ArmFrames, hands: tuple[HandCourse, ...]) -> None:
        super().__init__(problem, frames, hands)
        self._arms, self._known = frames, self.rows[:0]

    def _bending(self) -> tuple[Any, ...]:
        """What the kernels have to know, for the frames that are looked at."""
        if self._known is not self.rows:
            self._known, self._tables = self.rows, self._arms.bending(self.begin, self.rows)
        return self._tables

    def residuals(self, x: Floats, active: Flags | None = None, only: int | None = None) -> tuple[Floats, Floats]:
        length = len(self.rows) * (self.parts + 2 * len(self.begin)) + int(self.moves.sum())
        rows, faults = np.empty((len(x), length)), np.empty(len(x))
        looked_at = np.ones(len(self.rows), dtype=bool) if active is None else active
        kernels().path_tries(
            *self._bending(), looked_at, self.moves, -1 if only is None else only, np.ascontiguousarray(x), rows, faults
        )
        return rows, faults

    def down(self, x: Floats) -> tuple[Search, Floats]:
        x, everything = np.where(self.moves, x, 0.0), np.ones(len(self.rows), dtype=bool)
        compiled = kernels()
        tried = compiled.path_descent(compiled.trying, *self._bending(), everything, self.moves, self.kinds, x)
        return Search(self.hands(x), tried), x


def descent_of(problem: Problem, frames: ArmFrames | LimbFrames, hands: tuple[HandCourse, ...]) -> Descent:
    """A search over the paths of hands."""
    return (ArmDescent if isinstance(frames, ArmFrames) else Descent)(problem, frames, hands)  # type: ignore[arg-type]
