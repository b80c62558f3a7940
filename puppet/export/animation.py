"""An animation for a page (.gif): one palette for all frames, small enough for a README."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from puppet.export import Progress
from puppet.export.studio import Size, evenly, hundredths, picture_size, refuse_empty, resampled, studio
from puppet.files.atomic_write import atomic_path
from puppet.performance import Performance
from puppet.render.camera import Camera

if TYPE_CHECKING:
    from PIL import Image

    from puppet.render.target import Pixels

MOST_FPS = 50.0  # viewers show frames of less than two hundredths of a second slowly
_SAMPLES = 12  # frames that the palette is made from
_COLORS = 255  # and one more that says: as before
_SPREAD = 5.0  # of the dither, in steps of 256
_KEPT = 5  # a pixel that is as near as this to what it should be stays as it is, in steps of 256
# An ordered dither is the same in every frame: what does not move stays the same to the bit, and costs nothing.
_BAYER = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16.0 - 0.46875


def write(
    performance: Performance,
    path: Path,
    *,
    camera: str | Camera = "three-quarter",
    size: Size | str = (480, 360),
    fps: float = 15.0,
    labels: bool = False,
    progress: Progress | None = None,
) -> None:
    """`fps` says how often pictures are taken (at most 50 a second), never the speed."""
    refuse_empty(performance)
    wanted = picture_size(size)
    rate = min(fps, performance.fps, MOST_FPS) if fps > 0.0 else fps
    order = resampled(len(performance.angles), performance.fps, rate)
    with studio(performance, wanted, camera, labels) as shoot:
        palette = _palette([shoot(frame) for frame in evenly(order, _SAMPLES)])
        colors = np.array(palette.getpalette(), dtype=np.uint8).reshape(-1, 3)[:_COLORS]
        images: list[Image.Image] = []
        before: Pixels | None = None
        for done, frame in enumerate(order, 1):
            before = _numbered(shoot(frame), palette, colors, before)
            images.append(_image(before, colors))
            if progress is not None:
                progress(done / len(order))
    with atomic_path(path) as draft:
        images[0].save(
            draft,
            format="GIF",
            save_all=True,
            append_images=images[1:],
            duration=[10 * time for time in hundredths(len(order), rate)],
            loop=0,
            optimize=True,  # writes what has changed; the rest is the transparent color
            transparency=len(colors),
            palette=colors.tobytes() + bytes(3),  # one for all
        )


def _palette(pictures: list[Pixels]) -> Image.Image:
    from PIL import Image

    sheet = Image.fromarray(np.concatenate([picture[::2, ::2] for picture in pictures]))  # a quarter tells enough
    return sheet.quantize(_COLORS, method=Image.Quantize.MEDIANCUT, kmeans=1)


def _numbered(picture: Pixels, palette: Image.Image, colors: Pixels, before: Pixels | None) -> Pixels:
    """The number of each pixel's color, (height, width); that of the frame before where it still serves."""
    from PIL import Image

    height, width, _ = picture.shape
    pattern = np.tile(_BAYER, (height // 4 + 1, width // 4 + 1))[:height, :width, None]
    dithered = np.clip(np.round(picture + _SPREAD * pattern), 0, 255).astype(np.uint8)
    found = np.array(Image.fromarray(dithered).quantize(palette=palette, dither=Image.Dither.NONE))
    if before is not None:
        gap = np.abs(colors[before].astype(np.int16) - picture).max(axis=2)
        found = np.where(gap <= _KEPT, before, found)
    return found


def _image(numbers: Pixels, colors: Pixels) -> Image.Image:
    from PIL import Image

    image = Image.frombytes("P", (numbers.shape[1], numbers.shape[0]), numbers.tobytes())
    image.putpalette(colors.tobytes())
    return image
