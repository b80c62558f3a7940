"""The reaches of a performance: path, time, wrist, trunk and gaze of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.motion.holds import METRES
from benchmarks.motion.strokes import Stroke, low_pass, resampled, stroke_of
from benchmarks.motion.tasks import Hold, Task, holds_of, tasks_of
from puppet.body import Body
from puppet.performance import Performance
from puppet.types import Floats

FLEXION, EXTENSION, ULNAR, RADIAL = 70.0, 60.0, 40.0, 20.0  # degrees: what people's wrists do
NEAR = 0.8  # of the arm's length: no lean is needed for what is nearer
GAZE_SHARE = 0.3  # of the reach: by then the eyes are on the goal
ON_GOAL = 10.0  # degrees


@dataclass(frozen=True)
class Reach:
    """One reach. Angles in degrees, lengths in units."""

    task: Task
    stroke: Stroke | None  # of the wrist
    carries: bool  # whether the hand holds something
    alone: bool  # no other task runs meanwhile, and the other hand holds nothing
    wrist: Floats  # (frames, 2): flexion, and deviation to the ulnar side, from its first frame to the last
    goal_distance: float  # from the shoulder before the reach / arm's length; nan without a goal
    lean: float  # of the trunk in the end, more than before anything happened
    gaze_at_share: float  # degrees between gaze and goal after GAZE_SHARE of the time; nan without goal or eyes
    gaze_arrival: float  # share of the time after which it stays on the goal, 1 if never
    gaze_nearest: float  # degrees between gaze and goal when it is nearest
    frames: int

    @property
    def wrist_excess(self) -> Floats:
        """By how many degrees the wrist is bent more than people's are, (frames,)."""
        flexion, ulnar = self.wrist.T
        worst = np.maximum.reduce([flexion - FLEXION, -flexion - EXTENSION, ulnar - ULNAR, -ulnar - RADIAL])
        return np.maximum(worst, 0.0)


def reaches(performance: Performance) -> list[Reach]:
    """Of all reaches for things and spaces that were carried out."""
    body, tasks, holds = performance.body, tasks_of(performance), holds_of(performance)
    wrists = {hand: low_passed_wrist(performance, hand) for hand in body.hands}
    found = []
    for task in tasks:
        if task.kind != "reach":
            continue
        others = any(o is not task and o.start < task.end and o.end > task.start for o in tasks)
        held = [hold for hold in holds if hold.start <= task.start and hold.end >= task.end]
        goal = task.goal(performance)
        gaze = gaze_angles(performance, task, goal)
        gaze = gaze[_sets_off(performance, task, held) - task.start :]
        steps = int(np.ceil(GAZE_SHARE * (len(gaze) - 1)))
        off = np.flatnonzero(gaze > ON_GOAL)
        arrival = 0.0 if not len(off) else min(1.0, (off[-1] + 1) / max(1, len(gaze) - 1))
        found.append(
            Reach(
                task=task,
                stroke=stroke_of(_between(wrists[task.hand], task, performance.fps)),
                carries=any(hold.hand == task.hand for hold in held),
                alone=not others and not any(hold.hand != task.hand for hold in held),
                wrist=wrist_angles(performance, task.hand)[task.start : task.end + 1],
                goal_distance=_goal_distance(performance, task, goal),
                lean=float(lean_angles(performance)[task.end]),
                gaze_at_share=float(gaze[min(steps, len(gaze) - 1)]),
                gaze_arrival=arrival if np.isfinite(gaze).all() else float("nan"),
                gaze_nearest=float(gaze.min()),
                frames=task.end - task.start,
            )
        )
    return found


def low_passed_wrist(performance: Performance, hand: str) -> Floats:
    """Where a wrist is, (frames, 3), in metres."""
    joint = performance.body.limbs[hand].joints[-1]
    return low_pass(METRES * performance.joint_positions[:, joint], performance.fps)


def largest_speed(performance: Performance) -> float:
    """Of any wrist in any frame, as it is, metres a second."""
    wrists = [performance.body.limbs[hand].joints[-1] for hand in performance.body.hands]
    steps = np.linalg.norm(np.diff(performance.joint_positions[:, wrists], axis=0), axis=2)
    return METRES * performance.fps * float(steps.max(initial=0.0))


def wrist_angles(performance: Performance, hand: str) -> Floats:
    """Flexion and ulnar deviation (frames, 2) in degrees: of the forearm's axis in the frame of the hand.

    The hand points to its tip, its palm faces -y and its thumb is at +z, on both sides.
    """
    body = performance.body
    fore, own = body.limbs[hand].joints[-2:]
    along = body.arrays.offsets[own] / np.linalg.norm(body.arrays.offsets[own])
    finger = body.arrays.tips[own] / np.linalg.norm(body.arrays.tips[own])
    turns = performance.joint_transforms[:, :, 3:].reshape(len(performance.angles), -1, 3, 3)
    seen = np.einsum("fba,fb->fa", turns[:, own], turns[:, fore] @ along)
    flexion = np.arctan2(seen[:, 1], seen @ finger)
    return np.degrees(np.stack([flexion, np.arcsin(np.clip(seen[:, 2], -1.0, 1.0))], axis=1))


