"""Runs a file of an animation space: from its text to a performance, with forces."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from puppet.body import Body
from puppet.dynamics import FilteredPerformance
from puppet.geometry import Transform
from puppet.scene import Object, Scene, Space, Stack
from puppet.spaces.coordinates import Course
from puppet.spaces.crawling import Inchworm, share_of_time
from puppet.spaces.space import AnimationSpace
from puppet.spaces.space_file import ROPE, ClosedLoop, Drive, SpaceFile, among_props, read_space
from puppet.types import Floats

BEADS, BEAD = 24, 0.008  # of a rope that is drawn, and half the width of each, in body heights


def run_space(text: str, source: str, body: Body | None = None) -> FilteredPerformance:
    """The performance of the text of an animation space, as `read_space` reads it."""
    return perform_space(read_space(text, source, body))


def perform_space(given: SpaceFile) -> FilteredPerformance:
    if given.goals:
        worm = Inchworm(given.body, given.fps)
        steps = worm.follow(given.goals)
        found = worm.space.performance(among_props(given))
        return replace(found, report={**found.report, "crawl": {"steps": steps, "goals": list(given.goals)}})
    space = AnimationSpace(given.body, given.start, given.fps, calm=given.calm)
    lengths: dict[ClosedLoop, float] = {}
    for frame in range(given.frames):
        for at, angles in given.references:
            if at == frame:
                space.reference(angles)
        for loop in given.loops:
            if loop.until == frame:
                space.open(loop.part)
        for loop in given.loops:
            if loop.at == frame and loop.by == ROPE:
                assert loop.anchor is not None
                lengths[loop] = space.hang(loop.part, loop.anchor)
            elif loop.at == frame:
                space.close(loop.part, loop.by)
        for drive in given.drives:
            if drive.frames[0] == frame:
                begin(space, drive)
            if drive.until == frame:
                space.stop(drive.name)
        for push in given.pushes:
            if push.at <= frame < push.at + push.frames:
                space.push(push.part, push.by)
        space.step()
    return with_ropes(space.performance(among_props(given)), lengths)


def begin(space: AnimationSpace, drive: Drive) -> None:
    """Drives a coordinate through its keys, from one to the next with the least jerk."""
    space.drive(drive.name, drive.feature, rate=drive.rate, priority=drive.priority)
    values = [space.value(drive.name) if value.size == 0 else value for value in drive.values]
    space.drive(drive.name, drive.feature, values[0], through(drive.frames / space.fps, values), drive.rate,
                drive.priority)  # fmt: skip


def through(times: Floats, values: list[Floats]) -> Course:
    """A course through values at times, at rest at each."""
    shares = [share_of_time(begin, end - begin) for begin, end in pairwise(times.tolist())]

    def course(time: float) -> Floats:
        found = values[0]
        for share, before, after in zip(shares, values[:-1], values[1:], strict=True):
            found = found + share(time) * (after - before)
        return np.asarray(found)

    return course


def with_ropes(found: FilteredPerformance, lengths: dict[ClosedLoop, float]) -> FilteredPerformance:
    """The same with ropes to be seen: rows of beads from where they hang to the hand, straight down once it let go."""
    if not lengths:
        return found
    poses: list[dict[str, Transform]] = [{} for _ in found.angles]
    for n, (loop, length) in enumerate(lengths.items()):
        point = next(i for i, name in enumerate(found.contact_points) if name.startswith(f"{loop.part}."))
        anchor = np.array(loop.anchor)
        for frame, entry in enumerate(poses):
            held = loop.at <= frame <= loop.until
            end = found.contact_places[frame, point] if held else anchor - (0.0, length, 0.0)
            for k in range(BEADS):
                entry[f"rope {n + 1} bead {k + 1}"] = Transform.of(anchor + (k / (BEADS - 1)) * (end - anchor))
    width = BEAD * found.body.height
    objects = tuple(Object(name, width, "tan", "ball") for name in poses[0])
    stacks = tuple(
        Stack(Space(None, (float(at.position[0]), float(at.position[1] - width), float(at.position[2]))), (name,))
        for name, at in poses[-1].items()
    )
    old = found.scene
    scene = Scene(old.table, objects, stacks, floor=old.floor, body=old.body)
    return replace(found, scene=scene, changes=tuple(enumerate(poses)))
