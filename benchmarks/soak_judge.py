"""What must hold in every frame of any performance, judged by what is seen: joints and things in space."""

from __future__ import annotations

import numpy as np

from puppet.body import hand_transforms, joint_transforms
from puppet.stage import MISTAKE, OPEN, Frame, Stage
from puppet.tasks import AtStance
from puppet.types import Floats

LEAP = 0.12  # body heights that a joint or a thing may go in a frame, at the speeds that the soak asks for
LEAP_IN_FLIGHT = 0.3  # while the whole body goes somewhere: a swing about a bar is fast
HELD = 0.02  # body heights between a hand and the surface of what it holds
DRAWN = 2e-3  # between a thing as it is drawn and as the scene has it
UPRIGHT = 0.999  # the cosine of the tilt of a thing that stands


class FaultError(AssertionError):
    """What must not be."""


class Judge:
    """Looks at a stage after each frame, and complains about the first thing that must not be."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self._before: dict[str, Floats] = {}
        self._joints: Floats | None = None  # (joints, 3), of the frame before
        self._things: dict[str, Floats] = {}
        self._going = False

    def look(self) -> None:
        stage, frame = self.stage, self.stage.frame
        if not np.isfinite(frame.angles).all():
            raise FaultError("angles are not finite")
        excess = stage.body.limit_excess(frame.angles)
        if not excess < 1e-6:
            raise FaultError(f"{excess:.2e} outside the limits")
        for name, at in frame.objects.items():
            if not np.isfinite(at.position).all() or abs(np.linalg.det(at.rotation) - 1.0) > 1e-6:
                raise FaultError(f"'{name}' has no place, or is not turned by a rotation")
        names = [name for stack in stage.scene.stacks for name in stack.objects]
        if sorted(names) != sorted(frame.objects):
            raise FaultError("a thing is in no stack, or in two")
        self._before = self._things
        self._no_leap(frame)
        self._hands_with_what_they_hold(frame)
        self._drawn_as_staged(frame)
        if stage.idle:
            self._at_rest(frame)

    def forget(self) -> None:
        """Time was turned back: what is seen now need not follow what was seen before."""
        self._joints, self._things = None, {}

    def _no_leap(self, frame: Frame) -> None:
        body = self.stage.body
        joints = joint_transforms(body, frame.angles)[:, :3]
        things = {name: at.position for name, at in frame.objects.items()}
        going = any(isinstance(r.motion.goal, AtStance) for r in self.stage.running)
        most = (LEAP_IN_FLIGHT if going or self._going else LEAP) * body.height
        if self._joints is not None:
            ways = np.linalg.norm(joints - self._joints, axis=1)
            if ways.max() > most:
                raise FaultError(f"the {body.joint_names[int(ways.argmax())]} leaps by {ways.max():.3f}")
            for name, place in things.items():
                way = float(np.linalg.norm(place - self._things[name]))
                if way > most:
                    raise FaultError(f"'{name}' leaps by {way:.3f}")
        self._joints, self._things, self._going = joints, things, going

    def _hands_with_what_they_hold(self, frame: Frame) -> None:
        stage, height = self.stage, self.stage.body.height
        tips = hand_transforms(stage.body, frame.angles)
        regrips = {r.motion.hand for r in stage.running if r.motion.regrips is not None or r.fetched}
        for hand, name in frame.holding.items():
            at, width = frame.objects[name], stage.scene.object(name).width
            local = np.abs((tips[hand].position - at.position) @ at.rotation) - width
            off = float(np.linalg.norm(np.maximum(local, 0.0)))
            still = not stage.idle and np.array_equal(at.position, self._before.get(name, at.position))
            if off > HELD * height and hand not in regrips and not still:
                raise FaultError(f"the {hand} hand is {off:.3f} from '{name}', which it holds")
        for hand in stage.body.hands:
            for name in set(stage.scene.stack_on(hand)[:1]) - self._carried():
                off = float(np.linalg.norm(tips[hand].position - frame.objects[name].position))
                if off > stage.scene.object(name).width + 2.0 * HELD * height:
                    raise FaultError(f"'{name}' lies in the {hand} hand, but is {off:.3f} from it")

    def _drawn_as_staged(self, frame: Frame) -> None:
        """Things that no hand carries are drawn where the scene has them."""
        stage = self.stage
        carried = self._carried()
        for stack in stage.scene.stacks:
            for name in stack.objects:
                if name in carried or frame.objects[name].rotation[1, 1] < UPRIGHT:
                    break  # and so goes what stands on it
                off = float(np.linalg.norm(np.array(stage.scene.centre(name)) - frame.objects[name].position))
                if off > DRAWN:
                    raise FaultError(f"'{name}' is drawn {off:.3f} from where the scene has it")

    def _carried(self) -> set[str]:
        return {name for carrying in self.stage.snapshot().state.carrying for name in carrying.objects}

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
