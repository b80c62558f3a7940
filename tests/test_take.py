"""Takes: what was performed live is on disk at every moment, and replays to the identical motion."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from engine_rules import BODY, random_commands

import puppet
from puppet.command import Command, Freeze, Reach, SetPrimitive
from puppet.geometry import Transform
from puppet.keys import load_key_map
from puppet.language import format_command, read_script
from puppet.shows import Live
from puppet.shows.earlier_take import read_earlier_take
from puppet.shows.take import DISK_BLOCK, Take
from puppet.types import Floats

ROOT = Path(__file__).parent.parent
KEYS = tuple(load_key_map().actions)


class Filmed(Live):
    """A live performance that keeps every frame, and forgets those that are taken back."""

    def film(self) -> None:
        if not hasattr(self, "angles"):
            self.angles: list[Floats] = [self.frame.angles]
            self.things: list[dict[str, Transform]] = [dict(self.frame.objects)]

    def _step(self) -> bool:
        self.film()
        del self.angles[self.frame.number + 1 :], self.things[self.frame.number + 1 :]
        done = super()._step()
        self.angles.append(self.frame.angles)
        self.things.append(dict(self.frame.objects))
        return done


def same_motion(live: Filmed, performance: puppet.Performance, frames: int) -> None:
    """Bit for bit, in all frames that were recorded."""
    live.film()
    assert performance.recorded is not None
    for n, number in enumerate(performance.recorded):
        if number > frames:
            break
        assert performance.angles[n].tobytes() == live.angles[number].tobytes(), f"frame {number}"
        for k, name in enumerate(performance.object_names):
            pose = live.things[number][name]
            there = np.concatenate([pose.position, pose.rotation.ravel()])
            assert performance.object_transforms[n, k].tobytes() == there.tobytes(), f"frame {number}, {name}"


def written(live: Live) -> list[tuple[int, str]]:
    return [(given.frame, format_command(given.command)) for given in live.take.given]


def play_at_random(live: Live, rng: random.Random, count: int, commands: list[Command | int]) -> None:
    """Keys, lines, undo, redo, pauses, slow motion and stalls, as they come."""
    for n in range(count):
        kind = rng.random()
        if kind < 0.35:
            live.press(rng.choice(KEYS))
        elif kind < 0.60:
            command = commands[n % len(commands)]
            if not isinstance(command, int):
                live.give(command)
        elif kind < 0.68:
            live.undo()
        elif kind < 0.74:
            live.redo()
        elif kind < 0.77:
            live.freeze()
        elif kind < 0.80:
            live.paused = not live.paused
        elif kind < 0.83:
            live.tempo = rng.choice((1.0, 0.5, 0.25))
        elif kind < 0.85:
            live.give(rng.choice(("set speed 8", "set interrupt on", "set interrupt off", "nonsense", "at 5")))
        for _ in range(rng.choice((0, 1, 1, 2, 5))):
            live.advance(rng.choice((0.001, 1 / 60, 1 / 30, 0.1, 3.0)))
    live.paused = False


@pytest.mark.parametrize("seed", range(10))
def test_a_take_replays_bit_for_bit(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    path = tmp_path / "take.puppet"
    live = Filmed("blocks", body=BODY, take=path)
    live.give("set speed 6")
    play_at_random(live, rng, 50, random_commands(seed, 50))
    if seed % 2:  # to the end of everything that was told
        for _ in range(3000):
            live.advance(0.1)
            if live.stage.idle:
                break
    frames, rest = live.frame.number, live.stage.idle
    before = path.read_text(encoding="utf-8")
    live.close()
    replay = puppet.run(path)
    same_motion(live, replay, frames)
    if rest and live.recording is None:
        assert len(replay.angles) == frames + 1, "a finished take is as long as it was"
    exported = live.performance()
    assert exported.angles.tobytes() == replay.angles.tobytes()
    words = [(entry.interpretation, entry.given) for entry in live.stage.entries]
    header = ("at ", "fps", "environment", "body", " ")
    told = [line for line in before.splitlines() if line and not line.startswith(header)]
    assert len(told) == len(words), "what is in the take is what was given"
    if seed % 3:
        return
    path.write_text(before, encoding="utf-8")  # as a crash would have left it
    last = max([entry.given for entry in live.stage.entries], default=0)
    same_motion(live, puppet.run(path), last)


@pytest.mark.parametrize("seed", range(4))
def test_a_take_on_top_of_another(seed: int, tmp_path: Path) -> None:
    rng = random.Random(100 + seed)
    first, second = tmp_path / "first.puppet", tmp_path / "second.puppet"
    live = Live("blocks", body=BODY, take=first, fps=24)
    live.give("set speed 9")
    play_at_random(live, rng, 25, random_commands(seed, 25))
    while seed % 2 and (not live.stage.idle or live.frame.number % 50):
        live.step_once()
    live.close()
    earlier = read_earlier_take(first, None, BODY, (), False)
    given = [(entry.frame, format_command(entry.command)) for entry in earlier.given]
    alone = puppet.run(first, body=BODY)
    top = Filmed(take=second, under=first, body=BODY)
    assert top.fps == 24
    assert np.array_equal(puppet.run(second).angles, alone.angles), "before anything is added it is the first take"
    play_at_random(top, rng, 25, random_commands(seed + 50, 25))
    for _ in range(3000):
        top.advance(0.1)
        if top.stage.idle and not top.take.upcoming:
            break
    top.close()
    same_motion(top, puppet.run(second), top.frame.number)
    merged = iter(written(top))
    assert all(line in merged for line in given), "nothing of the first take is lost, and its order is kept"
    frames = [frame for frame, _ in written(top)]
    assert frames == sorted(frames)


def test_a_take_that_ends_early_keeps_all_of_the_one_under_it(tmp_path: Path) -> None:
    first = tmp_path / "first.puppet"
    first.write_text('environment "blocks"\nset speed 5\nreach yellow with left\nat 90\nreach blue with left\n')
    top = Live(take=tmp_path / "second.puppet", under=first, body=BODY)
    top.advance(0.2)
    top.press("g")
    assert "at 90\nreach blue with left, grip top, speed 5, curve smooth\n" in (tmp_path / "second.puppet").read_text()
    top.close()
    text = (tmp_path / "second.puppet").read_text()
    assert text.index("reach space 1 with right") < text.index("at 90\nreach blue with left")
    assert puppet.run(tmp_path / "second.puppet").report["tasks"][-1]["given"] == 90


def test_what_the_new_take_makes_impossible_stays_and_replays(tmp_path: Path) -> None:
    """The first take puts yellow on green; the second one has put green on yellow before."""
    first, second = tmp_path / "first.puppet", tmp_path / "second.puppet"
    first.write_text(
        'environment "blocks"\nset speed 5\nat 60\nreach yellow with left\nlock left\nreach green with left\n'
    )
    top = Filmed(take=second, under=first, body=BODY)
    for line in ("reach green with right", "lock right", "reach yellow with right"):
        top.give(line)
    for _ in range(200):
        top.advance(1 / 30)
    assert top.stage.entries[-1].status == "rejected"
    top.close()
    again = puppet.run(second)
    assert again.report["tasks"][-1]["status"] == "rejected"
    assert again.report["tasks"][-1]["command"].startswith("reach green with left")
    same_motion(top, again, top.frame.number)


def test_a_script_that_waits_can_be_under_a_take(tmp_path: Path) -> None:
    top = Filmed(take=tmp_path / "take.puppet", under="stack_blocks", body=BODY)
    alone = puppet.run("stack_blocks.puppet")
    while not (top.stage.idle and not top.take.upcoming):
        top.advance(1 / top.fps)
    top.close()
    same_motion(top, alone, top.frame.number)
    assert top.frame.number >= len(alone.angles) - 1
    same_motion(top, puppet.run(tmp_path / "take.puppet"), top.frame.number)


def test_a_take_may_replace_the_one_under_it_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "take.puppet"
    live = Live("blocks", body=BODY, take=path)
    live.press("A")
    live.close()
    with pytest.raises(puppet.PuppetError, match="is there already"):
        Live("blocks", body=BODY, take=path)
    top = Live(take=path, under=path, body=BODY)
    top.press("q")
    assert path.read_text().splitlines()[-2:] == [
        "reach blue with left, grip top, speed auto, curve smooth", "scratch head with left",
    ]  # fmt: skip


def test_what_is_set_in_one_pass_does_not_change_the_other(tmp_path: Path) -> None:
    first = tmp_path / "first.puppet"
    first.write_text(
        'environment "blocks"\nset speed 12\nset grip side\nat 30\nset curve linear\nreach yellow with left\n'
        "wait until done\nslide left by (0, 0.05, 0), speed 7\nscratch head with left\npose head at (10, 0, 0)\n"
    )
    top = Filmed(take=tmp_path / "second.puppet", under=first, body=BODY)
    top.give("set speed 80")
    top.give("set grip bottom")
    top.give("set curve decelerate")
    while not top.stage.idle or top.take.upcoming:
        top.step_once()
    assert (top.primitives.speed, top.primitives.grip, top.primitives.curve) == (80, "bottom", "decelerate")
    alone = puppet.run(first, body=BODY)
    same_motion(top, alone, top.frame.number)
    top.close()
    same_motion(top, puppet.run(tmp_path / "second.puppet"), top.frame.number)


# ---- the environment is found again


def test_environments_are_named_so_that_they_are_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "project" / "rooms" / "mine.yaml"
    own.parent.mkdir(parents=True)
    own.write_text((ROOT / "environments" / "blocks.yaml").read_text(), encoding="utf-8")
    takes = tmp_path / "project" / "takes"
    far = tmp_path / "a" / "b" / "c" / "d"
    for folder in (takes, far):
        folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    for folder, name in ((takes, "../rooms/mine.yaml"), (far, own.resolve().as_posix()), (own.parent, "mine.yaml")):
        live = Live("rooms/mine.yaml", body=BODY, take=folder / "take.puppet")
        live.press("A")
        live.close()
        text = (folder / "take.puppet").read_text(encoding="utf-8")
        assert text.startswith(f'environment "{name}"\n')
        monkeypatch.chdir(ROOT)
        assert puppet.run(folder / "take.puppet", body=BODY).report["tasks"][0]["status"] == "done"
        monkeypatch.chdir(tmp_path / "project")


def test_a_scene_of_ones_own_has_to_be_given_again(tmp_path: Path) -> None:
    scene = Live("blocks", body=BODY).scene
    live = Live(scene, body=BODY, take=tmp_path / "take.puppet")
    live.press("A")
    live.close()
    assert "environment" not in (tmp_path / "take.puppet").read_text()
    assert puppet.run(tmp_path / "take.puppet", scene).angles.tobytes() == live.performance().angles.tobytes()


def test_a_draft_says_so(tmp_path: Path) -> None:
    live = Live("blocks", body=BODY, draft=True, take=tmp_path / "take.puppet")
    live.press("A")
    live.advance(1.0)
    live.close()
    assert (tmp_path / "take.puppet").read_text().startswith("# Performed as a draft")
    replay = puppet.run(tmp_path / "take.puppet", draft=True)
    assert replay.angles.tobytes() == live.performance().angles.tobytes()


def test_only_what_is_bracketed_is_exported(tmp_path: Path) -> None:
    live = Live("blocks", body=BODY, take=tmp_path / "take.puppet")
    assert live.recording is None
    for key, recording in (("A", None), (":", True), ("w", True), (";", False), ("q", False)):
        live.press(key)
        assert live.recording is recording
        for _ in range(10):
            live.step_once()
    live.close()
    assert live.performance().numbers == tuple(range(10, 31))
    assert puppet.run(tmp_path / "take.puppet").numbers == tuple(range(10, 31))


# ---- nothing is lost

PERFORMER = """
import sys
from puppet.shows import Live
from puppet.shows.earlier_take import read_earlier_take
live = Live("blocks", take=sys.argv[1])
live.give("set speed 4")
for n in range(100000):
    for key in "AlsLqGhw5d>y":
        live.press(key)
        print(len(live.take.given), flush=True)
        live.advance(1 / 30)
    if n % 3 == 2:
        live.undo()
        live.redo()
