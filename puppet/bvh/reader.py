"""Reads BVH files of any program as clips."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from puppet.bvh.clip import CHANNELS, BvhClip, ClipJoint
from puppet.errors import FileError, did_you_mean
from puppet.files.inputs import note_input
from puppet.types import Floats, Vector

MAX_MAGNITUDE = 1e12  # of a number; a larger one is a mistake, and would overflow
MAX_BVH_BYTES = 500_000_000
_PIECE_CHARACTERS = 1_000_000
_SPACE = re.compile(r"\s")
_WORD = re.compile(r"[^\s{}]+|[{}]")
_NAME = re.compile(r"[^\n\r{}]*")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)
_FRAMES = re.compile(r"frames\s*:?\s*([^\s:]\S*)?", re.IGNORECASE)
_FRAME_TIME = re.compile(r"frame\s*time\s*:?\s*([^\s:]\S*)?", re.IGNORECASE)
_CHANNELS = {name.lower(): name for name in CHANNELS}
_IN_JOINT = ("OFFSET", "CHANNELS", "JOINT", "End Site", "}")


def read_bvh(path: str | Path) -> BvhClip:
    """Reads a BVH file. Mistakes are reported with file, line and column."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            note_input(file.fileno())
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # a device has no end
                raise FileError(f"cannot read '{path}': it is no file")
            content = file.read(MAX_BVH_BYTES + 1)
        if len(content) > MAX_BVH_BYTES:
            raise FileError(f"{path}: larger than {MAX_BVH_BYTES // 1_000_000} megabytes")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"cannot read '{path}': {reason}") from None
    return parse_bvh(_decoded(content), str(path))


def parse_bvh(text: str, source: str = "<text>") -> BvhClip:
    """A clip from the text of a BVH file; `source` is its name in messages."""
    return _BvhReader(text, source).clip()


