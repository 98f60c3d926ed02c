"""What ``identify`` says of the eight (``id-right``, ``id-names``). It asks in float64, whatever the precision is."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from attention_core.identify import identify
from attention_core.identify.design import Design
from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.judge import ClaimTest, Measurement, Steps, run_tests_in_steps
from attention_core.measuring.step import Step
from attention_core.measuring.theory import Fails, Holds, Theory
from attention_core.studies.bug_hunt.lineup import UNSEEN, Drawn, line_up
from attention_core.studies.bug_hunt.measure import suspects
from attention_core.studies.bug_hunt.result import IdentifiedResult
from attention_core.studies.bug_hunt.settings import D_MODEL, LETTERS, NUM_HEADS, PAIRS, BugHuntConfig

PATIENCE: Final = 600.0  # seconds: a search takes a few, and what is found is not to depend on how busy a machine is


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifiedConfig(BugHuntConfig):
    """Some of the eight, to be identified.

    Attributes:
        letters: Which: some of A to H.
    """

    letters: str = "A"

    def __post_init__(self) -> None:
        BugHuntConfig.__post_init__(self)
        if not isinstance(self.letters, str) or not self.letters or not {*self.letters} <= {*LETTERS}:
            raise ConfigError("letters", self.letters, _("some of A to H are allowed"))


def steps_identified(config: IdentifiedConfig) -> Iterator[Step | IdentifiedResult]:
    """Identify them, one after the other."""
    yield from run_tests_in_steps(IdentifiedResult, config, TESTS, _measure)


def _measure(config: IdentifiedConfig) -> Steps:
    eight, line, found = suspects(config), _asked(config), []
    for done, letter in enumerate(config.letters):
        yield Step(done, len(config.letters), _("identifying {letter}", letter=letter))
        found.append(identify(eight[LETTERS.index(letter)], D_MODEL, NUM_HEADS, max_seconds=PATIENCE).design)
    pairs = [(drawn, design) for drawn, design in zip(line, found, strict=True)]
    right = [design for drawn, design in pairs if not drawn.faulty]
    faulty = [(drawn.design, design) for drawn, design in pairs if drawn.faulty]
    measured = {}
    if right:
        accused = sum(design is None or bool(design.faults) for design in right)
        measured["id-right"] = Measurement(
            accused,
            0,
            _("{letters} of the eight, asked in float64", letters=config.letters),
            unit=_("of {count}", count=len(right)),
        )
    if faulty:
        missed = sum(not _names(one, other) for one, other in faulty)
        measured["id-names"] = Measurement(
            missed,
            0,
            _("{letters} of the eight, asked in float64", letters=config.letters),
            unit=_("of {count}", count=len(faulty)),
        )
    return measured, {"letters": config.letters, "found": tuple(found)}


def _asked(config: IdentifiedConfig) -> list[Drawn]:
    line = line_up(config)
    return [line[LETTERS.index(letter)] for letter in config.letters]


def _names(design: Design, found: Design | None) -> bool:
    """Whether each fault, and no other, was found as it is."""
    return (
        found is not None
        and found.faults == design.faults
        and all(getattr(found, key) == getattr(design, key) for key in design.faults)
    )


def _right(config: IdentifiedConfig) -> Theory:
    if any(not one.faulty and one.design.faults for one in _asked(config)):
        return Fails(_("the scale is left out on purpose, and numbers do not say what was meant"))
    return Holds()


def _named(config: IdentifiedConfig) -> Theory:
    """Rotary positions turn a key's bias by its place; else it adds one number to all scores of a row."""
    unseen = any(getattr(one.design, UNSEEN[0]) == UNSEEN[1] for one in _asked(config))
    if unseen and config.planted != PAIRS:
        return Fails(_("a key's bias adds the same to all scores of a row, which softmax takes away"))
    return Holds()


TESTS: Final = (
    ClaimTest("id-right", "=", _("right ones that are called faulty or not known:"), _("right ones accused"),
              theory=_right),
    ClaimTest("id-names", "=", _("faults that are not named as what they are:"), _("faults missed"), theory=_named),
)  # fmt: skip
