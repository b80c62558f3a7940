"""What must hold in every frame of any performance, judged by what is seen: joints and things in space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms, tip_positions
from puppet.geometry import Transform
from puppet.motion import Carrying
from puppet.scene import Scene
from puppet.stage import MISTAKE, OPEN, Frame, Stage
from puppet.tasks import AtStance
from puppet.types import Floats

# What a joint or a thing may go (body heights, or twice the longest limb) and turn (radians) in a frame, unless the way
# to where it goes is so long that its curve takes it farther; and where it goes or turns so many times farther than two
# frames before and after.
LEAP, TURN = 0.15, np.radians(40.0)
SNAP, SNAP_TURN, SNAPS = 0.06, np.radians(23.0), 2.5
CURVE = 2.0 * 1.2  # times its mean speed: the peak of the fastest curve, and some room for ways that are not straight
LEAP_IN_FLIGHT = 0.3  # in a swing about a bar, which is fast, or in a jump; and who lands is stopped at once
HELD = 0.02  # body heights between a hand and the surface of what it holds
SLIPS, SLIPS_TURNED = 2e-3, np.radians(2.0)  # by which what is held may move in the hand in a frame, as it is put down
DRAWN = 2e-3  # between a thing as it is drawn and as the scene has it
UPRIGHT = 0.999  # the cosine of the tilt of a thing that stands


class FaultError(AssertionError):
    """What must not be."""


@dataclass(frozen=True, eq=False)
class _Seen:
    """One frame in space."""

    frame: Frame
    points: Floats  # (2 joints + things, 3), where segments begin, where they end, and where things are
    turns: Floats  # (joints + things, 3, 3)
    hands: Mapping[str, Transform]
    carrying: tuple[Carrying, ...]
    flies: bool  # about a bar, or in a jump

    @property
    def carried(self) -> set[str]:
        return {name for carrying in self.carrying for name in carrying.objects}


@dataclass(frozen=True, eq=False)
class _Step:
    """How far all points go, and how much all segments and things turn, from one frame to the next."""

    ways: Floats
    turns: Floats

    @staticmethod
    def between(before: _Seen, now: _Seen) -> _Step:
        cosines = 0.5 * ((before.turns * now.turns).sum(axis=(1, 2)) - 1.0)
        ways = np.linalg.norm(now.points - before.points, axis=1)
        return _Step(ways, np.arccos(np.clip(cosines, -1.0, 1.0)))


class Judge:
    """Looks at a stage after each frame, and complains about the first thing that must not be."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self._before: _Seen | None = None
        self._scene: Scene | None = None  # as it was last
        self._steps: list[_Step] = []  # the last ones
        self._places: dict[int, Floats] = {}  # all points in the frames in which present motions began
        self._size = _size(stage.body)
        joints, things = stage.body.joint_names, tuple(f"'{name}'" for name in stage.frame.objects)
        self._turning = (*(f"the {name}" for name in joints), *things)
        self._points = (*self._turning[: len(joints)], *(f"the end of the {name}" for name in joints), *things)

    def look(self) -> None:
        stage, frame = self.stage, self.stage.frame
        if not np.isfinite(frame.angles).all():
            raise FaultError("angles are not finite")
        excess = stage.body.limit_excess(frame.angles)
        if not excess < 1e-6:
            raise FaultError(f"{excess:.2e} outside the limits")
        seen = self._see(frame)
        if self._before is not None:
            self._no_leap(self._before, seen)
            self._nothing_turns_in_a_hand(self._before, seen)
        self._hands_with_what_they_hold(seen)
        if not self._stays_as_it_was(seen):
            self._each_thing_once(seen)
            self._drawn_as_staged(seen)
        if stage.idle:
            self._at_rest(frame)
        self._before, self._scene = seen, stage.scene

    def _stays_as_it_was(self, now: _Seen) -> bool:
        """Whether no thing has moved, and the scene is the same."""
        before = self._before
        if before is None or self._scene is not self.stage.scene or before.carried != now.carried:
            return False
        return before.frame.objects is now.frame.objects

    def _each_thing_once(self, now: _Seen) -> None:
        for name, at in now.frame.objects.items():
            if not np.isfinite(at.position).all() or abs(np.linalg.det(at.rotation) - 1.0) > 1e-6:
                raise FaultError(f"'{name}' has no place, or is not turned by a rotation")
        names = [name for stack in self.stage.scene.stacks for name in stack.objects]
        if sorted(names) != sorted(now.frame.objects):
            raise FaultError("a thing is in no stack, or in two")

    def forget(self) -> None:
        """Time was turned back: what is seen now need not follow what was seen before."""
        self._before, self._steps, self._places = None, [], {}

    def _see(self, frame: Frame) -> _Seen:
        body, running = self.stage.body, self.stage.running
        world = joint_transforms(body, frame.angles)
        places, turns = world[:, :3], world[:, 3:].reshape(-1, 3, 3)
        things = list(frame.objects.values())
        ends = tip_positions(body, places, turns)
        points = np.concatenate([places, ends, *(at.position[None] for at in things)])
        turns = np.concatenate([turns, *(at.rotation[None] for at in things)])
        flies = any(isinstance(r.motion.goal, AtStance) and r.motion.goal.verb in ("swing", "jump") for r in running)
        carrying = tuple(self.stage.snapshot().state.carrying)
        return _Seen(frame, points, turns, hand_transforms(body, frame.angles), carrying, flies)

    def _no_leap(self, before: _Seen, now: _Seen) -> None:
        flies, step = before.flies or now.flies, _Step.between(before, now)
        self._steps = [*self._steps[-4:], step]
        self._note_beginnings(before)
        most = np.full(len(step.ways), (LEAP_IN_FLIGHT if flies else LEAP) * self._size)
        if (step.ways > most).any():  # else how fast a curve would let them go makes no difference
            most = np.maximum(most, CURVE * self._mean_ways(before))
        self._complain(step, step.ways / most, step.turns / TURN, "in a frame")
        if len(self._steps) == 5 and not flies:
            early, _, step, _, late = self._steps
            ways = step.ways / np.maximum(SNAP * self._size, SNAPS * np.maximum(early.ways, late.ways))
            turns = step.turns / np.maximum(SNAP_TURN, SNAPS * np.maximum(early.turns, late.turns))
            self._complain(step, ways, turns, "at once, two frames ago")

    def _note_beginnings(self, before: _Seen) -> None:
        begun = {t.start for t in self.stage.snapshot().state.trajectories}
        self._places = {n: at for n, at in self._places.items() if n in begun} | {before.frame.number: before.points}

    def _mean_ways(self, before: _Seen) -> Floats:
        """How far each point has to go in a frame to be where it goes when all that is under way ends; what hands carry
        goes as far as they do."""
        body, state = self.stage.body, self.stage.snapshot().state
        found, angles = np.zeros(len(before.points)), np.tile(self.stage.frame.angles, (2, 1))
        for t in state.trajectories:
            angles[:, t.dofs] = t.angles[[0, -1]]
        begins, ends = (self._joint_points(each) for each in angles)
        for t in state.trajectories:  # what began before time was turned back began about where its first frame is
            from_ = self._places.get(t.start, begins)[: len(ends)]
            found[: len(ends)] = np.maximum(found[: len(ends)], np.linalg.norm(ends - from_, axis=1) / len(t.angles))
        for carrying in state.carrying:
            for name in carrying.objects:
                thing = len(ends) + list(before.frame.objects).index(name)
                found[thing] = max(found[thing], found[len(body.joints) + body.limb(carrying.hand).joints[-1]])
        return found

    def _joint_points(self, angles: Floats) -> Floats:
        """Where segments begin, and where they end, (2 joints, 3)."""
        world = joint_transforms(self.stage.body, angles)
        return np.concatenate([
            world[:, :3], tip_positions(self.stage.body, world[:, :3], world[:, 3:].reshape(-1, 3, 3))
        ])  # fmt: skip

    def _complain(self, step: _Step, ways: Floats, turns: Floats, how: str) -> None:
        """About what goes or turns more than it may, as shares of that."""
        point, turn = int(ways.argmax()), int(turns.argmax())
        if ways[point] > 1.0:
            raise FaultError(f"{self._points[point]} leaps by {step.ways[point]:.3f} {how}")
        if turns[turn] > 1.0:
            raise FaultError(f"{self._turning[turn]} turns by {step.turns[turn]:.2f} {how}")

    def _nothing_turns_in_a_hand(self, before: _Seen, now: _Seen) -> None:
        """What a hand carries is in it as it was: only as it is put down it may slip into its place."""
        for carrying in now.carrying:
            hand, name = carrying.hand, carrying.objects[0]
            if now.frame.holding.get(hand) != name or before.frame.holding.get(hand) != name:
                continue
            was = before.hands[hand].relative(before.frame.objects[name])
            has = now.hands[hand].relative(now.frame.objects[name])
            if was.distance(has) > SLIPS * self.stage.body.height:
                raise FaultError(f"'{name}' moves in the {hand} hand by {was.distance(has):.4f}")
            if was.angle(has) > SLIPS_TURNED:
                raise FaultError(f"'{name}' turns in the {hand} hand by {was.angle(has):.3f}")

    def _hands_with_what_they_hold(self, now: _Seen) -> None:
        stage, height, frame = self.stage, self.stage.body.height, now.frame
        before = {} if self._before is None else self._before.frame.objects
        regripping = {r.motion.hand for r in stage.running if r.motion.regrips is not None or r.fetched}
        for hand, name in frame.holding.items():
            at, width = frame.objects[name], stage.scene.object(name).width
            local = np.abs((now.hands[hand].position - at.position) @ at.rotation) - width
            off = float(np.linalg.norm(np.maximum(local, 0.0)))
            still = not stage.idle and np.array_equal(at.position, before.get(name, at).position)
            if off > HELD * height and hand not in regripping and not still:
                raise FaultError(f"the {hand} hand is {off:.3f} from '{name}', which it holds")
        for hand in stage.body.hands:
            for name in set(stage.scene.stack_on(hand)[:1]) - now.carried:
                off = float(np.linalg.norm(now.hands[hand].position - frame.objects[name].position))
                if off > stage.scene.object(name).width + 2.0 * HELD * height:
                    raise FaultError(f"'{name}' lies in the {hand} hand, but is {off:.3f} from it")

    def _drawn_as_staged(self, now: _Seen) -> None:
        """Things that no hand carries are drawn where the scene has them; the scene's towers are upright, where a hand
        may hold them a little tilted."""
        frame, scene, carried = now.frame, self.stage.scene, now.carried
        for stack in scene.stacks:
            for name in stack.objects:
                if name in carried or frame.objects[name].rotation[1, 1] < UPRIGHT:
                    break  # and so goes what stands on it
                centre, tilt = np.array(scene.centre(name)), 1.0 - frame.objects[name].rotation[1, 1] ** 2
                leans = np.sqrt(max(0.0, tilt)) * float(np.linalg.norm(centre - stack.space.position))
                off = float(np.linalg.norm(centre - frame.objects[name].position))
                if off > DRAWN + leans:
                    raise FaultError(f"'{name}' is drawn {off:.3f} from where the scene has it")

    def _at_rest(self, frame: Frame) -> None:
        stage = self.stage
        grasped = {h: goal.object for h, goal in stage.locks.items() if hasattr(goal, "object")}
        if not frame.holding.items() <= grasped.items():
            raise FaultError(f"the hands hold {dict(frame.holding)}, but are locked to {grasped}")
        if stage.scene != stage.planned:
            raise FaultError("what was planned is not what came of it")
        told: dict[str, str] = {}
        for event in stage.events:
            if event.kind in ("grasp", "release"):
                told.pop(event.part, None)
                if event.kind == "grasp" and event.thing is not None:
                    told[event.part] = event.thing
        parts = {stage.body.joint_names[stage.body.limb(h).joints[-1]]: name for h, name in frame.holding.items()}
        if told != parts:
            raise FaultError(f"the events say that {told} are held, but {parts} are")

    def end(self) -> None:
        """What must hold of the report when all is over."""
        for entry in self.stage.entries:
            if entry.status in OPEN:
                raise FaultError(f"'{entry.command}' is never closed")
            if MISTAKE in entry.reason:
                raise FaultError(f"'{entry.command}': {entry.reason}")
            if entry.status in ("rejected", "missed", "cancelled") and not entry.reason:
                raise FaultError(f"'{entry.command}' was {entry.status} without a reason")
            times = [time for time in (entry.given, entry.start, entry.end) if time is not None]
            if times != sorted(times):
                raise FaultError(f"'{entry.command}' was given, begun and ended at frames {times}")


def _size(body: Body) -> float:
    """By which steps are judged: its height, twice its longest limb, or the longest way from its root to the end of a
    part, if that is more."""
    arrays = body.arrays
    offsets, tips = np.linalg.norm(arrays.offsets, axis=1), np.linalg.norm(arrays.tips, axis=1)
    limbs = [offsets[list(limb.joints[1:])].sum() + tips[limb.joints[-1]] for limb in body.limbs.values()]
    far = np.zeros(len(body.joints))
    for j, joint in enumerate(body.joints):
        far[j] = far[joint.parent] + offsets[j] if joint.parent >= 0 else 0.0
    return float(max(body.height, *(2.0 * length for length in limbs), (far + tips).max()))
