"""What is to be learned: inputs drawn anew for every step, what is asked for, and what can be had without order."""

import math
import string
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final

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
        causal: Whether a token sees only those up to itself, which is all that a model blind to order then knows of.
    """

    tokens: int
    kinds: int
    back: int
    causal: bool = False


class Task(ABC):
    """A rule that says which token is asked for in each slot.

    Attributes:
        predicts_next: Whether that is the token which comes next: then what is asked for stands in the next slot, and
            only a causal mask keeps it from being read there.
    """

    predicts_next: ClassVar[bool] = False

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
    def blind(self, inputs: Int[Tensor, "batch tokens"], sizes: Sizes) -> Float[Tensor, "batch tokens"]:
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

    def blind(self, inputs: Int[Tensor, "batch tokens"], sizes: Sizes) -> Float[Tensor, "batch tokens"]:
        """The likeliest of the other tokens; in an odd number of slots one of them is its own partner.

        Under a causal mask the tokens of the second half see what they ask for, and the others know nothing of it.
        """
        if sizes.causal:
            slots = torch.arange(sizes.tokens)
            partners = slots.flip(0)
            unseen = torch.where(slots == partners, 1, sizes.kinds).double().reciprocal()
            return torch.where(partners < slots, _likeliest_other(inputs, sizes), unseen)
        return _likeliest(inputs, sizes) if sizes.tokens % 2 else _likeliest_other(inputs, sizes)


class Sort(Task):
    """The tokens in the order of the alphabet."""

    def wanted(self, inputs: Int[Tensor, "batch tokens"], sizes: Sizes) -> Int[Tensor, "batch tokens"]:
        """The inputs, sorted."""
        del sizes
        return inputs.sort(1).values

    def blind(self, inputs: Int[Tensor, "batch tokens"], sizes: Sizes) -> Float[Tensor, "batch tokens"]:
        """The likeliest token: what stands in a slot says nothing about which slot it is.

        Under a causal mask how many tokens are seen says it. The wanted one is at most t if that many of all tokens
        are, those that are not seen yet being so with probability (t + 1) / kinds each.
        """
        if not sizes.causal:
            return _likeliest(inputs, sizes)
        seen = torch.arange(1, sizes.tokens + 1)
        missing = seen[:, None] - _seen(inputs, sizes).cumsum(2)  # (batch, tokens, kinds), of those that are seen
        at_most = torch.stack(
            [F.pad(_at_least(sizes.tokens - many, sizes.kinds), (0, many)) for many in seen.tolist()]
        )
        below = at_most.expand(len(inputs), -1, -1, -1).gather(3, missing.clamp(min=0)[..., None])[..., 0]
        return F.pad(below, (1, 0)).diff(dim=2).amax(2)


class Copy(Task):
    """The token that stands ``back`` slots earlier; nothing is asked before there is one."""

    def wanted(self, inputs: Int[Tensor, "batch tokens"], sizes: Sizes) -> Int[Tensor, "batch tokens"]:
        """The inputs, ``back`` slots later."""
        return F.pad(inputs, (sizes.back, 0), value=IGNORED)[:, : inputs.shape[1]]

    def blind(self, inputs: Int[Tensor, "batch tokens"], sizes: Sizes) -> Float[Tensor, "batch tokens"]:
        """The likeliest of the other tokens."""
        return _likeliest_other(inputs, sizes)


class Induction(Task):
    """The next token of a sequence that repeats itself.

    Each sequence repeats a few different tokens, how many is drawn anew: :func:`periods`. From the second time on,
    the next token is the one that followed the same token before (Olsson et al. 2022, "In-context Learning and
    Induction Heads").
    """

    predicts_next = True

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

    def blind(self, inputs: Int[Tensor, "batch tokens"], sizes: Sizes) -> Float[Tensor, "batch tokens"]:
        """Under a causal mask one of those seen least often, which are still to come; if all are even, another token.

        Who sees the whole text knows the period p, and the n mod p tokens that stand there once more than the others
        follow one another: the next one is as likely each of one's own sort, unless there is none or no other sort.
        """
        seen = _seen(inputs, sizes)
        if not sizes.causal:
            period = (seen > 0).sum(2)
            longer = inputs.shape[1] % period
            own = seen.gather(2, inputs[..., None])[..., 0] > inputs.shape[1] // period
            alike = torch.where(own, longer, period - longer)
            return 1 / torch.where((longer > 0) & (alike > 1), alike, period - 1).double()
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
    return (task.blind(inputs, sizes) * asked).sum(1) / asked.sum(1)


def _seen(inputs: Tensor, sizes: Sizes) -> Tensor:
    """How often each kind stands among the tokens that each token sees (batch, tokens, kinds)."""
    each = F.one_hot(inputs, sizes.kinds)
    return each.cumsum(1) if sizes.causal else each.sum(1, keepdim=True).expand_as(each)


def _likeliest(inputs: Tensor, sizes: Sizes) -> Tensor:
    return _seen(inputs, sizes).amax(2).double() / inputs.shape[1]


def _likeliest_other(inputs: Tensor, sizes: Sizes) -> Tensor:
    others = _seen(inputs, sizes) - F.one_hot(inputs, sizes.kinds)
    return others.amax(2).double() / others.sum(2).clamp(min=1)


def _at_least(count: int, kinds: int) -> Float[Tensor, "kinds least"]:
    """The probability that of ``count`` tokens at least 0, 1, 2 … are among the first 1, 2 … kinds."""
    q, some = torch.arange(1, kinds + 1).double()[:, None] / kinds, torch.arange(count + 1).double()
    ways = math.lgamma(count + 1) - torch.lgamma(some + 1) - torch.lgamma(count - some + 1)
    exactly = (ways + torch.xlogy(some, q) + torch.xlogy(count - some, 1 - q)).exp()
    return exactly.flip(1).cumsum(1).flip(1)


TASKS: Final[dict[str, Task]] = {"reverse": Reverse(), "sort": Sort(), "copy": Copy(), "induction": Induction()}
