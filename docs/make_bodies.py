"""Makes the picture of docs/bodies.md: `python docs/make_bodies.py`. The bodies that come along, posed as figures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
HEIGHT = 330
WIDTHS = {"person": 210, "arm": 260, "hugger": 400}


def main() -> None:
    from PIL import Image

    pictures = [_picture(figure) for figure in _figures()]
    path = FOLDER / "pictures" / "bodies.png"
    Image.fromarray(np.concatenate(pictures, axis=1)).save(path, optimize=True)


def _figures() -> Iterator:  # type: ignore[type-arg]
    """A person at rest, one that reaches up, an arm that reaches down, and a hugger that lifts a leg."""
    import puppet

    yield puppet.Figure(puppet.Body.load("person"))

    person = puppet.Figure(puppet.Body.load("person"))
    for foot in ("left_foot", "right_foot"):
        person.pin(foot)
    person.pin("pelvis")
    person.drag("left_hand", to=(0.26, 1.06, 0.14))
    yield person

    arm = puppet.Figure(puppet.Body.load("arm"))
    arm.drag("link_4", to=(0.0, 0.2, 0.42), point=(0.0, 0.14, 0.0))
    yield arm

    hugger = puppet.Figure(puppet.Body.load("hugger"))
    for limb in hugger.body.limbs.values():
        foot = hugger.body.joints[limb.joints[-1]]
        if limb.kind == "leg" and limb.name != "left leg 1":
            hugger.pin(foot.name, point=foot.tip, orientation=False)
    hugger.pin("body")
    hugger.drag("left_foot_1", to=(0.26, 0.3, 0.16), point=(0.1, 0.0, 0.0))
    yield hugger


def _picture(figure) -> np.ndarray:  # type: ignore[no-untyped-def]
    from puppet.body import joint_transforms
    from puppet.render.camera import preset
    from puppet.render.context import HeadlessContext
    from puppet.render.model import stage_model, stage_points, stage_transforms
    from puppet.render.renderer import Renderer

    body = figure.body
    transforms = joint_transforms(body, figure.angles)
    size = WIDTHS[body.name], HEIGHT
    camera = preset("three-quarter", stage_points(body, None, transforms[:, :3]), size[0] / size[1])
    with HeadlessContext(), Renderer(stage_model(body), size) as renderer:
        renderer.draw(stage_transforms(transforms), camera)
        return renderer.read()


if __name__ == "__main__":
    main()
