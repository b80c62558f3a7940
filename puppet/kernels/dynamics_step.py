"""One substep of the dynamics filter, compiled: the nearest accelerations to those wanted that forces can cause.

Accelerations a minimise

    1/2 (a - w)^T D (a - w) + 1/2 sum (J a - t)^2 / c,    A a + b = sum of contact forces, weight and pushes

w are those wanted of all joints, D what it costs to move them otherwise; J and t the rows of contacts, of limbs in the
air, of the centre of mass and of a part of the upper body; A and b the six rows of the whole body's momentum, which are
exact. With all rows in one table, (J D^-1 J^T + C) l = t - J w and a = w + D^-1 J^T l: given the forces, the best
accelerations are closed form. The rows of momentum come last, so that with the Cholesky factor L of that matrix what is
left to minimise is |y + L6^-1 G f|^2 in six rows only, y being the last six of L^-1 (t - J w) without forces.
"""

from __future__ import annotations

from puppet.kernels.dynamics_contact import put_edges, take_forces
from puppet.kernels.dynamics_forces import ROWS, factor, nonnegative_least_squares, solve_factored, solve_lower
from puppet.kernels.dynamics_model import FORCE, LINK_TURN, POINT_FIXED, POINT_JOINT, SPEED, SPEED_RATE, TURN_RATE
from puppet.kernels.dynamics_rows import put_momentum_rows, put_point_row, put_turn_row
from puppet.kernels.figure_features import SUM_CENTRE, SUM_MASS, cross, link_centre
from puppet.kernels.figure_limits import add_limits
from puppet.kernels.figure_model import ANGLE, BALL, COUNT, JOINT_FIRST, JOINT_PARENT
from puppet.kernels.figure_range import quaternion_of, quaternion_vector, relative_quaternion, turn_ball
from puppet.kernels.jit import inner
from puppet.kernels.rotation import triple

EXACT = 1e-12
_LIMIT_SOFT, LIMIT_BACK = 1e-7, 0.1
MOST_LIMITS = 24  # of joints that are at their limits at a time
RANGE_ROOM = 17  # columns of the ranges' Jacobians, see put_range_jacobians
LIMIT_PASSES = 3
STRONGEST = 3.0  # the feedback of the centre of mass, in lengths a second squared: what is farther off is lost
# Columns of targets for the whole body: centre of mass with velocity and acceleration.
CENTRE_COLUMNS = 9


@inner
def put_wanted(
    joints, velocities, free, ref_angles, ref_local, ref_speeds, ref_rates, shift, stiff, damp, angles, local, speeds,
    wanted,
):  # fmt: skip
    """Accelerations wanted by the feedback of joints: the paper's (3). shift (9,): of the reference's root; stiff and
    damp: its gains."""
    if free == 1:
        for v in range(3):
            away = ref_angles[v] + shift[v] - angles[v]
            wanted[v] = ref_rates[v] + damp * (ref_speeds[v] - speeds[v]) + stiff * away
    for j in range(joints.shape[0]):
        first, count = joints[j, JOINT_FIRST], joints[j, COUNT]
        if joints[j, BALL] == 0:
            for v in range(first, first + count):
                at = int(velocities[v, ANGLE])
                wanted[v] = ref_rates[v] + damp * (ref_speeds[v] - speeds[v]) + stiff * (ref_angles[at] - angles[at])
            continue
        qw, qx, qy, qz = relative_quaternion(local, ref_local, j, 0.0)
        ex, ey, ez = quaternion_vector(qw, qx, qy, qz, 1.0)
        sx, sy, sz = rotated(qw, qx, qy, qz, ref_speeds[first], ref_speeds[first + 1], ref_speeds[first + 2])
        rx, ry, rz = rotated(qw, qx, qy, qz, ref_rates[first], ref_rates[first + 1], ref_rates[first + 2])
        wanted[first] = rx + damp * (sx - speeds[first]) + stiff * ex
        wanted[first + 1] = ry + damp * (sy - speeds[first + 1]) + stiff * ey
        wanted[first + 2] = rz + damp * (sz - speeds[first + 2]) + stiff * ez


@inner
def rotated(w, x, y, z, a, b, c):
    """A vector turned by a quaternion of length 1."""
    tx, ty, tz = cross(x, y, z, a, b, c)
    tx, ty, tz = 2.0 * tx, 2.0 * ty, 2.0 * tz
    ux, uy, uz = cross(x, y, z, tx, ty, tz)
    return a + w * tx + ux, b + w * ty + uy, c + w * tz + uz


