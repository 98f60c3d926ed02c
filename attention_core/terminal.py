"""What commands write: files in UTF-8 whatever the machine's encoding, and lines that a terminal can show."""

import io
import sys


def forgive() -> None:
    """From now on, what the terminal's encoding has no sign for is written as "?", instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def write_file(text: str) -> None:
    """Write what belongs into a file, as JSON and Markdown do: in UTF-8, the same bytes on every machine."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.write(text)
