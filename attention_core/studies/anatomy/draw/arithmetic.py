"""Where one number came from: its operands and the arithmetic, in numbers."""

import math
from dataclasses import dataclass

import numpy as np

from attention_core.figures.theme import Role
from attention_core.language import gettext as _
from attention_core.language import ngettext
from attention_core.measuring.choices import turns
from attention_core.studies.anatomy import AnatomyConfig, AnatomyResult
from attention_core.studies.anatomy.draw.view import Shown, values_of

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
            token, matrix = config.tokens[row], f"W_{name.upper()}"
            lead = _(
                "number {column} of the {name} of “{token}” = x · {matrix} ≈ ",
                column=column + 1, name=name, token=token, matrix=matrix,
            )  # fmt: skip
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
            parts = (*line.parts, (f",  ÷ √{config.head_size} ≈ {number(value)}", None))
            return Arithmetic(parts, line.terms, value)
        case "context":
            lead = _(
                "number {column} of the context of “{token}” = weights · v ≈ ",
                column=column + 1, token=config.tokens[row],
            )  # fmt: skip
            mixed: tuple[Role | None, ...] = (None, "value", "output")
            return _products(lead, result.applied[head, row], result.v[head, :, column], value, mixed)
        case "output":
            lead = _(
                "number {column} of the output of “{token}”, from all heads ≈ ",
                column=column + 1, token=config.tokens[row],
            )  # fmt: skip
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
    return _("“{query}” asks “{key}”: q · k ≈ ", query=config.tokens[row], key=config.tokens[column])


def _products(
    lead: str, left: np.ndarray, right: np.ndarray, value: float, roles: tuple[Role | None, ...],
    bias: float = 0.0, has_bias: bool = False,
) -> Arithmetic:  # fmt: skip
    """``lead`` a·b + a·b + … + bias ≈ value; of many terms the largest, in their order.

    Each number is rounded by itself, so what is read need not add up to the last digit.
    """
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
        parts.append((_(" + {count} smaller terms", count=left_out), None))
    if has_bias:
        parts.append((_(" + {value} (bias)", value=_factor(bias)), roles[1]))
        terms.append((bias,))
    parts += [(" ≈ ", None), (number(value), roles[2])]
    return Arithmetic(tuple(parts), tuple(terms), value)


def _factor(value: float) -> str:
    return f"({number(value)})" if number(value).startswith("−") else number(value)


def _masked(config: AnatomyConfig, score: float, value: float, row: int, column: int) -> Arithmetic:
    if math.isinf(value):
        text = _(
            "“{key}” comes after “{query}”, so {score} becomes −∞",
            key=config.tokens[column],
            query=config.tokens[row],
            score=number(score),
        )
        return Arithmetic(((text, None),), (), value)
    if value != score:
        text = _(
            "{score} − {penalty} (penalty for {away}) ≈ {value}",
            score=number(score),
            penalty=number(score - value),
            away=ngettext("{count} slot", "{count} slots", abs(row - column)),
            value=number(value),
        )
        return Arithmetic(((text, None),), ((score,), (value - score,)), value)
    text = _("nothing hides this key: {score} stays {value}", score=number(score), value=number(value))
    return Arithmetic(((text, None),), ((score,),), value)


def _softmax(config: AnatomyConfig, scores: np.ndarray, value: float, row: int, column: int) -> Arithmetic:
    """e^(score − largest) over the sum of the row's, which is what softmax computes."""
    query, key = config.tokens[row], config.tokens[column]
    if math.isinf(scores[column]):
        text = _("“{key}” is hidden from “{query}”: e^(−∞) = 0, weight 0", key=key, query=query)
        return Arithmetic(((text, None),), ((0.0,),), value)
    top = float(scores.max())
    powers = [math.exp(score - top) for score in scores.tolist()]
    shown = " + ".join(number(power) for power in powers[:SHOWN_TERMS])
    if len(powers) > SHOWN_TERMS:
        shown = _("{terms} + {count} more", terms=shown, count=len(powers) - SHOWN_TERMS)
    text = _(
        "e^({score} − {top}) ÷ (row’s sum {terms}) ≈ ", score=number(scores[column]), top=number(top), terms=shown
    )
    text += f"{number(powers[column])} ÷ {number(sum(powers))} ≈ {number(value)}"
    share = _(
        ":  “{query}” takes {share:.0f} % of what it reads here from “{key}”", query=query, share=100 * value, key=key
    )
    return Arithmetic(((text, None), (share, None)), ((powers[column], 1 / sum(powers)),), value)


