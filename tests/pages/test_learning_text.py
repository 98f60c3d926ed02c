"""The task *your text* on the learning page: a text is pasted or brought, trained on, and forgotten."""

import gc
import re
from random import Random
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.compute.runner import Runner, runner
from pages._shared.page import tabs
from attention_core.measuring.run import run
from attention_core.studies.learning import TextConfig, bring_text, load_kept, steps_text
from attention_core.studies.learning.text.held import held
from tests.pages.conftest import open_answered, open_page
from tests.pages.read import button, outcome, pictures, plain, said, views, widget

QUICK = {"learning_task": "text", "learning_steps": "20", "learning_batch": "8"}
SONG = "five boats went out, five boats came in;\nand who saw them? the wind, the wind.\n" * 12
WHALES = "the whale is blue, the whale is old; who counts the whales?\n" * 14


def opened(text: str) -> Any:
    return open_answered("learning", **QUICK) if not text else paste(open_answered("learning", **QUICK), text)


def paste(at: AppTest, text: str) -> AppTest:
    at.text_area[0].set_value(text)
    return press(at, "Train on it")


def bring(at: AppTest, content: bytes, name: str = "song.txt") -> AppTest:
    at.file_uploader[0].set_value([(name, content, "text/plain")])
    return press(at, "Train on it")


def press(at: AppTest, label: str) -> AppTest:
    button(at, label).click()
    return at.run()


def written(at: AppTest) -> str:
    (found,) = (one.value for one in at.get("html") if 'class="written"' in one.value)
    return found


def test_it_works_at_a_press_on_a_text_of_ours() -> None:
    at = opened("")
    assert not [*at.exception, *at.error]
    found = run(TextConfig(steps=20, batch=8, dtype="float64"))
    run_of = found.run
    assert f"each token surprises the model by {run_of.held_out[-1]:.2f} nats" in plain(at)
    assert f"counted pairs by {run_of.counted[1]:.2f}, triples by {run_of.counted[2]:.2f}" in plain(at)
    assert "cut into words: 6,430, of 67 kinds. Its last 643 are held out" in said(at)
    assert f"the underlined run of {run_of.copied[-1, 2, 1]} tokens stands so" in said(at)
    assert written(at).count("<u>") == 1
    assert {outcome(at, "text-pairs"), outcome(at, "text-copy")} == {"undecided"}


def test_what_is_pasted_is_trained_on_and_is_in_no_link() -> None:
    at = opened(SONG)
    assert not [*at.exception, *at.error]
    text = bring_text(SONG)
    assert f"cut into words: {len(text.ids)}, of {len(text.words)} kinds" in said(at)
    found = run(TextConfig(digest=text.digest, steps=20, batch=8, dtype="float64")).run
    assert f"each token surprises the model by {found.held_out[-1]:.2f} nats" in plain(at)
    link = " ".join(map(str, dict(at.query_params).values()))
    assert not any(part in link for part in ("boats", text.digest, text.digest[:8]))
    assert at.text_area[0].value in ("", None), "the box is empty for the next one"
    widget(at, "learning_temperature").set_value(0.25).run()
    assert dict(at.query_params)["learning_temperature"] == "0.25"
    assert f"run of {found.copied[-1, 0, 1]} tokens" in said(at)
    press(at, "Back to the ready-made text")
    assert "of 67 kinds" in said(at)
    assert not any(one.label == "Back to the ready-made text" for one in at.button)


def test_the_model_and_its_text_are_files_beside_those_of_every_page() -> None:
    at = open_answered("learning", **QUICK, learning_tab="data")
    assert not at.exception
    labels = {one.label for one in at.get("download_button")}
    assert {"CSV", "JSON", "Keep this model", "Its text"} <= labels


