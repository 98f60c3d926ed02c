"""One corpus of texts that a program on their way may take for something else, for every folder's tests."""

from typing import Final

# Each is a token that a config takes, and more than that to HTML, Plotly, TeX, Python, Markdown or a spreadsheet.
TOKENS: Final = (
    "<b>x</b>", '<script>alert("x")</script>&', "&lt;", "%{z}", "$x$", '"""', "'); import os #", "\\n{0}", ":red[x]",
    "`x`", "**x**", "=1+1", "🙂", "שלום", "same", "same",
)  # fmt: skip
# None of these may be part of a token: they cannot be shown or sent, or they reorder their neighbours.
UNSHOWN: Final = ("\0", "\t", "\x1b", "\u2028", "\u202e", "\ud800")
# No number, choice or switch is spelt like this.
NONSENSE: Final = (
    "", "nan", "inf", "-1", "abc", "1e999", "9" * 20, "9" * 5000, "<script>", "0.5,0.5", "true false",
)  # fmt: skip


def number_of(text: str) -> float:
    """What a number on screen stands for: ``1.23×10⁻¹⁵``, ``10⁻⁵``, ``−4,096.5``."""
    plain = text.translate(str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789", ","))
    raised = len(text) - len(text.rstrip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    if not raised:
        return float(plain)
    mantissa = plain[:-raised].removesuffix("10").removesuffix("×")
    return float(f"{mantissa}1e{plain[-raised:]}" if mantissa in ("", "-") else f"{mantissa}e{plain[-raised:]}")
