"""Retargeting: a clip's motion on another body, by positions and orientations of corresponding parts as an animation
space (Park and Park, Section 3).

Each part of the target is turned as the source's part is, seen from frames that mean the same in both (see
puppet.clip.frames). Places are scaled by the ratio of the legs: the hips go where the source's go, and what is quick in
that is the trunk's, since a recorded pelvis shakes about its spine. That is the reference posture of each frame, inside
the ranges of the joints. The whole-body solver then keeps feet where they stand and hands that meet together. In flight
the whole body is moved so that its centre of mass falls with gravity.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from puppet.body import EARTH_GRAVITY, Body, centres_of_mass, joint_transforms, local_rotations
from puppet.clip.contacts import GroundContact, ground_height, sole_points
from puppet.clip.deviation import DeviationSpline, Reference
from puppet.clip.follow import SmoothFollowing
from puppet.clip.frame_tasks import DRAGGED, FrameTasks, gain_of
from puppet.clip.frames import part_frames, parts_of
from puppet.clip.furnish import NEXT
from puppet.clip.measure import HANDS_MEET, jerk, lone_frames, palms, slide
from puppet.clip.planted import plan_foot
from puppet.clip.pose import (
    FARTHEST,
    fit_rotations,
    hinge_axis,
    nearer_half,
    smooth_in_time,
    trunk_shares,
    turned_about,
    twist_limits,
    twists_about,
)
from puppet.clip.ranges import narrowed, range_excess
from puppet.errors import PuppetError
from puppet.geometry import Transforms, interpolate_rows
from puppet.types import Floats

_FAR = 0.2  # body heights: hands farther apart, or above the ground, have nothing to do with each other, or with it
_TURNS_TO = 0.5  # seconds in which a hand begins to go where it meets the other one
_LASTS, _LASTING = 0.1, 0.5  # seconds in which ways of hands change that do not meet, and how much of these ways lasts
SHORTEST_FLIGHT = 0.12  # seconds
FALLS = (5.0, 15.0)  # m / s^2: what falls like this in a recording is in flight
_KNOT_SECONDS, _KNOT_FRAMES = 0.06, 3.0  # of the course of deviations: with fewer frames between knots it is not smooth
_STEPS, _REST_SHARE = 8, 0.01  # of the solver in each frame, see SmoothFollowing
_STRAIGHT = 0.15  # the sine of how far a limb is bent that counts as straight
_FREE = 2.5  # radians: what can be turned on so far to either side has no limits; what should be, is not all the way
_TRUNK = ("hips", "chest", "head")
_SEEN_FROM = ("head", "leftUpperArm", "rightUpperArm")  # where hands meet: the same points in all skeletons
_QUICK = 0.1  # seconds: what lasts longer is not quick
_TURNS_BACK = 0.04  # seconds in which a joint that would leave its range is turned back


@dataclass(frozen=True, eq=False)
class RetargetSource:
    """A clip to be retargeted."""

    body: Body
    angles: Floats
    transforms: Floats
    fps: float
    contacts: tuple[GroundContact, ...]


class Retargeting:
    """One clip on its way to another body."""

    def __init__(self, source: RetargetSource, target: Body) -> None:
        self.lone = lone_frames(source.transforms[:, :, :3])
        source = _mended(source, self.lone)
        self.source, self.target = source, target
        self.own, self.theirs = parts_of(target), parts_of(source.body)
        self.common = [part for part in self.own if part in self.theirs]
        if "hips" not in self.common or len(self.common) < 3:
            raise PuppetError(
                f"'{source.body.name}' and '{target.name}' have too little in common to carry a motion over: "
                f"{', '.join(self.common) or 'no part'}; 'humanoid' in a body's file says which joints are which parts"
            )
        frames = part_frames(source.body)
        count = len(source.angles)
        self.world = {
            part: source.transforms[:, self.theirs[part], 3:].reshape(count, 3, 3) @ frames[part]
            for part in self.theirs
        }
        self.frames = part_frames(target)
        self.ground = ground_height(source.body, source.transforms)
        self.scale = self._scale()
        self.rise = self._ankle(target, self.own, self.frames) - self.scale * self._ankle(
            source.body, self.theirs, frames
        )

    def result(self) -> tuple[Floats, dict[str, Any]]:
        """Angles (frames, dofs) of the target, and the report."""
        references = self._references()
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
        return found, self._report(found, still, flights)

    # ---- the reference

    def _scale(self) -> float:
        """How much longer the target's legs are; without legs, its trunk."""
        lengths = []
        for body, parts in ((self.target, self.own), (self.source.body, self.theirs)):
            for chain in (("UpperLeg", "LowerLeg", "Foot"), ("UpperArm", "LowerArm", "Hand")):
                names = [f"{side}{part}" for side in ("left", "right") for part in chain[1:]]
                if all(f"{side}{part}" in self.common for side in ("left", "right") for part in chain):
                    lengths.append(sum(_length(body, parts[name]) for name in names))
                    break
        return lengths[0] / lengths[1] if len(lengths) == 2 and min(lengths) > 1e-9 else 1.0

    def _ankle(self, body: Body, parts: dict[str, int], frames: dict[str, Floats]) -> float:
        """How high the feet's joints are above the soles when it stands flat."""
        heights = [-(frames[part].T @ at)[1] for part in ("leftFoot", "rightFoot") if part in parts
                   for joint, _, at in sole_points(body) if joint == parts[part]]  # fmt: skip
        return float(np.mean(heights)) if heights else 0.0

    def _place(self, points: Floats) -> Floats:
        """Places of the source in the world of the target, with the ground at y = 0."""
        found = self.scale * points
        found[..., 1] += self.rise - self.scale * self.ground
        return np.asarray(found)

    def _references(self) -> Floats:
        """Postures of the target turned as the source is, (frames, dofs)."""
        body, count = self.target, len(self.source.angles)
        names = {j: part for part, j in self.own.items() if part in self.theirs}
        shares = trunk_shares(body, self.own, self.source.body, self.theirs)
        found = np.tile(body.rest, (count, 1))
        world = np.empty((count, len(body.joints), 3, 3))
        hands: dict[str, Floats | None] = {}
        for j, joint in enumerate(body.joints):
            above = world[:, joint.parent] if joint.parent >= 0 else np.tile(np.eye(3), (count, 1, 1))
            wanted = hands.get(names.get(j, ""), self._wanted(j, names, shares))
            following = NEXT.get(names.get(j, ""), "")
            if wanted is not None and following.endswith(("LowerArm", "LowerLeg")):
                wanted = self._hinged(following, wanted)
            elif wanted is not None and following.endswith("Hand") and following in self.common:
                wanted, hands[following] = self._twisted(following, wanted)
            dofs = list(body.rotation_dofs[j])
            if wanted is not None and dofs:
                found[:, dofs] = fit_rotations(joint, above.transpose(0, 2, 1) @ wanted, _TURNS_BACK * self.source.fps)
            world[:, j] = above @ local_rotations(body, j, found)
        if body.free_root:
            found[:, :3] = 0.0
            placed = joint_transforms(body, found)
            source, trunk = self.source.transforms, [part for part in _TRUNK if part in self.common]
            ways = [self._place(source[:, self.theirs[part], :3]) - placed[:, self.own[part], :3] for part in trunk]
            by_trunk = np.mean(ways, axis=0)
            by_hips = self._place(self._middle(source, self.theirs)) - self._middle(placed, self.own)
            found[:, :3] = by_trunk + smooth_in_time(by_hips - by_trunk, _QUICK * self.source.fps)
        return found

    def _wanted(self, j: int, names: dict[int, str], shares: dict[int, tuple[str, str, float]]) -> Floats | None:
        """How a joint should be turned in the world, (frames, 3, 3)."""
        if j in shares:
            below, above, share = shares[j]
            if below in self.world and above in self.world:
                nothing = np.zeros((len(self.source.angles), 3))
                mixed = interpolate_rows(
                    Transforms(nothing, self.world[above]), Transforms(nothing, self.world[below]),
                    np.full(len(nothing), share),
                )  # fmt: skip
                part = {k: name for name, k in self.own.items()}.get(j, above)
                return np.asarray(mixed.rotations @ self.frames[part].T)
        return self._turned(names[j]) if j in names else None

    def _turned(self, part: str) -> Floats:
        """How a part that both have should be turned in the world, (frames, 3, 3)."""
        return np.asarray(self.world[part] @ self.frames[part].T)

    def _hinged(self, lower: str, wanted: Floats) -> Floats:
        """How an upper arm or leg should be turned, (frames, 3, 3), if elbow or knee is a hinge: about its bone so that
        the hinge can bend the lower one where it should point. The straighter the limb, the less that matters."""
        if lower not in self.common or NEXT[lower] not in self.own:
            return wanted
        offsets = self.target.arrays.offsets
        bone, onwards = _unit(offsets[self.own[lower]]), _unit(offsets[self.own[NEXT[lower]]])
        axis = hinge_axis(self.target.joints[self.own[lower]], onwards)
        if axis is None:
            return wanted
        side = _unit(np.cross(axis, bone))
        points = np.einsum("nba,nb->na", wanted, self._turned(lower) @ onwards)  # of the lower one, seen from the upper
        ahead, across = points @ side, points @ np.cross(bone, side)
        straight = _STRAIGHT * np.exp(-(ahead**2 + across**2) / _STRAIGHT**2)
        return turned_about(wanted, bone, np.arctan2(across, ahead + straight))

    def _twisted(self, hand: str, wanted: Floats) -> tuple[Floats, Floats]:
        """How a forearm that should be turned so, (frames, 3, 3), and its hand are turned: the forearm about its bone
        by what the wrist cannot be turned. Where a hand is turned on by nearly half a turn, as where recordings are
        wrong, it is turned less and less, for it would leap from one limit to the other."""
        turned = self._turned(hand)
        joint, bone = self.target.joints[self.own[hand]], _unit(self.target.arrays.offsets[self.own[hand]])
        lower, upper = twist_limits(joint, bone)
        middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
        if half > _FREE:
            return wanted, turned
        back = wanted.transpose(0, 2, 1)
        away = twists_about(bone, back @ turned) - middle
        away -= 2.0 * np.pi * np.round(away / (2.0 * np.pi))
        made = nearer_half(away, min(half + FARTHEST, _FREE))
        forearm = turned_about(wanted, bone, made - np.clip(made, -half, half))
        return forearm, np.asarray(turned_about(wanted, bone, made - away) @ back @ turned)

    def _middle(self, transforms: Floats, parts: dict[str, int]) -> Floats:
        """Between the hips; of a body without legs, the pelvis."""
        if all(f"{side}UpperLeg" in self.common for side in ("left", "right")):
            return np.asarray(transforms[:, [parts["leftUpperLeg"], parts["rightUpperLeg"]], :3].mean(axis=1))
        return np.asarray(transforms[:, parts["hips"], :3])

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
            path = Transforms(self._place(self.source.transforms[:, k, :3]), placed[:, j, 3:].reshape(-1, 3, 3))
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

    def _report(self, found: Floats, still: list[GroundContact], flights: list[tuple[int, int]]) -> dict[str, Any]:
        after = joint_transforms(self.target, found)
        metres, theirs = self.target.metres_tall, self.source.body.metres_tall
        old = jerk(self.source.transforms[:, [self.theirs[part] for part in self.common]], self.source.fps)
        new = jerk(after[:, [self.own[part] for part in self.common]], self.source.fps)
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
            "outside_ranges": range_excess(self.target, found),
        }  # fmt: skip


def _mended(source: RetargetSource, lone: list[int]) -> RetargetSource:
    """The same with postures between those before and after, where frames are unlike both."""
    if not lone:
        return source
    angles, frames = np.array(source.angles), np.array(lone)
    before, after = angles[frames - 1], angles[frames + 1]
    beside = Reference(source.body, before)
    angles[frames] = beside.displaced(0.5 * beside.deviations(after))
    return replace(source, angles=angles, transforms=joint_transforms(source.body, angles))


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


def _unit(way: Floats) -> Floats:
    """A direction, of length 1."""
    return np.asarray(way / max(float(np.linalg.norm(way)), 1e-12))


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


def _length(body: Body, joint: int) -> float:
    """From the next part above to a joint: the bones between."""
    named = {body.joint(name) for name in body.humanoid}
    total = float(np.linalg.norm(body.arrays.offsets[joint]))
    above = body.joints[joint].parent
    while above >= 0 and above not in named:
        total += float(np.linalg.norm(body.arrays.offsets[above]))
        above = body.joints[above].parent
    return total
