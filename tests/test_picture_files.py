"""Contact sheets, movies and animations: what is in the files, and what is left when something goes wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

from puppet import run
from puppet.errors import PuppetError
from puppet.export import writer_for
from puppet.export.frame_renderer import frame_renderer, picture_size
from puppet.export.frame_selection import frame_hundredths, parse_frames, resample_frames, spread_evenly
from puppet.export.movie import encode
from puppet.export.picture import caption, task_ends
from tests.pictures import GREETING, difference, graphics, picture, still

ROOT = Path(__file__).parent.parent
SMALL = (128, 96)


def movie_frames(path: Path) -> tuple[dict[str, object], np.ndarray]:
    """What another program reads: the movie's facts and its pictures, (n, h, w, 3)."""
    reader = imageio_ffmpeg.read_frames(str(path))
    facts = next(reader)
    width, height = facts["size"]
    return facts, np.array([np.frombuffer(raw, np.uint8).reshape(height, width, 3) for raw in reader])


# ---- arithmetic: no graphics needed


def test_frames_as_written() -> None:
    assert parse_frames("1,20,50-60:5", 0, 90) == [1, 20, 50, 55, 60]
    assert parse_frames(" 3 , 4-6", 0, 6) == [3, 4, 5, 6]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot read '' in frames ''"),
        ("1,,2", "cannot read '' in frames '1,,2'"),
        ("1-5:0", "cannot read '1-5:0'"),
        ("5:", "cannot read '5:'"),
        ("a-5", "cannot read 'a-5'"),
        ("-3", "cannot read '-3'"),
        ("9-5", "'9-5' in frames '9-5' runs backwards: write 5-9"),
        ("91", "there is no frame 91 .*: the frames are 0 to 90"),
        ("5-200", "there is no frame 200"),
    ],
)
def test_frames_that_make_no_sense(text: str, message: str) -> None:
    with pytest.raises(PuppetError, match=message):
        parse_frames(text, 0, 90)


def test_another_rate_is_the_same_speed() -> None:
    assert resample_frames(4, 30.0, 30.0) == [0, 1, 2, 3]
    assert resample_frames(7, 30.0, 15.0)[:3] == [0, 2, 4]
    assert resample_frames(3, 30.0, 60.0)[0::2] == [0, 1, 2]
    for frames, fps, wanted in ((91, 30.0, 12.0), (91, 24.0, 60.0), (1, 30.0, 15.0), (100, 29.97, 10.0)):
        order = resample_frames(frames, fps, wanted)
        assert order[0] == 0
        assert max(order) < frames
        assert abs(len(order) / wanted - frames / fps) <= max(0.5 / wanted, 1.0 / wanted - frames / fps) + 1e-9
        times = np.arange(len(order)) / wanted
        assert np.abs(np.minimum(times * fps, frames - 1) - order).max() <= 0.5 + 1e-9
    with pytest.raises(PuppetError, match="frames per second must be above 0"):
        resample_frames(5, 30.0, 0.0)


def test_no_time_is_lost_in_hundredths() -> None:
    for fps in (15.0, 12.0, 30.0, 7.3):
        shown = frame_hundredths(100, fps)
        assert sum(shown) == round(100 * 100 / fps)
        assert max(shown) - min(shown) <= 1


def test_samples_reach_from_the_first_to_the_last() -> None:
    assert spread_evenly(range(3), 5) == [0, 1, 2]
    assert spread_evenly(range(0, 100, 2), 4) == [0, 32, 66, 98]


def test_sizes() -> None:
    assert picture_size("960x540") == picture_size((960, 540)) == (960, 540)
    for wrong in ("960", "axb", "1x2x3", (3,), "10x10"):
        with pytest.raises(PuppetError, match="a picture"):
            picture_size(wrong)  # type: ignore[arg-type]


def test_captions_say_what_is_being_done() -> None:
    shown = still(11, **GREETING)
    assert task_ends(shown) == [0, 10]
    assert caption(shown, 0) == "0  Start"
    assert caption(shown, 4) == "4  Greet"
    assert caption(shown, 10) == "10  Greet"


