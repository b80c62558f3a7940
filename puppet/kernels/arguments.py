"""The arguments of the kernels: an argument's name tells its type."""

from __future__ import annotations

import inspect
from typing import Any

# What they are made of, how many dimensions they have, and their names in all kernels.
ARGUMENTS: tuple[tuple[type, int, tuple[str, ...]], ...] = (
    (float, 0, ("largest", "still", "enough")),
    (float, 1, ("given_errors", "given_soft", "reference_angles", "gains", "mobility", "lengths", "errors")),
    (float, 2, ("links", "corners", "velocities", "tasks", "given", "reference_local", "local", "world", "axes")),
    (float, 2, ("sums", "jacobian", "loads", "mass", "motion")),
    (float, 0, ("gravity",)),
    (float, 2, ("points", "ref_postures", "ref_speeds", "ref_rates", "feet", "point_states", "bearing", "torques")),
    (float, 2, ("way_points", "way_pushes")),
    (float, 3, ("plan", "ref_locals", "pushes_by_frame", "contact_forces")),
    (float, 1, ("settings", "carried", "way", "centre")),
    (int, 0, ("upper",)),
    (int, 1, ("ends",)),
    (float, 1, ("speeds", "accelerations", "efforts")),
    (float, 0, ("margin", "near", "slack", "ease")),
    (float, 2, ("firmness", "reference_frames", "solids", "halves", "cubes", "leaving", "arriving", "left_behind")),
    (float, 2, ("reached", "misses", "pairs", "giving", "memory")),
    (float, 3, ("goals_by_frame", "boxes", "pushes")),
    (float, 3, ("courses", "candidates_by_frame", "known_transforms")),
    (float, 2, ("swivels", "shorts", "overs", "missing", "margins")),
    (float, 1, ("depths", "first", "root_gains")),
    (int, 1, ("carriers", "owners", "arm_of", "parts", "rows", "task_starts", "numbers", "counts")),
    (int, 2, ("apart_from", "balls")),
    (int, 0, ("free", "steps", "anew", "opening", "begin", "begins", "until")),
    (int, 2, ("tree", "chains")),
    (float, 0, ("height", "effort", "price", "elbow")),
    (float, 1, ("gaze", "table", "estimate", "old", "angles", "target", "results", "aim")),
    (float, 2, ("joints", "dofs", "goals", "transforms", "states", "work", "starts")),
    (float, 2, ("postures", "places", "deviations", "controls")),
    (float, 3, ("all_transforms",)),
    (int, 1, ("limb", "trunk", "chain", "hands", "roots", "idle_roots", "sweeps")),
    (int, 2, ("limbs", "below", "chain_below")),
    (bool, 1, ("oriented", "looked_at")),
    (int, 0, ("stepper",)),
    (float, 1, ("towards", "room_left")),
    (float, 2, ("approach",)),
    (float, 2, ("paces", "rotations")),
    (float, 1, ("excess", "changes", "velocity", "rates", "bounds")),
    (float, 2, ("aims", "drifts", "followed", "tips")),
    (float, 0, ("snaps",)),
    (int, 0, ("placing", "judging", "trying", "only")),
    (float, 2, ("root_frames", "middles", "trials", "residuals", "kinds")),
    (float, 3, ("bend_shares", "solids_of")),
    (float, 4, ("candidates_of", "transforms_of")),
    (int, 1, ("displaced_by",)),
    (int, 2, ("counts_of",)),
    (bool, 1, ("loose", "movable")),
    (float, 1, ("faults", "bends")),
    (int, 1, ("own", "seen")),
    (int, 0, ("rests", "joint", "follows", "fixed_first", "fixed_last")),
)
# What the room for a step of the whole-body solver is made of: see puppet.kernels.figure_step.figure_room.
_ROOM: tuple[tuple[type, int], ...] = ((int, 1), (float, 3), *((float, 2),) * 6, (float, 1), (float, 1))


def types_of(function: Any) -> tuple[Any, ...]:
    """What numba calls the types of a kernel's arguments."""
    return tuple(map(type_of, inspect.signature(function).parameters))


def type_of(argument: str) -> Any:
    """What numba calls the type of a kernel's argument of this name."""
    from numba.core import types

    if argument == "room":
        return types.Tuple([_type_of(*part) for part in _ROOM])
    return next(_type_of(kind, dimensions) for kind, dimensions, names in ARGUMENTS if argument in names)


def _type_of(kind: type, dimensions: int) -> Any:
    import numba
    import numpy as np

    if dimensions == 0:
        return numba.typeof(kind())
    return numba.typeof(np.empty((1,) * dimensions, dtype=np.int64 if kind is int else kind))
