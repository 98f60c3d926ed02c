"""Each bound that a visitor meets, as a number: prose speaks of some, and the server's memory rests on others."""

from pages._shared.claims import results
from pages._shared.classes import panel
from pages._shared.components import link_card, matrix_view
from pages._shared.compute import job, line, progress, runner
from pages._shared.core import incoming, network
from pages._shared.courses import add_step, editor
from pages._shared.lessons import course, lesson, questions
from pages._shared.page import worksheet
from pages._shared.session import address, course_position, settings, way_in

BOUNDS = {
    course: {
        "FORMAT": 2, "MAX_STEPS": 40, "MAX_BYTES": 2_000_000, "MAX_TITLE": 80, "MAX_ANSWER": 600, "MAX_MINUTES": 240,
        "MAX_VALUE": 600, "MAX_SETTINGS": 64, "SHARED": ("dtype", "seed"), "_MOST_NAMES": 5,
    },
    lesson: {"MAX_NOTE": 280},
    questions: {"MOST": 12, "LONGEST": 18_000, "_BYTES": 1_920, "_SHOWN": 60},
    course_position: {"MAX_TEXT": 8_000, "PARAMETERS": ("course", "step")},
    address: {"PERSONAL": ("present", "device", "lang"), "SETTLED_S": 15.0, "_MOST_REMARKS": 5},
    add_step: {"MINUTES": 3},
    settings: {"MOST_PREDICTIONS": 6},
    way_in: {"LONGEST": 4_000, "_QUOTED": 20},
    incoming: {"_DEEPEST": 4},
    network: {"_EVERYWHERE": ("0.0.0.0", "::")},
    panel: {"LONGEST": 1_500},
    link_card: {"LONG_LINK": 1_500},
    matrix_view: {"HEIGHT_PX": 336},
    worksheet: {"MOST_FOUND": 3, "BOX": (672, 220)},
    editor: {"_SHOWN": 6},
    results: {"MOST_SETTINGS": 8},
    line: {
        "BEGUN": 4, "BEGUN_BYTES": 100_663_296, "TURN_S": 1.0, "FIRST_TURNS": 2, "SHORT_S": 2.0, "PLACES_S": 0.5,
    },
    job: {"PATIENCE": 2.0, "WORKING_BYTES": 16_777_216},
    runner: {"CACHE_BYTES": 33_554_432, "QUICK_LANES": 1},
    progress: {"PATIENCE_S": 0.4, "POLL_S": 0.1, "DRAW_S": 0.2},
}  # fmt: skip


def test_each_bound_is_what_was_decided() -> None:
    found = {module.__name__: {name: getattr(module, name) for name in bounds} for module, bounds in BOUNDS.items()}
    assert found == {module.__name__: bounds for module, bounds in BOUNDS.items()}
