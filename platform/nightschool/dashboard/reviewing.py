"""The part of the page *Outcomes* in which a person judges results. Writes through `labelling` alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, cast

import streamlit as st

from nightschool.core.errors import InvalidInput
from nightschool.dashboard.labelling import write_label
from nightschool.dashboard.markup import folded
from nightschool.dashboard.outcomes import people_table, queue_rows
from nightschool.dashboard.site import Site, notice
from nightschool.dashboard.tables import answer_of, position_table
from nightschool.dashboard.wording import decimal, moment, plural, signed
from nightschool.dashboard.writer import ask_name, given_name
from nightschool.experiments.labelling import Queued
from nightschool.outcomes.findings import as_shown
from nightschool.outcomes.labels import Label, agreement_with_people
from nightschool.outcomes.tiers import THRESHOLDS

__all__ = ["show_queue"]

_TABLE_PIXELS: Final = 330
_LONGEST_NOTE: Final = 2_000
_ASKED: Final = "trial"
"""The URL's parameter that names the result to be judged."""

_COLUMNS: Final[dict[str, Any]] = {
    "arm": st.column_config.TextColumn("Arm"),
    "document": st.column_config.TextColumn("Document"),
    "repeat": st.column_config.NumberColumn("Repeat", width="small"),
    "verdict": st.column_config.TextColumn("Verdict"),
    "margin": st.column_config.NumberColumn("Margin", format="%+.3f"),
    "flips": st.column_config.NumberColumn("Turned over", format="percent"),
    "labelled": st.column_config.TextColumn("Labelled"),
    "trial": st.column_config.TextColumn("Trial"),
}


def show_queue(site: Site, queue: Sequence[Queued]) -> None:
    """Draw the part."""
    st.subheader("Review queue", anchor=False)
    labelled = [each for each in queue if each.judged.said is not None]
    judged = [
        (each.reading.passed, _score(each), each.judged.said)
        for each in labelled
        if each.judged.said is not None
    ]
    agreement = agreement_with_people(judged)
    if agreement is not None:
        st.html(people_table(agreement))
    rows, key = queue_rows(queue), "queue"
    st.dataframe(
        rows,
        column_config=_COLUMNS,
        hide_index=True,
        height=_TABLE_PIXELS if rows.height > 7 else "auto",
        key=key,
        on_select=partial(_remember, key, rows["trial"].to_list()),
        selection_mode="single-row",
        placeholder="–",
        alt="Results in the order in which a person's word is worth most; select one to judge it",
    )
    st.caption(
        f"{len(labelled)} of {plural(rows.height, 'result')} labelled. Those without a label stand first,"
        " the least sure verdict in front. Labels join the calibration set of `nightschool grader report`."
    )
    wanted = st.query_params.get(_ASKED)
    chosen = next((each for each in queue if each.judged.trial_id == wanted), None)
    if chosen is not None:
        _judge(site, chosen)


def _score(queued: Queued) -> float:
    """Return the score that the verdict rests on."""
    return queued.reading.margin + THRESHOLDS[queued.reading.tier]


def _remember(key: str, shown: Sequence[str]) -> None:
    """Note the trial and not its row: rows move when a label is recorded."""
    rows = st.session_state[key]["selection"]["rows"]
    if rows and rows[0] < len(shown):
        st.query_params[_ASKED] = shown[rows[0]]


def _judge(site: Site, queued: Queued) -> None:
    judged = queued.judged
    st.markdown(f"**{judged.arm} · {judged.sample_id} · repeat {judged.epoch + 1}**")
    scores = ", ".join(f"{name} {decimal(score)}" for name, score in judged.scores.items())
    st.caption(f"{scores}; margin {signed(queued.reading.margin, 3)} at {queued.reading.tier}")
    trial = site.ask("trial", trial_id=judged.trial_id).row(0, named=True)
    answer = answer_of(trial["answer"])
    if table := position_table(answer):
        st.html(table)
    else:
        st.html(folded(as_shown(answer)))
    _said_before(site, judged.session_id, trial["experiment_id"])
    # Outside the form, which is emptied when it is sent: a person stays who they are.
    ask_name(site.source.settings, key="reviewer")
    with st.form(f"label_{judged.trial_id}", clear_on_submit=True):
        decision = st.segmented_control(
            "Is it good enough?", ["accept", "reject"], format_func=str.title, key="decision"
        )
        score = st.number_input(
            "Score it deserves (0–1)",
            min_value=0.0,
            max_value=1.0,
            value=None,
            step=0.05,
            placeholder="as recorded",
            key="deserved",
            width=280,
        )
        note = st.text_area("Note", max_chars=_LONGEST_NOTE, key="note")
        if st.form_submit_button("Record"):
            said = {"decision": decision, "score": score, "note": note, "name": given_name(key="reviewer")}
            _record(site, judged.session_id, said)


def _said_before(site: Site, session_id: str, experiment_id: str) -> None:
    for row in site.ask("labels", experiment_id=experiment_id).iter_rows(named=True):
        if row["session_id"] == session_id:
            deserved = "" if row["score"] is None else f", score {decimal(row['score'])}"
            note = f": {row['comment']}" if row["comment"] else ""
            at = moment(row["given_at"])
            notice(f"{row['given_by'] or 'unknown'} said {row['decision']}{deserved} on {at}{note}")


def _record(site: Site, session_id: str, said: Mapping[str, Any]) -> None:
    if said["decision"] is None:
        notice("Say whether the result is good enough: accept or reject.", kind="warning")
        return
    try:
        label = Label(
            decision=cast("Literal['accept', 'reject']", said["decision"]),
            score=said["score"],
            note=said["note"].strip(),
            given_by=said["name"].strip(),
        )
    except InvalidInput as error:
        notice(error.message, kind="warning")
        return
    write_label(site.source.settings, session_id, label)
    st.toast(f"Recorded: {label.decision} by {label.given_by}", icon=":material/check:")
    st.rerun()
