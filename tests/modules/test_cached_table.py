"""Tables of positions are made once, and never outlive what they belong to."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from attention_core.modules import cached_table
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Alibi, Position, Rotary, Sinusoidal, rotate_heads

MAKING = {"arange", "pow", "cos", "sin", "abs"}  # what tables are made with
every_kind = pytest.mark.parametrize("position", [Sinusoidal(), Rotary(), Alibi()], ids=repr)


class Heard(TorchDispatchMode):
    """The names of all operations within it."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.add(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))


@pytest.fixture(autouse=True)
def nothing_is_kept() -> None:
    cached_table._cached.cache_clear()


def module_and_input(position: Position, tokens: int = 5) -> tuple[MultiHeadAttention, Tensor]:
    torch.manual_seed(0)
    return MultiHeadAttention(12, 3, position=position, dtype=torch.float64), torch.randn(
        2, tokens, 12, dtype=torch.float64
    )


@every_kind
def test_a_table_is_made_once_and_is_that_of_the_slots(position: Position) -> None:
    module, x = module_and_input(position)
    with Heard() as first:
        output = module(x)
    with Heard() as again:
        assert torch.equal(module(x), output)
    assert first.names & MAKING
    assert not again.names & MAKING
    slots = torch.arange(5)
    assert torch.equal(module(x, query_positions=slots), output), "given, the same slots are computed anew"
    assert not torch.equal(module(x, query_positions=slots**2), output)


@every_kind
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_each_length_and_precision_has_its_own(position: Position, dtype: torch.dtype) -> None:
    for tokens in (5, 7, 3):
        for each in (torch.float64, dtype):
            module, x = (one.to(each) for one in module_and_input(position, tokens))
            assert torch.equal(module(x), module(x, query_positions=torch.arange(tokens)))


def _in_inference(module: MultiHeadAttention, x: Tensor) -> None:
    with torch.inference_mode():
        module(x)


def _imitated(module: MultiHeadAttention, x: Tensor) -> None:
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        assert module(mode.from_tensor(x)).shape == x.shape


def _transformed(module: MultiHeadAttention, x: Tensor) -> None:
    torch.func.grad(lambda one: module(one).sum())(x)
    torch.func.jacrev(lambda one: module(one[None]))(x[0])


def _mapped(module: MultiHeadAttention, x: Tensor) -> None:
    torch.vmap(lambda one: module(one[None]))(x)


def _on_meta(module: MultiHeadAttention, x: Tensor) -> None:
    with torch.device("meta"):
        module(x)


@every_kind
@pytest.mark.parametrize("before", [_in_inference, _imitated, _transformed, _mapped, _on_meta])
def test_what_was_made_elsewhere_is_not_met_again(
    position: Position, before: Callable[[MultiHeadAttention, Tensor], None]
) -> None:
    module, x = module_and_input(position)
    expected = torch.autograd.grad(module(x, query_positions=torch.arange(5)).square().sum(), module.in_weight)[0]
    cached_table._cached.cache_clear()
    before(module, x)
    assert bool(cached_table._cached.cache_info().currsize) == (before in (_in_inference, _on_meta))
    found = torch.autograd.grad(module(x).square().sum(), module.in_weight)[0]
    assert torch.equal(found, expected)
    before(module, x)  # and the other way round: what is kept by now does no harm there


def test_thirty_two_tables_of_a_million_numbers_are_kept() -> None:
    def table(size: int, dtype: torch.dtype, device: torch.device) -> Tensor:
        made.append(size)
        return torch.zeros(1, dtype=dtype, device=device)

    made: list[int] = []
    for size in (*range(33), *range(1, 33)):
        cached_table.cached_table(table, size, numbers=2**20, like=torch.zeros(1))
    assert made == [*range(33)]
    cached_table.cached_table(table, 0, numbers=2**20, like=torch.zeros(1))
    assert made[33:] == [0], "the oldest was left behind"
    for _ in range(2):
        cached_table.cached_table(table, 33, numbers=2**20 + 1, like=torch.zeros(1))
    assert made[34:] == [33, 33]


class Sizes(TorchDispatchMode):
    """How many numbers the largest tensor has that is made within it."""

    def __init__(self) -> None:
        super().__init__()
        self.most = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        self.most = max(self.most, made.numel()) if isinstance(made, Tensor) else self.most
        return made


@pytest.mark.parametrize(("max_len", "made"), [(64, 64 * 4), (cached_table.LARGEST // 2, 2 * 4)])
def test_a_table_too_large_to_be_kept_is_made_for_the_slots_that_are_there(max_len: int, made: int) -> None:
    x = torch.randn(1, 1, 2, 4, generator=torch.Generator().manual_seed(0))
    with Sizes() as sizes:
        turned = rotate_heads(x, None, start=7, max_len=max_len)
    assert 0 < sizes.most <= made
    assert torch.equal(turned, rotate_heads(x, torch.arange(7, 9)))
