"""The whole-body solver's kernel for paths (puppet.kernels.figure_path), with a problem put into its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from puppet.body import joint_transforms, local_rotations
from puppet.geometry import Transform, Transforms, interpolate_rows
from puppet.kernels.figure_model import (
    COUNTS,
    GIVING,
    LARGEST,
    LINK,
    ORIENTATION,
    POSITION,
    PRIORITY,
    TASK_COLUMNS,
)
from puppet.kernels.figure_model import KIND as TASK_KIND
from puppet.kernels.loader import kernels
from puppet.kernels.solids import CONE, DISTANCE, FIRST, KIND, MOVES, PAIR_COLUMNS, R0, SECOND, P, Q
from puppet.motion.curves import minimum_jerk
from puppet.motion.elbow import Arm, plan_swivels, swivel_of
from puppet.motion.problem import Found, HandCourse, Problem
from puppet.motion.sketch import CONTACT, HAND_POINTS, sketch_bends, wrist_points
from puppet.motion.solids import MOST_PAIRS, body_solids
from puppet.solver import figure_model
from puppet.types import Floats, Ints

STEPS = 4  # of the solver, a frame
# How much a hand gives: in its place; in its orientation where that counts; else at the ends of its path; on its way.
FIRM, FIRM_TURN, SOFT, FREE = 1e-9, 1e-6, 1e-4, 1e-3
GIVING_FIRST, GIVING_LATER = 0.002, 0.1
LARGEST_ERROR, LARGEST_ANGLE = 0.08, 0.3  # that count in one step
TOWARDS_REFERENCE = 0.15  # which part of the way to the reference posture a step goes
ELBOW = 0.05  # how much an elbow gives
SMOOTHED, FOLLOWS_SMOOTHED = 0.5, 0.4  # how much a hand gives in smoothed frames, and how closely those are followed
FAR = 1e3
HAND_TASKS = 3  # of a hand: where its wrist is, how it is turned, where its elbow is
REACHABLE = 0.1  # how far beyond the reach of an arm, and the tower that it carries, solids may matter


class Follower:
    """A problem as the kernel reads it; paths are given to each call."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.world = joint_transforms(problem.body, problem.references)  # (frames + 1, joints, 12)
        body = self.body = problem.body
        solids = body_solids(body)
        self.model, mobility = figure_model(body)
        serving = np.zeros(body.dofs)
        serving[body.dofs_of(sorted(problem.joints))] = 1.0
        self.mobility = mobility * serving
        self.first = np.array([
            local_rotations(body, j, problem.references[:1])[0].ravel() for j in range(len(body.joints))
        ])  # fmt: skip
        self.solids = np.array(solids.table)
        moving = np.isin(solids.joints, sorted(problem.joints))
        self.solids[:, MOVES] = (solids.hand_of >= 0) & (moving | self._carried_along(solids.joints))
        self.joints_of_solids = solids.joints
        self._leave_out(solids.joints)
        self.paths = {hand.hand: n for n, hand in enumerate(problem.hands)}
        self._boxes(solids.joints)
        self._touching(solids.apart_from, solids.joints, solids.hand_of, solids.hands)
        self._ends()

    def _carried_along(self, joints: Ints) -> NDArray[np.bool_]:
        """Solids of arms that do not serve, but hang on joints that do."""
        below = self.body.model.below.astype(bool)
        moved = np.zeros(len(below), dtype=bool)
        for joint in self.problem.joints:
            moved |= below[joint]
        return np.where(joints >= 0, moved[joints], False)

    def _leave_out(self, joints: Ints) -> None:
        """Solids that no moving arm can reach count for nothing."""
        body, world = self.body, self.world[[0, len(self.world) // 2, -1]]
        where = np.where(joints >= 0, joints, 0)
        first, other = self.solids[:, P : P + 3], self.solids[:, Q : Q + 3]
        middles = np.where(self.solids[:, KIND : KIND + 1] == CONE, 0.5 * (first + other), first)
        rotations = world[:, where, 3:].reshape(len(world), -1, 3, 3)
        places = world[:, where, :3] + np.einsum("fnab,nb->fna", rotations, middles)
        places = np.where(joints[None, :, None] >= 0, places, middles[None])
        near = np.zeros(len(joints), dtype=bool)
        for course in self.problem.hands:
            limb = body.limb(course.hand).joints
            parts = [*body.arrays.offsets[list(limb[1:])], body.arrays.tips[limb[-1]]]
            reach = float(sum(np.linalg.norm(part) for part in parts)) + REACHABLE
            near |= (np.linalg.norm(places - world[:, limb[:1], :3], axis=2) < reach).any(axis=0)
        self.out = ~near & (self.solids[:, MOVES] == 0.0)

    def _boxes(self, joints: Ints) -> None:
        problem, body = self.problem, self.body
        rows = problem.boxes.cubes(problem.things)
        self.boxes = np.tile(rows, (problem.frames, 1, 1))
        self.carriers = np.full(len(rows), -1, dtype=np.int64)
        numbers = problem.frame + 1 + np.arange(problem.frames)
        self.in_hand: dict[str, list[str]] = {}
        for carrying in problem.carrying:
            joint = body.limb(carrying.hand).joints[-1]
            tip = Transforms.repeated(Transform.of(body.arrays.tips[joint]), problem.frames)
            for name, transforms in carrying.all_transforms(tip, numbers).items():
                box = problem.boxes.box(name)
                self.boxes[:, box], self.carriers[box] = transforms.rows, joint
                self.in_hand.setdefault(carrying.hand, []).append(name)

    def _touching(self, apart_from: Ints, joints: Ints, hand_of: Ints, hands: tuple[str, ...]) -> None:
        """Which solids may touch, and to which path each belongs."""
        problem, body, size = self.problem, self.body, len(joints)
        total = size + len(self.carriers)
        self.apart_from = np.zeros((total, total), dtype=np.int64)
        self.apart_from[:size, :size] = apart_from
        self.apart_from[:, :size][:, self.out] = 1
        self.owners = np.full(total, len(problem.hands), dtype=np.int64)
        for n, hand in enumerate(hands):
            if hand in self.paths:
                self.owners[:size][hand_of == n] = self.paths[hand]
        boxes = np.arange(size, total)
        still = boxes[self.carriers < 0]
        self.apart_from[np.ix_(still, still)] = 1
        for course in problem.hands:
            own = np.flatnonzero(joints == body.limb(course.hand).joints[-1])
            for name in (*self.in_hand.get(course.hand, ()), *((course.holds,) if course.holds else ())):
                box = size + problem.boxes.box(name)
                self.apart_from[own, box] = self.apart_from[box, own] = 1
        for hand, names in self.in_hand.items():
            held = np.array([size + problem.boxes.box(name) for name in names])
            self.apart_from[np.ix_(held, held)] = 1
            self.owners[held] = self.paths.get(hand, len(problem.hands))
            own = np.flatnonzero(joints == body.limb(hand).joints[-1])
            self.apart_from[np.ix_(held, own)] = self.apart_from[np.ix_(own, held)] = 1
        self.may_touch = np.zeros((total, total), dtype=bool)
        for course in problem.hands:
            own = np.flatnonzero(joints == body.limb(course.hand).joints[-1])
            for name in course.touches:
                if name in problem.boxes.names:
                    box = size + problem.boxes.box(name)
                    self.may_touch[own, box] = self.may_touch[box, own] = True

    def _ends(self) -> None:
        """Clearances in the first posture and in the last one."""
        references = self.problem.references
        self.left_behind = self._clearances(references[0], self.boxes[0])
        self.reached = self._clearances(references[-1], self.boxes[-1])
        self.deepest = float(self.reached[~self.may_touch].min(initial=0.0))
        self.reached = np.where(self.may_touch, self.reached - CONTACT, np.maximum(self.reached, 0.0))

    def reached_depth(self) -> float:
        """How deep solids are in each other in the last posture that may not even touch."""
        return float(max(0.0, -self.deepest))

    def _clearances(self, posture: Floats, boxes: Floats) -> Floats:
        total = len(self.owners)
        found = np.full((total, total), FAR)
        pairs = np.empty((MOST_PAIRS, PAIR_COLUMNS))
        world = joint_transforms(self.body, posture)
        count = kernels().clearances(
            world, self.solids, self.problem.boxes.halves, boxes, self.carriers, self.apart_from,
            self.problem.clearance, pairs,
        )  # fmt: skip
        a, b = pairs[:count, FIRST].astype(int), pairs[:count, SECOND].astype(int)
        found[a, b] = found[b, a] = pairs[:count, DISTANCE]
        return found

    def sketched(self, hand: HandCourse) -> HandCourse:
        """The hand with its path led around boxes, as far as that is seen without its arm."""
        if hand.path is None or not hand.bendable:
            return hand
        problem, body = self.problem, self.body
        joint = body.limb(hand.hand).joints[-1]
        points, radii = wrist_points(body.arrays.tips[joint])
        own = self.in_hand.get(hand.hand, [])
        others = [k for k in range(len(self.carriers)) if self.carriers[k] < 0]
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
        for name in own:
            box = problem.boxes.box(name)
            row = self.boxes[-1, box]
            inside = row[:3] + problem.boxes.halves[box] * corners @ row[3:].reshape(3, 3).T
            points, radii = np.concatenate([points, inside]), np.concatenate([radii, np.zeros(len(inside))])
        touched = np.zeros((len(points), len(others)), dtype=bool)
        mine = [problem.boxes.box(name) for name in hand.touches if name in problem.boxes.names]
        touched[:HAND_POINTS] = np.isin(others, mine)
        touched[HAND_POINTS:] = True  # what is carried is put onto something
        bends = sketch_bends(
            hand.path, points, radii, problem.boxes.halves[others], self.boxes[-1][others], touched, problem.clearance,
            hand.outwards,
        )  # fmt: skip
        return replace(hand, path=hand.path.bent(bends)) if np.any(bends) else hand

    # ---- following

    def follow(self, hands: Sequence[HandCourse], rows: Ints, steps: int) -> Found:
        """The frames with these numbers, counted from the next one on."""
        references = np.ascontiguousarray(self.problem.references[np.concatenate([[0], rows + 1])])
        gains = np.full(self.body.dofs, TOWARDS_REFERENCE)
        return self._follow(hands, rows, steps, references, gains, *self._tasks(hands, rows))

    def smoothed(self, hands: Sequence[HandCourse], found: Found, width: int) -> Found:
        """The same frames with the angles of the arms smoothed over `width` frames to both sides, and followed again:
        hands are where they were, and turned as the smoothed angles turn them."""
        body, problem = self.body, self.problem
        rows = np.arange(problem.frames)
        arms = self._arms(hands)
        whole = np.concatenate([problem.references[:1], found.postures])
        moving = any(hand.course is not None for hand in hands)
        whole[:, arms] = _smooth(whole[:, arms], width, moving)
        world = joint_transforms(body, whole)
        tasks, goals, firmness = self._tasks(hands, rows)
        for n, hand in enumerate(sorted(hands, key=lambda hand: hand.path is None)):
            joint = body.limb(hand.hand).joints[-1]
            tasks[HAND_TASKS * n + 2, COUNTS : COUNTS + 3] = 0.0  # the elbow is where the smoothed angles have it
            if hand.path is not None and not hand.level:
                goals[:-1, HAND_TASKS * n + 1, 3:] = world[1:-1, joint, 3:]
                firmness[:-1, HAND_TASKS * n + 1] = SMOOTHED
        gains = np.full(body.dofs, FOLLOWS_SMOOTHED)
        return self._follow(hands, rows, STEPS, whole, gains, tasks, goals, firmness)

    def _follow(
        self, hands: Sequence[HandCourse], rows: Ints, steps: int, references: Floats, gains: Floats, tasks: Floats,
        goals: Floats, firmness: Floats,
    ) -> Found:  # fmt: skip
        problem, body, model = self.problem, self.body, self.model
        count = len(rows)
        start = problem.references[0].copy()
        leaving, arriving = np.full((count, len(hands) + 1), FAR), np.full((count, len(hands) + 1), FAR)
        for n, hand in enumerate(hands):
            if hand.path is not None:
                shares = hand.shares[np.minimum(rows, len(hand.shares) - 1)]
                turned = 0.1 * hand.path.start.angle(hand.path.goal)
                leaving[:, n] = shares * (hand.path.length + turned)
                arriving[:, n] = (1.0 - shares) * (hand.path.length + turned)
        postures, misses = np.empty((count, body.dofs)), np.empty((count, len(tasks)))
        depths, pushes = np.empty(count), np.empty((count, len(hands), 4))
        kernels().figure_follow(
            model.joints, model.links, model.corners, model.velocities, model.chains, int(body.free_root), tasks, goals,
            firmness, references, gains, self.mobility, self.solids, problem.boxes.halves,
            np.ascontiguousarray(self.boxes[rows]), self.carriers, self.apart_from, self.owners, leaving, arriving,
            self.left_behind, self.reached, problem.clearance, steps, start, self.first.copy(), postures,
            misses, depths, pushes,
        )  # fmt: skip
        return Found(postures, misses, depths, pushes)

    def _tasks(self, hands: Sequence[HandCourse], rows: Ints) -> tuple[Floats, Floats, Floats]:
        """The kernel's table of tasks, their goals (frames, tasks, 12) and how much they give (frames, tasks)."""
        body, count = self.body, len(rows)
        tasks: list[Floats] = []
        goals: list[Floats] = []
        firmness: list[Floats] = []
        wrists: dict[str, Transforms] = {}
        for hand in sorted(hands, key=lambda hand: hand.path is None):
            joint = body.limb(hand.hand).joints[-1]
            firm = np.full(count, FIRM)
            if hand.path is not None:
                shares = hand.shares[np.minimum(rows, len(hand.shares) - 1)]
                aim = hand.path.at(shares)
                if hand.plain > 0.0:
                    direct = replace(hand.path, bends=np.zeros((2, 3))).at(shares)
                    mixed = interpolate_rows(direct, self._plain(joint, rows), np.full(count, hand.plain))
                    aim = Transforms(mixed.positions + aim.positions - direct.positions, mixed.rotations)
                if hand.course is not None:  # it leaves its present course gradually
                    time = np.minimum(2.0 * (rows + 1) / max(len(hand.shares), 1), 1.0)
                    last = np.minimum(rows, len(hand.course) - 1)
                    aim = interpolate_rows(hand.course.taken(last), aim, minimum_jerk(time))
                turn = np.full(count, FIRM_TURN if hand.level else SOFT + FREE * (4.0 * shares * (1.0 - shares)) ** 2)
            else:
                assert hand.holds is not None
                assert hand.held is not None
                aim = self._thing(hand.holds, wrists, rows).compose(Transforms.repeated(hand.held, count))
                turn = firm
            wrists[hand.hand] = aim
            first = 1.0 if hand.path is None or hand.level else 2.0
            for kind, soft, priority in ((POSITION, firm, 1.0), (ORIENTATION, turn, first)):
                tasks.append(_task(kind, joint, priority))
                goals.append(aim.rows)
                firmness.append(soft)
            elbows = self._elbows(hand, aim.positions, rows)
            row = _task(POSITION, body.limb(hand.hand).joints[1 if len(body.limb(hand.hand).joints) > 1 else 0], 3.0)
            if elbows is None:  # no such arm: nothing is asked
                row[COUNTS : COUNTS + 3], elbows = 0.0, np.zeros((count, 3))
            tasks.append(row)
            goals.append(np.concatenate([elbows, np.zeros((count, 9))], axis=1))
            firmness.append(np.full(count, ELBOW))
        for gaze in self.problem.gazes:
            tasks.append(_task(ORIENTATION, gaze.joint, 2.0))
            turns = gaze.turns[np.minimum(rows, len(gaze.turns) - 1)]
            goals.append(np.concatenate([np.zeros((count, 3)), turns.reshape(-1, 9)], axis=1))
            firmness.append(np.full(count, FIRM))
        if not tasks:
            return np.zeros((0, TASK_COLUMNS)), np.zeros((count, 0, 12)), np.zeros((count, 0))
        return np.array(tasks), np.ascontiguousarray(np.stack(goals, axis=1)), np.stack(firmness, axis=1)

    def _arms(self, hands: Iterable[HandCourse]) -> Ints:
        return self.body.dofs_of([j for hand in hands for j in self.body.limb(hand.hand).joints])

    def _plain(self, joint: int, rows: Ints) -> Transforms:
        """Where a joint is in some frames of the reference."""
        found = self.world[rows + 1, joint]
        return Transforms(found[:, :3], found[:, 3:].reshape(-1, 3, 3))

    def _elbows(self, hand: HandCourse, wrists: Floats, rows: Ints) -> Floats | None:
        """Where the elbow of an arm is to be, (rows, 3): turned about the line from shoulder to wrist by an angle that
        goes evenly from what it is to what it will be; None for limbs that are no such arms."""
        limb = self.body.limb(hand.hand).joints
        if len(limb) != 3 or hand.path is None or hand.plain > 0.0:
            return None
        shoulder, elbow, wrist = (self.world[:, joint, :3] for joint in limb)
        upper = float(np.linalg.norm(elbow[0] - shoulder[0]))
        lower = float(np.linalg.norm(wrist[0] - elbow[0]))
        ends = [swivel_of(shoulder[n], elbow[n], wrist[n]) for n in (0, -1)]
        shares = hand.shares[np.minimum(rows, len(hand.shares) - 1)]
        thick = [float(self.solids[self.joints_of_solids == joint, R0].max(initial=0.0)) for joint in limb[:2]]
        arm = Arm(shoulder[rows + 1], wrists, upper, lower, max(thick))
        return arm.elbows(plan_swivels(arm, ends[0], ends[1], shares, self.problem.boxes.table))

    def _thing(self, name: str, wrists: Mapping[str, Transforms], rows: Ints) -> Transforms:
        """Where a thing is in some frames: it may be carried by a hand that has a path."""
        box = self.problem.boxes.box(name)
        own = self.boxes[rows, box]
        things = Transforms(own[:, :3], own[:, 3:].reshape(-1, 3, 3))
        for hand, names in self.in_hand.items():
            if name not in names:
                continue
            if hand in wrists:
                return wrists[hand].compose(things)
            joint = self.carriers[box]  # of a motion that is under way
            return self._plain(int(joint), rows).compose(things)
        return things


def _smooth(angles: Floats, width: int, moving: bool) -> Floats:
    """Each row the mean of those up to `width` before and after it; before the first and after the last one they are as
    those, so that a motion comes from rest and comes to rest. The ends stay. moving: it does not come from rest."""
    count = len(angles)
    padded = np.concatenate([np.repeat(angles[:1], width, axis=0), angles, np.repeat(angles[-1:], width, axis=0)])
    sums = np.concatenate([np.zeros((1, angles.shape[1])), np.cumsum(padded, axis=0)])
    found = (sums[2 * width + 1 :] - sums[: -2 * width - 1]) / (2 * width + 1)
    fades = 1.0 - minimum_jerk(np.minimum(np.arange(count) / (3.0 * width), 1.0))[:, None]
    if moving:
        keep = np.minimum(np.arange(count) / (2.0 * width), 1.0)[:, None]
        found = angles + keep * (found - angles)
    return np.asarray(found + fades * (angles[0] - found[0]) + fades[::-1] * (angles[-1] - found[-1]))


def _task(kind: int, joint: int, priority: float) -> Floats:
    row = np.zeros(TASK_COLUMNS)
    row[TASK_KIND], row[LINK], row[COUNTS : COUNTS + 3], row[PRIORITY] = kind, joint, 1.0, priority
    row[GIVING] = GIVING_FIRST if priority == 1.0 else GIVING_LATER
    row[LARGEST] = LARGEST_ERROR if kind == POSITION else LARGEST_ANGLE
    return row
