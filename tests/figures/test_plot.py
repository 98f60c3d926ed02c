import pytest

from attention_core.figures.plot import (
    KEPT,
    base_figure,
    drawn_once,
    escape,
    token_axis,
)


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


def test_a_long_token_axis_thins_its_labels_and_keeps_them_at_their_positions():
    labels = tuple(f"t{i}" for i in range(200))
    layout = token_axis("key", labels)
    assert [len(token_axis("key", labels[:many])["tickvals"]) for many in (1, 64, 65, 200)] == [1, 64, 33, 50]
    assert all(labels[at] == text for at, text in zip(layout["tickvals"], layout["ticktext"], strict=True))


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
