"""Pictures of masks: what is drawn is what the stack reported, and what is NaN is said."""

import dataclasses

import numpy as np
import pytest

from attention_core.experiments.masking import STACKS, MaskingConfig, run_masking
from attention_core.figures.masking import (
    ADDITIVE,
    CONVENTIONS,
    EMPTY,
    GRID,
    REPLACED,
    SAYS,
    VIEWS,
    WEIGHTS,
    claims_of,
    conventions_table,
    masking_table,
    masking_view,
    module_name,
    proof,
)
from attention_core.figures.matrix import MatrixPanel


@pytest.mark.parametrize("stack", STACKS)
def test_every_view_of_every_stack_has_labelled_axes_and_says_what_it_is(stack: str) -> None:
    result = run_masking(MaskingConfig(stack=stack))
    for name in VIEWS:
        view = masking_view(result, name)
        assert SAYS[name] in view.summary
        for panel in view.panels:
            if isinstance(panel, MatrixPanel):
                assert panel.rows.title
                assert panel.columns.title
                assert panel.quantity
        assert masking_table(result, name).rows


def test_the_grid_has_one_panel_for_each_sentence_in_their_order() -> None:
    config = MaskingConfig()
    module = run_masking(config).modules[0]
    panels = masking_view(run_masking(config), GRID).panels
    assert [panel.title for panel in panels] == ["Sentence 1", "Sentence 2", "Sentence 3"]
    assert set(panels[2].values.ravel()) == {0, 1}
    for i, panel in enumerate(panels):
        np.testing.assert_array_equal(panel.values, module.seen[i])
        assert panel.columns.labels[: len(config.sentences[i])] == config.sentences[i]
    assert [panel.note for panel in panels] == ["Given: key padding.", "", ""]
    open_grid = masking_view(run_masking(MaskingConfig(unmasked=True)), GRID)
    assert open_grid.panels[0].note == "Given: no mask."
    assert (open_grid.panels[0].values == 1).all()


def test_the_grid_of_both_stacks_lays_the_batch_below_each_other() -> None:
    result = run_masking(MaskingConfig(stack="encoder-decoder", side="left", window=1))
    panels = masking_view(result, GRID).panels
    assert [panel.title for panel in panels] == [
        "Encoder self-attention", "Decoder self-attention", "Decoder cross-attention",
    ]  # fmt: skip
    assert [panel.note for panel in panels] == [
        "Given: key padding + window.", "Given: key padding + causal + window.", "Given: key padding.",
    ]  # fmt: skip
    for panel, module in zip(panels, result.modules, strict=True):
        assert module_name(module) == panel.title
        np.testing.assert_array_equal(panel.values, module.seen.reshape(-1, module.seen.shape[2]))


def test_a_layer_or_head_that_disobeys_is_seen_in_the_grid() -> None:
    result = run_masking(MaskingConfig())
    seen = result.modules[0].seen.copy()
    seen[2, 0, 5] = 0.25
    panel = masking_view(
        dataclasses.replace(result, modules=(dataclasses.replace(result.modules[0], seen=seen),)), GRID
    ).panels[2]
    assert panel.values[0, 5] == 0.25


def test_weights_are_drawn_with_and_without_masks() -> None:
    result = run_masking(MaskingConfig())
    panels = masking_view(result, WEIGHTS).panels
    assert [panel.title for panel in panels] == [
        "Sentence 2, masked", "Sentence 2, no mask", "Sentence 3, masked", "Sentence 3, no mask",
    ]  # fmt: skip
    np.testing.assert_allclose(panels[2].values, result.modules[0].weights[2], atol=1e-7)
    np.testing.assert_allclose(panels[3].values, result.modules[0].unmasked[2], atol=1e-7)
    np.testing.assert_array_equal(panels[2].hidden, ~result.modules[0].needed[2])


def test_moved_outputs_are_drawn_for_words_alone() -> None:
    result = run_masking(MaskingConfig(unmasked=True))
    panel = masking_view(result, REPLACED).panels[0]
    np.testing.assert_array_equal(panel.values, result.moved.astype(np.float32))
    np.testing.assert_array_equal(panel.hidden, ~result.real)
    assert panel.hidden_as == "padding: it may move"
    assert panel.rows.labels[2] == "birds sing · · · ·"
    assert float(panel.shown.max()) == pytest.approx(result.pad_moved, rel=1e-6)
    nan = masking_view(run_masking(MaskingConfig(padding="not-a-number")), REPLACED).panels[0]
    assert "NaN" in nan.warning


def test_what_overflows_or_divides_by_zero_is_said() -> None:
    result = run_masking(MaskingConfig())
    curves = masking_view(result, ADDITIVE).panels[0]
    assert [series.name for series in curves.series] == list(result.additive.dtypes)
    assert "65,504" in curves.note
    naive = masking_view(result, EMPTY).panels
    assert naive[0].warning == "Of 36 values 6 are NaN: no colour stands for them."
    assert naive[1].warning == "Of 36 values 36 are NaN: no colour stands for them."
    assert not naive[2].warning
    table = masking_table(result, ADDITIVE)
    assert table.columns[1:] == result.additive.dtypes
    np.testing.assert_allclose([row[1] for row in table.rows], result.additive.difference[0])


def test_conventions_and_claims() -> None:
    table = conventions_table()
    assert {row[0] for row in table.rows} == {"torch", "Hugging Face", "EECS 182", "this project"}
    assert len(table.as_columns()["True means"]) == len(table.rows)
    config = MaskingConfig(stack="decoder")
    assert claims_of(config, GRID) == claims_of(config, CONVENTIONS) == ("mask-decoder",)
    assert claims_of(config, EMPTY) == ("mask-full",)
    assert claims_of(config, ADDITIVE) == ("mask-additive",)


def test_the_proof_quotes_what_was_measured() -> None:
    config = MaskingConfig(stack="decoder", naive=True)
    result = run_masking(config)
    said = "\n".join(step.measured for step in proof(config, result))
    assert all(verdict.numbers in said for verdict in result.verdicts)
    assert "`0 of 96` here, `96 of 96` if zeroed late" in said
