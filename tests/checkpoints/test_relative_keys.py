"""Vectors for distances, as BERT's ``relative_key`` has them: beside what others wrote, and out of a file."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers.masking_utils import AttentionMaskInterface, eager_mask
from transformers.models.bert.modeling_bert import BertSelfAttention
from transformers.models.wav2vec2_bert.modeling_wav2vec2_bert import Wav2Vec2BertSelfAttention

from attention_core import CheckpointError, MultiHeadAttention, RelativeKey, load_checkpoint
from tests.checkpoints.originals import BOUND, PAD, VOCAB, original, original_answer

LONGEST = 17
KINDS = ("relative_key", "relative_key_query")


def test_a_query_meets_the_vectors_as_in_the_attention_of_wav2vec2_bert() -> None:
    config = transformers.Wav2Vec2BertConfig(
        hidden_size=24, num_attention_heads=3, position_embeddings_type="relative_key",
        left_max_position_embeddings=4, right_max_position_embeddings=4, attn_implementation="eager",
    )  # fmt: skip
    torch.manual_seed(0)
    theirs = Wav2Vec2BertSelfAttention(config).double().eval()
    ours = MultiHeadAttention(24, 3, position=RelativeKey(5), dtype=torch.float64)
    assert ours.relative_keys is not None
    with torch.no_grad():
        named = {f"{role}_{kind}": getattr(getattr(theirs, f"linear_{role}"), kind)
                 for role in "qkv" for kind in ("weight", "bias")}  # fmt: skip
        named |= {f"o_{kind}": getattr(theirs.linear_out, kind) for kind in ("weight", "bias")}
        for name, value in named.items():
            getattr(ours, name).copy_(value)
        ours.relative_keys.table.copy_(theirs.distance_embedding.weight.flip(0))  # they count from the query on
        x = torch.randn(2, 11, 24, dtype=torch.float64)  # longer than there are vectors: the farthest share one
        output, weights = theirs(x)
        trace = ours.trace(x)
        assert (ours(x) - output).abs().max() <= BOUND
        assert (trace.output - output).abs().max() <= BOUND
        assert weights is None or (trace.weights - weights).abs().max() <= BOUND
        assert (ours(x) - ours(x.flip(1)).flip(1)).abs().max() > 0.1, "they tell the order"


def met(
    module: BertSelfAttention, query: Tensor, key: Tensor, value: Tensor, mask: Any, scaling: float, **_: Any
) -> Any:
    """Attention as the authors of both methods write it, pair by pair."""
    table, both = module.get_parameter("distance_embedding.weight"), module.both
    batch, heads, tokens, _size = query.shape
    scores = torch.empty(batch, heads, tokens, tokens, dtype=query.dtype)
    for i in range(tokens):
        for j in range(tokens):
            vector = table[i - j + LONGEST - 1]
            scores[:, :, i, j] = (query[:, :, i] * (key[:, :, j] + vector)).sum(-1)
            if both:
                scores[:, :, i, j] += (key[:, :, j] * vector).sum(-1)
    weights = (scores * scaling + (0 if mask is None else mask)).softmax(-1)
    return (weights @ value).transpose(1, 2).contiguous(), weights


@pytest.fixture(scope="module", params=KINDS)
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """A BERT whose attention meets distances, and its folder, as transformers wrote it when it still had them."""
    folder = tmp_path_factory.mktemp(request.param)
    sizes = {"hidden_size": 24, "num_attention_heads": 3, "num_hidden_layers": 2, "intermediate_size": 28}
    model = original("bert", "BertForMaskedLM", sizes | {"max_position_embeddings": LONGEST, "pad_token_id": PAD})
    for layer in model.bert.encoder.layer:
        attention = layer.attention.self
        attention.distance_embedding = torch.nn.Embedding(2 * LONGEST - 1, 8, dtype=torch.float64)
        attention.both = request.param == KINDS[1]
    transformers.AttentionInterface.register("met", met)
    AttentionMaskInterface.register("met", eager_mask)
    model.save_pretrained(folder)
    config = (folder / "config.json").read_text(encoding="utf-8").rstrip()
    (folder / "config.json").write_text(
        f'{config[:-1]}, "position_embedding_type": "{request.param}"}}', encoding="utf-8"
    )
    model.set_attn_implementation("met")
    model.bert.embeddings.position_embeddings.weight.data.zero_()  # which they kept and did not add
    return model, folder


def test_a_bert_with_distances_computes_what_it_did(saved: tuple[Any, Path]) -> None:
    model, folder = saved
    checkpoint = load_checkpoint(folder)
    assert checkpoint.config.position == RelativeKey(LONGEST, both=folder.name.startswith(KINDS[1]))
    ids = torch.randint(2, VOCAB, (2, 9), generator=torch.Generator().manual_seed(1))
    real = torch.arange(9) < torch.tensor([[9], [6]])
    output, weights = original_answer(model, ids.masked_fill(~real, PAD), real)
    traces = checkpoint.trace(ids.masked_fill(~real, PAD), key_padding_mask=~real)
    assert (traces.output - output).abs().max() <= BOUND
    assert (
        max(float((mine.weights - its).detach().abs().max()) for mine, its in zip(traces, weights, strict=True))
        <= BOUND
    )


def test_positions_that_it_does_not_add_must_be_positions(saved: tuple[Any, Path], tmp_path: Path) -> None:
    for file in saved[1].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    tensors = load_file(tmp_path / "model.safetensors")
    name = "bert.embeddings.position_embeddings.weight"
    save_file(tensors | {name: tensors[name][:-1].clone()}, tmp_path / "model.safetensors")
    with pytest.raises(CheckpointError, match=r"there is a tensor .*position_embeddings.*has no place"):
        load_checkpoint(tmp_path)
