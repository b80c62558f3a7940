"""Animated pictures (.gif): one palette for all frames, small enough for a README."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from puppet.export import Progress
from puppet.export.frame_renderer import Size, frame_renderer, picture_size, refuse_empty
from puppet.export.frame_selection import frame_hundredths, resample_frames, spread_evenly
from puppet.files.atomic_write import atomic_path
from puppet.performance import Performance
from puppet.render.camera import Camera

if TYPE_CHECKING:
    from PIL import Image

    from puppet.render.target import Pixels

MAX_GIF_FPS = 50.0  # viewers show frames of less than two hundredths of a second slowly
_SAMPLES = 12  # frames for the palette
_COLORS = 255  # and one more for pixels that stay as before
_DITHER_SPREAD = 5.0  # of 256 levels
_KEEP_TOLERANCE = 5  # of 256 levels: a pixel that is off by no more stays as it is
# Ordered dithering is the same in every frame: what does not move stays the same bits, and costs nothing.
_BAYER = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16.0 - 0.46875


def write(
    performance: Performance,
    path: Path,
    *,
    camera: str | Camera = "three-quarter",
    size: Size | str = (480, 360),
    fps: float = 15.0,
    labels: bool = False,
    arrows: bool = False,
    progress: Progress | None = None,
) -> None:
    """`fps`: pictures a second, at most 50; the speed of the motion stays the same."""
    refuse_empty(performance)
    wanted = picture_size(size)
    rate = min(fps, performance.fps, MAX_GIF_FPS) if fps > 0.0 else fps
    order = resample_frames(len(performance.angles), performance.fps, rate)
    with frame_renderer(performance, wanted, camera, labels, arrows) as render_frame:
        palette = _palette([render_frame(frame) for frame in spread_evenly(order, _SAMPLES)])
        colors = np.array(palette.getpalette(), dtype=np.uint8).reshape(-1, 3)[:_COLORS]
        images: list[Image.Image] = []
        before: Pixels | None = None
        for done, frame in enumerate(order, 1):
            before = _palette_indices(render_frame(frame), palette, colors, before)
            images.append(_image(before, colors))
            if progress is not None:
                progress(done / len(order))
    with atomic_path(path) as draft:
        images[0].save(
            draft,
            format="GIF",
            save_all=True,
            append_images=images[1:],
            duration=[10 * time for time in frame_hundredths(len(order), rate)],
            loop=0,
            optimize=True,  # writes only what has changed; the rest is transparent
            transparency=len(colors),
            palette=colors.tobytes() + bytes(3),  # one for all
        )


def _palette(pictures: list[Pixels]) -> Image.Image:
    from PIL import Image

    sheet = Image.fromarray(np.concatenate([picture[::2, ::2] for picture in pictures]))  # a quarter is enough
    return sheet.quantize(_COLORS, method=Image.Quantize.MEDIANCUT, kmeans=1)


def _palette_indices(picture: Pixels, palette: Image.Image, colors: Pixels, before: Pixels | None) -> Pixels:
    """The palette index of each pixel, (height, width); that of the frame before where it is near enough."""
    from PIL import Image

    height, width, _ = picture.shape
    pattern = np.tile(_BAYER, (height // 4 + 1, width // 4 + 1))[:height, :width, None]
    dithered = np.clip(np.round(picture + _DITHER_SPREAD * pattern), 0, 255).astype(np.uint8)
    found = np.array(Image.fromarray(dithered).quantize(palette=palette, dither=Image.Dither.NONE))
    if before is not None:
        gap = np.abs(colors[before].astype(np.int16) - picture).max(axis=2)
        found = np.where(gap <= _KEEP_TOLERANCE, before, found)
    return found


def _image(numbers: Pixels, colors: Pixels) -> Image.Image:
    from PIL import Image

    image = Image.frombytes("P", (numbers.shape[1], numbers.shape[0]), numbers.tobytes())
    image.putpalette(colors.tobytes())
    return image
