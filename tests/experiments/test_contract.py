"""What all experiments stand on: verdicts, tolerances, configs that refuse, and seeded inputs."""

import dataclasses
import math
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from attention_core import language
from attention_core.language import using
from attention_core.measuring.bounds import output_tolerance, tolerance
from attention_core.measuring.checks import ConfigError, check_float, check_permutation, check_tokens
from attention_core.measuring.config import RunConfig
from attention_core.measuring.inputs import draw_parameters, embed, generator
from attention_core.measuring.number_format import format_number, percent
from attention_core.measuring.verdict import Result, Verdict
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.projections import Identity
from tests.texts import number_of


def verdict(**more: object) -> Verdict:
    given = {
        "key": "perm-kv",
        "says": "the outputs differ by at most",
        "quantity": "max |a − b|",
        "measured": 8.9e-16,
        "relation": "≤",
        "bound": 5.1e-14,
        "expected": True,
        "cases": "all 5,040 orders",
        "dtype": "float64",
        "device": "cpu",
    }
    return Verdict(**(given | more))


@pytest.mark.parametrize(
    ("relation", "measured", "bound", "holds"),
    [
        ("≤", 1.0, 1.0, True), ("≤", 1.1, 1.0, False), ("≥", 1.0, 1.0, True), ("≥", 0.9, 1.0, False),
        ("=", 3.0, 3.0, True), ("=", 3.0, 4.0, False), ("in", 0.5, (0.0, 1.0), True), ("in", 1.5, (0.0, 1.0), False),
        ("≤", math.nan, 1.0, False), ("≥", math.nan, 1.0, False), ("in", math.nan, (0.0, 1.0), False),
    ],
)  # fmt: skip
def test_a_verdict_holds_as_its_relation_says(relation: str, measured: float, bound: object, holds: bool) -> None:
    found = {"relation": relation, "measured": measured, "bound": bound}
    assert verdict(**found).holds is holds
    assert verdict(**found).outcome == ("holds" if holds else "surprises")
    assert verdict(**found, expected=False).outcome == ("surprises" if holds else "fails")
    assert verdict(**found, expected=None, because="it drowns").outcome == "undecided"


def test_what_leaves_a_verdict_undecided_must_be_said() -> None:
    with pytest.raises(ValueError, match="what leaves 'perm-kv' undecided must be said"):
        verdict(expected=None)
    assert verdict(key="perm-kv.all").claim == "perm-kv"


def test_a_verdict_reads_as_one_line() -> None:
    line = "max |a − b| = 8.90×10⁻¹⁶ ≤ 5.10×10⁻¹⁴ · holds · all 5,040 orders · float64 · cpu"
    assert verdict().sentence() == line
    assert "= 0.600 > 5.10×10⁻¹⁴ · does not hold" in verdict(measured=0.6).sentence()
    assert "= 0.400 < 0.500 · does not hold" in verdict(measured=0.4, relation="≥", bound=0.5).sentence()
    assert "= 0.600 ≥ 0.500 · holds" in verdict(measured=0.6, relation="≥", bound=0.5).sentence()
    assert "= 0.200 ∈ [0.100, 0.500]" in verdict(measured=0.2, relation="in", bound=(0.1, 0.5)).sentence()
    assert "= 0.600 ∉ [0.100, 0.500]" in verdict(measured=0.6, relation="in", bound=(0.1, 0.5)).sentence()
    assert "= 7 tokens ≠ 8 · does not hold" in verdict(measured=7, relation="=", bound=8, unit="tokens").sentence()