"""
WRITER = """
import sys
from puppet.command import Freeze, Reach
from puppet.shows.take import Take
take = Take(sys.argv[1], "environments/blocks.yaml")
for n in range(10**7):
    take.add(3 * n, [Reach(hand="left", object="yellow", speed=1 + n % 50)])
    print(len(take.given), flush=True)
"""


def killed(program: str, path: Path, lines: int) -> int:
    """Runs a program, kills it without warning once it has said some lines; how many commands it had given."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for _ in range(lines):
            assert process.stdout.readline()
        process.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        said = process.stdout.read().split("\n")
    return max([lines, *(int(line) for line in said[:-1] if line)])


def test_kill_while_performing(tmp_path: Path) -> None:
    path = tmp_path / "take.puppet"
    given = killed(PERFORMER, path, 40)
    read = puppet.run(path, body=BODY)
    told = [line for line in path.read_text().split("\n") if line.strip() and not line.startswith("at ")]
    assert len(told) - 2 >= 41 <= given + 1
    assert read.report["tasks"]


@pytest.mark.parametrize("lines", [1, 57, 160, 333])
def test_kill_while_writing(tmp_path: Path, lines: int) -> None:
    path = tmp_path / "take.puppet"
    given = killed(WRITER, path, lines)
    script = read_script(path.read_text(encoding="utf-8"), str(path))
    assert script.mistakes == ()
    assert path.read_text().count("reach yellow") >= given
    assert path.read_text().endswith("\n")


