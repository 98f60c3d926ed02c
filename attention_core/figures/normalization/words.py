"""The proof of each claim about norms, step by step, beside what was measured for it."""

from dataclasses import dataclass
from functools import singledispatch

from attention_core.experiments.normalization import (
    BiasResult,
    BlockResult,
    DependenceResult,
    LengthResult,
    NormalizationResult,
)
from attention_core.experiments.verdict import format_number


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a proof, and the numbers it rests on, both as Markdown.

    Attributes:
        argument: The step.
        measured: The numbers.
    """

    argument: str
    measured: str


@singledispatch
def proof(result: NormalizationResult) -> tuple[Step, ...]:
    """The steps of the proof.

    Args:
        result: The result of a question.
    """
    raise TypeError(f"nothing is said about {type(result).__name__}")


@proof.register
def _(result: DependenceResult) -> tuple[Step, ...]:
    layer, _, pairs = result.verdicts
    n = result.jacobians.shape[1]
    across = ", ".join(f"{name} `{count}`" for name, count in zip(result.names, result.across, strict=True))
    return (
        Step(
            "LayerNorm and RMSNorm take mean and spread over the features of one token: y_ij depends on x_i· only. "
            "So a token comes out the same whatever stands beside it, and however long the sentence is.",
            f"Largest derivative by another token: {_code(layer.measured)}.",
        ),
        Step(
            "BatchNorm in training takes them over the tokens, feature by feature: y_ij depends on x_·j only. In "
            "evaluation it uses a past batch's and depends on x_ij alone.",
            f"Pairs of tokens where one depends on the other, of {n * n}: {across}; itself is a pair too. "
            f"{pairs.because.capitalize()}",
        ),
    )


@proof.register
def _(result: LengthResult) -> tuple[Step, ...]:
    kept, _ = result.verdicts
    return (
        Step(
            "Subtracting the mean puts x on the plane of mean 0; dividing by σ = ‖x − mean‖/√d gives it length √d "
            "there. γ stretches that to |γ|√d, and β moves it along (1, …, 1), off the plane.",
            f"|γ|√d = {_code(result.radius)}; lengths lie {_code(result.off_sphere)} from it at most.",
        ),
        Step(
            "With ε in the root the length is |γ|√d·σ/√(σ²+ε): shorter, the smaller the spread. A constant token has "
            "σ = 0: with ε it becomes β, without it 0/0, which is NaN.",
            f"With ε the formula is {_code(result.verdicts[1].measured)} off. {kept.because.capitalize()}",
        ),
    )


@proof.register
def _(result: BiasResult) -> tuple[Step, ...]:
    batch, mean, rest, rms = map(_code, result.largest)
    return (
        Step(
            "BatchNorm subtracts each feature's mean over the tokens. A bias is the same for all tokens, so it is in "
            "that mean, and goes.",
            f"The output moves by {batch}.",
        ),
        Step(
            "LayerNorm subtracts each token's mean over the features: only the part of b that is the same for all "
            "features goes. RMSNorm subtracts nothing, so nothing goes.",
            f"LayerNorm moves by {mean} for the mean of b, by {rest} for the rest; RMSNorm by {rms}.",
        ),
    )


@proof.register
def _(result: BlockResult) -> tuple[Step, ...]:
    worst = zip(result.placements, result.residuals.max(1), strict=True)
    return (
        Step(
            "LayerNorm and the feed-forward network treat each token alone, the residual adds token to token, and "
            "attention is equivariant. So is all that is made of them. Source B says LayerNorm breaks this; it does "
            "not, wherever it stands.",
            "; ".join(f"{name}: {_code(value)}" for name, value in worst),
        ),
        Step(
            "Even BatchNorm, which mixes tokens, keeps it: a mean over all tokens does not ask for their order. What "
            "breaks it is what belongs to a slot: a position, a mask, a weight for each slot.",
            f"{result.residuals.shape[1]} orders. {result.verdicts[0].because.capitalize()}",
        ),
    )


def _code(value: float) -> str:
    return f"`{format_number(float(value))}`"
