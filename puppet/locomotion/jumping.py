"""Jumping: a crouch, a push, a flight in which the mass goes along its parabola, and a landing that knees soften.

Of height and time of flight one is given, and the other follows: with v the upward velocity at take-off,

    height = v^2 / (2 g),     landing = take-off + v T - g T^2 / 2.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from puppet.body import Body
from puppet.command import DEFAULT_FPS
from puppet.geometry import axis_rotation, axis_rotations, hermite
from puppet.locomotion.arms import raised_arms
from puppet.locomotion.course import BodyCourse, FootCourse, eased
from puppet.locomotion.footsteps import Footstep, tread
from puppet.locomotion.legs import Legs
from puppet.locomotion.pressure import pushed_mass
from puppet.locomotion.rising import leaning
from puppet.locomotion.stepping import rolled
from puppet.scene import Stance
from puppet.types import Floats

USUAL_HEIGHT = 0.14  # of the body's height
HIGHEST, _FARTHEST = 0.5, 1.6  # in heights of the body: more than people can
# How far legs get ahead, aside and backwards, in heights of the body: with no rise, and for each height of rise.
REACH_AHEAD, REACH_ASIDE, REACH_BACK = (0.72, 1.15), (0.39, 1.28), (0.33, 1.0)
LEAST_FLIGHT = 0.1  # seconds
DOWN, RECOVERS = 22, 18  # frames, at DEFAULT_FPS
LEAST_PUSH, LONGEST_PUSH = 4, 14
TIPTOE, LANDS = 0.05, 0.02  # how much higher than in standing the mass takes off and lands, in heights of the body
_LOWER = 0.05  # by how much less after each height of the way, up to one: who comes from afar lands with legs ahead
# How far below that it goes before the push and after the landing: for no rise, and more for each height of rise.
CROUCH, BOTTOM = (0.095, 0.2), (0.067, 0.165)
USUAL_CROUCH, USUAL_BOTTOM = 0.13, 0.1  # below which the trunk leans more
_SOFTENS = 2.4  # how long a landing takes, in times of falling that far: 2 is an even push, 3 one that begins hard
ROLLS = 0.7  # of the push: heels are off the floor
_SHIFTS, _SETTLES = 5, 6  # frames, at DEFAULT_FPS, in which the pressure goes from heels to toes, and back
_AHEAD = 0.2  # of the way of a jump: how far the mass is ahead of the feet when it takes off
_HEEL_UP, _TOES_DOWN = math.radians(55.0), math.radians(14.0)
FLATTER, LEAST_HEEL = 2.0, 0.15  # by how much less heels lift for each height that a jump leads backwards; at least
TUCK = -0.01, 0.05  # how far legs are drawn in on the way, after all: on the spot they hang; more for each height of it
# Pelvis and trunk lean by this angle, and by as much more for each height that the jump leads forwards or, when it
# lands, backwards, and that the mass sinks below where a usual jump has it; most at a part of the push, and until some
# frames after it.
_LEAN, LANDING_LEAN = math.radians(21.0), math.radians(13.0)
FARTHER, BACKWARDS, DEEPER = (math.radians(angle) for angle in (20.0, 50.0, 250.0))
LEAST_LEAN, MOST_LEAN = math.radians(12.0), math.radians(50.0)
LEANS_AT, _STRAIGHTENS = 0.25, 4
ARMS_FIRST = 6  # frames, at DEFAULT_FPS, by which arms swing forwards before the legs push
ARMS_BACK = math.radians(36.0)
ARMS_UP = math.radians(-80.0), math.radians(-150.0)  # in a jump with no rise, and farther for each height of rise
ARMS_HIGHEST = 0.35  # of the flight
ARMS_APART = math.radians(20.0)  # arms that are level point so far outwards


@dataclass(frozen=True)
class Flight:
    """A jump's flight."""

    rise: float  # of the mass over where it takes off
    upwards: float  # its velocity then, lengths a second
    seconds: float


def plan_flight(
    legs: Legs, way: tuple[float, float], height: float | None, frames: int | None, fps: float = DEFAULT_FPS
) -> Flight:
    """From the height of a jump or from its frames in the air. way: to the left and ahead."""
    drop = _tiptoe(legs, way) - _landing(legs, way)
    if frames is not None:
        seconds = frames / fps
        upwards = 0.5 * legs.gravity * seconds - drop / seconds
        return Flight(upwards * abs(upwards) / (2.0 * legs.gravity), upwards, seconds)
    rise = height
    if rise is None:  # farther jumps are higher
        rise = min(max(USUAL_HEIGHT * legs.height, _least_rise(legs, way)), HIGHEST * legs.height)
    upwards = math.sqrt(2.0 * legs.gravity * rise)
    seconds = upwards / legs.gravity + math.sqrt(2.0 * max(rise + drop, 0.0) / legs.gravity)
    return Flight(rise, upwards, seconds)


