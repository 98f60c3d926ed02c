"""One training run: step by step, with a picture at up to 64 moments."""

from collections.abc import Iterator

import torch

from attention_core.language import gettext_lazy as _
from attention_core.studies.learning.history import Notes, moments_of
from attention_core.studies.learning.key_bias import KeyBiasWatch
from attention_core.studies.learning.result import LearningResult, LearningStep, Trained
from attention_core.studies.learning.settings import LearningConfig
from attention_core.studies.learning.tasks import ALPHABET
from attention_core.studies.learning.trainer import Trainer, blind_shares, score
from attention_core.studies.learning.verdicts import run_verdicts


def steps_learning(config: LearningConfig) -> Iterator[LearningStep | LearningResult]:
    """Train: a ``LearningStep`` at each moment, with the run so far, and last the ``LearningResult``.

    On the CPU the same config gives the same result, bit for bit.

    Where the loss is no longer a finite number the run ends; the last finite moment is kept.
    """
    trainer = Trainer(config)
    notes, watch = Notes(trainer, float(blind_shares(config).mean())), KeyBiasWatch(trainer)
    stopped = ""
    for moment in moments_of(config):
        if not trainer.reach(moment):
            stopped = _(
                "{too_high} The picture ends at step {last:,}, the last moment at which it was.",
                too_high=trainer.too_high,
                last=notes.last,
            )
            break
        notes.take(trainer)
        watch.take()
        said = _("accuracy {share:.2f}", share=trainer.accuracy)
        yield LearningStep(moment, config.steps, said, history=notes.history())
    yield _result(trainer, notes, watch, stopped)


@torch.inference_mode(False)
@torch.no_grad()
def _result(trainer: Trainer, notes: Notes, watch: KeyBiasWatch, stopped: str) -> LearningResult:
    config, history = trainer.config, notes.history()
    trainer.flat.values.copy_(notes.kept)
    measured = score(config, trainer.model)
    named = trainer.model.named_parameters()
    weights = {name: each.detach().cpu().numpy().copy() for name, each in named}
    return LearningResult.of(
        config,
        () if stopped else (*run_verdicts(config, [measured]), *watch.verdicts()),
        config=config,
        history=history,
        trained=Trained(config=config, weights=weights, words=tuple(ALPHABET[: config.kinds])),
        score=measured,
        stopped=stopped,
    )
