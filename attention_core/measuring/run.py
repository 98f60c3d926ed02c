"""One way to run any experiment: from its config to its result."""

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from attention_core.measuring.step import Step

Experiment = Callable[[Any], Any]


def run(
    config: Any, progress: Callable[[Step], object] | None = None, *, experiment: Experiment | None = None
) -> Any:
    """Run an experiment to its end.

    Args:
        config: Its frozen config, such as ``ScalingConfig(std=2.0)``.
        progress: Called with a ``Step`` before each step of an experiment that reports them; ``print`` will do.
        experiment: ``run_y`` or ``steps_y``, where a study has several that take this config, such as
            ``steps_order`` beside ``run_permutation``; the one that the config is named after when None.

    Returns:
        The frozen result: for ``XConfig`` what ``run_x`` returns, or ``steps_x`` yields last.

    Raises:
        TypeError: If ``config`` is no experiment's.
        ConfigError: If an experiment does not take these settings after all.
    """
    result = None
    for item in items(experiment or experiment_of(type(config)), config):
        if not isinstance(item, Step):
            result = item
        elif progress is not None:
            progress(item)
    return result


def items(experiment: Experiment, config: Any) -> Iterator[Any]:
    """Yield an experiment's steps, if it reports any, and last its result."""
    if inspect.isgeneratorfunction(experiment):
        yield from experiment(config)
    else:
        yield experiment(config)


def experiment_of(config: type) -> Experiment:
    """``steps_x`` or ``run_x`` for the class ``XConfig``, from the file of the class or the study it belongs to.

    Raises:
        TypeError: If there is neither, for the class and for those it derives from.
    """
    for each in config.__mro__:
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", each.__name__.removesuffix("Config")).lower()
        for module in (each.__module__, each.__module__.rpartition(".")[0]):
            for kind in ("steps", "run"):
                experiment = getattr(sys.modules.get(module), f"{kind}_{name}", None)
                if experiment is not None:
                    return experiment
    raise TypeError(f"No experiment is named after {config.__name__}; run(config, experiment=…) takes any that fits.")
