"""A figure that follows tracks, frame by frame: physics exactly, pins by their gains, a posture softly.

Each frame is the posture that minimises the distance to its reference posture with the tasks of that frame, found by
steps of the whole-body solver (puppet.kernels.figure_step) from the frame before. Joints come back to their reference
as critically damped springs would, so that a pin that lets go does not make them jump: with x the deviation of a joint,
the reference of frame n is the track's posture and

    2 a x(n-1) - a^2 x(n-2)                                                  0 <= a < 1

Angular momentum is that of the way from the last frame to this one, exact for point masses that no moment acts on:

    h = sum m d0 x d1 + (R0 + R1)/2 I R0^T log(R1 R0^T)         d: from the centre of mass of its frame to a link's

Its error is measured anew at each step, so that it is kept over a frame of any length. Where pins and physics
contradict each other, steps stay large; so the last ones are of physics alone. In the end the root is moved so that the
centre of mass is where it should be to the last bit; that changes neither inertia nor angular momentum.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.figure_features import SUM_CENTRE, SUM_MASS, link_centre, put_sums
from puppet.kernels.figure_kinematics import place_figure, put_ball_angles
from puppet.kernels.figure_model import (
    ANGLE,
    BALL,
    COUNT,
    COUNTS,
    GIVING,
    INERTIA,
    JOINT_FIRST,
    LARGEST_STEP,
    LINK,
    MASS,
    MASS_CENTRE,
    MOMENT,
    MOMENTUM,
    ORIENTATION,
    PRIORITY,
    SOFT,
    TARGET,
    TARGET_TURN,
    TASK_COLUMNS,
    TASK_KIND,
)
from puppet.kernels.figure_path import put_local
from puppet.kernels.figure_range import quaternion_vector, relative_quaternion, turn_ball
from puppet.kernels.figure_step import figure_room, largest_error, put_towards, step_at
from puppet.kernels.jit import inner
from puppet.kernels.rotation import to_world, triple

_STILL = 1e-7  # a step this small is the last one of its frame
_EXACT = 1e-8  # how much a task that is exact gives at most
_SUNK = 1e-3  # radians by which a sole is turned whose heel is not yet below the floor
POLISH = 40  # steps of what is exact alone, at most,
POLISHED = 1e-11  # as long as it misses by more
OUT_OF_REACH = 1e-4  # an inertia that is missed by more cannot be had, and must not disturb the rest


@inner
def momentum_between(links, world, sums, before, before_sums, found):
    """found (3,): angular momentum about the centre of mass on the way between two placed postures, times the time."""
    for n in range(3):
        found[n] = 0.0
    old, new = np.empty(3), np.empty(3)
    for j in range(links.shape[0]):
        m = links[j, MASS]
        if m == 0.0:
            continue
        for n in range(3):
            old[n] = link_centre(links, before, j, n) - before_sums[0, SUM_CENTRE + n] / before_sums[0, SUM_MASS]
            new[n] = link_centre(links, world, j, n) - sums[0, SUM_CENTRE + n] / sums[0, SUM_MASS]
        found[0] += m * (old[1] * new[2] - old[2] * new[1])
        found[1] += m * (old[2] * new[0] - old[0] * new[2])
        found[2] += m * (old[0] * new[1] - old[1] * new[0])
        w, x, y, z = relative_quaternion(before, world, j, 3.0)
        tx, ty, tz = quaternion_vector(w, x, y, z, 1.0)  # the turn in the link's own coordinates
        ix = links[j, INERTIA] * tx + links[j, INERTIA + 1] * ty + links[j, INERTIA + 2] * tz
        iy = links[j, INERTIA + 3] * tx + links[j, INERTIA + 4] * ty + links[j, INERTIA + 5] * tz
        iz = links[j, INERTIA + 6] * tx + links[j, INERTIA + 7] * ty + links[j, INERTIA + 8] * tz
        for n in range(3):
            at = 3 + 3 * n
            found[n] += 0.5 * (
                (world[j, at] + before[j, at]) * ix
                + (world[j, at + 1] + before[j, at + 1]) * iy
                + (world[j, at + 2] + before[j, at + 2]) * iz
            )


@inner
def put_deviations(joints, velocities, reference_angles, reference_local, angles, local, deviations):
    """deviations (velocities,): how far each joint is from its reference, about its own axes where it is a ball
    joint."""
    for j in range(joints.shape[0]):
        first, count = joints[j, JOINT_FIRST], joints[j, COUNT]
        if count == 0:
            continue
        if joints[j, BALL] == 0:
            for v in range(first, first + count):
                at = int(velocities[v, ANGLE])
                deviations[v] = angles[at] - reference_angles[at]
            continue
        w, x, y, z = relative_quaternion(reference_local, local, j, 0.0)
        x, y, z = quaternion_vector(w, x, y, z, 1.0)
        deviations[first], deviations[first + 1], deviations[first + 2] = x, y, z


@inner
def put_reference(joints, velocities, posture, last, before, ease, reference_angles, reference_local):
    """The reference of a frame: the track's posture (dofs,), and the rest of what joints deviated by."""
    for v in range(posture.shape[0]):
        reference_angles[v] = posture[v]
    for j in range(joints.shape[0]):
        first, count = joints[j, JOINT_FIRST], joints[j, COUNT]
        if joints[j, BALL] == 0:
            for v in range(first, first + count):
                reference_angles[int(velocities[v, ANGLE])] += ease * (2.0 * last[v] - ease * before[v])
            continue
        put_local(joints, velocities, j, posture, reference_local)
        turn_ball(
            reference_local, j, ease * (2.0 * last[first] - ease * before[first]),
            ease * (2.0 * last[first + 1] - ease * before[first + 1]),
            ease * (2.0 * last[first + 2] - ease * before[first + 2]),
        )  # fmt: skip


