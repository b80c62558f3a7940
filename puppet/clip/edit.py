"""Editing motion in motion: pins, drags and planted feet on top of a recorded clip (Yamane and Nakamura 2003,
Section 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.clip.contacts import GroundContact, point_paths
from puppet.clip.deviation import DeviationSpline
from puppet.clip.follow import SOFTEST, SmoothFollowing, with_joints_above
from puppet.clip.frame_tasks import (
    DRAGGED,
    LOOK_GIVES,
    NEARLY,
    ORIGIN,
    PINNED,
    TURNING_GAIN,
    FrameTasks,
    gain_of,
)
from puppet.clip.measure import asked_jerk, jerk, slide
from puppet.clip.planted import FootPath, extended, plan_foot
from puppet.clip.pose import nearer_half
from puppet.clip.script import Edit
from puppet.geometry import (
    Transforms,
    interpolate_rows,
    rotation_vectors,
    rotations_about,
)
from puppet.types import Flags, Floats, Ints

_FEET = ("leftFoot", "rightFoot")
DISPLACING = ("drag", "stay", "place", "look")
_BESIDE = 2  # frames before and after a span whose jerk is counted with it
_BESIDE_SECONDS = 0.03  # in which the velocity is measured that a part has when it comes to rest
_STRIDE = 0.5  # seconds from where a foot stands in which it is on its path; after twice that it goes with the body
_KNOT_SECONDS, _KNOT_FRAMES, KNOTS_PER_BLEND = 0.06, 3.0, 4.0  # of the course of deviations
_JERKY, _LEAP = 1.1, 2.5  # times the jerk that is recorded, or asked for: more is too much; on the way to a told place
# How much drags, pins and looks give while the result is jerky: at least, in and out of reach; and times before, by a
# power of how jerky it is.
_SOFT, _SOFT_BEYOND, _SOFTER, _BY_JERK = 0.1, 1.0, (2.5, 10.0), 3.0
_NEARLY_JERKY = 0.99  # times that: what is asked for in part is aimed at
_LESS = 0.98  # of the jerk that was there before: where it is not less, it is of no use to give more
_HAD, _KEPT = 0.95, 0.9  # of what is asked for: what can be had to that part is, to this one, though it is jerky
_OF_LONGEST = 0.5  # of the longest way in a span: what shorter ways, and pins, miss is compared with that
_ARC = 0.6  # of an arc and of the straight line, what drags go on where that one is jerky
_WORTH = 0.9  # of the jerk: what gives more has to have less of it
# How much longer edits are that nobody told how quick to be, where they are jerky; how often; where it is of no use.
_LONGER, _LONGER_TIMES, _MUCH_TOO_JERKY = 1.5, 2, 3.0


def serving_joints(body: Body, angles: Floats) -> tuple[int, ...]:
    """The joints that an edit may move: of a person those from the root to head, hands and toes, without those that
    have no part in a person and do not move in the clip; of anything else all."""
    joints = {part: body.joint(name) for name, part in body.humanoid.items()}
    ends = [joints[part] for part in ("head", "leftHand", "rightHand", "leftToes", "rightToes", "leftFoot", "rightFoot")
            if part in joints]  # fmt: skip
    if "hips" not in joints or not ends:
        return tuple(range(len(body.joints)))
    named = set(joints.values())
    return tuple(
        j
        for j in sorted(with_joints_above(body, ends))
        if j in named or j == 0 or np.ptp(angles[:, body.rotation_dofs[j]], axis=0).max(initial=0.0) > 1e-6
    )


@dataclass(frozen=True, eq=False)
class _Target:
    """Where a point of a part is asked to be."""

    name: str
    frames: Ints
    joint: int
    point: Floats  # in the part's own coordinates
    places: Floats  # (frames, 3)
    arrived: Flags  # (frames,): not on its way there, or back

    def missed(self, transforms: Floats) -> Floats:
        """By how much joints' transforms (its frames, joints, 12) miss it, (frames,)."""
        return np.asarray(np.linalg.norm(point_paths(transforms, self.joint, self.point) - self.places, axis=1))

    def within(self, first: int, beyond: int) -> _Target:
        """What there is of it where it has arrived, from a frame on and before another one."""
        own = self.arrived & (self.frames >= first) & (self.frames < beyond)
        return replace(self, frames=self.frames[own], places=self.places[own], arrived=self.arrived[own])


