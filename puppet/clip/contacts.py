"""Contacts of the feet with the ground: when each point of a sole is low and does not move."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body
from puppet.types import Flags, Floats

_LOW, STILL_LOW = 0.02, 0.035  # above its own lowest height, in body heights: when a contact begins, and while it lasts
_SLOW, STILL_SLOW = 0.08, 0.16  # body heights a second
_SHORTEST, _GAP = 0.07, 0.06  # seconds: shorter contacts are none, shorter gaps are none either
_EDGE = 0.03  # seconds at both ends of a contact in which a foot may be on its way already
_SMOOTH = 0.02  # seconds to each side over which a speed is measured
_SAME_PLACE = 1e-6  # body heights: what moves by less does not
NEAR_GROUND = 0.06  # the lowest height of a point is that of the ground, or differs by no more
_FEET = ("leftFoot", "rightFoot", "leftToes", "rightToes")


@dataclass(frozen=True)
class GroundContact:
    """Frames in which a point of a foot stands on the ground, the last one included."""

    joint: int
    point: str
    at: tuple[float, float, float]  # in the joint's coordinates
    first: int
    last: int

    def within(self, first: int, last: int) -> GroundContact:
        """What there is of it in some frames; it ends before it begins if there is nothing."""
        return replace(self, first=max(self.first, first), last=min(self.last, last))

    def later(self, frames: int) -> GroundContact:
        return replace(self, first=self.first + frames, last=self.last + frames)


def sole_points(body: Body) -> list[tuple[int, str, Floats]]:
    """Joint, name and place of the points that touch the ground: several of a kind, as heel_inside and heel_outside,
    count as one in their middle."""
    found = []
    names = {part: name for name, part in body.humanoid.items()}
    for part in _FEET:
        if part not in names:
            continue
        j = body.joint(names[part])
        kinds: dict[str, list[Floats]] = {}
        for name, point in body.joints[j].contacts.items():
            kinds.setdefault(name.partition("_")[0], []).append(np.array(point))
        found += [(j, kind, np.mean(points, axis=0)) for kind, points in kinds.items()]
    return found


def point_paths(transforms: Floats, joint: int, at: Floats) -> Floats:
    """Where a point of a segment is, (frames, 3), for the joints' transforms (frames, joints, 12)."""
    rotations = transforms[:, joint, 3:].reshape(-1, 3, 3)
    return np.asarray(transforms[:, joint, :3] + rotations @ np.asarray(at))


def ground_height(body: Body, transforms: Floats) -> float:
    """Of the ground: where the lowest point of the feet is in the lower frames."""
    paths = [point_paths(transforms, joint, at)[:, 1] for joint, _, at in sole_points(body)]
    if not paths or not len(paths[0]):
        return 0.0
    return float(np.quantile(np.min(paths, axis=0), 0.2))


def find_contacts(body: Body, transforms: Floats, fps: float) -> tuple[GroundContact, ...]:
    """All contacts in recorded frames; none of a body without soles."""
    found: list[GroundContact] = []
    points = sole_points(body)
    if not points or len(transforms) < 2:
        return ()
    ground = ground_height(body, transforms)
    for joint, name, at in points:
        path = point_paths(transforms, joint, at)
        speed = _speeds(path, max(1, round(_SMOOTH * fps))) * fps
        slow = path[speed < _SLOW, 1]
        lowest = float(np.quantile(slow, 0.1)) if len(slow) else ground
        lowest = min(max(lowest, ground - NEAR_GROUND), ground + NEAR_GROUND)
        begins = (path[:, 1] < lowest + _LOW) & (speed < _SLOW)
        lasts = (path[:, 1] < lowest + STILL_LOW) & (speed < STILL_SLOW)
        for span in _spans(begins, lasts, max(1, round(_GAP * fps))):
            first, last = _still(path, *span, max(1, round(_EDGE * fps)))
            if last + 1 - first >= max(2, round(_SHORTEST * fps)):
                x, y, z = at.tolist()
                found.append(GroundContact(joint, name, (x, y, z), first, last))
    return tuple(sorted(found, key=lambda contact: (contact.first, contact.joint, contact.point)))


def _still(path: Floats, first: int, last: int, edge: int) -> tuple[int, int]:
    """A contact without the frames at its ends in which a point, slow as it is, moves more than in all others: held
    there, it would have to catch up with its path."""
    begin, end = first + edge if first > 0 else 0, last + 1 - edge if last + 1 < len(path) else len(path)
    if end - begin < 2:
        return first, last
    away = np.linalg.norm(path[first : last + 1] - np.median(path[begin:end], axis=0), axis=1)
    still = np.flatnonzero(away <= 2.0 * away[begin - first : end - first].max() + _SAME_PLACE)
    return first + int(still[0]), first + int(still[-1])


def _speeds(path: Floats, width: int) -> Floats:
    """Of a path (frames, 3), a frame: over some frames to both sides, (frames,)."""
    frames = np.arange(len(path))
    after, before = np.minimum(frames + width, len(path) - 1), np.maximum(frames - width, 0)
    return np.asarray(np.linalg.norm(path[after] - path[before], axis=1) / np.maximum(after - before, 1))


def _spans(begins: Flags, lasts: Flags, gap: int) -> list[tuple[int, int]]:
    """First and last frames of the runs in which `lasts` holds and `begins` does somewhere; short gaps are closed."""
    runs: list[list[int]] = []
    for frame in np.flatnonzero(lasts).tolist():
        if runs and frame - runs[-1][1] <= gap:
            runs[-1][1] = frame
        else:
            runs.append([frame, frame])
    found = []
    for first, last in runs:
        inside = np.flatnonzero(begins[first : last + 1])
        if len(inside):
            found.append((first + int(inside[0]), first + int(inside[-1])))
    return found