@inner
def put_frame_tasks(tasks, goals, firmness, giving, kept, active, places):
    """The tasks of a frame into `active`, their numbers into `places`; returns how many. A goal that is not a number
    is angular momentum that is conserved: `kept` (3,)."""
    count = 0
    for t in range(tasks.shape[0]):
        if firmness[t] < 0.0:
            continue
        for n in range(TASK_COLUMNS):
            active[count, n] = tasks[t, n]
        for n in range(3):
            active[count, TARGET + n] = kept[n] if math.isnan(goals[t, n]) else goals[t, n]
        for n in range(9):
            active[count, TARGET_TURN + n] = goals[t, 3 + n]
        active[count, SOFT], active[count, GIVING] = firmness[t], giving[t]
        places[count] = t
        count += 1
    return count


@inner
def hold_heels(world, active, count):
    """Makes the turns of soles firm whose heels would go below what they stand on; whether there was one.

    The target of such a task, which a turn has no other use for, points upwards from what it stands on; its length is
    by how much the task gives so that the heel can be lifted.
    """
    found = False
    for t in range(count):
        nx, ny, nz = triple(active, t, TARGET)
        lifts = math.sqrt(nx * nx + ny * ny + nz * nz)
        if active[t, TASK_KIND] != ORIENTATION or lifts == 0.0:
            continue
        x, y, z = to_world(world, int(active[t, LINK]), 0.0, 0.0, 1.0)  # ahead, where its toes are
        up = x * nx + y * ny + z * nz
        if up > _SUNK * lifts:
            active[t, SOFT] -= lifts
            active[t, TARGET], active[t, TARGET + 1], active[t, TARGET + 2] = 0.0, 0.0, 0.0
            found = True
    return found


@inner
def move_mass_centre(free, active, count, angles, world, sums):
    """Moves a free root so that the centre of mass is exactly where a firm task wants it."""
    if free == 0:
        return
    for t in range(count):
        if active[t, TASK_KIND] == MASS_CENTRE and active[t, SOFT] <= _EXACT:
            for n in range(3):
                if active[t, COUNTS + n] > 0.0:
                    by = active[t, TARGET + n] - sums[0, SUM_CENTRE + n] / sums[0, SUM_MASS]
                    angles[n] += by
                    for j in range(world.shape[0]):
                        world[j, n] += by


