"""The training on a text in plain torch, without this project: it reads the text's tokens from a file beside it."""

import json
from typing import Final

from attention_core.measuring.snippets import assemble
from attention_core.studies.learning.snippet import model_lines, training_lines
from attention_core.studies.learning.text.held import Text
from attention_core.studies.learning.text.settings import TextConfig

FILE: Final = "text.json"


def text_snippet(config: TextConfig) -> str:
    """Code that trains the same model on the same pieces of the text, and prints its loss on the tail."""
    order = 'torch.randperm(len(text), generator=generator(SEED, "learning", "text"))'
    return assemble(
        *model_lines(config),
        f'with open("{FILE}", encoding="utf-8") as file:  # see Data: a list of tokens',
        "    tokens = json.load(file)",
        "number = {token: at for at, (token, _) in enumerate(Counter(tokens).most_common())}",
        "text = torch.tensor([number[token] for token in tokens])",
        f"text = text[{order}]" if config.shuffled else None,
        f"TAIL = {config.tail}",
        "",
        "def sequences(batch, stream):",
        "    starts = torch.randint(len(text) - TAIL - TOKENS, (batch, 1), generator=stream)",
        "    pieces = text[starts + torch.arange(TOKENS + 1)]",
        "    return pieces[:, :-1], pieces[:, 1:]",
        "",
        *training_lines(config),
        "loss, last = 0.0, len(text) - 1",
        "for end in range(last - TAIL + TOKENS, last + TOKENS, TOKENS):",
        "    asked, end = min(TOKENS, TOKENS - end + last), min(end, last)",
        "    scores = model(text[None, end - TOKENS:end])[0, TOKENS - asked:].double()",
        '    loss += F.cross_entropy(scores, text[end - asked + 1:end + 1], reduction="sum").item()',
        'print(f"loss {loss / TAIL:.3f} nats a token on the last {TAIL} tokens")',
    )


def tokens_file(text: Text) -> str:
    """The file that the code reads: the text's tokens, as JSON."""
    return json.dumps([text.words[at] for at in text.ids], ensure_ascii=False)