def test_a_relation_and_its_bound_must_fit() -> None:
    with pytest.raises(ValueError, match="'in' takes a pair"):
        verdict(relation="in", bound=1.0)
    with pytest.raises(ValueError, match="does not fit"):
        verdict(relation="≤", bound=(0.0, 1.0))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (-0.0, "0"), (5040.0, "5,040"), (0.012345, "0.0123"),
        (1.23456e-15, "1.23×10⁻¹⁵"), (-0.5, "−0.500"),
        (123456.7, "123,457"), (1.5e7, "1.50×10⁷"), (math.nan, "NaN"), (math.inf, "∞"), (-math.inf, "−∞"),
    ],
)  # fmt: skip
def test_numbers_have_three_significant_digits(value: float, text: str) -> None:
    assert format_number(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0%"), (5e-6, "<0.001%"), (1e-5, "0.001%"), (0.0031, "0.3%"), (0.01, "1%"), (0.096, "10%"),
        (0.75, "75%"), (1.0, "100%"),
    ],
)  # fmt: skip
def test_a_share_is_in_whole_percent_and_below_one_with_one_digit(share: float, text: str) -> None:
    assert percent(share) == text


@given(st.floats(1e-300, 1e300))
def test_a_formatted_number_reads_back_within_half_a_percent(value: float) -> None:
    assert number_of(format_number(value)) == pytest.approx(value, rel=5.1e-3)


@given(
    st.lists(st.floats(-1, 1), min_size=1, max_size=500),
    st.sampled_from([torch.float64, torch.float32, torch.float16]),
)
def test_the_tolerance_covers_what_rounding_does_to_a_sum(values: list[float], dtype: torch.dtype) -> None:
    exact = torch.tensor(values, dtype=dtype)
    total = torch.zeros((), dtype=dtype)
    for value in exact:
        total = total + value
    reference = math.fsum(exact.double().tolist())
    scale = float(exact.double().abs().sum())
    assert abs(float(total) - reference) <= tolerance(dtype, scale=scale, terms=len(values)) + 1e-7 * (
        dtype == torch.float16
    )


def test_the_tolerance_refuses_what_has_no_meaning() -> None:
    for scale in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="finite number ≥ 0"):
            tolerance(torch.float32, scale=scale, terms=1)
    with pytest.raises(ValueError, match="at least one rounding"):
        tolerance(torch.float32, scale=1.0, terms=0)


def test_the_output_tolerance_is_far_below_the_output_and_above_its_rounding() -> None:
    for options in ({}, {"projections": Identity()}):
        module = draw_parameters(MultiHeadAttention(24, 3, dtype=torch.float64, **options), 1, bias_std=0.5)
        x = torch.randn(1, 7, 24, generator=generator(2), dtype=torch.float64)
        for dtype in (torch.float64, torch.float32):
            cast = module.to(dtype)
            with torch.no_grad():
                bound = output_tolerance(cast, cast.trace(x.to(dtype)))
                moved = float((cast(x.to(dtype).flip(1)).flip(1) - cast(x.to(dtype))).abs().max())
                assert moved <= bound < 1e-3 * float(cast(x.to(dtype)).abs().max())


def test_a_config_is_frozen_and_checks_itself() -> None:
    config = RunConfig()
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.seed = 3  # type: ignore[misc]
    assert config.torch_dtype == torch.float64
    with pytest.raises(ConfigError) as caught:
        RunConfig(seed=1_000_000)
    assert (caught.value.field, caught.value.value) == ("seed", 1_000_000)
    assert "whole number from 0 to 999,999" in caught.value.allowed


@given(st.one_of(st.none(), st.text(), st.floats(), st.integers(), st.lists(st.integers()), st.booleans()))
def test_checks_answer_any_value_with_a_config_error_or_not_at_all(value: object) -> None:
    said = []
    for check in (
        lambda: check_float("x", value, 0.0, 1.0),
        lambda: check_tokens("x", value),
        lambda: check_permutation("x", value, 3),
        lambda: RunConfig(seed=value),  # type: ignore[arg-type]
        lambda: RunConfig(dtype=value),  # type: ignore[arg-type]
        lambda: RunConfig(device=value),  # type: ignore[arg-type]
    ):
        try:
            check()
        except ConfigError as error:
            said.append(str(error))
    assert all("is not possible" in one and len(one) < 400 for one in said)


