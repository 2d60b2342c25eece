"""A trial's sessions as bars over time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from nightschool.dashboard.palette import role_colour
from nightschool.dashboard.timeline import MOST_BARS, MOST_TICKS, Bar, timeline_chart

START = datetime(2026, 1, 1, tzinfo=UTC)


def bar(
    number: int = 0, *, role: str = "task", begins: float = 0.0, lasts: float = 1.0, calls: int = 0
) -> Bar:
    began = START + timedelta(seconds=begins)
    return Bar(
        session_id=f"sesn_{number}",
        label=f"part {number}",
        role=role,
        started_at=began,
        ended_at=began + timedelta(seconds=lasts),
        model_calls=tuple(began + timedelta(seconds=0.1 * n) for n in range(calls)),
    )


def test_bars_begin_where_their_sessions_did_counted_from_the_first() -> None:
    figure = timeline_chart([bar(0, begins=5, lasts=3), bar(1, begins=6.5, lasts=0.5)])

    (bars, _) = figure.data
    assert (0.0, 1.5) == bars.base
    assert (3.0, 0.5) == bars.x


def test_a_role_has_its_colour_and_one_entry_in_the_legend() -> None:
    figure = timeline_chart([bar(0, role="lead"), bar(1, role="subagent"), bar(2, role="subagent")])

    assert ["lead", "subagent"] == [trace.name for trace in figure.data if trace.showlegend is not False]
    assert [role_colour("lead"), role_colour("subagent")] == [trace.marker.color for trace in figure.data[:2]]


def test_a_bar_and_a_tick_know_their_session() -> None:
    figure = timeline_chart([bar(7, calls=2)])

    bars, ticks = figure.data
    assert "sesn_7" == bars.customdata[0][0]
    assert ["sesn_7", "sesn_7"] == [each[0] for each in ticks.customdata]


def test_model_calls_are_ticks_on_their_own_row() -> None:
    figure = timeline_chart([bar(0, begins=1), bar(1, begins=3, calls=2)])

    ticks = figure.data[-1]
    assert (1, 1) == ticks.y
    assert (2.0, 2.1) == ticks.x


def test_more_sessions_than_can_be_read_are_cut() -> None:
    figure = timeline_chart([bar(number, calls=60) for number in range(MOST_BARS + 40)])

    assert MOST_BARS == len(figure.layout.yaxis.ticktext)
    assert MOST_TICKS == len(figure.data[-1].x)


def test_a_trial_without_times_gives_an_empty_chart() -> None:
    assert () == timeline_chart([]).data


def test_a_label_is_no_markup_and_not_too_long() -> None:
    odd = Bar(session_id="s", label="<b>" + "x" * 90, role="task", started_at=START, ended_at=START)

    (label,) = timeline_chart([odd]).layout.yaxis.ticktext

    assert label.startswith("&lt;b&gt;xxx")
    assert label.endswith("…")
