"""The door to the compiled kernels: loads numba when a kernel is first needed, and announces whatever it compiles.

numba keeps compiled kernels on disk, but looks only at the file of the function that it loads: a change in a function
that a kernel calls would go unnoticed. So each job, some kernels that are compiled together, has a stamp beside the
cache: a digest of all kernel sources, of the versions of Python, numba and llvmlite, and of the processor, and one of
the files that numba has written. Whoever has finished a job writes its stamp; a job that was interrupted has none, one
whose files are damaged has a wrong one, and both are compiled again. A folder that is full or cannot be written costs
only the time to compile again (see puppet.kernels.cache_folder).

Where several jobs are needed, other processes compile some of them. A kernel is waited for when it is first used. The
processes end with the one that has started them. Threads that need the same kernel compile it once.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import logging
import os
import signal
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puppet.kernels.compiler_process import CompilerProcess

log = logging.getLogger("puppet")
# What is compiled together, and the kernels of each job (see puppet.kernels.entries).
JOBS = {
    "forward": ("forward",),
    "trunk": ("trunk_and_arms",),
    "arms": ("estimate_and_arms", "arms_for_trunk", "finish"),
    "estimate": ("natural_estimate",),
    "head": ("turn_head",),
    "idle": ("clear_idle_limbs",),
    "grid": ("grid_search",),
    "nearest": ("nearest_posture",),
    "thesis": ("as_printed",),
    "score": ("score",),
    "figure": ("figure_place", "figure_lengths", "figure_step", "figure_advance"),
    "rows": ("figure_rows",),
    "path": ("figure_follow",),
    "course": ("arm_swivels", "arm_frames", "ball_angles", "aims_followed"),
    "steps": ("step_excess", "visible_leaps", "velocity_changes"),
    "clearances": ("clearances", "frame_clearances"),
    "descent": ("path_tries", "path_descent"),
    "track": ("figure_track",),
    "clip": ("figure_clip", "clip_deviations", "clip_displaced", "clip_course"),
    "dynamics": ("dynamics_inverse", "dynamics_mass"),
    "filter": ("dynamics_filter", "dynamics_explain"),
    "fall": ("dynamics_fall",),
    "space": ("space_measure", "space_step"),
}
# What needs which jobs: every posture; one for goals that limits or a table are in the way of; arms that move.
GROUPS = {
    "posture": ("trunk", "arms"),
    "obstructed": ("nearest", "head", "grid", "idle"),
    "motion": ("forward", "course", "steps", "clearances", "descent"),
    "following": ("path",),
    "figure": ("figure",),
}
AT_A_TABLE = ("posture", "obstructed", "motion")  # the groups that a performance needs
ANYWHERE = (*AT_A_TABLE, "figure", "following")  # and that of a body that goes places
# Compiled where they are needed, for a body that goes places and for others; other processes do the rest meanwhile.
# Jobs that share most of their code are quickest in one process, which translates what they share once.
_WHOLE_BODY, _HERE = ("figure", "path", "clearances"), ("forward", "arms")
_NEXT = ("forward", "trunk", "arms", "course")  # what is needed first of all others


_lock = threading.RLock()  # one thread makes the entry points, and one at a time compiles them


def kernels() -> Kernels:
    """The compiled entry points."""
    return _made[0] if _made else _make()


_made: list[Kernels] = []  # one for the process, once it is asked for; looking here needs no lock


def _make() -> Kernels:
    with _lock:
        if not _made:
            _made.append(Kernels())
        return _made[0]


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
        self._workers: list[CompilerProcess] = []
        self._begun: set[str] = set()  # jobs that are announced
        self._later: list[str] = []  # jobs for which there is no processor yet
        self._own: list[str] = []  # jobs of a body that goes places, which are compiled here

    @functools.cached_property
    def _entries(self) -> ModuleType:
        from puppet.kernels import entries

        return entries

    @functools.cached_property
    def _cache(self) -> Cache | None:
        kept = not numba_config().DISABLE_JIT and self._entries.forward.stats.cache_path
        return Cache(self._entries) if kept else None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._entries, name)
        for job, names in JOBS.items():
            if name in names:
                self._finish(job)
                self._load(job, found)
        self.__dict__[name] = found  # next time at once
        return found

    @functools.cached_property
    def stepper(self) -> int:
        """Where the code of figure_step is, which others call: never kept, since it is true of this process only."""
        from puppet.kernels.jit import address_of

        return address_of(self.figure_step)

    @functools.cached_property
    def placing(self) -> int:
        """Where the code of arm_frames is."""
        from puppet.kernels.jit import address_of

        return address_of(self.arm_frames)

    @functools.cached_property
    def judging(self) -> int:
        """Where the code of frame_clearances is."""
        from puppet.kernels.jit import address_of

        return address_of(self.frame_clearances)

    @functools.cached_property
    def trying(self) -> int:
        """Where the code of path_tries is."""
        from puppet.kernels.jit import address_of

        return address_of(self.path_tries)

    def prepare(self, *groups: str) -> None:
        """As the function prepare."""
        with _lock:
            self._begin([job for group in groups for job in GROUPS[group]])

    def _begin(self, jobs: list[str]) -> None:
        """Announces those of the jobs that are to be compiled, and has other processes begin with them: where nothing
        was ever compiled, before numba, which takes seconds to load, is loaded here."""
        from puppet.kernels.cache_folder import is_temporary, kernel_folder

        jobs = [job for job in jobs if job not in self._begun]
        folder = kernel_folder()
        if folder is None or "_cache" in self.__dict__ or not nothing_is_kept(folder):
            if self._cache is None:
                return
            jobs = [job for job in jobs if not self._cache.is_current(job)]
        if folder is None or not jobs:
            return
        self._begun.update(jobs)
        posture, whole = any(job in GROUPS["posture"] for job in jobs), "figure" in jobs
        what, time = ("the posture generator", "some 15") if posture else (f"kernels ({', '.join(jobs)})", "a few")
        if posture and whole:
            time = "some 30"
        log.warning(
            "puppet: compiling %s, once for this %s (%s seconds; kept in %s) ...", what,
            "run" if is_temporary(folder) else "installation", time, folder,
        )  # fmt: skip
        if len(jobs) == 1:
            return  # no process is faster than this one
        if whole:
            others = [job for job in jobs if job not in _WHOLE_BODY]
            self._own = [job for job in _WHOLE_BODY if job in jobs]
            first, rest = ([job for job in others if (job in _NEXT) == early] for early in (True, False))
            if (os.cpu_count() or 1) > 2 and first and rest:
                self._start(first)
                self._start(rest)
            elif others:
                self._start([*first, *rest])
            return
        others = [job for job in jobs if job not in _HERE]
        motion = [job for job in others if job in GROUPS["motion"]]
        if len(others) > len(motion):
            self._start([job for job in others if job not in motion])
        self._later += motion
        if "arms" not in jobs or (os.cpu_count() or 1) > 2:
            self._begin_later_ones()

    def _begin_later_ones(self) -> None:
        if self._later:
            self._start(self._later)
            self._later = []

    def _start(self, jobs: list[str]) -> None:
        from puppet.kernels.compiler_process import CompilerProcess

        self._workers.append(CompilerProcess(jobs))

    def _finish(self, job: str) -> None:
        """Has a job compiled."""
        with _lock:
            if self._cache is None or self._cache.is_current(job):
                return
            group = GROUPS["posture"]
            self._begin(list(group) if job in group else [job])
            if job in self._later:
                self._begin_later_ones()
            while self._own and job not in self._own and not self._cache.is_current(job):
                own = self._own.pop(0)  # rather than wait for the other process
                if not self._cache.is_current(own):
                    self._cache.compile(own)
            for worker in self._workers:
                worker.wait_for(job)
            if not self._cache.is_current(job):
                self._cache.compile(job)
            self._own = [other for other in self._own if other != job]
            if job == "arms":
                self._begin_later_ones()

    def _load(self, job: str, found: Any) -> None:
        """Loads a kernel from the cache; where what it holds cannot be loaded after all, it is compiled anew."""
        with _lock:
            if self._cache is None:
                return
            try:
                load(found)
            except Exception as error:  # whatever unpickling may raise
                log.warning("puppet: what is kept in %s is damaged; compiling anew ...", self._cache.folder)
                log.debug("kernel cache", exc_info=error)
                self._cache.compile(job)


class Cache:
    """Where numba keeps compiled kernels, with a stamp for each job."""

    def __init__(self, entries: ModuleType) -> None:
        self._entries = entries
        self.folder = Path(entries.forward.stats.cache_path)
        self._digest = digest(Path(entries.__file__ or "").parent)
        self._compiled: set[str] = set()  # jobs that this process has compiled itself, or found in order

    def is_current(self, job: str) -> bool:
        if job not in self._compiled:
            with contextlib.suppress(OSError, UnicodeDecodeError):
                if self._stamp(job).read_text() == self._digest + self._content(job):
                    self._compiled.add(job)
        return job in self._compiled

    def compile(self, job: str) -> None:
        """Compiles a job's kernels, whatever is in the cache."""
        for old in (self._stamp(job), *self._files(job)):  # each, whatever becomes of the others
            try:
                old.unlink(missing_ok=True)
            except OSError as error:
                log.debug("the cache of compiled kernels in %s cannot be cleared: %s", self.folder, error)
        collects = gc.isenabled()
        gc.disable()  # compiling leaves little behind, and looking for that takes a tenth of its time
        try:
            for name in JOBS[job]:
                load(getattr(self._entries, name))
        except Exception as error:  # what is there cannot be read or unpickled, or what is compiled by then written
            reason = getattr(error, "strerror", None) or f"what is there is damaged ({error})"
            log.warning("puppet: compiled kernels cannot be kept in %s: %s", self.folder, reason)
            for name in JOBS[job]:
                load_without_cache(getattr(self._entries, name))
        else:
            try:
                self._stamp(job).write_text(self._digest + self._content(job))
            except OSError as error:
                log.debug("the cache of compiled kernels in %s cannot be kept: %s", self.folder, error)
        finally:
            if collects:
                gc.enable()
        self._compiled.add(job)

    def _stamp(self, job: str) -> Path:
        return self.folder / f"puppet-{job}.stamp"

    def _files(self, job: str) -> list[Path]:
        module = Path(self._entries.__file__ or "").stem
        return sorted(path for name in JOBS[job] for path in self.folder.glob(f"{module}.{name}-*.nb[ic]"))

    def _content(self, job: str) -> str:
        """A fingerprint of what numba has written for a job."""
        found = hashlib.sha256()
        for path in self._files(job):
            found.update(path.name.encode() + path.read_bytes())
        return found.hexdigest()


def nothing_is_kept(folder: Path) -> bool:
    """Whether no kernel was ever compiled and kept in numba's cache, as far as can be seen without numba."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return False
    return not any(next(folder.glob(f"{place}puppet-*.stamp"), None) for place in ("", "*/"))


def load(entry: Any) -> None:
    """Compiles a kernel for the types of its arguments, or loads it where it is in the cache."""
    from puppet.kernels.arguments import types_of

    if hasattr(entry, "compile"):  # not where numba is told to compile nothing
        entry.compile(types_of(entry.py_func))


def load_without_cache(entry: Any) -> None:
    """The same, whatever is in the cache, which is left alone."""
    from numba.core.caching import NullCache

    entry._cache = NullCache()
    load(entry)


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


def work(jobs: list[str]) -> None:
    """What a compiler process does.

    Its owner says when it ends, and then the job at hand is finished; where nobody holds the other end of its input any
    more, its owner was killed, and it ends at once.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a Ctrl-C in the terminal ends it at once
    from puppet.kernels import entries
    from puppet.kernels.compiler_process import FINISH

    owner_is_gone = threading.Event()

    def listen() -> None:
        if sys.stdin.read() != FINISH:
            os._exit(1)  # what is half written has another name
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
