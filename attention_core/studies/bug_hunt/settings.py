"""The settings of the bug hunt."""

from dataclasses import dataclass
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import Choice, Switch, Words, setting

D_MODEL: Final = 16
NUM_HEADS: Final = 2
D_HEAD: Final = D_MODEL // NUM_HEADS
LETTERS: Final = "ABCDEFGH"
DRAWN, RIGHT, PAIRS = "drawn", "right", "pairs"
PLANTED: Final = {
    DRAWN: _("drawn by the seed"),
    "softmax": _("A: softmax over queries"),
    "nothing": _("A: no softmax"),
    "late": _("A: mask after softmax"),
    "fill": _("A: −10⁻⁹ for −∞"),
    "cut": _("A: heads cut by a view"),
    "scale": _("A: a scale of the model's size"),
    "sign": _("A: the wrong sign of ALiBi"),
    PAIRS: _("A: rotary pairs mixed"),
    RIGHT: _("all are right"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BugHuntConfig(RunConfig):
    """Eight causal attentions with the same weights on one sentence, most of them faulty.

    Attributes:
        tokens: The sentence, 3 to 64 words.
        planted: What the eight are, of ``PLANTED``: all drawn by the seed; drawn, but for the fault of A; or right.
        meant: Whether the right one leaves the scale out, as GPT-Neo means to.
        unseen: Whether one of the faults is a key's bias that is not used, which no output shows.
    """

    tokens: tuple[str, ...] = setting(
        ("the", "cat", "sat", "on", "a", "mat"), Words(label=_("Sentence"), least=3), zh="猫 坐 在 垫子 上"
    )
    planted: str = setting(DRAWN, Choice(PLANTED, label=_("Line-up")))
    meant: bool = setting(
        False, Switch(label=_("No scale, on purpose"), hint=_("The right one leaves it out, as GPT-Neo does."))
    )
    unseen: bool = setting(
        False, Switch(label=_("A fault that nothing shows"), hint=_("The key's bias is left out of one of them."))
    )
