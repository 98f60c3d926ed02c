"""Settings of what a weight is worth: which model, text and head, what is asked of it, and what a cut leaves."""

from dataclasses import dataclass
from typing import Final

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.model_config import LIGHT, SHORT, ReadsText, SourceConfig, beginning
from attention_core.measuring.models import Head, require_copy
from attention_core.measuring.settings import Choice, Coded, Switch, setting
from attention_core.shipped.rivals import rivals

MOST_TOKENS: Final = 24
WEIGHT_SECONDS: Final = 3e-11  # about, for each weight that a token meets, on one core
RESTS: Final[dict[str, str]] = {
    "left": _("left as it is"),
    "renormalised": _("renormalised"),
    "mean": _("the mean in its place"),
}
TARGETS: Final = {
    "kind": _("the right kind of words, where there are two"),
    "next": _("the next word, against all others"),
}


def read_head(text: str) -> tuple[int, ...]:
    """Layer and head, counted from 0, that a link's ``0.1`` names; empty for the one that is found."""
    head = tuple(map(int, text.split("."))) if text else ()
    if len(head) not in (0, 2):
        raise ValueError(f"{text} is no head")
    return head


def write_head(head: tuple[int, ...]) -> str:
    """The link's text for it."""
    return ".".join(map(str, head))


@dataclass(frozen=True, slots=True, kw_only=True)
class WorthConfig(ReadsText, SourceConfig):
    """One head of a model on one text, and what is asked of the model.

    Attributes:
        text: What it reads, of 24 tokens at most.
        target: What may fall: by how much the likeliest next word leads all others (``next``); or, where the text
            decides between two kinds of words, the likeliest of one kind those of the other (``kind``).
        rest: What becomes of the rest of a row whose edge is cut: see ``edge_effects``.
        head: Layer and head, counted from 0; empty for the one whose weights the target depends on most, by gradient,
            of a layer below the last where there is one: the last place feels all of its edges.
        plus_one: One more key of score 0 and value 0 in the layer of the head: softmax plus one.
        any_direction: Weights are moved along any direction, and not along one that no value sees.

    Raises:
        ConfigError: If the model gives no logits or is no checkpoint, there is no such head, or the layer has
            a sink already.
    """

    text: tuple[str, ...] = beginning(SHORT)
    target: str = setting("kind", Choice(TARGETS, label=_("What may fall: the lead of")))
    rest: str = setting(
        "left",
        Choice(
            RESTS,
            label=_("The rest of the row is"),
            hint=_("An edge that is cut leaves a row that no longer sums to 1: what becomes of it is a choice."),
        ),
    )
    head: tuple[int, ...] = setting((), Coded(read_head, write_head, label=_("Head")))
    plus_one: bool = setting(
        False, Switch(label=_("Softmax plus one"), hint=_("One more key of score 0 that fetches nothing."))
    )
    any_direction: bool = setting(
        False,
        Switch(label=_("Move weights along any direction"), hint=_("And not along one that no value sees.")),
    )

    def __post_init__(self) -> None:
        SourceConfig.__post_init__(self)
        require_copy("dtype", self.copied_bytes)
        if not isinstance(self.source.module, Checkpoint) or not self.source.has_head:
            allowed = _("a model of a family that is read from files and says what comes next is")
            raise ConfigError("model", self.source.name, allowed)
        self.begin()
        if self.head:
            layers, heads = self.shape
            if not (0 <= self.head[0] < layers and 0 <= self.head[1] < heads):
                allowed = _("this model has {layers} layers of {heads} heads", layers=layers, heads=heads)
                raise ConfigError("head", write_head(self.head), allowed)
        if self.plus_one and self.has_sink:
            raise ConfigError("plus_one", self.plus_one, _("this model’s heads have a sink of their own"))

    @property
    def longest(self) -> int:
        """Most tokens of a text: its edges are squared."""
        return min(MOST_TOKENS, self.source.longest)

    @property
    def kinds(self) -> tuple[tuple[int, ...], ...]:
        """The ids of two kinds of words between which the text decides; nothing where it does not."""
        if self.target != "kind":
            return ()
        words = self.source.words
        return tuple(
            tuple(words.index(one) for one in kind) for kind in rivals(self.model, self.spelled()[1]).values()
        )

    @property
    def has_sink(self) -> bool:
        """Whether a head has one already."""
        return any(each.sink is not None or each.zero_sink for each in self.source.attentions)

    @property
    def is_quick(self) -> bool:
        """Whether it answers as fast as any other picture."""
        return self.source.parameters <= LIGHT

    @property
    def chosen(self) -> Head | None:
        """The head that was chosen, if one was."""
        return (self.head[0], self.head[1]) if self.head else None

    @property
    def seconds(self) -> float:
        """About how long it takes on one core, in seconds: a pass for each edge."""
        n = len(self.spelled()[0])
        edges = n * (n + 1) // 2 if self.source.causal else n * n
        return edges * n * self.source.parameters * WEIGHT_SECONDS

    @property
    def working_bytes(self) -> int:
        """About what is held at once: weights of its own, and one batch of passes."""
        return 2**28 + self.copied_bytes if self.brought else 2**26
