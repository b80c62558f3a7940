"""Formats commands in the language, so that a live performance can be read and run again."""

from __future__ import annotations

import re
from collections.abc import Iterable

from puppet.command import (
    BOTH,
    DEFAULT_FPS,
    EITHER,
    At,
    Balance,
    Command,
    Drag,
    Freeze,
    GiveThing,
    Lock,
    LookAt,
    MoveHead,
    Movement,
    Perform,
    Pin,
    PointAt,
    PoseJoint,
    Push,
    PutThing,
    Reach,
    Record,
    Relation,
    ReleaseHand,
    SetFps,
    SetInterrupt,
    SetPhysics,
    SetPrimitive,
    Slide,
    Spot,
    TakeThing,
    Task,
    Travel,
    Unlock,
    Unpin,
    UseBody,
    UseEnvironment,
    Wait,
    WaitFor,
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
        if isinstance(command, (At, Wait, WaitFor, SetFps, UseEnvironment, UseBody)):
            continue
        if frame != now:
            lines.append(format_command(At(frame=frame)))
            now = frame
        lines.append(format_command(command))
    return "\n".join([*lines, ""])


def format_command(command: Command) -> str:
    """A line that reads back as this command. Primitives that do not apply to its task are left out."""
    match command:
        case Movement():
            label = "" if command.label is None else f"{command.label}: "
            label = f"interrupt {label}" if command.interrupt else label
            return label + _action(command) + _relation("when", command.when) + _relation("until", command.until)
        case Pin():
            to = "" if command.to is None else f" to {_place(command.to)}"
            turn = "" if command.turn is None else f", turn {_vector(command.turn)}"
            gain = "" if command.gain == 1.0 else f", gain {_number(command.gain)}"
            return f"pin {_name(command.part)}{to}{turn}{gain}"
        case Unpin():
            return f"unpin {_name(command.part)}"
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
        case ReleaseHand():
            return f"release {_hand(command.hand)}"
        case Freeze():
            return "freeze"
        case WaitFor():
            return f"wait for {_name(command.name)}"
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


def _action(command: Movement) -> str:
    match command:
        case Task():
            return _task(command)
        case LookAt(spot=None):
            return f"look ahead{_options(command, 'look')}"
        case LookAt(spot=Spot() as spot):
            return f"look at {_spot(spot)}{_options(command, 'look')}"
        case MoveHead():
            return f"{'nod' if command.kind == 'nod' else 'shake head'}{_options(command, command.kind)}"
        case PoseJoint():
            return f"pose {_name(command.joint)} at {_vector(command.angles)}{_options(command, 'pose')}"
        case Drag():
            where = f"by {_vector(command.by)}" if command.by is not None else f"to {_place(command.to or (0, 0, 0))}"
            return f"drag {_name(command.part)} {where}{_options(command, 'drag')}"
        case Travel():
            return _travel(command)
    raise PuppetError(f"the language has no words for {command}")


def _task(task: Task) -> str:
    hand = _hand(task.hand)
    match task:
        case Reach():
            target = _point_or_space(task) or _thing(task.object, task.nearest)
            return f"reach {target} with {hand}{_options(task, 'reach')}"
        case TakeThing():
            return f"take {_thing(task.object, task.nearest)} with {hand}{_options(task, 'take')}"
        case PutThing():
            where = f"space {_name(task.space)}" if task.space is not None else _thing(task.onto, None)
            return f"put {_name(task.object)} on {where}{_options(task, 'put')}"
        case GiveThing():
            return f"give {_name(task.object)} to {hand}{_options(task, 'give')}"
        case PointAt():
            return f"point at {_spot(task.spot)} with {hand}{_options(task, 'point')}"
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


def _hand(name: str) -> str:
    """A hand; the words for the better one and for both want another one behind them."""
    return {EITHER: "either hand", BOTH: "both hands"}.get(name) or (_name(name) if name else "")


def _thing(name: str | None, kind: str | None) -> str:
    if name is None and kind is None:
        raise PuppetError("the language has no words for a task without an object, a space or a place")
    return f"nearest {_name(kind)}" if kind is not None else _name(name or "")


def _point_or_space(task: Reach) -> str:
    if task.point is not None:
        return _vector(task.point)
    return "" if task.space is None else f"space {_name(task.space)}"


def _spot(spot: Spot) -> str:
    if spot.kind == "point":
        return _vector(spot.point)
    return {"space": "space {}", "hand": "{} hand"}.get(spot.kind, "{}").format(_name(spot.name))


def _relation(word: str, relation: Relation | None) -> str:
    if relation is None:
        return ""
    sign = "-" if relation.offset < 0 else "+"
    shift = f" {sign} {abs(relation.offset)}" if relation.offset else ""
    return f", {word} {_name(relation.name)} {relation.edge}{shift}"


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
