"""What contracts can be made of."""

from __future__ import annotations

import random
import re
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from evals.contracts import library as library_module
from evals.contracts.library import ClauseType, Stance, Via, Wording, library, load
from evals.contracts.playbook import Policy, policies
from evals.contracts.quantities import NumberStyle, Quantity
from evals.contracts.templates import Template, slot_names
from evals.contracts.voice import Voice, draw_voice
from nightschool.core.errors import Malformed

KINDS = ("services", "software", "supply")
ODDITIES = re.compile(
    r"[{}\[\]|]"  # a mark that was not rendered
    r"|  | [,.;:]|[,;:][,.;:]|\.\.|\(\)"  # spaces and stops
    r"|\b(\w+) \1\b"  # a word twice
    r"|\ban? the\b|\ba [aeio]\w|\ban [bcdfgjklmnpqrstvwxyz]\w"  # articles
)
FOLDER = Path(library_module.__file__).parent


@pytest.fixture(params=[policy.id for policy in policies()])
def clause_type(request: pytest.FixtureRequest) -> ClauseType:
    return library().clause_types[request.param]


def policy_of(clause_type: ClauseType) -> Policy:
    return next(policy for policy in policies() if policy.id == clause_type.policy)


def voice(seed: int = 0) -> Voice:
    rng = random.Random(seed)
    return draw_voice(rng, library().words, rng.choice(KINDS), 100)


def wordings(clause_type: ClauseType, stance: Stance) -> list[Wording]:
    return [wording for via in Via for wording in clause_type.wordings.get((stance, via), ())]


def given_for(clause_type: ClauseType, stance: Stance) -> dict[str, str | Quantity]:
    given: dict[str, str | Quantity] = {"ref": "Section 9.9", "back": "Section 7.2"}
    for side in Stance:
        if clause_type.limits[side]:
            given[side.value] = clause_type.limits[side][0]
    if clause_type.limits[stance]:
        given["limit"] = clause_type.limits[stance][0]
    return given


def test_every_policy_has_a_clause_type_and_no_clause_type_is_without_policy() -> None:
    assert {policy.id for policy in policies()} == set(library().clause_types)


def test_each_side_has_wordings_enough(clause_type: ClauseType) -> None:
    for stance in Stance:
        assert len(clause_type.wordings[stance, Via.DIRECT]) >= 4


def test_each_side_can_be_decided_elsewhere(clause_type: ClauseType) -> None:
    for stance in Stance:
        assert clause_type.wordings[stance, Via.DEFINITION]
        assert clause_type.wordings[stance, Via.CROSS_REFERENCE]


def test_there_are_headings_companions_and_decoys_enough(clause_type: ClauseType) -> None:
    assert len(clause_type.headings) >= 4
    assert len(clause_type.companions) >= 3
    assert len(clause_type.decoys) >= 5


def test_quantities_lie_on_the_side_of_the_limit_that_they_stand_for(clause_type: ClauseType) -> None:
    limit = policy_of(clause_type).limit

    for stance, quantities in clause_type.limits.items():
        assert bool(quantities) == (limit is not None)
        for quantity in quantities:
            assert limit is not None
            assert limit.bound.kind == quantity.kind
            assert limit.allows(quantity) == (stance is Stance.SAFE)


def test_a_risky_quantity_is_beyond_the_limit_by_more_than_calendar_arithmetic(
    clause_type: ClauseType,
) -> None:
    """Whether three months are more than ninety days is no question to be judged by."""
    limit = policy_of(clause_type).limit
    if limit is None or limit.bound.kind != "time":
        return

    for quantity in clause_type.limits[Stance.RISKY]:
        assert abs(quantity.size / limit.bound.size - 1) > 0.05


def test_a_wording_for_both_sides_says_the_quantity(clause_type: ClauseType) -> None:
    """Else the two sides would read alike."""
    both = [w for w in wordings(clause_type, Stance.SAFE) if w in wordings(clause_type, Stance.RISKY)]

    for wording in both:
        texts = [template for template in (wording.clause, wording.support) if template]
        assert any("limit" in slot_names(template) for template in texts)


def test_an_indirect_clause_does_not_say_what_decides(clause_type: ClauseType) -> None:
    for (_, via), found in clause_type.wordings.items():
        if via is not Via.DIRECT:
            assert not any("limit" in slot_names(wording.clause) for wording in found)


def test_a_clause_that_refers_says_where_and_the_entry_says_to_what(clause_type: ClauseType) -> None:
    for stance in Stance:
        for wording in clause_type.wordings[stance, Via.CROSS_REFERENCE]:
            assert wording.support is not None
            assert "ref" in slot_names(wording.clause)
            assert "back" in slot_names(wording.support)


