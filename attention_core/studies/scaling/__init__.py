"""Scaling: what dividing q·k by √d_head does to scores, weights and gradients, for d_head = 1, 2, 4 … 4096."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.study import Study
from attention_core.studies.scaling.claims import CLAIMS
from attention_core.studies.scaling.curves import ScalingCurves as ScalingCurves
from attention_core.studies.scaling.lengths import Dilution as Dilution
from attention_core.studies.scaling.lengths import LengthsResult as LengthsResult
from attention_core.studies.scaling.lengths import run_lengths as run_lengths
from attention_core.studies.scaling.picture import ScalingPicture as ScalingPicture
from attention_core.studies.scaling.picture import ScalingSide as ScalingSide
from attention_core.studies.scaling.picture import run_picture as run_picture
from attention_core.studies.scaling.result import Measured as Measured
from attention_core.studies.scaling.result import ScalingResult as ScalingResult
from attention_core.studies.scaling.result import result_of as result_of
from attention_core.studies.scaling.result import steps_scaling as steps_scaling
from attention_core.studies.scaling.settings import D_HEADS as D_HEADS
from attention_core.studies.scaling.settings import SCALES as SCALES
from attention_core.studies.scaling.settings import ScalingConfig as ScalingConfig
from attention_core.studies.scaling.settings import check_d_head as check_d_head
from attention_core.studies.scaling.snippet import SHORTEST as SHORTEST
from attention_core.studies.scaling.snippet import headline
from attention_core.studies.scaling.snippet import scaling_snippet as scaling_snippet
from attention_core.studies.scaling.sweep import ScalingPart as ScalingPart
from attention_core.studies.scaling.sweep import steps_part as steps_part

STUDY = Study(
    name="scaling",
    title=_("scaling"),
    place=4,
    config=ScalingConfig,
    snippet=scaling_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
