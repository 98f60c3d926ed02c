"""What every picture promises: what is drawn was measured, axes say what they are, texts stay as they were typed."""

import csv
import io
import json
import re
from collections.abc import Iterator
from itertools import product
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from attention_core.experiments import (
    anatomy,
    masking,
    permutation,
)
from attention_core.experiments.number_format import format_number
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
from attention_core.figures import trained as draw_trained
from attention_core.figures import variants as draw_variants
from attention_core.figures.charts import panel_figure, view_figure
from attention_core.figures.matrix import (
    AreasPanel,
    BarsPanel,
    GraphPanel,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Panel,
)
from attention_core.figures.plot import escape
from attention_core.figures.proof import ProofStep
from attention_core.figures.svg import view_svgs
from attention_core.figures.table import Table, panel_table, table_csv
from attention_core.figures.theme import ROLE_COLOURS
from tests.figures.times import CURVES
from tests.figures.views import (
    ANATOMY,
    MASKED,
    NORMED,
    PROJECTED,
    SHUFFLE,
    SIX,
    STEPS,
    STUDIES,
    TRAINED,
    VARIANTS,
    WORDS,
    measured,
    of,
    view_of,
    views,
)  # fmt: skip

# Views of typed tokens that show none of them.
CURVE = (
    "wiring",
    "gradients",
    "residuals",
    "shift",
    "mean",
    "training",
    "curves",
    "bytes",
    "operations",
    "roles",
    "biases",
    "order",
    "scores",
    "depth",
)
TYPED = {
    "anatomy": SIX,
    "biases": SIX,
    "projections": WORDS,
    "permutation": SIX,
    "variants": SIX,
    "trained": TRAINED.spelled()[1],
}


def axes(panel: Panel) -> list[Any]:
    match panel:
        case MatrixPanel(rows=rows, columns=columns):
            return [rows, columns]
        case BarsPanel(labels=labels) | AreasPanel(labels=labels):
            return [labels]
        case GraphPanel(layers=layers, tokens=tokens):
            return [layers, tokens]
    return []


# Bars and curves of queries, keys, values and outputs themselves: their biases, gradients, what a shuffle moves.
THEIRS = {"biases": ("gradients", "training"), "trained": ("biases",), "permutation": ("residuals",),
          "learning": ("gradients",)}  # fmt: skip


def worn(panel: Panel) -> set[str | None]:
    """Which roles or tones bars and curves wear."""
    match panel:
        case BarsPanel(role=role):
            return {*role} if isinstance(role, tuple) else {role}
        case LinesPanel(colours=colours):
            return {*colours}
    return set()


@pytest.mark.parametrize("study", STUDIES)
def test_the_colours_of_queries_keys_values_and_outputs_mean_nothing_else(study: str) -> None:
    roles = {*ROLE_COLOURS["light"]}
    found = {f"{name}: {panel.title}" for name, one in views(study).items() for panel in one.panels
             if worn(panel) & roles and name not in THEIRS.get(study, ())}  # fmt: skip
    assert found == set()


@pytest.mark.parametrize("study", STUDIES)
def test_violet_is_weights_and_shares_and_one_sign_is_ink(study: str) -> None:
    for name, one in views(study).items():
        for panel in one.panels:
            if not isinstance(panel, MatrixPanel) or panel.cells == "allowed":
                continue
            where = f"{name}: {panel.title}, {panel.quantity}"
            is_share = panel.quantity.startswith(("weight", "mean weight", "mean, weight", "mean largest weight",
                                                  "probability", "accuracy", "share", "∂ output"))  # fmt: skip
            is_share &= panel.quantity != "weight of W_O"
            assert (panel.palette == "sequential") == is_share or panel.palette == "compared", where
            finite = panel.shown[np.isfinite(panel.shown)]
            signs = {*np.sign(finite).tolist()} - {0.0}
            if not is_share and len(signs) == 2 and panel.scale == "diverging":
                assert panel.palette == "diverging", where
            if signs and panel.palette == "diverging" and panel.limits is None:
                assert signs == {-1.0, 1.0}, where
            if panel.role:
                assert panel.title.lower().startswith((panel.role, "quer", "after", "as w", "not s", "put")), where


POWER = re.compile(r"\de[-−+]?\d")


@pytest.mark.parametrize("study", STUDIES)
def test_no_number_in_sight_is_written_with_an_e(study: str) -> None:
    for name, one in views(study).items():
        drawn = " ".join(text for svg in view_svgs(one) for text in ElementTree.fromstring(svg).itertext())
        assert not POWER.search(" ".join((drawn, one.summary, *(one.sweep.values if one.sweep else ())))), name


