"""Environment files: reading them, writing them back, and what is said about broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puppet.errors import FileError, PuppetError
from puppet.files import strict_yaml
from puppet.scene import (
    COLORS,
    SHAPES,
    Object,
    Scene,
    SceneError,
    Table,
    format_environment,
    load_environment,
    read_environment,
)

ENVIRONMENTS = Path(__file__).parent.parent / "environments"

SAMPLE = """\
table: {height: 0.6, front: 0.2, skew: 0.1}
spaces:
  1: [0.1, 0.0, 0.2]
  shelf: [-0.2, 0.1, 0.15]
objects:
  yellow: {width: 0.04, space: 1, color: gold}
  cup: {width: 0.03, space: shelf, shape: cup}
  small block: {width: 0.02, space: 1, color: "#20a0ff"}
"""


def read(text: str) -> Scene:
    return read_environment(strict_yaml.parse(text, "env.yaml"))


def test_the_sample_of_the_language() -> None:
    scene = read(SAMPLE)
    assert scene.table == Table(0.6, 0.2, 0.1)
    assert scene.space("1").position == pytest.approx((0.2, 0.6, 0.4))
    assert scene.space("shelf").position == pytest.approx((-0.1, 0.7, 0.35))
    assert scene.stack_on("1") == ("yellow", "small block")  # in the file's order
    assert scene.centre("small block") == pytest.approx((0.2, 0.7, 0.4))
    assert scene.object("cup") == Object("cup", 0.03, shape="cup")
    assert scene.object("small block").color == "#20a0ff"
    assert [space.name for space in scene.spaces if space.dynamic] == ["left", "right"]


def test_what_may_be_left_out() -> None:
    scene = read("table: {height: 1, front: 0}\nspaces: {}\n")
    assert scene == Scene.build(Table(1.0, 0.0, 0.0), {})


def test_the_hands_are_the_bodys() -> None:
    scene = read_environment(strict_yaml.parse(SAMPLE, "env.yaml"), hands=["trunk"])
    assert [space.name for space in scene.spaces] == ["1", "shelf", "trunk"]


def test_moving_the_table_moves_what_stands_on_it() -> None:
    before, after = read(SAMPLE), read(SAMPLE.replace("height: 0.6, front: 0.2", "height: 0.7, front: 0.25"))
    for entry in before.objects:
        shift = [b - a for a, b in zip(before.centre(entry.name), after.centre(entry.name), strict=True)]
        assert shift == pytest.approx([0.0, 0.1, 0.05])


@pytest.mark.parametrize("path", sorted(ENVIRONMENTS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_environment_that_comes_along(path: Path) -> None:
    scene = load_environment(path)
    assert scene.objects
    assert read(format_environment(scene)) == scene


def test_figure_7_1() -> None:
    scene = load_environment(ENVIRONMENTS / "thesis.yaml")
    assert scene.table == Table(0.6, 0.2, 0.0)
    assert [(entry.name, entry.width, scene.space_of(entry.name).name) for entry in scene.objects] == [
        ("A", 0.1, "1"), ("B", 0.04, "4"), ("C", 0.02, "2"), ("D", 0.09, "6"),
    ]  # fmt: skip
    assert scene.space("6").position == pytest.approx((-0.7, 0.8, 1.1))
    assert scene.centre("C") == pytest.approx((-0.2, 0.72, 0.35))


# ---- writing


def test_what_is_written_looks_as_a_person_would_write_it() -> None:
    assert format_environment(read(SAMPLE)) == (
        "table: {height: 0.6, front: 0.2, skew: 0.1}\n"
        "spaces:\n"
        "  1: [0.1, 0.0, 0.2]\n"
        "  shelf: [-0.2, 0.1, 0.15]\n"
        "objects:\n"
        "  yellow: {width: 0.04, space: 1, color: gold}\n"
        '  small block: {width: 0.02, space: 1, color: "#20a0ff"}\n'
        "  cup: {width: 0.03, space: shelf, shape: cup}\n"
    )


def test_a_scene_in_which_things_were_moved_is_written_as_it_is_now() -> None:
    scene = read(SAMPLE).moved("yellow", "shelf").moved("small block", "1").stacked("cup", "small block")
    assert scene.stack_on("1") == ("small block", "cup", "yellow")
    assert read(format_environment(scene)) == scene


def test_what_a_file_cannot_say_is_refused() -> None:
    scene = read(SAMPLE)
    with pytest.raises(SceneError, match="'cup' is in the left hand; an environment file can only"):
        format_environment(scene.moved("cup", "left"))
    with pytest.raises(SceneError, match="'cup' is on a place of its own"):
        format_environment(scene.placed("cup", (0, 0.6, 0.3)))
    with pytest.raises(SceneError, match="'a: b' is no name for a file"):
        format_environment(Scene.build(Table(0.6, 0.2), {"a: b": (0, 0, 0)}))


words = st.sampled_from(["1", "12", "A", "a", "b-", "_", "small  block", "null", "0x1", "yes", "e - e", "1e3", "lefty"])
coordinates = st.one_of(st.floats(-1e6, 1e6), st.floats(-2, 2), st.integers(-200, 200).map(lambda n: n / 100))


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Environment files, with numbers as a person or as a program would write them."""
    table = [draw(coordinates) for _ in range(3)]
    spaces = draw(st.lists(words, unique=True, max_size=4))
    lines = [f"table: {{height: {table[0]!r}, front: {table[1]!r}, skew: {table[2]!r}}}"]
    lines.append("spaces:" if spaces else "spaces: {}")
    lines += [f"  {name}: {[draw(coordinates) for _ in range(3)]!r}" for name in spaces]
    objects = draw(st.lists(words, unique=True, max_size=5)) if spaces else []
    lines += ["objects:"] if objects else []
    for name in objects:
        width = draw(st.floats(1e-6, 1e6))
        color = draw(st.sampled_from([*COLORS, '"#012aBC"']))
        space, shape = draw(st.sampled_from(spaces)), draw(st.sampled_from(SHAPES))
        lines.append(f"  {name}: {{width: {width!r}, space: {space}, color: {color}, shape: {shape}}}")
    return "\n".join(lines)


