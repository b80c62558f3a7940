"""What becomes of the tasks of a live performance, as messages, and what it took to begin them."""

from __future__ import annotations

from collections.abc import Sequence

from puppet.shows.messages import Messages, describe_outcome, describe_running
from puppet.stage import Entry, task_log


class Progress:
    """Follows each task from when it is given until it ends."""

    def __init__(self, messages: Messages) -> None:
        self._messages = messages
        self.open: frozenset[int] = frozenset()  # numbers of the tasks that run or wait
        self.costs: dict[int, tuple[float, ...]] = {}  # seconds that each took to begin: see live_tables.COSTS

    def given(self, entry: Entry) -> None:
        """A command that was given."""
        if entry.status == task_log.WAITING:
            self.open |= {entry.number}

    def report(self, entry: Entry) -> None:
        """A message about a command that was given."""
        if entry.status == task_log.REJECTED:
            self._messages.add(describe_outcome(entry), problem=True)
        elif entry.status in task_log.OPEN:
            alone = len(self.open) == 1
            self._messages.add(describe_running(entry) if alone else f"Next: {describe_outcome(entry)}")
        else:
            self._messages.add(describe_outcome(entry))

    def step(self, entries: Sequence[Entry], frame: int, costs: tuple[float, ...], silent: int | None) -> None:
        """Messages about tasks that begin or miss in a frame, but for one that is silent; adds `costs` to those that
        begin."""
        still = set()
        for task in sorted(self.open):
            entry = entries[task]
            if entry.status in task_log.OPEN:
                still.add(task)
            if any(costs) and any(start == frame - 1 for _, start, _ in entry.segments):
                old = self.costs.get(task, (0.0,) * len(costs))
                self.costs[task] = tuple(a + b for a, b in zip(old, costs, strict=True))
            begins = entry.start == frame - 1 and entry.status == task_log.RUNNING
            if begins and self._messages.last.text != describe_running(entry):
                self._messages.add(describe_running(entry))
            if entry.status == task_log.MISSED and task != silent:
                self._messages.add(describe_outcome(entry), problem=True)
        self.open = frozenset(still)

    def rewind(self, entries: Sequence[Entry]) -> None:
        """Goes back to when there were just these entries."""
        self.open = frozenset(entry.number for entry in entries if entry.status in task_log.OPEN)
        begun = {entry.number for entry in entries if entry.start is not None}
        self.costs = {number: costs for number, costs in self.costs.items() if number in begun}
