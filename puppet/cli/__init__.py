"""The command line: `puppet COMMAND ...`."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

from puppet.cli import status
from puppet.cli.context import Context
from puppet.cli.mistakes import error_lines
from puppet.cli.parser import parse_arguments
from puppet.cli.terminal import Terminal, prepare_streams
from puppet.errors import PuppetError, visible


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit status."""
    prepare_streams()
    if threading.current_thread() is not threading.main_thread():  # only the main thread can handle signals
        return _main(argv)
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        return _main(argv)
    finally:
        signal.signal(signal.SIGTERM, before)


def _main(argv: Sequence[str] | None) -> int:
    err = Terminal(sys.stderr, remarks=True)
    try:
        found = parse_arguments(sys.argv[1:] if argv is None else argv, err)
        code = found if isinstance(found, int) else found.execute(Context(Terminal(sys.stdout), err))
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where a closed pipe is handled
        return code
    except status.UsageError as error:
        err.say(f"{err.paint('puppet:', 'bold')} {visible(str(error))}")
        return status.USAGE
    except PuppetError as error:
        for line in error_lines(error, err):
            err.say(line)
        return status.MISTAKES
    except (MemoryError, RecursionError) as error:
        err.say(f"puppet: this asks for more than the machine has ({type(error).__name__})")
        return status.MISTAKES
    except BrokenPipeError:
        _drop_output()
        return status.BROKEN_PIPE
    except KeyboardInterrupt as stop:
        err.say(f"puppet: stopped; {stop.args[0] if stop.args else 'no file was written'}")
        return status.TERMINATED if isinstance(stop.__cause__ or stop, status.Stopped) else status.INTERRUPTED
    except OSError as error:  # of the world outside, not of puppet: a folder that is gone, a name that is too long
        what = f"'{error.filename}': " if error.filename is not None else ""
        err.say(f"puppet: {visible(f'{what}{error.strerror or error}')}")
        return status.MISTAKES
    except Exception as error:
        if os.environ.get("PUPPET_TRACEBACK"):
            raise
        err.say(f"puppet: a mistake in puppet itself: {type(error).__name__}: {visible(str(error))}")
        err.say("set PUPPET_TRACEBACK=1 to see where, and please report it")
        return status.OUR_MISTAKE


def _stop(number: int, frame: FrameType | None) -> None:
    raise status.Stopped


def _drop_output() -> None:
    """Redirects output to nowhere: Python flushes it once more at exit, which would fail."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
