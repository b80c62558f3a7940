"""Parts of the window that need no window: picking, views, places, keys; and what is said where none can open."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puppet.errors import PuppetError
from puppet.files.shipped import find
from puppet.geometry import Transform, hull
from puppet.keys import load_key_map
from puppet.render.camera import Camera, preset
from puppet.scene import load_environment
from puppet.window.app import open_perform
from puppet.window.background_task import BackgroundTask
from puppet.window.box import Box
from puppet.window.display import _scale_of
from puppet.window.event import Key, Move, Press, Release, Wheel
from puppet.window.layout import lay_out
from puppet.window.pacing import MOST_OWED, Pacer
from puppet.window.paint import Paint
from puppet.window.perform_screen import PerformScreen
from puppet.window.picking import Pick, ball_distance, box_distance, outline, pick
from puppet.window.preparing_screen import PreparingScreen
from puppet.window.saving import free_name
from puppet.window.shortcuts import PERFORM_ACTIONS, PERFORM_KEYS, PERFORM_MOUSE, PLAY_KEYS, perform_action, play_action
from puppet.window.view import CAMERAS, View
from tests.windows import Hand, window

ROOT = Path(__file__).parent.parent
SCENE = load_environment(find("environments", "blocks"))
POSES = {thing.name: Transform.of(SCENE.centre(thing.name)) for thing in SCENE.objects}
POINTS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (0.0, 1.0) for z in (-0.2, 0.6)])
shares = st.floats(-0.8, 0.8)


@given(shares, shares, st.floats(0, 800), st.floats(0, 600))
@settings(max_examples=60, deadline=None)
def test_a_shifted_camera_sees_along_its_rays(x: float, y: float, u: float, v: float) -> None:
    camera = Camera((0.1, 0.5, 0.2), 3.0, 0.7, 0.3, shift=(x, y))
    eye, way = camera.ray((u, v), (800, 600))
    assert camera.project(eye + 2.5 * way, (800, 600))[:2] == pytest.approx([u, v], abs=1e-6)
    clip = camera.projection(800 / 600) @ camera.view @ np.array([*(eye + 2.5 * way), 1.0])
    seen = (0.5 + 0.5 * clip[:2] / clip[3]) * (800, 600)
    assert (seen[0], 600 - seen[1]) == pytest.approx((u, v), abs=1e-6)


@given(st.sampled_from(CAMERAS), st.floats(400, 2000), st.floats(300, 1200), st.floats(0.0, 0.3), st.floats(0.0, 0.3))
@settings(max_examples=60, deadline=None)
def test_a_view_shows_everything_in_the_part_that_is_free(
    name: str, width: float, height: float, left: float, top: float
) -> None:
    view = View(POINTS, name)
    free = Box(left * width, top * height, 0.6 * width, 0.6 * height)
    view.place((width, height), free)
    seen = view.project(POINTS)
    assert all(free.inset(-2.0).contains(x, y) for x, y, _ in seen)
    assert np.ptp(seen[:, 0]) > 0.8 * free.width or np.ptp(seen[:, 1]) > 0.8 * free.height


def test_a_camera_that_was_moved_keeps_its_part_of_what_is_free() -> None:
    view = View(POINTS)
    view.place((1000, 500), Box(0, 0, 1000, 500))
    view.handle(Wheel(500, 250, 3.0))
    before = np.ptp(view.project(POINTS)[:, 1])
    view.place((1000, 500), Box(0, 0, 1000, 250))
    assert np.ptp(view.project(POINTS)[:, 1]) == pytest.approx(0.5 * before, rel=0.05)


def test_a_click_is_no_drag() -> None:
    view = View(POINTS)
    view.place((800, 600), Box(0, 0, 800, 600))
    before = view.camera
    view.handle(Press(100, 100))
    view.handle(Move(102, 101))
    assert view.handle(Release(102, 101))
    assert view.camera == before
    view.handle(Press(100, 100))
    view.handle(Move(140, 100))
    assert not view.handle(Release(140, 100))
    assert view.camera != before


@pytest.mark.parametrize("camera", CAMERAS)
def test_each_thing_is_picked_where_it_is_seen(camera: str) -> None:
    view = preset(camera, POINTS, 4 / 3)
    for name, pose in POSES.items():
        x, y, _ = view.project(pose.position, (800, 600))
        found = pick(*view.ray((x, y), (800, 600)), SCENE, POSES, {})
        assert found is not None
        far = {n: float(np.linalg.norm(p.position - view.eye)) for n, p in POSES.items()}
        assert far.get(found.name, 0.0) <= far[name]  # itself, or what stands before it


def test_empty_places_and_hands_are_picked_and_nothing_is_nothing() -> None:
    view = preset("top", POINTS, 1.0)
    at = np.array(SCENE.space("6").position)
    x, y, _ = view.project(at, (600, 600))
    ray = view.ray((x, y), (600, 600))
    assert pick(*ray, SCENE, POSES, {}) == Pick("space", "6")
    over = Transform.of(np.add(at, (0.0, 0.2, 0.0)))
    assert pick(*ray, SCENE, POSES, {"left": over}) == Pick("hand", "left")
    assert pick(view.eye, np.array([0.0, 1.0, 0.0]), SCENE, POSES, {}) is None


def test_rays_and_solids() -> None:
    pose = Transform.of((0, 0, 5), [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    ahead = np.array([0.0, 0.0, 1.0])
    assert box_distance(np.zeros(3), ahead, pose, 1.0) == pytest.approx(4.0)
    assert box_distance(np.array([1.5, 0, 0]), ahead, pose, 1.0) is None
    assert box_distance(np.zeros(3), -ahead, pose, 1.0) is None
    assert ball_distance(np.zeros(3), ahead, pose.position, 1.0) == pytest.approx(4.0)
    assert ball_distance(np.zeros(3), -ahead, pose.position, 1.0) is None


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=3, max_size=30))
@settings(max_examples=100, deadline=None)
def test_a_hull_encloses_its_points(points: list[tuple[int, int]]) -> None:
    shape = hull(points)
    assert set(shape) <= set(points)
    for (x, y), (u, v) in zip(shape, [*shape[1:], shape[0]], strict=True):
        assert all((u - x) * (q - y) - (v - y) * (p - x) >= 0 for p, q in points) or len(shape) < 3


def test_outlines_are_around_their_things() -> None:
    found = outline(Pick("object", "yellow"), SCENE, POSES, {})
    assert np.allclose(found.mean(axis=0), POSES["yellow"].position)
    ring = outline(Pick("space", "6"), SCENE, POSES, {})
    assert np.allclose(ring.mean(axis=0), SCENE.space("6").position)
    assert len(outline(Pick("hand", "left"), SCENE, POSES, {"left": Transform.of((0, 0, 0))})) > 8


@given(st.floats(320, 4000), st.floats(240, 3000))
@settings(max_examples=60, deadline=None)
def test_places_never_overlap(width: float, height: float) -> None:
    at = lay_out((width, height), 38.0, 82.0)
    assert at.left is None or at.left.right <= at.free.x
    assert at.right is None or at.free.right <= at.right.x
    assert at.right is None or at.left is not None
    assert at.free.y >= at.top.bottom
    assert at.bottom is None or at.free.bottom <= at.bottom.y
    assert at.free.width > 0.3 * width


def test_the_windows_own_keys_type_no_character_of_the_key_map() -> None:
    taken = load_key_map().actions
    assert taken.keys().isdisjoint(PERFORM_ACTIONS)
    for key in taken:
        assert perform_action(Key(key.lower(), key)) == ""
    assert perform_action(Key("z", "", control=True)) == "undo"
    assert perform_action(Key("z", "", control=True, shift=True)) == "redo"
    assert play_action(Key("l", "L", shift=True)) == "loop"
    assert play_action(Key("l", "", control=True)) == ""


def test_a_screen_with_many_pixels_has_small_ones() -> None:
    assert _scale_of([(1920, 1080)]) == 1.0
    assert _scale_of([(2560, 1600)]) == 1.5
    assert _scale_of([(3840, 2160)]) == 2.0
    assert _scale_of([]) == 1.0


def test_a_motion_gets_a_name_that_is_free(tmp_path: Path) -> None:
    take = tmp_path / "scene.one.puppet"
    assert free_name(take).name == "scene.one"
    (tmp_path / "scene.one.bvh").touch()
    assert free_name(take).name == "scene.one-2"
    (tmp_path / "scene.one-2.json").touch()
    assert free_name(take).name == "scene.one-3"


def test_any_text_can_be_drawn() -> None:
    paint = Paint()
    paint.begin(200, 40)
    for text in ("", "caf\u00e9 \u4e2d\u6587 \U0001f600", "a\0b", "broken \udcff name", "two\nlines\ttab", "x" * 5000):
        paint.text(text, Box(0, 0, 200, 20))
        assert all(paint.width(line) <= 120 or " " not in line for line in paint.wrapped(text, 120, most=2))
    assert paint.shortened("a long sentence", 40).endswith("...")
    assert paint.width(paint.shortened("a long sentence", 40)) <= 40


# ---- long work


def test_a_worker_gives_its_result_or_raises_its_error() -> None:
    assert BackgroundTask(lambda: 3).result() == 3

    def breaks() -> int:
        raise PuppetError("no")

    with pytest.raises(PuppetError, match="no"):
        BackgroundTask(breaks).result()


def test_the_window_stays_alive_while_something_long_is_prepared() -> None:
    from puppet.window.loop import Loop

    with window((640, 400)) as display:
        go_on = threading.Event()
        follower = PreparingScreen(1.0, BackgroundTask(lambda: 0), lambda found, scale: follower, "after", "")
        worker = BackgroundTask(lambda: go_on.wait(60))
        loop = Loop(display, PreparingScreen(1.0, worker, lambda found, scale: follower, "Preparing", "it takes long"))
        hand = Hand(loop)
        drawn = sum(loop.turn(0.1) for _ in range(10))
        assert drawn > 5  # its bar moves
        hand.key("A")  # and nobody minds
        go_on.set()
        worker.result()
        while not worker.done:
            time.sleep(0.01)
        loop.turn(0.1)
        assert loop.screen is follower
        loop.screen.close()


def test_keys_that_come_while_the_puppet_is_prepared_are_not_lost() -> None:
    with window((640, 400)) as display:
        loop = open_perform(display, "blocks", draft=True)
        hand = Hand(loop)
        hand.key("2")
        hand.key("A")
        while not isinstance(loop.screen, PerformScreen):
            loop.turn(0.0)
            time.sleep(0.01)
        live = loop.screen.live
        assert live.primitives.overlap == "partial"
        assert [task.words for task in live.queue] in (["Reach blue with left hand"], ["Reaching blue with left hand"])
        loop.screen.close()


def test_what_is_wrong_with_a_scene_is_said_after_the_window_has_opened() -> None:
    with window((640, 400)) as display:
        loop = open_perform(display, "no such scene")
        with pytest.raises(PuppetError, match="no such scene"):
            loop.run()


# ---- where no window can open


def test_without_a_screen_the_message_says_what_to_do(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SDL_VIDEODRIVER": "x11", "DISPLAY": ":4711"}
    environment.pop("WAYLAND_DISPLAY", None)
    for words in (["play", "coffee"], ["perform", "blocks", "--record", "take.puppet"]):
        done = subprocess.run(
            [sys.executable, "-m", "puppet", *words], env=environment, cwd=tmp_path, capture_output=True, text=True,
            timeout=120,
        )  # fmt: skip
        assert done.returncode == 1, done.stderr
        assert "no window can be opened here" in done.stderr
        assert "puppet run SCRIPT -o FILE" in done.stderr
        assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="signals are not Windows' way")
def test_a_window_that_is_stopped_leaves_a_whole_take(tmp_path: Path) -> None:
    with window((640, 400)):
        pass  # or skipped
    take = tmp_path / "take.puppet"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SDL_VIDEODRIVER": "offscreen"}
    program = subprocess.Popen(
        [sys.executable, "-m", "puppet", "perform", "blocks", "--draft", "--record", str(take), "--size", "640x400"],
        env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        end = time.monotonic() + 240.0
        while not take.is_file():
            assert program.poll() is None
            assert time.monotonic() < end
            time.sleep(0.1)
        time.sleep(3.0)
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=60)
    finally:
        program.kill()
    assert program.returncode == 130, err
    assert "the take is" in err
    assert 'environment "blocks.yaml"' in take.read_text()


def test_a_window_that_is_stopped_before_anything_is_told_leaves_no_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from puppet.cli import main
    from puppet.cli.commands import perform
    from puppet.shows import Live
    from puppet.window import app

    take = tmp_path / "blocks.puppet"

    def stopped(environment: object, keys: object, record: Path, *_: object) -> None:
        Live("blocks.yaml", take=record).close()
        assert take.is_file()
        raise KeyboardInterrupt

    monkeypatch.setattr(perform, "take_in_data_folder", lambda scene: take)
    monkeypatch.setattr(app, "perform", stopped)
    assert main(["perform", "blocks"]) == 130
    assert not take.exists()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["perform", "blocs"], 1, "blocks"),
        (["perform", "--keys", "nonsense"], 1, "nonsense"),
        (["perform", "--fps", "0"], 2, "from 1 to 240"),
        (["perform", "--record", "take.txt"], 1, ".puppet"),
        (["perform", "--size", "big"], 2, "WIDTHxHEIGHT"),
        (["play", "nothing.bvh"], 1, "nothing.bvh"),
        (["play", "cofee"], 1, "coffee"),
        (["play", "-"], 2, "pipe"),
        (["play", "coffee", "--scale", "90"], 2, "0.5 to 4"),
    ],
)
def test_what_can_be_found_wrong_is_said_before_a_window_opens(
    words: list[str], code: int, told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from puppet.cli import main

    monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    assert main(words) == code
    assert told in capsys.readouterr().err


def test_the_page_about_the_window_tells_every_key() -> None:
    page = (ROOT / "docs" / "window.md").read_text(encoding="utf-8")
    perform, _, play = page.partition("## Play")
    for text, keys in ((perform, (*PERFORM_KEYS, *PERFORM_MOUSE)), (play, PLAY_KEYS)):
        for key, _ in keys:
            assert f"| {key} |" in text, key
    for name in ("window.png", "window_keys.png", "window_play.png"):
        assert name in page
        assert (ROOT / "docs" / name).is_file()


def test_a_performance_that_is_slower_than_time_makes_up_for_little_at_once() -> None:
    """Else each step owes the next one more frames than it had itself, and nobody's hand is heard any more."""
    going, told, stepped = threading.Event(), threading.Event(), []

    class Stage:
        pending = True

    class Slow:
        begun, paused, stage = True, False, Stage()

        def advance(self, seconds: float) -> int:
            stepped.append(seconds)
            told.set()
            going.wait(10.0)
            return 0

    pacer = Pacer(Slow(), patience=0.0)  # type: ignore[arg-type]
    pacer.advance(0.1)
    told.wait(10.0)
    for _ in range(40):
        pacer.advance(0.25)
    going.set()
    pacer.finish()
    pacer.advance(0.03)
    pacer.finish()
    assert stepped == [0.1, MOST_OWED]
