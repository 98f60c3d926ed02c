"""Every picture of every study, under one setting of each, and the results that they draw."""

from collections.abc import Callable
from functools import cache, partial
from itertools import product
from typing import Any

from attention_core.experiments import (
    anatomy,
    biases,
    complexity,
    learning,
    masking,
    normalization,
    permutation,
    projections,
    receptive_field,
    scaling,
)
from attention_core.experiments.run import run
from attention_core.figures import anatomy as draw_anatomy
from attention_core.figures import biases as draw_biases
from attention_core.figures import complexity as draw_complexity
from attention_core.figures import learning as draw_learning
from attention_core.figures import masking as draw_masking
from attention_core.figures import normalization as draw_normalization
from attention_core.figures import permutation as draw_permutation
from attention_core.figures import projections as draw_projections
from attention_core.figures import receptive_field as draw_reach
from attention_core.figures import scaling as draw_scaling
from attention_core.figures.matrix import MatrixView
from tests.figures.times import CURVES, SHARES
from tests.texts import TOKENS

WORDS = tuple(token for token in TOKENS if " " not in token)[:10]
SIX = WORDS[:6]
ANATOMY = anatomy.AnatomyConfig(tokens=SIX, weights="random", causal=True, heads=4, dropout=0.5)
SHUFFLE = permutation.ShuffleConfig(tokens=SIX, query_order=(2, 0, 1, 5, 3, 4), key_order=(1, 2, 0, 3, 5, 4))
BIASES = biases.BiasesConfig(tokens=SIX)
WIDE = {"tokens": 6, "kinds": 5, "d_model": 16, "batch": 8, "steps": 20, "layers": 2, "heads": 2}
SENTENCES = (SIX, ("a", "dog", "<b>slept</b>"), ("birds", "sing"))
SMALL = receptive_field.ReceptiveFieldConfig(heads=2, layers=2, tokens=9)
MASKED = {stack: masking.MaskingConfig(sentences=SENTENCES, stack=stack) for stack in masking.STACKS}
PROJECTED = {topic: projections.ProjectionsConfig(topic=topic, tokens=WORDS, seed=2) for topic in projections.TOPICS}
NORMED = {topic: normalization.NormalizationConfig(topic=topic, seed=2, d_model=3) for topic in normalization.TOPICS}


@cache
def trained() -> Any:
    return run(learning.LearningConfig(task="copy", back=1, causal=True, **WIDE))


@cache
def measured(config: Any, experiment: Any = None) -> Any:
    return run(config, experiment=experiment)


RESULTS: dict[str, Callable[[], Any]] = {
    "anatomy": lambda: measured(ANATOMY),
    "terms": lambda: measured(BIASES.without_size(), biases.run_bias_sizes),
    "biases": lambda: measured(BIASES),
    "sweep": lambda: measured(BIASES.key_sweep(), biases.steps_size_sweep),
    "shift": lambda: measured(BIASES.without_size(), biases.run_shift),
    "mean": lambda: measured(biases.MeanConfig(doublings=10)),
    "training": lambda: measured(biases.TrainingConfig(dtype="float32", steps=20)),
    "norms": lambda: measured(biases.AfterNormConfig(tokens=SIX)),
    "appendix": lambda: measured(biases.AppendixConfig()),
    "complexity": lambda: measured(complexity.ComplexityConfig(num_queries=32, num_keys=64, d_model=32, num_heads=4)),
    "learning": trained,
    "answer": lambda: learning.answer(trained().trained, tuple("abca")),
    "heads": lambda: measured(learning.Ablation(trained=trained().trained, off=((1, 0),))),
    "seeds": lambda: measured(learning.SeedsConfig(runs=3, seed=4, **WIDE)),
    **{stack: partial(measured, config) for stack, config in MASKED.items()},
    **{topic: partial(measured, config) for topic, config in (PROJECTED | NORMED).items()},
    "shuffle": lambda: measured(SHUFFLE),
    "laws": lambda: measured(SHUFFLE.unshuffled()),
    "reach": lambda: measured(SMALL),
    "random": lambda: measured(receptive_field.ReceptiveFieldConfig(weights="random", layers=2, tokens=12)),
    "scaling": lambda: measured(scaling.ScalingConfig(scale="power", alpha=0.4, num_queries=2000)),
    "picture": lambda: measured(scaling.ScalingConfig(), scaling.run_picture),
}


