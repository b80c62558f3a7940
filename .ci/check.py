"""Everything that is checked before a change counts, on every system the same: `python .ci/check.py [STEP ...]`.

The steps: style, types, tests, package. The last one builds sdist and wheel, installs the wheel into a fresh virtual
environment, and uses it from an empty folder, as a user would.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Folders whose files, besides Python modules, a user needs; and where they are in the wheel.
DATA = {"puppet": "puppet", "environments": "puppet/data/environments", "scripts": "puppet/data/scripts",
        "spaces": "puppet/data/spaces", "tracks": "puppet/data/tracks"}
FILES = ("cafe.bvh", "cafe.glb", "cafe.json")  # of the demonstration


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> None:
    print("+", *command, flush=True)
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} if cwd != ROOT else os.environ
    subprocess.run([str(word) for word in command], cwd=cwd, env={**clean, **environment}, check=True)


def style() -> None:
    run(sys.executable, "-m", "ruff", "check", ".")


def types() -> None:
    run(sys.executable, "-m", "mypy")


def tests() -> None:
    run(sys.executable, "-m", "pytest", "-n", "auto", "--dist", "worksteal")  # neighbours share what is costly to make


def data_files() -> set[str]:
    """The files that the wheel must hold besides Python modules."""
    made = {".py", ".pyc", ".nbi", ".nbc", ".stamp"}  # modules, and what Python and numba make of them
    return {
        f"{there}/{path.relative_to(ROOT / here).as_posix()}"
        for here, there in DATA.items()
        for path in (ROOT / here).rglob("*")
        if path.is_file() and path.suffix not in made
    }


def package() -> None:
    # on Windows a file that is in use cannot be removed, and kernels may still be compiling in the background
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        run(sys.executable, "-m", "build", "--outdir", folder / "dist", ROOT)  # the wheel is built from the sdist
        (wheel,) = (folder / "dist").glob("*.whl")
        missing = data_files() - set(zipfile.ZipFile(wheel).namelist())
        if missing:
            sys.exit(f"the wheel lacks {', '.join(sorted(missing))}")
        venv.create(folder / "venv", with_pip=True)
        scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        run(scripts / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, cwd=folder)
        use = folder / "empty folder"
        use.mkdir()
        run(scripts / "puppet", "--version", cwd=use)
        run(scripts / "puppet", "list", cwd=use)
        run(scripts / "puppet", "check", "coffee", cwd=use)
        run(scripts / "puppet", "demo", "-o", *FILES, cwd=use)
        run(scripts / "puppet", "explain", "coffee", "-o", "timeline.svg", "timeline.png", cwd=use)
        lacking = {*FILES, "timeline.svg", "timeline.png"} - {path.name for path in use.iterdir()}
        if lacking:
            sys.exit(f"not written: {', '.join(sorted(lacking))}")


STEPS = {"style": style, "types": types, "tests": tests, "package": package}


def main(names: list[str]) -> int:
    unknown = set(names) - set(STEPS)
    if unknown:
        print(f"unknown step: {', '.join(sorted(unknown))}; known: {', '.join(STEPS)}", file=sys.stderr)
        return 2
    for name in names or STEPS:
        begin = time.monotonic()
        try:
            STEPS[name]()
        except subprocess.CalledProcessError as error:
            print(f"{name}: failed with exit status {error.returncode}", file=sys.stderr)
            return 1
        print(f"{name}: good, {time.monotonic() - begin:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
