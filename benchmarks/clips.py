"""Editing and retargeting recorded clips: what pins miss, how feet slide, how jerky it is, and how long it takes.

    python -m benchmarks.clips FOLDER        every BVH file in a folder

Edits drag the head by (0.1, -0.2, 0) in 0.4 s in the middle of the clip, and back. Retargeting is to `person`; the
jerk that its own is compared with is the source's, scaled to its size. Times are those of the processor, for all that
`edit` and `retarget` do, reports included.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from puppet import Clip
from puppet.clip.measure import jerk, meetings

DRAG = (0.1, -0.2, 0.0)
SECONDS = 0.4
LEAD = 4  # frames: many recordings begin with a calibration pose, and jump from it
GRAVITY = 9.81
HEADS = (
    ("clip", "frames"),
    ("edit: pins missed", "planted feet slide, before and after", "jerk of the clip", "of edited frames", "ms a frame"),
    ("retarget: slide after", "jerk", "ms a frame", "fall in flight", "hands that meet"),
)


def edit_cells(clip: Clip) -> list[str]:
    metres = clip.body.metres or 1.0
    frames = max(2, round(SECONDS * clip.fps))
    script = f"at {len(clip) // 2}\ndrag head by {DRAG}, speed {frames}\n"
    clip.edit(script)  # what has to be compiled and loaded is
    begin = time.process_time()
    edited = clip.edit(script)
    taken = time.process_time() - begin
    (span,) = edited.report["spans"]
    residuals = [entry["missed"] for entry in edited.report["residuals"].values() if entry["missed"]]
    missed = 1e3 * metres * max((max(entry) for entry in residuals), default=0.0)
    whole = jerk(edited.joint_transforms[LEAD:], clip.fps) / jerk(clip.joint_transforms[LEAD:], clip.fps)
    return [
        f"{missed:.3f} mm",
        f"{1e3 * edited.report['slide_before']:.1f} and {1e3 * edited.report['slide_after']:.3f} mm",
        f"x {whole:.2f}", f"x {span['jerk_after'] / span['jerk_before']:.2f}",
        f"{1e3 * taken / max(span['last'] - span['first'], 1):.2f}",
    ]  # fmt: skip


def retarget_cells(clip: Clip) -> list[str]:
    clip.retarget("person")
    begin = time.process_time()
    other = clip.retarget("person")
    taken = time.process_time() - begin
    metres, falls = other.body.metres or 1.0, []
    for flight in other.report["flights"]:
        heights = other.centre_of_mass[flight["first"] : flight["last"] + 1, 1] * metres
        falls.append(-2.0 * np.polyfit(np.arange(len(heights)) / other.fps, heights, 2)[0] / GRAVITY - 1.0)
    hands = meetings(clip.body, clip.joint_transforms, other.body, other.joint_transforms, other.report["scale"])
    own, theirs = (
        [body.joint(name) for name in names]
        for body, names in ((other.body, other.report["parts"]), (clip.body, other.report["parts"].values()))
    )
    ratio = jerk(other.joint_transforms[LEAD:, own], clip.fps)
    ratio /= jerk(clip.joint_transforms[LEAD:, theirs], clip.fps) * other.report["scale"]
    return [
        f"{1e3 * other.report['slide_after']:.3f} mm", f"x {ratio:.2f}", f"{1e3 * taken / len(clip):.2f}",
        ", ".join(f"{100.0 * fall:+.1f} %" for fall in falls) or "none",
        "none" if hands is None else f"{1e3 * metres * hands:.1f} mm",
    ]  # fmt: skip


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    heads = [head for group in HEADS for head in group]
    print(f"| {' | '.join(heads)} |\n| {' | '.join('---' for _ in heads)} |")
    for path in sorted(Path(sys.argv[1]).glob("*.bvh")):
        clip = Clip.load(path)
        print(f"| {' | '.join([path.stem, str(len(clip)), *edit_cells(clip), *retarget_cells(clip)])} |", flush=True)


if __name__ == "__main__":
    main()
