"""How long movements take: what was said, or as long as people take, longer for what is looked at or waited for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.command import DEFAULT_FPS
from puppet.geometry import Transform
from puppet.motion import (
    USUAL_SIZE,
    gentle_frames,
    least_frames,
    natural_frames,
    scene_boxes,
    seen_after,
    turning_frames,
)
from puppet.stage.held_hands import touched_things
from puppet.stage.relations import GESTURE_FRAMES
from puppet.stage.state import Running, State
from puppet.tasks import AtAngles, AtGesture, AtObject, AtPoint, AtRest, AtSpace, AtStance, Motion, Moved
from puppet.types import Floats

_DRAGGED = 0.02  # body heights: a root that is farther from where it belongs was dragged there
_LEAD, _LOOKS_BY = 4, 0.3  # frames at DEFAULT_FPS by which eyes go first at most; the share of a reach they have
_AWAY, _HOMEWARDS = 0.05, 0.6  # body heights from where a hand that goes home is in the way; the share of its time
FIRST_LOOK, SECOND_LOOK = 0.33, 0.55  # the shares of a reach after which the eyes turn to a second goal


def motion_frames(body: Body, state: State, r: Running, goal: Floats) -> int:
    """How long a motion takes: as was said, or as long as people take, longer where something is in the way. A body
    that comes from where it was dragged has the time that it needs for that, whatever was said."""
    motion, fps = r.motion, state.plan.fps
    of_gesture = isinstance(motion.goal, (AtAngles, AtGesture))
    away = float(np.abs(goal - state.angles)[body.translation_dofs].max(initial=0.0))
    goes = any(isinstance(other.motion.goal, AtStance) for other in state.running)
    moved = not motion.head and not goes and away > _DRAGGED * body.height
    there = goal
    if not moved:
        own, there = body.dofs_of(sorted(motion.critical)), state.angles.copy()
        there[own] = goal[own]
    least = least_frames(body, state.angles, there) if of_gesture or moved else 0
    least = math.ceil(least * min(1.0, fps / DEFAULT_FPS))
    if motion.speed is not None:
        return max(motion.speed, least) if moved else motion.speed
    limb, size = body.limb(motion.hand), goal_size(body, motion)
    frames = hand_frames(body, motion.hand, state.angles, goal, fps, size, limb.trunk, state, r)
    receiving = receiving_hand(body, motion)
    if receiving is not None:  # the palm has to be there in time
        frames = max(frames, hand_frames(body, receiving, state.angles, goal, fps))
    if of_gesture:
        frames = max(4, round(motion.pace * max(frames, GESTURE_FRAMES * fps / DEFAULT_FPS)))
    return max(frames, least)


def lead_frames(body: Body, state: State, motion: Motion, goal: Floats, frames: int) -> tuple[int, int]:
    """For how many frames a hand at rest waits for the eyes, so that they are on the goal in the first part of all; and
    for how many more it goes slower for that."""
    reaches = motion.speed is None and motion.looks and not motion.slides
    if not reaches or not isinstance(motion.goal, (AtObject, AtSpace, AtPoint)) or body.gaze is None:
        return 0, 0
    place, fps = hand_transforms(body, goal)[motion.hand].position, state.plan.fps
    needed = max(0.0, seen_after(body, state.angles, place, fps) / _LOOKS_BY - frames)
    most = math.ceil(_LEAD * fps / DEFAULT_FPS)
    lead = min(math.ceil(needed - 1e-6), most)
    return lead, min(max(0, math.floor(needed - lead)), most)


def waiting_frames(body: Body, state: State, r: Running, goal: Floats) -> int:
    """For how many frames a hand that something is in the way of could wait for others that only go home: until they
    are most of the way there; 0 where none does, or where the time was told."""
    if r.motion.speed is not None or not isinstance(r.motion.goal, (AtObject, AtSpace, AtPoint)):
        return 0
    now, ends, far = hand_transforms(body, state.angles), hand_transforms(body, goal), _AWAY * body.height
    home = [hand for hand, at in r.others.items() if isinstance(at, AtRest) and now[hand].distance(ends[hand]) > far]
    frames = [hand_frames(body, hand, state.angles, goal, state.plan.fps) for hand in home]
    return round(_HOMEWARDS * max(frames, default=0))


def looking_frames(body: Body, state: State, motions: Sequence[Motion], goal: Floats) -> int:
    """The frames that hands take at least, so that the head can turn without haste to what is looked at, be it two
    goals in turn."""
    places, gaze, fps = (AtObject, AtSpace, AtPoint), body.gaze, state.plan.fps
    hands = [motion.hand for motion in motions if motion.looks and isinstance(motion.goal, places)]
    if not hands or gaze is None or any(motion.speed is not None for motion in motions):
        return 0
    if len(hands) == 1:
        start, end = joint_transforms(body, np.stack([state.angles, goal]))[:, gaze.joint]
        return turning_frames(Transform.of(start[:3], start[3:]).angle(Transform.of(end[:3], end[3:])), fps)
    ends = hand_transforms(body, goal)
    turn = second_look(body, goal, [ends[hand].position for hand in hands], fps)
    return math.ceil(turn / (1.0 - FIRST_LOOK))


def second_look(body: Body, goal: Floats, targets: Sequence[Floats], fps: float) -> int:
    """In how many frames the head turns from the first to the second of some targets."""
    assert body.gaze is not None
    row = joint_transforms(body, goal)[body.gaze.joint]
    eyes = row[:3] + row[3:].reshape(3, 3) @ np.array(body.gaze.eyes)
    ways = [at - eyes for at in targets[:2]]
    cosine = float(ways[0] @ ways[1] / max(float(np.linalg.norm(ways[0]) * np.linalg.norm(ways[1])), 1e-9))
    return turning_frames(math.acos(min(1.0, max(-1.0, cosine))), fps)


def receiving_hand(body: Body, motion: Motion) -> str | None:
    """The hand into whose palm something is put."""
    places = (change.space for change in motion.changes if isinstance(change, Moved))
    return next((space for space in places if space in body.hands and space != motion.hand), None)


def goal_size(body: Body, motion: Motion) -> float:
    """How large what a hand goes to is, in metres."""
    if not isinstance(motion.goal, AtObject):
        return USUAL_SIZE
    return 2.0 * motion.scene_after.object(motion.goal.object).width * body.metres_a_unit


def hand_frames(
    body: Body, hand: str, now: Floats, goal: Floats, fps: float, size: float = USUAL_SIZE, trunk: Sequence[int] = (),
    state: State | None = None, r: Running | None = None,
) -> int:  # fmt: skip
    """How long people take to bring a hand from one posture to another, around what is in its way."""
    joint = body.limb(hand).joints[-1]
    start, end = joint_transforms(body, np.stack([now, goal]))[:, joint]
    metres = body.metres_a_unit
    distance = float(np.linalg.norm(end[:3] - start[:3])) * metres
    if state is not None and r is not None:
        touched = touched_things(body, state, r, hand_transforms(body, now))[hand]
        things = state.staged.transforms
        distance += metres * scene_boxes(state.staged.scene).detour(things, start[:3], end[:3], touched)
    turn = Transform.of(start[:3], start[3:]).angle(Transform.of(end[:3], end[3:]))
    dofs = body.dofs_of(trunk)
    lean = float(np.abs(goal[dofs] - now[dofs]).max(initial=0.0))
    there, own = now.copy(), body.dofs_of([*trunk, *body.limb(hand).joints])
    there[own] = goal[own]
    gentle = gentle_frames(body, body.limb(hand).joints, now, goal, fps)
    return max(natural_frames(distance, size, turn, lean, fps), least_frames(body, now, there), gentle)
