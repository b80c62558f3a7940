"""A body's points of contact in, and a reference motion; out comes which of them touch what, and when.

What can be touched are level surfaces: the ground, a seat, a table. Hands hold on to bars, or, where that is said, to
whatever is there: what they hold, they hold where they are when they begin to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.kernels.dynamics_model import (
    DOES,
    GRIPPING,
    HANGS,
    LEVEL,
    PLAN_COLUMNS,
    PLAN_NORMAL,
    POINT_COLUMNS,
    TOUCHES,
)
from puppet.types import Flags, Floats, Vector

# A group of points begins to touch a surface that it is as near to as this, in heights, and as slow, in heights a
# second; it goes on as long as it is within the second numbers, and within the third ones if nothing else bears.
_NEAR = 0.012, 0.016, 0.03
_SLOW = 0.15, 0.2, 0.35
SEATED = 0.028  # heights: who is as near to a seat sits on it already, as seats and who sits on them give way
# Hands work near tables without touching them: they touch when they are as near as this, and as slow.
_AT_HAND, STILL = 0.004, 0.03
_GRIP, _GRIP_SLOW = 0.06, 0.2  # heights between a palm and the bar that it holds; heights a second
_RISING = 0.1  # heights a second, upwards: what rises so fast has left
TAKING_OVER, TAKES = 0.05, 0.15  # heights, seconds: a slow foot that is no higher takes over from what bore before
HIGHEST_GROUND, LEVELLING = 0.08, 0.25  # heights; seconds to each side: of the ground of a recording
MOST_FLATTENED = 0.03  # heights by which a point of a sole is moved
_FINE = 0.02  # points of one segment that are nearer to each other than this part of the height say the same
PER_SEGMENT = 4  # points that a body falls on


@dataclass(frozen=True)
class Surface:
    """A level surface: all of it, or a rectangle."""

    level: float
    middle: tuple[float, float] = (0.0, 0.0)  # x and z
    half: tuple[float, float] = (np.inf, np.inf)  # of its edges
    turn: float = 0.0  # radians about the vertical

    def has(self, x: float, z: float) -> bool:
        """Whether a place lies on it, seen from above."""
        x, z = x - self.middle[0], z - self.middle[1]
        cos, sin = math.cos(self.turn), math.sin(self.turn)
        return abs(cos * x - sin * z) <= self.half[0] and abs(sin * x + cos * z) <= self.half[1]


@dataclass(frozen=True)
class GripBar:
    """A bar from one place to another."""

    begin: Vector
    end: Vector


@dataclass(frozen=True)
class Hold:
    """A part that holds on to what is there, from a frame on until another; a rope, if it hangs from a place."""

    part: int
    first: int
    last: int
    rope: Vector | None = None


GROUND = Surface(0.0)


def contact_names(body: Body) -> tuple[str, ...]:
    """As left_foot.heel_inside."""
    return tuple(f"{joint.name}.{name}" for joint in body.joints for name in joint.contacts)


def contact_groups(body: Body) -> list[list[int]]:
    """The points of each kind on a segment, as heel_inside and heel_outside of a foot."""
    kinds = [(j, name.partition("_")[0]) for j, joint in enumerate(body.joints) for name in joint.contacts]
    return [[i for i, kind in enumerate(kinds) if kind == one] for one in dict.fromkeys(kinds)]


def group_links(body: Body) -> list[int]:
    """The segment that each of these kinds is on."""
    kinds = [(j, name.partition("_")[0]) for j, joint in enumerate(body.joints) for name in joint.contacts]
    return [j for j, _ in dict.fromkeys(kinds)]


def contact_table(body: Body) -> Floats:
    """The points as the kernels read them, (points, POINT_COLUMNS)."""
    rows = [(j, *at, 0.0) for j, joint in enumerate(body.joints) for at in joint.contacts.values()]
    return np.array(rows, dtype=np.float64).reshape(len(rows), POINT_COLUMNS)


def point_places(points: Floats, transforms: Floats) -> Floats:
    """Where points are in the world, (frames, points, 3), for the joints' transforms (frames, joints, 12)."""
    joints = points[:, 0].astype(int)
    rotations = transforms[:, joints, 3:].reshape(len(transforms), len(joints), 3, 3)
    found = transforms[:, joints, :3] + np.einsum("npab,pb->npa", rotations, points[:, 1:4])
    found[:, :, 1] -= points[:, 4]
    return np.asarray(found)


