"""The module that is asked: a copy in float64 whose numbers can be set, called as its author meant."""

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

import torch
from torch import Tensor, nn

from attention_core.identify.compute import Norm
from attention_core.identify.errors import IdentifyError
from attention_core.identify.precisely import Precisely
from attention_core.identify.weights import Parameter

Call = Callable[[Any, Tensor], Any]
MOST_NUMBERS: Final = 2**25  # in float64 256 MiB, of which some eight are held
_DEFAULT: Final = Lock()
GIVEN_NAMES = ("mask", "causal", "past", "cache", "weights", "dropout", "head_mask", "bias")


@dataclass(slots=True)
class Subject:
    """Something that attends, with its parameters.

    Attributes:
        function: What is called.
        tensors: Its parameters, in their order.
        parameters: What is known of them.
        call: How it is called.
        d_model: Size of a token.
        tokens_first: Whether it takes (tokens, batch, d_model), as torch's module says of itself.
        dtype: The precision that it had.
        dropped: Whether dropout was met in a call, which a module in evaluation has none of.
        single: Whether it takes float32 alone, as a callable may whose weights are not known.
    """

    function: Any
    tensors: list[Tensor]
    parameters: list[Parameter]
    d_model: int
    call: Call | None = None
    tokens_first: bool = False
    dropped: bool = False
    single: bool = False
    dtype: torch.dtype = torch.float32
    _way: Call | None = field(default=None)

    def load(self, numbers: Tensor) -> None:
        """Set all parameters from one vector."""
        start = 0
        with torch.no_grad():
            for tensor in self.tensors:
                tensor.copy_(numbers[start : start + tensor.numel()].view(tensor.shape))
                start += tensor.numel()

    def numbers(self) -> Tensor:
        """All parameters as one vector."""
        return torch.cat([tensor.detach().reshape(-1) for tensor in self.tensors] or [torch.zeros(0)]).double()

    def __call__(self, x: Tensor) -> Tensor:
        """The output of tokens (batch, tokens, d_model), in the same layout.

        Raises:
            IdentifyError: If it cannot be called, or gives something else.
        """
        given = x.transpose(0, 1) if self.tokens_first else x
        if self._way is None:
            self._way = self._find_way(given)
        out = self._called(self._way, given)
        return (out.transpose(0, 1) if self.tokens_first else out).detach()

    def _find_way(self, x: Tensor) -> Call:
        if self.call is not None:
            return self.call
        reasons = []
        for single in (False, True)[: 1 if self.tensors else 2]:
            self.single = single
            for way in _ways(self.function):
                try:
                    self._called(way, x)
                except Exception as error:  # noqa: BLE001 - whatever it raises, it may take another call
                    lines = str(error).strip().splitlines()
                    reasons.append(f"{type(error).__name__}: {lines[0] if lines else ''}")
                else:
                    return way
        raise IdentifyError(
            f"it cannot be called with tokens of shape {tuple(x.shape)} (batch, tokens, d_model): "
            f"{reasons[0][:200]}. Give call=lambda module, x: … that returns the output."
        )

    def _called(self, way: Call, x: Tensor) -> Tensor:
        x = x.float() if self.single else x
        mode = Precisely()
        with torch.no_grad(), _made_in_float64(self.dtype), mode:
            out = _tensor_of(way(self.function, x), x)
        self.dropped |= mode.dropped
        return out.double()


@contextmanager
def _made_in_float64(dtype: torch.dtype) -> Iterator[None]:
    """What a module makes without saying how precise is in float64: that is torch's default meanwhile.

    All threads share it, so one at a time changes it, and a module that was in float64 itself leaves it as it is.
    """
    if dtype is torch.float64:
        yield
        return
    with _DEFAULT:
        default = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            yield
        finally:
            torch.set_default_dtype(default)


def _tensor_of(out: Any, x: Tensor) -> Tensor:
    """The output among what a call gives: a tensor, or the first fitting one of a tuple, a mapping or an object."""
    if isinstance(out, Tensor):
        found = [out]
    elif isinstance(out, Mapping):
        found = [*out.values()]
    elif isinstance(out, list | tuple):
        found = [*out]
    else:
        found = [*vars(out).values()] if hasattr(out, "__dict__") else []
    tensors = [one for one in found if isinstance(one, Tensor) and one.is_floating_point()]
    fitting = [one for one in tensors if one.shape[:2] == x.shape[:2] and one.dim() == 3]
    if not fitting:
        shapes = ", ".join(str(tuple(one.shape)) for one in tensors) or f"no tensor, but {type(out).__name__}"
        raise IdentifyError(
            f"of tokens {tuple(x.shape)} it gives {shapes}, and not (batch, tokens, d_model) = {tuple(x.shape)}."
        )
    return fitting[0]


def _ways(function: Any) -> Iterator[Call]:
    """Calls that are tried, the likeliest first: as many tensors as it asks for, or one, or three."""
    asked = _asked(function)
    counts = [len(asked)] if 0 < len(asked) <= 3 else []
    for count in dict.fromkeys([*counts, 1, 3, 2]):
        yield lambda f, x, count=count: f(*[x] * count)
    for tokens in dict.fromkeys([len(asked), 1, 3]):
        for value in (None, "seen", "zeros"):
            yield lambda f, x, tokens=tokens, value=value: f(
                *[x] * min(tokens, 3), **_rest(f, x, min(tokens, 3), value)
            )


