"""Features of a figure with their errors and Jacobians, compiled.

Each task has an error e = target - value and rows J = d value / d velocities: a point of a link, its orientation, the
centre of mass (PHYSIK 1.1 to 1.5), the moment of inertia about an axis through it (1.12 to 1.14), angular momentum
(1.19, 1.20). Sums over all links below a joint are made once, from the leaves to the root.
"""

from __future__ import annotations

import math

from puppet.kernels.figure_model import (
    AT,
    CENTRE,
    COUNTS,
    INERTIA,
    JOINT_PARENT,
    LARGEST,
    LINK,
    MASS,
    MASS_CENTRE,
    MOMENT,
    MOMENTUM,
    ORIENTATION,
    POSITION,
    PULL,
    TARGET,
    TARGET_TURN,
    TASK_KIND,
    VELOCITY_JOINT,
)
from puppet.kernels.figure_range import turn_between
from puppet.kernels.jit import inner
from puppet.kernels.rotation import to_world, triple

# Columns of sums over everything below a joint: mass, mass x centre; then about the whole body's centre c, with
# d = centre of a link - c: sum m d, and sum of the inertia about c (xx, yy, zz, xy, xz, yz).
SUM_MASS, SUM_CENTRE, SUM_ARM, SUM_INERTIA = 0, 1, 4, 7
SUM_COLUMNS = 13


@inner
def link_centre(links, world, j, n):
    """Component n of a link's mass centre in the world."""
    at = 3 + 3 * n
    return (
        world[j, n]
        + world[j, at] * links[j, CENTRE]
        + world[j, at + 1] * links[j, CENTRE + 1]
        + world[j, at + 2] * links[j, CENTRE + 2]
    )


@inner
def put_sums(joints, links, world, sums):
    """sums (joints, SUM_COLUMNS), the root's in the first row."""
    count = joints.shape[0]
    for j in range(count):
        for n in range(SUM_COLUMNS):
            sums[j, n] = 0.0
    for j in range(count - 1, -1, -1):
        sums[j, SUM_MASS] += links[j, MASS]
        for n in range(3):
            sums[j, SUM_CENTRE + n] += links[j, MASS] * link_centre(links, world, j, n)
        if joints[j, JOINT_PARENT] >= 0:
            for n in range(SUM_ARM):
                sums[joints[j, JOINT_PARENT], n] += sums[j, n]
    total = sums[0, SUM_MASS]
    if total <= 0.0:
        return
    for j in range(count - 1, -1, -1):
        m = links[j, MASS]
        for a in range(3):
            d = link_centre(links, world, j, a) - sums[0, SUM_CENTRE + a] / total
            sums[j, SUM_ARM + a] += m * d
            for b in range(a, 3):
                other = link_centre(links, world, j, b) - sums[0, SUM_CENTRE + b] / total
                at = SUM_INERTIA + (a if a == b else 2 + a + b)
                sums[j, at] += turned_inertia(links, world, j, a, b) - m * d * other
            for b in range(3):
                sums[j, SUM_INERTIA + b] += m * d * d
        if joints[j, JOINT_PARENT] >= 0:
            for n in range(SUM_ARM, SUM_COLUMNS):
                sums[joints[j, JOINT_PARENT], n] += sums[j, n]


@inner
def turned_inertia(links, world, j, a, b):
    """Element (a, b) of R I R^T."""
    found = 0.0
    for m in range(3):
        for n in range(3):
            found += world[j, 3 + 3 * a + m] * links[j, INERTIA + 3 * m + n] * world[j, 3 + 3 * b + n]
    return found


@inner
def inertia_times(sums, j, x, y, z):
    """The inertia of everything below a joint, about the whole body's mass centre, times a vector."""
    at = SUM_INERTIA
    return (
        sums[j, at] * x + sums[j, at + 3] * y + sums[j, at + 4] * z,
        sums[j, at + 3] * x + sums[j, at + 1] * y + sums[j, at + 5] * z,
        sums[j, at + 4] * x + sums[j, at + 5] * y + sums[j, at + 2] * z,
    )


