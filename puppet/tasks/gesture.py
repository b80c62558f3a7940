"""Gestures, the general tasks: postures and cycles in YAML, for a left hand, mirrored for mirrored ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from puppet.body import AXES, Body, Limb
from puppet.errors import PuppetError
from puppet.files import shipped, strict_yaml
from puppet.files.strict_yaml import Mistakes, Node
from puppet.tasks.motion import AtAngles

MAX_STEPS = 1000  # postures of one gesture, its cycles counted
_FOLDER = shipped.folder("gestures")


@dataclass(frozen=True)
class GestureStep:
    """One posture of a gesture."""

    angles: tuple[tuple[str, str, float], ...]  # (joint, axis, radians)
    pace: float = 1.0  # how long it takes, by the speed of its task


@dataclass(frozen=True)
class Gesture:
    """A general task (Section 6.1.3)."""

    name: str
    words: str  # for the report
    critical: str  # a group of the body
    steps: tuple[GestureStep, ...]
    looks: bool  # whether the head follows the hand

    def critical_joints(self, body: Body, hand: str) -> frozenset[int]:
        counterparts = self._counterparts(body, hand)
        return frozenset(counterparts[joint] for joint in body.groups[self.critical])

    def angles(self, body: Body, hand: str, step: GestureStep) -> AtAngles:
        """A step's posture in a body's degrees of freedom, inside its limits. Raises PuppetError for a hand whose limb
        cannot do it."""
        flip = body.limb(hand).mirrored
        counterparts = self._counterparts(body, hand)
        found = []
        for name, axis, angle in step.angles:
            joint = body.joint_names[counterparts[body.joint(name)]]
            dof = body.dof(joint, axis)
            lower, upper = body.arrays.limits[dof, :2]
            value = -angle if flip and axis != "x" else angle  # rotations about the mirror's normal stay
            found.append((dof, min(max(value, float(lower)), float(upper))))
        return AtAngles(tuple(found))

    def _counterparts(self, body: Body, hand: str) -> tuple[int, ...]:
        """For each joint that the gesture may name, the one that moves when this hand does it.

        A gesture is written for the joints of one limb. A limb that mirrors that one uses the mirror images, any other
        limb its own joints, from the first to the last.
        """
        limb = body.limb(hand)
        written = self._written_for(body)
        if written is None or written is limb or (limb.mirrors in (written.name, None) and limb.mirrored):
            return body.mirror_joints if limb.mirrored else tuple(range(len(body.joints)))
        if len(limb.joints) != len(written.joints):
            raise PuppetError(f"the {limb.words} cannot do that: its limb has other joints than the {written.words}'s")
        found = list(range(len(body.joints)))
        for own, other in zip(limb.joints, written.joints, strict=True):
            found[other] = own
        return tuple(found)

    def _written_for(self, body: Body) -> Limb | None:
        """The limb that the gesture is written for; None for a gesture without one, such as a nod."""
        critical = frozenset(body.groups[self.critical])
        return next((limb for limb in body.limbs.values() if not limb.mirrored and critical & {*limb.joints}), None)


class Gestures(Mapping[str, Gesture]):
    """The gestures that a body can do, by name, and the reasons why it cannot do the others."""

    def __init__(self, found: Mapping[str, Gesture], impossible: Mapping[str, str]) -> None:
        self._found, self.impossible = dict(found), dict(impossible)

    @property
    def names(self) -> frozenset[str]:
        """Of all gestures, possible or not."""
        return frozenset(self._found) | frozenset(self.impossible)

    def __getitem__(self, name: str) -> Gesture:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def load_gestures(body: Body, files: Iterable[str | Path] = ()) -> Gestures:
    """The shipped gestures and those of more files; a later one replaces an earlier one of the same name."""
    found, impossible = dict(_shipped(body)), dict(_shipped(body).impossible)
    for path in files:
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
    if group not in body.groups:
        return f"it has no group '{group}'"
    for _, posture in fields["postures"].items():
        for joint, angles in posture.items():
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
        turns = tuple(AXES[rotation.axis] for rotation in body.joints[body.joint(joint)].rotations)
        for axis, value in entry.fields(optional=turns).items():
            dof = body.dof(joint, axis)
            lower, upper = (math.degrees(limit) for limit in body.arrays.limits[dof, :2])
            angles.append((joint, axis, math.radians(value.number(round(lower, 6), round(upper, 6)))))
    return tuple(angles)


def _sequence(node: Node, postures: Mapping[str, tuple[tuple[str, str, float], ...]]) -> list[GestureStep]:
    steps: list[GestureStep] = []
    for entry in node.sequence():
        if not entry.is_mapping:
            steps.append(GestureStep(postures[entry.choice(postures, "posture")]))
            continue
        fields = entry.fields(required=("postures",), optional=("pace", "cycles"))
        pace = fields["pace"].number(0.01, 100.0) if "pace" in fields else 1.0
        cycles = fields["cycles"].integer(1, MAX_STEPS) if "cycles" in fields else 1
        names = [item.choice(postures, "posture") for item in fields["postures"].sequence()]
        steps += [GestureStep(postures[name], pace) for _ in range(cycles) for name in names]
        if len(steps) > MAX_STEPS:
            raise entry.error(f"a gesture of more than {MAX_STEPS} postures")
    return steps

