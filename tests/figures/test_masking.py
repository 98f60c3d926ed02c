"""Pictures of masks: titles and notes, what disobeys, and what is NaN is said."""

import dataclasses

import numpy as np

from attention_core.experiments.masking import MaskingConfig, run_masking
from attention_core.figures.masking import (
    ADDITIVE,
    CONVENTIONS,
    EMPTY,
    GRID,
    REPLACED,
    claims_of,
    conventions_table,
    masking_table,
    masking_view,
    module_name,
    proof,
)
from tests.figures.views import SENTENCES, of, view_of, views


def test_the_grid_says_what_was_given() -> None:
    panels, module = view_of("masking encoder masks").panels, of("encoder").modules[0]
    cells = "A dot: heads give this key weight, the larger the more. "
    assert [panel.note for panel in panels] == [cells + "Masks used: key padding.", "", ""]
    for panel, sentence in zip(panels, SENTENCES, strict=True):
        assert panel.columns.labels[: len(sentence)] == sentence
        assert (panel.cells, panel.colour_limits) == ("allowed", (0.0, 1.0))
        assert panel.hidden[:, len(sentence) :].all()
        assert not panel.hidden[:, : len(sentence)].any()
        padding = tuple(range(len(sentence), 6))
        assert panel.rows.pale == panel.columns.pale == padding, "chips"
        assert {panel.columns.labels[at] for at in padding} <= {"pad"}
    (first, *_) = masking_view(run_masking(MaskingConfig(unmasked=True)), GRID).panels
    assert first.note == cells + "Masks used: no mask."
    assert (first.values == 1).all()
    result = run_masking(MaskingConfig(stack="encoder-decoder", side="left", window=1))
    both = masking_view(result, GRID).panels
    assert [panel.note for panel in both] == [
        cells + "Masks used: key padding + window.", "Masks used: key padding + causal + window.",
        "Masks used: key padding.",
    ]  # fmt: skip
    assert [module_name(one) for one in result.modules] == [panel.title for panel in both]
    seen = module.seen.copy()
    seen[2, 0, 5] = 0.25
    disobeyed = dataclasses.replace(of("encoder"), modules=(dataclasses.replace(module, seen=seen),))
    assert masking_view(disobeyed, GRID).panels[2].values[0, 5] == 0.25
    for name, one in views("masking").items():
        assert SAYS.get(name.split()[-1], "adding: put other words") in one.summary


SAYS = {
    "additive": "adding −10000 hides a key as −∞ does",
    "empty": "This module gives the row zeros",
    "conventions": "Libraries disagree",
}


def test_what_hides_is_hidden_and_outputs_move_for_words_alone() -> None:
    masked, unmasked = view_of("masking encoder weights").panels[2:4]
    np.testing.assert_array_equal(masked.hidden, ~of("encoder").modules[0].needed[2])
    assert masked.colour_limits == unmasked.colour_limits == (0.0, 1.0)
    result = run_masking(MaskingConfig(unmasked=True))
    panel = masking_view(result, REPLACED).panels[0]
    np.testing.assert_array_equal(panel.hidden, ~result.real)
    assert panel.hidden_as == "padding: it may move"
    assert panel.rows.labels[2] == "birds sing · · · ·"
    assert float(panel.shown.max()) == np.float32(result.pad_moved)
    nan = masking_view(run_masking(MaskingConfig(padding="not-a-number")), REPLACED).panels[0]
    assert "NaN" in nan.warning


def test_what_overflows_or_divides_by_zero_is_said() -> None:
    result = of("encoder")
    assert "65,504" in view_of("masking encoder additive").panels[0].note
    naive = view_of("masking encoder empty").panels
    assert naive[0].warning == "Of 36 values 6 are NaN: no colour stands for them."
    assert naive[1].warning == "Of 36 values 36 are NaN: no colour stands for them."
    assert not naive[2].warning
    table = masking_table(result, ADDITIVE)
    assert table.columns[1:] == result.additive.dtypes
    np.testing.assert_allclose([row[1] for row in table.rows], result.additive.difference[0])


def test_conventions_claims_and_proof() -> None:
    table = conventions_table()
    assert {row[-1] for row in table.rows} == {"torch", "Hugging Face", "EECS 182", "this project"}
    assert len(table.as_columns()["True means"]) == len(table.rows)
    assert table.rows[-1][1:5] == ("is padding", "key_padding_mask", "(batch, kv_len)", "–")
    config = MaskingConfig(stack="decoder", naive=True)
    assert claims_of(config, GRID) == claims_of(config, CONVENTIONS) == ("mask-decoder",)
    assert claims_of(config, EMPTY) == ("mask-full",)
    assert claims_of(config, ADDITIVE) == ("mask-additive",)
    said = "\n".join(step.measured for step in proof(config, run_masking(config)))
    assert "`0 of 96` here, `96 of 96` if zeroed late" in said
