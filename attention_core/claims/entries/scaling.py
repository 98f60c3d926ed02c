"""Claims about the factor 1/√d_head, shown on the Scaling page."""

from typing import Any, Final

from attention_core.claims.claim import FALSE, HOLDS_WHEN, REVIEW, Break, Claim, Correction
from attention_core.experiments.scaling import ScalingConfig, steps_scaling

_HERE: Final[dict[str, Any]] = {
    "page": "scaling",
    "source": REVIEW,
    "place": "question 1",
    "run": steps_scaling,
    "config": ScalingConfig,
}
_SCALED: Final = Break(
    by="scores divided by √d_head",
    options={"scale": "root"},
    link={"scale": "root"},
)

CLAIMS: Final = (
    Claim(
        id="scale-var",
        statement="The product of a random query and key has variance d_head, and divided by √d_head it has 1.",
        expected=HOLDS_WHEN,
        when="their components are independent, with mean 0 and variance 1",
        link={"curve": "variance"},
        breaks=Break(
            by="components with another spread",
            options={"std": 2.0},
            link={"std": 2.0},
        ),
        **_HERE,
    ),
    Claim(
        id="scale-sat",
        statement="Without the factor softmax saturates in probability as heads grow: for more and more queries one "
        "key takes nearly all of the weight.",
        link={"curve": "max_weight", "d_head": 4096},
        breaks=_SCALED,
        **_HERE,
    ),
    Claim(
        id="scale-jac",
        statement="The softmax's Jacobian is no larger than n times the weight that is left to the other keys.",
        link={"curve": "jacobian"},
        breaks=Break(
            by="that weight computed as 1 minus the largest one, which cancels",
            options={"std": 2.0, "naive_epsilon": True, "num_keys": 16},
            link={"std": 2.0, "naive": True, "num_keys": 16},
        ),
        correction=Correction(
            says="the bound is n times the weight that is left",
            found="twice that weight bounds it already, however many keys there are",
            why="the terms of the sum share the weight that is left between them; none of them gets all of it",
        ),
        **_HERE,
    ),
    Claim(
        id="scale-grad",
        statement="Without the factor the gradient through softmax vanishes as heads grow.",
        expected=FALSE,
        link={"curve": "gradient", "d_head": 4096},
        breaks=_SCALED,
        correction=Correction(
            says="the Jacobian becomes arbitrarily small, so the gradient vanishes",
            found="the typical gradient vanishes, the average one does not: it becomes rare and huge",
            why="saturation is only likely, not certain: a query whose best keys nearly tie still passes everything "
            "on, times keys that have grown with the head",
        ),
        **_HERE,
    ),
)
