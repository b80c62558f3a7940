"""Editing and retargeting recorded clips: what pins miss, how feet slide, how jerky it is, and how long it takes.

    python -m benchmarks.clips FOLDER        every BVH file in a folder
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from puppet import Clip

DRAG = (0.1, -0.2, 0.0)
SECONDS = 0.4


def measure(path: Path) -> str:
    """A row of the table."""
    clip = Clip.load(path)
    metres = clip.body.metres or 1.0
    frames = max(2, round(SECONDS * clip.fps))
    script = f"at {len(clip) // 2}\ndrag head by {DRAG}, speed {frames}\n"
    clip.edit(script)  # what has to be compiled and loaded is
    begin = time.perf_counter()
    edited = clip.edit(script)
    count = sum(span["last"] - span["first"] for span in edited.report["spans"])
    edit_time = 1e3 * (time.perf_counter() - begin) / max(count, 1)
    residuals = [entry["missed"] for entry in edited.report["residuals"].values() if entry["missed"]]
    missed = 1e3 * metres * max((max(entry) for entry in residuals), default=0.0)
    (span,) = edited.report["spans"]
    slides = 1e3 * edited.report["slide_before"], 1e3 * edited.report["slide_after"]
    clip.retarget("person")
    begin = time.perf_counter()
    other = clip.retarget("person")
    time_each = 1e3 * (time.perf_counter() - begin) / len(clip)
    ratio = other.report["jerk_after"] / other.report["jerk_before"]
    return (
        f"| {path.stem} | {missed:.3f} mm | {slides[0]:.1f} and {slides[1]:.3f} mm "
        f"| x {span['jerk_after'] / span['jerk_before']:.2f} | {edit_time:.2f} "
        f"| {1e3 * other.report['slide_after']:.3f} mm | x {ratio:.2f} | {time_each:.2f} |"
    )


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    for path in sorted(Path(sys.argv[1]).glob("*.bvh")):
        print(measure(path), flush=True)


if __name__ == "__main__":
    main()
