"""Walking, standing up, crouching, jumping, swinging: what stands stays, what flies falls, nothing is bent too far."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from puppet.body import Body, angular_momenta, joint_transforms
from puppet.files import strict_yaml
from puppet.kernels.solid_model import DISTANCE, MOVES
from puppet.locomotion import (
    crouching_course,
    find_route,
    follow_body,
    jump_problem,
    jumping_course,
    mass_centres,
    measured,
    moved_by,
    plan_footsteps,
    standing_upright,
    swing_problem,
    swinging_course,
    tread,
    walk_steps,
    walking_course,
)
from puppet.motion.solids import body_solids, near_pairs
from puppet.scene import HighBar, Stance, distance, load_environment, read_environment
from puppet.shows import run
from puppet.types import Floats

BODY = Body.load("person")
LEGS = measured(BODY)
STANDS = standing_upright(BODY, 0.0)
MILLIMETRE = 0.001 / 1.75
HERE = Stance((0.0, 0.0), 0.0)


def contacts(postures: Floats) -> Floats:
    """The points of both feet that touch the floor, (frames, points, 3)."""
    world = joint_transforms(BODY, postures)
    found = []
    for foot in LEGS.feet:
        for joint, points in ((foot.joint, foot.contacts), (foot.toes, foot.toe_contacts)):
            turns = world[:, joint, 3:].reshape(-1, 3, 3)
            found.append(world[:, joint, None, :3] + np.einsum("nab,kb->nka", turns, points))
    return np.concatenate(found, axis=1)


def slide(postures: Floats, near: float = MILLIMETRE) -> float:
    """How far a point drifts at most while it is on the floor."""
    worst = 0.0
    for course in contacts(postures).transpose(1, 0, 2):
        anchor = None
        for x, y, z in course:
            anchor = (anchor or (x, z)) if y < near else None
            worst = max(worst, math.dist(anchor, (x, z)) if anchor else 0.0)
    return worst


def legs_in_legs(postures: Floats) -> float:
    """How deep shins and feet get into each other at most."""
    solids = body_solids(BODY)
    limbs = {j: n for n, foot in enumerate(LEGS.feet) for j in (foot.joint, foot.toes, BODY.joints[foot.joint].parent)}
    legs = np.array([limbs.get(int(joint), -1) for joint in solids.joints])
    table = np.array(solids.table)
    table[:, MOVES] = legs >= 0
    none = np.zeros((0, 3)), np.zeros((1, 0, 12)), np.zeros(0, dtype=np.int64)
    apart = np.array((legs[:, None] < 0) | (legs < 0) | (legs[:, None] == legs), dtype=np.int64)
    pairs, _ = near_pairs(joint_transforms(BODY, postures), table, *none, apart, 0.0)
    return -float(pairs[:, DISTANCE].min(initial=0.0))


def walked(start: Stance, route: list[tuple[float, float]], turn: float | None = None) -> Floats:
    first = moved_by(BODY, STANDS[None], start.place, start.turn)[0]
    steps = plan_footsteps(LEGS, start, route, turn)
    course = walking_course(BODY, LEGS, start, 0.0, steps, None, first, BODY.hands)
    found, missed = follow_body(BODY, LEGS, first, course, np.tile(first, (course.frames, 1)))
    assert missed.max() < 0.1 * MILLIMETRE
    return np.concatenate([first[None], found])


WALKS = {
    "straight": (HERE, [(0.0, 1.7)], None),
    "around": (HERE, [(0.0, 0.7), (0.8, 1.0)], math.radians(-60.0)),
    "behind": (Stance((0.2, 0.1), 0.4), [(-0.3, -1.0)], None),
    "aside": (HERE, [(0.25, 0.05)], None),
    "turn": (HERE, [], math.radians(150.0)),
    "turn a little": (HERE, [], math.radians(-90.0)),
    "sharp": (HERE, [(0.0, 1.0), (0.5, 0.2)], None),
    "to a table": (Stance((-1.3, -0.5), 1.22), [(0.37, -0.46), (0.24, 0.0)], 0.0),
    "zigzag": (Stance((0.0, 0.0), -0.45), [(0.33, -0.14), (-0.69, -0.27), (0.17, -0.5)], -2.85),
    "there and back": (Stance((0.0, 0.0), 0.65), [(0.81, -0.39), (0.41, 0.05)], None),
}


@pytest.mark.parametrize("walk", WALKS)
def test_feet_that_stand_stay_and_others_go_over_the_floor(walk: str) -> None:
    postures = walked(*WALKS[walk])
    assert slide(postures) < MILLIMETRE
    assert contacts(postures)[:, :, 1].min() > -0.05 * MILLIMETRE
    assert max(BODY.limit_excess(angles) for angles in postures) < 1e-9  # so no knee bends backwards
    knees = postures[:, [BODY.dof("left_knee", "x"), BODY.dof("right_knee", "x")]]
    assert knees.min() > math.radians(3.0)
    assert legs_in_legs(postures) < MILLIMETRE
    start, route, turn = WALKS[walk]
    x, z = postures[-1, [0, 2]]
    assert math.dist((x, z), route[-1] if route else start.place) < 2e-3
    if turn is not None:
        assert math.cos(postures[-1, 3] - turn) > math.cos(0.01)


def test_a_walk_is_as_fast_as_people_walk_and_its_knees_bend_as_theirs() -> None:
    postures = walked(HERE, [(0.0, 2.6)])
    middle = slice(len(postures) // 4, -len(postures) // 4)
    speed = np.diff(mass_centres(BODY, postures)[:, 2])[middle] * 30.0
    assert 0.55 < speed.mean() < 0.85  # heights a second; 0.8 in a recorded walk
    knee = np.degrees(postures[middle, BODY.dof("left_knee", "x")])
    assert knee.min() < 20.0
    assert 55.0 < knee.max() < 80.0  # 9 and 73 degrees there


def test_the_phases_of_a_step_are_those_of_people() -> None:
    """Beside a recorded walk, CMU 02_01: legs stretch behind the body, the pelvis goes up and down by 1.8 % of the
    height, turns with the leg ahead and drops on the side of the leg that comes ahead."""
    postures = walked(HERE, [(0.0, 4.0)])
    world = joint_transforms(BODY, postures)
    parts = ("left_hip", "left_knee", "left_foot", "pelvis", "right_hip")
    hip, knee, foot, pelvis, other = (BODY.joint(name) for name in parts)
    ahead = world[:, foot, 2] - world[:, pelvis, 2]
    count = len(postures)
    strikes = [n for n in range(10, count - 10) if ahead[n] == ahead[n - 8 : n + 9].max() and ahead[n] > 0.15]
    first, last = strikes[1], strikes[2]
    cycle = np.arange(first, last)
    bend = np.degrees(postures[cycle, BODY.dof("left_knee", "x")])
    part = np.linspace(0.0, 1.0, len(cycle))
    assert bend[(part > 0.35) & (part < 0.6)].max() < 32.0  # 23 there: behind the body a leg is nearly straight
    assert 55.0 < bend.max() < 80.0  # 73, in the swing
    thigh = world[cycle][:, knee, :3] - world[cycle][:, hip, :3]
    lean = np.degrees(np.arctan2(thigh[:, 2], -thigh[:, 1]))
    assert 25.0 < lean.max() < 40.0  # 31
    assert -27.0 < lean.min() < -12.0  # -18
    assert 0.01 < np.ptp(world[cycle, pelvis, 1]) < 0.025  # 0.018
    turn = world[cycle][:, hip, 2] - world[cycle][:, other, 2]
    assert turn[0] > 0.007
    assert turn[len(turn) // 2] < -0.007  # the hip goes ahead with its leg
    lists = world[cycle][:, hip, 1] - world[cycle][:, other, 1]
    assert lists[0] < 0.0 < lists[len(lists) // 3]


def test_the_mass_is_over_the_feet_at_both_ends_of_a_walk() -> None:
    postures = walked(HERE, [(0.0, 1.2)])
    for n in (0, -1):
        points = contacts(postures)[n]
        x, _, z = mass_centres(BODY, postures)[n]
        assert points[:, 0].min() < x < points[:, 0].max()
        assert points[:, 2].min() < z < points[:, 2].max()


def test_arms_swing_against_the_legs() -> None:
    postures = walked(HERE, [(0.0, 2.0)])
    world = joint_transforms(BODY, postures)[:, :, 2]
    leg = world[:, BODY.joint("left_foot")] - world[:, BODY.joint("right_foot")]
    arm = world[:, BODY.joint("left_hand")] - world[:, BODY.joint("right_hand")]
    assert np.corrcoef(leg, arm)[0, 1] < -0.8


@pytest.mark.parametrize(("far", "height", "frames"), [(0.7, 0.3, None), (0.0, 0.2, None), (0.5, None, 18)])
def test_in_flight_the_mass_is_on_its_parabola(far: float, height: float | None, frames: int | None) -> None:
    course = jumping_course(BODY, LEGS, HERE, Stance((0.0, far)), 0.0, height, frames, STANDS, BODY.hands)
    postures, missed = follow_body(BODY, LEGS, STANDS, course, np.tile(STANDS, (course.frames, 1)))
    assert course.flies is not None
    air = np.flatnonzero(course.flies)
    mass = mass_centres(BODY, postures)
    falls = np.diff(mass[air], 2, axis=0) * 900.0
    np.testing.assert_allclose(falls[:, 1], -LEGS.gravity, atol=1e-6)
    np.testing.assert_allclose(falls[:, [0, 2]], 0.0, atol=1e-6)
    momentum = angular_momenta(BODY, joint_transforms(BODY, postures), 30.0)[air[0] : air[-1] + 2]
    assert np.abs(momentum - momentum[0]).max() < 1e-5
    assert contacts(postures)[:, :, 1].min() > -0.05 * MILLIMETRE
    assert missed.max() < 0.03
    assert abs(postures[-1, 2] - far) < 5e-3
    if height is not None:
        assert abs(mass[:, 1].max() - mass[air[0] - 1, 1] - height) < 0.02
    else:
        assert abs(len(air) + 1 - frames) <= 1  # type: ignore[operator]
    on_floor = np.flatnonzero(~course.flies)
    assert contacts(postures[on_floor])[:, :, 1].min() > -0.03


@pytest.mark.parametrize(
    ("x", "z", "height"), [(0.0, 0.8, None), (0.0, 1.05, 0.3), (0.0, -0.4, 0.14), (0.0, -0.55, 0.25), (0.5, 0.0, 0.14),
                           (0.87, 0.5, 0.5), (1.0, 0.0, 0.5)]
)
def test_legs_reach_the_floor_in_all_jumps_that_are_not_refused(x: float, z: float, height: float | None) -> None:
    assert jump_problem(LEGS, (x, z), height, None) == ""
    after = Stance((x, z), 0.0)
    course = jumping_course(BODY, LEGS, HERE, after, 0.0, height, None, STANDS, BODY.hands)
    end = moved_by(BODY, STANDS[None], after.place, 0.0)[0]
    postures, missed = follow_body(BODY, LEGS, STANDS, course, np.linspace(STANDS, end, course.frames))
    assert missed.max() < 0.005
    assert np.abs(np.diff(postures, axis=0)).max() < 0.7  # radians a frame, arms too


def test_who_jumps_bends_as_people_do() -> None:
    """Recorded jumps on the spot (CMU 13_39, 16_01): the trunk leans by 31 to 34 degrees before, 15 to 20 after, knees
    bend by 84 to 105 degrees, 12 to 30 in the air, 60 to 82 after."""
    course = jumping_course(BODY, LEGS, HERE, HERE, 0.0, 0.2, None, STANDS, BODY.hands)
    postures, _ = follow_body(BODY, LEGS, STANDS, course, np.tile(STANDS, (course.frames, 1)))
    assert course.flies is not None
    air = np.flatnonzero(course.flies)
    before, after = slice(0, air[0]), slice(air[-1] + 2, None)
    world = joint_transforms(BODY, postures)[:, :, :3]
    trunk = world[:, BODY.joint("neck")] - world[:, 0]
    lean = np.degrees(np.arccos(trunk[:, 1] / np.linalg.norm(trunk, axis=1)))
    knee = np.degrees(postures[:, BODY.dof_names.index("left_knee.x")])
    assert 28.0 < lean[before].max() < 36.0
    assert lean[after].max() < 22.0
    assert 80.0 < knee[before].max() < 100.0
    assert knee[air].max() < 40.0
    assert 60.0 < knee[after].max() < 85.0


def test_a_jump_that_legs_cannot_make_says_what_they_can() -> None:
    assert "a jump that rises by 0.10 leads 0.83 that way at most; one that rises by 0.24 gets there" in jump_problem(
        LEGS, (0.0, 0.99), 0.1, None
    )
    assert "at most" in jump_problem(LEGS, (0.0, -1.2), None, None)


def test_who_crouches_keeps_the_mass_over_the_feet() -> None:
    course = crouching_course(BODY, LEGS, STANDS, HERE, 0.0, None, True, BODY.hands)
    postures, missed = follow_body(BODY, LEGS, STANDS, course, np.tile(STANDS, (course.frames, 1)))
    assert missed.max() < 0.1 * MILLIMETRE
    assert slide(postures) < MILLIMETRE
    points = contacts(postures)[-1]
    toes = points[points[:, 1] < MILLIMETRE]  # the heels are lifted
    assert toes[:, 2].min() < mass_centres(BODY, postures)[-1, 2] < toes[:, 2].max()
    assert postures[-1, 1] < -0.2


def test_who_swings_from_a_bar_holds_on_to_it() -> None:
    bar = HighBar("bar", (0.0, 0.0), 1.3, 0.6)
    assert swing_problem(BODY, 1.3) == ""
    assert "2.50" in swing_problem(BODY, 2.5)
    course = swinging_course(BODY, LEGS, HERE, bar, 0.0, 1, None, STANDS, STANDS, BODY.hands)
    postures, _ = follow_body(BODY, LEGS, STANDS, course, np.tile(STANDS, (course.frames, 1)))
    hands = joint_transforms(BODY, postures)[:, [BODY.joint("left_hand"), BODY.joint("right_hand")], :3]
    hangs = (contacts(postures)[:, :, 1].min(axis=1) > 0.04).nonzero()[0]
    assert len(hangs) > 40
    assert np.abs(hands[hangs[5:-5], :, 1] - 1.3).max() < 2e-3
    assert np.ptp(mass_centres(BODY, postures)[hangs, 2]) > 0.2
    knee = np.degrees(postures[:, BODY.dof_names.index("left_knee.x")])
    assert knee[: hangs[0]].max() > 40.0  # it pushes off
    assert 15.0 < knee[hangs[-1] + 1] < 45.0 < knee[hangs[-1] :].max()  # and lands on knees that are bent, and bend
    falls = np.diff(course.root[:, 1], 2)[hangs[-1] - 4 : hangs[-1]] * 900.0
    np.testing.assert_allclose(falls, -LEGS.gravity, rtol=0.01)


@pytest.mark.parametrize("height", [1.2, 1.3, 1.4])
def test_who_lets_go_of_a_bar_lands_on_both_feet(height: float) -> None:
    course = swinging_course(
        BODY, LEGS, HERE, HighBar("bar", (0.0, 0.0), height, 0.6), 0.0, 1, None, STANDS, STANDS, BODY.hands
    )
    postures, missed = follow_body(BODY, LEGS, STANDS, course, np.tile(STANDS, (course.frames, 1)))
    assert missed.max() < MILLIMETRE
    assert slide(postures) < MILLIMETRE
    assert contacts(postures)[:, :, 1].min() > -0.05 * MILLIMETRE


def test_a_route_leads_around_what_stands_there() -> None:
    scene = load_environment("environments/hall.yaml", BODY.hands)
    start, goal = (-0.8, 0.4), (0.8, 0.5)
    route = find_route(scene, start, goal)
    assert route is not None
    way = [start, *route]
    for (x0, z0), (x1, z1) in pairwise(way):
        for share in np.linspace(0.0, 1.0, 40):
            place = x0 + share * (x1 - x0), z0 + share * (z1 - z0)
            assert all(distance(wall, *place) > 0.1 for _, wall in scene.obstacles)


def test_a_route_leads_between_pieces_of_furniture() -> None:
    text = (
        "floor: 0\nstart: {place: [-1.2, -0.6]}\nspaces: {}\n"
        "tables: {desk: {place: [0, 0.5], size: [0.8, 0.4], height: 0.4}, "
        "shelf: {place: [1.5, 0.8], size: [0.6, 0.2], height: 0.9, turn: 90}}\n"
        "seats: {chair: {place: [0, 0.02], height: 0.26}}\n"
    )
    room = read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)
    for goal in ((0.6, 0.9), (0.49, 0.16)):  # off the corners of the desk
        route = find_route(room, (-1.2, -0.6), goal)
        assert route is not None
        assert route[-1] == goal


@pytest.mark.parametrize(("start", "size", "turn"), [((-2.2, 0.4), (0.49, 0.42), -90), ((-1.6, -1.0), (0.5, 0.5), 0)])
def test_who_walks_round_a_corner_does_not_cut_it(
    start: tuple[float, float], size: tuple[float, float], turn: int
) -> None:
    """Long ways were cut as wide as they were long: hips went into the table."""
    text = (
        f"floor: 0\nstart: {{place: [{start[0]}, {start[1]}]}}\nspaces: {{}}\n"
        "tables: {first: {place: [-3, -3], size: [0.2, 0.2], height: 0.4}, "
        f"last: {{place: [0.83, -0.32], size: [{size[0]}, {size[1]}], height: 0.44, turn: {turn}}}}}\n"
    )
    room = read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)
    wall = dict(room.obstacles)["last"]
    for goal in ((1.3, -0.4), (1.3, -0.9), (0.9, -1.2)):
        route = find_route(room, start, goal)
        assert route is not None
        for step in plan_footsteps(LEGS, Stance(start), route, None):
            assert distance(wall, *step.place) > 0.12


def test_a_way_between_chairs_is_narrow_only_there() -> None:
    """Where no way was found the one through the table was taken; or all of it was as narrow as its narrowest part."""
    text = (
        "floor: 0\nstart: {place: [-1.2, -0.6]}\nspaces: {}\n"
        "tables: {desk: {place: [0, 0.45], size: [1.6, 0.44], height: 0.36}, "
        "other: {place: [-0.49, -1.6], size: [0.6, 0.4], height: 0.44}}\n"
        "seats: {a: {place: [-0.5, -0.2], height: 0.26, turn: 15}, b: {place: [0, -0.08], height: 0.29}, "
        "c: {place: [0.5, -0.1], height: 0.3, turn: 20}}\n"
    )
    room = read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)
    start, goal = (-0.452, -0.019), (-0.489, -2.0)
    route = find_route(room, start, goal)
    assert route is not None
    for (x0, z0), (x1, z1) in pairwise([start, *route]):
        for share in np.linspace(0.0, 1.0, 20):
            place = x0 + share * (x1 - x0), z0 + share * (z1 - z0)
            for name, wall in room.obstacles:
                assert distance(wall, *place) > (0.17 if name == "other" else 0.06)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_who_goes_beside_a_seat_or_comes_from_there_turns_while_stepping(side: float) -> None:
    """One step of each foot leads in, the leading one first; out there is one, and the other foot walks on."""
    lead = 0 if side > 0.0 else 1
    before, seat = Stance((-1.1 * side, -0.6), 0.9 * side), Stance((0.0, 0.1), 0.0)
    comes = walk_steps(LEGS, before, [(-0.24 * side, 0.03), seat.place], seat, False, True)
    assert [step.foot for step in comes[-2:]] == [lead, 1 - lead]
    for step in comes[-2:]:
        assert (step.place, step.turn) == tread(LEGS.feet[step.foot], seat)
    assert sum(not step.walks for step in comes) <= 4
    end = Stance((1.2 * side, 0.0), 0.5 * math.pi * side)
    leaves = walk_steps(LEGS, seat, [(0.24 * side, 0.03), end.place], end, True, False)
    assert [step.foot for step in leaves[:3]] == [lead, 1 - lead, lead]
    assert [step.walks for step in leaves[:2]] == [False, True]


def test_what_pushes_the_mass_is_under_the_feet() -> None:
    """From the mass of a jump follows where its centre of pressure is: between heels and toes as long as it stands."""
    course = jumping_course(BODY, LEGS, HERE, Stance((0.0, 0.7)), 0.0, None, None, STANDS, BODY.hands)
    assert course.flies is not None
    assert course.mass is not None
    air = np.flatnonzero(course.flies)
    for first, last, at in ((0, air[0] - 1, 0.0), (air[-1] + 3, course.frames - 1, 0.7)):
        mass = course.mass[first : last + 1]
        rates = np.diff(mass, 2, axis=0) * 900.0
        pressure = mass[1:-1, 2] - rates[:, 2] * mass[1:-1, 1] / (LEGS.gravity + rates[:, 1])
        points = contacts(STANDS[None])[0, :, 2] + at
        assert points.min() - 0.005 < pressure.min()
        assert pressure.max() < points.max() + 0.005


@pytest.mark.parametrize("degrees", [1.0, -1.1])
def test_feet_turn_with_a_body_that_turns_a_little(degrees: float) -> None:
    """They stayed, and slid by 3.8 mm to where they belonged when something else began."""
    performance = run(f'environment "hall.yaml"\nturn by {degrees}\ncrouch\n')
    assert [task["status"] for task in performance.report["tasks"]] == ["done", "done"]
    assert slide(performance.angles) < MILLIMETRE
