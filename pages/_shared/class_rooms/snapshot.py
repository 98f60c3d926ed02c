"""A room at one moment, as its store gives it."""

from dataclasses import dataclass
from time import time
from typing import Any

from pages._shared.class_rooms.room import Counts, Room
from attention_core.language import ENGLISH


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A room at one moment."""

    room: Room  # its state
    number: int  # steps and votes so far; it never goes back
    counts: Counts  # votes by question, round and answer
    here: int  # students who listen

    def public(self, language: str = ENGLISH) -> dict[str, Any]:
        """The state as everybody may know it, with its number, in a language."""
        return self.room.public(self.counts, self.here, time(), language) | {"number": self.number}