@inner
def put_centre(velocities, sums, loads, rows, row, speeds, centre):
    """Centre of mass, its velocity by the rows of momentum and its acceleration by the loads without gravity."""
    total = sums[0, SUM_MASS]
    for n in range(3):
        centre[n] = sums[0, SUM_CENTRE + n] / total
        found = 0.0
        for v in range(velocities.shape[0]):
            found += rows[row + n, v] * speeds[v]
        centre[3 + n] = found / total
        centre[6 + n] = loads[0, n] / total


@inner
def put_part_rows(
    chains, free, axes, world, motion, ref_world, ref_motion, j, stiff, damp, soft, shift, rows, targets, softness, row
):
    """Six rows that lead a part to where the reference has it, turned as there: the paper's (4). shift (9,): by how
    much the reference's place is shifted, with velocity and acceleration."""
    px, py, pz = triple(world, j, 0)
    for n in range(3):
        x, y, z = 1.0 if n == 0 else 0.0, 1.0 if n == 1 else 0.0, 1.0 if n == 2 else 0.0
        put_point_row(chains, free, axes, rows, row + n, j, px, py, pz, x, y, z)
        targets[row + n] = (
            ref_motion[j, SPEED_RATE + n]
            + shift[6 + n]
            + damp * (ref_motion[j, SPEED + n] + shift[3 + n] - motion[j, SPEED + n])
            + stiff * (ref_world[j, n] + shift[n] - world[j, n])
            - motion[j, SPEED_RATE + n]
        )
        softness[row + n] = soft
    w, x, y, z = quaternion_of(ref_world, j, 3.0)
    a, b, c, d = quaternion_of(world, j, 3.0)
    ex, ey, ez = quaternion_vector(
        w * a + x * b + y * c + z * d, x * a - w * b - y * d + z * c, y * a - w * c - z * b + x * d,
        z * a - w * d - x * c + y * b, 1.0,
    )  # fmt: skip
    for n in range(3):
        put_turn_row(chains, free, axes, rows, row + 3 + n, j, n)
        away = ex if n == 0 else (ey if n == 1 else ez)
        targets[row + 3 + n] = (
            ref_motion[j, TURN_RATE + n]
            + damp * (ref_motion[j, LINK_TURN + n] - motion[j, LINK_TURN + n])
            + stiff * away
            - motion[j, TURN_RATE + n]
        )
        softness[row + 3 + n] = soft
    return row + 6


@inner
def is_held(joints, points, state, j):
    """Whether a link, or one that hangs on it, has a point that is fixed."""
    for i in range(points.shape[0]):
        k = int(points[i, POINT_JOINT])
        if state[i, POINT_FIXED] == 1.0 and (k == j or joints[k, JOINT_PARENT] == j):
            return True
    return False


@inner
def put_matrix(rows, mobility, softness, size, weighted, matrix):
    """J D^-1 J^T + C, the lower half; weighted (rows, velocities): room for J D^-1."""
    for r in range(size):
        for v in range(rows.shape[1]):
            weighted[r, v] = rows[r, v] * mobility[v]
        for s in range(r + 1):
            found = 0.0
            for v in range(rows.shape[1]):
                found += weighted[r, v] * rows[s, v]
            matrix[r, s] = found
        matrix[r, r] += softness[r] * matrix[r, r] + 1e-14


@inner
def balance(
    rows, targets, softness, size, mobility, wanted, outside, plan, n, friction, small, state, centre, room, rates
):
    """The accelerations (velocities,) into rates, and the forces into state; outside (6,): wrench of weight, pushes and
    inertia about the centre of mass; small: how much small forces are preferred. Returns the steps that the forces
    took."""
    weighted, matrix, residual, columns, x, z, slope, square, step, solved = room
    put_matrix(rows, mobility, softness, size, weighted, matrix)
    base = size - ROWS
    for r in range(size):
        found = targets[r] if r < base else outside[r - base]
        for v in range(rows.shape[1]):
            found -= rows[r, v] * wanted[v]
        residual[r] = found
    factor(matrix, size)
    for r in range(size):
        solved[r] = residual[r]
    solve_lower(matrix, size, solved)
    count = put_edges(plan, n, friction, state, centre, columns)
    taken = 0
    if count > 0:
        longest = 0.0
        for k in range(count):
            for r in range(ROWS):
                columns[k, ROWS + r] = columns[k, r]
            length = 0.0
            for r in range(ROWS):
                found = columns[k, r]
                for s in range(r):
                    found -= matrix[base + r, base + s] * columns[k, s]
                columns[k, r] = found / matrix[base + r, base + r]
                length += columns[k, r] * columns[k, r]
            longest = max(longest, length)
        for r in range(ROWS):
            z[r] = solved[base + r]
            slope[r] = 0.0
        taken = nonnegative_least_squares(columns, count, solved[base:size], small * longest, z, x, slope, square, step)
        for k in range(count):
            for r in range(ROWS):
                residual[base + r] += x[k] * columns[k, ROWS + r]
    take_forces(plan, n, friction, x, state)
    solve_factored(matrix, size, residual)
    for v in range(rows.shape[1]):
        found = wanted[v]
        for r in range(size):
            found += weighted[r, v] * residual[r]
        rates[v] = found
    return taken


