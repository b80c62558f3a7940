"""Where things are drunk from, poured from and into, and switched on. Lengths are in half edges of a thing's cube."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from puppet.types import Vector


@dataclass(frozen=True)
class Lip:
    """The edge that what is in a thing flows over: a circle about the vertical through the thing's centre, or the end
    of a spout."""

    height: float  # above the centre
    radius: float
    spout: Vector | None = None  # the way it points, level; None: all round


LIPS: Mapping[str, Lip] = {
    "cup": Lip(1.0, 0.9),
    "pot": Lip(0.5, 0.88, spout=(0.0, 0.0, 1.0)),
    "jar": Lip(1.0, 0.64),
}
SWITCHES: Mapping[str, Vector] = {"lamp": (0.0, 1.0, 0.0)}  # from the centre
_EDGE = Lip(1.0, 1.0)
_TOP = (0.0, 1.0, 0.0)


def lip_of(shape: str) -> Lip:
    """The lip of a thing by its shape; whatever is no vessel has its upper edge."""
    return LIPS.get(shape, _EDGE)


def switch_of(shape: str) -> Vector:
    """Where a thing is switched on; whatever has no switch is touched on its top."""
    return SWITCHES.get(shape, _TOP)
