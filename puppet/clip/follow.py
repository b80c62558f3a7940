"""Postures that follow recorded frames, changed by tasks, smoothly: by the whole-body solver's kernel for recorded
frames (puppet.kernels.figure_clip)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property, lru_cache

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.clip.deviation import DeviationSpline, Reference
from puppet.clip.frame_tasks import SHORTER, FrameTasks
from puppet.clip.task_rows import PackedTasks
from puppet.kernels.figure_model import MOBILITY
from puppet.kernels.loader import kernels
from puppet.solver import figure_tables
from puppet.types import Floats, Ints

# Of the solver, at most: at a knot, first and when it is met anew, in a frame, and where a foot is off.
_STEPS, _STEPS_ANEW, LIMB_STEPS, _FOOT_STEPS = 6, 3, 3, 12
# Rounds in which what is found at the knots is smoothed, and tasks are met anew from there: first, and when shortened.
_SMOOTHINGS, _SMOOTHINGS_AGAIN = 2, 1
_SHORTENINGS = 2  # times that what is out of reach is asked for less, at most
_GIVING_WAY = 0.4  # how softly, at least, all is asked for where something is out of reach
_GIVING_BY_REACH = 100.0  # how softly, times the square of how far out of reach it is, in body heights or radians
SOFTEST = 100.0
_ROUNDS, MOST_ROUNDS = 2, 8  # in which the control points of a course are found: at least, and while they come nearer
NO_NEARER = 0.9  # what is missed of what was missed a round before, where it is of no use to go on
_REST_SHARE = 0.05  # of their mobility that joints have which should not make up for small errors
_TOWARDS_REFERENCE = 0.1  # which part of the way to the recorded posture a step goes; all of it would overshoot
USUAL_TURN, ROOT_TURN, ROOT_WAY = 0.7, 0.2, 0.05  # radians and body heights that joints without range, and roots, go
_DRAWN = (  # parts that are drawn beside what is asked for
    "hips", "chest", "head", "leftLowerArm", "rightLowerArm", "leftHand", "rightHand", "leftLowerLeg", "rightLowerLeg",
)  # fmt: skip


def follow_in_frames(
    body: Body,
    references: Floats,
    packed: PackedTasks,
    mobility: Floats,
    steps: int = _STEPS,
    anew: bool = False,
) -> Floats:
    """Postures (frames, dofs) of some frames of a clip, nearest to their references (frames, dofs) with their tasks,
    packed, met; mobility (velocities,): how readily each departs from its reference, 0: not at all. Each sets out from
    the one before, moved on as the references are; or anew from its reference, as the first one does."""
    model = figure_tables(body)
    velocities = model.velocities.copy()
    velocities[:, MOBILITY] = mobility_of(body)
    angles, local = np.zeros(body.dofs), np.zeros((len(body.joints), 9))
    found = np.empty((len(references), body.dofs))
    compiled = kernels()
    compiled.figure_clip(
        compiled.stepper, model.joints, model.links, model.corners, velocities, model.chains, int(body.free_root),
        packed.table.copy(), packed.starts, np.ascontiguousarray(references), np.full(body.dofs, _TOWARDS_REFERENCE),
        mobility, int(anew), steps, angles, local, found,
    )  # fmt: skip
    return found


class SmoothFollowing:
    """Postures that meet their tasks, near the recorded ones of all frames of a course (all, dofs), with a smooth
    deviation from them: it is found at the course's knots, where it becomes the control points of a spline. Then the
    limbs alone make up for what is missing in each frame. cautious: the body with narrower ranges, for the knots: what
    is found there leaves room for what the frames need. steps, rest_share: of the solver in each frame, and of the
    mobility that joints outside the limbs have there.

    A recording's noise would come back amplified from the tasks of each frame: the feet's noise in the hands.
    """

    def __init__(
        self, body: Body, recorded: Floats, tasks: FrameTasks, course: DeviationSpline, serving: Iterable[int],
        cautious: Body | None = None, steps: int = LIMB_STEPS, rest_share: float = _REST_SHARE, yields: bool = True,
        curves: Floats | None = None, begun: Floats | None = None,
    ) -> None:  # fmt: skip
        self._body, self._recorded, self._tasks, self.course = body, recorded, tasks, course
        self._serving = tuple(sorted(serving))
        self._mobility = serving_mobility(body, self._serving)
        self._cautious, self._steps, self._rest_share = cautious or body, steps, rest_share
        self._yields = yields  # whether what is out of reach is asked for softly, the more so the farther it is
        self._there = Reference(body, recorded[course.knots - course.first], self._serving)
        self._curves = np.zeros((len(course.knots), 0)) if curves is None else curves[course.knots - course.first]
        self._ends = np.linalg.pinv(self._curves)
        self.softness = 0.0  # with which all but feet was asked for the last time
        self._given = begun  # postures at the knots to set out from, where there are any
        self._courses: dict[float, tuple[Floats, FrameTasks, float]] = {}  # by softness

    def postures(
        self, softness: float = 0.0, frames: Ints | None = None, arc: float = 0.0, part: float = 1.0
    ) -> Floats:
        """Of all frames, or of some, (frames, dofs). softness: how much all tasks but those of feet give. arc: by which
        part what is dragged goes as the joints lead it there by the edits' curves alone, in an arc, instead of straight
        on. part: how much of the ways and turns of all but feet is asked for at all."""
        controls, tasks, self.softness = self._course(softness)
        frames, knots = self._all if frames is None else frames, self.course.knots
        if part < 1.0:
            controls = part * controls
            tasks = tasks.in_part(part, self._all, self._placed)
        if arc > 0.0:
            along = self.course.through(self._along(self.course.at(knots, controls)))
            controls = controls + arc * (along - controls)
            tasks = tasks.on_arcs(self._body, self.course, self._there.displaced(self.course.at(knots, controls)))
        if arc > 0.0 or part < 1.0:  # pins are met anew
            by = self.course.at(knots, controls)
            found = self._met(self._there.displaced(by), tasks.packed(knots))
            controls = controls + self._there.deviations(found) - by
        recorded = Reference(self._body, self._recorded[frames - self.course.first], self._serving)
        references = recorded.displaced(self.course.at(frames, controls))
        limbs = self._mobility * limb_shares(self._body, tasks, self._serving, self._rest_share)
        found = follow_in_frames(self._body, references, tasks.packed(frames), limbs, self._steps)
        slips = tasks.feet_off(self._body, frames, found)
        if slips.any():  # they come before all else
            packed = tasks.softened(_GIVING_WAY).packed(frames[slips])
            found[slips] = follow_in_frames(self._body, found[slips], packed, limbs, _FOOT_STEPS, anew=True)
        return found

    def drawn(self, curves: Floats, ways: Floats) -> SmoothFollowing:
        """The same with parts that nothing is asked of drawn softly to where the edits' curves lead them: curves and
        ways of all joints from their recorded places (frames, joints, 3), in all frames."""
        tasks = FrameTasks(self._tasks.series)
        recorded = self._placed[:, :, :3]
        ends = np.linalg.pinv(curves)
        pins = {series.link for series in self._tasks.series if series.shares is None and not series.foot}
        held = self._tasks.links | _limbs_of(self._body, pins, self._serving)
        named = {part: self._body.joint(name) for name, part in self._body.humanoid.items()}
        for j in [named[part] for part in _DRAWN if part in named] or self._serving:
            if j not in held:
                tasks.beside(j, self._all[1:], (recorded[:, j] + curves @ (ends @ ways[:, j]))[1:])
        begun = self._there.displaced(self.course.at(self.course.knots, self._course(0.0)[0]))
        return SmoothFollowing(
            self._body, self._recorded, tasks, self.course, self._serving, self._cautious, self._steps,
            self._rest_share, self._yields, curves, begun,
        )  # fmt: skip

    @cached_property
    def _placed(self) -> Floats:
        """The joints as recorded, (all frames, joints, 12)."""
        return joint_transforms(self._body, self._recorded)

    @cached_property
    def _all(self) -> Ints:
        return np.arange(self.course.first, self.course.last + 1)

    def estimate(self) -> Floats:
        """About what is found in all frames, (frames, dofs): tasks are met at the knots, and once."""
        by = self._there.deviations(self._begun)
        frames = self._all
        return Reference(self._body, self._recorded, self._serving).displaced(self.course.at(frames, by))

    def _met(self, references: Floats, packed: PackedTasks, anew: bool = True) -> Floats:
        steps = _STEPS_ANEW if anew else _STEPS
        return follow_in_frames(self._cautious, references, packed, self._mobility, steps, anew)

    @cached_property
    def _begun(self) -> Floats:
        """Postures at the knots (knots, dofs) that meet the tasks, one after the other."""
        packed = self._tasks.packed(self.course.knots)
        return self._met(self._there.postures, packed, anew=False) if self._given is None else self._given

    def _course(self, softness: float) -> tuple[Floats, FrameTasks, float]:
        """The control points of the deviation, the tasks in the frames, and how soft they are: found once."""
        if softness not in self._courses:
            found, tasks, given = self._smooth(softness)
            controls, missed = self._controls(found, tasks, given)
            self._courses[softness] = controls, tasks.relaxed(self.course, missed), given
        return self._courses[softness]

    def _smooth(self, softness: float) -> tuple[Floats, FrameTasks, float]:
        """Postures at the knots (knots, dofs) with smooth deviations; the tasks, shorter and softer where they are out
        of reach, and how soft they are."""
        knots, there = self.course.knots, self._there
        tasks = self._tasks.softened(softness)
        packed = tasks.packed(knots)
        rounds = _SMOOTHINGS
        found = self._begun if softness == 0.0 else self._met(there.postures, packed, anew=False)
        if softness == 0.0 and self._yields:
            worst = packed.most_missed(self._body, found, softness)
            giving = min(_GIVING_BY_REACH * worst**2, SOFTEST)
            if giving > _GIVING_WAY:
                softness, tasks = giving, tasks.softened(giving)
                packed = tasks.packed(knots)
                found = self._met(there.postures, packed, anew=False)
        for turn in range(1 + _SHORTENINGS):
            for _ in range(rounds):
                found = self._met(there.displaced(self._smoothed(there.deviations(found))), packed)
            shorter = None
            if turn < _SHORTENINGS and packed.most_missed(self._body, found, softness) > SHORTER:
                shorter = tasks.shortened(knots, tasks.missed(self._body, knots, found, softness))
            if shorter is None:
                break
            softness = max(softness, _GIVING_WAY)
            tasks, rounds = shorter.softened(softness), _SMOOTHINGS_AGAIN
            packed = tasks.packed(knots)
        return found, tasks, softness

    def _smoothed(self, deviations: Floats) -> Floats:
        """Deviations (knots, dofs) with all smoothed that is not along the edits' curves."""
        along = self._along(deviations)
        return np.asarray(along + self.course.smoothed(deviations - along))

    def _along(self, deviations: Floats) -> Floats:
        """Deviations (knots, dofs) with each joint led by the edits' curves alone."""
        return np.asarray(self._curves @ (self._ends @ deviations))

    def _controls(self, found: Floats, tasks: FrameTasks, softness: float) -> tuple[Floats, list[Floats | None]]:
        """The control points of the deviation (knots, dofs) of postures near those found, and what they miss."""
        knots, there = self.course.knots, self._there
        packed = tasks.packed(knots)
        controls, worst = there.deviations(found), math.inf
        for turn in range(MOST_ROUNDS):
            by = self.course.at(knots, controls)
            found = self._met(there.displaced(by), packed)
            controls += there.deviations(found) - by
            before = worst
            worst = packed.most_missed(self._body, found, softness)
            if turn + 1 >= _ROUNDS and (worst == 0.0 or worst > NO_NEARER * before):
                break
        return controls, tasks.missed(self._body, knots, found)


