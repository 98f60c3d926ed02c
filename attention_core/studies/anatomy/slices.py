"""What a head's query is made of: of all numbers of a word, through its own rows of W_Q (``head-sees-all``)."""

from typing import Final

import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.gradients import pull_back
from attention_core.measuring.judge import ClaimTest, Measurement
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import no_cut
from attention_core.studies.anatomy.module import attention_module, module_input
from attention_core.studies.anatomy.settings import D_MODEL, AnatomyConfig


@torch.inference_mode(False)  # in it there is no autograd
def made_of(config: AnatomyConfig) -> tuple[Tensor, Tensor]:
    """What each head's query of a word depends on, by autograd.

    Returns:
        1 where it depends on a number of the word, else 0 (heads, d_model); and whether it does on a row of W_Q
        (heads, heads · d_head).
    """
    module, x = attention_module(config), module_input(config)[:, :1]  # as one word's query is made, all are
    place, size, weight = module.added_position, module.d_head, module.in_weight
    assert weight is not None
    with torch.enable_grad():
        # A copy of the word for each number of a query, so that no two slopes are added up.
        copies = x.repeat(size, 1, 1).requires_grad_()
        placed = copies if place is None else place(copies)
        q = module.into_heads(placed, placed, placed)[0]  # (d_head, heads, 1, d_head)
        each = torch.eye(size, dtype=q.dtype, device=q.device)[:, None]
        slopes = [pull_back(one, (copies, weight), each, keep=True) for one in q.unbind(1)]
    reads, rows = (torch.stack([on_cpu(one).ne(0) for one in part]) for part in zip(*slopes, strict=True))
    return reads.flatten(1, 2).any(1).to(torch.float64), rows[:, : config.width].any(2)


def measured(config: AnatomyConfig, reads: Tensor, rows: Tensor) -> dict[str, Measurement]:
    """head-sees-all: how many numbers of a word the head depends on that depends on fewest, and whose rows it takes.

    Args:
        config: The settings.
        reads: What ``made_of`` gives.
        rows: The same.
    """
    own = torch.eye(config.heads, dtype=torch.bool).repeat_interleave(config.head_size, 1)
    heads = ngettext_lazy("{count:,} head", "{count:,} heads", config.heads)
    return {
        "head-sees-all.numbers": Measurement(int(reads.sum(1).min()), D_MODEL, heads, unit=_("numbers")),
        "head-sees-all.rows": Measurement(int((rows & ~own).sum()), 0, heads, unit=_("rows")),
    }


def _sees_all(config: AnatomyConfig) -> Theory:
    """Its rows of W_Q are as long as a word."""
    if config.heads == 1:
        return Open(no_cut(1, 2))
    if config.cut:
        return Fails(_("the embedding is cut by hand, and a head is given its slice alone"))
    built = _("weights that were built by hand are 0 where a head is not to look, whatever it could")
    return Open(built) if config.weights == "built" else Holds()


def _own_rows(config: AnatomyConfig) -> Theory:
    return Open(no_cut(1, 2)) if config.heads == 1 else Holds()


TESTS: Final = (
    ClaimTest("head-sees-all.numbers", "=", _("a head's query is made of at least"),
              _("how many ∂q/∂xₘ ≠ 0, fewest of the heads"), theory=_sees_all),
    ClaimTest("head-sees-all.rows", "=", _("of other heads' rows of W_Q it is made of"),
              _("how many ∂q/∂W_Q ≠ 0, rows of other heads"), theory=_own_rows),
)  # fmt: skip
