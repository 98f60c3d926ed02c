"""What is tried of the code that pages show, and how what it prints is read."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

from attention_core.measuring.settings import declared
from attention_core.measuring.study import Study
from attention_core.shipped.languages import SHIPPED
from attention_core.shipped.vision import FOLDER
from attention_core.studies import STUDIES as ALL
from attention_core.studies import images, permutation
from tests.studies import STUDIES, settings
from tests.texts import TOKENS

FILE = "model.safetensors"
SMALL = {"tokens": 6, "kinds": 5, "d_model": 16, "batch": 8, "steps": 12}
ORDER = (2, 0, 5, 1, 4, 3)
BOTH = {"query_order": ORDER, "key_order": ORDER}
TOKEN = tuple(token for token in TOKENS if " " not in token)


@dataclass(frozen=True)
class Trial:
    """What is tried of a study's code, beside its default settings.

    Attributes:
        drawn: How many random settings are tried in float64, and in float32.
        halves: How many in each half precision.
        varies: Settings under which another seed prints another number, where it does not under the default ones.
        further: Settings that are tried, too.
        most: The largest values of settings that take too long.
        rounding: What the order of sums may do to a number beside its precision.
    """

    drawn: int = 4
    halves: int = 2
    varies: dict[str, Any] = field(default_factory=dict)
    further: tuple[dict[str, Any], ...] = ()
    most: dict[str, int] = field(default_factory=dict)
    rounding: float = 0


# Of studies of which more is tried, or less, than of any other.
TRIALS = {
    "anatomy": Trial(
        6, varies={"weights": "random"},
        further=(
            {"tokens": TOKEN}, {"positions": "rotary", "no_transpose": True}, {"positions": "alibi"},
            {"positions": "rotary", "projections": "tied-qk"}, {"positions": "rotary", "projections": "tied-kv"},
        ),
    ),
    "biases": Trial(5, further=({"tokens": TOKEN}, {"dropout": True}, {"dropout": True, "v_bias": False})),
    "complexity": Trial(
        2, varies={"no_transpose": True, "num_queries": 11, "num_keys": 13, "d_model": 35, "num_heads": 5},
    ),
    "exactness": Trial(
        varies={"unscaled": True},
        further=(
            {"causal": True, "tile": 3}, {"no_maximum": True}, {"form": "batch"},
            {"form": "batch", "model": "chinese", "restart": True, "dtype": "bfloat16"},
            {"form": "batch", "seen": True, "dtype": "float16"}, {"form": "pairs", "one_side": True},
            {"form": "latent", "causal": True}, {"form": "latent", "whole": True}, {"form": "speculation"},
            {"form": "speculation", "draft": "damaged", "late": True, "dtype": "bfloat16"},
            {"form": "speculation", "model": "chinese", "greedy": True, "block": 1},
        ),
    ),
    "images": Trial(
        varies={"weights": "untrained", "positions": "learned"},
        further=(
            {"columns_first": True}, {"positions": "axes", "window": True},
            {"positions": "learned", "averaged": True},
            {"picture": "two", "weights": "untrained", "positions": "axes"},
        ),
    ),
    "learning": Trial(
        0, varies=SMALL,
        further=(
            {"task": "copy", "positions": "rotary", "projections": "tied-kv", "placement": "residual", **SMALL},
            {"task": "induction", "positions": "alibi", "causal": True, "biases": False, "heads": 4, **SMALL},
            {"optimizer": "sgd", "scale": "none", "start": 0.5, **SMALL},
        ),
        rounding=0.004,  # a close call or two among 512 sequences
    ),
    "masks": Trial(
        further=({"sentences": (TOKEN[:7], TOKEN[7:10], ("a",))}, {"stack": "encoder-decoder", "window": 2},
                 {"positions": "learned"}, {"positions": "learned", "stack": "encoder-decoder", "side": "left"}),
    ),
    "normalization": Trial(2, varies={"causal": True, "eps": 0.01}),
    "permutation": Trial(
        8, varies={"query_order": ORDER, "positions": "rotary"},
        further=(
            {"tokens": TOKEN[:6], "mask": "causal", **BOTH},
            {"context": ("a", "b"), "query_order": ORDER, "mask": "window"},
            *({"model": model, "positions": "learned", **BOTH} for model in permutation.MODELS),
            *({"model": model, "positions": "alibi", "mask": "causal", **BOTH} for model in permutation.MODELS),
        ),
    ),
    "projections": Trial(
        2,
        further=(
            {"tokens": TOKEN, "positions": "rotary"},
            {"dtype": "float16", "spread": 1.0},  # where scores are above 65,504 before they are scaled
        ),
    ),
    "receptive_field": Trial(
        varies={"weights": "random", "tokens": 64},
        further=({"mask": "window", "window": 5}, {"residual": False, "wrap": True}), most={"tokens": 64},
    ),
    "scaling": Trial(
        0, 1,
        further=(
            {"through_module": True}, {"dtype": "bfloat16", "temperature": 0.1},
            {"correlation": 0.6, "mean": 0.5, "std": 0.5, "num_keys": 5},
        ),
    ),
    "worth": Trial(
        further=(
            *({"rest": rest, "head": (0, 1), "plus_one": on} for rest in ("renormalised", "mean")
              for on in (False, True)),
            {"target": "next", "model": "induction"}, {"model": "chinese", "dtype": "bfloat16"}, {"model": "reverse"},
        ),
    ),
    "variants": Trial(
        varies={"num_kv_heads": 1},
        further=(
            {"tokens": TOKEN, "positions": "rotary"}, {"positions": "alibi", "causal": True},
            {"positions": "rotary", "restart": True},
        ),
    ),
}  # fmt: skip
SHOWN = {study.name: study for study in ALL if study.headline}


def trial_of(study: Study) -> Trial:
    return TRIALS.get(study.name, Trial())


def configs_of(study: Study, most: int) -> list[Any]:
    """All settings that a study's code is tried with, the first two by their seed alone apart.

    Args:
        study: The study.
        most: So many random settings in each precision.
    """
    trial, tried = trial_of(study), next(one for one in STUDIES if one.config is study.config)
    found = [study.config(**trial.varies, seed=seed) for seed in (1, 2)]
    found += [study.config(**one) for one in (*([{}] if trial.varies else []), *trial.further)]
    for dtype, seed in (("float64", 7), ("float32", 8)):
        found += settings(tried, dtype, min(most, trial.drawn), seed)
    for dtype in ("float16", "bfloat16"):
        if dtype in tried.dtypes:
            found += settings(tried, dtype, min(most, trial.halves), 77)
    topic = declared(study.config).get("topic")
    found = [replace(one, topic=name) for name in topic.options for one in found] if topic else found
    return [replace(one, **{name: min(getattr(one, name), top) for name, top in trial.most.items()}) for one in found]


def with_file(code: str, config: Any) -> str:
    """Code that reads the file of a shipped model, with the place where it lies."""
    if isinstance(config, images.ImagesConfig):
        return code.replace(f'"{FILE}"', repr(str(FOLDER / f"{config.positions}.safetensors")))
    return code.replace(f'"{FILE}"', repr(str(SHIPPED[config.model] / FILE))) if f'"{FILE}"' in code else code


def printable_anywhere(code: str) -> bool:
    """Whether what it prints of its own can be written whatever a terminal's encoding is."""
    prints = [line for line in code.splitlines() if "print(" in line]
    return bool(prints) and all(map(str.isascii, prints))


def numbers_in(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"(?<![\w√])-?(?:\d+(?:\.\d+)?(?:e[+-]\d+)?|inf\b|nan\b)", text)]
