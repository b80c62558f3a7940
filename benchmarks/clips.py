"""Editing and retargeting recorded clips: what pins miss, how feet slide, how jerky it is, and how long it takes.

    python -m benchmarks.clips FOLDER           every BVH file in a folder
    python -m benchmarks.clips FOLDER 7 8       with random edits of other seeds

Edits of the first table drag the head by (0.1, -0.2, 0) in 0.4 s in the middle of the clip, and back. Retargeting is to
`person`; the jerk that its own is compared with is the source's, scaled to its size. The second table has all clips
with fewer frames. Then come random edits (benchmarks.random_edits) of all clips as they are, with fewer frames, and as
motions of `person`. The jerk of an edited span is compared with the recorded one, or, where it was told how quick to
be, with what the edit has by itself, if that is more. Times are those of
the processor, for all that `edit` and `retarget` do, reports included.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.random_edits import placed, told, untold
from puppet import Clip
from puppet.bvh import BvhClip
from puppet.clip.measure import jerk, meetings

DRAG = (0.1, -0.2, 0.0)
SECONDS = 0.4
LEAD = 4  # frames: many recordings begin with a calibration pose, and jump from it
GRAVITY = 9.81
FEWER = (24.0, 30.0)  # frames a second
MOST_JERK = 1.1
SEED = 22
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


def thinned(clip: Clip, fps: float) -> Clip:
    """Every so many frames of it."""
    step = max(1, round(clip.fps / fps))
    return Clip.of(BvhClip.of(clip.bvh.joints, step * clip.bvh.frame_time, clip.bvh.values[::step]), clip.body.name)


@dataclass(frozen=True)
class Edited:
    """What came of one script."""

    clip: str
    script: str
    jerk: float
    slide: float  # metres
    milliseconds: float  # a frame


def edited(name: str, clip: Clip, script: str, is_told: bool) -> Edited:
    begin = time.process_time()
    report = clip.edit(script).report
    taken = time.process_time() - begin
    ratios, frames = [0.0], 0
    for span in report["spans"]:
        least = max(span["jerk_before"], span["jerk_asked"]) if is_told else span["jerk_before"]
        ratios.append(span["jerk_after"] / max(least, 1e-12))
        frames += span["last"] - span["first"]
    return Edited(name, script, max(ratios), report["slide_after"], 1e3 * taken / max(frames, 1))


def random_edits(title: str, clips: dict[str, Clip], seed: int) -> list[Edited]:
    """Prints a row of what came of each kind of random edits; returns those that are too jerky."""
    jerky = []
    for kind, scripts in (("told", told), ("told places", placed), ("untold", untold)):
        found = []
        for name, clip in clips.items():
            own = list(scripts(clip, seed))
            clip.edit(own[0])  # what has to be compiled and loaded is
            found += [edited(name, clip, script, kind != "untold") for script in own]
        jerks, times = (np.array([getattr(entry, name) for entry in found]) for name in ("jerk", "milliseconds"))
        cells = [
            f"{title}, {kind}", str(len(found)), str(int((jerks > MOST_JERK).sum())), f"x {jerks.max():.2f}",
            f"{1e3 * max(entry.slide for entry in found):.3f} mm",
            f"{np.median(times):.2f}, {np.quantile(times, 0.95):.2f}, {times.max():.2f}", str(int((times > 1.0).sum())),
        ]  # fmt: skip
        print(f"| {' | '.join(cells)} |", flush=True)
        jerky += [entry for entry in found if entry.jerk > MOST_JERK]
    return jerky


def print_heads(*heads: str) -> None:
    print(f"\n| {' | '.join(heads)} |\n| {' | '.join('---' for _ in heads)} |")


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    clips = {path.stem: Clip.load(path) for path in sorted(Path(sys.argv[1]).glob("*.bvh"))}
    print_heads(*(head for group in HEADS for head in group))
    for name, clip in clips.items():
        print(f"| {' | '.join([name, str(len(clip)), *edit_cells(clip), *retarget_cells(clip)])} |", flush=True)
    print_heads("retargeted, frames a second", *HEADS[2])
    for fps in FEWER:
        for name, clip in clips.items():
            print(f"| {name}, {fps:g} | {' | '.join(retarget_cells(thinned(clip, fps)))} |", flush=True)
    for seed in [int(word) for word in sys.argv[2:]] or [SEED]:
        print_heads(f"random edits, seed {seed}", "edits", f"jerk above x {MOST_JERK}", "most", "planted feet slide",
                    "ms a frame: median, 95 %, most", "more than 1")  # fmt: skip
        few = {name: thinned(clip, FEWER[-1]) for name, clip in clips.items()}
        jerky = random_edits("as they are", clips, seed)
        jerky += random_edits(f"{FEWER[-1]:g} frames a second", few, seed)
        jerky += random_edits("person", {name: clip.retarget("person") for name, clip in clips.items()}, seed)
        people = {name: clip.retarget("person") for name, clip in few.items()}
        jerky += random_edits(f"person, {FEWER[-1]:g} frames a second", people, seed)
        for entry in sorted(jerky, key=lambda entry: -entry.jerk):
            print(f"x {entry.jerk:.2f}  {entry.clip}  {'; '.join(entry.script.splitlines())}")


if __name__ == "__main__":
    main()
