"""How complexity is drawn: the map of what dominates, what each line costs, and what the clock said beside it."""

from typing import Any, Final

import numpy as np

from attention_core.figures.matrix import (
    Axis,
    BarsPanel,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Panel,
    Series,
)
from attention_core.figures.table import Table
from attention_core.figures.theme import Tone
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, ngettext, sentences
from attention_core.measuring.number_format import format_number
from attention_core.studies.complexity import (
    TOKENS,
    WIDTHS,
    ComplexityConfig,
    ComplexityResult,
    TimeCurves,
    Times,
    TimeShares,
)

NAMES: Final = {
    "explicit": gettext_lazy("explicit (trace)"),
    "fused": gettext_lazy("fused (forward)"),
    "loop": gettext_lazy("loop over heads"),
}
TONES_OF: Final[dict[str, Tone]] = {"explicit": "ink", "fused": "accent", "loop": "muted"}
PARTS: Final[dict[str, Tone]] = {  # grey and violet, as in the map
    gettext_lazy("projections"): "muted",
    gettext_lazy("scores"): "accent",
}
SCORES: Final = ("scores", "weights", "context")
SHORT: Final = {"n": "n", "d_model": "d_model", "heads": "h"}
SIZE: Final = {
    "n": gettext_lazy("length of the text in tokens, n"),
    "d_model": gettext_lazy("width, d_model"),
    "heads": gettext_lazy("heads, h"),
}


def complexity_view(result: ComplexityResult, times: Times | None = None) -> MatrixView:
    """The map over lengths and widths, and the cost of each line and length; with times, what the clock said.

    The first panel is always the map of the FLOPs: of all sizes, or beside measured shares of those that were timed.

    Args:
        result: What was counted.
        times: What was timed; None where nothing was.
    """
    flops = _flops_bars(result)
    if isinstance(times, TimeShares):
        axes = _axes(times.widths, times.sizes)
        counted = _map(_("Scores' share of FLOPs"), times.flop_share, _("share of FLOPs"), axes)
        note = _("What has no colour was left out for lack of time.") if np.isnan(times.share).any() else ""
        clocked = _map(_("Their share of time, measured"), times.share, _("share of time"), axes, note=note)
        return MatrixView(panels=(counted, clocked), summary=str(sentences((_summary(result), times_said(times)))))
    half = _("Half where n = {ratio} · d_model.", ratio=format_number(result.crossing / result.config.d_model))
    axes = _axes(WIDTHS, TOKENS)
    counted = _map(_("Scores' share of FLOPs"), result.map_share, _("share of FLOPs"), axes, note=half)
    panels: list[Panel] = [counted, flops]
    panels.append(_flops_lines(result) if times is None else _time_bars(times))
    said = str(sentences((_summary(result), "" if times is None else times_said(times))))
    return MatrixView(panels=tuple(panels), summary=said, front=1)


def cell_of(config: ComplexityConfig) -> tuple[int, int, int] | None:
    """Panel, row and column of the map's cell that a config stands for; None where the map has none."""
    if config.num_queries != config.num_keys or config.num_queries not in TOKENS or config.d_model not in WIDTHS:
        return None
    return 0, WIDTHS.index(config.d_model), TOKENS.index(config.num_queries)


def lines_table(result: ComplexityResult) -> str:
    """Markdown table of the forward pass, line by line: formula, counter, bytes."""
    rows = [
        f"| {line.code} | {line.formula} | {format_number(line.flops)} | {format_number(line.counted)} "
        f"| {format_number(line.written / 1024)} |"
        for line in result.lines
    ]
    return "\n".join((_("| line | FLOPs | formula | counter | KiB |"), "|:--|:--|--:|--:|--:|", *rows))


def rearranged_table(result: ComplexityResult) -> str:
    """Markdown table of the lines that only rearrange: numbers concerned, and KiB that are copied."""
    rows = [
        "| {} | {} | {} | {} | {} |".format(
            line.name,
            format_number(line.numbers),
            *(format_number(copied / 1024) for copied in (line.by_module, line.on_one_axis, line.on_one_axis_of_two)),
        )
        for line in result.rearranged
    ]
    head = _("| line | numbers | KiB copied here | batch · heads one axis | in a batch of two |")
    return "\n".join((head, "|:--|--:|--:|--:|--:|", *rows))


