"""Answers of the posture generator to the benchmark's problems, and how they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks import batch
from benchmarks.judge import angle_between, hand_goals
from benchmarks.problems import CHAINS, TABLE, TUNING_SEED, Problem, make_problems
from puppet import Body, HandGoal, Posture, Table, scene, solve_posture
from puppet.body import kinematics
from puppet.types import Floats

COUNT = 40
SETS = [(chain, kind) for chain in CHAINS for kind in "DABU"]
EXCESS = 1e-9  # radians outside a limit, depth in the table
FLIP = np.diag([-1.0, 1.0, 1.0])
BODY = Body.load("seated")
Goals = Mapping[str, HandGoal]


@dataclass(frozen=True)
class Answer:
    number: int
    problem: Problem
    goals: Goals
    posture: Posture


def solve(problem: Problem, goals: Goals | None = None, **options: object) -> Posture:
    """The answer to a problem at the benchmark's table, or to the same problem with other goals."""
    goals = hand_goals(problem) if goals is None else goals
    return solve_posture(BODY, **goals, **{"torso": problem.torso, "table": TABLE, **options})  # type: ignore[arg-type]


@cache
def answers(chain: str, kind: str, count: int = COUNT) -> list[Answer]:
    problems = make_problems(BODY, kind, chain, count, TUNING_SEED)
    return [Answer(n, problem, hand_goals(problem), solve(problem)) for n, problem in enumerate(problems)]


def where(answered: list[Answer], wrong: Callable[[Answer], object]) -> list[tuple[int, object]]:
    """Numbers of the problems where something is wrong, and what."""
    found = [(answer.number, wrong(answer)) for answer in answered]
    return [(number, what) for number, what in found if what is not None and what is not False]


def dofs_of(joints: Iterator[int] | tuple[int, ...] | list[int]) -> list[int]:
    return [3 * joint + place for joint in joints for place in range(3)]


def concerned_joints(problem: Problem) -> list[int]:
    """Joints that the goals concern, without the head, which looks."""
    limbs = [BODY.limbs[name] for name in problem.goals]
    return sorted({j for limb in limbs for j in (*limb.joints, *(limb.trunk if problem.torso else ()))})


def idle_joints(problem: Problem) -> list[int]:
    return [j for name, limb in BODY.limbs.items() if name not in problem.goals for j in limb.joints]


def true_errors(goals: Goals, angles: Floats) -> dict[str, tuple[float, float]]:
    """Distance and degrees of each hand from its goal, by the plain kinematics."""
    positions, rotations = kinematics.forward(BODY, angles)
    tips = kinematics.tip_positions(BODY, positions, rotations)
    errors = {}
    for name, goal in goals.items():
        hand = BODY.limbs[name].joints[-1]
        turned = 0.0 if goal.orientation is None else angle_between(rotations[hand], goal.orientation)
        errors[name] = (float(np.linalg.norm(tips[hand] - goal.position)), turned)
    return errors


def table_excess(angles: Floats, table: Table = TABLE) -> float:
    return scene.table_excess(BODY, table, *kinematics.forward(BODY, angles))


def dishonest(goals: Goals, posture: Posture) -> object:
    """What a posture says wrongly of itself, else None."""
    true = true_errors(goals, posture.angles)
    said = {name: (posture.hand_position_errors[name], posture.hand_orientation_errors[name]) for name in goals}
    distance, turned = (max(error[n] for error in true.values()) for n in range(2))
    same = all(np.allclose(true[name], said[name], rtol=0.0, atol=1e-9) for name in goals)
    same &= abs(posture.position_error - distance) < 1e-9 and abs(posture.orientation_error - turned) < 1e-9
    met = distance <= 0.001 * BODY.height and turned <= 1.0
    return None if same and posture.solved == met else (true, said, posture.solved)


def random_starts(count: int, seed: int) -> Floats:
    """Postures inside all limits and clear of the table, (count, dofs)."""
    drawn = batch.angles_in_limits(BODY, 10 * count, np.random.default_rng(seed))
    clear = batch.table_excess(BODY, TABLE, range(len(BODY.joints)), *batch.forward(BODY, drawn)) == 0.0
    return drawn[clear][:count]


def moved_apart(first: Posture, second: Posture, joints: list[int]) -> float:
    """How far the joint that moved most is from where it was."""
    return float(np.linalg.norm(first.joint_positions - second.joint_positions, axis=1)[joints].max())
