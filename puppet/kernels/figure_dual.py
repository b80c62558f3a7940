"""The linear algebra of a step in its dual form, compiled: J D^-1 J^T, its Cholesky factor, and the velocities.

A task at a link is moved by the velocities of that link's chain only (puppet.kernels.figure_model), and two of them
share those that both chains begin with; sums over velocities run over these alone. So the rows of tasks are packed
along their chains, packed[task, number in the chain, row of the task], and once more times D^-1, packed[tasks + task].
Other rows, limits and what is given, stand behind them in J, stored transposed, jacobian[v, row]; where there are such,
the tasks' rows are spread out in front of them.
"""

from __future__ import annotations

import math

from puppet.kernels.figure_model import LINK, MOBILITY, ORIENTATION, POSITION, TASK_KIND
from puppet.kernels.jit import inner


@inner
def chain_of(tasks, t):
    """The joint whose chain moves a task; -1 where all velocities do."""
    return -1 if tasks[t, TASK_KIND] > ORIENTATION else int(tasks[t, LINK])


@inner
def is_position(tasks, t):
    return tasks[t, TASK_KIND] == POSITION


@inner
def chain_length(chains, j):
    """How many velocities are in a chain; -1 is that of all."""
    return chains.shape[1] - 1 if j < 0 else chains[j, 0]


@inner
def in_chain(chains, j, n):
    """The velocity number n of a chain; -1 is that of all."""
    return n if j < 0 else chains[j, 1 + n]


@inner
def shared_length(chains, j, k):
    """How many velocities two chains share."""
    if j < 0 or k < 0 or j == k:
        return chain_length(chains, k if j < 0 else j)
    count = min(chains[j, 0], chains[k, 0])
    n = 0
    while n < count and chains[j, 1 + n] == chains[k, 1 + n]:
        n += 1
    return n


@inner
def spread_tasks(chains, tasks, starts, packed, jacobian):
    """The tasks' rows of J, as they are packed, in jacobian[v, row]."""
    for v in range(jacobian.shape[0]):
        for i in range(starts[tasks.shape[0]]):
            jacobian[v, i] = 0.0
    for t in range(tasks.shape[0]):
        j, first, size = chain_of(tasks, t), starts[t], starts[t + 1] - starts[t]
        for n in range(chain_length(chains, j)):
            v = in_chain(chains, j, n)
            for c in range(size):
                jacobian[v, first + c] = packed[t, n, c]


@inner
def put_scales(velocities, chains, tasks, starts, packed, scales):
    """s of each row of the tasks: its element of the diagonal as it is when all joints serve."""
    for t in range(tasks.shape[0]):
        j, first = chain_of(tasks, t), starts[t]
        x = y = z = 0.0
        for n in range(chain_length(chains, j)):
            share = velocities[in_chain(chains, j, n), MOBILITY]
            a, b, c = packed[t, n, 0], packed[t, n, 1], packed[t, n, 2]
            x, y, z = x + share * a * a, y + share * b * b, z + share * c * c
        for i in range(first, starts[t + 1]):
            scales[i] = x if i == first else (y if i == first + 1 else z)


@inner
def fill_tasks(chains, free, mobility, towards, tasks, starts, packed, errors, matrix, right):
    """The tasks' rows of J D^-1 J^T, up to its diagonal, and of e - J r."""
    count = tasks.shape[0]
    for t in range(count):
        j, first, size = chain_of(tasks, t), starts[t], starts[t + 1] - starts[t]
        x, y, z = errors[first], errors[first + 1], errors[first + 2]  # of those that are no rows of it, whatever
        for n in range(chain_length(chains, j)):
            v = in_chain(chains, j, n)
            m, r = mobility[v], towards[v]
            a, b, c = packed[t, n, 0], packed[t, n, 1], packed[t, n, 2]
            packed[count + t, n, 0], packed[count + t, n, 1], packed[count + t, n, 2] = m * a, m * b, m * c
            x, y, z = x - a * r, y - b * r, z - c * r
        for i in range(first, starts[t + 1]):
            right[i] = x if i == first else (y if i == first + 1 else z)
        for other in range(t + 1):
            k = chain_of(tasks, other)
            columns, shared = starts[other + 1] - starts[other], shared_length(chains, j, k)
            if size == 3 and columns == 3 and (j < 0) == (k < 0):
                moves = 0 if free == 0 or j < 0 else (2 if is_position(tasks, t) and is_position(tasks, other) else 1)
                fill_block(packed, mobility, moves, count + t, other, shared, first, starts[other], matrix)
                continue
            for i in range(size):
                for c in range(columns):
                    value = 0.0
                    for n in range(shared):  # in a chain of all velocities, a velocity stands at its own number
                        here = in_chain(chains, k, n) if j < 0 else n
                        there = in_chain(chains, j, n) if k < 0 else n
                        value += packed[count + t, here, i] * packed[other, there, c]
                    matrix[first + i, starts[other] + c] = value


