"""Reads a script: parses each line on its own, so that no mistake hides another, and assembles the blocks."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from puppet.command import DEFAULT_FPS
from puppet.errors import PuppetError
from puppet.files.text_file import MAX_MISTAKES, MAX_SCRIPT_BYTES, shorten, split_lines
from puppet.files.uncollected import uncollected
from puppet.language import tree
from puppet.language.calculation import calculate
from puppet.language.mistake import Mistake
from puppet.language.parser import calculations_in, parse_alone, parse_like_others, words_in
from puppet.language.syntax_mistakes import BEHIND_VERBS, KEYWORDS, NEW_VERBS, SyntaxMistake
from puppet.language.tree import Atom, DefineStatement, RepeatStatement, Script, SourceFile, Span, Statement

MIN_FPS, MAX_FPS = 1e-3, 1e5
MAX_LINES = 100_000
LINES_A_MEGABYTE = 50_000
CALCULATIONS_A_MEGABYTE = 65_000  # and brackets
WORDS_A_MEGABYTE = 65_000  # and signs, of lines that are not like others before them: those are read faster
MAX_LINE = 2_000  # characters
MAX_NESTING = 50  # blocks in blocks
MAX_IMPORTS = 200  # files
FindImport = Callable[[str, str], tuple[str, str]]  # what a file imports, and that file's name: its own name and text


@uncollected
def read_script(text: str, name: str = "script", find_import: FindImport | None = None) -> Script:
    """Reads the text of a script. Syntax mistakes raise nothing: they are listed in the script.

    `find_import` finds the files that it imports, or raises a PuppetError.
    """
    return _ScriptReader(text, name, _Imports(find_import)).script()


class _Imports:
    """The files of a script so far."""

    def __init__(self, find_import: FindImport | None) -> None:
        self.find = find_import
        self.files: list[SourceFile] = []
        self.definitions: dict[str, dict[str, DefineStatement]] = {}  # of each file that was read, by its whole path
        self.open: list[str] = []  # the files that import each other, down to the one being read


class _Block:
    """A block that is still open."""

    def __init__(self, head: DefineStatement | RepeatStatement | None) -> None:
        self.head = head
        self.body: list[Statement] = []
        self.dropped = False  # a line in it could not be parsed


class _ScriptReader:
    """Reads one text."""

    def __init__(self, text: str, name: str, imports: _Imports) -> None:
        self._lines = tuple(split_lines(text.removeprefix("\ufeff")))
        self._imports = imports
        self._file = len(imports.files)
        self._source = SourceFile(name, self._lines)
        imports.files.append(self._source)
        self._mistakes: list[Mistake] = []
        self._definitions: dict[str, DefineStatement] = {}
        self._open = [_Block(None)]
        self._environment: Atom | None = None
        self._body: Atom | None = None
        self._fps: tree.FpsStatement | None = None
        self._text_size = len(text)
        megabytes = max(1, -(-self._text_size // 1_000_000))  # begun ones
        self._most_lines = min(MAX_LINES, LINES_A_MEGABYTE * megabytes)
        self._most_calculations = CALCULATIONS_A_MEGABYTE * megabytes
        self._most_words = WORDS_A_MEGABYTE * megabytes
        self._of_its_size = f", the most that {megabytes} MB may have"

    def script(self) -> Script:
        if self._text_size > MAX_SCRIPT_BYTES:
            self._add(self._at(1), f"the script is larger than {MAX_SCRIPT_BYTES // 1_000_000} MB")
        elif len(self._lines) > self._most_lines:
            message = f"the script has more than {self._most_lines} lines{self._of_its_size}"
            self._add(self._at(self._most_lines + 1), message)
        else:
            self._imports.open.append(os.path.abspath(self._source.name))
            self._read_lines()
            self._imports.open.pop()
        self._imports.definitions[os.path.abspath(self._source.name)] = self._definitions
        order = {file.name: n for n, file in enumerate(self._imports.files)}
        return Script(
            tuple(self._imports.files),
            tuple(self._open[0].body),
            self._definitions,
            tuple(sorted(self._mistakes, key=lambda m: (order.get(m.file, 0), m.line, m.column))),
            self._environment.text if self._environment else None,
            _fps(self._fps),
            self._body.text if self._body else None,
        )

    def _read_lines(self) -> None:
        calculations = words = 0
        for number, line in enumerate(self._lines, 1):
            if len(self._mistakes) >= MAX_MISTAKES:
                self._add(self._at(number), "too many mistakes: the rest was not read")
                return
            if not line or line.isspace():
                continue
            if len(line) > MAX_LINE:
                self._add(self._at(number, MAX_LINE), f"the line has more than {MAX_LINE} characters")
                self._open[-1].dropped = True
                continue
            calculations += calculations_in(line)
            if calculations > self._most_calculations:
                self._stop(number, f"{self._most_calculations} calculations and brackets")
                return
            found: Statement | SyntaxMistake | None = parse_like_others(line, number, self._file)
            if found is None:
                words += words_in(line)
                if words > self._most_words:
                    self._stop(number, f"{self._most_words} words and signs in lines that are not like others")
                    return
                found = parse_alone(line, number, self._file)
            if isinstance(found, SyntaxMistake):
                self._add(found.place, found.message, found.hint)
                self._recover(line, number)
            elif found is not None:
                self._take(found)
        for block in self._open[:0:-1]:
            head = block.head
            assert head is not None
            word = "define" if isinstance(head, DefineStatement) else "repeat"
            if len(self._mistakes) < MAX_MISTAKES:
                self._add(head.place, f"this '{word}' is never closed", "write 'end' behind its last line")
            block.dropped = True
            self._close()

    def _stop(self, number: int, what: str) -> None:
        """Tells that there is more of something than can be read in a moment."""
        self._add(self._at(number), f"the script has more than {what}{self._of_its_size}: the rest was not read")

    def _recover(self, line: str, number: int) -> None:
        """A broken head still opens its block, or its 'end' would seem to be one too many."""
        self._open[-1].dropped = True
        word = line.split()[0].lower() if line.split() else ""
        place = self._at(number, line.index(line.lstrip()[:1]) + 1, len(word))
        nameless = Atom("", "word", place)
        if word == "define":
            self._push(DefineStatement(place, nameless, ()))
            self._open[-1].dropped = True
        elif word == "repeat":
            self._push(RepeatStatement(place, Atom("1", "number", place)))
            self._open[-1].dropped = True
        elif word == "end" and len(self._open) > 1:
            self._close()

    def _take(self, statement: Statement) -> None:
        block = self._open[-1]
        if isinstance(statement, (DefineStatement, RepeatStatement)):
            self._push(statement)
        elif isinstance(statement, tree.EndStatement):
            if len(self._open) == 1:
                self._add(statement.place, "this 'end' closes nothing", "only 'define' and 'repeat' open a block")
            else:
                self._close()
        elif isinstance(statement, tree.EnvironmentStatement) and self._once(statement, self._environment):
            self._environment = statement.path
            block.body.append(statement)
        elif isinstance(statement, tree.BodyStatement) and self._once(statement, self._body):
            self._body = statement.path
            block.body.append(statement)
        elif isinstance(statement, tree.FpsStatement) and self._once(statement, self._fps):
            self._fps = statement
            block.body.append(statement)
        elif isinstance(statement, tree.ImportStatement):
            self._import(statement)
        elif not isinstance(statement, (tree.EnvironmentStatement, tree.BodyStatement, tree.FpsStatement)):
            if isinstance(statement, tree.LetStatement):
                self._check_word(statement.name, "value")
            block.body.append(statement)

    def _import(self, statement: tree.ImportStatement) -> None:
        """Takes over the definitions of another file."""
        imports, path = self._imports, statement.path
        if len(self._open) > 1:
            self._add(statement.place, "'import' holds for the whole script and cannot stand in a block")
            return
        if imports.find is None:
            self._add(path.place, "there is no file here that could be imported from")
            return
        try:
            name, text = imports.find(path.text, self._source.name)
        except PuppetError as error:
            self._add(path.place, str(error).splitlines()[0])
            return
        key = os.path.abspath(name)
        if key in imports.open:
            names = (*imports.open[imports.open.index(key) :], key)
            way = ", which imports ".join(f"'{os.path.basename(each)}'" for each in names[1:])
            self._add(path.place, f"imports go in a circle: this imports {way}")
            return
        if key not in imports.definitions:
            if len(imports.files) > MAX_IMPORTS:
                self._add(path.place, f"the script imports more than {MAX_IMPORTS} files")
                return
            self._mistakes += _ScriptReader(text, name, imports).script().mistakes
        for word, definition in imports.definitions[key].items():
            known = self._definitions.setdefault(word, definition)
            if known is not definition:
                first = imports.files[known.place.file].name
                message = f"'{shorten(path.text)}' defines '{shorten(word)}' a second time"
                self._add(path.place, message, f"first in line {known.place.line} of {first}")

    def _once(self, statement: Statement, earlier: Statement | Atom | None) -> bool:
        """Whether a statement about the whole script is outside of blocks and the first of its kind."""
        words = {tree.EnvironmentStatement: "environment", tree.BodyStatement: "body"}
        word = words.get(type(statement), "fps")
        if len(self._open) > 1:
            self._add(statement.place, f"'{word}' holds for the whole script and cannot stand in a block")
        elif earlier is not None:
            self._add(statement.place, f"'{word}' stands here a second time", f"first in line {earlier.place.line}")
        else:
            return True
        return False

    def _push(self, head: DefineStatement | RepeatStatement) -> None:
        if isinstance(head, DefineStatement) and len(self._open) > 1:
            message = "a definition cannot stand inside another block"
            self._add(head.place, message, "write it before or after that block")
        if len(self._open) == MAX_NESTING + 1:
            self._add(head.place, f"blocks are nested more than {MAX_NESTING} deep")
        if isinstance(head, RepeatStatement) and head.variable is not None:
            self._check_word(head.variable, "number")
        self._open.append(_Block(head))

    def _close(self) -> None:
        block = self._open.pop()
        head = block.head
        assert head is not None
        outer = self._open[-1]
        if not block.body and not block.dropped:
            word = "define" if isinstance(head, DefineStatement) else "repeat"
            self._add(head.place, f"there is nothing between this '{word}' and its 'end'")
        outer.dropped |= block.dropped
        whole = replace(head, body=tuple(block.body))
        if isinstance(whole, RepeatStatement):
            if len(self._open) <= MAX_NESTING:
                outer.body.append(whole)
            else:
                outer.dropped = True
        elif whole.name.text:
            self._define(whole)

    def _define(self, definition: DefineStatement) -> None:
        name = definition.name
        self._check_word(name, "definition")
        if name.text in self._definitions:
            first = self._definitions[name.text].place
            where = f" of {self._imports.files[first.file].name}" if first.file != self._file else ""
            message = f"'{shorten(name.text)}' is defined a second time"
            self._add(name.place, message, f"first in line {first.line}{where}")
            return
        seen: set[str] = set()
        for parameter in definition.parameters:
            self._check_word(parameter, "parameter")
            if parameter.text in seen:
                self._add(parameter.place, f"the parameter '{shorten(parameter.text)}' stands here twice")
            seen.add(parameter.text)
        self._definitions[name.text] = definition

    def _check_word(self, name: Atom, what: str) -> None:
        if name.text in KEYWORDS and name.text not in (*NEW_VERBS, *BEHIND_VERBS):
            self._add(name.place, f"'{name.text}' is a word of the language; a {what} needs another name")
        elif name.text[0].isdigit():
            self._add(name.place, f"'{shorten(name.text)}' cannot be the name of a {what}: it begins with a digit")

    def _add(self, place: Span, message: str, hint: str = "") -> None:
        self._mistakes.append(self._source.mistake(place, message, hint))

    def _at(self, line: int, column: int = 1, length: int = 1) -> Span:
        return Span(line, column, length, self._file)


def _fps(statement: tree.FpsStatement | None) -> float:
    """The frame rate of a script; mistakes in it are reported by the checker."""
    found = None if statement is None else calculate(statement.value, {})
    if found is not None and not found.seconds and found.low == found.high and MIN_FPS <= found.low <= MAX_FPS:
        return found.low
    return DEFAULT_FPS
