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
from puppet.locomotion.legs import Foot, Legs
from puppet.locomotion.stepping import Stepping
from puppet.scene import Stance
from puppet.types import Floats

_TURNS_BACK, _EASES = 12, 12  # frames, at DEFAULT_FPS


def last_steps(legs: Legs, stepping: Stepping, gone: int, start: Stance) -> tuple[list[Footstep], Stance]:
    """The steps of who stops after some frames of a walk, and where they lead: what has begun to lift comes down, and
    the other foot comes beside it."""
    steps = [swing.step for swing in stepping.swings if swing.start - swing.roll < gone]
    if not steps:
        return [], start
    stance = _stance_over(legs.feet[steps[-1].foot], steps[-1])
    other = 1 - steps[-1].foot
    place, turn = tread(legs.feet[other], stance)
    stands = next((step for step in reversed(steps) if step.foot == other), stepping.first[other])
    if math.dist(stands.place, place) > ALIKE or abs(math.remainder(stands.turn - turn, math.tau)) > ALIKE:
        steps.append(Footstep(other, place, turn, False))
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
    return BodyCourse((feet[0], feet[1]), values(course.root), turns(course.turns), mass, angles, hands)


def taken_over(
    body: Body, past: BodyCourse, course: BodyCourse, postures: Sequence[Floats], rests: tuple[Floats, Floats],
    fps: float,
) -> tuple[BodyCourse, Floats]:  # fmt: skip
    """A course, and the rests that go with it, begun from where a body is and as fast as it moves.

    past: what the course would have been in the last two frames; postures: what the body did in them; rests: for these
    two frames, and (frames, dofs) for those of the course.
    """
    did = np.stack(postures)
    begins = np.arange(1, course.frames + 1) / max(2, min(round(_EASES * fps / DEFAULT_FPS), course.frames))
    share = np.minimum(begins, 1.0)
    length = 1.0 / begins[0]

    def eased(off: Floats) -> Floats:
        """What is off in two frames dies away: (frames, n), a cubic with that place and velocity."""
        left = 1.0 - share[:, None]
        return np.asarray(left * left * ((3.0 - 2.0 * left) * off[1] + share[:, None] * length * (off[1] - off[0])))

    world = joint_transforms(body, did)
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
    before, later = (np.array(rows) for rows in rests)
    for dof, angles in course.angles.items():
        before[:, dof], later[:, dof] = past.angles[dof], angles
    free = list(body.dofs_of(range(1, len(body.joints))))
    later[:, free] += eased(did[:, free] - before[:, free])
    return replace(course, root=root, turns=turns, mass=mass, angles={}), later