def test_a_write_that_is_torn_between_blocks_leaves_a_good_script(tmp_path: Path) -> None:
    path = tmp_path / "take.puppet"
    take = Take(path, "environments/blocks.yaml")
    for n in range(300):
        take.add(7 * n, [Reach(hand="left", object="yellow", speed=1 + n), SetPrimitive(name="grip", value="side")])
    text = path.read_bytes()
    assert len(text) > 3 * DISK_BLOCK
    for cut in range(DISK_BLOCK, len(text), DISK_BLOCK):
        kept = text[:cut].decode()
        assert kept.endswith("\n")
        assert read_script(kept, "").mistakes == ()
        assert kept.count("reach") == kept.count("set grip"), "what was given together is there together"
    assert [line for line in text.decode().splitlines() if line.strip()] == take.text.splitlines()


def test_a_full_disk_is_said_and_healed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "take.puppet"
    live = Live("blocks", body=BODY, take=path)
    live.press("A")

    def full(descriptor: int, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "write", full)
        live.press("q")
        assert "No space left" in live.message
        assert live.problem
    assert len(live.stage.entries) == 2, "the performance goes on"
    live.press("w")
    assert not live.write_problem
    assert path.read_text().splitlines()[-2:] == ["scratch head with left", "check watch with left"]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(puppet.PuppetError, match="cannot write"):
        Live("blocks", body=BODY, take=tmp_path / "no" / "take.puppet")


def test_a_take_in_memory() -> None:
    take = Take()
    take.add(3, [Freeze()])
    take.close(9)
    assert [format_command(command) for command in take.commands(9)] == ["fps 30", "at 3", "freeze", "at 9"]


@pytest.mark.parametrize(
    "lines",
    [
        ["take yellow with left, grip side", "reach blue with left"],
        ["take yellow with left", "set grip bottom", "give yellow to right"],
        ["reach yellow with left, grip bottom", "lock left", "set grip top", "reach blue with left"],
        [
            "set grip top",
            "take yellow with both hands",
            "put yellow on red",
            "release both hands",
            "reach blue with left",
        ],
    ],
)
def test_what_an_earlier_take_holds_is_moved_under_another_one_as_it_was_alone(
    tmp_path: Path, lines: list[str]
) -> None:
    script = tmp_path / "earlier.puppet"
    script.write_text("\n".join(['environment "blocks.yaml"', *lines, ""]))
    alone, live = puppet.run(script), Live("blocks", under=script)
    for angles in alone.angles[1:]:
        live.step_once()
        assert live.frame.angles.tobytes() == angles.tobytes()
    assert live.stage.idle
