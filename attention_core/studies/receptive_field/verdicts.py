"""What the receptive field's claims say under each setting, and whether the measurement does as they say."""

from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy, pgettext_lazy
from attention_core.measuring.bounds import tolerance
from attention_core.measuring.judge import ClaimTest, Measurement, judge_all
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Verdict
from attention_core.studies.receptive_field.draws import RandomShare
from attention_core.studies.receptive_field.settings import ReceptiveFieldConfig, intended_targets, visible_range
from attention_core.studies.receptive_field.stack import OVERWRITTEN, content_unit, reach

INPUTS: Final = pgettext_lazy("unit", "inputs")
STANDARD_ERRORS: Final = 5.0
MAX_CHOSEN: Final = 64  # tokens that autograd is asked for


@dataclass(frozen=True, slots=True)
class SeenInputs:
    """What was measured: which inputs a token sees, each way.

    Attributes:
        graph: From the argmax graph (layers, tokens, tokens).
        autograd: From the derivatives, for the chosen tokens (layers, chosen, tokens).
        chosen: The chosen tokens.
    """

    graph: Bool[np.ndarray, "layers tokens tokens"]
    autograd: Bool[np.ndarray, "layers chosen tokens"]
    chosen: Int[np.ndarray, " chosen"]

    @property
    def most(self) -> int:
        """The most inputs any chosen token of the last layer sees, by autograd."""
        return int(self.autograd[-1].sum(-1).max())

    @property
    def differ(self) -> int:
        """Pairs of a chosen token and an input on which the two ways differ, over all layers."""
        return int((self.graph[:, self.chosen] != self.autograd).sum())


def final_targets(config: ReceptiveFieldConfig) -> Int[np.ndarray, "layers heads tokens"]:
    """The key each query of each head looks at, by index arithmetic, after positions were overwritten if they are."""
    targets = intended_targets(config).copy()
    if config.write_positions:
        targets[1:] = targets[1:, :, :1]  # every query looks for what the first token looks for
    return targets


def exact_reach(config: ReceptiveFieldConfig) -> Int[np.ndarray, " tokens"]:
    """What rf-tight says each token sees: min((k + 1)^layers, tokens it may look back to)."""
    around = config.wrap and config.mask != "causal"
    behind = np.full(config.tokens, config.tokens) if around else np.arange(1, config.tokens + 1)
    return np.minimum(behind, (config.heads + 1) ** config.layers)


def chosen_tokens(config: ReceptiveFieldConfig) -> Int[np.ndarray, " chosen"]:
    """The tokens that autograd is asked for, the last one among them."""
    return np.unique(np.linspace(0, config.tokens - 1, MAX_CHOSEN).round().astype(np.int64))


def bound_verdicts(config: ReceptiveFieldConfig, sees: SeenInputs) -> tuple[Verdict, ...]:
    """rf-bound: no token sees more than (k + 1)^layers inputs, and both ways of counting agree."""
    bound = (config.heads + 1) ** config.layers
    tried = {"tokens": _of(len(sees.chosen), config.tokens), "layers": _layers(config.layers)}
    above = _("{tokens}, {layers} up, autograd", **tried)
    pairs = ngettext_lazy("of {count:,} token–input pair", "of {count:,} token–input pairs", sees.autograd.size)
    found = {
        "rf-bound.most": Measurement(
            sees.most,
            bound,
            above,
            unit=INPUTS,
        ),
        "rf-bound.agree": Measurement(sees.differ, 0, _("{tokens}, {layers}", **tried), unit=pairs),
    }
    return judge_all(config, BOUND_TESTS, found)


def _most(config: ReceptiveFieldConfig) -> Theory:
    """No token sees more than the bound."""
    bound = (config.heads + 1) ** config.layers
    if config.soft:
        least, most = (int(seen[-1].sum(-1).max()) for seen in _soft_seen(config, chosen_tokens(config)))
        if least <= bound < most:
            return _doubt(config)
        if most > bound:
            return Fails(SOFT)
    capped = _("there are no more than {tokens} to see", tokens=_tokens(config.tokens))
    return Open(capped) if config.tokens <= bound else Holds()


