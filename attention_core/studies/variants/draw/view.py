"""How the variants are drawn: weights side by side, a cache as it fills, bytes and operations over the length."""

from collections.abc import Iterable, Sequence
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
    Sweep,
)
from attention_core.figures.panels import AVERAGE, of_head
from attention_core.figures.said import outcome, said
from attention_core.figures.theme import Tone
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, ngettext, sentences
from attention_core.measuring.number_format import format_number
from attention_core.studies.variants import (
    HEADS,
    KIB,
    KV_HEADS,
    LENGTHS,
    CrossingResult,
    VariantsConfig,
    VariantsResult,
)
from attention_core.studies.variants.draw.additive import additive_view
from attention_core.studies.variants.draw.queries import queries_view
from attention_core.studies.variants.draw.wiring import wiring_panels

TONES_OF: Final[tuple[Tone, Tone]] = ("ink", "accent")  # of softmax and of linear attention
SHOWN: Final = {
    "wiring": gettext_lazy("wiring"), "weights": gettext_lazy("weights"), "cache": gettext_lazy("cache"),
    "queries": gettext_lazy("no cache of queries"), "bytes": gettext_lazy("bytes"),
    "operations": gettext_lazy("FLOPs"), "additive": gettext_lazy("additive"),
}  # fmt: skip


def variants_view(
    config: VariantsConfig, result: VariantsResult, show: str = "wiring", head: str = AVERAGE
) -> MatrixView:
    """One of seven pictures, most with a slider: heads of keys, words so far, or the length of a text.

    Args:
        config: The settings.
        result: Their result.
        show: One of ``SHOWN``.
        head: Whose weights are shown, ``1`` … ``8``, or ``AVERAGE``.
    """
    match show:
        case "weights":
            return _weights(config, result, head)
        case "cache":
            return _cache(config, result, head)
        case "queries":
            return queries_view(config, result)
        case "additive":
            return additive_view(config, result, head)
        case "bytes":
            return _bytes(config, result)
        case "operations":
            return _operations(result)
    kept = dict[int, int](zip(KV_HEADS, map(int, result.token_bytes), strict=True))
    panels = wiring_panels(config, result, kept)  # a bar says how many bytes are kept
    return MatrixView(panels=panels, summary=_shared_said(config, result), sweep=_kv_heads(map(str, kept)), front=2)


def saving_view(config: VariantsConfig, result: VariantsResult) -> MatrixView:
    """What each new word costs with a cache and without, and what the cache takes for it.

    Args:
        config: The settings.
        result: Their result.
    """
    words = np.arange(1, len(config.tokens) + 1)
    shared: dict[str, Any] = {"x": words, "x_title": _("words so far")}
    without, step = (each.astype(float) for each in (result.pass_flops, result.step_flops))
    costs = LinesPanel(
        title=_("What the next word costs"),
        y_title="FLOPs",
        limits=(0.0, 1.05 * float(without.max())),
        series=(
            Series(name=_("the whole pass again"), values=without, role="ink"),
            Series(name=_("with the cache"), values=step, role="accent"),
        ),
        **shared,
    )
    takes = LinesPanel(
        title=_("What the cache keeps for it"),
        y_title=_("bytes"),
        limits=(0.0, 1.05 * float(result.kept_bytes[-1])),
        series=(Series(name=_("keys and values"), values=result.kept_bytes.astype(float)),),
        **shared,
    )
    summary = ngettext(
        "For {count} word the cache keeps {size:,} bytes; with it this word costs {share:.0%} of the whole pass.",
        "For {count} words the cache keeps {size:,} bytes; with it the last one costs {share:.0%} of the whole pass.",
        len(words),
        size=result.kept_bytes[-1],
        share=step[-1] / without[-1],
    )
    return MatrixView(panels=(costs, takes), summary=summary)


def crossing_view(times: CrossingResult) -> MatrixView:
    """Measured times over the length, with their quartiles.

    Args:
        times: What the clock said.
    """
    timed = np.isfinite(times.median).any(0)
    series = tuple(
        Series(name=name, values=median[timed], band=(low[timed], high[timed]), role=role, growing=True)
        for name, role, median, low, high in zip(
            (_("softmax, fused kernel"), _("linear")), TONES_OF, times.median, times.low, times.high, strict=True
        )
    )
    panel = LinesPanel(
        title=_("Time of one layer on this device"), x=times.sizes[timed], x_title=_("tokens of the text"),
        series=series, y_title=_("seconds, median and quartiles"), log_x=True, log_y=True,
    )  # fmt: skip
    return MatrixView(panels=(panel,), summary=crossing_said(times))


def together(views: Sequence[MatrixView]) -> MatrixView:
    """Views of curves as one."""
    panels = tuple(panel for view in views for panel in view.panels)
    return MatrixView(panels=panels, summary=str(sentences(view.summary for view in views)))


