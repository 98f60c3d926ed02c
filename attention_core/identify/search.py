"""The search: in stages, each on inputs that show a few choices alone, and by the number of faults.

With all scores 0 a single token has weight 1: it shows values, output, biases and what is around. Several tokens with
scores 0 show how heads are cut and merged, masks and what softmax runs over. What is left are the scores. A design
has to pass each stage, so what is left out is disproved; a fault that breaks a stage passes it as the design that
it is.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from torch import Tensor

from attention_core.identify.compute import Reference, factor
from attention_core.identify.design import Design
from attention_core.identify.draws import TINY, drawn, flattened, tokens
from attention_core.identify.fit import fitted_scale
from attention_core.identify.probe import Probe, apart
from attention_core.identify.space import possible, with_faults
from attention_core.identify.subject import Subject
from attention_core.identify.weights import Weights

TOKENS, BATCH = 6, 2
MOST_FAULTS = 6
NEAR = 1e-6  # a hundred times the square of what makes scores vanish

ALONE = ("o_bias", "output", "softmax", "around", "added", "cut", "merge", "groups")
SEVERAL = ("mask", "attended", "distance", "turned_values", "direction")
SCORES = ("q_bias", "k_bias", "v_bias", "scores", "qk_norm", "rotary", "scale")


class OutOfTimeError(Exception):
    """The time that was given is over."""


@dataclass(slots=True)
class Search:
    """A search for the designs that a module is.

    Stages pass what float32 cannot tell from the module, since parts of it may be computed in that; a design is found
    where it is equal in float64, or where none is that has one fault more.

    Attributes:
        subject: The module.
        weights: What was found of its weights.
        deadline: When it ends, by ``time.monotonic``.
        progress: Told what is looked at.
        seed: Of all draws.
        precision: float64, or float32 where parts of the module are computed in it.
    """

    subject: Subject
    weights: Weights
    deadline: float
    progress: Callable[[str], None]
    seed: int = 0
    precision: str = "float64"
    tried: int = 0
    _lists: dict[object, list[Design]] = field(default_factory=dict)
    _bases: dict[Design, list[Design]] = field(default_factory=dict)
    _stages: dict[Design, list[tuple[tuple[str, ...], Probe]]] = field(default_factory=dict)
    _generic: dict[tuple[int, int, int], Probe] = field(default_factory=dict)

    def run(self) -> Design | None:
        """The design with the fewest faults that the module is, or None.

        Raises:
            OutOfTimeError: If time is over before.
        """
        found = self._fewest_faults()
        return found if found is None or found.mask != "causal" else self._with_fill(found)

    def _fewest_faults(self) -> Design | None:
        rounded: Design | None = None
        for faults in range(MOST_FAULTS + 1):
            self.progress(f"designs with {faults or 'no'} fault{'s' * (faults != 1)}")
            passed = []
            for start, more in self._starts():
                for hit in self._walk(0, start, start, faults - more) if more <= faults else ():
                    if self._is_exact(hit):
                        return hit
                    passed.append(hit)
            if rounded:
                self.precision = "float32"
                return rounded
            rounded = self._rounded(passed)
            others = {0: 0, 2: 1}.get(
                faults
            )  # beside a scale of its own: after two faults, which take less to look for
            if others is not None and rounded is None and (hit := self._with_own_scale(others)):
                return hit
        return rounded

    def _is_exact(self, hit: Design) -> bool:
        """Whether a design is equal on other draws, too, in float64."""
        return all(probe.equal(hit) for probe in (self.generic(BATCH, TOKENS, 0), self.generic(3, 5, 1)))

    def _rounded(self, passed: list[Design]) -> Design | None:
        """The nearest of those that are equal as far as float32 can tell, if any."""
        probes = self.generic(BATCH, TOKENS, 0), self.generic(3, 5, 1)
        hits = [hit for hit in passed if all(probe.equal(hit, "float32") for probe in probes)]
        return min(hits, key=probes[1].distance, default=None)

    def generic(self, batch: int, length: int, number: int) -> Probe:
        """A probe whose weights and tokens are all drawn."""
        if (batch, length, number) not in self._generic:
            numbers = drawn(self.subject, self.seed + 100 + number)
            self._generic[batch, length, number] = self._probe(numbers, batch, length)
        return self._generic[batch, length, number]

    def loud(self, design: Design) -> Probe:
        """A probe whose scores are of size 300, where a number below usual scores is above some."""
        numbers = drawn(self.subject, self.seed + 200)
        parts = self.weights.layouts[design.layout, design.stored]
        if "q" in parts:
            places = parts["q"].reshape(-1)
            numbers[places[places >= 0]] *= 300
        return self._probe(numbers, 8, 5)

    def _with_fill(self, design: Design) -> Design:
        """The design, but for the number that hides its scores, which beside usual ones is as good as −∞."""
        loud, masks = self.loud(design), possible(self.weights, design.layout, design.stored)["mask"]
        if loud.equal(design, self.precision):
            return design
        filled = (replace(design, mask=mask) for mask in masks if mask.startswith("filled:"))
        return next((one for one in filled if loud.equal(one, self.precision)), design)

    def _probe(self, numbers: Tensor, batch: int, length: int, near: float = 0.0) -> Probe:
        x = tokens(batch, length, self.subject.d_model, self.seed + length)
        self.subject.load(numbers)
        reference = Reference(x, self.weights.sizes, self.weights.of(numbers), self.weights.norms)
        return Probe(reference, self.subject(x), near)

    def _starts(self) -> Iterator[tuple[Design, int]]:
        """What designs begin with, and the faults in it: where values come from, and why a token is not shown."""
        for layout, stored in self.weights.layouts:
            for values in possible(self.weights, layout, stored)["values"]:
                base = Design(layout=layout, stored=stored, values=values)
                for start in self._shown(base):
                    yield start, len(start.faults)

    def _shown(self, base: Design) -> list[Design]:
        """The base, if one token with scores 0 shows its values; else what may hide them there."""
        if base not in self._bases:
            one = self._flat(base, 1, 1)
            if not one.target.isfinite().all():
                hidden = [{"mask": "strict_nan"}, {"mask": "past_hidden_nan"}, {"qk_norm": "unit"}]
            elif apart(self._flat(base, 1, 1, tiny=0.0).target, one.target) <= NEAR:
                hidden = [{"mask": "strict_zero"}, {"mask": "past_hidden_zero"}, {"softmax": "nothing"}]
            else:  # or two faults hide each other: ones that are added take the place of what softmax makes of zeros
                hidden = [{}, {"mask": "added_ones", "softmax": "nothing"}]
            self._bases[base] = [replace(base, **choices) for choices in hidden]
        return self._bases[base]

    def _flat(self, start: Design, batch: int, length: int, tiny: float = TINY) -> Probe:
        of = (start.layout, start.stored, start.values)
        flat = flattened(drawn(self.subject, self.seed), self.weights, *of, tiny=tiny)
        return self._probe(flat, batch, length, NEAR)

    def _stages_of(self, start: Design) -> list[tuple[tuple[str, ...], Probe]]:
        """Which choices are compared on which input."""
        if start not in self._stages:
            bias = f"{start.values}_bias"
            alone, scores = (bias, *ALONE), tuple(key for key in SCORES if key != bias)
            generic = self.generic(BATCH, TOKENS, 0)
            if start.mask != "none":
                stages = [((*alone, *SEVERAL), self._flat(start, BATCH, TOKENS)), (scores, generic)]
            elif start.softmax == "nothing":
                of_positions = [key for key in scores if key != "rotary"]
                stages = [((*alone, *of_positions), self.generic(1, 1, 0)), ((*SEVERAL, "rotary"), generic)]
            elif start.qk_norm == "unit":
                stages = [(alone, self.generic(1, 1, 0)), ((*SEVERAL, *scores), generic)]
            else:
                one, several = self._flat(start, 1, 1), self._flat(start, BATCH, TOKENS)
                stages = [(alone, one), (SEVERAL, several), (scores, generic)]
            fixed = {key for key in ("mask", "softmax", "qk_norm") if getattr(start, key) != getattr(Design(), key)}
            self._stages[start] = [(tuple(key for key in keys if key not in fixed), probe) for keys, probe in stages]
        return self._stages[start]

    def _walk(self, number: int, start: Design, design: Design, faults: int) -> Iterator[Design]:
        """Designs that pass this stage and those after it, with so many faults more."""
        if number == len(self._stages_of(start)) - 1:
            yield from self._pass(number, start, design, faults)
            return
        for here in range(faults + 1):
            for passed in self._passed(number, start, design, here):
                yield from self._walk(number + 1, start, passed, faults - here)

    def _passed(self, number: int, start: Design, design: Design, faults: int) -> list[Design]:
        key = (number, design, faults)
        if key not in self._lists:
            self._lists[key] = [*self._pass(number, start, design, faults)]
        return self._lists[key]

    def _pass(self, number: int, start: Design, design: Design, faults: int) -> Iterator[Design]:
        """Designs that pass one stage."""
        keys, probe = self._stages_of(start)[number]
        for choices in with_faults(keys, possible(self.weights, start.layout, start.stored), faults):
            self.tried += 1
            if time.monotonic() > self.deadline:
                raise OutOfTimeError
            made = replace(design, **choices)
            if probe.equal(made, "float32"):
                yield made

    def _with_own_scale(self, faults: int) -> Design | None:
        """A design whose scale is a number of its own, where the other choices have so many faults."""
        self.progress("scales of their own")
        for start, more in self._starts():
            stages = self._stages_of(start)
            if more > faults:
                continue
            values = possible(self.weights, start.layout, start.stored) | {"scale": ("d_head",)}
            for passed in self._before_last(0, start, start, faults - more):
                for choices in with_faults(stages[-1][0], values, 0):
                    made = replace(passed, **choices)
                    scale = fitted_scale(self.generic(BATCH, TOKENS, 0), made, self.deadline)
                    if scale is None or self._is_known(scale):
                        continue
                    for text in (f"{scale:.6g}", repr(scale)):
                        hit = replace(made, scale=f"own:{text}")
                        if self._is_exact(hit):
                            return hit
        return None

    def _is_known(self, scale: float) -> bool:
        """Whether a scale is one of those with a name."""
        named = (value for value in possible(self.weights, *next(iter(self.weights.layouts)))["scale"])
        return any(abs(scale / factor(name, self.weights.sizes, TOKENS) - 1) < 1e-5 for name in named)

    def _before_last(self, number: int, start: Design, design: Design, faults: int) -> Iterator[Design]:
        if number == len(self._stages_of(start)) - 1:
            if not faults:
                yield design
            return
        for here in range(faults + 1):
            for passed in self._passed(number, start, design, here):
                yield from self._before_last(number + 1, start, passed, faults - here)
