"""The whole-body solver of this project, behind the same interface as its peers."""

from __future__ import annotations

from typing import Any

from benchmarks.peers.figure_peer import FigurePeer
from puppet.types import Floats


class Ours(FigurePeer):
    name = "ours"

    def prepare(self) -> None:
        for pin in self.problem.pins:
            self.figure.pin(pin.part, orientation=pin.orientation)
        advance = self.figure._advance_once

        def counted(*given: Any) -> tuple[int, float]:
            done, most = advance(*given)
            self.steps += done
            return done, most

        self.figure._advance_once = counted  # type: ignore[method-assign]

    def step(self, place: Floats) -> None:
        self.figure.drag(self.problem.part, to=place, steps=1)

    def angles(self) -> Floats:
        return self.figure.angles
