"""The same parts of a clip and of another body, and postures of that body that are turned as the clip's are.

Each part of the target is turned as the source's part is, seen from frames that mean the same in both (see
puppet.clip.frames). Places are scaled by the ratio of the legs: the hips go where the source's go, and what is quick in
that is the trunk's, since a recorded pelvis shakes about its spine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body, joint_transforms, local_rotations
from puppet.clip.contacts import GroundContact, ground_height, sole_points
from puppet.clip.deviation import Reference
from puppet.clip.frames import part_frames, parts_of
from puppet.clip.furnish import NEXT
from puppet.clip.measure import lone_frames
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
from puppet.errors import PuppetError
from puppet.geometry import Transforms, interpolate_rows
from puppet.types import Floats

_STRAIGHT = 0.15  # the sine of how far a limb is bent that counts as straight
_FREE = 2.5  # radians: what can be turned on so far to either side has no limits; what should be, is not all the way
_TRUNK = ("hips", "chest", "head")
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


class Correspondence:
    """A clip and another body: which parts are the same, and how that body is turned as the clip's is."""

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

    def place(self, points: Floats) -> Floats:
        """Places of the source in the world of the target, with the ground at y = 0."""
        found = self.scale * points
        found[..., 1] += self.rise - self.scale * self.ground
        return np.asarray(found)

    def references(self) -> Floats:
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
            ways = [self.place(source[:, self.theirs[part], :3]) - placed[:, self.own[part], :3] for part in trunk]
            by_trunk = np.mean(ways, axis=0)
            by_hips = self.place(self._middle(source, self.theirs)) - self._middle(placed, self.own)
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


def _mended(source: RetargetSource, lone: list[int]) -> RetargetSource:
    """The same with postures between those before and after, where frames are unlike both."""
    if not lone:
        return source
    angles, frames = np.array(source.angles), np.array(lone)
    before, after = angles[frames - 1], angles[frames + 1]
    beside = Reference(source.body, before)
    angles[frames] = beside.displaced(0.5 * beside.deviations(after))
    return replace(source, angles=angles, transforms=joint_transforms(source.body, angles))


def _length(body: Body, joint: int) -> float:
    """From the next part above to a joint: the bones between."""
    named = {body.joint(name) for name in body.humanoid}
    total = float(np.linalg.norm(body.arrays.offsets[joint]))
    above = body.joints[joint].parent
    while above >= 0 and above not in named:
        total += float(np.linalg.norm(body.arrays.offsets[above]))
        above = body.joints[above].parent
    return total


def _unit(way: Floats) -> Floats:
    """A direction, of length 1."""
    return np.asarray(way / max(float(np.linalg.norm(way)), 1e-12))
