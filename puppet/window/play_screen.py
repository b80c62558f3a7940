"""The screen for playing a motion: a script's performance or a BVH file, reloaded when it changes. A clip is edited."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from puppet.bvh import BvhClip
from puppet.clip import Clip
from puppet.errors import PuppetError
from puppet.performance import Performance
from puppet.render.arrows import arrow_transforms
from puppet.render.course import with_course
from puppet.render.model import DrawnModel, stage_model, stage_points, stage_transforms
from puppet.render.skeleton import Skeleton, joints_and_ends
from puppet.shows import PLAYBACK_SPEEDS, LoadedMotion, Messages, Playback
from puppet.types import Floats
from puppet.window.background_task import BackgroundTask
from puppet.window.clip_posing import ClipPosing
from puppet.window.event import Event, Key, Leave, Move, Press, Release
from puppet.window.interface import PlacedPanel
from puppet.window.layout import lay_out
from puppet.window.panels.help import HelpPanel
from puppet.window.panels.message import MessagePanel
from puppet.window.panels.mistakes import MistakesPanel
from puppet.window.panels.statistics import StatisticsPanel, TableRow
from puppet.window.panels.transport import TransportPanel, lanes_of
from puppet.window.saving import save_clip
from puppet.window.screen import Picture, Screen, window_box
from puppet.window.shortcuts import PLAY_KEYS, PLAY_MOUSE, play_action
from puppet.window.track_keys import TrackKeys
from puppet.window.view import CAMERAS, View

LARGE_STEP = 10  # frames


@dataclass(frozen=True, eq=False)
class PreparedMotion:
    """A loaded motion and its model: all that can be prepared in another thread."""

    loaded: LoadedMotion
    model: DrawnModel | None
    points: Floats | None  # (n, 3), what a camera should show
    skeleton: Skeleton | None = None
    positions: Floats | None = None  # (frames, points, 3), of a skeleton


def prepare_motion(playback: Playback) -> PreparedMotion:
    loaded = playback.load()
    match loaded.motion:
        case Performance() as p:
            points = stage_points(p.body, p.scene, p.joint_positions, p.object_positions)
            arrows = len(getattr(p, "contact_points", ()))  # with physics
            return PreparedMotion(loaded, stage_model(with_course(p), p.scene, arrows), points)
        case Clip() as clip:
            scene = clip.performance.scene
            points = stage_points(clip.body, scene, clip.joint_positions, np.empty((0, 3)))
            return PreparedMotion(loaded, stage_model(clip.body, scene), points)
        case BvhClip() as clip:
            positions, parents = joints_and_ends(clip)
            skeleton = Skeleton.of(positions, parents)
            return PreparedMotion(loaded, skeleton.model, skeleton.points, skeleton, positions)
    return PreparedMotion(loaded, None, None)


class PlayScreen(Screen):
    def __init__(
        self, playback: Playback, ready: PreparedMotion, scale: float, size: tuple[int, int],
        milliseconds: Callable[[], Mapping[str, float]],
    ) -> None:  # fmt: skip
        super().__init__(scale)
        self.playback, self._size = playback, size
        self._picture: Picture | None = None
        self._ready = ready
        self.view: View | None = None
        self.posing: ClipPosing | None = None  # of a clip
        self._reload: BackgroundTask[PreparedMotion] | None = None
        self._pointer: tuple[float, float] | None = None  # over the stage
        self._messages = Messages()
        self._keys = TrackKeys(playback, lambda: self.view, self.show_error)
        self._transport = TransportPanel(playback, self.do, self._keys.retime)
        self._transport.camera = "three-quarter"
        self._message = MessagePanel(self._words)
        self._mistakes = MistakesPanel(lambda: playback.problems, lambda: playback.ready)
        self._help = HelpPanel(lambda: self.do("help"), "Playing a motion", None, PLAY_KEYS, PLAY_MOUSE)
        heading = ("task", "begins", "ends", "misses by", "turned", "")
        self._statistics = StatisticsPanel(milliseconds, heading, self._rows)
        self._shown = {"panels": True, "names": False, "help": False, "statistics": False, "forces": False}
        self._actions: dict[str, Callable[[], object]] = {
            "pause": playback.toggle,
            "back": lambda: playback.step(-1),
            "step": lambda: playback.step(1),
            "first": lambda: playback.seek(0),
            "last": lambda: playback.seek(playback.count - 1),
            "slower": lambda: self._change_speed(-1),
            "faster": lambda: self._change_speed(1),
            "loop": self._loop,
            "reset": self._reset,
            "reload": self._read_again,
            "undo": lambda: self._edit("undo"),
            "redo": lambda: self._edit("redo"),
            "save": lambda: self._edit("save"),
            "escape": self._escape,
            **{name: lambda name=name: self._toggle(name) for name in self._shown},  # type: ignore[misc]
            **{name: lambda name=name: self._look(name) for name in CAMERAS},  # type: ignore[misc]
        }
        self._accept(ready)

    # ---- events and time

    def handle(self, event: Event) -> None:
        if isinstance(event, Key):
            action = play_action(event)
            if action in ("back", "step"):
                self.playback.step((LARGE_STEP if event.shift else 1) * (1 if action == "step" else -1))
            elif action and not event.again:
                self.do(action)
        elif self._keys.busy and self.view is not None:
            self._keys.handle(event)
        elif self.posing is not None and self.posing.busy:
            self.posing.handle(event)
            self._transport.lanes = lanes_of(self.playback)
        elif self.interface.handle(event):
            self._point(None)
        elif self.view is not None:
            if isinstance(event, (Press, Release, Move)):
                free = not self.view.dragging and not self.interface.over(event.x, event.y)
                self._point((event.x, event.y) if free else None)
            elif isinstance(event, Leave):
                self._point(None)
            if (self.posing is not None and self.posing.handle(event)) or self._keys.handle(event):
                return
            before = self.view.camera
            self.view.handle(event)
            if self.view.camera != before:
                self._transport.camera = ""

    def do(self, action: str) -> None:
        """Carries out an action by its name, for keys and buttons."""
        self._actions[action]()

    def _point(self, place: tuple[float, float] | None) -> None:
        """Sets where the pointer is over the stage."""
        self._pointer = place
        if self.posing is not None:
            self.posing.point(None if self._shown["help"] else place)

    def _edit(self, what: str) -> None:
        """Takes an edit of a clip back, gives it again, or saves the edited clip and the script of the edits; the same
        with a key of tracks, whose file is saved whenever one is moved."""
        session = self.playback.editing
        if self.playback.track_keys:
            if what == "save":
                self._messages.add("A key that is moved is saved at once")
            else:
                (self._keys.undo if what == "undo" else self._keys.redo)()
            return
        if session is None:
            self._messages.add("Only a clip, a BVH file, and the keys of tracks are edited here", problem=True)
            return
        if what == "save":
            self._messages.add(save_clip(session, self.playback.source) if session.given else "There is no edit yet")
            return
        done = session.undo() if what == "undo" else session.redo()
        words = {"undo": ("Undone", "Nothing to undo"), "redo": ("Redone", "Nothing to redo")}[what]
        self._messages.add(words[0 if done else 1])
        self._transport.lanes = lanes_of(self.playback)

    def advance(self, seconds: float) -> None:
        self._messages.advance(seconds)
        if self.posing is None or not self.posing.busy:
            self.playback.advance(seconds)
            self._point(self._pointer)  # the motion goes on while it stays
        if self._reload is not None:
            if self._reload.done:
                reload, self._reload = self._reload, None
                self._accept(reload.result())
        elif self.playback.changed():
            self._read_again()

    def show_error(self, text: str) -> None:
        self._messages.add(text, problem=True)

    def _accept(self, ready: PreparedMotion) -> None:
        again = self.view is not None
        try:
            if not self.playback.accept(ready.loaded):
                return
        except PuppetError as error:  # the edits do not fit what the file says now
            self._messages.add(str(error), problem=True)
            return
        self._ready = ready
        assert ready.model is not None
        assert ready.points is not None
        if self._picture is not None:
            self._picture.close()
        self._picture = Picture(ready.model, self._size)
        if self.view is None:
            self.view = View(ready.points)
        else:
            self.view.look(ready.points)
        if self.playback.editing is not None:
            self.posing = ClipPosing(self.playback, self.playback.editing, self.view, self._tell)
        self._transport.lanes = lanes_of(self.playback)
        hint = self.playback.hint
        if again or hint:
            self._messages.add(hint or "The file has changed: this is what it says now")

    def _tell(self, text: str, problem: bool) -> None:
        self._messages.add(text, problem=problem)

    def _read_again(self) -> None:
        if self._reload is None:
            playback = self.playback
            self._reload = BackgroundTask(lambda: prepare_motion(playback))

    def _change_speed(self, by: int) -> None:
        place = PLAYBACK_SPEEDS.index(self.playback.speed) + by
        self.playback.speed = PLAYBACK_SPEEDS[min(max(place, 0), len(PLAYBACK_SPEEDS) - 1)]

    def _loop(self) -> None:
        self.playback.loop = not self.playback.loop

    def _reset(self) -> None:
        if self.view is not None:
            self.view.reset()

    def _look(self, camera: str) -> None:
        if self.view is not None:
            self.view.choose(camera)
            self._transport.camera = camera

    def _toggle(self, name: str) -> None:
        self._shown[name] = not self._shown[name]

    def _escape(self) -> None:
        if self.posing is not None and self.posing.busy:
            self.posing.cancel()
            return
        for name in ("help", "statistics"):
            if self._shown[name]:
                self._shown[name] = False
                return
        self.closing = True

    # ---- what is seen

    @property
    def pointer(self) -> str:
        if self._keys.busy or (self.view is not None and self.view.dragging):
            return "move"
        return "hand" if self.posing is not None and self.posing.hit is not None else super().pointer

    def _words(self) -> tuple[str, bool]:
        last = self._messages.last
        if last.text and last.unread:
            return last.text, last.problem
        return ("Loading ...", False) if self._reload is not None else (self.playback.message, False)

    def _rows(self) -> Sequence[TableRow]:
        performance = self.playback.performance
        if performance is None:
            return ()
        now = performance.numbers[self.playback.frame]
        begun = [task for task in performance.report["tasks"] if task["start"] is not None and task["start"] <= now]
        return [
            (
                task["interpretation"], str(task["start"]), "" if task["end"] is None else str(task["end"]),
                f"{task['position_error']:.4f}", f"{task['orientation_error']:.1f}°", task["status"],
            )
            for task in begun
        ]  # fmt: skip

    def panels(self, size: tuple[float, float]) -> Sequence[PlacedPanel]:
        window, shown = window_box(size), self._shown
        bottom = self._transport.height(size[0]) if shown["panels"] else 0.0
        at = lay_out(size, 0.0, bottom, columns=False, lowest=0.0)
        found: list[PlacedPanel] = []
        if self.posing is not None and not shown["help"]:
            found += self.posing.panels(self.interface.paint, window)
        if shown["panels"] and at.bottom is not None and self.playback.ready:
            found.append(PlacedPanel(self._transport, at.bottom))
        free = at.free
        if shown["statistics"]:
            box = self._statistics.place(free)
            found.append(PlacedPanel(self._statistics, box))
            free = free.below(box.bottom)
        if self.playback.problems:
            box = self._mistakes.place(self.interface.paint, free)
            found.append(PlacedPanel(self._mistakes, box))
            free = free.beside(box.right) if 2.0 * box.width < free.width else free.below(box.bottom)
        if self.view is not None:
            self.view.place(size, free)
        if self.view is not None:
            found += self._keys.panels(self.interface.paint, window)
        if self._message.words:
            found.append(PlacedPanel(self._message, self._message.place(self.interface.paint, free)))
        if shown["help"]:
            found.append(PlacedPanel(self._help, window))
        return found

    def draw(self, size: tuple[int, int]) -> bool:
        self._size = size
        if self._picture is None or self.view is None:
            return False
        ready = self._ready
        if ready.skeleton is not None and ready.positions is not None:
            transforms = ready.skeleton.transforms(ready.positions[self.playback.frame])
        else:
            places, forces = self.playback.acting
            height = 1.0 if self.playback.performance is None else self.playback.performance.body.height
            arrows = arrow_transforms(places, forces * self._shown["forces"], height)
            transforms = stage_transforms(self.playback.joint_transforms, self.playback.object_transforms, arrows)
        return self._picture.draw(transforms, self.view.camera, self._shown["names"], size)

    def show(self) -> None:
        if self._picture is not None:
            self._picture.show()

    def close(self) -> None:
        if self._picture is not None:
            self._picture.close()
            self._picture = None
        super().close()
