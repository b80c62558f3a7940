"""A figure that follows recorded frames, changed by tasks: editing motion in motion (Yamane and Nakamura 2003,
Section 4), compiled.

Each frame begins where the last one ended, moved on as the reference moves on, or anew from its reference, and takes
steps of the whole-body solver towards its own tasks and a good part of the way to the reference posture, its root
included:

    q <- q + step(tasks, gains (reference - q)).

So it stays near the posture that satisfies the tasks and is nearest to the reference in the solver's metric, a smooth
function of both.
"""

from __future__ import annotations

import numpy as np

from puppet.kernels.figure_features import put_sums
from puppet.kernels.figure_kinematics import place_figure, put_ball_angles
from puppet.kernels.figure_model import BALL, LARGEST_STEP
from puppet.kernels.figure_path import move_on, put_local
from puppet.kernels.figure_step import figure_room, put_towards, step_at
from puppet.kernels.jit import inner

_STILL = 1e-8  # a step this small is the last one of its frame


@inner
def follow_clip(
    stepper, joints, links, corners, velocities, chains, free, tasks, task_starts, references, gains, mobility, anew,
    steps, angles, local, postures,
):  # fmt: skip
    """Postures (frames, dofs), see above.

    tasks: those of all frames one after the other; task_starts (frames + 1,): where those of each frame begin.
    references (frames, dofs). anew: 1 where each frame begins from its reference, as the first one does. angles, local:
    room for a posture.
    """
    count = velocities.shape[0]
    world, axes, sums = np.empty((joints.shape[0], 12)), np.zeros((count, 6)), np.empty((joints.shape[0], 13))
    approach, room_left, towards = np.empty((count, 0)), np.empty(0), np.empty(count)
    given, given_errors = np.empty((count, 0)), np.empty(0)
    rotations, reference_local = np.empty((2 * joints.shape[0], 9)), np.zeros((joints.shape[0], 9))
    for f in range(postures.shape[0]):
        before, now = references[max(f - 1, 0)], references[f]
        own = tasks[task_starts[f] : task_starts[f + 1]]
        lengths = np.empty(own.shape[0])
        if f == 0 or anew == 1:
            for v in range(angles.shape[0]):
                angles[v] = before[v]
            for j in range(joints.shape[0]):
                if joints[j, BALL] == 1:
                    put_local(joints, velocities, j, before, local)
        move_on(joints, links, corners, velocities, free, mobility, before, now, angles, local, rotations)
        for j in range(joints.shape[0]):
            if joints[j, BALL] == 1:
                put_local(joints, velocities, j, now, reference_local)
        place_figure(joints, links, velocities, free, angles, local, world, axes)
        put_sums(joints, links, world, sums)
        room = figure_room(joints, velocities, own, given, 0)
        for _ in range(steps):
            put_towards(joints, velocities, now, reference_local, gains, mobility, angles, local, towards)
            if free == 1:
                for v in range(3):
                    towards[v] = gains[v] * (now[v] - angles[v]) if mobility[v] > 0.0 else 0.0
            most = step_at(
                stepper, joints, links, corners, velocities, chains, free, own, given, given_errors, given_errors,
                towards, mobility, approach, room_left, LARGEST_STEP, angles, local, world, axes, sums, lengths, room,
            )  # fmt: skip
            if most < _STILL:
                break
        put_ball_angles(joints, velocities, local, angles)
        for v in range(angles.shape[0]):
            postures[f, v] = angles[v]
