"""Formulas in texts: what is set below, above and in italics, in whose colour; what people typed is not touched."""

import json
from pathlib import Path

import pytest

from attention_core.figures.mathematics import Part, parts, set_markdown, tex
from attention_core.language import gettext_lazy, using

CASES = json.loads((Path(__file__).parent / "formulas.json").read_text("utf-8"))  # the browser's side reads it, too
MARKS = {"line": "", "below": "_", "above": "^"}
COLOURS = {"query": "#00f", "key": "#f80", "value": "#080", "output": "#808"}


def spelled(part: Part) -> str:
    """As the file has it: below and above the line after ``_`` and ``^``, italics as ``/letters/role``."""
    return MARKS[part.place] + (f"/{part.text}/{part.role or ''}" if part.italic else part.text)


@pytest.mark.parametrize("text", CASES)
def test_a_text_as_letters_that_are_set_alike(text: str) -> None:
    assert list(map(spelled, parts(text))) == CASES[text]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "Var(q · k) = d_head",
            r"\operatorname{Var}(\textcolor{#00f}{q} \cdot  \textcolor{#f80}{k}) = d_{\text{head}}",
        ),
        ("xᵀ W_Qᵀ", r"x^{\top} \textcolor{#00f}{W_{Q}}^{\top}"),
        ("1/√d_head", r"1/\sqrt{d_{\text{head}}}"),
        ("√2 n_t", r"\sqrt{2} n_{t}"),
        ("e^{−∞} = 0", r"e^{-\infty } = 0"),
        ("(heads + 1)^{layers}", r"(\mathrm{heads} + 1)^{\mathrm{layers}}"),
        ("头数^{层数}", r"\text{头数}^{\text{层数}}"),
        ("W_O^{(h)} = 4,096", r"\textcolor{#808}{W_{O}^{(h)}} = 4{,}096"),
    ],
)
def test_a_formula_as_tex(text: str, wanted: str) -> None:
    assert tex(text, COLOURS) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("the vector W_Q x, compared", "the vector $W_{Q} x$, compared"),
        ("At d_head = 4,096 one key", r"At $d_{\text{head}} = 4{,}096$ one key"),
        ("(at most √d_head)", r"(at most $\sqrt{d_{\text{head}}}$)"),
        (":orange[b_K] has none", ":orange[$b_{K}$] has none"),
        ("a `W_Q x`, a [W_Q](http://x/d_head), $b_K$", "a `W_Q x`, a [$W_{Q}$](http://x/d_head), $b_K$"),
        (r"typed: “b_K” and d\_head", r"typed: “b_K” and d\_head"),
        ("a query, q·k, n = 64", "a query, q·k, n = 64"),
        ("> | W_Q | d^2 |\n> | x·W_K | n_t |", "> | $W_{Q}$ | $d^{2}$ |\n> | $x\\cdot W_{K}$ | $n_{t}$ |"),
        ("| x_1 | + | x_2 | ≤ 1", r"$| x_{\text{1}} | + | x_{\text{2}} | \le  1$"),
        ("以 √d_head 为除数,W_Q和W_K。", r"以 $\sqrt{d_{\text{head}}}$ 为除数,$W_{Q}$和$W_{K}$。"),
    ],
)
def test_formulas_in_markdown(text: str, wanted: str) -> None:
    assert set_markdown(text) == wanted


def test_a_text_that_is_kept_is_set_in_the_readers_language() -> None:
    text = gettext_lazy("Size of a head")
    with using("zh"):
        assert (set_markdown(text), tex(text), parts(text)) == ("头的维度", r"\text{头的维度}", (Part("头的维度"),))


def test_what_is_no_formula_is_made_markdown() -> None:
    assert set_markdown("*b_K* “b_K”", lambda text: text.replace("*", r"\*")) == r"\*$b_{K}$\* “b_K”"


SIGNS = {
    "·": r"\cdot ", "×": r"\times ", "÷": r"\div ", "−": "-", "‖": r"\|", "∂": r"\partial ", "Σ": r"\sum ",
    "∇": r"\nabla ", "≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "≈": r"\approx ", "∝": r"\propto ",
    "←": r"\leftarrow ", "∞": r"\infty ", "ᵢ": "_{i}", "ⱼ": "_{j}", "ᵀ": r"^{\top}", "²": "^{2}", "³": "^{3}",
}  # fmt: skip


@pytest.mark.parametrize("sign", SIGNS)
def test_a_sign_as_tex(sign: str) -> None:
    assert tex(f"1{sign}2") == f"1{SIGNS[sign]}2"
