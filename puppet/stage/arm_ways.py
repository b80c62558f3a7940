"""The time that tasks of arms and head take, and their frames: as long as people take, or with one hand that waits for
another one, or slower, whatever leads through nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body, hand_transforms
from puppet.geometry import Transform
from puppet.motion import Carrying, progress
from puppet.schedule import NO_JOINTS, Joints
from puppet.stage.durations import lead_frames, looking_frames, motion_frames, waiting_frames
from puppet.stage.frames import Beginning, BegunFrames, begin_frames
from puppet.stage.relations import Fit, fitted
from puppet.stage.stances import Stances
from puppet.stage.state import Running, State
from puppet.stage.task_log import TaskLog
from puppet.tasks import AtObject, AtPoint, AtSpace, AtStance, Motion
from puppet.types import Floats

_STILL = 1e-9
_GONE_BY = 0.7  # the share of a hand's time after which another, which waits for it, sets out
_SLOWER = (1.4, 2.0)  # how much longer a motion takes that would have to hurry around what is in its way


@dataclass(frozen=True)
class _Way:
    """How motions that begin take their time."""

    slower: float = 1.0
    waits: int = 0  # frames for which a hand waits for others that go home
    later: int | None = None  # which of two waits for the other

    @property
    def lets_go(self) -> bool:
        return self.waits > 0 or self.later is not None


@dataclass(frozen=True, eq=False)
class Try:
    """Frames of motions that begin, and the time that they take."""

    begun: BegunFrames
    frames: list[int]  # of all motions
    paces: list[tuple[Joints, int, str]]
    carrying: tuple[Carrying, ...]
    goal: Floats
    leads: dict[int, int]  # for how many frames hands wait


@dataclass(frozen=True, eq=False)
class ArmWays:
    """Makes the frames of motions that begin, on the way to a posture."""

    body: Body
    stances: Stances
    entries: TaskLog

    def best(
        self, state: State, running: Sequence[Running], beginnings: Sequence[Beginning],
        starts: Sequence[tuple[int, Joints]], speeds: tuple[Joints, ...], goal: Floats, cleared: Joints,
        hands: Mapping[str, Transform],
    ) -> Try:  # fmt: skip
        """The best frames on the way to a goal posture: in the usual time; where something is in the way, with a hand
        that waits for others to go; where that takes more time, slower."""
        body, moving, begin = self.body, self._moving(state), [b.motion for b in beginnings]
        untold = any(motion.speed is None for motion in begin)
        alone = len(starts) == 1 and not moving and not begin[0].head
        waiting = waiting_frames(body, state, running[starts[0][0]], goal) if alone else 0
        pair = [n for n, _ in starts] if _can_go_apart(begin, [b.own for b in beginnings]) else []
        ways = [_Way(), _Way(waits=waiting), *(_Way(later=n) for n in reversed(pair))]
        tries: list[Try] = []
        for way in [*ways, *(_Way(slower) for slower in _SLOWER)]:
            if tries:
                begun = min(tries, key=_badness).begun
                hurries = (begun.hurried or begun.rough) if untold else begun.leaps
                hurries = hurries and any(map(_may_take_longer, begin))
                if not ((begun.deep or begun.rough) and way.lets_go if way.slower == 1.0 else hurries):
                    continue
            fits = [self._fit(state, r, goal, way.slower) for r in running]
            frames, groups = self._in_time(running, starts, speeds, [fit.frames for fit in fits])
            leads, least = {}, looking_frames(body, state, begin, goal)
            for n, _ in starts:
                frames[n] = max(frames[n], least)
            if alone:
                n = starts[0][0]
                lead, slower_by = lead_frames(body, state, running[n].motion, goal, frames[n])
                leads[n] = max(lead, way.waits)
                frames[n] += leads[n] + slower_by
            if way.later is not None:
                leads = self._one_after_the_other(running, pair, way.later, frames, groups)
            if any(tried.frames == frames and tried.leads == leads for tried in tries):
                continue  # no longer than before after all
            aim = self._part_of_the_way(state, [(running[n].motion, fits[n].share) for n, _ in starts], goal)
            ends = hand_transforms(body, aim)
            taken = [
                replace(b, frames=frames[n], lead=leads.get(n, 0)) for b, (n, _) in zip(beginnings, starts, strict=True)
            ]
            carrying = state.carrying
            for b in taken:
                carrying = self._carry(state, carrying, b, hands, ends, b.motion.critical <= b.own)
            paces = [(joints, frames[n], running[n].motion.curve) for n, joints in enumerate(groups)]
            made = begin_frames(body, state, taken, paces, cleared, aim, carrying, moving)
            tries.append(Try(made, frames, paces, carrying, aim, leads))
        return min(tries, key=_badness)

    def _in_time(
        self, running: Sequence[Running], starts: Sequence[tuple[int, Joints]], speeds: tuple[Joints, ...],
        frames: list[int],
    ) -> tuple[list[int], list[Joints]]:  # fmt: skip
        """How many frames each motion takes, and which joints take as many. A motion that shares joints with the first
        takes that one's time (Group_Trajectories). Where none was told, both take as long as the slower one needs, and
        an arm that begins before it gets the trunk takes its own time."""
        frames, groups, begins = list(frames), list(speeds), {place for place, _ in starts}
        for place, own in starts:
            motion = running[place].motion
            if motion.speed is not None or groups[place] or place == 0:
                continue
            if 0 in begins and motion.critical <= own:
                if running[0].motion.speed is None:
                    frames[0] = max(frames[0], frames[place])
                frames[place] = frames[0]
            else:
                groups[place] = own & motion.critical & groups[0]
                groups[0] -= groups[place]
        return frames, groups

    def _one_after_the_other(
        self, running: Sequence[Running], pair: Sequence[int], later: int, frames: list[int], groups: list[Joints]
    ) -> dict[int, int]:
        """For how many frames each of two hands waits, one of which lets the other go first, with the trunk; frames and
        groups are brought up to date."""
        first = next(n for n in pair if n != later)
        everything = NO_JOINTS.union(*(groups[n] for n in pair))
        groups[later] = everything & frozenset(self.body.limb(running[later].motion.hand).joints)
        groups[first] = everything - groups[later]
        waits = round(_GONE_BY * frames[first])
        frames[later] += waits
        return {later: waits}

    def _fit(self, state: State, r: Running, goal: Floats, slower: float) -> Fit:
        if isinstance(r.motion.goal, AtStance):
            return Fit(max(1, (r.end or state.frame) - state.frame))
        frames = motion_frames(self.body, state, r, goal)
        return fitted(r, round(slower * frames) if _may_take_longer(r.motion) else frames, state)

    def _part_of_the_way(self, state: State, shares: Sequence[tuple[Motion, float]], goal: Floats) -> Floats:
        """The goal with movements that have no time to get there cut short."""
        for motion, share in shares:
            if share < 1.0:
                dofs = self.body.dofs_of(sorted(motion.critical))
                goal = goal.copy()
                goal[dofs] = state.angles[dofs] + share * (goal[dofs] - state.angles[dofs])
                words = "the moment until which it goes on comes before its first movement is made"
                self.entries.change(motion.task, reason=words)
        return goal

    def _moving(self, state: State) -> Joints:
        """Joints that are in the middle of a motion."""
        fast = np.abs(state.angles - state.before) > _STILL
        joints_of = self.body.arrays.joints_of
        under_way = [t.dofs[fast[t.dofs]] for t in state.trajectories if t.end > state.frame]
        return frozenset(int(joint) for dofs in under_way for joint in joints_of[dofs])

    def _carry(
        self, state: State, carrying: tuple[Carrying, ...], b: Beginning, hands: Mapping[str, Transform],
        ends: Mapping[str, Transform], complete: bool,
    ) -> tuple[Carrying, ...]:  # fmt: skip
        """Takes up what a motion carries."""
        motion = b.motion
        if motion.carry is None or not frozenset(self.body.limb(motion.hand).joints) <= b.own:
            return carrying
        share = np.concatenate([np.zeros(b.lead), progress(motion.curve, b.frames - b.lead)])
        exact = self.stances.solver != "estimate"
        own = state.staged.carry(motion, hands[motion.hand], ends[motion.hand], state.frame, share, complete, exact)
        return (*(c for c in carrying if c.task != motion.task), own)


def _can_go_apart(motions: Sequence[Motion], own: Sequence[Joints]) -> bool:
    """Whether one of several hands that begin at once may let the other go first."""
    places = all(isinstance(motion.goal, (AtObject, AtSpace, AtPoint)) for motion in motions)
    complete = all(motion.critical <= joints for motion, joints in zip(motions, own, strict=True))
    return len(motions) == 2 and places and complete and all(motion.speed is None for motion in motions)


def _badness(tried: Try) -> float:
    return tried.begun.bad


def _may_take_longer(motion: Motion) -> bool:
    """Whether it may: no speed was told, or it is a posture of a gesture, whose speed was told as a whole."""
    return motion.speed is None or motion.posture is not None
