"""The kernels that Python calls.

Arguments that many of them share:
    joints (joints, 13), dofs (dofs, 9), gaze (10,), below (joints, joints): the body, see puppet.kernels.model
    limbs (arms, 3): shoulder, elbow and wrist of each arm
    hands (limbs,): the last joint of each limb
    trunk, chain: numbers of joints, parents first
    goals (limbs, 12): transforms for the tips; oriented (limbs,): whether the rotation counts
    table (2,): height and front
    height: of the body
    transforms (joints, 12): of all joints in the world, overwritten
    estimate (dofs,): the natural first guess
    angles (dofs,): where the posture starts and where the answer is put
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels import idle_limbs
from puppet.kernels.arm_course import frames_of_courses, swivel_of
from puppet.kernels.arms_for_trunk import solve_arms
from puppet.kernels.ccd import goal_errors
from puppet.kernels.closed_form_arm import STATE_SIZE
from puppet.kernels.dynamics_explain import explain_frames
from puppet.kernels.dynamics_fall import fall_frames
from puppet.kernels.dynamics_filter import filter_frames
from puppet.kernels.dynamics_model import MOTION_COLUMNS
from puppet.kernels.dynamics_motion import put_efforts, put_loads, put_mass_matrix, put_motion
from puppet.kernels.dynamics_space import measure_space, step_space
from puppet.kernels.estimate import estimate_posture, put_estimate
from puppet.kernels.figure_clip import follow_clip
from puppet.kernels.figure_deviation import put_clip_course, put_clip_deviations, put_clip_displaced
from puppet.kernels.figure_dual import spread_tasks
from puppet.kernels.figure_features import needs_sums, put_error, put_first_rows, put_sums, put_task_jacobian
from puppet.kernels.figure_kinematics import place_figure, put_ball_angles
from puppet.kernels.figure_model import TARGET
from puppet.kernels.figure_path import follow_frames
from puppet.kernels.figure_step import figure_room, largest_error, put_towards, step_at, take_step
from puppet.kernels.figure_track import track_frames
from puppet.kernels.forward_kinematics import forward as place_all
from puppet.kernels.frame_steps import follow_aims, put_angles, put_changes, put_excess, put_visible_leaps
from puppet.kernels.gaze import look_at, tilt_head
from puppet.kernels.grid_search import grid_search_arms
from puppet.kernels.jit import entry
from puppet.kernels.model import LOAD_AND_SEARCH, POSITION_TOLERANCE
from puppet.kernels.nearest_posture import find_nearest_posture
from puppet.kernels.path_clearance import judge_frames
from puppet.kernels.path_descent import descend, try_paths
from puppet.kernels.rotation import triple
from puppet.kernels.score import score_posture
from puppet.kernels.solid_model import PLACE_COLUMNS
from puppet.kernels.solid_pairs import find_pairs, most_candidates
from puppet.kernels.table_clearance import table_excess_below
from puppet.kernels.thesis import solve_as_printed
from puppet.kernels.trunk_and_arms import solve_trunk_and_arms, workspace_shape

__all__ = ["STATE_SIZE", "workspace_shape"]  # what Python has to make room for


@entry
def forward(joints, postures, all_transforms):
    """Forward kinematics: the transforms (n, joints, 12) of n postures (n, dofs)."""
    for n in range(postures.shape[0]):
        place_all(joints, postures[n], all_transforms[n])


@entry
def score(joints, dofs, gaze, limbs, trunk, goals, oriented, height, angles):
    """The score of any posture for these goals: see puppet.kernels.score."""
    transforms = np.empty((joints.shape[0], 12))
    estimate = angles.copy()
    estimate_posture(joints, dofs, gaze, limbs, trunk, goals, height, transforms, estimate)
    place_all(joints, angles, transforms)
    return score_posture(joints, dofs, limbs, trunk, goals, oriented, height, estimate, transforms, angles)


@entry
def natural_estimate(joints, dofs, gaze, limbs, trunk, chain, goals, height, transforms, estimate, angles):
    """The estimate of Section 5.7 alone: see put_estimate."""
    put_estimate(joints, dofs, gaze, limbs, trunk, chain, goals, height, transforms, estimate, angles)


@entry
def estimate_and_arms(
    joints, dofs, gaze, limbs, trunk, chain, goals, oriented, table, height, price, transforms, states, estimate, angles
):
    """natural_estimate, then arms_for_trunk with the effort LOAD_AND_SEARCH: what every posture begins with."""
    put_estimate(joints, dofs, gaze, limbs, trunk, chain, goals, height, transforms, estimate, angles)
    return solve_arms(
        joints, dofs, limbs, trunk, goals, oriented, table, estimate, LOAD_AND_SEARCH, price, transforms, states, angles
    )


@entry
def arms_for_trunk(
    joints, dofs, limbs, trunk, goals, oriented, table, estimate, effort, price, transforms, states, angles
):
    """The best arms for the trunk as it is: see puppet.kernels.arms_for_trunk."""
    return solve_arms(
        joints, dofs, limbs, trunk, goals, oriented, table, estimate, effort, price, transforms, states, angles
    )


@entry
def trunk_and_arms(joints, dofs, limbs, trunk, goals, estimate, elbow, transforms, states, work, old, angles):
    """Trunk and arms together, by damped least squares: see puppet.kernels.trunk_and_arms."""
    return solve_trunk_and_arms(
        joints, dofs, limbs, trunk, goals, estimate, elbow, transforms, states, work, old, angles
    )


@entry
def as_printed(
    joints, dofs, limbs, hands, trunk, chain_below, goals, oriented, table, height, transforms, estimate, angles
):
    """Trunk and arms by Figure 5.17 as printed: see puppet.kernels.thesis. angles hold the estimate."""
    solve_as_printed(
        joints, dofs, chain_below, limbs, hands, trunk, goals, oriented, table, height, estimate, transforms, angles
    )


@entry
def grid_search(joints, dofs, limbs, goals, oriented, table, estimate, transforms, angles):
    """The arms of a posture that only just failed, searched on a fine grid; returns the violation that is left."""
    return grid_search_arms(joints, dofs, limbs, goals, oriented, table, estimate, transforms, angles)


@entry
def nearest_posture(
    joints, dofs, chain, chain_below, roots, hands, goals, oriented, table, height, starts, sweeps, transforms, angles,
):  # fmt: skip
    """The posture nearest to goals that cannot be met, from several starts (n, dofs); returns whether any is clear of
    the table: see puppet.kernels.nearest_posture."""
    return find_nearest_posture(
        joints, dofs, chain_below, chain, roots, hands, goals, oriented, table, POSITION_TOLERANCE * height, starts,
        sweeps, transforms, angles,
    )  # fmt: skip


@entry
def clear_idle_limbs(joints, dofs, below, idle_roots, table, transforms, angles):
    """Moves idle limbs out of the table; returns whether all of them are clear of it."""
    place_all(joints, angles, transforms)
    clear = True
    for root in idle_roots:
        clear = idle_limbs.clear_idle_limb(joints, dofs, below, root, table, transforms, angles) and clear
    return clear


@entry
def turn_head(joints, dofs, gaze, aim, transforms, angles):
    """Turns the head towards its aim as far as its limits allow: see puppet.kernels.gaze.tilt_head."""
    tilt_head(joints, dofs, gaze, aim, transforms, angles)


@entry
def finish(
    joints, dofs, gaze, below, limbs, hands, trunk, idle_roots, goals, oriented, table, height, target, estimate,
    transforms, angles, results, aim,
):  # fmt: skip
    """Turns the head and measures the posture; returns whether idle limbs are clear of the table, and whether the head
    could be turned all the way.

    Where it could not, aim (6,) is what turn_head needs, a kernel of its own because it is seldom needed. target: (3,)
    the point to look at; nan for none, inf for the middle of the goals. results (2 limbs + 1,): position error and
    orientation error of each limb, then the score, which is nan where the limbs are no arms. A posture that is not
    finite, in whatever joint, is infinitely far from every goal.
    """
    place_all(joints, angles, transforms)
    clear = True
    for root in idle_roots:
        clear = clear and table_excess_below(joints, table, transforms, below, root) <= 0.0
    x, y, z = target[0], target[1], target[2]
    if math.isinf(x):
        x = y = z = 0.0
        for h in range(hands.shape[0]):
            gx, gy, gz = triple(goals, h, 0)
            x, y, z = x + gx / hands.shape[0], y + gy / hands.shape[0], z + gz / hands.shape[0]
    seen = True
    if not math.isnan(x):
        seen = look_at(joints, dofs, gaze, x, y, z, transforms, angles, aim)
    total = 0.0
    for angle in angles:
        total += angle
    for h in range(hands.shape[0]):
        results[2 * h], results[2 * h + 1] = goal_errors(
            joints, transforms, hands[h : h + 1], goals[h : h + 1], oriented[h : h + 1]
        )
        if not math.isfinite(total):
            results[2 * h] = math.inf
    results[2 * hands.shape[0]] = math.nan
    if limbs.shape[1] > 0:
        results[2 * hands.shape[0]] = score_posture(
            joints, dofs, limbs, trunk, goals, oriented, height, estimate, transforms, angles
        )
    return clear, seen


# ---- the whole-body solver


@entry
def figure_place(tree, links, velocities, free, angles, local, world, axes, sums):
    """world, axes and sums of a posture: see figure_kinematics and figure_features."""
    place_figure(tree, links, velocities, free, angles, local, world, axes)
    put_sums(tree, links, world, sums)


@entry
def figure_lengths(world, sums, tasks, lengths):
    """lengths (tasks,): by how much each task is missed."""
    errors = np.empty(3)
    for t in range(tasks.shape[0]):
        lengths[t] = put_error(world, sums, tasks, t, errors, 0)


@entry
def figure_rows(tree, links, velocities, chains, free, world, axes, sums, tasks, jacobian, errors, lengths):
    """Jacobian (velocities, rows), errors (rows,) and lengths (tasks,) of tasks, one after the other."""
    starts, packed = np.empty(tasks.shape[0] + 1, np.int64), np.empty((tasks.shape[0], velocities.shape[0], 3))
    stiffness = np.zeros(velocities.shape[0])  # of no use here
    put_first_rows(tasks, starts)
    for t in range(tasks.shape[0]):
        lengths[t] = put_error(world, sums, tasks, t, errors, starts[t])
        put_task_jacobian(velocities, chains, free, world, axes, sums, tasks, t, packed, stiffness)
    spread_tasks(chains, tasks, starts, packed, jacobian)


@entry
def figure_step(
    tree, links, corners, velocities, chains, free, tasks, given, given_errors, given_soft, towards, mobility, approach,
    room_left, largest, angles, local, world, axes, sums, lengths, room,
):  # fmt: skip
    """A step of the whole-body solver, for other kernels: see puppet.kernels.figure_step."""
    return take_step(
        tree, links, corners, velocities, chains, free, tasks, given, given_errors, given_soft, towards, mobility,
        approach, room_left, largest, angles, local, world, axes, sums, lengths, room,
    )  # fmt: skip


@entry
def figure_advance(
    stepper, tree, links, corners, velocities, chains, free, angles, local, world, axes, sums, tasks, lengths, given,
    given_errors, given_soft, reference_angles, reference_local, gains, mobility, largest, steps, still, enough, places,
    postures,
):  # fmt: skip
    """Frames of up to `steps` steps towards tasks and reference posture; returns how many steps the last one took, and
    the largest velocity of its last.

    places (frames, 3): where the first task's target is in each frame, and postures (frames, dofs) takes them; without
    any it is one frame. gains (velocities,): which part of the way to the reference posture each step goes. A frame
    ends early when no velocity is larger than `still`, and after two steps when no task misses by more than `enough`.
    sums are brought up to date only where a task needs them.
    """
    if needs_sums(tasks):
        put_sums(tree, links, world, sums)
    towards, room = np.empty(velocities.shape[0]), figure_room(tree, velocities, tasks, given, 0)
    approach, room_left = np.empty((velocities.shape[0], 0)), np.empty(0)
    most, done = 0.0, 0
    for frame in range(max(places.shape[0], 1)):
        for n in range(3 if places.shape[0] > 0 else 0):
            tasks[0, TARGET + n] = places[frame, n]
        done = 0
        for n in range(steps):
            if n >= 2 and largest_error(world, sums, tasks, lengths, room) <= enough:
                break
            put_towards(tree, velocities, reference_angles, reference_local, gains, mobility, angles, local, towards)
            most = step_at(
                stepper, tree, links, corners, velocities, chains, free, tasks, given, given_errors, given_soft,
                towards, mobility, approach, room_left, largest, angles, local, world, axes, sums, lengths, room,
            )  # fmt: skip
            done += 1
            if most <= still:
                break
        put_ball_angles(tree, velocities, local, angles)
        for v in range(angles.shape[0] if places.shape[0] > 0 else 0):
            postures[frame, v] = angles[v]
    return done, most


@entry
def figure_follow(
    stepper, tree, links, corners, velocities, chains, free, tasks, goals_by_frame, firmness, reference_frames, gains,
    mobility, solids, halves, boxes, carriers, apart_from, owners, leaving, arriving, left_behind, reached, margin,
    steps, angles, local, postures, misses, depths, pushes,
):  # fmt: skip
    """The frames of a figure whose parts follow paths around solids: see puppet.kernels.figure_path."""
    follow_frames(
        stepper, tree, links, corners, velocities, chains, free, tasks, goals_by_frame, firmness, reference_frames,
        gains, mobility, solids, halves, boxes, carriers, apart_from, owners, leaving, arriving, left_behind, reached,
        margin, steps, angles, local, postures, misses, depths, pushes,
    )  # fmt: skip


@entry
def figure_track(
    stepper, tree, links, corners, velocities, chains, free, tasks, goals_by_frame, firmness, giving, reference_frames,
    root_gains, gains, mobility, ease, opening, steps, begin, until, memory, angles, local, postures, misses,
):  # fmt: skip
    """The frames of a figure that follows tracks: see puppet.kernels.figure_track."""
    track_frames(
        stepper, tree, links, corners, velocities, chains, free, tasks, goals_by_frame, firmness, giving,
        reference_frames, root_gains, gains, mobility, ease, opening, steps, begin, until, memory, angles, local,
        postures, misses,
    )  # fmt: skip


@entry
def figure_clip(
    stepper, tree, links, corners, velocities, chains, free, tasks, task_starts, reference_frames, gains, mobility,
    anew, steps, angles, local, postures,
):  # fmt: skip
    """The frames of a figure that follows recorded ones, changed by tasks: see puppet.kernels.figure_clip."""
    follow_clip(
        stepper, tree, links, corners, velocities, chains, free, tasks, task_starts, reference_frames, gains, mobility,
        anew, steps, angles, local, postures,
    )  # fmt: skip


@entry
def clip_deviations(balls, reference_frames, postures, deviations):
    """How postures deviate from recorded ones: see puppet.kernels.figure_deviation."""
    put_clip_deviations(balls, reference_frames, postures, deviations)


@entry
def clip_displaced(balls, reference_frames, deviations, postures):
    """Postures that deviate so from recorded ones: see puppet.kernels.figure_deviation."""
    put_clip_displaced(balls, reference_frames, deviations, postures)


@entry
def clip_course(controls, begin, until, fixed_first, fixed_last, numbers, deviations):
    """A smooth course of deviations: see puppet.kernels.figure_deviation."""
    put_clip_course(controls, begin, until, fixed_first, fixed_last, numbers, deviations)


@entry
def clearances(all_transforms, solids, halves, boxes, carriers, apart_from, near, pairs, counts):
    """The pairs of solids that are nearer than `near` in each frame, one frame's after the other's, into pairs, and how
    many they are into counts (frames,); returns how many in all: see puppet.kernels.solid_pairs. boxes (frames or 1,
    boxes, 12): the same in all frames, or not. Each frame has its share of the room in pairs."""
    places, cubes = np.empty((solids.shape[0], PLACE_COLUMNS)), np.empty((halves.shape[0], 12))
    candidates, total = np.empty((most_candidates(solids, halves), 2), dtype=np.int64), 0
    room = pairs.shape[0] // max(1, all_transforms.shape[0])
    for f in range(all_transforms.shape[0]):
        counts[f] = find_pairs(
            all_transforms[f], solids, halves, boxes[min(f, boxes.shape[0] - 1)], carriers, apart_from, near, places,
            cubes, candidates, pairs[total : total + room],
        )  # fmt: skip
        total += counts[f]
    return total


# ---- arms that follow courses


@entry
def arm_swivels(joints, limbs, postures, swivels):
    """The swivels (n, arms) of arms in postures (n, dofs): see puppet.kernels.arm_course."""
    room = np.zeros((3, 9))
    for n in range(postures.shape[0]):
        for a in range(limbs.shape[0]):
            swivels[n, a] = swivel_of(joints, limbs[a], postures[n], room)


@entry
def arm_frames(
    joints, dofs, tree, links, corners, limbs, arm_of, courses, swivels, oriented, first, rows, postures,
    all_transforms, shorts, overs,
):  # fmt: skip
    """Postures (n, dofs) with the wrists of arms on their courses (n, arms, 12): see puppet.kernels.arm_course."""
    return frames_of_courses(
        joints, dofs, tree, links, corners, limbs, arm_of, courses, swivels, oriented, first, rows, postures,
        all_transforms, shorts, overs,
    )  # fmt: skip


@entry
def step_excess(all_transforms, paces, own, snaps, rests, excess):
    """By how much joints go or turn farther than they may in each frame: see puppet.kernels.frame_steps."""
    put_excess(all_transforms, paces, own, snaps, rests, excess)


@entry
def visible_leaps(all_transforms, tips, own, bounds, snaps, seen):
    """Before which frames joints leap for all to see: see puppet.kernels.frame_steps."""
    put_visible_leaps(all_transforms, tips, own, bounds, snaps, seen)


@entry
def velocity_changes(joints, all_transforms, own, changes):
    """By how much velocities of joints change in each frame: see puppet.kernels.frame_steps."""
    put_changes(joints, all_transforms, own, changes)


@entry
def aims_followed(aims, drifts, first, velocity, rates, followed):
    """What follows moving aims, as fast as it may: see puppet.kernels.frame_steps."""
    follow_aims(aims, drifts, first, velocity, rates, followed)


@entry
def ball_angles(joints, dofs, tree, links, corners, joint, rotations, follows, old, postures):
    """The angles of a ball joint with these rotations, inside its range: see puppet.kernels.frame_steps."""
    local = np.zeros((joints.shape[0], 9))
    put_angles(joints, dofs, tree, links, corners, joint, rotations, follows, old, postures, local)


@entry
def frame_clearances(
    all_transforms, solids, halves, boxes, carriers, apart_from, parts, owners, leaving, arriving, left_behind, reached,
    margins, near, slack, looked_at, rows, numbers, counts, candidates_by_frame, known_transforms, missing, depths,
):  # fmt: skip
    """How much clearance is missing in each frame, and how deep anything is: see puppet.kernels.path_clearance."""
    return judge_frames(
        all_transforms, solids, halves, boxes, carriers, apart_from, parts, owners, leaving, arriving, left_behind,
        reached, margins, near, slack, looked_at, rows, numbers, counts, candidates_by_frame, known_transforms, missing,
        depths,
    )  # fmt: skip


@entry
def path_tries(
    placing, judging, joints, dofs, tree, links, corners, limbs, arm_of, oriented, first, reference_frames, root_frames,
    courses, swivels, middles, bend_shares, displaced_by, loose, solids_of, halves, boxes, carriers, apart_from, parts,
    owners, leaving, arriving, left_behind, reached, margins, near, numbers, counts_of, candidates_of, transforms_of,
    looked_at, movable, only, trials, residuals, faults,
):  # fmt: skip
    """What is wrong with paths that are bent in several ways, (n,): see puppet.kernels.path_descent."""
    return try_paths(
        placing, judging, joints, dofs, tree, links, corners, limbs, arm_of, oriented, first, reference_frames,
        root_frames, courses, swivels, middles, bend_shares, displaced_by, loose, solids_of, halves, boxes, carriers,
        apart_from, parts, owners, leaving, arriving, left_behind, reached, margins, near, numbers, counts_of,
        candidates_of, transforms_of, looked_at, movable, only, trials, residuals, faults,
    )  # fmt: skip


@entry
def path_descent(
    trying, placing, judging, joints, dofs, tree, links, corners, limbs, arm_of, oriented, first, reference_frames,
    root_frames, courses, swivels, middles, bend_shares, displaced_by, loose, solids_of, halves, boxes, carriers,
    apart_from, parts, owners, leaving, arriving, left_behind, reached, margins, near, numbers, counts_of,
    candidates_of, transforms_of, looked_at, movable, kinds, bends,
):  # fmt: skip
    """Bends paths until they are clear; returns how many were tried: see puppet.kernels.path_descent."""
    return descend(
        trying, placing, judging, joints, dofs, tree, links, corners, limbs, arm_of, oriented, first, reference_frames,
        root_frames, courses, swivels, middles, bend_shares, displaced_by, loose, solids_of, halves, boxes, carriers,
        apart_from, parts, owners, leaving, arriving, left_behind, reached, margins, near, numbers, counts_of,
        candidates_of, transforms_of, looked_at, movable, kinds, bends,
    )  # fmt: skip


# ---- dynamics


@entry
def dynamics_inverse(tree, links, velocities, free, world, axes, speeds, accelerations, gravity, loads, efforts):
    """The generalised forces (velocities,) that a motion takes; loads (joints, 6) hold minus the wrenches from
    outside."""
    motion = np.empty((tree.shape[0], MOTION_COLUMNS))
    put_motion(tree, free, world, axes, speeds, accelerations, motion)
    put_loads(tree, links, world, motion, gravity, loads)
    put_efforts(velocities, free, axes, loads, efforts)


@entry
def dynamics_mass(velocities, chains, free, axes, sums, mass):
    """The mass matrix of a figure, (velocities, velocities)."""
    put_mass_matrix(velocities, chains, free, axes, sums, mass)


@entry
def dynamics_filter(
    tree, links, corners, velocities, chains, free, mobility, points, plan, ref_postures, ref_locals, ref_speeds,
    ref_rates, leaving, pushes_by_frame, ends, upper, settings, angles, local, speeds, point_states, feet, carried,
    way, way_points, way_pushes, postures, bearing,
):  # fmt: skip
    """Frames that contact forces can cause: see puppet.kernels.dynamics_filter."""
    return filter_frames(
        tree, links, corners, velocities, chains, free, mobility, points, plan, ref_postures, ref_locals, ref_speeds,
        ref_rates, leaving, pushes_by_frame, ends, upper, settings, angles, local, speeds, point_states, feet, carried,
        way, way_points, way_pushes, postures, bearing,
    )  # fmt: skip


@entry
def dynamics_explain(
    tree, links, velocities, free, points, plan, ref_postures, ref_locals, ref_speeds, ref_rates, pushes_by_frame,
    bearing, settings, contact_forces, torques,
):  # fmt: skip
    """Contact forces and joint torques of a motion: see puppet.kernels.dynamics_explain."""
    explain_frames(
        tree, links, velocities, free, points, plan, ref_postures, ref_locals, ref_speeds, ref_rates, pushes_by_frame,
        bearing, settings, contact_forces, torques,
    )  # fmt: skip


@entry
def dynamics_fall(
    tree, links, corners, velocities, chains, free, mobility, points, plan, pushes_by_frame, begin, begins, steps,
    settings, angles, local, speeds, way, way_points, way_pushes, postures, bearing,
):  # fmt: skip
    """Frames of a limp figure from frame `begin` on, in `steps` substeps each: see puppet.kernels.dynamics_fall."""
    fall_frames(
        tree, links, corners, velocities, chains, free, mobility, points, plan, pushes_by_frame, begin, begins, steps,
        settings, angles, local, speeds, way, way_points, way_pushes, postures, bearing,
    )  # fmt: skip


@entry
def space_measure(tree, links, velocities, free, angles, local, speeds, world, axes, sums, motion, centre):
    """Places and motions of a figure in an animation space: see puppet.kernels.dynamics_space."""
    measure_space(tree, links, velocities, free, angles, local, speeds, world, axes, sums, motion, centre)


@entry
def space_step(
    tree, links, corners, velocities, chains, free, mobility, points, plan, given, given_errors, given_soft,
    reference_angles, reference_local, pushes_by_frame, settings, angles, local, speeds, point_states, world, axes,
    sums, motion,
):  # fmt: skip
    """One step of a figure in an animation space: see puppet.kernels.dynamics_space."""
    step_space(
        tree, links, corners, velocities, chains, free, mobility, points, plan, given, given_errors, given_soft,
        reference_angles, reference_local, pushes_by_frame, settings, angles, local, speeds, point_states, world, axes,
        sums, motion,
    )  # fmt: skip
