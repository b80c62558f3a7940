"""Things are lifted over the table on their way, not dragged through it: joint by joint the way would sag.

The arm that carries is bent up in the middle of its way by as much as the thing in its hand sags. The first and the
last frame stay as they are, and so do the frames of everything else.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from puppet.body import Body, Floats
from puppet.compiled import kernels
from puppet.follow import follow
from puppet.pose import Pose
from puppet.posing import tip_poses
from puppet.staging import Carrying
from puppet.trajectory import Trajectory, clamp

SAMPLES = 12
ROUNDS = 3
ENOUGH = 5e-4
HIGHEST = 0.15
ARC = 0.02  # how high a thing that changes its place is lifted on its way


def lift_carried(
    body: Body, now: Floats, trajectories: tuple[Trajectory, ...], carrying: Carrying, arc: float
) -> tuple[Trajectory, ...]:
    """The trajectories, that of the carrying arm raised so that what it holds stays above the straight way.

    `arc`: how far above the straight way it shall be half way.
    """
    joints = body.limb(carrying.hand).joints
    dofs = np.array([3 * j + place for j in joints for place in range(3)])
    frames = len(carrying.share)
    if frames < 3 or not carrying.settles:
        return trajectories
    which = np.unique(np.linspace(1, frames - 1, min(SAMPLES, frames - 1)).astype(int))
    ends = np.array([0, frames])
    lift = 0.0
    raised = trajectories
    for _ in range(ROUNDS):
        heights, _ = _heights(body, now, raised, carrying, np.concatenate([ends, which]))
        share = np.concatenate([[0.0], carrying.share])[which]
        bend = 4.0 * share * (1.0 - share)
        wanted = heights[0] + share * (heights[1] - heights[0]) + arc * bend
        lacking = np.where(bend > 0.1, (wanted - heights[2:]) / np.maximum(bend, 0.1), 0.0)
        lack = float(np.max(lacking, initial=0.0))
        if lack <= ENOUGH:
            break
        lift = min(lift + lack, HIGHEST)
        raised = _bent(body, now, trajectories, carrying, dofs, lift)
    return raised


def _heights(
    body: Body, now: Floats, trajectories: tuple[Trajectory, ...], carrying: Carrying, steps: Floats
) -> tuple[Floats, Floats]:
    """The height of the thing in the hand after some steps, and the frames of the joints, (steps, joints, 12)."""
    angles = np.tile(now, (len(steps), 1))
    for trajectory in trajectories:
        for n, step in enumerate(steps):
            if step > 0:
                angles[n, trajectory.dofs] = trajectory.at(carrying.start + int(step))
    frames = np.empty((len(steps), len(body.joints), 12))
    kernels().forward(body.model.joints, angles, frames)
    heights = np.empty(len(steps))
    for n, step in enumerate(steps):
        hand = tip_poses(body, frames[n])[carrying.hand]
        pose = hand.after(carrying.in_hand[0]) if step == 0 else carrying.first(hand, carrying.start + int(step))
        heights[n] = pose.position[1]
    return heights, frames


def _bent(
    body: Body, now: Floats, trajectories: tuple[Trajectory, ...], carrying: Carrying, dofs: Floats, lift: float
) -> tuple[Trajectory, ...]:
    """The arm bent so that its hand is higher by `lift` half way, less before and after."""
    middle = int(np.searchsorted(carrying.share, 0.5)) + 1
    _, frames = _heights(body, now, trajectories, carrying, np.array([middle]))
    hand = tip_poses(body, frames[0])[carrying.hand]
    parent = body.joints[body.limb(carrying.hand).joints[0]].parent
    base = Pose(frames[0, parent, :3], frames[0, parent, 3:].reshape(3, 3)) if parent >= 0 else Pose.of((0.0, 0.0, 0.0))
    found = []
    for trajectory in trajectories:
        places = np.flatnonzero(np.isin(trajectory.dofs, dofs))
        if len(places) != len(dofs):
            found.append(trajectory)
            continue
        plain = trajectory.at(carrying.start + middle)[places]
        bent = now.copy()
        follow(body, carrying.hand, base, hand.moved((0.0, lift, 0.0)), bent, plain, ENOUGH)
        share = trajectory.share[:, None]
        angles = trajectory.angles.copy()
        angles[:, places] += 4.0 * share * (1.0 - share) * (bent[dofs] - plain)
        clamp(body, trajectory.dofs, angles)
        angles.flags.writeable = False
        found.append(replace(trajectory, angles=angles))
    return tuple(found)
