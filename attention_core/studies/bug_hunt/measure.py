"""The bug hunt: six probes of nine attentions with the same weights, one of which is this package's own.

Claim ``id-probes``: what the right one gives where it is to stay does stay. That is measured in the precision of the
settings; the eight are compared in float64, where two functions that differ are told apart.
"""

from typing import Final, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_core.identify.bound import relative_bound
from attention_core.identify.compute import Sizes
from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import output_tolerance, softmax_tolerance, tolerance, weight_tolerance
from attention_core.measuring.inputs import draw, draw_parameters, embed
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import NoPosition, Rotary
from attention_core.studies.bug_hunt.lineup import line_up
from attention_core.studies.bug_hunt.result import BESIDE, PROBES, BugHuntResult, Probed
from attention_core.studies.bug_hunt.settings import D_HEAD, D_MODEL, NUM_HEADS, PAIRS, BugHuntConfig
from attention_core.studies.bug_hunt.suspect import Suspect

LARGER: Final = 4  # times as large are heads made: 4 q·k is halved by √4, and to halve q rounds nothing
PADDING: Final = 2  # tokens
OTHER, PAD = "…", "pad"


class Sentence(NamedTuple):
    """The sentence as a probe has it.

    Attributes:
        x: One sentence or two (batch, words, d_model).
        order: Where each token as written is found.
        held: The tokens whose outputs are to stay.
        words: The words of the first sentence.
    """

    x: Tensor
    order: list[int]
    held: list[int]
    words: tuple[str, ...]


@torch.no_grad()
def run_bug_hunt(config: BugHuntConfig) -> BugHuntResult:
    """Probe the right one and the eight."""
    return run_tests(BugHuntResult, config, TESTS, _measure)


def sentences(config: BugHuntConfig) -> dict[str, Sentence]:
    """The sentence as each probe has it; ``size`` and ``sums`` have it as written."""
    words, n, seed = config.tokens, len(config.tokens), config.seed
    x, all_ = embed(words, D_MODEL, seed)[None], list(range(n))
    moved = [*range(1, n - 1), 0, n - 1]  # where each is found: all but the last go one on, in a circle
    shuffled = x[:, torch.tensor(moved).argsort()]
    in_order = tuple(words[i] for i in torch.tensor(moved).argsort().tolist())
    later = torch.cat((x[:, :-1], draw((1, 1, D_MODEL), seed, "another last word")), dim=1)
    second = torch.cat((x, draw((1, n, D_MODEL), seed, "a second sentence")))
    padded = F.pad(x, (0, 0, 0, PADDING))
    padded[:, n:] = draw((D_MODEL,), seed, "padding")
    written = Sentence(x, all_, all_, words)
    return {
        BESIDE: written,
        "shuffle": Sentence(shuffled, moved, [n - 1], in_order),
        "later": Sentence(later, all_, all_[:-1], (*words[:-1], OTHER)),
        "second": Sentence(second, all_, all_, words),
        "padding": Sentence(padded, all_, all_, (*words, *[PAD] * PADDING)),
        "size": written,
        "sums": written,
    }


def right_one(config: BugHuntConfig, *, times: int = 1) -> MultiHeadAttention:
    """This package's attention with the weights of all; its heads ``times`` as large, and queries smaller."""
    position = Rotary(halves=True) if config.planted == PAIRS else NoPosition()
    usual = MultiHeadAttention(D_MODEL, NUM_HEADS, position=position, dtype=torch.float64)
    draw_parameters(usual, config.seed, bias_std=0.5)
    if times == 1:
        return usual
    made = MultiHeadAttention(D_MODEL, NUM_HEADS, d_head=times * D_HEAD, position=position, dtype=torch.float64)
    state = usual.state_dict()
    parts = zip(state["in_weight"].chunk(3), (times**-0.5, 1.0, 1.0), strict=True)
    state["in_weight"] = torch.cat([_repeated(part, times) * factor for part, factor in parts])
    for role, factor in (("q", times**-0.5), ("k", 1.0), ("v", 1.0)):
        state[f"{role}_bias"] = _repeated(state[f"{role}_bias"], times) * factor
    state["o_weight"] = _repeated(state["o_weight"].mT, times).mT / times
    made.load_state_dict(state)
    return made


