"""The module the sentence goes through: its weights built by hand or drawn, and its way over the heads."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from attention_core.measuring.choices import PROJECTIONS, position_of, rotary_of
from attention_core.measuring.inputs import draw_parameters, embed
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Rotary, rotate
from attention_core.studies.anatomy.settings import D_MODEL, AnatomyConfig

HALF = D_MODEL // 2  # the first half of an embedding is left free for the slot, the second holds the word
BIAS_STD = 0.5
SLOT_GAIN, WORD_GAIN = 6.0, 0.6


def module_input(config: AnatomyConfig) -> Float[Tensor, "1 n d_model"]:
    """One vector for each word: zeros where the slot will go, then a random direction of length √8."""
    drawn = F.normalize(embed(config.tokens, HALF, config.seed)) * math.sqrt(HALF)
    return F.pad(drawn, (HALF, 0)).to(config.torch_device, config.torch_dtype)[None]


def attention_module(config: AnatomyConfig) -> MultiHeadAttention:
    """The module of a config in evaluation mode, in its precision and on its device."""
    module = MultiHeadAttention(
        D_MODEL,
        config.heads,
        d_head=config.d_head or None,
        **dict.fromkeys(("q_bias", "k_bias", "v_bias", "o_bias"), config.biases),
        projections=PROJECTIONS[config.projections],
        position=position_of(config.positions, config.head_size),
        dropout=config.dropout,
        dtype=torch.float64,
    )
    draw_parameters(module, config.seed, bias_std=BIAS_STD)
    if config.weights == "built":
        _build(module, len(config.tokens), centred=config.positions == "sinusoidal")
    if config.cut:
        _cut(module)
    return module.to(config.torch_device, config.torch_dtype).eval()


def slowed(config: AnatomyConfig) -> tuple[float, ...]:
    """How many times slower each pair turns from slot to slot than by rotary positions that are not stretched."""
    usual, here = (
        rotary.frequencies(config.head_size, length=len(config.tokens), dtype=torch.float64)
        for rotary in (Rotary(), rotary_of(config.positions, config.head_size))
    )
    return tuple((usual / here).tolist())


def _build(module: MultiHeadAttention, length: int, *, centred: bool) -> None:
    """Odd heads look one slot back, even heads at the same word; values copy the word, W_O lays heads side by side.

    A sinusoidal position is a clock with several hands, and one slot back turns each hand by a fixed angle: a matrix
    of rotations, which W_Q holds and W_K does not, so that the query of slot i meets the key of slot i − 1. The slow
    hands that reach into the word's half stand still at (0, 1, 0, 1, …); biases take that away.

    Rotary positions are the clock itself: they turn what every query and every key has in common, which is a bias,
    and b_Q is b_K turned back by one slot. Without biases there is nothing for them to turn.
    """
    size = module.d_head
    rotary = module.position if isinstance(module.position, Rotary) else None
    back, here, word = _one_slot_back(size), _picks(size, 0), _picks(size, HALF)
    still = torch.arange(size) % 2 * (torch.arange(size) < HALF) * float(centred)
    slot_gain, word_gain = (math.sqrt(gain * math.sqrt(size)) for gain in (SLOT_GAIN, WORD_GAIN))
    at_zero = slot_gain * (1.0 - torch.arange(size, dtype=torch.float64) % 2)  # each at (1, 0)
    hands = at_zero if rotary else 0 * at_zero
    hands_before = rotate(hands[None], torch.tensor([-1]), rotary, length=length)[0] if rotary else hands
    rows = {"v": [], "q": [], "k": []}
    shifts = {"v": [], "q": [], "k": []}
    for head in range(module.num_heads):
        looks_back = head % 2 == 0
        rows["v"].append(word)
        rows["q"].append(slot_gain * back if looks_back else word_gain * word)
        rows["k"].append(slot_gain * here if looks_back else word_gain * word)
        shifts["v"].append(-still)
        shifts["q"].append(hands_before if looks_back else -word_gain * still)
        shifts["k"].append(hands if looks_back else -word_gain * still)
    with torch.no_grad():
        for name in rows:
            weight, bias = getattr(module, f"{name}_weight"), getattr(module, f"{name}_bias")
            weight.copy_(torch.cat(rows[name]))
            if bias is not None:
                bias.copy_(torch.cat(shifts[name]))
        assert module.o_weight is not None
        width = module.o_weight.shape[1]
        module.o_weight.copy_(torch.eye(D_MODEL).repeat(1, -(-width // D_MODEL))[:, :width])
        if module.o_bias is not None:
            module.o_bias.zero_()


def _cut(module: MultiHeadAttention) -> None:
    """Leave each head its slice of an embedding, as near to equal ones as numbers can be cut."""
    head_of = torch.arange(D_MODEL) * module.num_heads // D_MODEL
    slices = (head_of == torch.arange(module.num_heads)[:, None]).repeat_interleave(module.d_head, 0)
    with torch.no_grad():
        for name in "qkv":
            getattr(module, f"{name}_weight").mul_(slices)


def _picks(size: int, start: int) -> Float[Tensor, "size d_model"]:
    """Takes up to eight numbers of an embedding, from number ``start`` on."""
    return torch.eye(size, HALF, dtype=torch.float64) @ torch.eye(HALF, D_MODEL, dtype=torch.float64).roll(start, 1)


def _one_slot_back(size: int) -> Float[Tensor, "size d_model"]:
    """Takes the slot's half, each hand of its clock turned back by one slot."""
    angles = 10000.0 ** -(torch.arange(0, HALF, 2, dtype=torch.float64) / D_MODEL)
    turns = [torch.tensor([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]) for a in angles.tolist()]
    turn = torch.block_diag(*turns).to(torch.float64)
    return torch.eye(size, HALF, dtype=torch.float64) @ F.pad(turn, (0, HALF))
