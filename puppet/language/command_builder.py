"""Builds the command of a statement, or reports its mistakes. Parameters are replaced by their values."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from puppet import command as commands
from puppet.command import AUTO, GRIPS, MAX_CLEARANCE, MAX_FRAME, MAX_SPEED, Command, Source, Task
from puppet.errors import did_you_mean
from puppet.files.text_file import shorten
from puppet.language import tree
from puppet.language.calculation import any_of, drawing
from puppet.language.reader import MAX_FPS, MIN_FPS
from puppet.language.syntax_mistakes import misspelt_verb
from puppet.language.tree import Atom, TaskOption, Value, VectorNode
from puppet.language.value_reader import Scope, ValueReader
from puppet.language.vocabulary import CHOICES, PRIMITIVE_NAMES, PRIMITIVES_OF
from puppet.types import Vector

MAX_SLIDE_DISTANCE = 100.0  # of one slide, as on stage
MAX_ANGLE = 3600.0  # degrees
MAX_REPEATS = 10**12  # the checker limits the number of commands
MAX_SEED = 10**9
_Things = tuple[tuple[str, str], ...]


class CommandBuilder(ValueReader):
    """Builds commands from statements. `report` is called for every mistake; a statement with one gives no command."""

    def command(self, statement: tree.Statement, scope: Scope, source: Source) -> Command | None:
        """The command of a statement that is not a block, a call or a definition."""
        self._begin(scope)
        found = self._command(statement)
        return replace(found, source=source) if self._complete else None

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
            case tree.TaskStatement():
                return self._task(statement)
            case tree.InterruptStatement():
                return replace(self._task(statement.task), interrupt=True)
            case tree.PoseStatement():
                joint = self._known(statement.joint, self._vocabulary.joints, "joint")
                angles = self._vector(statement.at, "angles", MAX_ANGLE)
                return commands.PoseJoint(joint=joint, angles=angles, **self._options(statement.options, "pose"))
            case tree.BodyStatement():
                return commands.UseBody(path=self._name(statement.path))
            case tree.PinStatement():
                to = None if statement.to is None else self._place(statement.to)
                return commands.Pin(part=self._part(statement.part), to=to, **self._options(statement.options, "pin"))
            case tree.UnpinStatement():
                return commands.Unpin(part=self._part(statement.part))
            case tree.DragStatement():
                to = None if statement.to is None else self._place(statement.to)
                by = None if statement.by is None else self._vector(statement.by, "distances", MAX_SLIDE_DISTANCE)
                options = self._options(statement.options, "drag")
                return commands.Drag(part=self._part(statement.part), to=to, by=by, **options)
            case tree.BalanceStatement():
                return commands.Balance(on=self._choice(statement.value, ("on", "off"), "value of balance") == "on")
            case tree.LockStatement():
                return commands.Lock(hand=self._hand(statement.hand))
            case tree.UnlockStatement():
                return commands.Unlock(hand=self._hand(statement.hand))
            case tree.FreezeStatement():
                return commands.Freeze()
            case tree.AtStatement():
                return commands.At(frame=self._frames(statement.value, 0, MAX_FRAME))
            case tree.WaitStatement():
                frames = None if statement.value is None else self._frames(statement.value, 0, MAX_FRAME)
                return commands.Wait(frames=frames)
            case tree.RecordStatement():
                return commands.Record(on=statement.on)
        raise AssertionError(f"no single command: {statement}")

    # ---- statements

    def _set(self, statement: tree.SetStatement) -> Command:
        name = statement.name.text
        if name == "interrupt":
            word = self._choice(statement.value, ("on", "off"), "value of interrupt")
            return commands.SetInterrupt(on=word == "on")
        if name not in PRIMITIVE_NAMES:
            near = did_you_mean(name[:60], (*PRIMITIVE_NAMES, "interrupt"))
            self._mistake_in(statement.name, f"unknown motion primitive '{shorten(name)}'; {near}")
            return commands.Freeze()
        return commands.SetPrimitive(name=name, value=self._primitive(name, statement.value))

    def _task(self, statement: tree.TaskStatement) -> Task:
        task: Task
        if isinstance(statement, tree.ReachStatement):
            task = self._reach(statement)
        elif isinstance(statement, tree.SlideStatement):
            by = self._vector(statement.by, "distances", MAX_SLIDE_DISTANCE)
            turn: str | Vector | None = None
            asked = None if statement.turn is None else self._found(statement.turn)
            if isinstance(asked, VectorNode):
                turn = self._vector(statement.turn, "angles", MAX_ANGLE)  # type: ignore[arg-type]
            elif statement.turn is not None:
                turn = self._choice(statement.turn, GRIPS, "grip")
            options = self._options(statement.options, "slide")
            task = commands.Slide(hand=self._hand(statement.hand), by=by, turn=turn, **options)
        else:
            assert isinstance(statement, tree.PerformStatement)
            gesture, things = self._gesture(statement)
            options = self._options(statement.options, "gesture")
            task = commands.Perform(hand=self._hand(statement.hand), gesture=gesture, things=things, **options)
        return task

    def _reach(self, statement: tree.ReachStatement) -> commands.Reach:
        words = self._vocabulary
        target: dict[str, Any] = {}
        if statement.what == "object":
            target["object"] = self._known(statement.target, words.objects, "object")
        elif statement.what == "hand":
            target["space"] = self._hand(statement.target)
        else:
            spaces = None if words.spaces is None else words.spaces | frozenset(words.hands)
            target["space"] = self._known(statement.target, spaces, "space")
        hand = self._hand(statement.hand)
        return commands.Reach(hand=hand, **target, **self._options(statement.options, "reach"))

    def _gesture(self, statement: tree.PerformStatement) -> tuple[str, _Things]:
        """The name of a gesture, and the things that stand behind it, each with the word before it."""
        words = statement.words
        known = self._vocabulary.gestures
        if statement.named and len(words) == 1 and words[0].text not in self._vocabulary.impossible:
            return self._known(words[0], known, "gesture"), ()
        name = " ".join(atom.text for atom in words)
        if known is None or name in known:
            return name, ()
        same = [gesture for gesture in sorted(known) if _without_the(gesture) == name]
        if same:
            return same[0], ()
        starts = [" ".join(atom.text for atom in words[:count]) for count in range(len(words) + 1)]
        for count in range(len(words) - 1, 0, -1):
            if starts[count] in self._vocabulary.thing_words:
                return starts[count], self._things(starts[count], words[count:])
        last = words[-1].place
        place = replace(words[0].place, length=last.column + last.length - words[0].place.column)
        impossible = next((start for start in reversed(starts) if start in self._vocabulary.impossible), None)
        if impossible is not None:
            message = self._vocabulary.impossible[impossible]
        elif statement.named:
            message = f"unknown gesture '{shorten(name)}'; {did_you_mean(name[:60], known)}"
        else:
            verb = words[0].text
            message = misspelt_verb(verb)
            near = did_you_mean(name[:60].lower(), known)
            if near.startswith("did you mean") or not message:
                call = verb in self._vocabulary.definitions and len(words) == 1
                near = f"call it with brackets: {verb}(...)" if call else near
                message = f"unknown command '{shorten(name)}'; {near}"
            else:
                place = words[0].place
        self._add_mistake(place, message)
        return "", ()

    def _things(self, gesture: str, atoms: tuple[Atom, ...]) -> _Things:
        """The things that a gesture names: `pot into cup` behind `pour`."""
        found: list[tuple[str, str]] = []
        left = list(self._vocabulary.thing_words[gesture])
        rest = list(atoms)
        while rest:
            atom = rest.pop(0)
            word = atom.text if atom.kind == "word" and atom.text in left and atom.text else ""
            if word not in left or (word and not rest):
                ways = " and ".join(f"'{way} THING'" if way else "a thing" for way in left) or "nothing more"
                self._mistake_in(atom, f"expected {ways} behind '{gesture}', found '{shorten(atom.text)}'")
                return ()
            del left[: left.index(word) + 1]
            found.append((word, self._known(rest.pop(0) if word else atom, self._vocabulary.objects, "object")))
        return tuple(found)

    def _part(self, atoms: tuple[Atom, ...]) -> str:
        """A part of the body by its joint's name, written with or without `_`."""
        words = [self._name(atom) for atom in atoms]
        if not all(self._has_value(atom) for atom in atoms):
            return ""
        name, known = "_".join(word.replace(" ", "_") for word in words), self._vocabulary.joints
        if known is not None and name not in known:
            last = atoms[-1].place
            place = replace(atoms[0].place, length=last.column + last.length - atoms[0].place.column)
            near = did_you_mean(name[:60], known)
            self._add_mistake(place, f"unknown part '{shorten(' '.join(words))}'; {near}")
        return name

    def _place(self, value: Value) -> str | Vector:
        """A point of the world, or the name of a thing."""
        if isinstance(self._found(value), VectorNode):
            return self._vector(value, "a place", MAX_SLIDE_DISTANCE)
        return self._choice(value, self._vocabulary.objects, "object")

    # ---- primitives

    def _options(self, options: tuple[TaskOption, ...], task: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        allowed = PRIMITIVES_OF[task]
        for option in options:
            name = option.name.text
            if name in found:
                self._mistake_in(option.name, f"'{name}' stands here twice")
            elif name in allowed:
                found[name] = self._primitive(name, option.value)
            elif name in PRIMITIVE_NAMES:
                words = f"a {task}"
                hint = "a slide takes an orientation with turn: turn side" if (task, name) == ("slide", "grip") else ""
                self._mistake_in(option.name, f"'{name}' has no meaning for {words}; it takes {_listed(allowed)}", hint)
            else:
                near = did_you_mean(name[:60], allowed)
                self._mistake_in(option.name, f"unknown motion primitive '{shorten(name)}'; {near}")
        return found

    def _primitive(self, name: str, value: Value) -> str | int | float:
        if name == "speed":
            found = self._found(value)
            return AUTO if isinstance(found, Atom) and found.text == AUTO else self._frames(value, 1, MAX_SPEED)
        if name == "gain":
            return self._number(value, "a gain", 0.0, 1.0)
        if name == "clearance":
            return self._number(value, "a clearance", 0.0, MAX_CLEARANCE)
        return self._choice(value, CHOICES[name], name)


def _without_the(words: str) -> str:
    """Words without `the`, as the grammar gives them."""
    return " ".join(word for word in words.split() if word != "the")


def _listed(words: Collection[str]) -> str:
    *front, last = words
    return f"{', '.join(front)} and {last}" if front else last