class ContactPlanner:
    """Says frame by frame what each point of contact does on the way to the next frame.

    Points of one kind on a segment, as heel_inside and heel_outside, touch together. What bears goes on to do so, while
    it is near, until something else begins to: nobody who walks is in the air because a foot slips a little. rough: by
    how many heights soles are nearer to the ground than they seem.
    """

    def __init__(
        self, body: Body, fps: float, surfaces: Sequence[Surface | GripBar] = (GROUND,), rough: float = 0.0
    ) -> None:
        self._groups, self._links = contact_groups(body), group_links(body)
        hands = {limb.joints[-1] for limb in body.limbs.values() if limb.kind == "arm"}
        self._hands = [link in hands for link in self._links]
        self._gripping: list[Floats | None] = [None] * len(self._groups)  # where each group holds a bar, (points, 3)
        parents = {link: body.joints[link].parent for link in self._links}
        own = {link: [g for g, other in enumerate(self._links) if other == link] for link in parents}
        self._rolling = [(own[foot], own[toes]) for toes, foot in parents.items() if foot in own]  # feet with toes
        self._tall, self._fps = body.height, fps
        self._surfaces = [surface for surface in surfaces if isinstance(surface, Surface)]
        self._bars = [bar for bar in surfaces if isinstance(bar, GripBar)]
        self._rough = rough > 0.0
        self._near = tuple(near + rough for near in _NEAR)
        self._touches: list[Surface | None] = [None] * len(self._groups)
        self._free = 0  # ways for which nothing has borne by itself

    def row(self, before: Floats, after: Floats) -> Floats:
        """What each point does, (points, PLAN_COLUMNS), between two frames with points at before and after,
        (points, 3)."""
        plan = np.zeros((len(before), PLAN_COLUMNS))
        plan[:, PLAN_NORMAL + 1] = 1.0
        ways = [(before[points].mean(axis=0), after[points].mean(axis=0)) for points in self._groups]
        speeds = [float(np.linalg.norm(other - one)) * self._fps / self._tall for one, other in ways]
        touches: list[Surface | None] = []
        for way, speed, old, hand in zip(ways, speeds, self._touches, self._hands, strict=True):
            if hand:
                near = (surface for surface in self._surfaces if self._away(way, surface) < _AT_HAND)
                touches.append(next(near, None) if speed < STILL else None)
            elif old is not None and speed < _SLOW[1] and self._is_near(way, old, 1) and not self._rises(way):
                touches.append(old)
            else:
                near = (surface for surface in self._surfaces if self._is_near(way, surface, 0))
                touches.append(next(near, None) if speed < _SLOW[0] else None)
        self._free = 0 if any(touches) else self._free + 1
        if 0 < self._free <= TAKES * self._fps + 1:
            for n, (way, speed, old) in enumerate(zip(ways, speeds, self._touches, strict=True)):
                if self._hands[n]:
                    continue
                if speed < _SLOW[0] and self._away(way, GROUND) < TAKING_OVER:
                    touches[n] = GROUND
                elif old is not None and speed < _SLOW[2] and self._away(way, old) < self._near[2]:
                    touches[n] = old
        if self._rough:  # who stands on the tips of the toes stands on the toes: a skeleton's do not bend
            for _, toes in self._rolling:
                own = next((touches[g] for g in toes if touches[g] is not None), None)
                for g in toes:
                    if own is not None and speeds[g] < _SLOW[1] and self._away(ways[g], own) < self._near[2]:
                        touches[g] = own
        for foot, toes in self._rolling:  # who stands on the toes, and not on all of the foot, rolls over its ball
            if all(touches[g] for g in toes) and not all(touches[g] for g in foot):
                for g in foot:
                    touches[g] = None
        self._touches = touches
        for points, surface in zip(self._groups, touches, strict=True):
            if surface is not None:
                plan[points, DOES], plan[points, LEVEL] = TOUCHES, surface.level
        self._grip(before, ways, speeds, plan)
        return plan

    def _grip(self, before: Floats, ways: list[tuple[Floats, Floats]], speeds: list[float], plan: Floats) -> None:
        """Hands that hold bars: of each the group of points that is nearest to one."""
        held: dict[int, tuple[float, int]] = {}  # by link: how near, and the group
        for g, (link, hand) in enumerate(zip(self._links, self._hands, strict=True)):
            if hand and self._bars and speeds[g] < _GRIP_SLOW:
                away = min(max(_from_bar(place, bar) for place in ways[g]) for bar in self._bars) / self._tall
                if self._gripping[g] is not None:
                    away = 0.5 * away  # it goes on with what it holds
                if away < _GRIP:
                    held[link] = min(held.get(link, (away, g)), (away, g))
        chosen = {g for _, g in held.values()}
        for g, points in enumerate(self._groups):
            kept = self._gripping[g]
            self._gripping[g] = None if g not in chosen else before[points].copy() if kept is None else kept
            if g in chosen:
                plan[points, DOES], plan[points, PLAN_NORMAL : PLAN_NORMAL + 3] = GRIPPING, self._gripping[g]

    def _is_near(self, way: tuple[Floats, Floats], surface: Surface, n: int) -> bool:
        """Whether something is near enough to a surface to begin to touch it (n = 0), or to go on (n = 1)."""
        return self._away(way, surface) < (self._near[n] if surface == GROUND else SEATED)

    def _rises(self, way: tuple[Floats, Floats]) -> bool:
        return not self._rough and float(way[1][1] - way[0][1]) * self._fps > _RISING * self._tall

    def _away(self, way: tuple[Floats, Floats], surface: Surface) -> float:
        """How far the farther end of a way is from a surface, in heights; nothing is below the ground."""
        found = 0.0
        for x, y, z in way:
            if not surface.has(float(x), float(z)):
                return np.inf
            above = (y - surface.level) / self._tall
            found = max(found, above if surface == GROUND else abs(above))
        return float(found)


