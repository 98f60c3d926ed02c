"""The tasks that are learned: what they ask for by hand, and what can be had without order by counting all cases."""

import itertools
from collections import Counter, defaultdict

import pytest
import torch

from attention_core.measuring.inputs import generator
from attention_core.studies.learning.tasks import ALPHABET, IGNORED, TASKS, Sizes, blind_best, periods


def ask(task: str, text: str, **sizes: int) -> str:
    """What a task asks for, ``.`` where it asks for nothing."""
    inputs = torch.tensor([[ALPHABET.index(letter) for letter in text]])
    wanted = TASKS[task].wanted(inputs, Sizes(tokens=len(text), kinds=26, back=sizes.get("back", 1)))
    return "".join("." if number == IGNORED else ALPHABET[number] for number in wanted[0].tolist())


def test_what_is_asked_for_by_hand() -> None:
    assert ask("reverse", "banana") == "ananab"
    assert ask("sort", "banana") == "aaabnn"
    assert ask("copy", "banana", back=2) == "..bana"
    assert ask("induction", "abcabc") == "...bca"
    assert ask("induction", "abacad") == "..b.c."
    assert ask("induction", "aab") == ".a."


@pytest.mark.parametrize("tokens", [4, 7, 12, 16, 24, 64])
def test_a_repeated_sequence_repeats_itself(tokens: int) -> None:
    sizes = Sizes(tokens=tokens, kinds=max(26, tokens // 2), back=1)
    inputs, wanted = TASKS["induction"].draw(sizes, 200, generator(3))
    found = set()
    for text, asked in zip(inputs.tolist(), wanted.tolist(), strict=True):
        period = next(p for p in range(1, tokens) if all(text[i] == text[i - p] for i in range(p, tokens)))
        found.add(period)
        assert len(set(text)) == period
        assert asked[:period] == [IGNORED] * period
        assert asked[period:-1] == text[period + 1 :]
        assert asked[-1] == text[tokens - period]
    assert found == set(periods(tokens))
    given = TASKS["induction"].wanted(inputs, sizes)
    assert torch.equal(given[:, :-1].where(wanted[:, :-1] != IGNORED, IGNORED), wanted[:, :-1])


def test_where_the_next_token_is_asked_for_it_stands_in_the_next_slot_and_nowhere_else_is_that_so() -> None:
    for name, task in TASKS.items():
        sizes = Sizes(tokens=12, kinds=12, back=3)
        inputs, wanted = task.draw(sizes, 200, generator(5))
        asked = wanted[:, :-1] != IGNORED
        read = (inputs[:, 1:] == wanted[:, :-1])[asked].float().mean()
        assert task.predicts_next == (name == "induction") == (read == 1.0), name


def counted(cases: list[tuple[tuple[int, ...], tuple[int, ...]]], *, prefix: bool) -> float:
    """The best accuracy of a guess from one's own token and the counts of what may be seen.

    All cases are as likely. A token that is asked nothing counts nothing, and each sequence counts one.
    """
    groups: dict[object, Counter[int]] = defaultdict(Counter)
    for inputs, wanted in cases:
        asked = [slot for slot, want in enumerate(wanted) if want != IGNORED]
        for slot in asked:
            seen = inputs[: slot + 1] if prefix else inputs
            groups[inputs[slot], tuple(sorted(Counter(seen).items()))][wanted[slot]] += 1 / len(asked)  # type: ignore[assignment]
    return sum(max(group.values()) for group in groups.values()) / len(cases)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("task", ["reverse", "sort", "copy"])
@pytest.mark.parametrize(("tokens", "kinds"), [(4, 3), (5, 2), (5, 3), (6, 2)])
def test_the_best_without_order_is_what_counting_all_sequences_gives(
    task: str, tokens: int, kinds: int, causal: bool
) -> None:
    sizes = Sizes(tokens=tokens, kinds=kinds, back=2, causal=causal)
    inputs = torch.tensor(list(itertools.product(range(kinds), repeat=tokens)))
    wanted = TASKS[task].wanted(inputs, sizes)
    cases = list(zip(map(tuple, inputs.tolist()), map(tuple, wanted.tolist()), strict=True))
    found = float(blind_best(TASKS[task], inputs, wanted, sizes).mean())
    assert found == pytest.approx(counted(cases, prefix=causal), abs=1e-12)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("tokens", [7, 8])
def test_the_best_without_order_continues_a_repeated_sequence_by_its_counts(tokens: int, causal: bool) -> None:
    sizes = Sizes(tokens=tokens, kinds=4, back=1, causal=causal)
    texts = []
    for period in periods(tokens):
        for pattern in itertools.permutations(range(4), period):
            weight = 24 // len(list(itertools.permutations(range(4), period)))  # every period is as likely
            whole = [pattern[i % period] for i in range(tokens + 1)]
            asked = [IGNORED] * period + whole[period + 1 :]
            texts += [(tuple(whole[:-1]), tuple(asked))] * weight
    inputs, wanted = (torch.tensor(part) for part in zip(*texts, strict=True))
    found = float(blind_best(TASKS["induction"], inputs, wanted, sizes).mean())
    assert (list(periods(7)), list(periods(8))) == ([2, 3], [2, 3, 4])
    assert found == pytest.approx(counted(texts, prefix=causal), abs=1e-12)


@pytest.mark.parametrize(
    ("task", "tokens", "causal", "best"),
    [("induction", 12, False, 0.366), ("induction", 16, False, 0.272), ("copy", 12, True, 0.331),
     ("reverse", 12, True, 0.199), ("reverse", 12, False, 0.269), ("induction", 12, True, 0.509)],
)  # fmt: skip
def test_the_best_without_order_of_long_texts(task: str, tokens: int, causal: bool, best: float) -> None:
    sizes = Sizes(tokens=tokens, kinds=10, back=3, causal=causal)
    drawn = TASKS[task].draw(sizes, 20_000, generator(7))
    assert float(blind_best(TASKS[task], *drawn, sizes).mean()) == pytest.approx(best, abs=0.004)
