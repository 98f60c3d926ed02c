"""A trained model: token numbers in, logits or hidden states out, and every attention on its way."""

import copy
import json
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attention_core.checkpoints.config import CheckpointConfig
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.stack import Decoder, Encoder
from attention_core.modules.traced import traced


class Checkpoint(nn.Module):
    """A trained transformer in this package's modules: token vectors, a stack, and logits where it has a head.

    Args:
        config: Its architecture.
        device: Where the parameters live.
        dtype: Their precision.

    Attributes:
        config: As given.
        embedding: The table of token vectors.
        stack: The blocks; ``stack.layers[i].self_attention`` is the :class:`MultiHeadAttention` of layer i.
        head: The matrix of the logits where it is one of its own; None where it is the table, or there are none.
        head_bias: What is added to the logits, or None.

    Raises:
        ValueError: If the sizes do not fit each other, as in the modules.
    """

    stack: Encoder | Decoder
    head_bias: nn.Parameter | None

    def __init__(
        self,
        config: CheckpointConfig,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        made = {"device": device, "dtype": dtype}
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.d_model, **made)
        self.stack = (Decoder if config.causal else Encoder)(
            config.d_model,
            config.num_heads,
            config.num_layers,
            final_norm=config.final_norm,
            d_ff=config.d_ff,
            placement=config.placement,
            norm=config.norm,
            activation=config.activation,
            num_kv_heads=config.num_kv_heads,
            d_head=config.d_head,
            q_bias=config.q_bias,
            k_bias=config.k_bias,
            v_bias=config.v_bias,
            o_bias=config.o_bias,
            scale=config.scale,
            projections=config.projections,
            position=config.position,
            **made,
        )
        own_head = config.head and not config.tied_head
        self.head = nn.Linear(config.d_model, config.vocab_size, bias=False, **made) if own_head else None
        self.head_bias = None
        if config.head and config.head_bias:
            self.head_bias = nn.Parameter(torch.zeros(config.vocab_size, **made))

    @property
    def words(self) -> tuple[str, ...]:
        """What each id means; none where the folder does not say."""
        return self.config.words

    def forward(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        *,
        key_padding_mask: Bool[Tensor, "batch tokens"] | None = None,
    ) -> Float[Tensor, "batch tokens outputs"]:
        """Logits ``(batch, tokens, vocab_size)``, or without a head the last hidden states.

        Args:
            input_ids: Numbers of tokens.
            key_padding_mask: True = padding.

        Raises:
            ValueError: If an id is unknown, or there are more tokens than learned positions.
        """
        return self._logits(self.stack(self._embed(input_ids), key_padding_mask=key_padding_mask))

    def trace(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        *,
        key_padding_mask: Bool[Tensor, "batch tokens"] | None = None,
    ) -> tuple[AttentionTrace, ...]:
        """Every intermediate of each layer's attention, the bottom layer first; arguments as in ``forward``.

        Others may be computing with this model at the same time.
        """
        # Tracing replaces methods: it happens to a copy of the modules, which shares the parameters.
        shared = {id(each): each for each in (self.config, *self.parameters(), *self.buffers())}
        model = copy.deepcopy(self, shared)
        with traced(model) as calls:
            model(input_ids, key_padding_mask=key_padding_mask)
        return tuple(call.trace for call in calls)

    def generate(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        count: int,
        *,
        key_padding_mask: Bool[Tensor, "batch tokens"] | None = None,
    ) -> Int[Tensor, "batch tokens_and_count"]:
        """The sentences with ``count`` more tokens, each the most probable one; with a cache.

        Args:
            input_ids: Beginnings, as numbers of tokens.
            count: How many tokens to write.
            key_padding_mask: Padding among the beginnings, True = padding; it must stand on the left.

        Raises:
            ValueError: If the model is no decoder with a head, or as :meth:`Decoder.generate`.
        """
        if not isinstance(self.stack, Decoder) or not self.config.head:
            raise ValueError(f"a {self.config.family} model without causal logits does not write: a decoder does.")
        return self.stack.generate(
            input_ids, count, embed=self._embed, head=self._logits, key_padding_mask=key_padding_mask
        )

    def save(self, folder: Path | str) -> None:
        """Write ``config.json`` and ``model.safetensors`` into a folder, which is made if it is missing."""
        from safetensors.torch import save

        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        weights = {name: each.detach().cpu().contiguous() for name, each in self.state_dict().items()}
        (folder / "model.safetensors").write_bytes(save(weights, {"format": "pt"}))
        text = json.dumps(self.config.to_json(), indent=1, ensure_ascii=False)
        (folder / "config.json").write_text(text + "\n", encoding="utf-8")

    def _embed(self, input_ids: Tensor) -> Tensor:
        if input_ids.is_cpu and input_ids.numel():
            lowest, highest = (int(end) for end in input_ids.aminmax())
            if lowest < 0 or highest >= self.config.vocab_size:
                raise ValueError(
                    f"input_ids from {lowest} to {highest} do not fit: the model knows 0 to "
                    f"{self.config.vocab_size - 1}."
                )
        return self.embedding(input_ids)

    def _logits(self, x: Tensor) -> Tensor:
        if not self.config.head:
            return x
        return F.linear(x, self.embedding.weight if self.head is None else self.head.weight, self.head_bias)
