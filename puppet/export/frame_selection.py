"""Which frames of a performance are shown, and for how long."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import pairwise

from puppet.errors import PuppetError


def resample_frames(frames: int, fps: float, wanted: float) -> list[int]:
    """The frame to show at each time of a film with another frame rate, at the same speed."""
    if not 0.0 < wanted <= 240.0:
        raise PuppetError(f"frames per second must be above 0 and at most 240, not {wanted:g}")
    count = max(1, round(frames * wanted / fps))
    return [min(frames - 1, round(n * fps / wanted)) for n in range(count)]


def chosen_frames(frames: str | Sequence[int], first: int, last: int) -> list[int]:
    """Frame numbers as they are written, or one after the other."""
    text = frames if isinstance(frames, str) else ",".join(str(operator.index(number)) for number in frames)
    return parse_frames(text, first, last)


def parse_frames(text: str, first: int, last: int) -> list[int]:
    """Frame numbers as written: 1,20,50-60:5 are 1, 20, 50, 55 and 60."""
    found: list[int] = []
    for entry in text.split(","):
        whole = entry.strip()
        span, _, step = whole.partition(":")
        start, dash, end = span.partition("-")
        numbers = [part.strip() for part in (start, end if dash else start, step if ":" in whole else "1")]
        if not all(part.isdecimal() for part in numbers) or int(numbers[2]) == 0:
            raise PuppetError(f"cannot read '{whole}' in frames '{text}': write numbers, 50-60 or 50-60:5, with commas")
        low, high, stride = (int(part) for part in numbers)
        if low > high:
            raise PuppetError(f"'{whole}' in frames '{text}' runs backwards: write {high}-{low}")
        for number in (low, high):
            if not first <= number <= last:
                raise PuppetError(f"there is no frame {number} (in '{text}'): the frames are {first} to {last}")
        found += range(low, high + 1, stride)
    return found


def spread_evenly(indices: Sequence[int], count: int) -> list[int]:
    """At most `count` of the indices, spread from the first to the last."""
    if len(indices) <= count:
        return list(indices)
    places = [round(n * (len(indices) - 1) / (count - 1)) for n in range(count)]
    return [indices[place] for place in places]


def frame_hundredths(count: int, fps: float) -> list[int]:
    """The duration of each frame in hundredths of a second; rounding errors do not add up."""
    ends = [round(100.0 * n / fps) for n in range(count + 1)]
    return [max(1, end - start) for start, end in pairwise(ends)]
