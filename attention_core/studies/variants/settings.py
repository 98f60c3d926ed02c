"""Settings of the variants experiment."""

from dataclasses import dataclass
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.choices import POSITION_NAMES
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import Choice, OneOf, Switch, Words, setting

HEADS: Final = 8
D_HEAD: Final = 8
D_MODEL: Final = HEADS * D_HEAD
KIB: Final = 1024
KV_HEADS: Final = (1, 2, 4, 8)
LENGTHS: Final = tuple(KIB * 2**i for i in range(8))  # 1 k … 128 k tokens
POSITIONS: Final = {name: POSITION_NAMES[name] for name in ("none", "rotary", "alibi")}


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantsConfig(RunConfig):
    """One sentence through one attention of eight heads, and through what is made of its weights.

    Attributes:
        tokens: The sentence, 1 … 64 words.
        num_kv_heads: Heads of keys and values of the grouped variant: means of the full one's.
        length: Tokens of the text whose cache and operations are counted; no number of it is computed.
        positions: ``none``, ``rotary`` or ``alibi``; linear attention has none.
        causal: Whether a word sees only those before it and itself.
        tiled: Repeat the shared heads in turn (0 1 0 1) instead of each beside itself (0 0 1 1): a common mistake.
        repeated: Keep in the cache what each head of queries sees, instead of what is shared.
        restart: Count the positions of each block of new words from 0 again.
        quadratic: Form all weights of linear attention first.
        no_tanh: Leave out the tanh of additive scores.
        softmax: Keep softmax, and take the products in linear attention's order all the same.
    """

    tokens: tuple[str, ...] = setting(
        ("the", "cat", "sat", "on", "a", "mat"), Words(label=_("Sentence")), zh="猫 坐 在 垫子 上"
    )
    num_kv_heads: int = setting(2, OneOf(KV_HEADS, label=_("Heads of keys and values"), link="kv_heads"))
    length: int = setting(8192, OneOf(LENGTHS, label=_("Length of a text, tokens")))
    positions: str = setting("none", Choice(POSITIONS, label=_("Positions")))
    causal: bool = setting(False, Switch(label=_("Causal mask")))
    tiled: bool = setting(
        False, Switch(label=_("Repeat in turn"), hint=_("Heads 0 1 0 1 instead of 0 0 1 1: a common mistake."))
    )
    repeated: bool = setting(
        False, Switch(label=_("Cache the repeated heads"), hint=_("What is shared is kept 8 times."))
    )
    restart: bool = setting(
        False,
        Switch(label=_("Count positions anew"), hint=_("Each new block begins at 0: the cache's place is lost.")),
    )
    quadratic: bool = setting(
        False, Switch(label=_("Weights first"), hint=_("(φ(q) φ(k)ᵀ) v instead of φ(q) (φ(k)ᵀ v)."))
    )
    no_tanh: bool = setting(
        False, Switch(label=_("Forget tanh"), hint=_("Additive scores w · (q + k), not w · tanh(q + k)."))
    )
    softmax: bool = setting(False, Switch(label=_("Keep softmax"), hint=_("Then the products have one order only.")))

    @property
    def differs(self) -> bool:
        """Whether the words differ; else every mean of their values is the same, whatever the weights."""
        return len(set(self.tokens)) > 1
