"""The judges of motion see what is there: known distances, planted faults, known strokes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import puppet
from benchmarks.motion.classifier import FEATURES, auc
from benchmarks.motion.clearances import overlaps
from benchmarks.motion.depth import Hulls, depths
from benchmarks.motion.holds import hold_drifts, things_without_a_hand
from benchmarks.motion.measuring import judge
from benchmarks.motion.obstructions import Boxes, shortest_way
from benchmarks.motion.people import recorded_strokes
from benchmarks.motion.promises import broken_clearances, broken_holds, broken_seams, broken_wrists
from benchmarks.motion.reaches import FLEXION, ULNAR, gaze_angles, reaches, velocity_steps, wrist_angles
from benchmarks.motion.scenes import CATEGORIES, make_case
from benchmarks.motion.solids import WORLD, balls_of, box_balls, scene_solids
from benchmarks.motion.strokes import RATE, stroke_of
from benchmarks.motion.table import rows, text
from benchmarks.motion.tasks import holds_of, tasks_of
from puppet.body import Body, Shape
from puppet.geometry import Transform
from puppet.performance import Performance
from puppet.shows import run
from puppet.types import Floats

CLOSE = 1e-4
CARRY = "reach yellow with left, grip top\nlock left\nslide left by (0, 0.08, 0)\nunlock left\n"


@pytest.fixture(scope="module")
def carried() -> Performance:
    return run(CARRY, environment="blocks.yaml")


def hulls(centres: Floats, radii: Floats, stretch: Floats, count: int) -> Hulls:
    return Hulls(np.tile(centres, (count, 1, 1)), np.tile(radii, (count, 1)), np.tile(stretch, (count, 1, 1)))


def points(rows: Floats) -> Hulls:
    return Hulls(rows[:, None], np.zeros((len(rows), 1)), np.zeros((len(rows), 3, 3)))


# ---- depths


def test_the_depth_of_a_point_in_a_box_is_its_signed_distance() -> None:
    rng = np.random.default_rng(1)
    low, high = np.array([-0.4, -0.022, 0.0]), np.array([0.4, 0.0, 0.36])
    tried = rng.uniform(low - 0.05, high + 0.05, (300, 3))
    outside = np.abs(tried - 0.5 * (low + high)) - 0.5 * (high - low)
    distance = np.linalg.norm(np.maximum(outside, 0.0), axis=1) + np.minimum(outside.max(axis=1), 0.0)
    found = depths(hulls(*box_balls(low, high), len(tried)), points(tried))
    np.testing.assert_allclose(-found, distance, atol=CLOSE)


def test_the_distance_of_a_point_from_an_ellipsoid_is_along_its_normal() -> None:
    rng = np.random.default_rng(2)
    radii = (0.081, 0.085, 0.058)
    surface = rng.normal(size=(300, 3))
    surface *= np.array(radii) / np.linalg.norm(surface, axis=1, keepdims=True)
    normal = surface / np.array(radii) ** 2
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    shape = Shape("ball", ((0.0, 0.0, 0.0),), radii, "")
    for distance in (0.03, 0.002, -0.01):
        found = depths(hulls(*balls_of(shape), 300), points(surface + distance * normal))
        np.testing.assert_allclose(-found, distance, atol=CLOSE)


def test_the_depth_of_two_capsules_is_that_of_their_balls() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(scale=0.1, size=(2, 100, 2, 3))
    r, s = rng.uniform(0.01, 0.04, (2, 100, 2))
    along = np.linspace(0.0, 1.0, 201)
    weights = np.stack([1.0 - along, along])  # (2, n)
    nearest = []
    for n in range(100):
        apart = np.linalg.norm((weights.T @ a[n])[:, None] - (weights.T @ b[n])[None], axis=2)
        nearest.append((apart - (r[n] @ weights)[:, None] - (s[n] @ weights)[None]).min())
    none = np.zeros((100, 3, 3))
    np.testing.assert_allclose(-depths(Hulls(a, r, none), Hulls(b, s, none)), nearest, atol=1e-3)


def test_who_is_clear_is_left_early() -> None:
    sphere = (np.zeros((1, 3)), np.array([0.1]), np.zeros((3, 3)))
    far = points(np.array([[0.5, 0.0, 0.0], [0.05, 0.0, 0.0]]))
    found = depths(hulls(*sphere, 2), far, clear=0.0)
    assert found[0] < 0.0
    assert found[1] == pytest.approx(0.05, abs=CLOSE)


# ---- what is solid


def test_board_and_stands_are_where_they_are_drawn(carried: Performance) -> None:
    still = [solid for solid in scene_solids(carried) if solid.joint == WORLD and solid.thing < 0]
    corners = {solid.part: solid.centres[:8] for solid in still if solid.group == "table"}
    assert corners["table"].max(axis=0)[1] == pytest.approx(carried.scene.table.height)
    assert corners["table"].min(axis=0)[2] == pytest.approx(carried.scene.table.front)
    plate, post = [solid.centres[:8] for solid in still if solid.group == "stand"]
    shelf = np.array(carried.scene.space("shelf").position)
    assert plate.max(axis=0)[1] == pytest.approx(shelf[1])
    assert plate.min(axis=0)[1] == pytest.approx(post.max(axis=0)[1])
    assert post.min(axis=0)[1] == pytest.approx(carried.scene.table.height)
    np.testing.assert_allclose(plate.mean(axis=0)[::2], shelf[::2], atol=1e-6)
    assert np.ptp(plate, axis=0)[0] > np.ptp(post, axis=0)[0]


# ---- planted faults


def changed(performance: Performance, joint: str, axis: str, degrees: float, frames: slice) -> Performance:
    """The performance with one joint turned further in some frames."""
    angles = performance.angles.copy()
    angles[frames, performance.body.dof(joint, axis)] += np.radians(degrees)
    return replace(performance, angles=angles)


def test_an_arm_in_the_table_is_found_with_its_depth() -> None:
    """As deep as the deepest of the balls that the forearm's capsules are made of, in a box."""
    carried = run(CARRY, environment="blocks.yaml", body="seated")
    forearm = carried.body.joint("left_forearm")
    frame = int(carried.joint_transforms[:-1, forearm, 2].argmax())  # far over the table
    lowered = changed(carried, "abdomen", "x", 45.0, slice(frame, frame + 1))
    row = lowered.joint_transforms[frame, forearm]
    (board,) = [solid.centres[:8] for solid in scene_solids(lowered) if solid.group == "table"]
    middle, half = board.mean(axis=0), 0.5 * np.ptp(board, axis=0)
    along, deepest = np.linspace(0.0, 1.0, 401)[:, None], 0.0
    for shape in carried.body.joints[forearm].shapes:
        (a, b), (r, s) = (shape.points, shape.sizes) if shape.kind == "capsule" else (2 * shape.points, shape.sizes[:2])
        centres = row[:3] + (np.array(a) + along * np.subtract(b, a)) @ row[3:].reshape(3, 3).T
        outside = np.abs(centres - middle) - half
        distance = np.linalg.norm(np.maximum(outside, 0.0), axis=1) + np.minimum(outside.max(axis=1), 0.0)
        deepest = max(deepest, float((r + along[:, 0] * (s - r) - distance).max()))
    assert deepest > 0.01, "the test must be about something"
    (found,) = [overlap for overlap in overlaps(lowered) if overlap.parts == ("left forearm", "table")]
    assert found.depth[frame] == pytest.approx(deepest, abs=CLOSE)
    assert any(f"left forearm is {1750.0 * found.depth[frame]:.1f} mm" in words for words in broken_clearances(lowered))


