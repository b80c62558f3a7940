"""The dynamics filter: what comes out, forces can really cause. MuJoCo judges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import puppet
from puppet.body import joint_transforms
from puppet.cli.summary import physics_line
from puppet.cli.terminal import Terminal
from puppet.command import Push, SetPhysics
from puppet.dynamics import FilteredPerformance, LiveFilter, PushAt
from puppet.dynamics.contacts import ContactPlanner, contact_names, contact_table, point_places
from puppet.dynamics.filter import filter_angles, gravity_of, newtons, without_lone_start
from puppet.dynamics.filtered import push_table
from puppet.dynamics.reference import spread
from puppet.errors import PuppetError
from puppet.kernels.dynamics_model import DOES
from puppet.language import format_command, read_command
from puppet.performance import Performance
from puppet.shows import Live
from puppet.types import Floats
from tests import dynamics
from tests.dynamics import FPS, FRICTION, judge, off_gravity, person

pytest.importorskip("mujoco")
MOTIONS = {
    "stand": dynamics.stand,
    "crouch": dynamics.crouch,
    "sway": dynamics.sway,
    "arm": dynamics.raise_arm,
}


def in_the_open(folder: Path, lines: str, fps: float = FPS) -> Performance:
    """What a person does who stands on a floor with nothing else around."""
    (folder / "open.yaml").write_text("floor: 0.0\nbody: person\nspaces:\n  here: {on: floor, at: [2, 0, 2]}\n")
    (folder / "lines.puppet").write_text(f'fps {fps:g}\nenvironment "open.yaml"\n{lines}')
    return puppet.run(folder / "lines.puppet")


@pytest.mark.parametrize("motion", MOTIONS.values(), ids=MOTIONS)
def test_contact_forces_cause_the_motion(motion: Callable[[], Floats]) -> None:
    reference = motion()
    found = filter_angles(person(), reference, FPS, FRICTION)
    verdict = judge(person(), found)
    assert found.fell is None
    assert verdict.force.max() < 0.01
    assert verdict.moment.max() < 0.01
    assert verdict.pull == 0.0
    assert verdict.outside < 1e-9
    assert verdict.slide < 2.0
    assert verdict.sink < 1.0
    assert verdict.hover < 1.0
    assert np.abs(found.angles - reference)[:, 6:].max() < 0.15


def test_in_flight_the_centre_of_mass_falls_with_gravity() -> None:
    reference, air = dynamics.fly()
    found = filter_angles(person(), reference, FPS, FRICTION)
    assert not found.forces.any()
    centres = judge(person(), found).centres
    falls = (centres[2:] - 2.0 * centres[1:-1] + centres[:-2]) * FPS * FPS
    assert np.abs(falls[air] + (0.0, gravity_of(person()), 0.0)).max() < 0.005 * gravity_of(person())
    assert np.abs(found.angles - reference)[:, 6:].max() < 0.05  # nearly unchanged


@pytest.mark.parametrize("by", [(60.0, 0.0, 0.0), (0.0, 0.0, 100.0), (0.0, 0.0, -80.0)])
def test_a_standing_person_takes_a_push(by: tuple[float, float, float]) -> None:
    reference = dynamics.stand(90)
    pushes = push_table(person(), len(reference), [PushAt("chest", by, 10, 6)])
    found = filter_angles(person(), reference, FPS, FRICTION, pushes)
    verdict = judge(person(), found, pushes)
    assert found.fell is None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert max(verdict.slide, verdict.sink) < 1.0
    away = verdict.centres - verdict.centres[0]
    along = away @ np.array(by) / np.linalg.norm(by)
    assert along[10:30].max() > 0.005  # it gives way
    assert np.abs(away[-1]).max() < 0.002  # and comes back


def test_a_larger_push_is_caught_with_a_step() -> None:
    reference = dynamics.stand(100)
    pushes = push_table(person(), len(reference), [PushAt("chest", (0.0, 0.0, 160.0), 10, 6)])
    found = filter_angles(person(), reference, FPS, FRICTION, pushes)
    verdict = judge(person(), found, pushes)
    assert found.fell is None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert max(verdict.slide, verdict.sink) < 1.0
    feet = joint_transforms(person(), found.angles)[:, [person().joint("left_foot"), person().joint("right_foot")], 2]
    assert (feet[-1] - feet[0]).max() > 0.05
    assert np.ptp(verdict.centres[-10:], axis=0).max() < 0.01  # it stands again


@pytest.mark.parametrize("newton", [120.0, 200.0, 250.0])
def test_pushes_from_all_sides_leave_nothing_unexplained(newton: float) -> None:
    """Who is pushed stands, takes steps or falls and says so; forces explain every frame, those of a fall too."""
    reference = dynamics.stand(70)
    for direction in np.arange(8) * np.pi / 4:
        by = (newton * np.sin(direction), 0.0, newton * np.cos(direction))
        pushes = push_table(person(), len(reference), [PushAt("chest", by, 10, 6)])
        found = filter_angles(person(), reference, FPS, FRICTION, pushes)
        verdict = judge(person(), found, pushes)
        assert max(verdict.force.max(), verdict.moment.max()) < 0.01
        assert verdict.pull == 0.0
        assert verdict.sink < 1.0
        if newton < 250.0:
            assert found.fell is None
            assert verdict.slide < 2.0
        assert (found.fell is None) == (verdict.centres[-1, 1] > 0.4)


def test_several_pushes_on_smooth_ground_leave_nothing_unexplained() -> None:
    """A foot that could not be taken back to its place kept the frame from agreeing with its forces: 1.7 % was left."""
    reference = dynamics.stand(60)
    given = [
        PushAt("right_foot", (40.8, 76.3, -44.8), 18, 8),
        PushAt("left_hand", (-117.3, 18.5, -2.3), 32, 8),
        PushAt("left_shoulder", (-26.4, -34.6, -169.6), 17, 8),
    ]
    pushes = push_table(person(), len(reference), given)
    verdict = judge(person(), filter_angles(person(), reference, FPS, 0.5, pushes), pushes)
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert verdict.sink < 1.0


@pytest.mark.parametrize(
    "lines",
    [
        "jump to (-0.15, -0.44)\njump to (0.18, -0.56)\nwait 30\n",
        "crouch\nwait 9\njump to (-0.38, -0.18)\nwait 30\n",
    ],
    ids=["two jumps", "from a crouch"],
)
def test_nobody_is_thrown_into_the_air_by_legs_that_push_unevenly(tmp_path: Path, lines: str) -> None:
    """The last push before a jump gave a figure that was out of place 4 to 6 times the energy of a fall from its own
    height; it flew 11 heights high, and then there were no numbers any more."""
    jump = in_the_open(tmp_path, lines)
    found = filter_angles(jump.body, jump.angles, FPS, FRICTION)
    assert np.isfinite(found.angles).all()
    verdict = judge(jump.body, found)
    assert verdict.centres[:, 1].max() < jump.centre_of_mass[:, 1].max() + 0.05
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert verdict.sink < 1.0
    assert off_gravity(jump.body, found, verdict).max() < 0.005


def test_too_large_a_push_fells_it_and_it_stays_on_the_ground() -> None:
    reference = dynamics.stand(90)
    pushes = push_table(person(), len(reference), [PushAt("chest", (300.0, 0.0, 0.0), 10, 6)])
    found = filter_angles(person(), reference, FPS, FRICTION, pushes)
    assert found.fell is not None
    assert 10 < found.fell < 40
    assert found.asked == pytest.approx((0.0, 0.0), abs=0.02)  # the motion itself asked for nothing
    verdict = judge(person(), found, pushes)
    assert verdict.centres[-1, 1] < 0.15
    places = point_places(found.points, joint_transforms(person(), found.angles))
    assert places[:, :, 1].min() > -0.002
    assert person().limit_excess(found.angles[-1]) < 0.05


@pytest.mark.parametrize("name", ["spin_person", "spin", "links_piston"])
def test_what_floats_in_tracks_falls_and_forces_explain_every_frame(name: str) -> None:
    """Limbs that turn fast in the air and come to their limits; a body whose root turns about one axis alone."""
    floats = puppet.run(f"{name}.tracks.yaml")
    found = filter_angles(floats.body, floats.angles[:100], 60.0, FRICTION)
    verdict = judge(floats.body, found, fps=60.0)
    assert found.fell is not None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert verdict.sink < 1.0
    assert off_gravity(floats.body, found, verdict, 60.0).max() < 0.005


def test_links_that_come_down_fast_land_and_are_not_braked_all_at_once() -> None:
    """The tip of a link turned back before it touched, or was stopped within a frame: the centre of mass was 3.9 %, and
    then 2.8 % off gravity in the air."""
    links = puppet.run("links_trot.tracks.yaml")
    found = filter_angles(links.body, links.angles[:24], 60.0, FRICTION)
    verdict = judge(links.body, found, fps=60.0)
    assert (~found.forces.any(axis=(1, 2))).sum() > 8
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert off_gravity(links.body, found, verdict, 60.0).max() < 0.005


def test_who_lands_with_stretched_legs_bends_them_slowly_first(tmp_path: Path) -> None:
    """A drag lifts a person who hops and comes down again: knees that bent within a frame left 1.5 % of gravity."""
    words = "reach (0.02, 0.73, 0.25) with left\ndrag chest by (0.02, 0.08, -0.06)\nwait 15\n"
    lift = in_the_open(tmp_path, words)
    found = filter_angles(lift.body, lift.angles, FPS, 0.5)
    verdict = judge(lift.body, found)
    assert (~found.forces[25:45].any(axis=(1, 2))).sum() > 2
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert off_gravity(lift.body, found, verdict).max() < 0.005


def test_who_is_flung_off_smooth_ground_is_on_the_curve_of_a_free_fall_at_once(tmp_path: Path) -> None:
    """Two drags fling the arms about: the first frame in the air was off by 0.4 of gravity."""
    words = "wait 33\ndrag head by (0.04, 0.10, -0.09)\ndrag left hand by (-0.10, 0.09, -0.04)\nwait 5\n"
    drag = in_the_open(tmp_path, f"stand up\n{words}", 60.0)
    found = filter_angles(drag.body, drag.angles, 60.0, 0.3)
    assert (~found.forces[80:].any(axis=(1, 2))).any()
    verdict = judge(drag.body, found, fps=60.0)
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert off_gravity(drag.body, found, verdict, 60.0).max() < 0.005


def test_a_foot_that_lands_fast_stays_where_it_is_when_the_frame_comes(tmp_path: Path) -> None:
    """A push turns a step aside: the foot comes down with 1.5 m/s just before a frame, and slid back by 2 mm."""
    words = "drag chest by (-0.07, 0.08, 0.08)\nwalk to (0.72, -0.49)\n"
    walk = in_the_open(tmp_path, words, 60.0)
    reference = walk.angles[:152]
    given = PushAt("head", (-209.43, -36.79, -114.99), 140, 9)
    pushes = push_table(walk.body, len(reference), [given])
    found = filter_angles(walk.body, reference, 60.0, FRICTION, pushes)
    verdict = judge(walk.body, found, pushes, 60.0)
    assert found.fell is None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert max(verdict.slide, verdict.sink) < 1.0


@pytest.mark.parametrize(("name", "fps"), [("slam_dunk", 36.0), ("face_hugger", 30.0)])
def test_who_would_go_into_the_ground_falls_on_it(name: str, fps: float) -> None:
    """A dunk that is shown too fast turns over in the air; a body sinks between legs that its reference lifts."""
    given = puppet.run(f"{name}.tracks.yaml")
    found = filter_angles(given.body, given.angles, fps, FRICTION)
    verdict = judge(given.body, found, fps=fps)
    assert found.fell is not None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert verdict.sink < 1.0


def test_what_lands_comes_to_lie_on_the_ground_and_not_in_it() -> None:
    """Four links that begin in the air: a tip that comes down fast sank by 24 mm of their 4.3 m in its first frame."""
    links = puppet.run(Path(__file__).parent / "data" / "tracks" / "links_bounce_high.tracks.yaml")
    found = filter_angles(links.body, links.angles[:30], 60.0, FRICTION)
    verdict = judge(links.body, found, fps=60.0)
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert max(verdict.sink, verdict.slide) * 4.3 / 1.75 < 1.0


def test_toes_do_not_slip_when_a_leg_is_stretched_before_the_flight(tmp_path: Path) -> None:
    """A jump that rises by 0.43 of the height: the last push stretches the knees, and toes slipped by 4 mm."""
    jump = in_the_open(tmp_path, "jump to (0, 0.4), speed 24\nwait 10\n")
    found = filter_angles(jump.body, jump.angles, FPS, FRICTION)
    verdict = judge(jump.body, found)
    assert found.fell is None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert max(verdict.slide, verdict.sink, verdict.hover) < 1.0
    assert off_gravity(jump.body, found, verdict).max() < 0.005  # in the first frame without a force, too
    assert abs(verdict.centres[:, 1].max() - jump.centre_of_mass[:, 1].max()) < 0.03


def test_a_limp_fall_loses_energy() -> None:
    """Kinetic and potential energy of a figure that has lost its balance only shrink."""
    from puppet import Figure
    from puppet.kernels.loader import kernels

    reference = dynamics.stand(75)
    pushes = push_table(person(), len(reference), [PushAt("chest", (250.0, 0.0, 60.0), 2, 6)])
    found = filter_angles(person(), reference, FPS, FRICTION, pushes)
    assert found.fell is not None
    from puppet.dynamics.reference import differences

    curve = differences(person(), found.angles, FPS)
    energies = []
    for n in range(max(found.fell, 9) + 1, len(reference) - 1):
        figure, mass = Figure(person(), found.angles[n]), np.empty((58, 58))
        model = figure._model
        kernels().dynamics_mass(model.velocities, model.chains, 1, figure._axes, figure._sums, mass)
        kinetic = 0.5 * curve.speeds[n] @ mass @ curve.speeds[n]
        energies.append(kinetic + gravity_of(person()) * figure.centre_of_mass[1])
    assert np.diff(energies).max() < 0.0
    assert energies[-1] < 0.5 * energies[0]


def test_a_walk_stays_up_and_feet_stay_where_they_are() -> None:
    """Our own walk; frame by frame, as it comes, the same comes out to the bit."""
    walk = puppet.run('environment "hall.yaml"\nwalk to (-0.6, -0.4)\nwait 5\n')
    found = filter_angles(walk.body, walk.angles, FPS, FRICTION)
    verdict = judge(walk.body, found)
    assert found.fell is None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert verdict.pull == 0.0
    assert verdict.outside < 1e-9
    assert verdict.slide < 2.0
    assert verdict.sink < 1.0
    assert np.abs(found.angles - walk.angles)[:, 6:].max() < 0.3
    live = LiveFilter(walk.body, FPS, walk.scene)
    late = np.array([live.step(angles) for angles in walk.angles])
    assert np.array_equal(late[3:], found.angles[2:-1])


@pytest.mark.parametrize("to", ["(-1.0, -0.5)", "(-1.3, -0.5), height 0.25", "(-0.6, -0.4)", "(-0.2, -0.8)"])
def test_our_own_jump_takes_off_and_lands(to: str) -> None:
    jump = puppet.run(f'environment "hall.yaml"\njump to {to}\nwait 10\n')
    found = filter_angles(jump.body, jump.angles, FPS, FRICTION)
    assert found.fell is None
    verdict = judge(jump.body, found)
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01  # in every frame, at take-off and landing too
    assert verdict.pull == 0.0
    assert verdict.outside < 1e-9
    assert verdict.slide < 1.0
    assert verdict.sink < 0.5
    centres = verdict.centres
    air = np.flatnonzero(~found.forces.any(axis=(1, 2)))
    falls = (centres[air[1:-1] + 1] - 2.0 * centres[air[1:-1]] + centres[air[1:-1] - 1]) * FPS * FPS
    assert len(air) > 10
    falls[:, 1] += gravity_of(person())
    assert np.abs(falls).max() < 0.005 * gravity_of(person())
    assert abs(centres[air, 1].max() - jump.centre_of_mass[:, 1].max()) < 0.03
    assert np.abs(centres[-1] - jump.centre_of_mass[-1]).max() < 0.05


@pytest.mark.parametrize(("rough", "touching"), [(0.012, {"tip", "base"}), (0.0, {"tip"})])
def test_who_is_recorded_on_the_tips_of_the_toes_stands_on_the_toes(rough: float, touching: set[str]) -> None:
    """The toes of a recording's skeleton do not bend; those of our person do, and are where they are."""
    names = contact_names(person())
    places = point_places(contact_table(person()), joint_transforms(person(), dynamics.stand(1)))[0]
    for i, name in enumerate(names):
        places[i, 1] = 0.0 if ".tip" in name else 0.03 if ".base" in name else 0.1 + abs(places[i, 1])
    plan = ContactPlanner(person(), 120.0, rough=rough).row(places, places)
    found = {name.split(".")[1].split("_")[0] for name, does in zip(names, plan[:, DOES], strict=True) if does > 0.0}
    assert found == touching


