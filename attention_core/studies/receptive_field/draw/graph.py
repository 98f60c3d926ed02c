"""The layered graph: which token looks at which, layer by layer, and the cone of one token back to the inputs."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Bool, Int

from attention_core.figures.matrix import Axis, Edges, GraphPanel, LinesPanel, MatrixView, Nodes, Series, Sweep
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, ngettext, sentences
from attention_core.studies.receptive_field import AttendedKeys, ReachTable

TITLE: Final = gettext_lazy("Who looks at whom, layer by layer")
MAX_EDGES: Final = 5000  # of a cone
MAX_OTHERS: Final = 3000
_HEADS: Final = (1, 2, 3, 4)  # whose growth is drawn beside that of the stack's own


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cone:
    """Everything a token is made of, down to the inputs. Levels count layers: 0 holds the inputs.

    Attributes:
        layer: The level of the token.
        token: Its place, from 0.
        nodes: Which tokens of the levels 0 … ``layer`` belong to the cone (layer + 1, tokens).
        looks: What heads fetch: level of the query, query, key, in rows (edges, 3).
        stays: What the residual carries on: level of the upper end and token (edges, 2).
    """

    layer: int
    token: int
    nodes: Bool[np.ndarray, "levels tokens"]
    looks: Int[np.ndarray, "looks 3"]
    stays: Int[np.ndarray, "stays 2"]

    @property
    def inputs(self) -> int:
        """How many inputs the token sees."""
        return int(self.nodes[0].sum())


def cone(result: AttendedKeys, layer: int, token: int) -> Cone:
    """The cone of a token back to the inputs, from where the heads look.

    Args:
        result: Where the heads look.
        layer: Level of the token, 0 (an input) … ``layers``.
        token: Its place, from 0.

    Raises:
        ValueError: If there is no such token.
    """
    layers, _, tokens = result.edges.shape
    if not (0 <= layer <= layers and 0 <= token < tokens):
        raise ValueError(f"node = ({layer}, {token}) is not there: levels 0 … {layers}, tokens 0 … {tokens - 1}.")
    nodes = np.zeros((layer + 1, tokens), dtype=np.bool_)
    nodes[layer, token] = True
    looks, stays = [np.empty((0, 3), dtype=np.int64)], [np.empty((0, 2), dtype=np.int64)]
    for level in range(layer, 0, -1):
        queries = np.flatnonzero(nodes[level])
        keys = result.edges[level - 1][:, queries]  # (heads, queries)
        pairs = np.unique(np.stack((np.broadcast_to(queries, keys.shape).ravel(), keys.ravel()), axis=1), axis=0)
        nodes[level - 1, pairs[:, 1]] = True
        looks.append(np.insert(pairs, 0, level, axis=1))
        if result.config.residual:
            nodes[level - 1] |= nodes[level]
            stays.append(np.insert(queries[:, None], 0, level, axis=1))
    return Cone(layer=layer, token=token, nodes=nodes, looks=np.concatenate(looks), stays=np.concatenate(stays))


def graph_view(
    result: AttendedKeys, node: tuple[int, int] | None = None, growth: ReachTable | None = None
) -> MatrixView:
    """All tokens of all layers, and the cone of one of them back to the inputs; each node can be chosen.

    At the right end of each layer stands how many of its tokens the cone has. Beside it, curves show how the inputs
    that are seen grow with layers and heads.

    The sweep lets the cone grow from its top, a layer with each step.

    A cell (0, layer, token) of the view is a node. Of very many connections some are drawn; the note says so.

    Args:
        result: Where the heads look.
        node: Level and token of the cone's top; the last token of the last layer unless given.
        growth: What stacks of other sizes see; None draws no curves.
    """
    layers, _heads, tokens = result.edges.shape
    chosen = cone(result, *(node or (layers, tokens - 1)))
    looks, stays = chosen.looks, np.insert(chosen.stays, 2, chosen.stays[:, 1], 1)
    shown, skip = _thinned(np.concatenate((stays, looks)), MAX_EDGES)
    others, skip_others = _thinned(_all_looks(result), MAX_OTHERS)
    is_look = np.arange(len(stays) + len(looks))[::skip] >= len(stays)
    nodes = np.argwhere(chosen.nodes)
    notes = [_("Choose a dot to see what that token is made of.")]
    if skip > 1:
        notes.append(_("1 in {skip} connections of the cone is drawn.", skip=skip))
    if skip_others > 1:
        notes.append(_("1 in {skip} connections outside the cone is drawn.", skip=skip_others))
    panel = GraphPanel(
        title=str(TITLE),
        values=np.concatenate((np.ones((1, tokens)), result.reach_graph)),
        layers=Axis(title=_("layer"), labels=(_("inputs"), *(str(n) for n in range(1, layers + 1)))),
        tokens=Axis(title=_("token"), labels=tuple(str(n) for n in range(1, tokens + 1))),
        quantity=_("inputs it sees"),
        edges=(
            Edges(ends=others),
            Edges(ends=shown[~is_look], name=_("residual"), lit=True),
            Edges(ends=shown[is_look], name=_("looks at"), role="key", lit=True),
        ),
        nodes=(
            Nodes(at=nodes),
            Nodes(at=nodes[nodes[:, 0] == 0], name=_("inputs it sees"), role="key"),
            Nodes(at=np.array([[chosen.layer, chosen.token]]), name=_("chosen token"), role="query", large=True),
        ),
        note=str(sentences(notes)),
        counts=tuple(f"{count:,}" for count in chosen.nodes.sum(1)) + ("",) * (layers - chosen.layer),
        unfolds=chosen.layer or None,
    )
    steps = tuple(str(n) for n in range(chosen.layer + 1))
    return MatrixView(
        panels=(panel,) if growth is None else (panel, growth_panel(growth, result.config.heads, layers)),
        summary=graph_summary(result, (chosen.layer, chosen.token)),
        sweep=Sweep(name="down", label=_("Layers followed down"), values=steps) if chosen.layer else None,
    )


def growth_panel(growth: ReachTable, heads: int, layers: int) -> LinesPanel:
    """Inputs that the last token sees over the layers, a curve for each number of heads, until it sees all of them.

    Args:
        growth: What was counted.
        heads: Whose curve stands out, and is drawn as far as its stack goes.
        layers: Where a line marks the stack.
    """
    series = []
    for count in sorted({*_HEADS, heads}):
        seen = growth.counts[count - 1].astype(float)
        grown = int((seen < growth.tokens).sum())  # after these it sees all; growth alone may end there, too
        grown += bool(grown) and seen[grown - 1] * seen[0] == growth.tokens
        seen[max(grown, layers if count == heads else 1) :] = np.nan
        role = "accent" if count == heads else "muted"
        name = ngettext("{count} head", "{count} heads", count)
        series.append(Series(name=name, values=np.append(1, seen), role=role, growing=True, pointed=True))
    return LinesPanel(
        title=_("More heads, more layers"),
        x=np.arange(growth.counts.shape[1] + 1),
        x_title=_("layers"),
        y_title=_("inputs seen, of {count:,} tokens", count=growth.tokens),
        series=tuple(series),
        log_y=True,
        limits=(1.0, 2.0 * growth.tokens),
        marked=layers,
    )


def graph_summary(result: AttendedKeys, node: tuple[int, int]) -> str:
    """What the graph shows of a node, and what soft heads see, in sentences."""
    chosen, config = cone(result, *node), result.config
    if config.soft:
        return ngettext(
            "All the way down, along the largest weights alone, the chosen token sees {count:,} input. But these "
            "heads are soft: in one layer the last token sees {soft:,}.",
            "All the way down, along the largest weights alone, the chosen token sees {count:,} inputs. But these "
            "heads are soft: in one layer the last token sees {soft:,}.",
            chosen.inputs,
            soft=result.soft_reach,
        )
    each = config.heads + config.residual  # tokens of the layer below that one is made of
    if chosen.layer == 0:
        why = _("it is one")
    elif config.write_positions:
        why = _("with its position overwritten every head looks for one token")
    elif chosen.inputs == each**chosen.layer:
        why = (
            _("each layer multiplies what a token sees by one more than it has heads")
            if config.residual
            else _("without the residual each layer multiplies them by its heads alone")
        )
    elif config.weights == "random":
        why = _("random heads often look where another has looked already")
    elif chosen.inputs == config.tokens or (chosen.inputs == chosen.token + 1 and not config.wrap):
        why = _("there are no more before it")
    else:
        why = _("heads of several layers meet at the same inputs")
    said = ngettext(
        "All the way down the chosen token sees {count:,} input: {why}.",
        "All the way down the chosen token sees {count:,} inputs: {why}.",
        chosen.inputs,
        why=why,
    )
    return str(sentences((said, soft_said(result))))


def soft_said(result: AttendedKeys) -> str:
    """What soft heads would see, in a sentence."""
    return _(
        "That is so where each head looks at one key; soft heads would see {soft:,} in one layer, most of them "
        "faintly.",
        soft=result.soft_reach,
    )


def _all_looks(result: AttendedKeys) -> Int[np.ndarray, "looks 3"]:
    """Level, query and key of each head's look."""
    levels, _, queries = np.indices(result.edges.shape)
    return np.stack((levels.ravel() + 1, queries.ravel(), result.edges.ravel()), axis=1)


def _thinned(edges: Int[np.ndarray, "edges 3"], most: int) -> tuple[Int[np.ndarray, "kept 3"], int]:
    """Every so many of the edges that ``most`` are not exceeded, and which ones."""
    skip = max(1, -(-len(edges) // most))
    return edges[::skip], skip
