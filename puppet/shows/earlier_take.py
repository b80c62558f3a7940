"""An earlier take to perform on top of (Section 2.1): the commands of a script with their frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from puppet import language
from puppet.body import Body
from puppet.command import (
    BOTH,
    DEFAULT_FPS,
    MAX_FRAME,
    At,
    Command,
    GiveThing,
    Lock,
    LookAt,
    MoveHead,
    Perform,
    PointAt,
    PoseJoint,
    PutThing,
    Reach,
    ReleaseHand,
    SetFps,
    SetPrimitive,
    Slide,
    TakeThing,
    Unlock,
    UseBody,
    UseEnvironment,
    Wait,
    WaitFor,
)
from puppet.errors import PuppetError
from puppet.files.shipped import find
from puppet.files.text_file import read_text
from puppet.language.vocabulary import PRIMITIVES_OF
from puppet.scene import Scene
from puppet.shows.take import TimedCommand
from puppet.stage import Stage
from puppet.tasks import DEFAULT_PRIMITIVES
from puppet.tools import open_script

MOTION_PRIMITIVES = ("grip", "speed", "curve")
_TASK_KINDS: dict[type[Command], str] = {
    Reach: "reach", TakeThing: "take", PutThing: "put", GiveThing: "give", PointAt: "point", LookAt: "look",
    MoveHead: "nod", Slide: "slide", Perform: "gesture", PoseJoint: "pose",
}  # fmt: skip


@dataclass(frozen=True)
class EarlierTake:
    """The commands that a script gives when it is carried out alone.

    Each task has its own grip, speed and curve instead of the script's `set` lines: what is set in one take does not
    change the motions of the other. What is held has its grip already, unless another one was set since. Overlap and
    interrupt concern both takes, so their `set` lines stay.
    """

    scene: Scene
    body: Body
    environment: Path | None  # the file that the script names
    fps: float
    given: tuple[TimedCommand, ...]
    end: int  # the frame at which the script ends


def read_earlier_take(
    script: str | Path,
    environment: str | Path | Scene | None,
    body: Body | None,
    gestures: Iterable[str | Path],
    draft: bool,
) -> EarlierTake:
    """Reads a script file; `body` replaces its own.

    It is carried out only where its frames depend on that: keys, and `wait until done`.
    """
    path = find("scripts", Path(script))
    opened = open_script(path, environment, body, gestures)
    stage = Stage(opened.scene, opened.body, opened.gesture_files, draft)
    keys = path.suffix == ".keys"  # a key that toggles a lock depends on what is locked
    commands = opened.commands(lambda: stage.locks)
    named = None
    if not keys:
        commands = iter(listed := list(commands))
        keys = any(isinstance(c, WaitFor) or (isinstance(c, Wait) and c.frames is None) for c in listed)
        name = language.read_script(read_text(path), str(path)).environment
        named = find("environments", name, path.parent) if name and environment is None else None
    fps, given, end = _with_frames(commands, stage if keys else None)
    return EarlierTake(opened.scene, opened.body, named, fps, _with_own_primitives(given, opened.body.hands), end)


def _with_frames(commands: Iterable[Command], stage: Stage | None) -> tuple[float, tuple[TimedCommand, ...], int]:
    fps, frame = DEFAULT_FPS, 0
    given: list[TimedCommand] = []
    for command in commands:
        if isinstance(command, SetFps):
            fps = command.fps
        elif isinstance(command, At):
            frame = max(frame, command.frame)
        elif isinstance(command, Wait) and command.frames is not None:
            frame += command.frames
        elif isinstance(command, Wait):
            assert stage is not None
            _step_to(stage, frame)
            stage.run_until_idle(MAX_FRAME)
            frame = stage.frame.number
        elif isinstance(command, WaitFor):
            assert stage is not None
            _step_to(stage, frame)
            while not stage.has_ended(command.key) and not stage.settled and stage.frame.number < MAX_FRAME:
                stage.step()
            frame = stage.frame.number
        elif not isinstance(command, (UseBody, UseEnvironment)):
            given.append(TimedCommand(frame, command))
            if stage is not None:
                _step_to(stage, frame)
                stage.give(command)
    if frame > MAX_FRAME:
        raise PuppetError(f"the script takes more than {MAX_FRAME:,} frames; that is too long to perform with")
    return fps, tuple(given), frame


def _with_own_primitives(given: Iterable[TimedCommand], hands: Sequence[str]) -> tuple[TimedCommand, ...]:
    found = []
    own: dict[str, Any] = {name: getattr(DEFAULT_PRIMITIVES, name) for name in MOTION_PRIMITIVES}
    usual: dict[str, str] = {}  # the grip that was set when each hand took hold of what it may have
    for entry in given:
        command = entry.command
        if isinstance(command, SetPrimitive) and command.name in MOTION_PRIMITIVES:
            own[command.name] = command.value
            continue
        kind = _TASK_KINDS.get(type(command))
        told = {name: own[name] for name in PRIMITIVES_OF[kind] if name in own} if kind else {}
        of = _hands_of(command, hands)
        moves = isinstance(command, (Reach, PutThing)) and own["grip"] in (usual[h] for h in of if h in usual)
        if moves or isinstance(command, GiveThing) or getattr(command, "hand", "") == BOTH:
            told.pop("grip", None)  # what is held is put down as it is held, and two hands do not ask what was set
        missing = {name: value for name, value in told.items() if getattr(command, name) is None}
        found.append(replace(entry, command=replace(command, **missing)))
        if isinstance(command, (Lock, TakeThing)):
            usual |= dict.fromkeys(of, own["grip"])
        elif isinstance(command, (Unlock, ReleaseHand)):
            usual = {hand: grip for hand, grip in usual.items() if hand not in of}
    return tuple(found)


def _hands_of(command: Command, hands: Sequence[str]) -> Sequence[str]:
    """The hand that a command names; all, where it names none, either or both."""
    named = getattr(command, "hand", "")
    return [named] if named in hands else hands


def _step_to(stage: Stage, frame: int) -> None:
    while stage.frame.number < frame:
        stage.step()
