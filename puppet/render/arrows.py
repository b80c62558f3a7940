"""Forces as arrows: each begins where the force acts and is as long as it is strong."""

from __future__ import annotations

import numpy as np

from puppet.render.mesh import Mesh, revolved
from puppet.render.shapes import Color
from puppet.types import Floats

ARROW_COLOR: Color = (0.86, 0.25, 0.16)
OF_WEIGHT = 0.6  # heights: how long the arrow is of a force as large as the body's weight
_HIDDEN = 0.01  # of the weight: smaller forces are not drawn
_HEAD, _WIDE, _THIN = 0.22, 0.016, 0.006  # of the arrow's length; heights
_SIDEWAYS = 0.9  # an arrow that is more upright than this is turned from the x axis


def arrow_mesh(height: float) -> Mesh:
    """An arrow of length 1 along y, for a body of a height."""
    wide, thin, neck = _WIDE * height, _THIN * height, 1.0 - _HEAD
    return revolved([[(0.0, 0.0), (thin, 0.0)], [(thin, 0.0), (thin, neck)], [(thin, neck), (wide, neck)],
                     [(wide, neck), (0.0, 1.0)]])  # fmt: skip


def arrow_transforms(places: Floats, forces: Floats, height: float) -> Floats:
    """Transforms (n, 12) of arrows at places (n, 3), for forces (n, 3) as parts of the weight. An arrow that is not
    drawn has no size."""
    found = np.zeros((len(places), 12))
    found[:, :3] = places
    for n, force in enumerate(forces):
        size = float(np.linalg.norm(force))
        if size < _HIDDEN:
            continue
        along = force / size
        aside = np.cross(along, (1.0, 0.0, 0.0) if abs(along[1]) > _SIDEWAYS else (0.0, 1.0, 0.0))
        aside /= np.linalg.norm(aside)
        turn = np.stack([aside, along * size * OF_WEIGHT * height, np.cross(aside, along)], axis=1)
        found[n, 3:] = turn.ravel()
    return found
