"""Where a body is after the journeys of a script, told one after the other, as far as that is certain; and which of
them it is certain to be refused."""

from __future__ import annotations

from puppet.body import Body
from puppet.command import (
    DEFAULT_FPS,
    Command,
    Drag,
    Freeze,
    Movement,
    PoseJoint,
    PutThing,
    Reach,
    SetInterrupt,
    SetPhysics,
    TakeThing,
    Task,
    Travel,
)
from puppet.scene import Scene, distance
from puppet.tasks import Journeys, TravelError, travel_problem

MOST_JOURNEYS = 300  # of a script that are followed


class ForeseenBody:
    """The body of a scene: where it is, or that this is not known any more."""

    def __init__(self, body: Body, scene: Scene, fps: float = DEFAULT_FPS) -> None:
        from puppet.stage import first_scene  # most scripts need none

        self._body, self._fps, self._first = body, fps, scene
        self._scene: Scene | None = first_scene(body, scene)  # with the body where it is for certain
        self._journeys = 0

    def hear(self, command: Command | None) -> str:
        """Why a journey is certain to be refused; "" where it is not, and for all other commands."""
        if isinstance(command, Travel):
            known = self._first if self._scene is None else self._first.with_body_at(self._scene.body_at)
            return travel_problem(known, self._body, command) or self._follow(command)
        if self._may_move(command):
            self._scene = None
        elif self._scene is not None and isinstance(command, Task):
            self._forget_things(command)
        return ""

    def _may_move(self, command: Command | None) -> bool:
        """Whether the body may be elsewhere after a command that is no journey, or a journey be cut short."""
        if command is None or isinstance(command, (Drag, Freeze, SetInterrupt, SetPhysics, PoseJoint)):
            return True
        return isinstance(command, Movement) and command.interrupt

    def _forget_things(self, command: Task) -> None:
        """After a task of a hand: what it is about may be anywhere; and for what is on the floor one may have
        stepped."""
        assert self._scene is not None
        named = [getattr(command, part, None) for part in ("object", "onto")]
        named += [name for _, name in getattr(command, "things", ())]
        things = {thing.name for thing in self._scene.objects} & set(named)
        low = {name for name, _ in self._scene.things_on_floor}
        space = command.space if isinstance(command, (PutThing, Reach)) else None
        nearest = isinstance(command, (Reach, TakeThing)) and command.nearest is not None
        point = isinstance(command, Reach) and command.point is not None
        if things & low or nearest or point or self._on_floor(space):
            self._scene = None
        else:
            self._scene = self._scene.without(things)

    def _on_floor(self, space: str | None) -> bool:
        """Whether a space is over no table."""
        assert self._scene is not None
        known = {each.name: each.position for each in self._scene.spaces if not each.dynamic}
        if space not in known:
            return False
        x, _, z = known[space]
        return not any(distance(wall, x, z) <= 0.0 for _, wall in self._scene.furniture)

    def _follow(self, command: Travel) -> str:
        """Goes along, as far as it is known from where; why it cannot."""
        if self._scene is None or self._journeys >= MOST_JOURNEYS:
            self._scene = None
            return ""
        gone = isinstance(command.to, str) and command.to not in self._scene.place_names
        if gone or command.interrupt or command.when is not None or command.until is not None:
            self._scene = None
            return ""
        self._journeys += 1
        try:
            links = Journeys(self._scene, self._body, self._fps).links(command)
        except TravelError as refused:
            return str(refused)
        if links:
            self._scene = self._scene.with_body_at(links[-1][0].after)
        return ""
