"""What a block keeps of its input, by where its norms stand (``norm-place``)."""

import math
from collections.abc import Callable
from typing import Final

import torch
from torch import Tensor, nn

from attention_core.experiments.bounds import is_half, tolerance
from attention_core.experiments.judge import judge, on_cpu
from attention_core.experiments.normalization.built import PARTS, block_tokens, build_block
from attention_core.experiments.normalization.config import NORMS, PLACEMENTS, NormalizationConfig
from attention_core.experiments.verdict import Verdict
from attention_core.modules.block import Placement, PostNorm, PreNorm

Hook = Callable[[nn.Module, tuple[Tensor, ...], Tensor], None]
DEPTH: Final = 12
_BATCH: Final = "BatchNorm brings features to one size, not tokens"
_SLOTS: Final = "the norm has a weight for each slot"


def place_verdicts(config: NormalizationConfig) -> tuple[Verdict, ...]:
    """norm-place: two placements hand the input on as a summand, the third gives every token one length.

    Args:
        config: The settings.
    """
    return tuple(_verdict(config, name, placement) for name, placement in PLACEMENTS.items())


def through_depth(config: NormalizationConfig) -> tuple[Tensor, Tensor]:
    """Tokens after 0 … 12 blocks: their length ÷ √d_model, and the cosine to what they were; (placements, depths).

    Args:
        config: The settings.
    """
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


def _verdict(config: NormalizationConfig, name: str, placement: Placement) -> Verdict:
    dtype, d = config.torch_dtype, config.d_model
    x, seen = block_tokens(config), {}
    block = build_block(config, placement)
    hooks = [module.register_forward_hook(_keep(seen, part)) for part, module in block.named_children()]
    y = on_cpu(block(x, is_causal=config.causal))
    for hook in hooks:
        hook.remove()
    cases = f"{config.num_tokens} tokens, {config.norm}"
    if not isinstance(placement, PostNorm):
        of = PARTS if isinstance(placement, PreNorm) else tuple(f"{part}_norm" for part in PARTS)
        terms = [on_cpu(x), *(seen[part][1] for part in of)]
        scale = float(sum(term.abs() for term in terms).max())  # pyright: ignore[reportAttributeAccessIssue]
        return judge(
            config, f"norm-place.{name.split('-')[0].split()[0]}", float((y - sum(terms)).abs().max()), "≤",
            tolerance(dtype, scale=scale, terms=len(terms)), cases=cases,
            says=f"with {name} the output and the input plus what the parts add differ by at most",
            quantity=f"{name}: max |y − x − Σ parts|",
        )  # fmt: skip
    norm = block.feed_forward_norm
    bias = getattr(getattr(norm, "norm", norm), "bias", None)  # SlotWeights holds the norm itself
    shift = torch.zeros(d) if bias is None else on_cpu(bias)
    before = seen["feed_forward_norm"][0]
    centred = config.norm != "RMSNorm"
    spread = (before - before.mean(-1, keepdim=True) * centred).square().mean(-1).sqrt()
    eps = NORMS[config.norm].eps or 0.0  # pyright: ignore[reportAttributeAccessIssue]
    wanted = math.sqrt(d) * spread / (spread.square() + eps).sqrt()
    gain = float((before.abs().amax(-1) / spread).max())
    size = math.sqrt(d) * (gain + float(shift.abs().max()))
    return judge(
        config, "norm-place.post", float(((y - shift).norm(dim=-1) - wanted).abs().max()), "≤",
        tolerance(dtype, scale=size, terms=4 if is_half(dtype) else 3 * d), cases=cases,
        says="with post-norm the lengths of the tokens, less the norm's shift, differ from √d by at most",
        quantity="post-norm: max |‖y − β‖ − √d·σ/√(σ² + ε)|",
        broken=_SLOTS if config.slot_weights else _BATCH if config.norm == "BatchNorm" else "",
        exact=lambda other: _verdict(other, name, placement).measured,
    )  # fmt: skip


def _keep(seen: dict[str, tuple[Tensor, Tensor]], part: str) -> Hook:
    """A hook that keeps what a part was given and what it gave."""

    def hook(_: nn.Module, given: tuple[Tensor, ...], out: Tensor) -> None:
        seen[part] = on_cpu(given[0]), on_cpu(out)

    return hook
