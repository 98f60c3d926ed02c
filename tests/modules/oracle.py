"""Attention written out in NumPy, one number at a time in float64: shares no code with the package."""

import cmath
import math
from dataclasses import dataclass

import numpy as np

from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import ShiftedRMSNorm
from attention_core.modules.positions import Alibi, Learned, RelativeKey, Rotary, Sinusoidal
from attention_core.modules.projections import Identity, TiedKeyValue, TiedQueryKey
from attention_core.modules.rope_scaling import DynamicNTK, LinearScaling, Llama3Scaling, LongRoPE, YaRN

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


def slowed(rotary: Rotary, size: int, length: int) -> list[float]:
    """By how much each pair turns from token to token, one pair at a time."""
    base, scaling, turns = rotary.base, rotary.scaling, []
    for pair in range(size // 2):
        plain = base ** (-2 * pair / size)
        often = 0.0 if scaling is None or isinstance(scaling, LinearScaling) else scaling.trained_len * plain
        often /= 2 * math.pi
        match scaling:
            case LinearScaling(factor=factor):
                plain /= factor
            case DynamicNTK(factor=factor, trained_len=trained) if length > trained and size > 2:
                grown = base * (factor * length / trained - (factor - 1)) ** (size / (size - 2))
                plain = grown ** (-2 * pair / size)
            case Llama3Scaling(factor=factor, low=low, high=high):
                if often < low:
                    plain /= factor
                elif often < high:
                    share = (often - low) / (high - low)
                    plain = (1 - share) * plain / factor + share * plain
            case LongRoPE(trained_len=trained, short=short, long=long):
                plain /= (long if length > trained else short)[pair]
            case YaRN(factor=factor, trained_len=trained):
                ends = []
                for number in (scaling.beta_fast, scaling.beta_slow):  # the pair that turns so often, a real number
                    ends.append(size / 2 * math.log(trained / (2 * math.pi * number), base))
                first, last = (math.floor(ends[0]), math.ceil(ends[1])) if scaling.truncate else ends
                first, last = max(first, 0), min(last, size - 1)
                share = min(max((pair - first) / (last - first or 0.001), 0), 1)
                plain = plain / factor * share + plain * (1 - share)
        turns.append(plain)
    return turns


def turned(vector: Array, position: float, rotary: Rotary, length: int = 1) -> Array:
    result, size = vector.copy(), int(len(vector) * rotary.part)
    for pair, turn in enumerate(slowed(rotary, size, length)):
        first, second = (pair, pair + size // 2) if rotary.halves else (2 * pair, 2 * pair + 1)
        number = complex(vector[first], vector[second])
        number *= cmath.rect(1.0 if rotary.scaling is None else rotary.scaling.gain, position * turn)
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
    extra = 1 if module.zero_sink or "sink" in state else 0
    for number, role in enumerate("qk" if module.qk_norm_together and module.q_norm is not None else ""):
        projected[number] = np.stack([[_normed(module, state, role, t) for t in x] for x in projected[number]])
    scores = np.zeros((batch, heads, q_len, kv_len + extra))
    masked, weights = np.zeros_like(scores), np.zeros_like(scores)
    context = np.zeros((batch, heads, q_len, d_head))
    largest_score, slope = 0.0, slopes(heads)
    far = 1 + int(max(where.max() for where in places))
    for b in range(batch):
        for h in range(heads):
            part, kv = (slice(head * d_head, (head + 1) * d_head) for head in (h, h // shared))
            q = [_unit(module, state, "q", projected[0][b, i, part], at, far) for i, at in enumerate(places[0][b])]
            k = [_unit(module, state, "k", projected[1][b, j, kv], at, far) for j, at in enumerate(places[1][b])]
            v = [projected[2][b, j, kv] for j in range(kv_len)]
            k, v = k + [np.zeros(d_head)] * extra, v + [np.zeros(d_head)] * extra
            for i in range(q_len):
                for j in range(kv_len + extra):
                    scores[b, h, i, j] = _score(state, h, q[i], k[j]) * module.scale
                    if module.soft_cap is not None:
                        scores[b, h, i, j] = module.soft_cap * math.tanh(scores[b, h, i, j] / module.soft_cap)
                    if j == kv_len and "sink" in state:
                        scores[b, h, i, j], masked[b, h, i, j] = 0.0, state["sink"][h]
                        continue
                    masked[b, h, i, j] = scores[b, h, i, j]
                    if j < kv_len:
                        if isinstance(module.position, Alibi):
                            masked[b, h, i, j] -= slope[h] * abs(float(places[0][b][i] - places[1][b][j]))
                        if isinstance(module.position, RelativeKey):
                            masked[b, h, i, j] += _of_distance(
                                module, state, q[i], k[j], places[0][b][i] - places[1][b][j]
                            )
                        masked[b, h, i, j] = _masked(case, masked[b, h, i, j], b, h, i, j)
                        if module.window is not None and abs(i - j) > module.window:
                            masked[b, h, i, j] = -math.inf
                        sizes = [
                            np.maximum(spread[0][b, i, part], abs(projected[0][b, i, part])),
                            np.maximum(spread[1][b, j, kv], abs(projected[1][b, j, kv])),
                        ]
                        if "q_norm.weight" in state:
                            gains = [state[f"{role}_norm.weight"] + shifted(module) for role in "qk"]
                            reach = np.sqrt(d_head * heads if module.qk_norm_together else d_head)
                            sizes = [reach * np.abs(gain).max() * np.ones(d_head) for gain in gains]
                        size = sizes[0] * sizes[1] / (np.sqrt(d_head) if "q_norm.weight" in state else 1.0)
                        if "relative_keys.table" in state:
                            both = sizes[1] if module.position.both else 0.0
                            size += (sizes[0] + both) * np.abs(state["relative_keys.table"]).max(0)
                        if "score_weight" in state:
                            size = np.abs(state["score_weight"][h]) * (1 + np.abs(q[i]) + np.abs(k[j]))
                        largest_score = max(largest_score, np.linalg.norm(size) * abs(module.scale))
                weights[b, h, i] = softmax_row(list(masked[b, h, i]))
                context[b, h, i] = sum(weights[b, h, i, j] * v[j] for j in range(kv_len + extra))
    merged = context.transpose(0, 2, 1, 3).reshape(batch, q_len, rows)
    gated = 1.0
    if "gate_weight" in state:
        opened = np.array([[state["gate_weight"] @ token for token in sentence] for sentence in inputs[0]])
        merged = merged / (1 + np.exp(-opened))
        gated += float(np.sqrt(inputs[0] ** 2 @ (state["gate_weight"] ** 2).T).max())  # its rounding is carried, too
    # Rounding errors have random signs, so that of a sum is that of the root sum of squares of its terms; the weights
    # carry the scores' errors as relative ones.
    values = np.maximum(spread[2], np.abs(projected[2])).reshape(-1, module.num_kv_heads, d_head).max(0)
    values = np.repeat(values, shared, axis=0).reshape(rows) * (1 + largest_score) * gated
    finite = np.abs(masked[np.isfinite(masked)])
    scores_size = largest_score + float(finite.max(initial=0.0))
    if "o_weight" not in state:
        return Answer(scores, masked, weights, context, merged, max(scores_size, float(values.max())))
    bias = state.get("o_bias", np.zeros(module.d_model))
    size = float(np.sqrt((state["o_weight"] ** 2 @ values**2) + bias**2).max())
    output = merged @ state["o_weight"].T + bias
    return Answer(scores, masked, weights, context, output, max(scores_size, float(values.max()), size))


def _of_distance(module: MultiHeadAttention, state: dict[str, Array], q: Array, k: Array, distance: int) -> float:
    """What the vector of a distance, query less key, adds to their score."""
    position, table = module.position, state["relative_keys.table"]
    assert isinstance(position, RelativeKey)
    assert table.shape == (2 * position.max_len - 1, len(q))
    middle = position.max_len - 1
    vector = table[middle + max(-middle, min(middle, int(distance)))]
    met = sum(q[c] * vector[c] for c in range(len(q)))
    return (met + sum(k[c] * vector[c] for c in range(len(k)) if position.both)) * module.scale


def _places(given: Array | None, batch: int, tokens: int) -> Array:
    return np.broadcast_to(np.arange(tokens) if given is None else given, (batch, tokens))


def _placed(module: MultiHeadAttention, state: dict[str, Array], x: Array, where: Array) -> Array:
    if isinstance(module.position, Sinusoidal):
        rows = [[sinusoid(float(p), module.d_model, module.position.base) for p in row] for row in where]
        return x + np.array(rows)
    if isinstance(module.position, Learned):
        return x + state["added_position.table"][where]
    return x


def shifted(module: MultiHeadAttention) -> float:
    return float(isinstance(module.q_norm, ShiftedRMSNorm))


def _normed(module: MultiHeadAttention, state: dict[str, Array], role: str, vector: Array) -> Array:
    eps = module.q_norm.eps
    if eps is None:
        eps = np.finfo(np.float64 if module.q_norm.weight.element_size() == 8 else np.float32).eps
    gain = state[f"{role}_norm.weight"] + shifted(module)
    return gain * vector / math.sqrt(np.mean(vector**2) + eps)


def _unit(
    module: MultiHeadAttention, state: dict[str, Array], role: str, vector: Array, position: float, far: int
) -> Array:
    if f"{role}_norm.weight" in state and not module.qk_norm_together:
        vector = _normed(module, state, role, vector)
    if not isinstance(module.position, Rotary):
        return vector
    return turned(vector, float(position), module.position, far)


def _score(state: dict[str, Array], head: int, q: Array, k: Array) -> float:
    if "score_weight" not in state:
        return math.fsum(q * k)
    return math.fsum(w * math.tanh(a + b) for w, a, b in zip(state["score_weight"][head], q, k, strict=True))


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
