"""An inchworm that follows goals on the ground: its front reaches ahead while the rear holds on, which is an open loop;
then the rear is pulled after it along the ground while the front holds on, which is a closed one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from puppet.arguments import public_class, short
from puppet.body import Body
from puppet.errors import PuppetError
from puppet.solver import Figure
from puppet.spaces.coordinates import PartPlace
from puppet.spaces.space import AnimationSpace
from puppet.types import Floats

FRONT, REAR = ("front", "nose", "crest"), ("rear", "rear_nose", "rear_crest")  # a part, and what marks its turn
_NEEDED = (*FRONT, *REAR)
_LONG, _SHORT, _LEAST = 0.84, 0.42, 0.36  # from rear to front, in lengths: stretched, drawn together, and no nearer
_TURNS = np.radians([0.0, *(sign * turn for turn in (6, 12, 20, 30, 40, 50) for sign in (1, -1))])  # of a step
_LIFT = 0.12
_REACH, _PULL, _GRASP = 0.7, 0.6, 0.1  # seconds
ARCH = np.radians([-65.0, -20.0, 5.0, 50.0, 60.0, 50.0, 5.0, -20.0, -65.0])  # bends up and down when drawn together
_MOST_STEPS = 10_000  # of one call
FAR = 1000.0  # lengths: no goal is farther
ARRIVED = 0.02  # lengths


@public_class
class Inchworm:
    """A worm that crawls from goal to goal, x and z on the ground."""

    space: AnimationSpace

    def __init__(self, body: Body, fps: float = 30.0) -> None:
        if not isinstance(body, Body):
            raise PuppetError(f"an inchworm needs a Body, as Body.load('inchworm') gives one, not {short(body)}")
        for part in _NEEDED:
            if part not in body.joint_names:
                raise PuppetError(f"the body '{body.name}' cannot crawl: it has no part '{part}'; 'inchworm' has all")
        self.space = AnimationSpace(body, fps=fps, calm=8.0, even=True)
        bends = [name for name in body.dof_names[6:] if name.endswith(".x")]
        self._bends = [body.dof_names.index(name) for name in bends]
        self._arch = np.interp(np.linspace(0.0, 1.0, len(bends)), np.linspace(0.0, 1.0, len(ARCH)), ARCH)
        self._turns = [body.dof_names.index(name) for name in body.dof_names[6:] if name.endswith(".y")]
        self._middle = body.joints[int(body.arrays.joints_of[self._bends[len(bends) // 2]])].name
        self._heading = self._turn_of(REAR)
        self.space.close("rear")
        self.space.close("front")

    @property
    def place(self) -> Floats:
        """Where its front is, x and z."""
        return self.space.figure.position("front")[[0, 2]]

    def follow(self, goals: Iterable[Iterable[float]], most_steps: int = 200) -> int:
        """Crawls to each goal; returns how many steps that took."""
        if not isinstance(most_steps, int) or isinstance(most_steps, bool) or not 0 <= most_steps <= _MOST_STEPS:
            raise PuppetError(f"steps are a whole number from 0 to {_MOST_STEPS}, not {short(most_steps)}")
        places = [_ground(goal) for goal in goals]
        taken = 0
        self.pull()
        for x, z in places:
            while np.linalg.norm(self.place - (x, z)) > ARRIVED:
                if taken == most_steps:
                    raise PuppetError(f"the goal ({x:g}, {z:g}) is not reached in {most_steps} steps")
                self.reach((x, z))
                self.pull()
                taken += 1
        return taken

    def reach(self, goal: tuple[float, float]) -> None:
        """The front goes ahead, in the direction that brings it nearest to the goal."""
        goal = _ground(goal)
        rear = self.space.figure.position("rear")[[0, 2]]
        choices = []
        for turn in _TURNS:
            ahead = np.array([math.sin(self._heading + turn), math.cos(self._heading + turn)])
            far = float(np.clip(ahead @ (np.array(goal) - rear), _LEAST, _LONG))
            place = rear + far * ahead
            choices.append((round(float(np.linalg.norm(place - goal)), 9), abs(turn), float(turn), place))
        left, _, turn, place = min(choices, key=lambda choice: choice[:3])
        if left > ARRIVED and np.linalg.norm(goal - rear) < _LONG:  # too near to turn to: past it, to come back
            turn, place = 0.0, rear + _LONG * np.array([math.sin(self._heading), math.cos(self._heading)])
        heading = self._turn_of(FRONT)
        self._heading += turn
        self._drive(FRONT, place, heading, self._heading, _REACH, _LIFT)
        self._bend(float(np.linalg.norm(place - rear)), self._heading - self._turn_of(REAR), _REACH)
        self.space.open("front")
        self._go(_REACH)
        self._land("front")

    def pull(self) -> None:
        """The rear comes after the front, sliding along the ground."""
        front = self.space.figure.position("front")[[0, 2]]
        ahead = np.array([math.sin(self._heading), math.cos(self._heading)])
        self._drive(REAR, front - _SHORT * ahead, self._turn_of(REAR), self._heading, _PULL, 0.0)
        self._bend(_SHORT, 0.0, _PULL)
        self.space.open("rear")
        self.space.close("rear", by="slide")
        self._go(_PULL)
        self._land("rear")

    # ---- inside

    def _turn_of(self, end: tuple[str, str, str]) -> float:
        figure = self.space.figure
        x, _, z = figure.position(end[1]) - figure.position(end[0])
        return math.atan2(x, z)

    def _drive(
        self, end: tuple[str, str, str], to: Floats, turn: float, turn_to: float, seconds: float, lift: float
    ) -> None:
        """An end goes to a place on the ground, along an arc, level, and turned as told."""
        part, nose, crest = end
        space, start = self.space, self.space.figure.position(part)
        long = float(np.linalg.norm(space.figure.position(nose) - start))
        goal = np.array([to[0], start[1], to[1]])
        share = share_of_time(space.time, seconds)
        turn_to = turn + (turn_to - turn + math.pi) % (2.0 * math.pi) - math.pi

        def place(time: float) -> Floats:
            s = share(time)
            up = np.array([0.0, lift * 16.0 * (s * (1.0 - s)) ** 2, 0.0])
            return np.asarray(start + s * (goal - start) + up)

        def facing(time: float) -> Floats:
            now = turn + share(time) * (turn_to - turn)
            return long * np.array([math.sin(now), math.cos(now)])

        if lift > 0.0:
            space.drive("place", PartPlace(part), course=place, rate=25.0)
            space.drive("level", PartPlace(crest, part, "xz"), (0.0, 0.0), rate=25.0)
        else:  # the ground keeps it level
            space.drive("place", PartPlace(part, axes="xz"), course=lambda time: place(time)[[0, 2]], rate=25.0)
        space.drive("facing", PartPlace(nose, part, "xz"), course=facing, rate=25.0)

    def _bend(self, far: float, turn: float, seconds: float) -> None:
        """The body is bent to an arch with its ends so far apart, and sideways by a turn from rear to front."""
        space = self.space
        low, high = 0.0, 1.1
        shape = space.figure.angles.copy()
        shape[3:6] = 0.0
        shape[self._turns] = 0.0
        for _ in range(30):
            share = 0.5 * (low + high)
            shape[self._bends] = share * self._arch
            arch = Figure(space.body, shape)
            wide = float(np.linalg.norm(arch.position("front") - arch.position("rear")))
            low, high = (share, high) if wide > far else (low, share)
        shape[self._turns] = turn / len(self._turns)
        space.reference(shape)
        now, ease = space.figure.position(self._middle)[1], share_of_time(space.time, seconds)
        then = arch.position(self._middle)[1] - arch.position("rear")[1] + space.figure.position("rear")[1]
        space.drive(
            "arch", PartPlace(self._middle, axes="y"), course=lambda time: now + ease(time) * (then - now),
            priority=2,
        )  # fmt: skip

    def _go(self, seconds: float) -> None:
        self.space.run(round((seconds + _GRASP) * self.space.fps))

    def _land(self, part: str) -> None:
        """What has arrived holds on, and what drove it does no more."""
        for name in ("place", "level", "facing", "arch"):
            if name in self.space.driven:
                self.space.stop(name)
        self.space.close(part)


def _ground(goal: Iterable[float]) -> tuple[float, float]:
    try:
        x, z = (float(value) for value in goal)
    except (TypeError, ValueError, OverflowError):
        raise PuppetError(f"a goal on the ground is two numbers, x and z, not {short(goal)}") from None
    if not (abs(x) < FAR and abs(z) < FAR):
        raise PuppetError(f"a goal on the ground is two numbers below {FAR:g}, not {short(goal)}")
    return x, z


def share_of_time(begin: float, seconds: float) -> Callable[[float], float]:
    """From 0 to 1 in so many seconds, with the least jerk."""

    def share(time: float) -> float:
        u = min(1.0, max(0.0, (time - begin) / seconds))
        return u * u * u * (10.0 + u * (6.0 * u - 15.0))

    return share
