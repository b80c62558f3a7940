"""`puppet check`: every mistake in a file, without running it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from puppet.cli import status
from puppet.cli.context import Context
from puppet.cli.inputs import add_input_arguments, body_of, environment_of, gestures_of
from puppet.cli.mistakes import colored_mistake, mistake_count
from puppet.cli.script import STDIN, NamedScript, find_script
from puppet.cli.status import UsageError
from puppet.errors import visible

if TYPE_CHECKING:
    from puppet.body import Body
    from puppet.language import Mistake
    from puppet.tracks import Hint

SUMMARY = "every mistake in a script or another file, with what was meant"
DESCRIPTION = """\
Find every mistake in scripts, without carrying them out: file, line and column, the line with a mark under the word,
and what was meant. Environments, bodies, gestures and key maps are checked as well. Files of tracks get hints, too: a
flight whose time does not fit its height.

    puppet check my.puppet                        one script, in the scene that it names
    puppet check *.puppet                         many
    puppet check my.puppet -e other.yaml          in another scene
    puppet check table.yaml                       an environment
    puppet check jump.tracks.yaml                 tracks: mistakes, and hints about what does not fit
    puppet check jump.tracks.yaml --fix           moves such keys, and what comes after them, to the frames that fit
    puppet check my.puppet --format json          for other programs; also sarif
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "puppet check FILE ... [-e FILE] [option ...]"
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="a file, a script that comes with puppet, or - for a pipe"
    )
    add_input_arguments(parser)
    parser.add_argument(
        "--fix", action="store_true", help="tracks: move keys to the frames that fit; every other character is kept"
    )
    parser.add_argument(
        "--format", choices=("text", "json", "sarif"), default="text", metavar="FORM",
        help="text, for people; json: file, range, code, message and replacement of each mistake and hint; or sarif",
    )  # fmt: skip
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing but the mistakes")


def execute(arguments: argparse.Namespace, context: Context) -> int:
    scripts = [NamedScript(name, Path(name)) if _is_there(name) else find_script(name) for name in arguments.files]
    environment, gestures, body = environment_of(arguments), gestures_of(arguments), body_of(arguments)
    if arguments.fix and STDIN in arguments.files:
        raise UsageError("standard input cannot be fixed: give the name of a file")

    from puppet.tools import check_file, check_text

    bad = count = 0
    found: list[Mistake] = []
    hints: list[Hint] = []
    for script in scripts:
        if isinstance(script.source, Path):
            mistakes = check_file(script.source, environment, gestures, body)
        else:
            mistakes = check_text(script.source, environment, gestures, body)
        if not mistakes:
            own, fixed = _hints(script.source, body, arguments.fix)
            hints += own
            for hint in own if arguments.format == "text" else ():
                _say_hint(hint, fixed, context)
        found += mistakes
        for mistake in mistakes if arguments.format == "text" else ():
            context.out.say(colored_mistake(mistake, context.out))
        bad, count = bad + bool(mistakes), count + len(mistakes)
    if arguments.format != "text":
        from puppet.tools.diagnostics import as_json, as_sarif

        context.out.say((as_json if arguments.format == "json" else as_sarif)(found, hints).rstrip("\n"))
    if not arguments.quiet:
        context.err.say(_total(count, bad, len(scripts)))
    return status.MISTAKES if count else status.ALL_DONE


def _hints(source: Path | str, body: Body | None, fix: bool) -> tuple[tuple[Hint, ...], bool]:
    """The hints about a file of tracks, or about its text; with `fix`, those that are followed in a file, and whether
    there are any."""
    from puppet.tools import check_hints
    from puppet.tracks import fix_file

    hints = check_hints(source, body)
    fixable = isinstance(source, Path) and fix and any(hint.fix is not None for hint in hints)
    fixed = fix_file(source, body) if fixable else ()
    return fixed or hints, bool(fixed)


def _say_hint(hint: Hint, fixed: bool, context: Context) -> None:
    mark = context.out.paint("fixed" if fixed else "hint", "green" if fixed else "cyan", "bold")
    where = f"{hint.mark.file}:{hint.mark.line}:{hint.mark.column}: "
    context.out.say(f"{visible(where)}{mark}: {visible(hint.message)}")


def _is_there(name: str) -> bool:
    return name != STDIN and "\0" not in name and os.path.isfile(name)


def _total(count: int, bad: int, files: int) -> str:
    if not count:
        return "no mistakes" if files == 1 else f"no mistakes in {files} files"
    return mistake_count(count) if files == 1 else f"{mistake_count(count)} in {bad} of {files} files"
