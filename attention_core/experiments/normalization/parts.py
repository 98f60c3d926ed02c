"""What the questions share: inputs, norms as the settings ask for them, verdicts."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn

from attention_core.experiments.inputs import generator
from attention_core.experiments.normalization.config import NormalizationConfig
from attention_core.experiments.verdict import Provenance, Relation, Verdict
from attention_core.modules.normalization import BatchNorm, Norm


def draw(config: NormalizationConfig, what: str, *shape: int) -> Tensor:
    """Numbers ~ N(0, 1) in float64 on the CPU; ``what`` names the stream."""
    return torch.randn(shape, generator=generator(config.seed, "normalization", what), dtype=torch.float64)


def cast(config: NormalizationConfig, values: Tensor) -> Tensor:
    """The values in the settings' precision, on their device."""
    return values.to(config.torch_device, config.torch_dtype)


def norm_module(config: NormalizationConfig, norm: Norm) -> nn.Module:
    """The norm with γ = 1 and β = 0; BatchNorm in the mode the settings ask for, having seen a past batch."""
    made = {"device": config.torch_device, "dtype": config.torch_dtype}
    if not isinstance(norm, BatchNorm):
        return norm.build(config.d_model, **made)
    module = replace(norm, momentum=1.0).build(config.d_model, **made)
    with torch.no_grad():
        module(cast(config, draw(config, "past", 1, 4 * config.num_tokens, config.d_model)))
    return module.eval() if config.evaluation else module.train()


def verdict(
    config: NormalizationConfig, claim: str, quantity: str, measured: float, relation: Relation, bound: float,
    *, cases: str, because: str = "", exact: Callable[[NormalizationConfig], float] | None = None,
) -> Verdict:  # fmt: skip
    """The verdict on ``claim``, expected to hold unless something breaks it.

    Args:
        config: The settings.
        claim: The claim's id.
        quantity: What was measured.
        measured: Its value.
        relation: How it must stand to ``bound``.
        bound: What it is held to.
        cases: What was tried.
        because: What breaks the claim; empty where nothing does.
        exact: Measures the same for other settings. Half precision is so coarse that a difference may drown in it:
            there its size in float64 says whether it is expected to show.
    """
    broken = bool(because)
    if exact is not None and config.dtype not in ("float64", "float32") and (broken or relation == "≥"):
        drowns = exact(replace(config, dtype="float64", device="cpu")) <= bound
        broken = drowns == (relation == "≥")
        because = f"{because or 'it moves'}, but by less than {config.dtype} can tell" if drowns else because
    return Verdict(
        claim=claim,
        quantity=quantity,
        measured=measured,
        relation=relation,
        bound=bound,
        expected=not broken,
        cases=cases,
        dtype=config.dtype,
        device=str(config.torch_device),
        because=because,
    )


def provenance(config: NormalizationConfig) -> Provenance:
    """Where the numbers of these settings come from."""
    return Provenance(seed=config.seed, dtype=config.dtype, device=str(config.torch_device))


def on_cpu(values: Tensor) -> Tensor:
    """The values in float64 on the CPU, where they are compared."""
    return values.detach().to("cpu", torch.float64)


def array(values: Tensor) -> np.ndarray:
    """The values as a read-only float64 array."""
    result = on_cpu(values).numpy()
    result.flags.writeable = False
    return result
