"""A body as MuJoCo's XML: the text alone, so that tests can hand it to MuJoCo without the other peers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from puppet.body import Body

AXES = ("1 0 0", "0 1 0", "0 0 1")
LEAST = 1e-12  # MuJoCo wants a mass and an inertia of all that moves


def figure_mjcf(body: Body, boxes: Mapping[int, tuple[float, float]] | None = None, balls: bool = True) -> str:
    """The body with its masses, joints and limits.

    balls: whether joints with a range, and the root if it is free, are ball joints, as in our solver; else each is
    three hinges. boxes: limits (lower, upper) of hinges by their place in a posture; without them there are none.
    """
    children: dict[int, list[int]] = {}
    for j, joint in enumerate(body.joints):
        children.setdefault(joint.parent, []).append(j)
    text = "".join(_segment(body, children, j, boxes or {}, balls) for j in children[-1])
    return (
        '<mujoco><compiler angle="radian" autolimits="true" balanceinertia="false" boundmass="0"/>'
        f'<option gravity="0 0 0"/><worldbody>{text}</worldbody></mujoco>'
    )


def _segment(
    body: Body, children: Mapping[int, list[int]], j: int, boxes: Mapping[int, tuple[float, float]], balls: bool
) -> str:
    joint = body.joints[j]
    total = sum(each.mass for each in body.joints) or 1.0
    mass = joint.mass / total
    inertia = [max(LEAST, mass * radius * radius) for radius in joint.gyration]
    parts = [f'<body name="{joint.name}" pos="{_numbers(body.arrays.offsets[j])}">']
    parts.append(
        f'<inertial pos="{_numbers(joint.mass_centre)}" mass="{max(LEAST, mass)!r}" diaginertia="{_numbers(inertia)}"/>'
    )
    if j == 0 and body.free_root:
        parts.append('<freejoint name="root"/>')
    elif joint.is_ball and balls:
        parts.append(f'<joint name="{joint.name}" type="ball"/>')
    else:
        for dof, rotation in zip(body.rotation_dofs[j], joint.rotations, strict=True):
            limits = f' range="{_numbers(boxes[dof])}"' if dof in boxes else ""
            parts.append(f'<joint name="{body.dof_names[dof]}" type="hinge" axis="{AXES[rotation.axis]}"{limits}/>')
    parts += [_segment(body, children, child, boxes, balls) for child in children.get(j, [])]
    return "".join(parts) + "</body>"


def _numbers(values: Sequence[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
