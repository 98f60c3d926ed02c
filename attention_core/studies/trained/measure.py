"""One text through a trained model, and the app's claims on its weights."""

import copy
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import output_tolerance
from attention_core.measuring.gradients import pull_back
from attention_core.measuring.inputs import generator
from attention_core.measuring.judge import ClaimTest, Measurement, Steps, largest, run_tests_in_steps, worst
from attention_core.measuring.models import all_seeing, attentions, into_stack, stack_of, without_positions
from attention_core.measuring.spelling import MOST_TOKENS
from attention_core.measuring.stack_bounds import stack_tolerance
from attention_core.measuring.step import Step
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.shared_copy import shared_copy
from attention_core.modules.traced import TracedCall, traced
from attention_core.shipped.accuracy import without
from attention_core.shipped.rivals import rivals
from attention_core.studies.trained.heads import heads_off
from attention_core.studies.trained.result import TrainedResult
from attention_core.studies.trained.settings import FACTORS, TrainedConfig, can_move
from attention_core.studies.trained.theory import key_bias, order_bare, order_placeless, order_whole, value_bias

LIKELY, RISEN = 8, 6  # next words with all heads on, and at most so many that come in among them with some off
PROBES: Final = 8
ROLES: Final = ("q", "k", "v")


def run_trained(config: TrainedConfig) -> TrainedResult:
    """All of ``steps_trained`` at once, for a model that answers as fast as any other picture."""
    *_, result = steps_trained(config)
    assert isinstance(result, TrainedResult)
    return result


def steps_trained(config: TrainedConfig) -> Iterator[Step | TrainedResult]:
    """Measure one text through a model: a ``Step`` before each part, and last the result."""
    yield from run_tests_in_steps(TrainedResult, config, TESTS, _steps)


def _steps(config: TrainedConfig) -> Steps:
    ids, tokens = config.spelled()
    off, text = heads_off(config), torch.tensor([ids], device=config.torch_device)
    parts: list[tuple[str, Callable[[Any, Tensor, TrainedConfig], tuple[dict[str, Measurement], dict[str, Any]]]]] = [
        (_("one pass"), _looks), (_("biases taken out"), _biases), (_("words shuffled"), _orders),
        (_("depth"), _depth),
    ]  # fmt: skip
    whole = config.prepared()
    module = without(whole, off)
    found: dict[str, Measurement] = {}
    values: dict[str, Any] = {"config": config, "tokens": tokens, "off": off}
    for done, (doing, part) in enumerate(parts):
        yield Step(done, len(parts), doing)
        with torch.no_grad():
            new, more = part(module, text, config)
        found |= new
        values |= more
    values |= _next_tokens(module, whole, text, config) | {"continues": config.source.continues}
    return found, values


@torch.no_grad()
def _next_tokens(module: Any, whole: Any, text: Tensor, config: TrainedConfig) -> dict[str, Any]:
    """What comes next, with the heads that are off and with all of them."""
    source = config.source
    if not source.has_head:
        empty = np.zeros(0)
        none = {"likely": (), "kind": (), "probabilities": empty, "before": empty}
        return none | {"kinds": (), "shares": np.zeros((0, 2))}
    now, before = (on_cpu(each(text)[0, -1]).softmax(-1) for each in (module, whole))
    at, risen = (each.topk(min(LIKELY, len(now))).indices for each in (before, now))
    # In this order words keep their places as heads go off.
    at = torch.cat((at, risen[~torch.isin(risen, at)][:RISEN]))
    values = {
        "likely": tuple(source.name_of(int(one)) for one in at),
        "probabilities": now[at],
        "before": before[at],
    }
    kinds = rivals(config.model, config.spelled()[1])
    kind_of = {word: name for name, words in kinds.items() for word in words}
    places = [[source.words.index(word) for word in words] for words in kinds.values()]
    shares = np.array([[float(one[of].sum()) for one in (now, before)] for of in places]).reshape(-1, 2)
    kind = tuple(kind_of.get(word, "") for word in values["likely"])
    return values | {"kinds": tuple(kinds), "kind": kind, "shares": shares}


