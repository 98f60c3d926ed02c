"""How a measurement becomes a verdict: the one way to make one; and the arrays that a result holds."""

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
    config: Config, key: str, measured: float, relation: Relation, bound: float | tuple[float, float], *,
    says: str, quantity: str, cases: str, broken: str = "", undecided: str = "", note: str = "", unit: str = "",
    exact: Callable[[Config], float] | None = None,
) -> Verdict:  # fmt: skip
    """The verdict on a measurement. Theory expects the claim to hold unless something breaks it or leaves it open.

    Args:
        config: The settings.
        key: The verdict's name: the claim's id, and behind a dot what tells it from others on the same claim.
        measured: What was measured.
        relation: How it must stand to ``bound``.
        bound: What it is held to.
        says: What was measured, in plain words that stand before the number.
        quantity: What was measured, as a formula.
        cases: What was tried.
        broken: What makes the claim fail with these settings, in words; empty where nothing does.
        undecided: Why theory does not decide with these settings; empty where it does.
        note: What else is to be known of a claim that holds.
        unit: Unit of ``measured``.
        exact: Measures the same for other settings. Where theory foresees a difference (a broken ``≤`` or ``=``, or a
            ``≥`` that holds), its size in float64 says whether ``config.dtype`` can tell it from rounding: below
            twice the bound the two overlap, and nothing is decided.
    """
    foreseen = bool(broken) != (relation == "≥")
    if exact is not None and foreseen and config.dtype != "float64" and not isinstance(bound, tuple):
        size = exact(replace(config, dtype="float64", device="cpu"))
        if not size > 2 * bound:
            undecided = f"{f'{broken}, but ' if broken else ''}it moves by less than {config.dtype} can tell"
    return Verdict(
        key=key,
        says=says,
        quantity=quantity,
        measured=measured,
        relation=relation,
        bound=bound,
        expected=None if undecided else not broken,
        cases=cases,
        dtype=config.dtype,
        device=str(config.torch_device),
        unit=unit,
        because=undecided or broken or note,
    )


def on_cpu(values: Tensor) -> Tensor:
    """The values in float64 on the CPU, where they are compared."""
    return values.detach().to("cpu", torch.float64)


def frozen(values: np.ndarray) -> np.ndarray:
    """The array itself, which nobody may write to any more."""
    values.flags.writeable = False
    return values


def array(values: Tensor) -> np.ndarray:
    """The values as a read-only float64 array."""
    return frozen(on_cpu(values).numpy())
