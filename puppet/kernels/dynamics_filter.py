"""The dynamics filter, compiled: from a reference motion in substeps to frames that contact forces can cause.

After Nakamura and Yamane (2000): feedback of joints, of a part of the upper body and of the centre of mass says which
accelerations are wanted, an optimisation finds the nearest ones that are possible (puppet.kernels.dynamics_step), and
these are integrated, v <- v + h a and q <- q + h v. All of it
is local in time.
"""

from __future__ import annotations

import numpy as np

from puppet.kernels.dynamics_contact import KEPT_OUT, put_ahead, put_contact_rows, put_kept_out_rows, update_contacts
from puppet.kernels.dynamics_forces import ROWS, balance_room
from puppet.kernels.dynamics_frame import keep_frame, put_outside, put_way
from puppet.kernels.dynamics_model import (
    ASTRAY,
    BALANCE,
    BEARS,
    BEGUN,
    DOES,
    EARLY,
    EASE,
    EXPECTED,
    FRICTION,
    GRAVITY,
    GRIPPING,
    HANGS,
    JOINTS,
    KEEP_UPRIGHT,
    LIMB,
    MOST_EDGES,
    MOTION_COLUMNS,
    POINT_AT,
    POINT_FIXED,
    POINT_JOINT,
    SETTING_STEP,
    SHIFT,
    SOFT_ALONG,
    SOFT_BALANCE,
    SOFT_LIMB,
    SOFT_SPIN,
    SOFT_UPRIGHT,
    SOFT_UPWARDS,
    SUNK,
    TALL,
)
from puppet.kernels.dynamics_motion import kinetic_energy, put_loads, put_motion
from puppet.kernels.dynamics_rows import put_momentum_rows
from puppet.kernels.dynamics_step import (
    CENTRE_COLUMNS,
    EXACT,
    LIMIT_PASSES,
    MOST_LIMITS,
    RANGE_ROOM,
    STRONGEST,
    advance,
    balance,
    expect_momentum,
    is_held,
    keep_momentum,
    put_centre,
    put_limit_rows,
    put_part_rows,
    put_push,
    put_wanted,
)
from puppet.kernels.dynamics_steps import (
    begin_steps,
    move_steps,
    pace_of,
    put_astray,
    put_foot_shift,
    put_lean,
    update_feet,
)
from puppet.kernels.figure_features import SUM_COLUMNS, SUM_MASS, put_sums
from puppet.kernels.figure_kinematics import place_figure, put_ball_angles
from puppet.kernels.figure_limits import put_range_jacobians
from puppet.kernels.figure_model import COUNT, JOINT_FIRST
from puppet.kernels.jit import inner
from puppet.kernels.rotation import to_world

_FREE_ROOT = 100.0  # how much more easily the root moves in the air
FIRMER = 10.0  # how much firmer rows of feet are then, as the root would go along with them
HARDEST = 40.0  # lengths a second squared, of the last push before a flight
WILD = 800.0  # radians a second squared: no joint follows contacts as fast, as a leg that is stretched would have to
IMPACT = 6000.0  # the same while feet land
FASTEST = 200.0  # radians a second: no joint turns faster, and who would have to has lost the balance
LIVELIEST = 2.0  # weights times height of kinetic energy beyond twice that of the reference: no muscles give as much
INTO_GROUND = 0.003  # heights: whose parts would have to go farther into the ground has lost the balance as well
SOFTER, SOFTER_TRIES = 30.0, 4  # by how much contacts give way then, and how often
# In the air, where no contact stands against it, joints take the speed of the reference at once, so often a second, and
# what they are away from it shrinks in some seconds: speeds jump as the figure leaves the ground and as it lands.
AT_ONCE, HOME = 144.0, 0.15
TAKES_OFF = 0.5  # lengths a second, upwards: heels may leave the ground wherever the weight is
IDLE = 1e6  # softness of a row that says nothing


