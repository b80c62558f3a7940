"""Where feet go that are in the air, compiled: they land where the figure's balance needs them, and a step catches it.

The centre of mass c with velocity v is caught where c + v / pace stands still over a support, pace being
sqrt(gravity / height). By as much as that is away from where the reference has it, a foot lands beside its place there.
From then on the whole reference is shifted by as much as the foot. Who stands and cannot be caught where the feet are
takes a step with the foot that needs the shorter one; later the other foot follows.
"""

from __future__ import annotations

import math

from puppet.kernels.dynamics_contact import LATELY
from puppet.kernels.dynamics_model import (
    ANCHOR,
    BEARS,
    BEGUN,
    BEYOND,
    CLOCK,
    DOES,
    FOOT_OFFSET,
    GRAVITY,
    HELD,
    IN_THE_AIR,
    LIFT,
    LIFTED,
    LIFTED_FROM,
    NO_STEP,
    PLACE,
    POINT_AT,
    POINT_FIXED,
    POINT_JOINT,
    REACTS,
    SETTING_STEP,
    SHIFT,
    SINCE,
    SWING,
    TALL,
    TOUCHES,
    UNMATCHED,
)
from puppet.kernels.dynamics_step import is_held
from puppet.kernels.figure_model import JOINT_PARENT
from puppet.kernels.jit import inner
from puppet.kernels.rotation import to_world

_LEAN = 0.6  # seconds that the weight takes to leave a foot before it is lifted without haste
_FARTHEST, _LONGEST = 0.25, 0.4  # lengths: of a foot from its place in the reference, and from the other foot
_CROSSES = 4.0  # how much worse it is for a foot to miss its place, as it would have to cross the other, than to go far
NARROWEST = 0.06  # lengths: feet are no nearer to each other sideways
HOMEWARD = 0.012  # lengths that each step leads back to where the reference is
_SLOW = 0.08  # who stands is slower, lengths a second
UNEVEN, _CALM = 0.05, 0.02  # lengths: a foot that is so far from its place follows, when it is calm


@inner
def is_of_foot(joints, points, i, j):
    """Whether a point is one of a foot or of its toes."""
    k = int(points[i, POINT_JOINT])
    return k == j or joints[k, JOINT_PARENT] == j


@inner
def pace_of(centre, settings):
    """sqrt(gravity / height), of an inverted pendulum as high as the centre of mass."""
    return math.sqrt(settings[GRAVITY] / max(centre[1], 0.1 * settings[TALL]))


@inner
def put_astray(centre, ref_centre, shift, settings, astray):
    """By how much (2,), along x and z, the figure is to be caught beside where the reference is."""
    pace = pace_of(centre, settings)
    for n in range(2):
        a = 2 * n
        astray[n] = centre[a] - ref_centre[a] - shift[a] + (centre[3 + a] - ref_centre[3 + a]) / pace


@inner
def update_feet(joints, points, plan, n, ends, world, ref_world, state, feet, carried, h):
    """Feet that land: the reference is shifted by as much as those are beside their places that have landed last."""
    latest, landed = 1e9, False
    for e in range(ends.shape[0]):
        j = ends[e]
        held = 1.0 if is_held(joints, points, state, j) else 0.0
        if held == 1.0 and feet[e, HELD] == 0.0 and carried[BEGUN] == 1.0:
            feet[e, FOOT_OFFSET] = world[j, 0] - ref_world[j, 0]
            feet[e, FOOT_OFFSET + 1] = world[j, 2] - ref_world[j, 2]
            feet[e, SINCE], feet[e, CLOCK], feet[e, UNMATCHED] = 0.0, NO_STEP, 1.0
            landed = True
        else:
            feet[e, SINCE] += h
        feet[e, HELD] = held
        if held == 1.0:
            if feet[e, UNMATCHED] == 1.0:
                landed = match_foot(joints, points, plan, n, e, j, ref_world, state, feet) or landed
            latest = min(latest, feet[e, SINCE])
    count, x, z = 0.0, 0.0, 0.0
    for e in range(ends.shape[0]):
        if feet[e, HELD] == 1.0 and feet[e, SINCE] < latest + LATELY:
            count, x, z = count + 1.0, x + feet[e, FOOT_OFFSET], z + feet[e, FOOT_OFFSET + 1]
    if landed:
        carried[SHIFT], carried[SHIFT + 2] = x / count, z / count


@inner
def match_foot(joints, points, plan, n, e, j, ref_world, state, feet):
    """By how much foot e, joint j, is beside its place: what touches says so as soon as it does in the reference, too,
    whatever the ankle does meanwhile; later the foot of the reference may slide. Returns whether it does."""
    count, x, z = 0.0, 0.0, 0.0
    for i in range(points.shape[0]):
        if state[i, POINT_FIXED] == 1.0 and plan[n, i, DOES] == TOUCHES and is_of_foot(joints, points, i, j):
            k = int(points[i, POINT_JOINT])
            rx, _, rz = to_world(ref_world, k, points[i, POINT_AT], points[i, POINT_AT + 1], points[i, POINT_AT + 2])
            count += 1.0
            x, z = x + state[i, ANCHOR] - ref_world[k, 0] - rx, z + state[i, ANCHOR + 2] - ref_world[k, 2] - rz
    if count > 0.0:
        feet[e, FOOT_OFFSET], feet[e, FOOT_OFFSET + 1], feet[e, UNMATCHED] = x / count, z / count, 0.0
    return count > 0.0


