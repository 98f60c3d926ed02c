"""Code that computes the same in two ways again in plain torch, without this project."""

from typing import Final

import numpy as np

from attention_core.measuring.choices import rotary_of
from attention_core.measuring.snippets import assemble, turned
from attention_core.shipped.corpus import END
from attention_core.shipped.languages import LANGUAGES
from attention_core.studies.exactness.batch import PADDING, WAYS, Batch
from attention_core.studies.exactness.measure import ExactnessResult
from attention_core.studies.exactness.settings import D_HEAD, D_ROTARY, HEADS, ExactnessConfig
from attention_core.studies.exactness.speculation import DAMAGE, Speculation
from attention_core.studies.exactness.writing import BEGUN, WRITTEN, beginning, words_of

FILE: Final = "model.safetensors"
SHORTEST: Final = """\
import torch
import torch.nn.functional as F

torch.manual_seed(0)
q, k, v = torch.randn(3, 8, 16, dtype=torch.float64)
m, l, o = torch.full((8, 1), -torch.inf), 0.0, 0.0
for k_t, v_t in zip(k.split(2), v.split(2)):  # two keys at a time, and no row of scores is ever whole
    s = q @ k_t.T / 4
    new = torch.maximum(m, s.amax(-1, keepdim=True))
    p, old = (s - new).exp(), (m - new).exp()
    m, l, o = new, l * old + p.sum(-1, keepdim=True), o * old + p @ v_t
print(f"tile by tile it is off by {(o / l - F.scaled_dot_product_attention(q, k, v)).abs().max():.1e}")
"""


def exactness_snippet(config: ExactnessConfig) -> str:
    """Plain torch that prints by how much the form that is looked at differs from the plain one."""
    if config.form == "batch":
        return assemble(*_model(config), *_batch(config))
    if config.form == "speculation":
        return assemble(*_model(config), *_speculation(config))
    return assemble(*_attention(config), *{"tiles": _tiles, "pairs": _pairs, "latent": _latent}[config.form](config))


def headline(result: ExactnessResult) -> list[float]:
    """How far the form that was looked at is off, and of a model that writes what it wrote."""
    part = result.part
    if isinstance(part, Batch):
        at, padded = part.precisions.index(result.config.dtype), 1 + list(WAYS).index("padded")
        changed = part.changed[at, 0] | part.changed[at, padded]
        off = [float(part.moved[at, way].max()) for way in (0, padded)]
        return [*off, int(changed.sum()), len(part.words), float(part.margins[changed].max(initial=0.0))]
    if isinstance(part, Speculation):
        return [len(part.calls), int(part.calls[-1]) + 1, float(part.shares.mean()),
                float(np.abs(part.written - part.target).max())]  # fmt: skip
    return [float(part.moved.max())]


def _attention(config: ExactnessConfig) -> tuple[str | None, ...]:
    return (
        f"SEED, HEADS, D, DTYPE = {config.seed}, {HEADS}, {D_HEAD}, torch.{config.dtype}",
        f"TOKENS = {config.tokens!r}",
        "M, i = HEADS * D, torch.arange(len(TOKENS))",
        "x = embed(TOKENS, M, SEED).to(DTYPE)",
    )


def _seen(config: ExactnessConfig) -> tuple[str | None, ...]:
    """What is added to the scores."""
    return ("seen = torch.zeros(len(i), len(i))", "seen[i > i[:, None]] = -torch.inf" if config.causal else None)


_PROJECT: Final = (
    'W = parameter("in_weight", 3 * M, M, seed=SEED).to(DTYPE).chunk(3)',
    'b = [parameter(f"{role}_bias", M, seed=SEED).to(DTYPE) for role in "qkv"]',
    "q, k, v = (split(x @ w.T + c, HEADS) for w, c in zip(W, b))",
)
_O: Final = 'O, b_O = (parameter("o_weight", M, M, seed=SEED).to(DTYPE), parameter("o_bias", M, seed=SEED).to(DTYPE))'


def _tiles(config: ExactnessConfig) -> tuple[str | None, ...]:
    tops = "torch.zeros_like(s[..., :1])" if config.no_maximum else "s.amax(-1, keepdim=True).clamp(min=-1e30)"
    rescale = "1.0, 1.0" if config.unscaled else "(m - new).exp(), (m_t - new).exp()"
    return (
        *_seen(config),
        *_PROJECT,
        f"scores = product(q, k.mT) * D**-0.5 * {config.factor} + seen",
        "whole = scores.softmax(-1).to(DTYPE) @ v",
        f"m, l, o = torch.full_like(scores[..., :1], {'0.0' if config.no_maximum else '-1e30'}), 0.0, 0.0",
        f"for s, v_t in zip(scores.split({config.tile}, -1), v.to(scores.dtype).split({config.tile}, 1)):",
        f"    m_t = {tops}",
        "    p, new = (s - m_t).exp(), torch.maximum(m, m_t)",
        f"    old, mine = {rescale}",
        "    l = l * old + p.sum(-1, keepdim=True) * mine",
        "    m, o = new, o * old + p @ v_t * mine",
        "off = ((o / l).to(DTYPE).double() - whole.double()).abs().max().item()",
        'print(f"tile by tile the contexts are off by: {off:.3g}")',
    )


