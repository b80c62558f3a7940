"""One case carried out and judged: plain figures, ready to be written as JSON."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.motion.clearances import LIMIT, Overlap, overlaps, rest_overlaps
from benchmarks.motion.holds import METRES, HoldDrift, hold_drifts, things_without_a_hand
from benchmarks.motion.obstructions import detour, is_clear, is_free
from benchmarks.motion.reaches import Reach, largest_speed, reaches, seam_steps, velocity_steps
from benchmarks.motion.scenes import Case
from benchmarks.motion.tasks import Task, tasks_of
from puppet.body import Body
from puppet.performance import Performance
from puppet.shows import run

MILLIMETRES = 1000.0 * METRES  # in a unit


def carry_out(case: Case, body: Body) -> tuple[Performance, float]:
    """The performance, and the milliseconds of processor time of its tasks, without those of setting the stage."""
    clock = time.process_time
    begin = clock()
    run("wait 1\n", environment=case.scene, body=body)
    ready = clock()
    performance = run(case.script, environment=case.scene, body=body)
    return performance, 1e3 * max(0.0, (clock() - ready) - (ready - begin))


def judge(case: Case, performance: Performance, planner: bool = True) -> dict[str, Any]:
    """All figures of a case. `planner`: also the shortest ways around what is in the way."""
    tasks, found = tasks_of(performance), overlaps(performance)
    steps, seams = velocity_steps(performance), seam_steps(performance)
    statuses = [
        entry["status"] for entry in performance.report["tasks"] if entry["kind"] in ("reach", "slide", "perform")
    ]
    return {
        "case": case.name,
        "category": case.category,
        "body": case.body,
        "script": case.script,
        "frames": len(performance.angles),
        "statuses": statuses,
        "holds": [hold_figures(drift) for drift in hold_drifts(performance)],
        "without_hand": {name: frames[:3] for name, frames in things_without_a_hand(performance).items()},
        "overlaps": [overlap_figures(overlap, tasks) for overlap in found],
        "rest_overlaps": {kind: MILLIMETRES * depth for kind, depth in rest_overlaps(performance).items()},
        "tasks": [task_figures(task, found, tasks) for task in tasks],
        "reaches": [
            {"category": case.category, **reach_figures(performance, reach, planner)} for reach in reaches(performance)
        ],
        "largest_step": float(steps.max(initial=0.0)),
        "steps_over_60": int((steps.max(axis=1) > 60.0).sum()),
        "largest_speed": largest_speed(performance),
        "largest_seam_step": float(seams.max(initial=0.0)),
    }


def hold_figures(drift: HoldDrift) -> dict[str, Any]:
    return {
        "thing": drift.hold.thing,
        "hand": drift.hold.hand,
        "millimetres": MILLIMETRES * drift.distance,
        "frame": drift.distance_frame,
        "degrees": drift.angle,
        "degrees_in_air": drift.air_angle,
        "kept": drift.kept,
        "all_done": drift.hold.statuses <= {"done"},
    }


def overlap_figures(overlap: Overlap, tasks: list[Task]) -> dict[str, Any]:
    depth, frame = overlap.worst
    return {
        "kind": overlap.kind,
        "parts": overlap.parts,
        "millimetres": MILLIMETRES * depth,
        "frame": frame,
        "frames": int((overlap.depth > LIMIT).sum()),
        "statuses": sorted({task.status for task in tasks if task.start <= frame <= task.end}),
    }


def task_figures(task: Task, found: list[Overlap], tasks: list[Task]) -> dict[str, Any]:
    """Of one task: the deepest of what goes through something while it runs; of one that is done, while no other runs
    whose report tells of it."""
    told = {frame for other in tasks if other.status != task.status for frame in range(other.start, other.end + 1)}
    frames = range(task.start + 1, task.end + 1)
    counted = [frame for frame in frames if task.status != "done" or frame not in told]
    own = [(float(o.depth[counted].max(initial=0.0)), o.kind) for o in found]
    depth, kind = max(own, default=(0.0, ""))
    return {
        "command": task.command,
        "kind": task.kind,
        "status": task.status,
        "frames": task.end - task.start,
        "millimetres": MILLIMETRES * depth if depth > LIMIT else 0.0,
        "through": kind if depth > LIMIT else "",
    }


def reach_figures(performance: Performance, reach: Reach, planner: bool) -> dict[str, Any]:
    free = is_free(performance, reach)
    flexion, ulnar = reach.wrist.T
    return {
        "command": reach.task.command,
        "status": reach.task.status,
        "start": reach.task.start,
        "seconds": reach.frames / performance.fps,
        "free": free,
        "clear": free and is_clear(performance, reach),
        "carries": reach.carries,
        "alone": reach.alone,
        "stroke": None if reach.stroke is None else reach.stroke.figures,
        "way": [] if reach.stroke is None else np.round(reach.stroke.points, 4).tolist(),
        "detour": detour(performance, reach) if planner and not free and not reach.carries else None,
        "wrist_end": [float(flexion[-1]), float(ulnar[-1])],
        "wrist_end_excess": float(reach.wrist_excess[-1]),
        "wrist_way_excess": float(reach.wrist_excess.max()),
        "goal_distance": reach.goal_distance,
        "lean": reach.lean,
        "gaze_at_share": reach.gaze_at_share,
        "gaze_arrival": reach.gaze_arrival,
        "gaze_nearest": reach.gaze_nearest,
    }


def quantiles(values: list[float], shares: tuple[float, ...] = (0.05, 0.5, 0.95)) -> list[float]:
    """Of what is a number; nan where there is none."""
    known = np.array([value for value in values if value is not None and np.isfinite(value)], dtype=np.float64)
    return [float(np.quantile(known, share)) if len(known) else float("nan") for share in shares]
