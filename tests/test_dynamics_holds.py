"""The dynamics filter with more than feet on the ground: hands on tables, bars and ropes close loops. MuJoCo judges."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import puppet
from puppet import CentreOfMass, Figure
from puppet.body import joint_transforms
from puppet.cli.summary import physics_line
from puppet.cli.terminal import Terminal
from puppet.dynamics import FilteredPerformance, HoldAt, PushAt, filter_motion
from puppet.dynamics.contacts import GROUND, GripBar, Surface, contact_names, contact_table
from puppet.dynamics.filter import Filtered, filter_angles, gravity_of, newtons
from puppet.dynamics.filtered import hold_rows, push_table
from puppet.errors import PuppetError
from puppet.types import Floats
from tests import dynamics
from tests.dynamics import FPS, FRICTION, Verdict, judge, person

pytest.importorskip("mujoco")
BAR_HALL = """floor: 0.0
body: person
start: {place: [0, -0.3], turn: 0}
tables:
  table: {place: [2, 2], size: [0.5, 0.5], height: 0.4}
spaces:
  here: [0, 0, 0.1]
bars:
  bar: {place: [0, 0], height: 1.135, length: 0.6}
"""


def points_of(name: str) -> list[int]:
    return [i for i, point in enumerate(contact_names(person())) if point.startswith(name)]


def judged(found: FilteredPerformance) -> Verdict:
    points = contact_table(found.body)
    inside = Filtered(
        np.array(found.angles), points, found.contact_forces / newtons(found.body), found.joint_torques, None
    )
    return judge(found.body, inside, fps=found.fps)


@cache
def leaning() -> Floats:
    """A posture with both palms on a table 0.5 high, and the weight beyond the toes."""
    figure = dynamics.a_standing_figure()
    figure.hold("weight", CentreOfMass(x=0.0, z=0.06))
    for side, x in (("left", 0.13), ("right", -0.13)):
        palm = person().joints[person().joint(f"{side}_hand")].contacts["palm"]
        figure.drag(f"{side}_hand", to=(x, 0.5, 0.32), point=palm, steps=20)
        figure.pin(f"{side}_hand", point=palm, orientation=False)
    figure.release("weight")
    figure.hold("weight", CentreOfMass(x=0.0, z=0.13))
    figure.settle()
    return np.array(figure.angles)


def test_hands_on_a_table_bear_who_leans_on_it() -> None:
    reference = np.tile(leaning(), (60, 1))
    table = Surface(0.5, (0.0, 0.45), (0.4, 0.3), 0.05)
    found = filter_angles(person(), reference, FPS, FRICTION, surfaces=(GROUND, table))
    verdict = judge(person(), found)
    assert found.fell is None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert max(verdict.slide, verdict.sink) < 1.0
    assert verdict.pull == 0.0
    assert verdict.outside < 1e-9
    hands = found.forces[5:-5, points_of("left_hand") + points_of("right_hand"), 1].sum(axis=1)
    assert hands.min() > 0.05 * gravity_of(person())
    assert verdict.centres[-1, 2] == pytest.approx(0.13, abs=0.002)
    without = judge(person(), filter_angles(person(), reference, FPS, FRICTION))
    assert abs(without.centres[-1, 2] - 0.13) > 0.05  # feet alone do not bear it there


def test_who_swings_from_a_bar_hangs_on_it_and_lands(tmp_path: Path) -> None:
    (tmp_path / "bar.yaml").write_text(BAR_HALL)
    (tmp_path / "swing.puppet").write_text('environment "bar.yaml"\nswing from bar, turns 1\nwait 5\n')
    found = puppet.run(tmp_path / "swing.puppet", physics=True)
    assert isinstance(found, FilteredPerformance)
    assert found.report["physics"]["fell"] is None
    verdict, weight = judged(found), 70 * 9.81
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    hands = points_of("left_hand") + points_of("right_hand")
    feet = [i for name in ("left_foot", "right_foot", "left_toes", "right_toes") for i in points_of(name)]
    hangs = ~found.contact_forces[:, feet].any(axis=(1, 2)) & found.contact_forces[:, hands].any(axis=(1, 2))
    assert hangs.sum() > 30
    assert found.contact_forces[hangs][:, hands, 1].sum(axis=1).mean() == pytest.approx(weight, rel=0.1)
    palm = points_of("left_hand.palm")[0]
    inner = np.flatnonzero(hangs)[2:-2]
    assert np.ptp(found.contact_places[inner, palm], axis=0).max() * 1750 < 2.0  # millimetres


def test_feet_in_the_air_keep_their_places_under_the_mass(tmp_path: Path) -> None:
    """A jump backwards lands where it is to, though the figure is turned otherwise than its reference in the air."""
    (tmp_path / "bar.yaml").write_text(BAR_HALL)
    (tmp_path / "jump.puppet").write_text('environment "bar.yaml"\njump to (0, -0.6)\nwait 10\n')
    jump = puppet.run(tmp_path / "jump.puppet")
    found = filter_motion(jump)
    verdict = judged(found)
    assert found.report["physics"]["fell"] is None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert max(verdict.slide, verdict.sink) < 1.0
    assert np.abs(verdict.centres[-1] - jump.centre_of_mass[-1]).max() < 0.12


@cache
def hanging() -> Floats:
    figure = Figure(person())
    angles = np.array(figure.angles)
    angles[1] += 0.5
    figure = Figure(person(), angles)
    figure.pin("pelvis")
    height = figure.position("pelvis")[1] + 0.57
    for side, x in (("left", 0.2), ("right", -0.2)):
        figure.drag(f"{side}_hand", to=(x, height, 0.0), steps=20)
        figure.pin(f"{side}_hand", orientation=False)
    figure.settle()
    return np.array(figure.angles)


def test_a_figure_on_two_ropes_lets_go_of_one_and_hangs_on_the_other() -> None:
    reference = replace(dynamics.performance(np.tile(hanging(), (160, 1))), fps=120.0)
    ropes = {"left_hand": (0.2, 2.4, 0.0), "right_hand": (-0.2, 2.4, 0.0)}
    holds = [HoldAt("left_hand", 0, 60, ropes["left_hand"]), HoldAt("right_hand", 0, 160, ropes["right_hand"])]
    found = filter_motion(reference, holds=holds)
    assert found.report["physics"]["fell"] is None
    verdict, weight = judged(found), 70 * 9.81
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    for part, rope in ropes.items():
        i = points_of(f"{part}.palm")[0]
        way = np.array(rope) - found.contact_places[:, i]
        far = np.linalg.norm(way, axis=1)
        pull = np.einsum("na,na->n", found.contact_forces[:, i], way) / far
        across = np.linalg.norm(found.contact_forces[:, i] - (pull / far)[:, None] * way, axis=1)
        held = slice(0, 61 if part == "left_hand" else None)
        assert pull.min() >= 0.0
        assert across.max() < 1e-6 * weight
        assert (far[held].max() - far[0]) * 1750 < 2.0  # millimetres
        assert pull[62:].max() == 0.0 if part == "left_hand" else pull[70:].mean() > 0.7 * weight


@pytest.mark.parametrize("by", [(140.0, 0.0, 0.0), (-160.0, 0.0, 0.0)])
def test_a_push_to_the_side_is_caught_with_a_step_to_the_side(by: tuple[float, float, float]) -> None:
    reference = dynamics.stand(100)
    pushes = push_table(person(), len(reference), [PushAt("chest", by, 10, 6)])
    found = filter_angles(person(), reference, FPS, FRICTION, pushes)
    verdict = judge(person(), found, pushes)
    assert found.fell is None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert max(verdict.slide, verdict.sink) < 1.0
    feet = joint_transforms(person(), found.angles)[:, [person().joint("left_foot"), person().joint("right_foot")], 0]
    assert (np.sign(by[0]) * (feet[-1] - feet[0])).min() > 0.05
    assert (feet[:, 0] - feet[:, 1]).min() > 0.05  # they do not cross
    assert np.ptp(verdict.centres[-10:], axis=0).max() < 0.01  # it stands again


def test_a_kick_needs_no_force_that_feet_cannot_give() -> None:
    found = puppet.run("kick.tracks.yaml", physics=True)
    assert isinstance(found, FilteredPerformance)
    verdict = judged(found)
    assert found.report["physics"]["fell"] is None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert verdict.slide < 2.0
    assert verdict.sink < 1.0
    assert found.report["physics"]["largest_deviation"] < 0.2
    assert found.joint_positions[:, found.joint_names.index("right_foot"), 1].max() > 0.3


@pytest.mark.parametrize("name", ["jump", "long_jump", "slam_dunk"])
def test_jumps_of_tracks_take_off_and_land(name: str) -> None:
    found = puppet.run(f"{name}.tracks.yaml", physics=True)
    assert isinstance(found, FilteredPerformance)
    verdict = judged(found)
    assert found.report["physics"]["fell"] is None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert verdict.pull == 0.0
    assert verdict.outside < 1e-9
    assert verdict.slide < 2.0
    assert verdict.sink < 1.0
    air = np.flatnonzero(~found.contact_forces.any(axis=(1, 2)))
    falls = (verdict.centres[2:] - 2.0 * verdict.centres[1:-1] + verdict.centres[:-2])[air[1:-1] - 1] * FPS * FPS
    assert len(air) > 14
    assert np.abs(falls - [0.0, -gravity_of(person()), 0.0]).max() < 0.005 * gravity_of(person())
    assert np.abs(verdict.centres[-1] - puppet.run(f"{name}.tracks.yaml").centre_of_mass[-1]).max() < 0.2


def test_a_noisy_frame_at_the_take_off_of_a_recording_does_not_turn_it_over() -> None:
    """A pelvis that a camera sees turned by two degrees from the first frame in the air on: that is no somersault."""
    jump = puppet.run("jump.tracks.yaml")
    reference = np.array(jump.angles)
    reference[28:, jump.body.dof("pelvis", "x")] += 0.04
    found = filter_angles(jump.body, reference, FPS, FRICTION, rough=True)
    assert found.fell is None
    assert not found.forces[28:44].any()
    turns = [joint_transforms(jump.body, one)[28:44, jump.body.joint("chest"), 3:] for one in (reference, found.angles)]
    along = np.einsum("na,na->n", *turns)  # 1 + 2 cos of the angle between them
    assert np.arccos(np.clip(0.5 * (along - 1.0), -1.0, 1.0)).max() < 0.3


@pytest.mark.parametrize(("name", "parts", "frames"), [("dive", ("foot", "toes"), 16), ("monkey_bar", ("hand",), 30)])
def test_props_of_tracks_bear_who_is_on_them(name: str, parts: tuple[str, ...], frames: int) -> None:
    found = puppet.run(f"{name}.tracks.yaml", physics=True)
    assert isinstance(found, FilteredPerformance)
    fell = found.report["physics"]["fell"]
    assert fell is None or fell > frames
    points = [i for part in parts for side in ("left", "right") for i in points_of(f"{side}_{part}")]
    borne = found.contact_forces[1:frames, points].sum(axis=1)
    rest = found.contact_forces[1:frames].sum(axis=1) - borne
    assert borne[:, 1].min() > 0.0
    assert np.abs(rest).max() < 0.01 * 70 * 9.81
    if fell is not None:  # and it is said why: moments that neither feet nor hands can give
        assert found.report["physics"]["asked_moment"] > 0.3
        assert "that nothing gives" in physics_line(found.report["physics"], Terminal(None))


def test_who_sits_down_and_stands_up_is_borne_by_the_seat_and_by_the_feet() -> None:
    found = puppet.run('environment "hall.yaml"\nsit down\nwait 5\nstand up\nwait 5\n', physics=True)
    assert isinstance(found, FilteredPerformance)
    verdict = judged(found)
    assert found.report["physics"]["fell"] is None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert verdict.pull == 0.0
    assert verdict.slide < 2.0
    assert verdict.sink < 1.0
    seat = found.contact_forces[:, points_of("pelvis.seat"), 1].sum(axis=1)
    assert seat.max() > 0.4 * 70 * 9.81
    assert seat[-5:].max() == 0.0
    # the mass is on its way to the feet before the seat is left
    assert found.report["physics"]["largest_deviation"] < 0.35


def joined_walks(walk: puppet.Performance, turn: float, first: int, frames: int) -> Floats:
    """A walk that goes on in another direction, smoothly but without any dynamics."""
    angles, share = np.array(walk.angles), np.clip((np.arange(len(walk.angles)) - first) / frames, 0.0, 1.0)
    heading = turn * share * share * (3.0 - 2.0 * share)
    between, ways = 0.5 * (heading[1:] + heading[:-1]), np.diff(angles[:, [0, 2]], axis=0)
    along = np.cos(between) * ways[:, 0] + np.sin(between) * ways[:, 1]
    across = np.cos(between) * ways[:, 1] - np.sin(between) * ways[:, 0]
    angles[1:, [0, 2]] = angles[0, [0, 2]] + np.cumsum(np.stack([along, across], axis=1), axis=0)
    angles[:, walk.body.dof("pelvis", "y")] += heading
    return angles


def test_two_walks_joined_kinematically_become_a_turn() -> None:
    walk = puppet.run('environment "hall.yaml"\nwalk to (0.2, -0.9)\nwait 5\n')
    found = filter_angles(walk.body, joined_walks(walk, np.radians(30.0), 43, 30), FPS, FRICTION)
    verdict = judge(walk.body, found)
    assert found.fell is None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert verdict.pull == 0.0
    assert verdict.slide < 2.0
    assert verdict.sink < 1.0
    ways = [verdict.centres[b, [0, 2]] - verdict.centres[a, [0, 2]] for a, b in ((15, 35), (80, 100))]
    turned = np.diff([np.arctan2(way[0], way[1]) for way in ways])[0]
    assert np.degrees(turned) == pytest.approx(30.0, abs=6.0)


def test_surfaces_are_turned_as_furniture_is() -> None:
    surface = Surface(0.4, (1.0, 1.0), (0.5, 0.1), np.pi / 2)
    assert surface.has(1.0, 1.4)
    assert not surface.has(1.4, 1.0)
    scene = puppet.run('environment "hall.yaml"\nwait 1\n').scene
    from puppet.dynamics.filtered import surfaces_of

    bar = next(entry for entry in surfaces_of(person(), scene, 0.0) if isinstance(entry, GripBar))
    assert bar.begin == pytest.approx((0.6, 1.3, -1.3))
    assert bar.end == pytest.approx((1.2, 1.3, -1.3))


def test_mistakes_of_holds_are_told() -> None:
    with pytest.raises(PuppetError, match="did you mean 'left_hand'"):
        hold_rows(person(), [HoldAt("left_hadn", 0, 5)], 0.0)
    with pytest.raises(PuppetError, match="no points of contact"):
        hold_rows(person(), [HoldAt("chest", 0, 5)], 0.0)
