"""`puppet list`: the files shipped with puppet."""

from __future__ import annotations

import argparse

from puppet.cli import status
from puppet.cli.context import Context
from puppet.files import shipped
from puppet.files.text_file import read_text

SUMMARY = "what comes with puppet: scripts, tracks, spaces, environments, gestures, bodies"
DESCRIPTION = """\
List what comes with puppet. Every name can be given to the other commands as it stands here.

    puppet list                              everything
    puppet list scripts                      the scripts only
    puppet list --folder scripts             where they lie, to copy one and change it
"""
_KINDS = ("scripts", "tracks", "spaces", "environments", "gestures", "bodies")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", nargs="?", choices=_KINDS, metavar="KIND", help=", ".join(_KINDS))
    parser.add_argument("--folder", action="store_true", help="print the folders instead")


def execute(arguments: argparse.Namespace, context: Context) -> int:
    out = context.out
    kinds = (arguments.kind,) if arguments.kind else _KINDS
    for kind in kinds:
        if arguments.folder:
            out.say(str(shipped.folder(kind)))
            continue
        if len(kinds) > 1:
            out.say(out.paint(kind, "bold"))
        found = _gestures() if kind == "gestures" else [(name, _title(kind, name)) for name in shipped.names(kind)]
        width = max((len(name) for name, _ in found), default=0)
        for name, title in found:
            line = f"  {name:{width}}  {title}".rstrip()
            out.say(line[: out.width] if out.watched else line)
    return status.ALL_DONE


def _title(kind: str, name: str) -> str:
    """The first sentence of the comment at the top of a file."""
    comment = []
    for line in read_text(shipped.folder(kind) / name).splitlines():
        if not line.startswith("#"):
            break
        comment.append(line.lstrip("# ").strip())
    text = " ".join(comment)
    return text.partition(". ")[0].removesuffix(".")


def _gestures() -> list[tuple[str, str]]:
    """Gestures by name, as scripts refer to them, not their files. Each is defined for the left hand."""
    from puppet.body import Body
    from puppet.tasks import load_gestures

    found = load_gestures(Body.load())
    return [(name, f"needs the {gesture.critical.removeprefix('left ')}") for name, gesture in sorted(found.items())]
