"""Legs that would leap for all to see have time for it, one at a time, and no foot leaves its place on the floor."""

from __future__ import annotations

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.locomotion import foot_contacts, legs_of, measured
from puppet.motion import without_seen_leaps
from puppet.types import Floats

_STANDS, _SLIDES = 6e-4, 1e-4  # body heights: over the lowest point in the motion; what a point that stands may move


def calm_legs(body: Body, before: Floats, postures: Floats) -> Floats:
    """Postures (frames + 1, dofs) that begin with the present. before (dofs,): the posture a frame ago."""
    found = postures
    for leg in legs_of(body):
        joints = frozenset(int(j) for j in np.flatnonzero(body.model.below[leg.joints[0]]))
        tried = without_seen_leaps(body, before, found, joints)
        if tried is not found and not _slides(body, found, tried):
            found = tried
    return found


def _slides(body: Body, before: Floats, after: Floats) -> bool:
    """Whether a point of a sole that stood is elsewhere, or one that did not goes into the floor."""
    worlds = [joint_transforms(body, postures) for postures in (before, after)]
    soles = [np.concatenate([foot_contacts(foot, world) for foot in measured(body).feet], axis=1) for world in worlds]
    floor = float(soles[0][..., 1].min())
    stands = soles[0][..., 1] < floor + _STANDS * body.height
    moved = np.linalg.norm(soles[1] - soles[0], axis=2)
    sinks = floor - float(soles[1][..., 1].min())
    return float(moved[stands].max(initial=0.0)) > _SLIDES * body.height or sinks > _SLIDES * body.height
