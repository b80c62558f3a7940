"""The course of a whole body: where its feet, its root and its mass are to be in each frame, and what its other joints
do meanwhile; and the postures in which the whole-body solver follows it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from puppet.body import Body, centres_of_mass, joint_transforms
from puppet.command import DEFAULT_FPS
from puppet.geometry import minimum_jerk
from puppet.locomotion.flight import conserve_momentum
from puppet.locomotion.legs import KNEE_LEFT, Legs
from puppet.solver import PartCourse, follow_courses
from puppet.types import Floats

ON_COURSE = 2e-4  # body heights, radians: a foot that is off its course by less is on it
ROOT_GIVES = 1.0  # how much the root gives where it would be off
LOOSE = 3  # the priority of hands that are led somewhere, but need not be there
_ROUNDS = 3  # in which the root is moved until the mass is on its course
SWAYS = 1.15  # how much of what is missing a round makes up for: feet that stand do not go along


@dataclass(frozen=True, eq=False)
class FootCourse:
    """A foot in each frame."""

    places: Floats  # (frames, 3), of the ankle
    turns: Floats  # (frames, 3, 3)
    toes: Floats  # (frames,), radians by which they are bent up against the foot
    lands: Floats  # (frames,), 1 where it stands on the floor, 0 in the air


@dataclass(frozen=True, eq=False)
class BodyCourse:
    """A whole body in each frame."""

    feet: tuple[FootCourse, FootCourse]
    root: Floats  # (frames, 3), where the root's joint is; with a mass, x and z are found, and y is as high as legs let
    turns: Floats  # (frames, 3, 3), of the root
    mass: Floats | None  # (frames, 2), x and z of the centre of mass, or all three; None: the root is where it is
    angles: Mapping[int, Floats] = field(default_factory=dict)  # (frames,) of degrees of freedom that it moves itself
    hands: tuple[PartCourse, ...] = ()  # what hands hold on to
    flies: NDArray[np.bool_] | None = None  # (frames,), where nothing touches the floor: the mass is just on its course
    eases: int = 2  # frames over which the height of a root that legs hold back is eased

    @property
    def frames(self) -> int:
        return len(self.root)


def follow_body(body: Body, legs: Legs, start: Floats, course: BodyCourse, rests: Floats) -> tuple[Floats, Floats]:
    """The postures (frames, dofs) of a course that begins in a posture, and by how much feet and hands miss theirs, a
    row a frame.

    rests (frames, dofs): what all joints do that the course does not move.
    """
    frames = course.frames
    references = np.concatenate([start[None], rests])
    for dof, angles in course.angles.items():
        references[1:, dof] = angles
    for foot, own in zip(legs.feet, course.feet, strict=True):
        if foot.toes >= 0:
            references[1:, body.rotation_dofs[foot.toes].start] = -own.toes
    centre, moves = np.array(body.joints[0].centre), list(body.translation_dofs)
    root = np.array(course.root)
    serving = legs.joints | frozenset(j for hand in course.hands for j in _limb_of(body, hand.joint))
    feet = [PartCourse(foot.joint, own.places, own.turns) for foot, own in zip(legs.feet, course.feet, strict=True)]
    led = [*feet, *course.hands]
    postures, misses = references[1:], np.zeros((frames, len(led) + 1))
    for _ in range(_ROUNDS if course.mass is not None else 1):
        if course.mass is not None and course.mass.shape[1] == 2:
            root[:, 1] = np.minimum(course.root[:, 1], _highest(legs, course, root))
        references[1:, moves] = root - centre
        postures, misses = follow_courses(
            body, references, serving, [*led, PartCourse(0, root, course.turns, priority=2)]
        )
        if course.mass is not None:
            axes = [0, 2] if course.mass.shape[1] == 2 else [0, 1, 2]
            root[:, axes] += SWAYS * (course.mass - mass_centres(body, postures)[:, axes])
    stand = np.concatenate([misses[own.lands >= 1.0, n] for n, own in enumerate(course.feet)])
    if course.flies is None and stand.max(initial=0.0) > ON_COURSE * body.height:
        gives = PartCourse(0, root, course.turns, priority=2, gives=ROOT_GIVES)
        postures, misses = follow_courses(body, references, serving, [*led, gives])
    if course.flies is not None and course.mass is not None:
        off = course.mass - mass_centres(body, postures)
        postures[:, moves] += np.where(course.flies[:, None], off, 0.0)
        postures = conserve_momentum(body, start, postures, course.flies)
    for n, own in enumerate(course.feet):  # in the air a foot need not be anywhere
        misses[:, n] *= own.lands
    asked = [n for n, hand in enumerate(course.hands, 2) if hand.priority < LOOSE]
    return postures, misses[:, [0, 1, *asked]]


def _highest(legs: Legs, course: BodyCourse, root: Floats) -> Floats:
    """How high the root can be at most, (frames,), so that both legs reach down to their feet; eased."""
    highest = np.full(len(root), np.inf)
    for foot, own in zip(legs.feet, course.feet, strict=True):
        hip = np.einsum("nab,b->na", course.turns, foot.hip)
        away = np.linalg.norm(root[:, [0, 2]] + hip[:, [0, 2]] - own.places[:, [0, 2]], axis=1)
        reach = KNEE_LEFT * foot.reach
        rise = np.sqrt(np.maximum(reach * reach - away * away, 0.04 * reach * reach))
        highest = np.minimum(highest, own.places[:, 1] + rise - hip[:, 1])
    highest = np.minimum(highest, course.root[:, 1])
    width, half = course.eases, course.eases // 2
    padded = np.concatenate([np.repeat(highest[:1], width), highest, np.repeat(highest[-1:], width)])
    lowest = np.min([padded[n : n + len(highest)] for n in range(2 * width + 1)], axis=0)
    return running_mean(running_mean(lowest, half), width - half)


def frames_for(usual: float, frames: int | None, fps: float, fastest: float) -> int:
    """How many frames something takes which people take so many frames for, at DEFAULT_FPS; or the frames that it was
    told to take, but no fewer than a part of the usual ones, in which knees and feet do not leap."""
    own = usual * fps / DEFAULT_FPS
    return round(own) if frames is None else max(frames, math.ceil(fastest * own))


def eased(u: Floats) -> Floats:
    """From 0 to 1 with rest at both ends, and no farther."""
    return minimum_jerk(np.clip(u, 0.0, 1.0))


def running_mean(values: Floats, width: int) -> Floats:
    """The mean over `width` frames to both sides; the ends stay."""
    if width < 1:
        return values
    padded = np.concatenate([np.repeat(values[:1], width, axis=0), values, np.repeat(values[-1:], width, axis=0)])
    sums = np.concatenate([np.zeros_like(padded[:1]), np.cumsum(padded, axis=0)])
    return np.asarray((sums[2 * width + 1 :] - sums[: -2 * width - 1]) / (2 * width + 1))


def mass_centres(body: Body, postures: Floats) -> Floats:
    """The centres of mass of postures, (n, 3)."""
    return centres_of_mass(body, joint_transforms(body, postures))


def _limb_of(body: Body, joint: int) -> tuple[int, ...]:
    return next((limb.joints for limb in body.limbs.values() if joint in limb.joints), ())
