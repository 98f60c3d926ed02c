"""The matrix view alone, in every situation the browser tests need; `?case=` says which."""

import numpy as np
import streamlit as st

from pages._shared.components.matrix_view import matrix_view
from attention_core.figures.matrix import (
    Axis,
    BarsPanel,
    Edges,
    GraphPanel,
    LinesPanel,
    MatrixPanel,
    MatrixView,
    Nodes,
    Series,
    Sweep,
)

HOSTILE = (
    "<b>bold</b>",
    "%{z}",
    "$x$",
    '"""',
    ":red[x]",
    "<img src=x onerror=document.title='hacked'>",
    "a" * 80,
    "💥",
)
TOKENS = ("the", "cat", "sat", "on", "the", "mat")
SHUFFLED = ("mat", "the", "sat", "the", "cat", "on")
LARGE = tuple(f"t{i}" for i in range(96))


def softmax(scores: np.ndarray) -> np.ndarray:
    exponents = np.exp(scores - scores.max(-1, keepdims=True))
    return exponents / exponents.sum(-1, keepdims=True)


def axes(tokens: tuple[str, ...]) -> dict[str, Axis]:
    return {
        "rows": Axis(title="query", labels=tokens, role="query"),
        "columns": Axis(title="key", labels=tokens, role="key"),
    }


def attention(tokens: tuple[str, ...], *, seed: int = 0, causal: bool = False) -> MatrixView:
    n = len(tokens)
    scores = np.random.default_rng(seed).normal(size=(n, n)) * 2
    hidden = np.triu(np.ones((n, n), bool), 1) if causal else None
    masked = np.where(hidden, -np.inf, scores) if causal else scores
    weights = softmax(masked)
    return MatrixView(
        panels=(
            MatrixPanel(
                title="Scores", values=masked, quantity="score", scale="diverging", hidden=hidden, **axes(tokens)
            ),
            MatrixPanel(
                title="Weights",
                values=weights,
                quantity="weight",
                scale="sequential",
                cells="weight",
                hidden=hidden,
                **axes(tokens),
            ),
        ),
        summary=f"The largest weight is {weights.max():.3f}.",
    )


def sweep() -> MatrixView:
    rng = np.random.default_rng(0)
    sizes = 2 ** np.arange(13)
    keys, query = rng.normal(size=(40, 4096)), rng.normal(size=4096)
    scores = np.stack([keys[:, :d] @ query[:d] for d in sizes])
    weights = softmax(scores)
    jacobian = np.stack([np.diag(w) - np.outer(w, w) for w in weights])
    edges = np.stack([np.linspace(-4, 4, 25) * np.sqrt(d) for d in sizes])
    heights = (
        np.stack([np.histogram(s, e, density=True)[0] for s, e in zip(scores, edges, strict=True)])
        * np.sqrt(sizes)[:, None]
    )
    x = np.linspace(-4, 4, 81)
    normal = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    names = tuple(str(i) for i in range(40))
    weights_panel = BarsPanel(
        title="Weights of one query",
        values=weights,
        labels=Axis(title="key", labels=names, role="key"),
        quantity="weight",
    )
    scores_panel = BarsPanel(
        title="Scores",
        values=heights,
        edges=edges,
        labels=Axis(title="score", labels=()),
        quantity="density · √d",
        overlay=(x * np.sqrt(sizes)[:, None], normal),
        overlay_name="N(0, d_head)",
    )
    jacobian_panel = MatrixPanel(
        title="Softmax Jacobian",
        values=jacobian,
        rows=Axis(title="key i", labels=names, role="key"),
        columns=Axis(title="key j", labels=names, role="key"),
        quantity="∂a/∂s",
        scale="diverging",
    )
    top = weights.max(-1)
    lines_panel = LinesPanel(
        title="Largest weight",
        x=sizes,
        x_title="d_head",
        y_title="a_max",
        log_x=True,
        series=(
            Series(name="unscaled", values=top, band=(top * 0.8, np.sqrt(top))),
            Series(name="uniform", values=np.full(13, 1 / 40), dashed=True),
        ),
    )
    return MatrixView(
        panels=(weights_panel, scores_panel, jacobian_panel, lines_panel),
        summary="Unscaled, the softmax saturates as d_head grows.",
        sweep=Sweep(name="d_head", label="Size of a head, d_head", values=tuple(f"{d:,}" for d in sizes)),
    )


