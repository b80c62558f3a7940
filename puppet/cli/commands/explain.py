"""`puppet explain`: the timeline of a script."""

from __future__ import annotations

import argparse
from pathlib import Path

from puppet.cli import outputs, status, summary
from puppet.cli.context import Context
from puppet.cli.inputs import add_input_arguments, body_of, environment_of, gestures_of
from puppet.cli.run_script import run_script
from puppet.cli.script import find_script
from puppet.cli.status import UsageError
from puppet.errors import did_you_mean
from puppet.files.inputs import keeping_inputs

SUMMARY = "the timeline: which task moves which part of the body, and why it waited"
DESCRIPTION = """\
Carry out a script and show its timeline: parts of the body as rows, tasks as bars, and for each task how it was
understood, what became of it, and why it waited.

    puppet explain my.puppet                      on the terminal
    puppet explain my.puppet -o timeline.svg      as a picture for a paper; or .png
    puppet explain coffee | less                  a script that comes with puppet
    puppet explain long_jump                      keyframes with physics: a file of tracks, NAME.tracks.yaml
"""
_WRITERS = {".svg": "puppet.timeline.svg", ".png": "puppet.timeline.png"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "puppet explain SCRIPT [-e FILE] [-o OUT ...] [option ...]"
    parser.add_argument(
        "script", metavar="SCRIPT", nargs="?", help="a file, a script that comes with puppet, or - for a pipe"
    )
    add_input_arguments(parser)
    parser.add_argument(
        "-o", "--output", metavar="OUT", nargs="+", action="extend", default=[], help="pictures to write: .svg, .png"
    )
    parser.add_argument("--draft", action="store_true", help="estimated postures: faster, not exact")


@keeping_inputs()
def execute(arguments: argparse.Namespace, context: Context) -> int:
    from importlib import import_module

    name, paths = outputs.split_script_and_outputs(arguments.script, arguments.output, _WRITERS)
    for path in map(Path, paths):
        if path.suffix.lower() not in _WRITERS:
            raise UsageError(f"cannot draw '{path}': no picture ends like that; {did_you_mean(path.suffix, _WRITERS)}")
        outputs.check_writable(path)
    script = find_script(name)
    outputs.keep_inputs(map(Path, paths), [script.source])
    performance = run_script(
        script, context.err, environment_of(arguments), arguments.draft, body_of(arguments), gestures_of(arguments),
        told=False,
    )  # fmt: skip

    from puppet.timeline import text
    from puppet.timeline.source import timeline_of

    found = timeline_of(performance, Path(script.name).name)
    for path in map(Path, paths):
        import_module(_WRITERS[path.suffix.lower()]).write(found, path)
        for line in summary.file_lines([path], context.err):
            context.err.say(line)
    if not paths:
        out = context.out
        glyphs = text.UNICODE if out.unicode else text.ASCII
        out.say(text.draw(found, out.width, glyphs, out.paint).rstrip("\n"))
    return status.INCOMPLETE if summary.has_failed(performance.report) else status.ALL_DONE
