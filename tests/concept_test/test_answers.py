"""Answers of a class as a table: read, refused with a sentence, and told of in a terminal."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from attention_core.concept_test import KeysConfig, KeysResult, __main__, steps_keys
from attention_core.concept_test.answers import MOST, read
from attention_core.concept_test.files import lettered
from attention_core.measuring.run import run

HEAD = "person,time,item,answer\n"


@pytest.fixture(scope="module")
def keys() -> KeysResult:
    return run(KeysConfig(dtype="float64", device="cpu"))


def rows(people: int, time: str, knows: float, seed: int) -> list[str]:
    """Answers of a class that knows each item with some probability, and else guesses."""
    draw, lines = random.Random(seed), []
    for person in range(people):
        for asked in lettered()[:10]:
            place = asked.item.by_theory if draw.random() < knows else draw.randrange(4)
            lines.append(f"p{person},{time},{asked.item.id},{'ABCD'[asked.order.index(place)]}")
    return lines


def test_the_first_answer_counts_and_a_time_without_answers_is_left_out() -> None:
    found = read(f"{HEAD}ana,before,sink,A\nana,before,sink,B\nben,before,sink,C\nana,before,rank,D\n")
    assert found == {"before": {"ana": {"sink": "A", "rank": "D"}, "ben": {"sink": "C"}}}


def test_columns_may_stand_in_any_order_and_others_beside_them() -> None:
    assert read("item,seconds,answer,person,time\nsink,12,A, ana ,after\n") == {"after": {"ana": {"sink": "A"}}}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "names no column person, time, item, answer"),
        ("person,item,answer\n", "names no column time; person, time, item, answer are needed"),
        (f"{HEAD},before,sink,A\n", "Line 2: person is empty; a pseudonym is needed"),
        (f"{HEAD}ana,later,sink,A\n", "Line 2: time = 'later' is not possible: one of before, after is"),
        (f"{HEAD}ana,before,sunk,A\n", "Line 2: item = 'sunk' is not possible: one of self-shuffle, "),
        (f"{HEAD}ana,before,sink,A\nben,before,sink,E\n", "Line 3: answer = 'E' is not possible: one of A, B, C, D"),
        (f"{HEAD}ana,before,sink\n", "Line 2: answer = '' is not possible"),
        (HEAD + "ana,before,sink,A\n" * (MOST + 1), "more than 100,000 lines of answers"),
        ("x" * 20_000_001, "has 20,000,001 characters; 20,000,000 are allowed"),
    ],
    ids=["nothing", "a column", "nobody", "a time", "an item", "a letter", "no letter", "too many", "too much"],
)
def test_what_is_no_table_of_answers_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read(text)


def told(lines: Sequence[str], keys: KeysResult) -> list[str]:
    return __main__.lines_of(read(HEAD + "\n".join(lines)), keys)


@pytest.mark.slow
def test_a_class_that_learned_has_a_gain(keys: KeysResult) -> None:
    lines = told([*rows(40, "before", 0.1, 1), *rows(40, "after", 0.7, 2)], keys)
    assert lines[0] == "Not validated. Keys measured: float64, cpu, seed 0."
    assert "before: 40 people, 10 items" in lines
    assert "after: 40 people, 10 items" in lines
    gain = next(line for line in lines if line.startswith("gain of 40 pairs: "))
    low, high = (float(number) for number in gain.partition("[")[2].rstrip("]").split(", "))
    assert low < (0.775 - 0.325) / 0.675 < high, "guesses are right one time in four"
    of_pictures = [line.split("]") for line in lines if line.startswith("pictures ")]
    assert [len(parts) for parts in of_pictures] == [3, 3], (
        "an interval of who was right, and one of how it goes along"
    )
    assert all(right.split()[1:] != along.split() for right, along, _shares in of_pictures)


@pytest.mark.slow
def test_of_few_nothing_is_told_but_what_was_counted(keys: KeysResult) -> None:
    lines = told([*rows(19, "before", 0.1, 1), *rows(19, "after", 0.7, 2)], keys)
    assert lines[-1] == "gain of 19 pairs: none"
    assert "alpha: none" in lines
    assert not any("[" in line for line in lines)


@pytest.mark.slow
def test_who_holds_what_is_counted(keys: KeysResult) -> None:
    asked = next(one for one in lettered() if one.item.id == "sink")
    place = [choice.misconception for choice in asked.item.choices].index("idle")
    letter = "ABCD"[asked.order.index(place)]
    lines = told([f"p{person},before,sink,{letter}" for person in range(3)], keys)
    assert "   3 of 3    A head can look nowhere" in lines
    assert "before: 3 people, 1 items" in lines


def test_the_command_reads_a_file_and_says_what_is_wrong_with_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], keys: KeysResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(__main__, "run", lambda _config: keys)
    (file := tmp_path / "answers.csv").write_text(HEAD + "ana,before,sink,A\n", encoding="utf-8-sig")
    assert __main__.main([str(file)]) == 0
    assert "before: 1 people, 1 items" in capsys.readouterr().out
    file.write_text("nothing\n", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        __main__.main([str(file)])
    assert ended.value.code == 2
    assert "names no column person" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        __main__.main([str(tmp_path / "none.csv")])
    assert "none.csv" in capsys.readouterr().err


def test_keys_are_what_the_command_measures() -> None:
    assert KeysConfig().dtype == "float64"
    assert next(steps_keys(KeysConfig())).total == 30
