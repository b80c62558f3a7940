"""The exit status of the command line."""

from __future__ import annotations

from puppet.errors import PuppetError

ALL_DONE = 0
MISTAKES = 1  # the input has mistakes, or a file cannot be read or written
USAGE = 2
INCOMPLETE = 3  # carried out, but some tasks were rejected or missed
OUR_MISTAKE = 70  # as sysexits.h has it
INTERRUPTED = 130  # Ctrl-C: 128 + the signal's number, as shells count
TERMINATED = 143
BROKEN_PIPE = 141  # the reader of our output went away

EXIT_STATUS_HELP = (
    "exit status: 0 all done, 1 the input has mistakes or a file cannot be read or written, 2 wrong usage,\n"
    "3 carried out, but some tasks were rejected or missed, 130 stopped with Ctrl-C"
)


class UsageError(PuppetError):
    """A wrong command line."""


class Stopped(KeyboardInterrupt):
    """SIGTERM was received: everything is cleaned up as after Ctrl-C."""
