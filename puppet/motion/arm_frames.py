"""The frames of arms on their courses, in closed form: see puppet.kernels.arm_course.

A wrist goes along its path; what shoulder and wrist leave free, the swivel of the arm, goes evenly from what it is to
what it will be; so do the angles of forearm and hand, or the hand's orientation where that counts. A hand that is in
motion already leaves with its velocity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from puppet.body import Body, body_angles, is_arm, joint_transforms, kernel_angles, kernel_dofs, kernel_limits
from puppet.geometry import (
    Transforms,
    axis_rotations,
    euler_angles,
    length,
    minimum_jerk,
    rotation_vectors,
    rotations_about,
    unwrapped,
)
from puppet.kernels.loader import kernels
from puppet.motion.curves import coasting
from puppet.motion.hand_path import bases, warped
from puppet.motion.problem import Found, HandCourse, Problem
from puppet.motion.steps import lengths
from puppet.motion.surroundings import Surroundings
from puppet.motion.trajectory import clamp
from puppet.solver import figure_model
from puppet.types import Flags, Floats, Ints

_COAST = 12  # frames in which a hand that is in motion leaves its old course
_MOVING = 1e-6
_SAME = 1e-6  # radians
TURNS_FROM, TURNS_TO = 0.08, 0.82  # shares of the time in which a hand turns on its way


def has_arms(body: Body, hands: tuple[HandCourse, ...]) -> bool:
    """Whether the limbs of all these hands are arms in closed form."""
    return all(is_arm(body, body.limb(hand.hand)) for hand in hands)


@dataclass(frozen=True, eq=False)
class _Unbent:
    """Hands in some frames, before their paths are bent."""

    courses: Floats  # (frames, hands, 12)
    swivels: Floats  # (frames, hands)
    middles: Floats  # (frames, hands), how much of a swing there is
    bases: Floats  # (frames, hands, 2), how much the two bends of a hand's path count
    level: Flags  # (hands,), whose orientation counts all along


@dataclass(frozen=True, eq=False)
class _Placed:
    """Bodies whose wrists are on their courses."""

    postures: Floats  # (n, angles), as kernels have them
    world: Floats  # (n, joints, 12)
    off: Floats  # (n, hands), how far each wrist is from its course
    overs: Floats  # (n, hands), by how much limits would be broken


class ArmFrames:
    """A problem whose hands have arms in closed form."""

    def __init__(self, problem: Problem, around: Surroundings) -> None:
        self.problem, self.around = problem, around
        body = self.body = problem.body
        self.model, _ = figure_model(body)
        self.limbs = np.array([body.limb(hand.hand).joints for hand in problem.hands], dtype=np.int64).reshape(-1, 3)
        self.arm_of = np.full(len(body.joints), -1, dtype=np.int64)
        self.arm_of[self.limbs[:, 0]] = np.arange(len(self.limbs))
        self.roots = problem.references[:, None, body.translation_dofs]  # (frames + 1, 1, 3) of a body that may go
        self.plain = kernel_angles(body, problem.references)
        self.references = self.plain.copy()
        self._shape_hands()
        whole = np.concatenate([kernel_angles(body, problem.before[None]), self.references])
        swivels = np.empty((len(whole), len(self.limbs)))
        kernels().arm_swivels(body.model.joints, self.limbs, whole, swivels)
        self.swivel, self.turn = swivels[1], _wrapped(swivels[-1] - swivels[1])
        self.swivel_velocity = _wrapped(swivels[1] - swivels[0])
        self.plain_swivels = unwrapped(swivels[1:])[1:].copy()  # (frames, hands), of the references
        self.plain_swivels += 2.0 * np.pi * np.round((swivels[1] + self.turn - self.plain_swivels[-1]) / (2.0 * np.pi))
        self._stay_where_they_arrive()
        before, now = joint_transforms(body, np.stack([problem.before, problem.references[0]]))
        self.velocity = now[self.limbs[:, 2], :3] - before[self.limbs[:, 2], :3]  # (hands, 3), a frame
        turns = [w[self.limbs[:, 2], 3:].reshape(-1, 3, 3) for w in (before, now)]
        self.spin = rotation_vectors(turns[1] @ turns[0].transpose(0, 2, 1))  # (hands, 3), in the world

    def _shape_hands(self) -> None:
        """Turns of forearm and hand begin a little later than the way, and end before it, as people's do: a hand comes
        out of one grip before it turns, and is ready for the other before it arrives."""
        for n, hand in enumerate(self.problem.hands):
            if hand.path is None or hand.level:
                continue
            own = kernel_dofs(self.limbs[n, 1:])[2:]  # the twist of the forearm, and the wrist
            if np.abs(self.problem.references[0] - self.problem.before).max() > _MOVING:
                continue
            count = hand.takes
            time = np.minimum(np.arange(1, len(self.references)) / count, 1.0)
            time = warped(time, hand.early)
            share = minimum_jerk(np.clip((time - TURNS_FROM) / (TURNS_TO - TURNS_FROM), 0.0, 1.0))
            first, last = self.references[0, own], self.references[-1, own]
            even = first + share[:, None] * (last - first)
            even[:, 1:] = _as_seen(self.body, int(self.limbs[n, 2]), even[:, 1:], first[1:], last[1:], share)
            self.references[1:, own] = even

    def _stay_where_they_arrive(self) -> None:
        """Hands that arrive while the trunk is still under way do not turn with it any more."""
        hands, count = self.problem.hands, self.problem.frames
        early = [n for n, hand in enumerate(hands) if hand.path is not None and not hand.level and hand.takes < count]
        if not early:
            return
        frames, level = np.arange(count), np.ones(len(hands), dtype=bool)
        ends = joint_transforms(self.body, self.problem.references[-1])[self.limbs[:, 2]]
        courses, swivels = np.tile(ends, (count, 1, 1)), np.tile(self.swivel + self.turn, (count, 1))
        there = self._placed(hands, frames, frames, courses, swivels, level).postures
        for n in early:  # what forearm and hand are turned otherwise there than with the trunk where it ends
            own = kernel_dofs(self.limbs[n, 1:])[2:]
            shares = hands[n].shares[np.minimum(frames, len(hands[n].shares) - 1)]
            self.references[1:, own] += shares[:, None] * _wrapped(there[:, own] - there[-1, own])
            joints = [int(joint) for joint in self.limbs[n, 1:]]
            whole = kernel_dofs(joints)
            angles = body_angles(self.body, self.references[1:, whole], joints)
            clamp(self.body, self.body.dofs_of(joints), angles)
            self.references[1:, whole] = kernel_angles(self.body, angles, joints)

    def at(self, hands: tuple[HandCourse, ...], frames: Ints) -> Found:
        """Frames by their numbers, counted from the next one on."""
        courses, swivels = self.courses(hands, frames)
        return self._found(hands, frames, np.arange(len(frames)), courses, swivels)

    def bending(self, hands: tuple[HandCourse, ...], frames: Ints) -> tuple[Any, ...]:
        """What bends of paths are tried by in some frames, as kernels have it: see puppet.kernels.path_descent."""
        body, model, around, problem = self.body, self.body.model, self.around, self.problem
        plain, near, compiled = self._unbent(hands, frames), around.near, kernels()
        roots = self.roots[frames + 1, 0] if body.free_root else np.empty((0, 3))
        return (
            compiled.placing, compiled.judging, model.joints, model.dofs, self.model.joints, self.model.links,
            self.model.corners, self.limbs, self.arm_of, plain.level, self.references[0], self.references[frames + 1],
            roots, plain.courses, plain.swivels, plain.middles, plain.bases, self._displaced_by(hands),
            np.array([hand.idle for hand in hands]), near.solids, problem.boxes.halves, around.boxes[frames],
            around.carriers, around.apart_from, around.parts, around.owners, *around.ways(frames, hands),
            around.left_behind, around.reached, around.margins, problem.clearance, frames, near.counts, near.known,
            near.world,
        )  # fmt: skip

    def _displaced_by(self, hands: tuple[HandCourse, ...]) -> Ints:
        """By whose path each hand is displaced where that is bent, -1 for none: a hand that stays on a thing goes with
        the one that carries it."""
        places = {hand.hand: n for n, hand in enumerate(hands) if hand.path is not None}
        carriers = [(places.get(hand, -1), names) for hand, names in self.around.in_hand.items()]
        found = [
            n if hand.path is not None else max((place for place, names in carriers if hand.holds in names), default=-1)
            for n, hand in enumerate(hands)
        ]
        return np.array(found, dtype=np.int64)

    def _unbent(self, hands: tuple[HandCourse, ...], frames: Ints) -> _Unbent:
        shares = [hand.shares[np.minimum(frames, len(hand.shares) - 1)] for hand in hands]
        own = np.zeros((len(frames), len(hands), 2))
        for n, (hand, share) in enumerate(zip(hands, shares, strict=True)):
            if hand.path is not None:
                own[:, n, 0], own[:, n, 1] = bases(hand.path.parameters(share))
        middles = np.stack([middle(share) for share in shares], axis=1)
        return _Unbent(*self.courses(hands, frames), middles, own, _level(hands))

    def swung(self, hands: tuple[HandCourse, ...], frames: Ints, swings: Floats, only: int) -> Found:
        """The same frames several times, one after the other, with arms swivelled by swings (n * frames, hands). only:
        the hand of which clearances are measured."""
        courses, swivels = self.courses(hands, frames)
        rows = np.tile(np.arange(len(frames)), len(swings) // len(frames))
        return self._found(hands, frames, rows, courses[rows], swivels[rows] + swings, only, again=False)

    def _found(
        self, hands: tuple[HandCourse, ...], frames: Ints, rows: Ints, courses: Floats, swivels: Floats,
        only: int | None = None, again: bool = True,
    ) -> Found:  # fmt: skip
        """Postures with wrists on their courses; rows: the place of each among the frames, 0 where a path begins."""
        body, placed = self.body, self._placed(hands, frames, rows, courses, swivels)
        exact = np.array([(hand.path is None or hand.level) and not hand.idle for hand in hands], dtype=bool)
        turned = np.zeros_like(placed.off)
        if exact.any():
            turned = angles_between(placed.world[:, self.limbs[:, 2], 3:], courses[..., 3:]) * exact
        missing, depths = self.around.judge(placed.world, frames, hands, rows, only=only, again=again)
        found = self.problem.references[frames[rows] + 1]
        found[:, len(body.translation_dofs) :] = body_angles(body, placed.postures)
        return Found(found, placed.off, turned, missing, depths, placed.overs, placed.world)

    def _placed(
        self, hands: tuple[HandCourse, ...], frames: Ints, rows: Ints, courses: Floats, swivels: Floats,
        level: Flags | None = None,
    ) -> _Placed:  # fmt: skip
        """Bodies with wrists on their courses, (n, hands, 12). level (hands,): whose orientation counts all along."""
        body, count = self.body, len(rows)
        numbers = frames[rows] + 1
        postures = self.references[numbers]
        world = np.empty((count, len(body.joints), 12))
        shorts, overs = np.zeros((count, len(hands))), np.zeros((count, len(hands)))
        arm_of = self.arm_of
        for n, hand in enumerate(hands):
            if hand.plain >= 1.0:  # its joints turn by themselves
                arm_of = arm_of.copy()
                arm_of[self.limbs[n, 0]] = -1
                own = kernel_dofs(self.limbs[n])
                postures[:, own] = self.plain[numbers[:, None], own]
        goals = courses
        if body.free_root:
            roots = self.roots[numbers]
            goals = courses.copy()
            goals[:, :, :3] -= roots
        if level is None:
            level = _level(hands)
        model = body.model
        kernels().arm_frames(
            model.joints, model.dofs, self.model.joints, self.model.links, self.model.corners, self.limbs, arm_of,
            goals, swivels, level, self.references[0], rows, postures, world, shorts, overs,
        )  # fmt: skip
        if body.free_root:
            world[:, :, :3] += roots
        off = lengths(world[:, self.limbs[:, 2], :3] - courses[..., :3])
        for n, hand in enumerate(hands):
            if hand.plain > 0.0 and hand.path is not None:  # its course is another one than its path
                path = hand.path.at(hand.shares[np.minimum(frames[rows], len(hand.shares) - 1)])
                off[:, n] = np.linalg.norm(world[:, self.limbs[n, 2], :3] - path.positions, axis=1)
            if hand.idle:
                overs[:, n] = 0.0
        return _Placed(postures, world, off, overs)

    def courses(self, hands: tuple[HandCourse, ...], frames: Ints) -> tuple[Floats, Floats]:
        """Where wrists are to be, (frames, hands, 12), and their swivels (frames, hands)."""
        courses, swivels = np.empty((len(frames), len(hands), 12)), np.empty((len(frames), len(hands)))
        wrists: dict[str, Transforms] = {}
        for n, hand in enumerate(hands):
            shares = hand.shares[np.minimum(frames, len(hand.shares) - 1)]
            moving = length(self.velocity[n]) > _MOVING
            if moving or self.swivel_velocity[n] != 0.0:
                coast = coasting(frames + 1, min(_COAST, hand.takes))
            if hand.path is not None:
                aim = hand.path.at(shares)
                if moving:
                    turn = rotations_about(coast[:, None] * self.spin[n])
                    aim = Transforms(aim.positions + coast[:, None] * self.velocity[n], turn @ aim.rotations)
                if hand.plain > 0.0:
                    plain = self.around.world[frames + 1, self.limbs[n, 2], :3]
                    aim = Transforms(aim.positions + hand.plain * (plain - aim.positions), aim.rotations)
            else:
                aim = self._held(hand, wrists, frames)
            wrists[hand.hand] = aim
            courses[:, n] = aim.rows
            even = self.swivel[n] + shares * self.turn[n]
            if self.swivel_velocity[n] != 0.0:
                even += coast * self.swivel_velocity[n]
            if hand.plain > 0.0:
                even += hand.plain * (self.plain_swivels[frames, n] - even)
            swivels[:, n] = even + (hand.swing if isinstance(hand.swing, float) else hand.swing[frames])
        return courses, swivels

    def _held(self, hand: HandCourse, wrists: Mapping[str, Transforms], frames: Ints) -> Transforms:
        """The wrist of a hand that stays on a thing."""
        assert hand.holds is not None
        assert hand.held is not None
        return self._thing(hand.holds, wrists, frames).compose(Transforms.repeated(hand.held, len(frames)))

    def _thing(self, name: str, wrists: Mapping[str, Transforms], rows: Ints) -> Transforms:
        """Where a thing is in some frames: it may be carried by a hand that has a path."""
        around = self.around
        box = self.problem.boxes.box(name)
        own = around.boxes[rows, box]
        things = Transforms(own[:, :3], own[:, 3:].reshape(-1, 3, 3))
        for hand, names in around.in_hand.items():
            if name not in names:
                continue
            if hand in wrists:
                return wrists[hand].compose(things)
            row = around.world[rows + 1, int(around.carriers[box])]  # of a motion that is under way
            return Transforms(row[:, :3], row[:, 3:].reshape(-1, 3, 3)).compose(things)
        return things


def _as_seen(body: Body, wrist: int, even: Floats, first: Floats, last: Floats, share: Floats) -> Floats:
    """The angles of a wrist (frames, 3), as kernels have them, that is bent evenly as its hand sees it: so it is never
    bent farther than at its ends. Where that would leave its limits, or is another way round, they go `even`."""
    order = [rotation.axis for rotation in body.joints[wrist].rotations]
    if sorted(order) != [0, 1, 2] or body.joints[wrist].range is not None:
        return even
    ends = np.stack([first, last])
    seen = euler_angles(_turned(ends, order), order[::-1])
    turns = np.remainder(seen[1] - seen[0] + 180.0, 360.0) - 180.0
    rotations = _turned(np.radians(seen[0] + share[:, None] * turns), order[::-1])
    found = np.radians(euler_angles(rotations, order))
    found = unwrapped(np.concatenate([first[None], found]))[1:]
    limits = kernel_limits(body, kernel_dofs([wrist]))
    inside = (found >= limits[0] - _SAME).all() and (found <= limits[1] + _SAME).all()
    return found if inside and np.abs(found[-1] - last).max() < _SAME else even


def _turned(angles: Floats, order: Sequence[int]) -> Floats:
    """The rotations (n, 3, 3) of angles (n, 3) about axes, the first one first."""
    first, second, third = (axis_rotations(axis, angles[:, n]) for n, axis in enumerate(order))
    return np.asarray(first @ second @ third)


def _level(hands: tuple[HandCourse, ...]) -> Flags:
    """Of which hands the orientation counts all along."""
    return np.array([hand.path is None or hand.level for hand in hands], dtype=bool)


def middle(shares: Floats) -> Floats:
    """How much of a swing there is: none at both ends, all in the middle."""
    return np.asarray(16.0 * (shares * (1.0 - shares)) ** 2)


def _wrapped(angles: Floats) -> Floats:
    return np.asarray((angles + np.pi) % (2.0 * np.pi) - np.pi)


def angles_between(first: Floats, second: Floats) -> Floats:
    """Between rotations (..., 9) row by row."""
    cosine = 0.5 * ((first * second).sum(axis=-1) - 1.0)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))
