"""General tasks as data: each looks as it is called, on every body, with both hands; they know what is held and where
things are; users add their own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import puppet
from puppet.body import Body, Shape, forward, tip_positions
from puppet.errors import FileError
from puppet.files.strict_yaml import parse
from puppet.geometry import Transform
from puppet.render.shapes import body_meshes, object_mesh
from puppet.scene import Scene, lip_of, load_environment, read_environment
from puppet.stage import Stage
from puppet.tasks import load_gestures
from puppet.tools import check_file

BODIES = ("seated", "person")
SEATED = Body.load("seated")
BLOCKS = load_environment("environments/blocks.yaml")
COFFEE = load_environment("environments/coffee.yaml")
NAMES = ("check watch", "drink", "pour", "scratch head", "turn on lamp", "wave")
SPEED = 10
TOUCH = 0.003  # of the body's height


def middle_of_the_table(**places: Sequence[float]) -> Scene:
    shapes = {"cup": 0.025, "pot": 0.04, "lamp": 0.07, "jar": 0.03}
    spaces = "".join(f"  {name}: {list(place)}\n" for name, place in places.items())
    things = "".join(f"  {n}: {{width: {shapes[n]}, space: {n}, shape: {n}}}\n" for n in places)
    text = f"table: {{height: 0.6, front: 0.2, skew: 0.0}}\nspaces:\n{spaces}objects:\n{things}"
    return read_environment(parse(text, "test"))


@dataclass(frozen=True)
class Seen:
    """The body and the things at the end of a posture."""

    body: Body
    hand: str
    positions: np.ndarray
    rotations: np.ndarray
    objects: dict[str, Transform]

    def at(self, joint: str, point: Sequence[float] = (0, 0, 0)) -> np.ndarray:
        j = self.body.joint(joint)
        return self.positions[j] + self.rotations[j] @ np.array(point)

    @property
    def wrist(self) -> int:
        return self.body.limb(self.hand).joints[-1]

    @property
    def tip(self) -> np.ndarray:
        return tip_positions(self.body, self.positions, self.rotations)[self.wrist]

    @property
    def palm(self) -> np.ndarray:
        return self.rotations[self.wrist] @ (0, -1, 0)

    def place(self, name: str) -> np.ndarray:
        found = self.body.place(name)
        assert found is not None
        x, y, z = found.at
        side = -1.0 if self.body.limb(self.hand).mirrored else 1.0
        return self.at(self.body.joint_names[found.joint], (side * x, y, z))

    def depth_in_head(self, points: np.ndarray) -> float:
        """How deep the deepest of some points is in the head's solids."""
        head = self.body.joint("head")
        local = (points - self.positions[head]) @ self.rotations[head]
        return max(depth(shape, local) for shape in self.body.joints[head].shapes)

    def hand_points(self) -> np.ndarray:
        meshes = [part.mesh.vertices for part in body_meshes(self.body) if part.joint == self.wrist]
        return self.positions[self.wrist] + np.concatenate(meshes) @ self.rotations[self.wrist].T

    def thing_points(self, scene: Scene, name: str) -> np.ndarray:
        meshes = [mesh.vertices for mesh, _ in object_mesh(scene.object(name))]
        return self.objects[name].position + np.concatenate(meshes) @ self.objects[name].rotation.T


def _directions(count: int = 1500) -> np.ndarray:
    n = np.arange(count) + 0.5
    height, angle = 1.0 - 2.0 * n / count, math.pi * (1.0 + 5.0**0.5) * n
    across = np.sqrt(1.0 - height**2)
    return np.stack([across * np.cos(angle), height, across * np.sin(angle)], axis=1)


DIRECTIONS = _directions()


def depth(shape: Shape, points: np.ndarray) -> float:
    """How deep the deepest of some points is in a convex solid: its distance from the nearest tangent plane."""
    centres, sizes = np.array(shape.points), np.array(shape.sizes)
    if shape.kind == "ball":
        support = DIRECTIONS @ centres[0] + np.linalg.norm(DIRECTIONS * sizes, axis=1)
    else:
        support = (DIRECTIONS @ centres.T + sizes).max(axis=1)
    return float((support - points @ DIRECTIONS.T).min(axis=1).max())


