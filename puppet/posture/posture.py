"""The posture generator: from goals for the hands to the angles of a natural posture that meets them.

Estimate (Section 5.7), then arms in closed form, with the trunk corrected where they need it, then, for what cannot be
met, the nearest posture. The loops are compiled, in puppet.kernels; this module checks what goes in and names what
comes out.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from puppet.arguments import public, short
from puppet.body import Body, body_angles, joint_transforms, kernel_angles, kernel_dofs, local_rotations
from puppet.errors import GoalError, PuppetError, did_you_mean
from puppet.geometry import euler_angles, length
from puppet.kernels.loader import kernels
from puppet.kernels.model import ORIENTATION_TOLERANCE, POSITION_TOLERANCE
from puppet.posture.answer import Posture
from puppet.posture.chain import Chain, corners, find_chain
from puppet.posture.goal import HandGoal, point
from puppet.posture.trunk import best_arms
from puppet.scene import Table
from puppet.solver import refine
from puppet.types import Floats, Ints

SOLVERS = ("puppet", "thesis", "estimate")
_NO_TABLE = np.array([-1e30, 0.0])  # so low that nothing meets it
_NO_TARGET = np.full(3, math.nan)
_GOALS = np.full(3, math.inf)  # look at what the hands do
_ROUNDING = 1e-4  # of lengths and rotations, generously
_NEARLY = 0.5  # violations up to this deserve a closer look
# Of an approach: sweeps from each start, how many of them go on, and for how many sweeps at a time (see puppet.kernels.
# nearest_posture). Goals that may be met after all are worth more than those that are too far away.
_EFFORT = np.array([12, 8, 1000])
_NEAR_EFFORT, _FAR_EFFORT, _FAR_EFFORT_OF_TWO = np.array([12, 2, 25]), np.array([4, 6, 4]), np.array([3, 4, 3])


def is_beyond(body: Body, name: str, goal: HandGoal, start: Floats, stretch: float = 1.0) -> bool:
    """Whether a limb alone, stretched no more than that, cannot meet its goal whatever its joints do, with what carries
    it as in `start`. So nobody needs to search for a posture."""
    joints = body.limb(name).joints
    tip, row = body.arrays.tips[joints[-1]], goal.row
    long, size = _arm_lengths(body, joints)
    end, nearly = row[:3], POSITION_TOLERANCE * body.height + _ROUNDING
    if goal.orientation is None:
        long += size
    else:  # where the last joint is to be
        end, nearly = end - goal.orientation @ tip, nearly + math.radians(ORIENTATION_TOLERANCE) * size
    first = joint_transforms(body, start)[joints[0], :3]
    return length(end - first) > stretch * long + nearly


@lru_cache(maxsize=64)
def _arm_lengths(body: Body, joints: tuple[int, ...]) -> tuple[float, float]:
    """How long a limb is as far as its last joint, and from there to its tip."""
    offsets = body.arrays.offsets[list(joints[1:])]
    return float(np.linalg.norm(offsets, axis=1).sum()), float(np.linalg.norm(body.arrays.tips[joints[-1]]))


@public
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

    `left`, `right` and the names of the body's other limbs take goals; at least one must be given. `torso` lets the
    trunk help; two hands share it, or where that fails it serves one of them. Joints that no goal concerns stay as in
    `start` (the body's rest posture if None), except that an idle arm is moved out of a table that the trunk would
    carry it into. The answer does not depend on where the concerned joints start. The head looks at `gaze`, a point,
    else at the goal, or between two.

    `solver`: "puppet"; "thesis", Figure 5.17 as printed, for comparison; "estimate", the first guess alone.

    A goal that cannot be met gives the nearest posture: `solved` is false and the errors are the true ones. Goals that
    make no sense raise GoalError.
    """
    goals = {name: goal for name, goal in (("left", left), ("right", right), *limbs.items()) if goal is not None}
    if start is not None and body.has_ranges:
        start = _start_angles(body, start)
        for joint in range(len(body.joints)):
            body.put_into_range(joint, start)
    return pose_limbs(body, goals, torso, table, start, solver, gaze, None)


class Memory:
    """The last few answers, for goals that are asked for again: where the concerned joints were, without the rest."""

    def __init__(self, size: int = 128) -> None:
        self._size = size
        self._answers: dict[tuple[object, ...], tuple[Floats, Floats, bool, int]] = {}

    def recall(self, key: tuple[object, ...]) -> tuple[Floats, Floats, bool, int] | None:
        return self._answers.get(key)

    def keep(self, key: tuple[object, ...], angles: Floats, guess: Floats, clear: bool, tried: int) -> None:
        self._answers[key] = angles, guess, clear, tried
        while len(self._answers) > self._size:
            del self._answers[next(iter(self._answers))]