@dataclass(frozen=True, eq=False)
class _Tried:
    """Postures for a span, asked for in one way."""

    postures: Floats
    told: bool  # whether somebody said how quick they are
    arc: float  # by which part drags go in arcs
    softness: float
    share: float  # how much of what is asked for is had
    jerk: float
    recorded: float  # the jerk that is recorded
    asked: float  # the jerk that the edits' own curves have

    @property
    def hurried(self) -> bool:
        """Whether the edits' own curves are too quick."""
        return self.asked > _JERKY * self.recorded

    @property
    def jerkiness(self) -> float:
        """Its jerk in times what is recorded, or what is asked for where somebody told it to be too quick."""
        return self.jerk / max(self.asked if self.hurried and self.told else self.recorded, 1e-12)

    def part(self, bearable: float) -> float:
        """How much of what is asked for would not be too jerky: the jerk that it adds goes with it."""
        most = bearable * self.jerk / max(self.jerkiness, 1e-12)
        added = max(self.jerk**2 - self.recorded**2, 1e-12)
        return math.sqrt(max(most**2 - self.recorded**2, 0.0) / added)

    @property
    def times(self) -> float:
        """Its jerk in times what is recorded."""
        return self.jerk / max(self.recorded, 1e-12)

    def is_worth(self, other: _Tried, bearable: float) -> bool:
        """Whether it is to be taken instead of another one that is too jerky."""
        return self.jerkiness <= bearable or self.jerkiness < _WORTH * other.jerkiness


@dataclass(frozen=True, eq=False)
class _Solved:
    """The postures that were found for a span, from its first frame on, and what they were asked."""

    first: int
    last: int
    asked: SmoothFollowing
    found: _Tried
    edits: list[Edit]
    pinned: list[dict[str, Any]]
    targets: list[_Target]
    turns: list[tuple[Ints, int, Floats]]
    tried: bool = False  # whether it was asked for otherwise, and more softly, where that was of use


