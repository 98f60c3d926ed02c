"""Attention written out in NumPy, one number at a time in float64: shares no code with the package."""

import cmath
import math
from dataclasses import dataclass

import numpy as np

from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Alibi, Learned, Rotary, Sinusoidal
from attention_core.modules.projections import Identity, TiedKeyValue, TiedQueryKey

Array = np.ndarray


@dataclass
class Case:
    """Inputs of one call, as float64 arrays (bool for masks)."""

    query: Array
    key: Array
    value: Array
    attn_mask: Array | None = None
    key_padding_mask: Array | None = None
    is_causal: bool = False
    query_positions: Array | None = None
    key_positions: Array | None = None


@dataclass
class Answer:
    """What the module must compute, and how large the sums behind it are."""

    scores: Array
    masked_scores: Array
    weights: Array
    context: Array
    output: Array
    size: float


def softmax_row(scores: list[float]) -> list[float]:
    top = max(scores)
    if top == -math.inf:
        return [0.0] * len(scores)
    powers = [math.exp(score - top) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def sinusoid(position: float, d_model: int, base: float) -> list[float]:
    return [
        (math.sin if feature % 2 == 0 else math.cos)(position / base ** ((feature - feature % 2) / d_model))
        for feature in range(d_model)
    ]


def turned(vector: Array, position: float, base: float, halves: bool) -> Array:
    result = np.empty_like(vector)
    for pair in range(len(vector) // 2):
        first, second = (pair, pair + len(vector) // 2) if halves else (2 * pair, 2 * pair + 1)
        number = complex(vector[first], vector[second])
        number *= cmath.rect(1.0, position * base ** (-2 * pair / len(vector)))
        result[first], result[second] = number.real, number.imag
    return result


def slopes(heads: int) -> list[float]:
    power = 2 ** int(math.log2(heads))
    first = [2 ** (-8 * i / power) for i in range(1, power + 1)]
    return first if power == heads else first + slopes(2 * power)[0::2][: heads - power]


def answer(module: MultiHeadAttention, case: Case) -> Answer:
    state = {name: tensor.double().cpu().numpy() for name, tensor in module.state_dict().items()}
    heads, d_head = module.num_heads, module.d_head
    batch, q_len, kv_len = case.query.shape[0], case.query.shape[1], case.key.shape[1]
    rows, shared = heads * d_head, heads // module.num_kv_heads
    places = [_places(case.query_positions, batch, q_len), _places(case.key_positions, batch, kv_len)]
    inputs = [
        _placed(module, state, x, where)
        for x, where in zip((case.query, case.key, case.value), (places[0], places[1], places[1]), strict=True)
    ]
    projected, spread = [], []
    first_row = (0, 1, 1) if isinstance(module.projections, TiedKeyValue) else (0, 1, 2)
    first_row = (0, 0, 1) if isinstance(module.projections, TiedQueryKey) else first_row
    for x, block, role in zip(inputs, first_row, "qkv", strict=True):
        if isinstance(module.projections, Identity):
            projected.append(x)
            spread.append(np.abs(x))
            continue
        of_keys = module.num_kv_heads * d_head
        start, length = (0, rows) if block == 0 else (rows + (block - 1) * of_keys, of_keys)
        weight = state["in_weight"][start : start + length]
        own = getattr(module, f"{role}_bias")
        bias = np.zeros(length) if own is None else own.detach().double().cpu().numpy()
        projected.append(np.stack([[weight @ token + bias for token in sentence] for sentence in x]))
        spread.append(np.sqrt(x**2 @ (weight**2).T + bias**2))
    extra = 1 if module.zero_sink else 0
    scores = np.zeros((batch, heads, q_len, kv_len + extra))
    masked, weights = np.zeros_like(scores), np.zeros_like(scores)
    context = np.zeros((batch, heads, q_len, d_head))
    largest_score, slope = 0.0, slopes(heads)
    for b in range(batch):
        for h in range(heads):
            part, kv = (slice(head * d_head, (head + 1) * d_head) for head in (h, h // shared))
            q = [_unit(module, state, "q", projected[0][b, i, part], places[0][b][i]) for i in range(q_len)]
            k = [_unit(module, state, "k", projected[1][b, j, kv], places[1][b][j]) for j in range(kv_len)]
            v = [projected[2][b, j, kv] for j in range(kv_len)]
            k, v = k + [np.zeros(d_head)] * extra, v + [np.zeros(d_head)] * extra
            for i in range(q_len):
                for j in range(kv_len + extra):
                    scores[b, h, i, j] = math.fsum(q[i] * k[j]) * module.scale
                    masked[b, h, i, j] = scores[b, h, i, j]
                    if j < kv_len:
                        if isinstance(module.position, Alibi):
                            masked[b, h, i, j] -= slope[h] * abs(float(places[0][b][i] - places[1][b][j]))
                        masked[b, h, i, j] = _masked(case, masked[b, h, i, j], b, h, i, j)
                        if module.window is not None and abs(i - j) > module.window:
                            masked[b, h, i, j] = -math.inf
                        size = np.maximum(spread[0][b, i, part], abs(projected[0][b, i, part]))
                        size = size * np.maximum(spread[1][b, j, kv], abs(projected[1][b, j, kv]))
                        if "q_norm.weight" in state:
                            size = d_head**0.5 * np.abs(state["q_norm.weight"] * state["k_norm.weight"])
                        largest_score = max(largest_score, np.linalg.norm(size) * abs(module.scale))
                weights[b, h, i] = softmax_row(list(masked[b, h, i]))
                context[b, h, i] = sum(weights[b, h, i, j] * v[j] for j in range(kv_len + extra))
    merged = context.transpose(0, 2, 1, 3).reshape(batch, q_len, rows)
    # Rounding errors have random signs, so that of a sum is that of the root sum of squares of its terms; the weights
    # carry the scores' errors as relative ones.
    values = np.maximum(spread[2], np.abs(projected[2])).reshape(-1, module.num_kv_heads, d_head).max(0)
    values = np.repeat(values, shared, axis=0).reshape(rows) * (1 + largest_score)
    finite = np.abs(masked[np.isfinite(masked)])
    scores_size = largest_score + float(finite.max(initial=0.0))
    if "o_weight" not in state:
        return Answer(scores, masked, weights, context, merged, max(scores_size, float(values.max())))
    bias = state.get("o_bias", np.zeros(module.d_model))
    size = float(np.sqrt((state["o_weight"] ** 2 @ values**2) + bias**2).max())
    output = merged @ state["o_weight"].T + bias
    return Answer(scores, masked, weights, context, output, max(scores_size, float(values.max()), size))


def _places(given: Array | None, batch: int, tokens: int) -> Array:
    return np.broadcast_to(np.arange(tokens) if given is None else given, (batch, tokens))


def _placed(module: MultiHeadAttention, state: dict[str, Array], x: Array, where: Array) -> Array:
    if isinstance(module.position, Sinusoidal):
        rows = [[sinusoid(float(p), module.d_model, module.position.base) for p in row] for row in where]
        return x + np.array(rows)
    if isinstance(module.position, Learned):
        return x + state["added_position.table"][where]
    return x


def _unit(module: MultiHeadAttention, state: dict[str, Array], role: str, vector: Array, position: float) -> Array:
    if f"{role}_norm.weight" in state:
        eps = np.finfo(np.float64 if module.q_norm.weight.element_size() == 8 else np.float32).eps
        vector = state[f"{role}_norm.weight"] * vector / math.sqrt(np.mean(vector**2) + eps)
    if not isinstance(module.position, Rotary):
        return vector
    return turned(vector, float(position), module.position.base, module.position.halves)


def _masked(case: Case, score: float, b: int, h: int, i: int, j: int) -> float:
    if case.is_causal and j > i:
        return -math.inf
    if case.key_padding_mask is not None and case.key_padding_mask[b, j]:
        return -math.inf
    if case.attn_mask is None:
        return score
    mask = case.attn_mask
    mask = mask[None, None] if mask.ndim == 2 else mask[:, None] if mask.ndim == 3 else mask
    entry = mask[b % mask.shape[0], h % mask.shape[1], i % mask.shape[2], j % mask.shape[3]]
    if mask.dtype == bool:
        return score if entry else -math.inf
    return score + entry
