"""Colours: readable on both backgrounds, stable for an arm, apart for colour-blind eyes."""

from __future__ import annotations

import itertools

import pytest

from nightschool.dashboard.palette import (
    ARM_COLOURS,
    KIND_COLOURS,
    MUTED,
    ROLE_COLOURS,
    WARNING,
    arm_styles,
    role_colour,
)

LIGHT, DARK = "#ffffff", "#12161b"

# What eyes without one kind of cone see, in linear RGB (Machado, Oliveira and Fernandes 2009, severity 1).
DEFICIENCIES = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}


def linear(colour: str) -> tuple[float, ...]:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)


def contrast(one: str, other: str) -> float:
    weights = (0.2126, 0.7152, 0.0722)
    lights = sorted(sum(w * c for w, c in zip(weights, linear(each), strict=True)) for each in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def seen(colour: str, deficiency: str) -> tuple[float, ...]:
    rgb = linear(colour)
    return tuple(
        max(0.0, sum(m * c for m, c in zip(row, rgb, strict=True))) ** (1 / 2.4)
        for row in DEFICIENCIES[deficiency]
    )


@pytest.mark.parametrize(
    "colour", sorted({*ARM_COLOURS, *KIND_COLOURS, *ROLE_COLOURS.values(), MUTED, WARNING})
)
@pytest.mark.parametrize("background", [LIGHT, DARK])
def test_a_colour_stands_out_from_both_backgrounds(colour: str, background: str) -> None:
    """3:1 is what graphics need to be made out."""
    assert contrast(colour, background) >= 3.0


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_the_first_arms_stay_apart_for_colour_blind_eyes(deficiency: str) -> None:
    for one, other in itertools.combinations(ARM_COLOURS[:6], 2):
        distance = sum(
            (a - b) ** 2 for a, b in zip(seen(one, deficiency), seen(other, deficiency), strict=True)
        )
        assert distance**0.5 > 0.15, (one, other)


def test_an_arm_keeps_its_look_when_later_experiments_bring_others() -> None:
    before = arm_styles(["single", "orchestrated"])

    after = arm_styles(["single", "orchestrated", "single", "debate"])

    assert before == {name: after[name] for name in before}


def test_no_two_of_many_arms_look_alike() -> None:
    styles = arm_styles(f"arm {number}" for number in range(64))

    assert 64 == len(set(styles.values()))


def test_an_unknown_role_is_grey() -> None:
    assert MUTED == role_colour("juggler") == role_colour(None)
