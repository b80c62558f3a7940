"""Any body goes on stage: what it has, it can do; what it lacks is said."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import puppet
from puppet.body import Body
from puppet.files import shipped
from puppet.shows import Live
from puppet.tasks import load_gestures
from tests.performances import performance

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted((ROOT / "scripts").glob("*.puppet"))
SEATED = (shipped.folder("bodies") / "seated.yaml").read_text(encoding="utf-8")
PARTS = {  # VRM's names
    "left_shoulder": "leftUpperArm", "left_forearm": "leftLowerArm", "left_hand": "leftHand",
    "right_shoulder": "rightUpperArm", "right_forearm": "rightLowerArm", "right_hand": "rightHand",
    "abdomen": "spine", "chest": "upperChest", "head": "skull",
}  # fmt: skip


def lamp(folder: Path) -> Body:
    """The body of docs/bodies.md, as it stands there."""
    page = (ROOT / "docs" / "bodies.md").read_text(encoding="utf-8")
    found = re.search(r"```yaml lamp.yaml\n(.*?)```", page, re.S)
    assert found
    (folder / "lamp.yaml").write_text(found.group(1), encoding="utf-8")
    return Body.load(folder / "lamp.yaml")


def renamed(folder: Path) -> Body:
    text = SEATED.replace("name: seated", "name: other")
    for old, new in PARTS.items():
        text = re.sub(rf"(?<![a-z] )\b{old}\b", new, text)  # but not in the names of groups
    (folder / "other.yaml").write_text(text, encoding="utf-8")
    return Body.load(folder / "other.yaml")


def test_a_lamp_performs(tmp_path: Path) -> None:
    body = lamp(tmp_path)
    stage = puppet.Stage("blocks", body)
    before = stage.frame.angles
    for line in ("reach yellow with light", "slide light by (0, 0.1, 0)", "pose elbow at (30, 0, 0)", "freeze"):
        assert stage.give(line).status != "rejected", line
        stage.run_until_idle()
    assert np.abs(stage.frame.angles - before).max() > 0.1
    assert body.limit_excess(stage.frame.angles) < 1e-9
    assert {entry.status for entry in stage.entries} <= {"done", "missed", "adjusted"}


@pytest.mark.parametrize("draft", [False, True], ids=["exact", "draft"])
def test_a_lamp_does_or_refuses_every_kind_of_task(tmp_path: Path, draft: bool) -> None:
    stage = puppet.Stage("blocks", lamp(tmp_path), draft=draft)
    lacks = {
        "look at yellow": "no joint that looks", "nod": "no joint that looks", "walk to yellow": "no legs",
        "take yellow with both": "both hands", "give yellow to light": "no hand holds 'yellow'",
        "release light": "holds nothing",
    }  # fmt: skip
    for line, reason in lacks.items():
        entry = stage.give(line)
        assert (entry.status, reason in entry.reason) == ("rejected", True), entry
    for line in ("point at yellow with light", "take yellow with light", "pin elbow", "unpin elbow"):
        number = stage.give(line).number
        stage.run_until_idle()
        assert stage.entries[number].status in ("done", "adjusted", "missed"), line


def test_a_lamp_is_played_live(tmp_path: Path) -> None:
    live = Live("blocks", body=lamp(tmp_path))
    for key in "AdGhy":
        live.press(key)  # keys of the default body's hands: refused, and said
    live.give("reach yellow with light")
    live.advance(0.5)
    assert live.frame.number > 0


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_other_joint_names_give_the_same_motion(tmp_path: Path, script: Path) -> None:
    body = renamed(tmp_path)
    assert set(body.joint_names) == set(PARTS.values())
    text = script.read_text(encoding="utf-8")
    asks = sorted(name for name in load_gestures(body).impossible if name in text)
    posed = re.search(r"^pose (?:the )?(\w+)", text, re.M)
    if asks or posed:
        lacks = "cannot do that: it has no joint 'left_shoulder'|unknown joint"
        with pytest.raises(puppet.PuppetError, match=lacks):
            puppet.run(script, body=body)
        return
    theirs, ours = puppet.run(script, body=body), performance(script.name)
    if ours.body.name != "seated":  # the script is for another body: compared is what the seated puppet makes of it
        ours = puppet.run(script, body=Body.load("seated"))
    assert (theirs.angles == ours.angles).all()
    assert [task["status"] for task in theirs.report["tasks"]] == [task["status"] for task in ours.report["tasks"]]


def test_run_takes_a_body_by_name_or_by_file(tmp_path: Path) -> None:
    script = 'environment "blocks.yaml"\nreach yellow with left\n'
    ours = puppet.run(script, body="seated")
    assert np.array_equal(ours.angles, puppet.run(script, body=Body.load("seated")).angles)
    renamed(tmp_path)
    assert np.array_equal(ours.angles, puppet.run(script, body=tmp_path / "other.yaml").angles)
    with pytest.raises(puppet.PuppetError, match="did you mean 'seated'"):
        puppet.run(script, body="seatd")
    with pytest.raises(puppet.PuppetError, match="a body is a Body, or the name of one, not 3"):
        puppet.run(script, body=3)  # type: ignore[arg-type]


def test_a_gesture_that_a_body_cannot_do_is_refused_with_the_reason(tmp_path: Path) -> None:
    body = lamp(tmp_path)
    assert "drink" not in load_gestures(body)
    with pytest.raises(puppet.PuppetError, match="the body 'lamp' cannot do that"):
        puppet.run('environment "blocks.yaml"\ndrink with light\n', body=body)
    with pytest.raises(puppet.PuppetError, match="the body 'lamp' cannot do that"):
        puppet.run('environment "blocks.yaml"\nperform wave with light\n', body=body)


def test_a_leg_is_no_hand_and_stays_where_it_is(tmp_path: Path) -> None:
    text = SEATED.replace("limbs:\n", """limbs:
  left foot: {kind: leg, joints: [left_thigh, left_shin, left_foot]}
