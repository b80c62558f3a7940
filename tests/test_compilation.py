"""How kernels get compiled: when, where, by whom, and what happens when that is interrupted or does not work."""

from __future__ import annotations

import contextlib
import gc
import inspect
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

import puppet
from puppet import Body, HandGoal, Table, solve_posture
from puppet.kernels import cache_folder, entries, loader
from puppet.kernels.arguments import ARGUMENTS
from puppet.kernels.figure_step import step_at
from puppet.kernels.loader import GROUPS, JOBS
from puppet.types import Flags, Floats
from tests.test_loading import ROOT, SOLVE, run

posix = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
FORWARD = """\
import numpy as np, puppet
from puppet.body import joint_transforms
body = puppet.Body.load("seated")
angles = np.random.default_rng(1).uniform(-1, 1, body.dofs)
"""
PLACE = FORWARD + "print(joint_transforms(body, angles).tobytes().hex())\n"
TELL = "import logging; logging.basicConfig(level=logging.DEBUG); logging.getLogger('numba').setLevel('INFO')\n"
START = """\
from puppet.kernels import loader
loader.prepare("obstructed")
(worker,) = loader.kernels()._workers
print(worker._process.pid, flush=True)
"""


def stamps(cache: Path) -> set[str]:
    return {path.stem.removeprefix("puppet-") for path in cache.rglob("puppet-*.stamp")}


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        return not Path("/proc/self").exists()
    return state != "Z"


