"""A training step beside a plain loop over torch's own layers, what the picture adds, and several seeds in a batch.

Run with ``python -m benchmarks.learning``. The runs take turns, and medians of processor time are compared:
wall-clock times of steps this short tell more about what else the machine does.
"""

import statistics
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad_and_value, vmap

from attention_core.measuring.optimizers import AdamW
from attention_core.modules.positions import sinusoidal_encoding
from attention_core.studies.learning import LearningConfig, steps_learning
from attention_core.studies.learning.trainer import Trainer, cross_entropy, score

ROUNDS, STEPS, RUNS = 9, 60, 8
SEEDS = {
    "default sizes": LearningConfig(),
    "attention only, batch 8": LearningConfig(feed_forward=False, batch=8),
    "d_head 256": LearningConfig(d_head=256),
}
BUDGET, PICTURE_BUDGET = 1.1, 1.1


class Reference(nn.Module):
    """The same sizes from torch's own layers; positions are added from a table."""

    def __init__(self, config: LearningConfig) -> None:
        super().__init__()
        d = config.d_model
        self.table = nn.Embedding(config.kinds, d)
        self.register_buffer("places", sinusoidal_encoding(torch.arange(config.tokens), d))
        layer = nn.TransformerEncoderLayer(d, config.heads, 4 * d, 0.0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, config.layers, nn.LayerNorm(d), enable_nested_tensor=False)
        self.readout = nn.Linear(d, config.kinds)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.readout(self.layers(self.table(tokens) + self.places))


def plain_loop(config: LearningConfig, **options: bool) -> Callable[[], None]:
    """A training loop as it is usually written."""
    model = Reference(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.learning_rate, **options)

    def run() -> None:
        for _ in range(STEPS):
            inputs = torch.randint(config.kinds, (config.batch, config.tokens))
            loss = F.cross_entropy(model(inputs).flatten(0, 1), inputs.flip(1).flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss.item()

    return run


def ours(config: LearningConfig) -> Callable[[], None]:
    """The same steps here, without the picture."""
    trainer = Trainer(config)
    return lambda: (trainer.reach(trainer.done + STEPS), None)[1]


def without_picture(config: LearningConfig) -> None:
    """A run, and what its model is worth in the end."""
    trainer = Trainer(config)
    trainer.reach(config.steps)
    score(config, trainer.model)


def one_by_one(config: LearningConfig) -> Callable[[], None]:
    """Steps of several models, one model after the other."""
    trainers = [Trainer(LearningConfig.like(config, seed=seed)) for seed in range(RUNS)]

    def run() -> None:
        for trainer in trainers:
            trainer.reach(trainer.done + STEPS)

    return run


def in_one_batch(config: LearningConfig) -> Callable[[], None]:
    """The same steps of a batch of models."""
    trainers = [Trainer(LearningConfig.like(config, seed=seed)) for seed in range(RUNS)]
    first = trainers[0]
    values = torch.stack([trainer.flat.values for trainer in trainers])
    optimizer = AdamW(config.learning_rate, values)

    def loss(vector: torch.Tensor, inputs: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        return cross_entropy(functional_call(first.model, first.flat.named(vector), (inputs,)), wanted)

    gradient = vmap(grad_and_value(loss))

    def run() -> None:
        for _ in range(STEPS):
            drawn = [config.task_rule.draw(config.sizes, config.batch, trainer.draws) for trainer in trainers]
            inputs, wanted = (torch.stack(parts) for parts in zip(*drawn, strict=True))
            gradients, losses = gradient(values, inputs, wanted)
            losses.tolist()
            optimizer.step(values, gradients)

    return run


def seconds(work: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Median processor time of each, the runs taking turns after one that warms up."""
    taken: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(ROUNDS + 1):
        for name, run in work.items():
            start = time.process_time()
            run()
            if turn:
                taken[name].append(time.process_time() - start)
    return {name: statistics.median(times) for name, times in taken.items()}


def main() -> None:
    """Print the ratios."""
    torch.set_num_threads(1)
    for layers, heads, batch in ((1, 1, 32), (2, 2, 32), (1, 1, 128)):
        config = LearningConfig(layers=layers, heads=heads, batch=batch)
        found = seconds(
            {
                "torch": plain_loop(config),
                "torch, fused AdamW": plain_loop(config, fused=True),
                "here": ours(config),
            }
        )
        sizes = f"{layers} layers, {heads} heads, batch {batch}"
        print(f"{sizes}: a step {1000 * found['here'] / STEPS:.2f} ms, torch {1000 * found['torch'] / STEPS:.2f} ms")
        for name in ("torch", "torch, fused AdamW"):
            ratio = found["here"] / found[name]
            print(f"  {ratio:.2f} × {name} (budget {BUDGET}) {'held' if ratio <= BUDGET else 'MISSED'}")
    for name, config in SEEDS.items():
        found = seconds({"one by one": one_by_one(config), "in one batch": in_one_batch(config)})
        ratio = found["in one batch"] / found["one by one"]
        print(f"{RUNS} seeds, {name}: in one batch of models {ratio:.2f} × one by one")
    config = LearningConfig()
    whole = seconds(
        {
            "without": lambda: without_picture(config),
            "with the picture": lambda: [*steps_learning(config)],
        }
    )
    ratio = whole["with the picture"] / whole["without"]
    print(f"a default run with its picture: {1000 * whole['with the picture']:.0f} ms = {ratio:.2f} × without "
          f"(budget {PICTURE_BUDGET}) {'held' if ratio <= PICTURE_BUDGET else 'MISSED'}")  # fmt: skip


if __name__ == "__main__":
    main()
