"""`puppet edit`: changes a recorded motion by a script."""

from __future__ import annotations

import argparse
from pathlib import Path

from puppet.cli import clips
from puppet.cli.context import Context
from puppet.files.inputs import keeping_inputs

SUMMARY = "change a recorded motion (BVH) by a script: pins, drags, planted feet"
DESCRIPTION = """\
Change a recorded motion in motion. The script has the words of the language; frames are those of the clip.

    puppet edit walk.bvh dodge.puppet -o dodged.bvh
    puppet edit walk.bvh dodge.puppet -o dodged.bvh --report dodged.json
    puppet edit walk.bvh dodge.puppet -o dodged.mp4 dodged.glb dodged.png
    puppet convert walk.bvh body.yaml && puppet edit walk.bvh dodge.puppet --body body.yaml -o dodged.bvh

A script, in lengths of the body's height, with y up:

    at 40
    pin left hand                            along its recorded path; to here: where it is now; to (x, y, z): there
    drag head by (0.1, -0.2, 0), speed 12    in 12 frames; it comes back in as many, or after: unpin head
    look at (0.3, 1.2, 2)                    until look ahead
    at 60
    unpin left hand

Feet that stand on the ground stay where they are, and others on their recorded paths, unless a script says otherwise.
Frames outside the spans of the edits stay as they are, to the bit.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "puppet edit CLIP.bvh SCRIPT -o FILE [option ...]"
    parser.add_argument("clip", metavar="CLIP.bvh", help="the recorded motion, of any program")
    parser.add_argument("script", metavar="SCRIPT", help="the edits (.puppet)")
    clips.add_arguments(parser)


@keeping_inputs()
def execute(arguments: argparse.Namespace, context: Context) -> int:
    planned = clips.planned_outputs(arguments, arguments.clip, arguments.script)
    script = Path(arguments.script)
    clips.check_exists(script)
    clip = clips.load_clip(arguments.clip, arguments, context)
    edited = clip.edit(script)
    if not arguments.quiet:
        for line in clips.edit_lines(edited):
            context.err.say(line)
    return clips.write_clip(edited, planned, arguments, context)
