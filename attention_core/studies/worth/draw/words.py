"""What is said of the worth of weights: an edge in words, the table, and the proof."""

from typing import Final

import numpy as np

from attention_core.figures.proof import ProofStep, code, measured
from attention_core.figures.said import undone
from attention_core.figures.table import Table
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.number_format import format_number
from attention_core.studies.worth import NAMES, Cell, GateResult, TextsResult, WorthResult

EDGES: Final = {
    "none": gettext_lazy("none"),
    "weight": gettext_lazy("the largest weight"),
    "effect": gettext_lazy("the largest effect"),
    "random": gettext_lazy("one at random"),
    "cell": gettext_lazy("the pressed one"),
}


def read_cell(text: str) -> tuple[int, ...]:
    """Query and key that a link's ``5-2`` names; empty for none."""
    cell = tuple(map(int, text.split("-"))) if text else ()
    if len(cell) not in (0, 2):
        raise ValueError(f"{text} is no cell")
    return cell


def write_cell(cell: tuple[int, ...]) -> str:
    """The link's text for it."""
    return "-".join(map(str, cell))


def quoted(text: str) -> str:
    """``“keys”``."""
    return f"“{text}”"


def head_name(head: Cell) -> str:
    """``Layer 2, head 3``."""
    return _("Layer {layer}, head {head}", layer=head[0] + 1, head=head[1] + 1)


def from_to(result: WorthResult, cell: Cell) -> str:
    """``“cabinet” to “keys”``."""
    return _("{query} to {key}", query=quoted(result.tokens[cell[0]]), key=quoted(result.tokens[cell[1]]))


def compared(result: WorthResult) -> dict[str, str]:
    """What leads, and what it leads."""
    return {"leads": quoted(result.leads), "behind": quoted(result.behind) if result.is_kind else _("another word")}


def arithmetic(result: WorthResult, cell: Cell) -> str:
    """An edge's four numbers, and where each stands among the others."""
    there = result.choosable if result.choosable[cell] else result.felt
    count = int(there.sum())

    def place(values: np.ndarray) -> int:
        return 1 + int((values[there] > values[cell]).sum())

    effect, last = float(result.effects[cell]), place(np.abs(result.effects))
    told = {"lead": format_number(result.lead), "size": format_number(abs(effect)), "last": last}
    if effect < 0:
        outcome = _("cut, the lead of {lead} rises by {size}, number {last}.", **told)
    else:
        outcome = _("cut, the lead of {lead} falls by {size}, number {last}.", **told)
    return _(
        "From {edge}: weight {weight}, number {first} of {count}; W_O v has length {length}; gradient × weight says "
        "{estimate}; {outcome}",
        edge=from_to(result, cell), weight=format_number(float(result.weights[cell])), first=place(result.weights),
        count=count, length=format_number(float(result.lengths[cell[1]])),
        estimate=format_number(float(result.gradients[cell])), outcome=outcome,
    )  # fmt: skip


def worth_table(result: WorthResult, texts: TextsResult | None = None, gate: GateResult | None = None) -> Table:
    """A row for each edge that can be felt, and what many texts say, and what was trained."""
    rows: list[tuple[str, str, float]] = []
    quantities = {
        "weight": result.weights, "weight x length of W_O v": result.written,
        "gradient x weight": result.gradients, "effect of cutting": result.effects,
    }  # fmt: skip
    for query, key in np.argwhere(result.felt):
        name = f"{query + 1} {result.tokens[query]} to {key + 1} {result.tokens[key]}"
        rows += [(name, quantity, float(values[query, key])) for quantity, values in quantities.items()]
    rows += [
        ("all edges", "lead with nothing cut", result.lead),
        ("all edges", "effects of single edges, added up", result.added),
        ("all edges", "effect of cutting all at once", result.together),
    ]
    names = ("weight", "weight x length of W_O v", "gradient x weight")
    rows += [("all edges", f"rank correlation of {name} and effect", float(value))
             for name, value in zip(names, result.correlations, strict=True)]  # fmt: skip
    for layer, head in np.ndindex(*result.first.shape):
        name = f"layer {layer + 1}, head {head + 1}"
        rows.append((name, "mean weight on the first token", float(result.first[layer, head])))
        length = float(result.first_length[layer, head])
        rows.append((name, "length of what the first token writes, by the others' mean", length))
    if texts is not None:
        rows += [(f"text {at + 1}", "rank correlation of weight and effect", float(value))
                 for at, value in enumerate(texts.correlations)]  # fmt: skip
    if gate is not None:
        for (kind, run), value in np.ndenumerate(gate.first):
            name = f"{list(NAMES)[kind]}, run {run + 1}"
            rows += [(name, "weight on the first word with nothing to look at", float(value)),
                     (name, "share of right answers", float(gate.right[kind, run]))]  # fmt: skip
    return Table(("what", "quantity", "value"), tuple(rows))


