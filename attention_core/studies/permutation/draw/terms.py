"""How the four terms of a score are drawn, where a position is added to each word, and what is told of them."""

from typing import Any, Final

import numpy as np

from attention_core.figures.matrix import Axis, MatrixPanel, MatrixView
from attention_core.figures.panels import AVERAGE, data_limits, of_head
from attention_core.figures.proof import ProofStep, code, measured
from attention_core.figures.said import outcome, said, undone
from attention_core.figures.table import Table
from attention_core.figures.theme import Role
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, sentences
from attention_core.measuring.number_format import format_number
from attention_core.studies.permutation import POSITION_NAMES, ShuffleConfig, TermsResult

TERMS: Final = (
    gettext_lazy("word·word"), gettext_lazy("word·place"), gettext_lazy("place·word"),
    gettext_lazy("place·place"),
)  # fmt: skip
_LOW: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def terms_view(config: ShuffleConfig, result: TermsResult, head: str = AVERAGE) -> MatrixView:
    """Word with word, word with place, place with word, place with place, and the scores of words plus places.

    Args:
        config: The shuffle.
        result: Its terms.
        head: Number of the head that is drawn, from ``1``; or their average.
    """
    terms, scores = of_head(result.terms, head), of_head(result.scores, head)
    shared: dict[str, Any] = {
        "quantity": _("score, average over heads") if head == AVERAGE else _("score in head {head}", head=head),
        "scale": "diverging",
        "limits": data_limits(np.stack((*terms, scores)), "diverging"),
    }
    (q_words, q_places), (k_words, k_places) = _sides(config)
    sides = ((q_words, k_words), (q_words, k_places), (q_places, k_words), (q_places, k_places))
    panels = tuple(
        MatrixPanel(title=str(title), values=values, rows=rows, columns=columns, **shared)
        for title, values, (rows, columns) in zip(TERMS, terms, sides, strict=True)
    )
    whole = MatrixPanel(title=_("Scores of word + place"), values=scores, rows=q_words, columns=k_words, **shared)
    equal = "≠" if outcome(result, "pe-add") == "fails" else "="
    return MatrixView(
        panels=(*panels, whole), summary=_terms_said(config, result), front=2, signs=("+", "+", "+", equal)
    )


def _sides(config: ShuffleConfig) -> tuple[tuple[Axis, Axis], tuple[Axis, Axis]]:
    """Of queries, and of keys, the axis of the words in the order of the shuffle and that of their places."""
    queries = _side(config, config.tokens, config.query_order)
    keys = _side(config, config.keys, config.key_order)

    def axes(labels: tuple[tuple[str, ...], tuple[str, ...]], title: str, role: Role) -> tuple[Axis, Axis]:
        return Axis(title=title, labels=labels[0], role=role), Axis(title=_("place"), labels=labels[1], role=role)

    return axes(queries, _("query"), "query"), axes(keys, _("key"), "key")


def _side(
    config: ShuffleConfig, words: tuple[str, ...], order: tuple[int, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words in an order, and their places p₁, p₂, …: where these travel along, in that order too."""
    here = order or tuple(range(len(words)))
    places = here if config.carried else range(len(words))
    return tuple(words[at] for at in here), tuple(f"p{at + 1}".translate(_LOW) for at in places)


def _terms_said(config: ShuffleConfig, result: TermsResult) -> str:
    """Whether the four terms are the scores, and whose positions they are where the page adds none."""
    told = said(
        result,
        "pe-add",
        holds=_(
            "Each score is a sum of four: word with word, word with place, place with word, place with place. Words "
            "and places side by side, with one matrix for both, give the very same."
        ),
        fails=_(
            "Without a block for the keys' places two of the four terms are missing: the others miss the scores by "
            "up to {moved}.",
            moved=format_number(result.moved),
        ),
        undecided=_("Each score is a sum of four terms, as near as these numbers can tell."),
    )
    stays = any(order != tuple(range(len(order))) for order in (config.query_order, config.key_order))
    moved = _("The words have moved, and their places have not.") if stays and not config.carried else ""
    other = _(
        "The page adds no places here: those in the picture are {positions}.", positions=POSITION_NAMES[result.added]
    )
    return str(sentences((told, moved, other if config.positions != result.added else "")))


def terms_step(result: TermsResult) -> ProofStep:
    """The step of the proof: why adding is a concatenation whose blocks are tied."""
    return ProofStep(
        _(
            "Why are positions added, and not concatenated? W (x + p) = W x + W p is what one matrix [W, W] makes of "
            "the two side by side: adding is a concatenation whose two blocks are one. A :blue[query] times a "
            ":orange[key] is then four terms: word with word, word with place, place with word, place with place. "
            "Blocks of their own could weigh places otherwise, for twice the parameters of W_Q, W_K and W_V."
        ),
        measured(result, "pe-add")
        + "  \n"
        + _("The largest score is {largest}.", largest=code(float(np.abs(result.scores).max()))),
        undone(result, "pe-add"),
    )


def terms_table(config: ShuffleConfig, result: TermsResult, *, head: str = AVERAGE) -> Table:
    """One row for each query and key: the four terms, their sum, and the scores of the two modules."""
    terms, scores, beside = (of_head(values, head) for values in (result.terms, result.scores, result.beside))
    (queries, _places), (keys, _slots) = _sides(config)
    named = ("word·word", "word·place", "place·word", "place·place")
    columns = ("query slot", "key slot", "query", "key", *named, "sum", "score, added", "score, side by side")
    return Table(
        columns,
        tuple(
            (
                i + 1, j + 1, query, key, *(float(term[i, j]) for term in terms), float(terms[:, i, j].sum()),
                float(scores[i, j]), float(beside[i, j]),
            )
            for i, query in enumerate(queries.labels)
            for j, key in enumerate(keys.labels)
        ),
    )  # fmt: skip
