"""The whole body on stage: going, sitting, reaching while it stands; what cannot be done says why."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import puppet
from puppet.body import Body, joint_transforms
from puppet.errors import PuppetError
from puppet.files import strict_yaml
from puppet.scene import format_environment, load_environment, read_environment
from puppet.shows import run
from puppet.stage import Stage
from tests.rooms import BODY, at_a_table, keep_hold, told
from tests.test_locomotion import MILLIMETRE, contacts, slide

HALL = load_environment("environments/hall.yaml", BODY.hands)


def test_a_body_begins_where_the_file_says_and_files_without_seats_mean_what_they_meant() -> None:
    assert Stage("hall.yaml", BODY).scene.stance == HALL.stance
    old = Stage("blocks.yaml", BODY)
    assert old.scene.stance is None
    assert old.scene.seat is not None
    text = "table: {height: 0.4, front: 0.3}\nfloor: 0\nspaces: {}\n"
    stage = Stage(read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands), BODY)
    stance = stage.scene.stance
    assert stance is not None
    assert stance.stands
    assert contacts(stage.frame.angles[None])[0, :, 1].min() == pytest.approx(0.0, abs=1e-4)


def test_a_room_is_written_as_it_is_read() -> None:
    assert read_environment(strict_yaml.parse(format_environment(HALL), "x.yaml"), BODY.hands) == HALL


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("spaces: {}", "'table' is missing"),
        ("tables: {a: {place: [0, 1], size: [1, 1], height: 0.4, turn: 9}}\nspaces: {}", "cannot be turned"),
        ("table: {height: 1, front: 0}\nseats: {table: {place: [0, 0], height: 1}}\nspaces: {}", "already"),
        ("table: {height: 1, front: 0}\nspaces: {a: {on: tabel, at: [0, 0, 0]}}", "did you mean 'table'"),
        ("table: {height: 1, front: 0}\nspaces: {a: {on: floor, at: [0, 0, 0]}}", "'floor' is missing"),
    ],
)
def test_mistakes_of_a_room_are_told(text: str, words: str) -> None:
    with pytest.raises(PuppetError, match=words):
        read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)


def test_sitting_down_and_standing_up() -> None:
    stage, frames = told("sit down", "stand up", "sit down")
    assert [entry.status in ("done", "adjusted") for entry in stage.entries] == [True] * 3
    stance = stage.scene.stance
    assert stance is not None
    assert stance.seat == "chair"
    assert slide(frames) < MILLIMETRE
    assert frames[-1, 1] + 0.5308 == pytest.approx(0.262 + 0.05, abs=2e-3)  # hips on the seat
    assert max(BODY.limit_excess(angles) for angles in frames) < 1e-9
    assert np.abs(np.diff(frames, axis=0)).max() < 0.6  # radians a frame


def test_feet_stay_where_a_way_has_sharp_corners() -> None:
    stage, frames = told("walk to table", "sit down")
    assert [entry.status for entry in stage.entries] == ["done", "done"]
    assert slide(frames) < MILLIMETRE


@pytest.mark.parametrize("line", ["walk to chair", "swing from bar"])
def test_a_foot_that_swings_around_the_other_one_does_not_snap(line: str) -> None:
    _, frames = told(line)
    knees = [BODY.joint_names.index(name) for name in ("left_knee", "right_knee")]
    ways = np.linalg.norm(np.diff(joint_transforms(BODY, frames)[:200, knees, :3], axis=0), axis=2)
    beside = np.maximum(ways[:-4], ways[4:])
    assert (ways[2:-2] < np.maximum(0.06, 2.5 * beside)).all()


def test_arms_of_who_sits_down_away_from_tables_hang_and_do_not_leap() -> None:
    text = (
        "floor: 0\nspaces: {}\nstart: {place: [0, 0.2]}\nseats: {stool: {place: [0, 0], height: 0.27}}\n"
        "tables: {far: {place: [2, 2], size: [0.2, 0.2], height: 0.3}}\n"
    )
    room = read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)
    stage, frames = told("sit down", "stand up", environment=room)
    assert [entry.status for entry in stage.entries] == ["done", "done"]
    assert np.abs(np.diff(frames, axis=0)).max() < 0.3
    assert slide(frames) < MILLIMETRE


def test_who_reaches_stays_where_they_are() -> None:
    """A hand that goes to a place of the world waits for the body to be there, and the body for the hand."""
    stage, _ = told("set overlap partial", "walk to shelf", "reach jar with left", "wave with right", "walk to table")
    entries = {entry.command.split()[0] + entry.command.split()[-1]: entry for entry in stage.entries}
    there, reach, wave, away = (entries[name] for name in ("walkshelf", "reachleft", "waveright", "walktable"))
    assert there.end == reach.start
    assert "nobody goes while a hand reaches" in reach.waited
    assert reach.status == "done"
    assert away.start is not None
    assert reach.end is not None
    assert away.start >= reach.end
    assert wave.start is not None


def test_a_walk_overlaps_with_a_wave_and_not_with_another_walk() -> None:
    stage, frames = told("set overlap partial", "walk to table", "wave with left", "walk to shelf")
    walk, wave, other = (entry for entry in stage.entries if entry.kind in ("travel", "perform"))
    assert wave.start == walk.start == 0
    assert walk.end is not None
    assert other.start is not None
    assert other.start >= walk.end
    assert "both need the legs" in other.waited
    joints = {segment["joint"] for segment in stage.report_tasks()[0]["segments"]}
    assert {"pelvis", "left_hip", "right_knee", "left_foot"} <= joints
    assert "left_hand" not in joints
    assert slide(frames) < MILLIMETRE


def test_what_a_hand_holds_goes_along() -> None:
    stage, _ = told(
        "sit down", "reach cup with left, grip side", "lock left", "stand up", "walk to \"side table\"",
        "reach space guest with left", "unlock left",
    )  # fmt: skip
    assert stage.scene.centre("cup") == pytest.approx(HALL.moved("cup", "guest").centre("cup"))
    assert stage.frame.objects["cup"].position == pytest.approx(stage.scene.centre("cup"), abs=1e-6)


@pytest.mark.parametrize("goes", ['walk to "side table"', "crouch"])
def test_two_hands_stay_on_what_they_hold_or_the_report_says_that_one_slips(goes: str) -> None:
    stage, frames = told("walk to box", "take box with both hands", goes)
    takes, goes_on = stage.entries[-2], stage.entries[-1]
    kept = keep_hold(frames[takes.end :])
    assert kept or (goes_on.status == "adjusted" and "the left hand slips by up to 0.0" in goes_on.reason)
    assert kept or goes == "crouch"
    arms = [joint for hand in BODY.hands for joint in BODY.limb(hand).joints]
    steps = np.diff(joint_transforms(BODY, frames[takes.end :])[:, arms, :3], n=2, axis=0)
    assert np.linalg.norm(steps, axis=2).max() < 0.02  # no elbow snaps for that


@pytest.mark.parametrize("lines", [("sit down", "reach cup with left, grip side", "lock left", "stand up"),
                                   ("walk to table", "reach cup with left, grip side", "lock left",
                                    'walk to "side table"')])  # fmt: skip
def test_who_stands_carries_with_the_upper_arm_hanging(lines: tuple[str, ...]) -> None:
    stage, frames = told(*lines)
    shoulder, elbow, wrist = joint_transforms(BODY, frames[-1])[list(BODY.limb("left").joints), :3]
    upper, fore = elbow - shoulder, wrist - elbow
    assert -upper[1] / np.linalg.norm(upper) > math.cos(math.radians(30.0))
    assert abs(fore[1]) / np.linalg.norm(fore) < math.sin(math.radians(45.0))  # the elbow is bent
    assert stage.frame.objects["cup"].rotation[1, 1] == pytest.approx(1.0, abs=1e-3)


REFUSED = {
    "walk to (0, 0.4)": "'table' stands at (0, 0.4); (-0.5",
    "walk to cupp": "did you mean 'cup'",
    "swing from table": "unknown bar 'table'; known: 'bar'",
    "jump to (3, 3)": "a jump is 1.6 long at most",
    "jump to (-1.3, -0.4), height 2": "not by 2",
    "jump to (-1.3, -0.1), speed 3": "in 3 frames nobody leaves the floor",
    "jump to (-1.3, -0.1), speed 20, height 0.1": "not both",
    "step left to (2, 2)": "walk to (2, 2) gets there",
    "stand up": "already",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_cannot_be_done_says_why(line: str) -> None:
    stage = Stage("hall.yaml", BODY)
    entry = stage.give(line)
    assert entry.status == "rejected"
    assert REFUSED[line] in entry.reason
    assert stage.idle


@pytest.mark.parametrize("aside", [0.0, 0.35])  # across it, and with a leg over its end
def test_nobody_jumps_through_a_table(aside: float) -> None:
    text = (
        "floor: 0\nspaces: {}\nstart: {place: [0, 0]}\n"
        f"tables: {{bench: {{place: [{aside}, 0.5], size: [0.6, 0.1], height: 0.3}}}}\n"
    )
    stage = Stage(read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands), BODY)
    entry = stage.give("jump to (0, 0.9)")
    assert "'bench' is in the way; walk to (0, 0.9) goes around it" in entry.reason


def test_who_has_a_hand_full_does_not_swing_from_a_bar() -> None:
    stage = Stage("hall.yaml", BODY)
    stage.give("walk to box")
    stage.give("take box with right")
    entry = stage.give("swing from bar")
    assert entry.status == "rejected"
    assert "the right hand holds 'box'; put that down first" in entry.reason


def test_a_body_without_legs_and_a_room_without_seats_are_told() -> None:
    seated = Stage("blocks.yaml", Body.load("seated")).give("walk to (0, -1)")
    assert "'seated' has no legs to walk with" in seated.reason
    text = "table: {height: 0.4, front: 0.3}\nfloor: 0\nseats: {}\nspaces: {}\n"
    stage = Stage(read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands), BODY)
    assert "there is no seat" in stage.give("sit down").reason
    assert "there is none" in stage.give("swing from bar").reason


def test_steps_are_told_with_foot_and_place() -> None:
    found = puppet.run('environment "hall.yaml"\nwalk to (-0.7, -0.5)\nstep left to (-0.55, -0.58)')
    steps = [event for event in found.report["events"] if event["kind"] == "step"]
    walk, single = ([e for e in steps if e["line"] == line] for line in (2, 3))
    assert len(walk) >= 2
    feet = [event["part"] for event in walk]
    assert all(one != other for one, other in itertools.pairwise(feet))  # one foot after the other
    assert [event["part"] for event in single] == ["left_foot", "right_foot"]
    np.testing.assert_allclose(single[0]["place"], (-0.55, 0.0, -0.58), atol=0.01)
    for event in steps:
        joint, frame = found.joint_names.index(event["part"]), event["frame"]
        later = found.joint_positions[frame : frame + 5, joint]
        assert np.linalg.norm((later - event["place"])[:, [0, 2]], axis=1).max() < 0.03  # there it stays
        before = found.joint_positions[frame - 6, joint]
        assert np.linalg.norm((before - event["place"])[[0, 2]]) > 0.01  # and it comes from elsewhere


def test_a_fall_is_told() -> None:
    script = 'environment "hall.yaml"\nphysics on\nat 5\npush chest by (500, 0, 0) for 8\nwait 40'
    events = puppet.run(script).report["events"]
    assert [event["kind"] for event in events] == ["fall"]
    assert events[0]["part"] == "pelvis"
    assert 5 < events[0]["frame"] < 45


def test_a_jump_falls_as_things_fall_and_a_walk_takes_its_time_at_any_number_of_frames_a_second() -> None:
    script = 'environment "hall.yaml"\nbody person\nfps {}\nwalk to (-1.0, -0.9)\njump to (-1.0, -0.9), height 0.25\n'
    ends = []
    for fps in (24.0, 60.0):
        performance = run(script.format(f"{fps:g}"))
        assert slide(performance.angles) < MILLIMETRE
        walk, jump = performance.report["tasks"]
        ends.append((walk["end"] / fps, (jump["end"] - jump["start"]) / fps))
        heights = performance.centre_of_mass[jump["start"] : jump["end"], 1]
        falls = np.diff(heights, 2) * fps**2
        free = np.abs(falls + 9.81 / 1.75) < 1e-3
        assert free.sum() > 0.4 * fps  # half a second in the air
        assert heights.max() - heights[0] == pytest.approx(0.25 + 0.055, abs=0.01)  # it takes off on its toes
    np.testing.assert_allclose(ends[0], ends[1], atol=0.1)


def test_thighs_in_the_board_of_a_table_are_told() -> None:
    stage, _ = told("sit down", environment=at_a_table(0.2, 0.3, 0.25))  # too low for anybody's legs
    assert stage.entries[-1].status == "adjusted"
    assert "hip goes 0.0" in stage.entries[-1].reason


@pytest.mark.parametrize(
    ("room", "height", "seat"),
    [(0.18, 0.36, 0.25), (0.29, 0.36, 0.25), (0.2, 0.46, 0.3), (0.29, 0.46, 0.26), (0.36, 0.52, 0.3)],
)
def test_who_sits_near_to_a_table_gets_there_and_away_with_legs_and_hands_out_of_it(
    room: float, height: float, seat: float
) -> None:
    stage, frames = told("sit down", "stand up", "walk to (-1, -0.6)", environment=at_a_table(room, height, seat))
    assert [(entry.status, entry.reason) for entry in stage.entries] == [("done", "")] * 3
    assert slide(frames) < MILLIMETRE
    assert np.abs(np.diff(frames, axis=0)).max() < 0.6


def test_who_crouches_beside_the_corner_of_a_table_keeps_both_hands_out_of_it() -> None:
    """Room was looked for straight ahead alone: a hand went 0.09 into the table."""
    text = (
        "floor: 0\nstart: {place: [1.06, 1.14], turn: 52}\nspaces: {}\n"
        "tables: {table: {place: [1.594, 1.103], size: [0.774, 0.475], height: 0.453}}\n"
    )
    room = read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)
    stage, frames = told("turn by -5", "crouch", environment=room)
    assert "hand goes" not in stage.entries[-1].reason
    assert stage.entries[-1].status == "done"
    assert slide(frames) < MILLIMETRE


HURRIES = ("walk to table, speed 29", "turn by 150, speed 8", "crouch, speed 5", "sit down, speed 9")


@pytest.mark.parametrize("line", HURRIES)
def test_who_is_told_to_hurry_too_much_takes_longer_and_says_so(line: str) -> None:
    stage, frames = told(line)
    assert stage.entries[-1].status == "adjusted"
    assert "frames longer, so that nothing leaps" in stage.entries[-1].reason
    feet = np.diff(contacts(frames), axis=0)
    assert np.linalg.norm(feet, axis=2).max() < 0.13
    assert slide(frames) < MILLIMETRE


def test_who_has_no_room_to_leave_a_seat_is_told_how_much_it_takes() -> None:
    walls = (f", wall {n}: {{place: [{x}, 0], size: [0.2, 0.8], height: 0.4}}" for n, x in enumerate((-0.35, 0.35)))
    stage, _ = told("sit down", environment=at_a_table(0.2, 0.36, 0.25, "".join(walls)))
    assert stage.entries[-1].reason == (
        "the table is 0.20 from the middle of 'chair', and one needs 0.29 to stand between them, or 0.10 and room to "
        "stand beside the seat"
    )


def test_who_is_told_to_stop_between_walking_to_a_seat_and_sitting_down_or_on_it_stops() -> None:
    """Every frame around the end of the walk, and some while the body turns on the seat."""
    room = at_a_table(0.2, 0.36, 0.25)
    way = Stage(room, BODY)
    way.give("sit down")
    there = 0
    while way.scene.body_at.place == room.body_at.place:
        there = way.step().number
    for at in (*range(there - 1, there + 2), there + 27, there + 57):
        stage = Stage(room, BODY)
        stage.give("sit down")
        frames = [stage.frame.angles]
        while not stage.idle:
            if stage.frame.number == at:
                stage.give("freeze")
            frames.append(stage.step().angles)
        assert stage.scene.body_at.stands
        assert slide(np.array(frames)) < MILLIMETRE


def test_whoever_was_dragged_away_or_stood_on_tiptoe_goes_on_from_there() -> None:
    """Nothing leaps where a course begins elsewhere than the body is, nor do toes that stood on the floor."""
    for line in ("drag right clavicle by (0, -0.15, 0.2), speed 30", "reach jar with left"):
        _, frames = told(line, "turn by 60")
        assert np.abs(np.diff(frames, axis=0)).max() < 0.4


def test_a_hand_leaves_what_it_reached_for_before_the_body_goes() -> None:
    stage, _ = told("walk to box", "reach box with right", "walk to table", "sit down", "stand up")
    assert [entry.status for entry in stage.entries] == ["done"] * 5


@pytest.mark.parametrize("degrees", [-270, 720])
def test_who_is_told_to_turn_round_and_round_does(degrees: int) -> None:
    stage, frames = told(f"turn by {degrees}")
    assert [entry.status for entry in stage.entries] == ["done"]
    axis = BODY.rotation_dofs[0].start
    assert math.degrees(frames[-1, axis] - frames[0, axis]) == pytest.approx(degrees, abs=0.5)
    assert slide(frames) < MILLIMETRE


def test_who_walks_to_a_chair_at_a_table_stands_beside_it() -> None:
    stage, _ = told("walk to chair")
    assert [entry.status for entry in stage.entries] == ["done"]
    chair, stance = HALL.seat_named("chair"), stage.scene.body_at
    assert math.dist(chair.place, stance.place) == pytest.approx(0.32, abs=1e-6)


def test_nobody_walks_to_what_they_hold_or_stands_in_a_table() -> None:
    stage, _ = told("walk to cup", "take cup with left", "walk to cup", "walk to (0.45, 0.3)")
    reasons = [entry.reason for entry in stage.entries if entry.status == "rejected"]
    assert reasons[0] == "the left hand holds 'cup'"
    assert "'table' leaves no room to stand at (0.45, 0.3); (" in reasons[1]


def test_what_is_carried_stays_below_a_shelf_that_is_full() -> None:
    text = (
        "floor: 0\nstart: {place: [-0.6, 0.5], turn: 180}\n"
        "tables:\n  shelf: {place: [0, 1.4], size: [0.5, 0.2], height: 0.86}\n"
        "spaces:\n  high: {on: shelf, at: [0, 0, 0.06]}\n  low: {on: floor, at: [-0.6, 0, 0]}\n"
        "objects:\n  box: {width: 0.06, space: low}\n  jar: {width: 0.03, space: high}\n"
    )
    room = read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)
    stage, _ = told("walk to box", "take box with right", "walk to shelf", environment=room)
    assert stage.entries[-1].status == "done"  # nothing is in the jar


def test_a_room_without_a_table_has_none_to_walk_to() -> None:
    room = read_environment(strict_yaml.parse("floor: 0\nbody: person\nspaces: {}\n", "x.yaml"), BODY.hands)
    stage, frames = told("walk to (0.5, 0.5)", "crouch", "walk to table", environment=room)
    assert [entry.status for entry in stage.entries] == ["done", "done", "rejected"]
    assert stage.entries[-1].reason == "unknown thing 'table'; none is known here"
    assert slide(frames) < MILLIMETRE
