"""The door to the compiled kernels: loads numba when a kernel is first needed, and announces whatever it compiles.

numba keeps compiled kernels on disk, but looks only at the file of the function that it loads: a change in a function
that a kernel calls would go unnoticed. So each job, some kernels that are compiled together, has a stamp beside the
cache: a digest of all kernel sources, of the versions of Python, numba and llvmlite, and of the processor. Whoever has
finished a job writes its stamp; a job that was interrupted has none and is compiled again.

Where several jobs are needed, other processes compile some of them. A kernel is waited for when it is first used. The
processes end with the one that has started them.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import inspect
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

log = logging.getLogger("puppet")
# What is compiled together, and the kernels of each job (see puppet.kernels.entries).
JOBS = {
    "forward": ("forward",),
    "trunk": ("natural_estimate", "trunk_and_arms"),
    "arms": ("arms_for_trunk", "finish"),
    "head": ("turn_head",),
    "idle": ("clear_idle_limbs",),
    "grid": ("grid_search",),
    "nearest": ("nearest_posture",),
    "thesis": ("as_printed",),
    "score": ("score",),
    "figure": ("figure_place", "figure_rows", "figure_advance"),
    "path": ("figure_follow",),
    "course": ("arm_swivels", "arm_frames"),
    "clearances": ("clearances", "frame_clearances"),
}
# What needs which jobs: every posture; one for goals that limits or a table are in the way of; arms that move.
GROUPS = {
    "posture": ("trunk", "arms"),
    "obstructed": ("idle", "head", "grid", "nearest"),
    "motion": ("forward", "course", "clearances"),
    "following": ("path",),
    "figure": ("figure",),
}
HERE = ("forward", "trunk")  # compiled where they are needed; other processes do the rest meanwhile
# The kernels' arguments: what they are made of, how many dimensions they have, and their names in all kernels.
ARGUMENTS: tuple[tuple[type, int, tuple[str, ...]], ...] = (
    (float, 0, ("largest", "still", "enough")),
    (float, 1, ("given_errors", "given_soft", "reference_angles", "gains", "mobility", "lengths", "errors")),
    (float, 2, ("links", "corners", "velocities", "tasks", "given", "reference_local", "local", "world", "axes")),
    (float, 2, ("sums", "jacobian")),
    (float, 0, ("margin", "near")),
    (float, 2, ("firmness", "reference_frames", "solids", "halves", "cubes", "leaving", "arriving", "left_behind")),
    (float, 2, ("reached", "misses", "pairs")),
    (float, 3, ("goals_by_frame", "boxes", "pushes")),
    (float, 3, ("courses",)),
    (float, 2, ("swivels", "shorts", "overs", "missing", "margins")),
    (float, 1, ("depths", "first")),
    (int, 1, ("carriers", "owners", "arm_of", "parts", "rows")),
    (int, 2, ("apart_from",)),
    (int, 0, ("free", "steps")),
    (int, 2, ("tree", "chains")),
    (float, 0, ("height", "effort", "price", "elbow")),
    (float, 1, ("gaze", "table", "estimate", "old", "angles", "target", "results", "aim")),
    (float, 2, ("joints", "dofs", "goals", "transforms", "states", "work", "starts")),
    (float, 2, ("postures",)),
    (float, 3, ("all_transforms",)),
    (int, 1, ("limb", "trunk", "chain", "hands", "roots", "idle_roots", "sweeps")),
    (int, 2, ("limbs", "below", "chain_below")),
    (bool, 1, ("oriented",)),
)


@functools.cache
def kernels() -> Kernels:
    """The compiled entry points."""
    return Kernels()


def prepare(*groups: str) -> None:
    """Begins to compile what these groups need and is not compiled yet, in other processes as far as that helps."""
    kernels().prepare(*groups)


@functools.cache
def load_all() -> None:
    """Loads every kernel that a performance may need, for those who cannot wait for one of them later."""
    compiled = kernels()
    compiled.prepare(*GROUPS)
    for job in (job for group in GROUPS.values() for job in group):
        for name in JOBS[job]:
            load(getattr(compiled, name))


class Kernels:
    """The entry points by their names; each is compiled, or waited for, when it is first asked for."""

    def __init__(self) -> None:
        from puppet.kernels import entries

        self._entries = entries
        self._cache = None if numba_config().DISABLE_JIT else Cache(entries)
        self._workers: list[CompilerProcess] = []
        self._begun: set[str] = set()  # jobs that are announced
        self._later: list[str] = []  # jobs for which there is no processor yet
        self._lock = threading.RLock()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._entries, name)
        for job, names in JOBS.items():
            if name in names:
                self._finish(job)
        self.__dict__[name] = found  # next time at once
        return found

    def prepare(self, *groups: str) -> None:
        """As the function prepare."""
        with self._lock:
            self._begin([job for group in groups for job in GROUPS[group]])

    def _begin(self, jobs: list[str]) -> None:
        """Announces those of the jobs that are to be compiled, and has other processes begin with them."""
        if self._cache is None:
            return
        jobs = [job for job in jobs if job not in self._begun and not self._cache.is_current(job)]
        if not jobs:
            return
        self._begun.update(jobs)
        posture = any(job in GROUPS["posture"] for job in jobs)
        what, time = ("the posture generator", "some 15") if posture else (f"kernels ({', '.join(jobs)})", "a few")
        log.warning("puppet: compiling %s, once for this installation (%s seconds) ...", what, time)
        others = [job for job in jobs if job not in HERE]
        if len(jobs) == 1:
            return  # no process is faster than this one
        motion = [job for job in others if job in GROUPS["motion"]]
        if len(others) > len(motion):
            self._workers.append(CompilerProcess([job for job in others if job not in motion]))
        self._later += motion
        if "trunk" not in jobs or (os.cpu_count() or 1) > 2:
            self._begin_later_ones()

    def _begin_later_ones(self) -> None:
        if self._later:
            self._workers.append(CompilerProcess(self._later))
            self._later = []

    def _finish(self, job: str) -> None:
        """Has a job compiled."""
        with self._lock:
            if self._cache is None or self._cache.is_current(job):
                return
            group = GROUPS["posture"]
            self._begin(list(group) if job in group else [job])
            if job in self._later:
                self._begin_later_ones()
            for worker in self._workers:
                worker.wait_for(job)
            if not self._cache.is_current(job):
                self._cache.compile(job)
            if job == "trunk":
                self._begin_later_ones()


class Cache:
    """Where numba keeps compiled kernels, with a stamp for each job."""

    def __init__(self, entries: ModuleType) -> None:
        self._entries = entries
        self._folder = Path(entries.forward.stats.cache_path)
        self._digest = digest(Path(entries.__file__ or "").parent)

    def is_current(self, job: str) -> bool:
        with contextlib.suppress(OSError):
            return self._stamp(job).read_text() == self._digest
        return False

    def compile(self, job: str) -> None:
        """Compiles a job's kernels, whatever is in the cache."""
        module = Path(self._entries.__file__ or "").stem
        try:
            self._stamp(job).unlink(missing_ok=True)
            for name in JOBS[job]:
                for old in self._folder.glob(f"{module}.{name}-*.nb[ic]"):
                    old.unlink(missing_ok=True)
        except OSError as error:
            log.debug("the cache of compiled kernels in %s cannot be cleared: %s", self._folder, error)
        for name in JOBS[job]:
            load(getattr(self._entries, name))
        try:
            self._stamp(job).write_text(self._digest)
        except OSError as error:
            log.debug("the cache of compiled kernels in %s cannot be kept: %s", self._folder, error)

    def _stamp(self, job: str) -> Path:
        return self._folder / f"puppet-{job}.stamp"


