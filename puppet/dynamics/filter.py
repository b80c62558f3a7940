"""A reference motion in, one that contact forces can really cause out: the dynamics filter of Nakamura and Yamane.

Frame by frame and in substeps, see puppet.kernels.dynamics_filter. Forces and torques of a frame are found from it and
its two neighbours, by inverse dynamics, so that they belong to what anyone can measure in the motion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from puppet.body import EARTH_GRAVITY, Body, angular_momenta, centres_of_mass, joint_transforms
from puppet.dynamics.contacts import (
    GROUND,
    GripBar,
    Hold,
    Surface,
    contact_plan,
    contact_table,
    falling_points,
    level_heights,
    point_places,
)
from puppet.dynamics.gains import filter_settings
from puppet.dynamics.homecoming import Homecoming
from puppet.dynamics.reference import MotionCurve, differences, sample, smoothed, spread
from puppet.errors import PuppetError
from puppet.kernels.dynamics_model import (
    CARRIED_COLUMNS,
    CLOCK,
    DOES,
    FOOT_COLUMNS,
    FORCE,
    LONG_AGO,
    NO_STEP,
    PLACE,
    PLAN_COLUMNS,
    PLAN_NORMAL,
    SINCE,
    STATE_COLUMNS,
    TOUCHES,
)
from puppet.kernels.loader import kernels
from puppet.solver import figure_model
from puppet.types import Flags, Floats, Ints

SUBSTEP = 1.0 / 360.0  # seconds, at most
STIFFNESS = 0.02  # what it costs to move any joint otherwise than wanted, beside the inertia that it carries
ROUGH = 0.012  # heights by which soles of recordings miss the ground
JOLT = 0.2  # of the weight, by which a force is outside its cone: no noise is as large
UNBORNE, FALLING = 0.3, 0.6  # seconds without contact; the part of gravity by which one who falls accelerates at least
ASKED = 0.5  # seconds before a fall in which its reason is looked for
CUT = 6.0  # heights a second: whose joints move faster in the mean is somewhere else at once
# The first frame of a recording is somewhere else, too, where the second one is so many heights away in the mean, so
# many times as far as the third one from there, and so many times gravity is needed.
_LEAP, _TIMES, _STRENGTH = 0.08, 2.0, 4.0


@dataclass(frozen=True)
class Filtered:
    """What comes out of the filter, in the body's lengths and for a body of mass 1."""

    angles: Floats  # (frames, dofs)
    points: Floats  # (points, POINT_COLUMNS): those of contact, then, if it fell, those that it fell on
    forces: Floats  # (frames, points, 3)
    torques: Floats  # (frames, dofs): what is left over at a free root, then those of the joints
    fell: int | None  # the frame in which it has lost its balance
    # what the reference took before that which no contact gives: of the weight, and of weight times height
    asked: tuple[float, float] | None = None


def check_body(body: Body) -> None:
    """Physics needs to know how large and heavy a body is, and that it stands on something."""
    missing = [
        what
        for what, there in (
            ("free root ('root: free')", body.free_root),
            ("masses", any(joint.mass > 0.0 for joint in body.joints)),
            ("its height in metres ('metres')", body.metres is not None),
            ("its mass ('kilograms')", body.kilograms is not None),
            ("points of contact ('contacts')", any(joint.contacts for joint in body.joints)),
        )
        if not there
    ]
    if missing:
        raise PuppetError(
            f"the body '{body.name}' cannot be moved by physics: it has no {', no '.join(missing)}; "
            "'person' has all of it"
        )


def gravity_of(body: Body) -> float:
    """In the body's lengths a second squared."""
    return EARTH_GRAVITY / body.metres_a_unit


def newtons(body: Body) -> float:
    """One unit of force, mass 1 times the body's length a second squared, in newtons."""
    return (body.kilograms or 1.0) * body.metres_a_unit


