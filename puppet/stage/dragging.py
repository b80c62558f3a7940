"""The frames of a drag: the whole body follows one of its parts, and what is pinned stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.geometry import Transform
from puppet.locomotion import legs_of
from puppet.motion import progress
from puppet.scene import Scene
from puppet.solver import CentreOfMass, Figure
from puppet.tasks import AtDrag
from puppet.types import Floats

BALANCE_PRIORITY, BALANCE_GAIN = 3, 0.5  # after what is dragged and what is pinned


@dataclass(frozen=True, eq=False)
class PinnedPart:
    """Where a part is pinned, and how firmly."""

    at: Transform
    gain: float = 1.0


def drag_frames(
    body: Body, angles: Floats, pins: Mapping[str, PinnedPart], balance: bool, goal: AtDrag, frames: int, curve: str
) -> tuple[Floats, float]:
    """The postures (frames, dofs) of a drag that begins in a posture, and by how much it misses its goal."""
    figure = Figure(body, angles)
    for part, pinned in pins.items():
        figure.pin(part, gain=pinned.gain, to=pinned.at.position, turn=pinned.at.rotation)
    start = figure.position(goal.part)
    place = np.array(goal.to) if goal.to is not None else start + np.array(goal.by)
    shares = progress(curve, frames)
    found = np.empty((frames, body.dofs))
    stands = balance and _stands(body, pins)
    centre = figure.centre_of_mass if stands else start
    for n, share in enumerate(shares):
        if stands:  # the mass goes over the feet as the drag goes on: a body that stands up leans forwards
            over = centre + share * (_support(figure, pins) - centre)
            figure.hold("balance", CentreOfMass(x=float(over[0]), z=float(over[2])), BALANCE_PRIORITY, BALANCE_GAIN)
        found[n] = figure.follow(goal.part, (start + share * (place - start))[None])[0]
        if stands:
            figure.release("balance")
    return found, float(np.linalg.norm(figure.position(goal.part) - place))


def standing_pins(body: Body, scene: Scene, angles: Floats) -> dict[str, PinnedPart]:
    """What the floor and a seat hold: the feet, and the root of a body that sits."""
    legs = legs_of(body)
    seated = scene.stance is None or scene.stance.seat is not None
    joints = [*([0] if seated else []), *(limb.joints[-1] for limb in legs)] if legs else []
    rows = joint_transforms(body, angles)
    return {body.joint_names[j]: PinnedPart(Transform.of(rows[j, :3], rows[j, 3:].reshape(3, 3))) for j in joints}


def _support(figure: Figure, pins: Mapping[str, PinnedPart]) -> Floats:
    """The middle of the points of contact of the feet that are pinned."""
    body = figure.body
    points = [
        figure.position(part, point)
        for part in _feet(body)
        if part in pins
        for point in body.joints[body.joint(part)].contacts.values() or [(0.0, 0.0, 0.0)]
    ]
    return np.asarray(np.mean(points, axis=0))


def _feet(body: Body) -> tuple[str, ...]:
    return tuple(body.joint_names[limb.joints[-1]] for limb in body.limbs.values() if limb.kind == "leg")


def _stands(body: Body, pins: Mapping[str, PinnedPart]) -> bool:
    """Whether the body's weight is on its feet: they are pinned, and its root is not."""
    weighed = sum(joint.mass for joint in body.joints) > 0.0
    return weighed and body.free_root and body.joint_names[0] not in pins and any(part in pins for part in _feet(body))
