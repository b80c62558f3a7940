"""glTF (.glb): skeleton, coloured body, table and objects, with one animation. Its axes are ours: y up, facing +z."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from puppet.body import FIXED, Body, local_rotations
from puppet.errors import PuppetError
from puppet.export.glb import INDICES, VERTICES, GlbDocument
from puppet.geometry import quaternions
from puppet.performance import Performance
from puppet.render.furniture import scene_furniture
from puppet.render.mesh import Mesh, joined
from puppet.render.shapes import Color, ColoredMesh, body_meshes, floor_height, object_mesh
from puppet.types import Floats

STATIC_TOLERANCE = 1e-9  # what moves less than this gets no track


def write(performance: Performance, path: Path, *, scale: float = 1.0) -> None:
    """Writes a performance as binary glTF 2.0.

    scale: length of one of our units in the file, whose unit is the metre; with 1 the puppet is about one metre tall.
    """
    if isinstance(scale, bool) or not isinstance(scale, (int, float)) or not 1e-6 <= scale <= 1e6:
        raise PuppetError(f"the scale must be a number from 0.000001 to 1000000, not {scale!r}")
    _GltfBuilder(performance, float(scale)).write(path)


class _GltfBuilder:
    """Builds the document of one performance."""

    def __init__(self, performance: Performance, scale: float) -> None:
        self._performance = performance
        self._scale = scale
        self._document = GlbDocument()
        self._materials: dict[Color, int] = {}
        self._names: set[str] = set()
        self._channels: list[dict[str, Any]] = []
        self._samplers: list[dict[str, Any]] = []
        self._times: int | None = None  # the accessor that all tracks share

    def write(self, path: Path) -> None:
        roots = [*self._body(), *self._table(), *self._objects()]
        if self._channels:
            animation = {"name": path.stem, "channels": self._channels, "samplers": self._samplers}
            self._document.add("animations", {**animation, "extras": {"fps": self._performance.fps}})
        self._document.write(path, roots)

    # ---- what there is

    def _body(self) -> list[int]:
        """The joints as nodes in the zero posture, and one mesh skinned to them, each vertex to one joint."""
        body = self._performance.body
        parts = body_meshes(body)
        nodes: list[int] = []
        below: list[list[int]] = [[] for _ in body.joints]
        for j, joint in enumerate(body.joints):
            entry = {"name": joint.name, "translation": self._point(body.arrays.offsets[j])}
            nodes.append(self._node(entry | ({"children": below[j]} if (body.arrays.parents == j).any() else {})))
            if joint.parent >= 0:  # a parent stands before its children
                below[joint.parent].append(nodes[j])
        root = self._node({"name": body.name, "children": [nodes[0]]})
        self._joint_tracks(body, nodes)
        found = [root]
        fixed = [(part.mesh, part.color) for part in parts if part.joint == FIXED]
        if fixed:
            name = f"{body.name} fixed"
            found.append(self._node({"name": name, "mesh": self._mesh(name, fixed)}))
        moving = [part for part in parts if part.joint != FIXED]
        if moving:
            centres = np.array([joint.centre for joint in body.joints])
            by_color: dict[Color, list[tuple[Mesh, int]]] = {}
            for part in moving:
                placed = part.mesh.moved(centres[part.joint])
                by_color.setdefault(part.color, []).append((placed, part.joint))
            primitives = []
            for color, pieces in by_color.items():
                owners = np.concatenate([np.full(len(mesh.vertices), joint) for mesh, joint in pieces])
                primitives.append(self._primitive(joined(mesh for mesh, _ in pieces), color, owners))
            name = f"{body.name} body"
            mesh = self._document.add("meshes", {"name": name, "primitives": primitives})
            found.append(self._node({"name": name, "mesh": mesh, "skin": self._skin(body, nodes, centres)}))
        return found

    def _skin(self, body: Body, nodes: list[int], centres: Floats) -> int:
        inverse = np.tile(np.eye(4), (len(nodes), 1, 1))  # from the world to each joint in the zero posture
        inverse[:, 3, :3] = -self._scale * centres  # glTF stores columns: the last row here is the last column there
        matrices = self._document.array(inverse.reshape(-1, 16).astype(np.float32))
        return self._document.add(
            "skins", {"name": body.name, "joints": nodes, "skeleton": nodes[0], "inverseBindMatrices": matrices}
        )

    def _table(self) -> list[int]:
        scene = self._performance.scene
        ground = floor_height(self._performance.body) if scene.floor is None else scene.floor
        return [
            self._node({"name": name, "mesh": self._mesh(name, shapes)})
            for name, shapes in scene_furniture(scene, ground)
            if shapes
        ]

    def _objects(self) -> list[int]:
        nodes = []
        frames = self._performance.object_transforms
        for k, thing in enumerate(self._performance.scene.objects):
            mesh = self._mesh(thing.name, object_mesh(thing))
            node: dict[str, Any] = {"name": thing.name, "mesh": mesh}
            positions, turns = frames[:, k, :3], quaternions(frames[:, k, 3:].reshape(-1, 3, 3))
            if len(frames):
                node |= {"translation": self._point(positions[0]), "rotation": turns[0].tolist()}
            else:
                node["translation"] = self._point(np.array(self._performance.scene.centre(thing.name)))
            nodes.append(self._node(node))
            self._track(nodes[-1], "translation", self._scale * positions)
            self._track(nodes[-1], "rotation", turns)
        return nodes

    # ---- how it moves

    def _joint_tracks(self, body: Body, nodes: list[int]) -> None:
        angles = self._performance.angles
        for j, node in enumerate(nodes):
            turn = quaternions(local_rotations(body, j, angles))
            # The first joint has its track in any case: the animation is as long as the performance.
            self._track(node, "rotation", turn, rest=np.array([0.0, 0.0, 0.0, 1.0]), always=j == 0)
        if body.free_root:
            offset = body.arrays.offsets[0]
            moved = self._scale * (offset + angles[:, body.translation_dofs])
            self._track(nodes[0], "translation", moved, rest=self._scale * offset)

    def _track(self, node: int, path: str, values: Floats, rest: Floats | None = None, always: bool = False) -> None:
        """A track with one value for each frame, unless they all equal what the node has anyway."""
        if not len(values):
            return
        still = np.abs(values - (values[0] if rest is None else rest)).max() <= STATIC_TOLERANCE
        if still and not always:
            return
        if self._times is None:
            seconds = np.arange(len(self._performance.angles)) / self._performance.fps
            self._times = self._document.array(seconds.astype(np.float32), bounds=True)
        output = self._document.array(values.astype(np.float32))
        self._samplers.append({"input": self._times, "output": output, "interpolation": "LINEAR"})
        self._channels.append({"sampler": len(self._samplers) - 1, "target": {"node": node, "path": path}})

    # ---- parts of the document

    def _node(self, entry: dict[str, Any]) -> int:
        name, count = entry["name"], 1
        while entry["name"] in self._names:  # programs find nodes by their names
            count += 1
            entry["name"] = f"{name} {count}"
        self._names.add(entry["name"])
        return self._document.add("nodes", entry)

    def _point(self, point: Floats) -> list[float]:
        return [float(x) for x in self._scale * point + 0.0]

    def _mesh(self, name: str, parts: list[ColoredMesh] | tuple[ColoredMesh, ...]) -> int:
        return self._document.add("meshes", {"name": name, "primitives": [self._primitive(*part) for part in parts]})

    def _primitive(self, mesh: Mesh, color: Color, joints: Floats | None = None) -> dict[str, Any]:
        """A mesh of one color; `joints`: the joint that each vertex is bound to."""
        small = len(mesh.vertices) < 65535
        vertices = (self._scale * mesh.vertices.astype(np.float64)).astype(np.float32)
        attributes = {
            "POSITION": self._document.array(vertices, VERTICES, bounds=True),
            "NORMAL": self._document.array(mesh.normals, VERTICES),
        }
        if joints is not None:
            owners = np.zeros((len(joints), 4), dtype=np.uint8 if joints.max() < 256 else np.uint16)
            owners[:, 0] = joints
            weights = np.zeros((len(joints), 4), dtype=np.uint8)
            weights[:, 0] = 255
            attributes["JOINTS_0"] = self._document.array(owners, VERTICES)
            attributes["WEIGHTS_0"] = self._document.array(weights, VERTICES, normalized=True)
        indices = mesh.triangles.ravel().astype(np.uint16 if small else np.uint32)
        return {
            "attributes": attributes,
            "indices": self._document.array(indices, INDICES),
            "material": self._material(color),
        }

    def _material(self, color: Color) -> int:
        if color not in self._materials:
            surface = {"baseColorFactor": [*map(_to_linear, color), 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7}
            name = "#" + "".join(f"{round(255 * part):02x}" for part in color)
            self._materials[color] = self._document.add("materials", {"name": name, "pbrMetallicRoughness": surface})
        return self._materials[color]


def _to_linear(part: float) -> float:
    """A color component from sRGB to linear, as glTF wants it."""
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