def odd_numbers() -> MatrixView:
    values = np.array([[0.0, np.nan, 0.5], [np.inf, -0.25, 1e-9]])
    rows, columns = Axis(title="row", labels=("a", "b")), Axis(title="column", labels=("1", "2", "3"))
    panel = {"rows": rows, "columns": columns, "quantity": "value", "scale": "diverging"}
    return MatrixView(
        panels=(
            MatrixPanel(title="Odd", values=values, **panel),
            MatrixPanel(title="Zero", values=np.zeros((2, 3)), note="Nothing but zeros.", **panel),
        ),
        summary="Some numbers are not finite.",
    )


def graph(tokens: int = 9, layers: int = 2) -> MatrixView:
    """Each token looks at the one before it, and stays; the last one's cone is lit."""
    last = tokens - 1
    looks = [(layer, token, max(0, token - 1)) for layer in range(1, layers + 1) for token in range(tokens)]
    cone = np.array([(layer, last - i) for layer in range(layers + 1) for i in range(layers - layer + 1)])
    lit = np.array([edge for edge in looks if edge[1] >= last - layers + edge[0]])
    panel = GraphPanel(
        title="Graph",
        values=np.arange(1.0, layers + 2)[:, None] * np.ones(tokens),
        layers=Axis(title="layer", labels=("inputs", *map(str, range(1, layers + 1)))),
        tokens=Axis(title="token", labels=tuple(map(str, range(1, tokens + 1)))),
        quantity="inputs it sees",
        edges=(Edges(ends=np.array(looks)), Edges(ends=lit, name="looks at", role="key", lit=True)),
        nodes=(
            Nodes(at=cone),
            Nodes(at=cone[cone[:, 0] == 0], name="inputs it sees", role="key"),
            Nodes(at=np.array([[layers, last]]), name="chosen token", role="query", large=True),
        ),
    )
    return MatrixView(panels=(panel,), summary=f"The last token sees {layers + 1} inputs.")


def curves() -> MatrixView:
    x = 10.0 ** np.arange(-3, 7)
    broken = np.where(x > 1e4, np.nan, x * 1e-8)
    panel = LinesPanel(
        title="Residual",
        x=x,
        x_title="size",
        y_title="change (dashed: bound)",
        log_x=True,
        log_y=True,
        marked=4,
        series=(
            Series(name="float32", values=broken, band=(broken / 3, broken * 3), role="value"),
            Series(name="float32, bound", values=x * 1e-7, role="value", dashed=True, listed=False),
            Series(name="ends", values=np.where(x == 1e4, 1e-4, np.nan), crosses=True),
        ),
    )
    return MatrixView(panels=(panel,), summary="The residual grows with the size.")


def shown(case: str) -> MatrixView:
    match case:
        case "causal":
            return attention(TOKENS, causal=True)
        case "hostile":
            return attention(HOSTILE)
        case "large":
            return attention(LARGE)
        case "sweep" | "free":
            return sweep()
        case "odd":
            return odd_numbers()
        case "graph":
            return graph()
        case "wide graph":
            return graph(256, 8)
        case "curves":
            return curves()
    shuffled = bool(st.session_state.get("shuffled"))
    return attention(SHUFFLED if shuffled else TOKENS, seed=int(shuffled))


def keep(name: str):
    def write(value) -> None:
        st.session_state[name] = value
        st.session_state["calls"] = st.session_state.get("calls", 0) + 1

    return write


def begin_anew() -> None:
    """All is as when the page was opened; a view that nobody remembers is another one each time."""
    again = st.session_state.get("again", 0) + 1
    st.session_state.clear()
    st.session_state.update(again=again, shuffled=False, show=True)


def main() -> None:
    """One view, with what its callbacks were told and what the page owns beside it."""
    st.set_page_config(page_title="Matrix view", layout="wide")
    st.session_state.setdefault("show", True)
    st.checkbox("shuffled", key="shuffled")
    view = shown(st.query_params.get("case", "plain"))
    st.button("Begin anew", on_click=begin_anew)
    if st.button("Reset"):
        st.session_state["step"], st.session_state["cell"] = 0, None
    if not st.checkbox("show", key="show"):
        return
    owned = {
        "selected": st.session_state.get("cell"),
        "on_select": keep("cell"),
        "step": st.session_state.get("step", 3 if view.sweep else 0),
        "on_step": keep("step"),
    }
    free = st.query_params.get("case") == "free"
    again = st.session_state.get("again", 0)
    position = matrix_view(view, key=f"view {again}", hover_group="tokens", **({} if free else owned))
    st.text(f"step {position.step} · cell {position.cell} · calls {st.session_state.get('calls', 0)}")
    st.text(f"begun {again}")


if __name__ == "__main__":
    main()
