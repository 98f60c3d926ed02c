"""How the variants are drawn: weights side by side, a cache as it fills, bytes and operations over the length."""

from typing import Any, Final

import numpy as np

from attention_core.experiments.number_format import format_number
from attention_core.experiments.variants import (
    HEADS,
    KIB,
    KV_HEADS,
    LENGTHS,
    CrossingResult,
    VariantsConfig,
    VariantsResult,
)
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
from attention_core.figures.table import Table
from attention_core.figures.theme import Role

ROLES: Final[tuple[Role, Role]] = ("query", "output")
SHOWN: Final = {"weights": "weights", "cache": "cache", "bytes": "bytes", "operations": "FLOPs"}


def variants_view(
    config: VariantsConfig, result: VariantsResult, show: str = "weights", head: str = AVERAGE
) -> MatrixView:
    """One of four pictures, each with a slider: heads of keys, words so far, or the length of a text.

    Args:
        config: The settings.
        result: Their result.
        show: One of ``SHOWN``.
        head: Whose weights are shown, ``1`` … ``8``, or ``AVERAGE``.
    """
    match show:
        case "cache":
            return _cache(config, result, head)
        case "bytes":
            return _bytes(config, result)
        case "operations":
            return _operations(config, result)
    return _weights(config, result, head)


def crossing_view(times: CrossingResult) -> MatrixView:
    """Measured times over the length, with their quartiles.

    Args:
        times: What the clock said.
    """
    timed = np.isfinite(times.median).any(0)
    series = tuple(
        Series(name=name, values=median[timed], band=(low[timed], high[timed]), role=role, growing=True)
        for name, role, median, low, high in zip(
            ("softmax, fused kernel", "linear"), ROLES, times.median, times.low, times.high, strict=True
        )
    )
    panel = LinesPanel(
        title="Time of one layer on this device", x=times.sizes[timed], x_title="tokens of the text", series=series,
        y_title="seconds, median and quartiles", log_x=True, log_y=True,
    )  # fmt: skip
    return MatrixView(panels=(panel,), summary=crossing_said(times))


def crossing_said(times: CrossingResult) -> str:
    """From which length on linear attention takes less time, in a sentence."""
    if np.isnan(times.crossing):
        return "Among the lengths that were timed there is none from which linear attention takes less time."
    if times.crossing <= times.sizes[0]:
        return "At each length that was timed linear attention takes less time."
    return f"From about {format_number(times.crossing)} tokens on linear attention takes less time here."


def variants_table(config: VariantsConfig, result: VariantsResult) -> Table:
    """What each variant costs, how far it is from full attention, and what is counted at each length."""
    names = [f"{number} heads of keys" for number in KV_HEADS]
    rows: list[tuple[str, str, float]] = []
    for name, distance, count, size in zip(
        names, result.distances, result.parameters, result.token_bytes, strict=True
    ):
        rows += [(name, "distance of the outputs to full attention's", float(distance))]
        rows += [(name, "parameters", int(count)), (name, "bytes of the cache for a token", int(size))]
    rows.append(("linear", "distance of the outputs to full attention's", result.linear_distance))
    rows.append(("linear", "bytes kept of a text of any length", result.state_bytes))
    for i, length in enumerate(LENGTHS):
        rows += [(name, f"bytes of the cache of {length:,} tokens", int(size)) for name, size in
                 zip(names, result.cache_bytes(length), strict=True)]  # fmt: skip
        rows.append(("softmax", f"FLOPs at {length:,} tokens", int(result.softmax_flops[i])))
        rows.append(("linear", f"FLOPs at {length:,} tokens", int(result.linear_flops[i])))
    rows += [
        (f"{token}, {i + 1}", "off the whole pass, decoded word by word", float(moved))
        for i, (token, moved) in enumerate(zip(config.tokens, result.moved, strict=True))
    ]
    return Table(("what", "quantity", "value"), tuple(rows))


def _weights(config: VariantsConfig, result: VariantsResult, head: str) -> MatrixView:
    full, grouped, linear = (of_head(each, head) for each in (result.full, result.grouped, result.linear))
    limits = (0.0, max(float(np.nanmax(each)) for each in (full, grouped, linear)) or 1.0)
    shared = _words(config) | {"quantity": "weight", "scale": "sequential", "limits": limits}
    hidden = np.triu(np.ones(full.shape, bool), 1) if config.causal else None
    kept = dict(zip(KV_HEADS, (f"{size:,} bytes" for size in result.token_bytes), strict=True))
    panels: tuple[Panel, ...] = (
        MatrixPanel(
            title=f"Full, {HEADS} heads",
            values=full,
            hidden=hidden,
            note=f"Keeps {kept[HEADS]} of each word.",
            **shared,
        ),
        MatrixPanel(title="Grouped", values=grouped, hidden=hidden, note="Keeps what the slider says.", **shared),
        MatrixPanel(
            title="Multi-query", values=grouped[0], hidden=hidden, note=f"Keeps {kept[1]} of each word.", **shared
        ),
        MatrixPanel(
            title="Linear", values=linear, hidden=hidden, note=f"Keeps {result.state_bytes:,} bytes in all.", **shared
        ),
    )
    values = tuple(f"{number} ({size} of each word)" for number, size in kept.items())
    return MatrixView(
        panels=panels,
        summary="When heads share keys, a model keeps less of each word it has read, and its weights change.",
        sweep=Sweep(name="num_kv_heads", label="Heads of keys and values", values=values),
        front=2,
    )


