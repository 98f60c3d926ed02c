"""Settings of the variants experiment, and what theory says of its claims under each of them."""

from dataclasses import dataclass
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.choices import POSITION_NAMES
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import Choice, OneOf, Switch, Words, setting
from attention_core.measuring.vacuous import no_other_order, no_other_output

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
    softmax: bool = setting(False, Switch(label=_("Keep softmax"), hint=_("Then the products have one order only.")))

    @property
    def differs(self) -> bool:
        """Whether the words differ; else every mean of their values is the same, whatever the weights."""
        return len(set(self.tokens)) > 1

    @property
    def alike(self) -> str:
        """Why the output says nothing of the weights, in words; empty where the words differ."""
        return "" if self.differs else no_other_output(self.tokens)

    @property
    def ordered(self) -> str:
        """Why no order differs from another, in words; empty where the words differ."""
        return "" if self.differs else no_other_order(self.tokens)

    @property
    def unshared(self) -> str:
        """Why sharing keys and values says nothing, in words; empty where heads share them."""
        return (
            _("each head has keys and values of its own, so nothing is shared") if self.num_kv_heads == HEADS else ""
        )


def tiles(config: VariantsConfig) -> str:
    """With one shared head, or one for each, there is one way to repeat them."""
    mixes = config.tiled and config.num_kv_heads not in (1, HEADS)
    said = _("the shared heads are repeated in turn, so most queries meet another group's keys")
    return said if mixes else ""


def keeps_copies(config: VariantsConfig) -> str:
    """With a head of keys for each head of queries there are no copies."""
    copies = config.repeated and config.num_kv_heads != HEADS
    return _("the cache keeps a copy for each head of queries") if copies else ""


def loses_place(config: VariantsConfig) -> str:
    """Without positions there is no place to lose."""
    lost = config.restart and config.positions != "none" and config.differs
    said = _("each block counts its positions from 0, so distances to the cached words are wrong")
    return said if lost else ""


def is_quadratic(config: VariantsConfig) -> str:
    """Whoever forms the weights pays for all pairs."""
    return _("all n² weights are formed") if config.quadratic else ""


def keeps_softmax(config: VariantsConfig) -> str:
    """Where all values are alike, any weights give the same."""
    return _("softmax stands between the two products") if config.softmax and config.differs else ""


def tells_order(config: VariantsConfig) -> str:
    """Moving the last word to the front changes no distance between two words."""
    if not config.differs:
        return ""
    if config.causal:
        return _("the causal mask tells the order")
    tells = config.positions == "rotary" or (config.positions == "alibi" and len(config.tokens) > 2)
    return _("{name} positions tell the order", name=POSITIONS[config.positions]) if tells else ""


def linear_tells_order(config: VariantsConfig) -> str:
    """Linear attention has no positions here."""
    return _("the causal mask tells the order") if config.causal and config.differs else ""


def turns_bias(config: VariantsConfig) -> str:
    """Rotary positions turn the key bias, too."""
    return _("rotary positions turn the key bias") if config.positions == "rotary" and config.differs else ""


def divides_nothing_out(config: VariantsConfig) -> str:
    """Softmax ignores what all scores of a row share; φ does not."""
    return _("without softmax nothing cancels the key bias") if config.differs else ""
