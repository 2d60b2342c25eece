from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import NotFound
from nightschool.dreaming.select import read_episodes, select
from nightschool.events.experiment import TrialCompleted
from nightschool.events.session import SessionCreated
from nightschool.journal.journal import Journal

pytestmark = pytest.mark.integration


@pytest.fixture
def journal(tmp_path: Path, clock: FrozenClock) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield opened
    opened.close()


def _begin(journal: Journal, name: str, **metadata: str) -> None:
    journal.append(name, [SessionCreated(id=f"c{name}", metadata=metadata)], epoch=1)


def test_only_what_is_new_is_selected(journal: Journal) -> None:
    _begin(journal, "sesn_a")
    seen = select(journal).watermark
    _begin(journal, "sesn_b")

    assert ("sesn_b",) == select(journal, after=seen).session_ids


def test_one_tenant_is_read_and_one_source(journal: Journal) -> None:
    _begin(journal, "sesn_a", tenant="red", source="run")
    _begin(journal, "sesn_b", tenant="blue", source="run")
    _begin(journal, "sesn_c", tenant="red", source="import:x")
    chosen = select(journal)

    assert ["sesn_a", "sesn_c"] == [each.session_id for each in read_episodes(journal, chosen, tenant="red")]
    assert ["sesn_c"] == [
        each.session_id for each in read_episodes(journal, chosen, tenant="red", source="import")
    ]
    assert [] == list(read_episodes(journal, chosen))


def test_a_trials_score_is_a_label_of_its_session(journal: Journal) -> None:
    _begin(journal, "sesn_a")
    trial = TrialCompleted.model_validate(
        {
            "id": "t",
            "experiment_id": "exp_1",
            "trial_id": "trial_1",
            "arm": "single",
            "sample_id": "1",
            "epoch": 0,
            "session_id": "sesn_a",
            "brain": "reader",
            "scores": {},
            "metrics": {},
            "tiers": {"standard": True},
            "usage": {},
            "tool_calls": 0,
            "model_calls": 0,
            "duration_seconds": 0,
            "answer": {},
            "sample": {},
        }
    )
    journal.append("exp_1", [trial], epoch=1)
    (episode,) = read_episodes(journal, select(journal))

    assert [("true_check", True)] == [(label.source, label.passed) for label in episode.labels]


def test_an_unknown_session_is_named(journal: Journal) -> None:
    with pytest.raises(NotFound, match="sesn_x"):
        select(journal, session_ids=["sesn_x"])


def test_a_session_began_no_later_than_it_was_written_down(journal: Journal, clock: FrozenClock) -> None:
    end_of_days = SessionCreated(id="c", processed_at=datetime.max.replace(tzinfo=UTC))
    journal.append("sesn_a", [end_of_days], epoch=1)
    (episode,) = read_episodes(journal, select(journal))

    assert clock.now().isoformat() == episode.at
