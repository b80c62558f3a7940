"""The posture generator: from goals for the hands to the angles of a natural posture that meets them.

Estimate (Section 5.7), then arms in closed form with the trunk by coordinate descent, then, for what cannot be met, the
nearest posture. The loops are compiled, in puppet.kernels; this module checks what goes in and names what comes out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from puppet.body import Body, Floats
from puppet.chain import Chain, find_chain, spread
from puppet.compiled import kernels
from puppet.errors import GoalError, PuppetError, did_you_mean
from puppet.goal import HandGoal, point
from puppet.table import Table

POSITION_TOLERANCE = 1e-3  # in body heights
ORIENTATION_TOLERANCE = 1.0  # degrees
_KERNELS = {"puppet": "solve_arms", "thesis": "solve_thesis", "estimate": "guess_arms"}
_NO_TABLE = np.array([-1e30, 0.0])
_NO_TARGET = np.full(3, math.nan)
_GOALS = np.full(3, math.inf)  # look at what the hands do
_NEARLY = 0.5  # violations up to this deserve a closer look
STARTS = 3


class Posture:
    """An answer of the posture generator. Errors are measured on the answer itself, whatever the solver believed."""

    body: Body
    angles: Floats  # (dofs,), radians, in the body's order
    frames: Floats  # (joints, 12): position and rotation of each joint in the world, row by row
    score: float  # (5.36) to (5.38) with an orientation term: less is more natural; nan for limbs that are no arms

    def __init__(self, body: Body, limbs: tuple[str, ...], angles: Floats, frames: Floats, results: Floats) -> None:
        """results: position and orientation error (radians) of each limb in turn, then the score."""
        angles.flags.writeable = frames.flags.writeable = False
        self.body, self.angles, self.frames = body, angles, frames
        self._limbs = limbs
        *self._errors, self.score = results.tolist()

    @property
    def hand_position_errors(self) -> Mapping[str, float]:
        """Distance of each hand's tip from its goal, by the limb's name."""
        return dict(zip(self._limbs, self._errors[0::2], strict=True))

    @property
    def hand_orientation_errors(self) -> Mapping[str, float]:
        """Angle in degrees of each hand from its goal; 0 where no orientation was asked for."""
        return dict(zip(self._limbs, map(math.degrees, self._errors[1::2]), strict=True))

    @property
    def position_error(self) -> float:
        """Distance of the worst hand's tip from its goal."""
        return max(self._errors[0::2])

    @property
    def orientation_error(self) -> float:
        """Angle in degrees of the worst hand from its goal."""
        return math.degrees(max(self._errors[1::2]))

    @property
    def solved(self) -> bool:
        """Whether every hand is within 0.1 % of the body's height and 1 degree of its goal."""
        near = self.position_error <= POSITION_TOLERANCE * self.body.height
        return near and self.orientation_error <= ORIENTATION_TOLERANCE

    @property
    def joint_positions(self) -> Floats:
        """World positions of the joints' centres, (joints, 3)."""
        return self.frames[:, :3]

    @property
    def joint_rotations(self) -> Floats:
        """World rotations of the joints, (joints, 3, 3)."""
        return self.frames[:, 3:].reshape(-1, 3, 3)

    @property
    def hand_positions(self) -> Mapping[str, Floats]:
        """World positions of the limbs' tips, (3,) each, by the limb's name."""
        tips = self.joint_positions + np.einsum("jab,jb->ja", self.joint_rotations, self.body.arrays.tips)
        return {name: tips[limb.joints[-1]] for name, limb in self.body.limbs.items()}

    @property
    def hand_orientations(self) -> Mapping[str, Floats]:
        """World rotations of the limbs' last segments, (3, 3) each, by the limb's name."""
        return {name: self.joint_rotations[limb.joints[-1]] for name, limb in self.body.limbs.items()}

    def __repr__(self) -> str:
        state = "solved" if self.solved else "missed"
        return f"<Posture of {', '.join(self._limbs)}: {state} by {self.position_error:.2g}, score {self.score:.3g}>"


