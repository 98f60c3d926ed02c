"""Concept test: ten questions on attention, one at a time; after each what is measured, and where one sees why.

As a step of a course a class takes it before and after, and is told nothing of what is right.
"""

from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from pages._shared.compute.progress import compute
from pages._shared.concept_test.add import draw_add
from pages._shared.concept_test.chosen import AT_HOME, MOST_FORMS, asked_now, state
from pages._shared.concept_test.phone import draw_phone
from pages._shared.concept_test.wall import draw_wall
from pages._shared.core.pages import PAGES, TEST, target
from pages._shared.core.text import no_line_breaks, plain_markdown
from pages._shared.core.visitor_state import class_state
from pages._shared.page import draw_notices, draw_title
from pages._shared.page.findings import capital, number_in_words
from pages._shared.session import membership, notices
from pages._shared.session.links import link_to
from pages._shared.session.settings import SKIPPED, presenting, run_settings
from attention_core.concept_test import (
    ITEMS,
    LENGTH,
    MISCONCEPTIONS,
    Asked,
    Item,
    KeyConfig,
    KeyResult,
    KeysConfig,
    explaining,
    steps_key,
    steps_keys,
)
from attention_core.concept_test.files import LETTERS, moodle, qti, table
from attention_core.figures.mathematics import set_markdown
from attention_core.language import current, using
from attention_core.language import gettext as _

OPEN, NOW = ":gray[:material/radio_button_unchecked:]", ":violet[:material/radio_button_checked:]"
RIGHT, WRONG = ":green[:material/check_circle:]", ":gray[:material/cancel:]"
UNKNOWN = ":gray[:material/help:]"
FILES = (
    ("QTI 2.1", "attention-concept-test-qti.zip", "application/zip", qti),
    ("Moodle XML", "attention-concept-test-moodle.xml", "application/xml", moodle),
    ("CSV", "attention-concept-test.csv", "text/csv", table),
)
SPECS = {page.name: page for page in PAGES}


@dataclass(slots=True)
class Sitting:
    """How somebody answers a form.

    Attributes:
        form: Its number.
        rounds: The choice taken of each item, by its id: what was answered first, and after it the last time.
        at: The place of the question that is shown; past the last stands what came of all.
    """

    form: int
    rounds: list[dict[str, int]] = field(default_factory=lambda: [{}])
    at: int = 0


def sitting() -> Sitting:
    """This visitor's answers to the form that is set; none at first."""
    key, number = state.session_key("sitting"), state.settings["form"]
    if key not in st.session_state or st.session_state[key].form != number:
        st.session_state[key] = Sitting(number)
    return st.session_state[key]


def take(here: Sitting, item: str, place: int) -> None:
    """Take an answer; the one that was given before in this round stays."""
    here.rounds[-1].setdefault(item, place)


def go(here: Sitting, place: int) -> None:
    """Go to a question, or past the last."""
    here.at = place


def once_more(here: Sitting) -> None:
    """Ask the same again; the first answers stay, and of all others the last."""
    here.rounds = [here.rounds[0], {}]
    here.at = 0


def another() -> None:
    """Ask ten other questions."""
    state.settings.set(form=state.settings["form"] % MOST_FORMS + 1)
    state.write_link()


def key_of(item: Item) -> KeyResult:
    """The key of an item, measured with the precision, device and seed that are set."""
    return compute(steps_key, KeyConfig(item=item.id, **run_settings()))


def mark(item: Item, taken: int | None) -> str:
    """How an answer is marked; one that was not given is open."""
    if taken is None:
        return OPEN
    right = key_of(item).right
    return UNKNOWN if right is None else RIGHT if right == taken else WRONG


def draw_line() -> None:
    """What the test is, and that it is not validated."""
    st.markdown(_("Ten questions whose answers are measured here. **Not validated.**"), width="content")


def draw_marks(here: Sitting, form_here: tuple[Asked, ...]) -> None:
    """A mark for each question, in their order: how it was answered in this round, and where one stands."""
    taken = here.rounds[-1]
    marks = [
        NOW if place == here.at and one.item.id not in taken else mark(one.item, taken.get(one.item.id))
        for place, one in enumerate(form_here)
    ]
    st.container(key="test_marks").markdown(" ".join(marks))


def draw_choices(here: Sitting, one: Asked) -> None:
    """The four choices: buttons until one is taken, then lines; the measured key and what was taken are marked."""
    taken = here.rounds[-1].get(one.item.id)
    right = None if taken is None else key_of(one.item).right
    with st.container(key="test_choices", gap="small"):
        for letter, place in zip(LETTERS, one.order, strict=True):
            text = f"**{letter}** {set_markdown(one.item.choices[place].text)}"
            if taken is None:
                key = state.session_key(f"choice_{letter}")
                st.button(text, key=key, width="stretch", on_click=take, args=(here, one.item.id, place))
                continue
            sign = RIGHT if place == right else (UNKNOWN if right is None else WRONG) if place == taken else OPEN
            with st.container(border=True):
                st.markdown(f"{sign} {text}")


def draw_measured(item: Item, taken: int) -> None:
    """What the answer that was taken stands for, and what was measured."""
    found = key_of(item)
    if found.right is None:
        why = found.refused or next((one.because for one in found.verdicts if one.expected is None), "")
        line = _(":gray[:material/help: These settings cannot tell.] {why}", why=plain_markdown(str(why), 300))
    elif found.right == taken:
        line = _(":green[:material/check: right] The measurement agrees.")
    else:
        belief = MISCONCEPTIONS.get(item.choices[taken].misconception)
        line = _(
            ":gray[:material/close: wrong] This stands for **{name}**: {belief}",
            name=set_markdown(belief.name if belief else ""),
            belief=set_markdown(belief.belief if belief else ""),
        )
    lines = [line]
    for case, verdict in zip(item.cases, found.verdicts, strict=False):
        switch = case.claim.breaks if case.broken else None
        before = _("With {switch}: ", switch=plain_markdown(str(switch.by), 200)) if switch else ""
        lines.append(f":small[{capital(before + number_in_words(verdict))}]")
    st.markdown(no_line_breaks("  \n".join(lines)))


