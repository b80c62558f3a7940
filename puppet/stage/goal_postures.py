"""Goal postures: what the scheduled motions ask of the body, put to the posture generator limb by limb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from puppet.body import Body, hand_transforms
from puppet.geometry import Transform
from puppet.motion import DEPTH_TOLERANCE, SceneBoxes, cleared_posture, posture_depth
from puppet.scene import Scene
from puppet.stage.gesture_postures import gesture_place
from puppet.stage.hand_postures import HandPostures, miss_weight
from puppet.stage.hanging_arms import hangs, hung
from puppet.tasks import (
    AtAngles,
    AtGesture,
    AtHere,
    AtObject,
    AtRest,
    Goal,
    HeldThing,
    Miss,
    Motion,
    grip,
)
from puppet.types import Floats

_UPRIGHT = 0.05  # radians: a trunk bent less than this carries no arm into the table


@dataclass(frozen=True)
class Start:
    """A motion about to begin, with the joints it gets and its secondary goals."""

    motion: Motion
    joints: frozenset[int]
    others: Mapping[str, Goal] = field(default_factory=dict)
    poses: Mapping[str, Transform] = field(default_factory=dict)  # of hands that hold something
    held: HeldThing | None = None  # what its hand carries
    look: Floats | None = None  # (3,), what is looked at, whatever the hands do
    rides: Mapping[str, str] = field(default_factory=dict)  # hands that hold something in the air, and what

    @property
    def complete(self) -> bool:
        """Whether it gets all the joints that it needs."""
        return self.motion.critical <= self.joints


@dataclass(frozen=True, eq=False)
class GoalPostures:
    """What several motions ask of one body."""

    hands: HandPostures

    @property
    def body(self) -> Body:
        return self.hands.body

    def goals(
        self,
        base: Floats,
        starts: Sequence[Start],
        scene: Scene,
        boxes: SceneBoxes | None = None,
        things: Mapping[str, Transform] | None = None,
    ) -> tuple[Floats, dict[int, Miss], frozenset[int]]:
        """The angles at which everything ends, how far each motion's hand is off, by the number of its task, and the
        joints of arms that nothing was asked of but that the trunk would have carried into the table.

        `base` holds what is already decided. The goals of all motions are read in one scene, that of the last one told.
        boxes, things: what is solid, and where things will be.
        """
        angles = base.copy()
        misses: dict[int, Miss] = {}
        gaze = self.body.gaze.joint if self.body.gaze else -1
        heads: dict[int, Floats] = {}  # where the head looks for a motion, by its task
        for start in starts:
            if self.body.neck is not None and {gaze, self.body.neck} <= start.joints - start.motion.critical:
                neck = self.body.dofs_of([self.body.neck])  # it helps in gestures alone
                angles[neck] = self.hands.standing[neck]
        rest = list(starts)
        if len(rest) > 1 and self._shared(rest[0], rest[1]):
            misses.update(self._solve_shared(rest[0], rest[1], scene, angles, heads))
            rest = rest[2:]
        for start in rest:
            self._primary(start, scene, base, angles, misses, heads)
        for start in starts:
            self._secondary(start, scene, base, angles)
            if gaze in start.joints and gaze not in start.motion.critical:
                self._look(start, heads, angles)
        cleared = self._clear_canned(starts, angles)
        if boxes is not None and self.hands.solver != "estimate":
            self._make_room(starts, scene, boxes, things or {}, angles)
            angles = self.out_of_things(starts, boxes, things or {}, angles)
        return angles, misses, cleared

    def out_of_things(
        self, starts: Sequence[Start], boxes: SceneBoxes, things: Mapping[str, Transform], angles: Floats
    ) -> Floats:
        """The goal posture with elbows out of what is solid, hands where they are."""
        hands: dict[str, frozenset[str]] = {}
        for start in starts:
            for hand in self.body.hands:
                if frozenset(self.body.limb(hand).joints) <= start.joints:
                    goal = start.motion.goal if hand == start.motion.hand else start.others.get(hand)
                    if not isinstance(goal, AtAngles):
                        hands[hand] = frozenset([goal.object]) if isinstance(goal, AtObject) else frozenset()
                        hands[hand] |= start.motion.carried
        return cleared_posture(self.body, boxes, things, angles, hands)

    def _make_room(
        self, starts: Sequence[Start], scene: Scene, boxes: SceneBoxes, things: Mapping[str, Transform], angles: Floats
    ) -> None:
        """Idle hands that the others would run into lie elsewhere on the table, in place."""
        for start in starts:
            for name, goal in start.others.items():
                limb = self.body.limb(name)
                if not isinstance(goal, AtRest) or name in start.poses or not frozenset(limb.joints) <= start.joints:
                    continue
                best, least = angles, self._depth(boxes, things, angles, name)
                for place in grip.rest_transforms(scene, limb)[1:] if least > DEPTH_TOLERANCE else ():
                    posture = self.hands.solve({name: self.hands.clear(name, place)}, False, angles)
                    if posture is None or not self.hands.miss(posture, name).met:
                        continue
                    found = angles.copy()
                    self.hands.take(posture.angles, limb.joints, found)
                    depth = self._depth(boxes, things, found, name)
                    if depth < least:
                        best, least = found, depth
                    if least <= DEPTH_TOLERANCE:
                        break
                angles[:] = best

    def _depth(self, boxes: SceneBoxes, things: Mapping[str, Transform], angles: Floats, hand: str) -> float:
        return posture_depth(self.body, boxes, things, angles, hand, frozenset())

    def _clear_canned(self, starts: Sequence[Start], angles: Floats) -> frozenset[int]:
        """Moves arms in canned or earlier postures out of the table, in place; returns their joints.

        Such postures are made for an upright trunk. The posture generator clears limbs that have no goal: so another
        limb is asked to be where it is.
        """
        starts = [start for start in starts if not start.motion.head]
        if not starts:
            return frozenset()
        trunk = self.body.dofs_of({j for limb in self.body.limbs.values() for j in limb.trunk})
        upright = len(trunk) == 0 or np.max(np.abs(angles[trunk])) < _UPRIGHT
        if upright and not any(start.motion.alone for start in starts):
            return frozenset()
        moved: set[int] = set()
        for name in self.body.hands:
            limb = self.body.limb(name)
            asked = [s.motion.goal if s.motion.hand == name else s.others.get(name) for s in starts
                     if frozenset(limb.joints) <= s.joints]  # fmt: skip
            helper = next((other for other in self.body.hands if other != name), None)
            if helper is None or any(not isinstance(goal, (AtAngles, AtGesture)) for goal in asked):
                continue  # the posture generator has seen to it
            posture = self.hands.solve({helper: hand_transforms(self.body, angles)[helper]}, False, angles)
            dofs = self.body.dofs_of(limb.joints)
            if posture is not None and np.abs(posture.angles[dofs] - angles[dofs]).max(initial=0.0) > 1e-9:
                self.hands.take(posture.angles, limb.joints, angles)
                moved |= set(limb.joints)
        return frozenset(moved)

    def _primary(
        self,
        start: Start,
        scene: Scene,
        base: Floats,
        angles: Floats,
        misses: dict[int, Miss],
        heads: dict[int, Floats],
    ) -> None:
        motion, limb = start.motion, self.body.limb(start.motion.hand)
        trunk = frozenset(limb.trunk)
        if isinstance(motion.goal, (AtAngles, AtGesture)):
            loose = start.joints - motion.critical
            upright = self.body.dofs_of(trunk & loose)
            angles[upright] = self.hands.standing[upright]
            follower = self._follower(start)
            if follower is not None:  # a hand that holds something goes on holding it: the trunk stays for it
                held = self.hands.solve({follower: start.poses[follower]}, False, angles)
                if held is None or not self.hands.miss(held, follower).met:
                    angles[upright] = base[upright]
            wanted = motion.goal.angles + (motion.posture.angles if motion.posture else ())
            for dof, angle in wanted:
                if self.body.arrays.joints_of[dof] in start.joints:
                    angles[dof] = angle
            misses[motion.task] = Miss()
            if isinstance(motion.goal, AtGesture):
                self._gesture(start, motion.goal, scene, angles, misses)
            return
        pose = self._pose_of(start, scene, motion.hand, motion.goal)
        helps = trunk <= start.joints
        if helps and trunk:
            turns = not start.poses.keys() - {motion.hand}  # another hand stays where it is
            posture = self.hands.natural(motion.hand, pose, angles, turns)
        else:
            posture = self.hands.solve({motion.hand: pose}, helps, angles, gaze=pose.position)
        if posture is None:
            misses[motion.task] = self.hands.missed(hand_transforms(self.body, angles)[motion.hand], pose)
            return
        self.hands.take(posture.angles, (*limb.joints, *limb.trunk) if helps else limb.joints, angles)
        misses[motion.task] = self.hands.miss(posture, motion.hand)
        heads[motion.task] = posture.angles
        follower = self._follower(start)
        if follower and helps:
            self._with_follower(start, follower, pose, scene, base, angles, misses, heads)

    def _gesture(self, start: Start, goal: AtGesture, scene: Scene, angles: Floats, misses: dict[int, Miss]) -> None:
        """The hand, or what it holds, at a place of the body, which stays upright, or of a thing, which the trunk helps
        to reach."""
        motion, limb = start.motion, self.body.limb(start.motion.hand)
        helps = goal.bring.of_thing and frozenset(limb.trunk) <= start.joints
        found = self.hands.perform(motion.hand, goal, start.held, scene, angles, helps)
        if found is None:
            return
        own = (*limb.joints, *limb.trunk) if helps else limb.joints
        self.hands.take(found[0], own, angles)
        misses[motion.task] = found[1]
        gaze = self.body.gaze.joint if self.body.gaze else -1
        told = {self.body.arrays.joints_of[dof] for dof, _ in goal.angles}
        if motion.looks and gaze in motion.critical & start.joints - told:
            at = hand_transforms(self.body, angles)[motion.hand]
            place = gesture_place(self.body, motion.hand, goal, scene, angles)
            posture = self.hands.solve({motion.hand: at}, False, angles, gaze=place.position)
            if posture is not None:
                self.hands.take(posture.angles, (gaze,), angles)

    def _follower(self, start: Start) -> str | None:
        """Another hand that holds something, and has to go on holding it."""
        for name in start.others:
            if name in start.poses and frozenset(self.body.limb(name).joints) <= start.joints:
                return name
        return None

    def _with_follower(
        self, start: Start, other: str, pose: Transform, scene: Scene, base: Floats, angles: Floats,
        misses: dict[int, Miss], heads: dict[int, Floats],
    ) -> None:  # fmt: skip
        """A hand that holds something goes before the one that reaches: the two share the trunk where the first does
        not get along with its arm alone, or the trunk stays as it is."""
        task, hand = start.motion.task, start.motion.hand
        beside = self._pose_of(start, scene, other, start.others[other])
        alone = self.hands.solve({other: beside}, False, angles)
        if alone is None or alone.solved:
            return
        tries = [(self.hands.miss(alone, other), misses[task], angles.copy())]
        both = self.hands.solve({hand: pose, other: beside}, True, angles, gaze=pose.position)
        if both is not None:
            tries.append((self.hands.miss(both, other), self.hands.miss(both, hand), both.angles))
        stays = angles.copy()  # the trunk as it is: so it holds now
        trunk = self.body.dofs_of(self.body.limb(hand).trunk)
        stays[trunk] = base[trunk]
        for name, at in ((other, beside), (hand, pose)):
            posture = self.hands.solve({name: at}, False, stays, gaze=pose.position)
            if posture is None:
                break
            stays = posture.angles.copy()
            if name == other:
                held = self.hands.miss(posture, other)
            else:
                tries.append((held, self.hands.miss(posture, hand), stays))
        _, miss, found = min(tries, key=lambda entry: (not entry[0].met, miss_weight(entry[1]), miss_weight(entry[0])))
        self.hands.take(found, self._joints_of(hand, other), angles)
        misses[task], heads[task] = miss, found

    def _shared(self, first: Start, second: Start) -> bool:
        """Whether both own the whole trunk: full overlap (trap 11)."""
        limbs = [self.body.limb(start.motion.hand) for start in (first, second)]
        both = all(not isinstance(start.motion.goal, (AtAngles, AtGesture)) for start in (first, second))
        trunks = [frozenset(limb.trunk) for limb in limbs]
        return both and trunks[0] == trunks[1] and bool(trunks[0]) and trunks[0] <= first.joints & second.joints

    def _solve_shared(
        self, first: Start, second: Start, scene: Scene, angles: Floats, heads: dict[int, Floats]
    ) -> dict[int, Miss]:
        """Both hands with one trunk; if that has no solution, the trunk for one and the arm alone for the other."""
        starts = (first, second)
        names = [start.motion.hand for start in starts]
        poses = {
            name: self._pose_of(start, scene, name, start.motion.goal)
            for name, start in zip(names, starts, strict=True)
        }  # fmt: skip
        look = poses[names[0]].position
        tries: list[tuple[float, Floats, list[Miss]]] = []
        both = self.hands.shared(poses, angles, look)
        if both is not None:
            misses = [self.hands.miss(both, name) for name in names]
            tries.append((0.0 if both.solved else sum(miss_weight(m) for m in misses), both.angles, misses))
        if both is None or not (both.solved or self.hands.solver == "estimate"):
            for one, other in (names, names[::-1]):
                leads = self.hands.solve({one: poses[one]}, True, angles, gaze=look)
                follows = (
                    None if leads is None else self.hands.solve({other: poses[other]}, False, leads.angles, gaze=look)
                )
                if leads is None or follows is None:
                    continue
                found = {one: self.hands.miss(leads, one), other: self.hands.miss(follows, other)}
                tries.append(
                    (sum(miss_weight(m) for m in found.values()), follows.angles, [found[name] for name in names])
                )
        if not tries:
            at = hand_transforms(self.body, angles)
            return {s.motion.task: self.hands.missed(at[n], poses[n]) for s, n in zip(starts, names, strict=True)}
        _, best, misses = min(tries, key=lambda entry: entry[0])
        self.hands.take(best, self._joints_of(*names), angles)
        heads[first.motion.task] = best
        return {start.motion.task: miss for start, miss in zip(starts, misses, strict=True)}

    def _secondary(self, start: Start, scene: Scene, base: Floats, angles: Floats) -> None:
        for name, goal in start.others.items():
            joints = self.body.limb(name).joints
            if not frozenset(joints) <= start.joints:
                continue
            if isinstance(goal, AtGesture):
                continue  # the arm stays as it is
            if isinstance(goal, AtAngles):
                for dof, angle in goal.angles:
                    if self.body.arrays.joints_of[dof] in joints:
                        angles[dof] = angle
                continue
            here = isinstance(goal, AtHere)
            if here and name not in start.poses and hangs(self.body, name, base, self.hands.standing):
                self.hands.take(hung(self.body, name, angles, self.hands.standing), joints, angles)
                continue
            pose = hand_transforms(self.body, base)[name] if here else self._pose_of(start, scene, name, goal)
            posture = self.hands.solve({name: pose}, False, angles)
            if posture is not None:
                self.hands.take(posture.angles, joints, angles)

    def _look(self, start: Start, heads: Mapping[int, Floats], angles: Floats) -> None:
        assert self.body.gaze is not None
        joint, motion = self.body.gaze.joint, start.motion
        if start.look is not None:
            self.hands.take(self.hands.facing(angles, start.look), (joint,), angles)
            return
        if motion.posture and any(self.body.arrays.joints_of[dof] == joint for dof, _ in motion.posture.angles):
            return  # the gesture says how the head is held
        if motion.task in heads:
            self.hands.take(heads[motion.task], (joint,), angles)
        elif motion.looks:
            at = hand_transforms(self.body, angles)[motion.hand]
            posture = self.hands.solve({motion.hand: at}, False, angles, gaze=at.position)
            if posture is not None:
                self.hands.take(posture.angles, (joint,), angles)
        else:
            angles[self.body.rotation_dofs[joint]] = 0.0

    def _pose_of(self, start: Start, scene: Scene, hand: str, goal: Goal) -> Transform:
        return start.poses[hand] if hand in start.poses else self.hands.pose(scene, hand, goal)

    def _joints_of(self, *hands: str) -> tuple[int, ...]:
        limbs = [self.body.limb(hand) for hand in hands]
        return tuple({j for limb in limbs for j in (*limb.joints, *limb.trunk)})
