"""Attention as a small torch package, experiments that measure it, and figures that draw them.

What most people want of it can be imported from here; nothing is loaded, torch neither, before it is asked for::

    from attention_core import MultiHeadAttention, check, claims

``claims`` is the ledger, ``claims.claims()`` what is in it, and ``check("bias-k")`` measures an entry.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attention_core import claims
    from attention_core.claims import check
    from attention_core.modules.dot_product import scaled_dot_product_attention
    from attention_core.modules.multi_head import MultiHeadAttention
    from attention_core.modules.stack import Decoder, Encoder, EncoderDecoder

__all__ = [
    "Decoder",
    "Encoder",
    "EncoderDecoder",
    "MultiHeadAttention",
    "check",
    "claims",
    "scaled_dot_product_attention",
]

_PLACES = {
    "Decoder": "modules.stack",
    "Encoder": "modules.stack",
    "EncoderDecoder": "modules.stack",
    "MultiHeadAttention": "modules.multi_head",
    "check": "claims",
    "scaled_dot_product_attention": "modules.dot_product",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for (PEP 562)."""
    if name == "claims":
        return import_module("attention_core.claims")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"attention_core.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    """The public names, and what every module has."""
    return sorted({*globals(), *__all__})
