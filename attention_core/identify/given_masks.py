"""Masks that a call is given: which way round they are read, and whether they do what they should."""

import functools
import inspect
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from attention_core.identify.choices import FILLS
from attention_core.identify.compute import Reference
from attention_core.identify.design import Design
from attention_core.identify.draws import drawn, tokens
from attention_core.identify.found import Fault, Row
from attention_core.identify.probe import Probe
from attention_core.identify.search import Search
from attention_core.identify.subject import Subject

LENGTH = 5
UNUSED = "is not used"


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a mask: ``design`` is what hidden scores become, ``allowed`` which keys are then seen."""

    says: str
    fault: bool
    design: Design
    allowed: Tensor


def read_masks(search: Search, design: Design) -> tuple[tuple[Row, ...], tuple[Fault, ...]]:
    """A line for each argument that is called a mask, and what is wrong with it."""
    rows, faults = [], []
    if design.mask not in ("none", "causal") or design.attended != "tokens" or search.subject.call is not None:
        return (), ()
    for name in _arguments(search.subject.function):
        forms: dict[str, list[str]] = {}
        wrong = set()
        for form, says, is_fault in _readings_of(search, design, name):
            forms.setdefault(says, []).append(form)
            wrong |= {says} if is_fault else set()
        if len(forms) > 1:  # it uses some form, so it takes no other
            forms.pop(UNUSED, None)
        if forms:
            here = "; ".join(f"{says} ({', '.join(each)})" for says, each in forms.items())
            rows.append(
                Row(f"Argument {name}", here, "hidden keys get weight 0", "compared with each way to read it")
            )
        evidence = "equal to that, and to no right reading"
        faults += [Fault("mask", f"Argument {name}: {says}", evidence, "masks") for says in forms if says in wrong]
    return tuple(rows), tuple(faults)


def _arguments(function: Any) -> list[str]:
    """Names of a call's masks."""
    forward = function.forward if isinstance(function, nn.Module) else function
    try:
        names = [*inspect.signature(forward).parameters]
    except (TypeError, ValueError):
        return []
    return [name for name in names if "mask" in name.lower() and not name.lower().startswith(("is_", "head", "use"))]


def _forms(batch: int) -> Iterator[tuple[str, Tensor, Tensor]]:
    """Masks: a name, what is given, and where it is True; each row has both, so that some key is seen anyhow."""
    generator = torch.Generator().manual_seed(5)
    pairs = torch.rand(LENGTH, LENGTH, generator=generator) < 0.5
    pairs[torch.arange(LENGTH), torch.arange(LENGTH)] = True
    pairs[torch.arange(LENGTH), (torch.arange(LENGTH) + 1) % LENGTH] = False
    rows = torch.tensor([[at != number % LENGTH and at != 2 for at in range(LENGTH)] for number in range(batch)])
    additive = torch.zeros(LENGTH, LENGTH, dtype=torch.float64).masked_fill(~pairs, -math.inf)
    each = rows[:, None, None, :].expand(batch, 1, LENGTH, LENGTH)
    yield "bool (T, T)", pairs, pairs
    yield "bool (B, T)", rows, each
    yield "0 and 1 (B, T)", rows.long(), each
    yield "bool (B, 1, T, T)", pairs.expand(batch, 1, -1, -1), pairs
    yield "0 and 1 (B, 1, T, T)", pairs.long().expand(batch, 1, -1, -1), pairs
    yield "added (T, T)", additive, pairs
    yield "added (B, 1, T, T)", additive.expand(batch, 1, -1, -1), pairs


def _readings_of(search: Search, design: Design, name: str) -> Iterator[tuple[str, str, bool]]:
    """For each form that the call takes how it is read, and whether that is a fault."""
    batch = (
        search.weights.sizes.num_heads
    )  # as many as heads, so that a mask without their axis is taken for one of them
    x = tokens(batch, LENGTH, search.subject.d_model, search.seed)
    numbers = drawn(search.subject, search.seed + 200)
    search.subject.load(numbers)
    reference = Reference(x, search.weights.sizes, search.weights.of(numbers), search.weights.norms)
    for form, given, true in _forms(batch):
        try:
            target = _asked(search.subject, x, name, given)
        except Exception:  # noqa: BLE001 - it takes another form
            continue
        for reading in _ways_to_read(form, name, true, design):
            made = replace(reference, allowed=reading.allowed, _kept={})
            if Probe(made, target).equal(reading.design, search.precision):
                yield form, reading.says, reading.fault
                break


def _asked(subject: Subject, x: Tensor, name: str, mask: Tensor) -> Tensor:
    plain = subject.function
    subject.function = functools.partial(plain, **{name: mask})
    try:
        return subject(x)
    finally:
        subject.function = plain


def _ways_to_read(form: str, name: str, true: Tensor, design: Design) -> Iterator[Reading]:
    """Right ones first."""
    before = torch.ones(LENGTH, LENGTH, dtype=torch.bool)
    before = before.tril() if design.mask == "causal" else before
    proper = replace(design, mask="causal")
    if form.startswith("added"):
        yield Reading("added to the scores", False, proper, true & before)
        yield Reading(UNUSED, True, proper, before.expand_as(true))
        return
    padding = name == "key_padding_mask"
    yield Reading("True is hidden", False, proper, ~true & before)
    yield Reading("True may be seen" + ", and not padding as in torch" * padding, padding, proper, true & before)
    yield Reading(UNUSED, True, proper, before.expand_as(true))
    for seen, which in ((true & before, "False"), (~true & before, "True")):
        yield Reading(
            f"{which} is hidden after softmax: rows no longer sum to 1", True, replace(design, mask="after"), seen
        )
        for fill in FILLS:
            filled = replace(design, mask=f"filled:{fill:g}")
            yield Reading(f"where {which}, scores become {fill:g}, not −∞", True, filled, seen)
        if true.dim() == 4:
            of_heads = seen[:, 0].unsqueeze(0)  # the batch's axis where that of heads is
            yield Reading(
                f"{which} is hidden, of head b by entry b: the axis of heads is missing", True, proper, of_heads
            )
