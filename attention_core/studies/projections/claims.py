"""Claims about W_Q, W_K, W_V and W_O, shown on the Projections page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.language import pgettext_lazy
from attention_core.measuring.claim import CODE, HOLDS_WHEN, OURS, Break, Claim, Correction
from attention_core.studies.projections.settings import ProjectionsConfig

_ONE_SIDE: Final = Break(by=_("a bias on one of the two sides only"), options={"biases": "one"})


CLAIMS: Final = (
    Claim(
        id="qkv-none",
        part="projections",
        statement=_("Without W_Q, W_K and W_V each word looks hardest at itself."),
        source=CODE,
        place=_("question 3"),
        expected=HOLDS_WHEN,
        when=_("all words have equal norms within each head"),
        breaks=Break(by=_("words of unequal norms"), options={"spread": 0.6}),
        correction=Correction(
            says=_("at equal magnitude a word's product with itself is the largest"),
            found=_(
                "true within each head; equal norms of whole words are not enough, and hardest is not yet mostly"
            ),
            why=_("cut into heads, words of equal norm have parts of unequal norms, and a longer part wins"),
        ),
        config=ProjectionsConfig,
        options={"topic": "identity"},
    ),
    Claim(
        id="qkv-tied",
        part="projections",
        statement=_("One matrix for keys and values saves exactly one projection's parameters."),
        source=CODE,
        place=_("question 4"),
        breaks=_ONE_SIDE,
        config=ProjectionsConfig,
        options={"topic": "tied"},
    ),
    Claim(
        id="qk-tied",
        part="projections",
        statement=_("One matrix for queries and keys makes the scores symmetric."),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_("both sides share their bias, and no mask hides one of a pair"),
        breaks=_ONE_SIDE,
        config=ProjectionsConfig,
        options={"topic": "tied"},
    ),
    Claim(
        id="gauge",
        part="projections",
        statement=_("Another basis inside each head, or another order of heads, changes all matrices and no output."),
        source=OURS,
        breaks=Break(by=pgettext_lazy("with", "QK-norm"), options={"qk_norm": True}),
        config=ProjectionsConfig,
        options={"topic": "gauge"},
    ),
    Claim(
        id="qkv-names",
        part="projections",
        statement=_(
            "Nothing in the layer says which matrix makes queries and which keys: exchanged, and the scores "
            "transposed, they give the same output."
        ),
        source=OURS,
        breaks=Break(by=_("one of the two changed alone"), options={"one_side": True}),
        config=ProjectionsConfig,
        options={"topic": "names"},
    ),
    Claim(
        id="fc-fixed",
        part="self-attention",
        statement=_(
            "A fully connected layer keeps its weights over places and takes one length; attention makes its weights "
            "from the words, however many there are."
        ),
        source=OURS,
        breaks=Break(by=_("weights kept from the words as written"), options={"frozen": True}),
        config=ProjectionsConfig,
        options={"topic": "fixed"},
    ),
    Claim(
        id="scale-absorb",
        part="scale",
        statement=_("The factor can be folded into W_Q, so it changes training and not what can be expressed."),
        breaks=Break(by=pgettext_lazy("with", "QK-norm"), options={"qk_norm": True}),
        source=OURS,
        config=ProjectionsConfig,
        options={"topic": "gauge"},
    ),
    Claim(
        id="low-rank",
        part="projections",
        statement=_("The scores of a head have no higher rank than d_head, the logarithms of its weights one more."),
        breaks=Break(by=_("a causal mask"), options={"causal": True}),
        source=OURS,
        config=ProjectionsConfig,
        options={"topic": "rank"},
    ),
    Claim(
        id="rank-collapse",
        part="residual",
        statement=_(
            "Attention alone, layer upon layer, with weights as drawn here, makes all tokens alike; a residual "
            "keeps their differences from being erased."
        ),
        source=OURS,
        breaks=Break(by=_("the residual"), options={"residual": True}),
        config=ProjectionsConfig,
        options={"topic": "collapse"},
    ),
)
