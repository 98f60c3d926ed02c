"""``python -m attention_core.identify mine.py:Attention --d-model 64 --heads 4``: what it computes, in a terminal."""

import argparse
import importlib.util
import inspect
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from attention_core import terminal
from attention_core.identify.errors import IdentifyError
from attention_core.identify.identifying import identify

_EPILOG = """\
The file is run as your own program would be. NAME is a class, which is made with d_model and num_heads, a module, a
function, or a function that makes a module.

exit status: 0 if no fault was found, 1 if one was, 2 if the command or the module is not possible,
             3 if it is not known what it computes
example:
  python -m attention_core.identify mine.py:Attention --d-model 64 --heads 4"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Identify what the command line names, and print it.

    Args:
        arguments: The command line's words; those of this process where None.

    Returns:
        0 where no fault was found, 1 where one was, 3 where nothing was found.
    """
    terminal.forgive()
    parser = argparse.ArgumentParser(
        prog="python -m attention_core.identify",
        description="What an attention computes, and what is wrong with it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", metavar="FILE:NAME", help="a Python file, and a name in it")
    parser.add_argument("--d-model", type=int, required=True, help="size of a token")
    parser.add_argument("--heads", type=int, required=True, help="number of heads")
    parser.add_argument("--max-seconds", type=float, default=60.0, help="when to end (60)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args(arguments)
    quiet = asked.json or not sys.stderr.isatty()
    try:
        module = load(asked.what, asked.d_model, asked.heads)
        found = identify(
            module, asked.d_model, asked.heads, max_seconds=asked.max_seconds, progress=None if quiet else _show
        )
    except IdentifyError as error:
        parser.error(str(error))
    if not quiet:
        sys.stderr.write("\r\x1b[K")
    if asked.json:
        terminal.write_file(json.dumps(found.as_plain(), ensure_ascii=False, indent=1) + "\n")
    else:
        sys.stdout.write(f"{found}\n")
    return 1 if found.faults else 0 if found.known else 3


def load(what: str, d_model: int, num_heads: int) -> Any:
    """What ``FILE:NAME`` names, made with the sizes where it is a class or asks for them.

    Raises:
        IdentifyError: If there is no such file or name, or it cannot be made with these sizes.
    """
    path, _, name = what.rpartition(":")
    if not path or not Path(path).is_file():
        raise IdentifyError(f"{what!r} names no file: give FILE:NAME, such as mine.py:Attention.")
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    if spec is None or spec.loader is None:
        raise IdentifyError(f"{path} is no Python file.")
    place = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = place
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        spec.loader.exec_module(place)
    except Exception as error:
        raise IdentifyError(f"{path} fails when it is run: {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
    if not hasattr(place, name):
        there = ", ".join(one for one in vars(place) if not one.startswith("_"))
        raise IdentifyError(f"{path} has no {name!r}; it has {there or 'nothing'}.")
    return made(getattr(place, name), d_model, num_heads)


def made(found: Any, d_model: int, num_heads: int) -> Any:
    """A module of a class, made with the sizes under whatever name it takes them.

    Raises:
        IdentifyError: If it cannot be made.
    """
    if not (isinstance(found, type) and issubclass(found, nn.Module)):
        return found
    sizes = {
        **dict.fromkeys(
            ("d_model", "embed_dim", "dim", "hidden_size", "n_embd", "emb_dim", "d", "embed_size", "d_in"), d_model
        ),
        **dict.fromkeys(("d_out", "model_dim", "hidden_dim", "emb_size", "embedding_dim"), d_model),
        **dict.fromkeys(
            ("num_heads", "n_heads", "n_head", "heads", "h", "nhead", "num_attention_heads", "nheads"), num_heads
        ),
        **dict.fromkeys(("head_dim", "d_head", "d_k", "d_v", "head_size"), d_model // num_heads),
        **dict.fromkeys(("block_size", "max_len", "max_seq_len", "context_length", "seq_len"), 128),
        **dict.fromkeys(("dropout", "p", "dropout_p", "drop"), 0.0),
    }
    needed = [
        p
        for p in inspect.signature(found).parameters.values()
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    torch.manual_seed(0)
    try:
        known = {p.name: sizes[p.name.lower()] for p in needed if p.name.lower() in sizes}
        optional = {
            name: sizes[name.lower()]
            for name, p in inspect.signature(found).parameters.items()
            if p.default is not p.empty and name.lower() in sizes and sizes[name.lower()] in (d_model, num_heads)
        }
        if len(known) == len(needed):
            return found(**known, **optional)
        return found(d_model, num_heads)
    except Exception as error:
        raise IdentifyError(
            f"{found.__name__} cannot be made with d_model = {d_model} and num_heads = {num_heads} "
            f"({type(error).__name__}: {error}): name a function that makes it."
        ) from error


def _show(what: str) -> None:
    sys.stderr.write(f"\r\x1b[K{what} …")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
