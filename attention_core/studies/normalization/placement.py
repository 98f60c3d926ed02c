"""What a block keeps of its input, by where its norms stand (``norm-place``)."""

import math
from functools import partial
from typing import Final

import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import sum_tolerance
from attention_core.measuring.judge import ClaimTest, Measurement, largest
from attention_core.measuring.theory import Fails, Holds, Theory
from attention_core.modules.block import Placement, PostNorm, PreNorm, ResidualPostNorm
from attention_core.studies.normalization.block_under_test import PARTS, block_tokens, build_block
from attention_core.studies.normalization.settings import NORMS, PLACEMENTS, NormalizationConfig

DEPTH: Final = 12
_BATCH: Final = _("BatchNorm brings features to one size, not tokens")
SLOTS: Final = _("the norm has a weight for each slot")


def through_depth(config: NormalizationConfig) -> tuple[Tensor, Tensor]:
    """Tokens after 0 … 12 blocks: their length ÷ √d_model, and the cosine to what they were; (placements, depths)."""
    start = block_tokens(config)
    lengths, alike = [], []
    for placement in PLACEMENTS.values():
        x, seen = start, [on_cpu(start)]
        for layer in range(DEPTH):
            x = build_block(config, placement, layer)(x, is_causal=config.causal)
            seen.append(on_cpu(x))
        depths = torch.cat(seen)  # (depths, tokens, d_model)
        lengths.append(depths.norm(dim=-1).mean(-1) / math.sqrt(config.d_model))
        alike.append(torch.cosine_similarity(depths, depths[:1], dim=-1).mean(-1))
    return torch.stack(lengths), torch.stack(alike)


def _handed_on(config: NormalizationConfig, placement: Placement) -> Measurement:
    """How far the block is from its parts, each given what the formula of the placement gives it, and added up."""
    block, x = build_block(config, placement), block_tokens(config)
    assert block.feed_forward is not None
    y, terms, before = on_cpu(block(x, is_causal=config.causal)), [on_cpu(x)], x
    for name, part in zip(
        PARTS, (partial(block.self_attention, is_causal=config.causal), block.feed_forward), strict=True
    ):
        norm = block.get_submodule(f"{name}_norm")
        added = part(norm(x)) if isinstance(placement, PreNorm) else norm(part(x))
        terms.append(on_cpu(added))
        x = x + added
    # Each of the sums is rounded by half an eps of what it has added up, here and in the block.
    bound = (len(terms) - 1) * torch.finfo(config.torch_dtype).eps * largest(sum(term.abs() for term in terms))
    return Measurement(largest(y - sum(terms)), bound, _cases(config), size=largest(before))


def _lengths(config: NormalizationConfig) -> Measurement:
    """How far the lengths after a post-norm block are from what its last norm makes of its input."""
    d, seen = config.d_model, []
    x, block = block_tokens(config), build_block(config, PostNorm())
    hook = block.get_submodule("feed_forward_norm").register_forward_hook(
        lambda _, given, __: seen.append(on_cpu(given[0]))
    )
    y = on_cpu(block(x, is_causal=config.causal))
    hook.remove()
    norm = block.feed_forward_norm
    bias = getattr(getattr(norm, "norm", norm), "bias", None)  # SlotWeights holds the norm itself
    shift = torch.zeros(d) if bias is None else on_cpu(bias)
    (before,) = seen
    centred = config.norm != "RMSNorm"
    spread = (before - before.mean(-1, keepdim=True) * centred).square().mean(-1).sqrt()
    eps = NORMS[config.norm].eps or 0.0  # pyright: ignore[reportAttributeAccessIssue]
    wanted = math.sqrt(d) * spread / (spread.square() + eps).sqrt()
    gain = largest(before.abs().amax(-1) / spread)
    size, longest = math.sqrt(d) * (gain + largest(shift)), math.sqrt(d) + float(shift.norm())
    bound = sum_tolerance(config.torch_dtype, scale=size, terms=3 * d, rounded=longest)
    return Measurement(largest((y - shift).norm(dim=-1) - wanted), bound, _cases(config), size=math.sqrt(d))


def _cases(config: NormalizationConfig) -> str:
    return _("{count} tokens, {norm}", count=config.num_tokens, norm=config.norm)


def _one_length(config: NormalizationConfig) -> Theory:
    if config.slot_weights:
        return Fails(SLOTS)
    return Fails(_BATCH) if config.norm == "BatchNorm" else Holds()


def place_found(config: NormalizationConfig) -> dict[str, Measurement]:
    """norm-place: two placements hand the input on as a summand, the third gives every token one length."""
    found = (_handed_on(config, PreNorm()), _lengths(config), _handed_on(config, ResidualPostNorm()))
    return dict(zip((test.key for test in TESTS), found, strict=True))


TESTS: Final = (
    ClaimTest("norm-place.pre", "≤",
              _("with pre-norm the output and the input plus what the parts add differ by at most"),
              _("pre-norm: max |y − x − Σ parts|")),
    ClaimTest("norm-place.post", "≤",
              _("with post-norm the lengths of the tokens, less the norm's shift, differ from √d by at most"),
              _("post-norm: max |‖y − β‖ − √d·σ/√(σ² + ε)|"), theory=_one_length),
    ClaimTest("norm-place.residual", "≤",
              _("with residual post-norm the output and the input plus what the parts add differ by at most"),
              _("residual post-norm: max |y − x − Σ parts|")),
)  # fmt: skip
