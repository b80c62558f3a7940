"""glTF export, read back with another program's reader: everything is where we draw it, in every frame."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pygltflib
import pytest
from scipy.spatial.transform import Rotation, Slerp

from puppet import Body, Performance, PuppetError
from puppet.body import FIXED
from puppet.files import shipped
from puppet.geometry import quaternions
from puppet.render.shapes import body_meshes, object_mesh
from puppet.scene import SHAPES, Object, Scene, Table
from puppet.types import Floats
from tests import performances
from tests.test_bvh_export import DATA, performance_of, person_on_the_move, wild_angles

SCRIPTS = sorted(shipped.folder("scripts").glob("*.puppet"))
COMPONENTS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Read:
    """A .glb file as a viewer would play it."""

    def __init__(self, path: Path) -> None:
        self.gltf: Any = pygltflib.GLTF2().load(str(path))
        self.blob = self.gltf.binary_blob()
        self.nodes = {node.name: n for n, node in enumerate(self.gltf.nodes)}
        self.arrays: dict[int, Floats] = {}
        self.parents = {child: n for n, node in enumerate(self.gltf.nodes) for child in node.children or []}

    def array(self, index: int) -> Floats:
        if index in self.arrays:
            return self.arrays[index]
        accessor = self.gltf.accessors[index]
        view = self.gltf.bufferViews[accessor.bufferView]
        kind, width = np.dtype(COMPONENTS[accessor.componentType]), WIDTHS[accessor.type]
        assert view.byteOffset % 4 == 0
        assert view.byteOffset + view.byteLength <= self.gltf.buffers[0].byteLength
        assert view.byteLength == accessor.count * width * kind.itemsize
        values = np.frombuffer(self.blob, kind, accessor.count * width, view.byteOffset).reshape(-1, width)
        if accessor.min:
            assert (values.min(axis=0) == np.array(accessor.min, dtype=kind)).all()
            assert (values.max(axis=0) == np.array(accessor.max, dtype=kind)).all()
        return self.arrays.setdefault(index, np.asarray(values, dtype=np.float64))

    def locals_at(self, seconds: float) -> Floats:
        """The matrix of each node in its parent, with the animation at a time."""
        places = []
        for node in self.gltf.nodes:
            places.append({"translation": node.translation or [0, 0, 0], "rotation": node.rotation or [0, 0, 0, 1]})
        for animation in self.gltf.animations:
            for channel in animation.channels:
                sampler = animation.samplers[channel.sampler]
                assert sampler.interpolation == "LINEAR"
                times, values = self.array(sampler.input)[:, 0], self.array(sampler.output)
                if channel.target.path == "translation" or len(times) == 1:
                    value = [np.interp(seconds, times, column) for column in values.T]
                else:
                    now = np.clip(seconds, times[0], times[-1])
                    value = Slerp(times, Rotation.from_quat(values))(now).as_quat()
                places[channel.target.node][channel.target.path] = value
        matrices = np.tile(np.eye(4), (len(places), 1, 1))
        for matrix, place in zip(matrices, places, strict=True):
            matrix[:3, :3] = Rotation.from_quat(place["rotation"]).as_matrix()
            matrix[:3, 3] = place["translation"]
        return matrices

    def worlds_at(self, seconds: float) -> Floats:
        local = self.locals_at(seconds)
        worlds = []
        for n in range(len(local)):
            matrix, above = local[n], self.parents.get(n)
            while above is not None:
                matrix, above = local[above] @ matrix, self.parents.get(above)
            worlds.append(matrix)
        return np.array(worlds)

    def points(self, name: str, worlds: Floats) -> Floats:
        """All vertices of a node's mesh in the world, by skin where it has one."""
        node = self.gltf.nodes[self.nodes[name]]
        found = []
        for primitive in self.gltf.meshes[node.mesh].primitives:
            rows = self.array(primitive.attributes.POSITION)
            rows = np.hstack([rows, np.ones((len(rows), 1))])
            if node.skin is None:
                found.append(rows @ worlds[self.nodes[name]].T)
                continue
            skin = self.gltf.skins[node.skin]
            inverse = self.array(skin.inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)  # column by column
            turn = worlds[skin.joints] @ inverse
            owners = self.array(primitive.attributes.JOINTS_0).astype(int)
            weights = self.array(primitive.attributes.WEIGHTS_0) / 255.0
            found.append(np.einsum("vk,vkab,vb->va", weights, turn[owners], rows))
        return np.concatenate(found)[:, :3]


