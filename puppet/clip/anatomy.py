"""Which joints of a skeleton are which parts of a person: by their names, and where these say nothing, by structure.

Parts are named as in Unity's Humanoid and in VRM: hips, spine, chest, neck, head, leftShoulder (the collar bone),
leftUpperArm, leftLowerArm, leftHand, leftUpperLeg, leftLowerLeg, leftFoot, leftToes, and the same on the right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from puppet.clip.names import JointName, read_name
from puppet.types import Floats

SIDES = ("left", "right")
ARM = ("UpperArm", "LowerArm", "Hand")
LEG = ("UpperLeg", "LowerLeg", "Foot")
UPRIGHT_TRUNK = 0.5  # the cosine between a person's trunk and the vertical, at least
_ALIKE = 0.15  # by which part the lengths of two limbs may differ that mirror each other
# What a body of ours calls each part: see puppet/data/bodies/person.yaml.
BODY_NAMES: dict[str, str] = {"hips": "pelvis", "spine": "abdomen", "chest": "chest", "neck": "neck", "head": "head"}
for _side in SIDES:
    for _part, _name in zip(
        ("Shoulder", *ARM, *LEG, "Toes"),
        ("clavicle", "shoulder", "forearm", "hand", "hip", "knee", "foot", "toes"),
        strict=True,
    ):
        BODY_NAMES[f"{_side}{_part}"] = f"{_side}_{_name}"


@dataclass(frozen=True)
class HumanParts:
    """Parts of a person and their joints."""

    parts: Mapping[str, int]
    guessed: tuple[str, ...] = ()  # parts that no name told of
    notes: tuple[str, ...] = field(default=())

    def has(self, *parts: str) -> bool:
        return all(part in self.parts for part in parts)

    @property
    def is_human(self) -> bool:
        """Whether it has two legs, two arms, a trunk and a head."""
        limbs = [f"{side}{part}" for side in SIDES for part in (*ARM, *LEG)]
        return self.has("hips", "chest", "head", *limbs)

    def limb(self, side: str, parts: Iterable[str]) -> tuple[int, ...]:
        """The joints of an arm or a leg; none where one of them is missing."""
        names = [f"{side}{part}" for part in parts]
        return tuple(self.parts[name] for name in names) if self.has(*names) else ()


def find_anatomy(names: Sequence[str], parents: Sequence[int], posture: Floats) -> HumanParts:
    """The parts of a skeleton: its joints' names and parents (parents first), and where they are in a posture that is
    upright, (joints, 3), y up."""
    tree = _Tree(parents, posture)
    parts = _by_names(tree, [read_name(name) for name in names])
    named = set(parts)
    if not any(f"{side}{part}" in parts for side in SIDES for part in ("Hand", "Foot")):
        parts |= {part: j for part, j in _by_structure(tree).items() if part not in parts}
    _complete(tree, parts)
    order = [part for part in BODY_NAMES if part in parts]
    return HumanParts({part: parts[part] for part in order}, tuple(part for part in order if part not in named))


class _Tree:
    """A skeleton as a tree."""

    def __init__(self, parents: Sequence[int], posture: Floats) -> None:
        self.parents = list(parents)
        self.posture = posture
        self.children: list[list[int]] = [[] for _ in parents]
        for j, parent in enumerate(parents):
            if parent >= 0:
                self.children[parent].append(j)

    def path(self, joint: int) -> list[int]:
        """From the root to a joint."""
        found = [joint]
        while self.parents[found[-1]] >= 0:
            found.append(self.parents[found[-1]])
        return found[::-1]

    def below(self, joint: int) -> list[int]:
        found = [joint]
        for j in found:
            found += self.children[j]
        return found

    def common(self, joints: Iterable[int]) -> int:
        """The deepest joint that all of these hang on; it may be one of them."""
        paths = [self.path(joint) for joint in joints]
        together = -1
        for same in zip(*paths, strict=False):
            if len(set(same)) == 1:
                together = same[0]
        return together


def _by_names(tree: _Tree, names: list[JointName]) -> dict[str, int]:
    """The parts that names tell of. Of several joints with the same part in a row, as with twist bones, the first."""
    found: dict[str, int] = {}

    def first(part: str, side: str, among: Iterable[int]) -> int | None:
        fits = (j for j in among if part in names[j].parts and names[j].side == side and not names[j].other)
        return next(fits, None)

    everything = sorted(range(len(names)), key=lambda j: (len(tree.path(j)), j))
    for side in SIDES:
        for end, middle, start, words in (
            ("hand", "forearm", "upper_arm", ARM),
            ("foot", "shin", "thigh", LEG),
        ):
            last = first(end, side, everything)
            if last is None:
                last = _beyond(tree, names, first(middle, side, everything))
            if last is None:
                continue
            path = tree.path(last)[:-1]
            only = [j for j in path if names[j].parts == (start,) and names[j].side == side and not names[j].other]
            either = [j for j in path if start in names[j].parts and names[j].side == side and not names[j].other]
            found[f"{side}{words[2]}"] = last
            if (joint := first(middle, side, path)) is not None:
                found[f"{side}{words[1]}"] = joint
            if either:
                found[f"{side}{words[0]}"] = only[0] if only else either[-1]
            if words is ARM and either:
                above = path[: path.index(found[f"{side}{words[0]}"])]
                if (joint := first("clavicle", side, above)) is not None:
                    found[f"{side}Shoulder"] = joint
            elif words is LEG:  # below an ankle that has a name of its own, what is called a foot is its front
                below = tree.below(last)[1:]
                joint = first("toes", side, below)
                joint = first("foot", side, below) if joint is None else joint
                if joint is not None:
                    found[f"{side}Toes"] = joint
    for part in ("hips", "head"):
        if (joint := first(part, "", everything)) is not None:
            found[part] = joint
    arms = [found[f"{side}UpperArm"] for side in SIDES if f"{side}UpperArm" in found]
    if "head" not in found and len(arms) == 2:  # Rigify's spine goes on above the arms, to the head
        higher = set(tree.below(tree.common(arms))[1:])
        spine = [j for j in everything if j in higher and "spine" in names[j].parts and not names[j].other]
        if spine:
            found["head"] = spine[-1]
    if "head" in found and (joint := first("neck", "", tree.path(found["head"]))) is not None:
        found["neck"] = joint
    return found


def _beyond(tree: _Tree, names: list[JointName], joint: int | None) -> int | None:
    """The only child of a joint, for limbs whose last joint has a name that says nothing."""
    if joint is None or len(tree.children[joint]) != 1 or names[tree.children[joint][0]].other:
        return None
    return tree.children[joint][0]


def _complete(tree: _Tree, parts: dict[str, int]) -> None:
    """Adds what follows from where the known parts are, and takes away what contradicts it."""
    for side in SIDES:
        for words in (ARM, LEG):
            for upper, lower in ((words[1], words[2]), (words[0], words[1])):
                last = parts.get(f"{side}{lower}")
                if f"{side}{upper}" not in parts and last is not None and len(tree.path(last)) > 2:
                    parts[f"{side}{upper}"] = tree.parents[last]
    legs = [parts[f"{side}UpperLeg"] for side in SIDES if f"{side}UpperLeg" in parts]
    arms = [parts[f"{side}UpperArm"] for side in SIDES if f"{side}UpperArm" in parts]
    if len(legs) == 2:
        trunk = tree.common(legs)
        if "hips" not in parts or parts["hips"] not in tree.path(trunk):
            parts["hips"] = trunk
    if len(arms) == 2:
        parts["chest"] = tree.common(arms)
    elif "head" in parts:
        above = tree.path(parts.get("neck", parts["head"]))
        if len(above) > 2:
            parts["chest"] = above[-2]
    if "hips" in parts and "chest" in parts:
        way = tree.path(parts["chest"])
        if parts["hips"] not in way or parts["hips"] == parts["chest"]:
            del parts["chest"]
        elif len(between := way[way.index(parts["hips"]) + 1 : -1]) > 0:
            parts["spine"] = between[0]
    if "head" in parts and "neck" not in parts and "chest" in parts:
        way = tree.path(parts["head"])
        if parts["chest"] in way and len(between := way[way.index(parts["chest"]) + 1 : -1]) > 0:
            parts["neck"] = between[0]


def _by_structure(tree: _Tree) -> dict[str, int]:
    """Two pairs of limbs that mirror each other, one above the other, the lower one the legs, and what is highest the
    head; nothing where a trunk lies level."""
    pairs = []
    for j, children in enumerate(tree.children):
        chains = [_chain(tree, child) for child in children]
        for a, one in enumerate(chains):
            for other in chains[a + 1 :]:
                if min(len(one), len(other)) < 3:
                    continue
                lengths = [float(np.linalg.norm(np.diff(tree.posture[chain], axis=0), axis=1).sum())
                           for chain in (one, other)]  # fmt: skip
                if abs(lengths[0] - lengths[1]) <= _ALIKE * max(*lengths, 1e-12):
                    lowest = min(float(tree.posture[[one[-1], other[-1]], 1].min()), float(tree.posture[j, 1]))
                    pairs.append((lowest, j, one, other))
    pairs.sort(key=lambda pair: pair[0])
    found: dict[str, int] = {}
    if not pairs:
        return found
    legs = pairs[0]
    forward = np.zeros(3)
    for chain in (_leg(tree, legs[2]), _leg(tree, legs[3])):
        if len(chain) > 3:
            forward += tree.posture[chain[3]] - tree.posture[chain[2]]
    forward[1] = 0.0
    if np.linalg.norm(forward) < 1e-9:
        forward = np.array([0.0, 0.0, 1.0])
    left = np.cross((0.0, 1.0, 0.0), forward)
    arms = next((pair for pair in reversed(pairs) if pair[1] != legs[1]), None)
    if arms is not None:
        trunk = tree.posture[arms[1]] - tree.posture[legs[1]]
        if trunk[1] < UPRIGHT_TRUNK * float(np.linalg.norm(trunk)):  # four legs
            return found
    for pair, words in ((legs, LEG), (arms, ARM)):
        if pair is None:
            continue
        chains = sorted((pair[2], pair[3]), key=lambda chain: -float(tree.posture[chain[:2]].mean(axis=0) @ left))
        for side, whole in zip(SIDES, chains, strict=True):
            chain = _leg(tree, whole) if words is LEG else whole
            skip = 1 if words is ARM and len(chain) > 3 else 0
            if skip:
                found[f"{side}Shoulder"] = chain[0]
            for word, joint in zip(words, chain[skip:], strict=False):
                found[f"{side}{word}"] = joint
            if words is LEG and len(chain) > 3:
                found[f"{side}Toes"] = chain[3]
    if arms is not None:
        middle = [j for child in tree.children[arms[1]] if child not in (arms[2][0], arms[3][0])
                  for j in tree.below(child)]  # fmt: skip
        if middle:
            found["head"] = max(middle, key=lambda j: (float(tree.posture[j, 1]), -j))
    return found


def _leg(tree: _Tree, chain: list[int]) -> list[int]:
    """The joints of a leg, from its hip on: without one above that only carries it."""
    return chain[1:] if len(chain) > 3 and _length(tree, chain[0]) <= 1e-9 else chain


def _chain(tree: _Tree, joint: int) -> list[int]:
    """Joints one below the other, up to one that has several children; without those of no length."""
    found = [joint]
    while len(tree.children[found[-1]]) == 1:
        found.append(tree.children[found[-1]][0])
    return [j for n, j in enumerate(found)
            if n == 0 or _length(tree, j) > 1e-9]  # fmt: skip


def _length(tree: _Tree, joint: int) -> float:
    """From a joint's parent to it."""
    parent = tree.parents[joint]
    return float(np.linalg.norm(tree.posture[joint] - tree.posture[parent])) if parent >= 0 else 0.0
