"""The mass of a body that stands on both feet stays over them on its way from one posture to the next."""

from __future__ import annotations

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.geometry import hull
from puppet.locomotion.course import mass_centres
from puppet.locomotion.legs import Legs, foot_contacts
from puppet.types import Floats

_TOUCHES = 5e-3  # body heights: a point of a sole that is no higher over the lowest one touches the floor
_INSIDE = 0.01  # body heights: how far inside the area of the feet the mass stays, or as far as at both ends
_STRAIGHTER = (0.25, 0.5, 0.75, 1.0)  # tried in turn: by how much the way of the mass is made straighter


def keeps_over_feet(body: Body, legs: Legs, postures: Floats, share: Floats) -> Floats | None:
    """How far aside, in x and z, the root goes (frames, 2) for the mass to stay over what both feet stand on; None
    where it stays there without, or is not there at both ends. share (frames,): of the way, from 0 to 1."""
    mass = mass_centres(body, postures)[:, [0, 2]]
    corners = _area(legs, joint_transforms(body, postures[[0, -1]]))
    if len(corners) < 3:
        return None
    outside = _outside(corners, mass)
    most = max(-_INSIDE * body.height, float(outside[0]), float(outside[-1]))
    if most > 0.0 or outside.max() <= most + 1e-9:
        return None
    aside = mass[0] + share[:, None] * (mass[-1] - mass[0]) - mass
    found = (part * aside for part in _STRAIGHTER)
    return np.asarray(next((by for by in found if _outside(corners, mass + by).max() <= most + 1e-9), aside))


def _area(legs: Legs, ends: Floats) -> Floats:
    """The corners (n, 2) of the area that feet touch at both ends of a way; ends: (2, joints, 12)."""
    points = np.concatenate([foot_contacts(foot, ends) for foot in legs.feet], axis=1)
    low = points[..., 1].min(axis=1, keepdims=True) + _TOUCHES * legs.height
    touches = (points[..., 1] <= low).all(axis=0)
    return np.array(hull((float(x), float(z)) for x, z in points[-1, touches][:, [0, 2]]))


def _outside(corners: Floats, places: Floats) -> Floats:
    """How far places (n, 2) are outside a convex area, (n,); negative inside it. Its corners go counter-clockwise."""
    along = np.roll(corners, -1, axis=0) - corners
    normals = np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(along, axis=1)[:, None]
    return np.asarray(((places[:, None] - corners) * normals).sum(axis=2).max(axis=1))
