"""The range of a ball joint: where its bone may point, and how far it may be twisted there.

After Yamane and Nakamura (2003), 3.5.2. A rotation R is a swing from the bone's direction d0 in the zero posture to its
direction d = R d0, about an axis at right angles to d0, and then a twist about the bone. The swing is written as
a = n sin(gamma / 2), with its axis n and its angle gamma: two numbers, (28) and (29), with one singular direction,
right opposite to d0. The directions that are allowed are a convex region of triangles around a centre; the twist lies
between bounds that are given at the corners and interpolated over each triangle.

A skeleton of another program may have joints whose axes are not those of the bones. Its ranges are seen from frames of
their own: R stands for P^T L C, with L how the joint is turned from its parent, P a frame in the parent's coordinates
and C one in the joint's own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from puppet.geometry import euler_angles
from puppet.types import Floats, Vector

_GRID = [(u / 4, v / 4) for u in range(5) for v in range(5 - u)]  # over a triangle


@dataclass(frozen=True)
class RangePoint:
    """A direction of the bone, and how far it may be twisted there."""

    swing: tuple[float, float]  # the rotation vector of the swing, radians, about the two axes across the bone
    twist: tuple[float, float]  # radians

    @property
    def point(self) -> tuple[float, float]:
        """The swing as a = n sin(gamma / 2)."""
        gamma = math.hypot(*self.swing)
        scale = 0.5 if gamma < 1e-12 else math.sin(0.5 * gamma) / gamma
        return self.swing[0] * scale, self.swing[1] * scale


@dataclass(frozen=True, eq=False)
class JointRange:
    axis: int  # of the bone in the zero posture: x, y or z in the joint's coordinates
    sign: float  # 1 or -1: along that axis or against it
    centre: RangePoint
    edge: tuple[RangePoint, ...]  # the region's corners in turn
    parent_frame: Vector = (0.0, 0.0, 0.0)  # P, axis times angle
    own_frame: Vector = (0.0, 0.0, 0.0)  # C

    @cached_property
    def frames(self) -> tuple[list[float], list[float]]:
        """P and C as quaternions (w, x, y, z)."""
        return _quaternion_of_vector(self.parent_frame), _quaternion_of_vector(self.own_frame)

    @cached_property
    def has_frames(self) -> bool:
        return any((*self.parent_frame, *self.own_frame))

    @cached_property
    def across(self) -> tuple[int, int]:
        """The two axes that swings turn about."""
        first, second = (axis for axis in range(3) if axis != self.axis)
        return first, second

    @cached_property
    def corners(self) -> Floats:
        """(corners, 2), counter-clockwise."""
        points = np.array([entry.point for entry in self.edge])
        return points if self._counter_clockwise else points[::-1]

    @cached_property
    def twists(self) -> Floats:
        """(corners, 2), lower and upper bound of the twist at each corner."""
        bounds = np.array([entry.twist for entry in self.edge])
        return bounds if self._counter_clockwise else bounds[::-1]

    @property
    def _counter_clockwise(self) -> bool:
        points = np.array([entry.point for entry in self.edge])
        following = np.roll(points, -1, axis=0)
        return float((points[:, 0] * following[:, 1] - points[:, 1] * following[:, 0]).sum()) > 0.0

    @cached_property
    def half_planes(self) -> Floats:
        """(corners, 3): the side from each corner to the next is where n1 a1 + n2 a2 = c; inside it is less."""
        start, end = self.corners, np.roll(self.corners, -1, axis=0)
        along = end - start
        normal = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.linalg.norm(along, axis=1)[:, None]
        return np.column_stack([normal, (normal * start).sum(axis=1)])

    @cached_property
    def _planes(self) -> list[list[float]]:
        return [list(map(float, row)) for row in self.half_planes]

    @cached_property
    def _sides(self) -> list[tuple[float, float, float, float, float]]:
        """Each corner, the way to the next, and the square of how long that is."""
        corners = self.corners.tolist()
        ways = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)]
        return [(a[0], a[1], u, v, u * u + v * v) for a, (u, v) in zip(corners, ways, strict=True)]

    @cached_property
    def _triangles(self) -> list[tuple[list[float], list[float], float, list[float], list[float]]]:
        """Between the centre and two corners in turn, seen from the centre: the corners, twice the area, the twists."""
        corners, twists = (self.corners - np.array(self.centre.point)).tolist(), self.twists.tolist()
        around = [*range(1, len(corners)), 0]
        return [
            (a, corners[k], a[0] * corners[k][1] - a[1] * corners[k][0], twists[n], twists[k])
            for n, (a, k) in enumerate(zip(corners, around, strict=True))
        ]

    def flaw(self) -> str:
        """What is wrong with the region; "" where nothing is."""
        if len(self.edge) < 3:
            return "a range needs at least three corners"
        sides = np.roll(self.corners, -1, axis=0) - self.corners
        if not np.all(np.linalg.norm(sides, axis=1) > 0.0):
            return "two corners in turn are the same"
        planes = self.half_planes
        inside = self.corners @ planes[:, :2].T - planes[:, 2]
        if inside.max() > 1e-9:
            worst = int(inside.max(axis=1).argmax())
            number = worst if self._counter_clockwise else len(self.edge) - 1 - worst
            return f"the region is not convex, or its corners are not given in turn: see corner {number + 1}"
        if (np.array(self.centre.point) @ planes[:, :2].T - planes[:, 2]).max() > -1e-6:
            return "the centre is not inside the region"
        if self.has_frames:  # the zero posture is that of a file, whatever it is
            return ""
        if (planes[:, 2] < 0.0).any():
            return "the zero posture is outside the region"
        lower, upper = self.twist_bounds(np.zeros(2))
        return "" if lower <= 0.0 <= upper else "the zero posture is outside the twist's bounds"

    # ---- rotations

    def coordinates(self, rotation: Floats) -> tuple[Floats, float]:
        """Swing a (2,) and twist (radians) of a rotation (3, 3)."""
        x, y, twist = self._coordinates(quaternion(rotation))
        return np.array([x, y]), twist

    def _coordinates(self, q: Sequence[float]) -> tuple[float, float, float]:
        """The same of a quaternion (w, x, y, z)."""
        w, *v = self._seen(q)
        along = self.sign * v[self.axis]
        length = math.hypot(w, along)
        first, second = self.across
        if length < 1e-12:  # right opposite to the bone: any twist would do
            return v[first], v[second], 0.0
        c, s = w / length, along / length  # half the twist; sign chosen so that the swing is less than half a turn
        twist = 2.0 * math.atan2(s, c)
        twist -= 2.0 * math.pi * round(twist / (2.0 * math.pi))
        half = [c, 0.0, 0.0, 0.0]
        half[1 + self.axis] = -self.sign * s
        swing = _multiply((w, *v), half)
        side = 1.0 if swing[0] >= 0.0 else -1.0
        return side * swing[1 + first], side * swing[1 + second], twist

    def rotation(self, swing: Sequence[float] | Floats, twist: float) -> Floats:
        """The rotation (3, 3) of a swing (2,) and a twist."""
        q, half = [0.0] * 4, [math.cos(0.5 * twist), 0.0, 0.0, 0.0]
        first, second = self.across
        q[1 + first], q[1 + second] = map(float, swing)
        q[0] = math.sqrt(max(0.0, 1.0 - q[1 + first] ** 2 - q[1 + second] ** 2))
        half[1 + self.axis] = self.sign * math.sin(0.5 * twist)
        before, after = self.frames
        return matrix(_multiply(before, _multiply(_multiply(q, half), _conjugate(after))))

    def _seen(self, q: Sequence[float]) -> Sequence[float]:
        """P^T L C."""
        if not self.has_frames:
            return q
        before, after = self.frames
        found = _multiply(_conjugate(before), _multiply(q, after))
        return found if found[0] >= 0.0 else [-part for part in found]

    def twist_bounds(self, swing: Sequence[float] | Floats) -> tuple[float, float]:
        """Lower and upper bound of the twist for a swing: linear in the triangle between centre and two corners."""
        x, y = float(swing[0]) - self.centre.point[0], float(swing[1]) - self.centre.point[1]
        for (ax, ay), (bx, by), area, first, second in self._triangles:
            u, v = (x * by - y * bx) / area, (ax * y - ay * x) / area
            if u >= -1e-12 and v >= -1e-12:
                share = max(1.0, u + v)  # outside the region as on its edge
                u, v = u / share, v / share
                lower, upper = (
                    (1.0 - u - v) * own + u * one + v * other
                    for own, one, other in zip(self.centre.twist, first, second, strict=True)
                )
                return lower, upper
        return self.centre.twist

    def nearest(self, rotation: Floats) -> Floats:
        """The rotation on the boundary of the range that is nearest to one outside; one inside as it is."""
        return self._nearest(*self._coordinates(quaternion(rotation)))

    def put_inside(self, rotation: Floats) -> Floats | None:
        """The rotation on the boundary of the range that is nearest to one outside; None for one inside."""
        x, y, twist = self._coordinates(quaternion(rotation))
        return self._nearest(x, y, twist) if self._excess(x, y, twist) > 0.0 else None

    def _nearest(self, x: float, y: float, twist: float) -> Floats:
        if self._outside(x, y) > 0.0:
            least, at = math.inf, (x, y)
            for px, py, u, v, square in self._sides:
                share = min(max(((x - px) * u + (y - py) * v) / square, 0.0), 1.0)
                away = (px + share * u - x) ** 2 + (py + share * v - y) ** 2
                if away < least:
                    least, at = away, (px + share * u, py + share * v)
            x, y = at
        lower, upper = self.twist_bounds((x, y))
        return self.rotation((x, y), min(max(twist, lower), upper))

    def euler_box(self, order: Sequence[int]) -> Floats:
        """The least and the largest angles about three axes in turn that rotations of the range have, (3, 2), radians:
        a box that the range lies in, for solvers that know boxes only. Odd corners are cut off: 2 in 100 rotations lie
        outside."""
        rotations = []
        corners, centre = self.corners, np.array(self.centre.point)
        for n in range(len(corners)):
            for u, v in _GRID:
                swing = centre + u * (corners[n] - centre) + v * (corners[(n + 1) % len(corners)] - centre)
                lower, upper = self.twist_bounds(swing)
                rotations += [self.rotation(swing, lower + share / 4.0 * (upper - lower)) for share in range(5)]
        angles = np.radians(euler_angles(np.array(rotations), order))
        other = angles * (1.0, -1.0, 1.0) + math.pi  # the same rotations
        other -= 2.0 * math.pi * np.round(other / (2.0 * math.pi))
        nearer = (other * other).sum(axis=1) < (angles * angles).sum(axis=1)
        box = np.quantile(np.where(nearer[:, None], other, angles), [0.01, 0.99], axis=0).T
        return np.asarray(np.stack([np.minimum(box[:, 0], 0.0), np.maximum(box[:, 1], 0.0)], axis=1))

    def excess(self, rotation: Floats) -> float:
        """By how many radians, about, a rotation is outside the range."""
        return self._excess(*self._coordinates(quaternion(rotation)))

    def excess_about(self, vector: Floats) -> float:
        """The same of a rotation vector, axis times angle."""
        return self._excess(*self._coordinates(_quaternion_of_vector(vector.tolist())))

    def _outside(self, x: float, y: float) -> float:
        """How far a swing is outside the region."""
        return max([u * x + v * y - far for u, v, far in self._planes])

    def _excess(self, x: float, y: float, twist: float) -> float:
        lower, upper = self.twist_bounds((x, y))
        return max(0.0, 2.0 * self._outside(x, y), lower - twist, twist - upper)


def quaternion(rotation: Floats) -> list[float]:
    """(w, x, y, z) of a rotation (3, 3), w not negative."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rotation.tolist()
    squares = (1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz)
    largest = squares.index(max(squares))
    row = (
        (squares[0], zy - yz, xz - zx, yx - xy),
        (zy - yz, squares[1], yx + xy, xz + zx),
        (xz - zx, yx + xy, squares[2], zy + yz),
        (yx - xy, xz + zx, zy + yz, squares[3]),
    )[largest]
    scale = 2.0 * math.sqrt(squares[largest])
    scale = scale if row[0] >= 0.0 else -scale
    return [part / scale for part in row]


def matrix(q: Sequence[float]) -> Floats:
    """The rotation (3, 3) of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ])  # fmt: skip


def _conjugate(q: Sequence[float]) -> list[float]:
    w, x, y, z = q
    return [w, -x, -y, -z]


def _quaternion_of_vector(vector: Sequence[float]) -> list[float]:
    """(w, x, y, z) of an axis times an angle."""
    angle = math.hypot(*vector)
    share = 0.5 if angle < 1e-12 else math.sin(0.5 * angle) / angle
    return [math.cos(0.5 * angle), *(share * x for x in vector)]


def _multiply(p: Sequence[float], q: Sequence[float]) -> list[float]:
    pw, px, py, pz = p
    qw, qx, qy, qz = q
    return [
        pw * qw - px * qx - py * qy - pz * qz,
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy + py * qw + pz * qx - px * qz,
        pw * qz + pz * qw + px * qy - py * qx,
    ]
