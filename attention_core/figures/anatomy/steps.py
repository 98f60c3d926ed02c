"""The steps of a forward pass, and a hard lookup beside it: what each makes of what, and what its axes mean."""

from dataclasses import dataclass
from typing import Final

from attention_core.experiments.anatomy import MAX_HEADS, AnatomyConfig, AnatomyResult
from attention_core.figures.panels import AVERAGE
from attention_core.figures.theme import Role, Scale

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
    """

    title: str
    symbol: str
    rows: str
    columns: str
    scale: Scale = "diverging"
    role: Role | None = None


QUANTITIES: Final[dict[str, Quantity]] = {
    "one_hot": Quantity("Which word it is", "1 = this word", "token", "word", "sequential"),
    "words": Quantity("Word vector", "number", "token", "number"),
    "slots": Quantity("+ position", "number", "token", "number"),
    "embedded": Quantity("Embedding", "number", "token", "number"),
    "q_rows": Quantity("Queries", "q", "query", "head.number", role="query"),
    "k_rows": Quantity("Keys", "k", "key", "head.number", role="key"),
    "v_rows": Quantity("Values", "v", "key", "head.number", role="value"),
    "q": Quantity("Queries", "q", "query", "number", role="query"),
    "k": Quantity("Keys", "k", "key", "number", role="key"),
    "v": Quantity("Values", "v", "key", "number", role="value"),
    "products": Quantity("Products q · k", "q · k", "query", "key", role="key"),
    "scores": Quantity("Scores", "score", "query", "key", role="key"),
    "masked": Quantity("Masked scores", "score", "query", "key", role="key"),
    "weights": Quantity("Weights", "weight", "query", "key", "sequential", "key"),
    "applied": Quantity("After dropout", "weight", "query", "key", "sequential", "key"),
    "context": Quantity("Context", "context", "query", "number", role="output"),
    "hard": Quantity("Hard weights", "weight", "query", "key", "sequential", "key"),
    "looked_up": Quantity("Hard context", "context", "query", "number", role="output"),
    "merged": Quantity("Heads side by side", "context", "query", "head.number", role="output"),
    "o_weight": Quantity("W_O", "weight of W_O", "number", "head.number"),
    "output": Quantity("Output", "output", "query", "number", role="output"),
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
         "output = W_O · softmax(q kᵀ ÷ √d_head) v",
         "y = F.scaled_dot_product_attention(q, k, v, ~hidden).transpose(0, 1).flatten(1) @ W_O.T + b_O",
         "Each word asks with its query, is found by its key, and reads a mixture of the values."),
    Step("tokens", (), "one_hot", "one row per word",
         "one_hot = torch.eye(len(words), dtype=table.dtype)[ids]",
         "The sentence is cut at its spaces. The same word is the same column, wherever it stands."),
    Step("embed", ("words", "slots"), "embedded", "x = word + position",
         "x = one_hot @ table + slots",
         "Each word is looked up as a row of numbers; what is added says at which place it stands."),
    Step("qkv", ("q_rows", "k_rows"), "v_rows", "q = x W_Qᵀ + b_Q, k and v alike",
         "q, k, v = x @ W_Q.T + b_Q, x @ W_K.T + b_K, x @ W_V.T + b_V",
         "Each word is seen in three ways: what it asks for, what it answers to, and what it hands over."),
    Step("heads", ("q_rows",), "q", "(n, heads · d_head) → (heads, n, d_head)",
         "q, k, v = (z.unflatten(1, (h, d_head)).transpose(0, 1) for z in (q, k, v))",
         "Every row is cut into heads (keys and values alike). No number changes, only its place.",
         ("mha-reshape", "mha-divisible")),
    Step("scores", ("q", "k"), "products", "q · k",
         "s = q @ k.mT",
         "Each query meets each key: how well does what one asks for fit what the other answers to?",
         ("cplx-core",)),
    Step("scale", ("products",), "scores", "score = q · k ÷ √d_head",
         "s = s / d_head**0.5",
         "A product of more numbers is larger. Dividing keeps softmax from taking only the largest.",
         ("cplx-core",)),
    Step("mask", ("scores",), "masked", "hidden keys get −∞",
         "s = s.masked_fill(hidden, -torch.inf)",
         "What a query must not see is taken out before the shares are given.", ("drop-rows",)),
    Step("softmax", ("masked",), "weights", "weight = eˢ ÷ Σ eˢ",
         "a = s.softmax(-1)",
         "Each row becomes shares that add up to 1: one weight is the share a query takes of one key’s value.",
         ("drop-rows",)),
    Step("context", ("applied", "v"), "context", "context = Σⱼ weightⱼ vⱼ",
         "o = a @ v",
         "Each query reads a mixture of the values, in the shares of its row.", ("convex-hull", "cplx-core")),
    Step("merge", ("context",), "merged", "(heads, n, d_head) → (n, heads · d_head)",
         "o = o.transpose(0, 1).flatten(1)",
         "What the heads have read is laid side by side again, a row for each word.", ("mha-reshape",)),
    Step("output", ("merged", "o_weight"), "output", "output = merged W_Oᵀ + b_O",
         "y = o @ W_O.T + b_O",
         "The output matrix mixes what the heads have read into the row that goes on to the next layer.",
         ("mha-reshape",)),
    Step("lookup", ("weights", "context", "hard"), "looked_up", "v of the key with the largest score",
         "best = v[torch.arange(h)[:, None], a.argmax(-1)]",
         "A dictionary returns the value of one key. Attention is that lookup made soft: each word is enriched by "
         "all values, the more by one the better its key fits, and so the choice can be learned by gradients.",
         ("soft-lookup",)),
)  # fmt: skip
STEP_NAMES: Final = tuple(step.name for step in STEPS)
STEP_LABELS: Final = {
    name: {"pass": "overview", "qkv": "q, k, v", "lookup": "hard lookup"}.get(name, name) for name in STEP_NAMES
}
HEADS: Final = {name: name for name in (*(str(i + 1) for i in range(MAX_HEADS)), ALL, AVERAGE)}


def step_of(name: str) -> Step:
    """The step of that name; raises KeyError where there is none."""
    return {step.name: step for step in STEPS}[name]


def neighbours(name: str) -> tuple[str, str]:
    """The steps before and after; at the ends, the step itself."""
    at = STEP_NAMES.index(name)
    return STEP_NAMES[max(0, at - 1)], STEP_NAMES[min(len(STEP_NAMES) - 1, at + 1)]


def shape_line(config: AnatomyConfig, result: AnatomyResult, name: str) -> str:
    """The shape of what the step makes, with the meaning of every axis: ``2 heads × 6 queries × 6 keys``."""
    gives = step_of(name).gives
    array, quantity = getattr(result, gives), QUANTITIES[gives]
    names = ["heads"] * (array.ndim == 3) + [_plural(quantity.rows), _plural(quantity.columns)]
    heads = (
        f"{config.heads} {_count(config.heads, 'heads')} of {config.head_size} {_count(config.head_size, 'numbers')}"
    )
    if gives == "v_rows":
        return f"three times {array.shape[0]} {_count(array.shape[0], 'tokens')} × {heads}"
    if quantity.columns == "head.number":
        return f"{array.shape[0]} {_count(array.shape[0], names[0])} × {heads}"
    return " × ".join(f"{size} {_count(size, noun)}" for size, noun in zip(array.shape, names, strict=True))


def _plural(noun: str) -> str:
    return {"query": "queries"}.get(noun, f"{noun}s")


def _count(size: int, noun: str) -> str:
    return {"queries": "query"}.get(noun, noun[:-1]) if size == 1 else noun
