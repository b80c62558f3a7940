"""Files of tracks (NAME.tracks.yaml), read strictly: every mistake is told with its line and column."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from puppet.body import AXES, Body, Shape, read_shapes
from puppet.command import CURVES, MAX_FRAMES
from puppet.errors import FileError, PuppetError, did_you_mean
from puppet.files import strict_yaml
from puppet.files.shipped import find
from puppet.files.strict_yaml import Mistakes, Node
from puppet.files.text_file import read_text
from puppet.scene import prop_colors
from puppet.tracks.tracks import (
    MASTER,
    SPANS,
    GainKey,
    InertiaKey,
    Mark,
    MassKey,
    MomentumSpan,
    PinKey,
    PinTrack,
    PoseKey,
    Tracks,
)
from puppet.types import Floats, Vector

TRACKS_ENDING = ".tracks.yaml"
REST = "rest"
FREE = "free"  # an axis of a place that is left free
TEMPLATES = ("hermite", "projectile", "pendulum")
_FARTHEST = 1000.0  # body heights
_FASTEST = 100.0  # body heights a second

Key = TypeVar("Key", PoseKey, GainKey, PinKey, MassKey, InertiaKey)


def load_tracks(path: str | Path, body: Body | None = None) -> Tracks:
    """The tracks of a file; `body` replaces the one that it names."""
    return read_tracks(read_text(path), str(path), body)


def read_tracks(text: str, source: str, body: Body | None = None) -> Tracks:
    """The tracks that a text describes; `source` names it in messages."""
    return _TrackReader(source, strict_yaml.parse(text, source), body).read()


class _TrackReader:
    """Reads a document, and remembers where its times stand."""

    def __init__(self, source: str, root: Node, body: Body | None) -> None:
        self.source, self.root = source, root
        self.given_body = body
        self.mistakes = Mistakes()
        self.times: list[tuple[str, int, Mark]] = []

    def read(self) -> Tracks:
        top = self.root.fields(
            optional=(
                "body", "fps", "poses", "pose", "pins", "centre_of_mass", "inertia", SPANS, "props",
            )
        )  # fmt: skip
        self.body = self._body(top.get("body"))
        fps = 30.0
        with self.mistakes.collect():
            fps = top["fps"].number(1, 1000) if "fps" in top else 30.0
        poses, drawn = self._poses(top.get("poses"))
        pose = self._keys("pose", top.get("pose"), lambda node: self._pose_key(node, poses))
        master, pins = self._pins(top.get("pins"))
        mass = self._keys("centre_of_mass", top.get("centre_of_mass"), self._mass_key)
        if mass and len(mass) == len(top["centre_of_mass"].sequence()):  # all of them could be read
            self._check_mass(mass)
        inertia = self._keys("inertia", top.get("inertia"), self._inertia_key)
        momentum = self._momentum(top.get(SPANS))
        props: tuple[Shape, ...] = ()
        with self.mistakes.collect():
            props = self._props(top["props"]) if "props" in top else ()
        self.mistakes.raise_any()
        if not self.times:
            raise self.root.error("there is no key in any track: write, say, pose: [{at: 0, pose: rest}]")
        return Tracks(
            self.source, self.body, fps, poses, drawn, pose, master, pins, mass, inertia, momentum, props,
            tuple(self.times),
        )  # fmt: skip

    def _body(self, node: Node | None) -> Body:
        found = self.given_body or self._named_body(node)
        if not sum(joint.mass for joint in found.joints) or found.metres is None:
            lack = "masses" if found.metres is not None else "metres"
            raise (node or self.root).error(f"tracks need a body with {lack}, and '{found.name}' has none")
        return found

    def _named_body(self, node: Node | None) -> Body:
        name = "person" if node is None else node.text()
        try:
            return Body.load(find("bodies", name, Path(self.source).parent))
        except FileError:
            raise  # it has its own place
        except PuppetError as error:
            raise (node or self.root).error(str(error)) from None

    # ---- poses

    def _poses(self, node: Node | None) -> tuple[Mapping[str, Floats], bool]:
        found: dict[str, Floats] = {REST: np.array(self.body.rest)}
        drawn = False
        if node is not None:
            with self.mistakes.collect():
                for name, entry in node.named_items():
                    if name == REST:
                        self.mistakes.add(entry.key.error("'rest' is the body's own posture; take another name"))
                        continue
                    found[name] = np.array(self.body.rest)
                    with self.mistakes.collect():
                        drawn = self._pose(entry, found[name]) or drawn
        for angles in found.values():
            angles.flags.writeable = False
        return found, drawn

    def _pose(self, node: Node, angles: Floats) -> bool:
        """The angles of a pose; what it does not name is as at rest. Returns whether it names the root."""
        body, root = self.body, False
        for key, entry in node.items():
            joint = self._part(entry.key, key, "joint")
            turns = tuple(AXES[rotation.axis] for rotation in body.joints[body.joint(joint)].rotations)
            root = root or (joint == body.joint_names[0] and body.free_root)
            for axis, value in entry.fields(optional=turns).items():
                dof = body.dof(joint, axis)
                lower, upper = (round(math.degrees(limit), 6) for limit in body.arrays.limits[dof, :2])
                if joint == body.joint_names[0] and body.free_root:
                    lower, upper = -720.0, 720.0
                angles[dof] = math.radians(value.number(lower, upper))
        return root

    def _pose_key(self, node: Node, poses: Collection[str]) -> PoseKey:
        fields = node.fields(required=("at", "pose"), optional=("curve",))
        at, mark = self._at("pose", fields["at"])
        return PoseKey(at, fields["pose"].choice(poses, "pose"), self._curve(fields, "smooth"), mark)

    # ---- pins

    def _pins(self, node: Node | None) -> tuple[tuple[GainKey, ...], tuple[PinTrack, ...]]:
        master: tuple[GainKey, ...] = ()
        pins: list[PinTrack] = []
        if node is not None:
            with self.mistakes.collect():
                for name, entry in node.items():
                    with self.mistakes.collect():
                        if name == MASTER:
                            master = self._keys("pins.gain", entry, self._gain_key)
                        else:
                            pins.append(self._pin(name, entry))
        return master, tuple(pin for pin in pins if pin.keys)

    def _pin(self, name: str, node: Node) -> PinTrack:
        part = self._part(node.key, name, "part")
        points: list[Floats] = []
        keys = self._keys(f"pins.{part}", node, lambda entry: self._pin_key(part, entry, points))
        return PinTrack(part, points[-1] if points else None, keys)

    def _pin_key(self, part: str, node: Node, points: list[Floats]) -> PinKey:
        fields = node.fields(required=("at",), optional=("place", "turn", "gain", "off", "curve", "point"))
        at, mark = self._at(f"pins.{part}", fields["at"])
        off = "off" in fields and fields["off"].flag()
        for key in ("place", "turn", "gain", "curve"):
            if off and key in fields:
                raise fields[key].key.error(f"a pin that goes off has no '{key}'")
        gain = fields["gain"].number(0, 1) if "gain" in fields else 1.0
        turn = _vector(fields["turn"], -720, 720) if "turn" in fields else None
        place = _vector(fields["place"], -_FARTHEST, _FARTHEST) if "place" in fields else None
        if "point" in fields:
            points.append(self._point(part, fields["point"]))
            if len(points) > 1 and not np.array_equal(points[0], points[1]):
                raise fields["point"].error("a part is pinned at one point: another one stands at a key before")
        return PinKey(at, place, turn, gain, off, self._curve(fields, "linear"), mark)

    def _point(self, part: str, node: Node) -> Floats:
        """A point of contact by its name, or three numbers in the segment's coordinates."""
        contacts = self.body.joints[self.body.joint(part)].contacts
        if node.is_list:
            return self.body.height * np.array(node.vector(3, -10, 10))
        return np.array(contacts[node.choice(contacts, f"point of contact of '{part}'")])

    def _gain_key(self, node: Node) -> GainKey:
        fields = node.fields(required=("at", "gain"), optional=("curve",))
        at, mark = self._at("pins.gain", fields["at"])
        return GainKey(at, fields["gain"].number(0, 1), self._curve(fields, "linear"), mark)

    # ---- physics

    def _mass_key(self, node: Node) -> MassKey:
        fields = node.fields(required=("at",), optional=("place", "by", "velocity", "height", "pivot"))
        at, mark = self._at("centre_of_mass", fields["at"])
        by = fields["by"].choice(TEMPLATES, "template") if "by" in fields else ""
        for key, template in (("height", "projectile"), ("pivot", "pendulum")):
            if key in fields and by != template:
                raise fields[key].key.error(f"'{key}' belongs to 'by: {template}'")
        if by == "pendulum" and "pivot" not in fields:
            raise node.error("a pendulum needs its 'pivot', as in {at: 30, by: pendulum, pivot: [0, 1.2, 0.4]}")
        place = _place(fields["place"]) if "place" in fields else None
        if place is not None and None in place and by not in ("", "hermite"):
            raise fields["place"].error(f"an axis can be '{FREE}' with 'by: hermite' only, not with '{by}'")
        velocity = _vector(fields["velocity"], -_FASTEST, _FASTEST) if "velocity" in fields else None
        height = fields["height"].number(-_FARTHEST, _FARTHEST) if "height" in fields else None
        pivot = _vector(fields["pivot"], -_FARTHEST, _FARTHEST) if "pivot" in fields else None
        return MassKey(at, place, by, velocity, height, pivot, mark)

    def _check_mass(self, keys: tuple[MassKey, ...]) -> None:
        """What a key needs of the one before it."""
        for n, key in enumerate(keys):
            if n == 0:
                if key.by:
                    self.mistakes.add(key.mark.error("the first key has none before it: it takes no 'by'"))
                elif key.place is None:
                    self.mistakes.add(key.mark.error("'place' is missing: the first key says where one starts"))
                continue
            before = keys[n - 1]
            if key.by in ("projectile", "pendulum") and keys[0].place is not None and None in keys[0].place:
                words = f"a {key.by} needs all axes of where it begins, and one is '{FREE}' at the first key"
                self.mistakes.add(key.mark.error(words))
                continue
            if key.place is not None and keys[0].place is not None and key.by in ("", "hermite"):
                free = [axis for axis, value in zip(AXES, key.place, strict=True) if value is None]
                first = [axis for axis, value in zip(AXES, keys[0].place, strict=True) if value is None]
                if free != first:
                    self.mistakes.add(key.mark.error(f"an axis is '{FREE}' at all keys of a course or at none"))
            if key.by in ("", "hermite") and key.place is None:
                self.mistakes.add(key.mark.error("'place' is missing: a Hermite curve needs both ends"))
            elif key.by == "projectile" and before.velocity is not None and key.height is not None:
                self.mistakes.add(
                    key.mark.error("this flight has a 'height' and, at the key before, a 'velocity': give one of them")
                )
            elif key.by == "projectile" and before.velocity is None and key.place is None:
                self.mistakes.add(key.mark.error("a projectile needs its 'place', or a 'velocity' at the key before"))

    def _inertia_key(self, node: Node) -> InertiaKey:
        fields = node.fields(required=("at",), optional=("x", "y", "z", "curve"))
        at, mark = self._at("inertia", fields["at"])
        values = {axis: fields[axis].number(1e-6, 10) for axis in AXES if axis in fields}
        if not values:
            raise node.error("an inertia needs at least one of x, y and z")
        return InertiaKey(at, values, self._curve(fields, "linear"), mark)

    def _momentum(self, node: Node | None) -> tuple[MomentumSpan, ...]:
        found: list[MomentumSpan] = []
        for entry in node.sequence() if node is not None else ():
            with self.mistakes.collect():
                span = self._span(entry)
                if found and span.first < found[-1].last:
                    raise entry.error(f"it begins at {span.first}, before the one above ends at {found[-1].last}")
                found.append(span)
        return tuple(found)

    def _span(self, node: Node) -> MomentumSpan:
        fields = node.fields(required=("from", "to"), optional=("conserved", "x", "y", "z"))
        first, mark = self._at(SPANS, fields["from"])
        last, _ = self._at(SPANS, fields["to"])
        if last <= first:
            raise fields["to"].error(f"expected a frame after {first}, found {last}")
        conserved = "conserved" in fields and fields["conserved"].flag()
        values = {axis: fields[axis].number(-100, 100) for axis in AXES if axis in fields}
        if conserved == bool(values):
            raise node.error("an angular momentum is 'conserved: true', or has a value, as in x: 0.2")
        return MomentumSpan(first, last, conserved, values, mark)

    def _props(self, node: Node) -> tuple[Shape, ...]:
        height = self.body.height
        return tuple(
            replace(
                shape, points=tuple((height * x, height * y, height * z) for x, y, z in shape.points),
                sizes=tuple(height * size for size in shape.sizes),
            )
            for shape in read_shapes(node, prop_colors(self.body.colors))
        )  # fmt: skip

    # ---- what all tracks share

    def _keys(self, track: str, node: Node | None, read: Callable[[Node], Key]) -> tuple[Key, ...]:
        """The keys of a track in the order of their times."""
        found: list[Key] = []
        if node is None:
            return ()
        with self.mistakes.collect():
            for entry in node.sequence():
                with self.mistakes.collect():
                    key = read(entry)
                    if found and key.at <= found[-1].at:
                        raise key.mark.error(
                            f"{entry.path}: keys out of order: expected a frame after {found[-1].at}, found {key.at}"
                        )
                    found.append(key)
        return tuple(found)

    def _at(self, track: str, node: Node) -> tuple[int, Mark]:
        mark = Mark(self.source, node.line, node.column)
        at = node.integer(0, MAX_FRAMES)
        self.times.append((track, at, mark))
        return at, mark

    def _curve(self, fields: Mapping[str, Node], default: str) -> str:
        return fields["curve"].choice(CURVES, "curve") if "curve" in fields else default

    def _part(self, node: Node, name: str, what: str) -> str:
        known = self.body.joint_names
        word = name.replace(" ", "_")
        if word not in known:
            near = did_you_mean(word, known)
            raise node.error(f"unknown {what} '{name[:60]}' of the body '{self.body.name}'; {near}")
        return word


def _vector(node: Node, at_least: float, at_most: float) -> Vector:
    x, y, z = node.vector(3, at_least, at_most)
    return x, y, z


def _place(node: Node) -> tuple[float | None, float | None, float | None]:
    x, y, z = (
        None
        if not (entry.is_list or entry.is_mapping) and entry.found() == f"'{FREE}'"
        else entry.number(-_FARTHEST, _FARTHEST)
        for entry in node.sequence(3)
    )
    if x is None and y is None and z is None:
        raise node.error("at least one axis of a place has a number")
    return x, y, z
