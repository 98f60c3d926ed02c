"""Claims about biases, shown on the Biases page."""

from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.claim import HOLDS_WHEN, NOTES, OURS, Break, Claim, Correction
from attention_core.studies.biases.settings import AfterNormConfig, AppendixConfig, BiasesConfig, MeanConfig

_ROTARY: Final = Break(
    by=_("rotary positions, which turn the bias by another angle at every key"),
    options={"rotary": True},
)
_ALONE: Final = _("the bias is added to the key as it meets the query, and softmax runs over these scores alone")
_KEY_ALONE: Final = {"q_bias": False, "v_bias": False, "o_bias": False}
_PROOF: Final = _("the section on bias")

CLAIMS: Final = (
    Claim(
        id="softmax-shift",
        part="softmax",
        statement=_("Adding one number to all scores of a query changes none of its weights."),
        source=NOTES,
        place=_PROOF,
        link={"curve": "shift"},
        breaks=Break(
            by=_("a softmax that does not subtract the largest score first"),
            options={"naive_softmax": True},
        ),
        config=BiasesConfig,
    ),
    Claim(
        id="bias-k",
        part="biases",
        statement=_("The key bias adds one number to each row of scores, so softmax cancels it."),
        source=NOTES,
        place=_PROOF,
        expected=HOLDS_WHEN,
        when=_ALONE,
        options=_KEY_ALONE,
        breaks=_ROTARY,
        config=BiasesConfig,
    ),
    Claim(
        id="bias-k-grad",
        part="biases",
        statement=_("No loss of the output gives the key bias a gradient."),
        source=OURS,
        expected=HOLDS_WHEN,
        when=_ALONE,
        link={"curve": "gradients"},
        breaks=_ROTARY,
        config=BiasesConfig,
    ),
    Claim(
        id="bias-v",
        part="biases",
        statement=_("The value bias adds one and the same vector to every output."),
        source=NOTES,
        place=_PROOF,
        expected=HOLDS_WHEN,
        when=_("every row of weights adds up to 1"),
        breaks=Break(by=_("dropout on the weights"), options={"dropout": True}),
        config=BiasesConfig,
    ),
    Claim(
        id="bias-q",
        part="biases",
        statement=_("The query bias changes the output, by a term for each key that all queries share."),
        source=NOTES,
        place=_PROOF,
        breaks=Break(
            by=_("the same word everywhere: what is seen is then always the same"),
            options={"tokens": ("cat",) * 6},
        ),
        correction=Correction(
            says=_(
                "before the proof: softmax removes the query bias and the key bias, and LayerNorm the key bias; at "
                "its close: the key bias contributes nothing, the query bias and the key bias do"
            ),
            found=_("the query bias and the value bias change the output, the key bias does not"),
            why=_(
                "the proof is right, and its close errs in one name: the second key bias must be the value bias; "
                "softmax cancels what is equal for all keys, and of the three only the key bias's term is"
            ),
        ),
        config=BiasesConfig,
    ),
    Claim(
        id="bias-terms",
        part="biases",
        statement=_("A score with biases is a sum of four terms, and the two that are constant along a row cancel."),
        source=OURS,
        breaks=_ROTARY,
        config=BiasesConfig,
    ),
    Claim(
        id="bias-mean",
        part="biases",
        statement=_("A linear layer's output has its bias as its mean."),
        source=NOTES,
        place=_("on why there is no bias"),
        expected=HOLDS_WHEN,
        when=_("the inputs have mean 0"),
        link={"curve": "mean"},
        breaks=Break(by=_("inputs with a mean"), options={"input_mean": 0.5}, link={"off_centre": True}),
        config=MeanConfig,
    ),
    Claim(
        id="bias-norm",
        part="norm",
        statement=_(
            "BatchNorm cancels a bias right before it; LayerNorm cancels its mean and RMSNorm nothing of it."
        ),
        source=NOTES,
        place=_("after the section on bias"),
        expected=HOLDS_WHEN,
        when=_("BatchNorm is in training mode"),
        link={"curve": "norms"},
        breaks=Break(
            by=_("BatchNorm in evaluation mode"),
            options={"batch_norm_eval": True},
        ),
        correction=Correction(
            says=_("BatchNorm makes a bias useless, LayerNorm leaves it in force"),
            found=_(
                "LayerNorm cancels the part that all features share and leaves the rest; RMSNorm leaves all of it"
            ),
            why=_(
                "LayerNorm subtracts the mean over a token's features, BatchNorm the mean over tokens, RMSNorm none"
            ),
        ),
        config=AfterNormConfig,
    ),
    Claim(
        id="bias-appendix",
        part="biases",
        statement=_("With and without a key bias, the published differences are what rounding alone leaves."),
        source=NOTES,
        place=_("the appendix"),
        link={"curve": "appendix"},
        options={"seed": 42},
        breaks=None,
        config=AppendixConfig,
    ),
)
