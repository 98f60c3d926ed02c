"""The ledger against the experiments, in the true and in the broken setting, and its command."""

import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch

from attention_core.claims import (
    EXPECTED,
    EXPECTED_WORDS,
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
from attention_core.experiments.checks import ConfigError
from attention_core.experiments.step import Step
from attention_core.language import using

ROOT = Path(__file__).parents[1]
IDS = tuple(claim.id for claim in claims())
THEORY = """
perm-kv perm-q perm-self perm-pool perm-bias perm-block pe-order nope-depth count-blind softmax-shift bias-k
bias-k-grad bias-v bias-q bias-terms bias-mean bias-norm bias-appendix scale-var scale-sat scale-jac scale-grad
scale-absorb low-rank rf-bound rf-tight rf-random mha-reshape mha-divisible drop-rows mask-encoder mask-decoder
mask-encdec mask-additive mask-full cplx-core cplx-mha cplx-bottleneck qkv-none qkv-tied qk-tied ln-deps ln-norm
convex-hull gauge rank-collapse learn-order learn-depth learn-key-bias learn-scale learn-tied head-tap soft-lookup
norm-place cplx-heads kv-repeat kv-bytes cache-exact linear-cost linear-order
"""
WITHOUT_SWITCH = {"bias-appendix"}
UNTRAINED = tuple(name for name in IDS if name not in {"learn-order", "learn-depth", "learn-scale", "learn-tied"})


def test_every_statement_of_the_theory_is_there_once() -> None:
    assert sorted(IDS) == sorted(THEORY.split())


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


@pytest.mark.slow
def test_the_command_finds_that_every_claim_agrees_in_float32_and_torchs_compiler_is_not_imported() -> None:
    code = "import sys; from attention_core.claims.__main__ import main; "
    code += "wrong = main(['--dtype', 'float32', '--json']); "
    code += "sys.exit(wrong or not {'torch._dynamo', 'sympy'}.isdisjoint(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert {one["id"]: one["outcome"] for one in json.loads(done.stdout)} == dict.fromkeys(IDS, "agrees")


def test_claims_of_one_setting_share_one_run() -> None:
    ran, real = [], by_id("qk-tied").run

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


def test_a_link_is_written_by_the_settings_themselves() -> None:
    decoder, large = by_id("mask-decoder"), by_id("mask-additive")
    assert decoder.parameters() == {"masks_stack": "decoder", "masks_unmasked": "true", "masks_show": "padding"}
    assert decoder.parameters(broken=True) == decoder.parameters() | {"masks_side": "left"}
    assert large.parameters(broken=True) == {"masks_show": "additive", "masks_score_size": "100000"}


def test_a_break_says_by_how_much_scores_grow() -> None:
    off, on = (by_id("mask-additive").settings(broken=broken) for broken in (False, True))
    assert f"{on.score_std // off.score_std:,} times" in by_id("mask-additive").breaks.by


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
def test_where_a_device_fails_the_next_claim_is_checked(
    error: Exception, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(config: object) -> object:
        raise error

    entries = (dataclasses.replace(by_id("gauge"), run=failing), by_id("qk-tied"))
    monkeypatch.setattr("attention_core.claims.ledger.CLAIMS", entries)
    monkeypatch.setenv("COLUMNS", "200")
    said = f"{type(error).__name__} on cpu: {str(error).partition(chr(10))[0]}"
    config = LedgerConfig(ids=("gauge", "qk-tied"), device="cpu")
    failed, good = (item for item in each_check(config) if isinstance(item, Checked))
    assert (failed.outcome, failed.failed, failed.verdicts) == ("failed", said, ())
    assert (good.outcome, good.failed) == ("agrees", "")
    assert command.main(["--only", "gauge", "qk-tied", "--device", "cpu"]) == 1
    first, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith("! gauge ")
    assert said in first
    assert second.startswith("✓ qk-tied ")
    assert last.startswith("1 of 2 claims as theory says, 1 failed to run · float64 · cpu · ")
    assert command.main(["--json", "--only", "gauge", "--device", "cpu"]) == 1
    assert [(one["outcome"], one["failed"]) for one in json.loads(capsys.readouterr().out)] == [("failed", said)]


def test_steps_end_with_the_result() -> None:
    *steps, result = steps_ledger(LedgerConfig(ids=("qk-tied", "qkv-tied")))
    assert all(isinstance(step, Step) for step in steps)
    assert [len(step.checked) for step in steps] == sorted(len(step.checked) for step in steps)
    assert steps[0].checked == ()
    assert steps[-1].checked == result.checked[:1], "what is found stands in the steps that come after it"
    assert [one.claim.id for one in result.checked] == ["qkv-tied", "qk-tied"], "in the order of the ledger"
    assert {verdict.claim for verdict in result.verdicts} == {"qkv-tied", "qk-tied"}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "attention_core.claims", *arguments]
    return subprocess.run(line, capture_output=True, text=True, encoding="utf-8", cwd=ROOT, check=False)


def test_the_command_prints_a_line_for_each_claim_and_what_is_true_instead() -> None:
    done = run("--only", "perm-block", "bias-terms", "--dtype", "float32", "--seed", "5")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("✓ perm-block      false ")
    assert "stays equivariant" in lines[1]
    assert lines[2].startswith("✓ bias-terms      holds ")
    assert lines[3].startswith("2 of 2 claims as theory says · float32 · ")
    assert "seed 5" in lines[3]
    assert not done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--only", "nonsense"], "id = 'nonsense' is not possible: one of mha-reshape"),
        (["--dtype", "float8"], "dtype = 'float8' is not possible: one of auto, float64"),
        (["--device", "abacus"], "device = 'abacus' is not possible: one of auto, "),
        (["--seed", "1000000"], "seed = 1000000 is not possible: a whole number from 0 to 999,999"),
        (["--seed", "one"], "invalid int value: 'one'"),
    ],
)
def test_the_command_refuses_with_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        command.main(arguments)
    assert stop.value.code == 2
    assert sentence in capsys.readouterr().err


