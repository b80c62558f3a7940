"""Writes bodies as YAML: what `read_body` reads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from puppet.body.body import AXES, Body, Joint, Limb, Rotation, Shape
from puppet.body.joint_range import JointRange, RangePoint


def format_body(body: Body, comments: Iterable[str] = ()) -> str:
    """The text of a body's file, with comments before it, a line each."""
    lines = [f"# {comment}" for comment in comments]
    lines += [f"name: {_text(body.name)}", f"height: {_number(body.height)}"]
    lines += [f"{name}: {_number(value)}" for name, value in (("metres", body.metres), ("kilograms", body.kilograms))
              if value is not None]  # fmt: skip
    lines += ["root: free"] if body.free_root else []
    lines += ["", "joints:"]
    for joint in body.joints:
        lines += [f"  {joint.name}:", *(f"    {line}" for line in _joint(body, joint))]
    lines += ["", "limbs:"]
    lines += [f"  {_text(name)}: {_flow(_limb(body, limb))}" for name, limb in body.limbs.items()]
    if body.groups:
        lines += ["", "groups:"]
        lines += [f"  {_text(name)}: {_names(body, joints)}" for name, joints in body.groups.items()]
    if body.gaze is not None:
        gaze = {"joint": body.joints[body.gaze.joint].name}
        gaze |= {name: _vector(getattr(body.gaze, name)) for name in ("eyes", "forward", "up")}
        lines += ["", f"gaze: {_flow(gaze)}"]
    if body.places:
        lines += ["", "places:"]
        lines += [f"  {_text(name)}: {_flow({'joint': body.joints[place.joint].name, 'at': _vector(place.at)})}"
                  for name, place in body.places.items()]  # fmt: skip
    rest = _rest(body)
    lines += ["", "rest:", *rest] if rest else []
    if body.humanoid:
        lines += ["", "humanoid:", *(f"  {name}: {part}" for name, part in body.humanoid.items())]
    if body.colors:
        lines += ["", "colors:", *(f"  {_text(name)}: {_vector(color)}" for name, color in body.colors.items())]
    if body.fixed_shapes:
        lines += ["", "fixed_shapes:", *(f"  - {_flow(_shape(shape))}" for shape in body.fixed_shapes)]
    return "\n".join(lines) + "\n"


def _joint(body: Body, joint: Joint) -> list[str]:
    lines = [f"parent: {body.joints[joint.parent].name}"] if joint.parent >= 0 else []
    lines += [f"centre: {_vector(joint.centre)}"]
    lines += [f"rotations: [{', '.join(_flow(_rotation(rotation)) for rotation in joint.rotations)}]"]
    lines += _range(joint.range) if joint.range is not None else []
    if joint.tip is not None:
        lines.append(f"tip: {_vector(joint.tip)}")
    clearance = {name: _number(value) for name in ("centre", "segment", "tip")
                 if (value := getattr(joint.clearance, name)) is not None}  # fmt: skip
    lines += [f"clearance: {_flow(clearance)}"] if clearance else []
    if joint.mass > 0.0:
        mass = {"fraction": _number(joint.mass), "centre": _vector(joint.mass_centre)}
        lines.append(f"mass: {_flow(mass | {'gyration': _vector(joint.gyration)})}")
    if joint.contacts:
        lines.append(f"contacts: {_flow({name: _vector(point) for name, point in joint.contacts.items()})}")
    lines += ["shapes:", *(f"  - {_flow(_shape(shape))}" for shape in joint.shapes)] if joint.shapes else []
    return lines


def _rotation(rotation: Rotation) -> dict[str, str]:
    found = {"axis": AXES[rotation.axis]}
    if (rotation.lower, rotation.upper) != (-math.pi, math.pi):
        found["limits"] = _list([math.degrees(rotation.lower), math.degrees(rotation.upper)])
    if rotation.weights != (1.0, 1.0, 1.0):
        found["weights"] = _list(rotation.weights)
    if rotation.scored:
        found["scored"] = "true"
    if rotation.widens is not None:
        found["widens"] = _flow({"with": AXES[rotation.widens[0]], "towards": AXES[rotation.widens[1]]})
    if rotation.comfort is not None:
        found["comfort"] = _list([math.degrees(angle) for angle in rotation.comfort])
    return found


def _range(region: JointRange) -> list[str]:
    sides = [AXES[axis] for axis in region.across]

    def point(entry: RangePoint) -> str:
        at = {side: _number(math.degrees(angle)) for side, angle in zip(sides, entry.swing, strict=True)}
        return _flow({"at": _flow(at), "twist": _list([math.degrees(angle) for angle in entry.twist])})

    lines = ["range:", f"  bone: {'+' if region.sign > 0.0 else '-'}{AXES[region.axis]}"]
    for name in ("parent_frame", "own_frame"):
        if any(getattr(region, name)):
            lines.append(f"  {name}: {_list([math.degrees(angle) for angle in getattr(region, name)])}")
    lines += [f"  centre: {point(region.centre)}", "  edge:"]
    return lines + [f"    - {point(entry)}" for entry in region.edge]


def _limb(body: Body, limb: Limb) -> dict[str, str]:
    found = {"kind": limb.kind, "rest": limb.rest}
    if limb.mirrors is not None:
        found["mirrors"] = _text(limb.mirrors)
    if limb.trunk:
        found["trunk"] = _names(body, limb.trunk)
    return found | {"joints": _names(body, limb.joints)}


def _shape(shape: Shape) -> dict[str, str]:
    points = "[" + ", ".join(_vector(point) for point in shape.points) + "]"
    if shape.kind in ("ball", "box"):
        sizes = "radii" if shape.kind == "ball" else "size"
        found = {shape.kind: _vector(shape.points[0]), sizes: _list(shape.sizes)}
    else:
        found = {shape.kind: points, "radii": _list(shape.sizes)}
    return found | ({"color": _text(shape.color)} if shape.color else {})


def _rest(body: Body) -> list[str]:
    lines = []
    for j, joint in enumerate(body.joints):
        turns = zip(body.rotation_dofs[j], joint.rotations, strict=True)
        angles = {AXES[r.axis]: _number(math.degrees(body.rest[dof])) for dof, r in turns if body.rest[dof]}
        lines += [f"  {joint.name}: {_flow(angles)}"] if angles else []
    return lines


def _names(body: Body, joints: Iterable[int]) -> str:
    return f"[{', '.join(body.joints[j].name for j in joints)}]"


def _flow(fields: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{name}: {value}" for name, value in fields.items()) + "}"


def _vector(point: Iterable[float]) -> str:
    return _list(point)


def _list(values: Iterable[float]) -> str:
    return f"[{', '.join(_number(value) for value in values)}]"


def _number(value: float) -> str:
    return f"{round(float(value), 10) + 0.0:.10g}"


def _text(text: str) -> str:
    plain = text.replace(" ", "").replace("_", "").isalnum() and not text[:1].isdigit()
    return text if plain else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