def test_a_hand_that_leaves_what_it_holds_is_found(carried: Performance) -> None:
    (hold,) = holds_of(carried)
    (drift,) = hold_drifts(carried)
    assert drift.kept, "the hand holds as it is"
    assert broken_holds(carried) == []
    bent = changed(carried, "left_hand", "z", 20.0, slice(hold.end - 5, None))
    (drift,) = hold_drifts(bent)
    assert drift.angle == pytest.approx(20.0, abs=0.1)
    assert drift.angle_frame >= hold.end - 5
    assert not drift.kept
    assert "leaves 'yellow'" in broken_holds(bent)[0]


def test_a_thing_that_moves_by_itself_is_found(carried: Performance) -> None:
    assert things_without_a_hand(carried) == {}
    poses = dict(carried.changes[-1][1])
    poses["red"] = Transform.of(np.add(poses["red"].position, (0.0, 0.02, 0.0)))
    last = len(carried.angles) - 1
    moved = replace(carried, changes=(*carried.changes, (last, poses)))
    assert things_without_a_hand(moved) == {"red": [last]}
    assert "'red' moves without a hand" in broken_holds(moved)[0]


def test_a_carried_thing_in_another_is_found(carried: Performance) -> None:
    poses = dict(carried.changes[-1][1])
    apart = 0.03 + 0.035 - 0.01  # half of each, and 0.01 too near
    poses["yellow"] = Transform.of(np.add(poses["blue"].position, (apart, 0.0, 0.0)))
    last = len(carried.angles) - 1
    moved = replace(carried, changes=(*carried.changes, (last, poses)))
    (found,) = [overlap for overlap in overlaps(moved) if set(overlap.parts) == {"blue", "yellow"}]
    assert found.worst == (pytest.approx(0.01, abs=CLOSE), last)
    assert any("17.5 mm" in words for words in broken_clearances(moved)), "0.01 at 1.75 m a unit"