class MotionFilter:
    """A figure that follows a reference motion as contact forces let it, way by way from frame to frame."""

    def __init__(self, body: Body, fps: float, friction: float) -> None:
        check_body(body)
        self.body, self.points, self.fallen = body, contact_table(body), False
        self.substeps = max(1, math.ceil(1.0 / (fps * SUBSTEP) - 1e-9))
        model, mobility = figure_model(body)
        self._model = (model.joints, model.links, model.corners, model.velocities, model.chains, 1)
        self._mobility = mobility / (1.0 + STIFFNESS * mobility)
        self._ends, self._upper = ends_of(body), upper_of(body)
        self._settings = filter_settings(1.0 / (fps * self.substeps), gravity_of(body), friction, body.height)
        self._state = np.zeros((len(self.points), STATE_COLUMNS))
        self._feet, self._carried = np.zeros((len(self._ends), FOOT_COLUMNS)), np.zeros(CARRIED_COLUMNS)
        self._feet[:, CLOCK], self._feet[:, SINCE] = NO_STEP, LONG_AGO
        # the way to the last frame: velocities, bearing and plan of points, pushes
        self._way = np.zeros(body.dofs), np.zeros((len(self.points), 1 + PLAN_COLUMNS)), np.zeros((len(body.joints), 3))
        self._now: tuple[Floats, Floats, Floats] | None = None  # angles, local rotations, speeds
        self._ground = _all_on_the_ground(len(self.points))  # what points do in a fall

    @property
    def acting(self) -> tuple[Floats, Floats]:
        """Where the points of contact are, and the forces on them, as parts of the weight."""
        places, forces = self._state[:, PLACE : PLACE + 3], self._state[:, FORCE : FORCE + 3]
        return places.copy(), forces / gravity_of(self.body)

    def advance(
        self, first: Floats, curve: MotionCurve, plan: Floats, leaving: Floats, pushes: Floats
    ) -> tuple[Floats, Floats, int]:
        """A frame less than plan has ways, (frames, dofs), after the posture `first` if it has not begun; which points
        bore before each, (frames, points); and in which of them it has lost its balance, or -1. Points that it falls on
        are added to `points` then."""
        if self._now is None:
            self._now = first.copy(), curve.locals[0].copy(), curve.speeds[0].copy()
        frames, done, lost, loses = len(plan) - 1, 0, -1, False
        moved, bearing = np.zeros((frames, self.body.dofs)), np.zeros((frames, len(self.points)))
        if not self.fallen:
            done, loses = kernels().dynamics_filter(
                *self._model, self._mobility, self.points, plan, curve.postures, curve.locals, curve.speeds,
                curve.rates, leaving, pushes, self._ends, self._upper, self._settings, *self._now, self._state,
                self._feet, self._carried, *self._way, moved, bearing,
            )  # fmt: skip
            if loses:
                self.fallen, lost = True, max(0, done - 1)
                more = falling_points(self.body)
                self.points = np.concatenate([self.points, more])
                bearing = np.concatenate([bearing, np.zeros((frames, len(more)))], axis=1)
                way, way_points, way_pushes = self._way
                self._ground = _all_on_the_ground(len(self.points))
                fallen = np.concatenate([np.zeros((len(more), 1)), self._ground[0, : len(more)]], axis=1)
                self._way = way, np.concatenate([way_points, fallen]), way_pushes
        if self.fallen:
            kernels().dynamics_fall(
                *self._model, self._mobility, self.points, self._ground, pushes, done, int(loses), self.substeps,
                self._settings, *self._now, *self._way, moved, bearing,
            )  # fmt: skip
        return moved, bearing, lost


def _all_on_the_ground(points: int) -> Floats:
    """A plan of one way, (1, points, PLAN_COLUMNS), in which all of them may touch the ground."""
    found = np.zeros((1, points, PLAN_COLUMNS))
    found[:, :, DOES], found[:, :, PLAN_NORMAL + 1] = TOUCHES, 1.0
    return found


