"""Whose queries, keys and values an output takes, by autograd (``no-q-cache``)."""

from typing import Final

import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.gradients import pull_back
from attention_core.measuring.inputs import draw
from attention_core.measuring.judge import Measurement
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.variants.settings import VariantsConfig

FIRST: Final = 8  # words, of a longer sentence: each has a copy of them, so that one pass back serves all


def found_of_queries(
    config: VariantsConfig, module: MultiHeadAttention, x: Tensor
) -> tuple[dict[str, Measurement], Tensor, Tensor]:
    """``no-q-cache``, and the gradients that it is read from, of a layer that comes twice, one above the other.

    Args:
        config: The settings.
        module: The layer.
        x: The sentence (1, tokens, d_model), whose first words are looked at.

    Returns:
        The measurements; ‖∂output_i/∂·_j‖ of the upper layer by its queries, keys and values (3, words, words); and
        ‖∂(key, value)_i/∂x_j‖ of what it keeps of each word (words, words). They are those of one random mixture of
        a word's numbers.
    """
    takes, keeps = _by_word(config, module, x[:, :FIRST])
    n = len(keeps)
    others, later = takes[0][~torch.eye(n, dtype=torch.bool)], keeps[torch.ones(n, n).triu(1) > 0]
    words = ngettext_lazy("2 layers, {count:,} token", "2 layers, {count:,} tokens", n)
    found = {
        f"no-q-cache.{part}": Measurement(
            int((gradients != 0).sum()), 0, words, unit=_("of {count:,} pairs", count=len(gradients))
        )
        for part, gradients in (("row", others), ("kept", later))
    }
    return found, takes, keeps


@torch.enable_grad()
def _by_word(config: VariantsConfig, module: MultiHeadAttention, x: Tensor) -> tuple[Tensor, Tensor]:
    """The sizes of the gradients; copy i of the sentence is differentiated at its word i alone."""
    copies, words = x.expand(x.shape[1], -1, -1).clone().requires_grad_(), range(x.shape[1])
    below = module.trace(copies, is_causal=config.causal).output
    above = module.trace(copies + below, is_causal=config.causal)
    outputs = above.output[words, words]
    kept = torch.stack((above.k, above.v))[:, words, :, words]  # (words, 2, kv_heads, d_head)
    upstream = [_mixture(config, name, each) for name, each in (("output", outputs), ("kept", kept))]
    by_part = pull_back(outputs, (above.q, above.k, above.v), upstream[0], keep=True)
    (by_word,) = pull_back(kept, copies, upstream[1])
    return torch.stack([on_cpu(each).norm(dim=(1, 3)) for each in by_part]), on_cpu(by_word).norm(dim=2)


def _mixture(config: VariantsConfig, name: str, each: Tensor) -> Tensor:
    """The upstream gradient: the same random numbers for each word."""
    return draw(each.shape[1:], config.seed, "mixture", name).to(each).expand_as(each)
