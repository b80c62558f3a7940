"""A take: the commands of a live performance with their frames, as a script that is on disk at every moment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from puppet.command import At, Command, SetFps, UseBody, UseEnvironment
from puppet.errors import PuppetError
from puppet.files.atomic_write import atomic_path
from puppet.files.shipped import name_from
from puppet.language import format_command

DISK_BLOCK = 4096  # a write inside one block of the disk is atomic


@dataclass(frozen=True)
class TimedCommand:
    """A command and the frame at which it was given."""

    frame: int
    command: Command


class Take:
    """The commands given so far. With a path, every command is on disk when `add` returns.

    `earlier` are the commands of an earlier take. They are in the script from the start, so that none is lost when this
    take ends early. Commands at the same frame are in the order in which they are given: the earlier take's first.
    """

    def __init__(
        self, path: str | Path | None = None, environment: str | Path | None = None, fps: float = 30.0,
        earlier: Sequence[TimedCommand] = (), earlier_end: int = 0, comment: str = "", body: str | None = None,
    ) -> None:  # fmt: skip
        """`earlier_end`: the frame at which the earlier take ends. `comment`: at the top of the script. `body`: the
        name of a body other than the default one."""
        self.path = None if path is None else Path(path)
        self.fps = fps
        self.comment, self.body = comment, body
        folder = Path() if self.path is None else self.path.parent
        self.environment = None if environment is None else name_from("environments", environment, folder)
        self.given: list[TimedCommand] = []
        self.earlier = tuple(earlier)
        self.replayed = 0  # how many of the earlier commands have been given
        self._earlier_end = self._end = earlier_end  # the frame until which the script lasts at least
        self._file: int | None = None
        self._size = 0
        self._written_frame = 0  # of the last `at` in the file
        if self.path is not None:
            self.rewrite()

    def commands(self, end: int = 0) -> tuple[Command, ...]:
        """The whole script as commands, without the environment; `end`: the frame until which it lasts at least."""
        end = max(end, self._end)
        found: list[Command] = [SetFps(fps=self.fps)]
        frame = 0
        for given in (*self.given, *self.upcoming):
            if given.frame > frame:
                found.append(At(frame=given.frame))
            frame = max(frame, given.frame)
            found.append(given.command)
        if end > frame:
            found.append(At(frame=end))
        return tuple(found)

    @property
    def text(self) -> str:
        """The whole script."""
        lines = [f"# {self.comment}"] if self.comment else []
        if self.environment is not None:
            lines.append(format_command(UseEnvironment(path=self.environment)))
        if self.body is not None:
            lines.append(format_command(UseBody(path=self.body)))
        return "".join(f"{line}\n" for line in (*lines, *map(format_command, self.commands())))

    def add(self, frame: int, commands: Sequence[Command]) -> None:
        """Adds commands that are given together at a frame. They are on disk when this returns."""
        self._end = self._earlier_end
        self.given += (TimedCommand(frame, command) for command in commands)
        if self.path is None:
            return
        if frame < self._written_frame or self._file is None:
            self.rewrite()
            return
        lines = [*commands] if frame == self._written_frame else [At(frame=frame), *commands]
        self._append("".join(f"{format_command(line)}\n" for line in lines))
        self._written_frame = frame

    @property
    def upcoming(self) -> tuple[TimedCommand, ...]:
        """The commands of the earlier take that are still to come."""
        return self.earlier[self.replayed :]

    def next_due(self, frame: int) -> TimedCommand | None:
        """The next command of the earlier take if its frame has come; it counts as given. The script has it already."""
        if self.replayed == len(self.earlier) or self.earlier[self.replayed].frame > frame:
            return None
        self.given.append(self.earlier[self.replayed])
        self.replayed += 1
        return self.given[-1]

    def rewind(self, count: int, replayed: int) -> None:
        """Goes back to the first `count` commands, `replayed` of which are the earlier take's."""
        del self.given[count:]
        self.replayed = replayed
        self._end = self._earlier_end
        if self.path is not None:
            self.rewrite()

    def close(self, frame: int) -> None:
        """Ends the take at a frame: the script lasts until there."""
        self._end = max(self._earlier_end, frame)
        if self.path is not None:
            self.rewrite()
            self._close_file()

    # ---- the file

    def rewrite(self) -> None:
        """Writes the file anew, atomically."""
        assert self.path is not None
        self._close_file()
        content = self.text.encode()
        with atomic_path(self.path) as draft, open(draft, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _sync_folder(self.path.parent)
        flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)
        try:
            self._file = os.open(self.path, flags)
        except OSError as error:
            raise PuppetError(f"cannot write '{self.path}': {error.strerror or error}") from None
        self._size = len(content)
        self._written_frame = max([self._end, *(given.frame for given in (*self.given, *self.upcoming))])

    def _append(self, text: str) -> None:
        assert self._file is not None
        content = text.encode()
        room = DISK_BLOCK - self._size % DISK_BLOCK
        if len(content) > room:  # a process that dies can tear a write between two blocks, never inside one
            content = b" " * (room - 1) + b"\n" + content
        try:
            while content:
                written = os.write(self._file, content)
                self._size += written
                content = content[written:]
            os.fsync(self._file)
        except OSError as error:
            self._close_file()  # the next command writes all of them anew
            raise PuppetError(f"cannot write '{self.path}': {error.strerror or error}") from None

    def _close_file(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _sync_folder(folder: Path) -> None:
    """Makes a new file name durable, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
