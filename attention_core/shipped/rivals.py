"""Two kinds of words between which a text decides: what agrees with the word that decides, and what does not."""

from collections.abc import Mapping, Sequence

from attention_core.shipped import chinese, grammar


def rivals(model: str, text: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """The words of each kind, by its id.

    Args:
        model: An id of the shipped models.
        text: What it reads.

    Returns:
        Of ``grammar`` its ``plural`` and ``singular`` verbs; of ``chinese`` the nouns that the last measure word
        without a noun has ``asked`` for, and all ``other`` nouns. Nothing of other models and texts.
    """
    if model == "grammar":
        return {"plural": tuple(grammar.VERBS.values()), "singular": tuple(grammar.VERBS)}
    waiting = _waiting(text) if model == "chinese" else ""
    if not waiting:
        return {}
    asked = chinese.NOUNS[waiting]
    return {"asked": asked, "other": tuple(noun for noun in chinese.ALL if noun not in asked)}


def _waiting(text: Sequence[str]) -> str:
    """The last measure word after which none of its nouns has come; empty if there is none."""
    open_ones: list[str] = []
    for word in text:
        if word in chinese.NOUNS:
            open_ones.append(word)
        elif open_ones and chinese.MEASURE.get(word) == open_ones[-1]:
            open_ones.pop()
    return open_ones[-1] if open_ones else ""
