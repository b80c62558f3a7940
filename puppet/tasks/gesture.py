"""General tasks as data: postures and cycles in YAML, written for the left hand and mirrored for the right one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from puppet.body import AXES, Body
from puppet.files import shipped, strict_yaml
from puppet.files.strict_yaml import Mistakes, Node
from puppet.tasks.motion import AtAngles

MAX_STEPS = 1000  # postures of one gesture, its cycles counted
_FOLDER = shipped.folder("gestures")


@dataclass(frozen=True)
class Step:
    """One posture of a gesture: (joint, axis, radians), and how long it takes beside its task's speed."""

    angles: tuple[tuple[str, str, float], ...]
    pace: float = 1.0


@dataclass(frozen=True)
class Gesture:
    """A general task (Section 6.1.3). `words` tell the task in the report; `critical` is a group of the body."""

    name: str
    words: str
    critical: str
    steps: tuple[Step, ...]
    looks: bool  # whether the head follows the hand

    def critical_joints(self, body: Body, hand: str) -> frozenset[int]:
        return frozenset(body.groups[_for_hand(self.critical, hand)])

    def angles(self, body: Body, hand: str, step: Step) -> AtAngles:
        """A step's posture in a body's degrees of freedom, inside its limits."""
        flip = hand == "right"
        found = []
        for joint, axis, angle in step.angles:
            dof = body.dof(_for_hand(joint, hand), axis)
            lower, upper = body.arrays.limits[dof, :2]
            value = -angle if flip and axis != "x" else angle  # a mirror keeps turns about its normal
            found.append((dof, min(max(value, float(lower)), float(upper))))
        return AtAngles(tuple(found))


def load_gestures(body: Body, files: Iterable[str | Path] = ()) -> Mapping[str, Gesture]:
    """The gestures that come with the package, then those of more files; a later one replaces an earlier one."""
    found: dict[str, Gesture] = {}
    for path in [*sorted(_FOLDER.glob("*.yaml")), *files]:
        found.update(read_gestures(body, strict_yaml.read(path)))
    return found


def read_gestures(body: Body, root: Node) -> Mapping[str, Gesture]:
    """Gestures from a parsed YAML document."""
    found: dict[str, Gesture] = {}
    mistakes = Mistakes()
    for name, node in root.named_items():
        with mistakes.kept():
            found[name] = _gesture(body, name, node)
    mistakes.tell()
    return found


def _gesture(body: Body, name: str, node: Node) -> Gesture:
    fields = node.fields(required=("critical", "postures", "sequence"), optional=("words", "looks"))
    postures = {key: _posture(body, entry) for key, entry in fields["postures"].named_items()}
    steps = _sequence(fields["sequence"], postures)
    if not steps:
        raise fields["sequence"].error("a gesture needs at least one posture")
    words = fields["words"].text() if "words" in fields else name.capitalize()
    looks = fields["looks"].flag() if "looks" in fields else True
    return Gesture(name, words, fields["critical"].choice(body.groups, "group"), tuple(steps), looks)


def _posture(body: Body, node: Node) -> tuple[tuple[str, str, float], ...]:
    angles = []
    for joint, entry in node.items():
        if joint not in body.joint_names:
            raise entry.key.error(f"unknown joint '{joint}'; the body '{body.name}' has {', '.join(body.joint_names)}")
        for axis, value in entry.fields(optional=tuple(AXES)).items():
            dof = body.dof(joint, axis)
            lower, upper = (math.degrees(limit) for limit in body.arrays.limits[dof, :2])
            angles.append((joint, axis, math.radians(value.number(round(lower, 6), round(upper, 6)))))
    return tuple(angles)


def _sequence(node: Node, postures: Mapping[str, tuple[tuple[str, str, float], ...]]) -> list[Step]:
    steps: list[Step] = []
    for entry in node.sequence():
        if not entry.is_mapping:
            steps.append(Step(postures[entry.choice(postures, "posture")]))
            continue
        fields = entry.fields(required=("postures",), optional=("pace", "cycles"))
        pace = fields["pace"].number(0.01, 100.0) if "pace" in fields else 1.0
        cycles = fields["cycles"].integer(1, MAX_STEPS) if "cycles" in fields else 1
        names = [item.choice(postures, "posture") for item in fields["postures"].sequence()]
        steps += [Step(postures[name], pace) for _ in range(cycles) for name in names]
        if len(steps) > MAX_STEPS:
            raise entry.error(f"a gesture of more than {MAX_STEPS} postures")
    return steps


def _for_hand(name: str, hand: str) -> str:
    """A name of a left part as it is called on a hand's side."""
    return name.replace("left", hand, 1) if name.startswith("left") else name
