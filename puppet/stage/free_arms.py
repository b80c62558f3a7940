"""Arms of who sits down or stands up with nothing in a hand: led as between a table and the body's sides, or straight
to where they go, or around what is in their way."""

from __future__ import annotations

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.motion import DEPTH_TOLERANCE, ArmRoom, plan_trajectory
from puppet.stage.journey import Journey, in_hand
from puppet.stage.led_hands import led_hands
from puppet.types import Floats

# Times the way of an arm that goes straight: one that is led goes no farther without need; and body heights a frame by
# which a velocity may change, if not more than where it is led.
_FARTHER, _JOLT = 1.3, 0.01


def free_arms(
    body: Body, journey: Journey, room: ArmRoom, postures: Floats, rests: Floats, velocity: Floats
) -> Floats:
    """Postures (frames, dofs) with arms that get into nothing, as far as a way is found, and go no long way round to
    where they are in the last of rests (frames, dofs). velocity (dofs,): with which they begin, a frame."""
    held, least = in_hand(journey), DEPTH_TOLERANCE * body.height
    found = postures
    for hand in journey.free:
        depth = room.depth(journey.start, found, hand, held)
        straight = room.cleared(journey.start, _straight(body, journey, found, rests[-1], velocity, hand), [hand], held)
        own = room.depth(journey.start, straight, hand, held)
        way, jolt = _way_and_jolt(body, hand, journey.start, found)
        other_way, other_jolt = _way_and_jolt(body, hand, journey.start, straight)
        calm = other_jolt <= max(jolt, _JOLT * body.height)
        if calm and (max(own, least), _FARTHER * other_way) < (max(depth, least), way):
            found, depth = straight, own
        if depth > least:
            around = led_hands(body, journey, np.concatenate([journey.start[None], found]), [hand])[1:]
            found = around if room.depth(journey.start, around, hand, held) < depth else found
    return found


def _way_and_jolt(body: Body, hand: str, start: Floats, postures: Floats) -> tuple[float, float]:
    """How far elbow and hand go, as the chest sees it, and by how much their velocity changes in a frame at most."""
    limb = body.limb(hand)
    world = joint_transforms(body, np.concatenate([start[None], postures]))
    chest, ends = world[:, limb.trunk[-1] if limb.trunk else 0], world[:, list(limb.joints[1:]), :3]
    seen = np.einsum("nba,njb->nja", chest[:, 3:].reshape(-1, 3, 3), ends - chest[:, None, :3])
    way = np.linalg.norm(np.diff(seen, axis=0), axis=2).sum()
    return float(way), float(np.linalg.norm(np.diff(ends, 2, axis=0), axis=2).max(initial=0.0))


def _straight(
    body: Body, journey: Journey, postures: Floats, end: Floats, velocity: Floats, hand: str
) -> Floats:
    """The same with an arm whose joints turn to where they end, each by itself."""
    dofs = body.dofs_of(body.limb(hand).joints)
    found = postures.copy()
    found[:, dofs] = plan_trajectory(
        body, dofs, 0, len(postures), "smooth", journey.start[dofs], end[dofs], velocity[dofs]
    ).angles
    return found
