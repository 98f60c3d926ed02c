"""Complexity: what attention costs, line by line, and where the time goes."""

from pages._shared.components.matrix_view import Cell, matrix_view
from pages._shared.page import Break, Controls, Page, Picture, Predict, Preset, Results
from pages._shared.session.settings import settings_group
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, setting
from attention_core.studies import complexity as study
from attention_core.studies.complexity import draw

PROJECTIONS, SCORES = gettext_lazy("The projections"), gettext_lazy("The scores")
EVEN = gettext_lazy("Both alike")
COUNTED = ("cplx-core", "cplx-mha", "cplx-heads")  # what a counter that does not look into a kernel tells nothing of
MEASURE = {"none": gettext_lazy("not now")} | study.SWEEPS


@settings_group("complexity")
class View:
    """What is timed beside the counts, and for how long."""

    measure: str = setting(
        "none", Choice(MEASURE, label=gettext_lazy("Measure the time"), hint=gettext_lazy("On this device, now."))
    )
    seconds: int = setting(4, study.SECONDS)


def sizes(tokens: int, d_model: int) -> dict[str, int]:
    """Self-attention of a text of ``tokens`` at that width."""
    return {"num_queries": tokens, "num_keys": tokens, "d_model": d_model}


PRESETS = (
    Preset(
        gettext_lazy("Where both meet"),
        gettext_lazy("At n = 2 · d_model projections and scores cost exactly the same."),
        {},
    ),
    Preset(
        gettext_lazy("Wide and short"),
        gettext_lazy("Nearly all of the work is in the projections."),
        sizes(32, 1024),
    ),
    Preset(
        gettext_lazy("Narrow and long"),
        gettext_lazy("Nearly all is in the scores, and they fill the memory."),
        sizes(4096, 64),
    ),
    Preset(
        gettext_lazy("Without the output matrix"),
        gettext_lazy("A quarter of the projections less: both parts cost the same at n = 1.5 · d_model."),
        {"no_output": True},
    ),
    Preset(
        gettext_lazy("Fused"),
        gettext_lazy(
            "The same outputs; the weights are not held where torch has such a kernel. Its counter does not look in."
        ),
        {"fused": True},
    ),
)


def grade(result: study.ComplexityResult) -> str:
    """Which part takes more of the FLOPs."""
    return EVEN if result.share == 0.5 else SCORES if result.share > 0.5 else PROJECTIONS


PREDICT = Predict(
    gettext_lazy("Make the text 1,024 tokens long, at a width of 128: what costs more then?"),
    (PROJECTIONS, SCORES, EVEN),
    sizes(1024, 128),
    grade,
    headline=gettext_lazy("Where the arithmetic of attention goes: into the projections, or into the scores."),
    claim="cplx-bottleneck",
)

page = Page(
    "complexity",
    config=study.ComplexityConfig,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    breaks=Break(_("no output matrix"), {"no_output": True}),
    law="FLOPs = 4 n_t d² + 4 n_s d² + 4 n_t n_s d",
)


@page.controls
def controls(controls: Controls) -> None:
    controls.in_sight("num_queries", "num_keys", "d_model", "num_heads")
    controls.section(_("Clock"), "measure", "seconds")
    controls.break_it("fused", "no_output", "large_heads", "no_transpose")


def clocked(config: study.ComplexityConfig, view: View) -> study.Times | None:
    """What the clock says of the layer, where that is asked for."""
    if view.measure == "none":
        return None
    layer = {name: getattr(config, name) for name in ("d_model", "num_heads", "dtype", "device", "seed")}
    timed = study.TimesConfig(sweep=view.measure, seconds=view.seconds, num_tokens=config.num_queries, **layer)
    return page.compute(study.steps_times, timed)


@page.view
def view_of(config: study.ComplexityConfig, view: View) -> MatrixView:
    return draw.complexity_view(page.compute(study.run_complexity, config), clocked(config, view))


@page.picture
def picture(config: study.ComplexityConfig, view: View, at: Picture) -> None:
    drawn = page.view_for(config, view)
    keep = at.setters("num_queries", "num_keys", "d_model")

    def choose(cell: Cell | None) -> None:
        if cell and keep:
            keep(**study.read_cell(cell[1], cell[2]))

    if view.measure == "shares":
        matrix_view(drawn, key=at.key)
    else:
        matrix_view(drawn, key=at.key, selected=draw.cell_of(config), on_select=choose)


@page.results
def results(config: study.ComplexityConfig, _view: View) -> Results:
    unseen = COUNTED if config.fused else ()
    return Results(page.compute(study.run_complexity, config), about=("cplx-bottleneck",), aside=unseen)


@page.answers
def answers(config: study.ComplexityConfig, view: View, found: Results) -> None:
    result = found.main
    times = clocked(config, view)
    if times:
        page.plot(draw.times_curves(times, mode=page.mode), alt=draw.times_said(times))
    page.draw_tabs(
        found, why=draw.proof(result, times), shortest=study.SHORTEST,
        snippet=lambda: study.complexity_snippet(config),
        table=lambda: draw.complexity_table(result, times),
    )  # fmt: skip


if __name__ == "__main__":
    page.draw()
