"""Finds files by name: beside the script first, then those that come with puppet."""

from __future__ import annotations

import os
from pathlib import Path

from puppet.errors import PuppetError, did_you_mean

_PACKAGE = Path(__file__).parent.parent
# What comes with puppet, and how it is written. Environments and scripts stand at the top of the project; in an
# installed package they lie with the rest of its data.
ENDINGS = {
    "bodies": (".yaml",),
    "environments": (".yaml", ".env"),
    "gestures": (".yaml",),
    "keys": (".yaml",),
    "scripts": (".puppet", ".keys"),
}


def folder(kind: str) -> Path:
    """Where the files of a kind that come with puppet are."""
    project = _PACKAGE.parent
    in_project = project / kind
    return in_project if (project / "pyproject.toml").is_file() and in_project.is_dir() else _PACKAGE / "data" / kind


def names(kind: str) -> tuple[str, ...]:
    """The file names of a kind that come with puppet."""
    return tuple(sorted(path.name for path in folder(kind).glob("*") if path.suffix in ENDINGS[kind]))


def find(kind: str, name: str | Path, beside: Path | None = None) -> Path:
    """A file by its path or name, with or without its ending: as it is, beside a script, in a folder of its kind there,
    else among those that come with puppet."""
    here = Path() if beside is None else beside
    folders = (here, here / kind, here.parent / kind, Path(), Path(kind), folder(kind))
    for place in folders:
        for ending in ("", *ENDINGS[kind]):
            path = place / f"{name}{ending}"
            if os.path.isfile(path):  # unlike Path.is_file, never raises: a name can be too long for the system
                return path
    known = names(kind)
    hint = did_you_mean(Path(name).name, {*known, *(Path(entry).stem for entry in known)})
    raise PuppetError(f"no file '{name}' among the {kind}: neither beside the script nor with puppet; {hint}")