def limb_shares(body: Body, tasks: FrameTasks, serving: Iterable[int], rest_share: float) -> Floats:
    """Which velocities may make up for small errors, (velocities,): those of the limbs that tasks are asked of, up to
    where they branch off; all others by a share."""
    return _shares_of_limbs(body, frozenset(tasks.links), tuple(serving), rest_share)


@lru_cache(maxsize=64)
def _shares_of_limbs(body: Body, links: frozenset[int], serving: tuple[int, ...], rest_share: float) -> Floats:
    near = _limbs_of(body, links, serving)
    found = np.full(body.dofs, rest_share)
    found[body.dofs_of(sorted(near))] = 1.0
    if body.free_root:  # it would turn all that hangs on it
        found[list(body.rotation_dofs[0])] = rest_share
    found.flags.writeable = False
    return found


def _limbs_of(body: Body, links: Iterable[int], serving: Iterable[int]) -> set[int]:
    """Links, and the joints that they hang on up to where limbs branch off."""
    joints = with_joints_above(body, serving)
    children = [sum(1 for other in joints if body.joints[other].parent == j) for j in range(len(body.joints))]
    near: set[int] = set()
    for j in links:
        while j >= 0:
            near.add(j)
            j = body.joints[j].parent
            if j >= 0 and children[j] > 1:
                break
    return near


