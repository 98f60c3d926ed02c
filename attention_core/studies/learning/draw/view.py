"""A training run as it is watched: every head's attention moment by moment, loss and accuracy, and gradients."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from attention_core.figures.lines import GUESS
from attention_core.figures.matrix import Axis, BarsPanel, LinesPanel, MatrixPanel, MatrixView, Series, Sweep
from attention_core.figures.table import Table
from attention_core.figures.theme import Role
from attention_core.language import COMMA, SEMICOLON, gettext_lazy, joined, pgettext_lazy, sentences
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.learning import (
    ROLES,
    STANDARD_ERRORS,
    SUCCESS,
    AblationResult,
    Answer,
    Head,
    History,
    LearningResult,
    letters,
    moments_of,
)

_NOTHING: Final = pgettext_lazy("which heads are off", "nothing")
_STEPS: Final = gettext_lazy("steps of training")
_ROLES: Final[tuple[Role, ...]] = ("query", "key", "value", "output")
READS: Final = gettext_lazy(
    "Nothing hides the next token, and it is the answer: what is right can be read, and shows no predicting."
)
_DOING: Final = {
    "reverse": gettext_lazy("to reverse"),
    "sort": gettext_lazy("to sort"),
    "copy": gettext_lazy("to look back"),
    "induction": gettext_lazy("to continue"),
}


def learning_view(result: LearningResult, *, awaited: bool = False) -> MatrixView:
    """Attention of every head for the probe, swept over the moments, and its accuracy; its loss in the second look.

    Args:
        result: The run.
        awaited: Whether a model without positions is still asked about: what it can reach is not to be seen yet, and
            of one that has none how far it came.
    """
    history, score = result.history, result.score
    config = history.config
    heads = heads_panels(history.attention, letters(history.probe), causal=config.causal)
    if awaited and config.positions == "none":
        return _of_run(history, heads, _("What do you expect of it?"), awaited=True)
    if config.reads_ahead:
        return _of_run(
            history,
            heads,
            _(
                "Nothing hides the next token, and it is the answer: the {right:.0%} that are right can be read, and "
                "show no predicting. The head that looks there most gives it {weight:.0%} of its weight.",
                right=history.accuracy[-1],
                weight=weight_on_answers(history),
            ),
        )
    if awaited:
        told = _("After its training the model, asked {doing}, gets {right:.0%} of the tokens right.",
                 doing=_DOING[config.task], right=history.accuracy[-1])  # fmt: skip
        return _of_run(history, heads, told, awaited=True)
    found = {"doing": _DOING[config.task], "right": history.accuracy[-1], "blind": history.blind}
    chance = abs(score.above_blind) <= STANDARD_ERRORS * score.blind_error
    if chance and history.blind < SUCCESS:  # the curve's few sequences may lie a little off all the same
        summary = _(
            "After its training the model, asked {doing}, gets no more of the tokens right than the {blind:.0%} that "
            "are the best without knowing their order; what the curve has beyond that is chance.",
            **found,
        )
    else:
        summary = _(
            "After its training the model, asked {doing}, gets {right:.0%} of the tokens right; without knowing "
            "their order {blind:.0%} would be the best.",
            **found,
        )
    return _of_run(history, heads, summary)


def _of_run(history: History, heads: tuple[MatrixPanel, ...], summary: str, *, awaited: bool = False) -> MatrixView:
    curves = (accuracy_panel(history, awaited=awaited), loss_panel(history, awaited=awaited))
    return MatrixView(
        panels=(*heads, *curves),
        front=len(heads) + 1,
        second=1,
        summary=summary,
        sweep=Sweep(name="step", label=_("Shown after step"), values=tuple(f"{step:,}" for step in history.moments)),
    )


def weight_on_answers(history: History) -> float:
    """The mean weight that a head gives the next token where it is asked for, of the head that gives it most."""
    asked = np.flatnonzero(history.wanted[:-1] >= 0)
    return float(history.attention[-1, :, :, asked, asked + 1].mean(0).max())


def moving_view(history: History, *, awaited: bool = False) -> MatrixView:
    """What is in front of it of a run under way, at its last moment; the curve has the whole run's axis already.

    Args:
        history: The run so far.
        awaited: See ``learning_view``.
    """
    config, last = history.config, len(history.moments) - 1
    moments = np.array(moments_of(config))
    still = (np.nan,) * (len(moments) - last - 1)
    so_far = replace(
        history,
        moments=moments,
        loss=np.append(history.loss, still),
        accuracy=np.append(history.accuracy, still),
    )
    return MatrixView(
        panels=(
            *heads_panels(history.attention[last], letters(history.probe), causal=config.causal),
            replace(accuracy_panel(so_far, awaited=awaited), marked=last),
        ),
        summary=_moving_words(history, awaited=awaited),
    )


def _moving_words(history: History, *, awaited: bool) -> str:
    """How far a run has come; and how much is right, where that does not answer what is asked."""
    config, done = history.config, history.moments[-1]
    if awaited and config.positions == "none":
        return _("It learns: {done:,} of {steps:,} steps.", done=done, steps=config.steps)
    told = _(
        "It learns: {done:,} of {steps:,} steps, {right:.0%} are right.",
        done=done, steps=config.steps, right=history.accuracy[-1],
    )  # fmt: skip
    return str(sentences((told, READS if config.reads_ahead else "")))


def accuracy_panel(history: History, *, awaited: bool = False) -> LinesPanel:
    """Accuracy over the steps, beside chance and the best that a model blind to order can reach.

    Args:
        history: The run.
        awaited: See ``learning_view``.
    """
    secret = awaited and history.config.positions == "none"

    def compared(name: str, height: float) -> Series:
        return Series(name=name, values=np.full(len(history.moments), height), dashed=True, pointed=True)

    return LinesPanel(
        title=_("Accuracy"),
        x=history.moments,
        x_title=str(_STEPS),
        y_title=_("share that is right"),
        limits=(0.0, 1.05),
        series=() if secret else (
            Series(name=_("this model"), values=history.accuracy, growing=True, pointed=True),
            *(() if awaited else (compared(_("best without order"), history.blind),)),
            compared(_("chance"), history.chance),
        ),
        unfolds=not secret,
        awaits=str(GUESS) if secret else "",
    )  # fmt: skip


def loss_panel(history: History, *, awaited: bool = False) -> LinesPanel:
    """Loss over the steps, beside that of guessing.

    Args:
        history: The run.
        awaited: See ``learning_view``.
    """
    secret = awaited and history.config.positions == "none"
    guessing = np.full(len(history.moments), -np.log(history.chance))
    return LinesPanel(
        title=_("Loss"),
        x=history.moments,
        x_title=str(_STEPS),
        y_title=_("cross-entropy (nats)"),
        series=() if secret else (
            Series(name=_("this model"), values=history.loss, growing=True, pointed=True),
            Series(name=_("guessing"), values=guessing, dashed=True, pointed=True),
        ),
        unfolds=not secret,
        awaits=str(GUESS) if secret else "",
    )  # fmt: skip


def gradients_view(history: History) -> MatrixView:
    """Norms of the gradients of all layers' projections and biases, over the steps."""
    norms = np.sqrt(np.square(history.gradients).sum(1))  # (moments, 8)
    panels = []
    for title, first in ((_("Gradients of the matrices"), 0), (_("Gradients of the biases"), 4)):
        series = tuple(
            Series(name=ROLES[first + i], values=norms[:, first + i], role=role)
            for i, role in enumerate(_ROLES)
            if np.isfinite(norms[:, first + i]).all()
        )
        if series:
            panels.append(
                LinesPanel(
                    title=title,
                    x=history.moments,
                    x_title=str(_STEPS),
                    series=series,
                    y_title=_("norm"),
                    log_y=True,
                )
            )
    ends = (f"{one.name} {format_number(float(one.values[-1]))}" for panel in panels for one in panel.series)
    summary = _("Norms of the gradients at the last moment: {norms}.", norms=joined(COMMA, ends))
    return MatrixView(panels=tuple(panels), summary=summary)


