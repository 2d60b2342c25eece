"""How the reader takes apart what it is given: playbook, task, sections, definitions, notes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nightschool.models.reader.evidence import Evidence
from nightschool.models.reader.lookup import find_definitions, make_lookup
from nightschool.models.reader.notes import Notes, latest_notes, write_notes
from nightschool.models.reader.playbook import parse_playbook
from nightschool.models.reader.sections import Section, parse_outline, parse_sections, references
from nightschool.models.reader.statements import masked, sentences_of, split_statements
from nightschool.models.reader.task import parse_feedback, parse_memories, parse_task
from tests.unit.models.reader.desk import PLAYBOOK


def test_a_playbook_is_read_from_the_prompt_around_it() -> None:
    playbook = parse_playbook(f"Be careful.\n\n{PLAYBOOK}\n# Memories\n- none\n")
    assert ("Tenant", "Landlord") == (playbook.party, playbook.counterparty)
    assert ["L1", "L2", "L3", "L4", "L5"] == [policy.id for policy in playbook.policies]
    pets = playbook.by_id["L2"]
    assert ("No animals may be kept in the flat.", "Pets are forbidden.") == pets.not_acceptable
    assert (True, False) == (playbook.by_id["L3"].required, pets.required)
    assert pets.limit is None
    assert playbook.by_id["L4"].limit is not None


def test_a_prompt_without_a_playbook_has_no_policies() -> None:
    assert () == parse_playbook("You are helpful.").policies


def test_a_task_s_parts_are_told_apart() -> None:
    task = parse_task(
        "Sections: 3, 3.1,  3.2\nReport only what you find in these sections.\n\n"
        'Definitions:\n"Term" means five years.\n\nReferenced sections:\n## 14.2 Caps\n\nThe cap is high.'
    )
    assert ("3", "3.1", "3.2") == task.sections
    assert '"Term" means five years.' == task.definitions
    assert (Section(number="14.2", title="Caps", text="The cap is high."),) == task.given
    assert not task.may_report_missing
    assert parse_task("Review the whole contract.").may_report_missing


def test_feedback_is_read_policy_by_policy() -> None:
    remarks = parse_feedback("Feedback:\nP07: the quote is not in section 7.2\nP11: no position given")
    assert [("P07", True, False), ("P11", False, True)] == [
        (remark.policy, remark.faults_quote, remark.asks_to_look_again) for remark in remarks
    ]
    assert () == parse_feedback("P07: said in passing")


def test_memories_are_the_bullets_under_their_heading() -> None:
    assert ("first hint", "second hint") == parse_memories(
        "# Memories\n- first hint\n* second hint\n# Other\n- no\n"
    )


def test_an_outline_is_read_line_by_line() -> None:
    (entry,) = parse_outline("7.2 | Limitation of liability | 118 words\nnot a line")
    assert ("7.2", "Limitation of liability", 118) == (entry.number, entry.title, entry.words)


def test_sections_are_read_with_their_headings() -> None:
    sections = list(parse_sections("## 7 Liability\n\nText.\n\n### 7.2 Cap\n\nMore."))
    expected = [("7", "Liability", "Text."), ("7.2", "Cap", "More.")]
    assert expected == [(s.number, s.title, s.text) for s in sections]


def test_references_are_found_in_their_usual_forms() -> None:
    text = "See Section 14.2, Clauses 3 and 4.1 and Schedule B; not paragraph marks."
    assert ("14.2", "3", "4.1", "Schedule B") == references(text)


def test_definitions_are_followed_through_one_another() -> None:
    section = Section(
        number="1", title="Terms", text='"Cap" means the Base Sum.\n\n"Base Sum" means two months.'
    )
    lookup = make_lookup([section])
    assert ("Cap", "Base Sum") == tuple(term for term, _ in find_definitions(section.text))
    assert 2 == len(lookup.meanings("Liability is limited to the Cap."))
    assert [] == lookup.meanings("Nothing defined here.")


def test_a_short_paragraph_is_one_statement_and_a_long_one_its_sentences() -> None:
    short = "One thing. Another thing leans on it."
    long = "This sentence has exactly seven words here. " * 12
    assert [short] == [statement.text for statement in split_statements(short)]
    assert 12 == len(split_statements(long.strip()))


def test_sentences_do_not_end_at_numbers_or_abbreviations() -> None:
    text = "The cap in Section 7.2 of Acme Ltd. Group applies to this. It is e.g. twice the fees of the year."
    assert 2 == len(sentences_of(text))


@given(st.text(alphabet='ab .\n-(1)“”"A;', max_size=200))
def test_every_statement_is_a_verbatim_part(text: str) -> None:
    for statement in split_statements(text):
        assert statement.text in text


def test_masking_takes_out_what_differs_between_contracts() -> None:
    first = masked("Within thirty (30) days Acme Widgets GmbH pays under Section 4.2.")
    second = masked("Within 45 days Bolt Trading AG pays under Section 11.")
    assert first == second


def test_notes_survive_being_written_and_read() -> None:
    piece = Evidence(
        policy="L1",
        position="violation",
        section="3.2",
        quote='Ten "percent"\nmore.',
        relevance=0.9,
        certainty=0.8,
        reason="ten percent against the limit",
    )
    notes = Notes(evidence=(piece,), definitions=(("Cap", '"Cap" means x'),), read=("1", "3.2"), open=("9",))
    assert notes == latest_notes(f"Here they are.\n{write_notes(notes)}\n", Notes())


def test_text_that_only_looks_like_notes_changes_nothing() -> None:
    before = Notes(read=("1",))
    assert before == latest_notes('reader-notes {"positions": 3}', before)
    assert before == latest_notes("reader-notes {not json}", before)
