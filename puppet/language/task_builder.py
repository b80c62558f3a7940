"""Builds the commands that take time, tasks of hands and movements of the head, or reports their mistakes."""

from __future__ import annotations

from collections.abc import Collection
from itertools import accumulate
from typing import Any

from puppet import command as commands
from puppet.command import (
    AUTO,
    BOTH,
    EITHER,
    GRIPS,
    MAX_CLEARANCE,
    MAX_FRAME,
    MAX_SPEED,
    Movement,
    Relation,
    Spot,
    Task,
)
from puppet.errors import did_you_mean
from puppet.files.text_file import shorten
from puppet.language import tree
from puppet.language.idioms import said_here
from puppet.language.meanings import meant_word
from puppet.language.syntax_mistakes import VERBS, misspelt_verb
from puppet.language.tree import Atom, Value, VectorNode
from puppet.language.value_reader import ValueReader
from puppet.language.vocabulary import CHOICES, PRIMITIVE_NAMES, PRIMITIVES_OF
from puppet.types import Vector

MAX_SLIDE_DISTANCE = 100.0  # of one slide, as on stage
MAX_TURNS = 1000
MAX_ANGLE = 3600.0  # degrees
_OTHER_OPTIONS = (  # how people write what is said in another way
    (("duration", "time", "frames", "length", "lasts", "takes", "for", "in", "over"), "how long it lasts is: speed 20"),
    (("cycles", "times", "count", "repeat", "1", "2", "3", "4"), "to do it more than once: repeat 3, the line, end"),
    (("from",), "how a hand takes hold is: grip top, grip side or grip bottom"),
    (("at", "start", "begin"), "a time has a line of its own before it, as in: at 20"),
    (("hand", "arm", "using"), "the hand stands behind 'with', as in: reach cup with left"),
    (("after", "end", "finish"), "as in: when pouring ends"),
    (("while", "during", "before"), "as in: when pouring starts, or: when pouring starts - 10"),
    (("ease", "easing", "interpolation"), "how it spreads over its time is: curve smooth"),
)
_Things = tuple[tuple[str, str], ...]


