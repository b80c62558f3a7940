"""What the legend says of a task."""

from __future__ import annotations

from puppet.timeline.model import Item


def frames(item: Item) -> str:
    """From which frame to which."""
    if item.start is None:
        return "never began"
    return f"frames {item.start} to {'?' if item.end is None else item.end}"


def where(item: Item) -> str:
    """The line that a task stands in, in brackets; nothing for what was not written in a file."""
    if not item.line:
        return ""
    return f" (line {item.line}, called in line {item.call})" if item.call else f" (line {item.line})"


def remarks(item: Item) -> list[str]:
    """What else is to be known: how it was understood, what became of it, why it waited."""
    found = []
    if item.interpretation and item.interpretation.casefold() != item.command.casefold():
        found.append(item.interpretation)
    if item.status != "done":
        found.append(f"{item.status}: {item.reason}" if item.reason else item.status)
    elif item.reason:
        found.append(item.reason)
    delay = item.start - item.given if item.start is not None else 0
    if delay > 0:
        found.append(f"waited {delay} frames; {item.waited}" if item.waited else f"waited {delay} frames")
    elif item.waited:
        found.append(item.waited)
    return found
