"""What is drawn, as plain arrays: all meshes in one table of vertices, each vertex bound to a transform.

A picture is the model and one transform (position and rotation, twelve numbers) for each thing that moves. Nothing else
changes from frame to frame, so a picture is drawn with a handful of calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puppet.body import FIXED, Body
from puppet.render.arrows import ARROW_COLOR, arrow_mesh
from puppet.render.furniture import scene_furniture
from puppet.render.mesh import Mesh
from puppet.render.shapes import Color, body_meshes, floor_height, object_mesh
from puppet.scene import Scene
from puppet.types import Floats, Vector

VERTEX = np.dtype([("point", "<f4", 3), ("normal", "<f4", 3), ("color", "u1", 4), ("transform", "<u4")])
IDENTITY = np.array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.0])  # transform 0: what does not move

_DISC_COLOR: Color = (1.0, 0.97, 0.90)
_DISC_RADIUS, _DISC_ALPHA, _DISC_LIFT = 0.026, 0.4, 0.0012
_FLOOR_RADIUS = 6.0


@dataclass(frozen=True)
class Label:
    """A name to write above a thing, or faintly on a place."""

    text: str
    transform: int
    point: Vector  # from the transform's position, along the world's axes: above a thing however it is turned
    covers: float = 0.0  # half the edge of the thing
    faint: bool = False


@dataclass(frozen=True, eq=False)
class DrawnModel:
    """Vertices and triangles: first the solid ones, then the floor, then the translucent ones."""

    vertices: NDArray[np.void]  # (n,) of VERTEX
    triangles: NDArray[np.uint32]  # (t, 3)
    solid: int  # how many of the triangles are solid
    floor: int  # how many belong to the floor
    transform_count: int
    middle: Vector  # of the ball in which shadows fall
    radius: float
    labels: tuple[Label, ...] = ()
    followed: int = 0  # the frame that the middle goes along with, at its own height


@dataclass
class MeshCollector:
    """Collects meshes for a model: first the solid ones, then the floor, then the translucent ones."""

    vertices: list[NDArray[np.void]] = field(default_factory=list)
    triangles: list[NDArray[np.uint32]] = field(default_factory=list)
    count: int = 0

    def add(self, mesh: Mesh, color: Color, transform: int = 0, alpha: float = 1.0) -> None:
        rows = np.zeros(len(mesh.vertices), VERTEX)
        rows["point"], rows["normal"], rows["transform"] = mesh.vertices, mesh.normals, transform
        rows["color"] = np.round(255.0 * np.array([*color, alpha]))
        self.triangles.append(np.asarray(mesh.triangles, dtype=np.uint32).reshape(-1, 3) + np.uint32(self.count))
        self.vertices.append(rows)
        self.count += len(rows)

    @property
    def size(self) -> int:
        return sum(len(part) for part in self.triangles)


def stage_model(body: Body, scene: Scene | None = None, arrows: int = 0) -> DrawnModel:
    """A body, and a table with what is on it where there is a scene. Transforms: the world, the body's joints, the
    scene's objects, and some arrows."""
    parts, base = MeshCollector(), 1 + len(body.joints)
    for part in body_meshes(body):
        parts.add(part.mesh, part.color, 0 if part.joint == FIXED else 1 + part.joint)
    ground = floor_height(body) if scene is None or scene.floor is None else scene.floor
    spaces = [space for space in scene.spaces if space.name is not None and not space.dynamic] if scene else []
    things = scene.objects if scene else ()
    for _, meshes in scene_furniture(scene, ground) if scene else ():
        for mesh, color in meshes:
            parts.add(mesh, color)
    labels = []
    for n, thing in enumerate(things):
        for mesh, color in object_mesh(thing):
            parts.add(mesh, color, base + n)
        labels.append(Label(thing.name, base + n, (0.0, 1.25 * thing.width, 0.0), thing.width))
    for n in range(arrows):
        parts.add(arrow_mesh(body.height), ARROW_COLOR, base + len(things) + n)
    solid = parts.size
    parts.add(disc((0.0, ground, 0.3), _FLOOR_RADIUS), (1.0, 1.0, 1.0))
    floor = parts.size - solid
    for space in spaces:
        x, y, z = space.position
        parts.add(disc((x, y + _DISC_LIFT, z), _DISC_RADIUS), _DISC_COLOR, alpha=_DISC_ALPHA)
        labels.append(Label(str(space.name), 0, (x, y, z), faint=True))
    middle = (0.0, 0.55 * body.height, 0.3 if scene else 0.0)
    followed = 1 if body.free_root else 0
    return assemble_model(parts, solid, floor, base + len(things) + arrows, middle, body.height, labels, followed)


