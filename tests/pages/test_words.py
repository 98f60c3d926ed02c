"""User text stays text, verdicts say in words what colour and icon say, and files have plain names."""

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pages._shared.core.text import escape_markdown, no_line_breaks
from pages._shared.page import worksheet
from pages._shared.page.findings import _counted, _rows, capital, claim_lines, in_order
from pages._shared.page.tabs import file_name
from attention_core.claims import statement
from attention_core.language import using
from attention_core.measuring.verdict import Verdict
from attention_core.studies.permutation import ShuffleConfig
from tests.pages.read import LOOKS


def verdict(key: str, *, holds: bool = True, expected: bool | None = True, because: str = "") -> Verdict:
    measured = 0.0 if holds else 2.0
    return Verdict(
        key=key, says="the outputs differ by at most", quantity="x", measured=measured, relation="≤", bound=1.0,
        expected=expected, cases="here", dtype="float64", device="cpu", because=because,
    )  # fmt: skip


@given(st.text(max_size=40))
def test_literal_text_has_no_active_character_left(text: str) -> None:
    made = escape_markdown(text)
    assert re.sub(r"\\(.)", r"\1", made, flags=re.DOTALL) == text
    assert not set(re.sub(r"\\.", "", made, flags=re.DOTALL)) & set("\\`*_{}[]()#+-.!|<>$:~&")


def test_long_text_is_cut() -> None:
    assert len(escape_markdown("x" * 100)) == 60


def test_a_line_says_in_words_what_its_icon_says() -> None:
    looks = {
        "holds": claim_lines([verdict("perm-kv")]),
        "fails": claim_lines([verdict("perm-kv", holds=False, expected=False, because="positions stay")]),
        "undecided": claim_lines([verdict("perm-kv", expected=None, because="it drowns")]),
        "surprises": claim_lines([verdict("perm-kv", holds=False)]),
    }
    assert {*looks} == {*LOOKS}
    for outcome, line in looks.items():
        icon, colour, word = LOOKS[outcome]
        assert line.startswith(
            f":{colour}[{icon} {word}{'.' if outcome != 'fails' else ', because positions stay:'}]"
        )
        assert statement("perm-kv").removesuffix(".") in line
        others = {other for _, other, _ in LOOKS.values()} - {colour}
        assert not [other for other in others if f":{other}[" in line and other != "gray"]
    assert "should hold" in looks["surprises"]
    assert "should not" in claim_lines([verdict("perm-kv", expected=False)])


def test_paper_says_of_each_outcome_what_the_page_says() -> None:
    said = statement("perm-kv")
    reported = {
        "holds": verdict("perm-kv"),
        "fails": verdict("perm-kv", holds=False, expected=False, because="positions stay"),
        "undecided": verdict("perm-kv", expected=None, because="it drowns"),
        "surprises": verdict("perm-kv", holds=False),
    }
    assert {*reported} == {*LOOKS}
    assert {outcome: worksheet._sentence(one).partition(":")[0] for outcome, one in reported.items()} == {
        "holds": f"“{said}” holds",
        "fails": f"“{said}” does not hold here",
        "undecided": f"“{said}” cannot be decided here",
        "surprises": f"“{said}” is not as theory says",
    }
    assert worksheet._sentence(reported["fails"]).endswith(": the outputs differ by at most 2 (here).")
    with using("zh"):
        told = [
            worksheet._sentence(one).replace(str(statement("perm-kv")).rstrip("。"), "") for one in reported.values()
        ]
    assert len({*told}) == len(told)


def test_what_was_counted_stands_in_place_of_its_bound() -> None:
    counted = replace(verdict("learn-tied"), says="runs that reached 95 %:", measured=0.39, counted="6 of 6")
    assert counted.number == "6 of 6"
    assert "**6 of 6** :gray[(here)]." in claim_lines([counted])
    assert "**0.390" not in claim_lines([counted])
    assert "6 of 6" in counted._repr_html_()
    assert replace(counted, counted="", unit="runs").number == "0.390 runs"


def test_what_rounding_leaves_of_nothing_is_called_nothing() -> None:
    one = verdict("perm-kv")
    assert "differ by at most **0**" in claim_lines([one])
    assert "differ by **nothing**" in claim_lines([replace(one, rounding=True)])
    small = replace(one, rounding=True, measured=1e-16)
    assert r"differ by **nothing (1\.00×10⁻¹⁶, rounding)** :gray[(here)]." in claim_lines([small])
    assert "differ by at most **2**" in claim_lines([replace(one, rounding=True, measured=2.0)])
    with using("zh"):  # in one pair of brackets, not two in a row
        assert r"**0**:gray[（舍入误差 1\.00×10⁻¹⁶；here）]。" in claim_lines([small])


