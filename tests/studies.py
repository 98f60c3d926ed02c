"""Every experiment under random settings, in every precision: what is drawn, and what came of it."""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hypothesis import strategies as st

from attention_core.claims import claims
from attention_core.device import DTYPES
from attention_core.measuring.checks import MAX_SEED
from attention_core.measuring.config import RunConfig
from attention_core.measuring.run import run
from attention_core.measuring.settings import Choice, Setting, Whole, defaults
from attention_core.measuring.verdict import Result, Verdict
from attention_core.studies import STUDIES as ALL
from attention_core.studies import (
    biases,
    images,
    learning,
    masks,
    permutation,
    scaling,
    trained,
    worth,
)
from attention_core.studies.biases import steps_size_sweep
from tests.strategies import config, examples, value

LEARNS = ("float32", "float64")  # the precisions that a training run has


@dataclass(frozen=True)
class Tried:
    """What is tried of an experiment.

    Attributes:
        name: What it is called.
        config: Its settings.
        run: From a config to the result.
        limits: Settings that are drawn from fewer values than they may have, since others take too long.
        complete: From drawn values and a source of chance to further values of fields that are not declared.
        dtypes: The precisions it can be run in.
    """

    name: str
    config: type[RunConfig]
    run: Callable[[Any], Result]
    limits: Mapping[str, Setting] = field(default_factory=dict)
    complete: Callable[[dict[str, Any], random.Random], dict[str, Any]] = lambda _values, _chance: {}
    dtypes: tuple[str, ...] = tuple(DTYPES)


