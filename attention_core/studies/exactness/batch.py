"""One text alone, behind a cache, padded, and in a batch of others: what differs, and where the next word does."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import Record, on_cpu
from attention_core.measuring.judge import ClaimTest, Measurement
from attention_core.measuring.theory import Fails, Holds, Theory
from attention_core.modules.masks import key_padding_mask
from attention_core.modules.stack import Decoder
from attention_core.shipped.languages import LANGUAGES
from attention_core.studies.exactness.settings import ExactnessConfig
from attention_core.studies.exactness.writing import (
    WRITTEN,
    beginning,
    cut,
    logit_tolerance,
    margins,
    precisions,
    rounded_weights,
    words_of,
    writer,
)

PADDING: Final = 4  # tokens of padding on the left
OTHERS: Final = 5  # texts beside it in a batch
WAYS: Final = {"cached": _("cached"), "padded": _("padded"), "batched": _("in a batch")}
ALONE: Final = _("alone")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Batch(Record):
    """What a text's next words are, in each precision and each way.

    Attributes:
        words: The text.
        precisions: Names of the precisions.
        margins: By how much the best next word is ahead at each place, in float64 (words,).
        moved: Largest difference of logits: of the precision itself to float64, then of each way to the same text
            alone (precisions, 1 + ways, words).
        changed: Where the next word is another one, likewise bool.
        bounds: What rounding may leave of each of these differences (precisions, 1 + ways).
        same_bits: In how many of these ways all logits are the same, bit for bit (precisions,).
    """

    words: tuple[str, ...]
    precisions: tuple[str, ...]
    margins: np.ndarray
    moved: np.ndarray
    changed: np.ndarray
    bounds: np.ndarray
    same_bits: np.ndarray

    @property
    def decided(self) -> np.ndarray:
        """Where the margin is more than twice the bound (precisions, 1 + ways, words)."""
        return self.margins > 2 * self.bounds[..., None]


def measure_batch(config: ExactnessConfig) -> tuple[dict[str, Measurement], Batch]:
    """The same text in four ways, in all precisions that there are."""
    exact = writer(config, "float64") if "float64" in precisions(config) else writer(config)
    ids = cut(config, exact.generate(beginning(config), WRITTEN))
    precise = on_cpu(exact(ids))[0]
    ahead, best = margins(precise), precise.argmax(-1)
    moved, changed, bounds, same = [], [], [], []
    for name in precisions(config):
        model = writer(config, name)
        alone = on_cpu(model(ids))[0]
        others = [on_cpu(way(config, model, ids)) for way in (_cached, _padded, _batched)]
        rounding = logit_tolerance(model, ids)
        differences = [alone - precise, *(each - alone for each in others)]
        moved.append(torch.stack([each.abs().amax(-1) for each in differences]))
        changed.append([alone.argmax(-1) != best, *(each.argmax(-1) != alone.argmax(-1) for each in others)])
        bounds.append([rounding + rounded_weights(model, ids, precise), *([rounding] * len(others))])
        same.append(sum(bool((each == alone).all()) for each in others))
    part = Batch(
        words=words_of(config, ids),
        precisions=precisions(config),
        margins=ahead.numpy(),
        moved=torch.stack(moved).numpy(),
        changed=np.array([[each.numpy() for each in row] for row in changed]),
        bounds=np.array(bounds),
        same_bits=np.array(same),
    )
    # What another text would say: any number between the least and the largest logit.
    at, size = part.precisions.index(config.dtype), float(precise.max() - precise.min())
    places = ngettext_lazy("{count} word", "{count} words", len(part.words))
    found = {
        f"same-batch.{way}": Measurement(
            float(part.moved[at, 1 + number].max()), float(part.bounds[at, 1 + number]), places, size
        )
        for number, way in enumerate(WAYS)
    }
    decided = part.decided
    several = ngettext_lazy("{count} precision", "{count} precisions", len(part.precisions))
    found["flip"] = Measurement(
        float((part.changed & decided).sum()), 0.0, _("{places}, {several}", places=places, several=several),
        float(decided.sum()),
        note=_("{count} of {all} next words have such a margin", count=int(decided.sum()), all=decided.size),
    )  # fmt: skip
    return found, part


def _cached(config: ExactnessConfig, model: Checkpoint, ids: Tensor) -> Tensor:
    """Word by word behind a cache; the place of each new one is lost where the settings say so."""
    assert isinstance(model.stack, Decoder)
    cache, rows = model.stack.cache(1, ids.shape[1]), []
    for word in ids.split(1, dim=1):
        start = torch.zeros(1, 1, dtype=torch.long, device=ids.device) if config.restart else None
        rows.append(model._logits(model.stack(model._embed(word), positions=start, cache=cache)))  # noqa: SLF001
    return torch.cat(rows, dim=1)[0]


def _padded(config: ExactnessConfig, model: Checkpoint, ids: Tensor) -> Tensor:
    """With padding on the left, which is masked and takes no position, unless the settings say otherwise."""
    padding = key_padding_mask([ids.shape[1]], PADDING + ids.shape[1], left=True).to(ids.device)
    longer = torch.cat((ids.new_zeros(1, PADDING), ids), dim=1)
    slots = torch.arange(longer.shape[1], device=ids.device)[None]
    places = slots if config.restart else (slots - PADDING).clamp(min=0)
    return model(longer, positions=places, key_padding_mask=None if config.seen else padding)[0, PADDING:]


def _batched(config: ExactnessConfig, model: Checkpoint, ids: Tensor) -> Tensor:
    """In the middle of other texts, padded on the right, where a causal mask hides what is behind."""
    texts, draw = LANGUAGES[config.model].texts(Random(config.seed + 1)), []
    for _number in range(OTHERS):
        text = [*next(texts), *([0] * ids.shape[1])][: ids.shape[1]]
        draw.append(ids.new_tensor([text]))
    return model(torch.cat((*draw[:2], ids, *draw[2:])))[2]


def _kept(*names: str) -> Callable[[ExactnessConfig], Theory]:
    def theory(config: ExactnessConfig) -> Theory:
        if config.restart and "restart" in names:
            return Fails(_LOST)
        return Fails(_SEEN) if config.seen and "seen" in names else Holds()

    return theory


_LOST: Final = _("words stand at other positions than alone")
_SEEN: Final = _("words see the padding")
_DIFFER: Final = {
    "cached": _("word by word with a cache the logits differ from those of the whole text by at most"),
    "padded": _("with padding on the left they differ by at most"),
    "batched": _("in a batch of other texts they differ by at most"),
}
_THEORY: Final = {"cached": _kept("restart"), "padded": _kept("restart", "seen"), "batched": _kept()}
TESTS: Final = (
    *(
        ClaimTest(f"same-batch.{way}", "≤", _DIFFER[way], _("max |logits {way} − logits alone|", way=WAYS[way]),
                  theory=_THEORY[way])
        for way in WAYS
    ),
    ClaimTest("flip", "≤", _("next words that change although the best is ahead by more than twice the bound:"),
              _("next words changed where margin > 2 · bound"), theory=_kept("restart", "seen"), rounds=False),
)  # fmt: skip
