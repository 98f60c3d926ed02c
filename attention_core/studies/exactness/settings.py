"""The exactness experiment's settings."""

import math
from dataclasses import dataclass
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.choices import POSITION_NAMES, STRETCHED_HINT, STRETCHED_NAMES
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import Choice, OneOf, Switch, Words, setting

FORMS: Final = {
    "tiles": _("tiles"),
    "batch": _("cache, padding, batch"),
    "pairs": _("rotary pairs"),
    "latent": _("latent keys"),
    "speculation": _("speculation"),
}
HEADS: Final = 4
D_HEAD: Final = 8
D_MODEL: Final = HEADS * D_HEAD
D_ROTARY: Final = 4
TILES: Final = (1, 2, 3, 4, 6, 8, 16, 64)
FACTORS: Final = (1, 10, 100, 1000)
RANKS: Final = (2, 4, 8, 16)
BLOCKS: Final = (1, 2, 3, 4, 6, 8)
TURNED_NAMES: Final = {"rotary": POSITION_NAMES["rotary"], **STRETCHED_NAMES}
ORDERS: Final = {"forwards": _("forwards"), "backwards": _("backwards"), "shuffled": _("shuffled")}
WRITERS: Final = {"grammar": _("English"), "chinese": _("Chinese")}
DRAFTS: Final = {
    "layer": _("its first layer alone"),
    "damaged": _("the same, damaged"),
    "same": _("the same"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactnessConfig(RunConfig):
    """One form that computes the same in another way, and what may be forgotten in it.

    Attributes:
        form: Which one, of ``FORMS``.
        tokens: The words that tiles, rotary pairs and latent keys attend to.
        tile: Keys of a tile.
        order: In which order tiles are taken, of ``ORDERS``.
        factor: What the scores of tiles are multiplied by.
        causal: Whether a word sees only those up to itself, in tiles and latent keys.
        rank: Numbers of a latent.
        positions: Which rotary positions turn pairs, of ``TURNED_NAMES``.
        model: The shipped model that writes, of ``WRITERS``.
        draft: What drafts for it, of ``DRAFTS``.
        block: How many words are drafted before the model reads them.
        unscaled: Do not rescale what was summed up before the maximum moved.
        no_maximum: Leave the maximum out.
        kept: Compute all tiles first, and merge them afterwards.
        restart: Count positions from where padding begins, and from 0 again behind the cache.
        seen: Let words see the padding.
        one_side: Reorder the rows of W_Q alone.
        whole: Turn whole heads by rotary positions, and fold all the same.
        late: Check each draft against what the model says one place later.
        greedy: Draft the most probable word, under the rule for words drawn by chance.
    """

    form: str = setting("tiles", Choice(FORMS, label=_("Form")))
    tokens: tuple[str, ...] = setting(
        ("the", "cat", "sat", "on", "mats"),
        Words(label=_("Sentence")),
        zh="猫 坐 在 垫子 上",
    )
    tile: int = setting(2, OneOf(TILES, between=True, label=_("Keys in a tile")))
    order: str = setting("forwards", Choice(ORDERS, label=_("Order of the tiles")))
    factor: int = setting(
        1, OneOf(FACTORS, label=_("Scores"), shown="× {:,}".format, hint=_("What the scores are multiplied by."))
    )
    causal: bool = setting(False, Switch(label=_("Causal mask")))
    rank: int = setting(8, OneOf(RANKS, between=True, label=_("Numbers of a latent")))
    positions: str = setting("rotary", Choice(TURNED_NAMES, label=_("Positions"), hint=STRETCHED_HINT))
    model: str = setting("grammar", Choice(WRITERS, label=_("Model that writes")), zh="chinese")
    draft: str = setting("layer", Choice(DRAFTS, label=_("What drafts")))
    block: int = setting(4, OneOf(BLOCKS, between=True, label=_("Words drafted at once")))
    unscaled: bool = setting(
        False, Switch(label=_("Forget to rescale"), hint=_("Earlier sums stay as they are when the maximum moves."))
    )
    no_maximum: bool = setting(
        False, Switch(label=_("Leave the maximum out"), hint=_("exp(score) itself: too large for large scores."))
    )
    kept: bool = setting(
        False, Switch(label=_("Keep all tiles"), hint=_("Merge them only once all have been computed."))
    )
    restart: bool = setting(
        False,
        Switch(label=_("Count positions anew"), hint=_("Padding takes positions; behind a cache they begin at 0.")),
    )
    seen: bool = setting(False, Switch(label=_("Padding is seen"), hint=_("The padding mask is forgotten.")))
    one_side: bool = setting(
        False, Switch(label=_("Reorder the queries alone"), hint=_("The rows of W_Q; those of W_K stay as they are."))
    )
    whole: bool = setting(
        False,
        Switch(label=_("Turn whole heads"), hint=_("Rotary positions stand between W_Q and W_UK, folded or not.")),
    )
    late: bool = setting(
        False, Switch(label=_("Check one place late"), hint=_("Each draft beside what the model says after it."))
    )
    greedy: bool = setting(
        False, Switch(label=_("Greedy drafts"), hint=_("The most probable word, as if it had been drawn by chance."))
    )

    @property
    def tiles(self) -> int:
        """How many tiles the text has."""
        return math.ceil(len(self.tokens) / self.tile)

    @property
    def differs(self) -> bool:
        """Whether the words differ; else every mean of their values is the same, whatever the weights."""
        return len(set(self.tokens)) > 1
