"""How it is drawn which lengths of text a stack takes: a row of dots for each kind of positions."""

from typing import Final

from attention_core.figures.matrix import Axis, BarsPanel, MatrixPanel, MatrixView
from attention_core.figures.proof import ProofStep, code, measured
from attention_core.figures.said import said, undone
from attention_core.figures.table import Table
from attention_core.language import gettext as _
from attention_core.measuring.choices import POSITION_NAMES
from attention_core.studies.masks import LENGTHS, TABLE, LengthResult

_NAMES: Final = tuple(f"{length:,}" for length in LENGTHS)


def length_view(result: LengthResult) -> MatrixView:
    """Which lengths come out, and how many parameters do it.

    Args:
        result: What was measured.
    """
    kinds = Axis(title=_("positions"), labels=_kinds(result))
    taken = MatrixPanel(
        title=_("Which texts come out"),
        values=result.taken.astype(float),
        rows=kinds,
        columns=Axis(title=_("words of the text"), labels=_NAMES),
        quantity=_("it comes out"),
        scale="sequential",
        cells="allowed",
        limits=(0.0, 1.0),
        hidden=~result.taken,
        hidden_as=_("refused: there is no such position"),
    )
    parameters = BarsPanel(
        title=_("Parameters, whatever the length"),
        values=result.parameters.astype(float),
        labels=kinds,
        quantity=_("parameters"),
        lying=True,
    )
    least, most = LENGTHS[0], LENGTHS[-1]
    summary = said(
        result,
        "any-length",
        holds=_(
            "The same parameters take a text of {least} words as well as one of {most}. A table that was learned for "
            "{table} positions stops there.",
            least=least, most=most, table=TABLE,
        ),
        fails=_(
            "A learned table has a vector for each of {table} positions: the next word has none. All else goes on.",
            table=TABLE,
        ),
        undecided=_("Which lengths of text come out, with each kind of positions."),
    )  # fmt: skip
    return MatrixView(panels=(taken, parameters), summary=summary, front=1)


def length_table(result: LengthResult) -> Table:
    """A row for each kind of positions and each length."""
    rows = tuple(
        (kind, length, bool(taken), int(count))
        for kind, row, count in zip(result.kinds, result.taken, result.parameters, strict=True)
        for length, taken in zip(LENGTHS, row, strict=True)
    )
    return Table(("positions", "words of the text", "comes out", "parameters"), rows)


def length_proof(result: LengthResult) -> tuple[ProofStep, ...]:
    """Why any length will do, beside what was measured."""
    counts = dict(zip(result.kinds, result.parameters.tolist(), strict=True))
    more = _(
        "{more} parameters more for a table of {table} positions.",
        more=code(counts["learned"] - counts["none"]), table=code(TABLE),
    )  # fmt: skip
    return (
        ProofStep(
            _(
                "W_Q, W_K, W_V, W_O and the feed-forward network are applied to one word at a time, and softmax "
                "takes a row of any length. Nowhere in attention is there a parameter for a place or for a pair of "
                "places, so a longer text needs no more of them."
            ),
            _("{count} parameters without positions.", count=code(counts["none"])),
        ),
        ProofStep(
            _(
                "Sines, rotations and ALiBi's penalties are computed for whatever place is asked for. A learned "
                "table has one vector for each place up to its end, and nothing for the next. That a text comes out "
                "does not say that it is understood: what a model was never trained on may still go wrong."
            ),
            f"{more}  \n{measured(result, 'any-length')}",
            undone(result, "any-length"),
        ),
    )  # fmt: skip


def _kinds(result: LengthResult) -> tuple[str, ...]:
    return tuple(str(POSITION_NAMES[kind]) for kind in result.kinds)
