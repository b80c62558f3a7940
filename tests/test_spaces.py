"""Animation space: coordinates are driven, loops stay closed, and MuJoCo finds no force that is not there."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import puppet
from puppet.dynamics import FilteredPerformance
from puppet.dynamics.filter import Filtered, gravity_of, newtons
from puppet.errors import PuppetError
from puppet.solver import CentreOfMass, Figure, Function
from puppet.spaces import Angles, AnimationSpace, Inchworm, PartPlace, read_space
from puppet.spaces.run_space import perform_space
from puppet.types import Floats
from tests import dynamics

mujoco = pytest.importorskip("mujoco")


@cache
def shown(name: str) -> FilteredPerformance:
    found = puppet.run(f"{name}.space.yaml")
    assert isinstance(found, FilteredPerformance)
    return found


def judged(found: FilteredPerformance) -> tuple[Floats, Floats]:
    """What MuJoCo leaves over at the root, of weight and of weight x height, in all frames but the first and last."""
    body, unit = found.body, newtons(found.body)
    table = np.array([(j, *at, 0.0) for j, joint in enumerate(body.joints) for at in joint.contacts.values()])
    inside = Filtered(np.array(found.angles), table, found.contact_forces / unit, np.array(found.joint_torques), None)
    verdict = dynamics.judge(body, inside, fps=found.fps)
    return verdict.force[1:-1], verdict.moment[1:-1]


def part(found: FilteredPerformance, name: str) -> Floats:
    return found.joint_positions[:, found.joint_names.index(name)]


def points(found: FilteredPerformance, name: str) -> list[int]:
    return [i for i, point in enumerate(found.contact_points) if point.startswith(f"{name}.")]


@pytest.mark.parametrize("name", ["chain", "sitting", "inchworm"])
def test_mujoco_finds_no_other_force(name: str) -> None:
    force, moment = judged(shown(name))
    assert force.max() < 0.01
    assert moment.max() < 0.01


def test_a_chain_reaches_with_a_fixed_segment_and_moves_it_only_where_it_must() -> None:
    found = shown("chain")
    first = np.degrees(found.angles[:, [found.body.dof("segment_1", axis) for axis in "xz"]])
    for frame, goal in ((60, (0.3, 0.4, 0.5)), (110, (-0.25, 0.3, 0.5))):
        assert np.linalg.norm(part(found, "end")[frame] - goal) < 0.001
    assert np.abs(first[:111] - first[0]).max() < 0.2
    assert np.linalg.norm(part(found, "end")[-1] - (-0.75, 0.45, 0.2)) < 0.01
    assert np.abs(first[-1] - first[0]).max() > 10.0
    assert np.ptp(found.contact_places, axis=0).max() < 1e-4  # the foot stays


def test_closed_loops_of_who_sits_only_push_inside_their_cones() -> None:
    found = shown("sitting")
    forces, weight = found.contact_forces, 70 * 9.81
    assert forces[:, :, 1].min() > -1e-6 * weight
    assert (np.linalg.norm(forces[:, :, [0, 2]], axis=2) - 0.8 * forces[:, :, 1]).max() < 1e-6 * weight
    assert np.allclose(forces[2].sum(axis=0), [0.0, weight, 0.0], atol=0.01 * weight)
    for name in ("pelvis", "left_foot", "right_foot", "left_hand", "right_hand"):
        bears = points(found, name)
        assert forces[:, bears, 1].sum(axis=1).max() > 0.01 * weight
        assert np.ptp(found.contact_places[:, bears], axis=0).max() * 1750 < 0.5  # millimetres
    assert part(found, "neck")[55, 2] - part(found, "neck")[0, 2] > 0.1  # it leans


def test_an_inchworm_follows_goals_on_the_ground() -> None:
    found = shown("inchworm")
    front = part(found, "front")[:, [0, 2]]
    frames = [int(np.argmin(np.linalg.norm(front - goal, axis=1))) for goal in found.report["crawl"]["goals"]]
    assert frames == sorted(frames)
    for frame, goal in zip(frames, found.report["crawl"]["goals"], strict=True):
        assert np.linalg.norm(front[frame] - goal) < 0.02
    assert found.contact_places[:, :, 1].min() > -0.001
    assert part(found, "segment_5")[:, 1].max() > 0.3  # it arches
    assert part(found, "segment_5")[:, 1].min() > 0.05  # and never goes into the ground


def test_ropes_only_pull_and_keep_their_length() -> None:
    found, weight = shown("ropes"), 70 * 9.81
    force, moment = judged(found)
    assert force.max() < 0.01
    assert moment.max() < 0.01
    for side, x in (("left", 0.25), ("right", -0.25)):
        i = points(found, f"{side}_hand")[0]
        way = np.array([x, 2.35, 0.0]) - found.contact_places[:, i]
        far = np.linalg.norm(way, axis=1, keepdims=True)
        pull = (found.contact_forces[:, i] * way / far).sum(axis=1)
        across = np.linalg.norm(found.contact_forces[:, i] - pull[:, None] * way / far, axis=1)
        assert pull.min() >= 0.0
        assert across.max() < 1e-6 * weight
        held = slice(0, 301) if side == "left" else slice(0, None)
        assert np.ptp(far[held]) * 1750 < 5.0  # millimetres
        assert pull[302:].max() == 0.0 if side == "left" else pull[302:].max() > weight
    hands = np.r_[points(found, "left_hand"), points(found, "right_hand")]
    others = np.delete(np.arange(found.contact_forces.shape[1]), hands)
    assert not found.contact_forces[:, others].any()


def test_a_stiff_figure_that_is_thrown_keeps_its_energy() -> None:
    body = puppet.Body.load("person")
    angles = np.array(Figure(body).angles)
    angles[1] += 1.0
    space = AnimationSpace(body, angles, calm=0.0)
    space.push("chest", (0.0, 0.0, 600.0))
    space.step()
    before = [space.energy for _ in range(15) if space.step() is not None]
    assert np.ptp(before) < 0.002 * before[0]


def test_a_function_of_angles_is_a_task_of_figures_too() -> None:
    figure = Figure(puppet.Body.load("chain"))
    sum_of_two = Function(lambda a, b: a + b, 0.5, of=("segment_1.x", "segment_2.x"))
    figure.hold("sum", sum_of_two)
    figure.settle()
    assert figure.residuals["sum"] < 1e-6
    with pytest.raises(PuppetError, match="ball joint"):
        Figure(puppet.Body.load("person")).hold("bad", Function(lambda a: a, 0.0, of=("left_hip.x",)))


def test_functions_bend_as_they_should() -> None:
    """The second derivative along a motion: |p|^2 with p = a + v t has 2 v.v."""
    square = Function(lambda p: p @ p, 0.0, of=("end",))
    assert square.bend([np.array([0.1, 0.2, 0.3])], np.array([1.0, -2.0, 0.5])) == pytest.approx([10.5], rel=1e-5)


def test_functions_and_the_centre_of_mass_are_coordinates() -> None:
    space = AnimationSpace(puppet.Body.load("chain"))
    space.close("foot")
    far = Function(lambda p, q: np.linalg.norm(p - q), 0.7, of=("end", "foot"))
    space.drive("far", far)
    space.drive("mass", CentreOfMass(x=0.05))
    space.run(45)
    figure = space.figure
    assert np.linalg.norm(figure.position("end") - figure.position("foot")) == pytest.approx(0.7, abs=0.002)
    assert figure.centre_of_mass[0] == pytest.approx(0.05, abs=0.002)
    assert max(judged(space.performance())[0]) < 0.01


def test_a_pushed_chain_comes_back() -> None:
    space = AnimationSpace(puppet.Body.load("chain"))
    space.close("foot")
    goal = space.figure.position("end")
    space.drive("end", PartPlace("end"))
    for _ in range(4):
        space.push("segment_5", (20.0, 0.0, 0.0))
        space.step()
    away = np.linalg.norm(space.figure.position("end") - goal)
    space.run(30)
    assert np.linalg.norm(space.figure.position("end") - goal) < 0.2 * max(away, 1e-3)


def test_the_same_file_gives_the_same_frames() -> None:
    text = "body: chain\nframes: 12\nloops: [{part: foot, by: grip}]\n"
    text += "drive: {e: {place: end, keys: [{at: 0}, {at: 9, to: [0, 0.6, 0.4]}]}}"
    one, other = (perform_space(read_space(text, "chain")) for _ in range(2))
    assert one.angles.tobytes() == other.angles.tobytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("body: chain", "frames"),
        ("body: chian\nframes: 3", "1:7: body: .*chain"),
        ("body: chain\nframes: 3\nloops: [{part: food, by: grip}]", "3:16: .*did you mean 'foot'"),
        ("body: chain\nframes: 3\nloops: [{part: end, by: grip}]", "no points of contact"),
        ("body: chain\nframes: 3\nloops: [{part: foot, by: gripp}]", "did you mean 'grip'"),
        ("body: chain\nframes: 3\nloops: [{part: foot, by: rope}]", "hangs 'from' a place"),
        ("body: chain\nframes: 9\ndrive: {a: {place: end, axes: xw, keys: [{at: 0}]}}", "some of x, y and z"),
        ("body: chain\nframes: 9\ndrive: {a: {angles: [segment_1.y], keys: [{at: 0}]}}", "unknown degree of freedom"),
        ("body: chain\nframes: 9\ndrive: {a: {place: end, keys: [{at: 5}, {at: 5, to: [0, 0, 0]}]}}", "out of order"),
        ("body: seated\nframes: 3", "free root"),
        ("body: chain\ncrawl: [[0, 1]]", "cannot crawl"),
    ],
)
def test_mistakes_are_told(text: str, message: str) -> None:
    with pytest.raises(PuppetError, match=message):
        perform_space(read_space(text, "my.space.yaml"))


def test_mistakes_in_python_are_told() -> None:
    space = AnimationSpace(puppet.Body.load("chain"))
    for make, message in (
        (lambda: space.close("foot", by="glue"), "closed by"),
        (lambda: space.close("feet"), "known: 'foot'"),
        (lambda: space.stop("end"), "nothing is driven"),
        (lambda: space.drive("end", PartPlace("end"), (1.0, 2.0)), "has 3 values"),
        (lambda: space.drive("a", Angles("segment_9.x")), "unknown part"),
        (lambda: Inchworm(puppet.Body.load("person")), "cannot crawl"),
    ):
        with pytest.raises(PuppetError, match=message):
            make()
    assert gravity_of(space.body) == pytest.approx(9.81)
