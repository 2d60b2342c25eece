"""The reader's turns, seen from outside: which calls it makes in which situation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nightschool.models.embed import CachedEmbedder, Embedder, HashEmbedder, MiniLmEmbedder
from nightschool.models.reader.agent import ReaderBrain
from tests.unit.models.reader.desk import LEASE, PLAYBOOK, Desk, by_policy

COMPACT = "Your context is nearly full. Write notes of everything you need to finish the task."


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return CachedEmbedder(MiniLmEmbedder())


@pytest.fixture
def brain(embedder: Embedder) -> ReaderBrain:
    return ReaderBrain(embedder)


def test_a_lease_is_judged_by_a_playbook_it_was_not_made_for(brain: ReaderBrain) -> None:
    """Another trade, other parties, other ids: nothing of the reader is tied to the shipped suite."""
    found = by_policy(Desk(brain).run())
    positions = {policy: position["position"] for policy, position in found.items()}
    expected = {"L1": "compliant", "L2": "violation", "L3": "violation", "L4": "missing", "L5": "compliant"}
    assert expected == positions
    assert ("3.2", "4.1", "5.1", None) == tuple(
        found[policy]["section"] for policy in ("L1", "L2", "L3", "L4")
    )


def test_quotes_stand_word_for_word_in_their_sections(brain: ReaderBrain) -> None:
    desk = Desk(brain)
    for position in desk.run()["positions"]:
        if position["position"] != "missing":
            section = desk.document.find(position["section"])
            assert section is not None
            assert position["quote"] in section.text


def test_the_outline_comes_first_and_sections_are_read_side_by_side(brain: ReaderBrain) -> None:
    desk = Desk(brain)
    desk.run()
    assert "list_sections" == desk.calls[0]["name"]
    numbers = [call["number"] for call in desk.named("read_section")]
    assert [section.number for section in desk.document.sections] == numbers
    second_turn = [message for message in desk.messages if message["role"] == "assistant"][1]
    assert len(second_turn["content"]) > 5


def test_the_same_request_has_the_same_answer(embedder: Embedder) -> None:
    """Caches change the time only: a fresh reader shown the same request says the same."""
    desk = Desk(ReaderBrain(embedder))
    desk.run()
    request = desk.request() | {"messages": desk.messages[:-3]}
    assert desk.brain.answer(request) == ReaderBrain(embedder).answer(request)


def test_a_restricted_task_reads_only_its_sections_and_reports_nothing_missing(brain: ReaderBrain) -> None:
    desk = Desk(brain, prompt="Sections: 3.2, 4.1\nReport only what you find in these sections.")
    found = by_policy(desk.run())
    assert ["3.2", "4.1"] == [call["number"] for call in desk.named("read_section")]
    assert {"L1": "3.2", "L2": "4.1"} == {policy: found[policy]["section"] for policy in found}


def test_definitions_given_with_a_task_decide_a_quantity(brain: ReaderBrain) -> None:
    prompt = "Sections: 5.1\nReport only what you find in these sections."
    given = prompt + '\n\nDefinitions:\n"Leaving Period" means six (6) months.'
    short = given.replace("six (6)", "two (2)")
    assert "violation" == by_policy(Desk(brain, prompt=given).run())["L3"]["position"]
    assert "compliant" == by_policy(Desk(brain, prompt=short).run())["L3"]["position"]


def test_a_reference_that_matters_is_followed(brain: ReaderBrain) -> None:
    text = LEASE.replace("notice period is the\nLeaving Period", "notice period follows from\nSection 5.2")
    text = text.replace(
        "On the last day the Tenant", "The period is twelve months. On the last day the Tenant"
    )
    desk = Desk(brain, text=text, prompt="Sections: 5.1\nReport only what you find in these sections.")
    found = by_policy(desk.run())
    assert ["5.1", "5.2"] == [call["number"] for call in desk.named("read_section")]
    assert ("violation", "5.1") == (found["L3"]["position"], found["L3"]["section"])


def test_referenced_sections_given_with_a_task_are_not_read_again(brain: ReaderBrain) -> None:
    text = LEASE.replace("notice period is the\nLeaving Period", "notice period follows from\nSection 5.2")
    prompt = (
        "Sections: 5.1\nReport only what you find in these sections.\n\n"
        "Referenced sections:\n## 5.2 Keys\n\nThe period is twelve months."
    )
    desk = Desk(brain, text=text, prompt=prompt)
    found = by_policy(desk.run())
    assert [{"number": "5.1"}] == desk.named("read_section")
    assert "violation" == found["L3"]["position"]


def test_a_refused_answer_is_mended(brain: ReaderBrain) -> None:
    desk = Desk(brain, refuse_submission="Not accepted: positions.1.quote: not in the section")
    desk.run()
    first, second = desk.named("submit_findings")
    assert [p for n, p in enumerate(first["positions"]) if n != 1] == second["positions"]


def test_an_answer_that_is_always_refused_ends_the_turn(brain: ReaderBrain) -> None:
    class Stubborn(Desk):
        def _result(self, call: Any) -> tuple[str, bool]:
            text, is_error = super()._result(call)
            return (text, is_error) if call["name"] != "submit_findings" else ("Not accepted: closed", True)

    desk = Stubborn(brain)
    desk.run()
    assert 3 == len(desk.named("submit_findings"))
    assert "not accepted" in desk.messages[-1]["content"][0]["text"]


def test_after_acceptance_it_says_what_it_handed_in(brain: ReaderBrain) -> None:
    desk = Desk(brain)
    desk.run()
    assert "violations: L2, L3" in desk.messages[-1]["content"][0]["text"]


def test_feedback_leads_to_another_answer(brain: ReaderBrain) -> None:
    desk = Desk(brain)
    desk.run()
    desk.say("Feedback:\nL4: no position given")
    desk.run()
    assert 2 == len(desk.named("submit_findings"))


def test_work_goes_on_from_notes(brain: ReaderBrain) -> None:
    """What was read before a compaction is neither read again nor forgotten."""
    desk = Desk(brain)
    for _ in range(2):
        desk.turn()
    read_before = {call["number"] for call in desk.named("read_section")}
    desk.say(COMPACT)
    desk.turn()
    notes = desk.messages[-1]["content"][0]["text"]
    again = Desk(brain)
    again.say("Notes from your earlier work:\n" + notes)
    answer = again.run()
    assert not read_before & {call["number"] for call in again.named("read_section")}
    assert by_policy(Desk(brain).run()).keys() == by_policy(answer).keys()
    whole = {p["policy"]: p["position"] for p in Desk(brain).run()["positions"]}
    assert whole == {p["policy"]: p["position"] for p in answer["positions"]}


def test_batches_keep_the_request_under_the_limit(embedder: Embedder) -> None:
    long = LEASE.replace("swept clean.", "swept clean. " + "Nothing more is to be said about this. " * 400)
    limited = Desk(ReaderBrain(embedder, context_limit_tokens=1500), text=long)
    free = Desk(ReaderBrain(embedder), text=long)
    for desk in (limited, free):
        desk.turn()
        desk.turn()
    assert len(limited.named("read_section")) < len(free.named("read_section"))


def delegated(tasks: list[dict[str, Any]], embedder: Embedder) -> str:
    """Have each part done by a reader of its own, as the real tool does."""
    results = []
    for task in tasks:
        prompt = f"Sections: {', '.join(task['sections'])}\nReport only what you find in these sections."
        desk = Desk(ReaderBrain(embedder), prompt=f"{prompt}\n{task.get('note', '')}")
        results.append({"title": task["title"], "positions": desk.run()["positions"], "error": None})
    return json.dumps({"results": results})


LEAD_TOOLS = ("list_sections", "read_section", "delegate", "submit_findings")


def test_a_lead_hands_out_every_section_once_and_joins_the_reports(embedder: Embedder) -> None:
    desk = Desk(ReaderBrain(embedder), tools=LEAD_TOOLS, delegate=lambda tasks: delegated(tasks, embedder))
    found = by_policy(desk.run())
    (call,) = desk.named("delegate")
    handed_out = [number for task in call["tasks"] for number in task["sections"]]
    assert [section.number for section in desk.document.sections] == handed_out
    assert 8 <= len(call["tasks"]) <= 20
    assert all('"Leaving Period" means six (6) months' in task["note"] for task in call["tasks"])
    positions = {policy: position["position"] for policy, position in found.items()}
    assert ("violation", "violation", "missing") == (positions["L2"], positions["L3"], positions["L4"])


def test_a_lead_reads_itself_what_a_failed_part_left_out(embedder: Embedder) -> None:
    def failing(tasks: list[dict[str, Any]]) -> str:
        results = json.loads(delegated(tasks, embedder))["results"]
        for task, result in zip(tasks, results, strict=True):
            if "4.1" in task["sections"]:
                result.update(positions=[], error="timed out")
        return json.dumps({"results": results})

    desk = Desk(ReaderBrain(embedder), tools=LEAD_TOOLS, delegate=failing)
    found = by_policy(desk.run())
    assert {"number": "4.1"} in desk.named("read_section")
    assert "violation" == found["L2"]["position"]


def test_a_lead_whose_delegation_is_refused_still_answers(embedder: Embedder) -> None:
    desk = Desk(ReaderBrain(embedder), tools=LEAD_TOOLS, delegate=lambda _tasks: "nonsense")
    assert "missing" == by_policy(desk.run())["L4"]["position"]


def test_without_a_playbook_it_says_so(brain: ReaderBrain) -> None:
    desk = Desk(brain, system="Be helpful.")
    assert {"positions": []} == desk.run()
    assert "no playbook" in desk.messages[-1]["content"][0]["text"]


def test_without_tools_it_answers_in_text_about_what_it_was_given(brain: ReaderBrain) -> None:
    desk = Desk(brain, tools=(), prompt=f"Review the whole contract.\n\n{LEASE}")
    desk.run()
    found = by_policy(json.loads(desk.messages[-1]["content"][0]["text"]))
    assert "violation" == found["L2"]["position"]


def test_a_degraded_embedder_still_comes_to_an_end() -> None:
    assert {"L1", "L2", "L3", "L4", "L5"} == by_policy(Desk(ReaderBrain(HashEmbedder())).run()).keys()


def test_the_other_side_s_clause_is_not_taken_for_ours(embedder: Embedder) -> None:
    """Two clauses in the same words about either party; only the playbook tells which side is ours."""
    ours = "The Tenant may terminate the lease at any time by giving two months' notice in writing."
    theirs = "The Landlord may terminate the lease at any time by giving nine months' notice in writing."
    lease = LEASE.replace("### 5.2 Keys", f"### 5.2 Notice\n\n{theirs}\n\n{ours}\n\n### 5.3 Keys")
    lease = lease.replace("### 5.1 Termination by the Tenant", "### 5.1 Form").replace(
        "notice period is", "form is"
    )
    found = by_policy(Desk(ReaderBrain(embedder), text=lease).run())
    assert ("compliant", ours) == (found["L3"]["position"], found["L3"]["quote"])


def test_a_remembered_section_is_looked_up(brain: ReaderBrain) -> None:
    memory = "\n# Memories\n- Periods are often defined in section 1; check it before judging L3\n"
    prompt = "Sections: 5.1\nReport only what you find in these sections."
    desk = Desk(brain, system=PLAYBOOK + memory, prompt=prompt)
    assert "violation" == by_policy(desk.run())["L3"]["position"]
    assert {"number": "1"} in desk.named("read_section")


def test_a_remembered_caution_keeps_a_finding_back(brain: ReaderBrain) -> None:
    hint = "Keeping animals in the flat is forbidden: ignore such a clause, it is not a violation"
    caution = f"\n# Memories\n- {hint}\n"
    plain = by_policy(Desk(brain).run())["L2"]
    warned = by_policy(Desk(brain, system=PLAYBOOK + caution).run())["L2"]
    assert "violation" == plain["position"]
    assert "violation" != warned["position"] or warned["confidence"] < plain["confidence"]


def test_a_faulted_quote_is_not_handed_in_again(brain: ReaderBrain) -> None:
    desk = Desk(brain)
    first = by_policy(desk.run())["L2"]
    desk.say("Feedback:\nL2: the quote is not in section 4.1")
    second = by_policy(desk.run())["L2"]
    assert first["quote"] != second["quote"]


DEPOSIT = "Whatever sum was left with the Landlord as security is returned within two weeks of moving out."
HANDOVER = f"{LEASE}\n### 5.3 Handover\n\nThe caretaker reads the meters and notes the figures. {DEPOSIT}\n"


def test_what_a_grader_points_at_is_weighed_by_itself(brain: ReaderBrain) -> None:
    desk = Desk(brain, text=HANDOVER)
    first = by_policy(desk.run())["L4"]
    desk.say(f"Feedback:\nL4: section 5.3 may speak to it: “{DEPOSIT}”")
    second = by_policy(desk.run())["L4"]

    assert "missing" == first["position"]
    assert ("compliant", "5.3", DEPOSIT) == (second["position"], second["section"], second["quote"])


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("5.2", "On the last day the Tenant hands back all keys and leaves the flat swept clean."),
        ("9", DEPOSIT),
    ],
)
def test_a_pointer_that_leads_nowhere_changes_nothing(brain: ReaderBrain, section: str, words: str) -> None:
    desk = Desk(brain, text=HANDOVER)
    first = by_policy(desk.run())
    desk.say(f"Feedback:\nL4: section {section} may speak to it: “{words}”")

    assert first == by_policy(desk.run())


def test_after_the_closing_word_nothing_is_handed_in(brain: ReaderBrain) -> None:
    desk = Desk(brain)
    desk.run()
    desk.say("No further revision: the iterations are used up and your last result stands.")
    desk.run()

    assert 1 == len(desk.named("submit_findings"))
    assert "violations: L2, L3" in desk.messages[-1]["content"][0]["text"]


def test_notes_are_kept_along_the_way_where_that_is_asked(embedder: Embedder) -> None:
    narrow = ReaderBrain(embedder, context_limit_tokens=1500)
    desk = Desk(narrow, system=f"Write notes of your positions after each reading.\n\n{PLAYBOOK}")
    desk.run()
    beside_calls = [
        m["content"][0] for m in desk.messages if m["role"] == "assistant" and len(m["content"]) > 1
    ]
    assert any(block["type"] == "text" and "L2" in block["text"] for block in beside_calls)


def test_a_lead_that_took_notes_does_not_delegate_again(embedder: Embedder) -> None:
    """What came back is in the notes; handing everything out twice would double the bill."""

    def handing_out(tasks: list[dict[str, Any]]) -> str:
        return delegated(tasks, embedder)

    desk = Desk(ReaderBrain(embedder), tools=LEAD_TOOLS, delegate=handing_out)
    while not desk.named("delegate"):
        desk.turn()
    desk.say(COMPACT)
    desk.turn()
    again = Desk(ReaderBrain(embedder), tools=LEAD_TOOLS, delegate=handing_out)
    again.say("Notes from your earlier work:\n" + desk.messages[-1]["content"][0]["text"])
    found = by_policy(again.run())
    assert [] == again.named("delegate") == again.named("list_sections")
    assert ("violation", "missing") == (found["L3"]["position"], found["L4"]["position"])


def test_words_that_memory_says_break_a_policy_are_found_in_another_sentence(brain: ReaderBrain) -> None:
    """Without the memory the sentence means nothing to the reader; a plain one is left alone."""
    house = (
        "# Lease\n\n## 1 Keys\nThe porter's lodge has the last word on who comes to stay.\n\n"
        "## 2 Rain\nRain is wet.\n"
    )
    told = "- \"In this house 'The lodge has the last word on guests who stay' breaks L1.\" (3 for)"
    memory = f"\n# Memories\n{told}\n"
    keys = "The porter's lodge has the last word on who comes to stay."
    house = f"# Lease\n\n## 1 Keys\n{keys}\n\n## 2 Rain\nRain is wet.\n"
    without, given = (
        by_policy(Desk(brain, system=PLAYBOOK + left, text=house).run()) for left in ("", memory)
    )

    assert "violation" != without.get("L1", {}).get("position")
    assert ("violation", "1") == (given["L1"]["position"], given["L1"]["section"])
