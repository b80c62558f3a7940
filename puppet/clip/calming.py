"""Edits that are no jerkier than their recording: a span is asked for otherwise, more softly, and at last in part,
until it is calm."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from puppet.body import joint_transforms
from puppet.clip.asked import SpanTasks, Target, Turn
from puppet.clip.calm_speed import calm_times
from puppet.clip.follow import SmoothFollowing
from puppet.clip.measure import NONE, CurveJerks, Size, jerks
from puppet.clip.recording import Recording
from puppet.clip.task_rows import NEAR_ENOUGH, TURNED_ENOUGH
from puppet.types import Floats

BESIDE = 2  # frames before and after a span whose jerk is counted with it
JERKY = 1.1  # times the jerk that is recorded, or asked for: more is too much
_NEARLY_JERKY = 0.99  # times that: what is asked for in part is aimed at
_HAD = 0.95  # of what is asked for: only what can be had to that part is led otherwise
_OF_LONGEST = 0.5  # of the longest way in a span: what shorter ways, and pins, miss is compared with that
_ARCS = 0.0, 0.6, 1.0  # of an arc and of the straight line: what drags go on where that one is jerky
_LEAST = 0.4  # of what can be had: edits that nobody told how quick to be keep that, if their own curves are too quick
# Times that it is tried how great a part would be calm: by the jerk of the last one, and in all; how exactly.
_BY_JERK, _PARTS, _NEAR, _NEAREST = 2, 6, 0.12, 0.05
_HALVINGS = 8  # in which it is found which part of the jerk that is added is calm
_ENOUGH, _SOFTNESSES = 0.6, (3.0, 30.0)  # what is had to that part in part need not be had softly


@dataclass(frozen=True, eq=False)
class Asking:
    """Postures for a span, asked for in one way."""

    following: SmoothFollowing
    postures: Floats
    told: bool  # whether somebody said how quick they are
    arc: float  # by which part drags go in arcs
    given: float  # how softly it was asked for
    softness: float  # and how softly, where it is out of reach
    share: float  # how much of what is asked for is had
    recorded: Floats  # the jerks that are recorded (n, 3),
    added: Floats  # and what comes to them
    asked: Size  # the jerk that the edits' own curves have, or that is recorded, if that is more

    @cached_property
    def before(self) -> Size:
        return Size.of(self.recorded)

    @cached_property
    def jerk(self) -> Size:
        return Size.of(self.recorded + self.added)

    @cached_property
    def hurried(self) -> bool:
        """Whether the edits' own curves are too quick."""
        return self.asked.usual > JERKY * self.before.usual

    @cached_property
    def most(self) -> Size:
        """The most jerk that it should have."""
        return self.own if self.told else replace(self.own, usual=JERKY * self.before.usual)

    @property
    def own(self) -> Size:
        """The most that it should have if it may be as quick as its curves; the mean counts where they are calm: in a
        recording that leaps in places and is still between them, any edit would be given up for it."""
        still = self.asked.mean <= JERKY * self.before.mean
        usual = self.asked.usual if self.hurried else self.before.usual
        return Size(JERKY * usual, JERKY * self.before.mean if still else math.inf)

    @property
    def jerkiness(self) -> float:
        """Its jerk, in times the most that it should have."""
        return self.jerk.beside(self.most)

    @cached_property
    def had(self) -> float:
        """How much of what is asked for would be had with no more jerk than it should have, about."""
        return self.share * min(1.0, self.part(self.most))

    def part(self, most: Size) -> float:
        """How much of what is asked for would have that jerk, about, up to twice as much: what it adds to the recorded
        places goes with it."""
        low, high = 0.0, 2.0
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            fits = Size.of(self.recorded + middle * self.added).beside(most) <= 1.0
            low, high = (middle, high) if fits else (low, middle)
        return low


