"""The reader of single lines: every statement, and mistakes with their place."""

from __future__ import annotations

import pytest

from puppet.command import (
    At,
    Freeze,
    Lock,
    Perform,
    Reach,
    Record,
    SetFps,
    SetInterrupt,
    SetPrimitive,
    Slide,
    Source,
    Unlock,
    UseEnvironment,
    Wait,
)
from puppet.errors import FileError
from puppet.lines import read_line, read_lines

GESTURES = ("scratch head", "check watch", "drink", "pour", "turn on lamp", "wave")

LINES = {
    'environment "blocks.yaml"': UseEnvironment(path="blocks.yaml"),
    "fps 25": SetFps(fps=25.0),
    "set grip top": SetPrimitive(name="grip", value="top"),
    "set speed 30": SetPrimitive(name="speed", value=30),
    "set speed 1.5s": SetPrimitive(name="speed", value=45),
    "set curve smooth": SetPrimitive(name="curve", value="smooth"),
    "set overlap partial": SetPrimitive(name="overlap", value="partial"),
    "set interrupt on": SetInterrupt(on=True),
    "reach yellow with left": Reach(hand="left", object="yellow"),
    "reach the cup with the left hand": Reach(hand="left", object="cup"),
    'reach "big cup" with left': Reach(hand="left", object="big cup"),
    "reach space 1 with right, grip side, speed 60, curve accelerate": Reach(
        hand="right", space="1", grip="side", speed=60, curve="accelerate"
    ),
    "reach left space with right": Reach(hand="right", space="left"),
    "slide left by (0.05, 0, -0.1)": Slide(hand="left", by=(0.05, 0.0, -0.1)),
    "slide left by (0, 0.08, 0.05) turn bottom  # palm up": Slide(hand="left", by=(0.0, 0.08, 0.05), turn="bottom"),
    "slide right by (0, 0.1, 0) turn (0, 45, 0), speed 5": Slide(
        hand="right", by=(0.0, 0.1, 0.0), turn=(0.0, 45.0, 0.0), speed=5
    ),
    "scratch head with left": Perform(hand="left", gesture="scratch head"),
    "turn on lamp with left": Perform(hand="left", gesture="turn on lamp"),
    "perform wave with right, speed 20": Perform(hand="right", gesture="wave", speed=20),
    "lock left": Lock(hand="left"),
    "unlock the right hand": Unlock(hand="right"),
    "freeze": Freeze(),
    "interrupt scratch head with left": Perform(hand="left", gesture="scratch head", interrupt=True),
    "at 92": At(frame=92),
    "at 3.5s": At(frame=105),
    "wait 20": Wait(frames=20),
    "wait until done": Wait(frames=None),
    "record start": Record(on=True),
}


@pytest.mark.parametrize("line", LINES)
def test_statements(line: str) -> None:
    command = read_line(line, GESTURES)
    assert command.source.text == line.strip()
    assert type(command)(**{**vars(command), "source": Source()}) == LINES[line]


MISTAKES = {
    "reech yellow with left": (1, "did you mean 'reach'"),
    "reach yellow with lefft": (19, "did you mean 'left'"),
    "reach yellow": (13, "expected 'with', found the end of the line"),
    "set curve sinus": (11, "did you mean 'sine'"),
    "reach yellow with left, grip sid": (30, "did you mean 'side'"),
    "scratch head with left, grip side": (25, "expected a primitive"),
    "slide left by (1, 2)": (20, "expected ','"),
    "slide left by (1, b, 2)": (19, "expected a number"),
    "set speed 0": (11, "whole frames from 1"),
    "set speed 1.5": (11, "whole frames"),
    "lock left right": (11, "too much"),
    "reach yellow with left; lock left": (23, "does not belong"),
    "interrupt lock left": (20, "only a task can interrupt"),
    "perform dance with left": (9, "unknown gesture"),
}


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes_are_told_with_their_place(line: str) -> None:
    column, words = MISTAKES[line]
    with pytest.raises(FileError) as error:
        read_lines(f"# a comment\n\n{line}\n", GESTURES, "play.puppet")
    assert str(error.value).startswith(f"play.puppet:3:{column}: ")
    assert words in str(error.value)
