"""A line of the language that is typed: keys in, text, completions and what is wrong with it out."""

from __future__ import annotations

from collections.abc import Sequence

from puppet.command import Movement
from puppet.language import Vocabulary, completed, completions
from puppet.shows import Live
from puppet.stage import task_log
from puppet.window.event import Key

SHOWN = 12  # completions that are shown
_LONGEST = 400  # characters


class CommandLine:
    """Enter opens it and gives the line to the puppet, Esc leaves it; Tab completes, Up and Down bring lines back."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._words = Vocabulary.of(live.fps, live.scene, live.stage.gestures, live.body)
        self._given: list[str] = []
        self._back = 0  # how many lines back
        self._found: tuple[tuple[str, tuple[str, ...]], ...] = ()  # the last line that was completed, and how
        self._turn = -1  # of the completions, which one Tab has chosen
        self.open = False
        self.text = ""
        self.cursor = 0
        self.problem = ""

    def start(self) -> None:
        self.open, self._back, self.problem = True, 0, ""
        self._write("")

    def close(self) -> None:
        self.open, self.problem = False, ""
        self._write("")

    @property
    def choices(self) -> Sequence[str]:
        """What may come next at the cursor."""
        if self._turn >= 0:
            return self._found[0][1]
        before = self.text[: self.cursor]
        if not self._found or self._found[0][0] != before:
            told = [timed.command for timed in self._live.take.given]
            names = [command.label for command in told if isinstance(command, Movement) and command.label]
            self._found = ((before, completions(before, self._words, names)),)
        return self._found[0][1]

    @property
    def chosen(self) -> int:
        """Which of the choices Tab has written; -1: none."""
        return self._turn

    def handle(self, key: Key) -> None:
        """A key that was pressed while the line is open."""
        name = key.name
        typed = key.text or (" " if name == "space" else "")
        if name in ("return", "enter"):
            self._give()
        elif name == "escape":
            self.close()
        elif name == "tab":
            self._complete(-1 if key.shift else 1)
        elif name in ("up", "down"):
            self._bring_back(1 if name == "up" else -1)
        elif name in ("left", "right", "home", "end"):
            places = {"left": self.cursor - 1, "right": self.cursor + 1, "home": 0, "end": len(self.text)}
            self._put_cursor(places[name])
        elif name == "backspace" and self.cursor:
            self._write(self.text[: self.cursor - 1] + self.text[self.cursor :], self.cursor - 1)
        elif name == "delete":
            self._write(self.text[: self.cursor] + self.text[self.cursor + 1 :], self.cursor)
        elif typed and not key.control and len(self.text) < _LONGEST:
            self._write(self.text[: self.cursor] + typed + self.text[self.cursor :], self.cursor + 1)

    def _give(self) -> None:
        line = self.text.strip()
        if not line:
            self.close()
            return
        if line not in self._given[-1:]:
            self._given.append(line)
        self._back = 0
        entries = self._live.give(line)
        refused = [entry.reason for entry in entries if entry.status == task_log.REJECTED]
        if entries and not refused:
            self.close()
        else:
            self.problem = refused[0] if refused else self._live.message

    def _complete(self, by: int) -> None:
        choices = self.choices
        if not choices:
            return
        before, rest = self._found[0][0], self.text[self.cursor :]
        self._turn = (self._turn + by) % len(choices) if self._turn >= 0 else (0 if by > 0 else len(choices) - 1)
        line = completed(before, choices[self._turn])
        self.text, self.cursor, self.problem = line + rest, len(line), ""
        if len(choices) == 1:
            self._turn = -1

    def _bring_back(self, by: int) -> None:
        self._back = min(max(self._back + by, 0), len(self._given))
        self._write(self._given[-self._back] if self._back else "")

    def _put_cursor(self, place: int) -> None:
        self.cursor, self._turn = min(max(place, 0), len(self.text)), -1

    def _write(self, text: str, cursor: int | None = None) -> None:
        self.text, self.problem = text, ""
        self._put_cursor(len(text) if cursor is None else cursor)