def pose_limbs(
    body: Body,
    goals: Mapping[str, HandGoal],
    torso: bool,
    table: Table | None,
    start: ArrayLike | Posture | None,
    solver: str,
    gaze: ArrayLike | None,
    memory: Memory | None,
    approach: bool = True,
) -> Posture:
    """As solve_posture, which see, with a memory of what was asked for before. It is of one table. approach: whether
    the nearest posture is looked for where a goal cannot be met; else that is a GoalError."""
    if not goals:
        raise GoalError(f"no goal is given; give one of {', '.join(body.limbs)}")
    for name, goal in goals.items():
        if not isinstance(goal, HandGoal):
            raise GoalError(f"the goal of '{name}' must be a HandGoal, as in HandGoal((x, y, z)), not {short(goal)}")
    if solver not in SOLVERS:
        raise PuppetError(f"unknown solver '{solver}'; {did_you_mean(str(solver), SOLVERS)}")
    if table is not None and not isinstance(table, Table):
        raise PuppetError(f"the table must be a Table, as in Table(height, front), or None, not {short(table)}")
    chain = find_chain(body, tuple(goals), bool(torso))
    if solver != "puppet" and not chain.arms:
        raise PuppetError(f"the solver '{solver}' knows arms only, and '{body.name}' has other limbs")
    desk = _NO_TABLE if table is None else table.row
    target = _NO_TARGET if body.gaze is None else _GOALS if gaze is None else point(gaze, "the gaze")
    angles = _start_angles(body, start)
    problem = _Problem(body, chain, goals, desk, target, solver, angles[: 3 if body.free_root else 0], approach)
    try:
        posture = problem.solve(angles if body.kernel_ordered else kernel_angles(body, angles), memory)
    except GoalError:  # the trunk would carry an idle limb into the table: so it stays where it is
        if len(chain.trunk) == 0:
            raise
        posture = problem.part(list(goals), False).solve(kernel_angles(body, _start_angles(body, start)))
    if len(goals) > 1 and len(chain.trunk) > 0 and solver == "puppet" and not posture.solved:
        posture = _give_trunk_to_one(problem, posture, kernel_angles(body, _start_angles(body, start)))
    return posture


