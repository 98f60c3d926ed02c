"""The panels of a step: what it starts from, and what it makes."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from attention_core.figures.matrix import Axis, Flow, MatrixPanel, MatrixView, Panel
from attention_core.figures.panels import Limits, data_limits
from attention_core.figures.said import said
from attention_core.figures.table import Table
from attention_core.figures.theme import Role
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, listed, sentences
from attention_core.measuring.choices import rotary_of, turns
from attention_core.measuring.number_format import format_number
from attention_core.measuring.snippets import turned
from attention_core.modules.rope_scaling import LinearScaling
from attention_core.studies.anatomy import AnatomyConfig, AnatomyResult, slowed
from attention_core.studies.anatomy.draw.softmax import softmax_row
from attention_core.studies.anatomy.draw.steps import (
    ALL,
    AVERAGE,
    AVERAGED,
    PER_HEAD,
    QUANTITIES,
    STEP_NAMES,
    says,
    step_of,
)

Cell = tuple[int, int, int]
FLOW: Final = Flow(  # of the whole pass: embedding; queries, keys, values; scores; weights; context; output
    columns=(0, 1, 1, 1, 2, 3, 4, 5),
    ribbons=(
        (0, 1, "query"), (0, 2, "key"), (0, 3, "value"), (1, 4, "query"), (2, 4, "key"), (4, 5, None), (5, 6, None),
        (3, 6, "value"), (6, 7, "output"),
    ),
)  # fmt: skip
_AXES: Final = {
    "token": gettext_lazy("token"),
    "query": gettext_lazy("query"),
    "key": gettext_lazy("key"),
    "word": gettext_lazy("word"),
    "head": gettext_lazy("head"),
    "number": gettext_lazy("number"),
    "head.number": gettext_lazy("head.number"),
}
_SHARES: Final = ("weights", "applied", "hard")
_ROW_ROLES: Final[dict[str, Role]] = {"query": "query", "key": "key"}


@dataclass(frozen=True, slots=True)
class Shown:
    """What one panel shows.

    Attributes:
        quantity: Name of the result's array.
        head: Which head, from 0; −1 for the average over heads; None where there are none.
    """

    quantity: str
    head: int | None = None


def shown(config: AnatomyConfig, step: str, head: str) -> tuple[Shown, ...]:
    """The panels of a step, what it makes last.

    Args:
        config: The settings.
        step: Name of the step.
        head: Number of a head, from ``1``; ``all`` of them; or their ``average``, where that makes sense.
    """
    here = step_of(step)
    names = (*here.takes, here.gives)
    if step == "pass" and not config.causal:
        names = tuple("scores" if name == "masked" else name for name in names)
    if step == "softmax" and config.dropout:
        names = (*names, "applied")
    every = tuple(range(config.heads))
    if step == "merge":
        return (*(Shown("context", one) for one in every), Shown("merged"))
    if step == "heads":
        return (Shown("reads"), Shown("q_rows"), *(Shown("q", one) for one in every))
    if names[-1] not in PER_HEAD or head not in (ALL, AVERAGE):
        number = min(int(head), config.heads) - 1 if head not in (ALL, AVERAGE) else 0
        return tuple(Shown(name, number if name in PER_HEAD else None) for name in names)
    if head == AVERAGE and names[-1] in AVERAGED:
        return tuple(Shown(name, -1) for name in names if name in AVERAGED)
    return tuple(Shown(here.gives, one) for one in every)


def values_of(result: AnatomyResult, what: Shown) -> np.ndarray:
    """The numbers of a panel (rows, columns)."""
    array = getattr(result, what.quantity)
    if what.head is None:
        return array
    return array.mean(axis=0) if what.head == -1 else array[what.head]


def anatomy_view(
    config: AnatomyConfig, result: AnatomyResult, *, step: str, head: str = ALL, cell: tuple[int, ...] = ()
) -> MatrixView:
    """The panels of a step, and of softmax the bars of one row.

    Args:
        config: The settings.
        result: Their result.
        step: Name of the step.
        head: As in :func:`shown`.
        cell: The chosen cell, as in :func:`focus`: its row is the one that softmax is shown of.
    """
    panels: tuple[Panel, ...] = anatomy_panels(config, result, step=step, head=head)
    front = None
    if step == "softmax":
        panel, row, _column = focus(config, result, step=step, head=head, cell=cell)
        chosen = shown(config, step, head)[panel].head or 0
        bars = softmax_row(config, result, chosen, row) if chosen >= 0 else None  # an average is no softmax
        if bars is not None:
            panels, front = (*panels, bars), len(panels)  # on a phone the bars are a second look
    lost = _lost(config, result, shown(config, step, head))
    summary = sentences((says(result, step), *_here(config, result, step), lost))
    return MatrixView(panels=panels, summary=str(summary), front=front, flow=FLOW if step == "pass" else None)


def _here(config: AnatomyConfig, result: AnatomyResult, step: str) -> tuple[str, ...]:
    """What a step does with these settings, or leaves, in sentences."""
    match step:
        case "embed" if config.positions in ("sinusoidal", "learned"):
            return (_("What is added says at which place it stands."),)
        case "embed":
            return (_("Nothing is added for the place where it stands."),)
        case "heads" if turns(config.positions):
            return (
                _("Rotary positions then turn queries and keys, two numbers at a time, by an angle for their slot."),
                _stretched(config),
                _read(config, result),
            )
        case "heads":
            return (_("No number changes, only its place."), _read(config, result))
        case "mask":
            return (
                "" if hides(result) else _("Here nothing is hidden."),
                _("ALiBi takes off more the farther away a key is.") if config.positions == "alibi" else "",
            )
        case "softmax" if config.dropout:
            return (
                _(
                    "Dropout then throws some of them away and enlarges those that stay: only on average does a row "
                    "still add up to 1."
                ),
            )
    return ()


def _stretched(config: AnatomyConfig) -> str:
    """What was done to the angles for longer texts, in a sentence; nothing where nothing was."""
    rotary = rotary_of(config.positions, config.head_size)
    if rotary.part < 1:
        return _("Only the first half of a head's numbers turns; the others know of no slot.")
    if rotary.scaling is None:
        return ""
    slower, scaling = slowed(config), rotary.scaling
    if isinstance(scaling, LinearScaling):
        how = _("It is a quarter of the usual one, so that four times as many slots have angles as in training.")
    elif max(slower) == 1:
        how = _("Here it is the usual one.")
    else:
        how = _(
            "The fastest pair keeps the usual one, the slowest turns {times} times slower.",
            times=format_number(slower[-1]),
        )
    by_length = _("It depends on how long the text is.") if scaling.depends_on_length else ""
    gain = _("All numbers are multiplied by {gain:.3g}.", gain=scaling.gain) if scaling.gain != 1 else ""
    return str(sentences((how, by_length, gain)))


def _read(config: AnatomyConfig, result: AnatomyResult) -> str:
    """How many numbers of a word a head's query is made of, in a sentence."""
    if config.heads == 1:
        return ""
    fewest = int(result.reads.sum(1).min())
    return said(
        result,
        "head-sees-all",
        holds=_("It is not the words that are cut: each head's query is made of all {count} numbers.", count=fewest),
        fails=_(
            "The words are cut by hand, too: the query of a head is made of {count} numbers alone.", count=fewest
        ),
        undecided=_(
            "These weights were built by hand, and leave a head {count} numbers of a word; random ones leave it all.",
            count=fewest,
        ),
    )


