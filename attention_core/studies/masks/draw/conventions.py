"""Which way round True is, by library: each row is tested against the library that it speaks of."""

from typing import Final

from attention_core.figures.table import Table
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy

_MAY, _PADDING, _ADDED = gettext_lazy("may attend"), gettext_lazy("is padding"), gettext_lazy("float: added")
_MAY_NOT, _OURS = gettext_lazy("may not attend"), gettext_lazy("this project")
CONVENTION_ROWS: Final = (
    ("F.scaled_dot_product_attention", _MAY, "attn_mask", "(…, q_len, kv_len)", _ADDED, "torch"),
    ("nn.MultiheadAttention", _MAY_NOT, "attn_mask", "(q_len, kv_len)", _ADDED, "torch"),
    ("nn.MultiheadAttention", _PADDING, "key_padding_mask", "(batch, kv_len)", _ADDED, "torch"),
    ("nn.Transformer", _MAY_NOT, "src_mask", "(src_len, src_len)", _ADDED, "torch"),
    ("nn.Transformer", _PADDING, "src_key_padding_mask", "(batch, src_len)", _ADDED, "torch"),
    ("nn.Transformer", _MAY_NOT, "tgt_mask", "(tgt_len, tgt_len)", _ADDED, "torch"),
    ("nn.Transformer", _PADDING, "tgt_key_padding_mask", "(batch, tgt_len)", _ADDED, "torch"),
    ("nn.Transformer", _MAY_NOT, "memory_mask", "(tgt_len, src_len)", _ADDED, "torch"),
    ("nn.Transformer", _PADDING, "memory_key_padding_mask", "(batch, src_len)", _ADDED, "torch"),
    ("BertModel", gettext_lazy("is a word (1)"), "attention_mask", "(batch, kv_len)",
     gettext_lazy("turned into one to add"), "Hugging Face"),
    ("scaled_dot_product_attention", _PADDING, "key_padding_mask", "(batch, kv_len)", gettext_lazy("−∞ put in"),
     "EECS 182"),
    ("MultiHeadAttention", _MAY, "attn_mask", "(…, q_len, kv_len)", _ADDED, _OURS),
    ("MultiHeadAttention", _PADDING, "key_padding_mask", "(batch, kv_len)", "–", _OURS),
)  # fmt: skip


def conventions_table() -> Table:
    """Which way round True is: by library, function and argument."""
    columns = (_("function"), _("True means"), _("argument"), _("shape"), _("other forms"), _("library"))
    return Table(columns, tuple(tuple(map(str, row)) for row in CONVENTION_ROWS))
