"""Atomic writes: a file appears complete or not at all."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from puppet.errors import PuppetError
from puppet.files.inputs import refuse_input

_STEM = 40  # letters of the file's name that its draft's name repeats: the longest names leave no room for a suffix


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """A draft's path to write to; it replaces the file when the block ends without an error, else it is deleted.

    A symbolic link is followed. A pipe or a device is not replaced: the bytes are copied into it at the end.
    """
    path = Path(path)
    refuse_input(path)
    try:
        target, mode = _resolve(path)
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


def write_atomically(path: str | Path, content: str | bytes) -> None:
    """Writes text (in UTF-8, its line ends unchanged) or bytes to a file."""
    try:
        data = content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        what = error.object[max(0, error.start - 20) : error.end + 20]
        raise PuppetError(f"cannot write '{path}': there is a name in it that is no UTF-8: {what!r}") from None
    with atomic_path(path) as draft:
        draft.write_bytes(data)


def _resolve(path: Path) -> tuple[Path, int | None]:
    """The file to replace and its permissions; None where it is a pipe or a device, which must not be replaced."""
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
