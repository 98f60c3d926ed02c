"""Trained here and now where half of the time there is nothing to look at: with softmax, sinks and a gate."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.checks import MAX_SEED, check_choice
from attention_core.measuring.config import RunConfig
from attention_core.measuring.inputs import draw_parameters, generator
from attention_core.measuring.judge import ClaimTest, Measurement, judge_all
from attention_core.measuring.optimizers import AdamW, FlatParameters
from attention_core.measuring.settings import Switch, Whole, setting
from attention_core.measuring.step import Step
from attention_core.measuring.theory import Fails, Holds, Theory
from attention_core.measuring.verdict import Result
from attention_core.modules.multi_head import MultiHeadAttention

KINDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "softmax": {}, "plus-one": {"zero_sink": True}, "sink": {"sink": True}, "gate": {"gate": True},
}  # fmt: skip
NAMES: Final = {
    "softmax": _("softmax"),
    "plus-one": _("softmax plus one"),
    "sink": _("a learned sink"),
    "gate": _("a gate"),
}
LETTERS, VALUES, ITEMS, ASKED = 8, 8, 8, 8
D_MODEL: Final = 32
BATCH, STEPS, POINTS = 16, 300, 6
RATE: Final = 0.01
HELD_OUT: Final = 128
MOST_WEIGHT: Final = 0.5  # of a row: what one key has that has more than all others together
STEP_SECONDS: Final = 0.003  # about, on one core


@dataclass(frozen=True, slots=True, kw_only=True)
class GateConfig(RunConfig):
    """A small task with and without something to look at, learned from several seeds.

    A text is a first word, and eight letters with a value each. Of eight words that ask, half ask for a letter's
    value, whose vector is wanted; half ask for nothing, and 0 is wanted. Attention alone answers.

    Attributes:
        runs: How many seeds, ``seed``, ``seed + 1``, …
        same_first: The first word is a letter with a value like all others, and none that is always the same.
        dtype: ``float32`` or ``float64``: updates are lost to the rounding of half precision.

    Raises:
        ConfigError: If the precision is another.
    """

    runs: int = setting(3, Whole(2, 8, label=_("Runs")))
    same_first: bool = setting(
        False, Switch(label=_("First word like any other"), hint=_("In what is trained: it has a value, too."))
    )
    dtype: str = "float32"

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_choice("dtype", self.dtype, ("float32", "float64"))

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seed of each run."""
        return tuple((self.seed + run) % (MAX_SEED + 1) for run in range(self.runs))

    @property
    def seconds(self) -> float:
        """About how long all of it takes on one core, in seconds."""
        return self.runs * len(KINDS) * STEPS * STEP_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GateResult(Result):
    """What each kind learned in each run.

    Attributes:
        config: The settings.
        first: Mean weight on the first word of those that ask for nothing (kinds, runs).
        keys: Mean sum of their weights on all words: what is left has a sink (kinds, runs).
        opened: Mean of their gate; 1 where there is none (kinds, runs).
        right: Share of all that ask whose answer is nearest to what is wanted (kinds, runs).
        moments: Steps done at each point of the curves (points,).
        curves: ``first`` at each (kinds, runs, points).
    """

    config: GateConfig
    first: Float[np.ndarray, "kinds runs"]
    keys: Float[np.ndarray, "kinds runs"]
    opened: Float[np.ndarray, "kinds runs"]
    right: Float[np.ndarray, "kinds runs"]
    moments: Int[np.ndarray, " points"]
    curves: Float[np.ndarray, "kinds runs points"]