def _from_bar(place: Floats, bar: GripBar) -> float:
    """How far a place is from a bar."""
    begin, along = np.array(bar.begin), np.subtract(bar.end, bar.begin)
    share = float(np.clip((place - begin) @ along / (along @ along), 0.0, 1.0))
    return float(np.linalg.norm(begin + share * along - place))


def contact_plan(
    body: Body, places: Floats, fps: float, surfaces: Sequence[Surface | GripBar] = (GROUND,), rough: float = 0.0,
    holds: Sequence[Hold] = (),
) -> Floats:  # fmt: skip
    """The plan of a whole motion, (frames - 1, points, PLAN_COLUMNS), for the places of its points (frames, points,
    3)."""
    planner = ContactPlanner(body, fps, surfaces, rough)
    rows = [planner.row(one, other) for one, other in pairwise(places)]
    plan = np.array(rows).reshape(len(rows), places.shape[1], PLAN_COLUMNS)
    for hold in holds:
        own = [group for group, link in zip(contact_groups(body), group_links(body), strict=True) if link == hold.part]
        ways = slice(hold.first, max(hold.first, min(hold.last, len(plan))))
        for i in own[0] if len(plan[ways]) else ():  # by its first points: a palm
            at = places[hold.first, i]
            plan[ways, i, DOES] = GRIPPING if hold.rope is None else HANGS
            plan[ways, i, PLAN_NORMAL : PLAN_NORMAL + 3] = at if hold.rope is None else hold.rope
            plan[ways, i, LEVEL] = 0.0 if hold.rope is None else np.linalg.norm(at - hold.rope)
    return plan


