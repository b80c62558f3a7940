"""Another process that compiles kernels meanwhile.

It runs what this one would: it looks for modules where this one does, and not in the current folder, whose files are
anybody's.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from puppet.kernels.cache_folder import INHERITED, kernel_folder

FINISH = "finish"  # what its owner says at its end: the job at hand is to be finished


class CompilerProcess:
    """Another process that compiles some jobs one after the other, and tells of each when it is ready.

    Whatever is not compiled when it is called for is compiled where it is called: so nothing is lost where no process
    can be started, or where one dies.
    """

    def __init__(self, jobs: Iterable[str]) -> None:
        self._pending = list(jobs)
        self._process: subprocess.Popen[str] | None = None
        code = f"import sys; sys.path[:] = {search_path()!r}; "
        code += f"from puppet.kernels.loader import work; work({self._pending!r})"
        folder, pipe = kernel_folder(), subprocess.PIPE
        with contextlib.suppress(OSError, ValueError, TypeError):  # the last: Python does not know where it is
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", code], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True,
                env={**os.environ, INHERITED: str(folder)},
            )  # fmt: skip
            atexit.register(self.end, os.getpid())

    def wait_for(self, job: str) -> None:
        while job in self._pending:
            ready = self._process.stdout.readline().strip() if self._process and self._process.stdout else ""
            self._pending = [other for other in self._pending if ready and other != ready]

    def end(self, owner: int) -> None:
        """Lets the process finish the job that it is at, a matter of seconds; not even that after a Ctrl-C."""
        process = self._process
        if process is None or os.getpid() != owner:  # a fork of the owner has nothing to end
            return
        try:
            if process.stdin:
                with contextlib.suppress(OSError):  # it has ended already
                    process.stdin.write(FINISH)
                    process.stdin.close()
            process.wait()
        except KeyboardInterrupt:
            process.kill()
            process.wait()
        finally:
            if process.stdout:
                process.stdout.close()


def search_path() -> list[str]:
    """Where this process looks for modules, without the current folder; puppet's own place comes last if need be."""
    found = [os.path.abspath(place) for place in sys.path if place]
    home = str(Path(__file__).parent.parent.parent)
    return found if home in found else [*found, home]