@inner
def filter_frames(
    joints, links, corners, velocities, chains, free, mobility, points, plan, ref_postures, ref_locals, ref_speeds,
    ref_rates, leaving, pushes, ends, upper, settings, angles, local, speeds, state, feet, carried, way,
    way_points, way_pushes, postures, bearing,
):  # fmt: skip
    """Frames after the first into postures (frames, dofs), and which points bore a force before each into bearing
    (frames, points). plan has one way more than there are frames.

    The reference has a row for each substep. leaving (frames, 7): whether all contact ends with this frame, and the
    velocity of the centre of mass and the angular momentum then. angles, local, speeds, state, feet, carried, and way,
    way_points and way_pushes (see keep_frame) go on from call to call. Returns how many frames are found, and
    whether the balance is lost: after the last of them, or, where no joint could follow or the ground would be in the
    way, on the way to the next.
    """
    size, count = velocities.shape[0], joints.shape[0]
    frames, substeps = postures.shape[0], ref_postures.shape[0] // postures.shape[0]
    most = 4 * points.shape[0] + 6 * ends.shape[0] + 3 + 3 + 6 + ROWS + LIMIT_PASSES * MOST_LIMITS
    room = balance_room(size, most, MOST_EDGES * points.shape[0] + 1)
    world, axes, sums = np.empty((count, 12)), np.zeros((size, 6)), np.empty((count, SUM_COLUMNS))
    ref_world, ref_axes, ref_sums = np.empty((count, 12)), np.zeros((size, 6)), np.empty((count, SUM_COLUMNS))
    motion, ref_motion = np.empty((count, MOTION_COLUMNS)), np.empty((count, MOTION_COLUMNS))
    loads, ref_local = np.empty((count, 6)), np.empty((count, 9))
    rows, targets, softness = np.empty((most, size)), np.empty(most), np.empty(most)
    wanted, rates, still, ease = np.empty(size), np.empty(size), np.zeros(size), np.empty(size)
    centre, ref_centre = np.empty(CENTRE_COLUMNS), np.empty(CENTRE_COLUMNS)
    outside, expected, shift = np.empty(ROWS), carried[EXPECTED:BEGUN], carried[SHIFT:]
    astray, lean, pair, foot_shift = np.empty(2), np.empty(2), np.empty(2), np.empty(CENTRE_COLUMNS)
    pushed, single = np.zeros(size), np.empty((1, size))
    slots, errors, ranges = np.empty((size, MOST_LIMITS + 1)), np.empty(MOST_LIMITS), np.zeros((count, RANGE_ROOM))
    start, start_local, start_speeds = np.empty(angles.shape[0]), np.empty((count, 9)), np.empty(size)
    h = settings[SETTING_STEP]
    fps = 1.0 / (h * substeps)
    for n in range(frames):
        goes_on = carried[BEGUN] == 1.0
        start[:], start_local[:, :], start_speeds[:] = angles, local, speeds
        for k in range(substeps):
            t = n * substeps + k
            # the reference
            ref_local[:, :] = ref_locals[t]
            place_figure(joints, links, velocities, free, ref_postures[t], ref_local, ref_world, ref_axes)
            put_sums(joints, links, ref_world, ref_sums)
            put_motion(joints, free, ref_world, ref_axes, ref_speeds[t], ref_rates[t], ref_motion)
            loads[:, :] = 0.0
            put_loads(joints, links, ref_world, ref_motion, 0.0, loads)
            put_momentum_rows(velocities, free, ref_axes, ref_sums, rows, 0)
            put_centre(velocities, ref_sums, loads, rows, 0, ref_speeds[t], ref_centre)
            # the figure
            place_figure(joints, links, velocities, free, angles, local, world, axes)
            put_sums(joints, links, world, sums)
            put_motion(joints, free, world, axes, speeds, still, motion)
            loads[:, :] = 0.0
            put_loads(joints, links, world, motion, 0.0, loads)
            put_momentum_rows(velocities, free, axes, sums, rows, 0)
            put_centre(velocities, sums, loads, rows, 0, speeds, centre)
            # where it stands, and where feet go
            flew = not has_any(state, BEARS)
            left = h * (substeps - k)  # seconds until the next frame
            falls = carried[BEGUN] == 1.0 and centre[4] < settings[GRAVITY] * left
            move_steps(joints, points, ends, world, ref_world, state, feet, settings, k == 0)
            find_astray(plan, n, centre, ref_centre, shift, settings, state, astray)
            for a in range(2):
                pair[a] = centre[2 * a] + centre[3 + 2 * a] / pace_of(centre, settings)
            update_contacts(
                joints, points, plan, n, k == 0, falls, world, motion, h, pair, astray, settings[TALL], state,
                ref_centre[4] > TAKES_OFF * settings[TALL],
            )  # fmt: skip
            update_feet(joints, points, plan, n, ends, world, ref_world, state, feet, carried, h)
            find_astray(plan, n, centre, ref_centre, shift, settings, state, astray)
            if k == 0:
                begin_steps(
                    joints, points, plan, n, ends, world, ref_world, state, feet, carried, centre, ref_centre, astray,
                    settings, pair,
                )  # fmt: skip
            put_lean(ends, feet, world, ref_centre, carried, lean)
            # what is asked for; in the air nothing can be held in place: the root goes as it must
            flies = not has_any(state, BEARS)
            stiff, damp = settings[JOINTS] * settings[JOINTS], 2.0 * settings[JOINTS]
            limb_stiff, limb_damp = settings[LIMB] * settings[LIMB], 2.0 * settings[LIMB]
            lands = flew and not flies and carried[BEGUN] == 1.0
            landing = lands or flies or has_any(state, EARLY)
            if flies or lands:
                damp = AT_ONCE if flew and not lands else 1.0 / h
                stiff = damp / HOME
                limb_stiff, limb_damp = stiff, damp
            put_wanted(
                joints, velocities, free, ref_postures[t], ref_locals[t], ref_speeds[t], ref_rates[t], shift,
                stiff, damp, angles, local, speeds, wanted,
            )  # fmt: skip
            row = put_contact_rows(
                chains, free, axes, world, motion, points, plan, n, left if flies else 0.0, settings, state, rows,
                targets, softness,
            )  # fmt: skip
            hard = row
            for v in range(size):
                ease[v] = mobility[v] * (_FREE_ROOT if flies and free == 1 and v < 3 else 1.0)
            for e in range(ends.shape[0]):
                if not is_held(joints, points, state, ends[e]):
                    put_foot_shift(
                        joints, points, ends, e, world, ref_world, state, feet, carried, flies, centre, ref_centre,
                        astray, settings, pair, foot_shift,
                    )  # fmt: skip
                    row = put_part_rows(
                        chains, free, axes, world, motion, ref_world, ref_motion, ends[e], limb_stiff, limb_damp,
                        settings[SOFT_LIMB] / (FIRMER if flies else 1.0), foot_shift, rows, targets, softness, row,
                    )  # fmt: skip
            upright = settings[KEEP_UPRIGHT]
            row = put_part_rows(
                chains, free, axes, world, motion, ref_world, ref_motion, upper, upright * upright, 2.0 * upright,
                settings[SOFT_UPRIGHT], shift, rows, targets, softness, row,
            )  # fmt: skip
            if flies:
                for r in range(row - 6, row - 3):
                    softness[r] = IDLE
            put_outside(links, world, sums, loads, pushes, n, settings, centre, outside)
            leaves = leaving[n, 0] == 1.0 and not flies
            if leaves:
                put_momentum_rows(velocities, free, axes, sums, rows, row)
                for c in range(3):  # it is to turn as the reference does
                    spin = 0.0
                    for v in range(size):
                        rows[row + c, v] = rows[row + 3 + c, v]
                        spin += rows[row + c, v] * speeds[v]
                    targets[row + c] = (leaving[n, 4 + c] - spin) / left + outside[3 + c]
                    softness[row + c] = settings[SOFT_SPIN]
                row += 3
            put_momentum_rows(velocities, free, axes, sums, rows, row + 3)
            for c in range(3):
                for v in range(size):
                    rows[row + c, v] = rows[row + 3 + c, v] / sums[0, SUM_MASS]
                leaned = lean[0] if c == 0 else (lean[1] if c == 2 else 0.0)
                back = 2.0 * settings[BALANCE] * (ref_centre[3 + c] - centre[3 + c])
                back += settings[BALANCE] * settings[BALANCE] * (ref_centre[c] + shift[c] + leaned - centre[c])
                back = max(-STRONGEST * settings[TALL], min(STRONGEST * settings[TALL], back))
                targets[row + c] = ref_centre[6 + c] + back - centre[6 + c]
                softness[row + c] = settings[SOFT_BALANCE] if not flies else IDLE
                if leaves:
                    # the last push before a flight: it is to leave as fast as the reference does
                    off = (leaving[n, 1 + c] - centre[3 + c]) / left
                    hardest = HARDEST * settings[TALL]
                    targets[row + c] = max(-hardest, min(hardest, off)) - centre[6 + c]
                    softness[row + c] = settings[SOFT_UPWARDS] if c == 1 else settings[SOFT_ALONG]
            row += 3
            for r in range(ROWS):
                softness[row + r] = EXACT
            put_push(links, chains, free, world, axes, pushes, n, mobility, single, pushed)
            for v in range(size):
                if pushed[v] != 0.0:
                    wanted[v] += pushed[v]
                    for r in range(hard, row):
                        targets[r] += rows[r, v] * pushed[v]
                    pushed[v] = 0.0
            put_range_jacobians(joints, links, corners, mobility, local, ranges)
            size_now = row + ROWS
            put_ahead(points, ref_world, ref_motion, left, 1.0 / fps, h, state)
            for p in range(LIMIT_PASSES + 1):
                for _ in range(SOFTER_TRIES):
                    balance(
                        rows, targets, softness, size_now, ease, wanted, outside, plan, n, settings[FRICTION], EASE,
                        state, centre, room, rates,
                    )  # fmt: skip
                    if p > 0 or hard == 0 or not is_wild(joints, rates, IMPACT if landing else WILD):
                        break
                    for r in range(hard):
                        if softness[r] != KEPT_OUT:
                            softness[r] *= SOFTER
                before = size_now
                if p < LIMIT_PASSES:
                    size_now = put_kept_out_rows(
                        chains, free, axes, world, motion, points, plan, n, left if flies else 0.0, flies and falls,
                        settings, rates, state, rows, targets, softness, size_now,
                    )  # fmt: skip
                    size_now = put_limit_rows(
                        joints, corners, velocities, mobility, angles, ranges, h, speeds, rates, slots, errors, rows,
                        targets, softness, size_now,
                    )  # fmt: skip
                if size_now == before:
                    break
            expect_momentum(centre, sums, outside, state, h, expected)
            carried[BEGUN] = 1.0
            advance(joints, velocities, free, h, rates, angles, local, speeds)
            place_figure(joints, links, velocities, free, angles, local, world, axes)
            put_sums(joints, links, world, sums)
            keep_momentum(joints, velocities, free, world, axes, sums, expected, rows, angles, speeds)
        put_motion(joints, free, world, axes, speeds, still, motion)
        most = 2.0 * kinetic_energy(links, ref_world, ref_motion) + LIVELIEST * settings[GRAVITY] * settings[TALL]
        wild = is_wild(joints, speeds, FASTEST) or not kinetic_energy(links, world, motion) < most
        if wild or is_below(points, world, INTO_GROUND * settings[TALL]):
            angles[:], local[:, :], speeds[:] = start, start_local, start_speeds
            return n, True
        for i in range(points.shape[0]):
            bearing[n, i] = state[i, BEARS]
        if goes_on:
            keep_frame(
                joints, links, velocities, chains, free, mobility, points, plan, n, pushes, bearing, settings, fps,
                expected, start, start_local, way, way_points, way_pushes, angles, local, speeds, state, rows,
                targets, softness, room, False,
            )  # fmt: skip
        put_way(joints, velocities, free, start, start_local, angles, local, fps, way)
        way_points[:, 0], way_points[:, 1:], way_pushes[:, :] = bearing[n], plan[n], pushes[n]
        put_ball_angles(joints, velocities, local, angles)
        for v in range(size):
            postures[n, v] = angles[v]
        if is_lost(centre, ref_centre, shift, astray, settings):
            return n + 1, True
    return frames, False


