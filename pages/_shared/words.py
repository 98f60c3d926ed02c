"""Text for the screen: user text made literal, and verdicts as lines in words, icon and colour."""

from collections.abc import Iterable

from attention_core.experiments.verdict import Verdict

_ACTIVE = frozenset("\\`*_{}[]()#+-.!|<>$:~&=^@")


def literal(text: str, limit: int = 60) -> str:
    """``text`` for Markdown, so that it appears exactly as it is, cut after ``limit`` characters."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join("\\" + char if char in _ACTIVE else char for char in short)


_ROLES = {"query": "blue", "key": "orange", "value": "green", "output": "violet"}


def coloured(parts: Iterable[tuple[str, str | None]]) -> str:
    """Markdown of texts side by side, each exactly as it is and in the colour of its role, where it has one."""
    return "".join(f":{_ROLES[role]}[{literal(text, 300)}]" if role else literal(text, 300) for text, role in parts)


def verdict_lines(verdicts: Iterable[Verdict]) -> str:
    """Markdown with a line for each verdict; colour and icon say again what the words say."""
    return "  \n".join(map(_verdict_line, verdicts))


def in_order(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Those that are not as theory says, those that do not hold, the first of each claim, then its others."""
    seen: dict[str, int] = {}
    ranked = []
    for verdict in verdicts:
        seen[verdict.claim] = seen.get(verdict.claim, 0) + 1
        ranked.append((verdict.as_expected, verdict.holds, seen[verdict.claim], verdict))
    return [verdict for *_, verdict in sorted(ranked, key=lambda rank: rank[:3])]


def _verdict_line(verdict: Verdict) -> str:
    icon, colour, word = _appearance(verdict)
    measured, _, rest = verdict.sentence().partition(" · ")
    details = rest.split(" · ")[1:]
    because = f": {verdict.because}" if verdict.because else ""
    code = measured.replace("`", "ʼ")
    claim = f":{colour}[{icon} **{verdict.claim} {word}**{because}]"
    return f":small[{claim} `{code}` :gray[{' · '.join(details)}]]"


def _appearance(verdict: Verdict) -> tuple[str, str, str]:
    if not verdict.as_expected:
        word = "holds, though theory says it should not here" if verdict.holds else "does not hold, though it should"
        return ":material/error:", "red", word
    if verdict.holds:
        return ":material/check_circle:", "green", "holds"
    return ":material/do_not_disturb_on:", "orange", "does not hold"
