"""Jumps beside recorded ones: python -m benchmarks.jumps FOLDER, with BVH files of the CMU motion capture database.

Take-off crouch, flight and landing of the jumps that come with puppet, and of those in 13_39.bvh and 16_01.bvh, if they
are in the folder. In a recording the centre of mass is that of its joints' segments with the masses of our person.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import puppet
from puppet.bvh import read_bvh
from puppet.types import Floats

RECORDED = ("13_39.bvh", "16_01.bvh")
OWN = ("jump", "long_jump", "slam_dunk")
# Segments of a recording from joint to joint, where along it the mass centre is, and its mass (de Leva, 1996, men).
SEGMENTS = (
    ("Hips", "Spine1", 0.45, 0.4346), ("Neck", "Head", 0.8, 0.0694),
    *((f"{s}Arm", f"{s}ForeArm", 0.577, 0.0271) for s in ("Left", "Right")),
    *((f"{s}ForeArm", f"{s}Hand", 0.457, 0.0223) for s in ("Left", "Right")),
    *((f"{s}UpLeg", f"{s}Leg", 0.41, 0.1416) for s in ("Left", "Right")),
    *((f"{s}Leg", f"{s}Foot", 0.446, 0.0433) for s in ("Left", "Right")),
    *((f"{s}Foot", f"{s}ToeBase", 0.44, 0.0137) for s in ("Left", "Right")),
)  # fmt: skip
LIFTED = 0.03  # of the height: toes that are higher are in the air
LEGS = 0.4918  # from hip to ankle, of a person's height


def measures(mass: Floats, toes: Floats, knees: Floats, fps: float, height: float) -> list[str]:
    """mass (frames, 3), toes (frames, 2) heights, knees (frames,) degrees of bend; the longest flight counts."""
    ground = np.percentile(toes, 10, axis=0)
    air = np.flatnonzero(((toes - ground) > LIFTED * height).all(axis=1))
    runs = np.split(air, np.flatnonzero(np.diff(air) > 1) + 1)
    flight = max(runs, key=len)
    first, last = int(flight[0]), int(flight[-1])
    before, after = slice(max(0, first - int(fps)), first), slice(last, min(len(mass), last + int(fps)))
    stand = np.median(mass[: max(1, first - int(0.8 * fps)), 1])
    apex = mass[first : last + 1, 1].max()
    values = (
        (stand - mass[before, 1].min()) / height, knees[before].max(), len(flight) / fps, (apex - stand) / height,
        np.hypot(*(mass[last] - mass[first])[[0, 2]]) / height, knees[last], (stand - mass[after, 1].min()) / height,
        knees[after].max(),
    )  # fmt: skip
    return [f"{values[0]:.2f}", f"{values[1]:.0f}", f"{values[2]:.2f}", f"{values[3]:.2f}", f"{values[4]:.2f}",
            f"{values[5]:.0f}", f"{values[6]:.2f}", f"{values[7]:.0f}"]  # fmt: skip


def bend(hip: Floats, knee: Floats, ankle: Floats) -> Floats:
    a, b = knee - hip, ankle - knee
    cosine = (a * b).sum(axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
    return np.asarray(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def recorded(path: Path) -> list[str]:
    clip = read_bvh(path)
    places = {name: clip.joint_positions[1:, n] for n, name in enumerate(clip.joint_names)}  # the first is a T-pose
    total = sum(mass for *_, mass in SEGMENTS)
    mass = sum(m * (places[a] + share * (places[b] - places[a])) for a, b, share, m in SEGMENTS) / total
    toes = np.stack([places["LeftToeBase"][:, 1], places["RightToeBase"][:, 1]], axis=1)
    knees = bend(places["LeftUpLeg"], places["LeftLeg"], places["LeftFoot"])
    legs = np.median(np.linalg.norm(places["LeftUpLeg"] - places["LeftLeg"], axis=1))
    legs += np.median(np.linalg.norm(places["LeftLeg"] - places["LeftFoot"], axis=1))
    return measures(np.asarray(mass), toes, knees, clip.fps, float(legs) / LEGS)


def own(name: str) -> list[str]:
    found = puppet.run(f"{name}.tracks.yaml")
    places = {joint: found.joint_positions[:, n] for n, joint in enumerate(found.joint_names)}
    toes = np.stack([places["left_toes"][:, 1], places["right_toes"][:, 1]], axis=1)
    knees = bend(places["left_hip"], places["left_knee"], places["left_foot"])
    return measures(found.centre_of_mass, toes, knees, found.fps, found.body.height)


def main(folder: Path | None) -> None:
    head = ("crouch", "knees, deg", "flight, s", "rise", "distance", "knees landing", "dip", "knees, deg")
    print("| jump | " + " | ".join(head) + " |")
    print("| --- |" + " ---: |" * len(head))
    rows = [(path.stem, recorded(path)) for name in RECORDED if folder and (path := folder / name).is_file()]
    for name, values in [*rows, *((name, own(name)) for name in OWN)]:
        print(f"| {name} | " + " | ".join(values) + " |")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
