"""What parameters are called."""

import re
from typing import Final

_FUSED: Final = ("qkv", "in_proj", "c_attn", "query_key_value", "wqkv", "w_pack", "kqv")
_FUSED_KV: Final = {"kv", "wkv", "key_value", "tokv", "kvs"}
_OF: Final = {
    "q": {"q", "query", "queries", "wq", "bq", "toq", "qs", "wquery", "qproj"},
    "k": {"k", "key", "keys", "wk", "bk", "tok", "ks", "wkey", "kproj"},
    "v": {"v", "value", "values", "val", "wv", "bv", "tov", "vs", "wvalue", "vproj"},
    "o": {"o", "out", "output", "wo", "bo", "proj", "projection", "dense", "fc", "final", "unifyheads", "merge",
          "concat", "combine", "toout", "w0", "wout", "linear", "lin", "resid"},
}  # fmt: skip
_NORM: Final = re.compile(r"norm|(^|[._])ln\d*([._]|$)|(^|[._])(gamma|beta)$")
_POSITION: Final = re.compile(
    r"(^|[._])(pos|position|positions|positional|pe|wpe|pos_emb\w*|position_emb\w*)([._]|$)"
)


def role_of(name: str, axes: int, *, is_norm: bool) -> str:
    """The role that a parameter's name says, ``q``, ``o_bias``, ``q_norm``, …; empty where it says none.

    Args:
        name: The parameter's name.
        axes: How many axes it has.
        is_norm: Whether it belongs to a norm.
    """
    low = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower().replace("#", "")
    words = [word for word in re.split(r"[._]+|\d+(?=[._]|$)", low) if word]
    bias = "_bias" if words and (words[-1] in ("bias", "beta") or words[0] in ("b", "bias") or axes == 1) else ""
    if "sink" in low:
        return "sink"
    if is_norm or _NORM.search(low):
        side = next((role for role in "qk" if _OF[role] & {*words}), "")
        end = "_bias" if words[-1] in ("bias", "beta") else ""
        return f"{side}_norm{end}" if side else f"norm{end}"
    if _POSITION.search(low) and axes > 1:
        return "positions"
    if any(fused in low for fused in _FUSED):
        return f"qkv{bias}"
    if _FUSED_KV & {*words} or "key_value" in low:
        return f"kv{bias}"
    for word in reversed(words):
        word = re.sub(r"^(w|b|lin|linear|to|proj)(?=(q|k|v|o|query|key|value|out)s?$)", "", word)
        for role, known in _OF.items():
            if word in known and (role != "o" or not _names_another(words)):
                return f"{role}{bias}"
    return ""


def _names_another(words: list[str]) -> bool:
    """Whether a name that ends as the output's does is that of queries, keys or values: ``q_proj``."""
    return any(known & {*words} for role, known in _OF.items() if role != "o")