def _pairs(config: ExactnessConfig) -> tuple[str | None, ...]:
    size = rotary_of(config.positions, D_HEAD).size(D_HEAD)
    rest = f", *range({size}, D)" if size < D_HEAD else ""
    both, back = (
        turned(config.positions, *parts, length="len(TOKENS)")
        for parts in ((("q", "i"), ("k", "i")), (("z[..., back]", "i"),))
    )
    return (
        *_PROJECT,
        _O,
        f"order = [*range(0, {size}, 2), *range(1, {size}, 2){rest}]",
        "back = [order.index(at) for at in range(D)]",
        f"def halves(z):  # turns the pairs x[i] and x[i + {size // 2}], not neighbours",
        f"    return {back}[..., order]",
        "def output(q, k):",
        "    return (merge(attention_weights(q, k) @ v) @ O.T + b_O).double()",
        f"other = output(halves(q[..., order]), halves(k{'' if config.one_side else '[..., order]'}))",
        f"off = (output({both}) - other).abs().max().item()",
        'print(f"the outputs of the two pairings differ by: {off:.3g}")',
    )


def _latent(config: ExactnessConfig) -> tuple[str | None, ...]:
    turned = 0 if config.whole else D_ROTARY
    return (
        f"R, T = {config.rank}, {turned}  # numbers of a latent, and of what is turned beside it",
        *_seen(config),
        'W = parameter("in_weight", HEADS * (D + T) + R + T, M, seed=SEED).to(DTYPE)',
        'q = split(x @ W[:-R - T].T + parameter("q_bias", HEADS * (D + T), seed=SEED).to(DTYPE), HEADS)',
        'c = x @ W[-R - T:].T + parameter("k_bias", R + T, seed=SEED).to(DTYPE)',
        'UK, UV = (parameter(f"{z}_up_weight", M, R, seed=SEED).to(DTYPE).unflatten(0, (HEADS, D)) for z in "kv")',
        _O,
        "k = c[:, :R] @ UK.mT",
        *(
            ("q, k = rotate(q, i), rotate(k, i)  # whole heads",)
            if config.whole
            else (
                "k = torch.cat((k, rotate(c[:, R:], i).expand(HEADS, -1, -1)), -1)",
                "q = torch.cat((q[..., :D], rotate(q[..., D:], i)), -1)",
                "c = torch.cat((c[:, :R], rotate(c[:, R:], i)), -1)",
            )
        ),
        "asked = torch.cat((q[..., :D] @ UK, q[..., D:]), -1)  # folded: W_UK meets the query, not the key",
        "def weights(q, k):",
        "    return (product(q, k.mT) * (D + T)**-0.5 + seen).softmax(-1).to(DTYPE)",
        "one = merge(weights(q, k) @ (c[:, :R] @ UV.mT)) @ O.T + b_O",
        "other = merge((weights(asked, c[None]) @ c[:, :R]) @ UV.mT) @ O.T + b_O",
        'print(f"folded and not, the outputs differ by: {(one.double() - other.double()).abs().max().item():.3g}")',
    )


def _model(config: ExactnessConfig) -> tuple[str, ...]:
    """A shipped model, from its file."""
    ids = beginning(config)
    return (
        f'FILE, HEADS, DTYPE = "{FILE}", 4, torch.{config.dtype}  # see Data for the file',
        f"IDS = {ids[0].tolist()}  # {' '.join(words_of(config, ids))}",
        "W = load_file(FILE)",
        "",
        "def logits(ids, W, layers=2, places=None, seen=None):",
        "    def linear(z, at):",
        '        return F.linear(z, W[at + ".weight"], W[at + ".bias"])',
        "    def norm(z, at):",
        '        return F.layer_norm(z, z.shape[-1:], W[at + ".weight"], W[at + ".bias"])',
        "    places = torch.arange(len(ids)) if places is None else places",
        '    x = W["embedding.weight"][ids] + W["stack.added_position.table"][places]',
        "    for layer in range(layers):",
        '        at = f"stack.layers.{layer}."',
        '        y, a = norm(x, at + "self_attention_norm"), at + "self_attention."',
        '        b = torch.cat([W[a + f"{z}_bias"] for z in "qkv"])',
        '        q, k, v = (split(z, HEADS)[None] for z in F.linear(y, W[a + "in_weight"], b).chunk(3, -1))',
        "        mixed = F.scaled_dot_product_attention(q, k, v, seen, is_causal=seen is None)[0]",
        '        x = x + F.linear(merge(mixed), W[a + "o_weight"], W[a + "o_bias"])',
        '        y = norm(x, at + "feed_forward_norm")',
        '        x = x + linear(F.gelu(linear(y, at + "feed_forward.widen")), at + "feed_forward.narrow")',
        '    return F.linear(norm(x, "stack.final_norm"), W["embedding.weight"])',
        "",
    )


