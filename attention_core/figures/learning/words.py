"""Why training comes to what it does, step by step, beside what was measured of this run."""

import numpy as np

from attention_core.experiments.learning import OPTIMIZERS, ROLES, LearningResult
from attention_core.figures.proof import ProofStep, code


def proof(result: LearningResult) -> tuple[ProofStep, ...]:
    """The steps, whatever was trained.

    Args:
        result: The run.
    """
    config, history, score = result.config, result.history, result.score
    return (
        ProofStep(
            "The loss is how surprised the model is by the right answers. Each step draws new sequences and moves "
            "all weights a little against the loss's gradient, so nothing can be learned by heart.",
            f"{OPTIMIZERS[config.optimizer]} took the loss from {code(history.loss[0])} to "
            f"{code(history.loss[-1])} in `{int(history.moments[-1]):,}` steps, in {config.dtype}; in half "
            "precision rounding would swallow the updates.",
        ),
        ProofStep(
            "Without positions and masks, shuffling the input shuffles the output: a model can know which tokens "
            "there are, not where. The best such guess can be computed for each sequence; training cannot pass it.",
            f"On new sequences `{score.accuracy:.1%}` are right (standard error `{score.error:.1%}`); the best "
            f"without order gets `{history.blind:.1%}`, guessing `{history.chance:.1%}`.",
        ),
        ProofStep(
            "Before training, a query's scores spread by about start² · √d_head times the scale. If that is far "
            "above one, a single key takes nearly all weight, and softmax passes almost no gradient to W_Q and W_K.",
            f"The scores start {code(config.score_spread)} apart. In layer 1 the first gradient of W_Q has norm "
            f"{_gradient(result, 'W_Q')}, that of W_O {_gradient(result, 'W_O')}.",
        ),
        ProofStep(
            "Softmax ignores what is added to every score of a row, and q · b_K is just that: the key bias has no "
            "gradient but rounding. Gradient descent leaves it; AdamW divides even rounding by its own size.",
            _key_bias(result),
        ),
    )


def _gradient(result: LearningResult, role: str) -> str:
    return code(result.history.gradients[0, 0, ROLES.index(role)])


def _key_bias(result: LearningResult) -> str:
    if not result.config.biases:
        return "This model has no biases: `0` of its parameters are a key bias."
    moved = result.history.moved[-1, 0]
    said = ", ".join(
        f"{role} by {code(moved[ROLES.index(role)])}"
        for role in ("b_Q", "b_K", "b_V")
        if np.isfinite(moved[ROLES.index(role)])
    )
    return f"In layer 1 training moved {said}."
