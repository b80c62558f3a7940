"""Contact forces and accelerations of the standing person, a substep: ours beside pinocchio with QP solvers.

    python -m pip install -e ".[bench]" pin quadprog daqp
    python -m benchmarks.dynamics

The same body with the same masses stands with 8 points of contact, four a foot, and sways on a circle. A substep finds
the accelerations nearest to those wanted that forces inside four-edged friction cones can cause: the wanted ones of all
joints, points of contact that do not accelerate, the centre of mass. Peers: pinocchio gives mass matrix, Jacobians and
bias; the QP over accelerations and 32 forces along edges, with the six equations of the root, is solved by quadprog and
daqp. All take turns in one run, on one thread; processor time counts, the least of all rounds.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is loaded

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from benchmarks.peers.pinocchio_person import PinocchioPerson
from puppet import Body
from puppet.dynamics.filter import SUBSTEP, filter_angles
from puppet.solver import CentreOfMass, Figure
from puppet.spaces import Inchworm
from puppet.types import Floats

FPS, FRAMES, ROUNDS, FRICTION = 30.0, 60, 5, 0.8
SUBSTEPS = round(1.0 / (FPS * SUBSTEP))  # of a frame, in the filter


def swaying(body: Body) -> Floats:
    """A person who moves the centre of mass on a circle of 3.5 cm, in 2 seconds; (frames, dofs)."""
    figure = Figure(body)
    figure.pin("left_foot")
    figure.pin("right_foot")
    figure.hold("weight", CentreOfMass(x=0.0, z=0.025))
    figure.settle()
    frames = [figure.angles]
    for n in range(1, FRAMES + 1):
        angle = 2.0 * np.pi * n / FRAMES
        radius = 0.01 * min(1.0, n / 20.0)
        figure.release("weight")
        figure.hold("weight", CentreOfMass(x=radius * np.sin(angle), z=0.025 + radius * (1.0 - np.cos(angle))))
        figure.step()
        frames.append(figure.angles)
    return np.array(frames)


def foot_body(body: Body) -> Body:
    """The person with the 8 points of both feet alone."""
    joints = tuple(
        joint if joint.name.endswith("_foot") else replace(joint, contacts={}) for joint in body.joints
    )
    return replace(body, joints=joints)


def time_of(run: Callable[[], object]) -> float:
    begin = time.process_time()
    run()
    return time.process_time() - begin


def measured() -> Iterator[tuple[str, float]]:
    """Milliseconds a substep by solver: the least of all rounds."""
    body = foot_body(Body.load("person"))
    motion = swaying(body)
    assert filter_angles(body, motion, FPS, FRICTION).fell is None  # compiled by now
    peers = {name: PinocchioPerson(body, motion, FPS * SUBSTEPS, FRICTION, name) for name in PinocchioPerson.SOLVERS}
    found: dict[str, list[float]] = {"ours": [], **{name: [] for name in peers}}
    for _ in range(ROUNDS):
        found["ours"].append(time_of(lambda: filter_angles(body, motion, FPS, FRICTION)) / (FRAMES * SUBSTEPS))
        for name, peer in peers.items():
            found[name].append(statistics.median(peer.substep(n) for n in range(1, FRAMES)))
    for name, times in found.items():
        yield name, 1e3 * min(times)


def inchworm() -> float:
    """Milliseconds a step of the inchworm: coordinates, inverse dynamics and integration."""
    worm = Inchworm(Body.load("inchworm"))
    worm.pull()  # compiled
    times = []
    for n in range(4):
        before = worm.space.time
        taken = time_of(lambda n=n: worm.reach((0.0, 2.0 + n)))  # type: ignore[misc]
        taken += time_of(worm.pull)
        times.append(1e3 * taken / ((worm.space.time - before) / worm.space.substep))
    return min(times)


def main() -> None:
    rows = dict(measured())
    ours = rows["ours"]
    print(f"{'solver':24} ms a substep   times ours")
    for name, value in rows.items():
        print(f"{name:24} {value:12.3f} {value / ours:12.1f}")
    print(f"\na frame at {FPS:g} a second, {SUBSTEPS} substeps: {SUBSTEPS * ours:.2f} ms of {1e3 / FPS:.1f}")
    print(f"inchworm: {inchworm():.3f} ms a step (the paper: 3000)")


if __name__ == "__main__":
    main()
