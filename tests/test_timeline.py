"""The timeline: rows from the body's groups, bars from the report, the same in text and in pictures."""

from __future__ import annotations

import textwrap
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import puppet
from puppet.timeline import png, svg, text
from puppet.timeline.drawing import MAX_BANDS, lay_out_page
from puppet.timeline.model import Timeline, build_timeline
from puppet.timeline.scale import clip_bar, split_into_bands, tick_step
from puppet.timeline.source import timeline_of

LEFT = ("left_shoulder", "left_forearm", "left_hand")
RIGHT = ("right_shoulder", "right_forearm", "right_hand")
TORSO = ("abdomen", "chest")
JOINTS = (*TORSO, *LEFT, *RIGHT, "head")
GROUPS = {
    "left arm": LEFT,
    "left arm and head": (*LEFT, "head"),
    "left arm and torso": (*LEFT, *TORSO),
    "right arm": RIGHT,
    "right arm and head": (*RIGHT, "head"),
    "right arm and torso": (*RIGHT, *TORSO),
}
HANDS = {"left": "left hand", "right": "right hand"}
SVG = "{http://www.w3.org/2000/svg}"


def task(command: str, joints: tuple[str, ...] = (), start: int | None = 0, end: int | None = 0, **more: Any) -> Any:
    segments = [{"joint": joint, "start": start, "end": end} for joint in joints]
    hand = "right" if "right" in command else "left"
    entry = {
        "line": 1, "call": 0, "kind": "reach", "command": command, "interpretation": command.capitalize(),
        "status": "done", "reason": "", "hand": hand, "given": 0, "start": start, "end": end, "waited": "",
        "segments": segments,
    }  # fmt: skip
    return {**entry, **more}


def of(*tasks: Any, fps: float = 30.0, title: str = "") -> Timeline:
    return build_timeline({"fps": fps, "frames": 0, "tasks": list(tasks)}, JOINTS, GROUPS, HANDS, title)


BOTH = of(
    task("reach yellow with left", (*LEFT, *TORSO, "head"), 0, 30, line=3),
    task("reach blue with right", (*RIGHT, *TORSO), 0, 30, line=4),
    task("lock left", line=5, kind="lock"),
    task("reach yellow with right", (*RIGHT, *TORSO, "head"), 30, 60, line=6, interpretation="Stack blue on yellow",
         waited="waits for 'Reach blue with right hand': both need the right arm"),
    task("reach blue with left", start=None, end=None, line=7, status="rejected", reason="blue stands above yellow"),
    task("scratch head with left", (*LEFT,), 40, 60, line=8, given=40, status="cancelled", reason="dropped"),
    title="both.puppet",
)  # fmt: skip


def test_rows_are_what_the_groups_tell_apart() -> None:
    assert [row.name for row in of().rows] == ["left arm", "head", "torso", "right arm"]
    assert [row.lanes for row in BOTH.rows] == [1, 1, 2, 1]


def test_a_body_whose_groups_say_nothing_has_a_row_of_all_its_joints() -> None:
    found = build_timeline({"fps": 30, "tasks": []}, ("tail", "nose"), {}, {})
    assert [row.name for row in found.rows] == ["tail, nose"]


def test_joints_that_go_different_ways_have_a_row_each() -> None:
    found = of(task("nod", ("left_hand",), 0, 10))
    names = [row.name for row in found.rows]
    assert names == ["left shoulder", "left forearm", "left hand", "head", "torso", "right arm"]
    assert [(bar.row, bar.start, bar.end) for bar in found.bars] == [(2, 0, 10)]


def test_locks_and_settings_are_not_shown_unless_they_were_refused() -> None:
    refused = task("lock left", kind="lock", status="rejected", reason="nothing was reached")
    found = of(task("set grip top", kind="setprimitive"), task("freeze", kind="freeze"), refused)
    assert [task.command for task in found.tasks] == ["lock left"]


def test_tasks_that_share_segments_lie_in_lanes_and_no_two_bars_cover_each_other() -> None:
    tasks = [task("reach", (*TORSO,), start, start + 10) for start in (0, 5, 8, 10, 20, 20)]
    found = of(*tasks)
    for one in found.bars:
        for other in found.bars:
            if one is not other and (one.row, one.lane) == (other.row, other.lane):
                assert one.end <= other.start or other.end <= one.start


def test_as_text() -> None:
    expected = """\
        both.puppet: 60 frames, 30 a second

                   0         10        20        30        40        50        60
                   ┬─────────┬─────────┬─────────┬─────────┬─────────┬─────────┬
        left arm   ├─────────────1──────────────┤          ├────────5─────────┤
        head       ├─────────────1──────────────┤├─────────────3──────────────┤
        torso      ├─────────────1──────────────┤├─────────────3──────────────┤
                   ├─────────────2──────────────┤
        right arm  ├─────────────2──────────────┤├─────────────3──────────────┤

        1  reach yellow with left (line 3), frames 0 to 30
        2  reach blue with right (line 4), frames 0 to 30
        3  reach yellow with right (line 6), frames 30 to 60
             Stack blue on yellow
             waited 30 frames; waits for 'Reach blue with right hand': both
               need the right arm
        4  reach blue with left (line 7), never began
             rejected: blue stands above yellow
        5  scratch head with left (line 8), frames 40 to 60
             cancelled: dropped
        """
    assert text.draw(BOTH, 72) == textwrap.dedent(expected)