def _cache(config: VariantsConfig, result: VariantsResult, head: str) -> MatrixView:
    """Rows of what is kept and of what each new word saw, one more with each step."""
    n, axes = len(config.tokens), _words(config)
    later = np.arange(n)[:, None] > np.arange(n)[:, None, None]  # (steps, tokens, 1)
    kept = np.where(later, 0.0, result.keys)
    weights = np.where(later, 0.0, of_head(result.steps, head))
    numbers = tuple(str(i + 1) for i in range(result.keys.shape[1]))
    panels: tuple[Panel, ...] = (
        MatrixPanel(
            title="Keys in the cache",
            values=kept,
            rows=axes["columns"],
            columns=Axis(title="number of the key", labels=numbers),
            quantity="key",
            scale="diverging",
            note=f"As many values are kept too: {int(result.token_bytes[_at(config)])} bytes for each word.",
        ),
        MatrixPanel(
            title="What each new word looks at",
            values=weights,
            hidden=np.triu(np.ones((n, n), bool), 1),
            hidden_as="not there yet",
            quantity="weight",
            scale="sequential",
            **axes,
        ),
        BarsPanel(
            title="Difference from the whole pass",
            values=result.moved,
            labels=Axis(title="word", labels=config.tokens),
            quantity="max |difference|",
        ),
    )
    said = tuple(f"{i + 1}, {token}" for i, token in enumerate(config.tokens))
    return MatrixView(
        panels=panels,
        summary="Each new word adds one row of keys and looks at all rows above; none of them is computed again.",
        sweep=Sweep(name="word", label="Words so far", values=said),
        front=2,
    )


def _bytes(config: VariantsConfig, result: VariantsResult) -> MatrixView:
    each = np.stack([result.cache_bytes(length) for length in LENGTHS], axis=1) / KIB  # (4, lengths) KiB
    state = np.full(len(LENGTHS), result.state_bytes / KIB)
    names = [f"{number} {'head' if number == 1 else 'heads'}" for number in KV_HEADS]
    here = _at(config)
    curves = tuple(
        Series(name=f"{name}, full" if number == HEADS else name, values=values, role="key" if i == here else None,
               dashed=i != here)
        for i, (number, name, values) in enumerate(zip(KV_HEADS, names, each, strict=True))
    )  # fmt: skip
    panels: tuple[Panel, ...] = (
        _over_lengths(
            "Cache of a text", (*curves, Series(name="linear, its sums", values=state, role="output")), "KiB"
        ),
        BarsPanel(
            title="At this length",
            values=np.concatenate((each, state[None])).T,
            labels=Axis(title="heads of keys", labels=(*map(str, KV_HEADS), "linear")),
            quantity="KiB",
            log_y=True,
        ),
        BarsPanel(
            title="Parameters of the layer",
            values=result.parameters.astype(float),
            labels=Axis(title="heads of keys", labels=tuple(map(str, KV_HEADS))),
            quantity="parameters",
        ),
    )
    summary = "The cache grows with the text and with its heads of keys; linear attention's sums do not grow."
    return MatrixView(panels=panels, summary=summary, sweep=_lengths(), front=2)


def _operations(config: VariantsConfig, result: VariantsResult) -> MatrixView:
    softmax, linear = result.softmax_flops.astype(float), result.linear_flops.astype(float)
    panels: tuple[Panel, ...] = (
        _over_lengths(
            "FLOPs over the length",
            (
                Series(name="softmax", values=softmax, role="query"),
                Series(name="linear", values=linear, role="output"),
            ),
            "FLOPs",
        ),
        BarsPanel(
            title="At this length",
            values=np.stack((softmax, linear), axis=1),
            labels=Axis(title="attention", labels=("softmax", "linear")),
            quantity="FLOPs",
            log_y=True,
        ),
    )
    summary = (
        "Where all weights are formed first, both lines rise alike: without softmax nothing is won."
        if config.quadratic
        else "Twice the text costs softmax attention four times as much; without softmax the line is less steep."
    )
    return MatrixView(panels=panels, summary=summary, sweep=_lengths())


def _over_lengths(title: str, series: tuple[Series, ...], y_title: str) -> LinesPanel:
    return LinesPanel(
        title=title, x=np.array(LENGTHS), x_title="tokens of the text", series=series, y_title=y_title, log_x=True,
        log_y=True,
    )  # fmt: skip


def _lengths() -> Sweep:
    return Sweep(name="length", label="Length of a text", values=tuple(f"{length // KIB} k" for length in LENGTHS))


def _at(config: VariantsConfig) -> int:
    return KV_HEADS.index(config.num_kv_heads)


def _words(config: VariantsConfig) -> dict[str, Any]:
    return {
        "rows": Axis(title="query", labels=config.tokens, role="query"),
        "columns": Axis(title="key", labels=config.tokens, role="key"),
    }
