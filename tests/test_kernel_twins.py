"""Kernels against their readable twins in tests/twins, on random problems, and against finite differences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from puppet.body import Body, forward
from puppet.geometry import axis_rotation
from puppet.kernels.loader import kernels
from puppet.kernels.model import HARD_PRICE, LOAD_AND_SEARCH
from puppet.posture.chain import Chain, find_chain
from puppet.scene import Table
from puppet.types import Floats
from tests.plain_kernels import plain
from tests.twins import closed_form_arm, least_squares_step, newton, trunk_and_arms
from tests.twins.closed_form_arm import kernel_orders

EXACT = 1e-9
TABLE = Table(0.6, 0.2)
MANY = range(12)
STEP = 1e-6


def random_angles(body: Body, rng: np.random.Generator, share: float = 0.8) -> Floats:
    """A posture well inside its limits."""
    lower, upper = body.arrays.limits[:, 0], body.arrays.limits[:, 1]
    angles = lower + (0.5 + share * (rng.random(body.dofs) - 0.5)) * (upper - lower)
    return np.asarray(np.clip(angles, *body.limits_at(angles)))


def transforms_of(body: Body, angles: Floats) -> Floats:
    positions, rotations = forward(body, angles)
    return np.concatenate([positions, rotations.reshape(-1, 9)], axis=1)


def goal_of(body: Body, hand: int, angles: Floats) -> Floats:
    """The transform of a hand's tip in a posture, (12,): a goal that can be met."""
    positions, rotations = forward(body, angles)
    return np.concatenate([positions[hand] + rotations[hand] @ body.arrays.tips[hand], rotations[hand].ravel()])


# ---- the arm in closed form


@pytest.mark.parametrize("seed", MANY)
@pytest.mark.parametrize("hand", ["left", "right"])
def test_an_arm_is_that_of_the_equations_at_every_swivel(body: Body, seed: int, hand: str) -> None:
    kernel, rng = plain("closed_form_arm"), np.random.default_rng(seed)
    limb, model = body.limb(hand).joints, body.model
    angles = random_angles(body, rng)
    transforms, goal = transforms_of(body, angles), goal_of(body, limb[2], angles)
    twist, state = angles[3 * limb[1] + 2], np.empty(kernel.STATE_SIZE)
    kernel.load_arm(model.joints, model.dofs, limb, True, TABLE.row, angles, state)
    bend, short = kernel.prepare_swivel(model.joints, model.dofs, limb, goal, angles, transforms, twist, 0.0, state)
    assert short < EXACT
    base = transforms[body.joints[limb[0]].parent]
    for swivel in rng.uniform(-math.pi, math.pi, 6):
        c, s = math.cos(swivel), math.sin(swivel)
        twin = closed_form_arm.arm(body, limb, base, goal, twist, swivel)
        assert bend == pytest.approx(twin.bend, abs=EXACT)
        circles = [kernel.at_swivel(state, kernel.CIRCLES + 3 * n, c, s) for n in range(4)]
        assert circles == pytest.approx([*twin.elbow[1:], *twin.wrist[1:]], abs=EXACT)
        for which, joint, rotation in ((0.0, limb[0], twin.shoulder), (1.0, limb[2], twin.hand)):
            kernel.ball_joint_angles(state, which, c, s)
            found = state[kernel.FOUND + int(3 * which) :][:3]
            assert any(
                np.abs(np.sin(0.5 * (found - other))).max() < 1e-7
                for other in closed_form_arm.joint_angles(body, joint, rotation)
            )
            rebuilt = np.linalg.multi_dot(
                [axis_rotation(axis, angle) for axis, angle in zip(kernel_orders(body)[joint], found, strict=True)]
            )
            assert np.abs(rebuilt - rotation).max() < 1e-7


