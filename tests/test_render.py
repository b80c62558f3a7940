"""Pictures: golden ones, left and right, window and no window, and what is said where nothing can be drawn."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from puppet.body import Body, joint_transforms
from puppet.bvh import read_bvh
from puppet.errors import PuppetError
from puppet.export.frame_renderer import camera_for
from puppet.render.camera import preset
from puppet.render.context import HeadlessContext
from puppet.render.model import stage_model, stage_points, stage_transforms
from puppet.render.renderer import Renderer
from puppet.render.skeleton import Skeleton, joints_and_ends
from tests.pictures import GOLDENS, GREETING, SIZE, difference, golden, graphics, mirrored, picture, still

ROOT = Path(__file__).parent.parent
SAME = 0.04  # drivers differ less; a hand in another place differs more
DRAW = """\
import os, sys
import numpy as np
from tests.pictures import GREETING, SIZE, still
from puppet.export.frame_renderer import camera_for
from puppet.render.model import stage_transforms, stage_model
import pygame
pygame.display.init()
for name, value in (("MAJOR_VERSION", 3), ("MINOR_VERSION", 3), ("PROFILE_MASK", pygame.GL_CONTEXT_PROFILE_CORE)):
    pygame.display.gl_set_attribute(getattr(pygame, "GL_CONTEXT_" + name), value)
pygame.display.set_mode(SIZE, pygame.OPENGL | pygame.HIDDEN)
from puppet.render.context import gl
from puppet.render.renderer import Renderer
shown = still(**GREETING)
GL = gl()
with Renderer(stage_model(shown.body, shown.scene), SIZE) as renderer:
    shapes = stage_transforms(shown.joint_transforms[-1], shown.object_transforms[-1])
    renderer.draw(shapes, camera_for(shown, "front", SIZE))
    own = renderer.read()
    renderer.show()
    GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
    raw = GL.glReadPixels(0, 0, *SIZE, GL.GL_RGB, GL.GL_UNSIGNED_BYTE)
    window = np.frombuffer(raw, dtype=np.uint8).reshape(SIZE[1], SIZE[0], 3)[::-1]
