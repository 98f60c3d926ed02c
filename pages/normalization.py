"""Normalization: what LayerNorm, RMSNorm and BatchNorm look at, and what they leave."""

from dataclasses import dataclass

from pages._shared.components.matrix_view import Cell, matrix_view
from pages._shared.compute.progress import compute
from pages._shared.page import BreakButton, Frame, Page, Picture, Predict, Preset, Results, Section, Switches, Tabs
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Coded, setting
from attention_core.studies import normalization as study
from attention_core.studies.normalization import draw

FOLLOWS, DIFFERENT = gettext_lazy("The same rows, in the new order"), gettext_lazy("Different")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The number whose inputs are shown."""

    cell: tuple[int, int] = setting((0, 0), Coded(study.read_cell, study.write_cell, label=gettext_lazy("Output")))


PRESETS = (
    Preset(
        gettext_lazy("Evaluation mode"), gettext_lazy("BatchNorm then looks at one number alone."),
        {"evaluation": True},
    ),
    Preset(
        gettext_lazy("On a circle"), gettext_lazy("Three features: every token lands on one circle, drawn below."),
        {"topic": "length", "d_model": 3},
    ),
    Preset(
        gettext_lazy("ε takes over"), gettext_lazy("Small tokens stay short."),
        {"topic": "length", "d_model": 3, "eps": 0.01, "input_std": 0.1},
    ),
    Preset(
        gettext_lazy("A bias survives"), gettext_lazy("BatchNorm removes all of it, LayerNorm its mean."),
        {"topic": "bias"},
    ),
    Preset(
        gettext_lazy("A whole block"), gettext_lazy("LayerNorm does not break equivariance, wherever it stands."),
        {"topic": "block"},
    ),
)  # fmt: skip


def grade(result: study.NormalizationResult) -> str | None:
    """What permuting does to a block's outputs; the results of other questions say nothing of it."""
    if not isinstance(result, study.NormBlockResult) or any(verdict.expected is None for verdict in result.verdicts):
        return None
    return FOLLOWS if all(verdict.holds for verdict in result.about("perm-block").verdicts) else DIFFERENT


PREDICT = Predict(
    gettext_lazy("Permute the tokens of a whole block with LayerNorm: its outputs will be …"),
    (FOLLOWS, DIFFERENT),
    {"topic": "block"},
    grade,
    headline=gettext_lazy("What LayerNorm looks at, what it keeps of a token, and what it does to a block."),
    claim="perm-block",
)


def picture_of(config: study.NormalizationConfig, view: View) -> MatrixView:
    return draw.normalization_view(config, compute(study.run_normalization, config), view.cell)


def draw_picture(config: study.NormalizationConfig, view: View, at: Picture) -> None:
    drawn = at.shown
    keep = at.setter("cell")

    def choose(cell: Cell | None) -> None:
        if cell and keep:
            keep(cell[1:])

    if config.topic == "dependence":
        matrix_view(drawn, key=at.key, selected=(0, *view.cell), on_select=choose)
    else:
        matrix_view(drawn, key=f"{at.key}_still")


def results_of(config: study.NormalizationConfig, _view: View) -> Results:
    return Results(compute(study.run_normalization, config))


def details(config: study.NormalizationConfig, view: View, found: Results, frame: Frame) -> Tabs:
    result = found.main
    space = draw.space_figure(result, mode=frame.mode) if isinstance(result, study.LengthResult) else None
    if space and isinstance(result, study.LengthResult):
        frame.plot(space, alt=draw.space_alt(result))
    if isinstance(result, study.NormBlockResult):
        frame.curves(draw.depth_view(result))
    return Tabs(
        why=draw.proof(result),
        table=lambda: draw.normalization_table(config, result, view.cell),
    )  # fmt: skip


page = Page(
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    breaks=BreakButton(gettext_lazy("evaluation mode"), {"evaluation": True}),
    law="‖y − β 1‖ = |γ| √d",
    in_sight=("topic", "norm", "gamma", "beta"),
    drawer=(
        Section(("num_tokens", "d_model"), gettext_lazy("Sizes")),
        Switches(("eps", "input_std", "constant", "own_gammas", "evaluation", "positions", "causal", "slot_weights")),
        Section(("activation",)),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
