"""Hands that hold things, or touch them: where they end, and what they may touch on the way."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from puppet.body import Body
from puppet.geometry import Transform, axis_rotation
from puppet.schedule import Joints
from puppet.stage.state import Running, State
from puppet.tasks import AtGesture, AtObject, AtPoint, AtSpace, Motion, Moved, wanted_transform

SAME_GRIP = math.cos(math.radians(40.0))  # palms that face the same way: the grip is the same
PITCHED = math.radians(75.0)  # by how much the fingers of a grip may point down otherwise
NEAR_GRIP, NEAR_TURN = 0.03, math.radians(25.0)  # a hand that is off its grip by more takes the thing anew

Clear = Callable[[str, Transform], Transform]  # raises a hand's transform out of the table


def held_poses(
    body: Body, state: State, r: Running, own: Joints, hands: Mapping[str, Transform], clear: Clear
) -> dict[str, Transform]:
    """Where hands end that hold something: just so on it as they are now."""
    motion, found = r.motion, {}
    things = state.staged.transforms
    after: dict[str, Transform] = {}
    if motion.carry is not None and not motion.carry.palm:
        lead, hand = motion.carry.objects[0], motion.hand
        pose = carried_pose(body, motion, hands[hand], things[lead], clear)
        if pose is not None:
            found[hand] = pose
            after[lead] = pose.compose(hands[hand].relative(things[lead]))
            for name in motion.carry.objects[1:]:  # a tower goes along
                after[name] = after[lead].compose(things[lead].relative(things[name]))
    for hand, goal in r.others.items():
        if not frozenset(body.limb(hand).joints) <= own:
            continue
        if not isinstance(goal, AtObject):  # in mid-air it holds what it has just so
            held = state.holding.get(hand)
            if held is not None and isinstance(goal, AtPoint):
                found[hand] = after.get(held, things[held]).compose(things[held].relative(hands[hand]))
            continue
        thing = things[goal.object]
        if not state.staged.holds(hands[hand], goal.object):
            continue
        wanted = wanted_transform(motion.scene_after, body, body.limb(hand), goal)
        assert wanted is not None
        if float(wanted.rotation[:, 1] @ hands[hand].rotation[:, 1]) > SAME_GRIP:
            found[hand] = after.get(goal.object, thing).compose(thing.relative(hands[hand]))
    return found


def carried_pose(body: Body, motion: Motion, hand: Transform, thing: Transform, clear: Clear) -> Transform | None:
    """Where a hand ends that carries a thing to its place, holding it as it does: the thing upright, and turned about
    the vertical so that the hand is turned as it should be; None where that is another grip."""
    if not isinstance(motion.goal, AtObject):
        return None
    limb = body.limb(motion.hand)
    wanted = wanted_transform(motion.scene_after, body, limb, motion.goal)
    assert wanted is not None
    wanted = clear(motion.hand, wanted)
    rel = thing.relative(hand)
    tip = body.arrays.tips[limb.joints[-1]]
    has, shall = rel.rotation @ tip, wanted.rotation @ tip
    turn = math.atan2(shall[0], shall[2]) - math.atan2(has[0], has[2])
    centre = motion.scene_after.centre(motion.goal.object)
    pose = Transform.of(centre, axis_rotation(1, turn)).compose(rel)
    faces = float(wanted.rotation[:, 1] @ pose.rotation[:, 1]) > math.cos(NEAR_TURN)  # fingers may point down more
    return pose if pose.distance(wanted) < NEAR_GRIP and faces and pose.angle(wanted) < PITCHED else None


def touched_things(body: Body, state: State, r: Running, hands: Mapping[str, Transform]) -> dict[str, frozenset[str]]:
    """The things that each hand may touch while a motion runs: what it leaves, goes to, carries, holds or gets into its
    palm."""
    found = {}
    for hand in body.hands:
        goal = r.motion.goal if hand == r.motion.hand else r.others.get(hand)
        touched = {name for name in state.staged.transforms if state.staged.holds(hands[hand], name)}
        if isinstance(goal, AtObject):
            touched.add(goal.object)
        if isinstance(goal, AtSpace):
            touched |= set(r.motion.scene_after.stack_on(goal.space)[:1])
        if isinstance(goal, AtGesture) and goal.thing is not None:
            touched.add(goal.thing)
        if hand == r.motion.hand:
            touched |= r.motion.carried
        touched |= {change.name for change in r.motion.changes if isinstance(change, Moved) and change.space == hand}
        found[hand] = frozenset(touched)
    return found
