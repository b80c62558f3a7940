"""What is said on screen: one line at a time, each for as long as it takes to read, and tasks in words."""

from __future__ import annotations

from dataclasses import dataclass

from puppet.stage import Entry

SECONDS, SECONDS_A_LETTER = 2.0, 0.05  # how long a line stays at least
LINES = 8  # that are kept at most
_DOING = {  # the verb of a task when it is told, and when it is under way; others stay as they are
    "Reach": "Reaching",
    "Stack": "Stacking",
    "Move": "Moving",
    "Slide": "Sliding",
    "Pose": "Posing",
    "Perform": "Performing",
    "Scratch": "Scratching",
    "Check": "Checking",
    "Drink": "Drinking",
    "Pour": "Pouring",
    "Turn": "Turning",
    "Wave": "Waving",
}


@dataclass(frozen=True)
class Message:
    """One line that is said. `age` in seconds; `problem`: it tells why something was not done."""

    text: str
    problem: bool = False
    age: float = 0.0

    @property
    def fresh(self) -> bool:
        """Whether there was not enough time to read it yet."""
        return self.age < SECONDS + SECONDS_A_LETTER * len(self.text)


class Speech:
    """The lines that are still to be read, the newest last."""

    def __init__(self) -> None:
        self.lines: tuple[Message, ...] = ()
        self.last = Message("")

    def say(self, text: str, problem: bool = False) -> None:
        """Says something now. What was said before stays among the lines until it could be read."""
        self.last = Message(text, problem)
        others = [line for line in self.lines if line.text != text]
        self.lines = (*others, self.last)[-LINES:]

    def advance(self, seconds: float) -> None:
        older = [Message(line.text, line.problem, line.age + seconds) for line in self.lines]
        self.lines = tuple(line for line in older if line.fresh)
        self.last = Message(self.last.text, self.last.problem, self.last.age + seconds)


def doing(entry: Entry) -> str:
    """A task under way, and what was adjusted."""
    return under_way(refusal(entry))


def under_way(words: str) -> str:
    """What was told as "Stack yellow on blue" while it is done: "Stacking yellow on blue"."""
    first, space, rest = words.partition(" ")
    return f"{_DOING.get(first, first)}{space}{rest}"


def refusal(entry: Entry) -> str:
    """A command, and why it was not done or not as it was told: "Stack yellow on blue: ..."."""
    return f"{entry.interpretation}: {entry.reason}" if entry.reason else entry.interpretation
