"""Human ranges for the joints of a recorded skeleton, widened to what the recording shows.

Ranges are those of our person, after the tables of the American Academy of Orthopaedic Surgeons and of Boone and Azen
(1979). Joints that are hinges there have narrow ranges here, since a recorded knee turns about three axes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from puppet.body import Body, Joint, JointRange, Rotation, forward, local_rotations
from puppet.body.joint_range import RangePoint, matrix
from puppet.clip.frames import part_frames, parts_of, standing_posture
from puppet.geometry import hull, quaternions, rotation_vector, rotations_about
from puppet.types import Floats, Vector

_MARGIN = math.radians(3.0)  # beyond the published ranges, and beyond what the recording shows: see narrowed
_LEAST = 1e-3  # radians by which what has to be inside is inside
HINGE = 6.0  # degrees that a hinge gives across and in its twist
_LARGEST = math.sin(math.radians(88.0))  # of a swing's coordinates
# Of the left side: the bone's axis and sign; bounds about the two axes across and of the twist, in degrees.
_HINGES: dict[str, tuple[int, float, Sequence[float], Sequence[float], Sequence[float]]] = {
    "Shoulder": (0, 1.0, (-18, 15), (-8, 25), (-HINGE, HINGE)),
    "LowerArm": (0, 1.0, (-148, 3), (-HINGE, HINGE), (-85, 85)),
    "Hand": (0, 1.0, (-20, 40), (-70, 60), (-12, 12)),
    "LowerLeg": (1, -1.0, (-2, 145), (-HINGE, HINGE), (-12, 12)),
    "Foot": (2, 1.0, (-38, 50), (-15, 15), (-32, 18)),
    "Toes": (2, 1.0, (-60, 35), (-HINGE, HINGE), (-HINGE, HINGE)),
}  # fmt: skip


def with_ranges(body: Body, angles: Floats) -> Body:
    """The body with ranges for all ball joints that are parts of a person or stand between them in the trunk, so wide
    that all postures (frames, dofs) are inside."""
    parts = parts_of(body)
    person = Body.load("person")
    frames, names = part_frames(body), {j: part for part, j in parts.items()}
    models = {part: person.joints[person.joint(name)].range for name, part in person.humanoid.items()}
    trunk = _between(body, parts)
    joints, standing = list(body.joints), forward(body, standing_posture(body))[1]
    for j, joint in enumerate(body.joints):
        part = names.get(j) or trunk.get(j)
        if part is None or part == "hips" or len(joint.rotations) != 3 or j == 0:
            continue
        region = models.get(part) or _hinge(part)
        if region is None:
            continue
        shared = [k for k in (*trunk, *names) if (names.get(k) or trunk.get(k)) == part]
        region = _scaled(region, 1.0 / len(shared))
        own = frames[part] if j in names else _inherited(body, j, names, frames, standing)
        above = _inherited(body, joint.parent, names, frames, standing)
        region = replace(region, parent_frame=_vector(above), own_frame=_vector(own))
        joints[j] = _widened(joint, _resized(region, _MARGIN), local_rotations(body, j, angles), _MARGIN)
    return replace(body, joints=tuple(joints))


def narrowed(body: Body, angles: Floats) -> Body:
    """The body with ranges narrower by the margin, but not narrower than postures (frames, dofs) need. What is found
    inside these can be changed a little in any direction: a joint that is stopped by its limit in some frames, and not
    in others, would shake all that hangs on it."""
    joints = list(body.joints)
    for j, joint in enumerate(body.joints):
        if joint.range is not None:
            rotations = local_rotations(body, j, angles)
            joints[j] = _widened(joint, _resized(joint.range, -_MARGIN), rotations, _LEAST)
        elif not joint.is_ball and not (j == 0 and body.free_root):
            own = angles[:, list(body.rotation_dofs[j])]
            turned = [_narrower(rotation, own[:, n]) for n, rotation in enumerate(joint.rotations)]
            joints[j] = replace(joint, rotations=tuple(turned))
    return replace(body, joints=tuple(joints))


def _narrower(rotation: Rotation, angles: Floats) -> Rotation:
    """A rotation with limits nearer to each other by the margin, but not so near that angles (frames,) are outside."""
    by = min(_MARGIN, 0.25 * (rotation.upper - rotation.lower))
    lower = min(rotation.lower + by, float(np.min(angles, initial=math.inf)) - _LEAST)
    upper = max(rotation.upper - by, float(np.max(angles, initial=-math.inf)) + _LEAST)
    return replace(rotation, lower=max(lower, rotation.lower), upper=min(upper, rotation.upper))


def _resized(region: JointRange, by: float) -> JointRange:
    """A range with all sides and bounds farther from its middle by an angle; or nearer, as far as there is room."""
    middle = 0.5 * (region.corners.min(axis=0) + region.corners.max(axis=0))
    grown = np.maximum(0.5, 1.0 + by / np.ptp(region.corners, axis=0))  # coordinates are half of an angle
    if np.hypot(*(middle + grown * (region.corners - middle)).T).max() > _LARGEST:
        grown = np.ones(2)

    def point(at: Floats, low: float, high: float) -> RangePoint:
        own = max(by, -0.25 * (high - low))
        return RangePoint(_swing(middle + grown * (at - middle)), (low - own, high + own))

    edge = tuple(point(corner, *twist) for corner, twist in zip(region.corners, region.twists.tolist(), strict=True))
    return replace(region, centre=point(np.array(region.centre.point), *region.centre.twist), edge=edge)


def _between(body: Body, parts: dict[str, int]) -> dict[int, str]:
    """Joints without a part between those of the trunk, and the part whose range they share."""
    found: dict[int, str] = {}
    for below, above, part in (("chest", "hips", "spine"), ("head", "chest", "neck")):
        if below in parts and above in parts:
            j = body.joints[parts[below]].parent
            while j >= 0 and j != parts[above]:
                if j not in parts.values():
                    found[j] = part
                j = body.joints[j].parent
    return found


def _inherited(body: Body, j: int, names: dict[int, str], frames: dict[str, Floats], rotations: Floats) -> Floats:
    """The frame of a joint that may be no part: that of the next part above it, seen from it when it stands; rotations
    (joints, 3, 3): those of all joints then."""
    k = j
    while k >= 0 and k not in names:
        k = body.joints[k].parent
    world = rotations[k] @ frames[names[k]] if k >= 0 else np.eye(3)
    return np.asarray(rotations[j].T @ world)


def _hinge(part: str) -> JointRange | None:
    word = part.removeprefix("left").removeprefix("right")
    if word not in _HINGES:
        return None
    axis, sign, first, second, twist = _HINGES[word]
    bounds = [first, second]
    turned = [k for k in range(3) if k != axis]
    if part.startswith("right"):  # mirrored: rotations about y and z, and bones along x, change their signs
        bounds = [(-b, -a) if k != 0 else (a, b) for k, (a, b) in zip(turned, bounds, strict=True)]
        if axis == 0:
            sign = -sign  # and the twist about it stays
        else:
            twist = (-twist[1], -twist[0])
    (a, b), (c, d) = ([math.radians(value) for value in pair] for pair in bounds)
    low, high = math.radians(twist[0]), math.radians(twist[1])
    corners = tuple(RangePoint(at, (low, high)) for at in ((a, c), (b, c), (b, d), (a, d)))
    return JointRange(axis, sign, RangePoint((0.5 * (a + b), 0.5 * (c + d)), (low, high)), corners)


def _scaled(region: JointRange, share: float) -> JointRange:
    def point(entry: RangePoint) -> RangePoint:
        return RangePoint(
            (share * entry.swing[0], share * entry.swing[1]), (share * entry.twist[0], share * entry.twist[1])
        )

    return replace(region, centre=point(region.centre), edge=tuple(point(entry) for entry in region.edge))


def _vector(rotation: Floats) -> Vector:
    x, y, z = rotation_vector(rotation).tolist()
    return x, y, z


def _widened(joint: Joint, region: JointRange, rotations: Floats, margin: float) -> Joint:
    """The joint with a range that has all of these rotations (frames, 3, 3) inside, by a margin in radians."""
    swings, twists = range_coordinates(region, rotations)
    if float(np.abs(swings).max(initial=0.0)) > _LARGEST or float(np.abs(twists).max(initial=0.0)) > math.radians(
        170.0
    ):
        return joint  # it is turned right round, so it has no range
    planes = region.half_planes
    outside = (swings @ planes[:, :2].T - planes[:, 2]).max(axis=1, initial=-1.0) > -0.5 * margin
    points = np.concatenate([region.corners, _around(swings[outside], 0.5 * margin)])
    edge = np.array(hull((tuple(point) for point in np.round(points, 9).tolist()), 1e-9))
    centre = edge.mean(axis=0)
    bounds = [region.twist_bounds(corner) for corner in edge]
    grown = replace(
        region, centre=RangePoint(_swing(centre), region.twist_bounds(centre)),
        edge=tuple(RangePoint(_swing(corner), twist) for corner, twist in zip(edge, bounds, strict=True)),
    )  # fmt: skip
    lower, upper = bounds_of_twists(grown, swings)
    below = float(np.max(lower - twists + margin, initial=0.0))
    above = float(np.max(twists - upper + margin, initial=0.0))
    if below > 0.0 or above > 0.0:
        grown = replace(grown, centre=_wider(grown.centre, -below, above),
                        edge=tuple(_wider(entry, -below, above) for entry in grown.edge))  # fmt: skip
    return replace(joint, range=grown)


def _wider(entry: RangePoint, low: float, high: float) -> RangePoint:
    return RangePoint(entry.swing, (entry.twist[0] + low, entry.twist[1] + high))


def _swing(point: Floats) -> tuple[float, float]:
    """The rotation vector of a swing a = n sin(gamma / 2)."""
    length = float(np.hypot(*point))
    scale = 2.0 if length < 1e-12 else 2.0 * math.asin(min(length, 1.0)) / length
    return float(scale * point[0]), float(scale * point[1])


def _around(points: Floats, margin: float) -> Floats:
    """Points a little around these, so that these are inside their hull."""
    ways = margin * np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    return np.asarray((points[:, None] + ways).reshape(-1, 2))


def range_coordinates(region: JointRange, rotations: Floats) -> tuple[Floats, Floats]:
    """Swings (frames, 2) and twists (frames,): see JointRange.coordinates."""
    before, after = (matrix(frame) for frame in region.frames)
    q = quaternions(before.T @ rotations @ after)[:, [3, 0, 1, 2]]
    q *= np.where(q[:, :1] < 0.0, -1.0, 1.0)
    along = region.sign * q[:, 1 + region.axis]
    length = np.maximum(np.hypot(q[:, 0], along), 1e-12)
    c, s = q[:, 0] / length, along / length
    first, second = region.across
    t = region.sign * s
    x, y = q[:, 1 + first], q[:, 1 + second]
    turn = -t if region.axis != 1 else t  # across axes are cyclic after x and z, not after y
    return np.stack([c * x + turn * y, c * y - turn * x], axis=1), 2.0 * np.arctan2(s, c)


def bounds_of_twists(region: JointRange, swings: Floats) -> tuple[Floats, Floats]:
    """Lower and upper bounds of the twist for swings (n, 2) inside the region."""
    centre = np.array(region.centre.point)
    towards, corners = swings - centre, region.corners - centre
    lower, upper = np.full(len(swings), region.centre.twist[0]), np.full(len(swings), region.centre.twist[1])
    for n in range(len(corners)):
        a, b = corners[n], corners[(n + 1) % len(corners)]
        area = a[0] * b[1] - a[1] * b[0]
        u = (towards[:, 0] * b[1] - towards[:, 1] * b[0]) / area
        v = (a[0] * towards[:, 1] - a[1] * towards[:, 0]) / area
        inside = (u >= -1e-12) & (v >= -1e-12)
        for k, bound in enumerate((lower, upper)):
            first, second = region.twists[n, k], region.twists[(n + 1) % len(corners), k]
            found = (1.0 - u - v) * region.centre.twist[k] + u * first + v * second
            bound[inside] = found[inside]
    return lower, upper


def nearest_rotations(region: JointRange, rotations: Floats) -> Floats:
    """Rotations (frames, 3, 3) inside a range: those outside moved onto its boundary, as JointRange.nearest."""
    swings, twists = range_coordinates(region, rotations)
    planes = region.half_planes
    outside = (swings @ planes[:, :2].T - planes[:, 2]).max(axis=1) > 0.0
    if outside.any():
        start, along = region.corners, np.roll(region.corners, -1, axis=0) - region.corners
        away = swings[outside, None] - start
        share = np.clip((away * along).sum(axis=2) / (along * along).sum(axis=1), 0.0, 1.0)
        points = start + share[:, :, None] * along
        nearest = np.linalg.norm(points - swings[outside, None], axis=2).argmin(axis=1)
        swings[outside] = points[np.arange(len(points)), nearest]
    lower, upper = bounds_of_twists(region, swings)
    bounded = np.clip(twists, lower, upper)
    moved = outside | (bounded != twists)
    sines = np.minimum(np.linalg.norm(swings[moved], axis=1), 1.0)
    swung, twisted = np.zeros((len(sines), 3)), np.zeros((len(sines), 3))
    swung[:, list(region.across)] = swings[moved] * (2.0 * np.arcsin(sines) / np.maximum(sines, 1e-12))[:, None]
    twisted[:, region.axis] = region.sign * bounded[moved]
    before, after = (matrix(frame) for frame in region.frames)
    found = np.array(rotations)
    found[moved] = before @ rotations_about(swung) @ rotations_about(twisted) @ after.T
    return found


def range_excess(body: Body, angles: Floats) -> float:
    """By how many radians, about, the worst joint is outside its limits or its range in postures (frames, dofs): as
    Body.limit_excess, for many at once."""
    worst = 0.0
    for j, joint in enumerate(body.joints):
        own = angles[:, body.rotation_dofs[j]]
        if joint.range is not None:
            swings, twists = range_coordinates(joint.range, local_rotations(body, j, angles))
            planes = joint.range.half_planes
            lower, upper = bounds_of_twists(joint.range, swings)
            outside = 2.0 * (swings @ planes[:, :2].T - planes[:, 2]).max(axis=1)
            worst = max(worst, float(np.max([outside, lower - twists, twists - upper])))
        elif not joint.is_ball and not (j == 0 and body.free_root) and own.size:
            limits = body.arrays.limits[body.rotation_dofs[j]]
            wide = np.minimum(limits[:, 0], limits[:, 2]), np.maximum(limits[:, 1], limits[:, 3])
            worst = max(worst, float(np.max([wide[0] - own, own - wide[1]])))
    return max(worst, 0.0)
