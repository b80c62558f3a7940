"""A take: the commands of a live performance with their frames, as a script that is safe on disk at every moment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from puppet.command import At, Command, SetFps, UseEnvironment
from puppet.errors import PuppetError
from puppet.files.atomic_write import atomic_path
from puppet.files.shipped import find
from puppet.language import format_command

BLOCK = 4096  # a write inside one block of the disk is there whole or not at all


@dataclass(frozen=True)
class Given:
    """A command and the frame at which it was given."""

    frame: int
    command: Command


class Take:
    """What was given so far. With a path, every command is on disk when `add` returns.

    `earlier` are commands of an earlier take that are still to be given: they stand in the script already, so that
    nothing of it is lost when this one ends early. Commands at one frame stand in the order in which they are given:
    those of the earlier take first.
    """

    def __init__(
        self, path: str | Path | None = None, environment: str | Path | None = None, fps: float = 30.0,
        earlier: Sequence[Given] = (), least: int = 0, remark: str = "",
    ) -> None:  # fmt: skip
        """`least`: the frame at which the earlier take ends. `remark`: a comment at the top of the script."""
        self.path = None if path is None else Path(path)
        self.fps = fps
        self.remark = remark
        self.environment = None if environment is None else _named(Path(environment), self.path)
        self.given: list[Given] = []
        self.earlier = tuple(earlier)
        self.passed = 0  # how many of them have been given
        self._least = self._end = least  # the frame that the script lasts at least to
        self._file: int | None = None
        self._size = 0
        self._told = 0  # the frame that the last `at` in the file says
        if self.path is not None:
            self.rewrite()

    def commands(self, end: int = 0) -> tuple[Command, ...]:
        """The whole script as commands, the environment left out; `end`: a frame that it lasts at least to."""
        end = max(end, self._end)
        found: list[Command] = [SetFps(fps=self.fps)]
        frame = 0
        for given in (*self.given, *self.ahead):
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
        lines = [f"# {self.remark}"] if self.remark else []
        if self.environment is not None:
            lines.append(format_command(UseEnvironment(path=self.environment)))
        return "".join(f"{line}\n" for line in (*lines, *map(format_command, self.commands())))

    def add(self, frame: int, commands: Sequence[Command]) -> None:
        """Commands are given together. They are on disk when this returns."""
        self._end = self._least
        self.given += (Given(frame, command) for command in commands)
        if self.path is None:
            return
        if frame < self._told or self._file is None:
            self.rewrite()
            return
        lines = [*commands] if frame == self._told else [At(frame=frame), *commands]
        self._append("".join(f"{format_command(line)}\n" for line in lines))
        self._told = frame

    @property
    def ahead(self) -> tuple[Given, ...]:
        """What is still to come of the earlier take."""
        return self.earlier[self.passed :]

    def next_at(self, frame: int) -> Given | None:
        """The next command of the earlier take, given now if its frame has come. The script has it already."""
        if self.passed == len(self.earlier) or self.earlier[self.passed].frame > frame:
            return None
        self.given.append(self.earlier[self.passed])
        self.passed += 1
        return self.given[-1]

    def back_to(self, count: int, passed: int) -> None:
        """Only the first `count` commands happened, with so many of the earlier take among them."""
        del self.given[count:]
        self.passed = passed
        self._end = self._least
        if self.path is not None:
            self.rewrite()

    def close(self, frame: int) -> None:
        """The performance ends at a frame: the script says so, and is as long."""
        self._end = max(self._least, frame)
        if self.path is not None:
            self.rewrite()
            self._close_file()

    # ---- the file

    def rewrite(self) -> None:
        """Writes the file anew: whole or not at all."""
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
        self._told = max([self._end, *(given.frame for given in (*self.given, *self.ahead))])

    def _append(self, text: str) -> None:
        assert self._file is not None
        content = text.encode()
        room = BLOCK - self._size % BLOCK
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


def _named(environment: Path, take: Path | None) -> str:
    """How a take names its environment, so that it is found again from the take's folder.

    By its name where that is enough, by the way from the take's folder where the two lie together, else by its path.
    """
    environment = environment.resolve()
    folder = Path() if take is None else take.parent
    with suppress(PuppetError):
        if find("environments", environment.name, folder).resolve() == environment:
            return environment.name
    with suppress(ValueError):  # on another drive there is no way from one to the other
        way = Path(os.path.relpath(environment, folder.resolve()))
        if way.parts[:3] != ("..",) * 3:
            return way.as_posix()
    return environment.as_posix()


def _sync_folder(folder: Path) -> None:
    """Makes a new name in a folder last, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