""").replace("# What does not move", """  left_thigh:
    parent: abdomen
    centre: [0.05, 0.545, 0.01]
    rotations: [{axis: x, limits: [-120, 20]}, {axis: z, limits: [-20, 40]}, {axis: y, limits: [-30, 30]}]
  left_shin:
    parent: left_thigh
    centre: [0.05, 0.3, 0.01]
    rotations: [{axis: x, limits: [0, 140]}]
  left_foot:
    parent: left_shin
    centre: [0.05, 0.06, 0.01]
    rotations: [{axis: x, limits: [-40, 30]}, {axis: z, limits: [-20, 20]}]
    tip: [0, -0.04, 0.1]
# What does not move""")  # fmt: skip
    (tmp_path / "legged.yaml").write_text(text, encoding="utf-8")
    body = Body.load(tmp_path / "legged.yaml")
    assert body.dofs == 27 + 3 + 1 + 2
    assert body.hands == ("left", "right")
    performance = puppet.run("scripts/04_carry.puppet", body=body)
    assert {task["status"] for task in performance.report["tasks"]} == {"done"}
    leg = body.dofs_of(body.limb("left foot").joints)
    assert np.ptp(performance.angles[:, leg], axis=0).max() == 0.0
    with pytest.raises(puppet.PuppetError, match="left foot"):
        puppet.run('environment "blocks.yaml"\nreach yellow with "left foot"\n', body=body)
    plain = puppet.run("scripts/04_carry.puppet", body=Body.load("seated"))
    assert performance.angles[:, :27] == pytest.approx(plain.angles, abs=1e-9)
    stage = puppet.Stage("blocks", body)
    stage.give("pose left_shin at (30, 0, 0)")
    stage.run_until_idle()
    assert stage.entries[-1].status == "done"
    assert stage.frame.angles[body.dof("left_shin", "x")] == pytest.approx(np.radians(30.0))


# ---- bodies that come along


@pytest.mark.parametrize("name", ["person", "arm", "hugger"])
def test_a_body_that_comes_along_is_pinned_and_dragged(name: str) -> None:
    body = Body.load(name)
    figure = puppet.Figure(body)
    low = _lowest_contact(body, figure)
    assert low == pytest.approx(0.0, abs=1e-9) if body.free_root else low > 0.0
    for limb in body.limbs.values():
        if limb.kind == "leg":
            foot = body.joints[limb.joints[-1]]
            assert foot.tip is not None
            figure.pin(foot.name, point=foot.tip, orientation=False)
    part = body.joint_names[0] if body.free_root else body.joint_names[-1]
    figure.drag(part, by=(0.0, -0.04, 0.02), steps=10)
    for _ in range(10):
        figure.step()
    assert max(figure.residuals.values()) < 1e-4
    assert body.limit_excess(figure.angles) < 1e-9


def _lowest_contact(body: Body, figure: puppet.Figure) -> float:
    points = [figure.position(joint.name, at)[1] for joint in body.joints for at in joint.contacts.values()]
    return float(min(points))


def test_the_arm_reaches_in_its_plane_and_nowhere_else() -> None:
    body = Body.load("arm")
    assert body.dofs == 4
    assert puppet.solve_posture(body, arm=puppet.HandGoal((0.0, 0.4, 0.4))).solved
    assert not puppet.solve_posture(body, arm=puppet.HandGoal((0.2, 0.4, 0.4))).solved


def test_the_hugger_stands_on_its_claws() -> None:
    body = Body.load("hugger")
    legs = [limb for limb in body.limbs.values() if limb.kind == "leg"]
    assert (len(legs), {len(limb.joints) for limb in legs}, body.hands) == (8, {3}, ("tail",))
    figure = puppet.Figure(body)
    feet = [body.joints[limb.joints[-1]] for limb in legs]
    claws = np.array([figure.position(foot.name, foot.tip or (0, 0, 0)) for foot in feet])
    assert np.abs(claws[:, 1]).max() < 1e-9
    low, high = claws.min(axis=0), claws.max(axis=0)
    x, _, z = figure.centre_of_mass
    assert low[0] < x < high[0]
    assert low[2] < z < high[2]


def test_a_body_and_its_gestures_are_read_once(tmp_path: Path) -> None:
    assert Body.load("seated") is Body.load("seated")
    path = tmp_path / "mine.yaml"
    path.write_text(SEATED, encoding="utf-8")
    first = Body.load(path)
    assert Body.load(path) is first
    assert load_gestures(first)["drink"] is load_gestures(first)["drink"]
    path.write_text(SEATED.replace("name: seated", "name: another"), encoding="utf-8")
    assert Body.load(path).name == "another"
