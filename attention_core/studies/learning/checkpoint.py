"""A trained model as a file: its weights as safetensors, its settings in the same file's metadata.

safetensors is imported where it is used: training and checking claims do not need it.
"""

import io
import json
from dataclasses import asdict, fields
from typing import Final

import numpy as np

from attention_core.checkpoints.tensor_file import CheckpointError, read_header, read_json
from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError
from attention_core.studies.learning.model import shapes_only
from attention_core.studies.learning.result import Trained
from attention_core.studies.learning.settings import LearningConfig

FORMAT: Final = "attention-explorer-learning-1"
MAX_BYTES: Final = 64 * 2**20
DTYPES: Final = {"float64": "F64", "float32": "F32"}  # as the format calls them


def keep(trained: Trained) -> bytes:
    """The model as the bytes of a safetensors file, its config among the metadata."""
    from safetensors.numpy import save

    settings = asdict(trained.config) | {"device": "auto"}  # another machine may not have this one's device
    # One entry: safetensors keeps several in no order, and the same model shall be the same bytes.
    return save({name: each.copy() for name, each in trained.weights.items()}, {FORMAT: json.dumps(settings)})


def is_kept(content: bytes) -> bool:
    """Whether it is a file that :func:`keep` wrote, as far as it says so itself."""
    try:
        return FORMAT in read_header(io.BytesIO(content), "the file").metadata
    except CheckpointError:
        return False


def load_kept(content: bytes) -> Trained:
    """The model that :func:`keep` wrote.

    Names and shapes are compared with what the config asks for before anything is allocated.

    Raises:
        ConfigError: If it is no such file, is too large, or its parts do not fit each other.
    """
    from safetensors.numpy import load

    if len(content) > MAX_BYTES:
        raise _refused(
            _("{count:,} bytes", count=len(content)), _("at most {most:,} bytes are allowed", most=MAX_BYTES)
        )
    try:
        header = read_header(io.BytesIO(content), "the file")
    except CheckpointError as error:
        raise _refused(_("a damaged file"), str(error).removesuffix(".")) from error
    if FORMAT not in header.metadata:
        raise _refused(_("a file of another kind"), _("a model that was kept here is needed"))
    config = _config(header.metadata[FORMAT])
    wanted = {name: tuple(each.shape) for name, each in shapes_only(config).named_parameters()}
    if wanted != {name: entry.shape for name, entry in header.tensors.items()}:
        raise _refused(_("its parameters"), _("their names and shapes must be those of its config"))
    numbers = _("finite numbers in {dtype} are needed", dtype=config.dtype)
    if {entry.dtype for entry in header.tensors.values()} != {DTYPES[config.dtype]}:
        raise _refused(_("its numbers"), numbers)
    weights = load(content)
    if not all(np.isfinite(each).all() for each in weights.values()):
        raise _refused(_("its numbers"), numbers)
    return Trained(config=config, weights=weights)


def _config(text: str) -> LearningConfig:
    try:
        settings = read_json(text.encode(errors="surrogatepass"), "its config")
    except CheckpointError as error:
        raise _refused(_("its config"), _("settings as JSON are needed")) from error
    if set(settings) != {field.name for field in fields(LearningConfig)}:
        raise _refused(_("its config"), _("exactly the settings of a run are needed"))
    return LearningConfig(**settings)


def _refused(value: object, allowed: str) -> ConfigError:
    return ConfigError("file", value, allowed)
