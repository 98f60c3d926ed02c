"""The proof of each claim about norms, step by step, beside what was measured for it."""

from functools import singledispatch

from attention_core.experiments.normalization import (
    DependenceResult,
    LengthResult,
    NormalizationResult,
    NormBiasResult,
    NormBlockResult,
)
from attention_core.figures.normalization.view import values_after
from attention_core.figures.proof import ProofStep, code, measured


@singledispatch
def proof(result: NormalizationResult) -> tuple[ProofStep, ...]:
    """The steps of the proof.

    Args:
        result: The result of a question.
    """
    raise TypeError(f"nothing is said about {type(result).__name__}")


@proof.register
def _(result: DependenceResult) -> tuple[ProofStep, ...]:
    layer, pairs = result.verdict("ln-deps.layer"), result.verdict("ln-deps.pairs")
    n = result.jacobians.shape[1]
    across = ", ".join(f"{name} `{count}`" for name, count in zip(result.names, result.across, strict=True))
    return (
        ProofStep(
            "LayerNorm and RMSNorm take mean and spread over the features of one token: y_ij depends on x_i· only. "
            "So a token comes out the same whatever stands beside it, and however long the sentence is.",
            f"{layer.says[:1].upper()}{layer.says[1:]} {code(layer.measured)}.",
        ),
        ProofStep(
            "BatchNorm in training takes them over the tokens, feature by feature: y_ij depends on x_·j only. In "
            "evaluation it uses a past batch's and depends on x_ij alone.",
            f"Pairs of tokens where one depends on the other, of {n * n}: {across}; itself is a pair too. "
            f"{pairs.because.capitalize()}",
        ),
    )


@proof.register
def _(result: LengthResult) -> tuple[ProofStep, ...]:
    kept, formula, between = (result.verdict(f"ln-norm.{key}") for key in ("sphere", "formula", "between"))
    return (
        ProofStep(
            "Subtracting the mean puts x on the plane of mean 0; dividing by σ = ‖x − mean‖/√d gives it length √d "
            "there. γ stretches that to |γ|√d, and β moves it along (1, …, 1), off the plane.",
            f"|γ|√d = {code(result.radius)}; lengths lie {code(result.off_sphere)} from it at most.",
        ),
        ProofStep(
            "With ε in the root the length is |γ|√d·σ/√(σ²+ε): shorter, the smaller the spread. A constant token has "
            "σ = 0: with ε it becomes β, without it 0/0, which is NaN.",
            f"With ε the formula is {code(formula.measured)} off. {kept.because.capitalize()}",
        ),
        ProofStep(
            "All this is for one γ for all features. A trained LayerNorm has one for each: then ‖y − β‖ = ‖γ ∘ x̂‖, "
            "which lies between min|γ|√d and max|γ|√d, and the tokens on no sphere.",
            f"Outside of that span by {code(between.measured)} at most (less than 0: inside).",
        ),
    )


@proof.register
def _(result: NormBiasResult) -> tuple[ProofStep, ...]:
    batch, mean, rest, rms = map(code, result.largest)
    return (
        ProofStep(
            "BatchNorm subtracts each feature's mean over the tokens. A bias is the same for all tokens, so it is in "
            "that mean, and goes.",
            f"The output moves by {batch}.",
        ),
        ProofStep(
            "LayerNorm subtracts each token's mean over the features: only the part of b that is the same for all "
            "features goes. RMSNorm subtracts nothing, so nothing goes.",
            f"LayerNorm moves by {mean} for the mean of b, by {rest} for the rest; RMSNorm by {rms}.",
        ),
    )


@proof.register
def _(result: NormBlockResult) -> tuple[ProofStep, ...]:
    worst = zip(result.placements, result.residuals.max(1), strict=True)
    return (
        ProofStep(
            "LayerNorm and the feed-forward network treat each token alone, the residual adds token to token, and "
            "attention is equivariant. So is all that is made of them. The notes on attention bias say LayerNorm "
            "breaks this, and that Yun et al. (2020), who prove the opposite, are wrong: the paper is right, "
            "wherever the norm stands.",
            "; ".join(f"{name}: {code(value)}" for name, value in worst),
        ),
        ProofStep(
            "Even BatchNorm, which mixes tokens, keeps it: a mean over all tokens does not ask for their order. What "
            "breaks it is what belongs to a slot: a position, a mask, a weight for each slot.",
            f"{result.residuals.shape[1]} orders. {result.verdict('perm-block.pre').because.capitalize()}",
        ),
        ProofStep(
            "The notes call x + N(f(x)) the original block. The original is N(x + f(x)) (Vaswani et al. 2017): there "
            "the norm rescales the sum. x + N(f(x)) is residual post-norm (Liu et al. 2022), which like pre-norm, "
            "x + f(N(x)) (Xiong et al. 2020), hands the input on as it is.",
            measured(result, "norm-place"),
        ),
        ProofStep(
            "Through many blocks post-norm keeps tokens near one length, √d and what its shift β adds; the others "
            "add up, residual post-norm by at most √d and the shift with each part. How much is left of what a token "
            "was at first depends on the weights; the curves below the picture show it for those drawn here.",
            f"After {values_after(result)}.",
        ),
    )
