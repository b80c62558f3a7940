"""`puppet run`: runs a script and writes its motion, pictures and report."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from puppet.cli import outputs
from puppet.cli.context import Context
from puppet.cli.inputs import add_input_arguments, body_of, environment_of, gestures_of
from puppet.cli.options import add_writer_options
from puppet.cli.run_script import run_script, write_outputs
from puppet.cli.script import find_script
from puppet.files.inputs import keeping_inputs

SUMMARY = "carry out a script: motion files, movies, pictures, a report"
DESCRIPTION = """\
Carry out a script. Each file's ending says what is written.

    puppet run my.puppet                          what becomes of each task
    puppet run my.puppet -o my.bvh -o my.json     the motion, and the report
    puppet run my.puppet -e other.yaml            the same script in another scene
    puppet run my.puppet --physics -o my.bvh      moved by contact forces; --forces my.npz writes these
    puppet run long_jump -o jump.bvh              keyframes with physics: a file of tracks, NAME.tracks.yaml
    puppet run inchworm -o worm.gif               an animation space: NAME.space.yaml
    puppet run coffee                             a script that comes with puppet (puppet list)
    echo 'reach yellow with left' | puppet run - -e blocks --report -
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "puppet run SCRIPT [-e FILE] [-o OUT ...] [option ...]"
    parser.add_argument(
        "script", metavar="SCRIPT", nargs="?", help="a file, a script that comes with puppet, or - for a pipe"
    )
    add_input_arguments(parser)
    parser.add_argument(
        "-o", "--output", metavar="OUT", nargs="+", action="extend", default=[], help="files to write; repeatable"
    )
    parser.add_argument("--report", metavar="FILE", help="the report as JSON; - writes it to standard output")
    parser.add_argument(
        "--physics", action="store_true", default=None, help="the motion as contact forces can cause it"
    )
    parser.add_argument("--forces", metavar="FILE", help="with --physics: contact forces and torques, an .npz file")
    parser.add_argument("--draft", action="store_true", help="estimated postures: faster, not exact")
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")
    add_writer_options(parser)


@keeping_inputs()
def execute(arguments: argparse.Namespace, context: Context) -> int:
    name, paths = outputs.split_script_and_outputs(arguments.script, arguments.output)
    planned = outputs.plan_outputs(paths, arguments)
    report = arguments.report
    if report not in (None, "-"):
        planned = (*planned, outputs.report_to(Path(report), planned))
    forces = arguments.forces
    if forces is not None:
        planned = (*planned, outputs.forces_to(Path(forces), planned))
    script, environment, gestures = find_script(name), environment_of(arguments), gestures_of(arguments)
    outputs.keep_inputs([output.path for output in planned], [script.source, environment, *gestures])
    performance = run_script(
        script, context.err, environment, arguments.draft, body_of(arguments), gestures, arguments.quiet,
        physics=arguments.physics or (True if forces is not None else None),
    )  # fmt: skip
    code = write_outputs(performance, planned, context.err, arguments.quiet)
    if report == "-":
        context.out.say(json.dumps(performance.report, indent=2))
    return code
