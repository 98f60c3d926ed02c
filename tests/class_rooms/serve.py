"""A server of nothing but live classes and an empty page that has their client: ``… serve PORT [redis://…]``."""

import sys
from collections.abc import Sequence
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from pages._shared import class_rooms
from pages._shared.class_rooms import Question, Store, make_store, routes
from pages._shared.class_rooms.refusal import RoomError
from pages._shared.class_rooms.results import Gain
from attention_core.language import gettext_lazy

ANSWERS = tuple(map(gettext_lazy, ("It grows", "It stays", "It shrinks")))
LARGEST = "l" * 16_000  # a course as long as a room holds
# What students are given of each, and how many steps it has.
COURSES = {"tea": ("te", 3), "t" * 16_000: ("t", 2), LARGEST: (LARGEST, 2)}
PAGES = {"scaling": Question(gettext_lazy("What happens to the scores' variance?"), ANSWERS)}
ITEMS = {"sink", "rank", "mask"}  # of a test
WEB = Path(class_rooms.__file__).parents[1] / "components/web"
PAGE = '<!doctype html><title>Class</title><link rel="icon" href="data:,">'


def courses(text: str) -> tuple[str, int]:
    """What students are given of a course, and how many steps it has."""
    if text not in COURSES:
        raise RoomError(422, "This is no course.")
    return COURSES[text]


def drawn(gains: Sequence[Gain], language: str) -> str:
    """What an application draws of gains, here as text."""
    return f"<svg>{language} {[(gain.text, gain.pairs, gain.first, gain.second) for gain in gains]}</svg>"


def application(store: Store) -> Starlette:
    """An application around a store, whose life is the store's."""

    async def page(_: Request) -> Response:
        return HTMLResponse(PAGE)

    async def health(_: Request) -> Response:
        return Response("ok")

    own = [Route("/", page), Mount("/web", StaticFiles(directory=WEB)), Route("/_stcore/health", health)]
    return Starlette(
        routes=[*own, *routes(store, PAGES.get, courses, drawn, lambda: ITEMS)], lifespan=lambda _: store
    )


if __name__ == "__main__":
    port, *url = sys.argv[1:]
    app = application(make_store(url[0] if url else None))
    uvicorn.run(app, host="127.0.0.1", port=int(port), access_log=False, log_level="warning")
