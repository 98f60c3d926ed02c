"""What patches, tokens and heads are called, and where patches stand."""

from attention_core.language import gettext as _
from attention_core.studies.images import GRID, PATCHES, SHAPES, ImagesResult


def patch_at(patch: int) -> tuple[int, int]:
    """Row and column of a patch, all counted from 0."""
    return divmod(patch, GRID)


def patch_name(patch: int) -> str:
    """A patch by its row and its column, counted from 1: ``2.3``."""
    row, column = patch_at(patch)
    return f"{row + 1}.{column + 1}"


def token_name(token: int) -> str:
    """A token: the one that collects is the first."""
    return str(_("answer")) if token == 0 else patch_name(token - 1)


def head_name(head: int) -> str:
    """A head, counted from 1; the mean of all is 0."""
    return str(head) if head else str(_("all"))


def token_names() -> tuple[str, ...]:
    """All tokens."""
    return tuple(map(token_name, range(PATCHES + 1)))


def class_names() -> tuple[str, ...]:
    """All classes."""
    return tuple(map(str, SHAPES.values()))


def answer_of(result: ImagesResult) -> str:
    """The likeliest class of the picture as it is shown."""
    return class_names()[int(result.probabilities.argmax())]
