"""What goes through what in a performance, in every frame: by the shapes of the body at full size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmarks.motion.depth import Hulls, depths
from benchmarks.motion.solids import ARM_GROUPS, Solid, body_solids, placed, scene_solids
from benchmarks.motion.tasks import holds_of, tasks_of
from puppet.body import Body, joint_transforms
from puppet.performance import Performance
from puppet.types import Floats, Ints

LIMIT = 0.002 / 1.75  # 2 mm of a body that is 1.75 m tall
_LEAST = 0.5 * LIMIT  # what is less deep is clear
_AIR = ("table", "stand", "thing")  # groups that are no part of the body


@dataclass(frozen=True)
class Overlap:
    """Two parts, the kinds of what they are, and how deep (frames,) one is in the other; 0 where they are clear."""

    parts: tuple[str, str]
    kind: str  # hand / table
    depth: Floats

    @property
    def worst(self) -> tuple[float, int]:
        """The largest depth, and its frame."""
        frame = int(self.depth.argmax())
        return float(self.depth[frame]), frame


def overlaps(performance: Performance) -> list[Overlap]:
    """All pairs of parts that are in one another by more than LIMIT in any frame.

    Neighbours in the body are left out. What is in one another at rest, or before anything happens, counts by what it
    is deeper later: see `rest_overlaps`. A hand may be in the thing that it takes hold of by as much as it is when it
    does.
    """
    body, frames = performance.body, len(performance.angles)
    solids = body_solids(body) + scene_solids(performance)
    moving = _moving(performance)
    still = [solid.group in _AIR and not (solid.thing >= 0 and moving[:, solid.thing].any()) for solid in solids]
    pairs = [(i, j) for i, j in _pairs(body, solids) if not (still[i] and still[j])]
    found = _all_depths(solids, pairs, performance.joint_transforms, performance.object_transforms)
    by_parts: dict[tuple[str, str, str], Floats] = {}
    rest = dict(_depths_at_rest(body))
    for (i, j), depth in found.items():
        a, b = solids[i], solids[j]
        if a.group == "thing":
            moves = moving[:, a.thing] | (moving[:, b.thing] if b.group == "thing" else False)
            depth = np.where(moves | (b.group not in _AIR), depth, 0.0)
        else:
            depth = np.maximum(0.0, depth - max(depth[0], rest.get((i, j), 0.0)))
        key = a.part, b.part, f"{_word(a)} / {_other_word(a, b)}"
        by_parts[key] = np.maximum(by_parts.get(key, np.zeros(frames)), depth)
    for key in [key for key in by_parts if key[2] in ("hand / thing", "carried thing / hand")]:
        by_parts[key] = np.maximum(0.0, by_parts[key] - _allowed(performance, key, by_parts[key]))
    return [
        Overlap((first, second), kind, depth)
        for (first, second, kind), depth in by_parts.items()
        if depth.max(initial=0.0) > LIMIT
    ]


def rest_overlaps(performance: Performance) -> dict[str, float]:
    """How deep parts are in something else than the body before anything happens, by their kinds."""
    solids = body_solids(performance.body) + scene_solids(performance)
    pairs = [
        (i, j) for i, j in _pairs(performance.body, solids) if solids[i].group != "thing" and solids[j].group in _AIR
    ]
    depth = _all_depths(solids, pairs, performance.joint_transforms[:1], performance.object_transforms[:1])
    found: dict[str, float] = {}
    for (i, j), deep in depth.items():
        kind = f"{_word(solids[i])} / {solids[j].group}"
        found[kind] = max(found.get(kind, 0.0), float(deep[0]))
    return found


def _word(a: Solid) -> str:
    return "carried thing" if a.group == "thing" else a.group


def _other_word(a: Solid, b: Solid) -> str:
    if b.group in ARM_GROUPS and a.group in ARM_GROUPS:
        return f"{'own' if a.limb == b.limb else 'other'} {b.group}"
    return b.group


def _moving(performance: Performance) -> np.ndarray:
    """Whether each thing moves in each frame, (frames, objects): since the frame before, or to the one after."""
    rows = performance.object_transforms
    found = np.zeros(rows.shape[:2], dtype=bool)
    steps = np.abs(np.diff(rows, axis=0)).max(axis=2, initial=0.0) > 1e-9
    found[1:] |= steps
    found[:-1] |= steps
    return found


def _allowed(performance: Performance, key: tuple[str, str, str], depth: Floats) -> Floats:
    """How deep a hand may be in a thing: as deep as when it has taken hold, from when it reaches until it has left."""
    first, second, _ = key
    part, thing = (first, second) if first.endswith(" hand") and second in performance.object_names else (second, first)
    found = np.zeros(len(depth))
    for task in tasks_of(performance):
        if f"{task.hand} hand" == part and task.thing == thing:
            last, most = task.end, depth[task.end]
            for hold in holds_of(performance):
                if hold.hand == task.hand and hold.thing == thing and hold.start == task.end:
                    last = hold.end
                    most = max(most, *(depth[end] for _, end in hold.regrips), 0.0)
            clear = np.flatnonzero(depth[last:] <= 0.0)
            end = last + int(clear[0]) if len(clear) else len(depth)
            found[task.start : end + 1] = np.maximum(found[task.start : end + 1], most + LIMIT)
    return found


def _pairs(body: Body, solids: list[Solid]) -> Iterable[tuple[int, int]]:
    """Places of solids that may meet."""
    for i, a in enumerate(solids):
        for j, b in enumerate(solids):
            if _meet(body, a, b) and not (_meet(body, b, a) and j < i):
                yield i, j


def _meet(body: Body, a: Solid, b: Solid) -> bool:
    """Whether the first is one that moves, and the second one that it must keep clear of."""
    if a.part == b.part:
        return False
    if a.group in ("torso", "head"):
        return b.group in _AIR
    if a.group == "thing":
        return True
    return a.group in ARM_GROUPS and not _neighbours(body, a.joint, b.joint)


def _neighbours(body: Body, a: int, b: int) -> bool:
    """Whether one hangs from the other; an upper arm hangs from the trunk, with whatever is between them."""
    if a < 0 or b < 0:
        return False
    if a == b or body.joints[a].parent == b or body.joints[b].parent == a:
        return True
    for limb in body.limbs.values():
        for own, other in ((a, b), (b, a)):
            if limb.trunk and own == limb.joints[0]:
                above = [body.joints[own].parent]
                while above[-1] >= 0 and above[-1] != limb.trunk[-1]:
                    above.append(body.joints[above[-1]].parent)
                if other in above:
                    return True
    return False


@lru_cache(maxsize=8)
def _depths_at_rest(body: Body) -> tuple[tuple[tuple[int, int], float], ...]:
    """How deep the parts of a body are in one another at rest."""
    solids = body_solids(body)
    pairs = list(_pairs(body, solids))
    found = _all_depths(solids, pairs, joint_transforms(body, body.rest[None]), np.zeros((1, 0, 12)))
    return tuple((pair, float(depth[0])) for pair, depth in found.items())


def _all_depths(
    solids: list[Solid], pairs: list[tuple[int, int]], joints: Floats, things: Floats
) -> dict[tuple[int, int], Floats]:
    """Depths (frames,) of the pairs that meet in any frame; 0 where one is hardly in the other."""
    frames = len(joints)
    where = [placed(solid, joints, things) for solid in solids]
    low, high = np.empty((len(solids), frames, 3)), np.empty((len(solids), frames, 3))
    for s, (solid, (centres, stretch)) in enumerate(zip(solids, where, strict=True)):
        reach = np.sqrt(solid.radii[:, None] ** 2 + (stretch**2).sum(axis=1)[:, None, :])  # (frames, balls, 3)
        low[s], high[s] = (centres - reach).min(axis=1), (centres + reach).max(axis=1)
    first, second = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    apart = np.zeros((len(pairs), frames), dtype=bool)
    for axis in range(3):
        apart |= low[first, :, axis] > high[second, :, axis] - _LEAST
        apart |= low[second, :, axis] > high[first, :, axis] - _LEAST
    near, frame = np.nonzero(~apart)
    found: dict[tuple[int, int], Floats] = {}
    sizes = np.array([len(solid.radii) for solid in solids])
    larger = np.maximum(sizes[first[near]], sizes[second[near]])
    for least, most in ((0, 3), (3, 12), (12, 1000)):
        chosen = np.flatnonzero((larger > least) & (larger <= most))
        for part in np.array_split(chosen, max(1, len(chosen) // 20_000)):
            if len(part):
                a = _gather(solids, where, first[near[part]], frame[part])
                b = _gather(solids, where, second[near[part]], frame[part])
                deep = depths(a, b, -_LEAST)
                for n in np.flatnonzero(deep > _LEAST):
                    row = found.setdefault(pairs[near[part[n]]], np.zeros(frames))
                    row[frame[part[n]]] = deep[n]
    return found


def _gather(solids: list[Solid], where: list[tuple[Floats, Floats]], chosen: Ints, frames: Ints) -> Hulls:
    """Solids in some frames; those with fewer balls than others have their first ball again and again."""
    most = max(len(solids[s].radii) for s in np.unique(chosen))
    centres, radii = np.empty((len(chosen), most, 3)), np.empty((len(chosen), most))
    stretch = np.empty((len(chosen), 3, 3))
    for s in np.unique(chosen):
        own = np.flatnonzero(chosen == s)
        balls = np.concatenate([np.arange(len(solids[s].radii)), np.zeros(most - len(solids[s].radii), dtype=np.int64)])
        centres[own] = where[s][0][frames[own]][:, balls]
        radii[own] = solids[s].radii[balls]
        stretch[own] = where[s][1][frames[own]]
    return Hulls(centres, radii, stretch)
