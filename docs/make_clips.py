"""Makes the picture of docs/clips.md: `python docs/make_clips.py [FILE.bvh OUT.png]`. A walk, and the same walk that
dodges a ball; that of a recorded file, if one is given.

The dodge is Figures 9 and 10 of Yamane and Nakamura (2003): feet stay on their way, head and left hand are dragged.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
SIZE, SHOWN = (250, 300), 5
WALK = 'environment "cafe"\nwalk to (0.4, -0.7)\n'
BALL, FLIGHT = 0.045, 0.8  # radius, and how far it flies in the pictures, in body heights


def main(words: list[str]) -> None:
    from PIL import Image

    import puppet

    with tempfile.TemporaryDirectory() as name:
        path = Path(words[0]) if words else Path(name) / "walk.bvh"
        if not words:
            script = Path(name) / "walk.puppet"
            script.write_text(WALK, encoding="utf-8")
            puppet.run(script).save(path)
        clip = puppet.Clip.load(path)
    apex, blend = len(clip) // 2, round(0.4 * clip.fps)
    edited = clip.edit(dodge(clip, apex, blend))
    rows = [np.concatenate(pictures(motion, clip, apex, blend), axis=1) for motion in (clip, edited)]
    out = Path(words[1]) if words else FOLDER / "pictures" / "clips_dodge.png"
    Image.fromarray(np.concatenate(rows)).save(out, optimize=True)


def dodge(clip, apex: int, blend: int) -> str:  # type: ignore[no-untyped-def]
    """Head to the side and down, left hand up before it, out of the way of what comes from ahead."""
    ahead, aside = ways(clip, apex)
    head, hand = 0.13 * -aside - np.array([0.0, 0.11, 0.0]) - 0.03 * ahead, 0.1 * aside + np.array([0.0, 0.16, 0.0])
    words = [f"drag {part} by ({', '.join(f'{value:.3f}' for value in by)}), speed {blend}"
             for part, by in (("head", head), ("left hand", hand + 0.1 * ahead))]  # fmt: skip
    return f"at {apex - blend}\n" + "\n".join(words) + "\n"


def ways(clip, frame: int):  # type: ignore[no-untyped-def]
    """The directions ahead and to the left of who walks."""
    left, right = (clip.joint_positions[frame, clip.body.joint(f"{side}_hip")] for side in ("left", "right"))
    aside = (left - right) * (1.0, 0.0, 1.0)
    aside /= np.linalg.norm(aside)
    return np.cross(aside, (0.0, 1.0, 0.0)), aside


def pictures(motion, clip, apex: int, blend: int) -> list[np.ndarray]:  # type: ignore[no-untyped-def]
    from dataclasses import replace

    from puppet.body import Shape
    from puppet.render.camera import preset
    from puppet.render.context import HeadlessContext
    from puppet.render.model import stage_model, stage_points, stage_transforms
    from puppet.render.renderer import Renderer

    body, scene = motion.body, motion.performance.scene
    ahead, _ = ways(clip, apex)
    target = clip.joint_positions[apex, body.joint("head")] + (0.0, 0.05, 0.0)
    frames = np.linspace(apex - blend, apex + blend, SHOWN).round().astype(int)
    near = clip.joint_positions[frames[0] : frames[-1] + 1]
    camera = preset("three-quarter", stage_points(body, scene, near, np.empty((0, 3))), SIZE[0] / SIZE[1])
    found = []
    for n, frame in enumerate(frames):
        place = target + FLIGHT * (0.5 - n / (SHOWN - 1)) * ahead
        ball = Shape("ball", (tuple(place.tolist()),), 3 * (BALL,), "ball")
        colors = {**body.colors, "ball": (0.75, 0.2, 0.12)}
        among = replace(body, fixed_shapes=(*body.fixed_shapes, ball), colors=colors)
        with HeadlessContext(), Renderer(stage_model(among, scene), SIZE) as renderer:
            renderer.draw(stage_transforms(motion.joint_transforms[frame]), camera, False)
            found.append(renderer.read())
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