def _decoded(content: bytes) -> str:
    """Text in any of the encodings that programs use for names."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


@dataclass
class _OpenJoint:
    """A joint that is being read."""

    name: str
    parent: int
    at: int  # position in the text
    offset: Vector | None = None
    channels: tuple[str, ...] | None = None
    ends: list[Vector] = field(default_factory=list)


class _BvhReader:
    """Reads the text once, from start to end."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._at = 0  # position up to which the text is read
        self._joints: list[_OpenJoint] = []

    def clip(self) -> BvhClip:
        word, at = self._word()
        if word.lower() != "hierarchy":
            raise self._error(at, f"this is no BVH file: it starts with {_quoted(word)}, not with HIERARCHY")
        word, at = self._word()
        while word.lower() == "root":
            self._skeleton(at)
            word, at = self._word()
        if not self._joints:
            raise self._error(at, f"expected ROOT, found {_quoted(word)}")
        if word.lower() != "motion":
            raise self._error(at, f"expected MOTION after the skeleton, found {_quoted(word)}")
        motion_at = at
        frames, time, frames_at = self._header()
        joints = [
            ClipJoint(j.name, j.parent, j.offset or (0.0, 0.0, 0.0), j.channels or (), tuple(j.ends))
            for j in self._joints
        ]
        width = sum(len(joint.channels) for joint in joints)
        if width == 0:
            raise self._error(motion_at, "no joint has a channel, so there is no motion")
        return BvhClip.of(joints, time, self._values(frames, width, frames_at))

    # ---- skeleton

    def _skeleton(self, at: int) -> None:
        """A root and all joints below it, without recursion: skeletons may be deep."""
        way = [self._begin(-1, at)]
        while way:
            joint = self._joints[way[-1]]
            name = _shortened(joint.name)
            word, at = self._word()
            match word.lower():
                case "offset":
                    if joint.offset is not None:
                        raise self._error(at, f"'{name}' has a second OFFSET")
                    joint.offset = self._vector("OFFSET")
                case "channels":
                    if joint.channels is not None:
                        raise self._error(at, f"'{name}' has a second CHANNELS")
                    joint.channels = self._channels()
                case "joint":
                    way.append(self._begin(way[-1], at))
                case "end" | "endsite" | "end_site":
                    joint.ends.append(self._end_site())
                case "}":
                    if joint.offset is None:
                        raise self._error(joint.at, f"'{name}' has no OFFSET")
                    way.pop()
                case "":
                    raise self._error(at, f"the file ends inside '{name}': expected {'}'}")
                case _:
                    expected = f"expected one of {', '.join(_IN_JOINT)} in '{name}'"
                    hint = did_you_mean(word.upper(), _IN_JOINT)
                    raise self._error(at, f"{expected}, found {_quoted(word)}; {hint}")

    def _begin(self, parent: int, at: int) -> int:
        name = self._name()
        if not name:
            raise self._error(at, "a joint needs a name")
        self._expect("{", f"after the name '{_shortened(name)}'")
        self._joints.append(_OpenJoint(name, parent, at))
        return len(self._joints) - 1

    def _end_site(self) -> Vector:
        self._name()  # "Site", and the name that some programs give it
        self._expect("{", "after End Site")
        end: Vector = (0.0, 0.0, 0.0)
        while True:
            word, at = self._word()
            if word.lower() == "offset":
                end = self._vector("OFFSET")
            elif word.lower() == "channels":
                if self._channels():
                    raise self._error(at, "an End Site has no channels")
            elif word == "}":
                return end
            else:
                raise self._error(at, f"expected OFFSET or {'}'} in End Site, found {_quoted(word)}")

    def _channels(self) -> tuple[str, ...]:
        word, count_at = self._word()
        if not re.fullmatch(r"\d{1,4}", word, re.ASCII):
            raise self._error(count_at, f"expected the number of channels, found {_quoted(word)}")
        found: list[str] = []
        while True:
            before = self._at
            name, at = self._word()
            known = _CHANNELS.get(name.lower())
            if known is None:
                if len(found) < int(word) and name.lower().endswith(("position", "rotation", "scale")):
                    raise self._error(at, f"unknown channel {_quoted(name)}; {did_you_mean(name, CHANNELS)}")
                self._at = before
                break
            found.append(known)
        if len(found) != int(word):
            raise self._error(count_at, f"CHANNELS says {word}, but {len(found)} follow")
        return tuple(found)

    # ---- motion

    def _header(self) -> tuple[int, float, int]:
        """The number of frames, the time of one, and the position of that number."""
        frames, time, frames_at = None, None, self._at
        while frames is None or time is None:
            self._skip_space()
            at = self._at
            if found := _FRAME_TIME.match(self._text, at):
                told = "seconds above 0, from 0.0001 to 100"
                time = self._header_number(found, "Frame Time", lambda x: 1e-4 <= x <= 100.0, told)
            elif found := _FRAMES.match(self._text, at):
                frames_at = at
                frames = int(self._header_number(found, "Frames", lambda x: x == int(x) >= 0, "a whole number"))
            else:
                missing = "'Frames:'" if frames is None else "'Frame Time:'"
                raise self._error(at, f"expected {missing}, found {_quoted(self._word()[0])}")
        return frames, time, frames_at

    def _header_number(self, found: re.Match[str], name: str, fits: Callable[[float], bool], wanted: str) -> float:
        word = found.group(1) or ""
        at = found.start(1) if word else found.end()
        value = self._number(word, at, f"after {name}")
        if not fits(value):
            raise self._error(at, f"{name} must be {wanted}, not {_quoted(word)}")
        self._at = found.end()
        return value

    def _values(self, frames: int, width: int, frames_at: int) -> Floats:
        """All numbers up to the end of the file: rows may be broken into several lines."""
        pieces: list[Floats] = []
        for start, end in self._pieces():
            piece = self._text[start:end]
            try:
                numbers = np.array(piece.split(), dtype=np.float64)
                plain = piece.isascii() and "_" not in piece and bool((np.abs(numbers) <= MAX_MAGNITUDE).all())
            except (ValueError, OverflowError):
                plain = False
            if not plain:  # one by one, to find where
                words = re.finditer(r"\S+", piece)
                numbers = np.array([self._number(w.group(), start + w.start(), "in a frame") for w in words])
            pieces.append(numbers)
        values = np.concatenate(pieces) if pieces else np.empty(0)
        # More frames than promised are accepted, as in Blender: some programs count one too few. Fewer mean that the
        # file was cut off.
        if len(values) % width or len(values) < frames * width:
            raise self._miscounted(frames, width, len(values), frames_at)
        return values.reshape(-1, width)

    def _pieces(self) -> Iterator[tuple[int, int]]:
        """The rest of the text in pieces that end between words: split at once it would take ten times the memory."""
        start = self._at
        while start < len(self._text):
            found = _SPACE.search(self._text, min(start + _PIECE_CHARACTERS, len(self._text)))
            end = len(self._text) if found is None else found.end()
            yield start, end
            start = end

    def _miscounted(self, frames: int, width: int, count: int, frames_at: int) -> FileError:
        """An error at the first line with a wrong count of numbers, else at the number of frames."""
        if count % width:
            for found in re.finditer(r"[^\r\n]*\S[^\r\n]*", self._text[self._at :]):
                numbers = len(found.group().split())
                if numbers != width:
                    at = self._at + found.start() + len(found.group()) - len(found.group().lstrip())
                    return self._error(at, f"this frame has {numbers} numbers; the skeleton has {width} channels")
        there = f"{count // width} frames" if count % width == 0 else f"{count} numbers, which is no whole frame,"
        return self._error(frames_at, f"{frames} frames of {width} numbers are promised here, but {there} follow")

    # ---- words and places

    def _skip_space(self) -> None:
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1

    def _word(self) -> tuple[str, int]:
        """The next word or bracket, "" at the end, and its position."""
        found = _WORD.search(self._text, self._at)
        if found is None:
            self._at = len(self._text)
            return "", len(self._text.rstrip())
        self._at = found.end()
        return found.group(), found.start()

    def _name(self) -> str:
        """The rest of the line up to a bracket: some programs write names with spaces."""
        found = _NAME.match(self._text, self._at)
        assert found is not None  # it matches nothing at least
        self._at = found.end()
        return " ".join(found.group().split())

    def _expect(self, bracket: str, where: str) -> None:
        word, at = self._word()
        if word != bracket:
            raise self._error(at, f"expected {bracket} {where}, found {_quoted(word)}")

    def _vector(self, what: str) -> Vector:
        x, y, z = (self._number(*self._word(), f"after {what}") for _ in range(3))
        return x, y, z

    def _number(self, word: str, at: int, where: str) -> float:
        if not _NUMBER.match(word):
            raise self._error(at, f"expected a number {where}, found {_quoted(word)}")
        value = float(word)
        if not abs(value) <= MAX_MAGNITUDE:
            raise self._error(at, f"this number is beyond all measure: {_quoted(word)}")
        return value

    def _error(self, at: int, message: str) -> FileError:
        lines = self._text[:at].splitlines() or [""]
        if self._text[:at].endswith(("\n", "\r")):
            lines.append("")
        column = len(lines[-1])
        line = (self._text[at - column : at + 200].splitlines() or [""])[0]
        start = max(0, column - 60)  # lines of numbers are long
        shown = line[start : column + 60].replace("\t", " ")
        caret = " " * (column - start) + "^"
        return FileError(f"{self._source}:{len(lines)}:{column + 1}: {message}\n  {shown}\n  {caret}")


def _shortened(word: str) -> str:
    return word if len(word) <= 40 else word[:37] + "..."


def _quoted(word: str) -> str:
    return f"'{_shortened(word)}'" if word else "the end of the file"
