"""Makes the pictures of all pages: python docs/make_pictures.py [WORD ...]

Each picture's command stands in a comment above it. With words, only pictures whose names have one of them are made.
Those of `benchmarks` need `pip install -e ".[bench]"`; without a graphics card, all of them take some minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from docs.pages import Page, Picture, pages  # noqa: E402


def command(picture: Picture) -> list[str]:
    """The command line that makes a picture; it runs in a folder that has the scripts of its page."""
    assert picture.recipe is not None
    program, *words = picture.recipe
    if program == "python" and words[0] != "-m":  # a script that makes several, and knows their names
        return [sys.executable, str(ROOT / words[0]), *words[1:]]
    if program == "python":
        return [sys.executable, *words, str(picture.path)]
    script = picture.script.file_name if picture.script else ""
    words = [script if word == "-" else word for word in words]
    return [sys.executable, "-m", program, *words, "-o", str(picture.path)]


def write_blocks(page: Page, folder: Path) -> None:
    """The scripts and YAML files that stand in a page."""
    for block in page.blocks:
        if block.kind in ("puppet", "yaml", "keys"):
            (folder / block.file_name).write_text(block.text, encoding="utf-8")


def make(page: Page, picture: Picture) -> None:
    print(f"{page.name}:{picture.line}: {picture.path.relative_to(ROOT)}", flush=True)
    picture.path.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        write_blocks(page, Path(name))
        done = subprocess.run(command(picture), cwd=name, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    if done.returncode not in (0, 3):  # 3: carried out, but a task was refused, which may be what is shown
        sys.exit(f"{page.name}:{picture.line}: exit status {done.returncode}")


def main(words: list[str]) -> None:
    made: set[tuple[str, ...]] = set()
    for page in pages():
        for picture in page.pictures:
            wanted = not words or any(word in picture.path.name for word in words)
            if wanted and picture.recipe is not None and tuple(command(picture)) not in made:
                make(page, picture)
                made.add(tuple(command(picture)))


if __name__ == "__main__":
    main(sys.argv[1:])
