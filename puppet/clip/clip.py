"""A clip: a recorded motion as a body and its frames, to be edited, retargeted and saved."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from puppet.arguments import public_class, short
from puppet.body import Body, BodyFrames
from puppet.bvh import BvhClip, FileAxes, read_bvh, write_bvh
from puppet.clip.build import build_body
from puppet.clip.contacts import GroundContact, find_contacts, ground_height
from puppet.clip.fit import BvhFit, fit_body
from puppet.errors import PuppetError
from puppet.files.atomic_write import write_atomically
from puppet.performance import Performance, check_frames
from puppet.scene import Scene, Table
from puppet.types import Floats

if TYPE_CHECKING:
    from puppet.clip.edit import Editing
    from puppet.clip.filtered import FilteredClip
    from puppet.dynamics import HoldAt, PushAt

SHEET = 8  # pictures of a clip on one sheet
OWN_BODIES = ("person", "seated")  # that a file of ours may be of
MOST_JOINTS = 500  # of a skeleton: what is made for each joint and all that it carries grows with their square


@public_class
@dataclass(frozen=True, eq=False)
class Clip(BodyFrames):
    """A body and its frames, as in a performance: lengths in body heights, y up, angles in radians; and the file that
    it came from, in the file's own units and axes."""

    fit: BvhFit
    bvh: BvhClip
    angles: Floats  # (frames, dofs), read-only
    report: Mapping[str, Any] = field(default_factory=dict)

    def _agree(self) -> None:
        check_frames(self.body, self.angles)
        width = sum(len(joint.channels) for joint in self.bvh.joints)
        if self.bvh.values.shape != (len(self.angles), width) or not 0.0 < self.bvh.frame_time < math.inf:
            raise PuppetError("the file of a clip has as many frames as the clip, of some time each")
        joints = self.fit.joints
        if len(joints) != len(self.body.joints) or not all(0 <= joint < len(self.bvh.joints) for joint in joints):
            raise PuppetError("the body of a clip has joints of its file")

    def __repr__(self) -> str:
        return f"<Clip '{self.body.name}': {len(self)} frames, {self.fps:g} a second>"

    @staticmethod
    def load(path: str | Path, body: Body | str | Path | None = None, up: str | None = None) -> Clip:
        """A clip from a BVH file. body: one for its skeleton, as `puppet convert` writes it; else one is made. up: the
        file's vertical axis, y or z; else it is found out."""
        path = Path(path)
        bvh = read_bvh(path)
        if not len(bvh):
            raise PuppetError(f"{path}: there are no frames in it")
        return Clip.of(bvh, path.stem, body, up, str(path))

    @staticmethod
    def skeleton(path: str | Path) -> Clip:
        """A clip for the skeleton of a BVH file, to retarget to; in its zero posture, if there are no frames in it."""
        path = Path(path)
        bvh = read_bvh(path)
        if not len(bvh):
            bvh = BvhClip.of(bvh.joints, bvh.frame_time, np.zeros((1, bvh.values.shape[1])))
        return Clip.of(bvh, path.stem, where=str(path))

    @staticmethod
    def of(
        bvh: BvhClip, name: str = "clip", body: Body | str | Path | None = None, up: str | None = None,
        where: str = "the file",
    ) -> Clip:  # fmt: skip
        """A clip from what was read from a BVH file."""
        if up not in (None, "y", "z"):
            raise PuppetError(f"the up axis must be y or z, not {short(up)}")
        if len(bvh.joints) > MOST_JOINTS:
            raise PuppetError(f"{where}: a skeleton of {len(bvh.joints)} joints; {MOST_JOINTS} are the most of a body")
        notes: tuple[str, ...] = ()
        if body is not None:
            own = body if isinstance(body, Body) else Body.load(body)
            built = build_body(bvh, name, up)
            fit = fit_body(bvh, own, built.fit.axes.up, where)
        else:
            known = _own_body(bvh)
            if known is not None:
                fit, notes = known, (f"it is the body '{known.body.name}' that comes with puppet",)
            else:
                built = build_body(bvh, name, up)
                fit, notes = built.fit, built.notes
        angles = fit.angles(bvh)
        angles.flags.writeable = False
        return Clip(fit, bvh, angles, {"notes": list(notes)})

    # ---- what it shares with a performance

    @property
    def body(self) -> Body:
        return self.fit.body

    @property
    def fps(self) -> float:
        return self.bvh.fps

    def __len__(self) -> int:
        return len(self.angles)

    # ---- what is only a clip's

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found out and guessed when it was loaded, a sentence each."""
        return tuple(self.report.get("notes", ()))

    @cached_property
    def contacts(self) -> tuple[GroundContact, ...]:
        """Frames in which points of the feet stand on the ground."""
        return find_contacts(self.body, self.joint_transforms, self.fps)

    @cached_property
    def ground(self) -> float:
        """The height of the ground that it stands on."""
        return ground_height(self.body, self.joint_transforms)

    def edit(self, script: str | Path) -> Clip:
        """The clip with the edits of a script: a path, or its text. All frames outside the spans of the edits, which
        the report lists, are the same to the bit."""
        editing = self.editing(script)
        editing.carry_out()
        values = self.fit.values(self.bvh, editing.result, np.flatnonzero(editing.changed))
        bvh = BvhClip.of(self.bvh.joints, self.bvh.frame_time, values)
        contacts = [
            {"part": self.joint_names[entry.joint], "point": entry.point, "first": entry.first, "last": entry.last}
            for entry in self.contacts
        ]
        report = {"notes": list(self.notes), "contacts": contacts, **editing.report()}
        return Clip(self.fit, bvh, editing.result, report)

    def editing(self, script: str | Path) -> Editing:
        """What a script asks for, to be carried out."""
        from puppet.clip.edit import Editing
        from puppet.clip.script import read_edits

        edits = read_edits(script, self.body, self.fps, self.joint_positions)
        return Editing(self.body, self._cautious, self.angles, self.joint_transforms, self.fps, self.contacts, edits)

    @cached_property
    def _cautious(self) -> Body:
        """The body with narrower ranges, in which all frames of the clip are inside."""
        from puppet.clip.ranges import narrowed

        return narrowed(self.body, self.angles)

    def retarget(self, target: Body | Clip | str | Path) -> Clip:
        """The clip's motion on another body: one of ours or its file; or on the skeleton of another clip or BVH file,
        in that one's units and axes."""
        from puppet.clip.correspondence import RetargetSource
        from puppet.clip.retarget import Retargeting

        if isinstance(target, str | Path) and Path(target).suffix.lower() == ".bvh":
            target = Clip.skeleton(target)
        skeleton = target if isinstance(target, Clip) else None
        body = target.body if isinstance(target, Clip) else target if isinstance(target, Body) else Body.load(target)
        source = RetargetSource(self.body, self.angles, self.joint_transforms, self.fps, self.contacts)
        angles, report = Retargeting(source, body).result()
        angles.flags.writeable = False
        if skeleton is None:
            from puppet.export.bvh import body_clip

            bvh = body_clip(body, angles, self.fps, FileAxes(1.0, "y"), False)
            fit = BvhFit(body, FileAxes(1.0, "y"), tuple(range(len(body.joints))))
        else:
            fit = skeleton.fit
            still = np.repeat(skeleton.bvh.values[:1], len(angles), axis=0)
            empty = BvhClip.of(skeleton.bvh.joints, self.bvh.frame_time, still)
            values = fit.values(empty, angles, np.arange(len(angles)))
            bvh = BvhClip.of(skeleton.bvh.joints, self.bvh.frame_time, values)
        return Clip(fit, bvh, angles, {"notes": list(self.notes), **report})

    @cached_property
    def performance(self) -> Performance:
        """The clip as a performance: on the floor that it stands on, with nothing around."""
        floor = self.ground if self.contacts else float(self.joint_positions[:, :, 1].min())
        scene = Scene(Table(floor, 0.0), (), (), floor=floor, body=self.body.name)
        return Performance(self.body, scene, self.fps, self.angles, {**self.report, "tasks": []}, ((0, {}),))

    def filtered(
        self, friction: float = 0.8, pushes: Iterable[PushAt] = (), holds: Iterable[HoldAt] = ()
    ) -> FilteredClip:
        """The clip as contact forces can cause it: see `puppet.filter_motion`."""
        from puppet.clip.filtered import filter_clip

        return filter_clip(self, friction, pushes, holds)

    def save(self, path: str | Path, **options: Any) -> None:
        """Writes the clip: as .bvh with the skeleton, units and axes of its file, as .json its report, and in all other
        forms as a performance is written: pictures (.png: eight frames, if not told which), films, glTF."""
        from puppet.export import write, writer_for

        path = Path(path)
        ending = path.suffix.lower()
        writer_for(path)
        if ending == ".png" and "frames" not in options:  # there are no tasks whose ends could be shown
            shown = np.unique(np.linspace(0, len(self) - 1, SHEET).round().astype(int))
            options["frames"] = ",".join(str(frame) for frame in shown)
        if ending not in (".bvh", ".json"):
            write(self.performance, path, **options)
        elif options:
            raise PuppetError(f"a clip is written as {ending} without options, not with {', '.join(options)}")
        elif ending == ".bvh":
            write_bvh(self.bvh, path, exact=True)
        else:
            self.save_report(path)

    def save_report(self, path: str | Path) -> None:
        """Writes the report as JSON."""
        write_atomically(path, json.dumps(self.report, indent=2) + "\n")


def _own_body(bvh: BvhClip) -> BvhFit | None:
    """The body of ours whose motion a file is, if it is one."""
    for name in OWN_BODIES:
        body = Body.load(name)
        if bvh.joint_names == body.joint_names:
            for up in ("y", "z"):
                try:
                    return fit_body(bvh, body, up, "the file")
                except PuppetError:
                    continue
    return None
