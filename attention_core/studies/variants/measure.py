"""The variants experiment: one sentence through full, grouped, cached and linear attention."""

from collections.abc import Iterable
from copy import deepcopy
from functools import partial
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import output_tolerance
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import no_other_order, no_other_output
from attention_core.modules.linear_attention import LinearAttention
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.variants.additive import TESTS as ADDITIVE
from attention_core.studies.variants.additive import found_of_additive
from attention_core.studies.variants.linear import flops_over_lengths, found_of_linear, linear_tolerance
from attention_core.studies.variants.parts import attention, linear, repeated, sentence
from attention_core.studies.variants.queries import found_of_queries
from attention_core.studies.variants.result import VariantsResult
from attention_core.studies.variants.saving import flops_by_word
from attention_core.studies.variants.settings import (
    D_HEAD,
    D_MODEL,
    HEADS,
    KIB,
    KV_HEADS,
    POSITIONS,
    VariantsConfig,
)


@torch.no_grad()
def run_variants(config: VariantsConfig) -> VariantsResult:
    """Measure every variant of one attention on one sentence."""
    return run_tests(VariantsResult, config, TESTS, _measure)


def _measure(config: VariantsConfig) -> Measurements:
    x, full, grouped = sentence(config), attention(config), attention(config, config.num_kv_heads)
    variants, without_softmax = [attention(config, number) for number in KV_HEADS], linear(config)
    traces = [module.trace(x, is_causal=config.causal) for module in variants]
    whole, loose = on_cpu(full(x, is_causal=config.causal)), without_softmax.trace(x, is_causal=config.causal)
    softmax_flops, linear_flops = flops_over_lengths(config)
    by_pass, by_step = flops_by_word(x.shape[1], config.num_kv_heads)
    kept = (grouped.with_kv_heads(HEADS) if config.repeated else grouped).cache(1, 1, device="meta").nbytes
    decoded, steps, keys = _decoded(config, grouped, x, [1] * x.shape[1])
    expected = on_cpu(grouped(x, is_causal=True))
    needs, takes, keeps = found_of_queries(config, grouped, x)
    sums, additive, spectra = found_of_additive(config, full, x)
    found = {
        **_repeated(config, grouped, x, float(_distance(on_cpu(grouped(x, is_causal=config.causal)), whole))),
        **_bytes(config, full, grouped),
        **_cached(config, grouped, x, decoded, expected),
        **needs,
        **sums,
        **found_of_linear(config, x),
        **_orders(config, full, grouped, without_softmax, x),
        **_biases(config, full, grouped, without_softmax, x),
    }
    return found, {
        "config": config,
        "full": on_cpu(full.trace(x, is_causal=config.causal).weights)[0],
        "grouped": torch.stack([on_cpu(trace.weights)[0] for trace in traces]),
        "linear": on_cpu(loose.weights)[0],
        "distances": torch.stack([_distance(on_cpu(trace.output), whole) for trace in traces]),
        "additive_distance": float(_distance(on_cpu(additive.output), whole)),
        "linear_distance": float(_distance(on_cpu(loose.output), whole)),
        "parameters": torch.tensor([_parameters(module) for module in variants]).numpy(),
        "token_bytes": torch.tensor([module.cache(1, 1).nbytes for module in variants]).numpy(),
        "state_bytes": (loose.k.mT @ F.pad(loose.v, (0, 1), value=1.0)).nbytes,
        "softmax_flops": torch.tensor(softmax_flops).numpy(),
        "linear_flops": torch.tensor(linear_flops).numpy(),
        "keys": keys,
        "steps": steps,
        "moved": (decoded - expected).abs().amax((0, 2)),
        "pass_flops": torch.tensor(by_pass).numpy(),
        "step_flops": torch.tensor(by_step).numpy(),
        "additive": on_cpu(additive.weights)[0],
        "spectra": spectra,
        "takes": takes,
        "keeps": keeps,
        "kept_bytes": kept * torch.arange(1, x.shape[1] + 1).numpy(),
    }


def _distance(output: Tensor, whole: Tensor) -> Tensor:
    return (output - whole).norm() / whole.norm()


