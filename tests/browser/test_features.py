"""What each page has of its own: a move and what it changes, views that are each another picture, room for them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import ne
from typing import Any

import pytest

from tests.browser.conftest import close_drawer, open_drawer, pictures_of, sideways
from tests.browser.locators import CANVAS, FIGURE, FINDING, PANEL, PLOT, RANGE, SENTENCE
from tests.browser.screens import LAPTOP, PHONE, PROJECTOR
from tests.sweeps import some_by_day

nightly = pytest.mark.nightly
Move = Callable[[Any], None]


def keys(where: str, *pressed: str) -> Move:
    """Press keys on the first of these elements."""

    def move(page: Any) -> None:
        page.locator(where).first.focus()
        for key in pressed:
            page.keyboard.press(key)

    return move


def click(which: int, across: float, down: float) -> Move:
    """Click on a canvas of the picture, at these shares of its width and height."""

    def move(page: Any) -> None:
        box = page.locator(CANVAS).nth(which).bounding_box()
        page.mouse.click(box["x"] + box["width"] * across, box["y"] + box["height"] * down)

    return move


def choose(name: str) -> Move:
    """Choose a view by its button, or a question by its name."""

    def move(page: Any) -> None:
        radio = page.get_by_role("radio", name=name, exact=True)
        if radio.count():
            radio.click()
        else:
            page.get_by_role("combobox", name="Question").click()
            page.get_by_role("option", name=name, exact=True).click()

    return move


@dataclass(frozen=True)
class Row:
    """A move on a page.

    Attributes:
        page: Its name.
        move: The move.
        link: What the address holds afterwards.
        query: What it holds before.
        pictures: How many of the page's pictures at least are others then.
        words: Whether what is said of them is other, too.
        says: What is said then.
        sent: Messages that go to the server; 0 where it does not matter.
        is_opened_again: Whether what the link alone leads to is compared, for each kind of press once: that a link
            is all of a page's settings is proved without a browser.
        marks: One runs by day, the others at night.
    """

    page: str
    move: Move
    link: tuple[str, ...]
    query: str = ""
    pictures: int = 0
    words: bool = False
    says: str = ""
    sent: int = 0
    is_opened_again: bool = False
    marks: list[Any] = field(default_factory=lambda: [nightly])


ROWS = [
    Row(
        "scaling", keys(RANGE, "End"), ("scaling_d_head=4096",), pictures=6, words=True, sent=1, is_opened_again=True,
        marks=[],
    ),
    Row("biases", keys(RANGE, "Home"), ("biases_size=0.1",), pictures=1, words=True),
    Row("anatomy", choose("scores"), ("anatomy_step=scores",), says="“sat” asks “cat”: q · k ≈ "),
    Row("anatomy", click(-1, 0.8, 0.65), ("anatomy_cell=0.7.",), words=True, is_opened_again=True),
    Row("normalization", click(1, 0.75, 0.75), ("normalization_cell=",), pictures=2, says="y at ("),
    Row("projections", keys(RANGE, "ArrowRight"), ("projections_head=1",), pictures=2),
    Row(
        "projections", keys(RANGE, "End"), ("projections_layer=12",), query="projections_topic=collapse",
        pictures=2,
    ),
    Row(
        "complexity", keys(PLOT, "ArrowRight", "ArrowDown", "Enter"),
        ("complexity_d_model=", "complexity_num_queries=", "complexity_num_keys="), pictures=1, words=True,
        is_opened_again=True,
    ),
    Row("trained", click(0, 0.5, 0.95), ("trained_head=1.3", "trained_cell="), pictures=1, words=True),
    Row(
        "variants", keys(RANGE, "End"), ("variants_kv_heads=8",), pictures=1,
    ),
    Row(
        "variants", keys(RANGE, "Home"), ("variants_word=1",), query="variants_show=cache", pictures=2,
    ),
    Row(
        "receptive_field", keys(PLOT, *["ArrowDown"] * 2, *["ArrowLeft"] * 12, "Enter"),
        ("receptive_field_token=20", "receptive_field_level=1"), pictures=1,
    ),
]  # fmt: skip


def words(page: Any) -> str:
    return page.locator(".st-key-left").inner_text()


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row.page} {row.link[0]}", marks=row.marks) for row in ROWS])
def test_a_move_changes_pictures_words_and_link_and_reset_takes_it_back(
    row: Row, visit: Callable, settled: Callable
) -> None:
    page = visit(row.page, f"?{row.query}&seed=3")
    page.mouse.move(5, 5)
    before, said = pictures_of(page), words(page)
    row.move(page)
    page.wait_for_url(f"**{row.link[0]}*")
    settled(page)
    assert all(part in page.url for part in row.link)
    assert sum(map(ne, before, pictures_of(page))) >= row.pictures
    after, did = words(page), page.locator(f"{FINDING} p").filter(has_text="arrow_forward").all_inner_texts()
    assert not row.words or after != said
    assert row.says in after + page.locator(f"{FIGURE} .view").first.inner_text()
    if row.sent:
        assert len(page.sent) == row.sent
        assert max(map(len, page.sent)) <= 2048
    link = page.url.split("?")[1]
    open_drawer(page)
    page.get_by_role("button", name="Reset", exact=True).click()
    page.wait_for_function("(part) => !location.search.includes(part)", arg=row.link[0])
    settled(page)
    close_drawer(page)
    page.mouse.move(5, 5)
    settled(page)
    assert row.query or pictures_of(page) == before
    if not row.is_opened_again:
        return
    again = visit(row.page, f"?{link}")
    without = after.replace("".join(f"{one}\n\n" for one in did), "")
    assert without == words(again), "the link is all of it, but what the move did"


@pytest.mark.nightly
def test_a_preset_that_changes_the_model_changes_the_box_that_asks_for_it(visit: Callable, settled: Callable) -> None:
    page = visit("trained")
    open_drawer(page)
    model, text = page.get_by_role("combobox", name="Model"), page.get_by_role("textbox", name="Beginning of a text")
    page.get_by_text("A letter that comes again", exact=True).first.click()
    page.wait_for_url("**trained_model=induction*")
    settled(page)
    assert model.input_value() == "Repetition"
    model.click()
    page.get_by_role("option", name="Grammar (English)", exact=True).click()
    page.wait_for_url(lambda url: "trained_model" not in url)
    settled(page)
    assert text.input_value() == "the keys near the cabinet", "a model begins with a text of its own"


VIEWS = {
    "masks": ("masks", "weights", "pad test", "−10000 or −∞", "a row without keys", "teacher forcing", "any length"),
    "receptive_field": ("graph", "matrix", "curve", "heads × layers"),
    "normalization": ("what is left of a bias", "a whole block", "feed-forward network", "length of the output"),
    "trained": (
        "Where do all heads look?",
        "What is each head for?",
        "What do its biases do?",
        "Does it know order?",
        "Who is saturated?",
        "What does depth do?",
    ),
    "variants": ("cache", "no cache of queries", "bytes", "FLOPs", "additive"),
    "projections": ("tied matrices", "another basis (gauge freedom)", "low rank", "rank collapse"),
}


@pytest.mark.parametrize("name", some_by_day(VIEWS, of=8))
def test_every_view_is_another_picture_and_ends_above_the_fold(name: str, visit: Callable, settled: Callable) -> None:
    """It ends with the sentence that says what is seen; the law and the claims stand below."""
    page = visit(name)
    seen = set()
    for view in VIEWS[name]:
        choose(view)(page)
        settled(page)
        box = page.locator(SENTENCE).first.bounding_box()
        assert box["y"] + box["height"] <= 900, view
        seen.add(str(pictures_of(page)))
    assert len(seen) == len(VIEWS[name])


# ---- room ----

MILLION = "?biases_show=growing&biases_key_size=1000000&biases_curve=key-size&biases_answer=skipped"


def test_anatomys_steps_are_walked_by_buttons_and_keys_and_who_has_no_keys_is_told_of_none(
    visit: Callable, settled: Callable
) -> None:
    page, told = visit("anatomy", "?anatomy_step=scores"), f"{FIGURE} kbd"
    assert page.locator(told).first.is_visible()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("n")
    page.wait_for_url("**anatomy_step=scale**")
    settled(page)
    page.get_by_role("button", name="Previous").click()
    page.wait_for_url("**anatomy_step=scores**")
    phone = visit("anatomy", **PHONE)
    group = phone.locator(f"{FIGURE} [role=radiogroup]")
    assert group.evaluate("node => node.scrollWidth > node.clientWidth")
    assert group.bounding_box()["height"] < 60
    assert phone.locator(told).count() > phone.locator(told).filter(visible=True).count() == 0


@pytest.mark.nightly
def test_a_projector_gives_numbers_wide_cells_and_a_curve_the_room_that_is_left(visit: Callable) -> None:
    page = visit("anatomy", "?present=true&anatomy_answer=skipped&anatomy_step=mask", **PROJECTOR)
    assert page.locator(CANVAS).first.bounding_box()["width"] > 420, "six cells of 48 pixels and words, magnified"
    page = visit("learning", "?present=true&learning_answer=skipped&learning_steps=10", **PROJECTOR)
    matrix, curve = (panel.bounding_box() for panel in page.locator(PANEL).all())
    assert 0 < curve["x"] - (matrix["x"] + matrix["width"]) < 60
    assert curve["width"] > 640


@pytest.mark.nightly
def test_a_million_stands_in_a_line_with_its_note_and_can_be_read_on_a_phone(visit: Callable) -> None:
    page = visit("biases", MILLION, **LAPTOP)
    assert sideways(page) == 0
    panels = page.locator(PANEL)
    assert len({panel.bounding_box()["y"] for panel in panels.all()}) == 1
    assert panels.count() == 4
    assert "values are NaN" in panels.filter(has_text="float16").last.inner_text()
    page = visit("biases", MILLION, **PHONE)
    assert page.locator(f"{PANEL} .title").all_inner_texts() == ["float64", "float32"]
    assert min(page.locator(PLOT).evaluate_all("all => all.map((one) => Number(one.dataset.cell))")) >= 23


@pytest.mark.nightly
def test_cells_of_sentences_of_any_length_are_of_one_size(visit: Callable) -> None:
    page = visit("masks", "?masks_sentences=extraordinarily+long+words+here+|+a+b")
    sizes = page.locator(PLOT).evaluate_all("all => all.map((one) => one.dataset.cell)")
    assert len(sizes) == 2
    assert len(set(sizes)) == 1


@pytest.mark.nightly
def test_three_features_stand_in_space_and_the_ends_of_a_narrow_colour_bar_on_one_line(visit: Callable) -> None:
    link = "?normalization_topic=length&normalization_d_model=3&normalization_eps=0.01&normalization_std=0.1"
    page = visit("normalization", f"{link}&normalization_answer=skipped", viewport={"width": 390, "height": 844})
    page.wait_for_selector(".js-plotly-plot .gl-container canvas")
    assert page.locator(".js-plotly-plot").count() == 1
    legends = page.locator(f"{FIGURE} .legend:visible").filter(has=page.locator(".ramp"))
    tops = legends.evaluate_all(
        "all => all.map((one) => [...one.querySelectorAll('.number')].map((n) => n.offsetTop))"
    )
    assert len(tops) == 2
    assert all(low == high for low, high in tops)


# ---- while something is computed ----

# The sizes that each canvas of the picture has had, asked after each task that changed anything.
SIZES = """() => {
  window.sizes = new Map();
  const look = () => {
    for (const one of probe.canvases()) {
      if (!sizes.has(one)) sizes.set(one, new Set());
      sizes.get(one).add(`${one.width} ${one.height}`);
    }
  };
  look();
  probe.onChange(look);
}"""
# Every picture that was drawn while the progress bar stood, and the first canvas.
WATCH = """() => {
  [window.seen, window.first] = [new Set(), probe.canvases()[0]];
  probe.onDraw(() => {
    if (document.querySelector(".st-key-finding [data-testid=stProgress]"))
      seen.add(probe.canvases().map((one) => one.toDataURL()).join());
  });
}"""


def test_the_picture_keeps_its_size_while_the_answers_are_computed(visit: Callable, settled: Callable) -> None:
    page = visit("scaling", "?scaling_num_keys=128&scaling_through_module=true&seed=4711")
    open_drawer(page)  # in it, what breaks it is unfolded
    page.evaluate(SIZES)
    before = pictures_of(page)
    page.locator(".st-key-scaling_std [role=slider], .st-key-scaling_std input").first.press("ArrowRight")
    settled(page)
    assert pictures_of(page) != before
    shown = page.locator(CANVAS).count()
    assert shown > 0
    assert page.evaluate("[...sizes.values()].map((one) => one.size)") == [1] * shown, "none twice, none drawn anew"


@pytest.mark.nightly
def test_one_canvas_moves_while_it_learns_and_is_scrubbed_afterwards(visit: Callable, settled: Callable) -> None:
    page = visit("learning", "?learning_steps=400&seed=390", viewport={"width": 390, "height": 844})
    page.evaluate(WATCH)
    open_drawer(page)
    page.get_by_text("What breaks it").click()
    page.locator("label", has_text="Causal mask").first.click()
    page.wait_for_url("**learning_causal=**")
    settled(page)
    assert page.evaluate("seen.size") > 1, "it was seen to learn"
    assert page.evaluate("first.isConnected"), "the canvas was taken down in between"
    slider = page.locator(RANGE)
    assert slider.get_attribute("max") == "63"
    end = page.evaluate("first.toDataURL()")
    slider.evaluate("one => { one.value = 0; one.dispatchEvent(new Event('input', { bubbles: true })); }")
    assert page.evaluate("first.toDataURL()") != end
    settled(page)
    assert "learning_step=" not in page.url, "dragging alone sends nothing"


# Where each line below the picture stands, and what it says.
PLACES = """() => [...document.querySelectorAll(".st-key-finding [data-testid=stMarkdown]")]
  .map((one) => [one.innerText, Math.round(one.getBoundingClientRect().top)])"""


def test_timing_shows_its_steps_and_a_change_ends_the_wait_for_it(visit: Callable, settled: Callable) -> None:
    page, bar = (page := visit("complexity", "?complexity_seconds=20")), page.get_by_role("progressbar")
    open_drawer(page)

    def measure(what: str) -> None:
        page.get_by_role("combobox", name="Measure the time").click()
        page.get_by_role("option", name=what, exact=True).click()

    finding, places = page.locator(FINDING).inner_text(), page.evaluate(PLACES)
    measure("over n")
    bar.wait_for()
    assert page.evaluate(PLACES) == places, "nothing that is read moves while it is waited for"
    measure("not now")
    page.wait_for_function("() => !location.href.includes('complexity_measure')")
    settled(page)
    assert bar.count() == 0
    assert page.locator(FINDING).inner_text() == finding
