"""The words of the field, and what they mean."""

import re
from typing import Final, NamedTuple

from attention_core.language import LANGUAGES, gettext, using
from attention_core.language import gettext_lazy as _


class Word(NamedTuple):
    """A word, what it means, and the page that shows it best."""

    page: str
    word: str
    meaning: str


MOST_FOUND: Final = 3

# fmt: off
WORDS: Final = (
    Word("trained", _("Token"), _("a word or a piece of one: what a model reads, one after the other.")),
    Word("anatomy", _("Embedding"), _("the row of numbers that stands for a token.")),
    Word("images", _("Patch"), _("a small square of a picture, which is read as one token after the other.")),
    Word("normalization", _("Feature"), _("one of these numbers: the same place in the row of every token.")),
    Word("normalization", _("Norm ‖x‖"), _("the length of a vector: the root of the sum of its squared numbers.")),
    Word("anatomy", _(":blue[Query]"), _("what a token asks: the vector W_Q x, compared with every key.")),
    Word("anatomy", _(":orange[Key]"), _("what a token is found by: the vector W_K x.")),
    Word("anatomy", _(":green[Value]"), _("what a token gives to those who look at it: the vector W_V x.")),
    Word("projections", _("Projection"),
         _("a matrix that makes queries, keys or values of tokens: W_Q, W_K, W_V; W_O comes last.")),
    Word("scaling", _("Score"), _("the product q·k of a query and a key, as a rule divided by √d_head.")),
    Word("scaling", _("Softmax"),
         _("turns a row of scores into shares: e to the power of each, divided by the sum of all.")),
    Word("anatomy", _("Weight"),
         _("the share a query takes of a value: softmax of its scores. A query's weights add up to 1.")),
    Word("scaling", _("Temperature"),
         _("what scores are divided by before softmax: the larger it is, the more equal the weights.")),
    Word("scaling", _("QK-norm"), _("brings every query and key to one length before they are compared.")),
    Word("anatomy", _("Context"), _("what a query reads: the mean of the values, by its weights.")),
    Word("anatomy", _(":violet[Output]"),
         _("what attention hands on for each token: the contexts of all heads side by side, times W_O.")),
    Word("anatomy", _("Head"),
         _("one of several attentions side by side, each with queries, keys and values of d_head numbers.")),
    Word("variants", _("Grouped heads"),
         _("heads that ask with queries of their own and share one head of keys and values: grouped-query attention, "
           "GQA; if all share a single one, multi-query attention, MQA.")),
    Word("variants", _("Linear attention"),
         _("attention without softmax: keys and values are summed up once, so that each token costs the same.")),
    Word("scaling", _("d_model, d_head"),
         _("how many numbers a token has, and how many of them a head works with; papers call d_head d_k.")),
    Word("permutation", _("Self-attention"),
         _("queries, keys and values come from one sentence; in cross-attention keys and values are those of "
           "another.")),
    Word("masks", _("Encoder, decoder"),
         _("an encoder reads a whole text at once; a decoder writes one token after the other, from those before "
           "it.")),
    Word("masks", _("Teacher forcing"),
         _("training a decoder on a whole text in one pass: each word is predicted from the true words before it, "
           "not from what the decoder said.")),
    Word("variants", _("KV cache"),
         _("keys and values of the words so far, kept, so that a new word computes its own alone.")),
    Word("masks", _("Mask"), _("what hides keys from queries: their weight is 0.")),
    Word("masks", _("Causal mask"), _("hides from each token all that come after it.")),
    Word("masks", _("Padding"),
         _("what fills short sentences up to the length of the longest; a mask has to hide it.")),
    Word("permutation", _("Position"),
         _("tells a model where a token stands: added to it (sinusoidal, learned), turning queries and keys (rotary, "
           "RoPE), or lowering far scores (ALiBi).")),
    Word("biases", _("Bias"), _("a vector added after a projection: b_Q, b_K, b_V, b_O.")),
    Word("receptive_field", _("Residual"),
         _("a layer's input added to what it makes, so that nothing is lost on the way.")),
    Word("normalization", _("LayerNorm"),
         _("brings each token's numbers to mean 0 and one size; RMSNorm to one size alone.")),
    Word("normalization", _("BatchNorm"), _("does the same along each feature, over all tokens of a batch.")),
    Word("normalization", _("Feed-forward network"),
         _("two layers of neurons that treat every token alike and by itself.")),
    Word("normalization", _("Block"), _("attention and a feed-forward network, each with a residual and a norm.")),
    Word("trained", _("Explanation, explain"),
         _("of an answer by weights: these say where a head looks, not what that look is worth.")),
    Word("anatomy", _("Dropout"), _("in training, throws away some weights at random.")),
    Word("learning", _("Loss"),
         _("what training makes small, here mostly the *cross-entropy*: minus the logarithm of the share that the "
           "right answer is given.")),
    Word("scaling", _("Gradient"),
         _("how much a number would change the loss: what training follows. The *Jacobian* holds those of many "
           "numbers by many.")),
    Word("learning", _("SGD, Adam"),
         _("how training takes a step: SGD goes against the gradient; Adam divides each number of it by its usual "
           "size.")),
    Word("learning", _("Induction"),
         _("continuing what repeats: find where the last token stood before, and give what followed it.")),
    Word("scaling", _("Saturation"),
         _("one weight of a softmax is nearly 1 and the others nearly 0: small changes of scores do nothing.")),
    Word("permutation", _("Equivariance"),
         _("shuffle what goes in, and what comes out is shuffled in the same way. *Invariance*: it does not change "
           "at all.")),
    Word("receptive_field", _("Receptive field"), _("the inputs that can change a token's output.")),
    Word("receptive_field", _("Convolution"),
         _("a sum over tokens at fixed distances; what each is multiplied by is a *tap*, and all taps are the "
           "*kernel*.")),
    Word("projections", _("Rank, singular values"),
         _("how many rows of a matrix are independent; as many of its singular values, by which it stretches, are "
           "not 0.")),
    Word("scaling", _("Variance, σ"),
         _("the mean squared distance of numbers from their mean; σ, the standard deviation, is its root.")),
    Word("learning", _("Standard error"),
         _("how far the mean of random draws is off as a rule: σ divided by the root of their number.")),
    Word("complexity", _("FLOPs"),
         _("floating-point operations: how much arithmetic something costs. A *fused kernel* (FlashAttention) does "
           "as much with less memory.")),
    Word("scaling", _("Precision"),
         _("how many bits a number has: float64, float32, float16. bfloat16 has 16, too: it rounds more than float16 "
           "and holds far larger numbers.")),
    Word("biases", _("Rounding"),
         _("what a computer's numbers lose: in float64 about 1e-16 of each, in float16 about 1e-3.")),
    Word("masks", _("NaN"), _("“not a number”, such as 0 ÷ 0; nearly all that is computed with it is NaN, too.")),
)
# fmt: on


def word_line(word: Word) -> str:
    """A word and its meaning, as Markdown."""
    return gettext("**{word}**: {meaning}", word=word.word, meaning=word.meaning)


def words_in(text: str) -> list[Word]:
    """The words that a text is, those whose line speaks of all of it, then those that it names, in any language."""
    typed = _bare(text)
    if not typed.strip():
        return []
    exact = [word for word in WORDS if typed in _names(word)]
    spoken_of = [word for word in WORDS if typed.strip() in _bare(word_line(word))]
    named = [word for word in WORDS if any(name in typed for name in _names(word))]
    return list(dict.fromkeys(exact + spoken_of + named))[:MOST_FOUND]


def _names(word: Word) -> list[str]:
    names = []
    for language in LANGUAGES:
        with using(language):
            names += [_bare(name) for name in re.split("[,、，]", str(word.word))]
    return names


def _bare(text: str) -> str:
    """A text's words between spaces, without colours, signs and case; of scripts without spaces the signs alone."""
    words = re.findall(r"[a-z0-9_]+|[^\Wa-z0-9_]+", re.sub(r":\w+\[", "", text).casefold())
    return "".join(f" {word} " if word.isascii() else word for word in words)
