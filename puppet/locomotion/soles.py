"""Soles beside each other, seen from above: how far two feet are apart, and how one swings around the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from puppet.geometry import minimum_jerk
from puppet.locomotion.legs import Foot
from puppet.locomotion.route import Place

_OUTWARDS, _FARTHEST = 0.005, 0.1  # by which a foot is moved outwards, again and again, and at most
_ASIDE = np.linspace(0.0, 0.16, 17)  # by which a foot swings around the other one, tried one after the other
_SHARES = np.linspace(0.0, 1.0, 15)  # of a swing
_SHINS = 0.06  # what ankles keep from each other when both feet stand: legs are thicker than feet are wide
_PASSES = 0.35  # how near a swing must come to a post for it to be looked at
_LITTLE = 1e-3  # for which nobody swings a foot farther aside
_LEAVES = 0.5  # the part of a swing in which a foot goes aside, and in which it comes back


@dataclass(frozen=True)
class Sole:
    """A foot on the floor, or over it."""

    foot: Foot
    place: Place  # of its ankle
    turn: float  # about the vertical

    def moved(self, x: float, z: float) -> Sole:
        return Sole(self.foot, (self.place[0] + x, self.place[1] + z), self.turn)

    def gap(self, other: Sole) -> float:
        """How far two soles are apart; less than 0 where one is on the other."""
        return _apart(self._line, other._line) - self._half - other._half

    def room(self, other: Sole, posts: Sequence[Place]) -> float:
        """How far it is from another one, and from posts, which are no thicker than what feet keep from them."""
        line = self._line
        return min([self.gap(other), *(_to_line(post, *line) - self._half for post in posts)])

    def beside(self, other: Sole, facing: float, keeps: float, height: float) -> bool:
        """Whether a foot of a body that faces so keeps from the other one, and does not cross it."""
        x, z = self._outwards(facing)
        away = self.place[0] - other.place[0], self.place[1] - other.place[1]
        apart = away[0] * x + away[1] * z >= 0.0 and math.hypot(*away) >= _SHINS * height
        return apart and self.gap(other) >= keeps

    def outwards(
        self, other: Sole, facing: float, keeps: float, height: float, then: tuple[Sole, float] | None = None,
        posts: Sequence[Place] = (),
    ) -> tuple[Sole, bool]:  # fmt: skip
        """A foot of a body that faces so where it is beside the other one, there or farther outwards, and whether there
        is such a place. then: where the other one treads next, and how the body faces then; it has room there, too, if
        that can be; posts: on which no foot treads, if that can be."""
        x, z = self._outwards(facing)
        tried = [self.moved(by * x, by * z) for by in np.arange(0.0, _FARTHEST, _OUTWARDS) * height]
        free = [sole for sole in tried if sole.beside(other, facing, keeps, height)]
        if not free:
            return tried[-1], False
        if then is None and not posts:
            return free[0], True

        def fits(sole: Sole) -> int:
            trodden = any(_to_line(post, *sole._line) < sole._half + keeps for post in posts)
            return 2 * (not trodden) + (then is None or then[0].beside(sole, then[1], keeps, height))

        return max(free, key=fits), True

    def _outwards(self, facing: float) -> Place:
        return self.foot.side * math.cos(facing), -self.foot.side * math.sin(facing)

    @property
    def _half(self) -> float:
        """How far it reaches to both sides."""
        return 0.5 * float(np.ptp(self.foot.contacts[:, 0]))

    @property
    def _line(self) -> tuple[Place, Place]:
        """Its middle, from heel to toes."""
        foot, half = self.foot, self._half
        back = float(foot.contacts[:, 2].min()) + half
        front = float(foot.contacts[:, 2].max())
        if len(foot.toe_contacts):
            front = float(foot.ball[2] + foot.toe_contacts[:, 2].max())
        front = max(front - half, back)
        (x, z), sin, cos = self.place, math.sin(self.turn), math.cos(self.turn)
        return (x + back * sin, z + back * cos), (x + front * sin, z + front * cos)


def aside(
    swing: Callable[[float], Sole], other: Sole, posts: Sequence[Place], keeps: float, height: float
) -> Place:
    """By how much a foot is aside in the middle of its swing, so that it keeps from the one that stands, and from
    posts. swing: where it would be after a part of a swing that leads nowhere aside."""
    soles = [(goes_aside(float(share)), swing(float(share))) for share in _SHARES]
    first, last = soles[0][1], soles[-1][1]
    near = _near(posts, first, last)
    asked = min(keeps, first.room(other, near), last.room(other, near)) - 1e-9
    x, z = last.place[0] - first.place[0], last.place[1] - first.place[1]
    long, facing, own = math.hypot(x, z), 0.5 * (first.turn + last.turn), first.foot.side
    outwards = own * math.cos(facing), -own * math.sin(facing)
    normal = (z / long, -x / long) if long > 1e-6 else outwards
    own = 1.0 if normal[0] * outwards[0] + normal[1] * outwards[1] >= 0.0 else -1.0
    found: list[tuple[float, Place]] = []
    for side, size in product((own, -own), _ASIDE * height):  # on its own side, else on the other one
        by = side * size * normal[0], side * size * normal[1]
        clear = min(sole.moved(part * by[0], part * by[1]).room(other, near) for part, sole in soles)
        if clear >= asked:
            return by
        found.append((clear, by))
    most = max(clear for clear, _ in found) - _LITTLE * height
    return next(by for clear, by in found if clear >= most)


def _near(posts: Sequence[Place], first: Sole, last: Sole) -> list[Place]:
    """The posts that a swing could come to."""
    return [post for post in posts if _to_line(post, first.place, last.place) < _PASSES]


def goes_aside(share: float) -> float:
    """How much of its way aside a foot has gone after a part of its swing: all of it in the middle."""
    return float(minimum_jerk(np.array(min(share, 1.0 - share, _LEAVES) / _LEAVES)))


def _apart(first: tuple[Place, Place], second: tuple[Place, Place]) -> float:
    """How far two lines in the plane are apart."""
    (a, b), (c, d) = first, second
    if _side(a, b, c) * _side(a, b, d) < 0.0 and _side(c, d, a) * _side(c, d, b) < 0.0:
        return 0.0
    return min(_to_line(a, c, d), _to_line(b, c, d), _to_line(c, a, b), _to_line(d, a, b))


def _side(a: Place, b: Place, point: Place) -> float:
    return (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0])


def _to_line(point: Place, a: Place, b: Place) -> float:
    x, z = b[0] - a[0], b[1] - a[1]
    long = x * x + z * z
    t = 0.0 if long < 1e-12 else min(max(((point[0] - a[0]) * x + (point[1] - a[1]) * z) / long, 0.0), 1.0)
    return math.dist(point, (a[0] + t * x, a[1] + t * z))