def test_a_jolt_in_a_recording_is_spread_and_does_not_fell_anybody() -> None:
    """The pelvis is 7 % of the height farther ahead within 6 frames of 120 a second: no ground can do that."""
    figure = dynamics.a_standing_figure()
    way = np.linspace(0.0, 1.0, 7)[:, None] * (0.0, -0.03, 0.07)
    frames = figure.follow("pelvis", figure.position("pelvis") + way)
    reference = np.concatenate([dynamics.stand(60), frames, np.tile(frames[-1], (120, 1))])
    found = filter_angles(person(), reference, 120.0, FRICTION, rough=True)
    verdict = judge(person(), found, fps=120.0)
    assert found.fell is None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert max(verdict.slide, verdict.sink) < 1.0


@pytest.mark.parametrize("frames", [12, 22])
def test_who_crouches_quickly_stays_on_the_heels_until_the_weight_is_over_the_toes(frames: int) -> None:
    script = f'environment "hall.yaml"\ncrouch, speed {frames}\nwait 15\nstand up\nwait 10\n'
    crouch = puppet.run(script)
    found = filter_angles(crouch.body, crouch.angles, FPS, FRICTION)
    verdict = judge(crouch.body, found)
    assert found.fell is None
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert max(verdict.slide, verdict.sink) < 1.0
    assert np.abs(verdict.centres[-1] - crouch.centre_of_mass[-1]).max() < 0.05


