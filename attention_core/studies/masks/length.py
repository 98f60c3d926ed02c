"""Which lengths of text a stack takes (``any-length``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import nn

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.choices import POSITIONS as KINDS
from attention_core.measuring.inputs import embed
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, run_tests
from attention_core.measuring.theory import Fails, Holds, Theory
from attention_core.measuring.verdict import Result
from attention_core.modules.stack import EncoderDecoder
from attention_core.studies.masks.settings import D_MODEL, TABLE, MasksConfig
from attention_core.studies.masks.stack import make_stack

LENGTHS: Final = (2, 16, TABLE - 1, TABLE, TABLE + 1, 2 * TABLE, 4 * TABLE)  # BatchNorm needs two words


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthResult(Result):
    """Texts of growing length through one stack, with each kind of positions.

    Attributes:
        kinds: The kinds of positions, by their names in ``measuring.choices``.
        taken: Which lengths of ``LENGTHS`` a stack with these positions takes (kinds, lengths).
        parameters: How many parameters it has, whatever the length (kinds,).
    """

    kinds: tuple[str, ...]
    taken: np.ndarray
    parameters: np.ndarray


def run_length(config: MasksConfig) -> LengthResult:
    """Send the words of a config, again and again, through its stack."""
    return run_tests(LengthResult, config, TESTS, _measure)


@torch.no_grad()
def _measure(config: MasksConfig) -> Measurements:
    text = [word for sentence in config.sentences for word in sentence]
    own = make_stack(config)
    stacks = [make_stack(config, position) for position in KINDS.values()]
    refused = sum(not _takes(config, own, text, length) for length in LENGTHS)
    lengths = _("of {count} lengths", count=len(LENGTHS))
    cases = _("{least} to {most} words", least=LENGTHS[0], most=LENGTHS[-1])
    return {"any-length": Measurement(refused, 0, cases, unit=lengths)}, {
        "kinds": tuple(KINDS),
        "taken": np.array([[_takes(config, stack, text, length) for length in LENGTHS] for stack in stacks]),
        "parameters": np.array([sum(each.numel() for each in stack.parameters()) for stack in stacks]),
    }


def _takes(config: MasksConfig, stack: nn.Module, text: Sequence[str], length: int) -> bool:
    """Whether a text of that length comes out, as numbers, each word as a vector again."""
    words = tuple(text[at % len(text)] for at in range(length))
    x = embed(words, D_MODEL, config.seed)[None].to(config.torch_device, config.torch_dtype)
    try:  # the slots are left to the stack, which looks at their number wherever it runs
        output = on_cpu(stack(x, x) if isinstance(stack, EncoderDecoder) else stack(x))
    except ValueError:
        return False
    return output.shape == x.shape and bool(output.isfinite().all())


def _endless(config: MasksConfig) -> Theory:
    """Only a table has an end."""
    ends = _("the learned table has {count} positions", count=TABLE)
    return Fails(ends) if config.positions == "learned" else Holds()


TESTS: Final = (
    ClaimTest("any-length", "=", _("with these positions the stack refuses"), _("lengths refused"), theory=_endless),
)  # fmt: skip
