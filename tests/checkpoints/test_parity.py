"""Every family computes what transformers computes with the same weights: outputs, and each layer's weights."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from attention_core import load_checkpoint
from tests.checkpoints.originals import BOUND, ORIGINALS, PAD, VOCAB, original, original_answer

PADDING = {"none": [11, 11, 11], "left": [11, 6, 1], "right": [11, 6, 1], "short": [1]}
IDS = [f"{name}-{number}" for number, (_, name, _) in enumerate(ORIGINALS)]


def sentences(padding: str) -> tuple[Tensor, Tensor]:
    """Numbers of tokens, and which of them are real (batch, tokens)."""
    lengths = torch.tensor(PADDING[padding])
    slots = torch.arange(int(lengths.max()))
    real = slots < lengths[:, None]
    real = real.flip(1) if padding == "left" else real
    ids = torch.randint(2, VOCAB, real.shape, generator=torch.Generator().manual_seed(1))
    return ids.masked_fill(~real, PAD), real


def far(ours: Tensor, theirs: Tensor, compared: Tensor) -> float:
    """The largest difference (batch, tokens, …) at the tokens that are compared."""
    return float((ours - theirs)[compared].abs().max())


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, Path]]:
    """Each original in float64, and the folder that transformers wrote."""
    made = {}
    for key, (kind, name, settings) in zip(IDS, ORIGINALS, strict=True):
        made[key] = original(kind, name, settings), tmp_path_factory.mktemp(name)
        made[key][0].save_pretrained(made[key][1])
    return made


@pytest.mark.parametrize("padding", PADDING)
@pytest.mark.parametrize("key", IDS)
def test_outputs_and_weights_are_the_originals(key: str, padding: str, saved: dict[str, tuple[Any, Path]]) -> None:
    model, folder = saved[key]
    checkpoint = load_checkpoint(folder)
    ids, real = sentences(padding)
    output, weights = original_answer(model, ids, real)
    compared = real if checkpoint.config.causal else torch.ones_like(real)  # there padding sees the words, too
    with torch.no_grad():
        ours, traces = checkpoint(ids, key_padding_mask=~real), checkpoint.trace(ids, key_padding_mask=~real)
    assert ours.dtype == output.dtype == torch.float64
    assert ours.shape == output.shape
    assert far(ours, output, compared) <= BOUND
    assert len(traces) == len(weights) == checkpoint.config.num_layers
    for trace, theirs in zip(traces, weights, strict=True):
        assert trace.weights.shape == theirs.shape
        assert far(trace.weights.transpose(1, 2), theirs.transpose(1, 2), compared) <= BOUND
