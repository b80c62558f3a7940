"""Coming to a stand on the way: a walk whose next step is its last, a course that is gone back, and courses that are
taken over from whatever a body is doing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.command import DEFAULT_FPS
from puppet.geometry import minimum_jerk, rotation_vectors, rotations_about
from puppet.locomotion.course import BodyCourse, FootCourse, mass_centres
from puppet.locomotion.footsteps import ALIKE, Footstep, tread
from puppet.locomotion.legs import Foot, Legs, measured
from puppet.locomotion.stepping import Stepping
from puppet.scene import Stance
from puppet.types import Floats

_TURNS_BACK, _EASES = 12, 12  # frames, at DEFAULT_FPS
_EARLY = 0.25  # the part of a swing in which a foot may still be set down elsewhere


def last_steps(legs: Legs, stepping: Stepping, gone: int, start: Stance) -> tuple[list[Footstep], Stance]:
    """The steps of who stops after some frames of a walk, and where they lead: a foot in the air comes down where it
    was to, or beside the other one if it has just left the floor, and the other one comes beside it."""
    begun = [swing for swing in stepping.swings if swing.start < gone]
    if begun and gone - begun[-1].start < _EARLY * (begun[-1].end - begun[-1].start):
        begun.pop()
    steps = [swing.step for swing in begun]
    closes = stepping.swings[len(begun)] if len(begun) < len(stepping.swings) else None
    if closes is not None and gone <= closes.start - closes.roll and not steps:
        return [], start
    if closes is None:
        return steps, start
    foot = closes.step.foot
    stands = next((step for step in reversed(steps) if step.foot != foot), stepping.first[1 - foot])
    stance = _stance_over(legs.feet[1 - foot], stands)
    place, turn = tread(legs.feet[foot], stance)
    before = next((step for step in reversed(steps) if step.foot == foot), stepping.first[foot])
    stays = math.dist(before.place, place) < ALIKE and abs(math.remainder(before.turn - turn, math.tau)) < ALIKE
    if not stays or gone > closes.start - closes.roll:
        steps.append(Footstep(foot, place, turn, False, closes.heel_up))
    return steps, stance


def _stance_over(foot: Foot, step: Footstep) -> Stance:
    """Where a body stands one of whose feet has trodden somewhere."""
    turn = step.turn - foot.toe_out
    x, z = Stance((0.0, 0.0), turn).world(*foot.stands)
    return Stance((step.place[0] - x, step.place[1] - z), turn)


def turning_back(gone: int, fps: float) -> Floats:
    """Frames of a course, counted from 0, for who goes it back after the first `gone` ones: slowing down, and the same
    way to its begin."""
    turns = max(2, round(_TURNS_BACK * fps / DEFAULT_FPS))
    rates = 1.0 - 2.0 * minimum_jerk((np.arange(turns) + 0.5) / turns)
    back = np.concatenate([gone - 1.0 + np.cumsum(rates), np.arange(gone - 2.0, -1.0, -1.0)])
    return np.asarray(np.maximum(back, 0.0))


def sampled(course: BodyCourse, at: Floats) -> BodyCourse:
    """A course at other times, in frames counted from 0."""
    at = np.clip(at, 0.0, course.frames - 1.0)
    low = np.minimum(np.floor(at).astype(int), max(course.frames - 2, 0))
    high, share = np.minimum(low + 1, course.frames - 1), at - low

    def values(rows: Floats) -> Floats:
        shares = share.reshape(-1, *[1] * (rows.ndim - 1))
        return np.asarray(rows[low] + shares * (rows[high] - rows[low]))

    def turns(rows: Floats) -> Floats:
        by = rotation_vectors(rows[low].transpose(0, 2, 1) @ rows[high])
        return np.asarray(rows[low] @ rotations_about(share[:, None] * by))

    feet = [
        FootCourse(values(f.places), turns(f.turns), values(f.toes), np.minimum(f.lands[low], f.lands[high]))
        for f in course.feet
    ]
    hands = tuple(
        replace(
            hand, places=None if hand.places is None else values(hand.places),
            turns=None if hand.turns is None else turns(hand.turns),
        )
        for hand in course.hands
    )  # fmt: skip
    mass = None if course.mass is None else values(course.mass)
    angles = {dof: values(rows) for dof, rows in course.angles.items()}
    root, turned = values(course.root), turns(course.turns)
    return BodyCourse((feet[0], feet[1]), root, turned, mass, angles, hands, eases=course.eases)


def taken_over(
    body: Body, past: BodyCourse, course: BodyCourse, postures: Sequence[Floats], rests: tuple[Floats, Floats],
    fps: float,
) -> tuple[BodyCourse, Floats]:  # fmt: skip
    """A course, and the rests that go with it, begun from where a body is and as fast as it moves.

    past: what the course would have been in the last two frames; postures: what the body did in them; rests: for these
    two frames, and (frames, dofs) for those of the course.
    """
    did = np.stack(postures)
    usual = max(2, min(round(_EASES * fps / DEFAULT_FPS), course.frames))

    def eased(off: Floats, length: int = usual) -> Floats:
        """What is off in two frames dies away: (frames, n), a cubic with that place and velocity."""
        share = np.minimum(np.arange(1, course.frames + 1) / length, 1.0)[:, None]
        left = 1.0 - share
        return np.asarray(left * left * ((1.0 + 2.0 * share) * off[1] + share * length * (off[1] - off[0])))

    world = joint_transforms(body, did)
    feet = []
    for foot, was, own in zip(measured(body).feet, past.feet, course.feet, strict=True):
        lands = int(np.argmax(own.lands > 0.0)) if (own.lands > 0.0).any() else course.frames
        if lands > 1:  # in the air, it may have been on its way to another place
            off = rotation_vectors(world[:, foot.joint, 3:].reshape(-1, 3, 3) @ was.turns.transpose(0, 2, 1))
            own = replace(
                own, places=own.places + eased(world[:, foot.joint, :3] - was.places, lands),
                turns=rotations_about(eased(off, lands)) @ own.turns,
            )  # fmt: skip
        feet.append(own)
    turned = rotation_vectors(world[:, 0, 3:].reshape(-1, 3, 3) @ past.turns.transpose(0, 2, 1))
    turns = rotations_about(eased(turned)) @ course.turns
    root, mass = np.array(course.root), course.mass
    if mass is None:
        root += eased(world[:, 0, :3] - past.root)
    else:
        assert past.mass is not None
        axes = [0, 2] if mass.shape[1] == 2 else [0, 1, 2]
        off = eased(mass_centres(body, did)[:, axes] - past.mass)
        root[:, axes] += off
        mass = mass + off
        if len(axes) == 2:  # the root is no higher than this: from where it is
            heights = world[:, 0, 1:2] - past.root[:, 1:2]
            root[:, 1] += np.minimum(eased(heights)[:, 0], 0.0)
    before, later = (np.array(rows) for rows in rests)
    for dof, angles in course.angles.items():
        before[:, dof], later[:, dof] = past.angles[dof], angles
    free = [*body.rotation_dofs[0], *body.dofs_of(range(1, len(body.joints)))]
    off = did[:, free] - before[:, free]
    legs = [n for n, dof in enumerate(free) if dof in set(body.dofs_of(measured(body).joints - {0}))]
    off[0, legs] = off[1, legs]  # they go with root and feet: a knee that had to straighten on would stay so
    later[:, free] += eased(off)
    return replace(course, feet=(feet[0], feet[1]), root=root, turns=turns, mass=mass, angles={}), later