def orders(values: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """An order of queries, of keys, of both, or none that moves anything."""
    here = [list(range(len(values[name]))) for name in ("tokens", "context")]
    for order in here:
        if chance.random() < 0.8:
            chance.shuffle(order)
    queries, keys = map(tuple, here)
    together = not values["context"] and chance.random() < 0.6
    only = chance.choice(("queries", "keys"))
    return {
        "query_order": queries if together or only == "queries" else (),
        "key_order": queries if together else (keys or queries) if only == "keys" else (),
    }


def of_a_map(values: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """What a map may be asked for; it is trained for a few steps."""
    return {
        "optimizer": chance.choice(("adamw", "sgd")),
        "start": chance.choice((0.0, 0.25, 1.0, 4.0)),
        "steps": chance.randint(1, 40),
    }


def known_words(values: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """A text of words that the model knows, and heads that it has; a model that is brought is not drawn."""
    name = values["model"] if values["model"] != trained.OWN else "grammar"
    words = trained.ModelConfig(model=name).source.words[2:]
    text = tuple(chance.choices(words, k=chance.choice((1, 2, 3, 5, 8, 12))))
    off = tuple({(chance.randrange(2), chance.randrange(4)) for _ in range(chance.choice((0, 0, 1, 3)))})
    return {"model": name, "text": chance.choice((text, trained.EXAMPLES[name])), "off": off}


def known_worth(values: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """A text of words that the model knows, and a head that it has."""
    found = known_words(values, chance)
    return {"model": found["model"], "text": found["text"], "head": found["off"][0] if found["off"] else ()}


def run_cell(config: learning.MapConfig) -> Result:
    """One cell of a map, as what it is: a run like any other."""
    chance = random.Random(config.seed)
    return run(config.cell(chance.randrange(2), chance.randrange(4), chance.randrange(4)))


def near_the_ledger(values: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """What a claim about rates is measured with, switched off or on, and about two settings that a visitor moves."""
    several = [claim for claim in claims() if claim.config is learning.SeedsConfig]
    claim = chance.choice(several)
    switched = claim.breaks.options if claim.breaks and chance.random() < 0.5 else {}
    kept = defaults(learning.SeedsConfig) | dict(claim.options) | dict(switched)
    moved = chance.sample(("tokens", "kinds", "back", "heads", "layers", "causal", "d_model", "d_head", "start"), 2)
    shown = {"tokens": chance.choice((2, 3, 4, 8, 12, 16)), "d_model": chance.choice((24, 32, 64))}
    shown |= {"heads": chance.choice((1, 2, 8)), "layers": chance.choice((1, 2)), "back": chance.randint(1, 8)}
    changed = {name: shown.get(name, values[name]) for name in moved if chance.random() < 0.7}
    kept |= {"seed": values["seed"], "runs": chance.choice((2, 6, 6))}
    return {name: value for name, value in (kept | changed).items() if name not in ("dtype", "device")}


OWN = (  # the studies that have several experiments, take long, or have fields that are not declared
    Tried("permutation", permutation.PermutationConfig, permutation.run_permutation),
    Tried("permutation, blocks", permutation.PermutationConfig, partial(run, experiment=permutation.steps_blocks)),
    Tried("permutation, order", permutation.PermutationConfig, partial(run, experiment=permutation.steps_order)),
    Tried("permutation, depth", permutation.PermutationConfig, permutation.run_depth),
    Tried("permutation, terms", permutation.ShuffleConfig, permutation.run_terms, complete=orders),
    Tried("permutation, places moved on", permutation.PermutationConfig, permutation.run_along),
    Tried("permutation, one shuffle", permutation.ShuffleConfig, permutation.run_shuffle, complete=orders),
    Tried("biases", biases.BiasesConfig, biases.run_biases),
    Tried("biases, growing", biases.BiasesConfig, lambda one: run(one.key_sweep(), experiment=steps_size_sweep)),
    Tried("biases, norms", biases.AfterNormConfig, biases.run_after_norm),
    Tried("biases, mean", biases.MeanConfig, biases.run_mean, {"doublings": Whole(8, 12, label="")}),
    Tried("biases, training", biases.TrainingConfig, run, {"steps": Whole(10, 30, label="")}),
    Tried("masks", masks.MasksConfig, run),
    Tried("masks, teacher forcing", masks.MasksConfig, masks.run_forcing),
    Tried("masks, any length", masks.MasksConfig, masks.run_length),
    Tried("scaling", scaling.ScalingConfig, run),
    Tried("scaling, more keys", scaling.ScalingConfig, partial(run, experiment=scaling.run_lengths)),
    Tried("images", images.ImagesConfig, run, {"weights": Choice({"shipped": "", "untrained": ""}, label="")}),
    Tried("trained", trained.TrainedConfig, run, complete=known_words),
    Tried("what a weight is worth", worth.WorthConfig, run, complete=known_worth),
    Tried(
        "learning",
        learning.LearningConfig,
        run,
        {"steps": Whole(1, 60, label=""), "tokens": Whole(2, 16, label=""), "batch": Whole(1, 32, label="")},
        dtypes=LEARNS,
    ),
    Tried("learning, several seeds", learning.SeedsConfig, run, complete=near_the_ledger, dtypes=LEARNS),
    Tried("learning, a map's cells", learning.MapConfig, run_cell, complete=of_a_map, dtypes=LEARNS),
)
STUDIES = (
    *OWN,
    *(Tried(str(study.title), study.config, run) for study in ALL if study.config not in {one.config for one in OWN}),
)


def settings(study: Tried, dtype: str, count: int, seed: int = 0) -> list[RunConfig]:
    """Random settings of a study in one precision."""
    study.config(
        dtype=dtype, device="cpu"
    )  # what is imported for it is, before Hypothesis watches what draws numbers
    limits = {name: value(one) for name, one in study.limits.items()}
    fixed = {"dtype": st.just(dtype), "device": st.just("cpu"), "seed": st.integers(0, MAX_SEED)}
    return examples(config(study.config, study.complete, **fixed | limits), count, (study.name, dtype, seed))


def surprises(study: Tried, dtype: str, count: int, seed: int = 0) -> tuple[Counter[str], list[tuple[Any, Verdict]]]:
    """How often each outcome came up, and the settings and verdicts that surprise.

    Args:
        study: What is tried.
        dtype: The precision.
        count: How many settings.
        seed: Another seed draws others.
    """
    outcomes: Counter[str] = Counter()
    found = []
    for asked in settings(study, dtype, count, seed):
        for verdict in study.run(asked).verdicts:
            outcomes[verdict.outcome] += 1
            if verdict.surprises:
                found.append((asked, verdict))
    return outcomes, found
