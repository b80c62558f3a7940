"""Renders frames of a performance without a window."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from puppet.errors import PuppetError
from puppet.performance import Performance
from puppet.render.arrows import arrow_transforms
from puppet.render.camera import Camera, preset
from puppet.render.model import stage_model, stage_points, stage_transforms
from puppet.types import Floats

if TYPE_CHECKING:
    from puppet.render.target import Pixels

Size = tuple[int, int]  # width and height in pixels
RenderFrame = Callable[[int], "Pixels"]
MIN_EDGE = 16


@contextmanager
def frame_renderer(
    performance: Performance, size: Size, camera: str | Camera, labels: bool, arrows: bool = False
) -> Iterator[RenderFrame]:
    """A function that renders a frame, counted from the first recorded one, as pixels (height, width, 3). arrows: with
    contact forces."""
    from puppet.dynamics import Forces  # late, as below

    drawn = performance if arrows and isinstance(performance, Forces) else None
    if arrows and drawn is None:
        raise PuppetError("there are forces to draw only with physics (--physics, or 'physics on')")
    # Late: other files are written without graphics libraries.
    from puppet.render.context import HeadlessContext
    from puppet.render.renderer import Renderer

    body, scene = performance.body, performance.scene
    seen = camera_for(performance, camera, size)
    joints, objects = performance.joint_transforms, performance.object_transforms
    model = stage_model(body, scene, 0 if drawn is None else len(drawn.contact_points))
    with HeadlessContext(), Renderer(model, size) as renderer:
        last: tuple[Floats, Pixels] | None = None

        def render_frame(frame: int) -> Pixels:
            nonlocal last
            acting = () if drawn is None else arrow_transforms(*drawn.acting(frame), body.height)
            rows = stage_transforms(joints[frame], objects[frame], acting)
            if last is None or not np.array_equal(rows, last[0]):  # in a pause nothing is drawn again
                renderer.draw(rows, seen, labels)
                last = rows, renderer.read()
            return last[1]

        yield render_frame


def camera_for(performance: Performance, camera: str | Camera, size: Size) -> Camera:
    """A camera as it is, or by name: then it is placed to show the whole performance."""
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
    if width < MIN_EDGE or height < MIN_EDGE:
        raise PuppetError(f"a picture of {width}x{height} pixels is too small: from {MIN_EDGE}x{MIN_EDGE}")
    return width, height


def refuse_empty(performance: Performance) -> None:
    if not len(performance.angles):
        raise PuppetError("there is no frame to draw: nothing was recorded")
