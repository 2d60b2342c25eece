"""Which views a question needs."""

from __future__ import annotations

import duckdb
import pytest

from nightschool.warehouse.schema import (
    VIEWS,
    create_part,
    create_tables,
    events_query,
    named_query,
    parts_for,
)

ALL = ("macros", *VIEWS)


def test_a_question_needs_the_views_it_names_and_those_they_read_from() -> None:
    assert ("v1_trials",) == parts_for("SELECT * FROM v1_trials WHERE arm = ?")
    assert ("v1_sessions", "v1_trials", "v1_costs") == parts_for("FROM V1_Costs")
    assert ("macros", "v1_trials") == parts_for("SELECT wilson_interval(3, 4) FROM v1_trials")


@pytest.mark.parametrize(
    "question",
    [
        "SHOW TABLES",
        "SELECT view_name FROM duckdb_views() WHERE view_name = 'v1_costs'",
        "FROM information_schema.tables WHERE table_name = 'v1_costs'",
        "SELECT * FROM v1_trial",
        "SELECT 1",
    ],
)
def test_a_question_that_may_need_more_than_it_names_has_all(question: str) -> None:
    assert ALL == parts_for(question)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_answers_with_nothing_but_what_it_needs(view: str) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA tail; USE memory.tail")
        create_tables(connection)
        connection.execute("USE memory.main")
        connection.execute(events_query("reader_events_without_file", ()))
        for table in ("session_index", "trial_events"):
            connection.execute(named_query("reader_table_without_file", table=table))
        for part in parts_for(f"FROM {view}"):
            create_part(connection, part)

        assert [] == connection.execute(f"FROM {view}").fetchall()