class TaskBuilder(ValueReader):
    """Builds the commands of statements that take time."""

    def _action(self, statement: tree.Statement) -> Movement:
        match statement:
            case tree.ReachStatement():
                return self._reach(statement)
            case tree.TakeStatement():
                hand = self._hand(statement.hand, (EITHER, BOTH))
                options = self._options(statement.options, "take")
                return commands.TakeThing(hand=hand, **self._thing(statement.what, statement.target), **options)
            case tree.PutStatement():
                return self._put(statement)
            case tree.GiveStatement():
                thing, hand = self._object(statement.thing), self._hand(statement.hand)
                return commands.GiveThing(hand=hand, object=thing, **self._options(statement.options, "give"))
            case tree.PointStatement():
                spot, hand = self._spot(statement.spot), self._hand(statement.hand, (EITHER, BOTH))
                return commands.PointAt(hand=hand, spot=spot, **self._options(statement.options, "point"))
            case tree.SlideStatement():
                return self._slide(statement)
            case tree.PerformStatement():
                gesture, things = self._gesture(statement)
                options = self._options(statement.options, "gesture", gesture)
                hand = self._hand(statement.hand, (EITHER, BOTH))
                return commands.Perform(hand=hand, gesture=gesture, things=things, **options)
            case tree.LookStatement():
                return self._look(statement)
            case tree.HeadStatement():
                if statement.part is not None and statement.part.text != "head":
                    found = shorten(statement.part.text)
                    self._add_mistake(statement.part.place, f"expected 'head', found '{found}'", "as in: shake head")
                return commands.MoveHead(kind=statement.kind, **self._options(statement.options, statement.kind))
            case tree.PoseStatement():
                joint = self._known(statement.joint, self._vocabulary.joints, "joint")
                angles = self._vector(statement.at, "angles", MAX_ANGLE)
                return commands.PoseJoint(joint=joint, angles=angles, **self._options(statement.options, "pose"))
            case tree.DragStatement():
                to = None if statement.to is None else self._place(statement.to)
                by = None if statement.by is None else self._vector(statement.by, "distances", MAX_SLIDE_DISTANCE)
                options = self._options(statement.options, "drag")
                return commands.Drag(part=self._part(statement.part), to=to, by=by, **options)
            case tree.TravelStatement():
                return self._travel(statement)
        raise AssertionError(f"no single command: {statement}")

    # ---- tasks

    def _slide(self, statement: tree.SlideStatement) -> Task:
        by = self._vector(statement.by, "distances", MAX_SLIDE_DISTANCE)
        turn: str | Vector | None = None
        asked = None if statement.turn is None else self._found(statement.turn)
        if isinstance(asked, VectorNode):
            turn = self._vector(statement.turn, "angles", MAX_ANGLE)  # type: ignore[arg-type]
        elif statement.turn is not None:
            turn = self._choice(statement.turn, GRIPS, "grip")
        options = self._options(statement.options, "slide")
        return commands.Slide(hand=self._hand(statement.hand), by=by, turn=turn, **options)

    def _reach(self, statement: tree.ReachStatement) -> commands.Reach:
        target: dict[str, Any] = {}
        if statement.what == "point":
            target["point"] = self._vector(statement.target, "distances", MAX_SLIDE_DISTANCE)
        elif isinstance(statement.target, Atom) and statement.what in ("object", "kind"):
            target = self._thing(statement.what, statement.target)
        elif isinstance(statement.target, Atom):
            target["space"] = self._space(statement.what, statement.target)
        hand = self._hand(statement.hand, (EITHER, BOTH))
        return commands.Reach(hand=hand, **target, **self._options(statement.options, "reach"))

    def _put(self, statement: tree.PutStatement) -> commands.PutThing:
        where: dict[str, Any]
        if statement.what == "object":
            where = {"onto": self._known(statement.target, self._vocabulary.objects, "object", "put THING on")}
        else:
            where = {"space": self._space(statement.what, statement.target)}
        thing, options = self._object(statement.thing), self._options(statement.options, "put")
        return commands.PutThing(object=thing, **where, **options)

    def _look(self, statement: tree.LookStatement) -> commands.LookAt:
        spot = None if statement.spot is None else self._spot(statement.spot)
        if statement.ahead is not None and statement.ahead.text != "ahead":
            name = shorten(statement.ahead.text)
            message = f"expected 'at' and what is looked at, or 'ahead', found '{name}'"
            hint = said_here(f"look {statement.ahead.text}") or f"as in: look at {name}"
            self._add_mistake(statement.ahead.place, message, hint)
        return commands.LookAt(spot=spot, **self._options(statement.options, "look"))

    def _object(self, atom: Atom) -> str:
        return self._known(atom, self._vocabulary.objects, "object")

    def _thing(self, what: str, atom: Atom) -> dict[str, Any]:
        """An object by its name, or the kind of the nearest one."""
        if what == "kind":
            hint = "things have a kind where the environment says so, as in: kind: block"
            kinds = self._vocabulary.kinds
            name = self._name(atom)
            if self._has_value(atom) and kinds is not None and name not in kinds:
                near = did_you_mean(name[:60], kinds)
                self._mistake_in(atom, f"there is no thing of the kind '{shorten(name)}'; {near}", hint)
            return {"nearest": name}
        return {"object": self._object(atom)}

    def _space(self, what: str, atom: Atom) -> str:
        words = self._vocabulary
        if what == "hand":
            return self._hand(atom)
        spaces = None if words.spaces is None else words.spaces | frozenset(words.hands)
        return self._known(atom, spaces, "space")

    def _spot(self, node: tree.SpotNode) -> Spot:
        """What is looked or pointed at."""
        words = self._vocabulary
        if not isinstance(node.value, Atom) or isinstance(self._found(node.value), VectorNode):
            return Spot("point", point=self._vector(node.value, "distances", MAX_SLIDE_DISTANCE))
        if node.kind == "hand":
            return Spot("hand", self._hand(node.value))
        if node.kind == "space":
            return Spot("space", self._space("space", node.value))
        known = None if words.places is None or words.spaces is None else words.places | words.spaces
        return Spot("name", self._known(node.value, known, "thing"))

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
        starts = ["", *accumulate((atom.text for atom in words), "{} {}".format)]
        for count in range(len(words) - 1, 0, -1):
            if starts[count] in self._vocabulary.thing_words:
                return starts[count], self._things(starts[count], words[count:], statement.hand)
        last = words[-1].place
        place = words[0].place._replace(length=last.column + last.length - words[0].place.column)
        impossible = next((start for start in reversed(starts) if start in self._vocabulary.impossible), None)
        if impossible is not None:
            message = self._vocabulary.impossible[impossible]
        elif statement.named:
            message = f"unknown gesture '{shorten(name)}'; {did_you_mean(name[:60], known)}"
        else:
            verb = words[0].text
            message = misspelt_verb(verb)
            near = did_you_mean(name[:60].lower(), known)
            certain = verb.lower() in VERBS or bool(meant_word(verb))
            if not message or (near.startswith("did you mean") and not certain):
                call = verb in self._vocabulary.definitions and len(words) == 1
                near = f"call it with brackets: {verb}(...)" if call else near
                message = f"unknown command '{shorten(name)}'; {near}"
            else:
                place = words[0].place
        self._add_mistake(place, message, said_here(f"{name} with {statement.hand.text}"))
        return "", ()

    def _things(self, gesture: str, atoms: tuple[Atom, ...], hand: Atom) -> _Things:
        """The things that a gesture names: `pot into cup` behind `pour`."""
        found: list[tuple[str, str]] = []
        left = list(self._vocabulary.thing_words[gesture])
        rest = list(atoms)
        while rest:
            atom = rest.pop(0)
            word = atom.text if atom.kind == "word" and atom.text in left and atom.text else ""
            if word not in left or (word and not rest):
                ways = " and ".join(f"'{way} THING'" if way else "a thing" for way in left) or "nothing more"
                said = said_here(f"{gesture} {' '.join(each.text for each in atoms)} with {hand.text}")
                self._mistake_in(atom, f"expected {ways} behind '{gesture}', found '{shorten(atom.text)}'", said)
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
            place = atoms[0].place._replace(length=last.column + last.length - atoms[0].place.column)
            near = did_you_mean(name[:60], known)
            self._add_mistake(place, f"unknown part '{shorten(' '.join(words))}'; {near}")
        return name

    def _travel(self, statement: tree.TravelStatement) -> commands.Travel:
        to: str | tuple[float, float] | None = None
        if statement.to is not None:
            to = self._floor_place(statement.to, "bar" if statement.verb == "swing" else "thing")
        by = None if statement.by is None else self._number(statement.by, "an angle", -MAX_ANGLE, MAX_ANGLE)
        foot = self._known(statement.foot[0], ("left", "right"), "foot") if statement.foot else None
        for atom in statement.foot[1:]:
            self._known(atom, ("foot",), "word")
        options = self._options(statement.options, statement.verb)
        return commands.Travel(verb=statement.verb, to=to, by=by, foot=foot, **options)

    def _floor_place(self, value: Value, what: str) -> str | tuple[float, float]:
        """A place x, z on the floor, or the name of a thing."""
        found = self._found(value)
        if not isinstance(found, VectorNode):
            return self._choice(value, self._vocabulary.bars if what == "bar" else self._vocabulary.places, what)
        numbers = [self._number(item, "a number", -MAX_SLIDE_DISTANCE, MAX_SLIDE_DISTANCE) for item in found.items]
        if len(numbers) != 2:
            message = f"expected a place x, z on the floor, found {len(numbers)} numbers"
            self._mistake_in(value, message, "as in: (0.4, 1.2)")
            return 0.0, 0.0
        return numbers[0], numbers[1]

    def _place(self, value: Value) -> str | Vector:
        """A point of the world, or the name of a thing."""
        if isinstance(self._found(value), VectorNode):
            return self._vector(value, "coordinates", MAX_SLIDE_DISTANCE)
        return self._choice(value, self._vocabulary.places, "thing")

    # ---- primitives

    def _options(self, options: tree.Options, task: str, gesture: str = "") -> dict[str, Any]:
        """Motion primitives, and when the task begins and how long it goes on."""
        found: dict[str, Any] = {}
        allowed = PRIMITIVES_OF[task]
        for option in options:
            if isinstance(option, tree.RelationNode):
                self._relation(option, gesture, found)
                continue
            name = option.name.text
            if name in found:
                self._mistake_in(option.name, f"'{name}' stands here twice")
            elif name in allowed:
                found[name] = self._option(name, option.value)
            elif name in PRIMITIVE_NAMES:
                words = f"a {task}"
                hint = "a slide takes an orientation with turn: turn side" if (task, name) == ("slide", "grip") else ""
                self._mistake_in(option.name, f"'{name}' has no meaning for {words}; it takes {_listed(allowed)}", hint)
            else:
                near = did_you_mean(name[:60], allowed)
                hint = next((words for names, words in _OTHER_OPTIONS if name in names), "")
                self._mistake_in(option.name, f"unknown motion primitive '{shorten(name)}'; {near}", hint)
        return found

    def _relation(self, node: tree.RelationNode, gesture: str, found: dict[str, Any]) -> None:
        if node.kind in found:
            self._add_mistake(node.name.place, f"'{node.kind}' stands here twice")
        offset = 0
        if node.offset is not None:
            offset = self._frames(node.offset, 0, MAX_FRAME) * (-1 if node.sign == "-" else 1)
        cyclic = self._vocabulary.cyclic
        if node.kind == "until" and cyclic is not None and gesture not in cyclic and self._complete:
            names = ", ".join(sorted(cyclic)) or "there are none here"
            self._add_mistake(node.name.place, "'until' is for gestures that go on in cycles", f"these do: {names}")
        name = self._task_name(node.name)
        found[node.kind] = Relation(name, node.edge, offset, self._scope.block_of(name))

    def _task_name(self, atom: Atom) -> str:
        """The name of a task, which a parameter may stand for."""
        return self._name(atom) if atom.text in self._scope.parameters else atom.text

    def _option(self, name: str, value: Value) -> str | int | float | Vector:
        if name == "gain":
            return self._number(value, "a gain", 0.0, 1.0)
        if name == "point":
            return self._vector(value, "coordinates", MAX_SLIDE_DISTANCE)
        if name == "turn":
            return self._vector(value, "angles", MAX_ANGLE)
        return self._primitive(name, value)

    def _primitive(self, name: str, value: Value) -> str | int | float:
        if name == "speed":
            found = self._found(value)
            return AUTO if isinstance(found, Atom) and found.text == AUTO else self._frames(value, 1, MAX_SPEED)
        if name == "height":
            return self._number(value, "a height", 0.0, MAX_SLIDE_DISTANCE)
        if name == "turns":
            return self._whole_number(value, "a number of turns", 1, MAX_TURNS)
        if name == "clearance":
            return self._number(value, "a clearance", 0.0, MAX_CLEARANCE)
        return self._choice(value, CHOICES[name], name)


def _without_the(words: str) -> str:
    """Words without `the`, as the grammar gives them."""
    return " ".join(word for word in words.split() if word != "the")


def _listed(words: Collection[str]) -> str:
    *front, last = words
    return f"{', '.join(front)} and {last}" if front else last
