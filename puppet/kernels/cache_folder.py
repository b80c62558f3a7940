"""Where compiled kernels are kept.

Whoever can write there can have his code run here, as with Python's own `__pycache__`. So it is one of these folders,
the first that can be written:

    NUMBA_CACHE_DIR, where it is set; a folder of this user's own in it, where others can write into it
    `__pycache__` beside the kernels' sources, which are trusted as much
    puppet's folder in the user's cache, which nobody else can write into
    a temporary folder that goes with the process
"""

from __future__ import annotations

import atexit
import functools
import logging
import os
import shutil
import tempfile
from pathlib import Path

from puppet.files import user_folders

log = logging.getLogger("puppet")
IN_TREE = Path(__file__).parent / "__pycache__"
INHERITED = "_PUPPET_KERNELS"  # in the environment of a process that compiles for another one: the other's folder

_temporary: list[Path] = []  # folders that go with the process


@functools.cache
def kernel_folder() -> Path | None:
    """The folder that numba is to use; None where nothing can be written anywhere."""
    if INHERITED in os.environ:
        return Path(os.environ[INHERITED])
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        own = Path(given).resolve()
        if own.is_dir() and not user_folders.is_private(own):
            own = own / f"puppet-{os.geteuid()}"
        if user_folders.make_private(own) and _can_write(own):
            return own
    if _can_write(IN_TREE):
        return IN_TREE
    own_cache = user_folders.cache_folder()
    if own_cache is not None and user_folders.make_private(own_cache) and _can_write(own_cache):
        return own_cache
    try:
        temporary = tempfile.mkdtemp(prefix="puppet-")
    except OSError:
        return None
    atexit.register(_remove, temporary, os.getpid())
    _temporary.append(Path(temporary))
    log.warning("puppet: no folder for compiled kernels can be written, so they are compiled in every run; set "
                "NUMBA_CACHE_DIR to a folder of your own")  # fmt: skip
    return Path(temporary)


def is_temporary(folder: Path) -> bool:
    """Whether a folder goes with the process."""
    return any(folder.is_relative_to(temporary) for temporary in _temporary)


def _can_write(folder: Path) -> bool:
    try:
        folder.mkdir(exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # not a fork of it
        shutil.rmtree(folder, ignore_errors=True)
