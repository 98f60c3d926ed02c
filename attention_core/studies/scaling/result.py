"""What the scaling experiment finds: the curves of all factors, and the verdicts on them."""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.studies.scaling.curves import ScalingCurves
from attention_core.studies.scaling.settings import D_HEADS, SCALED, UNSCALED, ScalingConfig, check_d_head
from attention_core.studies.scaling.sweep import ScalingPart, steps_part
from attention_core.studies.scaling.verdicts import verdicts


@dataclass(frozen=True, slots=True)
class Measured:
    """All that is measured for a config, part by part: what ``result_of`` judges.

    Attributes:
        config: The settings.
        parts: What ``steps_part`` gave for each of ``config.parts``.
    """

    config: ScalingConfig
    parts: tuple[ScalingPart, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalingResult(Result):
    """What was measured for a ``ScalingConfig``.

    Attributes:
        config: The settings.
        unscaled: Curves of ``softmax(q·k)``.
        scaled: Curves of ``softmax(q·k / √d_head)``.
        chosen: Curves of the scale and temperature in ``config``; ``unscaled`` or ``scaled`` where it is one of them.
    """

    config: ScalingConfig
    unscaled: ScalingCurves
    scaled: ScalingCurves
    chosen: ScalingCurves

    @property
    def curves(self) -> tuple[ScalingCurves, ...]:
        """The two or three different factors: unscaled, scaled, and the chosen one where it is another."""
        return tuple({id(curves): curves for curves in (self.unscaled, self.scaled, self.chosen)}.values())

    def at(self, quantity: str, d_head: int, *, of: str = "chosen") -> float:
        """One number of the curves, for words.

        Args:
            quantity: A ``ScalingCurves`` attribute, such as ``gradient_median``.
            d_head: A power of two from 1 to 4096.
            of: ``unscaled``, ``scaled`` or ``chosen``.

        Raises:
            ConfigError: If ``d_head`` is not part of the sweep.
        """
        return float(getattr(getattr(self, of), quantity)[check_d_head(d_head)])

    @property
    def jacobian_peak(self) -> tuple[int, float]:
        """The d_head at which the unscaled mean ‖J‖_F is largest, and how large it is there."""
        peak = int(np.argmax(self.unscaled.jacobian))
        return D_HEADS[peak], float(self.unscaled.jacobian[peak])


def result_of(measured: Measured) -> ScalingResult:
    """The result of what was measured; the same measurements give the same result."""
    config = measured.config
    curves = {
        name: one
        for part in measured.parts
        for name, one in (part.naive if config.naive_epsilon else part.curves).items()
    }
    unscaled, scaled, chosen = curves[UNSCALED], curves[SCALED], curves[config.factor_name]
    return ScalingResult.of(
        config,
        verdicts(config, unscaled, scaled, chosen),
        config=config,
        unscaled=unscaled,
        scaled=scaled,
        chosen=chosen,
    )


def steps_scaling(config: ScalingConfig) -> Generator[Step | ScalingResult]:
    """Measure part by part, and judge: a ``Step`` before each chunk, and last the ``ScalingResult``.

    On the CPU the same config gives the same result, bit for bit; other devices add up in no fixed order.
    """
    parts: list[ScalingPart] = []
    for part in config.parts:
        for item in steps_part(part):
            if isinstance(item, Step):
                steps = item.total * len(config.parts)
                yield Step(item.done + item.total * len(parts), steps, item.doing)
            else:
                parts.append(item)
    yield result_of(Measured(config, tuple(parts)))
