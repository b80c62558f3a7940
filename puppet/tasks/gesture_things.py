"""The things that gestures are about: what the hand holds, and what the gesture is done to."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from puppet.errors import did_you_mean
from puppet.scene import Position, Scene
from puppet.tasks.gesture import Gesture, Need


def named_things(gesture: Gesture, things: tuple[tuple[str, str], ...], scene: Scene) -> Mapping[str, str] | str:
    """The things that a command names, by what they are to the gesture (held, goal), or what is wrong with them."""
    found: dict[str, str] = {}
    roles = {need.word: role for role, need in (("held", gesture.held), ("goal", gesture.goal)) if need is not None}
    for word, name in things:
        if word not in roles:
            return f"'{gesture.name}' takes no thing with the word '{word}'; it takes {', '.join(map(repr, roles))}"
        known = [entry.name for entry in scene.objects]
        if name not in known:
            return f"unknown object '{name}'; {did_you_mean(name, known)}"
        found[roles[word]] = name
    return found


def hand_problem(gesture: Gesture, hand: str, grasped: str | None, wanted: str | None = None) -> str:
    """Why a hand cannot do a gesture with what it holds, or without; "" if it can. `wanted`: what it shall hold."""
    if gesture.empty and grasped is not None:
        return f"'{gesture.name}' needs an empty hand, and the {hand} hand holds '{grasped}'"
    if gesture.held is None:
        return ""
    if grasped is None:
        what = f"'{wanted}'" if wanted else "something"
        return f"'{gesture.name}' needs {what} in the hand, and the {hand} hand holds nothing; take it first"
    if wanted is not None and wanted != grasped:
        return f"the {hand} hand holds '{grasped}', not '{wanted}'"
    return ""


def suited_things(need: Need, gesture: Gesture, scene: Scene) -> tuple[str, ...]:
    """The things that a gesture can be done to: those that its own name ends in, or else those of a shape that it asks
    for."""
    named = tuple(entry.name for entry in scene.objects if gesture.name.endswith(f" {entry.name}"))
    return named or tuple(entry.name for entry in scene.objects if entry.shape in need.shapes)


def find_goal(need: Need, gesture: Gesture, scene: Scene, grasped: str | None, near: Position) -> str | None:
    """The nearest thing that a gesture can be done to, where no name is told: not what is held, nor what something
    stands on. None where there is none."""
    held = scene.tower(grasped) if grasped is not None else ()
    suited = (name for name in suited_things(need, gesture, scene) if name not in held and scene.above(name) is None)
    here = np.array(near)
    return min(suited, key=lambda name: float(np.linalg.norm(np.array(scene.centre(name)) - here)), default=None)


def no_goal(need: Need, gesture: Gesture, held: str | None = None) -> str:
    """The reason where a gesture finds nothing to be done to; `held`: the only such thing, which the hand holds."""
    besides = f"besides '{held}' in the hand itself" if held is not None else "here"
    return f"'{gesture.name}' needs a {' or '.join(need.shapes) or 'thing'}, and there is none {besides}"


def one_hand(gesture: Gesture) -> str:
    """The reason where a gesture with something in the hand is told to both."""
    return f"'{gesture.name}' is done with the hand that holds the thing; name one hand"
