"""The files that a command line asks for: their writers, which options these take, and the writing itself."""

from __future__ import annotations

import argparse
import inspect
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from puppet import export
from puppet.cli.options import OPTIONS
from puppet.cli.status import UsageError
from puppet.cli.terminal import Terminal
from puppet.errors import PuppetError

if TYPE_CHECKING:
    from puppet.performance import Performance

PROGRESS = "progress"  # a writer that takes long takes this one too


@dataclass(frozen=True)
class Output:
    """A file to write, and the options that its writer gets."""

    path: Path
    write: Callable[..., None]
    options: Mapping[str, Any] = field(default_factory=dict)


def takes(write: Callable[..., None]) -> set[str]:
    """The options of a writer: its keyword-only parameters."""
    parameters = inspect.signature(write).parameters.values()
    return {entry.name for entry in parameters if entry.kind is inspect.Parameter.KEYWORD_ONLY}


def apart(
    script: str | None, paths: Sequence[str], endings: Collection[str] = tuple(export.WRITERS)
) -> tuple[str, list[str]]:
    """The script and the outputs: `-o a.bvh my.puppet` takes the script for an output, and is meant otherwise."""
    paths = list(paths)
    if script is None and paths and Path(paths[-1]).suffix.lower() not in endings:
        script = paths.pop()
    if script is None:
        raise UsageError("a script is missing")
    return script, paths


def plan(paths: Sequence[str], arguments: argparse.Namespace) -> tuple[Output, ...]:
    """Checks everything that can be checked before any work is done."""
    given = {option.name: getattr(arguments, option.name) for option in OPTIONS}
    given = {name: value for name, value in given.items() if value is not None}
    found, used, seen = [], set(), set()
    for name in paths:
        path = Path(name)
        try:
            write = export.writer(path)
        except PuppetError as error:
            raise UsageError(str(error)) from None
        if path.absolute() in seen:
            raise UsageError(f"'{path}' is to be written twice")
        seen.add(path.absolute())
        check_place(path)
        wanted = takes(write)
        used |= wanted
        found.append(Output(path, write, {name: value for name, value in given.items() if name in wanted}))
    for name in given:
        if name not in used:
            raise UsageError(_unused(name, [Path(path).suffix for path in paths]))
    return tuple(found)


def report_to(path: Path, others: Sequence[Output]) -> Output:
    """The report, whatever its file's ending is."""
    if path.absolute() in {other.path.absolute() for other in others}:
        raise UsageError(f"'{path}' is to be written twice")
    check_place(path)
    return Output(path, export.writer("report.json"))


def check_place(path: Path) -> None:
    """Whether a file could be there at all: better said before a long run than after it."""
    if path.is_dir():
        raise PuppetError(f"cannot write '{path}': it is a folder")
    if not path.parent.is_dir():
        raise PuppetError(f"cannot write '{path}': there is no folder '{path.parent}'")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise PuppetError(f"cannot write '{path}': {'it' if path.exists() else 'its folder'} is read-only")


def _unused(name: str, endings: Sequence[str]) -> str:
    (option,) = (option for option in OPTIONS if option.name == name)
    what = f"the outputs here ({', '.join(dict.fromkeys(endings))}) do not use it" if endings else "nothing is written"
    return f"{option.flag}: {what}; it is for {', '.join(option.endings)}"


def write_all(
    performance: Performance, outputs: Sequence[Output], err: Terminal, quiet: bool
) -> tuple[list[Path], list[PuppetError]]:
    """Writes every output, whole or not at all: those written, and why others were not. Ctrl-C tells the former."""
    written: list[Path] = []
    failed: list[PuppetError] = []
    for output in outputs:
        options = dict(output.options)
        try:
            with err.progress(f"writing {output.path.name}") as progress:
                if PROGRESS in takes(output.write) and not quiet:
                    options[PROGRESS] = progress
                output.write(performance, output.path, **options)
        except PuppetError as error:
            failed.append(error)
        except KeyboardInterrupt as stop:
            names = ", ".join(str(path) for path in written)
            raise KeyboardInterrupt(f"written: {names}" if names else "no file was written") from stop
        else:
            written.append(output.path)
    return written, failed
