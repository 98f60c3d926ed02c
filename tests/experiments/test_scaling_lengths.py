"""The largest weight over the number of keys, against loops over rows, and its bound."""

import math

import numpy as np
import pytest
import torch

from attention_core.measuring.inputs import generator
from attention_core.measuring.run import run
from attention_core.studies.scaling import ScalingConfig, run_lengths
from tests.sweeps import some_by_day

FOUR = ("float64", "float32", "bfloat16", "float16")


def drawn(kind: str, rows: int, seed: int) -> np.ndarray:
    return torch.randn(rows, 64, generator=generator(seed, "scaling", "many keys", kind)).double().numpy()


@pytest.mark.parametrize(
    ("settings", "factor"),
    [
        ({"scale": "root"}, lambda _: 1 / 8),
        ({"scale": "log"}, lambda n: math.log(n) / 8),
        ({"scale": "power", "alpha": 0.75, "std": 0.5, "temperature": 0.5}, lambda _: 0.25 * 2 * 64**-0.75),
    ],
)
def test_it_is_that_of_a_loop_over_rows(settings: dict[str, object], factor: object) -> None:
    result = run_lengths(ScalingConfig(seed=4, **settings))
    queries, keys = drawn("query", 128, 4), drawn("key", 4096, 4)
    assert result.lengths.tolist() == [2**i for i in range(1, 13)]
    leads, largest = np.zeros((128, 12)), np.zeros((128, 12))
    grows = settings["scale"] == "log"
    for row, query in enumerate(queries):
        products = keys @ query
        for at, n in enumerate(result.lengths):
            scores = factor(n) * products[:n]
            largest[row, at] = 1 / np.exp(scores - scores.max()).sum()
            steady = scores / math.log(n) if grows else scores
            leads[row, at] = steady.max() - steady.mean()
    bounds = np.exp(leads.max(1))[:, None] / result.lengths
    np.testing.assert_allclose(result.chosen.largest, largest.mean(0), rtol=1e-10)
    np.testing.assert_allclose(result.chosen.bound, np.minimum(bounds, 1).mean(0), rtol=1e-10)
    assert result.chosen.above.tolist() == (largest > bounds).sum(0).tolist()
    assert (result.chosen.above.sum() > 500) == grows


def test_the_known_curves_are_those_of_their_own_settings() -> None:
    of = {scale: run_lengths(ScalingConfig(scale=scale)) for scale in ("none", "root", "log")}
    for name, field in (("root", "steady"), ("log", "growing")):
        for result in of.values():
            np.testing.assert_array_equal(getattr(result, field).largest, of[name].chosen.largest)
    assert (of["root"].chosen.name, of["log"].chosen.name) == ("1/√d_head", "ln n/√d_head")


@pytest.mark.parametrize("dtype", some_by_day(FOUR, of=2))
@pytest.mark.parametrize(
    ("settings", "outcome"),
    [
        ({"scale": "root"}, "holds"), ({"scale": "head"}, "holds"), ({"scale": "root", "qk_norm": True}, "holds"),
        ({"scale": "root", "inputs": "signs"}, "holds"), ({"scale": "none", "std": 0.3}, "holds"),
        ({"scale": "root", "through_module": True}, "holds"), ({"scale": "root", "temperature": 10.0}, "holds"),
        ({"scale": "power", "alpha": 1.75, "temperature": 7.5, "correlation": 0.9}, "holds"),
        ({"scale": "log"}, "fails"), ({"scale": "log", "inputs": "uniform"}, "fails"),
        ({"scale": "log", "through_module": True}, "fails"), ({"scale": "log", "qk_norm": True}, "fails"),
        ({"scale": "none"}, "undecided"), ({"scale": "root", "std": 2.0}, "undecided"),
        ({"scale": "log", "std": 0.1}, "undecided"),
    ],
)  # fmt: skip
def test_it_falls_with_scores_that_stay_and_not_with_those_that_grow(
    settings: dict[str, object], outcome: str, dtype: str
) -> None:
    found = run(ScalingConfig(dtype=dtype, **settings), experiment=run_lengths).verdicts
    assert {one.key: one.outcome for one in found} == dict.fromkeys(("dilute.row", "dilute.most"), outcome)


def test_weights_that_forget_a_key_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a mask that hides most keys would: what is left is shared by fewer than there are."""
    right = torch.Tensor.softmax
    monkeypatch.setattr(torch.Tensor, "softmax", lambda scores, *_, **__: right(scores[..., :2], -1))
    found = run_lengths(ScalingConfig(scale="root")).verdicts
    assert [one.outcome for one in found] == ["surprises", "surprises"]
