"""What the claims about a text say of a run, where theory decides it or many runs were seen."""

from dataclasses import replace
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.judge import ClaimTest, Measurement, judge_all
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Verdict
from attention_core.studies.learning.text.result import Gain
from attention_core.studies.learning.text.settings import WRITTEN, TextConfig

SEEN: Final = 37  # runs of the ready-made text with such settings, and as many of it shuffled; all came out so
TIMES: Final = 2  # chance that reaches k tokens somewhere reaches 2k with about the probability that one place has


def _theory(config: TextConfig) -> Theory:
    """Of a shuffled text no token tells the next; how much of another text is learned is not known beforehand."""
    if config.shuffled:
        return Fails(_("the tokens of a shuffled text say nothing of each other"))
    if not _tried(config):
        return Open(_("no theory says how much of a text a model learns in so many steps"))
    return Holds()


def _tried(config: TextConfig) -> bool:
    """Whether many runs of such a model were seen, on the ready-made text."""
    return (
        not config.digest
        and config.optimizer == "adamw"
        and config.learning_rate == 0.01
        and config.steps >= 300
        and config.positions in ("sinusoidal", "learned", "rotary")
        and config.projections == "full"
        and config.scale == "root"
        and config.start == 1
        and config.placement == "pre"
        and config.layers == 2
        and config.heads in (1, 2)
        and config.head_size >= 16
        and 32 <= config.d_model <= 64
        and 16 <= config.tokens <= 32
        and config.batch >= 16
    )


TESTS: Final = (
    ClaimTest("text-pairs", "≥", _("on the tail its loss lies below that of counted pairs by"),
              _("lower end of the 95 % interval of the losses' difference"), theory=_theory),
    ClaimTest("text-copy", "≥", _("the longest run that it writes and that stands so in the text has"),
              _("longest common run"), theory=_theory),
)  # fmt: skip


def text_verdicts(config: TextConfig, gain: Gain, copied: int, by_chance: int) -> tuple[Verdict, ...]:
    """text-pairs and text-copy; nothing of a model that reads the next token.

    Args:
        config: The settings.
        gain: By how much its loss lies below that of counted pairs.
        copied: The longest run of what it wrote that stands so in the text.
        by_chance: The same once the text is shuffled.
    """
    if config.reads_ahead:
        return ()
    low = _(
        "so by at least {low:.3f}, with 95 % confidence; {sequences:,} sequences of the tail",
        low=gain.low, sequences=gain.sequences,
    )  # fmt: skip
    beside = _(
        "{count} tokens written at temperature 1; of the text shuffled the longest run has {by_chance}",
        count=WRITTEN, by_chance=by_chance,
    )  # fmt: skip
    seen = _("as it was in all of {runs} such runs", runs=SEEN)
    found = {
        "text-pairs": Measurement(gain.low, 0.0, low, unit=_("nats a token"), note=seen),
        "text-copy": Measurement(float(copied), float(TIMES * by_chance), beside, unit=_("tokens"), note=seen),
    }
    pairs, copy = judge_all(config, TESTS, found)
    return replace(pairs, counted=_("{mean:.3f} nats a token", mean=gain.mean)), copy
