"""Models that differ in one thing: several heads or one, and positions at other lengths than the trained one."""

from typing import Final

import numpy as np

from attention_core.figures.matrix import LinesPanel, MatrixView, Series
from attention_core.figures.table import Table
from attention_core.figures.theme import Tone
from attention_core.language import SEMICOLON, joined, sentences
from attention_core.language import gettext as _
from attention_core.studies.learning import SUCCESS, CompareConfig, CompareResult, CompareStep
from attention_core.studies.learning.draw.seeds_and_map import spread

_TONES: Final[tuple[Tone, ...]] = ("ink", "muted", "pale", "accent")
_APART: Final = 0.05  # shares that differ by less are told as equal
Found = CompareResult | CompareStep


def compare_view(config: CompareConfig, found: Found) -> MatrixView:
    """What has been measured so far: accuracy over the steps, and at other lengths.

    Args:
        config: The settings.
        found: The result, or how far it has come.
    """
    said = _("They learn: {doing}.", doing=found.doing) if isinstance(found, CompareStep) else compare_said(found)
    bands = _("Bands: lowest and highest of {runs} runs.", runs=config.runs)
    shared = {"y_title": _("share that is right"), "limits": (0.0, 1.05)}
    learning = LinesPanel(
        title=_("Accuracy while they learn"),
        x=found.moments,
        x_title=_("steps of training"),
        series=_series(config, found.accuracy),
        note=bands,
        **shared,
    )
    lengths = config.lengths
    others = LinesPanel(
        title=_("At other lengths, once trained at {tokens} tokens", tokens=config.tokens),
        x=np.array(lengths),
        x_title=_("tokens of the sequence"),
        series=_series(config, found.at_lengths),
        marked=lengths.index(config.tokens),
        note=bands,
        **shared,
    )
    panels = (learning, others) if config.varies == "heads" else (others, learning)
    return MatrixView(panels=panels, summary=said)


def _series(config: CompareConfig, shares: np.ndarray) -> tuple[Series, ...]:
    """One curve for each model, and what guessing gets; what has no number yet, or none at all, is not drawn."""
    found = []
    for tone, name, runs in zip(_TONES, config.variants, shares, strict=False):
        one = spread(runs, str(config.spoken(name)))
        found.append(Series(name=one.name, values=one.values, band=one.band, role=tone, growing=True, pointed=True))
    chance = np.full(shares.shape[-1], 1 / config.kinds)
    return (*found, Series(name=_("chance"), values=chance, dashed=True, pointed=True))


def compare_said(result: CompareResult) -> str:
    """What came of it, in sentences."""
    here = dict(zip(result.names, np.median(result.at_lengths[:, :, result.trained_at], axis=1), strict=True))
    return _heads_said(here) if result.config.varies == "heads" else _lengths_said(result, here)


def _heads_said(here: dict[str, float]) -> str:
    fewest, *_others, most = here.values()
    numbers = {"one": f"{fewest:.0%}", "most": f"{most:.0%}"}
    mixture = _("A head has one softmax, so of each word it makes one mixture of values.")
    if not abs(most - fewest) >= _APART:
        came = _("Here small heads end where one large head of the same width does: {one} and {most}.", **numbers)
    elif most > fewest:
        came = _(
            "Small heads look at several places at once, and get {most} right; one large head {one}.",
            **numbers,
        )
    else:
        came = _(
            "One large head tells places apart more finely, and gets {one} right; small ones {most}.",
            **numbers,
        )
    return str(sentences((mixture, came)))


def _lengths_said(result: CompareResult, here: dict[str, float]) -> str:
    config, told = result.config, []
    for name, runs in zip(result.names, result.at_lengths, strict=True):
        if not here[name] >= SUCCESS:
            continue
        shares = np.median(runs, axis=0)
        worst = int(np.nanargmin(shares))
        told.append(
            _(
                "{name} {here:.0%}, and {there:.0%} of {length} tokens",
                name=config.spoken(name),
                here=here[name],
                there=shares[worst],
                length=int(result.lengths[worst]),
            )
        )
    table = _("A table of learned positions has none beyond {tokens} tokens.", tokens=config.tokens)
    if not told:
        return str(
            sentences((_("No positions learned this task at its own length: there is nothing to lose."), table))
        )
    kept = _("Trained on {tokens} tokens they get right: {told}.", tokens=config.tokens, told=joined(SEMICOLON, told))
    return str(sentences((kept, table if "learned" in result.names else "")))


def compare_table(result: CompareResult) -> Table:
    """One row for each run: what it differs in, its seed, and its share at each length."""
    columns = (result.config.varies, "seed", *(f"at {length} tokens" for length in result.lengths))
    return Table(
        columns,
        tuple(
            (name, seed, *map(float, shares))
            for name, runs in zip(result.names, result.at_lengths, strict=True)
            for seed, shares in zip(result.config.seeds, runs, strict=True)
        ),
    )
