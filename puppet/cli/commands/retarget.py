"""`puppet retarget`: a recorded motion on another body."""

from __future__ import annotations

import argparse

from puppet.cli import clips
from puppet.cli.context import Context
from puppet.cli.status import UsageError
from puppet.files import shipped
from puppet.files.inputs import keeping_inputs

SUMMARY = "a recorded motion (BVH) on another body or skeleton"
DESCRIPTION = """\
Carry a recorded motion over to another body. Feet that stand still do, hands that meet still meet, no joint leaves its
range, and who is in the air falls with gravity.

    puppet retarget theirs.bvh --body person -o ours.bvh          on a body that comes with puppet, or a YAML file
    puppet retarget ours.bvh --to skeleton.bvh -o theirs.bvh      on another program's skeleton, in its units and axes
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "puppet retarget CLIP.bvh (--body BODY | --to SKELETON.bvh) -o FILE [option ...]"
    parser.add_argument("clip", metavar="CLIP.bvh", help="the recorded motion, of any program")
    parser.add_argument("--to", metavar="FILE.bvh", help="a BVH file with the skeleton that is wanted")
    clips.add_arguments(parser, "the body that is wanted: one that comes with puppet, or a YAML file")


@keeping_inputs()
def execute(arguments: argparse.Namespace, context: Context) -> int:
    if (arguments.body is None) == (arguments.to is None):
        raise UsageError("say which body the motion is for: --body BODY, or --to SKELETON.bvh")
    planned = clips.planned_outputs(arguments, arguments.clip, arguments.to or arguments.clip)
    clip = clips.load_clip(arguments.clip, arguments, context, body=None)

    from puppet.body import Body
    from puppet.clip import Clip

    if arguments.to is not None:
        clips.check_exists(arguments.to)
        skeleton = Clip.skeleton(arguments.to)
        if not arguments.quiet:
            clips.tell_clip(skeleton, arguments.to, context)
        target: Body | Clip = skeleton
    else:
        target = Body.load(shipped.find("bodies", arguments.body))
    found = clip.retarget(target)
    if not arguments.quiet:
        for line in clips.retarget_lines(found):
            context.err.say(line)
    return clips.write_clip(found, planned, arguments, context)
