"""What the tests share: the seated puppet, and the way to the benchmark's problems."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from puppet.body import Body
    from puppet.window.display import Display
    from puppet.window.perform_screen import PerformScreen
    from tests.windows import Hand

settings.register_profile("same every time", derandomize=True, database=None)
settings.load_profile("same every time")
ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:  # `pytest` alone does not put it there; the benchmarks are no installed package
    sys.path.insert(0, str(ROOT))

if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # started in the background: programs that the tests start would never hear Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than a few seconds; leave out with -m 'not slow'")


@pytest.fixture(scope="session")
def body() -> Body:
    """The seated puppet."""
    import puppet

    return puppet.Body.load("seated")


@pytest.fixture
def display() -> Iterator[Display]:
    """A window without a screen."""
    from tests.windows import window

    with window() as opened:
        yield opened


@pytest.fixture
def pair(display: Display) -> Iterator[tuple[Hand, PerformScreen]]:
    """Somebody at the window in which blocks are performed with, and its screen."""
    from puppet.shows import Live
    from tests.windows import performing

    with performing(display, Live("blocks", draft=True, clock=time.perf_counter)) as found:
        yield found