def _tiptoe(legs: Legs, way: tuple[float, float]) -> float:
    """How much higher than in standing the mass takes off: on tiptoe, but legs lean."""
    upright = legs.root + float(legs.mass[1])
    tiptoe = TIPTOE * legs.height * _heel_share(way[1] / legs.height)
    length, apart = upright + tiptoe, float(np.mean([abs(foot.stands[0]) for foot in legs.feet]))
    aside, ahead = _AHEAD * abs(way[0]), _AHEAD * way[1]
    leans = ahead * ahead + aside * (aside + 2.0 * apart)  # of the foot that is left behind
    return math.sqrt(max(length * length - leans, 0.5 * length * length)) - upright


def _landing(legs: Legs, way: tuple[float, float]) -> float:
    """How much higher than in standing the mass lands."""
    return LANDS * legs.height - _LOWER * min(math.hypot(*way), legs.height)


def _heel_share(ahead: float) -> float:
    """How far heels lift in the push, from 0 to 1: who jumps backwards pushes with flatter feet."""
    return min(max(1.0 + FLATTER * ahead, LEAST_HEEL), 1.0)


def _reach(way: tuple[float, float]) -> tuple[float, float]:
    """How far legs get in the direction of a way, in heights of the body: with no rise, and more for each height of
    rise."""
    ahead = way[1] / max(math.hypot(*way), 1e-9)
    other = REACH_AHEAD if ahead > 0.0 else REACH_BACK
    flat, rising = (side + ahead * ahead * (far - side) for side, far in zip(REACH_ASIDE, other, strict=True))
    return flat, rising


def _least_rise(legs: Legs, way: tuple[float, float]) -> float:
    flat, rising = _reach(way)
    return (math.hypot(*way) - flat * legs.height) / rising


def jump_problem(
    legs: Legs, way: tuple[float, float], height: float | None, frames: int | None, fps: float = DEFAULT_FPS
) -> str:
    """Why nobody can jump so; "" where a body can. way: to the left and ahead."""
    distance = math.hypot(*way)
    if distance > _FARTHEST * legs.height:
        return f"that is {distance:.2f} away; a jump is {_FARTHEST * legs.height:g} long at most"
    if height is not None and not 0.01 * legs.height <= height <= HIGHEST * legs.height:
        return f"a jump rises by {0.01 * legs.height:g} to {HIGHEST * legs.height:g}, not by {height:g}"
    flight = plan_flight(legs, way, height, frames, fps)
    if flight.rise < 0.005 * legs.height or flight.seconds < LEAST_FLIGHT:
        least = math.ceil(fps * plan_flight(legs, way, 0.01 * legs.height, None).seconds)
        return f"in {frames} frames nobody leaves the floor; it takes {least} at least"
    if flight.rise > HIGHEST * legs.height:
        most = math.floor(fps * plan_flight(legs, way, HIGHEST * legs.height, None).seconds)
        return f"{frames} frames in the air would be {flight.rise:.2f} high; {most} are possible"
    needs = _least_rise(legs, way)
    if needs > flight.rise + 1e-9:
        flat, rising = _reach(way)
        leads = f"a jump that rises by {flight.rise:.2f} leads {flat * legs.height + rising * flight.rise:.2f} that way"
        helps = f"; one that rises by {math.ceil(100.0 * needs) / 100.0:.2f} gets there" if needs <= HIGHEST else ""
        return f"that is {distance:.2f} away; {leads} at most{helps}"
    return ""


def soles_over_floor(
    legs: Legs, way: tuple[float, float], height: float | None, frames: int | None, share: float,
    fps: float = DEFAULT_FPS,
) -> float:  # fmt: skip
    """How high feet are over the floor after a share of a flight."""
    flight = plan_flight(legs, way, height, frames, fps)
    flies = 0.5 * legs.gravity * flight.seconds**2 * share * (1.0 - share)
    return flies + _tucked(legs, math.hypot(*way), flight.rise, share)


def _tucked(legs: Legs, far: float, rise: float, share: float) -> float:
    """How much higher knees lift feet after a share of a flight."""
    return min(TUCK[0] * legs.height + TUCK[1] * far, rise) * math.sin(math.pi * share) ** 2