def _asked(function: Any) -> list[str]:
    """Names of the parameters that a call must give and that are tokens."""
    forward = function.forward if isinstance(function, nn.Module) else function
    try:
        signature = inspect.signature(forward)
    except (TypeError, ValueError):
        return []
    needed = [
        p.name
        for p in signature.parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    return [name for name in needed if not any(word in name.lower() for word in GIVEN_NAMES)]


def _rest(function: Any, x: Tensor, tokens: int, value: str | None) -> dict[str, Any]:
    """What else must be given, as nothing: None, a mask in which all is seen, or one of zeros."""
    forward = function.forward if isinstance(function, nn.Module) else function
    signature = inspect.signature(forward)
    names = [
        p.name
        for p in signature.parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    length = x.shape[1]
    given = {None: None, "seen": torch.ones(length, length, dtype=torch.bool), "zeros": torch.zeros(length, length)}
    return dict.fromkeys(names[tokens:], given[value])


@contextmanager
def subject_of(
    function: Any, weights: Mapping[str, Any] | None, d_model: int, call: Call | None
) -> Iterator[Subject]:
    """A module's copy, or a callable with the tensors it was given with, which get their numbers back afterwards.

    Raises:
        IdentifyError: If it is no module or callable, is compiled, quantised, without values, or cannot be copied.
    """
    if isinstance(function, nn.Module):
        yield _of_module(function, d_model, call)
        return
    if not callable(function):
        raise IdentifyError(f"{type(function).__name__} is neither a module nor callable.")
    tensors = dict(weights or {})
    for role, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise IdentifyError(
                f"weights[{role!r}] is {type(tensor).__name__}: a callable's weights are its tensors."
            )
    kept = {role: tensor.data for role, tensor in tensors.items()}
    try:
        for tensor in tensors.values():
            tensor.data = tensor.data.to("cpu", torch.float64, copy=True)
        known = [Parameter(role, tuple(tensor.shape)) for role, tensor in tensors.items()]
        yield Subject(function, [*tensors.values()], known, d_model, call)
    finally:
        for role, tensor in tensors.items():
            tensor.data = kept[role]


def _of_module(module: nn.Module, d_model: int, call: Call | None) -> Subject:
    if hasattr(module, "_orig_mod"):
        raise IdentifyError("the module is compiled: give the one before torch.compile, module._orig_mod.")
    if isinstance(module, torch.jit.ScriptModule):
        raise IdentifyError("the module is a TorchScript: give the one in Python that it was made from.")
    for name, part in module.named_modules():
        if "quantized" in type(part).__module__ or "bitsandbytes" in type(part).__module__:
            raise IdentifyError(f"{name or 'the module'} is quantised: give the module before quantisation.")
    for name, parameter in module.named_parameters():
        if not parameter.is_floating_point():
            raise IdentifyError(f"{name} is {parameter.dtype}: give the module before quantisation.")
        if parameter.is_meta:
            raise IdentifyError(f"{name} is on the device meta, without values: give the module with its weights.")
    count = sum(parameter.numel() for parameter in module.parameters())
    if count > MOST_NUMBERS:
        raise IdentifyError(
            f"the module has {count:,} parameters, of which copies in float64 are made: give a smaller one of its "
            f"class, with {MOST_NUMBERS:,} at most."
        )
    try:
        made = copy.deepcopy(module).to("cpu").double().eval()  # complex buffers stay complex
    except Exception as error:
        raise IdentifyError(f"the module cannot be copied ({error}): give one that copy.deepcopy takes.") from error
    owners = dict(made.named_modules())
    tensors, known = [], []
    for name, parameter in made.named_parameters():
        owner = owners[name.rpartition(".")[0]]
        stored = "columns" if type(owner).__name__ == "Conv1D" else "rows" if isinstance(owner, nn.Linear) else ""
        tensors.append(parameter)
        known.append(Parameter(name, tuple(parameter.shape), stored, _norm(owner)))
    first = getattr(made, "batch_first", None) is False and isinstance(made, nn.MultiheadAttention)
    dtype = next((parameter.dtype for parameter in module.parameters()), torch.float32)
    return Subject(made, tensors, known, d_model, call, tokens_first=first, dtype=dtype)


def _norm(owner: nn.Module) -> Norm | None:
    """The norm that a parameter belongs to, where its owner is one."""
    name = type(owner).__name__.lower()
    if "norm" not in name:
        return None
    known = [getattr(owner, key) for key in ("eps", "variance_epsilon", "epsilon") if hasattr(owner, key)]
    eps = known[0] if known and (known[0] is None or isinstance(known[0], float)) else 1e-5
    centred = isinstance(owner, nn.LayerNorm) or ("rms" not in name and getattr(owner, "bias", None) is not None)
    return Norm(centred=centred, eps=eps)
