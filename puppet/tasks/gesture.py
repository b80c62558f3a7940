"""Gestures, the general tasks: postures and cycles, written for a left hand, mirrored for mirrored ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from puppet.body import Body, Limb
from puppet.errors import PuppetError
from puppet.tasks.bringing import Bring
from puppet.tasks.motion import AtAngles, AtGesture

CRITICAL = ("arm", "arm and head", "arm and torso")  # of the hand that does it, on every body


@dataclass(frozen=True)
class GestureStep:
    """One posture of a gesture."""

    angles: tuple[tuple[str, str, float], ...]  # (joint, axis, radians)
    pace: float = 1.0  # how long it takes, by the speed of its task
    bring: Bring | None = None  # where the hand goes; None: the angles say all
    cyclic: bool = False  # it is one of a round that is gone through several times


@dataclass(frozen=True)
class Need:
    """A thing that a gesture cannot do without."""

    word: str = ""  # that stands before its name in scripts, as in `drink from cup`
    shapes: tuple[str, ...] = ()  # that are looked for where no name is told


@dataclass(frozen=True)
class Gesture:
    """A general task (Section 6.1.3)."""

    name: str
    words: str  # for the report
    critical: str  # a group of the body, or one of CRITICAL
    steps: tuple[GestureStep, ...]
    looks: bool  # whether the head follows the hand
    empty: bool = False  # whether the hand must not hold anything
    held: Need | None = None  # what it does with what the hand holds
    goal: Need | None = None  # what it does to a thing of the scene

    @property
    def things(self) -> tuple[Need, ...]:
        """The things that a script may name, in that order."""
        return tuple(need for need in (self.held, self.goal) if need is not None)

    def critical_joints(self, body: Body, hand: str) -> frozenset[int]:
        if self.critical not in body.groups:
            limb = body.limb(hand)
            head = frozenset([body.gaze.joint]) if self.critical == "arm and head" and body.gaze else frozenset()
            told = {body.joint(name) for step in self.steps for name, _, _ in step.angles}
            head |= told & {body.neck} if head else frozenset()
            return head.union(limb.joints, limb.trunk if self.critical == "arm and torso" else ())
        counterparts = self._counterparts(body, hand)
        return frozenset(counterparts[joint] for joint in body.groups[self.critical])

    def goal_of(self, body: Body, hand: str, step: GestureStep, thing: str | None = None) -> AtAngles | AtGesture:
        """A step's posture in a body's degrees of freedom, inside its limits. Raises PuppetError for a hand whose limb
        cannot do it."""
        angles = self._angles(body, hand, step)
        return AtAngles(angles) if step.bring is None else AtGesture(step.bring, thing, angles)

    def _angles(self, body: Body, hand: str, step: GestureStep) -> tuple[tuple[int, float], ...]:
        flip = body.limb(hand).mirrored
        counterparts = self._counterparts(body, hand)
        found = []
        for name, axis, angle in step.angles:
            joint = body.joint_names[counterparts[body.joint(name)]]
            dof = body.dof(joint, axis)
            lower, upper = body.arrays.limits[dof, :2]
            value = -angle if flip and axis != "x" else angle  # rotations about the mirror's normal stay
            found.append((dof, min(max(value, float(lower)), float(upper))))
        return tuple(found)

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
        critical = frozenset(body.groups.get(self.critical, ()))
        return next((limb for limb in body.limbs.values() if not limb.mirrored and critical & {*limb.joints}), None)


class Gestures(Mapping[str, Gesture]):
    """The gestures that a body can do, by name, and the reasons why it cannot do the others."""

    def __init__(self, found: Mapping[str, Gesture], impossible: Mapping[str, str]) -> None:
        self._found, self.impossible = dict(found), dict(impossible)

    @property
    def names(self) -> frozenset[str]:
        """Of all gestures, possible or not."""
        return frozenset(self._found) | frozenset(self.impossible)

    @property
    def thing_words(self) -> dict[str, tuple[str, ...]]:
        """The words before the names of things that each gesture takes, in order."""
        return {name: tuple(need.word for need in g.things) for name, g in self._found.items() if g.things}

    @property
    def cyclic(self) -> frozenset[str]:
        """Those that go on in cycles, and so can go on for longer."""
        return frozenset(name for name, gesture in self._found.items() if any(step.cyclic for step in gesture.steps))

    def __getitem__(self, name: str) -> Gesture:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
