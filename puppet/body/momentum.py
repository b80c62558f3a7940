"""Where a body's mass is in motion, and how it turns: centre of mass and angular momentum, frame by frame."""

from __future__ import annotations

import numpy as np

from puppet.body.body import Body
from puppet.errors import PuppetError
from puppet.geometry import rotation_vectors
from puppet.types import Floats


def centres_of_mass(body: Body, transforms: Floats) -> Floats:
    """(frames, 3) in the world, for the joints' transforms (frames, joints, 12)."""
    return np.asarray(np.einsum("j,fja->fa", _masses(body), _link_centres(body, transforms)))


def angular_momenta(body: Body, transforms: Floats, fps: float) -> Floats:
    """(frames, 3) about the centre of mass, for body mass 1 and height 1, in radians a second.

    That of a frame is of the way from the frame before to it; the first frame has that of the second:
    h = sum m d0 x d1 + (R0 + R1)/2 I R0^T log(R1 R0^T), with d from the centre of mass to that of a link. In free
    flight it stays exactly the same for point masses, however far apart frames are.
    """
    if len(transforms) < 2:
        return np.zeros((len(transforms), 3))
    masses, centres = _masses(body), _link_centres(body, transforms)
    arms = centres - np.einsum("j,fja->fa", masses, centres)[:, None]
    found = np.einsum("j,fja->fa", masses, np.cross(arms[:-1], arms[1:]))
    rotations = transforms[:, :, 3:].reshape(*transforms.shape[:2], 3, 3)
    inertias = masses[:, None] * np.square([joint.gyration for joint in body.joints])  # (joints, 3), about own axes
    before, now = rotations[:-1], rotations[1:]
    turns = rotation_vectors((before.swapaxes(-1, -2) @ now).reshape(-1, 3, 3)).reshape(*before.shape[:2], 3)
    found += np.einsum("fjab,fjb->fa", 0.5 * (before + now), inertias * turns)
    found *= fps / body.height**2
    return np.concatenate([found[:1], found])


def inertia_tensors(body: Body, transforms: Floats) -> Floats:
    """(frames, 3, 3) about the centre of mass along the axes of the world, for body mass 1 and height 1."""
    masses, centres = _masses(body), _link_centres(body, transforms)
    arms = centres - np.einsum("j,fja->fa", masses, centres)[:, None]
    rotations = transforms[:, :, 3:].reshape(*transforms.shape[:2], 3, 3)
    own = masses[:, None] * np.square([joint.gyration for joint in body.joints])
    found = np.einsum("fjab,jb,fjcb->fac", rotations, own, rotations)
    found += np.einsum("j,fja,fja->f", masses, arms, arms)[:, None, None] * np.eye(3)
    found -= np.einsum("j,fja,fjb->fab", masses, arms, arms)
    return np.asarray(found / body.height**2)


def _masses(body: Body) -> Floats:
    """(joints,), of a whole body of mass 1."""
    masses = np.array([joint.mass for joint in body.joints])
    if masses.sum() <= 0.0:
        raise PuppetError(f"the body '{body.name}' has no masses")
    return np.asarray(masses / masses.sum())


def _link_centres(body: Body, transforms: Floats) -> Floats:
    """The mass centres of all segments, (frames, joints, 3)."""
    rotations = transforms[:, :, 3:].reshape(*transforms.shape[:2], 3, 3)
    local = np.array([joint.mass_centre for joint in body.joints])
    return np.asarray(transforms[:, :, :3] + np.einsum("fjab,jb->fja", rotations, local))
