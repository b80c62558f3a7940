"""A moving timeline of the last and the next seconds: which task owns which part of the body."""

from __future__ import annotations

from collections.abc import Hashable

from puppet.shows import Live
from puppet.window.box import ACCENT, FAINT, ON_ACCENT, PAD, QUIET, SMALL, Box, hand_color
from puppet.window.paint import Paint
from puppet.window.panel import Panel

BEFORE, AFTER = 6.0, 2.5  # seconds
_ROW, _LABEL = 17.0, 64.0


class TimelinePanel(Panel):
    name = "timeline"

    def __init__(self, live: Live) -> None:
        super().__init__()
        self._live = live
        self._rows = len(live.timeline(BEFORE))

    def key(self) -> Hashable:
        live = self._live
        frame, since = live.frame.number, live.frame.number - BEFORE * live.fps
        # Once nothing has moved for a while the strip is empty in every frame.
        entries = live.stage.entries
        busy = any(e.end is None or e.end > since for e in entries[-20:] if e.segments)
        return (frame, len(entries)) if busy else len(entries)

    def height(self, width: float) -> float:
        return 2 * 7.0 + self._rows * _ROW

    def draw(self, paint: Paint, box: Box) -> None:
        self.sheet(paint, box)
        live = self._live
        strip = Box(PAD + _LABEL, 7.0, box.width - 2 * PAD - _LABEL, box.height - 14.0)
        frame, fps = live.frame.number, live.fps
        first, last = frame - BEFORE * fps, frame + AFTER * fps

        def place(at: float) -> float:
            return strip.x + min(max((at - first) / (last - first), 0.0), 1.0) * strip.width

        second = max(0, int(first // fps) + 1)
        while second * fps < last:
            x = place(second * fps)
            paint.fill(Box(x, strip.y, 1.0, strip.height), FAINT)
            second += 1
        for n, (name, segments) in enumerate(live.timeline(BEFORE).items()):
            row = Box(strip.x, strip.y + n * _ROW, strip.width, _ROW)
            paint.text(name, Box(PAD, row.y, _LABEL - 6.0, _ROW), QUIET, SMALL)
            paint.fill(Box(strip.x, row.y + 1.5, strip.width, _ROW - 3.0), FAINT, 3.0)
            for segment in segments:
                left, right = place(segment.start), place(segment.end)
                if right - left < 0.5:
                    continue
                red, green, blue, _ = hand_color(live.body.hands, segment.hand)
                bar = Box(left, row.y + 1.5, right - left, _ROW - 3.0)
                paint.fill(bar, (red, green, blue, 255 if segment.end > frame else 150), 3.0)
                if bar.width > 40.0:
                    paint.text(segment.words, Box(left + 5.0, row.y, bar.width - 8.0, _ROW), ON_ACCENT, 10.0)
        x = place(frame)
        paint.fill(Box(x - 0.75, strip.y - 3.0, 1.5, strip.height + 6.0), ACCENT)
