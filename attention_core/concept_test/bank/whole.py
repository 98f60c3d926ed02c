"""Items on what matrices can express, what attention costs, and what its weights tell."""

from typing import Final

from attention_core.concept_test import sources
from attention_core.concept_test.item import Case, Choice, Item
from attention_core.language import gettext_lazy as _

# fmt: off
WHOLE: Final = (
    Item(
        id="matrices",
        asked=_("All four matrices of one layer differ from those of another. Can the two give the same outputs for"
                " every text?"),
        cases=(Case("gauge"),),
        choices=(
            Choice(_("Yes: inside each head any basis will do."), when=(True,)),
            Choice(_("No: other matrices compute something else."), "unique", (False,)),
            Choice(_("Only if both were trained on the same texts."), "fixed"),
            Choice(_("Nearly: with training any layer comes near any other."), "fixed"),
        ),
        source=sources.BRUNNER,
    ),
    Item(
        id="rank",
        asked=_("A head's queries and keys have 8 numbers, and a text has 10 words. Can it score every pair of "
                "words as one likes?"),
        cases=(Case("low-rank.scores"),),
        choices=(
            Choice(_("No: the table of scores has rank 8 at most."), when=(True,)),
            Choice(_("Yes: each pair has a score of its own."), "any-pattern", (False,)),
            Choice(_("Yes, as soon as a word has 10 numbers."), "any-pattern"),
            Choice(_("No: the scores of a row sum to one."), "sums"),
        ),
        source=sources.BHOJANAPALLI,
    ),
    Item(
        id="collapse",
        asked=_("Words go through twelve layers of attention with random weights, once without residuals and once "
                "with them. Where do the words stay apart?"),
        cases=(Case("rank-collapse.left"), Case("rank-collapse.left", broken=True)),
        choices=(
            Choice(_("With residuals only: without them all become alike."), when=(True, False)),
            Choice(_("Without them only: there attention works undisturbed."), "deeper", (False, True)),
            Choice(_("In both: residuals help gradients only."), "residual", (False, False)),
            Choice(_("In neither: to mix is to even out."), "dilutes", (True, True)),
        ),
        source=sources.DONG,
    ),
    Item(
        id="heads",
        asked=_("In place of 8 heads there are 16, and words are as wide as before. How many operations do scores "
                "and weighted sums take?"),
        cases=(Case("cplx-core.flops"), Case("cplx-core.flops", options={"num_heads": 16})),
        choices=(
            Choice(_("As many as before."), when=(True, True)),
            Choice(_("Twice as many."), "heads-cost", (True, False)),
            Choice(_("Half as many: each head has half of the word."), "slice"),
            Choice(_("Four times as many: every head meets every other."), "heads-cost"),
        ),
        source=sources.VASWANI,
    ),
    Item(
        id="shared-keys",
        asked=_("Eight heads of queries share two heads of keys and values. How large is the cache, beside that of "
                "eight full heads?"),
        cases=(Case("kv-bytes.cache"),),
        choices=(
            Choice(_("A quarter."), when=(True,)),
            Choice(_("As large: every head keeps its own."), "keep-all", (False,)),
            Choice(_("Five eighths: values of all heads are kept."), "keep-all"),
            Choice(_("An eighth: each head keeps its part of a word."), "slice"),
        ),
        source=sources.AINSLIE,
    ),
    Item(
        id="cache",
        asked=_("A model writes word by word under a causal mask. What of earlier words does each layer need again?"),
        cases=(Case("no-q-cache.row"), Case("no-q-cache.kept")),
        choices=(
            Choice(_("Their keys and values."), when=(True, True)),
            Choice(_("Their queries, keys and values."), "keep-all", (False, True)),
            Choice(_("The words: keys and values change with each new one."), "leaks", (True, False)),
            Choice(_("The last word's output, which holds the rest."), "local"),
        ),
        source=sources.SHAZEER,
    ),
    Item(
        id="tiles",
        asked=_("Attention is computed tile by tile, as FlashAttention does. What comes of it?"),
        cases=(Case("tile-exact"), Case("tile-memory")),
        choices=(
            Choice(_("Less memory, and only rounding differs."), when=(True, True)),
            Choice(_("Less memory, and an approximate output."), "approximate", (False, True)),
            Choice(_("As much memory: an exact output needs all weights at once."), "costly", (True, False)),
            Choice(_("Less work: small weights are left out."), "approximate"),
        ),
        source=sources.DAO,
    ),
    Item(
        id="cut",
        asked=_("An edge has nine tenths of a row's weight. It is cut, and the other weights stay. What leaves the "
                "output of attention?"),
        cases=(Case("weight-effect"),),
        choices=(
            Choice(_("0.9 times what W_O makes of that value, be it large or small."), when=(True,)),
            Choice(_("Nine tenths of the output."), "explains", (False,)),
            Choice(_("Nothing: rows sum to one, so the rest makes up for it."), "sums"),
            Choice(_("0.9 times the word, as it came in."), "explains"),
        ),
        source=sources.KOBAYASHI,
    ),
    Item(
        id="other-weights",
        asked=_("A head sees more words than a value has numbers. Can other weights give the same output?"),
        cases=(Case("weight-free"),),
        choices=(
            Choice(_("Yes: some changes of the weights do not reach it."), when=(True,)),
            Choice(_("No: each output has its own weights."), "unique", (False,)),
            Choice(_("No: weights that sum to one leave no freedom."), "sums"),
            Choice(_("Only where the largest weight stays the largest."), "explains"),
        ),
        source=sources.BRUNNER,
    ),
    Item(
        id="sink",
        asked=_("Nothing in a text is of use to a head. With softmax as it is, to what do its weights of a row sum?"),
        cases=(Case("sink-forced.one"),),
        choices=(
            Choice(_("To 1: it has to look somewhere."), when=(True,)),
            Choice(_("To nearly 0: it looks nowhere."), "idle", (False,)),
            Choice(_("To less, the longer the text is."), "dilutes"),
            Choice(_("To what training has made of it."), "fixed"),
        ),
        source=sources.XIAO,
    ),
)