@pytest.mark.parametrize("seed", MANY)
def test_compiled_arms_put_the_hand_at_its_goal_whatever_the_trunk_is(body: Body, seed: int) -> None:
    rng, model = np.random.default_rng(seed), body.model
    chain = find_chain(body, ("left",), True)
    wanted = random_angles(body, rng, 0.5)
    goals = goal_of(body, chain.hands[0], wanted)[None]
    angles, transforms = wanted.copy(), transforms_of(body, wanted)
    angles[[3 * j + place for j in chain.limb_joints[0] for place in range(3)]] = 0.0
    states = np.empty((1, kernels().STATE_SIZE))
    kernels().arms_for_trunk(
        model.joints, model.dofs, chain.limb_joints, chain.trunk, goals, np.array([True]), np.array([-1e30, 0.0]),
        wanted, LOAD_AND_SEARCH, HARD_PRICE, transforms, states, angles,
    )  # fmt: skip
    assert np.abs(goal_of(body, chain.hands[0], angles) - goals[0]).max() < 1e-6


# ---- one step of least squares


@pytest.mark.parametrize("seed", MANY)
@pytest.mark.parametrize("arms", [1, 2])
def test_a_damped_step_is_that_of_dense_linear_algebra(body: Body, seed: int, arms: int) -> None:
    kernel, rng, model = plain("least_squares_step"), np.random.default_rng(seed), body.model
    chain = find_chain(body, ("left", "right")[:arms], True)
    axes, own, rows = 3 * len(chain.trunk), kernel.ARM_VARIABLES, kernel.RESIDUALS
    count, one_sided = axes + own * arms, kernel.COMFORTS
    elbows = [3 * limb[1] + place for limb in chain.limb_joints for place in (2, 0)]
    work = rng.normal(size=plain("trunk_and_arms").workspace_shape(arms, len(chain.trunk)))
    angles = random_angles(body, rng, 0.98)
    base = kernel.ARM_ROWS * arms + axes
    J, r = np.zeros((arms, rows, count)), np.zeros((arms, rows))
    work[base:] = 0.0
    work[base : base + axes, :axes] = np.eye(axes)  # the trunk's wish to stay
    for h in range(arms):
        at = kernel.ARM_ROWS * h
        columns = [*range(axes), *range(axes + own * h, axes + own * (h + 1))]
        J[h][:, columns], r[h] = work[at : at + rows, : axes + own], work[at + kernel.RESIDUAL_ROW, :rows]
        for m in range(one_sided, rows):
            kernel.add_residual(work, at + m, r[h, m], axes, own * h, base, count)
    two = np.concatenate([np.zeros(axes), r[:, one_sided:].ravel()])
    slopes = np.concatenate([np.eye(axes, count), J[:, one_sided:].reshape(-1, count)])
    assert np.tril(work[base : base + count, :count]) == pytest.approx(np.tril(slopes.T @ slopes), abs=EXACT)
    assert work[base + count, :count] == pytest.approx(-slopes.T @ two, abs=EXACT)

    kernel.damped_step(model.dofs, chain.limb_joints, chain.trunk, angles, 0.1, work, base)
    lower, upper = body.limits_at(angles)
    variables, free = [*chain.trunk_dofs, *elbows], np.zeros(count, dtype=bool)
    free[[axes + own * h for h in range(arms)]] = True  # swivels have no limits
    q, low, high = np.zeros(count), np.full(count, -np.inf), np.full(count, np.inf)
    q[~free], low[~free], high[~free] = angles[variables], lower[variables], upper[variables]
    stiffness = np.where(np.arange(count) < axes, 3.0, 1.0) * kernel.STIFF
    twin = least_squares_step.step(
        (two, slopes), (r[:, :one_sided].ravel(), J[:, :one_sided].reshape(-1, count)), q, (low, high), stiffness,
        0.1, kernel.MODELS, kernel._LONGEST,
    )  # fmt: skip
    assert work[base + 2 * (count + 1), :count] == pytest.approx(twin, abs=EXACT)


# ---- trunk and arms together


