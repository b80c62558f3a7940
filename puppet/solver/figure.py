"""A figure that is posed by pinning some of its parts and dragging others.

After Yamane and Nakamura (2003): any part is dragged, any number of parts are pinned, and all joints stay inside their
ranges and near a reference posture. What is dragged comes first, then what is pinned, then the reference posture. The
handles of PHYSIK (centre of mass, rotational inertia, angular momentum) and functions of one's own are tasks like
these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike

from puppet.arguments import public_class, short
from puppet.body import Body, joint_rotations
from puppet.errors import PuppetError, did_you_mean
from puppet.kernels.figure_model import (
    GIVING,
    ORIENTATION,
    POSITION,
    SOFT,
    STUCK,
    TARGET,
    TARGET_TURN,
    TASK_COLUMNS,
)
from puppet.kernels.loader import kernels
from puppet.solver.arguments import checked_gain, checked_point, checked_posture, checked_rotation, checked_still
from puppet.solver.features import AngularMomentum, CentreOfMass, Feature, Function, Inertia
from puppet.solver.placed_body import PlacedBody
from puppet.solver.task import LARGEST_ERROR, FigureTask, Residual, feature_task, task_row
from puppet.types import Floats

SUBSTEPS = 4  # of a frame, at most;
SMALL_RESIDUAL = 5e-6  # two do where they leave no more, in body heights and radians
TURN_A_FRAME = 0.18  # radians: no joint turns faster
SETTLING_EASE = 1000.0  # how much more easily a free root moves when settling,
AT_ODDS = 1e-3  # unless a task misses by so much, because tasks contradict each other
REFERENCE_GAIN = 0.05  # which part of the way to the reference posture a step goes
_LARGEST_TURN = 0.2  # of a step that is not a frame's
_SETTLED = 1e-9
_AT_ORIGIN = (0.0, 0.0, 0.0)  # of a part
_ORIGIN = np.zeros(3)
_NO_PLACES = np.empty((0, 3))
_MOST_STEPS = 1_000_000  # of one call
MAX_SETTLING = 4000


@public_class
class Figure(PlacedBody):
    """A body in a posture, with pins, holds and a reference posture."""

    def __init__(self, body: Body, angles: ArrayLike | None = None) -> None:
        """In its rest posture with the soles on the floor y = 0, or in the posture of the angles (dofs,) given."""
        super().__init__(body, angles)
        self._served = self._mobility
        self._state = (*self._model, self._free, self._angles, self._local, self._world, self._axes, self._last_sums)
        self._held: dict[str, FigureTask] = {}
        self._no_functions = np.zeros((body.dofs, 0)), np.zeros(0), np.zeros(0)
        self._tasks: Floats | None = None  # the kernels' table, as long as the same things are asked for
        self._drag: FigureTask | None = None
        self._dragged, self._dragged_point = "", (-1, 0.0, 0.0, 0.0)
        self.reference()

    # ---- what there is

    @property
    def pins(self) -> tuple[str, ...]:
        return tuple(name for name in self._held if name in self._parts)

    @property
    def residuals(self) -> Mapping[str, Residual]:
        """By the name of pin, drag or hold: the distance and the angle that are left."""
        self._measure()
        found = {name: held.left for name, held in self._held.items()}
        if self._drag is not None:
            found[self._dragged] = self._drag.left
        return found

    # ---- what is asked for

    def pin(
        self, part: str, point: ArrayLike = (0.0, 0.0, 0.0), orientation: bool = True, gain: float = 1.0,
        to: ArrayLike | None = None, turn: ArrayLike | None = None,
    ) -> None:  # fmt: skip
        """Keeps a part where it is now, or brings it `to` a place: a point of it, in its own coordinates, and its
        orientation.

        gain: from 0, not at all, to 1, as firmly as what is dragged lets it.
        """
        j = self._part(part)
        if part in self._held:
            raise PuppetError(f"'{part}' is pinned already; unpin it first, or change its gain with set_gain")
        at = checked_point(point, "the point of a pin")
        target = self._world[j, :3] + self._rotation(j) @ at if to is None else checked_point(to, "the place of a pin")
        rows = [task_row(POSITION, j, at, target, priority=2)]
        if orientation:
            facing = self._rotation(j) if turn is None else checked_rotation(turn, "the turn of a pin")
            rows.append(task_row(ORIENTATION, j, turn=facing, priority=2))
        self._held[part] = FigureTask(rows, checked_gain(gain))
        self._tasks = None

    def unpin(self, part: str) -> None:
        self._part(part)
        if part not in self._held:
            pinned = ", ".join(name for name in self._held if name in self._parts) or "nothing"
            raise PuppetError(f"'{part}' is not pinned; pinned: {pinned}")
        del self._held[part]
        self._tasks = None

    def set_gain(self, name: str, gain: float) -> None:
        """Changes how firmly a pin or a hold is kept, from 0 to 1."""
        if name not in self._held:
            raise PuppetError(f"nothing is held as '{name}'; {did_you_mean(name, self._held)}")
        self._held[name].gain = checked_gain(gain)
        self._tasks = None

    def hold(self, name: str, feature: Feature, priority: int = 1, gain: float = 1.0) -> None:
        """Keeps a feature at its target under a name of its own; priority 1 is that of what is dragged, 2 that of
        pins."""
        if name in self._held or name in self._parts:
            raise PuppetError(f"'{name}' is taken: it is the name of a part, or of something that is held already")
        if not isinstance(priority, int) or isinstance(priority, bool) or priority < 1:
            raise PuppetError(f"a priority is a whole number from 1 on, not {short(priority)}")
        if isinstance(feature, Function):
            feature.value(self.inputs(feature.of))  # it says now what it would say later
        elif isinstance(feature, (CentreOfMass, AngularMomentum, Inertia)):
            self._weighed()
        self._held[name] = feature_task(feature, self.body.height, SUBSTEPS, checked_gain(gain), priority)
        self._tasks = None

    def release(self, name: str) -> None:
        if name not in self._held:
            raise PuppetError(f"nothing is held as '{name}'; {did_you_mean(name, self._held)}")
        del self._held[name]
        self._tasks = None

    def reference(self, angles: ArrayLike | None = None, gain: float = REFERENCE_GAIN) -> None:
        """The posture that joints are drawn to where nothing else is asked of them: the present one if None.

        gain: which part of the way a step goes, from 0, not at all, to 1. A free root is left free.
        """
        self._gains = np.full(self.body.dofs, checked_gain(gain))
        self._gains[self.body.dofs_of([0]) if self.body.free_root else []] = 0.0
        if angles is None:
            self._reference_angles, self._reference_local = self._angles.copy(), self._local.copy()
        else:
            self._reference_angles = checked_posture(self.body, angles)
            self._reference_local = joint_rotations(self.body, self._reference_angles)

    def only(self, local_root: str | None = None, dragged: str | None = None) -> None:
        """Lets only some joints serve: those on the dragged part's side of the local root (PHYSIK 1.3.3).

        The local root serves itself if the dragged part hangs on it and nothing else does: the shoulder of an arm, but
        not the pelvis, which would take both legs along. Without arguments all joints serve again."""
        self._serve(np.ones(self.body.dofs))
        if local_root is None and dragged is None:
            return
        if local_root is None or dragged is None:
            raise PuppetError("limited changes need a local root and a dragged part; without both, all joints serve")
        root, part = self._part(local_root), self._part(dragged)
        if root == part:
            raise PuppetError(f"'{local_root}' cannot be both the local root and what is dragged")
        below = self.body.model.below.astype(bool)
        if below[root, part]:
            branches = [j for j, joint in enumerate(self.body.joints) if joint.parent == root]
            serving = below[next(j for j in branches if below[j, part])].copy()
            serving[root] = len(branches) == 1
        else:
            serving = ~below[root]
        served = np.zeros(self.body.dofs)
        served[self.body.dofs_of(int(j) for j in np.flatnonzero(serving))] = 1.0
        served[self.body.translation_dofs] = 0.0
        self._serve(served)

    def serve(self, joints: Iterable[int]) -> None:
        """Lets only these joints serve; the root's place is theirs if the root is among them."""
        served = np.zeros(self.body.dofs)
        served[self.body.dofs_of(joints)] = 1.0
        self._serve(served)

    def aim(self, part: str, position: ArrayLike, rotation: ArrayLike | None, point: ArrayLike) -> None:
        """Asks for a point of a part at a place, and for its rotation in the world, (3, 3), before everything else."""
        j = self._part(part)
        place, at = checked_point(position, "a goal"), checked_point(point, "a point of a part")
        rows = [task_row(POSITION, j, at, place, priority=1)]
        if rotation is not None:
            rows.append(task_row(ORIENTATION, j, turn=checked_rotation(rotation, "a goal's rotation"), priority=1))
        self._held[f"aim {part}"] = FigureTask(rows, 1.0, priority=1)
        self._tasks = None

    def work(self, steps: int, still: float = _SETTLED) -> int:
        """Takes up to so many steps towards all that is asked for, without regard to frames; returns how many."""
        if not isinstance(steps, int) or isinstance(steps, bool) or not 0 <= steps <= _MOST_STEPS:
            raise PuppetError(f"steps are a whole number from 0 to {_MOST_STEPS}, not {short(steps)}")
        return self._advance(steps, _LARGEST_TURN, checked_still(still))[0]

    # ---- motion

    def drag(
        self, part: str, to: ArrayLike | None = None, steps: int = 30, point: ArrayLike = _AT_ORIGIN,
        by: ArrayLike | None = None,
    ) -> Floats:  # fmt: skip
        """Drags a part, or a point of it, to a place or by a vector in `steps` frames; (steps, dofs), the last is
        kept."""
        j = self._part(part)
        if not isinstance(steps, int) or isinstance(steps, bool) or not 1 <= steps <= _MOST_STEPS:
            raise PuppetError(f"a drag takes a whole number of steps from 1 to {_MOST_STEPS}, not {short(steps)}")
        if (to is None) == (by is None):
            raise PuppetError("a drag goes to a place, or by a vector: one of the two")
        at = _ORIGIN if point is _AT_ORIGIN else checked_point(point, "the point of a drag")
        if by is None:
            goal = checked_point(to, "the place of a drag")
            if steps == 1:
                return self._follow(part, j, goal[None], at)
        start = self._world[j, :3] + self._rotation(j) @ at
        if by is not None:
            goal = start + checked_point(by, "the vector of a drag")
        return self._follow(part, j, start + np.arange(1, steps + 1)[:, None] / steps * (goal - start), at)

    def follow(self, part: str, path: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
        """Drags a part, or a point of it, along a path (frames, 3), one place a frame; (frames, dofs)."""
        j, at = self._part(part), checked_point(point, "the point of a drag")
        try:
            places = np.array(path, dtype=np.float64, order="C")
        except (TypeError, ValueError, OverflowError):
            raise PuppetError(f"a path is an array of places, (frames, 3), not {short(path)}") from None
        if places.ndim != 2 or places.shape[1] != 3 or not np.all(np.isfinite(places)):
            raise PuppetError(f"a path is an array of places, (frames, 3), not one of the shape {places.shape}")
        return self._follow(part, j, places, at)

    def _follow(self, part: str, j: int, places: Floats, at: Floats) -> Floats:
        self._dragged = part if part not in self._held else f"{part} dragged"
        frames = np.empty((len(places), self._angles.size))
        asked = (j, *at.tolist())
        if self._drag is None or self._dragged_point != asked:
            self._drag, self._tasks = FigureTask([task_row(POSITION, j, at, priority=1)], 1.0, priority=1), None
            self._dragged_point = asked
        if not len(places):
            return frames
        table = self._table()
        if not self._functions_held:
            self._advance_once(table, SUBSTEPS, TURN_A_FRAME / SUBSTEPS, _SETTLED, *self._no_functions, places, frames)
            return frames
        for n, place in enumerate(places):
            table[0, TARGET:TARGET_TURN] = place
            self.step()
            frames[n] = self._angles
        return frames

    def put(self, angles: ArrayLike) -> None:
        """Into another posture (dofs,); all that is asked for stays."""
        self._take(checked_posture(self.body, angles))

    def let_go(self) -> None:
        """What was dragged is free again."""
        self._drag = self._tasks = None

    def step(self) -> None:
        """One frame towards all that is asked for."""
        self._advance(SUBSTEPS, TURN_A_FRAME / SUBSTEPS)

    def settle(self) -> int:
        """Goes on until nothing changes any more; returns how many steps that took."""
        taken, served = 0, self._served
        easy = served.copy()
        if self.body.free_root:  # it has no reference: this changes the way, but not its end
            easy[self.body.dofs_of([0])] *= SETTLING_EASE
        try:
            while taken < MAX_SETTLING:
                apart = max(self.residuals.values(), default=0.0)
                self._served = easy if apart < AT_ODDS else served
                done, most = self._advance(SUBSTEPS, TURN_A_FRAME / SUBSTEPS)
                taken += done
                if most <= _SETTLED:
                    break
        finally:
            self._served = served
        return taken

    # ---- inside

    def _serve(self, serving: Floats) -> None:
        """serving (dofs,): 1 for what may move, else 0."""
        self._served = self._mobility * serving

    def _everything(self) -> Iterator[FigureTask]:
        if self._drag is not None:
            yield self._drag
        yield from (held for held in self._held.values() if held.gain > 0.0)

    def _table(self) -> Floats:
        """The kernels' table of all tasks that are no functions, with what their gains say; the drag comes first."""
        if self._tasks is not None:
            return self._tasks
        rows = []
        for held in self._everything():
            soft, giving = held.firmness
            for row in held.rows:
                row[SOFT], row[GIVING] = soft, giving
                rows.append(row)
        self._tasks = np.array(rows) if rows else np.zeros((0, TASK_COLUMNS))
        if self._drag is not None:
            self._drag.rows[0] = self._tasks[0]  # its target is where it was dragged to last
        self._lengths = np.empty(len(rows))
        self._functions_held = any(held.function is not None for held in self._everything())
        return self._tasks

    def _functions(self) -> tuple[Floats, Floats, Floats]:
        """Function tasks by the chain rule: d value / d positions, times the Jacobian of the positions; transposed."""
        jacobians: list[Floats] = []
        errors: list[float] = []
        soft: list[float] = []
        for held in self._everything():
            task = held.function
            if task is None:
                continue
            inputs = self.inputs(task.of)
            error = task.target - task.value(inputs)
            length = float(np.linalg.norm(error))
            held.left = Residual(length)
            jacobians.append(task.jacobian(inputs) @ self.input_jacobian(task.of))
            errors += list(error * min(1.0, LARGEST_ERROR / max(length, 1e-300)))
            first, giving = held.firmness
            share = min(length / LARGEST_ERROR, 1.0)
            giving *= share + STUCK * share**4 if held.priority == 1 else share * share
            soft += [first + giving] * task.target.size
        size = self.body.dofs
        rows = np.concatenate(jacobians).T if jacobians else np.zeros((size, 0))
        return np.ascontiguousarray(rows), np.array(errors), np.array(soft)

    def _advance(self, steps: int, largest: float, still: float = _SETTLED) -> tuple[int, float]:
        table = self._table()
        if self._functions_held:
            most = 0.0
            for _ in range(steps):  # a function is asked anew at each step
                most = self._advance_once(table, 1, largest, still, *self._functions())[1]
            return steps, most
        return self._advance_once(table, steps, largest, still, *self._no_functions)

    def _advance_once(
        self, table: Floats, steps: int, largest: float, still: float, given: Floats, errors: Floats, soft: Floats,
        places: Floats = _NO_PLACES, frames: Floats = _NO_PLACES,
    ) -> tuple[int, float]:  # fmt: skip
        self._sums_are_old = True
        compiled = kernels()
        found: tuple[int, float] = compiled.figure_advance(
            compiled.stepper, *self._state, table, self._lengths, given, errors, soft, self._reference_angles,
            self._reference_local, self._gains, self._served, largest, steps, still, SMALL_RESIDUAL, places, frames,
        )  # fmt: skip
        return found

    def _measure(self) -> None:
        """Brings what is left of each task up to date."""
        everything = [*([self._drag] if self._drag is not None else []), *self._held.values()]
        for held in everything:
            if held.function is not None:
                value = held.function.value(self.inputs(held.function.of))
                held.left = Residual(float(np.linalg.norm(held.function.target - value)))
                continue
            table = np.array(held.rows)
            lengths = np.empty(len(table))
            kernels().figure_lengths(self._world, self._sums, table, lengths)
            held.left = Residual(float(lengths[0]), float(lengths[1]) if len(lengths) > 1 else 0.0)