def _repeated(rows: Tensor, times: int) -> Tensor:
    """The rows of each head, several times."""
    heads = rows.unflatten(0, (NUM_HEADS, D_HEAD))
    return torch.cat([heads] * times, dim=1).flatten(0, 1)


def suspects(config: BugHuntConfig, *, times: int = 1) -> list[Suspect]:
    """The eight, with the weights of the right one."""
    module = right_one(config, times=times)
    matrices = module.state_dict()["in_weight"].chunk(3)
    state = {f"{role}.weight": matrix for role, matrix in zip("qkv", matrices, strict=True)}
    state |= {f"{role}.bias": module.state_dict()[f"{role}_bias"] for role in "qkvo"}
    state["o.weight"] = module.state_dict()["o_weight"]
    made = [Suspect(design, times * D_HEAD) for design, _faulty in line_up(config)]
    for one in made:
        one.load_state_dict(state)
    return made


class _Seen(NamedTuple):
    """What an attention gives for a sentence: its first one's outputs and weights, and the largest score."""

    output: Tensor
    weights: Tensor
    score: float


def _asked(module: MultiHeadAttention | Suspect, x: Tensor) -> _Seen:
    if isinstance(module, MultiHeadAttention):
        trace = module.trace(x, is_causal=True)
        return _Seen(trace.output[0], trace.weights[0], float(trace.scores.abs().max()))
    return _Seen(module(x)[0], module.weights(x)[0], float(module.scores(x).abs().max()))


def _measure(config: BugHuntConfig) -> Measurements:
    nine = [right_one(config), *suspects(config)]
    larger = [right_one(config, times=LARGER), *suspects(config, times=LARGER)]
    given = sentences(config)
    before = [_asked(one, given[BESIDE].x) for one in nine]
    probed = [_beside(given[BESIDE], before)]
    for name in PROBES:
        asked = larger if name == "size" else nine
        after = (
            before
            if name == "sums"
            else [_larger(one, given[name].x) if name == "size" else _asked(one, given[name].x) for one in asked]
        )
        probed.append(_probed(name, given[name], before, after))
    return _of_the_right_one(config, given), {
        "config": config, "line": line_up(config), "probed": tuple(probed),
    }  # fmt: skip


def _larger(module: MultiHeadAttention | Suspect, x: Tensor) -> _Seen:
    """With larger heads: the weights alone are looked at."""
    if isinstance(module, Suspect):
        weights, scores = module.weights(x), module.scores(x)
    else:
        trace = module.trace(x, is_causal=True)
        weights, scores = trace.weights, trace.scores
    return _Seen(torch.zeros(x.shape[1], D_MODEL, dtype=x.dtype), weights[0], float(scores.abs().max()))


def _bound(score: float, tokens: int, size: float, times: int = 1) -> float:
    """How far two evaluations in float64 of what gives numbers up to a size may be apart."""
    sizes = Sizes(D_MODEL, NUM_HEADS, NUM_HEADS, times * D_HEAD)
    return relative_bound(sizes, tokens, torch.finfo(torch.float64).eps / 2, score) * size


def _beside(given: Sentence, seen: list[_Seen]) -> Probed:
    """The eight beside the right one."""
    right, n = seen[0], len(given.words)
    outputs = torch.stack([one.output - right.output for one in seen])
    return Probed(
        name=BESIDE,
        tokens=given.words,
        weights=torch.stack([one.weights.mean(0) for one in seen]).numpy(),
        weights_moved=torch.stack([(one.weights - right.weights).mean(0) for one in seen]).numpy(),
        outputs_moved=outputs.numpy(),
        held=torch.ones(n, dtype=torch.bool).numpy(),
        change=outputs.abs().amax((1, 2)).numpy(),
        bound=torch.tensor([_bound(one.score, n, largest(one.output, right.output)) for one in seen]).numpy(),
    )


