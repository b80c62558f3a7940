"""A body in pinocchio, and its substep of the dynamics filter as a quadratic programme for several solvers.

Minimise over accelerations a and forces f along the edges of all cones

    1/2 (a - w)^T D (a - w) + 1/2 sum (J a + J-dot v)^2 / c + e/2 |f|^2,   f >= 0,
    root rows of M a + b = J^T E f

with w the accelerations wanted by the feedback of joints, J the points of contact and the centre of mass. The torques
are not in it: joints may have any. proxsuite, the third solver tried, ends the process beside pinocchio 4.1.
"""

from __future__ import annotations

import time
from typing import Any, ClassVar

import numpy as np

from puppet.body import Body, local_rotations
from puppet.dynamics.filter import STIFFNESS, gravity_of
from puppet.geometry import quaternions
from puppet.kernels.figure_model import BALL
from puppet.solver import figure_model
from puppet.types import Floats

HARD, BALANCE, EASE = 1e-6, 1e-3, 1e-8


class PinocchioPerson:
    """The same joints, masses and points; ball joints are spherical."""

    SOLVERS: ClassVar = ("pinocchio + quadprog", "pinocchio + daqp")

    def __init__(self, body: Body, motion: Floats, rate: float, friction: float, solver: str) -> None:
        import pinocchio as pin

        self.pin, self.body, self.solver, self.friction = pin, body, solver, friction
        model = pin.Model()
        tables, mobility = figure_model(body)
        self.ids, self.velocities = [], []
        axes = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)
        for j, joint in enumerate(body.joints):
            parent = 0 if joint.parent < 0 else self.ids[joint.parent]
            offset = np.zeros(3) if j == 0 else np.array(body.arrays.offsets[j])
            place = pin.SE3(np.eye(3), offset)
            if j == 0:
                kind: Any = pin.JointModelFreeFlyer()
            elif tables.joints[j, BALL] == 1:
                kind = pin.JointModelSpherical()
            elif len(joint.rotations) == 1:
                kind = axes[joint.rotations[0].axis]()
            else:
                kind = pin.JointModelComposite()
                for rotation in joint.rotations:
                    kind.addJoint(axes[rotation.axis](), pin.SE3.Identity())
            index = model.addJoint(parent, kind, place, joint.name)
            x, y, z = np.square(joint.gyration)
            mass = max(float(tables.links[j, 3]), 1e-12)
            inertia = pin.Inertia(mass, np.array(joint.mass_centre), mass * np.diag([x, y, z]) + 1e-12 * np.eye(3))
            model.appendBodyToJoint(index, inertia, pin.SE3.Identity())
            self.ids.append(index)
        model.gravity.linear[:] = 0.0, -gravity_of(body), 0.0
        self.model, self.data = model, model.createData()
        self.points = [
            (self.ids[j], np.array(at)) for j, joint in enumerate(body.joints) for at in joint.contacts.values()
        ]
        self.frames = [
            model.addFrame(pin.Frame(f"contact_{n}", index, 0, pin.SE3(np.eye(3), at), pin.FrameType.OP_FRAME))
            for n, (index, at) in enumerate(self.points)
        ]
        self.data = model.createData()
        self.metric = np.ones(model.nv)
        self.metric[:] = 1.0 / (mobility / (1.0 + STIFFNESS * mobility))[: model.nv]
        self.postures = [self._posture(angles) for angles in motion]
        self.rate = rate
        edge = [(friction, 1.0, 0.0), (-friction, 1.0, 0.0), (0.0, 1.0, friction), (0.0, 1.0, -friction)]
        self.edges = np.array(edge).T  # (3, 4)

    def _posture(self, angles: Floats) -> Floats:
        found = self.pin.neutral(self.model)
        for j, joint in enumerate(self.body.joints):
            at = self.model.joints[self.ids[j]].idx_q
            turn = quaternions(local_rotations(self.body, j, angles[None]))[0]
            if j == 0:
                found[at : at + 3] = angles[:3] + np.array(joint.centre)
                found[at + 3 : at + 7] = turn
            elif self.model.joints[self.ids[j]].nq == 4:
                found[at : at + 4] = turn
            else:
                found[at : at + len(joint.rotations)] = angles[self.body.rotation_dofs[j]]
        return found

    def substep(self, n: int) -> float:
        """Seconds that one substep takes at frame n, with the velocity that the motion has there."""
        pin, model = self.pin, self.model
        before = self.postures[n - 1]
        q, following = self.postures[n], self.postures[min(n + 1, len(self.postures) - 1)]
        begin = time.process_time()
        v = pin.difference(model, before, q) * 30.0
        wanted = 32.0 * (pin.difference(model, q, following) * 30.0 - v) + 256.0 * pin.difference(model, q, following)
        accelerations, forces = self._solve(q, v, wanted)
        pin.integrate(model, q, (v + accelerations / self.rate) / self.rate)
        took = time.process_time() - begin
        self.last = accelerations, forces
        return took

    def _solve(self, q: Floats, v: Floats, wanted: Floats) -> tuple[Floats, Floats]:
        pin, model, data = self.pin, self.model, self.data
        pin.computeAllTerms(model, data, q, v)
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        pin.updateFramePlacements(model, data)
        world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        jacobians = [pin.getFrameJacobian(model, data, frame, world)[:3] for frame in self.frames]
        bias = [pin.getFrameClassicalAcceleration(model, data, frame, world).linear for frame in self.frames]
        stacked, drift = np.concatenate(jacobians), np.concatenate(bias)
        mass = pin.jacobianCenterOfMass(model, data, q, False)
        speed = mass @ v
        size, count = model.nv, 4 * len(self.frames)
        hessian = np.zeros((size + count, size + count))
        gradient = np.zeros(size + count)
        hessian[:size, :size] = np.diag(self.metric) + stacked.T @ stacked / HARD + mass.T @ mass / BALANCE
        gradient[:size] = -self.metric * wanted + stacked.T @ drift / HARD + mass.T @ (12.0 * speed) / BALANCE
        hessian[range(size, size + count), range(size, size + count)] = EASE
        edges = np.concatenate([jacobian[:, :6].T @ self.edges for jacobian in jacobians], axis=1)  # (6, count)
        full = data.M
        equal = np.hstack([full[:6], -edges])
        right = -data.nle[:6]
        x = self._qp_solve(hessian, gradient, equal, right, size, count)
        return x[:size], x[size:]

    def _qp_solve(
        self, hessian: Floats, gradient: Floats, equal: Floats, right: Floats, size: int, count: int
    ) -> Floats:
        if self.solver.endswith("quadprog"):
            import quadprog

            rows = np.hstack([equal.T, np.vstack([np.zeros((size, count)), np.eye(count)])])
            values = np.concatenate([right, np.zeros(count)])
            return np.asarray(quadprog.solve_qp(hessian, -gradient, rows, values, meq=6)[0])
        import daqp

        upper = np.concatenate([np.full(size + count, 1e30), right])
        lower = np.concatenate([np.full(size, -1e30), np.zeros(count), right])
        sense = np.zeros(size + count + 6, dtype=np.int32)
        sense[size + count :] = 5
        return np.asarray(daqp.solve(hessian, gradient, np.ascontiguousarray(equal), upper, lower, sense)[0])
