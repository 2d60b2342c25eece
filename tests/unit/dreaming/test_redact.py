from __future__ import annotations

import pytest

from nightschool.dreaming.redact import has_secret, redact


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-api03-abcdefghijklmnopqrstuvwx",
        "AKIA" + "ABCDEFGHIJKLMNOP",
        "ghp_" + "a1" * 18,
        "Bearer abcdefghijklmnopqrstuvwxyz",
        "password: hunter2hunter",
    ],
)
def test_a_secret_is_taken_out(secret: str) -> None:
    assert has_secret(f"use {secret} here")
    assert secret.rsplit(maxsplit=1)[-1] not in redact(f"use {secret} here")


@pytest.mark.parametrize("personal", ["ada@example.org", "4111 1111 1111 1111", "+44 20 7946 0958"])
def test_personal_data_are_taken_out(personal: str) -> None:
    assert personal not in redact(f"reach me at {personal}.")


def test_plain_text_stays() -> None:
    text = "Refunds take 5 days; order 1234 was sent on 2026-01-01."

    assert text == redact(text) and not has_secret(text)
