"""Bodies read from YAML: every broken file is told with its place in the file and the reason."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from puppet.body.body import AXES, Body, Clearance, Gaze, Joint, Limb, Place, Rotation, Shape
from puppet.body.joint_range import JointRange, RangePoint
from puppet.errors import PuppetError, did_you_mean
from puppet.files import shipped, strict_yaml
from puppet.files.inputs import note_input
from puppet.files.strict_yaml import Node
from puppet.types import Floats, Vector

BUILT_IN = shipped.folder("bodies")
DEFAULT = "person"
MAX_JOINTS = 500
MAX_BALLS = 100  # of a hull
ROOTS = ("fixed", "free")
KINDS = ("arm", "leg")  # of limbs
_BONES = ("+x", "-x", "+y", "-y", "+z", "-z")
_NOUGHT: Vector = (0.0, 0.0, 0.0)
RESTS = ("table", "stay")  # where a limb is when nothing is asked of it
_JOINT_NAME = re.compile(r"[A-Za-z0-9_]{1,100}\Z")  # other programs' BVH readers take nothing else for one word
# Parts of a person in Unity's Humanoid and in VRM.
_FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
_FINGER_BONES = ("Metacarpal", "Proximal", "Intermediate", "Distal")
_BOTH_SIDES = ("Eye", "Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes")
_HAND_PARTS = tuple(finger + bone for finger in _FINGERS for bone in _FINGER_BONES)
_SIDED_PARTS = tuple(side + part for side in ("left", "right") for part in (*_BOTH_SIDES, *_HAND_PARTS))
HUMAN_PARTS = ("hips", "spine", "chest", "upperChest", "neck", "head", "jaw", *_SIDED_PARTS)


def load_body(source: str | Path | None = None) -> Body:
    """A body by its built-in name or from a YAML file."""
    if source is None:
        source = DEFAULT
    built_in = {path.stem: path for path in BUILT_IN.glob("*.yaml")}
    path = built_in[source] if isinstance(source, str) and source in built_in else Path(source)
    if not os.path.exists(path):  # unlike Path.exists, never raises: a name can be too long for the system
        nearest = did_you_mean(str(source), built_in)
        raise PuppetError(f"no body file '{source}', and no built-in body of that name; {nearest}")
    note_input(path)  # it may be known already
    if path in built_in.values():
        return _built_in(path)
    found = os.stat(path)
    return _load(path, found.st_mtime_ns, found.st_size)


@cache
def _built_in(path: Path) -> Body:
    """A body that comes with puppet is one value for as long as the program runs, whatever others are loaded."""
    return read_body(strict_yaml.read(path))


@lru_cache(maxsize=16)
def _load(path: Path, changed: int, size: int) -> Body:
    """A body is a value: as long as its file stays as it is, it is read once."""
    return read_body(strict_yaml.read(path))


def read_body(root: Node) -> Body:
    """A body from a parsed YAML document."""
    top = root.fields(
        required=("name", "height", "joints", "limbs"),
        optional=(
            "groups", "gaze", "rest", "colors", "fixed_shapes", "root", "metres", "kilograms", "humanoid", "places",
        ),
    )  # fmt: skip
    colors = {name: _color(node) for name, node in top["colors"].named_items()} if "colors" in top else {}
    joints = _joints(top["joints"], colors)
    index = {joint.name: i for i, joint in enumerate(joints)}
    limbs = _limbs(top["limbs"], joints, index)
    groups = {}
    for name, node in top["groups"].named_items() if "groups" in top else ():
        groups[name] = tuple(_joint_list(node, index))
    body = Body(
        name=top["name"].name(),
        height=top["height"].number(1e-6, 1e6),
        joints=joints,
        limbs=limbs,
        groups=groups,
        gaze=_gaze(top["gaze"], index) if "gaze" in top else None,
        rest=np.zeros(0),
        colors=colors,
        fixed_shapes=read_shapes(top["fixed_shapes"], colors) if "fixed_shapes" in top else (),
        free_root="root" in top and top["root"].choice(ROOTS, "root") == "free",
        metres=top["metres"].number(1e-3, 1e3) if "metres" in top else None,
        kilograms=top["kilograms"].number(1e-3, 1e6) if "kilograms" in top else None,
        humanoid=_humanoid(top["humanoid"], index) if "humanoid" in top else {},
        places=_places(top["places"], index) if "places" in top else {},
    )
    if "rest" in top:
        body = replace(body, rest=_rest(body, top["rest"]))
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
            required=("centre", "rotations"),
            optional=("parent", "tip", "clearance", "mass", "shapes", "range", "contacts"),
        )
        parent = -1
        if "parent" in fields:
            parent_name = fields["parent"].choice(names, "parent")
            if parent_name not in index:
                raise fields["parent"].error(f"the parent '{parent_name}' must stand before its child in the file")
            parent = index[parent_name]
        elif joints:
            raise entry.error("'parent' is missing; only the first joint has none")
        mass, mass_centre, gyration = _mass(fields["mass"]) if "mass" in fields else (0.0, _NOUGHT, _NOUGHT)
        rotations = _rotations(fields["rotations"])
        if "range" in fields and len(rotations) != 3:
            raise fields["range"].error("a range is that of a ball joint, which has three rotations")
        index[name] = len(joints)
        joints.append(
            Joint(
                name=name,
                parent=parent,
                centre=_vector(fields["centre"]),
                rotations=rotations,
                tip=_vector(fields["tip"]) if "tip" in fields else None,
                clearance=_clearance(fields["clearance"]) if "clearance" in fields else Clearance(),
                mass=mass,
                mass_centre=mass_centre,
                gyration=gyration,
                shapes=read_shapes(fields["shapes"], colors) if "shapes" in fields else (),
                range=_range(fields["range"]) if "range" in fields else None,
                contacts=_contacts(fields["contacts"]) if "contacts" in fields else {},
            )
        )
    return tuple(joints)


def _rotations(node: Node) -> tuple[Rotation, ...]:
    entries = node.sequence()
    if len(entries) > 3:
        raise node.error(f"expected none to three rotations, found {len(entries)}")
    rotations = tuple(_rotation(entry) for entry in entries)
    used = [rotation.axis for rotation in rotations]
    for place, (entry, rotation) in enumerate(zip(entries, rotations, strict=True)):
        if rotation.axis in used[:place]:
            raise entry.error(f"axis {AXES[rotation.axis]} stands twice; a joint turns once about each axis")
        if rotation.widens and not set(rotation.widens) <= set(used):
            raise entry.error("limits can widen only with and towards axes that the joint turns about")
    for entry, rotation in zip(entries, rotations, strict=True):
        wide = rotations[used.index(rotation.widens[1])] if rotation.widens else rotation
        if wide.lower > rotation.lower or wide.upper < rotation.upper:
            names = AXES[wide.axis], AXES[rotation.axis]
            raise entry.error("the limits of {} lie inside those of {}: that would not widen them".format(*names))
    return rotations


def _rotation(node: Node) -> Rotation:
    fields = node.fields(required=("axis",), optional=("limits", "weights", "scored", "widens", "comfort"))
    axis = AXES.index(fields["axis"].choice(AXES, "axis"))
    degrees = fields["limits"].vector(2, -360, 360) if "limits" in fields else (-180.0, 180.0)
    lower, upper = (math.radians(value) for value in degrees)
    if lower > upper:
        raise fields["limits"].error("the lower limit is above the upper one")
    if not lower <= 0 <= upper:
        raise fields["limits"].error("the zero posture is outside the limits")
    first, second, third = fields["weights"].vector(3, 0, 1) if "weights" in fields else (1.0, 1.0, 1.0)
    widens = None
    if "widens" in fields:
        ends = fields["widens"].fields(required=("with", "towards"))
        widens = AXES.index(ends["with"].choice(AXES, "axis")), AXES.index(ends["towards"].choice(AXES, "axis"))
        if axis in widens:
            raise fields["widens"].error(f"axis {AXES[axis]} cannot widen with or towards itself")
    scored = "scored" in fields and fields["scored"].flag()
    comfort = None
    if "comfort" in fields:
        low, high = (math.radians(value.number(-360, 360)) for value in fields["comfort"].sequence(2))
        if not lower <= low <= high <= upper:
            raise fields["comfort"].error("what is comfortable lies inside the limits, the smaller angle first")
        comfort = low, high
    return Rotation(axis, lower, upper, (first, second, third), scored, widens, comfort)


def _clearance(node: Node) -> Clearance:
    fields = node.fields(optional=("centre", "segment", "tip"))
    return Clearance(**{key: entry.number(0, 1e6) for key, entry in fields.items()})


def _mass(node: Node) -> tuple[float, Vector, Vector]:
    fields = node.fields(required=("fraction", "centre"), optional=("gyration",))
    gyration = _NOUGHT
    if "gyration" in fields:
        x, y, z = fields["gyration"].vector(3, 0, 1e6)
        gyration = x, y, z
    return fields["fraction"].number(0, 1), _vector(fields["centre"]), gyration


def _range(node: Node) -> JointRange:
    fields = node.fields(required=("bone", "centre", "edge"), optional=("parent_frame", "own_frame"))
    bone = fields["bone"].choice(_BONES, "bone")
    axis = AXES.index(bone[-1])
    across = tuple(letter for letter in AXES if letter != AXES[axis])
    corners = tuple(_range_point(entry, across) for entry in fields["edge"].sequence())
    frames = {}
    for name in ("parent_frame", "own_frame"):
        if name in fields:
            x, y, z = (math.radians(value) for value in fields[name].vector(3, -360, 360))
            frames[name] = (x, y, z)
    sign = -1.0 if bone[0] == "-" else 1.0
    found = JointRange(axis, sign, _range_point(fields["centre"], across), corners, **frames)
    flaw = found.flaw()
    if flaw:
        raise node.error(flaw)
    return found


def _range_point(node: Node, across: tuple[str, ...]) -> RangePoint:
    fields = node.fields(required=("at", "twist"))
    at = fields["at"].fields(optional=across)
    first, second = (math.radians(at[axis].number(-179, 179)) if axis in at else 0.0 for axis in across)
    if math.hypot(first, second) > math.radians(179.0):
        raise fields["at"].error("a bone cannot be swung by half a turn or more")
    lower, upper = (math.radians(degrees) for degrees in fields["twist"].vector(2, -180, 180))
    if lower > upper:
        raise fields["twist"].error("the lower bound is above the upper one")
    return RangePoint((first, second), (lower, upper))


def _contacts(node: Node) -> dict[str, Vector]:
    return {name: _vector(entry) for name, entry in node.named_items()}


def _humanoid(node: Node, index: dict[str, int]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, entry in node.items():
        entry.key.choice(index, "joint")
        word = entry.choice(HUMAN_PARTS, "part of a person")
        if word in found.values():
            raise entry.error(f"'{word}' stands here twice")
        found[name] = word
    return found


def _limbs(node: Node, joints: tuple[Joint, ...], index: dict[str, int]) -> dict[str, Limb]:
    entries = dict(node.named_items())
    limbs = {name: _limb(name, entry, joints, index, tuple(entries)) for name, entry in entries.items()}
    if not limbs:
        raise node.error("a body needs at least one limb")
    for name, limb in limbs.items():
        other = limbs.get(limb.mirrors or "")
        if other is not None and (other.mirrors is not None or len(other.joints) != len(limb.joints)):
            raise entries[name].error(f"'{name}' mirrors '{other.name}', which mirrors another or has other joints")
    return limbs


def _limb(name: str, node: Node, joints: tuple[Joint, ...], index: dict[str, int], names: tuple[str, ...]) -> Limb:
    fields = node.fields(required=("joints",), optional=("trunk", "kind", "rest", "mirrors"))
    kind = fields["kind"].choice(KINDS, "kind") if "kind" in fields else KINDS[0]
    rest = fields["rest"].choice(RESTS, "rest") if "rest" in fields else RESTS[0 if kind == "arm" else 1]
    trunk = _joint_list(fields["trunk"], index) if "trunk" in fields else []
    chain = _joint_list(fields["joints"], index)
    if not chain:
        raise fields["joints"].error("a limb needs at least one joint")
    for above, below in zip((trunk + chain)[:-1], (trunk + chain)[1:], strict=True):
        carrier = joints[below].parent
        while carrier > above:  # joints between trunk and limb, such as a clavicle, may be left out
            carrier = joints[carrier].parent if below == chain[0] and above in trunk else -1
        if carrier != above:
            reason = f"'{joints[below].name}' does not hang on '{joints[above].name}'; list a chain from its root on"
            raise node.error(reason)
    if joints[chain[-1]].tip is None:
        raise fields["joints"].error(f"'{joints[chain[-1]].name}' ends the limb and needs a 'tip'")
    mirrored = "mirrors" in fields or name.startswith("right")
    mirrors = name.replace("right", "left", 1) if mirrored and name.replace("right", "left", 1) in names else None
    if "mirrors" in fields:
        mirrors = fields["mirrors"].choice([other for other in names if other != name], "limb")
    return Limb(name, tuple(trunk), tuple(chain), kind, rest, mirrored, mirrors)


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


def _places(node: Node, index: dict[str, int]) -> dict[str, Place]:
    found = {}
    for name, entry in node.named_items():
        fields = entry.fields(required=("joint", "at"))
        found[name] = Place(index[fields["joint"].choice(index, "joint")], _vector(fields["at"]))
    return found


def _rest(body: Body, node: Node) -> Floats:
    rest = np.zeros(body.dofs)
    for name, entry in node.items():
        entry.key.choice(body.joint_names, "joint")
        turns = tuple(AXES[r.axis] for r in body.joints[body.joint(name)].rotations)
        for axis, angle in entry.fields(optional=turns).items():
            rest[body.dof(name, axis)] = math.radians(angle.number(-360, 360))
    return _read_only(rest)


def _read_only(angles: Floats) -> Floats:
    angles.setflags(write=False)
    return angles


def _check_rest(body: Body, top: dict[str, Node]) -> None:
    lower, upper = body.limits_at(body.rest)
    for dof in np.flatnonzero((body.rest < lower - 1e-12) | (body.rest > upper + 1e-12)):
        joint, axis = body.dof_names[dof].split(".")  # it stands in the file: an angle of zero is always inside
        angle = dict(dict(top["rest"].items())[joint].items())[axis]
        allowed = f"{math.degrees(lower[dof]):.6g} to {math.degrees(upper[dof]):.6g}"
        raise angle.error(f"{angle.found()} is outside the limits, which are {allowed} in this posture")


def read_shapes(node: Node, colors: Mapping[str, Vector]) -> tuple[Shape, ...]:
    """Shapes with one of the colors each."""
    return tuple(_shape(child, colors) for child in node.sequence())


def _shape(node: Node, colors: Mapping[str, Vector]) -> Shape:
    kinds = [key for key, _ in node.items() if key in ("capsule", "ball", "box", "hull")]
    if len(kinds) != 1:
        raise node.error("expected one of 'capsule', 'ball', 'box' and 'hull'")
    kind = kinds[0]
    size_key = "size" if kind == "box" else "radii"
    fields = node.fields(required=(kind, size_key, "color"))
    places = fields[kind].sequence(2 if kind == "capsule" else None) if kind in ("capsule", "hull") else [fields[kind]]
    if not 1 <= len(places) <= MAX_BALLS:
        raise fields[kind].error(f"expected 1 to {MAX_BALLS} balls, found {len(places)}")
    count = len(places) if kind in ("capsule", "hull") else 3
    sizes = fields[size_key].vector(count, 1e-9, 1e6)
    return Shape(kind, tuple(_vector(place) for place in places), sizes, fields["color"].choice(colors, "color"))


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