@inner
def track_frames(
    stepper, joints, links, corners, velocities, chains, free, tasks, goals, firmness, giving, references, root_gains,
    gains, mobility, ease, opening, steps, begin, until, memory, angles, local, postures, misses,
):  # fmt: skip
    """Postures (frames, dofs) from the frame `begin` to `until` (not included), see above.

    angles and local are the posture of the frame before, or what the first frame begins with, which is no frame.

    goals (frames, tasks, 12), firmness (frames, tasks): how much each task gives, negative where it is off; giving
    (frames, tasks): how much more by its error. references (frames, dofs). root_gains (frames,): how firmly the root's
    rotation is drawn to the reference's; gains (velocities,) of all other joints. opening, steps: of the first frame,
    and of the others, at most. memory (3, velocities): deviations in the last two frames, angular momentum in three
    numbers. misses (frames, tasks): what is left.
    """
    count, size = joints.shape[0], velocities.shape[0]
    world, axes, sums = np.empty((count, 12)), np.zeros((size, 6)), np.empty((count, 13))
    before, before_sums = np.empty((count, 12)), np.empty((count, 13))
    given, given_errors = np.empty((size, 0)), np.empty(0)
    approach, room_left = np.empty((size, 0)), np.empty(0)
    active, physics = np.empty((tasks.shape[0], TASK_COLUMNS)), np.empty((tasks.shape[0], TASK_COLUMNS))
    places, left = np.zeros(tasks.shape[0]), np.zeros(tasks.shape[0])
    lengths, towards, wanted = np.empty(tasks.shape[0]), np.empty(size), np.zeros(3)
    room = figure_room(joints, velocities, tasks, given, 0)
    last, earlier, kept, momentum = memory[0], memory[1], memory[2], np.zeros(3)
    reference_angles, reference_local = np.empty(angles.shape[0]), np.zeros((count, 9))
    place_figure(joints, links, velocities, free, angles, local, world, axes)
    put_sums(joints, links, world, sums)
    for f in range(begin, until):
        for j in range(count):
            for n in range(12):
                before[j, n] = world[j, n]
            for n in range(13):
                before_sums[j, n] = sums[j, n]
        turning = -1
        number = put_frame_tasks(tasks, goals[f], firmness[f], giving[f], kept, active, places)
        for t in range(number):
            if active[t, TASK_KIND] == MOMENTUM:
                turning = t
                for n in range(3):
                    wanted[n] = active[t, TARGET + n]
        put_reference(joints, velocities, references[f], last, earlier, ease, reference_angles, reference_local)
        if free == 1:
            for v in range(joints[0, JOINT_FIRST], joints[0, JOINT_FIRST] + joints[0, COUNT]):
                gains[v] = root_gains[f]
        move_mass_centre(free, active, number, angles, world, sums)
        place_figure(joints, links, velocities, free, angles, local, world, axes)
        put_sums(joints, links, world, sums)
        for _ in range(opening if f == 0 else steps):
            if turning >= 0:
                momentum_between(links, world, sums, before, before_sums, momentum)
                for n in range(3):
                    active[turning, TARGET + n] = wanted[n] - momentum[n]
            put_towards(joints, velocities, reference_angles, reference_local, gains, mobility, angles, local, towards)
            most = step_at(
                stepper, joints, links, corners, velocities, chains, free, active[:number], given, given_errors,
                given_errors, towards, mobility, approach, room_left, LARGEST_STEP, angles, local, world, axes, sums,
                lengths, room,
            )  # fmt: skip
            if not hold_heels(world, active, number) and most < _STILL:
                break
        for t in range(number):
            left[t] = lengths[t]
        put_sums(joints, links, world, sums)
        exact, spinning = 0, -1
        for t in range(number):
            out_of_reach = active[t, TASK_KIND] == MOMENT and left[t] > OUT_OF_REACH
            if active[t, PRIORITY] == 1.0 and active[t, SOFT] <= _EXACT and not out_of_reach:
                if t == turning:
                    spinning = exact
                for n in range(TASK_COLUMNS):
                    physics[exact, n] = active[t, n]
                exact += 1
        for v in range(size):
            towards[v] = 0.0
        for _ in range(POLISH if exact > 0 else 0):
            if spinning >= 0:
                momentum_between(links, world, sums, before, before_sums, momentum)
                for n in range(3):
                    physics[spinning, TARGET + n] = wanted[n] - momentum[n]
            if largest_error(world, sums, physics[:exact], lengths, room) <= POLISHED:
                break
            step_at(
                stepper, joints, links, corners, velocities, chains, free, physics[:exact], given, given_errors,
                given_errors, towards, mobility, approach, room_left, LARGEST_STEP, angles, local, world, axes, sums,
                lengths, room,
            )  # fmt: skip
        move_mass_centre(free, active, number, angles, world, sums)
        put_sums(joints, links, world, sums)
        put_ball_angles(joints, velocities, local, angles)
        for v in range(angles.shape[0]):
            postures[f, v] = angles[v]
        for t in range(tasks.shape[0]):
            misses[f, t] = 0.0
        for t in range(number):
            misses[f, int(places[t])] = left[t]
        if turning < 0 and f > 0:
            momentum_between(links, world, sums, before, before_sums, kept)
        for v in range(size):
            earlier[v] = last[v]
        put_reference(joints, velocities, references[f], last, earlier, 0.0, reference_angles, reference_local)
        put_deviations(joints, velocities, reference_angles, reference_local, angles, local, last)
        if f == 0:
            for v in range(size):
                earlier[v] = last[v]
