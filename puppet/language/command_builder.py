"""Builds the command of a statement, or reports its mistakes. Parameters are replaced by their values."""

from __future__ import annotations

from dataclasses import replace

from puppet import command as commands
from puppet.command import BOTH, MAX_FRAME, MAX_PUSH, Command, Movement, Source
from puppet.errors import did_you_mean
from puppet.files.text_file import shorten
from puppet.language import tree
from puppet.language.calculation import any_of, drawing
from puppet.language.reader import MAX_FPS, MIN_FPS
from puppet.language.task_builder import TaskBuilder
from puppet.language.value_reader import Scope
from puppet.language.vocabulary import PRIMITIVE_NAMES

MAX_REPEATS = 10**12  # the checker limits the number of commands
MAX_SEED = 10**9
NO_SOURCE = Source()  # of commands that are only judged

_OWN_LINES = {
    "seed": "seed 7", "fps": "fps 25", "body": "body person", "environment": 'environment "blocks.yaml"',
    "physics": "physics on", "balance": "balance off",
}  # what people set, and how it is written  # fmt: skip


class CommandBuilder(TaskBuilder):
    """Builds commands from statements. `report` is called for every mistake; a statement with one gives no command."""

    def command(self, statement: tree.Statement, scope: Scope, source: Source) -> Command | None:
        """The command of a statement that is not a block, a call or a definition."""
        self._begin(scope)
        found = self._command(statement)
        if source is not NO_SOURCE and self._complete:
            found = replace(found, source=source)
        return found if self._complete else None

    def count(self, statement: tree.RepeatStatement, scope: Scope) -> int | None:
        """How often a block is repeated."""
        self._begin(scope)
        found = self._whole_number(statement.count, "a number of times", 1, MAX_REPEATS)
        return found if self._complete else None

    def seed(self, statement: tree.SeedStatement, scope: Scope) -> None:
        """Begins to draw random numbers anew; nothing is drawn while a script is checked."""
        self._begin(scope)
        seed = self._whole_number(statement.value, "a seed", 0, MAX_SEED)
        if self._complete and self._draw is not any_of:
            self._draw = drawing(seed)

    def _command(self, statement: tree.Statement) -> Command:
        match statement:
            case tree.EnvironmentStatement():
                path = self._name(statement.path)
                if self._complete and not path.strip():
                    self._mistake_in(statement.path, "expected the name of a file, found nothing")
                return commands.UseEnvironment(path=path)
            case tree.FpsStatement():
                return commands.SetFps(fps=self._number(statement.value, "frames a second", MIN_FPS, MAX_FPS))
            case tree.SetStatement():
                return self._set(statement)
            case tree.InterruptStatement():
                found = self._command(statement.task)
                assert isinstance(found, Movement)
                return replace(found, interrupt=True)
            case tree.LabelledStatement():
                label = statement.label.text
                return replace(self._action(statement.action), label=label, blocks=self._scope.blocks_around(label))
            case tree.BodyStatement():
                return commands.UseBody(path=self._name(statement.path))
            case tree.PinStatement():
                to = None if statement.to is None else self._place(statement.to)
                return commands.Pin(part=self._part(statement.part), to=to, **self._options(statement.options, "pin"))
            case tree.UnpinStatement():
                return commands.Unpin(part=self._part(statement.part))
            case tree.BalanceStatement():
                return commands.Balance(on=self._choice(statement.value, ("on", "off"), "value of balance") == "on")
            case tree.PushStatement():
                force = self._vector(statement.by, "newtons", MAX_PUSH)
                lasts = self._frames(statement.frames, 1, MAX_FRAME)
                return commands.Push(part=self._part(statement.part), by=force, frames=lasts)
            case tree.PhysicsStatement():
                return commands.SetPhysics(on=self._choice(statement.value, ("on", "off"), "value of physics") == "on")
            case tree.LockStatement():
                return commands.Lock(hand=self._hand(statement.hand))
            case tree.UnlockStatement():
                return commands.Unlock(hand=self._hand(statement.hand))
            case tree.ReleaseStatement():
                return commands.ReleaseHand(hand=self._hand(statement.hand, (BOTH,)))
            case tree.FreezeStatement():
                return commands.Freeze()
            case tree.WaitForStatement():
                name = self._task_name(statement.name)
                return commands.WaitFor(name=name, block=self._scope.block_of(name))
            case tree.AtStatement():
                return commands.At(frame=self._frames(statement.value, 0, MAX_FRAME))
            case tree.WaitStatement():
                frames = None if statement.value is None else self._frames(statement.value, 0, MAX_FRAME)
                return commands.Wait(frames=frames)
            case tree.RecordStatement():
                return commands.Record(on=statement.on)
        return self._action(statement)

    # ---- statements

    def _set(self, statement: tree.SetStatement) -> Command:
        name = statement.name.text
        if name == "interrupt":
            word = self._choice(statement.value, ("on", "off"), "value of interrupt")
            return commands.SetInterrupt(on=word == "on")
        if name not in PRIMITIVE_NAMES:
            near = did_you_mean(name[:60], (*PRIMITIVE_NAMES, "interrupt"))
            hint = f"it has a line of its own: {_OWN_LINES[name]}" if name in _OWN_LINES else ""
            self._mistake_in(statement.name, f"unknown motion primitive '{shorten(name)}'; {near}", hint)
            return commands.Freeze()
        return commands.SetPrimitive(name=name, value=self._primitive(name, statement.value))
