"""Which inputs of an attention fit each other, and sentences for those that do not."""

from torch import Tensor


def require_same_slots(query: Tensor, key: Tensor) -> None:
    """Refuse causality between queries and keys of which it is not said who comes first.

    Raises:
        ValueError: If there are fewer or more queries than keys.
    """
    if query.shape[1] != key.shape[1]:
        raise ValueError(
            f"is_causal with {query.shape[1]} queries and {key.shape[1]} keys does not say which keys come "
            "before a query: give attn_mask instead (the newest query sees all keys and needs none)."
        )


def require_fit(d_model: int, query: Tensor, key: Tensor, value: Tensor) -> None:
    """Refuse inputs that do not fit each other or the module.

    Raises:
        ValueError: If one is not ``(batch, tokens, d_model)``, batch sizes differ, or there is not one value per key.
    """
    if key is query and value is query and query.dim() == 3 and query.size(2) == d_model:
        return
    for name, x in (("query", query), ("key", key), ("value", value)):
        if x.dim() != 3 or x.shape[2] != d_model:
            raise ValueError(f"{name} has shape {tuple(x.shape)}: (batch, tokens, d_model = {d_model}) is needed.")
    if key.shape != value.shape or key.shape[0] != query.shape[0]:
        raise ValueError(
            f"query {tuple(query.shape)}, key {tuple(key.shape)} and value {tuple(value.shape)} do not fit: "
            "they need one batch size, and keys and values one length."
        )