@cache
def played(body: str, hand: str, scene: Scene, *lines: str) -> tuple[tuple[Seen, ...], str, str]:
    """The ends of the last line's postures, and its status and reason; `{}` in a line is the hand."""
    stage = Stage(scene, Body.load(body))
    for line in lines[:-1]:
        assert stage.give(line.format(hand)).status != "rejected", line
        stage.run_until_idle()
    gesture = next(name for name in NAMES if lines[-1].startswith(name))
    stage.give(f"{lines[-1].format(hand)}, speed {SPEED}")
    found = []
    for step in load_gestures(stage.body)[gesture].steps:
        for _ in range(max(1, round(SPEED * step.pace))):
            frame = stage.step()
        found.append(Seen(stage.body, hand, *forward(stage.body, frame.angles), dict(frame.objects)))
    assert stage.entries[-1].end == stage.frame.number  # the task ends just then; the other hand may still go home
    stage.run_until_idle()
    return tuple(found), stage.entries[-1].status, stage.entries[-1].reason


def up(thing: Transform) -> float:
    """The angle in degrees of a thing from upright."""
    return math.degrees(math.acos(min(1.0, float(thing.rotation[1, 1]))))


def lip_points(scene: Scene, name: str, at: Transform) -> np.ndarray:
    thing = scene.object(name)
    lip = lip_of(thing.shape)
    angle = np.linspace(0.0, 2.0 * math.pi, 360, endpoint=False)
    ways = np.stack([np.sin(angle), 0 * angle, np.cos(angle)], axis=1) if lip.spout is None else np.array([lip.spout])
    return at.position + (thing.width * (lip.radius * ways + (0, lip.height, 0))) @ at.rotation.T


both_bodies = pytest.mark.parametrize("body", BODIES)
both_hands = pytest.mark.parametrize("hand", ["left", "right"])


@both_bodies
def test_every_body_with_arms_and_a_head_can_do_them_all(body: str) -> None:
    assert set(NAMES) <= set(load_gestures(Body.load(body)))


MIDDLE = middle_of_the_table(cup=(0, 0, 0.08), pot=(0, 0, 0.16), lamp=(0, 0, 0.3))
BEFORE = {
    "drink": ("reach cup with {}, grip side", "lock {}"),
    "pour": ("reach pot with {}, grip side", "lock {}"),
}


@both_bodies
@pytest.mark.parametrize("name", NAMES)
def test_left_and_right_are_mirror_images(body: str, name: str) -> None:
    figure = Body.load(body)
    ends = {}
    for hand in ("left", "right"):
        seen, status, reason = played(body, hand, MIDDLE, *BEFORE.get(name, ()), f"{name} with {{}}")
        past_the_lamp = (body, name) == ("seated", "turn on lamp") and "'lamp'" in reason
        assert status == "done" or past_the_lamp, reason  # without a leap its arm finds no way around it, and says so
        ends[hand] = seen
    order = list(figure.mirror_joints)
    for left, right in zip(ends["left"], ends["right"], strict=True):
        limb = [*figure.limb("left").joints]
        mirrored = right.positions[order] * (-1.0, 1.0, 1.0)
        assert left.positions[limb] == pytest.approx(mirrored[limb], abs=2e-4)
        assert left.tip == pytest.approx(right.tip * (-1.0, 1.0, 1.0), abs=2e-4)


# ---- drink

CUP = middle_of_the_table(cup=(0.05, 0, 0.1), jar=(-0.1, 0, 0.15))
TAKE = {grip: (f"reach cup with {{}}, grip {grip}", "lock {}", "drink with {}") for grip in ("side", "top")}


