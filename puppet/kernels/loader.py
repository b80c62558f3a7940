"""The door to the compiled kernels: loads numba only when a posture is first needed, and says when it compiles.

numba keeps compiled kernels on disk, but looks only at the file of the function that it loads: a change in a kernel
that is called from another file would go unnoticed. A stamp of all kernel sources beside the cache prevents that.

The first run after a change compiles in several processes: some kernels here, the others by processes that tell when
each is ready, and that go on when this one has ended. A kernel is waited for when it is first used, so that a posture
need not wait for what only ways or goals out of reach need.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from puppet.kernels.model import KernelModel
    from puppet.posture.chain import Chain
    from puppet.types import Floats

log = logging.getLogger("puppet")
# What other processes compile, one for each table: functions of this module, and the kernels that each compiles.
POSTURES = {
    "compile_arms": ("arms_for_trunk", "finish"),
    "compile_idle": ("clear_idle_limbs",),
    "compile_closely": ("grid_search",),
    "compile_approach": ("nearest_posture",),
}
WAYS = {
    "compile_following": ("follow",),
    "compile_judging": ("judge",),
    "compile_head": ("turn_head",),
}
JOBS = {**POSTURES, **WAYS}


@functools.cache
def kernels() -> Kernels:
    """The compiled entry points."""
    from puppet.kernels import entries

    cache = Path(entries.arms_for_trunk.stats.cache_path)
    stamp, digest = cache / "puppet-kernels.stamp", _digest(Path(entries.__file__).parent)
    workers: list[CompilerProcess] = []
    try:
        if not stamp.is_file() or stamp.read_text() != digest:
            log.warning("puppet: compiling the posture generator, once for this installation (some 15 seconds) ...")
            for old in cache.glob(f"{Path(entries.__file__).stem}.*.nb[ic]"):
                old.unlink(missing_ok=True)
            workers = [CompilerProcess(POSTURES)]
            if many := (os.cpu_count() or 1) > 2:
                workers.append(CompilerProcess(WAYS))
            compile_settling()
            if not many:
                workers.append(CompilerProcess(WAYS))
            stamp.write_text(digest)
    except OSError as error:
        log.debug("the cache of compiled kernels in %s cannot be kept: %s", cache, error)
    return Kernels(entries, workers)


@functools.cache
def load_all() -> None:
    """Loads every kernel now, for those who cannot wait for one of them later.

    Nor can they wait while garbage is looked for among all that numba has loaded: that is taken to stay.
    """
    compiled = kernels()
    for job, names in (("compile_settling", ()), *JOBS.items()):
        for name in names:
            getattr(compiled, name)
        globals()[job]()
    gc.collect()
    gc.freeze()


class Kernels:
    """The entry points by their names; one that another process compiles is waited for when it is first asked for."""

    def __init__(self, entries: ModuleType, workers: Iterable[CompilerProcess]) -> None:
        self._entries, self._workers = entries, tuple(workers)

    def __getattr__(self, name: str) -> Any:
        for worker in self._workers:
            worker.wait_for(name)
        found = getattr(self._entries, name)
        self.__dict__[name] = found  # next time at once
        return found


class CompilerProcess:
    """Another process that compiles some kernels one after the other, and tells of each when it is ready.

    It is nobody's child to the terminal: Ctrl-C ends the performance, not what the next one needs.

    Whatever is not compiled when it is called for, numba compiles where it is called: so nothing is lost where no
    process can be started, or where one dies.
    """

    def __init__(self, jobs: Mapping[str, tuple[str, ...]]) -> None:
        self._pending = [name for names in jobs.values() for name in names]
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        command = [sys.executable, "-c", f"from puppet.kernels.loader import work; work({list(jobs)!r})"]
        none = subprocess.DEVNULL
        with contextlib.suppress(OSError, ValueError):
            self._process = subprocess.Popen(
                command, stdin=none, stdout=subprocess.PIPE, stderr=none, text=True,
                start_new_session=True, creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )  # fmt: skip

    def wait_for(self, name: str) -> None:
        with self._lock:
            while name in self._pending:
                ready = self._process.stdout.readline() if self._process and self._process.stdout else ""
                self._pending = [other for other in self._pending if ready and other not in ready.split()]


def _digest(folder: Path) -> str:
    """A fingerprint of all kernel sources."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def work(jobs: list[str]) -> None:
    """What a worker does."""
    for job in jobs:
        globals()[job]()
        with contextlib.suppress(OSError):  # who has started it may have ended
            print(*JOBS[job], flush=True)