@inner
def put_limit_rows(
    joints, corners, velocities, mobility, angles, ranges, h, speeds, rates, slots, errors, rows, targets, softness,
    size,
):  # fmt: skip
    """Rows for joints that would pass a limit in this substep, in front of those of momentum; returns how many rows
    there are then. slots (velocities, MOST_LIMITS), errors (MOST_LIMITS,): room to work."""
    base = size - ROWS
    if base + MOST_LIMITS + ROWS > rows.shape[0]:
        return size
    for v in range(speeds.shape[0]):
        for k in range(MOST_LIMITS):
            slots[v, k] = 0.0
        # where the joint goes, as seen by add_limits
        slots[v, MOST_LIMITS] = h * (speeds[v] + h * rates[v])
    count = add_limits(
        joints, corners, velocities, mobility, angles, ranges, slots[:, MOST_LIMITS], slots[:, :MOST_LIMITS], errors, 0
    )
    if count == 0:
        return size
    for r in range(ROWS):
        for v in range(speeds.shape[0]):
            rows[base + count + ROWS - 1 - r, v] = rows[size - 1 - r, v]
        softness[base + count + r] = EXACT
    for k in range(count):
        speed = 0.0
        for v in range(speeds.shape[0]):
            rows[base + k, v] = slots[v, k]
            speed += slots[v, k] * speeds[v]
        left = errors[k] if errors[k] > 0.0 else LIMIT_BACK * errors[k]
        targets[base + k] = (left / h - speed) / h
        softness[base + k] = _LIMIT_SOFT
    return size + count


@inner
def put_push(links, chains, free, world, axes, pushes, n, mobility, row, wanted):
    """Lets the figure be moved by pushes, instead of withstanding them at once: adds D^-1 J^T f to what is wanted.
    row (1, velocities): room to work."""
    for j in range(links.shape[0]):
        fx, fy, fz = pushes[n, j, 0], pushes[n, j, 1], pushes[n, j, 2]
        if fx == 0.0 and fy == 0.0 and fz == 0.0:
            continue
        px, py, pz = link_centre(links, world, j, 0), link_centre(links, world, j, 1), link_centre(links, world, j, 2)
        put_point_row(chains, free, axes, row, 0, j, px, py, pz, fx, fy, fz)
        for v in range(wanted.shape[0]):
            wanted[v] += mobility[v] * row[0, v]


@inner
def expect_momentum(centre, sums, outside, state, h, expected):
    """Where the centre of mass will be, and its velocity, (6,), by the forces alone.

    outside: the wrench of weight, pushes and inertia, of which the latter is taken off again.
    """
    total = sums[0, SUM_MASS]
    for n in range(3):
        force = outside[n] + total * centre[6 + n]
        for i in range(state.shape[0]):
            force += state[i, FORCE + n]
        expected[n] = centre[n] + h * centre[3 + n] + 0.5 * h * h * force / total
        expected[3 + n] = centre[3 + n] + h * force / total


@inner
def keep_momentum(joints, velocities, free, world, axes, sums, expected, rows, angles, speeds):
    """Takes the errors of a substep back, by the root alone: the centre of mass is where forces have brought it, with
    the velocity that they gave it."""
    if free == 0:
        return
    total = sums[0, SUM_MASS]
    put_momentum_rows(velocities, free, axes, sums, rows, 0)
    for n in range(3):
        speed = 0.0
        for v in range(speeds.shape[0]):
            speed += rows[n, v] * speeds[v]
        angles[n] += expected[n] - sums[0, SUM_CENTRE + n] / total
        speeds[n] += expected[3 + n] - speed / total


@inner
def advance(joints, velocities, free, h, rates, angles, local, speeds):
    """Positions by h v + h^2 / 2 a, then velocities by h a."""
    if free == 1:
        for v in range(3):
            angles[v] += h * (speeds[v] + 0.5 * h * rates[v])
    for j in range(joints.shape[0]):
        first, count = joints[j, JOINT_FIRST], joints[j, COUNT]
        if joints[j, BALL] == 1:
            turn_ball(
                local,
                j,
                h * (speeds[first] + 0.5 * h * rates[first]),
                h * (speeds[first + 1] + 0.5 * h * rates[first + 1]),
                h * (speeds[first + 2] + 0.5 * h * rates[first + 2]),
            )
        else:
            for v in range(first, first + count):
                angles[int(velocities[v, ANGLE])] += h * (speeds[v] + 0.5 * h * rates[v])
    for v in range(velocities.shape[0]):
        speeds[v] += h * rates[v]