def test_frames_keep_their_numbers_when_only_some_were_recorded() -> None:
    whole = still(11, **GREETING)
    part = replace(whole, angles=whole.angles[4:], recorded=range(4, 11))
    assert task_ends(part) == [4, 10]


# ---- files


@pytest.fixture
def drawing() -> None:
    graphics()


@pytest.mark.usefixtures("drawing")
class TestFiles:
    def test_one_frame_is_a_plain_picture(self, tmp_path: Path) -> None:
        shown = still(3, **GREETING)
        shown.save(tmp_path / "one.png", frames="2", size="160x120", camera="front")
        image = np.asarray(Image.open(tmp_path / "one.png"))
        assert np.array_equal(image, picture(shown, "front", (160, 120)))

    def test_a_contact_sheet_has_all_frames_in_order(self, tmp_path: Path) -> None:
        shown = still(9, **GREETING)
        parts: list[float] = []
        shown.save(tmp_path / "sheet.png", frames=range(0, 9, 2), size=SMALL, columns=3, progress=parts.append)
        assert parts == [0.2, 0.4, 0.6, 0.8, 1.0]
        sheet = np.asarray(Image.open(tmp_path / "sheet.png"))
        width, height = SMALL
        line = sheet.shape[0] // 2 - height - 15  # two rows: gap, picture and caption each, and a last gap
        assert 15 < line < 30
        assert sheet.shape[1] == 10 + 3 * (width + 10)
        with frame_renderer(shown, SMALL, "three-quarter", labels=False) as render_frame:
            for n in range(5):
                top, left = 10 + n // 3 * (height + line + 10), 10 + n % 3 * (width + 10)
                assert np.array_equal(sheet[top : top + height, left : left + width], render_frame(2 * n))
                assert sheet[top + height : top + height + line, left : left + 50].min() < 120  # ink
        assert sheet[-line - height :, -width:].min() > 240  # no sixth

    def test_sheets_that_cannot_be(self, tmp_path: Path) -> None:
        shown = still(500)
        with pytest.raises(PuppetError, match="500 frames are too many for one sheet"):
            shown.save(tmp_path / "sheet.png", frames="0-499")
        with pytest.raises(PuppetError, match="at least one column"):
            shown.save(tmp_path / "sheet.png", frames="0,4", columns=0)
        with pytest.raises(PuppetError, match="unknown camera 'fron'; did you mean 'front'"):
            shown.save(tmp_path / "sheet.png", frames="0,4", camera="fron")
        with pytest.raises(PuppetError, match="nothing was recorded"):
            replace(shown, angles=shown.angles[:0]).save(tmp_path / "sheet.png")
        assert list(tmp_path.iterdir()) == []

    def test_a_movie_has_every_frame_and_lasts_as_long(self, tmp_path: Path) -> None:
        shown = still(12, **GREETING)
        shown.save(tmp_path / "a.mp4", size=(161, 119), camera="front")  # odd: the encoder wants even
        facts, frames = movie_frames(tmp_path / "a.mp4")
        assert facts["size"] == (162, 120)
        assert facts["fps"] == 30.0
        assert facts["codec"] == "h264"
        assert str(facts["pix_fmt"]).startswith("yuv420p")
        assert facts["duration"] == pytest.approx(12 / 30, abs=0.011)
        assert len(frames) == 12
        assert difference(frames[-1], picture(shown, "front", (162, 120))) < 0.06
        assert (tmp_path / "a.mp4").read_bytes().index(b"moov") < (tmp_path / "a.mp4").read_bytes().index(b"mdat")

    def test_a_movie_at_another_rate_is_as_long(self, tmp_path: Path) -> None:
        shown = still(12, **GREETING)
        shown.save(tmp_path / "slow.mp4", size=SMALL, fps=10)
        facts, frames = movie_frames(tmp_path / "slow.mp4")
        assert (len(frames), facts["fps"]) == (4, 10.0)
        assert facts["duration"] == pytest.approx(0.4, abs=0.011)

    def test_the_same_movie_twice_is_the_same_to_the_byte(self, tmp_path: Path) -> None:
        shown = still(5, **GREETING)
        for name in ("a.mp4", "b.mp4", "a.gif", "b.gif", "a.png", "b.png"):
            shown.save(tmp_path / name, size=SMALL)
        for ending in ("mp4", "gif", "png"):
            assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()

    def test_an_animation_lasts_as_long_and_looks_the_same(self, tmp_path: Path) -> None:
        shown = still(31, **GREETING)
        shown.save(tmp_path / "a.gif", size=(160, 120))
        image = Image.open(tmp_path / "a.gif")
        shown_for = []
        for n in range(image.n_frames):
            image.seek(n)
            shown_for.append(image.info["duration"])
        assert image.size == (160, 120)
        assert image.info["loop"] == 0
        assert image.n_frames == 16
        assert sum(shown_for) == pytest.approx(31 / 30 * 1000, abs=40)
        last = np.asarray(image.convert("RGB"))
        assert difference(last, picture(shown, "three-quarter", (160, 120))) < 0.05

    def test_a_still_animation_is_tiny(self, tmp_path: Path) -> None:
        still(1).save(tmp_path / "one.gif", size=(160, 120))
        still(60).save(tmp_path / "sixty.gif", size=(160, 120))
        assert (tmp_path / "sixty.gif").stat().st_size < 1.2 * (tmp_path / "one.gif").stat().st_size

    @pytest.mark.parametrize("ending", [".png", ".gif", ".mp4"])
    def test_what_goes_wrong_on_the_way_leaves_nothing(self, tmp_path: Path, ending: str) -> None:
        def stop(part: float) -> None:
            if part > 0.4:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            still(9).save(tmp_path / f"a{ending}", size=SMALL, progress=stop)
        assert list(tmp_path.iterdir()) == []

    def test_ctrl_c_leaves_neither_a_file_nor_an_encoder(self, tmp_path: Path) -> None:
        if os.name != "posix":
            pytest.skip("signals of POSIX")
        code = f"""\
from tests.pictures import still
still(4000).save({str(tmp_path / "long.mp4")!r}, size=(128, 96), progress=lambda part: print(part, flush=True))
"""
        process = subprocess.Popen(
            [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        assert process.stdout is not None
        for _ in range(5):
            assert process.stdout.readline()
        children = _children(process.pid)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        process.stdout.close()
        assert process.wait(timeout=60) != 0
        assert list(tmp_path.iterdir()) == []
        time.sleep(0.2)
        assert not [child for child in children if _alive(child)]


def test_an_encoder_that_fails_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    pictures = [np.zeros((15, 15, 3), np.uint8)] * 3  # odd
    with pytest.raises(PuppetError, match="the movie could not be encoded: "):
        encode(pictures, (15, 15), 30.0, tmp_path / "a.mp4")


def test_contact_forces_are_drawn_on_request(tmp_path: Path) -> None:
    graphics()
    found = run('environment "blocks.yaml"\nbody person\nwait 4\n', physics=True)
    for name, arrows in (("with", True), ("without", False)):
        found.save(tmp_path / f"{name}.png", frames="2", size=(300, 300), arrows=arrows)
    one, other = (np.asarray(Image.open(tmp_path / f"{name}.png"), dtype=int) for name in ("with", "without"))
    drawn = (one[:, :, 0] > one[:, :, 1] + 80) & (np.abs(one - other).sum(axis=2) > 60)
    assert drawn.sum() > 20
    with pytest.raises(PuppetError, match="only with physics"):
        run('environment "blocks.yaml"\nwait 2\n').save(tmp_path / "no.png", arrows=True)


def test_every_ending_has_its_writer() -> None:
    for ending in ("gif", "mp4", "png", "json"):
        assert callable(writer_for(f"x.{ending}"))


def test_writers_load_no_graphics_until_they_draw() -> None:
    code = (
        "import sys\n"
        "from puppet.export import WRITERS, writer_for\n"
        "for ending in WRITERS: writer_for('x' + ending)\n"
        "print([name for name in ('pygame', 'OpenGL', 'PIL', 'imageio_ffmpeg', 'numba') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]", done.stderr


def _children(parent: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True)
    return [int(word) for word in listed.stdout.split()]


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
