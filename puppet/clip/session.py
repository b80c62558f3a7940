"""Editing a clip by hand: pins and drags, each given at a frame, with undo; and the script of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from puppet.body import joint_transforms
from puppet.clip.clip import Clip
from puppet.clip.script import HERE, USUAL_SECONDS
from puppet.command import Command, Drag, Pin, Unpin
from puppet.files.atomic_write import write_atomically
from puppet.language import format_command
from puppet.types import Floats, Vector

_DIGITS = 4  # of body heights in a script: a fifth of a millimetre


@dataclass(frozen=True)
class GivenEdit:
    """A statement and the frame at which it is given."""

    frame: int
    command: Command


class EditSession:
    """A recorded clip, the edits that were given so far, and the clip with them."""

    def __init__(self, clip: Clip) -> None:
        self.recorded = self.edited = clip
        self.given: tuple[GivenEdit, ...] = ()
        self._before: list[tuple[GivenEdit, ...]] = []
        self._undone: list[tuple[GivenEdit, ...]] = []

    @property
    def text(self) -> str:
        """The script of the edits."""
        return _script(self.given)

    def pinned(self, frame: int) -> dict[str, bool]:
        """The parts that are pinned in a frame, and whether they stay where they are."""
        found: dict[str, bool] = {}
        for edit in sorted(self.given, key=lambda edit: edit.frame):
            match edit.command:
                case Pin(part=part, to=to) if edit.frame <= frame:
                    found[part] = to is not None
                case Unpin(part=part) if edit.frame <= frame:
                    found.pop(part, None)
        return found

    # ---- edits

    def toggle_pin(self, frame: int, part: str, stays: bool = False) -> str:
        """Pins a part from a frame on, to its recorded path or where it is, or lets it go; returns what was done."""
        if part in self.pinned(frame):
            own = (GivenEdit(frame, Pin(part=part)), GivenEdit(frame, Pin(part=part, to=HERE)))
            if any(edit in own for edit in self.given):  # it was pinned in this very frame
                self._change(tuple(edit for edit in self.given if edit not in own))
            else:
                self._change((*self.given, GivenEdit(frame, Unpin(part=part))))
            return f"Unpinned {_words(part)} at frame {frame}"
        self._change((*self.given, GivenEdit(frame, Pin(part=part, to=HERE if stays else None))))
        return f"Pinned {_words(part)} {'where it is' if stays else 'to its recorded path'} from frame {frame} on"

    def drag(self, frame: int, part: str, place: Floats) -> str:
        """Drags a part's joint so that it is at a place of the world in a frame; returns what was done."""
        self._change(self._with_drag(frame, part, place))
        return f"Dragged {_words(part)} at frame {frame}"

    def preview(self, frame: int, part: str, place: Floats) -> Floats:
        """The joints' transforms (joints, 12) in a frame as they would be with a drag."""
        posture = self.recorded.editing(_script(self._with_drag(frame, part, place))).posture(self._apex(frame))
        return joint_transforms(self.recorded.body, posture)

    def undo(self) -> bool:
        return self._swap(self._before, self._undone)

    def redo(self) -> bool:
        return self._swap(self._undone, self._before)

    def rebase(self, clip: Clip) -> None:
        """Takes another recording, and edits it in the same way."""
        edited = clip.edit(self.text) if self.given else clip
        self.recorded, self.edited = clip, edited

    def save(self, path: Path) -> tuple[Path, Path]:
        """Writes the edited clip and the script of the edits beside each other; returns both files."""
        clip, script = path.with_name(path.name + ".bvh"), path.with_name(path.name + ".puppet")
        self.edited.save(clip)
        write_atomically(script, self.text)
        return clip, script

    # ---- inside

    def _apex(self, frame: int) -> int:
        """The frame in which a drag arrives: the first one cannot be changed."""
        return min(max(frame, 1), len(self.recorded) - 1)

    def _with_drag(self, frame: int, part: str, place: Floats) -> tuple[GivenEdit, ...]:
        apex = self._apex(frame)
        speed = max(1, min(apex, round(USUAL_SECONDS * self.recorded.fps)))
        recorded = self.recorded.joint_positions[apex, self.recorded.body.joint(part)]
        x, y, z = (round(float(value), _DIGITS) for value in np.asarray(place) - recorded)
        by: Vector = (x, y, z)
        given = tuple(
            edit
            for edit in self.given
            if not (isinstance(edit.command, Drag) and edit.command.part == part and _arrives(edit) == apex)
        )
        return (*given, GivenEdit(max(apex - speed, 0), Drag(part=part, by=by, speed=speed)))

    def _change(self, given: tuple[GivenEdit, ...]) -> None:
        """Takes other edits; where they cannot be carried out, all stays as it is."""
        edited = self.recorded.edit(_script(given)) if given else self.recorded
        self._before.append(self.given)
        self._undone.clear()
        self.given, self.edited = given, edited

    def _swap(self, source: list[tuple[GivenEdit, ...]], other: list[tuple[GivenEdit, ...]]) -> bool:
        if not source:
            return False
        given = source[-1]
        edited = self.recorded.edit(_script(given)) if given else self.recorded
        other.append(self.given)
        self.given, self.edited = source.pop(), edited
        return True


def _arrives(edit: GivenEdit) -> int:
    speed = edit.command.speed if isinstance(edit.command, Drag) else None
    return edit.frame + (speed if isinstance(speed, int) else 0)


def _script(given: Sequence[GivenEdit]) -> str:
    lines: list[str] = []
    last = -1
    for edit in sorted(given, key=lambda edit: edit.frame):
        if edit.frame != last:
            lines.append(f"at {edit.frame}")
            last = edit.frame
        lines.append(format_command(edit.command))
    return "".join(f"{line}\n" for line in lines)


def _words(part: str) -> str:
    return part.replace("_", " ")
