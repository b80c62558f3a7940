"""Movements of the head: it turns to something, nods, or is shaken. No hand takes part."""

from __future__ import annotations

import math

from puppet.command import LookAt, MoveHead, Spot
from puppet.errors import did_you_mean
from puppet.scene import Position, Scene
from puppet.tasks.locking import primitives_of
from puppet.tasks.motion import AtHeadTurn, AtLook, Motion
from puppet.tasks.outcome import Hands, Outcome, reject
from puppet.tasks.plan import Plan
from puppet.types import Vector

NOD = tuple((0, math.radians(angle)) for angle in (13.0, -13.0, 10.0, -10.0))  # (axis, radians) one after the other
SHAKE = tuple((1, math.radians(angle)) for angle in (20.0, -40.0, 35.0, -15.0))
_PACES = {"look": 0.8, "nod": 0.35, "shake": 0.4}


def move_head(plan: Plan, command: LookAt | MoveHead, task: int, hands: Hands) -> Outcome:
    """The motion of a look, a nod or a shake of the head."""
    kind = command.kind if isinstance(command, MoveHead) else "look"
    target: str | Vector | None = None
    words = {"nod": "Nod", "shake": "Shake the head"}.get(kind, "Look ahead")
    if isinstance(command, LookAt) and command.spot is not None:
        words = f"Look at {spot_words(command.spot)}"
        if spot_place(plan.scene, command.spot) is None and command.spot.kind != "hand":
            return reject(plan, words, unknown_spot(plan.scene, command.spot))
        target = command.spot.point if command.spot.kind == "point" else command.spot.name
    if hands.head is None:
        return reject(plan, words, "this body has no joint that looks")
    primitives = primitives_of(plan, command)
    if isinstance(primitives, str):
        return reject(plan, words, primitives)
    goals: list[AtLook | AtHeadTurn]
    goals = [AtLook(command.spot)] if isinstance(command, LookAt) else []
    goals += [AtHeadTurn(axis, by) for axis, by in {"nod": NOD, "shake": SHAKE}.get(kind, ())]
    motion: Motion | None = None
    for goal in reversed(goals):
        joints = frozenset([hands.head, *(hands.eyes if isinstance(goal, AtLook) else ())])
        motion = Motion(
            task, hands.names[0], goal, {}, joints, primitives.frames, primitives.curve, "partial",
            plan.scene, looks=False, alone=True, pace=_PACES[kind], couple=motion, head=True, interpretation=words,
            source=command.source,
        )  # fmt: skip
    return Outcome(plan, motion, words, target=target)


def spot_words(spot: Spot) -> str:
    if spot.kind == "point":
        return f"({', '.join(f'{value:g}' for value in spot.point)})"
    return {"space": f"space {spot.name}", "hand": f"the {spot.name} hand"}.get(spot.kind, spot.name)


def spot_place(scene: Scene, spot: Spot) -> Position | None:
    """Where what is looked or pointed at is; None for a hand, and where it is not known."""
    if spot.kind == "point":
        return spot.point
    if spot.kind == "name" and any(entry.name == spot.name for entry in scene.objects):
        return scene.centre(spot.name)
    if spot.kind in ("name", "space") and any(space.name == spot.name for space in scene.spaces):
        top = scene.topmost(spot.name)
        return scene.space(spot.name).position if top is None else scene.centre(top)
    return None


def unknown_spot(scene: Scene, spot: Spot) -> str:
    names = [entry.name for entry in scene.objects] if spot.kind == "name" else []
    names += [space.name for space in scene.spaces if space.name]
    return f"unknown {'thing' if spot.kind == 'name' else 'space'} '{spot.name}'; {did_you_mean(spot.name, names)}"
