"""Complexity: what attention costs, line by line, and where the time goes."""

from pages._shared.content import Predict, Preset, Why
from pages._shared.frame import Page
from pages._shared.matrix_view import matrix_view
from attention_core.experiments.complexity import (
    HEADS,
    TOKENS,
    WIDTHS,
    ComplexityConfig,
    ComplexityResult,
    TimesConfig,
    complexity_snippet,
    read_cell,
    run_complexity,
    steps_times,
)
from attention_core.experiments.verdict import format_number
from attention_core.figures import complexity as draw

SWEEPS = {"not now": "", "over n": "n", "over d_model": "d_model", "each part": "shares"}
PROJECTIONS, SCORES, EVEN = "The projections", "The scores", "Both alike"


def sizes(tokens: int, d_model: int) -> dict[str, str]:
    return {"num_queries": str(tokens), "num_keys": str(tokens), "d_model": str(d_model)}


PRESETS = (
    Preset("On the line", "At n = 2 · d_model both parts cost exactly the same.", {}),
    Preset("Wide and short", "Nearly all of the work is in the projections.", sizes(32, 1024)),
    Preset(
        "Narrow and long",
        "Nearly all is in the scores, and they fill the memory.",
        sizes(4096, 64),
    ),
    Preset("Without W_O", "A quarter of the projections less: the line moves to 1.5 · d_model.", {"no_output": True}),
    Preset("Fused", "The counter misses half of the work: it knows no fused kernel of the CPU.", {"fused": True}),
)


def grade(result: ComplexityResult) -> str:
    """Which part takes more of the FLOPs."""
    return EVEN if result.share == 0.5 else SCORES if result.share > 0.5 else PROJECTIONS


PREDICT = Predict(
    "Make the text 1,024 tokens long, at the same width: what costs more then?",
    (PROJECTIONS, SCORES, EVEN),
    {"num_queries": "1024", "num_keys": "1024"},
    grade,
)

page = Page("complexity", presets=PRESETS, predict=PREDICT)
with page.controls as control:
    num_queries = int(control.select("num_queries", "Queries, n_t", tuple(map(str, TOKENS)), "256"))
    num_keys = int(control.select("num_keys", "Keys, n_s", tuple(map(str, TOKENS)), "256"))
    d_model = int(control.select("d_model", "Width, d_model", tuple(map(str, WIDTHS)), "128"))
    num_heads = int(control.select("num_heads", "Heads, h", tuple(map(str, HEADS)), "8"))
    measure = control.select("measure", "Measure the time", tuple(SWEEPS), "not now", hint="On this device, now.")
    seconds = control.slider("seconds", "Seconds to spend on it", 2, 20, 4, help="Sizes that need more are left out.")
with page.breaks as control:
    fused = control.switch("fused", "Count the fused kernel", hint="torch's counter sees nothing of it on a CPU.")
    no_output = control.switch("no_output", "Without W_O", hint="Three projections instead of four.")
    large = control.switch("large", "Heads twice as large", hint="Then h · d_head is not d_model.")
    mixed = control.switch("mixed", "Reshape, no swap", hint="A mistake: heads mix tokens.")


def make() -> ComplexityConfig:
    return ComplexityConfig(
        num_queries=num_queries,
        num_keys=num_keys,
        d_model=d_model,
        num_heads=num_heads,
        fused=fused,
        output_projection=not no_output,
        large_heads=large,
        mixed=mixed,
        **page.shared,
    )


def choose(cell: tuple[int, int, int] | None) -> None:
    if cell:
        page.control.change({name: str(size) for name, size in read_cell(cell[1], cell[2]).items()})


def picture(config: ComplexityConfig, key: str) -> None:
    clocked = times if config == settings else None  # a pinned picture shows what was counted
    view, here = draw.complexity_view(page.run(run_complexity, config), clocked), draw.cell_of(config)
    if sweep == "shares":
        matrix_view(view, key=key, height=220)
    else:
        matrix_view(view, key=key, height=220, selected=here, on_select=choose)


settings = page.config(make)
result = page.run(run_complexity, settings)
same = {name: getattr(settings, name) for name in ("d_model", "num_heads", *page.shared)}
sweep, times = SWEEPS[measure], None
if sweep:
    times = page.run(steps_times, TimesConfig(sweep=sweep, seconds=seconds, num_tokens=settings.num_queries, **same))
clock = draw.times_said(times) if times else "Choose what to measure, beside the picture, to see it on this device."
page.picture(picture, settings)
page.verdicts(result)
if times:
    page.plot(draw.times_curves(times, mode=page.mode), alt=clock)
page.finish(
    settings,
    result,
    why=(
        Why(
            "A product of an a × b with a b × c matrix takes 2·a·b·c FLOPs. :blue[Queries], :orange[keys] and "
            ":green[values] are n × d times d × d, and so is the :violet[output]: 8·n·d². Scores and weighted sum "
            "are n × d_head times d_head × n in each of h heads: 4·n²·d.",
            draw.lines_table(result),
        ),
        Why(
            "So the two parts cost the same where 8·n·d² = 4·n²·d: at n = 2·d. Below it the projections dominate, "
            "above it the scores. Without W_O there are three projections, 6·n·d², and the line is n = 1.5·d.",
            f"With these settings the counter sees them cross at `{result.crossing:,}` tokens; scores and weighted "
            f"sum take `{result.share:.1%}` of the FLOPs.",
        ),
        Why(
            "The counter knows matrix products alone: no softmax, which takes n_t·n_s·h exponentials on top, no "
            "scaling, and on a CPU nothing of the fused kernel, which counts as 0.",
            f"Counted in softmax: `{result.softmax}`; exponentials it takes: `{result.exponentials:,}`. The weights "
            f"fill `{format_number(result.weights_bytes / 2**20)} MiB`; the fused kernel never stores them.",
        ),
        Why(
            "FLOPs are not time: softmax and moving scores through memory take time and no FLOPs, small products "
            "leave the device waiting, and a loop over heads calls it h times as often for the same numbers.",
            clock,
        ),
    ),
    snippet=complexity_snippet(settings),
    table=lambda: draw.complexity_table(result, times),
    figure=lambda: draw.complexity_heatmap(result, times),
)
