"""What `import puppet` loads, and what the first posture of an installation says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from puppet.kernels.loader import GROUPS

ROOT = Path(__file__).parent.parent
HEAVY = ["numba", "llvmlite", "scipy", "pygame", "OpenGL", "matplotlib"]
NOTICE = "compiling the posture generator"
SOLVE = """\
import puppet
body = puppet.Body.load("seated")
posture = puppet.solve_posture(body, left=puppet.HandGoal([0.2, 0.7, 0.3]), table=puppet.Table(0.6, 0.2))
print(posture.solved, posture.angles.tobytes().hex())
"""


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Code in a fresh Python that finds puppet here."""
    everything = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        [sys.executable, "-c", code], env=everything, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )


def test_import_loads_nothing_heavy() -> None:
    loaded = run(f"import sys, puppet; print([name for name in {HEAVY} if name in sys.modules])")
    assert loaded.stdout.strip() == "[]"
    assert loaded.stderr == ""


def test_loading_a_body_and_making_goals_load_nothing_heavy() -> None:
    code = "import sys, puppet; puppet.Body.load(); puppet.HandGoal([0, 1, 0]); puppet.Table(0.6, 0.2); "
    loaded = run(code + f"print([name for name in {HEAVY} if name in sys.modules])")
    assert loaded.stdout.strip() == "[]"


def test_import_is_quick() -> None:
    code = "import numpy, yaml, time; start = time.process_time(); import puppet; print(time.process_time() - start)"
    assert min(float(run(code).stdout) for _ in range(3)) < 0.25  # seconds, besides what it cannot do without


@pytest.mark.slow
def test_the_first_posture_of_an_installation_compiles_what_it_needs_and_says_so(tmp_path: Path) -> None:
    first = run(SOLVE, NUMBA_CACHE_DIR=str(tmp_path))
    assert first.stderr.count(NOTICE) == 1
    assert len(first.stderr.splitlines()) == 1  # and nothing else
    second = run(SOLVE, NUMBA_CACHE_DIR=str(tmp_path))
    assert second.stderr == ""
    assert second.stdout == first.stdout
    assert second.stdout.startswith("True")
    stamps = {path.stem.removeprefix("puppet-") for path in tmp_path.rglob("puppet-*.stamp")}
    assert stamps == set(GROUPS["posture"])  # and nothing that was not needed


def test_every_kernel_is_compiled_for_one_kind_of_arguments() -> None:
    """A second kind, say of a read-only array, would be compiled in the midst of a performance."""
    code = """\
import puppet
from puppet.kernels.loader import JOBS
from puppet.kernels import entries
for name in ("coffee", "two_hands", "11_from_hand_to_hand", "09_change_of_mind", "12_refused"):
    puppet.run(f"scripts/{name}.puppet").joint_transforms
puppet.run("scripts/01_first_reach.puppet", draft=True)
puppet.run('environment "blocks.yaml"\\nreach yellow with tail', body="hugger")  # its limb has no closed form
puppet.solve_posture(puppet.Body.load("seated"), left=puppet.HandGoal([0.2, 0.75, 0.35]), table=puppet.Table(0.6, 0.0))
figure = puppet.Figure(puppet.Body.load("person"))
figure.pin("left_foot")
figure.drag("head", by=(0.0, -0.05, 0.05), steps=2)
figure.hold("apart", puppet.Function(lambda p, q: p - q, (0.3, 0.0, 0.0), of=("left_hand", "right_hand")))
figure.settle()
assert figure.residuals["apart"] < 1e-6
seldom = ("thesis", "score", "track", "clip", "dynamics", "filter", "fall", "space")
names = [name for job, names in JOBS.items() if job not in seldom for name in names]
print({len(getattr(entries, name).signatures) for name in names})
"""
    assert run(code).stdout.strip() == "{1}"
