"""Posing the whole body in the window: parts are picked, pinned and pulled; what is drawn over the picture is true."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import puppet
from puppet.body import Body, joint_transforms, local_rotations
from puppet.command import Drag, Pin, Push, Unpin
from puppet.shows import Live
from puppet.window.body_picking import BodyPicker
from puppet.window.box import WARN
from puppet.window.event import Move
from puppet.window.perform_screen import PerformScreen
from puppet.window.posing import CONE_COLOR, SAFE
from puppet.window.range_cone import RangeCones
from tests.windows import Hand, given, performing, window

PERSON = Body.load("person")
Pair = tuple[Hand, PerformScreen]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with window((960, 560)) as display:
        live = Live("blocks", body=PERSON, take=tmp_path_factory.mktemp("take") / "take.puppet")
        with performing(display, live) as pair:
            pair[0].key(name="f6")  # from the side: no thing is before the body
            yield pair


@pytest.fixture
def person(opened: Pair) -> Iterator[Pair]:
    """The window as it was when it was opened."""
    yield opened
    hand, screen = opened
    while screen.live.can_undo:
        screen.live.undo()
    screen.view.choose("side")
    if not screen._shown["body"]:
        screen.do("body")
    hand.move(5.0, 5.0)


def seen(screen: PerformScreen, part: str, point: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> tuple[float, float]:
    """Where a point of a part is in the window, in whole pixels."""
    joint = screen.live.joint_transforms[PERSON.joint(part)]
    x, y, _ = screen.view.project(joint[:3] + joint[3:].reshape(3, 3) @ np.array(point))
    return float(round(x)), float(round(y))


def pull(hand: Hand, start: tuple[float, float], by: tuple[float, float], frames: int = 12, up: bool = True) -> None:
    """The pointer takes hold of something and moves, a little in each frame."""
    hand.move(*start)
    hand.down(*start)
    move(hand, start, (start[0] + by[0], start[1] + by[1]), frames)
    if up:
        hand.up(start[0] + by[0], start[1] + by[1])


def move(hand: Hand, start: tuple[float, float], end: tuple[float, float], frames: int) -> None:
    """The pointer moves, and only the last of the frames is drawn."""
    for n in range(1, frames + 1):
        x, y = (a + n / frames * (b - a) for a, b in zip(start, end, strict=True))
        hand.loop.screen.take(Move(x, y))
        hand.loop.screen.advance(1 / 30)
    hand.turn()


HEAD, CHEST = (0.0, 0.05, 0.0), (0.0, 0.08, 0.0)


# ---- two ways to use the pointer (first: there is one window at a time)


def test_who_names_no_body_reaches_for_things_and_can_turn_posing_on() -> None:
    with window((960, 560)) as display, performing(display, Live("blocks")) as (hand, screen):
        assert screen.live.body is PERSON
        hand.key(name="f7")  # from above: no thing is before a hand
        hand.move(*seen(screen, "left_hand", (0.1, 0.0, 0.0)))
        assert screen.posing.hit is None
        assert screen.aiming.target is not None
        assert (screen.aiming.target.kind, screen.aiming.target.name) == ("hand", "left")
        hand.click(*seen(screen, "head", HEAD))
        assert not given(screen)
        hand.press("toolbar", "body")  # as F9 does
        hand.click(*seen(screen, "head", HEAD))
        hand.wait(0.1)
        assert [type(command) for command in given(screen)] == [Pin]
        x, y, _ = screen.view.project(np.array(screen.live.scene.centre("yellow")))
        hand.move(float(x), float(y))  # things are reached for in both
        assert screen.aiming.target is not None
        assert screen.aiming.target.name == "yellow"
        hand.key(name="f9")
        hand.move(*seen(screen, "head", HEAD))
        assert screen.posing.hit is None


# ---- picking


def test_a_ray_hits_the_surface_that_is_nearest_and_no_other() -> None:
    rng = np.random.default_rng(7)
    picker, joints = BodyPicker(PERSON), joint_transforms(PERSON, PERSON.rest)
    every = np.concatenate([picker.outermost(j, joints) for j in range(len(PERSON.joints))])
    hits = 0
    for _ in range(40):
        eye = np.array([0.0, 0.6, 0.0]) + 3.0 * _unit(rng.normal(size=3))
        way = _unit(every[rng.integers(len(every))] * 0.98 + np.array([0.0, 0.01, 0.0]) - eye)
        hit = picker.pick(eye, way, joints)
        if hit is None:
            continue
        hits += 1
        row = joints[hit.joint]
        world = row[:3] + row[3:].reshape(3, 3) @ hit.point
        assert world == pytest.approx(eye + hit.distance * way, abs=1e-9)
        assert picker.pick(world - 1e-6 * way, way, joints).distance == pytest.approx(1e-6, abs=1e-9)  # type: ignore[union-attr]
        assert picker.pick(eye, -way, joints) is None
    assert hits > 20


def test_the_part_under_the_pointer_is_named(person: Pair) -> None:
    hand, screen = person
    for part, point in {"head": HEAD, "left_hand": (0.04, 0.0, 0.0), "left_knee": (0.0, -0.1, 0.0)}.items():
        hand.move(*seen(screen, part, point))
        assert screen.posing.hit is not None
        assert PERSON.joint_names[screen.posing.hit.joint] == part
        hand.turn()
        assert part.replace("_", " ") in screen.posing._panels._tip.words
    hand.move(*[0.5 * size for size in (400, 200)])
    assert screen.posing.hit is None


# ---- pins


def test_a_click_pins_a_part_and_another_one_lets_it_go(person: Pair) -> None:
    hand, screen = person
    before = [*screen.live.pins]
    hand.click(*seen(screen, "head", HEAD))
    hand.wait(0.1)
    assert [*screen.live.pins] == [*before, "head"]
    hand.click(*seen(screen, "head", HEAD))
    hand.wait(0.1)
    assert [*screen.live.pins] == before
    assert [type(command) for command in given(screen)] == [Pin, Unpin]
    hand.key(name="z", text="\x1a", control=True)
    assert "head" in screen.live.pins


def test_a_gain_is_set_by_its_slider_and_the_pin_stays_where_it_was(person: Pair) -> None:
    hand, screen = person
    old = screen.live.pins["left_foot"]
    x, y, width, height = hand.zone("pins", "gain left_foot")
    hand.drag((x + width - 6.0, y + 0.5 * height), (x + 0.5 * width, y + 0.5 * height))
    hand.wait(0.1)
    new = screen.live.pins["left_foot"]
    assert new.gain == pytest.approx(0.5, abs=0.05)
    assert new.at.position == pytest.approx(old.at.position, abs=1e-5)
    assert new.at.angle(old.at) < 1e-6
    hand.press("toolbar", "undo")
    assert screen.live.pins["left_foot"].gain == 1.0
    hand.press("pins", "unpin left_foot")
    hand.wait(0.1)
    assert "left_foot" not in screen.live.pins


# ---- drags


def test_a_part_follows_the_pointer_and_pins_hold(person: Pair) -> None:
    hand, screen = person
    live = screen.live
    start = seen(screen, "head", HEAD)
    feet = [PERSON.joint(name) for name in ("left_foot", "right_foot", "pelvis")]
    before = live.joint_transforms[feet]
    pull(hand, start, (25.0, 12.0), up=False)
    hand.wait(0.5)
    held = screen.posing._held
    assert held is not None
    end = seen(screen, "head", tuple(held.hit.point))  # type: ignore[arg-type]
    assert end == pytest.approx((start[0] + 25.0, start[1] + 12.0), abs=1.0)
    assert live.joint_transforms[feet] == pytest.approx(before, abs=1e-4)
    assert live.message == "Dragging head"
    hand.up(*end)
    assert screen.posing._held is None
    number = live.frame.number
    rest = live.frame.angles
    hand.wait(0.5)
    assert live.frame.number == number + 15
    assert np.array_equal(live.frame.angles, rest)


def test_each_frame_of_a_drag_is_a_command_and_the_take_replays_to_the_last_bit(person: Pair, tmp_path: Path) -> None:
    hand, screen = person
    live = screen.live
    hand.click(*seen(screen, "pelvis", (0.0, 0.03, 0.0)))  # it may stand up
    hand.wait(0.1)
    pull(hand, seen(screen, "head", HEAD), (40.0, -30.0), 20)
    pull(hand, seen(screen, "left_knee", (0.0, -0.05, 0.0)), (15.0, -10.0), 10)
    drags = [entry for entry in live.take.given if isinstance(entry.command, Drag)]
    frames = [entry.frame for entry in drags]
    assert len(drags) >= 28
    assert len(set(frames)) == len(frames)
    assert {entry.command.part for entry in drags} == {"head", "left_knee"}  # type: ignore[attr-defined]
    assert all(entry.command.speed == 1 for entry in drags)  # type: ignore[attr-defined]
    last, number = live.frame.angles, live.frame.number
    ours = live.performance()
    assert live.take.path is not None
    text = live.take.path.read_text()  # it is on disk all the time
    again = puppet.run(f"{text}at {number}\n")
    assert np.array_equal(again.angles[number], last)
    ours.save(tmp_path / "ours.bvh")
    again.save(tmp_path / "again.bvh")
    assert (tmp_path / "ours.bvh").read_bytes() == (tmp_path / "again.bvh").read_bytes()
    assert max(PERSON.limit_excess(angles) for angles in again.angles) < 1e-6


def test_who_lets_go_is_heard_where_each_frame_takes_long(person: Pair) -> None:
    """A drag has something to do in every frame: what was done meanwhile is taken between two of them."""
    hand, screen = person
    before, screen.pace.patience = screen.pace.patience, 0.0
    try:
        pull(hand, seen(screen, "head", HEAD), (40.0, -30.0), 10)
        for _ in range(300):
            if not screen.posing.busy:
                break
            time.sleep(0.01)
            screen.advance(1 / 30)
        assert not screen.posing.busy
    finally:
        screen.pace.finish()
        screen.pace.patience = before


def test_a_drag_is_taken_back_as_a_whole_and_done_again(person: Pair) -> None:
    hand, screen = person
    live = screen.live
    before = live.frame.angles
    pull(hand, seen(screen, "chest", CHEST), (20.0, 0.0))
    moved, number = live.frame.angles, live.frame.number
    assert not np.array_equal(moved, before)
    hand.key(name="z", text="\x1a", control=True)
    assert np.array_equal(live.frame.angles, before)
    assert not given(screen)
    hand.key(name="y", text="\x19", control=True)
    assert live.frame.number == number
    assert np.array_equal(live.frame.angles, moved)


def test_what_is_pinned_is_not_dragged_and_a_message_says_so(person: Pair) -> None:
    hand, screen = person
    hand.click(*seen(screen, "head", HEAD))
    hand.wait(0.1)
    before = screen.live.frame.angles
    pull(hand, seen(screen, "head", HEAD), (20.0, 0.0))
    assert np.array_equal(screen.live.frame.angles, before)
    assert screen._words() == ("Drag head: the head is pinned; unpin it first", True)


def test_a_place_that_cannot_be_had_is_missed_and_the_body_comes_back(person: Pair) -> None:
    """The neck beyond its range and back, as in Figure 7 of Yamane and Nakamura (2003)."""
    hand, screen = person
    live = screen.live
    hand.click(*seen(screen, "chest", CHEST))
    hand.wait(0.1)
    start = seen(screen, "head", HEAD)
    before = live.frame.angles
    pull(hand, start, (150.0, 0.0), 20, up=False)
    cones = RangeCones(PERSON)
    assert any(cones.at_edge(PERSON.joint(name), live.frame.angles) for name in ("neck", "head"))
    assert any(mark.color[:3] == WARN[:3] for mark in screen.posing._drawn(live.joint_transforms))
    move(hand, (start[0] + 150.0, start[1]), start, 20)
    hand.wait(4.0)
    assert live.frame.angles == pytest.approx(before, abs=1e-3)
    hand.move(start[0] + 400.0, start[1])
    hand.wait(0.3)
    hand.up(start[0] + 400.0, start[1])
    assert screen.live.problem
    assert "out of reach by" in screen.live.message


def test_without_posing_the_pointer_turns_the_view(person: Pair) -> None:
    hand, screen = person
    hand.key(name="f9")
    camera = screen.view.camera
    start = seen(screen, "head", HEAD)
    hand.drag(start, (start[0] + 40.0, start[1]))
    assert screen.view.camera != camera
    assert not given(screen)
    hand.press("toolbar", "body")
    assert screen._shown["body"]


# ---- what is drawn


def test_the_cone_of_a_range_runs_along_its_boundary() -> None:
    cones, joints = RangeCones(PERSON), joint_transforms(PERSON, PERSON.rest)
    for j in cones.joints:
        cone, joint = cones.cone(j, PERSON.rest, joints), PERSON.joints[j]
        lengths = np.linalg.norm(cone.rim - cone.apex, axis=1)
        assert lengths == pytest.approx(np.full(len(lengths), np.linalg.norm(cone.bone - cone.apex)), abs=1e-9)
        if joint.range is None:
            continue
        outer = joints[joint.parent, 3:].reshape(3, 3)
        bone = joint.range.sign * np.eye(3)[joint.range.axis]
        for direction in (cone.rim - cone.apex) @ outer / lengths[:, None]:
            axis = np.cross(bone, direction)  # the swing that brings the bone there, about an axis across it
            swing = np.delete(axis, joint.range.axis) / np.sqrt(2.0 * (1.0 + bone @ direction))
            planes = joint.range.half_planes
            assert (planes[:, :2] @ swing - planes[:, 2]).max() == pytest.approx(0.0, abs=1e-9)


def test_a_joint_is_at_its_edge_where_a_little_more_would_be_too_much() -> None:
    cones, angles = RangeCones(PERSON), PERSON.rest.copy()
    neck = PERSON.joint("neck")
    allowed, dofs = PERSON.joints[neck].range, list(PERSON.rotation_dofs[neck])
    assert allowed is not None
    edges = []
    for degrees in range(40):
        angles[dofs[0]] = np.radians(degrees)
        edges.append(cones.at_edge(neck, angles))
        more = angles.copy()
        more[dofs[0]] += np.radians(1.1)
        outside = allowed.excess(local_rotations(PERSON, neck, more[None])[0]) > 0.0
        assert edges[-1] == outside or abs(degrees - 27) <= 1
    assert not edges[0]
    assert edges[-1]


def test_the_centre_of_mass_is_green_over_the_feet_and_red_beside_them(person: Pair) -> None:
    hand, screen = person
    live = screen.live
    live.give("unpin pelvis")
    hand.wait(0.1)
    figure = puppet.Figure(PERSON, live.frame.angles)
    assert live.mass_centre == pytest.approx(figure.centre_of_mass, abs=1e-9)
    colors = {mark.color[:3] for mark in screen.posing._weight()}
    assert WARN[:3] in colors  # it sat, with its weight behind its feet
    live.give("drag pelvis by (0, 0.2, 0.2), speed 60")
    hand.wait(2.5)
    assert SAFE[:3] in {mark.color[:3] for mark in screen.posing._weight()}
    hand.move(*seen(screen, "left_shoulder", (0.08, 0.0, 0.0)))
    hand.turn()
    assert CONE_COLOR[:3] in {mark.color[:3] for mark in screen.posing._drawn(live.joint_transforms)}
    plain = hand.look()
    hand.key(name="f9")
    assert (np.abs(hand.look().astype(int) - plain).max(axis=2) > 30).sum() > 300


def _unit(vector: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    return np.asarray(vector / np.linalg.norm(vector))


def test_with_physics_the_mouse_pushes_who_is_not_posed() -> None:
    """`puppet perform hall`, F10: a drag of the body turned the view where F9 was not pressed, too."""
    with window((960, 560)) as display, performing(display, Live("hall")) as (hand, screen):
        hand.key(name="f6")
        hand.key(name="f10")
        hand.wait(0.2)
        x, y = seen(screen, "chest")
        hand.move(x, y)
        hand.click(x, y)
        pull(hand, (x, y), (60.0, 0.0))
        assert [type(command).__name__ for command in given(screen)][1:] == ["Push"]


def test_who_is_pushed_with_the_mouse_gives_way_and_forces_are_seen() -> None:
    """F10, F11, and a drag of the chest: what the window shows is what the filter finds."""
    with window((960, 560)) as display, performing(display, Live("hall", body=PERSON)) as (hand, screen):
        hand.key(name="f6")
        hand.key(name="f10")
        hand.wait(0.5)
        assert screen.live.physics
        without = hand.look().astype(int)
        hand.key(name="f11")
        with_forces = hand.look().astype(int)
        red = [(p[:, :, 0] > 150) & (p[:, :, 1] < 90) & (p[:, :, 2] < 90) for p in (without, with_forces)]
        assert red[1].sum() > red[0].sum() + 40  # arrows
        _, forces = screen.live.acting
        assert forces[:, 1].sum() == pytest.approx(1.0, abs=0.02)  # the weight
        chest = PERSON.joint("chest")
        before = screen.live.joint_transforms[chest, :3].copy()
        x, y = seen(screen, "chest")
        pull(hand, (x, y), (60.0, 0.0))
        assert any(isinstance(command, Push) for command in given(screen))
        moved = []
        for _ in range(40):
            hand.wait(1 / 30)
            moved.append(np.linalg.norm(screen.live.joint_transforms[chest, :3] - before))
        assert max(moved) > 0.005
        assert moved[-1] < 0.5 * max(moved)  # it comes back
