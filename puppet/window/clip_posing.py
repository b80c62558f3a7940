"""Editing a recorded motion with the pointer: a click pins a part or lets it go, a drag moves it in this frame.

Drawn over the picture: pins, the way of what is dragged, and the path of the part under the pointer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body
from puppet.clip import EditSession
from puppet.errors import PuppetError
from puppet.shows import Playback
from puppet.types import Floats
from puppet.window.body_picking import BodyHit, BodyPicker
from puppet.window.box import ACCENT, ON_ACCENT, QUIET, Box
from puppet.window.event import LEFT, RIGHT, Event, Move, Press, Release
from puppet.window.interface import PlacedPanel
from puppet.window.paint import Paint
from puppet.window.panels.marks import ViewMark
from puppet.window.part_panels import PartPanels
from puppet.window.posing import PIN_COLOR
from puppet.window.view import CLICK, View

PATH_SECONDS = 0.5  # of a part's path, to each side


@dataclass
class _HeldPart:
    """A part whose button is down."""

    hit: BodyHit
    button: str
    pressed: tuple[float, float]
    depth: float  # of the point in front of the eye: it moves in that plane
    joint: Floats  # (3,), where its joint was
    point: Floats  # (3,), and the point that is held
    place: Floats | None = None  # (3,), where its joint is dragged to


class ClipPosing:
    def __init__(self, playback: Playback, session: EditSession, view: View, tell: Callable[[str, bool], None]) -> None:
        """`tell`: takes what was done, in words, and whether it is a problem."""
        self._playback, self._session, self._view, self._tell = playback, session, view, tell
        self._picker = BodyPicker(session.recorded.body)
        self._pointer: tuple[float, float] | None = None
        self.hit: BodyHit | None = None  # under the pointer
        self._held: _HeldPart | None = None
        self._panels = PartPanels(view)

    @property
    def busy(self) -> bool:
        """Whether a part is held."""
        return self._held is not None

    def point(self, place: tuple[float, float] | None) -> None:
        """Sets the position of the pointer, and so the part that is under it; nothing while the motion plays."""
        self._pointer = place
        self.hit = None
        if place is not None and not self._playback.playing:
            joints = self._playback.joint_transforms
            hit = self._picker.pick(*self._view.ray(*place), joints)
            self.hit = None if hit is None else hit_of_hand(self._session.recorded.body, joints, hit)

    def cancel(self) -> None:
        """Lets go of what is held, and leaves it where it was."""
        self._held = self._playback.preview = None

    def handle(self, event: Event) -> bool:
        """Whether it was about a part of the body."""
        match event:
            case Press(x, y) if event.button in (LEFT, RIGHT) and not event.shift and self.hit is not None:
                joint = self._playback.joint_transforms[self.hit.joint]
                point = joint[:3] + joint[3:].reshape(3, 3) @ self.hit.point
                depth = float(self._view.project(point)[2])
                self._held = _HeldPart(self.hit, event.button, (x, y), depth, np.array(joint[:3]), np.asarray(point))
                return True
            case Move(x, y) if self._held is not None:
                self._pointer = (x, y)
                self._move(self._held, x, y)
                return True
            case Release() if self._held is not None:
                held, self._held = self._held, None
                self._playback.preview = None
                self._finish(held)
                return True
        return False

    def _move(self, held: _HeldPart, x: float, y: float) -> None:
        if held.button != LEFT or (held.place is None and math.dist(held.pressed, (x, y)) < CLICK):
            return
        eye, direction = self._view.ray(x, y)
        ahead = -self._view.camera.axes[2]
        held.place = held.joint + eye + direction * held.depth / float(direction @ ahead) - held.point
        try:
            self._playback.preview = self._session.preview(self._playback.frame, self._name(held.hit), held.place)
        except PuppetError as error:
            self.cancel()
            self._tell(str(error), True)

    def _finish(self, held: _HeldPart) -> None:
        frame, part = self._playback.frame, self._name(held.hit)
        try:
            if held.place is None:
                self._tell(self._session.toggle_pin(frame, part, held.button == RIGHT), False)
            else:
                self._tell(self._session.drag(frame, part, held.place), False)
        except PuppetError as error:
            self._tell(str(error), True)

    # ---- what is seen

    def panels(self, paint: Paint, window: Box) -> list[PlacedPanel]:
        joints = self._playback.joint_transforms
        hit = self._held.hit if self._held is not None else self.hit
        surface = None if hit is None else self._picker.outermost(hit.joint, joints)
        found = self._panels.place(window, [*self._drawn(joints)], surface)
        if hit is not None and self._pointer is not None and self._held is None:
            part = self._name(hit)
            pinned = part in self._session.pinned(self._playback.frame)
            does = "drag, or click to let go" if pinned else "drag, or click to pin to its path"
            words = f"{part.replace('_', ' ')}: {does}"
            found.append(self._panels.tip(paint, window, self._pointer, words))
        return found

    def _drawn(self, joints: Floats) -> Iterator[ViewMark]:
        body, frame = self._session.recorded.body, self._playback.frame
        hit = self._held.hit if self._held is not None else self.hit
        if hit is not None:
            reach = round(PATH_SECONDS * self._playback.fps)
            near = slice(max(frame - reach, 0), frame + reach + 1)
            for clip, color in ((self._session.recorded, QUIET), (self._session.edited, ACCENT)):
                path = self._view.places(clip.joint_positions[near, hit.joint])
                if len(path) > 1:
                    yield ViewMark("line", path, (*color[:3], 150), 1.2)
        for part, stays in self._session.pinned(frame).items():
            at = self._view.places(joints[body.joint(part), :3][None])
            if at:
                yield ViewMark("disc", at, PIN_COLOR, 5.5)
                if not stays:
                    yield ViewMark("disc", at, ON_ACCENT, 2.5)
        if self._held is not None and self._held.place is not None and self._pointer is not None:
            at = self._view.places(joints[self._held.hit.joint, :3][None])
            if at:
                yield ViewMark("line", (at[0], self._pointer), ACCENT)
                yield ViewMark("disc", at, ACCENT, 4.0)

    # ---- inside

    def _name(self, hit: BodyHit) -> str:
        return self._session.recorded.body.joint_names[hit.joint]


def hit_of_hand(body: Body, joints: Floats, hit: BodyHit) -> BodyHit:
    """A hit of a finger as one of its hand, with the transforms of all joints (joints, 12); any other as it is."""
    hands = {body.joint(name) for name, part in body.humanoid.items() if part.endswith("Hand")}
    above = hit.joint
    while above >= 0 and above not in hands:
        above = body.joints[above].parent
    if above < 0 or above == hit.joint:
        return hit
    own, hand = joints[hit.joint], joints[above]
    point = own[:3] + own[3:].reshape(3, 3) @ hit.point
    return replace(hit, joint=above, point=hand[3:].reshape(3, 3).T @ (point - hand[:3]))
