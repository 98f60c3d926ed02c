"""Multi-head attention one head at a time: the definition, spelled out, beside the module that reshapes instead."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int, Shaped
from torch import Tensor

from attention_core.modules.dot_product import mask_with_sink, merge_masks, scaled_dot_product_attention
from attention_core.modules.masks import combine_masks, sliding_window_mask
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Alibi, Rotary, alibi_heads, rotate, slots


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
    """
    key = query if key is None else key
    value = key if value is None else value
    if key is query and key_positions is None:
        key_positions = query_positions
    if module.added_position is not None:
        query, key, value = module.added_position.add_to_each(query, key, value, query_positions, key_positions)
    contexts: list[Tensor] = []
    mask = _mask_of_all_heads(
        module, query, key, attn_mask, key_padding_mask, is_causal, query_positions, key_positions
    )
    for head in range(module.num_heads):
        q = _project(query, module.q_weight, module.q_bias, head, module.d_head)  # (batch, q_len, d_head)
        shared = head // (module.num_heads // module.num_kv_heads)
        k = _project(key, module.k_weight, module.k_bias, shared, module.d_head)  # (batch, kv_len, d_head)
        v = _project(value, module.v_weight, module.v_bias, shared, module.d_head)
        if module.q_norm is not None and module.k_norm is not None:
            q, k = module.q_norm(q), module.k_norm(k)
        if isinstance(module.position, Rotary):
            turn = {"base": module.position.base, "halves": module.position.halves}
            q = rotate(q, slots(q.shape[1], query_positions, device=q.device), **turn)
            k = rotate(k, slots(k.shape[1], key_positions, device=k.device), **turn)
        if module.zero_sink:
            k, v = F.pad(k, (0, 0, 0, 1)), F.pad(v, (0, 0, 0, 1))
        head_mask = None if mask is None else mask[:, head]
        contexts.append(scaled_dot_product_attention(q, k, v, attn_mask=head_mask, scale=module.scale))
    merged = torch.cat(contexts, dim=-1)
    return merged if module.o_weight is None else F.linear(merged, module.o_weight, module.o_bias)


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
    if mask is None:
        return None
    if module.zero_sink:
        mask = mask_with_sink(mask, key.shape[1])
        shape = (*shape[:3], shape[3] + 1)
    return mask.expand(shape)