@both_bodies
@both_hands
@pytest.mark.parametrize("grip", ["side", "top"])
def test_drink_brings_the_rim_to_the_mouth_whatever_the_grip(body: str, hand: str, grip: str) -> None:
    seen, status, reason = played(body, hand, CUP, *TAKE[grip])
    assert status == "done", reason
    first, tilted, again, lowered = seen
    for at in (first, tilted, again):
        mouth, cup = at.place("mouth"), at.objects["cup"]
        assert np.linalg.norm(lip_points(CUP, "cup", cup) - mouth, axis=1).min() < 0.006
        facing = at.rotations[at.body.joint("head")] @ (0, 0, 1)
        assert (cup.position - mouth) @ facing > 0.01  # before the face
        palm = 0.5 * (at.positions[at.wrist] + at.tip)
        assert np.linalg.norm(palm - mouth) > np.linalg.norm(cup.position - mouth)  # the palm is not between
        assert at.depth_in_head(at.thing_points(CUP, "cup")) < 0.0012
        assert at.depth_in_head(at.hand_points()) < TOUCH + 0.001
    assert up(first.objects["cup"]) < 7
    assert 33 < up(tilted.objects["cup"]) < 47
    near = lip_points(CUP, "cup", tilted.objects["cup"])
    assert near[:, 1].argmin() == pytest.approx(
        np.linalg.norm(near - tilted.place("mouth"), axis=1).argmin(), abs=25
    )  # towards the mouth
    assert up(again.objects["cup"]) < 7
    assert up(lowered.objects["cup"]) < 1
    assert lowered.objects["cup"].position[1] < first.objects["cup"].position[1] - 0.05


@both_hands
def test_who_drinks_bows_the_head_and_keeps_the_elbow_well_below_the_shoulder(hand: str) -> None:
    first, tilted, again, lowered = played("person", hand, CUP, *TAKE["side"])[0]
    for at, below in ((first, 30.0), (tilted, 25.0), (again, 30.0), (lowered, 38.0)):
        shoulder, elbow = (at.positions[joint] for joint in at.body.limb(hand).joints[:2])
        assert math.degrees(math.asin((shoulder - elbow)[1] / np.linalg.norm(shoulder - elbow))) > below
    neck = lowered.rotations[lowered.body.joint("neck")]
    assert neck == pytest.approx(lowered.rotations[lowered.body.joint("chest")], abs=1e-6)  # straight again


@both_bodies
def test_nothing_to_drink_from_is_rejected(body: str) -> None:
    stage = Stage(COFFEE, Body.load(body))
    entry = stage.give("drink with left")
    assert (entry.status, "the left hand holds nothing" in entry.reason) == ("rejected", True)
    stage.give("reach cup with left, grip side")
    stage.give("lock left")
    assert "holds 'cup', not 'pot'" in stage.give("drink from pot with left").reason
    assert stage.give("drink from cup with left").status == "waiting"
    stage.run_until_idle()
    assert stage.entries[-1].status == "done"


# ---- pour


@both_bodies
@pytest.mark.parametrize(
    ("hand", "take", "words", "into"),
    [
        ("left", "pot", "pour with left", "cup"),  # the nearest
        ("left", "pot", 'pour pot into "blue cup" with left', "blue cup"),
        ("right", "blue cup", "pour with right", "cup"),
        ("left", "cup", 'pour into "blue cup" with left', "blue cup"),
    ],
)
def test_pour_brings_the_lip_over_the_goal_and_tilts(body: str, hand: str, take: str, words: str, into: str) -> None:
    seen, status, reason = played(body, hand, COFFEE, f'reach "{take}" with {{}}, grip side', "lock {}", words)
    past_the_lamp = (body, hand) == ("seated", "right") and " goes " in reason and "'lamp'" in reason
    assert status == "done" or past_the_lamp, reason  # its arm finds no way around the lamp, and says so
    upright, tilted, again = seen
    goal = COFFEE.object(into)
    top = np.add(COFFEE.centre(into), (0, goal.width, 0))
    for at in (upright, again):
        assert up(at.objects[take]) < 4
    for at in seen:
        assert at.thing_points(COFFEE, take)[:, 1].min() > top[1]  # above, not in it
    assert 43 < up(tilted.objects[take]) < 67
    lips = lip_points(COFFEE, take, tilted.objects[take])
    low = lips[lips[:, 1].argmin()]
    assert np.hypot(*(low - top)[[0, 2]]) < 0.9 * goal.width
    assert 0.0 < low[1] - top[1] < 0.12


