"""Assembles the code that a page shows: a study's lines, below the functions of :mod:`plain` they use."""

import ast
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from attention_core.measuring import plain

FUNCTIONS: Final = sorted(
    (function for _, function in inspect.getmembers(plain, inspect.isfunction)),
    key=lambda function: function.__code__.co_firstlineno,
)
_IMPORTS: Final = {
    "hashlib": "import hashlib",
    "itertools": "import itertools",
    "json": "import json",
    "math": "import math",
    "Counter": "from collections import Counter",
    "torch": "import torch",
    "F": "import torch.nn.functional as F",
    "Tensor": "from torch import Tensor",
    "load_file": "from safetensors.torch import load_file",
    "FlopCounterMode": "from torch.utils.flop_counter import FlopCounterMode",
}


def assemble(*lines: str | None) -> str:
    """Code that runs without this project: imports, functions of :mod:`plain`, then ``lines``; none is unused."""
    code = "\n".join(line for line in lines if line is not None) + "\n"
    names = _names(code)
    for function in reversed(FUNCTIONS):  # what one of them uses stands above it
        if function.__name__ in names:
            source, used = _read(function)
            code, names = f"{source}\n{code}", names | used
    imports = [line for name, line in _IMPORTS.items() if name in names]
    return "\n".join([*imports, "", code])


def mask(*, positions: str, sees: str | None = None, slots: tuple[str, str] = ("i", "i")) -> str:
    """The expression that is added to the scores; empty for none.

    Args:
        positions: Only ``alibi`` adds something here.
        sees: A condition for which key a query sees; None where it sees all.
        slots: Slots of the queries and of the keys.
    """
    terms = [f"alibi(HEADS, {', '.join(slots)})"] if positions == "alibi" else []
    return " + ".join(terms + ([f"torch.where({sees}, 0, -torch.inf)"] if sees else []))


TURNED: Final = {
    "rotary": "rotate({}, {})",
    "rotary-linear": "rotate({}, {} / 4)",  # position interpolation
    "rotary-yarn": "yarn({}, {})",
    "rotary-llama3": "llama3({}, {})",
    "rotary-ntk": "ntk({}, {}, {length})",
    "rotary-longrope": "longrope({}, {}, {length})",
    "rotary-part": "turn_half({}, {})",
}


def turned(positions: str, *parts: tuple[str, str], length: int | str) -> str:
    """Queries or keys after positions of that name, separated by commas; as they are where these do not turn them.

    Args:
        positions: Name of the positions.
        parts: What turns, and its slots.
        length: How many slots queries and keys reach together, for angles that depend on it.
    """
    return ", ".join(TURNED.get(positions, "{}").format(*each, length=length) for each in parts)


@cache
def _read(function: Callable[..., Any]) -> tuple[str, set[str]]:
    """A function's lines, and the names in them."""
    source = inspect.getsource(function)
    return source, _names(source)


def _names(code: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
