"""Work in a background thread, with one result or one error."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class BackgroundTask(Generic[_T]):
    """Runs a function in a thread of its own. The program can end without waiting for it."""

    def __init__(self, work: Callable[[], _T]) -> None:
        self._work = work
        self._result: _T | None = None
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        return not self._thread.is_alive()

    def wait(self, seconds: float) -> bool:
        """Waits for at most so many seconds; returns whether it is done."""
        self._thread.join(seconds)
        return self.done

    def result(self) -> _T:
        """Waits for the result; raises what the function raised."""
        self._thread.join()
        if self.error is not None:
            raise self.error
        return self._result  # type: ignore[return-value]

    def _run(self) -> None:
        try:
            self._result = self._work()
        except Exception as error:
            self.error = error
