"""A file of any kind in; its mistakes, everything that a script names, or the same in another format, out."""

from __future__ import annotations

from puppet.tools.checking import check_file, check_hints, check_text
from puppet.tools.conversion import CONVERSIONS, convert, convert_file, left_out
from puppet.tools.open_script import open_script

__all__ = [
    "CONVERSIONS",
    "check_file",
    "check_hints",
    "check_text",
    "convert",
    "convert_file",
    "left_out",
    "open_script",
]
