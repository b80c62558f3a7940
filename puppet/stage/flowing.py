"""Who goes on somewhere else does not come to rest first: a journey whose feet stand ends where another one waits."""

from __future__ import annotations

from dataclasses import replace

from puppet.stage.state import Running, State
from puppet.tasks import AtStance, Motion

_FLOWS_INTO = ("walk", "turn", "step", "sit", "crouch")


def gone_on(state: State) -> State:
    """The state in which a journey that only comes to rest ends in this frame, if the next one begins then."""
    bodies = [r for r in state.running if not r.motion.head]
    if len(bodies) != 1 or state.held:
        return state
    (running,) = bodies
    if running.rests is None or running.end is None:
        return state
    if running.halts is not None or not running.rests <= state.frame < running.end:
        return state
    follows = running.motion.couple or state.queue.first
    if follows is None or not _flows(running, follows):
        return state
    place = state.running.index(running)
    ends = replace(running, end=state.frame)
    way = next((t.start for t in state.trajectories if 0 in t.dofs), None)
    return replace(state, running=(*state.running[:place], ends, *state.running[place + 1 :]), resting=way)


def _flows(running: Running, follows: Motion) -> bool:
    """Whether a journey begins from another one that comes to rest."""
    goal, before = follows.goal, running.motion.goal
    assert isinstance(before, AtStance)
    if not isinstance(goal, AtStance) or follows.when is not None or follows.until is not None:
        return False
    narrow = goal.sidles_out  # between a seat and a table there is no room to sway
    return goal.verb in _FLOWS_INTO and not narrow and before.after.stands and goal.before == before.after