def _parameters(module: MultiHeadAttention) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def _repeated(config: VariantsConfig, grouped: MultiHeadAttention, x: Tensor, lost: float) -> dict[str, Measurement]:
    """kv-repeat: grouped attention beside full attention with its keys and values repeated.

    ``lost`` is how far its outputs are from those with a head of keys for each head of queries.
    """
    full = repeated(config, grouped)
    trace = full.trace(x, is_causal=config.causal)
    difference = largest(on_cpu(grouped(x, is_causal=config.causal)) - on_cpu(full(x, is_causal=config.causal)))
    cases = ngettext_lazy(
        "{shared} of {heads} heads, {count:,} token", "{shared} of {heads} heads, {count:,} tokens",
        len(config.tokens), shared=config.num_kv_heads, heads=HEADS,
    )  # fmt: skip
    apart = _("beside heads that do not share, its outputs differ by {share:.0%} of their length", share=lost)
    note = apart if config.num_kv_heads < HEADS else ""
    return {
        "kv-repeat": Measurement(difference, output_tolerance(full, trace), cases, largest(trace.output), note=note)
    }


def _bytes(config: VariantsConfig, full: MultiHeadAttention, grouped: MultiHeadAttention) -> dict[str, Measurement]:
    """kv-bytes: by the tensors of a cache of the text's length, which hold no numbers here."""
    kept = grouped.with_kv_heads(HEADS) if config.repeated else grouped
    size = kept.cache(1, config.length, device="meta").nbytes
    sizes = {"shared": config.num_kv_heads, "heads": HEADS, "size": D_HEAD}
    cached = _("{length:,} tokens, {shared} of {heads} heads of {size}", length=config.length, **sizes)
    saving = _("d_model = {width}, {shared} of {heads} heads of {size}", width=D_MODEL, **sizes)
    saved = 2 * (HEADS - config.num_kv_heads) * D_HEAD * (D_MODEL + 1)
    number = 2 * config.num_kv_heads * D_HEAD * config.torch_dtype.itemsize
    return {
        "kv-bytes.cache": Measurement(size / KIB, number * config.length / KIB, cached, unit="KiB"),
        "kv-bytes.weights": Measurement(_parameters(full) - _parameters(grouped), saved, saving),
    }


def _decoded(
    config: VariantsConfig, module: MultiHeadAttention, x: Tensor, sizes: Iterable[int]
) -> tuple[Tensor, Tensor, Tensor]:
    """Outputs of blocks of words that follow each other, their weights, and the keys that are kept at last."""
    n = x.shape[1]
    cache, traced = module.cache(1, n), module.cache(1, n)
    outputs, weights = [], []
    for block in x.split(list(sizes), dim=1):
        restarted = torch.arange(block.shape[1], device=x.device) if config.restart else None
        outputs.append(module(block, cache=cache, query_positions=restarted))
        seen = on_cpu(module.trace(block, cache=traced, query_positions=restarted).weights)[0]
        weights.append(F.pad(seen, (0, n - seen.shape[-1])))
    return (
        on_cpu(torch.cat(outputs, dim=1)),
        torch.cat(weights, dim=1),
        on_cpu(cache.keys)[0].transpose(0, 1).flatten(1),
    )