@inner
def fill_block(packed, mobility, moves, weighted, plain, count, first, other, matrix):
    """Three rows from `first` on and three columns from `other` on of J D^-1 J^T, from the packed Jacobians of two
    tasks along their chains, the first of them times D^-1. moves: 0, or 1 where the first three velocities move the
    root, which brings something for two positions alone: 2. (Views of `packed` would be counted, which takes longer.)
    """
    xa = xb = xc = ya = yb = yc = za = zb = zc = 0.0  # in registers
    if moves == 2:
        xa, yb, zc = mobility[0], mobility[1], mobility[2]
    for n in range(3 if moves > 0 else 0, count):
        x, y, z = packed[weighted, n, 0], packed[weighted, n, 1], packed[weighted, n, 2]
        a, b, c = packed[plain, n, 0], packed[plain, n, 1], packed[plain, n, 2]
        xa, xb, xc = xa + x * a, xb + x * b, xc + x * c
        ya, yb, yc = ya + y * a, yb + y * b, yc + y * c
        za, zb, zc = za + z * a, zb + z * b, zc + z * c
    matrix[first, other], matrix[first, other + 1], matrix[first, other + 2] = xa, xb, xc
    matrix[first + 1, other], matrix[first + 1, other + 1], matrix[first + 1, other + 2] = ya, yb, yc
    matrix[first + 2, other], matrix[first + 2, other + 1], matrix[first + 2, other + 2] = za, zb, zc


@inner
def fill_row(mobility, towards, jacobian, errors, i, matrix, right):
    """Row i of J D^-1 J^T, up to its diagonal, and of e - J r, whatever moves it."""
    for k in range(i + 1):
        matrix[i, k] = 0.0
    right[i] = errors[i]
    for v in range(mobility.shape[0]):
        own = jacobian[v, i]
        if own != 0.0:
            right[i] -= own * towards[v]
            own *= mobility[v]
            for k in range(i + 1):
                matrix[i, k] += own * jacobian[v, k]


@inner
def factorise(matrix, factor, first, size):
    """Cholesky from row `first` on: the lower triangle of `matrix` = F F^T, F in that of `factor`, with the inverse of
    its diagonal. Rows that hang on others up to rounding have no say.

    Four rows at once, as long as there are so many: sums that wait for each other are what takes time.
    """
    i = first
    while i + 4 <= size:
        factorise_columns(matrix, factor, i)
        factorise_corner(matrix, factor, i)
        i += 4
    for row in range(i, size):
        left = matrix[row, row]
        for k in range(row):
            value = matrix[row, k]
            for n in range(k):
                value -= factor[row, n] * factor[k, n]
            value *= factor[k, k]
            factor[row, k] = value
            left -= value * value
        factor[row, row] = inverse_root(left, matrix[row, row])


