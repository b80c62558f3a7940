"""Paths of hands that are bent by as little as what is solid asks for, by damped least squares.

A vector x has seven numbers for each hand: what the two bends of its path, and the swing of its elbow, are changed by.
The arms follow the paths in R frames (see puppet.kernels.arm_course), and what is missing of clearances is found there
(see puppet.kernels.path_clearance). What is made small, the residuals r(x), are

    missing clearances / LACK_UNIT,  broken limits / OVER_UNIT,  distances from courses / SHORT_UNIT, each over sqrt(R),
    bends / BEND_UNIT,  swings / SWING_UNIT.

With slopes J, measured by small steps, a round takes the best of the steps

    (J^T J + damping I) s = -J^T r.

Arguments of all of it, besides those of the two kernels that are called by their addresses, `placing` and
`judging` (and `trying`, which is try_paths itself):
    reference_frames (R, angles): everything but the arms; root_frames (R, 3): places of a root that moves, else none
    courses (R, hands, 12), swivels, middles (R, hands), bend_shares (R, hands, 2): at x = 0, and what x adds to them
    displaced_by (hands,): the hand whose bends displace it, itself mostly, -1 for none
    loose (hands,): whose limits do not count; movable (x,): which numbers of x may change; kinds (x, 3): of what kind
    each is, see puppet.kernels.descent_model
    solids_of, counts_of, candidates_of, transforms_of: one for all hands, then those of each hand alone
    looked_at (R,): in which frames clearances are looked at; only: the hand of which they are, -1 for all
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.arm_course import frames_of_courses
from puppet.kernels.descent_model import (
    BEND_UNIT,
    BENDS,
    DAMPINGS,
    DEEP,
    DESCENT_ROUNDS,
    ENOUGH_CLEAR,
    HARDLY_LESS,
    KIND_FARTHEST,
    KIND_STEP,
    KIND_UNIT,
    LACK_UNIT,
    OFF_COURSE,
    OVER_UNIT,
    SHORT_UNIT,
    SHORTFALL,
    SWING_UNIT,
)
from puppet.kernels.jit import by_address, inlined, inner
from puppet.kernels.path_clearance import judge_frames
from puppet.kernels.solid_model import PAIR_SLACK, PARTS

place_at = by_address(frames_of_courses)  # with the address of the entry arm_frames
judge_at = by_address(judge_frames)  # with that of frame_clearances


@inner
def tries_room(count, joints, first, limbs):
    """Room for so many frames: their rows, whether they are looked at, postures, courses, the same as seen from the
    root, swivels, transforms, how far arms fall short and break limits, missing clearances, depths."""
    hands = limbs.shape[0]
    return (
        np.empty(count, dtype=np.int64), np.empty(count, dtype=np.bool_), np.empty((count, first.shape[0])),
        np.empty((count, hands, 12)), np.empty((count, hands, 12)), np.empty((count, hands)),
        np.empty((count, joints.shape[0], 12)), np.empty((count, hands)), np.empty((count, hands)),
        np.empty((count, PARTS * hands + 1)), np.empty(count),
    )  # fmt: skip


@inlined
def put_frame(reference_frames, root_frames, courses, swivels, middles, bend_shares, displaced_by, x, f, n, room):
    """Row f of the path of x as frame n of all: where wrists are to be."""
    postures, goals, seen, turns = room[2], room[3], room[4], room[5]
    room[0][n] = f
    for a in range(postures.shape[1]):
        postures[n, a] = reference_frames[f, a]
    for h in range(courses.shape[1]):
        for c in range(12):
            goals[n, h, c] = courses[f, h, c]
        d = displaced_by[h]
        if d >= 0:
            k = (BENDS + 1) * d
            for c in range(3):
                by = bend_shares[f, d, 0] * x[k + c] + bend_shares[f, d, 1] * x[k + 3 + c]
                goals[n, h, c] += by
        for c in range(12):
            seen[n, h, c] = goals[n, h, c]
        if root_frames.shape[0] > 0:
            for c in range(3):
                seen[n, h, c] -= root_frames[f, c]
        turns[n, h] = swivels[f, h] + middles[f, h] * x[(BENDS + 1) * h + BENDS]
        room[7][n, h] = room[8][n, h] = 0.0


@inlined
def put_residuals(limbs, loose, movable, size, x, begin, room, row):
    """The residuals of the path whose frames begin there, and by how much too deep, and too near, anything is."""
    goals, world, overs, missing, depths = room[3], room[6], room[8], room[9], room[10]
    hands, share, n = limbs.shape[0], 1.0 / math.sqrt(size), 0
    deep = lack = 0.0
    for f in range(begin, begin + size):
        deep = max(deep, depths[f] - DEEP)
        for part in range(PARTS * hands):
            lack = max(lack, missing[f, part] - SHORTFALL)
            row[n] = share / LACK_UNIT * missing[f, part]
            n += 1
    for f in range(begin, begin + size):
        for h in range(hands):
            row[n] = 0.0 if loose[h] else share / OVER_UNIT * overs[f, h]
            n += 1
    for f in range(begin, begin + size):
        for h in range(hands):
            away = 0.0
            for c in range(3):
                away += (world[f, limbs[h, 2], c] - goals[f, h, c]) ** 2
            row[n] = share / SHORT_UNIT * max(math.sqrt(away) - OFF_COURSE, 0.0)
            n += 1
    for k in range(x.shape[0]):
        if movable[k]:
            row[n] = x[k] / (SWING_UNIT if k % (BENDS + 1) == BENDS else BEND_UNIT)
            n += 1
    return deep + lack


@inner
def try_paths(
    placing, judging, joints, dofs, tree, links, corners, limbs, arm_of, oriented, first, reference_frames, root_frames,
    courses, swivels, middles, bend_shares, displaced_by, loose, solids_of, halves, boxes, carriers, apart_from, parts,
    owners, leaving, arriving, left_behind, reached, margins, near, numbers, counts_of, candidates_of, transforms_of,
    looked_at, movable, only, trials, residuals, faults,
):  # fmt: skip
    """The residuals (n, ...) of trials (n, x), and how bad each is, (n,). Returns how bad the worst is."""
    size, joint_count = looked_at.shape[0], joints.shape[0]
    total = trials.shape[0] * size
    room = tries_room(total, joints, first, limbs)
    for k in range(trials.shape[0]):
        for f in range(size):
            put_frame(
                reference_frames, root_frames, courses, swivels, middles, bend_shares, displaced_by, trials[k], f,
                k * size + f, room,
            )  # fmt: skip
            room[1][k * size + f] = looked_at[f]
    rows, looked, world = room[0], room[1], room[6]
    place_at(
        placing, joints, dofs, tree, links, corners, limbs, arm_of, room[4], room[5], oriented, first, rows,
        room[2], world, room[7], room[8],
    )  # fmt: skip
    if root_frames.shape[0] > 0:
        for n in range(total):
            for j in range(joint_count):
                for c in range(3):
                    world[n, j, c] += root_frames[rows[n], c]
    near_of = only + 1 if limbs.shape[0] > 1 else 0
    judge_at(
        judging, world, solids_of[near_of], halves, boxes, carriers, apart_from, parts, owners, leaving, arriving,
        left_behind, reached, margins, near, PAIR_SLACK, looked, rows, numbers, counts_of[near_of],
        candidates_of[near_of], transforms_of[near_of], room[9], room[10],
    )  # fmt: skip
    worst = 0.0
    for k in range(trials.shape[0]):
        faults[k] = put_residuals(limbs, loose, movable, size, trials[k], k * size, room, residuals[k])
        worst = max(worst, faults[k])
    return worst


tries_at = by_address(try_paths)  # with the address of the entry path_tries


@inlined
def put_concerned(hands, size, x, row, concerned, lacking):
    """Which hands something is wrong with, or that are moved, and in which frames clearances are missing; returns that
    hand if it is one alone, else -1: the others are clear of all that does not move."""
    for h in range(hands):
        concerned[h] = False
        for k in range(BENDS + 1):
            concerned[h] = concerned[h] or x[(BENDS + 1) * h + k] != 0.0
    n = 0
    for f in range(size):
        lacking[f] = False
        for part in range(PARTS * hands):
            if row[n] > 0.0:
                lacking[f], concerned[part // PARTS] = True, True
            n += 1
    for _ in range(2 * size):
        for h in range(hands):
            concerned[h] = concerned[h] or row[n] > 0.0
            n += 1
    count, last = 0, -1
    for h in range(hands):
        if concerned[h]:
            count, last = count + 1, h
    return last if count == 1 else -1


@inner
def solve_damped(matrix, damping, right, size, factor, found):
    """(matrix + damping I) found = right, (size,), of a matrix without negative eigenvalues, by Cholesky's factor."""
    for i in range(size):
        for j in range(i + 1):
            value = matrix[i, j] + (damping if i == j else 0.0)
            for k in range(j):
                value -= factor[i, k] * factor[j, k]
            factor[i, j] = math.sqrt(max(value, 1e-300)) if i == j else value / factor[j, j]
    for i in range(size):
        found[i] = right[i]
        for k in range(i):
            found[i] -= factor[i, k] * found[k]
        found[i] /= factor[i, i]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            found[i] -= factor[k, i] * found[k]
        found[i] /= factor[i, i]


