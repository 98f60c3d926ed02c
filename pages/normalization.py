"""Normalization: what LayerNorm, RMSNorm and BatchNorm look at, and what they leave."""

from pages._shared.components.matrix_view import Cell, matrix_view
from pages._shared.page import Break, Controls, Page, Picture, Predict, Preset, Results
from pages._shared.session.settings import settings_group
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Coded, setting
from attention_core.studies import normalization as study
from attention_core.studies.normalization import draw

FOLLOWS, DIFFERENT = gettext_lazy("The same rows, in the new order"), gettext_lazy("Different")


@settings_group("normalization")
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

page = Page(
    "normalization",
    config=study.NormalizationConfig,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    breaks=Break(_("evaluation mode"), {"evaluation": True}),
    law="‖y − β 1‖ = |γ| √d",
)


@page.controls
def controls(controls: Controls) -> None:
    controls.in_sight("topic", "norm", "gamma", "beta")
    controls.section(_("Sizes"), "num_tokens", "d_model")
    controls.break_it(
        "eps", "input_std", "constant", "own_gammas", "evaluation", "positions", "causal", "slot_weights"
    )
    controls.show("activation")


@page.view
def view_of(config: study.NormalizationConfig, view: View) -> MatrixView:
    return draw.normalization_view(config, page.compute(study.run_normalization, config), view.cell)


@page.picture
def picture(config: study.NormalizationConfig, view: View, at: Picture) -> None:
    drawn = page.view_for(config, view)
    keep = at.setter("cell")

    def choose(cell: Cell | None) -> None:
        if cell and keep:
            keep(cell[1:])

    if config.topic == "dependence":
        matrix_view(drawn, key=at.key, selected=(0, *view.cell), on_select=choose)
    else:
        matrix_view(drawn, key=f"{at.key}_still")


@page.results
def results(config: study.NormalizationConfig, _view: View) -> Results:
    return Results(page.compute(study.run_normalization, config))


@page.answers
def answers(config: study.NormalizationConfig, view: View, found: Results) -> None:
    result = found.main
    space = draw.space_figure(result, mode=page.mode) if isinstance(result, study.LengthResult) else None
    if space and isinstance(result, study.LengthResult):
        page.plot(space, alt=draw.space_alt(result))
    if isinstance(result, study.NormBlockResult):
        page.curves(draw.depth_view(result))
    page.draw_tabs(
        found, why=draw.proof(result), shortest=study.SHORTEST, snippet=lambda: study.normalization_snippet(config),
        table=lambda: draw.normalization_table(config, result, view.cell),
    )  # fmt: skip


if __name__ == "__main__":
    page.draw()
