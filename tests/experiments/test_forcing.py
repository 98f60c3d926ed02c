"""Teacher forcing: one pass over a text beside a pass over each beginning of it, against torch's own layers."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from attention_core.measuring.inputs import embed
from attention_core.studies.masks import MasksConfig, forcing_snippet, run_forcing
from attention_core.studies.masks.stack import make_stack
from tests.experiments.snippets import own_lines, run_snippets
from tests.studies import STUDIES, settings

TEXT = ("the", "cat", "sat", "on", "the", "mat")
PARTS = {
    "self_attn.in_proj_weight": "self_attention.in_weight", "self_attn.out_proj.weight": "self_attention.o_weight",
    "self_attn.out_proj.bias": "self_attention.o_bias", "linear1": "feed_forward.widen",
    "linear2": "feed_forward.narrow", "norm1": "self_attention_norm", "norm2": "feed_forward_norm",
}  # fmt: skip


def torchs_own(config: MasksConfig) -> nn.TransformerEncoder:
    """The layers of an encoder or a decoder as torch has them, with the same parameters."""
    layer = nn.TransformerEncoderLayer(
        16, 2, 64, dropout=0.0, activation="gelu", batch_first=True, norm_first=True, dtype=torch.float64
    )
    made = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    ours = make_stack(config).state_dict()
    for name, parameter in made.named_parameters():
        _, number, part = name.split(".", 2)
        at = f"layers.{number}."
        if part == "self_attn.in_proj_bias":
            values = torch.cat([ours[f"{at}self_attention.{role}_bias"] for role in "qkv"])
        else:
            theirs = next(one for one in PARTS if part.startswith(one))
            values = ours[at + PARTS[theirs] + part.removeprefix(theirs)]
        parameter.data.copy_(values)
    return made


def with_sines(words: tuple[str, ...]) -> torch.Tensor:
    x = embed(words, 16, 0).numpy().copy()
    for slot in range(len(words)):
        for i in range(8):
            angle = slot / 10000 ** (2 * i / 16)
            x[slot, 2 * i] += np.sin(angle)
            x[slot, 2 * i + 1] += np.cos(angle)
    return torch.from_numpy(x)[None]


def shares(output: np.ndarray) -> np.ndarray:
    """Of the five words of the text, in the order in which they come."""
    scores = np.array([float(output @ embed((word,), 16, 0)[0].numpy()) / 4 for word in TEXT[:4] + TEXT[5:]])
    return np.exp(scores) / np.exp(scores).sum()


@pytest.mark.parametrize("causal", [True, False])
def test_both_predictions_are_those_of_torchs_layers(causal: bool) -> None:
    config = MasksConfig(stack="decoder" if causal else "encoder", device="cpu")
    result, layers = run_forcing(config), torchs_own(config)
    assert (result.text, result.kinds) == (TEXT, ("the", "cat", "sat", "on", "mat"))
    hides = torch.ones(6, 6, dtype=torch.bool).triu(1) if causal else None
    with torch.no_grad():
        whole = layers(with_sines(TEXT), mask=hides)[0].numpy()
        for t in range(6):
            begun = None if hides is None else hides[: t + 1, : t + 1]
            last = layers(with_sines(TEXT[: t + 1]), mask=begun)[0, -1].numpy()
            np.testing.assert_allclose(result.each_pass[t], shares(last), atol=1e-12)
            np.testing.assert_allclose(result.one_pass[t], shares(whole[t]), atol=1e-12)
            assert np.allclose(last, whole[t], atol=1e-12) == (causal or t == 5)


def test_what_is_ahead_is_counted_pair_by_pair() -> None:
    """A window of one word to either side, through two layers: each word depends on the two that follow it."""
    found = run_forcing(MasksConfig(window=1)).verdict("forcing.later")
    assert (found.measured, found.unit) == (4 + 5, "of 15 pairs of a word and a later one")
    assert run_forcing(MasksConfig()).verdict("forcing.later").measured == 15
    assert run_forcing(MasksConfig(stack="decoder", window=1)).verdict("forcing.later").measured == 0


def test_the_text_of_an_encoder_decoder_is_its_first_target() -> None:
    result = run_forcing(MasksConfig(stack="encoder-decoder"))
    assert result.text == ("猫", "坐", "在", "垫子", "上")
    assert result.one_pass.shape == (5, 5)
    assert result.provenance.dtype == "float64"


def test_batch_norm_needs_two_words_for_its_shortest_beginning() -> None:
    result = run_forcing(MasksConfig(stack="decoder", batch_norm=True))
    assert (result.first, len(result.each_pass)) == (2, 5)
    assert run_forcing(MasksConfig(stack="decoder")).first == 1


CODE = (
    {"stack": "decoder", "seed": 5}, {"stack": "decoder", "positions": "learned", "batch_norm": True},
    {"window": 1, "positions": "none"}, {"stack": "encoder-decoder", "window": 2, "dtype": "float32"},
    {"stack": "encoder-decoder", "positions": "learned", "batch_norm": True}, {"sentences": (("x", "<b>", "x"),)},
)  # fmt: skip


def test_its_code_prints_what_was_measured() -> None:
    tried = next(one for one in STUDIES if one.config is MasksConfig)
    configs: list[Any] = [*(MasksConfig(**one) for one in CODE), *settings(tried, "float64", 4, seed=3)]
    codes = [forcing_snippet(one) for one in configs]
    for config, code, text in zip(configs, codes, run_snippets(codes), strict=True):
        assert len(own_lines(code)) <= 60
        rounding = 1e-4 if config.dtype == "float32" else 1e-12
        measured = run_forcing(config).verdict("forcing").measured
        assert float(text.split()[-1]) == pytest.approx(measured, rel=6e-3, abs=rounding), config


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_no_precision_sees_a_later_word(dtype: str) -> None:
    found = run_forcing(MasksConfig(stack="decoder", dtype=dtype))
    assert found.verdict("forcing.later").outcome == "holds"
    assert found.verdict("forcing").outcome in ("holds", "undecided")
    broken = run_forcing(MasksConfig(dtype=dtype))
    assert [one.outcome for one in broken.verdicts] == ["fails", "fails"]