def stage_transforms(
    joint_transforms: ArrayLike, object_transforms: ArrayLike = (), arrow_transforms: ArrayLike = ()
) -> Floats:
    """Transforms of joints (joints, 12), of objects (objects, 12) and of arrows (arrows, 12) in the order of a stage's
    model."""
    all_rows = (joint_transforms, object_transforms, arrow_transforms)
    return np.concatenate([IDENTITY[None], *(np.asarray(rows, dtype=np.float64).reshape(-1, 12) for rows in all_rows)])


def stage_points(
    body: Body, scene: Scene | None, joint_positions: ArrayLike, object_positions: ArrayLike = ()
) -> Floats:
    """What a camera should show of a performance, (n, 3): all that moves, head and hands wherever they go, what is
    near.

    `joint_positions` (..., joints, 3), `object_positions` (..., objects, 3), of one moment or of many.
    """
    reach = body.height
    around = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
    joints = np.asarray(joint_positions, dtype=np.float64).reshape(-1, len(body.joints), 3)
    boxes = [(joints.min(axis=(0, 1)), joints.max(axis=(0, 1)), 0.09 * reach)]
    if body.gaze is not None:
        head = joints[:, body.gaze.joint]
        boxes.append((head.min(axis=0), head.max(axis=0) + np.array([0.0, 0.13 * reach, 0.0]), 0.03 * reach))
    if scene is not None:
        root = np.asarray(body.joints[0].centre)
        everywhere = np.asarray(object_positions, dtype=np.float64)  # (..., objects, 3)
        for n, thing in enumerate(scene.objects):
            way = everywhere[..., n, :].reshape(-1, 3)
            if np.linalg.norm(way - root, axis=1).min() < 0.8 * reach:  # what is out of reach is not what it is about
                boxes.append((way.min(axis=0), way.max(axis=0), thing.width))
        table = scene.table
        edge = np.array([table.skew, table.height, table.front])
        if scene.floor is None or table.height > scene.floor:
            boxes.append((edge - np.array([0.36, 0.05, 0.0]), edge + np.array([0.36, 0.0, 0.32]), 0.0))
    return np.concatenate([0.5 * (low + high) + (0.5 * (high - low) + margin) * around for low, high, margin in boxes])


def assemble_model(
    parts: MeshCollector, solid: int, floor: int, transform_count: int, middle: Vector, radius: float,
    labels: Iterable[Label], followed: int = 0,
) -> DrawnModel:  # fmt: skip
    vertices, triangles = np.concatenate(parts.vertices), np.concatenate(parts.triangles)
    vertices.flags.writeable = triangles.flags.writeable = False
    return DrawnModel(vertices, triangles, solid, floor, transform_count, middle, radius, tuple(labels), followed)


def disc(centre: Vector, radius: float, segments: int = 48) -> Mesh:
    angle = np.linspace(0.0, 2.0 * np.pi, segments, endpoint=False)
    rim = radius * np.stack([np.sin(angle), np.zeros(segments), np.cos(angle)], axis=1)
    n = np.arange(segments)
    triangles = np.stack([np.zeros(segments, dtype=np.int64), 1 + n, 1 + (n + 1) % segments], axis=1)
    points = np.asarray(centre) + np.concatenate([np.zeros((1, 3)), rim])
    return Mesh.of(points, np.tile((0.0, 1.0, 0.0), (segments + 1, 1)), triangles)
