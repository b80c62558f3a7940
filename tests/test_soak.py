"""Tasks that fail, and what waits behind them: nothing is raised, nothing is lost, all is told."""

from __future__ import annotations

import puppet
from benchmarks.soak import check_frame
from puppet.stage import Stage

QUEUED = """\
environment "toys.yaml"
reach base with left
lock left
check watch with left
reach box with right
lock right
slide right by (0.015, 0.013, -0.014) turn top
reach top with left
"""


def test_what_waits_behind_a_failure_is_understood_anew_or_rejected_with_a_reason() -> None:
    tasks = puppet.run(QUEUED).report["tasks"]
    slide, stack = tasks[5:]
    assert slide["status"] == "missed"
    assert "did not get hold of 'box'" in slide["reason"]
    assert stack["status"] == "rejected"
    assert stack["reason"].endswith("since 'Slide box' missed")


def test_a_lock_behind_a_miss_is_refused_and_what_depends_on_it_is_understood_anew() -> None:
    stage = Stage("blocks")
    lines = "slide left by (0, 0, 2)", "lock left", "reach yellow with right", "lock right", "reach red with right"
    for line in lines:
        stage.give(line)
    seen = check_frame(stage, None)
    while not stage.idle:
        stage.step()
        seen = check_frame(stage, seen)
    statuses = [entry.status for entry in stage.entries]
    assert statuses[:2] == ["missed", "rejected"]
    assert not set(statuses) & {"waiting", "running"}
