"""A trained model: token numbers in, logits or hidden states out, and every attention on its way."""

import copy
import json
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attention_core.checkpoints.assemble import assemble, check
from attention_core.checkpoints.config import CheckpointConfig
from attention_core.checkpoints.families import config_of
from attention_core.checkpoints.live_model import places_of, said_by
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.block import TransformerBlock
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
        token_types: The vectors of kinds of sentences, or None.
        stack: The blocks; ``stack.layers[i].self_attention`` is the :class:`MultiHeadAttention` of layer i.
        head_transform: The layer before the logits, or None.
        head_norm: Its norm, or None.
        lm_head: The layer of the logits; None where their matrix is the table of token vectors, or there are none.
        head_bias: What is added to the logits where their matrix is that table, or None.

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
        self.embedding = _table(config.vocab_size, config.d_model, **made)
        self.token_types = _table(config.token_types, config.d_model, **made) if config.token_types else None
        self.stack = (Decoder if config.causal else Encoder)(
            config.d_model,
            config.num_heads,
            config.num_layers,
            input_norm=config.input_norm,
            final_norm=config.final_norm,
            d_ff=config.d_ff,
            placement=config.placement,
            norm=config.norm,
            activation=config.activation,
            gated=config.gated,
            feed_forward_bias=config.feed_forward_bias,
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
        for layer, window in zip(self.stack.layers, config.windows, strict=False):
            assert isinstance(layer, TransformerBlock)
            layer.self_attention.window = window
        transforms = config.lm_head and config.head_transform is not None
        self.head_transform = nn.Linear(config.d_model, config.d_model, **made) if transforms else None
        self.head_norm = config.norm.build(config.d_model, **made) if transforms else None
        own_head = config.lm_head and not config.tie_word_embeddings
        self.lm_head = nn.Linear(config.d_model, config.vocab_size, config.head_bias, **made) if own_head else None
        self.head_bias = None
        if config.lm_head and config.tie_word_embeddings and config.head_bias:
            self.head_bias = nn.Parameter(torch.zeros(config.vocab_size, **made))

    @classmethod
    def from_transformers(cls, model: nn.Module) -> "Checkpoint":
        """The same model with a copy of the weights of one of Hugging Face's transformers, in eval mode.

        It is what :func:`load_checkpoint` gives of the files that ``model.save_pretrained`` writes, after the same
        checks, and in memory: where sentences speak of ``config.json``, ``model.config`` is meant.

        Args:
            model: A model of a family that :func:`load_checkpoint` reads; asked are ``model.config.to_dict()`` and
                ``model.state_dict()`` alone. The weights are copied to the device where it has its first tensor, in
                their precision, or in float32 if that is half precision.

        Raises:
            CheckpointError: If it is no such model, config and tensors do not fit each other, or it needs something
                that has no counterpart here, as in :func:`load_checkpoint`: all this before anything is allocated. Or
                if numbers are not finite.
        """
        said, tensors = said_by(model), model.state_dict()
        config, places = config_of(said), places_of(tensors)
        checked = check(said, config, places, lambda config: cls(config, device="meta"))
        return assemble(checked, next(iter(tensors.values())).device)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """What each id means; none where the folder does not say."""
        return self.config.vocabulary

    def forward(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        *,
        key_padding_mask: Bool[Tensor, "batch tokens"] | None = None,
        positions: Int[Tensor, "..."] | None = None,
        token_types: Int[Tensor, "batch tokens"] | None = None,
    ) -> Float[Tensor, "batch tokens outputs"]:
        """Logits ``(batch, tokens, vocab_size)``, or without a head the last hidden states.

        Args:
            input_ids: Numbers of tokens.
            key_padding_mask: True = padding.
            positions: Positions of the tokens; the slots 0, 1, 2, … when None, or what ``config.padding_id`` makes.
            token_types: Kind of sentence of each token, for models that have them; 0 when None.

        Raises:
            ValueError: If an id or kind is unknown, or there are more tokens than learned positions.
        """
        if positions is None and self.config.padding_id is not None:
            real = input_ids != self.config.padding_id
            positions = real.cumsum(1) * real + self.config.padding_id
        x = self._embed(input_ids, token_types)
        return self._logits(self.stack(x, key_padding_mask=key_padding_mask, positions=positions))

    def trace(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        *,
        key_padding_mask: Bool[Tensor, "batch tokens"] | None = None,
        positions: Int[Tensor, "..."] | None = None,
        token_types: Int[Tensor, "batch tokens"] | None = None,
    ) -> tuple[AttentionTrace, ...]:
        """Every intermediate of each layer's attention, the bottom layer first; arguments as in ``forward``.

        Others may be computing with this model at the same time.
        """
        # Tracing replaces methods: it happens to a copy of the modules, which shares the parameters.
        shared = {id(each): each for each in (self.config, *self.parameters(), *self.buffers())}
        model = copy.deepcopy(self, shared)
        with traced(model) as calls:
            model(input_ids, key_padding_mask=key_padding_mask, positions=positions, token_types=token_types)
        return tuple(call.trace for call in calls)

    def generate(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        max_new_tokens: int,
        *,
        key_padding_mask: Bool[Tensor, "batch tokens"] | None = None,
    ) -> Int[Tensor, "batch tokens_and_new"]:
        """The sentences with ``max_new_tokens`` more tokens, each the most probable one; with a cache.

        Args:
            input_ids: Beginnings, as numbers of tokens.
            max_new_tokens: How many tokens to write.
            key_padding_mask: Padding among the beginnings, True = padding; it must stand on the left, and takes no
                position: a sentence goes on as it does alone.

        Raises:
            ValueError: If the model is no decoder with a head, or as :meth:`Decoder.generate`.
        """
        if not isinstance(self.stack, Decoder) or not self.config.lm_head:
            raise ValueError(f"a {self.config.family} model without causal logits does not write: a decoder does.")
        positions = None if key_padding_mask is None else (~key_padding_mask).cumsum(1).sub(1).clamp(min=0)
        return self.stack.generate(
            input_ids,
            max_new_tokens,
            embed=self._embed,
            head=self._logits,
            key_padding_mask=key_padding_mask,
            positions=positions,
        )

    def save(self, folder: Path | str) -> None:
        """Write ``config.json`` and ``model.safetensors`` into a folder, which is made if it is missing.

        They are in this package's own layout, whatever family the model came from.
        """
        from safetensors.torch import save

        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        weights = {name: each.detach().cpu().contiguous() for name, each in self.state_dict().items()}
        (folder / "model.safetensors").write_bytes(save(weights, {"format": "pt"}))
        text = json.dumps(self.config.to_json(), indent=1, ensure_ascii=False)
        (folder / "config.json").write_text(text + "\n", encoding="utf-8")

    def _embed(self, input_ids: Tensor, token_types: Tensor | None = None) -> Tensor:
        _require_known("input_ids", input_ids, self.config.vocab_size)
        x = self.embedding(input_ids)
        if self.token_types is None:
            if token_types is not None:
                raise ValueError("token_types are given, but the model has no vectors for kinds of sentences.")
            return x
        if token_types is None:
            return x + self.token_types.weight[0]
        _require_known("token_types", token_types, self.config.token_types)
        return x + self.token_types(token_types)

    def _logits(self, x: Tensor) -> Tensor:
        if not self.config.lm_head:
            return x
        if self.head_transform is not None and self.head_norm is not None and self.config.head_transform is not None:
            x = self.head_norm(self.config.head_transform(self.head_transform(x)))
        return F.linear(x, self.embedding.weight, self.head_bias) if self.lm_head is None else self.lm_head(x)


def _table(rows: int, d_model: int, **made: Any) -> nn.Embedding:
    """``nn.Embedding``, but to draw shapes alone torch would import its compiler, which takes seconds and 90 MB."""
    weight = torch.empty(rows, d_model, **made)
    return nn.Embedding.from_pretrained(weight if weight.is_meta else weight.normal_(), freeze=False)


def _require_known(name: str, ids: Tensor, count: int) -> None:
    """Refuse ids without a row in their table; an accelerator is not waited for, and there torch refuses them."""
    if not ids.is_cpu or not ids.numel():
        return
    lowest, highest = (int(end) for end in ids.aminmax())
    if lowest < 0 or highest >= count:
        raise ValueError(f"{name} from {lowest} to {highest} do not fit: the model knows 0 to {count - 1}.")
