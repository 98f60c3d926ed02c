"""Every picture of every study, and the results that they draw: picked ones, else those of its page."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import Any

from attention_core.figures.matrix import MatrixView
from attention_core.measuring.run import run
from attention_core.studies import STUDIES as ALL
from attention_core.studies import (
    anatomy,
    biases,
    complexity,
    learning,
    masks,
    normalization,
    permutation,
    projections,
    receptive_field,
    scaling,
    trained,
    variants,
)
from attention_core.studies.anatomy import draw as draw_anatomy
from attention_core.studies.biases import draw as draw_biases
from attention_core.studies.complexity import draw as draw_complexity
from attention_core.studies.learning import draw as draw_learning
from attention_core.studies.masks import draw as draw_masks
from attention_core.studies.normalization import draw as draw_normalization
from attention_core.studies.permutation import draw as draw_permutation
from attention_core.studies.projections import draw as draw_projections
from attention_core.studies.receptive_field import draw as draw_field
from attention_core.studies.scaling import draw as draw_scaling
from attention_core.studies.trained import draw as draw_trained
from attention_core.studies.variants import draw as draw_variants
from tests.figures.times import CURVES, SHARES
from tests.pages.read import built, link_of, looks, page_of
from tests.texts import TOKENS

WORDS = tuple(token for token in TOKENS if " " not in token)[:10]
SIX = WORDS[:6]
ANATOMY = anatomy.AnatomyConfig(tokens=SIX, weights="random", causal=True, heads=4, dropout=0.5)
SHUFFLE = permutation.ShuffleConfig(tokens=SIX, query_order=(2, 0, 1, 5, 3, 4), key_order=(1, 2, 0, 3, 5, 4))
BIASES = biases.BiasesConfig(tokens=SIX)
WIDE = {"tokens": 6, "kinds": 5, "d_model": 16, "batch": 8, "steps": 20, "layers": 2, "heads": 2}
LEARNED = learning.LearningConfig(task="copy", back=1, causal=True, **WIDE)
SENTENCES = (SIX, ("a", "dog", "<b>slept</b>"), ("birds", "sing"))
SMALL = receptive_field.ReceptiveFieldConfig(heads=2, layers=2, tokens=9)
MASKED = {stack: masks.MasksConfig(sentences=SENTENCES, stack=stack) for stack in masks.STACKS}
PROJECTED = {topic: projections.ProjectionsConfig(topic=topic, tokens=WORDS, seed=2) for topic in projections.TOPICS}
NORMED = {topic: normalization.NormalizationConfig(topic=topic, seed=2, d_model=3) for topic in normalization.TOPICS}
VARIANTS = variants.VariantsConfig(tokens=SIX, num_kv_heads=4, positions="rotary", restart=True)
TRAINED = trained.TrainedConfig(factor=2.0, off=((0, 1), (1, 2)))


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
    "learning": lambda: measured(LEARNED),
    "answer": lambda: replace(learning.answer(of("learning").trained, tuple("abca")), said=tuple("bbca")),
    "a text": lambda: measured(learning.TextConfig(**{name: WIDE[name] for name in WIDE if name != "kinds"})),
    "heads": lambda: measured(learning.Ablation(trained=of("learning").trained, off=((1, 0),))),
    "seeds": lambda: measured(learning.SeedsConfig(runs=3, seed=4, **WIDE)),
    "several heads": lambda: measured(learning.CompareConfig(runs=2, **WIDE)),
    "other lengths": lambda: measured(learning.CompareConfig(runs=2, varies="positions", **WIDE)),
    **{stack: partial(measured, config) for stack, config in MASKED.items()},
    **{topic: partial(measured, config) for topic, config in (PROJECTED | NORMED).items()},
    "shuffle": lambda: measured(SHUFFLE),
    "laws": lambda: measured(SHUFFLE.unshuffled()),
    "terms of a score": lambda: measured(SHUFFLE, permutation.run_terms),
    "places moved on": lambda: measured(SHUFFLE.unshuffled(), permutation.run_along),
    "receptive_field": lambda: measured(SMALL),
    "random": lambda: measured(receptive_field.ReceptiveFieldConfig(weights="random", layers=2, tokens=12)),
    "scaling": lambda: measured(scaling.ScalingConfig(scale="power", alpha=0.4, num_queries=2000)),
    "lengths": lambda: measured(scaling.ScalingConfig(scale="power", alpha=0.4), scaling.run_lengths),
    "trained": lambda: measured(TRAINED),
    "named": lambda: measured(trained.HeadsConfig(seed=2)),
    "asked": lambda: measured(trained.AccuracyConfig(off=((0, 1), (1, 2)))),
    "variants": lambda: measured(VARIANTS),
    "picture": lambda: measured(scaling.ScalingConfig(), scaling.run_picture),
}


def of(name: str) -> Any:
    return RESULTS[name]()


STEPS = (
    *((step, "1") for step in ("pass", "tokens", "embed", "heads", "mask", "context", "merge", "output", "lookup")),
    ("scores", draw_anatomy.ALL), ("softmax", draw_anatomy.AVERAGE),
)  # fmt: skip


@cache
def views(study: str) -> dict[str, MatrixView]:
    """All views of a study by their names; the first has none of its own where the study says enough."""
    match study:
        case "anatomy":
            result = of("anatomy")
            made = {step: draw_anatomy.anatomy_view(ANATOMY, result, step=step[0], head=step[1]) for step in STEPS}
            return {" ".join(step): view for step, view in made.items()}
        case "biases":
            return {
                "terms": draw_biases.terms_view(of("terms"), of("biases"), "2"),
                "difference": draw_biases.difference_view(of("terms"), BIASES.size, "2"),
                "sizes": draw_biases.size_view(of("sweep"), "3"),
                "gradients": draw_biases.gradient_view(of("biases")),
                "residuals": draw_biases.residual_view(of("sweep")),
                "shift": draw_biases.shift_view(of("shift")),
                "mean": draw_biases.mean_view(of("mean")),
                "training": draw_biases.training_view(of("training")),
            }
        case "complexity":
            times = {"": None, "times": CURVES, "shares": SHARES}
            return {name: draw_complexity.complexity_view(of("complexity"), one) for name, one in times.items()}
        case "learning":
            return {
                "": draw_learning.learning_view(of("learning")),
                "gradients": draw_learning.gradients_view(of("learning").history),
                "answer": draw_learning.answer_view(of("answer"), causal=True),
                "heads": draw_learning.ablation_view(of("heads"), of("learning").score.accuracy),
                "seeds": draw_learning.seeds_view(of("seeds")),
                "a text": draw_learning.text_view(of("a text")),
                **{
                    name: draw_learning.compare_view(of(name).config, of(name))
                    for name in ("several heads", "other lengths")
                },
            }
        case "masks":
            chosen = (
                *product(("encoder",), draw_masks.VIEWS),
                ("decoder", "masks"),
                ("encoder-decoder", "weights"),
            )
            made = {f"{stack} {name}": draw_masks.masks_view(of(stack), name) for stack, name in chosen}
            config = MASKED["encoder"]
            return made | {
                "encoder forcing": draw_masks.forcing_view(config, measured(config, masks.run_forcing)),
                "encoder length": draw_masks.length_view(measured(config, masks.run_length)),
            }
        case "normalization":
            draw = draw_normalization.normalization_view
            made = {topic: draw(config, of(topic), (3, 1)) for topic, config in NORMED.items()}
            topic = "feed-forward"
            place = draw_normalization.place_view(of("block"))
            return made | {f"{topic} span": draw_normalization.span_view(of(topic), NORMED[topic]), "place": place}
        case "permutation":
            draw = partial(draw_permutation.shuffle_view, SHUFFLE, of("shuffle"))
            residuals = draw_permutation.residual_view(of("laws"))
            terms = draw_permutation.terms_view(SHUFFLE, of("terms of a score"), "2")
            along = draw_permutation.along_view(SHUFFLE, of("places moved on"), "2")
            shuffled = {"": draw(head="2"), "output": draw(quantity="output"), "residuals": residuals}
            return shuffled | {"terms": terms, "along": along}
        case "projections":
            draw = draw_projections.projections_view
            drawn = {topic: draw(config, of(topic)) for topic, config in PROJECTED.items()}
            curves = {f"{topic} curves": draw_projections.curves_view(of(topic)) for topic in PROJECTED}
            return drawn | {name: view for name, view in curves.items() if view}
        case "receptive_field":
            return {
                "": draw_field.reach_view(of("receptive_field")),
                "graph": draw_field.graph_view(
                    of("receptive_field"), growth=measured(SMALL.for_growth, receptive_field.run_table)
                ),
                "curve": draw_field.curve_view(of("random")),
                "kernel": draw_field.kernel_view(of("random")),
                "table": draw_field.table_view(measured(SMALL.for_table, receptive_field.run_table)),
            }
        case "trained":
            result, named = of("trained"), of("named")
            heads = draw_trained.by_place(result.shape)
            return {
                "": draw_trained.next_view(result, (1, 2), heads),
                "grid": draw_trained.grid_view(result, (0, 3)),
                "roles": draw_trained.roles_view(named, of("asked"), result.off, heads),
                "biases": draw_trained.bias_view(result),
                "order": draw_trained.order_view(result),
                "scores": draw_trained.scores_view(result, (0, 3)),
                "depth": draw_trained.depth_view(result),
            }
        case "variants":
            made = {name: draw_variants.variants_view(VARIANTS, of("variants"), name) for name in draw_variants.SHOWN}
            made["weights"] = draw_variants.variants_view(VARIANTS, of("variants"), "weights", head="3")
            return {"": made.pop("weights")} | made
        case "scaling":
            curves = {name: draw_scaling.curves_view(of("scaling"), name) for name in draw_scaling.TITLES}
            curves["lengths"] = draw_scaling.lengths_view(of("lengths"))
            return {"": draw_scaling.scaling_view(of("picture"), gradients=of("scaling")), **curves}
    links = [*looks(study), *(link_of(study, preset.settings) for preset in page_of(study).presets)]
    if study == "worth":  # it ranks effects, of which small ones change places by what a machine rounds in float32
        links = [{name: value for name, value in link.items() if name != "dtype"} for link in links]
    return {", ".join(link.values()): page_of(study).picture_of(*built(study, link)) for link in links}


STUDIES = tuple(study.name for study in ALL)


def view_of(name: str) -> MatrixView:
    """A view by its study and its name there, such as ``biases terms``."""
    study, _, which = name.partition(" ")
    return views(study)[which]
