from __future__ import annotations

from nightschool.dreaming.episode import Episode
from nightschool.dreaming.strata import Need, need_of_tasks, tool_strategies
from tests.unit.dreaming.episodes import call, episode


def looks_rewarded() -> list[Episode]:
    """Handing over passes where nothing needs doing, and never where something does."""
    easy = [
        episode(f"e{n}", call("transfer_to_human"), passed=True, task=f"easy{n % 4}") for n in range(12)
    ] + [episode(f"f{n}", call("update_order"), passed=False, task=f"easy{n % 4}") for n in range(4)]
    hard = [
        episode(f"h{n}", call("update_order"), passed=n % 2 == 0, task=f"hard{n % 4}") for n in range(8)
    ] + [episode(f"t{n}", call("transfer_to_human"), passed=False, task=f"hard{n % 4}") for n in range(4)]
    return [*easy, *hard]


def test_a_task_needs_work_when_a_success_did_some() -> None:
    needs = need_of_tasks(
        [
            episode("a", call("update_order"), passed=True, task="work"),
            episode("b", call("get_order"), passed=True, task="none"),
            episode("c", call("update_order"), passed=False, task="unsolved"),
            episode("d", call("update_order", error="no"), passed=True, task="none too"),
        ]
    )

    assert [Need.WORK, Need.NONE, Need.UNSOLVED, Need.NONE] == list(needs.values())


def test_handing_over_that_only_looks_rewarded_is_objected_to() -> None:
    tables = {table.strategy: table for table in tool_strategies(looks_rewarded())}
    sham = tables["transfer_to_human"]

    assert sham.overall.lift is not None and sham.overall.lift > 0.3
    assert (12, 12, 0, 4) == (
        sham.row(Need.NONE).with_successes,
        sham.row(Need.NONE).with_sessions,
        sham.needed.with_successes,
        sham.needed.with_sessions,
    )
    assert sham.is_sham and "looks rewarded" in sham.objection
    assert not tables["update_order"].objection


def test_handing_over_that_helps_where_work_is_needed_is_not_objected_to() -> None:
    episodes = [
        *(
            episode(f"a{n}", call("escalate_case"), call("update_order"), passed=True, task=f"t{n}")
            for n in range(4)
        ),
        *(episode(f"b{n}", call("update_order"), passed=False, task=f"t{n}") for n in range(4)),
    ]
    tables = {table.strategy: table for table in tool_strategies(episodes)}

    assert not tables["escalate_case"].objection