def crossing_said(times: CrossingResult) -> str:
    """From which length on linear attention takes less time, in a sentence."""
    if np.isnan(times.crossing):
        return _("Among the lengths that were timed there is none from which linear attention takes less time.")
    if times.crossing <= times.sizes[0]:
        return _("At each length that was timed linear attention takes less time.")
    crossing = format_number(times.crossing)
    return _("From about {crossing} tokens on linear attention takes less time here.", crossing=crossing)


def _weights(config: VariantsConfig, result: VariantsResult, head: str) -> MatrixView:
    full, grouped, linear = (of_head(each, head) for each in (result.full, result.grouped, result.linear))
    limits = (0.0, max(float(np.nanmax(each)) for each in (full, grouped, linear)) or 1.0)
    shared = _words(config) | {"quantity": _("weight"), "scale": "sequential", "cells": "weight", "limits": limits}
    hidden = np.triu(np.ones(full.shape, bool), 1) if config.causal else None
    kept: dict[int, int] = dict(zip(KV_HEADS, map(int, result.token_bytes), strict=True))
    panels: tuple[Panel, ...] = (
        MatrixPanel(
            title=_("Full, {heads} heads", heads=HEADS),
            values=full,
            hidden=hidden,
            note=_("Keeps {size:,} bytes per word.", size=kept[HEADS]),
            **shared,
        ),
        MatrixPanel(
            title=_("Grouped"), values=grouped, hidden=hidden, note=_("Keeps what the slider says."), **shared
        ),
        MatrixPanel(
            title=_("Multi-query"),
            values=grouped[0],
            hidden=hidden,
            note=_("Keeps {size:,} bytes per word.", size=kept[1]),
            **shared,
        ),
        MatrixPanel(
            title=_("Linear"),
            values=linear,
            hidden=hidden,
            note=_("Keeps {size:,} bytes in all.", size=result.state_bytes),
            **shared,
        ),
    )
    told = (_("{number} ({size:,} bytes per word)", number=number, size=size) for number, size in kept.items())
    return MatrixView(panels=panels, summary=_shared_said(config, result), sweep=_kv_heads(told), front=2)


def _kv_heads(values: Iterable[str]) -> Sweep:
    return Sweep(name="num_kv_heads", label=_("Heads of keys and values"), values=tuple(values))


def _shared_said(config: VariantsConfig, result: VariantsResult) -> str:
    """What heads that share keys save, and what is lost with it, in sentences."""
    if config.num_kv_heads == HEADS:
        return _("With a head of keys for each head of queries nothing is saved or lost.")
    kept = (
        _("A cache that holds a copy for each head keeps as much of a word as before; the weights change.")
        if outcome(result, "kv-bytes") == "fails"
        else _("When heads share keys, a model keeps less of each word it has read, and its weights change.")
    )
    mixed = ""
    if outcome(result, "kv-repeat") == "fails":
        mixed = _("In groups that are mixed up heads meet the wrong keys.")
    here = _at(config)
    lost = _(
        "Here the model keeps {share:.1%}; without further training its outputs are off by {moved:.0%} of their "
        "length.",
        share=result.token_bytes[here] / result.token_bytes[-1],
        moved=result.distances[here],
    )
    return str(sentences((kept, mixed, lost)))


def _cache(config: VariantsConfig, result: VariantsResult, head: str) -> MatrixView:
    """Rows of what is kept and of what each new word saw, one more with each step."""
    n, axes, verdict = len(config.tokens), _words(config), result.verdict("cache-exact.token")
    rounding = float(verdict.bound)  # pyright: ignore[reportArgumentType] - of a ≤ it is one number
    later = np.arange(n)[:, None] > np.arange(n)[:, None, None]  # (steps, tokens, 1)
    kept = np.where(later, 0.0, result.keys)
    weights = np.where(later, 0.0, of_head(result.steps, head))
    numbers = tuple(str(i + 1) for i in range(result.keys.shape[1]))
    panels: tuple[Panel, ...] = (
        MatrixPanel(
            title=_("Keys in the cache"),
            values=kept,
            rows=axes["columns"],
            columns=Axis(title=_("number of the key"), labels=numbers),
            quantity=_("key"),
            scale="diverging",
            role="key",
            note=_(
                "As many values are kept too: {size:,} bytes for each word.",
                size=int(result.token_bytes[_at(config)]),
            ),
        ),
        MatrixPanel(
            title=_("What each new word looks at"),
            values=weights,
            hidden=np.triu(np.ones((n, n), bool), 1),
            hidden_as=_("not there yet"),
            quantity=_("weight"),
            scale="sequential",
            cells="weight",
            **axes,
        ),
        BarsPanel(
            title=_("Difference from the whole pass"),
            values=result.moved,
            labels=Axis(title=_("word"), labels=config.tokens),
            quantity=_("max |difference|"),
            limits=(0.0, 1.1 * max(rounding, float(np.nanmax(result.moved)))),
            overlay=(np.array([-0.5, n - 0.5]), np.full(2, rounding)),
            overlay_name=_("what rounding may leave"),
        ),
    )
    words = tuple(f"{i + 1}, {token}" for i, token in enumerate(config.tokens))
    most = format_number(float(result.moved.max()))
    summary = said(
        result,
        "cache-exact",
        holds=_(
            "Read word by word, attention is causal: each new word adds a row of keys and looks only at the rows so "
            "far, and none of them is computed again."
        ),
        fails=_(
            "Each new word looks only at the rows so far, but at the wrong places: its output differs from that of "
            "the whole pass by up to {most}.",
            most=most,
        ),
        undecided=_(
            "Each new word adds a row of keys and looks only at the rows so far; its output differs from that of the "
            "whole pass by up to {most}.",
            most=most,
        ),
    )
    return MatrixView(
        panels=panels,
        summary=summary,
        sweep=Sweep(name="word", label=_("Words so far"), values=words),
        front=3 if outcome(result, "cache-exact") == "fails" else 2,
    )


