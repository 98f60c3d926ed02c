"""BERT: its self-attention with the arguments its code takes, and whole encoders from its checkpoints."""

from collections.abc import Mapping

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn

from attention_core.modules.block import PostNorm
from attention_core.modules.convert import COUNTERPARTS, layers_of
from attention_core.modules.feed_forward import GELU
from attention_core.modules.masks import to_additive
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import LayerNorm
from attention_core.modules.stack import Encoder


class BertSelfAttention(nn.Module):
    """Self-attention as BERT's code has it: hidden states and an additive mask in, merged context out, no W_O.

    Devlin et al. (2019), "BERT". A thin adapter: all the work is done by ``attention``.

    Args:
        hidden_size: d_model.
        num_attention_heads: Number of heads.
        attention_probs_dropout_prob: Probability of dropping a weight in training.
        device: Where the parameters live.
        dtype: Their precision.

    Attributes:
        attention: The :class:`MultiHeadAttention` inside.

    Raises:
        ValueError: If ``hidden_size`` is not a multiple of ``num_attention_heads``.
    """

    def __init__(
        self,
        hidden_size: int,
        num_attention_heads: int,
        *,
        attention_probs_dropout_prob: float = 0.0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if num_attention_heads > 0 and hidden_size % num_attention_heads:
            raise ValueError(
                f"hidden_size = {hidden_size} is not a multiple of num_attention_heads = {num_attention_heads}."
            )
        self.attention = MultiHeadAttention(
            hidden_size,
            num_attention_heads,
            output_projection=False,
            dropout=attention_probs_dropout_prob,
            device=device,
            dtype=dtype,
        )

    def forward(
        self,
        hidden_states: Float[Tensor, "batch tokens hidden"],
        attention_mask: Float[Tensor, "batch 1 1 tokens"] | None = None,
    ) -> Float[Tensor, "batch tokens hidden"]:
        """The context of all heads side by side.

        Args:
            hidden_states: Tokens.
            attention_mask: Added to the scores: 0 at real tokens, a large negative number at padding; see
                :func:`extended_attention_mask`.
        """
        return self.attention(hidden_states, attn_mask=attention_mask)


def extended_attention_mask(
    attention_mask: Shaped[Tensor, "batch tokens"], *, value: float = -10000.0, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "batch 1 1 tokens"]:
    """A tokenizer's mask (1 = real token, 0 = padding) as the mask that BERT adds to its scores.

    Args:
        attention_mask: 1 or True at real tokens, 0 or False at padding.
        value: What padding gets; BERT's code says −10000.
        dtype: Precision of the hidden states.
    """
    return to_additive(attention_mask.bool()[:, None, None, :], dtype, value=value)


def encoder_from_bert(
    state_dict: Mapping[str, Tensor], prefix: str = "encoder.layer.", *, num_heads: int, eps: float = 1e-12
) -> Encoder:
    """The encoder of a BERT checkpoint in Hugging Face's layout: post-norm blocks with GELU, in eval mode.

    It takes the embeddings (after their own norm) and gives the last hidden states.

    Args:
        state_dict: The checkpoint. Norms may be called ``weight`` and ``bias``, or ``gamma`` and ``beta`` as in the
            first ones that were published.
        prefix: What the names of its layers begin with, before their number.
        num_heads: Number of heads, which the weights do not tell.
        eps: ``layer_norm_eps`` of its configuration.

    Raises:
        ValueError: If the checkpoint has no such layers, one of them lacks a part, or has one without a counterpart
            here, such as relative positions or cross-attention.
    """
    layers = layers_of(state_dict, prefix)
    wide = layers[0]["intermediate.dense.weight"]  # (d_ff, d_model)
    encoder = Encoder(
        wide.shape[1],
        num_heads,
        len(layers),
        d_ff=wide.shape[0],
        placement=PostNorm(),
        norm=LayerNorm(eps=eps),
        activation=GELU(),
        device=wide.device,
        dtype=wide.dtype,
    )
    for block, layer in zip(encoder.layers, layers, strict=True):
        attention = MultiHeadAttention.from_bert(layer, "attention.", num_heads=num_heads)
        parts = {"self_attention": attention.state_dict()}
        for ours, theirs in COUNTERPARTS.items():
            parts[ours] = {kind: layer[f"{theirs}.{kind}"] for kind in ("weight", "bias")}
        block.load_state_dict({f"{ours}.{name}": each for ours, part in parts.items() for name, each in part.items()})
    return encoder.eval()
