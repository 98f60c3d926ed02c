"""Why a request to a room is refused."""

from attention_core.exceptions import PortableError
from attention_core.language import using


class RoomError(PortableError):
    """A request is not possible.

    Args:
        status: The HTTP status that says so.
        sentence: Why, for the person who asked.
        wait: Seconds after which it may be asked again; 0 if that is no matter of time.
    """

    def __init__(self, status: int, sentence: str, wait: float = 0) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.wait = wait

    def worded(self, language: str) -> str:
        """The sentence in a language."""
        with using(language):
            return str(self.sentence)
