"""What is expected of masks, whatever is measured: who may look at whom, and which claim holds under which settings.

A setting that changes what a mask hides is read in ``stack.py``, which gives the mask, and here, which expects it.
"""

from typing import Final

import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.judge import ClaimTest
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.modules.masks import causal_mask, sliding_window_mask
from attention_core.studies.masks.settings import Batched, MasksConfig
from attention_core.studies.masks.stack import Batch

_MIXED: Final = _("BatchNorm takes its statistics over all tokens")
_UNPADDED: Final = _("all sentences are of one length, so there is no padding")


def may_attend(config: MasksConfig, name: str, source: Batch, target: Batch | None) -> Tensor:
    """Who may look at whom as the EECS 182 review asks for in a module, and within the window where there is one."""
    if "cross" in name:
        assert target is not None
        return ~source.padding[:, None, :].expand(-1, target.padding.shape[1], -1)
    decodes = config.stack == "decoder" or name.startswith("decoder")
    batch = target if target is not None and name.startswith("decoder") else source
    tokens = batch.padding.shape[1]
    may = torch.ones(len(batch.padding), tokens, tokens, dtype=torch.bool)
    if decodes:
        may = may & causal_mask(tokens)
    if config.window:
        may = may & sliding_window_mask(tokens, config.window)
    return may & ~batch.padding[:, None, :] if config.side == "left" or not decodes else may


def _padded(*batches: Batched) -> bool:
    """Whether the sentences of one of them differ in length."""
    return any(len(set(map(len, sentences))) > 1 for sentences in batches)


def _unseen(config: MasksConfig) -> Theory:
    """No word sees padding that a mask should hide."""
    read = config.stack != "decoder"  # is there an encoder, or a cross-attention, which need the padding mask?
    written = config.decoded if config.stack == "encoder-decoder" else config.sentences
    left = config.side == "left" and config.stack != "encoder" and _padded(written)
    if config.unmasked and ((read and _padded(config.sentences)) or left):
        missing = _("the padding mask is left out")
        return Fails(missing if read else _("the padding is on the left, and no mask hides it"))
    return Holds()


def _grid(config: MasksConfig) -> Theory:
    """Weights are 0 where the masks say so."""
    theory = _unseen(config)
    alone = max(map(len, (*config.sentences, *config.decoded))) == 1
    none = isinstance(theory, Holds) and alone
    return Open(_("each sentence is one word, which sees itself")) if none else theory


def _content(config: MasksConfig) -> Theory:
    """Other padding leaves the outputs as they are."""
    padded = _padded(config.sentences, config.decoded)
    if padded and config.padding == "not-a-number":
        return Fails(_("the padding holds NaN, and 0 · NaN is NaN"))
    if padded and config.batch_norm:
        return Fails(_MIXED)
    theory = _unseen(config)
    return Open(_UNPADDED) if isinstance(theory, Holds) and not padded else theory


def _alone(config: MasksConfig) -> Theory:
    """A sentence comes out of the batch as it does without padding."""
    padded = _padded(config.sentences, config.decoded)
    if config.batch_norm and len(config.sentences) > 1:
        return Fails(_MIXED)
    theory = _unseen(config)
    if not isinstance(theory, Holds):
        return theory
    if padded and config.positions in ("slot", "learned") and config.side == "left":
        return Fails(_("padding on the left shifts the words to other slots"))
    return theory if padded else Open(_UNPADDED)


def _tests(claim: str) -> tuple[ClaimTest, ...]:
    return (
        ClaimTest(claim, "=", _("changing the padding changes"), _("f(padding replaced) ≠ f"), theory=_content),
        ClaimTest(f"{claim}.grid", "=", _("the masks are disobeyed by"), _("weights against the masks"),
                  theory=_grid),
        ClaimTest(f"{claim}.alone", "≤", _("in the batch and on its own a sentence's outputs differ by at most"),
                  _("max |f(batch) − f(sentence alone)|"), theory=_alone),
    )  # fmt: skip


TESTS: Final = (*_tests("mask-encoder"), *_tests("mask-decoder"), *_tests("mask-encdec"))


# ---- teacher forcing ----


def text_of(config: MasksConfig) -> tuple[str, ...]:
    """The text whose next words are predicted: the first target of an encoder–decoder, else the first sentence."""
    return (config.decoded or config.sentences)[0]


def _blind(config: MasksConfig) -> Theory:
    """No word sees a later one."""
    if len(text_of(config)) == 1:
        return Open(_("the text is one word, which nothing follows"))
    if config.batch_norm:
        return Fails(_MIXED)
    return Fails(_("an encoder has no causal mask")) if config.stack == "encoder" else Holds()


def _same(config: MasksConfig) -> Theory:
    """The rest of a text changes nothing before it."""
    text = text_of(config)
    if len(text) > 1 and len(set(text)) == 1 and config.positions == "none":
        return Open(_("all words are equal and have no positions, so nothing tells how many there are"))
    if len(text) == 2 and config.batch_norm:
        return Open(_("BatchNorm takes no single word, so there is one pass only"))
    return _blind(config)


FORCING_TESTS: Final = (
    ClaimTest("forcing", "≤", _("from one pass and from a pass over the words so far, outputs differ by at most"),
              _("max |f(text)_t − f(first t words)_t|"), theory=_same),
    ClaimTest("forcing.later", "=", _("what comes out at a word depends on a later word in"),
              _("∂ output_t / ∂ word_s ≠ 0, s > t"), theory=_blind),
)  # fmt: skip
