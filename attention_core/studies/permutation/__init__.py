"""Permutation: what happens to attention when its tokens change places."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.study import Study
from attention_core.studies.permutation.along import AlongResult as AlongResult
from attention_core.studies.permutation.along import run_along as run_along
from attention_core.studies.permutation.block import BlockCase as BlockCase
from attention_core.studies.permutation.block import BlockResult as BlockResult
from attention_core.studies.permutation.block import steps_blocks as steps_blocks
from attention_core.studies.permutation.claims import CLAIMS
from attention_core.studies.permutation.depth import DepthResult as DepthResult
from attention_core.studies.permutation.depth import run_depth as run_depth
from attention_core.studies.permutation.measure import PermutationResult as PermutationResult
from attention_core.studies.permutation.measure import ShuffleResult as ShuffleResult
from attention_core.studies.permutation.measure import run_permutation as run_permutation
from attention_core.studies.permutation.measure import run_shuffle as run_shuffle
from attention_core.studies.permutation.order import OrderResult as OrderResult
from attention_core.studies.permutation.order import steps_order as steps_order
from attention_core.studies.permutation.settings import ALL_NAMES as ALL_NAMES
from attention_core.studies.permutation.settings import MODELS as MODELS
from attention_core.studies.permutation.settings import NUM_HEADS as NUM_HEADS
from attention_core.studies.permutation.settings import POSITION_NAMES as POSITION_NAMES
from attention_core.studies.permutation.settings import SENTENCE as SENTENCE
from attention_core.studies.permutation.settings import SENTENCE_ZH as SENTENCE_ZH
from attention_core.studies.permutation.settings import PermutationConfig as PermutationConfig
from attention_core.studies.permutation.settings import ShuffleConfig as ShuffleConfig
from attention_core.studies.permutation.settings import another_order as another_order
from attention_core.studies.permutation.settings import order_for as order_for
from attention_core.studies.permutation.settings import order_of as order_of
from attention_core.studies.permutation.snippet import SHORTEST as SHORTEST
from attention_core.studies.permutation.snippet import headline
from attention_core.studies.permutation.snippet import permutation_snippet as permutation_snippet
from attention_core.studies.permutation.terms import TermsResult as TermsResult
from attention_core.studies.permutation.terms import run_terms as run_terms

STUDY = Study(
    name="permutation",
    title=_("permutation"),
    place=2,
    config=ShuffleConfig,
    snippet=permutation_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
