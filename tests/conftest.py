"""What every test may ask for: a clock that stands still, ids that repeat, a loop that must not block."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator

import pytest
from blockbuster import BlockBuster, blockbuster_ctx
from hypothesis import settings

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource

# A property that holds holds on a busy machine too; how long it took says nothing about it.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run async tests on asyncio, the loop the product runs on."""
    return "asyncio"


@pytest.fixture
def clock() -> FrozenClock:
    """Time stands at 2026-01-01 00:00 UTC until the test advances it."""
    return FrozenClock()


@pytest.fixture
def ids(clock: FrozenClock) -> IdSource:
    """Ids that are the same in every run of the test."""
    return IdSource(clock=clock, rng=random.Random(0))


@pytest.fixture
def blocking_is_an_error() -> Iterator[BlockBuster]:
    """Make a blocking call of the product's inside async code fail the test."""
    with blockbuster_ctx("nightschool") as blocker:
        yield blocker


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of an installed browser; tests that need one are marked `browser`."""
    path = _find_browser()
    assert path is not None
    return path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip browser tests where no browser is installed, and say so."""
    if _find_browser() is not None:
        return
    skip = pytest.mark.skip(reason=f"no browser installed (looked for {', '.join(BROWSERS)})")
    for item in items:
        if "browser" in item.keywords:
            item.add_marker(skip)


def _find_browser() -> str | None:
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)
