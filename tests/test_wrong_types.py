"""Every public call with values of every wrong type: it does something, or raises a PuppetError; nothing else."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count, product, repeat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import puppet
from puppet.command import Command, Push, Relation, Source, Spot, Wait
from puppet.dynamics import HoldAt, PushAt
from puppet.scene import Object, Space, Table
from puppet.shows import Live

WRONG: list[Any] = [
    None, True, 1, -1, 10**400, 3.5, float("nan"), float("inf"), "", "nowhere", b"x", Path("nowhere"), (), [], {},
    object(), [1, 2], (1, 2, 3), ("a", "b", "c"), {"a": 1}, np.zeros(3), np.zeros((2, 2)), np.array(["a", "b"]),
    lambda: 0, print,
]  # fmt: skip
SCRIPT = 'environment "blocks.yaml"\nreach yellow with left, speed 3\n'
NOWHERE = (0.0, 0.7, 0.3)


@pytest.fixture(scope="module")
def performance() -> puppet.Performance:
    return puppet.run(SCRIPT, draft=True)


def sweep(call: Callable[..., Any], good: Mapping[str, Any] | None = None, skip: tuple[str, ...] = ()) -> None:
    """Calls with one wrong value at a time, the other arguments being good ones."""
    good = good or {}
    for name, parameter in inspect.signature(call).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or name in (*skip, "self"):
            continue
        for value in WRONG:
            try:
                call(**{**good, name: value})
            except puppet.PuppetError:
                continue
            except Exception as error:
                raise AssertionError(f"{name}={value!r}: {type(error).__name__}: {error}") from error


def methods(kind: type, missing: Mapping[str, Mapping[str, Any]], skip: tuple[str, ...] = ()) -> list[Any]:
    """The public methods of a class, each with good arguments."""
    own = [name for base in kind.__mro__[:-1] for name in vars(base)]
    found = [name for name in dict.fromkeys(own) if not name.startswith("_") and callable(getattr(kind, name))]
    return [pytest.param(name, missing.get(name, {}), id=name) for name in found if name not in skip]


def test_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sweep(puppet.run, {"script": "freeze\n", "environment": "blocks", "draft": True}, skip=("physics",))


def test_making_a_stage() -> None:
    sweep(puppet.Stage, {"environment": "blocks", "draft": True}, skip=("clock",))


STAGE = {"give": {"command": "freeze"}}


@pytest.mark.parametrize(("name", "good"), methods(puppet.Stage, STAGE, skip=("step", "close", "undo")))
def test_a_stage(name: str, good: Mapping[str, Any]) -> None:
    sweep(getattr(puppet.Stage("blocks", draft=True), name), good)


LIVE: dict[str, dict[str, Any]] = {
    "press": {"key": "l"}, "give": {"command": "freeze"}, "reach": {"object": "yellow"},
    "pose": {"joint": "chest", "angles": (0, 0, 0)}, "set_gain": {"part": "chest", "gain": 1.0},
    "pull": {"part": "chest", "point": (0, 0, 0), "place": (0, 1, 0)},
}  # fmt: skip


@pytest.fixture(scope="module")
def live() -> Live:
    return Live("blocks", draft=True)


@pytest.mark.parametrize(
    ("name", "good"), methods(Live, LIVE, skip=("close", "performance", "deferred_performance", "step_once", "let_go"))
)
def test_a_live_performance(live: Live, name: str, good: Mapping[str, Any]) -> None:
    sweep(getattr(live, name), good)
    for value in WRONG:
        try:
            live.tempo = value
        except puppet.PuppetError:
            continue
        assert value in (1, True)


GOOD: dict[str, Any] = {
    "angles": (0, 0, 0), "spot": Spot("name", "yellow"), "on": True, "by": (0, 0, 0), "frames": 3, "verb": "turn",
    "kind": "nod", "joint": "chest", "part": "chest", "hand": "left", "gesture": "wave", "name": "speed", "value": 9,
}  # fmt: skip
NO_FIELDS: list[Any] = [
    None, 10**400, float("nan"), [1], np.zeros(3), Spot("nowhere"), Spot("hand", [1]),  # type: ignore[arg-type]
    Relation("a", "meets"), Relation(1), Source("a"), "\u202ea\x00",  # type: ignore[arg-type]
]  # fmt: skip
KINDS = [kind for kind in vars(puppet.command).values() if isinstance(kind, type) and issubclass(kind, Command)]


@pytest.mark.parametrize("kind", KINDS)
def test_commands_with_wrong_fields_change_nothing_and_cost_no_undo(live: Live, kind: type[Command]) -> None:
    def state() -> tuple[object, ...]:
        stage = live.stage
        return id(stage.snapshot().state), len(stage.entries), len(live.take.given), live.can_undo

    fields = dataclasses.fields(kind)
    needed = {field.name: GOOD.get(field.name, "yellow") for field in fields if field.default is dataclasses.MISSING}
    for field, value in product(fields, NO_FIELDS):
        command = kind(**{**needed, field.name: value})
        for give in (live.give, live.stage.give):
            told, before = "", state()
            try:
                give(command)
            except puppet.PuppetError as error:
                told = str(error)
            assert not told or state() == before
            assert told.isprintable()
            assert live.message.isprintable()
        live.step_once()


def test_a_push_of_a_part_that_there_is_not_is_told() -> None:
    live = Live("hall", draft=True)
    live.give("physics on")
    live.give(Push(part="tail", by=(1.0, 0.0, 0.0), frames=3))
    assert "tail" in live.message
    assert live.problem
    live.step_once()


def test_what_is_seen_of_a_live_performance(live: Live) -> None:
    sweep(live.timeline)


def test_making_a_live_performance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("puppet.shows.live.warm_up", lambda stage: None)  # it takes time, and no arguments
    sweep(Live, {"environment": "blocks", "draft": True}, skip=("clock",))


BODY = {
    "dof": {"joint": "chest", "axis": "x"}, "discomfort": {"joint": 1, "angles": np.zeros(17)},
    "limit_excess": {"angles": puppet.Body.load().rest},
    "put_into_range": {"joint": 1, "angles": puppet.Body.load().rest},
}  # fmt: skip


@pytest.mark.parametrize(("name", "good"), methods(puppet.Body, BODY))
def test_a_body(name: str, good: Mapping[str, Any]) -> None:
    sweep(getattr(puppet.Body.load(), name), good)


SCENE: dict[str, dict[str, Any]] = {
    "stacked": {"name": "yellow", "onto": "blue"}, "moved": {"name": "yellow", "space": "1"},
    "placed": {"name": "yellow", "position": NOWHERE}, "with_space_at": {"space": "left", "position": NOWHERE},
    "is_below": {"lower": "yellow", "upper": "blue"},
    "build": {"table": puppet.Table(0.6, 0.2), "spaces": {"1": NOWHERE}},
}  # fmt: skip


@pytest.mark.parametrize(("name", "good"), methods(puppet.Scene, SCENE))
def test_a_scene(name: str, good: Mapping[str, Any]) -> None:
    sweep(getattr(puppet.Stage("blocks", draft=True).scene, name), good)


def test_what_scenes_are_made_of() -> None:
    sweep(puppet.Table, {"height": 0.6, "front": 0.2})
    sweep(Object, {"name": "a", "width": 0.1})
    sweep(Space, {"name": "a", "position": NOWHERE})
    sweep(puppet.Scene, {"table": puppet.Table(0.6, 0.2), "objects": (), "stacks": ()})


FIGURE: dict[str, dict[str, Any]] = {
    "pin": {"part": "left_hand"}, "drag": {"part": "left_hand", "to": NOWHERE, "steps": 1},
    "hold": {"name": "a", "feature": puppet.CentreOfMass(x=0.0)},
    "follow": {"part": "left_hand", "path": np.zeros((1, 3))},
    "aim": {"part": "left_hand", "position": NOWHERE, "rotation": np.eye(3), "point": NOWHERE},
    "set_gain": {"name": "a", "gain": 1.0},
    "position": {"part": "left_hand"}, "work": {"steps": 1}, "serve": {"joints": ()},
}  # fmt: skip


@pytest.mark.parametrize(("name", "good"), methods(puppet.Figure, FIGURE))
def test_a_figure(name: str, good: Mapping[str, Any]) -> None:
    sweep(getattr(puppet.Figure(puppet.Body.load()), name), good)


def test_what_figures_hold() -> None:
    sweep(puppet.Figure, {"body": puppet.Body.load()})
    for feature in (puppet.CentreOfMass, puppet.AngularMomentum):
        sweep(feature)
    sweep(puppet.Inertia, {"axis": (0, 1, 0), "value": 1.0})
    sweep(puppet.Function, {"function": lambda p: 0.0, "target": 0.0, "of": ("left_hand",)})


SPACE: dict[str, dict[str, Any]] = {
    "drive": {"name": "a", "feature": puppet.PartPlace("end")}, "hang": {"part": "end", "anchor": NOWHERE},
    "push": {"part": "end", "by": NOWHERE}, "close": {"part": "end"},
}  # fmt: skip


@pytest.mark.parametrize(("name", "good"), methods(puppet.AnimationSpace, SPACE, skip=("step",)))
def test_an_animation_space(name: str, good: Mapping[str, Any]) -> None:
    space = puppet.AnimationSpace(puppet.Body.load("chain"))
    sweep(getattr(space, name), good)
    space.step()
    sweep(getattr(space, name), good)


def test_what_animation_spaces_are_made_of() -> None:
    sweep(puppet.AnimationSpace, {"body": puppet.Body.load("chain")})
    sweep(puppet.PartPlace, {"part": "end"})
    sweep(puppet.Angles, {"of": "end.x"})
    worm = puppet.Inchworm(puppet.Body.load("inchworm"))
    sweep(puppet.Inchworm, {"body": worm.space.body})
    sweep(worm.follow, {"goals": [], "most_steps": 0})
    sweep(worm.reach)


def test_postures() -> None:
    goal = puppet.HandGoal(NOWHERE)
    sweep(puppet.HandGoal, {"position": NOWHERE})
    sweep(puppet.solve_posture, {"body": puppet.Body.load(), "left": goal})


def test_what_is_done_with_a_performance(
    performance: puppet.Performance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sweep(performance.save)
    for options in ({"frames": 3.5}, {"frames": [0.5]}, {"columns": "2"}, {"camera": 1}, {"size": 3}):
        with pytest.raises(puppet.PuppetError):
            performance.save(tmp_path / "x.png", **options)  # type: ignore[arg-type]
    sweep(puppet.filter_motion, {"motion": performance})


def test_clips(performance: puppet.Performance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    performance.save(tmp_path / "a.bvh")
    sweep(puppet.Clip.load, {"path": "a.bvh"})
    clip = puppet.Clip.load("a.bvh")
    for name in ("edit", "retarget", "save", "save_report", "filtered"):
        sweep(getattr(clip, name))
    push, hold = PushAt("left_hand", (1.0, 0.0, 0.0), 0, 3), HoldAt("left_hand", 0, 3)
    for wrong in (
        {"pushes": ["a"]}, {"pushes": [hold]}, {"holds": [push]}, {"holds": [replace(hold, frame=-1)]},
        {"pushes": [replace(push, frame=-1)]}, {"pushes": [replace(push, by=(float("nan"), 0.0, 0.0))]},
    ):  # fmt: skip
        with pytest.raises(puppet.PuppetError):
            clip.filtered(**wrong)


HALL = puppet.Stage("blocks", draft=True)
POSTURE = puppet.solve_posture(HALL.body, left=puppet.HandGoal(NOWHERE))


def kept(value: Any) -> dict[str, Any]:
    """What a dataclass is made of."""
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def posture_parts() -> dict[str, Any]:
    body, arrays = POSTURE.body, (POSTURE.kernel_angles.copy(), POSTURE.transforms.copy())
    angles, transforms = arrays
    return {
        "body": body, "limbs": ("left",), "root": np.zeros(3), "angles": angles, "transforms": transforms,
        "results": np.zeros(3), "iterations": 1,
    }  # fmt: skip


@pytest.fixture(scope="module")
def made(performance: puppet.Performance, tmp_path_factory: pytest.TempPathFactory) -> dict[type, dict[str, Any]]:
    """Every class of the public interface, and what makes one of it."""
    path = tmp_path_factory.mktemp("clip") / "a.bvh"
    performance.save(path)
    scene, chain = HALL.scene, puppet.Body.load("chain")
    return {
        puppet.Angles: {"of": "end.x"}, puppet.AngularMomentum: {"x": 0.0}, puppet.AnimationSpace: {"body": chain},
        puppet.Body: kept(HALL.body), puppet.CentreOfMass: {"x": 0.0}, puppet.Clip: kept(puppet.Clip.load(path)),
        puppet.Figure: {"body": chain}, puppet.Frame: kept(HALL.frame),
        puppet.Function: {"function": lambda place: 0.0, "target": 0.0, "of": ("left_hand",)},
        puppet.HandGoal: {"position": NOWHERE}, puppet.Inchworm: {"body": puppet.Body.load("inchworm")},
        puppet.Inertia: {"value": 1.0}, puppet.PartPlace: {"part": "end"}, puppet.Performance: kept(performance),
        puppet.Posture: posture_parts(), puppet.Scene: kept(scene), puppet.Table: kept(scene.table),
    }  # fmt: skip


def test_every_class_of_the_interface_is_tried(made: dict[type, dict[str, Any]]) -> None:
    classes = {value for value in (getattr(puppet, name) for name in puppet.__all__) if isinstance(value, type)}
    assert classes == {*made, puppet.Stage, puppet.PuppetError}  # a stage is tried above


SHAPES: list[Any] = [
    np.zeros(0), np.zeros((0, 3)), np.full(3, np.nan), np.full((1, 3), np.inf), np.array(3.0), np.zeros((5, 17)),
    np.full(17, np.nan), 1e308, 1e-320, {1: 2}, {None: None}, iter("ab"), 1j, [[1], [2, 3]],
]  # fmt: skip


def test_what_is_made_of_wrong_parts_is_refused_or_answers_all_the_same(made: dict[type, dict[str, Any]]) -> None:
    for kind, good in made.items():
        for name in good:
            for value in (*WRONG, *SHAPES, HALL.scene, HALL.body, (HALL.body,), {"left": HALL}):
                with_wrong, told = f"{kind.__name__} with {name}={value!r:.60}", ""
                try:
                    thing = kind(**{**good, name: value})
                    for attribute in dir(kind):
                        if not attribute.startswith("_") and not callable(getattr(kind, attribute)):
                            with_wrong = f"{attribute} of {with_wrong}"
                            getattr(thing, attribute)
                except puppet.PuppetError as error:
                    told = str(error)
                except Exception as error:
                    raise AssertionError(f"{with_wrong}: {type(error).__name__}: {error}") from error
                assert told.isprintable(), with_wrong


def test_a_body_of_parts_that_do_not_fit_together_is_refused() -> None:
    body = HALL.body
    first, *others = body.joints
    left = body.limbs["left"]
    for wrong in (
        {"joints": ()}, {"joints": (first, first)}, {"joints": (replace(first, parent=3), *others)},
        {"joints": (replace(first, mass=float("nan")), *others)}, {"joints": (replace(first, centre=(0, 1e308, 0)),)},
        {"joints": (replace(first, centre=None), *others)}, {"limbs": {"left": replace(left, joints=(0, 999))}},
        {"limbs": {"left": replace(left, mirrors="tail")}}, {"groups": {"a": (999,)}}, {"height": 0.0},
        {"rest": np.zeros(3)}, {"gaze": replace(body.gaze, joint=-2)}, {"kilograms": float("inf")},
    ):  # fmt: skip
        with pytest.raises(puppet.PuppetError):
            replace(body, **wrong)  # type: ignore[arg-type]


def test_attributes_of_what_is_made_do_not_change(made: dict[type, dict[str, Any]], live: Live) -> None:
    things = [*(kind(**good) for kind, good in made.items()), puppet.Stage("blocks", draft=True), live]
    for thing in things:
        for name in {*dir(thing)}:
            known = getattr(type(thing), name, None)
            if name.startswith("_") or callable(known) or (isinstance(known, property) and known.fset):
                continue
            with pytest.raises(AttributeError):
                setattr(thing, name, 3)
    for value in WRONG:
        if not isinstance(value, bool):
            with pytest.raises(puppet.PuppetError):
                live.paused = value


def test_a_clock_tells_seconds() -> None:
    for clock in (lambda: "noon", lambda: None, type, 3):
        with pytest.raises(puppet.PuppetError, match="clock"):
            puppet.Stage("blocks", draft=True, clock=clock)  # type: ignore[arg-type]


@pytest.mark.parametrize("course", [lambda time: "a", lambda time: float("nan"), lambda time: (0.0, 1.0), 3, "a"])
def test_a_course_gives_as_many_numbers_as_are_driven(course: Any) -> None:
    def driven() -> None:
        space = puppet.AnimationSpace(puppet.Body.load("chain"))
        space.drive("a", puppet.PartPlace("end"), course=course)
        space.step()

    with pytest.raises(puppet.PuppetError):
        driven()


@pytest.mark.parametrize("endless", [range(10**12), count(), repeat(Wait(frames=1)), repeat("everyday.yaml")], ids=repr)
@pytest.mark.parametrize("argument", ["script", "gestures"])
def test_what_has_no_end_is_refused(endless: Any, argument: str) -> None:
    good = {"script": "freeze\n", "environment": "blocks", "draft": True}
    with pytest.raises(puppet.PuppetError):
        puppet.run(**{**good, argument: endless})
    if argument == "gestures":
        for kind in (puppet.Stage, Live):
            with pytest.raises(puppet.PuppetError):
                kind("blocks", gestures=endless)


@pytest.mark.parametrize(
    "call",
    [
        lambda: puppet.Function(max, 1.0, of=count()), lambda: puppet.Function(max, range(10**12), of=("a",)),
        lambda: puppet.Angles(count()), lambda: puppet.Scene.build(Table(0.6, 0.2), {}, count()),
        lambda: puppet.Scene(Table(0.6, 0.2), count(), ()),
    ],
)  # fmt: skip
def test_values_without_an_end_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(puppet.PuppetError):
        call()