def _agree(config: ReceptiveFieldConfig) -> Theory:
    """Autograd sees what the graph does; of soft heads neither end of what may be seen need be the graph."""
    if config.soft:
        chosen = chosen_tokens(config)
        graph = reach(final_targets(config), residual=config.residual)[:, chosen]
        certain, possible = _soft_seen(config, chosen)
        if not ((certain <= graph).all() and (graph <= possible).all()):
            return Fails(SOFT)
        if (certain < possible).any():
            return _doubt(config)
    return Open(LONELY) if config.tokens == 1 else Holds()


def _doubt(config: ReceptiveFieldConfig) -> Open:
    return Open(_("a share lies within {dtype}'s rounding of the threshold, or of 0", dtype=config.dtype))


LONELY: Final = _("there is one token, which sees itself")
SOFT: Final = _("soft heads give every visible key some weight")
OVERWRITING: Final = _("positions overwritten by the first layer make all queries look at one key")
BOUND_TESTS: Final = (
    ClaimTest("rf-bound.most", "≤", _("the token that sees most sees"), _("most inputs that a token sees"),
              theory=_most, rounds=False),
    ClaimTest("rf-bound.agree", "=", _("autograd and the graph of where heads look differ on"),
              _("pairs that only one of autograd and the argmax graph sees"), theory=_agree),
)  # fmt: skip


def tight_verdicts(config: ReceptiveFieldConfig, sees: SeenInputs) -> tuple[Verdict, ...]:
    """rf-tight: the last token sees min((k + 1)^layers, tokens) inputs, and token i min(i + 1, (k + 1)^layers)."""
    claimed, measured = exact_reach(config), sees.graph[-1].sum(-1)
    around = config.wrap and config.mask != "causal"
    what = _("min(n, (k + 1)^layers)") if around else _("min(i + 1, (k + 1)^layers)")
    cases = _("{tokens}, {layers}", tokens=_tokens(config.tokens), layers=_layers(config.layers))
    others = ngettext_lazy("of {count:,} token", "of {count:,} tokens", config.tokens)
    found = {
        "rf-tight.last": Measurement(int(measured[-1]), int(claimed[-1]), cases, unit=INPUTS),
        "rf-tight.every": Measurement(int((measured != claimed).sum()), 0, cases, unit=others),
    }
    tests = (
        ClaimTest("rf-tight.last", "=", _("the last token sees"), _("inputs that the last token sees"),
                  theory=partial(_tight, tokens=slice(-1, None))),
        ClaimTest("rf-tight.every", "=", _("another number of inputs than {what} see", what=what),
                  _("tokens that do not see {what} inputs", what=what), theory=partial(_tight, tokens=slice(None))),
    )  # fmt: skip
    return judge_all(config, tests, found)


def random_verdict(config: ReceptiveFieldConfig, share: RandomShare) -> Verdict:
    """rf-random: the mean share of (k + 1)^layers is what throwing keys evenly over all tokens gives."""
    margin = STANDARD_ERRORS * share.error
    tokens = _("as many tokens as paths")
    if share.tokens_per_path > 1:
        tokens = _("{times} × as many tokens as paths", times=share.tokens_per_path)
    windowed = config.mask == "window" and config.residual
    bound = share.exact + margin if windowed else (share.exact - margin, share.exact + margin)
    test = ClaimTest(
        f"rf-random.{share.tokens_per_path}", "≤" if windowed else "in",
        _("with {tokens} random heads see on average, as a share of (k + 1)^layers,", tokens=tokens),
        _("mean reach / (k + 1)^layers, {tokens}", tokens=tokens), theory=partial(_evenly, layers=share.layers),
        rounds=False,
    )  # fmt: skip
    cases = _(
        "{draws} draws of {layers} on {tokens}",
        draws=share.draws,
        layers=_layers(share.layers),
        tokens=_tokens(share.tokens),
    )
    note = _("a sliding window leaves fewer keys to choose among") if windowed else ""
    return judge_all(config, (test,), {test.key: Measurement(share.mean, bound, cases, note=note)})[0]


