"""Who is interrupted on the way comes to a stand: feet stay where they tread, nothing leaps, the body is balanced."""

from __future__ import annotations

import math

import numpy as np
import pytest

from puppet.body import Body
from puppet.geometry import hull
from puppet.locomotion import mass_centres
from puppet.stage import Stage
from puppet.tasks import AtStance
from puppet.types import Floats
from tests.test_locomotion import MILLIMETRE, contacts, slide

BODY = Body.load("person")
LEAPS = 0.45  # radians a frame, a frame: more than a foot that is set down


def stopped(line: str, at: int, told: str, first: tuple[str, ...] = ()) -> tuple[Stage, Floats]:
    """A stage on which something was told at a frame of a journey, when all has come to rest; and its frames."""
    stage = Stage("hall.yaml", BODY)
    for before in first:
        stage.give(before)
    stage.run_until_idle()
    stage.give(line)
    frames = [stage.frame.angles]
    frames += [stage.step().angles for _ in range(at)]
    stage.give(told)
    while not stage.idle:
        frames.append(stage.step().angles)
    return stage, np.array(frames)


@pytest.mark.parametrize("early", range(3))
def test_who_is_stopped_about_to_set_out_stands(early: int) -> None:
    stage = Stage("hall.yaml", BODY)
    for line in ("take pot with right", "walk to table"):
        stage.give(line)
    while not (stage.running and stage.running[0].sets_out):
        stage.step()
    while stage.frame.number < stage.running[0].sets_out - early:
        stage.step()
    stage.give("freeze")
    for _ in range(4 + early):
        stage.step()
    assert stage.idle
    assert stage.entries[1].status == "cancelled"


def stands_balanced(angles: Floats) -> bool:
    points = contacts(angles[None])[0]
    ground = points[points[:, 1] < MILLIMETRE]
    x, _, z = mass_centres(BODY, angles[None])[0]
    corners = hull((float(a), float(b)) for a, _, b in ground)
    turns = [
        (b[0] - a[0]) * (z - a[1]) - (b[1] - a[1]) * (x - a[0])
        for a, b in zip(corners, (*corners[1:], corners[0]), strict=True)
    ]
    return len(ground) > 8 and (min(turns) > 0.0 or max(turns) < 0.0)  # both feet, and inside


@pytest.mark.parametrize(
    ("line", "at"),
    [("walk to table", at) for at in (5, 40, 57, 75, 87, 100)]
    + [("turn by 170", 36), ("jump to (-1.3, -0.1)", 12), ("crouch", 15)],
)
def test_who_is_stopped_comes_to_a_stand(line: str, at: int) -> None:
    stage, frames = stopped(line, at, "freeze")
    assert stage.entries[0].status == "cancelled"
    stance = stage.scene.stance
    assert stance is not None
    assert stance.stands
    assert math.dist(frames[-1, [0, 2]], stance.place) < 0.01
    assert slide(frames) < MILLIMETRE
    assert contacts(frames)[:, :, 1].min() > -0.05 * MILLIMETRE
    assert stands_balanced(frames[-1])
    assert max(BODY.limit_excess(angles) for angles in frames) < 1e-9
    assert np.abs(np.diff(frames[max(0, at - 2) : at + 8], 2, axis=0)).max() < LEAPS
    assert len(frames) - at < 60  # two steps at most


def test_who_has_pushed_off_jumps() -> None:
    line = "jump to (-1.3, -0.1)"
    _, frames = stopped(line, 30, "freeze")
    _, whole = stopped(line, 0, "wave with left")
    assert len(frames) < len(whole)
    assert np.array_equal(frames, whole[: len(frames)])
    assert stands_balanced(frames[-1])


def test_another_walk_begins_where_the_first_one_was_stopped() -> None:
    stage, frames = stopped("walk to table", 60, "interrupt walk to (-1.2, 0)")
    assert [entry.status for entry in stage.entries] == ["cancelled", "done"]
    assert "come to a stand" in stage.entries[1].waited
    assert math.dist(frames[-1, [0, 2]], (-1.2, 0.0)) < 0.01
    assert slide(frames) < MILLIMETRE


def test_what_is_understood_anew_while_a_body_comes_to_a_stand_begins_there() -> None:
    stage = Stage("hall.yaml", BODY)
    stage.give("walk to (0.3, -0.6)")
    for _ in range(30):
        stage.step()
    stage.give("early: reach pot with right")
    stage.give("interrupt look at pot")
    stage.give("take pot with left, when early ends")  # which it never will
    stage.give("turn by 90")
    while not (turning := [r.motion.goal for r in stage.running if r.motion.task == 4]):
        stage.step()
    turn = turning[0]
    assert stage.entries[3].status == "rejected"
    assert isinstance(turn, AtStance)
    assert turn.before == stage.scene.body_at


def test_who_sits_down_gets_up_again() -> None:
    stage, frames = stopped("sit down", 45, "freeze", ("walk to chair", "turn by 180"))
    stance = stage.scene.stance
    assert stance is not None
    assert stance.stands
    assert stands_balanced(frames[-1])


def test_what_is_held_stays_in_the_hand_of_who_is_stopped() -> None:
    stage, _ = stopped("walk to table", 40, "freeze", ("walk to box", "take box with right"))
    assert stage.frame.holding == {"right": "box"}
    box = stage.frame.objects["box"].position
    assert stage.scene.centre("box") == pytest.approx(box, abs=1e-6)
    assert np.linalg.norm(box - stage.hands["right"].position) < 0.1
    stage.give("put box on space guest")  # too far from there, but known where it is
    stage.run_until_idle()
    assert stage.frame.holding == {"right": "box"} or stage.entries[-1].status in ("done", "adjusted")


def test_a_second_freeze_lets_the_body_come_to_its_stand() -> None:
    stage = Stage("hall.yaml", BODY)
    stage.give("walk to table")
    for _ in range(60):
        stage.step()
    stage.give("freeze")
    stage.step()
    stage.give("freeze")
    stage.run_until_idle()
    assert stands_balanced(stage.frame.angles)