def test_pouring_without_a_goal_is_rejected() -> None:
    stage = Stage(BLOCKS, SEATED)
    stage.give("reach yellow with left, grip side")
    stage.give("lock left")
    assert "'pour' needs a cup or jar" in stage.give("pour with left").reason
    assert "unknown object 'tub'" in stage.give("pour into tub with left").reason
    assert "in the left hand itself" in stage.give("pour into yellow with left").reason
    assert stage.give("pour yellow into blue with left").status == "waiting"  # whatever is told


def test_a_covered_jar_is_not_poured_into() -> None:
    stage = Stage(COFFEE, SEATED)
    stage.give('reach "blue cup" with right, grip side')
    stage.give("lock right")
    assert stage.give("pour with right").interpretation == "Pour into cup with right hand"


# ---- turn on the lamp


@both_bodies
@pytest.mark.parametrize(
    ("hand", "place"), [("right", (-0.24, 0, 0.12)), ("right", (-0.05, 0, 0.2)), ("left", (0.2, 0.1, 0.1))]
)
def test_turn_on_lamp_presses_the_switch_wherever_the_lamp_is(body: str, hand: str, place: Sequence[float]) -> None:
    scene = middle_of_the_table(lamp=place)
    (over, pressed, again), status, reason = played(body, hand, scene, "turn on lamp with {}")
    assert status == "done", reason
    switch = np.add(scene.centre("lamp"), (0, 0.07, 0))
    assert np.linalg.norm(pressed.tip - switch) < 0.01
    assert over.tip[1] - pressed.tip[1] > 0.03
    assert again.tip == pytest.approx(over.tip, abs=1e-3)


@both_bodies
def test_a_lamp_out_of_reach_is_missed_and_none_is_rejected(body: str) -> None:
    far = middle_of_the_table(lamp=(0.3, 0, 0.8))
    task = puppet.run("turn on lamp with left\n", far, body=Body.load(body)).report["tasks"][0]
    assert (task["status"], "out of reach" in task["reason"]) == ("missed", True)
    entry = Stage(BLOCKS, Body.load(body)).give("turn on lamp with left")
    assert (entry.status, entry.reason) == ("rejected", "'turn on lamp' needs a lamp, and there is none here")


# ---- free hands


@both_bodies
@both_hands
def test_scratch_head_has_the_fingers_on_the_head_and_moves_them(body: str, hand: str) -> None:
    seen, status, _ = played(body, hand, BLOCKS, "scratch head with {}")
    assert status == "done"
    for at in seen:
        assert np.linalg.norm(at.tip - at.place("scalp")) < 0.025
        assert at.depth_in_head(at.hand_points()) < TOUCH + 0.004
        assert at.palm @ (at.place("eyes") - at.tip) > 0.0  # the palm is on the head's side
    assert np.ptp([at.tip for at in seen], axis=0).max() > 0.008
    assert len(seen) == 7


@both_bodies
@both_hands
def test_check_watch_has_the_wrist_before_the_eyes_that_look_at_it(body: str, hand: str) -> None:
    (at,), status, _ = played(body, hand, BLOCKS, "check watch with {}")
    assert status == "done"
    to_wrist = at.positions[at.wrist] - at.place("eyes")
    to_wrist /= np.linalg.norm(to_wrist)
    assert to_wrist[2] > 0.4
    assert at.rotations[at.body.joint("head")] @ (0, 0, 1) @ to_wrist > 0.85
    assert at.palm @ to_wrist > 0.6  # the watch, on the back of the wrist, faces the eyes


@both_bodies
def test_what_the_hand_holds_stays_clear_of_the_head_while_the_watch_is_checked(body: str) -> None:
    take = ("reach cup with {}, grip side", "lock {}")
    (at,), status, reason = played(body, "left", CUP, *take, "check watch with {}")
    assert status == "done", reason
    assert at.depth_in_head(at.thing_points(CUP, "cup")) < 0.0


@both_bodies
@both_hands
@pytest.mark.parametrize("held", [False, True])
def test_wave_shows_the_palm_beside_the_head(body: str, hand: str, held: bool) -> None:
    before = ("reach cup with {}, grip side", "lock {}") if held else ()
    seen, status, reason = played(body, hand, CUP, *before, "wave with {}")
    assert status == "done", reason
    for at in seen:
        assert at.palm[2] > 0.8
        assert at.tip[1] > at.place("mouth")[1]
        if held:
            assert at.depth_in_head(at.thing_points(CUP, "cup")) < 0.0
    assert np.ptp([at.tip[0] for at in seen]) > 0.08


