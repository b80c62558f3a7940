"""The thesis's own posture generator, Figure 5.17 as printed: kept for comparison.

Three passes with the weights of Appendix C; in each, the arms alone, then the whole chain, then the arms once more with
the wrist given to the orientation. Collisions are removed after every step (Section 5.6), and the best score wins. A
phase also ends when nothing moves any more, which changes no answer.
"""

from __future__ import annotations

import math

from puppet.kernels.ccd import best_rotation, goal_errors, rotate_carried
from puppet.kernels.estimate import aim_ball_joint
from puppet.kernels.forward_kinematics import (
    axis_from_parent,
    bounds,
    clamp_joint,
    copy,
    forward,
    order_of,
    place_joint,
    tip_of,
)
from puppet.kernels.jit import inner
from puppet.kernels.model import (
    CLEAR_CENTRE,
    CLEAR_SEGMENT,
    CLEAR_TIP,
    LOWER,
    OFFSET,
    ORDER,
    PARENT,
    POSITION_TOLERANCE,
    UPPER,
    WEIGHTS,
)
from puppet.kernels.rotation import parity, to_local, turn_vector, wrap_into
from puppet.kernels.score import score_posture
from puppet.kernels.table_clearance import point_excess

ARM_SWEEPS, CHAIN_SWEEPS = 500, 16000  # n1 and n2, of which the thesis has 40000: that may take 5 seconds
REMOVAL_STEP = 0.05  # of f in S_F = f S_A + (1 - f) S_B
_TURNS = 10  # sweeps for which the trunk serves one of two goals before the other


@inner
def collides(joints, table, transforms, j, part):
    """Collisions as printed: points (5.26), forearm and edge (5.27). part 0: elbow, forearm; 1: wrist, hand."""
    height, front = table[0], table[1]
    _, y, z = tip_of(joints, transforms, j)
    if point_excess(height, front, transforms[j, 1], transforms[j, 2], joints[j, CLEAR_CENTRE]) > 0.0:
        return True
    if part == 1.0:
        return point_excess(height, front, y, z, joints[j, CLEAR_TIP]) > 0.0
    z0, y0 = transforms[j, 2] - front, transforms[j, 1] - height
    dz, dy = z - transforms[j, 2], y - transforms[j, 1]
    t = min(1.0, max(0.0, -(z0 * dz + y0 * dy) / max(1e-12, dz * dz + dy * dy)))
    return math.hypot(z0 + t * dz, y0 + t * dy) < joints[j, CLEAR_SEGMENT]


@inner
def place_thesis_limb(joints, limb, transforms, angles):
    """Forward kinematics of the joints of a limb, from the parent of the first on."""
    for j in limb:
        place_joint(joints, angles, j, transforms)


@inner
def remove_collision(joints, dofs, limb, table, transforms, angles, part, safe):
    """Moves the arm towards a posture with the colliding bone upright, by as few steps as make it clear,
    S <- S + REMOVAL_STEP (S upright - S)."""
    shoulder, hinge = limb[0], limb[1]
    j = limb[1] if part == 0.0 else limb[2]
    if not collides(joints, table, transforms, j, part):
        return
    copy(angles, safe)
    axis = int(joints[shoulder, ORDER + 2])
    sign = 1.0 if joints[hinge, OFFSET + axis] >= 0.0 else -1.0
    if part == 0.0:  # the upper arm hangs straight down
        x, y, z = to_local(transforms, int(joints[shoulder, PARENT]), 0.0, -1.0, 0.0)
        aim_ball_joint(joints, shoulder, sign, x, y, z, safe)
    else:  # the forearm stands straight up
        turned = safe[3 * shoulder + 2]
        x, y, z = to_local(transforms, shoulder, 0.0, 1.0, 0.0)
        local = turn_vector(axis, turned, x, y, z)
        m = int(joints[hinge, ORDER])
        side = 1.0 if dofs[3 * hinge, LOWER] + dofs[3 * hinge, UPPER] >= 0.0 else -1.0
        safe[3 * hinge] = side * math.acos(min(1.0, max(-1.0, sign * local[axis])))
        flip = sign * side
        safe[3 * shoulder + 2] = math.atan2(flip * local[m], flip * parity(m, axis) * local[3 - m - axis])
    clamp_joint(dofs, safe, shoulder)
    clamp_joint(dofs, safe, hinge)
    for _ in range(round(1.0 / REMOVAL_STEP)):
        for k in limb[:2]:
            for d in range(3 * k, 3 * k + 3):
                angles[d] += REMOVAL_STEP * (safe[d] - angles[d])
        place_thesis_limb(joints, limb, transforms, angles)
        if not collides(joints, table, transforms, j, part):
            return


