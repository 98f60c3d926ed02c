"""All that is drawn and said of every study, approved: views, sentences under other settings, proofs and tables."""

import dataclasses
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from attention_core.figures.matrix import MatrixView
from attention_core.figures.proof import ProofStep
from attention_core.figures.table import Table
from attention_core.language import sentences
from attention_core.studies import (
    anatomy,
    biases,
    complexity,
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
from attention_core.studies.anatomy.draw.steps import PER_HEAD
from attention_core.studies.biases import draw as draw_biases
from attention_core.studies.complexity import Fit
from attention_core.studies.complexity import draw as draw_complexity
from attention_core.studies.complexity.draw.view import rearranged_table
from attention_core.studies.learning import draw as draw_learning
from attention_core.studies.masks import draw as draw_masks
from attention_core.studies.normalization import draw as draw_normalization
from attention_core.studies.permutation import draw as draw_permutation
from attention_core.studies.projections import draw as draw_projections
from attention_core.studies.receptive_field import draw as draw_field
from attention_core.studies.scaling import draw as draw_scaling
from attention_core.studies.trained import draw as draw_trained
from attention_core.studies.variants import draw as draw_variants
from attention_core.studies.variants.crossing import TIMED
from tests.approved import lines
from tests.figures.outline import outline, proof_lines, table_lines, without_numbers
from tests.figures.times import CURVES, SHARES
from tests.figures.views import (
    ANATOMY,
    MASKED,
    NORMED,
    PROJECTED,
    SHUFFLE,
    SMALL,
    STUDIES,
    VARIANTS,
    measured,
    of,
    views,
)  # fmt: skip
from tests.sweeps import slow_of

pytestmark = pytest.mark.xdist_group("views")  # one worker draws them once for all

# Their numbers are left by rounding in lower precision, or by training.
ROUNDED = (
    "biases appendix",
    "biases sizes",
    "biases residuals",
    "biases shift",
    "biases training",
    "permutation residuals",
    "exactness float32, float32, 3",
    "exactness float16, float32, 3",
    "exactness batch",
)


@pytest.mark.parametrize("study", slow_of(STUDIES, "images", "learning", "trained", "worth"))
def test_views(study: str, approved: SnapshotAssertion) -> None:
    found = []
    for which, view in views(study).items():
        name = f"{study} {which}".strip()
        found.append(f"— {name}\n{outline(view, numbers=name not in ROUNDED and study != 'learning')}")
    assert "\n".join(found) == approved


# ---- what is said under other settings ----


def bias_terms(**settings: Any) -> MatrixView:
    config = biases.BiasesConfig(**settings)
    terms = biases.run_bias_sizes(config.without_size())
    return draw_biases.terms_view(terms, biases.run_biases(config))


def bias_difference(**settings: Any) -> MatrixView:
    return draw_biases.difference_view(biases.run_bias_sizes(biases.BiasModuleConfig(**settings)), 5.0, "1")


def anatomy_step(step: str, head: str = "1", cell: tuple[int, ...] = (), **settings: Any) -> MatrixView:
    config = anatomy.AnatomyConfig(**settings)
    view = draw_anatomy.anatomy_view(config, measured(config), step=step, head=head, cell=cell)
    how = (draw_anatomy.formula_line(config, step, head), draw_anatomy.code_line(config, step),
           draw_anatomy.shape_line(config, measured(config), step))  # fmt: skip
    return dataclasses.replace(view, summary=f"{view.summary}\n  {' ‖ '.join(how)}")


def shuffle(**settings: Any) -> MatrixView:
    order = (2, 0, 1)
    quantity = settings.pop("quantity", "weights")
    config = permutation.ShuffleConfig(
        **{"tokens": ("a", "b", "c"), "query_order": order, "key_order": order} | settings
    )
    return draw_permutation.shuffle_view(config, permutation.run_shuffle(config), quantity=quantity)


def added(**settings: Any) -> MatrixView:
    config = permutation.ShuffleConfig(**{"tokens": ("a", "b", "c")} | settings)
    return draw_permutation.terms_view(config, permutation.run_terms(config))


def moved_on(**settings: Any) -> MatrixView:
    config = permutation.PermutationConfig(**{"tokens": ("a", "b", "c")} | settings)
    return draw_permutation.along_view(config, permutation.run_along(config))


def residuals(**settings: Any) -> MatrixView:
    return draw_permutation.residual_view(permutation.run_permutation(permutation.PermutationConfig(**settings)))


def projected(**settings: Any) -> MatrixView:
    config = projections.ProjectionsConfig(**settings)
    return draw_projections.projections_view(config, measured(config))


def normed(**settings: Any) -> MatrixView:
    config = normalization.NormalizationConfig(**settings)
    return draw_normalization.normalization_view(config, measured(config))


ONE_WORD = masks.MasksConfig(sentences=(("a",),))


def spanned(**settings: Any) -> MatrixView:
    config = normalization.NormalizationConfig(topic="feed-forward", **settings)
    return draw_normalization.span_view(measured(config), config)


def masked(view: str, **settings: Any) -> MatrixView:
    return draw_masks.masks_view(measured(masks.MasksConfig(**settings)), view)


def field(draw: Callable[..., MatrixView] = draw_field.graph_view, *given: Any, **settings: Any) -> MatrixView:
    config = receptive_field.ReceptiveFieldConfig(**{"heads": 2, "layers": 2, "tokens": 9} | settings)
    return draw(measured(config), *given)


def scaled(**settings: Any) -> MatrixView:
    config = scaling.ScalingConfig(**{"num_queries": 2000} | settings)
    return draw_scaling.scaling_view(measured(config, scaling.run_picture), 64, measured(config))


def counted(times: Any = None, **settings: Any) -> MatrixView:
    config = complexity.ComplexityConfig(**{"num_queries": 64, "num_keys": 64, "d_model": 32} | settings)
    return draw_complexity.complexity_view(complexity.run_complexity(config), times)


def next_word(head: tuple[int, int] = (1, 0), **settings: Any) -> MatrixView:
    result = trained.run_trained(trained.TrainedConfig(**settings))
    return draw_trained.next_view(result, head, draw_trained.by_place(result.shape))


def model(draw: Callable[..., MatrixView], *given: Any, **settings: Any) -> MatrixView:
    return draw(trained.run_trained(trained.TrainedConfig(**settings)), *given)


def variant(show: str, **settings: Any) -> MatrixView:
    config = variants.VariantsConfig(**settings)
    if show == "saving":
        return draw_variants.saving_view(config, measured(config))
    return draw_variants.variants_view(config, measured(config), show)


def crossing(at: float) -> MatrixView:
    median = np.array([[1.0, 2, 4, 8, 16, *[np.nan] * 5], [4.0] * 6 + [np.nan] * 4]) / 1000
    made = {"sizes": np.array(TIMED), "median": median, "low": median * 0.9, "high": median * 1.2}
    return draw_variants.crossing_view(variants.CrossingResult.of(variants.CrossingConfig(), crossing=at, **made))


OFF = dict.fromkeys(("q_bias", "k_bias", "v_bias", "o_bias"), False)
VAGUE = dataclasses.replace(CURVES, fits=(Fit(0.404, -1.77, 2.58, 3), Fit(1.5, 1.0, 2.0, 3), CURVES.fits[2]))
ALL_OFF = tuple((layer, head) for layer in range(2) for head in range(4))
SETTINGS: dict[str, dict[str, Callable[[], MatrixView]]] = {
    "anatomy": {
        f"{step} {positions}": partial(anatomy_step, step, positions=positions)
        for positions in ("sinusoidal", "rotary", "alibi") for step in ("embed", "heads", "mask", "scores")
    } | {
        "no swap": partial(anatomy_step, "heads", no_transpose=True),
        "drawn": partial(anatomy_step, "heads", weights="random"),
        "cut by hand": partial(anatomy_step, "heads", weights="random", cut=True, heads=4),
        "dropout": partial(anatomy_step, "softmax", dropout=0.5),
        "dropout, context": partial(anatomy_step, "context", dropout=0.5),
        "average": partial(anatomy_step, "softmax", "average"),
        "softmax of a row": partial(anatomy_step, "softmax", "2", (8, 0, 3, 1), weights="random"),
        "one word": partial(anatomy_step, "qkv", tokens=("one",), heads=1),
        "one word, merge": partial(anatomy_step, "merge", tokens=("one",), heads=1),
    },
    "biases": {
        "rotary": partial(bias_terms, rotary=True), "one word": partial(bias_terms, tokens=("a",)),
        "one word and a sink": partial(bias_terms, tokens=("a",), zero_sink=True),
        "equal words": partial(bias_terms, tokens=("a",) * 3),
        "key bias alone": partial(bias_difference, **OFF | {"k_bias": True}),
        "key bias and a sink": partial(bias_difference, zero_sink=True, **OFF | {"k_bias": True}),
        "no bias": partial(bias_difference, **OFF),
        "gradients, one word": lambda: draw_biases.gradient_view(measured(biases.BiasesConfig(tokens=("a",)))),
        "gradients, no bias": lambda: draw_biases.gradient_view(measured(biases.BiasesConfig(**OFF))),
        "norms": lambda: draw_biases.norms_view(of("norms")),
        "norms, one word": lambda: draw_biases.norms_view(measured(biases.AfterNormConfig(tokens=("a",)))),
        "mean, input off 0": lambda: draw_biases.mean_view(measured(biases.MeanConfig(doublings=10, input_mean=1.0))),
        "appendix": lambda: draw_biases.appendix_view(of("appendix")),
    },
    "complexity": {
        "fused": partial(counted, fused=True, num_queries=200, num_keys=300),
        "no output": partial(counted, no_output=True),
        "times that do not tell": partial(counted, VAGUE),
        "no times": partial(counted, dataclasses.replace(CURVES, median=np.full((3, 4), np.nan))),
        "heads": partial(counted, dataclasses.replace(CURVES, config=dataclasses.replace(CURVES.config,
            sweep="heads"))),
        "no width": partial(counted, dataclasses.replace(SHARES, crossing=math.nan)),
    },
    "masks": {
        "no mask": partial(masked, "masks", unmasked=True),
        "no mask, padding": partial(masked, "padding", unmasked=True),
        "padding is NaN": partial(masked, "padding", padding="not-a-number"),
        "window": partial(masked, "masks", stack="encoder-decoder", side="left", window=1),
        "no padding": partial(masked, "masks", sentences=(("a", "b"), ("c", "d"))),
        "large scores": partial(masked, "additive", score_std=10000),
        "softmax alone": partial(masked, "empty", naive=True),
        "batch norm": partial(masked, "padding", batch_norm=True),
        "one pass": lambda: draw_masks.forcing_view(
            MASKED["decoder"], measured(MASKED["decoder"], masks.run_forcing)
        ),
        "one pass, one word": lambda: draw_masks.forcing_view(
            ONE_WORD, measured(ONE_WORD, masks.run_forcing)
        ),
        "a learned table": lambda: draw_masks.length_view(
            measured(masks.MasksConfig(positions="learned"), masks.run_length)
        ),
    },
    "normalization": {
        "evaluation": partial(normed, evaluation=True), "large eps": partial(normed, topic="length", eps=1.0),
        "small vectors": partial(normed, topic="length", input_std=0.001, d_model=3),
        "constant": partial(normed, topic="length", constant=True),
        "bias, own gammas": partial(normed, topic="bias", own_gammas=True),
        "block, causal": partial(normed, topic="block", causal=True),
        "attention instead": partial(normed, topic="feed-forward", attention_instead=True),
        "span": partial(spanned, d_model=12), "span, as many words": partial(spanned, d_model=5),
    },
    "permutation": {
        "in order": partial(shuffle, query_order=(), key_order=()), "keys": partial(shuffle, query_order=()),
        "keys, output": partial(shuffle, query_order=(), quantity="output"),
        "output": partial(shuffle, quantity="output"), "causal": partial(shuffle, mask="causal"),
        "positions": partial(shuffle, positions="sinusoidal"),
        "travelling positions": partial(shuffle, positions="rotary", carried=True),
        "keys alone": partial(shuffle, query_order=(), keys_alone=True), "alike": partial(shuffle, tokens=("a",) * 3),
        "orders, half": partial(residuals, dtype="float16"),
        "terms": partial(added, positions="learned"), "terms, none added": partial(added, query_order=(2, 0, 1)),
        "terms, a block out": partial(added, positions="sinusoidal", without_block=True),
        "along, none added": moved_on, "along, added": partial(moved_on, positions="learned"),
        "along, a full table": partial(moved_on, positions="learned", tokens=("a",) * 64),
        "terms, one word": partial(added, positions="sinusoidal", tokens=("a",), dtype="bfloat16"),
    },
    "projections": {
        "one word": partial(projected, tokens=("a",)),
        "one word, tied": partial(projected, topic="tied", tokens=("a",)),
        "one word, collapse": partial(projected, topic="collapse", tokens=("a",)),
        "spread": partial(projected, spread=0.9), "whole norms": partial(projected, whole_norms=True),
        "tied, rotary": partial(projected, topic="tied", positions="rotary"),
        "rank, causal": partial(projected, topic="rank", causal=True),
        "large heads": partial(projected, topic="rank", d_head=64),
        "gauge, rotary": partial(projected, topic="gauge", positions="rotary"),
        "gauge, norm": partial(projected, topic="gauge", qk_norm=True),
        "collapse, residual": partial(projected, topic="collapse", residual=True),
        "names, one side": partial(projected, topic="names", one_side=True),
        "names, causal": partial(projected, topic="names", causal=True),
        "names, one word": partial(projected, topic="names", tokens=("a",)),
        "fixed, frozen": partial(projected, topic="fixed", frozen=True, causal=True),
        "fixed, one word": partial(projected, topic="fixed", tokens=("a",)),
    },
    "receptive_field": {
        "an input": partial(field, draw_field.graph_view, (0, 3)),
        "below": partial(field, draw_field.graph_view, (1, 4)),
        "all before it": partial(field, draw_field.graph_view, (2, 4)),
        "positions overwritten": partial(field, write_positions=True), "no residual": partial(field, residual=False),
        "random": partial(field, weights="random"), "soft": partial(field, weights="soft"),
        "around": partial(field, wrap=True, layers=3),
        "soft curve": partial(field, draw_field.curve_view, weights="soft"),
        "less than possible": partial(field, draw_field.curve_view, weights="random", heads=3, tokens=64),
        "shared cells": partial(field, draw_field.reach_view, heads=1, layers=1, tokens=256, dtype="float32"),
        "one token": lambda: draw_field.table_view(
            measured(dataclasses.replace(SMALL, tokens=1).for_table, receptive_field.run_table)
        ),
    },
    "scaling": {
        "by the size": partial(scaled, scale="head"), "three keys": partial(scaled, num_keys=3, scale="root"),
        "one key": lambda: draw_scaling.curves_view(measured(scaling.ScalingConfig(num_queries=2000, num_keys=1)),
        "gradient"),
        "awaited": lambda: draw_scaling.curves_view(of("scaling"), "gradient", 64, awaited=True),
    },
    "trained": {
        "all on": next_word, "one off": partial(next_word, off=((1, 0),)),
        "that one off": partial(next_word, (1, 0), off=((1, 0),), model="induction"),
        "induction": partial(next_word, (0, 0), model="induction"),
        "reverse": partial(next_word, (0, 0), model="reverse"),
        "grid, all off": partial(model, draw_trained.grid_view, (0, 0), off=ALL_OFF),
        "own scale": partial(model, draw_trained.scores_view, (0, 3)),
        "no biases": lambda: draw_trained.bias_view(
            dataclasses.replace(of("trained"), biases=np.full_like(of("trained").biases, np.nan))
        ),
        "nothing to shuffle": partial(model, draw_trained.order_view, text=("the", "the")),
        "large": partial(model, draw_trained.large_view, (1, 0)),
        "roles without answers": lambda: draw_trained.roles_view(of("named"), None, (), draw_trained.by_place((2,
            4))),
        "roles of many": lambda: draw_trained.roles_view(of("named"), None, ((0, 1),), ()),
    },
    "variants": {
        "two heads": partial(variant, "wiring", num_kv_heads=2), "full": partial(variant, "wiring", num_kv_heads=8),
        "mixed up": partial(variant, "wiring", tiled=True), "repeated": partial(variant, "bytes", repeated=True),
        "cache": partial(variant, "cache", positions="rotary"), "causal": partial(variant, "weights", causal=True),
        "squared": partial(variant, "operations", quadratic=True), "saved": partial(variant,
        "saving", num_kv_heads=2),
        "saved, one word": partial(variant, "saving", tokens=("one",)),
        "never": partial(crossing, math.nan), "always": partial(crossing, 8.0), "from 256": partial(crossing, 256.0),
    },
}  # fmt: skip


def said_of(view: MatrixView) -> str:
    """What a view says, and in a line of its panels titles, notes, warnings and how much is hidden as what."""
    below = (
        f"{panel.title}: {sentences((panel.note, panel.warning))}".rstrip(": ")
        + (f" ({panel.hidden_as}: {panel.hidden.sum()})" if getattr(panel, "hidden", None) is not None else "")
        for panel in view.panels
    )
    return lines(f"{view.summary}\n  {' ‖ '.join(below)}")


@pytest.mark.parametrize("study", slow_of(SETTINGS, "scaling", "trained"))
def test_what_is_said_under_other_settings(study: str, approved: SnapshotAssertion) -> None:
    found = (f"— {name}\n{said_of(make())}" for name, make in SETTINGS[study].items())
    assert "\n".join(found) == approved


# ---- proofs and tables ----

LAWS = (permutation.steps_blocks, permutation.steps_order, permutation.run_depth)


def proofs() -> Iterator[tuple[str, tuple[ProofStep, ...]]]:
    yield "anatomy", draw_anatomy.proof(of("anatomy"), anatomy.HeadTimes(batched=1.5e-5, loop=4e-5))
    yield "biases", draw_biases.proof(of("biases"), of("terms"), 5.0, of("shift"), (of("sweep"),))
    yield "biases, training", (draw_biases.training_step(of("training"), of("training")),)
    off_0 = measured(biases.MeanConfig(doublings=10, input_mean=1.0))
    yield "biases, history", draw_biases.history(of("biases"), (off_0, of("norms")), rotary=False)
    yield "complexity", draw_complexity.proof(of("complexity"), CURVES)
    yield "learning", draw_learning.proof(of("learning"))
    yield "learning a text", draw_learning.text_proof(of("a text"))
    yield "masks", draw_masks.proof(MASKED["encoder"], of("encoder"))
    yield "masks, forcing", draw_masks.forcing_proof(measured(MASKED["decoder"], masks.run_forcing))
    yield "masks, length", draw_masks.length_proof(measured(MASKED["encoder"], masks.run_length))
    yield from ((topic, draw_projections.proof(of(topic))) for topic in PROJECTED)
    yield from ((topic, draw_normalization.proof(of(topic))) for topic in NORMED)
    broken = normalization.NormalizationConfig(topic="block", causal=True)
    yield "block, causal", draw_normalization.proof(measured(broken))
    built = (measured(SHUFFLE.unshuffled(), one) for one in LAWS)
    more = of("terms of a score"), of("places moved on")
    yield "permutation", draw_permutation.proof(of("shuffle"), of("laws"), *built, *more)
    yield "receptive_field", draw_field.proof(of("random"))
    yield "scaling", draw_scaling.proof(of("scaling"))
    yield "scaling, more keys", draw_scaling.lengths_proof(of("lengths"))
    yield "trained", draw_trained.proof(of("trained"), of("named"), of("asked"))
    yield "variants", draw_variants.proof(VARIANTS, of("variants"))


def test_proofs(approved: SnapshotAssertion) -> None:
    found = []
    for name, steps in proofs():
        text = proof_lines(steps)
        found.append(f"— {name}\n{without_numbers(text) if name.startswith(('biases', 'learning')) else text}")
    assert "\n".join(found) == approved


def tables() -> Iterator[tuple[str, Table]]:
    for step, head in (("scores", draw_anatomy.ALL), ("softmax", draw_anatomy.AVERAGE)):
        yield f"anatomy {step}", draw_anatomy.anatomy_table(ANATOMY, of("anatomy"), step=step, head=head)
    yield "biases", draw_biases.biases_table(of("biases"))
    yield "biases terms", draw_biases.terms_table(of("terms"), 5.0)
    yield "biases sizes", draw_biases.size_table(of("sweep"))
    for name in ("shift", "mean", "norms", "training", "appendix"):
        yield f"biases {name}", draw_biases.curve_table(of(name))
    for times in (None, CURVES, SHARES):
        yield "complexity", draw_complexity.complexity_table(of("complexity"), times)
    yield "learning", draw_learning.learning_table(of("learning").history)
    yield "learning seeds", draw_learning.seeds_table(of("seeds"))
    yield "learning a text", draw_learning.text_table(of("a text").run)
    for name in draw_masks.VIEWS:
        if name not in (draw_masks.FORCING, draw_masks.LENGTH):
            yield f"masks {name}", draw_masks.masks_table(of("encoder"), name)
    yield "masks forcing", draw_masks.forcing_table(measured(MASKED["encoder"], masks.run_forcing))
    yield "masks length", draw_masks.length_table(measured(MASKED["encoder"], masks.run_length))
    for topic, config in PROJECTED.items():
        yield f"projections {topic}", draw_projections.projections_table(config, of(topic))
    for topic, config in NORMED.items():
        yield f"normalization {topic}", draw_normalization.normalization_table(config, of(topic), (3, 1))
    yield "permutation", draw_permutation.shuffle_table(SHUFFLE, of("shuffle"))
    yield "permutation terms", draw_permutation.terms_table(SHUFFLE, of("terms of a score"))
    yield "permutation along", draw_permutation.along_table(SHUFFLE, of("places moved on"))
    yield "receptive_field", draw_field.receptive_field_table(of("random"))
    yield "scaling", draw_scaling.scaling_table(of("scaling"))
    yield "scaling, more keys", draw_scaling.lengths_table(of("lengths"))
    yield "trained", draw_trained.trained_table(of("trained"), of("named"), of("asked"))
    yield "variants", draw_variants.variants_table(VARIANTS, of("variants"))


def test_tables(approved: SnapshotAssertion) -> None:
    found = []
    for name, table in tables():
        assert {type(value) for row in table.rows for value in row} <= {str, int, float, bool}, name
        assert {len(row) for row in table.rows} == {len(table.columns)}, name
        text = table_lines(table)
        trained_or_rounded = name in ROUNDED or name.startswith("learning")
        found.append(f"— {name}\n{text.partition(chr(10))[0] if trained_or_rounded else text}")
    assert "\n".join(found) == approved


def test_what_libraries_call_true_and_lines_of_code(approved: SnapshotAssertion) -> None:
    conventions = draw_masks.conventions_table()
    lists = (" | ".join(map(str, row)) for row in (conventions.columns, *conventions.rows))
    counted = (draw_complexity.lines_table(of("complexity")), rearranged_table(of("complexity")))
    assert "\n".join((*lists, *counted)) == approved


# ---- how a number of a pass came about ----


def test_arithmetic_of_each_quantity(approved: SnapshotAssertion) -> None:
    plain = anatomy.AnatomyConfig(weights="random", seed=4)
    penalty = anatomy.AnatomyConfig(weights="random", causal=True, heads=4, positions="alibi", dropout=0.5)
    turned = anatomy.AnatomyConfig(weights="random", positions="rotary", no_transpose=True)
    many = anatomy.AnatomyConfig(tokens=("one",) * 12, positions="learned", biases=False, d_head=16)
    cells = (
        *((plain, name, 1) for name in draw_anatomy.QUANTITIES),
        *((penalty, name, 1) for name in ("slots", "masked", "weights", "applied", "context")),
        *((turned, name, 1) for name in ("slots", "q", "k", "v")),
        *((many, name, 0) for name in ("one_hot", "slots", "q_rows", "products", "weights", "output")),
        (penalty, "weights", 5), (penalty, "masked", 5), (penalty, "applied", 5),
    )  # fmt: skip
    found = []
    for config, name, column in cells:
        what = draw_anatomy.Shown(name, 1 if name in PER_HEAD else None)
        row = 1 if name == "reads" else 2  # whose rows are heads
        line = draw_anatomy.explain(config, measured(config), what, row, column)
        found.append(f"{name}: " + "".join(f"⟨{role[0]}⟩{part}" if role else part for part, role in line.parts))
    average = draw_anatomy.explain(plain, measured(plain), draw_anatomy.Shown("weights", -1), 2, 1)
    assert "\n".join((*found, average.text)) == approved
