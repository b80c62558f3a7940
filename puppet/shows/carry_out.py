"""Runs a script from its first command to the last frame."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from puppet.arguments import public
from puppet.body import Body
from puppet.command import (
    DEFAULT_FPS,
    MAX_FRAME,
    At,
    Command,
    Movement,
    Push,
    Record,
    SetFps,
    SetPhysics,
    UseBody,
    UseEnvironment,
    Wait,
    WaitFor,
)
from puppet.errors import PuppetError
from puppet.files.script_kinds import SCRIPT, SPACE, kind_of, named
from puppet.files.shipped import find
from puppet.files.text_file import read_text
from puppet.geometry import Transform
from puppet.performance import Performance
from puppet.scene import Scene
from puppet.stage import OPEN, Frame, Stage
from puppet.tasks import AtObject, AtSpace
from puppet.tracks import run_tracks
from puppet.types import Floats


@public
def run(
    script: str | Path | Sequence[Command],
    environment: str | Path | Scene | None = None,
    draft: bool = False,
    body: Body | str | Path | None = None,
    gestures: Iterable[str | Path] = (),
    progress: Callable[[float], None] | None = None,
    physics: bool | None = None,
) -> Performance:
    """Carries out a script: a path, its text (several lines, or one that does not end like a file name), or commands;
    or a file of tracks (NAME.tracks.yaml) or its text, for which only `body` and `physics` have a meaning, or of an
    animation space (NAME.space.yaml), for which only `body` has one.

    `environment` and `body` replace those that the script names; without any, the body is the environment's or the
    default one. `draft`: estimated postures, fast and not exact. `progress` is called now and then with the share of
    the commands that is done, 0 to 1. `physics`: whether the motion goes through the dynamics filter, see
    `puppet.filter_motion`; None: as the script says.
    A script with mistakes raises a ScriptError that lists all of them, before anything is carried out.
    """
    if isinstance(script, (str, Path)) and (kind := kind_of(script)) != SCRIPT:
        wearing = Body.load(body) if isinstance(body, (str, Path)) else body
        if named(script):
            path = find(kind, str(script).strip())
            text, name = read_text(path), str(path)
        else:
            text, name = str(script), kind
        if kind == SPACE:
            from puppet.spaces import run_space  # only those who ask for it load it

            return run_space(text, name, wearing)
        keyed = run_tracks(text, name, wearing)
        if not physics:
            return keyed
        from puppet.dynamics import filter_motion  # only those who ask for physics load it

        return filter_motion(keyed)
    from puppet.tools import open_script  # the parser is loaded only when there is a script to read

    clock = time.perf_counter
    begin = clock()
    opened = open_script(script, environment, body, gestures)
    read = clock()
    stage = Stage(opened.scene, opened.body, opened.gesture_files, draft, clock=clock)
    recorder = _Recorder(stage)
    if progress is not None:
        recorder.watch(progress, sum(1 for _ in opened.commands(lambda: stage.locks)))
    fps, notes = _carry_out(stage, opened.commands(lambda: stage.locks), recorder)
    spans = recorder.spans(physics)
    useless = "nothing is pushed without physics: write 'physics on' before it, or run the script with physics"
    for frame, push in recorder.pushes:
        if not any(first <= frame < last for first, last in spans):
            notes.append(_note(push, useless))
    seconds = {"read": read - begin, **stage.timing, "total": clock() - begin}
    performance = recorder.performance(fps, notes, seconds)
    if not spans:
        return performance
    from puppet.dynamics import PushAt, filter_motion  # only those who ask for physics load it

    numbers = performance.numbers  # of the frames on stage that are kept
    pushes = [PushAt(push.part, push.by, bisect_left(numbers, frame), push.frames) for frame, push in recorder.pushes]
    kept = [(bisect_left(numbers, first), bisect_left(numbers, last)) for first, last in spans]
    return filter_motion(performance, pushes=pushes, spans=kept)


def _note(command: Command, message: str) -> dict[str, Any]:
    source = command.source
    return {"file": source.file, "line": source.line, "column": source.column, "message": message}


def _carry_out(stage: Stage, commands: Iterable[Command], recorder: _Recorder) -> tuple[float, list[dict[str, Any]]]:
    fps, notes = DEFAULT_FPS, []
    for command in commands:
        if isinstance(command, SetFps):
            fps = command.fps
            stage.set_fps(fps)
        elif isinstance(command, At):
            if command.frame < stage.frame.number:
                late = f"frame {command.frame} is over: what follows is given at frame {stage.frame.number}"
                notes.append(_note(command, late))
            while stage.frame.number < command.frame:
                recorder.step()
        elif isinstance(command, Wait):
            if command.frames is None:
                while not stage.settled:
                    recorder.step()
            for _ in range(command.frames or 0):
                recorder.step()
        elif isinstance(command, SetPhysics):
            recorder.switch(command)
        elif isinstance(command, Push):
            recorder.push(command)
        elif isinstance(command, WaitFor):
            while not stage.has_ended(command.key) and not stage.settled:
                recorder.step()
        elif not isinstance(command, (UseBody, UseEnvironment)):
            recorder.before(command)
            if (short := recorder.short_recording(command)) is not None:
                notes.append(_note(command, short))
            stage.give(command)
            recorder.after_command()
        recorder.given_count += 1
    stage.close()
    while not stage.idle:
        recorder.step()
    stage.give_up_waiting()
    return fps, notes


class _Recorder:
    """Keeps the frames of a stage that belong to the performance."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._angles: list[Floats] = []
        self._numbers: list[int] = []
        self._changes: list[tuple[int, dict[str, Transform]]] = []
        self._last_objects: object = None
        self._holds: list[tuple[int, Mapping[str, str]]] = []
        self._records_all = True  # no `record` so far
        self._recorded_from = -1  # the frame of the last `record start`
        self._asked = False  # for a movement since then
        self.given_count = 0  # commands of the script
        self._watcher: tuple[Callable[[float], None], int] | None = None
        self._watched_at = 0  # frame
        self._switches: list[tuple[int, bool]] = []  # physics on or off, with the frame on stage
        self.pushes: list[tuple[int, Push]] = []  # with the frame on stage from which each acts
        self._keep(stage.frame)

    def push(self, command: Push) -> None:
        self.pushes.append((self._stage.frame.number, command))

    def switch(self, command: SetPhysics) -> None:
        self._switches.append((self._stage.frame.number, command.on))

    def spans(self, physics: bool | None) -> list[tuple[int, int]]:
        """The frames on stage with physics, from one up to before another: as the script says, all, or none."""
        end = self._stage.frame.number + 1
        if physics is not None:
            return [(0, end)] if physics else []
        found: list[tuple[int, int]] = []
        begin: int | None = None
        for frame, on in self._switches:
            if on and begin is None:
                begin = max(frame, found[-1][1]) if found else frame
            elif not on and begin is not None:
                found.append((begin, frame + 1))
                begin = None
        if begin is not None:
            found.append((begin, end))
        return [span for span in found if span[1] > span[0] + 1]

    def watch(self, progress: Callable[[float], None], commands: int) -> None:
        """Reports the share of so many commands that is done to `progress`."""
        self._watcher = (progress, max(commands, 1))

    def before(self, command: Command) -> None:
        """The first `record` discards the frames that were kept in case there is none."""
        if isinstance(command, Record) and self._records_all:
            self._records_all = False
            self._angles, self._numbers, self._changes, self._last_objects = [], [], [], None
            self._holds = []
        if isinstance(command, Record) and command.on and not self._stage.recording:
            self._keep(self._stage.frame)

    def short_recording(self, command: Command) -> str | None:
        """What is to be said where a recording of tasks ends in the frame in which it began."""
        if not isinstance(command, Record):
            self._asked |= isinstance(command, Movement)
            return None
        here, asked = self._stage.frame.number, self._asked
        began, self._asked = self._recorded_from, False
        self._recorded_from = here if command.on and not self._stage.recording else began
        if command.on or began != here or not asked:
            return None
        return f"only frame {here} is recorded: a command waits for nothing; write, before this: wait until done"

    def after_command(self) -> None:
        """What a hand takes or lets go at once, it holds, or does not, in the frame of the command already."""
        frame = self._stage.frame
        if self._holds and self._numbers[-1] == frame.number and self._holds[-1][1] is not frame.holding:
            last = len(self._angles) - 1
            self._holds = [hold for hold in self._holds if hold[0] < last] + [(last, frame.holding)]

    def step(self) -> None:
        if self._stage.frame.number >= MAX_FRAME:
            raise PuppetError(f"the script takes more than {MAX_FRAME:,} frames; that is too long to keep")
        frame = self._stage.step()
        if self._records_all or self._stage.recording:
            self._keep(frame)
        if self._watcher is not None and frame.number >= self._watched_at:
            progress, commands = self._watcher
            # counting the open tasks takes time in proportion to the script, so it is done ever more rarely
            self._watched_at = frame.number + max(8, frame.number // 64)
            waiting = sum(entry.status in OPEN for entry in self._stage.entries)
            progress((self.given_count - waiting) / commands)

    def _keep(self, frame: Frame) -> None:
        if frame.objects is not self._last_objects:
            self._last_objects = frame.objects
            self._changes.append((len(self._angles), dict(frame.objects)))
        if not self._holds or self._holds[-1][1] is not frame.holding:
            self._holds.append((len(self._angles), frame.holding))
        self._angles.append(frame.angles)
        self._numbers.append(frame.number)

    def performance(self, fps: float, notes: list[dict[str, Any]], seconds: dict[str, float]) -> Performance:
        stage = self._stage
        scene = stage.scene
        angles = np.array(self._angles).reshape(-1, stage.body.dofs)
        angles.flags.writeable = False
        poses = stage.frame.objects
        objects = {
            entry.name: {
                "position": [float(v) for v in poses[entry.name].position],
                "space": scene.space_of(entry.name).name,
                "below": scene.below(entry.name),
            }
            for entry in scene.objects
        }
        report = {
            "fps": fps,
            "frames": len(angles),
            "tasks": stage.report_tasks(),
            "events": [event.as_dict() for event in stage.events],
            "objects": objects,
            "locks": {hand: _lock_words(goal) for hand, goal in stage.locks.items()},
            "notes": notes,
            "timing": {name: round(1e3 * value, 3) for name, value in seconds.items()},
        }
        return Performance(
            stage.body, scene, fps, angles, report, tuple(self._changes), tuple(self._numbers), tuple(self._holds)
        )


def _lock_words(goal: object) -> str:
    if isinstance(goal, AtObject):
        return f"object {goal.object}, {goal.grip} grip"
    if isinstance(goal, AtSpace):
        return f"space {goal.space}, {goal.grip} grip"
    return {"AtPoint": "a point", "AtAngles": "a posture"}.get(type(goal).__name__, "the table")
