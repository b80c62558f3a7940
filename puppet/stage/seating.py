"""Where a body with legs sits at a table, and the posture in which it does."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from puppet.body import Body
from puppet.locomotion import legs_of
from puppet.locomotion.route import CUSHION
from puppet.scene import Position, Scene
from puppet.solver import Figure
from puppet.types import Floats

BELOW_TABLE = 0.075  # of the body's height: how far the hips are below the table's top, so that elbows are above it
# Feet are drawn to the floor in stages of some steps: all the way at once, knees may bend the wrong way and stay there.
_STAGES, STEPS_A_STAGE = 10, 2
FEET_FORWARD = 0.96  # of the thigh's length: the shins stand a little inclined


@dataclass(frozen=True)
class SeatedAt:
    """A place to sit, in the world."""

    hips: Position
    floor: float

    @property
    def top(self) -> Position:
        """The middle of the seat that the body sits on."""
        x, y, z = self.hips
        return x, y - CUSHION, z


def seat_at(body: Body, scene: Scene) -> SeatedAt:
    """Where a body sits at the table of a scene: in the middle before it, the feet on the floor."""
    centres = {limb.name: [body.joints[j].centre for j in limb.joints] for limb in legs_of(body)}
    knee = max(points[1][1] for points in centres.values())
    height = scene.table.height - BELOW_TABLE * body.height
    return SeatedAt((scene.table.skew, height, 0.0), height - knee)


@lru_cache(maxsize=32)
def sitting(body: Body, seat: SeatedAt) -> Floats:
    """The angles (dofs,) of a body that sits: hips on the seat, feet flat on the floor, all else as at rest."""
    figure = Figure(body)
    root = body.joint_names[0]
    figure.pin(root, to=seat.hips)
    places: dict[str, Floats] = {}
    for limb in legs_of(body):
        hip, knee = (np.array(body.joints[j].centre) for j in limb.joints[:2])
        thigh = float(np.linalg.norm(knee - hip))
        sole = min((point[1] for point in body.joints[limb.joints[2]].contacts.values()), default=0.0)
        x = seat.hips[0] + float(hip[0] - body.joints[0].centre[0])
        place = (x, seat.floor - sole, seat.hips[2] + FEET_FORWARD * thigh)
        places[body.joint_names[limb.joints[2]]] = np.array(place)
    starts = {foot: figure.position(foot) for foot in places}
    for share in np.linspace(0.0, 1.0, _STAGES + 1)[1:]:
        for foot, end in places.items():
            figure.aim(foot, starts[foot] + share * (end - starts[foot]), np.eye(3), (0.0, 0.0, 0.0))
        for _ in range(STEPS_A_STAGE):
            figure.step()
    figure.settle()
    angles = np.array(figure.angles)
    angles.flags.writeable = False
    return angles
