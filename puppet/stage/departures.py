"""How a body sets out: straight first, or at once from another journey whose feet stand, or after it has come to rest
from that, where an arm would have too far to go."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body
from puppet.motion import seen_leaps
from puppet.stage.journey import Journey, seen_from_here, seen_from_home
from puppet.stage.state import State
from puppet.stage.straightening import straightened, taken_up
from puppet.stage.travelling import overtaken, travel_frames
from puppet.types import Floats


@dataclass(frozen=True, eq=False)
class Departure:
    """The frames of a body that sets out."""

    journey: Journey  # as it begins where those before it end
    before: Floats  # (n, dofs), in which the body comes to rest, and straightens
    course: Floats  # (frames, dofs), of the journey itself
    missed: float  # by how much that is missed

    @property
    def postures(self) -> Floats:
        return np.concatenate([self.before, self.course])


def departure(body: Body, state: State, journey: Journey, speed: int | None, rises: bool) -> Departure:
    """How a body sets out on a journey that begins as it is now. rises: legs that helped a hand have risen from the
    crouch that it is told to stand up from, so that it only straightens, if it has to."""
    here, rest = state.angles, _resting(body, state, journey.start)
    if rest is not None:
        flows = replace(journey.begun_at(body, rest[-1]), flows=True)  # as if it had come to rest, and at once
        course, missed = overtaken(body, flows, speed, 0, None, here, state.before, flows.start)
        if not len(seen_leaps(body, state.before, np.concatenate([here[None], course]))):
            return Departure(flows, course[:0], course, missed)
        rested = journey.begun_at(body, rest[-1])  # an arm has too far to go for that
        found = _from(body, rested, speed, straightened(body, rested))
        found = replace(found, before=np.concatenate([rest, found.before]))
    elif rises:
        stays = replace(journey, goal=replace(journey.goal, before=journey.goal.after))
        straight = straightened(body, stays)
        only = Departure(journey, straight[:0], straight, 0.0)
        found = only if len(straight) else _from(body, journey, speed, straight)
    else:
        found = _from(body, journey, speed, straightened(body, journey))
    frames, count = seen_from_here(body, here, journey.start, found.postures), len(found.before)
    return replace(found, before=frames[:count], course=frames[count:])


def _from(body: Body, journey: Journey, speed: int | None, straight: Floats) -> Departure:
    """A journey that begins when its body is straight."""
    begins = journey.begun_at(body, straight[-1]) if len(straight) else journey
    course, missed = travel_frames(body, begins, speed)
    comes, course = taken_up(body, begins.start, course, journey.fps)
    return Departure(begins, np.concatenate([straight, comes]), course, missed)


def _resting(body: Body, state: State, like: Floats) -> Floats | None:
    """The frames (n, dofs) in which a body comes to rest that still moves from another journey; None where it does not,
    or moves because something else was dropped. like: a posture whose angles those of ball joints follow."""
    ways = (t for t in state.trajectories if 0 in t.dofs and t.end > state.frame)
    way = next((t for t in ways if t.start == state.resting), None)
    if way is None:
        return None
    found = np.tile(state.angles, (way.end - state.frame, 1))
    found[:, way.dofs] = way.angles[state.frame - way.start :]
    return np.stack([seen_from_home(body, posture, like) for posture in found])
