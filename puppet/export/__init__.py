"""A performance in, a file out: each file ending has its writer, which is loaded when it is needed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from puppet.arguments import public
from puppet.errors import PuppetError, did_you_mean, visible

if TYPE_CHECKING:
    from puppet.performance import Performance

Progress = Callable[[float], None]  # called with the share that is done, 0 to 1
WRITERS = {
    ".bvh": "puppet.export.bvh",
    ".gif": "puppet.export.animation",
    ".glb": "puppet.export.gltf",
    ".json": "puppet.export.report",
    ".mp4": "puppet.export.movie",
    ".npz": "puppet.export.forces",
    ".png": "puppet.export.picture",
}  # ending: module with `write(performance, path, **options)`


def writer_for(path: str | Path) -> Callable[..., None]:
    """The writer for a file, by its ending."""
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        hint = did_you_mean(ending, WRITERS)
        raise PuppetError(f"cannot write '{Path(path).name}': no writer for '{ending}'; {hint}")
    found: Callable[..., None] = public(import_module(WRITERS[ending]).write)
    return found


def write(performance: Performance, path: str | Path, **options: Any) -> None:
    """Writes a performance in the format of the file's ending, atomically."""
    writer = writer_for(path)
    known = list(signature(writer).parameters)[2:]
    for name in options:
        if name not in known:
            hint = did_you_mean(name, known) if known else "they have none"
            raise PuppetError(f"'{Path(path).suffix}' files have no option '{visible(str(name))}'; {hint}")
    writer(performance, Path(path), **options)
