"""Random scripts of edits for recorded clips, the same each time for a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from puppet import Clip
from puppet.types import Floats

PARTS = ("head", "left_hand", "right_hand", "pelvis", "chest", "left_foot", "right_foot")
SHORTEST, LONGEST = 0.05, 0.3  # ways, in body heights
QUICKEST, SLOWEST = 0.1, 0.4  # seconds that a drag is told to take
HOLDS = (0.3, 1.2)  # seconds that a pin holds
LEAD, TRAIL = 0.2, 1.2  # seconds from the ends of a clip in which no edit begins


def told(clip: Clip, seed: int, count: int = 15) -> Iterator[str]:
    """Drags that are told how long to take."""
    draw = random.Random(f"told {seed} {clip.body.name}")
    for _ in range(count):
        frames = max(1, round(draw.uniform(QUICKEST, SLOWEST) * clip.fps))
        yield f"at {_begin(draw, clip)}\ndrag {_part(draw, clip)} by {_written(_way(draw))}, speed {frames}\n"


def placed(clip: Clip, seed: int, count: int = 5) -> Iterator[str]:
    """Pins to places that are told by when to be there."""
    draw = random.Random(f"placed {seed} {clip.body.name}")
    for _ in range(count):
        at, part = _begin(draw, clip), _part(draw, clip)
        hold = round(draw.uniform(*HOLDS) * clip.fps)
        frames = max(1, round(draw.uniform(QUICKEST, SLOWEST) * clip.fps))
        halfway = clip.joint_positions[min(at + hold // 2, len(clip) - 1), clip.body.joint(part)]
        there, end = _written(halfway + _way(draw)), at + max(hold, frames)
        yield f"set speed {frames}\nat {at}\npin {part} to {there}\nat {end}\nunpin {part}\n"


def untold(clip: Clip, seed: int, count: int = 3) -> Iterator[str]:
    """Edits of each kind that nobody told how quick to be."""
    draw = random.Random(f"untold {seed} {clip.body.name}")
    for _ in range(count):
        at, part = _begin(draw, clip), _part(draw, clip)
        hold = round(draw.uniform(*HOLDS) * clip.fps)
        drag = f"at {at}\ndrag {part} by {_written(_way(draw))}\n"
        other = draw.choice([name for name in PARTS if name != part and name in clip.body.joint_names])
        halfway = clip.joint_positions[min(at + hold // 2, len(clip) - 1), clip.body.joint(part)]
        there, look = _written(halfway + _way(draw)), _written(np.array([draw.uniform(-1.5, 1.5) for _ in range(3)]))
        yield drag
        yield f"at {at}\ndrag pelvis by {_written(_way(draw))}\n"
        yield f"at {max(at - hold // 2, 1)}\npin {other}\n{drag}at {at + hold}\nunpin {other}\n"
        yield f"at {at}\npin {part} to here\nat {at + hold}\nunpin {part}\n"
        yield f"at {at}\npin {part} to {there}\nat {at + hold}\nunpin {part}\n"
        yield f"{drag}at {at + hold // 4}\npin {other} to here\nat {at + hold}\nunpin {other}\n"
        yield f"at {at}\nlook at {look}\nat {at + hold}\nlook ahead\n"


def _begin(draw: random.Random, clip: Clip) -> int:
    return draw.randint(round(LEAD * clip.fps) + 1, max(len(clip) - round(TRAIL * clip.fps), 2))


def _part(draw: random.Random, clip: Clip) -> str:
    return draw.choice([part for part in PARTS if part in clip.body.joint_names])


def _way(draw: random.Random) -> Floats:
    way = np.array([draw.gauss(0.0, 1.0) for _ in range(3)])
    return way * draw.uniform(SHORTEST, LONGEST) / float(np.linalg.norm(way))


def _written(place: Floats) -> str:
    return "({:.3f}, {:.3f}, {:.3f})".format(*place)
