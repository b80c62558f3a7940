"""Templates are pure curves: their ends, their velocities and their laws hold for any input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puppet import PuppetError
from puppet.tracks.templates import Hermite, Pendulum, Projectile, Template, time_of_flight
from puppet.types import Floats

numbers = st.floats(-3.0, 3.0)
vectors = st.tuples(numbers, numbers, numbers).map(lambda values: np.array(values))
durations = st.floats(0.05, 3.0)
gravities = st.floats(1.0, 20.0)


def slopes(curve: Template, times: Floats, h: float = 1e-5) -> Floats:
    return (curve.position(times + h) - curve.position(times - h)) / (2.0 * h)


@given(vectors, vectors, vectors, vectors, durations)
def test_hermite_has_the_places_and_velocities_of_its_ends(
    start: Floats, end: Floats, leaving: Floats, arriving: Floats, duration: float
) -> None:
    curve = Hermite(start, end, leaving, arriving, duration)
    assert np.allclose(curve.position([0.0, duration]), [start, end], atol=1e-9)
    assert np.allclose(curve.velocity([0.0, duration]), [leaving, arriving], atol=1e-7)
    times = np.linspace(0.1, 0.9, 7) * duration
    assert np.allclose(slopes(curve, times, 1e-5 * duration), curve.velocity(times), atol=1e-4)


@given(vectors, vectors, gravities, durations)
def test_projectile_i_joins_two_places_in_a_time_under_gravity(
    start: Floats, end: Floats, gravity: float, duration: float
) -> None:
    curve = Projectile.between(start, end, gravity, duration)
    assert np.allclose(curve.position([0.0, duration]), [start, end], atol=1e-9)
    times = np.linspace(0.0, duration, 9)
    second = np.diff(curve.position(times), n=2, axis=0) / (duration / 8) ** 2
    assert np.allclose(second, [0.0, -gravity, 0.0], atol=1e-6)
    assert curve.apex >= max(start[1], end[1]) - 1e-12
    assert curve.apex >= curve.position(np.linspace(0.0, duration, 101))[:, 1].max() - 1e-9


@given(vectors, vectors, gravities, durations)
def test_projectile_ii_and_i_are_one_curve(start: Floats, velocity: Floats, gravity: float, duration: float) -> None:
    curve = Projectile(start, velocity, gravity, duration)
    again = Projectile.between(start, curve.position(duration), gravity, duration)
    assert np.allclose(again.start_velocity, velocity, atol=1e-8)


@given(numbers, numbers, st.floats(0.0, 2.0), gravities)
def test_projectile_iii_reaches_its_height_and_no_more(start: float, end: float, above: float, gravity: float) -> None:
    height = max(start, end) + above
    duration = time_of_flight(start, end, height, gravity)
    if duration > 1e-3:
        curve = Projectile.between(np.array([0.0, start, 0.0]), np.array([1.0, end, 0.0]), gravity, duration)
        assert curve.apex == pytest.approx(height, abs=1e-8)


def test_a_flight_below_its_ends_cannot_be() -> None:
    with pytest.raises(PuppetError, match=r"cannot have its apex at 0\.55: give at least 0\.6"):
        time_of_flight(0.5, 0.6, 0.55, 5.6)


@settings(max_examples=20, deadline=None)
@given(vectors, vectors, st.floats(0.2, 1.0), gravities, st.floats(0.05, 1.5))
def test_a_pendulum_keeps_its_length_and_its_energy(
    way: Floats, velocity: Floats, length: float, gravity: float, duration: float
) -> None:
    if np.linalg.norm(way) < 0.1:
        return
    start = length * way / np.linalg.norm(way)
    curve = Pendulum(start, velocity, np.zeros(3), gravity, duration)
    times = np.linspace(0.0, duration, 40)
    places, velocities = curve.position(times), curve.velocity(times)
    assert np.allclose(np.linalg.norm(places, axis=1), length, atol=1e-8)
    energies = gravity * places[:, 1] + 0.5 * (velocities**2).sum(axis=1)
    assert np.ptp(energies) < 1e-6 * (1.0 + gravity * length)
    spins = np.cross(places, velocities)[:, 1]  # about the vertical, nothing turns it
    assert np.ptp(spins) < 1e-6


def test_a_small_swing_has_the_period_of_the_books() -> None:
    gravity, length = 9.81, 0.5
    period = 2.0 * math.pi * math.sqrt(length / gravity)
    angle = 0.01
    start = length * np.array([0.0, -math.cos(angle), math.sin(angle)])
    curve = Pendulum(start, np.zeros(3), np.zeros(3), gravity, period)
    assert np.allclose(curve.position(period), start, atol=1e-6)
    assert np.allclose(curve.position(0.5 * period), start * [1.0, 1.0, -1.0], atol=1e-6)


def test_a_large_swing_has_the_period_of_the_elliptic_integral() -> None:
    gravity, length, angle = 5.6, 0.6, 2.0
    special = pytest.importorskip("scipy.special")
    period = 4.0 * math.sqrt(length / gravity) * special.ellipk(math.sin(0.5 * angle) ** 2)
    start = length * np.array([0.0, -math.cos(angle), math.sin(angle)])
    curve = Pendulum(start, np.zeros(3), np.zeros(3), gravity, period)
    assert np.allclose(curve.position(period), start, atol=1e-7)


def test_a_pendulum_without_length_is_none() -> None:
    with pytest.raises(PuppetError, match="a pivot away from where it starts"):
        Pendulum(np.ones(3), np.zeros(3), np.ones(3), 5.6, 1.0)
