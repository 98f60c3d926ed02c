"""The models that can be looked at: those that are shipped, and those that visitors brought and still have open."""

import hashlib
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from weakref import WeakValueDictionary

import torch
from jaxtyping import Int
from torch import Tensor, nn

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.load import load_checkpoint
from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.inputs import draw_parameters
from attention_core.memory import COPIED, MODEL_BYTES
from attention_core.modules.feed_forward import FeedForward
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Alibi, Learned, NoPosition, RelativeKey, Rotary
from attention_core.modules.shared_copy import shared_copy
from attention_core.modules.stack import Decoder, Encoder
from attention_core.shipped.languages import SHIPPED

Head = tuple[int, int]
MAX_BYTES: Final = MODEL_BYTES
BIAS_STD: Final = 0.1
UNLIMITED: Final = 2**20
Encode = Callable[[str], tuple[tuple[int, ...], tuple[str, ...]]]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True, kw_only=True)
class Brought:
    """A model that a visitor brought. It lasts as long as somebody holds it, and equals itself alone.

    Attributes:
        digest: SHA-256 of its files: the same files are one model for all who open them.
        name: What it is called.
        module: Numbers of tokens in, logits or hidden states out, with the attentions in its ``stack``.
        words: The word of each id; none where the files do not say.
        has_head: Whether ``module`` gives logits.
        continues: Whether those of the last token say what comes next: it was trained to, and does not see it.
        encode: From a text to ids and tokens as they are shown; None where ``words`` or numbers are all there is.
        example: What it reads until something else is typed.
        vocabulary: How many tokens it knows.
        longest: How many tokens it has positions for.
    """

    digest: str
    name: str
    module: nn.Module
    words: tuple[str, ...]
    has_head: bool
    continues: bool
    encode: Encode | None
    example: tuple[str, ...]
    vocabulary: int
    longest: int

    @property
    def attentions(self) -> list[MultiHeadAttention]:
        """The self-attention of each layer, from the bottom."""
        return attentions(self.module)

    @property
    def shape(self) -> tuple[int, int]:
        """Layers, and heads of each."""
        return len(self.attentions), self.attentions[0].num_heads

    @property
    def causal(self) -> bool:
        """Whether a token sees only those up to itself."""
        return isinstance(stack_of(self.module), Decoder)

    @property
    def has_feed_forward(self) -> bool:
        """Whether its blocks have a feed-forward network."""
        return any(isinstance(each, FeedForward) for each in self.module.modules())

    @property
    def positions(self) -> str:
        """How order comes in beside a mask: ``added``, ``rotary``, ``alibi``, ``relative``, or empty."""
        if stack_of(self.module).added_position is not None:
            return "added"
        kinds = {Rotary: "rotary", Alibi: "alibi", RelativeKey: "relative"}
        return next((kinds[type(each.position)] for each in self.attentions if type(each.position) in kinds), "")

    @property
    def parameters(self) -> int:
        """How many numbers were learned."""
        return sum(each.numel() for each in self.module.parameters())

    @property
    def nbytes(self) -> int:
        """Bytes of its parameters and buffers."""
        return sum(each.nbytes for each in (*self.module.parameters(), *self.module.buffers()))

    def require(self, room: int) -> None:
        """Raise ``ConfigError`` if it takes more bytes than there are."""
        if self.nbytes > room:
            allowed = _(
                "all models that are open here may take {most}, and {room} are free",
                most=_mib(MAX_BYTES), room=_mib(room),
            )  # fmt: skip
            raise ConfigError("model", _("a model of {size}", size=_mib(self.nbytes)), allowed)

    def name_of(self, token: int) -> str:
        """The token as it is shown."""
        return self.words[token] if self.words else str(token)


_open: WeakValueDictionary[str, Brought] = WeakValueDictionary()
_lock = threading.Lock()


def digest_of(files: Iterable[tuple[str, bytes]]) -> str:
    """SHA-256 over the files' names and contents, whatever their order."""
    found = hashlib.sha256()
    for name, content in sorted(files):
        found.update(f"{name}\0{len(content)}\0".encode())
        found.update(content)
    return found.hexdigest()


def bring(digest: str, read: Callable[[int], Brought]) -> Brought:
    """The model of these files: the one that is open already, or what ``read`` gives if there is room for it.

    Args:
        digest: As of ``digest_of``.
        read: From the bytes that are free to the model; it refuses one that takes more, before it is allocated. No
            other model is read meanwhile.

    Raises:
        ValueError: As ``read``.
    """
    with _lock:
        if (known := _open.get(digest)) is not None:
            return known
        model = read(free_bytes())
        _open[digest] = model
        return model