def limits(panel: Panel) -> list[tuple[float, float]]:
    match panel:
        case MatrixPanel():
            return [panel.colour_limits]
        case BarsPanel() | AreasPanel():
            return [panel.height_limits]
        case LinesPanel():
            return [panel.y_limits]
    return []


@pytest.mark.parametrize("study", STUDIES)
def test_a_view_says_what_it_shows_and_shows_texts_as_they_were_typed(study: str) -> None:
    typed = TYPED.get(study, ())
    for name, one in views(study).items():
        figure = json.dumps(view_figure(one, one.steps - 1).to_dict(), ensure_ascii=False, default=repr)
        assert not any(markup in figure for markup in ("<b>x</b>", "%{z}", "$x$")), name
        panel_figure(one.panels[0], one.steps - 1, mode="dark")
        shown = False
        for panel, drawn in zip(one.panels, view_svgs(one), strict=True):
            assert panel.title
            assert all(axis.title and axis.role in (None, *ROLE_COLOURS["light"]) for axis in axes(panel)), name
            assert (panel.x_title and panel.y_title) if isinstance(panel, LinesPanel) else panel.quantity
            for low, high in limits(panel):
                assert low < high
                assert np.isfinite((low, high)).all()
            table = panel_table(panel, one.steps - 1)
            (columns, *rows) = csv.reader(io.StringIO(table_csv(table).removeprefix("\ufeff")))
            assert all(len(row) == len(columns) == len(table.columns) for row in rows)
            words = [text.text for text in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
            for axis in axes(panel):
                if typed and axis.title in ("query", "key", "token") and len(axis.labels) >= len(typed):
                    shown = True
                    assert sorted(axis.labels[: len(typed)]) == sorted(typed)
                    assert {text for text in typed if len(text) < 12} <= set(words), "some are cut"
                    assert all(json.dumps(escape(text), ensure_ascii=False)[1:-1] in figure for text in typed)
        assert not typed or shown or name.split()[-1] in CURVE, name


def drawn(view: MatrixView) -> dict[str, np.ndarray]:
    """What is drawn, by the title of its panel or the name of its curve."""
    found: dict[str, np.ndarray] = {}
    for panel in view.panels:
        match panel:
            case LinesPanel(series=series):
                found |= {one.name: one.values for one in series}
            case BarsPanel() | MatrixPanel():
                found[panel.title] = panel.values
            case AreasPanel(areas=areas):
                found |= {f"{panel.title}, {one.name}": one.values for one in areas}
    return found


def each(attribute: str, *titles: str) -> dict[str, str]:
    """One attribute for each title, numbered where it has a #."""
    return {title: attribute.replace("#", str(at)) for at, title in enumerate(titles)}


def sides(**parts: str) -> dict[str, str]:
    """Of each factor's curves those that are drawn, by what follows the factor's name."""
    factors = {"unscaled": "unscaled", "× 1/√d_head": "scaled", "× d_head^−0.4": "chosen"}
    return {f"{name}{more}": f"{side}.{one}" for name, side in factors.items() for one, more in parts.items()}


ALL = ("float64", "float32", "bfloat16", "float16")
MODULES = ("Encoder self-attention", "Decoder self-attention", "Decoder cross-attention")
BLOCKS = ("Pre-norm: x + f(N(x))", "Post-norm: N(x + f(x))", "Residual post-norm: x + N(f(x))")
# Of each view the result it draws, and by title or name what of it is drawn.
DRAWN: dict[str, tuple[str, dict[str, str]]] = {
    "biases terms": ("terms", each("terms[:, #, 1]", "W_Q xᵢ · W_K xⱼ", "W_Q xᵢ · b_K", "b_Q · W_K xⱼ", "b_Q · b_K")),
    "biases difference": (
        "terms",
        each("scores_change[:, 1]", "Scores: with − without")
        | each("weights_change[:, 1]", "Weights: with − without")
        | each("output_change", "Output: with − without"),
    ),
    "biases sizes": ("sweep", each("weights[#, :, 2]", *ALL)),
    "biases residuals": (
        "sweep", each("residuals[#]", *ALL) | each("bounds[#]", *(f"{name}, bound" for name in ALL))
    ),
    "biases shift": ("shift", each("residuals[#]", *ALL)),
    "biases mean": ("mean", {"measured": "errors", "standard error": "expected_errors"}),
    "biases training": (
        "training",
        each("norms[0, :, #]", "b_Q (SGD)", "b_K (SGD)", "b_V (SGD)", "b_O (SGD)")
        | each("norms[1, :, #]", "b_Q (Adam)", "b_K (Adam)", "b_V (Adam)", "b_O (Adam)"),
    ),
    "complexity": (
        "complexity",
        each("map_share", "Scores' share of FLOPs")
        | each("over_n[#]", "projections", "scores")
        | each("formula_over_n[#]", "projections, by formula", "scores, by formula"),
    ),
    "learning": (
        "learning",
        each("history.attention[:, 0, #]", "Layer 1, head 1", "Layer 1, head 2")
        | each("history.attention[:, 1, #]", "Layer 2, head 1", "Layer 2, head 2")
        | {"this model": "history.loss", "best without order": "history.blind", "chance": "history.chance"},
    ),
    "learning answer": (
        "answer",
        each("attention[0, #]", "Layer 1, head 1", "Layer 1, head 2")
        | each("attention[1, #]", "Layer 2, head 1", "Layer 2, head 2")
        | each("probabilities", "Its answer"),
    ),
    "masking encoder masks": ("encoder", each("modules[0].seen[#]", "Sentence 1", "Sentence 2", "Sentence 3")),
    "masking decoder masks": ("decoder", each("modules[0].seen[#]", "Sentence 1", "Sentence 2", "Sentence 3")),
    "masking encoder-decoder masks": (
        "encoder-decoder", each("modules[#].seen.reshape(-1, result.modules[#].seen.shape[2])", *MODULES)
    ),
    "masking encoder weights": (
        "encoder",
        {"Sentence 2, masked": "modules[0].weights[1]", "Sentence 3, masked": "modules[0].weights[2]",
         "Sentence 2, no mask": "modules[0].unmasked[1]", "Sentence 3, no mask": "modules[0].unmasked[2]"},
    ),
    "masking encoder padding": ("encoder", each("moved", "How far each output moves")),
    "masking encoder additive": (
        "encoder",
        each("additive.difference[#]", *ALL)
        | each("additive.row", "All keys −10000, against no mask")
        | each("additive.uniform", "All keys −10000, against equal weights"),
    ),
    "masking encoder empty": (
        "encoder",
        each("blind_naive.weights[#]", "Softmax alone, layer 1", "Softmax alone, layer 2")
        | each("blind.weights[#]", "This module, layer 1", "This module, layer 2"),
    ),
    "normalization dependence": (
        "dependence", each("jacobians[#, 3, 1]", "LayerNorm", "RMSNorm", "BatchNorm, training")
    ),
    "normalization length": (
        "length", {"Before": "before[:12]", "After LayerNorm": "after[:12]", "Length ‖y − β1‖": "lengths[:12]"}
    ),
    "normalization bias": (
        "bias",
        each("moved[#]", "BatchNorm, all of b", "LayerNorm, mean of b", "LayerNorm, the rest", "RMSNorm, all of b"),
    ),
    "normalization block": ("block", each("left[#]", *BLOCKS)),
    "permutation": (
        "shuffle",
        {"As written": "weights_before.mean(0)", "After the shuffle": "weights_after.mean(0)",
         "Put back in order": "weights_undone.mean(0)",
         "Difference after undoing": "weights_undone.mean(0) - result.weights_before.mean(0)"},
    ),
    "permutation head": ("shuffle", {"As written": "weights_before[1]", "After the shuffle": "weights_after[1]"}),
    "permutation output": (
        "shuffle",
        {"As written": "output_before", "After the shuffle": "output_after", "Put back in order": "output_undone"},
    ),
    "projections identity": (
        "identity",
        each("weights[#]", "No projections", "Random W_Q, W_K")
        | each("weights.diagonal(0, -2, -1).mean((1, 2))", "Mean weight on itself, all heads"),
    ),
    "projections tied": (
        "tied",
        {"Scores, W_Q = W_K": "scores", "Weights A": "weights",
         "A − Aᵀ": "weights - result.weights.swapaxes(1, 2)"},
    ),
    "projections gauge": (
        "gauge",
        {"W_Q": "q_weight_before", "W_Q in another basis": "q_weight_after", "Output": "output_before",
         "Output in another basis": "output_after"},
    ),
    "projections rank": (
        "rank",
        {"Scores": "scores", "Singular values of the scores": "score_values",
         "Singular values of the weights": "weight_values"},
    ),
    "projections collapse": ("collapse", each("distances[#]", "Attention alone", "With the residual")),
    "projections identity curves": (
        "identity", each("own[#]", "no projections", "random W_Q, W_K") | each("predicted", "equal norms, in theory")
    ),
    "projections tied curves": ("tied", each("parameters", "Parameters of the module")),
    "projections rank curves": ("rank", each("ranks[#]", "scores", "log weights", "weights")),
    "projections collapse curves": ("collapse", each("left[#]", "attention alone", "with the residual")),
    "reach": (
        "reach",
        {
            "Seen, along the largest weights": "sees",
            "Weight of all paths, by the gradient": "paths / result.paths.max(-1, keepdims=True)",
        },
    ),
    "reach curve": (
        "random",
        {"along the largest weights": "reach_graph[:, -1]", "by the gradient": "reach_autograd[:, -1]"},
    ),
    "reach kernel": (
        "random", {"Weight at each distance, mean": "kernel.weights", "Its spread over the tokens": "kernel.spread"}
    ),
    "scaling": (
        "picture",
        {f"{title}, {name}": f"{side}.{one}" for name, side in (("unscaled", "chosen"), ("× 1/√d_head", "beside"))
         for title, one in (("Scores", "scores"), ("Jacobian", "jacobian"))}
        | {f"{title}, {name}": f"{side}.{one}" for name, side in (("unscaled", "chosen"), ("÷ √d", "beside"))
           for title, one in (("1  The scores spread", "shares"), ("2  softmax picks a winner", "ranked"))},
    ),
    "variants": (
        "variants",
        {"Full, 8 heads": "full.mean(0)", "Grouped": "grouped.mean(1)",
         "Multi-query": "grouped[0].mean(0)", "Linear": "linear.mean(0)"},
    ),
    "variants head": ("variants", {"Full, 8 heads": "full[2]", "Grouped": "grouped[:, 2]"}),
    "variants bytes": (
        "variants",
        {name: f"token_bytes[{at}] * 2.0 ** np.arange(8)"
         for at, name in ((0, "1 head"), (2, "4 heads"), (3, "8 heads, full"))}
        | {"Parameters of the layer": "parameters"},
    ),
    "variants operations": ("variants", {"softmax": "softmax_flops", "linear": "linear_flops"}),
    "trained": (
        "trained",
        {"Where “cabinet” looks": "weights[:, :, -1].reshape(8, -1)", "Next word: “move”": "probabilities"},
    ),
    "trained grid": (
        "trained",
        {"All heads": "weights.transpose(0, 2, 1, 3).reshape(12, 24)", "Layer 1, head 4": "weights[0, 3]",
         "Entropy of a row": "entropy", "How far it looks back": "distance", "Weight on the first token": "first"},
    ),
    "trained roles": ("named", {"What each head looks at": "scores.reshape(4, -1).T"}),
    "trained biases": ("trained", {"Without one bias of one layer": "biases.T.ravel()"}),
    "trained order": ("trained", {"Shuffled: <start> keys near the the cabinet": "shuffled"}),
    "trained scores": (
        "trained",
        {"Largest weight": "largest[3]", "Spread of the scores": "spread",
         "layer 1, head 4": "gradient[:, 0, 3]", "all heads": "gradient.mean((1, 2))"},
    ),
    "trained depth": ("trained", {"Directions a head compares": "rank", "this text": "cosine"}),
    "variants cache": ("variants", {"Difference from the whole pass": "moved"}),
    "scaling variance": ("scaling", sides(score_variance="")),
    "scaling max_weight": ("scaling", sides(max_weight="")),
    "scaling entropy": ("scaling", sides(entropy="")),
    "scaling jacobian": ("scaling", sides(jacobian="", bound_two=", 2ε", bound_keys=", nε")),
    "scaling gradient": ("scaling", sides(gradient_median=", median", gradient_mean=", mean")),
    "scaling underflow": ("scaling", sides(float16_zeros=", float16", bfloat16_zeros=", bfloat16")),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWN)
def test_what_is_drawn_was_measured(name: str) -> None:
    source, parts = DRAWN[name]
    found, result = drawn(view_of(name)), of(source)
    for title, attribute in parts.items():
        wanted = np.asarray(eval(f"result.{attribute}", {"result": result, "np": np}), dtype=float)
        values = found[title][1:] if name == "reach curve" else found[title]  # led by a token without any layer
        np.testing.assert_allclose(
            values, np.broadcast_to(wanted, values.shape), rtol=1e-6, atol=1e-37, err_msg=title
        )


# Panels that are compared, by place: their colours mean the same.
COMPARED = {
    "biases terms": (0, 1, 2, 3),
    "biases sizes": (0, 1, 2, 3),
    "projections identity": (0, 1),
    "projections gauge": (2, 3),
    "projections collapse": (0, 1),
    "normalization dependence": (0, 1, 2),
    "normalization bias": (0, 1, 2, 3),
    "normalization block": (0, 1, 2),
    "anatomy heads 1": (0, 1, 2, 3, 4),
    "complexity shares": (0, 1),
    "learning": (0, 1, 2, 3),
    "masking encoder masks": (0, 1, 2),
    "reach": (0, 1),
    "scaling": (5, 6),
    "variants": (0, 1, 2, 3),
}


@pytest.mark.parametrize("name", COMPARED)
def test_what_is_compared_has_one_scale(name: str) -> None:
    view = view_of(name)
    assert len({limits(view.panels[at])[0] for at in COMPARED[name]}) == 1


# ---- tables and proofs ----


def tables() -> Iterator[Table]:
    for step, head in STEPS:
        yield draw_anatomy.anatomy_table(ANATOMY, of("anatomy"), step=step, head=head)
    for stack, name in product(masking.STACKS, draw_masking.VIEWS):
        yield draw_masking.masking_table(of(stack), name)
    for topic, config in PROJECTED.items():
        yield draw_projections.projections_table(config, of(topic))
    for topic, config in NORMED.items():
        yield draw_normalization.normalization_table(config, of(topic), (3, 1))
    for name in ("shift", "mean", "norms", "training", "appendix"):
        yield draw_biases.curve_table(of(name))
    yield draw_biases.biases_table(of("biases"))
    yield draw_biases.terms_table(of("terms"), 5.0)
    yield draw_biases.size_table(of("sweep"))
    yield draw_complexity.complexity_table(of("complexity"), CURVES)
    yield draw_learning.learning_table(of("learning").history)
    yield draw_learning.seeds_table(of("seeds"))
    yield draw_permutation.shuffle_table(SHUFFLE, of("shuffle"))
    yield draw_reach.receptive_field_table(of("random"))
    yield draw_scaling.scaling_table(of("scaling"))
    yield draw_trained.trained_table(of("trained"), of("named"), of("asked"))
    yield draw_variants.variants_table(VARIANTS, of("variants"))


def test_every_row_of_a_table_is_as_long_as_its_columns_and_plain() -> None:
    for table in tables():
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows), table.columns
        assert {type(value) for row in table.rows for value in row} <= {str, int, float, bool}, table.columns