@inner
def support_along(joints, points, state, ends, e, x, z):
    """How far the points that bear reach along a direction: those of foot e, or all if it is -1."""
    most = -1e9
    for i in range(points.shape[0]):
        if state[i, BEARS] == 1.0 and (e < 0 or is_of_foot(joints, points, i, ends[e])):
            most = max(most, x * state[i, PLACE] + z * state[i, PLACE + 2])
    return most


@inner
def expected_astray(joints, points, state, ends, e, time, centre, astray, settings, found):
    """How far astray (2,) the figure will be after some time on the other foot alone, with its force where it helps
    most."""
    far = math.sqrt(astray[0] * astray[0] + astray[1] * astray[1]) + 1e-9
    x, z = astray[0] / far, astray[1] / far
    pace = pace_of(centre, settings)
    grown = math.exp(pace * time) - 1.0
    for n in range(2):
        found[n] = astray[n]
    most = -1e9
    px = pz = 0.0
    for i in range(points.shape[0]):
        if state[i, BEARS] == 1.0 and not is_of_foot(joints, points, i, ends[e]):
            along = x * state[i, PLACE] + z * state[i, PLACE + 2]
            if along > most:
                most, px, pz = along, state[i, PLACE], state[i, PLACE + 2]
    if most > -1e8:
        found[0] += grown * (centre[0] + centre[3] / pace - px)
        found[1] += grown * (centre[2] + centre[5] / pace - pz)


@inner
def begin_steps(
    joints, points, plan, n, ends, world, ref_world, state, feet, carried, centre, ref_centre, astray, settings, room
):
    """Who stands in the reference, and is about to fall, or has a foot out of place, takes a step: with the foot that
    needs the shorter one, and can get there without crossing the other."""
    tall = settings[TALL]
    if ends.shape[0] != 2:
        return
    for e in range(2):
        if feet[e, HELD] == 0.0 or feet[e, CLOCK] > NO_STEP:
            return
    for e in range(2):
        stands = False
        for i in range(points.shape[0]):
            stands = stands or (plan[n, i, DOES] != IN_THE_AIR and is_of_foot(joints, points, i, ends[e]))
        if not stands:
            return
    if math.sqrt(ref_centre[3] * ref_centre[3] + ref_centre[5] * ref_centre[5]) > _SLOW * tall:
        return
    far = math.sqrt(astray[0] * astray[0] + astray[1] * astray[1])
    x, z = astray[0] / (far + 1e-9), astray[1] / (far + 1e-9)
    pace = pace_of(centre, settings)
    caught = x * (centre[0] + centre[3] / pace) + z * (centre[2] + centre[5] / pace)
    if far > UNEVEN * tall and caught > support_along(joints, points, state, ends, -1, x, z) + settings[BEYOND] * tall:
        best, least = 0, 1e9
        for e in range(2):
            expected_astray(joints, points, state, ends, e, settings[SWING], centre, astray, settings, room)
            far = math.sqrt(room[0] * room[0] + room[1] * room[1])
            x, z = room[0] + carried[SHIFT], room[1] + carried[SHIFT + 2]
            kept_x, kept_z = kept_apart(ends, e, world, ref_world, tall, x, z)
            far += _CROSSES * math.sqrt((kept_x - x) ** 2 + (kept_z - z) ** 2)
            if far < least:
                best, least = e, far
        feet[best, CLOCK], feet[best, REACTS] = 0.0, 1.0
    elif far < _CALM * tall:
        for e in range(2):
            dx, dz = feet[e, FOOT_OFFSET] - carried[SHIFT], feet[e, FOOT_OFFSET + 1] - carried[SHIFT + 2]
            if dx * dx + dz * dz > (UNEVEN * tall) ** 2 and feet[1 - e, SINCE] > 0.3:
                feet[e, CLOCK], feet[e, REACTS] = -_LEAN, 0.0
                return


@inner
def move_steps(joints, points, ends, world, ref_world, state, feet, settings, first):
    """Time goes on for steps; a foot is lifted at the beginning of a frame."""
    h = settings[SETTING_STEP]
    for e in range(ends.shape[0]):
        clock = feet[e, CLOCK]
        lifted = 0.0
        if clock > NO_STEP:
            if clock < 0.0 or first or feet[e, HELD] == 0.0:
                clock += h
            if clock >= 0.0 and feet[e, HELD] == 1.0 and first:
                j = ends[e]
                feet[e, LIFTED_FROM] = world[j, 0] - ref_world[j, 0]
                feet[e, LIFTED_FROM + 1] = world[j, 2] - ref_world[j, 2]
                clock = h
            feet[e, CLOCK] = clock
            lifted = 1.0 if h <= clock < settings[SWING] and (first or feet[e, HELD] == 0.0) else 0.0
        for i in range(points.shape[0]):
            if is_of_foot(joints, points, i, ends[e]):
                state[i, LIFTED] = lifted


