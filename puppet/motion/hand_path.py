"""The path of a hand in space: a curve that is bent by as little as obstacles need, and how long people take for it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from puppet.command import DEFAULT_FPS
from puppet.geometry import Transform, Transforms, minimum_jerk, rotation_vectors
from puppet.types import Floats

# How far the path of a hand that nothing stands in is bent, as people's are, in shares of its length: towards its own
# side, ahead, and up. Only what is at a right angle to the straight line counts, and sideways it is no less than LEAST.
BOW, EVEN_BOW = (0.12, 0.01, 0.1), (0.16, 0.02, 0.08)  # outwards, up, ahead; of single strokes, and of all others
_LEAST_BOW = 0.09
# People's strokes are not all alike: the peak of speed is earlier for small goals, and peak, tails and bends differ
# from one way to another. What a way is like follows from where it leads, and is the same for both hands.
_EARLY, _EARLY_BY_SIZE, _EARLY_SPREAD = 0.13, 0.05, 0.3  # twice the share of the time by which the middle is earlier
_SHARP, _SHARP_SPREAD = -0.06, 0.45
_SHARP_BY_EARLY, _SHARP_BY_CORRECTED = 0.9, 2.5  # by how much less sharp strokes are whose peak is higher for these
_CORRECTED = 0.12  # at most: the share of a way that is left to a second movement, which begins before the first ends
_FIRST_ENDS, _SECOND_BEGINS = 1.2, 0.25  # shares of the time: how much earlier, times the share that is left; and when
_BOW_SPREAD, _LOPSIDED, _LOPSIDED_SPREAD = 0.45, 0.3, 1.3  # how much the bow, and its two bends, differ
_RISE_SPREAD, _RISE_LOPSIDED = 0.03, 0.04
_TWIST, _TWIST_SPREAD = -0.9, 0.5  # radians: by how much the bends are turned about the straight line, one each way
# The more a way is level, the less its bends are turned, and the less it is bent: a hand glides over a table.
_STEEP, _LEVEL_LESS = 0.5, 0.25  # how much of a way goes up where it is steep; what a level one is bent less
_ROUND = 0.22  # shares of a way by which its bends are drawn towards its ends, on the level: it is rounder there
UP = np.array([0.0, 1.0, 0.0])
CARRY_ARC = 0.02  # how high a thing is lifted on its path to another place
# Turns for each height of the body, level and up: of what is different from way to way.
_WAVES = ((17.0, 23.0), (29.0, 13.0), (41.0, 29.0), (11.0, 31.0), (37.0, 7.0), (23.0, 41.0), (13.0, 19.0))
_FINE = 65  # points by which the length of a curve is measured
_EVENLY = np.linspace(0.0, 1.0, _FINE)
# How long people take, in seconds and metres, of a body that is 1.75 m tall: T = (FIRST + BY_DISTANCE d) by the size of
# the goal, for 0.2 to 0.8 m 0.6 to 1.3 s.
FIRST, BY_DISTANCE = 0.45, 0.85
USUAL_SIZE, BY_SIZE, LEAST_FACTOR, MOST_FACTOR = 0.09, 0.06, 0.94, 1.12
TURNING, TRUNK_TURNING = math.radians(220.0), math.radians(75.0)  # a second, on the average
_LEAST_FRAMES = 10  # at DEFAULT_FPS


def natural_frames(
    distance: float, size: float = USUAL_SIZE, turn: float = 0.0, trunk: float = 0.0, fps: float = DEFAULT_FPS
) -> int:
    """The frames that people take for a reach over a distance, for a goal of a size, both in metres, with a hand that
    turns and a trunk that leans by so many radians."""
    factor = 1.0 + BY_SIZE * math.log2(USUAL_SIZE / max(size, 1e-3))
    seconds = (FIRST + BY_DISTANCE * distance) * min(max(factor, LEAST_FACTOR), MOST_FACTOR)
    if distance < 0.1:  # hardly a reach
        seconds *= 0.6 + 4.0 * distance
    seconds = max(seconds, FIRST * 0.6 + turn / TURNING, FIRST * 0.6 + trunk / TRUNK_TURNING)
    return max(round(_LEAST_FRAMES * fps / DEFAULT_FPS), round(seconds * fps))


@dataclass(frozen=True)
class Manner:
    """How the speed of a stroke differs from that of the even one."""

    early: float = 0.0  # how far its peak of speed is before the middle of the time
    sharp: float = 0.0  # how much higher the peak is, and how much longer the tails
    corrected: float = 0.0  # the share of the way that a second movement makes

    def shares(self, frames: int) -> Floats:
        """How much of the way is done after each of so many frames, (frames,); the last is exactly 1."""
        t = warped(np.arange(1, frames + 1) / frames, self.early)
        first = np.minimum(t / (1.0 - _FIRST_ENDS * self.corrected), 1.0)
        second = np.maximum(0.0, (t - _SECOND_BEGINS) / (1.0 - _SECOND_BEGINS))
        jerk, snap = minimum_jerk(first), first**4 * (35.0 - first * (84.0 - first * (70.0 - 20.0 * first)))
        share = (1.0 - self.corrected) * (jerk + self.sharp * (snap - jerk)) + self.corrected * minimum_jerk(second)
        share[-1] = 1.0
        return np.asarray(share)


EVEN = Manner()


def warped(time: Floats, early: float) -> Floats:
    """Shares of the time, from 0 to 1, of a stroke whose middle comes earlier."""
    return np.asarray(time + early * time * (1.0 - time))


def manner(start: Transform, goal: Transform, size: float = USUAL_SIZE) -> Manner:
    """How people would do a stroke to a goal of a size in metres: the same for its mirror image, wherever one faces."""
    waves = _waves(goal.position - start.position)
    small = min(max(math.log2(USUAL_SIZE / max(size, 1e-3)), -1.0), 1.0)
    early = _EARLY + _EARLY_BY_SIZE * small + _EARLY_SPREAD * waves[0]
    corrected = max(0.0, _CORRECTED * waves[2])
    less = _SHARP_BY_EARLY * abs(early) + _SHARP_BY_CORRECTED * corrected
    return Manner(early, _SHARP + _SHARP_SPREAD * waves[1] - less * max(0.0, waves[1]), corrected)


def _waves(line: Floats) -> list[float]:
    """Numbers from -1 to 1 that are what they are by where a way leads."""
    x, y, z = (float(number) for number in line)
    return [math.sin(math.tau * (level * math.hypot(x, z) + up * y)) for level, up in _WAVES]


@dataclass(frozen=True, eq=False)
class HandPath:
    """From one transform of a wrist to another: a cubic curve, with the hand turning at an even rate along it.

        p(u) = (1 - u)^3 a + 3 (1 - u)^2 u (a + (b - a) / 3 + x) + 3 (1 - u) u^2 (b - (b - a) / 3 + y) + u^3 b

    `bends` (2, 3) are x and y; without them the path is straight.
    """

    start: Transform
    goal: Transform
    bends: Floats

    @staticmethod
    def straight(start: Transform, goal: Transform) -> HandPath:
        return HandPath(start, goal, np.zeros((2, 3)))

    @staticmethod
    def bowed(
        start: Transform, goal: Transform, outwards: Floats, side: float, lift: float = 0.0, even: bool = True
    ) -> HandPath:
        """As people move: bent a little to the hand's own side. outwards: a horizontal direction; side: 1 for a left
        hand, -1 for a right one; lift: how high the path rises besides; even: whether it is as all others are."""
        line = goal.position - start.position
        length = float(np.linalg.norm(line))
        if length < 1e-9:
            return HandPath.straight(start, goal)
        way, differs = line / length, 0.0 if even else 1.0
        waves = [differs * wave for wave in _waves(line)[3:]]
        out, rises, onwards = EVEN_BOW if even else BOW
        ahead = side * np.array([-outwards[2], 0.0, outwards[0]])
        bow = out * (1.0 + _BOW_SPREAD * waves[0]) * outwards + onwards * ahead
        bow = bow - (bow @ way) * way
        bow *= max(1.0, differs * _LEAST_BOW / max(float(np.linalg.norm(bow)), 1e-9))
        up, steep = UP - way[1] * way, min(1.0, abs(float(way[1])) / _STEEP)
        bow *= 1.0 - differs * _LEVEL_LESS * (1.0 - steep)
        bends = []
        for first in (1.0, -1.0):
            rise = rises + steep * (_RISE_SPREAD * waves[2] + first * _RISE_LOPSIDED * waves[3])
            bend = (1.0 + first * (differs * _LOPSIDED + _LOPSIDED_SPREAD * waves[1])) * bow + max(0.0, rise) * up
            twist = first * side * steep * (differs * _TWIST + _TWIST_SPREAD * waves[3])
            bend = math.cos(twist) * bend + math.sin(twist) * _cross(way, bend)
            bend = length * bend
            bend[1] = max(bend[1], 0.0) + lift
            bends.append(bend - first * differs * _ROUND * (line - line[1] * UP))
        return HandPath(start, goal, np.stack(bends) / 0.75)

    @staticmethod
    def along(start: Transform, goal: Transform, points: Floats) -> tuple[HandPath, Floats]:
        """As near as can be to a course that is given, (frames + 1, 3), from the start to the goal, and the shares of
        its length after each frame but the first."""
        lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
        path = HandPath.straight(start, goal)
        if lengths[-1] < 1e-9:
            return path, np.ones(len(points) - 1)
        shares = lengths / lengths[-1]
        thirds = np.stack([np.interp([1.0 / 3.0, 2.0 / 3.0], shares, column) for column in points.T], axis=1)
        aside = thirds - (start.position + np.array([[1.0], [2.0]]) / 3.0 * path.line)
        return path.bent(np.array([[3.0, -1.5], [-1.5, 3.0]]) @ aside), shares[1:]

    def bent(self, by: Floats) -> HandPath:
        found = HandPath(self.start, self.goal, self.bends + by)
        found.__dict__["_turn"] = self._turn  # the same
        return found

    @property
    def line(self) -> Floats:
        """From its start to its end, (3,)."""
        return np.asarray(self.goal.position - self.start.position)

    @property
    def distance(self) -> float:
        return self.start.distance(self.goal)

    def _points(self, u: Floats) -> Floats:
        a, b = self.start.position, self.goal.position
        one, two = _EVEN_BASES if u is _EVENLY else bases(u)
        return np.asarray(a + u[:, None] * (b - a) + one[:, None] * self.bends[0] + two[:, None] * self.bends[1])

    @cached_property
    def _lengths(self) -> Floats:
        """Of the path as far as each of _EVENLY, (_FINE,)."""
        points, lengths = self._points(_EVENLY), np.zeros(_FINE)
        steps = points[1:] - points[:-1]
        np.cumsum(np.sqrt((steps * steps).sum(axis=1)), out=lengths[1:])
        return lengths

    @property
    def length(self) -> float:
        return float(self._lengths[-1])

    def parameters(self, shares: Floats) -> Floats:
        """u at shares of the path's length, (n,)."""
        lengths = self._lengths
        if lengths[-1] < 1e-9:
            return shares
        return np.asarray(np.interp(shares, lengths / lengths[-1], _EVENLY))

    def at(self, shares: Floats) -> Transforms:
        """The wrist after shares of the path's length, (n,)."""
        return Transforms(self._points(self.parameters(shares)), self._rotations(shares))

    @cached_property
    def _turn(self) -> tuple[float, Floats, Floats]:
        """The angle by which the hand turns, and what its sine, and one less its cosine, count: (3, 3) each."""
        start = self.start.rotation
        (turn,) = rotation_vectors((start.T @ self.goal.rotation)[None])
        angle = float(np.linalg.norm(turn))
        x, y, z = turn / max(angle, 1e-12)
        across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return angle, start @ across, start @ across @ across

    def _rotations(self, shares: Floats) -> Floats:
        """The wrist's rotations after shares of the path's length, (n, 3, 3)."""
        angle, sideways, back = self._turn
        angles = (shares * angle)[:, None, None]
        return np.asarray(self.start.rotation + np.sin(angles) * sideways + (1.0 - np.cos(angles)) * back)


def bases(u: Floats) -> tuple[Floats, Floats]:
    """How much the two bends count at u."""
    return 3.0 * u * (1.0 - u) ** 2, 3.0 * u * u * (1.0 - u)


def _cross(first: Floats, second: Floats) -> Floats:
    """As np.cross, which is slow for so few numbers."""
    (a, b, c), (x, y, z) = first.tolist(), second.tolist()
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])


_EVEN_BASES = bases(_EVENLY)