@pytest.mark.parametrize("name", ["scratch head", "turn on lamp"])
def test_what_needs_an_empty_hand_is_rejected_for_one_that_holds(name: str) -> None:
    stage = Stage(COFFEE, SEATED)
    stage.give("reach cup with left, grip side")
    stage.give("lock left")
    entry = stage.give(f"{name} with left")
    reason = f"'{name}' needs an empty hand, and the left hand holds 'cup'"
    assert (entry.status, entry.reason) == ("rejected", reason)
    assert stage.give(f"{name} with right").status == "waiting"


def test_the_lamp_is_found_where_it_is_when_its_turn_comes() -> None:
    stage = Stage(COFFEE, SEATED)
    for line in ("reach lamp with right, grip side", "lock right", "slide right by (0.08, 0, -0.03)", "unlock right",
                 "turn on lamp with right, speed 10"):  # fmt: skip
        stage.give(line)
    while stage.entries[-1].start is None or stage.frame.number < stage.entries[-1].start + 14:
        stage.step()
    switch = np.add(stage.frame.objects["lamp"].position, (0, 0.077, 0))
    assert np.linalg.norm(stage.hands["right"].position - switch) < 0.01


def test_a_gesture_that_misses_on_its_way_is_missed(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "stretch:\n  critical: arm\n  postures:\n"
        "    far: {bring: {part: tip, to: shoulder, offset: [2, 0, 0]}}\n"
        "    near: {bring: {part: tip, to: shoulder, offset: [0.1, -0.1, 0.25], spin: 90, loose: 90}}\n"
        "  sequence: [far, near]\n"
    )
    stage = Stage(BLOCKS, SEATED, gestures=[tmp_path / "own.yaml"])
    stage.give("stretch with left, speed 5")
    stage.run_until_idle()
    assert stage.entries[-1].status == "missed"
    assert "out of reach" in stage.entries[-1].reason


# ---- check


def mistakes(tmp_path: Path, text: str) -> list[tuple[int, str]]:
    (tmp_path / "x.puppet").write_text(text)
    return [(mistake.line, mistake.message) for mistake in check_file(tmp_path / "x.puppet")]


def test_check_tells_what_will_be_rejected(tmp_path: Path) -> None:
    text = (
        'environment "blocks.yaml"\n'
        "define sip(who)\ndrink with who\nend\n"
        "turn on lamp with right\n"
        "sip(left)\n"
        "reach yellow with left\nlock left\nsip(left)\npour with left\npour into blue with left\nunlock left\n"
        "drink from yellow with left\n"
        "reach space 1 with left\nlock left\ndrink with left\n"
    )
    found = mistakes(tmp_path, text)
    assert [line for line, _ in found] == [3, 5, 10, 13, 16]
    assert "the left hand holds nothing" in found[0][1]
    assert "needs a lamp" in found[1][1]
    assert "needs a cup or jar" in found[2][1]
    assert "needs 'yellow' in the hand" in found[3][1]
    report = puppet.run(text).report
    assert [task["line"] for task in report["tasks"] if task["status"] == "rejected"] == [5, 3, 10, 13, 16]


def test_check_is_silent_where_it_cannot_know(tmp_path: Path) -> None:
    text = 'environment "coffee.yaml"\nreach cup with left\nreach pot with left\nat 10\nfreeze\n'
    text += "lock left\ndrink with left\n"
    assert mistakes(tmp_path, text) == []
    assert mistakes(tmp_path, 'environment "coffee.yaml"\nturn on lamp with right\nwave with left\n') == []


# ---- one's own

