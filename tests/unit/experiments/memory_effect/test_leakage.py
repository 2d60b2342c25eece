from __future__ import annotations

import pytest

from nightschool.core.errors import InvalidInput
from nightschool.experiments.memory_effect.arms import memory_of
from nightschool.experiments.memory_effect.leakage import Secret, require_no_leak

CLAUSE = "Bills that came in are put into the following Monday run."
SECRET = Secret(sample_id="printing-3", document=f"# A\n\n## 1 Bills\n{CLAUSE}\n", canary="c0ffee00c0ffee00")


@pytest.mark.parametrize(
    ("planted", "told"),
    [
        ("The answer is c0ffee00c0ffee00.", "canary"),
        ("As in printing-3, pay late.", "its id"),
        (f"In this house '{CLAUSE}' breaks P06.", "characters of it"),
    ],
)
def test_a_planted_leak_ends_the_run(planted: str, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        require_no_leak({"/a": memory_of("/a", planted)}, [SECRET])


def test_a_leak_in_the_provenance_ends_the_run() -> None:
    with pytest.raises(InvalidInput, match="its id"):
        require_no_leak({"/a": memory_of("/a", "Harmless.", ["printing-3"])}, [SECRET])


def test_an_idiom_in_another_sentence_is_no_leak() -> None:
    learnt = "In this house 'Invoices are squared in the Monday run after they arrive' breaks P06."
    require_no_leak({"/a": memory_of("/a", learnt)}, [SECRET])
