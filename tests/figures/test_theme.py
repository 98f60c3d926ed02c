"""Colours that can be told apart: by how light they are, on the paper of their mode, and from one another."""

from itertools import pairwise

import numpy as np
import pytest

from attention_core.figures.theme import INK, PRECISION_TONES, ROLE_COLOURS, SCALES, TONES, colour_of

PAPER = {"light": "#FFFFFF", "dark": "#0E1117"}


def luminance(colour: str) -> float:
    """WCAG's relative luminance."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return float(np.dot([0.2126, 0.7152, 0.0722], [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
                                                   for c in parts]))  # fmt: skip


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_farther_from_0_the_farther_from_the_paper(mode: str) -> None:
    towards = -1 if mode == "light" else 1
    for name, stops in SCALES[mode].items():
        light = [towards * luminance(stop) for stop in stops]
        middle = len(stops) // 2
        up = light[middle:] if name in ("diverging", "compared") else light[::-1] if name == "below" else light
        assert all(before < after for before, after in pairwise(up)), name
        if name in ("diverging", "compared"):
            assert all(before > after for before, after in pairwise(light[: middle + 1])), name
    assert SCALES[mode]["below"] == SCALES[mode]["ink"][::-1]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_ink_is_grey_and_no_side_of_a_comparison_is_a_roles(mode: str) -> None:
    for stop in (*SCALES[mode]["ink"], *SCALES[mode]["compared"][:4]):
        parts = [int(stop[i : i + 2], 16) for i in (1, 3, 5)]
        assert max(parts) - min(parts) <= 24, stop
    assert not {*TONES[mode].values(), *SCALES[mode]["compared"]} & {*ROLE_COLOURS[mode].values()}


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_tones_are_seen_on_paper_and_words_in_them_can_be_read(mode: str) -> None:
    for tone, colour in TONES[mode].items():
        assert contrast(colour, PAPER[mode]) >= (3 if tone == "pale" else 4.5), tone
    assert colour_of("ink", mode) == INK[mode]
    assert len({colour_of(tone, mode) for tone in PRECISION_TONES.values()}) == 4


@pytest.mark.parametrize(
    ("mode", "query", "key", "value", "output", "ink", "muted", "accent", "pale"),
    [
        ("light", "#0072B2", "#B84A00", "#007A5A", "#9C4A7C", "#1B1F27", "#5A6270", "#5642A6", "#8274C8"),
        ("dark", "#56B4E9", "#FF8F4D", "#2BC497", "#E29BC3", "#E8EAF0", "#A4ABBA", "#A08EE6", "#7660CB"),
    ],
)
def test_roles_and_tones_have_these_colours(
    mode: str, query: str, key: str, value: str, output: str, ink: str, muted: str, accent: str, pale: str
) -> None:
    roles = {"query": query, "key": key, "value": value, "output": output}
    colours = roles | {"ink": ink, "muted": muted, "accent": accent, "pale": pale}
    assert {name: colour_of(name, mode) for name in colours} == colours
    assert ROLE_COLOURS[mode] == roles


def test_precisions_wear_these_tones() -> None:
    assert PRECISION_TONES == {"float64": "ink", "float32": "accent", "bfloat16": "muted", "float16": "pale"}


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_role_can_be_read_on_paper_and_diverging_sides_are_blue_and_orange(mode: str) -> None:
    assert all(contrast(colour, PAPER[mode]) >= 4.5 for colour in ROLE_COLOURS[mode].values())
    below, above = ([int(stop[i : i + 2], 16) for i in (1, 5)] for stop in SCALES[mode]["diverging"][1:6:4])
    assert below[0] < below[1]
    assert above[0] > above[1]
