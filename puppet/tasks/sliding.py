"""Slides: a hand moves relative to where it is, with what it holds or what lies in it."""

from __future__ import annotations

import numpy as np

from puppet.command import (
    GRIPS,
    Slide,
)
from puppet.errors import did_you_mean
from puppet.geometry import Transform
from puppet.scene import Position, Scene, as_position
from puppet.tasks import grip
from puppet.tasks.motion import (
    AtObject,
    Carry,
    Change,
    Goal,
    Placed,
    SpaceSet,
)
from puppet.tasks.outcome import Outcome, reject
from puppet.tasks.plan import at_transform, wanted_transform
from puppet.tasks.task_context import TaskContext

_LEVEL_TURN = np.radians(1.0)  # a hand that turns by less than this keeps its object level


def interpret_slide(context: TaskContext, command: Slide) -> Outcome:
    """A hand moves relative to where it is, with what it holds or what lies in it (Table 6.9, Figure 6.7)."""
    plan, scene, hand = context.plan, context.plan.scene, command.hand
    grasped, in_palm = plan.grasped(hand), plan.in_palm(hand)
    words = f"Slide {grasped}" if grasped else f"Slide {hand} hand"
    if not (len(command.by) == 3 and all(np.isfinite(v) and abs(v) < 100.0 for v in command.by)):
        return reject(plan, words, f"a slide goes by three numbers of less than 100, not {command.by}")
    if isinstance(command.turn, str) and command.turn not in GRIPS:
        return reject(plan, words, f"unknown turn '{command.turn}'; {did_you_mean(command.turn, GRIPS)}")
    here = plan.hands[hand].transform
    if grasped is not None and (plan.hands[hand].away or plan.hands[hand].goal != plan.locks[hand].goal):
        # it goes back to the object, then slides
        at = wanted_transform(scene, context.hands.body, context.hands.limb(hand), plan.locks[hand].goal)
        assert at is not None
        here = context.hands.clear(hand, at)
    rotation = here.rotation
    if isinstance(command.turn, str):
        rotation = grip.grip_rotation(context.hands.limb(hand), command.turn)
    elif command.turn is not None:
        x, y, z = command.turn
        if not all(np.isfinite(v) for v in command.turn):
            return reject(plan, words, f"a turn is three angles in degrees, not {command.turn}")
        rotation = grip.hand_rotation(context.hands.limb(hand), (z, y, x))
    asked = Transform.of(here.position + np.array(command.by), rotation)
    wanted = context.hands.clear(hand, asked)
    carried = scene.tower(grasped) if grasped else in_palm
    settles = bool(Transform.of((0, 0, 0), rotation).angle(here) < _LEVEL_TURN)
    base: Position | None = None
    if grasped is not None:
        low = _base_of(scene, grasped, here, wanted)
        wanted = wanted.moved((0.0, out_of_table(scene, low)[1] - low[1], 0.0))
    elif in_palm:
        low = as_position(wanted.position)
        wanted = wanted.moved((0.0, out_of_table(scene, low)[1] - low[1], 0.0))
    reason = "raised out of the table" if wanted.position[1] > asked.position[1] + 1e-9 else ""
    reached, miss = context.hands.reach(hand, wanted)
    changes: list[Change] = [SpaceSet(hand, as_position(reached.position))]
    if grasped is not None:
        base = out_of_table(scene, _base_of(scene, grasped, here, reached))
        changes.append(Placed(grasped, base))
    goal = at_transform(wanted)
    carry = Carry(carried, settles or grasped is None, palm=grasped is None) if carried else None
    last: Goal = goal
    if grasped is not None:
        held = plan.locks[hand].goal
        assert isinstance(held, AtObject)
        last = held
    return context.outcome(
        words, goal, reached, miss, context.hands.critical(hand), tuple(changes), carry, reason, last, slides=True
    )


def _base_of(scene: Scene, grasped: str, here: Transform, there: Transform) -> Position:
    """The base of a grasped object when its hand has gone from one transform to another."""
    width = scene.object(grasped).width
    centre = there.compose(here.relative(Transform.of(scene.centre(grasped)))).position
    return as_position(centre - (0.0, width, 0.0))


def out_of_table(scene: Scene, base: Position) -> Position:
    """A base, raised to the top of the table if it is inside the table."""
    x, y, z = base
    inside = z > scene.table.front and y < scene.table.height
    return (x, scene.table.height, z) if inside else base
