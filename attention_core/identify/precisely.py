"""While a module is asked: float64 throughout, and no dropout."""

from collections.abc import Callable
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

LOWER: Final = {torch.float32, torch.float16, torch.bfloat16}
_TO_LOWER: Final = {Tensor.float, Tensor.half, Tensor.bfloat16}
_DROPOUT: Final = {F.dropout, F.alpha_dropout, F.dropout1d, F.dropout2d, F.feature_alpha_dropout, torch.dropout}


class Precisely(TorchFunctionMode):
    """Takes float64 where a module asks for less precision, and leaves out what dropout would drop.

    Many modules compute softmax and angles in float32 whatever their weights are; what differs by rounding alone is
    then still told from what differs.

    Attributes:
        dropped: Whether dropout was asked for, with a probability above 0.
    """

    def __init__(self) -> None:
        super().__init__()
        self.dropped = False

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Change what is asked for, and do it."""
        given, named = [*args], dict(kwargs or {})
        if func in _TO_LOWER:
            return given[0].double()
        if func in _DROPOUT:
            rate = named.get("p", given[1] if len(given) > 1 else 0.5)
            training = named.get("training", given[2] if len(given) > 2 else True)
            self.dropped |= bool(training and rate > 0)
            return given[0]
        if func is F.scaled_dot_product_attention:
            if len(given) > 4:
                named["dropout_p"] = given[4]
                given[4] = 0.0
            self.dropped |= named.get("dropout_p", 0.0) > 0
            named = {name: one for name, one in named.items() if name != "dropout_p"}
        return func(*map(_precise, given), **{name: _precise(one) for name, one in named.items()})


def _precise(given: Any) -> Any:
    return torch.float64 if isinstance(given, torch.dtype) and given in LOWER else given
