"""Claims about training, shown on the Learning page."""

from typing import Any, Final

from attention_core.claims.claim import CODE, HOLDS_WHEN, OURS, REVIEW, Break, Claim, Correction
from attention_core.experiments.learning import LearningConfig, SeedsConfig, steps_learning, steps_seeds

_RUNS: Final[dict[str, Any]] = {
    "page": "learning",
    "run": steps_seeds,
    "config": SeedsConfig,
    "link": {"below": "seeds"},
}
_SMALL: Final = {"batch": 16, "feed_forward": False}
_SIX: Final = {"runs": 6}  # four of them are already told from a quarter by their interval
_BLIND: Final = _SMALL | {"positions": "none"}
_DEPTH: Final = {
    "task": "induction",
    "tokens": 16,
    "kinds": 8,
    "d_model": 24,
    "layers": 2,
    "causal": True,
    "feed_forward": False,
    "steps": 300,
}
_DESCENT: Final = _SMALL | {"optimizer": "sgd", "learning_rate": 0.3, "steps": 200}
_LARGE: Final = _DESCENT | {"scale": "none", "d_head": 256}
_TIED: Final = _SMALL | {"task": "copy", "projections": "tied-kv"}

CLAIMS: Final = (
    Claim(
        id="learn-order",
        statement="Without positions and masks no training teaches attention the order of its tokens: it does no "
        "better than knowing which tokens occur.",
        source=OURS,
        options=_BLIND | _SIX,
        breaks=Break(
            by="sines and cosines of the positions",
            options={"positions": "sinusoidal"},
        ),
        **_RUNS,
    ),
    Claim(
        id="learn-depth",
        statement="Two layers learn to continue a sequence that repeats itself with an unknown period.",
        source=OURS,
        place="after Olsson et al. (2022) and Sanford et al. (2024)",
        options=_DEPTH | _SIX,
        breaks=Break(by="one layer of one head", options={"layers": 1}),
        **_RUNS,
    ),
    Claim(
        id="learn-key-bias",
        statement="Training never moves the key bias, but for rounding.",
        source=OURS,
        expected=HOLDS_WHEN,
        when="it is gradient descent, and the bias is added to the key as it meets the query",
        options=_DESCENT,
        breaks=Break(
            by="AdamW, which divides what rounding leaves by its own size and lets weights decay",
            options={"optimizer": "adamw", "learning_rate": 0.01},
        ),
        page="learning",
        run=steps_learning,
        config=LearningConfig,
    ),
    Claim(
        id="learn-scale",
        statement="Without the factor 1/√d_head large heads do not learn.",
        source=REVIEW,
        place="question 1, as it is often read",
        expected=HOLDS_WHEN,
        when="scores start about √d_head apart and there is no time to come back from it; from a small start "
        "gradient descent learns as fast without the factor",
        options=_LARGE | _SIX,
        breaks=Break(
            by="W_Q and W_K that start smaller, by the fourth root of d_head",
            options={"start": 0.25},
        ),
        correction=Correction(
            says="without the factor softmax saturates and gradients vanish, so there is no learning",
            found="what delays learning is how far scores are apart at the start, with the factor as without it",
            why="the factor can be folded into W_Q; it sets a good start, and with AdamW, whose steps have one size "
            "for all weights, a fitting learning rate",
        ),
        **_RUNS,
    ),
    Claim(
        id="learn-tied",
        statement="One matrix for keys and values learns to copy as well as two do.",
        source=CODE,
        place="on sharing keys and values",
        options=_TIED | _SIX,
        breaks=Break(
            by="one matrix for queries and keys, which makes looking back mutual",
            options={"projections": "tied-qk"},
        ),
        **_RUNS,
    ),
)
