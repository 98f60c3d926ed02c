"""A pretended accelerator: torch's PrivateUse1 backend in Python, each of its tensors holding one of the CPU.

As on CUDA its tensors are not computed with those of the CPU, but for copies, indices, and numbers (tensors without a
dimension); copies and waits are counted. Importing this makes it the accelerator of the process for good: what is
tried on it runs in a process of its own, ``python -m pytest tests/accelerated.py``.
"""

from collections import Counter
from typing import Any

import torch
from torch import Tensor, nn
from torch._ops import OpOverload
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

NAME = "pretended"
aten = torch.ops.aten
_INDEXED = {aten.index, aten.index_put_, aten._index_put_impl_}  # their indices may be the CPU's, and are copied
_WITH_NUMBERS = {aten.masked_fill, aten.masked_fill_}  # take one as a tensor, though torch does not tag them
_WAITS = {aten._local_scalar_dense, aten.equal, aten.nonzero, aten.masked_select}  # Python needs what comes of them
_ABOUT_BOTH = {aten._has_compatible_shallow_copy_type}


class Accelerator:
    """What torch asks of a device, as of ``torch.cuda``; and what tests do.

    Attributes:
        counts: ``operations``; copies ``to`` the device and ``back``; ``waits`` for a number; ``synchronized``.
        has_double: Whether there is float64; Metal has none.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.has_double = True

    def is_available(self) -> bool:
        return True

    is_initialized = is_available

    def device_count(self) -> int:
        return 2

    def current_device(self) -> int:
        return 0

    def _is_in_bad_fork(self) -> bool:
        return False

    def manual_seed_all(self, seed: int) -> None:
        """Nothing is drawn there."""

    def synchronize(self, _device: object = None) -> None:
        self.counts["synchronized"] += 1


class Hooks(torch._C._acc.PrivateUse1Hooks):
    def is_available(self) -> bool:
        return True

    def is_built(self) -> bool:
        return True

    def has_primary_context(self, _device_index: int) -> bool:
        return True


class There(Tensor):
    """A tensor of the device.

    Attributes:
        held: Its numbers, on the CPU.
    """

    held: Tensor

    @staticmethod
    @torch.inference_mode(False)
    def __new__(cls, held: Tensor, device: torch.device) -> "There":
        if held.dtype == torch.float64 and not accelerator.has_double:
            raise TypeError(f"The device {NAME} has no float64.")
        made = Tensor._make_wrapper_subclass(
            cls, held.shape, strides=held.stride(), storage_offset=held.storage_offset(), dtype=held.dtype,
            device=torch.device(NAME, device.index or 0),
        )  # fmt: skip
        made.held = held
        return made

    def __repr__(self) -> str:
        return f"There({self.held})"

    def __tensor_flatten__(self) -> tuple[list[str], torch.device]:
        """With it a module that is moved keeps its parameters, also those that have two names."""
        return ["held"], self.device

    @staticmethod
    def __tensor_unflatten__(inner: dict[str, Tensor], device: torch.device, size: object, stride: object) -> "There":
        return There(inner["held"], device)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        copied = There(self.held.clone(), self.device)
        memo[id(self)] = nn.Parameter(copied, self.requires_grad) if isinstance(self, nn.Parameter) else copied
        return memo[id(self)]

    def tolist(self) -> Any:
        return self.cpu().tolist()

    @property
    def data(self) -> Tensor:
        return self.detach()

    @data.setter
    def data(self, other: "There") -> None:
        self.held = other.held

    @classmethod
    def __torch_dispatch__(cls, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func._can_decompose():  # under inference_mode, what consists of others arrives whole
            return func.decompose(*args, **kwargs or {})
        return compute(func, *args, **kwargs or {})


@torch.inference_mode(False)
@torch.no_grad()
def compute(func: OpOverload, *args: Any, **kwargs: Any) -> Any:
    """Do an operation on the CPU, and refuse what a device would."""
    tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)]
    there = [one for one in tensors if isinstance(one, There)]
    here = [one for one in tensors if not isinstance(one, There)]
    goal = torch.device(kwargs.get("device") or (there[0].device if there else NAME))
    _refuse(func, args, kwargs, here)
    _count(func, args, goal, here)
    held, options = tree_map(lambda one: one.held if isinstance(one, There) else one, (args, kwargs))
    if "device" in options:
        options["device"] = "cpu"
    known = {id(one.held): one for one in there} | {id(one): one for one in here}

    def wrapped(one: Any) -> Any:
        if not isinstance(one, Tensor):
            return one
        if id(one) in known:
            assert known[id(one)].shape == one.shape, f"{func} changes a shape in place, which is not pretended"
            return known[id(one)]
        return one if goal.type == "cpu" else There(one, goal)

    return tree_map(wrapped, func(*held, **options))


def _refuse(func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], here: list[Tensor]) -> None:
    packet = func.overloadpacket
    if kwargs.get("generator") is not None:
        raise RuntimeError(f"Expected a '{NAME}' device type for generator but found 'cpu'")
    takes_numbers = torch.Tag.pointwise in func.tags or packet in _WITH_NUMBERS
    mixed = [one for one in here if one.dim() or not takes_numbers or (func._schema.is_mutable and one is args[0])]
    if packet in _INDEXED:
        mixed = [one for one in mixed if not any(one is index for index in args[1])]
    if mixed and packet not in _ABOUT_BOTH | {aten.copy_}:
        raise RuntimeError(f"Expected all tensors to be on the same device, but found {NAME} and cpu, in {func}")


def _count(func: OpOverload, args: tuple[Any, ...], goal: torch.device, here: list[Tensor]) -> None:
    packet, counts = func.overloadpacket, accelerator.counts
    counts["operations"] += 1
    counts["waits"] += packet in _WAITS
    if packet is aten.copy_ and here:
        counts["back" if args[0] is here[0] else "to"] += 1
    elif goal.type == "cpu":
        counts["back"] += 1
    elif packet in _INDEXED:
        counts["to"] += sum(one.dim() > 0 for one in here)


def _makes_one(func: OpOverload) -> bool:
    """Whether an operation makes a tensor of nothing but numbers."""
    given = {each.name: str(each.type) for each in func._schema.arguments}
    made = [str(each.type) for each in func._schema.returns]
    return "device" in given and made == ["Tensor"] and not any("Tensor" in each for each in given.values())


def _copy(source: Tensor, into: Tensor, non_blocking: bool = False) -> Tensor:
    return compute(aten.copy_.default, into, source)


accelerator = Accelerator()
_setup_privateuseone_for_python_backend(NAME, hook=Hooks(), backend_module=accelerator)
torch.accelerator.synchronize = accelerator.synchronize  # a guard in Python cannot
_library = torch.library.Library("aten", "IMPL")
_library.impl("_copy_from", _copy, "PrivateUse1")  # torch.tensor copies beneath what __torch_dispatch__ sees
for _packet in (getattr(aten, name) for name in dir(aten)):
    for _func in (getattr(_packet, name) for name in getattr(_packet, "overloads", list)()):
        if _makes_one(_func):
            _library.impl(
                _func.name().removeprefix("aten::"), lambda *a, _f=_func, **k: compute(_f, *a, **k), "PrivateUse1"
            )
