"""Standing up, sitting down and crouching: the feet are set where they will stand, the trunk leans over them, and the
root goes up or down. Who stands up to the side of a seat turns on it first."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.command import DEFAULT_FPS
from puppet.geometry import Transform, Transforms, axis_rotations, interpolate_rows
from puppet.locomotion.arms import raised_arms
from puppet.locomotion.course import LOOSE, BodyCourse, FootCourse, eased, frames_for, running_mean
from puppet.locomotion.footsteps import Footstep, tread
from puppet.locomotion.legs import KNEE_LEFT, Foot, Legs
from puppet.locomotion.stepping import ON_TOES, rolled
from puppet.scene import Stance
from puppet.solver import PartCourse
from puppet.types import Floats

RISING = 52.0  # frames
# From when to when of them who rises leans over the feet, comes ahead, goes up, and straightens again: the mass must be
# on its way to the feet before the seat is left, as nothing but the feet can push it from then on.
_LEANS, _COMES, _RISES, _STRAIGHTENS = (8.0, 34.0), (18.0, 52.0), (28.0, 52.0), (25.0, 48.0)
_SWIVELS, _SWIVEL_STEPS = 44.0, 2  # frames of a quarter turn on a seat, and how many steps each foot takes for it
_TURNED = math.radians(20.0)  # who turns by less does so while rising
CROUCHES = 32.0
_FASTEST = 0.5  # of these: in less, feet would slide
_HANGS = 0.1  # radians: an arm that is bent alike by who sits and who stands hangs
_LETS_GO, HAND_LIFT = 29.0, 0.08  # when hands leave the table, and how far they lift from it
FOOT_FRAMES, SECOND_FOOT = 11.0, 5.0  # that a foot takes, and how much later the second one begins
PELVIS_LEAN, TRUNK_LEAN = math.radians(28.0), math.radians(12.0)
_HIP_ROOM, _ANKLE_ROOM = math.radians(3.0), math.radians(1.5)  # what hips and ankles keep from the ends of their ranges
_BACK_EASES = 2  # frames
CROUCH_HEIGHT = 0.56  # of the height at which the root is when the body stands
CROUCH_LEAN, CROUCH_TRUNK = math.radians(12.0), math.radians(26.0)
CROUCH_ARMS = math.radians(24.0)  # how far ahead of the vertical arms are
CROUCH_HEEL = math.radians(32.0)  # how far the heels lift,
_HEELS_WAIT = 0.25  # after this part of the way down: the weight must come over the toes first
CROUCH_AHEAD = 0.085  # how far ahead of the ankles the mass is
FOOT_LIFT, FOOT_ROLL = 0.018, math.radians(12.0)
_SHUFFLES = 0.007  # how far a foot lifts, without rolling, while the body turns on a seat: knees stay under the table


def rising_course(
    body: Body, legs: Legs, sits: Floats, stands: Floats, seat: Stance, stance: Stance, floor: float,
    frames: int | None, down: bool, arms: Collection[str], fps: float = DEFAULT_FPS, lean: float = 1.0,
) -> BodyCourse:  # fmt: skip
    """From a seat to standing before it, or the other way if `down`. sits, stands (dofs,): the postures at both ends,
    in the world; arms: hands that are free; lean: how much of its usual lean the trunk has."""
    by = math.remainder(stance.turn - seat.turn, 2.0 * math.pi)
    swivels = _SWIVELS * abs(by) / (0.5 * math.pi) if abs(by) > _TURNED else 0.0
    total = frames_for(swivels + RISING, frames, fps, _FASTEST)
    time = np.arange(1, total + 1) / total * (swivels + RISING) - swivels  # below 0 while it turns on the seat
    if down:
        time = RISING - np.arange(1, total + 1) / total * (swivels + RISING)
    order = [0, 1] if by >= 0.0 else [1, 0]
    feet = []
    for n, foot in enumerate(legs.feet):
        late = SECOND_FOOT * order.index(n)
        x, z, turned = _foot_place(body, legs, sits, n)
        ways = [(-math.inf, Footstep(n, (x, z), turned, False))]
        for k in range(_SWIVEL_STEPS if swivels else 0):
            part = (k + 1) / _SWIVEL_STEPS * by
            place = Stance(seat.place, part).world(x - seat.place[0], z - seat.place[1])
            ways.append((late - (1.0 - k / _SWIVEL_STEPS) * swivels, Footstep(n, place, turned + part, False)))
        ways.append((late, Footstep(n, *tread(foot, stance), False)))
        feet.append(_set_feet(foot, floor, ways, time))
    low, high = _root(body, sits), _root(body, stands)
    leans, ahead, up, straight = (
        eased(np.clip((time - begin) / (end - begin), 0.0, 1.0))
        for begin, end in (_LEANS, _COMES, _RISES, _STRAIGHTENS)
    )
    root = low + np.stack([ahead, up, ahead], axis=1) * (high - low)
    leans = lean * leans * (1.0 - straight)
    facing = seat.turn + by * (eased(np.clip(time / swivels + 1.0, 0.0, 1.0)) if swivels else up)
    back = running_mean(_back_for_shins(legs, root, facing, feet), _BACK_EASES)
    root -= back[:, None] * np.stack([np.sin(facing), np.zeros(total), np.cos(facing)], axis=1)
    pelvis = PELVIS_LEAN * leans * _hips_let(legs, root, facing, feet, PELVIS_LEAN * leans)
    turns = axis_rotations(1, facing) @ axis_rotations(0, pelvis)
    # A trunk that leans already goes over to how it leans for that, instead of leaning more.
    over = eased(np.clip(time / _LEANS[1], 0.0, 1.0))
    rest = sits + over[:, None] * (stands - sits)
    angles = leaning(body, rest, (PELVIS_LEAN + TRUNK_LEAN) * leans - pelvis)
    hang = [hand for hand in arms if _alike(sits, stands, list(body.dofs_of(body.limb(hand).joints)))]
    angles.update(raised_arms(body, stands, -(PELVIS_LEAN + TRUNK_LEAN) * leans, hang))  # straight down all the time
    lets_go = -swivels if swivels else _LETS_GO
    share = np.clip((time - lets_go) / (RISING - lets_go), 0.0, 1.0)
    ahead_only = np.array([1.0, 0.0, 1.0]) if swivels else np.zeros(3)
    along = _Along(low, by if swivels else 0.0, (high - low) * ahead_only)
    spins = axis_rotations(1, facing - seat.turn if swivels else np.zeros(total))
    gone = (root - low) * ahead_only
    led = (_hand(body, sits, stands, hand, share, seat.turn, along) for hand in arms if hand not in hang)
    hands = tuple(
        PartCourse(joint, along.places(way.positions, spins, gone), spins @ way.rotations, priority=LOOSE)
        for joint, way in led
    )
    return BodyCourse((feet[0], feet[1]), root, turns, None, angles, hands)


def _hips_let(legs: Legs, root: Floats, facing: Floats, feet: Sequence[FootCourse], leans: Floats) -> float:
    """The part of a lean (frames,) that pelvis and hips can have: on a low seat thighs are far up already, and the
    trunk has the rest."""
    part, bent = 1.0, np.flatnonzero(leans > 0.0)
    for foot, course in zip(legs.feet, feet, strict=True):
        ahead, below = _from_hip(foot, root, facing, course)[bent].T
        far = np.minimum(np.hypot(ahead, below), KNEE_LEFT * foot.reach)
        shin = foot.reach - foot.thigh
        knee = np.arccos(np.clip((foot.thigh**2 + far**2 - shin**2) / (2.0 * foot.thigh * far), -1.0, 1.0))
        room = foot.bends - _HIP_ROOM - np.arctan2(ahead, below) - knee
        part = min(part, float((room / leans[bent]).min(initial=1.0)))
    return max(0.0, part)


def _back_for_shins(legs: Legs, root: Floats, facing: Floats, feet: Sequence[FootCourse]) -> Floats:
    """How much farther back a root (frames, 3) has to be, (frames,), so that shins need not lean more than ankles let
    them."""
    found = np.zeros(len(root))
    for foot, course in zip(legs.feet, feet, strict=True):
        ahead, below = _from_hip(foot, root, facing, course).T
        shin, tilt = foot.reach - foot.thigh, foot.tilts - _ANKLE_ROOM
        up = below - shin * math.cos(tilt)  # from the knee to the hip
        behind = np.sqrt(np.maximum(foot.thigh**2 - up * up, 0.0))
        needs = behind - shin * math.sin(tilt) - ahead
        found = np.maximum(found, np.where(np.abs(up) < foot.thigh, needs, 0.0))
    return found


def _from_hip(foot: Foot, root: Floats, facing: Floats, course: FootCourse) -> Floats:
    """How far ahead of its hip, and below it, the ankle is, (frames, 2), of a body that faces so."""
    spins = axis_rotations(1, facing)
    away = np.einsum("nba,nb->na", spins, course.places - root - spins @ foot.hip)
    return np.stack([away[:, 2], -away[:, 1]], axis=1)


def _alike(sits: Floats, stands: Floats, dofs: list[int]) -> bool:
    """Whether an arm hangs at both ends."""
    return bool(np.abs(sits[dofs] - stands[dofs]).max(initial=0.0) < _HANGS)


@dataclass(frozen=True, eq=False)
class _Along:
    """A body that turns about the vertical and goes on, and hands that are led as it sees them."""

    pivot: Floats  # (3,)
    turn: float  # in the end
    way: Floats  # (3,)

    def before(self, end: Transform) -> Transform:
        """Where a hand would have been that comes to a place in the end."""
        back = axis_rotations(1, np.array([-self.turn]))[0]
        return Transform.of(self.pivot + back @ (end.position - self.way - self.pivot), back @ end.rotation)

    def places(self, places: Floats, spins: Floats, gone: Floats) -> Floats:
        """Where hands are, (frames, 3), when the body has turned, (frames, 3, 3), and gone, (frames, 3)."""
        return np.asarray(self.pivot + np.einsum("nab,nb->na", spins, places - self.pivot) + gone)


def _hand(
    body: Body, sits: Floats, stands: Floats, hand: str, share: Floats, facing: float, along: _Along
) -> tuple[int, Transforms]:
    """A hand between the table and the side of a body that stands: up and back before it goes down, as who sits there
    and faces so would lead it."""
    joint = body.limb(hand).joints[-1]
    start, end = (Transform.of(row[:3], row[3:]) for row in (joint_transforms(body, a)[joint] for a in (sits, stands)))
    end = along.before(end)
    back, down = eased(np.minimum(1.5 * share, 1.0)), eased(np.maximum(1.8 * share - 0.8, 0.0))
    own = axis_rotations(1, np.array([facing]))[0]
    goes = np.stack([down, down, back], axis=1) * (own.T @ (end.position - start.position))
    first, last = (Transforms.repeated(at, len(share)) for at in (start, end))
    places = start.position + goes @ own.T
    places[:, 1] += HAND_LIFT * np.sin(math.pi * share) ** 2
    return joint, Transforms(places, interpolate_rows(first, last, eased(share)).rotations)


def crouching_course(
    body: Body, legs: Legs, stands: Floats, stance: Stance, floor: float, frames: int | None, down: bool,
    arms: Collection[str], fps: float = DEFAULT_FPS,
) -> BodyCourse:  # fmt: skip
    """From standing to a crouch, or the other way: the mass stays over the feet. arms: hands that are free, and come
    ahead."""
    total = frames_for(CROUCHES, frames, fps, _FASTEST)
    time = np.arange(1, total + 1) / total
    share = time if down else 1.0 - time
    low, heels = eased(share), eased(np.clip((share - _HEELS_WAIT) / (1.0 - _HEELS_WAIT), 0.0, 1.0))
    root = np.tile(_root(body, stands), (total, 1))
    root[:, 1] = floor + legs.root * (1.0 - (1.0 - CROUCH_HEIGHT) * low)
    turns = axis_rotations(1, np.full(total, stance.turn)) @ axis_rotations(0, CROUCH_LEAN * low)
    feet = [
        standing_foot(foot, floor, Footstep(n, *tread(foot, stance), False), CROUCH_HEEL * heels)
        for n, foot in enumerate(legs.feet)
    ]
    middle = np.mean([tread(foot, stance)[0] for foot in legs.feet], axis=0)
    at = np.array(stance.world(legs.mass[0], legs.mass[2]))
    over = middle + CROUCH_AHEAD * legs.height * np.array([math.sin(stance.turn), math.cos(stance.turn)])
    mass = at + low[:, None] * (over - at)
    angles = leaning(body, np.tile(stands, (total, 1)), CROUCH_TRUNK * low)
    angles.update(raised_arms(body, stands, -(CROUCH_LEAN + CROUCH_TRUNK + CROUCH_ARMS) * low, arms))
    return BodyCourse((feet[0], feet[1]), root, turns, mass, angles)


def standing_foot(foot: Foot, floor: float, step: Footstep, heel_up: Floats) -> FootCourse:
    """A foot that stays where it is, its heel lifted by angles (frames,), its toes flat on the floor."""
    rows = [rolled(foot, floor, step, float(angle), ON_TOES) for angle in heel_up]
    places, turns, toes = (np.array(column) for column in zip(*rows, strict=True))
    return FootCourse(places, turns, toes, np.ones(len(heel_up)))


def _set_feet(foot: Foot, floor: float, ways: Sequence[tuple[float, Footstep]], time: Floats) -> FootCourse:
    """A foot that is lifted and set elsewhere, again and again. ways: when it begins to go, and where to; first where
    it is."""
    count = len(time)
    places, turns, toes, lands = np.empty((count, 3)), np.empty((count, 3, 3)), np.zeros(count), np.ones(count)
    for n, now in enumerate(time):
        k = max(k for k, (begins, _) in enumerate(ways) if now >= begins)
        (begins, after), (_, before) = ways[k], ways[max(k - 1, 0)]
        s = min((now - begins) / FOOT_FRAMES, 1.0)
        gone = float(eased(np.clip((s - 0.18) / 0.64, 0.0, 1.0)))  # it is lifted before it goes
        place = np.array(before.place) + gone * (np.array(after.place) - np.array(before.place))
        turn = before.turn + gone * math.remainder(after.turn - before.turn, 2.0 * math.pi)
        still = math.dist(before.place, after.place) < 1e-6
        lift = 0.0 if still else math.sin(math.pi * float(eased(s)))
        rolls, lifts = FOOT_ROLL * lift, FOOT_LIFT * lift * lift
        if 0 < k < len(ways) - 1:
            rolls, lifts = 0.0, _SHUFFLES * float(eased(np.array(min(2.0 * lift, 1.0))))
        step = Footstep(after.foot, (float(place[0]), float(place[1])), turn, False)
        places[n], turns[n], toes[n] = rolled(foot, floor, step, rolls)
        places[n, 1] += lifts
        lands[n] = 0.0 if 0.0 < s < 1.0 else 1.0
    return FootCourse(places, turns, toes, lands)


def _foot_place(body: Body, legs: Legs, angles: Floats, n: int) -> tuple[float, float, float]:
    """x, z and turn of a foot in a posture."""
    row = joint_transforms(body, angles)[legs.feet[n].joint]
    rotation = row[3:].reshape(3, 3)
    return float(row[0]), float(row[2]), math.atan2(rotation[0, 2], rotation[2, 2])


def _root(body: Body, angles: Floats) -> Floats:
    return np.asarray(np.array(body.joints[0].centre) + angles[list(body.translation_dofs)])


def leaning(body: Body, rests: Floats, lean: Floats) -> dict[int, Floats]:
    """The trunk leant forwards, the head held up: of rests (frames, dofs)."""
    trunk = sorted({joint for limb in body.limbs.values() for joint in limb.trunk})
    found = {}
    for joint in trunk:
        name = f"{body.joint_names[joint]}.x"
        if name in body.dof_names:
            dof = body.dof_names.index(name)
            found[dof] = rests[:, dof] + lean / len(trunk)
    if body.gaze is not None and f"{body.joint_names[body.gaze.joint]}.x" in body.dof_names:
        dof = body.dof_names.index(f"{body.joint_names[body.gaze.joint]}.x")
        found[dof] = np.maximum(rests[:, dof] - 0.45 * lean, body.arrays.limits[dof, 0])
    return found
