"""The proof of each claim about norms, step by step, beside what was measured for it."""

from functools import singledispatch

from attention_core.figures.proof import ProofStep, code, measured
from attention_core.figures.said import undone
from attention_core.language import COMMA, SEMICOLON, joined
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.normalization import (
    DependenceResult,
    FeedForwardResult,
    LengthResult,
    NormalizationResult,
    NormBiasResult,
    NormBlockResult,
)
from attention_core.studies.normalization.draw.view import capital, values_after


@singledispatch
def proof(result: NormalizationResult) -> tuple[ProofStep, ...]:
    """The steps of the proof.

    Args:
        result: The result of a question.
    """
    raise TypeError(f"nothing is said about {type(result).__name__}")


@proof.register
def _dependence(result: DependenceResult) -> tuple[ProofStep, ...]:
    layer = result.verdict("ln-deps.layer")
    n = result.jacobians.shape[1]
    moves = (
        _(
            "{name}: other padding `{padding}`, another sentence `{neighbours}`, evaluation `{modes}`",
            name=name, padding=format_number(padding), neighbours=format_number(neighbours),
            modes=format_number(modes),
        )
        for name, (padding, neighbours, modes) in zip(result.names, result.moved.tolist(), strict=True)
    )  # fmt: skip
    across = joined(COMMA, (f"{name} `{count}`" for name, count in zip(result.names, result.across, strict=True)))
    return (
        ProofStep(
            _(
                "LayerNorm takes mean and spread over the features of one token, RMSNorm their root mean square: "
                "what comes out depends on that token alone. So it is the same whatever stands beside it, and "
                "however long the sentence is."
            ),
            _("{says} {number}.", says=capital(layer.says), number=code(layer.measured)),
        ),
        ProofStep(
            _(
                "BatchNorm in training takes mean and spread over the tokens, feature by feature: a number depends "
                "on its own feature in all tokens. In evaluation it uses a past batch's, and depends on its own "
                "input alone."
            ),
            _(
                "Pairs of tokens where one depends on the other, of {count}: {across}; itself is a pair too.",
                count=n * n,
                across=across,
            ),
            undone(result, "ln-deps.batch", "ln-deps.pairs"),
        ),
        ProofStep(
            _(
                "So with BatchNorm a token is changed by what else is in the batch: by padding, and by the sentences "
                "beside it, which are others each time. And in evaluation, with statistics of the past, it becomes "
                "something else than in training. With LayerNorm or RMSNorm a sentence comes out as it does alone: "
                "one reason why transformers have these."
            ),
            str(joined(SEMICOLON, moves)),
            undone(result, "ln-deps.apart", "ln-deps.padding", "ln-deps.neighbours", "ln-deps.modes"),
        ),
    )


@proof.register
def _length(result: LengthResult) -> tuple[ProofStep, ...]:
    formula, between = (result.verdict(f"ln-norm.{key}") for key in ("formula", "between"))
    return (
        ProofStep(
            _(
                "Subtracting the mean puts x on the plane of mean 0; dividing by σ = ‖x − mean‖/√d gives it length "
                "√d there. γ stretches that to |γ|√d, and β moves it along (1, …, 1), off the plane."
            ),
            _(
                "|γ|√d = {radius}; lengths lie {off} from it at most.",
                radius=code(result.radius), off=code(result.off_sphere),
            ),
            undone(result, "ln-norm.sphere"),
        ),
        ProofStep(
            _(
                "With ε in the root the length is |γ|√d·σ/√(σ²+ε): shorter, the smaller the spread. A constant token "
                "has σ = 0: with ε it becomes β, without it 0/0, which is NaN."
            ),
            _("With ε the formula is {off} off.", off=code(formula.measured)),
            undone(result, "ln-norm.formula"),
        ),
        ProofStep(
            _(
                "All this is for one γ for all features. A trained LayerNorm has one for each: then ‖y − β‖ = "
                "‖γ ∘ x̂‖, which lies between min|γ|√d and max|γ|√d, and the tokens on no sphere."
            ),
            _("Outside of that span by {most} at most (less than 0: inside).", most=code(between.measured)),
            undone(result, "ln-norm.between"),
        ),
    )  # fmt: skip


