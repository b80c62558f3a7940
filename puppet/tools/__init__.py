"""A file of any kind in; its mistakes, or the same in its other form, out."""

from __future__ import annotations

from puppet.tools.checking import check_file
from puppet.tools.conversion import WAYS, convert, convert_file

__all__ = [
    "WAYS",
    "check_file",
    "convert",
    "convert_file",
]
