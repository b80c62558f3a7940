"""Tasks of the whole body begin: pins, drags, and a body that goes somewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import hand_transforms, joint_transforms, tip_path
from puppet.geometry import Transform
from puppet.locomotion import landings, measured
from puppet.motion import (
    Carrying,
    Trajectory,
    contact_depths,
    natural_frames,
    progress,
    scene_boxes,
    without_seen_leaps,
)
from puppet.posture import in_place
from puppet.scene import Scene
from puppet.schedule import NO_JOINTS, Joints
from puppet.stage import task_log
from puppet.stage.arm_beginnings import ArmBeginnings
from puppet.stage.calm_legs import calm_legs
from puppet.stage.departures import departure
from puppet.stage.dragging import LastDrag, PinnedPart, drag_frames
from puppet.stage.gripping import kept_grips
from puppet.stage.journey import Journey, seen_from_home
from puppet.stage.led_hands import carried_depth
from puppet.stage.state import Running, State, Touch
from puppet.stage.straightening import STANDS
from puppet.stage.travelling import comes_to_rest
from puppet.tasks import (
    AtBalance,
    AtDrag,
    AtPin,
    AtStance,
    Miss,
    Motion,
    WholeBody,
)
from puppet.types import Floats

FLOWING = ("walk", "turn", "step", "stand")  # journeys that others follow before the body has come to rest
_STAYS = 1e-3  # body heights: a hand that a drag moves by less leaves what it holds where it stands


@dataclass(frozen=True, eq=False)
class WholeBodyBeginnings:
    """Makes the frames of motions that the whole body takes part in."""

    arms: ArmBeginnings

    def set_out(self, state: State, running: list[Running], place: int, own: Joints, goal: AtStance) -> State:
        """A body that goes somewhere: all its frames are made now. Arms that nothing else is asked of go along."""
        body, motion = self.arms.body, running[place].motion
        before = self.arms.clock()
        own -= NO_JOINTS.union(*(r.motion.critical for n, r in enumerate(running) if n != place and r.begun))
        journey = self._journey(state, goal, [h for h in body.hands if frozenset(body.limb(h).joints) <= own])
        rises = goal.verb == "stand" and goal.before.crouched and not self._crouches(state, journey.scene, goal)
        leaves = departure(body, state, journey, motion.speed, rises)
        course = len(leaves.course)
        if goal.verb not in ("jump", "swing") and motion.speed is not None and course > motion.speed:
            self._tell(motion, f"takes {course - motion.speed} frames longer, so that nothing leaps")
        postures = leaves.postures
        loosens: tuple[str, ...] = ()
        if goal.verb != "swing":
            postures, loosens = self._calm(state, motion, journey, postures)
        dofs = body.dofs_of(sorted(own))
        frames = len(postures)
        angles = np.ascontiguousarray(postures[:, dofs])
        angles.flags.writeable = False
        taken = np.zeros(body.dofs, dtype=bool)
        taken[dofs] = True
        kept = tuple(t.without(taken) for t in state.trajectories if not taken[t.dofs].all())
        trajectory = Trajectory(dofs, state.frame, angles, progress("linear", frames))
        flows = goal.verb in FLOWING and motion.speed is None and not goal.before.crouched
        rests = state.frame + comes_to_rest(body, postures) if flows else None
        miss = Miss(leaves.missed, in_place=in_place(body, leaves.missed), met=in_place(body, leaves.missed))
        steps = landings(body, np.concatenate([state.angles[None], postures]), journey.scene.floor or 0.0)
        running[place] = replace(
            running[place], begun=motion.critical, end=state.frame + frames, miss=miss,
            touches=self._touches(state, journey), journey=leaves.journey, sets_out=state.frame + frames - course,
            landings=tuple(replace(step, frame=state.frame + step.frame) for step in steps), rests=rests,
            loosens=loosens,
        )  # fmt: skip
        self.arms.tell_begin(state, motion, own, frames, running)
        if self.arms.entries[motion.task].start is None:
            self.arms.entries.change(motion.task, status=task_log.RUNNING, start=state.frame)
        self.arms.timing["ways"] += self.arms.clock() - before
        carrying = self._taken_along(state, motion, goal)
        return replace(state, trajectories=(*kept, trajectory), carrying=carrying)

    def _journey(self, state: State, goal: AtStance, arms: Sequence[str]) -> Journey:
        """The journey that begins as the body is now, with arms that go along."""
        body, scene, things = self.arms.body, state.staged.scene, state.staged.transforms
        holding = {hand: name for hand, name in goal.holding if hand in arms}
        home = self.arms.stances.home(scene.with_body_at(goal.after))
        tips, start = hand_transforms(body, state.angles), seen_from_home(body, state.angles, home)
        touching = {hand: frozenset(n for n in things if state.staged.holds(tips[hand], n)) for hand in arms}
        left = self.arms.stances.home(scene.with_body_at(goal.before))
        return Journey(goal, scene, start, home, arms, holding, things, touching, state.plan.fps, left)

    def _touches(self, state: State, journey: Journey) -> tuple[Touch, ...]:
        """What hands touch that go along."""
        body, things, touching = self.arms.body, journey.things, journey.touching
        tips = hand_transforms(body, state.angles)
        depths = contact_depths(body, scene_boxes(journey.scene), state.angles, things, touching)
        return tuple(
            Touch(hand, name, depths[hand][name], things[name].relative(tips[hand]).position)
            for hand, names in touching.items() for name in names
        )  # fmt: skip

    def _calm(
        self, state: State, motion: Motion, journey: Journey, postures: Floats
    ) -> tuple[Floats, tuple[str, ...]]:
        """The frames of a journey without leaps of legs and of hands that hold something alone, unless it flies; with
        both hands on what they hold, but for those that cannot stay on it."""
        body, holding, now = self.arms.body, journey.holding, state.angles[None]
        if journey.goal.verb != "jump":
            whole = calm_legs(body, state.before, np.concatenate([now, postures]))
            for hand in (hand for hand, name in holding.items() if list(holding.values()).count(name) == 1):
                whole = without_seen_leaps(body, state.before, whole, frozenset(body.limb(hand).joints))
            postures = whole[1:]

        def depth(frames: Floats) -> float:
            return carried_depth(body, journey, np.concatenate([now, frames]), holding)

        postures, slips, loosens = kept_grips(body, state.before, state.angles, postures, holding, depth)
        if slips:
            self._tell(motion, slips)
        return postures, loosens

    def _tell(self, motion: Motion, words: str) -> None:
        reason = self.arms.entries[motion.task].reason
        self.arms.entries.change(motion.task, reason=f"{reason}; {words}" if reason else words)

    def _taken_along(self, state: State, motion: Motion, goal: AtStance) -> tuple[Carrying, ...]:
        """What is carried, with what hands hold that a journey takes along."""
        scene, staged, carrying = state.staged.scene, state.staged, state.carrying
        tips = hand_transforms(self.arms.body, state.angles)
        for hand, name in goal.holding:
            has = name is not None and (staged.holds(tips[hand], name) or name in scene.stack_on(hand))
            if name is not None and has and not any(c.hand == hand for c in carrying):
                carrying = (*carrying, staged.along(motion.task, hand, scene.tower(name), tips[hand], state.frame))
        return carrying

    def _crouches(self, state: State, scene: Scene, goal: AtStance) -> bool:
        """Whether a body that was told to crouch still does: legs that helped a hand may have risen from it."""
        home = self.arms.stances.home(scene.with_body_at(goal.before))
        dofs = self.arms.body.dofs_of(measured(self.arms.body).joints)
        return bool(np.abs(state.angles[dofs] - home[dofs]).max() < STANDS)

    def begin(self, state: State, motion: Motion, goal: WholeBody) -> State:
        """Pins and lets go at once; begins a drag, whose frames are all made now."""
        frame, body = state.frame, self.arms.body
        if isinstance(goal, AtDrag):
            held = {body.joint_names[body.limb(hand).joints[-1]] for hand in state.plan.locks}
            at = self._joint_transforms(state.angles)
            from_ = at[goal.part].compose(Transform.of(goal.point)).position
            speed = motion.speed or self._drag_frames(from_, goal, state.plan.fps)
            last = state.drag if state.drag is not None and state.drag.goes_on(goal, state.angles) else None
            reference = state.angles if last is None else last.reference
            locked = {part: PinnedPart(at[part]) for part in held if part not in state.pins and part != goal.part}
            pins = {**state.pins, **locked}
            frames, missed, off = drag_frames(
                body, state.angles, reference, pins, state.balance, goal, speed, motion.curve
            )
            late = len(frames) - speed
            firm = [part for part, pinned in pins.items() if pinned.gain == 1.0 and not in_place(body, off[part])]
            longer = late > 0 and motion.speed is not None
            words = f"takes {late} frames longer, so that nothing leaps" if longer else ""
            speed += late
            if firm:
                worst = max(firm, key=lambda part: off[part])
                others = f", and {len(firm) - 1} more" if len(firm) > 1 else ""
                off_pin = f"the {worst.replace('_', ' ')} is {off[worst]:.3f} off its pin{others}"
                words = f"{words}; {off_pin}" if words else off_pin
            frames.flags.writeable = False
            share = progress(motion.curve, speed)
            trajectory = Trajectory(np.arange(body.dofs), frame, frames, share)
            miss = Miss(missed, in_place=in_place(body, missed), met=in_place(body, missed))
            end = frame + speed
            first = frame if last is None else last.start
            segments = tuple((joint, first, end) for joint in range(len(body.joints)))
            self.arms.entries.change(motion.task, status=task_log.RUNNING, start=frame, segments=segments, reason=words)
            if last is not None:  # its end was not the end: what it missed, this one may still meet
                missed_by = self.arms.entries[last.task].status == task_log.MISSED
                told = {"status": task_log.DONE, "reason": ""} if missed_by else {}
                self.arms.entries.change(last.task, segments=(), **told)
            running = Running(motion, begun=motion.critical, end=end, miss=miss)
            hands = hand_transforms(body, state.angles)
            touches = self.arms.touches(state, running, hands, frames[-1], state.staged.transforms)
            running = replace(running, touches=touches)
            drag = LastDrag(motion.task, first, goal.part, goal.point, reference, frames[-1])
            carrying = self._dragged_along(state, motion.task, hands, frames)
            return replace(state, running=(running,), trajectories=(trajectory,), drag=drag, carrying=carrying)
        self.arms.entries.change(motion.task, status=task_log.DONE, start=frame, end=frame)
        if isinstance(goal, AtBalance):
            return replace(state, balance=goal.on)
        pins = {part: pinned for part, pinned in state.pins.items() if part != goal.part}
        if isinstance(goal, AtPin):
            here = self._joint_transforms(state.angles)[goal.part]
            pins[goal.part] = PinnedPart.of(here, goal)
        return replace(state, pins=pins)

    def _dragged_along(
        self, state: State, task: int, hands: Mapping[str, Transform], frames: Floats
    ) -> tuple[Carrying, ...]:
        """What hands hold goes along with those that a drag moves."""
        body, scene, found = self.arms.body, state.staged.scene, list(state.carrying)
        rows = joint_transforms(body, frames)
        for hand in body.hands:
            held = state.holding.get(hand) or scene.bottom(hand)
            ways = tip_path(body, hand, rows).positions - hands[hand].position
            moves = float(np.linalg.norm(ways, axis=1).max()) > _STAYS * body.height
            if held is not None and moves and not any(held in c.objects for c in found):
                found.append(state.staged.along(task, hand, scene.tower(held), hands[hand], state.frame))
        return tuple(found)

    def _drag_frames(self, start: Floats, goal: AtDrag, fps: float) -> int:
        """How long people would take for a drag."""
        way = np.array(goal.to) - start if goal.to is not None else np.array(goal.by)
        return natural_frames(float(np.linalg.norm(way)) * self.arms.body.metres_a_unit, fps=fps)

    def _joint_transforms(self, angles: Floats) -> dict[str, Transform]:
        rows = joint_transforms(self.arms.body, angles)
        names = self.arms.body.joint_names
        return {name: Transform.of(row[:3], row[3:].reshape(3, 3)) for name, row in zip(names, rows, strict=True)}

