"""Pictures to compare with, how to compare, and performances to draw that no solver has a say in.

`python -m tests.pictures` draws the golden pictures anew; look at each before you keep it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from puppet.body import Body
from puppet.errors import PuppetError
from puppet.export.frame_renderer import frame_renderer
from puppet.geometry import Transform
from puppet.performance import Performance
from puppet.render.camera import preset
from puppet.render.context import HeadlessContext
from puppet.render.renderer import Renderer
from puppet.render.skeleton import Skeleton
from puppet.scene import Object, Scene, Table

GOLDEN = Path(__file__).parent / "golden"
SIZE = (320, 240)
SHAPES = {"block": "gold", "cup": "ivory", "pot": "steelblue", "jar": "teal", "lamp": "crimson", "ball": "orange"}
GREETING = {"left_shoulder": (25, -35, 0), "left_forearm": (-85, 0, -60), "head": (10, 0, 35)}  # degrees


def graphics() -> None:
    """Skips a test where nothing can be drawn, and says what is missing."""
    try:
        HeadlessContext().close()
    except PuppetError as error:
        pytest.skip(str(error))


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """How much two pictures (h, w, 3) differ, 0 to 1, where it differs most: blurred over 1/16 of the picture's height.

    Drivers disagree on single pixels at edges; a thing in another place or of another color is larger than that.
    """
    assert one.shape == other.shape
    block = max(1, one.shape[0] // 16)
    gap = np.abs(one.astype(np.float64) - other).mean(axis=2) / 255.0
    height, width = (n - n % block for n in gap.shape)
    blocks = gap[:height, :width].reshape(height // block, block, width // block, block).mean(axis=(1, 3))
    return float(blocks.max())


def golden(name: str) -> np.ndarray:
    return np.asarray(Image.open(GOLDEN / f"{name}.png").convert("RGB"))


def small_scene() -> Scene:
    """One thing of each shape on a table."""
    places = {f"at {name}": (-0.3 + 0.12 * n, 0.6, 0.36 + 0.07 * (n % 2)) for n, name in enumerate(SHAPES)}
    things = [(Object(name, 0.036, color, name), f"at {name}") for name, color in SHAPES.items()]
    return Scene.build(Table(0.6, 0.2, 0.0), places, things)


def still(frames: int = 1, fps: float = 30.0, **turned: tuple[float, float, float]) -> Performance:
    """The seated puppet, moving evenly from its rest to a posture: joints and their degrees in their own order."""
    body, scene = Body.load("seated"), small_scene()
    goal = np.array(body.rest)
    for name, degrees in turned.items():
        goal[3 * body.joint_names.index(name) :][:3] = np.radians(degrees)
    shares = np.linspace(0.0, 1.0, frames) if frames > 1 else np.ones(1)
    angles = body.rest + shares[:, None] * (goal - body.rest)
    poses = {thing.name: Transform.of(scene.centre(thing.name)) for thing in scene.objects}
    task = {"interpretation": "Greet", "status": "done", "start": 0, "end": frames - 1}
    return Performance(body, scene, fps, angles, {"tasks": [task] if frames > 1 else []}, ((0, poses),))


def mirrored(turned: dict[str, tuple[float, float, float]]) -> dict[str, tuple[float, float, float]]:
    """The same with the other hand: joints of one side for those of the other, turned the other way about y and z."""
    sides = {"left": "right", "right": "left"}
    axes = {joint.name: joint.rotations for joint in Body.load("seated").joints}
    found = {}
    for name, degrees in turned.items():
        side, _, rest = name.partition("_")
        turns = zip(axes[name], degrees, strict=True)
        found[f"{sides[side]}_{rest}" if side in sides else name] = tuple(a if r.axis == 0 else -a for r, a in turns)
    return found


def picture(performance: Performance, camera: str, size: tuple[int, int] = SIZE, labels: bool = False) -> np.ndarray:
    with frame_renderer(performance, size, camera, labels) as render_frame:
        return render_frame(-1)


def bones() -> np.ndarray:
    """A skeleton in centimetres, with bones in many directions."""
    parents = (-1, 0, 1, 1, 3, 1, 5, 0, 7, 0, 9)
    trunk = [(0, 95, 0), (0, 140, 2), (0, 172, 5)]
    arms = [(18, 138, 0), (45, 150, 22), (-18, 138, 0), (-30, 110, 8)]
    legs = [(10, 90, 0), (14, 4, 10), (-10, 90, 0), (-12, 2, -8)]
    at = np.array([*trunk, *arms, *legs], dtype=np.float64)
    skeleton = Skeleton.of(at, parents)
    with HeadlessContext(), Renderer(skeleton.model, SIZE) as renderer:
        renderer.draw(skeleton.transforms(at), preset("three-quarter", skeleton.points, SIZE[0] / SIZE[1]))
        return renderer.read()


GOLDENS = {
    "greeting_front": lambda: picture(still(**GREETING), "front"),
    "greeting_three_quarter": lambda: picture(still(**GREETING), "three-quarter"),
    "rest_side": lambda: picture(still(), "side"),
    "rest_top": lambda: picture(still(), "top"),
    "bones": bones,
}

if __name__ == "__main__":
    for name, draw in GOLDENS.items():
        Image.fromarray(draw()).save(GOLDEN / f"{name}.png", optimize=True)
