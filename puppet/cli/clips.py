"""What the subcommands for recorded motions share: reading, writing, and telling what was done."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from puppet.cli import outputs, status, summary
from puppet.cli.context import Context
from puppet.cli.options import OPTIONS, add_writer_options
from puppet.errors import PuppetError
from puppet.export import WRITERS
from puppet.files import shipped

if TYPE_CHECKING:
    from puppet.clip import Clip

_OWN: Any = object()
TOLD_JERK = 1.1  # times the recorded jerk: of an edit that has more, it is told what it has by itself
_WHOLE = 0.95  # of what is asked for: where less of it is had, that is told
_STILL = 1e-6  # m / s^3: a recorded jerk below it is none


WRITER_OPTIONS = tuple(option for option in OPTIONS if option.name not in ("up", "scale", "t_pose", "objects"))


def add_arguments(parser: argparse.ArgumentParser, body: str = "YAML file of the clip's body, corrected") -> None:
    parser.add_argument(
        "-o", "--output", metavar="FILE", nargs="+", required=True,
        help=f"files to write: {', '.join(WRITERS)}",
    )  # fmt: skip
    parser.add_argument("--body", metavar="BODY", help=body)
    parser.add_argument("--up", metavar="AXIS", choices=("y", "z"), help="the clip's vertical axis, if it must be told")
    parser.add_argument("--report", metavar="FILE", help="what was done as JSON; - writes it to standard output")
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")
    add_writer_options(parser, WRITER_OPTIONS)


def planned_outputs(arguments: argparse.Namespace, *inputs: str | Path) -> tuple[outputs.Output, ...]:
    """The files to write; everything that can be checked is checked before."""
    own = {option.name: None for option in OPTIONS}
    own |= {option.name: getattr(arguments, option.name) for option in WRITER_OPTIONS}
    found = outputs.plan_outputs(arguments.output, argparse.Namespace(**own))
    written = [output.path for output in found]
    if arguments.report not in (None, "-"):
        written.append(outputs.report_to(Path(arguments.report), found).path)
    body = [] if arguments.body is None else [shipped.find("bodies", arguments.body)]
    outputs.keep_inputs(written, [Path(name) for name in (*inputs, *body)])
    return found


def check_exists(path: str | Path) -> None:
    if not Path(path).is_file():
        raise PuppetError(f"no file '{path}'")


def load_clip(path: str, arguments: argparse.Namespace, context: Context, body: Any = _OWN) -> Clip:
    """The clip of a file, and in words what was found out about it."""
    from puppet.clip import Clip

    check_exists(path)
    if body is _OWN:
        body = None if arguments.body is None else shipped.find("bodies", arguments.body)
    clip = Clip.load(path, body, arguments.up)
    if not arguments.quiet:
        tell_clip(clip, path, context)
    return clip


def tell_clip(clip: Clip, path: str, context: Context) -> None:
    """Says what was found out about a clip."""
    count = "1 frame" if len(clip) == 1 else f"{len(clip)} frames"
    up = clip.fit.axes.up
    told = f"{count}, {clip.fps:.4g} a second; {clip.body.dofs} degrees of freedom; {up} is up"
    context.err.say(f"{context.err.paint(str(path), 'bold')}: {told}")
    for note in clip.notes:
        context.err.say(f"    {note}")


def write_clip(clip: Clip, planned: Sequence[outputs.Output], arguments: argparse.Namespace, context: Context) -> int:
    written = []
    for output in planned:
        clip.save(output.path, **output.options)
        written.append(output.path)
    if arguments.report == "-":
        context.out.say(json.dumps(clip.report, indent=2))
    elif arguments.report is not None:
        clip.save_report(arguments.report)
        written.append(Path(arguments.report))
    if not arguments.quiet:
        for line in summary.file_lines(written, context.err):
            context.err.say(line)
    return status.ALL_DONE


def edit_lines(clip: Clip) -> list[str]:
    """What an edit did, in words."""
    report, metres = clip.report, clip.body.metres_tall
    lines = []
    for span in report["spans"]:
        lines.append(f"edited: frames {span['first'] + 1} to {span['last']}")
        if span["jerk_before"] > _STILL:
            after, asked = (span[f"jerk_{word}"] / span["jerk_before"] for word in ("after", "asked"))
            lines[-1] += f"; jerk {after:.2f} times the recorded one"
            if min(after, asked) > TOLD_JERK:
                lines[-1] += f"; so quick an edit has {asked:.2f} times that by itself"
            for part, speed in span["calm_speeds"].items():
                calm = "no speed" if speed is None else f"speed {speed}"
                lines[-1] += f"; {part} with {calm} would have hardly more than is recorded"
        if span["share"] < _WHOLE:
            lines[-1] += f"; {100.0 * span['share']:.0f} % of what is asked for could be had"
    for name, missed in report["residuals"].items():
        if missed["missed"]:
            worst = 1e3 * metres * max(missed["missed"])
            lines.append(f"    {name}: missed by {worst:.3f} mm at most, frames {_spans(missed['frames'])}")
    if report["pinned_contacts"]:
        before, after = 1e3 * report["slide_before"], 1e3 * report["slide_after"]
        lines.append(f"    planted feet slide by {after:.3f} mm; as recorded, by {before:.1f} mm")
    return lines or ["nothing was edited: an edit changes the frames after the one that it begins in"]


def retarget_lines(clip: Clip) -> list[str]:
    """What retargeting did, in words."""
    report = clip.report
    lines = [f"retargeted to '{clip.body.name}' by {len(report['parts'])} parts; lengths times {report['scale']:.3g}"]
    if report["contacts"]:
        before, after = 1e3 * report["slide_before"], 1e3 * report["slide_after"]
        lines.append(f"    planted feet slide by {after:.3f} mm; as recorded, by {before:.1f} mm")
    for frame in report["lone_frames"]:
        lines.append(f"    frame {frame} is unlike those before and after it, and was made from these")
    for flight in report["flights"]:
        lines.append(f"    in flight: frames {flight['first']} to {flight['last']}")
    if report["jerk_before"] > _STILL:
        after, turned = (report[f"jerk_{word}"] / report["jerk_before"] for word in ("after", "turned"))
        lines.append(f"    jerk {after:.2f} times the recorded one")
        if min(after, turned) > TOLD_JERK:
            lines[-1] += f"; turned as recorded, a body of these proportions has {turned:.2f} times that by itself"
    return lines


def _spans(frames: list[int]) -> str:
    return f"{min(frames)} to {max(frames)}"