np.save(sys.argv[1], np.stack([own, window]))
"""


@pytest.fixture(autouse=True)
def _graphics() -> None:
    graphics()


@pytest.mark.parametrize("name", GOLDENS)
def test_golden_pictures(name: str) -> None:
    assert difference(GOLDENS[name](), golden(name)) < SAME


@pytest.mark.parametrize("name", ["greeting_front", "rest_top"])
def test_a_golden_picture_is_no_other_ones_mirror(name: str) -> None:
    kept = golden(name)
    assert difference(kept, kept[:, ::-1]) > 3 * SAME


def test_the_other_hand_gives_another_picture() -> None:
    drawn = picture(still(**mirrored(GREETING)), "front")
    assert difference(drawn, golden("greeting_front")) > 3 * SAME


@pytest.mark.parametrize("camera", ["front", "three-quarter"])
def test_each_cuff_is_seen_where_its_arm_is(camera: str) -> None:
    """The left one is light, the right one is orange."""
    up = {"left_shoulder": (0, -60, 0), "left_forearm": (-100, 0, 0)}
    shown = still(**up, **mirrored(up))
    size = (640, 480)
    drawn = picture(shown, camera, size)
    view = camera_for(shown, camera, size)
    for side in ("left", "right"):
        frame = shown.joint_transforms[-1][shown.joint_names.index(f"{side}_forearm")]
        along = np.array([0.054 if side == "left" else -0.054, 0.0, 0.0])
        x, y, _ = view.project(frame[:3] + frame[3:].reshape(3, 3) @ along, size)
        red, _, blue = drawn[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3].mean(axis=(0, 1))
        assert (blue / red > 0.7) == (side == "left"), (side, red, blue)


def test_the_same_picture_twice_is_the_same_to_the_bit() -> None:
    assert np.array_equal(picture(still(), "front"), picture(still(), "front"))


def test_a_window_shows_the_pixels_that_files_get(tmp_path: Path) -> None:
    """A window that is hidden (SDL's offscreen driver) against no window at all."""
    if not sys.platform.startswith("linux"):
        pytest.skip("elsewhere files are drawn in a hidden window anyway")
    out = tmp_path / "drawn.npy"
    environment = {**os.environ, "SDL_VIDEODRIVER": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", DRAW, str(out)], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    if "offscreen not available" in done.stderr:
        pytest.skip("this pygame has no offscreen driver")
    assert done.returncode == 0, done.stderr
    own, window = np.load(out)
    assert np.array_equal(own, window)
    assert np.array_equal(own, picture(still(**GREETING), "front"))


def test_resizing_and_labels() -> None:
    shown = still()
    view = camera_for(shown, "front", SIZE)
    frames = stage_transforms(shown.joint_transforms[0], shown.object_transforms[0])
    with HeadlessContext(), Renderer(stage_model(shown.body, shown.scene), (64, 48)) as renderer:
        renderer.draw(frames, view)
        assert renderer.read().shape == (48, 64, 3)
        renderer.resize(SIZE)
        renderer.draw(frames, view)
        plain = renderer.read()
        renderer.draw(frames, view, labels=True)
        named = renderer.read()
        renderer.draw(frames, view)
        assert np.array_equal(renderer.read(), plain)
    changed = np.abs(named.astype(int) - plain).max(axis=2) > 40
    for thing in shown.scene.objects:  # its plate is right above it
        x, y, _ = view.project(np.add(shown.scene.centre(thing.name), (0.0, 1.25 * thing.width, 0.0)), SIZE)
        assert changed[round(y) - 12 : round(y), round(x) - 12 : round(x) + 12].any()


def test_frames_that_do_not_fit_the_model_are_refused() -> None:
    shown = still()
    with HeadlessContext(), Renderer(stage_model(shown.body, shown.scene), (64, 48)) as renderer:
        with pytest.raises(PuppetError, match="16 transforms of 12 numbers"):
            renderer.draw(np.zeros((3, 12)), camera_for(shown, "front", SIZE))
        with pytest.raises(PuppetError, match="cannot be drawn"):
            renderer.resize((100_000, 10))


def test_renderers_can_be_made_and_closed_many_times() -> None:
    shown = still()
    for _ in range(3):
        with HeadlessContext(), Renderer(stage_model(shown.body, shown.scene), (64, 48)) as renderer:
            shapes = stage_transforms(shown.joint_transforms[0], shown.object_transforms[0])
            renderer.draw(shapes, camera_for(shown, "top", SIZE))
            assert renderer.read().std() > 5


def test_a_skeleton_is_about_one_tall_in_any_unit() -> None:
    at = np.array([[0.0, 0.0, 0.0], [0.0, 90.0, 0.0], [40.0, 180.0, 10.0]])
    for unit in (1.0, 0.01, 1000.0):
        skeleton = Skeleton.of(unit * at, (-1, 0, 1))
        frames = skeleton.transforms(unit * at)
        assert frames.shape == (skeleton.model.transform_count, 12)
        assert np.isfinite(frames).all()
        joints = frames[4:, :3]
        assert np.ptp(joints[:, 1]) == pytest.approx(1.0)
        ends = frames[1:4, :3] + frames[1:4, 3:].reshape(-1, 3, 3)[:, :, 1]  # a bone is 1 long along its own y
        assert np.allclose(ends[1:], joints[1:])


def test_a_clip_is_drawn_to_the_ends_of_its_bones() -> None:
    clip = read_bvh(ROOT / "tests" / "data" / "bvh" / "blender.bvh")
    positions, parents = joints_and_ends(clip)
    for frame in range(len(clip)):
        lines = [(positions[frame, parent], positions[frame, j]) for j, parent in enumerate(parents) if parent >= 0]
        assert np.allclose(lines, clip.bones(frame))
    skeleton = Skeleton.of(positions, parents)
    with HeadlessContext(), Renderer(skeleton.model, SIZE) as renderer:
        renderer.draw(skeleton.transforms(positions[0]), preset("front", skeleton.points, SIZE[0] / SIZE[1]))
        assert renderer.read().min() < 100


def test_without_graphics_libraries_the_message_names_the_packages() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("EGL is Linux's way")
    code = """\
import ctypes, ctypes.util
real = ctypes.CDLL.__init__
def refuse(self, name, *args, **options):
    if name and any(part in str(name) for part in ("EGL", "libGL", "OpenGL")):
        raise OSError(f"{name}: cannot open shared object file")
    real(self, name, *args, **options)
ctypes.CDLL.__init__ = refuse
import puppet
from puppet.render.camera import preset
from puppet.render.context import HeadlessContext
try:
    HeadlessContext()
except puppet.PuppetError as error:
    print(error)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert "libegl1" in done.stdout, done.stdout + done.stderr
    assert done.stdout.count("\n") == 1


def test_a_standing_person_is_seen_from_head_to_feet_wherever_it_stands() -> None:
    body = Body.load("person")
    size = (240, 320)
    pictures = []
    with HeadlessContext(), Renderer(stage_model(body), size) as renderer:
        for place in ((0.0, 0.0), (3.0, -2.0)):
            angles = np.array(body.rest)
            angles[[0, 2]] = place
            transforms = joint_transforms(body, angles)
            camera = preset("front", stage_points(body, None, transforms[:, :3]), size[0] / size[1])
            renderer.draw(stage_transforms(transforms), camera)
            pictures.append(renderer.read())
            high = camera.project(transforms[body.joint("head"), :3] + (0.0, 0.107, 0.0), size)
            low = camera.project((*place[:1], 0.0, *place[1:]), size)
            assert 0 < high[1] < 0.25 * size[1]
            assert 0.75 * size[1] < low[1] < size[1]
    assert difference(*pictures) < SAME  # with its shadow
