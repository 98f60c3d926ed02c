"""The ledger against the experiments, in the true and in the broken setting, and its command."""

import dataclasses
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from syrupy.assertion import SnapshotAssertion

from pages._shared.core.pages import PAGES
from attention_core.claims import (
    EXPECTED,
    FALSE,
    HOLDS_WHEN,
    SOURCES,
    Checked,
    LedgerConfig,
    check,
    claims,
)
from attention_core.claims import __main__ as command
from attention_core.claims.ledger import each_check, steps_ledger
from attention_core.language import catalogue, using
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.step import Step
from attention_core.studies import STUDIES
from tests.approved import lines

ROOT = Path(__file__).parents[1]
IDS = tuple(claim.id for claim in claims())
WITHOUT_SWITCH = {"bias-appendix"}
TRAINED = {"learn-order", "learn-depth", "learn-scale", "learn-tied", "text-pairs", "text-copy", "sink-gate"}
UNTRAINED = tuple(name for name in IDS if name not in TRAINED)


def test_every_claim_has_a_name_of_its_own() -> None:
    assert len(set(IDS)) == len(IDS)


def test_each_entry_says_all_there_is_to_say() -> None:
    for claim in claims():
        assert re.fullmatch(r"(?!.*\. ).*\.", claim.statement), f"one sentence: {claim.statement}"
        assert claim.source in SOURCES, claim.id
        assert claim.said.startswith(claim.source), claim.id
        assert claim.expected in EXPECTED, claim.id
        assert bool(claim.when) == (claim.expected == HOLDS_WHEN), claim.id
        assert claim.correction or claim.expected != FALSE, claim.id
        assert bool(claim.instead) == (claim.expected == FALSE), claim.id
        assert not claim.instead or claim.instead.lower() == f"{claim.correction.found}.".lower(), claim.id
        assert (claim.breaks is None) == (claim.id in WITHOUT_SWITCH), claim.id
        assert not {"\n", "`"} & set(claim.statement + claim.verdict), claim.id
        off, on = claim.settings(seed=0), claim.settings(broken=True, seed=0)
        assert (off == on) == (claim.breaks is None), claim.id
        assert claim.breaks is None or claim.parameters() != claim.parameters(broken=True), claim.id


@pytest.mark.slow
def test_every_claim_that_trains_nothing_is_as_theory_says_off_and_on() -> None:
    items = list(each_check(LedgerConfig(ids=UNTRAINED, dtype="float64")))
    found = [item for item in items if isinstance(item, Checked)]
    assert [one.claim.id for one in found] == list(UNTRAINED)
    for one in found:
        assert one.outcome == "agrees", (one.reasons, [verdict.sentence() for verdict in one.surprising])
        assert all(verdict.claim == one.claim.id for verdict in (*one.verdicts, *one.broken))
        assert {verdict.dtype for verdict in (*one.verdicts, *one.broken)} <= {"float64", "float32"}
    steps = [item for item in items if isinstance(item, Step)]
    assert all(0 <= step.done < step.total == len(UNTRAINED) and step.doing for step in steps)


@pytest.mark.nightly
def test_the_command_finds_that_every_claim_agrees_in_float32_and_torchs_compiler_is_not_imported() -> None:
    code = "import sys; from attention_core.claims.__main__ import main; "
    code += "wrong = main(['--dtype', 'float32', '--json']); "
    code += "sys.exit(wrong or not {'torch._dynamo', 'sympy'}.isdisjoint(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert {one["id"]: one["outcome"] for one in json.loads(done.stdout)} == dict.fromkeys(IDS, "agrees")