def with_joints_above(body: Body, joints: Iterable[int]) -> set[int]:
    """Joints, and all those that they hang on."""
    found: set[int] = set()
    for j in joints:
        while j >= 0:
            found.add(j)
            j = body.joints[j].parent
    return found


def serving_mobility(body: Body, serving: Iterable[int]) -> Floats:
    """As mobility_of, 0 for joints that do not serve."""
    own = np.zeros(body.dofs)
    own[body.dofs_of(sorted(serving))] = 1.0
    return np.asarray(mobility_of(body) * own)


@lru_cache(maxsize=8)
def mobility_of(body: Body) -> Floats:
    """How readily each velocity departs from a recorded posture, (velocities,): as the square of how far its joint can
    be turned. So a bow is shared by hips, knees and spine as they can, and no joint is bent to its limits alone."""
    found = np.full(body.dofs, USUAL_TURN**2)
    found[body.translation_dofs] = ROOT_WAY**2
    for j, joint in enumerate(body.joints):
        dofs = list(body.rotation_dofs[j])
        if j == 0 and body.free_root:
            found[dofs] = ROOT_TURN**2
        elif joint.range is not None:
            swings = np.array([entry.swing for entry in joint.range.edge])
            low, high = np.array([entry.twist for entry in joint.range.edge]).mean(axis=0)
            across = float(np.ptp(swings, axis=0).mean()) / 2.0
            found[dofs] = ((2.0 * across + 0.5 * float(high - low)) / 3.0) ** 2
        elif not joint.is_ball:
            for dof, rotation in zip(dofs, joint.rotations, strict=True):
                found[dof] = min(0.5 * (rotation.upper - rotation.lower), math.pi / 2.0) ** 2
    found.flags.writeable = False
    return found
