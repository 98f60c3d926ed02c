"""What was found: the design, its faults with their evidence, and how all of it reads."""

from dataclasses import asdict, dataclass, replace
from html import escape
from typing import Any

from attention_core.identify.choices import BY_KEY, USUAL
from attention_core.identify.design import Design
from attention_core.modules.multi_head import MultiHeadAttention


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        choice: Key of the choice; empty for what is no choice, such as dropout that stays on.
        sentence: What is wrong.
        evidence: The difference that it makes.
        link: The page of the app on which one sees what it does.
    """

    choice: str
    sentence: str
    evidence: str
    link: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Attributes:
        choice: Title of the choice.
        here: What it is here.
        usual: What it usually is.
        evidence: How that is known.
    """

    choice: str
    here: str
    usual: str
    evidence: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Identified:
    """What an attention computes.

    Attributes:
        design: The design that it is; None where no design is equal, or nothing says which.
        alike: Other designs that nothing can tell from it: they are the same function.
        faults: What is wrong with it, each with its evidence.
        rows: The table: choice, here, usual, evidence.
        why: Where nothing was found, or something is to be known beside it: a sentence each.
        nearest: Where no design is equal: the one that is nearest, as a hint and no more.
        seconds: How long it took.
    """

    design: Design | None
    alike: tuple[Design, ...]
    faults: tuple[Fault, ...]
    rows: tuple[Row, ...]
    why: tuple[str, ...]
    nearest: Design | None
    seconds: float
    _module: MultiHeadAttention | str

    @property
    def known(self) -> bool:
        """Whether a design was found."""
        return self.design is not None

    def sentence(self) -> str:
        """What it is, in one sentence."""
        if self.design is None:
            start = "; ".join(fault.sentence for fault in self.faults)
            return " ".join([start + "." if start else "Not known.", *self.why])
        own = "; ".join(described(key, self.design) for key in self.design.own)
        mask = {"none": "", "causal": ", causal"}.get(self.design.mask, "")
        what = f"Attention{mask}" + (f", with a design of its own ({own})" if own else "")
        count = len(self.faults)
        said = (
            f"{count} fault{'s' * (count > 1)}: {'; '.join(fault.sentence for fault in self.faults)}" if count else ""
        )
        return " ".join([f"{what}: {said or 'no fault found'}.", *self.why])

    def as_module(self) -> MultiHeadAttention:
        """This package's attention with these weights, for its trace and every claim and page.

        A causal mask is no part of it: give ``is_causal=True`` with each call.

        Raises:
            ValueError: If no design was found, or the package has no counterpart of it.
        """
        if isinstance(self._module, str):
            raise ValueError(self._module)
        return self._module

    def as_plain(self) -> dict[str, Any]:
        """All of it as JSON holds it."""
        return {
            "known": self.known,
            "sentence": self.sentence(),
            "design": dict(self.design.values_of_choices()) if self.design else None,
            "faults": [asdict(fault) for fault in self.faults],
            "table": [asdict(row) for row in self.rows],
            "seconds": round(self.seconds, 3),
        }

    def __str__(self) -> str:
        head = Row("choice", "here", "usual", "evidence")
        lines = [[row.choice, row.here, row.usual, row.evidence] for row in (head, *self.rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(3)]
        table = [
            "  ".join([*(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=False)), line[3]])
            for line in lines
        ]
        return "\n".join([self.sentence(), *(["", *(line.rstrip() for line in table)] if self.rows else [])])

    def __repr__(self) -> str:
        return f"<Identified: {self.sentence()}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the sentence and the table."""
        head = "".join(f'<th scope="col">{text}</th>' for text in ("choice", "here", "usual", "evidence"))
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
            for cells in ((row.choice, row.here, row.usual, row.evidence) for row in self.rows)
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if self.rows else ""
        return f"<p>{escape(self.sentence())}</p>{table}"


def described(key: str, design: Design) -> str:
    """A choice of a design, in words: "Softmax: over queries, not keys"."""
    return f"{BY_KEY[key].title}: {BY_KEY[key].says(getattr(design, key))}"


def kind_of(key: str, design: Design) -> str:
    """Usual, a design of its own, or a fault."""
    return str(BY_KEY[key].option(getattr(design, key)).kind)


def usual_of(key: str, design: Design, values: tuple[str, ...]) -> str:
    """The usual value of a choice: the design's own if that is usual, else the first that is possible."""
    here = getattr(design, key)
    if kind_of(key, design) == USUAL:
        return here
    return next((value for value in values if BY_KEY[key].option(value).kind == USUAL), BY_KEY[key].options[0].key)


def with_choice(design: Design, key: str, value: str) -> Design:
    """The design with one choice made otherwise."""
    return replace(design, **{key: value})
