"""BERT: its self-attention with the arguments its code takes, and whole encoders from its checkpoints."""

from collections.abc import Mapping

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn

from attention_core.modules.block import PostNorm, TransformerBlock
from attention_core.modules.feed_forward import GELU
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
        attention_mask: 1 or True at real tokens.
        value: What padding gets; BERT's code says −10000.
        dtype: Precision of the hidden states.
    """
    return (1 - attention_mask.to(dtype))[:, None, None, :] * value


def encoder_from_bert(
    state_dict: Mapping[str, Tensor], prefix: str = "encoder.layer.", *, num_heads: int, eps: float = 1e-12
) -> Encoder:
    """The encoder of a BERT checkpoint in Hugging Face's layout: post-norm blocks with GELU, in eval mode.

    It takes the embeddings (after their own norm) and gives the last hidden states.

    Args:
        state_dict: The checkpoint.
        prefix: What the names of its layers begin with, before their number.
        num_heads: Number of heads, which the weights do not tell.
        eps: ``layer_norm_eps`` of its configuration.

    Raises:
        ValueError: If the checkpoint has no such layers.
    """
    numbers = {name.removeprefix(prefix).split(".")[0] for name in state_dict if name.startswith(prefix)}
    if not numbers:
        raise ValueError(f"state_dict has no layer whose name begins with prefix = {prefix!r}.")
    wide = state_dict[f"{prefix}0.intermediate.dense.weight"]  # (d_ff, d_model)
    encoder = Encoder(
        wide.shape[1],
        num_heads,
        len(numbers),
        d_ff=wide.shape[0],
        placement=PostNorm(),
        norm=LayerNorm(eps=eps),
        activation=GELU(),
        device=wide.device,
        dtype=wide.dtype,
    )
    for number, block in enumerate(encoder.layers):
        assert isinstance(block, TransformerBlock)
        _load_block(block, state_dict, f"{prefix}{number}.", num_heads)
    return encoder.eval()


def _load_block(block: TransformerBlock, state_dict: Mapping[str, Tensor], prefix: str, num_heads: int) -> None:
    attention = MultiHeadAttention.from_bert(state_dict, prefix + "attention.", num_heads=num_heads)
    block.self_attention.load_state_dict(attention.state_dict())
    for ours, theirs in (
        ("self_attention_norm", "attention.output.LayerNorm"),
        ("feed_forward.widen", "intermediate.dense"),
        ("feed_forward.narrow", "output.dense"),
        ("feed_forward_norm", "output.LayerNorm"),
    ):
        weights = {kind: state_dict[f"{prefix}{theirs}.{kind}"] for kind in ("weight", "bias")}
        block.get_submodule(ours).load_state_dict(weights)
