"""What the words mean."""

from typing import Final

import streamlit as st

from attention_core.figures.mathematics import set_markdown
from attention_core.language import gettext
from attention_core.language import gettext_lazy as _

WORDS: Final = {
    _("Token"): _("a word or a piece of one: what a model reads, one after the other."),
    _("Embedding"): _("the row of numbers that stands for a token."),
    _("Feature"): _("one of these numbers: the same place in the row of every token."),
    _("Norm ‖x‖"): _("the length of a vector: the root of the sum of its squared numbers."),
    _(":blue[Query]"): _("what a token asks: the vector W_Q x, compared with every key."),
    _(":orange[Key]"): _("what a token is found by: the vector W_K x."),
    _(":green[Value]"): _("what a token gives to those who look at it: the vector W_V x."),
    _("Projection"): _("a matrix that makes queries, keys or values of tokens: W_Q, W_K, W_V; W_O comes last."),
    _("Score"): _("the product q·k of a query and a key, as a rule divided by √d_head."),
    _("Softmax"): _("turns a row of scores into shares: e to the power of each, divided by the sum of all."),
    _("Weight"): _("the share a query takes of a value: softmax of its scores. A query's weights add up to 1."),
    _("Temperature"): _("what scores are divided by before softmax: the larger it is, the more equal the weights."),
    _("QK-norm"): _("brings every query and key to one length before they are compared."),
    _("Context"): _("what a query reads: the mean of the values, by its weights."),
    _(":violet[Output]"): _(
        "what attention hands on for each token: the contexts of all heads side by side, times W_O."
    ),
    _("Head"): _("one of several attentions side by side, each with queries, keys and values of d_head numbers."),
    _("Grouped heads"): _("heads that ask with queries of their own and share one head of keys and values."),
    _("Linear attention"): _(
        "attention without softmax: keys and values are summed up once, so that each token costs the same."
    ),
    _("d_model, d_head"): _("how many numbers a token has, and how many of them a head works with."),
    _("Self-attention"): _(
        "queries, keys and values come from one sentence; in cross-attention keys and values are those of another."
    ),
    _("Encoder, decoder"): _(
        "an encoder reads a whole text at once; a decoder writes one token after the other, from those before it."
    ),
    _("Mask"): _("what hides keys from queries: their weight is 0."),
    _("Causal mask"): _("hides from each token all that come after it."),
    _("Padding"): _("what fills short sentences up to the length of the longest; a mask has to hide it."),
    _("Position"): _(
        "tells a model where a token stands: added to it (sinusoidal, learned), turning queries and keys "
        "(rotary, RoPE), or lowering far scores (ALiBi)."
    ),
    _("Bias"): _("a vector added after a projection: b_Q, b_K, b_V, b_O."),
    _("Residual"): _("a layer's input added to what it makes, so that nothing is lost on the way."),
    _("LayerNorm"): _("brings each token's numbers to mean 0 and one size; RMSNorm to one size alone."),
    _("BatchNorm"): _("does the same along each feature, over all tokens of a batch."),
    _("Feed-forward network"): _("two layers of neurons that treat every token alike and by itself."),
    _("Block"): _("attention and a feed-forward network, each with a residual and a norm."),
    _("Dropout"): _("in training, throws away some weights at random."),
    _("Loss"): _(
        "what training makes small, here mostly the *cross-entropy*: minus the logarithm of the share that the right "
        "answer is given."
    ),
    _("Gradient"): _(
        "how much a number would change the loss: what training follows. The *Jacobian* holds those of many "
        "numbers by many."
    ),
    _("SGD, Adam"): _(
        "how training takes a step: SGD goes against the gradient; Adam divides each number of it by its usual size."
    ),
    _("Induction"): _("continuing what repeats: find where the last token stood before, and give what followed it."),
    _("Saturation"): _(
        "one weight of a softmax is nearly 1 and the others nearly 0: small changes of scores do nothing."
    ),
    _("Equivariance"): _(
        "shuffle what goes in, and what comes out is shuffled in the same way. "
        "*Invariance*: it does not change at all."
    ),
    _("Receptive field"): _("the inputs that can change a token's output."),
    _("Convolution"): _(
        "a sum over tokens at fixed distances; what each is multiplied by is a *tap*, and all taps are the *kernel*."
    ),
    _("Rank, singular values"): _(
        "how many rows of a matrix are independent; as many of its singular values, by which it stretches, are not 0."
    ),
    _("Variance, σ"): _(
        "the mean squared distance of numbers from their mean; σ, the standard deviation, is its root."
    ),
    _("Standard error"): _(
        "how far the mean of random draws is off as a rule: σ divided by the root of their number."
    ),
    _("FLOPs"): _(
        "floating-point operations: how much arithmetic something costs. A *fused kernel* (FlashAttention) "
        "does as much with less memory."
    ),
    _("Precision"): _(
        "how many bits a number has: float64, float32, float16. bfloat16 has 16, too: it rounds more than float16 "
        "and holds far larger numbers."
    ),
    _("Rounding"): _("what a computer's numbers lose: in float64 about 1e-16 of each, in float16 about 1e-3."),
    _("NaN"): _("“not a number”, such as 0 ÷ 0; nearly all that is computed with it is NaN, too."),
}


def draw_glossary() -> None:
    """Draw the popover with what the words mean."""
    lines = (gettext("**{word}**: {meaning}", word=word, meaning=meaning) for word, meaning in WORDS.items())
    with st.popover(gettext("Glossary"), icon=":material/menu_book:", type="tertiary"):
        st.markdown(set_markdown("  \n".join(lines)))
