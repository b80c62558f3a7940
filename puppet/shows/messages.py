"""Messages on screen, each shown for as long as it takes to read, and the words for tasks in them."""

from __future__ import annotations

from dataclasses import dataclass

from puppet.errors import visible
from puppet.stage import Entry

SECONDS, SECONDS_PER_LETTER = 2.0, 0.05  # how long a message stays
MAX_MESSAGES = 8  # kept at a time
_PROGRESSIVE = {  # the verb of a command, and of the task while it runs; other verbs stay as they are
    "Reach": "Reaching",
    "Stack": "Stacking",
    "Move": "Moving",
    "Slide": "Sliding",
    "Pose": "Posing",
    "Perform": "Performing",
    "Scratch": "Scratching",
    "Check": "Checking",
    "Drag": "Dragging",
    "Drink": "Drinking",
    "Pour": "Pouring",
    "Turn": "Turning",
    "Wave": "Waving",
    "Fly": "Flying",
    "Swing": "Swinging",
    "Go": "Going",
    "Pin": "Pinning",
}


@dataclass(frozen=True)
class Message:
    """One line of text. `age` in seconds; `problem`: it says why something was not done."""

    text: str
    problem: bool = False
    age: float = 0.0

    @property
    def unread(self) -> bool:
        """Whether there has not been enough time to read it."""
        return self.age < SECONDS + SECONDS_PER_LETTER * len(self.text)


class Messages:
    """The last message, and all that are still unread, the newest last."""

    def __init__(self) -> None:
        self.recent: tuple[Message, ...] = ()
        self.last = Message("")

    def add(self, text: str, problem: bool = False) -> None:
        """Adds a message. Earlier ones stay among the recent until there was time to read them."""
        self.last = Message(visible(text), problem)
        others = [message for message in self.recent if message.text != self.last.text]
        self.recent = (*others, self.last)[-MAX_MESSAGES:]

    def advance(self, seconds: float) -> None:
        older = [Message(message.text, message.problem, message.age + seconds) for message in self.recent]
        self.recent = tuple(message for message in older if message.unread)
        self.last = Message(self.last.text, self.last.problem, self.last.age + seconds)


def describe_running(entry: Entry) -> str:
    """A running task: "Stacking yellow on blue", with what was adjusted."""
    return progressive_form(describe_outcome(entry))


def progressive_form(words: str) -> str:
    """The words for a command while it is carried out: "Stacking yellow on blue" for "Stack yellow on blue"."""
    first, space, rest = words.partition(" ")
    return f"{_PROGRESSIVE.get(first, first)}{space}{rest}"


def describe_outcome(entry: Entry) -> str:
    """A command, and the reason why it was adjusted or not done: "Stack yellow on blue: ..."."""
    return f"{entry.interpretation}: {entry.reason}" if entry.reason else entry.interpretation
