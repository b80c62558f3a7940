"""Cameras: what they show, where the mouse points, and how they move."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puppet.errors import PuppetError
from puppet.render.camera import MAX_ELEVATION, MIN_ELEVATION, PRESETS, Camera, preset

SIZE = (640, 360)
number = st.floats(-3.0, 3.0)
cameras = st.builds(
    Camera,
    st.tuples(number, number, number),
    st.floats(0.5, 5.0),
    st.floats(-math.pi, math.pi),
    st.floats(MIN_ELEVATION, MAX_ELEVATION),
    st.floats(0.2, 1.5),
)


@given(cameras)
def test_axes_are_a_rotation_and_the_target_is_in_the_middle(camera: Camera) -> None:
    assert np.allclose(camera.axes @ camera.axes.T, np.eye(3))
    assert np.linalg.det(camera.axes) == pytest.approx(1.0)
    x, y, distance = camera.project(camera.target, SIZE)
    assert (x, y, distance) == pytest.approx((320.0, 180.0, camera.distance))


@given(cameras, st.floats(0.0, 640.0), st.floats(0.0, 360.0), st.floats(0.2, 4.0))
def test_what_lies_on_a_pixels_ray_is_seen_at_that_pixel(camera: Camera, x: float, y: float, along: float) -> None:
    eye, direction = camera.ray((x, y), SIZE)
    assert camera.project(eye + along * direction, SIZE)[:2] == pytest.approx((x, y), abs=1e-6)


@given(cameras, st.tuples(number, number, number))
def test_project_and_the_matrices_for_drawing_agree(camera: Camera, offset: tuple[float, float, float]) -> None:
    point = camera.eye - 2.0 * camera.axes[2] + 0.2 * np.array(offset)
    clip = camera.projection(SIZE[0] / SIZE[1]) @ camera.view @ [*point, 1.0]
    x, y, distance = camera.project(point, SIZE)
    assert clip[3] == pytest.approx(distance)
    assert 0.5 * SIZE[0] * (1.0 + clip[0] / clip[3]) == pytest.approx(x, abs=1e-6)
    assert 0.5 * SIZE[1] * (1.0 - clip[1] / clip[3]) == pytest.approx(y, abs=1e-6)
    assert clip[2] / clip[3] == pytest.approx(float(camera.depth(distance)), abs=1e-9)


@given(cameras, st.lists(st.tuples(number, number, number), min_size=1, max_size=12), st.floats(0.3, 3.0))
def test_framing_shows_all_points_and_touches_the_margin(
    camera: Camera, points: list[tuple[float, float, float]], aspect: float
) -> None:
    size = (round(1000 * aspect), 1000)
    aspect = size[0] / size[1]
    framed = camera.framing(points, aspect, margin=0.1)
    seen = framed.project(points, size)
    assert framed.azimuth == camera.azimuth
    assert framed.elevation == camera.elevation
    assert seen[:, 2].min() > 0.1 * framed.distance  # before the eye, and not cut away
    shares = np.abs(seen[:, :2] / size - 0.5)
    assert shares.max() <= 0.4 + 1e-6
    as_near_as_can_be = framed.distance < max(0.1, np.ptp(seen[:, 2])) + 1e-9
    assert as_near_as_can_be or shares.max() >= 0.4 - 1e-6


def test_sides() -> None:
    """From the front, the puppet's left is on the right; from its left side it looks to the left; from above, down."""
    points = [(-0.5, 0.0, 0.0), (0.5, 1.0, 0.5)]
    left, ahead, origin = (0.3, 0.5, 0.0), (0.0, 0.5, 0.3), (0.0, 0.5, 0.0)
    front, side, top = (preset(name, points, 1.0) for name in ("front", "side", "top"))
    assert front.project(left, SIZE)[0] > front.project(origin, SIZE)[0]
    assert side.project(ahead, SIZE)[0] < side.project(origin, SIZE)[0]
    assert top.project(ahead, SIZE)[1] > top.project(origin, SIZE)[1]
    assert top.project(left, SIZE)[0] > top.project(origin, SIZE)[0]


def test_an_unknown_preset_names_the_nearest() -> None:
    with pytest.raises(PuppetError, match="unknown camera 'threequarter'; did you mean 'three-quarter'"):
        preset("threequarter", [(0, 0, 0)], 1.0)
    assert set(PRESETS) == {"front", "side", "top", "three-quarter"}


@given(cameras, st.floats(-7.0, 7.0), st.floats(-7.0, 7.0))
def test_orbit_keeps_target_and_distance_and_never_turns_over(camera: Camera, around: float, up: float) -> None:
    turned = camera.orbit(around, up)
    assert turned.target == camera.target
    assert np.linalg.norm(turned.eye - turned.target) == pytest.approx(camera.distance)
    assert MIN_ELEVATION <= turned.elevation <= MAX_ELEVATION
    assert abs(turned.azimuth) <= math.pi


@given(cameras, st.floats(-200.0, 200.0), st.floats(-100.0, 100.0))
def test_pan_takes_the_target_along_with_the_mouse(camera: Camera, x: float, y: float) -> None:
    moved = camera.pan((x, y), SIZE)
    assert moved.project(camera.target, SIZE)[:2] == pytest.approx((320.0 + x, 180.0 + y), abs=1e-6)


def test_zoom_has_ends() -> None:
    camera = Camera((0.0, 0.0, 0.0), 2.0)
    assert camera.zoom(2.0).distance == 1.0
    assert camera.zoom(1e9).distance > 0.0
    assert camera.zoom(1e-9).distance < 1e3
