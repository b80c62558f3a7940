"""The puppeteer's keyboard (Section 7.2): key strokes in, commands out, and the settings in between."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from puppet.command import Command, Lock, PoseJoint, Reach, Record, SetInterrupt, SetPrimitive, Slide, Unlock
from puppet.keys.key_map import Action, ChangeSlide, GiveCommand, KeyMap, ReachNumber, ResetSlide, SlideHand, ToggleLock
from puppet.language import format_command
from puppet.scene import Scene
from puppet.tasks import GRIP_TABLE, Primitives
from puppet.types import Vector

ZERO: Vector = (0.0, 0.0, 0.0)


KEY_PRIMITIVES = Primitives(speed=30, curve="sine")  # what keys begin with, as in the thesis


class Keyboard:
    """A key map and what was set with it: slide vector, slide orientation, primitives, locks.

    It knows nothing of windows and time. It guesses from the keys which hands are locked; `press(key, stage.locks)`
    tells it what is so on a stage.
    """

    def __init__(self, keymap: KeyMap, objects: Sequence[str], spaces: Sequence[str]) -> None:
        """`objects` and `spaces`: names in the order of their numbers."""
        self.keymap = keymap
        self.objects = tuple(objects)
        self.spaces = tuple(spaces)
        self.slide_by: Vector = ZERO
        self.primitives = KEY_PRIMITIVES
        self._turn: Vector = _grip_turn(self.primitives.grip)
        self.interrupting = False
        self.recording: bool | None = None  # None: no `record` so far
        self.locked: frozenset[str] = frozenset()
        self.joint: str | None = None  # the one to pose directly
        self.message = ""  # what the last key did
        self.problem = ""  # why it did nothing

    @staticmethod
    def for_scene(keymap: KeyMap, scene: Scene) -> Keyboard:
        """The keyboard for a scene, its objects and spaces numbered in the scene's order."""
        objects = [entry.name for entry in scene.objects]
        return Keyboard(keymap, objects, [s.name for s in scene.spaces if s.name and not s.dynamic])

    @property
    def slide_turn(self) -> str | Vector:
        """The slide orientation: a grip's name, or degrees about x, y, z."""
        same = [grip for grip in GRIP_TABLE if _grip_turn(grip) == self._turn]
        return same[0] if same else self._turn

    def turn_of(self, turn: str | Vector) -> Vector:
        """A grip or angles as a slide orientation."""
        return _grip_turn(turn) if isinstance(turn, str) else _wrap_degrees(turn)

    @property
    def slide_angles(self) -> Vector:
        """The slide orientation in degrees about x, y, z."""
        return self._turn

    def press(self, key: str, locked: Collection[str] | None = None) -> tuple[Command, ...]:
        """The commands that a key gives; none if it only sets something or has no meaning here (see `problem`)."""
        if locked is not None:
            self.locked = frozenset(locked)
        self.problem = ""
        action = self.keymap.actions.get(key)
        if action is None:
            return self._nothing(f"the key '{key}' has no meaning")
        return self.do(action)

    def do(self, action: Action) -> tuple[Command, ...]:
        """The commands of an action."""
        match action:
            case GiveCommand():
                return self._give(action.command)
            case ReachNumber():
                return self._reach(action)
            case SlideHand():
                return self._tell(Slide(hand=action.hand, by=self.slide_by, turn=self.slide_turn))
            case ToggleLock():
                free = action.hand not in self.locked
                return self._give(Lock(hand=action.hand) if free else Unlock(hand=action.hand))
            case ChangeSlide(what="vector"):
                changed = self.slide_by[action.axis] + action.amount
                self.set_slide(by=_with(self.slide_by, action.axis, changed))
            case ChangeSlide():
                changed = self._turn[action.axis] + action.amount
                self.set_slide(turn=_with(self._turn, action.axis, changed))
            case ResetSlide(what="vector"):
                self.set_slide(by=ZERO)
            case ResetSlide():
                self.set_slide(turn=ZERO)
        return ()

    def set_slide(self, by: Vector | None = None, turn: Vector | None = None) -> None:
        """Sets the slide vector or the slide orientation, as a slider does."""
        self.problem = ""
        if by is not None:
            x, y, z = (round(value, 9) + 0.0 for value in by)  # so that many small steps still add up to zero
            self.slide_by = (x, y, z)
            self.message = f"Slide vector ({x:g}, {y:g}, {z:g})"
        if turn is not None:
            self._turn = _wrap_degrees(turn)
            words = self.slide_turn
            shown = words if isinstance(words, str) else f"({', '.join(f'{angle:g}' for angle in words)})"
            self.message = f"Slide orientation {shown}"

    def select_joint(self, joint: str | None) -> None:
        """Chooses the joint for `pose_joint`."""
        self.joint = joint
        self.message = f"Joint {joint}" if joint else "No joint"

    def pose_joint(self, angles: Vector) -> tuple[Command, ...]:
        """The chosen joint turned to degrees about its x, y and z axes."""
        if self.joint is None:
            return self._nothing("no joint is chosen")
        return self._tell(PoseJoint(joint=self.joint, angles=angles))

    # ---- inside

    def _give(self, command: Command) -> tuple[Command, ...]:
        first: tuple[Command, ...] = ()
        if isinstance(command, SetPrimitive):
            if command.name in ("grip", "speed", "curve", "overlap"):
                self.primitives = replace(self.primitives, **{command.name: command.value})  # type: ignore[arg-type]
            if command.name == "grip":
                self._turn = _grip_turn(str(command.value))  # Table 7.1: the slide orientation follows it
            if command.name == "overlap" and self.interrupting:
                first = (SetInterrupt(on=False),)  # scheduling schemes exclude each other
                self.interrupting = False
        elif isinstance(command, SetInterrupt):
            self.interrupting = command.on
        elif isinstance(command, Lock):
            self.locked |= {command.hand}
        elif isinstance(command, Unlock):
            self.locked -= {command.hand}
        elif isinstance(command, Record):
            self.recording = command.on
        return (*first, *self._tell(command))

    def _reach(self, action: ReachNumber) -> tuple[Command, ...]:
        names = self.objects if action.what == "object" else self.spaces
        name = self.name_of(action.what, action.number)
        if name is None:
            return self._nothing(f"there is no {action.what} number {action.number}; the scene has {len(names)}")
        if action.what == "object":
            return self._tell(Reach(hand=action.hand, object=name))
        return self._tell(Reach(hand=action.hand, space=name))

    def name_of(self, what: str, number: int) -> str | None:
        """The name of the object or space with a number."""
        names = self.objects if what == "object" else self.spaces
        if what == "space" and str(number) in names:
            return str(number)
        return names[number - 1] if number <= len(names) else None

    def _tell(self, command: Command) -> tuple[Command, ...]:
        words = format_command(command)
        self.message = words[:1].upper() + words[1:]
        return (command,)

    def _nothing(self, problem: str) -> tuple[Command, ...]:
        self.message = self.problem = problem
        return ()


def _grip_turn(grip: str) -> Vector:
    z, y, x = GRIP_TABLE[grip].turn
    return _wrap_degrees((x, y, z))


def _wrap_degrees(turn: Vector) -> Vector:
    """Angles wrapped to (-180, 180]."""
    x, y, z = (round(180.0 - (180.0 - angle) % 360.0, 9) + 0.0 for angle in turn)
    return x, y, z


def _with(vector: Vector, axis: int, value: float) -> Vector:
    changed = list(vector)
    changed[axis] = value
    return changed[0], changed[1], changed[2]
