"""What is certain to be rejected when a script is carried out: gestures without the things that they are about, things
that are put down or given though no hand has taken them, hands that are full or empty though they must not be,
journeys of a body that cannot go, times that are over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from puppet.body import Body
from puppet.command import (
    BOTH,
    EITHER,
    ENDS,
    At,
    Command,
    GiveThing,
    Movement,
    Perform,
    PointAt,
    PutThing,
    ReleaseHand,
    TakeThing,
    Task,
    Travel,
    Wait,
    task_key,
)
from puppet.files.text_file import MAX_MISTAKES
from puppet.files.uncollected import uncollected
from puppet.language import Mistake, Script
from puppet.scene import Scene
from puppet.tasks import Gesture, hand_problem, no_goal, one_hand, suited_things
from puppet.tools.foreseen_body import ForeseenBody
from puppet.tools.foreseen_hands import NO_THING, NOTHING, UNKNOWN, ForeseenHands

MOST_COMMANDS = 10_000  # of a script that are looked at


@uncollected
def foreseen_rejections(
    script: Script,
    commands: Iterable[Command | None],
    scene: Scene | None,
    gestures: Mapping[str, Gesture],
    body: Body,
) -> tuple[Mistake, ...]:
    """The mistakes of a script that only show when its commands are taken one after the other. A command that is None
    may be anything; without a scene, only times are looked at."""
    found: dict[tuple[str, int, str], Mistake] = {}
    hands, clock = ForeseenHands(body.hands), _Clock()
    told = list(islice(commands, MOST_COMMANDS))
    named = {task_key(c.label, block): c for c in told if isinstance(c, Movement) and c.label for block in c.blocks}
    goes = scene is not None and any(isinstance(command, Travel) for command in told)
    whole = ForeseenBody(body, scene, script.fps) if goes and scene is not None else None
    for command in told:
        way = whole.hear(command) if whole is not None else ""
        if command is None:
            hands.forget()
            continue
        hands.drop(command)
        problem = clock.hear(command)
        if not problem and scene is not None:
            problem = way or _problem(command, gestures, scene, hands) or _rival_problem(command, named, hands)
        if problem:
            mistake = _mistake(script, command, problem)
            found.setdefault((mistake.file, mistake.line, problem), mistake)
            if len(found) > MAX_MISTAKES:
                break
        else:
            hands.hear(command)
    return tuple(found.values())


def _mistake(script: Script, command: Command, problem: str) -> Mistake:
    at = command.source
    file = next(file for file in script.files if file.name == at.file)
    words = file.line(at.line)[at.column - 1 :].split("#")[0].rstrip()
    return Mistake(file.name, at.line, at.column, max(1, len(words)), file.line(at.line), problem)


def _problem(command: Command, gestures: Mapping[str, Gesture], scene: Scene, hands: ForeseenHands) -> str:
    """Why a command is certain to be rejected; "" where it is not."""
    if isinstance(command, PutThing) and command.onto == command.object:
        return f"'{command.object}' cannot stand on itself"
    if isinstance(command, (PutThing, GiveThing)) and not hands.may_hold(command.object):
        return f"no hand holds '{command.object}'; take it first"
    if isinstance(command, Perform) and command.hand == BOTH and gestures[command.gesture].held is not None:
        return one_hand(gestures[command.gesture])
    if isinstance(command, (Perform, TakeThing, GiveThing, PointAt)) or (
        isinstance(command, ReleaseHand) and command.hand != BOTH
    ):
        found = [_of_hand(command, gestures, scene, hand, hands) for hand in hands.told(command.hand)]
        certain = any(found) if command.hand == BOTH else all(found)
        return next(problem for problem in found if problem) if certain else ""
    return ""


def _of_hand(
    command: Perform | TakeThing | GiveThing | PointAt | ReleaseHand, gestures: Mapping[str, Gesture], scene: Scene,
    hand: str, hands: ForeseenHands,
) -> str:  # fmt: skip
    """Why a hand cannot do a command, whatever of what it may hold it holds."""
    found = []
    for held in hands.contents(hand):
        if held == UNKNOWN or (held == NO_THING and not isinstance(command, Perform)):
            return ""
        held = NOTHING if held == NO_THING else held
        if isinstance(command, Perform):
            found.append(_gesture_problem(command, gestures[command.gesture], scene, hand, held or None))
        elif isinstance(command, ReleaseHand):
            found.append("" if held else f"the {hand} hand holds nothing")
        else:
            again = isinstance(command, (TakeThing, GiveThing)) and held == command.object
            words = f"holds '{held}' already" if again else f"holds '{held}'; put that down first"
            found.append(f"the {hand} hand {words}" if held else "")
    return found[0] if all(found) else ""


def _gesture_problem(command: Perform, gesture: Gesture, scene: Scene, hand: str, held: str | None) -> str:
    named = dict(command.things)
    problem = hand_problem(gesture, hand, held, named.get(gesture.held.word) if gesture.held is not None else None)
    if problem or gesture.goal is None:
        return problem
    if gesture.goal.word in named:
        return f"'{held}' is in the {hand} hand itself" if named[gesture.goal.word] == held else ""
    suited = suited_things(gesture.goal, gesture, scene)
    return "" if any(name != held for name in suited) else no_goal(gesture.goal, gesture, held if suited else None)


def _rival_problem(command: Command, named: Mapping[str, Movement], hands: ForeseenHands) -> str:
    """What goes on until another task ends begins with it; one hand cannot do both."""
    if not isinstance(command, Task) or command.until is None or command.when is not None:
        return ""
    other = named.get(command.until.key)
    if command.until.edge != ENDS or not isinstance(other, Task) or other.when is not None:
        return ""
    if EITHER in (command.hand, other.hand):
        return ""
    both = [hand for hand in hands.told(command.hand) if hand in hands.told(other.hand)]
    name = command.until.name
    words = f"the {' and the '.join(both)} hand would do this until '{name}' ends, and '{name}' itself"
    return f"{words}; one of them needs another hand, or this begins earlier: , when ..." if both else ""


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
