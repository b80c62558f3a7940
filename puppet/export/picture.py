"""Pictures (.png) of one frame, or contact sheets of several with captions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from puppet.errors import PuppetError
from puppet.export import Progress
from puppet.export.frame_renderer import Size, frame_renderer, picture_size, refuse_empty
from puppet.export.frame_selection import chosen_frames
from puppet.files.atomic_write import atomic_path
from puppet.performance import Performance
from puppet.render.camera import Camera
from puppet.render.text import LABEL_INK, LABEL_PAPER, shortened, text_font

if TYPE_CHECKING:
    from PIL.Image import Image

    from puppet.render.target import Pixels

MAX_PICTURES = 400  # pictures on a sheet
_GAP = 10
# Up to so many pictures, and their size then.
_SIZES = ((1, (960, 720)), (4, (640, 480)), (12, (480, 360)), (MAX_PICTURES, (320, 240)))
_NOTED = ("missed", "adjusted", "cancelled")  # statuses that a caption mentions


def write(
    performance: Performance,
    path: Path,
    *,
    frames: str | Sequence[int] | None = None,
    camera: str | Camera = "three-quarter",
    size: Size | str | None = None,
    columns: int | None = None,
    labels: bool = False,
    arrows: bool = False,
    progress: Progress | None = None,
) -> None:
    """`frames` such as 1,20,50-60:5, or a list of numbers; by default the first and the ends of tasks. `size` is that
    of each picture."""
    refuse_empty(performance)
    numbers = performance.numbers
    wanted = task_ends(performance) if frames is None else chosen_frames(frames, numbers[0], numbers[-1])
    if len(wanted) > MAX_PICTURES:
        count = len(wanted)
        raise PuppetError(f"{count} frames are too many for one sheet: at most {MAX_PICTURES}; a step helps, 0-900:10")
    if columns is not None and columns < 1:
        raise PuppetError(f"a sheet needs at least one column, not {columns}")
    place = {number: n for n, number in enumerate(numbers)}
    for number in wanted:
        if number not in place:
            raise PuppetError(f"frame {number} was not recorded")
    chosen = picture_size(size) if size is not None else next(s for most, s in _SIZES if len(wanted) <= most)
    pictures = []
    with frame_renderer(performance, chosen, camera, labels, arrows) as render_frame:
        for done, number in enumerate(wanted, 1):
            pictures.append(render_frame(place[number]))
            if progress is not None:
                progress(done / len(wanted))
    if len(pictures) == 1:
        sheet = _image(pictures[0])
    else:
        sheet = _sheet(pictures, [caption(performance, number) for number in wanted], columns)
    with atomic_path(path) as draft:
        sheet.save(draft, format="PNG", optimize=True)


def task_ends(performance: Performance) -> list[int]:
    """The first frame and those in which a task ends, if they were recorded."""
    numbers = performance.numbers
    tasks = (task for task in performance.report["tasks"] if None not in (task["start"], task["end"]))
    ends = {task["end"] for task in tasks if task["end"] > task["start"]}  # a lock takes no time
    return sorted({numbers[0]} | ends.intersection(numbers))


def caption(performance: Performance, number: int) -> str:
    """The frame's number, and the tasks that end in it, or else those that run."""
    tasks = [task for task in performance.report["tasks"] if task["start"] is not None and task["end"] is not None]
    told = [task for task in tasks if task["end"] == number > task["start"]]
    told = told or [task for task in tasks if task["start"] < number < task["end"]]
    words = [task["interpretation"] + (f" ({task['status']})" if task["status"] in _NOTED else "") for task in told]
    words = words or (["Start"] if number == performance.numbers[0] else [])
    return "  ".join([str(number), "; ".join(words)]).rstrip()


def _sheet(pictures: list[Pixels], captions: list[str], columns: int | None) -> Image:
    from PIL import Image, ImageDraw

    height, width, _ = pictures[0].shape
    text = max(9, min(round(0.045 * height), 28))
    line = round(1.9 * text)
    across = columns or _columns(len(pictures), width, height + line)
    rows = math.ceil(len(pictures) / across)
    across = min(across, len(pictures))
    sheet = Image.new("RGB", (_GAP + across * (width + _GAP), _GAP + rows * (height + line + _GAP)), LABEL_PAPER)
    pen = ImageDraw.Draw(sheet)
    for n, (picture, words) in enumerate(zip(pictures, captions, strict=True)):
        x, y = _GAP + n % across * (width + _GAP), _GAP + n // across * (height + line + _GAP)
        sheet.paste(_image(picture), (x, y))
        shown = shortened(words, text, width - text)
        pen.text((x + text // 2, y + height + line // 2), shown, fill=LABEL_INK, font=text_font(text), anchor="lm")
    return sheet


def _columns(count: int, width: int, height: int) -> int:
    """The number of columns that makes the sheet nearest to 3:2, with few empty places."""

    def badness(across: int) -> float:
        rows = math.ceil(count / across)
        return abs(math.log(across * width / (rows * height) / 1.5)) + 1.2 * (across * rows - count) / count

    return min(range(1, count + 1), key=badness)


def _image(picture: Pixels) -> Image:
    from PIL import Image

    return Image.fromarray(picture)
