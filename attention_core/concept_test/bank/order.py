"""Items on order, masks, lengths, and what sees what."""

from typing import Final

from attention_core.concept_test import sources
from attention_core.concept_test.item import Case, Choice, Item
from attention_core.language import gettext_lazy as _

# fmt: off
ORDER: Final = (
    Item(
        id="self-shuffle",
        asked=_("Attention without positions or mask reads some words, then the same words in another order. What "
                "becomes of the outputs?"),
        cases=(Case("perm-self"),),
        choices=(
            Choice(_("Each word has the same output as before, in its new place."), when=(True,)),
            Choice(_("Each word has another output, for other words stand before it."), "order", (False,)),
            Choice(_("Place by place the outputs are what they were."), "stays"),
            Choice(_("Only words that have other neighbours now have other outputs."), "local"),
        ),
        source=sources.VASWANI,
    ),
    Item(
        id="count",
        asked=_("One text is a single word, another is this word four times. There are no positions. How does the "
                "word's output differ?"),
        cases=(Case("count-blind"),),
        choices=(
            Choice(_("Not at all."), when=(True,)),
            Choice(_("With four of them there is more of it."), "repeated", (False,)),
            Choice(_("Each of the four has a fourth of it."), "dilutes"),
            Choice(_("The first is the same, and those after it differ."), "order"),
        ),
        source=sources.VASWANI,
    ),
    Item(
        id="causal-depth",
        asked=_("There is a causal mask, and no positions. All words but the last are shuffled. Which layer's "
                "output at the last word notices first?"),
        cases=(Case("nope-depth.one"), Case("nope-depth.two")),
        choices=(
            Choice(_("That of the second layer."), when=(True, True)),
            Choice(_("That of the first layer: a causal mask is an order."), "order", (False, True)),
            Choice(_("None: without positions nothing knows the order."), "no-order", (True, False)),
            Choice(_("That of the layer which training gives this task."), "fixed"),
        ),
        source=sources.HAVIV,
    ),
    Item(
        id="block",
        asked=_("A whole block has attention, norms, residuals and a feed-forward layer, and no positions. Its "
                "words are shuffled. What do its outputs do?"),
        cases=(Case("perm-block"),),
        choices=(
            Choice(_("They move with their words, and are the same."), when=(True,)),
            Choice(_("They change: norms or the feed-forward layer notice the places."), "mixes", (False,)),
            Choice(_("They change: the residual hands on the old order."), "order"),
            Choice(_("They stay in their places."), "stays"),
        ),
        source=sources.YUN,
    ),
    Item(
        id="padding",
        asked=_("An encoder reads sentences that are filled up with padding, and has no mask. What of the padding "
                "reaches real words?"),
        cases=(Case("mask-encoder", broken=True),),
        choices=(
            Choice(_("Padding gets weight like any word, and changes their outputs."), when=(False,)),
            Choice(_("Nothing: padding is empty, and has no weight."), "zeros", (True,)),
            Choice(_("Nothing: it stands behind them."), "order"),
            Choice(_("Next to nothing: it is of no use, so heads do not look there."), "idle"),
        ),
        source=sources.PADDING,
    ),
    Item(
        id="padding-side",
        asked=_("A decoder has a causal mask and no other. On which side of a sentence does padding reach real "
                "words?"),
        cases=(Case("mask-decoder"), Case("mask-decoder", broken=True)),
        choices=(
            Choice(_("On the left only."), when=(True, False)),
            Choice(_("On the right only."), "leaks", (False, True)),
            Choice(_("On both sides: it needs a mask of its own."), "mask-all", (False, False)),
            Choice(_("On neither side: the causal mask hides it."), "mask-none", (True, True)),
        ),
        source=sources.CAUSAL_PADDING,
    ),
    Item(
        id="one-pass",
        asked=_("With a causal mask a text is read once as a whole, and once each of its beginnings alone. How do "
                "the outputs at a word compare?"),
        cases=(Case("forcing"),),
        choices=(
            Choice(_("They are the same but for rounding."), when=(True,)),
            Choice(_("They differ: as a whole a word feels what follows."), "leaks", (False,)),
            Choice(_("They differ: as a whole weight is shared among more words."), "dilutes"),
            Choice(_("They are near each other: one pass is faster, and an approximation."), "approximate"),
        ),
        source=sources.VASWANI,
    ),
    Item(
        id="length",
        asked=_("Texts get longer than the parameters were made for. Positions are sines in one model, and come "
                "from a learned table in the other. Which takes them?"),
        cases=(Case("any-length"), Case("any-length", broken=True)),
        choices=(
            Choice(_("The one with sines: the table ends."), when=(True, False)),
            Choice(_("The one with the table: it has learned what a position is."), "fixed", (False, True)),
            Choice(_("Both: attention takes any length."), "any-length", (True, True)),
            Choice(_("Neither: the length is built in."), "length", (False, False)),
        ),
        source=sources.PRESS,
    ),
    Item(
        id="reach",
        asked=_("Each of two heads looks at one word, and a residual keeps the word itself. On how many inputs can "
                "a word depend after three layers, at most?"),
        cases=(Case("rf-bound.most"),),
        choices=(
            Choice(_("On 27: three times as many with each layer."), when=(True,)),
            Choice(_("On all that there are, however many."), "sees-all", (False,)),
            Choice(_("On 8: twice as many with each layer."), "residual"),
            Choice(_("On 7: two more with each layer."), "adds-up"),
        ),
        source=sources.CORDONNIER,
    ),
    Item(
        id="pictures",
        asked=_("The patches of a picture are shuffled. A vision transformer without positions and a network of "
                "convolutions say what it shows. Whose scores change?"),
        cases=(Case("vit-order.same"), Case("vit-order.convolution")),
        choices=(
            Choice(_("Those of the convolutions only."), when=(True, True)),
            Choice(_("Those of the transformer only."), "order", (False, False)),
            Choice(_("Those of both: both see the picture."), "sees-picture", (False, True)),
            Choice(_("Those of neither: all patches are still there."), "no-order", (True, False)),
        ),
        source=sources.DOSOVITSKIY,
    ),
)
