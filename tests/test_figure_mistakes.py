"""Whatever a figure is asked: a mistake is told, and changes nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import puppet
from puppet import Body, CentreOfMass, Figure, Function, Inertia, PuppetError

FAR = float("inf")
NAN = float("nan")


def distance(p: Any, q: Any) -> Any:
    return np.linalg.norm(p - q)


MISTAKES: dict[str, tuple[Callable[[Figure], Any], str]] = {
    "unknown part to pin": (lambda f: f.pin("left_hoof"), "left_foot"),
    "unknown part to drag": (lambda f: f.drag("haed", to=(0, 0, 0)), "head"),
    "unknown part to unpin": (lambda f: f.unpin("left_hoof"), "left_foot"),
    "unknown part asked for": (lambda f: f.position("haed"), "head"),
    "unknown part turned": (lambda f: f.rotation("haed"), "head"),
    "no name": (lambda f: f.pin(None), "unknown part"),  # type: ignore[arg-type]
    "pinned twice": (lambda f: f.pin("left_foot"), "pinned already"),
    "unpinned what was not": (lambda f: f.unpin("head"), "not pinned"),
    "pin gain above 1": (lambda f: f.pin("head", gain=1.1), "1.1"),
    "pin gain below 0": (lambda f: f.pin("head", gain=-0.1), "-0.1"),
    "pin gain nan": (lambda f: f.pin("head", gain=NAN), "nan"),
    "pin gain no number": (lambda f: f.pin("head", gain="firm"), "firm"),  # type: ignore[arg-type]
    "pin at a nan": (lambda f: f.pin("head", point=(0, NAN, 0)), "nan"),
    "pin at two numbers": (lambda f: f.pin("head", point=(0, 1)), "three"),
    "pin to nowhere": (lambda f: f.pin("head", to=(0, FAR, 0)), "inf"),
    "pin turned by two numbers": (lambda f: f.pin("head", turn=(0, 1)), "a rotation"),
    "pin turned by a mirror": (lambda f: f.pin("head", turn=np.diag([1.0, 1.0, -1.0])), "a rotation"),
    "follow words": (lambda f: f.follow("head", "there"), "there"),
    "gain of nothing": (lambda f: f.set_gain("balanse", 0.5), "balanse"),
    "gain out of range": (lambda f: f.set_gain("left_foot", 2.0), "2.0"),
    "drag to nan": (lambda f: f.drag("head", to=(0, NAN, 0)), "nan"),
    "drag to infinity": (lambda f: f.drag("head", to=(FAR, 0, 0)), "inf"),
    "drag to words": (lambda f: f.drag("head", to="there"), "there"),
    "drag to two numbers": (lambda f: f.drag("head", to=(1, 2)), "three"),
    "drag nowhere": (lambda f: f.drag("head"), "one of the two"),
    "drag to and by": (lambda f: f.drag("head", to=(0, 1, 0), by=(0, 1, 0)), "one of the two"),
    "no steps": (lambda f: f.drag("head", by=(0, 0, 0), steps=0), "0"),
    "half a step": (lambda f: f.drag("head", by=(0, 0, 0), steps=1.5), "1.5"),  # type: ignore[arg-type]
    "steps that are true": (lambda f: f.drag("head", by=(0, 0, 0), steps=True), "True"),
    "hold by the name of a part": (lambda f: f.hold("head", CentreOfMass(x=0.0)), "head"),
    "hold twice": (lambda f: f.hold("balance", CentreOfMass(x=0.0)), "balance"),
    "hold nothing": (lambda f: f.hold("it", 3.0), "3.0"),  # type: ignore[arg-type]
    "hold a class": (lambda f: f.hold("it", CentreOfMass), "CentreOfMass"),  # type: ignore[arg-type]
    "priority 0": (lambda f: f.hold("it", CentreOfMass(x=0.0), priority=0), "0"),
    "priority 1.5": (lambda f: f.hold("it", CentreOfMass(x=0.0), priority=1.5), "1.5"),  # type: ignore[arg-type]
    "hold gain": (lambda f: f.hold("it", CentreOfMass(x=0.0), gain=3), "3"),
    "release what is not held": (lambda f: f.release("balanse"), "balance"),
    "centre of mass of nothing": (lambda f: CentreOfMass(), "at least one"),
    "centre of mass at nan": (lambda f: CentreOfMass(x=NAN), "nan"),
    "centre of mass at a word": (lambda f: CentreOfMass(x="left"), "left"),  # type: ignore[arg-type]
    "inertia of no axis": (lambda f: Inertia(0.1, axis="w"), "'w'"),
    "inertia below 0": (lambda f: Inertia(-0.1), "-0.1"),
    "inertia nan": (lambda f: Inertia(NAN), "nan"),
    "momentum nan": (lambda f: puppet.AngularMomentum(x=NAN), "nan"),
    "a function that is none": (lambda f: Function(3, 1.0, of=("head",)), "3"),  # type: ignore[arg-type]
    "a function of nothing": (lambda f: Function(distance, 1.0, of=()), "at least one"),
    "a target nan": (lambda f: Function(distance, NAN, of=("head",)), "nan"),
    "a target of words": (lambda f: Function(distance, "near", of=("head",)), "near"),
    "a function of an unknown part": (lambda f: f.hold("it", Function(distance, 0.1, of=("head", "haed"))), "head"),
    "a function of another size": (lambda f: f.hold("it", Function(lambda p: p, 0.1, of=("head",))), "3 values"),
    "a function that gives nan": (lambda f: f.hold("it", Function(lambda p: NAN, 0.1, of=("head",))), "finite"),
    "a function that gives words": (lambda f: f.hold("it", Function(lambda p: "x", 0.1, of=("head",))), "x"),
    "only half": (lambda f: f.only("right_shoulder"), "both"),
    "only an unknown part": (lambda f: f.only("right_shoulder", "right_hnd"), "right_hand"),
    "only one part": (lambda f: f.only("right_hand", "right_hand"), "cannot be both"),
    "a reference of another size": (lambda f: f.reference(np.zeros(5)), "58"),
    "a reference with nan": (lambda f: f.reference(np.full(58, NAN)), "nan"),
    "a reference gain": (lambda f: f.reference(gain=7.0), "7.0"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_and_changes_nothing(name: str) -> None:
    ask, reason = MISTAKES[name]
    figure, other = (Figure(Body.load("person")) for _ in range(2))
    for each in (figure, other):
        each.pin("left_foot")
        each.hold("balance", CentreOfMass(x=0.0))
    with pytest.raises(PuppetError) as error:
        ask(figure)
    assert reason in str(error.value)
    assert set(figure.residuals) == set(other.residuals)
    frames = [each.drag("right_hand", by=(0.0, 0.1, 0.1), steps=3) for each in (figure, other)]
    assert np.array_equal(*frames)


@pytest.mark.parametrize("angles", [np.zeros(3), np.full(58, NAN), "rest", np.zeros((2, 58)), [0.0, "x"]])
def test_no_figure_of_a_wrong_posture(angles: Any) -> None:
    with pytest.raises(PuppetError, match="posture"):
        Figure(Body.load("person"), angles)


@pytest.mark.parametrize("body", ["person", None, 3])
def test_a_figure_needs_a_body(body: Any) -> None:
    with pytest.raises(PuppetError, match="needs a Body"):
        Figure(body)


def test_a_body_without_masses_has_no_centre_of_mass() -> None:
    from tests.figures import DATA

    figure = Figure(Body.load(DATA / "all_orders.yaml"))
    for ask in (
        lambda: figure.centre_of_mass,
        lambda: figure.inertia,
        lambda: figure.hold("it", CentreOfMass(x=0.0)),
        lambda: figure.hold("it", Inertia(0.1)),
        lambda: figure.hold("it", puppet.AngularMomentum()),
    ):
        with pytest.raises(PuppetError, match="no masses"):
            ask()
    figure.drag("left_hand", by=(0.0, 0.01, 0.0))
    assert np.all(np.isfinite(figure.angles))


def test_a_function_that_fails_later_is_told() -> None:
    figure = Figure(Body.load("person"))
    limit = figure.position("head")[1] - 0.02
    figure.hold("it", Function(lambda p: math.sqrt(max(p[1] - limit, 0.0)) if p[1] > limit else NAN, 0.0, of=("head",)))
    with pytest.raises(PuppetError, match="finite"):
        figure.drag("head", by=(0.0, -0.2, 0.0))
