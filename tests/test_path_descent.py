"""Paths of arms that are bent by compiled searches, beside their readable twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.motion.scenes import make_case
from puppet.body import Body
from puppet.motion import planning
from puppet.motion.arm_frames import ArmFrames
from puppet.motion.descent import ArmDescent, Descent
from puppet.motion.elbow import STEADY, cheapest_swings
from puppet.motion.problem import Problem
from puppet.motion.surroundings import Surroundings
from puppet.shows import run
from puppet.types import Floats, Ints
from tests.twins.path_tries import PlainFrames

# One hand; two; one that holds what the other brings; a body that stands.
CASES = ("things 5", "both 1", "both 2", "holding 1", "carrying 5", "air 3")


class _PlainDescent(Descent):
    """The search in Python, of arms whose elbows swing."""

    def __init__(self, problem: Problem, frames: ArmFrames) -> None:
        super().__init__(problem, frames, problem.hands)
        self.frames = PlainFrames(frames)  # type: ignore[assignment]


@pytest.fixture(scope="module", params=CASES)
def problems(request: pytest.FixtureRequest) -> list[Problem]:
    """What hands are to do in a random scene."""
    found: list[Problem] = []
    plain = planning.plan

    def plan(problem: Problem) -> Any:
        found.append(problem)
        return plain(problem)

    category, number = request.param.split()
    case = make_case(category, int(number))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("puppet.stage.frames.plan", plan)
        run(case.script, environment=case.scene, body=Body.load(case.body))
    return [problem for problem in found if problem.hands]


def _both(problem: Problem) -> tuple[ArmDescent, _PlainDescent]:
    """With clearances that are looked for anew."""
    frames = [ArmFrames(problem, Surroundings(problem)) for _ in range(2)]
    return ArmDescent(problem, frames[0], problem.hands), _PlainDescent(problem, frames[1])


def test_residuals_of_bent_paths_are_those_of_paths_that_are_followed_one_by_one(problems: list[Problem]) -> None:
    rng = np.random.default_rng(5)
    for problem in problems:
        compiled, plain = _both(problem)
        trials = rng.normal(0.0, 0.05, (4, compiled.size)) * np.arange(4)[:, None] * compiled.moves
        dark = rng.random(len(compiled.rows)) < 0.5
        for active, only in ((None, None), (dark, None), (None, 0)):
            rows, bad = compiled.residuals(trials, active, only)
            others, worse = plain.residuals(trials, active, only)
            np.testing.assert_allclose(rows, others, rtol=1e-6, atol=1e-6)
            np.testing.assert_allclose(bad, worse, rtol=1e-6, atol=1e-8)


def test_compiled_searches_end_where_plain_ones_do(problems: list[Problem]) -> None:
    for problem in problems:
        compiled, plain = _both(problem)
        start = np.zeros(compiled.size)
        (first, x), (second, y) = compiled.down(start), plain.down(start)
        assert first.tried == second.tried
        np.testing.assert_allclose(x, y, atol=1e-5)
        assert not start.any()


@pytest.mark.parametrize("seed", range(8))
def test_swings_that_are_not_looked_at_are_part_of_no_cheaper_sequence(seed: int) -> None:
    """By a plain search over all swings of the grid. Most are not looked at where little is in the way."""
    rng, samples = np.random.default_rng(seed), 14
    grid = np.radians(np.arange(-110.0, 111.0, 10.0))
    wall = rng.uniform(0.0, 4.0, samples) * (rng.random(samples) < 0.4)
    costs = grid[:, None] ** 2 + wall * np.exp(-((grid[:, None] - rng.normal(0.0, 0.3, samples)) ** 2))
    seen: list[int] = []

    def measure(places: Ints) -> Floats:
        seen.extend(places.tolist())
        return np.asarray(costs[places])

    best = cheapest_swings(costs[len(grid) // 2], measure)
    ends = 1e4 * grid**2
    totals = costs[:, 0] + ends
    for n in range(1, samples):
        totals = (totals[None] + STEADY * (grid[:, None] - grid[None]) ** 2).min(axis=1) + costs[:, n]
    places = [int(np.abs(grid - swing).argmin()) for swing in best]
    own = sum(costs[place, n] for n, place in enumerate(places)) + STEADY * float((np.diff(best) ** 2).sum())
    assert own + ends[places[0]] + ends[places[-1]] == pytest.approx(float((totals + ends).min()), abs=1e-9)
    assert len(seen) == len(set(seen)) < len(grid) - 1