def filter_angles(
    body: Body, angles: Floats, fps: float, friction: float, pushes: Floats | None = None,
    surfaces: Sequence[Surface | GripBar] = (GROUND,), rough: bool = False, holds: Sequence[Hold] = (),
) -> Filtered:  # fmt: skip
    """The filter itself. pushes (frames, joints, 3): forces on mass centres of segments, from each frame to the next;
    surfaces: what can be touched, the ground at 0; rough: a recording, whose soles are not always where the ground
    is; holds: parts that hold on to something."""
    moving, frames = MotionFilter(body, fps, friction), len(angles)
    if pushes is None:
        pushes = np.zeros((frames, len(body.joints), 3))
    if frames < 2:
        nothing = np.zeros((frames, len(moving.points), 3))
        return Filtered(angles.copy(), moving.points, nothing, np.zeros_like(angles), None)
    given, angles = angles, smoothed(body, angles, fps)
    shown = rough or angles is not given  # as it seems, frame by frame, and not as it is
    angles, transforms, plan = _on_ground(body, moving.points, angles, fps, surfaces, rough, holds)
    jolts = _jolts(body, transforms, plan, fps, friction) if rough else np.zeros(frames, dtype=bool)
    if jolts.any():
        angles = spread(body, angles, fps, jolts)
        angles, transforms, plan = _on_ground(body, moving.points, angles, fps, surfaces, rough, holds)
    leaving = leaving_table(body, transforms, plan, fps, len(plan) if shown else 1)
    first = angles[0].copy()
    lowest = point_places(moving.points, transforms[:1])[0, :, 1].min()
    first[1] += max(0.0, -float(lowest))  # nobody begins below the ground
    curve = sample(body, angles, fps, moving.substeps)
    moved, bearing, lost = moving.advance(first, curve, np.concatenate([plan, plan[-1:]]), leaving, pushes)
    found = np.concatenate([first[None], moved])
    forces, torques = explain(body, found, fps, friction, moving.points, plan, bearing, pushes)
    if not moving.fallen:
        return Filtered(found, moving.points, forces, torques, None)
    asked = _asked(body, angles, fps, friction, plan, pushes, lost + 1)
    return Filtered(found, moving.points, forces, torques, lost + 1, asked)


def _asked(
    body: Body, angles: Floats, fps: float, friction: float, plan: Floats, pushes: Floats, fell: int
) -> tuple[float, float]:
    """What a reference takes shortly before a frame that no contact gives: a force, of the weight, and a moment, of
    weight times height."""
    touches = np.asarray(plan[:, :, DOES] > 0.0, dtype=np.float64)
    _, torques = explain(body, angles, fps, friction, contact_table(body), plan, touches, np.zeros_like(pushes))
    before = torques[max(1, fell - round(ASKED * fps)) : max(2, min(fell + 1, len(torques) - 1))]
    root = len(body.dofs_of([0]))
    force, moment = (float(np.linalg.norm(part, axis=1).max()) for part in (before[:, :3], before[:, 3:root]))
    return force / gravity_of(body), moment / (gravity_of(body) * body.height)


def _on_ground(
    body: Body, points: Floats, angles: Floats, fps: float, surfaces: Sequence[Surface | GripBar], rough: bool,
    holds: Sequence[Hold],
) -> tuple[Floats, Floats, Floats]:  # fmt: skip
    """A reference on the ground, which is levelled if it is a recording, the transforms of its joints and the plan of
    what touches."""
    transforms = joint_transforms(body, angles)
    places = point_places(points, transforms)
    if rough:
        ground = level_heights(body, places, fps)
        angles = angles.copy()
        angles[:, 1] -= ground
        transforms[:, :, 1] -= ground[:, None]
        places[:, :, 1] -= ground[:, None]
    return angles, transforms, contact_plan(body, places, fps, surfaces, ROUGH if rough else 0.0, holds)


def _jolts(body: Body, transforms: Floats, plan: Floats, fps: float, friction: float) -> Flags:
    """The frames (frames,) in which something touches and the centre of mass is accelerated as no ground can do it: the
    recording is wrong there."""
    centres, weight = centres_of_mass(body, transforms), gravity_of(body)
    found = np.zeros(len(transforms), dtype=bool)
    forces = np.diff(centres, 2, axis=0) * fps * fps + (0.0, weight, 0.0)
    touches = np.asarray((plan[:, :, DOES] > 0.0).any(axis=1))
    along = np.linalg.norm(forces[:, [0, 2]], axis=1)
    found[1:-1] = along > friction * np.maximum(0.0, forces[:, 1]) + JOLT * weight
    found[1:-1] &= touches[1:] & touches[:-1]
    return found


