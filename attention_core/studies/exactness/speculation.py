"""A model that writes with drafts of another: word for word as alone, and by chance in its own distribution."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import Record, on_cpu
from attention_core.measuring.bounds import tolerance
from attention_core.measuring.inputs import draw
from attention_core.measuring.judge import ClaimTest, Measurement, largest
from attention_core.measuring.theory import Fails, Holds, Theory
from attention_core.modules.speculation import acceptance, remainder, speculate
from attention_core.studies.exactness.settings import BLOCKS, ExactnessConfig
from attention_core.studies.exactness.writing import (
    BEGUN,
    WRITTEN,
    beginning,
    logit_tolerance,
    margins,
    words_of,
    writer,
)

DAMAGE: Final = 0.25  # standard deviation of what is added to a damaged draft's weights, beside their own


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Speculation(Record):
    """What was written, and by whom.

    Attributes:
        words: The text, with what was given.
        calls: Which call of the model wrote or kept each new word (words,).
        kept: Whether each new word was drafted (words,).
        margins: By how much the model's best next word is ahead at each new word (words,).
        changed: Where it would have written another one.
        bound: What rounding may leave of a logit.
        target: Its distribution of each new word (words, kinds).
        drafted: The draft's, likewise.
        written: What kept and redrawn drafts come to, likewise.
        by_block: Words for each call of the model, with blocks of ``BLOCKS`` (blocks,).
        vocabulary: The words that there are.
    """

    words: tuple[str, ...]
    calls: np.ndarray
    kept: np.ndarray
    margins: np.ndarray
    changed: np.ndarray
    bound: float
    target: np.ndarray
    drafted: np.ndarray
    written: np.ndarray
    by_block: np.ndarray
    vocabulary: tuple[str, ...]

    @property
    def shares(self) -> np.ndarray:
        """How likely a draft is kept at each new word: Σ min(p, q) (words,)."""
        return np.minimum(self.target, self.drafted).sum(-1)


@torch.no_grad()
def measure_speculation(config: ExactnessConfig) -> tuple[dict[str, Measurement], Speculation]:
    """Write with drafts, greedily; and the distribution of every word, were it drawn by chance."""
    target, draft = writer(config), drafting(config)
    reads: Callable[[Tensor], Tensor] = _late(target) if config.late else target
    begun = beginning(config)
    text = speculate(reads, draft, begun, WRITTEN, block=config.block)
    logits = on_cpu(target(text.ids))[0, BEGUN - 1 : -1]
    ahead, bound = margins(logits), logit_tolerance(target, text.ids)
    changed, decided = logits.argmax(-1) != text.ids[0, BEGUN:].cpu(), ahead > 2 * bound
    p, q = logits.softmax(-1), on_cpu(draft(text.ids))[0, BEGUN - 1 : -1].softmax(-1)
    from_draft = F.one_hot(q.argmax(-1), q.shape[-1]).double() if config.greedy else q
    kept = from_draft * acceptance(p, q)
    written = kept + (1 - kept.sum(-1, keepdim=True)) * remainder(p, q)
    written_words = ngettext_lazy("{count} word", "{count} words", WRITTEN)
    # Four roundings and two sums over the vocabulary, of numbers that sum to 1.
    rounding = tolerance(torch.float64, scale=1.0, terms=2 * p.shape[-1] + 4)
    found = {
        "spec-greedy": Measurement(
            float((changed & decided).sum()), 0.0, written_words, float(decided.sum()),
            note=_("{count} of {all} words have such a margin", count=int(decided.sum()), all=WRITTEN),
        ),
        "spec-dist.words": Measurement(largest(written - p), rounding, written_words, 1.0),
        "spec-dist.share": Measurement(
            largest(kept.sum(-1) - torch.minimum(p, q).sum(-1)), rounding, written_words, 1.0
        ),
    }  # fmt: skip
    each = [number for number, count in enumerate(text.accepted) for _one in range(count + 1)]
    own = [at == count for count in text.accepted for at in range(count + 1)]
    return found, Speculation(
        words=words_of(config, text.ids),
        calls=np.array(each),
        kept=~np.array(own),
        margins=ahead.numpy(),
        changed=changed.numpy(),
        bound=bound,
        target=p.numpy(),
        drafted=q.numpy(),
        written=written.numpy(),
        by_block=np.array([_words_per_call(reads, draft, begun, block) for block in BLOCKS]),
        vocabulary=target.vocabulary,
    )


def drafting(config: ExactnessConfig) -> Checkpoint:
    """What drafts: the model's first layer alone, the model with noise in its matrices, or the model itself."""
    model = writer(config)
    if config.draft == "layer":
        model.stack.layers = model.stack.layers[:1]
    elif config.draft == "damaged":
        for name, each in model.named_parameters():
            if each.dim() == 2:
                noise = draw(tuple(each.shape), config.seed, "damage", name).to(each)
                each.add_(noise * each.std() * DAMAGE)
    return model


def _late(target: Checkpoint) -> Callable[[Tensor], Tensor]:
    """What the model says one place later; of the last place there is nothing later."""
    return lambda ids: torch.cat((target(ids)[:, 1:], target(ids)[:, -1:]), dim=1)


def _words_per_call(reads: Callable[[Tensor], Tensor], draft: Checkpoint, begun: Tensor, block: int) -> float:
    return WRITTEN / len(speculate(reads, draft, begun, WRITTEN, block=block).accepted)


def _same_words(config: ExactnessConfig) -> Theory:
    """A draft that is the model itself is what it says at every place but one too late."""
    return Fails(_("drafts are compared with what the model says after them")) if config.late else Holds()


def _same_chance(config: ExactnessConfig) -> Theory:
    certain = _("the most probable word is drafted each time, and the rule takes it for one that was drawn from q")
    return Fails(certain) if config.greedy else Holds()


def _same_share(config: ExactnessConfig) -> Theory:
    """Where p is q every draft is kept, however it came about: that share is Σ min(p, q), which is 1."""
    return Holds() if config.draft == "same" else _same_chance(config)


TESTS: Final = (
    ClaimTest("spec-greedy", "≤",
              _("words that the large model would not have written, although its own is far enough ahead:"),
              _("words changed where margin > 2 · bound"), theory=_same_words, rounds=False),
    ClaimTest("spec-dist.words", "≤", _("kept and redrawn drafts differ from the distribution of the large model by"),
              "max |min(p, q) + (p − q)₊ − p|", theory=_same_chance),
    ClaimTest("spec-dist.share", "≤", _("the share of drafts that is kept differs from Σ min(p, q) by at most"),
              _("max |share kept − Σ min(p, q)|"), theory=_same_share),
)  # fmt: skip
