"""Checks that what another process sends is a result of the study that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, get_args, get_type_hints

from pages._shared.compute.job import array_bytes, parts_of

RESULT_BYTES = 16 * 2**20  # the largest results hold some 2 MB


class WrongResult(Exception):  # noqa: N818 - it names what came
    """The result is of another function or config, or too large to be kept."""


def checked(function: Callable[[Any], Any], config: Hashable, result: Any) -> Any:
    """Check that a result is one of the function's and, if it holds a config of that kind, of this config.

    Raises:
        WrongResult: If it is not, or larger than ``RESULT_BYTES``.
    """
    if type(result) not in result_types(function):
        raise WrongResult(f"{function.__name__} gave {type(result).__name__}")
    result_config = getattr(result, "config", None)
    if type(result_config) is type(config) and result_config != config:
        raise WrongResult(f"{function.__name__} gave the result of another config")
    if (size := array_bytes(result)) > RESULT_BYTES:
        raise WrongResult(f"{function.__name__} gave {size:,} bytes, {RESULT_BYTES:,} are allowed")
    return result


@cache
def result_types(function: Callable[[Any], Any]) -> tuple[type, ...]:
    """The result types of a function; of ``steps_x`` by its annotation ``Iterator[Step | X]``."""
    (yielded, *_) = get_args(get_type_hints(function)["return"])
    return tuple(kind for kind in get_args(yielded) or (yielded,) if "done" not in dir(kind))


def freeze(result: Any) -> Any:
    """Mark a result's arrays read-only again, which pickling undid."""
    flags = getattr(result, "flags", None)
    if flags is not None:
        flags.writeable = False
    for part in parts_of(result):
        freeze(part)
    return result
