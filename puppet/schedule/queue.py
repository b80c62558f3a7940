"""The motion queue: an immutable value, so that a snapshot of it costs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Queue:
    """First come, first served. Two linked lists: `front` in order, and `back`, what came later, newest first."""

    front: Any = None
    back: Any = None
    size: int = 0

    def push(self, item: Any) -> Queue:
        return Queue(self.front, (item, self.back), self.size + 1)

    def pop(self) -> tuple[Any, Queue]:
        queue = self._ready
        assert queue.front is not None
        item, rest = queue.front
        return item, Queue(rest, queue.back, queue.size - 1)

    @property
    def first(self) -> Any:
        return None if self.size == 0 else self._ready.front[0]

    def __iter__(self) -> Iterator[Any]:
        """All of it, in no particular order."""
        for rest in (self.front, self.back):
            while rest is not None:
                item, rest = rest
                yield item

    @cached_property
    def _ready(self) -> Queue:
        """The same queue with a front that is not empty, unless the whole queue is."""
        if self.front is not None:
            return self
        front: Any = None
        back = self.back
        while back is not None:
            item, back = back
            front = (item, front)
        return Queue(front, None, self.size)
