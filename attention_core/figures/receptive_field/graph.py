"""The layered graph: which token looks at which, layer by layer, and the cone of one token back to the inputs."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float, Int

from attention_core.experiments.receptive_field import ReceptiveFieldResult
from attention_core.figures.plot import Mode, axis, base_figure, drawn_once, escape
from attention_core.figures.theme import GRID, INK, MUTED, ROLE_COLOURS

MAX_TOKENS: Final = 64  # drawn side by side
MAX_EDGES: Final = 5000  # of a cone


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


def cone(result: ReceptiveFieldResult, layer: int, token: int) -> Cone:
    """The cone of a token back to the inputs, from where the heads look.

    Args:
        result: The result.
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


@drawn_once
def layered_graph(
    result: ReceptiveFieldResult, node: tuple[int, int] | None = None, *, mode: Mode = "light"
) -> go.Figure:
    """All tokens of all layers, and the cone of one of them back to the inputs.

    Each point's ``customdata`` is its level and its token (both from 0), so a page can take a click for a choice.
    Up to 64 tokens are drawn in full. Of more, the figure shows 64 around the cone; a cone that is wider is thinned,
    and the figure says so.

    Args:
        result: The result.
        node: Level and token of the cone's top; the last token of the last layer unless given.
        mode: Light or dark.
    """
    layers, _, tokens = result.edges.shape
    chosen = cone(result, *(node or (layers, tokens - 1)))
    first, last, every = _window(chosen, tokens)
    figure = base_figure(mode=mode)
    if every == 1:
        _add_edges(figure, _all_looks(result, first, last), "", GRID[mode], 0.7)
    skip = max(1, -(-(len(chosen.looks) + len(chosen.stays)) // MAX_EDGES))
    stays = chosen.stays[::skip]
    _add_edges(figure, stays[:, [0, 1, 1]], "residual", MUTED[mode], 1.2)
    _add_edges(figure, chosen.looks[::skip], "looks at", ROLE_COLOURS[mode]["key"], 1.2)
    _add_nodes(figure, result, chosen, (first, last, every), mode)
    notes = []
    if last - first + 1 < tokens:
        notes.append(f"tokens {first + 1:,} to {last + 1:,} of {tokens:,}")
    if every > 1:
        notes.append(f"1 in {every} tokens outside the cone")
    if skip > 1:
        notes.append(f"1 in {skip} connections of the cone")
    margin = 0.02 * (last - first) + 0.3
    figure.update_layout(
        xaxis=axis("token" + (f" ({', '.join(notes)})" if notes else ""), mode=mode)
        | {"range": [first + 1 - margin, last + 1 + margin], "showgrid": False, "zeroline": False},
        yaxis=axis("layer", mode=mode)
        | {
            "tickvals": list(range(layers + 1)),
            "ticktext": ["inputs", *(str(n) for n in range(1, layers + 1))],
            "range": [-0.4, layers + 0.4],
            "showgrid": False,
            "zeroline": False,
        },
        dragmode=False,
        clickmode="event+select",
        height=400,
    )
    return figure


def graph_summary(result: ReceptiveFieldResult, node: tuple[int, int]) -> str:
    """What the graph shows of a node, in a sentence."""
    chosen = cone(result, *node)
    return (
        f"Layered graph of {result.config.heads} heads: token {chosen.token + 1} of layer {chosen.layer} sees "
        f"{chosen.inputs:,} of {result.config.tokens:,} inputs."
    )


def _window(chosen: Cone, tokens: int) -> tuple[int, int, int]:
    """First and last token that are drawn, and every which one of those outside the cone."""
    if tokens <= MAX_TOKENS:
        return 0, tokens - 1, 1
    inside = np.flatnonzero(chosen.nodes.any(axis=0))
    low, high = int(inside[0]), int(inside[-1])
    if high - low < MAX_TOKENS:
        first = min(max(0, (low + high + 1 - MAX_TOKENS) // 2), tokens - MAX_TOKENS)
        return first, first + MAX_TOKENS - 1, 1
    return low, high, -(-(high - low + 1) // MAX_TOKENS)


def _all_looks(result: ReceptiveFieldResult, first: int, last: int) -> Int[np.ndarray, "looks 3"]:
    """Level, query and key of each head's look between two tokens of the window."""
    keys = result.edges[:, :, first : last + 1]
    levels, _, queries = np.indices(keys.shape)
    rows = np.stack((levels.ravel() + 1, queries.ravel() + first, keys.ravel()), axis=1)
    return rows[(rows[:, 2] >= first) & (rows[:, 2] <= last)]


def _lines(edges: Int[np.ndarray, "edges 3"]) -> tuple[Float[np.ndarray, " points"], Float[np.ndarray, " points"]]:
    """The edges as x and y of one line with a gap after each."""
    level, upper, lower = edges.T
    gap = np.full(len(edges), np.nan)
    x = np.stack((upper + 1, lower + 1, gap), axis=1).ravel()
    y = np.stack((level, level - 1, gap), axis=1).ravel()
    return x.astype(np.float32), y.astype(np.float32)


def _add_edges(figure: go.Figure, edges: np.ndarray, name: str, colour: str, width: float) -> None:
    x, y = _lines(edges)
    figure.add_scatter(
        x=x, y=y, mode="lines", line={"color": colour, "width": width}, name=name, showlegend=bool(name),
        hoverinfo="skip",
    )  # fmt: skip


def _add_nodes(
    figure: go.Figure, result: ReceptiveFieldResult, chosen: Cone, window: tuple[int, int, int], mode: Mode
) -> None:
    """Points of the window: faint, in the cone, inputs that are seen, and the chosen one."""
    layers, _, tokens = result.edges.shape
    first, last, every = window
    inside = np.zeros((layers + 1, tokens), dtype=np.bool_)
    inside[: chosen.layer + 1] = chosen.nodes
    shown = np.zeros(tokens, dtype=np.bool_)
    shown[first : last + 1 : every] = True
    seen = inside & (np.arange(layers + 1) == 0)[:, None]
    top = np.zeros_like(inside)
    top[chosen.layer, chosen.token] = True
    counts = np.concatenate((np.ones((1, tokens), dtype=np.int64), result.reach_graph))
    roles = ROLE_COLOURS[mode]
    for name, where, colour, size in (
        ("", shown & ~inside, GRID[mode], 5),
        ("", inside & ~seen & ~top, INK[mode], 5),
        (f"{chosen.inputs:,} inputs it sees", seen & ~top, roles["key"], 8 if last - first < MAX_TOKENS // 2 else 6),
        ("chosen token", top, roles["query"], 13),
    ):
        level, token = np.nonzero(where)
        figure.add_scatter(
            x=(token + 1).astype(np.float32),
            y=level.astype(np.float32),
            mode="markers",
            marker={"color": colour, "size": size},
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 1}},
            # As lists: of a typed array the browser would send an object back.
            customdata=np.stack((level, token), axis=1).tolist(),
            text=[f"sees {count:,} input{'s' * (count != 1)}" for count in counts[where].tolist()],
            name=escape(name),
            showlegend=bool(name) and bool(where.any()),
            hovertemplate="token %{x}, layer %{y}<br>%{text}<extra></extra>",
        )
