"""Images: a press asks or covers, a drawing becomes the picture, and a file is made small."""

import io
from typing import Any

import pytest
from PIL import Image, ImageDraw
from streamlit.testing.v1 import AppTest

from attention_core.studies import images as study
from attention_core.studies.images import draw
from tests.pages.conftest import open_answered, open_page
from tests.pages.read import held, said, sent


def panels(at: AppTest) -> list[dict[str, Any]]:
    return [panel for view in sent(at, "matrix_view/view") for panel in view["panels"]]


def test_the_picture_holds_its_pixels_below_the_weights_and_beside_what_covering_costs() -> None:
    at = open_answered("images", images_query="6")
    looks, classes, costs, _ = panels(at)
    assert [panel["kind"] for panel in (looks, classes, costs)] == ["picture", "rows", "picture"]
    assert looks["title"] == "Where patch 2.2 looks"
    assert looks["image"]["length"] == costs["image"]["length"] == 256
    assert classes["labels"]["labels"] == ["disc", "ring", "square", "cross", "triangle", "stripes"]


def test_the_board_shows_the_picture_and_is_what_one_draws() -> None:
    at = open_page("images", images_picture="own", images_pixels="0f" * 128)
    (board,) = sent(at, "drawing_board/board")
    assert board["greys"] == [0, 15] * 128
    assert not board["locked"]
    assert held(at, "images") == {"picture": "own", "pixels": "0f" * 128}


@pytest.mark.parametrize("pixels", ["0" * 255, "z" * 256, "<b>"])
def test_a_link_with_other_digits_is_refused_in_words(pixels: str) -> None:
    at = open_page("images", images_picture="own", images_pixels=pixels)
    assert not at.exception
    assert any("Pixels" in one.value for one in at.toast)


def drawn(**more: Any) -> bytes:
    image, content = Image.new("L", (64, 64), 255), io.BytesIO()
    ImageDraw.Draw(image).rectangle((20, 20, 44, 44), fill=0)
    image.save(content, "PNG", **more)
    return content.getvalue()


def test_a_file_becomes_the_picture_and_what_is_none_is_said() -> None:
    at = open_page("images")
    at.file_uploader[0].upload("square.png", drawn(), "image/png").run()
    assert not at.exception
    assert held(at, "images")["picture"] == "own"
    pixels = held(at, "images")["pixels"]
    assert (pixels[0], pixels[16 * 8 + 8]) == ("0", "f")
    assert "square" in said(at)
    at.file_uploader[0].upload("bad.png", drawn()[:80], "image/png").run()
    assert not at.exception
    (refused,) = at.error
    assert refused.value.replace("\\", "") == "The file says that it is a picture, and its pixels cannot be read."
    assert held(at, "images")["pixels"] == pixels


def test_the_line_below_says_what_covering_did_and_names_no_patch_where_all_are_alike() -> None:
    config = study.ImagesConfig()
    result = study.run_images(config)
    told = set()
    for patch in (int(result.costs.argmin()), int(result.costs.argmax())):
        covered = study.ImagesConfig(covered=patch + 1)
        line = draw.images_view(covered, study.run_images(covered), layer=1, head=0, query=0).summary
        told.add("adds" if " That adds " in line else "takes")
        assert (" That adds " in line) == (result.costs[patch] < 0), line
        assert "−" not in line
    assert told == {"adds", "takes"}
    blank = study.ImagesConfig(picture=study.OWN)
    view = draw.images_view(blank, study.run_images(blank), layer=1, head=0, query=0)
    assert "All patches have about the same weight" in view.summary
