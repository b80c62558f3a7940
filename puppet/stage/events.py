"""What happens on stage, in order: hands arrive, touch, take hold and let go, feet come down, things come
to stand on others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from puppet.types import Vector

REACH, CONTACT, GRASP, RELEASE, STACK, LOOK = "reach", "contact", "grasp", "release", "stack", "look"
STEP = "step"  # a foot comes down


@dataclass(frozen=True)
class Event:
    """One of them. `place` is in the world."""

    frame: int
    kind: str
    part: str  # of the body, by its joint's name
    thing: str | None
    place: Vector
    line: int
    file: str = ""
    onto: str | None = None  # what a thing came to stand on

    def as_dict(self) -> dict[str, Any]:
        found = {
            "frame": self.frame,
            "kind": self.kind,
            "part": self.part,
            "thing": self.thing,
            "place": list(self.place),
            "line": self.line,
            "file": self.file,
        }
        return found if self.onto is None else {**found, "onto": self.onto}


@dataclass(frozen=True)
class EventList:
    """Events as an immutable list whose snapshot costs nothing: the last one, and those before it."""

    last: Event | None = None
    before: EventList | None = None

    def plus(self, event: Event) -> EventList:
        return EventList(event, self)

    def in_order(self) -> tuple[Event, ...]:
        return tuple(reversed(list(self._backwards())))

    def _backwards(self) -> Iterator[Event]:
        rest: EventList | None = self
        while rest is not None:
            if rest.last is not None:
                yield rest.last
            rest = rest.before