def answer_view(found: Answer, *, causal: bool) -> MatrixView:
    """What a trained model makes of one input: every head's attention, and how likely it holds each token."""
    kinds = letters(range(found.probabilities.shape[1]))
    panels = (
        *heads_panels(found.attention, found.tokens, causal=causal, off=found.off),
        MatrixPanel(
            title=_("Its answer"),
            values=found.probabilities,
            rows=Axis(title=_("slot"), labels=found.tokens, role="query"),
            columns=Axis(title=_("token"), labels=kinds, role="output"),
            quantity=_("probability"),
            scale="sequential",
            cells="weight",
            limits=(0.0, 1.0),
        ),
    )
    return MatrixView(panels=panels, summary=answer_words(found))


def answer_words(found: Answer) -> str:
    """What the model answers, and how much of it is right, in a sentence or two."""
    right = _("Nothing is asked of this input.")
    if found.asked:
        right = _("{right} of {asked} are right.", right=found.right, asked=found.asked)
    said = {"tokens": " ".join(found.tokens), "said": " ".join(found.said), "right": right}
    answer = _("Asked {tokens}, the model answers {said}; {right}", **said)
    if found.off:
        off = _list(found.attention.shape[:2], found.off)
        answer = _("Asked {tokens}, the model without {off} answers {said}; {right}", off=off, **said)
    given = len(found.tokens)
    if found.reads_ahead and found.asked:
        return str(sentences((answer, READS)))
    if given < found.trained_on and found.right < found.asked:
        return _(
            "{answer} It was trained on {trained_on} letters, and with {given} it is lost.",
            answer=answer,
            trained_on=found.trained_on,
            given=given,
        )
    return answer


