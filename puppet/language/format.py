"""Formats commands in the language, so that a live performance can be read and run again."""

from __future__ import annotations

import re
from collections.abc import Iterable

from puppet.command import (
    DEFAULT_FPS,
    At,
    Balance,
    Command,
    Drag,
    Freeze,
    Lock,
    Perform,
    Pin,
    PoseJoint,
    Push,
    Reach,
    Record,
    SetFps,
    SetInterrupt,
    SetPhysics,
    SetPrimitive,
    Slide,
    Task,
    Travel,
    Unlock,
    Unpin,
    UseBody,
    UseEnvironment,
    Wait,
)
from puppet.errors import PuppetError
from puppet.language.syntax_mistakes import KEYWORDS, VERBS
from puppet.language.vocabulary import PRIMITIVES_OF
from puppet.types import Vector

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_\-]*\Z")


def format_script(
    given: Iterable[tuple[int, Command]], environment: str | None = None, fps: float = DEFAULT_FPS, title: str = ""
) -> str:
    """A script that gives each command at its frame, to run a live performance again.

    Frames must not decrease. Commands about time are left out: the frames replace them.
    """
    lines = [f"# {line}" for line in title.splitlines()]
    lines += [] if environment is None else [format_command(UseEnvironment(path=environment))]
    lines += [] if fps == DEFAULT_FPS else [format_command(SetFps(fps=fps))]
    now = 0
    for frame, command in given:
        if isinstance(command, (At, Wait, SetFps, UseEnvironment, UseBody)):
            continue
        if frame != now:
            lines.append(format_command(At(frame=frame)))
            now = frame
        lines.append(format_command(command))
    return "\n".join([*lines, ""])


def format_command(command: Command) -> str:
    """A line that reads back as this command. Primitives that do not apply to its task are left out."""
    match command:
        case Task():
            return ("interrupt " if command.interrupt else "") + _task(command)
        case PoseJoint():
            options = _options(command, "pose")
            return f"pose {_name(command.joint)} at {_vector(command.angles)}{options}"
        case Pin():
            to = "" if command.to is None else f" to {_place(command.to)}"
            turn = "" if command.turn is None else f", turn {_vector(command.turn)}"
            gain = "" if command.gain == 1.0 else f", gain {_number(command.gain)}"
            return f"pin {_name(command.part)}{to}{turn}{gain}"
        case Unpin():
            return f"unpin {_name(command.part)}"
        case Drag():
            where = f"by {_vector(command.by)}" if command.by is not None else f"to {_place(command.to or (0, 0, 0))}"
            return f"drag {_name(command.part)} {where}{_options(command, 'drag')}"
        case Travel():
            return _travel(command)
        case Balance():
            return f"balance {'on' if command.on else 'off'}"
        case Push():
            return f"push {_name(command.part)} by {_vector(command.by)} for {command.frames}"
        case SetPhysics():
            return f"physics {'on' if command.on else 'off'}"
        case Lock():
            return f"lock {_name(command.hand)}"
        case Unlock():
            return f"unlock {_name(command.hand)}"
        case Freeze():
            return "freeze"
        case SetPrimitive():
            return f"set {command.name} {_value(command.value)}"
        case SetInterrupt():
            return f"set interrupt {'on' if command.on else 'off'}"
        case SetFps():
            return f"fps {_value(command.fps)}"
        case UseBody():
            return f"body {_name(command.path)}"
        case UseEnvironment():
            return f"environment {_quoted(command.path)}"
        case At():
            return f"at {command.frame}"
        case Wait():
            return "wait until done" if command.frames is None else f"wait {command.frames}"
        case Record():
            return f"record {'start' if command.on else 'stop'}"
    raise PuppetError(f"the language has no words for a {type(command).__name__}")


def _task(task: Task) -> str:
    hand = _name(task.hand)
    match task:
        case Reach(object=str(thing)):
            return f"reach {_name(thing)} with {hand}{_options(task, 'reach')}"
        case Reach(space=str(space)):
            return f"reach space {_name(space)} with {hand}{_options(task, 'reach')}"
        case Slide():
            turn = ""
            if task.turn is not None:
                turn = f" turn {_name(task.turn) if isinstance(task.turn, str) else _vector(task.turn)}"
            return f"slide {hand} by {_vector(task.by)}{turn}{_options(task, 'slide')}"
        case Perform():
            things = "".join(f" {word}".rstrip() + f" {_name(thing)}" for word, thing in task.things)
            return f"{_gesture(task.gesture)}{things} with {hand}{_options(task, 'gesture')}"
    raise PuppetError(f"the language has no words for {task}")


def _travel(command: Travel) -> str:
    where = "" if command.to is None else _name(command.to) if isinstance(command.to, str) else _vector(command.to)
    words = {
        "walk": f"walk to {where}", "turn": f"turn to {where}", "step": f"step {command.foot} to {where}",
        "sit": "sit down", "stand": "stand up", "crouch": "crouch", "jump": f"jump to {where}",
        "swing": f"swing from {where}",
    }[command.verb]  # fmt: skip
    if command.by is not None:
        words = f"turn by {_number(command.by)}"
    return words + _options(command, command.verb)


def _gesture(name: str) -> str:
    """The words of a gesture; behind `perform` and quoted if they could be mistaken for something else."""
    words = name.split(" ")
    plain = all(_PLAIN.match(word) and word not in ("with", "the") for word in words)
    verb = words[0] in VERBS and (words[0] != "turn" or words[1:2] in (["by"], ["to"]))
    return name if plain and not verb and words[0][0].isalpha() else f"perform {_name(name)}"


def _options(command: Command, kind: str) -> str:
    values = ((name, getattr(command, name)) for name in PRIMITIVES_OF[kind])
    return "".join(f", {name} {_value(value)}" for name, value in values if value is not None)


def _value(value: str | float | Vector) -> str:
    if isinstance(value, tuple):
        return _vector(value)
    return _name(value) if isinstance(value, str) else _number(value)


def _place(place: str | Vector) -> str:
    return _name(place) if isinstance(place, str) else _vector(place)


def _vector(values: tuple[float, ...]) -> str:
    return f"({', '.join(_number(value) for value in values)})"


def _number(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(value + 0.0 if isinstance(value, float) else value).removesuffix(".0")


def _name(name: str) -> str:
    return name if _PLAIN.match(name) and name not in KEYWORDS else _quoted(name)


def _quoted(name: str) -> str:
    if any(char in name for char in '"\n\r') or not name:
        raise PuppetError(f"the name {name!r} cannot be written in the language")
    return f'"{name}"'
