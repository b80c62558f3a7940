"""Posing the whole body with the pointer: a click pins a part or lets it go, a drag pulls it along live.

Drawn over the picture: pins, the centre of mass above the support of the pinned feet, and joint ranges as cones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from puppet.command import Pin, Push, Unpin
from puppet.geometry import distance_outside, hull
from puppet.shows import Live
from puppet.types import Floats
from puppet.window.body_picking import BodyHit, BodyPicker
from puppet.window.box import ACCENT, ON_ACCENT, WARN, Box, Rgba
from puppet.window.event import LEFT, Event, Move, Press, Release
from puppet.window.interface import PlacedPanel
from puppet.window.paint import Paint
from puppet.window.panels.marks import ViewMark
from puppet.window.part_panels import PartPanels
from puppet.window.range_cone import RangeCones
from puppet.window.view import CLICK, View

PUSH, PUSH_FRAMES = 400.0, 6  # newtons for a drag as long as the body is tall, frames
CONES = 3  # joints from a part towards the root whose ranges are drawn
MOVED = 0.02  # radians: joints that have turned so far since a drag began and are at their boundary are drawn as well
PIN_COLOR: Rgba = (168, 44, 110, 255)
SAFE: Rgba = (70, 132, 62, 255)
CONE_COLOR: Rgba = (52, 84, 150, 255)


@dataclass
class _Held:
    """A part whose button is down."""

    hit: BodyHit
    pressed: tuple[float, float]
    depth: float  # of the point in front of the eye: it moves in that plane
    angles: Floats  # (dofs,), when the button went down
    begun: bool = False  # the pointer has moved: it is no click


class Posing:
    def __init__(self, live: Live, view: View) -> None:
        self._live, self._view = live, view
        self._picker, self._cones = BodyPicker(live.body), RangeCones(live.body)
        self._pointer: tuple[float, float] | None = None
        self.hit: BodyHit | None = None  # under the pointer
        self._held: _Held | None = None
        self._looked: tuple[object, ...] = ()
        self.all_ranges = False
        self.pins = True  # whether clicks pin parts
        self._panels = PartPanels(view)

    @property
    def busy(self) -> bool:
        """Whether a part is held."""
        return self._held is not None

    def point(self, place: tuple[float, float] | None, nearest: float = math.inf) -> BodyHit | None:
        """Sets the position of the pointer; returns the part under it, if nothing is nearer to the eye."""
        self._pointer = place
        looked = (place, nearest, self._live.frame.number, self._view.camera)
        if looked != self._looked:
            self._looked = looked
            self.hit = self._under(place) if place is not None else None
            if self.hit is not None and self.hit.distance > nearest:
                self.hit = None
        return self.hit

    def cancel(self) -> None:
        """Lets go of what is held."""
        if self._held is not None and self._held.begun:
            self._live.let_go()
        self._held = self.hit = None
        self._looked = ()

    def handle(self, event: Event) -> bool:
        """Whether it was about a part of the body."""
        match event:
            case Press(x, y) if event.button == LEFT and not event.shift and self.hit is not None:
                depth = float(self._view.project(self._world(self.hit))[2])
                self._held = _Held(self.hit, (x, y), depth, self._live.frame.angles)
                return True
            case Move(x, y) if self._held is not None:
                self._pointer = (x, y)
                self._pull(x, y)
                return True
            case Release() if self._held is not None:
                held, self._held = self._held, None
                if held.begun and self._live.physics:
                    self._push(held.hit, event.x, event.y, held.depth)
                elif held.begun:
                    self._live.let_go()
                elif event.button == LEFT and self.pins:
                    self._click(held.hit)
                return True
        return False

    def _pull(self, x: float, y: float) -> None:
        held = self._held
        assert held is not None
        part = self._name(held.hit)
        if self._live.physics:
            held.begun = held.begun or math.dist(held.pressed, (x, y)) >= CLICK
            return
        if held.begun and self._live.pulled is None:  # refused, or taken back
            return
        if held.begun or math.dist(held.pressed, (x, y)) >= CLICK:
            held.begun = True
            eye, direction = self._view.ray(x, y)
            ahead = -self._view.camera.axes[2]
            self._live.pull(part, held.hit.point, eye + direction * held.depth / float(direction @ ahead))

    def _push(self, hit: BodyHit, x: float, y: float, depth: float) -> None:
        """Pushes a part towards where the pointer has let it go, the harder the farther that is."""
        eye, direction = self._view.ray(x, y)
        ahead = -self._view.camera.axes[2]
        way = eye + direction * depth / float(direction @ ahead) - self._world(hit)
        by = tuple(round(float(newtons)) for newtons in PUSH * way / self._live.body.height)
        self._live.give(Push(part=self._name(hit), by=(by[0], by[1], by[2]), frames=PUSH_FRAMES))

    def _click(self, hit: BodyHit) -> None:
        part = self._name(hit)
        self._live.give(Unpin(part=part) if part in self._live.pins else Pin(part=part))

    # ---- what is seen

    def panels(self, paint: Paint, window: Box) -> list[PlacedPanel]:
        joints = self._live.joint_transforms
        hit = self._held.hit if self._held is not None else self.hit
        surface = None if hit is None else self._picker.outermost(hit.joint, joints)
        found = self._panels.place(window, [*self._drawn(joints)], surface)
        if hit is not None and self._pointer is not None and self._held is None:
            part = self._name(hit)
            does = "click to let go" if part in self._live.pins else "drag, or click to pin"
            words = f"{part.replace('_', ' ')}: {does}"
            found.append(self._panels.tip(paint, window, self._pointer, words))
        return found

    def _drawn(self, joints: Floats) -> Iterator[ViewMark]:
        yield from self._weight()
        for j in sorted(self._ranges()):
            yield from self._cone(j, joints)
        yield from self._pins(joints)
        if self._held is not None and self._held.begun and self._pointer is not None:
            at = self._view.places(self._world(self._held.hit)[None])
            if at:
                yield ViewMark("line", (at[0], self._pointer), ACCENT)
                yield ViewMark("disc", at, ACCENT, 4.0)

    def _weight(self) -> Iterator[ViewMark]:
        """The area of the pinned feet, and the centre of mass above it."""
        centre, corners = self._live.mass_centre, self._live.support
        if centre is None:
            return
        color = ACCENT
        if self._live.on_its_feet and len(corners) > 2:
            color = SAFE if distance_outside(corners[:, [0, 2]], centre[[0, 2]]) <= 0.0 else WARN
        floor = float(corners[0, 1]) if len(corners) else self._live.scene.floor or 0.0
        area = self._view.places(corners)
        if len(area) > 2:
            yield ViewMark("area", area, (*color[:3], 60))
            yield ViewMark("loop", area, color)
        line = self._view.places(np.array([centre, [centre[0], floor, centre[2]]]))
        if line:
            yield ViewMark("line", line, (*color[:3], 150), 1.0)
            yield ViewMark("disc", line[1:], color, 3.5)
            yield ViewMark("disc", line[:1], color, 6.0)
            yield ViewMark("disc", line[:1], ON_ACCENT, 2.5)

    def _pins(self, joints: Floats) -> Iterator[ViewMark]:
        body = self._live.body
        for part, pinned in self._live.pins.items():
            ends = self._view.places(np.array([joints[body.joint(part), :3], pinned.at.position]))
            if ends:
                yield ViewMark("line", ends, PIN_COLOR)
                yield ViewMark("disc", ends[1:], PIN_COLOR, 5.5)
                yield ViewMark("disc", ends[1:], ON_ACCENT, 4.0 * (1.0 - pinned.gain))

    def _ranges(self) -> set[int]:
        """The joints whose ranges are drawn."""
        body, live = self._live.body, self._live
        if self.all_ranges:
            return set(self._cones.joints)
        hit = self._held.hit if self._held is not None else self.hit
        found: set[int] = set()
        if hit is None:
            return found
        joint = hit.joint
        while joint >= 0 and len(found) < (CONES if self.busy else 1):
            found.add(joint)
            joint = body.joints[joint].parent
        if self._held is not None:
            angles = live.frame.angles
            turned = np.abs(angles - self._held.angles) > MOVED
            found |= {
                j for j in self._cones.joints
                if turned[list(body.rotation_dofs[j])].any() and self._cones.at_edge(j, angles)
            }  # fmt: skip
        return found & self._cones.joints

    def _cone(self, j: int, joints: Floats) -> Iterator[ViewMark]:
        cone = self._cones.cone(j, self._live.frame.angles, joints)
        color = WARN if cone.at_edge else CONE_COLOR
        apex, rim, bone = (self._view.places(points) for points in (cone.apex[None], cone.rim, cone.bone[None]))
        if not (apex and rim and bone):
            return
        area = tuple(hull([*apex, *rim]))
        if len(area) > 2:
            yield ViewMark("area", area, (*color[:3], 36))
        yield ViewMark("loop" if cone.closed else "line", rim, color, 1.0)
        for corner in rim[:: max(1, len(rim) // 8)]:
            yield ViewMark("line", (*apex, corner), (*color[:3], 110), 0.8)
        yield ViewMark("line", (*apex, *bone), color, 2.0)
        yield ViewMark("disc", bone, color, 3.0)

    # ---- inside

    def _under(self, place: tuple[float, float]) -> BodyHit | None:
        return self._picker.pick(*self._view.ray(*place), self._live.joint_transforms)

    def _name(self, hit: BodyHit) -> str:
        return self._live.body.joint_names[hit.joint]

    def _world(self, hit: BodyHit) -> Floats:
        joint = self._live.joint_transforms[hit.joint]
        return np.asarray(joint[:3] + joint[3:].reshape(3, 3) @ hit.point)
