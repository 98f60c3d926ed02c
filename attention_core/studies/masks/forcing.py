"""Whether one pass under a causal mask predicts what a pass over the words so far predicts (``forcing``)."""

import math
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.gradients import pull_back
from attention_core.measuring.inputs import draw, embed
from attention_core.measuring.judge import Measurement, Measurements, largest, run_tests
from attention_core.measuring.verdict import Result
from attention_core.studies.masks.settings import D_MODEL, MasksConfig
from attention_core.studies.masks.stack import Batch, alone, make_stack, pass_tolerance, run_stack
from attention_core.studies.masks.theory import FORCING_TESTS, text_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ForcingResult(Result):
    """The next word after each word of a text: from one pass over all of it, and from a pass over each beginning.

    A word's share of the prediction is softmax of the output's products with all words' embeddings, over √d_model.

    Attributes:
        text: The first target of an encoder–decoder, else the first sentence.
        first: How many words the shortest beginning has: one, and two where BatchNorm needs them.
        kinds: The words that are predicted from: those of the text, each once.
        one_pass: Their shares after each word from the ``first`` on, from one pass (beginnings, kinds).
        each_pass: The same from a pass over each beginning.
    """

    text: tuple[str, ...]
    first: int
    kinds: tuple[str, ...]
    one_pass: np.ndarray
    each_pass: np.ndarray


def run_forcing(config: MasksConfig) -> ForcingResult:
    """Send the first sentence of a config through its stack, whole and each beginning of it."""
    return run_tests(ForcingResult, config, FORCING_TESTS, _measure)


def _measure(config: MasksConfig) -> Measurements:
    text, stack = text_of(config), make_stack(config)
    source, target = next(alone(config))
    first = 2 if config.batch_norm else 1
    with torch.no_grad():
        whole = _pass(config, stack, source, target, len(text))
        ends = [_pass(config, stack, source, target, count)[-1] for count in range(first, len(text) + 1)]
        bound = pass_tolerance(config, stack, source, target)
    one_pass, each_pass = whole[first - 1 :], torch.stack(ends)
    kinds = tuple(dict.fromkeys(text))
    cases = ngettext_lazy("{count:,} word", "{count:,} words", len(text))
    pairs = _("of {count:,} pairs of a word and a later one", count=math.comb(len(text), 2))
    found = (
        Measurement(largest(one_pass - each_pass), bound, cases, largest(whole)),
        Measurement(_looks_ahead(config, stack, source, target), 0, cases, unit=pairs),
    )
    return dict(zip((test.key for test in FORCING_TESTS), found, strict=True)), {
        "text": text,
        "first": first,
        "kinds": kinds,
        "one_pass": _shares(config, one_pass, kinds),
        "each_pass": _shares(config, each_pass, kinds),
    }


def _pass(config: MasksConfig, stack: nn.Module, source: Batch, target: Batch | None, count: int) -> Tensor:
    """The outputs of a pass over the first words (count, d_model), in float64 on the CPU."""
    written = source if target is None else target
    begun = Batch(written.x[:, :count], written.padding[:, :count], written.positions[:, :count])
    batches = (begun, None) if target is None else (source, begun)
    return on_cpu(run_stack(config, stack, *batches, masked=False)[0])


def _looks_ahead(config: MasksConfig, stack: nn.Module, source: Batch, target: Batch | None) -> int:
    """In how many pairs the output at a word depends on a later word, by autograd."""
    written = source if target is None else target
    x = written.x.clone().requires_grad_()
    with torch.enable_grad():
        batches = (replace(source, x=x), None) if target is None else (source, replace(target, x=x))
        outputs = run_stack(config, stack, *batches, masked=False)[0]
    # Were a derivative not 0, the sum of all by random factors would not be either.
    upstream = draw((D_MODEL,), config.seed, "forcing").to(outputs.device, outputs.dtype)
    seen = 0
    for at, output in enumerate(outputs):
        (by_word,) = pull_back(output, (x,), upstream, keep=True)
        seen += int((by_word[0, at + 1 :] != 0).any(-1).sum())
    return seen


def _shares(config: MasksConfig, outputs: Tensor, kinds: tuple[str, ...]) -> Tensor:
    return (outputs @ embed(kinds, D_MODEL, config.seed).T / math.sqrt(D_MODEL)).softmax(-1)
