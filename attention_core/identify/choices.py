"""What an attention can be: each choice that its author had, with the options that are looked for.

An option is *usual* (textbooks and published models have it), a design of its *own* (published too, and meant), or a
*fault*: what comes of a slip, and trains nevertheless. A value of a choice is the key of an option, with a number
after a colon where it has one: ``rotary_halves:10000``.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """What is to be thought of an option."""

    USUAL = "usual"
    OWN = "a design of its own"
    FAULT = "fault"


USUAL, OWN, FAULT = Kind


@dataclass(frozen=True, slots=True)
class Option:
    """One way to make a choice.

    Attributes:
        key: Its name in code.
        says: What it computes, as the end of a sentence; ``{}`` stands for its number.
        kind: Usual, a design of its own, or a fault.
        formula: In the field's letters.
        met: Where it is found.
        numbers: Those that are tried; none where it has no number.
    """

    key: str
    says: str
    kind: Kind = USUAL
    formula: str = ""
    met: str = ""
    numbers: tuple[float, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        """The values of a choice that stand for this option."""
        return tuple(f"{self.key}:{number:g}" for number in self.numbers) or (self.key,)


@dataclass(frozen=True, slots=True)
class Choice:
    """One decision, independent of the others.

    Attributes:
        key: Its name in code.
        title: What is decided.
        options: What can be chosen; the first is what is compared with.
        page: Page of the app on which one sees what it does.
    """

    key: str
    title: str
    options: tuple[Option, ...]
    page: str = "anatomy"

    def option(self, value: str) -> Option:
        """The option that a value stands for."""
        key = value.partition(":")[0]
        return next(option for option in self.options if option.key == key)

    def says(self, value: str) -> str:
        """A value in words."""
        return self.option(value).says.format(value.partition(":")[2])


BASES: Final = (10000.0, 500000.0, 1000000.0, 100.0, 100000.0, 160000.0, 2000000.0)
PARTS: Final = (0.25, 0.5, 0.75)
FILLS: Final = (0.0, -1e-9, 1e-9, -1.0, -10.0, -100.0)
WINDOWS: Final = (2.0, 3.0, 4.0, 5.0)

CHOICES: Final = (
    Choice(
        "layout",
        "Rows of matrices",
        (
            Option("contiguous", "all queries, then all keys, then all values", met="torch, GPT-2"),
            Option("by_head", "query, key and value of one head beside each other", OWN, met="GPT-NeoX, BLOOM"),
            Option("by_group", "the queries of a group beside its key and its value", OWN, met="Falcon, InternLM2"),
            Option("interleaved", "query, key and value of one coordinate beside each other", OWN,
                met="einops '(h d qkv)'"),
            Option("shared", "one matrix of d_head × d_head serves every head's slice of a token", OWN),
        ),
        "projections",
    ),
    Choice(
        "stored",
        "Matrices",
        (
            Option("rows", "x Wᵀ, as nn.Linear", formula="x Wᵀ"),
            Option("columns", "x W, as Conv1D", formula="x W", met="GPT-2"),
        ),
        "projections",
    ),
    Choice(
        "values",
        "Values",
        (
            Option("v", "come from W_V", formula="V = x W_Vᵀ"),
            Option("k", "come from W_K, not W_V", FAULT, "V = x W_Kᵀ", "a line copied"),
            Option("q", "come from W_Q, not W_V", FAULT, "V = x W_Qᵀ", "a line copied"),
        ),
        "projections",
    ),
    Choice(
        "scores",
        "Queries and keys",
        (
            Option("qk", "come from W_Q and W_K", formula="q = x W_Qᵀ, k = x W_Kᵀ"),
            Option("kq", "are swapped: the scores are K Qᵀ", FAULT, "S = K Qᵀ", "arguments in another order"),
            Option("qq", "both come from W_Q", FAULT, "S = Q Qᵀ", "a line copied"),
            Option("kk", "both come from W_K", FAULT, "S = K Kᵀ", "a line copied"),
            Option("qv", "come from W_Q and W_V", FAULT, "S = Q Vᵀ", "arguments in another order"),
            Option("vk", "come from W_V and W_K", FAULT, "S = V Kᵀ", "arguments in another order"),
            Option("kv", "come from W_K and W_V", FAULT, "S = K Vᵀ", "arguments in another order"),
            Option("vq", "come from W_V and W_Q", FAULT, "S = V Qᵀ", "arguments in another order"),
            Option("vv", "both come from W_V", FAULT, "S = V Vᵀ", "a line copied"),
        ),
        "projections",
    ),
    Choice("q_bias", "Query bias", (Option("added", "is added"), Option("left_out", "is not used", FAULT)), "biases"),
    Choice("k_bias", "Key bias", (Option("added", "is added"), Option("left_out", "is not used", FAULT)), "biases"),
    Choice("v_bias", "Value bias", (Option("added", "is added"), Option("left_out", "is not used", FAULT)), "biases"),
    Choice(
        "added",
        "Positions added",
        (
            Option("none", "are not added to the tokens"),
            Option("sinusoidal", "sines and cosines in turn, from 0, are added to the tokens", OWN,
                met="Vaswani et al."),
            Option("sinusoidal_from_1", "sines and cosines in turn, from 1, are added to the tokens", OWN),
            Option("sines_then_cosines", "all sines, then all cosines, are added to the tokens", OWN,
                met="Tensor2Tensor"),
            Option("learned", "learned vectors are added to the tokens", OWN, met="GPT-2, BERT"),
        ),
        "permutation",
    ),
    Choice(
        "cut",
        "Heads are cut",
        (
            Option("transpose", "one block of coordinates each", formula="view(B, T, H, D).transpose(1, 2)"),
            Option("view", "by a view that mixes tokens and heads", FAULT, "view(B, H, T, D)",
                "a transpose forgotten"),
            Option("every_hth", "every H-th coordinate each", OWN, "view(B, T, D, H)", "einops '(d h)'"),
        ),
    ),
    Choice(
        "merge",
        "Heads are merged",
        (
            Option("transpose", "side by side", formula="transpose(1, 2).reshape(B, T, H·D)"),
            Option("view", "by a reshape that mixes tokens and heads", FAULT, "reshape(B, T, H·D) of (B, H, T, D)"),
            Option("every_hth", "coordinate by coordinate", OWN, "reshape(B, T, D·H)", "einops '(d h)'"),
        ),
    ),
    Choice(
        "groups",
        "Shared keys",
        (
            Option("repeated", "each serves successive heads of queries", formula="repeat_interleave"),
            Option("tiled", "each serves every n-th head of queries", FAULT, "repeat",
                "repeat for repeat_interleave"),
        ),
        "variants",
    ),
    Choice(
        "qk_norm",
        "Norm of queries and keys",
        (
            Option("none", "there is none"),
            Option("rms", "RMSNorm of each head", OWN, "q / rms(q) · γ", "Qwen 3"),
            Option("rms_plus_one", "RMSNorm of each head, times 1 + γ", OWN, "q / rms(q) · (1 + γ)", "Gemma 3"),
            Option("layer", "LayerNorm of each head", OWN, met="ViT-22B"),
            Option("unit", "to length 1", OWN, "q / |q|", "cosine attention"),
            Option("rms_of_all", "RMSNorm of all heads together", OWN, met="OLMo 2"),
            Option("layer_of_all", "LayerNorm of all heads together", OWN, met="Stable LM"),
            Option("rms_after", "RMSNorm of each head, after positions", OWN, met="Hunyuan"),
        ),
        "scaling",
    ),
    Choice(
        "rotary",
        "Rotary positions",
        (
            Option("none", "there are none"),
            Option("neighbours", "turn neighbours, base {}", OWN, "(x[2i], x[2i+1])", "RoFormer, GPT-J", BASES),
            Option("halves", "turn halves, base {}", OWN, "(x[i], x[i+D/2])", "Llama, Qwen", BASES),
            Option("part_neighbours", "turn neighbours of the first {} of a head", OWN, met="GPT-J", numbers=PARTS),
            Option("part_halves", "turn halves of the first {} of a head", OWN, met="GPT-NeoX, Phi", numbers=PARTS),
            Option("back_neighbours", "turn neighbours the other way", OWN, "R(−p)"),
            Option("back_halves", "turn halves the other way", OWN, "R(−p)"),
            Option("mixed_halves", "pair halves, with angles for neighbours", FAULT, met="two conventions in one"),
            Option("mixed_neighbours", "pair neighbours, with angles for halves", FAULT,
                met="two conventions in one"),
            Option("queries_neighbours", "turn neighbours of queries alone", FAULT),
            Option("queries_halves", "turn halves of queries alone", FAULT),
            Option("uncut_neighbours", "turn neighbours before heads are cut", FAULT, met="d_model for d_head"),
            Option("uncut_halves", "turn halves before heads are cut", FAULT, met="d_model for d_head"),
        ),
        "permutation",
    ),
    Choice(
        "turned_values",
        "Positions of values",
        (
            Option("no", "are not turned"),
            Option("neighbours", "are turned too, neighbours, base {}", FAULT, numbers=BASES[:4]),
            Option("halves", "are turned too, halves, base {}", FAULT, numbers=BASES[:4]),
        ),
        "permutation",
    ),
    Choice(
        "scale",
        "Scale",
        (
            Option("d_head", "1/√d_head", formula="Q Kᵀ / √d_head", met="Vaswani et al. (2017), section 3.2.1"),
            Option("d_model", "1/√d_model", FAULT, "Q Kᵀ / √d_model", "d_model for d_head"),
            Option("twice", "1/d_head (or 1/√d_head twice)", FAULT, "Q Kᵀ / d_head",
                "scaled here and in the kernel; µP"),
            Option("none", "there is none", FAULT, "Q Kᵀ", "forgotten; T5 and GPT-Neo mean it"),
            Option("times", "multiplied by √d_head", FAULT, "Q Kᵀ √d_head", "* for /"),
            Option("one_side", "the fourth root of d_head on one side", FAULT, "Q Kᵀ / d_head^¼"),
            Option("tokens", "1/√tokens", FAULT, "Q Kᵀ / √T", "the wrong size"),
            Option("heads", "1/√num_heads", FAULT, "Q Kᵀ / √H", "the wrong size"),
            Option("own", "{}", OWN, "s Q Kᵀ", "Gemma 2, Granite"),
        ),
        "scaling",
    ),
    Choice(
        "distance",
        "Distance",
        (
            Option("none", "does not change scores"),
            Option("alibi", "lowers scores, by a slope for each head (ALiBi)", OWN, "−m |i − j|",
                "Press et al. (2022)"),
            Option("signed", "is signed: later keys gain (ALiBi without its mask)", OWN, "−m (i − j)", "BLOOM"),
            Option("wrong_sign", "raises scores: ALiBi's sign is wrong", FAULT, "+m |i − j|"),
        ),
        "permutation",
    ),
    Choice(
        "mask",
        "Mask",
        (
            Option("none", "every token sees all"),
            Option("causal", "a token sees itself and those before", USUAL, "j ≤ i"),
            Option("window", "a token sees itself and those before, {} in all", OWN, "i − w < j ≤ i",
                numbers=WINDOWS),
            Option("strict", "a token sees those before, not itself", FAULT, "j < i", "tril(-1)"),
            Option("strict_nan", "a token sees those before, not itself; the first is NaN", FAULT, "j < i"),
            Option("strict_zero", "a token sees those before, not itself; the first gets 0", FAULT, "j < i"),
            Option("future", "a token sees itself and those after", FAULT, "j ≥ i",
                "True and False taken for each other"),
            Option("past_hidden", "a token sees only those after", FAULT, "j > i",
                "True and False taken for each other"),
            Option("past_hidden_nan", "a token sees only those after; the last is NaN", FAULT, "j > i"),
            Option("past_hidden_zero", "a token sees only those after; the last gets 0", FAULT, "j > i"),
            Option("after", "causal, after softmax: rows no longer sum to 1", FAULT, "softmax(S) ⊙ M"),
            Option("filled", "causal, but hidden scores are {}, not −∞", FAULT, numbers=FILLS, met="1e-9 for -1e9"),
            Option("added_ones", "ones and zeros are added to the scores", FAULT, "S + M", "a mask of 1 and 0 added"),
        ),
        "masks",
    ),
    Choice(
        "softmax",
        "Softmax",
        (
            Option("keys", "over keys", formula="Σ_j w_ij = 1"),
            Option("plus_one", "over keys and a zero", OWN, "exp s / (1 + Σ exp s)", "add_zero_attn, softmax1"),
            Option("sink", "over keys and a learned score for each head", OWN, met="gpt-oss"),
            Option("sigmoid", "there is none: a sigmoid of each score", OWN, "1 / (1 + exp(−s))"),
            Option("queries", "over queries, not keys", FAULT, "Σ_i w_ij = 1", "dim=-2"),
            Option("heads", "over heads, not keys", FAULT, "Σ_h w_hij = 1", "dim=1"),
            Option("batch", "over entries of the batch, not keys", FAULT, "Σ_b w_bij = 1", "dim=0"),
            Option("all", "over queries and keys at once", FAULT, "Σ_ij w_ij = 1", "flattened"),
            Option("double", "over keys, twice", FAULT, "softmax(softmax(S))"),
            Option("nothing", "there is none: scores are the weights", FAULT, "W = S", "forgotten"),
            Option("scaled_after", "over keys, and scaled afterwards", FAULT, "softmax(S) / √d_head"),
        ),
        "scaling",
    ),
    Choice(
        "direction",
        "Attention weights",
        (Option("rows", "mix values by rows"), Option("columns", "are transposed: values are mixed by columns",
            FAULT)),
    ),
    Choice(
        "output",
        "Output projection",
        (
            Option("projected", "is applied to merged heads", formula="concat(heads) W_Oᵀ"),
            Option("left_out", "is there and not used", FAULT, "concat(heads)"),
            Option("before", "is applied to values, before heads", FAULT, "V W_Oᵀ"),
        ),
        "projections",
    ),
    Choice("o_bias", "Output bias", (Option("added", "is added"), Option("left_out", "is not used", FAULT)),
        "biases"),
    Choice(
        "around",
        "Around it",
        (
            Option("none", "there is nothing"),
            Option("residual", "the tokens are added to the output", OWN, "x + A(x)", "a block's line within"),
            Option("pre", "the tokens are normalised first", OWN, "A(norm(x))", "CLIP variants, Perceiver"),
            Option("pre_residual", "normalised first, and the tokens added", OWN, "x + A(norm(x))", "pre-norm"),
            Option("post_residual", "the tokens are added, then normalised", OWN, "norm(x + A(x))", "BERT"),
            Option("post", "the output is normalised", OWN, "norm(A(x))"),
        ),
        "normalization",
    ),
    Choice(
        "attended",
        "Attention runs over",
        (
            Option("tokens", "the tokens of an entry of the batch", formula="x: (B, T, d)"),
            Option("batch", "the batch: its entries are taken for tokens", FAULT, met="batch_first=False"),
        ),
    ),
)  # fmt: skip
BY_KEY: Final = {choice.key: choice for choice in CHOICES}
