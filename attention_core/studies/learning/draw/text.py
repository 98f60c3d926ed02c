"""A training on a text as it is watched: every head, loss beside what counting foretells, and what is written."""

from dataclasses import replace
from html import escape
from typing import Final

import numpy as np

from attention_core.figures.matrix import LinesPanel, MatrixView, Series, Sweep
from attention_core.figures.proof import ProofStep, code
from attention_core.figures.said import undone
from attention_core.figures.table import Table
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, sentences
from attention_core.studies.learning import (
    CONFIDENT,
    OPTIMIZERS,
    PARTS,
    TEMPERATURES,
    TextResult,
    TextRun,
    join,
    moments_of,
    shown,
    spaced,
)
from attention_core.studies.learning.draw.view import READS, accuracy_panel, heads_panels

_COUNTED: Final = (
    gettext_lazy("single tokens counted"),
    gettext_lazy("pairs counted"),
    gettext_lazy("triples counted"),
)


def text_view(result: TextResult) -> MatrixView:
    """Attention of every head for a piece of the text, swept over the moments, and the loss; accuracy as second look.

    Args:
        result: The run.
    """
    run = result.run
    history = run.history
    heads = heads_panels(history.attention, shown(run.spelled(history.probe)), causal=run.config.causal)
    return MatrixView(
        panels=(*heads, _loss_panel(run), accuracy_panel(history, awaited=True)),
        front=len(heads) + 1,
        second=1,
        summary=_said(result),
        sweep=Sweep(name="step", label=_("Shown after step"), values=tuple(f"{step:,}" for step in history.moments)),
    )


def _said(result: TextResult) -> str:
    run = result.run
    numbers = {"loss": run.held_out[-1], "pairs": run.counted[1], "triples": run.counted[2]}
    came = _(
        "On the part that is held out each token surprises the model by {loss:.2f} nats, counted pairs by "
        "{pairs:.2f}, triples by {triples:.2f}.",
        **numbers,
    )
    if run.config.reads_ahead:
        return str(sentences((came, READS)))
    gain = result.gain
    apart = {"gain": abs(gain.mean), "wide": CONFIDENT * gain.error}
    if gain.low > 0:
        told = _("It knows more than pairs: {gain:.2f} ± {wide:.2f} nats a token.", **apart)
    elif gain.mean + apart["wide"] < 0:
        told = _("It knows less than pairs: {gain:.2f} ± {wide:.2f} nats a token.", **apart)
    else:
        told = _("It cannot be told from pairs: {gain:.2f} ± {wide:.2f} nats a token apart.", **apart)
    better = (
        (_("Counted triples foretell it better still."),)
        if gain.low > 0 and run.counted[2] < run.held_out[-1]
        else ()
    )
    return str(sentences((came, told, *better)))


def text_moving_view(run: TextRun) -> MatrixView:
    """What is in front of it of a run under way, at its last moment; the curve has the whole run's axis already."""
    history, config = run.history, run.config
    last, moments = len(history.moments) - 1, np.array(moments_of(config))
    still = (np.nan,) * (len(moments) - last - 1)
    so_far = replace(
        run,
        history=replace(history, moments=moments, loss=np.append(history.loss, still)),
        held_out=np.append(run.held_out, still),
    )
    words = shown(run.spelled(history.probe))
    return MatrixView(
        panels=(
            *heads_panels(history.attention[last], words, causal=config.causal),
            replace(_loss_panel(so_far), marked=last),
        ),
        summary=_(
            "It learns: {done:,} of {steps:,} steps; where the text is held out its loss is {loss:.2f} nats a token.",
            done=history.moments[-1], steps=config.steps, loss=run.held_out[-1],
        ),
    )  # fmt: skip


def _loss_panel(run: TextRun) -> LinesPanel:
    history = run.history
    counted = (
        Series(name=str(name), values=np.full(len(history.moments), height), dashed=True, pointed=True)
        for name, height in zip(_COUNTED, run.counted, strict=True)
    )
    return LinesPanel(
        title=_("Loss of the part held out"),
        x=history.moments,
        x_title=_("steps of training"),
        y_title=_("cross-entropy (nats a token)"),
        series=(
            Series(name=_("this model"), values=run.held_out, growing=True, pointed=True),
            *counted,
        ),
        unfolds=True,
    )