def compile_arms() -> None:
    """Compiles the arms, and what ends the making of every posture."""
    from puppet.kernels import entries

    model, chain, goal = _example()
    yes, table = np.array([True]), np.zeros(2)
    frames, angles = np.empty((len(model.joints), 12)), np.zeros(len(model.dofs))
    entries.arms_for_trunk(
        model.joints, model.dofs, chain.limb_joints, chain.trunk, goal, yes, table, angles.copy(), -1.0, 1.0, frames,
        np.empty((1, entries.STATE_SIZE)), angles,
    )  # fmt: skip
    entries.finish(
        model.joints, model.dofs, model.gaze, model.below, chain.limb_joints, chain.hands, chain.trunk,
        chain.idle_roots, goal, yes, table, 1.0, np.zeros(3), angles.copy(), frames, angles, np.zeros(3), np.empty(6),
    )  # fmt: skip


def compile_settling() -> None:
    """Compiles forward kinematics, the estimate, and how trunk and arms settle, by using them once."""
    from puppet.kernels import entries

    model, chain, goal = _example()
    frames, angles = np.empty((len(model.joints), 12)), np.zeros(len(model.dofs))
    guess = angles.copy()
    entries.forward(model.joints, angles[None].copy(), frames[None])
    entries.natural_estimate(
        model.joints, model.dofs, model.gaze, chain.limb_joints, chain.trunk, chain.joints, goal, 1.0, frames, guess,
        angles,
    )  # fmt: skip
    entries.trunk_and_arms(
        model.joints, model.dofs, chain.limb_joints, chain.trunk, goal, guess, 1.0, frames,
        np.zeros((1, entries.STATE_SIZE)), np.empty(entries.workspace_shape(1, len(chain.trunk))),
        angles.copy(), angles,
    )  # fmt: skip


def compile_following() -> None:
    """Compiles how a limb follows a way."""
    from puppet.kernels import entries

    model, _, _ = _example()
    limb, way, three = np.arange(1), np.zeros((1, 12)), np.zeros((1, 3))
    none, nothing = np.empty((1, 0, 12)), np.empty(0)
    entries.follow(
        model.joints, model.dofs, limb, way, way, three, np.ones((1, 4)), limb, 1.0, 0, nothing, none, three.copy()
    )


def compile_judging() -> None:
    """Compiles how a way is judged."""
    from puppet.kernels import entries

    model, _, _ = _example()
    limb, way, three = np.arange(1), np.zeros((1, 12)), np.zeros((1, 3))
    none, nothing = np.empty((1, 0, 12)), np.empty(0)
    table = np.zeros(2)
    entries.judge(model.joints, limb, way, three, table, nothing, none, nothing, none, np.zeros(1), np.empty(7))


def compile_approach() -> None:
    """Compiles what is needed for goals that cannot be met."""
    from puppet.kernels import entries

    model, chain, goal = _example()
    yes, table = np.array([True]), np.zeros(2)
    frames, angles = np.empty((len(model.joints), 12)), np.zeros(len(model.dofs))
    entries.nearest_posture(
        model.joints, model.dofs, chain.joints, chain.below, chain.roots, chain.hands, goal, yes, table, 1.0,
        angles[None].copy(), np.ones(3, dtype=np.int64), frames, angles,
    )  # fmt: skip


def compile_closely() -> None:
    """Compiles what is needed for goals that only just can be met."""
    from puppet.kernels import entries

    model, chain, goal = _example()
    yes, table = np.array([True]), np.zeros(2)
    frames, angles = np.empty((len(model.joints), 12)), np.zeros(len(model.dofs))
    entries.grid_search(model.joints, model.dofs, chain.limb_joints, goal, yes, table, angles.copy(), frames, angles)


def compile_head() -> None:
    """Compiles how the head turns where its limits are in the way."""
    from puppet.kernels import entries

    model, _, _ = _example()
    frames, angles = np.empty((len(model.joints), 12)), np.zeros(len(model.dofs))
    entries.turn_head(model.joints, model.dofs, model.gaze, np.ones(6), frames, angles)


def compile_idle() -> None:
    """Compiles how idle limbs are moved out of the table."""
    from puppet.kernels import entries

    model, chain, _ = _example()
    frames, angles = np.empty((len(model.joints), 12)), np.zeros(len(model.dofs))
    entries.clear_idle_limbs(model.joints, model.dofs, model.below, chain.idle_roots, np.zeros(2), frames, angles)


@functools.cache
def _example() -> tuple[KernelModel, Chain, Floats]:
    from puppet.body import Body
    from puppet.posture.chain import find_chain

    body = Body.load()
    name = next(iter(body.limbs))
    goal = np.concatenate([[0.1, 0.7, 0.3], np.eye(3).ravel()])[None]
    return body.model, find_chain(body, (name,), True), goal