def complexity_table(result: ComplexityResult, times: Times | None = None) -> Table:
    """Every number of the picture: lines, map, and times where they were taken.

    Args:
        result: What was counted.
        times: What was timed.
    """
    rows: list[tuple[str | int | float | bool, ...]] = []
    config = result.config
    for line in result.lines:
        for name, value in (("formula", line.flops), ("counter", line.counted), ("bytes", line.written)):
            rows.append((f"{line.name} = {line.code}", config.num_queries, config.d_model, name, value))
    for (row, column), share in np.ndenumerate(result.map_share):
        rows.append(("scores and weighted sum", TOKENS[column], WIDTHS[row], "share of FLOPs", float(share)))
    if isinstance(times, TimeShares):
        for (row, column), share in np.ndenumerate(times.share):
            at = (int(times.sizes[column]), int(times.widths[row]))
            rows.append(("scores and weighted sum", *at, "share of time", float(share)))
    elif times is not None:
        for (series, i), _ in np.ndenumerate(times.median):
            size = int(times.sizes[i])
            timed = times.config
            at = {"n": (size, timed.d_model), "d_model": (timed.num_tokens, size)}.get(
                timed.sweep, (timed.num_tokens, timed.d_model)
            )
            of = f" at h = {size}" if timed.sweep == "heads" else ""
            for name in ("low", "median", "high"):
                value = float(getattr(times, name)[series, i])
                rows.append((NAMES[times.names[series]] + of, *at, f"seconds, {name}", value))
    return Table(("what", "n", "d_model", "quantity", "value"), tuple(rows))


def times_said(times: Times) -> str:
    """What the clock said, in a few sentences: exponents with their intervals, ratios, what was left out."""
    if isinstance(times, TimeShares):
        ratio = format_number(times.crossing)
        said = [
            _("No measured width lets both parts take as long.")
            if np.isnan(times.crossing)
            else _("Measured, both parts take as long at n = {ratio} · d_model.", ratio=ratio)
        ]
    else:
        said = [_fit_said(times, i) for i in range(len(times.names))]
        for one, other in (("explicit", "fused"), ("loop", "fused")):
            at = times.largest_common(one, other)
            if at is not None:
                ratio = times.median[times.names.index(one), at] / times.median[times.names.index(other), at]
                told = _(
                    "At {where}, {one} takes {ratio} × as long as {other}.",
                    where=f"{SHORT[times.config.sweep]} = {times.sizes[at]:,}",
                    one=NAMES[one],
                    ratio=format_number(ratio),
                    other=NAMES[other],
                )
                said.append(told)
        if times.config.sweep == "heads":
            flops = format_number(times.flops[0])
            said.append(_("The operations are {count} at every number of heads.", count=flops))
    if times.left_out:
        said.append(ngettext("{count} size was left out.", "{count} sizes were left out.", len(times.left_out)))
    return str(sentences(said))


def _fit_said(times: TimeCurves, i: int) -> str:
    fit, name = times.fits[i], NAMES[times.names[i]]
    if np.isnan(fit.exponent):
        return _("For {name} there are too few sizes for an exponent.", name=name)
    told = {
        "name": name,
        "size": SHORT[times.config.sweep],
        "exponent": format_number(fit.exponent),
        "low": format_number(fit.low),
        "high": format_number(fit.high),
        "flops": format_number(times.flop_fits[i].exponent),
    }
    if not fit.tells:
        return _(
            "{name}: these times cannot tell how they grow with {size}: an exponent from {low} to {high} fits.",
            **told,
        )
    return _("{name}: time ∝ {size}^{exponent} (95 %: {low} to {high}; FLOPs {flops}).", **told)


def _map(
    title: str, share: np.ndarray[Any, Any], quantity: str, axes: dict[str, Axis], *, note: str = ""
) -> MatrixPanel:
    """A map of shares: one end of the scale is all projections, the other all core, its middle half."""
    return MatrixPanel(
        title=title,
        values=share,
        rows=axes["rows"],
        columns=axes["columns"],
        quantity=quantity,
        scale="compared",
        cells="percent",
        limits=(0, 1),
        note=note,
    )