def _evenly(config: ReceptiveFieldConfig, layers: int) -> Theory:
    """Keys are thrown evenly over all tokens, and each token sees itself."""
    if config.mask == "causal":
        return Fails(_("a causal mask leaves fewer keys to choose among"))
    if not config.residual:
        return Fails(_("without the residual a token does not see itself for certain"))
    return Fails(OVERWRITING) if config.write_positions and layers > 2 else Holds()


def soft_paths(config: ReceptiveFieldConfig, floor: float = 0.0) -> Float[np.ndarray, "layers tokens tokens"]:
    """Closed form of what autograd measures with soft heads: ``∏ (I + Σ_h A_h)``, float64.

    ``A_h`` is softmax(one-hot of the key that is looked for / temperature) over the visible keys.

    Args:
        config: The settings.
        floor: Weights below it are taken as 0.
    """
    first, last = visible_range(config.mask, config.window, config.tokens)
    at = np.arange(config.tokens)
    hidden = (at < first[:, None]) | (at > last[:, None])
    paths, below = [], np.eye(config.tokens)
    for depth, targets in enumerate(intended_targets(config)):
        scores = (targets[..., None] == at).astype(np.float64)  # (heads, tokens, tokens)
        if config.write_positions and depth:
            scores += OVERWRITTEN * (targets[:, :1, None] == at)
        weights = np.exp(scores / config.temperature - scores.max(-1, keepdims=True) / config.temperature)
        weights[:, hidden] = 0.0
        weights /= weights.sum(-1, keepdims=True)
        weights[weights < floor] = 0.0
        below = config.residual * below + (weights @ below).sum(0)
        paths.append(below)
    return np.stack(paths)


def _soft_seen(
    config: ReceptiveFieldConfig, chosen: Int[np.ndarray, " chosen"]
) -> tuple[Bool[np.ndarray, "layers chosen tokens"], Bool[np.ndarray, "layers chosen tokens"]]:
    """What the closed form says is seen for certain, and what may be seen: rounding and underflow decide between."""
    all_paths = np.array([config.paths(layers + 1) for layers in range(config.layers)])[:, None, None]
    smallest = torch.finfo(config.torch_dtype).smallest_normal
    relative = tolerance(config.torch_dtype, scale=1.0, terms=config.layers * (config.tokens + config.heads))
    strict, generous = (soft_paths(config, floor)[:, chosen] for floor in (smallest, 0.0))
    unit = content_unit(config.paths(config.layers))
    certain = (strict / all_paths > config.threshold * (1 + relative)) & (strict * unit >= smallest)
    return certain, generous / all_paths > config.threshold * max(0.0, 1 - relative)


def _tight(config: ReceptiveFieldConfig, tokens: slice) -> Theory:
    """These tokens reach as far as the bound lets them."""
    intended = reach(final_targets(config), residual=config.residual)[-1].sum(-1)
    if (intended == exact_reach(config))[tokens].all():
        return Open(LONELY) if config.tokens == 1 else Holds()
    if config.write_positions:
        return Fails(OVERWRITING)
    if not config.residual:
        few = _("without the residual there are only k^layers = {paths:,} paths", paths=config.heads**config.layers)
        return Fails(few)
    return Fails(_("the sliding window hides keys further back"))


def _of(chosen: int, tokens: int) -> str:
    if chosen < tokens:
        return _("{chosen:,} of {tokens:,} tokens", chosen=chosen, tokens=tokens)
    return _("all {tokens:,} tokens", tokens=tokens) if tokens > 1 else _tokens(tokens)


def _tokens(count: int) -> str:
    return ngettext_lazy("{count:,} token", "{count:,} tokens", count)


def _layers(count: int) -> str:
    return ngettext_lazy("{count:,} layer", "{count:,} layers", count)
