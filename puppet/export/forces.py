"""Contact forces and torques of a performance that went through the dynamics filter, as NumPy reads them."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from puppet.dynamics import Forces
from puppet.errors import PuppetError
from puppet.files.atomic_write import write_atomically
from puppet.performance import Performance


def write(performance: Performance, path: Path) -> None:
    """Arrays by name: contact_points, contact_forces in newtons, contact_places, joint_torques in newton metres with
    dof_names, and fps."""
    if not isinstance(performance, Forces):
        raise PuppetError(f"cannot write '{path}': there are forces only with physics (--physics, or 'physics on')")
    packed = io.BytesIO()
    np.savez(
        packed,
        contact_points=np.array(performance.contact_points),
        contact_forces=performance.contact_forces,
        contact_places=performance.contact_places,
        joint_torques=performance.joint_torques,
        dof_names=np.array(performance.body.dof_names),
        fps=np.array(performance.fps),
    )
    write_atomically(path, packed.getvalue())
