"""Thirty phones take the concept test before and after, and the teacher's numbers are those counted by hand."""

import csv
import io
import json
import math
import random
import statistics
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from time import sleep
from typing import Any

import pandas
import pyarrow
import pytest

from pages._shared.concept_test.chosen import asked_in
from attention_core.concept_test import ITEMS
from attention_core.concept_test.files import lettered
from tests.class_rooms.client import Api, Class
from tests.load.client import Run, Session, Widget
from tests.processes import Server

pytestmark = pytest.mark.nightly
PHONES, FORMS = 30, {"before": 4, "after": 5}
BY_ID = {item.id: item for item in ITEMS}
ORDER = {one.item.id: one.order for one in lettered()}


def link(room: Class, time: str) -> dict[str, str]:
    return {
        "class": f"{room.key}-{room.ticket}",
        "concept_test_form": str(FORMS[time]),
        "concept_test_time": time,
    }


def named(run: Run, start: str) -> Widget:
    return next(one for one in run.widgets if one.key.startswith(start))


def panel(run: Run) -> dict[str, Any]:
    """What the class's panel was told of the test."""
    told = next(proto for kind, proto in run.elements if kind == "bidi_component" and "class_panel" in proto.id)
    data = json.loads(told.json) if told.json else json.loads(told.mixed.json)
    return data["test"]


def sit(phone: Session, room: Class, time: str, word: str, places: list[int]) -> dict[str, Any]:
    """Take the test on one phone, as a browser would hand it in: all that there is after each answer, and twice."""
    now = phone.visit("concept_test", link(room, time))
    if not panel(now)["person"]:
        field, begin = named(now, "_concept_test_word"), named(now, "FormSubmitter")
        now = phone.change([field.state(word), begin.state(True)])
    for asked, place in zip(asked_in(FORMS[time]), places, strict=True):
        label = "ABCD"[asked.order.index(place)]
        phone.change([named(shown(phone), f"_concept_test_choice_{asked.item.id}_{label}").state(True)])
        told = panel(shown(phone))
        for _sent in range(2):
            message = (told["person"], told["answers"][time], time, word.replace(" ", "-"))
            while (said := room.hand_in(*message)).status == 429:  # faster than fingers: as a browser does, again
                sleep(0.2)
            assert said.status == 200, said
        assert said.json["counted"] == len(told["answers"][time])
        phone.change([named(shown(phone), "_concept_test_next").state(True)])
    assert shown(phone).failures == []
    return panel(shown(phone))


def say(teacher: Session, **message: Any) -> None:
    """What the teacher's panel says to the session."""
    events = json.dumps([{"event": "said", "value": message}])
    teacher.change([named(shown(teacher), "_class_panel").told(events)])


def shown(phone: Session) -> Run:
    return Run((), 0, phone.shown)


def draw_places(knows: float, time: str, draw: random.Random) -> list[int]:
    return [asked.item.by_theory if draw.random() < knows else draw.randrange(4) for asked in asked_in(FORMS[time])]


def test_thirty_phones_take_it_twice_and_the_teacher_reads_what_was_answered(server: Server) -> None:
    room, draw = Api(server.url).open(), random.Random(11)
    knows = {"before": 0.2, "after": 0.7}
    given = {time: [draw_places(knows[time], time, draw) for _ in range(PHONES)] for time in knows}
    phones = [Session(server.url) for _ in range(PHONES)]

    def take(number: int) -> str:
        before = sit(phones[number], room, "before", f"word number {number}", given["before"][number])
        phones[number].visit("course")  # what the class does between
        after = sit(phones[number], room, "after", f"word number {number}", given["after"][number])
        assert before["person"] == after["person"]
        return after["person"]

    with ThreadPoolExecutor(6) as crowd:
        people = list(crowd.map(take, range(PHONES)))
    for phone in phones:
        phone.close()
    assert len(set(people)) == PHONES
    assert room.state()["tests"] == {"before": [[10, PHONES]], "after": [[10, PHONES]]}

    table = room.test_csv().body
    rows = csv.DictReader(io.StringIO(table[1:]))
    found = {(row["time"], row["person"], row["item"]): row["answer"] for row in rows}
    wanted = {
        (time, people[number], asked.item.id): "ABCD"[ORDER[asked.item.id].index(place)]
        for time, forms in given.items()
        for number, places in enumerate(forms)
        for asked, place in zip(asked_in(FORMS[time]), places, strict=True)
    }
    assert found == wanted
    assert "word" not in table

    with Session(server.url) as teacher:
        teacher.visit("concept_test", link(room, "after"))
        say(teacher, do="teach", ticket=room.ticket)
        teacher.change([named(shown(teacher), "_concept_test_read").state(True)])
        assert panel(shown(teacher))["asked"] == 1
        say(teacher, do="answers", table=table, error="")
        read = shown(teacher)
    assert read.failures == []
    check_gain(read, given)
    check_beliefs(read, given)
    check_items(read, given)


