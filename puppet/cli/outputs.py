"""The output files of a command line: their writers, the options for these, and the writing itself."""

from __future__ import annotations

import argparse
import inspect
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from puppet import export
from puppet.cli.options import OPTIONS
from puppet.cli.status import UsageError
from puppet.cli.terminal import Terminal
from puppet.errors import PuppetError
from puppet.files import shipped

if TYPE_CHECKING:
    from puppet.performance import Performance

INPUTS = frozenset(ending for endings in shipped.ENDINGS.values() for ending in endings)
PROGRESS = "progress"  # an option of slow writers: a function to report progress to


@dataclass(frozen=True)
class Output:
    """A file to write, its writer and the options for it."""

    path: Path
    write: Callable[..., None]
    options: Mapping[str, Any] = field(default_factory=dict)


def options_of(write: Callable[..., None]) -> set[str]:
    """The options of a writer: its keyword-only parameters."""
    parameters = inspect.signature(write).parameters.values()
    return {entry.name for entry in parameters if entry.kind is inspect.Parameter.KEYWORD_ONLY}


def split_script_and_outputs(
    script: str | None, paths: Sequence[str], endings: Collection[str] = tuple(export.WRITERS)
) -> tuple[str, list[str]]:
    """The script and the outputs: in `-o a.bvh my.puppet` the last file is not an output but the script."""
    paths = list(paths)
    if script is None and paths and Path(paths[-1]).suffix.lower() not in endings:
        script = paths.pop()
    if script is None:
        raise UsageError("a script is missing")
    return script, paths


def plan_outputs(paths: Sequence[str], arguments: argparse.Namespace) -> tuple[Output, ...]:
    """Plans the output files; checks everything that can be checked before the script is run."""
    given = {option.name: getattr(arguments, option.name) for option in OPTIONS}
    given = {name: value for name, value in given.items() if value is not None}
    found, used, seen = [], set(), set()
    for name in paths:
        path = Path(name)
        try:
            write = export.writer_for(path)
        except PuppetError as error:
            raise UsageError(str(error)) from None
        if path.absolute() in seen:
            raise UsageError(f"'{path}' is to be written twice")
        seen.add(path.absolute())
        check_writable(path)
        wanted = options_of(write)
        used |= wanted
        found.append(Output(path, write, {name: value for name, value in given.items() if name in wanted}))
    for name in given:
        if name not in used:
            raise UsageError(_unused_option(name, [Path(path).suffix for path in paths]))
    return tuple(found)


def report_to(path: Path, others: Sequence[Output]) -> Output:
    """The report as an output, whatever the file's ending."""
    if path.absolute() in {other.path.absolute() for other in others}:
        raise UsageError(f"'{path}' is to be written twice")
    check_writable(path)
    return Output(path, export.writer_for("report.json"))


def forces_to(path: Path, others: Sequence[Output]) -> Output:
    """Contact forces as an output."""
    if path.absolute() in {other.path.absolute() for other in others}:
        raise UsageError(f"'{path}' is to be written twice")
    if path.suffix != ".npz":
        raise UsageError(f"--forces writes an .npz file, not '{path}'")
    check_writable(path)
    return Output(path, export.writer_for(path))


def check_writable(path: Path) -> None:
    """Raises if a file cannot be written: better before a long run than after it."""
    try:
        os.stat(path)
        there = True
    except FileNotFoundError:
        there = False
    except (OSError, ValueError) as error:  # the latter: a name that no file can have
        raise PuppetError(f"cannot write '{path}': {getattr(error, 'strerror', None) or error}") from None
    if os.path.isdir(path):
        raise PuppetError(f"cannot write '{path}': it is a folder")
    if not os.path.isdir(path.parent):
        raise PuppetError(f"cannot write '{path}': there is no folder '{path.parent}'")
    if not os.access(path if there else path.parent, os.W_OK):
        raise PuppetError(f"cannot write '{path}': {'it' if there else 'its folder'} is read-only")


def keep_inputs(paths: Iterable[Path], inputs: Iterable[Path | str | None]) -> None:
    """Raises if a file that is to be written is one that is read, or of a kind that only people write."""
    read = [Path(name) for name in inputs if isinstance(name, Path)]
    for path in paths:
        if os.path.isfile(path) and (
            path.suffix.lower() in INPUTS or any(os.path.samefile(path, other) for other in read)
        ):
            raise UsageError(f"'{path}' is an input and would be overwritten; choose another name")


def _unused_option(name: str, endings: Sequence[str]) -> str:
    (option,) = (option for option in OPTIONS if option.name == name)
    what = f"the outputs here ({', '.join(dict.fromkeys(endings))}) do not use it" if endings else "nothing is written"
    return f"{option.flag}: {what}; it is for {', '.join(option.endings)}"


def write_all(
    performance: Performance, outputs: Sequence[Output], err: Terminal, quiet: bool
) -> tuple[list[Path], list[PuppetError]]:
    """Writes every output atomically; returns those written and the errors of the others. Ctrl-C lists the former.

    A mistake of ours in one of them is raised after the others are written.
    """
    written: list[Path] = []
    failed: list[PuppetError] = []
    unexpected: Exception | None = None
    for output in outputs:
        options = dict(output.options)
        try:
            with err.progress(f"writing {output.path.name}") as progress:
                if PROGRESS in options_of(output.write) and not quiet:
                    options[PROGRESS] = progress
                output.write(performance, output.path, **options)
        except PuppetError as error:
            failed.append(error)
        except OSError as error:
            failed.append(PuppetError(f"cannot write '{output.path}': {error.strerror or error}"))
        except Exception as error:
            unexpected = unexpected or error
        except KeyboardInterrupt as stop:
            names = ", ".join(str(path) for path in written)
            raise KeyboardInterrupt(f"written: {names}" if names else "no file was written") from stop
        else:
            written.append(output.path)
    if unexpected is not None:
        raise unexpected
    return written, failed
