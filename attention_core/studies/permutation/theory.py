"""What theory says of another order of the tokens: for any order, and for the one order of a shuffle.

What stays in place while tokens move breaks the claims, unless no two things it tells apart differ: a key's content
is its token, together with an additive position that it carries.
"""

from dataclasses import replace
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import MAX_TOKENS
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import EQUAL_VALUES, EQUAL_WORDS, no_other_order, no_other_output
from attention_core.studies.permutation.settings import ADDED, MASKS, WINDOW, PermutationConfig, ShuffleConfig

ALIKE: Final = _("too few tokens that differ")  # what breaks a claim that another order is another output
SLOTS: Final = _("positions stay with the slot")
_ALONE: Final = _("keys move without their values")


def theory_of(config: PermutationConfig, claim: str) -> Theory:
    """What theory says of a claim about all orders; it fails where it does for some.

    Args:
        config: The settings.
        claim: ``perm-kv``, ``perm-q``, ``perm-self``, ``perm-pool``, ``perm-bias`` or ``perm-block``.
    """
    if claim == "perm-block":  # its keys always move with their values
        return theory_of(replace(config, keys_alone=False), "perm-self")
    if claim == "perm-bias":
        every = [theory_of(config, widest) for widest in widest_claims(config)]
        return next((one for one in every if isinstance(one, Fails)), _moves(config, claim))
    fails = {"perm-kv": _keys, "perm-q": _queries, "perm-pool": _pool}.get(claim, _both)(config)
    return fails or _moves(config, claim)


def theory_here(config: ShuffleConfig, claim: str) -> Theory:
    """As ``theory_of``, for the one order of a shuffle.

    What breaks a claim for some order need not break it for this one: nothing breaks where nothing moves, a reversal
    leaves all distances, and equal tokens may change places unseen. It does break wherever different tokens meet
    other positions, other values or, under a causal mask on one sentence, other tokens before them.
    """
    theory = theory_of(config, claim)
    if isinstance(theory, Fails) and not _in_place(config):
        by_slot = config.positions not in ("none", "alibi") and not config.carried
        differ = all(len(set(tokens)) == len(tokens) for tokens in (config.tokens, config.keys))
        alone = config.keys_alone and claim != "perm-q"
        sure = by_slot or alone if config.mask == "none" else config.mask == "causal" and not config.context
        if differ and sure:
            return theory
        some = _("{reason}, which breaks it for some orders, and perhaps not for this one", reason=theory.because)
        return Open(some)
    theory = _moves(config, claim)
    stays = all(
        not order or [words[at] for at in order] == list(words)
        for order, words in ((config.query_order, config.tokens), (config.key_order, config.keys))
    )
    carries = config.carried and config.positions != "none" and not _in_place(config)
    if isinstance(theory, Open) or carries or not stays:
        return theory
    return Open(_("in this order every word stands where an equal one stood"))


def widest_claims(config: PermutationConfig) -> tuple[str, ...]:
    """The claims that together move everything that can be moved."""
    return ("perm-kv", "perm-q") if config.context else ("perm-self",)


def _moves(config: PermutationConfig, claim: str) -> Theory:
    """Where nothing breaks a claim, whether some order could show that it is wrong: else it is open."""
    match claim:
        case "perm-bias":
            every = [_moves(config, widest) for widest in widest_claims(config)]
            return next((one for one in every if isinstance(one, Holds)), every[0])
        case "perm-q" if len(config.tokens) > 1:
            if not _values_differ(config):
                return Open(EQUAL_VALUES)
            carries = config.carried and config.positions != "none"
            return Holds() if carries or len(set(config.tokens)) > 1 else Open(EQUAL_WORDS)
        case "perm-kv" if config.keys_alone and not _values_differ(config):
            return Open(no_other_output(config.keys))
        case _:
            words = config.keys if claim == "perm-kv" else config.tokens
            return Holds() if _content_differs(config, words) else Open(no_other_order(words))


def _keys(config: PermutationConfig) -> Fails | None:
    if config.keys_alone:
        return Fails(_ALONE) if _values_differ(config) and len(set(config.keys)) > 1 else None
    return _in_slots(config) if _content_differs(config, config.keys) else None


def _queries(config: PermutationConfig) -> Fails | None:
    q_len, kv_len = len(config.tokens), len(config.keys)
    if q_len > 1 and _values_differ(config):
        return _in_slots(config)
    blind = config.mask == "window" and q_len > kv_len + WINDOW  # the last queries see no key at all
    return _masked(config) if blind else None


def _both(config: PermutationConfig) -> Fails | None:
    """Queries and keys move together."""
    q_len, content_differs = len(config.tokens), _content_differs(config, config.keys)
    if q_len == 1:
        return None
    if config.keys_alone and len(set(config.keys)) > 1:
        return Fails(_ALONE)
    # One reversal of two tokens leaves every distance, so ALiBi and its symmetry survive it.
    by_slot = config.positions in ADDED or (content_differs and (config.positions, q_len) != ("alibi", 2))
    if by_slot and _by_slot(config):
        return Fails(SLOTS)
    return _masked(config) if content_differs else None


def _pool(config: PermutationConfig) -> Fails | None:
    """The mean over the real tokens; a padding token moves among them if there is room."""
    places = min(len(config.tokens) + 1, MAX_TOKENS)
    added, padded = config.positions in ADDED, places > len(config.tokens)
    if config.keys_alone and (padded or len(set(config.tokens)) > 1):
        return Fails(_ALONE)
    differs = _content_differs(config, config.tokens)
    if _by_slot(config) and (differs or (added and padded)):
        return Fails(SLOTS)
    return _masked(config, places) if differs else None


def _in_slots(config: PermutationConfig) -> Fails | None:
    """What stays in its slot."""
    return Fails(SLOTS) if _by_slot(config) else _masked(config)


def _by_slot(config: PermutationConfig) -> bool:
    return config.positions != "none" and not config.carried


def _masked(config: PermutationConfig, places: int = 0) -> Fails | None:
    """A mask that hides something in so many places, those of the tokens if none are given."""
    places = places or max(len(config.tokens), len(config.keys))
    hides = config.mask == "causal" or (config.mask == "window" and places > WINDOW + 1)
    return Fails(_("the {mask} mask stays in place", mask=MASKS[config.mask])) if hides else None


def _in_place(config: ShuffleConfig) -> bool:
    return all(order in ((), tuple(range(len(order)))) for order in (config.query_order, config.key_order))


def _values_differ(config: PermutationConfig) -> bool:
    """Whether the values that some query sees differ: a key's content is its token, and an added position."""
    reach = {"none": len(config.keys), "causal": len(config.tokens), "window": len(config.tokens) + WINDOW}
    seen = config.keys[: reach[config.mask]]
    return len(set(seen)) > 1 or (config.positions in ADDED and len(seen) > 1)


def _content_differs(config: PermutationConfig, words: tuple[str, ...]) -> bool:
    """Whether words differ in what they bring along to another place."""
    return len(set(words)) > 1 or (config.positions in ADDED and config.carried and len(words) > 1)
