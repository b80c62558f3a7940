"""Files of animation spaces (NAME.space.yaml), read strictly: every mistake is told with its line and column."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from puppet.body import AXES, Body, Shape, read_shapes
from puppet.command import MAX_FRAMES
from puppet.errors import FileError, PuppetError, did_you_mean
from puppet.files import strict_yaml
from puppet.files.shipped import find
from puppet.files.strict_yaml import Node
from puppet.scene import prop_colors
from puppet.solver import CentreOfMass, Figure
from puppet.spaces.coordinates import Angles, PartPlace, SpaceFeature, check_axes
from puppet.spaces.crawling import FAR
from puppet.spaces.space import CALM, RATE, WAYS
from puppet.types import Floats, Vector

SPACE_ENDING = ".space.yaml"
ROPE = "rope"


@dataclass(frozen=True)
class ClosedLoop:
    """A loop that is closed from a frame on, until another one."""

    part: str
    by: str
    at: int
    until: int
    anchor: Vector | None  # of a rope


@dataclass(frozen=True, eq=False)
class Drive:
    """A coordinate that is driven through keys: frames (keys,), and values of each; the first may be as it is."""

    name: str
    feature: SpaceFeature
    frames: Floats
    values: tuple[Floats, ...]
    rate: float
    priority: int
    until: int


@dataclass(frozen=True)
class SpacePush:
    part: str
    by: Vector
    at: int
    frames: int


@dataclass(frozen=True, eq=False)
class SpaceFile:
    """What a file says."""

    body: Body
    fps: float
    frames: int
    calm: float
    start: Floats  # (dofs,)
    references: tuple[tuple[int, Floats], ...]  # frames, and what joints go back to from then on
    loops: tuple[ClosedLoop, ...]
    drives: tuple[Drive, ...]
    pushes: tuple[SpacePush, ...]
    goals: tuple[tuple[float, float], ...]  # of a worm
    props: tuple[Shape, ...]


def read_space(text: str, source: str, body: Body | None = None) -> SpaceFile:
    """The animation space that a text describes; `source` names it in messages."""
    return _Reader(source, strict_yaml.parse(text, source), body).read()


class _Reader:
    def __init__(self, source: str, root: Node, body: Body | None) -> None:
        self.source, self.root, self.given = source, root, body

    def read(self) -> SpaceFile:
        top = self.root.fields(
            required=("body",),
            optional=("fps", "frames", "calm", "start", "reference", "loops", "drive", "pushes", "crawl", "props"),
        )
        self.body = self.given or self._body(top["body"])
        fps = top["fps"].number(1, 1000) if "fps" in top else 30.0
        if ("crawl" in top) == ("frames" in top):
            raise self.root.error("expected 'frames', how long it lasts, or 'crawl', goals of a worm: one of them")
        goals: list[tuple[float, float]] = []
        if "crawl" in top:
            for node in top["crawl"].sequence():
                x, z = node.vector(2, -FAR, FAR)
                goals.append((x, z))
        self.frames = top["frames"].integer(1, MAX_FRAMES) if "frames" in top else 0
        start = self._start(top["start"]) if "start" in top else np.array(Figure(self.body).angles)
        return SpaceFile(
            self.body, fps, self.frames, top["calm"].number(0, 100) if "calm" in top else CALM, start,
            tuple(self._reference(node, start) for node in top["reference"].sequence()) if "reference" in top else (),
            tuple(self._loop(node) for node in top["loops"].sequence()) if "loops" in top else (),
            tuple(self._drive(name, node) for name, node in top["drive"].named_items()) if "drive" in top else (),
            tuple(self._push(node) for node in top["pushes"].sequence()) if "pushes" in top else (),
            tuple(goals), self._props(top["props"]) if "props" in top else (),
        )  # fmt: skip

    def _body(self, node: Node) -> Body:
        try:
            return Body.load(find("bodies", node.text(), Path(self.source).parent))
        except FileError:
            raise
        except PuppetError as error:
            raise node.error(str(error)) from None

    def _start(self, node: Node) -> Floats:
        """The posture at the beginning: angles, the root's place, and parts that are brought to places."""
        fields = node.fields(optional=("pose", "root", "pins"))
        angles = np.array(Figure(self.body).angles)
        if "pose" in fields:
            self._pose(fields["pose"], angles)
        if "root" in fields:
            angles[:3] = np.array(fields["root"].vector(3, -FAR, FAR)) - self.body.joints[0].centre
        figure = Figure(self.body, angles)
        for part, pin in fields["pins"].items() if "pins" in fields else ():
            entry = pin.fields(required=("place",), optional=("turn",))
            turn = None
            if "turn" in entry:
                by = math.radians(entry["turn"].number(-360, 360))
                turn = [[math.cos(by), 0.0, math.sin(by)], [0.0, 1.0, 0.0], [-math.sin(by), 0.0, math.cos(by)]]
            place = entry["place"].vector(3, -FAR, FAR)
            figure.pin(self._part(pin.key, part), orientation=turn is not None, to=place, turn=turn)
        figure.settle()
        for part, left in figure.residuals.items():
            if left > 1e-3 or left.angle > 1e-2:
                raise node.error(f"'{part}' cannot be brought there: it misses by {float(left):.3f}")
        return np.array(figure.angles)

    def _pose(self, node: Node, angles: Floats) -> None:
        for part, entry in node.items():
            joint = self._part(entry.key, part)
            turns = tuple(AXES[rotation.axis] for rotation in self.body.joints[self.body.joint(joint)].rotations)
            for axis, value in entry.fields(optional=turns).items():
                angles[self.body.dof(joint, axis)] = math.radians(value.number(-720, 720))

    def _reference(self, node: Node, start: Floats) -> tuple[int, Floats]:
        fields = node.fields(required=("at", "pose"))
        angles = start.copy()
        self._pose(fields["pose"], angles)
        return self._at(fields["at"]), angles

    def _loop(self, node: Node) -> ClosedLoop:
        fields = node.fields(required=("part", "by"), optional=("at", "until", "from"))
        by = fields["by"].choice((*WAYS, ROPE), "kind of loop")
        if (by == ROPE) != ("from" in fields):
            raise node.error("a rope, and nothing else, hangs 'from' a place")
        part = self._part(fields["part"], fields["part"].text())
        if not self.body.joints[self.body.joint(part)].contacts:
            known = [joint.name for joint in self.body.joints if joint.contacts]
            raise fields["part"].error(f"'{part}' has no points of contact; {did_you_mean(part, known)}")
        anchor = None
        if "from" in fields:
            x, y, z = fields["from"].vector(3, -FAR, FAR)
            anchor = x, y, z
        at = self._at(fields["at"]) if "at" in fields else 0
        until = self._at(fields["until"]) if "until" in fields else MAX_FRAMES
        return ClosedLoop(part, by, at, until, anchor)

    def _drive(self, name: str, node: Node) -> Drive:
        kinds = ("place", "angles", "centre_of_mass")
        fields = node.fields(required=("keys",), optional=(*kinds, "from", "axes", "rate", "priority", "until"))
        given = [kind for kind in kinds if kind in fields]
        if len(given) != 1:
            raise node.error("a coordinate is a place, angles or a centre_of_mass: one of them")
        feature: SpaceFeature
        if given[0] == "place":
            seen = self._part(fields["from"], fields["from"].text()) if "from" in fields else None
            axes = _axes(fields["axes"]) if "axes" in fields else "xyz"
            feature = PartPlace(self._part(fields["place"], fields["place"].text()), seen, axes)
            count = len(axes)
        elif given[0] == "angles":
            entries = fields["angles"].sequence()
            feature = Angles([entry.choice(self.body.dof_names, "degree of freedom") for entry in entries])
            count = len(entries)
        else:
            axes = _axes(fields["centre_of_mass"])
            if list(axes) != sorted(axes):
                raise fields["centre_of_mass"].error(f"write the axes in their order: {''.join(sorted(axes))}")
            feature = CentreOfMass(**dict.fromkeys(axes, 0.0))
            count = len(axes)
        frames, values = [], []
        for entry in fields["keys"].sequence():
            key = entry.fields(required=("at",), optional=("to",))
            frames.append(float(self._at(key["at"])))
            if len(frames) > 1 and frames[-1] <= frames[-2]:
                raise key["at"].error(f"keys out of order: expected a frame after {frames[-2]:g}")
            if "to" not in key and len(frames) > 1:
                raise entry.error("'to' is missing; only a first key may be without: it is where the figure is then")
            to = np.array(key["to"].vector(count, -FAR, FAR)) if "to" in key else np.empty(0)
            values.append(np.radians(to) if given[0] == "angles" else to)
        if not frames:
            raise fields["keys"].error("expected a key at least, as {at: 0}")
        rate = fields["rate"].number(0.1, 60) if "rate" in fields else RATE
        until = self._at(fields["until"]) if "until" in fields else MAX_FRAMES
        priority = fields["priority"].integer(1, 3) if "priority" in fields else 1
        return Drive(name, feature, np.array(frames), tuple(values), rate, priority, until)

    def _push(self, node: Node) -> SpacePush:
        fields = node.fields(required=("part", "by", "at", "for"))
        x, y, z = fields["by"].vector(3, -1e6, 1e6)
        part = self._part(fields["part"], fields["part"].text())
        return SpacePush(part, (x, y, z), self._at(fields["at"]), fields["for"].integer(1, MAX_FRAMES))

    def _props(self, node: Node) -> tuple[Shape, ...]:
        return tuple(read_shapes(node, prop_colors(self.body.colors)))

    def _at(self, node: Node) -> int:
        return node.integer(0, self.frames or MAX_FRAMES)

    def _part(self, node: Node, name: str) -> str:
        if name not in self.body.joint_names:
            near = did_you_mean(name, self.body.joint_names)
            raise node.error(f"unknown part '{name[:60]}' of the body '{self.body.name}'; {near}")
        return name


def _axes(node: Node) -> str:
    axes = node.text()
    try:
        check_axes(axes)
    except PuppetError as error:
        raise node.error(str(error)) from None
    return axes


def among_props(space: SpaceFile) -> Body:
    """The body, drawn among what stands around."""
    body = space.body
    if not space.props:
        return body
    return replace(body, fixed_shapes=(*body.fixed_shapes, *space.props), colors=prop_colors(body.colors))
