"""The stage: takes commands, steps frames, shows its state. It alone wires interface, scheduler and postures."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from puppet.arguments import check_fields, public_class, short
from puppet.body import Body, hand_transforms, is_arm
from puppet.command import Command
from puppet.errors import PuppetError
from puppet.files.shipped import find
from puppet.geometry import Transform
from puppet.kernels.loader import ANYWHERE, AT_A_TABLE, prepare
from puppet.locomotion import legs_of
from puppet.motion import ArmRoom, DepthJudge, StagedScene, scene_boxes, with_boards
from puppet.scene import Scene, load_environment, usual_body
from puppet.schedule import Anatomy
from puppet.stage import gaze_pursuit, task_log
from puppet.stage.arm_beginnings import ArmBeginnings
from puppet.stage.body_queries import BodyQueries
from puppet.stage.depths import note_depths, note_frame
from puppet.stage.dispatch import Dispatcher
from puppet.stage.dragging import standing_pins
from puppet.stage.endings import Endings
from puppet.stage.flowing import gone_on
from puppet.stage.halting import halted
from puppet.stage.happenings import land
from puppet.stage.hearing import Hearing
from puppet.stage.holding import let_slip, ride
from puppet.stage.relations import (
    NEVER,
    Question,
    goes_round,
    happened,
    to_foresee,
    without,
)
from puppet.stage.stage_view import StageView
from puppet.stage.stances import Stances, first_scene
from puppet.stage.state import Frame, Snapshot, State, next_state
from puppet.stage.task_log import Entry, TaskLog
from puppet.stage.task_report import report_tasks
from puppet.stage.true_plan import freeze
from puppet.tasks import HandPlan, Plan, load_gestures
from puppet.types import Floats

UNDO = 100  # commands that can be taken back
FORESEEN = 3000  # frames in which the end of a task is looked for
_ENDLESS = 900  # frames in which cycles go on that nothing will end
_ROUND = 12  # frames after which nothing but cycles is to come, where nothing else is under way


@public_class
class Stage(StageView):
    """A puppet at its table, live: give commands, step frames, read the state."""

    draft: bool
    timing: dict[str, float]  # seconds

    def __init__(
        self,
        environment: Scene | str | Path,
        body: Body | None = None,
        gestures: Iterable[str | Path] = (),
        draft: bool = False,
        at_a_time: int | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """`gestures`: YAML files of further general tasks. `draft`: estimated postures, fast and not exact.
        `at_a_time`: how many tasks may overlap; as many as the body has hands, if None (Section 4.1).

        `clock` measures how long things take, for the report; without one nothing reads a clock.
        """
        self.body = body or usual_body(environment)
        prepare(*(ANYWHERE if self.body.free_root else AT_A_TABLE))
        scene = environment
        if not isinstance(scene, Scene):
            scene = load_environment(find("environments", scene), self.body.hands)
        # estimates are of arms in closed form; other limbs are posed exactly
        self.draft = draft and all(is_arm(self.body, self.body.limb(hand)) for hand in self.body.hands)
        scene = first_scene(self.body, scene)
        self._stances = Stances(self.body, "estimate" if self.draft else "puppet")
        self._hands = BodyQueries(self.body, self._stances, load_gestures(self.body, gestures), scene)
        if clock is not None and not _tells_time(clock):
            raise PuppetError(f"a clock is a function that tells seconds, not {short(clock)}")
        self._clock = clock or (lambda: 0.0)
        self._task_log = TaskLog()
        self._foreseeing = False  # what is carried out just now will be undone
        self._given: deque[Snapshot] = deque(maxlen=UNDO)  # before each of the last commands
        self.timing = {"interface": 0.0, "posture": 0.0, "ways": 0.0, "frames": 0.0}
        self._dispatcher = Dispatcher(
            ArmBeginnings(self.body, self._stances, self._task_log, self._clock, self.timing),
            Anatomy.of(self.body),
            max(1, len(self.body.hands)) + bool(legs_of(self.body)) if at_a_time is None else at_a_time,
        )
        self._hearing = Hearing(self.body, self._hands, self._task_log)
        self._endings = Endings(self.body, self._hands, self._task_log)
        angles = self._stances.home(scene)
        if scene.stance is not None and scene.stance.stands:
            room = ArmRoom(self.body, scene_boxes(scene), StagedScene.of(scene).transforms)
            angles = room.out_of_things(angles, self.body.hands)
            angles.flags.writeable = False
        tips = self._hand_transforms(angles)
        poses = {hand: Transform.of(at.position, at.rotation) for hand, at in tips.items()}
        for hand, pose in poses.items():
            scene = scene.with_space_at(hand, pose.position)
        pins = standing_pins(self.body, scene, angles)
        plan = Plan(scene, {hand: HandPlan(pose) for hand, pose in poses.items()}, {}, pins=frozenset(pins))
        staged = StagedScene.of(scene)
        self._depth_judge = DepthJudge.of(self.body, with_boards(scene), angles, staged.transforms)
        self._state = State(0, angles, angles, plan, staged, pins=pins, exact=not self.draft)

    # ---- changes from outside

    def set_fps(self, fps: float) -> None:
        """How many frames a second has, for all that is told from now on."""
        self._state = replace(self._state, plan=replace(self._state.plan, fps=fps))

    def close(self) -> None:
        """No more commands will come: what waits for one of them will not be done."""
        self._state = replace(self._state, complete=True, needs_scheduling=True)

    def give_up_waiting(self) -> None:
        """What waits though nothing moves any more will not be done."""
        for entry in self._task_log.entries:
            if entry.status in task_log.OPEN:
                reason = f"it {entry.waited or 'waits'}, which does not happen"
                self._task_log.change(entry.number, status=task_log.REJECTED, reason=reason)

    def snapshot(self) -> Snapshot:
        """The whole state; it stays good until one before it is restored."""
        return Snapshot(self._state, self._task_log.mark())

    def restore(self, snapshot: Snapshot) -> None:
        self._task_log.rewind(snapshot.mark)
        self._state = snapshot.state
        while self._given and self._given[-1].mark >= snapshot.mark:
            self._given.pop()

    def undo(self) -> None:
        """Takes the last command back, and the frames since."""
        if not self._given:
            raise PuppetError("there is no command to take back")
        self.restore(self._given[-1])

    # ---- commands

    def give(self, command: Command | str) -> Entry:
        """Hears a command; the next step acts on it. What cannot be done comes back rejected, with a reason."""
        if isinstance(command, str):
            from puppet.language import read_command

            command = read_command(command, self.gestures, body=self.body)
        check_fields(command)
        clock, before = self._clock(), self.snapshot()
        try:
            self._note_depths()
            self._state, entry = self._hearing.hear(self._state, command)
        except BaseException:  # nothing has happened: there is nothing to take back
            self.restore(before)
            raise
        self._given.append(before)
        self.timing["interface"] += self._clock() - clock
        return entry

    # ---- frames

    def step(self) -> Frame:
        """One frame. Whatever cannot be carried out is told in the task log; nothing is raised."""
        before = self.snapshot()
        try:
            return self._step()
        except Exception as error:  # what is under way is given up
            reason = f"{task_log.MISTAKE}: {type(error).__name__}: {error}"
        self.restore(before)
        try:
            self._give_up(reason)
            return self._step()
        except Exception:  # the body cannot even come to a stand: it stays as it was last seen
            self.restore(before)
            self._state = replace(self._state, running=tuple(replace(r, halts=None) for r in self._state.running))
            self._drop(self._state, f"{reason}; it stops just as it is")
            self._state = replace(self._state, frame=self._state.frame + 1)
            return self._frame()

    def _step(self) -> Frame:
        for _ in range(2):  # what begins may be what another one waits for
            while not self._foreseeing and (asked := to_foresee(self._state, self._task_log)):
                self._foresee(asked)
            if self._state.needs_scheduling or (self._state.held and self._dispatcher.due(self._state)):
                self._begin()
        before = self._clock()
        state = self._state
        frame = state.frame + 1
        angles = state.angles
        if state.trajectories:
            angles = angles.copy()
            for trajectory in state.trajectories:
                angles[trajectory.dofs] = trajectory.at(frame)
            angles.flags.writeable = False
        staged = state.staged
        if state.carrying:
            staged = self._carry(state, frame, angles)
        angles, follows = self._follow_gaze(state, staged, angles)
        angles.flags.writeable = False
        if state.trajectories:
            staged = ride(self.body, state, staged, angles)
        self._state = next_state(
            state, frame=frame, angles=angles, before=state.angles, staged=staged, pursued=follows,
            trajectories=tuple(t for t in state.trajectories if t.end > frame) if state.trajectories else (),
        )  # fmt: skip
        if state.trajectories and not self.draft:
            self._state = note_frame(self._depth_judge, self.body, self._task_log, self._state)
            self._state = let_slip(self.body, self._hands, self._task_log, self._state, state.staged)
        for running in state.running:
            if running.landings:
                entry = self._task_log[running.motion.task]
                self._state = land(self.body, self._state, running.landings, entry.line, entry.file)
        self._state = gone_on(self._state)
        if any(running.end == frame for running in self._state.running):
            self._note_depths()
            self._state = self._endings.finish(self._state)
            if self._state.awaited:
                self._state = self._endings.judge_cycles(self._state)
        elif staged is not state.staged:  # what is held may go on a little with a hand that has arrived
            self._state = self._endings.at_rest(self._state)
        self._count_rounds()
        self.timing["frames"] += self._clock() - before
        return self._frame()

    def _note_depths(self) -> None:
        """Brings up to date how deep anything has been in anything."""
        self._state = note_depths(self._depth_judge, self.body, self._task_log, self._state)

    def _count_rounds(self) -> None:
        """Cycles that nothing ends any more end by themselves after a while."""
        state = self._state
        if goes_round(state, self._task_log):
            rounds = state.rounds + 1
        else:
            rounds = state.rounds if state.needs_scheduling else 0  # between two movements
        if rounds > _ENDLESS:
            self._state = self._endings.end_cycles(state)
        elif rounds != state.rounds:
            self._state = replace(state, rounds=rounds)

    def _foresee(self, asked: Question) -> None:
        """Notes when a task will start or end: all is carried out until then, without one motion, then undone."""
        kept, given = self.snapshot(), self._given.copy()
        self._foreseeing = True
        try:
            self._state = without(self._state, asked.without)
            last, round_ = self._state.frame + FORESEEN, 0
            while (at := happened(asked, self._state, self._task_log)) is None and self._state.frame < last:
                round_ = round_ + 1 if goes_round(self._state, self._task_log) else 0
                if self.idle or round_ > _ROUND:
                    break
                self.step()
        finally:
            self._foreseeing = False
            self.restore(kept)
            self._given = given
        known, relation = replace(asked.known, at=None if at == NEVER else at), asked.relation
        self._state = replace(self._state, foreseen={**self._state.foreseen, (relation.key, relation.edge): known})

    def _follow_gaze(self, state: State, staged: StagedScene, angles: Floats) -> tuple[Floats, Floats | None]:
        """The head turned on after what is looked at, where that moves."""
        spot = state.looking
        if spot is None or self.body.gaze is None or not gaze_pursuit.is_free(self.body, state):
            return angles, None
        if state.pursued is None and not gaze_pursuit.moves(state, spot):
            return angles, None
        place = gaze_pursuit.spot_on_stage(self.body, replace(state, staged=staged, angles=angles), spot)
        if place is None:
            return angles, None
        return gaze_pursuit.pursued(self.body, self._stances.at(staged.scene), state, angles, place)

    def _begin(self) -> None:
        """Begins what can begin; where no posture or path can be found for it at all, what waits is given up."""
        self._note_depths()
        mark = self._task_log.mark()
        try:
            state, refused = self._dispatcher.refuse(self._state)
            while refused:
                state, refused = self._dispatcher.refuse(self._endings.refused(state, refused))
            self._state = self._dispatcher.begin(state)
            self._state = self._endings.at_rest(self._state)
            if self._state.awaited:
                self._state = self._endings.judge_cycles(self._state)
        except PuppetError as error:
            self._task_log.rewind(mark)
            self._give_up(str(error))

    def _give_up(self, reason: str) -> None:
        """Drops everything that runs or waits, as it cannot be carried out; a body that goes somewhere comes to a
        stand."""
        self._drop(halted(self.body, self._state), reason)

    def _drop(self, state: State, reason: str) -> None:
        state = note_depths(self._depth_judge, self.body, self._task_log, state)
        given_up = [entry.number for entry in self._task_log.entries if entry.status in task_log.OPEN]
        state = freeze(self.body, self._task_log, state, at_once=True)
        self._state = replace(state, before=state.angles, pursued=None)
        for number in given_up:
            self._task_log.change(number, status=task_log.MISSED, reason=reason)

    def _carry(self, state: State, frame: int, angles: Floats) -> StagedScene:
        hands = hand_transforms(self.body, angles)
        found: dict[str, Transform] = {}
        for carrying in state.carrying:
            found.update(carrying.transforms(hands[carrying.hand], frame))
        return state.staged.with_transforms(found)

    def run_until_idle(self, most: int = 10_000_000) -> None:
        """Steps until nothing moves and nothing waits, but for what goes on until a task that was not told yet."""
        while not self.settled and most > 0:
            self.step()
            most -= 1

    # ---- the report

    def report_tasks(self) -> list[dict[str, Any]]:
        """Every task as the report has it, with the joints that it had from frame to frame."""
        self._note_depths()
        return report_tasks(self._task_log.entries, self.body.joint_names)


def _tells_time(clock: Callable[[], Any]) -> bool:
    try:
        return isinstance(clock(), (int, float))
    except TypeError:  # it is not called so
        return False
