"""A text of our own, after the manner of a nursery rhyme: what a verse takes up again is drawn anew for each."""

import random
from functools import cache
from typing import Final

VERSES: Final = 96
_ANIMALS: Final = {
    "duck": "quack", "cow": "moo", "lamb": "baa", "frog": "croak", "owl": "hoo", "dog": "woof", "cat": "mew",
    "hen": "cluck", "crow": "caw", "pig": "oink", "bee": "buzz", "mouse": "squeak",
}  # fmt: skip
_PLACES: Final = ("hill", "lane", "pond", "barn", "gate", "well", "bridge", "hedge")
_COLOURS: Final = ("red", "blue", "green", "gold", "white", "black")
_THINGS: Final = ("hat", "bell", "kite", "drum", "shoe", "cup", "boat", "spoon")


@cache
def rhyme() -> str:
    """The text: of each verse who comes, where and with what is drawn, and all of it comes again in the verse."""
    draw = random.Random("rhyme")
    return "\n\n".join(_verse(draw) for _ in range(VERSES))


def _verse(draw: random.Random) -> str:
    first, second = draw.sample(sorted(_ANIMALS), 2)
    place, other = draw.sample(_PLACES, 2)
    colour, thing = draw.choice(_COLOURS), draw.choice(_THINGS)
    return (
        f"The {first} by the {place} had a {colour} {thing},\n"
        f"a {colour}, {colour} {thing}, by the {place}, by the {place}.\n"
        f"{_ANIMALS[first].capitalize()}! said the {first}, who will carry my {thing}?\n"
        f"{_ANIMALS[second].capitalize()}! said the {second}, I will, to the {other},\n"
        f"and the {first} and the {second} went off with the {thing}."
    )