@inner
def needs_sums(tasks):
    """Whether any task is one of the whole body."""
    whole = 0
    for t in range(tasks.shape[0]):
        whole += int(tasks[t, TASK_KIND] > ORIENTATION)
    return whole > 0


@inner
def rows_of(tasks, t):
    """How many rows a task has."""
    if tasks[t, TASK_KIND] == MOMENT:
        return 1
    rows = 0
    for n in range(3):
        if tasks[t, COUNTS + n] > 0.0:
            rows += 1
    return rows


@inner
def first_row(tasks, t):
    """Where a task's rows begin; for t = tasks, how many rows there are."""
    row = 0
    for other in range(t):
        row += rows_of(tasks, other)
    return row


@inner
def put_first_rows(tasks, starts):
    """starts (tasks + 1,): where each task's rows begin, and how many rows there are; returns that."""
    row = 0
    for t in range(tasks.shape[0]):
        starts[t] = row
        row += rows_of(tasks, t)
    starts[tasks.shape[0]] = row
    return row


@inner
def put_error(world, sums, tasks, t, errors, row):
    """The error of one task from `row` on; returns the length of its whole error.

    The error that counts in one step is no longer than the task's LARGEST.
    """
    kind = int(tasks[t, TASK_KIND])
    link = int(tasks[t, LINK])  # of the whole body: the root
    ax, ay, az = triple(tasks, t, AT)
    x, y, z = triple(tasks, t, TARGET)
    if kind == POSITION:
        px, py, pz = point_of(world, link, ax, ay, az)
        x, y, z = x - px, y - py, z - pz
    elif kind == ORIENTATION:
        x, y, z = turn_between(world, link, 3.0, tasks, t, float(TARGET_TURN))  # R_target R^T
    elif kind == MASS_CENTRE:
        px, py, pz = centre_below(sums, link)
        x, y, z = x - px, y - py, z - pz
    elif kind == MOMENT:
        px, py, pz = inertia_times(sums, link, ax, ay, az)
        x, y, z = x - (ax * px + ay * py + az * pz), 0.0, 0.0
    if kind != MOMENT:
        x = x if tasks[t, COUNTS] > 0.0 else 0.0
        y = y if tasks[t, COUNTS + 1] > 0.0 else 0.0
        z = z if tasks[t, COUNTS + 2] > 0.0 else 0.0
    length = math.sqrt(x * x + y * y + z * z)
    scale = 1.0 if length <= tasks[t, LARGEST] else tasks[t, LARGEST] / length
    if kind == MOMENT:
        errors[row] = scale * x
        return length
    for n in range(3):
        if tasks[t, COUNTS + n] > 0.0:
            errors[row] = scale * (x if n == 0 else (y if n == 1 else z))
            row += 1
    return length


@inner
def point_of(world, j, x, y, z):
    """Where a point of a link is in the world."""
    wx, wy, wz = to_world(world, j, x, y, z)
    return world[j, 0] + wx, world[j, 1] + wy, world[j, 2] + wz


@inner
def centre_below(sums, j):
    """Of everything below a joint."""
    x, y, z = triple(sums, j, SUM_CENTRE)
    return x / sums[j, SUM_MASS], y / sums[j, SUM_MASS], z / sums[j, SUM_MASS]


@inner
def put_task_jacobian(velocities, chains, free, world, axes, sums, tasks, t, packed, stiffness):
    """The rows of one task, those of its axes that count, along the chain of its link: packed[t, n, row] for the
    velocity number n of the chain (see puppet.kernels.figure_dual). stiffness (velocities,): what each costs more
    because of the task's pull in the step before, to which it is added."""
    kind, j = int(tasks[t, TASK_KIND]), int(tasks[t, LINK])
    if kind > ORIENTATION:
        put_whole_jacobian(velocities, free, axes, sums, tasks, t, packed)
        return
    px, py, pz = point_of(world, j, tasks[t, AT], tasks[t, AT + 1], tasks[t, AT + 2])
    fx, fy, fz = triple(tasks, t, PULL)
    for n in range(chains[j, 0]):
        v = chains[j, 1 + n]
        x, y, z = triple(axes, v, 0)
        if free == 1 and v < 3:  # moves, does not turn
            if kind == ORIENTATION:
                x = y = z = 0.0
        elif kind == POSITION:
            ox, oy, oz = triple(axes, v, 3)
            ox, oy, oz = px - ox, py - oy, pz - oz
            along = x * ox + y * oy + z * oz
            stiffness[v] += fx * (ox - along * x) + fy * (oy - along * y) + fz * (oz - along * z)
            x, y, z = cross(x, y, z, ox, oy, oz)
        packed[t, n, 0], packed[t, n, 1], packed[t, n, 2] = x, y, z
    drop_axes(tasks, t, packed, chains[j, 0])


