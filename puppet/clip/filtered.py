"""A clip that went through the dynamics filter: the motion that contact forces can cause, with these forces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from puppet.bvh import BvhClip
from puppet.clip.clip import OWN_BODIES, Clip
from puppet.dynamics import FilteredPerformance, Forces, HoldAt, PushAt, filter_recording, with_flat_soles
from puppet.performance import Performance


@dataclass(frozen=True, eq=False, kw_only=True)
class FilteredClip(Forces, Clip):
    """A clip as contact forces can cause it; its report has an entry `physics`."""

    @cached_property
    def performance(self) -> FilteredPerformance:
        """The clip as a performance, with its forces."""
        plain = super().performance
        given = {field.name: getattr(plain, field.name) for field in fields(Performance)}
        return FilteredPerformance(**given, **{field.name: getattr(self, field.name) for field in fields(Forces)})


def filter_clip(clip: Clip, friction: float, pushes: Iterable[PushAt], holds: Iterable[HoldAt]) -> FilteredClip:
    """A clip through the filter, on the ground that it stands on. A body that was made for it gets flat soles."""
    body, fit = clip.body, clip.fit
    if body.name not in OWN_BODIES and any(joint.contacts for joint in body.joints) and len(clip) > 1:
        body = with_flat_soles(body, clip.angles, clip.fps)
        fit = replace(fit, body=body)
    angles, told, beside = filter_recording(body, clip.angles, clip.fps, friction, pushes, holds, clip.ground)
    values = fit.values(clip.bvh, angles, np.arange(len(angles)))
    bvh = BvhClip.of(clip.bvh.joints, clip.bvh.frame_time, values)
    return FilteredClip(fit, bvh, angles, {**clip.report, "physics": told}, **beside)
