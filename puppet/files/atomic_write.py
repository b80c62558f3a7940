"""Files written whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from puppet.errors import PuppetError

_STEM = 40  # letters of a file's name in that of its draft: the longest name of a file must leave room for more


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """A place to write to; what is there when the block ends well becomes the file, else nothing is left behind.

    A link stays and what it leads to is written. What is no file, as a pipe or a device, gets the bytes at the end.
    """
    path = Path(path)
    try:
        target, mode = _target(path)
        folder = target.parent if mode is not None else None
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=f".{path.stem[:_STEM]}.", suffix=path.suffix[:_STEM])
        os.close(descriptor)
    except (OSError, ValueError) as error:  # the latter: a name that no file can have
        raise PuppetError(f"cannot write '{path}': {getattr(error, 'strerror', None) or error}") from None
    draft = Path(name)
    try:
        yield draft
        if mode is None:
            with draft.open("rb") as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink)
        else:
            os.chmod(draft, mode)
            os.replace(draft, target)
    except OSError as error:
        raise PuppetError(f"cannot write '{path}': {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            draft.unlink()


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Text (UTF-8, plain line ends) or bytes into a file."""
    with whole(path) as draft:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)


def _target(path: Path) -> tuple[Path, int | None]:
    """Where the bytes go, and the rights of the file; None: it is no file, and must not be replaced by one."""
    try:
        found = path.stat().st_mode
    except FileNotFoundError:
        return Path(os.path.realpath(path)), 0o666 & ~_umask()
    if stat.S_ISDIR(found):
        raise PuppetError(f"cannot write '{path}': it is a folder")
    if not stat.S_ISREG(found):
        return path, None
    if not os.access(path, os.W_OK):
        raise PuppetError(f"cannot write '{path}': it is read-only")
    return Path(os.path.realpath(path)), stat.S_IMODE(found)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
