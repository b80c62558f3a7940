"""Can the puppet's strokes be told from people's by their shape? By logistic regression, on strokes that are new to it.

The area under its curve (AUC) is the chance that it ranks a stroke of the puppet above one of a person: 0.5 is chance,
1 is always.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from puppet.types import Floats, Ints

FEATURES = ("ratio", "peak_to_mean", "peak_time", "deviation", "rise", "log_jerk")
ROUNDS = 40  # random halves
SEED = 14
RIDGE = 1.0  # of the squared weights
LEAST = 8  # strokes of each kind: with fewer nothing is said


Figures = Mapping[str, float]


def auc(puppet: Sequence[Figures], people: Sequence[Figures]) -> tuple[float, float]:
    """Mean and standard deviation over random halves: trained on one half of each, judged on the other.

    nan where there are too few strokes.
    """
    if min(len(puppet), len(people)) < LEAST:
        return float("nan"), float("nan")
    rng = np.random.default_rng(SEED)
    ours, theirs = feature_rows(puppet), feature_rows(people)
    found = []
    for _ in range(ROUNDS):
        (train_a, test_a), (train_b, test_b) = _halves(rng, len(ours)), _halves(rng, len(theirs))
        train = np.concatenate([ours[train_a], theirs[train_b]])
        middle, spread = train.mean(axis=0), np.maximum(train.std(axis=0), 1e-9)
        labels = np.concatenate([np.ones(len(train_a)), np.zeros(len(train_b))])
        weights = fit(_expanded((train - middle) / spread), labels)
        scores = [_expanded((rows - middle) / spread) @ weights for rows in (ours[test_a], theirs[test_b])]
        found.append(rank_auc(*scores))
    return float(np.mean(found)), float(np.std(found))


def feature_rows(strokes: Sequence[Figures]) -> Floats:
    """(strokes, features); ratios as logarithms, because they have long tails."""
    rows = np.array([[stroke[name] for name in FEATURES] for stroke in strokes], dtype=np.float64)
    for n, name in enumerate(FEATURES):
        if name in ("ratio", "deviation"):
            rows[:, n] = np.log(np.maximum(rows[:, n] - (1.0 if name == "ratio" else 0.0), 1e-3))
    return rows


def fit(rows: Floats, labels: Floats) -> Floats:
    """Weights of a logistic regression in which both classes count alike, by Newton's method."""
    share = labels.mean()
    importance = np.where(labels > 0.5, 0.5 / share, 0.5 / (1.0 - share))
    ridge = RIDGE * np.ones(rows.shape[1])
    ridge[0] = 1e-6  # the constant
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-np.clip(rows @ weights, -30.0, 30.0)))
        slope = rows.T @ (importance * (labels - chance)) - ridge * weights
        bend = (rows * (importance * chance * (1.0 - chance))[:, None]).T @ rows + np.diag(ridge)
        step = np.linalg.solve(bend, slope)
        weights = weights + step * min(1.0, 5.0 / max(np.linalg.norm(step), 1e-12))
        if np.linalg.norm(step) < 1e-8:
            break
    return weights


def rank_auc(higher: Floats, lower: Floats) -> float:
    """The share of pairs in which the first is higher; equal ones count half."""
    difference = higher[:, None] - lower[None]
    return float((difference > 0.0).mean() + 0.5 * (difference == 0.0).mean())


def _expanded(rows: Floats) -> Floats:
    """A constant, the features and their squares: too regular is as telling as too irregular."""
    return np.concatenate([np.ones((len(rows), 1)), rows, np.minimum(rows**2, 9.0)], axis=1)


def _halves(rng: np.random.Generator, count: int) -> tuple[Ints, Ints]:
    order = rng.permutation(count)
    return order[: count // 2], order[count // 2 :]
