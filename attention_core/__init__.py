"""Attention as a small torch package, experiments that measure it, and figures that draw them.

What most people want of it can be imported from here; nothing is loaded, torch neither, before it is asked for::

    from attention_core import MultiHeadAttention, Rotary, check, claims, run

``claims`` is the ledger, ``claims.claims()`` what is in it, and ``check("bias-k")`` measures an entry.
``run(config)`` runs any experiment.
"""

import ast
from importlib import import_module
from pathlib import Path

__version__ = "0.1.0"

# Each name stands once: in the stub, which type checkers read, beside the module that it comes from.
_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_PLACES = {name.name: node.module for node in _STUB.body if isinstance(node, ast.ImportFrom) for name in node.names}
__all__ = list(_PLACES)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    """Import what is asked for (PEP 562)."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    place = _PLACES[name]
    return getattr(import_module(f"{__name__}.{place}"), name) if place else import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
