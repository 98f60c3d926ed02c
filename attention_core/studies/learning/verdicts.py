"""What the claims about learning say of a run, or of several, where theory decides it or many runs were seen."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.judge import ClaimTest, Measurement, judge_all
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Verdict
from attention_core.studies.learning.result import Score, SuccessRate
from attention_core.studies.learning.settings import HELD_OUT, SUCCESS, LearningConfig
from attention_core.studies.learning.trainer import blind_shares

STANDARD_ERRORS: Final = 5.0
# Runs that were seen of each of the ledger's settings; of them at least that share went as usual. Of two layers that
# continue a sequence 265 of 288.
SEEN, RATE = 40, 0.97
DEPTH_SEEN, DEPTH_RATE = 288, 0.9
LEAST: Final = 0.25  # of such runs succeed, where they do; with six runs, four are told from that by their interval
SOME: Final = 0.05  # the same beside runs of which none does; two of six are told from that
CHANCE: Final = 1e-3  # that a verdict comes out wrong
SATURATED: Final = 16.0  # with scores that spread so far one key takes most of the weight (scale-sat)
MILD: Final = 1.0
# Optimizer, learning rate and task, and the steps after which nearly all of many runs were there.
_LEARNED: Final = {
    ("adamw", 0.01, "reverse"): 150,
    ("adamw", 0.01, "copy"): 150,
    ("adamw", 0.005, "sort"): 600,
    ("adamw", 0.01, "induction"): 300,
    ("sgd", 0.3, "reverse"): 200,
}


def learns(config: LearningConfig) -> bool:
    """Whether these are settings at which nearly all of many runs were seen to reach 95 %.

    Theory says what a model cannot learn, but not how long it takes to learn what it can. So for settings that were
    not tried, no claim about success is made.
    """
    return config.projections != "tied-qk" and config.start >= 0.25 and config.score_spread <= MILD and _tried(config)


def _tried(config: LearningConfig) -> bool:
    """Whether many runs of such a model were seen, but for what it starts from and which matrices are one."""
    continues = config.task == "induction"
    steps = _LEARNED.get((config.optimizer, config.learning_rate, config.task))
    return (
        steps is not None
        and config.steps >= steps
        and config.positions in ("sinusoidal", "learned")
        and config.causal == continues
        and config.layers == (2 if continues else 1)
        and config.heads == 1
        and 8 <= config.tokens <= (16 if continues else 12)
        and config.kinds <= 10
        and 24 <= config.d_model <= 32
        and (not continues or config.head_size <= config.d_model)  # six of six runs with heads of 256 learned nothing
        and config.placement == "pre"
        and config.batch >= (32 if continues else 16)
        and (config.task != "copy" or config.back <= 4)
    )


def compares(config: LearningConfig) -> bool:
    """Whether ``learn-tied`` is measured, for which the same is trained with three matrices of their own."""
    mutual = (
        config.projections == "tied-qk" and config.steps <= 200 and config.score_spread <= MILD and _tried(config)
    )
    return config.task == "copy" and (mutual or (config.projections == "tied-kv" and learns(config)))


def _too_few(config: LearningConfig, least: float = LEAST, rate: float = RATE) -> Open | None:
    """Whether chance alone may keep so many runs from the side on which nearly all of many were seen.

    Each run goes as usual with a probability of at least ``rate``. At 97 %, three or more of six do not with one of
    5e-4; at 90 %, five or more with one of 6e-5.
    """
    runs = config.repeats // (1 + compares(config))
    needed = next(
        (many for many in range(1, runs + 1) if SuccessRate(reached=many, runs=runs).low >= least), runs + 1
    )
    chance = sum(math.comb(runs, many) * rate**many * (1 - rate) ** (runs - many) for many in range(needed))
    return Open(_("{runs} runs are too few to tell their share", runs=runs)) if chance > CHANCE else None


def _depth(config: LearningConfig) -> Theory:
    if config.layers == 1 and config.heads > 1:
        several = _("one layer of several heads may look at all distances at once, and was seen to learn it")
        return Open(several)
    if few := _too_few(config, least=SOME, rate=DEPTH_RATE):
        return few
    alone = _("one layer of one head cannot tell what stood before the token it looks for")
    return Fails(alone) if config.layers == 1 else Holds()


def _tied(config: LearningConfig) -> Theory:
    """Without a chain of tokens that each look several slots back at the one before, mutual scores do little harm."""
    mutual = config.projections == "tied-qk"
    if mutual and (config.back == 1 or config.tokens < 4 * config.back):
        return Open(_("one slot back, or where few tokens are both asked and looked at, mutual scores may do"))
    if few := _too_few(config):
        return few
    back = _("one matrix for queries and keys makes the scores mutual, and looking back is not")
    return Fails(back) if mutual else Holds()


def _scale(config: LearningConfig) -> Theory:
    if few := _too_few(config):
        return few
    small = _("scores start small without the factor, too")
    return Holds() if config.score_spread >= SATURATED else Fails(small)


def _order(config: LearningConfig) -> Theory:
    if float(blind_shares(config).mean()) >= SUCCESS:
        return Open(_("what is asked for needs no order here, so there is nothing to tell"))
    return Holds() if config.order_blind else Fails(_("positions tell the order"))


ORDER: Final = ClaimTest(
    "learn-order", "≤", _("the share of right answers, less the best possible without order, is"),
    _("accuracy − best accuracy without order"), theory=_order,
)  # fmt: skip
_REACHED: Final = _("runs that reached {share:.0%}:", share=SUCCESS)
TESTS: Final = (
    ClaimTest("learn-depth", "≥", _REACHED, _("lower end of the 95 % interval of the share"), theory=_depth),
    ClaimTest("learn-tied", "≤", _REACHED, _("upper end of the 95 % interval of the shares' difference"),
              theory=_tied, rounds=False),
    ClaimTest("learn-scale", "≤", _REACHED, _("upper end of the 95 % interval of the share"), theory=_scale,
              rounds=False),
)  # fmt: skip


def run_verdicts(config: LearningConfig, scores: Sequence[Score]) -> tuple[Verdict, ...]:
    """learn-order, of one run or several: none gets more right than the best model that is blind to order."""
    if not config.order_blind and not learns(config):
        return ()
    most = max(scores, key=lambda one: one.above_blind)
    runs = _("one run") if len(scores) == 1 else _("the best of {runs} runs", runs=len(scores))
    cases = _("{runs}, {sequences} sequences each", runs=runs, sequences=HELD_OUT)
    hidden = 1 - (most.accuracy - most.above_blind)
    found = Measurement(most.above_blind, STANDARD_ERRORS * most.blind_error, cases, hidden)
    return judge_all(config, (ORDER,), {"learn-order": found})


def rate_verdicts(
    config: LearningConfig, share: SuccessRate, untied: SuccessRate | None = None
) -> tuple[Verdict, ...]:
    """learn-depth, learn-tied and learn-scale: how many of several runs reach 95 %, by the ends of its interval.

    Args:
        config: The settings.
        share: How many of its runs do.
        untied: How many of the same runs do with W_Q, W_K and W_V of their own, where ``compares(config)``.
    """
    found: dict[str, Measurement] = {}
    counted: dict[str, str] = {"learn-depth": _count(share), "learn-scale": _count(share)}
    seen = _("as it was in {share:.0%} of {runs} runs or more", share=RATE, runs=SEEN)
    cannot = config.task == "induction" and config.causal and config.layers == 1 and config.tokens >= 16
    if cannot or (config.task == "induction" and learns(config)):
        usual = _("as it was in {share:.0%} of {runs} runs or more", share=DEPTH_RATE, runs=DEPTH_SEEN)
        least = _("so of all such runs at least {share:.0%}, with 95 % confidence", share=share.low)
        found["learn-depth"] = Measurement(share.low, SOME, least, note=usual)
    if untied is not None:
        ahead = untied.most_ahead(share)
        counted["learn-tied"] = _(
            "{tied} with one matrix, {untied} with two", tied=_count(share), untied=_count(untied)
        )
        most = _("so two are ahead in at most {share:.0%} of all such runs, with 95 % confidence", share=ahead)
        found["learn-tied"] = Measurement(ahead, 1 - LEAST, most, note=seen)
    if config.scale == "none" and (learns(config) or _stuck(config)):
        most = _("so of all such runs at most {share:.0%}, with 95 % confidence", share=share.high)
        found["learn-scale"] = Measurement(share.high, 1 - LEAST, most, note=seen)
    verdicts = judge_all(config, TESTS, found)
    return tuple(replace(verdict, counted=counted[verdict.key]) for verdict in verdicts)


def _count(share: SuccessRate) -> str:
    return _("{reached} of {runs}", reached=share.reached, runs=share.runs)


def _stuck(config: LearningConfig) -> bool:
    """Whether the same would be learned from a small start, and the run is not long enough to come back from it."""
    return config.task == "reverse" and config.steps <= 400 and config.score_spread >= SATURATED and _tried(config)
