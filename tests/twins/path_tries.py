"""Arms on paths that are bent in several ways, frame by frame: the readable twin of puppet.kernels.path_descent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from puppet.geometry import Transforms
from puppet.motion.arm_frames import ArmFrames, middle
from puppet.motion.hand_path import bases
from puppet.motion.problem import HandCourse, Tried
from puppet.types import Flags, Floats, Ints


class PlainFrames:
    """Arms in closed form that are looked at one path after the other."""

    def __init__(self, frames: ArmFrames) -> None:
        self.frames = frames

    def tried(
        self, hands: tuple[HandCourse, ...], frames: Ints, bends: Floats, swings: Floats,
        looked_at: Flags | None = None, only: int | None = None,
    ) -> Tried:  # fmt: skip
        """The frames of paths with bends (n, hands, 2, 3) and swings (n, hands) added, one after the other. Places
        along a path are not spread anew over its length. Nothing is missing where it is not looked at."""
        rows, each = np.arange(len(frames)), []
        looked_at = np.ones(len(bends) * len(frames), dtype=bool) if looked_at is None else looked_at
        for k, (own, by) in enumerate(zip(bends, swings, strict=True)):
            courses, swivels = self.frames.courses(hands, frames)
            wrists: dict[str, Transforms] = {}
            for n, hand in enumerate(hands):
                shares = hand.shares[np.minimum(frames, len(hand.shares) - 1)]
                swivels[:, n] += middle(shares) * by[n]
                if hand.path is not None:
                    first, second = bases(hand.path.parameters(shares))
                    courses[:, n, :3] += first[:, None] * own[n, 0] + second[:, None] * own[n, 1]
                    wrists[hand.hand] = Transforms(courses[:, n, :3], courses[:, n, 3:].reshape(-1, 3, 3))
                else:
                    courses[:, n] = self.frames._held(hand, wrists, frames).rows
            found = self.frames._found(hands, frames, rows, courses, swivels, only)
            dark = ~looked_at[k * len(frames) : (k + 1) * len(frames)]
            missing, depths = found.missing.copy(), found.depths.copy()
            missing[dark], depths[dark] = 0.0, 0.0
            each.append(replace(found, missing=missing, depths=depths))
        return Tried(
            np.concatenate([f.off for f in each]), np.concatenate([f.missing for f in each]),
            np.concatenate([f.depths for f in each]), np.concatenate([f.overs for f in each]),
        )  # fmt: skip