def test_the_command_exits_with_1_and_says_what_differs(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = dataclasses.replace(by_id("gauge"), options={"topic": "gauge", "qk_norm": True})

    def mistaken(config: object) -> object:
        result = wrong.run(config)
        verdicts = tuple(dataclasses.replace(verdict, expected=True) for verdict in result.verdicts)
        return dataclasses.replace(result, verdicts=verdicts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attention_core.claims.ledger.CLAIMS", (dataclasses.replace(wrong, run=mistaken),))
        assert command.main(["--only", "gauge"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("✗ gauge")
    assert "not as theory says: max |f(X; θ′)" in said
    assert "0 of 1 claims" in said


def test_what_is_not_decided_has_its_mark_and_its_reason_and_does_not_fail(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command.main(["--only", "softmax-shift", "--dtype", "bfloat16"]) == 0
    first, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith("? softmax-shift ")
    assert second.startswith("    not decided: rounding alone may move it")
    assert last.startswith("0 of 1 claims as theory says, 1 not decided · bfloat16 · ")
    assert command.main(["--json", "--only", "softmax-shift", "--dtype", "bfloat16"]) == 0
    (plain,) = json.loads(capsys.readouterr().out)
    assert (plain["outcome"], len(plain["reasons"])) == ("undecided", 1)
    assert "undecided" in {one["outcome"] for one in (*plain["verdicts"], *plain["broken"])}


def test_json_holds_everything_that_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--json", "--only", "softmax-shift", "perm-block"]) == 0
    block, shift = json.loads(capsys.readouterr().out)
    assert (block["id"], block["expected"].split(":")[0], block["outcome"]) == ("perm-block", "false", "agrees")
    assert block["correction"]["says"]
    assert shift["broken"][0]["measured"] == "nan"
    assert shift["broken"][0]["holds"] is False
    assert shift["verdicts"][0]["relation"] == "≤"


def test_help_says_what_it_does_and_what_the_exit_status_means(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--help"])
    said = capsys.readouterr().out
    for words in ("Check every claim about attention", "--only", "exit status: 0", "float32", "auto"):
        assert words in said


def test_the_command_prints_in_the_language_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    found = by_id("perm-block").correction.found
    assert command.main(["--only", "perm-block", "bias-k", "--lang", "zh"]) == 0
    block, instead, key, last = capsys.readouterr().out.splitlines()
    with using("zh"):
        words = [str(EXPECTED_WORDS[by_id(name).expected]) for name in ("perm-block", "bias-k")]
        assert [line.split()[2] for line in (block, key)] == words == ["不成立", "有条件成立"]
        assert block.index("max") + 3 == key.index("max") + 5, "a Chinese character takes two columns"
        assert instead.strip() == str(found) != found
    assert last.startswith("2 条命题中 2 条与理论一致 · float64 · ")
    assert command.main(["--markdown", "--lang", "zh"]) == 0
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()[-len(IDS) :]]
    assert [row[0].removeprefix("| ") for row in rows] == list(IDS)
    assert all(re.search("[一-龥]", cell) for row in rows for cell in row[1:])
    with pytest.raises(SystemExit):
        command.main(["--help", "--lang", "zh"])
    assert "退出状态：0" in capsys.readouterr().out


def test_json_has_its_keys_ids_and_numbers_in_every_language(capsys: pytest.CaptureFixture[str]) -> None:
    told = {}
    for language in ("en", "zh"):
        assert command.main(["--json", "--only", "perm-block", "--lang", language]) == 0
        (told[language],) = json.loads(capsys.readouterr().out)
    english, chinese = told["en"], told["zh"]
    assert english.keys() == chinese.keys()
    assert (chinese["id"], chinese["outcome"]) == ("perm-block", "agrees")
    assert chinese["statement"].startswith("LayerNorm 使")
    assert english["statement"] == by_id("perm-block").statement
    for name in ("verdicts", "broken"):
        numbers = [[(one["key"], one["measured"], one["outcome"]) for one in each[name]] for each in told.values()]
        assert numbers[0] == numbers[1]


def test_a_language_that_is_not_there_is_english_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--markdown", "--lang", "tlh"]) == 0
    told = capsys.readouterr()
    assert told.out == command.as_markdown()
    assert "| holds |" in told.out
    assert told.err == "lang = 'tlh' is not possible: one of en, zh is allowed. This is in English.\n"
    with pytest.raises(SystemExit):
        command.main(["--lang"])
    assert "--lang: expected one argument" in capsys.readouterr().err


def test_what_is_found_is_worded_for_whoever_reads_it() -> None:
    one = check("perm-block")
    shown = dataclasses.replace(one, broken=one.verdicts)
    english = shown.reasons
    assert english == ("positions that stay with the slot does not break it here",)
    with using("zh"):
        assert [str(reason) for reason in shown.reasons] == [str(reason) for reason in english]
        assert "没有让它失效" in str(english[0])
        assert "理论：不成立：" in one.sentence()
        assert "理论：不成立：" in one._repr_html_()
    assert "theory: false: a whole block" in one.sentence()


def test_a_checked_claim_is_short_to_read_and_prints_its_sentence() -> None:
    checked = check("qk-tied")
    assert repr(checked) == "<Checked qk-tied: agrees>"
    assert str(checked) == checked.sentence()
    assert checked.sentence().startswith("qk-tied · One matrix for queries and keys makes the scores symmetric.")
    assert checked.sentence().endswith("· measured: agrees")
    left = dataclasses.replace(checked, verdicts=(), broken=(), refused="there is no such <device>")
    assert left.sentence().endswith("· measured: refused (there is no such <device>)")


def test_a_notebook_shows_a_checked_claim_with_each_verdict() -> None:
    checked = check("qk-tied")
    page = ElementTree.fromstring(f"<main>{checked._repr_html_()}</main>")
    rows = [[cell.text or "" for cell in row] for row in page.iter("tr")]
    assert rows[0] == ["outcome", "measured", "switched on"]
    assert [row[0] for row in rows[1:]] == [one.outcome for one in (*checked.verdicts, *checked.broken)]
    assert rows[1][1:] == [checked.verdicts[0].numbers, ""]
    assert rows[-1][2] == checked.claim.breaks.by
    odd = dataclasses.replace(checked.verdicts[0], quantity="<img src=x>")
    shown = dataclasses.replace(checked, verdicts=(odd,), refused="<b>")._repr_html_()
    assert not {"img", "b"} & {each.tag for each in ElementTree.fromstring(f"<main>{shown}</main>").iter()}
    assert "<table" not in dataclasses.replace(checked, verdicts=(), broken=(), refused="why")._repr_html_()
