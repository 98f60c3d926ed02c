"""What the receptive field's claims say under each setting, and whether the measurement does as they say."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from attention_core.experiments.receptive_field.config import ReceptiveFieldConfig, intended_targets, visible_range
from attention_core.experiments.receptive_field.draws import RandomShare
from attention_core.experiments.receptive_field.stack import OVERWRITTEN, reach
from attention_core.experiments.verdict import Relation, Verdict, tolerance

STANDARD_ERRORS = 5.0


@dataclass(frozen=True, slots=True)
class Sees:
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


def bound_verdicts(config: ReceptiveFieldConfig, sees: Sees) -> tuple[Verdict, ...]:
    """rf-bound: no token sees more than (k + 1)^layers inputs, and both ways of counting agree."""
    bound = (config.heads + 1) ** config.layers
    within, agree, because = True, True, ""
    if config.soft:
        outcomes = [(s.most <= bound, s.differ == 0) for s in _expected_soft(config, sees)]
        within, agree = outcomes[0]
        because = "" if within and agree else "soft heads give every visible key some weight"
        if outcomes[0] != outcomes[1]:  # too close to the threshold for this precision to tell
            within, agree = sees.most <= bound, sees.differ == 0
            because = "a share lies within rounding of the threshold"
    tokens, depth = _of(len(sees.chosen), config.tokens), plural(config.layers, "layer")
    return (
        _verdict(
            config, "rf-bound", "most inputs that a token sees", sees.most, "≤", float(bound), expected=within,
            cases=f"{tokens}, {depth} up, autograd", because="" if within else because,
        ),
        _verdict(
            config, "rf-bound", "token–input pairs on which autograd and the argmax graph differ", sees.differ, "=",
            0.0, expected=agree, cases=f"{tokens}, {depth}", because="" if agree else because,
        ),
    )  # fmt: skip


def tight_verdicts(config: ReceptiveFieldConfig, sees: Sees) -> tuple[Verdict, ...]:
    """rf-tight: the last token sees min((k + 1)^layers, tokens) inputs, and token i min(i + 1, (k + 1)^layers)."""
    says = exact_reach(config)
    intended = reach(final_targets(config), residual=config.residual)[-1].sum(-1)
    measured = sees.graph[-1].sum(-1)
    what = "min(n, (k + 1)^layers)" if config.wrap and config.mask != "causal" else "min(i + 1, (k + 1)^layers)"
    because, cases = _untight(config), f"{plural(config.tokens, 'token')}, {plural(config.layers, 'layer')}"
    last, all_of_them = bool(intended[-1] == says[-1]), bool((intended == says).all())
    return (
        _verdict(
            config, "rf-tight", "inputs that the last token sees", int(measured[-1]), "=", float(says[-1]),
            expected=last, cases=cases, because="" if last else because,
        ),
        _verdict(
            config, "rf-tight", f"tokens that do not see {what} inputs", int((measured != says).sum()), "=", 0.0,
            expected=all_of_them, cases=_of(config.tokens, config.tokens), because="" if all_of_them else because,
        ),
    )  # fmt: skip


def random_verdict(config: ReceptiveFieldConfig, share: RandomShare) -> Verdict:
    """rf-random: the mean share of (k + 1)^layers is what throwing keys evenly over all tokens gives."""
    margin = STANDARD_ERRORS * share.error
    room = "tokens = (k + 1)^layers" if share.room == 1 else f"{share.room} × as many tokens"
    because = ""
    if config.mask == "causal":
        because = "a causal mask leaves fewer keys to choose among"
    elif not config.residual:
        because = "without the residual a token does not see itself for certain"
    elif config.write_positions and share.layers > 2:
        because = "positions overwritten by the first layer make all queries look at one key"
    quantity = f"mean reach / (k + 1)^layers, {room}"
    cases = f"{share.draws} draws of {plural(share.layers, 'layer')} on {plural(share.tokens, 'token')}"
    if config.mask == "sliding window" and not because:
        return _verdict(
            config, "rf-random", quantity, share.mean, "≤", share.exact + margin, expected=True, cases=cases,
            because="a sliding window leaves fewer keys to choose among",
        )  # fmt: skip
    interval = (share.exact - margin, share.exact + margin)
    return _verdict(
        config, "rf-random", quantity, share.mean, "in", interval, expected=not because, cases=cases, because=because
    )


def soft_paths(config: ReceptiveFieldConfig) -> Float[np.ndarray, "layers tokens tokens"]:
    """Closed form of what autograd measures with soft heads: ``∏ (I + Σ_h A_h)``, float64.

    ``A_h`` is softmax(one-hot of the key that is looked for / temperature) over the visible keys; weights below the
    smallest number of the precision are 0.
    """
    first, last = visible_range(config.mask, config.window, config.tokens)
    at = np.arange(config.tokens)
    hidden = (at < first[:, None]) | (at > last[:, None])
    smallest = torch.finfo(config.torch_dtype).smallest_normal * torch.finfo(config.torch_dtype).eps
    paths, below = [], np.eye(config.tokens)
    for depth, targets in enumerate(intended_targets(config)):
        scores = (targets[..., None] == at).astype(np.float64)  # (heads, tokens, tokens)
        if config.write_positions and depth:
            scores += OVERWRITTEN * (targets[:, :1, None] == at)
        weights = np.exp(scores / config.temperature - scores.max(-1, keepdims=True) / config.temperature)
        weights[:, hidden] = 0.0
        weights /= weights.sum(-1, keepdims=True)
        weights[weights < smallest / 2] = 0.0
        below = config.residual * below + (weights @ below).sum(0)
        paths.append(below)
    return np.stack(paths)


def _expected_soft(config: ReceptiveFieldConfig, sees: Sees) -> tuple[Sees, Sees]:
    """What the closed form says is seen, with the threshold moved by rounding to either side."""
    paths = soft_paths(config)[:, sees.chosen]
    share = paths / np.array([config.paths(layers + 1) for layers in range(config.layers)])[:, None, None]
    relative = tolerance(config.torch_dtype, scale=1.0, terms=config.layers * (config.tokens + config.heads))
    low, high = (
        Sees(sees.graph, share > config.threshold * factor, sees.chosen) for factor in (1 - relative, 1 + relative)
    )
    return low, high


def _untight(config: ReceptiveFieldConfig) -> str:
    if config.write_positions:
        return "positions overwritten by the first layer make all queries look at one key"
    if not config.residual:
        return f"without the residual there are only k^layers = {config.heads**config.layers:,} paths"
    return "the sliding window hides keys further back"


def _of(chosen: int, tokens: int) -> str:
    everything = plural(tokens, "token")
    if chosen < tokens:
        return f"{chosen:,} of {everything}"
    return f"all {everything}" if tokens > 1 else everything


def plural(count: int, thing: str) -> str:
    """``1 layer``, ``2 layers``, ``1,024 tokens``."""
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


def _verdict(
    config: ReceptiveFieldConfig,
    claim: str,
    quantity: str,
    measured: float,
    relation: Relation,
    bound: float | tuple[float, float],
    *,
    expected: bool,
    cases: str,
    because: str,
) -> Verdict:
    return Verdict(
        claim=claim,
        quantity=quantity,
        measured=float(measured),
        relation=relation,
        bound=bound,
        expected=expected,
        cases=cases,
        dtype=config.dtype,
        device=str(config.torch_device),
        because=because,
    )
