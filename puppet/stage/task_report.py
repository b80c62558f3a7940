"""Commands as entries of the task log, and the task log as the report has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from puppet.command import (
    Command,
    GiveThing,
    LookAt,
    MoveHead,
    PointAt,
    PutThing,
    Relation,
    ReleaseHand,
    TakeThing,
)
from puppet.errors import PuppetError, visible
from puppet.stage import task_log
from puppet.stage.relations import relation_words
from puppet.stage.task_log import Entry
from puppet.tasks import Outcome


def entry_of(
    number: int, command: Command, frame: int, words: str, status: str, reason: str, outcome: Outcome | None
) -> Entry:
    """A command as it was understood at a frame."""
    begins_later = status in task_log.OPEN or status == task_log.REJECTED
    return Entry(
        number=number,
        kind=_kind(command),
        line=command.source.line,
        column=command.source.column,
        file=command.source.file,
        call=command.source.call,
        command=visible(command.source.text or words),
        interpretation=visible(words),
        status=status,
        reason=visible(reason),
        hand=(outcome.hand if outcome is not None else "") or getattr(command, "hand", ""),
        label=getattr(command, "label", None) or "",
        when=_moment_words(getattr(command, "when", None)),
        until=_moment_words(getattr(command, "until", None)),
        target=outcome.target if outcome is not None else None,
        expanded=visible(_expanded(command)),
        chosen=outcome.chosen if outcome is not None else "",
        given=frame,
        start=None if begins_later else frame,
        end=None if begins_later else frame,
    )


def report_tasks(entries: Sequence[Entry], joint_names: Sequence[str]) -> list[dict[str, Any]]:
    """Every task as the report has it, with the joints that it had from frame to frame."""
    owned = task_log.timeline(entries)
    return [
        {
            **entry.as_dict(),
            "segments": [
                {"joint": joint_names[joint], "start": start, "end": end}
                for joint, start, end in owned.get(entry.number, ())
            ],
        }
        for entry in entries
        if entry.kind in _REPORTED
    ]


def _kind(command: Command) -> str:
    """What kind of a task a command is, for the report."""
    if isinstance(command, MoveHead):
        return command.kind
    return _KINDS.get(type(command), type(command).__name__.lower())


def _moment_words(relation: Relation | None) -> str:
    return "" if relation is None else relation_words(relation)


def _expanded(command: Command) -> str:
    """The line of a command with everything replaced by what it stands for."""
    from puppet.language import format_command

    try:
        return format_command(command)
    except (PuppetError, TypeError):
        return ""  # it can only be given in Python, or is wrong


_KINDS: Mapping[type[Command], str] = {
    TakeThing: "take", PutThing: "put", GiveThing: "give", ReleaseHand: "release", PointAt: "point", LookAt: "look",
}  # fmt: skip
_REPORTED = (
    "reach", "slide", "perform", "take", "put", "give", "point", "look", "nod", "shake", "posejoint", "pin", "unpin",
    "drag", "travel", "balance", "lock", "unlock", "release", "freeze",
)  # fmt: skip