def of(name: str) -> Any:
    return RESULTS[name]()


STEPS = [(step, head) for step in draw_anatomy.STEP_NAMES for head in ("1", draw_anatomy.ALL, draw_anatomy.AVERAGE)]
VIEWS: dict[str, Callable[[], MatrixView]] = {
    **{
        f"anatomy {step} {head}": lambda step=step, head=head: draw_anatomy.anatomy_view(
            ANATOMY, of("anatomy"), step=step, head=head
        )
        for step, head in STEPS
    },
    "biases terms": lambda: draw_biases.terms_view(of("terms"), "2"),
    "biases difference": lambda: draw_biases.difference_view(of("terms"), "2"),
    "biases sizes": lambda: draw_biases.size_view(of("sweep"), "3"),
    "biases gradients": lambda: draw_biases.gradient_view(of("biases")),
    "biases residuals": lambda: draw_biases.residual_view(of("sweep")),
    "biases shift": lambda: draw_biases.shift_view(of("shift")),
    "biases mean": lambda: draw_biases.mean_view(of("mean")),
    "biases training": lambda: draw_biases.training_view(of("training")),
    "complexity": lambda: draw_complexity.complexity_view(of("complexity")),
    "complexity times": lambda: draw_complexity.complexity_view(of("complexity"), CURVES),
    "complexity shares": lambda: draw_complexity.complexity_view(of("complexity"), SHARES),
    "learning": lambda: draw_learning.learning_view(of("learning").history),
    "learning gradients": lambda: draw_learning.gradients_view(of("learning").history),
    "learning answer": lambda: draw_learning.answer_view(of("answer"), causal=True),
    "learning heads": lambda: draw_learning.ablation_view(of("heads"), of("learning").score.accuracy),
    "learning seeds": lambda: draw_learning.seeds_view(of("seeds")),
    **{
        f"masking {stack} {name}": lambda stack=stack, name=name: draw_masking.masking_view(of(stack), name)
        for stack, name in product(masking.STACKS, draw_masking.VIEWS)
    },
    **{
        f"normalization {topic}": lambda topic=topic: draw_normalization.normalization_view(
            NORMED[topic], of(topic), (3, 1)
        )
        for topic in normalization.TOPICS
    },
    "permutation": lambda: draw_permutation.shuffle_view(SHUFFLE, of("shuffle")),
    "permutation head": lambda: draw_permutation.shuffle_view(SHUFFLE, of("shuffle"), head="2"),
    "permutation output": lambda: draw_permutation.shuffle_view(SHUFFLE, of("shuffle"), quantity="output"),
    "permutation residuals": lambda: draw_permutation.residual_view(of("laws")),
    **{
        f"projections {topic}": lambda topic=topic: draw_projections.projections_view(PROJECTED[topic], of(topic))
        for topic in projections.TOPICS
    },
    **{
        f"projections {topic} curves": lambda topic=topic: draw_projections.curves_view(of(topic))
        for topic in projections.TOPICS
        if topic != "gauge"
    },
    "reach": lambda: draw_reach.reach_view(of("reach")),
    "reach graph": lambda: draw_reach.graph_view(of("reach")),
    "reach curve": lambda: draw_reach.curve_view(of("random")),
    "reach kernel": lambda: draw_reach.kernel_view(of("random")),
    "reach table": lambda: draw_reach.table_view(measured(SMALL.tabled, receptive_field.run_table)),
    "scaling": lambda: draw_scaling.scaling_view(of("picture")),
    **{
        f"scaling {name}": lambda name=name: draw_scaling.curves_view(of("scaling"), name)
        for name in draw_scaling.TITLES
    },
}
