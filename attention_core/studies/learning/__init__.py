"""Learning: a model of this package's modules is trained while one looks.

Claims: ``learn-order`` without positions and masks no training teaches order; ``learn-depth`` continuing a sequence
of unknown period takes two layers; ``learn-key-bias`` gradient descent never moves the key bias; ``learn-scale`` what
the factor 1/√d_head is for; ``learn-tied`` what one matrix for keys and values costs; ``text-pairs`` a model of a
text knows more of it than which tokens follow one another; ``text-copy`` and writes parts of it word for word.
"""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.study import Study
from attention_core.studies.learning.checkpoint import is_kept as is_kept
from attention_core.studies.learning.checkpoint import keep as keep
from attention_core.studies.learning.checkpoint import load_kept as load_kept
from attention_core.studies.learning.claims import CLAIMS
from attention_core.studies.learning.compare import CompareConfig as CompareConfig
from attention_core.studies.learning.compare import CompareResult as CompareResult
from attention_core.studies.learning.compare import CompareStep as CompareStep
from attention_core.studies.learning.compare import steps_compare as steps_compare
from attention_core.studies.learning.heads import Ablation as Ablation
from attention_core.studies.learning.heads import AblationResult as AblationResult
from attention_core.studies.learning.heads import check_heads as check_heads
from attention_core.studies.learning.heads import steps_ablation as steps_ablation
from attention_core.studies.learning.history import moments_of as moments_of
from attention_core.studies.learning.inference import Answer as Answer
from attention_core.studies.learning.inference import Head as Head
from attention_core.studies.learning.inference import answer as answer
from attention_core.studies.learning.inference import check_input as check_input
from attention_core.studies.learning.inference import letters as letters
from attention_core.studies.learning.inference import rebuild as rebuild
from attention_core.studies.learning.map import D_HEADS as D_HEADS
from attention_core.studies.learning.map import MapConfig as MapConfig
from attention_core.studies.learning.map import MapResult as MapResult
from attention_core.studies.learning.map import MapStep as MapStep
from attention_core.studies.learning.map import steps_map as steps_map
from attention_core.studies.learning.model import ROLES as ROLES
from attention_core.studies.learning.result import History as History
from attention_core.studies.learning.result import LearningResult as LearningResult
from attention_core.studies.learning.result import LearningStep as LearningStep
from attention_core.studies.learning.result import SuccessRate as SuccessRate
from attention_core.studies.learning.result import Trained as Trained
from attention_core.studies.learning.seeds import SeedsConfig as SeedsConfig
from attention_core.studies.learning.seeds import SeedsResult as SeedsResult
from attention_core.studies.learning.seeds import SeedsStep as SeedsStep
from attention_core.studies.learning.seeds import steps_seeds as steps_seeds
from attention_core.studies.learning.settings import MAX_MOMENTS as MAX_MOMENTS
from attention_core.studies.learning.settings import OPTIMIZERS as OPTIMIZERS
from attention_core.studies.learning.settings import SCALES as SCALES
from attention_core.studies.learning.settings import SUCCESS as SUCCESS
from attention_core.studies.learning.settings import TEXT as TEXT
from attention_core.studies.learning.settings import LearningConfig as LearningConfig
from attention_core.studies.learning.snippet import SHORTEST as SHORTEST
from attention_core.studies.learning.snippet import headline
from attention_core.studies.learning.snippet import learning_snippet as learning_snippet
from attention_core.studies.learning.text.asked import encoder as encoder
from attention_core.studies.learning.text.asked import example as example
from attention_core.studies.learning.text.cut import PARTS as PARTS
from attention_core.studies.learning.text.cut import join as join
from attention_core.studies.learning.text.cut import shown as shown
from attention_core.studies.learning.text.cut import spaced as spaced
from attention_core.studies.learning.text.held import MAX_TEXT as MAX_TEXT
from attention_core.studies.learning.text.held import Text as Text
from attention_core.studies.learning.text.held import bring_text as bring_text
from attention_core.studies.learning.text.held import too_large as too_large
from attention_core.studies.learning.text.measure import steps_text as steps_text
from attention_core.studies.learning.text.result import CONFIDENT as CONFIDENT
from attention_core.studies.learning.text.result import TextResult as TextResult
from attention_core.studies.learning.text.result import TextRun as TextRun
from attention_core.studies.learning.text.result import TextStep as TextStep
from attention_core.studies.learning.text.settings import TEMPERATURES as TEMPERATURES
from attention_core.studies.learning.text.settings import TextConfig as TextConfig
from attention_core.studies.learning.text.snippet import text_snippet as text_snippet
from attention_core.studies.learning.text.snippet import tokens_file as tokens_file
from attention_core.studies.learning.training import steps_learning as steps_learning
from attention_core.studies.learning.verdicts import STANDARD_ERRORS as STANDARD_ERRORS

STUDY = Study(
    name="learning",
    title=_("learning"),
    place=6,
    config=LearningConfig,
    snippet=learning_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