def test_a_snap_is_found(carried: Performance) -> None:
    end = tasks_of(carried)[0].end
    snapped = changed(carried, "left_forearm", "x", 5.0, slice(end, None))
    steps = velocity_steps(snapped) - velocity_steps(carried)
    assert np.unravel_index(steps.argmax(), steps.shape)[1] == carried.body.joint("left_forearm")
    assert steps.max() == pytest.approx(5.0 * carried.fps, rel=0.3)
    assert broken_seams(snapped)


# ---- wrists, gaze


@pytest.mark.parametrize("hand", ["left", "right"])
def test_wrists_bend_to_the_palm_and_to_the_little_finger(hand: str) -> None:
    body = Body.load("person")
    side = 1.0 if hand == "left" else -1.0
    angles = np.tile(body.rest, (3, 1))
    angles[1, body.dof(f"{hand}_hand", "z")] -= side * np.radians(30.0)  # the palm faces -y
    angles[2, body.dof(f"{hand}_hand", "y")] += side * np.radians(20.0)  # the thumb is at +z
    scene = puppet.Stage("blocks.yaml").scene
    found = wrist_angles(Performance(body, scene, 30.0, angles, {"tasks": []}, ()), hand)
    np.testing.assert_allclose(found, [[0.0, 0.0], [30.0, 0.0], [0.0, 20.0]], atol=1e-6)


def test_a_wrist_that_is_bent_too_far_is_found(carried: Performance) -> None:
    reach = reaches(carried)[0]
    worst = replace(reach, wrist=np.array([[FLEXION + 5.0, 0.0], [0.0, ULNAR + 9.0], [0.0, 0.0]]))
    np.testing.assert_allclose(worst.wrist_excess, [5.0, 9.0, 0.0])
    bent = changed(carried, "left_hand", "z", -100.0, slice(reach.task.end - 2, reach.task.end))
    assert any("left wrist" in words for words in broken_wrists(bent))


def test_the_gaze_ends_on_the_first_thing(carried: Performance) -> None:
    task = tasks_of(carried)[0]
    angles = gaze_angles(carried, task, task.goal(carried))
    assert angles[0] > angles[-1]
    assert len(angles) == task.end - task.start + 1


# ---- strokes


def minimum_jerk(distance: float = 0.4, seconds: float = 1.0) -> Floats:
    t = np.linspace(0.0, 1.0, round(seconds * RATE) + 1)
    way = np.zeros((len(t), 3))
    way[:, 0] = distance * (10 * t**3 - 15 * t**4 + 6 * t**5)
    return way