@dataclass(frozen=True, eq=False)
class Problem:
    """A random problem of trunk and arms, and where its solution may start."""

    body: Body
    chain: Chain
    goals: Floats
    oriented: bool
    estimate: Floats
    angles: Floats
    states: Floats
    work: Floats
    transforms: Floats

    @classmethod
    def random(cls, body: Body, seed: int, arms: int, oriented: bool) -> Problem:
        rng, kernel = np.random.default_rng(seed), plain("closed_form_arm")
        chain = find_chain(body, ("left", "right")[:arms], True)
        estimate, angles, solution = (random_angles(body, rng, share) for share in (0.3, 0.5, 0.5))
        solution[chain.trunk_dofs] = estimate[chain.trunk_dofs]
        goals = np.array([goal_of(body, hand, solution) for hand in chain.hands])
        states = np.zeros((arms, kernel.STATE_SIZE))
        for limb, state in zip(chain.limb_joints, states, strict=True):
            kernel.load_arm(body.model.joints, body.model.dofs, limb, oriented, TABLE.row, estimate, state)
        work = np.zeros(plain("trunk_and_arms").workspace_shape(arms, len(chain.trunk)))
        problem = cls(body, chain, goals, oriented, estimate, angles, states, work, transforms_of(body, angles))
        problem.keep_upper_arms()
        problem.evaluate()
        return problem

    @property
    def fixed(self) -> tuple[Any, ...]:
        return self.body.model.joints, self.body.model.dofs, self.chain.limb_joints, self.chain.trunk

    def row(self, arm: int, name: str) -> Floats:
        """A row of one arm in the workspace."""
        kernel = plain("least_squares_step")
        return np.asarray(self.work[kernel.ARM_ROWS * arm + getattr(kernel, name)])

    def keep_upper_arms(self) -> None:
        """Swivels count from the upper arms as they are."""
        for h, limb in enumerate(self.chain.limb_joints):
            self.row(h, "STATE_ROW")[:9] = self.transforms[limb[0], 3:]
            self.row(h, "STATE_ROW")[9] = 0.0

    def evaluate(self) -> float:
        return float(plain("trunk_and_arms").evaluate_residuals(
            *self.fixed, self.goals, self.estimate, 1.0, self.transforms, self.states, self.angles, self.work
        ))  # fmt: skip

    def linearize(self) -> None:
        kernel = plain("least_squares_step")
        arms, axes = len(self.goals), 3 * len(self.chain.trunk)
        rows = kernel.ARM_ROWS * arms
        plain("trunk_and_arms").linearize(
            *self.fixed, self.estimate, self.transforms, self.states, self.angles, self.work, rows, rows + axes
        )

    def residuals(self) -> Floats:
        """As just evaluated, (arms, residuals)."""
        kernel = plain("least_squares_step")
        return np.array([self.row(h, "TRIAL_ROW")[: kernel.RESIDUALS] for h in range(len(self.goals))])

    def twins(self) -> list[dict[str, Floats]]:
        return [
            trunk_and_arms.arm_residuals(self.body, tuple(limb), goal, self.oriented, TABLE, self.estimate, self.angles)
            for limb, goal in zip(self.chain.limb_joints, self.goals, strict=True)
        ]


@pytest.mark.parametrize("seed", MANY)
@pytest.mark.parametrize(("arms", "oriented"), [(1, False), (1, True), (2, True)])
def test_residuals_are_those_of_a_direct_evaluation(body: Body, seed: int, arms: int, oriented: bool) -> None:
    problem = Problem.random(body, seed, arms, oriented)
    sum_of_squares = problem.evaluate()
    twins = problem.twins()
    for found, twin in zip(problem.residuals(), twins, strict=True):
        assert found == pytest.approx(np.concatenate([np.ravel(part) for part in twin.values()]), abs=1e-6)
    chain = problem.chain
    cost = trunk_and_arms.cost(body, twins, chain.limb_joints, chain.trunk, problem.estimate, problem.angles)
    assert sum_of_squares == pytest.approx(cost, rel=1e-9)


