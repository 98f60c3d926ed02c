"""What tokens are called in pictures of norms."""

from typing import Final

from attention_core.language import pgettext_lazy
from attention_core.studies.normalization import NormalizationConfig

# A token is a vector of features, drawn at random; it is called by a word, as in all other pictures.
WORDS: Final = (
    pgettext_lazy("a word of a sentence", "a"), pgettext_lazy("a word of a sentence", "cat"),
    pgettext_lazy("a word of a sentence", "sat"), pgettext_lazy("a word of a sentence", "all"),
    pgettext_lazy("a word of a sentence", "day"), pgettext_lazy("a word of a sentence", "by"),
    pgettext_lazy("a word of a sentence", "our"), pgettext_lazy("a word of a sentence", "stove"),
)  # fmt: skip


def words_of(config: NormalizationConfig) -> tuple[str, ...]:
    """A word for each token."""
    return tuple(map(str, WORDS[: config.num_tokens]))
