from __future__ import annotations

from nightschool.experiments.memory_effect.arms import filler, placebo_texts, raw_memories, shuffled
from tests.unit.dreaming.episodes import claim, episode


def test_filler_and_placebo_have_the_length_asked_for() -> None:
    assert 400 == len(filler(100).removeprefix("# Background\n").removesuffix("\n"))
    assert "" == filler(0)
    assert 400 <= sum(map(len, placebo_texts(100))) < 520


def test_exchanged_labels_name_every_policy_as_often_and_never_where_it_belongs() -> None:
    texts = [f"'wording {n}' breaks P0{n}." for n in range(1, 6)]
    told = [episode(f"s{n}", passed=n % 2 == 0, claims=(claim(text),)) for n, text in enumerate(texts)]
    wrong = shuffled(told, seed=3)

    said = [each.claims[0].text for each in wrong]
    assert not set(texts) & set(said)
    assert sorted(text[-4:] for text in texts) == sorted(text[-4:] for text in said)
    assert sorted(each.labels[0].passed for each in told) == sorted(each.labels[0].passed for each in wrong)


def test_raw_memories_are_word_for_word() -> None:
    assert {"/raw/a": "So it was."} == {
        path: memory.text for path, memory in raw_memories({"a": "So it was.", "b": ""}).items()
    }