@settings(max_examples=80, deadline=None)
@given(texts())
def test_writing_and_reading_gives_the_same_scene(text: str) -> None:
    scene = read(text)
    assert read(format_environment(scene)) == scene


# ---- broken files


def edited(old: str, new: str) -> str:
    assert SAMPLE.count(old) == 1, old
    return SAMPLE.replace(old, new)


BROKEN = [
    ("", "env.yaml:1:1: the file is empty"),
    ("blocks", "env.yaml:1:1: expected a mapping, found 'blocks'"),
    ("- table", "env.yaml:1:1: expected a mapping, found a list"),
    ("table: {height: 1, front: 0}", "env.yaml:1:1: 'spaces' is missing"),
    ("spaces: {}", "env.yaml:1:1: 'table' is missing"),
    (edited("table:", "tabel:"), "env.yaml:1:1: tabel: unknown key 'tabel'; did you mean 'table'?"),
    (edited("objects:", "object:"), "env.yaml:5:1: object: unknown key 'object'; did you mean 'objects'?"),
    (edited("skew", "squew"), "env.yaml:1:34: table.squew: unknown key 'squew'; did you mean 'skew'?"),
    (edited("height: 0.6, ", ""), "env.yaml:1:8: table: 'height' is missing"),
    (edited("{height: 0.6, front: 0.2, skew: 0.1}", "0.6 0.2 0.1"), "env.yaml:1:8: table: expected a mapping, found"),
    (edited("0.6", "high"), "env.yaml:1:17: table.height: expected a number, found 'high'"),
    (edited("0.6", ".inf"), "env.yaml:1:17: table.height: expected a number, found '.inf'"),
    (edited("0.6", "2e6"), "env.yaml:1:17: table.height: expected a number from -1e+06 to 1e+06, found '2e6'"),
    (edited("[0.1, 0.0, 0.2]", "[0.1, 0.0]"), "env.yaml:3:6: spaces.1: expected 3 values, found 2"),
    (edited("[0.1, 0.0, 0.2]", "[0.1, 0.0, x]"), "env.yaml:3:17: spaces.1[2]: expected a number, found 'x'"),
    (edited("[0.1, 0.0, 0.2]", "table"), "env.yaml:3:6: spaces.1: expected a list, found 'table'"),
    (edited("  1: [", "  shelf: ["), "env.yaml:4:3: spaces: 'shelf' stands here twice"),
    (edited("  1: [", "  left: ["), "env.yaml:3:3: spaces.left: 'left' is the space of the left hand; this one needs"),
    (edited("  1: [", "  a/b: ["), "env.yaml:3:3: spaces.a/b: 'a/b' is no name: use up to 100 letters, digits"),
    (edited("  1: [", '  "": ['), "env.yaml:3:3: spaces.: expected a word, found nothing"),
    (edited("  cup: {", "  yellow: {"), "env.yaml:7:3: objects: 'yellow' stands here twice"),
    (edited("  cup: {", "  cup!: {"), "env.yaml:7:3: objects.cup!: 'cup!' is no name"),
    (edited("space: shelf", "space: shelv"), "env.yaml:7:29: objects.cup.space: unknown space 'shelv'; did you mean"),
    (edited("space: shelf", "space: 2"), "env.yaml:7:29: objects.cup.space: unknown space '2'; known: '1', 'shelf'"),
    (edited("space: shelf", "space: left"), "env.yaml:7:29: objects.cup.space: a hand is empty when the scene begins"),
    (edited("space: shelf, ", ""), "env.yaml:7:8: objects.cup: 'space' is missing"),
    (edited("space: shelf", "space: [shelf]"), "env.yaml:7:29: objects.cup.space: expected a word, found a list"),
    (edited("width: 0.04, ", ""), "env.yaml:6:11: objects.yellow: 'width' is missing"),
    (edited("0.04", "0"), "env.yaml:6:19: objects.yellow.width: expected a number from 1e-06 to 1e+06, found '0'"),
    (edited("0.04", "-0.04"), "env.yaml:6:19: objects.yellow.width: expected a number from 1e-06 to 1e+06, found '"),
    (edited("0.04", "wide"), "env.yaml:6:19: objects.yellow.width: expected a number, found 'wide'"),
    (edited("gold", "golt"), "env.yaml:6:42: objects.yellow.color: unknown color 'golt'; did you mean 'gold'? (or"),
    (edited("#20a0ff", "#20a0f"), "env.yaml:8:47: objects.small block.color: unknown color '#20a0f'; "),
    (edited("color: gold", "color: "), "objects.yellow.color: expected a color, found nothing; #rrggbb needs quotes"),
    (edited("shape: cup", "shape: cub"), "env.yaml:7:43: objects.cup.shape: unknown shape 'cub'; did you mean 'cup'?"),
    (
        edited("shape: cup", "size: 1"),
        "env.yaml:7:36: objects.cup.size: unknown key 'size'; known: 'color', 'kind', 'shape', ",
    ),
    (edited("{width: 0.03, space: shelf, shape: cup}", "0.03 shelf"), "env.yaml:7:8: objects.cup: expected a mapping"),
    (edited("shape: cup}", "shape: cup"), "env.yaml:8:14: not valid YAML: while parsing a flow mapping that begins"),
    ("table: {height: 1, front: 0}\nspaces: {}\nobjects:\n", "objects: expected a mapping, found nothing"),
    ("table: {height: 1, front: 0}\nspaces: {}\nobjects: {A: {width: 1, space: 1}}", "space '1'; none is known here"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN)
def test_a_broken_file_is_told_with_its_place(text: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        read(text)
    assert message in str(caught.value)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_mutated_file_is_read_or_refused(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(SAMPLE)))
    end = min(len(SAMPLE), start + data.draw(st.integers(0, 12)))
    text = SAMPLE[:start] + data.draw(st.text(alphabet="0.x-[]{},: \n#&*", max_size=6)) + SAMPLE[end:]
    try:
        scene = read(text)
    except PuppetError as error:
        message = str(error)
    else:
        message = "env.yaml:"
        assert read(format_environment(scene)) == scene
    assert message.startswith("env.yaml:")
