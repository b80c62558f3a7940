"""What is certain to be rejected when a script is carried out: gestures without the things that they are about, things
that are put down or given though no hand has taken them, journeys of a body that cannot go, times that are over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from puppet.body import Body
from puppet.command import (
    BOTH,
    EITHER,
    At,
    Command,
    Freeze,
    GiveThing,
    Lock,
    Movement,
    Perform,
    PutThing,
    Reach,
    ReleaseHand,
    SetInterrupt,
    TakeThing,
    Task,
    Travel,
    Unlock,
    Wait,
)
from puppet.language import Mistake, Script
from puppet.scene import Scene
from puppet.tasks import Gesture, hand_problem, no_goal, suited_things, travel_problem

MOST_COMMANDS = 20_000  # of a script that are looked at


def foreseen_rejections(
    script: Script, commands: Iterable[Command], scene: Scene, gestures: Mapping[str, Gesture], body: Body
) -> tuple[Mistake, ...]:
    """The mistakes of a script that only show when its commands are taken one after the other."""
    found: dict[tuple[str, int, str], Mistake] = {}
    hands, clock = _Hands(), _Clock()
    for command in islice(commands, MOST_COMMANDS):
        problem = clock.hear(command)
        if isinstance(command, Perform):
            problem = _problem(command, gestures[command.gesture], scene, hands)
        elif isinstance(command, Travel):
            problem = travel_problem(scene, body, command)
        elif isinstance(command, PutThing) and command.onto == command.object:
            problem = f"'{command.object}' cannot stand on itself"
        elif isinstance(command, (PutThing, GiveThing)) and not hands.may_hold(command.object):
            problem = f"no hand holds '{command.object}'; take it first"
        if problem:
            at = command.source
            file = next(file for file in script.files if file.name == at.file)
            words = file.line(at.line)[at.column - 1 :].split("#")[0].rstrip()
            mistake = Mistake(file.name, at.line, at.column, max(1, len(words)), file.line(at.line), problem)
            found.setdefault((file.name, at.line, problem), mistake)
        else:
            hands.hear(command)
    return tuple(sorted(found.values(), key=lambda mistake: (mistake.line, mistake.column)))


def _problem(command: Perform, gesture: Gesture, scene: Scene, hands: _Hands) -> str:
    named = dict(command.things)
    if command.hand == EITHER or hands.unsure:
        return ""
    if gesture.held is not None:
        wanted, held = named.get(gesture.held.word), hands.holding.get(command.hand, "")
        if held == "" or (held is not None and wanted not in (None, held)):
            return hand_problem(gesture, command.hand, held or None, wanted)
    if gesture.goal is not None and gesture.goal.word not in named:
        held = hands.holding.get(command.hand)
        other = any(name != held for name in suited_things(gesture.goal, gesture, scene))
        return "" if other else no_goal(gesture.goal, gesture)
    return ""


class _Clock:
    """The frame that it is at least, as the commands say, and the line that says so."""

    def __init__(self) -> None:
        self._frame, self._line = 0, 0

    def hear(self, command: Command) -> str:
        """What is wrong with a command about time; "" if nothing is."""
        if isinstance(command, Wait) and command.frames:
            self._frame, self._line = self._frame + command.frames, command.source.line
        if not isinstance(command, At):
            return ""
        if command.frame < self._frame:
            since = f"by line {self._line} it is frame {self._frame} already" if self._line else ""
            return f"frame {command.frame} lies before what was told: {since}; time goes forward"
        self._frame, self._line = command.frame, command.source.line
        return ""


class _Hands:
    """The hands that may hold something, as the commands say."""

    def __init__(self) -> None:
        self.holding: dict[str, str | None] = {}  # what a locked hand holds; None: something that is not known
        self._last: dict[str, str | None] = {}  # the thing that a hand was sent to last, if that was a thing
        self._dropped = False  # what hands were sent to is not known: tasks may have been dropped
        self.unsure = False  # a hand was to be chosen

    def may_hold(self, thing: str) -> bool:
        """Whether a hand may hold a thing."""
        return self.unsure or self._dropped or thing in self.holding.values() or None in self.holding.values()

    def hear(self, command: Command) -> None:
        if isinstance(command, (TakeThing, GiveThing, PutThing, ReleaseHand)):
            self._hear_transfer(command)
            return
        if isinstance(command, (Freeze, SetInterrupt)) or (isinstance(command, Movement) and command.interrupt):
            self._dropped = True
        if isinstance(command, Lock):
            if command.hand not in self.holding and (self._dropped or self._last.get(command.hand)):
                self.holding[command.hand] = None if self._dropped else self._last.get(command.hand)
        elif isinstance(command, Unlock):
            self.holding.pop(command.hand, None)
        elif isinstance(command, Task) and command.hand not in self.holding:
            self._last[command.hand] = command.object if isinstance(command, Reach) else None

    def _hear_transfer(self, command: TakeThing | GiveThing | PutThing | ReleaseHand) -> None:
        self._dropped |= isinstance(command, Movement) and command.interrupt
        if isinstance(command, ReleaseHand):
            for hand in list(self.holding) if command.hand == BOTH else [command.hand]:
                self.holding.pop(hand, None)
            return
        if isinstance(command, (GiveThing, PutThing)):
            self.holding = {hand: thing for hand, thing in self.holding.items() if thing not in (command.object, None)}
        if isinstance(command, TakeThing) and command.hand in (EITHER, BOTH):
            self.unsure = True
        elif isinstance(command, (TakeThing, GiveThing)):
            self.holding[command.hand] = command.object
