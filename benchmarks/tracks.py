"""Tracks: milliseconds a step with all handles of PHYSIK, and a frame of each file that comes along.

python -m benchmarks.tracks
"""

from __future__ import annotations

import time

import numpy as np

import puppet
from puppet.files import shipped
from puppet.tracks import load_tracks
from puppet.tracks.course import course_of
from puppet.tracks.follow import follow_tracks

ROUNDS, STEPS = 7, 400


def step_with_all_handles() -> float:
    """Milliseconds of a step of the person with three handles, hands and feet pinned, and a pose."""
    figure = puppet.Figure(puppet.Body.load("person"))
    for part in ("left_foot", "right_foot", "left_hand", "right_hand"):
        figure.pin(part, orientation=part.endswith("foot"), gain=0.9)
    figure.hold("mass", puppet.CentreOfMass(0.0, 0.5, 0.02))
    figure.hold("inertia", puppet.Inertia(0.045, axis="x"))
    figure.hold("momentum", puppet.AngularMomentum(0.001, 0.0, 0.0))
    figure.work(10)
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        steps = figure.work(STEPS, 0.0)
        times.append((time.process_time() - begin) / steps)
    return 1e3 * min(times)


def frame_of(name: str) -> tuple[float, int]:
    """Milliseconds a frame, and how many frames there are; reading the file is not in it."""
    tracks = load_tracks(shipped.find("tracks", name))
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        follow_tracks(tracks, course_of(tracks))
        times.append(time.process_time() - begin)
    return float(1e3 * np.min(times) / tracks.frames), tracks.frames


def main() -> None:
    print(f"a step with all handles: {step_with_all_handles():.3f} ms")
    print("| file | frames | ms a frame |")
    print("| --- | ---: | ---: |")
    for name in shipped.names("tracks"):
        milliseconds, frames = frame_of(name)
        print(f"| {shipped.stem(name)} | {frames} | {milliseconds:.2f} |")


if __name__ == "__main__":
    main()
