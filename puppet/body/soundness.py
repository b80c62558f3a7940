"""What a body must be, however it was made: numbers that are numbers, and joints, limbs and places that there are."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from puppet.arguments import short
from puppet.body.body import AXES, Body, Gaze, Joint, Limb, Place, Shape
from puppet.errors import PuppetError

_LARGEST = 1e9  # any length, size or angle
_SHAPE_POINTS = {"capsule": 2, "ball": 1, "box": 1, "hull": None}


def refuse_unsound(body: Body) -> None:
    """Raises a PuppetError about the first thing that is wrong with a body whose fields are of the right types."""
    for flaw in _flaws(body):
        raise PuppetError(f"the body {short(body.name)}: {flaw}")


def _flaws(body: Body) -> Iterator[str]:
    sizes = [size for size in (body.height, body.metres, body.kilograms) if size is not None]
    if not all(0.0 < size <= _LARGEST for size in sizes):
        yield f"height, metres and kilograms are above 0, not {short(sizes)}"
    if not body.joints:
        yield "it has no joints"
    if len(set(body.joint_names)) < len(body.joints):
        yield "two joints have the same name"
    for place, joint in enumerate(body.joints):
        flaw = _joint_flaw(place, joint)
        if flaw:
            yield f"the joint {short(joint.name)}: {flaw}"
    for name, limb in body.limbs.items():
        flaw = _limb_flaw(body, limb)
        if flaw:
            yield f"the limb {short(name)}: {flaw}"
    points: list[Place | Gaze] = [*body.places.values(), *([] if body.gaze is None else [body.gaze])]
    used = [*(joint for joints in body.groups.values() for joint in joints), *(point.joint for point in points)]
    if not all(0 <= joint < len(body.joints) for joint in used):
        yield f"its joints are 0 to {len(body.joints) - 1}; a group, a place or the gaze names another one"
    if not all(_is_finite(part) for part in (*points, body.colors, body.fixed_shapes)):
        yield f"all its numbers are finite, {_LARGEST:g} at most"
    if not all(map(_is_shape, body.fixed_shapes)):
        yield "one of its fixed shapes is none"
    if body.rest.shape != (body.dofs,) or not np.isfinite(body.rest).all():
        yield f"its rest is a posture of {body.dofs} finite numbers, not {short(body.rest)}"


def _joint_flaw(place: int, joint: Joint) -> str:
    if not (joint.parent == -1 if place == 0 else 0 <= joint.parent < place):
        return f"its parent stands before it, and the first one has none (-1), not {joint.parent}"
    if not _is_finite(joint):
        return f"all its numbers are finite, {_LARGEST:g} at most"
    axes = [rotation.axis for rotation in joint.rotations]
    if len(set(axes)) < len(axes) or not all(0 <= axis < len(AXES) for axis in axes):
        return f"it turns once about some of the axes 0, 1 and 2, not {axes}"
    if any(rotation.lower > rotation.upper for rotation in joint.rotations):
        return "the lower limit of a rotation is above the upper one"
    if any(axis not in axes for rotation in joint.rotations for axis in rotation.widens or ()):
        return "limits widen with and towards axes that it turns about"
    if joint.range is not None and (len(axes) != len(AXES) or joint.range.axis not in axes or joint.range.flaw()):
        return joint.range.flaw() or "a range is that of a ball joint, which has three rotations"
    if joint.mass < 0.0:
        return f"its mass is a number from 0 on, not {joint.mass:g}"
    return "" if all(map(_is_shape, joint.shapes)) else "one of its shapes is none"


def _limb_flaw(body: Body, limb: Limb) -> str:
    chain = (*limb.trunk, *limb.joints)
    if not limb.joints or len(set(chain)) < len(chain):
        return "it needs at least one joint, each of them once"
    if not all(0 <= joint < len(body.joints) for joint in chain):
        return f"the joints are 0 to {len(body.joints) - 1}, not {short(chain)}"
    for above, below in zip(limb.joints[:-1], limb.joints[1:], strict=True):
        if body.joints[below].parent != above:
            return f"{short(body.joints[below].name)} does not hang on {short(body.joints[above].name)}"
    other = None if limb.mirrors is None else body.limbs.get(limb.mirrors)
    if limb.mirrors is not None and (other is None or len(other.joints) != len(limb.joints)):
        return f"it mirrors {short(limb.mirrors)}, which is no limb with as many joints"
    return ""


def _is_shape(shape: Shape) -> bool:
    count = _SHAPE_POINTS.get(shape.kind, 0)
    sizes = len(shape.points) if shape.kind in ("capsule", "hull") else 3
    points = len(shape.points) >= 1 if count is None else len(shape.points) == count
    return points and len(shape.sizes) == sizes and all(size > 0.0 for size in shape.sizes)


def _is_finite(value: Any) -> bool:
    """Whether all numbers in something are."""
    if isinstance(value, (int, float, np.number)):
        return abs(float(value)) <= _LARGEST  # which NaN is not
    if isinstance(value, (tuple, list)):
        return all(map(_is_finite, value))
    if isinstance(value, Mapping):
        return all(map(_is_finite, value.values()))
    if dataclasses.is_dataclass(value):
        return all(_is_finite(getattr(value, field.name)) for field in dataclasses.fields(value))
    return True
