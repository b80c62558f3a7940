"""Small files that would take long: every file is read or refused in a time that grows with its size alone."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

import puppet
from puppet.bvh import read_bvh
from puppet.errors import did_you_mean
from puppet.kernels.loader import kernels
from puppet.tools import check_file, check_text, convert_file
from tests.pace import quiet_seconds

NAMES = ["".join("abcdefgh"[(n >> 3 * k) % 8] for k in range(6)) * 3 for n in range(4000)]
ENVIRONMENT = "table: {height: 0.6, front: 0.2}\nspaces:\n"
GESTURE = "g:\n  critical: arm\n  postures: {a: {left_shoulder: {z: 1}}}\n  sequence: "
BLOCKS = 'environment "blocks.yaml"\n'
FILES = {
    "misspelt spaces.yaml": ENVIRONMENT
    + "".join(f"  {name}: [0, 0, 0.1]\n" for name in NAMES[:700]) + "objects:\n"
    + "".join(f"  o{n}: {{width: 0.03, space: {name}z}}\n" for n, name in enumerate(NAMES[:700])),
    "misspelt calls.puppet": BLOCKS
    + "".join(f"define {name}()\n  freeze\nend\n" for name in NAMES[:600])
    + "".join(f"{name}z()\n" for name in NAMES[:600]),
    "many names.yaml": ENVIRONMENT + "".join(f"  x{name}: [0, 0, 0.1]\n" for name in NAMES * 6),
    "a long line.env": "0.6 0.2\n" + "a " * 100_000,
    "many lines.env": "0.6 0.2\n" + "".join(f"o{n}- 0.1 q{n}\n" for n in range(60_000)),
    "many lines.puppet": BLOCKS + "reach yelow with lfet\n" * 40_000,
    "many values.puppet": BLOCKS + "".join(f"let x{n} = {n}\n" for n in range(12_000)) + "wait xx\n" * 400,
    "mistakes.tracks.yaml": "body: person\npose:\n" + "".join(f"  - {{at: 0, {name}: 0}}\n" for name in NAMES[:3500]),
    "mistakes.space.yaml": "body: person\nframes: 9\ndrive: {a: {keys: [], centre_of_mass: " + "y" * 500_000 + "}}\n",
    "mistakes of a key map.yaml": "keys:\n" + "".join(f"  {chr(0x4e00 + n)}: {name}\n" for n, name in enumerate(NAMES)),
    "many keys.keys": "zzzzzzz\n1\n" * 100_000,
    "a gesture of millions.yaml": GESTURE + "[{cycles: 1000, postures: [" + "a, " * 10_000 + "]}]\n",
    "a gesture of thousands.yaml": GESTURE + "[" + "a, " * 5000 + "]\n",
    "a long chain of definitions.puppet": BLOCKS + "define f0(a)\nnod, when a ends\nend\n"
    + "".join(f"define f{n + 1}(a)\nf{n}(a)\nend\n" for n in range(10_000)) + "f10000(x)\n",
    "things held already.puppet": BLOCKS + "take yellow with left\n" * 40_000,
    "values and calls.puppet": BLOCKS + "define f(a)\nwait a + x0\nend\n"
    + "".join(f"let x{n} = {n}\nf(x{n})\n" for n in range(3000)) + "f(zz)\n",
    "long sums.puppet": BLOCKS + ("wait " + "1+" * 990 + "1\n") * 490,
    "open blocks.puppet": BLOCKS + "repeat 2\n" * 49_000,
    "calls that differ.puppet": BLOCKS + "define f(a)\n" + "slide left by (0, 0, a)\n" * 40 + "end\n"
    + "".join(f"f({n / 1000})\n" for n in range(3000)),
    "calls that are all unlike.puppet": BLOCKS + "define f(" + ", ".join(f"a{n}" for n in range(25)) + ")\nnod\nend\n"
    + "".join("f(" + ", ".join("b" if n >> k & 1 else "1" for k in range(25)) + ")\n" for n in range(12_000)),
    "many parameters.puppet": BLOCKS
    + "".join(f"define f{n}(" + ", ".join(f"a{k}" for k in range(250)) + ")\nnod\nend\n" for n in range(750)),
    "commas.puppet": BLOCKS + ("," * 1900 + "\n") * 500,
    "calls of one in thousands.puppet": BLOCKS
    + "".join(f"define {n}{name}()\nnod\nend\n" for n, name in enumerate(NAMES * 3))
    + "".join(f"{name}x()\n" for name in NAMES),
    "tasks until others end.puppet": BLOCKS + "nod, when zz ends\na0: nod\n"
    + "".join(f"a{n + 1}: nod, when a{n} starts\nb{n}: wave with left, until a{n + 1} ends\n" for n in range(13_000)),
    "tasks that wait for each other.puppet": BLOCKS
    + "".join(f"a{n}: wave with left, until a{(n + 1) % 23_000} ends\n" for n in range(23_000)),
    "misspelt words.puppet": BLOCKS + "".join(f"raech yelow with lfet{n}\n" for n in range(37_000)),
    "misspelt options.puppet": BLOCKS + f"reach yellow with left{', durtion 3' * 120}\n" * 700,
    "names of gestures.puppet": BLOCKS + f"{' '.join(NAMES[:100])} with left\n" * 500,
    "many keys.yaml": "keys:\n" + "".join(f"  {chr(0x4e00 + n)}: freeze\n" for n in range(12_000)),
    "nothing but ends of lines.keys": "\n" * 1_000_000,
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_takes_a_moment_and_little_room(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name])
    check_file(tmp_path / "none.yaml")  # what is read once, whatever the file
    assert kernels().figure_place  # and compiled once
    seconds, mistakes = quiet_seconds(lambda: check_file(path))
    assert seconds < 2.0
    assert 1 <= len(mistakes) < 2000
    if "gesture" in name or "values" in name:
        tracemalloc.start()
        check_file(path)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
        tracemalloc.stop()


def test_a_megabyte_of_plain_lines_is_read_in_a_moment(tmp_path: Path) -> None:
    path = tmp_path / "long.puppet"
    kinds = ("let x{n} = (1 + 2) * (3 - {n}) / 7\n", "a{n}: reach yellow with left\n", "look at yellow\n",
             "slide left by (0, 0, {n} / 1000000)\n", "walk to (0.1, -1.{n})\n")  # fmt: skip
    lines = [kind.format(n=n) for n in range(7000) for kind in kinds]
    path.write_text(BLOCKS + "body person\n" + "".join(lines))
    assert 900_000 < path.stat().st_size < 1_000_000
    check_file(tmp_path / "none.yaml")
    seconds, mistakes = quiet_seconds(lambda: check_file(path))
    assert not mistakes
    assert seconds < 2.0


def test_a_file_of_just_a_megabyte_has_no_more_lines_than_one_megabyte() -> None:
    text = BLOCKS + "nod\n" * 60_000
    (mistake, *_) = [m for m in check_text(text + "#" * (1_000_000 - len(text))) if "lines" in m.message]
    assert "more than 50000 lines, the most that 1 MB may have" in mistake.message


def test_rounds_without_a_command_are_not_all_gone_through() -> None:
    text = f"{BLOCKS}repeat 999990 as n\nlet x = n * 2 + random(1, 2)\nend\nput yellow on red\n"
    assert quiet_seconds(lambda: check_text(text))[0] < 2.0


def test_a_long_chain_of_joints(tmp_path: Path) -> None:
    joints = "".join(f"JOINT j{n}\n{{\nOFFSET 0 0 0\nCHANNELS 0\n" for n in range(20_000))
    text = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n" + joints
    text += "End Site\n{\nOFFSET 0 0 0\n}\n" + "}\n" * 20_001 + "MOTION\nFrames: 1\nFrame Time: 0.03\n0 0 0\n"
    (tmp_path / "chain.bvh").write_text(text)

    def read_and_convert() -> None:
        assert len(read_bvh(tmp_path / "chain.bvh").joints) >= 20_000
        with pytest.raises(puppet.PuppetError, match="a skeleton of 20001 joints; 500 are the most of a body"):
            convert_file(tmp_path / "chain.bvh", tmp_path / "body.yaml")
        convert_file(tmp_path / "chain.bvh", tmp_path / "tidy.bvh")

    assert quiet_seconds(read_and_convert)[0] < 2.0
    assert (tmp_path / "tidy.bvh").stat().st_size < 20_000_000


def test_many_commands_are_written_as_keys_in_a_time_that_grows_with_their_number(tmp_path: Path) -> None:
    (tmp_path / "many.puppet").write_text(BLOCKS + "reach yellow with left\n" * 5000)
    assert quiet_seconds(lambda: convert_file(tmp_path / "many.puppet", tmp_path / "many.keys"))[0] < 2.0


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless device")
@pytest.mark.parametrize("ending", ["bvh", "yaml", "puppet", "env"])
def test_an_endless_device(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"endless.{ending}"
    os.symlink("/dev/zero", path)
    if ending == "bvh":
        with pytest.raises(puppet.PuppetError, match="it is no file"):
            read_bvh(path)
    else:
        assert check_file(path)


def test_the_nearest_of_many_names_is_found() -> None:
    for known in (NAMES[:5], NAMES[:500], NAMES[:1000]):
        assert did_you_mean(known[3][:-1] + "x", known) == f"did you mean '{known[3]}'?"
        assert did_you_mean("zzzzz", known).startswith("known: ")
