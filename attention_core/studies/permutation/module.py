"""What is studied, with its tokens: an attention, or transformer blocks, applied to whole batches of orders."""

import itertools
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import output_tolerance
from attention_core.measuring.choices import attention_mask, position_of
from attention_core.measuring.inputs import draw_parameters, embed, generator
from attention_core.measuring.judge import largest
from attention_core.measuring.stack_bounds import stack_tolerance
from attention_core.modules.block import Placement
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import BatchNorm, LayerNorm, Norm
from attention_core.modules.stack import Encoder
from attention_core.studies.permutation.settings import (
    BIAS_STD,
    D_HEAD,
    D_MODEL,
    NUM_HEADS,
    WINDOW,
    PermutationConfig,
)

MAX_EXHAUSTIVE: Final = 7
SAMPLED_ORDERS: Final = 256
AT_ONCE: Final = 256  # orders in one call: more of them no longer fit into the processor's cache
BIASES: Final = ("q_bias", "k_bias", "v_bias", "o_bias")
PADDING: Final = "[PAD]"


class Attention:
    """The attention of a config with its inputs.

    Args:
        config: The settings.
        biases: Which of the four biases there are; what the config says when None.
        padding: How many padding tokens follow the sentence, hidden from every query wherever they are moved.
        d_model: Size of a token's vector.
    """

    def __init__(
        self, config: PermutationConfig, *, biases: tuple[str, ...] | None = None, padding: int = 0,
        d_model: int = D_MODEL,
    ) -> None:  # fmt: skip
        self.config = config
        present = (BIASES if config.biases else ()) if biases is None else biases
        dtype, device = config.torch_dtype, config.torch_device
        options: Any = {name: name in present for name in BIASES}
        module = MultiHeadAttention(
            d_model,
            NUM_HEADS,
            **options,
            position=position_of(config.positions, d_model // NUM_HEADS),
            dtype=torch.float64,
        )
        self.module = draw_parameters(module, config.seed, bias_std=BIAS_STD).to(device, dtype).eval()
        queries, keys = config.tokens + (PADDING,) * padding, config.keys + (PADDING,) * padding
        self.x = embed(queries, d_model, config.seed).to(device, dtype)
        self.y = embed(keys, d_model, config.seed).to(device, dtype)
        self.mask = attention_mask(config.mask, len(queries), len(keys), window=WINDOW, device=device)
        self.is_padding = torch.arange(len(keys), device=device) >= len(keys) - padding if padding else None

    def arguments(self, query_orders: Tensor, key_orders: Tensor) -> dict[str, Any]:
        """Keyword arguments for a batch of orders (orders, tokens); an order may cover only the first tokens."""
        query_orders, key_orders = (orders.to(self.x.device) for orders in (query_orders, key_orders))
        slots_q, slots_k = slots_of(query_orders), slots_of(key_orders)
        carried = self.config.carried
        return {
            "query": self.x[query_orders],
            "key": self.y[key_orders],
            "value": self.y[slots_k if self.config.keys_alone else key_orders],
            "attn_mask": None if self.mask is None else self.mask[: query_orders.shape[1], : key_orders.shape[1]],
            "key_padding_mask": None if self.is_padding is None else self.is_padding[key_orders],
            "query_positions": query_orders if carried else slots_q,
            "key_positions": key_orders if carried else slots_k,
        }

    def outputs(self, query_orders: Tensor, key_orders: Tensor) -> Tensor:
        """Output for a batch of orders (orders, q_len, d_model), in float64 on the CPU."""
        parts = zip(query_orders.split(AT_ONCE), key_orders.split(AT_ONCE), strict=True)
        return torch.cat([on_cpu(self.module(**self.arguments(q, k))) for q, k in parts])

    def trace(self, query_order: Tensor, key_order: Tensor) -> tuple[Tensor, Tensor]:
        """Weights (heads, q_len, kv_len) and output (q_len, d_model) for one order, in float64 on the CPU."""
        trace = self.module.trace(**self.arguments(query_order[None], key_order[None]))
        return on_cpu(trace.weights[0]), on_cpu(trace.output[0])

    def bound(self, length: int | None = None) -> float:
        """Largest difference of two outputs that rounding explains, of the first tokens or, when None, of all."""
        here_q, here_k = (torch.arange(len(tokens))[None, :length] for tokens in (self.x, self.y))
        return output_tolerance(self.module, self.module.trace(**self.arguments(here_q, here_k)))

    def size(self) -> float:
        """How large an output is, and so the difference of two that have nothing to do with each other."""
        return largest(self.outputs(*(torch.arange(len(tokens))[None] for tokens in (self.x, self.y))))


class Blocks:
    """Transformer blocks with a config's tokens: self-attention and a feed-forward network, normed, with residuals.

    Args:
        config: The settings; the second sentence and keys without values do not apply to a block.
        placement: Where the norms stand.
        layers: How many blocks.
        norm: Which norm. BatchNorm normalises over the tokens of one order, as if it were a batch of its own.
    """

    def __init__(
        self, config: PermutationConfig, placement: Placement, layers: int = 1, norm: Norm | None = None
    ) -> None:
        self.config = config
        dtype, device = config.torch_dtype, config.torch_device
        options: Any = dict.fromkeys(BIASES, config.biases) | {"position": position_of(config.positions, D_HEAD)}
        self.alone = not isinstance(norm, BatchNorm)
        norm = LayerNorm() if norm is None else norm
        stack = Encoder(D_MODEL, NUM_HEADS, layers, placement=placement, norm=norm, **options, dtype=torch.float64)
        self.stack = draw_parameters(stack, config.seed, bias_std=BIAS_STD).to(device, dtype)
        self.stack.train(not self.alone)
        if not self.alone:
            torch.func.replace_all_batch_norm_modules_(self.stack)  # without running statistics, which nobody reads
        self.x = embed(config.tokens, D_MODEL, config.seed).to(device, dtype)
        self.mask = attention_mask(config.mask, len(self.x), len(self.x), window=WINDOW, device=device)

    def _positions(self, orders: Tensor) -> Tensor:
        return orders if self.config.carried else slots_of(orders)

    def outputs(self, orders: Tensor) -> Tensor:
        """Output for a batch of orders (orders, tokens, d_model), in float64 on the CPU."""
        return torch.cat([on_cpu(self._outputs(some)) for some in orders.to(self.x.device).split(AT_ONCE)])

    def _outputs(self, orders: Tensor) -> Tensor:
        x, positions = self.x[orders], self._positions(orders)
        if self.alone:
            return self.stack(x, attn_mask=self.mask, positions=positions)
        if self.stack.added_position is not None:
            x = self.stack.added_position(x, positions)

        def one_batch(tokens: Tensor, places: Tensor) -> Tensor:
            tokens = tokens[None]
            for layer in self.stack.layers:
                tokens = layer(tokens, attn_mask=self.mask, positions=places)
            return tokens[0]

        with sdpa_kernel(SDPBackend.MATH):  # the fused kernels have no batching rule
            return torch.func.vmap(one_batch)(x, positions)

    def trace(self, order: Tensor, _: Tensor) -> tuple[Tensor, Tensor]:
        """Weights of the last attention (heads, tokens, tokens) and output, for one order, in float64 on the CPU."""
        seen: dict[str, Any] = {}
        last: Any = self.stack.layers[-1]
        watch = last.self_attention.register_forward_pre_hook(
            lambda _, inputs, options: seen.update(options, query=inputs[0]), with_kwargs=True
        )
        output = self.outputs(order[None])[0]
        watch.remove()
        return on_cpu(last.self_attention.trace(**seen).weights[0]), output

    def bound(self) -> float:
        """Largest difference of two outputs that rounding explains."""
        mask, positions = None if self.mask is None else self.mask.cpu(), torch.arange(len(self.x))[None]
        return stack_tolerance(
            self.stack, lambda stack, x: stack(x, attn_mask=mask, positions=positions), self.x[None]
        )


def slots_of(orders: Tensor) -> Tensor:
    """0, 1, … for each order, on its device; (orders, tokens)."""
    return torch.arange(orders.shape[1], device=orders.device).expand_as(orders)


def orders_of(length: int, seed: int) -> tuple[Tensor, str]:
    """All orders of up to seven things, else a sample of 256; (orders, length), and what they are in words."""
    if length <= MAX_EXHAUSTIVE:
        orders = torch.tensor(list(itertools.permutations(range(length))), dtype=torch.long)
        return orders, _("all {count:,} orders", count=len(orders)) if length > 1 else _("the only order")
    draw = generator(seed, "orders", length)
    sample = torch.stack([torch.randperm(length, generator=draw) for _ in range(SAMPLED_ORDERS)])
    return sample, _("{count} random orders", count=SAMPLED_ORDERS)
