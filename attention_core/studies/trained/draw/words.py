"""What is said of a trained model: its heads by name, one cell's arithmetic, and the proof."""

import math
from typing import Any, Final

import numpy as np

from attention_core.figures.matrix import Axis, MatrixPanel, MatrixView
from attention_core.figures.table import Table
from attention_core.figures.theme import Role, Tone
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.number_format import format_number, percent
from attention_core.studies.trained import FACTORS, KINDS, AccuracyResult, Head, HeadsResult, TrainedResult

Cell = tuple[int, int]
LISTED: Final = 16  # heads that stand below each other, each in a row of its own
ORDERS: Final = {
    "place": gettext_lazy("layer and head"),
    "entropy": gettext_lazy("least entropy"),
    "distance": gettext_lazy("how far they look back"),
    "first": gettext_lazy("weight on the first token"),
} | {kind: gettext_lazy("weight on {what}", what=what) for kind, what in KINDS.items()}
SOMETIMES, MOSTLY = 0.2, 0.5  # of the probability: so much of it makes a verb worth naming, or the next word
OFF: Final = gettext_lazy("switched off")  # what is grey in a table of heads
COLOURS: Final[dict[str, Tone]] = {"plural": "accent", "singular": "ink", "asked": "accent", "other": "ink"}
_ONE_OF: Final = {
    "plural": gettext_lazy("a plural verb"),
    "singular": gettext_lazy("a singular verb"),
    "asked": gettext_lazy("a noun of this measure word"),
    "other": gettext_lazy("a noun of another measure word"),
}
_EITHER: Final = {
    "plural": gettext_lazy("a verb of any number"), "asked": gettext_lazy("a noun of any measure word"),
}  # fmt: skip
MEMBERS: Final = {
    "plural": gettext_lazy("plural verbs"),
    "singular": gettext_lazy("singular verbs"),
    "asked": gettext_lazy("nouns of this measure word"),
    "other": gettext_lazy("other nouns"),
}
AGREES: Final = 2  # times as likely: so much more the words of one kind are than those of the other


def read_heads(text: str) -> tuple[Head, ...]:
    """Layer and head, counted from 0, of each that a link's ``0.1-1.0`` names."""
    pairs = (one.split(".") for one in text.split("-") if one)
    return tuple((int(layer), int(head)) for layer, head in pairs)


def write_heads(heads: tuple[Head, ...]) -> str:
    """The link's text for them."""
    return "-".join(f"{layer}.{head}" for layer, head in heads)


def read_cell(text: str) -> tuple[int, ...]:
    """Row and column that a link's ``5-2`` names; empty for what the page chooses."""
    cell = tuple(map(int, text.split("-"))) if text else ()
    if len(cell) not in (0, 2):
        raise ValueError(f"{text} is no cell")
    return cell


def write_cell(cell: tuple[int, ...]) -> str:
    """The link's text for it."""
    return "-".join(map(str, cell))


def head_name(head: Head) -> str:
    """``layer 2, head 3``."""
    return _("layer {layer}, head {head}", layer=head[0] + 1, head=head[1] + 1)


def short_name(head: Head) -> str:
    """``2.3``, as a row of it is called."""
    return f"{head[0] + 1}.{head[1] + 1}"


def listed_heads(result: TrainedResult, found: HeadsResult, order: str) -> tuple[Head, ...]:
    """The heads that stand below each other in a table: all where they are few; of many the first by a score.

    Args:
        result: The pass.
        found: The heads' scores.
        order: An id of ``ORDERS``; by a score that is not measured, as by ``place``.
    """
    scores = {"entropy": -result.entropy, "distance": result.distance, "first": result.first}
    score = (scores | dict(zip(KINDS, found.scores, strict=True))).get(order)
    if score is None or not np.isfinite(score).all():
        return by_place(result.shape)
    places = (divmod(int(at), score.shape[1]) for at in np.argsort(-score, axis=None, kind="stable"))
    return tuple(places)[:LISTED]


def by_place(shape: tuple[int, ...]) -> tuple[Head, ...]:
    """The heads by layer and head where they are few enough to stand below each other; none of many."""
    layers, heads = shape
    return (
        tuple((layer, head) for layer in range(layers) for head in range(heads)) if layers * heads <= LISTED else ()
    )


def heads_axis(heads: tuple[Head, ...]) -> Axis:
    """A row for each head: ``2.3``."""
    return Axis(title=_("layer.head"), labels=tuple(map(short_name, heads)))


def greyed(off: tuple[Head, ...], shape: tuple[int, ...]) -> dict[str, Any]:
    """What a panel of heads (layers, heads) shows in grey: those that are off."""
    mask = np.zeros(shape, dtype=bool)
    for head in off:
        mask[head] = True
    return {"hidden": mask, "hidden_as": str(OFF)}


