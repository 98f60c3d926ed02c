"""How masks are drawn and told: what the weights obey, padding replaced, −10000, rows without keys."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

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
from attention_core.figures.proof import ProofStep, code, measured
from attention_core.figures.said import outcome, said, undone
from attention_core.figures.table import Table
from attention_core.figures.text import bold
from attention_core.figures.theme import PRECISION_TONES, Role
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, sentences
from attention_core.measuring.number_format import format_number
from attention_core.studies.masks import PAD, MasksConfig, MasksResult, ModuleMasks
from attention_core.studies.masks.draw.conventions import conventions_table
from attention_core.studies.masks.stack import MASK_NAMES

GRID, WEIGHTS, REPLACED, ADDITIVE, EMPTY = "masks", "weights", "padding", "additive", "empty"
FORCING: Final = "forcing"
LENGTH: Final = "length"
CONVENTIONS: Final = "conventions"
VIEWS: Final = {
    GRID: gettext_lazy("masks"),
    WEIGHTS: gettext_lazy("weights"),
    REPLACED: gettext_lazy("pad test"),
    ADDITIVE: gettext_lazy("−10000 or −∞"),
    EMPTY: gettext_lazy("a row without keys"),
    FORCING: gettext_lazy("teacher forcing"),
    LENGTH: gettext_lazy("any length"),
    CONVENTIONS: gettext_lazy("conventions"),
}
_MODULES: Final = {
    "self_attention": gettext_lazy("Self-attention"),
    "encoder.self_attention": gettext_lazy("Encoder self-attention"),
    "decoder.self_attention": gettext_lazy("Decoder self-attention"),
    "decoder.cross_attention": gettext_lazy("Decoder cross-attention"),
}


def claims_of(config: MasksConfig, view: str) -> tuple[str, ...]:
    """Ids of the claims that belong to a view."""
    of_views = {ADDITIVE: "mask-additive", EMPTY: "mask-full", FORCING: "forcing", LENGTH: "any-length"}
    return (of_views.get(view, config.claim),)


def masks_view(result: MasksResult, view: str = GRID) -> MatrixView:
    """The panels of a view.

    Args:
        result: What was measured.
        view: One of ``VIEWS``, but not what another experiment measures; the table of conventions has the grid as its
            picture, where there has to be one.
    """
    panels: tuple[Panel, ...]
    match view:
        case "weights":
            panels = _weight_panels(result)
        case "padding":
            panels = (_replaced_panel(result),)
        case "additive":
            panels = _additive_panels(result)
        case "empty":
            panels = _empty_panels(result)
        case _:
            first, *others = _grid_panels(result)
            told = sentences((_dots([panel.values for panel in (first, *others)]), first.note))
            panels = (replace(first, note=str(told)), *others)
    return MatrixView(panels=panels, summary=_summary(result, view), front=min(2, len(panels)))


def _dots(shares: Iterable[np.ndarray]) -> str:
    """What the size of a dot says, where heads have masks of their own."""
    differ = any(((share > 0) & (share < 1)).any() for share in shares)
    return _("The larger a dot, the more heads may look.") if differ else ""


def _summary(result: MasksResult, view: str) -> str:
    """What is seen in a view."""
    match view:
        case "additive":
            return said(
                result,
                "mask-additive",
                holds=_("These scores lie far closer together than 10,000: adding −10000 hides a key as −∞ does."),
                fails=_("These scores lie so far apart that keys are seen again, though 10,000 was taken from them."),
                undecided=_(
                    "Adding −10000 instead of −∞ hides a key only as long as the scores are much smaller than that."
                ),
            )
        case "empty":
            naive = _(
                "Softmax of −∞ alone is 0 ÷ 0. One such row is NaN in layer 1, and everyone who looks at it in layer "
                "2."
            )
            zeros = _("{naive} This module gives the row zeros.", naive=naive)
            return said(result, "mask-full", holds=zeros, fails=naive, undecided=naive)
        case "conventions":
            return _(
                "Libraries disagree on what True means. Each row is tested against the library it speaks of. In "
                "nn.Transformer src_mask is about pairs of words, src_key_padding_mask about padding, and "
                "memory_key_padding_mask hides that padding in cross-attention."
            )
    return _padding(result)


def _padding(result: MasksResult) -> str:
    """Whether padding is hidden: in words, from what replacing it moves."""
    if result.real.all():
        return _("No sentence is padded here: they are all as long as the longest.")
    if result.pad_moved != 0:
        return _(
            "Padding is felt: other words in its place change real words by up to {moved}.",
            moved=format_number(result.pad_moved),
        )
    still = _("No real word looks at padding: put other words in its place, and none changes.")
    if outcome(result, *(one.key for one in result.verdicts if one.key.endswith(".alone"))) == "fails":
        return _("{still} Yet on its own a sentence comes out differently.", still=still)
    return still


def masks_table(result: MasksResult, view: str = GRID) -> Table:
    """The numbers of a view: one row for each cell, or for each score size."""
    if view == CONVENTIONS:
        return conventions_table()
    if view == ADDITIVE:
        stds, differences = result.additive.stds.tolist(), result.additive.difference.T.tolist()
        rows = tuple((std, *row) for std, row in zip(stds, differences, strict=True))
        return Table(("standard deviation of the scores", *result.additive.dtypes), rows)
    cells = [
        (panel.title, i + 1, row, j + 1, column, float(panel.values[i, j]))
        for panel in masks_view(result, view).panels
        if isinstance(panel, MatrixPanel)
        for i, row in enumerate(panel.rows.labels)
        for j, column in enumerate(panel.columns.labels)
    ]
    return Table(("panel", "row", "row is", "column", "column is", "value"), tuple(cells))


def module_name(module: ModuleMasks) -> str:
    """What the module is called in words: ``Encoder self-attention``."""
    return str(_MODULES[module.name])


def _axes(module: ModuleMasks, sentence: int) -> tuple[Axis, Axis]:
    return _named(_("query"), module.queries[sentence], "query"), _named(_("key"), module.keys[sentence], "key")


def _named(title: str, tokens: Sequence[str], role: Role) -> Axis:
    """A side whose labels are words, and chips where there is padding."""
    padding = tuple(at for at, token in enumerate(tokens) if token == PAD)
    labels = tuple(_("pad") if at in padding else token for at, token in enumerate(tokens))
    return Axis(title=title, labels=labels, role=role, pale=padding)


def _most_hidden(module: ModuleMasks, most: int) -> list[int]:
    """The sentences that have the most to show, in their order."""
    return sorted(sorted(range(len(module.queries)), key=lambda i: float(module.seen[i].mean()))[:most])


def _grid_panels(result: MasksResult) -> tuple[MatrixPanel, ...]:
    """One panel for each sentence of a lone module; of several modules one each, the sentences below each other."""
    if len(result.modules) == 1:
        module = result.modules[0]
        return tuple(
            _grid_panel(module, _("Sentence {number}", number=i + 1), seen, *_axes(module, i), note=i == 0)
            for i, seen in enumerate(module.seen)
        )
    panels = []
    for module in result.modules:
        rows = _named(_("query"), [token for row in module.queries for token in row], "query")
        slots = tuple(str(i + 1) for i in range(module.seen.shape[2]))
        columns = Axis(title=_("key in slot"), labels=slots, role="key")
        panels.append(_grid_panel(module, module_name(module), np.concatenate(module.seen), rows, columns, note=True))
    return tuple(panels)


def _grid_panel(
    module: ModuleMasks, title: str, seen: np.ndarray, rows: Axis, columns: Axis, *, note: bool
) -> MatrixPanel:
    kinds = " + ".join(str(MASK_NAMES[kind]) for kind in module.kinds) or _("no mask")
    return MatrixPanel(
        title=title,
        values=seen,
        rows=rows,
        columns=columns,
        quantity=_("share of heads that may look"),
        scale="sequential",
        cells="allowed",
        limits=(0.0, 1.0),
        hidden=seen == 0,
        note=_("Masks used: {kinds}.", kinds=kinds) if note else "",
    )


def _weight_panels(result: MasksResult) -> tuple[MatrixPanel, ...]:
    """With and without masks: of a lone module two sentences, of several modules one each, those with most hidden."""
    several = len(result.modules) > 1
    panels = []
    for module in result.modules:
        for i in _most_hidden(module, 1 if several else 2):
            rows, columns = _axes(module, i)
            name = module_name(module) if several else _("Sentence {number}", number=i + 1)
            drawn = (
                (True, _("{name}, masked", name=name), module.weights[i]),
                (False, _("{name}, no mask", name=name), module.unmasked[i]),
            )
            for masked, title, weights in drawn:
                panels.append(
                    MatrixPanel(
                        title=title,
                        values=weights,
                        rows=rows,
                        columns=columns,
                        quantity=_("mean weight"),
                        scale="sequential",
                        cells="weight",
                        limits=(0.0, 1.0),
                        hidden=module.seen[i] == 0 if masked else None,
                    )
                )
    return tuple(panels)


def _replaced_panel(result: MasksResult) -> MatrixPanel:
    slots = tuple(str(i + 1) for i in range(result.moved.shape[1]))
    names = tuple(" ".join(row) for row in result.labels)
    return MatrixPanel(
        title=_("How far each output moves"),
        values=result.moved,
        rows=Axis(title=_("sentence"), labels=names),
        columns=Axis(title=_("slot"), labels=slots, role="output"),
        quantity=_("max |f(padding replaced) − f|"),
        scale="sequential",
        hidden=~result.real,
        hidden_as=_("padding: it may move"),
    )


def _additive_panels(result: MasksResult) -> tuple[Panel, ...]:
    additive = result.additive
    curves = LinesPanel(
        title=_("−10000 against −∞"),
        x=additive.stds,
        x_title=_("standard deviation of the scores"),
        series=tuple(
            Series(name=name, values=values, role=PRECISION_TONES[name])
            for name, values in zip(additive.dtypes, additive.difference, strict=True)
        ),
        y_title=_("largest difference of two weights"),
        log_x=True,
        limits=(0.0, 1.05),
        note=_("float16 ends at 65,504: larger scores overflow, and what comes of them is NaN.")
        if np.isnan(additive.difference).any()
        else "",
    )
    bars = [
        BarsPanel(
            title=title,
            values=values,
            labels=Axis(title=_("precision"), labels=additive.dtypes),
            quantity=_("largest difference"),
        )
        for title, values in (
            (_("All keys −10000, against no mask"), additive.row),
            (_("All keys −10000, against equal weights"), additive.uniform),
        )
    ]
    return (curves, *bars)


def _empty_panels(result: MasksResult) -> tuple[MatrixPanel, ...]:
    tokens = result.blind_tokens
    rows = Axis(title=_("query"), labels=tokens, role="query")
    columns = Axis(title=_("key"), labels=tokens, role="key")
    return tuple(
        MatrixPanel(
            title=_("{name}, layer {number}", name=name, number=layer + 1),
            values=values,
            rows=rows,
            columns=columns,
            quantity=_("mean weight"),
            scale="sequential",
            cells="weight",
            limits=(0.0, 1.0),
        )
        for name, row in ((_("Softmax alone"), result.blind_naive), (_("This module"), result.blind))
        for layer, values in enumerate(row.weights)
    )


def proof(config: MasksConfig, result: MasksResult) -> tuple[ProofStep, ...]:
    """The steps of the proof, beside what was measured.

    Args:
        config: The settings.
        result: Their result.
    """
    leak = _(
        "Words would give {free} of their weight to padding; as it is set, {masked}.",
        free=code(result.leak), masked=code(result.leak_masked),
    )  # fmt: skip
    late, ours = result.blind_naive.gradient, result.blind.gradient
    gradient = _(
        "Not finite in the gradient: `{ours} of {all_ours}` here, `{late} of {all_late}` if zeroed late.",
        ours=ours[0], all_ours=ours[1], late=late[0], all_late=late[1],
    )  # fmt: skip
    return (
        ProofStep(
            _(
                "A masked score is −∞, and e^(−∞) = 0: a hidden :orange[key] gets exactly no weight, so whatever its "
                ":green[value] is, it does not enter the :violet[output]."
            ),
            f"{leak}  \n{measured(result, config.claim)}",
            undone(result, config.claim),
        ),
        ProofStep(
            _(
                "A causal mask hides what comes later. Padding on the right comes later than every word, so it is "
                "hidden already; padding on the left comes first. BatchNorm looks at all tokens, whatever the masks "
                "say."
            ),
            _("Replacing the padding moves real outputs by {moved}.", moved=code(result.pad_moved)),
        ),
        ProofStep(
            _(
                "−10000 is large only beside small scores. In a row where every key gets it, it cancels: softmax "
                "ignores a constant, and the row looks as if unmasked. Half precision rounds the scores away under "
                "it."
            ),
            measured(result, "mask-additive"),
            undone(result, "mask-additive"),
        ),
        ProofStep(
            _(
                "A row that sees no key is 0 ÷ 0. Here it is set aside before softmax and gets weight 0: its "
                ":violet[output] is b_O, its gradient finite. Zeroing NaN after softmax leaves NaN in the gradient."
            ),
            f"{gradient}  \n{measured(result, 'mask-full')}",
            undone(result, "mask-full"),
        ),
    )


def masks_changed(before: MasksResult, after: MasksResult) -> str:
    """How far real outputs move when the padding is replaced, before the move and after it.

    Args:
        before: The stack and its masks.
        after: The same after the move.
    """
    was, now = before.pad_moved, after.pad_moved
    if was == now == 0:
        return _("Other words in the padding's place still move none of the real outputs.")
    if bold(was) == bold(now):
        return _("Other words in the padding's place still move real outputs by {size}.", size=bold(now))
    if now == 0:
        return _(
            "Other words in the padding's place now move no real output any more; before {size}.",
            size=bold(was),
        )
    if was == 0:
        return _("Other words in the padding's place now move real outputs by {size}; before none.", size=bold(now))
    return _(
        "Other words in the padding's place now move real outputs by {size}; before {before}.",
        size=bold(now), before=bold(was),
    )  # fmt: skip