def level_heights(body: Body, places: Floats, fps: float) -> Floats:
    """How high the ground seems to be in each frame of a recording, (frames,): where soles stand still, smoothly. What
    cameras see as level ground may be neither level nor at one height."""
    means, stands = _standing(body, places, fps)
    lowest = np.where(stands, means, np.inf).min(axis=1)
    known = np.flatnonzero(np.isfinite(lowest))
    if not len(known):
        return np.zeros(len(places))
    found = np.interp(np.arange(len(places)), known, lowest[known])
    half = round(LEVELLING * fps)
    longer = np.concatenate([np.full(half, found[0]), found, np.full(half, found[-1])])
    sums = np.cumsum(np.concatenate([[0.0], longer]))
    return np.asarray((sums[2 * half + 1 :] - sums[: -2 * half - 1]) / (2 * half + 1))


def with_flat_soles(body: Body, angles: Floats, fps: float) -> Body:
    """A recorded body whose points of contact are at the same height where it stands: a skeleton does not say where its
    soles are, but a recording shows it."""
    points, transforms = contact_table(body), joint_transforms(body, angles)
    places = point_places(points, transforms)
    places[:, :, 1] -= level_heights(body, places, fps)[:, None]
    _, stands = _standing(body, places, fps)
    moved = points.copy()
    for group, members in enumerate(contact_groups(body)):
        frames = np.flatnonzero(stands[:, group])
        if len(frames) < 2:
            continue
        up = transforms[frames, int(points[members[0], 0]), 6:9].mean(axis=0)  # the world's, in the segment's frame
        for i in members:
            by = float(np.median(places[frames, i, 1]))
            moved[i, 1:4] -= max(-MOST_FLATTENED, min(MOST_FLATTENED, by / body.height)) * body.height * up
    for j in np.unique(points[:, 0]):
        own = points[:, 0] == j
        moved[own, 1:4] = _flat(moved[own, 1:4])
    rows = iter(moved[:, 1:4].tolist())
    joints = [replace(joint, contacts={name: tuple(next(rows)) for name in joint.contacts}) for joint in body.joints]
    return replace(body, joints=tuple(joints))


def _flat(places: Floats) -> Floats:
    """Places (n, 3) on the plane that is nearest to all of them."""
    middle = places.mean(axis=0)
    normal = np.linalg.svd(places - middle)[2][-1]
    return np.asarray(places - np.outer((places - middle) @ normal, normal) if len(places) > 3 else places)


def _standing(body: Body, places: Floats, fps: float) -> tuple[Floats, Flags]:
    """The height of each group of points, and whether it seems to stand on something, (frames, groups)."""
    means = np.stack([places[:, points].mean(axis=1) for points in contact_groups(body)], axis=1)
    speeds = np.linalg.norm(np.gradient(means, axis=0), axis=2) * fps / body.height
    return means[:, :, 1], (speeds < _SLOW[0]) & (means[:, :, 1] < HIGHEST_GROUND * body.height)


def falling_points(body: Body) -> Floats:
    """Balls that a body falls on, as rows of the same table: a few of each segment, as far apart as they can be."""
    rows: list[tuple[float, ...]] = []
    for j, joint in enumerate(body.joints):
        balls: list[tuple[float, ...]] = []
        for shape in joint.shapes if joint.mass > 0.0 else ():
            if shape.kind in ("capsule", "hull"):
                balls += [(*at, radius) for at, radius in zip(shape.points, shape.sizes, strict=True)]
            else:
                balls += [(*at, min(shape.sizes) * (0.5 if shape.kind == "box" else 1.0)) for at in shape.points]
        chosen: list[tuple[float, ...]] = []
        while balls and len(chosen) < PER_SEGMENT:
            apart = [min((float(np.linalg.norm(np.subtract(b, c)[:3])) for c in chosen), default=b[3]) for b in balls]
            best = int(np.argmax(apart))
            if chosen and apart[best] < _FINE * body.height:
                break
            chosen.append(balls.pop(best))
        rows += [(j, *ball) for ball in chosen]
    return np.array(rows, dtype=np.float64).reshape(len(rows), POINT_COLUMNS)
