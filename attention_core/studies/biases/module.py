"""The module under study in the bias experiments: built once, with its biases at any size or taken out."""

import copy
from collections.abc import Collection
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.measuring.inputs import SeededDropout, draw, draw_parameters, embed
from attention_core.modules.dot_product import attention_scores
from attention_core.modules.multi_head import AttentionTrace, MultiHeadAttention
from attention_core.modules.positions import NoPosition, Rotary
from attention_core.modules.projections import Full, TiedQueryKey
from attention_core.studies.biases.settings import D_MODEL, DROPOUT, NUM_HEADS, ROLES, BiasModuleConfig


def bias_parameters(module: MultiHeadAttention) -> dict[str, nn.Parameter]:
    """The module's biases by role; b_Q and b_K are the same parameter where they are tied."""
    found = (module.q_bias, module.k_bias, module.v_bias, module.o_bias)
    return {role: bias for role, bias in zip(ROLES, found, strict=True) if bias is not None}


def bias_direction(setting: BiasModuleConfig, role: str) -> Float[Tensor, " d_model"]:
    """Unit vector that the bias of ``role`` points along; b_K points along b_Q where they are one vector."""
    match setting.direction:
        case "equal":
            towards = torch.ones(D_MODEL, dtype=torch.float64)
        case "coordinate":
            towards = torch.zeros(D_MODEL, dtype=torch.float64)
            towards[:: D_MODEL // NUM_HEADS] = 1.0
        case _:
            towards = draw((D_MODEL,), setting.seed, "bias", "q" if role == "k" and setting.shared else role)
    return towards / towards.norm()


class BiasedAttention:
    """A setting's module and tokens.

    Args:
        setting: The settings.
        dtype: Another precision than the setting's.
    """

    def __init__(self, setting: BiasModuleConfig, dtype: torch.dtype | None = None) -> None:
        self.setting = setting
        self.dtype = dtype or setting.torch_dtype
        self.device = setting.torch_device
        module = MultiHeadAttention(
            D_MODEL,
            NUM_HEADS,
            **{f"{role}_bias": setting.has(role) for role in ROLES},  # pyright: ignore[reportArgumentType]
            projections=TiedQueryKey() if setting.tied_query_key else Full(),
            position=Rotary() if setting.rotary else NoPosition(),
            qk_norm=setting.qk_norm,
            zero_sink=setting.zero_sink,
            dropout=DROPOUT,
            dtype=torch.float64,
        )
        self._module = draw_parameters(module, setting.seed).eval()
        with torch.no_grad():
            for role, bias in bias_parameters(module).items():
                bias.copy_(bias_direction(setting, role))
        n = len(setting.tokens)
        self.x = embed(setting.tokens, D_MODEL, setting.seed)[None].to(self.device, self.dtype)
        self.mask: Tensor | None = None
        if setting.masked_row:
            self.mask = (torch.arange(n) < n - 1)[:, None].expand(n, n).to(self.device)

    def at(self, size: float, *, without: Collection[str] = ()) -> MultiHeadAttention:
        """The module with biases of this size, those of the roles in ``without`` being 0."""
        module = copy.deepcopy(self._module)
        biases = bias_parameters(module)
        with torch.no_grad():
            for bias in {id(bias): bias for bias in biases.values()}.values():
                bias.mul_(size)
            for role in without:
                if role in biases:
                    biases[role].zero_()
        return module.to(self.device, self.dtype)

    def trace(self, module: MultiHeadAttention, *, dropout: bool = False) -> AttentionTrace:
        """One pass over the tokens; ``dropout`` runs it in training, dropping the same weights on every call."""
        seeded: AbstractContextManager[Any] = nullcontext()
        if dropout:
            seeded = SeededDropout(self.setting.seed, "biases", "dropout")
        module.train(dropout)
        with seeded:
            return module.trace(self.x, attn_mask=self.mask)

    def score_terms(self, size: float) -> Float[Tensor, "terms heads q_len kv_len"]:
        """The four parts of every score in this module: x_i·y_j, x_i·b_K, b_Q·y_j and b_Q·b_K, times the scale.

        Queries and keys are sums of a token's part and the bias's part, ``q_i = W_Q x_i + b_Q``. Rotation turns both
        parts; QK-norm divides both by the length of their sum. A sink's score has no parts and is left out.
        """
        linear = BiasedAttention(replace(self.setting, qk_norm=False, zero_sink=False), self.dtype)
        tokens = linear.at(size, without=("q", "k")).trace(self.x)
        biases = linear.at(size).trace(torch.zeros_like(self.x))
        queries, keys = [tokens.q[0], biases.q[0]], [tokens.k[0], biases.k[0]]
        if self.setting.qk_norm:
            whole = self.at(size).trace(self.x)
            n = self.x.shape[1]
            queries = _divided(queries, whole.q[0])
            keys = _divided(keys, whole.k[0, :, :n])
        scale = self._module.scale
        return torch.stack([attention_scores(q, k, scale=scale) for q in queries for k in keys])

    def formula_terms(self, size: float) -> Float[Tensor, "terms heads q_len kv_len"]:
        """The four terms of the formula that knows neither rotation nor QK-norm."""
        return BiasedAttention(replace(self.setting, qk_norm=False, rotary=False), self.dtype).score_terms(size)


def _divided(parts: list[Tensor], normed: Tensor) -> list[Tensor]:
    """Each part divided by what normalisation divides the sum of the parts by."""
    length = torch.linalg.vector_norm(parts[0] + parts[1], dim=-1, keepdim=True)
    return [part * (torch.linalg.vector_norm(normed, dim=-1, keepdim=True) / length) for part in parts]
