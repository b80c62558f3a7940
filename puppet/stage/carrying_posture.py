"""How a body that stands holds what it carries: before its belly or at its side, level."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.command import DEFAULT_FPS
from puppet.geometry import Transform, axis_rotation, minimum_jerk
from puppet.locomotion import running_mean
from puppet.motion import ArmRoom
from puppet.posture import is_met
from puppet.scene import Scene, Stance, distance
from puppet.solver import Figure
from puppet.stage.low_elbow import elevation
from puppet.types import Floats

# Of the middle of what is carried over the floor, tried in turn.
HEIGHTS = (0.62, 0.66, 0.58, 0.54, 0.48, 0.44, 0.72, 0.78)
_AHEAD, _ASIDE = (0.2, 0.25), (0.19, 0.15, 0.11)  # heights of the body: how far from its middle
_USUAL = 0.05  # half the width of a thing, in heights of the body; wider ones are farther ahead, free of the thighs
TURNED = (0.0, 30.0, -30.0, 60.0, -60.0)  # degrees about the vertical
_ELBOWS = (90.0, 20.0)  # degrees of elbows, and of upper arms to the side: from where the arms begin that carry
_HANGS, _RAISED = math.radians(-42.0), 0.05  # an upper arm points down by more; what a radian counts by which not
_CLEAR = 0.008  # heights of the body that an arm which carries keeps from the trunk
_STEPS = 300
_OVER, _LIFTED = 0.02, 0.35  # heights of the body: what is lifted over a table keeps from it; the most it is lifted
_LIFTING, _SETS_OUT = 7, 10  # frames over which that is spread, twice; and in which it begins


def carrying_posture(
    body: Body, stands: Floats, stance: Stance, holding: Mapping[str, str | None], start: Floats,
    room: ArmRoom, turned: float = 0.0,
) -> Floats:  # fmt: skip
    """A posture (dofs,) of a body that stands, its hands with what they hold where it is carried in comfort,
    clear of its trunk and of what stands there, as its arms are.

    start (dofs,): in which hands hold things, and how; turned: by how much the body has turned since.
    """
    found, things = np.array(stands), room.things
    tips = hand_transforms(body, start)
    held = {hand: name for hand, name in holding.items() if name is not None}
    for name in dict.fromkeys(name for name in holding.values() if name is not None):
        hands = [hand for hand, held in holding.items() if held == name]
        sides = [-side if body.limb(hands[0]).mirrored else side for side in _ASIDE] if len(hands) == 1 else [0.0]
        wider = max(0.0, float(room.boxes.halves[room.boxes.box(name)].max()) - _USUAL * body.height)
        begins = np.array(found)
        for hand in hands:
            dofs = body.dofs_of(body.limb(hand).joints)
            begins[dofs] = room.drawn_in(hand, _ELBOWS)[dofs]
        tries = []
        for ahead, side, degrees, height in product(_AHEAD, sides, TURNED, HEIGHTS):
            x, z = stance.world(side * body.height, ahead * body.height + wider)
            place = np.array([x, height * body.height + _floor(body, stands), z])
            turn = axis_rotation(1, turned + math.radians(degrees))
            at = Transform.of(place, turn @ things[name].rotation)
            goals = {hand: at.compose(things[name].relative(tips[hand])) for hand in hands}
            lacks, angles = reached(body, begins, goals)
            clear = min(
                *(room.clearance(angles, hand, held) for hand in hands), room.thing_clearance(angles, name, at, hands)
            )
            rows = joint_transforms(body, angles)
            raised = max(max(0.0, elevation(body, hand, rows) - _HANGS) for hand in hands)
            tries.append((lacks + max(0.0, _CLEAR * body.height - clear) + _RAISED * body.height * raised, angles))
            if tries[-1][0] <= 0.0:
                break
        found = min(tries, key=lambda tried: tried[0])[1]
    return found


def lifts_over_tables(body: Body, scene: Scene, carried: str, places: Floats, fps: float) -> Floats:
    """By how much a thing that is carried along places (frames, 3) has to be lifted in each frame, so that it is over
    tables and what stands on them, and not in them; in good time before, and with ease. Where that is too much, as with
    a shelf that is full, it stays as low as it is."""
    half, over = scene.object(carried).width, _OVER * body.height
    around, most = math.sqrt(2.0) * half + over, _LIFTED * body.height
    tower = scene.tower(carried)
    standing = [(scene.centre(thing.name), thing.width) for thing in scene.objects if thing.name not in tower]
    needs = np.zeros(len(places))
    for table in scene.tables:
        own = np.zeros(len(places))
        on_it = [
            (at, width)
            for at, width in standing
            if at[1] > table.height and distance(table.rectangle, at[0], at[2]) < 0.0
        ]
        for n, (x, y, z) in enumerate(places):
            tops = [table.height] if distance(table.rectangle, x, z) < around else []
            tops += [at[1] + width for at, width in on_it if max(abs(x - at[0]), abs(z - at[2])) < around + width]
            own[n] = max((top + over + half - y for top in tops), default=0.0)
        if own.max(initial=0.0) < most:
            needs = np.maximum(needs, own)
    if not needs.any():
        return needs
    width = round(_LIFTING * fps / DEFAULT_FPS)
    padded = np.pad(needs, 2 * width, mode="edge")
    needs = np.lib.stride_tricks.sliding_window_view(padded, 4 * width + 1).max(axis=1)
    begins = np.minimum(np.arange(1, len(places) + 1) / (_SETS_OUT * fps / DEFAULT_FPS), 1.0)
    return np.asarray(running_mean(running_mean(needs, width), width) * minimum_jerk(begins))


def _floor(body: Body, stands: Floats) -> float:
    """By how much a body that stands is higher than in its file."""
    return float(stands[body.translation_dofs[1]])


def reached(body: Body, posture: Floats, goals: Mapping[str, Transform]) -> tuple[float, Floats]:
    """By how much hands miss their goals, 0 where they are met, and the posture with their arms there."""
    figure = Figure(body, posture)
    figure.serve([joint for hand in goals for joint in body.limb(hand).joints])
    for hand, goal in goals.items():
        joint = body.limb(hand).joints[-1]
        tip = body.arrays.tips[joint]
        figure.pin(body.joint_names[joint], point=tip, to=goal.position, turn=goal.rotation)
    figure.work(_STEPS, 1e-6)
    angles = np.array(figure.angles)
    lacks, tips = 0.0, hand_transforms(body, angles)
    for hand, goal in goals.items():
        off, turned = tips[hand].distance(goal), tips[hand].angle(goal)
        if not is_met(body, off, float(np.degrees(turned))):
            lacks = max(lacks, off + 0.1 * turned)
    return lacks, angles
