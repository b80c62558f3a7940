"""`puppet convert`: scripts, environments and motion files in their other form."""

from __future__ import annotations

import argparse
from pathlib import Path

from puppet.cli import outputs, status, summary
from puppet.cli.context import Context
from puppet.cli.inputs import environment_of
from puppet.cli.status import UsageError
from puppet.errors import did_you_mean
from puppet.files import shipped
from puppet.files.inputs import keeping_inputs

SUMMARY = "key strokes and scripts, plain and YAML environments, BVH and bodies"
DESCRIPTION = """\
Write a file in its other form; the endings say which.

    puppet convert old.keys new.puppet -e table.yaml     key strokes as a script (keys number the things of a scene)
    puppet convert my.puppet my.keys                     and back, where there are keys for it
    puppet convert old.env new.yaml                      an environment in the plain form as YAML, and back
    puppet convert old.env - | less                      to look at it
    puppet convert theirs.bvh tidy.bvh                   any program's BVH as every program reads it, the same motion
    puppet convert theirs.bvh moved.bvh --physics        the same motion as contact forces can cause it
    puppet convert theirs.bvh body.yaml                  the body of its skeleton, to be corrected
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="IN", help="file to read: .keys, .puppet, .env, .yaml or .bvh")
    parser.add_argument("target", metavar="OUT", help="file to write, or - for standard output")
    parser.add_argument("-e", "--environment", metavar="FILE", help="the scene that a script is for")
    parser.add_argument("--physics", action="store_true", help="BVH: the motion as contact forces can cause it")
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")


@keeping_inputs()
def execute(arguments: argparse.Namespace, context: Context) -> int:
    from puppet.tools import CONVERSIONS, convert, convert_file, left_out

    source, target = Path(arguments.source), Path(arguments.target)
    to_pipe = arguments.target == "-"
    for kind, what in (("tracks", "a file of tracks"), ("spaces", "an animation space")):
        if source.name.endswith(shipped.ENDINGS[kind][0]):
            raise UsageError(f"{what} has no other form; this writes its motion: puppet run {source} -o NAME.bvh")
    forms = [end for start, end in sorted(CONVERSIONS) if start == source.suffix]
    if not forms:
        known = sorted({start for start, _ in CONVERSIONS})
        raise UsageError(f"cannot convert '{source}': no form ends like that; {did_you_mean(source.suffix, known)}")
    if not to_pipe and target.suffix not in forms:
        raise UsageError(f"cannot convert '{source}' to '{target}': from {source.suffix} there is {', '.join(forms)}")
    if arguments.physics and (source.suffix, target.suffix) != (".bvh", ".bvh"):
        raise UsageError(f"--physics is for motion, from .bvh to .bvh, not from '{source}' to '{target}'")
    if arguments.physics:
        return _filter(source, target, arguments, context)
    found_kind = next((kind for kind in ("scripts", "environments") if source.suffix in shipped.ENDINGS[kind]), None)
    found, environment = shipped.find(found_kind, source) if found_kind else source, environment_of(arguments)
    if to_pipe:
        context.out.say(convert(found, forms[0], environment).rstrip("\n"))
        return status.ALL_DONE
    outputs.check_writable(target)
    convert_file(found, target, environment)
    if not arguments.quiet:
        lost = left_out(found, target.suffix, environment)
        for line in (*([lost] if lost else ()), *summary.file_lines([target], context.err)):
            context.err.say(line)
    return status.ALL_DONE


def _filter(source: Path, target: Path, arguments: argparse.Namespace, context: Context) -> int:
    """A BVH file through the dynamics filter."""
    from puppet.clip import Clip

    outputs.check_writable(target)
    found = Clip.load(source).filtered()
    found.save(target)
    if not arguments.quiet:
        context.err.say(summary.physics_line(found.report["physics"], context.err))
        for line in summary.file_lines([target], context.err):
            context.err.say(line)
    return status.ALL_DONE
