"""Retargeting: a clip's motion on another body, by positions and orientations of corresponding parts as an animation
space (Park and Park, Section 3).

The reference posture of each frame is turned as the source is (see puppet.clip.correspondence), inside the ranges of
the joints. The whole-body solver then keeps feet where they stand and hands that meet together. In flight the whole
body is moved so that its centre of mass falls with gravity.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from puppet.body import EARTH_GRAVITY, centres_of_mass, joint_transforms
from puppet.clip.contacts import GroundContact, sole_points
from puppet.clip.correspondence import Correspondence
from puppet.clip.deviation import DeviationSpline
from puppet.clip.follow import SmoothFollowing
from puppet.clip.frame_tasks import DRAGGED, FrameTasks, gain_of
from puppet.clip.measure import HANDS_MEET, jerk, palms, slide
from puppet.clip.planted import plan_foot
from puppet.clip.ranges import narrowed, range_excess
from puppet.geometry import Transforms
from puppet.types import Floats

_FAR = 0.2  # body heights: hands farther apart, or above the ground, have nothing to do with each other, or with it
_TURNS_TO = 0.5  # seconds in which a hand begins to go where it meets the other one
_LASTS, _LASTING = 0.1, 0.5  # seconds in which ways of hands change that do not meet, and how much of these ways lasts
SHORTEST_FLIGHT = 0.12  # seconds
FALLS = (5.0, 15.0)  # m / s^2: what falls like this in a recording is in flight
_KNOT_SECONDS, _KNOT_FRAMES = 0.06, 3.0  # of the course of deviations: with fewer frames between knots it is not smooth
_STEPS, _REST_SHARE = 8, 0.01  # of the solver in each frame, see SmoothFollowing
_SEEN_FROM = ("head", "leftUpperArm", "rightUpperArm")  # where hands meet: the same points in all skeletons


class Retargeting(Correspondence):
    """One clip on its way to another body."""

    def result(self) -> tuple[Floats, dict[str, Any]]:
        """Angles (frames, dofs) of the target, and the report."""
        references = self.references()
        tasks = FrameTasks()
        placed = joint_transforms(self.target, references)
        still = self._feet(tasks, placed)
        self._hands(tasks, placed)
        serving = sorted({j for j in range(len(self.target.joints)) if self.target.rotation_dofs[j]} - self._idle())
        course = DeviationSpline(0, len(references) - 1, max(_KNOT_FRAMES, _KNOT_SECONDS * self.source.fps))
        cautious = narrowed(self.target, references[:0])
        following = SmoothFollowing(self.target, references, tasks, course, serving, cautious, _STEPS, _REST_SHARE)
        found = following.postures()
        flights = self._fall(found)
        return found, self._report(found, placed, still, flights)

    def _idle(self) -> set[int]:
        """Joints of the target that no task may use: fingers, eyes and the like."""
        used: set[int] = set()
        for part in self.own:
            if "Eye" in part or part == "jaw":
                continue
            j = self.own[part]
            while j >= 0:
                used.add(j)
                j = self.target.joints[j].parent
        return set(range(len(self.target.joints))) - used

    # ---- feet and hands

    def _feet(self, tasks: FrameTasks, placed: Floats) -> list[GroundContact]:
        """Feet go where the source's go, turned as their ankles can be, and stand where these stand, flat on the
        ground."""
        count = len(self.source.angles)
        frames, still = np.arange(count), []
        if not self.target.free_root:
            return []
        points = {(joint, name): at for joint, name, at in sole_points(self.target)}
        for part in ("leftFoot", "rightFoot"):
            if part not in self.common:
                continue
            j, k = self.own[part], self.theirs[part]
            path = Transforms(self.place(self.source.transforms[:, k, :3]), placed[:, j, 3:].reshape(-1, 3, 3))
            contacts = []
            for contact in self.source.contacts:
                if contact.joint == k and (j, contact.point) in points:
                    x, y, z = points[j, contact.point].tolist()
                    contacts.append(replace(contact, joint=j, at=(x, y, z)))
            long_before = -count  # nothing leads to where the clip begins
            plan = plan_foot(path, contacts, long_before, count - 1, self.source.fps, ground=0.0)
            tasks.foot(frames, j, plan, np.ones(count))
            still += list(plan.still)
        return still

    def _hands(self, tasks: FrameTasks, placed: Floats) -> None:
        """Hands that meet in the source meet in the target, where they do in the source, seen from head and shoulders:
        forearms of another length would bring them into the face. Hands near the ground are as near."""
        if not all(f"{side}Hand" in self.common for side in ("left", "right")):
            return
        theirs = palms(self.source.body, self.source.transforms)
        own = palms(self.target, placed)
        apart, between = theirs[0] - theirs[1], 0.5 * (theirs[0] + theirs[1])
        ways = [placed[:, self.own[part], :3] - self.scale * self.source.transforms[:, self.theirs[part], :3]
                for part in _SEEN_FROM if part in self.common]  # fmt: skip
        middle = self.scale * between + np.mean(ways, axis=0) if ways else 0.5 * (own[0] + own[1])
        turns = round(_TURNS_TO * self.source.fps)
        near = _share(np.linalg.norm(apart, axis=1))
        meeting = _in_time(near, turns)
        held = _in_time((meeting > 0.0).astype(np.float64), turns)  # a hand is taken hold of before it is led anywhere
        for side, palm, sign in (("left", theirs[0], 0.5), ("right", theirs[1], -0.5)):
            j = self.own[f"{side}Hand"]
            at = 0.5 * self.target.arrays.tips[j]
            hand = own[0] if side == "left" else own[1]
            way = middle + sign * self.scale * apart - hand
            way += _LASTING * (_lasting(way, near, _LASTS * self.source.fps, 4 * turns) - way)
            goals = hand + meeting[:, None] * way
            frames = np.flatnonzero(held > 0.0)
            tasks.position(frames, j, at, goals[frames], gain_of(held[frames]), DRAGGED)
            if self.source.contacts and self.target.free_root:
                heights = palm - np.array([0.0, self.ground, 0.0])
                low = _nearness(heights[:, 1])
                frames = np.flatnonzero(low > 0.0)
                tasks.position(frames, j, at, self.scale * heights[frames], low[frames], DRAGGED, (0.0, 1.0, 0.0))

    # ---- flight

    def _fall(self, found: Floats) -> list[tuple[int, int]]:
        """Moves the body in flight so that its centre of mass falls with gravity from where it leaves the ground to
        where it comes down."""
        body, fps = self.target, self.source.fps
        if not body.free_root or not self.source.contacts or sum(joint.mass for joint in body.joints) <= 0.0:
            return []
        flights = self._flights()
        if not flights:
            return []
        centres = centres_of_mass(body, joint_transforms(body, found))
        gravity = EARTH_GRAVITY / body.metres_tall
        for first, last in flights:
            time = np.arange(last - first + 1) / fps
            whole = time[-1]
            start, goal = centres[first], centres[last]
            path = start + np.outer(time / whole, goal - start)
            path[:, 1] += 0.5 * gravity * time * (whole - time)
            found[first : last + 1, :3] += path - centres[first : last + 1]
        return flights

    def _flights(self) -> list[tuple[int, int]]:
        """Frames in which nothing of the source touches the ground and it falls; the last ones that do are included."""
        body, fps = self.source.body, self.source.fps
        touching = np.zeros(len(self.source.angles), dtype=bool)
        for contact in self.source.contacts:
            touching[contact.first : contact.last + 1] = True
        if sum(joint.mass for joint in body.joints) <= 0.0:
            return []
        heights = centres_of_mass(body, joint_transforms(body, self.source.angles))[:, 1] * body.metres_tall
        found = []
        edges = np.flatnonzero(np.diff(np.concatenate([[1], touching.astype(int), [1]])))
        for first, last in zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True):
            if (last - first) / fps < SHORTEST_FLIGHT or first == 0 or last == len(touching) - 1:
                continue
            span = _falling(heights, first, last, fps)
            if span is not None and (span[1] - span[0]) / fps >= SHORTEST_FLIGHT:
                found.append(span)
        return found

    # ---- report

    def _report(
        self, found: Floats, turned: Floats, still: list[GroundContact], flights: list[tuple[int, int]]
    ) -> dict[str, Any]:
        """turned: the joints of the body turned as the source is, and nothing else, (frames, joints, 12)."""
        after = joint_transforms(self.target, found)
        metres, theirs = self.target.metres_tall, self.source.body.metres_tall
        old = jerk(self.source.transforms[:, [self.theirs[part] for part in self.common]], self.source.fps)
        own = [self.own[part] for part in self.common]
        new, alone = (jerk(placed[:, own], self.source.fps) for placed in (after, turned))
        return {
            "scale": self.scale,
            "parts": {self.target.joints[self.own[part]].name: self.source.body.joints[self.theirs[part]].name
                      for part in self.common},
            "contacts": [{"part": self.target.joint_names[c.joint], "point": c.point, "first": c.first, "last": c.last}
                         for c in still],
            "lone_frames": self.lone,
            "flights": [{"first": first, "last": last} for first, last in flights],
            "slide_before": slide(self.source.transforms, self.source.contacts) * theirs,
            "slide_after": slide(after, still) * metres,
            "jerk_before": self.scale * old * metres, "jerk_after": new * metres,  # of the source at the target's size
            "jerk_turned": alone * metres,  # by its proportions: longer arms, or legs that are short for a trunk
            "outside_ranges": range_excess(self.target, found),
        }  # fmt: skip


def _falling(heights: Floats, first: int, last: int, fps: float) -> tuple[int, int] | None:
    """The longest part of some frames in which a height falls as what is thrown does."""
    width = max(2, round(0.03 * fps))
    inside = []
    for frame in range(first, last + 1):
        low, high = max(frame - width, 0), min(frame + width, len(heights) - 1)
        curve = np.polyfit((np.arange(low, high + 1) - frame) / fps, heights[low : high + 1], 2)
        inside.append(FALLS[0] <= -2.0 * curve[0] <= FALLS[1])
    best: tuple[int, int] | None = None
    start = None
    for n, falls in enumerate([*inside, False]):
        if falls and start is None:
            start = n
        elif not falls and start is not None:
            if best is None or n - 1 - start > best[1] - best[0]:
                best = (start, n - 1)
            start = None
    return None if best is None else (first + best[0], first + best[1])


def _nearness(distances: Floats) -> Floats:
    """The gain with which something is held near what it has to do with, by its distance from that, (frames,)."""
    return gain_of(_share(distances))


def _share(distances: Floats) -> Floats:
    """How much something has to do with what is at some distance, (frames,): all where they meet, none far away."""
    share = np.clip((_FAR - distances) / (_FAR - HANDS_MEET), 0.0, 1.0)
    return np.asarray(share**3 * (10.0 + share * (6.0 * share - 15.0)))


def _in_time(share: Floats, frames: int) -> Floats:
    """A share (n,) that rises and falls no faster than in some frames, and is nowhere less than it was at its peaks."""
    wide = np.lib.stride_tricks.sliding_window_view(np.pad(share, frames), 2 * frames + 1).max(axis=1)
    weights = np.hanning(2 * frames + 3)[1:-1]
    return np.convolve(np.pad(wide, frames, mode="edge"), weights / weights.sum(), mode="valid")


def _lasting(ways: Floats, share: Floats, width: float, reach: int) -> Floats:
    """Ways (n, 3) as they are where they count, by a share (n,), about, and as at the nearest such times in between: a
    hand with another forearm goes its own way between two meetings, as fast as the source's."""
    weights = 1.0 / (1.0 + (np.arange(-reach, reach + 1) / width) ** 2) ** 2
    total, *sums = (np.convolve(np.pad(column, reach), weights, mode="valid") for column in (share, *(share * ways.T)))
    return np.asarray(np.stack(sums, axis=1) / np.maximum(total, 1e-12)[:, None])
