"""What a page says of a claim is what came of it: no sentence below a picture denies the verdict beside it."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from pages._shared.core.pages import PAGES, module_of
from pages._shared.page.page import Page
from attention_core.claims import claims
from attention_core.measuring.claim import Claim
from attention_core.measuring.settings import Choice, Switch, declared
from attention_core.measuring.verdict import Verdict
from attention_core.studies.learning import SeedsConfig
from tests.pages.read import built, link_of, page_of, trains, words
from tests.studies import STUDIES, settings
from tests.sweeps import some_by_day

# The claims of many runs are told where their curve is drawn: tests/figures/test_learning.py.
BROKEN = [claim for claim in claims() if claim.breaks and claim.config is not SeedsConfig]
# How many random settings of a page are drawn at night, by day a third: what takes long has fewer than the others,
# what asks several more.
USUAL = 10
DRAWN = {
    "bug_hunt": 3,
    "learning": 2,
    "normalization": 30,
    "permutation": 6,
    "projections": 30,
    "receptive_field": 5,
    "scaling": 1,
    "trained": 3,
}
# What the argument says itself: that linear attention is the one in which the key bias counts.
ARGUED = ("bias-k.linear",)


def measured(page: Page, config: Any, view: Any) -> tuple[list[Verdict], list[Verdict]]:
    """The verdicts that are told, and all that were measured."""
    found = page.results_of(config, view)
    return found.verdicts, [*found.verdicts, *found.main.verdicts]


def because(verdicts: list[Verdict], came: str) -> set[str]:
    return {str(one.because) for one in verdicts if one.outcome == came and one.key not in ARGUED}


@pytest.mark.parametrize("claim", some_by_day(BROKEN, of=8), ids=lambda one: one.id)
def test_what_breaks_a_claim_is_said_with_its_switch_on_and_not_with_it_off(
    claim: Claim, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, said, reasons = page_of(claim.page), {}, {}
    for broken in (False, True):
        look = built(claim.page, claim.parameters(broken=broken))
        said[broken] = words(page, *look)
        reasons[broken] = because([one for one in measured(page, *look)[1] if one.claim == claim.id], "fails")
    assert reasons[True]
    assert not reasons[False]
    for reason in reasons[True]:
        assert reason in said[True]
        assert reason not in said[False]


def random_looks(name: str, share: int) -> Iterator[tuple[Any, Any]]:
    """Configs and views of a page, under so much of the random settings, in two precisions."""
    page, chance = page_of(name), random.Random(name)
    study = next(one for one in STUDIES if one.config is page.study.config)
    offered = {
        field: [*one.options] if isinstance(one, Choice) else [False, True]
        for field, one in declared(page.view).items()
        if isinstance(one, Choice | Switch) and field not in ("measure", "below")
    }
    for dtype in sorted({"float64", "bfloat16"} & set(study.dtypes)):
        for config in settings(study, dtype, max(1, DRAWN.get(name, USUAL) // share), seed=8):
            yield config, page.view(**{field: chance.choice(values) for field, values in offered.items()})


@pytest.mark.parametrize("name", some_by_day(page.name for page in PAGES))
@pytest.mark.parametrize("share", [10, pytest.param(1, marks=pytest.mark.nightly)], ids=["a tenth", "all"])
def test_whatever_is_set_a_page_says_what_is_undone_and_of_nothing_else_that_it_is(
    name: str, share: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = page_of(name)
    for look in random_looks(name, share):
        text, (told, every) = words(page, *look), measured(page, *look)
        for outcome, lead in (("fails", "Not so here: "), ("undecided", "Not decided here: ")):
            reasons = because(told, outcome)
            assert all(reason in text for reason in reasons), look
            assert lead in text or not reasons, look
            for sentence in text.split(lead)[1:]:
                assert sentence.startswith(tuple(because(every, outcome))), (look, sentence[:200])
        assert "It should hold here" not in text
        assert "It holds here, and should not" not in text
        held_to_verdicts(name, text, every, look)


ALONE = ("mask-encoder.alone", "mask-decoder.alone", "mask-encdec.alone")  # one of them, as the stack is
# Sentences that say of a picture what a claim says: the verdicts they speak of, what these must have come to, and
# where they stand.
SAYS: dict[str, tuple[tuple[str, tuple[str, ...], str, dict[str, Any]], ...]] = {
    "anatomy": (
        ("a mixture of the values, in the shares of its row", ("convex-hull",), "holds", {"step": "context"}),
        ("read may lie outside of the values", ("convex-hull",), "fails", {"step": "context", "dropout": 0.5}),
        ("each head's query is made of all 16 numbers", ("head-sees-all",), "holds",
         {"step": "heads", "weights": "random"}),
        ("is made of 8 numbers alone", ("head-sees-all",), "fails", {"step": "heads", "cut": True}),
        ("a head gets numbers of several words", ("mha-reshape",), "fails", {"step": "heads", "no_transpose": True}),
    ),
    "biases": (
        ("cancels whatever is the same along a row: the two terms", ("bias-terms.cancel",), "holds", {}),
        ("softmax cancels it", ("bias-terms.cancel",), "holds", {}),
        ("are not, and the key bias is felt", ("bias-terms.cancel", "bias-k.weights"), "fails", {"rotary": True}),
        ("felt all the same, as part of the queries", ("bias-k",), "fails", {"tied_query_key": True}),
        ("but not for the sink: softmax sees it", ("bias-terms.cancel",), "fails", {"zero_sink": True}),
        ("On paper a key bias never matters", ("bias-k.float64",), "holds", {"show": "growing"}),
        ("Here a key bias is felt", ("bias-k.float64",), "fails", {"show": "growing", "rotary": True}),
        ("the nearer the mean of the queries comes", ("bias-mean",), "holds", {"curve": "mean"}),
        ("stays away from b_Q", ("bias-mean",), "fails", {"curve": "mean", "off_centre": True}),
    ),
    "scaling": (
        ("Long texts dilute attention", ("dilute",), "holds", {"show": "lengths", "scale": "root"}),
        ("long texts do not dilute attention", ("dilute",), "fails", {"show": "lengths", "scale": "log"}),
    ),
    "projections": (
        ("Without projections each word looks most at itself", ("qkv-none",), "holds", {}),
        ("looks most at another, whose vector is longer", ("qkv-none",), "fails", {"spread": 0.6}),
        ("keys the scores are the same both ways", ("qk-tied",), "holds", {"topic": "tied"}),
        ("the scores are not the same both ways", ("qk-tied",), "fails", {"topic": "tied", "causal": True}),
        ("and the output not at all", ("gauge",), "holds", {"topic": "gauge"}),
        ("no more than the size of a head", ("low-rank.scores",), "holds", {"topic": "rank"}),
        (", more than the size of a head", ("low-rank.scores",), "fails", {"topic": "rank", "positions": "alibi"}),
        ("all words become alike", ("rank-collapse.alive",), "holds", {"topic": "collapse"}),
        ("the scores are mirrored, and with softmax over their columns the output is the same", ("qkv-names",),
         "holds", {"topic": "names"}),
        ("The queries' matrix alone has changed", ("qkv-names",), "fails", {"topic": "names", "one_side": True}),
        ("and those of attention are others", ("fc-fixed",), "holds", {"topic": "fixed"}),
        ("attention is a full layer, too", ("fc-fixed",), "fails", {"topic": "fixed", "frozen": True}),
    ),
    "normalization": (
        ("BatchNorm along a feature of all tokens", ("ln-deps",), "holds", {}),
        ("BatchNorm, in evaluation, at one number", ("ln-deps",), "fails", {"evaluation": True}),
        ("every token comes out at one length", ("ln-norm.sphere",), "holds", {"topic": "length"}),
        ("after LayerNorm on a circle", ("ln-norm.sphere",), "holds", {"topic": "length", "d_model": 3}),
        ("after LayerNorm beside a circle", ("ln-norm.sphere",), "fails",
         {"topic": "length", "d_model": 3, "own_gammas": True}),
        ("the others reach the line", ("ln-norm.sphere",), "fails",
         {"topic": "length", "d_model": 3, "eps": 0.01, "input_std": 1.0}),
        ("The lengths run from", ("ln-norm.sphere",), "fails", {"topic": "length", "own_gammas": True}),
        ("BatchNorm removes all of it", ("bias-norm.batch",), "holds", {"topic": "bias"}),
        ("BatchNorm removes nothing of it", ("bias-norm.batch",), "fails", {"topic": "bias", "evaluation": True}),
        ("RMSNorm nothing of it", ("bias-norm.rms",), "holds", {"topic": "bias"}),
        ("in order again, they differ by rounding", ("perm-block",), "holds", {"topic": "block"}),
        ("Permuting the tokens changes numbers", ("perm-block",), "fails", {"topic": "block", "causal": True}),
        ("then changes each word by itself", ("ffn-alone",), "holds", {"topic": "feed-forward"}),
        ("every word depends on others once more", ("ffn-alone",), "fails",
         {"topic": "feed-forward", "attention_instead": True}),
        ("The feed-forward network leaves it", ("ffn-span",), "holds", {"topic": "feed-forward"}),
        ("There are no more features than words", ("ffn-span",), "fails", {"topic": "feed-forward", "num_tokens": 8}),
    ),
    "masks": (
        ("adding −10000 hides a key as −∞ does", ("mask-additive",), "holds", {"show": "additive"}),
        ("keys are seen again", ("mask-additive",), "fails", {"show": "additive", "score_std": 100_000}),
        ("This module gives the row zeros", ("mask-full",), "holds", {"show": "empty"}),
        ("One pass predicts at every word what a pass", ("forcing",), "holds",
         {"stack": "decoder", "show": "forcing"}),
        ("One pass predicts something else", ("forcing",), "fails", {"show": "forcing"}),
        ("The same parameters take a text of 2 words as well", ("any-length",), "holds", {"show": "length"}),
        ("the next word has none", ("any-length",), "fails", {"show": "length", "positions": "learned"}),
        ("Yet on its own a sentence comes out differently", ALONE, "fails", {"side": "left"}),
    ),
    "permutation": (
        ("with one matrix for both, give the very same", ("pe-add",), "holds", {"show": "terms"}),
        ("two of the four terms are missing", ("pe-add",), "fails", {"show": "terms", "without_block": True}),
        ("together: every score stays (", ("rope-relative",), "holds", {"show": "along", "positions": "alibi"}),
        ("together: scores change by up to ", ("rope-relative",), "fails", {"show": "along", "positions": "learned"}),
    ),
    "variants": (
        ("a model keeps less of each word it has read", ("kv-bytes",), "holds", {}),
        ("keeps as much of a word as before", ("kv-bytes",), "fails", {"repeated": True}),
        ("heads meet the wrong keys", ("kv-repeat",), "fails", {"tiled": True}),
        ("none of them is computed again", ("cache-exact",), "holds", {"show": "cache"}),
        ("but at the wrong places", ("cache-exact",), "fails",
         {"show": "cache", "positions": "rotary", "restart": True}),
        ("no later word changes what is kept", ("no-q-cache",), "holds", {"show": "queries", "causal": True}),
        ("their queries are needed again", ("no-q-cache",), "fails", {"show": "queries"}),
        ("There is one word here, and none before it", ("no-q-cache",), "undecided",
         {"show": "queries", "tokens": ("cat",)}),
        ("additive scores do not", ("additive-rank",), "holds", {"show": "additive"}),
        ("Without tanh an additive score has two parts", ("additive-rank",), "fails",
         {"show": "additive", "no_tanh": True}),
        ("times the memory", ("additive-cost",), "holds", {"show": "additive"}),
        ("scores know nothing of the order", ("additive-order",), "holds", {"show": "additive"}),
        ("scores are told the order", ("additive-order",), "fails", {"show": "additive", "causal": True}),
        ("without softmax the line is less steep", ("linear-cost",), "holds", {"show": "operations"}),
        ("without softmax nothing is won", ("linear-cost",), "fails", {"show": "operations", "quadratic": True}),
        ("The cache grows with the text and with its heads", ("kv-bytes",), "holds", {"show": "bytes"}),
        ("A cache of the repeated heads is as large", ("kv-bytes",), "fails", {"show": "bytes", "repeated": True}),
    ),
    "exactness": (
        ("every row is what softmax of the whole row gives", ("tile-exact",), "holds", {}),
        ("the rows come to something else", ("tile-exact",), "fails", {"unscaled": True}),
        ("Nothing is left of the rows", ("tile-exact",), "fails", {"no_maximum": True, "factor": 1000}),
        ("Tile by tile, the contexts differ", ("tile-exact",), "undecided", {"tile": 64}),
        ("each is one whose rival was near", ("same-batch", "flip"), "holds", {"form": "batch"}),
        ("this is no rounding, it is a fault", ("same-batch", "flip"), "fails", {"form": "batch", "seen": True}),
        ("pairs of halves turn as pairs of neighbours did", ("rope-pairs.same",), "holds", {"form": "pairs"}),
        ("other numbers meet: the outputs", ("rope-pairs.same",), "fails", {"form": "pairs", "one_side": True}),
        ("Pairs of halves and pairs of neighbours, beside", ("rope-pairs.same",), "undecided",
         {"form": "pairs", "tokens": ("a", "a"), "one_side": True}),
        ("give the weights and outputs of queries that meet keys", ("mla-absorb",), "holds", {"form": "latent"}),
        ("folding gives other weights", ("mla-absorb",), "fails", {"form": "latent", "whole": True}),
        ("what is written is what it would have written alone", ("spec-greedy", "spec-dist"), "holds",
         {"form": "speculation"}),
        ("is not the large model’s any more", ("spec-greedy", "spec-dist"), "fails",
         {"form": "speculation", "late": True}),
        ("has the row of the large model", ("spec-dist",), "holds", {"form": "speculation"}),
        ("has another row than the large model", ("spec-dist",), "fails", {"form": "speculation", "greedy": True}),
    ),
    "worth": (
        ("With a sink or a gate it need not", ("sink-gate",), "holds", {"show": "gate"}),
        ("Here every word says something", ("sink-gate",), "fails", {"show": "gate", "same_first": True}),
    ),
    "trained": (("Without a key bias of any layer nothing moves", ("bias-k",), "holds", {"show": "biases"}),),
}  # fmt: skip


def held_to_verdicts(name: str, text: str, verdicts: list[Verdict], look: Any) -> None:
    """No sentence is said of a claim that came to something else."""
    for phrase, keys, wanted, _link in SAYS.get(name, ()):
        about = [one.outcome for one in verdicts if one.key in keys or one.claim in keys]
        came = "fails" if "fails" in about else "holds" if about and set(about) == {"holds"} else "undecided"
        assert phrase not in text or came == wanted, (phrase, came, look)


@pytest.mark.parametrize(
    ("name", "phrase", "link"),
    [
        pytest.param(name, phrase, link, marks=[pytest.mark.slow] * trains(link_of(name, link)))
        for name, every in SAYS.items()
        for phrase, _keys, _outcome, link in every
    ],
)
def test_a_sentence_stands_where_its_claim_came_to_it(
    name: str, phrase: str, link: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module_of(name), "question_open", lambda _page: False, raising=False)  # what answers it waits
    page, look = page_of(name), built(name, link_of(name, link))
    text = words(page, *look)
    assert phrase in text
    held_to_verdicts(name, text, measured(page, *look)[1], look)


# What depends on numbers that no verdict holds: what is said there, and what is not.
NUMBERS: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    ("projections", {"tokens": ("cat",)}, "There is only one word here", "looks most at itself"),
    ("projections", {"tokens": ("cat", "cat")}, "There is only one word here", "looks most at itself"),
    ("projections", {"topic": "tied", "tokens": ("cat",)}, "There is only one word here", "differ by up to 0"),
    ("projections", {"topic": "tied", "tokens": ("cat", "cat")}, "There is only one word here", "cannot be told"),
    ("projections", {"topic": "collapse", "tokens": ("cat",)}, "nothing to become alike", "times as far apart"),
    ("projections", {"topic": "names", "tokens": ("cat",)}, "whose score could be mirrored", "changed places"),
    ("projections", {"topic": "fixed", "tokens": ("cat",)}, "wherever it moves it meets itself", "have moved on"),
    ("biases", {"tokens": ("cat",)}, "the only key has weight 1", "softmax cancels"),
    ("biases", {"tokens": ("cat", "cat")}, "all keys are equal, and so are their weights", "softmax cancels"),
    ("variants", {"num_kv_heads": 8}, "nothing is saved or lost", "keeps less of each word"),
    ("biases", {"k_bias": False}, "without a key bias two of them are 0", "the two terms of the key bias"),
    ("biases", {"show": "changes", "q_bias": False, "k_bias": False, "v_bias": False, "o_bias": False},
     "are the same but for rounding", "change"),
    ("normalization", {"topic": "length", "constant": True}, "is 0 ÷ 0", "comes out at one length"),
    ("normalization", {"topic": "length", "own_gammas": True}, "The lengths run from", "reach the line"),
    ("receptive_field", {"show": "table", "residual": False}, "Heads help more than layers", "Layers help more"),
    ("receptive_field", {"show": "table", "tokens": 1}, "stacks see the same number of inputs: 1", "help more"),
    ("receptive_field", {"tokens": 5}, "there are no more before it", "each layer multiplies what"),
    ("permutation", {"tokens": ("cat",) * 4, "order": (3, 2, 1, 0)}, "all of these words are alike", "unless told"),
    ("scaling", {"num_keys": 1}, "the best key takes 1.00 of the weight unscaled, and 1.00", "0."),
    ("masks", {"batch_norm": True}, "Padding is felt", "looked at"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "link", "phrase", "other"), NUMBERS)
def test_what_no_verdict_holds_is_chosen_by_its_numbers(
    name: str, link: dict[str, Any], phrase: str, other: str
) -> None:
    said = page_of(name).picture_of(*built(name, link_of(name, link))).summary
    assert phrase in said
    assert other not in said
