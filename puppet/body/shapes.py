"""The solid shapes of a body, joint by joint."""

from __future__ import annotations

import numpy as np

from puppet.body.body import Body, Shape

FIXED = -1  # the joint of what stands in the world and does not move


def shapes_by_joint(body: Body) -> list[tuple[int, tuple[Shape, ...]]]:
    """The shapes of each joint and of what does not move."""
    arrays = body.arrays
    found: list[tuple[int, tuple[Shape, ...]]] = [(FIXED, body.fixed_shapes)]
    bare = not any(joint.shapes for joint in body.joints)
    for j, joint in enumerate(body.joints):
        shapes = joint.shapes
        if bare:  # a body without any shape is drawn as its bones
            ends = [arrays.offsets[k] for k in np.flatnonzero(arrays.parents == j)] or [arrays.tips[j]]
            thick = 0.02 * body.height
            shapes = tuple(
                Shape("capsule", ((0.0, 0.0, 0.0), (float(x), float(y), float(z))), (thick, 0.7 * thick), "")
                for x, y, z in ends
            )
        found.append((j, shapes))
    return found
