"""Goal postures: what the scheduled motions ask of the body, put to the posture generator limb by limb."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from puppet.body import Body, forward, hand_transforms
from puppet.errors import GoalError
from puppet.geometry import Transform
from puppet.motion import SceneBoxes, cleared_posture, posture_depth, scene_boxes
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
from puppet.scene import Scene, Table
from puppet.stage.gesture_postures import best_posture, gesture_place
from puppet.tasks import (
    AtAngles,
    AtGesture,
    AtHere,
    AtObject,
    AtSpace,
    Goal,
    HeldThing,
    Miss,
    Motion,
    lifted,
    wanted_transform,
)
from puppet.types import Floats

UPRIGHT = 0.05  # radians: a trunk bent less than this carries no arm into the table
TRACKING = 0.004  # a hand that tracks an object may be this far off before its orientation is given up
YAW_TRIES = 4  # postures that are tried for the turn of a hand about the vertical
YAW_DONE = math.radians(6.0)  # a hand that is turned from its forearm by less than this is in line with it
LARGEST_YAW = math.radians(100.0)
STRETCHED = 0.985  # an arm that is stretched farther than this has no elbow to speak of: people lean instead
LEANS = (4.0, 8.0, 13.0, 19.0)  # degrees
STRETCH_COST = 80.0
OTHER_YAWS = tuple(math.radians(angle) for angle in (-25.0, 25.0, -50.0, 50.0, -75.0, 75.0))
DEPTH_COST, IN_THINGS = 60.0, 2e-3  # of an arm in something, which an elbow that is moved may cure if it is no more
WRIST_COST = 2.0  # of a radian by which a wrist is bent beyond what is comfortable, beside a miss of the goal


@dataclass(frozen=True)
class Start:
    """A motion about to begin, with the joints it gets and its secondary goals."""

    motion: Motion
    joints: frozenset[int]
    others: Mapping[str, Goal] = field(default_factory=dict)
    poses: Mapping[str, Transform] = field(default_factory=dict)  # of hands that hold something
    held: HeldThing | None = None  # what its hand carries
    look: Floats | None = None  # (3,), what is looked at, whatever the hands do


@dataclass(frozen=True, eq=False)
class _Aim:
    """A goal that was tried."""

    goal: AtObject | AtSpace
    transform: Transform  # of the hand where it ends
    miss: Miss
    turn: float  # by how much the hand would have to be turned inwards to be in line with its forearm
    bent: float  # by how many radians the wrist is bent beyond what is comfortable
    depth: float  # how deep the arm is in anything

    @property
    def good(self) -> bool:
        return self.miss.met and self.bent == 0.0 and self.depth < IN_THINGS

    @property
    def cost(self) -> float:
        lost = 0.0 if self.miss.met else 10.0 + _weight(self.miss)
        return lost + WRIST_COST * self.bent + DEPTH_COST * max(0.0, self.depth - IN_THINGS) + 0.1 * abs(self.turn)


@dataclass(frozen=True, eq=False)
class GoalPostures:
    """The posture generator with a body, a table and a solver chosen."""

    body: Body
    table: Table
    standing: Floats  # (dofs,), the posture in which nothing is asked of it
    solver: str = "puppet"
    _memory: Memory = field(default_factory=Memory)  # a goal is looked at when it is told, and again when it is begun

    def reach(self, hand: str, pose: Transform) -> tuple[Transform, Miss]:
        """The pose in which a hand arrives when it is sent to a pose with the trunk's help, and its miss."""
        reached, miss, _ = self._reach(hand, pose)
        return reached, miss

    def reach_upright(self, hand: str, pose: Transform) -> tuple[Miss, float]:
        """By how much a hand misses a pose that is sent there with the arm alone, and how high its elbow is then, over
        the shoulder."""
        posture = self._solve({hand: pose}, False, self.standing)
        if posture is None:
            return self.missed(hand_transforms(self.body, self.standing)[hand], pose), 0.0
        shoulder, elbow = (float(posture.joint_positions[joint, 1]) for joint in self.body.limb(hand).joints[:2])
        return self._miss(posture, hand), elbow - shoulder

    def aim(self, hand: str, scene: Scene, goal: AtObject | AtSpace) -> tuple[AtObject | AtSpace, Transform, Miss]:
        """A goal with the hand turned about the vertical so that it is in line with the forearm of the arm that reaches
        for it, as far as that goes; where the hand ends, and by how much it misses."""
        tried: list[_Aim] = []
        first = self._first_yaw(hand, self._pose(scene, hand, goal).position)
        yaw = first
        for _ in range(1 if self.solver == "estimate" else YAW_TRIES):
            aim = self._aim(hand, scene, replace(goal, yaw=yaw))
            if aim is None:
                break
            tried.append(aim)
            if abs(aim.turn) < YAW_DONE or (aim.good and abs(aim.turn) < 3.0 * YAW_DONE):
                break
            yaw = min(max(yaw + 0.8 * aim.turn, -LARGEST_YAW), LARGEST_YAW)
        if not tried:
            return goal, *self.reach(hand, self._pose(scene, hand, goal))
        best = min(tried, key=lambda aim: aim.cost)
        if not best.good and self.solver != "estimate":
            for by in OTHER_YAWS:
                other = self._aim(hand, scene, replace(goal, yaw=first + by))
                if other is not None and other.cost < best.cost - 1e-9:
                    best = other
                if best.good:
                    break
        return best.goal, best.transform, best.miss

    def _aim(self, hand: str, scene: Scene, goal: AtObject | AtSpace) -> _Aim | None:
        pose = self._pose(scene, hand, goal)
        reached, miss, posture = self._reach(hand, pose)
        if posture is None:
            return None
        turn, bent = self._wrist(hand, posture)
        boxes = scene_boxes(scene)
        touched = frozenset([goal.object]) if isinstance(goal, AtObject) else frozenset()
        things = {name: Transform.of(scene.centre(name)) for name in boxes.names}
        depth = posture_depth(self.body, boxes, things, posture.angles, hand, touched)
        return _Aim(goal, reached, miss, turn, bent, depth)

    def _first_yaw(self, hand: str, place: Floats) -> float:
        """How far a forearm that comes from an elbow beside the body is turned inwards."""
        limb = self.body.limb(hand)
        if self.body.joints[limb.joints[0]].parent < 0:
            return 0.0
        side = -1.0 if limb.mirrored else 1.0
        shoulder = self._upright[0][limb.joints[0]]
        reach = float(np.linalg.norm(self.body.arrays.offsets[limb.joints[1]])) if len(limb.joints) > 1 else 0.0
        elbow = shoulder + reach * np.array([0.45 * side, -0.8, 0.35])
        way = place - elbow
        return float(np.clip(math.atan2(-side * way[0], max(way[2], 0.05)), -1.2, 1.2))

    @cached_property
    def _upright(self) -> tuple[Floats, Floats]:
        return forward(self.body, self.standing)

    def _wrist(self, hand: str, posture: Posture) -> tuple[float, float]:
        """By how much the hand would have to be turned inwards to be in line with its forearm, seen from above; and by
        how many radians its wrist is bent beyond what is comfortable."""
        limb = self.body.limb(hand)
        if len(limb.joints) < 2:
            return 0.0, 0.0
        joint = limb.joints[-1]
        wrist, elbow = posture.joint_positions[joint], posture.joint_positions[limb.joints[-2]]
        ahead, along = posture.hand_positions[hand] - wrist, wrist - elbow
        turn = 0.0
        if min(np.hypot(ahead[0], ahead[2]), np.hypot(along[0], along[2])) > 0.02:
            turn = math.atan2(along[0], along[2]) - math.atan2(ahead[0], ahead[2])
            turn = (turn + math.pi) % (2.0 * math.pi) - math.pi
            turn = turn if limb.mirrored else -turn
        return turn, self.body.discomfort(joint, posture.angles)

    def _reach(self, hand: str, pose: Transform) -> tuple[Transform, Miss, Posture | None]:
        """As `reach`, with the posture: with the arm alone if it gets there, else with the trunk's help."""
        posture = self._natural(hand, pose, self.standing)
        if posture is None:
            at = hand_transforms(self.body, self.standing)[hand]
            return Transform.of(at.position, at.rotation), self.missed(at, pose), None
        miss = self._miss(posture, hand)
        if miss.met:
            return pose, miss, posture
        return Transform.of(posture.hand_positions[hand], posture.hand_orientations[hand]), miss, posture

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
        if boxes is not None and self.solver != "estimate":
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

    def clear(self, hand: str, pose: Transform) -> Transform:
        """A hand's transform, raised out of the table."""
        return lifted(self.body, self.table, self.body.limb(hand), pose)

    def facing(self, angles: Floats, place: Floats) -> Floats:
        """The angles with the head turned to a place, as far as it can be."""
        hand = self.body.hands[0]
        at = hand_transforms(self.body, angles)[hand]
        posture = self._solve({hand: at}, False, angles, gaze=place)
        found = angles.copy()
        if posture is not None and self.body.gaze is not None:
            self._take(posture.angles, (self.body.gaze.joint,), found)
        return found

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
        starts = [start for start in starts if not start.motion.head]
        if not starts:
            return frozenset()
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
            if helper is None or any(not isinstance(goal, (AtAngles, AtGesture)) for goal in asked):
                continue  # the posture generator has seen to it
            posture = self._solve({helper: hand_transforms(self.body, angles)[helper]}, False, angles)
            dofs = self.body.dofs_of(limb.joints)
            if posture is not None and np.max(np.abs(posture.angles[dofs] - angles[dofs])) > 1e-9:
                self._take(posture.angles, limb.joints, angles)
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
            angles[upright] = self.standing[upright]
            follower = self._follower(start)
            if follower is not None:  # a hand that holds something goes on holding it: the trunk stays for it
                held = self._solve({follower: start.poses[follower]}, False, angles)
                if held is None or not self._miss(held, follower).met:
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
            posture = self._natural(motion.hand, pose, angles)
        else:
            posture = self._solve({motion.hand: pose}, helps, angles, gaze=pose.position)
        if posture is None:
            misses[motion.task] = self.missed(hand_transforms(self.body, angles)[motion.hand], pose)
            return
        self._take(posture.angles, (*limb.joints, *limb.trunk) if helps else limb.joints, angles)
        misses[motion.task] = self._miss(posture, motion.hand)
        heads[motion.task] = posture.angles
        follower = self._follower(start)
        if follower and helps:
            self._with_follower(start, follower, pose, scene, base, angles, misses, heads)

    def _natural(self, hand: str, pose: Transform, angles: Floats) -> Posture | None:
        """The posture with an upright trunk, if the arm alone gets to its goal and keeps its elbow bent; else with the
        trunk's help."""
        upright, trunk = angles.copy(), self.body.dofs_of(self.body.limb(hand).trunk)
        upright[trunk] = self.standing[trunk]
        alone = self._solve({hand: pose}, False, upright, gaze=pose.position)
        met = alone is not None and self._miss(alone, hand).met
        if alone is not None and met and self._stretch(hand, alone) <= STRETCHED:
            return alone
        helped = self._solve({hand: pose}, True, angles, gaze=pose.position)
        if helped is None:
            return alone
        tries = [posture for posture in (alone if met else None, helped) if posture is not None]
        if self._miss(helped, hand).met and self.solver != "estimate":
            tries += self._leaning(hand, pose, helped)
        return min(tries, key=lambda posture: self._unnatural(hand, posture))

    def _unnatural(self, hand: str, posture: Posture) -> float:
        """How little one would like a posture: a miss, a stretched arm, a bent wrist."""
        miss = self._miss(posture, hand)
        stretched = max(0.0, self._stretch(hand, posture) - STRETCHED)
        bent = self.body.discomfort(self.body.limb(hand).joints[-1], posture.angles)
        return (0.0 if miss.met else 100.0 + _weight(miss)) + STRETCH_COST * stretched + WRIST_COST * bent

    def _stretch(self, hand: str, posture: Posture) -> float:
        """How far an arm of two parts is stretched, from 0 to 1."""
        limb = self.body.limb(hand).joints
        if len(limb) != 3:
            return 0.0
        shoulder, elbow, wrist = (posture.joint_positions[joint] for joint in limb)
        whole = np.linalg.norm(elbow - shoulder) + np.linalg.norm(wrist - elbow)
        return float(np.linalg.norm(wrist - shoulder) / whole)

    def _leaning(self, hand: str, pose: Transform, posture: Posture) -> list[Posture]:
        """The same with the trunk leant forwards more and more, until the elbow is bent a little."""
        trunk = self.body.limb(hand).trunk
        lean = [d for j in trunk for d in self.body.rotation_dofs[j] if self.body.dof_names[d].endswith(".x")]
        found: list[Posture] = []
        for degrees in LEANS if lean and self._stretch(hand, posture) > STRETCHED else ():
            angles = posture.angles.copy()
            farthest = self.body.arrays.limits[lean, 1]
            angles[lean] = np.minimum(angles[lean] + math.radians(degrees) / len(lean), farthest)
            if self.body.limit_excess(angles) > 1e-9:
                break
            other = self._solve({hand: pose}, False, angles, gaze=pose.position)
            if other is None or not self._miss(other, hand).met:
                break
            found.append(other)
            if self._stretch(hand, other) <= STRETCHED:
                break
        return found

    def _pose_of(self, start: Start, scene: Scene, hand: str, goal: Goal) -> Transform:
        return start.poses[hand] if hand in start.poses else self._pose(scene, hand, goal)

    def _gesture(self, start: Start, goal: AtGesture, scene: Scene, angles: Floats, misses: dict[int, Miss]) -> None:
        """The hand, or what it holds, at a place of the body, which stays upright, or of a thing, which the trunk helps
        to reach."""
        motion, limb = start.motion, self.body.limb(start.motion.hand)
        helps = goal.bring.of_thing and frozenset(limb.trunk) <= start.joints
        found = self.perform(motion.hand, goal, start.held, scene, angles, helps)
        if found is None:
            return
        own = (*limb.joints, *limb.trunk) if helps else limb.joints
        self._take(found[0], own, angles)
        misses[motion.task] = found[1]
        gaze = self.body.gaze.joint if self.body.gaze else -1
        told = {self.body.arrays.joints_of[dof] for dof, _ in goal.angles}
        if motion.looks and gaze in motion.critical & start.joints - told:
            at = hand_transforms(self.body, angles)[motion.hand]
            place = gesture_place(self.body, motion.hand, goal, scene, angles)
            posture = self._solve({motion.hand: at}, False, angles, gaze=place.position)
            if posture is not None:
                self._take(posture.angles, (gaze,), angles)

    def perform(
        self, hand: str, goal: AtGesture, held: HeldThing | None, scene: Scene, angles: Floats, helps: bool
    ) -> tuple[Floats, Miss] | None:
        """The angles of a posture of a gesture and its miss, with the trunk's help where the arm alone does not reach;
        None where there is none, or nothing in the hand that it is about."""
        if goal.bring.holds and held is None:
            return None
        limb = self.body.limb(hand)
        place = gesture_place(self.body, hand, goal, scene, angles)

        def solve(pose: Transform, trunk: bool) -> tuple[Floats, Miss] | None:
            posture = self._solve({hand: lifted(self.body, self.table, limb, pose)}, trunk, angles)
            if posture is None:
                return None
            found = angles.copy()
            self._take(posture.angles, (*limb.joints, *limb.trunk) if trunk else limb.joints, found)
            return found, self._miss(posture, hand)

        found = best_posture(self.body, hand, goal, held, place, partial(solve, trunk=False))
        if helps and (found is None or not found[1].met):
            found = best_posture(self.body, hand, goal, held, place, partial(solve, trunk=True)) or found
        return found

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
        alone = self._solve({other: beside}, False, angles)
        if alone is None or alone.solved:
            return
        tries = [(self._miss(alone, other), misses[task], angles.copy())]
        both = self._solve({hand: pose, other: beside}, True, angles, gaze=pose.position)
        if both is not None:
            tries.append((self._miss(both, other), self._miss(both, hand), both.angles))
        stays = angles.copy()  # the trunk as it is: so it holds now
        trunk = self.body.dofs_of(self.body.limb(hand).trunk)
        stays[trunk] = base[trunk]
        for name, at in ((other, beside), (hand, pose)):
            posture = self._solve({name: at}, False, stays, gaze=pose.position)
            if posture is None:
                break
            stays = posture.angles.copy()
            if name == other:
                held = self._miss(posture, other)
            else:
                tries.append((held, self._miss(posture, hand), stays))
        _, miss, found = min(tries, key=lambda entry: (not entry[0].met, _weight(entry[1]), _weight(entry[0])))
        self._take(found, self._joints_of(hand, other), angles)
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
            return {s.motion.task: self.missed(at[n], poses[n]) for s, n in zip(starts, names, strict=True)}
        _, best, misses = min(tries, key=lambda entry: entry[0])
        self._take(best, self._joints_of(*names), angles)
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
            pose = hand_transforms(self.body, base)[name] if here else self._pose_of(start, scene, name, goal)
            posture = self._solve({name: pose}, False, angles)
            if posture is not None:
                self._take(posture.angles, joints, angles)

    def _look(self, start: Start, heads: Mapping[int, Floats], angles: Floats) -> None:
        assert self.body.gaze is not None
        joint, motion = self.body.gaze.joint, start.motion
        if start.look is not None:
            self._take(self.facing(angles, start.look), (joint,), angles)
            return
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

    def missed(self, at: Transform, wanted: Transform) -> Miss:
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