def wait_for_end(process: int, seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while is_alive(process) and time.monotonic() < end:
        time.sleep(0.05)
    return not is_alive(process)


@pytest.fixture(scope="module")
def placed() -> str:
    """Where a posture puts the joints, in hexadecimal, by the kernels as they are compiled here."""
    space: dict[str, object] = {}
    exec(PLACE.replace("print(", "found = ("), space)
    return str(space["found"])


# ---- what is compiled, and when


def test_every_kernel_belongs_to_a_job_and_every_argument_has_a_type() -> None:
    names = [name for job in JOBS.values() for name in job]
    kernels = [name for name in dir(entries) if getattr(getattr(entries, name), "targetoptions", {}).get("cache")]
    found = [name for name in kernels if getattr(entries, name).py_func.__module__ == entries.__name__]
    assert sorted(names) == sorted(found or names)
    assert {job for group in GROUPS.values() for job in group} <= set(JOBS)
    typed = [name for _, _, arguments in ARGUMENTS for name in arguments]
    assert len(typed) == len(set(typed))
    for name in names:
        assert set(inspect.signature(getattr(entries, name).py_func).parameters) <= {*typed, "room"}


def test_a_kernel_is_called_at_its_address_only_with_the_types_that_it_is_compiled_for() -> None:
    @njit
    def with_wrong_types(address: int, values: Floats) -> float:
        return float(
            step_at(
                address, values, values, values, values, values, 1, values, values, values, values, values, values,
                values, values, 1.0, values, values, values, values, values, values, (values,),
            )
        )  # fmt: skip

    with pytest.raises(TypingError, match="take_step is called with other types"):
        with_wrong_types(0, np.zeros(3))


def test_a_job_without_its_stamp_is_compiled_again_and_says_so(tmp_path: Path, placed: str) -> None:
    first = run(PLACE, NUMBA_CACHE_DIR=str(tmp_path))
    assert "compiling kernels (forward)" in first.stderr
    assert stamps(tmp_path) == {"forward"}  # and nothing that was not needed
    assert run(PLACE, NUMBA_CACHE_DIR=str(tmp_path)).stderr == ""
    next(tmp_path.rglob("puppet-forward.stamp")).unlink()  # as after an interruption
    again = run(PLACE, NUMBA_CACHE_DIR=str(tmp_path))
    assert again.stderr == first.stderr
    assert again.stdout.strip() == first.stdout.strip() == placed
    kernel = next(tmp_path.rglob("entries.forward*.nbc"))
    kernel.write_bytes(kernel.read_bytes()[:-100] + bytes(100))  # as after a crash of the system
    again = run(PLACE, NUMBA_CACHE_DIR=str(tmp_path))
    assert again.stderr == first.stderr
    assert again.stdout.strip() == placed


def test_a_cache_that_can_be_neither_read_nor_cleared_costs_only_time(tmp_path: Path, placed: str) -> None:
    run(PLACE, NUMBA_CACHE_DIR=str(tmp_path))
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    for kept in ({".nbi"}, set()):  # damaged in different ways
        for path in files:
            if path.suffix in kept:
                path.write_bytes(b"")
            elif not path.is_dir():
                path.unlink()
                path.mkdir()  # as a file of another user is to one who is not root
        found = run(PLACE, NUMBA_CACHE_DIR=str(tmp_path))
        assert "compiled kernels cannot be kept in" in found.stderr
        assert found.stdout.strip() == placed


FULL = """\
import errno, os
from numba.core.caching import IndexDataCacheFile
def save(self, key, data):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
IndexDataCacheFile.save = save
"""


def test_a_full_disk_costs_only_time(tmp_path: Path, placed: str) -> None:
    found = run(FULL + PLACE, NUMBA_CACHE_DIR=str(tmp_path))
    assert "compiled kernels cannot be kept in" in found.stderr
    assert found.stdout.strip() == placed
    assert stamps(tmp_path) == set()


THREADS = """\
import threading
from puppet.kernels import loader
compiled, compile = [], loader.Cache.compile
loader.Cache.compile = lambda self, job: (compiled.append(job), compile(self, job))
threads = [threading.Thread(target=lambda: loader.kernels().forward) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(compiled)
"""


def test_eight_cold_threads_compile_once(tmp_path: Path) -> None:
    found = run(THREADS, NUMBA_CACHE_DIR=str(tmp_path))
    assert found.stdout.strip() == "['forward']"
    assert found.stderr.count("compiling") == 1


def test_what_cannot_be_loaded_is_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, kernels = [], loader.Kernels()
    monkeypatch.setattr(kernels._cache, "compile", compiled.append)
    monkeypatch.setattr(loader, "load", lambda entry: pickle.loads(b"no pickle"))
    kernels._load("forward", entries.forward)
    assert compiled == ["forward"]


# ---- where it is kept


@pytest.fixture
def homeless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation that cannot be written, and a user without a home and a choice."""
    (tmp_path / "file").touch()
    monkeypatch.setattr(cache_folder, "IN_TREE", tmp_path / "file" / "below")
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    return tmp_path


def find_folder() -> Path | None:
    return cache_folder.kernel_folder.__wrapped__()


def test_kernels_are_kept_where_something_can_be_written(
    homeless: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    found = find_folder()
    assert found is not None
    assert found.is_dir()
    assert found.stat().st_mode & 0o077 == 0
    assert "set NUMBA_CACHE_DIR" in caplog.text
    cache_folder._remove(str(found), os.getpid())
    assert not found.exists()
    monkeypatch.setattr("tempfile.tempdir", str(homeless / "file"))
    assert find_folder() is None  # and they are compiled all the same
    monkeypatch.setenv("HOME", str(homeless / "home"))
    found = find_folder()
    assert found is not None
    assert homeless / "home" in found.parents
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(homeless / "chosen"))
    assert find_folder() == (homeless / "chosen").resolve()


@posix
def test_kernels_are_kept_where_nobody_else_can_write(homeless: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = homeless / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(shared))
    own = shared.resolve() / f"puppet-{os.geteuid()}"
    assert find_folder() == own
    assert own.stat().st_mode & 0o077 == 0
    own.chmod(0o777)  # somebody has laid a trap
    trapped = find_folder()
    assert trapped is not None
    assert shared.resolve() not in trapped.parents
    cache_folder._remove(str(trapped), os.getpid())


@posix
def test_nothing_in_the_current_folder_is_run_and_no_process_is_left(tmp_path: Path) -> None:
    here, script = tmp_path / "here", tmp_path / "elsewhere" / "cold.py"
    here.mkdir()
    script.parent.mkdir()
    for module in ("numba", "puppet", "json", "signal"):
        (here / f"{module}.py").write_text("open('run', 'w').close()\n")
    script.write_text(START + "import time; time.sleep(100)")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    with subprocess.Popen([sys.executable, script], cwd=here, env=environment, stdout=subprocess.PIPE) as owner:
        worker = int(owner.stdout.readline())  # type: ignore[union-attr]
        time.sleep(2.0)
        assert is_alive(worker)  # it has found the real puppet, and is at work
        owner.kill()
        owner.wait()
        assert wait_for_end(worker, 5.0)
    assert not (here / "run").exists()


def test_the_stamp_knows_sources_versions_and_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "kernel.py"
    source.write_text("one")
    found = [loader.digest(tmp_path)]
    assert loader.digest(tmp_path) == found[0]
    source.write_text("other")
    found.append(loader.digest(tmp_path))
    for name, value in [("numba.__version__", "0"), ("llvmlite.__version__", "0"), ("sys.version", "2.7")]:
        monkeypatch.setattr(name, value)
        found.append(loader.digest(tmp_path))
    monkeypatch.setattr(loader, "processor", lambda: ("abacus", "+beads"))
    found.append(loader.digest(tmp_path))
    assert len(set(found)) == len(found)


def test_the_processor_is_the_one_that_numba_compiles_for() -> None:
    _, name, features = entries.forward.targetctx.codegen().magic_tuple()
    assert loader.processor()[0] == name
    assert set(features.split(",")) <= set(loader.processor()[1].split(","))


# ---- without what makes it fast


BREAKS = {
    "an import": "import numba.core.codegen as module; del module.JITCodeLibrary\n",
    "a pass": "from puppet.kernels import pieces\npieces.HandOver.run_pass = lambda self, state: state.nothing\n",
    "a call": "from puppet.kernels import pieces\npieces.Piece.finalize = lambda self, more: None\n",
    "a result": "from puppet.kernels import pieces\npieces._LENGTH = 4.0\n",
}


@pytest.mark.parametrize("what", BREAKS)
def test_plain_numba_compiles_where_the_piece_compiler_fails(what: str, tmp_path: Path, placed: str) -> None:
    found = run("import numba\n" + BREAKS[what] + TELL + PLACE, NUMBA_CACHE_DIR=str(tmp_path))
    assert "plain numba compiles the kernels" in found.stderr
    assert found.stdout.strip() == placed


def test_the_test_of_the_piece_compiler_is_run_only_where_something_is_compiled(placed: str) -> None:
    code = "from puppet.kernels import pieces\npieces.self_test_passes = lambda: 1 / 0\n" + PLACE
    assert run(code).stdout.strip() == placed


@pytest.mark.slow
def test_plain_numba_gives_the_same_bits(tmp_path: Path) -> None:
    plain = run(SOLVE, NUMBA_CACHE_DIR=str(tmp_path), PUPPET_PIECES="0")
    assert plain.stdout == run(SOLVE).stdout


def test_elements_are_got_at_as_in_python() -> None:
    from puppet.kernels.jit import inner

    def mix(values, flags, n):  # type: ignore[no-untyped-def]
        total = 0.0
        for k in range(values.shape[2]):
            values[n, -1, k] = values[-n - 1, 1, k] + n
            total = total + values[n, -1, k] * values[0, k - 1, 2] if flags[-k - 1] else total - values[1, 0, k]
        flags[n] = not flags[n]
        return total

    piece = inner(mix)

    @njit
    def entry(values: Floats, flags: Flags, n: int) -> float:
        return float(piece(values, flags, n))

    values, flags = np.arange(24.0).reshape(2, 3, 4), np.array([True, False, True, False])
    own, own_flags = values.copy(), flags.copy()
    assert entry(values, flags, 1) == mix(own, own_flags, 1)
    np.testing.assert_array_equal(values, own)
    np.testing.assert_array_equal(flags, own_flags)


def test_a_piece_is_compiled_once_whatever_integers_it_is_called_with() -> None:
    from numba import njit, types

    from puppet.kernels.jit import inner

    @inner
    def row(values, n, twice):  # type: ignore[no-untyped-def]
        return twice * values[n]

    @njit
    def three(values):  # type: ignore[no-untyped-def]
        found = 0.0
        for n in range(1):
            found += row(values, n, twice=2)
        return found + row(values, 1, twice=3) + row(values, 2, twice=4)

    looked_up = types.Function.get_call_type
    assert three(np.array([1.0, 10.0, 100.0])) == 432.0
    assert len(row.signatures) == 1
    assert types.Function.get_call_type is looked_up  # numba is left as it was


def test_kernels_run_as_plain_python_where_numba_is_told_to_compile_nothing(body: Body) -> None:
    code = """\
import puppet
body = puppet.Body.load("seated")
near = puppet.solve_posture(body, left=puppet.HandGoal([0.2, 0.7, 0.3]), table=puppet.Table(0.6, 0.2))
far = puppet.solve_posture(body, right=puppet.HandGoal([-0.3, 0.65, 0.55]), table=puppet.Table(0.6, 0.2))
print(*near.angles.tolist(), *far.angles.tolist())
"""
    found = run(code, NUMBA_DISABLE_JIT="1")
    assert found.stderr == ""
    table = Table(0.6, 0.2)
    near = solve_posture(body, left=HandGoal([0.2, 0.7, 0.3]), table=table)
    far = solve_posture(body, right=HandGoal([-0.3, 0.65, 0.55]), table=table)
    plain: Floats = np.array(found.stdout.split(), dtype=np.float64)
    assert np.abs(plain - np.concatenate([near.angles, far.angles])).max() < 1e-9


# ---- other processes, and this one


def test_a_library_leaves_the_garbage_collector_alone() -> None:
    code = "import gc, puppet; from puppet.kernels.loader import load_all; load_all()\nprint(gc.get_freeze_count())"
    assert run(code).stdout.strip() == "0"


def test_a_compiler_process_begins_before_numba_is_loaded_and_ends_with_its_owner_after_the_job_at_hand(
    tmp_path: Path,
) -> None:
    code = "import sys; print('numba' in sys.modules)\nloader.kernels().nearest_posture"
    worker, loaded = run(START + code, NUMBA_CACHE_DIR=str(tmp_path)).stdout.split()
    assert loaded == "False"
    assert not is_alive(int(worker))
    assert "nearest" in stamps(tmp_path) <= {"nearest", "head"}


@posix
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_compiler_process_ends_when_its_owner_is_killed(tmp_path: Path, how: signal.Signals) -> None:
    with started(START + "import time; time.sleep(100)", tmp_path) as owner:
        worker = int(owner.stdout.readline())  # type: ignore[union-attr]
        owner.send_signal(how)
        owner.wait()
        assert wait_for_end(worker)
        assert "nearest" not in stamps(tmp_path)


@posix
def test_ctrl_c_ends_all_at_once(tmp_path: Path) -> None:
    with started(START + SOLVE, tmp_path) as owner:
        worker = int(owner.stdout.readline())  # type: ignore[union-attr]
        time.sleep(2.0)
        for _ in range(20):  # numba is in the midst of a function: a moment, or, inside a callback of LLVM, once more
            os.killpg(owner.pid, signal.SIGINT)  # as a terminal does
            with contextlib.suppress(subprocess.TimeoutExpired):
                owner.wait(timeout=3)
                break
        assert owner.wait(timeout=60) != 0
        assert wait_for_end(worker)


def started(code: str, cache: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(cache)}, start_new_session=True,
    )  # fmt: skip


# ---- to other processes and back


def test_bodies_postures_and_performances_can_be_sent(body: Body, tmp_path: Path) -> None:
    goal = HandGoal([0.2, 0.7, 0.3])
    posture = solve_posture(body, left=goal)
    sent = pickle.loads(pickle.dumps(posture))
    assert sent.angles.tobytes() == posture.angles.tobytes()
    assert sent.hand_position_errors == posture.hand_position_errors
    other = pickle.loads(pickle.dumps(body))
    assert solve_posture(other, left=goal).angles.tobytes() == posture.angles.tobytes()
    performance = puppet.run(str(ROOT / "scripts" / "01_first_reach.puppet"), draft=True)
    again = pickle.loads(pickle.dumps(performance))
    performance.save(tmp_path / "here.bvh")
    again.save(tmp_path / "there.bvh")
    assert (tmp_path / "there.bvh").read_bytes() == (tmp_path / "here.bvh").read_bytes()


def test_the_package_can_be_sent() -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    assert cloudpickle.loads(cloudpickle.dumps(puppet)) is puppet

    def solve(x: float) -> bytes:
        return puppet.solve_posture(puppet.Body.load("seated"), left=puppet.HandGoal([x, 0.7, 0.3])).angles.tobytes()

    assert cloudpickle.loads(cloudpickle.dumps(solve))(0.2) == solve(0.2)


def test_a_piece_counts_the_users_of_arrays_only_where_it_makes_some() -> None:
    from numba import njit
    from numba.core.runtime import _nrt_python, rtsys

    from puppet.kernels.jit import inlined, inner

    @inlined
    def at(values, n):  # type: ignore[no-untyped-def]
        return values[n]

    @inner
    def total(values, others):  # type: ignore[no-untyped-def]
        found = 0.0
        for n in range(values.shape[0]):
            found += at(values, n) * at(others[1:], n)
        return found

    @inner
    def shifted(values):  # type: ignore[no-untyped-def]
        found = np.empty(values.shape[0] + 1)
        found[1:] = values
        return found

    @njit
    def several(values):  # type: ignore[no-untyped-def]
        found = 0.0
        for _ in range(10):
            found += total(values, shifted(values))
        return found

    values = np.array([1.0, 2.0, 3.0])
    assert several(values) == 140.0
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        assert several(values) == several(values) == 140.0
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free >= 20  # all that was made is gone, and nothing else
    counted = ["NRT_incref" in str(made.overloads[made.signatures[0]].library._final_module) for made in (total,)]
    assert counted == [False]


def test_kernels_leave_no_array_behind() -> None:
    """One that is iterated over had a user too many afterwards, and stayed in memory for ever."""
    nrt = pytest.importorskip("numba.core.runtime._nrt_python")
    counted = nrt.memsys_stats_enabled()
    far, near = HandGoal((0.9, 0.8, 0.9), np.eye(3)), HandGoal((-0.1, 0.7, 0.3))
    lines = 'environment "blocks.yaml"\nset speed 12\nreach yellow with left\nlook at blue\n'
    nrt.memsys_enable_stats()
    try:
        before = nrt.memsys_get_stats_mi_alloc() - nrt.memsys_get_stats_mi_free()
        for name in ("seated", "person"):
            solve_posture(Body.load(name), left=far, right=near, table=Table(0.6, 0.2))
        figure = puppet.Figure(Body.load("person"))
        figure.pin("left_foot")
        figure.drag("right_hand", to=(-0.2, 0.3, 0.3), steps=3)
        puppet.run(lines)
        gc.collect()
        assert nrt.memsys_get_stats_mi_alloc() - nrt.memsys_get_stats_mi_free() == before
        assert nrt.memsys_get_stats_mi_alloc() > 100
    finally:
        if not counted:
            nrt.memsys_disable_stats()
