"""The screen for performing live: keys and pointer in, commands to a live performance out."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from puppet.command import Freeze, Lock, Reach, SetPhysics, Slide
from puppet.keys import ChangeSlide
from puppet.render.arrows import arrow_transforms
from puppet.render.model import DrawnModel, stage_model, stage_points, stage_transforms
from puppet.shows import TEMPOS, Live, Messages
from puppet.stage import Stage
from puppet.types import Floats
from puppet.window.aiming import Aiming
from puppet.window.background_task import BackgroundTask
from puppet.window.box import Box
from puppet.window.command_line import CommandLine
from puppet.window.event import Event, Key, Leave, Move, Press, Release, Wheel
from puppet.window.interface import PlacedPanel
from puppet.window.layout import fits, lay_out, stacked
from puppet.window.pacing import Pacer
from puppet.window.panel import Panel
from puppet.window.panels.command_line import CommandLinePanel
from puppet.window.panels.help import HelpPanel
from puppet.window.panels.joint import JointPanel
from puppet.window.panels.message import MessagePanel
from puppet.window.panels.pins import PinsPanel
from puppet.window.panels.primitives import PrimitivesPanel
from puppet.window.panels.queue import QueuePanel
from puppet.window.panels.slide import SlidePanel
from puppet.window.panels.statistics import StatisticsPanel, TableRow
from puppet.window.panels.tabs import TabsPanel
from puppet.window.panels.timeline import TimelinePanel
from puppet.window.panels.toolbar import ToolbarPanel
from puppet.window.posing import Posing
from puppet.window.saving import free_name, save_live
from puppet.window.screen import Picture, Screen, window_box
from puppet.window.shortcuts import PERFORM_KEYS, PERFORM_MOUSE, perform_action
from puppet.window.view import CAMERAS, View


@dataclass(frozen=True, eq=False)
class PreparedLive:
    """A live performance and its model: all that can be prepared in another thread."""

    live: Live
    model: DrawnModel
    title: str

    @staticmethod
    def of(live: Live, title: str) -> PreparedLive:
        _warm_up(live)
        spare_collector()
        return PreparedLive(live, stage_model(live.body, live.scene, len(live.acting[0])), title)


class PerformScreen(Screen):
    def __init__(
        self, show: PreparedLive, scale: float, size: tuple[int, int], milliseconds: Callable[[], Mapping[str, float]]
    ) -> None:
        super().__init__(scale)
        live = self.live = show.live
        self._picture = Picture(show.model, size)
        self.view = View(self._points)
        self.aiming, self.posing = Aiming(live, self.view), Posing(live, self.view)
        self._pointer: tuple[float, float] | None = None  # over the stage
        self.pace = Pacer(live)
        self._later: list[Event] = []
        self._messages = Messages()  # the window's own
        self._saving: BackgroundTask[str] | None = None
        self._toolbar = ToolbarPanel(live, show.title, self.do, lambda: self._shown["body"])
        self._primitives, self._queue = PrimitivesPanel(live), QueuePanel(live)
        self._slide, self._joint = SlidePanel(live), JointPanel(live)
        self._tab = 0
        self._pins = PinsPanel(live, self.do, lambda: self.posing.all_ranges)
        self._tabs = TabsPanel(("Slide", "Pose"), self._choose_tab, lambda: self._tab)
        self._body_tabs = TabsPanel(("Pins", "Pose"), self._choose_tab, lambda: self._tab)
        self._timeline = TimelinePanel(live)
        self._message = MessagePanel(self._words)
        self.line = CommandLine(live)
        self._line = CommandLinePanel(self.line)
        hands = {name: live.body.limb(name).words for name in live.body.hands}
        self._help = HelpPanel(
            lambda: self.do("escape"), "What the keys do", live.keyboard, PERFORM_KEYS, PERFORM_MOUSE, hands
        )
        heading = (
            "task", "given", "begins", "ends", "posture ms", "iterations", "path ms", "paths", "misses by",
            "turned", "",
        )  # fmt: skip
        self._statistics = StatisticsPanel(milliseconds, heading, self._rows)
        posing = live.body_is_named and live.body.free_root  # who names a whole body wants to pose it
        self._shown = {"panels": True, "names": True, "help": False, "statistics": False, "body": posing}
        self._shown["forces"] = False
        self.aiming.hands = not self._shown["body"]
        self._actions: dict[str, Callable[[], object]] = {
            "pause": self._pause,
            "step": live.step_once,
            "slower": lambda: self._change_tempo(1),
            "faster": lambda: self._change_tempo(-1),
            "undo": live.undo,
            "redo": live.redo,
            "save": self._save,
            "reset": self._see_everything,
            "escape": self._escape,
            "ranges": self._toggle_ranges,
            "physics": lambda: live.give(SetPhysics(on=not live.physics)),
            "line": self._open_line,
            **{name: lambda name=name: self._toggle(name) for name in self._shown},  # type: ignore[misc]
            **{name: lambda name=name: self.view.choose(name) for name in CAMERAS},  # type: ignore[misc]
        }

    # ---- events and time

    def handle(self, event: Event) -> None:
        """Handles an event at once, or later and in order if a step runs and nothing may be changed."""
        if self.pace.busy and (self._later or not self._is_harmless(event)):
            self._later.append(event)
        else:
            self._handle(event)

    def _is_harmless(self, event: Event) -> bool:
        """Whether an event changes at most the view."""
        match event:
            case Move() | Leave():
                return not self.interface.busy and not self.posing.busy
            case Wheel(x, y):
                return not self.interface.over(x, y)
        return False

    def _handle(self, event: Event) -> None:
        if isinstance(event, Key):
            self._key(event)
            return
        if not self.posing.busy and self.interface.handle(event):
            self._point(None)
            return
        if isinstance(event, Press):
            self._point((event.x, event.y))
        if not self.aiming.asking and self.posing.handle(event):
            return
        clicked = self.view.handle(event)
        match event:
            case Press() if self.aiming.asking:
                self.aiming.cancel()
            case Move(x, y):
                over = self.interface.over(x, y) or self.view.dragging or self._shown["help"]
                self._point(None if over else (x, y))
            case Release(x, y):
                self._point((x, y))
                if clicked:
                    self.aiming.click()
            case Leave():
                self._point(None)

    def _point(self, place: tuple[float, float] | None) -> None:
        """Sets where the pointer is over the stage, and so what it points at: a part of the body or a thing."""
        self._pointer = place
        self.posing.pins = self._shown["body"]
        touched = self._shown["body"] or self.live.physics  # with physics it is pushed
        part = self.posing.point(place) if touched and not self.aiming.asking else None
        self.aiming.point(place, math.inf if part is None else part.distance)
        if self.aiming.target is not None or not touched:
            self.posing.hit = None

    def _key(self, key: Key) -> None:
        if self.line.open and not (key.control or key.name[1:].isdigit()):  # F1 and the like stay what they are
            self.line.handle(key)
            return
        action = perform_action(key)
        if action:
            if not key.again or action == "step":
                self.do(action)
        elif key.text:
            held = isinstance(self.live.keyboard.keymap.actions.get(key.text), ChangeSlide)
            if not key.again or held:
                self.live.press(key.text)

    def do(self, action: str) -> None:
        """Carries out an action by its name, for keys and buttons."""
        self._actions[action]()

    def advance(self, seconds: float) -> None:
        self._messages.advance(seconds)
        self.pace.settle()
        self._catch_up()  # between two long steps too: where one follows the other, as in a drag, it is always busy
        self.pace.advance(seconds)
        self._catch_up()
        if not self.posing.busy:
            self._point(self._pointer)  # things move while it stays
        if self._saving is not None and self._saving.done:
            saving, self._saving = self._saving, None
            self._messages.add(saving.result())

    def _catch_up(self) -> None:
        """Takes the events that came while it was busy."""
        while self._later and not self.pace.busy:
            self._handle(self._later.pop(0))

    def show_error(self, text: str) -> None:
        self._messages.add(text, problem=True)

    def _pause(self) -> None:
        self.live.paused = not self.live.paused

    def _change_tempo(self, by: int) -> None:
        place = TEMPOS.index(self.live.tempo) + by
        self.live.tempo = TEMPOS[min(max(place, 0), len(TEMPOS) - 1)]
        self._messages.add({1.0: "Full speed", 0.5: "Half speed", 0.25: "A quarter of the speed"}[self.live.tempo])

    def _toggle(self, name: str) -> None:
        self._shown[name] = not self._shown[name]
        self.aiming.cancel()
        self.posing.cancel()
        self.aiming.hands = not self._shown["body"]

    @property
    def _points(self) -> Floats:
        """What is to be seen of the stage as it is, (n, 3)."""
        live = self.live
        joints, objects = live.joint_transforms[:, :3], live.object_transforms[:, :3]
        return stage_points(live.body, live.scene, joints, objects)

    def _see_everything(self) -> None:
        self.view.look(self._points)
        self.view.reset()

    def _toggle_ranges(self) -> None:
        self.posing.all_ranges = not self.posing.all_ranges

    def _open_line(self) -> None:
        self.aiming.cancel()
        self.posing.cancel()
        self._shown["help"] = False
        self.line.start()

    def _escape(self) -> None:
        if self.posing.busy:
            self.posing.cancel()
        elif self.aiming.asking:
            self.aiming.cancel()
        elif self._shown["help"]:
            self._shown["help"] = False
        else:
            self._shown["statistics"] = False

    def _save(self) -> None:
        if self._saving is not None:
            return
        path = free_name(self.live.take.path or Path("take.puppet"))
        self._saving = BackgroundTask(save_live(self.live, path))
        self._messages.add(f"Saving {path.name}.bvh ...")

    # ---- what is seen

    @property
    def pointer(self) -> str:
        if self.view.dragging:
            return "move"
        aims = self.posing.busy or self.posing.hit is not None or self.aiming.target is not None
        return "hand" if aims and not self.aiming.asking else super().pointer

    def _words(self) -> tuple[str, bool]:
        own = self._messages.last
        if own.unread and own.text and own.age <= self.live.message_age:
            return own.text, own.problem
        return self.live.message, self.live.problem

    def _rows(self) -> Sequence[TableRow]:
        return [
            (
                s.words, str(s.given), _frame_text(s.start), _frame_text(s.end), f"{s.posture_milliseconds:.1f}",
                str(s.iterations), f"{s.detour_milliseconds:.1f}", str(s.tries), f"{s.position_error:.4f}",
                f"{s.orientation_error:.1f}°", s.status,
            )
            for s in self.live.statistics
        ]  # fmt: skip

    def _choose_tab(self, tab: int) -> None:
        self._tab = tab

    def panels(self, size: tuple[float, float]) -> Sequence[PlacedPanel]:
        window, shown = window_box(size), self._shown
        timeline = self._timeline.height(size[0]) if shown["panels"] else 0.0
        at = lay_out(size, self._toolbar.height(size[0]) if shown["panels"] else 0.0, timeline, shown["panels"])
        found: list[PlacedPanel] = []
        if shown["panels"]:
            found.append(PlacedPanel(self._toolbar, at.top))
            if at.bottom is not None:
                found.append(PlacedPanel(self._timeline, at.bottom))
            if at.left is not None:
                room = at.left.height - self._primitives.height(at.left.width) - 60.0
                self._queue.shown = max(1, min(6, int(room // 36.0)))
                found += _column(at.left, [self._primitives, self._queue])
            if at.right is not None:
                right: list[Panel] = [self._pins if shown["body"] else self._slide, self._joint]
                if not fits(at.right, [panel.height(at.right.width) for panel in right]):
                    right = [self._body_tabs if shown["body"] else self._tabs, right[self._tab]]
                found += _column(at.right, right)
        free = at.free
        if shown["statistics"]:
            box = self._statistics.place(free)
            found.append(PlacedPanel(self._statistics, box))
            free = free.below(box.bottom)
        self.view.place(size, free)
        if shown["body"]:
            found = [*self.posing.panels(self.interface.paint, window), *found]
        found += self.aiming.panels(self.interface.paint, window)
        if self.line.open:
            box = self._line.place(self.interface.paint, free)
            found.append(PlacedPanel(self._line, box))
            free = Box(free.x, free.y, free.width, max(1.0, box.y - free.y))
        if self._message.words and not (self.line.open and self.line.problem):
            found.append(PlacedPanel(self._message, self._message.place(self.interface.paint, free)))
        if shown["help"]:
            found.append(PlacedPanel(self._help, window))
        return found

    def draw(self, size: tuple[int, int]) -> bool:
        preview = self._joint.preview
        joints = self.live.joint_transforms if preview is None else preview
        places, forces = self.live.acting
        arrows = arrow_transforms(places, forces * self._shown["forces"], self.live.body.height)
        transforms = stage_transforms(joints, self.live.object_transforms, arrows)
        return self._picture.draw(transforms, self.view.camera, self._shown["names"], size)

    def show(self) -> None:
        self._picture.show()

    def close(self) -> None:
        self._picture.close()
        super().close()
        try:
            self.pace.finish()
        finally:
            self.live.close()
        if self._saving is not None:  # a requested file is written before the program ends
            self._saving.result()


def _warm_up(live: Live) -> None:
    """Loads every compiled kernel, so that the first task begins in the frame after its key, like all others."""
    stage = Stage(live.scene, live.body, draft=live.draft)
    for hand in live.body.hands:
        for name in [thing.name for thing in live.scene.objects[:3]]:
            stage.give(Reach(hand=hand, object=name))
            stage.give(Lock(hand=hand))
            stage.give(Slide(hand=hand, by=(0.0, 0.1, 0.0)))
            stage.run_until_idle(80)
            stage.give(Freeze())


def spare_collector() -> None:
    """Takes all that is loaded for granted: no frame waits while garbage is looked for among it."""
    gc.collect()
    gc.freeze()


def _column(column: Box, panels: Sequence[Panel]) -> list[PlacedPanel]:
    boxes = stacked(column, [panel.height(column.width) for panel in panels])
    return [PlacedPanel(panel, box) for panel, box in zip(panels, boxes, strict=False)]


def _frame_text(frame: int | None) -> str:
    return "" if frame is None else str(frame)