@inner
def orient_wrist(joints, dofs, hand, goal, pass_number, transforms, angles):
    """The wrist's three angles for the goal's orientation, each limited before the next is found (Appendix B)."""
    p = int(joints[hand, PARENT])
    i, m, k = order_of(joints, hand)
    s = parity(i, m)
    for place in range(3):
        d = 3 * hand + place
        if place < 2:  # the goal's k axis in the forearm's coordinates decides the first two angles
            gx, gy, gz = goal[3 + k], goal[6 + k], goal[9 + k]
        else:  # and its i axis the last
            gx, gy, gz = goal[3 + i], goal[6 + i], goal[9 + i]
        x, y, z = to_local(transforms, p, gx, gy, gz)
        for before in range(place):
            x, y, z = turn_vector(int(joints[hand, ORDER + before]), -angles[3 * hand + before], x, y, z)
        v = (x, y, z)
        if place == 0:
            wanted = math.atan2(-s * v[m], v[k])
        elif place == 1:
            wanted = math.atan2(s * v[i], v[k])
        else:
            wanted = math.atan2(s * v[m], v[i])
        lower, upper = bounds(dofs, angles, d)
        wanted = angles[d] + dofs[d, WEIGHTS + pass_number] * (wrap_into(wanted, lower, upper) - angles[d])
        angles[d] = min(max(wanted, lower), upper)


@inner
def sweep_joint(joints, dofs, below, j, hands, goals, oriented, pass_number, transforms, angles):
    """One joint's three axes in their order, for the position alone; returns the largest turn."""
    moved = 0.0
    for place in range(3):
        d = 3 * j + place
        weight = dofs[d, WEIGHTS + pass_number]
        if weight == 0.0:
            continue
        nx, ny, nz = axis_from_parent(joints, transforms, angles, j, place)
        turn = weight * best_rotation(joints, transforms, below, hands, goals, oriented, 0.0, j, nx, ny, nz)
        lower, upper = bounds(dofs, angles, d)
        turn = min(max(angles[d] + turn, lower), upper) - angles[d]
        angles[d] += turn
        rotate_carried(transforms, below, j, nx, ny, nz, turn)
        moved = max(moved, abs(turn))
    return moved


@inner
def phase(
    joints, dofs, below, limbs, hands, trunk, goals, oriented, table, tolerance, pass_number, sweeps, wrist, transforms,
    angles, safe,
):  # fmt: skip
    """Steps 4 (no trunk, wrist 0), 5 (trunk) and 7 (wrist 1) of Figure 5.17."""
    forward(joints, angles, transforms)
    for sweep in range(sweeps):
        distance, _ = goal_errors(joints, transforms, hands, goals, oriented)
        if distance <= tolerance and (wrist == 0.0 or sweep > 0):
            return
        moved = 0.0
        for h in range(limbs.shape[0]):
            limb = limbs[h]
            for n in range(2, -1, -1):
                if n == 2 and wrist == 1.0 and oriented[h]:
                    orient_wrist(joints, dofs, limb[2], goals[h], pass_number, transforms, angles)
                    place_joint(joints, angles, limb[2], transforms)
                else:
                    moved = max(
                        moved,
                        sweep_joint(
                            joints, dofs, below, limb[n], hands[h : h + 1], goals[h : h + 1], oriented[h : h + 1],
                            pass_number, transforms, angles,
                        ),
                    )  # fmt: skip
                for part in range(2):
                    remove_collision(joints, dofs, limb, table, transforms, angles, float(part), safe)
        if trunk.shape[0] > 0:
            h = (sweep // _TURNS) % limbs.shape[0]
            for n in range(trunk.shape[0] - 1, -1, -1):
                moved = max(
                    moved,
                    sweep_joint(
                        joints, dofs, below, trunk[n], hands[h : h + 1], goals[h : h + 1], oriented[h : h + 1],
                        pass_number, transforms, angles,
                    ),
                )  # fmt: skip
                clamp_joint(dofs, angles, trunk[n])
            forward(joints, angles, transforms)
            for g in range(limbs.shape[0]):
                for part in range(2):
                    remove_collision(joints, dofs, limbs[g], table, transforms, angles, float(part), safe)
        if moved < 1e-9:
            return


@inner
def solve_as_printed(
    joints, dofs, below, limbs, hands, trunk, goals, oriented, table, height, guess, transforms, angles
):  # fmt: skip
    """Figure 5.17, into angles; joints that no goal concerns keep theirs."""
    tolerance = POSITION_TOLERANCE * height
    best = math.inf
    trial, safe, still = guess.copy(), guess.copy(), trunk[:0]
    for pass_number in range(3):
        copy(guess, trial)
        for step in range(3):
            phase(
                joints, dofs, below, limbs, hands, trunk if step == 1 else still, goals, oriented, table, tolerance,
                pass_number, CHAIN_SWEEPS if step == 1 else ARM_SWEEPS, 1.0 if step == 2 else 0.0, transforms, trial,
                safe,
            )  # fmt: skip
        forward(joints, trial, transforms)
        score = score_posture(joints, dofs, limbs, trunk, goals, oriented, height, guess, transforms, trial)
        if score < best:
            best = score
            copy(trial, angles)