def unborne_spans(body: Body, angles: Floats, fps: float, holds: Sequence[Hold]) -> list[tuple[int, int]]:
    """The frames of a recording, from one to another, in which nothing that it shows bears the figure, and yet it does
    not fall: it hangs from something, or stands on something, that was not recorded."""
    _, transforms, plan = _on_ground(body, contact_table(body), angles, fps, (GROUND,), True, holds)
    heights = centres_of_mass(body, transforms)[:, 1]
    free = np.concatenate([[False], ~(plan[:, :, DOES] > 0.0).any(axis=1), [False]])
    edges = np.flatnonzero(np.diff(free.astype(int)))
    found = []
    for first, last in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):  # ways are between frames
        if last - first < max(4, UNBORNE * fps):
            continue
        times = np.arange(last - first + 1) / fps
        rate = 2.0 * float(np.polyfit(times, heights[first : last + 1], 2)[0])
        if rate > -FALLING * gravity_of(body):
            found.append((first, last))
    return found


def filter_pieces(
    body: Body, angles: Floats, fps: float, friction: float, pushes: Floats,
    surfaces: Sequence[Surface | GripBar] = (GROUND,), rough: bool = False, holds: Sequence[Hold] = (),
    spans: Sequence[tuple[int, int]] | None = None,
) -> Filtered:  # fmt: skip
    """The same of a motion that may have cuts, where everything is somewhere else from one frame to the next: as many
    motions of their own. spans: the frames with physics, from one up to before another, one span after the other; None:
    all. After each the figure goes back to its reference."""
    if spans is None:
        spans = [(0, len(angles))]
    cuts, given = {0, *_cuts(body, angles, fps), len(angles)}, angles.copy()
    edges = sorted(cuts.union(*spans))
    pieces = [slice(first, last) for first, last in pairwise(edges)] or [slice(0, 0)]  # nothing happened
    found = []
    for piece in pieces:
        if not any(first <= piece.start < last for first, last in spans):
            found.append(_without_physics(body, given[piece]))
            continue
        own = [
            replace(hold, first=max(0, hold.first - piece.start), last=hold.last - piece.start)
            for hold in holds
            if hold.first < piece.stop and hold.last > piece.start
        ]
        one = filter_angles(body, given[piece], fps, friction, pushes[piece], surfaces, rough, own)
        found.append(one)
        if piece.stop not in cuts and len(one.angles) > 1:
            back = Homecoming(body, fps, one.angles[-2:], given[piece.stop - 2 : piece.stop])
            for n in range(piece.stop, min(piece.stop + back.frames, len(given))):
                given[n] = back.at(n + 1 - piece.stop, given[n])
    points = max((one.points for one in found), key=len)
    forces = np.zeros((len(angles), len(points), 3))
    for piece, one in zip(pieces, found, strict=True):
        forces[piece, : len(one.points)] = one.forces
    each = zip(pieces, found, strict=True)
    fell, asked = next(
        ((piece.start + one.fell, one.asked) for piece, one in each if one.fell is not None), (None, None)
    )
    moved, torques = (np.concatenate([getattr(one, name) for one in found]) for name in ("angles", "torques"))
    return Filtered(moved, points, forces, torques, fell, asked)


def _without_physics(body: Body, angles: Floats) -> Filtered:
    """A piece of a motion as it is."""
    points = contact_table(body)
    return Filtered(angles, points, np.zeros((len(angles), len(points), 3)), np.zeros_like(angles), None)


def without_lone_start(body: Body, angles: Floats, fps: float) -> Floats:
    """A recording whose first frame is cut off from the rest, as a T-pose in front of it is, with a frame instead from
    which the motion goes on."""
    if len(angles) < 4 or not (_cuts(body, angles[:3], fps) == [1] or _begins_elsewhere(body, angles, fps)):
        return angles
    found = angles.copy()
    before = angles[2] - angles[1]
    found[0] = angles[1] - np.where(np.abs(before) < 1.0, before, 0.0)
    return found


