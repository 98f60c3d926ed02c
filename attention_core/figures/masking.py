"""How masks are drawn: the grid a stack reports, weights under it, padding replaced, −10000, rows without keys."""

from typing import Final

import numpy as np
import plotly.graph_objects as go

from attention_core.experiments.masking import MaskingConfig, MaskingResult
from attention_core.experiments.masking.batch import PAD
from attention_core.experiments.masking.result import ModuleMasks
from attention_core.experiments.verdict import format_number
from attention_core.figures.matrix import (
    Axis,
    BarsPanel,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Panel,
    Series,
    matrix_heatmap,
)
from attention_core.figures.plot import Mode, axis, base_figure
from attention_core.figures.table import Table

GRID, WEIGHTS, REPLACED, ADDITIVE, EMPTY = "masks", "weights", "pad test", "−10000 or −∞", "a row without keys"
CONVENTIONS: Final = "conventions"
VIEWS: Final = (GRID, WEIGHTS, REPLACED, ADDITIVE, EMPTY, CONVENTIONS)
SAYS: Final = {
    GRID: "Rows ask, columns are looked at: where there is a 1, a query may attend. The stack itself reports this; "
    "all its layers are alike.",
    WEIGHTS: "The weights of the first layer, averaged over its heads: under the masks, and of the same queries and "
    "keys without any.",
    REPLACED: "Other words are put in the padding’s place. A mask that works leaves every real output exactly where "
    "it was.",
    ADDITIVE: "Adding −10000 instead of −∞ hides a key only as long as the scores are much smaller than that.",
    EMPTY: "Softmax of −∞ alone is 0 ÷ 0. One such row is NaN in layer 1, and everyone who looks at it in layer 2.",
    CONVENTIONS: "Nobody agrees which way round True is. Each row is tested against the library it speaks of.",
}
CONVENTION_ROWS: Final = (
    ("torch", "F.scaled_dot_product_attention", "attn_mask", "(…, q_len, kv_len)", "may attend", "float: added"),
    ("torch", "nn.MultiheadAttention", "attn_mask", "(q_len, kv_len)", "may not attend", "float: added"),
    ("torch", "nn.MultiheadAttention", "key_padding_mask", "(batch, kv_len)", "is padding", "float: added"),
    ("Hugging Face", "BertModel", "attention_mask", "(batch, kv_len)", "is a word (1)", "turned into one to add"),
    ("source C", "scaled_dot_product_attention", "key_padding_mask", "(batch, kv_len)", "is padding", "−∞ put in"),
    ("this project", "MultiHeadAttention", "attn_mask", "(…, q_len, kv_len)", "may attend", "float: added"),
    ("this project", "MultiHeadAttention", "key_padding_mask", "(batch, kv_len)", "is padding", "–"),
)


def conventions_table() -> Table:
    """Which way round True is: by library, function and argument."""
    return Table(("library", "function", "argument", "shape", "True means", "other forms"), CONVENTION_ROWS)


def claims_of(config: MaskingConfig, view: str) -> tuple[str, ...]:
    """Ids of the claims that belong to a view."""
    return {ADDITIVE: ("mask-additive",), EMPTY: ("mask-full",)}.get(view, (config.claim,))


def masking_view(result: MaskingResult, view: str = GRID) -> MatrixView:
    """The panels of a view.

    Args:
        result: What was measured.
        view: One of ``VIEWS``; the table of conventions has the grid as its picture.
    """
    panels: tuple[Panel, ...]
    match view:
        case "weights":
            panels = _weight_panels(result)
        case "pad test":
            panels = (_replaced_panel(result),)
        case "−10000 or −∞":
            panels = _additive_panels(result)
        case "a row without keys":
            panels = _empty_panels(result)
        case _:
            panels = _grid_panels(result)
    moved = f"Replacing the padding moves a real output by at most {format_number(result.pad_moved)}."
    return MatrixView(panels=panels, summary=f"{SAYS[view]} {moved}")


def masking_figure(result: MaskingResult, view: str = GRID, *, mode: Mode = "light") -> go.Figure:
    """The view's first panel as a Plotly figure: a heatmap, or curves over score size."""
    first = masking_view(result, view).panels[0]
    if isinstance(first, MatrixPanel):
        return matrix_heatmap(first, mode=mode)
    figure = base_figure(title="−10000 against −∞", mode=mode)
    for name, values in zip(result.additive.dtypes, result.additive.difference, strict=True):
        figure.add_scatter(x=result.additive.stds, y=values, name=name, mode="lines+markers")
    return figure.update_layout(
        xaxis=axis("standard deviation of the scores", log=True, mode=mode),
        yaxis=axis("largest difference of two weights", mode=mode),
    )


def masking_table(result: MaskingResult, view: str = GRID) -> Table:
    """The numbers of a view: one row for each cell, or for each score size."""
    if view == CONVENTIONS:
        return conventions_table()
    if view == ADDITIVE:
        stds, differences = result.additive.stds.tolist(), result.additive.difference.T.tolist()
        rows = tuple((std, *row) for std, row in zip(stds, differences, strict=True))
        return Table(("standard deviation of the scores", *result.additive.dtypes), rows)
    cells = [
        (panel.title, i + 1, row, j + 1, column, float(panel.values[i, j]))
        for panel in masking_view(result, view).panels
        if isinstance(panel, MatrixPanel)
        for i, row in enumerate(panel.rows.labels)
        for j, column in enumerate(panel.columns.labels)
    ]
    return Table(("panel", "row", "row is", "column", "column is", "value"), tuple(cells))