def load(entry: Any) -> None:
    """Compiles a kernel for the types of its arguments, or loads it where it is in the cache."""
    if hasattr(entry, "compile"):  # not where numba is told to compile nothing
        entry.compile(tuple(type_of(name) for name in inspect.signature(entry.py_func).parameters))


def type_of(argument: str) -> Any:
    """What numba calls the type of a kernel's argument."""
    import numba
    import numpy as np

    kind, dimensions = next((kind, dimensions) for kind, dimensions, names in ARGUMENTS if argument in names)
    if dimensions == 0:
        return numba.typeof(kind())
    return numba.typeof(np.empty((1,) * dimensions, dtype=np.int64 if kind is int else kind))


def digest(folder: Path) -> str:
    """A fingerprint of all that compiled kernels depend on."""
    import llvmlite
    import numba

    found = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        found.update(path.read_bytes())
    found.update(repr((sys.version, numba.__version__, llvmlite.__version__, *processor())).encode())
    return found.hexdigest()


def processor() -> tuple[str, str]:
    """Name and features of the processor that numba compiles for, which are keys of its cache."""
    from llvmlite import binding

    config = numba_config()
    if config.CPU_NAME:
        return config.CPU_NAME, config.CPU_FEATURES or ""
    return binding.get_host_cpu_name(), config.CPU_FEATURES or binding.get_host_cpu_features().flatten()


def numba_config() -> Any:
    """What the environment tells numba; its attributes are made when it is loaded."""
    from numba.core import config

    return config


class CompilerProcess:
    """Another process that compiles some jobs one after the other, and tells of each when it is ready.

    Whatever is not compiled when it is called for is compiled where it is called: so nothing is lost where no process
    can be started, or where one dies.
    """

    def __init__(self, jobs: Iterable[str]) -> None:
        self._pending = list(jobs)
        self._process: subprocess.Popen[str] | None = None
        command = [sys.executable, "-c", f"from puppet.kernels.loader import work; work({self._pending!r})"]
        pipe = subprocess.PIPE
        with contextlib.suppress(OSError, ValueError):
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
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
                process.stdin.close()
            process.wait()
        except KeyboardInterrupt:
            process.kill()
            process.wait()
        finally:
            if process.stdout:
                process.stdout.close()


def work(jobs: list[str]) -> None:
    """What a compiler process does; ends after the job at hand once nobody holds the other end of its input."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a Ctrl-C in the terminal ends it at once
    from puppet.kernels import entries

    owner_is_gone = threading.Event()

    def listen() -> None:
        sys.stdin.read()  # nothing, until its other end is closed
        owner_is_gone.set()

    threading.Thread(target=listen, daemon=True).start()
    cache = Cache(entries)
    for job in jobs:
        if owner_is_gone.is_set():
            break
        if not cache.is_current(job):
            cache.compile(job)
        with contextlib.suppress(OSError):
            print(job, flush=True)