@pytest.mark.parametrize(
    "lines",
    [
        "crouch\nwalk to (0.6, 0.1)\n",
        "crouch, speed 34\nturn by 160\n",
        "crouch\nstand up\njump to (0.5, 0.45), height 0.27\n",
        "reach (0.14, 0.55, 0.43) with right\njump to (-0.69, 0.25)\n",
    ],
    ids=["walk", "turn", "jump", "after a reach"],
)
def test_who_rises_from_a_crouch_goes_on_at_once_and_stays_up(tmp_path: Path, lines: str) -> None:
    """All fell: the weight was behind the toes before the heels of the reference came down, and heels that were kept on
    the ground for the balance held the feet back as they took off."""
    rise = in_the_open(tmp_path, f"{lines}wait 15\n")
    found = filter_angles(rise.body, rise.angles, FPS, FRICTION)
    assert found.fell is None
    verdict = judge(rise.body, found)
    assert max(verdict.force.max(), verdict.moment.max()) < 0.01
    assert verdict.pull == 0.0
    assert verdict.outside < 1e-9
    assert max(verdict.slide, verdict.sink) < 1.0
    assert off_gravity(rise.body, found, verdict).max() < 0.005
    assert verdict.centres[-1, 1] > rise.centre_of_mass[-1, 1] - 0.02  # it stands