def pushes_off(gone: int, fps: float) -> bool:
    """Whether a jump can no longer be given up after so many frames: the crouch is over."""
    return gone > max(2, round(fps / DEFAULT_FPS * DOWN))


def jumping_course(
    body: Body, legs: Legs, start: Stance, after: Stance, floor: float, height: float | None, frames: int | None,
    rests: Floats, arms: Collection[str], fps: float = DEFAULT_FPS,
) -> BodyCourse:  # fmt: skip
    """The course of a jump from standing to standing. frames: of its flight. rests (dofs,): how it ends."""
    begin = np.array(start.world(legs.mass[0], legs.mass[2]))
    end = np.array(after.world(legs.mass[0], legs.mass[2]))
    way, rate = start.seen(*after.place), fps / DEFAULT_FPS
    flight = plan_flight(legs, way, height, frames, fps)
    going_down, recovers = (max(2, round(rate * count)) for count in (DOWN, RECOVERS))
    upright = floor + legs.root + legs.mass[1]
    bottom, low = (upright - flat * legs.height - more * flight.rise for flat, more in (CROUCH, BOTTOM))
    off, lands = upright + _tiptoe(legs, way), upright + _landing(legs, way)
    low += min(0.0, lands - upright)
    push = int(np.clip(round(2.0 * (off - bottom) / flight.upwards * fps), rate * LEAST_PUSH, rate * LONGEST_PUSH))
    air = max(3, round(fps * flight.seconds))
    upwards = (lands - off) * fps / air + 0.5 * legs.gravity * air / fps
    downwards = upwards - legs.gravity * air / fps
    softens = max(2, round(_SOFTENS * (low - lands) / downwards * fps))
    t0, t1, t2, t3 = going_down, going_down + push, going_down + push + air, going_down + push + air + softens
    total = t3 + recovers
    heights = np.empty(total + 1)
    for time in range(total + 1):
        if time <= t0:
            heights[time] = hermite(upright, bottom, 0.0, 0.0, time / going_down)
        elif time <= t1:
            heights[time] = hermite(bottom, off, 0.0, push * upwards / fps, (time - t0) / push)
        elif time <= t2:
            s = (time - t1) / fps
            heights[time] = off + upwards * s - 0.5 * legs.gravity * s * s
        elif time <= t3:
            heights[time] = hermite(lands, low, softens * downwards / fps, 0.0, (time - t2) / softens)
        else:
            heights[time] = hermite(low, upright, 0.0, 0.0, (time - t3) / recovers)
    rolls = max(3.0, ROLLS * push)
    along = _pressed(legs, start, after, begin, end, t1 - rolls, (t1, t2, t3), heights - floor, rate, fps)
    mass = np.column_stack([along[:, 0], heights, along[:, 1]])
    takes_off, touches, mass = mass[t1], mass[t2], mass[1:]
    flies = np.zeros(total, dtype=bool)
    flies[t1 : t2 - 1] = True
    times = np.arange(1, total + 1, dtype=np.float64)
    turn = start.turn + eased((times - t1) / air) * math.remainder(after.turn - start.turn, 2.0 * math.pi)
    ahead = float((end - begin) @ axis_rotation(1, start.turn)[[0, 2], 2]) / legs.height
    lowest = t2 + int(heights[t2:].argmin())
    deeper, lower = (
        DEEPER * max(0.0, upright - deep - usual * legs.height) / legs.height
        for deep, usual in ((bottom, USUAL_CROUCH), (heights[lowest], USUAL_BOTTOM))
    )
    leans = _LEAN + FARTHER * ahead, LANDING_LEAN - BACKWARDS * ahead + lower
    off_lean, landing_lean = (min(max(angle, LEAST_LEAN), MOST_LEAN) for angle in leans)
    lean = off_lean * _bump(times, 0, t0 + LEANS_AT * push, t1 + _STRAIGHTENS * rate)
    lean += deeper * _bump(times, 0, t0 + LEANS_AT * push, t1 + 0.5 * rate * _STRAIGHTENS)
    lean += landing_lean * _bump(times, t2 - 2 * rate, lowest, total)
    turns = axis_rotations(1, turn) @ axis_rotations(0, lean)
    heel_up = _HEEL_UP * _heel_share(ahead)
    feet = tuple(
        _foot(legs, n, floor, start, after, mass, takes_off, touches, (t1, t2), rolls, rate, heel_up) for n in range(2)
    )
    root = mass - np.array([[legs.mass[0], legs.mass[1], legs.mass[2]]]) @ axis_rotation(1, start.turn).T
    swing = ARMS_BACK * _bump(times, 0, t0 - ARMS_FIRST * rate, t1)
    arms_up = ARMS_UP[0] + ARMS_UP[1] * flight.rise / legs.height
    swing += arms_up * _bump(times, t0 - ARMS_FIRST * rate, t1 + ARMS_HIGHEST * air, t3 + 8 * rate)
    angles = {**leaning(body, np.tile(rests, (total, 1)), lean), **raised_arms(body, rests, swing, arms, ARMS_APART)}
    return BodyCourse((feet[0], feet[1]), root, turns, mass, angles, flies=flies)