def _average(values: np.ndarray, value: float) -> Arithmetic:
    count = len(values)
    terms = " + ".join(map(number, values.tolist()))
    text = _(
        "({terms}) ÷ {count} ≈ {value}: no head has to look like it", terms=terms, count=count, value=number(value)
    )
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
            word = result.vocabulary[column]
            if value:
                text = _("“{token}” is “{word}”: 1", token=token, word=word)
            else:
                text = _("“{token}” is not “{word}”: 0", token=token, word=word)
        case "words":
            text = _(
                "number {column} of “{token}”, {value}: the same wherever the word stands",
                column=column + 1,
                token=token,
                value=number(value),
            )
        case "slots":
            kind = {"sinusoidal": _("a sine or cosine of its slot"), "learned": _("from the table of positions")}
            source = kind.get(config.positions) or _("nothing is added for the position")
            text = _(
                "number {column} of slot {slot}, {value}: {source}",
                column=column + 1,
                slot=row + 1,
                value=number(value),
                source=source,
            )
        case "reads":
            made = _("number {number} of a word moves the query of head {head}", number=column + 1, head=row + 1)
            none = _("number {number} of a word is not in the query of head {head}", number=column + 1, head=row + 1)
            text = made if value else none
        case "embedded":
            word, slot = float(result.words[row, column]), float(result.slots[row, column])
            text = _(
                "{word} (word) + {slot} (position) ≈ {value}",
                word=_factor(word),
                slot=_factor(slot),
                value=number(value),
            )
            terms = ((word,), (slot,))
        case "applied":
            before = number(float(result.weights[head, row, column]))
            if not config.dropout:
                text = _("weight {value}: without dropout it is applied as it is", value=number(value))
            elif value:
                text = _(
                    "{before} ÷ (1 − {p:g}) ≈ {value}: kept, and made larger",
                    before=before,
                    p=config.dropout,
                    value=number(value),
                )
            else:
                text = _("{before} is dropped in this pass", before=before)
        case "hard" | "looked_up":
            best = int(result.hard[head, row].argmax())
            its = _("its value’s number {column}", column=column + 1)
            text = _(
                "“{key}” has the largest weight of “{query}”, {weight}: {its}: {value}",
                key=config.tokens[best],
                query=config.tokens[row],
                weight=number(float(result.weights[head, row, best])),
                its=_("1 there, 0 elsewhere") if what.quantity == "hard" else its,
                value=number(value),
            )
        case "merged":
            cut = divmod(column, config.head_size)
            text = _(
                "number {number} of head {head}, laid at number {column} of the row: {value}",
                number=cut[1] + 1,
                head=cut[0] + 1,
                column=column + 1,
                value=number(value),
            )
        case "o_weight":
            text = _(
                "W_O[{row}, {column}] = {value}: what number {column} adds to number {row}",
                row=row + 1,
                column=column + 1,
                value=number(value),
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
    places = {"at": at + 1, "token": config.tokens[token], "column": column + 1, "head": head + 1}
    if turns(config.positions) and what.quantity in "qk":
        return _(
            "number {at} of “{token}” is number {column} of head {head}: {before}, turned by its slot to {value}",
            **places,
            before=number(before),
            value=number(value),
        )
    return _("number {at} of “{token}” is number {column} of head {head}: {before}", **places, before=number(before))