OWN = """
point up:
  words: Point up
  critical: left arm
  looks: false
  postures:
    up: {left_shoulder: {z: 60}, left_forearm: {y: -20}}
    down: {left_shoulder: {z: 40}}
  sequence:
    - up
    - {postures: [down, up], pace: 0.5, cycles: 2}
"""
GOALS = """
feed:
  critical: arm
  held: {word: from}
  goal: {shapes: [cup], word: into}
  postures:
    over: {bring: {part: lip, to: opening, over: 0.02, tilt: 20, heading: [0, -90, 90]}, gaze: {x: 10}}
    away: {bring: {part: base, to: shoulder, offset: [0, -0.1, 0.2]}}
  sequence: [over, away]
salute:
  critical: arm
  empty: true
  postures:
    at the eyes:
      bring: {part: tip, to: eyes, offset: [0.05, 0.02, 0], palm: [0, -1, 0.3], fingers: [-1, 0, 0], spin: 60}
  sequence: [at the eyes]
"""


def test_users_add_their_own(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(OWN)
    performance = puppet.run('perform "point up" with right, speed 10\n', BLOCKS, gestures=[tmp_path / "own.yaml"])
    task = performance.report["tasks"][0]
    assert task["interpretation"] == "Point up with right hand"
    assert task["end"] == 10 + 4 * 5


@both_bodies
def test_users_add_their_own_with_places(tmp_path: Path, body: str) -> None:
    (tmp_path / "own.yaml").write_text(GOALS)
    script = 'reach pot with left, grip side\nlock left\nfeed from pot into "blue cup" with left\nsalute with right\n'
    performance = puppet.run(script, COFFEE, body=Body.load(body), gestures=[tmp_path / "own.yaml"])
    assert performance.report["tasks"][2]["interpretation"] == "Feed into blue cup with left hand"
    assert {task["status"] for task in performance.report["tasks"]} == {"done"}


@pytest.mark.parametrize(
    ("text", "wrong", "right", "message"),
    [
        (OWN, "left_shoulder: {z: 60}", "left_sholder: {z: 60}", "unknown joint 'left_sholder'"),
        (OWN, "{z: 60}", "{z: 600}", "expected a number from -80 to 90"),
        (OWN, "- up\n", "- upp\n", "did you mean 'up'"),
        (OWN, "critical: left arm", "critical: left leg", "unknown group"),
        (OWN, "cycles: 2", "cycles: 100000", "at most|from 1 to"),
        (OWN, "words:", "wordz:", "did you mean 'words'"),
        (GOALS, "part: lip", "part: lips", "unknown part 'lips'; did you mean 'lip'"),
        (GOALS, "to: eyes", "to: knee", "unknown place 'knee'"),
        (GOALS, "to: opening", "to: mouht", "unknown place 'mouht'; did you mean 'mouth'"),
        (GOALS, "  held: {word: from}\n", "", "the gesture needs the field 'held'"),
        (GOALS, "  goal: {shapes: [cup], word: into}\n", "", "the gesture needs the field 'goal'"),
        (GOALS, "shapes: [cup]", "shapes: [cups]", "unknown shape 'cups'"),
        (GOALS, "tilt: 20", "palm: [0, 1, 0]", "'palm' has no meaning for the lip"),
        (GOALS, "spin: 60", "tilt: 60", "'tilt' has no meaning for the tip"),
        (GOALS, "palm: [0, -1, 0.3]", "palm: [0, 0, 0]", "expected a direction"),
        (GOALS, "heading: [0, -90, 90]", "heading: [100, -90, 90]", "the best heading, the least and the most"),
        (GOALS, "held: {word: from}", "held: {word: from}\n  empty: true", "is not empty"),
        (GOALS, "word: from", "word: into", "need different words"),
    ],
)
def test_mistakes_in_gesture_files(tmp_path: Path, text: str, wrong: str, right: str, message: str) -> None:
    assert wrong in text
    (tmp_path / "own.yaml").write_text(text.replace(wrong, right, 1))
    with pytest.raises(FileError, match=message):
        load_gestures(SEATED, [tmp_path / "own.yaml"])


def test_a_body_without_a_place_cannot_do_what_needs_it(tmp_path: Path) -> None:
    text = Path("puppet/data/bodies/seated.yaml").read_text()
    (tmp_path / "mute.yaml").write_text(text.replace("  mouth: {joint: head, at: [0, 0.032, 0.0665]}\n", ""))
    known = load_gestures(Body.load(tmp_path / "mute.yaml"))
    assert known.impossible == {"drink": "the body 'seated' cannot do that: it has no place 'mouth'"}
