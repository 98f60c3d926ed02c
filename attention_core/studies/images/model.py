"""The vision transformer that is looked at: shipped, trained here and now, or with random weights."""

import copy
import threading
from collections import OrderedDict
from collections.abc import Generator
from typing import Final
from weakref import WeakValueDictionary

import torch
from jaxtyping import Bool
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.inputs import draw_parameters
from attention_core.measuring.step import Step
from attention_core.modules.vision import Collect, VisionTransformer
from attention_core.shipped.vision import GRID, PATCHES, PictureRecipe, blank_vision, load_vision, training
from attention_core.studies.images.settings import ImagesConfig

STEPS: Final = 1500  # of a training here: some 15 s on one core
BIAS_STD: Final = 0.1
_KEPT: Final = 16  # models trained here that are kept, of some 60 kB each

Key = tuple[str, int]


class _Training:
    """One training for all settings that need its model: whoever asks next does the next hundred steps.

    Args:
        key: Positions and seed.
    """

    def __init__(self, key: Key) -> None:
        positions, seed = key
        self._key, self._lock = key, threading.Lock()
        self._steps = training(positions, PictureRecipe(steps=STEPS, seed=seed))
        self._last = (0, float("nan"))

    def advance(self) -> tuple[int, float]:
        """Train on, unless all is done: how many steps are, and the last one's loss."""
        with self._lock:
            if self._last[0] < STEPS:
                done, loss, model = next(self._steps)
                if done == STEPS:
                    _keep(self._key, model.requires_grad_(False))
                self._last = done, loss
            return self._last


_trained: OrderedDict[Key, VisionTransformer] = OrderedDict()
_under_way: WeakValueDictionary[Key, _Training] = WeakValueDictionary()  # one that nobody waits for is gone
_lock = threading.Lock()


def _keep(key: Key, model: VisionTransformer) -> None:
    with _lock:
        _trained[key] = model
        while len(_trained) > _KEPT:
            _trained.popitem(last=False)


def train_here(config: ImagesConfig) -> Generator[Step]:
    """Train the model of the settings, if nobody has lately, together with all who do: a step after each hundred."""
    key = (config.positions, config.seed)
    yield Step(0, STEPS, _("training"))
    with _lock:
        if key in _trained:
            return
        if (shared := _under_way.get(key)) is None:
            shared = _under_way[key] = _Training(key)
    done = 0
    while done < STEPS:
        done, loss = shared.advance()
        yield Step(done, STEPS, _("training, loss {loss:.2f}", loss=loss))


def stored_model(config: ImagesConfig) -> VisionTransformer:
    """The trained model in float32, which nobody may change; one of this process is trained again if need be."""
    if config.weights == "shipped":
        return load_vision(config.positions)
    key = (config.positions, config.seed)
    while True:
        with _lock:
            if key in _trained:
                return _trained[key]
        for _step in train_here(config):
            pass


def model_of(config: ImagesConfig) -> VisionTransformer:
    """A copy of the model in the settings' precision, on their device."""
    if config.weights == "untrained":
        model = draw_parameters(blank_vision(config.positions, torch.float64), config.seed, bias_std=BIAS_STD)
        for name, each in model.named_parameters():
            if name.endswith("norm.weight"):
                each.data.fill_(1.0)
    else:
        model = copy.deepcopy(stored_model(config))
    return model.to(config.torch_device, config.torch_dtype).requires_grad_(False).eval()


def collect_of(config: ImagesConfig) -> Collect:
    """Where the answer is read."""
    return "mean" if config.averaged else "token"


def mask_of(config: ImagesConfig) -> Bool[Tensor, "tokens tokens"] | None:
    """Which token sees which where patches see their neighbours alone; what collects sees all, and all see it."""
    if not config.window:
        return None
    rows, columns = torch.arange(PATCHES) // GRID, torch.arange(PATCHES) % GRID
    near = ((rows[:, None] - rows).abs() <= 1) & ((columns[:, None] - columns).abs() <= 1)
    seen = torch.ones(PATCHES + 1, PATCHES + 1, dtype=torch.bool)
    seen[1:, 1:] = near
    return seen.to(config.torch_device)


def weights_file(config: ImagesConfig) -> bytes:
    """The trained model's weights as safetensors."""
    from safetensors.torch import save

    return save({name: each.contiguous() for name, each in stored_model(config).state_dict().items()})