def draw_why(item: Item) -> None:
    """The way to the page, with its settings, that shows why the key is what it is."""
    case = explaining(item)
    page = SPECS[case.claim.page]
    way = link_to(page.name, case.parameters | {f"{page.name}_answer": SKIPPED})
    label = _("See why: {page}", page=page.title)
    st.page_link(target(page.name), label=label, icon=page.icon, query_params=way)


def draw_question(here: Sitting, form_here: tuple[Asked, ...]) -> None:
    """One question, its choices, and once it is answered what is measured."""
    one = form_here[here.at]
    st.subheader(set_markdown(one.item.asked), anchor=False)
    draw_choices(here, one)
    taken = here.rounds[-1].get(one.item.id)
    if taken is None:
        return
    with st.container(key="test_measured", gap="small"):
        draw_measured(one.item, taken)
        with st.container(horizontal=True, vertical_alignment="center"):
            draw_why(one.item)
            last = here.at + 1 == LENGTH
            st.button(
                _("What came of it") if last else _("Next question"), key=state.session_key("next"),
                icon=":material/arrow_forward:", icon_position="right", on_click=go, args=(here, here.at + 1),
                type="primary",
            )  # fmt: skip


def tally(form_here: tuple[Asked, ...], taken: dict[str, int]) -> tuple[int, int]:
    """How many answers are right, and of how many it could be measured."""
    known = [(key_of(one.item).right, taken[one.item.id]) for one in form_here if one.item.id in taken]
    known = [pair for pair in known if pair[0] is not None]
    return sum(right == answer for right, answer in known), len(known)


def draw_outcome(here: Sitting, form_here: tuple[Asked, ...]) -> None:
    """What came of all ten: the first answers, apart from them those of the last round, and what is believed."""
    right, of = tally(form_here, here.rounds[0])
    st.subheader(_("Your first answers: {right} of {all} as measured", right=right, all=of), anchor=False)
    if len(here.rounds) > 1:
        right, of = tally(form_here, here.rounds[-1])
        st.markdown(_("Your last: {right} of {all}. First answers stay as they were.", right=right, all=of))
    wrong = [one.item for one in form_here if mark(one.item, here.rounds[0].get(one.item.id)) == WRONG]
    for item in wrong:
        belief = MISCONCEPTIONS.get(item.choices[here.rounds[0][item.id]].misconception)
        with st.container(horizontal=True, vertical_alignment="center", key=f"test_wrong_{item.id}"):
            name = set_markdown(belief.name if belief else "")
            st.markdown(f"{WRONG} **{name}**  \n:small[{set_markdown(item.asked)}]", width="stretch")
            draw_why(item)
    with st.container(horizontal=True):
        st.button(
            _("Ten others"), key=state.session_key("others"), icon=":material/arrow_forward:",
            icon_position="right", on_click=another, type="primary",
        )  # fmt: skip
        st.button(
            _("The same once more"), key=state.session_key("again"), icon=":material/replay:", on_click=once_more,
            args=(here,),
        )  # fmt: skip


def ask_for_files() -> None:
    """Have the keys of all items measured in this run and those after it, and files made of them."""
    st.session_state[state.session_key("files")] = True


def draw_files() -> None:
    """All items as files for other platforms, once their keys have been measured."""
    with st.popover(_("As files"), icon=":material/download:", type="tertiary"):
        st.markdown(
            _(
                "All {count} items for a platform of your own, each with its measured key. The table also says what "
                "each answer stands for. Not validated: the files say so too.",
                count=len(ITEMS),
            )
        )
        if not st.session_state.get(state.session_key("files")):
            st.button(_("Measure all keys"), key=state.session_key("measure"), on_click=ask_for_files)
            return
        keys = compute(steps_keys, KeysConfig(**run_settings()))
        unknown = sum(key.right is None for key in keys.keys)
        if unknown:
            st.markdown(
                _("With this precision {count} keys cannot be told: these items are left out.", count=unknown)
            )
        with st.container(horizontal=True):
            for label, name, kind, make in FILES:
                key = state.session_key(name)
                in_words = using(current())(partial(make, keys))  # a file is made in another thread
                st.download_button(label, in_words, name, kind, key=key, on_click="ignore")


def draw_note() -> None:
    """How the answers are known, and what the test is not."""
    st.markdown(
        _(
            ":small[Each wrong answer stands for something that people believe. Which one is right is not written "
            "anywhere: it is measured when you answer, with the precision and seed of the settings. The test is new, "
            "and no class has validated it: take no grade from it.]"
        )
    )


def draw() -> None:
    """Draw the page."""
    state.take_link()
    draw_title(str(TEST.title), beside=draw_line)
    draw_notices(notices.pop())
    time = state.settings["time"]
    if time != AT_HOME:
        (draw_wall if membership.room() and class_state().teaches else draw_phone)(time)
        return
    here, form_here = sitting(), asked_now()
    draw_marks(here, form_here)
    with st.container(key="test_card", gap="small"):
        if here.at < LENGTH:
            draw_question(here, form_here)
        else:
            draw_outcome(here, form_here)
        if not presenting():
            draw_note()
            with st.container(horizontal=True, vertical_alignment="center"):
                draw_files()
                draw_add()
