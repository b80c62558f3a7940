"""What stands in the pages of the documentation: blocks of code, pictures and links, for tests and `make_pictures.py`.

A block says what it is behind its fence, and may have a name and words for the test that runs it:

    puppet tidy.puppet       a script, kept under that name for the blocks below
    puppet x.puppet mistakes one that is wrong on purpose
    puppet x.puppet edit     one that edits a clip: a command of the page runs it
    sh exits 3               command lines, and the exit status of the last one
    output                   what the block above says; "..." stands for lines that are left out

A picture has the command that makes it in a comment above it; "-" is the script above.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_FENCE = re.compile(r"^```(.*)$")
_COMMENT = re.compile(r"^<!-- (.*) -->$")
_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """Code between fences. `line` is that of the first fence."""

    kind: str
    name: str | None
    words: tuple[str, ...]
    text: str
    line: int

    @property
    def file_name(self) -> str:
        return self.name or f"line_{self.line}.{self.kind}"


@dataclass(frozen=True)
class Picture:
    """A picture, the words of the command that makes it, and the script that "-" stands for."""

    path: Path
    line: int
    recipe: tuple[str, ...] | None
    script: Block | None


@dataclass(frozen=True)
class Page:
    """A page as it was read; `indented` are lines of code without a fence."""

    path: Path
    blocks: tuple[Block, ...]
    pictures: tuple[Picture, ...]
    links: tuple[tuple[int, str], ...]
    headings: frozenset[str]
    indented: tuple[int, ...]

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()


@dataclass
class _Reader:
    path: Path
    blocks: list[Block] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    links: list[tuple[int, str]] = field(default_factory=list)
    headings: set[str] = field(default_factory=set)
    indented: list[int] = field(default_factory=list)

    def read(self) -> Page:
        lines = self.path.read_text(encoding="utf-8").splitlines()
        numbered = iter(enumerate(lines, 1))
        before = ""
        recipe = None
        for number, line in numbered:
            if fence := _FENCE.match(line):
                self.blocks.append(_block(fence[1], number, numbered))
            elif line.startswith("    ") and not before.strip():
                self.indented.append(number)
            elif line.startswith("#"):
                self.headings.add(anchor(line.lstrip("# ")))
            for found in _PICTURE.finditer(line):
                self.pictures.append(self._picture(found[1], number, recipe))
            self.links += [(number, target) for target in _LINK.findall(line)]
            comment = _COMMENT.match(line)
            recipe = tuple(shlex.split(comment[1])) if comment else None
            before = line
        return Page(
            self.path, tuple(self.blocks), tuple(self.pictures), tuple(self.links), frozenset(self.headings),
            tuple(self.indented),
        )  # fmt: skip

    def _picture(self, target: str, line: int, recipe: tuple[str, ...] | None) -> Picture:
        script = next((block for block in reversed(self.blocks) if block.kind == "puppet"), None)
        return Picture((self.path.parent / target).resolve(), line, recipe, script)


def _block(info: str, line: int, numbered: Iterator[tuple[int, str]]) -> Block:
    kind, *words = info.split() or [""]
    name = words.pop(0) if words and "." in words[0] else None
    text = []
    for _, inner in numbered:
        if inner == "```":
            return Block(kind, name, tuple(words), "\n".join(text) + "\n", line)
        text.append(inner)
    raise ValueError(f"line {line}: the block does not end")


def anchor(heading: str) -> str:
    """What a heading is called in a link."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def read(path: Path) -> Page:
    return _Reader(path).read()


def pages() -> list[Page]:
    """README, CONTRIBUTING, and all of docs/."""
    paths = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
    return [read(path) for path in paths]
