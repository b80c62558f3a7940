"""Swinging from a bar: hands go up to it, knees bend and push the body up, it hangs and swings to and fro as a pendulum
does, lets go, falls, and lands on bending knees."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from puppet.body import Body, joint_transforms
from puppet.command import DEFAULT_FPS
from puppet.geometry import axis_rotation, axis_rotations
from puppet.locomotion.course import BodyCourse, FootCourse, eased
from puppet.locomotion.footsteps import Footstep, tread
from puppet.locomotion.legs import Legs, measured
from puppet.locomotion.stepping import rolled
from puppet.scene import HighBar, Stance
from puppet.solver import PartCourse
from puppet.types import Floats

_GRASP, HOP, _LANDS = 22, 14, 22  # frames: reaching up, leaving the floor, standing up again after coming down
_BENDS = 10  # frames of reaching up in which knees bend, to push
DIP, DIPS_MORE = 0.05, 0.15  # how far the root goes down before the push and after the fall, and more for each height
SOFT_KNEES = 0.012  # how much lower than in standing the root is when the feet touch the floor
_SOFTENS = 2.4  # how long a landing takes, in times of falling that far
AMPLITUDE = math.radians(26.0)
STRETCH = 0.97  # how far the arms of a body that hangs are stretched
HIGHEST_HOP = 0.3  # of the body's height
FEET_BACK, _TOES_DOWN = math.radians(10.0), math.radians(25.0)  # of who hangs


def swing_problem(body: Body, height: float) -> str:
    """Why a body cannot hang from a bar at a height over the floor; "" where it can."""
    legs = measured(body)
    hang = _hang(body)
    least, most = hang + legs.root + 0.01, hang + legs.root + HIGHEST_HOP * legs.height
    if not least <= height <= most:
        return f"is {height:.2f} over the floor; it can be reached and hung from at {least:.2f} to {most:.2f}"
    return ""


def _hang(body: Body) -> float:
    """How far the root is below the bar that a body hangs from."""
    hand = body.limb(body.hands[0])
    shoulder = body.joints[hand.joints[0]].centre[1] - body.joints[0].centre[1]
    lengths = [float(np.linalg.norm(body.arrays.offsets[j])) for j in hand.joints[1:]]
    return float(shoulder + STRETCH * sum(lengths))


def _period(body: Body, legs: Legs, frames: int | None, fps: float) -> float:
    """How long one swing to and fro takes, in frames at DEFAULT_FPS."""
    if frames is not None:
        return frames * DEFAULT_FPS / fps
    mass = _hang(body) - float(legs.mass[1])  # from the bar to the mass
    gyration = 0.28 * legs.height  # of a stretched body about its middle
    return DEFAULT_FPS * 2.0 * math.pi * math.sqrt((mass * mass + gyration * gyration) / (mass * legs.gravity))


def turns_left(body: Body, legs: Legs, turns: int, frames: int | None, gone: int, fps: float) -> int | None:
    """With how many turns in all a swing ends that is given up after so many frames; None before it begins, when the
    feet are still on the floor."""
    time = gone * DEFAULT_FPS / fps - _GRASP
    if time < 0.0:
        return None
    return min(turns, max(1, math.ceil((time - HOP) / _period(body, legs, frames, fps) + 0.5)))


def swinging_course(
    body: Body, legs: Legs, stance: Stance, bar: HighBar, floor: float, turns: int, frames: int | None, start: Floats,
    end: Floats, arms: Collection[str], fps: float = DEFAULT_FPS,
) -> BodyCourse:  # fmt: skip
    """From standing under the bar to standing there again. frames: of one swing to and fro."""
    hang = _hang(body)
    swing = _period(body, legs, frames, fps)
    low, high = floor + legs.root, bar.height - hang
    dip, lets_go = DIP * legs.height + DIPS_MORE * (high - low), _GRASP + HOP + turns * swing
    soft = SOFT_KNEES * legs.height
    deep = high - low + soft  # how far it falls
    falls, hits = (math.sqrt(2.0 * deep / legs.gravity), math.sqrt(2.0 * deep * legs.gravity))  # seconds, and how fast
    falls, hits = falls * DEFAULT_FPS, hits / DEFAULT_FPS
    softens = _SOFTENS * (dip - soft) / hits
    total = lets_go + falls + softens + _LANDS
    time: Floats = np.arange(1, round(total * fps / DEFAULT_FPS) + 1, dtype=np.float64) * (DEFAULT_FPS / fps)
    height = low - dip * eased((time - _GRASP + _BENDS) / _BENDS)
    height += (high - low + dip) * eased((time - _GRASP) / HOP)
    fallen = np.clip(time - lets_go, 0.0, falls)
    height -= 0.5 * legs.gravity / DEFAULT_FPS**2 * fallen * fallen
    lands = np.clip((time - lets_go - falls) / softens, 0.0, 1.0)
    height -= (dip - soft) * lands * lands * (3.0 - 2.0 * lands) + hits * softens * lands * (1.0 - lands) ** 2
    height += dip * eased((time - lets_go - falls - softens) / _LANDS)
    up = np.clip((height - low) / (high - low), 0.0, 1.0)
    aloft = (up > 0.0) | ((time > lets_go) & (fallen < falls))
    drawn = soft * eased(fallen / falls)
    swings = np.clip((time - _GRASP - HOP) / (turns * swing), 0.0, 1.0)
    grows = eased(np.minimum(swings * turns * 2.0, 1.0)) * eased(np.minimum((1.0 - swings) * turns * 2.0, 1.0))
    angle = AMPLITUDE * grows * np.sin(2.0 * math.pi * turns * swings)
    below = height - bar.height  # of the root, from the bar
    ahead = np.array([math.sin(stance.turn), math.cos(stance.turn)])
    root = np.empty((len(time), 3))
    root[:, 1] = bar.height + below * np.cos(angle)
    root[:, [0, 2]] = np.array(bar.place) + np.outer(below * -np.sin(angle), ahead)
    root[:, [0, 2]] += np.outer(1.0 - up, np.array(stance.place) - np.array(bar.place))
    facing = axis_rotation(1, stance.turn)
    turned = facing @ axis_rotations(0, -angle)
    feet = tuple(_foot(legs, n, floor, stance, root, turned, up, angle, aloft, drawn) for n in range(2))
    hands = _hands(body, stance, bar, start, end, arms, time, high - height, lets_go)
    return BodyCourse((feet[0], feet[1]), root, turned, None, {}, hands)


def _foot(
    legs: Legs, n: int, floor: float, stance: Stance, root: Floats, turned: Floats, up: Floats, angle: Floats,
    aloft: NDArray[np.bool_], drawn: Floats,
) -> FootCourse:  # fmt: skip
    """A foot on the floor or, aloft, below the hip: a little behind on the way to and fro, its toes down as far as
    there is room; drawn (frames,): by how much the knee draws it in."""
    foot = legs.feet[n]
    flat, flat_turn, _ = rolled(foot, floor, Footstep(n, *tread(foot, stance), False), 0.0)
    places, turns = np.tile(flat, (len(root), 1)), np.tile(flat_turn, (len(root), 1, 1))
    leg = np.array([foot.stands[0], foot.ankle - legs.root, foot.stands[1]]) - foot.hip
    long = float(foot.ball[2]) + float(foot.toe_contacts[:, 2].max(initial=0.0))
    for k in np.flatnonzero(aloft):
        bend = turned[k] @ axis_rotation(0, float(up[k]) * (0.5 * float(angle[k]) + FEET_BACK))
        places[k] = root[k] + turned[k] @ foot.hip + bend @ leg + np.array([0.0, drawn[k], 0.0])
        room = max(0.0, float(places[k, 1]) - floor - foot.ankle)
        tilt = min(_TOES_DOWN, math.asin(min(0.8 * room / long, 1.0)))
        turns[k] = axis_rotation(1, stance.turn + foot.toe_out) @ axis_rotation(0, tilt)
    return FootCourse(places, turns, np.zeros(len(root)), np.where(aloft, 0.0, 1.0))


def _hands(
    body: Body, stance: Stance, bar: HighBar, start: Floats, end: Floats, arms: Collection[str], time: Floats,
    short: Floats, lets_go: float,
) -> tuple[PartCourse, ...]:  # fmt: skip
    """Hands go up to the bar, hold on to it, and come down again. short (frames,): how much they lack to reach it."""
    first, last, total = joint_transforms(body, start), joint_transforms(body, end), float(time[-1])
    grasp = eased(time / _GRASP) * (1.0 - eased((time - lets_go) / (total - lets_go)))
    found = []
    for hand in arms:
        limb = body.limb(hand)
        joint = limb.joints[-1]
        side = -1.0 if limb.mirrored else 1.0
        width = abs(body.joints[limb.joints[0]].centre[0]) + 0.03
        x, z = Stance(bar.place, stance.turn).world(side * width, 0.0)
        holds = np.tile([x, bar.height, z], (len(time), 1))
        holds[:, 1] -= short
        early = (time < 0.5 * total)[:, None]
        rest = np.where(early, first[joint, :3], last[joint, :3])
        out = Stance((0.0, 0.0), stance.turn).world(side * 0.12, 0.1)
        places = rest + grasp[:, None] * (holds - rest)
        places += (4.0 * grasp * (1.0 - grasp))[:, None] * np.array([out[0], 0.0, out[1]])
        found.append(PartCourse(joint, places, None, priority=1))
    return tuple(found)
