"""The steps of a forward pass, and a hard lookup beside it: what each makes of what, and what its axes mean."""

from dataclasses import dataclass
from typing import Final

from attention_core.figures.cells import Cells
from attention_core.figures.panels import AVERAGE
from attention_core.figures.said import outcome
from attention_core.figures.theme import Role, Scale
from attention_core.language import gettext, ngettext
from attention_core.language import gettext_lazy as _
from attention_core.studies.anatomy import MAX_HEADS, AnatomyConfig, AnatomyResult

ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class Quantity:
    """One array of the result, and how it is drawn.

    Attributes:
        title: Title of its panel.
        symbol: What a cell is, for the colour bar.
        rows: What a row is: ``token``, ``query``, ``key`` or ``number``.
        columns: What a column is: ``word``, ``number``, ``head.number``, ``key``.
        scale: Its colours.
        role: Whose colour its columns wear.
        cells: What kind of number a cell holds.
        rail: Whose rows of numbers these are.
    """

    title: str
    symbol: str
    rows: str
    columns: str
    scale: Scale = "diverging"
    role: Role | None = None
    cells: Cells = "score"
    rail: Role | None = None


QUANTITIES: Final[dict[str, Quantity]] = {
    "one_hot": Quantity(_("Which word it is"), _("1 = this word"), "token", "word", "sequential", cells="count"),
    "words": Quantity(_("Word vector"), _("number"), "token", "number"),
    "slots": Quantity(_("+ position"), _("number"), "token", "number"),
    "embedded": Quantity(_("Embedding"), _("number"), "token", "number"),
    "reads": Quantity(
        _("Numbers of a word in a head's query"),
        _("1 = it depends on it"),
        "head",
        "number",
        "sequential",
        cells="count",
    ),
    "q_rows": Quantity(_("Queries"), "q", "query", "head.number", role="query", rail="query"),
    "k_rows": Quantity(_("Keys"), "k", "key", "head.number", role="key", rail="key"),
    "v_rows": Quantity(_("Values"), "v", "key", "head.number", role="value", rail="value"),
    "q": Quantity(_("Queries"), "q", "query", "number", role="query", rail="query"),
    "k": Quantity(_("Keys"), "k", "key", "number", role="key", rail="key"),
    "v": Quantity(_("Values"), "v", "key", "number", role="value", rail="value"),
    "products": Quantity(_("Products q · k"), "q · k", "query", "key", role="key"),
    "scores": Quantity(_("Scores"), _("score"), "query", "key", role="key"),
    "masked": Quantity(_("Masked scores"), _("score"), "query", "key", role="key"),
    "weights": Quantity(_("Weights"), _("weight"), "query", "key", "sequential", "key", "weight"),
    "applied": Quantity(_("After dropout"), _("weight"), "query", "key", "sequential", "key", "weight"),
    "context": Quantity(_("Context"), _("context"), "query", "number", role="output"),
    "hard": Quantity(_("Hard weights"), _("weight"), "query", "key", "sequential", "key", "weight"),
    "looked_up": Quantity(_("Hard context"), _("context"), "query", "number", role="output"),
    "merged": Quantity(_("Heads side by side"), _("context"), "query", "head.number", role="output"),
    "o_weight": Quantity("W_O", _("weight of W_O"), "number", "head.number"),
    "output": Quantity(_("Output"), _("output"), "query", "number", role="output", rail="output"),
}
PER_HEAD: Final = (
    "q",
    "k",
    "v",
    "products",
    "scores",
    "masked",
    "weights",
    "applied",
    "context",
    "hard",
    "looked_up",
)
AVERAGED: Final = ("products", "scores", "masked", "weights", "applied")


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        name: Its id; what the strip calls it is in ``STEP_LABELS``.
        takes: The quantities it starts from.
        gives: The quantity it makes.
        formula: How, in one line.
        code: The same as a line of torch for one text, without dropout.
        says: What that means, in plain words.
        claims: Ids of the claims that belong to it.
    """

    name: str
    takes: tuple[str, ...]
    gives: str
    formula: str
    code: str
    says: str
    claims: tuple[str, ...] = ()


STEPS: Final = (
    Step("pass", ("embedded", "q", "k", "v", "masked", "weights", "context"), "output",
         _("output = W_O · softmax(q kᵀ ÷ √d_head) v"),
         "y = F.scaled_dot_product_attention(q, k, v, ~hidden).transpose(0, 1).flatten(1) @ W_O.T + b_O",
         _("Each word asks with its query, is found by its key, and reads a mixture of the values.")),
    Step("tokens", (), "one_hot", _("one row per word"),
         "one_hot = torch.eye(len(words), dtype=table.dtype)[ids]",
         _("The sentence is cut at its spaces. The same word is the same column, wherever it stands.")),
    Step("embed", ("words", "slots"), "embedded", _("x = word + position"),
         "x = one_hot @ table + slots",
         _("Each word is looked up as a row of numbers.")),
    Step("qkv", ("q_rows", "k_rows"), "v_rows", _("q = x W_Qᵀ + b_Q, k and v alike"),
         "q, k, v = x @ W_Q.T + b_Q, x @ W_K.T + b_K, x @ W_V.T + b_V",
         _("Each word is seen in three ways: what it asks for, what it answers to, and what it hands over.")),
    Step("heads", ("reads", "q_rows"), "q", _("(n, heads · d_head) → (heads, n, d_head)"),
         "q, k, v = (z.unflatten(1, (h, d_head)).transpose(0, 1) for z in (q, k, v))",
         _("Every row is cut into heads (keys and values alike)."),
         ("head-sees-all", "mha-reshape", "mha-divisible")),
    Step("scores", ("q", "k"), "products", "q · k",
         "s = q @ k.mT",
         _("Each query meets each key: how well does what one asks for fit what the other answers to?"),
         ("cplx-core",)),
    Step("scale", ("products",), "scores", _("score = q · k ÷ √d_head"),
         "s = s / d_head**0.5",
         _("Products of more numbers are larger. Dividing by the root of how many there are undoes that, so that the "
           "size of a head does not make softmax sharper."),
         ("cplx-core",)),
    Step("mask", ("scores",), "masked", _("hidden keys get −∞"),
         "s = s.masked_fill(hidden, -torch.inf)",
         _("What a query must not see is taken out before the shares are given."), ("drop-rows",)),
    Step("softmax", ("masked",), "weights", _("weight = eˢ ÷ Σ eˢ"),
         "a = s.softmax(-1)",
         _("Each row becomes shares that add up to 1: one weight is the share a query takes of one key’s value."),
         ("drop-rows", "heads-several")),
    Step("context", ("applied", "v"), "context", _("context = Σⱼ weightⱼ vⱼ"),
         "o = a @ v",
         _("Each query reads a mixture of the values, in the shares of its row."), ("convex-hull", "cplx-core")),
    Step("merge", ("context",), "merged", _("(heads, n, d_head) → (n, heads · d_head)"),
         "o = o.transpose(0, 1).flatten(1)",
         _("What the heads have read is laid side by side again, a row for each word."), ("mha-reshape",)),
    Step("output", ("merged", "o_weight"), "output", _("output = merged W_Oᵀ + b_O"),
         "y = o @ W_O.T + b_O",
         _("The output matrix mixes what the heads have read into the row that goes on to the next layer."),
         ("mha-reshape",)),
    Step("lookup", ("weights", "context", "hard"), "looked_up", _("v of the key with the largest score"),
         "best = v[torch.arange(h)[:, None], a.argmax(-1)]",
         _("A dictionary returns the value of one key. Attention is that lookup made soft: each word is enriched by "
           "all values, the more by one the better its key fits, and so the choice can be learned by gradients."),
         ("soft-lookup",)),
)  # fmt: skip
STEP_NAMES: Final = tuple(step.name for step in STEPS)
STEP_LABELS: Final = {
    "pass": _("overview"),
    "tokens": _("tokens"),
    "embed": _("embed"),
    "qkv": "q, k, v",
    "heads": _("heads"),
    "scores": _("scores"),
    "scale": _("scale"),
    "mask": _("mask"),
    "softmax": "softmax",
    "context": _("context"),
    "merge": _("merge"),
    "output": _("output"),
    "lookup": _("hard lookup"),
}
HEADS: Final = {str(i + 1): str(i + 1) for i in range(MAX_HEADS)} | {
    ALL: _("all"),
    AVERAGE: _("average"),
}


def step_of(name: str) -> Step:
    """The step of that name; raises KeyError where there is none."""
    return {step.name: step for step in STEPS}[name]


def says(result: AnatomyResult, name: str) -> str:
    """What a step means, in plain words, and where its claim fails here, what it does instead."""
    if name == "heads" and outcome(result, "mha-reshape") == "fails":
        return gettext(
            "Every row is cut by view alone, without a swap of two axes: a head gets numbers of several words."
        )
    if name == "context" and outcome(result, "convex-hull") == "fails":
        return gettext(
            "Each query reads the values in the shares that dropout leaves: they do not add up to 1, and what is "
            "read may lie outside of the values."
        )
    return str(step_of(name).says)


def neighbours(name: str) -> tuple[str, str]:
    """The steps before and after; at the ends, the step itself."""
    at = STEP_NAMES.index(name)
    return STEP_NAMES[max(0, at - 1)], STEP_NAMES[min(len(STEP_NAMES) - 1, at + 1)]


def shape_line(config: AnatomyConfig, result: AnatomyResult, name: str) -> str:
    """The shape of what the step makes, with the meaning of every axis: ``2 heads × 6 queries × 6 keys``."""
    gives = step_of(name).gives
    array, quantity = getattr(result, gives), QUANTITIES[gives]
    heads = gettext(
        "{heads} of {numbers}", heads=_count("head", config.heads), numbers=_count("number", config.head_size)
    )
    if gives == "v_rows":
        return gettext("three times {tokens} × {heads}", tokens=_count("token", array.shape[0]), heads=heads)
    if quantity.columns == "head.number":
        return f"{_count(quantity.rows, array.shape[0])} × {heads}"
    kinds = ["head"] * (array.ndim == 3) + [quantity.rows, quantity.columns]
    return " × ".join(_count(kind, size) for kind, size in zip(kinds, array.shape, strict=True))


def _count(kind: str, size: int) -> str:
    match kind:
        case "head":
            return ngettext("{count} head", "{count} heads", size)
        case "token":
            return ngettext("{count} token", "{count} tokens", size)
        case "word":
            return ngettext("{count} word", "{count} words", size)
        case "query":
            return ngettext("{count} query", "{count} queries", size)
        case "key":
            return ngettext("{count} key", "{count} keys", size)
        case _:
            return ngettext("{count} number", "{count} numbers", size)
