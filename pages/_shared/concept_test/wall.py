"""A class's test for its teacher: how many have handed in, and what their answers tell, with keys measured now."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages._shared.compute.progress import compute
from pages._shared.concept_test.chosen import TIMES, state
from pages._shared.core.text import escape_markdown
from pages._shared.core.visitor_state import class_state
from pages._shared.session.settings import run_settings
from attention_core.concept_test import LENGTH, MISCONCEPTIONS, KeysConfig, KeysResult, steps_keys
from attention_core.concept_test.answers import COLUMNS, Answered, read
from attention_core.concept_test.files import LETTERS, lettered
from attention_core.concept_test.report import Report, TimeReport, report
from attention_core.concept_test.scores import FEWEST, FEWEST_WRONG, Interval
from attention_core.figures.text import csv_text
from attention_core.language import gettext as _


def draw_wall(time: str) -> None:
    """Draw what the teacher of a class sees of its test.

    Args:
        time: Before or after.
    """
    test = class_state().test
    with st.container(key="test_card", gap="small"):
        st.subheader(str(TIMES[time]), anchor=False)
        st.markdown(
            _("Ten questions on your phones, each of you under a word of your own. What is right is not told yet.")
        )
        st.button(
            _("Read the answers"), key=state.session_key("read"), icon=":material/download:", on_click=_ask,
            type="primary" if test.table is None else "secondary",
        )  # fmt: skip
        if test.refused:
            st.error(escape_markdown(test.refused))
    if test.table is None:
        return
    try:
        answered = read(test.table.removeprefix("\ufeff"))
    except ValueError as error:  # it came from a browser
        st.error(escape_markdown(str(error), 300))
        return
    _draw_found(answered)


def _ask() -> None:
    class_state().test.asked += 1


def _draw_found(answered: Answered) -> None:
    if not answered:
        st.markdown(_("Nobody has handed in anything yet."))
        return
    keys: KeysResult = compute(steps_keys, KeysConfig(**run_settings()))
    found = report(answered, lettered(), keys)
    st.markdown("  \n".join(_count(time, people.values()) for time, people in answered.items()))
    _draw_gain(found)
    _draw_beliefs(found)
    for time, one in found.times.items():
        with st.expander(_("{time}: the items", time=TIMES[time]), icon=":material/list:"):
            _draw_items(one)
    where = keys.provenance
    unknown = sum(key.right is None for key in keys.keys)
    left_out = ""
    if unknown:
        left_out = _("With this precision {count} keys cannot be told: these items are left out.", count=unknown)
    st.markdown(
        _(
            ":small[**Not validated**: take no grade from it. Right answers were measured now: {dtype}, {device}, "
            "seed {seed}. {left_out}]",
            dtype=where.dtype,
            device=where.device,
            seed=where.seed,
            left_out=left_out,
        )
    )
    st.download_button(
        _("Answers by pseudonym (CSV)"), csv_text(COLUMNS, _rows(answered)), "class-test.csv", "text/csv",
        key=state.session_key("answers"), on_click="ignore", icon=":material/download:",
    )  # fmt: skip


def _rows(answered: Answered) -> list[tuple[str, str, str, str]]:
    """The answers as a table: as they were checked, and no other text that came from a browser."""
    return [
        (person, time, item, letter)
        for time, people in answered.items()
        for person, letters in people.items()
        for item, letter in letters.items()
    ]


def _count(time: str, people: Any) -> str:
    answered = [len(letters) for letters in people]
    return _(
        "**{time}**: {some} have handed in something, {all} all ten.",
        time=TIMES[time],
        some=len(answered),
        all=sum(count >= LENGTH for count in answered),
    )


def _draw_gain(found: Report) -> None:
    if "after" not in found.times:
        return
    if found.gain is None:
        said = _(
            "{pairs} answered both times. A normalised gain needs {fewest} who did, and answers worth {wrong} whole "
            "tests that were wrong at first.",
            pairs=found.pairs,
            fewest=FEWEST,
            wrong=FEWEST_WRONG,
        )
    else:
        said = _(
            "Normalised gain of {pairs} who answered both times: **{gain}**. The two sets of questions have none in "
            "common; whether one is harder nobody has measured.",
            pairs=found.pairs,
            gain=_told(found.gain),
        )
    st.markdown(said)


def _draw_beliefs(found: Report) -> None:
    """Who holds what, before and after: of those who were offered it."""
    held = {time: {one.misconception: one for one in part.held} for time, part in found.times.items()}
    names = list(dict.fromkeys(name for part in held.values() for name in part))

    def share(time: str, name: str) -> float | None:
        one = held[time].get(name)
        return None if one is None or not one.of else 100 * one.people / one.of

    def count(time: str, name: str) -> str:
        one = held[time].get(name)
        return "" if one is None else _("{people} of {of}", people=one.people, of=one.of)

    names.sort(key=lambda name: -max(share(time, name) or 0 for time in held))
    columns: dict[str, Sequence[Any]] = {
        _("What is believed"): [str(MISCONCEPTIONS[name].name) for name in names],
    }
    bars: dict[str, Any] = {}
    for time in held:
        title = str(TIMES[time])
        columns[title] = [share(time, name) for name in names]
        columns[_("{time}: how many", time=title)] = [count(time, name) for name in names]
        bars[title] = st.column_config.ProgressColumn(title, min_value=0, max_value=100, format="%.0f %%")
    st.dataframe(
        columns, hide_index=True, column_config=bars,
        alt=_("How many hold each misconception, of those who were asked an item that offers it."),
    )  # fmt: skip


def _draw_items(found: TimeReport) -> None:
    """Of each item how many were right, how it goes with the others, and the share of each answer."""
    st.markdown(_("α {alpha}: how far these items measure one thing.", alpha=_told(found.alpha)))
    columns: Mapping[str, list[Any]] = {
        _("Item"): [one.item.id for one, _score in found.items],
        _("Right"): [_told(score.difficulty) for _one, score in found.items],
        _("Discrimination"): [_told(score.discrimination) for _one, score in found.items],
        **{
            f"{letter}, %": [round(100 * score.shares[one.order[at]]) for one, score in found.items]
            for at, letter in enumerate(LETTERS)
        },
    }
    st.dataframe(columns, hide_index=True, alt=_("Each item: who was right, and the share of each answer."))
    st.markdown(
        _(
            ":small[Letters as the CSV of all items has them. With fewer than {fewest} people only shares are told.]",
            fewest=FEWEST,
        )
    )


def _told(found: Interval | None) -> str:
    if found is None:
        return "–"
    return _("{value} [{low} to {high}]", **{
        name: f"{getattr(found, name):.2f}".replace("-", "−") for name in ("value", "low", "high")
    })  # fmt: skip