@inner
def put_foot_shift(
    joints, points, ends, e, world, ref_world, state, feet, carried, flies, centre, ref_centre, astray, settings, room,
    shift,
):  # fmt: skip
    """By how much (9,), with velocity and acceleration, a foot in the air is beside its place in the reference."""
    tall = settings[TALL]
    for n in range(9):
        shift[n] = 0.0
    clock = feet[e, CLOCK]
    x, z = astray[0], astray[1]
    if clock >= 0.0:
        if feet[e, REACTS] == 1.0:
            expected_astray(
                joints, points, state, ends, e, max(0.0, settings[SWING] - clock), centre, astray, settings, room
            )  # fmt: skip
            x, z = room[0], room[1]
        else:
            x = z = 0.0
    back = HOMEWARD * tall if clock < 0.0 else 0.0
    bx = carried[SHIFT] - max(-back, min(back, carried[SHIFT]))
    bz = carried[SHIFT + 2] - max(-back, min(back, carried[SHIFT + 2]))
    if flies:  # feet are as near to the mass as they can be, wherever it is
        x, z = x + bx, z + bz
        bx, bz = centre[0] - ref_centre[0], centre[2] - ref_centre[2]
        x, z = x - bx, z - bz
    far = math.sqrt(x * x + z * z)
    if far > _FARTHEST * tall:
        x, z = x * _FARTHEST * tall / far, z * _FARTHEST * tall / far
    x, z = x + bx, z + bz
    if ends.shape[0] == 2 and not flies:
        x, z = kept_apart(ends, e, world, ref_world, tall, x, z)
    shift[0], shift[2] = x, z
    if flies:
        shift[1] = centre[1] - ref_centre[1]
        for c in range(3, 6):
            shift[c] = centre[c] - ref_centre[c]
    elif clock >= 0.0:
        u = min(1.0, clock / settings[SWING])
        s = u * u * (3.0 - 2.0 * u)
        ds = 6.0 * u * (1.0 - u) / settings[SWING]
        fx, fz = feet[e, LIFTED_FROM], feet[e, LIFTED_FROM + 1]
        shift[0], shift[2] = fx + s * (x - fx), fz + s * (z - fz)
        shift[3], shift[5] = ds * (x - fx), ds * (z - fz)
        bump = 16.0 * u * u * (1.0 - u) * (1.0 - u)
        shift[1] = settings[LIFT] * tall * bump
        shift[4] = settings[LIFT] * tall * 32.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / settings[SWING] if u < 1.0 else 0.0


@inner
def kept_apart(ends, e, world, ref_world, tall, x, z):
    """A shift that leads the foot neither across the other one nor too far from it."""
    j, k = ends[e], ends[1 - e]
    sx, sz = ref_world[0, 3], ref_world[0, 9]  # the pelvis's x axis in the world
    length = math.sqrt(sx * sx + sz * sz)
    if length < 0.1:
        return x, z
    sx, sz = sx / length, sz / length
    there = sx * (ref_world[j, 0] - ref_world[k, 0]) + sz * (ref_world[j, 2] - ref_world[k, 2])
    sign = 1.0 if there >= 0.0 else -1.0
    ax, az = ref_world[j, 0] + x - world[k, 0], ref_world[j, 2] + z - world[k, 2]
    apart = sign * (sx * ax + sz * az)
    missing = min(NARROWEST * tall, abs(there)) - apart
    if missing > 0.0:
        x, z = x + missing * sign * sx, z + missing * sign * sz
        ax, az = ax + missing * sign * sx, az + missing * sign * sz
    far = math.sqrt(ax * ax + az * az)
    over = far - _LONGEST * tall
    if over > 0.0:
        x, z = x - over * ax / far, z - over * az / far
    return x, z


@inner
def put_lean(ends, feet, world, ref_centre, carried, lean):
    """Before a foot is lifted without haste, the weight goes over the other one: by how much, (2,)."""
    lean[0] = lean[1] = 0.0
    for e in range(ends.shape[0]):
        clock = feet[e, CLOCK]
        if clock > NO_STEP and feet[e, REACTS] == 0.0:
            k = ends[1 - e]
            share = 0.85 * min(1.0, (clock + _LEAN) / (0.5 * _LEAN))
            lean[0] = share * (world[k, 0] - ref_centre[0] - carried[SHIFT])
            lean[1] = share * (world[k, 2] - ref_centre[2] - carried[SHIFT + 2])
