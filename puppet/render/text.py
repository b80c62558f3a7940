"""Text as pixels, in the font that comes with Pillow: the same everywhere."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from puppet.render.target import Pixels

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont, ImageFont

INK = (52, 44, 40)


@cache
def font(height: int) -> FreeTypeFont | ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(height)


def text_size(text: str, height: int) -> tuple[int, int]:
    """Width of a line of text, and the height of every line."""
    left, _, right, _ = font(height).getbbox(text)
    return int(np.ceil(right - min(left, 0))), int(round(1.35 * height))


def plate(text: str, height: int) -> Pixels:
    """A name on a light plate with round corners, (h, w, 4)."""
    from PIL import Image, ImageDraw

    width, line = text_size(text, height)
    size = (width + height, line + 2)
    scale = 4  # drawn larger: Pillow's shapes are not smoothed
    shape = Image.new("L", (scale * size[0], scale * size[1]), 0)
    ImageDraw.Draw(shape).rounded_rectangle((0, 0, shape.width - 1, shape.height - 1), scale * size[1] // 2, fill=215)
    picture: Any = Image.new("RGBA", size, (255, 253, 249, 0))
    picture.putalpha(shape.resize(size, Image.Resampling.BOX))
    over = Image.new("RGBA", size, (*INK, 0))
    ImageDraw.Draw(over).text((height // 2, size[1] // 2), text, fill=(*INK, 255), font=font(height), anchor="lm")
    return np.asarray(Image.alpha_composite(picture, over))
