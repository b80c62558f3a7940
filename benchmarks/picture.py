"""A picture of postures for a dozen goals, to look at: python -m benchmarks.picture out.png (needs matplotlib)."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection

import puppet
from benchmarks.problems import grip_orientation
from puppet.body import Body, Shape
from puppet.geometry import axis_rotation
from puppet.types import Floats

TABLE = puppet.Table(0.6, 0.2, 0.0)
VIEWS = {"three-quarter": (-35.0, 20.0), "side": (-90.0, 5.0)}  # turn and tilt in degrees
LIGHT = np.array([0.4, 0.8, 0.5]) / np.linalg.norm([0.4, 0.8, 0.5])
GOALS: dict[str, dict[str, tuple[tuple[float, float, float], str]]] = {
    "near, top": {"left": ((0.08, 0.66, 0.30), "top")},
    "near, side": {"left": ((0.10, 0.66, 0.30), "side")},
    "palm up": {"left": ((0.12, 0.70, 0.32), "bottom")},
    "far ahead, top": {"left": ((0.05, 0.68, 0.55), "top")},
    "far left, side": {"left": ((0.40, 0.66, 0.35), "side")},
    "across, top": {"left": ((-0.15, 0.66, 0.35), "top")},
    "high": {"left": ((0.15, 0.95, 0.35), "side")},
    "low": {"left": ((0.15, 0.62, 0.35), "top")},
    "right, side": {"right": ((-0.15, 0.68, 0.38), "side")},
    "right, palm up": {"right": ((-0.10, 0.68, 0.33), "bottom")},
    "both, side": {"left": ((0.06, 0.68, 0.36), "side"), "right": ((-0.06, 0.68, 0.36), "side")},
    "both, wide": {"left": ((0.30, 0.66, 0.36), "top"), "right": ((-0.22, 0.72, 0.30), "side")},
    "both, far": {"left": ((0.10, 0.70, 0.52), "top"), "right": ((-0.10, 0.70, 0.52), "top")},
    "out of reach": {"right": ((-0.70, 0.80, 1.10), "side")},
}


def draw(posture: puppet.Posture, view: tuple[float, float], axes: plt.Axes) -> None:
    """All shapes as shaded facets, the farthest first."""
    body = posture.body
    turn = axis_rotation(0, np.radians(view[1])) @ axis_rotation(1, np.radians(view[0]))
    facets: list[tuple[Floats, tuple[float, float, float]]] = []
    for shape in body.fixed_shapes:
        facets += _facets(body, shape, np.eye(3), np.zeros(3))
    for joint, rotation, position in zip(body.joints, posture.joint_rotations, posture.joint_positions, strict=True):
        for shape in joint.shapes:
            facets += _facets(body, shape, rotation, position)
    board = Shape("box", ((0.0, TABLE.height - 0.01, TABLE.front + 0.25),), (0.9, 0.02, 0.5), "wood")
    facets += _facets(body, board, np.eye(3), np.zeros(3), split=10)
    drawn = []
    for corners, color in facets:
        seen = corners @ turn.T
        normal = np.cross(seen[1] - seen[0], seen[2] - seen[0])
        if normal[2] > 0.0:
            world = turn.T @ normal / np.linalg.norm(normal)
            drawn.append((seen[:, 2].mean(), seen[:, :2], np.array(color) * (0.45 + 0.55 * max(0.0, world @ LIGHT))))
    drawn.sort(key=lambda facet: facet[0])
    axes.add_collection(PolyCollection([f[1] for f in drawn], facecolors=[f[2] for f in drawn], edgecolors="none"))
    axes.set(xlim=(-0.5, 0.62), ylim=(0.18, 1.22), aspect="equal", xticks=[], yticks=[])


def _facets(body: Body, shape: Shape, rotation: Floats, position: Floats, split: int = 1) -> list:
    color = body.colors[shape.color]
    points = [rotation @ np.array(p) + position for p in shape.points]
    if shape.kind == "box":
        return [(quad, color) for quad in _box(points[0], rotation, np.array(shape.sizes) / 2, split)]
    rings, steps = 10, 14
    u, v = np.linspace(0, np.pi, rings), np.linspace(0, 2 * np.pi, steps)
    unit = np.stack(
        [np.outer(np.sin(u), np.cos(v)), np.outer(np.cos(u), np.ones(steps)), np.outer(np.sin(u), np.sin(v))], -1
    )
    if shape.kind == "ball":
        grid = (unit * np.array(shape.sizes)) @ rotation.T + points[0]
    else:
        along = points[1] - points[0]
        across = np.linalg.svd(np.array([along]))[2][1:]
        frame = np.array([across[0], along / np.linalg.norm(along), across[1]])
        if np.linalg.det(frame) < 0:
            frame[0] *= -1
        radius = np.where(unit[..., 1:2] > 0, shape.sizes[1], shape.sizes[0])
        grid = (unit * radius) @ frame + np.where(unit[..., 1:2] > 0, points[1], points[0])
    quads = np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]], axis=2)
    return [(quad, color) for quad in quads.reshape(-1, 4, 3)]


def _box(centre: Floats, rotation: Floats, half: Floats, split: int) -> list[Floats]:
    quads = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            a, b = ((axis + 1) % 3, (axis + 2) % 3) if sign > 0 else ((axis + 2) % 3, (axis + 1) % 3)
            for i in range(split):
                for j in range(split):
                    corners = []
                    for da, db in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        point = np.zeros(3)
                        point[axis] = sign
                        point[a], point[b] = -1 + 2 * (i + da) / split, -1 + 2 * (j + db) / split
                        corners.append(rotation @ (point * half) + centre)
                    quads.append(np.array(corners))
    return quads


def main() -> None:
    body = Body.load("seated")
    figure, grid = plt.subplots(4, 7, figsize=(21, 12.5))
    for n, (title, hands) in enumerate(GOALS.items()):
        goals = {name: puppet.HandGoal(at, grip_orientation(name, grip)) for name, (at, grip) in hands.items()}
        posture = puppet.solve_posture(body, **goals, table=TABLE)
        for v, view in enumerate(VIEWS.values()):
            axes = grid[2 * (n // 7) + v, n % 7]
            draw(posture, view, axes)
            turn = axis_rotation(0, np.radians(view[1])) @ axis_rotation(1, np.radians(view[0]))
            for goal in goals.values():
                axes.plot(*(turn @ goal.position)[:2], "x", color="blue", markersize=6)
            if v == 0:
                axes.set_title(f"{title}: {'solved' if posture.solved else f'missed by {posture.position_error:.2f}'}")
    figure.tight_layout()
    figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else "postures.png"), dpi=70)


if __name__ == "__main__":
    main()
