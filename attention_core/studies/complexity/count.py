"""What torch's FLOP counter sees of the real module: line by line, in all, and where its two parts cost the same.

The counter (``torch.utils.flop_counter``) adds up matrix products, 2 FLOPs for a multiply-add. It counts no softmax,
no bias and no factor, and where torch has no formula for a fused kernel, as for the CPU's, it counts that as 0.
"""

from functools import lru_cache

import torch
from torch.nn.functional import linear

from attention_core.language import gettext_lazy as _
from attention_core.measuring.flops import count
from attention_core.measuring.flops import count_parts as parts_of
from attention_core.modules.dot_product import attention_scores, softmax_over_keys
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.complexity.module import blank, filled, shapes_only, tokens
from attention_core.studies.complexity.rearranged import LargestMade
from attention_core.studies.complexity.result import Line
from attention_core.studies.complexity.settings import TOKENS, WIDTHS, ComplexityConfig


def module_of(config: ComplexityConfig) -> MultiHeadAttention:
    """The layer that is counted, without numbers."""
    return shapes_only(
        config.d_model,
        config.num_heads,
        config.d_head,
        output_projection=config.output_projection,
        dtype=config.torch_dtype,
    )


def count_lines(config: ComplexityConfig) -> tuple[Line, ...]:
    """Every line of the forward pass: formula beside counter, for FLOPs and for the bytes it writes."""
    module, size = module_of(config), config.torch_dtype.itemsize
    n_t, n_s, d, width = config.num_queries, config.num_keys, config.d_model, config.width
    x, y = (blank(1, rows, d, dtype=config.torch_dtype) for rows in (n_t, n_s))
    q, k, v = count(module.into_heads, x, y, y)[1]
    # One product may serve all three, so each is counted with the module's own matrix.
    matrices = ((x, module.q_weight), (y, module.k_weight), (y, module.v_weight))
    q_flops, k_flops, v_flops = (count(linear, rows, matrix)[0].operations for rows, matrix in matrices)
    s, scores = count(attention_scores, q, k, scale=module.scale)
    w, weights = count(softmax_over_keys, scores)
    c, context = count(torch.matmul, weights, v)
    cells, products = n_t * n_s * config.num_heads, 2 * n_t * n_s * width
    square, core = ("d·h·d_head", "h·d_head") if config.large_heads else ("d²", "d")
    lines = [
        Line("q", "x W_Q", f"2 n_t {square}", 2 * n_t * d * width, q_flops, n_t * width * size, q.nbytes),
        Line("k", "y W_K", f"2 n_s {square}", 2 * n_s * d * width, k_flops, n_s * width * size, k.nbytes),
        Line("v", "y W_V", f"2 n_s {square}", 2 * n_s * d * width, v_flops, n_s * width * size, v.nbytes),
        Line(_("scores"), "q kᵀ", f"2 n_t n_s {core}", products, s.operations, cells * size, scores.nbytes),
        Line(_("weights"), "softmax", "n_t n_s h exp", 0, w.operations, cells * size, weights.nbytes),
        Line(
            _("context"),
            _("weights v"),
            f"2 n_t n_s {core}",
            products,
            c.operations,
            n_t * width * size,
            context.nbytes,
        ),
    ]  # fmt: skip
    if config.output_projection:
        o, output = count(module.out_of_heads, context)
        wanted = 2 * n_t * d * width
        name, code = _("output"), _("context W_O")
        lines.append(Line(name, code, f"2 n_t {square}", wanted, o.operations, n_t * d * size, output.nbytes))
    return tuple(lines)


def count_whole(config: ComplexityConfig) -> tuple[int, int, int]:
    """FLOPs counted in the core and in the whole layer, and bytes of the largest tensor that is made for them.

    Of ``trace`` by shapes, of ``forward`` on the device.
    """
    module, sizes = module_of(config), (config.num_queries, config.num_keys)
    if config.fused:
        module = filled(module, config)
        inputs = [tokens(name, n, config.d_model, config) for name, n in zip("xy", sizes, strict=True)]
    else:
        inputs = [blank(1, n, config.d_model, dtype=config.torch_dtype) for n in sizes]
    with LargestMade() as made:
        projections, core = parts_of(module, *inputs, fused=config.fused)
    return core, projections + core, made.bytes


@lru_cache(maxsize=512)
def count_parts(n: int, d_model: int, width: int, output_projection: bool) -> tuple[int, int]:
    """FLOPs counted in the projections and in the core of self-attention on ``n`` tokens; heads change neither."""
    return parts_of(shapes_only(d_model, 1, width, output_projection=output_projection), blank(1, n, d_model))


def count_map(config: ComplexityConfig) -> list[list[tuple[int, int]]]:
    """``count_parts`` of every width (rows) and length (columns) of the map."""
    factor = 2 if config.large_heads else 1
    return [[count_parts(n, d, factor * d, config.output_projection) for n in TOKENS] for d in WIDTHS]


def count_over_n(config: ComplexityConfig) -> list[tuple[int, int]]:
    """``count_parts`` of the config's layer for every length of the map."""
    return [count_parts(n, config.d_model, config.width, config.output_projection) for n in TOKENS]


def crossing(config: ComplexityConfig) -> int:
    """The shortest text on which the core costs at least as much as the projections, as the counter sees it."""
    low, high = 1, 4 * config.d_model
    while low < high:
        n = (low + high) // 2
        projections, core = count_parts(n, config.d_model, config.width, config.output_projection)
        low, high = (low, n) if core >= projections else (n + 1, high)
    return low