def ablation_view(found: AblationResult, whole: float) -> MatrixView:
    """The accuracy that is left with each head off, and with those that were switched off.

    Args:
        found: What is left.
        whole: Accuracy with all heads on.
    """
    each, off = found.each, found.config.off
    names = [head_name(each.shape, at) for at in np.ndindex(each.shape)]
    bars = {str(_NOTHING): whole} | dict(zip(names, each.ravel(), strict=True))
    if len(off) > 1:
        bars[_("these together")] = found.left.accuracy
    panel = BarsPanel(
        title=_("Accuracy that is left"),
        values=np.array([*bars.values()]),
        labels=Axis(title=_("switched off"), labels=tuple(bars)),
        quantity=_("share that is right"),
        limits=(0.0, 1.05),
    )
    return MatrixView(
        panels=(panel,),
        summary=_(
            "All heads: {whole:.0%} right. Without {head}: {least:.0%}, the least.",
            whole=whole,
            head=names[int(each.argmin())],
            least=each.min(),
        ),
    )


def ablation_words(found: AblationResult, whole: float) -> str:
    """What is left without the heads that are off, in a sentence.

    Args:
        found: What is left.
        whole: Accuracy with all heads on.
    """
    off = found.config.off
    if not off:
        return _(
            "With all heads {whole:.1%} are right on new sequences. Switch one off to see what is left.", whole=whole
        )
    return _(
        "Without {off}: {left:.1%} are right on new sequences; with all heads {whole:.1%}.",
        off=_list(found.each.shape, off),
        left=found.left.accuracy,
        whole=whole,
    )


def learning_table(history: History) -> Table:
    """One row a moment: loss, accuracy, and the norms of all layers' gradients and movements."""
    per_layer = [(layer, name) for layer in range(history.config.layers) for name in ROLES]
    columns = (
        "steps",
        "loss",
        "accuracy",
        "answer to the probe",
        *(f"‖∂L/∂{name}‖, layer {layer + 1}" for layer, name in per_layer),
        *(f"{name} moved, layer {layer + 1}" for layer, name in per_layer),
    )
    rows = tuple(
        (
            int(step),
            float(history.loss[at]),
            float(history.accuracy[at]),
            " ".join(letters(history.said[at])),
            *(float(norm) for norm in history.gradients[at].ravel()),
            *(float(norm) for norm in history.moved[at].ravel()),
        )
        for at, step in enumerate(history.moments)
    )
    return Table(columns, rows)


def heads_panels(
    attention: np.ndarray, tokens: tuple[str, ...], *, causal: bool, off: Sequence[Head] = ()
) -> tuple[MatrixPanel, ...]:
    """One panel a head, from (moments, layers, heads, tokens, tokens) or without moments."""
    layers, heads, n = attention.shape[-4:-1]

    def title(at: Head) -> str:
        name = head_name((layers, heads), at).capitalize() if layers * heads > 1 else _("Attention")
        return _("{name} (off)", name=name) if at in off else name

    return tuple(
        MatrixPanel(
            title=title((layer, head)),
            values=attention[..., layer, head, :, :],
            rows=Axis(title=_("query"), labels=tokens, role="query"),
            columns=Axis(title=_("key"), labels=tokens, role="key"),
            quantity=_("weight"),
            scale="sequential",
            cells="weight",
            limits=(0.0, 1.0),
            hidden=~np.tri(n, dtype=bool) if causal else None,
        )
        for layer in range(layers)
        for head in range(heads)
    )


def head_name(shape: tuple[int, ...], at: Head) -> str:
    """What a head is called among (layers, heads): no more than tells it from the others."""
    layers, heads = shape
    if heads == 1:
        return _("layer {layer}", layer=at[0] + 1)
    if layers == 1:
        return _("head {head}", head=at[1] + 1)
    return _("layer {layer}, head {head}", layer=at[0] + 1, head=at[1] + 1)


def _list(shape: tuple[int, ...], heads: Sequence[Head]) -> str:
    return str(joined(SEMICOLON, (head_name(shape, at) for at in heads)))
