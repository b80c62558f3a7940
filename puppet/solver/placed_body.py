"""A body in a posture: where its parts are, how heavy they lie, and how they move with its joints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from puppet.arguments import public_class, short
from puppet.body import Body, joint_rotations
from puppet.errors import PuppetError, did_you_mean
from puppet.kernels.figure_model import BALL, POSITION, VELOCITY_JOINT
from puppet.kernels.loader import kernels
from puppet.solver.arguments import checked_point, checked_posture
from puppet.solver.model import figure_model
from puppet.solver.task import task_row
from puppet.types import Floats


@public_class
class PlacedBody:
    """A body in a posture."""

    body: Body

    def __init__(self, body: Body, angles: ArrayLike | None = None) -> None:
        """In its rest posture with the soles on the floor y = 0, or in the posture of the angles (dofs,) given."""
        if not isinstance(body, Body):
            raise PuppetError(f"a figure needs a Body, as in Figure(Body.load('person')), not {short(body)}")
        self.body = body
        self._model, self._mobility = figure_model(body)
        self._free = int(body.free_root)
        count = len(body.joints)
        self._world, self._last_sums = np.empty((count, 12)), np.empty((count, 13))
        self._axes = np.zeros((body.dofs, 6))
        self._local = np.empty((count, 9))
        self._angles = np.empty(body.dofs)
        self._places = {name: j for j, name in enumerate(body.joint_names)}
        self._take(body.rest if angles is None else checked_posture(body, angles))
        if angles is None and body.free_root:
            self._angles[1] -= self._lowest()
            self._place()

    @property
    def angles(self) -> Floats:
        """(dofs,), as the body has them."""
        found = self._angles.copy()
        found.flags.writeable = False
        return found

    @property
    def joint_positions(self) -> Floats:
        """(joints, 3), world."""
        return self._world[:, :3].copy()

    @property
    def joint_transforms(self) -> Floats:
        """Position and rotation of each joint in the world, row by row, (joints, 12)."""
        return self._world.copy()

    def position(self, part: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
        """Where a part is, or a point of it in its own coordinates."""
        j = self._part(part)
        return np.asarray(self._world[j, :3] + self._rotation(j) @ checked_point(point, "a point"))

    def rotation(self, part: str) -> Floats:
        """How a part is turned in the world, (3, 3)."""
        return self._rotation(self._part(part)).copy()

    @property
    def centre_of_mass(self) -> Floats:
        """(3,), world."""
        self._weighed()
        return np.asarray(self._sums[0, 1:4] / self._sums[0, 0])

    @property
    def inertia(self) -> Floats:
        """(3, 3), about the centre of mass, for body mass 1 and height 1."""
        self._weighed()
        xx, yy, zz, xy, xz, yz = self._sums[0, 7:13] / self.body.height**2
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def inputs(self, names: Iterable[str]) -> list[Floats]:
        """What a function is given: for a part its position (3,), for a degree of freedom its angle (1,)."""
        found = []
        for name in names:
            dof = self._angle(name)
            found.append(self._angles[[dof]] if dof is not None else self._world[self._part(name), :3].copy())
        return found

    def input_jacobian(self, names: Sequence[str]) -> Floats:
        """Of all inputs of a function, (3 * parts + angles, velocities)."""
        model, size = self._model, self.body.dofs
        parts = [self._part(name) for name in names if self._angle(name) is None]
        found, errors = np.zeros((size, 3 * len(parts))), np.empty(3 * len(parts))
        if parts:
            table = np.array([task_row(POSITION, j) for j in parts])
            kernels().figure_rows(
                model.joints, model.links, model.velocities, model.chains, self._free, self._world, self._axes,
                self._sums, table, found, errors, np.empty(len(parts)),
            )  # fmt: skip
        rows, at = [], 0
        for name in names:
            dof = self._angle(name)
            if dof is None:
                rows.append(found[:, at : at + 3].T)
                at += 3
            else:
                rows.append(np.eye(1, size, dof))
        return np.concatenate(rows) if rows else np.zeros((0, size))

    # ---- inside

    @property
    def _parts(self) -> tuple[str, ...]:
        return self.body.joint_names

    def _part(self, name: str) -> int:
        found = self._places.get(name) if isinstance(name, str) else None
        if found is None:
            raise PuppetError(f"unknown part '{name}' of '{self.body.name}'; {did_you_mean(str(name), self._parts)}")
        return found

    def _rotation(self, j: int) -> Floats:
        return self._world[j, 3:].reshape(3, 3)

    def _weighed(self) -> None:
        if self._sums[0, 0] <= 0.0:
            raise PuppetError(f"the body '{self.body.name}' has no masses")

    def _take(self, angles: Floats) -> None:
        self._angles[:] = angles
        self._local[:] = joint_rotations(self.body, angles)
        self._place()

    def _place(self) -> None:
        model = self._model
        kernels().figure_place(
            model.joints, model.links, model.velocities, self._free, self._angles, self._local, self._world, self._axes,
            self._last_sums,
        )  # fmt: skip
        self._sums_are_old = False

    @property
    def _sums(self) -> Floats:
        """Masses and moments below each joint, (joints, 13): see puppet.kernels.figure_features."""
        if self._sums_are_old:
            self._place()
        return self._last_sums

    def _lowest(self) -> float:
        """The height of the lowest point of contact; where there are none, of the lowest tip or joint."""
        points = [
            self._world[j, 1] + self._rotation(j)[1] @ np.array(point)
            for j, joint in enumerate(self.body.joints)
            for point in joint.contacts.values()
        ]
        tips = self._world[:, 1] + np.einsum("jb,jb->j", self._world[:, 6:9], self.body.arrays.tips)
        return float(min(points or [*self._world[:, 1], *tips]))

    def _angle(self, name: str) -> int | None:
        """The degree of freedom of that name, if it is one that can be a function's input."""
        if name in self._parts or name not in self.body.dof_names:
            return None
        dof = self.body.dof_names.index(name)
        j = int(self._model.velocities[dof, VELOCITY_JOINT])
        if self._model.joints[j, BALL] == 1 and dof not in self.body.translation_dofs:
            raise PuppetError(
                f"'{name}' is one of three angles of a ball joint, which is turned as one: no function can be given it"
            )
        return dof
