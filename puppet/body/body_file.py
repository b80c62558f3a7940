"""Bodies read from YAML: every broken file is told with its place in the file and the reason."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

import numpy as np

from puppet.body.body import AXES, Body, Clearance, Gaze, Joint, Limb, Rotation, Shape
from puppet.errors import PuppetError, did_you_mean
from puppet.files import shipped, strict_yaml
from puppet.files.strict_yaml import Node
from puppet.types import Vector

BUILT_IN = shipped.folder("bodies")
DEFAULT = "seated"
MAX_JOINTS = 500
_JOINT_NAME = re.compile(r"[A-Za-z0-9_]{1,100}\Z")  # other programs' BVH readers take nothing else for one word


def load_body(source: str | Path | None = None) -> Body:
    """A body by its built-in name or from a YAML file."""
    if source is None:
        source = DEFAULT
    built_in = {path.stem: path for path in BUILT_IN.glob("*.yaml")}
    if isinstance(source, str) and source in built_in:
        return read_body(strict_yaml.read(built_in[source]))
    if not os.path.exists(source):  # unlike Path.exists, never raises: a name can be too long for the system
        nearest = did_you_mean(str(source), built_in)
        raise PuppetError(f"no body file '{source}', and no built-in body of that name; {nearest}")
    return read_body(strict_yaml.read(source))


def read_body(root: Node) -> Body:
    """A body from a parsed YAML document."""
    top = root.fields(
        required=("name", "height", "joints", "limbs"),
        optional=("groups", "gaze", "rest", "colors", "fixed_shapes"),
    )
    colors = {name: _color(node) for name, node in top["colors"].named_items()} if "colors" in top else {}
    joints = _joints(top["joints"], colors)
    index = {joint.name: i for i, joint in enumerate(joints)}
    limbs = {name: _limb(name, node, joints, index) for name, node in top["limbs"].named_items()}
    if not limbs:
        raise top["limbs"].error("a body needs at least one limb")
    groups = {}
    for name, node in top["groups"].named_items() if "groups" in top else ():
        groups[name] = tuple(_joint_list(node, index))
    rest = np.zeros(3 * len(joints))
    for name, node in top["rest"].items() if "rest" in top else ():
        _read_rest(name, node, joints, index, rest)
    rest.setflags(write=False)
    body = Body(
        name=top["name"].name(),
        height=top["height"].number(1e-6, 1e6),
        joints=joints,
        limbs=limbs,
        groups=groups,
        gaze=_gaze(top["gaze"], index) if "gaze" in top else None,
        rest=rest,
        colors=colors,
        fixed_shapes=_shapes(top["fixed_shapes"], colors) if "fixed_shapes" in top else (),
    )
    _check_rest(body, top)
    return body


def _joints(node: Node, colors: dict[str, Vector]) -> tuple[Joint, ...]:
    joints: list[Joint] = []
    index: dict[str, int] = {}
    entries = list(node.items())
    if not 1 <= len(entries) <= MAX_JOINTS:
        raise node.error(f"expected 1 to {MAX_JOINTS} joints, found {len(entries)}")
    names = [name for name, _ in entries]
    for name, entry in entries:
        if not _JOINT_NAME.match(name):
            raise entry.key.error("this is no joint name: use up to 100 letters, digits and '_'")
        fields = entry.fields(
            required=("centre", "rotations"), optional=("parent", "tip", "clearance", "mass", "shapes")
        )
        parent = -1
        if "parent" in fields:
            parent_name = fields["parent"].choice(names, "parent")
            if parent_name not in index:
                raise fields["parent"].error(f"the parent '{parent_name}' must stand before its child in the file")
            parent = index[parent_name]
        elif joints:
            raise entry.error("'parent' is missing; only the first joint has none")
        mass, mass_centre = _mass(fields["mass"]) if "mass" in fields else (0.0, (0.0, 0.0, 0.0))
        index[name] = len(joints)
        joints.append(
            Joint(
                name=name,
                parent=parent,
                centre=_vector(fields["centre"]),
                rotations=_rotations(fields["rotations"]),
                tip=_vector(fields["tip"]) if "tip" in fields else None,
                clearance=_clearance(fields["clearance"]) if "clearance" in fields else Clearance(),
                mass=mass,
                mass_centre=mass_centre,
                shapes=_shapes(fields["shapes"], colors) if "shapes" in fields else (),
            )
        )
    return tuple(joints)


def _rotations(node: Node) -> tuple[Rotation, Rotation, Rotation]:
    first, second, third = (_rotation(child) for child in node.sequence(3))
    used = [first.axis, second.axis, third.axis]
    for place, axis in enumerate(used):
        if axis in used[:place]:
            reason = f"axis {AXES[axis]} stands twice; a ball joint turns once about each axis"
            raise node.sequence(3)[place].error(reason)
    for place, rotation in enumerate((first, second, third)):
        wide = (first, second, third)[used.index(rotation.widens[1])] if rotation.widens else rotation
        if wide.lower > rotation.lower or wide.upper < rotation.upper:
            names = AXES[wide.axis], AXES[rotation.axis]
            reason = "the limits of {} lie inside those of {}: that would not widen them".format(*names)
            raise node.sequence(3)[place].error(reason)
    return first, second, third


def _rotation(node: Node) -> Rotation:
    fields = node.fields(required=("axis", "limits", "weights"), optional=("scored", "widens"))
    axis = AXES.index(fields["axis"].choice(AXES, "axis"))
    lower, upper = (math.radians(degrees) for degrees in fields["limits"].vector(2, -360, 360))
    if lower > upper:
        raise fields["limits"].error("the lower limit is above the upper one")
    if not lower <= 0 <= upper:
        raise fields["limits"].error("the zero posture is outside the limits")
    first, second, third = fields["weights"].vector(3, 0, 1)
    widens = None
    if "widens" in fields:
        ends = fields["widens"].fields(required=("with", "towards"))
        widens = AXES.index(ends["with"].choice(AXES, "axis")), AXES.index(ends["towards"].choice(AXES, "axis"))
        if axis in widens:
            raise fields["widens"].error(f"axis {AXES[axis]} cannot widen with or towards itself")
    scored = "scored" in fields and fields["scored"].flag()
    return Rotation(axis, lower, upper, (first, second, third), scored, widens)


def _clearance(node: Node) -> Clearance:
    fields = node.fields(optional=("centre", "segment", "tip"))
    return Clearance(**{key: entry.number(0, 1e6) for key, entry in fields.items()})


def _mass(node: Node) -> tuple[float, Vector]:
    fields = node.fields(required=("fraction", "centre"))
    return fields["fraction"].number(0, 1), _vector(fields["centre"])


def _limb(name: str, node: Node, joints: tuple[Joint, ...], index: dict[str, int]) -> Limb:
    fields = node.fields(required=("joints",), optional=("trunk",))
    trunk = _joint_list(fields["trunk"], index) if "trunk" in fields else []
    chain = _joint_list(fields["joints"], index)
    if not chain:
        raise fields["joints"].error("a limb needs at least one joint")
    for above, below in zip((trunk + chain)[:-1], (trunk + chain)[1:], strict=True):
        if joints[below].parent != above:
            reason = f"'{joints[below].name}' does not hang on '{joints[above].name}'; list a chain from its root on"
            raise node.error(reason)
    if joints[chain[-1]].tip is None:
        raise fields["joints"].error(f"'{joints[chain[-1]].name}' ends the limb and needs a 'tip'")
    return Limb(name, tuple(trunk), tuple(chain))


def _joint_list(node: Node, index: dict[str, int]) -> list[int]:
    indices = [index[child.choice(index, "joint")] for child in node.sequence()]
    if len(set(indices)) != len(indices):
        raise node.error("a joint stands here twice")
    return indices


def _gaze(node: Node, index: dict[str, int]) -> Gaze:
    fields = node.fields(required=("joint", "eyes", "forward", "up"))
    forward, up = _unit(fields["forward"]), _unit(fields["up"])
    if abs(sum(a * b for a, b in zip(forward, up, strict=True))) > 1e-9:
        raise fields["up"].error("'up' must be at a right angle to 'forward'")
    return Gaze(index[fields["joint"].choice(index, "joint")], _vector(fields["eyes"]), forward, up)


def _read_rest(name: str, node: Node, joints: tuple[Joint, ...], index: dict[str, int], rest: np.ndarray) -> None:
    node.key.choice(index, "joint")
    rotations = joints[index[name]].rotations
    place = {AXES[r.axis]: i for i, r in enumerate(rotations)}
    for axis, angle in node.fields(optional=tuple(AXES)).items():
        rest[3 * index[name] + place[axis]] = math.radians(angle.number(-360, 360))


def _check_rest(body: Body, top: dict[str, Node]) -> None:
    lower, upper = body.limits_at(body.rest)
    for dof in np.flatnonzero((body.rest < lower - 1e-12) | (body.rest > upper + 1e-12)):
        joint, axis = body.dof_names[dof].split(".")  # it stands in the file: an angle of zero is always inside
        angle = dict(dict(top["rest"].items())[joint].items())[axis]
        allowed = f"{math.degrees(lower[dof]):.6g} to {math.degrees(upper[dof]):.6g}"
        raise angle.error(f"{angle.found()} is outside the limits, which are {allowed} in this posture")


def _shapes(node: Node, colors: dict[str, Vector]) -> tuple[Shape, ...]:
    return tuple(_shape(child, colors) for child in node.sequence())


def _shape(node: Node, colors: dict[str, Vector]) -> Shape:
    kinds = [key for key, _ in node.items() if key in ("capsule", "ball", "box")]
    if len(kinds) != 1:
        raise node.error("expected one of 'capsule', 'ball' and 'box'")
    kind = kinds[0]
    size_key, count = ("size", 3) if kind == "box" else ("radii", 2 if kind == "capsule" else 3)
    fields = node.fields(required=(kind, size_key, "color"))
    ends = fields[kind].sequence(2) if kind == "capsule" else [fields[kind]]
    sizes = fields[size_key].vector(count, 1e-9, 1e6)
    return Shape(kind, tuple(_vector(end) for end in ends), sizes, fields["color"].choice(colors, "color"))


def _color(node: Node) -> Vector:
    red, green, blue = node.vector(3, 0, 1)
    return red, green, blue


def _vector(node: Node) -> Vector:
    x, y, z = node.vector(3, -1e6, 1e6)
    return x, y, z


def _unit(node: Node) -> Vector:
    x, y, z = _vector(node)
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-9:
        raise node.error("expected a direction, found a zero vector")
    return x / length, y / length, z / length
