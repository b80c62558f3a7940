"""What waits was planned for the success of what goes before it: where that fails, it is understood anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from puppet.body import Body
from puppet.command import Command, Lock, ReleaseHand, Unlock
from puppet.stage import task_log
from puppet.stage.body_queries import BodyQueries
from puppet.stage.happenings import take_hold
from puppet.stage.hearing import own_contacts, with_moments
from puppet.stage.state import EMPTY, Contact, State
from puppet.stage.task_log import TaskLog
from puppet.stage.true_plan import plan_after_failure
from puppet.tasks import MET, Miss, Motion, interpret


def understand_anew(
    body: Body, queries: BodyQueries, log: TaskLog, state: State, why: str | Callable[[Command], str],
    failed: int | None = None, miss: Miss = MET,
) -> State:  # fmt: skip
    """Interprets everything that waits in the scene as it is; what cannot be done now is rejected with a reason.

    why: the cause, for that reason; each command may have its own. failed: the task that missed, by `miss`, if any.
    """
    busy = {r.motion.task: r.motion for r in state.running}
    waiting = [told for told in state.told if told.number not in busy and log[told.number].status in task_log.OPEN]
    if not waiting:
        return state
    primitives, interrupting = state.plan.primitives, state.plan.interrupting
    plan, queue = plan_after_failure(body, log, state, failed, miss), EMPTY
    held: tuple[Motion, ...] = ()
    contacts = [contact for contact in state.contacts if contact.number == contact.task and contact.task in busy]
    last = next(reversed(busy.values()), None)
    for told in waiting:
        plan = replace(plan, primitives=told.primitives)
        command = told.command
        hand = getattr(command, "hand", "")
        follows = last is not None and last.hand != hand
        before = plan.hands[hand].task if hand in plan.hands else None
        meant = Unlock(hand=hand) if isinstance(command, ReleaseHand) else command
        outcome = interpret(plan, meant, told.number, queries.at(plan.scene), follows)
        if outcome.rejected:
            cause = why if isinstance(why, str) else why(command)
            log.change(told.number, status=task_log.REJECTED, reason=f"{outcome.reason}, {cause}")
            continue
        locks = isinstance(command, Lock)
        thing = (outcome.plan if locks else plan).grasped(hand) if hand in plan.hands else None
        plan = outcome.plan
        if not isinstance(command, ReleaseHand):
            log.change(told.number, interpretation=outcome.interpretation)
        if outcome.motion is not None:
            last = with_moments(outcome.motion, command)
            aside = last.when is not None or last.until is not None
            queue, held = (queue, (*held, last)) if aside else (queue.push(last), held)
            contacts += own_contacts(told.number, outcome)
            log.change(told.number, reason=outcome.reason, hand=outcome.hand or hand, chosen=outcome.chosen)
        elif before is not None and log[before].status in task_log.OPEN:
            contacts.append(Contact(told.number, before, hand, locks, thing))
        else:
            log.change(told.number, status=task_log.DONE, start=state.frame, end=state.frame)
            state = take_hold(body, state, hand, thing if locks else None, command.source.line, command.source.file)
    plan = replace(plan, primitives=primitives, interrupting=interrupting)
    return replace(state, plan=plan, queue=queue, held=held, contacts=tuple(contacts), needs_scheduling=True)
