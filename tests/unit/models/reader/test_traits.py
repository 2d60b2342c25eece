from __future__ import annotations

import pytest

from nightschool.models.reader.traits import STANCES, Parties, traits_of

PARTIES = Parties(ours="Buyer", theirs="Seller")
SIDES = [
    ("consent", "The Seller may assign it only with the Buyer's prior consent.", 1),
    ("consent", "The Seller may assign it without the Buyer's consent.", -1),
    ("consent", "The Seller may assign it freely.", -1),
    ("jointly", "It changes only if both parties agree.", 1),
    ("jointly", "It changes as the Seller sees fit.", -1),
    ("favour", "The Buyer may leave.", 1),
    ("favour", "The Buyer may not leave.", -1),
    ("favour", "The Seller shall repair it.", 1),
    ("favour", "The Seller may stop work.", -1),
    ("favour", "The Seller waives the right to stop work.", 1),
    ("owner", "All results belong to the Buyer.", 1),
    ("owner", "The Seller keeps all results.", -1),
    ("owner", "Nothing in the annex makes the results the property of the Seller.", 1),
    ("tacit", "Silence is acceptance.", 1),
    ("tacit", "Work is deemed not accepted.", -1),
    ("exclusive", "The Buyer shall buy exclusively from the Seller.", 1),
    ("exclusive", "The Buyer may buy elsewhere.", -1),
    ("restricted", "Only to the extent that the Buyer was at fault.", 1),
    ("restricted", "Any and all losses, irrespective of fault.", -1),
    ("refusal", "The Seller may refuse.", 1),
    ("refusal", "The Seller may not refuse.", -1),
]


@pytest.mark.parametrize(("stance", "text", "side"), SIDES)
def test_wording_takes_a_side(stance: str, text: str, side: int) -> None:
    assert side == traits_of(text, PARTIES).stance[STANCES.index(stance)]


def test_the_sides_turn_with_the_parties() -> None:
    turned = Parties(ours="Seller", theirs="Buyer")
    text = "The Seller may stop work."
    favour = STANCES.index("favour")
    assert traits_of(text, PARTIES).stance[favour] == -traits_of(text, turned).stance[favour]


def test_what_does_not_operate_is_told_apart() -> None:
    assert traits_of("In 2008 the depot was closed for ninety days.", PARTIES).is_past
    assert traits_of("For example, a cap of one month is common in the trade.", PARTIES).is_illustrative
    assert traits_of("The Seller may change prices of licences for its own use.", PARTIES).is_inward
    assert traits_of('"Fees" means the sums payable.', PARTIES).is_defining
    plain = traits_of("The Seller shall repair it within ten days.", PARTIES)
    assert not (plain.is_past or plain.is_illustrative or plain.is_inward or plain.is_defining)
