"""Where one number came from: its operands and the arithmetic, in numbers."""

import math
from dataclasses import dataclass

import numpy as np

from attention_core.experiments.anatomy import AnatomyConfig, AnatomyResult
from attention_core.figures.anatomy.view import Shown, values_of
from attention_core.figures.theme import Role

Part = tuple[str, Role | None]
SHOWN_TERMS = 8


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """One number, taken apart.

    Attributes:
        parts: The line to read, piece by piece, each with the role whose colour it wears.
        terms: What is added up: each term's factors.
        value: The number, as the module computed it.
    """

    parts: tuple[Part, ...]
    terms: tuple[tuple[float, ...], ...]
    value: float

    @property
    def text(self) -> str:
        """The line without its colours."""
        return "".join(text for text, _ in self.parts)


def explain(config: AnatomyConfig, result: AnatomyResult, what: Shown, row: int, column: int) -> Arithmetic:
    """Take the number of one cell apart.

    Args:
        config: The settings.
        result: Their result.
        what: The quantity and the head that the cell's panel shows.
        row: The cell's row.
        column: The cell's column.
    """
    value = float(values_of(result, what)[row, column])
    head = what.head or 0
    if what.head == -1:
        return _average(getattr(result, what.quantity)[:, row, column], value)
    match what.quantity:
        case "q_rows" | "k_rows" | "v_rows":
            name: str = what.quantity[0]
            role: Role = _ROLES[name]
            weight, bias = getattr(result, f"{name}_weight")[column], getattr(result, f"{name}_bias")[column]
            lead = f"{name} of “{config.tokens[row]}” = x · W_{name.upper()} = "
            return _products(
                lead, result.embedded[row], weight, value, (None, role, role), float(bias), config.biases
            )
        case "products":
            lead = _pair(config, row, column)
            return _products(lead, result.q[head, row], result.k[head, column], value, ("query", "key", None))
        case "scores":
            dot = float(result.products[head, row, column])
            lead = _pair(config, row, column)
            line = _products(lead, result.q[head, row], result.k[head, column], dot, ("query", "key", None))
            parts = (*line.parts, (f",  ÷ √{config.head_size} = {number(value)}", None))
            return Arithmetic(parts, line.terms, value)
        case "context":
            lead = f"context of “{config.tokens[row]}” = weights · v = "
            mixed: tuple[Role | None, ...] = (None, "value", "output")
            return _products(lead, result.applied[head, row], result.v[head, :, column], value, mixed)
        case "output":
            lead = f"output of “{config.tokens[row]}” = "
            bias, merged = float(result.o_bias[column]), result.merged[row]
            made: tuple[Role | None, ...] = ("output", None, "output")
            return _products(lead, merged, result.o_weight[column], value, made, bias, config.biases)
        case "masked":
            return _masked(config, float(result.scores[head, row, column]), value, row, column)
        case "weights":
            return _softmax(config, result.masked[head, row], value, row, column)
        case _:
            return _moved(config, result, what, row, column, value)


_ROLES: dict[str, Role] = {"q": "query", "k": "key", "v": "value"}


def number(value: float) -> str:
    """Two decimals, one from ten on, none from a thousand on; a true minus sign: ``−0.31``, ``68.1``, ``1,204``."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    text = f"{size:,.0f}" if size >= 1000 else f"{size:.1f}" if size >= 10 else f"{size:.2f}"
    return f"−{text}" if value < 0 and float(text.replace(",", "")) else text


def _pair(config: AnatomyConfig, row: int, column: int) -> str:
    return f"“{config.tokens[row]}” asks “{config.tokens[column]}”: q · k = "


def _products(
    lead: str, left: np.ndarray, right: np.ndarray, value: float, roles: tuple[Role | None, ...],
    bias: float = 0.0, has_bias: bool = False,
) -> Arithmetic:  # fmt: skip
    """``lead`` a·b + a·b + … + bias = value; of many terms the largest, in their order."""
    terms: list[tuple[float, ...]] = [(float(a), float(b)) for a, b in zip(left, right, strict=True)]
    largest = sorted(range(len(terms)), key=lambda i: -abs(left[i] * right[i]))
    most = SHOWN_TERMS if len(terms) <= SHOWN_TERMS else SHOWN_TERMS // 2
    kept = sorted(i for i in largest[:most] if i == largest[0] or left[i] * right[i])  # of zeros one is enough
    parts: list[Part] = [(lead, None)]
    for i in kept:
        parts += [(" + ", None)] * (i != kept[0])
        parts += [(_factor(terms[i][0]), roles[0]), ("·", None), (_factor(terms[i][1]), roles[1])]
    left_out = sum(bool(left[i] * right[i]) for i in range(len(terms)) if i not in kept)
    if left_out:
        parts.append((f" + {left_out} smaller terms", None))
    if has_bias:
        parts.append((f" + {_factor(bias)} (bias)", roles[1]))
        terms.append((bias,))
    parts += [(" = ", None), (number(value), roles[2])]
    return Arithmetic(tuple(parts), tuple(terms), value)


def _factor(value: float) -> str:
    return f"({number(value)})" if number(value).startswith("−") else number(value)


def _masked(config: AnatomyConfig, score: float, value: float, row: int, column: int) -> Arithmetic:
    if math.isinf(value):
        text = f"“{config.tokens[column]}” comes after “{config.tokens[row]}”, so {number(score)} becomes −∞"
        return Arithmetic(((text, None),), (), value)
    if value != score:
        away = f"{abs(row - column)} slot" + "s" * (abs(row - column) != 1)
        text = f"{number(score)} − {number(score - value)} (penalty for {away}) = {number(value)}"
        return Arithmetic(((text, None),), ((score,), (value - score,)), value)
    return Arithmetic(((f"nothing hides this key: {number(score)} stays {number(value)}", None),), ((score,),), value)


def _softmax(config: AnatomyConfig, scores: np.ndarray, value: float, row: int, column: int) -> Arithmetic:
    """e^(score − largest) over the sum of the row's, which is what softmax computes."""
    query, key = config.tokens[row], config.tokens[column]
    if math.isinf(scores[column]):
        return Arithmetic(((f"“{key}” is hidden from “{query}”: e^(−∞) = 0, weight 0", None),), ((0.0,),), value)
    top = float(scores.max())
    powers = [math.exp(score - top) for score in scores.tolist()]
    shown = " + ".join(number(power) for power in powers[:SHOWN_TERMS])
    rest = f" + {len(powers) - SHOWN_TERMS} more" if len(powers) > SHOWN_TERMS else ""
    text = f"e^({number(scores[column])} − {number(top)}) ÷ (row’s sum {shown}{rest}) = "
    text += f"{number(powers[column])} ÷ {number(sum(powers))} = {number(value)}"
    share = f":  “{query}” takes {100 * value:.0f} % of what it reads here from “{key}”"
    return Arithmetic(((text, None), (share, None)), ((powers[column], 1 / sum(powers)),), value)


