"""Frames in, one at a time, as they come; out come the same, one frame later, as contact forces can cause them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.dynamics.contacts import ContactPlanner, point_places
from puppet.dynamics.filter import MotionFilter, leaving_table, newtons
from puppet.dynamics.filtered import surfaces_of
from puppet.dynamics.reference import sample
from puppet.scene import Scene
from puppet.types import Floats, Vector


class LiveFilter:
    """The dynamics filter of a motion that nobody knows beforehand.

    The way from one frame to the next depends on one more frame to either side, so what comes out is one frame late.
    """

    def __init__(self, body: Body, fps: float, scene: Scene, friction: float = 0.8) -> None:
        self._body, self._fps, self._floor = body, fps, scene.floor or 0.0
        self._filter = MotionFilter(body, fps, friction)
        self._points = self._filter.points  # those of contact
        self._planner = ContactPlanner(body, fps, surfaces_of(body, scene, self._floor))
        self._given: list[Floats] = []  # the last frames, four at most
        self._plans: list[Floats] = []  # of the last ways, two at most

    @property
    def fallen(self) -> bool:
        return self._filter.fallen

    @property
    def acting(self) -> tuple[Floats, Floats]:
        """Where forces act now, (points, 3), and how strongly, (points, 3), as parts of the weight; none in a fall."""
        places, forces = self._filter.acting
        places[:, 1] += self._floor
        return places, forces * (not self.fallen)

    def step(self, angles: Floats, pushes: Iterable[tuple[str, Vector]] = ()) -> Floats:
        """Takes the next frame and gives the one before it, (dofs,). pushes: parts and newtons on them meanwhile."""
        body, given = self._body, self._given
        now = np.array(angles)
        now[1] -= self._floor
        given.append(now)
        if len(given) > 1:
            self._plans.append(
                self._planner.row(*point_places(self._points, joint_transforms(body, np.array(given[-2:]))))
            )
        if len(given) < 3:
            return np.array(angles)
        first = len(given) < 4
        frames = np.array(given)
        curve = sample(body, frames, self._fps, self._filter.substeps, before=first, after=False)
        plans = np.array(self._plans[-2:])
        leaving = leaving_table(body, joint_transforms(body, frames[-3:]), plans, self._fps)[:1]
        table = np.zeros((1, len(body.joints), 3))
        for part, by in pushes:
            table[0, body.joint_names.index(part)] += np.array(by) / newtons(body)
        moved, _, _ = self._filter.advance(frames[0], curve, plans, leaving, table)
        del given[:-3], self._plans[:-1]
        found = moved[0].copy()
        found[1] += self._floor
        return np.asarray(found)