@inner
def drop_axes(tasks, t, packed, count):
    """Leaves those of three rows of a task whose axes count."""
    if tasks[t, COUNTS] > 0.0 and tasks[t, COUNTS + 1] > 0.0 and tasks[t, COUNTS + 2] > 0.0:
        return
    row = 0
    for axis in range(3):
        if tasks[t, COUNTS + axis] > 0.0:
            for n in range(count):
                packed[t, n, row] = packed[t, n, axis]
            row += 1


@inner
def put_whole_jacobian(velocities, free, axes, sums, tasks, t, packed):
    """The rows of a task of the whole body: its centre of mass, a moment of inertia, its angular momentum."""
    kind = int(tasks[t, TASK_KIND])
    px, py, pz = centre_below(sums, int(tasks[t, LINK]))
    total = sums[0, SUM_MASS]
    for v in range(velocities.shape[0]):
        wx, wy, wz = triple(axes, v, 0)
        ox, oy, oz = triple(axes, v, 3)
        moves = free == 1 and v < 3
        below = int(velocities[v, VELOCITY_JOINT])
        x = y = z = 0.0
        if kind == MASS_CENTRE:
            m = sums[below, SUM_MASS]
            if moves:
                x, y, z = wx, wy, wz
            else:
                x, y, z = triple(sums, below, SUM_CENTRE)
                x, y, z = cross(wx, wy, wz, x - m * ox, y - m * oy, z - m * oz)
                x, y, z = x / total, y / total, z / total
        elif not moves:
            # angular momentum about c of what is below, when it turns about w through o: I w + sum m d x (w x (c - o))
            if kind == MOMENTUM:
                x, y, z = inertia_times(sums, below, wx, wy, wz)
                ax, ay, az = cross(wx, wy, wz, px - ox, py - oy, pz - oz)
                bx, by, bz = triple(sums, below, SUM_ARM)
                bx, by, bz = cross(bx, by, bz, ax, ay, az)
                x, y, z = x + bx, y + by, z + bz
            else:
                x = moment_slope(sums, below, tasks, t, wx, wy, wz, px - ox, py - oy, pz - oz)
        packed[t, v, 0], packed[t, v, 1], packed[t, v, 2] = x, y, z
    if kind != MOMENT:
        drop_axes(tasks, t, packed, velocities.shape[0])


@inner
def moment_slope(sums, j, tasks, t, wx, wy, wz, ax, ay, az):
    """d(u . I u) where everything below a joint turns about w; a = c - o from the axis to the body's mass centre.

    With d' = d - (u . d) u: 2 w . (sum m d x d' + a x sum m d') + 2 w . sum ((R I R^T u) x u). The first and the last
    sum together are (J u) x u with J the inertia of what is below, about c: d x d' = -(u . d) d x u, and the inertia of
    a point times u is d^2 u - (u . d) d.
    """
    ux, uy, uz = triple(tasks, t, AT)
    ix, iy, iz = inertia_times(sums, j, ux, uy, uz)
    x, y, z = cross(ix, iy, iz, ux, uy, uz)
    sx, sy, sz = triple(sums, j, SUM_ARM)
    along = ux * sx + uy * sy + uz * sz
    bx, by, bz = cross(ax, ay, az, sx - along * ux, sy - along * uy, sz - along * uz)
    return 2.0 * (wx * (x + bx) + wy * (y + by) + wz * (z + bz))


@inner
def cross(ax, ay, az, bx, by, bz):
    """a x b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