def _lost(config: AnatomyConfig, result: AnatomyResult, whats: tuple[Shown, ...]) -> str:
    """Of heads that are shown and were built to look for slots: that they find none, in a sentence; or nothing."""
    heads = {what.head for what in whats if what.head is not None and what.head >= 0}
    lost = sorted(
        head + 1 for head in heads if config.weights == "built" and head % 2 == 0 and not result.q[head].any()
    )
    if not lost:
        return ""
    return _(
        "Built to look for slots, head {heads} finds none here: all of its queries are 0.",
        heads=listed(map(str, lost)),
    )


def formula_line(config: AnatomyConfig, step: str, head: str) -> str:
    """How a step makes what it shows, in one line: an average over heads is not what its formula gives."""
    formula = str(step_of(step).formula)
    if step == "heads" and turns(config.positions):
        formula = _("{formula}, q and k turned", formula=formula)
    if step == "mask" and config.positions == "alibi":
        formula = _("{formula}, far ones a penalty", formula=formula)
    if config.heads > 1 and any(what.head == -1 for what in shown(config, step, head)):
        return _("{formula} in each head, then the average of the heads", formula=formula)
    return formula


def code_line(config: AnatomyConfig, step: str) -> str:
    """A step as a line of torch for one text, without dropout."""
    code = step_of(step).code
    if step == "heads" and turns(config.positions):
        code += f"; q, k = {turned(config.positions, ('q', 'slots'), ('k', 'slots'), length='len(slots)')}"
    if step == "mask" and config.positions == "alibi":
        code = f"s = s + alibi_bias; {code}"
    return code


def anatomy_panels(
    config: AnatomyConfig, result: AnatomyResult, *, step: str, head: str = ALL
) -> tuple[MatrixPanel, ...]:
    """The matrices of :func:`anatomy_view`."""
    whats = shown(config, step, head)
    return tuple(_panel(config, result, what, _limits(result, what, whats)) for what in whats)


