"""Runs a script for the command line: progress, summary, files, exit status."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from puppet.cli import outputs, status, summary
from puppet.cli.mistakes import error_lines
from puppet.cli.outputs import Output
from puppet.cli.script import NamedScript
from puppet.cli.terminal import Terminal

if TYPE_CHECKING:
    from puppet.body import Body
    from puppet.performance import Performance


def run_script(
    script: NamedScript,
    err: Terminal,
    environment: Path | None = None,
    draft: bool = False,
    body: Body | None = None,
    gestures: Sequence[Path] = (),
    quiet: bool = False,
    told: bool = True,
    physics: bool | None = None,
) -> Performance:
    """The performance of a script. `quiet`: without progress and summary; `told`: with a summary."""
    from puppet.shows import run

    # the compiler's notice, which comes once after an installation, is a remark too
    with err.progress(f"carrying out {script.name}") as progress, _log_level(logging.ERROR if quiet else logging.INFO):
        performance = run(script.source, environment, draft, body, gestures, None if quiet else progress, physics)
    if told and not quiet:
        for line in summary.summary_lines(performance.report, script.name, err):
            err.say(line)
    return performance


@contextmanager
def _log_level(level: int) -> Iterator[None]:
    log = logging.getLogger("puppet")
    before = log.level
    log.setLevel(level)
    try:
        yield
    finally:
        log.setLevel(before)


def write_outputs(performance: Performance, planned: Sequence[Output], err: Terminal, quiet: bool = False) -> int:
    """Writes the files, lists them, and returns the exit status of the command."""
    written, failed = outputs.write_all(performance, planned, err, quiet)
    if failed or not quiet:  # after a failure it matters what is there
        for line in summary.file_lines(written, err):
            err.say(line)
    for error in failed:
        for line in error_lines(error, err):
            err.say(line)
    if failed:
        return status.MISTAKES
    return status.INCOMPLETE if summary.has_failed(performance.report) else status.ALL_DONE
