"""A picture's file made small: what its greys become, and what is refused before or while it is decoded."""

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from attention_core.studies.images import MAX_BYTES, PictureError, read_picture
from attention_core.studies.images import file as files


def as_file(values: np.ndarray, kind: str = "PNG", mode: str | None = None, **options: object) -> bytes:
    held = io.BytesIO()
    image = Image.fromarray(values.astype(np.uint8))
    (image.convert(mode) if mode else image).save(held, kind, **options)
    return held.getvalue()


def blocks(greys: np.ndarray, side: int) -> np.ndarray:
    return np.kron(greys, np.ones((side, side)))


DRAWN = np.full((16, 16), 255.0)
DRAWN[3:9, 5:12] = np.linspace(0, 200, 42).reshape(6, 7).round()


@pytest.mark.parametrize(
    ("kind", "near"), [("PNG", 1e-9), ("BMP", 1e-9), ("GIF", 1e-9), ("WEBP", 0.1), ("JPEG", 0.1)]
)
def test_each_pixel_is_the_mean_of_the_block_that_it_stands_for(kind: str, near: float) -> None:
    found = read_picture(as_file(blocks(DRAWN, 8), kind), 16)
    assert found.shape == (16, 16)
    assert np.abs(found - (255 - DRAWN) / 255).max() <= near


def test_the_middle_square_of_a_wide_picture_is_taken() -> None:
    wide = np.full((32, 64), 255.0)
    wide[:, :10] = 0.0
    wide[10:20, 30:40] = 40.0
    found = read_picture(as_file(wide), 16)
    assert found[:, 0].max() == 0
    assert found.max() == 1


def test_the_lightest_is_paper_the_darkest_ink_and_a_dark_border_is_paper() -> None:
    pale = 200 - (255 - DRAWN) / 10
    assert read_picture(as_file(blocks(pale, 4)), 16).min() == 0
    assert read_picture(as_file(blocks(pale, 4)), 16).max() == 1
    dark = read_picture(as_file(blocks(255 - DRAWN, 4)), 16)
    assert np.abs(dark - (255 - DRAWN) / 255).max() < 1e-9


def test_what_is_transparent_shows_paper() -> None:
    coloured = np.zeros((32, 32, 4), np.uint8)
    coloured[8:24, 8:24, 3] = 255
    found = read_picture(as_file(coloured), 16)
    assert found[0, 0] == 0
    assert found[8, 8] == 1
    assert read_picture(as_file(blocks(DRAWN, 4), mode="P"), 16).max() == 1


def test_sixteen_bits_are_read_and_a_camera_is_held_upright() -> None:
    held = io.BytesIO()
    Image.fromarray((blocks(DRAWN, 4) * 257).astype(np.uint16)).save(held, "PNG")
    assert np.abs(read_picture(held.getvalue(), 16) - (255 - DRAWN) / 255).max() < 0.01
    turned = Image.Exif()
    turned[0x0112] = 3  # upside down
    found = read_picture(as_file(blocks(DRAWN, 8), "JPEG", exif=turned), 16)
    assert np.abs(found[::-1, ::-1] - (255 - DRAWN) / 255).max() < 0.1


def png_that_says(width: int, height: int) -> bytes:
    """A PNG whose header names sizes, with pixels of nothing like it."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 10)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def moving() -> bytes:
    held = io.BytesIO()
    frames = [Image.fromarray(np.full((20, 20), grey, np.uint8)) for grey in (0, 255)]
    frames[0].save(held, "GIF", save_all=True, append_images=frames[1:])
    return held.getvalue()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "The file is no picture that can be read; PNG, JPEG, WEBP, GIF or BMP can."),
        (b"<svg/>", "The file is no picture that can be read; PNG, JPEG, WEBP, GIF or BMP can."),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n", "The file is no picture that can be read; PNG, JPEG, WEBP, GIF or BMP can."),
        (b"\0" * (MAX_BYTES + 1), "The file has 5,242,881 bytes; up to 5,242,880 are allowed."),
        (as_file(np.full((20, 20), 7)), "The picture has one colour only, and there is nothing to see in it."),
        (moving(), "The picture moves; one that stands still is needed."),
        (png_that_says(4097, 2), "The picture has 4,097 × 2 pixels; up to 4,096 × 4,096 are allowed."),
        (png_that_says(3000, 3000), "The file says that it is a picture, and its pixels cannot be read."),
        (as_file(blocks(DRAWN, 20))[:400], "The file says that it is a picture, and its pixels cannot be read."),
    ],
    ids=["empty", "SVG", "EPS", "bytes", "one colour", "moves", "pixels", "lies", "cut off"],
)
def test_what_is_no_small_picture_is_refused_in_a_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(PictureError) as refused:
        read_picture(content, 16)
    assert str(refused.value) == sentence


def test_nothing_is_decoded_of_what_says_that_it_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[object] = []
    monkeypatch.setattr(Image.Image, "load", decoded.append)
    monkeypatch.setattr(files, "_on_paper", decoded.append)
    for width, height in ((4097, 1), (1, 10**6), (50_000, 50_000)):
        with pytest.raises(PictureError, match=r"pixels; up to|no picture"):
            read_picture(png_that_says(width, height), 16)
    assert not decoded
