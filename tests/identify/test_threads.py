"""torch's default precision, which all threads share: as it is for a module in float64, as it was after any other."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import Tensor, nn

from attention_core.identify import identify

SEEN: list[torch.dtype] = []


class Noted(nn.Module):
    """Attention of one head that notes torch's default precision."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(8, 8, dtype=dtype) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        SEEN.append(torch.get_default_dtype())
        return self.o((self.q(x) @ self.k(x).mT / 8**0.5).softmax(-1) @ self.v(x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_module_in_float64_leaves_the_default_precision_of_all_threads(dtype: torch.dtype) -> None:
    SEEN.clear()
    assert identify(Noted(dtype), 8, 1).faults == ()
    assert {*SEEN} == {torch.float32 if dtype is torch.float64 else torch.float64}


def test_the_default_precision_is_as_it_was_after_several_at_once() -> None:
    modules = [Noted(torch.float32) for _ in range(8)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda module: identify(module, 8, 1), modules))
    assert torch.get_default_dtype() is torch.float32
    assert all(one.known and not one.faults for one in found)