def _bytes(config: VariantsConfig, result: VariantsResult) -> MatrixView:
    each = np.stack([result.cache_bytes(length) for length in LENGTHS], axis=1) / KIB  # (4, lengths) KiB
    state = np.full(len(LENGTHS), result.state_bytes / KIB)
    names = [ngettext("{count} head", "{count} heads", number) for number in KV_HEADS]
    names[-1] = _("{heads}, full", heads=names[-1])
    here = _at(config)
    curves = tuple(
        Series(name=names[i], values=each[i], role="accent" if i == here else None, dashed=i != here)
        for i in sorted({0, here, len(KV_HEADS) - 1})
    )
    panels: tuple[Panel, ...] = (
        _over_lengths(
            _("Cache of a text"), (*curves, Series(name=_("linear, its sums"), values=state, role="ink")), "KiB"
        ),
        BarsPanel(
            title=_("At this length, on a log axis"),
            values=np.concatenate((each, state[None])).T,
            labels=Axis(title=_("heads of keys"), labels=(*map(str, KV_HEADS), _("linear"))),
            quantity="KiB",
            log_y=True,
        ),
        BarsPanel(
            title=_("Parameters of the layer"),
            values=result.parameters.astype(float),
            labels=Axis(title=_("heads of keys"), labels=tuple(map(str, KV_HEADS))),
            quantity=_("parameters"),
        ),
        BarsPanel(
            title=_("How far the outputs are from full attention’s"),
            values=result.distances,
            labels=Axis(title=_("heads of keys"), labels=tuple(map(str, KV_HEADS))),
            quantity=_("‖difference‖ / ‖output‖"),
            note=_("Heads of keys are means of the full ones here, and not trained on."),
        ),
    )
    grows = _("The cache grows with the text and with its heads of keys; linear attention's sums do not grow.")
    summary = said(
        result,
        "kv-bytes",
        holds=grows,
        fails=_(
            "A cache of the repeated heads is as large as that of full attention, {size:,} bytes for each word, "
            "however few heads of keys there are; linear attention's sums do not grow.",
            size=int(result.token_bytes[-1]),
        ),
        undecided=grows,
    )
    return MatrixView(panels=panels, summary=summary, sweep=_lengths(), front=2)


def _operations(result: VariantsResult) -> MatrixView:
    softmax, linear = result.softmax_flops.astype(float), result.linear_flops.astype(float)
    panels: tuple[Panel, ...] = (
        _over_lengths(
            _("FLOPs over the length"),
            (
                Series(name="softmax", values=softmax, role=TONES_OF[0]),
                Series(name=_("linear"), values=linear, role=TONES_OF[1]),
            ),
            "FLOPs",
        ),
        BarsPanel(
            title=_("At this length, on a log axis"),
            values=np.stack((softmax, linear), axis=1),
            labels=Axis(title=_("attention"), labels=("softmax", _("linear"))),
            quantity="FLOPs",
            role=TONES_OF,
            log_y=True,
        ),
    )
    summary = said(
        result,
        "linear-cost",
        holds=_("Twice the text costs softmax attention four times as much; without softmax the line is less steep."),
        fails=_("Where all weights are formed first, both lines rise alike: without softmax nothing is won."),
        undecided=_("Twice the text costs softmax attention four times as much."),
    )
    return MatrixView(panels=panels, summary=summary, sweep=_lengths())


def _over_lengths(title: str, series: tuple[Series, ...], y_title: str) -> LinesPanel:
    return LinesPanel(
        title=title, x=np.array(LENGTHS), x_title=_("tokens of the text"), series=series, y_title=y_title, log_x=True,
        log_y=True,
    )  # fmt: skip


def _lengths() -> Sweep:
    return Sweep(name="length", label=_("Length of a text"), values=tuple(f"{length // KIB} k" for length in LENGTHS))


def _at(config: VariantsConfig) -> int:
    return KV_HEADS.index(config.num_kv_heads)


def _words(config: VariantsConfig) -> dict[str, Any]:
    return {
        "rows": Axis(title=_("query"), labels=config.tokens, role="query"),
        "columns": Axis(title=_("key"), labels=config.tokens, role="key"),
    }
