"""The scaling page: it quotes what was counted, and measures only what has moved."""

from pages._shared.compute.runner import runner
from attention_core.measuring.number_format import format_number
from attention_core.studies.scaling import Measured, ScalingConfig, result_of, steps_part
from tests.pages.conftest import open_page
from tests.pages.read import said


def test_what_did_not_move_is_not_measured_again() -> None:
    """A temperature leaves the curves of the other two factors where they are: in the cache."""
    open_page("scaling", seed="77")
    base = runner().cached(steps_part, ScalingConfig(seed=77))
    assert base is not None
    at = open_page("scaling", seed="77", scaling_temperature="2.5")
    assert runner().cached(steps_part, ScalingConfig(seed=77)) is base
    own = runner().cached(steps_part, ScalingConfig(seed=77, temperature=2.5))
    result = result_of(Measured(ScalingConfig(seed=77, temperature=2.5), (base, own)))
    assert format_number(result.verdict("scale-sat").measured) in said(at)
