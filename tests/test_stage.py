"""The stage and the run: freeze, interrupt, undo, reports, recording, replay."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import puppet
from puppet.body import Body
from puppet.command import PoseJoint, Wait
from puppet.errors import PuppetError
from puppet.scene import Object, Scene, Table, load_environment
from puppet.stage import Stage
from puppet.tasks import AtObject

BODY = Body.load("seated")
BLOCKS = load_environment("environments/blocks.yaml")
STACK = """
environment "blocks.yaml"
reach yellow with left, grip top, speed 30
lock left
reach blue with left, grip side, speed 60
"""


@pytest.fixture
def stage() -> Stage:
    return Stage(BLOCKS, BODY)


def steps(stage: Stage, count: int) -> None:
    for _ in range(count):
        stage.step()


# ---- freeze and interrupt (trap 7)


def test_what_was_not_carried_out_did_not_happen(stage: Stage) -> None:
    for line in ("reach yellow with left", "lock left", "reach space 1 with left"):
        stage.give(line)
    for line in ("reach blue with right", "lock right"):
        stage.give(line)
    assert stage.planned.stack_on("1") == ("yellow",)
    steps(stage, 10)
    stage.give("freeze")
    assert stage.idle
    assert stage.planned == stage.scene == Stage(BLOCKS, BODY).scene
    assert stage.locks == {}  # neither thing was reached
    assert [e.status for e in stage.entries if e.kind == "reach"] == ["cancelled"] * 3
    assert stage.entries[0].end == 10


def test_what_a_hand_was_carrying_is_still_in_it(stage: Stage) -> None:
    for line in ("reach yellow with left", "lock left", "reach space 1 with left", "reach space 6 with left"):
        stage.give(line)
    steps(stage, 45)
    held = stage.frame.objects["yellow"].position
    stage.give("freeze")
    assert stage.locks == {"left": AtObject("yellow", "top")}
    assert stage.planned.space_of("yellow").name is None
    assert stage.planned.centre("yellow") == pytest.approx(tuple(held))
    steps(stage, 3)
    assert np.array_equal(stage.frame.objects["yellow"].position, held)
    stage.give("reach space 1 with left")
    first = stage.step()
    assert np.linalg.norm(first.objects["yellow"].position - held) < 5e-3
    stage.run_until_idle()
    assert stage.scene.stack_on("1") == ("yellow",)


def test_interrupt_once_and_interrupt_mode(stage: Stage) -> None:
    stage.give("reach yellow with left")
    stage.give("reach blue with right")
    steps(stage, 10)
    stage.give("interrupt scratch head with left, speed 10")
    stage.run_until_idle()
    assert [(e.status, e.start) for e in stage.entries] == [("cancelled", 0), ("cancelled", None), ("done", 10)]
    stage.give("set interrupt on")
    stage.give("reach yellow with left")
    steps(stage, 3)
    stage.give("reach blue with right")
    stage.give("set interrupt off")
    stage.give("reach green with left")
    stage.run_until_idle()
    assert [e.status for e in stage.entries if e.kind == "reach"][2:] == ["cancelled", "done", "done"]


def test_a_rejected_interrupt_interrupts_nothing(stage: Stage) -> None:
    stage.give("reach yellow with left")
    steps(stage, 5)
    assert stage.give("interrupt reach nothing with left").status == "rejected"
    stage.run_until_idle()
    assert stage.entries[0].status == "done"


def test_a_hand_stopped_on_its_way_can_be_locked_there(stage: Stage) -> None:
    stage.give("reach yellow with left")
    steps(stage, 10)
    stage.give("freeze")
    at = stage.hands["left"].position
    assert stage.give("lock left").status == "done"
    stage.give("wave with right")
    stage.run_until_idle()
    assert stage.hands["left"].position == pytest.approx(at, abs=0.03)  # as far as it is clear of the table


# ---- undo


def test_undo_takes_the_last_command_back_and_its_frames(stage: Stage) -> None:
    stage.give("reach yellow with left")
    steps(stage, 10)
    before = (stage.frame.angles, stage.planned, stage.entries)
    stage.give("freeze")
    steps(stage, 5)
    stage.undo()
    assert stage.frame.number == 10
    assert np.array_equal(stage.frame.angles, before[0])
    assert stage.planned == before[1]
    assert stage.entries == before[2]
    stage.run_until_idle()
    assert stage.entries[0].status == "done"
    stage.undo()
    with pytest.raises(PuppetError, match="no command"):
        stage.undo()


def test_a_snapshot_comes_back_whole(stage: Stage) -> None:
    lines = ("reach yellow with left", "lock left", "reach space 1 with left", "check watch with right, overlap full")
    for line in lines:
        stage.give(line)
    steps(stage, 17)
    kept = stage.snapshot()
    runs = []
    for _ in range(2):
        frames = []
        while not stage.idle:
            frames.append(stage.step().angles)
        runs.append((np.array(frames).tobytes(), stage.entries))
        stage.restore(kept)
    assert runs[0] == runs[1]


# ---- run and report


def test_run_gives_the_performance_and_the_report(tmp_path: Path) -> None:
    performance = puppet.run(STACK, body=BODY)
    assert performance.angles.shape == (91, BODY.dofs)
    assert performance.joint_positions.shape == (91, 9, 3)
    assert performance.object_positions.shape == (91, 4, 3)
    assert performance.joint_names[0] == "abdomen"
    assert not performance.angles.flags.writeable
    report = performance.report
    assert report["frames"] == 91
    assert [t["interpretation"] for t in report["tasks"]] == [
        "Reach yellow with left hand", "Lock left hand: stay at yellow", "Stack yellow on blue"]  # fmt: skip
    assert [t["line"] for t in report["tasks"]] == [3, 4, 5]
    assert [(t["start"], t["end"]) for t in report["tasks"]] == [(0, 30), (30, 30), (30, 90)]
    for task in report["tasks"]:
        assert {"line", "command", "interpretation", "status", "reason", "hand", "start", "end", "position_error",
                "orientation_error"} <= set(task)  # fmt: skip
    assert report["objects"]["yellow"]["below"] == "blue"
    assert report["objects"]["yellow"]["space"] == "3"
    assert set(report["timing"]) >= {"interface", "posture", "frames", "total"}
    performance.save(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text())["frames"] == 91
    with pytest.raises(PuppetError, match="no writer"):
        performance.save(tmp_path / "stack.fbx")


def test_the_same_script_gives_the_same_bytes() -> None:
    first, second = puppet.run(STACK), puppet.run(STACK)
    assert first.angles.tobytes() == second.angles.tobytes()
    assert first.object_transforms.tobytes() == second.object_transforms.tobytes()
    assert {k: v for k, v in first.report.items() if k != "timing"} == {
        k: v for k, v in second.report.items() if k != "timing"}  # fmt: skip


def test_time_words() -> None:
    performance = puppet.run(
        'environment "blocks.yaml"\nfps 20\nreach yellow with left, speed 1.5s\nat 40\nwave with left, speed 10\n'
        "wait until done\nwait 5\nreach blue with right, speed 10\nat 3\nlock right\n"
    )
    tasks = performance.report["tasks"]
    assert [(t["start"], t["end"]) for t in tasks[:3]] == [(0, 30), (40, 70), (75, 85)]
    assert performance.report["fps"] == 20
    assert "is over" in performance.report["notes"][0]["message"]


def test_recording_keeps_what_is_between_its_words() -> None:
    base = 'environment "blocks.yaml"\nreach yellow with left, speed 10\n'
    assert len(puppet.run(base).angles) == 11
    assert len(puppet.run(base + "wait 4\nrecord start\n").angles) == 7  # frames 4 to 10
    assert len(puppet.run(base + "wait 4\nrecord start\nwait 3\nrecord stop\n").angles) == 4
    performance = puppet.run(base + "wait 4\nrecord start\nwait 3\nrecord stop\nwait 1\nrecord start\n")
    assert len(performance.angles) == 4 + 3
    assert performance.object_positions.shape == (7, 4, 3)


def test_a_script_without_an_environment_says_so() -> None:
    with pytest.raises(PuppetError, match="names no environment"):
        puppet.run("reach yellow with left\n")
    with pytest.raises(PuppetError, match="belongs in a script"):
        Stage(BLOCKS, BODY).give(Wait(frames=3))


def test_draft_is_a_sketch_of_the_same_timeline() -> None:
    performance = puppet.run(STACK, draft=True)
    assert len(performance.angles) == 91
    assert [t["status"] for t in performance.report["tasks"]] == ["done", "done", "done"]
    assert performance.report["objects"]["yellow"]["below"] == "blue"


def test_left_and_right_are_mirror_images() -> None:
    """A mirrored table with mirrored commands gives the mirrored motion."""
    from puppet.scene import Object, Scene

    def scene(sign: float) -> Scene:
        spaces = {"a": (0.14 * sign, 0.6, 0.26), "b": (0.02 * sign, 0.6, 0.27)}
        return Scene.build(BLOCKS.table, spaces, [(Object("cube", 0.03), "a")])

    script = "reach cube with {0}, grip side\nlock {0}\nreach space b with {0}, grip side\nunlock {0}\n"
    script += "scratch head with {1}\n"
    left = puppet.run(script.format("left", "right"), environment=scene(1.0), body=BODY)
    right = puppet.run(script.format("right", "left"), environment=scene(-1.0), body=BODY)
    swap = {"left": "right", "right": "left"}
    order = [BODY.joint("_".join(swap.get(part, part) for part in name.split("_"))) for name in BODY.joint_names]
    mirrored = right.joint_positions[:, order] * (-1.0, 1.0, 1.0)
    assert np.max(np.abs(left.joint_positions - mirrored)) < 1e-6
    assert np.max(np.abs(left.object_positions - right.object_positions * (-1.0, 1.0, 1.0))) < 1e-6


# ---- the build


def test_import_loads_no_compiler_and_no_window() -> None:
    code = "import puppet, sys; print([m for m in ('numba', 'pygame', 'OpenGL') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


# ---- who had which joint, and why a task waited


def tasks_of(*lines: str) -> list[dict[str, object]]:
    stage = Stage(BLOCKS, BODY)
    for line in lines:
        stage.give(line)
    stage.run_until_idle()
    return stage.report_tasks()


def joints_of(task: dict[str, object]) -> dict[str, tuple[int, int]]:
    return {s["joint"]: (s["start"], s["end"]) for s in task["segments"]}  # type: ignore[attr-defined]


def test_the_report_says_who_had_which_joint() -> None:
    left, right = tasks_of("reach yellow with left, speed 30", "reach blue with right, speed 40, overlap partial")
    assert joints_of(left)["chest"] == (0, 30)
    assert joints_of(left)["left_hand"] == (0, 30)
    assert "right_hand" not in joints_of(left)
    assert joints_of(right)["right_hand"] == (0, 70)  # begun at once, and again with the trunk
    assert joints_of(right)["chest"] == (30, 70)
    assert "begins without abdomen, chest, still with 'Reach yellow" in str(right["waited"])


def test_two_that_share_the_trunk_both_have_it() -> None:
    left, right = tasks_of("reach yellow with left, speed 30", "reach blue with right, overlap full, speed 30")
    assert joints_of(left)["chest"] == joints_of(right)["chest"] == (0, 30)
    assert left["waited"] == right["waited"] == ""


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (("reach yellow with left", "reach blue with right"), "may not overlap"),
        (("reach yellow with left", "reach green with left, overlap full"), "both need the left arm"),
        (
            ("reach yellow with left", "reach blue with right, overlap full", "reach red with left, overlap full"),
            "both need the left arm",
        ),
    ],
)
def test_a_task_that_waits_says_why(lines: tuple[str, ...], why: str) -> None:
    last = tasks_of(*lines)[-1]
    assert why in str(last["waited"])
    assert "Reach yellow with left hand" in str(last["waited"])


def test_a_cancelled_task_had_its_joints_until_then() -> None:
    stage = Stage(BLOCKS, BODY)
    stage.give("reach yellow with left")
    for _ in range(7):
        stage.step()
    stage.give("freeze")
    assert joints_of(stage.report_tasks()[0])["left_hand"] == (0, 7)


# ---- joints posed directly


def test_a_joint_is_posed_and_nothing_else_moves() -> None:
    stage = Stage(BLOCKS, BODY)
    before = stage.frame.angles
    entry = stage.give(PoseJoint(joint="head", angles=(10.0, -20.0, 5.0), speed=8))
    stage.run_until_idle()
    assert stage.entries[entry.number].status == "done"
    assert stage.frame.number == 8
    head = BODY.joint_names.index("head")
    moved = np.flatnonzero(stage.frame.angles != before)
    assert set(moved) == {3 * head, 3 * head + 1, 3 * head + 2}
    for axis, degrees in zip("xyz", (10.0, -20.0, 5.0), strict=True):
        assert np.degrees(stage.frame.angles[BODY.dof("head", axis)]) == pytest.approx(degrees)


def test_a_joint_posed_beyond_its_limits_stops_there() -> None:
    stage = Stage(BLOCKS, BODY)
    entry = stage.give(PoseJoint(joint="left_hand", angles=(0.0, 120.0, 0.0)))
    stage.run_until_idle()
    done = stage.entries[entry.number]
    assert done.status == "adjusted"
    assert done.reason.split("; ")[0] == "the left hand goes to its limit"  # and then the table is in its way
    assert BODY.limit_excess(stage.frame.angles) == 0.0


@pytest.mark.parametrize("joint", ["head", "left_shoulder", "left_hip"])
def test_a_ball_joint_posed_beyond_its_range_stops_there(joint: str) -> None:
    person = Body.load("person")
    stage = Stage(BLOCKS, person)
    entry = stage.give(PoseJoint(joint=joint, angles=(-80.0, 120.0, 40.0)))
    stage.run_until_idle()
    assert stage.entries[entry.number].reason.startswith(f"the {joint.replace('_', ' ')} goes to its limit")
    assert person.limit_excess(stage.frame.angles) < 1e-6


def test_hands_stay_where_they_are_while_the_trunk_is_posed() -> None:
    stage = Stage(BLOCKS, BODY)
    for line in ("reach yellow with left", "lock left"):
        stage.give(line)
    stage.run_until_idle()
    before = stage.hands
    stage.give(PoseJoint(joint="chest", angles=(10.0, 5.0, 0.0)))
    while not stage.idle:
        stage.step()
        for hand, pose in stage.hands.items():
            assert pose.distance(before[hand]) < 5e-3
    assert np.degrees(stage.frame.angles[BODY.dof("chest", "x")]) == pytest.approx(10.0)


def test_a_joint_is_not_posed_under_a_locked_hand_or_by_a_wrong_name() -> None:
    stage = Stage(BLOCKS, BODY)
    for line in ("reach yellow with left", "lock left"):
        stage.give(line)
    stage.run_until_idle()
    posed = PoseJoint(joint="left_forearm", angles=(5.0, 0.0, 0.0))
    assert "the left hand, which is locked" in stage.give(posed).reason
    assert "did you mean 'chest'" in stage.give(PoseJoint(joint="chset", angles=(5.0, 0.0, 0.0))).reason
    assert "three angles" in stage.give(PoseJoint(joint="head", angles=(float("nan"), 0.0, 0.0))).reason
    assert stage.idle


def test_a_stage_finds_its_environment_by_name_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Stage("blocks", BODY).scene == Stage("blocks.yaml", BODY).scene == Stage(BLOCKS, BODY).scene
    with pytest.raises(PuppetError, match="did you mean 'blocks"):
        Stage("blokcs", BODY)


def test_a_task_tells_how_many_postures_were_tried_for_it() -> None:
    stage = Stage(load_environment("environments/blocks.yaml"))
    for command in ("reach yellow with left", "slide left by (0, 0, 1)"):
        stage.give(command)
        while not stage.idle:
            stage.step()
    near, far = (entry.as_dict()["iterations"] for entry in stage.entries)
    assert 1 <= near < 10 < far  # what is out of reach is approached from many sides


# ---- when a hand takes hold and lets go, and what it never gets hold of


def test_a_lock_and_an_unlock_have_the_frames_at_which_the_hand_takes_hold_and_lets_go() -> None:
    stage = Stage(BLOCKS)
    lines = ("reach yellow with left, speed 20", "lock left", "reach space 1 with left, speed 25", "unlock left")
    given = [stage.give(line).number for line in lines]
    assert [stage.entries[n].status for n in given] == ["waiting"] * 4
    stage.run_until_idle()
    entries = [stage.entries[n] for n in given]
    assert [entry.status for entry in entries] == ["done"] * 4
    assert [(entry.start, entry.end) for entry in entries] == [(0, 20), (20, 20), (20, 45), (45, 45)]
    late = stage.give("reach yellow with left"), stage.give("freeze")
    assert stage.entries[late[0].number].status == "cancelled"
    at_once = stage.give("lock left")
    assert (at_once.status, at_once.start) == ("done", 45)


def test_a_lock_that_waits_is_cancelled_with_its_task() -> None:
    stage = Stage(BLOCKS)
    stage.give("reach yellow with left")
    lock = stage.give("lock left")
    stage.step()
    stage.give("freeze")
    assert stage.entries[lock.number].status == "cancelled"
    assert stage.locks == {}


@pytest.mark.parametrize("space", ["(0.0, 0.0, 0.9)", "(0.35, 0.3, 0.1)", "(-0.3, 0.02, 0.02)"])
@pytest.mark.parametrize("grip", ["side", "top", "bottom"])
def test_what_is_reported_missed_is_never_held(space: str, grip: str) -> None:
    """One rule says whether a goal is met: the report, the plan and the lock agree about it (trap 12)."""
    x, y, z = eval(space)
    scene = Scene.build(Table(0.6, 0.2), {"far": (x, 0.6 + y, 0.2 + z)}, [(Object("cup", 0.03), "far")])
    stage = Stage(scene)
    reach = stage.give(f"reach cup with left, grip {grip}")
    lock = stage.give("lock left")
    stage.run_until_idle()
    later = stage.give("lock left")
    missed = stage.entries[reach.number].status == "missed"
    for entry in (stage.entries[lock.number], later):
        assert (entry.status == "rejected") == missed
        assert not missed or "does not get there" in entry.reason
    assert ("left" in stage.locks) != missed


@pytest.mark.parametrize("wait", ["wait until done", "wait for waving"])
def test_waiting_ends_where_only_a_later_command_can_end_what_goes_on(wait: str) -> None:
    lines = ("waving: wave with left, until taking starts", wait, "taking: take yellow with right")
    performance = puppet.run("\n".join(('environment "blocks.yaml"', *lines)))
    assert [task["status"] in ("done", "adjusted") for task in performance.report["tasks"]] == [True, True]
    assert len(performance.angles) < 300
