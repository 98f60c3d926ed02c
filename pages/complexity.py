"""Complexity: what attention costs, line by line, and where the time goes."""

from dataclasses import dataclass

from pages._shared.components.matrix_view import Cell, matrix_view
from pages._shared.compute.progress import compute
from pages._shared.core.pages import PageSpec
from pages._shared.page import (
    BreakButton,
    Faq,
    Frame,
    Page,
    Picture,
    Predict,
    Preset,
    Results,
    Section,
    Switches,
    Tabs,
)
from attention_core.figures.matrix import MatrixView
from attention_core.language import gettext_lazy
from attention_core.measuring.settings import Choice, setting
from attention_core.studies import complexity as study
from attention_core.studies.complexity import draw

SPEC = PageSpec(
    name="complexity",
    title=gettext_lazy("Complexity"),
    icon=":material/timer:",
    section=gettext_lazy("What it costs"),
    claim=gettext_lazy(
        "Short texts pay for the projections, long ones for the scores: twice the text, four times the scores."
    ),
)

EARLIER, AS_BEFORE = gettext_lazy("A shorter one"), gettext_lazy("The same, 256 tokens")
LATER = gettext_lazy("A longer one")
MEETS = 256  # tokens, where both parts cost the same as the page begins: twice the width
COUNTED = ("cplx-core", "cplx-mha", "cplx-heads")  # what a counter that does not look into a kernel tells nothing of
MEASURE = {"none": gettext_lazy("not now")} | study.SWEEPS


@dataclass(frozen=True, slots=True, kw_only=True)
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
        gettext_lazy("Fused"),
        gettext_lazy(
            "The same outputs; the weights are not held where torch has such a kernel. Its counter does not look in."
        ),
        {"fused": True},
    ),
    Preset(
        gettext_lazy("Without the output matrix"),
        gettext_lazy("A quarter of the projections less: both parts cost the same at n = 1.5 · d_model."),
        {"no_output": True},
        spoils=True,
    ),
)


def grade(result: study.ComplexityResult) -> str:
    """Where both parts cost the same, beside where they do as the page begins."""
    return AS_BEFORE if result.crossing == MEETS else EARLIER if result.crossing < MEETS else LATER


PREDICT = Predict(
    gettext_lazy("Leave the output matrix out: at which length of text do the scores catch up with the projections?"),
    (EARLIER, AS_BEFORE, LATER),
    {"no_output": True},
    grade,
    headline=gettext_lazy("Where the arithmetic of attention goes: into the projections, or into the scores."),
    claim="cplx-bottleneck",
)


def clocked(config: study.ComplexityConfig, view: View) -> study.Times | None:
    """What the clock says of the layer, where that is asked for."""
    if view.measure == "none":
        return None
    layer = {name: getattr(config, name) for name in ("d_model", "num_heads", "dtype", "device", "seed")}
    timed = study.TimesConfig(sweep=view.measure, seconds=view.seconds, num_tokens=config.num_queries, **layer)
    return compute(study.steps_times, timed)


def picture_of(config: study.ComplexityConfig, view: View) -> MatrixView:
    return draw.complexity_view(compute(study.run_complexity, config), clocked(config, view))


def draw_picture(config: study.ComplexityConfig, view: View, at: Picture) -> None:
    drawn = at.shown
    keep = at.setters("num_queries", "num_keys", "d_model")

    def choose(cell: Cell | None) -> None:
        if cell and keep:
            keep(**study.read_cell(cell[1], cell[2]))

    if view.measure == "shares":
        matrix_view(drawn, key=at.key)
    else:
        matrix_view(drawn, key=at.key, selected=draw.cell_of(config), on_select=choose)


def results_of(config: study.ComplexityConfig, _view: View) -> Results:
    unseen = COUNTED if config.fused else ()
    return Results(compute(study.run_complexity, config), about=("cplx-bottleneck",), aside=unseen)


def details(config: study.ComplexityConfig, view: View, found: Results, frame: Frame) -> Tabs:
    result = found.main
    times = clocked(config, view)
    if times:
        frame.plot(draw.times_curves(times, mode=frame.mode), alt=draw.times_said(times))
    return Tabs(
        why=draw.proof(result, times),
        table=lambda: draw.complexity_table(result, times),
    )  # fmt: skip


# fmt: off
FAQ = (
    Faq("quadratic", gettext_lazy("Why is attention quadratic?"),
        gettext_lazy("O(n²), quadratic complexity, long sequences, context length cost, how much slower for twice as "
                     "many tokens"),
        "cplx-core",
        gettext_lazy("Each token is compared with each: for every pair and feature a product and a sum, for the "
                     "scores and again for the weighted sum."),
        settings={"num_queries": 4096, "num_keys": 4096, "d_model": 64}),
    Faq("most", gettext_lazy("What costs most in attention?"),
        gettext_lazy("bottleneck, projections or scores, FLOPs per layer"),
        "cplx-bottleneck",
        gettext_lazy("In short texts the projections; in texts of more tokens than twice the width the scores "
                     "and weighted sums.")),
    Faq("flash", gettext_lazy("Does FlashAttention need fewer operations?"),
        gettext_lazy("flash attention, memory efficient attention, fused kernel"),
        "cplx-core.flops",
        gettext_lazy("No, just as many, though torch's counter sees none of them here. What it saves is "
                     "memory: it never stores the weights, and below the picture stands how much that is."),
        "fails", settings={"fused": True}),
    Faq("heads", gettext_lazy("Do more heads cost more?"),
        gettext_lazy("number of heads FLOPs, parameters"),
        "cplx-heads",
        gettext_lazy("Not where they share the width: h·d_head stays d. Heads of a size of their own do.")),
    Faq("flops", gettext_lazy("How many FLOPs does attention take?"),
        gettext_lazy("compute attention FLOPs, 8nd² + 4n²d, MACs"),
        "cplx-mha",
        gettext_lazy("4·n_t·d² + 4·n_s·d² + 4·n_t·n_s·d for n_t queries, n_s keys and the width d.")),
)
# fmt: on

page = Page(
    spec=SPEC,
    study=study.STUDY,
    view=View,
    presets=PRESETS,
    predict=PREDICT,
    faq=FAQ,
    breaks=BreakButton(gettext_lazy("no output matrix"), {"no_output": True}),
    law="FLOPs = 4 n_t d² + 4 n_s d² + 4 n_t n_s d",
    in_sight=("num_queries", "num_keys", "d_model", "num_heads"),
    drawer=(
        Section(("measure", "seconds"), gettext_lazy("Clock")),
        Switches(("fused", "no_output", "large_heads", "no_transpose")),
    ),
    picture_of=picture_of,
    draw_picture=draw_picture,
    results_of=results_of,
    details=details,
)
