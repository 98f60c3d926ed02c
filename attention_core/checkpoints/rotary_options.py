"""Rotary positions as configs say them: ``rope_theta`` and ``rope_scaling``, or together ``rope_parameters``."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from attention_core.checkpoints.config import MOST_POSITIONS
from attention_core.checkpoints.config_reader import ConfigReader
from attention_core.checkpoints.tensor_file import CheckpointError
from attention_core.modules.positions import Rotary
from attention_core.modules.rope_scaling import (
    DynamicNTK,
    LinearScaling,
    Llama3Scaling,
    LongRoPE,
    RopeScaling,
    YaRN,
)

LAYOUTS: Final = ("rope_parameters", "rope_scaling")  # of today, and of before
MOST_PAIRS: Final = 2**11


def rotary(config: ConfigReader, *, part: bool = False) -> Rotary:
    """The rotary positions of all layers.

    Args:
        config: Its settings.
        part: Whether the family can turn a part of each head.

    Raises:
        CheckpointError: If the two layouts disagree, or something in them is not known or not possible.
    """
    usual = Rotary(_perhaps(config, "rope_theta", 10000.0), halves=True)
    if part:
        usual = replace(usual, part=_perhaps(config, "partial_rotary_factor", 1.0))
    said = {name: _read(config, config.inner(name), usual, part) for name in LAYOUTS if config.get(name)}
    return _agreed(config, said, usual)


def rotary_by_kind(config: ConfigReader, kinds: Mapping[str, tuple[str, float]], scaled: str) -> dict[str, Rotary]:
    """The rotary positions of each kind of layers, where each has its own: Gemma 3.

    Args:
        config: Its settings.
        kinds: What a base was called before, and what its library takes where none is said, of each kind.
        scaled: The kind that ``rope_scaling`` meant.

    Raises:
        CheckpointError: As :func:`rotary`.
    """
    found: dict[str, Rotary] = {}
    together = config.inner(LAYOUTS[0]) if config.get(LAYOUTS[0]) else ConfigReader({}, {})
    for kind, (theta, base) in kinds.items():
        usual, said = Rotary(_perhaps(config, theta, base), halves=True), dict[str, Rotary]()
        if together.get(kind):
            said[LAYOUTS[0]] = _read(config, together.inner(kind), usual, False)
        if kind == scaled and config.get(LAYOUTS[1]):
            said[LAYOUTS[1]] = _read(config, config.inner(LAYOUTS[1]), usual, False)
        found[kind] = _agreed(config, said, usual)
    together.check_rest()
    return found


def _agreed(config: ConfigReader, said: Mapping[str, Rotary], usual: Rotary) -> Rotary:
    if len({*said.values()}) > 1:
        raise config.refused(LAYOUTS[1], f"the same as in {LAYOUTS[0]} is needed")
    return next(iter(said.values()), usual)


def _read(config: ConfigReader, said: ConfigReader, usual: Rotary, part: bool) -> Rotary:
    """What one of the layouts says."""
    name = "rope_type" if said.says("rope_type") else "type"
    kind = said.get(name, "default")
    if not isinstance(kind, str) or kind not in (*KINDS, "default"):
        raise said.refused(name, f"one of default, {', '.join(KINDS)} is needed")
    if said.get("type") not in (None, kind):
        raise said.refused("type", f"the same as rope_type is needed, {kind!r}")
    said.get("finetuned")  # how the stretched model came to be
    if part:
        usual = replace(usual, part=_perhaps(said, "partial_rotary_factor", usual.part))
    else:
        said.only("partial_rotary_factor", 1, None)
    try:
        scaling = None if kind == "default" else KINDS[kind](config, said)
    except CheckpointError:
        raise
    except ValueError as error:
        raise CheckpointError(f"config.json describes no possible positions: {error}") from error
    base = _perhaps(said, "rope_theta", usual.base)
    said.check_rest()
    return replace(usual, base=base, scaling=scaling)


def _trained_len(config: ConfigReader, said: ConfigReader) -> int:
    """Tokens of a text in training: what stands outside of the layouts comes first."""
    name = "original_max_position_embeddings"
    said.get(name)
    for reader, key in ((config, name), (said, name), (config, "max_position_embeddings")):
        if reader.says(key):
            return reader.whole(key, 2, MOST_POSITIONS)
    raise said.refused(name, "how many positions there were in training is needed")


def _factor(config: ConfigReader, said: ConfigReader, trained_len: int) -> float:
    """How many times longer texts may be; by the two lengths where it is not said."""
    if said.says("factor"):
        return said.positive("factor", 1.0)
    return config.whole("max_position_embeddings", 1, 2**31 - 1) / trained_len


def _needed(said: ConfigReader, name: str) -> float:
    if not said.says(name):
        raise said.refused(name, "a positive number is needed")
    return said.positive(name, 1.0)


def _perhaps(said: ConfigReader, name: str, usual: float) -> float:
    return said.positive(name, usual) if said.says(name) else usual


def _linear(_config: ConfigReader, said: ConfigReader) -> RopeScaling:
    return LinearScaling(_needed(said, "factor"))


def _dynamic(config: ConfigReader, said: ConfigReader) -> RopeScaling:
    return DynamicNTK(_needed(said, "factor"), config.whole("max_position_embeddings", 1, MOST_POSITIONS))


def _llama3(config: ConfigReader, said: ConfigReader) -> RopeScaling:
    low, high = (_needed(said, f"{which}_freq_factor") for which in ("low", "high"))
    return Llama3Scaling(_needed(said, "factor"), _trained_len(config, said), low, high)


def _yarn(config: ConfigReader, said: ConfigReader) -> RopeScaling:
    trained_len = _trained_len(config, said)
    factor = _factor(config, said, trained_len)
    gain = _perhaps(said, "attention_factor", 0.0) or None
    weights = [_perhaps(said, name, 0.0) for name in ("mscale", "mscale_all_dim")]
    if gain is None and all(weights):
        gain = _gain(factor, weights[0]) / _gain(factor, weights[1])
    fast, slow = _perhaps(said, "beta_fast", 32.0), _perhaps(said, "beta_slow", 1.0)
    return YaRN(factor, trained_len, fast, slow, gain, said.switch("truncate", True))


def _gain(factor: float, weight: float) -> float:
    return 1.0 if factor <= 1 else 0.1 * weight * math.log(factor) + 1


def _longrope(config: ConfigReader, said: ConfigReader) -> RopeScaling:
    trained_len = _trained_len(config, said)
    factor = _factor(config, said, trained_len)
    usual = 1.0 if factor <= 1 else math.sqrt(1 + math.log(factor) / math.log(trained_len))
    return LongRoPE(
        trained_len, _numbers(said, "short_factor"), _numbers(said, "long_factor"),
        _perhaps(said, "attention_factor", usual),
    )  # fmt: skip


def _numbers(said: ConfigReader, name: str) -> tuple[float, ...]:
    given = said.get(name)
    if (
        not isinstance(given, list)
        or len(given) > MOST_PAIRS
        or not all(type(each) in (int, float) for each in given)
    ):
        raise said.refused(name, "a number for each pair of coordinates is needed")
    return tuple(map(float, given))


KINDS: Final[dict[str, Callable[[ConfigReader, ConfigReader], RopeScaling]]] = {
    "linear": _linear, "dynamic": _dynamic, "yarn": _yarn, "llama3": _llama3, "longrope": _longrope,
    "su": _longrope,  # what the first Phi-3 called it
}  # fmt: skip
