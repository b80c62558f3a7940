"""Finds files by name: first near the script, then among those shipped with puppet."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from puppet.errors import PuppetError, did_you_mean

_PACKAGE = Path(__file__).parent.parent
# The kinds of files that are shipped, and their endings. In the repository environments, scripts, spaces and tracks are
# folders at the top; in an installed package they are among its data.
ENDINGS = {
    "bodies": (".yaml",),
    "environments": (".yaml", ".env"),
    "gestures": (".yaml",),
    "keys": (".yaml",),
    "scripts": (".puppet", ".keys"),
    "spaces": (".space.yaml", ".yaml"),
    "tracks": (".tracks.yaml", ".yaml"),
}


def folder(kind: str) -> Path:
    """The folder of the shipped files of a kind."""
    project = _PACKAGE.parent
    in_project = project / kind
    return in_project if (project / "pyproject.toml").is_file() and in_project.is_dir() else _PACKAGE / "data" / kind


def names(kind: str) -> tuple[str, ...]:
    """The names of the shipped files of a kind."""
    return tuple(sorted(path.name for path in folder(kind).glob("*") if path.name.endswith(ENDINGS[kind])))


def stem(name: str) -> str:
    """The name of a shipped file without its ending."""
    long = next((ending for ending in (".tracks.yaml", ".space.yaml") if name.endswith(ending)), None)
    return Path(name).stem if long is None else name.removesuffix(long)


def name_from(kind: str, path: str | Path, beside: Path) -> str:
    """How a script in a folder names a file, so that it is found from there, whatever the current folder is: by its
    name where that is enough, by a relative path where the two are near each other, else by an absolute path."""
    path = Path(path).resolve()
    try:
        path.as_posix().encode()
    except UnicodeEncodeError:
        raise PuppetError(f"'{path}': a script cannot name it, since its name is no UTF-8; rename it") from None
    places = (place / path.name for place in (beside, beside / kind, beside.parent / kind, folder(kind)))
    first = next((place for place in places if os.path.isfile(place)), None)
    if first is not None and first.resolve() == path:
        return path.name
    with suppress(ValueError):  # there is no relative path to another drive
        way = Path(os.path.relpath(path, beside.resolve()))
        if way.parts[:3] != ("..",) * 3:
            return way.as_posix()
    return path.as_posix()


def check_readable(path: Path) -> None:
    """Raises where something is there that is no file, or nobody can tell, because its folder may not be entered."""
    try:
        mode = os.stat(path).st_mode
        if path.name and not stat.S_ISREG(mode):
            raise PuppetError(f"'{path}' cannot be read: it is {'a folder' if stat.S_ISDIR(mode) else 'no file'}")
    except PermissionError as error:
        raise PuppetError(f"'{path}' cannot be read: {error.strerror}") from None
    except (OSError, ValueError):
        pass


def find(kind: str, name: str | Path, beside: Path | None = None) -> Path:
    """A file by its path or name, with or without its ending.

    Looked for in the folder `beside`, in folders there that are named like the kind, in the current folder, and among
    the shipped files.
    """
    here = Path() if beside is None else beside
    folders = (here, here / kind, here.parent / kind, Path(), Path(kind), folder(kind))
    for place in folders:
        for ending in ("", *ENDINGS[kind]):
            path = place / f"{name}{ending}"
            if os.path.isfile(path):  # unlike Path.is_file, never raises: a name can be too long for the system
                return path
    check_readable(here / name)
    known = names(kind)
    hint = did_you_mean(Path(name).name, {*known, *map(stem, known)})
    raise PuppetError(f"no file '{name}' among the {kind}: neither beside the script nor with puppet; {hint}")
