"""Claims about the factor 1/√d_head, shown on the Scaling page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import FALSE, HOLDS_WHEN, OURS, REVIEW, Break, Claim, Correction
from attention_core.studies.scaling.lengths import run_lengths
from attention_core.studies.scaling.settings import ScalingConfig

_SCALED: Final = Break(
    by=_("scores divided by √d_head"),
    options={"scale": "root"},
)

CLAIMS: Final = (
    Claim(
        id="scale-var",
        part="scale",
        statement=_("The product of a random query and key has variance d_head, and divided by √d_head it has 1."),
        expected=HOLDS_WHEN,
        when=_("their components are independent, with mean 0 and variance 1"),
        link={"curve": "variance"},
        breaks=Break(
            by=_("components with another spread"),
            options={"std": 2.0},
        ),
        source=REVIEW,
        place=_("question 1"),
        config=ScalingConfig,
    ),
    Claim(
        id="scale-sat",
        part="scale",
        statement=_(
            "Without the factor softmax saturates in probability as heads grow: for more and more queries one "
            "key takes nearly all of the weight."
        ),
        link={"curve": "max_weight", "d_head": 4096},
        breaks=_SCALED,
        source=REVIEW,
        place=_("question 1"),
        config=ScalingConfig,
    ),
    Claim(
        id="scale-jac",
        part="scale",
        statement=_("The softmax's Jacobian is no larger than n times the weight that is left to the other keys."),
        link={"curve": "jacobian"},
        breaks=Break(
            by=_("that weight computed as 1 minus the largest one, which cancels"),
            options={"std": 2.0, "naive_epsilon": True, "num_keys": 16},
        ),
        correction=Correction(
            says=_("the bound is n times the weight that is left"),
            found=_("twice that weight bounds it already, however many keys there are"),
            why=_("the terms of the sum share the weight that is left between them; none of them gets all of it"),
        ),
        source=REVIEW,
        place=_("question 1"),
        config=ScalingConfig,
    ),
    Claim(
        id="scale-grad",
        part="scale",
        statement=_("Without the factor the gradient through softmax vanishes as heads grow."),
        expected=FALSE,
        instead=_("The typical gradient vanishes, the average one does not: it becomes rare and huge."),
        link={"curve": "gradient", "d_head": 4096},
        breaks=_SCALED,
        correction=Correction(
            says=_("the Jacobian becomes arbitrarily small, so the gradient vanishes"),
            found=_("the typical gradient vanishes, the average one does not: it becomes rare and huge"),
            why=_(
                "saturation is only likely, not certain: a query whose best keys nearly tie still passes everything "
                "on, times keys that have grown with the head"
            ),
        ),
        source=REVIEW,
        place=_("question 1"),
        config=ScalingConfig,
    ),
    Claim(
        id="dilute",
        part="scale",
        statement=_("The more keys there are, the less weight the best one gets: at most e to its lead, over n."),
        expected=HOLDS_WHEN,
        when=_("its score stays as far above the mean of all, and does not grow with n"),
        link={"show": "lengths"},
        options={"scale": "root"},
        breaks=Break(by=_("scores multiplied by the logarithm of n"), options={"scale": "log"}),
        source=OURS,
        config=ScalingConfig,
        run=run_lengths,
    ),
)
