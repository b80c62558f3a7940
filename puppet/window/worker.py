"""Long work beside the drawing: one thread, one result or one error."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class BackgroundTask(Generic[T]):
    """Work that has begun. A program that ends does not wait for it."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._result: T | None = None
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        return not self._thread.is_alive()

    def wait(self, seconds: float) -> bool:
        """Waits, and no longer than so many seconds; whether it is done."""
        self._thread.join(seconds)
        return self.done

    def result(self) -> T:
        """What came of it; waits for it, and raises what it raised."""
        self._thread.join()
        if self.error is not None:
            raise self.error
        return self._result  # type: ignore[return-value]

    def _run(self) -> None:
        try:
            self._result = self._work()
        except Exception as error:
            self.error = error