@pytest.mark.parametrize("width", [40, 60, 80, 132, 300])
@pytest.mark.parametrize("glyphs", [text.UNICODE, text.ASCII])
def test_text_keeps_to_its_width(width: int, glyphs: text.Glyphs) -> None:
    tasks = [task(f"reach {'far ' * 30}with left", LEFT, 30 * n, 30 * n + 30, waited="x" * 200) for n in range(50)]
    drawn = text.draw(of(*tasks), width, glyphs)
    assert max(len(line) for line in drawn.splitlines()) <= width + 5  # a number at the end of the axis stands out
    for number in range(1, 51):
        assert any(f"{number}" in line for line in drawn.splitlines() if line.startswith("left arm"))


def test_a_task_in_a_definition_says_where_it_was_called() -> None:
    drawn = text.draw(of(task("reach thing with left", LEFT, 0, 5, line=3, call=7)), 80)
    assert "1  reach thing with left (line 3, called in line 7), frames 0 to 5" in drawn.splitlines()


def test_ascii_is_ascii() -> None:
    assert text.draw(BOTH, 80, text.ASCII).isascii()


def test_colour_changes_no_letter() -> None:
    painted = text.draw(BOTH, 80, paint=lambda word, color: f"<{color}>{word}</>")
    for color in text.TASK_COLORS:
        painted = painted.replace(f"<{color}>", "")
    assert painted.replace("</>", "") == text.draw(BOTH, 80)


def test_svg_is_xml_with_a_box_for_every_bar() -> None:
    root = ElementTree.fromstring(svg.svg(BOTH))
    numbers = [element.text for element in root.iter(f"{SVG}text") if element.get("text-anchor") == "middle"]
    assert [number for number in numbers if number in "12345"].count("3") == 3
    boxes = [element for element in root.iter(f"{SVG}rect") if element.get("stroke")]
    assert len(boxes) == len(BOTH.bars) + 3  # left, right, dashed in the key
    texts = "\n".join(element.text or "" for element in root.iter(f"{SVG}text"))
    for words in ("left arm", "torso", "60 frames, 2.0 s", "2 s", "reach blue with left", "Stack blue on yellow"):
        assert words in texts
    assert "-0" not in texts.split()


def test_whatever_is_in_a_name_the_svg_is_valid() -> None:
    wild = '<&">]]>\x00\x1b[31m\ud800\u202e\u2028\uffff' + "\N{GRINNING FACE}"
    found = of(task(wild, LEFT, 0, 5, reason=wild, waited=wild, interpretation=wild), title=wild)
    data = svg.svg(found).encode()
    root = ElementTree.fromstring(data)
    assert '<&">]]>' in "".join(root.itertext())
    assert "\x1b" not in text.draw(found, 80)


@pytest.mark.parametrize("fps", [0.5, 24.0, 29.97, 1000.0])
@pytest.mark.parametrize("length", [0, 1, 7, 100, 12345])
def test_everything_stays_on_the_page(fps: float, length: int, tmp_path: Path) -> None:
    found = of(task("wave with left", LEFT, 0, length), task("wave with right", RIGHT, length, length), fps=fps)
    drawn = lay_out_page(found)
    for shape in drawn.shapes:
        x, y = getattr(shape, "x", 0.0), getattr(shape, "y", 0.0)
        assert 0 <= x <= drawn.width
        assert 0 <= y <= drawn.height
    ElementTree.fromstring(svg.svg(found))
    png.write(found, tmp_path / "a.png")
    text.draw(found, 80)


def test_a_band_has_no_empty_lanes() -> None:
    both = [task("reach", TORSO, 0, 10), task("reach", TORSO, 0, 10)]
    alone = [task("reach", TORSO, 10 * n, 10 * n + 10) for n in range(1, 400)]
    heights = [len(split_into_bands(found, 600.0, 16.0, MAX_BANDS)) * 22 for found in (of(*alone), of(*both, *alone))]
    pages = [lay_out_page(found).height for found in (of(*alone), of(*both, *alone))]
    assert pages[1] - pages[0] < heights[1]  # a second lane in one band, and two more entries below


def test_png_shows_the_same_page_at_twice_its_size(tmp_path: Path) -> None:
    from PIL import Image

    png.write(BOTH, tmp_path / "a.png")
    png.write(BOTH, tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    drawn = lay_out_page(BOTH)
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (round(drawn.width * 2), round(drawn.height * 2))
        assert len(image.convert("RGB").getcolors(100000) or []) > 10


def test_long_times_are_cut_into_bands_that_cover_every_frame() -> None:
    found = of(*(task("reach", LEFT, 10 * n, 10 * n + 10) for n in range(1000)))
    cuts = split_into_bands(found, 600.0, 16.0, MAX_BANDS)
    assert 1 < len(cuts) <= MAX_BANDS * 1.5
    assert cuts[0].start == 0
    assert cuts[-1].end == 10_000
    assert all(one.end == other.start for one, other in pairwise(cuts))
    for bar in found.bars:
        parts = [part for part in (clip_bar(bar, band) for band in cuts) if part is not None]
        assert sum(end - start for start, end in parts) == bar.end - bar.start


@pytest.mark.parametrize(
    ("length", "most", "expected"), [(60, 6, 10), (61, 6, 20), (1, 10, 1), (0, 3, 1), (999, 2, 500)]
)
def test_marks_are_at_round_numbers(length: int, most: int, expected: int) -> None:
    assert tick_step(length, most) == expected


def test_the_timeline_of_a_performance() -> None:
    script = 'environment "blocks.yaml"\nset overlap full\nreach yellow with left, speed 10\nreach blue with right\n'
    found = timeline_of(puppet.run(script, body="seated"), "both")
    assert [row.name for row in found.rows] == ["left arm", "head", "torso", "right arm"]
    assert [task.hand for task in found.tasks] == ["left", "right"]
    for index, task in enumerate(found.tasks):
        own = [bar for bar in found.bars if bar.task == index and found.rows[bar.row].name == f"{task.hand} arm"]
        assert [(bar.start, bar.end) for bar in own] == [(task.start, task.end)]