LAWS = (permutation.steps_blocks, permutation.steps_order, permutation.run_depth)


def proofs() -> Iterator[tuple[str, tuple[ProofStep, ...]]]:
    yield "anatomy", draw_anatomy.proof(of("anatomy"), anatomy.HeadTimes(batched=1.5e-5, loop=4e-5))
    yield "biases", draw_biases.proof(of("biases"), of("terms"), 5.0, of("shift"))
    yield "complexity", draw_complexity.proof(of("complexity"), None)
    yield "learning", draw_learning.proof(of("learning"))
    yield from ((stack, draw_masking.proof(config, of(stack))) for stack, config in MASKED.items())
    yield from ((topic, draw_projections.proof(of(topic))) for topic in PROJECTED)
    yield from ((topic, draw_normalization.proof(of(topic))) for topic in NORMED)
    built = (measured(SHUFFLE.unshuffled(), one) for one in LAWS)
    yield "laws", draw_permutation.proof(of("shuffle"), of("laws"), *built)
    yield "reach", draw_reach.proof(of("reach"))
    yield "scaling", draw_scaling.proof(of("scaling"))
    yield "trained", draw_trained.proof(of("trained"), of("named"), of("asked"))
    yield "variants", draw_variants.proof(VARIANTS, of("variants"))


PARTLY = ("biases", "complexity", "learning", "collapse", "scaling")  # what they quote says more than their verdicts


def test_a_proof_stands_beside_the_number_of_every_verdict() -> None:
    for name, steps in proofs():
        said = " ".join(step.measured for step in steps)
        assert len(steps) >= 2, name
        assert all(step.argument.endswith(".") for step in steps), name
        quoted = [format_number(verdict.measured) in said for verdict in of(name).verdicts]
        assert all(quoted) or (name in PARTLY and "`" in said), name