@inlined
def squares(row):
    total = 0.0
    for n in range(row.shape[0]):
        total += row[n] * row[n]
    return total


@inner
def put_normal(kinds, moves, count, row, rows, normal, slope):
    """J^T J and -J^T r for the numbers that are changed, in their units; the rows become columns of J."""
    for i in range(count):
        scale = kinds[moves[i], KIND_UNIT] / kinds[moves[i], KIND_STEP]
        for n in range(row.shape[0]):
            rows[i, n] = (rows[i, n] - row[n]) * scale
    for i in range(count):
        slope[i] = 0.0
        for n in range(row.shape[0]):
            slope[i] -= rows[i, n] * row[n]
        for j in range(i + 1):
            total = 0.0
            for n in range(row.shape[0]):
                total += rows[i, n] * rows[j, n]
            normal[i, j] = normal[j, i] = total


@inlined
def put_step(kinds, moves, count, by, x, other):
    """other = x with a step by those numbers that are changed, none farther than it may."""
    less = 1.0
    for i in range(count):
        by[i] *= kinds[moves[i], KIND_UNIT]
        less = min(less, kinds[moves[i], KIND_FARTHEST] / max(abs(by[i]), 1e-12))
    for k in range(x.shape[0]):
        other[k] = x[k]
    for i in range(count):
        other[moves[i]] += less * by[i]


