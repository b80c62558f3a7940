"""Editing motion in motion: pins, drags and planted feet on top of a recorded clip (Yamane and Nakamura 2003,
Section 4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.clip.asked import DISPLACING, SpanTasks, gazes
from puppet.clip.calming import Calming
from puppet.clip.contacts import GroundContact
from puppet.clip.measure import NONE, jerk, slide
from puppet.clip.recording import Recording
from puppet.clip.script import Edit
from puppet.types import Floats

# How much longer edits are that nobody told how quick to be, where they are jerky; and how often.
_LONGER, _LONGER_TIMES = 1.5, 2
_EARLY = (0.02, 0.05, 0.1, 0.2, 1e6)  # seconds by which feet come down later and lift earlier where they are jerky


class Editing:
    """One clip and the edits that are asked of it."""

    def __init__(
        self, body: Body, cautious: Body, angles: Floats, transforms: Floats, fps: float,
        contacts: tuple[GroundContact, ...], edits: list[Edit],
    ) -> None:  # fmt: skip
        self._recording = Recording(body, cautious, angles, transforms, fps, contacts)
        self.edits = edits
        self.result = np.array(angles)
        self.changed = np.zeros(len(angles), dtype=bool)
        self._done: list[Calming] = []  # the spans

    def carry_out(self) -> None:
        intervals = self._intervals()
        begins = [*(first for first, _ in intervals[1:]), 2 * len(self._recording)]  # of what comes after each of them
        for (first, last), beyond in zip(intervals, begins, strict=False):
            self._span(first, last, beyond)
        for array in (self.result, self.changed):
            array.flags.writeable = False

    def posture(self, frame: int) -> Floats:
        """One frame alone, (dofs,): a preview of it."""
        for first, last in self._intervals():
            if first < frame <= last:
                following = SpanTasks(self._recording, self.edits, first, last).following()
                return np.asarray(following.postures(frames=np.array([frame]))[0])
        return np.asarray(self._recording.angles[frame])

    def _intervals(self) -> list[tuple[int, int]]:
        """The frames of edits that displace something, first and last ones with something left of them; those of an
        edit that begins before all is as it was before are one with it."""
        count = len(self._recording)
        found: list[tuple[int, int]] = []
        for edit in sorted((edit for edit in self.edits if edit.kind in DISPLACING), key=lambda edit: edit.start):
            first, last = edit.start, min(edit.end, count - 1)
            if last == first:
                continue
            if found and first <= SpanTasks(self._recording, self.edits, *found[-1]).end + 1:
                found[-1] = (found[-1][0], max(found[-1][1], last))
            else:
                found.append((first, last))
        return found

    def _span(self, first: int, last: int, beyond: int) -> None:
        """Carries out the edits of a span, those after which begin at a frame beyond it. Where nobody told how quick
        they are, and they make it jerky, they take longer; so do pins in any case."""
        best = Calming(self._recording, SpanTasks(self._recording, self.edits, first, last), self.result)
        edits, told = self.edits, best.tasks.is_told
        for _ in range(_LONGER_TIMES):
            if told or not best.found.hurried:  # else only time would help
                best.soften()
            if best.found.jerkiness <= 1.0:
                break
            before, (edits, first, last) = edits, self._longer(edits, first, last, told)
            if edits == before:
                break
            tasks = SpanTasks(self._recording, edits, first, last)
            if tasks.end + 1 >= beyond:
                break
            other = Calming(self._recording, tasks, self.result, best.found.asked if told else NONE)
            if other.found.had > best.found.had:
                best, self.edits = other, edits
        best.soften()
        if not best.bound():  # feet that stay where they stand are jerky by themselves
            for early in _EARLY:
                frames = max(1, round(early * self._recording.fps))
                recording = self._recording.lifting(frames, best.tasks.first)
                lifting = SpanTasks(recording, self.edits, best.tasks.first, best.tasks.last)
                if lifting.end + 1 < beyond:
                    best = Calming(recording, lifting, self.result, best.found.asked if told else NONE)
                if best.rests_calmly:
                    break
            best.soften()
            best.bound()
        first, last = best.tasks.first, best.tasks.end
        self.result[first + 1 : last + 1], self.changed[first + 1 : last + 1] = best.found.postures[1:], True
        self._done.append(best)

    def _longer(self, edits: list[Edit], first: int, last: int, told: bool) -> tuple[list[Edit], int, int]:
        """Edits, with those of the span first to last longer, and that span then. told: only pins, which take hold, or
        let go, while something is displaced, or let go of a place; nobody says how quick that is."""
        own = [edit.start < last and edit.end > first and (edit.kind in ("pin", "place") or not told)
               for edit in edits]  # fmt: skip
        free = self._done[-1].tasks.end + 2 if self._done else 0  # nothing is asked for before
        final = len(self._recording) - 1
        found = [edit.longer(_LONGER, free, final) if inside else edit
                 for inside, edit in zip(own, edits, strict=True)]  # fmt: skip
        moved = [edit for edit in found if edit.kind in DISPLACING and edit.start <= last and edit.end > first]
        return found, min(edit.start for edit in moved), min(max(edit.end for edit in moved), final)

    def report(self) -> dict[str, Any]:
        recording = self._recording
        body, fps, metres = recording.body, recording.fps, recording.body.metres_tall
        after = np.array(recording.transforms)
        after[self.changed] = joint_transforms(body, self.result[self.changed])
        residuals: dict[str, dict[str, Any]] = {}
        looks: list[dict[str, Any]] = []
        for target in (target for span in self._done for target in span.tasks.targets):
            if len(target.frames):
                entry = residuals.setdefault(target.name, {"frames": [], "missed": []})
                entry["frames"] += target.frames.tolist()
                entry["missed"] += target.missed(after[target.frames]).tolist()
        for edit in self.edits:
            if edit.kind == "look" and body.gaze is not None:
                frames = np.flatnonzero(edit.weights(len(recording)) >= 1.0)
                ahead, towards = gazes(recording, edit, frames, after[:, body.gaze.joint])
                missed = np.arccos(np.clip(np.einsum("na,na->n", ahead, towards), -1.0, 1.0))
                looks.append({"frames": frames.tolist(), "missed": missed.tolist()})
        pinned = [entry for span in self._done for entry in span.tasks.pinned]
        held = [replace(contact, first=entry["first"], last=entry["last"]) for entry in pinned
                for contact in recording.contacts
                if contact.point == entry["point"] and body.joint_names[contact.joint] == entry["part"]
                and contact.first <= entry["last"] and contact.last >= entry["first"]]  # fmt: skip
        spans = []
        for span in self._done:
            jerks = {"before": jerk(recording.transforms[span.counted], fps), "asked": span.found.asked.usual,
                     "after": jerk(after[span.counted], fps)}  # fmt: skip
            told = {f"jerk_{name}": value * metres for name, value in jerks.items()}
            spans.append({"first": span.tasks.first, "last": span.tasks.end, **told, "share": span.found.share,
                          "calm_speeds": span.calm_speeds()})  # fmt: skip
        return {
            "spans": spans,
            "pinned_contacts": pinned,
            "residuals": residuals,
            "looks": looks,
            "slide_before": slide(recording.transforms, held) * metres,
            "slide_after": slide(after, held) * metres,
        }
