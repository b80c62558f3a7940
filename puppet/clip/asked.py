"""What edits ask of a figure in a span of frames: tasks of what they pin, drag and turn, and of the feet."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from puppet.body import joint_transforms
from puppet.clip.contacts import GroundContact, point_paths
from puppet.clip.deviation import DeviationSpline
from puppet.clip.follow import SmoothFollowing
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
from puppet.clip.planted import FootPath, extended, plan_foot
from puppet.clip.pose import nearer_half
from puppet.clip.recording import Recording
from puppet.clip.script import Edit
from puppet.geometry import Transforms, interpolate_rows, rotation_vectors, rotations_about
from puppet.types import Flags, Floats, Ints

KEPT = ("stay", "place")  # edits that keep a part where it is, or at a place
DISPLACING = ("drag", *KEPT, "look")
_BESIDE_SECONDS = 0.03  # in which the velocity is measured that a part has when it comes to rest
_STRIDE = 0.5  # seconds from where a foot stands in which it is on its path; after twice that it goes with the body
_KNOT_SECONDS, _KNOT_FRAMES, KNOTS_PER_BLEND = 0.06, 3.0, 4.0  # of the course of deviations


@dataclass(frozen=True, eq=False)
class Target:
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

    def within(self, first: int, beyond: int) -> Target:
        """What there is of it where it has arrived, from a frame on and before another one."""
        own = self.arrived & (self.frames >= first) & (self.frames < beyond)
        return replace(self, frames=self.frames[own], places=self.places[own], arrived=self.arrived[own])


@dataclass(frozen=True, eq=False)
class Turn:
    """How a part is asked to be turned."""

    frames: Ints
    joint: int
    rotations: Floats  # (frames, 3, 3)

    def missed(self, transforms: Floats) -> Floats:
        """By how much joints' transforms (its frames, joints, 12) miss it, (frames,)."""
        turned = transforms[:, self.joint, 3:].reshape(-1, 3, 3)
        away = rotation_vectors(turned @ self.rotations.transpose(0, 2, 1))
        return np.asarray(np.linalg.norm(away, axis=1))