@proof.register
def _bias(result: NormBiasResult) -> tuple[ProofStep, ...]:
    batch, mean, rest, rms = map(code, result.largest)
    return (
        ProofStep(
            _(
                "BatchNorm subtracts each feature's mean over the tokens. A bias is the same for all tokens, so it "
                "is in that mean, and goes."
            ),
            _("The output moves by {size}.", size=batch),
            undone(result, "bias-norm.batch"),
        ),
        ProofStep(
            _(
                "LayerNorm subtracts each token's mean over the features: only the part of b that is the same for "
                "all features goes. RMSNorm subtracts nothing, so nothing goes."
            ),
            _(
                "LayerNorm moves by {mean} for the mean of b, by {rest} for the rest; RMSNorm by {rms}.",
                mean=mean, rest=rest, rms=rms,
            ),
            undone(result, "bias-norm.layer-mean", "bias-norm.layer-rest", "bias-norm.rms"),
        ),
    )  # fmt: skip


@proof.register
def _block(result: NormBlockResult) -> tuple[ProofStep, ...]:
    worst = (
        _("{name}: {value}", name=name, value=code(value))
        for name, value in zip(result.placements, result.residuals.max(1), strict=True)
    )
    return (
        ProofStep(
            _(
                "LayerNorm and the feed-forward network treat each token alone, the residual adds token to token, "
                "and attention is equivariant. So is all that is made of them. The notes on attention bias say "
                "LayerNorm breaks this, and that Yun et al. (2020), who prove the opposite, are wrong: the paper is "
                "right, wherever the norm stands."
            ),
            str(joined(SEMICOLON, worst)),
            undone(result, "perm-block"),
        ),
        ProofStep(
            _(
                "Even BatchNorm, which mixes tokens, keeps it: a mean over all tokens does not ask for their order. "
                "What breaks it is what belongs to a slot: a position, a mask, a weight for each slot."
            ),
            _("{count} orders.", count=result.residuals.shape[1]),
        ),
        ProofStep(
            _(
                "The notes on attention bias call x + N(f(x)) the original block. The original is N(x + f(x)) "
                "(Vaswani et al. 2017): there the norm rescales the sum. x + N(f(x)) is residual post-norm (Liu et "
                "al. 2022), which like pre-norm, x + f(N(x)) (Xiong et al. 2020), hands the input on as it is."
            ),
            measured(result, "norm-place"),
            undone(result, "norm-place"),
        ),
        ProofStep(
            _(
                "Through many blocks post-norm keeps tokens near one length, √d and what its shift β adds; the "
                "others add up, residual post-norm by at most √d and the shift with each part. How much is left of "
                "what a token was at first depends on the weights; the curves below the picture show it for those "
                "drawn here."
            ),
            values_after(result),
        ),
    )  # fmt: skip


@proof.register
def _feed_forward(result: FeedForwardResult) -> tuple[ProofStep, ...]:
    attention, feed, norms = result.parameters
    return (
        ProofStep(
            _(
                "f(x W₁ᵀ + b₁) W₂ᵀ + b₂ has one row for each word. A row of a product is made of that row of the "
                "first factor, and f bends each number by itself: whatever the weights, nothing of another word "
                "enters. What one word says to another goes through attention alone."
            ),
            measured(result, "ffn-alone"),
            undone(result, "ffn-alone"),
        ),
        ProofStep(
            _(
                "A head's context is a mixture of the values of all words, so it lies in what these span, and has "
                "nothing that no word brought along. The network makes more numbers of it, bends them and adds them "
                "up again: that is no mixture of the values any more, but something new about the word."
            ),
            measured(result, "ffn-span"),
            undone(result, "ffn-span"),
        ),
        ProofStep(
            _(
                "With 4·d numbers between its two layers the network has 8·d² weights, the four matrices of "
                "attention have 4·d²: two thirds of a block are here."
            ),
            _(
                "{feed} of {all} parameters, biases and norms included.",
                feed=code(feed), all=code(attention + feed + norms),
            ),
        ),
        ProofStep(
            _(
                "A layer that is fully connected over places would let words see each other, too, but by weights of "
                "its own: they stay as they are when the words change, and fit one length of text. Attention makes "
                "its weights of the words."
            ),
            _("Its weights for {count} words: {places}.", count=code(len(result.depends[0])),
              places=code(result.places)),
        ),
    )  # fmt: skip