def _cached(
    config: VariantsConfig, grouped: MultiHeadAttention, x: Tensor, by_word: Tensor, expected: Tensor
) -> dict[str, Measurement]:
    """cache-exact: word by word, and by blocks of 1, 2, 3, … words, beside the causal whole pass."""
    n = x.shape[1]
    growing = [min(size, n - size * (size - 1) // 2) for size in range(1, n + 1) if size * (size - 1) // 2 < n]
    by_block = _decoded(config, grouped, x, growing)[0]
    full = grouped.with_kv_heads(HEADS)
    bound, size = output_tolerance(full, full.trace(x, is_causal=True)), largest(expected)
    words = ngettext_lazy("{count:,} token, one by one", "{count:,} tokens, one by one", n)
    tokens = ngettext_lazy("{count:,} token", "{count:,} tokens", n)
    blocks = ngettext_lazy("{tokens}, {count:,} block", "{tokens}, {count:,} blocks", len(growing), tokens=tokens)
    return {
        "cache-exact.token": Measurement(largest(by_word - expected), bound, words, size),
        "cache-exact.block": Measurement(largest(by_block - expected), bound, blocks, size),
    }


def _orders(
    config: VariantsConfig, full: MultiHeadAttention, grouped: MultiHeadAttention, loose: LinearAttention, x: Tensor
) -> dict[str, Measurement]:
    """perm-self of each variant: the last word moved to the front."""
    moved, causal, cases = x.roll(1, dims=1), {"is_causal": config.causal}, _("the last word moved to the front")
    found = {}
    for name, module in (("full", full), ("grouped", grouped), ("linear", loose)):
        difference = largest(on_cpu(module(moved, **causal)) - on_cpu(module(x, **causal)).roll(1, dims=1))
        found[f"perm-self.{name}"] = Measurement(
            difference, _bound(module, (x, moved), causal), cases, largest(module(x))
        )
    return found


def _biases(
    config: VariantsConfig, full: MultiHeadAttention, grouped: MultiHeadAttention, loose: LinearAttention, x: Tensor
) -> dict[str, Measurement]:
    """bias-k of each variant: the outputs with b_K and without."""
    causal, found = {"is_causal": config.causal}, {}
    cases = ngettext_lazy("{count:,} token", "{count:,} tokens", len(config.tokens))
    for name, module in (("full", full), ("grouped", grouped), ("linear", loose)):
        without = deepcopy(module)
        assert without.k_bias is not None
        without.k_bias.zero_()
        difference = largest(on_cpu(module(x, **causal)) - on_cpu(without(x, **causal)))
        bound = max(_bound(each, (x,), causal) for each in (module, without))
        found[f"bias-k.{name}"] = Measurement(difference, bound, cases, largest(module(x)))
    return found


def _bound(module: MultiHeadAttention | LinearAttention, texts: Iterable[Tensor], causal: dict[str, Any]) -> float:
    """What rounding explains of two passes of a module that project anew."""
    if isinstance(module, LinearAttention):
        return linear_tolerance(module, *(module.trace(x, **causal) for x in texts), new_projections=True)
    full = module.with_kv_heads(HEADS)  # the same function, with as many keys as queries
    return output_tolerance(full, *(full.trace(x, **causal) for x in texts))


def _shared(config: VariantsConfig) -> Theory:
    """With one shared head, or one for each, there is one way to repeat them."""
    if config.num_kv_heads == HEADS:
        return Open(_UNSHARED)
    turned = _("the shared heads are repeated in turn, so most queries meet another group's keys")
    return Fails(turned) if config.tiled and config.num_kv_heads != 1 else Holds()


def _kept_once(config: VariantsConfig) -> Theory:
    """With a head of keys for each head of queries there are no copies."""
    copies = config.repeated and config.num_kv_heads != HEADS
    return Fails(_("the cache keeps a copy for each head of queries")) if copies else Holds()


def _saved(config: VariantsConfig) -> Theory:
    return Open(_UNSHARED) if config.num_kv_heads == HEADS else Holds()


def _continued(config: VariantsConfig) -> Theory:
    """Without positions there is no place to lose."""
    if not config.differs:
        return Open(no_other_output(config.tokens))
    lost = _("each block counts its positions from 0, so distances to the cached words are wrong")
    return Fails(lost) if config.restart and config.positions != "none" else Holds()


def _own_query(config: VariantsConfig) -> Theory:
    return Open(_FIRST_WORD) if len(config.tokens) == 1 else Holds()


def _kept_for_good(config: VariantsConfig) -> Theory:
    """What a layer keeps of a word is made of the words that the layer below let it see."""
    if len(config.tokens) == 1:
        return Open(_FIRST_WORD)
    seen = _("earlier words see the new one, so what the layer above keeps of them is made anew, from their queries")
    return Holds() if config.causal else Fails(seen)


def _linear_cost(config: VariantsConfig) -> Theory:
    """Whoever forms the weights pays for all pairs."""
    return Fails(_("all n² weights are formed")) if config.quadratic else Holds()


def _either_order(config: VariantsConfig) -> Theory:
    """Where all values are alike, any weights give the same."""
    if not config.differs:
        return Open(no_other_output(config.tokens))
    return Fails(_("softmax stands between the two products")) if config.softmax else Holds()


def _moved(config: VariantsConfig, *, placed: bool = True) -> Theory:
    """Moving the last word to the front changes no distance between two words.

    Args:
        config: The settings.
        placed: Whether the attention has positions, which linear attention has not.
    """
    if not config.differs:
        return Open(no_other_order(config.tokens))
    if config.causal:
        return Fails(_("the causal mask tells the order"))
    tells = config.positions == "rotary" or (config.positions == "alibi" and len(config.tokens) > 2)
    if not (placed and tells):
        return Holds()
    return Fails(_("{name} positions tell the order", name=POSITIONS[config.positions]))


def _key_bias(config: VariantsConfig) -> Theory:
    """Rotary positions turn the key bias, too."""
    if not config.differs:
        return Open(no_other_output(config.tokens))
    return Fails(_("rotary positions turn the key bias")) if config.positions == "rotary" else Holds()


def _linear_key_bias(config: VariantsConfig) -> Theory:
    """Softmax ignores what all scores of a row share; φ does not."""
    if not config.differs:
        return Open(no_other_output(config.tokens))
    return Fails(_("without softmax nothing cancels the key bias"))


_FIRST_WORD: Final = _("there is one word, and none before it")
_UNSHARED: Final = _("each head has keys and values of its own, so nothing is shared")
# Of each kind of attention what theory says of another order, and of the key bias.
_KINDS: Final = (
    ("full", _("full attention"), _moved, _key_bias),
    ("grouped", _("grouped"), _moved, _key_bias),
    ("linear", _("linear"), partial(_moved, placed=False), _linear_key_bias),
)
TESTS: Final = (
    ClaimTest("kv-repeat", "≤", _("shared and repeated keys and values give outputs that differ by at most"),
              "max |grouped(x) − full(x)|", theory=_shared),
    ClaimTest("kv-bytes.cache", "=", _("the cache fills"), _("size of keys and values: 2·kv_heads·d_head·n numbers"),
              theory=_kept_once),
    ClaimTest("kv-bytes.weights", "=", _("the parameters that sharing saves are"),
              _("parameters saved: 2·(h − kv_heads)·d_head·(d_model + 1)"), theory=_saved),
    ClaimTest("cache-exact.token", "≤", _("word by word the outputs differ from the whole pass by at most"),
              _("max |f(x_i; cache) − f(x)_i|"), theory=_continued),
    ClaimTest("cache-exact.block", "≤", _("by blocks of words they differ from it by at most"),
              _("max |f(block; cache) − f(x)_block|"), theory=_continued),
    ClaimTest("no-q-cache.row", "=", _("a word’s output depends on another word’s query in"),
              _("how many ∂output_i/∂q_j ≠ 0, j ≠ i"), theory=_own_query),
    ClaimTest("no-q-cache.kept", "=", _("what the second layer keeps of a word depends on a later word in"),
              _("how many ∂(k, v)_i/∂x_j ≠ 0, j > i"), theory=_kept_for_good),
    *ADDITIVE,
    ClaimTest("linear-cost.twice", "=", _("twice the text costs"), _("FLOPs of 2n tokens / FLOPs of n"),
              theory=_linear_cost),
    ClaimTest("linear-cost.flops", "=", _("the operations of linear attention that torch counts are"),
              _("FLOPs of φ(q)(φ(k)ᵀ[v 1]), n·d_head·(d_head + 1) each"), theory=_linear_cost),
    ClaimTest("linear-order", "≤", _("the two orders of the products give outputs that differ by at most"),
              "max |φ(q)(φ(k)ᵀv) − (φ(q)φ(k)ᵀ)v|", theory=_either_order),
    *(
        ClaimTest(f"perm-self.{name}", "≤",
                  _("{kind}: the outputs with a word moved to the front, put back in order, differ by at most",
                    kind=kind),
                  "max |f(σX) − σf(X)|", theory=moved)
        for name, kind, moved, _bias in _KINDS
    ),
    *(
        ClaimTest(f"bias-k.{name}", "≤",
                  _("{kind}: with and without the key bias its outputs differ by at most", kind=kind),
                  "max |f(x) − f(x; b_K = 0)|", theory=bias)
        for name, kind, _order, bias in _KINDS
    ),
)  # fmt: skip
