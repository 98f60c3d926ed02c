"""What is to be learned: inputs drawn anew for every step, what is asked for, and what can be had without order."""

import string
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Final

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

ALPHABET: Final = string.ascii_lowercase
IGNORED: Final = -100  # F.cross_entropy's own mark: nothing is asked here


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a task needs to know.

    Attributes:
        tokens: Length of each sequence.
        kinds: How many different tokens there are.
        back: How far back ``copy`` looks.
    """

    tokens: int
    kinds: int
    back: int


class Task(ABC):
    """A rule that says which token is asked for in each slot."""

    def draw(
        self, sizes: Sizes, batch: int, generator: torch.Generator
    ) -> tuple[Int[Tensor, "batch tokens"], Int[Tensor, "batch tokens"]]:
        """New inputs and what is asked for: independent, equally likely tokens unless a task says otherwise."""
        inputs = torch.randint(sizes.kinds, (batch, sizes.tokens), generator=generator)
        return inputs, self.wanted(inputs, sizes)

    @abstractmethod
    def wanted(self, inputs: Int[Tensor, "batch tokens"], sizes: Sizes) -> Int[Tensor, "batch tokens"]:
        """What is asked for in each slot of given inputs; ``IGNORED`` where nothing is."""

    @abstractmethod
    def blind(
        self, inputs: Int[Tensor, "batch tokens"], wanted: Int[Tensor, "batch tokens"], sizes: Sizes
    ) -> Float[Tensor, "batch tokens"]:
        """How often the best model that is blind to order is right in each slot.

        It knows its own token and how often each token stands among those it may see, and nothing else; it guesses
        the likeliest.
        """


class Reverse(Task):
    """The tokens from the last to the first."""

    def wanted(self, inputs: Int[Tensor, "batch tokens"], sizes: Sizes) -> Int[Tensor, "batch tokens"]:
        """The inputs, backwards."""
        del sizes
        return inputs.flip(1)

    def blind(
        self, inputs: Int[Tensor, "batch tokens"], wanted: Int[Tensor, "batch tokens"], sizes: Sizes
    ) -> Float[Tensor, "batch tokens"]:
        """The likeliest of the other tokens; in an odd number of slots one of them is its own partner."""
        del wanted
        return _likeliest(inputs, sizes) if sizes.tokens % 2 else _likeliest_other(inputs, sizes)


class Sort(Task):
    """The tokens in the order of the alphabet."""

    def wanted(self, inputs: Int[Tensor, "batch tokens"], sizes: Sizes) -> Int[Tensor, "batch tokens"]:
        """The inputs, sorted."""
        del sizes
        return inputs.sort(1).values

    def blind(
        self, inputs: Int[Tensor, "batch tokens"], wanted: Int[Tensor, "batch tokens"], sizes: Sizes
    ) -> Float[Tensor, "batch tokens"]:
        """The likeliest token: what stands in a slot says nothing about which slot it is."""
        del wanted
        return _likeliest(inputs, sizes)


class Copy(Task):
    """The token that stands ``back`` slots earlier; nothing is asked before there is one."""

    def wanted(self, inputs: Int[Tensor, "batch tokens"], sizes: Sizes) -> Int[Tensor, "batch tokens"]:
        """The inputs, ``back`` slots later."""
        return F.pad(inputs, (sizes.back, 0), value=IGNORED)[:, : inputs.shape[1]]

    def blind(
        self, inputs: Int[Tensor, "batch tokens"], wanted: Int[Tensor, "batch tokens"], sizes: Sizes
    ) -> Float[Tensor, "batch tokens"]:
        """The likeliest of the other tokens."""
        del wanted
        return _likeliest_other(inputs, sizes)


class Induction(Task):
    """The next token of a sequence that repeats itself.

    Each sequence repeats a few different tokens, how many is drawn anew: :func:`periods`. From the second time on,
    the next token is the one that followed the same token before (Olsson et al. 2022, "In-context Learning and
    Induction Heads").
    """

    def draw(
        self, sizes: Sizes, batch: int, generator: torch.Generator
    ) -> tuple[Int[Tensor, "batch tokens"], Int[Tensor, "batch tokens"]]:
        """Repeated tokens, and the next token of each from the second time on."""
        allowed = periods(sizes.tokens)
        period = torch.randint(allowed[0], allowed[-1] + 1, (batch, 1), generator=generator)
        different = torch.rand(batch, sizes.kinds, generator=generator).argsort(1)
        slots = torch.arange(sizes.tokens + 1)
        sequence = different.gather(1, slots % period)
        return sequence[:, :-1], sequence[:, 1:].masked_fill(slots[:-1] < period, IGNORED)

    def wanted(self, inputs: Int[Tensor, "batch tokens"], sizes: Sizes) -> Int[Tensor, "batch tokens"]:
        """The token that followed the same token last time; nothing where it stands there for the first time."""
        del sizes
        tokens = inputs.shape[1]
        before = torch.ones(tokens, tokens, dtype=torch.bool).tril(-1)
        same = (inputs[:, :, None] == inputs[:, None, :]) & before
        last = (same * torch.arange(1, tokens + 1)).amax(2)  # the slot after the last time; 0 where there was none
        return inputs.gather(1, last.clamp(max=tokens - 1)).masked_fill(last == 0, IGNORED)

    def blind(
        self, inputs: Int[Tensor, "batch tokens"], wanted: Int[Tensor, "batch tokens"], sizes: Sizes
    ) -> Float[Tensor, "batch tokens"]:
        """One of those seen least often: they are the ones still to come; where all are even, any but the last."""
        del wanted
        seen = F.one_hot(inputs, sizes.kinds).cumsum(1)  # (batch, tokens, kinds)
        least = seen.where(seen > 0, sizes.tokens + 1).amin(2, keepdim=True)
        candidates = (seen == least).sum(2)
        even = seen.amax(2) == least[:, :, 0]
        return 1 / (candidates - even.long()).clamp(min=1).double()


def periods(tokens: int) -> range:
    """The periods that ``induction`` draws from: so short that each sequence repeats itself at least once."""
    return range(max(2, tokens // 5 + 1), tokens // 2 + 1)


def blind_best(
    task: Task, inputs: Int[Tensor, "batch tokens"], wanted: Int[Tensor, "batch tokens"], sizes: Sizes
) -> Float[Tensor, " batch"]:
    """The share of each sequence that the best model blind to order is expected to get right."""
    asked = wanted != IGNORED
    return (task.blind(inputs, wanted, sizes) * asked).sum(1) / asked.sum(1)


def _likeliest(inputs: Tensor, sizes: Sizes) -> Tensor:
    counts = F.one_hot(inputs, sizes.kinds).sum(1)  # (batch, kinds)
    return (counts.amax(1, keepdim=True).double() / inputs.shape[1]).expand(inputs.shape)


def _likeliest_other(inputs: Tensor, sizes: Sizes) -> Tensor:
    each = F.one_hot(inputs, sizes.kinds)
    others = each.sum(1, keepdim=True) - each  # (batch, tokens, kinds)
    return others.amax(2).double() / (inputs.shape[1] - 1)


TASKS: Final[dict[str, Task]] = {"reverse": Reverse(), "sort": Sort(), "copy": Copy(), "induction": Induction()}
