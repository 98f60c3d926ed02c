"""How a measurement becomes a verdict where a switch may break the claim, and the arrays a result holds."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from attention_core.experiments.config import RunConfig
from attention_core.experiments.verdict import Relation, Verdict

Config = TypeVar("Config", bound=RunConfig)


def judge(
    config: Config, claim: str, quantity: str, measured: float, relation: Relation,
    bound: float | tuple[float, float], *, cases: str, because: str = "", unit: str = "",
    exact: Callable[[Config], float] | None = None,
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
        unit: Unit of ``measured``.
        exact: Measures the same for other settings. A difference may drown in what rounding explains: where none is
            seen, its size in float64 says whether one is expected to show.
    """
    broken, least = bool(because), relation == "≥"
    if exact is not None and not isinstance(bound, tuple) and config.dtype != "float64" and broken != least:
        unseen = measured < bound if least else measured <= bound
        drowns = unseen and exact(replace(config, dtype="float64", device="cpu")) <= bound
        broken = drowns == least
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
        unit=unit,
        because=because,
    )


def on_cpu(values: Tensor) -> Tensor:
    """The values in float64 on the CPU, where they are compared."""
    return values.detach().to("cpu", torch.float64)


def array(values: Tensor) -> np.ndarray:
    """The values as a read-only float64 array."""
    result = on_cpu(values).numpy()
    result.flags.writeable = False
    return result
