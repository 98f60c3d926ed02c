"""Settings of the receptive-field experiment, and which key each of its heads is made to look at."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch

from attention_core.experiments.config import (
    ConfigError,
    RunConfig,
    check_bool,
    check_choice,
    check_float,
    check_int,
)
from attention_core.experiments.inputs import generator

MAX_HEADS: Final = 8
MAX_LAYERS: Final = 8
MAX_TOKENS: Final = 1024
WEIGHTS: Final = ("constructed", "random", "soft")
MASKS: Final = ("none", "causal", "sliding window")

# Weights of all heads and layers: heads · layers · tokens². Soft heads have queries and keys as long as there are
# tokens, so W_Q, W_K and W_V of all layers take 60 MB at their limit.
MAX_CELLS: Final = {"constructed": 2**23, "random": 2**23, "soft": 2**21}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceptiveFieldConfig(RunConfig):
    """A stack of attention layers whose heads look where they are told to.

    ``tokens`` counts the tokens; the depth is ``layers``.

    Attributes:
        heads: Heads of each layer, k.
        layers: Layers of the stack.
        tokens: Tokens it reads.
        weights: ``constructed``: head j of layer l (both from 0) looks back (j + 1)(k + 1)ˡ positions with weight 1;
            ``random``: each query of each head looks at one key drawn evenly from those it may see; ``soft``: as
            constructed, with a softmax that is not saturated.
        temperature: Of soft heads: the key that is looked for scores 1/temperature, every other one 0.
        threshold: Of soft heads: share of a token's output above which an input counts as seen.
        mask: ``none``, ``causal`` or ``sliding window``.
        window: How far the sliding window reaches to either side, in tokens.
        wrap: Whether looking back from the first tokens goes on at the last; else such a head looks at its own token.
        residual: Whether a layer's content is added to what its heads fetch, or replaced by it.
        write_positions: Whether the first layer's output projection also writes into the position part of the tokens.
    """

    heads: int = 2
    layers: int = 3
    tokens: int = 32
    weights: str = "constructed"
    temperature: float = 0.2
    threshold: float = 0.0
    mask: str = "none"
    window: int = 4
    wrap: bool = False
    residual: bool = True
    write_positions: bool = False

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_int("heads", self.heads, 1, MAX_HEADS)
        check_int("layers", self.layers, 1, MAX_LAYERS)
        check_int("tokens", self.tokens, 1, MAX_TOKENS)
        check_choice("weights", self.weights, WEIGHTS)
        check_float("temperature", self.temperature, 0.02, 100.0)
        check_float("threshold", self.threshold, 0.0, 1.0)
        check_choice("mask", self.mask, MASKS)
        check_int("window", self.window, 0, MAX_TOKENS)
        for name in ("wrap", "residual", "write_positions"):
            check_bool(name, getattr(self, name))
        cells, limit = self.heads * self.layers * self.tokens**2, MAX_CELLS[self.weights]
        if cells > limit:
            most = int((limit / (self.heads * self.layers)) ** 0.5)
            raise ConfigError(
                "tokens",
                self.tokens,
                f"heads × layers × tokens² up to {limit:,} is allowed with {self.weights} weights and this is "
                f"{cells:,}; {self.heads} heads and {self.layers} layers leave room for {most:,} tokens",
            )
        if self.write_positions and self.mask == "sliding window":
            raise ConfigError(
                "write_positions",
                True,
                "the overwritten positions make every head look for one token, which a sliding window hides; "
                "choose another mask",
            )

    @property
    def soft(self) -> bool:
        """Whether the softmax is left unsaturated."""
        return self.weights == "soft"

    @property
    def seen_above(self) -> float:
        """Share of a token's output above which an input counts as seen: the threshold of soft heads, else 0."""
        return self.threshold if self.soft else 0.0

    def bound(self, layers: int) -> int:
        """The most inputs a token can see ``layers`` layers up, (k + 1)^layers capped by the tokens."""
        return min((self.heads + 1) ** layers, self.tokens)

    def paths(self, layers: int) -> int:
        """Ways from a token ``layers`` layers up to an input: (k + 1)^layers, without the residual k^layers."""
        return (self.heads + self.residual) ** layers


def visible_range(mask: str, window: int, tokens: int) -> tuple[np.ndarray, np.ndarray]:
    """First and last key that each query may attend to, two integer arrays (tokens,)."""
    at = np.arange(tokens)
    first = np.maximum(at - window, 0) if mask == "sliding window" else np.zeros_like(at)
    last = at if mask == "causal" else np.full_like(at, tokens - 1)
    return first, np.minimum(at + window, last) if mask == "sliding window" else last


def constructed_targets(
    heads: int, layers: int, tokens: int, *, mask: str = "none", window: int = 0, wrap: bool = False
) -> np.ndarray:
    """The key each query of each head looks at, so that no two paths through the stack end at one input.

    Head j of layer l looks back (j + 1)(k + 1)ˡ positions, so a path is a number of ``layers`` digits to the base
    k + 1, the digit 0 being the residual. A head whose key is hidden takes the nearest one that is not.

    Returns:
        Integers (layers, heads, tokens).
    """
    back = np.arange(1, heads + 1) * ((heads + 1) ** np.arange(layers))[:, None]  # (layers, heads)
    at = np.arange(tokens)
    targets = at - back[..., None]
    targets = targets % tokens if wrap else np.where(targets < 0, at, targets)
    return targets.clip(*visible_range(mask, window, tokens))


def random_targets(
    heads: int, layers: int, tokens: int, *, seed: int, draw: int = 0, mask: str = "none", window: int = 0
) -> np.ndarray:
    """For each query of each head one key, drawn evenly from those it may see; integers (layers, heads, tokens)."""
    stream = generator(seed, "random heads", draw)
    uniform = torch.rand(layers, heads, tokens, generator=stream, dtype=torch.float64).numpy()
    first, last = visible_range(mask, window, tokens)
    return first + np.floor(uniform * (last - first + 1)).astype(np.int64)


def intended_targets(config: ReceptiveFieldConfig) -> np.ndarray:
    """The key each query of each head is made to look at, before anything is overwritten; (layers, heads, tokens)."""
    size = (config.heads, config.layers, config.tokens)
    if config.weights == "random":
        return random_targets(*size, seed=config.seed, mask=config.mask, window=config.window)
    return constructed_targets(*size, mask=config.mask, window=config.window, wrap=config.wrap)
