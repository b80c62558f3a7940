"""A person in a room: what is told to it, and what its hands and its trunk do."""

from __future__ import annotations

import math

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.files import strict_yaml
from puppet.scene import Scene, read_environment
from puppet.stage import Stage
from puppet.types import Floats
from tests.test_locomotion import MILLIMETRE

BODY = Body.load("person")


def told(*lines: str, environment: str | Scene = "hall.yaml", body: Body = BODY) -> tuple[Stage, Floats]:
    stage = Stage(environment, body)
    for line in lines:
        stage.give(line)
    frames = [stage.frame.angles]
    while not stage.idle:
        frames.append(stage.step().angles)
    return stage, np.array(frames)


def keep_hold(frames: Floats) -> bool:
    """Whether the hands stay within a millimetre and a degree of each other, as on something that both hold."""
    each = [hand_transforms(BODY, angles) for angles in frames]
    apart = [hands["right"].relative(hands["left"]) for hands in each]
    return max(apart[0].distance(now) for now in apart) < MILLIMETRE and max(
        apart[0].angle(now) for now in apart
    ) < math.radians(1.0)


def lean(angles: Floats) -> float:
    """How far the trunk leans in a posture, in degrees: the line from the hips to the neck, from the vertical."""
    rows = joint_transforms(BODY, angles)
    way = rows[BODY.joint("neck"), :3] - rows[BODY.joint("pelvis"), :3]
    return math.degrees(math.acos(float(way[1] / np.linalg.norm(way))))


def at_a_table(room: float, height: float, seat: float, more: str = "") -> Scene:
    """A chair whose middle is that far from a table, and somebody who stands aside."""
    text = (
        "floor: 0\nstart: {place: [-1.1, -0.6], turn: 60}\nspaces: {}\n"
        f"tables: {{table: {{place: [0, 0.45], size: [0.8, 0.44], height: {height}}}{more}}}\n"
        f"seats: {{chair: {{place: [0, {0.23 - room:g}], height: {seat}}}}}\n"
    )
    return read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)