def _looks(module: Any, text: Tensor, config: TrainedConfig) -> tuple[dict[str, Measurement], dict[str, Any]]:
    """Scores and weights of every head, and what they say of it."""
    calls = _calls(module, text)
    scores, masked, weights = (
        torch.stack([on_cpu(getattr(call.trace, name))[0] for call in calls])
        for name in ("scores", "masked_scores", "weights")
    )
    n = text.shape[1]
    places = torch.arange(n, dtype=torch.float64)
    back = (weights * (places[:, None] - places).abs()).sum(-1).mean(-1)
    seen = masked.isfinite()
    several = seen.sum(-1) > 1  # a row of one key has nothing to choose
    rows = several.sum(-1).clamp(min=1)
    at_factors = [(masked * (factor / config.factor)).softmax(-1).nan_to_num() for factor in FACTORS]
    lengths = [_jacobian(one) for one in at_factors]

    def over_rows(each: Tensor) -> Tensor:
        return torch.where(several, each, 0.0).sum(-1) / rows

    return {}, {
        "scale": torch.tensor([each.scale for each in attentions(module)]).double(),
        "d_head": attentions(module)[0].d_head,
        "hidden": ~seen.any(1).numpy(),
        "scores": scores,
        "weights": weights,
        "entropy": torch.special.entr(weights).sum(-1).mean(-1) / math.log(2),
        "distance": back,
        "first": weights[:, :, 1:, 0].mean(-1) if n > 1 else weights[:, :, :, 0].mean(-1),
        "spread": over_rows(_std(masked, seen)),
        "largest": torch.stack([over_rows(one.amax(-1)) for one in at_factors]),
        "gradient": torch.stack([over_rows(one) for one in lengths]),
        "rank": torch.stack([_effective_ranks(each) for each in attentions(module)]),
    }


def _calls(module: Any, text: Tensor) -> list[TracedCall]:
    stack = stack_of(module)
    tokens, options = into_stack(module, text)
    with traced(stack) as calls:
        stack(*tokens, **options)
    return calls


def _std(values: Tensor, seen: Tensor) -> Tensor:
    """Standard deviation along the last axis of what is seen."""
    count = seen.sum(-1).clamp(min=1)
    kept = values.masked_fill(~seen, 0.0)
    mean = kept.sum(-1) / count
    return (((kept - mean[..., None]).square() * seen).sum(-1) / count).sqrt()


def _jacobian(weights: Tensor) -> Tensor:
    """‖diag(a) − a aᵀ‖_F of each row: its square is Σa² − 2Σa³ + (Σa²)²."""
    squares = weights.square().sum(-1)
    return (squares - 2 * weights.pow(3).sum(-1) + squares.square()).clamp(min=0).sqrt()


