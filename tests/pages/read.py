"""Reads a page for tests: verdicts, the grade of an answer, pictures, boards, settings."""

import json
import re
from collections.abc import Mapping
from importlib import import_module
from itertools import cycle, islice
from typing import Any, NamedTuple

from streamlit.testing.v1 import AppTest

from pages._shared.classes.page_questions import page_question
from pages._shared.core.visitor_state import VISIT
from pages._shared.page.page import Page
from pages._shared.session.settings import shared
from attention_core.figures.matrix import MatrixView
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import Choice, Switch, declared

QUICK = {"learning": {"learning_steps": "10", "learning_runs": "2"}}  # each move trains a model
LONG = {"map", "n", "shares"}  # a map of many models, and times: pages of their own tests
RUNS = ({}, {"dtype": "float32", "seed": "3"})
CONTROLS = ("slider", "select_slider", "number_input", "selectbox", "toggle", "segmented_control", "text_input")
# What a visitor sees of each outcome. Written here once more: a page that tells another one has to be noticed.
LOOKS = {
    "surprises": (":material/error:", "orange", "Differs from theory"),
    "fails": (":material/do_not_disturb_on:", "gray", "Not so here, and theory agrees"),
    "undecided": (":material/help:", "gray", "Not decided here"),
    "holds": (":material/check_circle:", "green", "Holds"),
}
OUTCOMES = {icon: outcome for outcome, (icon, *_) in LOOKS.items()} | {":material/radio_button_unchecked:": "fails"}


def said(at: AppTest) -> str:
    """All Markdown of a page, line by line."""
    lines = (item.value.replace("\N{WORD JOINER}", "") for item in at.markdown)
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


def notices(at: AppTest) -> list[str]:
    """The notices of a page, line by line."""
    return [line for box in at.toast for line in box.value.split("  \n")]


def plain(at: AppTest) -> str:
    """All Markdown of a page without escapes."""
    return said(at).replace("\\", "")


class VerdictLine(NamedTuple):
    """A line on a page with a verdict and how it was measured."""

    claim: str
    outcome: str
    line: str


def verdicts(at: AppTest) -> list[VerdictLine]:
    """The verdicts on a page, each with its outcome, read from its icon whatever the words are."""
    matches = ((re.search(r"(:material/\w+:).*`([\w-]+) · ", line), line) for line in said(at).splitlines())
    return [
        VerdictLine(match[2], OUTCOMES[match[1]], line.rstrip())
        for match, line in matches
        if match and match[1] in OUTCOMES
    ]


def outcome(at: AppTest, claim: str) -> str:
    """A claim's outcome: ``holds`` only if all its verdicts do; none may surprise, and there must be one."""
    outcomes = {each.outcome for each in verdicts(at) if each.claim == claim}
    assert outcomes, claim
    assert "surprises" not in outcomes
    return "holds" if outcomes == {"holds"} else next(each for each in ("fails", "undecided") if each in outcomes)


def grade(at: AppTest) -> tuple[str, str | None] | None:
    """The prediction and the measured answer, None where the settings cannot tell; None before an answer."""
    lines = [line for line in said(at).splitlines() if ":material/" in line and line.startswith("**You said** ")]
    if not lines:
        return None
    answer, rest = lines[0].removeprefix("**You said** ").split(". ", 1)
    if ":material/help:" in rest:
        return answer, None
    return answer, answer if ":material/check:" in rest else rest.split("**")[1]


def pictures(at: AppTest) -> list[Any]:
    """Views and boards of a page in their order, without what every page has and second looks."""
    components = at.main.get("bidi_component")
    return [each for each in components if not each.key.startswith("_") and not each.key.endswith("_second")]


def sent(at: AppTest, component: str) -> list[dict[str, Any]]:
    """The data sent to each instance of a component on the page."""
    drawn = (one.proto for one in at.get("bidi_component"))
    return [json.loads(proto.json or "{}") for proto in drawn if proto.component_name == component]


def boards(at: AppTest) -> list[dict[str, Any]]:
    """The data of each board on the page."""
    return sent(at, "token_board/board")


def views(at: AppTest) -> list[dict[str, Any]]:
    """What the matrix views of the picture were sent: the picture and its second look, then the pinned one's."""
    return [one for one in sent(at, "matrix_view/view") if not one["id"].endswith("_curves")]


