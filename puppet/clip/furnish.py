"""What a body has besides its skeleton: names of ours, masses, soles, eyes and limbs, as far as it is a person's."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from puppet.body import Body, Gaze, Limb, forward
from puppet.clip.anatomy import ARM, BODY_NAMES, LEG, SIDES, HumanParts
from puppet.types import Floats, Vector

HALF = {"heel": 0.019, "ball": 0.027, "tip": 0.018, "base": 0.023}  # of a sole's width, in heights
ANKLE, HEEL_BACK, TOE_LENGTH = 0.039, 0.036, 0.039  # of the ankle's height, back to the heel, of the toes (de Leva)
_EYES = (0.0, 0.0435, 0.0565)  # from the head's joint
USUAL_KILOGRAMS = 70.0


def with_rest(body: Body, rest: Floats, **fields: Any) -> Body:
    """The body with another rest posture, and other fields."""
    own = np.array(rest)
    own.flags.writeable = False
    return replace(body, rest=own, **fields)


def furnish(
    body: Body, anatomy: HumanParts, names: list[str], rest: Floats, upright: bool, name: str, metres: float
) -> Body:
    """The body with all that can be told of it; rest: an upright posture, if there is one."""
    human = {j: part for part, j in anatomy.parts.items()}
    called = _body_names(names, human)
    positions, rotations = forward(body, rest)
    joints = [replace(joint, name=word) for joint, word in zip(body.joints, called, strict=True)]
    for part, j in anatomy.parts.items():
        if part.endswith("Hand") and joints[j].tip is None:
            joints[j] = replace(joints[j], tip=_hand_tip(body, positions, rotations, j))
        elif part.endswith("Foot") and joints[j].tip is None:
            joints[j] = replace(joints[j], tip=as_vector(body.arrays.tips[j]))
    body = replace(body, joints=tuple(joints))
    if anatomy.is_human:
        body = _weighed(body, anatomy)
    if upright:
        body = _with_soles(body, anatomy, positions, rotations)
    gaze = None
    pairs = [(f"left{part}", f"right{part}") for part in ("UpperLeg", "UpperArm")]
    pair = next((own for own in pairs if anatomy.has(*own)), None)
    if pair is not None and anatomy.has("head") and upright:
        head = anatomy.parts["head"]
        facing = facing_of(*(positions[anatomy.parts[part]] for part in pair))
        back = rotations[head].T @ facing
        gaze = Gaze(head, as_vector(back @ np.array(_EYES)), as_vector(back[:, 2]), as_vector(back[:, 1]))
    zero = np.zeros(body.dofs)
    own = rest if upright and np.any(rest[len(body.translation_dofs) :]) else zero
    own[body.translation_dofs] = 0.0
    return with_rest(
        body, own, name=name, limbs=_limbs(body, anatomy), gaze=gaze, metres=metres,
        kilograms=USUAL_KILOGRAMS if anatomy.is_human else None,
        humanoid={called[j]: part for part, j in anatomy.parts.items()},
    )  # fmt: skip


def _body_names(names: list[str], human: dict[int, str]) -> list[str]:
    """Parts of a person are called as in our bodies, all other joints as in the file, in letters, digits and '_'."""
    taken = {BODY_NAMES[part] for part in human.values()}
    found = []
    for j, name in enumerate(names):
        if j in human:
            found.append(BODY_NAMES[human[j]])
            continue
        word = (re.sub(r"[^A-Za-z0-9]+", "_", name.rpartition(":")[2]).strip("_") or f"joint_{j}")[:90]
        unique, count = word, 1
        while unique in taken:
            count += 1
            unique = f"{word}_{count}"
        taken.add(unique)
        found.append(unique)
    return found


def facing_of(left_hip: Floats, right_hip: Floats) -> Floats:
    """The rotation about the vertical that turns a person who faces z, with x on the left, the way that one faces."""
    left = left_hip - right_hip
    angle = math.atan2(-left[2], left[0])
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def _hand_tip(body: Body, positions: Floats, rotations: Floats, j: int) -> Vector:
    """The end of a hand: beyond the joints of its fingers, else along its forearm."""
    below = body.model.below[j].astype(bool)
    ends = [positions[k] + rotations[k] @ np.array(body.joints[k].tip) if body.joints[k].tip else positions[k]
            for k in np.flatnonzero(below) if k != j]  # fmt: skip
    away = [end - positions[j] for end in ends]
    if away and max(float(np.linalg.norm(way)) for way in away) > 0.02:
        longest = max(away, key=lambda way: float(np.linalg.norm(way)))
        return as_vector(rotations[j].T @ longest)
    arm = positions[j] - positions[body.joints[j].parent]
    length = float(np.linalg.norm(arm))
    return as_vector(rotations[j].T @ (arm * (0.108 / length))) if length > 1e-9 else (0.108, 0.0, 0.0)


def _weighed(body: Body, anatomy: HumanParts) -> Body:
    """Masses after de Leva, as our person has them: a fraction of the whole, along the bone, as wide as the bone is
    long. What the skeleton has no joint for is carried by the part above."""
    person = Body.load("person")
    of_part = {part: person.joint(name) for name, part in person.humanoid.items()}
    extra = dict.fromkeys(anatomy.parts, 0.0)
    nearest = {"spine": "hips", "neck": "chest", "leftToes": "leftFoot", "rightToes": "rightFoot"}
    for part, k in of_part.items():
        if part not in anatomy.parts:
            carrier = nearest.get(part, "head" if "Eye" in part else "chest")
            extra[carrier] = extra.get(carrier, 0.0) + person.joints[k].mass
    joints = list(body.joints)
    for part, j in anatomy.parts.items():
        model = person.joints[of_part[part]]
        bone, theirs = bone_of(body, anatomy.parts, part), bone_of(person, of_part, part)
        length, other = float(np.linalg.norm(bone)), float(np.linalg.norm(theirs))
        if length < 1e-9 or other < 1e-9:
            joints[j] = replace(
                joints[j], mass=model.mass + extra[part], mass_centre=model.mass_centre, gyration=model.gyration
            )
            continue
        share = float(np.dot(model.mass_centre, theirs)) / other**2
        along, axis = int(np.abs(theirs).argmax()), int(np.abs(bone).argmax())
        across = [model.gyration[k] for k in range(3) if k != along]
        radii = [sum(across) / 2.0] * 3
        radii[axis] = model.gyration[along]
        size = length / other
        joints[j] = replace(
            joints[j], mass=model.mass + extra[part], mass_centre=as_vector(share * bone),
            gyration=(radii[0] * size, radii[1] * size, radii[2] * size),
        )  # fmt: skip
    return replace(body, joints=tuple(joints))


NEXT = {"hips": "spine", "spine": "chest", "chest": "neck", "neck": "head"} | {
    f"{side}{upper}": f"{side}{lower}"
    for side in SIDES
    for upper, lower in (("Shoulder", "UpperArm"), ("UpperArm", "LowerArm"), ("LowerArm", "Hand"),
                         ("UpperLeg", "LowerLeg"), ("LowerLeg", "Foot"), ("Foot", "Toes"))
}  # fmt: skip


def bone_of(body: Body, parts: Mapping[str, int], part: str) -> Floats:
    """The way from a part's joint to the next part's in the zero posture of what is between, in its own coordinates;
    of a part that ends a limb, to its tip."""
    j, following = parts[part], NEXT.get(part)
    while following is not None and following not in parts:
        following = NEXT.get(following)
    if following is not None:
        k, way = parts[following], np.zeros(3)
        while k != j and k >= 0:
            way = way + body.arrays.offsets[k]
            k = body.joints[k].parent
        if np.linalg.norm(way) > 1e-9:
            return np.asarray(way)
    return np.array(body.arrays.tips[j])


def _with_soles(body: Body, anatomy: HumanParts, positions: Floats, rotations: Floats) -> Body:
    """Points of the feet that touch the ground: below the ankle at the back, below the toes' joint, and their ends."""
    joints = list(body.joints)
    if not anatomy.has("leftUpperLeg", "rightUpperLeg"):
        return body
    facing = facing_of(positions[anatomy.parts["leftUpperLeg"]], positions[anatomy.parts["rightUpperLeg"]])
    for side in SIDES:
        if not anatomy.has(f"{side}Foot"):
            continue
        foot, ahead = anatomy.parts[f"{side}Foot"], facing[:, 2]
        toes = anatomy.parts.get(f"{side}Toes")
        floor = positions[foot, 1] - ANKLE
        way = positions[toes] - positions[foot] if toes is not None else rotations[foot] @ body.arrays.tips[foot]
        if math.hypot(way[0], way[2]) > 0.01:
            ahead = np.array([way[0], 0.0, way[2]]) / math.hypot(way[0], way[2])
        length = min(max(float(way @ ahead), 0.05), 0.12)
        under = np.array([positions[foot, 0], floor, positions[foot, 2]])
        outwards = np.cross([0.0, 1.0, 0.0], ahead) * (1.0 if side == "left" else -1.0)
        places = {"heel": under - HEEL_BACK * ahead, "ball": under + length * ahead}
        if toes is not None:
            places["tip"], places["base"] = places["ball"] + TOE_LENGTH * ahead, places["ball"]
        for j in (foot,) if toes is None else (foot, toes):
            points = {
                f"{word}_{edge}": as_vector(
                    rotations[j].T @ (places[word] + sign * HALF[word] * outwards - positions[j])
                )
                for word in places
                if (word in ("tip", "base")) == (j == toes)
                for edge, sign in (("inside", -1.0), ("outside", 1.0))
            }
            joints[j] = replace(joints[j], contacts=points)
    return replace(body, joints=tuple(joints))