class _Texts:
    """A stream of texts from a seed."""

    def __init__(self, config: GateConfig, seed: int, purpose: str) -> None:
        self.config, self.draw = config, generator(seed, "worth", purpose)

    def next(self, batch: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Letters and values of each word (batch, 1 + items), who asks (batch, asked), and which value is wanted.

        Letter 0 and value 0 are those of the first word; who asks for nothing wants value 0.
        """
        draw, same = self.draw, self.config.same_first
        count = ITEMS + same
        # One letter more, so that a text with one item more still has as many to choose from.
        letters = torch.stack([torch.randperm(LETTERS + 1, generator=draw)[:count] + 1 for _ in range(batch)])
        values = torch.randint(1, VALUES + 1, (batch, count), generator=draw)
        asks = torch.rand(batch, ASKED, generator=draw) < 0.5
        at = torch.randint(0, count, (batch, ASKED), generator=draw)
        other = torch.randint(0, VALUES, (batch, ASKED), generator=draw)
        asked = torch.where(asks, letters.gather(1, at) - 1, LETTERS + 1 + other)
        wanted = torch.where(asks, values.gather(1, at), torch.zeros_like(at))
        if not same:
            nothing = torch.zeros(batch, 1, dtype=torch.long)
            letters, values = torch.cat((nothing, letters), 1), torch.cat((nothing, values), 1)
        return letters, values, asked, wanted


class _Model(nn.Module):
    """Vectors for letters, values and those that ask, and one attention, which answers alone."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__()
        made: dict[str, Any] = {"dtype": torch.float64}
        self.letters = nn.Parameter(torch.empty(LETTERS + 2, D_MODEL, **made))
        self.values = nn.Parameter(torch.empty(VALUES + 1, D_MODEL, **made))
        self.asks = nn.Parameter(torch.empty(LETTERS + 1 + VALUES, D_MODEL, **made))
        self.attention = MultiHeadAttention(D_MODEL, 1, **options, **made)

    def read(self, letters: Tensor, values: Tensor, asked: Tensor) -> tuple[Tensor, Tensor]:
        """The tokens that ask, and those that are looked at."""
        return self.asks[asked], self.letters[letters] + self.values[values]


def steps_gate(config: GateConfig) -> Iterator[Step | GateResult]:
    """Train each kind from each seed: a ``Step`` at each point of the curves, and last the result.

    On the CPU the same config gives the same result, bit for bit.
    """
    moments = np.linspace(0, STEPS, POINTS).round().astype(int)
    curves = np.zeros((len(KINDS), config.runs, POINTS))
    keys, opened, right = (np.zeros((len(KINDS), config.runs)) for _ in range(3))
    total, done = len(KINDS) * config.runs * POINTS, 0
    for kind, (name, options) in enumerate(KINDS.items()):
        for run, seed in enumerate(config.seeds):
            trainer = _Trainer(config, seed, options)
            for point, moment in enumerate(moments):
                yield Step(done, total, _("training with {kind}", kind=NAMES[name]))
                trainer.reach(int(moment))
                curves[kind, run, point] = trainer.looks()[0]
                done += 1
            _first, keys[kind, run], opened[kind, run], right[kind, run] = trainer.looks()
    first = curves[..., -1]
    runs = ngettext_lazy("{count} run", "{count} runs", config.runs)
    least = float(first[0][answers_best(right)].min())
    found = {"sink-gate": Measurement(least, MOST_WEIGHT, runs)}
    yield GateResult.of(
        config, judge_all(config, TESTS, found), config=config, first=first, keys=keys, opened=opened, right=right,
        moments=moments, curves=curves,
    )  # fmt: skip


class _Trainer:
    """One model in training. Grad mode is a state of the thread, so it is set within each method."""

    @torch.inference_mode(False)
    def __init__(self, config: GateConfig, seed: int, options: Mapping[str, Any]) -> None:
        self.config, self.device = config, config.torch_device
        self.model = _Model(options)
        with torch.no_grad():
            for parameter in self.model.parameters():
                parameter.zero_()
        draw_parameters(self.model, seed, bias_std=0.0)
        with torch.no_grad():
            for table in (self.model.letters, self.model.values, self.model.asks):
                table.mul_(D_MODEL**0.5)  # to components of variance 1
        self.flat = FlatParameters(self.model, self.device, config.torch_dtype)
        self.optimizer = AdamW(RATE, self.flat.values)
        codes = torch.randn(VALUES + 1, D_MODEL, generator=generator(seed, "worth", "codes"), dtype=torch.float64)
        codes[0] = 0
        self.codes = codes.to(self.device, config.torch_dtype)
        self.texts = _Texts(config, seed, "texts")
        self.held_out = [each.to(self.device) for each in _Texts(config, seed, "held out").next(HELD_OUT)]
        self.done = 0

    @torch.inference_mode(False)
    def reach(self, step: int) -> None:
        """Train until ``step`` steps are done."""
        while self.done < step:
            *text, wanted = (each.to(self.device) for each in self.texts.next(BATCH))
            with torch.enable_grad():
                self.flat.gradient.zero_()
                answer = self.model.attention(*self.model.read(*text))
                (answer - self.codes[wanted]).square().mean().backward()
            with torch.no_grad():
                self.optimizer.step(self.flat.values, self.flat.gradient)
            self.done += 1

    @torch.no_grad()
    def looks(self) -> tuple[float, float, float, float]:
        """Weight on the first word, on all words, and the gate, where nothing is asked for; and the share right."""
        *text, wanted = self.held_out
        query, key = self.model.read(*text)
        trace = self.model.attention.trace(query, key)
        nothing, words = wanted == 0, key.shape[1]
        weights = trace.weights[:, 0][nothing]
        gate = self.model.attention.gated(torch.ones_like(trace.context), query)[:, 0][nothing]
        nearest = torch.cdist(trace.output, self.codes[None]).argmin(-1)
        return (
            float(weights[:, 0].mean()), float(weights[:, :words].sum(-1).mean()), float(gate.mean()),
            float((nearest == wanted).float().mean()),
        )  # fmt: skip


def answers_best(right: np.ndarray) -> np.ndarray:
    """Which runs of softmax answer most rightly (runs,): about one in ten learns no sink, and answers some wrongly.

    Args:
        right: Share of right answers (kinds, runs).
    """
    return right[0] == right[0].max()


def _theory(config: GateConfig) -> Theory:
    """A row of softmax sums to 1, and what it fetches is to be 0 whatever the text: one word alone says always 0, so
    who answers all of them rightly looks at it.
    """
    if config.same_first:
        return Fails(_("the first word says as much as any other"))
    return Holds()


TESTS: Final = (
    ClaimTest(
        "sink-gate", "≥",
        _("asked for nothing, softmax gives the first word, in the runs that answer best, at least"),
        _("min over the runs with most right answers of the mean weight on the first word"),
        theory=_theory, rounds=False,
    ),
)  # fmt: skip