def free_bytes() -> int:
    """How much of ``MAX_BYTES`` no open model takes."""
    return max(0, MAX_BYTES - sum(one.nbytes for one in _open.values()))


def require_copy(name: str, size: int) -> None:
    """Raise ``ConfigError`` for a setting with which weights made for a measurement would take more than they may."""
    most = COPIED * MAX_BYTES
    if size > most:
        given = _("weights of {size}", size=_mib(size))
        raise ConfigError(name, given, _("those made for a measurement may take {most}", most=_mib(most)))


def _mib(size: int) -> str:
    return f"{size / 2**20:,.1f} MB"


def brought(digest: str) -> Brought | None:
    """The model of that digest, as long as somebody has it open."""
    return _open.get(digest) if digest else None


@cache
def shipped(name: str) -> Brought:
    """A shipped model; it is read once."""
    checkpoint = load_checkpoint(SHIPPED[name])
    return from_checkpoint(checkpoint, digest=name, name=name)


def from_checkpoint(
    checkpoint: Checkpoint, *, digest: str, name: str, words: tuple[str, ...] = (), encode: Encode | None = None,
    example: tuple[str, ...] = (),
) -> Brought:  # fmt: skip
    """What was read from a folder's files."""
    config = checkpoint.config
    longest = config.position.max_len if isinstance(config.position, Learned) else UNLIMITED
    return Brought(
        digest=digest, name=name, module=checkpoint, words=words or checkpoint.vocabulary, has_head=config.lm_head,
        continues=config.lm_head and config.causal, encode=encode, example=example, vocabulary=config.vocab_size,
        longest=longest,
    )  # fmt: skip


def attentions(module: nn.Module) -> list[MultiHeadAttention]:
    """The self-attention of each layer, from the bottom."""
    return [layer.self_attention for layer in stack_of(module).layers]  # pyright: ignore[reportReturnType]


def stack_of(module: nn.Module) -> Encoder | Decoder:
    """Its blocks."""
    return module.stack  # pyright: ignore[reportReturnType]


class _Reached(Exception):  # noqa: N818 - it is no error: the rest of the model is not asked
    """What came to a model's stack."""


def into_stack(module: Any, text: Int[Tensor, "batch tokens"]) -> tuple[tuple[Tensor, ...], dict[str, Any]]:
    """What a model gives its stack of a text: its logits, a third of the work for a few tokens, are not computed."""

    def reach(_: nn.Module, given: tuple[Tensor, ...], options: dict[str, Any]) -> None:
        raise _Reached(given, options)

    hook = stack_of(module).register_forward_pre_hook(reach, with_kwargs=True)
    try:
        module(text)
    except _Reached as reached:
        return reached.args
    finally:
        hook.remove()
    raise AssertionError("the model does not ask its stack")


@torch.no_grad()
def prepared(
    model: Brought, device: torch.device, dtype: torch.dtype, *, untrained: int | None = None, factor: float = 1.0
) -> Any:
    """The model to measure: modules of its own, as others may look at it at the same time, and no weights of its own
    where they are as it needs them.

    Args:
        model: The model.
        device: Where it computes.
        dtype: In which precision.
        untrained: The seed of random weights that take the place of the trained ones; None keeps those.
        factor: What every head's scores are multiplied by.
    """

    def put(each: nn.Parameter) -> nn.Parameter:
        if untrained is None:
            numbers = each.detach().to(device, dtype)
        else:
            numbers = torch.ones(each.shape, device=device, dtype=dtype)  # the norms' gains stay so
        return nn.Parameter(numbers, requires_grad=False)

    module = shared_copy(model.module, put).eval()
    if untrained is not None:
        draw_parameters(module, untrained, bias_std=BIAS_STD)
    for attention in attentions(module):
        attention.scale *= factor
    return module


def without_positions(module: Any) -> Any:
    """A copy whose tokens are told no positions."""
    made = shared_copy(module)
    stack_of(made).added_position = None
    for attention in attentions(made):
        attention.position, attention.relative_keys = NoPosition(), None
    return made


def all_seeing(module: Any) -> Any:
    """A copy in which every token sees all others: no mask is left."""
    made = shared_copy(module)
    for attention in attentions(made):
        attention.window = None
        attention.register_forward_pre_hook(_unmasked, with_kwargs=True)
    return made


def _unmasked(_: nn.Module, given: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    return given, options | {"is_causal": False, "attn_mask": None}