class Calming:
    """Finds the postures of one span. result: of the clip, with the spans before it (frames, dofs). asked: the jerk
    that the edits' own curves have as they were told, where they have been given more time."""

    def __init__(self, recording: Recording, tasks: SpanTasks, result: Floats, asked: Size = NONE) -> None:
        self._recording, self.tasks, self._result = recording, tasks, result
        following, own = tasks.following(), self.counted
        self._before = recording.transforms[own]
        self._recorded = jerks(self._before[:, :, :3], recording.fps)
        self._curves = CurveJerks(tasks.curves(own.start, own.stop - 1), recording.fps)
        self._asked = self._counted_targets()
        self.found = self._tried(following, 0.0, asked)
        self._softened = False

    @property
    def counted(self) -> slice:
        """The frames whose jerk counts as that of the span: without the first one of the clip, which in many recordings
        is a pose from which they jump."""
        begin = min(max(self.tasks.first - BESIDE, 1), len(self._recording) - 1)
        return slice(begin, self.tasks.end + 1 + BESIDE)

    def soften(self) -> None:
        """Where it is jerky, though all of it can be had: with all other parts led along the edits' curves, and drags
        in arcs, if that is less so than straight on."""
        found = self.found
        if self._softened or found.jerkiness <= 1.0 or found.share < _HAD or not self.tasks.leads:
            return
        self._softened, drawn = True, self._drawn(found)
        for arc in _ARCS:
            led = self._tried(drawn, 0.0, found.asked, arc)
            if led.had > found.had:
                found = led
            elif arc > 0.0:
                break
            if found.jerkiness <= 1.0:
                break
        self.found = found

    def bound(self) -> bool:
        """Where it is jerky all the same: asked for as far as it is not. An edit that nobody told how quick to be, and
        whose own curves are too quick for a recording, gives up much of it for that, but where too little would be left
        it has no more jerk than they.
        Returns whether that was of use: it is not where feet that stay where they stand are jerky by themselves."""
        found = self.found
        most = found.most
        if found.jerk.beside(most) > 1.0:
            self.found = self._calm(found, most)
            if self.found.share < _LEAST * found.share and found.hurried and not found.told:
                most = found.own
                self.found = found if found.jerk.beside(most) <= 1.0 else self._calm(found, most)
        return self.found.jerk.beside(most) <= 1.0

    def calm_speeds(self) -> dict[str, int | None]:
        """In how many frames each edit would have to come that was told to be quicker than is calm, about; None where
        the clip has not so many."""
        found, tasks = self.found, self.tasks
        if not (found.told and found.hurried):
            return {}
        added = math.sqrt(found.asked.usual**2 - found.before.usual**2)
        places = self._recording.transforms[:, :, :3]
        times = calm_times(places, self._recording.fps, tasks.first, tasks.last, tasks.end, added)
        return {edit.part: None if times is None else math.ceil(times * edit.frames)
                for edit in tasks.displacing if edit.told}  # fmt: skip

    @property
    def rests_calmly(self) -> bool:
        """Whether it is calm, with room for more, with nothing of the edits but feet that stay where they stand."""
        found = self.found
        halfway = Size(*(0.5 * (getattr(found.before, n) + getattr(found.most, n)) for n in ("usual", "mean")))
        return self._less(found, 0.0).jerk.beside(halfway) <= 1.0

    def _calm(self, found: Asking, most: Size) -> Asking:
        """As much of what was found as has no more jerk than that: in part, or softly, whichever is more."""
        calm = self._in_part(found, most)
        if calm.share < _ENOUGH * found.share:
            for softness in _SOFTNESSES:
                softer = self._tried(found.following, softness, found.asked, found.arc)
                if softer.jerk.beside(most) <= 1.0:
                    return softer if softer.share > calm.share or calm.jerk.beside(most) > 1.0 else calm
                if softer.share < calm.share:
                    break
        return calm

    def _in_part(self, found: Asking, most: Size) -> Asking:
        """As great a part of what was found as has no more jerk than that, about."""
        calm: Asking | None = None
        low, high, tried, part = 0.0, 1.0, found, 1.0
        for turn in range(_PARTS):
            if turn == _BY_JERK and calm is None:
                nothing = self._less(found, 0.0)
                if nothing.jerk.beside(most) > 1.0:
                    return nothing
            goes = tried.part(most.times(_NEARLY_JERKY)) * part  # by the jerk of the last one; then by halves
            part = goes if turn < _BY_JERK and low < goes < high else 0.5 * (low + high)
            tried = self._less(found, part)
            if tried.jerk.beside(most) <= 1.0:
                calm, low = tried, part
            else:
                high = part
            if high - low < _NEAR * high or (low == part and tried.part(most) < 1.0 + _NEAREST):
                break
        return calm or self._less(found, 0.0)

    def _less(self, found: Asking, part: float) -> Asking:
        return self._tried(found.following, found.given, found.asked, found.arc, part)

    def _drawn(self, found: Asking) -> SmoothFollowing:
        """What is asked for, with all parts drawn along the edits' curves to where they get."""
        first, end = self.tasks.first, self.tasks.end
        placed = joint_transforms(self._recording.body, found.postures)
        ways = (placed - self._recording.transforms[first : end + 1])[:, :, :3]
        return found.following.drawn(self.tasks.curves(first, end), ways)

    def _tried(
        self, following: SmoothFollowing, softness: float, before: Size, arc: float = 0.0, part: float = 1.0
    ) -> Asking:
        """What is found in one way; before: the jerk that the edits' own curves had in earlier tries, since what is
        asked for is not less because it is not given."""
        postures = following.postures(softness, arc=arc, part=part)
        after = joint_transforms(self._recording.body, self._around(postures))
        recorded, ways = self._recorded, (after - self._before)[:, :, :3]
        asked = Size.of(recorded + self._curves.added(ways)).or_more(Size.of(recorded)).or_more(before)
        return Asking(following, postures, self.tasks.is_told, arc, softness, following.softness, self._share(after),
                      recorded, jerks(ways, self._recording.fps), asked)  # fmt: skip

    def _around(self, found: Floats) -> Floats:
        """Postures of the span, with those before and recorded ones after it."""
        first, begin = self.tasks.first, self.counted.start
        after = self._recording.angles[self.tasks.end + 1 : self.tasks.end + 1 + BESIDE]
        return np.concatenate([self._result[begin:first], found[max(begin - first, 0) :], after])

    def _counted_targets(self) -> list[tuple[Target | Turn, float]]:
        """What is asked for in the counted frames, and by how much it is missed as recorded; what is to stay on its
        path, and shorter ways, by a part of the longest one; at least by what counts as met."""
        begin, beyond = self.counted.start, self.counted.start + len(self._before)
        targets = [target.within(begin, beyond) for target in self.tasks.targets]
        missed = [self._most_missed(target, self._before) for target in targets]
        longest = max(missed, default=0.0)
        ways = [max(way, _OF_LONGEST * longest, NEAR_ENOUGH) for way in missed]
        turns = [(turn, max(self._most_missed(turn, self._before), TURNED_ENOUGH)) for turn in self.tasks.turns]
        return [*zip(targets, ways, strict=True), *turns]

    def _share(self, after: Floats) -> float:
        """How much of what is asked for is had, 1: all of it, where least of it is; with the joints' transforms in the
        counted frames."""
        lost = [self._most_missed(asked, after) / way for asked, way in self._asked]
        return max(0.0, 1.0 - max(lost, default=0.0))

    def _most_missed(self, asked: Target | Turn, transforms: Floats) -> float:
        return float(asked.missed(transforms[asked.frames - self.counted.start]).max(initial=0.0))
