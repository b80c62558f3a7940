"""Pictures to look at: ways and speeds of strokes beside people's, and contact sheets of random performances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from benchmarks.motion.strokes import RATE, speeds
from puppet.performance import Performance
from puppet.types import Floats

MOST = 60  # ways in one picture
CAMERAS = ("three-quarter", "side")
PICTURES = 12  # on a sheet
CELL = "300x230"


def draw_strokes(path: Path, groups: Mapping[str, Sequence[Floats]]) -> None:
    """Ways in metres from above and from the side, speeds over time, and durations over distances."""
    figure, axes = plt.subplots(len(groups), 4, figsize=(18, 4.2 * len(groups)), squeeze=False)
    for row, (name, ways) in zip(axes, groups.items(), strict=True):
        for way in ways[:MOST]:
            along = _along(way)
            row[0].plot(along[:, 0], along[:, 2], linewidth=0.8, alpha=0.6)
            row[1].plot(along[:, 0], along[:, 1], linewidth=0.8, alpha=0.6)
            speed = speeds(way)
            time = (np.arange(len(speed)) + 0.5) / len(speed)
            row[2].plot(time, speed / max(speed.mean(), 1e-9), linewidth=0.8, alpha=0.6)
        t = np.linspace(0.0, 1.0, 101)
        row[2].plot(t, 30.0 * t**2 * (1.0 - t) ** 2, color="black", linewidth=1.6, label="minimum jerk")
        row[2].legend()
        row[3].scatter([np.linalg.norm(w[-1] - w[0]) for w in ways], [(len(w) - 1) / RATE for w in ways], s=10)
        row[0].set(title=f"{name}: from above (of {len(ways)})", xlabel="along the straight line", aspect="equal")
        row[1].set(title="height above the straight line", xlabel="along the straight line", aspect="equal")
        row[2].set(title="speed / mean speed", xlabel="share of the time", ylim=(0.0, 4.5))
        row[3].set(title="duration, s", xlabel="distance, m", xlim=(0.0, 1.2), ylim=(0.0, 2.2))
    figure.tight_layout()
    figure.savefig(path, dpi=70)
    plt.close(figure)


def _along(way: Floats) -> Floats:
    """A way that begins at 0 and ends at (1, 0, 0): along the straight line, upwards, aside."""
    straight = way[-1] - way[0]
    size = float(np.linalg.norm(straight))
    ahead = straight / size
    aside = np.cross(ahead, (0.0, 1.0, 0.0))
    aside /= max(float(np.linalg.norm(aside)), 1e-9)
    up = np.cross(aside, ahead)
    return (way - way[0]) @ np.stack([ahead, up, aside], axis=1) / size


def draw_sheets(folder: Path, name: str, performance: Performance) -> None:
    """Contact sheets from two sides: frames at equal distances, the first and the last included."""
    folder.mkdir(parents=True, exist_ok=True)
    last = len(performance.angles) - 1
    frames = sorted({round(last * n / (PICTURES - 1)) for n in range(PICTURES)})
    for camera in CAMERAS:
        path = folder / f"{name}_{camera}.png"
        performance.save(path, frames=",".join(str(frame) for frame in frames), camera=camera, size=CELL, columns=4)
