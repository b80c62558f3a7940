"""Paths of arms that are bent by compiled searches, beside their readable twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.motion.scenes import make_case
from puppet.body import Body
from puppet.kernels.descent_model import BENDS, DISPLACED, LACK_UNIT, OFF_COURSE, OVER_UNIT, SHORT_UNIT
from puppet.motion import planning
from puppet.motion.arm_frames import ArmFrames, middle
from puppet.motion.descent import ArmDescent, Descent
from puppet.motion.elbow import STEADY, cheapest_swings
from puppet.motion.hand_path import bases
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
        self.plain = PlainFrames(frames)
        self.frames = self.plain  # type: ignore[assignment]

    def slopes(self, x: Floats, r: Floats, moves: Ints, only: int | None) -> Floats:
        """From frame to frame: what is wrong changes with where a wrist, and an elbow, are there."""
        rows, hands = len(self.rows), len(self.begin)
        places, others = r[: rows * self.parts].reshape(rows, -1), r[rows * self.parts :][: 2 * rows * hands]
        wrong = (places > 0.0).any(axis=1) | (others.reshape(2, rows, hands) > 0.0).any(axis=(0, 2))
        own = x.reshape(-1, BENDS + 1)
        bends, swings = own[:, :BENDS].reshape(-1, 2, 3), own[:, BENDS]
        found = np.zeros((len(moves), len(r)))
        found[np.arange(len(moves)), rows * (self.parts + 2 * hands) + np.cumsum(self.moves)[moves] - 1] = 1.0
        for row, move in zip(found, moves, strict=True):
            hand, number = divmod(int(move), BENDS + 1)
            unit, step = self.kinds[move, 0], DISPLACED * self.kinds[move, 1]
            by = np.zeros(4)
            by[3 if number == BENDS else number % 3] = step
            seen = self.plain.displaced(self.begin, self.rows, bends, swings, only, (hand, by))
            share = 1.0 / np.sqrt(rows)
            parts = [
                share / LACK_UNIT * seen.missing[:, :-1], share / OVER_UNIT * seen.overs,
                share / SHORT_UNIT * np.maximum(seen.off - OFF_COURSE, 0.0),
            ]  # fmt: skip
            course = self.begin[hand]
            shares = course.shares[np.minimum(self.rows, len(course.shares) - 1)]
            if number == BENDS:
                follows = middle(shares)
            else:
                assert course.path is not None
                follows = bases(course.path.parameters(shares))[number // 3]
            for n, part in enumerate(parts):
                begin = rows * (0 if n == 0 else self.parts + (n - 1) * hands)
                was = r[begin : begin + part.size].reshape(part.shape)
                slopes = (follows * wrong * unit / step)[:, None] * (part - was)
                row[begin : begin + part.size] = slopes.ravel()
        return found


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
