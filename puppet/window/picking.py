"""Finds what is under the pointer: the nearest object, space or hand on a ray from the eye. Arithmetic only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from puppet.geometry import Transform
from puppet.scene import Scene
from puppet.types import Floats

SPACE_RADIUS = 0.035  # larger than the disc that is drawn: easier to hit
HAND_RADIUS = 0.045
_EASE = 1.15  # things are a little larger for the pointer than on screen
_AROUND = 24


@dataclass(frozen=True)
class Pick:
    """Something that a hand can reach for."""

    kind: str  # object, space, hand
    name: str
    distance: float = field(default=0.0, compare=False)  # from the eye

    @property
    def words(self) -> str:
        return {"space": f"space {self.name}", "hand": f"{self.name} hand"}.get(self.kind, self.name)


def pick(
    eye: Floats, direction: Floats, scene: Scene, objects: Mapping[str, Transform], hands: Mapping[str, Transform]
) -> Pick | None:
    """The nearest object, space or hand that a ray hits."""
    found: list[Pick] = []
    for thing in scene.objects:
        at = box_distance(eye, direction, objects[thing.name], _EASE * thing.width)
        if at is not None:
            found.append(Pick("object", thing.name, at))
    for name, pose in hands.items():
        at = ball_distance(eye, direction, pose.position, HAND_RADIUS)
        if at is not None:
            found.append(Pick("hand", name, at))
    for space in scene.spaces:
        if space.name is None or space.dynamic:
            continue
        at = disc_distance(eye, direction, np.array(space.position), SPACE_RADIUS)
        if at is not None:
            found.append(Pick("space", space.name, at))
    return min(found, key=lambda entry: entry.distance) if found else None


def outline(pick: Pick, scene: Scene, objects: Mapping[str, Transform], hands: Mapping[str, Transform]) -> Floats:
    """Points around a thing in the world, (n, 3): its outline is their hull in the picture."""
    if pick.kind == "object":
        pose, width = objects[pick.name], 1.08 * scene.object(pick.name).width
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
        return np.asarray(pose.position + width * corners @ pose.rotation.T)
    angle = np.linspace(0.0, 2.0 * np.pi, _AROUND, endpoint=False)
    ring = np.stack([np.cos(angle), np.zeros(_AROUND), np.sin(angle)], axis=1)
    if pick.kind == "space":
        return np.asarray(scene.space(pick.name).position + SPACE_RADIUS * ring)
    upright = ring[:, [0, 2, 1]]
    return np.asarray(hands[pick.name].position + HAND_RADIUS * np.concatenate([ring, upright, ring[:, [1, 0, 2]]]))


def box_distance(eye: Floats, direction: Floats, pose: Transform, half: float) -> float | None:
    """The distance along a ray at which it hits a cube; `half` of the cube's edge."""
    start, way = (eye - pose.position) @ pose.rotation, direction @ pose.rotation
    way = np.where(np.abs(way) < 1e-12, 1e-12, way)
    one, other = (-half - start) / way, (half - start) / way
    enters, leaves = float(np.minimum(one, other).max()), float(np.maximum(one, other).min())
    return max(enters, 0.0) if enters <= leaves and leaves > 0.0 else None


def ball_distance(eye: Floats, direction: Floats, centre: Floats, radius: float) -> float | None:
    along = float((centre - eye) @ direction)
    aside = float(np.sum((centre - eye) ** 2)) - along * along
    return along - float(np.sqrt(radius * radius - aside)) if along > 0.0 and aside < radius * radius else None


def disc_distance(eye: Floats, direction: Floats, centre: Floats, radius: float) -> float | None:
    """The distance along a ray at which it hits a horizontal disc."""
    if abs(direction[1]) < 1e-9:
        return None
    along = float((centre[1] - eye[1]) / direction[1])
    return along if along > 0.0 and float(np.linalg.norm(eye + along * direction - centre)) < radius else None