def saved(performance: Performance, tmp_path: Path, **options: Any) -> Read:
    performance.save(tmp_path / "scene.glb", **options)
    return Read(tmp_path / "scene.glb")


def assert_played_as_drawn(performance: Performance, read: Read, every: int = 1) -> None:
    for frame in range(0, len(performance.angles), every):
        worlds = read.worlds_at(frame / performance.fps)
        for names, expected in (
            (performance.joint_names, performance.joint_transforms[frame]),
            (performance.object_names, performance.object_transforms[frame]),
        ):
            for name, row in zip(names, expected, strict=True):
                world = worlds[read.nodes[name]]
                assert np.abs(world[:3, 3] - row[:3]).max() < 1e-5, (name, frame)
                assert np.abs(world[:3, :3] - row[3:].reshape(3, 3)).max() < 1e-5, (name, frame)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_every_script_plays_as_drawn(script: Path, tmp_path: Path) -> None:
    performance = performances.performance(script.name)
    read = saved(performance, tmp_path)
    assert_played_as_drawn(performance, read, every=max(1, len(performance.angles) // 40))
    (animation,) = read.gltf.animations
    assert animation.name == "scene"
    end = read.array(animation.samplers[0].input)[-1, 0]
    assert end == pytest.approx((len(performance.angles) - 1) / performance.fps)


def test_a_person_whose_root_moves_plays_as_drawn(tmp_path: Path) -> None:
    performance = person_on_the_move()
    read = saved(performance, tmp_path)
    assert_played_as_drawn(performance, read)
    moved = {(read.gltf.nodes[c.target.node].name, c.target.path) for c in read.gltf.animations[0].channels}
    assert {("pelvis", "translation"), ("pelvis", "rotation")} <= moved


@pytest.mark.parametrize("name", ["seated", "person", str(DATA / "bodies" / "all_orders.yaml")])
def test_any_body_and_tumbling_objects_play_as_drawn(name: str, tmp_path: Path) -> None:
    body = Body.load(name)
    performance = performance_of(body, wild_angles(body), fps=24.0)
    read = saved(performance, tmp_path)
    assert_played_as_drawn(performance, read)
    moved = {(read.gltf.nodes[c.target.node].name, c.target.path) for c in read.gltf.animations[0].channels}
    assert ("a cup!", "translation") in moved
    assert ("a cup!", "rotation") in moved
    assert not any(node == "block" for node, _ in moved)  # what stands still has no track
    # The skin takes each vertex where its joint goes.
    frame = 17
    worlds = read.worlds_at(frame / 24.0)
    drawn = []
    for part in body_meshes(body):
        if part.joint != FIXED:
            row = performance.joint_transforms[frame, part.joint]
            drawn.append(part.mesh.vertices @ row[3:].reshape(3, 3).T + row[:3])
    found, expected = read.points(f"{body.name} body", worlds), np.concatenate(drawn)
    assert found.shape == expected.shape
    for axis in range(3):  # colors change the order, not the points
        assert np.allclose(np.sort(found[:, axis]), np.sort(expected[:, axis]), atol=1e-5)
    cup = next(thing for thing in performance.scene.objects if thing.name == "a cup!")
    row = performance.object_transforms[frame, performance.object_names.index("a cup!")]
    vertices = np.concatenate([mesh.vertices for mesh, _ in object_mesh(cup)])
    assert np.allclose(read.points("a cup!", worlds), vertices @ row[3:].reshape(3, 3).T + row[:3], atol=1e-5)


def test_rest_pose_is_the_zero_posture_and_the_bind_pose(body: Body, tmp_path: Path) -> None:
    read = saved(performance_of(body, wild_angles(body)), tmp_path)
    (skin,) = read.gltf.skins
    read.gltf.animations = []
    worlds = read.worlds_at(0.0)
    inverse = read.array(skin.inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)
    assert np.allclose(worlds[skin.joints] @ inverse, np.eye(4), atol=1e-6)
    assert np.allclose(worlds[skin.joints][:, :3, 3], [joint.centre for joint in body.joints])


@pytest.mark.parametrize("frames", [0, 1])
def test_no_frames_and_one(body: Body, tmp_path: Path, frames: int) -> None:
    performance = performance_of(body, wild_angles(body)[:frames])
    read = saved(performance, tmp_path)
    assert len(read.gltf.animations) == frames
    assert_played_as_drawn(performance, read)
    where = read.worlds_at(0.0)[read.nodes["block"]][:3, 3]
    assert np.allclose(where, (-0.1, 0.64, 0.3))


def test_units_and_bytes(body: Body, tmp_path: Path) -> None:
    performance = performance_of(body, wild_angles(body))
    large = saved(performance, tmp_path, scale=1.75)
    worlds = large.worlds_at(0.5)
    hand = body.joint("left_hand")
    assert np.allclose(worlds[large.nodes["left_hand"]][:3, 3], 1.75 * performance.joint_positions[15, hand], atol=1e-5)
    performance.save(tmp_path / "other.glb")
    first = (tmp_path / "other.glb").read_bytes()
    performance.save(tmp_path / "other.glb")
    assert (tmp_path / "other.glb").read_bytes() == first
    assert struct.unpack("<4sII", first[:12]) == (b"glTF", 2, len(first))
    table = Read(tmp_path / "other.glb").points("table", np.tile(np.eye(4), (100, 1, 1)))
    assert np.allclose(large.points("table", np.tile(np.eye(4), (100, 1, 1))), 1.75 * table, atol=1e-5)
    with pytest.raises(PuppetError, match="scale must be"):
        performance.save(tmp_path / "none.glb", scale=-1)
    assert not (tmp_path / "none.glb").exists()


def test_colors_are_light_and_names_differ(body: Body, tmp_path: Path) -> None:
    things = [(Object(shape, 0.03, "#808080", shape), "here") for shape in SHAPES]
    things.append((Object("head", 0.02, "red"), "here"))  # as a joint is called
    scene = Scene.build(Table(0.6, 0.2), {"here": (0.1, 0.6, 0.3)}, things)
    performance = Performance(body, scene, 30.0, np.zeros((0, body.dofs)), {}, [])
    read = saved(performance, tmp_path)
    names = [node.name for node in read.gltf.nodes]
    assert len(set(names)) == len(names)
    assert {"head", "head 2", *SHAPES} <= set(names)
    materials = {m.name: m.pbrMetallicRoughness.baseColorFactor for m in read.gltf.materials}
    assert materials["#808080"] == pytest.approx([0.2158605, 0.2158605, 0.2158605, 1.0])
    assert materials["#ff0000"] == [1.0, 0.0, 0.0, 1.0]


def test_quaternions() -> None:
    random = np.random.default_rng(2)
    vectors = random.normal(size=(400, 3)).cumsum(axis=0) * 0.3
    vectors[:3] = [(np.pi, 0, 0), (0, np.pi, 0), (0, 0, -np.pi)]
    rotations = Rotation.from_rotvec(vectors)
    found = quaternions(rotations.as_matrix())
    assert np.allclose(Rotation.from_quat(found).as_matrix(), rotations.as_matrix(), atol=1e-12)
    assert (np.einsum("fa,fa->f", found[1:], found[:-1]) >= 0.0).all()
    assert quaternions(np.empty((0, 3, 3))).shape == (0, 4)
