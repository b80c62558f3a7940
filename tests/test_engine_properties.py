"""Random command sequences keep every promise: limits, table, places, queue, report, replay (see engine_rules)."""

from __future__ import annotations

import numpy as np
import pytest
from engine_rules import BLOCKS, BODY, perform, random_commands

from puppet.scene import load_environment
from puppet.stage import Stage

SEEDS = 120
COMMANDS = 25
BLOCKS_OF_SEEDS = 20  # small ones, so that no process is left with a long one in the end


@pytest.mark.parametrize("block", range(BLOCKS_OF_SEEDS))
def test_random_sequences(block: int) -> None:
    """Thousands of commands for both hands, with all overlaps, freezes and interrupts in between."""
    for seed in range(block, SEEDS, BLOCKS_OF_SEEDS):
        perform(random_commands(seed, COMMANDS))


@pytest.mark.parametrize("seed", range(7000, 7012))
@pytest.mark.parametrize("environment", ["blocks", "thesis"])
def test_random_sequences_with_long_queues(environment: str, seed: int) -> None:
    """Nothing is dropped; in the second environment much is out of reach."""
    scene = load_environment(f"environments/{environment}.yaml")
    perform(random_commands(seed, 40, scene, calm=True), scene)


def test_a_long_sequence() -> None:
    perform(random_commands(5000, 400))


@pytest.mark.parametrize("seed", range(9000, 9006))
def test_replay_is_identical(seed: int) -> None:
    runs = [perform(random_commands(seed, COMMANDS)) for _ in range(2)]
    assert np.array(runs[0].frames).tobytes() == np.array(runs[1].frames).tobytes()
    assert runs[0].stage.entries == runs[1].stage.entries
    for a, b in zip(runs[0].objects, runs[1].objects, strict=True):
        for name in a:
            assert a[name].position.tobytes() == b[name].position.tobytes()
            assert a[name].rotation.tobytes() == b[name].rotation.tobytes()


@pytest.mark.parametrize("seed", range(9100, 9110))
def test_undo_at_any_time_changes_nothing_that_follows(seed: int) -> None:
    """A sequence with commands given and taken back in between is the sequence without them."""
    commands, disturbing = random_commands(seed, 20), random_commands(seed + 1, 20)
    ends = []
    for disturbed in (False, True):
        stage = Stage(BLOCKS, BODY)
        for command, other in zip(commands, disturbing, strict=True):
            if disturbed and not isinstance(other, int):
                stage.give(other)
                stage.step()
                stage.undo()
            if isinstance(command, int):
                for _ in range(command):
                    stage.step()
            else:
                stage.give(command)
        stage.run_until_idle()
        ends.append((stage.frame.number, stage.frame.angles.tobytes(), stage.entries, stage.scene))
    assert ends[0] == ends[1]
