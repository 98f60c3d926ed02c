"""A trained model: token numbers in, logits or hidden states out, and every attention on its way."""

import json
import re
from collections.abc import Iterable, Sequence
from functools import partial
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
from attention_core.checkpoints.tensor_file import short
from attention_core.modules.attention_trace import NOTHING, AttentionTrace, Replacements, replaced
from attention_core.modules.block import TransformerBlock
from attention_core.modules.dot_product import soft_capped
from attention_core.modules.sampling import greedy, sampling
from attention_core.modules.shared_copy import shared_copy
from attention_core.modules.stack import Decoder, Encoder
from attention_core.modules.traced import traced

RESIDUAL = ("residual_pre", "residual_post")


class CheckpointTrace(tuple[AttentionTrace, ...]):
    """Every intermediate of each layer's attention, the bottom layer first.

    Attributes:
        output: What ``forward`` gives: logits, or without a head the last hidden states.
    """

    output: Float[Tensor, "batch tokens outputs"]

    def __new__(cls, traces: Iterable[AttentionTrace], output: Tensor) -> "CheckpointTrace":
        """Both together."""
        made = super().__new__(cls, traces)
        made.output = output
        return made


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
            qk_norm=config.qk_norm or False,
            qk_norm_together=config.qk_norm_together,
            soft_cap=config.soft_cap,
            sink=config.sink,
            projections=config.projections,
            position=config.position,
            **made,
        )
        for layer, window in zip(self.stack.layers, config.windows, strict=False):
            assert isinstance(layer, TransformerBlock)
            layer.self_attention.window = window
            if window is not None and config.window_position is not None:
                layer.self_attention.position = config.window_position
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
                their precision.

        Raises:
            CheckpointError: If it is no such model, config and tensors do not fit each other, or it needs something
                that has no counterpart here, as in :func:`load_checkpoint`: all this before anything is allocated. Or
                if numbers are not finite.
        """
        content, tensors = said_by(model), model.state_dict()
        config, places = config_of(content), places_of(tensors)
        checked = check(content, config, places, lambda config: cls(config, device="meta"))
        return assemble(checked, next(iter(tensors.values())).device)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The text of each id; empty where the folder does not say."""
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
        replace: Replacements = NOTHING,
    ) -> "CheckpointTrace":
        """Every intermediate of each layer's attention, the bottom layer first; other arguments as in ``forward``.

        Others may be computing with this model at the same time. What can be replaced, in layer 1:

        ===================================== ====================== ================================
        name                                  shape after batch      what it is
        ===================================== ====================== ================================
        layers.1.residual_pre                 tokens, d_model        the residual stream as it enters
        layers.1.self_attention.q             heads, tokens, d_head  queries as they meet the keys
        layers.1.self_attention.k             kv_heads, keys, d_head keys, likewise
        layers.1.self_attention.v             kv_heads, keys, d_head values
        layers.1.self_attention.scores        heads, tokens, keys    scores before masks
        layers.1.self_attention.masked_scores heads, tokens, keys    scores as softmax sees them
        layers.1.self_attention.weights       heads, tokens, keys    the pattern of each head
        layers.1.self_attention.context       heads, tokens, d_head  what each head has fetched
        layers.1.self_attention.output        tokens, d_model        what attention gives
        layers.1.residual_post                tokens, d_model        the residual stream as it leaves
        ===================================== ====================== ================================

        Args:
            input_ids: Numbers of tokens.
            key_padding_mask: True = padding.
            positions: Positions of the tokens.
            token_types: Kind of sentence of each token.
            replace: By such names, functions of what was computed; what one gives takes its place, and all that
                follows is computed from that.

        Raises:
            ValueError: If a name is unknown, a function gives another shape or precision, or as ``forward``.
        """
        inside, before, after = self._replacements(replace)
        model = shared_copy(self)  # tracing replaces methods
        for number, change in before.items():
            model.stack.layers[number].register_forward_pre_hook(partial(_enter, change))
        for number, change in after.items():
            model.stack.layers[number].register_forward_hook(partial(_leave, change))
        with traced(model.stack, inside) as calls:
            output = model(input_ids, key_padding_mask=key_padding_mask, positions=positions, token_types=token_types)
        return CheckpointTrace((call.trace for call in calls), output)

    def _replacements(
        self, replace: Replacements
    ) -> tuple[dict[str, dict[str, Any]], dict[int, Replacements], dict[int, Replacements]]:
        """Those within each attention, by its name, and those before and after each layer, by its number."""
        inside, around = dict[str, dict[str, Any]](), ({}, {})
        layers = len(self.stack.layers)
        for name, change in replace.items():
            match = re.fullmatch(r"layers\.(\d{1,4})\.(?:self_attention\.(\w+)|(residual_\w+))", name)
            field = match and (match[2] if match[2] in AttentionTrace._fields else match[3])
            if match is None or int(match[1]) >= layers or field not in (*AttentionTrace._fields, *RESIDUAL):
                known = ", ".join(AttentionTrace._fields)
                raise ValueError(
                    f"replace names {short(name)}: layers.0 to layers.{layers - 1}, a dot, and residual_pre, "
                    f"residual_post or self_attention with one of {known} are needed."
                )
            if match[2]:
                inside.setdefault(f"layers.{int(match[1])}.self_attention", {})[match[2]] = change
            else:
                around[RESIDUAL.index(match[3])][int(match[1])] = {match[3]: change}
        return inside, *around

    def generate(
        self,
        input_ids: Int[Tensor, "batch tokens"],
        max_new_tokens: int,
        *,
        key_padding_mask: Bool[Tensor, "batch tokens"] | None = None,
        eos_token_id: int | Sequence[int] | None = None,
        do_sample: bool = False,
        temperature: float = 1.0,
        top_p: float = 1.0,
        generator: torch.Generator | None = None,
    ) -> Int[Tensor, "batch tokens_and_new"]:
        """The sentences with up to ``max_new_tokens`` more tokens, the most probable ones or drawn; with a cache.

        The words of its arguments are those of transformers, and so is what is written.

        Args:
            input_ids: Beginnings, as numbers of tokens.
            max_new_tokens: How many tokens to write.
            key_padding_mask: Padding among the beginnings, True = padding; it must stand on the left, and takes no
                position: a sentence goes on as it does alone.
            eos_token_id: The token that ends a sentence, or several; the first fills it up where others go on.
            do_sample: Whether tokens are drawn, with the probabilities of :func:`.sampling.sampled_from`.
            temperature: What logits are divided by before they are drawn from.
            top_p: How much probability the tokens that may be drawn have together, at least.
            generator: Where the draws come from; torch's own when None.

        Raises:
            ValueError: If the model is no decoder with a head, a number is not possible, or as
                :meth:`Decoder.generate`.
        """
        if not isinstance(self.stack, Decoder) or not self.config.lm_head:
            raise ValueError(f"a {self.config.family} model without causal logits does not write: a decoder does.")
        positions = None if key_padding_mask is None else (~key_padding_mask).cumsum(1).sub(1).clamp(min=0)
        drawn = sampling(temperature=temperature, top_p=top_p, generator=generator)
        ends = () if eos_token_id is None else (eos_token_id,) if isinstance(eos_token_id, int) else eos_token_id
        return self.stack.generate(
            input_ids,
            max_new_tokens,
            embed=self._embed,
            head=self._logits,
            choose=drawn if do_sample else greedy,
            key_padding_mask=key_padding_mask,
            positions=positions,
            ends=ends,
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
        if self.config.embedding_scale is not None:
            x = x * torch.tensor(self.config.embedding_scale, dtype=x.dtype, device=x.device)
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
        logits = F.linear(x, self.embedding.weight, self.head_bias) if self.lm_head is None else self.lm_head(x)
        return soft_capped(logits, self.config.logit_cap)


def _enter(change: Replacements, _layer: nn.Module, given: tuple[Any, ...]) -> tuple[Any, ...]:
    return replaced(change, RESIDUAL[0], given[0]), *given[1:]


def _leave(change: Replacements, _layer: nn.Module, _given: tuple[Any, ...], output: Tensor) -> Tensor:
    return replaced(change, RESIDUAL[1], output)


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