def test_a_frame_that_is_cut_off_in_front_is_no_part_of_the_motion() -> None:
    stands = dynamics.stand(8)
    cut = stands.copy()
    cut[0, 2] += 1.0
    assert np.array_equal(without_lone_start(person(), cut, FPS), stands)
    assert without_lone_start(person(), stands, FPS) is stands


def test_a_t_pose_in_front_of_a_motion_with_few_frames_a_second_is_no_part_of_it_either() -> None:
    """Arms that come down within 1/24 s: recorded people were flung about as soon as they began, and fell."""
    first, stands = np.array(person().rest), dynamics.stand(8)
    first[:3] = stands[0, :3]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        first[person().dof(f"{side}_shoulder", "z")] += sign * np.pi / 2.0
        first[person().dof(f"{side}_hip", "z")] += sign * 0.2
    cut = np.concatenate([first[None], stands[1:]])
    assert np.array_equal(without_lone_start(person(), cut, 24.0), stands)
    jump = puppet.run("long_jump.tracks.yaml")
    assert without_lone_start(jump.body, jump.angles, 12.0) is jump.angles


def test_a_clip_is_filtered_and_saved(tmp_path: Path) -> None:
    """A person who stands, as a file of another program: its body has soles, which stay where they are."""
    bvh = tmp_path / "stand.bvh"
    dynamics.performance(dynamics.stand(12)).save(bvh)
    found = puppet.filter_motion(puppet.Clip.load(bvh))
    assert found.report["physics"]["fell"] is None
    assert found.contact_forces[5].sum(axis=0) == pytest.approx([0.0, 70 * 9.81, 0.0], abs=10.0)
    found.save(tmp_path / "moved.bvh")
    found.save(tmp_path / "forces.npz")
    found.save(tmp_path / "moved.png", frames="5", arrows=True, size="120x120")
    assert np.load(tmp_path / "forces.npz")["contact_forces"].shape == found.contact_forces.shape
    again = puppet.Clip.load(tmp_path / "moved.bvh")
    assert np.abs(again.joint_positions - found.joint_positions).max() < 1e-4


