"""Runs what stands in a page of the documentation, block by block, in one folder and with one set of Python names."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import puppet
from docs.pages import ROOT, Block, Page
from puppet import export
from puppet.cli import commands, main
from puppet.cli.parser import ParsedCommand, parse_arguments, subcommand_names
from puppet.cli.terminal import Terminal

WINDOW = ("perform", "play")  # open a window: their words are read, nothing is shown
FAILED = {"rejected", "missed"}


class PageRunner:
    """A page's folder and names. `run` raises where a block does not do what the page says."""

    def __init__(self, page: Page, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.page = page
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "page"}
        self.said = ""  # by the block before
        self.kinds: dict[str, Callable[[Block], None]] = {
            "python": self._python, "puppet": self._puppet, "yaml": self._yaml, "sh": self._sh, "output": self._output,
            "blender": self._blender, "lark": self._lark, "text": self._text,
        }  # fmt: skip
        for name in ("environments", "scripts", "tracks"):
            shutil.copytree(ROOT / name, folder / name)
        monkeypatch.chdir(folder)
        monkeypatch.syspath_prepend(folder)
        monkeypatch.setattr(export, "WRITERS", dict(export.WRITERS))
        monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(folder / "puppet" / "cli" / "commands")])
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("COLUMNS", "100")

    def run(self) -> None:
        assert not self.page.indented, f"code without a fence in lines {self.page.indented}: what kind is it?"
        for block in self.page.blocks:
            where = f"{self.page.name}:{block.line}"
            assert block.kind in self.kinds, f"{where}: no test knows how to run a block of kind '{block.kind}'"
            before, self.said = self.said, ""
            if block.kind == "output":
                self.said = before
            try:
                self.kinds[block.kind](block)
            except pytest.skip.Exception:
                raise
            except BaseException as error:
                error.add_note(f"in the block at {where}\n{self.said}")
                raise

    def _keep(self, block: Block) -> Path:
        path = self.folder / block.file_name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        return path

    def _python(self, block: Block) -> None:
        if block.name:  # a module: it is there for the blocks below
            compile(self._keep(block).read_text(encoding="utf-8"), block.name, "exec")
            return
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(block.text, f"{self.page.name}:{block.line}", "exec"), self.names)
        self.said = out.getvalue()

    def _puppet(self, block: Block) -> None:
        path = self._keep(block)
        if "mistakes" in block.words:
            assert self._command(["puppet", "check", path.name]) == 1
            return
        if "edit" in block.words:  # a command of the page carries it out
            return
        report = puppet.run(path).report
        refused = [task["reason"] for task in report["tasks"] if task["status"] in FAILED]
        assert bool(refused) == ("refused" in block.words), refused

    def _yaml(self, block: Block) -> None:
        self._keep(block)  # a command of the page says whether it is good; a test looks that there is one

    def _sh(self, block: Block) -> None:
        wanted = int(block.words[1]) if block.words[:1] == ("exits",) else 0
        for line in block.text.splitlines():
            for part in line.split(" && "):
                status = self._command(shlex.split(part, comments=True))
                assert status == wanted, f"{part}: exit status {status}"

    def _command(self, words: list[str]) -> int:
        if not words:
            return 0
        program = words[0].removeprefix(".venv/bin/")
        match program, *words[1:]:
            case "puppet", *rest if rest[0] in WINDOW:
                assert rest[0] in subcommand_names(), f"there is no 'puppet {rest[0]}'"
                return 0 if isinstance(parse_arguments(rest, Terminal(sys.stderr)), ParsedCommand) else 2
            case "puppet", *rest:
                out = io.StringIO()
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                    status = main(rest)
                self.said += out.getvalue()
                return status
            case "python3", "-m", "venv", ".venv":
                return 0
            case ("pip", "install", *rest) | ("python", "-m", "pip", "install", *rest):
                return _installs([word for word in rest if word not in ("-q", "-e", "--no-compile")])
            case "python", "-m", "pytest", *rest:
                paths = [word for word in rest if word.startswith("tests/")]
                return 0 if all((ROOT / path).exists() for path in paths) else 4
            case "python", "-m", module, *_:
                return 0 if importlib.util.find_spec(module) else 1
            case "python", script, *steps if script == ".ci/check.py":
                known = set(re.findall(r'^    "(\w+)": \w+,?$|"(\w+)": \w+[,}]', (ROOT / script).read_text("utf-8")))
                return 0 if set(steps) <= {name for pair in known for name in pair} else 2
            case "python", script, *_:
                return 0 if (ROOT / script).is_file() else 2
            case (("ruff" | "mypy"), *_):
                return 0 if importlib.util.find_spec(program) else 1
            case "apt-get", "install", *packages:
                wanted = (ROOT / ".ci" / "system-packages").read_text(encoding="utf-8")
                return 0 if all(re.search(rf"\b{package}\b", wanted) for package in packages) else 1
        raise AssertionError(f"no test knows how to run '{shlex.join(words)}'")

    def _output(self, block: Block) -> None:
        """All lines in this order; lines of the page between "..." follow each other."""
        said = [line.rstrip() for line in self.said.splitlines()]
        at = 0
        loose = True
        for line in block.text.splitlines():
            if line == "...":
                loose = True
                continue
            found = next((n for n in range(at, len(said)) if said[n] == line.rstrip()), None)
            assert found is not None, f"not said: {line}"
            assert loose or found == at, f"something is said before: {line}"
            at, loose = found + 1, False

    def _blender(self, block: Block) -> None:
        """Blender's Python: carried out where its module is installed."""
        ast.parse(block.text)
        if importlib.util.find_spec("bpy"):
            exec(compile(block.text, f"{self.page.name}:{block.line}", "exec"), {})

    def _lark(self, block: Block) -> None:
        assert block.text == (ROOT / "puppet" / "language" / "grammar.lark").read_text(encoding="utf-8")

    def _text(self, block: Block) -> None:
        """Formulas and drawings. What looks like a command is none."""
        assert not re.match(r"\s*(\$ |puppet |python|pip |import |from )", block.text), "this looks like code"


def _installs(targets: list[str]) -> int:
    """Whether what is to be installed is this folder, with extras that it has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for target in targets:
        match = re.fullmatch(r"\.(?:\[(\w+)\])?", target)
        if not match or (match[1] and match[1] not in project["optional-dependencies"]):
            return 1
    return 0
