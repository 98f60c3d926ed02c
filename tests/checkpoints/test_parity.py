"""Every family computes what transformers computes with the same weights: outputs, and each layer's weights."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor
from transformers.models.gpt_oss.modeling_gpt_oss import GptOssAttention, GptOssRotaryEmbedding

from attention_core import MultiHeadAttention, load_checkpoint
from attention_core.checkpoints.config_reader import ConfigReader
from attention_core.checkpoints.rotary_options import rotary
from tests.checkpoints.originals import BOUND, ORIGINALS, PAD, VOCAB, InFloat64, original, original_answer
from tests.sweeps import some_by_day

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


@pytest.mark.parametrize(("key", "padding"), some_by_day(product(IDS, PADDING), of=5))
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


@pytest.mark.parametrize("key", some_by_day(range(len(ORIGINALS))), ids=lambda at: IDS[at])
def test_outputs_in_float32_are_the_originals(key: int, tmp_path: Path) -> None:
    model = original(*ORIGINALS[key], dtype=torch.float32)
    model.save_pretrained(tmp_path)
    checkpoint = load_checkpoint(tmp_path)
    ids, real = sentences("left")
    with torch.no_grad():
        said = model(ids, attention_mask=real.long(), output_hidden_states=True)
        logits = said.get("prediction_logits", said.get("logits"))
        output = said.hidden_states[-1] if logits is None or logits.dim() < 3 else logits
        assert far(checkpoint(ids, key_padding_mask=~real), output, real) <= 1e-5


@pytest.mark.parametrize("window", [None, 3])
def test_a_sink_is_that_of_gpt_oss(window: int | None) -> None:
    """Its attention alone: experts are not computed here. Padding on the left, and a window shorter than the text."""
    said = {"hidden_size": 20, "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 4}
    kinds = ["full_attention" if window is None else "sliding_attention"]
    with InFloat64():
        config = transformers.GptOssConfig(
            **said, num_hidden_layers=1, layer_types=kinds, num_local_experts=1, sliding_window=window, vocab_size=9,
            intermediate_size=4, max_position_embeddings=8, attn_implementation="eager",
        )  # fmt: skip
        theirs = GptOssAttention(config, 0).double().eval()
        rotary_emb = GptOssRotaryEmbedding(config)
    position = rotary(ConfigReader(json.loads(json.dumps(config.to_dict())), {}))
    ours = MultiHeadAttention(
        20, 6, num_kv_heads=2, d_head=4, position=position, sink=True, window=None if window is None else window - 1,
        dtype=torch.float64,
    )  # fmt: skip
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for each in theirs.parameters():
            each.copy_(torch.randn(each.shape, generator=generator, dtype=torch.float64) * 0.4)
        for role, part in zip("qkvo", (theirs.q_proj, theirs.k_proj, theirs.v_proj, theirs.o_proj), strict=True):
            getattr(ours, f"{role}_weight").copy_(part.weight)
            getattr(ours, f"{role}_bias").copy_(part.bias)
        ours.sink.copy_(theirs.sinks)
    x = torch.randn(2, 11, 20, generator=generator, dtype=torch.float64)
    padding = torch.arange(11) < torch.tensor([[0], [4]])
    back = torch.arange(11)[:, None] - torch.arange(11)
    seen = (back >= 0) & (back < (window or 11)) & ~padding[:, None, None]
    hidden = torch.zeros(seen.shape, dtype=torch.float64).masked_fill(~seen, -torch.inf)
    with torch.no_grad(), InFloat64():
        output, weights = theirs(x, rotary_emb(x, torch.arange(11)[None]), hidden)
        trace = ours.trace(x, key_padding_mask=padding, is_causal=True)
        for found in (ours(x, key_padding_mask=padding, is_causal=True), trace.output):
            assert far(found, output, ~padding) <= BOUND
    assert far(trace.weights[..., :-1].transpose(1, 2), weights.transpose(1, 2), ~padding) <= BOUND
    cache = ours.cache(2, 11)
    with torch.no_grad():
        steps = [ours(x[:, n : n + 1], key_padding_mask=padding[:, n : n + 1], cache=cache) for n in range(11)]
    assert far(torch.cat(steps, dim=1), output, ~padding) <= BOUND
    assert trace.weights[..., -1].max() > 0.1
    assert (trace.weights.sum(-1) - 1).abs().max() < 1e-12