def test_a_token_has_the_same_embedding_everywhere_and_always() -> None:
    first = embed(("a", "b", "a"), 5, 0)
    assert torch.equal(first[0], first[2])
    assert not torch.equal(first[0], first[1])
    assert torch.equal(embed(("b",), 5, 0)[0], first[1])
    assert not torch.equal(embed(("a",), 5, 1)[0], first[0])


def test_drawing_leaves_the_global_stream_alone() -> None:
    module, before = nn.Linear(3, 4).double(), torch.get_rng_state()
    draw_parameters(module, 0)
    generator(1, "x")
    embed(("a",), 4, 0)
    assert torch.equal(torch.get_rng_state(), before)


def test_parameters_are_drawn_at_the_scale_that_is_said() -> None:
    module = draw_parameters(nn.Sequential(nn.Linear(400, 300), nn.LayerNorm(300)).double(), 3, bias_std=0.5)
    assert float(module[0].weight.detach().std()) == pytest.approx(1 / 20, rel=0.02)
    assert float(module[0].bias.detach().std()) == pytest.approx(0.5, rel=0.2)
    assert torch.equal(module[1].weight, torch.ones(300, dtype=torch.float64))


def test_a_verdict_is_short_to_read_and_prints_its_sentence() -> None:
    made = verdict()
    assert str(made) == f"{made}" == made.sentence()
    assert repr(made) == "<Verdict perm-kv: max |a − b| = 8.90×10⁻¹⁶ ≤ 5.10×10⁻¹⁴ · holds>"


@pytest.mark.parametrize(
    ("measured", "more", "word"),
    [
        (0.0, {}, "Holds"),
        (1.0, {"expected": False, "because": '<b>\'s & "switch"'}, "Not so here, and theory agrees"),
        (1.0, {}, "Differs from theory"), (1.0, {"expected": None, "because": "it drowns"}, "Not decided here"),
    ],
)  # fmt: skip
def test_a_notebook_shows_the_outcome_in_words_and_text_as_text(
    measured: float, more: dict, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = verdict(measured=measured, says="<script>alert(1)</script> moves by", unit="<i>", **more)
    shown = made._repr_html_()
    assert f"<strong>{word}</strong>" in shown
    with monkeypatch.context() as patch, using("zh"):  # whether or not a translator has come to it yet
        patch.setattr(language, "catalogue", lambda _: SimpleNamespace(gettext=lambda text: f"⟦{text}⟧"))
        assert f"<strong>⟦{word}⟧</strong>" in made._repr_html_()
    ElementTree.fromstring(shown)  # well formed, so nothing in it was taken for a tag
    plain = " ".join(ElementTree.fromstring(shown).itertext())
    for text in (made.says, made.numbers, made.circumstances, made.because):
        assert text in plain
    assert not {"script", "b", "i"} & {each.tag for each in ElementTree.fromstring(shown).iter()}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured(Result):
    halves: np.ndarray
    counts: np.ndarray


def test_a_result_converts_and_signs_itself() -> None:
    halves, config = torch.tensor([0.5, 1.5], dtype=torch.bfloat16, requires_grad=True), RunConfig(seed=3)
    result = Measured.of(config, (verdict(),), halves=halves, counts=np.array([1, 2], np.int32))
    assert (result.halves.dtype, result.halves.tolist()) == (np.float64, [0.5, 1.5])
    assert result.counts.dtype == np.int32, "an array keeps its kind"
    for values in (result.halves, result.counts):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 0
    assert (result.provenance.seed, result.provenance.dtype) == (3, config.dtype)
    assert result.about("perm-kv").verdicts == result.verdicts == (verdict(),)
    assert not result.about("another").verdicts
    with pytest.raises(TypeError, match="thirds"):
        Measured.of(config, thirds=halves)
