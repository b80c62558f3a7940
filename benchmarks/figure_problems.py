"""Problems for whole-body solvers: what is pinned, and where one part is dragged, frame by frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puppet import Body, Figure
from puppet.types import Floats, Vector


@dataclass(frozen=True)
class Pin:
    part: str
    orientation: bool = False


@dataclass(frozen=True)
class DragProblem:
    key: str
    words: str
    pins: tuple[Pin, ...]
    part: str
    by: Vector  # body heights
    frames: int = 30  # of the drag
    more: int = 30  # frames in which it stays there
    circle: float = 0.0  # instead of going to a place, it goes round on a circle of this radius

    def places(self, body: Body) -> Floats:
        """Where the part is dragged to in each frame, (frames, 3)."""
        start = Figure(body).position(self.part)
        if self.circle:
            turn = np.linspace(0.0, 2.0 * np.pi, self.frames + self.more, endpoint=False)
            round_ = np.stack([np.sin(turn), 0.0 * turn, 1.0 - np.cos(turn)], axis=1)
            return np.asarray(start + self.circle * round_)
        share = np.minimum(1.0, np.arange(1, self.frames + self.more + 1) / self.frames)
        return np.asarray(start + share[:, None] * np.array(self.by))


HANDS = (Pin("left_hand"), Pin("right_hand"))
FEET = (Pin("left_foot", True), Pin("right_foot", True))
TOES = (Pin("left_toes"), Pin("right_toes"))
FLOOR = (-0.12, 0.02, 0.15)  # where the right hand picks something up


def drag_problems(body: Body) -> tuple[DragProblem, ...]:
    hand = Figure(body).position("right_hand")
    x, y, z = (float(value) for value in np.array(FLOOR) - hand)
    return (
        DragProblem("A", "pelvis down by 0.1, hands and feet pinned", (*HANDS, *FEET), "pelvis", (0.0, -0.1, 0.0)),
        DragProblem("B", "head 0.63 forward, the same pins: cannot be had", (*HANDS, *FEET), "head", (0.0, -0.1, 0.63)),
        DragProblem("C", "right hand to the floor, left hand, heels and toes pinned",
                    (HANDS[0], *FEET, *TOES), "right_hand", (x, y, z)),
        DragProblem("D", "chest on a small circle, hands, feet and head pinned",
                    (*HANDS, *FEET, Pin("head")), "chest", (0.0, 0.0, 0.0), circle=0.01),
    )  # fmt: skip
