"""A body that was going somewhere when everything was dropped comes to a stand: nobody stops in mid-step or in mid-air.

Who walks sets down the foot that is in the air and the other one beside it; who sits down or crouches comes up again;
who has pushed off jumps, and lands; who swings lets go after the swing that has begun."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body
from puppet.locomotion import (
    landings,
    last_steps,
    measured,
    moved_by,
    plan_stepping,
    pushes_off,
    turning_back,
    turns_left,
)
from puppet.motion import Trajectory, progress
from puppet.scene import Stance
from puppet.stage.gripping import kept_grips
from puppet.stage.journey import STEPPING, Journey, footsteps, posts
from puppet.stage.led_hands import carried_depth
from puppet.stage.state import Running, State
from puppet.stage.travelling import overtaken
from puppet.types import Floats


@dataclass(frozen=True, eq=False)
class _Stop:
    """How a journey ends that is given up."""

    after: Stance
    postures: Floats | None = None  # (frames, dofs); None: as it would have ended


def halted(body: Body, state: State) -> State:
    """The state in which a body that goes somewhere is about to come to a stand. All else is as it was."""
    way = next((t for t in state.trajectories if 0 in t.dofs), None)
    for place, running in enumerate(state.running):
        if running.journey is not None and not running.halts and way is not None:  # there is none between two journeys
            return _halted(body, state, place, running, running.journey, way)
    return state


def _halted(body: Body, state: State, place: int, running: Running, journey: Journey, way: Trajectory) -> State:
    gone = state.frame - running.sets_out
    if gone <= 0:  # it only straightens
        stop = _Stop(journey.goal.before)
        end = max(running.sets_out, state.frame + 1)  # who has just straightened stands for a frame
        angles, share = (rows[: running.sets_out - way.start] for rows in (way.angles, way.share))
        if gone == 0:
            angles = np.concatenate([angles, state.angles[None, way.dofs]])
            angles.flags.writeable = False
            share = np.append(share, 1.0)
        way = Trajectory(way.dofs, way.start, angles, share)
    else:
        stop = _stop(body, journey, running.motion.speed, gone, state.angles, state.before)
        end = way.end
    feet = running.landings
    if stop.postures is not None:
        angles = np.ascontiguousarray(stop.postures[:, way.dofs])
        angles.flags.writeable = False
        way = Trajectory(way.dofs, state.frame, angles, progress("linear", len(angles)))
        end = way.end
        floor = journey.scene.floor or 0.0
        steps = landings(body, np.concatenate([state.angles[None], stop.postures]), floor)
        feet = tuple(replace(step, frame=state.frame + step.frame) for step in steps)
    goal = replace(journey.goal, after=stop.after)
    motion = replace(running.motion, goal=goal, couple=None, changes=(), overlap="none")
    stops = replace(running, motion=motion, end=end, halts=way, landings=feet)
    others = tuple(t for t in state.trajectories if 0 not in t.dofs)
    return replace(
        state, running=(*state.running[:place], stops, *state.running[place + 1 :]), trajectories=(*others, way)
    )


def _stop(body: Body, journey: Journey, frames: int | None, gone: int, now: Floats, before: Floats) -> _Stop:
    goal, legs, fps = journey.goal, measured(body), journey.fps
    if goal.verb in STEPPING:
        floor = journey.scene.floor or 0.0
        steps = footsteps(legs, journey)
        around = posts(journey)
        stepping = plan_stepping(
            legs,
            goal.before,
            floor,
            steps,
            frames,
            fps,
            journey.pace,
            goal.sidles_in,
            around,
            journey.flows,
        )
        treads, after = last_steps(legs, stepping, gone, goal.before)
        if len(treads) >= len(stepping.swings):  # both feet come to stand as they would have
            return _Stop(goal.after)
        home = _moved_home(body, journey.home, goal.after, after)
        short = replace(journey, goal=replace(goal, after=after), home=home, steps=tuple(treads), pace=stepping.pace)
        return _Stop(after, _overtaken(body, short, None, gone, None, now, before))
    if goal.verb == "swing":
        turns = turns_left(body, legs, goal.turns, frames, gone, fps)
        if turns == goal.turns:
            return _Stop(goal.after)
        if turns is not None:
            short = replace(journey, goal=replace(goal, turns=turns))
            return _Stop(goal.after, _overtaken(body, short, frames, gone, None, now, before))
    if goal.verb == "stand" or (goal.verb == "jump" and pushes_off(gone, fps)):
        return _Stop(goal.after)
    back = turning_back(gone, fps)
    return _Stop(goal.before, _overtaken(body, journey, frames, gone, back, now, before))


def _overtaken(
    body: Body, journey: Journey, frames: int | None, gone: int, back: Floats | None, now: Floats, before: Floats
) -> Floats:
    """The postures of a course that is stopped, hands still on what they hold."""
    postures = overtaken(body, journey, frames, gone, back, now, before, journey.home)[0]
    if journey.goal.verb == "swing":
        return postures
    journey = journey.begun_at(body, now)

    def depth(frames: Floats) -> float:
        return carried_depth(body, journey, np.concatenate([now[None], frames]), journey.holding)

    return kept_grips(body, before, now, postures, journey.holding, depth)[0]


def _moved_home(body: Body, home: Floats, there: Stance, here: Stance) -> Floats:
    """The posture of a body that stands elsewhere."""
    x, z = Stance((0.0, 0.0), -there.turn).world(-there.place[0], -there.place[1])
    own = moved_by(body, home[None], (x, z), -there.turn)
    return np.asarray(moved_by(body, own, here.place, here.turn)[0])
