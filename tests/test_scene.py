"""The scene's promises: each object in one stack, each stack on one space, and nothing ever changes in place."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puppet.scene import COLORS, Object, Scene, SceneError, Space, Stack, Table

TABLE = Table(0.6, 0.2, 0.0)
WIDTHS = {"A": 0.1, "B": 0.04, "C": 0.02, "D": 0.09, "E": 0.03}
SPACES = {"1": (0.1, 0.6, 0.4), "2": (-0.2, 0.7, 0.35), "3": (0.0, 0.6, 0.3)}


def scene(**on: str) -> Scene:
    """A scene with the named objects on the named spaces, as in scene(A="1", B="1")."""
    return Scene.build(TABLE, SPACES, [(Object(name, WIDTHS[name]), space) for name, space in on.items()])


# ---- what is where


def test_three_objects_on_one_space() -> None:  # Figures 3.3 to 3.6 and 6.8
    stage = scene(A="1", B="1", C="1", D="2")
    assert stage.stack_on("1") == stage.stack_of("B") == ("A", "B", "C")
    assert [stage.space_of(name).name for name in "ABCD"] == ["1", "1", "1", "2"]
    assert (stage.bottom("1"), stage.topmost("1")) == ("A", "C")
    assert (stage.bottom("3"), stage.topmost("3"), stage.stack_on("3")) == (None, None, ())
    assert [stage.above(name) for name in "ABC"] == ["B", "C", None]
    assert [stage.below(name) for name in "ABC"] == [None, "A", "B"]
    assert stage.tower("B") == ("B", "C")
    assert stage.is_below("A", "C")
    assert not stage.is_below("C", "A")
    assert not stage.is_below("A", "A")
    assert not stage.is_below("A", "D")
    assert stage.centre("A") == pytest.approx((0.1, 0.7, 0.4))
    assert stage.centre("B") == pytest.approx((0.1, 0.84, 0.4))
    assert stage.centre("C") == pytest.approx((0.1, 0.9, 0.4))
    assert stage.base("C") == pytest.approx((0.1, 0.88, 0.4))


def test_the_hands_have_a_space_each() -> None:
    assert [(space.name, space.dynamic) for space in scene().spaces] == [
        ("1", False), ("2", False), ("3", False), ("left", True), ("right", True),
    ]  # fmt: skip
    assert scene().space("left").position == (0.0, 0.6, 0.2)  # the middle of the table's front edge
    tail = Scene.build(TABLE, SPACES, hands=["tail"])
    assert [space.name for space in tail.spaces if space.dynamic] == ["tail"]


# ---- changes


def test_table_6_8() -> None:
    start = scene(A="2", B="3", C="3")
    cases = (
        start.moved("A", "1").moved("B", "1").moved("C", "1"),
        start.moved("A", "1").moved("C", "2").stacked("B", "A").stacked("C", "A"),
        start.moved("A", "1").moved("C", "2").moved("B", "1").stacked("C", "B"),
    )
    assert cases[0].stack_on("1") == ("A", "B", "C")  # B took C along: it stood on it
    assert cases[0] == cases[1] == cases[2]


def test_an_object_moves_with_what_stands_on_it() -> None:
    stage = scene(A="1", B="1", C="1", D="2").moved("B", "2")
    assert (stage.stack_on("1"), stage.stack_on("2")) == (("A",), ("D", "B", "C"))


def test_stacking_on_an_object_goes_to_the_top_of_its_stack() -> None:
    assert scene(A="1", B="1", D="2").stacked("D", "A").stack_of("A") == ("A", "B", "D")


def test_what_is_already_so_changes_nothing() -> None:
    stage = scene(A="1", B="1", C="1")
    for same in (stage.moved("A", "1"), stage.moved("B", "1"), stage.stacked("C", "A"), stage.stacked("C", "B")):
        assert same is stage


def test_an_object_in_a_hand_goes_where_the_hand_goes() -> None:
    stage = scene(A="1", B="1").moved("A", "left").with_space_at("left", (0.3, 0.8, 0.1))
    assert stage.stack_on("left") == ("A", "B")
    assert stage.centre("A") == pytest.approx((0.3, 0.9, 0.1))
    assert stage.centre("B") == pytest.approx((0.3, 1.04, 0.1))
    assert stage.with_space_at("left", stage.space("left").position) is stage


def test_a_slid_object_has_a_place_of_its_own_until_it_leaves() -> None:
    stage = scene(A="1", B="1", C="1").placed("B", (0.0, 0.6, 0.5))
    assert stage.stack_on("1") == ("A",)
    assert stage.stack_of("B") == ("B", "C")
    assert stage.space_of("C") == Space(None, (0.0, 0.6, 0.5))
    assert stage.base("B") == (0.0, 0.6, 0.5)
    assert stage.stacked("A", "C").stack_of("A") == ("B", "C", "A")
    again = stage.placed("B", (0.1, 0.6, 0.5))
    assert (len(again.stacks), again.base("B")) == (len(stage.stacks), (0.1, 0.6, 0.5))
    assert stage.moved("B", "1") == scene(A="1", B="1", C="1")
    half = stage.moved("C", "2")
    assert (half.stack_of("B"), half.space_of("B").name) == (("B",), None)
    assert again.placed("B", (0.0, 0.6, 0.5)) == stage


def test_two_ways_to_the_same_state_are_equal() -> None:
    stage = scene(A="1", B="2", C="3")
    one = stage.placed("A", (0, 1, 0)).placed("C", (1, 1, 0))
    two = stage.placed("C", (1, 1, 0)).placed("A", (0, 1, 0))
    assert one == two
    assert hash(one) == hash(two)
    assert one != stage
    assert pickle.loads(pickle.dumps(one)) == two
    assert scene(A="1", B="2") == scene(B="2", A="1")
    assert scene(A="1", B="1") != scene(B="1", A="1")


def test_scenes_share_what_a_change_leaves_alone() -> None:
    stage = scene(A="1", B="2", C="3")
    after = stage.moved("A", "left")
    assert all(new is old for new, old in zip(after.stacks[1:3], stage.stacks[1:3], strict=True))


def test_nothing_can_be_changed_in_place() -> None:
    stage = scene(A="1")
    for value, field in ((stage, "table"), (stage.object("A"), "width"), (stage.space("1"), "position")):
        with pytest.raises(FrozenInstanceError):
            setattr(value, field, None)
    position = np.array([0.0, 0.6, 0.5])
    slid = stage.placed("A", position)
    position[:] = 9.0
    assert slid.base("A") == (0.0, 0.6, 0.5)
    assert all(type(number) is float for number in slid.base("A"))


# ---- refusals


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.moved("yelow", "shelf"), "unknown object 'yelow'; did you mean 'yellow'?"),
        (lambda s: s.moved("yellow", "shelv"), "unknown space 'shelv'; did you mean 'shelf'?"),
        (lambda s: s.moved("yellow", "blue"), "unknown space 'blue'; known: 'left', 'right', 'shelf'"),
        (lambda s: s.stacked("yellow", "shelf"), "unknown object 'shelf'; known: 'blue', 'yellow'"),
        (lambda s: s.stacked("red", "yellow"), "unknown object 'red'; "),
        (lambda s: s.stacked("yellow", "yellow"), "'yellow' cannot stand on itself"),
        (lambda s: s.stacked("yellow", "blue"), "'yellow' cannot be put on 'blue', which stands above it in the same"),
        (lambda s: s.placed("cup", (0, 0, 0)), "unknown object 'cup'; "),
        (lambda s: s.placed("blue", (0, 0)), "the place of 'blue': expected a position of three numbers, found (0, 0)"),
        (lambda s: s.placed("blue", "abc"), "expected a position of three numbers, found 'abc'"),
        (lambda s: s.placed("blue", 5), "expected a position of three numbers, found 5"),
        (lambda s: s.placed("blue", (0, float("nan"), 0)), "a position must be finite, found (0.0, nan, 0.0)"),
        (lambda s: s.with_space_at("shelf", (0, 0, 0)), "space 'shelf' is fixed; only a hand's space can be set"),
        (lambda s: s.with_space_at("lefd", (0, 0, 0)), "unknown space 'lefd'; did you mean 'left'?"),
        (lambda s: s.with_space_at("left", (0, 0, 0, 0)), "space 'left': expected a position of three numbers"),
        (lambda s: s.centre("cup"), "unknown object 'cup'; "),
        (lambda s: s.stack_on("yellow"), "unknown space 'yellow'; "),
        (lambda s: s.is_below("blue", "cup"), "unknown object 'cup'; "),
        (lambda s: s.is_below("cup", "blue"), "unknown object 'cup'; "),
    ],
)
def test_what_is_refused_says_why_and_changes_nothing(change: Callable[[Scene], object], message: str) -> None:
    objects = [(Object("yellow", 0.03), "shelf"), (Object("blue", 0.04), "shelf")]
    stage, twin = (Scene.build(TABLE, {"shelf": (0, 0.7, 0.4)}, objects) for _ in range(2))
    with pytest.raises(SceneError) as caught:
        change(stage)
    assert message in str(caught.value)
    assert stage == twin


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Object("A", 0.0), "the width of 'A' must be a number above 0, not 0.0"),
        (lambda: Object("A", -1.0), "the width of 'A' must be a number above 0, not -1.0"),
        (lambda: Object("A", float("inf")), "must be a number above 0, not inf"),
        (lambda: Object("A", "1"), "must be a number above 0, not '1'"),  # type: ignore[arg-type]
        (lambda: Object("", 0.1), "an object needs a name"),
        (lambda: Object("A", 0.1, color="golt"), "unknown color 'golt' of 'A'; did you mean 'gold'? (or #rrggbb)"),
        (lambda: Object("A", 0.1, color="#12345g"), "unknown color '#12345g'"),
        (lambda: Object("A", 0.1, shape="cub"), "unknown shape 'cub' of 'A'; did you mean 'cup'?"),
        (lambda: Space("", (0, 0, 0)), "a space needs a name"),
        (lambda: Space(None, (0, 0, 0), dynamic=True), "a space needs a name"),
        (lambda: Space("1", (0, 0)), "space '1': expected a position of three numbers"),  # type: ignore[arg-type]
        (lambda: Scene.build(TABLE, SPACES, [(Object("A", 0.1), "4")]), "unknown space '4' of 'A'; known: '1', '2'"),
        (lambda: Scene.build(TABLE, SPACES, [(Object("A", 0.1), "1")] * 2), "there are two objects 'A'"),
        (lambda: Scene.build(TABLE, {"left": (0, 0, 0)}), "there are two spaces 'left'"),
        (lambda: Scene.build(TABLE, {}, hands=["a", "a"]), "there are two spaces 'a'"),
        (lambda: Scene(TABLE, (Object("A", 0.1),), ()), "'A' stands on no space"),
        (lambda: Scene(TABLE, (), (Stack(Space("1", (0, 0, 0)), ("A",)),)), "unknown object 'A'; none is known here"),
        (lambda: Scene(TABLE, (), (Stack(Space(None, (0, 0, 0))),)), "a place without a name needs an object"),
        (
            lambda: Scene(TABLE, (Object("A", 0.1),), (Stack(Space("1", (0, 0, 0)), ("A", "A")),)),
            "'A' stands in two places",
        ),
    ],
)
def test_a_scene_that_cannot_be_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(SceneError) as caught:
        make()
    assert message in str(caught.value)


def test_every_color_has_a_value() -> None:
    for color in COLORS:
        assert all(0.0 <= part <= 1.0 for part in Object("A", 1, color=color).rgb)
    assert Object("A", 1, color="#ff8000").rgb == (1.0, 128 / 255, 0.0)
    assert Object("A", 1, color="#ff8000").rgb == Object("A", 1, color="#FF8000").rgb


# ---- whatever is done to it

names = st.sampled_from([*WIDTHS, "nobody"])
places = st.sampled_from([*SPACES, "left", "right", "nowhere"])
positions = st.tuples(*[st.floats(-1, 1)] * 3)
operations = st.one_of(
    st.tuples(st.just("moved"), names, places),
    st.tuples(st.just("stacked"), names, names),
    st.tuples(st.just("placed"), names, positions),
    st.tuples(st.just("with_space_at"), places, positions),
)
starts = st.fixed_dictionaries({name: st.sampled_from([*SPACES]) for name in WIDTHS})


def check_invariants(stage: Scene) -> None:
    everything = [name for stack in stage.stacks for name in stack.objects]
    assert sorted(everything) == sorted(WIDTHS)  # each object in exactly one stack
    assert [space.name for space in stage.spaces] == [*SPACES, "left", "right"]
    for name, position in SPACES.items():
        assert stage.space(name) == Space(name, position)  # static spaces never move
    for stack in stage.stacks:
        assert stack.objects or stack.space.name is not None  # an own place without an object is gone
        x, floor, z = stack.space.position
        for level, name in enumerate(stack.objects):
            assert stage.space_of(name) == stack.space
            assert stage.stack_of(name) == stack.objects
            assert stage.tower(name) == stack.objects[level:]
            assert stage.below(name) == (stack.objects[level - 1] if level else None)
            assert stage.base(name) == pytest.approx((x, floor, z))
            assert stage.centre(name) == pytest.approx((x, floor + WIDTHS[name], z))
            floor += 2 * WIDTHS[name]
            above = stage.above(name)
            assert above is None or stage.below(above) == name
        height = 2 * sum(WIDTHS[name] for name in stack.objects)
        assert floor == pytest.approx(stack.space.position[1] + height)


@settings(max_examples=120, deadline=None)
@given(starts, st.lists(operations, max_size=15))
def test_any_sequence_of_changes_keeps_the_promises(
    start: dict[str, str], changes: list[tuple[str, str, object]]
) -> None:
    history = [scene(**start)]
    copies = [pickle.dumps(scene(**start))]
    for method, subject, target in changes:
        stage = history[-1]
        if is_nonsense(stage, method, subject, target):
            with pytest.raises(SceneError):
                getattr(stage, method)(subject, target)
            after = stage
        else:
            after = getattr(stage, method)(subject, target)
            check_effect(stage, after, method, subject, target)
        check_invariants(after)
        history.append(after)
        copies.append(pickle.dumps(Scene(after.table, after.objects, after.stacks)))
    for old, copy in zip(history, copies, strict=True):
        assert old == pickle.loads(copy)  # as it was when it was new


def is_nonsense(stage: Scene, method: str, subject: str, target: object) -> bool:
    if {subject, target} & {"nobody", "nowhere"}:
        return True
    fixed = method == "with_space_at" and subject in SPACES
    return fixed or (method == "stacked" and target in stage.tower(subject))


def check_effect(before: Scene, after: Scene, method: str, subject: str, target: object) -> None:
    if method == "with_space_at":
        assert after.space(subject).position == target
        assert [stack.objects for stack in after.stacks] == [stack.objects for stack in before.stacks]
        return
    moved = before.tower(subject)
    assert after.tower(subject) == moved
    if method == "placed":
        assert after.base(subject) == target
        assert after.stack_of(subject) == moved
    elif method == "moved":
        assert after.space_of(subject).name == target
        assert after.stack_on(str(target))[-len(moved) :] == moved
    else:
        assert after.is_below(str(target), subject)
    for name in set(WIDTHS) - set(moved):
        assert after.centre(name) == before.centre(name)  # nothing else has moved
        assert after.below(name) == before.below(name)