def _probed(name: str, given: Sentence, before: list[_Seen], after: list[_Seen]) -> Probed:
    held, tokens = given.held, len(given.words)
    outputs = torch.stack(
        [late.output[given.order] - early.output for early, late in zip(before, after, strict=True)]
    )
    aligned = [late.weights[:, given.order][:, :, given.order] for late in after]
    weights = torch.stack([late - early.weights for early, late in zip(before, aligned, strict=True)])
    match name:
        case "sums":
            rows = torch.stack([one.weights.sum(-1) for one in before])
            change = (rows - 1).abs().amax((1, 2))
            bound = [
                tolerance(torch.float64, scale=max(1.0, float(row.abs().max())), terms=2 * tokens) for row in rows
            ]
        case "size":
            change = weights.abs().amax((1, 2, 3))
            bound = [
                _bound(one.score, tokens, largest(one.weights, late.weights), LARGER)
                for one, late in zip(before, after, strict=True)
            ]
        case _:
            change = outputs[:, held].abs().amax((1, 2))
            bound = [
                _bound(max(one.score, late.score), tokens, largest(one.output, late.output))
                for one, late in zip(before, after, strict=True)
            ]
    stays = torch.zeros(outputs.shape[1], dtype=torch.bool)
    stays[held] = True
    return Probed(
        name=name,
        tokens=given.words,
        weights=torch.stack([late.weights.mean(0) for late in after]).numpy(),
        weights_moved=weights.mean(1).numpy(),
        outputs_moved=outputs.numpy(),
        held=stays.numpy(),
        change=change.numpy(),
        bound=torch.tensor(bound, dtype=torch.float64).numpy(),
    )


def _of_the_right_one(config: BugHuntConfig, given: dict[str, Sentence]) -> dict[str, Measurement]:
    """What each probe moves of the right one, in the precision and on the device of the settings."""
    at = (config.torch_device, config.torch_dtype)
    module, larger = right_one(config).to(*at), right_one(config, times=LARGER).to(*at)
    traces = {name: module.trace(one.x.to(*at), is_causal=True) for name, one in given.items() if name != "size"}
    written = traces[BESIDE]
    found = {}
    for name in PROBES[:4]:
        after, held = traces[name], given[name].held
        one, other = on_cpu(written.output)[0, held], on_cpu(after.output)[0][given[name].order][held]
        bound = output_tolerance(module, written, after)
        cases = _("{held} of {count} words", held=len(held), count=len(config.tokens))
        found[f"id-probes.{name}"] = Measurement(largest(one - other), bound, cases, size=largest(one))
    wide = larger.trace(given["size"].x.to(*at), is_causal=True)
    one, other = on_cpu(written.weights), on_cpu(wide.weights)
    bound = max(weight_tolerance(module, written), weight_tolerance(larger, wide))
    heads = _("heads of {small} and {large}", small=D_HEAD, large=LARGER * D_HEAD)
    found["id-probes.size"] = Measurement(largest(one - other), bound, heads, size=largest(one))
    rows = _("{count} rows", count=one.shape[1] * one.shape[2])
    found["id-probes.sums"] = Measurement(
        largest(one.sum(-1) - 1), softmax_tolerance(written.weights), rows, size=1.0
    )
    return found


def _shuffled(config: BugHuntConfig) -> Theory:
    if len(set(config.tokens[:-1])) < 2:
        return Open(_("the words before the last are all alike, and have no other order"))
    return Fails(_("rotary positions say where a word stands")) if config.planted == PAIRS else Holds()


def _enlarged(config: BugHuntConfig) -> Theory:
    return Fails(_("rotary positions turn larger heads by other angles")) if config.planted == PAIRS else Holds()


_STAYS: Final = _("max |f(probed) − f|")
TESTS: Final = (
    ClaimTest("id-probes.shuffle", "≤", _("with the words before it shuffled, the last word's output moves by"),
              _STAYS, theory=_shuffled),
    ClaimTest("id-probes.later", "≤", _("with another last word, the outputs before it move by"), _STAYS),
    ClaimTest("id-probes.second", "≤", _("with a second sentence beside it, outputs move by"), _STAYS),
    ClaimTest("id-probes.padding", "≤", _("with padding behind it, outputs move by"), _STAYS),
    ClaimTest("id-probes.size", "≤", _("with heads four times as large, weights move by"),
              _("max |A(4 d_head) − A(d_head)|"), theory=_enlarged),
    ClaimTest("id-probes.sums", "≤", _("sums of weights differ from 1 by"), "max |Σⱼ Aᵢⱼ − 1|"),
)  # fmt: skip