def proof(
    result: WorthResult, texts: TextsResult | None = None, gate: GateResult | None = None
) -> tuple[ProofStep, ...]:
    """From softmax to W_O v to logits, each step beside what was measured.

    Args:
        result: What was measured on the text.
        texts: And on many, where they were asked for.
        gate: And what was trained, where it was.
    """
    by_weight, by_length, by_gradient = (code(each) for each in result.correlations)
    first = _(
        "Over all heads the mean weight on the first word lies between {low} and {high}; what its value writes has "
        "{short} to {long} times the length of the others’.",
        low=code(result.first.min()), high=code(result.first.max()), short=code(result.first_length.min()),
        long=code(result.first_length.max()),
    )  # fmt: skip
    return (
        ProofStep(
            _(
                "Softmax divides by the sum of a row, so its weights sum to 1 whatever the scores are: a head that "
                "has nothing to say must look somewhere all the same, and costs least where the value is short."
            ),
            f"{measured(result, 'sink-forced')}  \n{first}",
            undone(result, "sink-forced"),
        ),
        ProofStep(
            _(
                "The output of attention is linear in the weights: an edge adds its weight times W_O v. So at the "
                "output cutting it takes away just that, however large or small the weight is, and single cuts add "
                "up to the cut of all."
            ),
            measured(result, "weight-effect", "edge-sum"),
            undone(result, "weight-effect", "edge-sum"),
        ),
        ProofStep(
            _(
                "A value has d_head numbers. With the sum of the row that makes d_head + 1 conditions on its "
                "weights, and a row of more keys can move along directions that no value sees."
            ),
            measured(result, "weight-free")
            or _("The last row has {count} keys, no more than that.", count=code(result.seen[-1].sum())),
            undone(result, "weight-free"),
        ),
        ProofStep(
            _(
                "From the output to the next word lie a residual stream, norms and perhaps layers, in which a part "
                "of it is unseen and another counts twice. There nothing has to add up, and no theory says that a "
                "large weight is worth much: it is measured."
            ),
            _(
                "The single effects add up to {added}; that of cutting all edges at once is {together}. Rank "
                "correlation with the size of the effect: of the weight {weight}, of weight × ‖W_O v‖ {length}, "
                "of |gradient × weight| {gradient}.",
                added=code(result.added), together=code(result.together), weight=by_weight, length=by_length,
                gradient=by_gradient,
            ),
        ),
        *(() if texts is None else (_many(texts),)),
        *(() if gate is None else (_trained(gate),)),
    )  # fmt: skip


def _many(texts: TextsResult) -> ProofStep:
    return ProofStep(
        _(
            "One picture of one text misleads, so the same head is cut on texts that training never showed; the "
            "interval is that of the mean over texts, which were drawn one by one."
        ),
        _(
            "Mean rank correlation of weight and effect: {mean}, 95 %: {low} to {high}.",
            mean=code(texts.mean), low=code(texts.interval[0]), high=code(texts.interval[1]),
        ),
    )  # fmt: skip


def _trained(gate: GateResult) -> ProofStep:
    right = "  \n".join(
        _("{kind}: weight on the first word {low} to {high}, right {right}", kind=name, low=code(first.min()),
          high=code(first.max()), right=code(share.mean()))
        for name, first, share in zip(NAMES.values(), gate.first, gate.right, strict=True)
    )  # fmt: skip
    return ProofStep(
        _(
            "Trained where half of those that ask want nothing, attention alone has to answer 0. Its row sums to 1, "
            "so with softmax it needs a key that says 0 in every text; with a sink or a gate it may have one, and "
            "need not."
        ),
        f"{measured(gate, 'sink-gate')}  \n{right}",
        undone(gate, "sink-gate"),
    )
