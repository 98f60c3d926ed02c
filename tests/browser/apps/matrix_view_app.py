"""The matrix view alone, in every situation the browser tests need; `?case=` says which."""

import numpy as np
import streamlit as st

from pages._shared.matrix_view import matrix_view
from attention_core.figures.matrix import Axis, BarsPanel, LinesPanel, MatrixPanel, MatrixView, Series, Sweep

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
                title="Weights", values=weights, quantity="weight", scale="sequential", hidden=hidden, **axes(tokens)
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
    shuffled = bool(st.session_state.get("shuffled"))
    return attention(SHUFFLED if shuffled else TOKENS, seed=int(shuffled))


def keep(name: str):
    def write(value) -> None:
        st.session_state[name] = value
        st.session_state["calls"] = st.session_state.get("calls", 0) + 1

    return write


def main() -> None:
    """One view, with what its callbacks were told and what the page owns beside it."""
    st.set_page_config(page_title="Matrix view", layout="wide")
    st.checkbox("shuffled", key="shuffled")
    view = shown(st.query_params.get("case", "plain"))
    if st.button("Reset"):
        st.session_state["step"], st.session_state["cell"] = 0, None
    if not st.checkbox("show", value=True):
        return
    owned = {
        "selected": st.session_state.get("cell"),
        "on_select": keep("cell"),
        "step": st.session_state.get("step", 3 if view.sweep else 0),
        "on_step": keep("step"),
    }
    free = st.query_params.get("case") == "free"
    position = matrix_view(view, key="view", hover_group="tokens", **({} if free else owned))
    st.text(f"step {position.step} · cell {position.cell} · calls {st.session_state.get('calls', 0)}")


if __name__ == "__main__":
    main()
