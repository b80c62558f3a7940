"""The door to the compiled kernels: loads numba only when a posture is first needed, and says when it compiles.

numba keeps compiled kernels on disk, but looks only at the file of the function that it loads: a change in a kernel
that is called from another file would go unnoticed. A stamp of all kernel sources beside the cache prevents that. The
first run after a change compiles in two processes, because that takes little more than half the time.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from puppet.body import Floats
    from puppet.chain import Chain
    from puppet.kernels.model import Model

log = logging.getLogger("puppet")
_others: list[subprocess.Popen[bytes]] = []  # kept so that a running one is not complained about


@functools.cache
def kernels() -> ModuleType:
    """The module of compiled entry points."""
    from puppet.kernels import entries

    cache = Path(entries.pose_arms.stats.cache_path)
    stamp, digest = cache / "puppet-kernels.stamp", _digest(Path(entries.__file__).parent)
    try:
        if not stamp.is_file() or stamp.read_text() != digest:
            log.warning("puppet: compiling the posture generator, once for this installation (some 20 seconds) ...")
            for old in cache.glob(f"{Path(entries.__file__).stem}.*.nb[ic]"):
                old.unlink(missing_ok=True)
            _compile()
            stamp.write_text(digest)
    except OSError as error:
        log.debug("the cache of compiled kernels in %s cannot be kept: %s", cache, error)
    return entries


def _digest(folder: Path) -> str:
    """A fingerprint of all kernel sources and of the body that they are compiled with."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _compile() -> None:
    """Compiles what every posture needs, half of it in a second process, then sets off the rest.

    Whatever a process has not compiled when it is called for, numba compiles where it is called.
    """
    other = _elsewhere("compile_settling", NUMBA_OPT="2")  # a fifth sooner, to the same bits, and hardly slower
    compile_arms()
    if other is not None:
        other.wait()
    rest = _elsewhere("compile_rest")
    if rest is not None:
        _others.append(rest)


def _elsewhere(name: str, **settings: str) -> subprocess.Popen[bytes] | None:
    """Runs a function of this module in another process, where that is possible, with these environment variables."""
    command = [sys.executable, "-c", f"from puppet.compiled import {name}; {name}()"]
    none = subprocess.DEVNULL
    with contextlib.suppress(OSError, ValueError):
        environment = {**os.environ, **settings}
        return subprocess.Popen(command, stdin=none, stdout=none, stderr=none, env=environment)
    return None


def compile_arms() -> None:
    """Compiles the arms, and what ends the making of every posture, by using them once."""
    from puppet.kernels import entries

    model, chain, goal = _example()
    yes, table = np.array([True]), np.zeros(2)
    frames, angles = np.empty((len(model.joints), 12)), np.zeros(len(model.dofs))
    entries.pose_arms(
        model.joints, model.dofs, chain.limb_joints, chain.trunk, goal, yes, table, angles.copy(), -1.0, 1.0, frames,
        np.empty((1, entries.STATE_SIZE)), angles,
    )  # fmt: skip
    entries.finish(
        model.joints, model.dofs, model.gaze, model.below, chain.limb_joints, chain.hands, chain.trunk,
        chain.idle_roots, goal, yes, table, 1.0, np.zeros(3), angles.copy(), frames, angles, np.zeros(3),
    )  # fmt: skip


def compile_settling() -> None:
    """Compiles forward kinematics, the estimate, and how trunk and arms settle."""
    from puppet.kernels import entries

    model, chain, goal = _example()
    frames, angles = np.empty((len(model.joints), 12)), np.zeros(len(model.dofs))
    guess = angles.copy()
    entries.forward(model.joints, angles[None].copy(), frames[None])
    entries.guess_arms(
        model.joints, model.dofs, model.gaze, chain.limb_joints, chain.trunk, chain.joints, goal, 1.0, frames, guess,
        angles,
    )  # fmt: skip
    entries.settle_arms(
        model.joints, model.dofs, chain.limb_joints, chain.trunk, goal, guess, 1.0, frames,
        np.zeros((1, entries.STATE_SIZE)), np.empty(entries.settling_room(1, len(chain.trunk))),
        angles.copy(), angles,
    )  # fmt: skip


def compile_rest() -> None:
    """Compiles what is needed for goals that only just can be met, or cannot."""
    from puppet.kernels import entries

    model, chain, goal = _example()
    yes, table = np.array([True]), np.zeros(2)
    frames, angles = np.empty((len(model.joints), 12)), np.zeros(len(model.dofs))
    limb, way, three = np.arange(1), np.zeros((1, 12)), np.zeros((1, 3))
    none, nothing = np.empty((1, 0, 12)), np.empty(0)
    entries.follow(
        model.joints, model.dofs, limb, way, way, three, np.ones((1, 4)), limb, 1.0, 0, nothing, none, three.copy()
    )
    entries.judge(model.joints, limb, way, three, table, nothing, none, nothing, none, np.zeros(1), np.empty(7))
    entries.approach(
        model.joints, model.dofs, chain.joints, chain.below, chain.roots, chain.hands, goal, yes, table, 1.0,
        angles[None].copy(), 1, 1, frames, angles,
    )  # fmt: skip
    entries.look_closely(
        model.joints, model.dofs, chain.limb_joints, goal, yes, table, angles.copy(), frames, angles
    )


def _example() -> tuple[Model, Chain, Floats]:
    from puppet.body import Body
    from puppet.chain import find_chain

    body = Body.load()
    name = next(iter(body.limbs))
    goal = np.concatenate([[0.1, 0.7, 0.3], np.eye(3).ravel()])[None]
    return body.model, find_chain(body, (name,), True), goal
