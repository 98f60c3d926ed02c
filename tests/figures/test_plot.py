import pytest

from attention_core.figures.plot import (
    KEPT,
    axis,
    base_figure,
    border,
    drawn_once,
    escape,
    token_axis,
)
from attention_core.figures.theme import INK, MUTED, ROLE_COLOURS, TONES


@pytest.mark.parametrize(
    ("typed", "markup"),
    [
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"), ("a & b", "a &amp; b"), ("&lt;", "&amp;lt;"),
        ("$x$", "&#36;x&#36;"),
        ("%{z}", "&#37;{z}"),
        ('"""', '"""'), ("\x00\x0b\ud800\ufffe\uffff", "\ufffd" * 5), ("cat", "cat"),
    ],
)  # fmt: skip
def test_text_is_escaped_once_and_completely(typed, markup):
    assert escape(typed) == markup


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_both_modes_take_their_colours_from_the_theme(mode):
    layout = base_figure(mode=mode).layout.template.layout
    assert layout.font.color == INK[mode]
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert layout.xaxis.tickfont.color == MUTED[mode]
    assert layout.colorway == tuple(TONES[mode].values()), "none of them is a role's"
    assert not {*layout.colorway} & {*ROLE_COLOURS[mode].values()}


def test_titles_are_literal():
    assert base_figure(title="<i>x</i>").layout.title.text == "&lt;i&gt;x&lt;/i&gt;"
    assert axis("$d$")["title"]["text"] == "&#36;d&#36;"


def test_a_log_axis_ticks_at_decades_and_a_role_colours_its_axis():
    assert axis("d", log=True) | {"title": None} == {"type": "log", "dtick": 1, "title": None}
    assert axis("d", role="key", mode="dark")["title"]["font"]["color"] == ROLE_COLOURS["dark"]["key"]


def test_a_long_token_axis_thins_its_labels_and_keeps_them_at_their_positions():
    labels = tuple(f"t{i}" for i in range(200))
    layout = token_axis("key", labels)
    assert len(layout["tickvals"]) <= 64
    assert all(labels[at] == text for at, text in zip(layout["tickvals"], layout["ticktext"], strict=True))


def test_a_band_is_filled_between_its_borders():
    high, low = border(name="<v>", group="v", x=[1, 2], low=[1, 2], high=[3, 4], colour="#0072B2")
    assert (high["y"], low["y"]) == ([3, 4], [1, 2])
    assert low["fill"] == "tonexty"
    assert low["fillcolor"] == "rgba(0,114,178,0.18)"
    assert "<" not in low["name"]


def test_a_figure_is_drawn_once_for_each_result_and_setting():
    calls = []

    @drawn_once
    def draw(result, *, mode="light"):
        calls.append((result, mode))
        return base_figure(mode=mode)

    one, equal = [1], [1]  # equal, but not the same result
    assert draw(one) is draw(one)
    assert draw(one, mode="dark") is draw(one, mode="dark")
    assert draw(equal) is not draw(one)
    assert len(calls) == 3
    for _ in range(KEPT):
        draw([1])
    draw(one)
    assert len(calls) == 3 + KEPT + 1
