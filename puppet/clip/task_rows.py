"""Rows of the whole-body solver's table: one kind of task in some frames, and all of them one after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.geometry import rotation_vectors
from puppet.kernels.figure_model import AT, COUNTS, LINK, ORIENTATION, POSITION, SOFT, TARGET, TARGET_TURN, TASK_KIND
from puppet.solver.task import FIRM
from puppet.types import Floats, Ints

NEAR_ENOUGH, TURNED_ENOUGH = 2e-4, 2e-3  # body heights and radians: what a task misses by no more can be had


@dataclass(frozen=True, eq=False)
class TaskSeries:
    """One kind of task of one link, in some frames."""

    kind: int
    link: int
    rows: Floats  # (frames, columns) of the kernel's table
    at: Ints  # (frames,), ascending
    shares: Floats | None = None  # (frames,): how much of an edit's way these are, where it can be shortened
    foot: bool = False  # of a foot on its path, which comes before all else
    beside: bool = False  # of a part that nothing is asked of: what it misses is of no account
    gives: float = 0.0  # how much it gives in the frames between knots
    between: bool = True  # whether it is asked for there at all
    whole: bool = False  # whether it is asked for as it is, however little of an edit is had

    def within(self, frames: Ints) -> tuple[Ints, TaskSeries]:
        """In which of some frames, ascending, it is asked for, and what there is of it there."""
        place = np.searchsorted(self.at, frames)
        inside = np.flatnonzero(self.at[np.minimum(place, len(self.at) - 1)] == frames)
        return inside, self._of(place[inside])

    def asked(self) -> TaskSeries:
        """What there is of it where it is asked for at all."""
        return self._of(np.flatnonzero(self.rows[:, TASK_KIND] >= 0.0))

    def _of(self, own: Ints) -> TaskSeries:
        shares = None if self.shares is None else self.shares[own]
        rows, at = self.rows[own], self.at[own]
        return TaskSeries(self.kind, self.link, rows, at, shares, self.foot, self.beside, self.gives, self.between,
                       self.whole)  # fmt: skip

    def missed(self, transforms: Floats) -> Floats:
        """By how much joints (frames, joints, 12) in its frames miss it, (frames, 3): ways or rotation vectors, beyond
        what counts as met."""
        rows = self.rows
        if self.kind == POSITION:
            return _beyond(self.away(transforms) * rows[:, COUNTS : COUNTS + 3], NEAR_ENOUGH)
        turned = transforms[:, self.link, 3:].reshape(-1, 3, 3)
        wanted = rows[:, TARGET_TURN:COUNTS].reshape(-1, 3, 3)
        return _beyond(rotation_vectors(turned @ wanted.transpose(0, 2, 1)), TURNED_ENOUGH)

    def away(self, transforms: Floats) -> Floats:
        """How far its point is from where it is asked to be, with joints (frames, joints, 12), (frames, 3)."""
        placed, rows = transforms[:, self.link], self.rows
        turned = placed[:, 3:].reshape(-1, 3, 3)
        places = placed[:, :3] + np.einsum("nab,nb->na", turned, rows[:, AT:TARGET])
        return np.asarray(places - rows[:, TARGET:TARGET_TURN])


@dataclass(frozen=True, eq=False)
class PackedTasks:
    """The kernel's table for some frames, one after the other."""

    table: Floats  # (rows, columns)
    starts: Ints  # (frames + 1,): where those of each frame begin
    frames: Ints  # (rows,): the number of the frame that each is of
    places: Ints  # the rows of places, and those of turns, that are to be met; not those of feet, which are anyway
    turns: Ints

    def most_missed(self, body: Body, found: Floats, softness: float) -> float:
        """The most that postures (frames, dofs) miss of what is asked for no more softly than that."""
        transforms, most = joint_transforms(body, found), 0.0
        for kind, least in ((POSITION, NEAR_ENOUGH), (ORIENTATION, TURNED_ENOUGH)):
            asked = self.places if kind == POSITION else self.turns
            rows = asked[self.table[asked, SOFT] <= max(softness, FIRM)]
            if not len(rows):
                continue
            table = self.table[rows]
            placed = transforms[self.frames[rows], table[:, LINK].astype(np.int64)]
            turned = placed[:, 3:].reshape(-1, 3, 3)
            if kind == POSITION:
                away = placed[:, :3] + np.einsum("nab,nb->na", turned, table[:, AT:TARGET])
                away = (away - table[:, TARGET:TARGET_TURN]) * table[:, COUNTS : COUNTS + 3]
            else:
                wanted = table[:, TARGET_TURN:COUNTS].reshape(-1, 3, 3)
                away = rotation_vectors(turned @ wanted.transpose(0, 2, 1))
            most = max(most, float(np.abs(_beyond(away, least)).max()))
        return most


def _beyond(vectors: Floats, length: float) -> Floats:
    """Vectors (n, 3), shorter by a length, or none."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors * np.maximum(0.0, 1.0 - length / np.maximum(lengths, 1e-12)))