def test_a_clause_decided_by_a_definition_uses_the_term(clause_type: ClauseType) -> None:
    for stance in Stance:
        for wording in clause_type.wordings[stance, Via.DEFINITION]:
            assert wording.term is not None
            assert wording.term in voice().say(wording.clause, given_for(clause_type, stance))


def test_no_term_is_defined_for_two_purposes() -> None:
    terms = [definition.term for definition in library().definitions]
    for clause_type in library().clause_types.values():
        terms += {w.term for stance in Stance for w in wordings(clause_type, stance) if w.term}

    assert len(set(terms)) == len(terms)


def test_every_definition_begins_with_means() -> None:
    """Readers find definitions by that word."""
    speaker = voice()
    meanings = [
        speaker.say(template) for definition in library().definitions for template in definition.means
    ]
    for clause_type in library().clause_types.values():
        for stance in Stance:
            for wording in clause_type.wordings[stance, Via.DEFINITION]:
                assert wording.support is not None
                meanings.append(speaker.say(wording.support, given_for(clause_type, stance)))

    assert [] == [meaning for meaning in meanings if not meaning.startswith("means ")]


@cache
def voices() -> list[Voice]:
    return [replace(voice(seed), style=style) for seed in range(4) for style in NumberStyle]


def oddities(template: Template, given: dict[str, str | Quantity]) -> list[str]:
    """Return the renderings of a text that look wrong."""
    said = {speaker.say(template, given) for speaker in voices()}
    return [text for text in said if ODDITIES.search(text) or text.strip() != text or text[-1] not in ".!?"]


def test_every_clause_reads_well(clause_type: ClauseType) -> None:
    for stance in Stance:
        given = given_for(clause_type, stance)
        for wording in wordings(clause_type, stance):
            assert [] == oddities(wording.clause, given)
            assert wording.support is None or [] == oddities(wording.support, given)
        for template in (*clause_type.companions, *(decoy.text for decoy in clause_type.decoys)):
            assert [] == oddities(template, given)


def test_every_filler_paragraph_reads_well() -> None:
    subjects: dict[str, str | Quantity] = {
        name: library().words[name][0] for name in ("area", "project", "process")
    }
    for topic in library().topics:
        for paragraph in topic.paragraphs:
            assert [] == oddities(paragraph, subjects)


def test_there_is_filler_enough_that_a_long_contract_does_not_repeat_itself_soon() -> None:
    paragraphs = {paragraph for topic in library().topics for paragraph in topic.paragraphs}

    assert len(paragraphs) >= 150


def test_every_part_that_something_belongs_to_has_titles() -> None:
    parts = {part for clause_type in library().clause_types.values() for part in clause_type.parts}
    parts |= {topic.part for topic in library().topics} - {"frame"}

    assert parts <= set(library().part_titles)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("clauses", "filler"):
        shutil.copytree(FOLDER / name, tmp_path / name)
    return tmp_path


def test_a_field_that_is_missing_is_named_with_its_entry(copy: Path) -> None:
    path = copy / "clauses" / "general.yaml"
    path.write_text(path.read_text().replace("  parts: [general]\n  headings: [Amend", "  headings: [Amend"))

    with pytest.raises(Malformed, match=r"general\.yaml, entry P26: the field 'parts' is missing"):
        load(copy)


def test_a_text_that_cannot_be_parsed_is_named_with_its_entry(copy: Path) -> None:
    path = copy / "clauses" / "general.yaml"
    path.write_text(
        path.read_text().replace("[both parties|authorised representatives of each party]", "[both")
    )

    with pytest.raises(Malformed, match=r"general\.yaml, entry P26: .*never closed"):
        load(copy)


def test_a_quantity_that_cannot_be_read_is_named_with_its_entry(copy: Path) -> None:
    path = copy / "clauses" / "term.yaml"
    path.write_text(path.read_text().replace("safe: [30 days, 45 days", "safe: [30 moons, 45 days"))

    with pytest.raises(Malformed, match=r"term\.yaml, entry P04: '30 moons' is not a quantity"):
        load(copy)


def test_an_indirect_wording_without_one_side_is_named_with_its_entry(copy: Path) -> None:
    path = copy / "clauses" / "general.yaml"
    text = path.read_text()
    path.write_text(
        text.replace(
            '        risky:\n          - "means the wording that the Supplier has',
            '          - "means the wording that the Supplier has',
        )
    )

    with pytest.raises(Malformed, match=r"general\.yaml, entry P26: .*for risky, a text"):
        load(copy)


def test_a_file_that_is_no_yaml_is_named(copy: Path) -> None:
    (copy / "clauses" / "general.yaml").write_text("- policy: [P26")

    with pytest.raises(Malformed, match=r"general\.yaml is not valid YAML"):
        load(copy)
