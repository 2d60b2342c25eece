from __future__ import annotations

import pytest

from nightschool.core.errors import Malformed
from nightschool.outcomes.playbook import Policy, policies_of

TEXT = """# Playbook
## P01 Liability cap
Clause: liability
Required: yes

## P02 Publicity
Clause: publicity
Required: no
"""


def test_policies_come_in_order_with_what_is_required() -> None:
    expected = (
        Policy(id="P01", title="Liability cap", required=True, text="Clause: liability\nRequired: yes"),
        Policy(id="P02", title="Publicity", required=False, text="Clause: publicity\nRequired: no"),
    )

    assert expected == policies_of(TEXT)


def test_a_playbook_without_policies_is_refused() -> None:
    with pytest.raises(Malformed, match="no policy found"):
        policies_of("# Playbook\nBe careful.\n")
