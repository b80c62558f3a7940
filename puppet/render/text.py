"""Text as pixels, in Pillow's own font, so that it looks the same everywhere."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from puppet.render.target import Pixels

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont, ImageFont

LABEL_INK, LABEL_PAPER = (52, 44, 40), (255, 253, 249)


@cache
def text_font(height: int) -> FreeTypeFont | ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(height)


def text_size(text: str, height: int) -> tuple[int, int]:
    """Width of a text in pixels, and the height of a line."""
    left, _, right, _ = text_font(height).getbbox(text)
    return int(np.ceil(right - min(left, 0))), round(1.35 * height)


def shortened(text: str, height: int, width: int) -> str:
    """A text cut to fit a width, with dots where something is left out."""
    if text_size(text, height)[0] <= width:
        return text
    while text and text_size(text + "...", height)[0] > width:
        text = text[:-1]
    return text.rstrip(" ,") + "..."


def text_image(text: str, height: int, plate: bool) -> Pixels:
    """A text as RGBA pixels (h, w, 4), on a light plate with round corners or on nothing."""
    from PIL import Image, ImageDraw

    width, line = text_size(text, height)
    size = (width + height, line + 2)
    picture = Image.new("RGBA", size, (*LABEL_PAPER, 0) if plate else (*LABEL_INK, 0))
    if plate:
        scale = 4  # drawn larger: Pillow's shapes are not smoothed
        shape = Image.new("L", (scale * size[0], scale * size[1]), 0)
        corners = (0, 0, shape.width - 1, shape.height - 1)
        ImageDraw.Draw(shape).rounded_rectangle(corners, scale * size[1] // 2, fill=215)
        picture.putalpha(shape.resize(size, Image.Resampling.BOX))
    ink = Image.new("RGBA", size, (*LABEL_INK, 0))
    middle = (size[0] // 2, size[1] // 2)
    fill = (*LABEL_INK, 255 if plate else 150)
    ImageDraw.Draw(ink).text(middle, text, fill=fill, font=text_font(height), anchor="mm")
    return np.asarray(Image.alpha_composite(picture, ink))
