"""The frames of a drag: the whole body follows one of its parts, and what is pinned stays."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body, joint_transforms, tip_positions
from puppet.geometry import Transform, axis_rotation, distance_outside, euler_angles, nearest_on_edge
from puppet.locomotion import legs_of
from puppet.motion import into_limits, progress, seen_leaps
from puppet.scene import Scene
from puppet.solver import CentreOfMass, Figure
from puppet.stage.support import on_its_feet, support
from puppet.tasks import AtDrag, AtPin
from puppet.types import Floats, Vector

BALANCE_PRIORITY, BALANCE_GAIN = 3, 0.5  # after what is dragged and what is pinned
_MARGIN = 0.01  # of the height: the centre of mass stays so far inside the support of the feet
# Body heights and radians that a part goes and turns in a frame: at most, and at once, from rest; one that moves gets
# faster by a share. Where what is dragged is fast itself, others may be faster by a share in the end.
_FARTHEST, _WIDEST = 0.1, 0.55
_ABRUPT, _ABRUPT_TURN, _FASTER, _BESIDE = 0.045, 0.25, 1.5, 1.2
_ROUNDS = 6  # of a drag in the longer time that it took before, until that is enough
_CALMER, _SLOWER = 3, 0.65  # times that a drag in which a part leaps is tried again, and how much less abruptly
_TRIES = 8  # at shorter ways, until one is allowed
_NEARER = 2e-3  # body heights: where a part that lags behind comes nearer by less in a frame, it goes no farther
_LEAN = 0.01  # of the height: by so much it comes nearer to the feet in a frame


@dataclass(frozen=True, eq=False)
class PinnedPart:
    """Where a part is pinned, and how firmly."""

    at: Transform
    gain: float = 1.0

    @staticmethod
    def of(here: Transform, goal: AtPin) -> PinnedPart:
        """A part that is here, pinned as a goal says."""
        turn = here.rotation
        if goal.turn is not None:
            x, y, z = (axis_rotation(axis, math.radians(angle)) for axis, angle in enumerate(goal.turn))
            turn = z @ y @ x
        return PinnedPart(Transform.of(here.position if goal.to is None else goal.to, turn), goal.gain)

    @property
    def turn(self) -> Vector:
        """How it is turned: degrees about x, y, z, R = Rz Ry Rx."""
        z, y, x = euler_angles(self.at.rotation[None], (2, 1, 0))[0].tolist()
        return x, y, z


@dataclass(frozen=True, eq=False)
class LastDrag:
    """The drag that was last. Another one of the same point goes on with it if nothing else has moved the body since:
    all joints are drawn to where they were before the first of them."""

    task: int
    start: int  # the frame in which the first of them began
    part: str
    point: Vector
    reference: Floats  # (dofs,), the posture before the first
    end: Floats  # (dofs,), the posture after the last

    def goes_on(self, goal: AtDrag, angles: Floats) -> bool:
        """Whether a drag that begins in a posture is the same one."""
        return (self.part, self.point) == (goal.part, goal.point) and np.array_equal(self.end, angles)


def drag_frames(
    body: Body, angles: Floats, reference: Floats, pins: Mapping[str, PinnedPart], balance: bool, goal: AtDrag,
    frames: int, curve: str,
) -> tuple[Floats, float, dict[str, float]]:  # fmt: skip
    """The postures (frames, dofs) of a drag that begins in a posture, by how much it misses its goal, and by how much
    each part ends off its pin. Where parts would leap, the body lags behind, and may take up to three times as long.

    reference (dofs,): the posture that joints are drawn to where nothing else is asked of them.
    """
    drag = _Drag(body, angles, reference, pins, balance, goal, curve, most=frames if frames == 1 else 3 * frames)
    found = _patiently(drag, frames)
    for _ in range(_CALMER):  # parts that catch up stop as abruptly as they set out
        if frames == 1 or not len(seen_leaps(body, angles, np.concatenate([angles[None], found.postures]))):
            break
        drag = replace(drag, abruptly=_SLOWER * drag.abruptly)
        found = _patiently(drag, frames)
    return found.postures, found.missed, found.off


def _patiently(drag: _Drag, asked: int) -> _Dragged:
    """A drag in the frames that were asked for, or in as many as it needs."""
    frames, found = asked, drag.over(asked)
    for more in range(_ROUNDS):  # as slow from the start, not as fast as was asked and late in the end
        took = len(found.postures)
        if took <= frames:
            break
        frames = took + more
        again = drag.over(frames)
        if again.missed > found.missed + _NEARER * drag.body.height:  # stuck elsewhere: as it went, with more patience
            return drag.over(asked, hurries=False)
        found = again
    return found


@dataclass(frozen=True, eq=False)
class _Dragged:
    """What became of a drag."""

    postures: Floats  # (frames, dofs)
    missed: float
    off: dict[str, float]


@dataclass(frozen=True, eq=False)
class _Drag:
    """What is asked of a drag but its time, as for `drag_frames`, and how many frames it may take at most."""

    body: Body
    angles: Floats
    reference: Floats
    pins: Mapping[str, PinnedPart]
    balance: bool
    goal: AtDrag
    curve: str
    most: int
    abruptly: float = 1.0  # how fast parts may be at once

    def over(self, frames: int, hurries: bool = True) -> _Dragged:
        """Along its curve in so many frames, and more where the body lags behind. hurries: parts go as fast as that
        asks for."""
        body, goal, figure = self.body, self.goal, Figure(self.body, self.angles)
        figure.reference(self.reference)
        for part, pinned in self.pins.items():
            figure.pin(part, gain=pinned.gain, to=pinned.at.position, turn=pinned.at.rotation)
        start = figure.position(goal.part, goal.point)
        place = np.array(goal.to) if goal.to is not None else start + np.array(goal.by)
        places = start + progress(self.curve, frames)[:, None] * (place - start)
        pace = _Pace(body, figure.joint_transforms, self.most > 1, self.abruptly)
        ways = np.linalg.norm(np.diff(places, axis=0, prepend=start[None]), axis=1)
        found: list[Floats] = []
        stands, lags, left = self.balance and on_its_feet(body, self.pins), False, np.inf
        for n in range(self.most):
            before, left = left, float(np.linalg.norm(figure.position(goal.part, goal.point) - place))
            if n >= frames and (not lags or before - left < _NEARER * body.height):
                break
            if stands:
                over = _balanced(figure, self.pins)
                figure.hold("balance", CentreOfMass(x=float(over[0]), z=float(over[2])), BALANCE_PRIORITY, BALANCE_GAIN)
            way = float(ways[n]) if hurries and n < frames else 0.0
            lags |= pace.follow(figure, goal, places[min(n, frames - 1)], way)
            found.append(figure.angles)
            if stands:
                figure.release("balance")
        figure.let_go()
        off = {part: float(left) for part, left in figure.residuals.items()}
        missed = float(np.linalg.norm(figure.position(goal.part, goal.point) - place))
        return _Dragged(np.array(found), missed, off)


class _Pace:
    """Keeps the parts of a figure from leaps, in space, from frame to frame."""

    def __init__(self, body: Body, world: Floats, from_rest: bool, abruptly: float) -> None:
        self._body, self._world, self._abruptly = body, world, abruptly
        joints = len(world)
        last = 0.0 if from_rest else np.inf
        self._ways, self._turns = np.full(2 * joints, last), np.full(joints, last)  # of the last frame

    def follow(self, figure: Figure, goal: AtDrag, place: Floats, way: float) -> bool:
        """One frame of a drag, in which the place goes some way; whether the body has to lag behind for it."""
        before = figure.angles
        figure.follow(goal.part, place[None], goal.point)
        excess = self._excess(figure.joint_transforms, way)
        lags = excess > 1.0
        if lags:
            partly = self._allowed(figure, before, excess, way)
            figure.follow(goal.part, figure.position(goal.part, goal.point)[None], goal.point)  # pins are kept
            if self._excess(figure.joint_transforms, way) > 1.0:
                figure.put(partly)
        world = figure.joint_transforms
        self._ways, self._turns = self._steps(world)
        self._world = world
        return lags

    def _allowed(self, figure: Figure, before: Floats, excess: float, way: float) -> Floats:
        """Takes a figure back towards the posture before, as far as its parts may not go: by how much, angles do not
        tell, nor where they are led back into their ranges."""
        after, share, partly = figure.angles, 1.0, before
        for _ in range(_TRIES):
            share *= 0.95 / excess
            partly = self._between(before, after, share)
            figure.put(partly)
            excess = self._excess(figure.joint_transforms, way)
            if excess <= 1.0:
                return partly
        figure.put(before)
        return before

    def _between(self, before: Floats, after: Floats, share: float) -> Floats:
        """A posture that is a share of the way from one to the next."""
        body, way = self._body, after - before
        turns = np.setdiff1d(np.arange(body.dofs), body.translation_dofs)
        way[turns] -= 2.0 * math.pi * np.round(way[turns] / (2.0 * math.pi))
        found = np.asarray(before + share * way)
        for joint in range(len(body.joints)):
            into_limits(body, joint, found)
        return found

    def _steps(self, world: Floats) -> tuple[Floats, Floats]:
        cosines = 0.5 * ((self._world[:, 3:] * world[:, 3:]).sum(axis=1) - 1.0)
        ways = np.linalg.norm(self._points(world) - self._points(self._world), axis=1)
        return ways, np.arccos(cosines.clip(-1.0, 1.0))

    def _points(self, world: Floats) -> Floats:
        """Where segments begin, and where they end."""
        places, turns = world[:, :3], world[:, 3:].reshape(-1, 3, 3)
        return np.concatenate([places, tip_positions(self._body, places, turns)])

    def _excess(self, world: Floats, asked: float) -> float:
        """How many times farther than it may a part goes or turns."""
        ways, turns = self._steps(world)
        height = self._body.height
        farthest = max(_FARTHEST * height, _BESIDE * asked)
        far = np.minimum(farthest, np.maximum(self._abruptly * _ABRUPT * height, _FASTER * self._ways))
        wide = np.minimum(_WIDEST, np.maximum(self._abruptly * _ABRUPT_TURN, _FASTER * self._turns))
        return max(float((ways / far).max()), float((turns / wide).max()))


def _balanced(figure: Figure, pins: Collection[str]) -> Floats:
    """Where the centre of mass shall be in the next frame: as it is where that is over the feet, else nearer to
    them."""
    body, joints = figure.body, figure.joint_transforms
    centre = figure.centre_of_mass
    corners, point = support(body, joints, pins)[:, [0, 2]], centre[[0, 2]]
    margin = _MARGIN * body.height
    if distance_outside(corners, point) < -margin:
        return centre
    edge, middle = nearest_on_edge(corners, point), corners.mean(axis=0)
    inwards = middle - edge
    length = float(np.linalg.norm(inwards))
    goal = edge + inwards * min(1.0, margin / max(length, 1e-12))
    way = goal - point
    distance = float(np.linalg.norm(way))
    x, z = point + way * min(1.0, _LEAN * body.height / max(distance, 1e-12))
    return np.array([x, centre[1], z])


def standing_pins(body: Body, scene: Scene, angles: Floats) -> dict[str, PinnedPart]:
    """What the floor and a seat hold: the feet, and the root of a body that sits."""
    legs = legs_of(body)
    seated = scene.stance is None or scene.stance.seat is not None
    joints = [*([0] if seated else []), *(limb.joints[-1] for limb in legs)] if legs else []
    rows = joint_transforms(body, angles)
    return {body.joint_names[j]: PinnedPart(Transform.of(rows[j, :3], rows[j, 3:].reshape(3, 3))) for j in joints}
