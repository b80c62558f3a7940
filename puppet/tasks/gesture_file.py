"""Gestures read from YAML, and those that come with puppet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from puppet.arguments import listed
from puppet.body import AXES, Body
from puppet.files import shipped, strict_yaml
from puppet.files.strict_yaml import Mistakes, Node
from puppet.scene import SHAPES
from puppet.tasks.bringing import HAND_PARTS, HELD_PARTS, SHOULDER, THING_PLACES, Bring
from puppet.tasks.gesture import CRITICAL, Gesture, Gestures, GestureStep, Need
from puppet.types import Vector

_MAX_STEPS = 1000  # postures of one gesture, its cycles counted
# Keys of a posture beside its joints: where the hand goes; the joint that looks; the one that carries it, if any.
BRING, GAZE, NECK = "bring", "gaze", "neck"
_FOLDER = shipped.folder("gestures")
_MOST_TILT = 170.0


def load_gestures(body: Body, files: Iterable[str | Path] = ()) -> Gestures:
    """The shipped gestures and those of more files; a later one replaces an earlier one of the same name."""
    found, impossible = dict(_shipped(body)), dict(_shipped(body).impossible)
    for path in listed(files, (str, Path)):
        own = read_gestures(body, strict_yaml.read(path))
        found.update(own)
        impossible = {name: why for name, why in impossible.items() if name not in own}
    return Gestures(found, impossible)


@lru_cache(maxsize=16)
def _shipped(body: Body) -> Gestures:
    found: dict[str, Gesture] = {}
    impossible: dict[str, str] = {}
    for path in sorted(_FOLDER.glob("*.yaml")):
        for name, node in strict_yaml.read(path).named_items():
            lack = _lack(body, node)
            if lack:
                impossible[name] = f"the body '{body.name}' cannot do that: {lack}"
            else:
                found[name] = _gesture(body, name, node)
    return Gestures(found, impossible)


def _lack(body: Body, node: Node) -> str:
    """What the body lacks for a gesture; "" if nothing."""
    fields = dict(node.items())
    group = fields["critical"].text()
    if group not in body.groups and group not in CRITICAL:
        return f"it has no group '{group}'"
    for _, posture in fields["postures"].items():
        for joint, angles in posture.items():
            if joint == BRING:
                to = dict(angles.items())["to"].text()
                if to not in (*THING_PLACES, SHOULDER) and body.place(to) is None:
                    return f"it has no place '{to}'"
                continue
            if joint == GAZE and body.gaze is None:
                return "it has no joint that looks"
            if joint == NECK and body.neck is None:
                continue
            joint = _joint_name(body, joint)
            if joint not in body.joint_names:
                return f"it has no joint '{joint}'"
            axes = {AXES[rotation.axis] for rotation in body.joints[body.joint(joint)].rotations}
            missing = sorted({axis for axis, _ in angles.items()} - axes)
            if missing:
                return f"its '{joint}' does not turn about {missing[0]}"
            for axis, value in angles.items():
                lower, upper = np.degrees(body.arrays.limits[body.dof(joint, axis), :2])
                if not lower - 1e-6 <= value.number(-360, 360) <= upper + 1e-6:
                    return f"its '{joint}' does not turn by {value.number(-360, 360):g} degrees about {axis}"
    return ""


def read_gestures(body: Body, root: Node) -> Mapping[str, Gesture]:
    """Gestures from a parsed YAML document."""
    found: dict[str, Gesture] = {}
    mistakes = Mistakes()
    for name, node in root.named_items():
        with mistakes.collect():
            found[name] = _gesture(body, name, node)
    mistakes.raise_any()
    return found


def _gesture(body: Body, name: str, node: Node) -> Gesture:
    fields = node.fields(
        required=("critical", "postures", "sequence"), optional=("words", "looks", "empty", "held", "goal")
    )
    held = _need(fields["held"], ("word",)) if "held" in fields else None
    goal = _need(fields["goal"], ("word", "shapes")) if "goal" in fields else None
    empty = "empty" in fields and fields["empty"].flag()
    if empty and held is not None:
        raise fields["empty"].error("a hand that is to hold something is not empty")
    if held is not None and goal is not None and held.word == goal.word:
        raise fields["goal"].error("'held' and 'goal' need different words, or a script could not tell them apart")
    postures = {key: _posture(body, entry, held, goal) for key, entry in fields["postures"].named_items()}
    steps = _sequence(fields["sequence"], postures)
    if not steps:
        raise fields["sequence"].error("a gesture needs at least one posture")
    words = fields["words"].text() if "words" in fields else name.capitalize()
    looks = fields["looks"].flag() if "looks" in fields else True
    critical = fields["critical"].choice((*body.groups, *CRITICAL), "group")
    return Gesture(name, words, critical, tuple(steps), looks, empty, held, goal)


def _need(node: Node, optional: tuple[str, ...]) -> Need:
    fields = node.fields(optional=optional)
    shapes = [entry.choice(SHAPES, "shape") for entry in fields["shapes"].sequence()] if "shapes" in fields else []
    return Need(fields["word"].name() if "word" in fields else "", tuple(shapes))


def _posture(body: Body, node: Node, held: Need | None, goal: Need | None) -> GestureStep:
    angles: list[tuple[str, str, float]] = []
    bring = None
    for key, entry in node.items():
        if key == BRING:
            bring = _bring(body, entry, held, goal)
            continue
        joint = _joint_name(body, key)
        if key == NECK and body.neck is None:
            continue  # the head alone has to do
        if joint not in body.joint_names:
            raise entry.key.error(f"unknown joint '{key}'; the body '{body.name}' has {', '.join(body.joint_names)}")
        turns = tuple(AXES[rotation.axis] for rotation in body.joints[body.joint(joint)].rotations)
        for axis, value in entry.fields(optional=turns).items():
            dof = body.dof(joint, axis)
            lower, upper = (math.degrees(limit) for limit in body.arrays.limits[dof, :2])
            angles.append((joint, axis, math.radians(value.number(round(lower, 6), round(upper, 6)))))
    return GestureStep(tuple(angles), bring=bring)


def _joint_name(body: Body, key: str) -> str:
    """The joint that a key of a posture names: `gaze` is the one that looks, `neck` the one that carries it."""
    named = {GAZE: body.gaze.joint if body.gaze is not None else None, NECK: body.neck}.get(key)
    return key if named is None else body.joint_names[named]


def _bring(body: Body, node: Node, held: Need | None, goal: Need | None) -> Bring:
    of_hand, of_held = ("palm", "fingers", "spin"), ("tilt", "heading", "over")
    fields = node.fields(required=("part", "to"), optional=("offset", "loose", *of_hand, *of_held))
    part = fields["part"].choice((*HAND_PARTS, *HELD_PARTS), "part")
    to = fields["to"].choice((*body.places, "eyes", SHOULDER, *THING_PLACES), "place")
    if part in HELD_PARTS and held is None:
        raise fields["part"].error(f"a '{part}' is that of a held thing: the gesture needs the field 'held'")
    if to in THING_PLACES and goal is None:
        raise fields["to"].error(f"'{to}' is a place of another thing: the gesture needs the field 'goal'")
    for key in of_hand if part in HELD_PARTS else of_held:
        if key in fields:
            raise fields[key].key.error(f"'{key}' has no meaning for the {part}")
    numbers = {
        key: fields[key].number(*bounds)
        for key, bounds in (("over", (0, 1)), ("spin", (0, 180)), ("tilt", (0, _MOST_TILT)), ("loose", (0, 180)))
        if key in fields
    }
    vectors = {key: _vector(fields[key]) for key in ("offset", "palm", "fingers") if key in fields}
    for key in ("palm", "fingers"):
        if key in vectors and not any(vectors[key]):
            raise fields[key].error("expected a direction, found a zero vector")
    heading = Bring.heading
    if "heading" in fields:
        best, least, most = fields["heading"].vector(3, -360, 360)
        if not least <= best <= most:
            raise fields["heading"].error("expected the best heading, the least and the most, in degrees")
        heading = best, least, most
    return replace(Bring(part, to, heading=heading), **numbers, **vectors)  # type: ignore[arg-type]


def _vector(node: Node) -> Vector:
    x, y, z = node.vector(3, -10, 10)
    return x, y, z


def _sequence(node: Node, postures: Mapping[str, GestureStep]) -> list[GestureStep]:
    steps: list[GestureStep] = []
    for entry in node.sequence():
        if len(steps) >= _MAX_STEPS:
            raise entry.error(f"a gesture of more than {_MAX_STEPS} postures")
        if not entry.is_mapping:
            steps.append(postures[entry.choice(postures, "posture")])
            continue
        fields = entry.fields(required=("postures",), optional=("pace", "cycles"))
        pace = fields["pace"].number(0.01, 100.0) if "pace" in fields else 1.0
        cycles = fields["cycles"].integer(1, _MAX_STEPS) if "cycles" in fields else 1
        names = [item.choice(postures, "posture") for item in fields["postures"].sequence()]
        if len(steps) + cycles * len(names) > _MAX_STEPS:
            raise entry.error(f"a gesture of more than {_MAX_STEPS} postures")
        steps += [replace(postures[name], pace=pace, cyclic=cycles > 1) for _ in range(cycles) for name in names]
    return steps
