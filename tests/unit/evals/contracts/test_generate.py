"""Contracts, drawn."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.contracts.decoys import decoy_count
from evals.contracts.generate import WORDS_PER_PAGE, draw_contract, pages_of
from evals.contracts.library import library
from evals.contracts.playbook import policies
from nightschool.core.errors import NotFound
from nightschool.experiments.suite_parts import Drawn, sections_of
from nightschool.sandbox.documents import parse_document

SAMPLES = ("p005-1", "p008-1", "p012-1", "p020-1", "p030-1", "p060-1", "p100-1", "p200-1")


@pytest.fixture(scope="module", params=SAMPLES)
def drawn(request: pytest.FixtureRequest) -> Drawn:
    return draw_contract(request.param, 0, 0)


def truth_of(drawn: Drawn) -> list[tuple[str, str, str | None]]:
    return [(held["policy"], held["position"], held["via"]) for held in drawn.gold]


def bodies(drawn: Drawn) -> list[str]:
    """Return the texts of all sections, without heading and in no order."""
    return sorted(sections_of(drawn.document).values())


def by_policy(drawn: Drawn, **wanted: str) -> list[dict[str, Any]]:
    return [held for held in drawn.gold if all(held[name] == value for name, value in wanted.items())]


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_same_arguments_give_the_same_contract(sample: str) -> None:
    assert draw_contract(sample, 1, 7) == draw_contract(sample, 1, 7)


@pytest.mark.parametrize("sample", SAMPLES)
def test_an_epoch_changes_the_words_and_not_the_truth(sample: str) -> None:
    first, second = (draw_contract(sample, epoch, 7) for epoch in (0, 1))

    assert truth_of(first) == truth_of(second)
    assert first.document != second.document


def test_an_epoch_changes_names_order_wording_and_filler() -> None:
    first, second = (draw_contract("p030-1", epoch, 7) for epoch in (0, 1))
    shared = set(bodies(first)) & set(bodies(second))

    assert first.document.splitlines()[0] != second.document.splitlines()[0]
    assert [held["sections"] for held in first.gold] != [held["sections"] for held in second.gold]
    assert len(shared) < len(bodies(first)) / 10


def test_samples_of_one_length_differ_in_truth() -> None:
    assert truth_of(draw_contract("p020-1", 0, 0)) != truth_of(draw_contract("p020-2", 0, 0))


def test_the_seed_changes_the_truth() -> None:
    assert truth_of(draw_contract("p020-1", 0, 0)) != truth_of(draw_contract("p020-1", 0, 1))


@settings(max_examples=25, deadline=None)
@given(st.integers(5, 60), st.integers(0, 99), st.integers(0, 99))
def test_a_contract_has_the_length_that_its_id_names(pages: int, number: int, seed: int) -> None:
    drawn = draw_contract(f"p{pages:03}-{number}", 0, seed)

    assert len(drawn.document.split()) == pytest.approx(pages * WORDS_PER_PAGE, rel=0.1)


def test_a_long_contract_has_the_length_that_its_id_names(drawn: Drawn) -> None:
    assert drawn.facts["words"] == len(drawn.document.split())
    assert drawn.facts["words"] == pytest.approx(drawn.facts["pages"] * WORDS_PER_PAGE, rel=0.1)


def test_a_contract_can_be_read_as_any_other_document(drawn: Drawn) -> None:
    document = parse_document(drawn.document)

    assert drawn.facts["sections"] <= len(document.sections)
    assert {number: text for number, text in sections_of(drawn.document).items() if text} == {
        section.number: section.text for section in document.sections if section.text
    }


def test_sections_are_neither_scraps_nor_walls_of_text(drawn: Drawn) -> None:
    words = [len(body.split()) for body in sections_of(drawn.document).values() if body]

    assert 450 >= max(words)
    assert sorted(words)[len(words) // 10] >= 55


def test_numbers_run_without_gaps(drawn: Drawn) -> None:
    number = [0, 0]
    for section in sections_of(drawn.document):
        first, _, second = section.partition(".")
        expected = [number[0], number[1] + 1] if second else [number[0] + 1, 0]
        number = [int(first), int(second or 0)]
        assert expected == number


def test_every_reference_leads_to_a_section_with_text(drawn: Drawn) -> None:
    sections = sections_of(drawn.document)
    references = re.findall(r"\bSection (\d+(?:\.\d+)*)", drawn.document)

    assert all(sections.get(reference) for reference in references)


def test_every_position_can_be_read_where_the_gold_says(drawn: Drawn) -> None:
    sections = sections_of(drawn.document)
    for held in drawn.gold:
        assert bool(held["sections"]) == (held["via"] is not None)
        assert all(sections[number] for number in held["sections"])


def test_a_clause_refers_to_its_entry_and_the_entry_back(drawn: Drawn) -> None:
    sections = sections_of(drawn.document)
    for held in by_policy(drawn, via="cross_reference"):
        clause, entry, *_ = held["sections"]
        assert f"Section {entry}" in sections[clause]
        assert f"Section {clause}" in sections[entry]


def test_a_clause_uses_the_term_that_is_defined_elsewhere(drawn: Drawn) -> None:
    sections = sections_of(drawn.document)
    for held in by_policy(drawn, via="definition"):
        clause, definitions, *_ = held["sections"]
        terms = re.findall(r'(?m)^"([^"]+)" means', sections[definitions])
        assert definitions.startswith("1.")
        assert any(term in sections[clause] for term in terms)


def test_capitalised_terms_of_the_library_are_defined_when_they_are_used(drawn: Drawn) -> None:
    defined = set(re.findall(r'(?m)^"([^"]+)" means', drawn.document))
    text = re.sub(r"(?m)^#.*$", "", drawn.document)
    used = {each.term for each in library().definitions if re.search(rf"[a-z,] {each.term}(?:s|es)?\b", text)}

    assert used <= defined


def test_no_term_is_defined_twice(drawn: Drawn) -> None:
    defined = re.findall(r'(?m)^"([^"]+)" means', drawn.document)

    assert len(set(defined)) == len(defined)


def test_the_document_does_not_give_its_truth_away(drawn: Drawn) -> None:
    words = re.findall(
        r"(?i)violat\w*|complian\w*|compl(?:y|ies)\b|decoy|playbook|\bgold\b|\bP\d\d\b|\brisky\b",
        drawn.document,
    )

    assert set(map(str.lower, words)) <= {"compliance", "complied"}


def test_the_document_has_no_unfilled_slot(drawn: Drawn) -> None:
    assert not re.search(r"[{}\[\]\x02\x03]|  ", drawn.document)


def test_gold_is_plain_json_and_names_every_policy(drawn: Drawn) -> None:
    assert drawn.gold == json.loads(json.dumps(drawn.gold))
    assert [policy.id for policy in policies()] == [held["policy"] for held in drawn.gold]
    assert drawn.facts == json.loads(json.dumps(drawn.facts))


def test_facts_say_nothing_of_the_truth(drawn: Drawn) -> None:
    assert {"pages", "words", "sections", "kind"} == set(drawn.facts)


def test_a_longer_contract_holds_more_decoys() -> None:
    counts = [decoy_count(pages) for pages in (5, 12, 30, 60, 120, 200)]

    assert sorted(set(counts)) == counts


def test_every_way_of_violating_occurs_in_the_suite() -> None:
    ways = {
        held["via"]
        for number in range(6)
        for held in by_policy(draw_contract(f"p012-{number}", 0, 0), position="violation")
    }

    assert {"direct", "definition", "cross_reference"} == ways


def test_two_hundred_pages_are_drawn_in_a_moment() -> None:
    """Time of the processor, the best of five: the machine may be busy with other things."""
    draw_contract("p200-1", 0, 0)

    def seconds(epoch: int) -> float:
        start = time.process_time()
        draw_contract("p200-1", epoch, 0)
        return time.process_time() - start

    assert min(seconds(epoch) for epoch in range(5)) < 0.1


@pytest.mark.parametrize("sample", ["", "p5-1", "p004-1", "p201-1", "p005", "x005-1", "p005-1 "])
def test_an_id_of_another_form_is_refused_with_an_example(sample: str) -> None:
    with pytest.raises(NotFound, match="like p045-2"):
        pages_of(sample)
