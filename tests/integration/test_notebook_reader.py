"""A log as a notebook opens it."""

from __future__ import annotations

from pathlib import Path

import pytest

import nightschool
from nightschool.bootstrap import open_workspace
from nightschool.core.errors import NotFound
from nightschool.events.user import UserMessage
from nightschool.settings import Settings

QUESTION = "SELECT count(*) AS events FROM v1_events"


def test_what_is_committed_is_seen_before_any_sync(tmp_path: Path) -> None:
    with (
        open_workspace(Settings(data_dir=tmp_path)) as workspace,
        nightschool.open_warehouse(tmp_path) as log,
    ):
        for number in range(1, 3):
            event = UserMessage(id=workspace.ids.new("event"), content=())
            workspace.journal.append("sesn_a", [event], epoch=1)
            assert number == log.query(QUESTION)["events"].item()


def test_answers_can_be_handed_on_to_pandas_and_arrow(tmp_path: Path) -> None:
    with open_workspace(Settings(data_dir=tmp_path)):
        pass
    with nightschool.open_warehouse(str(tmp_path)) as log:
        frame = log.query(QUESTION)
    assert [0] == frame.to_pandas()["events"].tolist()
    assert [0] == frame.to_arrow()["events"].to_pylist()


def test_a_folder_without_a_log_is_named_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nothing in"):
        nightschool.open_warehouse(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