def button(at: AppTest, label: str) -> Any:
    """The button of a label."""
    return next(item for item in at.button if item.label == label)


def controls(at: AppTest) -> list[str]:
    """The keys of the controls that the last run drew."""
    return [one.key for kind in CONTROLS for one in at.get(kind) if one.key and not one.key.startswith("_")]


def widget(at: AppTest, name: str) -> Any:
    """A widget by its name: its key is another each time it is replaced by one that shows something else."""
    turns = at.session_state[VISIT].widget_turns
    keys = {f"{key}~{turns[name]}" if name in turns else key for key in (name, f"{name}_zh")}
    kinds = (*CONTROLS, "pills", "multiselect", "text_area")
    found = [one for kind in kinds for one in at.get(kind) if one.key in keys]
    assert len(found) == 1, (name, keys, [one.key for one in found])
    return found[0]


def held(at: AppTest, name: str) -> dict[str, str]:
    """What the address holds of the page's settings, by their names; not what surrounds the picture."""
    own = {key.removeprefix(f"{name}_"): text for key, text in at.query_params.items() if key.startswith(f"{name}_")}
    return {key: text for key, text in own.items() if key not in ("tab", "answer", "pin")}


def answer(at: AppTest, name: str, option: str) -> None:
    """Have the page's question answered, without the move that goes with it."""
    options = page_question(name).answers
    at.session_state[VISIT].settings |= {f"{name}_answer": str(options.index(option) + 1)}


def page_of(name: str) -> Page:
    """The declaration of a page."""
    return import_module(f"pages.{name}").page


def link_of(name: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """What a link holds where settings of a page are so and all others as they begin."""
    page = page_of(name)
    return page.settings.spelled(
        {field: value for field, value in settings.items() if value != page.settings.defaults[field]}
    )


def built(name: str, link: Mapping[str, str]) -> tuple[Any, Any]:
    """Config and view that a page makes of a link; raises ``ConfigError`` where they are not possible together."""
    page, every = page_of(name), shared().read(link)
    return page.build(page.settings.read(link), {field: every[field] for field in declared(RunConfig)})


def truth(name: str, link: Mapping[str, str]) -> str | None:
    """The right answer to a page's question where a link leads, from what the page measures there."""
    page = page_of(name)
    return page.predict.grade(page.results_of(*built(name, link)).main)


def looks(name: str) -> list[dict[str, str]]:
    """Links that hold each value of each choice of what is shown, several at once, every other one in float32."""
    page = page_of(name)
    own = declared(page.view) | {field: one for field, one in page.settings.declared.items() if field == "topic"}
    values = {
        field: [False, True] if isinstance(one, Switch) else [one for one in one.options if one not in LONG]
        for field, one in own.items()
        if isinstance(one, Choice | Switch) and field != "measure"
    }
    most = max(map(len, (*values.values(), RUNS)))
    rounds = zip(*(islice(cycle(all_), most) for all_ in (*values.values(), RUNS)), strict=True)
    return [QUICK.get(name, {}) | link_of(name, dict(zip(values, one, strict=True))) | run for *one, run in rounds]


def trains(link: Mapping[str, str]) -> bool:
    """Whether what is shown there trains several models, for seconds."""
    return link.get("worth_show") == "gate"


def words(page: Page, config: Any, view: Any) -> str:
    """All that a page says of its picture beside the verdicts: summaries, notes, alternative texts and the proof."""
    said: list[str] = []

    def look_at(shown: MatrixView) -> None:
        said.append(shown.summary)
        said.extend(panel.note for panel in shown.panels)

    class Below:
        """In place of a frame, whose containers a run of the app has."""

        mode = "light"

        def curves(self, shown: MatrixView, **_options: Any) -> None:
            look_at(shown)

        def curves_in_sight(self, *_given: Any, **_options: Any) -> None:
            """What comes of a long experiment is not waited for."""

        def plot(self, _figure: Any, *, alt: str) -> None:
            said.append(alt)

    look_at(page.picture_of(config, view))
    tabs = page.details(config, view, page.results_of(config, view), Below())
    said.extend(f"{step.text} {step.measured}" for step in tabs.why)
    return "\n".join(said)
