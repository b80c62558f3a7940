"""Where pictures of a performance are taken: a renderer without a window, a camera, and the choice of frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from puppet.errors import PuppetError
from puppet.performance import Performance
from puppet.render.camera import Camera, preset
from puppet.render.model import stage_model, stage_points, stage_transforms
from puppet.types import Floats

if TYPE_CHECKING:
    from puppet.render.target import Pixels

Size = tuple[int, int]  # width and height in pixels
Shoot = Callable[[int], "Pixels"]
SMALLEST = 16


@contextmanager
def studio(performance: Performance, size: Size, camera: str | Camera, labels: bool) -> Iterator[Shoot]:
    """Gives a function that takes the picture of a frame, (height, width, 3), counted from the first that was kept."""
    # Late: who writes other files never needs graphics libraries.
    from puppet.render.context import HeadlessContext
    from puppet.render.renderer import Renderer

    body, scene = performance.body, performance.scene
    seen = camera_for(performance, camera, size)
    joints, objects = performance.frames, performance.object_frames
    with HeadlessContext(), Renderer(stage_model(body, scene), size) as renderer:
        last: tuple[Floats, Pixels] | None = None

        def shoot(frame: int) -> Pixels:
            nonlocal last
            rows = stage_transforms(joints[frame], objects[frame])
            if last is None or not np.array_equal(rows, last[0]):  # in a pause nothing has to be drawn again
                renderer.draw(rows, seen, labels)
                last = rows, renderer.read()
            return last[1]

        yield shoot


def camera_for(performance: Performance, camera: str | Camera, size: Size) -> Camera:
    """A camera as it is, or by name: then one that does not move and shows the whole performance."""
    if isinstance(camera, Camera):
        return camera
    points = stage_points(
        performance.body, performance.scene, performance.joint_positions, performance.object_positions
    )
    return preset(camera, points, size[0] / size[1])


def picture_size(size: Size | str) -> Size:
    """A size as a pair or as written: 960x540."""
    parts: Sequence[object] = size.lower().split("x") if isinstance(size, str) else tuple(size)
    try:
        width, height = (int(str(part)) for part in parts)
    except ValueError:
        raise PuppetError(f"a picture's size is width x height in pixels, such as 960x540, not {size!r}") from None
    if width < SMALLEST or height < SMALLEST:
        raise PuppetError(f"a picture of {width}x{height} pixels is too small: from {SMALLEST}x{SMALLEST}")
    return width, height


def refuse_empty(performance: Performance) -> None:
    if not len(performance.angles):
        raise PuppetError("there is no frame to draw: nothing was recorded")


def resampled(frames: int, fps: float, wanted: float) -> list[int]:
    """Which frame is seen at each time of a film with another number of frames a second: the same speed."""
    if not 0.0 < wanted <= 240.0:
        raise PuppetError(f"frames per second must be above 0 and at most 240, not {wanted:g}")
    count = max(1, round(frames * wanted / fps))
    return [min(frames - 1, round(n * fps / wanted)) for n in range(count)]


def chosen_frames(text: str, first: int, last: int) -> list[int]:
    """Frame numbers as written: 1,20,50-60:5 are 1, 20, 50, 55 and 60."""
    found: list[int] = []
    for entry in text.split(","):
        whole = entry.strip()
        span, _, step = whole.partition(":")
        start, dash, end = span.partition("-")
        numbers = [part.strip() for part in (start, end if dash else start, step if ":" in whole else "1")]
        if not all(part.isdecimal() for part in numbers) or int(numbers[2]) == 0:
            raise PuppetError(f"cannot read '{whole}' in frames '{text}': write numbers, 50-60 or 50-60:5, with commas")
        low, high, stride = (int(part) for part in numbers)
        if low > high:
            raise PuppetError(f"'{whole}' in frames '{text}' runs backwards: write {high}-{low}")
        for number in (low, high):
            if not first <= number <= last:
                raise PuppetError(f"there is no frame {number} (in '{text}'): the frames are {first} to {last}")
        found += range(low, high + 1, stride)
    return found


def evenly(indices: Sequence[int], count: int) -> list[int]:
    """At most so many of them, spread from the first to the last."""
    if len(indices) <= count:
        return list(indices)
    places = [round(n * (len(indices) - 1) / (count - 1)) for n in range(count)]
    return [indices[place] for place in places]


def hundredths(count: int, fps: float) -> list[int]:
    """How long each frame is shown in hundredths of a second, so that no time is lost over the whole film."""
    ends = [round(100.0 * n / fps) for n in range(count + 1)]
    return [max(1, end - start) for start, end in pairwise(ends)]
