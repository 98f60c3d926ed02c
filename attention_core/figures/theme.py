"""Colours and scales of every figure: the only place that has them."""

from typing import Final, Literal

# Blue, orange, green and plum mean these four and nothing else; violet is weight, and what a figure is about.
Role = Literal["query", "key", "value", "output"]
Tone = Literal["accent", "ink", "muted", "pale"]  # in which all else is told apart: violet, two greys, light violet
Scale = Literal["sequential", "diverging", "compared"]
Palette = Literal["sequential", "diverging", "compared", "ink", "below"]
Stops = tuple[str, ...]
Mode = Literal["light", "dark"]

# Okabe & Ito's hues, told apart by colour-blind eyes; each mode's shade has at least 4.5 : 1 on its background.
ROLE_COLOURS: Final[dict[str, dict[Role, str]]] = {
    "light": {"query": "#0072B2", "key": "#B84A00", "value": "#007A5A", "output": "#9C4A7C"},
    "dark": {"query": "#56B4E9", "key": "#FF8F4D", "value": "#2BC497", "output": "#E29BC3"},
}
INK: Final = {"light": "#1B1F27", "dark": "#E8EAF0"}
MUTED: Final = {"light": "#5A6270", "dark": "#A4ABBA"}
# The next three as in .streamlit/config.toml: what is drawn on, what is chosen, what is as it should be.
PAPER: Final = {"light": "#FFFFFF", "dark": "#12151C"}
PRIMARY: Final = {"light": "#4B3BA3", "dark": "#8F7FF0"}
GREEN: Final = {"light": "#00674B", "dark": "#4FD6AF"}
GRID: Final = {"light": "#E3E6EC", "dark": "#2C313C"}

# Evenly spaced stops. Sequential starts at 0 near the paper and is of weights and shares; diverging has 0 in the
# middle; compared runs from all of the one to all of the other, with half in the middle. Ink starts at 0 near the
# paper and is of all else that has one sign, below where that is minus.
_INKS: Final = {
    "light": ("#F6F6F8", "#D9DBE0", "#B1B5BD", "#868C97", "#5A606D", "#353A44", "#12151B"),
    "dark": ("#1C1F27", "#363B47", "#575E6C", "#7C8493", "#A5ACB9", "#CFD3DB", "#FAFAFC"),
}
SCALES: Final[dict[str, dict[Palette, Stops]]] = {
    "light": {
        "sequential": ("#F6F5FB", "#D9D4F0", "#B0A6E0", "#8274C8", "#5642A6", "#311A78", "#170645"),
        "diverging": ("#0B3C73", "#2F74B5", "#93BEE3", "#F5F5F5", "#F3B98A", "#C9661A", "#7A3300"),
        "compared": ("#23272F", "#676D79", "#B7BBC4", "#F5F5F5", "#C5BCEA", "#7B6BC6", "#3A2386"),
        "ink": _INKS["light"],
        "below": _INKS["light"][::-1],
    },
    "dark": {
        "sequential": ("#1B1E29", "#332B63", "#513F9B", "#7660CB", "#A08EE6", "#CDC2F8", "#FAF8FF"),
        "diverging": ("#BBDCFA", "#6DB0EC", "#2B5F94", "#1F222B", "#8A4A1B", "#E8904A", "#FFD5B0"),
        "compared": ("#E4E7EE", "#A3AAB8", "#565D6B", "#1F222B", "#4A3C8C", "#8E7BDC", "#D6CCFA"),
        "ink": _INKS["dark"],
        "below": _INKS["dark"][::-1],
    },
}
HIDDEN: Final = {"light": "#E9EBF0", "dark": "#272B35"}
TONES: Final[dict[str, dict[Tone, str]]] = {
    mode: {
        "accent": SCALES[mode]["sequential"][4],
        "ink": INK[mode],
        "muted": MUTED[mode],
        "pale": SCALES[mode]["sequential"][3],
    }
    for mode in ("light", "dark")
}
# Which of them a precision wears where several are compared.
PRECISION_TONES: Final[dict[str, Tone]] = {
    "float64": "ink",
    "float32": "accent",
    "bfloat16": "muted",
    "float16": "pale",
}


def colour_of(name: Role | Tone, mode: str) -> str:
    """The colour of a role or a tone, in ``light`` or ``dark``."""
    return {**ROLE_COLOURS[mode], **TONES[mode]}[name]
