"""Poses one joint directly: a small figure to choose it from, and a slider within its limits for each axis."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import lru_cache, partial

import numpy as np

from puppet.body import AXES, Body, JointRange, joint_transforms
from puppet.motion import into_limits
from puppet.shows import Live
from puppet.types import Floats, Vector
from puppet.window.box import ACCENT, FAINT, HOVER, INK, PAD, QUIET, SMALL, TEXT, Box
from puppet.window.paint import Paint
from puppet.window.panel import Panel, Zone
from puppet.window.panels.marks import Point

_FIGURE, _ROW = 86.0, 20.0


class JointPanel(Panel):
    """While a slider is held the picture shows a preview; when it is released the command is given."""

    name = "joint"

    def __init__(self, live: Live) -> None:
        super().__init__()
        self._live = live
        gaze = live.body.gaze
        self.joint = live.body.joint_names[0 if gaze is None else gaze.joint]
        self._wanted: dict[int, float] = {}  # axis: degrees, while a slider is held

    def key(self) -> Hashable:
        return self.joint, tuple(round(angle, 1) for angle in self._shown_angles())

    def height(self, width: float) -> float:
        return 2 * PAD + _FIGURE + 4 * _ROW + 2.0

    @property
    def preview(self) -> Floats | None:
        """Joint transforms (joints, 12) of the posture that the sliders ask for, while one is held."""
        if not self._wanted:
            return None
        body, angles = self._live.body, self._live.frame.angles.copy()
        for axis, degrees in self._wanted.items():
            angles[body.dof(self.joint, AXES[axis])] = math.radians(degrees)
        into_limits(body, body.joint(self.joint), angles)
        return joint_transforms(body, angles)

    def draw(self, paint: Paint, box: Box) -> None:
        self.sheet(paint, box)
        body = self._live.body
        inner = Box(PAD, PAD, box.width - 2 * PAD, box.height - 2 * PAD)
        self._figure(paint, Box(inner.x, inner.y, inner.width, _FIGURE), body)
        head = Box(inner.x, inner.y + _FIGURE, inner.width, _ROW)
        self._step(paint, "joint before", Box(head.x, head.y + 1.0, 20.0, 18.0), "<", -1)
        self._step(paint, "joint after", Box(head.right - 20.0, head.y + 1.0, 20.0, 18.0), ">", 1)
        name = Box(head.x + 22.0, head.y, head.width - 44.0, _ROW)
        paint.text(self.joint.replace("_", " "), name, INK, TEXT, "middle")
        angles = self._shown_angles()
        for axis in range(3):
            row = Box(inner.x, head.bottom + 2.0 + axis * _ROW, inner.width, _ROW)
            paint.text(AXES[axis], Box(row.x, row.y, 12.0, _ROW), INK, SMALL)
            low, high = limits_in_degrees(body, self.joint, axis)
            if high - low < 1e-6:
                paint.text("fixed", Box(row.x + 18.0, row.y, 60.0, _ROW), QUIET, SMALL)
                continue
            middle = 0.0 if low < 0.0 < high else None
            groove = Box(row.x + 12.0, row.y, row.width - 52.0, _ROW)
            self.slider(
                paint, f"angle {AXES[axis]}", groove, angles[axis], low, high, partial(self._want, axis), 1.0,
                middle=middle, finish=self._give,
            )  # fmt: skip
            paint.text(f"{angles[axis]:.0f}", Box(row.right - 40.0, row.y, 40.0, _ROW), INK, SMALL, "right")

    def _figure(self, paint: Paint, box: Box, body: Body) -> None:
        """The body in its zero posture, seen from the front."""
        paint.fill(box.inset(1.0), FAINT, 6.0)
        at = np.array([joint.centre for joint in body.joints])[:, :2]
        tips = np.array([np.add(j.centre, j.tip or (0.0, 0.0, 0.0)) for j in body.joints])[:, :2]
        every = np.concatenate([at, tips])
        low, high = every.min(axis=0), every.max(axis=0)
        span = np.maximum(high - low, 1e-6)
        room = box.inset(14.0)
        scale = min(room.width / span[0], room.height / span[1])
        middle = 0.5 * (low + high)

        def place(point: Floats) -> tuple[float, float]:
            x, y = box.middle
            return x + scale * float(point[0] - middle[0]), y - scale * float(point[1] - middle[1])

        lines = [(place(at[joint.parent]), place(at[n])) for n, joint in enumerate(body.joints) if joint.parent >= 0]
        lines += [(place(at[n]), place(tips[n])) for n, joint in enumerate(body.joints) if joint.tip is not None]
        paint.once((box, body.name), box, partial(_draw_lines, lines))  # it never changes
        for n, joint in enumerate(body.joints):
            x, y = place(at[n])
            chosen, name = joint.name == self.joint, f"joint {joint.name}"
            paint.disc(x, y, 6.0 if chosen or name == self.hovered else 4.5, ACCENT if chosen else INK)
            near = np.delete(np.abs(at - at[n]).max(axis=1), n).min(initial=np.inf)
            half = min(9.0, max(2.0, 0.5 * scale * float(near)))  # zones of neighbours lie side by side
            zone = Box(x - half, y - half, 2.0 * half, 2.0 * half)
            self.zones.append(Zone(name, zone, press=partial(self._press, joint.name)))

    def _step(self, paint: Paint, name: str, box: Box, text: str, by: int) -> None:
        names = self._live.body.joint_names
        chosen = names[(names.index(self.joint) + by) % len(names)]
        self.button(paint, name, box, text, partial(self.choose, chosen), size=SMALL)

    def _press(self, joint: str, x: float, y: float) -> None:
        self.choose(joint)

    def choose(self, joint: str) -> None:
        self.joint = joint
        self._wanted.clear()

    def _shown_angles(self) -> Vector:
        body, angles = self._live.body, self._live.frame.angles
        index = body.joint(self.joint)
        now = dict.fromkeys(range(3), 0.0)
        for dof, rotation in zip(body.rotation_dofs[index], body.joints[index].rotations, strict=True):
            now[rotation.axis] = math.degrees(angles[dof])
        x, y, z = (self._wanted.get(axis, degrees) for axis, degrees in now.items())
        return x, y, z

    def _want(self, axis: int, degrees: float) -> None:
        self._wanted[axis] = degrees

    def _give(self) -> None:
        if self._wanted:
            angles = self._shown_angles()
            self._wanted.clear()
            self._live.pose(self.joint, tuple(round(angle, 1) + 0.0 for angle in angles))  # type: ignore[arg-type]


def limits_in_degrees(body: Body, joint: str, axis: int) -> tuple[float, float]:
    """The widest limits of a joint about an axis, in degrees; 0 and 0 if it does not turn about that axis."""
    found = body.joints[body.joint(joint)]
    order = tuple(rotation.axis for rotation in found.rotations)
    if axis not in order:
        return 0.0, 0.0
    if found.range is not None:
        low, high = np.degrees(_box(found.range, order)[order.index(axis)])
        return float(low), float(high)
    low, high, wide_low, wide_high = np.degrees(body.arrays.limits[body.dof(joint, AXES[axis])])
    return float(min(low, wide_low)), float(max(high, wide_high))


@lru_cache(maxsize=64)
def _box(region: JointRange, order: tuple[int, ...]) -> Floats:
    return region.euler_box(order)


def _draw_lines(lines: Sequence[tuple[Point, Point]], paint: Paint) -> None:
    for (x, y), (u, v) in lines:
        paint.line((x, y), (u, v), 2.0, HOVER)