def lean_angles(performance: Performance) -> Floats:
    """How much more the trunk leans than before anything happens, (frames,), in degrees."""
    body = performance.body
    chest = body.limbs[body.hands[0]].trunk[-1]
    up = performance.joint_transforms[:, chest, 3:].reshape(-1, 3, 3)[:, :, 1]
    return np.degrees(np.arccos(np.clip(up @ up[0], -1.0, 1.0)))


def _sets_off(performance: Performance, task: Task, holds: list[Hold]) -> int:
    """The frame in which a reach begins: the task's first one, or, where it asks for another grip of what its hand
    holds, the last one in which the thing still stands. Until then it is the thing that is looked at."""
    for hold in holds:
        if hold.hand == task.hand and (task.start, task.end) in hold.regrips:
            rows = performance.object_positions[task.start : task.end + 1, performance.object_names.index(hold.thing)]
            return task.start + max(0, int(np.argmax(np.linalg.norm(rows - rows[0], axis=1) > 1e-6)) - 1)
    return task.start


def gaze_angles(performance: Performance, task: Task, goal: Floats | None) -> Floats:
    """Between the gaze and the goal in each frame of a task, in degrees: of the eyes, where they can be turned."""
    body = performance.body
    if body.gaze is None or goal is None:
        return np.full(task.end - task.start + 1, np.nan)
    rows = performance.joint_transforms[task.start : task.end + 1]
    looks = eye_joints(body) or [body.gaze.joint]
    eyes = np.zeros(3) if eye_joints(body) else np.array(body.gaze.eyes)
    angles = []
    for joint in looks:
        turns = rows[:, joint, 3:].reshape(-1, 3, 3)
        to_goal = goal - (rows[:, joint, :3] + turns @ eyes)
        to_goal /= np.linalg.norm(to_goal, axis=1, keepdims=True)
        forward = turns @ np.array(body.gaze.forward)
        angles.append(np.degrees(np.arccos(np.clip(np.einsum("fa,fa->f", forward, to_goal), -1.0, 1.0))))
    return np.asarray(np.mean(angles, axis=0))


def eye_joints(body: Body) -> list[int]:
    """Joints that turn the eyes in the head; none where they are fixed."""
    head = -1 if body.gaze is None else body.gaze.joint
    return [j for j, joint in enumerate(body.joints) if joint.parent == head >= 0 and joint.rotations and not any(
        other.parent == j for other in body.joints)]  # fmt: skip


def velocity_steps(performance: Performance) -> Floats:
    """By how much each joint's angular velocity changes in each frame, degrees a second, (frames, joints)."""
    body = performance.body
    frames = len(performance.angles)
    turns = performance.joint_transforms[:, :, 3:].reshape(frames, -1, 3, 3)
    found = np.zeros((frames, len(body.joints)))
    for j, joint in enumerate(body.joints):
        local = turns[:, j] if joint.parent < 0 else np.swapaxes(turns[:, joint.parent], 1, 2) @ turns[:, j]
        steps = np.swapaxes(local[:-1], 1, 2) @ local[1:]  # (frames - 1, 3, 3)
        velocity = np.degrees(_rotation_vectors(steps)) * performance.fps
        found[1:-1, j] = np.linalg.norm(np.diff(velocity, axis=0), axis=1)
    return found


def seam_steps(performance: Performance) -> Floats:
    """The steps of velocity at the seams: where a task begins or ends, and one frame to each side."""
    steps = velocity_steps(performance)
    last = len(steps) - 1
    seams = {f for task in tasks_of(performance) for at in (task.start, task.end) for f in (at - 1, at, at + 1)}
    return steps[sorted(f for f in seams if 0 < f < last)]


def _rotation_vectors(turns: Floats) -> Floats:
    """Axis times angle in radians, (n, 3)."""
    axis = np.stack(
        [turns[:, 2, 1] - turns[:, 1, 2], turns[:, 0, 2] - turns[:, 2, 0], turns[:, 1, 0] - turns[:, 0, 1]], axis=1
    )
    sine = 0.5 * np.linalg.norm(axis, axis=1)
    angle = np.arctan2(sine, 0.5 * (np.einsum("naa->n", turns) - 1.0))
    return np.asarray(axis * (angle / np.maximum(2.0 * sine, 1e-12))[:, None])


def _between(points: Floats, task: Task, fps: float) -> Floats:
    return resampled(points[task.start : task.end + 1], fps)


def _goal_distance(performance: Performance, task: Task, goal: Floats | None) -> float:
    if goal is None:
        return float("nan")
    body = performance.body
    joints = body.limbs[task.hand].joints
    arm = sum(np.linalg.norm(body.arrays.offsets[j]) for j in joints[1:]) + np.linalg.norm(body.arrays.tips[joints[-1]])
    return float(np.linalg.norm(goal - performance.joint_positions[0, joints[0]]) / arm)