class _Problem:
    """Goals for some limbs of a body, as the kernels take them: in a world that is moved so that the root is in its
    place."""

    def __init__(
        self, body: Body, chain: Chain, goals: Mapping[str, HandGoal], table: Floats, gaze: Floats, solver: str,
        root: Floats, approach: bool = True,
    ) -> None:  # fmt: skip
        self.body, self.chain, self.goals, self.solver, self.root = body, chain, goals, solver, root
        self.approach = approach
        self._table, self._gaze = table, gaze
        self.rows = np.array([goal.row for goal in goals.values()])
        self.desk, self.target = table, gaze
        if body.free_root:
            self.rows[:, :3] -= root
            self.desk, self.target = table - root[1:], gaze - root
        self.guess: Floats  # the estimate, once it is made
        self.oriented = np.array([goal.orientation is not None for goal in goals.values()])

    def part(self, names: Collection[str], torso: bool) -> _Problem:
        """The same with the goals of some limbs only."""
        goals = {name: goal for name, goal in self.goals.items() if name in names}
        chain = find_chain(self.body, tuple(goals), torso)
        return _Problem(self.body, chain, goals, self._table, self._gaze, self.solver, self.root)

    def solve(self, angles: Floats, memory: Memory | None = None) -> Posture:
        """The best posture; angles holds the start and takes the answer."""
        guess = self.guess = angles.copy()
        if memory is None:
            return self.finish(angles, guess, *self._search(angles, guess))
        chain = self.chain
        numbers = (self.rows, self.oriented, self.root, angles[chain.above])  # all that an answer follows from
        key = (chain, self.solver, *(entry.tobytes() for entry in numbers))
        known = memory.recall(key)
        if known:
            angles[chain.dofs], guess[chain.dofs], clear, tried = known
        else:
            clear, tried = self._search(angles, guess)
            memory.keep(key, angles[chain.dofs], guess[chain.dofs], clear, tried)
        return self.finish(angles, guess, clear, tried)

    def _search(self, angles: Floats, guess: Floats) -> tuple[bool, int]:
        """The best angles of the joints that may move, and their estimate; returns whether they are clear, and how many
        postures were tried."""
        model, chain, compiled, height = self.body.model, self.chain, kernels(), self.body.height
        joints, dofs, hands, moving, below = model.joints, model.dofs, chain.hands, chain.joints, chain.below
        rows, oriented, desk = self.rows, self.oriented, self.desk
        transforms = np.empty((len(joints), 12))
        missed, clear, tried = math.inf, True, 1
        if chain.arms:
            if self.solver == "puppet":
                missed, tried = best_arms(self.body, chain, rows, oriented, desk, guess, transforms, angles)
            else:
                missed = 0.0
                compiled.natural_estimate(
                    joints, dofs, model.gaze, chain.limb_joints, chain.trunk, moving, rows, height, transforms, guess,
                    angles,
                )  # fmt: skip
            if self.solver == "thesis":
                compiled.as_printed(
                    joints, dofs, chain.limb_joints, hands, chain.trunk, below, rows, oriented, desk, height,
                    transforms, guess, angles,
                )  # fmt: skip
            if 0.0 < missed <= _NEARLY:
                tried += 1
                missed = compiled.grid_search(
                    joints, dofs, chain.limb_joints, rows, oriented, desk, guess, transforms, angles
                )
        if missed and not self.approach:
            raise GoalError("the goal cannot be met")
        if missed:
            starts = _starts(self.body, chain, angles, guess)
            tried += len(starts)
            clear = compiled.nearest_posture(
                joints, dofs, moving, below, chain.roots, hands, rows, oriented, desk, height, starts,
                self._effort(), transforms, angles,
            )  # fmt: skip
        if self.body.has_ranges:
            self._refine(angles)
        return clear, tried

    def _refine(self, angles: Floats) -> None:
        """Puts ball joints into their ranges, of which the kernels of this folder know no more than boxes. What all
        others do has no say in it: the same goal has the same answer."""
        body, chain = self.body, self.chain
        concerned = kernel_angles(body, body.rest)
        for dofs in (chain.above, chain.dofs):
            concerned[dofs] = angles[dofs]
        posture = np.concatenate([self.root, body_angles(body, concerned)])
        if body.limit_excess(posture, chain.joints) <= 0.0:
            return
        goals = {name: (goal.position, goal.orientation) for name, goal in self.goals.items()}
        found = refine(body, posture, goals, [int(j) for j in chain.joints])
        for joint in chain.joints:
            body.put_into_range(int(joint), found)
        angles[chain.dofs] = kernel_angles(body, found)[chain.dofs]

    def _turn_head_into_range(self, angles: Floats, transforms: Floats) -> None:
        """Puts the joint that looks into its range, with all that hangs on it."""
        joint = self.body.gaze.joint if self.body.gaze is not None else 0
        region = self.body.joints[joint].range
        if region is None:
            return
        posture = np.concatenate([self.root, body_angles(self.body, angles)])
        turn = local_rotations(self.body, joint, posture[None])[0]
        inside = region.put_inside(turn)
        if inside is None:
            return
        order = [rotation.axis for rotation in self.body.joints[joint].rotations]
        dofs = kernel_dofs([joint])
        angles[dofs] = np.radians(euler_angles(inside[None], order)[0])
        kernels().forward(self.body.model.joints, angles[None].copy(), transforms[None])

    def _clear_idle_limbs(self, angles: Floats, transforms: Floats) -> bool:
        """Moves idle limbs out of the table, and then into their ranges, of which the kernels know no more than boxes;
        whether there is any such place."""
        body, model = self.body, self.body.model
        clear = kernels().clear_idle_limbs(
            model.joints, model.dofs, model.below, self.chain.idle_roots, self.desk, transforms, angles
        )
        if body.has_ranges:
            idle, posture = self._idle_joints(), np.concatenate([self.root, body_angles(body, angles)])
            for joint in idle:
                body.put_into_range(joint, posture)
            angles[kernel_dofs(idle)] = kernel_angles(body, posture)[kernel_dofs(idle)]
        return bool(clear)

    def _rest_idle_limbs(self, angles: Floats, transforms: Floats) -> bool:
        """Idle limbs as they are at rest, where no other place was found that is clear of the table and in range."""
        idle = kernel_dofs(self._idle_joints())
        angles[idle] = kernel_angles(self.body, self.body.rest)[idle]
        return True

    def _idle_joints(self) -> list[int]:
        below = self.body.model.below
        return [int(joint) for root in self.chain.idle_roots for joint in np.flatnonzero(below[root])]

    def _effort(self) -> Ints:
        if not self.chain.arms:
            return _EFFORT
        if len(self.chain.within_reach(self.rows)) == len(self.goals):
            return _NEAR_EFFORT
        return _FAR_EFFORT if len(self.goals) == 1 else _FAR_EFFORT_OF_TWO

    def finish(self, angles: Floats, guess: Floats, clear: bool = True, tried: int = 1) -> Posture:
        """Idle limbs, gaze and errors; the estimate `guess` is for the score."""
        model, chain, compiled = self.body.model, self.chain, kernels()
        transforms = np.empty((len(model.joints), 12))
        results, aim = np.empty(2 * len(self.goals) + 1), np.empty(6)
        ways = iter((self._clear_idle_limbs, self._rest_idle_limbs))
        while True:
            idle_clear, seen = compiled.finish(
                model.joints, model.dofs, model.gaze, model.below, chain.limb_joints, chain.hands, chain.trunk,
                chain.idle_roots, self.rows, self.oriented, self.desk, self.body.height, self.target, guess, transforms,
                angles, results, aim,
            )  # fmt: skip
            if idle_clear or not clear:
                break
            way = next(ways, None)
            clear = way is not None and way(angles, transforms)
        if not seen:
            compiled.turn_head(model.joints, model.dofs, model.gaze, aim, transforms, angles)
        if self.body.has_ranges:  # the kernels know no more than boxes around them
            self._turn_head_into_range(angles, transforms)
        if not clear:
            raise GoalError("the table leaves the body no room: every posture that was tried is inside it")
        if self.body.free_root:
            transforms[:, :3] += self.root
        return Posture._found(self.body, tuple(self.goals), self.root, angles, transforms, results, tried)