def test_a_file_is_trained_on_and_not_kept() -> None:
    at = bring(opened(""), "\ufeff".encode() + WHALES.encode())
    assert not [*at.exception, *at.error]
    text = bring_text(WHALES)
    assert f"cut into words: {len(text.ids)}," in said(at)
    assert not at.file_uploader[0].value


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "Nothing came"),
        ("x", "a text of 1 character; at least 200 are needed"),
        ("z" * 4000, "one and the same token, 4,000 times; two different characters are needed"),
        ("ab " * 20_000, "a text of 60,000 bytes; at most 50,000 bytes are allowed"),
        (b"a" * 10_000_000, "a text of 10,000,000 bytes; at most 50,000 bytes are allowed"),
        ("räuber " .encode("latin-1") * 60, "no UTF-8 from its byte 2 on; save it again in UTF-8"),
        (WHALES.encode("utf-16"), "a file in UTF-16; save it again in UTF-8"),
        (bytes(range(128)) * 4, "a file with the sign U+0000; plain text has none"),
    ],
)  # fmt: skip
def test_what_cannot_be_trained_on_is_told_in_a_sentence_and_the_last_text_stays(
    content: str | bytes, sentence: str
) -> None:
    at = opened(SONG)
    before = re.findall(r"by \d\.\d\d nats", plain(at))
    assert before
    at = paste(at, content) if isinstance(content, str) else bring(at, content)
    assert not at.exception
    (error,) = at.error
    assert sentence in error.value.replace("\\", "")
    assert f"of {len(bring_text(SONG).words)} kinds" in said(at)
    assert re.findall(r"by \d\.\d\d nats", plain(at)) == before
    at.run()
    assert not at.error, "it is said once"
    assert pictures(at)


def test_a_text_leaves_with_its_session() -> None:
    text = "".join(Random(9).choices("lmnop ", k=900))
    at = paste(opened(""), text)
    digest = bring_text(text).digest
    assert held(digest) is not None
    press(at, "Back to the ready-made text")
    gc.collect()
    assert held(digest) is None


def test_sessions_with_one_text_share_one_training(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []
    submit = Runner._submit
    monkeypatch.setattr(Runner, "_submit", lambda self, job: (begun.append(job.config), submit(self, job))[1])
    text = "red sails, white sails: who sails, who sails away?\n" * 22
    seen = [paste(opened(""), given) for given in (text, text.replace("\n", "\r\n"), f"  {text}\n\n")]
    assert len({said(at) for at in seen}) == 1
    digest = bring_text(text).digest
    assert [config.digest for config in begun if getattr(config, "digest", "") == digest] == [digest]
    assert runner().cached(steps_text, next(one for one in begun if getattr(one, "digest", "") == digest)) is not None


def test_the_page_s_switches_reach_the_model() -> None:
    at = opened("")
    before = said(at)
    for name, value in (("learning_positions", "rotary"), ("learning_shuffled", "true"), ("learning_layers", "2")):
        other = open_answered("learning", **QUICK, **{name: value})
        assert not [*other.exception, *other.error]
        assert said(other) != before
    assert len(views(open_answered("learning", **QUICK, learning_layers="2"))[0]["panels"]) >= 3


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"learning_below": "seeds"}, "of a text its gradients can be shown"),
        ({"learning_text": "abc"}, "ask it on the page Trained models"),
        ({"learning_steps": "5000", "learning_layers": "6", "learning_d_model": "128"}, "20 seconds of one core"),
    ],
)
def test_what_no_text_can_be_asked_is_said(asked: dict[str, str], sentence: str) -> None:
    at = open_page("learning", **QUICK | asked)
    assert not at.exception
    assert sentence in plain(at) + "".join(one.value.replace("\\", "") for one in at.error)


def test_a_kept_model_is_asked_on_the_other_page_in_the_text_s_words(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    with monkeypatch.context() as patch:
        patch.setattr(tabs, "draw_data", lambda *parts: given.extend(parts[-1].files))
        open_answered("learning", **QUICK, learning_tab="data")
    kept, tokens = given
    assert (kept.ending, tokens.ending) == ("safetensors", "tokens.json")
    content = kept.make()
    assert len(load_kept(content).words) == 67
    at = open_answered("trained")
    at.file_uploader[0].set_value([("rhyme.safetensors", content, "application/octet-stream")]).run()
    press(at, "Open it")
    assert not [*at.exception, *at.error]
    assert "Open: **rhyme.safetensors**" in plain(at)
    widget(at, "trained_text").set_value("said the owl, who will").run()
    assert not [*at.exception, *at.error]
    at.run()
    widget(at, "trained_text").set_value("said the submarine").run()
    assert "67 kinds of tokens" in plain(at) + "".join(one.value for one in at.error)
