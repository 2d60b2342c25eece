from __future__ import annotations

from dataclasses import replace

import pytest

from nightschool.core.errors import InvalidInput, NotFound, VersionConflict
from nightschool.dreaming.adopt import Adoption, regression_checks, safety_checks
from nightschool.dreaming.pipeline import Dreamer
from nightschool.memory.heads import Heads
from nightschool.memory.memory import Attributes, Evidence, Memory, State
from tests.unit.dreaming.sessions import Sessions

GOOD = Evidence(session_id="sesn_1", event_id="sevt_1", passed=True)


def _memory(path: str, text: str = "Refunds take 5 days.", **given: object) -> Memory:
    attributes = replace(Attributes(), **given)  # type: ignore[arg-type]
    return Memory(path=path, text=text, attributes=attributes, sha256=text)


def test_what_must_not_be_recalled_is_objected_to() -> None:
    after = {
        "/t": _memory("/t", taint="tool"),
        "/s": _memory("/s", "password: hunter2hunter"),
        "/x": _memory("/x", tenant="blue"),
        "/q": _memory("/q", taint="tool", state=State.QUARANTINED),
    }

    assert ["/t", "/s", "/x"] == [each.split()[0] for each in safety_checks({}, after, "")]


def test_more_advice_to_do_less_is_objected_to() -> None:
    before = {"/a": _memory("/a")}
    after = {**before, "/b": _memory("/b", "Always transfer the customer.")}

    assert [
        "the share of memories that advise to avoid or hand over grew by 50%",
        "/b advises to hand over",
    ] == safety_checks(before, after, "")


def test_losing_what_helped_is_objected_to() -> None:
    proved = _memory("/a", outcomes=(GOOD,))
    archived = replace(proved, attributes=replace(proved.attributes, state=State.ARCHIVED))
    replaced = replace(proved, attributes=replace(archived.attributes, superseded_by="/b"))

    assert regression_checks({"/a": proved}, {"/a": archived}) and regression_checks({"/a": proved}, {})
    assert [] == regression_checks({"/a": proved}, {"/a": replaced})


@pytest.mark.integration
def test_a_dream_is_adopted_once_and_taken_back(
    sessions: Sessions, dreamer: Dreamer, adoption: Adoption
) -> None:
    for number in range(3):
        sessions.add(f"w{number}", "get_order", "update_order", passed=True)
    made = dreamer.dream()
    heads = Heads(journal=dreamer.journal, clock=dreamer.clock)
    first = heads.get("default").store_id
    adoption.adopt(made.dream_id)

    assert made.completed.output_store_id == heads.get("default").store_id
    with pytest.raises(InvalidInput, match="decided already: adopted"):
        adoption.adopt(made.dream_id)
    assert first == adoption.roll_back("default").store_id
    assert "rolled_back" == adoption.dreamt(made.dream_id).status
    assert ["created"] == [edit.what for edit in adoption.diff(made.dream_id)]


@pytest.mark.integration
def test_a_result_that_is_out_of_date_is_not_adopted(
    sessions: Sessions, dreamer: Dreamer, adoption: Adoption
) -> None:
    results = []
    for name in ("a", "b"):
        sessions.add(name, "get_order", "update_order", passed=True)
        results.append(dreamer.dream().dream_id)
    adoption.adopt(results[1])
    with pytest.raises(VersionConflict, match="dream again"):
        adoption.adopt(results[0])
    adoption.reject(results[0], "too early")

    assert "rejected" == adoption.dreamt(results[0]).status


@pytest.mark.integration
def test_losing_much_at_once_is_held_for_review(
    sessions: Sessions, dreamer: Dreamer, adoption: Adoption
) -> None:
    for number in range(2):
        sessions.add(f"o{number}", passed=True, source="user", comment="Refunds take 5 days.", on=1)
    adoption.adopt(dreamer.dream().dream_id)
    sessions.add("n", passed=True, source="user", comment="Refunds now take 3 days.", on=5)
    held = dreamer.dream()

    assert "held" == held.completed.status
    with pytest.raises(InvalidInput, match="100% of the memories"):
        adoption.adopt(held.dream_id)
    assert held.completed.output_store_id == adoption.adopt(held.dream_id, approved=True).store_id


@pytest.mark.integration
def test_a_dream_that_changed_nothing_cannot_be_adopted(dreamer: Dreamer, adoption: Adoption) -> None:
    with pytest.raises(InvalidInput, match="changed nothing"):
        adoption.adopt(dreamer.dream().dream_id)
    with pytest.raises(NotFound):
        adoption.adopt("drm_none")


@pytest.mark.integration
def test_a_trial_speaks_for_or_against_a_dream(
    sessions: Sessions, dreamer: Dreamer, adoption: Adoption
) -> None:
    for number in range(3):
        sessions.add(f"w{number}", "get_order", "update_order", passed=True)
    made = dreamer.dream().dream_id
    asking = replace(adoption, suite="memory")
    found = {"experiment_id": "exp_1", "suite": "memory"}

    assert ["it was not tried on the suite 'memory'"] == [
        each.partition(":")[0] for each in asking.objections(made)
    ]
    adoption.note_trial(made, **found, result="regression", reason="accuracy: it is worse")
    with pytest.raises(InvalidInput, match="the gate says regression on the suite 'memory'"):
        adoption.adopt(made)
    adoption.note_trial(
        made, **found, result="pass", reason="better", shortcuts=("with /m agents do nothing",)
    )
    assert not adoption.adopt_unless_objected(made)
    assert ["with /m agents do nothing, on the suite 'memory' (experiment exp_1)"] == asking.objections(made)
    adoption.note_trial(made, **found, result="inconclusive", reason="no difference can be told")
    assert [] == asking.objections(made) and asking.adopt_unless_objected(made)


@pytest.mark.integration
def test_a_rollback_that_was_cut_off_is_done_again_and_goes_back_once(
    sessions: Sessions, dreamer: Dreamer, adoption: Adoption, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        sessions.add(f"w{number}", "get_order", "update_order", passed=True, on=number + 1)
    first = dreamer.dream()
    adoption.adopt(first.dream_id)
    sessions.add("w9", "get_order", "update_order", passed=True, on=9)
    second = dreamer.dream()
    adoption.adopt(second.dream_id)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr("nightschool.memory.heads.Heads.move_back", die)
        with pytest.raises(KeyboardInterrupt):
            adoption.roll_back("default")
    restored = adoption.roll_back("default")

    assert first.completed.output_store_id == restored.store_id
    assert ["adopted", "rolled_back"] == [adoption.dreamt(each.dream_id).status for each in (first, second)]
    assert 1 == len(dreamer.journal.read(second.dream_id, types=["dream.rolled_back"]))
