"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from puppet.errors import PuppetError


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """A place to write to; what is there when the block ends well becomes the file, else nothing is left behind."""
    path = Path(path)
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix)
        os.close(descriptor)
    except OSError as error:
        raise PuppetError(f"cannot write '{path}': {error.strerror or error}") from None
    draft = Path(name)
    try:
        yield draft
        mode = 0o666 & ~_umask()
        os.chmod(draft, mode)
        os.replace(draft, path)
    except OSError as error:
        raise PuppetError(f"cannot write '{path}': {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            draft.unlink()


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Text (UTF-8, plain line ends) or bytes into a file."""
    with whole(path) as draft:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