def solve_posture(
    body: Body,
    left: HandGoal | None = None,
    right: HandGoal | None = None,
    torso: bool = True,
    table: Table | None = None,
    start: ArrayLike | Posture | None = None,
    solver: str = "puppet",
    gaze: ArrayLike | None = None,
    **limbs: HandGoal | None,
) -> Posture:
    """The posture in which the hands are at their goals, natural, inside all limits and clear of the table.

    `left`, `right` and the names of the body's other limbs take goals; at least one must be given. `torso` lets the trunk
    help; two hands share it. Joints that no goal concerns stay as in `start` (the body's rest posture if None), except
    that an idle arm is moved out of a table that the trunk would carry it into. The answer does not depend on where the
    concerned joints start. The head looks at `gaze`, a point, else at the goal, or between two.

    `solver`: "puppet"; "thesis", Figure 5.17 as printed, for comparison; "estimate", the first guess alone.

    A goal that cannot be met gives the nearest posture: `solved` is false and the errors are the true ones. Goals that
    make no sense raise GoalError.
    """
    goals = {name: goal for name, goal in (("left", left), ("right", right), *limbs.items()) if goal is not None}
    if not goals:
        raise GoalError(f"no goal is given; give one of {', '.join(body.limbs)}")
    if solver not in _KERNELS:
        raise PuppetError(f"unknown solver '{solver}'; {did_you_mean(solver, _KERNELS)}")
    names = tuple(goals)
    chain = find_chain(body, names, bool(torso))
    if solver != "puppet" and not chain.arms:
        raise PuppetError(f"the solver '{solver}' knows arms only, and '{body.name}' has other limbs")
    model, compiled, height = body.model, kernels(), body.height
    joints, dofs, sight = model.joints, model.dofs, model.gaze
    limb_joints, hands, trunk, moving, below = chain.limb_joints, chain.hands, chain.trunk, chain.joints, chain.below
    rows = np.array([goal.row for goal in goals.values()])
    oriented = np.array([goal.orientation is not None for goal in goals.values()])
    angles = _start_angles(body, start)
    guess = angles.copy()
    frames = np.empty((len(body.joints), 12))
    desk = _NO_TABLE if table is None else table.row
    missed = math.inf
    if chain.arms:
        solve = getattr(compiled, _KERNELS[solver])
        missed = solve(
            joints, dofs, sight, limb_joints, hands, trunk, moving, below, rows, oriented, desk, height, frames, guess, angles
        )
        if 0.0 < missed <= _NEARLY:
            missed = compiled.look_closely(joints, dofs, limb_joints, rows, oriented, desk, guess, frames, angles)
    clear = True
    if missed:
        starts = _starts(body, chain, angles, guess)
        clear = compiled.approach(
            joints, dofs, moving, below, chain.roots, hands, rows, oriented, desk, height, starts, frames, angles
        )
    target = _NO_TARGET if body.gaze is None else _GOALS if gaze is None else point(gaze, "the gaze")
    results = np.empty(2 * len(goals) + 1)
    clear = clear and compiled.finish(
        joints, dofs, sight, model.below, limb_joints, hands, trunk, chain.idle_roots, rows, oriented, desk, height, target,
        guess, frames, angles, results,
    )  # fmt: skip
    if not clear:
        raise GoalError("the table leaves the body no room: every posture that was tried is inside it")
    return Posture(body, names, angles, frames, results)


def estimate_posture(body: Body, goals: Mapping[str, HandGoal], torso: bool = True) -> Floats:
    """Angles (dofs,) of the natural first guess for these goals (Section 5.7): what every solver may start from."""
    return solve_posture(body, **goals, torso=torso, solver="estimate").angles  # type: ignore[arg-type]


def score_posture(body: Body, goals: Mapping[str, HandGoal], torso: bool, angles: ArrayLike) -> float:
    """The score of any posture for these goals, (5.36) to (5.38) with an orientation term; less is better."""
    chain = find_chain(body, tuple(goals), torso)
    rows = np.array([goal.row for goal in goals.values()])
    oriented = np.array([goal.orientation is not None for goal in goals.values()])
    model = body.model
    return float(
        kernels().score(
            model.joints, model.dofs, model.gaze, chain.limb_joints, chain.trunk, rows, oriented, body.height,
            np.array(angles, dtype=np.float64),
        )  # fmt: skip
    )


def _starts(body: Body, chain: Chain, angles: Floats, guess: Floats) -> Floats:
    """Postures to approach an unmet goal from: what came nearest, the estimate, at rest, stretched out, and others."""
    starts = np.concatenate([[angles, guess, angles, angles], spread(body, chain, STARTS if chain.arms else 20, angles)])
    starts[2, chain.dofs] = body.rest[chain.dofs]
    starts[3, chain.dofs] = 0.0
    return starts


def _start_angles(body: Body, start: ArrayLike | Posture | None) -> Floats:
    if start is None:
        return body.rest.copy()
    angles = np.array(start.angles if isinstance(start, Posture) else start, dtype=np.float64)
    if angles.shape != (body.dofs,):
        raise PuppetError(f"a start posture of '{body.name}' has {body.dofs} angles, not an array of shape {angles.shape}")
    if not np.all(np.isfinite(angles)):
        raise PuppetError("a start posture must be finite; there is a nan or an infinity in it")
    lower, upper = body.limits_at(angles)
    return np.minimum(np.maximum(angles, lower), upper)