def test_who_hangs_from_what_was_not_recorded_is_told(tmp_path: Path) -> None:
    """Half a second in the air without falling; a flight is none."""
    for name, rate in (("hangs", 0.0), ("flies", 1.0)):
        stands, bvh = dynamics.stand(40), tmp_path / f"{name}.bvh"
        time = np.clip(np.arange(40) - 10, 0, 20) / FPS
        stands[10:31, 1] += 0.3 + (0.5 * gravity_of(person()) * rate * time * (20 / FPS - time))[10:31]
        dynamics.performance(stands).save(bvh)
        told = puppet.filter_motion(puppet.Clip.load(bvh)).report["physics"]
        assert told["unborne"] == ([[9, 31]] if name == "hangs" else [])
        line = physics_line(told, Terminal(None))
        assert ("from frame 9 to 31 nothing that was recorded bears it" in line) == (name == "hangs")


def test_the_same_motion_comes_out_again_to_the_bit() -> None:
    one, other = (filter_angles(person(), dynamics.raise_arm(), FPS, FRICTION) for _ in range(2))
    assert one.angles.tobytes() == other.angles.tobytes()
    assert one.forces.tobytes() == other.forces.tobytes()


def test_a_performance_is_filtered_and_told_of() -> None:
    given = dynamics.performance(dynamics.stand(12))
    found = puppet.filter_motion(given, friction=0.5)
    points = found.contact_points
    assert "left_foot.heel_inside" in points
    assert found.contact_forces.shape == (12, len(points), 3)
    assert found.angles.shape == given.angles.shape
    assert found.contact_forces[5].sum(axis=0) == pytest.approx([0.0, 70 * 9.81, 0.0], abs=5.0)
    told = found.report["physics"]
    assert told["fell"] is None
    assert 0.0 <= told["mean_deviation"] <= told["largest_deviation"] < 0.05
    x, z = told["centre_of_pressure"][5]
    assert abs(x) < 0.01
    assert abs(z - 0.025) < 0.01
    for array in (found.angles, found.contact_forces, found.joint_torques):
        assert not array.flags.writeable