def _give_trunk_to_one(problem: _Problem, shared: Posture, start: Floats) -> Posture:
    """Where two hands cannot share the trunk: it serves one, the others do with their arms (Section 5.7.5).

    The posture in which most hands are at their goals wins, then the one that misses least.
    """
    best, tried = shared, shared.iterations
    for name in problem.chain.within_reach(problem.rows):
        others = [other for other in problem.goals if other != name]
        try:
            first = problem.part([name], torso=True).solve(start.copy())
            second = problem.part(others, torso=False).solve(first.kernel_angles.copy())
            posture = problem.finish(second.kernel_angles.copy(), problem.guess)
        except GoalError:  # the table leaves no room for this one
            continue
        tried += first.iterations + second.iterations
        if posture.rank < best.rank:
            best = posture
    best._iterations = tried
    return best


def estimate_posture(body: Body, goals: Mapping[str, HandGoal], torso: bool = True) -> Floats:
    """Angles (dofs,) of the natural first guess for these goals (Section 5.7): what every solver may start from."""
    chain = find_chain(body, tuple(goals), torso)
    rest = body.rest[body.translation_dofs]
    problem = _Problem(body, chain, goals, _NO_TABLE, _GOALS, "estimate", rest)
    return problem.solve(kernel_angles(body, body.rest)).angles


def score_posture(body: Body, goals: Mapping[str, HandGoal], torso: bool, angles: ArrayLike) -> float:
    """The score of any posture for these goals, (5.36) to (5.38) with an orientation term; less is better."""
    chain = find_chain(body, tuple(goals), torso)
    posture = np.array(angles, dtype=np.float64)
    problem = _Problem(body, chain, goals, _NO_TABLE, _GOALS, "puppet", posture[body.translation_dofs])
    model = body.model
    score = kernels().score(
        model.joints, model.dofs, model.gaze, chain.limb_joints, chain.trunk, problem.rows, problem.oriented,
        body.height, kernel_angles(body, posture),
    )  # fmt: skip
    return float(score)


def _starts(body: Body, chain: Chain, angles: Floats, guess: Floats) -> Floats:
    """Postures to approach an unmet goal from: at rest, stretched out, others spread over all; for arms also what came
    nearest, the estimate, and the estimate with the trunk where far goals take it."""
    starts = np.tile(guess, (2 + len(chain.spread), 1))
    starts[0, chain.dofs], starts[1, chain.dofs] = kernel_angles(body, body.rest)[chain.dofs], 0.0
    starts[2:, chain.dofs] = chain.spread
    if not chain.arms:
        return starts
    leans = corners(body, chain, guess)
    bent = np.tile(guess, (len(leans), 1))
    bent[:, chain.trunk_dofs] = leans
    return np.concatenate([[angles, guess], starts, bent])


def _start_angles(body: Body, start: ArrayLike | Posture | None) -> Floats:
    if start is None:
        return body.rest.copy()
    try:
        angles = np.array(start.angles if isinstance(start, Posture) else start, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise PuppetError(f"a start posture of '{body.name}' is {body.dofs} angles, not {short(start)}") from None
    if angles.shape != (body.dofs,):
        raise PuppetError(f"a start posture of '{body.name}' has {body.dofs} angles, not the shape {angles.shape}")
    if not np.all(np.isfinite(angles)):
        raise PuppetError("a start posture must be finite; there is a nan or an infinity in it")
    own = body.limited
    for _ in range(2 if len(body.widening) else 1):  # a limit that widens with a bend follows the clamped bend
        lower, upper = body.limits_at(angles)
        inside = np.minimum(np.maximum(angles[own], lower[own]), upper[own])
        if (inside == angles[own]).all():
            break
        angles[own] = inside
    return angles
