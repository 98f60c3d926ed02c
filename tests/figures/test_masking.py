"""Pictures of masks: titles and notes, what disobeys, and what is NaN is said."""

import dataclasses

from attention_core.studies.masks import MaskingConfig, run_masking
from attention_core.studies.masks.draw import (
    ADDITIVE,
    CONVENTIONS,
    EMPTY,
    GRID,
    claims_of,
    masking_view,
    proof,
)
from tests.figures.views import SENTENCES, of, view_of


def test_the_grid_says_what_was_given() -> None:
    panels, module = view_of("masking encoder masks").panels, of("encoder").modules[0]
    for panel, sentence in zip(panels, SENTENCES, strict=True):
        assert panel.columns.labels[: len(sentence)] == sentence
        assert (panel.cells, panel.colour_limits) == ("allowed", (0.0, 1.0))
        assert panel.hidden[:, len(sentence) :].all()
        assert not panel.hidden[:, : len(sentence)].any()
        padding = tuple(range(len(sentence), 6))
        assert panel.rows.pale == panel.columns.pale == padding, "chips"
        assert {panel.columns.labels[at] for at in padding} <= {"pad"}
    seen = module.seen.copy()
    seen[2, 0, 5] = 0.25
    disobeyed = dataclasses.replace(of("encoder"), modules=(dataclasses.replace(module, seen=seen),))
    assert masking_view(disobeyed, GRID).panels[2].values[0, 5] == 0.25


def test_conventions_claims_and_proof() -> None:
    config = MaskingConfig(stack="decoder", naive=True)
    assert claims_of(config, GRID) == claims_of(config, CONVENTIONS) == ("mask-decoder",)
    assert claims_of(config, EMPTY) == ("mask-full",)
    assert claims_of(config, ADDITIVE) == ("mask-additive",)
    said = "\n".join(step.measured for step in proof(config, run_masking(config)))
    assert "`0 of 96` here, `96 of 96` if zeroed late" in said
