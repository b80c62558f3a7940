"""What each hand may hold after the commands of a script, told one after the other: every possibility is kept."""

from __future__ import annotations

from collections.abc import Iterable

from puppet.command import (
    BOTH,
    EITHER,
    Command,
    Freeze,
    GiveThing,
    Lock,
    Movement,
    PutThing,
    Reach,
    ReleaseHand,
    SetInterrupt,
    TakeThing,
    Task,
    Unlock,
)

NOTHING, NO_THING, UNKNOWN = "", "#", "?"  # NO_THING: it is locked, but to no thing; no thing can be called so


class ForeseenHands:
    """The hands of a body: for each, what it may hold (things, or NOTHING, NO_THING, UNKNOWN), and where it may be."""

    def __init__(self, hands: Iterable[str]) -> None:
        self.names = tuple(hands)
        self._holding = {hand: {NOTHING} for hand in self.names}
        self._at = {hand: {NOTHING} for hand in self.names}
        self._ever = {hand: {NOTHING} for hand in self.names}  # what it may have held, or been at, at any time
        self._interrupting = False  # every task may drop others

    def told(self, hand: str) -> tuple[str, ...]:
        """The hands that a word for a hand stands for."""
        if hand == EITHER:
            return self.names
        return self.names[:2] if hand == BOTH else (hand,)

    def contents(self, hand: str) -> list[str]:
        """What a hand may hold, or be locked to, in order."""
        return sorted(self._holding.get(hand, {UNKNOWN}))

    def may_hold(self, thing: str) -> bool:
        return any({thing, UNKNOWN} & held for held in self._holding.values())

    def drop(self, command: Command) -> None:
        """Before a command that drops everything: what was told may have been done, or not."""
        if isinstance(command, SetInterrupt):
            self._interrupting |= command.on
        if isinstance(command, Freeze) or (isinstance(command, Movement) and (command.interrupt or self._interrupting)):
            for hand in self.names:
                self._holding[hand] |= self._ever[hand]
                self._at[hand] |= self._ever[hand]

    def forget(self) -> None:
        """After what cannot be read: any hand may hold anything."""
        for known in (self._holding, self._at, self._ever):
            for hand in self.names:
                known[hand] = known[hand] | {UNKNOWN, NOTHING}

    def hear(self, command: Command) -> None:
        if isinstance(command, PutThing):
            self._let_go(command.object)
        elif isinstance(command, (Lock, Unlock, ReleaseHand, Task)):
            for hand in self.told(command.hand):
                if hand in self._holding:
                    self._hear_with(command, hand)
        for hand in self.names:
            self._ever[hand] |= self._holding[hand] | self._at[hand]

    def _hear_with(self, command: Lock | Unlock | ReleaseHand | Task, hand: str) -> None:
        held = self._holding[hand]
        if isinstance(command, (Unlock, ReleaseHand)):
            self._holding[hand] = {NOTHING}
        elif isinstance(command, Lock):
            at = {thing or NO_THING for thing in self._at[hand]}
            self._holding[hand] = {thing for thing in held if thing} | (at if NOTHING in held else set())
        elif isinstance(command, TakeThing):
            taken = {command.object or UNKNOWN}
            kept = held if command.hand == EITHER else held - {NOTHING, NO_THING}
            self._holding[hand] = kept | taken
            self._at[hand] = taken if command.hand != EITHER else self._at[hand] | taken
        elif isinstance(command, GiveThing):
            self._let_go(command.object)
            self._holding[hand] = self._at[hand] = {command.object}
        else:
            at = {NOTHING}
            if isinstance(command, Reach):
                at = {command.object or (UNKNOWN if command.nearest else NOTHING)}
            self._at[hand] = at if held == {NOTHING} and command.hand != EITHER else self._at[hand] | at

    def _let_go(self, thing: str) -> None:
        for hand, held in self._holding.items():
            self._holding[hand] = {NOTHING if other == thing else other for other in held}
            if UNKNOWN in held:
                self._holding[hand].add(NOTHING)