def read_cell(text: str) -> tuple[int, ...]:
    """A cell as a link writes it, ``7.1.2.0``: number of its step, panel, row and column, each from 0; "" for none.

    Raises:
        ValueError: If ``text`` is anything else.
    """
    if not text:
        return ()
    numbers = tuple(int(part) for part in text.split("."))
    if len(numbers) != 4 or min(numbers) < 0:
        raise ValueError(f"{text!r} is no cell: four numbers from 0 are needed.")
    return numbers


def write_cell(cell: tuple[int, ...]) -> str:
    """The inverse of :func:`read_cell`."""
    return ".".join(map(str, cell))


def focus(config: AnatomyConfig, result: AnatomyResult, *, step: str, head: str, cell: tuple[int, ...]) -> Cell:
    """Panel, row and column of the chosen cell, moved inside where it lies outside.

    Args:
        config: The settings.
        result: Their result.
        step: Name of the step.
        head: As in :func:`shown`.
        cell: As :func:`read_cell` gives it. A cell of another step stands for the same row and column of what this
            step makes; an empty one for the third word and number, or key, two.
    """
    here = shown(config, step, head)
    number, panel, row, column = cell or (-1, 0, 2, 1)
    makes = next(i for i, what in enumerate(here) if what.quantity == step_of(step).gives)
    panel = panel if number == STEP_NAMES.index(step) and panel < len(here) else makes
    rows, columns = values_of(result, here[panel]).shape
    return panel, min(row, rows - 1), min(column, columns - 1)


def anatomy_table(config: AnatomyConfig, result: AnatomyResult, *, step: str, head: str = ALL) -> Table:
    """One row for each cell of each panel."""
    rows = []
    for panel in anatomy_panels(config, result, step=step, head=head):
        for i, row in enumerate(panel.rows.labels):
            rows += [
                (panel.title, i + 1, row, j + 1, column, float(panel.values[i, j]))
                for j, column in enumerate(panel.columns.labels)
            ]
    return Table(("panel", "row", "row is", "column", "column is", "value"), tuple(rows))


def hides(result: AnatomyResult) -> bool:
    """Whether any key is hidden from a query."""
    return not np.isfinite(result.masked[0]).all()


def _limits(result: AnatomyResult, what: Shown, whats: tuple[Shown, ...]) -> Limits:
    """One range of colours for all panels of a step that show the same kind of number.

    Scores share that of the products, so that one sees them shrink; the dark end of weights is all of a query.
    """

    def kind(one: Shown) -> str:
        return str(QUANTITIES["scores" if one.quantity == "products" else one.quantity].symbol)

    values = np.concatenate([values_of(result, other).ravel() for other in whats if kind(other) == kind(what)])
    if what.quantity in _SHARES:
        values = np.append(values, 1.0)
    return data_limits(values, QUANTITIES[what.quantity].scale)


def _panel(config: AnatomyConfig, result: AnatomyResult, what: Shown, limits: Limits) -> MatrixPanel:
    quantity = QUANTITIES[what.quantity]
    values = values_of(result, what)
    hidden = None
    if what.quantity in ("masked", *_SHARES):
        hidden = ~np.isfinite(result.masked[0])
        values = np.where(hidden, 0.0, values)
    title = str(quantity.title)
    if what.quantity == "applied" and not config.dropout:
        title = str(QUANTITIES["weights"].title)
    elif what.quantity == "masked" and config.positions != "alibi" and not hides(result):
        title = _("Scores, none hidden")
    if what.head == -1 and config.heads > 1:
        title = _("{title}, average of the heads", title=title)
    elif what.head is not None and config.heads > 1:
        title = _("{title}, head {head}", title=title, head=what.head + 1)
    return MatrixPanel(
        title=title,
        values=values,
        rows=_axis(config, result, quantity.rows, values.shape[0], _ROW_ROLES.get(quantity.rows)),
        columns=_axis(config, result, quantity.columns, values.shape[1], quantity.role),
        quantity=str(quantity.symbol),
        scale=quantity.scale,
        cells=quantity.cells,
        role=quantity.rail,
        limits=limits,
        hidden=hidden,
    )


def _axis(config: AnatomyConfig, result: AnatomyResult, kind: str, size: int, role: Role | None) -> Axis:
    match kind:
        case "token" | "query" | "key":
            labels = config.tokens
        case "word":
            labels = result.vocabulary
        case "head.number" if config.heads > 1:
            labels = tuple(f"{i // config.head_size + 1}.{i % config.head_size + 1}" for i in range(size))
        case _:
            labels = tuple(str(i + 1) for i in range(size))
    title = _AXES["number" if kind == "head.number" and config.heads == 1 else kind]
    return Axis(title=str(title), labels=labels, role=role)
