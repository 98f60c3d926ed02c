"""Attention on pictures: each claim in every precision, whatever is drawn; and what only this study promises."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.claims import claims
from attention_core.measuring.run import run
from attention_core.measuring.step import Step
from attention_core.shipped import vision
from attention_core.shipped.shapes import SHAPES
from attention_core.studies.images import (
    GRID,
    OWN,
    PATCHES,
    SIZE,
    ImagesConfig,
    digits_of,
    picture_of,
    run_images,
    steps_images,
)
from attention_core.studies.images import model as models
from attention_core.studies.images.convolution import convolutions
from attention_core.studies.images.pictures import cut, joined, order_of, shown_picture
from attention_core.studies.images.ranks import rank_correlation
from tests.sweeps import some_by_day

PRECISIONS = ("float64", "float32", "bfloat16", "float16")
CLAIMS = [claim for claim in claims() if claim.config is ImagesConfig]
EACH = [pytest.param(claim, precision, id=f"{claim.id} {precision}") for claim in CLAIMS for precision in PRECISIONS]
SIDE = SIZE // GRID


def outcomes_of(claim: Any, **settings: Any) -> set[str]:
    return {verdict.outcome for verdict in run(claim.settings(**settings)).about(claim.id).verdicts}


@pytest.mark.slow
@pytest.mark.parametrize(("claim", "precision"), some_by_day(EACH, of=3))
def test_no_claim_surprises_in_any_precision_and_what_breaks_it_does(claim: Any, precision: str) -> None:
    """In half precision rounding may be too near to tell, and is said to be."""
    held, broken = outcomes_of(claim, dtype=precision), outcomes_of(claim, broken=True, dtype=precision)
    coarse = precision in ("bfloat16", "float16")
    assert "fails" in broken or (coarse and "undecided" in broken)
    assert "surprises" not in held | broken
    assert held == {"holds"} or (coarse and held <= {"holds", "undecided"})


@pytest.mark.nightly  # 1,536 runs
@pytest.mark.parametrize("weights", ["shipped", "untrained"])
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_each_claim_holds_and_breaks_whatever_is_drawn(claim: Any, weights: str) -> None:
    for seed in range(12):
        for picture in (*SHAPES, "two", "noise"):
            more = {"dtype": "float64", "seed": seed}
            for broken, expected in ((False, {"holds"}), (True, None)):
                config = claim.settings(broken=broken, **more)
                found = run_images(type(config)(**{**_fields(config), "weights": weights, "picture": picture}))
                outcomes = {verdict.outcome for verdict in found.about(claim.id).verdicts}
                assert outcomes == expected if expected else "fails" in outcomes, (seed, picture, broken)
                assert "surprises" not in outcomes


def _fields(config: ImagesConfig) -> dict[str, Any]:
    return {name: getattr(config, name) for name in config.__dataclass_fields__}


def test_a_shuffle_moves_every_patch_and_no_pixel_within_it() -> None:
    config = ImagesConfig(seed=5, shuffled=True)
    plain, (placed, _) = picture_of(config), shown_picture(config)
    order = order_of(config)
    assert sorted(order) == list(range(PATCHES))
    assert all(at != place for place, at in enumerate(order))
    for row, column in np.ndindex(SIZE, SIZE):
        from_row, from_column = divmod(order[row // SIDE * GRID + column // SIDE], GRID)
        assert placed[row, column] == plain[from_row * SIDE + row % SIDE, from_column * SIDE + column % SIDE]
    assert torch.equal(joined(cut(plain)), plain)


def test_a_covered_patch_is_paper_and_all_else_stays() -> None:
    config = ImagesConfig(picture="noise", covered=7)
    placed, shown = shown_picture(config)
    assert not shown[4:8, 8:12].any()
    left = torch.ones(SIZE, SIZE, dtype=torch.bool)
    left[4:8, 8:12] = False
    assert torch.equal(shown[left], placed[left])


def test_what_covering_costs_is_what_each_covered_picture_has_lost() -> None:
    """Read by the model once for each patch, and ranked with the weights of the picture as it stands."""
    config = ImagesConfig(picture="cross", positions="learned", shuffled=True)
    result, model = run_images(config), models.model_of(config)
    placed, _ = shown_picture(config)

    def lead(picture: torch.Tensor) -> float:
        scores = model(picture[None])[0].tolist()
        return scores[result.answer] - max(score for at, score in enumerate(scores) if at != result.answer)

    assert result.answer == int(model(placed[None]).argmax())
    assert result.lead == pytest.approx(lead(placed))
    for patch in range(PATCHES):
        row, column = divmod(patch, GRID)
        other = placed.clone()
        other[SIDE * row : SIDE * (row + 1), SIDE * column : SIDE * (column + 1)] = 0.0
        assert result.costs[patch] == pytest.approx(lead(placed) - lead(other), abs=1e-12)
    weights = model.trace(placed[None]).self_attention[1].weights[0, 2, 0, 1:].numpy()
    assert result.ranks[1, 2] == pytest.approx(plain_rank_correlation(weights.tolist(), result.costs.tolist()))


def plain_rank_correlation(one: list[float], other: list[float]) -> float:
    """One rank at a time; equal numbers share the mean of theirs."""

    def ranks(values: list[float]) -> list[float]:
        order = sorted(range(len(values)), key=values.__getitem__)
        places: dict[float, list[int]] = {}
        for place, at in enumerate(order):
            places.setdefault(values[at], []).append(place)
        return [sum(places[value]) / len(places[value]) for value in values]

    left, right = ranks(one), ranks(other)
    means = sum(left) / len(left), sum(right) / len(right)
    both = sum((a - means[0]) * (b - means[1]) for a, b in zip(left, right, strict=True))
    sizes = [sum((a - mean) ** 2 for a in side) for side, mean in zip((left, right), means, strict=True)]
    return both / math.sqrt(sizes[0] * sizes[1])


def test_ranks_agree_with_those_counted_one_by_one() -> None:
    draw = np.random.default_rng(2)
    for _ in range(20):
        one, other = draw.integers(0, 5, (2, 16)).astype(float)
        assert rank_correlation(one, other) == pytest.approx(plain_rank_correlation(one.tolist(), other.tolist()))
    assert rank_correlation(np.arange(4.0), np.arange(4.0)[::-1]) == pytest.approx(-1)
    assert math.isnan(rank_correlation(np.ones(4), np.arange(4.0)))


def test_one_layer_sees_all_and_in_a_window_what_lies_around() -> None:
    assert run_images(ImagesConfig()).seen.all()
    seen = run_images(ImagesConfig(window=True)).seen
    for one, other in np.ndindex(PATCHES, PATCHES):
        (r, c), (row, column) = divmod(one, GRID), divmod(other, GRID)
        assert seen[one, other] == (max(abs(r - row), abs(c - column)) <= 1)


@pytest.mark.slow
def test_from_a_corner_each_layer_of_convolutions_sees_a_row_and_a_column_more() -> None:
    for dtype in PRECISIONS:
        found = run_images(ImagesConfig(dtype=dtype)).pixels_seen
        assert found.tolist() == [(layers + 1) ** 2 for layers in range(1, SIZE)]


def test_the_convolutions_are_those_of_torch_and_off_by_less_than_their_bound() -> None:
    config = ImagesConfig(dtype="float32")
    network, picture = convolutions(config), picture_of(config)[None]
    exact = type(network)(*(each.double() for each in network))
    layers = [torch.nn.Conv2d(1, 8, 3, padding=1, bias=False), torch.nn.Conv2d(8, 8, 3, padding=1, bias=False)]
    for layer, weight in zip(layers, network, strict=False):
        layer.weight = torch.nn.Parameter(weight)
    wide = layers[1](layers[0](picture.float()[:, None]).relu()).relu()
    assert torch.allclose(network(picture.float()), wide.flatten(2).mean(2) @ network.head.T, atol=1e-6)
    off = (network(picture.float()).double() - exact(picture)).abs().max()
    assert off <= network.tolerance(picture.float()) < 0.01 * exact(picture).abs().max()


def test_a_picture_of_ones_own_is_what_its_digits_say() -> None:
    digits = "0123456789abcdef" * SIZE
    config = ImagesConfig(picture=OWN, pixels=digits)
    assert picture_of(config)[3].tolist() == [grey / 15 for grey in range(16)]
    assert digits_of(picture_of(config)) == digits
    assert digits_of(picture_of(ImagesConfig(picture="two"))) == digits_of(
        run_images(ImagesConfig(picture="two")).picture
    )


def test_of_a_blank_picture_nothing_is_said_to_hold() -> None:
    result = run_images(ImagesConfig(picture=OWN))
    open_ones = {verdict.key for verdict in result.verdicts if verdict.outcome == "undecided"}
    assert open_ones == {"vit-order.same", "vit-order.convolution", "patch-linear", "vit-cover"}
    assert np.isnan(result.ranks).all()


def test_settings_that_share_a_model_train_it_once_and_together(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, steps = [], []

    def counted(
        positions: str, recipe: vision.PictureRecipe
    ) -> Iterator[tuple[int, float, vision.VisionTransformer]]:
        begun.append((positions, recipe.seed))
        for done in range(100, recipe.steps + 1, 100):
            steps.append(done)
            yield done, 1.0, vision.blank_vision(positions)

    monkeypatch.setattr(models, "training", counted)
    monkeypatch.setattr(models, "_trained", type(models._trained)())
    both = [models.train_here(ImagesConfig(weights="live", seed=4, shuffled=on)) for on in (False, True)]
    seen = [step.done for pair in zip(*both, strict=False) for step in pair]
    assert begun == [("none", 4)]
    assert steps == sorted({*steps}) == list(range(100, models.STEPS + 1, 100)), "each hundred once"
    assert seen[:6] == [0, 0, 100, 200, 300, 400], "who comes next goes on"
    assert ("none", 4) in models._trained
    del both
    gone = models.train_here(ImagesConfig(weights="live", seed=5))
    next(gone), next(gone)
    gone.close()
    del gone
    assert [*models._under_way] == [], "what nobody waits for takes no memory"
    other = models.train_here(ImagesConfig(weights="live", seed=5))
    assert [next(other).done for _ in range(2)] == [0, 100], "and begins anew"


@pytest.mark.slow
def test_trained_here_a_seed_gives_one_model_that_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "STEPS", 200)
    monkeypatch.setattr(models, "_trained", type(models._trained)())
    config = ImagesConfig(weights="live", seed=4, positions="learned")
    *steps, result = steps_images(config)
    assert [step.done for step in steps if isinstance(step, Step)] == [0, 100, 200]
    assert "loss" in str(steps[-1])
    again = list(steps_images(config))
    assert len(again) == 2
    assert np.array_equal(again[-1].probabilities, result.probabilities)
    other = list(steps_images(ImagesConfig(weights="live", seed=5, positions="learned")))[-1]
    assert not np.array_equal(other.weights, result.weights)
    for seed in range(6, 6 + models._KEPT + 1):
        monkeypatch.setattr(models, "STEPS", 1)
        list(models.train_here(ImagesConfig(weights="live", seed=seed)))
    assert len(models._trained) == models._KEPT
