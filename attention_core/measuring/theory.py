"""A theory says of a claim at some settings that it holds, fails, or is open.

A theory is given the settings and nothing else, so what was measured cannot change what it expects.
"""

from dataclasses import dataclass

from attention_core.measuring.config import RunConfig


@dataclass(frozen=True, slots=True)
class Holds:
    """The claim holds.

    Attributes:
        size: How large theory says the number of a ``≥`` then is; float64 says it where None.
    """

    size: float | None = None


@dataclass(frozen=True, slots=True)
class Fails:
    """Something makes the claim fail.

    Attributes:
        because: What does, in words.
        size: How large theory says the number of a ``≤`` then is; float64 says it where None.
    """

    because: str
    size: float | None = None

    def __post_init__(self) -> None:
        if not self.because:
            raise ValueError("because is empty: what makes the claim fail must be said.")


@dataclass(frozen=True, slots=True)
class Open:
    """Theory does not decide, or nothing could move: of one token, one key or equal tokens nothing is shown.

    Attributes:
        because: Why, in words.
    """

    because: str

    def __post_init__(self) -> None:
        if not self.because:
            raise ValueError("because is empty: why theory leaves the claim open must be said.")


Theory = Holds | Fails | Open


def always_holds(_: RunConfig) -> Theory:
    """The theory of a claim that no setting breaks."""
    return Holds()