def text_words(run: TextRun) -> str:
    """What the text was cut into, and what of it is held out, in a sentence."""
    config = run.config
    return _(
        "The text is cut into {parts}: {length:,}, of {kinds:,} kinds. Its last {tail:,} are held out.",
        parts=PARTS[run.by], length=config.length, kinds=config.kinds, tail=config.tail,
    )  # fmt: skip


def written_words(run: TextRun, moment: int, temperature: float) -> str:
    """How much of what it wrote at a moment stands so in the text, in a sentence.

    Args:
        run: The run.
        moment: Which of its moments.
        temperature: One of ``TEMPERATURES``.
    """
    at = TEMPERATURES.index(temperature)
    length = int(run.copied[moment, at, 1])
    return _(
        "After step {step:,} it writes this; the underlined run of {length:,} tokens stands so in the text.",
        step=int(run.history.moments[moment]), length=length,
    )  # fmt: skip


def written_html(run: TextRun, moment: int, temperature: float) -> str:
    """What it wrote at a moment as HTML, the longest run of it that stands so in the text underlined."""
    at = TEMPERATURES.index(temperature)
    start, length = run.copied[moment, at]
    parts = spaced(run.spelled(run.written[moment, at]), run.by)
    before, copied, after = (
        escape("".join(part)) for part in (parts[:start], parts[start : start + length], parts[start + length :])
    )
    bare = copied.lstrip(" ")
    return f"{before}{' ' * (len(copied) - len(bare))}<u>{bare}</u>{after}".lstrip()


def text_table(run: TextRun) -> Table:
    """One row a moment: losses beside what counting foretells, and what it writes at temperature 1."""
    at = TEMPERATURES.index(1.0)
    columns = (
        "steps", "loss", "loss, held out", "single tokens counted", "pairs counted", "triples counted", "written",
        "longest run copied",
    )  # fmt: skip
    history = run.history
    rows = tuple(
        (
            int(step),
            float(history.loss[moment]),
            float(run.held_out[moment]),
            *map(float, run.counted),
            join(run.spelled(run.written[moment, at]), run.by),
            int(run.copied[moment, at, 1]),
        )
        for moment, step in enumerate(history.moments)
    )
    return Table(columns, rows)


def text_proof(result: TextResult) -> tuple[ProofStep, ...]:
    """The steps, whatever text was trained on."""
    run = result.run
    config, history, gain = run.config, run.history, result.gain
    at = TEMPERATURES.index(1.0)
    return (
        ProofStep(
            _(
                "The loss is how surprised the model is by the token that comes next. It is trained on pieces that "
                "begin anywhere in the text but its last tenth, and measured on that, which it never sees."
            ),
            _(
                "{optimizer} took the loss of the last tenth, `{tail:,}` tokens, from {first} to {last} nats a token "
                "in `{steps:,}` steps, in {dtype}.",
                optimizer=OPTIMIZERS[config.optimizer], tail=config.tail, first=code(run.held_out[0]),
                last=code(run.held_out[-1]), steps=int(history.moments[-1]), dtype=config.dtype,
            ),
        ),
        ProofStep(
            _(
                "Counting foretells the next token without any network: by how often each token comes, follows "
                "another one, or follows two others, mixed so that the training text itself is likeliest. Whoever "
                "knows only which token follows which can do no better than the true shares of pairs."
            ),
            _(
                "Single tokens leave {single} nats, pairs {pairs}, triples {triples}. The model lies `{mean:.3f}` "
                "below the pairs (standard error `{error:.3f}`, over `{sequences:,}` sequences).",
                single=code(run.counted[0]), pairs=code(run.counted[1]), triples=code(run.counted[2]), mean=gain.mean,
                error=gain.error, sequences=gain.sequences,
            ),
            undone(result, "text-pairs"),
        ),
        ProofStep(
            _(
                "It writes by drawing one token after the other from what it holds likely, the scores divided by the "
                "temperature. What it writes may be the text itself: the longest run that both have is looked for, "
                "and beside it the longest that it has in common with the text once that is shuffled."
            ),
            _(
                "At temperature 1 that run has `{copied:,}` of `{written:,}` tokens; with the text shuffled "
                "`{by_chance:,}`.",
                copied=int(run.copied[-1, at, 1]), written=run.written.shape[-1], by_chance=result.by_chance,
            ),
            undone(result, "text-copy"),
        ),
    )  # fmt: skip