@inner
def descend(
    trying, placing, judging, joints, dofs, tree, links, corners, limbs, arm_of, oriented, first, reference_frames,
    root_frames, courses, swivels, middles, bend_shares, displaced_by, loose, solids_of, halves, boxes, carriers,
    apart_from, parts, owners, leaving, arriving, left_behind, reached, margins, near, numbers, counts_of,
    candidates_of, transforms_of, looked_at, movable, kinds, bends,
):  # fmt: skip
    """Changes x, the bends, until nothing gets better; returns how many paths were tried. looked_at: all frames."""
    size, hands, most = looked_at.shape[0], limbs.shape[0], max(bends.shape[0], len(DAMPINGS))
    length = size * (PARTS + 2) * hands
    for k in range(bends.shape[0]):
        length += movable[k]
    trials, rows, faults = np.empty((most, bends.shape[0])), np.empty((most, length)), np.empty(most)
    row, lacking, concerned = np.empty(length), np.empty(size, dtype=np.bool_), np.empty(hands, dtype=np.bool_)
    moves, normal, factor = np.empty(most, dtype=np.int64), np.empty((most, most)), np.empty((most, most))
    slope, by = np.empty(most), np.empty(most)
    trials[0] = bends
    tries_at(
        trying, placing, judging, joints, dofs, tree, links, corners, limbs, arm_of, oriented, first, reference_frames,
        root_frames, courses, swivels, middles, bend_shares, displaced_by, loose, solids_of, halves, boxes, carriers,
        apart_from, parts, owners, leaving, arriving, left_behind, reached, margins, near, numbers, counts_of,
        candidates_of, transforms_of, looked_at, movable, -1, trials[:1], rows[:1], faults,
    )  # fmt: skip
    best, tried, cost = 0, 0, math.inf
    for _ in range(DESCENT_ROUNDS):
        bends[:], row[:], cost = trials[best], rows[best], squares(rows[best])
        only, count = put_concerned(hands, size, bends, row, concerned, lacking), 0
        tried += 1
        for k in range(bends.shape[0]):
            if movable[k] and concerned[k // (BENDS + 1)]:
                moves[count] = k
                count += 1
        if (faults[best] <= 0.0 and cost < ENOUGH_CLEAR) or count == 0:
            return tried
        for i in range(count):
            trials[i] = bends
            trials[i, moves[i]] += kinds[moves[i], KIND_STEP]
        tries_at(  # what is clear stays so
            trying, placing, judging, joints, dofs, tree, links, corners, limbs, arm_of, oriented, first,
            reference_frames, root_frames, courses, swivels, middles, bend_shares, displaced_by, loose, solids_of,
            halves, boxes, carriers, apart_from, parts, owners, leaving, arriving, left_behind, reached, margins, near,
            numbers, counts_of, candidates_of, transforms_of, lacking, movable, only, trials[:count], rows, faults,
        )  # fmt: skip
        put_normal(kinds, moves, count, row, rows, normal, slope)
        for i in range(len(DAMPINGS)):
            solve_damped(normal, DAMPINGS[i], slope, count, factor, by)
            put_step(kinds, moves, count, by, bends, trials[i])
        tries_at(
            trying, placing, judging, joints, dofs, tree, links, corners, limbs, arm_of, oriented, first,
            reference_frames, root_frames, courses, swivels, middles, bend_shares, displaced_by, loose, solids_of,
            halves, boxes, carriers, apart_from, parts, owners, leaving, arriving, left_behind, reached, margins, near,
            numbers, counts_of, candidates_of, transforms_of, looked_at, movable, only, trials[: len(DAMPINGS)], rows,
            faults,
        )  # fmt: skip
        tried += count + len(DAMPINGS)
        best = 0
        for i in range(1, len(DAMPINGS)):
            if squares(rows[i]) < squares(rows[best]):
                best = i
        if squares(rows[best]) > HARDLY_LESS * cost:
            return tried
    bends[:] = trials[best]
    return tried
