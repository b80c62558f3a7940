"""Hands that hold something in the air while the body bends, rises or turns for another hand: they go along with their
shoulders, what they hold upright, out of everything."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.geometry import Transform, axis_rotation, euler_angles
from puppet.motion import ArmRoom
from puppet.stage.carrying_posture import reached
from puppet.stage.hanging_arms import heading
from puppet.stage.state import Running, State
from puppet.tasks import AtPoint
from puppet.types import Floats

# Heights of the body: while its shoulder is moved by less, a hand in the air stays where it is, if nothing comes to it.
_STAYS = 0.06
# Heights of the body by which a hand is held farther outwards, up and ahead than it would be, the least first.
_OFFSETS = sorted(product((0.0, 0.06, 0.12), (0.0, 0.06, 0.12, 0.2, -0.06), (0.0, 0.08, -0.08)), key=np.linalg.norm)
_CLEAR, _AWAY = 0.006, 0.1  # heights of the body that are kept from all else; what an offset counts beside that


def riding_hands(state: State, r: Running, body: Body) -> dict[str, str]:
    """Hands with something in the air that a motion asks to stay, each with that: nothing holds them to their place."""
    staged, found = state.staged, {}
    carried = r.motion.carried.union(*(carrying.objects for carrying in state.carrying))
    for hand, goal in r.others.items():
        name = state.holding.get(hand) or staged.scene.bottom(hand)
        if not isinstance(goal, AtPoint) or name is None or name in carried:
            continue
        pinned = body.joint_names[body.limb(hand).joints[-1]] in state.pins
        slides = any(m.hand == hand and isinstance(m.goal, AtPoint) for m in (*state.held, *state.queue))
        if not (pinned or slides or staged.scene.stands(name)):
            found[hand] = name
    return found


def ridden(body: Body, base: Floats, posture: Floats, hands: Mapping[str, str], room: ArmRoom) -> Floats:
    """A posture with hands that hold something as they do in another one, seen from their shoulders and turned with the
    chest; by as little otherwise as keeps arms and things out of everything."""
    found = posture
    for name in dict.fromkeys(hands.values()):
        own = [hand for hand, held in hands.items() if held == name]
        found = _ridden(body, base, found, name, own, room)
    return found


def _ridden(body: Body, base: Floats, posture: Floats, name: str, hands: list[str], room: ArmRoom) -> Floats:
    tips, before, now = hand_transforms(body, base), *joint_transforms(body, np.stack([base, posture]))
    shoulders = [body.limb(hand).joints[0] for hand in hands]
    moved = np.mean(now[shoulders, :3] - before[shoulders, :3], axis=0)
    trunk = body.limb(hands[0]).trunk
    chest = trunk[-1] if trunk else 0
    facing = [heading(rows[chest, 3:].reshape(3, 3)) for rows in (before, now)]
    spin = axis_rotation(1, facing[1] - facing[0])
    if np.linalg.norm(moved) < _STAYS * body.height:
        moved, spin = np.zeros(3), np.eye(3)
    begins = np.array(posture)
    for hand in hands:
        _keep_turned(body, hand, base, begins, spin)
    pivot = np.mean(before[shoulders, :3], axis=0)
    things = room.things[name]
    side = 0.0 if len(hands) > 1 else -1.0 if body.limb(hands[0]).mirrored else 1.0
    best: tuple[float, Floats] | None = None
    for out, up, ahead in _OFFSETS:
        by = body.height * (axis_rotation(1, facing[1]) @ np.array([side * out, up, ahead]))
        goals = {
            hand: Transform.of(pivot + moved + by + spin @ (tips[hand].position - pivot), spin @ tips[hand].rotation)
            for hand in hands
        }
        lacks, angles = reached(body, begins, goals)
        held = dict.fromkeys(hands, name)
        at = hand_transforms(body, angles)[hands[0]].compose(tips[hands[0]].relative(things))
        clear = room.thing_clearance(angles, name, at, hands)
        clear = min(clear, *(room.clearance(angles, hand, held) for hand in hands))
        lacks += max(0.0, _CLEAR * body.height - clear)
        cost = lacks + _AWAY * float(np.linalg.norm(by)) * (lacks > 0.0)
        if best is None or cost < best[0]:
            best = cost, angles
        if cost <= 0.0:
            break
    assert best is not None
    return best[1]


def _keep_turned(body: Body, hand: str, base: Floats, angles: Floats, spin: Floats) -> None:
    """Turns an arm as it is turned in another posture, in the world, but for a turn about the vertical; in place."""
    own = body.dofs_of(body.limb(hand).joints)
    angles[own] = base[own]
    shoulder = body.limb(hand).joints[0]
    order = [rotation.axis for rotation in body.joints[shoulder].rotations]
    parent = body.joints[shoulder].parent
    if len(order) == 3 and parent >= 0:
        before, now = joint_transforms(body, np.stack([base, angles]))
        wanted = now[parent, 3:].reshape(3, 3).T @ spin @ before[shoulder, 3:].reshape(3, 3)
        angles[list(body.rotation_dofs[shoulder])] = np.radians(euler_angles(wanted[None], order)[0])
        body.put_into_range(shoulder, angles)
