"""Learning: a model of this package's modules is trained while one looks.

Claims: ``learn-order`` without positions and masks no training teaches order; ``learn-depth`` continuing a sequence
of unknown period takes two layers; ``learn-key-bias`` gradient descent never moves the key bias; ``learn-scale`` what
the factor 1/√d_head is for; ``learn-tied`` what one matrix for keys and values costs.
"""

from attention_core.experiments.learning.config import (
    HELD_OUT,
    OPTIMIZERS,
    PLACEMENTS,
    POSITIONS,
    PROJECTIONS,
    SCALES,
    SUCCESS,
    LearningConfig,
)
from attention_core.experiments.learning.heads import (
    Ablation,
    AblationResult,
    check_heads,
    steps_ablation,
)
from attention_core.experiments.learning.keep import keep, load_kept
from attention_core.experiments.learning.map import D_HEADS, RATES, MapConfig, MapResult, MapStep, steps_map
from attention_core.experiments.learning.model import ROLES
from attention_core.experiments.learning.notes import MAX_MOMENTS, moments_of
from attention_core.experiments.learning.result import History, LearningResult, LearningStep, Score, Share, Trained
from attention_core.experiments.learning.seeds import SeedsConfig, SeedsResult, SeedsStep, run_seeds, steps_seeds
from attention_core.experiments.learning.snippet import SHORTEST, learning_snippet
from attention_core.experiments.learning.tasks import ALPHABET, IGNORED, TASKS
from attention_core.experiments.learning.training import run_learning, steps_learning
from attention_core.experiments.learning.use import Answer, Head, answer, check_input, letters

__all__ = [
    "ALPHABET",
    "D_HEADS",
    "HELD_OUT",
    "IGNORED",
    "MAX_MOMENTS",
    "OPTIMIZERS",
    "PLACEMENTS",
    "POSITIONS",
    "PROJECTIONS",
    "RATES",
    "ROLES",
    "SCALES",
    "SHORTEST",
    "SUCCESS",
    "TASKS",
    "Ablation",
    "AblationResult",
    "Answer",
    "Head",
    "History",
    "LearningConfig",
    "LearningResult",
    "LearningStep",
    "MapConfig",
    "MapResult",
    "MapStep",
    "Score",
    "SeedsConfig",
    "SeedsResult",
    "SeedsStep",
    "Share",
    "Trained",
    "answer",
    "check_heads",
    "check_input",
    "keep",
    "learning_snippet",
    "letters",
    "load_kept",
    "moments_of",
    "run_learning",
    "run_seeds",
    "steps_ablation",
    "steps_learning",
    "steps_map",
    "steps_seeds",
]