def panel_height(view: MatrixView, name: str) -> int:
    """Pixels for a panel's cells, so that all panels of the view, and a table below, are in sight at once."""
    return 264 if len(view.panels) <= 4 and name != CONVENTIONS else 120


def module_name(module: ModuleMasks) -> str:
    """What the module is called in words: ``Encoder self-attention``."""
    part = "decoder " if module.name.startswith("decoder") else "encoder " if "encoder" in module.name else ""
    return f"{part}{'cross' if 'cross' in module.name else 'self'}-attention".capitalize()


def _axes(module: ModuleMasks, sentence: int) -> tuple[Axis, Axis]:
    return (
        Axis(title="query", labels=module.queries[sentence], role="query"),
        Axis(title="key", labels=module.keys[sentence], role="key"),
    )


def _grid_panels(result: MaskingResult) -> tuple[MatrixPanel, ...]:
    """One panel for each sentence of a lone module; of several modules one each, the sentences below each other."""
    if len(result.modules) == 1:
        module = result.modules[0]
        return tuple(
            _grid_panel(module, f"Sentence {i + 1}", module.mask[i], *_axes(module, i), note=i == 0)
            for i in range(len(module.queries))
        )
    panels = []
    for module in result.modules:
        rows = Axis(title="query", labels=tuple(token for row in module.queries for token in row), role="query")
        slots = tuple(str(i + 1) for i in range(module.mask.shape[2]))
        columns = Axis(title="key in slot", labels=slots, role="key")
        panels.append(_grid_panel(module, module_name(module), np.concatenate(module.mask), rows, columns, note=True))
    return tuple(panels)


def _grid_panel(
    module: ModuleMasks, title: str, mask: np.ndarray, rows: Axis, columns: Axis, *, note: bool
) -> MatrixPanel:
    kinds = " + ".join(module.kinds).replace("attention mask", "window") or "no mask"
    return MatrixPanel(
        title=title,
        values=mask.astype(np.float32),
        rows=rows,
        columns=columns,
        quantity="1 = may attend",
        scale="sequential",
        limits=(0.0, 1.0),
        note=f"Given: {kinds}." if note else "",
    )


def _weight_panels(result: MaskingResult) -> tuple[MatrixPanel, ...]:
    """With and without masks: the two shortest sentences of a lone module, of several modules the shortest each."""
    several = len(result.modules) > 1
    lengths = [sum(text != PAD for text in row) for row in result.modules[0].queries]
    shortest = sorted(sorted(range(len(lengths)), key=lambda i: lengths[i])[: 1 if several else 2])
    panels = []
    for module in result.modules:
        for i in shortest:
            rows, columns = _axes(module, i)
            name = module_name(module) if several else f"Sentence {i + 1}"
            for masked, weights in ((True, module.weights[i]), (False, module.unmasked[i])):
                panels.append(
                    MatrixPanel(
                        title=f"{name}, {'masked' if masked else 'no mask'}",
                        values=weights,
                        rows=rows,
                        columns=columns,
                        quantity="mean weight",
                        scale="sequential",
                        limits=(0.0, 1.0),
                        hidden=~module.mask[i] if masked else None,
                    )
                )
    return tuple(panels)


def _replaced_panel(result: MaskingResult) -> MatrixPanel:
    slots = tuple(str(i + 1) for i in range(result.moved.shape[1]))
    names = tuple(" ".join(row) for row in result.labels)
    return MatrixPanel(
        title="How far each output moves",
        values=result.moved,
        rows=Axis(title="sentence", labels=names),
        columns=Axis(title="slot", labels=slots, role="output"),
        quantity="max |f(padding replaced) − f|",
        scale="sequential",
        hidden=~result.real,
        note="Padding itself is greyed: it may move.",
    )


def _additive_panels(result: MaskingResult) -> tuple[Panel, ...]:
    additive = result.additive
    curves = LinesPanel(
        title="−10000 against −∞",
        x=additive.stds,
        x_title="standard deviation of the scores",
        series=tuple(
            Series(name=name, values=values)
            for name, values in zip(additive.dtypes, additive.difference, strict=True)
        ),
        y_title="largest difference of two weights",
        log_x=True,
        limits=(0.0, 1.05),
        note="float16 ends at 65,504: larger scores overflow." if np.isnan(additive.difference).any() else "",
    )
    bars = [
        BarsPanel(
            title=f"All keys −10000, against {what}",
            values=values,
            labels=Axis(title="precision", labels=additive.dtypes),
            quantity="largest difference",
        )
        for what, values in (("no mask", additive.row), ("equal weights", additive.uniform))
    ]
    return (curves, *bars)


def _empty_panels(result: MaskingResult) -> tuple[MatrixPanel, ...]:
    empty = result.empty
    rows = Axis(title="query", labels=empty.tokens, role="query")
    columns = Axis(title="key", labels=empty.tokens, role="key")
    return tuple(
        MatrixPanel(
            title=f"{name}, layer {layer + 1}",
            values=values[layer],
            rows=rows,
            columns=columns,
            quantity="mean weight",
            scale="sequential",
            limits=(0.0, 1.0),
        )
        for name, values in (("Softmax alone", empty.naive), ("This module", empty.ours))
        for layer in range(2)
    )
