"""The linear algebra of a step in its dual form, compiled: J D^-1 J^T, its Cholesky factor, and the velocities.

J is stored transposed, jacobian[v, row], and its rows are those of the tasks, one task after the other, then others. A
task at a link is moved by the velocities of that link's chain only (puppet.kernels.figure_model), and two of them
share those that both chains begin with; sums over velocities run over these alone.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.figure_model import LINK, ORIENTATION, TASK_KIND
from puppet.kernels.jit import inner


@inner
def chain_of(tasks, t):
    """The joint whose chain moves a task; -1 where all velocities do."""
    return -1 if tasks[t, TASK_KIND] > ORIENTATION else int(tasks[t, LINK])


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
def fill_tasks(chains, mobility, towards, tasks, starts, jacobian, errors, matrix, right):
    """The tasks' rows of J D^-1 J^T, up to its diagonal, and of e - J r."""
    count = tasks.shape[0]
    packed = np.empty((2 * count, mobility.shape[0], 3))  # along the chains, where they are read again and again
    for t in range(count):
        j, first, size = chain_of(tasks, t), starts[t], starts[t + 1] - starts[t]
        for c in range(size):
            right[first + c] = errors[first + c]
        for n in range(chain_length(chains, j)):
            v = in_chain(chains, j, n)
            m, r = mobility[v], towards[v]
            for c in range(size):
                value = jacobian[v, first + c]
                packed[t, n, c], packed[count + t, n, c] = value, m * value
                right[first + c] -= value * r
        for other in range(t + 1):
            k = chain_of(tasks, other)
            if size == 3 and starts[other + 1] - starts[other] == 3 and (j < 0) == (k < 0):
                fill_block(packed, count + t, other, shared_length(chains, j, k), first, starts[other], matrix)
                continue
            chain, shared = k if j < 0 else j, shared_length(chains, j, k)
            for i in range(first, starts[t + 1]):
                for c in range(starts[other], starts[other + 1]):
                    matrix[i, c] = 0.0
                    for n in range(shared):
                        v = in_chain(chains, chain, n)
                        matrix[i, c] += jacobian[v, i] * mobility[v] * jacobian[v, c]


@inner
def fill_block(packed, weighted, plain, count, first, other, matrix):
    """Three rows from `first` on and three columns from `other` on of J D^-1 J^T, from the packed Jacobians of two
    tasks along their chains, the first of them times D^-1. (Views of `packed` would be counted, which takes longer.)"""
    xa = xb = xc = ya = yb = yc = za = zb = zc = 0.0  # in registers
    for n in range(count):
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

    Four rows at once up to their own columns: sums that wait for each other are what takes time.
    """
    begin, end = 0, first  # the columns before `begin` are ready in the rows before `end`
    for i in range(first, size):
        if i == end:
            begin, end = (i, i + 4) if i + 4 <= size else (0, size)
            for k in range(begin):
                a, b, c, d = matrix[i, k], matrix[i + 1, k], matrix[i + 2, k], matrix[i + 3, k]
                for n in range(k):
                    f = factor[k, n]
                    a, b = a - factor[i, n] * f, b - factor[i + 1, n] * f
                    c, d = c - factor[i + 2, n] * f, d - factor[i + 3, n] * f
                f = factor[k, k]
                factor[i, k], factor[i + 1, k], factor[i + 2, k], factor[i + 3, k] = a * f, b * f, c * f, d * f
        left = matrix[i, i]
        for k in range(begin):
            left -= factor[i, k] * factor[i, k]
        for k in range(begin, i):
            value = matrix[i, k]
            for n in range(k):
                value -= factor[i, n] * factor[k, n]
            value *= factor[k, k]
            factor[i, k] = value
            left -= value * value
        least = 1e-14 * matrix[i, i]
        factor[i, i] = 1.0 / math.sqrt(left) if left > least else 1e-15 / (1.0 + matrix[i, i])


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
def put_velocities(chains, mobility, towards, tasks, starts, jacobian, multipliers, active, dq):
    """dq = r + D^-1 J^T l."""
    for v in range(dq.shape[0]):
        dq[v] = 0.0
    for t in range(tasks.shape[0]):
        j, first, end = chain_of(tasks, t), starts[t], starts[t + 1]
        for n in range(chain_length(chains, j)):
            v = in_chain(chains, j, n)
            pull = 0.0
            for i in range(first, end):
                pull += jacobian[v, i] * multipliers[i]
            dq[v] += pull
    for i in range(starts[tasks.shape[0]], active):
        for v in range(dq.shape[0]):
            dq[v] += jacobian[v, i] * multipliers[i]
    for v in range(dq.shape[0]):
        dq[v] = towards[v] + mobility[v] * dq[v]
