"""``identify``: from a module to what it computes."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from attention_core.identify.draws import drawn, tokens
from attention_core.identify.errors import IdentifyError
from attention_core.identify.evidence import rows_and_faults
from attention_core.identify.found import Fault, Identified, Row
from attention_core.identify.given_masks import read_masks
from attention_core.identify.module import as_module
from attention_core.identify.nearest import nearest
from attention_core.identify.probes import behaviour
from attention_core.identify.search import OutOfTimeError, Search
from attention_core.identify.subject import Call, Subject, subject_of
from attention_core.identify.weights import Weights, find_weights
from attention_core.identify.wrapped import wrapped

NO_WEIGHTS = "A function of queries, keys and values has no weights, so there is no module with them."
DROPOUT = Fault(
    "",
    "dropout is still on in evaluation",
    "it was asked for with a probability above 0 after module.eval()",
    "anatomy",
)


def identify(
    module: nn.Module | Callable[..., Any],
    d_model: int,
    num_heads: int,
    *,
    weights: Mapping[str, Any] | None = None,
    call: Call | None = None,
    max_seconds: float = 60.0,
    progress: Callable[[str], None] | None = None,
) -> Identified:
    """What an attention computes, and what is wrong with it.

    Given its weights each design is a function, and in float64 two different functions do not agree on drawn numbers.
    A copy of the module is given drawn weights and tokens, and what comes out is compared with what each design
    gives::

        found = identify(my_attention, d_model=64, num_heads=4)
        print(found)

    Args:
        module: A module, of which a copy is asked; or a callable that attends. One of queries, keys and values
            without weights (as torch's ``scaled_dot_product_attention``) is given projections.
        d_model: Size of a token.
        num_heads: Number of heads of queries.
        weights: Where names do not say which parameter is which: for the roles ``q``, ``k``, ``v``, ``o``, ``qkv``,
            ``kv``, each also with ``_bias``, the parameter's name. Of a callable: the tensors that it computes with,
            which are changed meanwhile and get their numbers back.
        call: How it is called: ``call(module, x)`` gives the output of tokens ``x (batch, tokens, d_model)``. Found
            by itself where the module takes tokens, or queries, keys and values.
        max_seconds: When it ends, with what was found until then.
        progress: Told from time to time what is looked at.

    Raises:
        IdentifyError: If the module cannot be asked: it fails, is compiled or quantised, gives other shapes than
            said, or its weights are not found. The sentence says what to give.
    """
    _require_sizes(d_model, num_heads, max_seconds)
    start = time.monotonic()
    told = progress or (lambda _: None)
    names = {role: name for role, name in (weights or {}).items() if isinstance(module, nn.Module)}
    alone = not isinstance(module, nn.Module) and callable(module) and not weights and call is None
    projected = wrapped(module, d_model, num_heads) if alone else None
    with torch.random.fork_rng(devices=[]), subject_of(projected or module, weights, d_model, call) as subject:
        own = subject.numbers()
        _first_call(subject, own)
        try:
            found = find_weights(
                subject.parameters, d_model, num_heads, {role: _name(one) for role, one in names.items()}
            )
        except IdentifyError as error:
            if subject.parameters:
                raise
            return _without_weights(subject, str(error), start)
        result = _searched(subject, found, own, told, start, max_seconds)
        return replace(result, _module=NO_WEIGHTS) if projected is not None and result.known else result


def _name(given: Any) -> str:
    if not isinstance(given, str):
        raise IdentifyError(f"weights holds a {type(given).__name__}: of a module give the parameters' names.")
    return given


def _require_sizes(d_model: int, num_heads: int, max_seconds: float) -> None:
    if d_model < 1 or num_heads < 1 or d_model % num_heads:
        raise IdentifyError(f"d_model = {d_model} is no multiple of num_heads = {num_heads}; both must be positive.")
    if not max_seconds > 0:
        raise IdentifyError(f"max_seconds = {max_seconds} is not possible: give a positive number.")


def _first_call(subject: Subject, own: Tensor) -> None:
    """Asks it as it is, and twice with drawn weights.

    Raises:
        IdentifyError: If it fails, gives only NaN, or two calls differ.
    """
    x = tokens(2, 4, subject.d_model, 0)
    try:
        first = subject(x)
        if not first.isfinite().any():  # heads may be laid out so that a row of NaN reaches all of a short text
            x = tokens(2, 7, subject.d_model, 0)
        if subject.parameters:
            subject.load(drawn(subject, 7))
        first, second = subject(x), subject(x)
    except IdentifyError:
        raise
    except Exception as error:
        raise IdentifyError(f"the module fails: {_short(error)}. {_advice(error)}") from error
    finally:
        subject.load(own)
    if not first.isfinite().any():
        raise IdentifyError("all that it gives is NaN or infinite: look for rows of a mask in which no key is seen.")
    if not torch.equal(first.nan_to_num(), second.nan_to_num()):
        raise IdentifyError(
            "two calls on the same tokens differ: it is random, or keeps something between calls. Give it without "
            "noise, or with what it keeps taken back by call=."
        )


def _short(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200] if lines else ''}".rstrip(".: ")


def _advice(error: Exception) -> str:
    text = str(error).lower()
    if "device" in text or "cuda" in text:
        return "It is asked on the CPU: make what it makes itself on the device of its tokens."
    if "dtype" in text or "half" in text or "float" in text or "double" in text:
        return "It is asked in float64: make what it makes itself in the precision of its tokens."
    if "missing" in text and "argument" in text:
        return "Give what else it needs by call=lambda module, x: …"
    return "Give call=lambda module, x: … that returns the output, or the sizes that it was made with."


def _searched(
    subject: Subject, weights: Weights, own: Tensor,
    told: Callable[[str], None], start: float, max_seconds: float,
) -> Identified:  # fmt: skip
    search = Search(subject, weights, start + max_seconds, told)
    why, design = [], None
    try:
        design = search.run()
        if search.precision == "float32":
            why.append("Equal as far as float32 can tell, not float64: parts of it may be computed in that.")
    except OutOfTimeError:
        why.append(f"The search ended after max_seconds = {max_seconds:g}; {search.tried:,} comparisons were made.")
    except IdentifyError:
        raise
    except Exception as error:
        raise IdentifyError(f"the module fails: {_short(error)}. {_advice(error)}") from error
    further = (DROPOUT,) if subject.dropped else ()
    if design is None:
        hint, sentence = nearest(search)
        if weights.unknown:
            why.append(f"Parameters that are for nothing that is looked for: {', '.join(weights.unknown)}.")
        seconds = time.monotonic() - start
        reason = "Nothing was found, so there is no module: " + " ".join(why)
        return Identified(None, (), further, (), (*why, sentence), hint, seconds, reason)
    rows, faults, alike = rows_and_faults(search, design)
    of_masks, wrong = read_masks(search, design)
    parts = weights.of(own)[design.layout, design.stored]
    try:
        made: Any = as_module(design, weights.sizes, parts, weights.norms).to(subject.dtype)
    except ValueError as error:
        made = str(error)
    return Identified(
        design,
        alike,
        (*faults, *wrong, *further),
        (*rows, *of_masks),
        tuple(why),
        None,
        time.monotonic() - start,
        made,
    )


def _without_weights(subject: Subject, reason: str, start: float) -> Identified:
    """What can be said of a callable whose weights nobody gave."""
    rows: tuple[Row, ...] = behaviour(subject)
    why = "Its weights are not known, so no design can be compared: give weights={'q': tensor, …}."
    return Identified(None, (), (), rows, (why,), None, time.monotonic() - start, reason)