def test_claims_of_one_setting_share_one_run() -> None:
    ran, real = [], by_id("qk-tied").experiment

    def counting(config: object) -> object:
        ran.append(config)
        return real(config)

    entries = [dataclasses.replace(by_id(name), run=counting) for name in ("qkv-tied", "qk-tied")]
    config = LedgerConfig(ids=("qkv-tied", "qk-tied"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attention_core.claims.ledger.CLAIMS", tuple(entries))
        assert sum(isinstance(item, Checked) for item in each_check(config)) == 2
    assert len(ran) == 2, "once with the switch off, once with it on"


def by_id(name: str) -> object:
    return next(claim for claim in claims() if claim.id == name)


def test_check_takes_a_claim_or_its_id() -> None:
    one = check(by_id("gauge"), dtype="float32", seed=3)
    assert one == check("gauge", dtype="float32", seed=3)
    assert one.outcome == "agrees"
    assert one.verdicts[0].dtype == "float32"
    assert one.verdicts[0].holds
    assert not one.broken[0].holds


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"claim": "perm-xy"}, "id = 'perm-xy' is not possible: one of mha-reshape, .* is allowed"),
        ({"dtype": "float8"}, "dtype = 'float8' is not possible: one of auto, float64, .* is allowed"),
        ({"device": "abacus"}, "device = 'abacus' is not possible: one of auto, .* is allowed"),
        ({"seed": -1}, "seed = -1 is not possible"),
    ],
)
def test_what_is_not_there_is_refused_with_a_sentence(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        check(**{"claim": "perm-kv"} | wrong)  # type: ignore[arg-type]


def test_a_verdict_that_is_not_as_theory_says_is_seen() -> None:
    good = check("qk-tied")
    wrong = tuple(dataclasses.replace(verdict, expected=not verdict.expected) for verdict in good.verdicts)
    for bad in (
        dataclasses.replace(good, verdicts=wrong),
        dataclasses.replace(good, verdicts=()),
        dataclasses.replace(good, broken=()),
        dataclasses.replace(good, broken=tuple(dataclasses.replace(v, expected=True) for v in good.broken)),
    ):
        assert bad.outcome == "surprises"
    assert dataclasses.replace(good, verdicts=wrong).surprising == wrong


def test_a_check_mark_needs_a_break_that_breaks() -> None:
    good = check("gauge")
    assert (good.outcome, good.reasons) == ("agrees", ())
    drowned = dataclasses.replace(good.broken[0], expected=None, because="less than it can tell")
    unbroken = dataclasses.replace(good.verdicts[0], expected=None, because="too near")
    for changes, reasons in (
        ({"broken": (drowned,)}, ("less than it can tell",)),
        ({"verdicts": (unbroken,)}, ("too near",)),
        ({"broken": good.verdicts}, ("QK-norm does not break it here",)),
        ({"verdicts": good.broken}, (good.broken[0].because,)),
    ):
        changed = dataclasses.replace(good, **changes)
        assert (changed.outcome, changed.reasons) == ("undecided", reasons)
    shown = dataclasses.replace(good, broken=(drowned, *good.broken))
    assert shown.outcome == "agrees", "one of its verdicts shows the break"


def test_what_a_setting_does_not_allow_is_refused_and_not_wrong() -> None:
    class Never:
        def __init__(self, **_: object) -> None:
            raise ConfigError("dtype", "float16", "something else is allowed")

    entry = dataclasses.replace(by_id("perm-kv"), config=Never)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attention_core.claims.ledger.CLAIMS", (entry,))
        *_, one = each_check(LedgerConfig(ids=("perm-kv",)))
    assert "something else is allowed" in one.refused
    assert one.outcome == "refused"


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("Expected all tensors to be on the same device\nException raised from add"),
        TypeError("MPS framework doesn't support float64"),
        torch.OutOfMemoryError("out of memory"),
        NotImplementedError("no such operation"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_where_a_device_fails_the_next_claim_is_checked(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(config: object) -> object:
        raise error

    entries = (dataclasses.replace(by_id("gauge"), run=failing), by_id("qk-tied"))
    monkeypatch.setattr("attention_core.claims.ledger.CLAIMS", entries)
    config = LedgerConfig(ids=("gauge", "qk-tied"), device="cpu")
    failed, good = (item for item in each_check(config) if isinstance(item, Checked))
    said = f"{type(error).__name__} on cpu: {str(error).partition(chr(10))[0]}"
    assert (failed.outcome, failed.failed, failed.verdicts) == ("failed", said, ())
    assert (good.outcome, good.failed) == ("agrees", "")


def test_steps_end_with_the_result() -> None:
    *steps, result = steps_ledger(LedgerConfig(ids=("qk-tied", "qkv-tied")))
    assert all(isinstance(step, Step) for step in steps)
    assert [len(step.checked) for step in steps] == sorted(len(step.checked) for step in steps)
    assert steps[0].checked == ()
    assert steps[-1].checked == result.checked[:1], "what is found stands in the steps that come after it"
    assert [one.claim.id for one in result.checked] == ["qkv-tied", "qk-tied"], "in the order of the ledger"
    assert {verdict.claim for verdict in result.verdicts} == {"qkv-tied", "qk-tied"}


def test_where_each_claim_is_said_and_what_its_page_is_asked_for(approved: SnapshotAssertion) -> None:
    """The settings write their links themselves: an id, ``true``, a name of the link's own."""
    entries = []
    for claim in claims():
        links = [claim.parameters(), claim.parameters(broken=True)] if claim.breaks else [claim.parameters()]
        by = f" · broken by {claim.breaks.by}" if claim.breaks else ""
        entries.append(f"{claim.id} · {claim.said} · {claim.page} · {' → '.join(map(str, links))}{by}")
    assert lines("\n".join(entries)) == approved


# ---- the command ----


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What the command prints, with its exit status; without how long it took and which devices there are."""
    monkeypatch.setenv("COLUMNS", "200")
    for module in ("claims.__main__", "measuring.config"):
        monkeypatch.setattr(f"attention_core.{module}.available_devices", lambda: ("cpu",))

    def said(*arguments: str) -> str:
        try:
            status = command.main(arguments)
        except SystemExit as end:
            status = end.code
        printed = capsys.readouterr()
        text = re.sub(r"\d+ (s|秒)\n", r"# \1\n", printed.out) + "".join(
            f"! {line}\n" for line in printed.err.splitlines()
        )
        return f"{' '.join(arguments)}: {status}\n{re.sub(r'one of mha-reshape, .* is', 'one of … is', text)}"

    return said


COMMANDS = {
    "false and conditional": ["--only", "perm-block", "bias-terms", "--seed", "5", "--device", "cpu"],
    "Chinese": ["--only", "perm-block", "bias-k", "--device", "cpu", "--lang", "zh"],
    "numbers as JSON": ["--only", "mha-divisible", "--json", "--device", "cpu"],
    "help": ["--help"],
    "help in Chinese": ["--help", "--lang", "zh"],
    "no such claim": ["--only", "nonsense"],
    "no such precision": ["--dtype", "float8"],
    "no such device": ["--device", "abacus"],
    "too large a seed": ["--seed", "1000000"],
    "no number": ["--seed", "one"],
    "no such language": ["--lang", "tlh", "--only", "nonsense"],
    "no language": ["--lang"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_what_the_command_says(name: str, says: Callable[..., str], approved: SnapshotAssertion) -> None:
    text = lines(says(*COMMANDS[name]))
    assert (re.sub(r"\n +", " ", text) if "--json" in COMMANDS[name] else text) == approved


def test_each_outcome_has_its_mark_and_its_words_and_the_status_tells_what_is_wrong(
    says: Callable[..., str], monkeypatch: pytest.MonkeyPatch, approved: SnapshotAssertion
) -> None:
    good = check("gauge", device="cpu")
    surprising = tuple(dataclasses.replace(one, expected=False) for one in good.verdicts)
    open_ones = tuple(dataclasses.replace(one, expected=None, because="too near") for one in good.verdicts)
    printed = []
    for changed in (
        good,
        dataclasses.replace(good, verdicts=surprising),
        dataclasses.replace(good, verdicts=open_ones),
        dataclasses.replace(good, verdicts=(), broken=()),
        Checked(claim=good.claim, refused="float64 is not possible"),
        Checked(claim=good.claim, failed="RuntimeError on cpu: out of memory"),
    ):
        monkeypatch.setattr(command, "each_check", lambda _, changed=changed: iter([changed]))
        printed += [says("--device", "cpu"), changed.sentence()]
    assert lines("\n".join(printed)) == approved


def test_json_has_nan_as_text_and_its_keys_and_numbers_in_every_language(says: Callable[..., str]) -> None:
    asked = ("--json", "--only", "softmax-shift", "--lang")
    english, chinese = (json.loads(says(*asked, language).partition("\n")[2])[0] for language in ("en", "zh"))
    assert (english["broken"][0]["measured"], english["broken"][0]["holds"]) == ("nan", False)
    assert english.keys() == chinese.keys()
    assert english["statement"] != chinese["statement"]
    for name in ("verdicts", "broken"):
        numbers = [
            [(one["key"], one["measured"], one["outcome"]) for one in each[name]] for each in (english, chinese)
        ]
        assert numbers[0] == numbers[1]


def test_the_ledger_in_chinese_is_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--markdown", "--lang", "zh"]) == 0
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[-len(IDS) :]]
    assert [row[0].removeprefix("| ") for row in rows] == list(IDS)
    english = [cell.rstrip(" |") for row in rows for cell in row[1:] if not re.search("[一-龥]", cell)]
    assert english == [cell for cell in english if catalogue("zh").gettext(cell) == cell], "there is a translation"
    assert len(english) < len(IDS) / 2


@pytest.mark.slow
def test_the_command_runs_by_its_name() -> None:
    line = [sys.executable, "-m", "attention_core.claims", "--only", "mha-divisible"]
    done = subprocess.run(line, capture_output=True, text=True, encoding="utf-8", cwd=ROOT, check=True)
    assert done.stdout.startswith("✓ mha-divisible")
    assert not done.stderr


# ---- a checked claim in words ----


def test_what_is_found_is_worded_for_whoever_reads_it() -> None:
    one = check("perm-block")
    english = dataclasses.replace(one, broken=one.verdicts).reasons
    assert english == ("positions that stay with the slot does not break it here",)
    with using("zh"):
        assert "没有让它失效" in str(english[0])
        assert "理论：不成立：" in one.sentence()
        assert "理论：不成立：" in one._repr_html_()
    assert "theory: false: a whole block" in one.sentence()


def test_a_notebook_shows_a_checked_claim_with_each_verdict() -> None:
    checked = check("qk-tied")
    assert (repr(checked), str(checked)) == ("<Checked qk-tied: agrees>", checked.sentence())
    page = ElementTree.fromstring(f"<main>{checked._repr_html_()}</main>")
    rows = [[cell.text or "" for cell in row] for row in page.iter("tr")]
    (holds,), (fails,) = checked.verdicts, checked.broken
    assert rows == [
        ["outcome", "measured", "switched on"],
        ["Holds", holds.numbers, ""],
        ["Not so here, and theory agrees", fails.numbers, checked.claim.breaks.by],
    ]
    odd = dataclasses.replace(holds, quantity="<img src=x>")
    shown = dataclasses.replace(checked, verdicts=(odd,), refused="<b>")._repr_html_()
    assert not {"img", "b"} & {each.tag for each in ElementTree.fromstring(f"<main>{shown}</main>").iter()}
    assert "<table" not in dataclasses.replace(checked, verdicts=(), broken=(), refused="why")._repr_html_()


def test_every_folder_of_studies_is_found_and_stands_where_its_page_does() -> None:
    folders = {path.parent.name for path in (ROOT / "attention_core/studies").glob("*/__init__.py")}
    assert len(folders) >= 12
    assert {study.name for study in STUDIES} == folders
    assert len({study.place for study in STUDIES}) == len(folders), "no two stand at one place"
    assert [study.name for study in STUDIES] == [page.name for page in PAGES]
    assert [claim for study in STUDIES for claim in study.claims] == list(claims())
    assert {claim.page for claim in claims()} == folders - {"trained"}