def _batch(config: ExactnessConfig) -> tuple[str, ...]:
    """Its text in float64, in the precision of the settings, and padded."""
    return (
        "exact, here = ({name: each.to(dtype) for name, each in W.items()} for dtype in (torch.float64, DTYPE))",
        "ids = list(IDS)",
        f"while len(ids) < {BEGUN + WRITTEN} and {_end(config)} not in ids:  # it writes until the text ends",
        "    ids.append(int(logits(ids, exact)[-1].argmax()))",
        f"P, i = {PADDING}, torch.arange({PADDING} + len(ids))  # of padding, and all slots",
        f"seen = (i <= i[:, None]){'' if config.seen else ' & (i >= P)'}",
        "seen[:P, 0] = True  # what padding itself sees is of no account",
        f"places = {'i' if config.restart else '(i - P).clamp(min=0)'}",
        "one, alone = logits(ids, exact), logits(ids, here).double()",
        "padded = logits([0] * P + ids, here, places=places, seen=seen)[P:].double()",
        "lead = one.topk(2).values.diff()[:, 0].neg()  # of the best next word",
        'print(f"in {DTYPE} the logits are off by: {(alone - one).abs().max():.3g}")',
        'print(f"padded on the left they move by: {(padded - alone).abs().max():.3g}")',
        "changed = (alone.argmax(-1) != one.argmax(-1)) | (padded.argmax(-1) != alone.argmax(-1))",
        'print(f"next words that change: {int(changed.sum())} of {len(ids)}")',
        'print(f"the widest lead that was lost: {max(lead[changed].tolist(), default=0.0):.3g}")',
    )


def _speculation(config: ExactnessConfig) -> tuple[str | None, ...]:
    """What it writes with drafts, and the distribution of each word if it were drawn."""
    damaged = (
        "for name, w in drafting.items():",
        "    if w.dim() == 2:",
        f'        noise = draw(tuple(w.shape), {config.seed}, "damage", name).to(DTYPE)',
        f"        drafting[name] = w + noise * w.std() * {DAMAGE}",
    )
    return (
        "large = {name: each.to(DTYPE) for name, each in W.items()}",
        "drafting = dict(large)",
        *(damaged if config.draft == "damaged" else ()),
        "def draft(ids):",
        f"    return logits(ids, drafting{', layers=1' if config.draft == 'layer' else ''})",
        "",
        f"ids, calls, end = list(IDS), 0, len(IDS) + {WRITTEN}",
        "while len(ids) < end:",
        "    guess = list(ids)",
        f"    for _ in range(min({config.block}, end - len(ids) - 1)):",
        "        guess.append(int(draft(guess)[-1].argmax()))",
        "    own = logits(guess, large).argmax(-1).tolist()  # what it says after each word, in one call",
        "    own = own[1:] + own[-1:]  # one place late" if config.late else None,
        "    while len(ids) < len(guess) and guess[len(ids)] == own[len(ids) - 1]:",
        "        ids.append(guess[len(ids)])  # it would have said so, too",
        "    ids, calls = ids + [own[len(ids) - 1]], calls + 1",
        "",
        "p, q = (each[len(IDS) - 1:-1].double().softmax(-1) for each in (logits(ids, large), draft(ids)))",
        "share = torch.minimum(p, q).sum(-1)  # how likely a draft that is drawn from q is kept",
        f"drawn = {'F.one_hot(q.argmax(-1), q.shape[-1])' if config.greedy else 'q'}",
        "kept, left = drawn * (p / q).clamp(max=1), (p - q).clamp(min=0)",
        "again = torch.where(left.sum(-1, keepdim=True) > 0, left / left.sum(-1, keepdim=True), p)",
        "written = kept + (1 - kept.sum(-1, keepdim=True)) * again",
        'print(f"{len(ids) - len(IDS)} words took the large model {calls} calls")',
        'print(f"of the distributions of both, this share is one: {share.mean():.3g}")',
        'print(f"drawn by chance, what is written differs from its own by: {(written - p).abs().max():.3g}")',
    )


def _end(config: ExactnessConfig) -> int:
    return LANGUAGES[config.model].words.index(END)
