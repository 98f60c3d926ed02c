"""Every setting is felt: moved, from where some preset or claim has the others, it changes what is measured."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest
import torch

from pages._shared.core.pages import PAGES, module_of
from attention_core.claims import claims
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.run import run
from attention_core.measuring.settings import Choice, OneOf, Setting, Switch, Whole, declared
from attention_core.measuring.study import Study
from attention_core.measuring.verdict import Provenance
from attention_core.studies import STUDIES
from tests.strategies import examples, value
from tests.sweeps import some_by_day

TRIES = 4  # values that are tried from each place
LEFT_OUT = ("device", "dtype")  # where and how it is computed: other tests compare devices and precisions
QUICK = ("anatomy", "permutation", "biases", "receptive field", "complexity", "masks", "normalization", "projections")
# What only a study's other experiments feel: a shuffle of one's own, and the four terms of a score.
ELSEWHERE = {"permutation": {"carried", "keys_alone", "without_block"}}


def leaves(result: object) -> Iterator[Any]:
    """Whatever a result holds, but for its config and how it came about."""
    if isinstance(result, RunConfig | Provenance):
        return
    if is_dataclass(result) and not isinstance(result, type):
        for each in fields(result):
            yield from leaves(getattr(result, each.name))
    elif isinstance(result, dict):
        for key, each in result.items():
            yield key
            yield from leaves(each)
    elif isinstance(result, list | tuple):
        yield len(result)
        for each in result:
            yield from leaves(each)
    else:
        yield result


def is_same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one.shape == other.shape and torch.equal(one.nan_to_num(9e9), other.nan_to_num(9e9))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))
    return type(one) is type(other) and (str(one) == str(other))


def differ(one: object, other: object) -> bool:
    """Whether two results hold something else."""
    mine, theirs = list(leaves(one)), list(leaves(other))
    return len(mine) != len(theirs) or not all(map(is_same, mine, theirs))


def places(study: Study) -> list[RunConfig]:
    """The study's config as it begins, as its page's presets have it, and as its claims are tried."""
    names, found = declared(study.config).keys(), [study.config()]
    for spec in PAGES:
        page = module_of(spec.name).page
        for preset in page.presets if page.study is study else ():
            found.append(study.config(**{name: each for name, each in preset.settings.items() if name in names}))
    for claim in claims():
        if claim.config is study.config:
            found += [claim.settings(broken=broken) for broken in (False, True) if not broken or claim.breaks]
    return list(dict.fromkeys(found))


def moved(config: RunConfig, name: str, setting: Setting) -> Iterator[RunConfig]:
    """Configs that differ in this setting alone."""
    here = getattr(config, name)
    match setting:
        case Switch():
            others = [not here]
        case Choice(options=options):
            others = list(options)
        case OneOf(values=values):
            others = [other for other in values if other != here][:TRIES]
        case Whole() if isinstance(here, int):
            others = [2 * here, here // 2, here + 1, here - 1]
        case _:
            others = examples(value(setting), TRIES, (name,))
    for other in others:
        with suppress(ConfigError):
            changed = replace(config, **{name: other})
            if changed != config:
                yield changed


@pytest.mark.parametrize("title", some_by_day(QUICK, of=8))
def test_every_setting_is_felt(title: str) -> None:
    study = next(study for study in STUDIES if str(study.title) == title)
    unfelt = not_felt(study)
    assert len(settings(study)) > 8
    assert unfelt == ELSEWHERE.get(title, set())


def settings(study: Study) -> dict[str, Setting]:
    return {name: each for name, each in declared(study.config).items() if name not in LEFT_OUT}


def not_felt(study: Study) -> set[str]:
    """The settings that change nothing: moved alone from any place, and beside another where the study begins."""
    known: dict[RunConfig, object] = {}

    def result(config: RunConfig) -> object:
        if config not in known:
            known[config] = run(config)
        return known[config]

    def is_felt(name: str, start: Iterable[RunConfig]) -> bool:
        others = ((config, other) for config in start for other in moved(config, name, all_settings[name]))
        return any(differ(result(config), result(other)) for config, other in others)

    all_settings, start = settings(study), places(study)
    alone = {name for name in all_settings if not is_felt(name, start)}

    def beside(name: str) -> Iterator[RunConfig]:
        for other, setting in all_settings.items():
            if other != name:
                yield from moved(start[0], other, setting)

    elsewhere = alone & ELSEWHERE.get(str(study.title), set())
    return elsewhere | {name for name in alone - elsewhere if not is_felt(name, beside(name))}