class SpanTasks:
    """What edits of a recording ask for in the frames first to last, and until feet are led back after that."""

    def __init__(self, recording: Recording, edits: list[Edit], first: int, last: int) -> None:
        self._recording, self._edits, self.first, self.last = recording, edits, first, last
        self._plans = {j: self._planned(j) for j in recording.feet}
        self.end = max([last, *(plan.end for plan in self._plans.values())])  # the last frame that may change
        self._own = [edit for edit in edits if edit.start < self.end and edit.end > first]
        self._footing: dict[int, Floats] = {}  # (frames,): how firmly each foot is on its path if nothing moves it
        self.pinned: list[dict[str, Any]] = []
        self.targets: list[Target] = []
        self.turns: list[Turn] = []

    @property
    def displacing(self) -> list[Edit]:
        return [edit for edit in self._own if edit.kind in DISPLACING]

    @property
    def is_told(self) -> bool:
        """Whether somebody said how quick an edit is."""
        return any(edit.told for edit in self._own)

    @property
    def leads(self) -> bool:
        """Whether it leads a part somewhere."""
        return any(edit.kind in ("drag", "place") for edit in self._own)

    def curves(self, first: int, last: int) -> Floats:
        """How much there is of each edit that displaces something, in some frames, (frames, curves): what stays where
        it is has two, since its recorded path goes on meanwhile."""
        count, found = len(self._recording), []
        for edit in self.displacing:
            found.append(edit.weights(count))
            if edit.kind in KEPT:
                found.append(found[-1] * (np.arange(count) - edit.release) / count)
        return np.stack(found, axis=1)[first : last + 1]

    def following(self) -> SmoothFollowing:
        """The postures that are asked for."""
        body, first, end = self._recording.body, self.first, self.end
        looks = any(edit.kind == "look" for edit in self._own)
        heads = np.empty((0, 12)) if body.gaze is None else np.array(self._recording.transforms[:, body.gaze.joint])
        for turn in range(2 if looks else 1):  # where the eyes are is known after the first time
            tasks, frames = FrameTasks(), np.arange(first + 1, end + 1)
            self.pinned, self.targets, self.turns = [], [], []
            for j, plan in self._plans.items():  # both as long as one of them needs
                self._foot(tasks, j, plan, frames)
            for edit in self._own:
                self._edit(tasks, edit, frames, heads)
            course = DeviationSpline(first, end, self._knot_step(), (True, all(e.end <= end for e in self.displacing)))
            found = SmoothFollowing(body, self._recording.angles[first : end + 1], tasks, course,
                                    self._recording.serving, self._recording.cautious,
                                    yields=not self._keeps, curves=self.curves(first, end))  # fmt: skip
            if looks and turn == 0 and body.gaze is not None:
                heads[first : end + 1] = joint_transforms(body, found.estimate())[:, body.gaze.joint]
        return found

    @property
    def _keeps(self) -> bool:
        """Whether a part is kept somewhere: it is not to be drawn off by what is out of reach as it comes there."""
        return any(edit.kind in KEPT for edit in self._own)

    def _knot_step(self) -> float:
        """Frames between two knots: with few of them it is not smooth; but several knots for the shortest edit."""
        shortest = min(edit.frames for edit in self.displacing)
        fps = self._recording.fps
        return max(1.0, min(max(_KNOT_FRAMES, _KNOT_SECONDS * fps), shortest / KNOTS_PER_BLEND))

    # ---- feet

    def _planned(self, j: int) -> FootPath:
        """The path of a foot."""
        return plan_foot(self._recording.path(j), self._standing(j), self.first, self.last, self._recording.fps)

    def _foot(self, tasks: FrameTasks, j: int, plan: FootPath, frames: Ints) -> None:
        """Adds the tasks of a foot in some frames."""
        count = len(self._recording)
        free = np.zeros(count)
        for edit in self._moving(j):
            moved = edit.weights(count)  # as it ends, its path takes hold of it again
            if edit.kind != "free":
                moved = np.where(np.arange(count) < edit.release, moved > 0.0, moved)
            free = np.maximum(free, moved)
        self._footing[j] = gain_of(_nearness_in_time(self._standing(j), count, self._recording.fps))
        gains = gain_of(1.0 - free) * self._footing[j]
        tasks.foot(frames, j, plan, gains, math.ceil(self._knot_step()))
        for contact in plan.still:
            held = np.arange(max(contact.first, int(frames[0])), contact.last + 1)
            if len(held) and gains[held].min() >= 1.0:
                at = np.array(contact.at)
                places = plan.transforms.positions[held] + plan.transforms.rotations[held] @ at
                name = f"{self._recording.body.joint_names[j]}.{contact.point}"
                self.targets.append(Target(name, held, j, at, places, np.ones(len(held), dtype=bool)))
                self.pinned.append({"part": self._recording.body.joint_names[j], "point": contact.point,
                                    "first": int(held[0]), "last": int(held[-1])})  # fmt: skip

    def _moving(self, j: int) -> list[Edit]:
        """The edits that move a foot, or free it."""
        return [edit for edit in self._edits if edit.part == self._recording.body.joint_names[j] and edit.kind != "pin"]

    def _standing(self, j: int) -> list[GroundContact]:
        """The contacts of a foot, without the frames in which an edit moves it."""
        found = [contact for contact in self._recording.contacts if contact.joint == j]
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

    def _edit(self, tasks: FrameTasks, edit: Edit, frames: Ints, heads: Floats) -> None:
        j, count = self._recording.body.joint(edit.part), len(self._recording)
        weights = edit.weights(count)
        plan = self._plans.get(j)
        path = self._recording.path(j) if plan is None else plan.transforms
        recorded = path.positions
        if edit.kind == "pin":
            own = frames[frames > edit.start]
            gains = edit.gain * self._hold(edit, own)
            whole = plan is not None  # else its path is as recorded
            tasks.position(own, j, ORIGIN, recorded[own], gains, PINNED, whole=whole)
            tasks.orientation(own, j, path.rotations[own], gains, PINNED, whole=whole)
            held = own[gains >= 1.0]
            self.targets.append(Target(edit.part, held, j, ORIGIN, recorded[held], np.ones(len(held), dtype=bool)))
            return
        own = frames[frames > edit.start]
        if plan is not None:  # after that it is on its path
            own = own[own < edit.end]
        if edit.kind == "free" or not len(own):
            return
        if edit.kind == "look":
            turned = self._looking(edit, own, heads)
            tasks.orientation(own, j, turned, edit.gain * self._hold(edit, own), PINNED, gives=LOOK_GIVES)
            self.turns.append(Turn(own, j, turned))
            return
        gains = edit.gain * self._hold(edit, own)
        if edit.kind == "drag":
            way = np.array(edit.by) if edit.by is not None else np.array(edit.to) - recorded[own]
            places = recorded[own] + weights[own, None] * way
            tasks.position(own, j, ORIGIN, places, gains, DRAGGED, shares=weights[own])
        else:
            kept = self._kept(edit, path, own)
            places = kept.positions
            tasks.position(own, j, ORIGIN, places, gains, PINNED)
            if edit.kind == "stay":
                tasks.orientation(own, j, kept.rotations, gains, PINNED)
        if plan is not None and edit.kind != "stay":
            tasks.orientation(own, j, path.rotations[own], TURNING_GAIN * gains, PINNED)
        firm = gains >= 1.0
        stays = self._stays(edit)
        arrived = weights[own] > NEARLY * weights[own].max() if edit.kind == "drag" else np.isin(own, np.r_[stays])
        self.targets.append(Target(edit.part, own[firm], j, ORIGIN, places[firm], arrived[firm]))

    def _kept(self, edit: Edit, path: Transforms, frames: Ints) -> Transforms:
        """Where a part is in some frames that stays where it is in one of them, or goes to a place: what stays comes to
        rest there; both go back to their paths as the edit ends."""
        count, weights = len(self._recording), edit.weights(len(self._recording))
        here = path[edit.here]
        if edit.to is not None:
            places = path.positions + weights[:, None] * (np.array(edit.to) - path.positions)
            return Transforms(places[frames], path.rotations[frames])
        stays, beside = self._stays(edit), round(_BESIDE_SECONDS * self._recording.fps)
        shifts = extended(here.position - path.positions[stays], stays.start, count, edit.frames, 0, beside)
        turns = rotation_vectors(here.rotation @ path.rotations[stays].transpose(0, 2, 1))
        turns = extended(turns, stays.start, count, edit.frames, 0, beside)
        braking = Transforms(path.positions + shifts, rotations_about(turns) @ path.rotations)
        back = interpolate_rows(path, Transforms.repeated(here, count), weights)
        number = np.arange(count)[:, None]
        positions = np.where(number < edit.release, braking.positions, back.positions)
        rotations = np.where(number[:, None] < edit.release, braking.rotations, back.rotations)
        return Transforms(positions[frames], rotations[frames])

    def _stays(self, edit: Edit) -> slice:
        """The frames in which a part is where an edit keeps it; one, if it is let go before it is there."""
        final = len(self._recording) - 1
        release = min(edit.release, final)
        return slice(min(edit.start + edit.frames, release), release + 1)

    def _looking(self, edit: Edit, frames: Ints, heads: Floats) -> Floats:
        """How the head is turned that looks at a place or at a part, (frames, 3, 3): the least way from how it is
        recorded; less and less towards what is behind it. heads: how it is about, (all frames, 12)."""
        gaze = self._recording.body.gaze
        assert gaze is not None
        towards = gazes(self._recording, edit, frames, heads)[1]
        recorded = self._recording.transforms[frames, gaze.joint, 3:].reshape(-1, 3, 3)
        ahead = recorded @ np.array(gaze.forward)
        across = np.cross(ahead, towards)
        sine = np.linalg.norm(across, axis=1)
        turn = nearer_half(np.arctan2(sine, np.einsum("na,na->n", ahead, towards)))
        share = edit.weights(len(self._recording))[frames] * turn / np.maximum(sine, 1e-12)
        return np.asarray(rotations_about(share[:, None] * across) @ recorded)

    def _hold(self, edit: Edit, frames: Ints) -> Floats:
        """How firmly an edit holds in its frames: at once, but gradually where another one is under way when it begins,
        or feet are still led back after it, and where one is when nothing is left of it. A foot is never held less
        firmly than on its path."""
        found = np.ones(len(frames))
        weights = edit.weights(len(self._recording))[frames]
        others = [other for other in self._own if other is not edit and other.kind in DISPLACING]
        within = self.first < edit.start  # something has changed before it
        for at, inside in ((edit.start, frames < edit.start + edit.frames), (edit.end, frames >= edit.release)):
            if (at == edit.start and within) or any(other.start < at < other.end for other in others):
                found[inside] = np.minimum(found[inside], weights[inside])
        footing = self._footing.get(self._recording.body.joint(edit.part))
        return gain_of(found) if footing is None else np.maximum(gain_of(found), footing[frames])


def gazes(recording: Recording, edit: Edit, frames: Ints, heads: Floats) -> tuple[Floats, Floats]:
    """Where a head with these transforms (all frames, 12) looks, and where what an edit has it look at is: directions,
    (frames, 3) each."""
    body = recording.body
    assert body.gaze is not None
    goals = np.array(edit.to) if edit.at is None else recording.transforms[frames, body.joint(edit.at), :3]
    turned = heads[frames, 3:].reshape(-1, 3, 3)
    towards = goals - heads[frames, :3] - turned @ np.array(body.gaze.eyes)
    return turned @ np.array(body.gaze.forward), towards / np.linalg.norm(towards, axis=1, keepdims=True)


def _nearness_in_time(contacts: list[GroundContact], count: int, fps: float) -> Floats:
    """How much a foot has to do with the ground, (frames,): all while it stands and in a stride, none long after."""
    number, away = np.arange(count), np.full(count, np.inf)
    for contact in contacts:
        away = np.minimum(away, np.maximum(np.maximum(contact.first - number, number - contact.last), 0))
    share = np.clip(2.0 - away / (_STRIDE * fps), 0.0, 1.0)
    return np.asarray(share**3 * (10.0 + share * (6.0 * share - 15.0)))
