"""Items on what is inside of a layer: heads, biases, norms, softmax and its scale."""

from typing import Final

from attention_core.concept_test import sources
from attention_core.concept_test.item import Case, Choice, Item
from attention_core.language import gettext_lazy as _

# fmt: off
INSIDE: Final = (
    Item(
        id="slice",
        asked=_("A word is 16 numbers, and attention has two heads. Of how many of these numbers is the first "
                "head's query made?"),
        cases=(Case("head-sees-all.numbers"),),
        choices=(
            Choice(_("Of all 16."), when=(True,)),
            Choice(_("Of the 8 that are its part."), "slice", (False,)),
            Choice(_("Of none: queries are learned parameters."), "fixed"),
            Choice(_("Of none: a query is made of the other words."), "mixes"),
        ),
        source=sources.SPLIT,
    ),
    Item(
        id="dropout",
        asked=_("In training dropout throws some weights away. To what does a row of weights sum then?"),
        cases=(Case("drop-rows", broken=True), Case("drop-rows.mean", broken=True)),
        choices=(
            Choice(_("To 1 on average, but not in each row."), when=(False, True)),
            Choice(_("To 1 in each row: softmax sees to it."), "sums", (True, True)),
            Choice(_("To less than 1, on average too."), "dilutes", (False, False)),
            Choice(_("To 1 in each row, once training has made up for it."), "fixed"),
        ),
        source=sources.VASWANI,
    ),
    Item(
        id="key-bias",
        asked=_("Keys have a bias, and nothing rotates them. The bias is taken out. What changes?"),
        cases=(Case("bias-k.weights"), Case("bias-k.output")),
        choices=(
            Choice(_("Neither weights nor outputs, but for rounding."), when=(True, True)),
            Choice(_("Weights and outputs."), "bias-counts", (False, False)),
            Choice(_("All outputs, by one and the same vector."), "biases-alike", (True, False)),
            Choice(_("Nothing before training, and outputs once it was trained."), "fixed"),
        ),
        source=sources.NAMAZIFAR,
    ),
    Item(
        id="value-bias",
        asked=_("Values have a bias, and weights of a row sum to 1. What does the bias add to the outputs?"),
        cases=(Case("bias-v"),),
        choices=(
            Choice(_("One and the same vector to each."), when=(True,)),
            Choice(_("Another vector to each, by its weights."), "explains", (False,)),
            Choice(_("Nothing: softmax cancels it."), "bias-cancels"),
            Choice(_("Nothing to outputs, and one number to each row of scores."), "biases-alike"),
        ),
        source=sources.NAMAZIFAR,
    ),
    Item(
        id="rotated-bias",
        asked=_("Queries and keys get their biases and are then rotated by their positions. Does the key's bias "
                "change the output?"),
        cases=(Case("bias-k.output", broken=True),),
        choices=(
            Choice(_("Yes: at each place it is rotated otherwise."), when=(False,)),
            Choice(_("No: softmax cancels it, rotated or not."), "bias-cancels", (True,)),
            Choice(_("Only if values have a bias too."), "biases-alike"),
            Choice(_("Only between neighbours: farther away rotations cancel."), "local"),
        ),
        source=sources.SU,
    ),
    Item(
        id="bias-before-norm",
        asked=_("A bias stands right before a norm, in training. Which norm cancels all of it?"),
        cases=(Case("bias-norm.batch"), Case("bias-norm.layer-rest")),
        choices=(
            Choice(_("BatchNorm, and not LayerNorm."), when=(True, True)),
            Choice(_("LayerNorm, and not BatchNorm."), "norms-swapped", (False, False)),
            Choice(_("Both."), "norms-alike", (True, False)),
            Choice(_("Neither."), "bias-counts", (False, True)),
        ),
        source=sources.IOFFE,
    ),
    Item(
        id="norms",
        asked=_("In training the padding of a batch is replaced by other padding. Under which norm do real words "
                "stay the same?"),
        cases=(Case("ln-deps.apart"), Case("ln-deps.padding")),
        choices=(
            Choice(_("Under LayerNorm, and not under BatchNorm."), when=(True, True)),
            Choice(_("Under BatchNorm, and not under LayerNorm."), "norms-swapped", (False, False)),
            Choice(_("Under both: padding is left out."), "zeros", (True, False)),
            Choice(_("Under neither: a norm looks at all that there is."), "mixes", (False, True)),
        ),
        source=sources.BA,
    ),
    Item(
        id="feed-forward",
        asked=_("On what does the output of a block's feed-forward layer at a word depend?"),
        cases=(Case("ffn-alone"),),
        choices=(
            Choice(_("On the vector that it gets of that word alone."), when=(True,)),
            Choice(_("On the vectors of all words."), "mixes", (False,)),
            Choice(_("On the vectors of that word and its neighbours."), "local"),
            Choice(_("On that vector and the word's place in the text."), "order"),
        ),
        source=sources.GEVA,
    ),
    Item(
        id="saturation",
        asked=_("Scores are not divided by √d_head, and heads of random numbers grow to thousands. What becomes of "
                "a row's weights?"),
        cases=(Case("scale-sat"),),
        choices=(
            Choice(_("One key gets nearly all, in nearly all rows."), when=(True,)),
            Choice(_("They stay much as they are: softmax makes shares."), "size", (False,)),
            Choice(_("They become ever more equal: long sums even out."), "dilutes"),
            Choice(_("All of them go to zero."), "idle"),
        ),
        source=sources.VASWANI,
    ),
    Item(
        id="gradient",
        asked=_("Scores are not divided by √d_head, and heads of random numbers grow. What becomes of the gradient "
                "through softmax?"),
        cases=(Case("scale-grad.median"), Case("scale-grad.mean")),
        choices=(
            Choice(_("It vanishes for most queries, and is huge for a few."), when=(True, True)),
            Choice(_("It vanishes for all queries."), "vanish", (True, False)),
            Choice(_("It stays as it is: softmax makes shares."), "size", (False, True)),
            Choice(_("It grows for all queries, as scores do."), "vanish"),
        ),
        source=sources.VASWANI,
    ),
)