def _effective_ranks(attention: MultiHeadAttention) -> Tensor:
    """e^H of the shares of the singular values of each head's W_Qᵀ W_K: Roy & Vetterli (2007), "Effective Rank"."""
    assert attention.q_weight is not None
    assert attention.k_weight is not None
    q = on_cpu(attention.q_weight).unflatten(0, (attention.num_heads, -1))
    k = on_cpu(attention.k_weight).unflatten(0, (attention.num_kv_heads, -1))
    k = k.repeat_interleave(attention.num_heads // attention.num_kv_heads, dim=0)
    values = torch.linalg.svdvals(torch.linalg.qr(q.mT).R @ torch.linalg.qr(k.mT).R.mT)
    return _effective_number(values)


def _effective_number(sizes: Tensor) -> Tensor:
    """e^H of the shares that each row's numbers have in their sum."""
    shares = sizes / sizes.sum(-1, keepdim=True)
    return torch.special.entr(shares).sum(-1).exp()


def _biases(module: Any, text: Tensor, _: TrainedConfig) -> tuple[dict[str, Measurement], dict[str, Any]]:
    """bias-k and bias-v of each layer's attention on what it is given; how far each bias moves the whole model."""
    found: dict[str, list[Measurement]] = {"bias-k": [], "bias-v": []}
    moves = torch.full((len(attentions(module)), 3), torch.nan, dtype=torch.float64)
    states = _states(module, text)[-1]
    cases = ngettext_lazy("{count:,} token", "{count:,} tokens", text.shape[1])
    for layer, call in enumerate(_calls(module, text)):
        for at, role in enumerate(ROLES):
            bias = getattr(call.attention, f"{role}_bias")
            if bias is None:
                continue
            with _zeroed(call.attention, role):
                moved = _states(module, text)[-1]
            moves[layer, at] = float((moved - states).norm() / states.norm())
            if role == "q":
                continue
            given = (call.attention, call.tokens, call.options)
            exact = None if bias.dtype == torch.float64 else _by_bias(role, *_in_float64(*given), cases)
            found[f"bias-{role}"].append(_by_bias(role, *given, cases)._replace(exact=exact))
    return {key: worst(each) for key, each in found.items() if each}, {"biases": moves}


def _by_bias(
    role: str, attention: MultiHeadAttention, tokens: tuple[Tensor, ...], options: dict[str, Any], cases: str
) -> Measurement:
    """What else the bias of keys or values does to an attention's output than theory says."""

    def traced() -> tuple[Tensor, float]:
        full = _with_own_keys(attention)
        bound = output_tolerance(full, full.trace(*tokens, **options))
        return on_cpu(attention.trace(*tokens, **options).output), bound

    before, bound = traced()
    with _zeroed(attention, role) as bias:
        after, other = traced()
    shift = _through_output(attention, bias) if role == "v" else torch.zeros(())
    size = largest(shift) if role == "v" else largest(before)
    return Measurement(largest(before - after - shift), max(bound, other), cases, size)


def _in_float64(
    attention: MultiHeadAttention, tokens: tuple[Tensor, ...], options: dict[str, Any]
) -> tuple[MultiHeadAttention, tuple[Tensor, ...], dict[str, Any]]:
    """An attention alone in the best precision, on the CPU: a whole model in it would take twice its memory."""
    exact = copy.deepcopy(attention).to("cpu", torch.float64)
    there = {name: each.cpu() if isinstance(each, Tensor) else each for name, each in options.items()}
    return exact, tuple(map(on_cpu, tokens)), there


@contextmanager
def _zeroed(attention: MultiHeadAttention, role: str) -> Iterator[Tensor]:
    """The bias as it was; for the block it is 0."""
    name = f"{role}_bias"
    kept = getattr(attention, name)
    setattr(attention, name, nn.Parameter(torch.zeros_like(kept), requires_grad=False))
    try:
        yield kept
    finally:
        setattr(attention, name, kept)


def _with_own_keys(module: MultiHeadAttention) -> MultiHeadAttention:
    """The same function with as many heads of keys as of queries, which bounds are derived for."""
    return module if module.num_kv_heads == module.num_heads else module.with_kv_heads(module.num_heads)


def _through_output(module: MultiHeadAttention, bias: Tensor) -> Tensor:
    """W_O b_V, for values that each group of heads shares."""
    assert module.o_weight is not None
    shared = bias.unflatten(0, (module.num_kv_heads, -1))
    each = shared.repeat_interleave(module.num_heads // module.num_kv_heads, dim=0).flatten()
    return on_cpu(module.o_weight) @ on_cpu(each)


def _states(module: Any, text: Tensor) -> list[Tensor]:
    """The tokens' states below the first layer, above each, and what the stack gives; on the CPU in float64."""
    stack, kept = stack_of(module), list[Tensor]()
    tokens, options = into_stack(module, text)

    def below(_: Any, given: tuple[Tensor, ...]) -> None:
        kept.append(given[0])

    def above(_: Any, __: tuple[Tensor, ...], out: Tensor) -> None:
        kept.append(out)

    hooks = [stack.layers[0].register_forward_pre_hook(below)]
    hooks += [each.register_forward_hook(above) for each in (*stack.layers, stack)]
    try:
        stack(*tokens, **options)
    finally:
        for hook in hooks:
            hook.remove()
    return [on_cpu(each)[0] for each in kept]


def _orders(module: Any, text: Tensor, config: TrainedConfig) -> tuple[dict[str, Measurement], dict[str, Any]]:
    """perm-self with a shuffle of what stands between the first token and the last: as it is, and with less."""
    order = shuffle(config, text.shape[1])
    other = text[:, order]
    placeless = without_positions(module)
    models = {"whole": module, "placeless": placeless, "bare": all_seeing(placeless)}
    moved, found = [], {}
    for name, each in models.items():
        before, after = (_states(each, ids)[-1] for ids in (text, other))
        if config.source.has_head:
            now, then = (on_cpu(each(ids)[0, -1]).softmax(-1) for ids in (text, other))
            moved.append(float((now - then).abs().sum() / 2))
        else:
            moved.append(float((before[-1] - after[-1]).norm() / before[-1].norm()))
        if config.is_light:  # a bound by 32 copies of the stack would take longer than all else
            cases = ngettext_lazy("{count:,} token, one shuffle", "{count:,} tokens, one shuffle", text.shape[1])
            bound = _stack_bound(each, text, other)
            found[f"perm-self.{name}"] = Measurement(largest(after - before[order]), bound, cases, largest(before))
    tokens = config.spelled()[1]
    return found, {"shuffled": np.array(moved), "order": tuple(tokens[at] for at in order)}


def shuffle(config: TrainedConfig, n: int) -> list[int]:
    """An order of the tokens, drawn by the seed, in which the first of all texts and the last stay where they are.

    Of those that stand between another one comes to each place, where that is possible.
    """
    first = len(config.start)
    between = list(range(first, n - 1))
    if not can_move(config):
        return list(range(n))
    by = 1 + int(torch.randint(len(between) - 1, (), generator=generator(config.seed, "trained", "shuffle")))
    ids = config.spelled()[0]
    while all(ids[a] == ids[b] for a, b in zip(between, between[by:] + between[:by], strict=True)):
        by = by % (len(between) - 1) + 1
    return [*range(first), *between[by:], *between[:by], n - 1]


def _stack_bound(module: Any, *texts: Tensor) -> float:
    """How far rounding may move what the stack gives, from the states that it is given."""
    stack, given = stack_of(module), [into_stack(module, ids)[0][0] for ids in texts]
    if any(attention.num_kv_heads != attention.num_heads for attention in attentions(module)):
        stack = shared_copy(stack)
        for layer, attention in zip(stack.layers, attentions(module), strict=True):
            layer.self_attention = _with_own_keys(attention)
    return stack_tolerance(stack, lambda exact, *states: torch.stack([exact(x) for x in states], dim=1), *given)


def _depth(module: Any, text: Tensor, config: TrainedConfig) -> tuple[dict[str, Measurement], dict[str, Any]]:
    """How many inputs the last token depends on, and how alike the tokens are, layer by layer."""
    states = torch.stack(_states(module, text)[:-1])
    units = states / states.norm(dim=-1, keepdim=True).clamp(min=1e-300)
    n = text.shape[1]
    cosine = ((units @ units.mT).sum((1, 2)) - n) / max(1, n * (n - 1))
    return {}, {"reach": _reach(module, text, config), "cosine": cosine if n > 1 else torch.ones(len(states))}


def _reach(module: Any, text: Tensor, config: TrainedConfig) -> Tensor:
    """e^H of the shares of ‖∂ last state / ∂ input‖, each length estimated by ``PROBES`` random directions.

    E ‖Jᵀv‖² is ‖J‖_F² for v of independent signs (Hutchinson 1990).
    """
    stack, kept = stack_of(module), list[Tensor]()
    copies = min(PROBES, max(1, MOST_TOKENS // text.shape[1]))  # of the text: each takes a direction of its own
    tokens, options = into_stack(module, text.expand(copies, -1))

    def begin(_: Any, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        kept.append(given[0].detach().requires_grad_())
        return (kept[0], *given[1:])

    def above(_: Any, __: tuple[Tensor, ...], out: Tensor) -> None:
        kept.append(out)

    with torch.inference_mode(False), torch.enable_grad():
        hooks = [stack.layers[0].register_forward_pre_hook(begin)]
        hooks += [layer.register_forward_hook(above) for layer in stack.layers]
        stack(*tokens, **options)
        for hook in hooks:
            hook.remove()
        inputs, *states = kept
        draw = generator(config.seed, "trained", "reach")
        signs = torch.randint(2, (PROBES, inputs.shape[-1]), generator=draw).to(inputs) * 2 - 1
        lengths = [torch.eye(inputs.shape[1], dtype=torch.float64)[-1]]  # below the first layer it is its own input
        for state in states:
            passes = [
                pull_back(state[: len(some), -1], inputs, some, keep=True)[0][: len(some)]
                for some in signs.split(copies)
            ]
            lengths.append(on_cpu(torch.cat(passes)).square().sum(-1).mean(0).sqrt())
    return _effective_number(torch.stack(lengths))


_QUANTITY: Final = "max |f(σX) − σf(X)|"

TESTS: Final = (
    ClaimTest("bias-k", "≤", _("with and without the key bias its outputs differ by at most"),
              _("max |f(x) − f(x; b_K = 0)|, each layer's attention"),
              theory=key_bias),
    ClaimTest("bias-v", "≤", _("what the value bias adds to its outputs differs from one vector by at most"),
              _("max |f(x) − f(x; b_V = 0) − W_O b_V|, each layer's attention"), theory=value_bias),
    ClaimTest("perm-self.whole", "≤",
              _("as it is: the states of shuffled words, put back in order, differ by at most"), _QUANTITY,
              theory=order_whole),
    ClaimTest("perm-self.placeless", "≤",
              _("without positions: the states of shuffled words, put back in order, differ by at most"), _QUANTITY,
              theory=order_placeless),
    ClaimTest("perm-self.bare", "≤",
              _("without positions and mask: the states of shuffled words, put back in order, differ by at most"),
              _QUANTITY, theory=order_bare),
)  # fmt: skip