def _limbs(body: Body, anatomy: HumanParts) -> dict[str, Limb]:
    """Arms and legs; of what has none, each chain that ends somewhere."""
    found: dict[str, Limb] = {}
    for side in SIDES:
        other = "left" if side == "right" else None
        chain = anatomy.limb(side, ARM)
        if chain:
            whole = anatomy.has("hips", "chest")
            trunk = _way(body, anatomy.parts["hips"], anatomy.parts["chest"])[1:] if whole else ()
            way = _way(body, chain[0], chain[2])
            mirrors = other if other in found and len(found["left"].joints) == len(way) else None
            found[side] = Limb(side, trunk, way, "arm", "stay", side == "right", mirrors)
    for side in SIDES:
        chain = anatomy.limb(side, LEG)
        if chain:
            way, name = _way(body, chain[0], chain[2]), f"{side} foot"
            mirrors = "left foot" if side == "right" and "left foot" in found else None
            if mirrors and len(found[mirrors].joints) != len(way):
                mirrors = None
            found[name] = Limb(name, (), way, "leg", "stay", side == "right", mirrors)
    if found:
        return found
    parents = list(body.arrays.parents)
    for j, joint in enumerate(body.joints):
        if joint.tip is not None and j not in parents:
            chain_up = [j]
            while parents[chain_up[-1]] >= 0 and parents.count(parents[chain_up[-1]]) == 1:
                chain_up.append(int(parents[chain_up[-1]]))
            found[joint.name] = Limb(joint.name, (), tuple(chain_up[::-1]), "leg", "stay")
    return found


def _way(body: Body, above: int, below: int) -> tuple[int, ...]:
    found = [below]
    while found[-1] != above and found[-1] >= 0:
        found.append(body.joints[found[-1]].parent)
    return tuple(found[::-1])


def tell_parts(anatomy: HumanParts, names: list[str], notes: list[str]) -> None:
    if anatomy.guessed:
        words = ", ".join(f"{BODY_NAMES[part]} = '{names[anatomy.parts[part]]}'" for part in anatomy.guessed)
        notes.append(f"by structure, not by name: {words}")
    missing = [word for word, parts in (
        ("arms", [f"{side}Hand" for side in SIDES]), ("legs", [f"{side}Foot" for side in SIDES]), ("head", ["head"]),
    ) if not anatomy.has(*parts)]  # fmt: skip
    if missing:
        notes.append(f"no {', no '.join(missing)} found: it has no masses")


def as_vector(point: Floats) -> Vector:
    x, y, z = (float(value) for value in point)
    return x, y, z