def _begins_elsewhere(body: Body, angles: Floats, fps: float) -> bool:
    """Whether nobody gets from the first frame to the second one: with few frames a second that is not too fast, but
    nobody stops so soon."""
    steps = np.diff(joint_transforms(body, angles[:3])[:, :, :3], axis=0)
    first, second, change = (
        float(np.linalg.norm(step, axis=1).mean()) for step in (steps[0], steps[1], steps[1] - steps[0])
    )
    far = first > max(_LEAP * body.height, _TIMES * second)
    return far and change * fps * fps > _STRENGTH * gravity_of(body)


def _cuts(body: Body, angles: Floats, fps: float) -> list[int]:
    """The frames in which everything is somewhere else."""
    places = joint_transforms(body, angles)[:, :, :3]
    way = np.linalg.norm(np.diff(places, axis=0), axis=2).mean(axis=1) * fps
    return [int(frame) + 1 for frame in np.flatnonzero(way > CUT * body.height)]


def explain(
    body: Body, angles: Floats, fps: float, friction: float, points: Floats, plan: Floats, bearing: Floats,
    pushes: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Contact forces (frames, points, 3) and torques (frames, dofs) of frames, by inverse dynamics.

    A frame's accelerations are those of both its neighbours' sides: what bears on either side may bear in it.
    """
    model, _ = figure_model(body)
    curve = differences(body, angles, fps)
    ground = np.zeros((len(plan), len(points), plan.shape[2]))
    ground[:, :, PLAN_NORMAL + 1] = 1.0
    ground[:, : plan.shape[1]] = plan
    either = np.concatenate([bearing[:1], np.maximum(bearing[1:], bearing[:-1]), bearing[-1:]])
    both = np.concatenate([ground[:1], ground])
    both[1:-1] = np.where(bearing[:-1, :, None] > 0.0, ground[:-1], ground[1:])
    shared = pushes.copy()
    shared[1:-1] = 0.5 * (pushes[:-2] + pushes[1:-1])
    forces, torques = np.zeros((len(angles), len(points), 3)), np.zeros_like(angles)
    kernels().dynamics_explain(
        model.joints, model.links, model.velocities, 1, points, both, curve.postures, curve.locals, curve.speeds,
        curve.rates, shared, either, np.array([1.0 / fps, gravity_of(body), friction, body.height]), forces, torques,
    )  # fmt: skip
    return forces, torques


def leaving_table(body: Body, transforms: Floats, plan: Floats, fps: float, ahead: int = 1) -> Floats:
    """Whether all contact ends with each way from frame to frame, and the velocity of the centre of mass and the
    angular momentum then, (frames - 1, 7). ahead: how many ways of the flight are looked at, at most; where frames are
    noisy or smoothed, the medians of its first half are nearer to the truth than its beginning."""
    found = np.zeros((len(plan), 7))
    bears = np.asarray((plan[:, :, DOES] > 0.0).any(axis=1))
    velocities = np.diff(centres_of_mass(body, transforms), axis=0) * fps
    momenta = angular_momenta(body, transforms, fps)[1:] * body.height**2
    for last in np.flatnonzero(bears[:-1] & ~bears[1:]):
        flight = int(np.argmax(np.append(bears[last + 1 : last + 1 + ahead], True)))
        ways = slice(last + 1, last + 1 + (flight + 1) // 2)  # feet are fast as they land, and known to touch too late
        then = velocities[ways].copy()  # when contact ends, by what each way shows
        then[:, 1] += gravity_of(body) / fps * (np.arange(len(then)) + 0.5)
        found[last, 0], found[last, 1:4] = 1.0, np.median(then, axis=0)
        found[last, 4:] = np.median(momenta[ways], axis=0)
    return found


def ends_of(body: Body) -> Ints:
    """The joints whose places are kept in the air: the last ones of legs."""
    return np.array([limb.joints[-1] for limb in body.limbs.values() if limb.kind == "leg"], dtype=np.int64)


def upper_of(body: Body) -> int:
    """The part of the upper body that is kept in place: what arms hang on, else the root."""
    return next((limb.trunk[-1] for limb in body.limbs.values() if limb.trunk), 0)
