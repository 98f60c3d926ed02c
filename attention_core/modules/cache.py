"""Keys and values of the tokens so far, so that a new token is projected once and every earlier one never again."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.modules.masks import causal_mask, require_key_padding, require_positive


class KeyValueCache:
    """What causal self-attention keeps of the tokens that it has seen.

    Made by :meth:`MultiHeadAttention.cache`, filled by ``attention(x, cache=cache)``. Keys are kept as they meet the
    queries: normalised and turned. While gradients are recorded each step makes the tensors anew, so that they are
    right; under ``torch.no_grad()`` it writes into them.

    Args:
        batch: Number of sentences.
        num_kv_heads: Heads of keys and values.
        max_len: How many tokens of each sentence there is room for.
        d_head: Size of a head.
        device: Where it lies.
        dtype: Its precision.

    Attributes:
        keys: ``(batch, num_kv_heads, max_len, d_head)``; what lies behind ``length`` means nothing.
        values: Likewise.
        length: Tokens kept so far. Setting it to a smaller number forgets the later ones.

    Raises:
        ValueError: If a size is not positive.
    """

    keys: Float[Tensor, "batch kv_heads max_len d_head"]
    values: Float[Tensor, "batch kv_heads max_len d_head"]

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_len: int,
        d_head: int,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        require_positive(batch=batch, num_kv_heads=num_kv_heads, max_len=max_len, d_head=d_head)
        shape = (batch, num_kv_heads, max_len, d_head)
        with torch.inference_mode(False):  # tensors of inference mode cannot be written into outside of it
            self.keys = torch.zeros(shape, device=device, dtype=dtype)
            self.values = torch.zeros(shape, device=device, dtype=dtype)
        self.length = 0
        self._padding: Tensor | None = None  # (batch, max_len), True = padding
        self._positions: Tensor | None = None  # (batch, max_len), where the caller gave some

    @property
    def max_len(self) -> int:
        """How many tokens of each sentence there is room for."""
        return self.keys.shape[2]

    @property
    def nbytes(self) -> int:
        """Bytes of all keys and values that there is room for."""
        return self.keys.nbytes + self.values.nbytes

    def __repr__(self) -> str:
        batch, heads, max_len, d_head = self.keys.shape
        return (
            f"{type(self).__name__}(batch={batch}, num_kv_heads={heads}, max_len={max_len}, d_head={d_head}, "
            f"dtype={self.keys.dtype}, device={self.keys.device}, length={self.length})"
        )

    def require_room(self, key: Float[Tensor, "batch kv_heads tokens d_head"]) -> None:
        """Refuse keys that do not fit.

        Raises:
            ValueError: If batch, heads, ``d_head``, precision or device differ, or so many tokens are too many.
        """
        batch, heads, tokens, d_head = key.shape
        for name, given, made in (
            ("batch", batch, self.keys.shape[0]),
            ("num_kv_heads", heads, self.keys.shape[1]),
            ("d_head", d_head, self.keys.shape[3]),
            ("dtype", key.dtype, self.keys.dtype),
            ("device", key.device, self.keys.device),
        ):
            if given != made:
                raise ValueError(f"the cache was made for {name} = {made}, and the keys have {name} = {given}.")
        if self.length + tokens > self.max_len:
            raise ValueError(
                f"the cache has room for max_len = {self.max_len} tokens and holds {self.length}: {tokens} more do "
                "not fit; make it with a larger max_len."
            )

    def slots(self, tokens: int) -> Int[Tensor, " tokens"]:
        """The slots that the next ``tokens`` tokens will have."""
        return torch.arange(self.length, self.length + tokens, device=self.keys.device)

    def with_tokens(
        self,
        key: Float[Tensor, "batch kv_heads tokens d_head"],
        value: Float[Tensor, "batch kv_heads tokens d_value"],
    ) -> tuple[Tensor, Tensor]:
        """Keys and values so far and these, views ``(batch, kv_heads, length + tokens, d_head)``.

        ``length`` stays as it is: what a later error leaves behind is overwritten by the next attempt.
        """
        end = self.length + key.shape[2]
        if torch.is_grad_enabled() and (key.requires_grad or value.requires_grad or self.keys.requires_grad):
            self.keys = self.keys.slice_scatter(key, 2, self.length, end)
            self.values = self.values.slice_scatter(value.to(self.values.dtype), 2, self.length, end)
        else:
            self.keys[:, :, self.length : end] = key
            self.values[:, :, self.length : end] = value
        return self.keys[:, :, :end], self.values[:, :, :end]

    def with_padding(
        self, key_padding_mask: Bool[Tensor, "batch tokens"] | None, tokens: int
    ) -> Bool[Tensor, "batch kv_len"] | None:
        """Padding of the tokens so far and these, None where there never was any; these have none when None."""
        if self._padding is None and key_padding_mask is None:
            return None
        shape = (self.keys.shape[0], self.max_len)
        if key_padding_mask is not None:
            require_key_padding(key_padding_mask, (shape[0], tokens))
        if self._padding is None:
            self._padding = torch.zeros(shape, dtype=torch.bool, device=self.keys.device)
        end = self.length + tokens
        self._padding[:, self.length : end] = False if key_padding_mask is None else key_padding_mask
        return self._padding[:, :end]

    def with_positions(self, positions: Int[Tensor, "..."] | None, tokens: int) -> Int[Tensor, "batch kv_len"] | None:
        """Positions of the tokens so far and these, None for the slots; these stand in their slots when None."""
        if self._positions is None and positions is None:
            return None
        if self._positions is None:
            self._positions = torch.arange(self.max_len, device=self.keys.device).repeat(self.keys.shape[0], 1)
        positions = self.slots(tokens) if positions is None else positions
        self._positions = self._positions.to(torch.promote_types(self._positions.dtype, positions.dtype))
        end = self.length + tokens
        self._positions[:, self.length : end] = positions
        return self._positions[:, :end]

    def causal(self, tokens: int) -> Bool[Tensor, "tokens kv_len"] | None:
        """Which keys each of the next ``tokens`` tokens sees; None for one, which sees all, and in an empty cache."""
        if tokens == 1 or not self.length:
            return None
        return causal_mask(tokens, self.length + tokens, start=self.length, device=self.keys.device)
