"""Multi-head attention one head at a time: the definition, spelled out, beside the module that reshapes instead."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int, Shaped
from torch import Tensor

from attention_core.modules.additive import additive_scores
from attention_core.modules.dot_product import (
    mask_scores,
    mask_with_logit,
    mask_with_sink,
    merge_masks,
    precise_scores,
    product,
    scaled_dot_product_attention,
    soft_capped,
    softmax_over_keys,
)
from attention_core.modules.latent import LatentKeyValue
from attention_core.modules.masks import combine_masks, sliding_window_mask, visible_rows
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Alibi, Rotary, alibi_heads, length_of, rotate, slots


def loop_over_heads(
    module: MultiHeadAttention,
    query: Float[Tensor, "batch q_len d_model"],
    key: Float[Tensor, "batch kv_len d_model"] | None = None,
    value: Float[Tensor, "batch kv_len d_model"] | None = None,
    *,
    attn_mask: Shaped[Tensor, "..."] | None = None,
    key_padding_mask: Shaped[Tensor, "..."] | None = None,
    is_causal: bool = False,
    query_positions: Int[Tensor, "..."] | None = None,
    key_positions: Int[Tensor, "..."] | None = None,
) -> Float[Tensor, "batch q_len d_output"]:
    """What ``module(query, key, value, …)`` computes, head by head with that head's rows of W_Q, and of W_K and W_V
    its own or, where heads share them, its group's.

    "MultiHead(Q, K, V) = Concat(head_1, …, head_h) W_O": Vaswani et al. (2017), section 3.2.2, taken literally.
    Slower, and equal up to rounding: the module's one product and reshape is a matter of speed, not of meaning.
    Dropout, being random, is left out.

    Args:
        module: Whose parameters and options to use.
        query: As in :meth:`MultiHeadAttention.forward`; also all other arguments.
        key: Tokens that are looked at.
        value: Tokens whose content is fetched.
        attn_mask: Bool (True = may attend) or additive.
        key_padding_mask: True = padding.
        is_causal: Whether a query sees only the keys up to its own slot.
        query_positions: Positions of the queries.
        key_positions: Positions of the keys.

    Raises:
        ValueError: If no head has rows of W_K of its own: with ``LatentKeyValue``.
    """
    if isinstance(module.projections, LatentKeyValue):
        raise ValueError(f"{module.projections} leaves no rows of W_K to a head: there is no loop over them.")
    key = query if key is None else key
    value = key if value is None else value
    if key is query and key_positions is None:
        key_positions = query_positions
    if module.added_position is not None:
        query, key, value = module.added_position.add_to_each(query, key, value, query_positions, key_positions)
    gate = None if module.gate_weight is None else F.linear(query, module.gate_weight).sigmoid()
    contexts: list[Tensor] = []
    mask = _mask_of_all_heads(
        module, query, key, attn_mask, key_padding_mask, is_causal, query_positions, key_positions
    )
    of_queries, of_keys = (module.q_weight, module.q_bias), (module.k_weight, module.k_bias)
    if module.qk_norm_together and module.q_norm is not None and module.k_norm is not None:
        # Their norm sees all heads at once, so there is nothing left to project head by head.
        normed: tuple[Tensor, Tensor] = (
            module.q_norm(_all_heads(query, *of_queries)), module.k_norm(_all_heads(key, *of_keys))
        )  # fmt: skip
        query, key = normed
        of_queries = of_keys = (None, None)
    for head in range(module.num_heads):
        q = _project(query, *of_queries, head, module.d_head)  # (batch, q_len, d_head)
        shared = head // (module.num_heads // module.num_kv_heads)
        k = _project(key, *of_keys, shared, module.d_head)  # (batch, kv_len, d_head)
        v = _project(value, module.v_weight, module.v_bias, shared, module.d_head)
        if module.q_norm is not None and module.k_norm is not None and not module.qk_norm_together:
            q, k = module.q_norm(q), module.k_norm(k)
        if isinstance(module.position, Rotary):
            rows = slots(q.shape[1], query_positions, device=q.device)
            columns = slots(k.shape[1], key_positions, device=k.device)
            length = torch.maximum(length_of(rows), length_of(columns))
            q, k = (rotate(z, at, module.position, length=length) for z, at in ((q, rows), (k, columns)))
        head_mask = None if mask is None else mask[:, head]
        if module.relative_keys is not None:
            at = query_positions, key_positions
            met = module.relative_keys(q[:, None], k[:, None], *at, scale=module.scale)[:, 0]
            met = F.pad(met, (0, 1)) if module.zero_sink or module.sink is not None else met
            head_mask = met if head_mask is None else combine_masks(met, head_mask)
        if module.zero_sink or module.sink is not None:
            k, v = F.pad(k, (0, 0, 0, 1)), F.pad(v, (0, 0, 0, 1))
        if module.score_weight is None and module.soft_cap is None:
            contexts.append(scaled_dot_product_attention(q, k, v, attn_mask=head_mask, scale=module.scale))
            continue
        if module.score_weight is None:
            scores = precise_scores(q, k, scale=module.scale)  # (batch, q_len, kv_len)
        else:
            scores = additive_scores(q, k, module.score_weight[head], scale=module.scale)
        scores = soft_capped(scores, module.soft_cap)
        if module.sink is not None:
            scores = F.pad(scores[..., :-1], (0, 1))
        visible = None if head_mask is None else visible_rows(head_mask)
        masked = scores if head_mask is None else mask_scores(scores, head_mask)
        contexts.append(product(softmax_over_keys(masked, visible, dtype=q.dtype), v))
    merged = torch.cat(contexts, dim=-1)
    merged = merged if gate is None else merged * gate
    return merged if module.o_weight is None else F.linear(merged, module.o_weight, module.o_bias)


def _all_heads(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    return x if weight is None else F.linear(x, weight, bias)


def _project(x: Tensor, weight: Tensor | None, bias: Tensor | None, head: int, d_head: int) -> Tensor:
    rows = slice(head * d_head, (head + 1) * d_head)
    return x[..., rows] if weight is None else F.linear(x, weight[rows], None if bias is None else bias[rows])


def _mask_of_all_heads(
    module: MultiHeadAttention,
    query: Tensor,
    key: Tensor,
    attn_mask: Tensor | None,
    key_padding_mask: Tensor | None,
    is_causal: bool,
    query_positions: Tensor | None,
    key_positions: Tensor | None,
) -> Tensor | None:
    shape = (query.shape[0], module.num_heads, query.shape[1], key.shape[1])
    penalty = None
    if isinstance(module.position, Alibi):
        penalty = alibi_heads(query, key, query_positions, key_positions, num_heads=module.num_heads)
    if attn_mask is not None and attn_mask.dim() == 3:
        attn_mask = attn_mask[:, None]
    near = None
    if module.window is not None:
        near = sliding_window_mask(query.shape[1], module.window, key.shape[1], device=query.device)
    further = combine_masks(penalty, near)
    mask = merge_masks(shape, attn_mask, key_padding_mask, is_causal, further=further, like=query)
    if module.sink is not None:
        return mask_with_logit(mask, shape, module.sink, like=query).expand(*shape[:3], shape[3] + 1)
    if mask is None:
        return None
    if module.zero_sink:
        mask = mask_with_sink(mask, key.shape[1])
        shape = (*shape[:3], shape[3] + 1)
    return mask.expand(shape)
