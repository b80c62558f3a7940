"""The door to the compiled kernels: loads numba only when a posture is first needed, and says when it compiles.

numba keeps compiled kernels on disk, but looks only at the file of the function that it loads: a change in a kernel
that is called from another file would go unnoticed. A stamp of all kernel sources beside the cache prevents that.
"""

from __future__ import annotations

import functools
import hashlib
import logging
from pathlib import Path
from types import ModuleType

log = logging.getLogger("puppet")


@functools.cache
def kernels() -> ModuleType:
    """The module of compiled entry points."""
    from puppet.kernels import entries

    _drop_stale_cache(Path(entries.__file__), Path(entries.solve_arms.stats.cache_path))
    _say_when_compiling()
    return entries


def _drop_stale_cache(source: Path, cache: Path) -> None:
    digest = hashlib.sha256()
    for path in sorted(source.parent.glob("*.py")):
        digest.update(path.read_bytes())
    stamp = cache / f"{source.stem}.stamp"
    try:
        if stamp.is_file() and stamp.read_text() == digest.hexdigest():
            return
        for old in cache.glob(f"{source.stem}.*.nb[ic]"):
            old.unlink(missing_ok=True)
        cache.mkdir(parents=True, exist_ok=True)
        stamp.write_text(digest.hexdigest())
    except OSError:
        log.debug("the cache of compiled kernels in %s cannot be kept", cache)


def _say_when_compiling() -> None:
    """Says once that kernels are being compiled; loading them from the cache is silent."""
    from numba.core import event

    class Notice(event.Listener):  # type: ignore[misc]
        said = False

        def on_start(self, _: object) -> None:
            if not self.said:
                self.said = True
                log.warning("puppet: compiling the posture generator, once for this installation (some 10 seconds) ...")

        def on_end(self, _: object) -> None:
            pass

    event.register("numba:compile", Notice())
