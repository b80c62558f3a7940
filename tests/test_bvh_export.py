"""BVH export: other programs' readers get the joint positions that we draw, in every script and rotation order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import puppet
from puppet import Body, Performance, PuppetError, Table
from puppet.bvh import read_bvh
from puppet.files import shipped
from puppet.geometry import Transform, continuous_angles, euler_angles
from puppet.geometry.transform import rotation_about
from puppet.scene import Object, Scene
from puppet.types import Floats
from tests import performances
from tests.other_readers import READERS

DATA = Path(__file__).parent / "data"
SCRIPTS = sorted(path for path in shipped.folder("scripts").glob("*.puppet"))
ORDERS = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]


def performance_of(body: Body, angles: Floats, fps: float = 30.0) -> Performance:
    """Angles as a performance, with two objects, one of which tumbles."""
    spaces = {"here": (0.1, 0.6, 0.3), "there": (-0.1, 0.6, 0.3)}
    things = [(Object("a cup!", 0.03, "gold", "cup"), "here"), (Object("block", 0.04), "there")]
    scene = Scene.build(Table(0.6, 0.2), spaces, things)
    changes = []
    for n in range(len(angles)):
        tumbling = rotation_about(np.array([0.11, 0.07, -0.05]) * n)
        cup, block = Transform.of((0.1, 0.63 + 0.01 * n, 0.3), tumbling), Transform.of((-0.1, 0.64, 0.3))
        changes.append((n, {"a cup!": cup, "block": block}))
    return Performance(body, scene, fps, angles, {}, changes)


def wild_angles(body: Body, frames: int = 40) -> Floats:
    """A smooth motion through a good part of all angles."""
    random = np.random.default_rng(5)
    phase, speed = random.uniform(0, 6, body.dofs), random.uniform(0.02, 0.12, body.dofs)
    return np.asarray(2.6 * np.sin(phase + np.arange(frames)[:, None] * speed))


@pytest.fixture(scope="module")
def wild() -> Performance:
    body = Body.load(DATA / "bodies" / "all_orders.yaml")
    assert {tuple(r.axis for r in joint.rotations) for joint in body.joints} == set(ORDERS)
    return performance_of(body, wild_angles(body))


@pytest.fixture(scope="module")
def seated(body: Body) -> Performance:
    return performance_of(body, wild_angles(body), fps=24.0)


def person_on_the_move() -> Performance:
    """A person whose root is moved and turned through space by pins and drags."""
    performance = puppet.run(
        'environment "blocks.yaml"\nbody person\nunpin pelvis\n'
        "drag pelvis by (0.05, 0.2, 0.15), speed 20\nunpin left foot\n"
        "drag left hand to (0.5, 0.9, 0.6), speed 20\nunpin right foot\n"
        "drag right shoulder by (-0.3, 0.2, -0.4), point (-0.1, 0, 0), speed 20\n"
    )
    root = performance.joint_transforms[:, 0]
    assert np.ptp(root[:, :3], axis=0).min() > 0.1
    assert max(Transform.of(row[:3], row[3:]).angle(Transform.of(root[0, :3], root[0, 3:])) for row in root) > 0.3
    return performance


@pytest.fixture(scope="module")
def dragged() -> Performance:
    return person_on_the_move()


@pytest.fixture(scope="module")
def flying() -> Performance:
    body = Body.load("person")
    return performance_of(body, wild_angles(body))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_others_read_what_we_draw_in_every_frame_of_every_script(script: Path, tmp_path: Path) -> None:
    performance = performances.performance(script.name)
    path = tmp_path / "motion.bvh"
    performance.save(path)
    assert_read_alike(performance, path)
    values = read_bvh(path).values
    assert np.abs(np.diff(values, axis=0)).max(initial=0.0) < 180.0, "an angle jumps"


@pytest.mark.parametrize("which", ["wild", "seated", "dragged", "flying"])
def test_others_read_what_we_draw_for_every_body_and_rotation_order(
    which: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    performance = request.getfixturevalue(which)
    path = tmp_path / "motion.bvh"
    performance.save(path)
    assert_read_alike(performance, path)


def assert_read_alike(performance: Performance, path: Path) -> None:
    """All readers, our own too, give the drawn positions within 1e-4 in every frame."""
    own = read_bvh(path)
    assert set(own.joint_names) == set(performance.joint_names)
    found = {"puppet": {name: own.joint_positions[:, k] for k, name in enumerate(own.joint_names)}}
    found |= {name: reader(path) for name, reader in READERS.items()}
    for reader, positions in found.items():
        for k, joint in enumerate(performance.joint_names):
            drawn = performance.joint_positions[:, k]
            assert positions[joint].shape == drawn.shape, (reader, joint)
            assert np.abs(positions[joint] - drawn).max() < 1e-4, (reader, joint)


def test_the_file_is_made_as_others_like_it(seated: Performance, tmp_path: Path) -> None:
    path = tmp_path / "motion.bvh"
    seated.save(path)
    lines = path.read_text().splitlines()
    assert lines[:4] == ["HIERARCHY", "ROOT abdomen", "{", "\tOFFSET 0.000000000 0.000000000 0.000000000"]
    assert all(line.strip() == "{" for line in lines if "{" in line)
    clip = read_bvh(path)
    assert clip.joint_names == seated.joint_names
    assert clip.frame_time == 1.0 / 24.0
    assert [len(joint.channels) for joint in clip.joints] == [6] + [3] * 8
    for joint, ours in zip(clip.joints, seated.body.joints, strict=True):
        order = "".join(channel[0] for channel in joint.channels if channel.endswith("rotation")).lower()
        assert order == "".join("xyz"[rotation.axis] for rotation in ours.rotations)
    assert [joint.name for joint in clip.joints if joint.ends] == ["left_hand", "right_hand", "head"]
    assert clip.joints[4].ends == ((0.1, 0.0, 0.0),)
    angles = np.degrees(seated.angles)
    assert np.abs(clip.values[:, 3:] - angles).max() < 1e-6  # the body's own angles
    seated.save(tmp_path / "again.bvh")
    assert (tmp_path / "again.bvh").read_bytes() == path.read_bytes()
    assert "-0.00000000 " not in path.read_text()


def test_every_end_has_a_length(wild: Performance, tmp_path: Path) -> None:
    wild.save(tmp_path / "motion.bvh")
    clip = read_bvh(tmp_path / "motion.bvh")
    leaves = [joint for j, joint in enumerate(clip.joints) if j not in clip.parents]
    assert {joint.name for joint in leaves} == {"left_hand", "right_hand", "tail_end"}
    for joint in clip.joints:
        assert len(joint.ends) == (joint in leaves)
        assert all(np.linalg.norm(end) > 0.01 for end in joint.ends)


def test_rest_pose_is_the_zero_posture(seated: Performance, tmp_path: Path) -> None:
    seated.save(tmp_path / "motion.bvh", t_pose=True)
    clip = read_bvh(tmp_path / "motion.bvh")
    assert len(clip) == len(seated.angles) + 1
    centres = [joint.centre for joint in seated.body.joints]
    assert np.allclose(clip.joint_positions[0], centres, atol=1e-9)
    assert np.allclose(clip.joint_positions[1:], seated.joint_positions, atol=1e-8)
    assert not clip.values[0, 3:].any()


@pytest.mark.parametrize("scale", [0.001, 1.75, 175.0])
def test_units(seated: Performance, tmp_path: Path, scale: float) -> None:
    seated.save(tmp_path / "motion.bvh", scale=scale)
    clip = read_bvh(tmp_path / "motion.bvh")
    assert np.allclose(clip.joint_positions, scale * seated.joint_positions, rtol=1e-6, atol=1e-7 * scale)
    assert clip.joints[4].ends[0] == pytest.approx((0.1 * scale, 0, 0))


@pytest.mark.parametrize("which", ["wild", "seated", "flying"])
def test_z_up_turns_the_whole_world(which: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    performance = request.getfixturevalue(which)
    path = tmp_path / "motion.bvh"
    performance.save(path, up="z", objects=True)
    turned = performance.joint_positions[..., [0, 2, 1]] * (1, -1, 1)  # (x, y, z) is (x, -z, y) there
    for reader, read in READERS.items():
        found = read(path)
        for k, joint in enumerate(performance.joint_names):
            assert np.abs(found[joint] - turned[:, k]).max() < 1e-4, (reader, joint)
    ends = read_bvh(path).bones(0)[:, 1]  # rest pose and offsets are turned as well: the ends are where we draw them
    ours = performance.body.arrays.tips[performance.body.joint("left_hand")]
    hand = performance.joint_transforms[0, performance.body.joint("left_hand")]
    tip = hand[:3] + hand[3:].reshape(3, 3) @ ours
    assert np.abs(ends - (tip[0], -tip[2], tip[1])).max(axis=1).min() < 1e-6
    things = read_bvh(path.with_suffix(".objects.bvh"))
    assert np.allclose(things.joint_positions[:, 1:], performance.object_positions[..., [0, 2, 1]] * (1, -1, 1))


def test_objects_beside_it(seated: Performance, tmp_path: Path) -> None:
    path = tmp_path / "motion.bvh"
    seated.save(path, objects=True, t_pose=True)
    target = tmp_path / "motion.objects.bvh"
    clip = read_bvh(target)
    assert clip.joint_names == ("objects", "a_cup_", "block")
    assert len(clip) == len(read_bvh(path))
    assert np.allclose(clip.joint_positions[1:, 1:], seated.object_positions, atol=1e-8)
    rotations = seated.object_transforms[:, :, 3:].reshape(-1, 2, 3, 3)
    assert np.allclose(clip.joint_rotations[1:, 1:], rotations, atol=1e-8)
    assert np.abs(np.diff(clip.values, axis=0)).max() < 90.0
    for name in ("bvhio",):
        found = READERS[name](target)
        assert np.abs(found["a_cup_"][1:] - seated.object_positions[:, 0]).max() < 1e-4
    seated.save(tmp_path / "alone.bvh")
    assert not (tmp_path / "alone.objects.bvh").exists()


@pytest.mark.parametrize("frames", [0, 1])
def test_no_frames_and_one(body: Body, tmp_path: Path, frames: int) -> None:
    performance = performance_of(body, np.zeros((frames, body.dofs)))
    performance.save(tmp_path / "motion.bvh", objects=True)
    assert len(read_bvh(tmp_path / "motion.bvh")) == frames
    assert len(read_bvh(tmp_path / "motion.objects.bvh")) == frames


@pytest.mark.parametrize(
    "option", [{"scale": 0.0}, {"scale": "big"}, {"scale": float("nan")}, {"up": "x"}, {"up": None}], ids=str
)
def test_options_that_make_no_sense(seated: Performance, tmp_path: Path, option: dict[str, object]) -> None:
    with pytest.raises(PuppetError, match="must be"):
        seated.save(tmp_path / "motion.bvh", **option)
    assert not list(tmp_path.iterdir())


def same_rotations(first: Floats, second: Floats, order: tuple[int, int, int]) -> bool:
    name = "".join("XYZ"[axis] for axis in order)  # capitals: about the turned axes, which is R1 R2 R3
    a, b = (Rotation.from_euler(name, angles, degrees=True).as_matrix() for angles in (first, second))
    return bool(np.allclose(a, b, atol=1e-9))


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(ORDERS), st.integers(0, 10_000))
def test_angles_never_jump_and_mean_the_same(order: tuple[int, int, int], seed: int) -> None:
    random = np.random.default_rng(seed)
    axis = random.normal(size=(60, 3)).cumsum(axis=0) * 0.04
    axis = random.normal(size=3) + axis
    matrices = Rotation.from_rotvec(axis).as_matrix()
    angles = euler_angles(matrices, order)
    name = "".join("XYZ"[axis] for axis in order)
    assert np.allclose(Rotation.from_euler(name, angles, degrees=True).as_matrix(), matrices, atol=1e-9)
    # As a solver may give them: either of the two triples, and any whole turns.
    other = np.array([1, -1, 1]) * angles + 180
    mixed = np.where(random.random(60)[:, None] < 0.5, angles, other) + 360 * random.integers(-2, 3, (60, 3))
    smooth = continuous_angles(mixed)
    assert same_rotations(smooth, mixed, order)
    assert np.abs(np.diff(smooth, axis=0)).max() <= 180.0
    bend = np.abs(np.abs(angles[:, 1]) - 90).min()
    if bend > 45:  # away from where two axes fall together, a slow motion has slow angles
        assert np.abs(np.diff(smooth, axis=0)).max() < 90.0


def test_continuous_angles_stay_as_they_are() -> None:
    angles = np.column_stack([np.linspace(-170, 170, 50), np.linspace(0, 120, 50), np.linspace(100, -100, 50)])
    assert (continuous_angles(angles) == angles).all()
    whole_turn = angles.copy()
    whole_turn[25:, 0] -= 360
    assert np.allclose(continuous_angles(whole_turn), angles)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("order", ORDERS)
def test_angles_where_two_axes_fall_together(order: tuple[int, int, int], sign: int) -> None:
    name = "".join("XYZ"[axis] for axis in order)
    matrices = Rotation.from_euler(name, [[20, sign * 90, 50], [0, sign * 90, 0]], degrees=True).as_matrix()
    found = euler_angles(matrices, order)
    assert np.allclose(Rotation.from_euler(name, found, degrees=True).as_matrix(), matrices, atol=1e-6)
