"""Random bodies: the seated puppet with other lengths, limits and limbs; some of their joints are stiff."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
import yaml

from puppet.body import Body
from puppet.body.body_file import read_body
from puppet.files import shipped, strict_yaml

LIMBS = ("left", "right")


@cache
def _seated() -> dict[str, Any]:
    return yaml.safe_load((shipped.folder("bodies") / "seated.yaml").read_text(encoding="utf-8"))


def random_body(seed: int) -> Body:
    """A body that a person might write, or mistype; the same for the same seed."""
    return read_body(strict_yaml.parse(random_body_text(seed), f"body {seed}"))


def random_body_text(seed: int) -> str:
    """The YAML text of that body."""
    random = np.random.default_rng(seed)
    body = deepcopy(_seated())
    body["name"] = f"body {seed}"
    for name in ("groups", "places", "rest"):  # they name joints and angles that may be gone
        del body[name]
    if random.random() < 0.2:
        _remove_limb(body, LIMBS[random.integers(2)])
    if random.random() < 0.15:
        count = int(random.integers(1, 3))
        for limb in body["limbs"].values():  # alike, because they mirror each other
            _shorten_limb(body["joints"], limb["joints"], count)
    if random.random() < 0.15:
        for limb in body["limbs"].values():
            limb["trunk"] = limb["trunk"][int(random.integers(1, 3)) :]
    stiffness = random.choice([0.0, 0.1, 0.3])
    for joint in body["joints"].values():
        _change_rotations(joint, stiffness, random)
    _change_lengths(body["joints"], random)
    return yaml.safe_dump(body, sort_keys=False)


def _remove_limb(body: dict[str, Any], name: str) -> None:
    for joint in body["limbs"].pop(name)["joints"]:
        del body["joints"][joint]


def _shorten_limb(joints: dict[str, Any], limb: list[str], count: int) -> None:
    """Takes the hand, or forearm and hand, off a limb: what is left is no arm in closed form."""
    for _ in range(count):
        tip = joints.pop(limb.pop())["tip"]
        joints[limb[-1]]["tip"] = tip


def _change_rotations(joint: dict[str, Any], stiffness: float, random: np.random.Generator) -> None:
    """Narrower limits, some of no width; in some joints another order of axes, or fewer."""
    rotations = joint["rotations"]
    if random.random() < 0.1:
        random.shuffle(rotations)
    if random.random() < 0.1:
        del rotations[int(random.integers(0, 3)) :]
    for rotation in rotations:
        low, high = rotation["limits"]
        if random.random() < stiffness:
            low = high = 0
        elif random.random() < 0.3:
            low, high = (round(float(limit * random.random()), 1) for limit in (low, high))
        elif random.random() < 0.05:
            low, high = -1e-9, 1e-9
        rotation["limits"] = [low, high]
        rotation.pop("comfort", None)
    limits = {rotation["axis"]: rotation["limits"] for rotation in rotations}
    for rotation in rotations:
        widens = rotation.pop("widens", {"with": "", "towards": ""})
        if limits.keys() >= set(widens.values()):
            (low, high), (wide_low, wide_high) = rotation["limits"], limits[widens["towards"]]
            if wide_low <= low and wide_high >= high:
                rotation["widens"] = widens


def _change_lengths(joints: dict[str, Any], random: np.random.Generator) -> None:
    """Stretches every bone by a factor of its own; a few have no length at all."""
    old = {name: np.array(joint["centre"]) for name, joint in joints.items()}
    wild = random.choice([0.0, 0.3, 1.0])
    for joint in joints.values():
        factor = float(np.exp(wild * random.normal())) if random.random() > 0.02 else 0.0
        parent = joint.get("parent")
        if parent is not None:
            offset = factor * (np.array(joint["centre"]) - old[parent])
            joint["centre"] = [round(float(x), 6) for x in joints[parent]["centre"] + offset]
        if "tip" in joint:
            joint["tip"] = [round(float(factor * x), 6) for x in joint["tip"]]
