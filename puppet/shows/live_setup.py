"""What a live performance needs before its first frame: a scene, a frame rate, a take to write, loaded kernels."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from weakref import WeakSet

from puppet.body import Body
from puppet.command import Freeze, Lock, Reach
from puppet.errors import PuppetError, visible
from puppet.files import shipped
from puppet.files.shipped import find
from puppet.files.text_file import shorten
from puppet.kernels.loader import load_all
from puppet.language import format_command, read_command
from puppet.scene import Scene, load_environment
from puppet.shows.earlier_take import EarlierTake
from puppet.stage import Stage

MAX_LIVE_FPS = 1000  # more than any screen shows, and the puppet is still in time


def live_scene(environment: Scene | str | Path | None, earlier: EarlierTake | None, body: Body) -> Scene:
    """The scene of the earlier take if there is one, else the environment's."""
    if earlier is not None:
        return earlier.scene
    if environment is None:
        raise PuppetError("a performance needs an environment: a file, or one that comes with puppet, such as 'blocks'")
    return environment if isinstance(environment, Scene) else load_environment(environment, body.hands)


def live_fps(fps: float) -> float:
    """A frame rate that a live performance can keep up with."""
    if not 1.0 <= fps <= MAX_LIVE_FPS:
        raise PuppetError(f"a performance has from 1 to {MAX_LIVE_FPS} frames a second, not {fps!r}")
    return float(fps)


def take_comment(draft: bool, body: Body, usual: Body, gestures: Iterable[str | Path]) -> str:
    """A comment on the options that whoever runs the take has to repeat: the language has no words for them.

    `usual`: the body that performs in this environment unless another one is named.
    """
    told = ["as a draft"] if draft else []
    other = body is not usual and shipped_name(body) is None
    told += [f"with the body '{body.name}'"] if other else []
    told += [f"with the gestures of {shorten(visible(str(path)), 300)}" for path in gestures]
    return f"Performed {', '.join(told)}: carry it out so." if told else ""


def shipped_name(body: Body) -> str | None:
    """The name by which a script can ask for a body: that of one that comes with puppet."""
    known = {Path(name).stem for name in shipped.names("bodies")}
    return body.name if body.name in known and Body.load(body.name) is body else None


def refuse_to_overwrite(take: str | Path | None, under: str | Path | None) -> None:
    """Protects an earlier take from being overwritten because its name was used again."""
    if take is None or not os.path.isfile(take) or os.path.getsize(take) == 0:
        return
    if under is not None and os.path.samefile(take, find("scripts", Path(under))):
        return
    raise PuppetError(f"'{take}' is there already; choose another name for the take, or perform on top of it")


_warm: WeakSet[Body] = WeakSet()  # bodies that have performed in this process


def warm_up(stage: Stage) -> None:
    """Loads the compiled kernels, so that the first key is answered as fast as the others, and once what a body needs;
    restores the stage."""
    load_all()
    if stage.body in _warm:
        return
    _warm.add(stage.body)
    before, timing = stage.snapshot(), dict(stage.timing)
    scene = stage.scene
    for hand in stage.body.hands[:1]:  # what one needs, the others need
        spaces = [space.name for space in scene.spaces if space.name != hand]
        for command in (*(Reach(hand=hand, space=name) for name in spaces[:1]), Lock(hand=hand), Freeze()):
            stage.give(read_command(format_command(command), stage.gestures, scene, stage.body))
            stage.step()
    stage.restore(before)
    stage.timing.update(timing)