@inner
def factorise_columns(matrix, factor, i):
    """Four rows from i on of the factor in the columns before i, two columns at once."""
    for k in range(0, i - 1, 2):
        a, b, c, d = matrix[i, k], matrix[i + 1, k], matrix[i + 2, k], matrix[i + 3, k]
        p, q, r, s = matrix[i, k + 1], matrix[i + 1, k + 1], matrix[i + 2, k + 1], matrix[i + 3, k + 1]
        for n in range(k):
            f, g = factor[k, n], factor[k + 1, n]
            x, y, z, w = factor[i, n], factor[i + 1, n], factor[i + 2, n], factor[i + 3, n]
            a, b, c, d = a - x * f, b - y * f, c - z * f, d - w * f
            p, q, r, s = p - x * g, q - y * g, r - z * g, s - w * g
        f, g = factor[k, k], factor[k + 1, k]
        a, b, c, d = a * f, b * f, c * f, d * f
        f = factor[k + 1, k + 1]
        factor[i, k], factor[i + 1, k], factor[i + 2, k], factor[i + 3, k] = a, b, c, d
        factor[i, k + 1], factor[i + 1, k + 1] = (p - a * g) * f, (q - b * g) * f
        factor[i + 2, k + 1], factor[i + 3, k + 1] = (r - c * g) * f, (s - d * g) * f
    if i % 2 == 1:
        k = i - 1
        a, b, c, d = matrix[i, k], matrix[i + 1, k], matrix[i + 2, k], matrix[i + 3, k]
        for n in range(k):
            f = factor[k, n]
            a, b = a - factor[i, n] * f, b - factor[i + 1, n] * f
            c, d = c - factor[i + 2, n] * f, d - factor[i + 3, n] * f
        f = factor[k, k]
        factor[i, k], factor[i + 1, k], factor[i + 2, k], factor[i + 3, k] = a * f, b * f, c * f, d * f


@inner
def factorise_corner(matrix, factor, i):
    """Four rows from i on of the factor in their own columns."""
    a, b, c, d = matrix[i, i], matrix[i + 1, i], matrix[i + 2, i], matrix[i + 3, i]
    e, f, g = matrix[i + 1, i + 1], matrix[i + 2, i + 1], matrix[i + 3, i + 1]
    h, p, q = matrix[i + 2, i + 2], matrix[i + 3, i + 2], matrix[i + 3, i + 3]
    for n in range(i):
        x, y, z, w = factor[i, n], factor[i + 1, n], factor[i + 2, n], factor[i + 3, n]
        a, b, c, d = a - x * x, b - y * x, c - z * x, d - w * x
        e, f, g = e - y * y, f - z * y, g - w * y
        h, p, q = h - z * z, p - w * z, q - w * w
    a = inverse_root(a, matrix[i, i])
    b, c, d = b * a, c * a, d * a
    e = inverse_root(e - b * b, matrix[i + 1, i + 1])
    f, g = (f - c * b) * e, (g - d * b) * e
    h = inverse_root(h - c * c - f * f, matrix[i + 2, i + 2])
    p = (p - d * c - g * f) * h
    factor[i, i], factor[i + 1, i], factor[i + 2, i], factor[i + 3, i] = a, b, c, d
    factor[i + 1, i + 1], factor[i + 2, i + 1], factor[i + 3, i + 1] = e, f, g
    factor[i + 2, i + 2], factor[i + 3, i + 2] = h, p
    factor[i + 3, i + 3] = inverse_root(q - d * d - g * g - p * p, matrix[i + 3, i + 3])


@inner
def inverse_root(left, whole):
    """1 / sqrt of what is left of an element of the diagonal; all but nothing where that is rounding."""
    return 1.0 / math.sqrt(left) if left > 1e-14 * whole else 1e-15 / (1.0 + whole)


@inner
def substitute(factor, right, found, size):
    """found = (F F^T)^-1 right."""
    for i in range(size):
        found[i] = right[i]
    for i in range(size):
        value = found[i] * factor[i, i]
        found[i] = value
        for n in range(i + 1, size):
            found[n] -= factor[n, i] * value
    for i in range(size - 1, -1, -1):
        value = found[i] * factor[i, i]
        found[i] = value
        for n in range(i):
            found[n] -= factor[i, n] * value


@inner
def put_velocities(chains, mobility, towards, tasks, starts, packed, jacobian, multipliers, active, dq):
    """dq = r + D^-1 J^T l."""
    for v in range(dq.shape[0]):
        dq[v] = 0.0
    for t in range(tasks.shape[0]):
        j, first, size = chain_of(tasks, t), starts[t], starts[t + 1] - starts[t]
        x = multipliers[first]
        y = multipliers[first + 1] if size > 1 else 0.0
        z = multipliers[first + 2] if size > 2 else 0.0
        for n in range(chain_length(chains, j)):
            v = in_chain(chains, j, n)
            dq[v] += packed[t, n, 0] * x + packed[t, n, 1] * y + packed[t, n, 2] * z
    for i in range(starts[tasks.shape[0]], active):
        for v in range(dq.shape[0]):
            dq[v] += jacobian[v, i] * multipliers[i]
    for v in range(dq.shape[0]):
        dq[v] = towards[v] + mobility[v] * dq[v]
