"""Where the mass goes while feet push it: over a course of its height, by forces that act where the feet are.

With the centre of mass at x, at the height y over the floor, and the centre of pressure at p,

    x'' = (g + y'') / y (x - p),

as long as nothing turns. In the air g + y'' is 0, and so is x''. What is asked for at both ends, to be there and at
rest, is met by how far the centre of pressure goes aside on the way.
"""

from __future__ import annotations

import numpy as np

from puppet.types import Floats


def pushed_mass(
    heights: Floats, gravity: float, fps: float, pressure: Floats, aside: Floats, begin: Floats, end: Floats
) -> Floats:
    """The way of the mass on the floor, (frames, 2), from rest at begin (2,) to rest at end (2,).

    heights (frames,): of the mass over the floor; pressure (frames, 2): where the feet bear; aside (2, frames): two
    shapes, of which as much is added to the pressure as it takes.
    """
    count = len(heights)
    rising = np.diff(heights, 2) * fps * fps
    firm = np.maximum(0.0, gravity + rising) / heights[1:-1]  # (g + y'') / y
    matrix, wanted = np.zeros((count + 2, count + 2)), np.zeros((count + 2, 2))
    inner = np.arange(count - 2)
    for offset, share in enumerate((1.0, -2.0, 1.0)):
        matrix[inner, inner + offset] = share * fps * fps
    matrix[inner, inner + 1] -= firm
    matrix[inner, count:] = firm[:, None] * aside[:, 1:-1].T
    wanted[inner] = -firm[:, None] * pressure[1:-1]
    for row, (one, other), there in ((count - 2, (0, 1), begin), (count, (-3, -4), end)):
        matrix[row, one] = 1.0
        matrix[row + 1, [one, other]] = 1.0, -1.0
        wanted[row] = there
    return np.asarray(np.linalg.solve(matrix, wanted)[:count])
