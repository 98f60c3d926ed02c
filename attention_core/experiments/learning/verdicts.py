"""What the claims about learning say of a run, or of several, where theory decides it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from attention_core.experiments.judge import judge
from attention_core.experiments.learning.config import HELD_OUT, SUCCESS, LearningConfig
from attention_core.experiments.learning.result import Score, Share
from attention_core.experiments.verdict import Verdict

STANDARD_ERRORS: Final = 5.0
MOST: Final = 0.5
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
    continues = config.task == "induction"
    steps = _LEARNED.get((config.optimizer, config.learning_rate, config.task))
    return (
        steps is not None
        and config.steps >= steps
        and config.positions in ("sinusoidal", "learned")
        and config.causal == continues
        and config.layers == (2 if continues else 1)
        and config.heads == 1
        and config.tokens <= 16
        and 24 <= config.d_model <= 32
        and config.projections != "tied-qk"
        and config.placement == "pre"
        and config.score_spread <= MILD
        and config.batch >= (32 if continues else 16)
    )


def run_verdicts(config: LearningConfig, scores: Sequence[Score]) -> tuple[Verdict, ...]:
    """learn-order, of one run or several: none gets more right than the best model that is blind to order."""
    if not config.blind and not learns(config):
        return ()
    most = max(scores, key=lambda one: one.above_blind)
    runs = "one run" if len(scores) == 1 else f"the best of {len(scores)} runs"
    sees = "the causal mask tells how much came before" if config.positions == "none" else "positions tell the order"
    return (
        judge(config, "learn-order", most.above_blind, "≤", STANDARD_ERRORS * most.blind_error,
              says="beyond what is possible without order, the share that is right is",
              quantity="accuracy − best accuracy without order", cases=f"{runs}, {HELD_OUT} sequences each",
              broken="" if config.blind else sees),
    )  # fmt: skip


def rate_verdicts(config: LearningConfig, share: Share) -> tuple[Verdict, ...]:
    """learn-depth, learn-tied and learn-scale: how many of several runs reach 95 %, by the ends of its interval."""
    low: dict[str, Any] = {
        "says": f"of such runs, the share that reach {SUCCESS:.0%} is at least",
        "quantity": "lower end of the 95 % interval of the share",
        "cases": f"{share.reached} of {share.runs} runs",
    }
    high: dict[str, Any] = low | {
        "says": f"of such runs, the share that reach {SUCCESS:.0%} is at most",
        "quantity": "upper end of the 95 % interval of the share",
    }
    verdicts = []
    one_layer = config.task == "induction" and config.causal and config.layers == 1 and config.tokens >= 16
    if one_layer or (config.task == "induction" and learns(config)):
        because = "one layer cannot tell what stood before the token it looks for" if one_layer else ""
        verdicts.append(judge(config, "learn-depth", share.low, "≥", MOST, broken=because, **low))
    mutual = config.projections == "tied-qk" and _learns_untied(config)
    if mutual or (config.projections == "tied-kv" and learns(config)):
        because = "one matrix for queries and keys makes the scores mutual, and looking back is not" if mutual else ""
        verdicts.append(judge(config, "learn-tied", share.low, "≥", MOST, broken=because, **low))
    large = config.score_spread >= SATURATED and _starts_small(config)
    if config.scale == "none" and (large or learns(config)):
        because = "" if large else "scores start small without the factor, too"
        verdicts.append(judge(config, "learn-scale", share.high, "≤", MOST, broken=because, **high))
    return tuple(verdicts)


def _learns_untied(config: LearningConfig) -> bool:
    """Whether this is copying, which is not mutual, and would just be learned with W_Q and W_K of their own."""
    untied = replace(config, projections="full")
    return config.task == "copy" and config.steps <= 200 and learns(untied)


def _starts_small(config: LearningConfig) -> bool:
    """Whether the same would be learned from a small start, and the run is not long enough to come back from it."""
    small = replace(config, start=config.start * (MILD / config.score_spread) ** 0.5)
    return config.task == "reverse" and config.steps <= 400 and learns(small)
