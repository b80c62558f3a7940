"""Everything solid in a performance as hulls of balls: parts of the body, things, the table's board, stands.

A hull of balls is the union of all balls whose centres and radii are weighted means of the given ones. A capsule has
two of them, a box has its corners (of radius 0) and the largest balls inside it. An ellipsoid with radii a >= b >= c is
the union of balls around the points (x, y) of the plane of its longer axes, with radii c sqrt(1 - x^2/A^2 - y^2/B^2),
where A^2 = a^2 - c^2 and B^2 = b^2 - c^2: a ball of radius c that is stretched by A and B.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from puppet.body import Body, Shape
from puppet.performance import Performance
from puppet.render.shapes import table_mesh
from puppet.scene import Space, Table, stands
from puppet.types import Floats

WORLD = -1
ARM_GROUPS = ("upper arm", "forearm", "hand")
CHAIR_COLOR = "wood"
SMALLEST = 0.008  # brows, lips and eyes are no obstacles of their own: a shape whose largest radius is smaller


@dataclass(frozen=True, eq=False)
class Solid:
    """One convex shape in the coordinates of a joint, of a thing, or of the world."""

    part: str  # left hand, table, the name of a thing
    group: str  # one of ARM_GROUPS, torso, head, thigh, table, stand, thing
    limb: str  # of an arm's parts, else ""
    joint: int  # WORLD where it does not move, or belongs to a thing
    thing: int  # place in the performance's objects, else -1
    centres: Floats  # (balls, 3)
    radii: Floats  # (balls,)
    stretch: Floats  # (3, 3): directions in which an ellipsoid's ball is stretched, one a row; else zeros


def body_solids(body: Body) -> list[Solid]:
    """The shapes of a body that may meet something."""
    found = []
    for j, joint in enumerate(body.joints):
        group, limb = _group(body, j)
        for shape in joint.shapes:
            if max(shape.sizes) >= SMALLEST or group == "hand":
                part = f"{limb} {group}" if limb else joint.name.replace("_", " ")
                found.append(Solid(part, group, limb, j, -1, *balls_of(shape)))
    for shape in body.fixed_shapes:
        if shape.color != CHAIR_COLOR:
            found.append(Solid("thighs", "thigh", "", WORLD, -1, *balls_of(shape)))
    return found


def scene_solids(performance: Performance) -> list[Solid]:
    """The board of the table, the stands under raised spaces, and the things, as cubes."""
    scene = performance.scene
    spaces = tuple(space for space in scene.spaces if not space.dynamic and space.name is not None)
    found = list(_furniture(scene.table, spaces))
    for k, name in enumerate(performance.object_names):
        half = scene.object(name).width * np.ones(3)
        found.append(Solid(name, "thing", "", WORLD, k, *box_balls(-half, half)))
    return found


@lru_cache(maxsize=16)
def _furniture(table: Table, spaces: tuple[Space, ...]) -> tuple[Solid, ...]:
    """The board and the stands, as they are drawn."""
    board = table_mesh(table, spaces)[0][0].vertices
    found = [Solid("table", "table", "", WORLD, -1, *box_balls(board.min(axis=0), board.max(axis=0)))]
    for space in spaces:
        for stand in stands(table, [space]):
            for part in (stand.plate, stand.post):
                centre, half = np.array(part.centre), 0.5 * np.array(part.size)
                balls = box_balls(centre - half, centre + half)
                found.append(Solid(f"stand of {space.name}", "stand", "", WORLD, -1, *balls))
    return tuple(found)


def placed(solid: Solid, joint_transforms: Floats, object_transforms: Floats) -> tuple[Floats, Floats]:
    """The centres of a solid's balls (frames, balls, 3) and its stretch (frames, 3, 3) in the world."""
    if solid.thing >= 0:
        rows = object_transforms[:, solid.thing]
    elif solid.joint >= 0:
        rows = joint_transforms[:, solid.joint]
    else:
        frames = len(joint_transforms)
        return np.tile(solid.centres, (frames, 1, 1)), np.tile(solid.stretch, (frames, 1, 1))
    turns = rows[:, 3:].reshape(-1, 3, 3)
    centres = rows[:, None, :3] + np.einsum("fab,nb->fna", turns, solid.centres)
    return centres, np.einsum("ab,fcb->fac", solid.stretch, turns)


def balls_of(shape: Shape) -> tuple[Floats, Floats, Floats]:
    """Centres (balls, 3), radii (balls,) and stretch (3, 3) of a body's shape."""
    points = np.array(shape.points, dtype=np.float64)
    sizes = np.array(shape.sizes, dtype=np.float64)
    if shape.kind == "box":
        return box_balls(points[0] - 0.5 * sizes, points[0] + 0.5 * sizes)
    if shape.kind == "ball":
        return points, sizes.min(keepdims=True), np.diag(np.sqrt(sizes**2 - sizes.min() ** 2))
    return points, sizes, np.zeros((3, 3))


def box_balls(low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
    """A box: its corners, and the largest balls that are inside it."""
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    radius = 0.5 * float((high - low).min())
    corners = np.array(list(itertools.product(*zip(low, high, strict=True))))
    inner = np.unique(np.array(list(itertools.product(*zip(low + radius, high - radius, strict=True)))), axis=0)
    return (
        np.concatenate([corners, inner]),
        np.concatenate([np.zeros(8), np.full(len(inner), radius)]),
        np.zeros((3, 3)),
    )


def _group(body: Body, joint: int) -> tuple[str, str]:
    """What a joint's segment is, and the arm that it belongs to."""
    for name, limb in body.limbs.items():
        if joint in limb.joints:
            if limb.kind != "arm":
                return "thigh", ""
            place = limb.joints.index(joint)
            return ARM_GROUPS[max(0, place + len(ARM_GROUPS) - len(limb.joints))], name
    above = joint
    while above >= 0:
        if body.gaze is not None and above == body.gaze.joint:
            return "head", ""
        above = body.joints[above].parent
    legs = {j for limb in body.limbs.values() if limb.kind == "leg" for j in limb.joints}
    return ("thigh" if body.joints[joint].parent in legs else "torso"), ""
