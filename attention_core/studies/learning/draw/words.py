"""Why training comes to what it does, step by step, beside what was measured of this run."""

from collections.abc import Iterable

import numpy as np

from attention_core.figures.proof import ProofStep, code
from attention_core.figures.said import undone
from attention_core.language import COMMA, joined, sentences
from attention_core.language import gettext as _
from attention_core.measuring.verdict import Result
from attention_core.studies.learning import OPTIMIZERS, ROLES, LearningResult


def proof(result: LearningResult, told: Iterable[Result] = ()) -> tuple[ProofStep, ...]:
    """The steps, whatever was trained.

    Args:
        result: The run.
        told: All that is told; several seeds among it, if they were trained.
    """
    config, history, score = result.config, result.history, result.score
    return (
        ProofStep(
            _(
                "The loss is how surprised the model is by the right answers. Each step draws new sequences and "
                "moves all weights a little against the loss's gradient, so nothing can be learned by heart."
            ),
            _(
                "{optimizer} took the loss from {first} to {last} in `{steps:,}` steps, in {dtype}; in half "
                "precision rounding would swallow the updates.",
                optimizer=OPTIMIZERS[config.optimizer],
                first=code(history.loss[0]),
                last=code(history.loss[-1]),
                steps=int(history.moments[-1]),
                dtype=config.dtype,
            ),
        ),
        ProofStep(
            _(
                "Without positions and masks, shuffling the input shuffles the output: a model can know which tokens "
                "there are, not where. The best such guess can be computed for each sequence; training cannot pass "
                "it."
            ),
            _(
                "On new sequences `{right:.1%}` are right (standard error `{error:.1%}`); the best without order "
                "gets `{blind:.1%}`, guessing `{chance:.1%}`.",
                right=score.accuracy,
                error=score.error,
                blind=history.blind,
                chance=history.chance,
            ),
            undone(result, "learn-order"),
        ),
        ProofStep(
            _(
                "Before training, a query's scores spread by about start² · √d_head times the scale. If that is far "
                "above one, a single key takes nearly all weight, and softmax passes almost no gradient to W_Q and "
                "W_K."
            ),
            _(
                "The scores start {spread} apart. In layer 1 the first gradient of W_Q has norm {query}, that of W_O "
                "{output}.",
                spread=code(config.score_spread),
                query=_gradient(result, "W_Q"),
                output=_gradient(result, "W_O"),
            ),
            str(sentences(undone(one, "learn-scale") for one in told)),
        ),
        ProofStep(
            _(
                "Softmax ignores what is added to every score of a row, and q · b_K is just that: the key bias has "
                "no gradient but rounding. Gradient descent leaves it; AdamW divides even rounding by its own size."
            ),
            _key_bias(result),
            undone(result, "learn-key-bias"),
        ),
    )


def _gradient(result: LearningResult, role: str) -> str:
    return code(result.history.gradients[0, 0, ROLES.index(role)])


def _key_bias(result: LearningResult) -> str:
    if not result.config.biases:
        return _("This model has no biases: `0` of its parameters are a key bias.")
    moved = result.history.moved[-1, 0]
    said = (
        _("{bias} by {size}", bias=role, size=code(moved[ROLES.index(role)]))
        for role in ("b_Q", "b_K", "b_V")
        if np.isfinite(moved[ROLES.index(role)])
    )
    return _("In layer 1 training moved {biases}.", biases=joined(COMMA, said))
