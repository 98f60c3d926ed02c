"""A trained model as a file: its weights as safetensors, its settings in the same file's metadata.

safetensors is imported where it is used: training and checking claims do not need it.
"""

import json
import struct
from dataclasses import asdict, fields
from typing import Any, Final

import numpy as np

from attention_core.experiments.checks import ConfigError
from attention_core.experiments.learning.config import LearningConfig
from attention_core.experiments.learning.model import shapes_only
from attention_core.experiments.learning.result import Trained

FORMAT: Final = "attention-explorer-learning-1"
MAX_BYTES: Final = 64 * 2**20


def keep(trained: Trained) -> bytes:
    """The model as the bytes of a safetensors file, its config among the metadata."""
    from safetensors.numpy import save

    settings = asdict(trained.config) | {"device": "auto"}  # another machine may not have this one's device
    # One entry: safetensors keeps several in no order, and the same model shall be the same bytes.
    return save({name: each.copy() for name, each in trained.weights.items()}, {FORMAT: json.dumps(settings)})


def load_kept(content: bytes) -> Trained:
    """The model that :func:`keep` wrote.

    Names and shapes are compared with what the config asks for before anything is allocated.

    Raises:
        ConfigError: If it is no such file, is too large, or its parts do not fit each other.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    if len(content) > MAX_BYTES:
        raise _refused(f"{len(content):,} bytes", f"at most {MAX_BYTES:,} bytes are allowed")
    header = _header(content)
    metadata = header.pop("__metadata__", {})
    if FORMAT not in metadata:
        raise _refused("a file of another kind", "a model that was kept here is needed")
    config = _config(metadata[FORMAT])
    wanted = {name: list(each.shape) for name, each in shapes_only(config).named_parameters()}
    if wanted != {name: entry.get("shape") for name, entry in header.items()}:
        raise _refused("its parameters", "their names and shapes must be those of its config")
    try:
        weights = load(content)
    except SafetensorError as error:
        raise _refused("a damaged file", "a complete safetensors file is needed") from error
    if any(each.dtype != config.dtype or not np.isfinite(each).all() for each in weights.values()):
        raise _refused("its numbers", f"finite numbers in {config.dtype} are needed")
    return Trained(config=config, weights=weights)


def _header(content: bytes) -> dict[str, Any]:
    """The file's own description of itself: its length in eight bytes, then JSON (safetensors' format)."""
    length = struct.unpack("<Q", content[:8])[0] if len(content) >= 8 else 0
    try:
        header = json.loads(content[8 : 8 + length].decode())
    except ValueError as error:
        raise _refused("a damaged file", "a safetensors file is needed") from error
    parts = header.values() if isinstance(header, dict) else [None]
    if not all(isinstance(part, dict) for part in parts):
        raise _refused("a damaged file", "a safetensors file is needed")
    return header


def _config(text: object) -> LearningConfig:
    try:
        settings = json.loads(text)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise _refused("its config", "settings as JSON are needed") from error
    known = {field.name for field in fields(LearningConfig)}
    if not isinstance(settings, dict) or set(settings) != known:
        raise _refused("its config", "exactly the settings of a run are needed")
    return LearningConfig(**settings)


def _refused(value: object, allowed: str) -> ConfigError:
    return ConfigError("file", value, allowed)
