"""Goal postures: what the scheduled motions ask of the body, put to the posture generator limb by limb."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from puppet.body import Body, forward, hand_transforms
from puppet.errors import GoalError
from puppet.geometry import Transform
from puppet.motion import follow
from puppet.posture import (
    ORIENTATION_TOLERANCE,
    POSITION_TOLERANCE,
    HandGoal,
    Memory,
    Posture,
    in_place,
    is_met,
    pose_limbs,
)
from puppet.scene import Scene, Table, table_excess
from puppet.tasks import AtAngles, AtHere, Goal, Miss, Motion, lifted, wanted_transform
from puppet.types import Floats

UPRIGHT = 0.05  # radians: a trunk bent less than this carries no arm into the table
# A place is met before an orientation, and that is a matter of posture: see puppet.motion.path_following.
IN_PLACE = np.array([[1e-5, 1.0, 1.0, 1.0]])
TRACKING = 0.004  # a hand that tracks an object may be this far off before its orientation is given up


@dataclass(frozen=True)
class Start:
    """A motion about to begin, with the joints it gets and its secondary goals."""

    motion: Motion
    joints: frozenset[int]
    others: Mapping[str, Goal] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class GoalPostures:
    """The posture generator with a body, a table and a solver chosen."""

    body: Body
    table: Table
    solver: str = "puppet"
    _memory: Memory = field(default_factory=Memory)  # a goal is looked at when it is told, and again when it is begun

    def reach(self, hand: str, pose: Transform) -> tuple[Transform, Miss]:
        """The pose in which a hand arrives when it is sent to a pose with the trunk's help, and its miss."""
        posture = self._solve({hand: pose}, True, self.body.rest)
        if posture is None:
            at = hand_transforms(self.body, self.body.rest)[hand]
            return Transform.of(at.position, at.rotation), self._missed(at, pose)
        miss = self._miss(posture, hand)
        if miss.met:
            return pose, miss
        return Transform.of(posture.hand_positions[hand], posture.hand_orientations[hand]), miss

    def goals(
        self, base: Floats, starts: Sequence[Start], scene: Scene
    ) -> tuple[Floats, dict[int, Miss], frozenset[int]]:
        """The angles at which everything ends, how far each motion's hand is off, by the number of its task, and the
        joints of arms that nothing was asked of but that the trunk would have carried into the table.

        `base` holds what is already decided. The goals of all motions are read in one scene, that of the last one told.
        """
        angles = base.copy()
        misses: dict[int, Miss] = {}
        gaze = self.body.gaze.joint if self.body.gaze else -1
        heads: dict[int, Floats] = {}  # where the head looks for a motion, by its task
        rest = list(starts)
        if len(rest) > 1 and self._shared(rest[0], rest[1]):
            misses.update(self._solve_shared(rest[0], rest[1], scene, angles, heads))
            rest = rest[2:]
        for start in rest:
            self._primary(start, scene, angles, misses, heads)
        for start in starts:
            self._secondary(start, scene, base, angles)
            if gaze in start.joints and gaze not in start.motion.critical:
                self._look(start, heads, angles)
        return angles, misses, self._clear_canned(starts, angles)

    def follow(self, angles: Floats, frames: Floats, hand: str, pose: Transform) -> None:
        """Moves one arm in place, by as little as that takes, so that its tip is at a pose."""
        limb = self.body.limb(hand).joints
        dofs = self.body.dofs_of(limb)
        parent = self.body.joints[limb[0]].parent
        base = frames[parent] if parent >= 0 else np.concatenate([np.zeros(3), np.eye(3).ravel()])
        target = np.concatenate([pose.position, pose.rotation.ravel()])
        found, _ = follow(self.body, hand, base[None].copy(), target[None], angles[None, dofs].copy(), IN_PLACE)
        angles[dofs] = found[0]

    def out_of_table(self, angles: Floats, hand: str, pose: Transform) -> None:
        """Where following has ended with the arm in the table: another posture for the same hand."""
        if table_excess(self.body, self.table, *forward(self.body, angles)) > 0.0:
            self.track(angles, hand, pose)

    def track(self, angles: Floats, hand: str, pose: Transform) -> None:
        """Moves one arm in place so that its hand is at a pose, as nearly as it can, wherever the arm was."""
        posture = self._solve({hand: pose}, False, angles)
        if posture is not None and posture.position_error > TRACKING and self.solver != "estimate":
            free = self._solve({hand: pose}, False, angles, oriented=False)
            if free is not None and free.position_error < posture.position_error:
                posture = free
        if posture is not None:
            self._take(posture.angles, self.body.limb(hand).joints, angles)

    # ---- inside

    def _clear_canned(self, starts: Sequence[Start], angles: Floats) -> frozenset[int]:
        """Moves arms in canned or earlier postures out of the table, in place; returns their joints.

        Such postures are made for an upright trunk. The posture generator clears limbs that have no goal: so another
        limb is asked to be where it is.
        """
        trunk = self.body.dofs_of({j for limb in self.body.limbs.values() for j in limb.trunk})
        upright = len(trunk) == 0 or np.max(np.abs(angles[trunk])) < UPRIGHT
        if upright and not any(start.motion.alone for start in starts):
            return frozenset()
        moved: set[int] = set()
        for name in self.body.hands:
            limb = self.body.limb(name)
            asked = [s.motion.goal if s.motion.hand == name else s.others.get(name) for s in starts
                     if frozenset(limb.joints) <= s.joints]  # fmt: skip
            helper = next((other for other in self.body.hands if other != name), None)
            if helper is None or any(not isinstance(goal, AtAngles) for goal in asked):
                continue  # the posture generator has seen to it
            posture = self._solve({helper: hand_transforms(self.body, angles)[helper]}, False, angles)
            dofs = self.body.dofs_of(limb.joints)
            if posture is not None and np.max(np.abs(posture.angles[dofs] - angles[dofs])) > 1e-9:
                self._take(posture.angles, limb.joints, angles)
                moved |= set(limb.joints)
        return frozenset(moved)

    def _primary(
        self, start: Start, scene: Scene, angles: Floats, misses: dict[int, Miss], heads: dict[int, Floats]
    ) -> None:
        motion, limb = start.motion, self.body.limb(start.motion.hand)
        trunk = frozenset(limb.trunk)
        if isinstance(motion.goal, AtAngles):
            loose = start.joints - motion.critical
            angles[self.body.dofs_of(trunk & loose)] = 0.0  # upright
            wanted = motion.goal.angles + (motion.posture.angles if motion.posture else ())
            for dof, angle in wanted:
                if self.body.arrays.joints_of[dof] in start.joints:
                    angles[dof] = angle
            misses[motion.task] = Miss()
            return
        pose = self._pose(scene, motion.hand, motion.goal)
        helps = trunk <= start.joints
        posture = self._solve({motion.hand: pose}, helps, angles, gaze=pose.position)
        if posture is None:
            misses[motion.task] = self._missed(hand_transforms(self.body, angles)[motion.hand], pose)
            return
        self._take(posture.angles, (*limb.joints, *limb.trunk) if helps else limb.joints, angles)
        misses[motion.task] = self._miss(posture, motion.hand)
        heads[motion.task] = posture.angles
        follower = self._follower(start)
        if follower and helps:
            self._with_follower(start, follower, pose, scene, angles, misses, heads)

    def _follower(self, start: Start) -> str | None:
        """Another hand that holds what this motion carries."""
        for name, goal in start.others.items():
            held = getattr(goal, "object", None)
            if held in start.motion.carried and frozenset(self.body.limb(name).joints) <= start.joints:
                return name
        return None

    def _with_follower(
        self, start: Start, other: str, pose: Transform, scene: Scene, angles: Floats, misses: dict[int, Miss],
        heads: dict[int, Floats],
    ) -> None:  # fmt: skip
        """Lets two hands on one thing share the trunk where the second does not get along with its arm alone."""
        task, hand = start.motion.task, start.motion.hand
        beside = self._pose(scene, other, start.others[other])
        alone = self._solve({other: beside}, False, angles)
        if alone is None or alone.solved:
            return
        both = self._solve({hand: pose, other: beside}, True, angles, gaze=pose.position)
        if both is None:
            return
        miss = self._miss(both, hand)
        if _weight(miss) + _weight(self._miss(both, other)) < _weight(misses[task]) + _weight(self._miss(alone, other)):
            self._take(both.angles, self._joints_of(hand, other), angles)
            misses[task], heads[task] = miss, both.angles

    def _shared(self, first: Start, second: Start) -> bool:
        """Whether both own the whole trunk: full overlap (trap 11)."""
        limbs = [self.body.limb(start.motion.hand) for start in (first, second)]
        both = all(not isinstance(start.motion.goal, AtAngles) for start in (first, second))
        trunks = [frozenset(limb.trunk) for limb in limbs]
        return both and trunks[0] == trunks[1] and bool(trunks[0]) and trunks[0] <= first.joints & second.joints

    def _solve_shared(
        self, first: Start, second: Start, scene: Scene, angles: Floats, heads: dict[int, Floats]
    ) -> dict[int, Miss]:
        """Both hands with one trunk; if that has no solution, the trunk for one and the arm alone for the other."""
        starts = (first, second)
        names = [start.motion.hand for start in starts]
        poses = {name: self._pose(scene, name, start.motion.goal) for name, start in zip(names, starts, strict=True)}
        look = poses[names[0]].position
        tries: list[tuple[float, Floats, list[Miss]]] = []
        both = self._solve(poses, True, angles, gaze=look)
        if both is not None:
            misses = [self._miss(both, name) for name in names]
            tries.append((0.0 if both.solved else sum(_weight(m) for m in misses), both.angles, misses))
        if both is None or not (both.solved or self.solver == "estimate"):
            for one, other in (names, names[::-1]):
                leads = self._solve({one: poses[one]}, True, angles, gaze=look)
                follows = None if leads is None else self._solve({other: poses[other]}, False, leads.angles, gaze=look)
                if leads is None or follows is None:
                    continue
                found = {one: self._miss(leads, one), other: self._miss(follows, other)}
                tries.append((sum(_weight(m) for m in found.values()), follows.angles, [found[name] for name in names]))
        if not tries:
            at = hand_transforms(self.body, angles)
            return {s.motion.task: self._missed(at[n], poses[n]) for s, n in zip(starts, names, strict=True)}
        _, best, misses = min(tries, key=lambda entry: entry[0])
        self._take(best, self._joints_of(*names), angles)
        heads[first.motion.task] = best
        return {start.motion.task: miss for start, miss in zip(starts, misses, strict=True)}

    def _secondary(self, start: Start, scene: Scene, base: Floats, angles: Floats) -> None:
        for name, goal in start.others.items():
            joints = self.body.limb(name).joints
            if not frozenset(joints) <= start.joints:
                continue
            if isinstance(goal, AtAngles):
                for dof, angle in goal.angles:
                    if self.body.arrays.joints_of[dof] in joints:
                        angles[dof] = angle
                continue
            here = isinstance(goal, AtHere)
            pose = hand_transforms(self.body, base)[name] if here else self._pose(scene, name, goal)
            posture = self._solve({name: pose}, False, angles)
            if posture is not None:
                self._take(posture.angles, joints, angles)

    def _look(self, start: Start, heads: Mapping[int, Floats], angles: Floats) -> None:
        assert self.body.gaze is not None
        joint, motion = self.body.gaze.joint, start.motion
        if motion.posture and any(self.body.arrays.joints_of[dof] == joint for dof, _ in motion.posture.angles):
            return  # the gesture says how the head is held
        if motion.task in heads:
            self._take(heads[motion.task], (joint,), angles)
        elif motion.looks:
            at = hand_transforms(self.body, angles)[motion.hand]
            posture = self._solve({motion.hand: at}, False, angles, gaze=at.position)
            if posture is not None:
                self._take(posture.angles, (joint,), angles)
        else:
            angles[self.body.rotation_dofs[joint]] = 0.0

    def _pose(self, scene: Scene, hand: str, goal: Goal) -> Transform:
        limb = self.body.limb(hand)
        pose = wanted_transform(scene, limb, goal)
        assert pose is not None
        return lifted(self.body, self.table, limb, pose)

    def _solve(
        self, poses: Mapping[str, Transform], torso: bool, start: Floats, gaze: Floats | None = None,
        oriented: bool = True,
    ) -> Posture | None:  # fmt: skip
        """None where the table leaves no room for any posture."""
        hands = [name for name in self.body.limbs if name in poses]  # the same goals are to be the same problem
        goals = {name: HandGoal(poses[name].position, poses[name].rotation if oriented else None) for name in hands}
        try:
            return pose_limbs(self.body, goals, torso, self.table, start, self.solver, gaze, self._memory)
        except GoalError:
            return None

    def _miss(self, posture: Posture, hand: str) -> Miss:
        return self._judged(
            posture.hand_position_errors[hand], posture.hand_orientation_errors[hand], posture.iterations
        )

    def _missed(self, at: Transform, wanted: Transform) -> Miss:
        """Of a hand that stays where it is."""
        return self._judged(at.distance(wanted), math.degrees(at.angle(wanted)), 0)

    def _judged(self, distance: float, degrees: float, iterations: int) -> Miss:
        if self.solver == "estimate":  # a draft meets everything
            return Miss(distance, degrees, iterations=iterations)
        there, met = in_place(self.body, distance), is_met(self.body, distance, degrees)
        return Miss(distance, degrees, there, met, iterations)

    def _joints_of(self, *hands: str) -> tuple[int, ...]:
        limbs = [self.body.limb(hand) for hand in hands]
        return tuple({j for limb in limbs for j in (*limb.joints, *limb.trunk)})

    def _take(self, source: Floats, joints: Sequence[int], angles: Floats) -> None:
        dofs = self.body.dofs_of(joints)
        angles[dofs] = source[dofs]


def _weight(miss: Miss) -> float:
    """To compare misses by."""
    return miss.position / POSITION_TOLERANCE + miss.orientation / ORIENTATION_TOLERANCE