@pytest.mark.parametrize("seed", MANY)
@pytest.mark.parametrize(("arms", "oriented"), [(1, False), (1, True), (2, True)])
def test_the_jacobian_is_that_of_finite_differences(body: Body, seed: int, arms: int, oriented: bool) -> None:
    problem = Problem.random(body, seed, arms, oriented)
    problem.linearize()
    kernel = plain("least_squares_step")
    now, axes, own = problem.residuals(), len(problem.chain.trunk_dofs), kernel.ARM_VARIABLES
    deep = now[:, kernel.CLEARANCES : kernel.HANGING] > 0.0  # only these have slopes

    def moved(variable: int, h: int, by: float) -> Floats:
        """The residuals with one variable moved: an axis of the trunk, or swivel, twist or bend of arm h."""
        before = problem.angles.copy()
        if variable < axes:
            problem.angles[problem.chain.trunk_dofs[variable]] += by
        elif variable == axes:
            problem.row(h, "STATE_ROW")[kernel.SWIVELLED] = by
        else:
            problem.angles[3 * problem.chain.limb_joints[h, 1] + (2 if variable == axes + 1 else 0)] += by
        problem.evaluate()
        problem.angles[:] = before
        problem.row(h, "STATE_ROW")[kernel.SWIVELLED] = 0.0
        return problem.residuals()[h]

    for h in range(arms):
        at = kernel.ARM_ROWS * h
        for variable in range(axes + own):
            slopes = (moved(variable, h, STEP) - moved(variable, h, -STEP)) / (2.0 * STEP)
            slopes[kernel.CLEARANCES : kernel.HANGING][~deep[h]] = 0.0
            assert problem.work[at : at + kernel.RESIDUALS, variable] == pytest.approx(slopes, rel=1e-3, abs=2e-3)


@pytest.mark.parametrize(("arms", "oriented"), [(1, False), (1, True), (2, True)])
def test_trunk_and_arms_end_where_no_step_gains_within_the_limits(body: Body, arms: int, oriented: bool) -> None:
    gains: list[float] = []
    for seed in MANY:
        problem = Problem.random(body, seed, arms, oriented)
        start = problem.evaluate()
        least = kernels().trunk_and_arms(
            *problem.fixed, problem.goals, problem.estimate, 1.0, problem.transforms, problem.states, problem.work,
            problem.angles.copy(), problem.angles,
        )  # fmt: skip
        assert least <= start
        problem.keep_upper_arms()
        assert problem.evaluate() == pytest.approx(least, rel=1e-6)
        if least < 1.0:  # whatever must hold does
            lower, upper = body.limits_at(problem.angles)
            assert np.all(lower[problem.chain.trunk_dofs] <= problem.angles[problem.chain.trunk_dofs])
            assert np.all(problem.angles[problem.chain.trunk_dofs] <= upper[problem.chain.trunk_dofs])
            gains.append(1.0 - after_another_step(problem) / least)
    assert len(gains) >= 3  # other goals are inside the table, or cannot be met with the elbow below the wrist
    assert np.median(gains) < 0.01  # it stops where a step gains less than a hundredth,
    assert max(gains) < 0.3  # now and then early, after small damped steps


def after_another_step(problem: Problem) -> float:
    """The sum of squares after one more step of least squares, at its best length."""
    kernel, chain = plain("least_squares_step"), problem.chain
    problem.linearize()
    axes, own, kept = len(chain.trunk_dofs), kernel.ARM_VARIABLES, problem.angles.copy()
    count, base = axes + own * len(problem.goals), kernel.ARM_ROWS * len(problem.goals) + axes
    kernel.damped_step(*problem.fixed[1:], kept, 1e-3, problem.work, base)
    found, step = [], problem.work[base + 2 * (count + 1), :count].copy()
    for share in (1.0, 0.3, 0.1):
        problem.angles[:] = kept
        problem.angles[chain.trunk_dofs] += share * step[:axes]
        for h, limb in enumerate(chain.limb_joints):
            swivel, twist, bend = share * step[axes + own * h : axes + own * (h + 1)]
            problem.row(h, "STATE_ROW")[kernel.SWIVELLED] = swivel
            problem.angles[3 * limb[1] + 2] += twist
            problem.angles[3 * limb[1]] += bend
        found.append(problem.evaluate())
    return min(found)


# ---- Newton's method


