"""The head goes on facing what is looked at while that moves: frame by frame, from where it looks now."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.command import DEFAULT_FPS, Spot
from puppet.motion import eyes_on, into_limits
from puppet.stage.stances import StancePostures
from puppet.stage.state import Running, State
from puppet.tasks import AtStance, spot_place
from puppet.types import Floats

_STIFFNESS = 0.35  # a frame at DEFAULT_FPS: how fast the head catches up with what has got away
_SETTLED = math.radians(0.3)  # and so much a frame
LEAP = math.radians(2.0)  # a frame at DEFAULT_FPS: where the head comes off its limits, what it should do may leap
SEEN = 20.0  # degrees: what is farther from where the eyes look is not looked at
_EYES = 0.35  # the part of the way to what is looked at that eyes turn in a frame at DEFAULT_FPS


def spot_on_stage(body: Body, state: State, spot: Spot) -> Floats | None:
    """Where what is looked at is on stage."""
    if spot.kind == "hand":
        return hand_transforms(body, state.angles)[spot.name].position
    if spot.kind == "name" and spot.name in state.staged.transforms:
        return state.staged.transforms[spot.name].position
    place = spot_place(state.staged.scene, spot)
    return None if place is None else np.array(place)


def degrees_off(body: Body, angles: Floats, place: Floats) -> float:
    """By how many degrees the eyes do not face a place."""
    assert body.gaze is not None
    world, found = joint_transforms(body, angles), []
    for joint in body.eyes or (body.gaze.joint,):
        rotation = world[joint, 3:].reshape(3, 3)
        eye = world[joint, :3] + (0.0 if body.eyes else rotation @ np.array(body.gaze.eyes))
        way = place - eye
        cosine = rotation @ np.array(body.gaze.forward) @ way / max(float(np.linalg.norm(way)), 1e-9)
        found.append(math.degrees(math.acos(min(max(float(cosine), -1.0), 1.0))))
    return min(found)


def can_be_seen(body: Body, angles: Floats, place: Floats) -> bool:
    """Whether eyes can turn to a place where the head is turned as in a posture."""
    eyes, turned = eyes_on(body, angles, place)
    faced = angles.copy()
    faced[eyes] = turned
    return degrees_off(body, faced, place) <= SEEN


def travels(running: Iterable[Running]) -> bool:
    """Whether the body itself is under way."""
    return any(isinstance(r.motion.goal, AtStance) and r.end is not None for r in running)


def moves(state: State, spot: Spot) -> bool:
    """Whether what is looked at is under way, as who looks sees it."""
    if travels(state.running):
        return True
    if spot.kind == "hand":
        return bool(state.trajectories)
    return spot.kind == "name" and any(spot.name in carrying.objects for carrying in state.carrying)


def is_free(body: Body, state: State) -> bool:
    """Whether no task needs the head for something else."""
    assert body.gaze is not None
    return not any(r.motion.head or body.gaze.joint in r.motion.critical for r in state.running)


def pursued(
    body: Body, postures: StancePostures, state: State, angles: Floats, place: Floats
) -> tuple[Floats, Floats | None]:
    """The angles of a frame with the head turned on towards a place, and where it should be by now; None where it is
    there and nothing moves."""
    assert body.gaze is not None
    rate = DEFAULT_FPS / state.plan.fps
    stiffness, leap, share = _STIFFNESS * rate, LEAP * rate, min(1.0, _EYES * rate)
    dofs = np.array(body.rotation_dofs[body.gaze.joint], np.intp)  # none of a head that does not turn
    now, last = state.angles[dofs], state.before[dofs]
    faced = postures.facing(angles, place)
    seen = can_be_seen(body, faced, place)  # what has got behind the back is not looked at any more
    wanted = faced[dofs] if seen else np.zeros(len(dofs))
    wanted += 2.0 * math.pi * np.round((now - wanted) / (2.0 * math.pi))
    drift = np.zeros(len(dofs)) if state.pursued is None else wanted - state.pursued
    drift = now - last + np.clip(drift - (now - last), -leap, leap)
    speed = drift + ((now - last - drift) + stiffness**2 * (wanted - now)) / (1.0 + 2.0 * stiffness)
    found = angles.copy()
    found[dofs] = now + speed
    into_limits(body, body.gaze.joint, found)
    eyes, turned = eyes_on(body, found, place)
    turned = turned if seen else np.zeros(len(eyes))
    found[eyes] = state.angles[eyes] + share * (turned - state.angles[eyes])
    rest = np.abs(turned - found[eyes]).max(initial=0.0)
    left = max(np.abs(wanted - now).max(initial=0.0), np.abs(speed).max(initial=0.0), rest)
    settled = not state.trajectories and left < _SETTLED
    return found, None if settled else wanted