def _axes(widths: Any, sizes: Any) -> dict[str, Axis]:
    return {
        "rows": Axis(title=str(SIZE["d_model"]), labels=tuple(f"{int(width):,}" for width in widths)),
        "columns": Axis(title=_("tokens, n"), labels=tuple(f"{int(size):,}" for size in sizes)),
    }


def _flops_bars(result: ComplexityResult) -> BarsPanel:
    """What the counter sees of each line, and below it what it does not see."""
    roles: tuple[Tone, ...] = tuple(
        PARTS["scores" if line.name in SCORES else "projections"] for line in result.lines
    )
    return BarsPanel(
        title=_("FLOPs per step"),
        values=np.array([line.counted / 1e6 for line in result.lines]),
        labels=Axis(
            title=_("step of the layer"), labels=tuple(str(line.name) for line in result.lines), formulas=True
        ),
        quantity=_("million floating-point operations"),
        role=roles,
        note=_(
            "Grey bars add up to the projections, violet ones to the scores. Not counted: {count:,} exponentials of "
            "softmax. The weights fill {memory} MiB.",
            count=result.exponentials,
            memory=format_number(result.weights_bytes / 2**20),
        ),
    )


def _flops_lines(result: ComplexityResult) -> LinesPanel:
    """FLOPs over the length: by torch's counter, and dashed by formula."""
    counted = tuple(
        Series(name=str(part), values=result.over_n[i], role=role, pointed=True)
        for i, (part, role) in enumerate(PARTS.items())
    )
    formula = tuple(
        Series(
            name=_("{part}, by formula", part=part), values=result.formula_over_n[i], role=role, dashed=True,
            listed=False,
        )
        for i, (part, role) in enumerate(PARTS.items())
    )  # fmt: skip
    return LinesPanel(
        title=_("FLOPs over n, d_model = {size:,}", size=result.config.d_model),
        x=np.array(TOKENS),
        x_title=str(SIZE["n"]),
        series=(*counted, *formula),
        y_title=_("floating-point operations"),
        log_x=True,
        log_y=True,
        note=_(
            "The projections grow like n, the scores like n²; they cross at {count:,} tokens. Dots: torch's counter; "
            "dashes, where they are another line: the formula.",
            count=result.crossing,
        ),
    )


def _time_bars(times: TimeCurves) -> BarsPanel:
    """The three ways of computing one layer at the largest size that all of them were timed at."""
    at = times.largest_common(*times.names)
    size, values = (_("no size"), np.zeros(0)) if at is None else (f"{times.sizes[at]:,}", times.median[:, at] * 1e3)
    timed = times.names if at is not None else ()
    return BarsPanel(
        title=_("Time at {name} = {size}", name=SHORT[times.config.sweep], size=size),
        values=values,
        labels=Axis(title=_("way"), labels=tuple(map(str, timed))),
        quantity=_("ms, median"),
        note="" if timed else _("No size was timed in all three ways."),
    )


def _summary(result: ComplexityResult) -> str:
    ratio = format_number(result.crossing / result.config.d_model)
    if result.config.fused:
        same, apart = _("differs by no more than rounding"), _("differs by more than rounding")
        told = {
            "differs": same if result.fused_apart <= result.fused_rounding else apart,
            "kept": format_number(result.largest_made / 1024),
            "weights": format_number(result.weights_bytes / 1024),
        }
        found = (
            _(
                "One fused kernel {differs} and never stores the weights: its largest tensor has {kept} KiB, they "
                "have {weights}.",
                **told,
            )
            if result.stores_no_weights
            else _("One fused kernel {differs}; its largest tensor has {kept} KiB, the weights {weights}.", **told)
        )
        inside = _("torch's counter does not look inside; the bars are of the same pass, written out.")
        return str(sentences((found, inside)))
    return _(
        "Violet is where the scores cost more arithmetic than the projections, once the text is longer than {ratio} "
        "times its width; at the chosen size they take {share:.0%} of the total.",
        ratio=ratio,
        share=result.share,
    )