@pytest.mark.parametrize("seed", MANY)
@pytest.mark.parametrize("names", [("left",), ("left", "right")])
def test_gradient_and_hessian_are_those_of_finite_differences(body: Body, seed: int, names: tuple[str, ...]) -> None:
    """Of the position's part, d the distance: the gradient of d, and the Hessian of d^2 / 2 divided by d. Of the
    orientation's part the gradient, and the Hessian at its least."""
    kernel, rng, model = plain("newton"), np.random.default_rng(seed), body.model
    chain = find_chain(body, names, True)
    angles, elsewhere = random_angles(body, rng), random_angles(body, rng)
    transforms, count = transforms_of(body, angles), 3 * len(chain.joints)
    goals = np.array([goal_of(body, hand, elsewhere) for hand in chain.hands])
    axes = np.zeros((count, 6))
    for a in range(count):
        axes[a, :3] = kernel.axis_from_parent(model.joints, transforms, angles, chain.joints[a // 3], a % 3)

    def equations(weight: float, aims: Floats) -> Floats:
        normal = np.zeros((count, count + 1))
        for hand, aim in zip(chain.hands, aims, strict=True):
            kernel.add_gradient_and_hessian(
                model.joints, transforms, chain.below, chain.joints, hand, aim, weight, axes, np.empty(6), normal
            )
        return normal

    def moved(*changes: tuple[int, float]) -> Floats:
        found = angles.copy()
        for a, by in changes:
            found[chain.dofs[a]] += by
        return found

    def distances(*changes: tuple[int, float]) -> Floats:
        return newton.distances(body, list(chain.hands), goals, moved(*changes))

    def turns(aims: Floats, *changes: tuple[int, float]) -> float:
        return float(newton.turns(body, list(chain.hands), aims, moved(*changes)).sum())

    place, both = equations(0.0, goals), equations(1.0, goals)
    now, h = distances(), 1e-4
    at_goal = np.array([goal_of(body, hand, angles) for hand in chain.hands])
    at_goal[:, :3] = goals[:, :3]
    turned = equations(1.0, at_goal) - equations(0.0, at_goal)
    for a in range(count):
        slope = (distances((a, STEP)) - distances((a, -STEP))).sum() / (2.0 * STEP)
        assert place[a, count] == pytest.approx(-slope, abs=1e-6)
        slope = (turns(goals, (a, STEP)) - turns(goals, (a, -STEP))) / (2.0 * STEP)
        assert both[a, count] - place[a, count] == pytest.approx(-slope, abs=1e-6)
        for b in range(0, a + 1, 2):
            corners = [((a, h), (b, h)), ((a, h), (b, -h)), ((a, -h), (b, h)), ((a, -h), (b, -h))]
            pp, pm, mp, mm = (0.5 * distances(*corner) ** 2 for corner in corners)
            bend = ((pp - pm - mp + mm) / (4.0 * h * h) / now).sum()
            assert place[a, b] == pytest.approx(bend, abs=1e-4)
            pp, pm, mp, mm = (turns(at_goal, *corner) for corner in corners)
            assert turned[a, b] == pytest.approx((pp - pm - mp + mm) / (4.0 * h * h), abs=1e-4)


@pytest.mark.parametrize("seed", MANY)
@pytest.mark.parametrize("oriented", [False, True])
def test_newton_steps_come_nearer_and_stay_within_the_limits(body: Body, seed: int, oriented: bool) -> None:
    kernel, rng, model = plain("newton"), np.random.default_rng(seed), body.model
    chain = find_chain(body, ("left",), True)
    angles = random_angles(body, rng, 0.5)
    goals = goal_of(body, chain.hands[0], random_angles(body, rng))[None]
    goals[0, :3] *= 1.5  # often out of reach

    def cost(weight: float) -> float:
        found = newton.distances(body, list(chain.hands), goals, angles)
        return float((found + weight * newton.turns(body, list(chain.hands), goals, angles)).sum())

    weight, transforms = (1e-2 if oriented else 0.0), transforms_of(body, angles)
    before = cost(weight)
    kernel.newton_descent(
        model.joints, model.dofs, chain.below, chain.joints, chain.roots, chain.hands, goals, np.array([oriented]),
        np.array([-1e30, 0.0]), weight, 8, transforms, angles,
    )  # fmt: skip
    assert cost(weight) < before
    assert body.limit_excess(angles) < EXACT
    assert transforms == pytest.approx(transforms_of(body, angles), abs=EXACT)