class Editing:
    """One clip and the edits that are asked of it."""

    def __init__(
        self, body: Body, cautious: Body, angles: Floats, transforms: Floats, fps: float,
        contacts: tuple[GroundContact, ...], edits: list[Edit],
    ) -> None:  # fmt: skip
        self.body, self.cautious, self.angles, self.transforms, self.fps = body, cautious, angles, transforms, fps
        self.contacts, self.edits = contacts, edits
        self.result = np.array(angles)
        self.changed = np.zeros(len(angles), dtype=bool)
        self.spans: list[tuple[int, int]] = []
        self._asked_jerks: list[float] = []  # of the spans
        self.pinned: list[dict[str, Any]] = []
        self._targets: list[_Target] = []
        self._turns: list[tuple[Ints, int, Floats]] = []  # of looks in this span: frames, joint, rotations
        self._planned: tuple[tuple[int, int], dict[int, FootPath]] = (0, 0), {}  # the paths of feet in some frames
        self._paths: dict[int, Transforms] = {}  # of the feet, by joint
        self._footing: dict[int, Floats] = {}  # (frames,): how firmly each of them is on its path if nothing moves it
        self._told = (0, 0)  # how many of them are of spans that are done
        self._serving = serving_joints(body, angles)
        self._heads = np.array(transforms[:, body.gaze.joint]) if body.gaze is not None else np.empty((0, 12))

    def carry_out(self) -> None:
        intervals = self._intervals()
        begins = [*(first for first, _ in intervals[1:]), 2 * len(self.angles)]  # of what comes after each of them
        for (first, last), beyond in zip(intervals, begins, strict=False):
            self._span(first, last, beyond)
        for array in (self.result, self.changed):
            array.flags.writeable = False

    def posture(self, frame: int) -> Floats:
        """One frame alone, (dofs,): a preview of it."""
        for first, last in self._intervals():
            if first < frame <= last:
                return np.asarray(self._asked(first, last).postures(frames=np.array([frame]))[0])
        return np.asarray(self.angles[frame])

    def _intervals(self) -> list[tuple[int, int]]:
        """The frames of edits that displace something, first and last ones with something left of them; those of an
        edit that begins before all is as it was before are one with it."""
        count = len(self.angles)
        found: list[tuple[int, int]] = []
        for edit in sorted((edit for edit in self.edits if edit.kind in DISPLACING), key=lambda edit: edit.start):
            first, last = edit.start, min(edit.end, count - 1)
            if last == first:
                continue
            if found and first <= self._end(*found[-1]) + 1:
                found[-1] = (found[-1][0], max(found[-1][1], last))
            else:
                found.append((first, last))
        return found

    def _end(self, first: int, last: int) -> int:
        """The last frame that an edit of the frames first to last changes: a foot may have to be led back after it."""
        return max([last, *(plan.end for plan in self._foot_plans(first, last).values())])

    def _span(self, first: int, last: int, beyond: int) -> None:
        """Carries out the edits of a span, those after which begin at a frame beyond it. Where nobody told how quick
        they are, and they make it jerky, they take longer."""
        untold = not self._is_told(first, last)
        solved = self._solved(first, last, untold)
        for left in reversed(range(_LONGER_TIMES if untold else 0)):
            if not _JERKY < solved.found.times <= _MUCH_TOO_JERKY:
                break
            before = self.edits
            self.edits, first, last = self._longer(first, last)
            self._planned = (0, 0), {}
            if self.edits == before or self._end(first, last) + 1 >= beyond:
                break
            other = self._solved(first, last, left > 0)
            solved = other if other.found.times < solved.found.times else solved
        solved = solved if solved.tried else self._softer(solved)
        self._take(solved)
        self._told = len(self.pinned), len(self._targets)
        first, last = solved.first, solved.asked.course.last
        self.result[first + 1 : last + 1], self.changed[first + 1 : last + 1] = solved.found.postures[1:], True
        self.spans.append((first, last))
        self._asked_jerks.append(solved.found.asked)

    def _longer(self, first: int, last: int) -> tuple[list[Edit], int, int]:
        """The edits, with those of the span first to last longer, and that span then."""
        own = [edit.start < last and edit.end > first for edit in self.edits]
        free = self.spans[-1][1] + 2 if self.spans else 0  # nothing is asked for before
        final = len(self.angles) - 1
        edits = [edit.longer(_LONGER, free, final) if inside else edit
                 for inside, edit in zip(own, self.edits, strict=True)]  # fmt: skip
        moved = [edit for inside, edit in zip(own, edits, strict=True) if inside and edit.kind in DISPLACING]
        return edits, min(edit.start for edit in moved), min(max(edit.end for edit in moved), final)

    def _solved(self, first: int, last: int, may_be_longer: bool) -> _Solved:
        """The postures of a span as it is asked for; or else, if that is jerky, unless the edits' own curves are too
        quick and may take longer."""
        asked = self._asked(first, last)
        found = self._tried(asked, 0.0, 0.0)
        solved = _Solved(first, last, asked, found, self.edits, self.pinned, self._targets, self._turns)
        hurried = may_be_longer and found.hurried and _JERKY < found.times <= _MUCH_TOO_JERKY
        return solved if hurried else self._softer(solved)

    def _softer(self, solved: _Solved) -> _Solved:
        """A span that is jerky with drags in arcs, where these are less so than straight on, and asked for as softly as
        it takes for it not to be."""
        self._take(solved)
        asked, found = solved.asked, solved.found
        bearable = _LEAP if self._ordered(solved.first, solved.last) else _JERKY
        least = _KEPT if found.share > _HAD else 0.0
        tried = found
        drags = any(edit.kind == "drag" for edit in self._within(solved.first, solved.last))
        if found.jerkiness > bearable and least > 0.0 and drags:
            drawn = self._drawn(asked, found)
            for arc in (0.0, _ARC):
                if found.jerkiness > bearable:
                    calmer = self._tried(drawn, 0.0, found.asked, arc)
                    if calmer.jerk < _LESS * found.jerk and calmer.share >= least:
                        asked, found = drawn, calmer
            part = max(found.part(_NEARLY_JERKY * bearable), least + 0.01)
            if found.jerkiness > bearable and part < 1.0:
                less = self._tried(asked, 0.0, found.asked, found.arc, part)
                if less.is_worth(found, bearable) and less.share >= least:
                    found = less
            tried = found
        while tried.jerkiness > bearable and tried.softness < SOFTEST:
            softer = float(np.clip((tried.jerkiness / bearable) ** _BY_JERK, *_SOFTER)) * tried.softness
            softness = min(max(_SOFT if least > 0.0 else _SOFT_BEYOND, softer), SOFTEST)
            before, tried = tried, self._tried(asked, softness, tried.asked, tried.arc)
            if tried.share < least or (least > 0.0 and tried.jerk > _LESS * before.jerk):
                break
            found = tried if tried.is_worth(found, bearable) else found
        return replace(solved, found=found, tried=True)

    def _take(self, solved: _Solved) -> None:
        """Goes on with what a span was asked."""
        self.edits, self.pinned, self._targets = solved.edits, solved.pinned, solved.targets
        self._turns, self._planned = solved.turns, ((0, 0), {})

    def _drawn(self, asked: SmoothFollowing, found: _Tried) -> SmoothFollowing:
        """What is asked for in a span, with all parts drawn along the edits' curves to where they get."""
        first, end = asked.course.first, asked.course.last
        placed = joint_transforms(self.body, found.postures)
        return asked.drawn(self._curves(first, end), (placed - self.transforms[first : end + 1])[:, :, :3])

    def _tried(
        self, asked: SmoothFollowing, softness: float, before: float, arc: float = 0.0, part: float = 1.0
    ) -> _Tried:
        """What is found for a span; before: the jerk that the edits' own curves had in earlier tries, since what is
        asked for is not less because it is not given."""
        first, end = asked.course.first, asked.course.last
        postures, own = asked.postures(softness, arc=arc, part=part), self._counted(first, end)
        after = joint_transforms(self.body, self._around(first, end, postures))
        curves = asked_jerk(self.transforms[own], after, self._curves(own.start, own.stop - 1), self.fps)
        recorded, now = jerk(self.transforms[own], self.fps), jerk(after, self.fps)
        share, told = self._share(first, after), self._is_told(first, end)
        return _Tried(postures, told, arc, asked.softness, share, now, recorded, max(before, curves))

    def _within(self, first: int, last: int) -> list[Edit]:
        """The edits of a span."""
        return [edit for edit in self.edits if edit.start < last and edit.end > first]

    def _is_told(self, first: int, last: int) -> bool:
        """Whether somebody said how quick an edit of a span is."""
        return any(edit.told for edit in self._within(first, last))

    def _ordered(self, first: int, last: int) -> bool:
        """Whether a part is to be at a place by a time that somebody told."""
        return any(edit.told and edit.kind == "place" for edit in self._within(first, last))

    def _around(self, first: int, end: int, found: Floats) -> Floats:
        """Postures of a span, with recorded ones before and after it."""
        before, after = self.result[self._before(first) : first], self.angles[end + 1 : end + 1 + _BESIDE]
        return np.concatenate([before, found[max(self._before(first) - first, 0) :], after])

    def _before(self, first: int) -> int:
        """The frame from which on the jerk of a span is counted: without the first one of the clip, which in many
        recordings is a pose from which they jump."""
        return min(max(first - _BESIDE, 1), len(self.angles) - 1)

    def _counted(self, first: int, end: int) -> slice:
        """The frames whose jerk counts as that of a span."""
        return slice(self._before(first), end + 1 + _BESIDE)

    def _share(self, first: int, after: Floats) -> float:
        """How much of what is asked for in a span is had, 1: all of it, where least of it is; with the joints'
        transforms after the edits from some frames before it on. Of all that has a place, where what is to stay on its
        path is compared with the longest way of all; and of looks."""
        begin = self._before(first)
        ways: list[float] = []
        missed: list[float] = []
        for target in self._targets[self._told[1] :]:
            own = target.within(begin, begin + len(after))
            for found, lengths in ((after[own.frames - begin], missed), (self.transforms[own.frames], ways)):
                lengths.append(float(own.missed(found).max(initial=0.0)))
        longest = max(ways, default=0.0)
        lost = [much / max(way, _OF_LONGEST * longest, 1e-12) for much, way in zip(missed, ways, strict=True)]
        for frames, joint, wanted in self._turns:
            back = wanted.transpose(0, 2, 1)
            much, way = (
                float(np.linalg.norm(rotation_vectors(found[:, joint, 3:].reshape(-1, 3, 3) @ back), axis=1).max())
                for found in (after[frames - begin], self.transforms[frames])
            )
            lost.append(much / max(way, 1e-12))
        return max(0.0, 1.0 - max(lost, default=0.0))

    def _asked(self, first: int, last: int) -> SmoothFollowing:
        """What is asked for in a span, from what its edits ask for in the frames first to last."""
        looks = any(edit.kind == "look" and edit.start <= last for edit in self.edits)
        for turn in range(2 if looks else 1):  # where the eyes are is known after the first time
            tasks = FrameTasks()
            self.pinned, self._targets = self.pinned[: self._told[0]], self._targets[: self._told[1]]
            self._turns = []
            plans = self._foot_plans(first, last)
            end = max([last, *(plan.end for plan in plans.values())])
            for j, plan in plans.items():  # both as long as one of them needs
                self._foot(tasks, j, plan, np.arange(first + 1, end + 1))
            for edit in self.edits:
                self._edit(tasks, edit, np.arange(first + 1, end + 1))
            ends = all(edit.end <= end for edit in self.edits if edit.kind in DISPLACING and edit.start <= end)
            course = DeviationSpline(first, end, self._knot_step(), (True, ends))
            recorded = self.angles[first : end + 1]
            asked = SmoothFollowing(self.body, recorded, tasks, course, self._serving, self.cautious,
                                    yields=not self._ordered(first, last), curves=self._curves(first, end))  # fmt: skip
            if looks and turn == 0 and self.body.gaze is not None:
                heads = joint_transforms(self.body, asked.estimate())[:, self.body.gaze.joint]
                self._heads[first : end + 1] = heads
        return asked

    def _curves(self, first: int, last: int) -> Floats:
        """How much there is of each edit that displaces something, in the frames first to last, (frames, edits)."""
        found = [edit.weights(len(self.angles))[first : last + 1] for edit in self.edits if edit.kind in DISPLACING]
        return np.stack(found, axis=1)

    def _knot_step(self) -> float:
        """Frames between two knots: with few of them it is not smooth; but several knots for the shortest edit."""
        shortest = min(edit.frames for edit in self.edits if edit.kind in DISPLACING)
        return max(1.0, min(max(_KNOT_FRAMES, _KNOT_SECONDS * self.fps), shortest / KNOTS_PER_BLEND))

    # ---- feet

    def _foot_plans(self, first: int, last: int) -> dict[int, FootPath]:
        """The paths of the feet in an edit of the frames first to last, by joint."""
        if self._planned[0] != (first, last):
            joints = {part: self.body.joint(name) for name, part in self.body.humanoid.items()}
            found = {}
            for j in (joints[foot] for foot in _FEET if foot in joints):
                recorded = Transforms(self.transforms[:, j, :3], self.transforms[:, j, 3:].reshape(-1, 3, 3))
                found[j] = plan_foot(recorded, self._standing(j), first, last, self.fps)
            self._planned = (first, last), found
        return self._planned[1]

    def _foot(self, tasks: FrameTasks, j: int, plan: FootPath, frames: Ints) -> None:
        """Adds the tasks of a foot in some frames."""
        count = len(self.angles)
        self._paths[j] = plan.transforms
        free = np.zeros(count)
        for edit in self._moving(j):
            moved = edit.weights(count)  # as it ends, its path takes hold of it again
            if edit.kind != "free":
                moved = np.where(np.arange(count) < edit.release, moved > 0.0, moved)
            free = np.maximum(free, moved)
        self._footing[j] = gain_of(_nearness_in_time(self._standing(j), count, self.fps))
        gains = gain_of(1.0 - free) * self._footing[j]
        tasks.foot(frames, j, plan, gains, math.ceil(self._knot_step()))
        for contact in plan.still:
            held = np.arange(max(contact.first, int(frames[0])), contact.last + 1)
            if len(held) and gains[held].min() >= 1.0:
                at = np.array(contact.at)
                places = plan.transforms.positions[held] + plan.transforms.rotations[held] @ at
                name = f"{self.body.joint_names[j]}.{contact.point}"
                self._targets.append(_Target(name, held, j, at, places, np.ones(len(held), dtype=bool)))
                self.pinned.append({"part": self.body.joint_names[j], "point": contact.point,
                                    "first": int(held[0]), "last": int(held[-1])})  # fmt: skip

    def _moving(self, j: int) -> list[Edit]:
        """The edits that move a foot, or free it."""
        return [edit for edit in self.edits if edit.part == self.body.joint_names[j] and edit.kind != "pin"]

    def _standing(self, j: int) -> list[GroundContact]:
        """The contacts of a foot, without the frames in which an edit moves it."""
        found = [contact for contact in self.contacts if contact.joint == j]
        for edit in self._moving(j):
            if edit.kind != "free":
                found = [
                    replace(contact, first=first, last=last)
                    for contact in found
                    for first, last in ((contact.first, min(contact.last, edit.start)),
                                        (max(contact.first, edit.end), contact.last))
                    if last > first
                ]  # fmt: skip
        return found

    # ---- what the script asks for

    def _edit(self, tasks: FrameTasks, edit: Edit, frames: Ints) -> None:
        j, count = self.body.joint(edit.part), len(self.angles)
        weights = edit.weights(count)
        path = self._paths.get(j) or Transforms(self.transforms[:, j, :3], self.transforms[:, j, 3:].reshape(-1, 3, 3))
        recorded = path.positions
        if edit.kind == "pin":
            own = frames[frames > edit.start]
            gains = edit.gain * self._hold(edit, own)
            tasks.position(own, j, ORIGIN, recorded[own], gains, PINNED)
            tasks.orientation(own, j, path.rotations[own], gains, PINNED)
            held = own[gains >= 1.0]
            self._targets.append(_Target(edit.part, held, j, ORIGIN, recorded[held], np.ones(len(held), dtype=bool)))
            return
        own = frames[frames > edit.start]
        if j in self._paths:  # after that it is on its path
            own = own[own < edit.end]
        if edit.kind == "free" or not len(own):
            return
        if edit.kind == "look":
            turned = self._looking(edit, own)
            tasks.orientation(own, j, turned, edit.gain * self._hold(edit, own), PINNED, gives=LOOK_GIVES)
            self._turns.append((own, j, turned))
            return
        if edit.kind == "stay":
            gains, kept = edit.gain * self._hold(edit, own), self._kept(edit, path, own)
            tasks.position(own, j, ORIGIN, kept.positions, gains, PINNED)
            tasks.orientation(own, j, kept.rotations, gains, PINNED)
            places = kept.positions
        else:
            way = np.array(edit.by) if edit.by is not None else np.array(edit.to) - recorded[own]
            places = recorded[own] + weights[own, None] * way
            gains = edit.gain * self._hold(edit, own)
            if edit.kind == "drag":
                tasks.position(own, j, ORIGIN, places, gains, DRAGGED, shares=weights[own])
            else:
                tasks.position(own, j, ORIGIN, places, gains, PINNED)
            if j in self._paths:
                tasks.orientation(own, j, path.rotations[own], TURNING_GAIN * gains, PINNED)
        firm = gains >= 1.0
        arrived = (weights[own] > NEARLY * weights[own].max()) | (edit.kind != "drag")
        self._targets.append(_Target(edit.part, own[firm], j, ORIGIN, places[firm], arrived[firm]))

    def _kept(self, edit: Edit, path: Transforms, frames: Ints) -> Transforms:
        """Where a part is in some frames that stays where it is in one of them: it comes to rest there, and goes back
        to its path as the edit ends."""
        count, arrival = len(self.angles), min(edit.start + edit.frames, len(self.angles) - 1)
        stays = slice(arrival, min(edit.release, count - 1) + 1)
        here = path[edit.here]
        beside = round(_BESIDE_SECONDS * self.fps)
        shifts = extended(here.position - path.positions[stays], arrival, count, edit.frames, 0, beside)
        turns = rotation_vectors(here.rotation @ path.rotations[stays].transpose(0, 2, 1))
        turns = extended(turns, arrival, count, edit.frames, 0, beside)
        braking = Transforms(path.positions + shifts, rotations_about(turns) @ path.rotations)
        own = Transforms.repeated(here, count)
        back = interpolate_rows(path, own, edit.weights(count))
        number = np.arange(count)[:, None]
        positions = np.where(number < edit.release, braking.positions, back.positions)
        rotations = np.where(number[:, None] < edit.release, braking.rotations, back.rotations)
        return Transforms(positions[frames], rotations[frames])

    def _looking(self, edit: Edit, frames: Ints) -> Floats:
        """How the head is turned that looks at a place or at a part, (frames, 3, 3): the least way from how it is
        recorded; less and less towards what is behind it."""
        gaze = self.body.gaze
        assert gaze is not None
        towards = self._gazes(edit, frames, self._heads)[1]
        recorded = self.transforms[frames, gaze.joint, 3:].reshape(-1, 3, 3)
        ahead = recorded @ np.array(gaze.forward)
        across = np.cross(ahead, towards)
        sine = np.linalg.norm(across, axis=1)
        turn = nearer_half(np.arctan2(sine, np.einsum("na,na->n", ahead, towards)))
        share = edit.weights(len(self.angles))[frames] * turn / np.maximum(sine, 1e-12)
        return np.asarray(rotations_about(share[:, None] * across) @ recorded)

    def _gazes(self, edit: Edit, frames: Ints, heads: Floats) -> tuple[Floats, Floats]:
        """Where a head with these transforms (all frames, 12) looks, and where what it shall look at is: directions,
        (frames, 3) each."""
        gaze = self.body.gaze
        assert gaze is not None
        goals = np.array(edit.to) if edit.at is None else self.transforms[frames, self.body.joint(edit.at), :3]
        turned = heads[frames, 3:].reshape(-1, 3, 3)
        towards = goals - heads[frames, :3] - turned @ np.array(gaze.eyes)
        return turned @ np.array(gaze.forward), towards / np.linalg.norm(towards, axis=1, keepdims=True)

    def _hold(self, edit: Edit, frames: Ints) -> Floats:
        """How firmly an edit holds in its frames: at once, but gradually where another one is under way when it begins,
        or feet are still led back after it, and where one is when nothing is left of it. A foot is never held less
        firmly than on its path."""
        found = np.ones(len(frames))
        weights = edit.weights(len(self.angles))[frames]
        others = [other for other in self.edits if other is not edit and other.kind in DISPLACING]
        within = self._planned[0][0] < edit.start  # something has changed before it
        for at, inside in ((edit.start, frames < edit.start + edit.frames), (edit.end, frames >= edit.release)):
            if (at == edit.start and within) or any(other.start < at < other.end for other in others):
                found[inside] = np.minimum(found[inside], weights[inside])
        footing = self._footing.get(self.body.joint(edit.part))
        return gain_of(found) if footing is None else np.maximum(gain_of(found), footing[frames])

    # ---- report

    def report(self) -> dict[str, Any]:
        after = np.array(self.transforms)
        after[self.changed] = joint_transforms(self.body, self.result[self.changed])
        residuals: dict[str, dict[str, Any]] = {}
        looks: list[dict[str, Any]] = []
        metres = self.body.metres_tall
        for target in self._targets:
            if len(target.frames):
                entry = residuals.setdefault(target.name, {"frames": [], "missed": []})
                entry["frames"] += target.frames.tolist()
                entry["missed"] += target.missed(after[target.frames]).tolist()
        for edit in self.edits:
            if edit.kind == "look" and self.body.gaze is not None:
                frames = np.flatnonzero(edit.weights(len(self.angles)) >= 1.0)
                ahead, towards = self._gazes(edit, frames, after[:, self.body.gaze.joint])
                missed = np.arccos(np.clip(np.einsum("na,na->n", ahead, towards), -1.0, 1.0))
                looks.append({"frames": frames.tolist(), "missed": missed.tolist()})
        held = [replace(contact, first=entry["first"], last=entry["last"]) for entry in self.pinned
                for contact in self.contacts
                if contact.point == entry["point"] and self.body.joint_names[contact.joint] == entry["part"]
                and contact.first <= entry["last"] and contact.last >= entry["first"]]  # fmt: skip
        spans = []
        for (first, last), asked in zip(self.spans, self._asked_jerks, strict=True):
            own = self._counted(first, last)
            jerks = {"jerk_before": jerk(self.transforms[own], self.fps), "jerk_asked": asked,
                     "jerk_after": jerk(after[own], self.fps)}  # fmt: skip
            spans.append({"first": first, "last": last, **{name: value * metres for name, value in jerks.items()}})
        return {
            "spans": spans,
            "pinned_contacts": self.pinned,
            "residuals": residuals,
            "looks": looks,
            "slide_before": slide(self.transforms, held) * metres,
            "slide_after": slide(after, held) * metres,
        }


def _nearness_in_time(contacts: list[GroundContact], count: int, fps: float) -> Floats:
    """How much a foot has to do with the ground, (frames,): all while it stands and in a stride, none long after."""
    number, away = np.arange(count), np.full(count, np.inf)
    for contact in contacts:
        away = np.minimum(away, np.maximum(np.maximum(contact.first - number, number - contact.last), 0))
    share = np.clip(2.0 - away / (_STRIDE * fps), 0.0, 1.0)
    return np.asarray(share**3 * (10.0 + share * (6.0 * share - 15.0)))