def test_only_an_english_sentence_begins_with_a_capital() -> None:
    assert (capital("q·k grows"), capital("max"), capital("√d")) == ("Q·k grows", "Max", "√d")
    with using("zh"):
        assert capital("q·k 变大") == "q·k 变大"


def test_a_claim_is_one_row_and_what_else_was_measured_of_it_follows() -> None:
    broken = verdict("perm-kv.b", holds=False, expected=False, because="positions stay")
    first, *rest, last = claim_lines([verdict("perm-kv.a"), verdict("perm-q"), broken]).split("  \n")
    assert LOOKS["fails"][0] in first
    assert escape_markdown(statement("perm-kv"), 200) in first
    assert [line.startswith(":green[:material/check_circle:]") for line in rest] == [True]
    assert escape_markdown(statement("perm-kv"), 200) not in rest[0]
    assert escape_markdown(statement("perm-q"), 200) in last


def test_no_line_ends_within_a_number_or_a_product_of_a_gain() -> None:
    said = no_line_breaks(r"the key-value cache, **8\.88e\-16** and `1.2e-5`, \|γ\|·√d, a-1")
    assert said.replace("\N{WORD JOINER}", "") == r"the key-value cache, **8\.88e\-16** and `1.2e-5`, \|γ\|·√d, a-1"
    parts = said.split("\N{WORD JOINER}")
    assert [part[-2:] for part in parts[:-1]] == [r"\-", "e-", r"\|"]


def test_no_line_ends_between_a_mark_and_its_word() -> None:
    said = no_line_breaks(":green[:material/check: holds] :red[:material/close: does not]")
    assert said == (
        ":green[:material/check:\N{NO-BREAK SPACE}holds] :red[:material/close:\N{NO-BREAK SPACE}does not]"
    )


def test_surprises_come_first_then_what_fails_and_one_of_each_claim() -> None:
    said = [
        verdict("perm-kv.a"),
        verdict("perm-kv.b"),
        verdict("perm-q", expected=None, because="x"),
        verdict("bias-k", holds=False, expected=False),
        verdict("bias-v", holds=False),
        verdict("perm-self"),
    ]
    keys = ["bias-v", "bias-k", "perm-q", "perm-kv.a", "perm-self", "perm-kv.b"]
    assert [one.key for one in in_order(said)] == keys
    assert [one.key for one in in_order(said[3:], ("perm-self", "bias-k"))] == ["bias-v", "bias-k", "perm-self"]


def test_what_the_picture_is_about_stands_in_sight_and_what_is_not_in_question_is_counted() -> None:
    """A claim that holds and is about something else is folded; one that does not hold is not."""
    holds, off = (
        verdict(claim, because="", expected=good, holds=good) for claim, good in (("perm-q", True), ("bias-k", False))
    )

    def told(*about: str, aside: tuple[str, ...] = ()) -> tuple[list[str], str]:
        rows = _rows([holds, verdict("perm-kv"), off], about, aside)
        return [row.verdicts[0].claim for row in rows if row.seen], _counted([row for row in rows if not row.seen])

    assert told("perm-kv") == (["bias-k", "perm-kv"], "How it was measured; 1 more claim, as theory says")
    more = "How it was measured; 1 more claim, as theory says; 1 not in question here"
    assert told("perm-kv", aside=("bias-k",)) == (["perm-kv"], more)
    assert told(aside=("bias-k",))[0] == []
    open_ = verdict("perm-q", expected=None, because="it drowns")
    for others, said in (
        ([], "How it was measured"),
        ([open_], "How it was measured; 1 more claim"),
        ([verdict("perm-q", holds=False)], "How it was measured; 1 more claim"),
        ([holds, off], "How it was measured; 2 more claims, as theory says"),
        ([holds, open_], "How it was measured; 1 more claim"),
    ):
        assert _counted(_rows(others, (), ())) == said


def test_file_names_hold_the_settings_and_no_user_markup() -> None:
    config = ShuffleConfig(tokens=("<b>", "../../etc", "ok"), seed=3)
    name = file_name("permutation", config)
    assert name.startswith("attention-permutation-seed-3")
    assert all(char.isalnum() or char in ".-" for char in name)
    assert "/" not in name
    assert file_name("permutation", ShuffleConfig()) == "attention-permutation"


def test_a_setting_has_32_letters_of_a_file_s_name_and_all_have_120() -> None:
    assert file_name("p", ShuffleConfig(tokens=("word",) * 20)) == "attention-p-tokens-word-word-word-word-word"
    config = ShuffleConfig(
        tokens=("word",) * 20, query_order=tuple(range(20)), key_order=tuple(range(20)), seed=123456
    )
    assert len(file_name("permutation" * 9, config)) == 120