def test_the_figures_of_the_smoothest_stroke() -> None:
    stroke = stroke_of(minimum_jerk())
    assert stroke is not None
    assert stroke.ratio == pytest.approx(1.0)
    assert stroke.peaks == 1
    assert stroke.peak_speed == pytest.approx(1.875 * 0.4, rel=0.01)
    assert stroke.peak_time == pytest.approx(0.5, abs=0.03)
    assert (stroke.deviation, stroke.rise) == pytest.approx((0.0, 0.0), abs=1e-9)


def test_two_strokes_in_one_have_two_peaks() -> None:
    first, second = minimum_jerk(), minimum_jerk()[:, [2, 0, 1]]
    both = stroke_of(np.concatenate([first, first[-1] + second[1:]]))
    assert both is not None
    assert both.peaks == 2
    assert both.ratio == pytest.approx(np.sqrt(2.0), rel=0.02)
    assert both.deviation == pytest.approx(0.5, abs=0.02)


def test_the_shortest_way_over_a_box() -> None:
    """Up to its upper edges and over them, as far away as the ball is thick."""
    half = np.array([0.05, 0.1, 1.0])
    box = Boxes(np.zeros((1, 3)), half[None], np.eye(3)[None], np.zeros(1), np.array([True]))
    start, end = np.array([-0.25, 0.0, 0.0]), np.array([0.25, 0.0, 0.0])
    assert not box.segment_clear(start, end)
    found = shortest_way(start, end, box)
    assert found == pytest.approx(2.0 * np.hypot(0.2, 0.1) + 0.1, rel=0.03)


BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 3 Xposition Yposition Zposition
  JOINT LeftHand
  {
    OFFSET 0 50 0
    CHANNELS 3 Xposition Yposition Zposition
    End Site
    {
      OFFSET 0 50 0
    }
  }
}
MOTION
Frames: {count}
Frame Time: 0.0333333
"""


def test_strokes_are_cut_out_of_recordings(tmp_path: Path) -> None:
    """A figure 100 units tall is 1.75 m: its hand goes 0.35 m there, waits, and comes back."""
    there = 100.0 / 1.75 * minimum_jerk(0.35, 0.9)[:, 0]
    x = np.concatenate([np.zeros(15), there, np.full(15, there[-1]), there[::-1], np.zeros(15)])
    lines = [f"0 0 0 {value:.6f} 50 0" for value in x]
    (tmp_path / "reach.bvh").write_text(BVH.replace("{count}", str(len(x))) + "\n".join(lines) + "\n")
    found = recorded_strokes(tmp_path)["reach"]
    assert len(found) == 2
    for stroke in found:
        assert stroke.distance == pytest.approx(0.35, rel=0.02)
        assert stroke.ratio == pytest.approx(1.0, abs=0.01)
        assert 0.6 < stroke.duration < 0.9


def test_the_classifier_tells_what_differs_and_nothing_else() -> None:
    rng = np.random.default_rng(4)

    def strokes(count: int, ratio: float) -> list[dict[str, float]]:
        values = rng.normal(size=(count, len(FEATURES)))
        values[:, FEATURES.index("ratio")] = ratio + 0.1 * np.exp(values[:, FEATURES.index("ratio")])
        return [dict(zip(FEATURES, row, strict=True)) for row in values]

    assert auc(strokes(200, 1.0), strokes(200, 1.0))[0] == pytest.approx(0.5, abs=0.08)
    assert auc(strokes(60, 4.0), strokes(60, 1.0))[0] > 0.95


# ---- cases


@pytest.mark.parametrize("category", sorted(CATEGORIES))
def test_the_same_number_gives_the_same_case_and_all_figures(category: str) -> None:
    case = make_case(category, 0)
    again = make_case(category, 0)
    assert (case.script, case.scene) == (again.script, again.scene)
    performance = run(case.script, environment=case.scene, body=Body.load(case.body))
    figures = {**judge(case, performance, planner=False), "milliseconds": 1.0}
    assert len(figures["statuses"]) >= 2
    assert figures["frames"] == len(performance.angles)
    assert "promised" in text(rows([figures]))
