"""Body files: the ones that come along are right, and a broken one is told with line, YAML path and reason."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puppet.body import AXES, Body, read_body
from puppet.body.body_file import BUILT_IN, MAX_JOINTS, load_body
from puppet.errors import FileError, PuppetError
from puppet.files.strict_yaml import parse

SEATED = (BUILT_IN / "seated.yaml").read_text(encoding="utf-8")

STICK = """\
name: stick
height: 1.0
joints:
  base:
    centre: [0, 0, 0]
    rotations:
      - {axis: x, limits: [-10, 10], weights: [0, 0.5, 1], scored: true}
      - {axis: z, limits: [-20, 20], weights: [0, 0.5, 1], widens: {with: x, towards: y}}
      - {axis: y, limits: [-60, 30], weights: [0, 0.5, 1]}
    clearance: {centre: 0.02}
    mass: {fraction: 0.4, centre: [0, 0.2, 0]}
    shapes:
      - {ball: [0, 0, 0], radii: [0.1, 0.1, 0.2], color: red}
  arm:
    parent: base
    centre: [0, 0.5, 0]
    rotations: &free
      - {axis: x, limits: [-90, 90], weights: [1, 1, 1]}
      - {axis: y, limits: [-90, 90], weights: [1, 1, 1]}
      - {axis: z, limits: [-90, 90], weights: [1, 1, 1]}
  hand:
    parent: arm
    centre: [0, 0.9, 0]
    rotations: *free
    tip: [0, 0.1, 0]
limbs:
  left: {trunk: [base], joints: [arm, hand]}
groups:
  whole arm: [arm, hand]
gaze: {joint: arm, eyes: [0, 0, 0.1], forward: [0, 0, 2], up: [0, 1, 0]}
rest:
  arm: {x: 45}
colors:
  red: [1, 0, 0]
fixed_shapes:
  - {capsule: [[0, 0, 0], [0, 1, 0]], radii: [0.1, 0.2], color: red}
