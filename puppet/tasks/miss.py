"""How far a hand ends from its goal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Miss:
    """A distance and an angle, with `in_place` and `met` as decided by the tolerances of puppet.posture."""

    position: float = 0.0
    orientation: float = 0.0  # degrees
    in_place: bool = True  # the position is reached, whatever the orientation
    met: bool = True  # position and orientation are reached
    iterations: int = 0  # postures that were tried

    @property
    def words(self) -> str:
        """What is wrong; "" where nothing is."""
        if self.met:
            return ""
        if not self.in_place:
            return f"out of reach by {self.position:.3f}"
        return f"the hand is turned {self.orientation:.0f} degrees from what was asked for"


def worse(first: Miss, second: Miss) -> Miss:
    """The larger one of two misses."""
    ranks = [(miss.in_place, miss.met, -miss.position, -miss.orientation) for miss in (first, second)]
    return first if ranks[0] < ranks[1] else second
