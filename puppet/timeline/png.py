"""The timeline as PNG, at twice its size for sharp letters."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from puppet.errors import PuppetError
from puppet.files.atomic_write import atomic_path
from puppet.timeline.drawing import PAGE_COLOR, Drawn, DrawnBox, DrawnLine, DrawnText, lay_out_page
from puppet.timeline.model import Timeline

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

SCALE = 2
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def write(timeline: Timeline, path: Path) -> None:
    from PIL import Image, ImageDraw

    drawn = lay_out_page(timeline)
    image = Image.new("RGB", (round(drawn.width * SCALE), round(drawn.height * SCALE)), PAGE_COLOR)
    canvas = ImageDraw.Draw(image)
    for shape in drawn.shapes:
        _draw(canvas, shape)
    with atomic_path(path) as draft:
        image.save(draft, "PNG", optimize=True)


def _draw(canvas: ImageDraw, shape: Drawn) -> None:
    if isinstance(shape, DrawnBox):
        x1, y1 = shape.x * SCALE, shape.y * SCALE
        x2, y2 = x1 + max(shape.width * SCALE, 1), y1 + shape.height * SCALE
        outline = shape.stroke or None
        canvas.rectangle((x1, y1, x2, y2), shape.fill, None if shape.dashed else outline)
        if shape.dashed:
            for ends in (((x1, y1), (x2, y1)), ((x2, y1), (x2, y2)), ((x2, y2), (x1, y2)), ((x1, y2), (x1, y1))):
                _dashes(canvas, *ends, shape.stroke)
    elif isinstance(shape, DrawnLine):
        xy = (shape.x1 * SCALE, shape.y1 * SCALE, shape.x2 * SCALE, shape.y2 * SCALE)
        canvas.line(xy, shape.stroke, max(1, round(shape.width * SCALE / 2)))
    else:
        _write(canvas, shape)


def _dashes(
    canvas: ImageDraw, start: tuple[float, float], end: tuple[float, float], ink: str, on: float = 4, off: float = 2.5
) -> None:
    length = abs(end[0] - start[0]) + abs(end[1] - start[1])  # the line is horizontal or vertical
    at = 0.0
    while at < length:
        parts = at / length, min(at + on * SCALE, length) / length
        xy = [(start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])) for part in parts]
        canvas.line(xy, ink, SCALE)
        at += (on + off) * SCALE


def _write(canvas: ImageDraw, words: DrawnText) -> None:
    width = 1 if words.bold else 0  # the font that comes with Pillow has no bold letters
    canvas.text(
        (words.x * SCALE, words.y * SCALE), words.text, words.fill, _font(words.size * SCALE),
        _ANCHORS[words.anchor], stroke_width=width, stroke_fill=words.fill,
    )  # fmt: skip


@cache
def _font(size: float) -> FreeTypeFont | ImageFont:
    from PIL import ImageFont, features

    if not features.check("freetype2"):
        raise PuppetError("this Pillow was built without FreeType and cannot draw letters; write an .svg instead")
    return ImageFont.load_default(size)