"""


def read(text: str) -> Body:
    return read_body(parse(text, "body.yaml"))


# ---- what is right


@pytest.mark.parametrize("path", sorted(BUILT_IN.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_body_that_comes_along(path: Path) -> None:
    body = load_body(path.stem)
    assert body.name == path.stem
    assert body.limit_excess(body.rest) == 0.0
    assert body.limit_excess(np.zeros(body.dofs)) == 0.0
    assert sum(joint.mass for joint in body.joints) <= 1.0
    assert load_body(path).joints == body.joints  # by its path as by its name
    assert Body.load(str(path)).limbs == body.limbs


def test_the_default_is_the_person_and_the_seated_puppet_is_that_of_table_3_1() -> None:
    assert Body.load() is Body.load("person")
    body = Body.load("seated")
    assert (body.name, body.dofs, sorted(body.limbs)) == ("seated", 27, ["left", "right"])


def test_the_right_side_of_the_seated_puppet_mirrors_the_left() -> None:
    body = Body.load("seated")
    for left in body.joints:
        if not left.name.startswith("left_"):
            continue
        right = body.joints[body.joint(left.name.replace("left_", "right_"))]
        assert right.centre == (-left.centre[0], *left.centre[1:])
        for a, b in zip(left.rotations, right.rotations, strict=True):
            mirrored = (a.lower, a.upper) if a.axis == 0 else (-a.upper, -a.lower)
            assert (b.axis, b.lower, b.upper, b.weights, b.scored) == (a.axis, *mirrored, a.weights, a.scored)


@pytest.mark.parametrize("name", ["person", "hugger"])
def test_the_right_side_of_a_body_mirrors_the_left(name: str) -> None:
    body = Body.load(name)
    sides = [joint for joint in body.joints if joint.name.startswith("left_")]
    assert sides
    for left in sides:
        right = body.joints[body.joint(left.name.replace("left_", "right_"))]
        assert right.centre == pytest.approx(_mirrored(left.centre))
        assert right.mass == left.mass
        assert right.mass_centre == pytest.approx(_mirrored(left.mass_centre))
        assert right.gyration == left.gyration
        assert {n: pytest.approx(_mirrored(at)) for n, at in left.contacts.items()} == right.contacts
        for a, b in zip(left.rotations, right.rotations, strict=True):
            limits = (a.lower, a.upper) if a.axis == 0 else (-a.upper, -a.lower)
            assert (b.axis, b.lower, b.upper) == (a.axis, *limits)
        for one, other in zip(left.shapes, right.shapes, strict=True):
            assert (one.kind, one.sizes) == (other.kind, other.sizes)
            assert [_mirrored(point) for point in one.points] == [pytest.approx(point) for point in other.points]
        for axis in "xyz":
            if any(AXES[r.axis] == axis for r in left.rotations):
                sign = 1 if axis == "x" else -1
                rest = [body.rest[body.dof(joint.name, axis)] for joint in (left, right)]
                assert rest[1] == pytest.approx(sign * rest[0])
        assert (left.range is None) == (right.range is None)
        if left.range is not None and right.range is not None:
            for n, corner in enumerate(left.range.edge):
                low, high = corner.twist
                flip = np.diag([-1.0, 1.0, 1.0])
                turn = left.range.rotation(np.array(corner.point), low)
                swing, twist = right.range.coordinates(flip @ turn @ flip)
                assert swing == pytest.approx(np.array(right.range.edge[n].point))
                assert twist == pytest.approx(-low)
                assert right.range.edge[n].twist == pytest.approx((-high, -low))


def _mirrored(point: tuple[float, ...]) -> tuple[float, ...]:
    return -point[0], *point[1:]


def test_all_that_a_file_can_say() -> None:
    body = read(STICK)
    assert body.joint_names == ("base", "arm", "hand")
    assert [joint.parent for joint in body.joints] == [-1, 0, 1]
    first, second, _ = body.joints[0].rotations
    assert (first.axis, first.lower, first.upper) == (0, math.radians(-10), math.radians(10))
    assert (first.weights, first.scored, second.widens) == ((0.0, 0.5, 1.0), True, (0, 1))
    assert body.joints[1].rotations == body.joints[2].rotations  # an alias is as good as a copy
    assert (body.limbs["left"].trunk, body.limbs["left"].joints) == ((0,), (1, 2))
    assert body.groups == {"whole arm": (1, 2)}
    assert body.gaze is not None
    assert body.gaze.forward == (0.0, 0.0, 1.0)  # made as long as 1
    assert math.degrees(body.rest[body.dof("arm", "x")]) == pytest.approx(45)
    assert not body.rest.flags.writeable
    assert body.joints[0].shapes[0].kind == "ball"
    assert body.fixed_shapes[0].sizes == (0.1, 0.2)


def test_limits_widen_with_the_bend() -> None:  # thesis (5.32), (5.33)
    body = read(STICK)
    angles = np.zeros(body.dofs)
    z = body.dof("base", "z")
    for bend, lower, upper in ((0, -20, 20), (45, -40, 25), (-45, -40, 25), (90, -60, 30), (180, -60, 30)):
        angles[body.dof("base", "x")] = math.radians(bend)
        limits = body.limits_at(angles)
        assert np.degrees([limits[0][z], limits[1][z]]) == pytest.approx([lower, upper])


def test_a_body_that_is_not_there() -> None:
    with pytest.raises(PuppetError, match=r"no body file 'seatde', and no built-in .*; did you mean 'seated'\?"):
        load_body("seatde")
    for strange in ("x" * 5000, "a\0b", "no/such/file.yaml", "seated.yaml"):
        with pytest.raises(PuppetError, match="no body file"):
            load_body(strange)
    with pytest.raises(PuppetError, match="cannot be read"):
        load_body(BUILT_IN)


# ---- what is wrong: an edit of STICK with ^ where the message must point, the path that it names, and the reason

BROKEN = [
    ("name: stick\n", "^", "", "'name' is missing"),
    ("name: stick", "name: ^a.b", "name", "'a.b' is no name"),
    ("name: stick", "name: ^[stick]", "name", "expected a word, found a list"),
    ("height: 1.0", "height: ^tall", "height", "expected a number, found 'tall'"),
    ("height: 1.0", "height: ^0", "height", "expected a number from 1e-06 to 1e+06, found '0'"),
    ("joints:\n", "^jonts:\n", "jonts", "unknown key 'jonts'; did you mean 'joints'?"),
    ("  base:\n", "  ^ba-se:\n", "joints.ba-se", "this is no joint name: use up to 100 letters, digits and '_'"),
    ("  base:\n", "  ^bäse:\n", "joints.bäse", "this is no joint name"),
    ('  hand:\n    parent: arm', '  ^arm:\n    parent: arm', "joints", "'arm' stands here twice"),
    ("    parent: base\n    c", "    ^c", "joints.arm", "'parent' is missing; only the first joint has none"),
    ("parent: base", "parent: ^bas", "joints.arm.parent", "unknown parent 'bas'; did you mean 'base'?"),
    ("parent: base", "parent: ^hand", "joints.arm.parent", "the parent 'hand' must stand before its child"),
    ("parent: base", "parent: ^arm", "joints.arm.parent", "the parent 'arm' must stand before its child"),
    ("    centre: [0, 0, 0]\n    rot", "    ^rot", "joints.base", "'centre' is missing"),
    ("centre: [0, 0.5, 0]", "centre: ^[0, 0.5]", "joints.arm.centre", "expected 3 values, found 2"),
    ("centre: [0, 0.5, 0]", "centre: [0, ^nan, 0]", "joints.arm.centre[1]", "expected a number, found 'nan'"),
    ("centre: [0, 0.5, 0]", "centre: [^1e7, 0, 0]", "joints.arm.centre[0]", "from -1e+06 to 1e+06, found '1e7'"),
    ("centre: [0, 0.5, 0]", "^center: [0, 0.5, 0]", "joints.arm.center", "unknown key 'center'; did you mean 'centre"),
    ("rotations: *free", "rotations: ^5", "joints.hand.rotations", "expected a list, found '5'"),
    ("axis: x, limits: [-10", "axis: ^xy, limits: [-10", "joints.base.rotations[0].axis", "unknown axis 'xy'"),
    ("axis: x, limits: [-10", "axis: ^w, limits: [-10", "joints.base.rotations[0].axis", "unknown axis 'w'; known: "),
    ("{axis: z, limits: [-90", "^{axis: x, limits: [-90", "joints.arm.rotations[2]", "axis x stands twice"),
    ("{axis: y, limits: [-60, 30], weights: [0, 0.5, 1]}", "{axis: x, limits: [0, 1]}", "", "the joint turns about"),
    ("rotations: &free", "rotations: &free\n      - {axis: x, limits: [0, 1]}", "", "none to three rotations, found 4"),
    ("limits: [-10, 10]", "limits: ^[10, -10]", "joints.base.rotations[0].limits", "the lower limit is above"),
    ("limits: [-10, 10]", "limits: ^[5, 10]", "joints.base.rotations[0].limits", "the zero posture is outside"),
    ("limits: [-10, 10]", "limits: [-10, ^361]", "joints.base.rotations[0].limits[1]", "from -360 to 360, found '361'"),
    ("[0, 0.5, 1], scored", "[0, 0.5, ^2], scored", "joints.base.rotations[0].weights[2]", "from 0 to 1, found '2'"),
    ("[0, 0.5, 1], scored", "^1, scored", "joints.base.rotations[0].weights", "expected a list, found '1'"),
    ("scored: true", "scored: ^yes", "joints.base.rotations[0].scored", "unknown truth value 'yes'"),
    ("{with: x, towards: y}", "^{with: x, towards: z}", "joints.base.rotations[1].widens", "axis z cannot widen with"),
    ("{with: x, towards: y}", "{with: ^xyz, towards: y}", "joints.base.rotations[1].widens.with", "unknown axis 'xyz'"),
    ("{with: x, towards: y}", "^{with: x}", "joints.base.rotations[1].widens", "'towards' is missing"),
    ("{centre: 0.02}", "{centre: ^-1}", "joints.base.clearance.centre", "a number from 0 to 1e+06, found '-1'"),
    ("{centre: 0.02}", "{^elbow: 1}", "joints.base.clearance.elbow", "unknown key 'elbow'"),
    ("fraction: 0.4", "fraction: ^1.4", "joints.base.mass.fraction", "expected a number from 0 to 1, found '1.4'"),
    ("- {ball: [0, 0, 0], ", "- ^{", "joints.base.shapes[0]", "expected one of 'capsule', 'ball', 'box' and 'hull'"),
    ("radii: [0.1, 0.1, 0.2]", "radii: ^[0.1]", "joints.base.shapes[0].radii", "expected 3 values, found 1"),
    ("radii: [0.1, 0.1, 0.2]", "radii: [0.1, ^0, 0.2]", "joints.base.shapes[0].radii[1]", "a number from 1e-09"),
    ("0.2], color: red}\n  arm", "0.2], color: ^rot}\n  arm", "joints.base.shapes[0].color", "unknown color 'rot'"),
    ("    tip: [0, 0.1, 0]\n", "", "limbs.left.joints", "'hand' ends the limb and needs a 'tip'"),
    ("left: {trunk", "^le/ft: {trunk", "limbs.le/ft", "'le/ft' is no name"),
    ("{trunk: [base], joints: [arm, hand]}", "{joints: ^[]}", "limbs.left.joints", "a limb needs at least one joint"),
    ("  left: {trunk: [base], joints: [arm, hand]}", "  ^{}", "limbs", "a body needs at least one limb"),
    ("[arm, hand]}", "[^amr, hand]}", "limbs.left.joints[0]", "unknown joint 'amr'; did you mean 'arm'?"),
    ("left: {trunk: [base], joints: [arm,", "left: ^{joints: [base,", "limbs.left", "'hand' does not hang on 'base'"),
    ("[arm, hand]}", "^[arm, arm]}", "limbs.left.joints", "a joint stands here twice"),
    ("whole arm: [arm, hand]", "whole arm: [arm, ^foot]", "groups.whole arm[1]", "unknown joint 'foot'; known: 'arm'"),
    ("joint: arm, eyes", "joint: ^eye, eyes", "gaze.joint", "unknown joint 'eye'"),
    ("forward: [0, 0, 2]", "forward: ^[0, 0, 0]", "gaze.forward", "expected a direction, found a zero vector"),
    ("up: [0, 1, 0]", "up: ^[0, 1, 1]", "gaze.up", "'up' must be at a right angle to 'forward'"),
    ("arm: {x: 45}", "arm: {x: ^95}", "rest.arm.x", "'95' is outside the limits, which are -90 to 90 in this posture"),
    ("arm: {x: 45}", "base: {x: 5, z: ^-23}", "rest.base.z", "'-23' is outside the limits, which are -22.2222 to 20.5"),
    ("  arm: {x: 45}", "  ^amr: {x: 45}", "rest.amr", "unknown joint 'amr'; did you mean 'arm'?"),
    ("arm: {x: 45}", "arm: {^w: 45}", "rest.arm.w", "unknown key 'w'; known: 'x', 'y', 'z'"),
    ("red: [1, 0, 0]", "red: [1, 0, ^255]", "colors.red[2]", "expected a number from 0 to 1, found '255'"),
    ("[[0, 0, 0], [0, 1, 0]]", "^[0, 1, 0]", "fixed_shapes[0].capsule", "expected 2 values, found 3"),
    ("{capsule: [[0, 0, 0], [0, 1, 0]], radii: [0.1, 0.2]", "{hull: [[0, 0, 0]], radii: ^[0.1, 0.2]",
     "fixed_shapes[0].radii", "expected 1 values, found 2"),
    ("{capsule: [[0, 0, 0], [0, 1, 0]], radii: [0.1, 0.2]", "{hull: ^[], radii: []", "fixed_shapes[0].hull",
     "expected 1 to 100 balls, found 0"),
    ("{x: 45}", "{x: 45\n", "", "not valid YAML: while parsing a flow mapping"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "path", "reason"), BROKEN)
def test_a_broken_body_is_told_with_its_place(old: str, new: str, path: str, reason: str) -> None:
    assert STICK.count(old) == 1, old
    text = STICK.replace(old, new)
    with pytest.raises(FileError) as caught:
        read(text.replace("^", ""))
    message = str(caught.value)
    assert re.match(r"body.yaml:\d+:\d+: ", message)
    assert "\n" not in message
    assert reason in message
    if path:
        assert f": {path}: " in message
    if "^" in text:
        before = text[: text.index("^")]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        assert message.startswith(f"body.yaml:{line}:{column}: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "body.yaml:1:1: the file is empty"),
        ("seated", "body.yaml:1:1: expected a mapping, found 'seated'"),
        ("name: a\nheight: 1\nlimbs: {}\njoints: {}\n", "body.yaml:4:9: joints: expected 1 to 500 joints, found 0"),
        ("name: a\nheight: 1\nlimbs: {}\njoints: [a]\n", "body.yaml:4:9: joints: expected a mapping, found a list"),
        ("name: a\nheight: 1\nlimbs: {}\njoints: &j {a: *j}\n", "joints.a.a: unknown key 'a'; "),
        (
            "name: a\nheight: 1\nlimbs: {}\njoints:\n" + "".join(f"  j{i}: {{}}\n" for i in range(MAX_JOINTS + 1)),
            "body.yaml:5:3: joints: expected 1 to 500 joints, found 501",
        ),
    ],
)
def test_what_is_no_body_at_all(text: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        read(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name: seated", "nam: seated", "nam: unknown key 'nam'; did you mean 'name'?"),
        ("chest\n    centre: [0, 0.888", "chess\n    centre: [0, 0.888", "unknown parent 'chess'; did you mean 'chest"),
        ("limits: [-40, 40]", "limits: [-130, 30", "not valid YAML: while parsing a flow sequence"),
        ("tip: [0.1, 0, 0]", "tip: 0.1", "joints.left_hand.tip: expected a list, found '0.1'"),
        ("  shirt: [0.26", "  blouse: [0.26", "shapes[0].color: unknown color 'shirt'"),
        ("left_forearm: {y: -20}", "left_forearm: {y: 20}", "rest.left_forearm.y: '20' is outside the limits, which"),
    ],
)
def test_a_small_slip_in_the_seated_puppet(old: str, new: str, message: str) -> None:
    assert SEATED.count(old) == 1, old
    with pytest.raises(FileError) as caught:
        read(SEATED.replace(old, new))
    assert message in str(caught.value)


# ---- whatever is done to a file, it gives a sound body or a PuppetError

PIECES = st.sampled_from(
    ["", "0", "-1", "1e9", ".nan", "x", "xy", "true", "~", "arm", "centre", "limits", "[]", "{}", "[0, 0]", "{a: 1}",
     ":", "- ", "\n", "\n  ", "\t", "'", '"', "#", "*free", "&free ", "!!int ", "<<: ", "?", "|", "[[", "}}", "é",
     "\ud800", "\0"]
)  # fmt: skip


def check_sound(body: Body) -> None:
    assert body.limit_excess(body.rest) <= 1e-12
    assert np.isfinite(body.arrays.offsets).all()
    for joint in body.joints:
        assert sorted(r.axis for r in joint.rotations) == list(range(len(AXES)))
    for limb in body.limbs.values():
        assert body.joints[limb.joints[-1]].tip is not None


def read_or_refused(text: str) -> None:
    try:
        body = read(text)
    except PuppetError as error:
        message = str(error)
    else:
        return check_sound(body)
    assert message.startswith("body.yaml:")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(STICK)), st.integers(0, 15), PIECES), min_size=1, max_size=3))
def test_a_mutated_body_is_read_or_refused(edits: list[tuple[int, int, str]]) -> None:
    text = STICK
    for start, length, piece in edits:
        text = text[:start] + piece + text[start + length :]
    read_or_refused(text)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_body_with_one_word_replaced_is_read_or_refused(data: st.DataObject) -> None:
    # Whole words rather than letters: most of these are valid YAML and get past the parser to the reader's checks.
    words = re.sub(r"([{}\[\],])", r" \1 ", STICK).split(" ")
    at = data.draw(st.sampled_from([i for i, word in enumerate(words) if word.strip()]))
    words[at] = data.draw(PIECES)
    read_or_refused(" ".join(words))


@settings(max_examples=12, deadline=None)
@given(st.integers(0, len(SEATED)), st.integers(0, 30), PIECES)
def test_a_mutated_seated_puppet_is_read_or_refused(start: int, length: int, piece: str) -> None:
    read_or_refused(SEATED[:start] + piece + SEATED[start + length :])
