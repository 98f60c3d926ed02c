"""A trained model in use: it answers an input of one's own, with all of its heads or with some switched off."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import Record
from attention_core.measuring.checks import ConfigError, check_tokens
from attention_core.modules.traced import traced
from attention_core.shipped.accuracy import without
from attention_core.studies.learning.model import TokenModel, blank_model
from attention_core.studies.learning.result import Trained
from attention_core.studies.learning.settings import LearningConfig
from attention_core.studies.learning.tasks import ALPHABET, IGNORED

Head = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Record):
    """What a trained model makes of one input.

    Attributes:
        tokens: The input.
        said: The likeliest token in each slot.
        wanted: What is asked for there; empty text where nothing is.
        probabilities: Of every kind in every slot, float32 (tokens, kinds).
        attention: Weights of every head, float32 (layers, heads, tokens, tokens).
        off: Layer and head of each that was switched off.
        trained_on: How many tokens the model's sequences had in training.
        reads_ahead: Whether the next token is asked for, and the model sees it.
    """

    tokens: tuple[str, ...]
    said: tuple[str, ...]
    wanted: tuple[str, ...]
    probabilities: Float[np.ndarray, "tokens kinds"]
    attention: Float[np.ndarray, "layers heads tokens tokens"]
    off: tuple[Head, ...]
    trained_on: int
    reads_ahead: bool

    @property
    def right(self) -> int:
        """How many of the slots that ask for something are answered right."""
        return sum(said == wanted for said, wanted in zip(self.said, self.wanted, strict=True))

    @property
    def asked(self) -> int:
        """How many slots ask for something."""
        return sum(map(bool, self.wanted))


def rebuild(trained: Trained) -> TokenModel:
    """The model with its trained weights."""
    config = trained.config
    with torch.inference_mode(False), torch.no_grad():
        model = blank_model(config, config.torch_device, config.torch_dtype)
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.from_numpy(trained.weights[name].copy()))
    return model


def check_input(field: str, tokens: Sequence[str], config: LearningConfig) -> None:
    """Raise ``ConfigError`` for the setting ``field`` unless a model of these settings can be asked ``tokens``."""
    check_tokens(field, tuple(tokens))
    known = ALPHABET[: config.kinds]
    for token in tokens:
        if len(token) != 1 or token not in known:
            allowed = _("this model knows the letters {first} to {last}", first=known[0], last=known[-1])
            raise ConfigError(field, token, allowed)
    if len(tokens) > config.tokens:
        allowed = _("this model was trained on {tokens} tokens, so as many are allowed", tokens=config.tokens)
        raise ConfigError(field, _("{count} tokens", count=len(tokens)), allowed)


def answer(trained: Trained, tokens: Sequence[str], off: Sequence[Head] = ()) -> Answer:
    """Run an input through the trained model.

    Args:
        trained: The model, :attr:`LearningResult.trained` or one that was kept.
        tokens: Letters that the model knows, at most as many as it was trained on.
        off: Layer and head of each that is switched off, counted from 0.

    Raises:
        ConfigError: If they are not.
    """
    config = trained.config
    check_input("tokens", tokens, config)
    inputs = torch.tensor([[ALPHABET.index(token) for token in tokens]])
    wanted = config.task_rule.wanted(inputs, config.sizes)[0].tolist()
    model = without(rebuild(trained), off)
    with torch.inference_mode(), traced(model) as passes:
        probabilities = model(inputs.to(config.torch_device))[0].softmax(-1).to("cpu", torch.float32).numpy()
    attention = np.stack([each.trace.weights[0].to("cpu", torch.float32).numpy() for each in passes])
    return Answer(
        tokens=tuple(tokens),
        said=letters(probabilities.argmax(-1)),
        wanted=letters(wanted),
        probabilities=probabilities,
        attention=attention,
        off=tuple(off),
        trained_on=config.tokens,
        reads_ahead=config.reads_ahead,
    )


def letters(numbers: Sequence[int] | np.ndarray) -> tuple[str, ...]:
    """The letters of token numbers; empty text where nothing is asked."""
    return tuple("" if number == IGNORED else ALPHABET[number] for number in numbers)
