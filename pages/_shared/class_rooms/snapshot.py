"""A room at one moment, as its store gives it."""

from dataclasses import dataclass, field
from time import time
from typing import Any

from pages._shared.class_rooms.room import Counts, Room
from pages._shared.class_rooms.tested import HandedIn, told
from attention_core.language import ENGLISH


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A room at one moment."""

    room: Room  # its state
    number: int  # steps and votes so far; it never goes back
    counts: Counts  # how many votes there are of each kind
    here: int  # students who listen
    lost: int = 0  # students who said that they are lost
    handed_in: HandedIn = field(default_factory=dict)  # how many people have answered how much of a test

    def public(self, language: str = ENGLISH) -> dict[str, Any]:
        """The state as everybody may know it, with its number, in a language."""
        state = self.room.public(self.counts, self.here, time(), language, self.lost)
        return state | {"tests": told(self.handed_in), "number": self.number}
