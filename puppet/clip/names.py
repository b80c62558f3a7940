"""What joints of other programs' skeletons are called: from a name to the part of a person.

Known are the names of CMU's recordings, Mixamo, MotionBuilder, Unity, VRM, Rokoko, Xsens, Biovision, Poser and of
Blender's Rigify. A name is taken apart into its words, its side and its number, and what is left says which part it is.
Some words mean different parts in different programs: a `shoulder` is a collar bone beside an `arm`, but an upper arm
below a `collar`. Such names have several parts here, and the structure decides (see puppet.clip.anatomy).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Parts by their words. A name is looked up whole, then without its last word, and so on.
_WORDS: dict[str, tuple[str, ...]] = {
    "hips": ("hips", "hip", "pelvis", "root hips", "cog", "body world"),
    "spine": ("spine", "abdomen", "lower back", "waist", "torso", "back", "stomach", "belly"),
    "chest": ("chest", "upper chest", "thorax", "upper back", "rib cage", "ribcage", "upper body"),
    "neck": ("neck",),
    "head": ("head", "skull"),
    "clavicle": ("clavicle", "collar", "collar bone", "collarbone", "shoulder", "scapula"),
    "upper_arm": ("arm", "up arm", "upper arm", "upperarm", "uparm", "shldr", "shoulder", "humerus", "biceps"),
    "forearm": ("forearm", "fore arm", "lower arm", "lowerarm", "low arm", "lowarm", "elbow", "radius"),
    "hand": ("hand", "wrist", "palm"),
    "thigh": ("up leg", "upleg", "upper leg", "upperleg", "thigh", "hip", "femur", "buttock"),
    "shin": ("leg", "low leg", "lowleg", "lower leg", "lowerleg", "knee", "shin", "calf", "tibia"),
    "foot": ("foot", "ankle"),
    "toes": ("toes", "toe", "toe base", "toebase", "ball", "toe 0"),
}  # fmt: skip
_PARTS: dict[str, tuple[str, ...]] = {}
for _part, _names in _WORDS.items():
    for _name in _names:
        _PARTS[_name] = (*_PARTS.get(_name, ()), _part)
SIDED = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toes")
# What stands before names: of a program, of a rig's layers, of a character.
_PREFIX = re.compile(r"^(mixamorig\d*|def|org|mch|bip\d*|j|b|cc base|character\d*|valve biped|armature|rig|jnt|bn)$")
_LEFT, _RIGHT = ("left", "l", "lft", "lt"), ("right", "r", "rgt", "rt")
# Joints of hands, faces and helpers, which are no part of the whole body's motion.
_OTHERS = re.compile(
    r"\b(thumb|index|middle|ring|pinky|little|fingers?|metacarpal|end|tip|nub|site|eyes?|jaw|tongue|hair|twist|roll|ik|"
    r"pole|target|heel|prop|weapon|breast|ear|teeth|lip|brow|cheek|top|hold|pad|skirt|tail|joint)\b"
)


@dataclass(frozen=True)
class JointName:
    """A name that was taken apart."""

    side: str  # "left", "right" or "" for the middle
    parts: tuple[str, ...]  # that it may mean; none where it is unknown
    other: bool  # whether it is a finger, a face's, a helper


def read_name(name: str) -> JointName:
    """What a joint's name says."""
    words = _split(name)
    while len(words) > 1 and (_PREFIX.match(words[0]) or words[0] in ("c", "bip")):
        words = words[1:]
    if len(words) > 1 and words[0] == "cc" and words[1] == "base":
        words = words[2:]
    side = ""
    for at in (0, -1, *range(1, len(words) - 1)):
        if len(words) > 1 and not side and words[at] in (*_LEFT, *_RIGHT):
            side = "left" if words[at] in _LEFT else "right"
            words = [word for n, word in enumerate(words) if n != at % len(words)]
            break
    plain = [word for word in words if not word.isdigit()]
    other = _OTHERS.search(" ".join(plain)) is not None
    for count in range(len(plain), 0, -1):
        found = _PARTS.get(" ".join(plain[:count]), ())
        found = tuple(part for part in found if (part in SIDED) == bool(side))
        if found and count >= len(plain) - 1:
            return JointName(side, found, other)
    return JointName(side, (), other)


def _split(name: str) -> list[str]:
    """The words of a name in small letters: LeftUpLeg, left_up_leg, mixamorig:LeftUpLeg, upLeg.L, lThigh."""
    name = re.sub(r"([a-z])([A-Z])", r"\1 \2", name.rpartition(":")[2])
    name = re.sub(r"([A-Z])([A-Z][a-z])", r"\1 \2", name)
    name = re.sub(r"(\d+)", r" \1 ", name)
    return [word for word in re.split(r"[^A-Za-z0-9]+", name.lower()) if word]