def quoted(text: str) -> str:
    """``“keys”``."""
    return f"“{text}”"


def chosen_head(result: TrainedResult, found: HeadsResult, wanted: tuple[Head, ...]) -> Head:
    """The head in large: the one that was chosen, else the one that looks most at the word that decides.

    Args:
        result: The pass.
        found: The heads' scores.
        wanted: The chosen head, if there is one that the model has.
    """
    layers, heads = result.shape
    for layer, head in wanted[:1]:
        if layer < layers and head < heads:
            return layer, head
    return found.best("agreement") or found.best("induction") or (0, 0)


def chosen_cell(result: TrainedResult, head: Head, wanted: tuple[int, ...]) -> Cell:
    """The cell that is taken apart: the chosen one, else the last row's largest."""
    n = len(result.tokens)
    if len(wanted) == 2 and max(wanted) < n and not result.hidden[head[0]][wanted]:
        return wanted[0], wanted[1]
    return n - 1, int(result.weights[head][n - 1].argmax())


def selected(
    show: str, result: TrainedResult, head: Head, cell: Cell, rows: tuple[Head, ...]
) -> tuple[int, int, int] | None:
    """Which cell of which panel is marked: the one that is taken apart, or the head.

    Args:
        show: Which of the page's pictures it is.
        result: The pass.
        head: The head in large.
        cell: The cell that is taken apart.
        rows: The heads of a table's rows, as of ``listed_heads``.
    """
    if show == "next" and cell[0] == len(result.tokens) - 1 and head in rows:
        return (0, rows.index(head), cell[1])
    return {"heads": (1, *cell), "scores": (0, *head)}.get(show)


