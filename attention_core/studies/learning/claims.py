"""Claims about training, shown on the Learning page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import CODE, HOLDS_WHEN, OURS, REVIEW, Break, Claim, Correction
from attention_core.studies.learning.seeds import SeedsConfig
from attention_core.studies.learning.settings import TEXT, LearningConfig
from attention_core.studies.learning.text.settings import TextConfig

_SEEDS: Final = {"below": "seeds"}
_SMALL: Final = {"batch": 16, "feed_forward": False}
_SIX: Final = {"runs": 6}  # four of them are already told from a quarter by their interval
_BLIND: Final = _SMALL | {"positions": "none"}
_DEPTH: Final = {
    "task": "induction",
    "tokens": 16,
    "kinds": 8,
    "d_model": 24,
    "layers": 2,
    "feed_forward": False,
    "steps": 300,
}
_DESCENT: Final = _SMALL | {"optimizer": "sgd", "learning_rate": 0.3, "steps": 200}
_LARGE: Final = _DESCENT | {"scale": "none", "d_head": 256}
_TEXT: Final = {"tokens": 32, "layers": 2, "batch": 16, "steps": 300}
_SHUFFLED: Final = Break(by=_("the text's tokens shuffled, so that none tells the next"), options={"shuffled": True})
_TIED: Final = _SMALL | {"task": "copy", "projections": "tied-kv"}

CLAIMS: Final = (
    Claim(
        id="learn-order",
        part="what it learns",
        statement=_(
            "Without positions and masks no training teaches attention the order of its tokens: it does no "
            "better than knowing which tokens occur."
        ),
        source=OURS,
        options=_BLIND | _SIX,
        breaks=Break(
            by=_("sines and cosines of the positions"),
            options={"positions": "sinusoidal"},
        ),
        config=SeedsConfig,
        link=_SEEDS,
    ),
    Claim(
        id="learn-depth",
        part="what it learns",
        statement=_("Two layers learn to continue a sequence that repeats itself with an unknown period."),
        source=OURS,
        place=_("after Olsson et al. (2022) and Sanford et al. (2024)"),
        options=_DEPTH | _SIX,
        breaks=Break(by=_("one layer of one head"), options={"layers": 1}),
        config=SeedsConfig,
        link=_SEEDS,
    ),
    Claim(
        id="learn-key-bias",
        part="what it learns",
        statement=_("Training never moves the key bias, but for rounding."),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_("it is gradient descent, and the bias is added to the key as it meets the query"),
        options=_DESCENT,
        breaks=Break(
            by=_("AdamW, which divides what rounding leaves by its own size and lets weights decay"),
            options={"optimizer": "adamw", "learning_rate": 0.01},
        ),
        config=LearningConfig,
    ),
    Claim(
        id="learn-scale",
        part="what it learns",
        statement=_("Without the factor 1/√d_head large heads do not learn."),
        source=REVIEW,
        place=_("question 1, as it is often read"),
        expected=HOLDS_WHEN,
        when=_(
            "scores start about √d_head apart and there is no time to come back from it; from a small start "
            "gradient descent learns as fast without the factor"
        ),
        options=_LARGE | _SIX,
        breaks=Break(
            by=_("W_Q and W_K that start smaller, by the fourth root of d_head"),
            options={"start": 0.25},
        ),
        correction=Correction(
            says=_("without the factor softmax saturates and gradients vanish, so there is no learning"),
            found=_("what delays learning is how far scores are apart at the start, with the factor as without it"),
            why=_(
                "the factor can be folded into W_Q; it sets a good start, and with AdamW, whose steps have one size "
                "for all weights, a fitting learning rate"
            ),
        ),
        config=SeedsConfig,
        link=_SEEDS,
    ),
    Claim(
        id="learn-tied",
        part="what it learns",
        statement=_("One matrix for keys and values learns to copy as well as two do."),
        source=CODE,
        place=_("on sharing keys and values"),
        options=_TIED | _SIX,
        breaks=Break(
            by=_("one matrix for queries and keys, which makes looking back mutual"),
            options={"projections": "tied-qk"},
        ),
        config=SeedsConfig,
        link=_SEEDS,
    ),
    Claim(
        id="text-pairs",
        part="what it learns",
        statement=_("A model that is trained on a text foretells it better than counts of its pairs do."),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_("the text has more to tell than its pairs, and training is long enough to find it"),
        options=_TEXT,
        breaks=_SHUFFLED,
        config=TextConfig,
        link={"task": TEXT},
    ),
    Claim(
        id="text-copy",
        part="what it learns",
        statement=_("What it writes has runs of its text twice as long as chance gives."),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_("training is long enough to learn what follows what"),
        options=_TEXT,
        breaks=_SHUFFLED,
        config=TextConfig,
        link={"task": TEXT},
    ),
)