def _pressed(
    legs: Legs, start: Stance, after: Stance, begin: Floats, end: Floats, heels_up: float, times: tuple[int, int, int],
    heights: Floats, rate: float, fps: float,
) -> Floats:  # fmt: skip
    """The way of the mass on the floor, (frames, 2), that feet can cause: it leans over the toes, which are the last to
    push, and is caught by them."""
    t1, t2, t3 = times
    time = np.arange(len(heights), dtype=np.float64)
    toes = float(np.mean([foot.stands[1] + math.cos(foot.toe_out) * foot.ball[2] for foot in legs.feet])) - legs.mass[2]
    shifts, settles = _SHIFTS * rate, _SETTLES * rate
    rolled, back = eased((time - heels_up + shifts) / shifts), 1.0 - eased((time - t2) / (t3 - t2 + settles))
    before, later = (axis_rotation(1, stance.turn)[[0, 2], 2] * toes for stance in (start, after))
    pressure = np.where(time[:, None] <= t1, begin + rolled[:, None] * before, end + back[:, None] * later)
    aside = np.stack([
        np.where(time <= t1, eased(time / shifts) * (1.0 - rolled), 0.0),
        np.where(time >= t2, _bump(time, t2, t3, len(time) - 3.0), 0.0),
    ])  # fmt: skip
    return pushed_mass(heights, legs.gravity, fps, pressure, aside, begin, end)


def _foot(
    legs: Legs, n: int, floor: float, start: Stance, after: Stance, mass: Floats, takes_off: Floats, touches: Floats,
    times: tuple[int, int], rolls: float, rate: float, heel_up: float,
) -> FootCourse:  # fmt: skip
    foot, total = legs.feet[n], len(mass)
    t1, t2 = times
    before, later = Footstep(n, *tread(foot, start), False), Footstep(n, *tread(foot, after), False)
    leaves, _, _ = rolled(foot, floor, before, heel_up)
    lands, _, _ = rolled(foot, floor, later, _TOES_DOWN)
    from_mass, to_mass = leaves - takes_off, lands - touches
    places, turns, toes, down = np.empty((total, 3)), np.empty((total, 3, 3)), np.zeros(total), np.ones(total)
    flat = 4.0 * rate
    for k in range(total):
        time = k + 1.0
        if time <= t1:
            angle = heel_up * max(0.0, (time - t1 + rolls) / rolls) ** 2
            places[k], turns[k], toes[k] = rolled(foot, floor, before, angle)
        elif time < t2:
            share = (time - t1) / (t2 - t1)
            eased = share * share * (3.0 - 2.0 * share)
            height = float(mass[:, 1].max() - takes_off[1])
            lift = _tucked(legs, float(np.linalg.norm((touches - takes_off)[[0, 2]])), height, share)
            places[k] = mass[k] + from_mass + eased * (to_mass - from_mass) + np.array([0.0, lift, 0.0])
            tilt = heel_up + eased * (_TOES_DOWN - heel_up)
            turn = before.turn + eased * math.remainder(later.turn - before.turn, 2.0 * math.pi)
            turns[k] = axis_rotation(1, turn) @ axis_rotation(0, tilt)
            relaxed = max(0.0, 1.0 - 2.0 * share)
            toes[k] = max(0.0, heel_up - math.radians(8.0)) * relaxed * relaxed * (3.0 - 2.0 * relaxed)
            down[k] = 0.0
        else:
            angle = _TOES_DOWN * max(0.0, 1.0 - (time - t2) / flat) ** 2
            places[k], turns[k], toes[k] = rolled(foot, floor, later, angle)
    return FootCourse(places, turns, toes, down)


def _bump(time: Floats, begins: float, most: float, ends: float) -> Floats:
    """From 0 to 1 and back, smoothly."""
    return eased((time - begins) / max(most - begins, 1.0)) * (1.0 - eased((time - most) / max(ends - most, 1.0)))
