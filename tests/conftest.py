"""What the tests share: the seated puppet, and the way to the benchmark's problems."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from puppet.body import Body

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:  # `pytest` alone does not put it there; the benchmarks are no installed package
    sys.path.insert(0, str(ROOT))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than a few seconds; leave out with -m 'not slow'")


@pytest.fixture(scope="session")
def body() -> Body:
    """The seated puppet."""
    import puppet

    return puppet.Body.load()
