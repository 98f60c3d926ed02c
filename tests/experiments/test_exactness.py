"""Each form holds and breaks in every precision, whatever is drawn; and what only this study promises."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.claims import claims
from attention_core.measuring.run import run
from attention_core.modules.tiled import tiled_attention
from attention_core.studies.exactness import (
    FORMS,
    LENGTHS,
    TURNED_NAMES,
    Batch,
    ExactnessConfig,
    Latent,
    Pairs,
    Speculation,
    Tiles,
    run_exactness,
)
from attention_core.studies.exactness.writing import BEGUN, writer
from tests.sweeps import some_by_day

PRECISIONS = ("float64", "float32", "bfloat16", "float16")
CLAIMS = [claim for claim in claims() if claim.config is ExactnessConfig]
EACH = [pytest.param(claim, precision, id=f"{claim.id} {precision}") for claim in CLAIMS for precision in PRECISIONS]


@pytest.mark.nightly  # seven minutes of one core
@pytest.mark.parametrize(("claim", "precision"), EACH)
def test_each_claim_holds_and_breaks_whatever_is_drawn(claim: Any, precision: str) -> None:
    for seed in range(20):
        held = run(claim.settings(dtype=precision, seed=seed)).about(claim.id)
        assert {one.outcome for one in held.verdicts} == {"holds"}, seed
        broken = run(claim.settings(broken=True, dtype=precision, seed=seed)).about(claim.id)
        outcomes = {one.outcome for one in broken.verdicts}
        assert "fails" in outcomes, seed
        assert "surprises" not in outcomes, seed


@pytest.mark.parametrize(("claim", "precision"), some_by_day(EACH, of=5))
def test_each_claim_holds_and_breaks_in_every_precision(claim: Any, precision: str) -> None:
    held = run(claim.settings(dtype=precision)).about(claim.id)
    assert {one.outcome for one in held.verdicts} == {"holds"}
    broken = {one.outcome for one in run(claim.settings(broken=True, dtype=precision)).about(claim.id).verdicts}
    assert "fails" in broken
    assert "surprises" not in broken


def test_after_the_last_tile_stand_the_weights_of_whole_rows() -> None:
    for order in ("forwards", "backwards", "shuffled"):
        part = run_exactness(ExactnessConfig(tile=2, order=order, causal=True)).part
        assert isinstance(part, Tiles)
        assert np.abs(part.weights[-1] - part.plain).max() < 1e-14
        assert sorted(part.order) == [0, 1, 2]
        assert (part.maxima == np.maximum.accumulate(part.maxima, axis=0)).all()


def test_what_is_alive_is_counted_as_by_hand() -> None:
    """One tile: scores, what is left of the maximum and its exp, of n · tile numbers; and some rows of a few."""
    part = run_exactness(ExactnessConfig(tile=8)).part
    assert isinstance(part, Tiles)
    tiled, whole = part.alive
    assert (whole >= 2 * np.square(LENGTHS)).all()
    assert (tiled >= 2 * 8 * np.array(LENGTHS)).all()
    assert (tiled <= 16 * 8 * np.array(LENGTHS)).all()
    assert len({int(one) // length for one, length in zip(tiled, LENGTHS, strict=True)}) == 1


@pytest.mark.parametrize(
    ("given", "because"),
    [
        ({"tokens": ("alone",)}, "there is one key"),
        ({"tile": 64}, "the tile is as long as the text or longer"),
        ({"tokens": ("same", "same", "same")}, "all values are equal"),
    ],
)
def test_where_nothing_could_move_the_page_says_why(given: dict[str, Any], because: str) -> None:
    verdict = run_exactness(ExactnessConfig(**given)).verdict("tile-exact")
    assert verdict.outcome == "undecided"
    assert str(verdict.because).startswith(because)


def test_a_row_that_sees_nothing_stays_zero_in_any_order_of_tiles() -> None:
    q, k, v = torch.randn(3, 5, 4, generator=torch.Generator().manual_seed(0))
    seen = torch.ones(5, 5, dtype=torch.bool)
    seen[1] = False
    for order in ([0, 1, 2], [2, 1, 0]):
        out = tiled_attention(q, k, v, tile=2, order=order, attn_mask=seen)
        assert not out[1].any()
        assert out[0].any()


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_large_scores_overflow_without_the_maximum_and_not_with_it(dtype: str) -> None:
    large = {"factor": 1000, "dtype": dtype}
    assert run_exactness(ExactnessConfig(**large)).verdict("tile-exact").outcome in ("holds", "undecided")
    assert run_exactness(ExactnessConfig(no_maximum=True, **large)).verdict("tile-exact").outcome == "fails"
    assert run_exactness(ExactnessConfig(no_maximum=True, dtype=dtype)).verdict("tile-exact").outcome == "holds"


def test_a_word_changes_only_where_its_margin_is_below_twice_the_bound() -> None:
    for seed in range(3):
        part = run_exactness(ExactnessConfig(form="batch", seed=seed)).part
        assert isinstance(part, Batch)
        wide = part.margins > 2 * part.bounds.max(axis=-1)[:, None]
        assert not (part.changed.any(axis=1) & wide).any()
        assert (part.moved.max(axis=-1) <= part.bounds).all()


def test_greedily_the_models_own_words_are_written_however_bad_the_draft_is() -> None:
    for draft in ("layer", "damaged", "same"):
        config = ExactnessConfig(form="speculation", draft=draft)
        part, model = run_exactness(config).part, writer(config)
        assert isinstance(part, Speculation)
        ids = torch.tensor([[model.vocabulary.index(word) for word in part.words[:BEGUN]]])
        alone = model.generate(ids, len(part.words) - BEGUN)[0]
        assert part.words == tuple(model.vocabulary[number] for number in alone)
        assert draft != "same" or part.kept.sum() == len(part.kept) - int(part.calls.max()) - 1


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_where_the_model_drafts_for_itself_every_draft_is_kept_and_greedy_ones_are_no_chance(dtype: str) -> None:
    result = run_exactness(ExactnessConfig(form="speculation", draft="same", greedy=True, dtype=dtype))
    assert result.verdict("spec-dist.share").outcome == "holds"
    assert result.verdict("spec-dist.words").outcome == "fails"


def test_latents_keep_fewer_bytes_as_their_rank_says() -> None:
    part = run_exactness(ExactnessConfig(form="latent", rank=4, dtype="float32")).part
    assert isinstance(part, Latent)
    assert part.token_bytes.tolist() == [2 * 4 * 8 * 4, 2 * 2 * 8 * 4, 2 * 8 * 4, (4 + 4) * 4]


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("positions", TURNED_NAMES)
def test_either_pairing_is_the_other_with_rows_reordered_however_far_and_how_much_is_turned(
    positions: str, dtype: str
) -> None:
    config = ExactnessConfig(form="pairs", positions=positions, dtype=dtype)
    result = run_exactness(config)
    told = {one.outcome for one in result.about("rope-pairs").verdicts}
    assert told == {"holds"} or (told == {"holds", "undecided"} and dtype == "bfloat16")
    assert isinstance(result.part, Pairs)
    assert result.part.order == ((0, 2, 1, 3, 4, 5, 6, 7) if positions == "rotary-part" else (0, 2, 4, 6, 1, 3, 5, 7))
    assert not np.allclose(result.part.unordered, result.part.neighbours, atol=0.05), "the order of rows counts"
    broken = run_exactness(replace(config, one_side=True))
    outcomes = {one.outcome for one in broken.about("rope-pairs").verdicts}
    assert "fails" in outcomes
    assert "surprises" not in outcomes


def test_forms_are_measured_alone() -> None:
    for form in FORMS:
        keys = {one.claim for one in run_exactness(ExactnessConfig(form=form)).verdicts}
        assert keys == {claim.id for claim in CLAIMS if claim.settings().form == form}


def test_the_shipped_model_stays_as_it_is() -> None:
    config = ExactnessConfig(form="speculation", draft="damaged")
    before = copy.deepcopy(writer(config).state_dict())
    run_exactness(config)
    assert all(torch.equal(each, before[name]) for name, each in writer(config).state_dict().items())
