"""Settings of the receptive-field experiment, and which key each of its heads is made to look at."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch

from attention_core.language import gettext_lazy as _
from attention_core.language import pgettext_lazy
from attention_core.measuring.checks import ConfigError, check_int
from attention_core.measuring.choices import MASKS as MASKS
from attention_core.measuring.config import RunConfig
from attention_core.measuring.inputs import generator
from attention_core.measuring.settings import Choice, Real, Switch, Whole, defaults, setting

MAX_HEADS: Final = 8
MAX_LAYERS: Final = 8
MAX_TOKENS: Final = 256
WEIGHTS: Final = {"constructed": _("constructed"), "random": _("random"), "soft": _("soft")}

# Soft heads have queries and keys as long as there are tokens: at heads · layers · tokens² = 2²¹ the matrices of all
# layers take 60 MB.
MAX_SOFT_CELLS: Final = 2**21


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
        mask: ``none``, ``causal`` or ``window``: a sliding window.
        window: How far the sliding window reaches to either side, in tokens.
        wrap: Whether looking back from the first tokens goes on at the last; else such a head looks at its own token.
        residual: Whether a layer's content is added to what its heads fetch, or replaced by it.
        write_positions: Whether the first layer's output projection also writes into the position part of the tokens.

    Raises:
        ConfigError: If a setting, or what they cost together, is not possible.
    """

    heads: int = setting(2, Whole(1, MAX_HEADS, label=_("Heads, k")))
    layers: int = setting(3, Whole(1, MAX_LAYERS, label=_("Layers")))
    tokens: int = setting(32, Whole(1, MAX_TOKENS, label=pgettext_lazy("how many", "Tokens")))
    weights: str = setting("constructed", Choice(WEIGHTS, label=_("Heads are"), listed=False))
    temperature: float = setting(0.2, Real(0.05, 2.0, 0.05, label=_("Temperature of soft heads")))
    threshold: float = setting(
        0.0, Real(0.0, 0.2, 0.01, label=_("Counts as seen from a share of"), hint=_("Of soft heads."))
    )
    mask: str = setting(
        "none", Choice(MASKS, label=_("Mask"), hint=_("Constructed heads look back only, even without one."))
    )
    window: int = 4
    wrap: bool = setting(
        False, Switch(label=_("Wrap around"), hint=_("The first tokens look back to the last ones."))
    )
    residual: bool = setting(True, Switch(label=_("Residual"), hint=_("Without it k heads reach kⁿ.")))
    write_positions: bool = setting(
        False, Switch(label=_("Write into the positions"), hint=_("Heads then lose their way."))
    )

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_int("window", self.window, 0, MAX_TOKENS)
        cells = self.heads * self.layers * self.tokens**2
        if self.soft and cells > MAX_SOFT_CELLS:
            allowed = _(
                "heads × layers × tokens² up to {most_cells:,} is allowed with soft heads and this is {cells:,}; "
                "{heads} heads and {layers} layers leave room for {most:,} tokens",
                most_cells=MAX_SOFT_CELLS,
                cells=cells,
                heads=self.heads,
                layers=self.layers,
                most=int((MAX_SOFT_CELLS / (self.heads * self.layers)) ** 0.5),
            )
            raise ConfigError("tokens", self.tokens, allowed)
        if self.write_positions and self.mask == "window":
            allowed = _(
                "the overwritten positions make every head look for one token, which a sliding window hides; "
                "choose another mask"
            )
            raise ConfigError("write_positions", True, allowed)

    @property
    def for_table(self) -> "ReceptiveFieldConfig":
        """The settings that the table over heads and layers depends on; the others are as they begin."""
        free = ("heads", "layers", "weights", "temperature", "threshold", "seed")
        return replace(self, **{name: defaults(ReceptiveFieldConfig)[name] for name in free})

    @property
    def for_growth(self) -> "ReceptiveFieldConfig":
        """The same with as many tokens as there can be: what is seen grows longest there."""
        return replace(self.for_table, tokens=MAX_TOKENS)

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
    first = np.maximum(at - window, 0) if mask == "window" else np.zeros_like(at)
    last = at if mask == "causal" else np.full_like(at, tokens - 1)
    return first, np.minimum(at + window, last) if mask == "window" else last


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
