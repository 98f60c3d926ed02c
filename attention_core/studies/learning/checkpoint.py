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
from attention_core.studies.learning.settings import TEXT, LearningConfig
from attention_core.studies.learning.tasks import ALPHABET
from attention_core.studies.learning.text.cut import MOST_KINDS
from attention_core.studies.learning.text.held import is_token
from attention_core.studies.learning.text.settings import TextConfig

FORMAT: Final = "attention-explorer-learning-1"
MAX_BYTES: Final = 64 * 2**20
DTYPES: Final = {"float64": "F64", "float32": "F32"}  # as the format calls them


def keep(trained: Trained) -> bytes:
    """The model as the bytes of a safetensors file, its config among the metadata."""
    from safetensors.numpy import save

    settings = asdict(trained.config) | {"device": "auto"}  # another machine may not have this one's device
    if isinstance(trained.config, TextConfig):  # of its text only what a model must know to be asked
        settings |= {"words": trained.words, "written": trained.written}
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
    config, words, written = _config(header.metadata[FORMAT])
    wanted = {name: tuple(each.shape) for name, each in shapes_only(config).named_parameters()}
    if wanted != {name: entry.shape for name, entry in header.tensors.items()}:
        raise _refused(_("its parameters"), _("their names and shapes must be those of its config"))
    numbers = _("finite numbers in {dtype} are needed", dtype=config.dtype)
    if {entry.dtype for entry in header.tensors.values()} != {DTYPES[config.dtype]}:
        raise _refused(_("its numbers"), numbers)
    weights = load(content)
    if not all(np.isfinite(each).all() for each in weights.values()):
        raise _refused(_("its numbers"), numbers)
    return Trained(config=config, weights=weights, words=words, written=written)


def _config(text: str) -> tuple[LearningConfig, tuple[str, ...], tuple[str, ...]]:
    """The settings, what the numbers of tokens mean, and what the model has written."""
    try:
        settings = read_json(text.encode(errors="surrogatepass"), "its config")
    except CheckpointError as error:
        raise _refused(_("its config"), _("settings as JSON are needed")) from error
    words, written = (_tokens(settings.pop(name, [])) for name in ("words", "written"))
    kind = TextConfig if settings.get("task") == TEXT else LearningConfig
    if set(settings) != {field.name for field in fields(kind)}:
        raise _refused(_("its config"), _("exactly the settings of a run are needed"))
    config = kind(**settings)
    if not isinstance(config, TextConfig):
        return config, tuple(ALPHABET[: config.kinds]), ()
    if len(set(words)) != config.kinds or len(words) != config.kinds or not set(written) <= set(words):
        raise _refused(_("its tokens"), _("as many different ones are needed as its config says"))
    return config, words, written


def _tokens(listed: object) -> tuple[str, ...]:
    """Tokens as a text may have them: short, and of signs that can be shown."""
    if isinstance(listed, list) and len(listed) <= MOST_KINDS and all(map(is_token, listed)):
        return tuple(listed)
    raise _refused(_("its tokens"), _("at most {most} words or characters are allowed", most=MOST_KINDS))


def _refused(value: object, allowed: str) -> ConfigError:
    return ConfigError("file", value, allowed)