def test_a_seat_bears_who_sits_on_it() -> None:
    script = 'environment "blocks.yaml"\nbody person\nwait 8\npush chest by (0, 0, 40) for 3\nwait 12\n'
    found = puppet.run(script, physics=True)
    assert found.report["physics"]["fell"] is None
    seat = [n for n, name in enumerate(found.contact_points) if name.startswith("pelvis.seat")]
    assert found.contact_forces[3, seat, 1].sum() > 0.3 * 70 * 9.81
    assert np.abs(found.angles - found.reference)[14:].max() > 1e-4
    assert puppet.run("physics on\n" + script).angles.tobytes() == found.angles.tobytes()
    without = puppet.run(script)
    assert "physics" not in without.report
    assert "without physics" in without.report["notes"][0]["message"]


def test_physics_is_switched_on_and_off_in_a_script(tmp_path: Path) -> None:
    """From where it is written on; afterwards the figure goes back to where it would be without, and no joint leaps."""
    lines = ["wait 10", "physics on", "push chest by (0, 0, 190) for 6", "wait 40", "physics off", "wait 35"]
    lines += ["push chest by (0, 0, 60) for 6", "wait 5", "physics on", "wait 20"]
    found, without = in_the_open(tmp_path, "\n".join(lines)), in_the_open(tmp_path, "wait 110\n")
    assert isinstance(found, FilteredPerformance)
    assert found.report["physics"]["fell"] is None
    assert np.array_equal(found.angles[:11], without.angles[:11])
    assert np.array_equal(found.angles[80:91], without.angles[80:91])
    bears = found.contact_forces.any(axis=(1, 2))
    assert np.flatnonzero(bears).tolist() == [*range(10, 51), *range(90, 111)]
    feet = found.joint_positions[:, [found.joint_names.index(f"{side}_foot") for side in ("left", "right")], 2]
    assert (feet[50] - feet[0]).max() > 0.05  # a step
    assert np.abs(np.diff(found.angles, axis=0))[50:, 3:].max() < 0.1
    assert np.abs(np.diff(found.angles, 2, axis=0))[48:, 3:].max() < 0.05
    assert [note["line"] for note in found.report["notes"]] == [9]  # nothing is pushed while it is off


