"""The words of the legend for a task."""

from __future__ import annotations

from puppet.timeline.model import TimelineTask


def frame_range(task: TimelineTask) -> str:
    """The first and the last frame of a task."""
    if task.start is None:
        return "never began"
    return f"frames {task.start} to {'?' if task.end is None else task.end}"


def line_reference(task: TimelineTask) -> str:
    """The line of a task in brackets; nothing for what was not written in a file."""
    if not task.line:
        return ""
    return f" (line {task.line}, called in line {task.call})" if task.call else f" (line {task.line})"


def remarks(task: TimelineTask) -> list[str]:
    """Further remarks: how the task was understood, what became of it, why it waited."""
    found = []
    if task.call and task.expanded and task.expanded != task.command:
        found.append(task.expanded)
    if task.when and task.when not in task.command:
        found.append(f"begins when {task.when}")
    if task.until and task.until not in task.command:
        found.append(f"goes on until {task.until}")
    if task.interpretation and task.interpretation.casefold() != task.command.casefold():
        found.append(task.interpretation)
    if task.status != "done":
        found.append(f"{task.status}: {task.reason}" if task.reason else task.status)
    elif task.reason:
        found.append(task.reason)
    delay = task.start - task.given if task.start is not None else 0
    if delay > 0:
        found.append(f"waited {delay} frames; {task.waited}" if task.waited else f"waited {delay} frames")
    elif task.waited:
        found.append(task.waited)
    return found