def texts(run: Run) -> str:
    return "\n".join(proto.body for kind, proto in run.elements if kind == "markdown")


def frames(run: Run) -> list[pandas.DataFrame]:
    return [
        pyarrow.ipc.open_stream(proto.arrow_data.data).read_pandas()
        for kind, proto in run.elements
        if kind == "dataframe"
    ]


def rights(places: list[int], time: str) -> list[int]:
    return [int(place == one.item.by_theory) for place, one in zip(places, asked_in(FORMS[time]), strict=True)]


def check_gain(run: Run, given: dict[str, list[list[int]]]) -> None:
    """The gain by its definition, its interval by the delta method, written out."""
    x, y = ([statistics.mean(rights(one, time)) for one in given[time]] for time in ("before", "after"))
    gain = (statistics.mean(y) - statistics.mean(x)) / (1 - statistics.mean(x))
    spread = statistics.pstdev([b - (1 - gain) * a for a, b in zip(x, y, strict=True)])
    half = 1.959964 * spread / math.sqrt(PHONES) / (1 - statistics.mean(x))
    wanted = f"**{gain:.2f} [{gain - half:.2f} to {gain + half:.2f}]**"
    assert f"Normalised gain of {PHONES} who answered both times: {wanted}" in texts(run).replace("\\", "")
    assert f"**Test before**: {PHONES} have handed in something, {PHONES} all ten." in texts(run)


def check_beliefs(run: Run, given: dict[str, list[list[int]]]) -> None:
    """Of each misconception how many took it at least once, of those who were offered it: here of all."""
    beliefs = frames(run)[0]
    for title, time in (("Test before", "before"), ("Test after", "after")):
        people: dict[str, set[int]] = defaultdict(set)
        offered = {choice.misconception for one in asked_in(FORMS[time]) for choice in one.item.choices} - {""}
        counted = dict(zip(beliefs["What is believed"], beliefs[f"{title}: how many"], strict=True))
        assert sum(bool(text) for text in counted.values()) == len(offered)
        for number, places in enumerate(given[time]):
            for asked, place in zip(asked_in(FORMS[time]), places, strict=True):
                people[asked.item.choices[place].misconception].add(number)
        taken = sorted(len(people[name]) for name in offered)
        asked_of = sorted(int(text.split(" of ")[0]) for text in counted.values() if text)
        assert asked_of == taken


def check_items(run: Run, given: dict[str, list[list[int]]]) -> None:
    """Difficulty, discrimination, shares and α, each by plain loops."""
    for frame, time in zip(frames(run)[1:], ("before", "after"), strict=True):
        rows = [rights(one, time) for one in given[time]]
        ids = [one.item.id for one in asked_in(FORMS[time])]
        for _at, line in frame.iterrows():
            column = ids.index(line["Item"])
            item = [row[column] for row in rows]
            rest = [sum(row) - row[column] for row in rows]
            assert line["Right"].startswith(f"{statistics.mean(item):.2f} [")
            correlation = f"{statistics.correlation(item, rest):.2f}".replace("-", "−")
            assert line["Discrimination"].startswith(f"{correlation} [")
            places = [one[column] for one in given[time]]
            order = ORDER[line["Item"]]
            shares = [round(100 * places.count(order[at]) / PHONES) for at in range(4)]
            assert [line[f"{letter}, %"] for letter in "ABCD"] == shares
        k = len(ids)
        parts = sum(statistics.variance(column) for column in zip(*rows, strict=True))
        alpha = k / (k - 1) * (1 - parts / statistics.variance([sum(row) for row in rows]))
        assert f"α {alpha:.2f} [".replace("-", "−") in texts(run).replace("\\", "")
