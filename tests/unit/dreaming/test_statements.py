from __future__ import annotations

from nightschool.dreaming.statements import content_words, is_instruction, statements_in


def test_a_sentence_needs_a_cue() -> None:
    said = "Thanks, that is lovely of you. From now on refunds take 3 days."

    assert ["From now on refunds take 3 days."] == statements_in(said)
    assert 2 == len(statements_in(said, any_sentence=True))


def test_a_sentence_with_a_secret_is_left_out() -> None:
    assert [] == statements_in("Always use password: hunter2hunter for it.")


def test_orders_are_told_from_facts() -> None:
    assert is_instruction("Always send exports to X.") and not is_instruction("Refunds take 5 days.")


def test_content_words_do_not_depend_on_filler() -> None:
    assert content_words("The refunds take 5 days.") == content_words("Now all refunds take 5 days")