def _average(values: np.ndarray, value: float) -> Arithmetic:
    count = len(values)
    text = f"({' + '.join(map(number, values.tolist()))}) ÷ {count} = {number(value)}: no head has to look like it"
    return Arithmetic(((text, None),), tuple((float(one), 1 / count) for one in values), value)


def _moved(
    config: AnatomyConfig, result: AnatomyResult, what: Shown, row: int, column: int, value: float
) -> Arithmetic:
    """Numbers that are looked up, copied or dropped."""
    token = config.tokens[min(row, len(config.tokens) - 1)]
    terms: tuple[tuple[float, ...], ...] = ((value,),)
    head = what.head or 0
    match what.quantity:
        case "one_hot":
            yes = "is" if value else "is not"
            text = f"“{token}” {yes} “{result.vocabulary[column]}”: {value:.0f}"
        case "words":
            text = f"number {column + 1} of “{token}”, {number(value)}: the same wherever the word stands"
        case "slots":
            kind = {"sinusoidal": "a sine or cosine of its slot", "learned": "from the table of positions"}
            source = kind.get(config.positions, "nothing is added for the position")
            text = f"number {column + 1} of slot {row + 1}, {number(value)}: {source}"
        case "embedded":
            word, slot = float(result.words[row, column]), float(result.slots[row, column])
            text = f"{_factor(word)} (word) + {_factor(slot)} (position) = {number(value)}"
            terms = ((word,), (slot,))
        case "applied":
            before = float(result.weights[head, row, column])
            kept = f"{number(before)} ÷ (1 − {config.dropout:g}) = {number(value)}: kept, and made larger"
            text = kept if value else f"{number(before)} is dropped in this pass"
            if not config.dropout:
                text = f"weight {number(value)}: without dropout it is applied as it is"
        case "hard" | "looked_up":
            best = int(result.hard[head, row].argmax())
            lead = f"“{config.tokens[best]}” has the largest weight of “{config.tokens[row]}”"
            its = "1 there, 0 elsewhere" if what.quantity == "hard" else f"its value’s number {column + 1}"
            text = f"{lead}, {number(float(result.weights[head, row, best]))}: {its}: {number(value)}"
        case "merged":
            cut = divmod(column, config.head_size)
            text = (
                f"number {cut[1] + 1} of head {cut[0] + 1}, laid at number {column + 1} of the row: {number(value)}"
            )
        case "o_weight":
            text = (
                f"W_O[{row + 1}, {column + 1}] = {number(value)}: what number {column + 1} adds to number {row + 1}"
            )
            return Arithmetic(((text, None),), terms, value)
        case _:
            text = _cut(config, result, what, row, column, value)
    return Arithmetic(((text, _ROLES.get(what.quantity)),), terms, value)


def _cut(config: AnatomyConfig, result: AnatomyResult, what: Shown, row: int, column: int, value: float) -> str:
    """Which number of which row a head's number was."""
    size, head = config.head_size, what.head or 0
    token, at = row, head * size + column
    if config.no_transpose:
        token, at = divmod((head * len(config.tokens) + row) * size + column, config.width)
    before = float(getattr(result, f"{what.quantity}_rows")[token, at])
    text = f"number {at + 1} of “{config.tokens[token]}” is number {column + 1} of head {head + 1}: {number(before)}"
    turned = config.positions == "rotary" and what.quantity in "qk"
    return text + (f", turned by its slot to {number(value)}" if turned else "")
