"""What is promised of every performance, as a list of what was not kept: for tests."""

from __future__ import annotations

import numpy as np

from benchmarks.motion.clearances import LIMIT, overlaps
from benchmarks.motion.holds import METRES, hold_drifts, things_without_a_hand
from benchmarks.motion.reaches import reaches, seam_steps
from benchmarks.motion.tasks import tasks_of
from puppet.performance import Performance

LARGEST_SEAM_STEP = 60.0  # degrees a second
WRIST_TOLERANCE = 0.5  # degrees
_MILLIMETRES = 1000.0 * METRES


def broken_promises(performance: Performance) -> list[str]:
    """In words: holds, clearances, velocity at seams and wrists, of what is reported as done."""
    return [
        *broken_holds(performance),
        *broken_clearances(performance),
        *broken_seams(performance),
        *broken_wrists(performance),
    ]


def broken_holds(performance: Performance) -> list[str]:
    """Hands that leave what they hold while all tasks are done, and things that move without a hand."""
    found = [
        f"the {drift.hold.hand} hand leaves '{drift.hold.thing}' by {_MILLIMETRES * drift.distance:.1f} mm in frame "
        f"{drift.distance_frame} and by {drift.angle:.1f} degrees in frame {drift.angle_frame}"
        for drift in hold_drifts(performance)
        if drift.hold.statuses <= {"done"} and not drift.kept
    ]
    alone = things_without_a_hand(performance)
    return found + [f"'{thing}' moves without a hand in frame {frames[0]}" for thing, frames in alone.items()]


def broken_clearances(performance: Performance) -> list[str]:
    """What goes through what in frames in which only tasks run that are done."""
    done = np.ones(len(performance.angles), dtype=bool)
    for task in tasks_of(performance):
        if task.status != "done":
            done[task.start : task.end + 1] = False
    found = []
    for overlap in overlaps(performance):
        depth = np.where(done, overlap.depth, 0.0)
        if depth.max() > LIMIT:
            deep, frame = _MILLIMETRES * float(depth.max()), int(depth.argmax())
            found.append(f"{overlap.parts[0]} is {deep:.1f} mm in {overlap.parts[1]} in frame {frame}")
    return found


def broken_seams(performance: Performance) -> list[str]:
    """The largest step of a joint's velocity where a task begins or ends."""
    most = float(seam_steps(performance).max(initial=0.0))
    return [f"a joint's velocity steps by {most:.0f} degrees/s at a seam"] if most > LARGEST_SEAM_STEP else []


def broken_wrists(performance: Performance) -> list[str]:
    """Wrists that are bent more than people's while something is reached that is done."""
    return [
        f"the {reach.task.hand} wrist is bent {reach.wrist_excess.max():.0f} degrees too far in frame "
        f"{reach.task.start + int(reach.wrist_excess.argmax())}"
        for reach in reaches(performance)
        if reach.task.status == "done" and reach.wrist_excess.max() > WRIST_TOLERANCE
    ]
