"""One edge cut: what comes next with it and without it."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.checkpoints.edge_effects import cut_rows
from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.verdict import Result
from attention_core.studies.worth.measure import found_head
from attention_core.studies.worth.result import Cell
from attention_core.studies.worth.settings import WEIGHT_SECONDS, WorthConfig

LIKELY: Final = 6  # next words, and at most so many that come in among them


@dataclass(frozen=True, slots=True, kw_only=True)
class CutConfig(WorthConfig):
    """Which edge is cut.

    Attributes:
        cell: Query and key, counted from 0; empty for none.

    Raises:
        ConfigError: If the text has no such tokens.
    """

    cell: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        WorthConfig.__post_init__(self)
        n = len(self.spelled()[0])
        if self.cell and not (len(self.cell) == 2 and all(0 <= at < n for at in self.cell)):
            raise ConfigError("cell", self.cell, _("the text has {count} tokens", count=n))

    @property
    def seconds(self) -> float:
        """About how long it takes on one core, in seconds: what it asks for once more, and two passes."""
        return 4 * len(self.spelled()[0]) * self.source.parameters * WEIGHT_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CutResult(Result):
    """What comes next.

    Attributes:
        cell: The edge that is cut; None where none is.
        likely: The likeliest next words with nothing cut, in their order, and behind them those that come in.
        before: How likely each is with nothing cut.
        after: And with the edge cut.
        lead: By how much the word or kind that led leads after the cut; below 0 it lies behind.
    """

    cell: Cell | None
    likely: tuple[str, ...]
    before: Float[np.ndarray, " likely"]
    after: Float[np.ndarray, " likely"]
    lead: float

    @property
    def next_before(self) -> str:
        """The likeliest next word with nothing cut."""
        return self.likely[int(self.before.argmax())]

    @property
    def next_after(self) -> str:
        """The likeliest with the edge cut."""
        return self.likely[int(self.after.argmax())]


@torch.no_grad()
def run_cut(config: CutConfig) -> CutResult:
    """One pass with the edge, and one without."""
    (layer, head), module, ids, asked, _gradients = found_head(config)
    cell = (config.cell[0], config.cell[1]) if config.cell else None

    def put(weights: Tensor) -> Tensor:
        if cell is None:
            return weights
        changed = weights.clone()
        row = weights[0, head, cell[0]]
        key = torch.tensor([cell[1]], device=row.device)
        changed[0, head, cell[0]] = cut_rows(row[None], seen[None, cell[0]], key, config.rest)[0]  # pyright: ignore[reportArgumentType]
        return changed

    whole = module.trace(ids[None])
    seen = list(whole)[layer].masked_scores[0, head] > -torch.inf
    cut = module.trace(ids[None], replace={f"layers.{layer}.self_attention.weights": put}).output
    before, after = (on_cpu(each[0, -1]).softmax(-1) for each in (whole.output, cut))
    at, risen = (each.topk(min(LIKELY, len(after))).indices for each in (before, after))
    at = torch.cat((at, risen[~torch.isin(risen, at)]))
    return CutResult.of(
        config,
        cell=cell,
        likely=tuple(config.source.name_of(int(one)) for one in at),
        before=before[at],
        after=after[at],
        lead=float(asked.target(cut)[0]),
    )