@inner
def is_wild(joints, rates, most):
    """Whether a joint but the root has more than that of a velocity or an acceleration, or no number."""
    largest = 0.0
    for v in range(joints[0, JOINT_FIRST] + joints[0, COUNT], rates.shape[0]):
        largest = max(largest, abs(rates[v]))
    return not largest < most


@inner
def is_below(points, world, depth):
    """Whether a point is farther below the ground than that."""
    lowest = 0.0
    for i in range(points.shape[0]):
        j = int(points[i, POINT_JOINT])
        _, y, _ = to_world(world, j, points[i, POINT_AT], points[i, POINT_AT + 1], points[i, POINT_AT + 2])
        lowest = min(lowest, world[j, 1] + y)
    return lowest < -depth


@inner
def find_astray(plan, n, centre, ref_centre, shift, settings, state, astray):
    """By how much (2,) the figure is to be caught beside where the reference is; who hangs does not fall."""
    put_astray(centre, ref_centre, shift, settings, astray)
    if is_hanging(plan, n, state):
        astray[0] = astray[1] = 0.0


@inner
def is_hanging(plan, n, state):
    """Whether a point holds on to something."""
    for i in range(state.shape[0]):
        if state[i, POINT_FIXED] > 0.0 and (plan[n, i, DOES] == GRIPPING or plan[n, i, DOES] == HANGS):
            return True
    return False


@inner
def has_any(state, column):
    """Whether any point has something in a column, as BEARS or EARLY."""
    found = 0.0
    for i in range(state.shape[0]):
        found += state[i, column]
    return found > 0.0


@inner
def is_lost(centre, ref_centre, shift, astray, settings):
    """Whether the balance is lost: where the figure would have to be caught is too far from where the reference is, or
    it has sunk too far."""
    below, tall = ref_centre[1] + shift[1] - centre[1], settings[TALL]
    far = astray[0] * astray[0] + astray[1] * astray[1]
    return below > settings[SUNK] * tall or far > (settings[ASTRAY] * tall) ** 2