def choice(
    show: str, result: TrainedResult, at: tuple[int, int, int], rows: tuple[Head, ...]
) -> dict[str, tuple[Any, ...]]:
    """What a chosen cell sets: another head in large, or another cell of it.

    Args:
        show: Which of the page's pictures it is.
        result: The pass.
        at: Panel, row and column.
        rows: The heads of a table's rows, as of ``listed_heads``.
    """
    (panel, row, column), n = at, len(result.tokens)
    if show == "next" and panel == 0 and rows:
        return {"head": (rows[row],), "cell": (n - 1, column)}
    if show == "heads" and panel == 0:
        return {"head": ((row // n, column // n),), "cell": (row % n, column % n)}
    if panel == 0 and show in ("next", "scores"):
        return {"head": ((row, column),)}
    if (show, panel) == ("heads", 1):
        return {"cell": (row, column)}
    return {}


def switched(view: MatrixView, at: tuple[int, int, int], rows: tuple[Head, ...]) -> Head | None:
    """The head whose switch a chosen cell is; None where it is none.

    Args:
        view: The picture.
        at: Panel, row and column.
        rows: The heads of a table's rows, as of ``listed_heads``.
    """
    match view.panels[at[0]]:
        case MatrixPanel(switches=(_, *_), columns=columns) if at[2] == len(columns.labels):
            return rows[at[1]]
    return None


def decided_for(result: TrainedResult, *, before: bool = False) -> str:
    """The kind of words that is more than ``AGREES`` times as likely next as the other; empty where neither is.

    Args:
        result: The pass.
        before: Whether with all heads on.
    """
    if not result.kinds:
        return ""
    one, other = result.shares[:, int(before)]
    return result.kinds[0] if one > AGREES * other else result.kinds[1] if other > AGREES * one else ""


def next_said(result: TrainedResult, head: Head) -> str:
    """What comes next, and where the head in large looks; with heads off, what that changes."""
    if result.off and result.likely:
        return _changed(result)
    last = result.weights[head][-1]
    word = quoted(result.tokens[int(last.argmax())])
    looks = _("{head} looks at {word}", head=head_name(head), word=word)
    if head in result.off:
        looks = _("{head} is switched off", head=head_name(head))
    told = {"last": quoted(result.tokens[-1]), "looks": looks}
    if not result.likely:
        return _("From {last}, {looks}.", **told)
    told["first"], both = quoted(result.foremost), result.shares[:, 0].sum()
    if not result.continues:
        return _(
            "In the last place it answers {first}; this model does not predict what comes next. From {last}, "
            "{looks}.",
            **told,
        )
    if not both > SOMETIMES:
        return _("Next comes {first}: from {last}, {looks}.", **told)
    decided = decided_for(result)
    told["verb"] = str(_ONE_OF[decided] if decided else _EITHER[result.kinds[0]])
    if both > MOSTLY:
        return _("Next comes {verb}, such as {first}: from {last}, {looks}.", **told)
    return _("Next comes {first}, or {verb}: from {last}, {looks}.", **told)


def _changed(result: TrainedResult) -> str:
    """What the heads that are off have changed: of the kind that now wins, else of the one that has moved most."""
    if result.kinds:
        now = decided_for(result)
        moved = int(np.abs(result.shares[:, 0] - result.shares[:, 1]).argmax())
        at = result.kinds.index(now) if now and now != decided_for(result, before=True) else moved
        what, (after, before) = str(MEMBERS[result.kinds[at]]), map(float, result.shares[at])
    else:
        what, after, before = quoted(result.likely[0]), float(result.probabilities[0]), float(result.before[0])
    one, *others = (short_name(head) for head in result.off)
    heads = _("these heads") if others else _("head {head}", head=one)
    told = {"heads": heads, "what": what, "after": percent(after)}
    if percent(before) == told["after"]:
        return _("Without {heads} the probability of {what} stays at {after}.", **told)
    if after > before:
        return _("Without {heads} the probability of {what} rises to {after}.", **told)
    return _("Without {heads} the probability of {what} falls to {after}.", **told)


def arithmetic(result: TrainedResult, head: Head, cell: Cell) -> tuple[tuple[str, Role | None], ...]:
    """How one weight comes about, piece by piece, each with the role whose colour it wears."""
    (layer, one), (row, column) = head, cell
    scores, weights = result.scores[layer, one], result.weights[layer, one]
    seen = ~result.hidden[layer][row]
    score = float(scores[row, column])
    total = float(np.exp(scores[row][seen] - scores[row][seen].max()).sum())
    exact = math.exp(score - float(scores[row][seen].max())) / total
    scale = float(result.scale[layer])
    said: list[tuple[str, Role | None]] = [
        (quoted(result.tokens[row]), "query"),
        (_(" would look at ") if head in result.off else _(" looks at "), None),
        (quoted(result.tokens[column]), "key"),
        (
            _(
                ": q · k = {product}, times {scale} is {score}; ",
                product=format_number(score / scale), scale=format_number(scale), score=format_number(score),
            ),
            None,
        ),
    ]  # fmt: skip
    weight = float(weights[row, column])
    if abs(exact - weight) < 1e-3:
        gives = {"count": int(seen.sum()), "weight": format_number(exact)}
        said.append((_("softmax over the {count} tokens it sees gives {weight}", **gives), None))
    else:  # positions that are added to the scores
        said.append((_("with its positions softmax gives {weight}", weight=format_number(weight)), None))
    if head in result.off:
        said.append((_("; but the head is switched off"), None))
    return tuple(said)


def trained_table(result: TrainedResult, found: HeadsResult, accuracy: AccuracyResult | None) -> Table:
    """A row for each head, and one for each next word, bias, state and construction."""
    rows: list[tuple[str, str, float]] = []
    quantities: dict[str, Any] = {
        "mean entropy, bits": result.entropy, "mean distance looked back": result.distance,
        "mean weight on the first token": result.first, "spread of the scores": result.spread,
        "mean largest weight": result.largest[FACTORS.index(result.config.factor)],
        "effective rank of W_Q^T W_K": result.rank,
        "weight of the last query on the token it looks at most": result.weights[:, :, -1].max(-1),
    }  # fmt: skip
    quantities |= {"mean weight on " + KINDS[kind]: found.scores[at] for at, kind in enumerate(KINDS)}
    for place in np.ndindex(*result.shape):
        name = f"layer {place[0] + 1}, head {place[1] + 1}"
        rows += [(name, quantity, float(values[place])) for quantity, values in quantities.items()]
    rows += [
        (word, "probability as next word" if result.continues else "probability in the last place", float(p))
        for word, p in zip(result.likely, result.probabilities, strict=True)
    ]
    for layer, moves in enumerate(result.biases, 1):
        rows += [(f"layer {layer}", f"relative move without {name}", float(move)) for name, move in
                 zip(("b_Q", "b_K", "b_V"), moves, strict=True)]  # fmt: skip
    for depth, (reach, cosine) in enumerate(zip(result.reach, result.cosine, strict=True)):
        rows += [(f"after {depth} layers", "inputs that the last token depends on", float(reach)),
                 (f"after {depth} layers", "mean cosine of two tokens", float(cosine))]  # fmt: skip
    if accuracy is not None:
        for at, label in enumerate(map(str.__str__, accuracy.labels)):  # in English, as all of a table
            low, high = accuracy.interval[at]
            rows += [(label, quantity, float(value)) for quantity, value in (
                ("share right with all heads", accuracy.whole[at]), ("share right", accuracy.left[at]),
                ("low end of its 95 % interval", low), ("high end", high), ("chance", accuracy.chance[at]),
            )]  # fmt: skip
    return Table(("what", "quantity", "value"), tuple(rows))