def test_physics_of_what_was_not_recorded_is_of_no_frames(tmp_path: Path) -> None:
    """Nothing to put forces on was a mistake in puppet itself."""
    found = puppet.run('body person\nenvironment "hall"\nrecord stop\nphysics on\nwait 5\n')
    assert len(found.angles) == 0
    assert found.report["physics"]["ground_force"] == []
    found.save(tmp_path / "nothing.json")


def test_a_live_figure_goes_back_to_the_stage_when_physics_is_switched_off() -> None:
    live = Live("hall")
    live.give("physics on")
    shown = []
    for frame in range(90):
        if frame == 5:
            live.give("push chest by (0, 0, 160) for 6")
        if frame == 45:
            live.give("physics off")
            assert not live.physics
        live.step_once()
        shown.append(np.array(live.joint_transforms))
    away = np.abs(np.array(shown) - shown[0]).max(axis=(1, 2))
    assert away[44] > 0.05
    assert away[-1] < 1e-3
    assert np.abs(np.diff(np.array(shown)[:, :, :3], 2, axis=0))[43:].max() < 0.01  # no jolt


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("push chest by (60, 0, 0) for 6", Push(part="chest", by=(60.0, 0.0, 0.0), frames=6)),
        ("physics on", SetPhysics(on=True)),
        ("physics off", SetPhysics(on=False)),
    ],
)
def test_words_of_physics_read_back(text: str, command: object) -> None:
    read = read_command(text, body=person())
    assert type(read)(**{key: value for key, value in vars(read).items() if key != "source"}) == command
    assert format_command(read) == text


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: puppet.filter_motion(dynamics.performance(np.zeros((3, 58)), person()), friction=0.0), "friction"),
        (lambda: puppet.filter_motion("walk.bvh"), "needs a performance"),  # type: ignore[arg-type]
        (lambda: puppet.run('environment "blocks.yaml"\nbody seated\nwait 2\n', physics=True), "free root"),
        (lambda: push_table(person(), 5, [PushAt("chess", (1.0, 0.0, 0.0), 0, 1)]), "did you mean 'chest'"),
        (lambda: puppet.run('environment "blocks.yaml"\nbody person\npush chest by (1, 2) for 3\n'), "three newtons"),
    ],
)
def test_mistakes_are_told(make: Callable[[], object], message: str) -> None:
    with pytest.raises(PuppetError, match=message):
        make()


def test_one_unit_of_force_is_what_it_weighs() -> None:
    assert newtons(person()) * gravity_of(person()) == pytest.approx(70 * 9.81)
    found = puppet.filter_motion(dynamics.performance(dynamics.stand(2)))
    assert len(contact_table(person())) == len(found.contact_points)


@pytest.mark.parametrize("frames", [2, 5, 40])
def test_a_jolt_is_spread_over_a_motion_of_any_length(frames: int) -> None:
    body = person()
    angles = np.tile(body.rest, (frames, 1))
    angles[frames // 2 :, 0] += 0.1
    jolts = np.arange(frames) == frames // 2
    found = spread(body, angles, 30.0, jolts)
    assert found.shape == angles.shape
    assert np.abs(np.diff(found[:, 0])).max() < 0.1
