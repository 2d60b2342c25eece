from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from nightschool.dashboard.dream_decision import Standing, command_line, decision

STANDING = Standing(
    dream_id="drm_1",
    store="default",
    status="completed",
    input_store_id="memstore_1",
    output_store_id="memstore_2",
    head="memstore_1",
)


def lines(standing: Standing, folder: Path = Path("data")) -> list[str]:
    return [command.line for command in decision(standing, folder).commands]


def test_what_nobody_decided_can_be_adopted_or_rejected() -> None:
    assert [
        "nightschool dream adopt drm_1",
        "nightschool dream reject drm_1 --reason 'why not'",
        "nightschool dream try drm_1",
    ] == lines(STANDING)


def test_a_trial_that_was_made_can_be_looked_at() -> None:
    assert "nightschool compare exp_1" == lines(replace(STANDING, tried_in="exp_1"))[-1]


def test_what_is_objected_to_needs_an_approval() -> None:
    assert "nightschool dream adopt drm_1 --approve" == lines(replace(STANDING, objections=["a secret"]))[0]


def test_what_was_overtaken_cannot_be_adopted() -> None:
    overtaken = replace(STANDING, head="memstore_9")

    assert not any("adopt" in line for line in lines(overtaken))
    assert "can no longer be adopted" in decision(overtaken, Path("data")).text


def test_only_what_is_recalled_from_can_be_rolled_back() -> None:
    adopted = replace(STANDING, status="adopted", head="memstore_2")

    assert ["nightschool dream rollback --store default"] == lines(adopted)
    assert [] == lines(replace(adopted, head="memstore_3"))


@pytest.mark.parametrize("status", ["failed", "running", "rejected", "rolled_back"])
def test_what_has_no_result_to_adopt_is_dreamt_again(status: str) -> None:
    assert ["nightschool dream --store default"] == lines(replace(STANDING, status=status))


def test_a_dream_without_changes_leaves_nothing_to_do() -> None:
    assert [] == lines(replace(STANDING, status="completed_no_change"))


def test_a_command_names_another_data_folder_and_survives_the_shell() -> None:
    words = ["nightschool", "--data", "/tmp/my data; rm", "dream", "--store", "a 'b'"]  # noqa: S108

    assert words == shlex.split(command_line(Path(words[2]), *words[3:]))
